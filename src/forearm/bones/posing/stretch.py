"""Bones that get longer where a target is out of reach, as little as it takes: `stretch=`.

The bones of limbs (up to the next bone that branches) whose tips are out of reach (or, if none is, that miss) get
longer by one share, found by halving. A target that is met at the bones' own lengths stretches nothing.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from forearm.bones.explain import reach_fault
from forearm.bones.posing.solve import limb_of
from forearm.bones.problem import BoneProblem
from forearm.bones.solution import ChainSolution
from forearm.bones.tree import Bones
from forearm.common.checks import as_number
from forearm.common.types import Floats
from forearm.core.bones import codes
from forearm.core.codes import ORIENTATION
from forearm.errors import OptionError

MOST = 100.0
HALVINGS = 24  # the share is then within a ten millionth of what is allowed

Solve = Callable[[BoneProblem, bool], ChainSolution]


def as_stretch(value: Any) -> float:
    """How much longer bones may get, as a share."""
    if type(value) is float and value == 0.0:
        return 0.0
    share = as_number(value, "stretch", OptionError)
    if not 0.0 <= share <= MOST:
        raise OptionError(f"stretch is {share:g}; it takes a share of the bones' length, 0 to {MOST:g}")
    return share


def stretch_to(problem: BoneProblem, explained: bool, solve: Solve) -> ChainSolution:
    """What `solve` gives, with the bones stretched as little as it takes; with the most if that is not enough."""
    solution = solve(problem, explained)
    if solution.success:
        return solution
    far = limbs_that_miss(problem, solution)
    low, high = 0.0, problem.stretch
    best = longer_by(problem, far, high, explained, solve)
    if not best.success:
        return best
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        trial = longer_by(problem, far, middle, False, solve)
        if trial.success:
            best, high = trial, middle
        else:
            low = middle
    return best


def limbs_that_miss(problem: BoneProblem, solution: ChainSolution) -> Floats:
    """(n,) 1 for bones of the limbs whose tips are out of reach, or if none is of those that miss, 0 for others."""
    bones, found = problem.bones, np.zeros(problem.bones.n)
    beyond = [row for row in problem.wants if not bones.free_base and reach_fault(bones, row)]
    for row in beyond or problem.wants:
        tip = int(row[codes.BONE])
        miss = float(np.linalg.norm(solution.points3[tip + 1] - row[codes.POINT : codes.POINT + 3]))
        if row[codes.GOAL_KIND] != ORIENTATION and miss > row[codes.REACH_TOL]:
            path = bones.path(tip)
            found[path[path.index(limb_of(bones, tip)) :]] = 1.0
    return found if found.any() else np.ones(bones.n)


def longer_by(problem: BoneProblem, far: Floats, share: float, explained: bool, solve: Solve) -> ChainSolution:
    """The solution with the bones that `far` marks longer by a share, as one of the bones it was asked of."""
    factors = 1.0 + share * far
    bones = longer(problem.bones, factors)
    points = bones.pose_of(problem.q, problem.points[0])[1]
    own = replace(problem, bones=bones, points=points, stretch=0.0, start=None if problem.start is None else points)
    solution = solve(own, explained)
    return replace(
        solution, bones=problem.bones, stretch=factors, _values=solution.joint_values, _near=None, frame=None
    )


def longer(bones: Bones, factors: Floats) -> Bones:
    """The same bones with other lengths."""
    length = bones.length * factors
    start = bones.start.copy()
    for i, p in enumerate(bones.parent.tolist()):
        start[i + 1] = start[p + 1] + (bones.start[i + 1] - bones.start[p + 1]) * factors[i]
    return replace(bones, length=length, start=start)
