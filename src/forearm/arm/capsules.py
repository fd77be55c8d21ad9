"""Capsules that hold what files describe: a box, a cylinder, a mesh. Never smaller than it, and not much larger.

A solid is cut by planes into cells, and each cell is held by one capsule: the worst cell is cut again, where its two
parts fit best, until no capsule stands out by more than is wished, or there are enough of them. Triangles are cut with
the cells, and each cut is closed by triangles, so that a cell's surface is held wholly; and so is its inside, since a
capsule is convex.

A capsule is seven numbers: both ends of its axis and its radius [m].
"""

import functools
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from forearm.common.types import Floats

# Capsules stand out by at most this [m], or by this share of a shape's length, if so many are enough for it.
GOAL, GOAL_SHARE, MOST = 0.01, 0.05, 4
CUTS = (0.22, 0.5, 0.78)  # where cells are cut across their longest axis, as shares of it; across others in the middle
FATTER = (1.0, 1.15, 1.35)  # radii that are tried, per smallest one: fatter is shorter
SPREAD = 24  # directions in which capsules are looked at, and outermost points are sought
SURFACE, DENSE = 300, 15000  # points that stand for the surface of a shape: for distances, and for its inside
GRID = 24  # places along the longest side of a shape where its inside is told
ROUNDS, TRIES, NARROWER = 8, 16, 0.7  # of the search for a better capsule, each round narrower
CIRCLE = 16  # rounds in which the centre of a circle is sought
DOWN = 2.0  # what standing out on the side of the base counts more than elsewhere
FEW, THIN = 3000, 48  # triangles that need no thinning, and places along the longest side where thinned corners lie
CLOSELY = 300  # directions and points where the result is measured
AXIS = 9  # places of an axis whose depth is measured
INSIDE = 0.99  # winding number from which on a point is inside, whatever holes a mesh has
SIDES = 32  # of a polyhedron that stands for something round
PARALLEL = 0.01  # sine of an angle below which a direction points along an axis, not across
ROUNDING = 1e-12  # what rounding may take from a radius, per metre


class Fit(NamedTuple):
    """The capsules of a shape, and how well they fit."""

    capsules: Floats  # (c, 7)
    inner: Floats  # (c,) the radius about the same axis that the shape itself holds; negative where it is farther off
    excess: float  # the farthest that the capsules' surface is from the shape [m]


class Cell(NamedTuple):
    """A part of a shape between planes, and the capsule that holds it."""

    triangles: Floats  # (t, 3, 3)
    planes: tuple[tuple[Floats, float], ...]  # normal and offset of those it lies below
    capsule: Floats
    excess: float  # about how far the capsule stands out [m]


class Surface(NamedTuple):
    """Points all over a shape, and a grid that tells its inside."""

    points: Floats  # (s, 3)
    corner: Floats  # (3,) of the grid
    step: float  # between its places [m]
    inside: NDArray[np.bool_]  # (x, y, z) whether a place is behind the surface
    down: Floats  # (3,) where standing out counts more, or zeros
    lowest: float  # how far the shape goes there [m]


@functools.lru_cache(maxsize=256)
def fit_capsules(
    data: bytes, inflate: float = 0.0, most: int = MOST, down: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> Fit:
    """Capsules that hold a solid, and all within a distance of it; `data` are the (t, 3, 3) floats of its surface.

    They stand out as little as they can on the side where `down` points, if it is a unit vector.

    Kept: the same shape is asked for again with every tool and every other limit of a robot.
    """
    triangles = np.frombuffer(data).reshape(-1, 3, 3)
    coarse = triangles if len(triangles) <= FEW else _thinned(triangles)
    axes, surface = _box_axes(coarse.reshape(-1, 3)), _look_at(coarse, np.array(down))
    goal = max(GOAL, GOAL_SHARE * float(np.ptp(coarse.reshape(-1, 3) @ axes.T, axis=0).max()))
    cells = [_refined(_cell(coarse, (), axes, surface), surface)]
    while len(cells) < most:
        worst = max(range(len(cells)), key=lambda k: cells[k].excess)
        best = min(_cuts(cells[worst], axes, surface), key=_badness, default=None)
        if best is None or cells[worst].excess <= goal:
            break
        cells[worst : worst + 1] = [_refined(cell, surface) for cell in best]
    capsules = np.array([_around(_within(triangles, cell.planes).reshape(-1, 3), cell.capsule) for cell in cells])
    inner = np.array([_depth(capsule, triangles) for capsule in capsules])
    excess = _stands_out(capsules, triangles)
    capsules[:, 6] += inflate
    return Fit(capsules, inner, excess + inflate)


def _thinned(triangles: Floats) -> Floats:
    """About the same surface of fewer triangles, to plan by: corners that are near each other fall together."""
    points = triangles.reshape(-1, 3)
    step = float(np.ptp(points, axis=0).max()) / THIN + 1e-12
    corners = np.round(points / step).astype(np.int64).reshape(-1, 3, 3)
    flat = (corners == corners[:, [1, 2, 0]]).all(axis=2).any(axis=1)
    return np.unique(corners[~flat].reshape(-1, 9), axis=0).reshape(-1, 3, 3) * step if (~flat).any() else triangles


def _within(triangles: Floats, planes: tuple[tuple[Floats, float], ...]) -> Floats:
    """The part of a surface below all planes, as `_clipped` cuts it; the whole one if a coarse plan cut it away."""
    part = triangles
    for normal, offset in planes:
        part = _clipped(part, normal, offset)
    return part if len(part) else triangles[:1, :1].repeat(3, axis=1)


def _badness(pair: list[Cell]) -> float:
    """How far two parts stand out: the worse counts more."""
    return max(cell.excess for cell in pair) + 0.5 * min(cell.excess for cell in pair)


def _cuts(cell: Cell, axes: Floats, surface: Surface) -> Iterator[list[Cell]]:
    """The cell in two parts, cut at several places across three axes."""
    heights = cell.triangles.reshape(-1, 3) @ axes.T
    low, long = heights.min(axis=0), np.ptp(heights, axis=0)
    for k, axis in enumerate(axes):
        for share in CUTS if k == np.argmax(long) else (0.5,):
            at = float(low[k] + share * long[k])
            sides = ((axis, at), (-axis, -at))
            parts = [_clipped(cell.triangles, *side) for side in sides]
            if all(len(part) for part in parts):
                pairs = zip(parts, sides, strict=True)
                yield [_cell(part, (*cell.planes, side), axes, surface) for part, side in pairs]


def _clipped(triangles: Floats, normal: Floats, offset: float) -> Floats:
    """The triangles below a plane, those across it cut; and a fan that closes the cut, whatever its outline is."""
    off = triangles @ normal - offset
    below = off <= 0.0
    count = below.sum(axis=1)
    parts, edge = [triangles[count == 3]], [np.empty((0, 2, 3))]
    for few in (1, 2):  # corners below: what is left is a triangle, or two
        at = np.flatnonzero(count == few)
        if not len(at):
            continue
        lone = np.argmax(below[at] == (few == 1), axis=1)  # the corner that is alone on its side
        turn = (lone[:, None] + np.arange(3)) % 3
        corners, heights = triangles[at[:, None], turn], off[at[:, None], turn]
        a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
        ab, ac = (a + (heights[:, 0] / (heights[:, 0] - heights[:, k]))[:, None] * (corners[:, k] - a) for k in (1, 2))
        parts += [np.stack([a, ab, ac], 1)] if few == 1 else [np.stack([ab, b, c], 1), np.stack([ab, c, ac], 1)]
        edge.append(np.stack([ab, ac], 1))
    cut = np.concatenate(edge)
    if len(cut):  # a ray from the middle through any point of the cut leaves it through an edge beyond that point
        middle = np.broadcast_to(cut.mean(axis=(0, 1)), (len(cut), 1, 3))
        parts.append(np.concatenate([middle, cut], axis=1))
    return np.concatenate(parts)


def _cell(triangles: Floats, planes: tuple[tuple[Floats, float], ...], axes: Floats, surface: Surface) -> Cell:
    """A cell with the capsule that stands out least."""
    points = triangles.reshape(-1, 3)
    outer = points[np.unique(np.argmax(points @ spread_ways(CLOSELY).T, axis=0))]
    tried = [each for axis in axes for each in _along(outer, axis)]
    dots = np.array([_spread_round(capsule) for capsule in tried])  # (k, s, 3)
    over = _outside(dots.reshape(-1, 3), surface).reshape(dots.shape[:2]).max(axis=1)
    best = int(np.argmin(over))
    held = _around(points, tried[best])
    return Cell(triangles, planes, held, float(over[best] + held[6] - tried[best][6]))


def _refined(cell: Cell, surface: Surface) -> Cell:
    """The cell with a capsule that stands out less, if one is found near: it may reach into the shape for nothing."""
    points = cell.triangles.reshape(-1, 3)
    outer = points[np.unique(np.argmax(points @ spread_ways(CLOSELY).T, axis=0))]
    rng, best, over = np.random.default_rng(0), cell.capsule, cell.excess
    spread = 0.5 * float(np.ptp(points, axis=0).max())
    for _ in range(ROUNDS):
        both, apart = rng.normal(size=(2, TRIES, 6))
        both[:, 3:] = both[:, :3]
        moved = best[:6] + spread * np.where(np.arange(TRIES)[:, None] % 2, both, 0.5 * apart)
        tried = [best, *(_around(outer, np.array([*ends, 0.0])) for ends in moved)]
        dots = np.array([_spread_round(capsule) for capsule in tried])
        found = _outside(dots.reshape(-1, 3), surface).reshape(dots.shape[:2]).max(axis=1)
        best, over = tried[int(np.argmin(found))], float(found.min())
        spread *= NARROWER
    held = _around(points, best)
    return Cell(cell.triangles, cell.planes, held, over + float(held[6] - best[6]))


def _outside(points: Floats, surface: Surface) -> Floats:
    """(N,) about how far points are from a shape, 0 inside; more on the side that counts more."""
    squares = (points**2).sum(axis=1)[:, None] - 2.0 * points @ surface.points.T + (surface.points**2).sum(axis=1)
    at: NDArray[np.int64] = np.floor((points - surface.corner) / surface.step).astype(int)
    there: NDArray[np.bool_] = np.all((at >= 0) & (at < np.array(surface.inside.shape)), axis=1)
    x, y, z = np.where(there[:, None], at, 0).T
    off = np.where(there & surface.inside[x, y, z], 0.0, np.sqrt(np.maximum(squares.min(axis=1), 0.0)))
    return np.asarray(off + DOWN * np.maximum(points @ surface.down - surface.lowest, 0.0))


def _look_at(triangles: Floats, down: Floats) -> Surface:
    """What is asked of a shape again and again; its inside is what no way from outside leads to on a grid."""
    points = _spread_over(triangles, DENSE)
    corner, size = points.min(axis=0), np.ptp(points, axis=0)
    step = float(size.max()) / GRID + 1e-9
    corner = corner - 1.5 * step  # a place more on every side
    wall = np.zeros(np.ceil(size / step).astype(int) + 3, bool)
    x, y, z = np.floor((points - corner) / step).astype(int).T
    wall[x, y, z] = True
    outside = np.zeros_like(wall)
    outside[0], count = ~wall[0], -1
    while count != (count := int(outside.sum())):
        for axis in range(3):
            for way in (1, -1):
                outside |= np.roll(outside, way, axis) & ~wall
    lowest = float((triangles @ down).max())
    return Surface(points[:: DENSE // SURFACE], corner, step, ~outside & ~wall, down, lowest)


@functools.cache
def spread_ways(count: int = SPREAD) -> Floats:
    """(count + 6, 3) unit vectors all about, evenly: a spiral of golden angles, and the axes."""
    k = np.arange(count) + 0.5
    z, angle = 1.0 - 2.0 * k / count, math.pi * (1.0 + math.sqrt(5.0)) * k
    flat = np.sqrt(1.0 - z**2)
    return np.vstack([np.column_stack([flat * np.cos(angle), flat * np.sin(angle), z]), np.eye(3), -np.eye(3)])


def _spread_round(capsule: Floats, count: int = SPREAD) -> Floats:
    """(s, 3) points all about the surface of a capsule: of its ends, and between them."""
    ways = spread_ways(count)
    way = capsule[3:6] - capsule[:3]
    share = np.where(ways @ way > 0.0, 1.0, 0.0)
    along = np.linspace(0.1, 0.9, len(ways)) if way.any() else share
    unit = way / max(float(np.linalg.norm(way)), 1e-300)
    across = ways - (ways @ unit)[:, None] * unit
    thick = np.linalg.norm(across, axis=1)[:, None]
    ends = capsule[:3] + share[:, None] * way + capsule[6] * ways
    sides = capsule[:3] + along[:, None] * way + capsule[6] * across / np.maximum(thick, PARALLEL)
    return np.concatenate([ends, np.where(thick > PARALLEL, sides, ends)])


def _box_axes(points: Floats) -> Floats:
    """(3, 3) the axes of a small box round points, the longest first: their own or those of their frame."""
    own = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[2]
    found = min((np.eye(3), own), key=lambda axes: float(np.prod(np.ptp(points @ axes.T, axis=0) + 1e-9)))
    return found[np.argsort(-np.ptp(points @ found.T, axis=0), kind="stable")]


def _along(points: Floats, axis: Floats) -> Iterator[Floats]:
    """Capsules that hold points with their axes along a unit vector: the slimmest, and shorter ones."""
    heights = points @ axis
    across = points - heights[:, None] * axis
    centre = _circle_centre(across)
    off = np.linalg.norm(across - centre, axis=1)
    for factor in FATTER:
        radius = factor * float(off.max())
        cap = np.sqrt(np.maximum(radius**2 - off**2, 0.0))
        low, high = float((heights + cap).min()), float((heights - cap).max())
        if low > high:  # one ball holds all
            low = high = 0.5 * (low + high)
        yield _around(points, np.array([*(centre + low * axis), *(centre + high * axis), radius]))


def _around(points: Floats, capsule: Floats) -> Floats:
    """The capsule with a radius that holds all points, a hair larger so that rounding leaves nothing outside."""
    radius = float(_from_axis(points, capsule).max())
    return np.array([*capsule[:6], radius + ROUNDING * (float(np.abs(capsule[:6]).max()) + radius)])


def _from_axis(points: Floats, capsule: Floats) -> Floats:
    """(N,) how far points are from a capsule's axis."""
    a, way = capsule[:3], capsule[3:6] - capsule[:3]
    square = float(way @ way)
    share = np.clip((points - a) @ way / square, 0.0, 1.0) if square > 0.0 else np.zeros(len(points))
    return np.asarray(np.linalg.norm(points - a - share[:, None] * way, axis=1))


def _circle_centre(points: Floats) -> Floats:
    """About the centre of the smallest ball round points: toward the farthest, by less and less (Badoiu, Clarkson)."""
    centre = points.mean(axis=0)
    for k in range(CIRCLE):
        farthest = points[np.argmax(((points - centre) ** 2).sum(axis=1))]
        centre = centre + (farthest - centre) / (k + 2)
    return np.asarray(centre)


# -- shapes that have no triangles of their own ---------------------------------------------------


def box_triangles(size: tuple[float, ...]) -> Floats:
    """(12, 3, 3) the surface of a box round the origin."""
    return _grid_triangles(np.array([[[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]]] * 2)) * (
        0.5 * np.asarray(size)
    )


def cylinder_triangles(radius: float, length: float) -> Floats:
    """(4 SIDES, 3, 3) the surface of a prism that holds a cylinder along z, hardly larger."""
    angle = np.linspace(0.0, 2.0 * math.pi, SIDES + 1)
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1) / math.cos(math.pi / SIDES)
    return np.asarray(_grid_triangles(np.array([ring] * 2)) * [radius, radius, 0.5 * length])


def ellipsoid_triangles(axes: tuple[float, ...]) -> Floats:
    """The surface of a polyhedron that holds an ellipsoid of three half axes, hardly larger."""
    angle, height = np.linspace(0.0, 2.0 * math.pi, SIDES + 1), np.linspace(0.0, math.pi, SIDES // 2 + 1)[1:-1]
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    ball = _grid_triangles(np.sin(height)[:, None, None] * ring, np.cos(height), caps=(1.0, -1.0))
    normal = np.cross(ball[:, 1] - ball[:, 0], ball[:, 2] - ball[:, 0])
    solid = np.linalg.norm(normal, axis=1) > 0.0
    depth = np.abs((ball[solid, 0] * normal[solid]).sum(axis=1)) / np.linalg.norm(normal[solid], axis=1)
    return np.asarray(ball / float(depth.min()) * np.asarray(axes))


def _grid_triangles(rings: Floats, heights: Any = (-1.0, 1.0), caps: Any = (-1.0, 1.0)) -> Floats:
    """The triangles between (h, n, 2) rings one above the other, and fans at both ends."""
    points = np.concatenate([rings, np.broadcast_to(np.asarray(heights)[:, None, None], (*rings.shape[:2], 1))], axis=2)
    low, high = points[:-1], points[1:]
    sides = [np.stack([low[:, :-1], low[:, 1:], high[:, 1:]], 2), np.stack([low[:, :-1], high[:, 1:], high[:, :-1]], 2)]
    fans = []
    for ring, height, order in ((points[0], caps[0], [1, 0]), (points[-1], caps[1], [0, 1])):
        edge = np.stack([ring[:-1], ring[1:]], axis=1)[:, order]
        fans.append(np.concatenate([np.broadcast_to([0.0, 0.0, height], (len(edge), 1, 3)), edge], axis=1))
    return np.concatenate([*(side.reshape(-1, 3, 3) for side in sides), *fans])


# -- how well they fit ---------------------------------------------------------------------------


def _spread_over(triangles: Floats, count: int) -> Floats:
    """(count, 3) points all over a surface, evenly by area."""
    edges = triangles[:, 1:] - triangles[:, :1]
    area = np.linalg.norm(np.cross(edges[:, 0], edges[:, 1]), axis=1) + 1e-300
    rng = np.random.default_rng(0)
    chosen = rng.choice(len(triangles), count, p=area / area.sum())
    u, v = rng.random((2, count, 1))
    u, v = np.where(u + v > 1.0, 1.0 - u, u), np.where(u + v > 1.0, 1.0 - v, v)
    return np.asarray(triangles[chosen, 0] + u * edges[chosen, 0] + v * edges[chosen, 1])


def _stands_out(capsules: Floats, triangles: Floats) -> float:
    """The farthest that points of the capsules' common surface are from a shape's: exactly, of those farthest out."""
    dots = []
    for k, capsule in enumerate(capsules):
        own = _spread_round(capsule, CLOSELY)
        for j, other in enumerate(capsules):
            own = own[_from_axis(own, other) >= other[6]] if j != k else own
        dots.append(own)
    points, surface = np.concatenate(dots), _spread_over(triangles, CLOSELY)
    about = ((points[:, None] - surface) ** 2).sum(axis=2).min(axis=1)
    return float(from_triangles(points[np.argsort(-about)[:20]], triangles).max(initial=0.0))


def _depth(capsule: Floats, triangles: Floats) -> float:
    """How deep a capsule's axis lies in a shape, wherever on it; negative if it is outside by so much."""
    at = np.linspace(0.0, 1.0, AXIS)[:, None]
    points = capsule[:3] + at * (capsule[3:6] - capsule[:3])
    spacing = float(np.linalg.norm(capsule[3:6] - capsule[:3])) / (AXIS - 1)
    off = from_triangles(points, triangles)
    depth = np.where(_winding(points, triangles) > INSIDE, off, -off)
    return float(depth.min()) - 0.5 * spacing


def _winding(points: Floats, triangles: Floats) -> Floats:
    """(N,) how often a surface winds about points: 1 inside of a closed one (van Oosterom and Strackee 1983)."""
    found = []
    for point in points:
        a, b, c = np.moveaxis(triangles - point, 1, 0)  # (t, 3) each
        la, lb, lc = (np.linalg.norm(each, axis=1) for each in (a, b, c))
        volume = (a * np.cross(b, c)).sum(axis=1)
        below = la * lb * lc + (a * b).sum(1) * lc + (b * c).sum(1) * la + (c * a).sum(1) * lb
        found.append(abs(float(np.arctan2(volume, below).sum())) / (2.0 * math.pi))
    return np.array(found)


def from_triangles(points: Floats, triangles: Floats) -> Floats:
    """(N,) how far points are from the nearest triangle."""
    found = []
    edges = triangles[:, [1, 2, 0]] - triangles
    squares = np.maximum((edges**2).sum(axis=2), 1e-300)
    normal = np.cross(edges[:, 0], edges[:, 1])
    unit = normal / np.maximum(np.linalg.norm(normal, axis=1), 1e-300)[:, None]
    inward = np.cross(normal[:, None], edges)  # (t, 3, 3) from each edge into its triangle
    for point in points:
        to = point - triangles  # (t, 3, 3)
        share = np.clip((to * edges).sum(axis=2) / squares, 0.0, 1.0)
        off = np.linalg.norm(to - share[:, :, None] * edges, axis=2).min(axis=1)
        above = ((to * inward).sum(axis=2) >= 0.0).all(axis=1) & normal.any(axis=1)
        height = np.abs((to[:, 0] * unit).sum(axis=1))
        found.append(float(np.where(above, height, off).min()))
    return np.array(found)
