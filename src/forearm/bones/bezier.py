"""Bezier poses of chains: kernel, measure, wrap."""

import numpy as np

from forearm.bones.bezier_paper import solve_as_published
from forearm.bones.obstacles import measure, note_turn, pack_choices, rows_round, search_joints
from forearm.bones.problem import BoneProblem, ask, frame_of
from forearm.bones.solution import ChainSolution
from forearm.bones.tree import Bones
from forearm.common.types import Floats
from forearm.core.bezier.room import draft_size
from forearm.core.bezier.solve import curve_size, solve_bezier, solve_bezier_limited, solve_bezier_plain
from forearm.core.bones.codes import FIXED, HIGH, KIND, LOW, REST, RNG_SEED
from forearm.core.codes import OUT_OF_REACH, SOLVED
from forearm.core.collision.obstacle_rows import LONG_REPORT
from forearm.results.solution import NOT_EXPLAINED, Status


def solve_on_curve(bones: Bones, target: Floats) -> ChainSolution | None:
    """One point (3,) for a chain of free joints with nothing round it; None if that is not all it takes."""
    P, report, frame = np.empty((bones.n + 1, 3)), np.zeros(LONG_REPORT), np.zeros(6)
    work = np.empty(draft_size(bones.n))
    if solve_bezier_plain(bones.length, bones.start, target, bones.dim == 2, work, frame, P, report) != SOLVED:
        return None
    return ChainSolution(P, Status.SOLVED, "bezier", report, bones, "", None, None, bones.q, frame)


def solve_by_bezier(problem: BoneProblem) -> ChainSolution:
    """The pose on a curve, in the plane or in space, among obstacles or without; or the published search's."""
    if problem.is_published:
        return solve_as_published(problem)
    if not problem.bones.is_free:
        return solve_limited_by_bezier(problem)
    bones, frame = problem.bones, frame_of(problem.start, problem.points)
    P, report, work = np.empty((bones.n + 1, 3)), np.zeros(LONG_REPORT), np.empty(curve_size(bones.n))
    given = (bones.start[0], problem.target, problem.pole, problem.before, pack_choices(problem))
    rows, out = rows_round(problem), (work, frame, P, report)
    code = ask(problem, lambda own: solve_bezier(bones.length, own.radii, rows, *given, *out))
    if code == OUT_OF_REACH:
        note_turn(problem, P, report)
    return ChainSolution(P, Status.NOT_CONVERGED, "bezier", report, bones, NOT_EXPLAINED, None, None, problem.q, frame)


def solve_limited_by_bezier(problem: BoneProblem) -> ChainSolution:
    """A chain with limits: the planar kernel where nothing else stands in the way, else the search in joint space."""
    bones, n, has_start = problem.bones, problem.bones.n, problem.start is not None
    if bones.dim == 2 and not has_start:
        q, P, report, frame = np.empty(n), np.empty((n + 1, 3)), np.zeros(LONG_REPORT), np.zeros(6)
        joints, fixed = bones.joints, bones.joints[:, KIND] == FIXED
        low, high = np.where(fixed, 0.0, joints[:, LOW]), np.where(fixed, 0.0, joints[:, HIGH])
        ranges = np.ascontiguousarray([low, high, np.arctan2(joints[:, REST + 3], joints[:, REST])])
        given = (bones.start[0], problem.target, problem.pole, int(problem.settings[RNG_SEED]))
        code = solve_bezier_limited(bones.length, ranges, *given, np.empty(curve_size(n)), frame, q, P, report)
        values = np.zeros((n, 3))
        values[:, 0] = q
        solution = ChainSolution(
            P, Status.NOT_CONVERGED, "bezier", report, bones, NOT_EXPLAINED, None, values, None, frame
        )
        # where no pose at all is free, rows_round is empty
        if code != SOLVED or not len(rows_round(problem)) or measure(problem, solution) >= problem.clearance:
            return solution
    return search_joints(problem, problem.q, pack_choices(problem, has_start, True))
