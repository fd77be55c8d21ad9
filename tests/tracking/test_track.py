"""Tracks: the contract of every returned point, judged by plain products of transforms, and the why_stopped."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import forearm as fa
from forearm.tracking import look_ahead, why_stopped

UR5, IIWA, PANDA = fa.load("ur5"), fa.load("iiwa14"), fa.load("panda")
STEP = 0.1
HALFWAY = (1e-4, 1e-3)
TOLERANCE = 1e-6

# The arms and paths of the combined method's paper: DH rows (a, alpha / 90 deg, d), limits [deg], and the
# ends of a path that is straight in joint space.
PAPER = {
    "ur5": (
        [(0, 1, 0.089159), (-0.425, 0, 0), (-0.39225, 0, 0), (0, 1, 0.10915), (0, -1, 0.09465), (0, 0, 0.0823)],
        [180] * 6,
        [0, -0.959, 2.05, -1.091, 0, 0],
        [-0.179, 0.581, 2.8, -2.308, -1.028, 2.185],
    ),
    "iiwa14": (
        [(0, -1, 0.36), (0, 1, 0), (0, -1, 0.42), (0, 1, 0), (0, -1, 0.4), (0, 1, 0), (0, 0, 0.126)],
        [170, 120, 170, 120, 170, 120, 175],
        [0, 1.0, 0, -2.084, 0, 1.084, 0],
        [1.953, -0.711, -1.608, 1.648, -0.888, 0.782, 0.893],
    ),
}


# -- an independent judge ------------------------------------------------------------------------


def forward(robot, Q):
    """(M, 4, 4) tip poses by products of transforms: only the robot's numbers are used."""
    model, T = robot.model, np.tile(np.eye(4), (len(Q), 1, 1))
    for i, (kind, variable, ratio) in enumerate(model.joints):
        J, value = np.tile(np.eye(4), (len(Q), 1, 1)), ratio * Q[:, int(variable)]
        if kind == 1:
            J[:, 2, 3] = value
        else:
            J[:, 0, 0] = J[:, 1, 1] = np.cos(value)
            J[:, 1, 0], J[:, 0, 1] = np.sin(value), -np.sin(value)
        T = T @ np.vstack([model.links[i], [0, 0, 0, 1]]) @ J
    return T @ np.vstack([model.links[-1], [0, 0, 0, 1]])


def angles(A, B):
    """(M,) angles between rotations [rad], exact near 0."""
    R = A[:, :3, :3].transpose(0, 2, 1) @ B[:, :3, :3]
    vee = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1)
    return np.arctan2(np.linalg.norm(vee, axis=1) / 2, (np.trace(R, axis1=1, axis2=2) - 1) / 2)


def chord(poses, places):
    """(M, 4, 4) the poses of a path at places: straight lines, turns at constant rate."""
    i = np.minimum(np.floor(places).astype(int), max(len(poses) - 2, 0))
    A, B, f = poses[i], poses[np.minimum(i + 1, len(poses) - 1)], places - i
    result, R = A.copy(), A[:, :3, :3].transpose(0, 2, 1) @ B[:, :3, :3]
    result[:, :3, 3] += f[:, None] * (B - A)[:, :3, 3]
    axis = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1)
    axis /= np.maximum(np.linalg.norm(axis, axis=1), 1e-300)[:, None]
    K = np.zeros((len(places), 3, 3))
    K[:, 2, 1], K[:, 0, 2], K[:, 1, 0] = axis.T
    K -= K.transpose(0, 2, 1)
    turn = (f * angles(A, B))[:, None, None]
    result[:, :3, :3] = A[:, :3, :3] @ (np.eye(3) + np.sin(turn) * K + (1 - np.cos(turn)) * (K @ K))
    return result


def assert_contract(robot, poses, track, step=STEP, halfway=HALFWAY):
    """Every returned point meets tolerance, limits, step and halfway bounds; the part is unbroken."""
    q, places = track.q, track.places
    whole = places[places == np.floor(places)]
    assert np.array_equal(whole, np.arange(len(whole)))
    assert (np.diff(places) > 0).all()
    assert track.complete == (len(whole) == len(poses))
    assert track.stopped_at == (None if track.complete else len(whole))
    at, target = forward(robot, q), chord(poses, places)
    position = np.linalg.norm((at - target)[:, :3, 3], axis=1)
    assert position.max() <= TOLERANCE
    assert angles(at, target).max() <= TOLERANCE
    np.testing.assert_allclose(track.position_errors, position, atol=1e-12)
    assert (robot.limits[0] - 1e-9 <= q).all()
    assert (q <= robot.limits[1] + 1e-9).all()
    steps = np.abs(np.diff(q, axis=0)).max(axis=1)
    assert steps.max(initial=0.0) <= step + 1e-12
    np.testing.assert_allclose(track.steps[1:], steps)
    middle, between = forward(robot, (q[1:] + q[:-1]) / 2), chord(poses, (places[1:] + places[:-1]) / 2)
    assert np.linalg.norm((middle - between)[:, :3, 3], axis=1).max(initial=0.0) <= halfway[0] + TOLERANCE
    assert angles(middle, between).max(initial=0.0) <= halfway[1] + TOLERANCE


def line(T, direction, lengths):
    """Poses along a line through T."""
    poses = np.tile(T, (len(lengths), 1, 1))
    poses[:, :3, 3] += np.outer(lengths, direction)
    return poses


def circle(T, radius, turns, per_turn):
    """Poses on a circle in the x-z plane, each turn with the same bits."""
    angle = 2 * np.pi * (np.arange(turns * per_turn + 1) % per_turn) / per_turn
    poses = np.tile(T, (len(angle), 1, 1))
    poses[:, 0, 3] += radius * (np.cos(angle) - 1)
    poses[:, 2, 3] += radius * np.sin(angle)
    return poses


# -- paths that can be tracked ---------------------------------------------------------------------


@pytest.mark.parametrize("name", PAPER)
def test_the_paths_of_the_paper_are_tracked_whole(name):
    rows, degrees, start, end = PAPER[name]
    table = [{"a": a, "alpha": alpha * math.pi / 2, "d": d} for a, alpha, d in rows]
    robot = fa.Robot.from_dh(table, limits=np.outer([-1, 1], np.radians(degrees)))
    poses = robot.fk(np.linspace(start, end, 100))
    track = robot.track(poses, start)
    assert track.complete, track
    assert_contract(robot, poses, track)


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["ur5", "iiwa14", "panda", "xarm7"])
def test_joint_interpolated_paths_are_tracked_whole(name):
    robot = fa.load(name)
    lower, upper = np.clip(robot.limits, -np.pi, np.pi) if name == "ur5" else robot.limits
    whole = 0
    for a, b in np.random.default_rng(5).uniform(lower, upper, (40, 2, robot.n)):
        poses = robot.fk(np.linspace(a, b, 501))
        track = robot.track(poses, a)
        assert_contract(robot, poses, track)
        whole += track.complete
    assert whole >= 39  # of the 200 of the benchmark, 198 must be


@pytest.mark.compiled
@settings(max_examples=10)
@given(st.integers(0, 10**6), st.floats(0.02, 0.3), st.sampled_from(["ur5", "panda", "scara"]))
def test_whatever_the_path_the_returned_part_keeps_the_contract(seed, step, name):
    robot, rng = fa.load(name), np.random.default_rng(seed)
    q = rng.uniform(*np.clip(robot.limits, -np.pi, np.pi))
    direction = rng.normal(size=3) if name != "scara" else np.array([*rng.normal(size=2), 0.0])
    poses = line(robot.fk(q), direction / np.linalg.norm(direction), np.linspace(0, 0.4, 21))
    track = robot.track(poses, q, max_joint_step=step)
    assert_contract(robot, poses, track, step)
    assert track.complete or track.reason.startswith("stopped")
    np.testing.assert_array_equal(track.q[0], robot.track(poses, q, max_joint_step=step).q[0])


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["iiwa14", "panda"])
def test_how_finely_a_path_is_cut_hardly_changes_the_joints(name):
    robot, apart = fa.load(name), []
    for a, b in np.random.default_rng(2).uniform(*robot.limits, (8, 2, robot.n)):
        few, many = (robot.track(robot.fk(np.linspace(a, b, N)), a) for N in (501, 2001))
        assert few.complete
        assert many.complete
        apart.append(np.abs(few.q_at_waypoints - many.q_at_waypoints[::4]).max())
    assert np.median(apart) < 5e-3


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "q"),
    [
        ("ur5", [0.0, -1.2, 1.6, -0.4, 1.5, 0.0]),
        ("panda", [0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.8]),
        ("iiwa14", [0.3, 0.6, 0.2, 1.4, 0.1, -0.9, 0.2]),
    ],
)
def test_twenty_circles_do_not_drift(name, q):
    robot = fa.load(name)
    poses = circle(robot.fk(q), 0.1, 20, 100)
    track = robot.track(poses, q)
    assert track.complete, track
    assert_contract(robot, poses, track)
    turns = track.q_at_waypoints[::100]
    assert np.abs(turns[-1] - turns[-2]).max() < 1e-12
    assert np.abs(turns - turns[0]).max() < 1e-4


@pytest.mark.compiled
def test_an_open_choice_drifts_where_a_closed_one_does_not():
    q = np.array([0.0, -0.3, 0.4, -2.0, 0.3, 1.8, 0.8])
    poses = circle(PANDA.fk(q), 0.1, 5, 100)
    closed, left_open = PANDA.track(poses, q), PANDA.track(poses, q, closed=False)
    assert np.abs(closed.q[-1] - q).max() < 1e-4 < np.abs(left_open.q[-1] - q).max()


@pytest.mark.compiled
def test_the_look_ahead_finds_what_walks_alone_do_not(monkeypatch):
    robot, found = fa.load("xarm7"), {}
    paths = [
        (robot.fk(np.linspace(a, b, 301)), a) for a, b in np.random.default_rng(3).uniform(*robot.limits, (30, 2, 7))
    ]
    found["with"] = [robot.track(poses, a).complete for poses, a in paths]
    monkeypatch.setattr(
        "forearm.tracking.track.look_ahead", lambda problem, roots: look_ahead.Walk(np.zeros(1), roots[0][None], False)
    )
    found["without"] = [robot.track(poses, a).complete for poses, a in paths]
    assert sum(found["with"]) > sum(found["without"])
    assert sum(found["with"]) >= 29


def test_smoothing_keeps_the_ends_and_calms_a_corner():
    Q = np.abs(np.arange(-50.0, 51.0))[:, None] * [1.0, 0.5]
    calm = look_ahead.smooth(Q, 5.0)
    np.testing.assert_allclose(calm[[0, -1]], Q[[0, -1]], atol=1e-9)
    assert np.abs(np.diff(calm, 2, axis=0)).max() < 0.2 < np.abs(np.diff(Q, 2, axis=0)).max()


# -- points in between -----------------------------------------------------------------------------


def coarse_line():
    q = np.array([0.0, -1.2, 1.6, -0.4, 1.5, 0.0])
    return line(UR5.fk(q), [0, 0, 1], np.linspace(0, 0.3, 4)), q


def test_points_are_inserted_where_way_points_are_far_apart():
    poses, q = coarse_line()
    track = UR5.track(poses, q)
    assert track.complete
    assert track.inserted.any()
    assert_contract(UR5, poses, track)
    assert len(track.q_at_waypoints) == 4
    assert "inserted" in track.reason


def test_one_point_that_is_inserted_is_one():
    poses, q = coarse_line()
    track = UR5.track(poses[:2], q, max_joint_step=0.2, halfway_tol=(math.inf, math.inf))
    assert track.inserted.sum() == 1
    assert "1 point was inserted" in track.reason


def test_insert_false_refuses_them_and_says_so():
    poses, q = coarse_line()
    track = UR5.track(poses, q, insert=False)
    assert track.status is fa.Status.TOO_COARSE
    assert track.stopped_at == 1
    assert not track.inserted.any()
    assert "give more way-points, or insert=True" in track.reason


def test_a_step_below_the_paths_own_is_named():
    poses, q = coarse_line()
    kept = UR5.track(poses, q, max_joint_step=0.02, halfway_tol=(math.inf, math.inf))
    assert kept.complete
    assert kept.steps.max() <= 0.02 + 1e-12
    assert "max_joint_step is below the path's own step" in kept.reason
    refused = UR5.track(poses, q, max_joint_step=0.02, insert=False, halfway_tol=(math.inf, math.inf))
    assert refused.status is fa.Status.TOO_COARSE
    assert "more than max_joint_step = 0.02" in refused.reason


# -- stops -------------------------------------------------------------------------------------------


def stretched_line(beyond):
    """A line straight up that ends at the iiwa's full stretch, or beyond it [m]."""
    poses = line(IIWA.fk(np.zeros(7)), [0, 0, 1], np.linspace(-0.1, beyond, 101))
    bent = IIWA.solve(poses[0], [0.1, 0.5, 0.1, 1.0, 0.0, -0.5, 0.0])
    assert bent.success
    return poses, bent.q


def test_a_line_to_exactly_full_stretch_passes():
    poses, q = stretched_line(0.0)
    track = IIWA.track(poses, q)
    assert track.complete, track
    assert_contract(IIWA, poses, track)


@pytest.mark.parametrize("beyond", [0.001, 0.05])
def test_a_line_past_full_stretch_stops_with_the_part_that_holds(beyond):
    poses, q = stretched_line(beyond)
    track = IIWA.track(poses, q)
    assert track.status is fa.Status.OUT_OF_REACH
    assert "beyond the arm's reach" in track.reason
    lengths = np.linspace(-0.1, beyond, 101)
    assert lengths[track.stopped_at - 1] <= TOLERANCE < lengths[track.stopped_at]
    assert_contract(IIWA, poses, track)
    with pytest.raises(fa.errors.NotSolvedError, match="out_of_reach: stopped"):
        track.raise_if_failed()


@pytest.mark.compiled
def test_a_straight_elbow_stops_one_branch_though_another_reaches():
    q = np.array([0.4, -0.7, 0.0, 0.6, 1.2, 0.3])
    frames = UR5.fk_all(q)
    out = frames[3, :3, 3] - frames[1, :3, 3]
    poses = line(UR5.fk(q), out / np.linalg.norm(out), np.linspace(-0.1, 0.05, 101))
    track = UR5.track(poses, UR5.solve(poses[0], q).q)
    assert track.status is fa.Status.SINGULARITY
    assert "other joint values reach it" in track.reason
    assert_contract(UR5, poses, track)
    assert np.linspace(-0.1, 0.05, 101)[track.stopped_at] == pytest.approx(0.0, abs=2e-3)


def test_a_joint_that_runs_into_its_limit_is_named():
    q = np.array([0.0, -1.2, 1.6, -0.4, 1.5, 0.0])
    poses = UR5.fk(np.linspace(q, q + np.array([1.0, 0, 0, 0, 0, 0]), 51))
    track = UR5.track(poses, q, limits={"shoulder_pan_joint": (-0.5, 0.5)})
    assert track.status is fa.Status.LIMITS
    assert "shoulder_pan_joint" in track.reason
    assert track.stopped_at == 26
    assert (track.q[:, 0] <= 0.5 + 1e-9).all()


def test_a_line_that_must_flip_the_wrist_stops_at_the_singularity_without_a_flip():
    q = np.array([0.3, -1.0, 1.4, -0.9, 0.0, 0.2])  # joint 4 at 0: the wrist is singular
    poses = line(UR5.fk(q), UR5.fk(q)[:3, 0], np.linspace(-0.15, 0.15, 201))
    start = UR5.solve(poses[0], q)
    track = UR5.track(poses, start.q)
    assert_contract(UR5, poses, track)
    assert track.complete or track.status is fa.Status.SINGULARITY
    if not track.complete:
        assert "singular value" in track.reason
        assert abs(track.stopped_at - 100) <= 5


@pytest.mark.compiled
def test_reasons_agree_with_long_searches():
    rng, right, seen = np.random.default_rng(7), 0, set()
    free = UR5.with_limits(np.array([[-np.inf], [np.inf]]) * np.ones(6))
    tight = UR5.with_limits(np.array([[-np.pi] * 6, [np.pi] * 6]))
    stopped = []
    while len(stopped) < 30:
        q, v = rng.uniform(-np.pi, np.pi, 6), rng.normal(size=3)
        poses = line(UR5.fk(q), v / np.linalg.norm(v), np.linspace(0, 0.6, 301))
        track = tight.track(poses, q)
        if not track.complete:
            stopped.append((poses, track))
    for poses, track in stopped:
        T, q = poses[track.stopped_at], track.q[-1]
        reachable = any(free.solve(T, max_tries=2000, rng_seed=s, explain=False).success for s in range(3))
        goes_on = free.track(chord(poses, np.array([track.places[-1], track.stopped_at])), q)
        blocked = reachable and not tight.solve(T, max_tries=2000, explain=False).success
        expected = "limits" if goes_on.complete or blocked else "singularity" if reachable else "out_of_reach"
        seen.add(expected)
        right += str(track.status) == expected
    assert right >= 28  # 93 %
    assert len(seen) == 3


def test_a_stop_in_the_last_segment_is_named_without_looking_past_the_end():
    q = np.array([0.0, -1.2, 1.6, -0.4, 1.5, 0.0])
    poses = UR5.fk(np.linspace(q, q + np.array([0.3, 0, 0, 0, 0, 0]), 4))
    track = UR5.track(poses, q, limits={"shoulder_pan_joint": (-0.5, 0.26)})
    assert track.stopped_at == 3
    assert 2 < track.places[-1] < 3
    assert "the limits of joint shoulder_pan_joint are in the way; without them the same motion" in track.reason


def test_a_first_target_out_of_reach_gives_an_empty_part():
    poses = line(np.eye(4), [1, 0, 0], np.linspace(3, 3.1, 5))
    track = UR5.track(poses, UR5.neutral)
    assert len(track) == 0
    assert track.stopped_at == 0
    assert track.status is fa.Status.OUT_OF_REACH
    assert "way-point 0 is not reached" in track.reason
    assert not track


# -- starts ------------------------------------------------------------------------------------------


def test_the_first_point_is_the_answer_nearest_to_q0():
    q = np.array([0.0, -1.2, 1.6, -0.4, 1.5, 0.0])
    poses = line(UR5.fk(q), [0, 0, 1], np.linspace(0, 0.1, 11))
    far = q + np.array([0.6, -0.4, 0.5, 0.4, -0.5, 0.7])
    track = UR5.track(poses, far)
    np.testing.assert_allclose(track.q[0], q, atol=1e-5)
    assert track.steps[0] == pytest.approx(0.7, abs=1e-5)


def test_whole_turns_of_the_start_are_kept():
    q = np.array([0.0, -1.2, 1.6, -0.4, 1.5, 4.0])
    poses = line(UR5.fk(q), [0, 0, 1], np.linspace(0, 0.1, 11))
    np.testing.assert_allclose(UR5.track(poses, q).q[0], q, atol=1e-5)


@pytest.mark.compiled
def test_without_q0_another_start_is_found_where_one_is_blocked():
    tight = UR5.with_limits(np.array([[-np.pi] * 6, [np.pi] * 6]))
    rng, better = np.random.default_rng(11), 0
    for _ in range(6):
        q, v = rng.uniform(-np.pi, np.pi, 6), rng.normal(size=3)
        poses = line(UR5.fk(q), v / np.linalg.norm(v), np.linspace(0, 0.3, 31))
        given, free = tight.track(poses, q), tight.track(poses)
        assert_contract(tight, poses, free)
        assert free.complete or not given.complete
        better += free.complete and not given.complete
    assert better >= 1


@pytest.mark.compiled
def test_roots_of_a_redundant_arm_are_tried_too():
    rng, better = np.random.default_rng(4), 0
    for _ in range(10):
        q, v = rng.uniform(*PANDA.limits), rng.normal(size=3)
        poses = line(PANDA.fk(q), v / np.linalg.norm(v), np.linspace(0, 0.3, 101))
        given, free = PANDA.track(poses, q), PANDA.track(poses)
        assert_contract(PANDA, poses, free)
        better += free.complete - given.complete
    assert better >= 1


# -- kinds of target -----------------------------------------------------------------------------------


def test_points_alone_are_tracked():
    q = np.array([0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.8])
    points = PANDA.fk(q)[:3, 3] + np.outer(np.linspace(0, 0.3, 31), [0, 1, 0])
    track = PANDA.track([fa.Position(p) for p in points], q)
    assert track.complete
    at = forward(PANDA, track.q)[:, :3, 3]
    i = track.places.astype(int)
    expected = points[i] + (track.places - i)[:, None] * (points[np.minimum(i + 1, 30)] - points[i])
    assert np.linalg.norm(at - expected, axis=1).max() <= TOLERANCE
    assert (track.rotation_errors == 0).all()


def test_a_point_and_a_tool_axis_are_tracked_by_five_joints():
    arm = fa.load("so101")
    path = arm.fk(np.linspace([0.3, -0.4, 0.6, 0.5, 0.0], [-0.2, -0.2, 0.5, 0.3, 0.4], 21))
    targets = [fa.PointAxis(T[:3, 3], T[:3, 2]) for T in path]
    track = arm.track(targets, [0.3, -0.4, 0.6, 0.5, 0.0])
    assert track.complete, track
    at = forward(arm, track.q_at_waypoints)
    assert np.linalg.norm((at - path)[:, :3, 3], axis=1).max() <= TOLERANCE
    assert np.linalg.norm(np.cross(at[:, :3, 2], path[:, :3, 2]), axis=1).max() <= TOLERANCE


def test_a_free_axis_and_orientations_are_tracked():
    q = np.array([0.0, -1.2, 1.6, -0.4, 1.5, 0.0])
    poses = UR5.fk(np.linspace(q, q + 0.2, 11))
    free = UR5.track([fa.Pose(T, tol=[1e-6] * 5 + [math.inf]) for T in poses], q)
    turns = UR5.track([fa.Orientation(T[:3, :3]) for T in poses], q)
    assert free.complete
    assert turns.complete
    assert np.linalg.norm(forward(UR5, free.q_at_waypoints)[:, :3, 3] - poses[:, :3, 3], axis=1).max() <= TOLERANCE
    assert angles(forward(UR5, turns.q_at_waypoints), poses).max() <= TOLERANCE


def test_tool_and_locked_joints_hold_along_the_path():
    tool = np.eye(4)
    tool[2, 3] = 0.1
    q = np.array([0.0, -0.3, 0.2, -2.0, 0.0, 1.8, 0.8])
    poses = line(PANDA.with_tool(tool).fk(q), [0, 0, 1], np.linspace(0, 0.1, 21))
    track = PANDA.track(poses, q, tool=tool, locked={PANDA.joint_names[2]: 0.2})
    assert track.complete, track
    assert (track.q[:, 2] == 0.2).all()
    assert_contract(PANDA.with_tool(tool), poses, track)


def test_one_way_point_is_a_path_too():
    q = np.array([0.0, -1.2, 1.6, -0.4, 1.5, 0.0])
    track = UR5.track(UR5.fk(q)[None], q)
    assert track.complete
    assert len(track) == 1


# -- times -----------------------------------------------------------------------------------------


def test_velocities_are_reported_and_stretched_times_keep_them():
    q = np.array([0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.8])
    poses = line(PANDA.fk(q), [0, 1, 0], 0.3 * np.linspace(0, 1, 51) ** 2)
    track = PANDA.track(poses, q, times=np.linspace(0.0, 0.25, 51))
    speeds = np.abs(np.diff(track.q, axis=0)) / np.diff(track.times)[:, None]
    ratios = (speeds / PANDA.model.velocity).max(axis=1)
    np.testing.assert_allclose(track.velocity_ratios, ratios)
    assert track.slowdown == pytest.approx(ratios.max())
    assert ratios.max() > 1
    assert [i for i, _, _ in track.too_fast] == np.flatnonzero(ratios > 1).tolist()
    assert track.too_fast[0][1] in PANDA.joint_names
    slower = np.abs(np.diff(track.q, axis=0)) / np.diff(track.stretched_times)[:, None] / PANDA.model.velocity
    assert slower.max() <= 1 + 1e-12
    assert track.stretched_times[-1] < track.slowdown * 0.25
    assert track.to_dict()["slowdown"] == track.slowdown


# -- bad input -------------------------------------------------------------------------------------

GOOD = np.tile(UR5.fk([0, -1.2, 1.6, -0.4, 1.5, 0]), (3, 1, 1))


def only_dlpack(array):
    """An object that speaks DLPack and nothing else."""
    return SimpleNamespace(__dlpack__=array.__dlpack__, __dlpack_device__=array.__dlpack_device__)


FORMS = {
    "points": (lambda T: fa.Position.many(T[:, :3, 3]), lambda T: [fa.Position(t[:3, 3]) for t in T]),
    "axes": (
        lambda T: fa.PointAxis.many(T[:, :3, 3], T[:, :3, 2]),
        lambda T: [fa.PointAxis(t[:3, 3], t[:3, 2]) for t in T],
    ),
    "orientations": (lambda T: fa.Orientation.many(T[:, :3, :3]), lambda T: [fa.Orientation(t[:3, :3]) for t in T]),
    "poses": (lambda T: fa.Pose.many(T, tol=1e-5), lambda T: [fa.Pose(t, tol=1e-5) for t in T]),
    "dlpack": (only_dlpack, list),
    "lists": (lambda T: T.tolist(), list),
    "single precision": (lambda T: T.astype(np.float32), lambda T: list(T.astype(np.float32).astype(float))),
    "one by one": (iter, list),
}


@pytest.mark.parametrize("form", FORMS)
def test_targets_are_taken_as_a_batch_takes_them(form):
    many, ones = FORMS[form]
    q = np.array([0.0, -1.2, 1.6, -0.4, 1.5, 0.0])
    poses = line(UR5.fk(q), [0, 0, 1], np.linspace(0, 0.05, 4))
    assert UR5.track(many(poses), q).q.tobytes() == UR5.track(ones(poses), q).q.tobytes()


def broken(i, value):
    poses = GOOD.copy()
    poses[i, 0, 0] = value
    return poses


@pytest.mark.parametrize(
    ("targets", "options", "words"),
    [
        (broken(1, np.nan), {}, r"targets\[1\] has nan at \[0, 0\]"),
        (broken(2, 5.0), {}, r"targets\[2\] is not a rigid transform"),
        (GOOD[0], {}, r"targets has shape \(4, 4\); poses are an \(N, 4, 4\) array"),
        (np.empty((0, 4, 4)), {}, "targets are empty"),
        ([], {}, "targets are empty"),
        (5, {}, r"targets has shape \(\); poses are an \(N, 4, 4\) array"),
        (fa.Position([0, 0, 1]), {}, "targets is one Position; a path takes several: put it in a list"),
        ([GOOD[0], [1, 2, 3]], {}, r"targets\[1\]: a bare position is not a target"),
        (
            [GOOD[0], fa.Position([0, 0, 1])],
            {},
            r"targets\[1\] is a Position and targets\[0\] a Pose; a path takes one kind",
        ),
        (
            [fa.PointAxis([0, 0, 1], [0, 0, 1]), fa.PointAxis([0, 0, 1], [0, 0, 1], tool_axis=[1, 0, 0])],
            {},
            r"targets\[1\] has another tool axis",
        ),
        (GOOD, {"times": [0, 1]}, r"times have shape \(2,\); this path takes 3"),
        (GOOD, {"times": [0, 1, 1]}, r"times\[2\] is 1, not after times\[1\] = 1"),
        (GOOD, {"max_joint_step": 0}, "max_joint_step is 0; it takes a positive number"),
        (GOOD, {"max_joint_step": math.nan}, "max_joint_step is nan"),
        (GOOD, {"halfway_tol": 1e-3}, "halfway_tol is 0.001; it takes two positive numbers"),
        (GOOD, {"q0": [1, 2]}, "takes 6 joint values"),
        (GOOD, {"q0": [9, 0, 0, 0, 0, 0]}, "q0 is outside the limits: 'shoulder_pan_joint' = 9"),
    ],
)
def test_bad_input_is_refused_with_its_place(targets, options, words):
    with pytest.raises(fa.ForearmError, match=words):
        UR5.track(targets, **options)


def test_a_track_without_times_says_how_to_get_them():
    with pytest.raises(ValueError, match="times="):
        _ = UR5.track(GOOD[:1], UR5.neutral * 0 + [0, -1.2, 1.6, -0.4, 1.5, 0]).velocity_ratios


# -- the rest --------------------------------------------------------------------------------------


def test_progress_is_told_and_ends_at_the_last_way_point():
    told = []
    q = np.array([0.0, -1.2, 1.6, -0.4, 1.5, 0.0])
    poses = line(UR5.fk(q), [0, 0, 1], np.linspace(0, 0.2, 601))
    assert UR5.track(poses, q, progress=lambda *what: told.append(what)).complete
    assert {(stage, total) for stage, _, total in told} == {("follow", 600)}
    done = [count for _, count, _ in told]
    assert done == sorted(set(done))
    assert done[-1] == 600


def test_the_same_call_gives_the_same_bits():
    q = np.array([0.0, -0.3, 0.2, -2.0, 0.0, 1.8, 0.8])
    poses = line(PANDA.fk(q), [0, 1, 0], np.linspace(0, 0.2, 31))
    assert PANDA.track(poses, q).q.tobytes() == PANDA.track(list(poses), q).q.tobytes()


def test_a_track_reads_well_and_cannot_be_written():
    poses, q = coarse_line()
    track = UR5.track(poses, q)
    assert repr(track).startswith("Track(solved, 4 of 4 way-points,")
    assert track.to_dict()["complete"] is True
    with pytest.raises(ValueError, match="read-only"):
        track.q[0] = 0.0


def test_singular_values_are_small_where_the_arm_is_singular():
    from forearm.tracking.path import as_path
    from forearm.tracking.walk import PathProblem

    problem = PathProblem(UR5._prepared, UR5._prepared.model.limits, as_path(GOOD), STEP, HALFWAY)
    bent, straight = np.array([0, -1.2, 1.6, -0.4, 1.5, 0]), np.array([0, -1.2, 0.0, -0.4, 1.5, 0])
    assert (
        why_stopped.smallest_singular_value(problem, straight)
        < 1e-9
        < why_stopped.smallest_singular_value(problem, bent)
    )


def test_progress_that_is_no_function_is_refused():
    robot = fa.load("ur5")
    T = robot.fk(robot.neutral)
    with pytest.raises(fa.errors.OptionError, match=r"progress is 5; it takes a function of \(stage, done, total\)"):
        robot.track([T, T], progress=5)


@pytest.mark.compiled
@pytest.mark.parametrize(("robot", "seed"), [(PANDA, 103), (PANDA, 107), (UR5, 107), (UR5, 111)])
def test_a_path_that_is_met_anywhere_inside_a_wide_tolerance_is_tracked(robot, seed):
    q = robot.sample(2, rng_seed=seed)
    T = robot.fk(np.linspace(q[0], q[0] + 0.1 * (q[1] - q[0]), 30))
    T[:, :3, 3] *= 1.0 + 0.97 * 0.05 / np.linalg.norm(T[:, :3, 3], axis=1)[:, None]  # to the rim, away from the base
    found = robot.track(fa.Pose.many(T, tol=(0.05, 1e-6)))
    assert found.success, found.reason
    assert found.position_errors.max() <= 0.05
    assert found.rotation_errors.max() <= 1e-6
