"""What is asked of an arm, what comes of it, and the one road between them.

`ask` is the only function that calls a method's kernel, `ask_many` the only one that calls its compiled
loop; `run` asks one method behind the other; `solved` is the only one that calls an answer solved. A single
solve, the fast road's tail, a batch and a solve among obstacles all go through here.
"""

import functools
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from forearm.arm.motion import jacobian, tip_pose
from forearm.arm.structure import Kind
from forearm.arm.tables import Prepared
from forearm.common.options import Options
from forearm.common.threads import UNHEARD, attend, heed
from forearm.common.types import Floats
from forearm.core import codes
from forearm.core.arm.goal import FINISH_SCRATCH, finish
from forearm.core.arm.problem import HEAD, SETTINGS
from forearm.core.general.solve import MAX_TRIES, SKIP_TRIES
from forearm.models.model import Model
from forearm.results.solution import Solution, Status
from forearm.solve.methods.layout import NO_SETTINGS, changed
from forearm.solve.methods.options import GeneralOptions
from forearm.solve.methods.table import FORMS, METHODS, Method
from forearm.targets.target import ROWS, default_terms

AUTO, GENERAL, CLOSED = METHODS["auto"], METHODS["general"], METHODS["closed-form"]
NO_START: Floats = np.empty(0)
# Which of the tolerances in terms are lengths.
LENGTHS = np.array([True, False, True, True, True, False, False, False])
STEPS = GeneralOptions().max_iterations
POSE_TERMS = default_terms()  # of a bare pose: its tolerances are not given axis by axis
POSE_BYTES = POSE_TERMS.tobytes()
# What a step of a search takes for each joint [s], and the options that say how many steps there are at most.
STEP_TIME = 1.5e-7
BUDGETS = ("max_tries", "max_iterations", "restarts", "sweeps", "n_l")
Answer = TypeVar("Answer", bound=Solution)
# A singular value below this share of the largest is none: the tip does not feel that motion.
UNFELT = 1e-6
SLICE = 16  # tries between two looks at the clock: some hundred microseconds for six joints
# Structures whose branches are finitely many and all known.
COMPLETE = (Kind.UR, Kind.WRIST, Kind.PLANAR, Kind.SCARA)


class Problem(NamedTuple):
    """A question to an arm, as kernels read it; a tuple, since it is made on every call.

    For many targets, goals have a leading axis, and limits, terms and starts one row each or one for all.
    """

    tables: Prepared
    kind: int
    goal: Floats  # (4, 4) the target's frame
    terms: Floats  # (15,) its tolerances and axes
    start: Floats  # (n,), or of length zero
    limits: Floats  # (2, n) to keep
    settings: Floats  # the packed options
    own_limits: Floats | None = None  # (2, n) without the bound on the step from the start, if there is one
    rest: Floats | None = None  # (n,) posture that a redundant arm should come close to; by default the start
    timeout: float | None = None  # [s] after which a search ends
    explain: bool = True  # whether a failure should be explained

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
    """What a method came to."""

    q: Floats  # (n,) joint values; the nearest found if it did not solve
    report: Floats  # what was measured there (`core/codes.py`)
    code: int  # how it ended
    method: Method

    @property
    def solved(self) -> bool:
        """Whether it meets the target."""
        return self.code == codes.SOLVED


class Bound(NamedTuple):
    """A kernel with what it takes in front of a target; kept as long as settings, limits and terms stay.

    Arrays of settings and limits are never written to again; a target's terms might be, so these are their bytes.
    """

    settings: Floats
    limits: Floats
    terms: bytes
    kernel: Callable[..., int]
    polish: Callable[..., int] | None  # what to ask where the kernel says INEXACT
    scratch: int  # how many numbers of scratch both take
    arrays: tuple[Any, ...]  # the flat problem first
    is_long: bool = False  # whether an answer may take so long that somebody interrupts it


class Binding(Protocol):
    """What binds a method's kernel to more than the arm, as a guard does, and keeps it."""

    @property
    def bound(self) -> dict[tuple[str, int], Bound]:
        """What it keeps, by method and kind of target."""

    def bind(self, problem: Problem, method: Method) -> Bound:
        """What answers for a method."""


def row(array: Floats, i: int) -> Floats:
    """The row of target i in an array with one row each, or one for all."""
    return np.asarray(array[i if len(array) > 1 else 0])


# -- who is asked ----------------------------------------------------------------------------------


def stages(
    tables: Prepared, method: Method, kind: int, near: bool, guarded: bool = False, terms: Floats = POSE_TERMS
) -> tuple[Method, ...]:
    """The methods that answer when one is asked for: each takes what the one before did not solve.

    With a start they are asked `near` it; among obstacles (`guarded`) only a form that lists every branch stands
    in front; tolerances given axis by axis (in the `terms` of one target) are for the general solver alone.
    """
    asked = (method.name, kind, near, guarded)
    found: tuple[Method, ...] | None = tables.stages.get(asked)
    if found is None:
        found = tables.stages[asked] = _find_stages(tables, method, kind, near, guarded)
    plain = len(found) == 1 or terms is POSE_TERMS or terms.tobytes() == POSE_BYTES
    return found if plain or not is_banded(terms) else found[1:]


def _find_stages(tables: Prepared, method: Method, kind: int, near: bool, guarded: bool) -> tuple[Method, ...]:
    """What `stages` keeps.

    An arm with a swivel has answers all along it: near a start the general solver finds the nearest
    one sooner. With one joint held in turn, it is as sure and faster than the closed form.
    """
    if method is not AUTO:
        method.check(kind, tables)
        return (method, GENERAL) if guarded and method is not GENERAL else (method,)
    found = tables.structure.kind
    slow = found in (Kind.NONE, Kind.LOCKED) or (near and found is Kind.SRS)
    if kind != codes.POSE or slow or (guarded and found not in COMPLETE):
        return (GENERAL,)
    return FORMS[found], GENERAL


def is_banded(terms: Floats) -> Any:
    """Whether terms give tolerances axis by axis: one answer, or one for each row."""
    return np.isfinite(terms[..., codes.TOL_AXES : codes.OPENED]).any(axis=-1)


def wide(terms: Floats, metre: float) -> Floats:
    """Tolerances that answers may lie anywhere in; 0 for those that are narrow for the arm, or free."""
    tolerances = terms[..., : codes.OPENED]
    least = codes.WIDE * np.where(LENGTHS, metre, 1.0)
    return np.where((tolerances >= least) & (tolerances < math.inf), tolerances, 0.0)


def open_wide(terms: Floats, metre: float) -> Floats:
    """Terms with answers anywhere inside wide tolerances: their middle, aimed at first, may be out of reach."""
    is_wide = (wide(terms, metre) > 0.0).any(axis=-1)
    if not is_wide.any():
        return terms
    terms = terms.copy()
    terms[..., codes.OPENED] = metre * is_wide
    return terms


def is_redundant(tables: Prepared, kind: int, terms: Floats) -> bool:
    """Whether joints are left to move while what a target asks for stands still; kept for each kind of question.

    What counts is the rank that the rows of the Jacobian have which it asks for, not their number: the tip of a planar
    arm feels three of six. It is looked at in one posture, which is nothing special.
    """
    model = tables.model
    if model.n > ROWS[kind]:
        return True
    norms = np.repeat(terms[[codes.TOL_POSITION, codes.TOL_ROTATION]], 3)
    asked = np.isfinite(np.minimum(norms, terms[codes.TOL_AXES : codes.OPENED]))
    axis = terms[codes.TOOL_AXIS : codes.DIRECTION]
    found = tables.spare.get(key := (kind, asked.tobytes(), axis.tobytes()))
    if found is None:
        q = np.sin(1.0 + np.arange(model.n))
        R, J = tip_pose(model, q)[:3, :3], jacobian(model, q)
        if kind in (codes.POSE, codes.ORIENTATION):  # their axes are the target's own
            J = np.vstack([R.T @ J[:3], R.T @ J[3:]])
        turns = np.cross(R @ axis, J[3:], axisb=0, axisc=0) if kind == codes.POINT_AXIS else J[3:][asked[3:]]
        rows = np.vstack([J[:3][asked[:3]], tables.rotation_weight * turns])
        felt = np.linalg.svd(rows, compute_uv=False)
        found = tables.spare[key] = bool(np.count_nonzero(felt > UNFELT * felt[0]) < model.n)
    return found


def is_exact(problem: Problem) -> bool:
    """Whether a whole pose is asked, with one tolerance for its position and one for its rotation."""
    if problem.kind != codes.POSE:
        return False
    terms = problem.terms
    return terms is POSE_TERMS or bool(np.isfinite(terms[:2]).all() and not is_banded(terms))


def opened(problem: Problem) -> Problem:
    """The problem with its wide tolerances opened."""
    return problem._replace(terms=open_wide(problem.terms, problem.tables.metre))


# -- asking ----------------------------------------------------------------------------------------


def run(problem: Problem, methods: Sequence[Method], guard: Binding | None = None) -> Outcome:
    """Asks one method behind the other until one does better than not to converge."""
    for method in methods:
        if problem.timeout is not None and method.resumes:
            outcome = ask_until(problem, method, problem.timeout)
        else:
            outcome = ask(problem, method, guard)
        if outcome.code != codes.NOT_CONVERGED:
            break
    return outcome


def ask(problem: Problem, method: Method, guard: Binding | None = None) -> Outcome:
    """Asks one method about one target, among obstacles if there is a guard."""
    tables, kind, goal, terms, start, limits, settings, _, _, _, _ = problem
    kept = tables.bound if guard is None else guard.bound
    bound: Bound | None = kept.get((method.name, kind))
    if bound is None or bound[0] is not settings or bound[1] is not limits or bound[2] != terms.tobytes():
        bound = kept[method.name, kind] = (bind if guard is None else guard.bind)(problem, method)
    return answer(bound, goal, start, method)


def answer(bound: Bound, goal: Floats, start: Floats, method: Method) -> Outcome:
    """What a bound kernel comes to for a goal and a start."""
    _, limits, _, kernel, polish, scratch, arrays, is_long = bound
    q, report, work = np.empty(limits.shape[1]), np.empty(codes.REPORT), np.empty(scratch)
    if is_long:
        code = ask_long(kernel, arrays, goal, start, work, q, report)
    else:
        code = kernel(*arrays, goal, start, work, q, report)
    if code == codes.INEXACT and polish is not None:
        code = polish(*arrays, goal, start, work, q, report)
    return Outcome(q, report, code, method)


def ask_long(kernel: Callable[..., int], arrays: tuple[Any, ...], *asked: Any) -> int:
    """Asks a kernel that may take long, in a thread of its own: an interrupt takes its budget away, which ends it."""
    own = arrays[0].copy()  # the budget of this call alone

    def take_budget() -> None:
        own[HEAD : HEAD + SETTINGS] = -1.0

    return int(attend(lambda: kernel(own, *arrays[1:], *asked), take_budget))


def longest(problem: Problem, method: Method, per_try: float = 0.0) -> float:
    """About how long a method may take for a target it does not solve [s]; each try may take a while more."""
    steps, tries = _most_steps(method.options, method.rounds, problem.settings.tobytes())  # type: ignore[arg-type]
    return STEP_TIME * problem.model.n * steps + per_try * tries


@functools.lru_cache(maxsize=256)
def _most_steps(options: type[Options], rounds: int, packed: bytes) -> tuple[float, float]:
    """How many steps and tries packed options allow a method; counted once, as the same ones come again and again."""
    settings = zip(fields(options), np.frombuffer(packed).tolist(), strict=False)
    budgets = {item.name: float(count) for item, count in settings if item.name in BUDGETS}
    if not budgets:
        return 0.0, 0.0  # formulas
    sweeps, tries = budgets.pop("n_l", 0.0) + budgets.pop("sweeps", 0.0), budgets.get("max_tries", 0.0)
    steps = math.prod(1.0 + count if name == "restarts" else count for name, count in budgets.items())
    return rounds * steps + max(tries, 1.0) * sweeps, tries


def solved(problem: Problem, q: Floats, method: str, report: Floats, made: type[Answer], *more: Any) -> Answer | None:
    """The solution (or branch) that q makes if it meets the target; None if it does not.

    Nothing else in the library calls an answer solved, but for the kernels that measure their own: whatever a search
    has said, q is measured here by forward kinematics against the target, the tolerances and the limits of the call.
    """
    tables, kind, goal, terms, _, limits, *_ = problem
    kept, asked_by = tables.measured.get(kind), terms.tobytes()
    if kept is None or kept[0] is not limits or kept[1] != asked_by:  # as in `ask`
        flat, _ = tables.of(GENERAL, kind)
        kept = tables.measured[kind] = limits, asked_by, changed(flat, NO_SETTINGS, terms, limits)
    measured = np.empty(codes.REPORT)
    if finish(kept[2], goal, q, np.empty(FINISH_SCRATCH), measured) != codes.SOLVED:
        report[: codes.LIMIT_EXCESS + 1] = measured[: codes.LIMIT_EXCESS + 1]  # what is told is what denied it
        return None
    return made(q, Status.SOLVED, method, report, *more)


def bind(problem: Problem, method: Method) -> Bound:
    """What answers for a method without obstacles."""
    tables, kind, _, terms, _, limits, settings, *_ = problem
    flat, table = tables.of(method, kind)
    kernels, own = method.kernels(table), changed(flat, settings[method.reads_from :], terms, limits)
    scratch = kernels.size(tables.model.m, limits.shape[1])
    long = longest(problem, method) > UNHEARD
    return Bound(settings, limits, terms.tobytes(), kernels.solve, kernels.polish, scratch, (own, table), long)


def ask_many(problem: Problem, method: Method, q_out: Floats, report_out: Floats, codes_out: NDArray[np.int8]) -> None:
    """Asks one method about many targets, in its compiled loop or one by one; other threads run meanwhile."""
    tables, kind, goals, terms, starts, limits, settings, *_ = problem
    flat, table = tables.of(method, kind)
    kernels, each = method.kernels(table), longest(problem, method)
    one_by_one: Iterable[int] = range(len(goals))
    if kernels.loop is not None and each <= UNHEARD:
        work = np.empty(kernels.size(tables.model.m, limits.shape[2]))  # nothing in it outlives a goal
        own = changed(flat, settings[method.reads_from :], terms[0], limits[0])
        at_once = len(goals) if each == 0.0 else int(UNHEARD / each)  # so that none of them leave an interrupt unheard
        for first in range(0, len(goals), at_once):
            heed()
            rows = slice(first, first + at_once)
            some = (array[rows] if len(array) == len(goals) else array for array in (limits, goals, terms, starts))
            kernels.loop(own, table, *some, work, q_out[rows], report_out[rows], codes_out[rows])
        one_by_one = () if kernels.polish is None else (codes_out == codes.INEXACT).nonzero()[0].tolist()
    for i in one_by_one:
        heed()
        q_out[i], report, codes_out[i], _ = ask(problem.row(i), method)
        report_out[i, : codes.TRIES + 1] = report[: codes.TRIES + 1]


def search(
    problem: Problem, tries: int, *, steps: int = STEPS, seed: int = 0, skip: int = 0, start: Floats = NO_START
) -> Outcome:
    """Asks the general solver once more, with budgets of tries and of steps in each, a seed and a start of its own.

    The middle of wide tolerances is asked for first: it draws a search in, where their rim lets it end.
    """
    asked = problem._replace(settings=_budget(tries, steps, seed, skip), start=start)
    found = ask(asked, GENERAL)
    if found.solved:
        return found
    anywhere = opened(asked)
    return found if anywhere.terms is asked.terms else ask(anywhere, GENERAL)


def each_try(problem: Problem, count: int, seed: int) -> Iterator[Outcome]:
    """What each of the first tries comes to as a `search` of its own; bound once, as only their numbers differ."""
    asked = problem._replace(settings=_budget(1, STEPS, seed, 0))
    anywhere = opened(asked)
    bounds = [bind(each, GENERAL) for each in ((asked,) if anywhere.terms is asked.terms else (asked, anywhere))]
    for skip in range(count):
        for bound in bounds:
            bound.arrays[0][HEAD + SKIP_TRIES] = skip
            found = answer(bound, problem.goal, NO_START, GENERAL)
            if found.solved:
                break
        yield found


@functools.lru_cache(maxsize=256)
def _budget(tries: int, steps: int, seed: int, skip: int) -> Floats:
    """The packed options of a search, checked once: looking for reasons asks for the same ones again and again."""
    packed = GeneralOptions(max_tries=tries, max_iterations=steps, rng_seed=seed, skip_tries=skip).pack(0.0)
    packed.setflags(write=False)
    return packed


def ask_until(problem: Problem, method: Method, timeout: float) -> Outcome:
    """Asks a method that knows no clock, a slice of its tries at a time, until the time is up; the nearest stays."""
    settings, deadline = problem.settings, time.perf_counter() + timeout
    tries, steps = 0, 0.0
    nearest: Outcome | None = None
    while True:
        part = settings.copy()
        part[MAX_TRIES] = min(SLICE, settings[MAX_TRIES] - tries)
        part[SKIP_TRIES] = settings[SKIP_TRIES] + tries
        found = ask(problem._replace(settings=part), method)
        if found.code != codes.NOT_CONVERGED:
            return found
        tries, steps = tries + SLICE, steps + found.report[codes.ITERATIONS]
        if nearest is None or _error(found) < _error(nearest):
            nearest = found
        if tries >= settings[MAX_TRIES] or time.perf_counter() > deadline:
            nearest.report[codes.TRIES], nearest.report[codes.ITERATIONS] = tries, steps
            return nearest


def _error(outcome: Outcome) -> float:
    return float(outcome.report[codes.POSITION_ERROR] + outcome.report[codes.ROTATION_ERROR])
