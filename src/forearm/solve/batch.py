"""Many targets at once: the road of `solve/single.py`, a chunk at a time in compiled code, on all processors.

Every target gets the bits that a call of its own would give it. Input is checked before anything
is solved; a target that cannot be met never stops the others.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.arm.tables import Prepared
from forearm.common.checks import as_array, as_floats
from forearm.common.threads import Tell, share_out, telling
from forearm.common.types import Floats
from forearm.core.codes import NOT_CONVERGED, OUT_OF_REACH, REPORT, SOLVED, TOL_AXES, TOOL_AXIS, TRIES
from forearm.core.general.many import NONE, find_outside, settle_many
from forearm.errors import OptionError
from forearm.models.model import Model
from forearm.results.batch import STATUSES, BatchSolution
from forearm.results.solution import Nearness, Solution
from forearm.solve.explain import NO_START, Case
from forearm.solve.methods.table import METHODS, Method
from forearm.solve.single import as_configuration, as_step_from, box_around, conclude, refuse_start, stages
from forearm.targets.many import Targets, fresh, parts
from forearm.targets.target import ROWS, Target, as_targets

Single = Callable[[Target, Any, Floats, Any], Solution]


@dataclass(frozen=True, eq=False)
class Job:
    """A batch as its workers read it.

    Attributes:
        prepared: The robot and its tables.
        methods: Rows of the registry; each takes what the one before did not solve.
        settings: The packed options.
        targets: What to solve.
        starts: (N, n), (1, n) for all, or (0, n) for none.
        locked: Values of locked joints by number; starts have them too.
        limits: (2, n) limits of this call.
        step: The most a joint may move from its start, or None.
        rest: (n,) posture for redundant arms, or None.
        explain: Whether failures shall be explained.
        single: How a target is solved that no compiled loop takes, as among obstacles; None if loops do.
    """

    prepared: Prepared
    methods: tuple[Method, ...]
    settings: Floats
    targets: Targets
    starts: NDArray[Any]
    locked: Mapping[int, float]
    limits: Floats
    step: float | None
    rest: Floats | None
    explain: bool
    single: "Single | None" = None

    def piece(self, first: int, last: int, out: BatchSolution) -> "Piece":
        """The targets of a range, and where their answers go."""
        goals, terms = self.targets.part(first, last)
        starts = fresh(self.starts[first:last] if len(self.starts) == len(self.targets) else self.starts)
        for k, value in self.locked.items():
            starts[:, k] = value
        limits = self.limits[None] if self.step is None else box_around(starts, self.step, self.limits)
        rows = slice(first, last)
        return Piece(limits, goals, terms, starts, out.q[rows], out.report[rows], out.status[rows], out.by[rows])


@dataclass(frozen=True, eq=False)
class Piece:
    """Some targets as kernels take them, one row each, or one for all of limits, terms and starts."""

    limits: Floats
    goals: Floats
    terms: Floats
    starts: Floats
    q: Floats
    report: Floats
    codes: NDArray[np.int8]
    by: NDArray[np.int8]

    def only(self, rows: NDArray[np.intp]) -> "Piece":
        """A copy of some rows."""
        shared = (self.limits, self.terms, self.starts)
        limits, terms, starts = (array[rows] if len(array) == len(self.goals) else array for array in shared)
        answers = (self.q[rows], self.report[rows], self.codes[rows], self.by[rows])
        return Piece(limits, self.goals[rows], terms, starts, *answers)

    def put(self, rows: NDArray[np.intp], part: "Piece") -> None:
        """Writes the answers of some rows back."""
        self.q[rows], self.report[rows], self.codes[rows], self.by[rows] = part.q, part.report, part.codes, part.by


def solve_batch(
    prepared: Prepared,
    targets: Any,
    q0: Any,
    method: Method,
    settings: Floats,
    limits: Floats,
    locked: Mapping[int, float],
    *,
    max_joint_step: float | None = None,
    rest: Any = None,
    explain: bool = False,
    threads: int | None = None,
    progress: bool | Tell = False,
    piece: int | None = None,
    single: Single | None = None,
    guard: Nearness | None = None,
) -> BatchSolution:
    """Solves many targets; see `Robot.solve_batch`.

    Args:
        prepared: The robot and its tables.
        targets: What `as_targets` takes.
        q0: None, (n,) or (N, n).
        method: A row of the registry.
        settings: The method's packed options.
        limits: (2, n) limits to respect.
        locked: Values of locked joints by number.
        max_joint_step: The most a joint may move from q0, or None.
        rest: (n,) posture for redundant arms, or None.
        explain: Whether failures shall be explained.
        threads: How many threads; None for one per processor.
        progress: Whether to draw a bar, or a function of (done, total).
        piece: Targets a thread takes at a time; None to size pieces by time.
        single: Solves (target, start or None, limits, limits without a bound on the step or None) among
            obstacles; None without any.
        guard: What the answers keep away from; None without obstacles.
    """
    model, parsed = prepared.model, as_targets(targets)
    methods = stages(prepared, method, parsed.kind, q0 is not None and single is None)
    count = len(parsed)
    starts = as_starts(q0, count, model)
    step = None if max_joint_step is None else as_step_from(q0, max_joint_step)
    posture = None if rest is None else as_configuration(as_floats(rest, "rest", OptionError), model, "rest")
    job = Job(prepared, methods, settings, parsed, starts, locked, limits, step, posture, explain, single)
    check_starts(job)
    q, report = np.empty((count, model.n)), np.zeros((count, REPORT))
    codes, by = np.empty(count, np.int8), np.zeros(count, np.int8)
    out = BatchSolution(q, codes, by, tuple(row.name for row in methods), report, guard=guard)
    if count:
        prepared.of(methods[0], parsed.kind)  # made once, before the threads ask for it
    with telling(progress) as tell:
        share_out(lambda first, last: solve_part(job, first, last, out), count, threads, tell, piece)
    return out


def solve_part(job: Job, first: int, last: int, out: BatchSolution) -> None:
    """Solves the targets of a range and writes their rows."""
    piece = job.piece(first, last, out)
    if job.single is not None:
        ask_each(job, job.single, piece, first, out)
        return
    ask_first(job, piece)
    for place, method in enumerate(job.methods[1:], start=1):
        left = np.flatnonzero(piece.codes == NOT_CONVERGED)
        if len(left):
            part = piece.only(left)
            part.by[:] = place
            ask(job, method, part)
            piece.put(left, part)
    missed = np.flatnonzero(piece.codes != SOLVED)
    for i in (missed if job.explain else missed[piece.codes[missed] < SOLVED]).tolist():
        sentence = explain_one(job, piece, i)
        if sentence:
            out.explanations[first + i] = sentence
    if not job.explain:
        piece.codes[missed[piece.codes[missed] != OUT_OF_REACH]] = NOT_CONVERGED


def ask_each(job: Job, single: Single, piece: Piece, first: int, out: BatchSolution) -> None:
    """Solves a piece target by target, each as a call of its own does."""
    own_limits = None if job.step is None else job.limits
    for i in range(len(piece.goals)):
        target = Target(job.targets.kind, piece.goals[i], row(piece.terms, i))
        start = row(piece.starts, i).copy() if len(piece.starts) else None
        solution = single(target, start, row(piece.limits, i).copy(), own_limits)
        piece.q[i], piece.report[i], piece.codes[i] = solution.q, solution.report, STATUSES.index(solution.status)
        piece.by[i] = out.methods.index(solution.method)
        if job.explain and not solution.success:
            out.explanations[first + i] = solution.explanation


def ask_first(job: Job, piece: Piece) -> None:
    """Solves a piece by the first method; tolerances axis by axis are left to the last (see `solver.solve`)."""
    banded = np.isfinite(piece.terms[:, TOL_AXES:TOOL_AXIS]).any(axis=1)
    if len(job.methods) == 1 or not banded.any():
        ask(job, job.methods[0], piece)
        return
    piece.codes[:] = NOT_CONVERGED
    rows = np.flatnonzero(~np.broadcast_to(banded, len(piece.goals)))
    if len(rows):
        part = piece.only(rows)
        ask(job, job.methods[0], part)
        piece.put(rows, part)


def ask(job: Job, method: Method, piece: Piece) -> None:
    """Solves a piece by one method, and settles what it solved."""
    model, kind = job.prepared.model, job.targets.kind
    problem = (model.links, model.joints, piece.limits, piece.goals, kind, piece.terms, piece.starts, job.settings)
    outputs = (*job.prepared.of(method, kind), piece.q, piece.report, piece.codes)
    if method.batch is None:
        call_each(method.kernel, *problem, *outputs)
    else:
        method.batch(*problem, *outputs)
    settle_solved(job, method, piece)


def call_each(kernel: Any, links: Floats, joints: Floats, *arrays: Any) -> None:
    """Calls a kernel that has no loop of its own, target by target; it lets other threads run meanwhile."""
    limits, goals, kind, terms, starts, settings, *tables, q, report, codes = arrays
    for i in range(len(goals)):
        start = row(starts, i) if len(starts) else NO_START
        target = (row(limits, i), goals[i], kind, row(terms, i), start)
        codes[i] = kernel(links, joints, *target, settings, *tables, q[i], report[i])


def row(array: Floats, i: int) -> Floats:
    """The row of target i in an array with one row each, or one for all."""
    return np.asarray(array[i if len(array) > 1 else 0])


def settle_solved(job: Job, method: Method, piece: Piece) -> None:
    """Moves solved answers toward the rest posture or their start, where a single call would."""
    model, kind, limits = job.prepared.model, job.targets.kind, piece.limits
    if model.n <= ROWS[kind] or (job.rest is None and not (len(piece.starts) and method.resumes)):
        return
    wanted = piece.codes == SOLVED
    if job.rest is None:
        wanted &= piece.report[:, TRIES] > 1.0
    chosen = np.flatnonzero(wanted)
    if len(chosen):
        posture = piece.starts if job.rest is None else job.rest[None]
        inside = np.ascontiguousarray(np.clip(posture, limits[:, 0], limits[:, 1]))
        *_, chain, facts = job.prepared.of(METHODS["general"], kind)
        arm, target = (model.links, model.joints, limits), (piece.goals, kind, piece.terms)
        settle_many(*arm, *target, inside, chain, facts, chosen, piece.q, piece.report)


def explain_one(job: Job, piece: Piece, i: int) -> str:
    """Ends a failed target as a single call does, in place; the sentence, empty if it is solved after all."""
    start = row(piece.starts, i).copy() if len(piece.starts) else NO_START
    own_limits = None if job.step is None else job.limits
    target = (job.targets.kind, piece.goals[i], row(piece.terms, i), job.methods[piece.by[i]])
    answer = (piece.q[i].copy(), piece.report[i].copy(), start, own_limits)
    case = Case(job.prepared, row(piece.limits, i).copy(), *target, *answer)
    solution = conclude(case, int(piece.codes[i]), job.explain, job.rest)
    piece.q[i], piece.codes[i] = solution.q, STATUSES.index(solution.status)
    piece.report[i, : TRIES + 1] = solution.report[: TRIES + 1]
    return solution.explanation


# -- what a caller passes ------------------------------------------------------------------------


def as_starts(q0: Any, count: int, model: Model) -> NDArray[Any]:
    """(N, n) starts, (1, n) for all targets, or (0, n) for none; not copied."""
    if q0 is None:
        return np.empty((0, model.n))
    starts = as_array(q0, "q0", OptionError)
    if starts.shape == (model.n,):
        return starts[None]
    if starts.shape != (count, model.n):
        shapes = f"({model.n},) for all, or ({count}, {model.n})"
        raise OptionError(f"q0 has shape {starts.shape}; {count} targets of {model.name} take {shapes}")
    return starts


def check_starts(job: Job) -> None:
    """Refuses the first start that is not finite or lies outside the limits, with its place."""
    for first, part in parts(job.starts):
        for k, value in job.locked.items():
            part[:, k] = value
        place = find_outside(part, job.limits)
        if place != NONE:
            name = "q0" if len(job.starts) == 1 else f"q0[{first + place}]"
            refuse_start(part[place], job.limits, job.prepared.model, name)
