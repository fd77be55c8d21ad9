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

from forearm.arm import surfaces
from forearm.arm.surfaces import (
    MAYBE_INSIDE,
    Solid,
    clipped,
    from_triangles,
    look_at,
    off_from,
    outermost,
    spread_ways,
    winding,
)
from forearm.common.kept import kept
from forearm.common.types import Floats
from forearm.core.maths import capsules as kernels
from forearm.core.maths.capsules import FATTER, refine, slim_capsules, spread_round, stand_out

# Capsules stand out by at most this [m], or by this share of a shape's length, if so many are enough for it.
GOAL, GOAL_SHARE, MOST = 0.01, 0.05, 64
CUTS = (0.3, 0.5, 0.7)  # where cells are cut across their longest axis, as shares of it; across others in the middle
THIN = 2.5  # steps of the grid: what is thinner is not cut, as its halves would look like the whole
SPREAD, FINE = 40, 150  # directions in which capsules are looked at
ROUNDS, TRIES = 14, 24  # of the search for a better capsule
CLOSELY, CLOSEST = 200, 2000  # directions in which results are looked at, and those that stand out most
EACH, WORST, EXACTLY = 12, 4, 100  # of whose points so many count; of how many of them so many are looked at closely
# Shares of the goal that cells are cut for, as they are looked at in fewer places than the result: the next where that
# misses it; no less than the last, whatever is to be added.
PLANNED, LEAST = (0.9, 0.75, 0.6), 0.3
SLACK = 1.3  # per goal: how far two cells' common capsule may stand out before it is refined
NEIGHBOURS = 8  # with which a cell may be put together
AXIS = 9  # places of an axis whose depth is measured
INSIDE = 0.99  # winding number from which on a point is inside, whatever holes a mesh has
ROUNDING = 1e-12  # what rounding may take from a radius, per metre
CODE = __file__, surfaces.__file__, kernels.__file__  # what fits depend on


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
    solid = look_at(triangles, np.array(down))
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
    outer = outermost(held)
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
    outer = outermost(points)
    tried = _along(outer, axes)
    over = _over(tried, solid)
    best = int(np.argmin(over))
    return Cell(points, outer, box, outer[:0], tried[best], float(over[best]))


def _refined(cell: Cell, solid: Solid) -> Cell:
    """The cell with a capsule that stands out less, if one is found near: it may reach into the solid for nothing."""
    capsule, scratch = cell.capsule.copy(), np.empty(14)
    ways = spread_ways(SPREAD)
    over = refine(solid.away, solid.place, ways, cell.outer, _moves(), capsule, cell.excess, scratch)
    return cell._replace(capsule=capsule, excess=over)


@functools.cache
def _moves() -> Floats:
    """(ROUNDS, TRIES, 6) moves of a capsule's ends that are tried, always the same: of both alike, or each its own."""
    rng, moves = np.random.default_rng(0), np.empty((ROUNDS, TRIES, 6))
    for each in moves:
        both, apart = rng.normal(size=(2, TRIES, 6))
        both[:, 3:] = both[:, :3]
        each[:] = np.where(np.arange(TRIES)[:, None] % 2, both, 0.5 * apart)
    return moves


def _along(points: Floats, axes: Floats) -> Floats:
    """(k, 7) capsules that hold points, along each of some unit vectors: the slimmest, and shorter ones."""
    capsules = np.empty((len(FATTER) * len(axes), 7))
    slim_capsules(points, np.ascontiguousarray(axes), np.empty(2 * len(points)), capsules)
    return capsules


def _over(capsules: Floats, solid: Solid, count: int = SPREAD) -> Floats:
    """(k,) about how far capsules stand out of a solid; more on the side that counts more."""
    over = np.empty(len(capsules))
    stand_out(solid.away, solid.place, spread_ways(count), capsules, over)
    return over


def _spread_round(capsule: Floats, count: int) -> Floats:
    """(s, 3) points all about the surface of a capsule: of its ends, and between them."""
    ways = spread_ways(count)
    dots = np.empty((2 * len(ways), 3))
    spread_round(capsule, ways, dots)
    return dots


def _box_axes(points: Floats) -> Floats:
    """(3, 3) the axes of a small box round points, the longest first: their own or those of their frame."""
    own = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[2]
    found = min((np.eye(3), own), key=lambda axes: float(np.prod(np.ptp(points @ axes.T, axis=0) + 1e-9)))
    return found[np.argsort(-np.ptp(points @ found.T, axis=0), kind="stable")]


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


# -- how well they fit ---------------------------------------------------------------------------


def _stands_out(capsules: Floats, triangles: Floats, solid: Solid) -> float:
    """The farthest that points of the capsules' common surface are from a shape's: exactly, of those farthest out."""
    bare = [_bare(k, capsules, CLOSELY) for k in range(len(capsules))]
    dots = [points[np.argsort(-off_from(solid, points))[:EACH]] for points in bare]
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
    own = _spread_round(capsules[k], count)
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
