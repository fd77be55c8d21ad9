"""Starts of a search: a table of random configurations, ranked by how near their tips are to the goals.

The whole body is ranked by all tips together, seen from where the base would have to be; then each branch, the
variables that only one task uses, by its own tip seen from the last joint that it shares. Both read one table: a row of
joint values and the base's way back for each configuration, then columns of features (float32), the body's first.
A rank holds the distance in its high bits and the entry in its low ones, so that their order is the order of tries.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import clamp, next_random
from forearm.core.shaped import shaped
from forearm.core.tree.layout import (
    BASE,
    CENTRE_OF_MASS,
    DIRECTION,
    ENTRIES,
    FEATURES,
    FREE_BASE,
    GOAL,
    HIGH,
    LINK,
    LOOK_AT,
    LOW,
    LOWER,
    MASK,
    OTHER,
    OTHER_TIP,
    OWN,
    PLANAR_BASE,
    POINT_AXIS,
    POSE,
    REFERENCE,
    RELATIVE,
    RNG_SEED,
    SHARED,
    TASK,
    TIP,
    UPPER,
    WEIGHT_P,
    WEIGHT_R,
    nothing,
    open_room,
    open_tree,
)
from forearm.core.tree.place import behind, joined, place, weigh
from forearm.core.tree.tasks import axis_of, look

HALF_SQRT2 = math.sqrt(0.5)  # the squared chord is half the squared difference of two rotations
NO_RANK = 2**62
WHOLE, BRANCH = 0, 1
EYE = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


class Table(NamedTuple):
    """A table of starts, opened."""

    entries: Any  # (ENTRIES, n + 12)
    keys: Any  # (2, t, FEATURES, ENTRIES) float32


@leaf
def open_table(table, n, t):
    """The parts of a table; only for lean kernels."""
    size = ENTRIES * (n + 12)
    keys = table[size : size + t * FEATURES * ENTRIES].view(np.float32)
    return Table(shaped(table[:size], (ENTRIES, n + 12)), shaped(keys, (2, t, FEATURES, ENTRIES)))


@lean
def build_table(numbers, work, table_out):
    """Fills a table: random configurations inside the limits, a resting base, and the features of their tips."""
    tree = open_tree(numbers)
    room = open_room(tree, nothing(work), work)
    n, t = tree.variables.shape[0], tree.tasks.shape[0]
    table = open_table(table_out, n, t)
    state = np.uint64(tree.head[RNG_SEED])
    for i in range(ENTRIES):
        state = draw(tree, room, state)
        rest_base(tree, room)
        place(tree, room)
        for k in range(n):
            table.entries[i, k] = room.x[k]
        write_features(tree, room, table, i)
    return ENTRIES


@lean
def draw(tree, room, state):
    """Writes random joint values inside the limits; turns without limits in [-pi, pi], slides in [-1, 1]."""
    for k in range(tree.variables.shape[0]):
        state, u = next_random(state)
        lower, upper = tree.variables[k, LOWER], tree.variables[k, UPPER]
        if not upper - lower <= 4.0 * math.pi:
            lower, upper = max(lower, -math.pi), min(upper, math.pi)
        room.x[k] = clamp(lower + u * (upper - lower), tree.variables[k, LOWER], tree.variables[k, UPPER])
    return state


@lean
def rest_base(tree, room):
    """The base where it stands when nothing is asked: at the origin."""
    n = tree.variables.shape[0]
    for k in range(12):
        room.x[n + k] = 1.0 if k == 0 or k == 4 or k == 8 else 0.0
    if tree.head[BASE] == PLANAR_BASE:
        room.x[0] = room.x[1] = room.x[2] = 0.0


@lean
def write_features(tree, room, table, i):
    """Writes the features of every task at a placement, for the body and for its branch."""
    reference, n = int(tree.head[REFERENCE]), tree.variables.shape[0]
    origin = EYE
    if reference >= 0:
        task = tree.tasks[reference]
        origin = stand(tree, task, joined(room.T[int(task[LINK]) + 1], task, TIP))
    back = behind(origin, EYE)
    for k in range(12):
        table.entries[i, n + k] = back[k]
    for t in range(tree.tasks.shape[0]):
        task = tree.tasks[t]
        if task[TASK] == CENTRE_OF_MASS:
            c = weigh(tree, room)
            tip = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, c[0], c[1], c[2])
        else:
            tip = joined(room.T[int(task[LINK]) + 1], task, TIP)
        seen = behind(origin, tip)
        if task[TASK] == RELATIVE:
            seen = behind(joined(room.T[int(task[OTHER]) + 1], task, OTHER_TIP), tip)
        describe(tree, task, WHOLE, seen, axis_of(task, seen), room.f)
        for k in range(FEATURES):
            table.keys[WHOLE, t, k, i] = room.f[k]
        seen = behind(room.T[int(task[SHARED]) + 1], tip)
        describe(tree, task, BRANCH, seen, axis_of(task, seen), room.f)
        for k in range(FEATURES):
            table.keys[BRANCH, t, k, i] = room.f[k]


@leaf
def stand(tree, task, tip):
    """Where a base that moves stands by a tip: its pose, its place and heading on the floor; else the origin.

    Of an orientation alone it is turned there, and stays where it is.
    """
    whole = task[TASK] == POSE and task[WEIGHT_R] > 0.0
    at = 1.0 if task[WEIGHT_P] > 0.0 else 0.0
    px, py, pz = at * tip[9], at * tip[10], at * tip[11]
    if tree.head[BASE] == FREE_BASE:
        if whole:
            return tip[0], tip[1], tip[2], tip[3], tip[4], tip[5], tip[6], tip[7], tip[8], px, py, pz
        return (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, px, py, pz)
    if tree.head[BASE] != PLANAR_BASE:
        return EYE
    c, s = 1.0, 0.0
    if whole:  # the heading of the axis that lies flattest
        a, b, d = tip[0] ** 2 + tip[3] ** 2, tip[1] ** 2 + tip[4] ** 2, tip[2] ** 2 + tip[5] ** 2
        x, y = (tip[0], tip[3]) if a >= b and a >= d else (tip[1], tip[4]) if b >= d else (tip[2], tip[5])
        length = math.sqrt(x * x + y * y)
        c, s = x / length, y / length
    return (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0, px, py, 0.0)


@lean
def describe(tree, task, which, seen, axis, f_out):
    """Writes 12 numbers whose squared distance to those of the goal is a task's weighted squared error."""
    kind, wp, wr = task[TASK], task[WEIGHT_P], HALF_SQRT2 * task[WEIGHT_R]
    for k in range(FEATURES):
        f_out[k] = 0.0
    if kind == LOOK_AT:
        if which == BRANCH:
            for k in range(3):
                f_out[3 + k] = task[WEIGHT_R] * axis[k]
        return
    if kind == CENTRE_OF_MASS:  # seen from a base that turns, one coordinate alone tells nothing
        whole = task[MASK] + task[MASK + 1] + task[MASK + 2] == 3.0 or tree.head[BASE] != FREE_BASE
        for k in range(3):
            f_out[k] = task[MASK + k] * wp * seen[9 + k] if whole and which == WHOLE else 0.0
        return
    for k in range(3):
        f_out[k] = wp * seen[9 + k]
    if kind == POINT_AXIS:
        for k in range(3):
            f_out[3 + k] = task[WEIGHT_R] * axis[k]
    else:
        for k in range(9):
            f_out[3 + k] = wr * seen[k]


@leaf
def direction_of(task, origin):
    """Where a tool axis shall point, seen from a frame."""
    x, y, z = task[DIRECTION], task[DIRECTION + 1], task[DIRECTION + 2]
    return turn_back(origin, x, y, z)


@leaf
def turn_back(A, x, y, z):
    """R' v of a frame."""
    return A[0] * x + A[3] * y + A[6] * z, A[1] * x + A[4] * y + A[7] * z, A[2] * x + A[5] * y + A[8] * z


@lean
def rank_body(tree, room, table):
    """Ranks all entries by the goals of all tips; returns the base's reference frame as the goals have it."""
    reference = int(tree.head[REFERENCE])
    origin = EYE
    if reference >= 0:
        task = tree.tasks[reference]
        origin = stand(tree, task, joined(EYE, task, GOAL))
    distance = room.ranks[WHOLE].view(np.float32)
    for i in range(ENTRIES):
        distance[i] = np.float32(0.0)
    for t in range(tree.tasks.shape[0]):
        task = tree.tasks[t]
        seen = behind(origin, joined(EYE, task, GOAL))
        if task[TASK] == RELATIVE:
            seen = joined(EYE, task, GOAL)
        describe(tree, task, WHOLE, seen, direction_of(task, origin), room.f)
        add_distances(table.keys[WHOLE, t], room.f, distance)
    number(room.ranks[WHOLE])
    return origin


@lean
def add_distances(keys, f, distance):
    """Adds the squared distances of a target's features from those of every entry."""
    for k in range(FEATURES):
        if f[k] != 0.0 or keys[k, 0] != 0.0:
            wanted, row = np.float32(f[k]), keys[k]
            for i in range(ENTRIES):
                away = row[i] - wanted
                distance[i] += away * away


@lean
def number(ranks):
    """Puts each entry's number into the low bits of its rank."""
    for i in range(ENTRIES):
        ranks[i] = (ranks[i] & np.int32(-ENTRIES)) | np.int32(i)


@lean
def rank_behind(ranks, last):
    """The smallest rank above the last one."""
    best = NO_RANK
    for i in range(ENTRIES):
        rank = np.int64(ranks[i])
        best = min(best, rank if rank > last else NO_RANK)
    return best


@lean
def take_entry(tree, room, table, origin, rank):
    """Loads an entry of the table, its base where the reference tip meets its goal."""
    entry = table.entries[rank % ENTRIES]
    n = tree.variables.shape[0]
    for k in range(n):
        room.x[k] = clamp(entry[k], tree.variables[k, LOW], tree.variables[k, HIGH])
    rest_base(tree, room)
    base = joined(origin, entry, n)
    if tree.head[BASE] == FREE_BASE:
        for k in range(12):
            room.x[n + k] = base[k]
    elif tree.head[BASE] == PLANAR_BASE:
        room.x[0] = clamp(base[9], tree.variables[0, LOW], tree.variables[0, HIGH])
        room.x[1] = clamp(base[10], tree.variables[1, LOW], tree.variables[1, HIGH])
        room.x[2] = clamp(math.atan2(base[3], base[0]), tree.variables[2, LOW], tree.variables[2, HIGH])


@lean
def seed_branch(tree, room, table, t, rank):
    """Loads the variables that only task t uses from the entry of a rank, by its goal seen from what it shares.

    The tree is placed.
    """
    task, ranks = tree.tasks[t], room.ranks[BRANCH]
    frame = room.T[int(task[SHARED]) + 1]
    if task[TASK] == RELATIVE:
        goal = joined(joined(room.T[int(task[OTHER]) + 1], task, OTHER_TIP), task, GOAL)
    else:
        goal = joined(EYE, task, GOAL)
    aim = direction_of(task, frame)
    if task[TASK] == LOOK_AT:
        u, _ = look(task, joined(room.T[int(task[LINK]) + 1], task, TIP))
        aim = turn_back(frame, u[0], u[1], u[2])
    describe(tree, task, BRANCH, behind(frame, goal), aim, room.f)
    distance = ranks.view(np.float32)
    for i in range(ENTRIES):
        distance[i] = np.float32(0.0)
    add_distances(table.keys[BRANCH, t], room.f, distance)
    number(ranks)
    last = np.int64(-1)
    for _ in range(rank + 1):
        last = rank_behind(ranks, last)
    entry = table.entries[last % ENTRIES]
    for k in range(tree.variables.shape[0]):
        if tree.private[t, k] != 0.0:
            room.x[k] = clamp(entry[k], tree.variables[k, LOW], tree.variables[k, HIGH])


@leaf
def has_branch(task):
    """Whether a task has variables of its own to start from."""
    return task[OWN] > 0.0 and task[TASK] != CENTRE_OF_MASS
