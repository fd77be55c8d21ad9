"""The judge of bones: lengths, frames and limits from the geometry of a pose alone; and chains to judge."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import forearm as fa
from forearm.joints import Ball, Cone, Fixed, Hinge

RELATIVE = 1e-12  # link lengths
LIMIT = 1e-9  # [rad]


def straight(n, dim=3, size=1.0):
    points = np.zeros((n + 1, dim))
    points[:, 0] = np.arange(n + 1) * size / n
    return points


def about(axis, angle):
    """Rodrigues, written for the judge alone."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * (K @ K)


def smallest_turn(a, b):
    """The rotation vector that takes unit a to unit b the short way."""
    axis = np.cross(a, b)
    sine = np.linalg.norm(axis)
    return axis * (math.atan2(sine, a @ b) / sine if sine > 1e-15 else 0.0)


def excess(joint, L, rest, dim):
    """How far a relative rotation L lies outside a joint's limits [rad]; `rest` is the bone's frame at rest."""
    x = np.array([1.0, 0.0, 0.0])
    if isinstance(joint, Fixed):
        return np.linalg.norm(L - np.eye(3))
    if isinstance(joint, Hinge) or dim == 2:
        axis = np.array([0.0, 0.0, 1.0]) if dim == 2 else rest.T @ np.array(joint.axis)
        off = np.linalg.norm(L @ axis - axis)
        across = np.cross(axis, x if abs(axis[0]) < 0.9 else [0.0, 1.0, 0.0])
        across /= np.linalg.norm(across)
        turned = L @ across
        angle = math.atan2(np.cross(across, turned) @ axis, across @ turned)
        span = joint.range if isinstance(joint, Hinge) else None
        if isinstance(joint, Cone):
            span = (-joint.half_angle[0], joint.half_angle[0])
        if span is None or span[1] - span[0] >= 2 * math.pi:
            return off
        nearest = angle - 2 * math.pi * round((angle - sum(span) / 2) / (2 * math.pi))
        return max(off, span[0] - nearest, nearest - span[1])
    swing = smallest_turn(x, L[:, 0])
    worst = 0.0
    if isinstance(joint, Cone):
        toward, across = joint.half_angle
        edge = math.hypot(swing[2] / toward, swing[1] / across)
        worst = max(0.0, np.linalg.norm(swing) * (1 - 1 / edge)) if edge > 1 else 0.0
    if joint.twist is not None and np.linalg.norm(swing) < math.pi - 1e-6:
        angle = np.linalg.norm(swing)
        back = about(swing / angle, -angle) @ L if angle > 0 else L
        twist = math.atan2(back[2, 1], back[1, 1])
        nearest = twist - 2 * math.pi * round((twist - sum(joint.twist) / 2) / (2 * math.pi))
        if joint.twist[1] - joint.twist[0] < 2 * math.pi:
            worst = max(worst, joint.twist[0] - nearest, nearest - joint.twist[1])
    return worst


def judge(chain, pose):
    """Asserts that lengths, frames and limits hold in a pose."""
    points, frames = pose.points3, pose.frames
    rest = chain.bones.pose_of(np.zeros((chain.n, 3)), points[0])[0]
    for i, p in enumerate(chain.bones.parent):
        bone = points[i + 1] - points[p + 1]
        length = np.linalg.norm(bone)
        scale = max(np.abs(points).max(), length)
        assert abs(length - chain.bones.length[i]) <= RELATIVE * chain.bones.length[i] + 4e-16 * scale
        assert np.abs(frames[i][:, 0] - bone / length).max() < 1e-9 + 1e-15 * scale / length
        before, before_rest = (frames[p], rest[p]) if p >= 0 else (np.eye(3), np.eye(3))
        L = (before_rest.T @ rest[i]).T @ before.T @ frames[i]
        assert excess(chain.bones.kinds[i], L, rest[i], chain.bones.dim) <= LIMIT, (i, chain.bones.kinds[i])


def random_joint(rng, dim):
    kind = rng.integers(6)
    span = (-rng.uniform(0.05, 2.0), rng.uniform(0.05, 2.0))
    if dim == 2:
        return [Ball(), Cone(rng.uniform(0.05, 3.0)), Hinge(), Hinge(range=span), Fixed(), Hinge(range=(0.0, 1.0))][
            kind
        ]
    twist = None if rng.random() < 0.5 else (-rng.uniform(0, 1.5), rng.uniform(0, 1.5))
    pair = tuple(rng.uniform(0.05, 2.5, 2))
    return [
        Ball(twist=twist),
        Cone(rng.uniform(0.05, 3.0), twist=twist),
        Cone(pair, twist=twist),
        Hinge(rng.normal(size=3), span),
        Fixed(),
        Cone(pair, toward=rng.normal(size=3), twist=twist),
    ][kind]


def random_chain(rng, n, dim, free=False):
    bones = rng.normal(size=(n, dim))
    bones *= (rng.uniform(0.1, 1.0, n) / np.linalg.norm(bones, axis=1))[:, None]
    points = np.vstack([rng.normal(size=dim), np.zeros((n, dim))])
    points[1:] = points[0] + np.cumsum(bones, axis=0)
    return fa.Chain(points, None if free else [random_joint(rng, dim) for _ in range(n)])


def inside_values(chain, rng):
    """(n, 3) joint values drawn inside the limits."""
    q = np.zeros((chain.n, 3))
    for i, joint in enumerate(chain.joints):
        if isinstance(joint, Fixed):
            continue
        if isinstance(joint, Hinge) or chain.dim == 2:
            half = joint.half_angle[0] if isinstance(joint, Cone) else math.pi
            q[i, 0] = rng.uniform(*((isinstance(joint, Hinge) and joint.range) or (-half, half)))
            continue
        toward, across = joint.half_angle if isinstance(joint, Cone) else (2.0, 2.0)
        radius, angle = math.sqrt(rng.random()), rng.uniform(0, 2 * math.pi)
        q[i] = (
            across * radius * math.cos(angle),
            toward * radius * math.sin(angle),
            rng.uniform(*(joint.twist or (-2, 2))),
        )
    return q


def feasible_point(chain, rng):
    return chain.bones.pose_of(inside_values(chain, rng), chain.bones.start[0])[1][-1, : chain.dim].copy()


def smooth_loop(chain, near, far, frames=600):
    """Ten seconds at 60 frames: once round the base, through near-fold and near-stretch."""
    t = np.arange(frames) * 2 * math.pi / frames
    distance = chain.reach * (near + (far - near) * (0.5 - 0.5 * np.cos(t + 1.0)))
    d = np.stack([np.cos(t), 0.8 * np.sin(t), 0.5 * np.sin(t + 0.5)], axis=1)
    return distance[:, None] * d / np.linalg.norm(d, axis=1)[:, None]


def arc(n):
    turn = np.cumsum(np.linspace(0.1, 0.3, n))
    return np.vstack([np.zeros(3), np.cumsum(np.c_[np.cos(turn), np.sin(turn), 0 * turn], axis=0)]) / n


@pytest.fixture(scope="session")
def bones():
    """The functions of this file, for the tests beside it."""
    return SimpleNamespace(
        about=about,
        arc=arc,
        feasible_point=feasible_point,
        inside_values=inside_values,
        judge=judge,
        random_chain=random_chain,
        smooth_loop=smooth_loop,
        straight=straight,
        LIMIT=LIMIT,
    )
