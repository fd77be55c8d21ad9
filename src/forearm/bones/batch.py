"""Many targets of one chain or skeleton: the road of `bones/fabrik.py`, a piece at a time, on all processors.

Every target gets the bits that a call of its own would give it. FABRIK runs in compiled loops; what has
none (Bezier poses, obstacles, a pole on free joints) is called target by target from the same threads.
Input is checked before anything is solved.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.bones.batch_solution import ChainBatch, empty_batch
from forearm.bones.explain import reach_fault
from forearm.bones.fabrik import read_start
from forearm.bones.solution import ChainSolution
from forearm.bones.targets import want
from forearm.bones.tree import Bones
from forearm.common.checks import as_array
from forearm.common.threads import Tell, share_out, telling
from forearm.common.types import Floats
from forearm.core.bones.codes import BONE, FARTHEST, GOAL_KIND, POINT, REACH_TOL, WANTS
from forearm.core.bones.many import solve_bones_many, solve_free_many
from forearm.core.codes import NOT_CONVERGED, OUT_OF_REACH, POSITION, SOLVED
from forearm.core.collision.obstacle_rows import LONG_REPORT
from forearm.errors import ForearmError, OptionError, TargetError
from forearm.results.batch import STATUSES
from forearm.targets.many import Targets
from forearm.targets.target import Target

Single = Callable[[int, bool], ChainSolution]


@dataclass(frozen=True, eq=False)
class BoneJob:
    """A batch as its workers read it.

    Attributes:
        bones: The tree.
        method: The method's name.
        wants: (N, K, 23) what the tips shall do.
        starts: One start for all, or N of them, as `read_start` takes them.
        settings: (9,) packed, or None if there is no compiled loop for what was asked.
        pole: (3,), or of length zero.
        single: The call of its own for target i, with words for a failure or without.
        explain: Whether failures shall be explained.
    """

    bones: Bones
    method: str
    wants: Floats
    starts: Sequence[Any]
    settings: Floats | None
    pole: Floats
    single: Single
    explain: bool

    @property
    def is_quick(self) -> bool:
        """Whether the kernel for points of a chain without limits answers."""
        one = self.wants.shape[1] == 1
        points = one and bool((self.wants[:, 0, GOAL_KIND] == POSITION).all())
        return points and self.bones.is_free and not self.pole.size and int(self.wants[0, 0, BONE]) == self.bones.n - 1


def solve_many(
    job: BoneJob, threads: int | None, progress: bool | Tell = False, piece: int | None = None
) -> ChainBatch:
    """Solves all targets of a job.

    Args:
        job: What to solve.
        threads: How many; None for one per processor.
        progress: Whether to draw a bar, or a function of (done, total).
        piece: Targets a thread takes at a time; None to size pieces by time.
    """
    count = len(job.wants)
    compiled = job.settings is not None and (not job.pole.size or not job.bones.is_free)
    out = empty_batch(job.bones, count, job.method, *(() if job.settings is not None else (LONG_REPORT,)))
    work = solve_each if not compiled else solve_free_part if count and job.is_quick else solve_bones_part
    with telling(progress) as tell:
        share_out(lambda first, last: work(job, first, last, out), count, threads, tell, piece)
    return out


def solve_free_part(job: BoneJob, first: int, last: int, out: ChainBatch) -> None:
    """Solves points of a chain without limits."""
    points, values = starts_of(job, first, last)
    wants, rows = job.wants[first:last, 0], slice(first, last)
    targets, tolerances = (np.ascontiguousarray(wants[:, k]) for k in (slice(POINT, POINT + 3), REACH_TOL))
    codes = out.status[rows]
    chain = (job.bones.length, points, targets, tolerances, job.settings)
    solve_free_many(*chain, out.points3[rows], out.report[rows], codes)
    out.near[rows] = values
    conclude(job, first, codes, codes == OUT_OF_REACH, out)


def solve_bones_part(job: BoneJob, first: int, last: int, out: ChainBatch) -> None:
    """Solves any targets of a tree."""
    bones, rows = job.bones, slice(first, last)
    points, values = starts_of(job, first, last)
    wants = np.ascontiguousarray(job.wants[rows])
    beyond = np.zeros(len(wants), np.bool_)
    if not bones.free_base:
        beyond[:] = [any(reach_fault(bones, row) for row in each) for each in wants]
    codes = out.status[rows]
    tree = (bones.parent, bones.length, bones.joints, points, values, wants, job.settings, beyond, job.pole)
    solve_bones_many(*tree, out.values[rows], out.points3[rows], out.report[rows], codes)
    conclude(job, first, codes, beyond, out)


def solve_each(job: BoneJob, first: int, last: int, out: ChainBatch) -> None:
    """Solves target by target."""
    for i in range(first, last):
        write(job.single(i, job.explain), i, job.explain, out)


def conclude(job: BoneJob, first: int, codes: NDArray[np.int8], beyond: NDArray[np.bool_], out: ChainBatch) -> None:
    """Turns kernels' codes into statuses in place, explaining failures where that was asked."""
    missed = codes != SOLVED
    codes[missed] = np.where(beyond[missed], OUT_OF_REACH, NOT_CONVERGED)
    if job.explain:
        for i in (first + np.flatnonzero(missed)).tolist():
            write(job.single(i, True), i, True, out)


def write(solution: ChainSolution, i: int, explain: bool, out: ChainBatch) -> None:
    """Writes a solution as row i."""
    out.points3[i], out.status[i] = solution.points3, STATUSES.index(solution.status)
    out.report[i, : len(solution.report)] = solution.report
    parts = ((out.values, solution._values), (out.near, solution._near), (out.frames, solution.frame))
    for array, value in (*parts, (out.clearance, solution.clearance)):
        if value is not None:
            array[i] = value
    if explain and not solution.success:
        out.explanations[i] = solution.explanation


def starts_of(job: BoneJob, first: int, last: int) -> tuple[Floats, Floats]:
    """(N or 1, n+1, 3) points and (N or 1, n, 3) joint values to start from."""
    starts = job.starts if len(job.starts) == 1 else [job.starts[i] for i in range(first, last)]
    read = [read_start(job.bones, start) for start in starts]
    return np.array([points for points, _ in read]), np.array([values for _, values in read])


# -- what a caller passes ------------------------------------------------------------------------


def as_bone_targets(bones: Bones, bone: int, targets: Any, tolerance: float | None, weight: float = 1.0) -> Floats:
    """(N, 23) the rows of one tip for many targets; a fault is named with its place.

    Args:
        bones: The tree.
        bone: Whose end is the tip.
        targets: (N, dim) points, (N, 4, 4) poses, `fa.Position.many(...)` and the like, or a sequence of targets.
        tolerance: For bare points [m].
        weight: How much the tip counts when tips disagree.
    """
    if isinstance(targets, Target):
        raise TargetError("targets is one target; a batch takes several: put it in a list")
    if isinstance(targets, Targets):
        terms = np.broadcast_to(targets.terms, (len(targets), targets.terms.shape[1]))
        targets = [Target(targets.kind, goal, row) for goal, row in zip(targets.goals, terms, strict=True)]
    if not (isinstance(targets, (list, tuple)) and any(isinstance(target, Target) for target in targets)):
        targets = as_array(targets, "targets")
        if targets.shape == (0,):
            return np.empty((0, WANTS))
        if targets.ndim == 2 and targets.shape[1] == bones.dim:
            return point_rows(bones, bone, targets, tolerance, weight)
        if targets.ndim != 3 or targets.shape[1:] != (4, 4):
            raise TargetError(
                f"targets has shape {targets.shape}; it takes (N, {bones.dim}) points, (N, 4, 4) poses, or a list"
            )
    rows = np.empty((len(targets), WANTS))
    for i, target in enumerate(targets):
        try:
            rows[i] = want(bones, bone, target, weight, tolerance)
        except ForearmError as problem:
            raise TargetError(f"targets[{i}]: {problem}") from None
    return refuse_far(rows)


def point_rows(bones: Bones, bone: int, points: NDArray[Any], tolerance: float | None, weight: float) -> Floats:
    """(N, 23) the rows of bare points."""
    if not np.isfinite(points).all():
        i, k = (int(place) for place in np.argwhere(~np.isfinite(points))[0])
        raise TargetError(f"targets has {points[i, k]} at [{i}, {k}]; all entries must be finite")
    rows = np.repeat(want(bones, bone, np.zeros(bones.dim), weight, tolerance)[None], len(points), axis=0)
    rows[:, POINT : POINT + bones.dim] = points
    return refuse_far(rows)


def refuse_far(rows: Floats) -> Floats:
    """The rows, if no point is absurdly far."""
    far = np.flatnonzero((np.abs(rows[:, POINT : POINT + 3]) >= FARTHEST).any(axis=1))
    if len(far):
        raise TargetError(f"targets[{far[0]}] has an entry beyond {FARTHEST:g} m; give one that is nearer")
    return rows


def as_bone_starts(bones: Bones, start: Any, count: int) -> Sequence[Any]:
    """One start for all targets, or one each: solutions, a batch of them, or points."""
    if start is None or isinstance(start, ChainSolution):
        return (start,)
    if isinstance(start, ChainBatch) or (isinstance(start, (list, tuple)) and isinstance(start[0], ChainSolution)):
        if len(start) != count:
            raise OptionError(f"start has {len(start)} poses; {count} targets take one for all, or {count}")
        return start  # type: ignore[return-value]
    points = as_array(start, "start", OptionError)
    if points.shape == (bones.n + 1, bones.dim):
        return (points,)
    if points.shape != (count, bones.n + 1, bones.dim):
        shapes = f"({bones.n + 1}, {bones.dim}) for all, or ({count}, {bones.n + 1}, {bones.dim})"
        raise OptionError(f"start has shape {points.shape}; {count} targets take {shapes}")
    return points  # type: ignore[return-value]
