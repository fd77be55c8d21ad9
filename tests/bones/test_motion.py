"""Going on from a pose: no jumps, the pole, and what FABRIK does stage by stage."""

import itertools
import math

import numpy as np
import pytest

import forearm as fa
from forearm.joints import Ball, Cone, Hinge


@pytest.mark.compiled
@pytest.mark.parametrize("pole", [None, (0.0, 0.0, 5.0)])
@pytest.mark.parametrize(("half", "near"), [(0.6, 0.3), (0.9, 0.15), (1.3, 0.15), (None, 0.05)])
def test_an_animation_has_no_jumps(bones, half, near, pole):
    joints = None if half is None else [Ball()] + [Cone(half)] * 7
    chain = fa.Chain(bones.arc(8), joints, rest=bones.straight(8))
    pose, points, values = None, [], []
    for target in bones.smooth_loop(chain, near, 0.999):
        pose = chain.solve(target, start=pose, pole=pole, explain=False)
        assert pose.success
        assert np.linalg.norm(pose.points[-1] - target) <= 1e-6 * chain.reach
        points.append(pose.points.copy())
        values.append(pose.frames.copy())
    steps = np.linalg.norm(np.diff(points[5:], axis=0), axis=2)[:, 1:]  # after the first frames found the loop
    assert (steps.max(axis=0) <= 5.0 * np.median(steps, axis=0)).all()
    turns = np.linalg.norm(np.diff(values[5:], axis=0), axis=(2, 3))
    assert turns.max() < 0.5  # frames do not flip either
    bones.judge(chain, pose)


def test_nothing_moves_when_the_target_does_not(bones):
    chain = fa.Chain(bones.straight(5), [Ball()] + [Cone(1.0, twist=(-0.5, 0.5))] * 4)
    pose = chain.solve([0.2, 0.5, 0.3])
    again = chain.solve([0.2, 0.5, 0.3], start=pose)
    assert (again.points == pose.points).all()
    assert (again.frames == pose.frames).all()
    free = fa.Chain(bones.straight(5))
    pose = free.solve([-0.5, 0.0, 0.3])
    again = free.solve([-0.5, 0.0, 0.3], start=pose)
    assert again.frames == pytest.approx(pose.frames, abs=1e-12)


def test_a_start_can_be_points_and_no_start_has_no_history(bones):
    chain = fa.Chain(bones.straight(3))
    bent = chain.solve([0.2, 0.4, 0.0])
    assert chain.solve([0.2, 0.4, 0.0], start=bent.points).points == pytest.approx(bent.points, abs=1e-12)
    chain.solve([0.5, -0.5, 0.1])
    assert (chain.solve([0.2, 0.4, 0.0]).points == bent.points).all()


def elbow_side(pose):
    """The unit offset of the inner points from the line base to tip."""
    points = pose.points - pose.points[0]
    line = points[-1] / np.linalg.norm(points[-1])
    off = points[1:-1].sum(axis=0)
    off -= line * (off @ line)
    return off / np.linalg.norm(off)


@pytest.mark.parametrize("joints", [None, [Ball()] + [Cone(1.0)] * 3])
def test_the_elbow_points_to_the_pole(bones, joints):
    chain = fa.Chain(bones.straight(4), joints)
    for angle in np.linspace(0.0, 6.0, 7):
        side = np.array([0.0, math.cos(angle), math.sin(angle)])
        pose = chain.solve([0.6, 0.0, 0.0], pole=[0.3, *side[1:]])
        assert pose.success
        assert elbow_side(pose) == pytest.approx(side, abs=1e-5)
        assert abs(pose.pole_angle) < 1e-6
        bones.judge(chain, pose)


def test_a_root_with_limits_follows_the_pole_as_far_as_it_may(bones):
    chain = fa.Chain(bones.straight(4), [Cone(0.8, twist=(-0.3, 0.3))] + [Hinge((0, 0, 1), (-2.0, 2.0))] * 3)
    pose = chain.solve([0.6, 0.0, 0.0], pole=[0.3, 0.3, 1.0])
    without = chain.solve([0.6, 0.0, 0.0])
    assert pose.success
    bones.judge(chain, pose)
    assert abs(pose.pole_angle) < math.acos(elbow_side(without) @ np.array([0, 0.287347885566, 0.957826285221])) + 1e-9


def test_planar_poles_choose_the_side(bones):
    for joints in (None, Cone(1.2)):
        chain = fa.Chain(bones.straight(4, 2), joints)
        for side in (1.0, -1.0):
            pose = chain.solve([0.6, 0.0], pole=[0.3, side])
            assert pose.success
            assert side * pose.points[2, 1] > 0.05


@pytest.mark.parametrize("joints", [None, [Ball()] + [Cone(1.0)] * 3])
@pytest.mark.parametrize("offset", [0.0, 1e-3])
def test_a_pole_that_crosses_the_line_makes_the_elbow_walk_not_flip(bones, joints, offset):
    chain = fa.Chain(bones.straight(4), joints)
    pose = chain.solve([0.6, 0.0, 0.0], pole=[0.3, 1.0, offset])
    sides = [elbow_side(pose)]
    for y in np.r_[np.linspace(1.0, -1.0, 81), np.full(40, -1.0)]:
        pose = chain.solve([0.6, 0.0, 0.0], pole=[0.3, y, offset], start=pose)
        assert pose.success
        sides.append(elbow_side(pose))
    turns = [math.acos(min(1.0, a @ b)) for a, b in itertools.pairwise(sides)]
    assert max(turns) <= 0.1 + 1e-6
    assert sides[-1] == pytest.approx([0.0, -1.0, 0.0], abs=2e-3)


def test_a_pole_on_the_line_or_a_straight_chain_changes_nothing(bones):
    chain = fa.Chain(bones.straight(4))
    plain = chain.solve([0.6, 0.0, 0.0])
    assert chain.solve([0.6, 0.0, 0.0], pole=[2.0, 0.0, 0.0]).points == pytest.approx(plain.points)
    assert chain.solve([1.0, 0.0, 0.0], pole=[0.0, 1.0, 0.0]).success
    assert chain.solve([0.0, 0.0, 0.0], pole=[0.0, 1.0, 0.0]).success


# -- trace ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("joints", [None, Cone(0.9)])
def test_a_trace_alternates_and_ends_at_the_target(bones, joints):
    chain = fa.Chain(bones.straight(4), joints)
    trace = chain.trace([0.5, 0.4, 0.1], sweeps=200)
    assert trace.stages[:3] == ("start", "forward", "backward")
    assert len(trace) == len(trace.points) == len(trace.distance)
    assert (trace.points[0] == chain.points).all()
    assert trace.distance[1::2] == pytest.approx(0.0, abs=1e-15)
    assert (trace.points[2::2, 0] == 0.0).all()
    assert trace.distance[-1] <= 1e-6
    lengths = np.linalg.norm(np.diff(trace.points, axis=1), axis=2)
    assert lengths == pytest.approx(0.25, rel=1e-12)


def test_a_straight_pose_to_go_on_from_is_bent(bones):
    for joints in (None, Cone(0.9)):
        chain = fa.Chain(bones.straight(4), joints)
        pose = chain.solve([1.0, 0.0, 0.0])
        bent = chain.solve([0.95, 0.0, 0.0], start=pose)
        assert bent.success
        bones.judge(chain, bent)
