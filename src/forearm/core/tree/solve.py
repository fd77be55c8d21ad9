"""Several goals of one robot: starts, retries by branch, strict levels, and what became of each goal.

A start is tried boldly; after a stall only the branches whose goals are far are started anew, three times, then the
whole body. Strict levels come one after the other: the goals of a level are pulled while those above it count a
thousand times as much, then those above are brought back to their tolerances alone.
"""

import math

import numpy as np

from forearm.core.codes import BAD_START, BAD_TARGET, COLLISION, NOT_CONVERGED, PRISMATIC, SOLVED
from forearm.core.collision.bodies import World, is_clear, worst_gap
from forearm.core.general.solve import turn_near
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import clamp, copy_rows, middle, next_random
from forearm.core.tree.among import place_bodies
from forearm.core.tree.layout import (
    AIM,
    AXIS,
    BASE,
    BODY,
    BOOST,
    CENTRE_OF_MASS,
    DIRECTION,
    ERROR,
    EXCESS,
    FREE_BASE,
    GAP,
    GOAL,
    HELD,
    HIGH,
    KIND,
    LEFT,
    LEVEL,
    LEVELS,
    LINK,
    LOOK_AT,
    LOW,
    LOWER,
    MAX_STEPS,
    MAX_TRIES,
    NEAR,
    OTHER,
    OTHER_TIP,
    PLANAR_BASE,
    POSTURES,
    PUSHED,
    RATIO,
    RELATIVE,
    REPORT_HEAD,
    RNG_SEED,
    SHARED,
    STEPS,
    STIFF,
    TASK,
    TIP,
    TOL_P,
    TOL_R,
    TRIES,
    UPPER,
    VARIABLE,
    WEIGHT_P,
    WEIGHT_R,
    Tree,
    nothing,
    open_room,
    open_tree,
)
from forearm.core.tree.lm import bold, careful
from forearm.core.tree.place import behind, joined, place, weigh
from forearm.core.tree.starts import (
    EYE,
    WHOLE,
    draw,
    has_branch,
    open_table,
    rank_behind,
    rank_body,
    seed_branch,
    take_entry,
)
from forearm.core.tree.tasks import axis_of, centre_error, errors_of, look

RETRIES = 3  # of branches behind one start of the body
BODIES = 8  # entries of the table before starts are random
FAR = 0.05  # share of the squared error from which on a branch is started anew
POLISH = 80  # steps spent on the nearest pose when no try arrived
TOGETHER = 8  # tries for all levels at once, before they are taken one by one
STIFFER = 1e3  # what a level counts against the one below it
SOFT, SOFT_STEPS = 1e2, 12  # the same of a start for the first level, and its steps
RESTORE = 20  # steps that bring the levels above back
SLACK = 1e-9  # of a limit [rad or m]
MET = 1e6  # what a search counts goals that are met as, in metres of overlap
LEAST_LACK = 1e-12  # of a gap that is too small [m]
ANY_RANK = 48  # ranks from which branches are started among obstacles, the nearer ones more often


@lean
def solve_tree(numbers, table, start, work, x_out, report_out):
    """Writes joint values and the base's pose that meet all goals, or come nearest; returns a status code.

    `start` has joint values and the base's pose, or nothing. `work` has `tree_work(...)` numbers.
    """
    tree = open_tree(numbers)
    return answer(tree, open_room(tree, nothing(work), work), table, start, x_out, report_out)


@lean
def solve_tree_among(numbers, table, start, bodies, pairs, obstacles, clearance, work, x_out, report_out):
    """As `solve_tree`, and bodies keep a clearance from obstacles and from each other (`core/collision/bodies.py`)."""
    tree = open_tree(numbers)
    room = open_room(tree, World(bodies, pairs, obstacles, clearance), work)
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


@lean
def set_boosts(tree, room, first, last, factor):
    """Lets the tasks of some levels count, each `factor` times as much as those one level below."""
    for t in range(tree.tasks.shape[0]):
        level = int(tree.tasks[t, LEVEL])
        room.te[t, BOOST] = factor ** float(last - level) if first <= level <= last else 0.0


@leaf
def load(x, room):
    """Copies joint values and the base's pose to where steps are taken."""
    for k in range(x.shape[0]):
        room.x[k] = x[k]


@lean
def search(tree, room, table, start, budget):
    """Tries one start after another for the tasks that count; whether one arrived, steps and tries.

    The best of them is in `room.best`, and in `room.x` what arrived.
    """
    n, most = tree.variables.shape[0], int(tree.head[MAX_STEPS])
    best, steps, tries = math.inf, 0, 0
    state, last, bodies, retry = np.uint64(tree.head[RNG_SEED] + 1), np.int64(-1), 0, RETRIES
    origin = EYE
    for tries in range(1, budget + 1):
        if tries == 1 and start.shape[0] > 0:
            load(start, room)
            for k in range(n):
                room.x[k] = clamp(room.x[k], tree.variables[k, LOW], tree.variables[k, HIGH])
            retry = 0
        else:
            fresh = start_branches(tree, room, table, retry + 1, bodies) if retry < RETRIES else 0
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
def among(room):
    """Whether bodies are to be kept apart."""
    return room.world.bodies.shape[0] > 0


@lean
def overlap(tree, room):
    """How much the worst gap lacks where the joints stand [m]; 0 if all are large enough. Only for what is placed."""
    place_bodies(room)
    if is_clear(room.world, room.placed):
        return 0.0
    gap, _, _ = worst_gap(room.world, room.placed)
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
    if bodies < BODIES:
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
            seed_branch(tree, room, table, t, rank + 4 * max(bodies - 1, 0) if is_alone(tree, t) else rank)
            fresh += 1
    return fresh


@leaf
def branch_rank(tree, t, bodies):
    """The rank from which a branch starts behind a start of the body: past the table's entries it goes on, new ones."""
    if is_alone(tree, t):
        return 4 * bodies
    return bodies % 4 if bodies < BODIES else bodies


@leaf
def is_alone(tree, t):
    """Whether a branch shares nothing, so that no start of the body makes it another: it goes down its own ranks."""
    return tree.tasks[t, SHARED] < 0.0 and tree.head[BASE] != FREE_BASE


# -- strict levels -------------------------------------------------------------------------------


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
        set_boosts(tree, room, 0, level, STIFFER)
        below, _, used = careful(tree, room, POLISH, True)
        steps += used
        if not below:
            steps += restore(tree, room, level - 1)
            place(tree, room)
            if among(room) and overlap(tree, room) > 0.0:  # what is free goes before what is lower
                load(room.best, room)
            settle_for(tree, room, level)
    room.flags[PUSHED] = 0.0
    return met, steps, tries


@lean
def restore(tree, room, level):
    """Brings the levels down to one back to their tolerances, postures aside; the steps."""
    set_boosts(tree, room, 0, level, 1.0)
    postures, room.flags[POSTURES] = room.flags[POSTURES], 0.0
    _, _, used = bold(tree, room, RESTORE)
    room.flags[POSTURES] = postures
    return used


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


# -- what comes out ------------------------------------------------------------------------------


@lean
def finish(tree, room, start, steps, tries, x_out, report_out):
    """Writes the answer, folded into its limits, and measures it anew by its own placement; the status code."""
    n, t = tree.variables.shape[0], tree.tasks.shape[0]
    fold(tree, room, start)
    for k in range(n + 12):
        x_out[k] = room.x[k]
    report_out[STEPS], report_out[TRIES], report_out[LEFT] = steps, tries, 0.0
    code = measure(tree, room, report_out)
    excess = 0.0
    for k in range(n):
        lower, upper = tree.variables[k, LOWER], tree.variables[k, UPPER]
        excess = max(excess, lower - room.x[k], room.x[k] - upper)
        low, high = room.x[k] <= lower + SLACK, room.x[k] >= upper - SLACK
        report_out[REPORT_HEAD + 3 * t + k] = -1.0 if low and not high else 1.0 if high and not low else 0.0
    report_out[EXCESS] = excess
    report_out[GAP], report_out[BODY], report_out[NEAR] = math.inf, -1.0, -1.0
    if among(room):
        place_bodies(room)
        report_out[GAP], report_out[BODY], report_out[NEAR] = worst_gap(room.world, room.placed)
        code = COLLISION if code == SOLVED and report_out[GAP] < math.inf else code
    return code if excess <= SLACK else NOT_CONVERGED


@lean
def measure(tree, room, report_out):
    """Places the tree at `room.x` and writes position error [m], rotation error [rad] and verdict of each task."""
    place(tree, room)
    code = SOLVED
    for t in range(tree.tasks.shape[0]):
        task, at = tree.tasks[t], REPORT_HEAD + 3 * t
        e_p, e_r = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if task[TASK] == CENTRE_OF_MASS:
            c = weigh(tree, room)
            e_p = centre_error(tree, task, c)
        else:
            e_p, e_r, _ = errors_of(task, room)
        p = math.sqrt(e_p[0] ** 2 + e_p[1] ** 2 + e_p[2] ** 2) if task[WEIGHT_P] > 0.0 else 0.0
        chord = math.sqrt(e_r[0] ** 2 + e_r[1] ** 2 + e_r[2] ** 2) if task[WEIGHT_R] > 0.0 else 0.0
        angle = 2.0 * math.asin(min(0.5 * chord, 1.0))
        met = p <= task[TOL_P] and angle <= task[TOL_R]
        report_out[at], report_out[at + 1], report_out[at + 2] = p, angle, 1.0 if met else 0.0
        report_out[LEFT] += task[WEIGHT_P] ** 2 * p * p + task[WEIGHT_R] ** 2 * chord * chord
        code = code if met else NOT_CONVERGED
    return code


@lean
def fold(tree, room, start):
    """Brings joints that turned freely to the representative nearest to the start inside their limits."""
    for k in range(tree.variables.shape[0]):
        lower, upper = tree.variables[k, LOWER], tree.variables[k, UPPER]
        if tree.variables[k, LOW] < lower or tree.variables[k, HIGH] > upper or math.isinf(upper - lower):
            if not turns(tree, k):
                continue
            reference = start[k] if start.shape[0] > 0 else middle(lower, upper)
            room.x[k] = clamp(turn_near(room.x[k], reference, lower, upper), lower, upper)


@lean
def turns(tree, k):
    """Whether a variable drives joints that turn, one to one."""
    whole = True
    for i in range(tree.joints.shape[0]):
        if int(tree.joints[i, VARIABLE]) == k and (
            tree.joints[i, KIND] == PRISMATIC or abs(tree.joints[i, RATIO]) != 1.0
        ):
            whole = False
    return whole
