"""What is asked of an arm, what comes of it, and the one road between them.

`ask` is the only function that calls a method's kernel, `ask_many` the only one that calls its compiled
loop; `run` asks one method behind the other. A single solve, the fast road's tail, a batch and a solve
among obstacles all go through here.
"""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from forearm.arm.structure import Kind
from forearm.arm.tables import Prepared
from forearm.common.types import Floats
from forearm.core.codes import (
    INEXACT,
    ITERATIONS,
    NOT_CONVERGED,
    POSE,
    POSITION_ERROR,
    REPORT,
    ROTATION_ERROR,
    SOLVED,
    TOL_AXES,
    TOOL_AXIS,
    TRIES,
)
from forearm.core.general.solve import MAX_TRIES, SKIP_TRIES
from forearm.models.model import Model
from forearm.solve.methods.layout import changed
from forearm.solve.methods.options import GeneralOptions
from forearm.solve.methods.table import FORMS, METHODS, Method

AUTO, GENERAL, CLOSED = METHODS["auto"], METHODS["general"], METHODS["closed-form"]
NO_START: Floats = np.empty(0)
SLICE = 16  # tries between two looks at the clock: some hundred microseconds for six joints
# Structures whose branches are finitely many and all known.
COMPLETE = (Kind.UR, Kind.WRIST, Kind.PLANAR, Kind.SCARA)


class Problem(NamedTuple):
    """A question to an arm, as kernels read it; a tuple, since it is made on every call.

    For many targets, goals have a leading axis, and limits, terms and starts one row each or one for all.

    Attributes:
        tables: The robot and its tables.
        kind: The kind of target.
        goal: (4, 4) its frame.
        terms: (14,) its tolerances and axes.
        start: (n,) the start configuration, or of length zero.
        limits: (2, n) the limits to keep.
        settings: The packed options.
        own_limits: (2, n) the limits without the bound on the step from the start, or None if there is none.
        rest: (n,) posture that a redundant arm shall come close to, or None for the start.
        timeout: Seconds after which a search ends, or None.
        explain: Whether a failure shall be explained.
    """

    tables: Prepared
    kind: int
    goal: Floats
    terms: Floats
    start: Floats
    limits: Floats
    settings: Floats
    own_limits: Floats | None = None
    rest: Floats | None = None
    timeout: float | None = None
    explain: bool = True

    @property
    def model(self) -> Model:
        """The chain."""
        return self.tables.model

    def row(self, i: int) -> "Problem":
        """One of many targets."""
        start = row(self.start, i) if len(self.start) else NO_START
        return self._replace(goal=self.goal[i], terms=row(self.terms, i), start=start, limits=row(self.limits, i))

    def only(self, rows: NDArray[np.intp]) -> "Problem":
        """Some of many targets."""
        shared = (self.terms, self.start, self.limits)
        terms, start, limits = (array[rows] if len(array) == len(self.goal) else array for array in shared)
        return self._replace(goal=self.goal[rows], terms=terms, start=start, limits=limits)


class Outcome(NamedTuple):
    """What a method came to.

    Attributes:
        q: (n,) joint values; the nearest found if it did not solve.
        report: What was measured there (`core/codes.py`).
        code: How it ended.
        method: The method that was asked.
    """

    q: Floats
    report: Floats
    code: int
    method: Method

    @property
    def solved(self) -> bool:
        """Whether it meets the target."""
        return self.code == SOLVED


class Asking(Protocol):
    """What asks a method in its own way, as a guard among obstacles does."""

    def ask(self, problem: Problem, method: Method) -> Outcome:
        """Asks one method about one target."""


def row(array: Floats, i: int) -> Floats:
    """The row of target i in an array with one row each, or one for all."""
    return np.asarray(array[i if len(array) > 1 else 0])


# -- who is asked ----------------------------------------------------------------------------------


def stages(
    tables: Prepared, method: Method, kind: int, near: bool, guarded: bool = False, terms: Floats | None = None
) -> tuple[Method, ...]:
    """The methods that answer when one is asked for: each takes what the one before did not solve.

    Args:
        tables: The robot and its tables.
        method: The method that was asked for.
        kind: The kind of target.
        near: Whether there is a start.
        guarded: Whether there are obstacles: then only a form that lists every branch stands in front.
        terms: (14,) of one target; tolerances given axis by axis are for the general solver alone.
    """
    if method is not AUTO:
        if method.arm_fault is None:
            method.check(kind, tables)
        tables.of(method, kind)  # refuses too, once: no later call looks at the axes again
        return (method,)
    if guarded and tables.structure.kind not in COMPLETE:
        return (GENERAL,)
    first = choose(tables, kind, near and not guarded)
    if first is GENERAL or (terms is not None and is_banded(terms)):
        return (GENERAL,)
    return (first, GENERAL)


def choose(tables: Prepared, kind: int, near: bool) -> Method:
    """What `auto` asks first: the closed form where there is one, else the general solver.

    An arm with a swivel has answers all along it: near a start the general solver finds the nearest
    one sooner. With one joint held in turn, it is as sure and faster.
    """
    found = tables.structure.kind
    if kind != POSE or found in (Kind.NONE, Kind.LOCKED) or (near and found is Kind.SRS):
        return GENERAL
    return FORMS[found]


def is_banded(terms: Floats) -> Any:
    """Whether terms give tolerances axis by axis: one answer, or one for each row."""
    return np.isfinite(terms[..., TOL_AXES:TOOL_AXIS]).any(axis=-1)


# -- asking ----------------------------------------------------------------------------------------


def run(problem: Problem, methods: Sequence[Method], guard: Asking | None = None) -> Outcome:
    """Asks one method behind the other until one does better than not to converge.

    Args:
        problem: What is asked.
        methods: Rows of the table of methods, at least one.
        guard: How to ask among obstacles, or None.
    """
    for method in methods:
        if guard is not None:
            outcome = guard.ask(problem, method)
        elif problem.timeout is not None and method.resumes:
            outcome = ask_until(problem, method, problem.timeout)
        else:
            outcome = ask(problem, method)
        if outcome.code != NOT_CONVERGED:
            break
    return outcome


def ask(problem: Problem, method: Method) -> Outcome:
    """Asks one method about one target."""
    tables, kind, goal, terms, start, limits, settings, *_ = problem
    flat, table = tables.of(method, kind)
    kernels, n = method.kernels(table), limits.shape[1]
    q, report, work = np.empty(n), np.empty(REPORT), np.empty(kernels.size(tables.model.m, n))
    own = changed(flat, settings[method.reads_from :], terms, limits)
    return Outcome(q, report, kernels.ask(own, table, goal, start, work, q, report), method)


def ask_many(problem: Problem, method: Method, q_out: Floats, report_out: Floats, codes_out: NDArray[np.int8]) -> None:
    """Asks one method about many targets, in its compiled loop or one by one; other threads run meanwhile."""
    tables, kind, goals, terms, starts, limits, settings, *_ = problem
    flat, table = tables.of(method, kind)
    kernels, one_by_one = method.kernels(table), list(range(len(goals)))
    if kernels.loop is not None:
        work = np.empty(kernels.size(tables.model.m, limits.shape[2]))  # nothing in it outlives a goal
        own = changed(flat, settings[method.reads_from :], terms[0], limits[0])
        kernels.loop(own, table, limits, goals, terms, starts, work, q_out, report_out, codes_out)
        one_by_one = np.flatnonzero(codes_out == INEXACT).tolist()
    for i in one_by_one:
        q_out[i], report, codes_out[i], _ = ask(problem.row(i), method)
        report_out[i, : TRIES + 1] = report[: TRIES + 1]


def search(problem: Problem, tries: int, *, seed: int = 0, skip: int = 0, start: Floats = NO_START) -> Outcome:
    """Asks the general solver once more, with a budget, a seed and a start of its own."""
    settings = GeneralOptions(max_tries=tries, rng_seed=seed, skip_tries=skip).pack(0.0)
    return ask(problem._replace(settings=settings, start=start), GENERAL)


def ask_until(problem: Problem, method: Method, timeout: float) -> Outcome:
    """Asks a method that knows no clock, a slice of its tries at a time, until the time is up; the nearest stays."""
    settings, deadline = problem.settings, time.perf_counter() + timeout
    part, tries, steps = settings.copy(), 0, 0.0
    nearest: Outcome | None = None
    while True:
        part[MAX_TRIES] = min(SLICE, settings[MAX_TRIES] - tries)
        part[SKIP_TRIES] = settings[SKIP_TRIES] + tries
        found = ask(problem._replace(settings=part), method)
        if found.code != NOT_CONVERGED:
            return found
        tries, steps = tries + SLICE, steps + found.report[ITERATIONS]
        if nearest is None or _error(found) < _error(nearest):
            nearest = found
        if tries >= settings[MAX_TRIES] or time.perf_counter() > deadline:
            nearest.report[TRIES], nearest.report[ITERATIONS] = tries, steps
            return nearest


def _error(outcome: Outcome) -> float:
    return float(outcome.report[POSITION_ERROR] + outcome.report[ROTATION_ERROR])
