"""Slides that carry an arm about: found, left out of its size, and driven to every target."""

import math

import numpy as np
import pytest

import forearm as fa
from forearm.arm.driving import arm_size, driving, wide_slides
from forearm.core.arm.compact import SLIDING, TURNING

FETCH = (  # of Fetch's public URDF: joint, kind, origin, axis, limits
    ("torso_lift", "prismatic", "-0.086875 0 0.37743", "0 0 1", 0.0, 0.38615),
    ("shoulder_pan", "revolute", "0.119525 0 0.34858", "0 0 1", -1.6056, 1.6056),
    ("shoulder_lift", "revolute", "0.117 0 0.06", "0 1 0", -1.221, 1.518),
    ("upperarm_roll", "continuous", "0.219 0 0", "1 0 0", 0.0, 0.0),
    ("elbow_flex", "revolute", "0.133 0 0", "0 1 0", -2.251, 2.251),
    ("forearm_roll", "continuous", "0.197 0 0", "1 0 0", 0.0, 0.0),
    ("wrist_flex", "revolute", "0.1245 0 0", "0 1 0", -2.16, 2.16),
    ("wrist_roll", "continuous", "0.1385 0 0", "1 0 0", 0.0, 0.0),
)
OMNI = ("x", "prismatic", "1 0 0"), ("y", "prismatic", "0 1 0"), ("yaw", "continuous", "0 0 1")
POLAR = ("yaw", "revolute", "0 0 1"), ("ahead", "prismatic", "1 0 0")


def fetch(base=(), r=0.0):
    """Fetch's arm, on a base that drives r far or turns."""
    joints = [(name, kind, "0 0 0", axis, -r, r) for name, kind, axis in base]
    links, text = ["link0"], ""
    for name, kind, origin, axis, lower, upper in [*joints, *FETCH]:
        links.append(name + "_link")
        text += f"""<joint name="{name}" type="{kind}"><origin xyz="{origin}"/><parent link="{links[-2]}"/>
          <child link="{links[-1]}"/><axis xyz="{axis}"/>
          <limit lower="{lower}" upper="{upper}" effort="1" velocity="1"/></joint>"""
    text += "".join(f'<link name="{link}"/>' for link in links)
    return fa.Robot.from_urdf(f'<robot name="fetch">{text}</robot>', tip="wrist_roll_link")


def far_targets(robot, count, within=math.inf, seed=0):
    """Reachable poses, the slides no farther out than said, turns within a turn."""
    slides = np.array([kind == "prismatic" for kind in robot.model.joint_kinds])
    most = np.where(slides, within, math.pi)
    Q = np.random.default_rng(seed).uniform(*np.clip(robot.limits, -most, most), (count, robot.n))
    return robot.fk(Q)


@pytest.mark.parametrize("name", ["ur5", "panda", "scara", "iiwa14", "so101"])
def test_an_arm_without_wide_slides_is_as_large_as_its_reach(name):
    arm = fa.load(name)
    found = driving(arm.model)
    assert not found.drives
    assert not found.marks.any()
    np.testing.assert_array_equal(found.still, arm.limits)
    assert arm_size(arm.model) == arm.reach


def test_wide_slides_are_found_and_left_out_of_the_size():
    alone, base = fetch(), fetch(OMNI, 1e6)
    assert wide_slides(base.model).tolist() == [True, True, *[False] * 9]
    assert arm_size(base.model) == pytest.approx(alone.reach + np.linalg.norm([0.086875, 0.37743]))
    assert base.rotation_weight == pytest.approx(0.2 * arm_size(base.model))
    assert base.reach > 1e6  # what it can reach is another question
    up = base.model.links[0, :, :3] @ driving(base.model).up
    np.testing.assert_allclose(np.abs(up), [0.0, 0.0, 1.0], atol=1e-12)
    assert driving(fetch(POLAR, 1e6).model).marks[:2].tolist() == [TURNING, SLIDING]


def test_a_slide_as_long_as_the_arm_is_an_ordinary_joint():
    assert not wide_slides(fetch(OMNI, 1.0).model).any()


@pytest.mark.compiled
@pytest.mark.parametrize("base", [OMNI, POLAR, OMNI[:1]])
@pytest.mark.parametrize("r", [1.0, 4.0, 100.0, 1e6, math.inf])
def test_every_target_is_solved_however_far_the_base_may_drive(base, r):
    robot = fetch(base, 1e6)
    slides = [name for name, kind, _ in base if kind == "prismatic"]
    robot = robot.with_limits({name: (-r, r) for name in slides})
    for within in (5.0, 1e5):
        targets = far_targets(robot, 100, within)
        for start in (None, robot.clip(np.zeros(robot.n))):
            found = robot.solve_batch(targets, start, explain=True)
            assert found.success.all(), found.summary()
            reached = robot.fk(found.q)
            assert np.linalg.norm(reached[:, :3, 3] - targets[:, :3, 3], axis=1).max() < 1e-6


@pytest.mark.compiled
def test_other_kinds_of_targets_are_driven_to_as_well():
    robot = fetch(OMNI, 1e6)
    T = far_targets(robot, 50)
    P, R = T[:, :3, 3], T[:, :3, :3]
    for targets in (fa.Position.many(P), fa.PointAxis.many(P, R[:, :, 2]), fa.Orientation.many(R)):
        assert robot.solve_batch(targets).success.all()


@pytest.mark.compiled
def test_the_arm_stays_near_its_start_where_the_base_can_drive():
    robot, q0 = fetch(OMNI, 1e6), np.zeros(11)
    T = robot.fk(np.array([8e5, -3e5, 0.4, 0.1, 0.2, 0.3, 0.1, 0.4, 0.2, 0.3, 0.1]))
    found = robot.solve(T, q0)
    assert found.success
    assert np.abs(found.q[2:] - q0[2:]).max() < 1.0
    np.testing.assert_allclose(found.q[:2], [8e5, -3e5], atol=2.0)


@pytest.mark.compiled
def test_verdicts_are_those_of_the_arm_not_of_the_range():
    robot = fetch(OMNI, 1e6)
    T = far_targets(robot, 1, 5.0)[0]
    T[2, 3] = 3.0  # nothing but the torso would bring it so high
    assert str(robot.solve(T).status) == "limits"
    assert "torso_lift " in robot.solve(T).reason
    T[:3, 3] = 3e6, 0.0, 1.0
    assert str(robot.solve(T).status) == "out_of_reach"


@pytest.mark.compiled
def test_a_driving_base_avoids_obstacles():
    robot = fetch(OMNI, 1e6).with_geometry(radius=0.04)
    for T in far_targets(robot, 5, 50.0, seed=3):
        wall = fa.Sphere(T[:3, 3] + 0.4 * T[:3, 2], 0.1)
        found = robot.solve(T, obstacles=[wall])
        assert found.success
        assert robot.clearance(found.q, [wall]).distance >= -1e-9
