"""A step of a walk that must keep its distance: the point itself, then the way to it.

A point that comes too near is repaired where it stands (`core/collision/repair.py`), inside the box of the step and of
the limits; an arm without freedom left over cannot be, and the step fails. The way from the last point is
certified without samples (`core/collision/swept.py`).

`room` is scratch: placed bodies, a matrix and two rows for the repair, and what `certified` works with.
"""

import math

from forearm.core.arm.compact import Q, place
from forearm.core.codes import POSE, POSITION
from forearm.core.collision.bodies import PLACED, World, is_clear, kept_apart, least_gap, place_bodies
from forearm.core.collision.repair import BUFFER, repair
from forearm.core.collision.swept import certified, certified_size
from forearm.core.general.lm import COUPLED
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import copy
from forearm.core.shaped import shaped
from forearm.core.track.path import keeps

# Points keep this much more than asked [m], so that a certificate to within it still holds what is asked.
CERTAIN = 1e-4
# Strands of a look-ahead pay for gaps below this much more than asked [m].
TIGHT = 0.05


@leaf
def room_size(n, bodies, pairs):
    """How many numbers the scratch of a guarded step has."""
    return PLACED * bodies + n * (n + 3) + certified_size(bodies, pairs)


@lean
def stand_clear(links, joints, goal, kind, terms, chain, aim, world, arm, trig, T, e, room, q):
    """Whether q keeps its distance, repaired in place if need be."""
    bodies, pairs, obstacles, clearance = world
    n, s = q.shape[0], bodies.shape[0]
    wanted = World(bodies, pairs, obstacles, clearance + CERTAIN)
    placed, rest = shaped(room[: PLACED * s], (s, PLACED)), room[PLACED * s :]
    place_at(chain, aim[COUPLED] != 0.0, bodies, q, arm, trig, T, placed)
    if is_clear(World(bodies, pairs, obstacles, wanted.clearance + BUFFER), placed):
        return True
    good = is_clear(wanted, placed)
    asked = 6 if kind == POSE else (3 if kind == POSITION else 5)
    if n <= asked:
        return good
    A, g, row = shaped(rest[: n * n], (n, n)), rest[n * n : n * n + n], rest[n * n + n : n * n + 2 * n]
    kept = rest[n * n + 2 * n : n * n + 3 * n]
    copy(q, kept)
    buffer = BUFFER
    repair(chain, goal, kind, terms, aim, wanted, buffer, arm, trig, T, e, placed, A, g, row)
    for k in range(n):
        q[k] = arm[k, Q]
    if keeps(links, joints, goal, kind, terms, q, T, e):
        place_at(chain, aim[COUPLED] != 0.0, bodies, q, arm, trig, T, placed)
        if is_clear(wanted, placed):
            return True
    copy(kept, q)
    place_at(chain, aim[COUPLED] != 0.0, bodies, q, arm, trig, T, placed)
    return good


@leaf
def place_at(chain, coupled, bodies, q, arm, trig, T, placed):
    """Places joints and bodies at q."""
    for k in range(q.shape[0]):
        arm[k, Q] = q[k]
    place(chain, coupled, arm, trig, T)
    place_bodies(chain, arm, trig, bodies, placed)


@leaf
def way_is_clear(chain, world, qa, qb, arm, trig, T, q, room):
    """Whether nothing between two points comes nearer than asked; both keep `CERTAIN` more."""
    bodies, pairs, obstacles, clearance = world
    n, s = qa.shape[0], bodies.shape[0]
    wanted = World(bodies, pairs, obstacles, clearance + CERTAIN)
    placed, rest = shaped(room[: PLACED * s], (s, PLACED)), room[PLACED * s + n * (n + 3) :]
    seen = certified(chain, wanted, CERTAIN, qa, qb, arm, trig, T, q, placed, rest)
    return seen >= 1.0


@leaf
def tightness(world, room):
    """How crowded the last point placed is: 0 with room to spare, 1 where it just keeps its distance."""
    s, clearance = world.bodies.shape[0], world.clearance
    placed = shaped(room[: PLACED * s], (s, PLACED))
    gap = least_gap(world, placed, clearance + TIGHT, kept_apart(clearance) + TIGHT)[0]
    return (max(0.0, clearance + TIGHT - gap) / TIGHT) ** 2 if gap > -math.inf else 1.0
