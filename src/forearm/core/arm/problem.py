"""A problem as Python hands it to a kernel, and what kernels hand to each other.

Every method's kernel is called as `kernel(problem, table, goal, start, work, q_out, report_out)` and returns a
status code. `problem` is one flat array: head, settings of the method, terms, limits, links, joints, compact
chain (`core/arm/compact.py`), facts about it; first what may change from call to call, then what belongs to the
robot. `table` is a flat array of the method's own, zero-length if it needs none, `goal` the target's frame (4, 4),
`start` a configuration or zero-length, `work` scratch that the caller lends. A compiled loop over many targets is
called as `loop(problem, table, limits, goals, terms, starts, work, q_out, report_out, codes_out)`.

What enters is opened here, once, and travels from kernel to kernel as named tuples. They cost nothing: compiled
code passes their parts.
"""

from typing import Any, NamedTuple

from forearm.core.arm.compact import CHAIN_COLUMNS
from forearm.core.codes import LOWER, TERMS, UPPER
from forearm.core.jit import leaf, shared
from forearm.core.shaped import shaped

# places in the head of a problem: moving joints, kind of target; and where what follows it begins
JOINTS, ASKED, HEAD = 0, 1, 2
SETTINGS = 8  # numbers of settings that a problem has room for
TERMS_PLACE = HEAD + SETTINGS
LIMITS_PLACE = TERMS_PLACE + TERMS
# places in `facts`: the chain's reach and unit of length [m]; of its folded ends (`core/general/fold.py`), how far
# the wrist slides along the last axis [m], and whether the first and the last joint are folded; whether its base
# drives, and, three numbers, the direction in the first joint's frame that it does not drive along (`arm/driving.py`);
# and, two numbers, where its front is (`arm/branches/front.py`)
REACH, LENGTH, SLIDE, FOLD_FIRST, FOLD_LAST, DRIVEN, UP, FRONT = 0, 1, 2, 3, 4, 5, 6, 9
FACTS = 11


class Robot(NamedTuple):
    """A chain and its limits, as `core/codes.py` describes them."""

    links: Any  # (m+1, 3, 4)
    joints: Any  # (m, 3)
    limits: Any  # (2, n)


class Goal(NamedTuple):
    """What the tip shall meet, as `core/codes.py` describes it."""

    pose: Any  # (4, 4)
    kind: Any  # int
    terms: Any  # (15,)


class Gauge(NamedTuple):
    """What a measurement of the tip works with and leaves behind."""

    trig: Any  # (3, k >= m) angles, sines and cosines of the joints
    T: Any  # (4, 4) pose of the tip
    e: Any  # (6,) its error


class Problem(NamedTuple):
    """A problem, opened."""

    robot: Robot
    goal: Goal
    settings: Any  # (8,), places by method
    chain: Any  # (m+1, 12)
    facts: Any  # (11,)


@shared
def problem_size(m, n):
    """How many numbers a flat problem has; -1 for more variables than joints, which no robot has."""
    return LIMITS_PLACE + 2 * n + (12 + CHAIN_COLUMNS) * (m + 1) + 3 * m + FACTS if n <= m else -1


@shared
def own_problem_size(m, n):
    """The same where every joint has a variable of its own; -1 for any other robot."""
    return problem_size(m, n) if m == n else -1


@leaf
def open_problem(problem, pose, n):
    """The parts of a flat problem of n variables; only for lean kernels, since they are arrays."""
    m = int(problem[JOINTS])
    limits, rest = shaped(problem[LIMITS_PLACE : LIMITS_PLACE + 2 * n], (2, n)), problem[LIMITS_PLACE + 2 * n :]
    links, rest = shaped(rest[: 12 * (m + 1)], (m + 1, 3, 4)), rest[12 * (m + 1) :]
    joints, chain = shaped(rest[: 3 * m], (m, 3)), shaped(rest[3 * m : -FACTS], (m + 1, CHAIN_COLUMNS))
    goal = Goal(pose, int(problem[ASKED]), problem[TERMS_PLACE:LIMITS_PLACE])
    return Problem(Robot(links, joints, limits), goal, problem[HEAD:TERMS_PLACE], chain, rest[-FACTS:])


@leaf
def row_of(array, i):
    """The row of target i in an array with one row each, or one for all."""
    return i if array.shape[0] > 1 else 0


@leaf
def change(problem, terms, limits, i, first):
    """Writes the terms and limits of target i into a problem; those that all targets share but the first time."""
    n = limits.shape[2]
    if first or terms.shape[0] > 1:
        for k in range(TERMS):
            problem[TERMS_PLACE + k] = terms[row_of(terms, i), k]
    if first or limits.shape[0] > 1:
        for k in range(n):
            problem[LIMITS_PLACE + k] = limits[row_of(limits, i), LOWER, k]
            problem[LIMITS_PLACE + n + k] = limits[row_of(limits, i), UPPER, k]
