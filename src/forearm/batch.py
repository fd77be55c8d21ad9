"""Many targets at once: the road of `solver.py`, a chunk at a time in compiled code, on all processors.

Every target gets the bits that a call of its own would give it. Input is checked before anything
is solved; a target that cannot be met never stops the others.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.arrays import as_array, as_floats
from forearm.core.codes import NOT_CONVERGED, OUT_OF_REACH, REPORT, SOLVED, TRIES
from forearm.core.many import NONE, find_outside, settle_many
from forearm.errors import OptionError
from forearm.model import Model
from forearm.prepared import Prepared
from forearm.registry import METHODS, Method, check_supported
from forearm.solution import STATUSES, BatchSolution
from forearm.solver import as_configuration, as_step, box_around, conclude, refuse_start
from forearm.target_arrays import Targets, fresh, parts
from forearm.targets import ROWS, as_targets
from forearm.verdict import NO_START, Case
from forearm.workers import Tell, share_out, telling

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Job:
    """A batch as its workers read it.

    Attributes:
        prepared: The robot and its tables.
        method: A row of the registry.
        settings: The method's packed options.
        targets: What to solve.
        starts: (N, n), (1, n) for all, or (0, n) for none.
        locked: Values of locked joints by number; starts have them too.
        limits: (2, n) limits of this call.
        step: The most a joint may move from its start, or None.
        rest: (n,) posture for redundant arms, or None.
        explain: Whether failures shall be explained.
    """

    prepared: Prepared
    method: Method
    settings: Floats
    targets: Targets
    starts: NDArray[Any]
    locked: Mapping[int, float]
    limits: Floats
    step: float | None
    rest: Floats | None
    explain: bool

    def starts_of(self, first: int, last: int) -> Floats:
        """(C, n), (1, n) or (0, n) starts of a range."""
        starts = fresh(self.starts[first:last] if len(self.starts) == len(self.targets) else self.starts)
        for k, value in self.locked.items():
            starts[:, k] = value
        return starts

    def limits_of(self, starts: Floats) -> Floats:
        """(C, 2, n) or (1, 2, n) limits, within a step of each start if a step was given."""
        if self.step is None:
            return self.limits[None]
        return box_around(starts, self.step, self.limits)


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
    """
    model, parsed = prepared.model, as_targets(targets)
    check_supported(method, parsed.kind, model)
    count = len(parsed)
    starts = as_starts(q0, count, model)
    step = None if max_joint_step is None else as_step(max_joint_step, q0)
    posture = None if rest is None else as_configuration(as_floats(rest, "rest", OptionError), model, "rest")
    job = Job(prepared, method, settings, parsed, starts, locked, limits, step, posture, explain)
    check_starts(job)
    q, report, codes = np.empty((count, model.n)), np.zeros((count, REPORT)), np.empty(count, np.int8)
    out = BatchSolution(q, codes, method.name, report)
    if count:
        prepared.of(method, parsed.kind)  # made once, before the threads ask for it
    with telling(progress) as tell:
        share_out(lambda first, last: solve_part(job, first, last, out), count, threads, tell, piece)
    return out


def solve_part(job: Job, first: int, last: int, out: BatchSolution) -> None:
    """Solves the targets of a range and writes their rows."""
    goals, terms = job.targets.part(first, last)
    starts = job.starts_of(first, last)
    limits = job.limits_of(starts)
    q, report, codes = out.q[first:last], out.report[first:last], out.status[first:last]
    model, method, kind = job.prepared.model, job.method, job.targets.kind
    problem = (model.links, model.joints, limits, goals, kind, terms, starts, job.settings)
    many = call_each if method.batch is None else method.batch
    caller = (method.kernel,) if method.batch is None else ()
    many(*caller, *problem, *job.prepared.of(method, kind), q, report, codes)
    missed = np.flatnonzero(codes != SOLVED)
    settle_solved(job, limits, goals, terms, starts, q, report, codes)
    for i in missed[codes[missed] < SOLVED] if not job.explain else missed:
        case = case_of(job, limits, goals, terms, starts, q, report, int(i))
        solution = conclude(case, int(codes[i]), job.explain, job.rest)
        q[i], codes[i] = solution.q, STATUSES.index(solution.status)
        report[i, : TRIES + 1] = solution.report[: TRIES + 1]
        if not solution.success:
            out.explanations[first + int(i)] = solution.explanation
    if not job.explain:
        codes[missed[codes[missed] != OUT_OF_REACH]] = NOT_CONVERGED


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


def settle_solved(
    job: Job,
    limits: Floats,
    goals: Floats,
    terms: Floats,
    starts: Floats,
    q: Floats,
    report: Floats,
    codes: NDArray[np.int8],
) -> None:
    """Moves solved answers toward the rest posture or their start, where a single call would."""
    model, kind = job.prepared.model, job.targets.kind
    if model.n <= ROWS[kind] or (job.rest is None and not (len(starts) and job.method.resumes)):
        return
    wanted = codes == SOLVED if job.rest is not None else (codes == SOLVED) & (report[:, TRIES] > 1.0)
    chosen = np.flatnonzero(wanted)
    if len(chosen):
        posture = starts if job.rest is None else job.rest[None]
        inside = np.ascontiguousarray(np.clip(posture, limits[:, 0], limits[:, 1]))
        *_, chain, facts = job.prepared.of(METHODS["general"], kind)
        arm = (model.links, model.joints, limits)
        settle_many(*arm, goals, kind, terms, inside, chain, facts, chosen, q, report)


def case_of(
    job: Job, limits: Floats, goals: Floats, terms: Floats, starts: Floats, q: Floats, report: Floats, i: int
) -> Case:
    """One target as the verdict reads it."""
    start = row(starts, i).copy() if len(starts) else NO_START
    own_limits = None if job.step is None else job.limits
    target = (job.targets.kind, goals[i], row(terms, i), job.method)
    return Case(job.prepared, row(limits, i).copy(), *target, q[i].copy(), report[i].copy(), start, own_limits)


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
