"""Capsules round points, and how far they stand out of a solid: what `arm/capsules.py` asks thousands of times.

A solid is known by a grid of how far places are from it, and eight numbers: a corner of the grid, the step between its
places [m], where standing out counts more (a unit vector or zeros), and how far the solid goes there [m]. A capsule is
both ends of its axis and its radius. It is looked at in places all about its surface, two for each of some unit
vectors: on its ends, and on its side at heights that have nothing to do with the vectors.
"""

import math

from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import clamp, copy
from forearm.core.maths.vectors import across, dot, length, minus, plus, times

CORNER, STEP, DOWN, LOWEST = 0, 3, 4, 7  # places among the eight numbers
PARALLEL = 0.01  # sine of an angle below which a direction points along an axis, not across
TWIST = 0.7548776662466927  # share of an axis from one place to the next, whose shares lie evenly (Roberts 2018)
EDGE = 1e-9  # of a step, by which places stay inside of the grid
CIRCLE = 16  # rounds in which the centre of a circle is sought
FATTER = (1.0, 1.15, 1.35)  # radii that are tried, per smallest one: fatter is shorter
NARROWER = 0.75  # the next round of the search for a better capsule


@lean
def off_grid(away, place, p):
    """How far a point is from a solid: between places of the grid as they are, beyond it what it is beyond."""
    step = place[STEP]
    x, y, z = times(1.0 / step, minus(p, place[CORNER:STEP]))
    a = clamp(x, 0.0, away.shape[0] - 1.0 - EDGE)
    b = clamp(y, 0.0, away.shape[1] - 1.0 - EDGE)
    c = clamp(z, 0.0, away.shape[2] - 1.0 - EDGE)
    i, j, k = int(a), int(b), int(c)
    u, v, w = a - i, b - j, c - k
    near = away[i, j, k] * (1.0 - w) + away[i, j, k + 1] * w
    far = away[i, j + 1, k] * (1.0 - w) + away[i, j + 1, k + 1] * w
    low = near * (1.0 - v) + far * v
    near = away[i + 1, j, k] * (1.0 - w) + away[i + 1, j, k + 1] * w
    far = away[i + 1, j + 1, k] * (1.0 - w) + away[i + 1, j + 1, k + 1] * w
    return low * (1.0 - u) + (near * (1.0 - v) + far * v) * u + step * length((x - a, y - b, z - c))


@lean
def off_solid(away, place, points, off_out):
    """Writes how far points are from a solid [m]."""
    for k in range(points.shape[0]):
        off_out[k] = off_grid(away, place, points[k])


@leaf
def place_on(capsule, unit, toward, k):
    """The two places of the k-th vector on a capsule, `unit` along its axis: on its end, and on its side."""
    a, radius = capsule[:3], capsule[6]
    way = minus(capsule[3:6], a)
    end = plus(a, times(radius, toward))
    if dot(way, toward) > 0.0:
        end = plus(end, way)
    aside = across(unit, toward)
    thick = length(aside)
    if thick <= PARALLEL:
        return end, end
    return end, plus(plus(a, times((k * TWIST) % 1.0, way)), times(radius / thick, aside))


@leaf
def along_axis(capsule):
    """The unit vector along a capsule's axis, or zeros for a ball."""
    way = minus(capsule[3:6], capsule[:3])
    return times(1.0 / max(length(way), 1e-300), way)


@lean
def spread_round(capsule, ways, dots_out):
    """Writes the places all about a capsule: (s, 3) on its ends, then as many on its side."""
    unit, count = along_axis(capsule), ways.shape[0]
    for k in range(count):
        ends = place_on(capsule, unit, ways[k], k)
        for i in range(3):
            dots_out[k, i], dots_out[count + k, i] = ends[0][i], ends[1][i]


@lean
def capsule_over(away, place, ways, capsule, enough):
    """About how far a capsule stands out of a solid [m]; any number beyond `enough` once it is known to be more."""
    unit, down, most = along_axis(capsule), place[DOWN:LOWEST], -math.inf
    for k in range(ways.shape[0]):
        for p in place_on(capsule, unit, ways[k], k):
            over = off_grid(away, place, p) + max(dot(p, down) - place[LOWEST], 0.0)
            if over > most:
                most = over
                if most > enough:
                    return most
    return most


@lean
def stand_out(away, place, ways, capsules, over_out):
    """Writes about how far each capsule stands out of a solid [m]; on the side that counts more, twice."""
    for k in range(capsules.shape[0]):
        over_out[k] = capsule_over(away, place, ways, capsules[k], math.inf)


@lean
def radius_round(points, capsule):
    """How far the farthest of some points is from a capsule's axis [m]."""
    a, square_most = capsule[:3], 0.0
    way = minus(capsule[3:6], a)
    square = max(dot(way, way), 1e-300)
    for k in range(points.shape[0]):
        to = minus(points[k], a)
        to = minus(to, times(clamp(dot(to, way) / square, 0.0, 1.0), way))
        square_most = max(square_most, dot(to, to))
    return math.sqrt(square_most)


@lean
def refine(away, place, ways, points, moves, capsule, over, tried):
    """Betters a capsule that holds points, round after round, each narrower; returns how far it stands out [m].

    Args:
        away: Grid of the solid; `place` its eight numbers.
        ways: (s, 3) unit vectors all about.
        points: (N, 3) what the capsule holds.
        moves: (rounds, tries, 6) random moves of both ends.
        capsule: (7,) read and written.
        over: How far it stands out now.
        tried: (14,) scratch.
    """
    spread = 0.0
    for i in range(3):
        low, high = math.inf, -math.inf
        for k in range(points.shape[0]):
            low, high = min(low, points[k, i]), max(high, points[k, i])
        spread = max(spread, 0.5 * (high - low))
    new, best = tried[:7], tried[7:14]
    for turn in range(moves.shape[0]):
        copy(capsule, best)
        for k in range(moves.shape[1]):
            for i in range(6):
                new[i] = best[i] + spread * moves[turn, k, i]
            new[6] = radius_round(points, new)
            found = capsule_over(away, place, ways, new, over)
            if found < over:
                over = found
                copy(new, capsule)
        spread *= NARROWER
    return over


@lean
def slim_capsules(points, axes, work, capsules_out):
    """Writes capsules that hold points along each of some unit vectors: the slimmest, and shorter ones.

    `work` has room for 2 N numbers; the capsules of one radius stand one after the other.
    """
    count = axes.shape[0]
    heights, off = work[: points.shape[0]], work[points.shape[0] : 2 * points.shape[0]]
    for j in range(count):
        axis = axes[j]
        centre = measure_across(points, axis, heights, off)
        thick = 0.0
        for k in range(points.shape[0]):
            thick = max(thick, off[k])
        for f in range(len(FATTER)):
            low, high = ends_within(heights, off, FATTER[f] * thick)
            if low > high:  # where one ball holds all
                low = high = 0.5 * (low + high)
            one = capsules_out[f * count + j]
            start, end = plus(centre, times(low, axis)), plus(centre, times(high, axis))
            for i in range(3):
                one[i], one[3 + i] = start[i], end[i]
            one[6] = radius_round(points, one)


@lean
def measure_across(points, axis, heights_out, off_out):
    """The centre of about the smallest circle round points seen along an axis; writes how high and how far off each is.

    It goes toward the farthest by less and less (Badoiu and Clarkson 2003).
    """
    count, centre = points.shape[0], (0.0, 0.0, 0.0)
    for k in range(count):
        heights_out[k] = dot(points[k], axis)
        centre = plus(centre, minus(points[k], times(heights_out[k], axis)))
    centre = times(1.0 / count, centre)
    for turn in range(CIRCLE + 1):
        farthest, most = 0, -1.0
        for k in range(count):
            to = minus(minus(points[k], times(heights_out[k], axis)), centre)
            square = dot(to, to)
            off_out[k] = math.sqrt(square)
            if square > most:
                farthest, most = k, square
        if turn < CIRCLE:
            to = minus(minus(points[farthest], times(heights_out[farthest], axis)), centre)
            centre = plus(centre, times(1.0 / (turn + 2), to))
    return centre


@leaf
def ends_within(heights, off, radius):
    """How low and how high the ends of an axis must be, so that balls of a radius round them hold what lies beyond."""
    low, high = math.inf, -math.inf
    for k in range(heights.shape[0]):
        cap = math.sqrt(max(radius * radius - off[k] * off[k], 0.0))
        low, high = min(low, heights[k] + cap), max(high, heights[k] - cap)
    return low, high
