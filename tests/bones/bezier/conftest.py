"""What judges Bezier poses: plain geometry, shapely, dense sampling; and chains and scenes to judge."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest
import shapely
from shapely import affinity

import forearm as fa
from forearm.joints import Hinge


def straight(n, dim, lengths=None):
    points = np.zeros((n + 1, dim))
    points[1:, dim - 1] = np.cumsum(np.ones(n) if lengths is None else lengths)
    return points


def check(chain, solution, target):
    """Base, links and tip are as they must be."""
    points = solution.points
    scale = 1e-12 * chain.reach
    np.testing.assert_array_equal(points[0], chain.points[0])
    np.testing.assert_allclose(np.linalg.norm(np.diff(points, axis=0), axis=1), chain.lengths, atol=scale)
    assert math.dist(points[-1], target) <= scale
    assert solution.success


def turns(one, two):
    """(n,) angles between the links of two poses [rad]."""
    u, v = np.diff(one, axis=0), np.diff(two, axis=0)
    cosine = (u * v).sum(axis=1) / np.linalg.norm(u, axis=1) / np.linalg.norm(v, axis=1)
    return np.arccos(np.clip(cosine, -1.0, 1.0))


def drag(chain, path, **options):
    """The poses along a path, each from the one before."""
    poses = [chain.solve(path[0], method="bezier", **options)]
    for target in path[1:]:
        poses.append(chain.solve(target, method="bezier", start=poses[-1], **options))
    return poses


def paths(reach, dim):
    pad = [0.0] * (dim - 2)
    t = np.linspace(-1.0, 1.0, 1000)
    return {
        "past the base": [[0.8 * reach * x, 0.02 * reach, *pad] for x in t],
        "through the base": [[0.8 * reach * x, 0.0, *pad] for x in t],
        "across full reach": [[reach * (0.3 + 0.9 * abs(x)), 0.1 * reach, *pad] for x in t],
    }


def as_shape(obstacle):
    if isinstance(obstacle, fa.Sphere):
        return shapely.Point(obstacle.center), obstacle.radius
    if isinstance(obstacle, fa.Capsule):
        return shapely.LineString([obstacle.a, obstacle.b]), obstacle.radius
    w, h = obstacle.size
    flat = shapely.box(-w / 2, -h / 2, w / 2, h / 2)
    (c, *_), (s, *_), _ = obstacle.rotation
    return affinity.affine_transform(flat, [c, -s, s, c, *obstacle.center]), 0.0


def clearance_by_shapely(points, obstacles, thickness=0.0):
    line = shapely.LineString(points)
    return min(line.distance(shape) - radius for shape, radius in map(as_shape, obstacles)) - thickness


def clearance_by_sampling(points, obstacles):
    """The least distance of densely sampled links from spheres and capsules: an upper bound, close by."""
    t = np.linspace(0.0, 1.0, 200)[:, None]
    on_links = np.vstack([a + t * (b - a) for a, b in itertools.pairwise(points)])
    gaps = []
    for item in obstacles:
        a, b = map(np.array, (item.a, item.b) if isinstance(item, fa.Capsule) else (item.center, item.center))
        v = b - a
        s = np.clip((on_links - a) @ v / (v @ v), 0.0, 1.0) if v @ v > 0.0 else np.zeros(len(on_links))
        gaps.append(np.linalg.norm(on_links - a - s[:, None] * v, axis=1).min() - item.radius)
    return min(gaps)


def scene(rng, dim, count, reach=6.0):
    """A target and spheres and capsules round the way to it, none of them on base or target."""
    direction = rng.normal(size=dim)
    target = direction / np.linalg.norm(direction) * reach * rng.random() ** (1 / dim)
    obstacles = []
    while len(obstacles) < count:
        center, radius = (
            rng.random() * target + rng.normal(size=dim) * (2.0 if dim == 2 else 1.4),
            rng.uniform(0.3, 0.9),
        )
        half = rng.normal(size=dim) * rng.uniform(0.2, 0.6)
        item = fa.Sphere(center, radius) if rng.random() < 0.5 else fa.Capsule(center - half, center + half, radius)
        if (
            clearance_by_sampling(np.array([np.zeros(dim), np.zeros(dim)]), [item])
            > 0.1
            < clearance_by_sampling(np.array([target, target]), [item])
        ):
            obstacles.append(item)
    return target, obstacles


def limited(n, kind, rng):
    """A planar chain with joint limits of one of three kinds."""
    if kind == "even":
        joints = [Hinge(range=(-math.pi, math.pi))] + [Hinge(range=(-1.0, 1.0))] * (n - 1)
    elif kind == "one-sided":
        joints = [Hinge(range=(-0.5, 1.5))] * n
    else:
        joints = [Hinge(range=(-rng.uniform(0.1, 1.5), rng.uniform(0.1, 1.5))) for _ in range(n)]
    return fa.Chain(straight(n, 2, rng.uniform(0.5, 1.5, n) if kind == "mixed" else None), joints=joints)


def angles_of(points, rest):
    """(n,) joint angles of a planar pose against its rest pose [rad]."""
    heading, at_rest = (np.arctan2(*np.diff(p, axis=0).T[::-1]) for p in (points, rest))
    turn = np.diff(heading - at_rest, prepend=0.0)
    return (turn + math.pi) % (2.0 * math.pi) - math.pi


@pytest.fixture(scope="session")
def bez():
    """The functions of this file, for the tests beside it."""
    return SimpleNamespace(
        straight=straight,
        check=check,
        turns=turns,
        drag=drag,
        paths=paths,
        as_shape=as_shape,
        clearance_by_shapely=clearance_by_shapely,
        clearance_by_sampling=clearance_by_sampling,
        scene=scene,
        limited=limited,
        angles_of=angles_of,
    )
