"""What an arm was put too near to is left, and nothing comes nearer on the way: judged by coal, gap by gap.

The judge places every capsule by products of matrices in plain numpy, and looks between ticks as well.
"""

from itertools import pairwise

import numpy as np
import pytest

import forearm as fa

pytest.importorskip("coal")
import coal_judge

pytestmark = pytest.mark.compiled

START = np.array([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
STARTS = {"ur5": START, "panda": np.array([0.0, -0.3, 0.2, -1.8, 0.0, 1.6, 0.7])}
CLEARANCE = 0.01  # of obstacles, and of links from each other [m]
CLOSE = 1e-5  # of the judge's depths, which it finds step by step [m]
BETWEEN = 2  # looks a tick


class Judge:
    """The gaps of an arm's bodies from obstacles, and of its pairs from each other."""

    def __init__(self, arm, obstacles, own=True):
        rows = arm.geometry.bodies
        self.model, self.rows, self.frames = arm.model, rows, rows[:, 0].astype(int)
        self.held = np.flatnonzero((rows[:, 8] == 1.0) & (rows[:, 0] >= 0.0))
        self.pairs = [(a, b) for a, b in arm.geometry.pairs.tolist() if own]
        self.obstacles = [coal_judge.shape(item) for item in obstacles]

    def placed(self, q):
        """Every capsule where it is."""
        T, frames, model = np.eye(4), [], self.model
        for link, (slides, variable, ratio) in zip(model.links[:-1], model.joints, strict=True):
            T, value = T @ np.vstack([link, [0, 0, 0, 1]]), ratio * q[int(variable)]
            c, s = (1.0, 0.0) if slides else (np.cos(value), np.sin(value))
            T = T @ np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, value if slides else 0.0], [0, 0, 0, 1]])
            C = model.links[len(frames) + 1]
            a = np.arctan2(C[0, 2], -C[1, 2])  # bodies stand in frames turned so about z
            turn = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
            frames.append((T[:3, :3] @ turn, T[:3, 3]))
        frames.append((np.eye(3), np.zeros(3)))  # of what stands with the base
        out = []
        for row, frame in zip(self.rows, self.frames, strict=True):
            R, o = frames[frame]
            p = R @ row[1:4] + o
            out.append(coal_judge.capsule(p, p + R @ row[4:7], row[7]))
        return out

    def gaps(self, q):
        """One gap for each body and obstacle, then one for each pair."""
        placed = self.placed(q)
        found = [coal_judge.distance(placed[b], other) for b in self.held for other in self.obstacles]
        return np.array(found + [coal_judge.distance(placed[a], placed[b]) for a, b in self.pairs])

    def is_kept(self, Q):
        """Whether no gap below what is kept shrinks from one tick to the next, and no other falls below it."""
        before = self.gaps(Q[0])
        for q, after in pairwise(Q):
            floor = np.minimum(before, CLEARANCE)
            for share in np.linspace(0.0, 1.0, BETWEEN + 1)[1:]:
                before = self.gaps(q + share * (after - q))
                lost = (floor - before).max(initial=0.0)
                assert lost < CLOSE, f"{lost:.2g} m nearer"
        return True


def drive(servo, targets):
    """The joint values in front of the first tick, and of every tick."""
    return np.array([servo.q, *(servo(target) for target in targets)])


def across(T, way):
    """A pose moved by a way in the base frame."""
    out = T.copy()
    out[:3, 3] += way
    return out


def side_of(arm, q, body, gap, rng, radius=0.05):
    """A sphere with a gap from a body, on a side that the others leave free, and the way to it."""
    judge = Judge(arm, [])
    while True:
        _, place = judge.placed(q)[body]
        n = rng.normal(size=3)
        n -= place.getRotation()[:, 2] * (n @ place.getRotation()[:, 2])
        n /= np.linalg.norm(n)
        ball = fa.Sphere(place.getTranslation() + (judge.rows[body, 7] + gap + radius) * n, radius)
        if (np.sort(Judge(arm, [ball], own=False).gaps(q))[:2] > [gap - 1e-6, gap + 1e-3]).all():
            return ball, n


def test_an_arm_that_was_put_too_near_does_not_pass_through_a_thin_plate():
    arm, plate_at = fa.load("ur5"), 0.06
    T = arm.fk(START)
    last = Judge(arm, []).placed(START)[-1][1].getTranslation()
    near = fa.Sphere(last - np.array([0.0, 0.1, 0.0]), 0.055)  # too near by some millimetres
    plate = fa.Box(last + np.array([0.0, 0.0404 + plate_at, 0.0]), [2.0, 0.002, 2.0])
    judge = Judge(arm, [near, plate])
    for rate in (1000, 20):
        servo = arm.servo(START, rate, obstacles=[near, plate], clearance=CLEARANCE, velocity=10.0, acceleration=300.0)
        assert judge.is_kept(drive(servo, [across(T, [0.0, 0.4, 0.0])] * rate))


@pytest.mark.parametrize("name", STARTS)
@pytest.mark.parametrize("rate", [1000, 60])
def test_of_two_links_too_near_none_comes_nearer_while_the_other_leaves(name, rate):
    arm, rng = fa.load(name).with_geometry(radius=0.045), np.random.default_rng(rate)
    q0 = STARTS[name]
    T, held = arm.fk(q0), Judge(arm, []).held
    for _ in range(6):
        one, other = rng.choice(held[1:], 2, replace=False)
        balls = [side_of(arm, q0, one, 0.003, rng)[0], side_of(arm, q0, other, 0.007, rng)[0]]
        servo = arm.servo(q0, rate, obstacles=balls, clearance=CLEARANCE)
        target = across(T, rng.normal(0.0, 0.2, 3))
        assert Judge(arm, balls).is_kept(drive(servo, [target] * (rate // 4)))


@pytest.mark.parametrize("seed", range(6))
def test_links_put_on_each_other_come_apart_and_no_others_come_nearer(seed):
    arm, rng = fa.load("ur5").with_geometry(radius=0.06), np.random.default_rng(seed)
    judge = Judge(arm, [])
    while True:  # links too near to each other, but not with their axes
        q0 = rng.uniform(-np.pi, np.pi, 6)
        if -0.08 < judge.gaps(q0).min() < 0.005:
            break
    servo = arm.servo(q0, 500, self_collision=True, clearance=CLEARANCE)
    target = arm.fk(rng.uniform(-np.pi, np.pi, 6))
    Q = drive(servo, [target] * 500)
    assert judge.is_kept(Q)
    assert (judge.gaps(Q[-1]) > CLEARANCE).all()


@pytest.mark.parametrize("rate", [1000, 100, 10])
def test_an_arm_at_speed_brakes_as_hard_as_it_can_then_leaves(rate):
    arm, rng = fa.load("ur5"), np.random.default_rng(2)
    body = int(Judge(arm, []).held[-1])
    ball, n = side_of(arm, START, body, 0.005, rng)
    v = 0.3 * np.linalg.pinv(arm.jacobian(START)[:3]) @ n
    servo = arm.servo(START, rate, obstacles=[ball], clearance=CLEARANCE, self_collision=False)
    T = arm.fk(START)
    servo(T)
    servo.sync(START, v)
    Q = drive(servo, [T] * 2 * rate)
    speed = np.vstack([v, np.diff(Q, axis=0) * rate])
    ticks = int(np.ceil(np.abs(v).max() / (10.0 / rate)))
    for i in range(ticks):
        np.testing.assert_allclose(speed[i], v * max(0.0, 1.0 - i / ticks), atol=1e-9)
    judge = Judge(arm, [ball], own=False)
    assert judge.is_kept(Q[ticks:])
    assert judge.gaps(Q[-1]).min() > CLEARANCE


@pytest.mark.parametrize("name", STARTS)
@pytest.mark.parametrize("rate", [1000, 60])
@pytest.mark.parametrize("gap", [CLEARANCE - 0.005, -0.02])
def test_a_sphere_put_too_near_or_into_the_arm_is_left_within_a_second(name, rate, gap):
    arm, rng = fa.load(name), np.random.default_rng(4)
    q0, left = STARTS[name], 0
    for body in Judge(arm, []).held[1:]:
        ball, _ = side_of(arm, q0, body, gap, rng)
        servo, judge = arm.servo(q0, rate, obstacles=[ball], clearance=CLEARANCE), Judge(arm, [ball])
        T = arm.fk(q0)
        Q = drive(servo, [T] * rate)
        assert judge.is_kept(Q)
        assert servo.status == "limited"
        left += (judge.gaps(Q[-1]) > CLEARANCE).all()
    assert left == len(Judge(arm, []).held) - 1


def test_an_arm_that_nothing_drives_goes_no_nearer_and_does_not_back_off():
    arm, rng = fa.load("ur5"), np.random.default_rng(5)
    ball, n = side_of(arm, START, int(Judge(arm, []).held[-1]), 0.005, rng)
    servo, judge = arm.servo(START, 200, obstacles=[ball], clearance=CLEARANCE), Judge(arm, [ball])
    Q = drive(servo, [None] * 100)
    np.testing.assert_array_equal(Q, np.broadcast_to(START, Q.shape))
    servo(across(arm.fk(START), 0.2 * n))
    assert judge.is_kept(drive(servo, [None] * 300))


def test_an_arm_between_walls_stands_still_and_says_so():
    arm = fa.load("ur5")
    p = Judge(arm, []).placed(START)[-1][1].getTranslation()
    walls = {}
    for axis, side in np.ndindex(3, 2):
        at, size = p.copy(), np.full(3, 0.5)
        at[axis] += (0.05, -0.05)[side]
        size[axis] = 0.002
        walls[f"wall {axis}{side}"] = fa.Box(at, size)
    judge = Judge(arm, list(walls.values()))
    servo = arm.servo(START, 100, obstacles=walls, clearance=CLEARANCE)
    Q = drive(servo, [across(arm.fk(START), [0.1, 0.1, 0.1])] * 200)
    assert judge.is_kept(Q)
    assert np.abs(servo.velocity).max() < 1e-3
    assert servo.status == "limited"
    assert "wall" in servo.reason
