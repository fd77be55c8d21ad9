"""Way-points too far apart for their straight lines: the sentence, its numbers, and `between="joints"`."""

import re

import numpy as np
import pytest

import forearm as fa
from forearm.errors import OptionError

UR5, PUMA = fa.load("ur5"), fa.load("puma560")


def curve(arm, seed, count):
    """(count, n) joint values on a random cubic curve, and their poses: way-points of a path that can be followed."""
    K = np.random.default_rng(seed).uniform(*np.clip(arm.limits, -np.pi, np.pi), (4, arm.n))
    t = np.linspace(0.0, 1.0, count)[:, None]
    Q = (1 - t) ** 3 * K[0] + 3 * t * (1 - t) ** 2 * K[1] + 3 * t**2 * (1 - t) * K[2] + t**3 * K[3]
    return Q, arm.fk(Q)


@pytest.mark.compiled
@pytest.mark.parametrize(("arm", "seed"), [(PUMA, 6), (PUMA, 8), (UR5, 2), (UR5, 7)])
def test_a_line_that_cannot_be_followed_is_told_with_a_cure_that_works(arm, seed):
    Q, poses = curve(arm, seed, 50)
    track = arm.track(poses, Q[0])
    assert track.status is fa.Status.TOO_COARSE
    i = track.stopped_at
    assert re.search(f"the straight line to way-point {i} (cannot be followed|was found)", track.reason)
    step = float(re.search(r"moving no joint more than ([\d.e-]+)", track.reason)[1])
    before = track.q[track.places == i - 1][-1]
    assert arm.solve(poses[i], before, max_joint_step=1.01 * step).success
    loose = re.search(r"halfway_tol of ([\d.e-]+) m and ([\d.e-]+) rad", track.reason)
    assert (loose is not None) == (step <= 0.1)
    if loose:
        assert arm.track(poses[i - 1 : i + 1], before, halfway_tol=(float(loose[1]), float(loose[2]))).complete


@pytest.mark.compiled
@pytest.mark.parametrize(("arm", "seed"), [(PUMA, 6), (PUMA, 3), (UR5, 3), (UR5, 8)])
def test_the_joints_lead_through_where_lines_do_not(arm, seed):
    Q, poses = curve(arm, seed, 50)
    stopped, track = arm.track(poses, Q[0]), arm.track(poses, Q[0], between="joints")
    assert not stopped.complete
    assert "between='joints'" in stopped.reason
    assert "all way-points are met" in stopped.reason
    assert track.complete
    assert track.bent
    assert track.to_dict()["bent"] == list(track.bent)
    assert "leave the straight line" in track.reason
    assert np.abs(np.diff(track.q, axis=0)).max() <= 0.1 + 1e-9
    assert (track.q >= arm.limits[0]).all()
    assert (track.q <= arm.limits[1]).all()
    whole = track.places == np.floor(track.places)
    np.testing.assert_array_equal(track.places[whole], np.arange(50))
    assert np.abs(arm.fk(track.q[whole]) - poses).max() < 1.1e-6
    lines = ~whole & ~np.isin(np.floor(track.places), track.bent)
    assert track.position_errors[lines].max(initial=0.0) < 1.1e-6


def test_a_path_that_can_be_followed_is_the_same_either_way():
    q = np.array([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
    poses = UR5.fk(np.linspace(q, q + 0.2, 6))
    plain, bending = UR5.track(poses, q), UR5.track(poses, q, between="joints")
    np.testing.assert_array_equal(plain.q, bending.q)
    assert bending.bent == ()


@pytest.mark.parametrize(
    ("given", "words"),
    [({"between": "curve"}, "between is 'curve'"), ({"between": "joints", "insert": False}, "which inserts points")],
)
def test_what_does_not_fit_is_refused(given, words):
    with pytest.raises(OptionError, match=words):
        UR5.track(UR5.fk(np.zeros((2, 6))), np.zeros(6), **given)
