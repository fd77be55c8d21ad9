"""One chain for all peers: forearm's own model, written as URDF, as MJCF, or as axes in the base frame."""

import tempfile
from pathlib import Path

import numpy as np

BASE, TIP = "base", "tip"
INERTIA = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
FAST = 1000.0  # velocity limit that limits nothing [rad/s or m/s]


class UnfitError(Exception):
    """A peer that cannot solve this robot; the message says why."""


def frames(robot):
    """(m+1, 4, 4) the fixed transform in front of each joint, and the one behind the last."""
    links = np.asarray(robot.model.links)
    return np.concatenate([links, np.tile([0.0, 0.0, 0.0, 1.0], (len(links), 1, 1))], axis=1)


def finite_limits(robot):
    """(2, n) limits, half a turn to each side where a joint has none."""
    return np.where(np.isfinite(robot.limits), robot.limits, [[-np.pi], [np.pi]])


def need_plain(robot):
    """Refuses robots with joints that follow others."""
    if robot.model.mimics:
        raise UnfitError("joints that follow others are not written for peers")


def urdf(robot):
    """The chain as a URDF text, from link `base` to link `tip`; every joint moves along or about z."""
    need_plain(robot)
    parts = [f'<robot name="{robot.name}"><link name="{BASE}"/>']
    limits, T = finite_limits(robot), frames(robot)
    parent = BASE
    for k, kind in enumerate(robot.model.joint_kinds):
        child = f"link{k}"
        joint = "prismatic" if kind == "prismatic" else "revolute"
        low, high = (float(value) for value in limits[:, k])
        parts.append(
            f'<link name="{child}">{INERTIA}</link><joint name="joint{k}" type="{joint}"><parent link="{parent}"/>'
            f'<child link="{child}"/>{origin(T[k])}<axis xyz="0 0 1"/>'
            f'<limit lower="{low!r}" upper="{high!r}" effort="1000" velocity="{FAST}"/></joint>'
        )
        parent = child
    parts.append(f'<link name="{TIP}"/><joint name="flange" type="fixed"><parent link="{parent}"/>')
    parts.append(f'<child link="{TIP}"/>{origin(T[-1])}</joint></robot>')
    return "".join(parts)


def origin(T):
    """A transform as URDF writes it: translation, and roll, pitch, yaw about fixed axes."""
    pitch = np.arctan2(-T[2, 0], np.hypot(T[0, 0], T[1, 0]))
    if np.hypot(T[0, 0], T[1, 0]) > 1e-9:  # else roll and yaw turn about one axis, and yaw takes both
        roll, yaw = np.arctan2(T[2, 1], T[2, 2]), np.arctan2(T[1, 0], T[0, 0])
    else:
        roll, yaw = 0.0, np.arctan2(-T[0, 1], T[1, 1])
    xyz = " ".join(repr(float(x)) for x in T[:3, 3])
    return f'<origin xyz="{xyz}" rpy="{float(roll)!r} {float(pitch)!r} {float(yaw)!r}"/>'


def urdf_file(robot):
    """The path of a file with the chain as URDF."""
    path = Path(tempfile.mkdtemp(prefix="forearm-bench-")) / "robot.urdf"
    path.write_text(urdf(robot))
    return path


def axes(robot):
    """(n, 3) joint axes, (n+1, 3) offsets from one to the next, and (3, 3) the tip's rotation, all at q = 0."""
    need_plain(robot)
    if "prismatic" in robot.model.joint_kinds:
        raise UnfitError("it takes turning joints only")
    T, poses = np.eye(4), []
    for link in frames(robot):
        T = T @ link
        poses.append(T)
    poses = np.array(poses)
    points = np.vstack([np.zeros(3), poses[:, :3, 3]])
    return poses[:-1, :3, 2], np.diff(points, axis=0), poses[-1, :3, :3]


def mjcf(robot):
    """The chain as a MuJoCo model with a site `tip`."""
    need_plain(robot)
    limits, T, text, close = finite_limits(robot), frames(robot), "", ""
    for k, kind in enumerate(robot.model.joint_kinds):
        joint = "slide" if kind == "prismatic" else "hinge"
        text += (
            f'<body {placed(T[k])}><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><joint name="joint{k}" '
            f'type="{joint}" axis="0 0 1" limited="true" range="{float(limits[0, k])!r} {float(limits[1, k])!r}"/>'
        )
        close += "</body>"
    head = '<mujoco><compiler angle="radian"/><worldbody>'
    return f'{head}{text}<site name="{TIP}" {placed(T[-1])}/>{close}</worldbody></mujoco>'


def placed(T):
    """A transform as MJCF attributes; two columns of the rotation, exact where a quaternion rounds."""
    pos = " ".join(repr(float(x)) for x in T[:3, 3])
    columns = " ".join(repr(float(x)) for x in [*T[:3, 0], *T[:3, 1]])
    return f'pos="{pos}" xyaxes="{columns}"'
