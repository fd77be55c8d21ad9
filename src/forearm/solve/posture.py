"""The answer with a posture that is asked for by name."""

from typing import Any

import numpy as np

from forearm.core.arm.goal import FINISH_SCRATCH, finish
from forearm.core.codes import POSE, REPORT
from forearm.errors import OptionError, UnsupportedError
from forearm.results.solution import NOT_EXPLAINED, Branches, Solution, Status
from forearm.solve.all_branches import solve_all
from forearm.solve.branch_check import BranchCheck
from forearm.solve.problem import Problem


def solve_in_posture(problem: Problem, posture: Any) -> Solution | None:
    """The branch of these names that is nearest to the start, or why there is none; None if there is no branch."""
    wanted = read_posture(problem, posture)
    found = solve_all(problem)
    for branch in found:
        if wanted <= set(branch.posture.split(", ")):
            return branch
    return _refusal(problem, posture, found) if found else None


def read_posture(problem: Problem, posture: Any) -> set[str]:
    """The names that are asked for; refuses those that the arm has not."""
    arm, words = problem.model.name, problem.tables.postures.words
    if not words or problem.kind != POSE:
        raise UnsupportedError(f"posture is for poses of six-joint arms; this call asks {arm} for something else")
    known = [name for pair in words for name in pair]
    if not isinstance(posture, str):
        raise OptionError(f"posture is {posture!r}; it takes names such as '{known[0]}'")
    names = {" ".join(part.split()) for part in posture.split(",")}
    for name in sorted(names - set(known)):
        raise OptionError(f"posture has no '{name}' on {arm}; it takes one or more, by commas, of: {', '.join(known)}")
    for pair in words:
        if names >= set(pair):
            raise OptionError(f"posture is {posture!r}: no answer is both '{pair[0]}' and '{pair[1]}'; leave one out")
    return names


def _refusal(problem: Problem, posture: str, found: Branches) -> Solution:
    """A failed solution at the start, with the postures that would do."""
    report, q = np.empty(REPORT), np.clip(problem.start, *problem.limits)
    finish(BranchCheck(problem, exact=True).flat, problem.goal, q, np.empty(FINISH_SCRATCH), report)
    there, whole = "; ".join(sorted({branch.posture for branch in found})), found.complete
    what = "no branch inside the limits" if whole else "some branches may be missing here, and none that was found"
    sentence, status = f"{what} is '{posture}'; there are: {there}", Status.LIMITS if whole else Status.NOT_CONVERGED
    return Solution(q, status, "posture", report, sentence if problem.explain else NOT_EXPLAINED)
