"""Chains: lengths and limits kept, targets met, verdicts right, no jumps; judged by geometry of what came back."""

import itertools
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import forearm as fa
from forearm.joints import Ball, Cone, Fixed, Hinge

RELATIVE = 1e-12  # link lengths
LIMIT = 1e-9  # [rad]


def straight(n, dim=3, size=1.0):
    points = np.zeros((n + 1, dim))
    points[:, 0] = np.arange(n + 1) * size / n
    return points


def about(axis, angle):
    """Rodrigues, written for the judge alone."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * (K @ K)


def smallest_turn(a, b):
    """The rotation vector that takes unit a to unit b the short way."""
    axis = np.cross(a, b)
    sine = np.linalg.norm(axis)
    return axis * (math.atan2(sine, a @ b) / sine if sine > 1e-15 else 0.0)


def excess(joint, L, rest, dim):
    """How far a relative rotation L lies outside a joint's limits [rad]; `rest` is the bone's frame at rest."""
    x = np.array([1.0, 0.0, 0.0])
    if isinstance(joint, Fixed):
        return np.linalg.norm(L - np.eye(3))
    if isinstance(joint, Hinge) or dim == 2:
        axis = np.array([0.0, 0.0, 1.0]) if dim == 2 else rest.T @ np.array(joint.axis)
        off = np.linalg.norm(L @ axis - axis)
        across = np.cross(axis, x if abs(axis[0]) < 0.9 else [0.0, 1.0, 0.0])
        across /= np.linalg.norm(across)
        turned = L @ across
        angle = math.atan2(np.cross(across, turned) @ axis, across @ turned)
        span = joint.range if isinstance(joint, Hinge) else None
        if isinstance(joint, Cone):
            span = (-joint.half_angle[0], joint.half_angle[0])
        if span is None or span[1] - span[0] >= 2 * math.pi:
            return off
        nearest = angle - 2 * math.pi * round((angle - sum(span) / 2) / (2 * math.pi))
        return max(off, span[0] - nearest, nearest - span[1])
    swing = smallest_turn(x, L[:, 0])
    worst = 0.0
    if isinstance(joint, Cone):
        toward, across = joint.half_angle
        edge = math.hypot(swing[2] / toward, swing[1] / across)
        worst = max(0.0, np.linalg.norm(swing) * (1 - 1 / edge)) if edge > 1 else 0.0
    if joint.twist is not None and np.linalg.norm(swing) < math.pi - 1e-6:
        angle = np.linalg.norm(swing)
        back = about(swing / angle, -angle) @ L if angle > 0 else L
        twist = math.atan2(back[2, 1], back[1, 1])
        nearest = twist - 2 * math.pi * round((twist - sum(joint.twist) / 2) / (2 * math.pi))
        if joint.twist[1] - joint.twist[0] < 2 * math.pi:
            worst = max(worst, joint.twist[0] - nearest, nearest - joint.twist[1])
    return worst


def judge(chain, pose):
    """Asserts that lengths, frames and limits hold in a pose."""
    points, frames = pose.points3, pose.frames
    rest = chain.bones.pose_of(np.zeros((chain.n, 3)), points[0])[0]
    for i, p in enumerate(chain.bones.parent):
        bone = points[i + 1] - points[p + 1]
        length = np.linalg.norm(bone)
        scale = max(np.abs(points).max(), length)
        assert abs(length - chain.bones.length[i]) <= RELATIVE * chain.bones.length[i] + 4e-16 * scale
        assert np.abs(frames[i][:, 0] - bone / length).max() < 1e-9 + 1e-15 * scale / length
        before, before_rest = (frames[p], rest[p]) if p >= 0 else (np.eye(3), np.eye(3))
        L = (before_rest.T @ rest[i]).T @ before.T @ frames[i]
        assert excess(chain.bones.kinds[i], L, rest[i], chain.bones.dim) <= LIMIT, (i, chain.bones.kinds[i])


def random_joint(rng, dim):
    kind = rng.integers(6)
    span = (-rng.uniform(0.05, 2.0), rng.uniform(0.05, 2.0))
    if dim == 2:
        return [Ball(), Cone(rng.uniform(0.05, 3.0)), Hinge(), Hinge(range=span), Fixed(), Hinge(range=(0.0, 1.0))][
            kind
        ]
    twist = None if rng.random() < 0.5 else (-rng.uniform(0, 1.5), rng.uniform(0, 1.5))
    pair = tuple(rng.uniform(0.05, 2.5, 2))
    return [
        Ball(twist=twist),
        Cone(rng.uniform(0.05, 3.0), twist=twist),
        Cone(pair, twist=twist),
        Hinge(rng.normal(size=3), span),
        Fixed(),
        Cone(pair, toward=rng.normal(size=3), twist=twist),
    ][kind]


def random_chain(rng, n, dim, free=False):
    bones = rng.normal(size=(n, dim))
    bones *= (rng.uniform(0.1, 1.0, n) / np.linalg.norm(bones, axis=1))[:, None]
    points = np.vstack([rng.normal(size=dim), np.zeros((n, dim))])
    points[1:] = points[0] + np.cumsum(bones, axis=0)
    return fa.Chain(points, None if free else [random_joint(rng, dim) for _ in range(n)])


def inside_values(chain, rng):
    """(n, 3) joint values drawn inside the limits."""
    q = np.zeros((chain.n, 3))
    for i, joint in enumerate(chain.joints):
        if isinstance(joint, Fixed):
            continue
        if isinstance(joint, Hinge) or chain.dim == 2:
            half = joint.half_angle[0] if isinstance(joint, Cone) else math.pi
            q[i, 0] = rng.uniform(*((isinstance(joint, Hinge) and joint.range) or (-half, half)))
            continue
        toward, across = joint.half_angle if isinstance(joint, Cone) else (2.0, 2.0)
        radius, angle = math.sqrt(rng.random()), rng.uniform(0, 2 * math.pi)
        q[i] = (
            across * radius * math.cos(angle),
            toward * radius * math.sin(angle),
            rng.uniform(*(joint.twist or (-2, 2))),
        )
    return q


def feasible_point(chain, rng):
    return chain.bones.pose_of(inside_values(chain, rng), chain.bones.start[0])[1][-1, : chain.dim].copy()


def check_any_chain(seed, n, dim, refine):
    rng = np.random.default_rng(seed)
    chain = random_chain(rng, n, dim)
    target = feasible_point(chain, rng) if rng.random() < 0.7 else rng.normal(size=dim) * chain.reach
    pose = chain.solve(target, refine=refine, max_sweeps=None if refine else 20, max_tries=3, explain=False)
    judge(chain, pose)
    assert pose.position_error == pytest.approx(np.linalg.norm(pose.points[-1] - target), rel=1e-9, abs=1e-12)
    if dim == 2:
        assert (pose.points3[:, 2] == 0.0).all()
    again = chain.solve(target, refine=refine, max_sweeps=None if refine else 20, max_tries=3, explain=False)
    assert (again.points == pose.points).all()


@pytest.mark.compiled
@settings(max_examples=150)
@given(st.integers(0, 10**6), st.integers(1, 100), st.sampled_from([2, 3]), st.booleans())
def test_lengths_and_limits_hold_after_every_solve(seed, n, dim, refine):
    check_any_chain(seed, n, dim, refine)


@settings(max_examples=12)
@given(st.integers(0, 10**6), st.integers(1, 4), st.sampled_from([2, 3]), st.booleans())
def test_lengths_and_limits_hold_on_short_chains(seed, n, dim, refine):
    check_any_chain(seed, n, dim, refine)


# -- targets that can be met ----------------------------------------------------------------------


@pytest.mark.compiled
def test_ten_thousand_reachable_targets_without_limits_are_all_met():
    rng = np.random.default_rng(7)
    missed = 0
    for k in range(200):
        chain = random_chain(rng, int(rng.integers(2, 101)), 3 if k % 4 else 2, free=True)
        near, far = chain.bones.reaches[-1]
        for _ in range(50):
            d = rng.normal(size=chain.dim)
            target = chain.points[0] + d / np.linalg.norm(d) * (near + (far - near) * rng.random())
            pose = chain.solve(target)
            missed += not (pose.success and np.linalg.norm(pose.points[-1] - target) <= 1e-6 * chain.reach)
    assert missed == 0


@pytest.mark.compiled
def test_ten_thousand_targets_from_inside_the_limits():
    rng = np.random.default_rng(11)
    missed = 0
    for _ in range(200):
        chain = random_chain(rng, int(rng.integers(2, 21)), 3)
        for k in range(50):
            target = feasible_point(chain, rng)
            pose = chain.solve(target, explain=False)
            missed += not (pose.success and np.linalg.norm(pose.points[-1] - target) <= 1e-6 * chain.reach)
            if k % 10 == 0:
                judge(chain, pose)
            assert pose.limit_excess <= LIMIT
    assert missed <= 10


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("distance", [0.0, 0.4, 0.999999, 1.0])
def test_a_target_on_the_line_of_a_straight_chain_is_met_by_bending(dim, distance):
    chain = fa.Chain(straight(4, dim))
    for side in (1.0, -1.0):
        target = np.zeros(dim)
        target[0] = side * distance
        pose = chain.solve(target)
        assert pose.success, pose
        judge(chain, pose)
        assert (chain.solve(target).points == pose.points).all()


def test_a_limited_chain_bends_out_of_the_line_too():
    chain = fa.Chain(straight(5), Cone(0.9))
    pose = chain.solve([0.6, 0.0, 0.0])
    assert pose.success
    judge(chain, pose)


def test_tip_orientation_is_a_goal():
    chain = fa.Chain(straight(6), [Ball()] + [Cone(1.2)] * 5)
    T = fa.Pose([0.3, 0.4, 0.2], rpy=(0.3, -0.5, 1.2))
    pose = chain.solve(T)
    assert pose.success
    assert np.abs(pose.frames[-1] - T.goal[:3, :3]).max() < 2e-6
    judge(chain, pose)
    pointed = chain.solve(fa.PointAxis([0.3, 0.4, 0.2], [0, 0, 2], tool_axis=[1, 0, 0]))
    assert pointed.success
    assert np.abs(pointed.frames[-1][:, 0] - [0, 0, 1]).max() < 2e-6
    turned = chain.solve(fa.Orientation(rpy=(0.1, 0.2, 0.3)))
    assert turned.success
    assert turned.position_error == 0.0


def test_planar_angle_ranges_count_from_straight_with_a_straight_rest():
    """Eqs. (1)-(4): the angle between neighbouring links stays in [0, 1.5]."""
    bent = np.array([[0, 0], [1, 0], [1.5, math.sqrt(0.75)], [1.5, math.sqrt(0.75) + 1.0]])
    chain = fa.Chain(bent, [Ball(), Hinge(range=(0.0, 1.5)), Hinge(range=(0.0, 1.5))], rest=straight(3, 2, 3.0))
    pose = chain.solve([0.5, 1.4])
    assert pose.success
    u = np.diff(pose.points, axis=0)
    turns = [math.atan2(a[0] * b[1] - a[1] * b[0], a @ b) for a, b in itertools.pairwise(u)]
    assert all(-LIMIT <= turn <= 1.5 + LIMIT for turn in turns)


def test_plain_fabrik_is_sweeps_alone():
    chain = fa.Chain(straight(4))
    pose = chain.solve([0.4, 0.3, 0.2], refine=False, max_sweeps=7)
    assert pose.sweeps == pose.iterations <= 7
    trace = chain.trace([0.4, 0.3, 0.2], sweeps=7)
    assert trace.points[-1] == pytest.approx(pose.points, abs=1e-15)


def test_a_free_base_moves_with_the_tip():
    chain = fa.Chain(straight(4), [Ball()] + [Cone(0.3)] * 3, base="free")
    pose = chain.solve([5.0, 3.0, 1.0])
    assert pose.success
    assert np.linalg.norm(pose.points[0]) > 1.0
    judge(chain, pose)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_scale_does_not_matter(scale):
    for joints in (None, Cone(0.8)):
        one = fa.Chain(straight(6), joints).solve([0.3, 0.5, 0.1])
        other = fa.Chain(straight(6, size=scale), joints).solve(np.array([0.3, 0.5, 0.1]) * scale)
        assert one.success
        assert other.success
        assert other.points / scale == pytest.approx(one.points, abs=1e-9)


# -- verdicts -------------------------------------------------------------------------------------


def test_out_of_reach_is_straight_toward_it_with_the_gap():
    chain = fa.Chain(straight(4))
    pose = chain.solve([0.0, 3.0, 0.0])
    assert pose.status is fa.Status.OUT_OF_REACH
    assert pose.points == pytest.approx(np.c_[np.zeros(5), np.linspace(0, 1, 5), np.zeros(5)])
    assert pose.position_error == pytest.approx(2.0)
    assert "2 m too far" in pose.reason
    assert pose.sweeps == 1
    with pytest.raises(fa.errors.NotSolvedError, match="too far"):
        pose.raise_if_failed()


def test_the_hole_of_a_long_link_is_named_with_the_gap():
    chain = fa.Chain([[0, 0], [3, 0], [3.5, 0], [4, 0]])
    pose = chain.solve([0.0, 1.5])
    assert pose.status is fa.Status.OUT_OF_REACH
    assert pose.position_error == pytest.approx(0.5)
    assert "0.5 m too near" in pose.reason
    assert chain.solve([0.0, 2.0]).success
    assert not fa.Chain(straight(1)).solve([0.0, 0.0, 0.0]).success


def test_limits_in_the_way_are_named():
    pose = fa.Chain(straight(4), Cone(0.2)).solve([-0.5, 0.1, 0.0])
    assert pose.status is fa.Status.LIMITS
    assert "'0'" in pose.reason
    assert pose.limit_excess <= LIMIT
    fixed = fa.Chain(straight(3), [Cone(0.5), Fixed(), Fixed()])
    assert fixed.solve([0.0, 1.0, 0.0]).status is fa.Status.LIMITS
    assert fixed.solve([0.0, 0.4, 0.0]).status is fa.Status.OUT_OF_REACH  # rigid: only the sphere of its length


def test_an_orientation_that_cannot_be_had_is_told_from_the_point():
    T = np.eye(4)
    T[:3, :3] = about((0, 0, 1), math.pi)
    T[0, 3] = 0.99
    assert fa.Chain(straight(4)).solve(T).status is fa.Status.ORIENTATION


def test_unexplained_misses_say_so():
    pose = fa.Chain(straight(4), Cone(0.2)).solve([-0.5, 0.1, 0.0], explain=False)
    assert pose.status is fa.Status.NOT_CONVERGED
    assert "explain=False" in pose.reason
    few = fa.Chain(straight(4)).solve([0.9999, 0.001, 0.0], refine=False, max_sweeps=1)
    assert few.status is fa.Status.NOT_CONVERGED
    assert "1 sweeps" in few.reason


# -- going on from a pose, and the pole -----------------------------------------------------------


def smooth_loop(chain, near, far, frames=600):
    """Ten seconds at 60 frames: once round the base, through near-fold and near-stretch."""
    t = np.arange(frames) * 2 * math.pi / frames
    distance = chain.reach * (near + (far - near) * (0.5 - 0.5 * np.cos(t + 1.0)))
    d = np.stack([np.cos(t), 0.8 * np.sin(t), 0.5 * np.sin(t + 0.5)], axis=1)
    return distance[:, None] * d / np.linalg.norm(d, axis=1)[:, None]


def arc(n):
    turn = np.cumsum(np.linspace(0.1, 0.3, n))
    return np.vstack([np.zeros(3), np.cumsum(np.c_[np.cos(turn), np.sin(turn), 0 * turn], axis=0)]) / n


@pytest.mark.compiled
@pytest.mark.parametrize("pole", [None, (0.0, 0.0, 5.0)])
@pytest.mark.parametrize(("half", "near"), [(0.6, 0.3), (0.9, 0.15), (1.3, 0.15), (None, 0.05)])
def test_an_animation_has_no_jumps(half, near, pole):
    joints = None if half is None else [Ball()] + [Cone(half)] * 7
    chain = fa.Chain(arc(8), joints, rest=straight(8))
    pose, points, values = None, [], []
    for target in smooth_loop(chain, near, 0.999):
        pose = chain.solve(target, start=pose, pole=pole, explain=False)
        assert pose.success
        assert np.linalg.norm(pose.points[-1] - target) <= 1e-6 * chain.reach
        points.append(pose.points.copy())
        values.append(pose.frames.copy())
    steps = np.linalg.norm(np.diff(points[5:], axis=0), axis=2)[:, 1:]  # after the first frames found the loop
    assert (steps.max(axis=0) <= 5.0 * np.median(steps, axis=0)).all()
    turns = np.linalg.norm(np.diff(values[5:], axis=0), axis=(2, 3))
    assert turns.max() < 0.5  # frames do not flip either
    judge(chain, pose)


def test_nothing_moves_when_the_target_does_not():
    chain = fa.Chain(straight(5), [Ball()] + [Cone(1.0, twist=(-0.5, 0.5))] * 4)
    pose = chain.solve([0.2, 0.5, 0.3])
    again = chain.solve([0.2, 0.5, 0.3], start=pose)
    assert (again.points == pose.points).all()
    assert (again.frames == pose.frames).all()
    free = fa.Chain(straight(5))
    pose = free.solve([-0.5, 0.0, 0.3])
    again = free.solve([-0.5, 0.0, 0.3], start=pose)
    assert again.frames == pytest.approx(pose.frames, abs=1e-12)


def test_a_start_can_be_points_and_no_start_has_no_history():
    chain = fa.Chain(straight(3))
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
def test_the_elbow_points_to_the_pole(joints):
    chain = fa.Chain(straight(4), joints)
    for angle in np.linspace(0.0, 6.0, 7):
        side = np.array([0.0, math.cos(angle), math.sin(angle)])
        pose = chain.solve([0.6, 0.0, 0.0], pole=[0.3, *side[1:]])
        assert pose.success
        assert elbow_side(pose) == pytest.approx(side, abs=1e-5)
        assert abs(pose.pole_angle) < 1e-6
        judge(chain, pose)


def test_a_root_with_limits_follows_the_pole_as_far_as_it_may():
    chain = fa.Chain(straight(4), [Cone(0.8, twist=(-0.3, 0.3))] + [Hinge((0, 0, 1), (-2.0, 2.0))] * 3)
    pose = chain.solve([0.6, 0.0, 0.0], pole=[0.3, 0.3, 1.0])
    without = chain.solve([0.6, 0.0, 0.0])
    assert pose.success
    judge(chain, pose)
    assert abs(pose.pole_angle) < math.acos(elbow_side(without) @ np.array([0, 0.287347885566, 0.957826285221])) + 1e-9


def test_planar_poles_choose_the_side():
    for joints in (None, Cone(1.2)):
        chain = fa.Chain(straight(4, 2), joints)
        for side in (1.0, -1.0):
            pose = chain.solve([0.6, 0.0], pole=[0.3, side])
            assert pose.success
            assert side * pose.points[2, 1] > 0.05


@pytest.mark.parametrize("joints", [None, [Ball()] + [Cone(1.0)] * 3])
@pytest.mark.parametrize("offset", [0.0, 1e-3])
def test_a_pole_that_crosses_the_line_makes_the_elbow_walk_not_flip(joints, offset):
    chain = fa.Chain(straight(4), joints)
    pose = chain.solve([0.6, 0.0, 0.0], pole=[0.3, 1.0, offset])
    sides = [elbow_side(pose)]
    for y in np.r_[np.linspace(1.0, -1.0, 81), np.full(40, -1.0)]:
        pose = chain.solve([0.6, 0.0, 0.0], pole=[0.3, y, offset], start=pose)
        assert pose.success
        sides.append(elbow_side(pose))
    turns = [math.acos(min(1.0, a @ b)) for a, b in itertools.pairwise(sides)]
    assert max(turns) <= 0.1 + 1e-6
    assert sides[-1] == pytest.approx([0.0, -1.0, 0.0], abs=2e-3)


def test_a_pole_on_the_line_or_a_straight_chain_changes_nothing():
    chain = fa.Chain(straight(4))
    plain = chain.solve([0.6, 0.0, 0.0])
    assert chain.solve([0.6, 0.0, 0.0], pole=[2.0, 0.0, 0.0]).points == pytest.approx(plain.points)
    assert chain.solve([1.0, 0.0, 0.0], pole=[0.0, 1.0, 0.0]).success
    assert chain.solve([0.0, 0.0, 0.0], pole=[0.0, 1.0, 0.0]).success


# -- trace ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("joints", [None, Cone(0.9)])
def test_a_trace_alternates_and_ends_at_the_target(joints):
    chain = fa.Chain(straight(4), joints)
    trace = chain.trace([0.5, 0.4, 0.1], sweeps=200)
    assert trace.stages[:3] == ("start", "forward", "backward")
    assert len(trace) == len(trace.points) == len(trace.distance)
    assert (trace.points[0] == chain.points).all()
    assert trace.distance[1::2] == pytest.approx(0.0, abs=1e-15)
    assert (trace.points[2::2, 0] == 0.0).all()
    assert trace.distance[-1] <= 1e-6
    lengths = np.linalg.norm(np.diff(trace.points, axis=1), axis=2)
    assert lengths == pytest.approx(0.25, rel=1e-12)


# -- wrong input ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("points", "joints", "words"),
    [
        ([[0, 0, 0]], None, "shape"),
        ([[0, 0, 0], [1, 0, math.nan]], None, "nan"),
        ([[0, 0, 0, 0], [1, 0, 0, 0]], None, "shape"),
        ([[0, 0, 0], [0, 0, 0], [1, 0, 0]], None, "bone '0' has length 0"),
        ([[0, 0], [0, 0]], None, "longest bone is 0"),
        (straight(2), [Ball()], "2 bones"),
        (straight(2), [Ball(), 3], "fa.joints"),
        (straight(2), Hinge(), "axis"),
        (straight(2), Hinge((1, 0, 0)), "along the bone"),
        (straight(2, 2), Hinge((0, 0, 1)), "leave it out"),
        (straight(2, 2), Cone((0.1, 0.2)), "in a plane"),
        (straight(2, 2), Ball(twist=(-1, 1)), "do not twist"),
        (straight(2), Cone((0.5, 0.4), toward=(1, 0, 0)), "across it"),
    ],
)
def test_chains_that_make_no_sense_are_refused(points, joints, words):
    with pytest.raises(fa.errors.ModelError, match=words):
        fa.Chain(points, joints)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Cone(0.0),
        lambda: Cone(4.0),
        lambda: Cone((0.1, 0.2, 0.3)),
        lambda: Cone(math.nan),
        lambda: Hinge((0, 0, 0)),
        lambda: Hinge((0, 0, 1), (0.5, 1.0)),
        lambda: Hinge((0, 0, 1), (1.0, -1.0)),
        lambda: Ball(twist=3.0),
        lambda: Ball(twist=(0.0, math.inf)),
    ],
)
def test_joints_that_make_no_sense_are_refused(make):
    with pytest.raises(fa.errors.ModelError):
        make()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([0.1, math.nan, 0],), "finite"),
        ((np.array([0.1, math.nan, 0]),), "finite"),
        (([0.1, 0.2],), "3 numbers"),
        (("x",), "number"),
        ((fa.Position([0, 0, 0], tol=[1, 2, 3]),), "axis by axis"),
    ],
)
def test_targets_that_are_none_are_refused(arguments, words):
    with pytest.raises(fa.errors.TargetError, match=words):
        fa.Chain(straight(3)).solve(*arguments)


@pytest.mark.parametrize(
    "options",
    [
        {"method": "bezzier"},
        {"refine": "yes"},
        {"tolerance": 0.0},
        {"max_sweeps": -1},
        {"max_tries": 0},
        {"max_swivel": 0.0},
        {"rng_seed": 0.5},
        {"pole": [0, 1]},
        {"start": 3.0},
    ],
)
def test_options_out_of_range_are_refused(options):
    with pytest.raises(fa.ForearmError):
        fa.Chain(straight(3)).solve([0.1, 0.2, 0.3], **options)


def test_more_wrong_input():
    chain = fa.Chain(straight(3))
    with pytest.raises(fa.errors.OptionError, match="another chain"):
        chain.solve([0.1, 0.2, 0.3], start=fa.Chain(straight(3)).solve([0.1, 0.2, 0.3]))
    with pytest.raises(fa.errors.OptionError, match="'fixed' or 'free'"):
        fa.Chain(straight(3), base="loose")
    with pytest.raises(fa.errors.ModelError, match="rest"):
        fa.Chain(straight(3), rest=2 * straight(3))
    with pytest.raises(fa.errors.ModelError, match="leave the limits"):
        fa.Chain(arc(4), Cone(0.01), rest=straight(4))
    with pytest.raises(fa.errors.TargetError, match="plane"):
        fa.Chain(straight(3, 2)).solve(fa.Position([0.1, 0.2, 0.3]))
    with pytest.raises(fa.errors.TargetError, match="plane"):
        fa.Chain(straight(3, 2)).solve(fa.Pose([0.1, 0.2, 0.0], rpy=(1, 0, 0)))
    with pytest.raises(fa.errors.OptionError, match="sweeps"):
        chain.trace([0.1, 0.2, 0.3], sweeps=0)
    with pytest.raises(AttributeError, match="cannot be changed"):
        chain.bones = None


def test_a_chain_survives_pickling_and_shows_itself():
    chain = fa.Chain(straight(3), Cone(0.8))
    twin = pickle.loads(pickle.dumps(chain))
    pose = chain.solve([0.7, 0.4, 0.2])
    assert (twin.solve([0.7, 0.4, 0.2]).points == pose.points).all()
    assert repr(chain) == "Chain(3 bones in space, reach 1 m)"
    assert "solved by fabrik" in repr(pose)
    assert pose.to_dict()["success"] is True
    assert bool(pose)
    assert chain.lengths == pytest.approx(1 / 3)
    assert chain.joints[0] == Cone(0.8)
