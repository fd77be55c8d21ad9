"""What every public call answered when the golden file was written: its cases, and how they are hashed.

python tests/golden/recorded.py --write    # record this tree's answers
python tests/golden/recorded.py            # every block that answers otherwise, by name

A case is a list of answers through the public API alone, so nothing inside may be moved, merged or
rewritten in a way that changes a bit of an answer without this file noticing. Answers are hashed in
blocks of `BLOCK`; the test looks at the first block of each case, the command at all. NumPy's products and sines differ
in their last bits from one kind of processor to another, so there is one recording for each kind (`probe`). One with
AVX-512 answers as one without it does with `OPENBLAS_CORETYPE=Haswell NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL
AVX512_SPR"`, and AMD's as Intel's with `OPENBLAS_CORETYPE=SkylakeX`: so one machine vouches for all kinds.
"""

import argparse
import hashlib
import importlib.util
import json
import sys
import warnings
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import forearm as fa
from forearm.joints import Ball, Cone, Fixed, Hinge
from forearm.scenes import HalfSpace, Scene

GOLDEN = Path(__file__).with_name("answers.json")
BLOCK = 20
METHODS = ("auto", "general", "fabrik-r", "combined", "closed-form", "dls", "jacobian-transpose", "ccd")
ARMS = ("ur5", "iiwa14", "panda", "puma560", "xarm7", "scara")
Answers = Iterator[tuple[Any, ...]]


def digest(parts: Any) -> bytes:
    """The hash of arrays, words and numbers, bit by bit."""
    made = hashlib.sha256()
    for part in parts:
        bits = np.ascontiguousarray(part + 0.0).tobytes() if isinstance(part, np.ndarray) else repr(part).encode()
        made.update(bits)
    return made.digest()


def blocks(answers: Answers, most: int | None = None) -> list[str]:
    """One short hash per block of answers."""
    found = []
    while (block := list(islice(answers, BLOCK))) and (most is None or len(found) < most):
        found.append(hashlib.sha256(b"".join(digest(answer) for answer in block)).hexdigest()[:16])
    return found


def probe() -> str:
    """What this machine's sines, square roots and products give: its own last bits."""
    x = np.linspace(-7.0, 7.0, 20_001)
    sums = np.array([np.sin(x), np.cos(x), np.arctan2(x, x[::-1])]) @ np.column_stack([x, x * x])
    return digest([np.sin(x), np.cos(x), np.arctan2(x, 1.0 - x), np.exp(x), sums]).hex()[:16]


# -- arms ------------------------------------------------------------------------------------------


def shown(s: Any) -> tuple[Any, ...]:
    """What counts of a solution."""
    return s.q, str(s.status)


def poses(arm: fa.Robot, count: int, seed: int) -> np.ndarray:
    """(count, 4, 4) reachable poses."""
    return arm.fk(arm.sample(count, rng_seed=seed))


def targets_of(kind: str, Ts: np.ndarray) -> list[Any]:
    """Targets of a kind at poses."""
    if kind == "position":
        return [fa.Position(T[:3, 3]) for T in Ts]
    if kind == "orientation":
        return [fa.Orientation(T[:3, :3]) for T in Ts]
    if kind == "axis":
        return [fa.PointAxis(T[:3, 3], T[:3, 2]) for T in Ts]
    if kind == "banded":
        return [fa.Pose(T, tol=[1e-6, 1e-6, 1e-3, 1e-6, 1e-6, np.inf]) for T in Ts]
    return list(Ts)


def singles(name: str, method: str, kind: str, start: str, count: int, **how: Any) -> Answers:
    """Call by call; the start is none, near the target's own joints, or the middle of the limits."""
    arm = fa.load(name)
    Q = arm.sample(count, rng_seed=11)
    for q, target in zip(Q, targets_of(kind, arm.fk(Q)), strict=True):
        near = np.clip(q + 0.05, *arm.limits)
        yield shown(arm.solve(target, {"none": None, "near": near, "middle": arm.neutral}[start], method=method, **how))


def missed(name: str, method: str, count: int, explain: bool) -> Answers:
    """Targets beyond reach, too near, behind limits, and turned out of reach."""
    arm = fa.load(name)
    for i, T in enumerate(poses(arm, count, 12)):
        target = T.copy()
        if i % 4 == 0:
            target[:3, 3] *= 1.0 + 2.0 * arm.reach / max(np.linalg.norm(T[:3, 3]), 1e-3)
        elif i % 4 == 1:
            target[:3, 3] = arm.fk(arm.neutral)[:3, 3] * 0.05
        elif i % 4 == 2:
            target[:3, :3] = target[:3, :3] @ np.diag([-1.0, 1.0, -1.0])
        else:
            target[:3, 3] += [0.3 * arm.reach, 0.0, -0.3 * arm.reach]
        yield shown(arm.solve(target, method=method, explain=explain))


def settings(name: str, count: int) -> Answers:
    """Tool, limits, locked joints, step, rest, tries, norm, each with and without a start."""
    arm = fa.load(name)
    tool = np.eye(4)
    tool[:3, 3] = [0.02, -0.01, 0.1]
    narrow = np.clip(0.7 * arm.limits, -3.0, 3.0)
    rest = arm.clip(np.full(arm.n, 0.3))
    first = arm.joint_names[0]
    for i, q in enumerate(arm.sample(count, rng_seed=13)):
        T, near = arm.fk(q), np.clip(q + 0.03, *arm.limits)
        inside = np.clip(q, *narrow)
        ways: list[tuple[Any, Any, dict[str, Any]]] = [
            (T @ tool, None, {"tool": tool}),
            (T @ tool, near, {"tool": tool, "max_joint_step": 0.2}),
            (arm.fk(inside), None, {"limits": narrow}),
            (arm.fk(inside), inside, {"limits": narrow, "max_joint_step": 0.1}),
            (T, near, {"locked": {first: float(q[0])}}),
            (T, None, {"locked": {first: float(q[0])}, "method": "general"}),
            (T, near, {"max_joint_step": 0.05}),
            (T, near, {"max_joint_step": 0.01}),
            (T, near, {"rest": rest}),
            (fa.Position(T[:3, 3]), None, {"rest": rest}),
            (T, None, {"max_tries": 3, "explain": False, "method": "general"}),
            (T, near, {"norm": 1} if arm.n <= 6 else {}),  # near a start of a redundant arm no closed form reads it
            (fa.Pose(T, tol=1e-3), None, {}),
            (fa.Pose(T, tol=[1e-3, 1e-3, 1e-3, 0.1, 0.1, 0.1]), near, {}),
        ]
        target, q0, how = ways[i % len(ways)]
        yield shown(arm.solve(target, q0, **how))


def swivels(name: str, count: int) -> Answers:
    """Arm angles asked for, and those of configurations."""
    arm = fa.load(name)
    for i, q in enumerate(arm.sample(count, rng_seed=14)):
        wanted = arm.swivel(q) + 0.1 * (i % 5 - 2)
        s = arm.solve(arm.fk(q), swivel=wanted)
        yield *shown(s), wanted


def branches(name: str, count: int, **how: Any) -> Answers:
    """All answers, each one's joint values."""
    arm = fa.load(name)
    for q in arm.sample(count, rng_seed=15):
        found = arm.solve_all(arm.fk(q), q, **how)
        yield *(branch.q for branch in found), len(found), found.complete


def batches(name: str, method: str, kind: str, count: int, start: str = "none", **how: Any) -> Answers:
    """Answers of one batch, row by row."""
    arm = fa.load(name)
    Q = arm.sample(count, rng_seed=16)
    near = np.clip(Q + 0.05, *arm.limits)
    Ts = arm.fk(Q)
    many = {"position": fa.Position.many(Ts[:, :3, 3]), "orientation": fa.Orientation.many(Ts[:, :3, :3])}
    targets = many.get(kind, targets_of(kind, Ts) if kind in ("banded", "axis") else Ts)
    out = arm.solve_batch(targets, {"none": None, "near": near}[start], method=method, **how)
    for i in range(len(Q)):
        yield out.q[i], str(out[i].status)


def line(arm: fa.Robot, q: np.ndarray, step: np.ndarray, count: int) -> np.ndarray:
    """(count, 4, 4) poses of a way in joint space: a path that can be followed."""
    return arm.fk(np.clip(q + np.linspace(0.0, 1.0, count)[:, None] * step, *arm.limits))


def tracks(name: str, count: int, length: int, **how: Any) -> Answers:
    """Paths through joint space and straight lines of the tip; some end early."""
    arm = fa.load(name)
    rng = np.random.default_rng(17)
    for i, q in enumerate(arm.sample(count, rng_seed=17)):
        if i % 2:
            Ts = line(arm, q, rng.uniform(-0.8, 0.8, arm.n), length)
        else:
            Ts = np.repeat(arm.fk(q)[None], length, axis=0)
            Ts[:, :3, 3] += np.linspace(0.0, 0.3, length)[:, None] * rng.normal(size=3)
        found = arm.track(Ts, None if i % 3 == 0 else q, **how)
        yield found.q, str(found.status)


# -- obstacles -------------------------------------------------------------------------------------


def room(arm: fa.Robot, seed: int) -> Scene:
    """Spheres, capsules, boxes and a floor around an arm."""
    rng = np.random.default_rng(seed)
    size = min(arm.reach, 2.0)
    named: dict[str, Any] = {"floor": HalfSpace([0.0, 0.0, -0.3 * size])}
    for i in range(3):
        center = rng.uniform(-0.7, 0.7, 3) * size + [0.0, 0.0, 0.3 * size]
        named[f"ball {i}"] = fa.Sphere(center, 0.06 * size)
        named[f"rod {i}"] = fa.Capsule(-center, rng.uniform(-0.7, 0.7, 3) * size, 0.03 * size)
        named[f"crate {i}"] = fa.Box(center[::-1], rng.uniform(0.05, 0.15, 3) * size)
    return Scene(named)


def body_of(name: str) -> fa.Robot:
    """An arm with capsules along its skeleton."""
    return fa.load(name).with_geometry(radius=0.04)


def among(name: str, count: int, start: str = "none", **how: Any) -> Answers:
    """Solves among obstacles, with their clearance; a new room every twenty."""
    arm = body_of(name)
    for i, q in enumerate(arm.sample(count, rng_seed=18)):
        scene = room(arm, i // BLOCK)
        q0 = {"none": None, "near": np.clip(q + 0.05, *arm.limits)}[start]
        s = arm.solve(arm.fk(q), q0, obstacles=scene, **how)
        yield *shown(s), arm.clearance(s.q, scene)


def itself(name: str, count: int) -> Answers:
    """Solves in which the arm must not touch itself, and whether ways are free."""
    arm = body_of(name)
    scene = room(arm, 3)
    for q in arm.sample(count, rng_seed=19):
        s = arm.solve(arm.fk(q), self_collision=True)
        yield *shown(s), arm.is_free_between(q, s.q, scene)


def batch_among(name: str, count: int) -> Answers:
    """One batch among obstacles."""
    arm = body_of(name)
    out = arm.solve_batch(poses(arm, count, 20), obstacles=room(arm, 1), clearance=0.01)
    for i in range(count):
        yield out.q[i], str(out[i].status)


def tracks_among(name: str, count: int) -> Answers:
    """Paths past obstacles."""
    arm = body_of(name)
    rng = np.random.default_rng(21)
    for q in arm.sample(count, rng_seed=21):
        found = arm.track(line(arm, q, rng.uniform(-0.5, 0.5, arm.n), 20), obstacles=room(arm, 2), clearance=0.01)
        yield found.q, str(found.status)


# -- bones -----------------------------------------------------------------------------------------


def posed(pose: Any) -> tuple[Any, ...]:
    """What counts of a pose."""
    return pose.points, str(pose.status)


def chain_of(bones: int, dim: int = 3, joints: Any = None) -> fa.Chain:
    """A gently curved chain of a metre."""
    turn = np.linspace(0.0, 1.2, bones)
    steps = np.column_stack([np.sin(turn), 0.3 * np.sin(2.0 * turn), np.cos(turn)])[:, -dim:] / bones
    return fa.Chain(np.vstack([np.zeros(dim), np.cumsum(steps, axis=0)]), joints)


def points_for(chain: fa.Chain, count: int, seed: int) -> np.ndarray:
    """(count, dim) points in and a little out of reach."""
    rng = np.random.default_rng(seed)
    ways = rng.normal(size=(count, chain.dim))
    return ways / np.linalg.norm(ways, axis=1)[:, None] * chain.reach * rng.uniform(0.2, 1.05, count)[:, None]


LIMITED = [Cone(0.6, twist=(-0.5, 0.5)), Hinge((0, 1, 0), (-1.0, 1.5)), Ball(), Cone(0.9), Fixed(), Cone(0.8)]


def chains(bones: int, count: int, dim: int = 3, limited: bool = False, **how: Any) -> Answers:
    """Chains to points, each from rest, and to poses where the method takes them."""
    chain = chain_of(bones, dim, [LIMITED[i % len(LIMITED)] for i in range(bones)] if limited else None)
    for point in points_for(chain, count, 22):
        yield posed(chain.solve(point, **how))


def chain_poses(bones: int, count: int) -> Answers:
    """Chains to poses, axes and orientations of their last bone, with a pole."""
    chain = chain_of(bones)
    arm = fa.load("iiwa14")
    for i, (point, T) in enumerate(zip(points_for(chain, count, 23), poses(arm, count, 23), strict=True)):
        M = T.copy()
        M[:3, 3] = 0.8 * point
        target = (fa.Pose(M), fa.PointAxis(M[:3, 3], M[:3, 0]), fa.Orientation(M[:3, :3]), fa.Position(M[:3, 3]))[i % 4]
        yield posed(chain.solve(target, pole=[0.3, 1.0, 0.2] if i % 2 else None))


def animations(bones: int, frames: int, **how: Any) -> Answers:
    """One chain dragged along, frame after frame."""
    chain = chain_of(bones)
    pose = None
    for angle in np.linspace(0.0, 5.0, frames):
        point = chain.reach * 0.7 * np.array([np.cos(angle), np.sin(angle), 0.4 * np.sin(3.0 * angle)])
        pose = chain.solve(point, start=pose, **how)
        yield posed(pose)


def chain_batches(bones: int, count: int, **how: Any) -> Answers:
    """One batch of a chain."""
    chain = chain_of(bones)
    out = chain.solve_batch(points_for(chain, count, 24), **how)
    for i in range(count):
        yield out[i].points, str(out[i].status)


SPHERES = [fa.Sphere([0.3, 0.2, 0.4], 0.12), fa.Capsule([-0.4, 0, 0.2], [-0.2, 0.3, 0.6], 0.08)]
DISCS = [fa.Sphere([0.3, 0.4], 0.12), fa.Box([-0.3, 0.4], [0.2, 0.1], 0.3)]

BODY = {
    "spine": (None, [0, 0, 1.3]),
    "chest": ("spine", [0, 0, 1.5]),
    "head": ("chest", [0, 0, 1.8]),
    "upper_arm_l": ("chest", [0.4, 0, 1.5]),
    "forearm_l": ("upper_arm_l", [0.7, 0, 1.5]),
    "upper_arm_r": ("chest", [-0.4, 0, 1.5]),
    "forearm_r": ("upper_arm_r", [-0.7, 0, 1.5]),
}
BODY_JOINTS = {
    "spine": Cone(0.4, twist=(-0.6, 0.6)),
    "chest": Cone(0.3, twist=(-0.3, 0.3)),
    "forearm_l": Hinge((0, 0, 1), (0.0, 2.5)),
    "forearm_r": Hinge((0, 0, -1), (0.0, 2.5)),
}


def skeletons(count: int, limited: bool, free_base: bool) -> Answers:
    """Two hands of a body, some out of reach, every other frame from the one before."""
    body = fa.Skeleton(BODY, base=[0, 0, 1.0], joints=BODY_JOINTS if limited else None, free_base=free_base)
    rng = np.random.default_rng(25)
    pose = None
    for i in range(count):
        left = np.array([0.45, 0.0, 1.4]) + rng.uniform(-0.35, 0.35, 3)
        right = np.array([-0.45, 0.0, 1.4]) + rng.uniform(-0.35, 0.35, 3)
        pose = body.solve({"forearm_l": left, "forearm_r": right}, start=pose if i % 2 else None, tolerance=1e-4)
        yield posed(pose)


# -- files -----------------------------------------------------------------------------------------


def loaded(pattern: str, packages: tuple[str, ...], read: Any) -> Answers:
    """The arrays, names and notes of every file of data packages, or the error's class."""
    for path in sorted(path for package in packages for path in folder_of(package).rglob(pattern)):
        try:
            model = read(path).model
        except fa.ForearmError as error:
            yield path.name, type(error).__name__
        else:
            yield model.links, model.joints, model.limits, model.velocity, model.joint_names, model.base, model.tip


def folder_of(package: str) -> Path:
    """Where a package that carries robots is installed."""
    if package == "example-robot-data":
        spec = importlib.util.find_spec("pinocchio")
        prefix = next(p for p in Path(spec.origin).parents if p.name == "cmeel.prefix")
        return prefix / "share" / "example-robot-data"
    spec = importlib.util.find_spec(package)
    return Path(next(iter(spec.submodule_search_locations)))


MJCF = """<mujoco><compiler angle="radian" eulerseq="zyx"/><worldbody>
<body name="a" pos="0.1 -0.2 0.3" euler="0.1 0.2 0.3"><joint name="j1" axis="1 2 3" range="-2 2" ref="0.2"/>
<geom size="0.01"/><body name="b" pos="0 0.4 0.1"><joint name="j2" axis="0 1 0" pos="0.1 0 0.2" range="-1 2"/>
<geom size="0.01"/><body name="c" pos="0.3 0 0" zaxis="0 1 1"><joint name="s" type="slide" axis="0 1 1" range="0 0.5"/>
<geom size="0.01"/><body name="d" pos="0 0 0.3"><joint name="j4" axis="1 0 0"/><joint name="j5" axis="0 1 0"/>
<geom size="0.01"/><site name="tool" pos="0.05 0.06 0.07" quat="1 2 3 4"/></body></body></body></body></worldbody>
<equality><joint joint1="j5" joint2="j4" polycoef="0.1 0.5 0 0 0"/></equality></mujoco>"""
PUMA = [(0.0, np.pi / 2, 0.67), (0.4318, 0.0, 0.0), (0.0203, -np.pi / 2, 0.15), (0.0, np.pi / 2, 0.4318)]
ROWS = [{"a": a, "alpha": alpha, "d": d, "theta": 0.0} for a, alpha, d in PUMA]


def written() -> Answers:
    """Robots of text and tables, and answers on them."""
    made = [fa.Robot.from_mjcf(MJCF, tip=tip) for tip in ("tool", "c", "d")]
    made += [fa.Robot.from_dh(ROWS, convention=convention) for convention in ("standard", "modified")]
    for arm in made:
        model = arm.model
        yield model.links, model.joints, arm.limits, model.velocity, model.joint_names, model.base, model.tip
        for q in arm.sample(5, rng_seed=27):
            yield shown(arm.solve(fa.Position(arm.fk(q)[:3, 3])))


def catalog() -> Answers:
    """Every arm of the catalog, with poses of its own configurations."""
    for name in fa.list_robots():
        arm = fa.load(name.replace("-N", "-7"))
        Q = arm.sample(4, rng_seed=26)
        yield name, arm.model.links, arm.model.joints, arm.limits, arm.fk(Q), arm.jacobian(Q[0]), arm.fk_all(Q[1])


# -- all of them -----------------------------------------------------------------------------------


def methods_cases() -> dict[str, Any]:
    """Every method on every arm it solves, from the start it is used from."""
    found: dict[str, Any] = {}
    skip = {("combined", "scara"), ("combined", "panda"), ("combined", "xarm7"), ("closed-form", "panda")}
    skip |= {("closed-form", "xarm7"), ("fabrik-r", "scara"), ("combined", "puma560")}
    for arm in ARMS:
        for method in METHODS:
            if (method, arm) in skip:
                continue
            slow = method in ("dls", "jacobian-transpose", "ccd")
            for start in ("none", "near"):
                key = f"{arm} {method} pose from {start}"
                found[key] = (singles, arm, method, "pose", start, 60 if slow else 140)
    for arm in ("ur5", "panda"):
        for kind in ("position", "orientation", "axis", "banded"):
            for start in ("none", "near"):
                found[f"{arm} auto {kind} from {start}"] = (singles, arm, "auto", kind, start, 120)
        for method in ("fabrik-r", "dls", "ccd", "jacobian-transpose"):
            found[f"{arm} {method} position"] = (singles, arm, method, "position", "middle", 60)
    for arm in ("jaco2", "so101", "irb140", "planar-3", "snake-15", "ur10", "iiwa7"):
        kind = "position" if arm in ("so101", "planar-3") else "pose"
        for start in ("none", "near"):
            found[f"{arm} auto {kind} from {start}"] = (singles, arm, "auto", kind, start, 100)
    found["snake-15 general middle"] = (singles, "snake-15", "general", "pose", "middle", 100)
    return found


def arm_cases() -> dict[str, Any]:
    """What else is asked of an arm."""
    found: dict[str, Any] = {}
    for arm in ("ur5", "panda", "iiwa14", "scara"):
        found[f"{arm} missed, explained"] = (missed, arm, "auto", 40, True)
        found[f"{arm} missed, not explained"] = (missed, arm, "auto", 100, False)
        found[f"{arm} settings"] = (settings, arm, 280)
        found[f"{arm} tracks"] = (tracks, arm, 40, 40)
        found[f"{arm} batch near"] = (batches, arm, "auto", "pose", 400, "near")
    for arm in ("ur5", "panda"):
        for method in ("fabrik-r", "dls"):
            found[f"{arm} {method} missed, explained"] = (missed, arm, method, 20, True)
        for kind in ("pose", "position", "orientation", "axis", "banded"):
            found[f"{arm} batch {kind}"] = (batches, arm, "auto", kind, 400)
        found[f"{arm} batch explained"] = (batches, arm, "general", "pose", 100)
        found[f"{arm} tracks, narrow steps"] = (
            tracks,
            arm,
            20,
            20,
        )
    for arm in ("iiwa14", "iiwa7"):
        found[f"{arm} swivels"] = (swivels, arm, 200)
    for arm in ("ur5", "iiwa14", "puma560", "scara", "panda", "planar-3"):
        found[f"{arm} branches"] = (branches, arm, 20 if arm == "panda" else 100)
    for method in ("fabrik-r", "combined", "dls", "closed-form"):
        found[f"ur5 batch {method}"] = (batches, "ur5", method, "pose", 200)
    return found


def obstacle_cases() -> dict[str, Any]:
    """Arms among obstacles."""
    found: dict[str, Any] = {}
    for arm in ("ur5", "iiwa14", "panda", "scara", "puma560", "snake-15"):
        found[f"{arm} among"] = (among, arm, 100)
    for arm in ("ur5", "panda"):
        found[f"{arm} among near"] = (among, arm, 100, "near")
        found[f"{arm} itself"] = (itself, arm, 60)
        found[f"{arm} batch among"] = (batch_among, arm, 100)
        found[f"{arm} tracks among"] = (tracks_among, arm, 20)
    return found


def bone_cases() -> dict[str, Any]:
    """Chains and skeletons."""
    found: dict[str, Any] = {
        "chain poses": (chain_poses, 6, 200),
        "body": (skeletons, 100, False, False),
        "body with limits": (skeletons, 100, True, False),
        "body, free base": (skeletons, 100, False, True),
        "animation": (animations, 8, 300),
        "animation on curves": (animations_on_curves, 8, 200),
        "chain batch": (chain_batches, 10, 400),
        "limited chain of 6 on curves": (curves, 6, 60, 3, True),
        "chain of 6 on curves among": (curves_among, 6, 60, 3),
        "flat chain of 6 on curves among": (curves_among, 6, 60, 2),
        "chain of 6 among": (chains_among, 6, 60),
        "flat chain of 8 as the paper": (paper, 8, 40),
    }
    for bones in (2, 4, 10, 40):
        found[f"chain of {bones}"] = (chains, bones, 200)
        found[f"chain of {bones}, plain"] = (plain, bones, 100)
        found[f"limited chain of {bones}"] = (chains, bones, 100, 3, True)
        found[f"flat chain of {bones}"] = (chains, bones, 100, 2)
    for bones in (3, 8):
        found[f"chain of {bones} on curves"] = (curves, bones, 200, 3)
        found[f"flat chain of {bones} on curves"] = (curves, bones, 200, 2)
    return found


def plain(bones: int, count: int) -> Answers:
    """FABRIK alone."""
    return chains(bones, count, refine=False)


def curves(bones: int, count: int, dim: int, limited: bool = False) -> Answers:
    """Chains on curves."""
    return chains(bones, count, dim, limited, method="bezier")


def curves_among(bones: int, count: int, dim: int) -> Answers:
    """Chains on curves among obstacles."""
    walls = DISCS if dim == 2 else SPHERES
    return chains(bones, count, dim, method="bezier", obstacles=walls, clearance=0.01, thickness=0.01)


def chains_among(bones: int, count: int) -> Answers:
    """FABRIK among obstacles."""
    return chains(bones, count, obstacles=SPHERES, clearance=0.01)


def paper(bones: int, count: int) -> Answers:
    """The published search of curves."""
    return chains(bones, count, 2, method="bezier", mode="paper")


def animations_on_curves(bones: int, frames: int) -> Answers:
    """A chain dragged along on curves."""
    return animations(bones, frames, method="bezier")


def file_cases() -> dict[str, Any]:
    """Robots of files."""
    return {
        "catalog": (catalog,),
        "MJCF text and DH rows": (written,),
        "URDF files": (loaded, "*.urdf", ("example-robot-data", "rtbdata"), fa.Robot.from_urdf),
        "xacro files": (loaded, "*.xacro", ("rtbdata",), fa.Robot.from_xacro),
        "MJCF files": (loaded, "*.xml", ("example-robot-data", "rtbdata"), fa.Robot.from_mjcf),
    }


CASES = methods_cases() | arm_cases() | obstacle_cases() | bone_cases() | file_cases()


def answers(name: str, most: int | None = None) -> list[str]:
    """The hashes of a case's blocks."""
    make, *arguments = CASES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return blocks(make(*arguments), most)


def main() -> int:
    """Writes the golden file, or compares with it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="record this tree's answers")
    parser.add_argument("--only", default="", help="cases whose name has this in it")
    parser.add_argument("--blocks", type=int, help="look at so many blocks of each case only")
    options = parser.parse_args()
    names = [name for name in CASES if options.only in name]
    golden = json.loads(GOLDEN.read_text())
    recorded = golden.setdefault(probe(), {})
    if not recorded and not options.write:
        print(f"no recording for processors whose last bits are {probe()}; --write makes one")
        return 1
    wrong, total = 0, 0
    for place, name in enumerate(names):
        found = answers(name, options.blocks)
        total += len(found)
        before = recorded.get(name)
        if options.write:
            recorded[name] = found
        elif before is None or before[: len(found)] != found or (options.blocks is None and len(before) != len(found)):
            places = [i for i, (a, b) in enumerate(zip(before or [], found, strict=False)) if a != b]
            print(f"OTHERWISE: {name}, blocks {places} of {len(found)}", flush=True)
            wrong += 1
        print(f"{place + 1} of {len(names)}: {name}, {len(found)} blocks", file=sys.stderr, flush=True)
    if options.write:
        GOLDEN.write_text(json.dumps(golden, indent=0) + "\n")
    verdict = "recorded" if options.write else f"{wrong} cases answer otherwise"
    print(f"{len(names)} cases, about {BLOCK * total} answers: {verdict}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
