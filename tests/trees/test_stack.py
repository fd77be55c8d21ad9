"""Goals of several tips: every answer is judged by Pinocchio, every miss has a sentence."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

import forearm as fa
from forearm.errors import ModelError, OptionError, TargetError
from forearm.goals import CenterOfMass, Cost, Goal, LookAt, Posture, Relative, Still

sys.path.insert(0, str(Path(__file__).parent))  # for tree_robots.py, which is no test
from tree_robots import Judge, off, two_arms

URDF = two_arms()
TOL = 1e-6


@pytest.fixture(scope="module")
def tree():
    return fa.Tree.from_urdf(URDF)


@pytest.fixture(scope="module")
def judge():
    return Judge(URDF)


def hands(tree, q):
    """Reachable poses of both hands."""
    return {link: tree.fk(q, link) for link in ("left_hand", "right_hand")}


def test_links_are_where_pinocchio_says(tree, judge):
    for q in tree.sample(3, rng_seed=1):
        named = dict(zip(tree.joint_names, q, strict=True))
        for link in ("left_hand", "right_hand", "head"):
            assert np.allclose(tree.fk(q, link), judge.pose(named, link), atol=1e-12)
        assert np.allclose(tree.centre_of_mass(q), judge.centre(named), atol=1e-12)


def test_both_hands_reach_their_poses(tree, judge):
    stack = tree.stack({link: np.eye(4) for link in ("left_hand", "right_hand")})
    for q in tree.sample(4, rng_seed=2):
        goals = hands(tree, q)
        for link, T in goals.items():
            stack[link] = T
        found = stack.solve()
        assert found.success
        assert set(found.errors) == set(goals)
        for link, T in goals.items():
            assert max(off(judge.pose(found.as_dict(), link), T)) <= TOL
        assert (found.q >= tree.limits[0]).all()
        assert (found.q <= tree.limits[1]).all()


def test_a_start_near_the_answer_leads_to_a_near_answer(tree):
    q = 0.5 * tree.sample(1, rng_seed=3)[0]
    found = tree.solve(hands(tree, q), q0=np.clip(q + 0.02, *tree.limits))
    assert found.success
    assert found.tries == 1
    assert np.abs(found.q - q).max() < 0.5


def test_kinds_of_goals_together(tree, judge):
    q = 0.6 * tree.sample(1, rng_seed=4)[0]
    named = dict(zip(tree.joint_names, q, strict=True))
    left, right, head = (tree.fk(q, link) for link in ("left_hand", "right_hand", "head"))
    point = head[:3, 3] + 1.2 * head[:3, 0]
    goals = [
        Goal("left_hand", fa.PointAxis(left[:3, 3], left[:3, 2])),
        Relative("right_hand", "left_hand", np.linalg.inv(left) @ right),
        LookAt("head", point),
        CenterOfMass(judge.centre(named)[:2]),
        Posture(np.zeros(tree.n), weight=1e-4),
    ]
    found = tree.solve(goals, q0=np.clip(q + 0.05, *tree.limits))
    assert found.success, found.reason
    there = found.as_dict()
    T = judge.pose(there, "left_hand")
    assert np.linalg.norm(T[:3, 3] - left[:3, 3]) <= TOL
    assert np.linalg.norm(np.cross(T[:3, 2], left[:3, 2])) <= TOL
    between = np.linalg.inv(T) @ judge.pose(there, "right_hand")
    assert max(off(between, np.linalg.inv(left) @ right)) <= TOL
    eye = judge.pose(there, "head")
    ray = (point - eye[:3, 3]) / np.linalg.norm(point - eye[:3, 3])
    assert np.linalg.norm(np.cross(eye[:3, 0], ray)) <= TOL
    assert np.linalg.norm((judge.centre(there) - judge.centre(named))[:2]) <= TOL


def test_a_free_base_goes_where_the_goals_are():
    tree, judge = fa.Tree.from_urdf(URDF, base="free"), Judge(URDF, free=True)
    q = tree.sample(1, rng_seed=5)[0]
    base = fa.Pose([3.0, -2.0, 1.0], rpy=(0.4, -0.7, 2.0)).goal
    goals = {link: tree.fk(q, link, base) for link in ("left_hand", "right_hand", "head")}
    found = tree.solve(goals)
    assert found.success, found.reason
    for link, T in goals.items():
        assert max(off(judge.pose(found.as_dict(), link, found.base), T)) <= TOL


def test_a_base_drives_to_its_goals():
    tree = fa.Tree.from_urdf(URDF, base="planar")
    assert tree.joint_names[:3] == ("base/x", "base/y", "base/yaw")
    q = tree.sample(1, rng_seed=6)[0]
    q[:3] = 4.0, -7.0, 2.0
    goals = hands(tree, q)
    found = tree.solve(goals)
    assert found.success, found.reason
    for link, T in goals.items():
        assert max(off(tree.fk(found.q, link), T)) <= 2 * TOL


def test_a_rail_has_one_more_joint_with_the_limits_given():
    tree = fa.Tree.from_urdf(URDF, base="rail", limits={"base/x": (-1.0, 2.0)})
    assert tree.joint_names[0] == "base/x"
    assert tree.limits[:, 0].tolist() == [-1.0, 2.0]


def test_a_joint_that_follows_another_arms_is_solved_for():
    urdf = two_arms(follower=True)
    tree, judge = fa.Tree.from_urdf(urdf), Judge(urdf)
    assert "right_j4" not in tree.joint_names
    q = tree.sample(1, rng_seed=7)[0]
    goals = {"left_hand": tree.fk(q, "left_hand"), "right_hand": fa.Position(tree.fk(q, "right_hand")[:3, 3])}
    found = tree.solve(goals)
    assert found.success, found.reason
    there = found.as_dict() | {"right_j4": -found.as_dict()["left_j4"]}
    assert max(off(judge.pose(there, "left_hand"), goals["left_hand"])) <= TOL


@pytest.mark.compiled
def test_goals_that_share_nothing_go_to_the_serial_solver():
    joints = [f"{side}_j{k}" for side in ("left", "right") for k in range(6)]
    tree = fa.Tree.from_urdf(URDF, joints=joints)
    q = tree.sample(1, rng_seed=8)[0]
    stack = tree.stack(hands(tree, q))
    assert [len(part.names) for part in stack.parts] == [1, 1]
    found = stack.solve()
    assert found.success, found.reason
    for link, T in hands(tree, q).items():
        assert max(off(tree.fk(found.q, link), T)) <= 2 * TOL


# -- levels ------------------------------------------------------------------------------------------


def test_three_levels_keep_the_first_to_its_tolerance(tree):
    q = 0.5 * tree.sample(1, rng_seed=9)[0]
    poses = hands(tree, q)
    far = poses["right_hand"][:3, 3] + [0.0, -3.0, 0.0]
    goals = [
        Goal("left_hand", poses["left_hand"]),
        Goal("right_hand", fa.Position(far), level=2),
        LookAt("head", [3.0, 0.0, 1.0], level=3),
    ]
    found = tree.solve(goals)
    assert not found.success
    assert found.errors["left_hand"].met
    assert max(off(tree.fk(found.q, "left_hand"), poses["left_hand"])) <= 2 * TOL
    assert 1.0 < found.errors["right_hand"].position < 3.0
    assert found.errors["head"].met
    assert "'right_hand'" in found.reason


# -- what is missed, in words ------------------------------------------------------------------------


def test_a_point_beyond_its_chain_is_told_with_both_lengths(tree):
    found = tree.solve({"left_hand": fa.Position([9.0, 0.0, 0.0])})
    assert found.status is fa.Status.OUT_OF_REACH
    assert "out of reach of its chain" in found.missed["left_hand"]
    assert not found
    with pytest.raises(fa.ForearmError, match="out of reach"):
        found.raise_if_failed()


@pytest.mark.compiled
def test_goals_in_conflict_name_each_other(tree):
    q = 0.3 * tree.sample(1, rng_seed=11)[0]
    T = tree.fk(q, "left_hand")
    goals = [Goal("left_hand", T), Goal("left_hand", fa.Position(T[:3, 3] + [0.0, 0.0, 0.2]), name="higher")]
    found = tree.solve(goals)
    assert not found.success
    assert "in conflict with 'higher': both move one rigid part, 0.2 m" in found.missed["left_hand"]


@pytest.mark.compiled
def test_joints_at_their_limits_are_named():
    tree = fa.Tree.from_urdf(URDF, limits={f"left_j{k}": (0.0, 0.1) for k in range(6)} | {"turn": (0.0, 0.1)})
    T = tree.fk(np.clip(np.full(tree.n, 0.05), *tree.limits), "left_hand")
    found = tree.stack([Goal("left_hand", fa.Position(T[:3, 3] - [0.2, 0.2, 0.2])), Still("pan")]).solve()
    assert found.status is fa.Status.LIMITS
    assert "stand at their limits" in found.reason
    assert found.held


def test_what_is_wrong_is_refused_by_name(tree):
    with pytest.raises(OptionError, match="left_hadn"):
        tree.solve({"left_hadn": np.eye(4)})
    with pytest.raises(OptionError, match="base is 'flying'"):
        fa.Tree.from_urdf(URDF, base="flying")
    with pytest.raises(OptionError, match="joint 'elbow'"):
        fa.Tree.from_urdf(URDF, joints=["elbow"])
    with pytest.raises(TargetError, match="axis by axis"):
        Goal("left_hand", fa.Pose(np.eye(4), tol=[1e-3] * 6))
    with pytest.raises(OptionError, match="level"):
        Goal("left_hand", np.eye(4), level=0)
    with pytest.raises(OptionError, match="outside its limits"):
        tree.solve({"left_hand": np.eye(4)}, q0=np.full(tree.n, 9.0))
    with pytest.raises(OptionError, match="takes 16 joint values"):
        tree.solve({"left_hand": np.eye(4)}, q0=[0.0])
    with pytest.raises(AttributeError, match="cannot be changed"):
        tree.body = None


def test_loops_are_refused_by_name():
    mjcf = """<mujoco model="loop"><worldbody><body name="a"><joint name="ja"/><geom size="0.1"/>
      <body name="b" pos="0 0 1"><joint name="jb"/><geom size="0.1"/></body></body></worldbody>
      <equality><connect name="shut" body1="b" body2="world" anchor="0 0 0"/></equality></mujoco>"""
    pytest.importorskip("mujoco")
    with pytest.raises(ModelError, match="shut"):
        fa.Tree.from_mjcf(mjcf)
    open_one = fa.Tree.from_mjcf(mjcf.replace("<equality>", "<!--").replace("</equality>", "-->"))
    assert open_one.joint_names == ("ja", "jb")
    assert open_one.centre_of_mass([0.0, 0.0]) == pytest.approx([0.0, 0.0, 0.5])


# -- still, costs, supports --------------------------------------------------------------------------


def test_joints_that_stand_still_do_not_move(tree):
    q = 0.4 * tree.sample(1, rng_seed=12)[0]
    named = tree.joint_names.index("turn")
    stack = tree.stack([Goal("left_hand", fa.Position(tree.fk(q, "left_hand")[:3, 3])), Still("turn")])
    start = np.clip(q + 0.1, *tree.limits)
    found = stack.solve(start)
    assert found.success, found.reason
    assert found.q[named] == start[named]
    fixed = tree.stack([Goal("left_hand", fa.Position(tree.fk(q, "left_hand")[:3, 3])), Still({"turn": 0.25})]).solve()
    assert fixed.q[named] == 0.25


@pytest.mark.compiled
def test_joints_of_no_goal_and_those_that_stand_still_do_not_move_where_a_lower_level_is_missed(tree):
    q = tree.sample(1, rng_seed=5)[0]
    far = fa.Position([9.0, 0.0, 0.0])
    goals = [Goal("left_hand", tree.fk(q, "left_hand")), Goal("head", far, level=2), Still(["turn"])]
    s = tree.stack(goals).solve(q)
    assert s.status is not fa.Status.SOLVED
    still = [k for k, name in enumerate(tree.joint_names) if name == "turn" or name.startswith("right")]
    assert np.array_equal(s.q[still], q[still])


def test_a_cost_falls_while_goals_stay_met(tree):
    q = 0.4 * tree.sample(1, rng_seed=13)[0]
    goal, elbow = Goal("left_hand", fa.Position(tree.fk(q, "left_hand")[:3, 3])), tree.joint_names.index("left_j2")
    plain = tree.solve([goal], q0=q)
    better = tree.solve([goal, Cost(lambda q: (q[elbow] - 1.5) ** 2, steps=4)], q0=q)
    assert better.success
    assert (better.q[elbow] - 1.5) ** 2 < (plain.q[elbow] - 1.5) ** 2


def test_a_cost_that_is_no_number_is_refused(tree):
    goals = [Goal("left_hand", tree.fk(tree.sample(1, rng_seed=3)[0], "left_hand")), Cost(lambda q: float("nan"))]
    with pytest.raises(OptionError, match=r"cost.*nan"):
        tree.solve(goals)


def test_the_centre_of_mass_stays_over_its_support(tree, judge):
    q = 0.3 * tree.sample(1, rng_seed=14)[0]
    feet = [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]]
    goals = [Goal("left_hand", fa.Position(tree.fk(q, "left_hand")[:3, 3])), CenterOfMass(support=feet, margin=0.02)]
    found = tree.solve(goals, q0=q)
    assert found.success, found.reason
    assert np.abs(judge.centre(found.as_dict())[:2]).max() <= 0.08 + TOL


# -- many, paths, servos -----------------------------------------------------------------------------


def test_a_batch_gives_the_bits_of_single_solves(tree):
    Q = tree.sample(3, rng_seed=15)
    stack = tree.stack({"left_hand": np.eye(4), "right_hand": np.eye(4)})
    goals = {link: np.array([tree.fk(q, link) for q in Q]) for link in stack.names}
    many = stack.solve_batch(goals)
    assert many.success.all() or os.environ.get("NUMBA_DISABLE_JIT") == "1"  # as Python it has fewer tries
    for i in range(len(Q)):
        for link in stack.names:
            stack[link] = goals[link][i]
        single = stack.solve(explain=False)
        assert single.success == many.success[i]
        assert (single.q == many.q[i]).all()


def test_a_batch_takes_many_points_as_arms_do(tree):
    points = np.array([[0.4, 0.2, 0.5], [0.3, 0.3, 0.6], [9.0, 0.0, 0.0]])
    stack = tree.stack({"left_hand": fa.Position(points[0])})
    one_by_one = stack.solve_batch({"left_hand": [fa.Position(point) for point in points]})
    at_once = stack.solve_batch({"left_hand": fa.Position.many(points)})
    assert np.array_equal(at_once.q, one_by_one.q)
    assert at_once.success.tolist() == [True, True, False]
    assert stack.track({"left_hand": fa.Position.many(points[:2])}).met.all()


def test_a_batch_of_nothing_is_empty_and_each_pose_of_a_batch_is_checked(tree):
    stack = tree.stack(hands(tree, tree.sample(1, rng_seed=3)[0]))
    assert stack.solve_batch({"left_hand": np.zeros((0, 4, 4))}).q.shape == (0, tree.n)
    with pytest.raises(TargetError, match=r"rigid|reflection|rotation"):
        stack.solve_batch({"left_hand": np.array([np.eye(4), np.diag([1.0, 1.0, -1.0, 1.0])])})


def test_a_path_is_followed_without_jumps_and_jumps_are_named(tree):
    q = 0.3 * tree.sample(1, rng_seed=16)[0]
    start = hands(tree, q)
    stack = tree.stack(start)
    path = {link: np.repeat(T[None], 5, axis=0) for link, T in start.items()}
    path["left_hand"][:, 2, 3] += np.linspace(0.0, 0.02, 5)
    track = stack.track(path, q0=q, max_joint_step=0.2)
    assert track.success, track.reason
    assert np.abs(np.diff(track.q, axis=0)).max() <= 0.2
    far = hands(tree, np.clip(-q, *tree.limits))
    leap = {link: np.array([start[link], far[link]]) for link in start}
    jumpy = stack.track(leap, q0=q, max_joint_step=0.05)
    assert not jumpy.success
    assert jumpy.jumps[0].way_point == 1
    assert "jump by" in jumpy.reason


def test_a_servo_keeps_all_bounds_and_arrives(tree):
    q = 0.3 * tree.sample(1, rng_seed=17)[0]
    stack = tree.stack(hands(tree, q))
    goal = tree.fk(q, "left_hand").copy()
    goal[2, 3] += 0.01
    servo = stack.servo(q, rate=100, acceleration=5.0)
    speeds = [servo.velocity]
    before = q
    for _ in range(60):
        now = servo({"left_hand": goal})
        assert (np.abs(now - before) * 100 <= 2.0 + 1e-9).all()
        speeds.append((now - before) * 100)
        before = now
    assert (np.abs(np.diff(speeds, axis=0)) * 100 <= 5.0 + 1e-6).all()
    assert servo.met
    assert off(tree.fk(before, "left_hand"), goal)[0] < 1e-4


def test_a_goal_of_the_base_alone_is_met_by_a_base_that_floats():
    tree = fa.Tree.from_urdf(Path(__file__).parents[2] / "examples/humanoid.urdf", base="free")
    T = np.eye(4)
    T[:3, 3] = 0.5, -0.2, 0.9
    found = tree.solve({tree.body.root: T}, tree.body.rest)
    assert found.success
    np.testing.assert_allclose(found.base, T, atol=1e-6)
    np.testing.assert_allclose(found.q, tree.body.rest, atol=1e-9)
