"""A step of a walk that must keep its distance: the point itself, then the way to it.

A point that comes too near is repaired where it stands (`core/collision/repair.py`), inside the box of the step and of
the limits; an arm without freedom left over cannot be, and the step fails. The way from the last point is
certified without samples (`core/collision/swept.py`).
"""

import math
from typing import Any, NamedTuple

from forearm.core.arm.compact import Q
from forearm.core.codes import POSE, POSITION
from forearm.core.collision.bodies import PLACED, Stance, World, is_clear, kept_apart, least_gap
from forearm.core.collision.clearance import put
from forearm.core.collision.repair import BUFFER, normal_size, open_normal, repair
from forearm.core.collision.swept import certified, stretches_size
from forearm.core.jit import leaf, lean, shared
from forearm.core.maths.limits import copy
from forearm.core.shaped import shaped
from forearm.core.track.path import keeps

# Points keep this much more than asked [m], so that a certificate to within it still holds what is asked.
CERTAIN = 1e-4
# Strands of a look-ahead pay for gaps below this much more than asked [m].
TIGHT = 0.05


class Room(NamedTuple):
    """The scratch of a guarded step."""

    placed: Any  # (s, 6) bodies
    normal: Any  # of repairs
    kept: Any  # (n,) the point before its repair
    stretches: Any  # what `certified` works with


@shared
def room_size(n, bodies, pairs):
    """How many numbers the scratch of a guarded step has."""
    return PLACED * bodies + normal_size(n) + 2 * n + stretches_size(bodies + pairs)


@leaf
def open_room(n, bodies, work):
    """The scratch of a guarded step; only for lean kernels."""
    placed, rest = shaped(work[: PLACED * bodies], (bodies, PLACED)), work[PLACED * bodies :]
    return Room(placed, open_normal(n, rest), rest[normal_size(n) : normal_size(n) + n], rest[normal_size(n) + n :])


@lean
def stand_clear(robot, goal, trial, world, room, q):
    """Whether q keeps its distance, repaired in place if need be."""
    bodies, pairs, charts, obstacles, clearance = world
    stance, wanted = Stance(trial, room.placed), World(bodies, pairs, charts, obstacles, clearance + CERTAIN)
    put(stance, bodies, q)
    if is_clear(World(bodies, pairs, charts, obstacles, wanted.clearance + BUFFER), room.placed, trial.arm):
        return True
    good = is_clear(wanted, room.placed, trial.arm)
    asked = 6 if goal.kind == POSE else (3 if goal.kind == POSITION else 5)
    if q.shape[0] <= asked:
        return good
    copy(q, room.kept)
    buffer = BUFFER  # a variable: a constant would compile `repair` a second time
    repair(stance, goal, wanted, buffer, room.normal)
    for k in range(q.shape[0]):
        q[k] = trial.arm[k, Q]
    if keeps(robot.links, robot.joints, goal, q, trial.gauge):
        put(stance, bodies, q)
        if is_clear(wanted, room.placed, trial.arm):
            return True
    copy(room.kept, q)
    put(stance, bodies, q)
    return good


@leaf
def way_is_clear(trial, world, room, qa, qb):
    """Whether nothing between two points comes nearer than asked; both keep `CERTAIN` more."""
    wanted = World(world.bodies, world.pairs, world.charts, world.obstacles, world.clearance + CERTAIN)
    return certified(wanted, CERTAIN, qa, qb, Stance(trial, room.placed), room.stretches) >= 1.0


@leaf
def tightness(world, placed, arm):
    """How crowded the last point placed is: 0 with room to spare, 1 where it just keeps its distance."""
    clearance = world.clearance
    gap = least_gap(world, placed, arm, clearance + TIGHT, kept_apart(clearance) + TIGHT)[0]
    return (max(0.0, clearance + TIGHT - gap) / TIGHT) ** 2 if gap > -math.inf else 1.0
