"""Chains, joints, targets and a humanoid for the benchmarks of bones, all from seeds."""

import math

import numpy as np

import forearm as fa
from forearm.joints import Ball, Cone, Fixed, Hinge


def straight(n):
    """(n+1, 3) points of a straight chain of length 1."""
    points = np.zeros((n + 1, 3))
    points[:, 0] = np.arange(n + 1) / n
    return points


def ball_targets(count, most, seed):
    """(count, 3) points, uniform in the volume of a ball."""
    rng = np.random.default_rng(seed)
    d = rng.normal(size=(count, 3))
    return most * rng.random((count, 1)) ** (1 / 3) * d / np.linalg.norm(d, axis=1)[:, None]


def random_joint(rng):
    """A cone, an elliptic cone, a hinge or a ball, with and without a range of twist."""
    twist = None if rng.random() < 0.4 else (-rng.uniform(0.1, 1.5), rng.uniform(0.1, 1.5))
    return [
        Ball(twist=twist),
        Cone(rng.uniform(0.1, 1.5), twist=twist),
        Cone(tuple(rng.uniform(0.2, 1.5, 2)), twist=twist),
        Hinge(rng.normal(size=3), (-rng.uniform(0.1, 2.0), rng.uniform(0.1, 2.0))),
    ][rng.integers(4)]


def random_chain(rng, n, limited):
    """A chain of unequal bones, every other one straight."""
    bones = rng.normal(size=(n, 3)) if rng.random() < 0.5 else np.tile([1.0, 0.0, 0.0], (n, 1))
    bones *= (rng.uniform(0.1, 1.0, n) / np.linalg.norm(bones, axis=1))[:, None]
    points = np.vstack([np.zeros(3), np.cumsum(bones, axis=0)])
    return fa.Chain(points, [random_joint(rng) for _ in range(n)] if limited else None)


def reachable_point(chain, rng):
    """A point between the least and the largest distance a chain without limits reaches, even in distance."""
    near, far = chain.bones.reaches[-1]
    d = rng.normal(size=3)
    return chain.points[0] + d / np.linalg.norm(d) * (near + (far - near) * rng.random())


def drawn_values(bones, rng, spread=1.0):
    """(n, 3) joint values inside the limits."""
    q = np.zeros((bones.n, 3))
    for i, joint in enumerate(bones.kinds):
        if isinstance(joint, Hinge):
            q[i, 0] = rng.uniform(*joint.range) * spread
        elif not isinstance(joint, Fixed):
            toward, across = joint.half_angle if isinstance(joint, Cone) else (1.5, 1.5)
            radius, angle = spread * math.sqrt(rng.random()), rng.uniform(0, 2 * math.pi)
            q[i, :2] = across * radius * math.cos(angle), toward * radius * math.sin(angle)
            q[i, 2] = rng.uniform(*(joint.twist or (-1.0, 1.0))) * spread
    return q


def humanoid(limited):
    """A skeleton of twenty bones with five tips."""
    bones = {
        "spine": (None, [0, 0, 1.3]),
        "chest": ("spine", [0, 0, 1.5]),
        "neck": ("chest", [0, 0, 1.6]),
        "head": ("neck", [0, 0, 1.8]),
    }
    joints = {"spine": Cone(0.4, twist=(-0.5, 0.5)), "chest": Cone(0.4, twist=(-0.3, 0.3)), "neck": Cone(0.5)}
    for side, x in (("l", 1), ("r", -1)):
        bones |= {
            f"clavicle_{side}": ("chest", [0.15 * x, 0, 1.5]),
            f"upper_arm_{side}": (f"clavicle_{side}", [0.45 * x, 0, 1.45]),
            f"forearm_{side}": (f"upper_arm_{side}", [0.7 * x, 0, 1.45]),
            f"hand_{side}": (f"forearm_{side}", [0.85 * x, 0, 1.45]),
            f"hip_{side}": (None, [0.1 * x, 0, 0.95]),
            f"thigh_{side}": (f"hip_{side}", [0.1 * x, 0.02, 0.5]),
            f"shin_{side}": (f"thigh_{side}", [0.1 * x, 0, 0.1]),
            f"foot_{side}": (f"shin_{side}", [0.1 * x, 0.15, 0.05]),
        }
        joints |= {
            f"upper_arm_{side}": Cone(1.5, twist=(-1.5, 1.5)),
            f"forearm_{side}": Hinge((0, 0, x), (0.0, 2.5)),
            f"shin_{side}": Hinge((-1, 0, 0), (0.0, 2.5)),
            f"hip_{side}": Fixed(),
        }
    return fa.Skeleton(bones, [0, 0, 1.0], joints=joints if limited else None)


def smooth_loop(reach, near, far, frames=600):
    """(frames, 3) ten seconds at 60 frames: once round the base, through near-fold and near-stretch."""
    t = np.arange(frames) * 2 * math.pi / frames
    distance = reach * (near + (far - near) * (0.5 - 0.5 * np.cos(t + 1.0)))
    d = np.stack([np.cos(t), 0.8 * np.sin(t), 0.5 * np.sin(t + 0.5)], axis=1)
    return distance[:, None] * d / np.linalg.norm(d, axis=1)[:, None]


def arc(n):
    """(n+1, 3) points of a chain of length 1 bent to one side."""
    turn = np.cumsum(np.linspace(0.1, 0.3, n))
    return np.vstack([np.zeros(3), np.cumsum(np.c_[np.cos(turn), np.sin(turn), 0 * turn], axis=0)]) / n
