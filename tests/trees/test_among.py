"""A whole robot among obstacles: answers judged by Pinocchio's frames and distances of balls in NumPy."""

import itertools
import sys
from pathlib import Path

import numpy as np
import pytest

import forearm as fa
from forearm.core.collision.bodies import World
from forearm.core.tree import layout as at
from forearm.core.tree.among import push, stand
from forearm.errors import OptionError
from forearm.goals import CenterOfMass, Cost, Goal, Still
from forearm.trees.collision import shapes
from forearm.trees.collision.among import guard_of

sys.path.insert(0, str(Path(__file__).parent))  # for tree_robots.py, which is no test
from tree_robots import AXES, Judge, link, off

TOL = 1e-6
BALLS = {"torso": ((0.0, 0.0, 0.2), 0.12)}
ARM = (("z", 0.05), ("y", 0.3), ("x", 0.0), ("y", 0.3))
for side in ("left", "right"):
    BALLS |= {f"{side}_1": ((0.0, 0.0, 0.15), 0.05), f"{side}_hand": ((0.0, 0.0, 0.05), 0.04)}


def balls_of(name):
    """The collision shape of a link: a ball, or none."""
    if name not in BALLS:
        return link(name)
    (x, y, z), radius = BALLS[name]
    ball = f'<collision><origin xyz="{x} {y} {z}"/><geometry><sphere radius="{radius}"/></geometry></collision>'
    return link(name).replace("</link>", f"{ball}</link>")


def robot():
    """The URDF of a torso with two arms of four joints, each with two balls."""
    text = balls_of("base") + balls_of("torso")
    text += '<joint name="mount" type="fixed"><parent link="base"/><child link="torso"/></joint>'
    for side, y in (("left", 0.15), ("right", -0.15)):
        parent = "torso"
        for k, (axis, up) in enumerate(ARM):
            child = f"{side}_{k}" if k < 3 else f"{side}_hand"
            xyz = f"0 {y} 0.4" if k == 0 else f"0 0 {up}"
            text += (
                f'{balls_of(child)}<joint name="{side}_j{k}" type="revolute"><parent link="{parent}"/>'
                f'<child link="{child}"/><origin xyz="{xyz}"/><axis xyz="{AXES[axis]}"/>'
                '<limit lower="-2.8" upper="2.8" effort="1" velocity="2"/></joint>'
            )
            parent = child
    return f'<robot name="balls">{text}</robot>'


URDF = robot()


@pytest.fixture(scope="module")
def judge():
    return Judge(URDF)


@pytest.fixture(scope="module", autouse=True)
def few_samples():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shapes, "SAMPLES", 60)
        yield


@pytest.fixture(scope="module")
def tree(few_samples):
    return fa.Tree.from_urdf(URDF)


def placed(judge, q, base=None):
    """Middle and radius of every ball."""
    found = {}
    for name, (centre, radius) in BALLS.items():
        T = judge.pose(q, name, base)
        found[name] = T[:3, :3] @ centre + T[:3, 3], radius
    return found


def nearest(judge, tree, q, obstacle=None):
    """The least gap of pairs that are looked at, and from one ball in the world; by pinocchio and NumPy."""
    balls = placed(judge, q)
    gaps = [
        np.linalg.norm(balls[a][0] - balls[b][0]) - balls[a][1] - balls[b][1] for a, b in tree.body.geometry.checked
    ]
    if obstacle is not None:
        centre, radius = obstacle
        gaps += [
            np.linalg.norm(middle - centre) - own - radius for name, (middle, own) in balls.items() if name != "torso"
        ]
    return min(gaps)


def hands(tree, q):
    return {name: fa.Position(tree.fk(q, name)[:3, 3]) for name in ("left_hand", "right_hand")}


def test_the_pairs_looked_at_are_those_that_no_joint_holds_together(tree):
    geometry = tree.body.geometry
    pairs = {frozenset(pair) for pair in geometry.checked}
    assert frozenset(("left_hand", "right_hand")) in pairs
    assert frozenset(("left_1", "right_1")) in pairs
    assert geometry.left_out[("torso", "left_1")] == "far apart"  # two joints part them, and few samples are drawn
    assert geometry.source == "the collision shapes of its file"


@pytest.mark.parametrize("given", ["allow", "srdf"])
def test_links_that_a_user_lets_touch_may_do_so(tree, judge, given):
    pair = ("left_hand", "right_hand")
    pairs = (("a", "b"), pair[::-1])  # one of links that are not there
    srdf = "".join(f'<disable_collisions link1="{one}" link2="{other}"/>' for one, other in pairs)
    other = tree.with_geometry(**{given: [pair] if given == "allow" else f"<robot>{srdf}</robot>"})
    assert other.body.geometry.left_out[pair] == "allowed"
    Q = tree.sample(4000, 3)
    balls = [placed(judge, dict(zip(tree.joint_names, q, strict=True))) for q in Q]
    deep = [np.linalg.norm(each[pair[0]][0] - each[pair[1]][0]) - 0.08 for each in balls]
    q = Q[int(np.argmin(deep))]
    assert min(deep) < 0.0
    assert {tree.clearance(q).link, tree.clearance(q).other} == set(pair)
    assert {other.clearance(q).link, other.clearance(q).other} != set(pair)
    assert (other.limits == tree.limits).all()


def test_links_of_another_robot_are_refused_where_pairs_are_allowed(tree):
    with pytest.raises(OptionError, match="link 'left_hnd' in the allow-list is not in balls; did you mean left_hand"):
        tree.with_geometry(allow=[("left_hnd", "torso")])
    with pytest.raises(OptionError, match=r"none of its links .* is in balls"):
        tree.with_geometry(srdf='<robot><disable_collisions link1="a" link2="b"/></robot>')


def test_distances_are_those_of_balls(tree, judge):
    centre = np.array([0.2, 0.3, 0.6])
    for q in tree.sample(6, rng_seed=1):
        named = dict(zip(tree.joint_names, q, strict=True))
        assert np.isclose(tree.clearance(q).distance, nearest(judge, tree, named), atol=1e-12)
        seen = tree.clearance(q, [fa.Sphere(centre, 0.1)])
        assert np.isclose(seen.distance, nearest(judge, tree, named, (centre, 0.1)), atol=1e-12)


@pytest.mark.parametrize("base", ["fixed", "free"])
def test_rows_are_the_slopes_of_gaps(base):
    tree = fa.Tree.from_urdf(URDF, base=base)
    guard = guard_of(tree.body, [fa.Sphere([0.3, 0.2, 0.7], 0.1)], 0.01, True)
    packed, (bodies, pairs, charts, rows) = guard.bare, guard.world
    q, T = tree.sample(1, rng_seed=2)[0], fa.Pose([0.1, 0.2, 0.3], rpy=(0.3, 0.2, 0.1)).goal
    names = list(guard.covered.names)
    hand, other = names.index("left_hand"), names.index("right_hand")
    T = T if base == "free" else np.eye(4)
    opened = at.open_tree(packed.numbers)
    room = at.open_room(opened, World(bodies, pairs, charts, rows, 0.01), np.zeros(shapes.scratch(packed, len(bodies))))
    x = shapes.standing(q[None], T)[0]

    def middle(b, x):
        stand(opened, room, x)
        return room.placed[b, :3].copy()

    a, b = middle(hand, x), middle(other, x)
    for pair, away in (((hand, -1), a - rows[0, 2:5]), ((hand, other), a - b)):
        n = away / np.linalg.norm(away)
        stand(opened, room, x)
        room.flags[at.COUPLED] = 0.0
        assert np.isclose(push(opened, room, 0.2, 1.0, pair, middle(hand, x), n), 0.04)
        row = room.J[0].copy()
        for k in range(tree.n):
            there = x.copy()
            there[k] += 1e-6
            moved = middle(hand, there) - (middle(other, there) if pair[1] >= 0 else rows[0, 2:5])
            slope = (np.linalg.norm(moved) - np.linalg.norm(away)) / 1e-6
            assert np.isclose(row[len(row) - tree.n + k], slope, atol=1e-5)
        if base == "free":
            assert np.allclose(row[:3], n if pair[1] < 0 else 0.0)
            assert np.allclose(row[3:6], np.cross(a - T[:3, 3], n) if pair[1] < 0 else 0.0)


def test_an_arm_goes_round_what_is_in_its_way(tree, judge):
    q = np.array([0.3, 0.9, 0.4, 0.8, -0.3, 0.9, -0.4, 0.8])
    named = dict(zip(tree.joint_names, q, strict=True))
    centre = placed(judge, named)["left_1"][0] + [0.0, 0.0, 0.07]
    scene = fa.scenes.Scene({"ball": fa.Sphere(centre, 0.06)})
    goals = {"left_hand": fa.Position(tree.fk(q, "left_hand")[:3, 3])}
    assert nearest(judge, tree, tree.solve(goals, q0=q).as_dict(), (centre, 0.06)) < 0.0
    found = tree.solve(goals, q0=q, obstacles=scene, clearance=0.02)
    assert found.success, found.reason
    assert np.linalg.norm(judge.pose(found.as_dict(), "left_hand")[:3, 3] - goals["left_hand"].goal[:3, 3]) <= TOL
    assert nearest(judge, tree, found.as_dict(), (centre, 0.06)) >= min(0.0125, 0.02) - 1e-12
    assert found.clearance == pytest.approx(nearest(judge, tree, found.as_dict(), (centre, 0.06)), abs=1e-12)
    assert (found.q[4:] == q[4:]).all()  # the other arm has no goal: it stays
    assert "ball" in found.reason or "link" in found.reason


def test_what_cannot_be_free_names_the_two(tree):
    q = np.array([0.3, 0.9, 0.4, 0.8, -0.3, 0.9, -0.4, 0.8])
    T = tree.fk(q, "left_hand")
    stack = tree.stack({"left_hand": T})
    for part in (stack.among({"box": fa.Sphere(T[:3, 3], 0.2)}, 0.01, True),):
        part.packed.numbers[at.MAX_TRIES] = 3
    found = stack.solve(q, obstacles={"box": fa.Sphere(T[:3, 3], 0.2)})
    assert found.status is fa.Status.COLLISION
    assert not found
    assert found.errors["left_hand"].met
    assert "link 'left_hand' is" in found.reason
    assert "into 'box'" in found.reason
    assert found.closest.other == "box"
    assert found.to_dict()["clearance"]["other"] == "box"
    both = tree.stack({"left_hand": fa.Position([0.3, 0.0, 0.8]), "right_hand": fa.Position([0.3, 0.0, 0.8])})
    both.among(None, 0.0, True).packed.numbers[at.MAX_TRIES] = 3
    found = both.solve(self_collision=True, clearance=0.0)
    assert found.status in (fa.Status.COLLISION, fa.Status.NOT_CONVERGED)
    if found.status is fa.Status.COLLISION:
        assert "left_hand" in found.reason
        assert "right_hand" in found.reason


def test_a_batch_gives_the_bits_of_single_solves_and_new_targets_reach_them(tree, judge):
    Q = 0.6 * tree.sample(2, rng_seed=5)
    scene = fa.scenes.Scene([fa.Sphere([0.9, 0.9, 0.9], 0.1)])
    stack = tree.stack(hands(tree, Q[0]))
    stack.among(scene, 0.01, None).packed.numbers[at.MAX_TRIES] = 4
    goals = {name: np.array([tree.fk(q, name)[:3, 3] for q in Q]) for name in stack.names}
    many = stack.solve_batch({n: [fa.Position(p) for p in P] for n, P in goals.items()}, obstacles=scene, threads=1)
    for i in range(len(Q)):
        for name in stack.names:
            stack[name] = fa.Position(goals[name][i])
        single = stack.solve(obstacles=scene, explain=False)
        assert (single.q == many.q[i]).all()
        assert single.success == many.success[i]
        if single.success:
            assert nearest(judge, tree, single.as_dict()) >= 0.01 - 1e-12


def test_what_a_call_cannot_honour_is_refused(tree):
    goals = hands(tree, np.zeros(tree.n))
    with pytest.raises(OptionError, match="nothing to keep away from"):
        tree.solve(goals, clearance=0.1)
    with pytest.raises(OptionError, match="takes a distance from 0"):
        tree.solve(goals, obstacles=[], clearance=-0.1)
    with pytest.raises(OptionError, match="True or False"):
        tree.solve(goals, self_collision="yes")


def test_still_and_costs_hold_among_obstacles(tree):
    q = np.array([0.3, 0.9, 0.4, 0.8, -0.3, 0.9, -0.4, 0.8])
    far = [fa.Sphere([2.0, 2.0, 2.0], 0.1)]
    there = np.add(q, [0.0, 0.02, 0.05, 0.0, 0.0, 0.0, 0.0, 0.0])
    goal = Goal("left_hand", fa.Position(tree.fk(there, "left_hand")[:3, 3]))
    found = tree.solve([goal, Still("left_j0"), Cost(lambda q: q[3] ** 2, steps=1)], q0=q, obstacles=far)
    assert found.success, found.reason
    assert found.q[0] == q[0]
    assert found.q[3] < q[3]


# -- the support -------------------------------------------------------------------------------------


def test_a_support_is_an_inequality(tree, judge):
    """Inside it asks for nothing; outside the centre comes to its edge and no farther."""
    q = 0.3 * tree.sample(1, rng_seed=14)[0]
    named = dict(zip(tree.joint_names, q, strict=True))
    x, y = judge.centre(named)[:2]
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    wide = CenterOfMass(support=square * 0.05 + [x + 0.03, y])
    goal = Goal("left_hand", fa.Position(tree.fk(q, "left_hand")[:3, 3]))
    found = tree.solve([goal, wide], q0=q)
    assert found.success
    assert found.iterations == 0  # it stands inside, off the middle
    beside = CenterOfMass(support=square * 0.05 + [x + 0.055, y], margin=0.01)
    found = tree.solve([goal, beside], q0=q)
    assert found.success, found.reason
    assert judge.centre(found.as_dict())[0] == pytest.approx(x + 0.015, abs=1e-5)  # on the edge
    stack = tree.stack([goal, beside])
    stack["centre of mass"] = square * 0.05 + [x + 0.03, y]
    again = stack.solve(q)
    assert again.success
    assert again.q == pytest.approx(q)
    far = tree.solve([goal, CenterOfMass(support=square * 0.05 + [x + 5.0, y])], q0=q, explain=False)
    assert not far.success
    gap = x + 4.95 - judge.centre(far.as_dict())[0]
    assert far.errors["centre of mass"].position == pytest.approx(gap, abs=1e-6)


def test_a_support_must_leave_room():
    square = [[-1, -1], [1, -1], [1, 1], [-1, 1]]
    with pytest.raises(OptionError, match="leaves nothing"):
        CenterOfMass(support=square, margin=1.1)
    with pytest.raises(OptionError, match="only x and y"):
        CenterOfMass(support=square, axes="xyz")
    assert np.allclose(
        sorted(map(tuple, CenterOfMass(support=square, margin=0.5).inner)),
        sorted(itertools.product((-0.5, 0.5), repeat=2)),
    )
    assert off(np.eye(4), np.eye(4)) == (0.0, 0.0)
