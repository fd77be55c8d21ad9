"""`solve(prefer=)`: no answer that dense sampling finds is better, and what cannot be honoured is refused by name."""

import numpy as np
import pytest

import forearm as fa
from branch_cases import TABLES, frames_of, free_arm
from forearm.errors import OptionError, UnsupportedError

pytestmark = pytest.mark.compiled
PANDA, UR5, XARM6 = fa.load("panda"), fa.load("ur5"), free_arm(TABLES["xarm6"], "xarm6")


def room(arm, Q):
    """How far from its limits the worst joint is, as a share of its half range."""
    lower, upper = arm.limits
    return (np.minimum(Q - lower, upper - Q) / (0.5 * (upper - lower))).min(axis=1)


def manipulability(arm, Q):
    return np.array([np.sqrt(max(0.0, np.linalg.det(J @ J.T))) for J in map(arm.jacobian, Q)])


@pytest.mark.parametrize("seed", [3, 8])
@pytest.mark.parametrize("name", ["panda", "iiwa14"])
@pytest.mark.parametrize(("prefer", "measure"), [("limits", room), ("manipulability", manipulability)])
def test_nothing_along_the_curves_is_better(name, prefer, measure, seed):
    arm = fa.load(name)
    q = arm.sample(1, rng_seed=seed)[0]
    T = arm.fk(q)
    s = arm.solve(T, q, prefer=prefer)
    assert s.success
    assert np.abs(frames_of(arm, s.q[None])[-1, 0] - T).max() < 1e-9
    best = max(measure(arm, Q).max() for Q in arm.self_motion(T, q).sample(0.03))
    assert measure(arm, s.q[None])[0] >= best - 1e-9


@pytest.mark.parametrize("arm", [UR5, XARM6], ids=["ur5", "xarm6"])
@pytest.mark.parametrize(("prefer", "measure"), [("limits", room), ("manipulability", manipulability)])
def test_of_finitely_many_branches_it_is_the_best(arm, prefer, measure):
    q = arm.sample(1, rng_seed=3)[0]
    T = arm.fk(q)
    s = arm.solve(T, q, prefer=prefer)
    assert measure(arm, s.q[None])[0] >= measure(arm, arm.solve_all(T, windings=True).q).max() - 1e-9
    np.testing.assert_array_equal(arm.solve(T, q, prefer="q0").q, arm.solve_all(T, q)[0].q)


def test_the_nearest_of_a_curve_is_nearer_than_any_sample():
    q = PANDA.sample(1, rng_seed=4)[0]
    q0 = PANDA.clip(q + 0.3)
    s = PANDA.solve(PANDA.fk(q), q0, prefer="q0")
    near = min(np.abs(Q - q0).max(axis=1).min() for Q in PANDA.self_motion(PANDA.fk(q)).sample(0.02))
    assert np.abs(s.q - q0).max() <= near + 1e-9


def test_clearance_is_the_most_there_is_and_the_answer_is_free():
    arm = PANDA.with_geometry(radius=0.03)
    q = arm.sample(1, rng_seed=3)[0]
    T, ball = arm.fk(q), [fa.Sphere((0.3, 0.3, 0.5), 0.1)]
    s = arm.solve(T, q, prefer="clearance", obstacles=ball, self_collision=False)
    assert s.success
    gaps = [
        arm.solve(T, p, prefer="q0", obstacles=ball, self_collision=False).clearance for p in arm.sample(5, rng_seed=1)
    ]
    assert s.clearance >= max(gaps) - 1e-9


def test_a_pose_out_of_reach_is_explained_as_without_a_preference():
    T = np.eye(4)
    T[:3, 3] = 4.0
    assert PANDA.solve(T, prefer="limits").status == fa.Status.OUT_OF_REACH


def test_what_cannot_be_honoured_is_refused_by_name():
    T = PANDA.fk(PANDA.neutral)
    for message, how in (
        ("prefer is 'speed'; it takes one of: limits, manipulability, clearance, q0", {"prefer": "speed"}),
        ("prefer='clearance' needs something to keep away from", {"prefer": "clearance"}),
        ("prefer='q0' needs q0", {"prefer": "q0"}),
        ("rest does not go with prefer", {"prefer": "limits", "rest": PANDA.neutral}),
        ("method 'general' does not go with prefer", {"prefer": "limits", "method": "general"}),
    ):
        with pytest.raises(OptionError, match=message):
            PANDA.solve(T, **how)
    with pytest.raises(UnsupportedError, match="prefer chooses among all answers"):
        PANDA.solve(fa.Position([0.3, 0.0, 0.4]), prefer="limits")


def test_a_locked_joint_of_seven_leaves_branches_to_choose_among():
    q = PANDA.sample(1, rng_seed=3)[0]
    T, locked = PANDA.fk(q), {PANDA.joint_names[2]: q[2]}
    found = PANDA.solve_all(T, q, locked=locked)
    assert found.complete
    s = PANDA.solve(T, q, prefer="manipulability", locked=locked)
    assert s.q[2] == q[2]
    assert manipulability(PANDA, s.q[None])[0] >= manipulability(PANDA, found.q).max() - 1e-9


def test_curves_of_which_some_may_be_missing_are_not_chosen_among():
    q = np.array(PANDA.neutral)
    q[[0, 2, 4]], q[1] = 0.0, 0.0
    T = PANDA.fk(q)
    assert not PANDA.self_motion(T, q).complete
    with pytest.raises(UnsupportedError, match="here some may be missing"):
        PANDA.solve(T, q, prefer="limits")


def test_the_best_place_does_not_fall_out_of_sight_between_rough_and_exact_ones():
    """Rough places of this arm are off by 5e-4 rad, and the search had closed in to 3e-4 when it asked exact ones."""
    whole = fa.load("gen3")
    limits = np.clip(whole.limits, -3.1, 3.1)
    arm, rng = whole.with_limits(limits), np.random.default_rng(11)
    q, q0 = rng.uniform(*limits), rng.uniform(*limits)
    s = arm.solve(frames_of(arm, q[None])[-1, 0], q0, prefer="q0")
    assert np.abs(s.q - q0).max() < 2.169927  # by steps along the null vector of a Jacobian, from 3,000 random starts
