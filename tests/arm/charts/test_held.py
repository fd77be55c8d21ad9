"""Arms whose links are held apart by charts, as users meet them: what is held, told, solved and passed."""

import math
from itertools import pairwise

import numpy as np
import pytest

import forearm as fa
from forearm.common.kept import VARIABLE
from forearm.core.arm.kinematics import fk_frames
from forearm.core.collision.bodies import OWN_MOST

coal = pytest.importorskip("coal")
pytestmark = pytest.mark.compiled  # which links may touch is found out in 3,000 configurations, and charts are made

# A thick upper arm, a wrist of two joints, and a hand whose capsules mostly touch the upper arm's: the true boxes do so
# only where the wrist is bent back.
BOXES = {"base": (0.2, 0.2, 0.1, -0.05), "upper": (0.16, 0.16, 0.4, 0.2), "hand": (0.05, 0.26, 0.2, 0.16)}
JOINTS = [("base", "upper", "0 0 0.12", "0 1 0"), ("upper", "bend", "0.0 0 0.46", "0 1 0"),
          ("bend", "hand", "0.02 0 0.03", "0 0 1")]  # fmt: skip


@pytest.fixture(scope="module")
def arm():
    ball = '<collision><geometry><sphere radius="0.01"/></geometry></collision>'
    links = f'<link name="bend">{ball}</link>'  # so that upper arm and hand do not share a joint
    for name, (x, y, z, up) in BOXES.items():
        size = f'<box size="{x} {y} {z}"/>'
        links += (
            f'<link name="{name}"><collision><origin xyz="0 0 {up}"/><geometry>{size}</geometry></collision></link>'
        )
    joints = "".join(
        f'<joint name="j{k}" type="revolute"><parent link="{parent}"/><child link="{child}"/><origin xyz="{at}"/>'
        f'<axis xyz="{axis}"/><limit lower="-2.9" upper="2.9"/></joint>'
        for k, (parent, child, at, axis) in enumerate(JOINTS)
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, "")
        robot = fa.Robot.from_urdf(f'<robot name="folding">{links}{joints}</robot>')
        _ = robot._prepared.charted
    return robot


def true_distances(robot, Q):
    """(N,) how far hand and upper arm are apart by their boxes; negative where they touch."""
    found, frames = np.empty(len(Q)), np.empty((robot.n + 1, 4, 4))
    shapes = [next(shape for shape in robot.model.shapes if shape.link == link) for link in ("upper", "hand")]
    for i, q in enumerate(Q):
        fk_frames(robot.model.links, robot.model.joints, q, frames)
        placed = []
        for shape in shapes:
            T = frames[shape.frame] @ shape.pose
            placed += [coal.Box(*shape.size), coal.Transform3s(T[:3, :3].copy(), T[:3, 3].copy())]
        found[i] = coal.distance(*placed, coal.DistanceRequest(), coal.DistanceResult())
    return found


def test_what_the_chart_tells_of_is_listed_as_held(arm):
    geometry = arm._prepared.charted
    assert ("upper", "hand") in geometry.checked
    assert geometry.charted == (("upper", "hand"),)
    assert ("upper", "hand") not in geometry.left_out


def test_clearance_is_positive_only_where_links_do_not_touch(arm):
    Q = arm.sample(500, 3)
    true, told = true_distances(arm, Q), arm.clearance(Q).distance
    assert 0.05 < (true <= 0.0).mean() < 0.95
    assert (told[true <= 0.0] <= 0.0).all()


def test_clearance_is_never_more_than_the_true_distance(arm):
    Q = arm.sample(300, 3)
    assert (arm.clearance(Q).distance <= np.maximum(true_distances(arm, Q), 0.0) + 1e-6).all()


def test_a_posture_that_touches_is_told_by_name_without_a_depth(arm):
    """How deep boxes of a chart are is not known."""
    Q = arm.sample(300, 4)
    closest = arm.clearance(Q[int(np.argmin(true_distances(arm, Q)))])
    assert {closest.link, closest.other} == {"upper", "hand"}
    assert closest.obstacle is None
    assert " m into" not in str(closest)
    assert str(closest) == "link 'hand' touches link 'upper'"


def test_answers_do_not_touch_and_keep_what_is_asked(arm):
    points = arm.fk(arm.sample(40, 6))[:, :3, 3]
    goals = [fa.Position(point) for point in points]
    answers = [arm.solve(goal, self_collision=True, clearance=OWN_MOST) for goal in goals]
    free = np.array([answer.q for answer in answers if answer.success])
    assert len(free) > 15
    assert (true_distances(arm, free) >= OWN_MOST - 1e-6).all()
    batch = arm.solve_batch(fa.Position.many(points), self_collision=True)
    assert (true_distances(arm, batch.q[batch.success]) > 0.0).all()


def test_ways_that_are_free_do_not_touch_anywhere(arm):
    ends, free = arm.sample(120, 8).reshape(-1, 2, arm.n), 0
    for qa, qb in ends:
        if arm.is_free_between(qa, qb, clearance=0.0):
            free += 1
            assert (true_distances(arm, np.linspace(qa, qb, 200)) > 0.0).all()
    assert free > 3


def test_self_collision_may_be_left_out(arm):
    Q = arm.sample(300, 4)
    q = Q[int(np.argmin(true_distances(arm, Q)))]
    assert arm.clearance(q, self_collision=False).distance == math.inf
    assert arm.is_free_between(q, q, self_collision=False)
    assert not arm.is_free_between(q, q)


def test_rounding_beyond_a_limit_makes_no_charts_anew(arm):
    tables, (lower, upper) = arm._prepared, arm.model.limits
    assert tables.geometry_for(np.array([lower - 1e-12, upper + 1e-12]), True) is tables.charted
    assert arm.is_free_between(upper * [0.0, 0.0, 1.0], upper * [0.0, 0.0, 1.0] + [0.0, 0.0, 1e-13])


def test_a_track_stops_before_links_touch(arm):
    """Its points lead the hand into the upper arm; none of those it reached touches, nor what lies between them."""
    Q = np.linspace([0.0, 0.0, 0.0], [0.0, 2.85, 0.0], 60)
    assert true_distances(arm, Q[-1:])[0] <= 0.0
    track = arm.track(fa.Position.many(arm.fk(Q)[:, :3, 3]), Q[0], self_collision=True, clearance=0.0)
    reached = track.q[np.isfinite(track.q).all(axis=1)]
    assert len(reached) > 10
    for qa, qb in pairwise(reached):
        assert (true_distances(arm, np.linspace(qa, qb, 20)) > 0.0).all()


@pytest.mark.parametrize(("clearance", "where"), [(0.01, ""), (OWN_MOST, " a little farther on")])
def test_a_servo_brakes_before_links_are_too_near(arm, clearance, where):
    asked = {"velocity": 2.0, "acceleration": 10.0, "self_collision": True, "clearance": clearance}
    servo = arm.servo(np.zeros(3), rate=500, **asked)
    goal = fa.Position(arm.fk([0.0, 2.85, 0.0])[:3, 3])
    seen = np.array([servo(goal) for _ in range(2000)])
    assert (true_distances(arm, seen[::5]) >= clearance).all()
    assert np.abs(seen[:, 1]).max() > 0.3
    assert servo.status == "limited"
    assert servo.reason.startswith("link 'hand' ")
    assert servo.reason.endswith(f" link 'upper'{where}")


def pair_gaps_are_wide(robot, q):
    """Whether hand and upper arm alone touch: the hand is not in the base as well."""
    frames = np.empty((robot.n + 1, 4, 4))
    fk_frames(robot.model.links, robot.model.joints, q, frames)
    hand = next(shape for shape in robot.model.shapes if shape.link == "hand")
    return (frames[hand.frame] @ hand.pose)[2, 3] > 0.25


def test_links_that_a_servo_finds_touching_come_apart_and_stay_so(arm):
    rng = np.random.default_rng(8)
    Q = arm.sample(400, 8)
    Q = Q[true_distances(arm, Q) < 0.0]
    Q = [q for q in Q if pair_gaps_are_wide(arm, q)][:15]
    assert len(Q) == 15
    for q in Q:
        servo = arm.servo(q, rate=250, velocity=3.0, acceleration=20.0, self_collision=True)
        goal = arm.fk(rng.uniform(-2.5, 2.5, 3))
        seen = np.array([q, *(servo(goal) for _ in range(500))])
        apart = true_distances(arm, seen) > 0.0
        assert apart[-1], servo.reason
        assert apart[np.argmax(apart) :].all()


def test_links_that_touch_stay_as_they_are_while_nothing_drives_the_servo(arm):
    Q = arm.sample(200, 9)
    for q in Q[true_distances(arm, Q) < 0.0][:5]:
        servo = arm.servo(q, rate=250, velocity=3.0, self_collision=True)
        assert all((servo(None) == q).all() for _ in range(100))
