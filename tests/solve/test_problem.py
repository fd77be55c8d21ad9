"""What answers a call is bound once, and anew when what it was bound for is another."""

from pathlib import Path

import numpy as np
import pytest

import forearm as fa
from forearm import solve
from forearm.core.arm.problem import HEAD, SETTINGS
from forearm.core.codes import ITERATIONS, POSE, REPORT, TOL_POSITION
from forearm.results.solution import Solution
from forearm.scenes import Scene
from forearm.solve.methods.table import METHODS
from forearm.solve.problem import NO_START, Problem, bind, solved
from forearm.targets.target import default_terms

ARM = fa.load("planar-2")
Q = np.array([0.4, 0.9])
POINT = ARM.fk(Q)[:3, 3]


def bound_by(keeper, solve):
    """What a call asked for twice is bound to, and that the second one took it."""
    solve()
    first = dict(keeper().bound)
    solve()
    assert all(keeper().bound[key] is bound for key, bound in first.items())
    return first


def test_a_kernel_is_bound_once_for_calls_that_only_differ_in_target_and_start():
    arm = fa.Robot(ARM.model)
    kept = bound_by(lambda: arm._prepared, lambda: arm.solve(fa.Position(POINT), Q, max_tries=7))
    assert len(kept) == 1


def test_a_scene_that_stays_is_packed_once():
    arm, scene = fa.Robot(ARM.model), Scene([fa.Sphere([9.0, 9.0, 9.0], 0.1)])
    kept = bound_by(lambda: arm._prepared.guard, lambda: arm.solve(fa.Position(POINT), obstacles=scene))
    assert len(kept) == 1


def test_other_options_limits_and_terms_are_honoured_behind_a_bound_kernel():
    arm, target = fa.Robot(ARM.model), fa.Position(POINT)
    plain = arm.solve(target, Q)
    narrow = np.array([[-0.1, -3.0], [0.1, 3.0]])
    inside = arm.solve(target, limits=narrow)
    assert np.all(narrow[0] <= inside.q)
    assert np.all(inside.q <= narrow[1])
    target.terms[TOL_POSITION] = 0.5
    np.testing.assert_array_equal(arm.solve(target, [0.0, 0.5]).q, [0.0, 0.5])
    np.testing.assert_array_equal(arm.solve(fa.Position(POINT), Q).q, plain.q)


def test_one_place_calls_an_answer_solved_beside_the_road_on_which_the_kernel_says_so():
    folder = Path(solve.__file__).parent
    naming = {
        str(file.relative_to(folder)) for file in folder.rglob("*.py") if "Status.SOLVED" in file.read_text("utf-8")
    }
    assert naming == {"problem.py", "fast.py"}


def test_an_answer_is_called_solved_only_if_it_is_measured_so():
    arm, off = fa.Robot(ARM.model), Q + np.array([1e-5, 0.0])
    target = fa.Position(POINT)
    asked = Problem(arm._prepared, target.kind, target.goal, target.terms, NO_START, arm.limits, NO_START)
    report = np.zeros(REPORT)
    assert solved(asked, Q, "a search", report, Solution).success
    assert solved(asked, off, "a search", report, Solution) is None
    assert solved(asked, Q + np.array([2.0 * np.pi, 0.0]), "a search", report, Solution) is None
    beside = asked._replace(limits=np.array([[0.5, 0.0], [1.0, 1.0]]))
    assert solved(beside, Q, "a search", report, Solution) is None


@pytest.mark.parametrize("name", ["general", "fabrik-r", "combined", "dls", "jacobian-transpose", "ccd"])
@pytest.mark.parametrize("guarded", [False, True])
def test_a_kernel_whose_budget_is_taken_away_takes_no_further_step(name, guarded):
    arm, method = fa.load("ur5").with_geometry(radius=0.01), METHODS[name]
    if guarded and name not in ("general", "fabrik-r"):
        pytest.skip("it has no search among obstacles")
    T, start = arm.fk(np.full(6, 0.4)), np.full(6, -1.5)
    keeper, settings = arm._prepared, method.options().pack(arm.rotation_weight)
    if guarded:
        arm.solve(T, start, obstacles=[fa.Sphere([9.0, 9.0, 9.0], 0.1)], explain=False)
        keeper, settings = arm._prepared.guard, METHODS["general"].options().pack(0.0)
    problem = Problem(arm._prepared, POSE, T, default_terms(), start, arm.limits, settings)
    bound = keeper.bind(problem, method) if guarded else bind(problem, method)
    own = bound.arrays[0].copy()
    own[HEAD : HEAD + SETTINGS] = -1.0  # as an interrupt leaves it
    answers = []
    for garbage in (0.0, np.nan, np.inf, -1e200, 1e17):  # what stood in the lent memory is not looked at
        q, report, work = np.full(6, garbage), np.zeros(REPORT), np.full(bound.scratch, garbage)
        bound.kernel(own, *bound.arrays[1:], T, start, work, q, report)
        assert report[ITERATIONS] == 0.0
        answers.append(q)
    np.testing.assert_array_equal(answers, np.tile(answers[0], (5, 1)))


def test_more_sweeps_than_an_interrupt_may_wait_for_are_refused():
    arm = fa.load("ur5")
    with pytest.raises(fa.errors.OptionError, match=r"n_l is 10000000; it takes .* from 0 to 1e.06"):
        arm.solve(arm.fk(arm.neutral), method="combined", n_l=10_000_000)
