"""The fastest times along points: known optima, limits kept by differences of what comes back, files."""

import csv
import io
import json

import numpy as np
import pytest

import forearm as fa
from forearm.results.trajectory import fastest


def line(count=401, ends=(1.0, 0.5)):
    """Points along a straight line in joint space."""
    return np.linspace(0.0, 1.0, count)[:, None] * np.array([ends])


def curve(count=301):
    """A smooth curve of three joints, one of which turns back, and one that stands."""
    s = np.linspace(0.0, 1.0, count)
    return np.stack([np.sin(3.0 * s), np.cos(2.0 * s), s**2, 0.0 * s], axis=1)


@pytest.mark.parametrize(("velocity", "seconds"), [(np.inf, 2.0), (0.5, 2.5), (0.1, 10.1)])
def test_a_straight_line_takes_the_time_of_the_books(velocity, seconds):
    found = fastest(line(), np.array([velocity, np.inf]), np.ones(2), ("a", "b"))
    assert found.duration == pytest.approx(seconds, rel=1e-6)


def test_differences_of_the_points_keep_every_limit():
    velocity, acceleration = np.array([1.0, 0.8, 3.0, 1.0]), np.array([2.0, 1.0, 3.0, 1.0])
    found = fastest(curve(), velocity, acceleration, tuple("abcd"))
    speeds = np.diff(found.q, axis=0) / np.diff(found.times)[:, None]
    assert (np.abs(speeds) <= velocity * (1.0 + 1e-9)).all()
    spans = np.diff(found.times)
    pushes = np.diff(speeds, axis=0) / (0.5 * (spans[1:] + spans[:-1]))[:, None]
    assert (np.abs(pushes) <= acceleration * (1.0 + 1e-9)).all()
    assert (found.velocities[[0, -1]] == 0.0).all()
    # none of it could be faster: some limit is all but reached at nearly every point
    used = np.maximum((np.abs(speeds) / velocity).max(axis=1)[1:], (np.abs(pushes) / acceleration).max(axis=1))
    assert np.median(used) > 0.97


def test_how_finely_points_are_cut_hardly_changes_the_time():
    limits = np.array([1.0, 0.8, 3.0, 1.0]), np.array([2.0, 1.0, 3.0, 1.0])
    coarse, fine = (fastest(curve(count), *limits, tuple("abcd")).duration for count in (201, 801))
    assert coarse == pytest.approx(fine, rel=0.02)


def test_points_that_stand_still_take_no_time():
    q = np.repeat(line(11), 2, axis=0)
    found = fastest(q, np.ones(2), np.ones(2), ("a", "b"))
    assert found.times.shape == (22,)
    assert (np.diff(found.times)[::2] == 0.0).all()
    assert fastest(q[:2], np.ones(2), np.ones(2), ("a", "b")).duration == 0.0


def arc_track():
    """A track of a UR5."""
    arm, q = fa.load("ur5"), np.array([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
    return arm.track(arm.fk(np.linspace(q, q + 0.3, 12)), q)


def test_a_track_is_timed_with_the_velocities_of_its_robot():
    track = arc_track()
    found = track.timed(acceleration=2.0)
    np.testing.assert_array_equal(found.q, track.q)
    assert (np.abs(found.velocities) <= track.velocity_limits + 1e-9).all()
    assert track.timed(acceleration=2.0, velocity=0.05).duration > found.duration


@pytest.mark.parametrize("given", [0.0, -1.0, [1.0, 2.0], np.inf])
def test_limits_that_are_none_are_refused(given):
    with pytest.raises(ValueError, match="acceleration is"):
        arc_track().timed(acceleration=given)


def test_files_hold_what_the_trajectory_holds(tmp_path):
    found = arc_track().timed(acceleration=2.0)
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert float(rows[-1]["time [s]"]) == found.duration
    name = found.joint_names[2]
    np.testing.assert_array_equal([float(row[name + " [rad]"]) for row in rows], found.q[:, 2])
    np.testing.assert_array_equal([float(row[name + "_velocity [rad/s]"]) for row in rows], found.velocities[:, 2])
    assert f"{name}_acceleration [rad/s2]" in rows[0]
    found.save(tmp_path / "a.json")
    message = json.loads((tmp_path / "a.json").read_text())
    assert message["joint_names"] == list(found.joint_names)
    assert set(message["points"][0]) == {"positions", "velocities", "accelerations", "effort", "time_from_start"}
    last = message["points"][-1]["time_from_start"]
    assert last["sec"] + 1e-9 * last["nanosec"] == pytest.approx(found.duration, abs=1e-9)
    found.save(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == found.to_csv()
    with pytest.raises(ValueError, match=r"neither .csv nor .json"):
        found.save(tmp_path / "a.txt")
    assert "s)" in repr(found)
