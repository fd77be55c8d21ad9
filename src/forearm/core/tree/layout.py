"""How a tree of joints, its tasks and its scratch lie in flat arrays, and the named parts that kernels open them into.

A packed tree: a head of single numbers; a row per joint (parents before children, each joint about or along its own z);
mass and centre of the base; a row per variable; how variables are eliminated; a row per task; which variables only one
task uses; the corners of a support, counter-clockwise. Frames are 12 numbers, the rotation row by row, then the point.
Variables of a free base, a shift and a turn, stand in front of those of the joints in every step (`nv = n + 6`), its
pose behind them in every answer (`n + 12`).
"""

from typing import Any, NamedTuple

import numpy as np

from forearm.core.collision.bodies import BODY_COLUMNS, PLACED, World
from forearm.core.collision.obstacle_rows import OBSTACLE_COLUMNS
from forearm.core.jit import leaf, shared
from forearm.core.shaped import shaped

# head: sizes (joints, variables, tasks, whether the base is free, rows that couple branches, longest elimination path
# or 0 for the recursion), then settings; how many corners a support has
M, N, TASKS, FREE, ROWS, DEPTH = 0, 1, 2, 3, 4, 5
MAX_TRIES, RNG_SEED, LEVELS, REFERENCE, BASE, MAX_STEPS, CORNERS = 6, 7, 8, 9, 10, 11, 12
HEAD = 13
FIXED_BASE, PLANAR_BASE, FREE_BASE = 0, 1, 2

# a joint: the joint it stands on (-1 the base), kind, variable, ratio and offset, fixed frame in front, mass, centre
PARENT, KIND, VARIABLE, RATIO, OFFSET, FRONT, WEIGHS, CENTRE = 0, 1, 2, 3, 4, 5, 17, 18
JOINT = 21
# a variable: bounds of a search (none where a whole turn fits), limits, square root of what its posture counts, posture
LOW, HIGH, LOWER, UPPER, STIFF, REST = 0, 1, 2, 3, 4, 5
VARIABLE_NUMBERS = 6
# how a variable is eliminated: the variable behind which it comes (-1 none), how deep, which is taken k-th
UP, DEEP, ORDER = 0, 1, 2

# a task: kind, joint of its link, joint of the other link (-1 the base), level, weights of position [1] and rotation
# [m], tolerances [m] and [rad], the tip in its link, the goal, the tip in the other link, tool axis in the tip, where
# it shall point, which of x, y, z count, last joint that other tasks use too, how many variables are its own;
# of a centre of mass the axis tells whether it only has to stay over the support
TASK, LINK, OTHER, LEVEL, WEIGHT_P, WEIGHT_R, TOL_P, TOL_R = 0, 1, 2, 3, 4, 5, 6, 7
TIP, GOAL, OTHER_TIP, AXIS, DIRECTION, MASK, SHARED, OWN = 8, 20, 32, 44, 47, 50, 53, 54
TASK_NUMBERS = 55
POSE, POINT_AXIS, LOOK_AT, RELATIVE, CENTRE_OF_MASS = 0, 1, 2, 3, 4
AIM = 15  # numbers of a goal that change from call to call: frame and direction

ENTRIES = 1024  # configurations of the table of starts
FEATURES = 12  # most numbers that tell a task's tip apart

# report: squared error left, steps, tries, how far outside limits, the least gap that is too small (infinite if there
# is none) with its body and what it is near to (`core/collision/bodies.py`); then position error, rotation error and
# whether it is met of each task; then -1, 0 or 1 of each variable at its lower limit, at none, at its upper
LEFT, STEPS, TRIES, EXCESS, GAP, BODY, NEAR = 0, 1, 2, 3, 4, 5, 6
REPORT_HEAD = 7


class Tree(NamedTuple):
    """A packed tree, opened."""

    head: Any  # (HEAD,)
    joints: Any  # (m, JOINT)
    base: Any  # (4,) mass and centre of the base
    variables: Any  # (n, VARIABLE_NUMBERS)
    order: Any  # (nv, 3)
    tasks: Any  # (t, TASK_NUMBERS)
    private: Any  # (t, n) 1 where only this task uses the variable
    corners: Any  # (c, 2) of a support


class Room(NamedTuple):
    """Scratch; row 0 of what is per joint is the base."""

    x: Any  # (n + 12) joint values, pose of the base
    kept: Any  # (n + 12) a place to come back to
    best: Any  # (n + 12) the best of a search
    T: Any  # (m+1, 12) frames
    S: Any  # (m+1, 6) screws
    K: Any  # (m+1, 36) stiffness of what hangs on a joint
    U: Any  # (m+1, 6) K s
    D: Any  # (m+1, 2) the pivot, and its inverse where the joint is not held
    V: Any  # (m+1, 6) motions
    F: Any  # (m+1, 6) forces
    H: Any  # (nv, depth) normal equations by depth, where they are eliminated as such
    L: Any  # (nv, depth) their factors
    steps: Any  # (6, nv) step, displacement held, right-hand side, held where, scratch, scratch
    A: Any  # (max(6, rows), max(6, rows) + 1) small systems
    tk: Any  # (t, 36) stiffness of each task
    tf: Any  # (t, 6) force of each task
    te: Any  # (t, 4) squared error of each task, weighted; position error, chord, boost of its level
    J: Any  # (rows, nv) what couples branches
    Y: Any  # (rows, nv)
    ex: Any  # (rows, 2) its errors, scratch
    sums: Any  # (m+1, 4) masses and moments of what hangs on a joint
    f: Any  # (features) of a target
    ranks: Any  # (2, ENTRIES) int32
    tasks: Any  # (t, TASK_NUMBERS) the tasks with goals that a solve may change
    flags: Any  # (3,) how many rows couple; whether postures and gaps count now (1 or 0)
    world: Any  # what it keeps apart; without bodies, nothing
    placed: Any  # (s, 6) where its bodies are


STEP, BOUND, RIGHT, HELD, SPARE, PRODUCT = 0, 1, 2, 3, 4, 5
ERROR, E_P, E_R, BOOST = 0, 1, 2, 3
COUPLED, POSTURES, PUSHED = 0, 1, 2  # of flags
FLAGS = 3


@shared
def tree_numbers(m, n, t, free, corners):
    """How many numbers a packed tree has."""
    return HEAD + JOINT * m + 4 + VARIABLE_NUMBERS * n + 3 * (n + 6 * free) + (TASK_NUMBERS + n) * t + 2 * corners


@shared
def tree_work(m, n, t, free, rows, depth):
    """How many numbers of scratch a call takes."""
    nv, small = n + 6 * free, max(6, rows)
    per_joint = (12 + 6 + 36 + 6 + 2 + 6 + 6 + 4) * (m + 1)
    per_task = (46 + FEATURES + TASK_NUMBERS) * t
    per_step = 6 * nv + 2 * nv * depth + small * (small + 1) + 2 * rows * nv + 2 * rows
    return 3 * (n + 12) + per_joint + per_task + per_step + ENTRIES + FLAGS


@shared
def tree_among_work(m, n, t, free, rows, depth, bodies):
    """How many numbers of scratch a call takes that keeps bodies apart."""
    return tree_work(m, n, t, free, rows, depth) + PLACED * bodies


@shared
def tree_table(n, t):
    """How many numbers a table of starts has."""
    return ENTRIES * (n + 12) + t * FEATURES * ENTRIES


@shared
def tree_report(n, t):
    """How many numbers a report has."""
    return REPORT_HEAD + 3 * t + n


@leaf
def open_tree(numbers):
    """The parts of a packed tree; only for lean kernels."""
    m, n, t, free = int(numbers[M]), int(numbers[N]), int(numbers[TASKS]), int(numbers[FREE])
    nv = n + 6 * free
    head, rest = numbers[:HEAD], numbers[HEAD:]
    joints, rest = shaped(rest[: JOINT * m], (m, JOINT)), rest[JOINT * m :]
    base, rest = rest[:4], rest[4:]
    variables, rest = shaped(rest[: VARIABLE_NUMBERS * n], (n, VARIABLE_NUMBERS)), rest[VARIABLE_NUMBERS * n :]
    order, rest = shaped(rest[: 3 * nv], (nv, 3)), rest[3 * nv :]
    tasks, rest = shaped(rest[: TASK_NUMBERS * t], (t, TASK_NUMBERS)), rest[TASK_NUMBERS * t :]
    private, rest = shaped(rest[: t * n], (t, n)), rest[t * n :]
    corners = int(head[CORNERS])
    return Tree(head, joints, base, variables, order, tasks, private, shaped(rest[: 2 * corners], (corners, 2)))


@leaf
def block(work, rows, columns):
    """An array with rows and columns from the front of scratch, and what is left."""
    return shaped(work[: rows * columns], (rows, columns)), work[rows * columns :]


@leaf
def nothing(work):
    """A world without bodies; only for lean kernels."""
    none = work[:0]
    bodies, pairs = shaped(none, (0, BODY_COLUMNS)), shaped(none.view(np.int64), (0, 2))
    return World(bodies, pairs, bodies, shaped(none, (0, OBSTACLE_COLUMNS)), 0.0)


@leaf
def open_room(tree, world, work):
    """The parts of scratch; only for lean kernels."""
    head = tree.head
    m, n, t, nv = int(head[M]), int(head[N]), int(head[TASKS]), tree.order.shape[0]
    rows, depth = int(head[ROWS]), int(head[DEPTH])
    small = max(6, rows)
    x, kept, best, work = work[: n + 12], work[n + 12 : 2 * n + 24], work[2 * n + 24 : 3 * n + 36], work[3 * n + 36 :]
    T, work = block(work, m + 1, 12)
    S, work = block(work, m + 1, 6)
    K, work = block(work, m + 1, 36)
    U, work = block(work, m + 1, 6)
    D, work = block(work, m + 1, 2)
    V, work = block(work, m + 1, 6)
    F, work = block(work, m + 1, 6)
    sums, work = block(work, m + 1, 4)
    H, work = block(work, nv, depth)
    L, work = block(work, nv, depth)
    steps, work = block(work, 6, nv)
    A, work = block(work, small, small + 1)
    tk, work = block(work, t, 36)
    tf, work = block(work, t, 6)
    te, work = block(work, t, 4)
    J, work = block(work, rows, nv)
    Y, work = block(work, rows, nv)
    ex, work = block(work, rows, 2)
    ranks, work = shaped(work[:ENTRIES].view(np.int32), (2, ENTRIES)), work[ENTRIES:]
    f, flags, work = work[: FEATURES * t], work[FEATURES * t : FEATURES * t + FLAGS], work[FEATURES * t + FLAGS :]
    tasks, work = block(work, t, TASK_NUMBERS)
    placed, _ = block(work, world.bodies.shape[0], PLACED)
    return Room(
        x, kept, best, T, S, K, U, D, V, F, H, L, steps, A, tk, tf, te, J, Y, ex, sums, f, ranks, tasks, flags,
        world, placed,
    )  # fmt: skip
