"""Levenberg-Marquardt over a tree: boldly from any start, or so that the error never grows."""

import math

from forearm.core.jit import leaf, lean
from forearm.core.tree.layout import BOOST, ERROR, POSTURES, REST, STIFF
from forearm.core.tree.place import place
from forearm.core.tree.step import take_step
from forearm.core.tree.tasks import stiffen

# damping of a bold try: a share of the squared error (Chan and Lawrence 1988), and a floor: below 1e-12 what no task
# feels is rounding
CHAN, FLOOR = 0.03, 1e-11
PATIENCE, PROGRESS = 3, 0.8  # a bold try ends unless the squared error falls below this share in so many steps
# damping of a careful one: first, least, most; its factors
FIRST, LEAST, MOST = 1e-2, 1e-12, 1e6
EASE, TIGHTEN = 0.2, 10.0
GAIN, WEAK_STEPS = 1e-3, 2  # it ends after so many accepted steps that gain less than this share


@lean
def bold(tree, room, most):
    """Moves `room.x` from any start, every step accepted; whether it arrived, the error left, the steps."""
    before = E = math.inf
    for step in range(most + 1):
        place(tree, room)
        met, E = stiffen(tree, room)
        if met:
            return True, E, step
        if step == most or not math.isfinite(E):
            break
        if step > 0 and step % PATIENCE == 0:
            if not PROGRESS * before >= E:
                return False, E, step
            before = E
        take_step(tree, room, CHAN * E + FLOOR)
    return False, E, most


@leaf
def posture_error(tree, room):
    """What postures count at `room.x`."""
    total = 0.0
    for k in range(tree.variables.shape[0]):
        off = room.flags[POSTURES] * tree.variables[k, STIFF] * (tree.variables[k, REST] - room.x[k])
        total += off * off
    return total


@leaf
def lowest_error(tree, room):
    """The squared error of the lowest level that counts, and of postures: progress there is what a level waits for."""
    total = posture_error(tree, room)
    for t in range(room.te.shape[0]):
        if room.te[t, BOOST] == 1.0:
            total += room.te[t, ERROR]
    return total


@lean
def careful(tree, room, most, stop):
    """Moves `room.x` down the error alone, taking steps back that do not help.

    With `stop` it ends where all tasks are met; else it goes on to the least error, posture included. Returns as
    `bold`.
    """
    damping, weak = FIRST, 0
    place(tree, room)
    met, E = stiffen(tree, room)
    total = E + posture_error(tree, room)
    for step in range(most):
        if (met and stop) or weak >= WEAK_STEPS or damping > MOST or not math.isfinite(E):
            return met, E, step
        for k in range(room.x.shape[0]):
            room.kept[k] = room.x[k]
        take_step(tree, room, damping)
        place(tree, room)
        met_there, E_there = stiffen(tree, room)
        total_there = E_there + posture_error(tree, room)
        if total_there < total:
            weak = weak + 1 if total - total_there < GAIN * lowest_error(tree, room) else 0
            met, E, total, damping = met_there, E_there, total_there, max(EASE * damping, LEAST)
        else:
            damping *= TIGHTEN
            for k in range(room.x.shape[0]):
                room.x[k] = room.kept[k]
            place(tree, room)
            stiffen(tree, room)
    return met, E, most
