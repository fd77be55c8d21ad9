"""Several goals of one robot: all levels together, or one after the other, and what became of each goal."""

import math

from forearm.core.codes import BAD_START, BAD_TARGET, RIGID_SLACK, SOLVED, START_SLACK
from forearm.core.collision.bodies import World
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import clamp, copy_rows
from forearm.core.maths.se3 import is_rigid
from forearm.core.tree.finish import finish
from forearm.core.tree.layout import (
    AIM,
    DIRECTION,
    GOAL,
    HELD,
    LEVELS,
    MAX_TRIES,
    POSTURES,
    PUSHED,
    STIFF,
    Tree,
    nothing,
    open_room,
    open_tree,
)
from forearm.core.tree.levels import POLISH, set_boosts, take_levels
from forearm.core.tree.lm import careful
from forearm.core.tree.search import load, search
from forearm.core.tree.starts import open_table

TOGETHER = 8  # tries for all levels at once, before they are taken one by one


@lean
def begin_tree(q0, limits, variables, base, free, start_out):
    """Writes the start of the variables that goals use, clamped, and the base's pose; SOLVED if both can be one.

    `q0` and `limits` are the whole body's; `base` is a (4, 4) pose, the identity unless the base is free.
    """
    n = variables.shape[0]
    if not is_rigid(base, RIGID_SLACK) or not (free or is_origin(base)):
        return BAD_TARGET
    for k in range(q0.shape[0]):
        if not (limits[0, k] - START_SLACK <= q0[k] <= limits[1, k] + START_SLACK and math.isfinite(q0[k])):
            return BAD_START
    for k in range(n):
        v = variables[k]
        start_out[k] = clamp(q0[v], limits[0, v], limits[1, v])
    for i in range(3):
        start_out[n + 9 + i] = base[i, 3]
        for j in range(3):
            start_out[n + 3 * i + j] = base[i, j]
    return SOLVED


@leaf
def is_origin(T):
    """Whether a (4, 4) pose is the identity, to the bit."""
    same = True
    for i in range(4):
        for j in range(4):
            same = same and T[i, j] == (1.0 if i == j else 0.0)
    return same


@lean
def solve_tree(numbers, table, start, work, x_out, report_out):
    """Writes joint values and the base's pose that meet all goals, or come nearest; returns a status code.

    `start` has joint values and the base's pose, or nothing. `work` has `tree_work(...)` numbers.
    """
    tree = open_tree(numbers)
    return answer(tree, open_room(tree, nothing(work), work), table, start, x_out, report_out)


@lean
def solve_tree_among(numbers, table, start, bodies, pairs, charts, obstacles, clearance, work, x_out, report_out):
    """As `solve_tree`, and bodies keep a clearance from obstacles and from each other (`core/collision/bodies.py`)."""
    tree = open_tree(numbers)
    room = open_room(tree, World(bodies, pairs, charts, obstacles, clearance), work)
    return answer(tree, room, table, start, x_out, report_out)


@lean
def answer(tree, room, table, start, x_out, report_out):
    """What a call does, with everything opened."""
    fault = check(tree, start)
    if fault != SOLVED:
        return fault
    seeds = open_table(table, tree.variables.shape[0], tree.tasks.shape[0])
    for v in range(room.steps.shape[1]):
        room.steps[HELD, v] = 0.0
    room.flags[POSTURES], room.flags[PUSHED] = (1.0 if has_posture(tree) else 0.0), 0.0
    levels = int(tree.head[LEVELS])
    set_boosts(tree, room, 0, levels - 1, 1.0)
    budget = int(tree.head[MAX_TRIES])
    met, steps, tries = search(tree, room, seeds, start, min(budget, TOGETHER) if levels > 1 else budget)
    if not met and levels > 1:
        met, more, again = take_levels(with_own_tasks(tree, room), room, seeds, levels, budget)
        steps, tries = steps + more, tries + again
    elif not met:
        load(room.best, room)
        met, _, more = careful(tree, room, POLISH, True)
        steps += more
    return finish(tree, room, start, steps, tries, x_out, report_out)


@lean
def solve_tree_many(numbers, table, goals, starts, work, x_out, report_out, codes_out):
    """Solves each row of goals as a call of its own would; `numbers` is this call's own and is written to."""
    tree = open_tree(numbers)
    for i in range(goals.shape[0]):
        for t in range(tree.tasks.shape[0]):
            for k in range(12):
                tree.tasks[t, GOAL + k] = goals[i, t, k]
            for k in range(3):
                tree.tasks[t, DIRECTION + k] = goals[i, t, 12 + k]
        start = starts[i if starts.shape[0] > 1 else 0] if starts.shape[0] > 0 else work[:0]
        codes_out[i] = solve_tree(numbers, table, start, work, x_out[i], report_out[i])


@lean
def check(tree, start):
    """Whether all numbers of goals and start are finite."""
    for t in range(tree.tasks.shape[0]):
        for k in range(AIM):
            if not math.isfinite(tree.tasks[t, (GOAL + k) if k < 12 else (DIRECTION + k - 12)]):
                return BAD_TARGET
    for k in range(start.shape[0]):
        if not math.isfinite(start[k]):
            return BAD_START
    return SOLVED


@leaf
def with_own_tasks(tree, room):
    """The same tree with tasks in scratch, whose goals may be changed."""
    copy_rows(tree.tasks, room.tasks)
    return Tree(tree.head, tree.joints, tree.base, tree.variables, tree.order, room.tasks, tree.private, tree.corners)


@leaf
def has_posture(tree):
    """Whether a variable has a posture to stay near."""
    found = False
    for k in range(tree.variables.shape[0]):
        found = found or tree.variables[k, STIFF] != 0.0
    return found
