"""The combined method's table and scratch, opened."""

from typing import Any, NamedTuple

from forearm.core.arm.problem import Gauge, Robot
from forearm.core.closed_form.forms.plan import LINE_COLUMNS
from forearm.core.closed_form.forms.srs_nearest import SWIVEL_SCRATCH
from forearm.core.codes import LOWER, UPPER
from forearm.core.combined.codes import BALL, FACTS, FIRST, FORM, MAX_PROBLEMS, PROBLEM_COLUMNS
from forearm.core.combined.fabrik import FENCE_COLUMNS
from forearm.core.combined.sqp import workspace_size
from forearm.core.jit import leaf, shared
from forearm.core.shaped import shaped

FOUND = 3  # numbers that say how good the best answer is (`core/combined/choice.py`)
MOST = 4  # joints that iterate


class Reduction(NamedTuple):
    """An arm reduced to two links."""

    facts: Any  # (17,)
    back: Any  # (4, 4)
    lines: Any  # (n, 7)
    links: Any  # (k+1, 3, 4) of the joints that iterate
    joints: Any  # (k, 3)


class Desk(NamedTuple):
    """The scratch of the combined method."""

    problems: Any  # (20, 29) the two-link problems, see `core/combined/codes.py`
    start: Any  # (n,)
    q: Any  # (n,)
    fences: Any  # (2, 7)
    found: Any  # (3,)
    gauge: Gauge
    two: Robot  # the reduced chain and its limits
    two_q: Any  # (k,)
    sqp: Any  # what the refiner takes
    swivel: Any  # what the search over swivels takes


@shared
def joints_of(form):
    """How many joints an arm of a form has, and how many of them iterate."""
    return (7, 4) if form == BALL else (6, 2)


@shared
def table_size(form):
    """How many numbers the flat table of a form has."""
    n, k = joints_of(form)
    return FACTS + 16 + LINE_COLUMNS * n + 12 * (k + 1) + 3 * k


@shared
def reduction_size(form, n):
    """The same on an arm of n joints; -1 where the form is not for so many."""
    return table_size(form) if n == joints_of(form)[0] else -1


@leaf
def open_reduction(table):
    """A flat table; only for lean kernels."""
    facts, back, rest = table[:FACTS], shaped(table[FACTS : FACTS + 16], (4, 4)), table[FACTS + 16 :]
    n, k = joints_of(facts[FORM])
    lines, rest = shaped(rest[: LINE_COLUMNS * n], (n, LINE_COLUMNS)), rest[LINE_COLUMNS * n :]
    links, joints = shaped(rest[: 12 * (k + 1)], (k + 1, 3, 4)), shaped(rest[12 * (k + 1) :], (k, 3))
    return Reduction(facts, back, lines, links, joints)


@shared
def combined_size(m, n):
    """How many numbers of scratch a call takes; the two-link problems stand first in it."""
    own = MAX_PROBLEMS * PROBLEM_COLUMNS + 2 * n + 2 * FENCE_COLUMNS + FOUND + 22
    return own + 3 * MOST + workspace_size(MOST, MOST) + SWIVEL_SCRATCH


@leaf
def open_desk(reduction, limits, work):
    """The scratch, with the limits of the reduced chain in it; only for lean kernels."""
    n, k, first = limits.shape[1], reduction.joints.shape[0], int(reduction.facts[FIRST])
    problems = shaped(work[: MAX_PROBLEMS * PROBLEM_COLUMNS], (MAX_PROBLEMS, PROBLEM_COLUMNS))
    rest = work[MAX_PROBLEMS * PROBLEM_COLUMNS :]
    start, q, rest = rest[:n], rest[n : 2 * n], rest[2 * n :]
    fences, rest = shaped(rest[: 2 * FENCE_COLUMNS], (2, FENCE_COLUMNS)), rest[2 * FENCE_COLUMNS :]
    found, rest = rest[:FOUND], rest[FOUND:]
    gauge, rest = Gauge(shaped(rest[:0], (3, 0)), shaped(rest[:16], (4, 4)), rest[16:22]), rest[22:]
    bounds, two_q, rest = shaped(rest[: 2 * k], (2, k)), rest[2 * k : 3 * k], rest[3 * k :]
    for i in range(k):
        bounds[LOWER, i], bounds[UPPER, i] = limits[LOWER, first + i], limits[UPPER, first + i]
    two, size = Robot(reduction.links, reduction.joints, bounds), workspace_size(k, k)
    return Desk(problems, start, q, fences, found, gauge, two, two_q, rest[:size], rest[size:])
