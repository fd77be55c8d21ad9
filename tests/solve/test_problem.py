"""What answers a call is bound once, and anew when what it was bound for is another."""

import numpy as np

import forearm as fa
from forearm.core.codes import TOL_POSITION
from forearm.scenes import Scene

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
