"""Real arms whose chains ssik brings along (`pip install 'ssik[urdf]'`), read without its solvers.

Its manifest says which maker's or vendor's description each was made from; the pose at zero that it states is what ours
is held against.
"""

import ast
import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import tomllib

import forearm as fa

WANTED = ("T_HOME", "_JOINT_AXES", "_JOINT_T_LEFTS", "_JOINT_T_RIGHTS", "_JOINT_LIMITS")
SIX = (
    *("fanuc/crx3ia", "fanuc/crx5ia", "fanuc/crx10ia", "fanuc/crx10ial", "fanuc/crx20ial", "fanuc/crx30ia"),
    *("yaskawa/hc10", "kinova/gen3_lite", "kinova/jaco2", "kinova/j2s6s300", "ufactory/xarm6", "doosan/m0609"),
    *("doosan/m1013", "agilex/piper", "i2rt/yam", "i2rt/big_yam", "rokae/xmatecr7", "rokae/xmatesr3", "unitree/z1"),
)
SEVEN = ("franka/panda", "ufactory/xarm7", "flexiv/rizon4", "abb/yumi_left", "kinova/gen3", "kassow/kr810")


def folder():
    """Where ssik's prebuilt arms are, or None."""
    found = importlib.util.find_spec("ssik")
    return None if found is None or found.origin is None else Path(found.origin).parent / "prebuilt"


def constants(file):
    """The constants of a generated module, without running it."""
    made = {}
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in WANTED:
            made[node.targets[0].id] = eval(ast.unparse(node.value), {"np": np, "__builtins__": {}})
    return made


def turn_to(axis):
    """(4, 4) a rotation that takes z to an axis."""
    z = np.asarray(axis, float) / np.linalg.norm(axis)
    x = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
    x /= np.linalg.norm(x)
    T = np.eye(4)
    T[:3, 0], T[:3, 1], T[:3, 2] = x, np.cross(z, x), z
    return T


def read(name):
    """A robot of a name `maker/model`, with its own limits; refuses one whose pose at zero is not as stated."""
    data = constants(folder() / f"{name}_ik.py")
    n, T, turn = len(data["_JOINT_AXES"]), np.eye(4), np.eye(4)
    links = np.empty((n + 1, 3, 4))
    for k in range(n):
        T = np.linalg.inv(turn) @ T @ np.asarray(data["_JOINT_T_LEFTS"][k], float)
        turn = turn_to(data["_JOINT_AXES"][k])
        links[k] = (T @ turn)[:3]
        T = np.asarray(data["_JOINT_T_RIGHTS"][k], float)
    links[n] = (np.linalg.inv(turn) @ T)[:3]
    limits = np.array([pair if pair is not None else (-np.pi, np.pi) for pair in data["_JOINT_LIMITS"]], float).T
    rows = [(0.0, 0.0, 0.0, 0.0)] * n
    model = fa.Robot.from_dh(rows, limits=np.where(np.isfinite(limits), limits, np.sign(limits) * np.pi)).model
    robot = fa.Robot(replace(model, links=np.ascontiguousarray(links), name=name))
    off = np.abs(robot.fk(np.zeros(n)) - data["T_HOME"]).max()
    if off > 1e-9:
        raise ValueError(f"{name}: the pose at zero is {off:g} off what its file states")
    return robot


def sources():
    """What the manifest says each arm was made from, by the last part of its name."""
    with (folder() / "MANIFEST.toml").open("rb") as file:
        arms = tomllib.load(file)["arms"]
    return {
        f"{row.get('vendor', 'misc')}/{key.removesuffix('_ik')}": row["fixture_source"] for key, row in arms.items()
    }


def prebuilt(names):
    """The robots of some names; none where ssik is not installed."""
    return {} if folder() is None else {name: read(name) for name in names}
