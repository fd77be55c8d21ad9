"""Keeps a servo's arm away from obstacles and from itself, whatever its speed.

What comes near gives a row: how the gap grows with each joint. The speed that shrinks a gap may be no more than what
the arm can still brake from, so it comes to rest at the clearance; the wished speeds are projected onto all
rows inside the box of the joints. That is to first order. What is certain stands behind it: a step is taken only if the
straight way from here to where the arm would come to rest, all joints braking in proportion, is certified free
(`core/collision/swept.py`). Else the arm brakes, on a way that was certified a tick ago. An arm that stands too near to
something already takes a step only if nothing comes nearer on all of that way (`core/servo/leave.py`); of what is
refused it tries less, then to leave without going after its target.
"""

import math
from typing import Any, NamedTuple

from forearm.core.arm.chart import ROWS, chart_gap
from forearm.core.collision.bodies import (
    FRAME,
    PLACED,
    WATCHED,
    Stance,
    World,
    gap_between,
    gap_from,
    is_clear,
    kept_apart,
    may_be_near,
    may_meet,
)
from forearm.core.collision.clearance import open_aimless, put
from forearm.core.collision.obstacle_rows import KIND, NODE, behind
from forearm.core.collision.repair import place_on, write_row
from forearm.core.collision.swept import certified, stretches_size
from forearm.core.general.lm import try_size
from forearm.core.jit import leaf, lean, shared
from forearm.core.maths.limits import clamp
from forearm.core.servo.braking import brake, in_box
from forearm.core.servo.leave import leaves, way_out_of
from forearm.core.servo.state import (
    FASTEST,
    HARDEST,
    PLACE,
    QUICKEST,
    SILENT,
    SLOWEST,
    SPEED,
    STOPPED,
    TICK,
    WISH,
)
from forearm.core.servo.target import is_on_the_way
from forearm.core.shaped import shaped

NEAR = 0.15  # gaps that are looked at, beyond the clearance [m]
MOST_ROWS = 32
SWEEPS = 20  # of the projection
SHARE = 0.3  # of the acceleration along a row: other rows and bounds take some of it
# Beyond the clearance [m]: what rows keep, and what ways are certified to, which a certificate may be short of.
KEPT, CERTAIN = 0.003, 0.0015
PUSH = 4.0  # how fast what is too near is left [1/s]
HALVINGS = 5  # of speeds at which something too near is left
ROUNDING = 1e-9  # share of the ticks to rest that rounding may add: a tick more than was certified is a longer way
NEED, GAP = 0, 1  # of a row: the least speed along it [m/s], the gap [m]; then a number per variable


class Room(NamedTuple):
    """The scratch of a guarded tick."""

    stance: Any
    before: Any  # (s, 6) where the bodies are, as in a stance
    rows: Any  # (MOST_ROWS, 2 + n)
    at_rest: Any  # (n,) where the arm would come to rest
    row: Any  # (n,)
    stretches: Any  # what `certified` works with


@shared
def servo_among_size(m, n, bodies, pairs):
    """How many numbers of scratch a guarded tick takes."""
    return try_size(m) + 2 * PLACED * bodies + MOST_ROWS * (2 + n) + 3 * n + stretches_size(bodies + pairs)


@leaf
def open_room(chain, n, bodies, work):
    """The scratch of a guarded tick; only for lean kernels."""
    m, s = chain.shape[0] - 1, bodies.shape[0]
    trial, rest = open_aimless(chain, work, work), work[try_size(m) :]
    placed, rest = shaped(rest[: PLACED * s], (s, PLACED)), rest[PLACED * s :]
    before, rest = shaped(rest[: PLACED * s], (s, PLACED)), rest[PLACED * s :]
    rows, rest = shaped(rest[: MOST_ROWS * (2 + n)], (MOST_ROWS, 2 + n)), rest[MOST_ROWS * (2 + n) :]
    return Room(Stance(trial, placed), before, rows, rest[:n], rest[n : 2 * n], rest[2 * n :])


@lean
def keep_off(memory, limits, world, chain, work):
    """Changes the wished speeds so that the arm keeps its clearance; True if something held it back."""
    rows, n = memory.rows, memory.rows.shape[1]
    room = open_room(chain, n, world.bodies, work)
    for k in range(n):
        rows[WISH, k] = in_box(memory, k, rows[WISH, k])
    put(room.stance, world.bodies, rows[PLACE])
    wanted = World(world.bodies, world.pairs, world.charts, world.obstacles, world.clearance + CERTAIN)
    is_free = is_clear(wanted, room.stance.placed, room.stance.trial.arm)
    count = gather(memory, world, room)
    if not is_free:
        count = add_charts(memory, wanted, room, count)
    held = project(memory, room, count)
    if may_go(memory, limits, wanted, is_free, room):
        return held
    if is_free or not leave_slowly(memory, limits, wanted, room, count):
        slow_down(memory)
    return True


@lean
def leave_slowly(memory, limits, wanted, room, count):
    """Writes speeds at which an arm too near to something may go: less of those wished, or such as only leave it."""
    rows = memory.rows
    for i in range(2):
        for k in range(rows.shape[1] if i == 1 else 0):
            rows[WISH, k] = in_box(memory, k, 0.0)
        if i == 1:
            project(memory, room, count)
            if may_go(memory, limits, wanted, False, room):
                return True
        ticks = ticks_to_rest(memory, SPEED)
        for _ in range(HALVINGS):
            for k in range(rows.shape[1]):
                rows[WISH, k] = 0.5 * (rows[WISH, k] + slowed(memory, k, ticks))
            if may_go(memory, limits, wanted, False, room):
                return True
    return False


@lean
def gather(memory, world, room):
    """Writes a row for each gap that is near; returns how many there are, the nearest where they are too many."""
    bodies, pairs, _, obstacles, clearance = world
    placed, count, near = room.stance.placed, 0, clearance + NEAR
    for b in range(bodies.shape[0]):
        if bodies[b, WATCHED] != 1.0:  # covers are passed over
            continue
        k = 0
        while k < obstacles.shape[0]:
            close = may_be_near(world, k, placed, b, near)
            if close and obstacles[k, KIND] != NODE:
                gap, s, n = gap_from(world, k, placed, b)
                if gap < near:
                    write_row(room.stance.trial, 0, int(bodies[b, FRAME]), place_on(placed, b, s), n, room.row)
                    count = add(memory, room, count, gap - clearance)
            k = behind(obstacles, k, close)
    own, covers = kept_apart(clearance), 0
    for i in range(pairs.shape[0]):
        covers = 2 if pairs[i, 0] < 0 else covers - 1
        if covers > 0 or not may_meet(world, placed, pairs[i, 0], pairs[i, 1], own + NEAR):
            continue
        a, b = pairs[i, 0], pairs[i, 1]
        gap, s, n = gap_between(world, placed, a, b)
        if gap < own + NEAR:
            first, last = int(bodies[a, FRAME]) + 1, int(bodies[b, FRAME])
            write_row(room.stance.trial, first, last, place_on(placed, b, s), n, room.row)
            count = add(memory, room, count, gap - own)
    return count


@lean
def add_charts(memory, wanted, room, count):
    """Adds a row for each chart whose links touch: the joint that takes them apart soonest [rad or m]."""
    charts, q, own, first = wanted.charts, memory.rows[PLACE], kept_apart(wanted.clearance), 0
    while first < charts.shape[0]:
        if chart_gap(charts, first, q) < own:
            left, which = way_out_of(charts, first, q, q, 0.0, own)
            if which >= 0:
                for k in range(room.row.shape[0]):
                    room.row[k] = math.copysign(1.0, left) if k == which else 0.0
                count = add(memory, room, count, -abs(left))
        first += int(charts[first, ROWS])
    return count


@leaf
def add(memory, room, count, spare):
    """Adds the row at hand for a gap with so much to spare; the farthest of too many gives way."""
    place = count
    if count == MOST_ROWS:
        place = 0
        for i in range(1, MOST_ROWS):
            if room.rows[i, GAP] > room.rows[place, GAP]:
                place = i
        if room.rows[place, GAP] <= spare:
            return count
    dt, speed, hardest, fastest = memory.numbers[TICK], 0.0, 0.0, 0.0
    for k in range(room.row.shape[0]):
        room.rows[place, 2 + k] = room.row[k]
        speed += room.row[k] * memory.rows[SPEED, k]
        hardest += abs(room.row[k]) * memory.rows[HARDEST, k]
        fastest += abs(room.row[k]) * memory.rows[FASTEST, k]
    need = 0.0
    if hardest > 0.0:
        need = -brake(spare - KEPT, SHARE * hardest * dt, dt, fastest)
        if spare < KEPT and is_driven(memory.numbers):
            need = min(-min(PUSH, 1.0 / dt) * (spare - KEPT), max(speed, 0.0) + SHARE * hardest * dt)
    room.rows[place, NEED], room.rows[place, GAP] = need, spare
    return min(count + 1, MOST_ROWS)


@leaf
def is_driven(numbers):
    """Whether somebody moves the arm; one that is held or stopped goes no nearer, but does not back off by itself."""
    return numbers[STOPPED] == 0.0 and (numbers[SILENT] == 0.0 or is_on_the_way(numbers))


@lean
def project(memory, room, count):
    """Moves the wished speeds onto all rows, inside the box; True if a row held them back."""
    rows, held = memory.rows, False
    n = rows.shape[1]
    for _ in range(SWEEPS):
        changed = False
        for i in range(count):
            row = room.rows[i]
            speed, square = 0.0, 0.0
            for k in range(n):
                speed += row[2 + k] * rows[WISH, k]
            lack = row[NEED] - speed
            if lack <= 0.0:
                continue
            held = True
            for k in range(n):
                if has_way(rows, k, row[2 + k]):
                    square += row[2 + k] * row[2 + k]
            if square == 0.0:
                continue
            changed = changed or lack * lack > 1e-18 * square
            for k in range(n):
                if has_way(rows, k, row[2 + k]):
                    wish = rows[WISH, k] + lack * row[2 + k] / square
                    rows[WISH, k] = clamp(wish, rows[SLOWEST, k], rows[QUICKEST, k])
        if not changed:
            break
    return held


@leaf
def has_way(rows, k, push):
    """Whether the box lets joint k go on the way a row pushes."""
    return (push > 0.0 and rows[WISH, k] < rows[QUICKEST, k]) or (push < 0.0 and rows[WISH, k] > rows[SLOWEST, k])


@leaf
def ticks_to_rest(memory, row):
    """How many ticks the arm takes to come to rest from the speeds of a row, all joints in proportion."""
    rows, most = memory.rows, 0.0
    for k in range(rows.shape[1]):
        most = max(most, abs(rows[row, k]) / (rows[HARDEST, k] * memory.numbers[TICK]))
    return math.ceil(most * (1.0 - ROUNDING))


@lean
def may_go(memory, limits, wanted, is_free, room):
    """Whether the arm can take a tick at the wished speeds and come to rest, inside limits and the world wanted."""
    rows, dt = memory.rows, memory.numbers[TICK]
    n, stance = rows.shape[1], room.stance
    ticks = ticks_to_rest(memory, WISH)
    whole = 1.0 + 0.5 * max(0.0, ticks - 1.0)
    for k in range(n):
        way = dt * rows[WISH, k] * whole
        room.at_rest[k] = rows[PLACE, k] + way
        # an arm that was put beyond a limit comes back
        lower, upper = min(limits[0, k], rows[PLACE, k]), max(limits[1, k], rows[PLACE, k])
        if way != 0.0 and not lower <= room.at_rest[k] <= upper:
            return False
    if is_free:
        put(stance, wanted.bodies, room.at_rest)
        free = is_clear(wanted, stance.placed, stance.trial.arm)
        if free:
            free = certified(wanted, CERTAIN, rows[PLACE], room.at_rest, stance, room.stretches) >= 1.0
    else:
        way = (rows[PLACE], room.at_rest, 1.0 / whole)
        free = leaves(wanted, CERTAIN, way, stance, room.before, room.stretches)
    put(stance, wanted.bodies, rows[PLACE])
    return free


@leaf
def slow_down(memory):
    """Writes speeds that bring all joints to rest in proportion, as fast as the hardest of them can."""
    ticks = ticks_to_rest(memory, SPEED)
    for k in range(memory.rows.shape[1]):
        memory.rows[WISH, k] = slowed(memory, k, ticks)


@leaf
def slowed(memory, k, ticks):
    """The speed of joint k behind the first of so many ticks that bring it to rest."""
    return memory.rows[SPEED, k] * (1.0 - 1.0 / ticks) if ticks > 1.0 else 0.0
