"""Many targets at once: the road of `solve/single.py`, a chunk at a time in compiled code, on all processors.

Every target gets the bits that a call of its own would give it. Input is checked before anything
is solved; a target that cannot be met never stops the others.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from forearm.arm.configurations import box_around, by_name, inside_by_a_hair, refuse_start
from forearm.common.checks import as_array
from forearm.common.threads import Tell, heed, share_out, telling
from forearm.common.types import Floats
from forearm.core.arm.goal import NONE, find_outside
from forearm.core.codes import NOT_CONVERGED, REPORT, SOLVED, TRIES
from forearm.core.general.null_space import settle_many, settle_size
from forearm.errors import OptionError, counted
from forearm.models.model import Model
from forearm.results.batch import STATUSES, BatchSolution
from forearm.solve.collision import Guard
from forearm.solve.collision_free import solve_guarded
from forearm.solve.methods.table import Method
from forearm.solve.problem import GENERAL, Outcome, Problem, ask_many, is_banded, is_redundant
from forearm.solve.second_look import add_effort, from_curve, going_on, is_long, worth_a_look
from forearm.solve.single import end
from forearm.targets.many import Targets, parts, readable
from forearm.targets.target import ROWS

BEGIN = 512  # targets of a first piece: `ask_many` and what follows it hear an interrupt between them


@dataclass(frozen=True, eq=False)
class Job:
    """A batch as its workers read it."""

    shared: Problem  # what all targets share; its goal, terms and start are no one's
    methods: tuple[Method, ...]  # each takes what the one before did not solve
    targets: Targets
    starts: NDArray[Any]  # (N, n), (1, n) for all, or (0, n) for none
    locked: Mapping[int, float]  # values of locked joints by number; starts have them too
    step: float | Floats | None = None  # the most a joint may move from its start: one number, or one per joint
    guard: Guard | None = None

    def piece(self, first: int, last: int, out: BatchSolution) -> "Piece":
        """The targets of a range, and where their answers go."""
        goals, terms = self.targets.part(first, last)
        own, starts = self.shared.limits, self.starts
        if len(starts):
            starts = self.begin(readable(starts[first:last] if len(starts) == len(self.targets) else starts))
        limits = own[None] if self.step is None else box_around(starts, self.step, own)
        bounded = None if self.step is None else own
        problem = self.shared._replace(goal=goals, terms=terms, start=starts, limits=limits, own_limits=bounded)
        rows = slice(first, last)
        return Piece(problem, out.q[rows], out.report[rows], out.status[rows], out.by[rows])

    def begin(self, starts: Floats) -> Floats:
        """(..., n) starts with locked joints at their values, moved inside where they are off by a hair."""
        if self.locked:
            starts = starts.copy()
            for k, value in self.locked.items():
                starts[:, k] = value
        return inside_by_a_hair(starts, self.shared.limits)


class Piece(NamedTuple):
    """Some targets (`Problem` says how many share one), and their answers as a batch's arrays hold them."""

    problem: Problem
    q: Floats
    report: Floats
    codes: NDArray[np.int8]
    by: NDArray[np.int8]

    def only(self, rows: NDArray[np.intp]) -> "Piece":
        """A copy of some rows."""
        return Piece(self.problem.only(rows), self.q[rows], self.report[rows], self.codes[rows], self.by[rows])

    def put(self, rows: NDArray[np.intp], part: "Piece") -> None:
        """Writes the answers of some rows back."""
        self.q[rows], self.report[rows], self.codes[rows], self.by[rows] = part[1:]


def solve_batch(
    job: Job, *, threads: int | None = None, progress: bool | Tell = False, piece: int | None = None
) -> BatchSolution:
    """Solves many targets; see `Robot.solve_batch`. A thread takes a `piece` at a time, by default sized by time."""
    check_starts(job)
    tables, count = job.shared.tables, len(job.targets)
    q, report = np.empty((count, tables.model.n)), np.zeros((count, REPORT))
    codes, by = np.empty(count, np.int8), np.zeros(count, np.int8)
    names = tuple(method.name for method in job.methods)
    out = BatchSolution(q, codes, by, names, report, guard=job.guard, model=tables.model)
    if count:
        tables.of(job.methods[0], job.targets.kind)  # made once, before the threads ask for it
    with telling(progress) as tell:
        share_out(lambda first, last: solve_part(job, first, last, out), count, threads, tell, piece, BEGIN)
    return out


def solve_part(job: Job, first: int, last: int, out: BatchSolution) -> None:
    """Solves the targets of a range and writes their rows."""
    piece = job.piece(first, last, out)
    if job.guard is not None:
        ask_each(job, job.guard, piece, first, out)
        return
    ask_in_turn(job.methods, piece)
    if np.count_nonzero(piece.codes != SOLVED) == 0:
        return
    look_at_rows(job.methods[-1], piece)
    for i in np.flatnonzero(piece.codes != SOLVED).tolist():
        heed()
        sentence = explain_one(job, piece, i)
        if sentence and job.shared.explain:
            out.explanations[first + i] = sentence


def ask_each(job: Job, guard: Guard, piece: Piece, first: int, out: BatchSolution) -> None:
    """Solves a piece among obstacles, target by target, each as a call of its own does."""
    banded = np.broadcast_to(is_banded(piece.problem.terms), len(piece.q))
    for i in range(len(piece.q)):
        heed()
        problem = piece.problem.row(i)
        solution = solve_guarded(problem, job.methods[-1:] if banded[i] else job.methods, guard)
        piece.q[i], piece.report[i], piece.codes[i] = solution.q, solution.report, STATUSES.index(solution.status)
        piece.by[i] = out.methods.index(solution.method)
        if problem.explain and not solution.success:
            out.explanations[first + i] = solution.explanation


def ask_in_turn(methods: tuple[Method, ...], piece: Piece) -> None:
    """Asks one method behind the other, each about the rows that are left."""
    piece.codes[:] = NOT_CONVERGED
    for place, method in enumerate(methods):
        left = piece.codes == NOT_CONVERGED
        if place < len(methods) - 1:  # tolerances axis by axis are for the last one (`stages`)
            left &= ~is_banded(piece.problem.terms)
        (rows,) = left.nonzero()
        if len(rows):
            piece.by[rows] = place
            ask_rows(method, piece, rows)


def ask_rows(method: Method, piece: Piece, rows: NDArray[np.intp]) -> None:
    """Solves some rows of a piece by one method, and settles what it solved."""
    part = piece if len(rows) == len(piece.q) else piece.only(rows)
    ask_many(part.problem, method, part.q, part.report, part.codes)
    settle_solved(method, part)
    if part is not piece:
        piece.put(rows, part)


def look_at_rows(method: Method, piece: Piece) -> None:
    """Looks again at rows that the general solver missed, as a single call does."""
    if method is not GENERAL:
        return
    missed = np.flatnonzero(piece.codes == NOT_CONVERGED)
    if len(missed) == 0:
        return
    left = piece.only(missed)
    for tries, places in worth_a_look(left.problem, left.report).items():
        rows = missed[places]
        if len(rows):
            part = piece.only(rows)
            ask_many(going_on(part.problem, tries), method, part.q, part.report, part.codes)
            take_met(method, piece, rows, part)
    rows = np.flatnonzero(piece.codes == NOT_CONVERGED) if is_long(piece.problem) else np.empty(0, np.intp)
    if len(rows):
        part = piece.only(rows)
        for j in range(len(rows)):
            part.q[j], report, part.codes[j], _ = from_curve(part.problem.row(j))
            part.report[j, : TRIES + 1] = report[: TRIES + 1]
        take_met(method, piece, rows, part)


def take_met(method: Method, piece: Piece, rows: NDArray[np.intp], part: Piece) -> None:
    """Takes from a second look at some rows what it met, settled."""
    add_effort(part.report, piece.report[rows])
    settle_solved(method, part)
    met = part.codes == SOLVED
    piece.put(rows[met], part.only(np.flatnonzero(met)))


def settle_solved(method: Method, piece: Piece) -> None:
    """Moves solved answers toward the rest posture or their start, where a single call would."""
    asked = piece.problem
    model, kind, limits, rest = asked.model, asked.kind, asked.limits, asked.rest
    if rest is None and not (len(asked.start) and method.resumes):
        return
    wanted = piece.codes == SOLVED
    if rest is None:
        wanted &= piece.report[:, TRIES] > 1.0
    if model.n <= ROWS[kind]:
        wanted &= [is_redundant(asked.tables, kind, terms) for terms in asked.terms]
    chosen = np.flatnonzero(wanted)
    if len(chosen):
        posture = asked.start if rest is None else rest[None]
        inside = np.ascontiguousarray(np.clip(posture, limits[:, 0], limits[:, 1]))
        flat, _ = asked.tables.of(GENERAL, kind)
        own, work = flat.copy(), np.empty(settle_size(model.m, model.n))
        settle_many(own, limits, asked.goal, asked.terms, inside, chosen, work, piece.q, piece.report)


def explain_one(job: Job, piece: Piece, i: int) -> str:
    """Ends a failed target as a single call does, in place; the sentence, empty if it is solved after all."""
    method = job.methods[piece.by[i]]
    outcome = Outcome(piece.q[i].copy(), piece.report[i].copy(), int(piece.codes[i]), method)
    solution = end(piece.problem.row(i), outcome)
    piece.q[i], piece.codes[i] = solution.q, STATUSES.index(solution.status)
    piece.report[i, : TRIES + 1] = solution.report[: TRIES + 1]
    return solution.explanation


# -- starts ----------------------------------------------------------------------------------------


def as_starts(q0: Any, count: int, model: Model) -> NDArray[Any]:
    """(N, n) starts, (1, n) for all targets, or (0, n) for none; not copied."""
    if q0 is None:
        return np.empty((0, model.n))
    starts = as_array(by_name(q0, model, "q0"), "q0", OptionError)
    if starts.shape == (model.n,):
        return starts[None]
    if starts.shape != (count, model.n):
        shapes = f"({model.n},) for all, or ({count}, {model.n})"
        raise OptionError(f"q0 has shape {starts.shape}; for {counted(count, 'target')} {model.name} takes {shapes}")
    return starts


def check_starts(job: Job) -> None:
    """Refuses the first start that is not finite or lies outside the limits, with its place."""
    limits, model = job.shared.limits, job.shared.model
    for first, part in parts(job.starts):
        starts = job.begin(part)
        place = find_outside(starts, limits)
        if place != NONE:
            name = "q0" if len(job.starts) == 1 else f"q0[{first + place}]"
            refuse_start(starts[place], limits, model, name)
