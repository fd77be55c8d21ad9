"""Many targets of one chain or skeleton: the road of `bones/methods.py`, a piece at a time, on all processors.

Every target gets the bits that a call of its own would give it. FABRIK runs in compiled loops; what has
none (Bezier poses, obstacles, a pole on free joints) is called target by target from the same threads.
Input is checked before anything is solved.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.bones.explain import reach_fault
from forearm.bones.methods import answer
from forearm.bones.problem import Asks, BoneProblem, longest, read_start
from forearm.bones.solution import ChainBatch, ChainSolution, empty_batch
from forearm.bones.targets import want
from forearm.bones.tree import Bones
from forearm.common.checks import as_array, as_switch
from forearm.common.threads import UNHEARD, Tell, heed, share_out, telling
from forearm.common.types import Floats
from forearm.core.bones.codes import FARTHEST, GOAL_KIND, POINT, REACH_TOL, WANTS
from forearm.core.bones.fabrik_free import solve_free_many
from forearm.core.bones.solve import bones_size, solve_bones_many
from forearm.core.codes import NOT_CONVERGED, OUT_OF_REACH, POSITION, SOLVED
from forearm.core.collision.obstacle_rows import LONG_REPORT
from forearm.errors import ForearmError, OptionError, TargetError, counted
from forearm.results.batch import STATUSES
from forearm.targets.many import Targets
from forearm.targets.target import Target, one_by_one

SHORTEST = 1e-9  # that a target is counted as [s]


def solve_many(
    problem: BoneProblem,
    asks: Asks,
    starts: Sequence[Any],
    explain: bool,
    threads: int | None,
    progress: bool | Tell = False,
    piece: int | None = None,
) -> ChainBatch:
    """Solves a problem at N asks from one start or N of them; its own wants and start are not read.

    `piece` is how many targets a thread takes at a time; None sizes pieces by time.
    """
    bones, wants, explain = problem.bones, asks.wants, as_switch(explain, "explain")
    count = len(wants)
    plain = problem.method.name == "fabrik" and not len(problem.scene) and not problem.is_posed
    out = empty_batch(bones, count, problem.method.name, *(() if plain else (LONG_REPORT,)))
    loop = None
    if plain and count and not (problem.pole.size and bones.is_free) and problem.stretch == 0.0:
        points = bool((wants[:, :, GOAL_KIND] == POSITION).all())
        loop = solve_free_part if points and problem.is_point_of_chain else solve_bones_part
    # so many that an interrupt is heard between them; none if one takes so long itself
    at_once = int(UNHEARD / max(longest(problem), SHORTEST))

    def work(first: int, last: int) -> None:
        alone = list(range(first, last))
        if loop is not None and at_once:
            alone = []
            for begin in range(first, last, at_once):
                heed()
                rows = slice(begin, min(begin + at_once, last))
                missed = loop(problem, wants[rows], starts if len(starts) == 1 else starts[rows], out, rows)
                alone += (begin + np.flatnonzero(missed)).tolist() if explain else []
        for i in alone:
            heed()
            own = starts[0 if len(starts) == 1 else i]
            write(answer(problem.at(asks, i, own), explain), i, explain, out)

    with telling(progress) as tell:
        share_out(work, count, threads, tell, piece)
    return out


def solve_free_part(
    problem: BoneProblem, wants: Floats, starts: Sequence[Any], out: ChainBatch, rows: slice
) -> NDArray[np.bool_]:
    """Solves points of a chain without limits; which were missed."""
    points, values = starts_of(problem.bones, starts)
    targets, tolerances = (np.ascontiguousarray(wants[:, 0, k]) for k in (slice(POINT, POINT + 3), REACH_TOL))
    codes = out.status[rows]
    chain = (problem.bones.length, points, targets, tolerances, problem.settings)
    solve_free_many(*chain, np.empty((2, problem.bones.n, 3)), out.points3[rows], out.report[rows], codes)
    out.near[rows] = values
    return conclude(codes, codes == OUT_OF_REACH)


def solve_bones_part(
    problem: BoneProblem, wants: Floats, starts: Sequence[Any], out: ChainBatch, rows: slice
) -> NDArray[np.bool_]:
    """Solves any targets of a tree; which were missed."""
    bones = problem.bones
    points, values = starts_of(bones, starts)
    beyond = np.zeros(len(wants), np.bool_)
    if not bones.free_base:
        beyond[:] = [any(reach_fault(bones, row) for row in each) for each in wants]
    codes = out.status[rows]
    tree = (bones.parent, bones.length, bones.joints, points, values, np.ascontiguousarray(wants))
    answers = (out.values[rows], out.points3[rows], out.report[rows], codes)
    work = np.empty(bones_size(bones.n, wants.shape[1]))
    solve_bones_many(*tree, problem.settings, beyond, problem.pole, work, *answers)
    return conclude(codes, beyond)


def conclude(codes: NDArray[np.int8], beyond: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Turns kernels' codes into statuses in place; which were missed."""
    missed = np.not_equal(codes, SOLVED)
    codes[missed] = np.where(beyond[missed], OUT_OF_REACH, NOT_CONVERGED)
    return missed


def write(solution: ChainSolution, i: int, explain: bool, out: ChainBatch) -> None:
    """Writes a solution as row i."""
    out.points3[i], out.status[i] = solution.points3, STATUSES.index(solution.status)
    out.report[i, : len(solution.report)] = solution.report
    parts = ((out.values, solution._values), (out.near, solution._near), (out.frames, solution.frame))
    for array, value in (*parts, (out.clearance, solution.clearance), (out.stretch, solution.stretch)):
        if value is not None:
            array[i] = value
    if explain and not solution.success:
        out.explanations[i] = solution.explanation


def starts_of(bones: Bones, starts: Sequence[Any]) -> tuple[Floats, Floats]:
    """(N or 1, n+1, 3) points and (N or 1, n, 3) joint values to start from."""
    read = [read_start(bones, start) for start in starts]
    return np.array([points for points, _ in read]), np.array([values for _, values in read])


# -- what a caller passes ------------------------------------------------------------------------


def as_bone_targets(bones: Bones, bone: int, targets: Any, weight: float, tolerance: float | None) -> Floats:
    """(N, 23) the rows of the tip at a bone's end for many targets as `Chain.solve_batch` takes them.

    A fault is named with its place; the tolerance is for bare points [m].
    """
    if isinstance(targets, Target):
        raise TargetError("targets is one target; a batch takes several: put it in a list")
    if isinstance(targets, Targets):
        targets = one_by_one(targets)
    if not (isinstance(targets, (list, tuple)) and any(isinstance(target, Target) for target in targets)):
        targets = as_array(targets, "targets")
        if targets.shape == (0,):
            return np.empty((0, WANTS))
        if targets.ndim == 2 and targets.shape[1] == bones.dim:
            return point_rows(bones, bone, targets, weight, tolerance)
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


def point_rows(bones: Bones, bone: int, points: NDArray[Any], weight: float, tolerance: float | None) -> Floats:
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
            raise OptionError(
                f"start has {len(start)} poses; {counted(count, 'target')} may have one for all, or {count}"
            )
        return start  # type: ignore[return-value]
    points = as_array(start, "start", OptionError)
    if points.shape == (bones.n + 1, bones.dim):
        return (points,)
    if points.shape != (count, bones.n + 1, bones.dim):
        shapes = f"({bones.n + 1}, {bones.dim}) for all, or ({count}, {bones.n + 1}, {bones.dim})"
        raise OptionError(f"start has shape {points.shape}; {counted(count, 'target')} may have {shapes}")
    return points  # type: ignore[return-value]
