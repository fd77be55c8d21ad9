"""A servo keeps every bound at every tick, follows what can be followed, and says what holds it back.

Judged by numpy alone: forward kinematics as products of matrices, speeds and accelerations as differences.
"""

import copy
import pickle

import numpy as np
import pytest

import forearm as fa
from forearm.errors import TargetError

STARTS = {
    "ur5": [0.3, -1.2, 1.5, -0.4, 1.0, 0.2],
    "panda": [0.0, -0.3, 0.2, -1.8, 0.0, 1.6, 0.7],
    "iiwa14": [0.2, 0.5, 0.1, 1.2, 0.1, 0.7, 0.2],
}
# Half turns of a Panda that can be made about the tip, but not by the side that a look ahead chooses.
DEAD_ENDS = [
    ([-0.93, 0.44, 1.55, -2.0, -0.5, 2.04, 1.19], [-0.55, -0.59, 1.74]),
    ([-0.71, 0.19, -0.68, -1.93, 1.34, 0.48, -2.01], [0.79, -1.54, 0.09]),
]
compiled = pytest.mark.compiled


def fk(arm, q):
    """The tip's poses at (..., n) joint values as products of (4, 4) matrices."""
    q = np.asarray(q)
    T = np.broadcast_to(np.eye(4), (*q.shape[:-1], 4, 4))
    for link, joint in zip(arm.model.links, [*arm.model.joints, None], strict=True):
        T = T @ np.vstack([link, [0, 0, 0, 1]])
        if joint is not None:
            _, variable, ratio = joint  # all of them turn
            value, J = ratio * q[..., int(variable)], np.zeros((*q.shape[:-1], 4, 4))
            J[..., 0, 0] = J[..., 1, 1] = np.cos(value)
            J[..., 1, 0], J[..., 0, 1] = np.sin(value), -np.sin(value)
            J[..., 2, 2] = J[..., 3, 3] = 1.0
            T = T @ J
    return T


def turned(T, axis, angle):
    """A pose turned about an axis of its own."""
    x, y, z = np.asarray(axis, float) / np.linalg.norm(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    out = T.copy()
    out[:3, :3] = T[:3, :3] @ (np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K)
    return out


def off(arm, q, T):
    """Distance [m] and angle [rad] of the tip from a pose; (2, N) at (N, n) joint values."""
    P, T = fk(arm, q), np.asarray(T)
    turn = np.swapaxes(P[..., :3, :3], -1, -2) @ T[..., :3, :3]
    twist = turn - np.swapaxes(turn, -1, -2)
    sine = np.sqrt(0.5 * (twist**2).sum(axis=(-1, -2)))
    angle = np.arctan2(sine, np.trace(turn, axis1=-2, axis2=-1) - 1)
    return np.array([np.linalg.norm(P[..., :3, 3] - T[..., :3, 3], axis=-1), angle])


def drive(servo, targets):
    """The joint values of every tick, and its status."""
    Q, words = [], []
    for target in targets:
        Q.append(servo(target))
        words.append(servo.status)
    return np.array(Q), words


def keeps_bounds(arm, servo, q0, Q, v0=0.0):
    """Whether no joint leaves its limits, its speed or its acceleration, by differences of what came out."""
    assert np.isfinite(Q).all()
    v = np.diff(np.vstack([q0, Q]), axis=0) * servo.rate
    a = np.diff(np.vstack([np.broadcast_to(v0, len(q0)), v]), axis=0) * servo.rate
    digits = 4.0 * np.finfo(float).eps * max(1.0, np.abs(Q).max())  # of joint values, which differences magnify
    assert ((arm.limits[0] <= Q) & (arm.limits[1] >= Q)).all()
    assert (np.abs(v) <= servo.velocity_limits * (1 + 1e-12) + digits * servo.rate).all()
    assert (np.abs(a) <= servo.acceleration_limits * (1 + 1e-8) + 2 * digits * servo.rate**2).all()
    return True


def eight(arm, q0, rate, seconds=4.0):
    """A figure of eight that starts smoothly."""
    t = np.arange(int(seconds * rate)) / rate
    a = np.clip(t, 0, 1) ** 3 * (10 - 15 * np.clip(t, 0, 1) + 6 * np.clip(t, 0, 1) ** 2)
    T = np.repeat(fk(arm, q0)[None], len(t), axis=0)
    T[:, 0, 3] += a * 0.05 * np.sin(2 * t)
    T[:, 1, 3] += a * 0.08 * np.sin(t)
    return T


def wild(arm, q0, rate, count, seed):
    """Targets of all sorts: smooth, jumping, far away, noisy, not finite, none."""
    rng, at, out = np.random.default_rng(seed), np.array(q0), []
    lower, upper = np.maximum(arm.limits[0], -np.pi), np.minimum(arm.limits[1], np.pi)
    while len(out) < count:
        n, kind, new = int(rng.integers(1, rate)), int(rng.integers(6)), rng.uniform(lower, upper)
        T = fk(arm, new)
        if kind == 0:
            out += list(fk(arm, at + np.linspace(0, 1, n)[:, None] * (new - at)))
            at = new
        elif kind == 1:
            out += [T] * n
        elif kind == 2:
            far = T.copy()
            far[:3, 3] *= 3.0
            out += [far] * n
        elif kind == 3:
            out += [turned(T, [1, 2, 3], s) for s in rng.uniform(-20, 20) * np.arange(n) / rate]
        elif kind == 4:
            out += list(fk(arm, at + rng.normal(0, 0.02, (n, arm.n))))
        else:
            out += [None if s < 0.5 else np.full((4, 4), np.nan) for s in rng.random(n)]
    return out[:count]


@compiled
@pytest.mark.parametrize("name", STARTS)
@pytest.mark.parametrize("rate", [1000, 60])
def test_wild_streams_break_no_bound(name, rate):
    arm, q0 = fa.load(name), np.array(STARTS[name])
    servo = arm.servo(q0, rate)
    Q, _ = drive(servo, wild(arm, q0, rate, 6000, 1))
    assert keeps_bounds(arm, servo, q0, Q)


@pytest.mark.parametrize("kind", ["held", "nan", "far"])
def test_short_wild_streams_break_no_bound(kind):
    arm, q0 = fa.load("ur5"), np.array(STARTS["ur5"])
    servo = arm.servo(q0, 60, velocity=1.0, acceleration=[3.0, 4.0, 5.0, 6.0, 7.0, 8.0])
    T = fk(arm, q0 + 0.7)
    if kind == "far":
        T[:3, 3] *= 2.0
    rest = {"held": None, "nan": np.full((4, 4), np.nan), "far": T}[kind]
    Q, words = drive(servo, [T] * 20 + [rest] * 40)
    assert keeps_bounds(arm, servo, q0, Q)
    assert words[-1] == ("limited" if kind == "far" else "lost")


@compiled
@pytest.mark.parametrize("name", STARTS)
@pytest.mark.parametrize("rate", [1000, 60])
def test_what_can_be_followed_is_followed_exactly(name, rate):
    arm, q0 = fa.load(name), np.array(STARTS[name])
    servo, targets = arm.servo(q0, rate), eight(arm, STARTS[name], rate)
    Q, words = drive(servo, targets)
    assert keeps_bounds(arm, servo, q0, Q)
    assert off(arm, Q, targets)[0].max() < 1e-9
    assert set(words) == {"following"}
    assert max(servo.error) < 1e-9


@compiled
@pytest.mark.parametrize("name", STARTS)
def test_a_stretched_elbow_is_passed_exactly(name):
    arm, q0 = fa.load(name), np.array(STARTS[name])
    straight, elbow = q0.copy(), 3 if arm.n == 7 else 2
    straight[elbow] = np.clip(0.0, *(arm.limits[:, elbow] + [0.02, -0.02]))
    t = np.arange(4000) / 1000
    way = q0 + (0.5 - 0.5 * np.cos(np.pi * t / 2))[:, None] * (straight - q0)
    servo = arm.servo(q0)
    Q, _ = drive(servo, fk(arm, way))
    assert keeps_bounds(arm, servo, q0, Q)
    assert off(arm, Q, fk(arm, way))[0].max() < 1e-6


@compiled
@pytest.mark.parametrize("name", STARTS)
@pytest.mark.parametrize("rate", [1000, 60])
def test_a_step_is_gone_to_without_passing_it_and_rested_at(name, rate):
    arm, q0 = fa.load(name), np.array(STARTS[name])
    start, T = fk(arm, q0), fk(arm, q0 + 0.4 * np.sin(1 + np.arange(arm.n)))
    servo = arm.servo(q0, rate)
    Q, words = drive(servo, [T] * (3 * rate))
    assert keeps_bounds(arm, servo, q0, Q)
    way = T[:3, 3] - start[:3, 3]
    along = (fk(arm, Q)[:, :3, 3] - start[:3, 3]) @ way / (way @ way)
    assert along.max() < 1.0 + 1e-9
    assert words[0] == "limited"
    assert words[-1] == "following"
    assert max(off(arm, Q[-1], T)) < 1e-9
    assert np.abs(servo.velocity).max() < 1e-9


@compiled
def test_beyond_reach_it_says_so_and_comes_back():
    arm, q0 = fa.load("panda"), np.array(STARTS["panda"])
    T = fk(arm, q0)
    far = T.copy()
    far[:3, 3] *= 3.0
    servo = arm.servo(q0)
    Q, words = drive(servo, [far] * 2000)
    assert set(words) == {"limited"}
    assert servo.reason.startswith("out of reach by")
    assert np.abs(np.diff(Q[-200:], axis=0)).max() < 1e-6  # it stands
    Q, words = drive(servo, [T] * 3000)
    assert words[-1] == "following"
    assert max(off(arm, Q[-1], T)) < 1e-9


@pytest.mark.parametrize("rate", [60, 100, 1000])
def test_a_far_target_that_can_be_reached_is_never_called_out_of_reach(rate):
    arm = fa.load("ur5")
    starts = [[0.0, -1.2, 1.5, 0.0, 1.0, 0.0], *(0.5 * arm.sample(5, rng_seed=3))]
    points = [[0.4, 0.2, 0.3], *arm.fk(arm.sample(5, rng_seed=4))[:, :3, 3]]
    for start, point in zip(starts, points, strict=True):
        servo = arm.servo(start, rate=rate)
        for _ in range(rate // 4):
            servo(fa.Position(point))
            assert "out of reach" not in servo.reason


def test_nothing_and_nonsense_hold_the_arm_then_it_is_lost():
    arm, q0 = fa.load("ur5"), np.array(STARTS["ur5"])
    servo, T = arm.servo(q0, 100), fk(arm, q0 + 0.05)
    drive(servo, [T] * 5)
    for nothing in (None, np.full((4, 4), np.nan), np.zeros((4, 4))):
        servo(T)
        _, words = drive(servo, [nothing] * 30)
        assert words[0] == "held"
        assert words[-1] == "lost"
    assert "not a rigid transform" in servo.reason
    _, words = drive(servo, [T] * 30)
    assert words[-1] == "following"


def test_a_point_an_orientation_and_a_direction_are_met():
    arm, q0 = fa.load("panda"), np.array(STARTS["panda"])
    T = fk(arm, q0 + 0.1)
    for target, held in (
        (fa.Position(T[:3, 3]), slice(0, 1)),
        (fa.Orientation(T[:3, :3]), slice(1, 2)),
        (fa.Pose(T), slice(0, 2)),
    ):
        servo = arm.servo(q0, 60)
        Q, words = drive(servo, [target] * 90)
        assert max(off(arm, Q[-1], T)[held]) < 1e-9
        assert words[-1] == "following"
    servo = arm.servo(q0, 60)
    Q, _ = drive(servo, [fa.PointAxis(T[:3, 3], T[:3, 2])] * 90)
    P = fk(arm, Q[-1])
    assert np.linalg.norm(P[:3, 3] - T[:3, 3]) < 1e-9
    assert np.linalg.norm(np.cross(P[:3, 2], T[:3, 2])) < 1e-9


@pytest.mark.parametrize("frame", ["base", "tip"])
def test_a_twist_moves_the_tip_at_its_speed_and_nothing_stops_it(frame):
    arm, q0 = fa.load("ur5"), np.array(STARTS["ur5"])
    servo = arm.servo(q0, 200)
    twist = fa.Twist([0.0, 0.0, 0.05], frame=frame)
    Q, _ = drive(servo, [twist] * 100)
    assert keeps_bounds(arm, servo, q0, Q)
    way = fk(arm, Q[-1])[:3, 3] - fk(arm, Q[-51])[:3, 3]
    axis = [0, 0, 1] if frame == "base" else fk(arm, q0)[:3, 2]
    assert np.abs(way - 0.0125 * np.array(axis)).max() < 1e-6
    assert off(arm, Q[-1], fk(arm, q0))[1] < 1e-6
    Q, _ = drive(servo, [None] * 100)
    assert np.abs(servo.velocity).max() < 1e-6
    assert np.linalg.norm(fk(arm, Q[-1])[:3, 3] - fk(arm, Q[0])[:3, 3]) < 0.01


@compiled
@pytest.mark.parametrize("nothing", [None, np.full(6, np.nan)])
def test_a_twist_that_stops_coming_is_held_then_lost(nothing):
    arm, q0 = fa.load("ur5"), np.array(STARTS["ur5"])
    servo = arm.servo(q0, 100)
    drive(servo, [fa.Twist([0.0, 0.0, 0.05])] * 10)
    _, words = drive(servo, [nothing] * 40)
    assert words[:20] == ["held"] * 20
    assert words[21:] == ["lost"] * 19
    if nothing is None:
        assert servo.reason == "no target for 0.4 s"
    drive(servo, [fa.Twist([0.0, 0.0, 0.05])] * 20)
    assert servo.status == "following"


NO_TARGETS = ["abc", [1.0, 2.0, 3.0, 4.0, 5.0, "x"], object(), 1.0, {"xyz": [1, 2, 3]}, [[1.0, 2.0], [3.0]]]


@pytest.mark.parametrize("target", NO_TARGETS)
def test_what_is_no_target_at_all_is_refused_in_words(target):
    servo = fa.load("ur5").servo(np.array(STARTS["ur5"]))
    with pytest.raises(TargetError):
        servo(target)


@pytest.mark.parametrize("frame", ["base", "tip"])
@pytest.mark.parametrize("speed", [1e150, 1e160, 1e200, 1e300, np.inf, np.nan])
@pytest.mark.parametrize("place", [0, 4])
def test_a_twist_beyond_all_numbers_leaves_the_joints_finite_and_what_follows_is_followed(place, speed, frame):
    arm, q0 = fa.load("ur5"), np.array(STARTS["ur5"])
    servo, numbers = arm.servo(q0, 60), np.zeros(6)
    numbers[place] = speed
    wild, _ = drive(
        servo, [fa.Twist(numbers[:3], numbers[3:], frame=frame)] * 5 if np.isfinite(speed) else [numbers] * 5
    )
    T = fk(arm, q0 + 0.05)
    after, _ = drive(servo, [T] * 200)
    assert np.isfinite(wild).all()
    assert off(arm, after[-1:], T).max() < 1e-6


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, lambda servo: pickle.loads(pickle.dumps(servo))])
def test_a_copy_of_a_servo_goes_on_as_the_servo_would_and_leaves_it_alone(how):
    arm, q0 = fa.load("panda"), np.array(STARTS["panda"])
    servo, T = arm.servo(q0, 100), fk(arm, q0 + 0.2)
    drive(servo, [T] * 10)
    twin, q = how(servo), servo.q
    ahead, _ = drive(twin, [T] * 30)
    assert np.array_equal(servo.q, q)
    assert np.array_equal(twin.q, ahead[-1])
    assert np.array_equal(drive(servo, [T] * 30)[0], ahead)
    assert (twin.status, twin.reason, twin.error) == (servo.status, servo.reason, servo.error)
    assert np.array_equal(twin.velocity, servo.velocity)
    twin.stop()
    still, _ = drive(twin, [fk(arm, q0)] * 200)
    assert np.array_equal(still[-1], still[-2])
    assert servo.status != twin.status


def test_a_twist_out_of_reach_stays_on_its_leash():
    arm, q0 = fa.load("ur5"), np.array(STARTS["ur5"])
    servo = arm.servo(q0, 60)
    drive(servo, [np.array([0.5, 0.0, 0.0, 0.0, 0.0, 0.0])] * 300)
    assert np.linalg.norm(servo.target[:3, 3] - fk(arm, servo.q)[:3, 3]) < 0.06


@compiled
@pytest.mark.parametrize("rate", [60, 250, 1000])
@pytest.mark.parametrize("far", [0.3, 1.5])
def test_a_spare_joint_goes_to_the_posture_at_rest_and_the_tip_does_not_feel_it(rate, far):
    arm, q0 = fa.load("panda"), np.array(STARTS["panda"])
    T, rest = fk(arm, q0), q0 + far * np.array([1, 0, -1, 0, 0, 0, 0])
    servo = arm.servo(q0, rate, rest=rest)
    Q, words = drive(servo, [T] * (5 * rate))
    assert keeps_bounds(arm, servo, q0, Q)
    assert np.linalg.norm(Q[-1] - rest) < np.linalg.norm(q0 - rest) - 0.05
    assert off(arm, Q, T).max() < 1e-9
    assert set(words) == {"following"}


def test_stop_brakes_whatever_comes_until_it_is_reset():
    arm, q0 = fa.load("ur5"), np.array(STARTS["ur5"])
    servo, T = arm.servo(q0, 100), fk(arm, q0 + 0.8)
    before, _ = drive(servo, [T] * 20)
    servo.stop()
    after, words = drive(servo, [T] * 60)
    assert keeps_bounds(arm, servo, q0, np.vstack([before, after]))
    assert np.abs(servo.velocity).max() == 0.0
    assert set(words) == {"held"}
    assert servo.reason == "stopped"
    stopping = np.abs(before[-1] - before[-2]).max() * 100
    assert np.count_nonzero(np.abs(np.diff(after, axis=0)).max(axis=1) > 0) <= stopping / 0.1 + 1
    servo.reset()
    _, words = drive(servo, [T] * 200)
    assert words[-1] == "following"


def test_it_goes_on_from_measured_joints_and_speeds():
    arm, q0 = fa.load("ur5"), np.array(STARTS["ur5"])
    servo, T = arm.servo(q0, 100), fk(arm, q0)
    measured, speed = q0 + 0.01, np.full(6, 0.3)
    servo.sync(measured, speed)
    Q, words = drive(servo, [T] * 100)
    assert keeps_bounds(arm, servo, measured, Q, speed)
    assert words[-1] == "following"
    assert max(off(arm, Q[-1], T)) < 1e-9


@compiled
def test_targets_slower_than_ticks_are_gone_to_evenly():
    arm, q0 = fa.load("ur5"), np.array(STARTS["ur5"])
    slow = eight(arm, q0, 50)
    rough = {}
    for interpolate in (True, False):
        servo = arm.servo(q0, interpolate=interpolate, smoothing=None)
        Q, words = drive(servo, [T for T in slow for _ in range(20)])
        assert keeps_bounds(arm, servo, q0, Q)
        rough[interpolate] = np.sqrt(np.mean((np.diff(Q, 2, axis=0) * 1e6) ** 2))
    assert rough[True] < 0.3 * rough[False]
    with_gaps = arm.servo(q0)
    _, words = drive(with_gaps, [T if i == 0 else None for T in slow for i in range(20)])
    assert set(words[200:]) <= {"following", "limited"}


@compiled
def test_a_target_on_the_way_is_judged_by_its_own_tolerances_not_by_those_of_the_one_before():
    arm = fa.load("planar-3")
    servo = arm.servo([0.0, 0.0, 0.0], 200, velocity=2.0)
    targets = [fa.Position([0.32 + 1e-4 * i, 0.0, 0.0], tol=0.05 if i < 8 else 1e-6) for i in range(12)]
    _, words = drive(servo, [target for target in targets for _ in range(8)])
    assert set(words[48:64]) == {"following"}  # it is stretched: out of reach, and near enough for these
    assert set(words[64:]) == {"limited"}


@compiled
def test_an_arm_at_the_edge_of_reach_does_not_change_its_branch_for_a_target_that_is_near_enough():
    arm, ways = fa.load("planar-3"), {}
    for tol in (0.05, 1e-6):
        servo, ways[tol] = arm.servo([0.1, -0.2, 0.1], 200, velocity=2.0), []
        for i in range(320):
            target = fa.Position([0.32 + 1e-4 * (i // 8), 0.0, 0.0], tol=tol)
            ways[tol].append(np.linalg.norm(fk(arm, servo(target))[:2, 3] - target.goal[:2, 3]))
        assert servo.status == ("following" if tol == 0.05 else "limited")
    assert max(ways[0.05][160:]) <= max(ways[1e-6][160:]) + 1e-9


@compiled
@pytest.mark.parametrize("rate", [1000, 60])
def test_noise_is_smoothed_and_the_tip_is_nearer_to_the_truth_than_the_targets(rate):
    arm, q0, rng = fa.load("panda"), np.array(STARTS["panda"]), np.random.default_rng(0)
    truth = eight(arm, q0, rate, 6.0)
    noisy = [turned(T, rng.normal(size=3), rng.normal(0, 0.035)) for T in truth]
    for T in noisy:
        T[:3, 3] += rng.normal(0, 0.005 / np.sqrt(3), 3)
    servo = arm.servo(q0, rate)
    Q, _ = drive(servo, noisy)
    assert keeps_bounds(arm, servo, q0, Q)
    errors = off(arm, Q[rate:], truth[rate:])[0]
    assert np.sqrt(np.mean(np.square(errors))) < 0.005
    assert np.sqrt(np.mean((np.diff(Q, 2, axis=0) * rate**2) ** 2)) < 0.5 * 10.0


@pytest.mark.parametrize("limits", [None, {3: (-0.6, -0.1), 4: (0.5, 1.2)}], ids=["free", "limits"])
def test_what_has_priority_is_met_exactly_where_both_cannot_be_had(limits):
    arm, q0 = fa.load("ur5"), np.array(STARTS["ur5"])
    T = turned(fk(arm, q0), [0, 1, 0], 2.0)
    T[:3, 3] *= 0.88 / np.linalg.norm(T[:3, 3])
    how = {} if limits is None else {"limits": {arm.joint_names[k]: bounds for k, bounds in limits.items()}}
    servo = arm.servo(q0, 60, priority="position", reconfigure=False, **how)
    Q, words = drive(servo, [T] * 120)
    assert keeps_bounds(arm, servo, q0, Q)
    assert off(arm, Q[-1], T)[0] < 1e-6
    assert off(arm, Q[-1], T)[1] > 0.1
    assert words[-1] == "limited"
    if limits is None:
        Q, _ = drive(arm.servo(q0, 60, priority="rotation", reconfigure=False), [T] * 120)
        assert off(arm, Q[-1], T)[1] < 1e-6
        assert off(arm, Q[-1], T)[0] < 0.1  # and comes as near as that leaves


def test_a_priority_changes_nothing_where_both_can_be_had():
    arm, q0 = fa.load("ur5"), np.array(STARTS["ur5"])
    targets = eight(arm, q0, 60, 1.0)
    for priority in ("position", "rotation"):
        Q, words = drive(arm.servo(q0, 60, priority=priority), targets)
        assert off(arm, Q, targets).max() < 1e-9
        assert set(words) == {"following"}


@compiled
@pytest.mark.parametrize("name", STARTS)
@pytest.mark.parametrize("priority", ["position", "rotation"])
def test_what_has_priority_is_met_wherever_it_can_be_had_alone(name, priority):
    arm, q0, rng = fa.load(name), np.array(STARTS[name]), np.random.default_rng(11)
    lower, upper = np.maximum(arm.limits[0], -np.pi), np.minimum(arm.limits[1], np.pi)
    for _ in range(8):  # places and rotations of two postures: each can be had, both seldom
        T, part = fk(arm, rng.uniform(lower, upper)), 0 if priority == "position" else 1
        T[:3, :3] = fk(arm, rng.uniform(lower, upper))[:3, :3]
        servo = arm.servo(q0, 200, priority=priority)
        Q, _ = drive(servo, [T] * 2000)
        assert keeps_bounds(arm, servo, q0, Q)
        assert off(arm, Q[-1], T)[part] < 1e-6


@compiled
def test_half_turns_choose_the_side_that_the_limits_leave():
    arm, q0 = fa.load("panda"), np.array(STARTS["panda"])
    q0[6] = 1.0  # one way round is a quarter turn longer than the joint has
    T = turned(fk(arm, q0), [0, 0, 1], np.pi)
    servo = arm.servo(q0, reconfigure=False)
    Q, words = drive(servo, [T] * 3000)
    assert words[-1] == "following"
    assert off(arm, Q, T)[0].max() < 0.02


@compiled
@pytest.mark.parametrize("rate", [1000, 250])
@pytest.mark.parametrize(("q0", "axis"), DEAD_ENDS)
def test_a_half_turn_whose_side_is_a_dead_end_goes_the_other_way_and_the_tip_hardly_swings(q0, axis, rate):
    arm = fa.load("panda")
    T = turned(fk(arm, q0), axis, np.pi)
    servo = arm.servo(q0, rate)
    Q, words = drive(servo, [T] * (4 * rate))
    assert keeps_bounds(arm, servo, q0, Q)
    assert words[-1] == "following"
    assert off(arm, Q, T)[0].max() < 0.1


@compiled
@pytest.mark.parametrize("name", STARTS)
@pytest.mark.parametrize("rate", [1000, 60])
def test_half_turns_there_and_back_are_met_in_the_arms_own_branch_and_the_tip_swings_little(name, rate):
    arm, q0 = fa.load(name), np.array(STARTS[name])
    servo, T = arm.servo(q0, rate, reconfigure=False), fk(arm, q0)
    before = q0
    for axis in ([0, 0, 1], [1, 0, 0]):
        for target in (turned(T, axis, np.pi), T):
            Q, words = drive(servo, [target] * int(2.5 * rate))
            assert words[-1] == "following"
            assert off(arm, Q, target)[0].max() < 0.07
            assert off(arm, Q[-1], target).max() < 1e-9
            assert keeps_bounds(arm, servo, before, Q)
            before = Q[-1]


@compiled
def test_a_target_that_goes_on_moving_behind_a_jump_is_caught_up_with():
    arm, q0 = fa.load("iiwa14"), np.array(STARTS["iiwa14"])
    t = np.arange(4000) / 1000
    targets = np.repeat(turned(fk(arm, q0), [1, 0, 0], 1.5)[None], len(t), axis=0)
    targets[:, 1, 3] += 0.05 * np.sin(2 * t)
    servo = arm.servo(q0)
    Q, words = drive(servo, targets)
    assert keeps_bounds(arm, servo, q0, Q)
    assert off(arm, Q[2500:], targets[2500:]).max() < 1e-9
    assert words[-1] == "following"


@compiled
def test_a_stuck_arm_goes_on_in_another_branch_if_it_may():
    arm, q0 = fa.load("ur5"), np.array(STARTS["ur5"])
    limits = {"wrist_3_joint": (-1.0, 1.0)} if "wrist_3_joint" in arm.joint_names else {arm.joint_names[5]: (-1.0, 1.0)}
    T = fk(arm, [-2.9, -1.9, -1.5, -0.4, -1.0, 0.2])
    met = {}
    for reconfigure in (True, False):
        servo = arm.servo(q0, reconfigure=reconfigure, limits=limits)
        Q, _ = drive(servo, [T] * 4000)
        met[reconfigure] = max(off(arm, Q[-1], T))
    assert met[True] < 1e-9


def test_the_same_stream_gives_the_same_bits():
    arm, q0 = fa.load("ur5"), np.array(STARTS["ur5"])
    targets = wild(arm, q0, 60, 150, 7)
    one, other = (drive(arm.servo(q0, 60), targets)[0] for _ in range(2))
    assert one.tobytes() == other.tobytes()


def test_poses_of_other_types_give_the_same():
    arm, q0 = fa.load("ur5"), np.array(STARTS["ur5"])
    T = fk(arm, q0 + 0.1)
    q = arm.servo(q0, 60)(T)
    for same in (T.tolist(), np.asfortranarray(T), fa.Pose(T)):
        assert arm.servo(q0, 60)(same).tobytes() == q.tobytes()


def test_what_makes_no_servo_is_refused_by_name():
    arm, q0 = fa.load("ur5"), STARTS["ur5"]
    for wrong, word in (
        ({"rate": 0}, "rate"),
        ({"velocity": -1}, "velocity"),
        ({"acceleration": [1, 2]}, "acceleration"),
        ({"smoothing": "much"}, "smoothing"),
        ({"priority": "tip"}, "priority"),
        ({"rest": [1, 2]}, "rest"),
        ({"reconfigure": 3}, "reconfigure"),
        ({"max_joint_step": 0.1}, "max_joint_step"),
    ):
        with pytest.raises(fa.ForearmError, match=word):
            arm.servo(q0, **wrong)
    with pytest.raises(fa.ForearmError, match="greatest speed"):
        fa.load("puma560").servo(np.zeros(6))
    with pytest.raises(fa.ForearmError, match="limits"):
        arm.servo([9, 0, 0, 0, 0, 0])
    with pytest.raises(fa.ForearmError, match="Position"):
        arm.servo(q0)([1, 2, 3])


@pytest.mark.parametrize("name", ["velocity", "acceleration"])
def test_bounds_lost_in_the_digits_are_refused(name):
    arm, q0 = fa.load("ur5"), np.array(STARTS["ur5"])
    for tiny in (5e-324, 1e-300, 1e-10):
        with pytest.raises(fa.ForearmError, match=name):
            arm.servo(q0, 100, **{name: tiny})
    assert np.isfinite(drive(arm.servo(q0, 100, **{name: 1e-9}), [fk(arm, q0 + 0.2)] * 100)[0]).all()


def test_an_arm_that_hardly_accelerates_is_not_called_following():
    arm, q0 = fa.load("ur5"), np.array(STARTS["ur5"])
    _, words = drive(arm.servo(q0, 100, acceleration=1e-9), [fk(arm, q0 + 0.2)] * 100)
    assert set(words[10:]) == {"limited"}


def gaps(arm, Q, spheres):
    """The least distance of the arm's capsules from spheres, by dense samples of their axes."""
    model, geometry, least = arm.model, arm.geometry, np.inf
    frames = np.array([arm.fk_all(q) for q in Q])
    for row in geometry.bodies:
        frame = int(row[0])
        if frame < 0 or row[8] == 0.0:
            continue
        C = model.links[frame + 1]
        a = np.arctan2(C[0, 2], -C[1, 2])  # bodies stand in frames turned so about z
        turn = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
        back = np.linalg.inv(model.child_frames[frame])
        points = (row[1:4] + np.linspace(0, 1, 41)[:, None] * row[4:7]) @ turn.T
        seen = points @ back[:3, :3].T + back[:3, 3]
        world = np.einsum("nij,kj->nki", frames[:, frame, :3, :3], seen) + frames[:, frame, None, :3, 3]
        for centre, radius in spheres:
            least = min(least, np.linalg.norm(world - centre, axis=-1).min() - radius - row[7])
    return least


@compiled
@pytest.mark.parametrize("rate", [1000, 60])
def test_obstacles_are_kept_off_whatever_comes(rate):
    arm, q0 = fa.load("ur5"), np.array(STARTS["ur5"])
    tip = fk(arm, q0)[:3, 3]
    spheres = [(tip - np.array([0.0, 0.0, 0.25]), 0.1), (tip + np.array([0.25, 0.1, 0.1]), 0.08)]
    obstacles = [fa.Sphere(centre, radius) for centre, radius in spheres]
    servo = arm.servo(q0, rate, obstacles=obstacles, clearance=0.01)
    Q, words = drive(servo, wild(arm, q0, rate, 4000, 3))
    assert keeps_bounds(arm, servo, q0, Q)
    assert gaps(arm, Q, spheres) >= 0.01
    assert arm.clearance(Q, obstacles, self_collision=False).distance.min() >= 0.01
    assert "limited" in words


@compiled
def test_an_obstacle_in_the_way_is_told_and_left_again():
    arm, q0 = fa.load("ur5"), np.array(STARTS["ur5"])
    T = fk(arm, q0)
    inside = T.copy()
    inside[2, 3] -= 0.3
    servo = arm.servo(q0, obstacles={"table": fa.Sphere(inside[:3, 3], 0.1)}, clearance=0.02, self_collision=False)
    _, words = drive(servo, [inside] * 1500)
    assert words[-1] == "limited"
    assert "table" in servo.reason
    assert np.abs(servo.velocity).max() < 1e-3
    Q, words = drive(servo, [T] * 1500)
    assert words[-1] == "following"
    assert max(off(arm, Q[-1], T)) < 1e-6
