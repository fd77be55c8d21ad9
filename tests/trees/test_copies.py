"""Trees, stacks and servos copied and pickled, joints that stand still on the way, and words for odd arguments."""

import copy
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

import forearm as fa
from forearm.errors import OptionError
from forearm.goals import Cost, Goal, LookAt, Relative, Still

sys.path.insert(0, str(Path(__file__).parent))  # for tree_robots.py, which is no test
from tree_robots import two_arms

COPIES = (lambda each: pickle.loads(pickle.dumps(each)), copy.deepcopy, copy.copy)


@pytest.fixture(scope="module")
def tree():
    return fa.Tree.from_urdf(two_arms(), limits={"turn": (-1.0, 1.0)})


@pytest.fixture(scope="module")
def q(tree):
    return 0.5 * tree.sample(1, rng_seed=3)[0]


def carried(tree, q):
    """Both hands on a box."""
    left, right = tree.fk(q, "left_hand"), tree.fk(q, "right_hand")
    return tree.stack([Goal("left_hand", left), Relative("right_hand", "left_hand", np.linalg.inv(left) @ right)])


@pytest.mark.parametrize("copied", COPIES)
def test_a_copied_tree_is_the_same_robot(tree, q, copied):
    other = copied(tree)
    assert np.array_equal(other.limits, tree.limits)
    assert np.array_equal(other.fk(q, "left_hand"), tree.fk(q, "left_hand"))
    assert np.array_equal(other.arm("left_hand").limits, tree.arm("left_hand").limits)


@pytest.mark.parametrize("copied", COPIES)
def test_a_copied_stack_has_goals_of_its_own(tree, q, copied):
    stack = carried(tree, q)
    before = stack.solve(q).q
    other = copied(stack)
    assert other.names == stack.names
    assert np.array_equal(other.solve(q).q, before)
    higher = tree.fk(q, "left_hand")
    higher[2, 3] += 0.01
    other["left_hand"] = higher
    assert np.abs(tree.fk(other.solve(q).q, "left_hand") - higher).max() < 2e-6
    assert np.array_equal(stack.solve(q).q, before)


@pytest.mark.parametrize("copied", COPIES)
def test_a_copied_servo_goes_on_by_itself(tree, q, copied):
    servo = carried(tree, q).servo(q, rate=200)
    higher = tree.fk(q, "left_hand")
    higher[2, 3] += 0.05
    servo({"left_hand": higher})
    other = copied(servo)
    alone = [other() for _ in range(5)]
    assert np.array_equal([servo() for _ in range(5)], alone)


def test_joints_that_stand_still_do_so_in_tracks_and_servos(tree, q):
    point, turn = tree.fk(q, "left_hand")[:3, 3], tree.joint_names.index("turn")
    stack = tree.stack([Goal("left_hand", fa.Position(point)), Still("turn")])
    path = [fa.Position(point - [0.0, 0.0, z]) for z in np.linspace(0.0, 0.1, 10)]
    assert np.ptp([*stack.track({"left_hand": path}, q0=q).q[:, turn], q[turn]]) == 0.0
    servo = stack.servo(q, rate=100)
    assert np.ptp([servo({"left_hand": path[-1]})[turn] for _ in range(100)] + [q[turn]]) == 0.0


@pytest.mark.compiled
@pytest.mark.parametrize("still", [Still("turn"), Still({"turn": 0.3}), Still(["turn", "left_j0", "pan"])])
@pytest.mark.parametrize("starts", ["none", "one", "each"])
def test_joints_that_stand_still_do_so_in_batches(tree, still, starts):
    stack = tree.stack([Goal("left_hand", np.eye(4)), LookAt("head", [1.0, 0.0, 1.0]), still])
    Q = tree.sample(5, rng_seed=9)
    aims = {"left_hand": np.array([tree.fk(q, "left_hand") for q in Q])}
    begin = {"none": None, "one": Q[0], "each": Q}[starts]
    many = stack.solve_batch(aims, begin, threads=2)
    for i, T in enumerate(aims["left_hand"]):
        stack["left_hand"] = T
        one = stack.solve(begin[i] if starts == "each" else begin, explain=False)
        assert np.array_equal(many.q[i], one.q)
        assert many.success[i] == one.success


@pytest.mark.compiled  # 3,000 ticks
def test_a_servo_goes_to_the_value_a_joint_shall_stand_at(tree, q):
    turn = tree.joint_names.index("turn")
    away = q[turn] + (0.9 if q[turn] < 0.0 else -0.9)
    servo = tree.stack([Goal("head", fa.Orientation(np.eye(3))), Still({"turn": away})]).servo(q, rate=1000)
    steps = np.array([q, *(servo() for _ in range(3000))])
    assert np.abs(np.diff(steps[:, turn])).max() <= 2.0 / 1000 + 1e-12  # its speed
    assert abs(steps[-1, turn] - away) < 1e-6


@pytest.mark.parametrize("velocity", [{"turn": 1.0}, "fast", [1.0, 2.0]])
def test_a_servo_refuses_odd_bounds_in_words(tree, q, velocity):
    with pytest.raises(OptionError, match="velocity"):
        carried(tree, q).servo(q, rate=100, velocity=velocity)


def test_one_number_is_no_row_of_targets(tree, q):
    stack = carried(tree, q)
    for call in (stack.solve_batch, stack.track):
        with pytest.raises(OptionError, match="left_hand"):
            call({"left_hand": 3})


def test_a_cost_that_gives_no_number_later_is_refused(tree, q):
    given = iter([1.0, 1.0, 1.0])
    with pytest.raises(OptionError, match="cost"):
        tree.solve([Goal("left_hand", tree.fk(q, "left_hand")), Cost(lambda _: next(given, None))])


def test_a_cost_may_be_infinite_on_the_way(tree, q):
    given = iter([1.0])
    assert tree.solve([Goal("left_hand", tree.fk(q, "left_hand")), Cost(lambda _: next(given, np.inf))]).success


def test_what_nothing_moves_is_told_so(tree):
    for goal in (LookAt("base", [0.0, 0.0, 0.0]), Goal("base", fa.Orientation(np.diag([1.0, -1.0, -1.0])))):
        found = tree.solve([goal])
        assert found.status.value == "out_of_reach"
        assert "nothing moves it" in found.missed["base"]
