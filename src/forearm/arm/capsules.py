"""Capsules that hold what files describe: a box, a cylinder, a cloud of corners. Never smaller than it.

A capsule is seven numbers: both ends of its axis and its radius [m].
"""

import math

import numpy as np

from forearm.common.types import Floats

# A flat box is covered by at most this many capsules side by side.
MOST_STRIPS = 4
# The axis of a mesh is sought in this many rounds of this many directions, each round narrower.
ROUNDS, DIRECTIONS, NARROWER = 6, 24, 0.5
LOOKS = 256  # directions in which outermost points are looked for
# What rounding may take from a radius, per metre.
ROUNDING = 1e-12


def box_capsules(size: tuple[float, ...]) -> list[Floats]:
    """Capsules along the longest edge of a box round the origin, side by side along the second."""
    half = 0.5 * np.asarray(size)
    long, broad, thin = np.argsort(-half, kind="stable")
    strips = int(np.clip(math.ceil(half[broad] / max(half[thin], 1e-9)), 1, MOST_STRIPS))
    width = half[broad] / strips
    capsules = []
    for k in range(strips):
        a = np.zeros(3)
        a[broad] = -half[broad] + (2 * k + 1) * width
        b = a.copy()
        a[long], b[long] = -half[long], half[long]
        capsules.append(_capsule(a, b, math.hypot(width, half[thin])))
    return capsules


def cylinder_capsules(radius: float, length: float) -> list[Floats]:
    """One capsule round a cylinder along z, or a sphere where that is smaller."""
    half = 0.5 * length
    sphere = math.hypot(radius, half)
    if sphere**3 < 1.5 * radius**2 * half + radius**3:  # of the volumes, less a factor of 4/3 pi
        return [_capsule(np.zeros(3), np.zeros(3), sphere)]
    return [_capsule(np.array([0.0, 0.0, -half]), np.array([0.0, 0.0, half]), radius)]


def points_capsule(points: Floats) -> Floats:
    """A small capsule that holds all points: the best of many directions of its axis."""
    looks = np.random.default_rng(1).normal(size=(LOOKS, 3))
    # those that lie farthest out in some direction are enough to find an axis by
    everything, points = points, points[np.unique([int(np.argmax(points @ look)) for look in looks])]
    middle = points.mean(axis=0)
    _, _, axes = np.linalg.svd(points - middle, full_matrices=False)
    best = min((_along(points, axis) for axis in axes), key=_volume)
    rng, spread = np.random.default_rng(0), 1.0
    for _ in range(ROUNDS):
        spread *= NARROWER
        way = best[3:6] - best[:3]
        length = np.linalg.norm(way)
        axis = way / length if length > 0.0 else axes[0]
        tilted = axis + spread * rng.normal(size=(DIRECTIONS, 3))
        found = [_along(points, t / np.linalg.norm(t)) for t in tilted]
        best = min([best, *found], key=_volume)
    return _around(everything, best)


def _around(points: Floats, capsule: Floats) -> Floats:
    """The capsule with a radius that holds all points."""
    a, way = capsule[:3], capsule[3:6] - capsule[:3]
    square = float(way @ way)
    share = np.clip((points - a) @ way / square, 0.0, 1.0) if square > 0.0 else np.zeros(len(points))
    return _capsule(a, capsule[3:6], float(np.linalg.norm(points - a - share[:, None] * way, axis=1).max()))


def _along(points: Floats, axis: Floats) -> Floats:
    """The smallest capsule found that holds all points with its axis along a unit vector."""
    heights = points @ axis
    across = points - heights[:, None] * axis
    centre = _circle_centre(across)
    off = np.linalg.norm(across - centre, axis=1)
    radius = float(off.max())
    cap = np.sqrt(np.maximum(radius**2 - off**2, 0.0))
    low, high = float((heights + cap).min()), float((heights - cap).max())
    if low > high:  # one ball holds all
        low = high = 0.5 * (low + high)
        radius = float(np.linalg.norm(points - centre - low * axis, axis=1).max())
    return _capsule(centre + low * axis, centre + high * axis, radius)


def _circle_centre(points: Floats, rounds: int = 100) -> Floats:
    """About the centre of the smallest ball round points: toward the farthest, by less and less (Badoiu, Clarkson)."""
    centre = points.mean(axis=0)
    for k in range(rounds):
        farthest = points[np.argmax(((points - centre) ** 2).sum(axis=1))]
        centre = centre + (farthest - centre) / (k + 2)
    return np.asarray(centre)


def _volume(capsule: Floats) -> float:
    """The volume of a capsule, less a factor of pi."""
    return float(capsule[6] ** 2 * np.linalg.norm(capsule[3:6] - capsule[:3]) + 4.0 / 3.0 * capsule[6] ** 3)


def _capsule(a: Floats, b: Floats, radius: float) -> Floats:
    """Ends and radius, the radius a hair larger so that rounding leaves nothing outside."""
    size = float(np.abs(a).max() + np.abs(b).max() + radius)
    return np.array([*a, *b, radius + ROUNDING * size])
