"""Starts one after the other, retries by branch, and what is done where bodies are too near.

A start is tried boldly; after a stall only the branches whose goals are far are started anew, some times, then
the whole body. Among obstacles an answer whose bodies are too near is pushed free, or another one is started for.
"""

import math

import numpy as np

from forearm.core.collision.bodies import is_clear, worst_gap
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import clamp, next_random
from forearm.core.tree.among import place_bodies
from forearm.core.tree.layout import (
    BASE,
    BOOST,
    ERROR,
    FREE_BASE,
    HIGH,
    LOW,
    MAX_STEPS,
    PLANAR_BASE,
    POSTURES,
    PUSHED,
    RELATIVE,
    RNG_SEED,
    SHARED,
    TASK,
)
from forearm.core.tree.lm import bold
from forearm.core.tree.place import place
from forearm.core.tree.starts import EYE, WHOLE, draw, has_branch, rank_behind, rank_body, seed_branch, take_entry

# of branches behind one start of the body, and on a free base, which joins them: there other bodies lead farther
RETRIES, FREE_RETRIES = 3, 1
# entries of the table before starts are random and branches go down their own ranks; on a free base random ones need
# more tries
BODIES, FREE_BODIES = 8, 128
FAR = 0.05  # share of the squared error from which on a branch is started anew
RESTORE = 20  # steps that bring the levels above back
MET = 1e6  # what a search counts goals that are met as, in metres of overlap
LEAST_LACK = 1e-12  # of a gap that is too small [m]
ANY_RANK = 48  # ranks from which branches are started among obstacles, the nearer ones more often


@lean
def search(tree, room, table, start, budget):
    """Tries one start after another for the tasks that count; whether one arrived, steps and tries.

    The best of them is in `room.best`, and in `room.x` what arrived.
    """
    n, most = tree.variables.shape[0], int(tree.head[MAX_STEPS])
    best, steps, tries = math.inf, 0, 0
    state, last, bodies, retry = np.uint64(tree.head[RNG_SEED] + 1), np.int64(-1), 0, retries_of(tree)
    origin = EYE
    for tries in range(1, budget + 1):
        if tries == 1 and start.shape[0] > 0:
            load(start, room)
            for k in range(n):
                room.x[k] = clamp(room.x[k], tree.variables[k, LOW], tree.variables[k, HIGH])
            retry = 0
        else:
            fresh = start_branches(tree, room, table, retry + 1, bodies) if retry < retries_of(tree) else 0
            retry += 1
            if fresh == 0:
                if bodies == 0:
                    origin = rank_body(tree, room, table)
                state, last = start_body(tree, room, table, origin, (state, last), bodies)
                bodies, retry = bodies + 1, 0
        arrived, E, used = bold(tree, room, most)
        if not arrived and room.flags[POSTURES] != 0.0:  # a posture may hold it back at the end
            room.flags[POSTURES] = 0.0
            arrived, E, more = bold(tree, room, RESTORE)
            used, room.flags[POSTURES] = used + more, 1.0
        lacks = overlap(tree, room) if arrived and among(room) else 0.0
        E = lacks - MET if arrived else E  # whatever meets the goals is better than what does not
        if best > E or tries == 1:
            best = E
            for k in range(room.x.shape[0]):
                room.best[k] = room.x[k]
        if lacks > 0.0:
            arrived, more = repair(tree, room, most)
            used += more
        steps += used
        if arrived:
            return True, steps, tries
    return False, steps, tries


@leaf
def retries_of(tree):
    """How often branches are started anew behind one start of the body."""
    return FREE_RETRIES if tree.head[BASE] == FREE_BASE else RETRIES


@leaf
def bodies_of(tree):
    """How many entries of the table are started from before random joints."""
    return FREE_BODIES if tree.head[BASE] == FREE_BASE else BODIES


@leaf
def load(x, room):
    """Copies joint values and the base's pose to where steps are taken."""
    for k in range(x.shape[0]):
        room.x[k] = x[k]


@leaf
def among(room):
    """Whether bodies are to be kept apart."""
    return room.world.bodies.shape[0] > 0


@lean
def overlap(tree, room):
    """How much the worst gap lacks where the joints stand [m]; 0 if all are large enough. Only for what is placed."""
    place_bodies(room)
    if is_clear(room.world, room.placed, room.x):
        return 0.0
    gap, _, _ = worst_gap(room.world, room.placed, room.x)
    return max(room.world.clearance - gap, LEAST_LACK)


@lean
def repair(tree, room, most):
    """Moves `room.x`, which meets the goals, away from what it is too near to; whether it is free, and the steps."""
    room.flags[PUSHED] = 1.0
    arrived, _, used = bold(tree, room, most)
    room.flags[PUSHED] = 0.0
    return arrived, used


@lean
def start_body(tree, room, table, origin, cursor, bodies):
    """Loads the next entry of the body's table, then every branch; behind the table random joints on a near base."""
    state, last = cursor
    if bodies < bodies_of(tree):
        last = rank_behind(room.ranks[WHOLE], last)
        take_entry(tree, room, table, origin, last)
    else:
        state = draw(tree, room, state)
        for k in range(room.x.shape[0]):
            room.kept[k] = room.x[k]
        take_entry(tree, room, table, origin, last)
        for k in range(3 if tree.head[BASE] == PLANAR_BASE else 0, tree.variables.shape[0]):
            room.x[k] = room.kept[k]
    if bodies > 0 and among(room):  # other answers of the same goals are wanted
        state = start_any_branches(tree, room, table, state)
    else:
        start_all_branches(tree, room, table, bodies)
    return state, last


@lean
def start_any_branches(tree, room, table, state):
    """Starts every branch from a rank of its own, drawn: what is free may need any branches together."""
    for follows in range(2):
        place(tree, room)
        for t in range(tree.tasks.shape[0]):
            task = tree.tasks[t]
            if has_branch(task) and (task[TASK] == RELATIVE) == (follows == 1) and room.te[t, BOOST] > 0.0:
                state, u = next_random(state)
                seed_branch(tree, room, table, t, int(u * u * ANY_RANK))
    return state


@lean
def start_all_branches(tree, room, table, bodies):
    """Starts every branch from a rank: first those with goals in the world, then those that follow another link."""
    place(tree, room)
    for follows in range(2):
        for t in range(tree.tasks.shape[0]):
            task = tree.tasks[t]
            if has_branch(task) and (task[TASK] == RELATIVE) == (follows == 1) and room.te[t, BOOST] > 0.0:
                seed_branch(tree, room, table, t, branch_rank(tree, t, bodies))
        place(tree, room)


@lean
def start_branches(tree, room, table, rank, bodies):
    """Starts only branches whose goals are far, from a rank; returns how many there are."""
    E, fresh = 0.0, 0
    for t in range(tree.tasks.shape[0]):
        E += room.te[t, ERROR] * room.te[t, BOOST]
    for t in range(tree.tasks.shape[0]):
        if has_branch(tree.tasks[t]) and room.te[t, ERROR] * room.te[t, BOOST] > FAR * E:
            seed_branch(tree, room, table, t, rank + (RETRIES + 1) * max(bodies - 1, 0) if is_alone(tree, t) else rank)
            fresh += 1
    return fresh


@leaf
def branch_rank(tree, t, bodies):
    """The rank from which a branch starts behind a start of the body: past the table's entries it goes on, new ones."""
    if is_alone(tree, t):
        return (RETRIES + 1) * bodies
    return bodies % 4 if bodies < bodies_of(tree) else bodies


@leaf
def is_alone(tree, t):
    """Whether a branch shares nothing, so that no start of the body makes it another: it goes down its own ranks."""
    return tree.tasks[t, SHARED] < 0.0 and tree.head[BASE] != FREE_BASE
