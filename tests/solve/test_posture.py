"""`solve(posture=)`: the nearest branch of that name, and what is said where there is none."""

import numpy as np
import pytest

import forearm as fa
from forearm.errors import OptionError, UnsupportedError

UR5 = fa.load("ur5")
Q = np.array([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
T = UR5.fk(Q)


@pytest.mark.parametrize(
    "posture", ["elbow up", "elbow down", "wrist flip", "shoulder left , elbow down,wrist  no flip"]
)
def test_the_answer_has_the_posture_and_is_the_nearest_of_it(posture):
    s = UR5.solve(T, Q, posture=posture)
    assert s.success
    np.testing.assert_allclose(UR5.fk(s.q), T, atol=1e-9)
    wanted = {" ".join(part.split()) for part in posture.split(",")}
    same = [b for b in UR5.solve_all(T, Q) if wanted <= set(b.posture.split(", "))]
    np.testing.assert_array_equal(s.q, same[0].q)


def test_a_posture_that_limits_leave_out_is_told_with_those_there_are():
    s = UR5.solve(T, Q, posture="elbow down", limits={UR5.joint_names[2]: (0.1, 3.0), UR5.joint_names[0]: (0.2, 0.4)})
    assert s.status == fa.Status.LIMITS
    assert "no branch inside the limits is 'elbow down'; there are: shoulder" in s.reason


def test_a_pose_out_of_reach_is_explained_as_without_a_posture():
    far = T.copy()
    far[:3, 3] = 5.0
    assert UR5.solve(far, posture="elbow up").status == fa.Status.OUT_OF_REACH


def test_what_does_not_go_with_a_posture_is_refused_by_name():
    with pytest.raises(
        OptionError, match="posture has no 'elbow sideways' on ur5; it takes one or more, by commas, of"
    ):
        UR5.solve(T, posture="elbow sideways")
    with pytest.raises(OptionError, match="posture is 3; it takes names such as"):
        UR5.solve(T, posture=3)
    with pytest.raises(OptionError, match="timeout does not go with posture"):
        UR5.solve(T, posture="elbow up", timeout=1.0)
    with pytest.raises(OptionError, match="method 'general' does not go with posture"):
        UR5.solve(T, posture="elbow up", method="general")
    with pytest.raises(UnsupportedError, match="posture is for poses of six-joint arms"):
        fa.load("iiwa14").solve(np.eye(4), posture="elbow up")


def test_names_that_exclude_each_other_are_refused():
    arm = fa.load("ur5")
    with pytest.raises(OptionError, match="no answer is both 'elbow down' and 'elbow up'; leave one out"):
        arm.solve(arm.fk(arm.home), posture="wrist flip, elbow up, elbow down")
