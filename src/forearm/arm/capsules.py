"""Capsules that hold what files describe: a box, a cylinder, a mesh. Never smaller than it, and not much larger.

A solid is cut into cells, boxes along three axes, and each cell is held by one capsule: the worst cell is cut again,
where its two parts fit best, until no capsule stands out by more than is wished, or there are enough of them. Which
cuts are good is planned by points. Then triangles are cut with the cells, and a capsule holds all of them in its cell,
and the cell's corners that are not outside of the solid; so it holds all of the solid in the cell, whose convex hull
has no other corners.

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
GOAL, GOAL_SHARE, MOST = 0.01, 0.05, 16
CUTS = (0.3, 0.5, 0.7)  # where cells are cut across their longest axis, as shares of it; across others in the middle
FATTER = (1.0, 1.15, 1.35)  # radii that are tried, per smallest one: fatter is shorter
SPREAD, OUTER = 24, 100  # directions in which capsules are looked at, and outermost points are sought
DENSE = 12000  # points that stand for the surface of a solid
GRID = 48  # places along the longest side of a solid where distances from it are known
INSIDE_EVERY = 7  # of the places inside that cells are planned by
ROUNDS, TRIES, NARROWER = 8, 16, 0.7  # of the search for a better capsule, each round narrower
CIRCLE = 16  # rounds in which the centre of a circle is sought
DOWN = 2.0  # what standing out on the side of the base counts more than elsewhere
CLOSELY = 300  # directions and points where the result is measured
AXIS = 9  # places of an axis whose depth is measured
INSIDE = 0.99  # winding number from which on a point is inside, whatever holes a mesh has
MAYBE_INSIDE = 0.5  # and from which on it may be (Jacobson, Kavan and Sorkine-Hornung 2013)
LEAKS = 40  # places that tell whether a mesh has a hole
WALLS = 5  # of six ways along the axes of a frame from a place inside that end at a wall, whatever holes a mesh has
SIDES, ROUNDER = 32, 0.01  # of a polyhedron that stands for something round, and by which share it may be larger
PARALLEL = 0.01  # sine of an angle below which a direction points along an axis, not across
NEARLY = 1.0 + 1e-9  # of a ball round a triangle, so that rounding leaves none out
ROUNDING = 1e-12  # what rounding may take from a radius, per metre


class Fit(NamedTuple):
    """The capsules of a shape, and how well they fit."""

    capsules: Floats  # (c, 7)
    inner: Floats  # (c,) the radius about the same axis that the shape itself holds; negative where it is farther off
    excess: float  # the farthest that the capsules' surface is from the shape [m]
    goal: float = GOAL  # what that shall be at most [m]


class Cell(NamedTuple):
    """The part of a solid in a box, and the capsule that holds it."""

    points: Floats  # (n, 3) all over it
    outer: Floats  # (o, 3) the outermost of them
    box: Floats  # (2, 3) least and largest heights along the axes, infinite where it is open
    capsule: Floats
    excess: float  # about how far the capsule stands out [m]


class Solid(NamedTuple):
    """What is asked of a solid again and again: points all over it, and a grid of how far places are from it."""

    points: Floats  # (s, 3) of its surface and its inside
    corner: Floats  # (3,) of the grid
    step: float  # between its places [m]
    inside: NDArray[np.bool_]  # (x, y, z) whether they are behind its surface
    away: Floats  # (x, y, z) how far they are from the solid [m]
    down: Floats  # (3,) where standing out counts more, or zeros
    lowest: float  # how far the solid goes there [m]


@functools.lru_cache(maxsize=256)
def fit_capsules(
    data: bytes, inflate: float = 0.0, most: int = MOST, down: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> Fit:
    """Capsules that hold a solid, and all within a distance of it; `data` are the (t, 3, 3) floats of its surface.

    They stand out as little as they can on the side where `down` points, if it is a unit vector.

    Kept: the same shape is asked for again with every tool and every other limit of a robot.
    """
    triangles = np.frombuffer(data).reshape(-1, 3, 3)
    solid = _look_at(triangles, np.array(down))
    axes = _box_axes(solid.points)
    goal = max(GOAL, GOAL_SHARE * float(np.ptp(solid.points @ axes.T, axis=0).max()))
    cells = [_refined(_cell(solid.points, np.array([[-np.inf], [np.inf]]).repeat(3, axis=1), axes, solid), solid)]
    while len(cells) < most:
        worst = max(range(len(cells)), key=lambda k: cells[k].excess)
        if cells[worst].excess <= goal:
            break
        best = min(_cuts(cells[worst], axes, solid), key=_badness, default=None)
        if best is None:
            break
        cells[worst : worst + 1] = [_refined(cell, solid) for cell in best]
    capsules = np.array([_around(_within(triangles, cell.box, axes, solid), cell.capsule) for cell in cells])
    inner = np.array([_depth(capsule, triangles) for capsule in capsules])
    excess = _stands_out(capsules, triangles)
    capsules[:, 6] += inflate
    return Fit(capsules, inner, excess + inflate, goal)


def _within(triangles: Floats, box: Floats, axes: Floats, solid: Solid) -> Floats:
    """(N, 3) points whose convex hull holds all of a solid in a box: corners of its cut surface, and of the box."""
    part = triangles
    for k, axis in enumerate(axes):
        for side, at in zip((-1.0, 1.0), box[:, k], strict=True):
            part = _clipped(part, side * axis, side * at) if np.isfinite(at) else part
    corners = np.array([[x, y, z] for x in box[:, 0] for y in box[:, 1] for z in box[:, 2]])
    corners = corners[np.isfinite(corners).all(axis=1)] @ axes
    near = np.round((corners - solid.corner) / solid.step).astype(np.int64)
    there = np.all((near >= 0) & (near < np.array(solid.away.shape)), axis=1)
    corners, (x, y, z) = corners[there], near[there].T
    kept = solid.inside[x, y, z] | (_winding(corners, triangles) > MAYBE_INSIDE)
    found = np.concatenate([part.reshape(-1, 3), corners[kept]])
    return found if len(found) else triangles[0, :1]


def _badness(pair: list[Cell]) -> float:
    """How far two parts stand out: the worse counts more."""
    return max(cell.excess for cell in pair) + 0.5 * min(cell.excess for cell in pair)


def _cuts(cell: Cell, axes: Floats, solid: Solid) -> Iterator[list[Cell]]:
    """The cell in two parts, cut at several places across three axes."""
    heights = cell.points @ axes.T
    low, long = heights.min(axis=0), np.ptp(heights, axis=0)
    for k in range(3):
        for share in CUTS if k == np.argmax(long) else (0.5,):
            at = float(low[k] + share * long[k])
            parts = []
            for side, off in ((1, heights[:, k] - at), (0, at - heights[:, k])):
                box = cell.box.copy()
                box[side, k] = at
                parts.append((cell.points[off <= 0.5 * solid.step], box))  # what lies near the cut is part of both
            if all(0 < len(points) < len(heights) for points, _ in parts):
                yield [_cell(points, box, axes, solid) for points, box in parts]


def _clipped(triangles: Floats, normal: Floats, offset: float) -> Floats:
    """The triangles below a plane, those across it cut."""
    off = triangles @ normal - offset
    below = off <= 0.0
    count = below.sum(axis=1)
    parts = [triangles[count == 3]]
    for few in (1, 2):  # corners below: what is left is a triangle, or two
        at = np.flatnonzero(count == few)
        lone = np.argmax(below[at] == (few == 1), axis=1)  # the corner that is alone on its side
        turn = (lone[:, None] + np.arange(3)) % 3
        corners, heights = triangles[at[:, None], turn], off[at[:, None], turn]
        a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
        ab, ac = (a + (heights[:, 0] / (heights[:, 0] - heights[:, k]))[:, None] * (corners[:, k] - a) for k in (1, 2))
        parts += [np.stack([a, ab, ac], 1)] if few == 1 else [np.stack([ab, b, c], 1), np.stack([ab, c, ac], 1)]
    return np.concatenate(parts)


def _cell(points: Floats, box: Floats, axes: Floats, solid: Solid) -> Cell:
    """A cell with the capsule that stands out least of those along three axes."""
    outer = _outermost(points)
    tried = _along(outer, axes)
    over = _over(tried, solid)
    best = int(np.argmin(over))
    return Cell(points, outer, box, tried[best], float(over[best]))


def _refined(cell: Cell, solid: Solid) -> Cell:
    """The cell with a capsule that stands out less, if one is found near: it may reach into the solid for nothing."""
    outer, rng, best, over = cell.outer, np.random.default_rng(0), cell.capsule, cell.excess
    spread = 0.5 * float(np.ptp(outer, axis=0).max())
    for _ in range(ROUNDS):
        both, apart = rng.normal(size=(2, TRIES, 6))
        both[:, 3:] = both[:, :3]
        tried = np.zeros((TRIES, 7))
        tried[:, :6] = best[:6] + spread * np.where(np.arange(TRIES)[:, None] % 2, both, 0.5 * apart)
        tried[:, 6] = _off_axes(outer, tried).max(axis=1)
        found = _over(tried, solid)
        if found.min() < over:
            best, over = tried[int(np.argmin(found))], float(found.min())
        spread *= NARROWER
    return Cell(cell.points, outer, cell.box, best, over)


def _outermost(points: Floats) -> Floats:
    """Those of the points that lie outermost in many directions."""
    return np.asarray(points[np.unique(np.argmax(points @ spread_ways(OUTER).T, axis=0))])


def _over(capsules: Floats, solid: Solid) -> Floats:
    """(k,) about how far capsules stand out of a solid; more on the side that counts more."""
    dots = _spread_round(capsules)  # (k, s, 3)
    at = (dots - solid.corner) / solid.step
    near = np.clip(np.round(at), 0.0, np.array(solid.away.shape) - 1.0)
    x, y, z = np.moveaxis(near.astype(np.int64), 2, 0)
    off = solid.away[x, y, z] + solid.step * np.linalg.norm(np.where(np.abs(at - near) > 0.5, at - near, 0.0), axis=2)
    return np.asarray((off + DOWN * np.maximum(dots @ solid.down - solid.lowest, 0.0)).max(axis=1))


def _look_at(triangles: Floats, down: Floats) -> Solid:
    """A solid as cells are planned by; its inside is what no way from outside leads to on a grid, or few straight."""
    spread = _spread_over(triangles, DENSE)
    corner, size = spread.min(axis=0), np.ptp(spread, axis=0)
    step = float(size.max()) / GRID + 1e-9
    corner = corner - 2.0 * step  # places more on every side
    wall = np.zeros(np.ceil(size / step).astype(int) + 5, bool)
    x, y, z = np.round((spread - corner) / step).astype(int).T
    wall[x, y, z] = True
    outside = np.zeros_like(wall)
    outside[0], count = ~wall[0], -1
    while count != (count := int(outside.sum())):
        for axis in range(3):
            for way in (1, -1):
                outside |= np.roll(outside, way, axis) & ~wall
    blocked = sum(_behind(np.flip(wall, k) if turned else wall, k, turned) for k in range(3) for turned in (0, 1))
    leak = ~wall & outside & (blocked >= WALLS)  # of a hole in the mesh, or a hollow that is open on one side
    some = np.argwhere(leak)[:: max(1, int(leak.sum()) // LEAKS)] * step + corner
    is_hole = len(some) > 0 and float(np.median(_winding(some, triangles))) > MAYBE_INSIDE
    inside = ~wall & (~outside | (leak & is_hole))
    corners = triangles.reshape(-1, 3)
    fine = np.concatenate([corners[:: max(1, len(corners) // DENSE)], _outermost(corners), spread])
    _, kept = np.unique(np.round(fine * (2.0 / step)).astype(np.int64), axis=0, return_index=True)
    away = step * np.sqrt(_squares_from(inside | wall))
    points = np.concatenate([fine[kept], np.argwhere(inside)[::INSIDE_EVERY] * step + corner])
    return Solid(points, corner, step, inside, away, down, float((corners @ down).max()))


def _behind(wall: NDArray[np.bool_], axis: int, turned: int) -> NDArray[np.int64]:
    """1 where a wall stands before a place along an axis, else 0; turned back if the walls were."""
    found = np.maximum.accumulate(wall, axis=axis)
    return np.asarray(np.flip(found, axis) if turned else found).astype(np.int64)


def _squares_from(solid: NDArray[np.bool_]) -> Floats:
    """The squared distance of every place of a grid from the nearest that is solid, in steps, one axis at a time."""
    square = np.where(solid, 0.0, float(3 * max(solid.shape) ** 2))
    for axis in range(3):
        lines = np.moveaxis(square, axis, 0)
        count = len(lines)
        best = lines.copy()
        for by in range(1, count):
            np.minimum(best[by:], lines[:-by] + by * by, out=best[by:])
            np.minimum(best[:-by], lines[by:] + by * by, out=best[:-by])
        square = np.moveaxis(best, 0, axis)
    return square


@functools.cache
def spread_ways(count: int = SPREAD) -> Floats:
    """(count + 6, 3) unit vectors all about, evenly: a spiral of golden angles, and the axes."""
    k = np.arange(count) + 0.5
    z, angle = 1.0 - 2.0 * k / count, math.pi * (1.0 + math.sqrt(5.0)) * k
    flat = np.sqrt(1.0 - z**2)
    return np.vstack([np.column_stack([flat * np.cos(angle), flat * np.sin(angle), z]), np.eye(3), -np.eye(3)])


def _spread_round(capsules: Floats, count: int = SPREAD) -> Floats:
    """(k, s, 3) points all about the surfaces of capsules: of their ends, and between them."""
    ways, a, way, radius = spread_ways(count), capsules[:, None, :3], capsules[:, 3:6] - capsules[:, :3], capsules[:, 6]
    share = (way @ ways.T > 0.0)[:, :, None]
    unit = way / np.maximum(np.linalg.norm(way, axis=1), 1e-300)[:, None]
    across = ways - (unit @ ways.T)[:, :, None] * unit[:, None]
    thick = np.linalg.norm(across, axis=2)[:, :, None]
    ends = a + share * way[:, None] + radius[:, None, None] * ways
    along = np.linspace(0.1, 0.9, len(ways))[:, None] * way[:, None]
    sides = a + along + radius[:, None, None] * across / np.maximum(thick, PARALLEL)
    return np.concatenate([ends, np.where(thick > PARALLEL, sides, ends)], axis=1)


def _box_axes(points: Floats) -> Floats:
    """(3, 3) the axes of a small box round points, the longest first: their own or those of their frame."""
    own = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[2]
    found = min((np.eye(3), own), key=lambda axes: float(np.prod(np.ptp(points @ axes.T, axis=0) + 1e-9)))
    return found[np.argsort(-np.ptp(points @ found.T, axis=0), kind="stable")]


def _along(points: Floats, axes: Floats) -> Floats:
    """(k, 7) capsules that hold points, along each of some unit vectors: the slimmest, and shorter ones."""
    heights = axes @ points.T  # (a, N)
    across = points - heights[:, :, None] * axes[:, None]
    centre = across.mean(axis=1)
    for k in range(CIRCLE):  # toward the farthest, by less and less (Badoiu, Clarkson): about the smallest circle
        farthest = np.argmax(((across - centre[:, None]) ** 2).sum(axis=2), axis=1)
        centre = centre + (across[np.arange(len(axes)), farthest] - centre) / (k + 2)
    off = np.linalg.norm(across - centre[:, None], axis=2)
    found = []
    for factor in FATTER:
        cap = np.sqrt(np.maximum((factor * off.max(axis=1)[:, None]) ** 2 - off**2, 0.0))
        low, high = (heights + cap).min(axis=1), (heights - cap).max(axis=1)
        middle, one = 0.5 * (low + high), low > high  # where one ball holds all
        ends = [centre + np.where(one, middle, at)[:, None] * axes for at in (low, high)]
        found.append(np.hstack([*ends, np.zeros((len(axes), 1))]))
    capsules = np.concatenate(found)
    capsules[:, 6] = _off_axes(points, capsules).max(axis=1)
    return capsules


def _around(points: Floats, capsule: Floats) -> Floats:
    """The capsule with a radius that holds all points, a hair larger so that rounding leaves nothing outside."""
    radius = float(_from_axis(points, capsule).max())
    return np.array([*capsule[:6], radius + ROUNDING * (float(np.abs(capsule[:6]).max()) + radius)])


def _off_axes(points: Floats, capsules: Floats) -> Floats:
    """(k, N) how far points are from the axes of capsules."""
    a, way = capsules[:, :3], capsules[:, 3:6] - capsules[:, :3]
    share = ((points @ way.T).T - (a * way).sum(axis=1)[:, None]) / np.maximum((way**2).sum(axis=1), 1e-300)[:, None]
    to = points - a[:, None] - np.clip(share, 0.0, 1.0)[:, :, None] * way[:, None]
    return np.asarray(np.linalg.norm(to, axis=2))


def _from_axis(points: Floats, capsule: Floats) -> Floats:
    """(N,) how far points are from a capsule's axis."""
    a, way = capsule[:3], capsule[3:6] - capsule[:3]
    square = float(way @ way)
    share = np.clip((points - a) @ way / square, 0.0, 1.0) if square > 0.0 else np.zeros(len(points))
    return np.asarray(np.linalg.norm(points - a - share[:, None] * way, axis=1))


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
        own = _spread_round(capsule[None], CLOSELY)[0]
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
        la, lb, lc, ab, bc, ca = (
            np.einsum("ti,ti->t", one, other) for one, other in ((a, a), (b, b), (c, c), (a, b), (b, c), (c, a))
        )
        la, lb, lc = np.sqrt(la), np.sqrt(lb), np.sqrt(lc)
        volume = np.einsum("ti,ti->t", a, np.cross(b, c))
        below = la * lb * lc + ab * lc + bc * la + ca * lb
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
    middles = triangles.mean(axis=1)
    around = NEARLY * np.linalg.norm(triangles - middles[:, None], axis=2).max(axis=1)
    for point in points:
        far = np.linalg.norm(middles - point, axis=1)
        k = np.flatnonzero(far - around <= far.min())  # those that may be nearest
        to = point - triangles[k]  # (k, 3, 3)
        share = np.clip((to * edges[k]).sum(axis=2) / squares[k], 0.0, 1.0)
        off = np.linalg.norm(to - share[:, :, None] * edges[k], axis=2).min(axis=1)
        above = ((to * inward[k]).sum(axis=2) >= 0.0).all(axis=1) & normal[k].any(axis=1)
        height = np.abs((to[:, 0] * unit[k]).sum(axis=1))
        found.append(float(np.where(above, height, off).min()))
    return np.array(found)
