"""Strict levels, one after the other.

The goals of a level are pulled while those above it count a thousand times as much, then those above are brought back
to their tolerances alone.
"""

from forearm.core.jit import lean
from forearm.core.tree.layout import (
    AXIS,
    BOOST,
    CENTRE_OF_MASS,
    DIRECTION,
    GOAL,
    LEVEL,
    LINK,
    LOOK_AT,
    OTHER,
    OTHER_TIP,
    POSTURES,
    PUSHED,
    RELATIVE,
    TASK,
    TIP,
)
from forearm.core.tree.lm import bold, careful
from forearm.core.tree.place import behind, joined, place, weigh
from forearm.core.tree.search import RESTORE, among, load, overlap, search
from forearm.core.tree.tasks import axis_of, centre_error, look

POLISH = 80  # steps spent on the nearest pose when no try arrived
STIFFER = 1e3  # what a level counts against the one below it
PULLS = 3  # how often a level is pulled, each time more gently, until those above can be brought back
SOFT, SOFT_STEPS = 1e2, 12  # the same of a start for the first level, and its steps


@lean
def take_levels(tree, room, table, levels, budget):
    """Brings level after level as near as it comes while those above keep what they have; as `search`."""
    load(room.best, room)
    set_boosts(tree, room, 0, levels - 1, SOFT)
    _, _, steps = bold(tree, room, SOFT_STEPS)
    set_boosts(tree, room, 0, 0, 1.0)
    for k in range(room.x.shape[0]):
        room.kept[k] = room.x[k]
    met, used, tries = search(tree, room, table, room.kept, budget)
    steps += used
    if not met:
        load(room.best, room)
        settle_for(tree, room, 0)
    room.flags[PUSHED] = 1.0 if among(room) else 0.0
    for level in range(1, levels):
        for k in range(room.x.shape[0]):
            room.best[k] = room.x[k]
        below, kept, factor = False, False, STIFFER
        for _ in range(PULLS):
            set_boosts(tree, room, 0, level, factor)
            below, _, used = careful(tree, room, POLISH, True)
            steps += used
            if not below:
                kept, used = restore(tree, room, level - 1)
                steps += used
            if below or kept:
                break
            load(room.best, room)  # pulled too far from what the levels above have: again, more gently
            factor *= STIFFER
        if not below:
            place(tree, room)
            if among(room) and overlap(tree, room) > 0.0:  # what is free goes before what is lower
                load(room.best, room)
            settle_for(tree, room, level)
    room.flags[PUSHED] = 0.0
    return met, steps, tries


@lean
def set_boosts(tree, room, first, last, factor):
    """Lets the tasks of some levels count, each `factor` times as much as those one level below."""
    for t in range(tree.tasks.shape[0]):
        level = int(tree.tasks[t, LEVEL])
        room.te[t, BOOST] = factor ** float(last - level) if first <= level <= last else 0.0


@lean
def restore(tree, room, level):
    """Brings the levels down to one back to their tolerances, postures aside; whether they are, and the steps."""
    set_boosts(tree, room, 0, level, 1.0)
    postures, room.flags[POSTURES] = room.flags[POSTURES], 0.0
    arrived, _, used = bold(tree, room, RESTORE)
    room.flags[POSTURES] = postures
    return arrived, used


@lean
def settle_for(tree, room, level):
    """Makes what the goals of a level came to their goals: the levels below must not take it away."""
    place(tree, room)
    for t in range(tree.tasks.shape[0]):
        task = tree.tasks[t]
        if int(task[LEVEL]) != level:
            continue
        if task[TASK] == CENTRE_OF_MASS:
            c = weigh(tree, room)
            e = centre_error(tree, task, c)
            if task[AXIS] != 0.0 and e[0] == 0.0 and e[1] == 0.0:
                continue  # over its support it may still move
            task[AXIS] = 0.0
            for k in range(3):
                task[GOAL + 9 + k] = c[k]
            continue
        tip = joined(room.T[int(task[LINK]) + 1], task, TIP)
        axis = axis_of(task, tip)
        if task[TASK] == LOOK_AT:
            _, inverse = look(task, tip)
            for k in range(3):
                task[GOAL + 9 + k] = tip[9 + k] + axis[k] / inverse
            continue
        seen = tip
        if task[TASK] == RELATIVE:
            seen = behind(joined(room.T[int(task[OTHER]) + 1], task, OTHER_TIP), tip)
        for k in range(12):
            task[GOAL + k] = seen[k]
        for k in range(3):
            task[DIRECTION + k] = axis[k]
