"""Places between way-points, and how far configurations are off them."""

import numpy as np
import pytest

import forearm as fa
from forearm.common.transforms import rotation_about
from forearm.core.codes import DIRECTION, POINT_AXIS, POSE, TERMS, TOOL_AXIS
from forearm.core.track.path import AT_MEETS, AT_POSITION, AT_ROTATION, MEASURE_SCRATCH, measure_path, place_on_path
from forearm.targets.target import default_terms


def at(goals, terms, kind, s):
    pose, here = np.empty((4, 4)), np.empty(TERMS)
    place_on_path(goals, terms, kind, s, pose, here)
    return pose, here


def test_between_two_poses_the_point_goes_straight_and_the_rotation_turns_at_one_rate():
    goals, terms = np.repeat(np.eye(4)[None], 2, axis=0), np.array([default_terms()] * 2)
    goals[1] = rotation_about([0.0, 0.6, 0.8], 1.2)
    goals[1, :3, 3] = 0.4, -0.2, 0.6
    pose, _ = at(goals, terms, POSE, 0.25)
    assert pose[:3, 3] == pytest.approx([0.1, -0.05, 0.15])
    assert pose[:3, :3] == pytest.approx(rotation_about([0.0, 0.6, 0.8], 0.3)[:3, :3], abs=1e-15)
    assert pose[3].tolist() == [0.0, 0.0, 0.0, 1.0]


def test_between_two_directions_the_axis_takes_the_shortest_turn_and_tolerances_are_those_ahead():
    goals, terms = np.repeat(np.eye(4)[None], 2, axis=0), np.array([default_terms()] * 2)
    terms[0, DIRECTION:], terms[1, DIRECTION:] = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]
    terms[0, 0], terms[1, 0] = 1e-3, 2e-3
    _, here = at(goals, terms, POINT_AXIS, 0.5)
    assert here[DIRECTION:] == pytest.approx([np.sqrt(0.5), np.sqrt(0.5), 0.0])
    assert here[0] == 2e-3
    assert np.array_equal(at(goals, terms, POINT_AXIS, 0.0)[1], terms[0])


def test_a_configuration_on_the_path_meets_it_and_one_beside_it_is_off_by_its_distance():
    model = fa.load("panda").model
    q = np.array([0.1, 0.4, -0.2, -1.6, 0.1, 1.9, 0.3])
    goals = np.repeat(fa.load("panda").fk(q)[None], 3, axis=0)
    goals[2, :3, 3] += [0.0, 0.03, 0.0]
    terms, errors = np.array([default_terms()] * 3), np.empty((2, 3))
    places, Q = np.array([0.5, 2.0]), np.array([q, q])
    measure_path(model.links, model.joints, goals, terms, POSE, places, Q, np.full(MEASURE_SCRATCH, np.nan), errors)
    assert errors[:, AT_MEETS].tolist() == [1.0, 0.0]
    assert errors[:, AT_POSITION] == pytest.approx([0.0, 0.03], abs=1e-12)
    assert errors[:, AT_ROTATION] == pytest.approx([0.0, 0.0], abs=1e-9)


def test_an_axis_is_measured_against_all_of_its_direction():
    arm = fa.load("panda")
    q, turn = np.array([0.1, 0.4, -0.2, -1.6, 0.1, 1.9, 0.3]), 0.2
    T, errors = arm.fk(q), np.empty((1, 3))
    goals, terms = T[None].copy(), np.array([default_terms()])
    terms[0, TOOL_AXIS : TOOL_AXIS + 3] = [0.0, 0.0, 1.0]
    terms[0, DIRECTION:] = rotation_about(T[:3, 0], turn)[:3, :3] @ T[:3, 2]
    asked = (goals, terms, POINT_AXIS, np.zeros(1), q[None], np.full(MEASURE_SCRATCH, np.nan), errors)
    measure_path(arm.model.links, arm.model.joints, *asked)
    assert errors[0] == pytest.approx([0.0, turn, 0.0], abs=1e-9)
