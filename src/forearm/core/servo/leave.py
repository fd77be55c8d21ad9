"""Whether a way of an arm that stands too near to something brings nothing nearer, certified without samples.

It was put there, or what it is near to was. Then every gap is judged by itself: one that is below what is wanted is
nowhere on the way less than it is here, all others are nowhere below what is wanted. The way is gone along from place
to place: from each as far on as is certain for all gaps, of one by the farther of two bounds. Its body moves no farther
than `core/collision/swept.py` says; and it stays behind the plane across the shortest way to what it is near to, where
that is convex: a point x of it is, seen along the plane's unit normal n, after a share h of the way at least
`n.x + h n.x' - h^2 B / 2`, where B bounds `|n.x''|`. The second tells a way along a wall, or away from it, from one
into it. Charts tell no distances: of links that touch by them, the joint values shall be no farther from free ones.
"""

import math

from forearm.core.arm.chart import (
    GAP,
    ROWS,
    SLOTS,
    STEP,
    VARIABLE,
    box_at,
    chart_gap,
    charted,
    on_way,
    way_in_chart,
)
from forearm.core.arm.compact import AXIS, DRIVER, ORIGIN, RATE, SHIFT, SLIDES
from forearm.core.codes import PRISMATIC
from forearm.core.collision.bodies import (
    FRAME,
    RADIUS,
    SPAN,
    START,
    WATCHED,
    axis_of,
    gap_between,
    gap_from,
    kept_apart,
    may_be_near,
)
from forearm.core.collision.clearance import put
from forearm.core.collision.distance import point_at, segment_segment
from forearm.core.collision.obstacle_rows import COLUMN, GRID, KIND, NODE, TRIANGLE, behind, segment_gap
from forearm.core.collision.swept import at, write_swings
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import copy_rows
from forearm.core.maths.vectors import cross, dot, length, minus, plus, read, times

LEAST = 1.0 / 64.0  # the share of the way that must be certain from each place: else the way is given up
SAME = 1e-12  # by which rounding may make a gap smaller [m]
# By how much a gap may be less between the places that are looked at, of which a tick's end is one; and one from
# something that is not convex [m].
LESS, LESS_HOLLOW = 1e-6, 1e-4
MOST_BOXES = 400  # of a chart that are looked at on a way out
SMALLEST = 1.0 / 256.0  # piece of a body's axis that is looked at by itself


@lean
def leaves(world, short, way, stance, before, work):
    """Whether the way brings nothing nearer than it is, and keeps the world's clearance, less `short`, from the others.

    `way` has where the arm stands, where it comes to rest, and the place on it where the tick ends; `before` takes
    where bodies are, `work` a q and a number for each body and pair. The arm is left somewhere on the way.
    """
    qa, qb, tick = way
    n, place = qa.shape[0], 0.0
    q, swing = work[:n], work[n:]
    if not charts_allow(world.charts, kept_apart(world.clearance), way):
        return False
    put(stance, world.bodies, qa)
    write_swings(stance.trial.chain, world, qa, qb, swing)
    copy_rows(stance.placed, before)
    while True:
        step = step_for_obstacles(world, short, way, stance, before, swing)
        if step >= 0.0:
            step = min(step, step_for_pairs(world, short, way, stance, before, swing))
        if place >= 1.0:
            return step >= 0.0
        end = tick if place < tick else 1.0
        if step < min(LEAST, end - place):
            return False
        copy_rows(stance.placed, before)
        place = min(place + step, end)
        at(qa, qb, place, q)
        put(stance, world.bodies, q)


@lean
def charts_allow(charts, own, way):
    """Whether no links on charts come nearer: those that are apart stay so, of others the way out gets no longer."""
    (qa, qb, tick), first = way, 0
    while first < charts.shape[0]:
        here = chart_gap(charts, first, qa)
        if here >= own:
            if way_in_chart(charts, first, qa, qb, own) <= 1.0:
                return False
        else:
            if here > 0.0 and way_in_chart(charts, first, qa, qb, SAME) <= 1.0:
                return False
            left = abs(way_out_of(charts, first, qa, qa, 0.0, own)[0])
            for place in (tick, 1.0):
                if abs(way_out_of(charts, first, qa, qb, place, own)[0]) > left + SAME:
                    return False
        first += int(charts[first, ROWS])
    return True


@lean
def way_out_of(charts, first, qa, qb, place, own):
    """How far a chart's links are, at a place of the way, from where they are as far apart as they shall be.

    Of its variables one goes alone, the one that comes there soonest: how far with its sign, and which one it is;
    infinity and -1 if none does.
    """
    best, which = math.inf, -1
    for slot in range(SLOTS):
        k = int(charts[first + 1 + slot, VARIABLE])
        for side in (-1.0, 1.0):
            if k < 0:
                continue
            gone, left = 0.0, MOST_BOXES
            while gone < abs(best) and left > 0:
                box, end = box_beside(charts, first, (qa, qb, place), (slot, side, gone))
                if box < 0:
                    break
                if charts[box, GAP] >= own:
                    best, which = side * gone, k
                    break
                gone += max(end, 0.0) + STEP
                left -= 1
    return best, which


@leaf
def box_beside(charts, first, way, move):
    """The box of a chart at a place of the way, but for one variable that is moved, and how far on it ends."""
    (qa, qb, place), (slot, side, gone) = way, move
    one, _ = on_way(charts, first + 1, qa, qb, place)
    two, _ = on_way(charts, first + 2, qa, qb, place)
    three, _ = on_way(charts, first + 3, qa, qb, place)
    ways = (side if slot == 0 else 0.0, side if slot == 1 else 0.0, side if slot == 2 else 0.0)
    values = (
        charted(charts, first + 1, one + gone * ways[0]),
        charted(charts, first + 2, two + gone * ways[1]),
        charted(charts, first + 3, three + gone * ways[2]),
    )
    return box_at(charts, first, values, ways)


@lean
def step_for_obstacles(world, short, way, stance, before, swing):
    """The share of the way that is certain for obstacles from where the arm is put; below 0 where one is too near."""
    bodies, obstacles, wanted, placed, step = world.bodies, world.obstacles, world.clearance, stance.placed, 1.0
    for b in range(bodies.shape[0]):
        if bodies[b, WATCHED] != 1.0 or swing[b] == 0.0:  # covers are passed over
            continue
        k, enough, radius = 0, wanted + max(0.0, swing[b] - short), bodies[b, RADIUS]
        while k < obstacles.shape[0]:
            near, kind = may_be_near(world, k, placed, b, enough), obstacles[k, KIND]
            if near and kind != NODE:
                gap, _, n = gap_from(world, k, placed, b)
                if gap < enough:
                    least = wanted - short if gap >= wanted else min(wanted, gap_from(world, k, before, b)[0])
                    if gap < least - SAME:
                        return -1.0
                    if kind == GRID or (kind == COLUMN and gap <= -radius):
                        share = (gap - least + LESS_HOLLOW) / swing[b]
                    elif kind == TRIANGLE and gap <= -radius:  # pierced: what is behind it must come back
                        share = share_behind_plane(world, (b, 0), axis_of(placed, b), n, 0.0, way, stance)
                    else:
                        if kind == TRIANGLE:  # nor is one that was pierced pierced again
                            least = max(least, 0.5 * (gap - radius))
                        share = share_kept(world, (b, 0), k, -1, least, (way, stance, swing[b]))
                    step = min(step, share)
            k = behind(obstacles, k, near)
    return step


@lean
def step_for_pairs(world, short, way, stance, before, swing):
    """The same for pairs of bodies."""
    bodies, pairs, own, step, covers = world.bodies, world.pairs, kept_apart(world.clearance), 1.0, 0
    for i in range(pairs.shape[0]):
        covers = 2 if pairs[i, 0] < 0 else covers - 1
        most = swing[bodies.shape[0] + i]
        if covers > 0 or most == 0.0:
            continue
        a, b = pairs[i, 0], pairs[i, 1]
        gap = gap_between(world, stance.placed, a, b)[0]
        if gap < own + max(0.0, most - short):
            least = own - short if gap >= own else min(own, gap_between(world, before, a, b)[0])
            if gap < least - SAME:
                return -1.0
            body = (b, int(bodies[a, FRAME]) + 1)
            step = min(step, share_kept(world, body, -1, a, least, (way, stance, most)))
    return step


@lean
def share_kept(world, body, k, a, least, how):
    """The share of the way on which a body surely keeps a gap from obstacle k, or from body a.

    Its axis is looked at piece by piece: of one that swings about its nearest point, the ends come nearer to the plane.
    """
    (way, stance, most), bodies, b = how, world.bodies, body[0]
    (p, d), radius, step, size, start = axis_of(stance.placed, b), bodies[b, RADIUS], 1.0, 1.0, 0.0
    while start < 1.0 and step >= LEAST:
        x, y = point_at(p, d, start), times(size, d)
        if a < 0:
            gap, _, n = segment_gap(world.obstacles, k, x, y)
        else:
            q, e = axis_of(stance.placed, a)
            gap, _, n = segment_segment(x, y, q, e)
            gap -= bodies[a, RADIUS]
        spare = gap - radius - least + LESS
        share = spare / most
        if share < 1.0:
            share = max(share, share_behind_plane(world, body, (x, y), n, spare, way, stance))
        if share < 1.0 and size > SMALLEST:
            size *= 0.5
            continue
        step = min(step, share)
        start += size
        while size < 1.0 and (start / size) % 2.0 == 0.0:
            size *= 2.0
    return step


@lean
def share_behind_plane(world, body, axis, n, spare, way, stance):
    """The share of the way on which a piece of a body comes along -n by no more than it has to spare."""
    (b, first), (x, d), (qa, qb, _), (chain, _, arm, _, _) = body, axis, way, stance.trial
    y, p = plus(x, d), read(world.bodies, b, START)
    lead, last = first, int(world.bodies[b, FRAME])
    while lead < last and change_of(chain, lead, qa, qb) == 0.0:
        lead += 1
    # how both ends move along n, half of what bends their ways, how far what is behind a joint moves by itself
    f, g, bend, later = 0.0, 0.0, 0.0, 0.0
    far = max(length(p), length(plus(p, read(world.bodies, b, SPAN))))
    for j in range(last, lead - 1, -1):
        change, turn, k = change_of(chain, j, qa, qb), read(arm, j, AXIS), int(chain[j + 1, DRIVER])
        size = abs(change)
        if chain[j + 1, SLIDES] == PRISMATIC:
            f, g = f + change * dot(n, turn), g + change * dot(n, turn)
            later += size
            far += abs(chain[j + 1, RATE]) * max(abs(qa[k]), abs(qb[k]))
        else:
            o, aside = read(arm, j, ORIGIN), cross(n, turn)
            f += change * dot(aside, minus(x, o))
            g += change * dot(aside, minus(y, o))
            # the second derivative is n . (a_i x (a_j x r)) = (n x a_i) . (a_j x r), i before j; the first axis stands
            bend += size * (length(aside) if j == lead else 1.0) * (0.5 * size * far + later)
            later += size * far
        if j > 0:
            far += length(read(chain, j, SHIFT))
    ahead, lower = dot(n, d), min(0.0, dot(n, d))
    return min(share_left(spare - lower, f, bend), share_left(spare + ahead - lower, g, bend))


@leaf
def change_of(chain, j, qa, qb):
    """By how much joint j turns or slides on the way."""
    k = int(chain[j + 1, DRIVER])
    return chain[j + 1, RATE] * (qb[k] - qa[k])


@leaf
def share_left(spare, slope, bend):
    """A share h up to which `slope h - bend h^2` falls by no more than there is to spare, at most 1."""
    spare = max(spare, 0.0)
    if spare + min(slope, 0.0) >= bend:
        return 1.0
    if slope > 0.0:
        return min(1.0, 0.5 * slope / bend + math.sqrt(spare / bend))
    root = math.sqrt(slope * slope + 4.0 * bend * spare)
    return min(1.0, 2.0 * spare / (root - slope)) if root > slope else 0.0
