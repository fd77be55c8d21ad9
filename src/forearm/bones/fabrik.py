"""FABRIK for chains and skeletons: kernel, measure, wrap. Chains without limits take a kernel of their own."""

import math
from dataclasses import replace

import numpy as np

from forearm.bones.explain import explain, reach_fault
from forearm.bones.problem import NO_POLE, STEPS, SWEEPS_BEFORE_REFINING, BoneProblem, ask, longest_free
from forearm.bones.solution import ChainSolution
from forearm.bones.tree import Bones
from forearm.common.threads import UNHEARD, attend
from forearm.common.types import Floats
from forearm.core.bones import codes
from forearm.core.bones.fabrik_free import solve_fabrik_free
from forearm.core.bones.pole import swivel_free
from forearm.core.bones.solve import bones_size, solve_bones
from forearm.core.codes import BAD_TARGET, OUT_OF_REACH, REPORT, SOLVED
from forearm.errors import TargetError
from forearm.results.solution import NOT_EXPLAINED, Status

SOLVED_STATUS = Status.SOLVED  # looking a member of an enum up on each call costs time


def solve_by_fabrik(problem: BoneProblem) -> ChainSolution:
    """FABRIK, refined if asked: the quick kernel where it applies, else the one for trees with limits."""
    bones, wants = problem.bones, problem.wants
    if problem.is_point_of_chain:
        solution = solve_free(bones, problem.points, problem.q, problem.target, problem.tolerance, problem.settings)
        if problem.pole.size:
            solution.report[codes.POLE_ANGLE] = swivel(problem, solution.points3)
        return solution
    beyond = not bones.free_base and any(reach_fault(bones, row) for row in wants)
    if beyond:
        problem = replace(problem, settings=problem.settings.copy())
        problem.settings[codes.MAX_TRIES] = 1.0  # no start can help
    code, q, P, report = run_kernel(problem, bones.joints)
    if code == BAD_TARGET:
        raise TargetError(f"a target has an entry beyond {codes.FARTHEST:g} m; give one that is nearer")
    status = Status.SOLVED if code == SOLVED else Status.OUT_OF_REACH if beyond else Status.NOT_CONVERGED
    return ChainSolution(P, status, "fabrik", report, bones, "" if code == SOLVED else NOT_EXPLAINED, None, q)


def run_kernel(problem: BoneProblem, joints: Floats) -> tuple[int, Floats, Floats, Floats]:
    """The kernel for trees with limits: its code, joint values, points and report."""
    bones, n = problem.bones, problem.bones.n
    q, P, report = np.empty((n, 3)), np.empty((n + 1, 3)), np.zeros(REPORT)
    work = np.empty(bones_size(n, len(problem.wants)))
    tree = (bones.parent, bones.length, joints, problem.points[0], problem.q)
    code = ask(problem, lambda own: solve_bones(*tree, own.wants, own.settings, own.pole, work, q, P, report))
    return code, q, P, report


def solve_free(
    bones: Bones, points: Floats, q: Floats, target: Floats, tolerance: float, settings: Floats
) -> ChainSolution:
    """One point (3,) for a chain without limits from the pose with these points and joint values."""
    P, report, work = np.empty((bones.n + 1, 3)), np.zeros(REPORT), np.empty((2, bones.n, 3))
    if longest_free(bones.n, settings) <= UNHEARD:
        code = solve_fabrik_free(bones.length, points, target, tolerance, settings, work, P, report)
    else:
        asked, own = (bones.length, points, target, tolerance), settings.copy()
        code = attend(lambda: solve_fabrik_free(*asked, own, work, P, report), lambda: own.fill(-1.0))
    if code == SOLVED:
        return ChainSolution(P, SOLVED_STATUS, "fabrik", report, bones, "", None, None, q)
    if code == BAD_TARGET:
        seen = target[: bones.dim].tolist()
        raise TargetError(f"the target is {seen}; entries are finite and below {codes.FARTHEST:g} m")
    status = Status.OUT_OF_REACH if code == OUT_OF_REACH else Status.NOT_CONVERGED
    return ChainSolution(P, status, "fabrik", report, bones, NOT_EXPLAINED, None, None, q)


def swivel(problem: BoneProblem, P: Floats) -> float:
    """Turns the points of a chain without limits toward the pole; the angle that is left [rad]."""
    bones, settings = problem.bones, problem.settings
    most = float(settings[codes.MAX_SWIVEL]) if settings[codes.HAS_START] else math.inf
    size = float(bones.way[-1])  # of a chain the longest way, without looking for it
    return float(swivel_free(bones.parent, problem.wants, problem.pole, size, bones.dim == 2, most, P))


def explain_miss(problem: BoneProblem, solution: ChainSolution, plain: bool) -> None:
    """Gives a solution that missed its status and a sentence, solving again with other wants and joints."""
    settings = problem.settings.copy()
    settings[codes.REFINE], settings[codes.MAX_SWEEPS] = 1.0, SWEEPS_BEFORE_REFINING
    settings[codes.MAX_STEPS] = max(settings[codes.MAX_STEPS], STEPS)

    def meets(wants: Floats, joints: Floats) -> bool:
        return run_kernel(replace(problem, wants=wants, settings=settings, pole=NO_POLE), joints)[0] == SOLVED

    solution.status, solution.explanation = explain(problem.bones, problem.wants, solution, plain, meets)
