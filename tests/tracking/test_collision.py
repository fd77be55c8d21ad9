"""Tracks past obstacles: free at every point and between them, or stopped with what is in the way."""

import numpy as np
import pytest

import forearm as fa
from forearm.scenes.scene import Scene

STEP, CLEARANCE = 0.1, 0.02


@pytest.fixture(scope="module")
def panda():
    return fa.load("panda").with_geometry(radius=0.05)


def line(y0, y1, count=60, z=0.3):
    return [fa.Pose([0.5, y, z], rpy=[np.pi, 0, 0]) for y in np.linspace(y0, y1, count)]


def least_between(robot, track, scene, shares=100):
    share = np.linspace(0.0, 1.0, shares)[:, None]
    ways = [a + share * (b - a) for a, b in zip(track.q, track.q[1:], strict=False)]
    return robot.clearance(np.concatenate(ways), scene).distance.min()


@pytest.mark.compiled
def test_a_track_keeps_its_distance_everywhere_where_a_plain_one_does_not(panda):
    q0 = panda.solve(line(-0.2, 0.2)[0]).q
    elbow = np.array([panda.fk_all(q)[3][:3, 3] for q in panda.track(line(-0.2, 0.2), q0).q])
    scene = Scene({"ball": fa.Sphere(elbow[-1] + np.array([0.0, 0.0, 0.12]), 0.05)})
    plain = panda.track(line(-0.2, 0.2), q0, max_joint_step=STEP)
    assert least_between(panda, plain, scene) < CLEARANCE
    kept = panda.track(line(-0.2, 0.2), q0, max_joint_step=STEP, obstacles=scene, clearance=CLEARANCE)
    assert kept.status is fa.Status.SOLVED, kept.reason
    assert least_between(panda, kept, scene) >= CLEARANCE
    assert np.abs(np.diff(kept.q, axis=0)).max() <= STEP
    at = kept.q[kept.places == np.floor(kept.places)]
    for q, target in zip(at, line(-0.2, 0.2), strict=True):
        assert panda.fk(q) == pytest.approx(target.goal, abs=2e-6)


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["panda", "ur5"])
def test_a_wall_across_the_path_stops_the_track_and_is_named(name):
    robot = fa.load(name).with_geometry(radius=0.05)
    scene = Scene({"wall": fa.Box([0.5, 0.15, 0.3], [0.6, 0.02, 1.2])})
    track = robot.track(line(-0.15, 0.3), max_joint_step=STEP, obstacles=scene, clearance=CLEARANCE)
    assert track.status is fa.Status.COLLISION
    assert "'wall'" in track.reason
    assert len(track.q) > 1
    assert least_between(robot, track, scene) >= CLEARANCE


def test_a_first_target_inside_an_obstacle_is_told_as_such(panda):
    scene = {"vase": fa.Sphere([0.5, -0.2, 0.3], 0.1)}
    track = panda.track(line(-0.2, 0.2, 5), obstacles=scene)
    assert track.status is fa.Status.COLLISION
    assert "way-point 0" in track.reason
    assert "'vase'" in track.reason


def test_bad_clearances_are_refused(panda):
    with pytest.raises(fa.errors.OptionError, match="distance from 0"):
        panda.track(line(-0.2, 0.2, 5), obstacles=[], clearance=-1)
