"""What a tick says is true: "following" means on the target, and an arm that is held, stopped or put wrong stays calm.

Judged by forward kinematics of the joint values that came out, and by differences of them.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import forearm as fa
from forearm.core.servo.state import GOAL

compiled = pytest.mark.compiled
START = np.array([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
HAIR = 1e-7  # beyond the tolerances of a target, what joints that are 1e-8 off their goal make of it [m or rad]
MOST = 0.1  # that joints may be off where targets shake [rad or m]
CHAIN = """<robot name="chain"><link name="base"/>
{joints}</robot>"""
JOINT = """<link name="l{i}"/><joint name="j{i}" type="{kind}"><parent link="{parent}"/><child link="l{i}"/>
<origin xyz="{xyz}"/><axis xyz="{axis}"/><limit lower="{low}" upper="{high}" velocity="2" effort="1"/>{more}</joint>
"""
MIMIC = '<mimic joint="j2" multiplier="-0.5"/>'
# Kind, axis, where it stands, limits, what else it says.
CHAINS = {
    "scara": [
        ("revolute", "0 0 1", "0 0 0.2", -2.5, 2.5, ""),
        ("revolute", "0 0 1", "0.3 0 0", -2.5, 2.5, ""),
        ("prismatic", "0 0 -1", "0.25 0 0", 0, 0.2, ""),
        ("revolute", "0 0 1", "0 0 0", -6, 6, ""),
    ],
    "five joints": [
        ("revolute", "0 0 1", "0 0 0.2", -3, 3, ""),
        ("revolute", "0 1 0", "0 0 0.1", -2, 2, ""),
        ("revolute", "0 1 0", "0 0 0.4", -2.5, 2.5, ""),
        ("revolute", "0 1 0", "0 0 0.3", -2, 2, ""),
        ("revolute", "0 0 1", "0 0 0.1", -3, 3, ""),
    ],
    "coupled": [
        ("revolute", "0 0 1", "0 0 0.2", -3, 3, ""),
        ("revolute", "0 1 0", "0 0 0.1", -2, 2, ""),
        ("revolute", "0 1 0", "0 0 0.4", -2.5, 2.5, ""),
        ("revolute", "0 1 0", "0 0 0.3", -2, 2, MIMIC),
        ("revolute", "1 0 0", "0 0 0.1", -2, 2, ""),
        ("revolute", "0 0 1", "0 0 0.1", -3, 3, ""),
    ],
    "on a rail": [
        ("prismatic", "1 0 0", "0 0 0.2", -2, 2, ""),
        ("revolute", "0 0 1", "0 0 0.2", -3, 3, ""),
        ("revolute", "0 1 0", "0 0 0.1", -2, 2, ""),
        ("revolute", "0 1 0", "0 0 0.4", -2.5, 2.5, ""),
        ("revolute", "0 0 1", "0 0 0.3", -3, 3, ""),
        ("revolute", "0 1 0", "0 0 0.1", -2, 2, ""),
        ("revolute", "0 0 1", "0 0 0.1", -3, 3, ""),
    ],
}
ARMS = ("ur5", "panda", "iiwa14", *CHAINS)


def arm_of(name):
    """An arm of the catalog, or one of the chains."""
    if name not in CHAINS:
        return fa.load(name)
    joints, parent = "", "base"
    for i, (kind, axis, xyz, low, high, more) in enumerate(CHAINS[name]):
        place = {"kind": kind, "axis": axis, "xyz": xyz, "low": low, "high": high, "more": more}
        joints += JOINT.format(i=i, parent=parent, **place)
        parent = f"l{i}"
    return fa.Robot.from_urdf(CHAIN.format(joints=joints), tip=f"l{len(CHAINS[name]) - 1}")


def turned(T, axis, angle):
    """A pose turned about an axis of its own (Rodrigues)."""
    x, y, z = np.asarray(axis) / np.linalg.norm(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    out = T.copy()
    out[:3, :3] = T[:3, :3] @ (np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K)
    return out


def stream(arm, rng, rate, count):
    """What a hostile operator sends: motion, jumps, half turns, noise, out of reach, holes, nonsense, twists."""
    lower, upper = np.maximum(arm.limits[0], -np.pi), np.minimum(arm.limits[1], np.pi)
    out, at = [], rng.uniform(lower, upper)
    while len(out) < count:
        n, kind, new = int(rng.integers(1, rate + 1)), int(rng.integers(8)), rng.uniform(lower, upper)
        T = arm.fk(at)
        if kind == 0:
            out += list(arm.fk(at + np.linspace(0, rng.choice([0.01, 0.1, 1.0]), n)[:, None] * (new - at)))
        elif kind == 1:
            out, at = out + [arm.fk(new)] * n, new
        elif kind == 2:
            out += [turned(T, rng.normal(size=3), np.pi)] * n
        elif kind == 3:
            noise = rng.normal(0, rng.choice([1e-5, 1e-3, 0.1]), (n, arm.n))
            out += list(arm.fk(np.clip(at + noise, lower, upper)))
        elif kind == 4:
            far = T.copy()
            far[:3, 3] *= rng.choice([1.01, 2.0, 1e6])
            out += [far] * n
        elif kind == 5:
            out += [None if i % 3 else T for i in range(n)]
        elif kind == 6:
            out += [np.full((4, 4), np.nan) if i % 2 else T for i in range(n)]
        else:
            speed = rng.choice([0.01, 0.1, 10.0])
            out += [fa.Twist(speed * rng.normal(size=3), speed * rng.normal(size=3), frame="tip")] * n
    return out[:count]


def off(P, T):
    """How far two poses are apart [m or rad]."""
    turn = P[:3, :3].T @ T[:3, :3]
    sine = 0.5 * np.linalg.norm([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    return max(np.linalg.norm(P[:3, 3] - T[:3, 3]), np.arctan2(sine, 0.5 * (np.trace(turn) - 1.0)))


def keeps_bounds(servo, Q, q0):
    """Whether no joint exceeds its speed or its acceleration, by differences of what came out."""
    v = np.diff(np.vstack([q0, Q]), axis=0) * servo.rate
    a = np.diff(np.vstack([np.zeros(len(q0)), v]), axis=0) * servo.rate
    digits = 4.0 * np.finfo(float).eps * max(1.0, np.abs(Q).max())  # of joint values, which differences magnify
    assert np.isfinite(Q).all()
    assert (np.abs(v) <= servo.velocity_limits * (1 + 1e-12) + digits * servo.rate).all()
    return (np.abs(a) <= servo.acceleration_limits * (1 + 1e-8) + 2 * digits * servo.rate**2).all()


@compiled
@settings(max_examples=12, deadline=None)
@given(
    name=st.sampled_from(ARMS),
    rate=st.sampled_from([1, 7, 60, 333, 1000, 10000]),
    seed=st.integers(0, 2**32 - 1),
    spread=st.sampled_from([0.0, 1.0, 4.0]),
    smoothing=st.sampled_from(["auto", None, 0.05, 1e10]),
)
def test_following_means_on_the_target_and_no_bound_is_broken(name, rate, seed, spread, smoothing):
    arm, rng = arm_of(name), np.random.default_rng(seed)
    q0 = rng.uniform(np.maximum(arm.limits[0], -np.pi), np.minimum(arm.limits[1], np.pi))
    speeds, hard = (b * 10.0 ** rng.uniform(-spread, spread, arm.n) for b in (2.0, 10.0))
    servo = arm.servo(q0, rate, velocity=speeds, acceleration=hard, smoothing=smoothing)
    Q = []
    for target in stream(arm, rng, rate, 500):
        Q.append(servo(target))
        if servo.status == "following" and off(arm.fk(Q[-1]), servo.target) > 1e-6 + HAIR:
            assert smoothing is not None
            assert np.abs(servo._rows[GOAL] - Q[-1]).max() <= MOST
    assert keeps_bounds(servo, np.array(Q), q0)
    assert ((arm.limits[0] <= Q) & (arm.limits[1] >= Q)).all()


@pytest.mark.parametrize("how", [{"acceleration": 1e-9}, {"velocity": 1e-9}, {"smoothing": 1e10}, {"smoothing": 0.5}])
def test_an_arm_that_is_far_off_never_follows(how):
    arm = fa.load("ur5")
    servo, T = arm.servo(START, 100, **how), arm.fk(START + 0.2)
    words = set()
    for _ in range(60):
        servo(T)
        words.add(servo.status)
    assert words == {"limited"}
    assert servo.reason.startswith("smoothing" if "smoothing" in how else "")


def test_a_step_that_stands_is_no_noise_and_followed_only_on_arrival():
    arm = fa.load("ur5")
    servo, T = arm.servo(START), arm.fk(START + 0.01)
    for _ in range(300):
        left = off(arm.fk(servo(T)), T)
        assert servo.status == ("following" if left < 1e-9 else "limited") or 1e-9 <= left < 1e-6
    assert servo.status == "following"


@pytest.mark.parametrize("told", ["nothing", "target", "stop"])
@pytest.mark.parametrize("guarded", [False, True])
def test_a_joint_synced_too_fast_before_its_limit_comes_back_inside(told, guarded):
    arm, q, v = fa.load("ur5"), START.copy(), np.zeros(6)
    q[2], v[2] = 1.999, 1.0
    how = {"limits": {arm.joint_names[2]: (-2.0, 2.0)}, "acceleration": 10.0}
    how |= {"obstacles": [fa.Sphere([5.0, 0, 0], 0.1)], "self_collision": False} if guarded else {}
    servo = arm.servo(START, 200, **how)
    if told == "target":
        servo(arm.fk(START))
    servo.sync(q, v)
    if told == "stop":
        servo.stop()
    Q = np.array([servo(None) for _ in range(400)])
    a = np.diff(np.vstack([q - v / 200, q, Q])[:, 2], 2) * 200**2
    assert Q[:, 2].max() > 2.01  # it could not stop in time
    assert Q[-1, 2] <= 2.0
    assert np.abs(a).max() <= 10.0 * (1 + 1e-8)
    servo.reset()


@pytest.mark.parametrize("told", ["nothing", "held", "stop"])
def test_an_arm_put_nearer_to_an_obstacle_than_its_clearance_stands_still_until_it_is_driven(told):
    arm = fa.load("ur5")
    T = arm.fk(START)
    ball = fa.Sphere(T[:3, 3] + [0.0, 0.0, 0.09], 0.05)
    servo = arm.servo(START, 100, obstacles=[ball], clearance=0.05, self_collision=False)
    if told != "nothing":
        servo(T)
        servo.sync(START)
    if told == "stop":
        servo.stop()
    Q = np.array([servo(T if told == "stop" else None) for _ in range(60)])
    assert np.abs(Q - START).max() < 1e-12
    assert servo.status == ("held" if told == "stop" else "lost")
    servo.reset()
    before = arm.clearance(START, [ball], self_collision=False).distance
    for _ in range(200):
        q = servo(T)
    assert servo.status == "limited"
    assert " m from " in servo.reason
    assert arm.clearance(q, [ball], self_collision=False).distance > max(before, 0.05)
