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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from forearm.arm import surfaces
from forearm.arm.surfaces import all_over, clipped, from_triangles, thinned, winding
from forearm.common.kept import kept
from forearm.common.types import Floats

# Capsules stand out by at most this [m], or by this share of a shape's length, if so many are enough for it.
GOAL, GOAL_SHARE, MOST = 0.01, 0.05, 64
CUTS = (0.3, 0.5, 0.7)  # where cells are cut across their longest axis, as shares of it; across others in the middle
THIN = 2.5  # steps of the grid: what is thinner is not cut, as its halves would look like the whole
FATTER = (1.0, 1.15, 1.35)  # radii that are tried, per smallest one: fatter is shorter
SPREAD, FINE, OUTER = 40, 150, 100  # directions in which capsules are looked at, and outermost points are sought
GRID = 32  # places along the longest side of a solid where distances from it are known
CLOSE = 0.5  # of a step: how far points that stand for its surface are from one another
FACING = 0.75  # share of places outside that a surface must face, or turn its back on, to tell outside from inside
STEEP = 0.4  # cosine to the surface from which on a place is behind it: at an edge others are beyond the other side
NEAR = 4  # steps of it from the solid within which they are known well
INSIDE_EVERY = 7  # of the places inside that cells are planned by
ROUNDS, TRIES, NARROWER = 14, 24, 0.75  # of the search for a better capsule, each round narrower
TWIST = 0.7548776662466927  # share of an axis from one place to the next, whose shares lie evenly (Roberts 2018)
CIRCLE = 16  # rounds in which the centre of a circle is sought
DOWN = 1.0  # what standing out on the side of the base counts more than elsewhere
CLOSELY, CLOSEST = 200, 2000  # directions in which results are looked at, and those that stand out most
EACH, WORST, EXACTLY = 12, 4, 100  # of whose points so many count; of how many of them so many are looked at closely
# Shares of the goal that cells are cut for, as they are looked at in fewer places than the result: the next where that
# misses it; no less than the last, whatever is to be added.
PLANNED, LEAST = (0.9, 0.75, 0.6), 0.3
SLACK = 1.3  # per goal: how far two cells' common capsule may stand out before it is refined
NEIGHBOURS = 8  # with which a cell may be put together
AXIS = 9  # places of an axis whose depth is measured
INSIDE = 0.99  # winding number from which on a point is inside, whatever holes a mesh has
MAYBE_INSIDE = 0.5  # and from which on it may be (Jacobson, Kavan and Sorkine-Hornung 2013)
LEAKS = 40  # places that tell whether a mesh has a hole
WALLS = 5  # of six ways along the axes of a frame from a place inside that end at a wall, whatever holes a mesh has
PARALLEL = 0.01  # sine of an angle below which a direction points along an axis, not across
ROUNDING = 1e-12  # what rounding may take from a radius, per metre
CODE = __file__, surfaces.__file__  # what fits depend on


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
    held: Floats  # (h, 3) all corners of the convex hull of the solid in the box, and others; none while it is planned
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

    Kept: the same shape is asked for again with every tool and every other limit of a robot, and by the next program.
    """
    asked = data, np.array([inflate, most, *down]).tobytes()
    capsules, inner, (excess, goal) = kept(CODE, asked, lambda: _fit(data, inflate, most, down))
    return Fit(capsules, inner, float(excess), float(goal))


def _fit(data: bytes, inflate: float, most: int, down: tuple[float, float, float]) -> tuple[Floats, Floats, Floats]:
    """The capsules of a solid, their inner radii, and both how far they stand out and shall at most."""
    triangles = np.frombuffer(data).reshape(-1, 3, 3)
    solid = _look_at(triangles, np.array(down))
    axes = _box_axes(solid.points)
    goal = max(GOAL, GOAL_SHARE * float(np.ptp(solid.points @ axes.T, axis=0).max()))
    everywhere = np.array([[-np.inf], [np.inf]]).repeat(3, axis=1)
    cells = [_exact(_cell(solid.points, everywhere, axes, solid), triangles, axes, solid)]
    found, least = np.empty((0, 7)), math.inf
    for share in PLANNED:  # cells that were cut are cut on
        wish = max(share * goal - inflate, LEAST * goal)
        cells = _cut(cells, wish, most, triangles, axes, solid)
        capsules = np.array([cell.capsule for cell in _merged(cells, wish, axes, solid)])
        excess = _stands_out(capsules, triangles, solid) + inflate
        found, least = (capsules, excess) if excess < least else (found, least)
        if least <= goal or len(cells) >= most:
            break
    inner = np.array([_depth(capsule, triangles) for capsule in found])
    found[:, 6] += inflate
    return found, inner, np.array([least, goal])


def _cut(cells: list[Cell], wish: float, most: int, triangles: Floats, axes: Floats, solid: Solid) -> list[Cell]:
    """The cells with the worst cut again and again, until none stands out by more than is wished or they are enough."""
    cells, whole = list(cells), list[Cell]()  # those that cannot be cut
    while cells and len(cells) + len(whole) < most:
        worst = max(range(len(cells)), key=lambda k: cells[k].excess)
        if cells[worst].excess <= wish:
            break
        best = min(_cuts(cells[worst], axes, solid), key=_badness, default=None)
        cell = cells.pop(worst)
        if best is None:
            whole.append(cell)
        else:
            parts = [_exact(part, triangles, axes, solid) for part in best]
            cells += [part for part in parts if len(part.held)]
    return cells + whole


def _exact(cell: Cell, triangles: Floats, axes: Floats, solid: Solid) -> Cell:
    """A cell with a capsule that surely holds all of the solid in it, not only points of it; nothing held if none is.

    What a cell is planned by lies up to half a step beyond its box, so there may be nothing in it.
    """
    held = _within(triangles, cell.box, axes, solid)
    if not len(held):
        return cell
    outer = _outermost(held)
    cell = _refined(cell._replace(points=np.concatenate([cell.points, outer]), outer=outer), solid)
    return _holding(cell._replace(held=held), solid)


def _holding(cell: Cell, solid: Solid) -> Cell:
    """The cell with its capsule as thick as it must be, and how far that stands out."""
    capsule = _around(cell.held, cell.capsule)
    return cell._replace(capsule=capsule, excess=float(_over(capsule[None], solid, FINE)[0]))


def _merged(cells: list[Cell], goal: float, axes: Floats, solid: Solid) -> list[Cell]:
    """The cells with such put together whose common capsule stands out by no more than is wished."""
    cells = sorted(cells, key=lambda cell: len(cell.outer))
    done = list[Cell]()
    while cells:
        cell = cells.pop()
        near = _nearest(cell, cells)
        both = [_together(cell, cells[k], axes, solid) for k in near]
        best = min(range(len(near)), key=lambda k: both[k].excess, default=-1)
        if best < 0 or both[best].excess > SLACK * goal:
            done.append(cell)
            continue
        whole = _holding(_refined(both[best], solid), solid)
        if whole.excess > goal:
            done.append(cell)
            continue
        cells.pop(near[best])
        cells.append(whole)
    return done


def _nearest(cell: Cell, others: list[Cell]) -> list[int]:
    """Which of the others are nearest, by the middles of their capsules."""
    middles = np.array([each.capsule[:3] + each.capsule[3:6] for each in (cell, *others)])
    off = np.linalg.norm(middles[1:] - middles[0], axis=1)
    return [int(k) for k in np.argsort(off, kind="stable")[:NEIGHBOURS]]


def _together(one: Cell, other: Cell, axes: Floats, solid: Solid) -> Cell:
    """Two cells as one, with the best capsule of those along some axes."""
    between = 0.5 * (other.capsule[:3] + other.capsule[3:6] - one.capsule[:3] - one.capsule[3:6])
    own = [each.capsule[3:6] - each.capsule[:3] for each in (one, other)]
    ways = np.array([way / np.linalg.norm(way) for way in (between, *own) if np.linalg.norm(way) > 1e-9])
    outer, held = (np.concatenate(each) for each in ((one.outer, other.outer), (one.held, other.held)))
    tried = _along(outer, np.concatenate([axes, ways]) if len(ways) else axes)
    over = _over(tried, solid)
    best = int(np.argmin(over))
    return Cell(outer, outer, one.box, held, tried[best], float(over[best]))


def _within(triangles: Floats, box: Floats, axes: Floats, solid: Solid) -> Floats:
    """(N, 3) points whose convex hull holds all of a solid in a box: corners of its cut surface, and of the box."""
    part = triangles
    for k, axis in enumerate(axes):
        for side, at in zip((-1.0, 1.0), box[:, k], strict=True):
            part = clipped(part, side * axis, side * at) if np.isfinite(at) else part
    corners = np.array([[x, y, z] for x in box[:, 0] for y in box[:, 1] for z in box[:, 2]])
    corners = corners[np.isfinite(corners).all(axis=1)] @ axes
    near = np.round((corners - solid.corner) / solid.step).astype(np.int64)
    there = np.all((near >= 0) & (near < np.array(solid.away.shape)), axis=1)
    corners, (x, y, z) = corners[there], near[there].T
    kept = solid.inside[x, y, z] | (winding(corners, triangles) > MAYBE_INSIDE)
    return np.concatenate([part.reshape(-1, 3), corners[kept]])


def _badness(pair: list[Cell]) -> float:
    """How far two parts stand out: the worse counts more."""
    return max(cell.excess for cell in pair) + 0.5 * min(cell.excess for cell in pair)


def _cuts(cell: Cell, axes: Floats, solid: Solid) -> Iterator[list[Cell]]:
    """The cell in two parts, cut at several places across three axes."""
    heights = cell.points @ axes.T
    low, long = heights.min(axis=0), np.ptp(heights, axis=0)
    for k in np.flatnonzero(long > THIN * solid.step).tolist():
        for share in CUTS if k == np.argmax(long) else (0.5,):
            at = float(low[k] + share * long[k])
            parts = []
            for side, off in ((1, heights[:, k] - at), (0, at - heights[:, k])):
                box = cell.box.copy()
                box[side, k] = at
                parts.append((cell.points[off <= 0.5 * solid.step], box))  # what lies near the cut is part of both
            if all(0 < len(points) < len(heights) for points, _ in parts):
                yield [_cell(points, box, axes, solid) for points, box in parts]


def _cell(points: Floats, box: Floats, axes: Floats, solid: Solid) -> Cell:
    """A cell with the capsule that stands out least of those along three axes."""
    outer = _outermost(points)
    tried = _along(outer, axes)
    over = _over(tried, solid)
    best = int(np.argmin(over))
    return Cell(points, outer, box, outer[:0], tried[best], float(over[best]))


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
    return cell._replace(capsule=best, excess=over)


def _outermost(points: Floats) -> Floats:
    """Those of the points that lie outermost in many directions."""
    return np.asarray(points[np.unique(np.argmax(points @ spread_ways(OUTER).T, axis=0))])


def _over(capsules: Floats, solid: Solid, count: int = SPREAD) -> Floats:
    """(k,) about how far capsules stand out of a solid; more on the side that counts more."""
    dots = _spread_round(capsules, count)  # (k, s, 3)
    return np.asarray((_off(dots, solid) + DOWN * np.maximum(dots @ solid.down - solid.lowest, 0.0)).max(axis=1))


def _off(points: Floats, solid: Solid) -> Floats:
    """How far points are from a solid, by its grid."""
    at = (points - solid.corner) / solid.step
    inside = np.clip(at, 0.0, np.array(solid.away.shape) - 1.0 - 1e-9)
    low = inside.astype(np.int64)
    (x, y, z), (u, v, w) = np.moveaxis(low, -1, 0), np.moveaxis(inside - low, -1, 0)
    away, (_, b, c) = solid.away.ravel(), solid.away.shape
    first = (x * b + y) * c + z
    below = [away[first + i] * (1.0 - w) + away[first + i + 1] * w for i in (0, c, b * c, b * c + c)]
    off = (below[0] * (1.0 - v) + below[1] * v) * (1.0 - u) + (below[2] * (1.0 - v) + below[3] * v) * u
    return np.asarray(off + solid.step * np.sqrt(((at - inside) ** 2).sum(axis=-1)))


def _look_at(triangles: Floats, down: Floats) -> Solid:
    """A solid as cells are planned by; its inside is what no way from outside leads to on a grid, or few straight."""
    corners = triangles.reshape(-1, 3)
    corner, size = corners.min(axis=0), np.ptp(corners, axis=0)
    step = float(size.max()) / GRID + 1e-9
    spread, owners = all_over(triangles, CLOSE * step)
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
    looks = np.argwhere(leak)[:: max(1, int(leak.sum()) // LEAKS)] * step + corner
    is_hole = len(looks) > 0 and float(np.median(winding(looks, triangles))) > MAYBE_INSIDE
    inside = ~wall & (~outside | (leak & is_hole))
    fine = np.concatenate([_outermost(corners), spread[thinned(spread, 0.5 * step)]])
    some = thinned(spread, step)
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])[owners[some]]
    away = step * np.sqrt(_squares_from(inside | wall))
    near = ~inside & (away < NEAR * step)
    away[near] = _finer(np.argwhere(near) * step + corner, spread[some], normals, wall[near])
    points = np.concatenate([fine, np.argwhere(inside)[::INSIDE_EVERY] * step + corner])
    return Solid(points, corner, step, inside, away, down, float((corners @ down).max()))


def _finer(places: Floats, surface: Floats, normals: Floats, wall: NDArray[np.bool_]) -> Floats:
    """(N,) how far places are from a solid, by the nearest points of its surface; 0 behind them.

    Places in a wall are behind it where those not in a wall, which are outside, tell which way the surface faces;
    where triangles face either way they count as in it.
    """
    spots, points = ((each - surface[0]).astype(np.float32) for each in (places, surface))
    squares, nearest = (points**2).sum(axis=1), np.empty(len(spots), np.int64)
    for first in range(0, len(spots), 512):
        nearest[first : first + 512] = (squares - 2.0 * (spots[first : first + 512] @ points.T)).argmin(axis=1)
    to = places - surface[nearest]
    off, unit = np.linalg.norm(to, axis=1), normals / np.maximum(np.linalg.norm(normals, axis=1), 1e-300)[:, None]
    height = (to * unit[nearest]).sum(axis=1)
    before = float((height[~wall] > 0.0).mean()) if not wall.all() else 0.5
    if 1.0 - FACING < before < FACING:
        return np.where(wall, 0.0, off)
    behind = wall & ((height if before < FACING else -height) > STEEP * off)
    return np.where(behind, 0.0, off)


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
    along = (np.arange(len(ways)) * TWIST % 1.0)[:, None] * way[:, None]  # heights that have nothing to do with ways
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


# -- how well they fit ---------------------------------------------------------------------------


def _stands_out(capsules: Floats, triangles: Floats, solid: Solid) -> float:
    """The farthest that points of the capsules' common surface are from a shape's: exactly, of those farthest out."""
    bare = [_bare(k, capsules, CLOSELY) for k in range(len(capsules))]
    dots = [points[np.argsort(-_off(points, solid))[:EACH]] for points in bare]
    rough = [from_triangles(points, triangles) for points in dots]
    found = max(off.max(initial=0.0) for off in rough)
    for k in np.argsort([off.max(initial=0.0) for off in rough])[-WORST:]:
        if len(dots[k]):
            points, worst = _bare(int(k), capsules, CLOSEST), dots[k][np.argmax(rough[k])]
            some = np.argsort(np.linalg.norm(points - worst, axis=1))[:EXACTLY]
            found = max(found, from_triangles(points[some], triangles).max(initial=0.0))
    return float(found)


def _bare(k: int, capsules: Floats, count: int) -> Floats:
    """Points all about the surface of capsule k that lie in none of the others."""
    own = _spread_round(capsules[k : k + 1], count)[0]
    for j, other in enumerate(capsules):
        own = own[_from_axis(own, other) >= other[6]] if j != k else own
    return np.asarray(own)


def _depth(capsule: Floats, triangles: Floats) -> float:
    """How deep a capsule's axis lies in a shape, wherever on it; negative if it is outside by so much."""
    at = np.linspace(0.0, 1.0, AXIS)[:, None]
    points = capsule[:3] + at * (capsule[3:6] - capsule[:3])
    spacing = float(np.linalg.norm(capsule[3:6] - capsule[:3])) / (AXIS - 1)
    off = from_triangles(points, triangles)
    depth = np.where(winding(points, triangles) > INSIDE, off, -off)
    return float(depth.min()) - 0.5 * spacing
