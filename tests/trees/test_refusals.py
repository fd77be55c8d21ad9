"""What no tree can honour is refused in words before any work, and nothing that cannot be is called met."""

import sys
from pathlib import Path

import numpy as np
import pytest

import forearm as fa
from forearm.errors import ForearmError, ModelError, OptionError
from forearm.goals import CenterOfMass, Cost, Goal, LookAt, Posture, Relative, Still

sys.path.insert(0, str(Path(__file__).parent))  # for tree_robots.py, which is no test
from tree_robots import two_arms

URDF = two_arms()


@pytest.fixture(scope="module")
def tree():
    return fa.Tree.from_urdf(URDF)


@pytest.fixture(scope="module")
def reached(tree):
    q = tree.sample(1, rng_seed=3)[0]
    return q, {hand: tree.fk(q, hand) for hand in ("left_hand", "right_hand")}


def aside():
    T = np.eye(4)
    T[0, 3] = 1.0
    return T


@pytest.mark.parametrize("kind", ["fixed", "planar", "rail"])
@pytest.mark.parametrize("hands", [("left_hand",), ("left_hand", "right_hand")])
def test_a_base_that_is_not_free_takes_no_pose(kind, hands):
    tree = fa.Tree.from_urdf(URDF, base=kind)
    q = tree.sample(1, rng_seed=3)[0]
    goals = {hand: tree.fk(q, hand) for hand in hands}
    stack = tree.stack(goals)
    for call in (
        lambda: tree.solve(goals, q, base=aside()),
        lambda: stack.solve(base=aside()),
        lambda: stack.track({hand: T[None] for hand, T in goals.items()}, q, base=aside()),
        lambda: stack.servo(q, rate=500, velocity=1.0, base=aside()),
        lambda: tree.fk(q, hands[0], base=aside()),
        lambda: tree.centre_of_mass(q, base=aside()),
        lambda: tree.clearance(q, base=aside()),
    ):
        with pytest.raises(OptionError, match="stands at the origin"):
            call()
    assert stack.solve(q, base=np.eye(4)).success


def test_a_start_off_by_a_hair_gives_the_same_bits_by_both_roads(tree, reached):
    q, goals = reached
    start = np.clip(q, *tree.limits)
    start[0] = tree.limits[1, 0] + 1e-10
    stack = tree.stack(goals)
    fast, slow = stack.solve(start), stack.solve(start.tolist())
    assert fast.q.tobytes() == slow.q.tobytes()


@pytest.mark.parametrize(
    "goal",
    [
        lambda: Relative("left_hand", "right_hand", np.eye(4), tol="x"),
        lambda: CenterOfMass(support="abc"),
        lambda: CenterOfMass(support=[[0, 0], [1], [0, 1]]),
        lambda: CenterOfMass("abc"),
        lambda: CenterOfMass([1, 2, 3, 4]),
        lambda: CenterOfMass([1]),
        lambda: Goal("left_hand", np.eye(4), weight=1e300),
        lambda: Goal("left_hand", np.eye(4), weight=1e-300),
        lambda: Posture(np.zeros(16), weight=1e6),
        lambda: Still(5),
        lambda: Still({"turn": "a"}),
        lambda: Still({"turn": np.nan}),
        lambda: Cost(lambda q: 0.0, steps="x"),
        lambda: Cost(lambda q: 0.0, steps=-3),
    ],
)
def test_a_goal_that_cannot_be_one_is_refused_when_it_is_made(goal):
    with pytest.raises(ForearmError):
        goal()


@pytest.mark.parametrize(
    "others",
    [
        [Posture("abc")],
        [Posture({"turn": "x"})],
        [Still({"turn": 0.1}), Still({"turn": 0.2})],
        [Cost(lambda q: q)],
        [Cost(lambda q: None)],
    ],
)
def test_what_stands_beside_goals_is_refused_in_words(tree, reached, others):
    with pytest.raises(OptionError):
        tree.solve([Goal("left_hand", reached[1]["left_hand"]), *others])


def test_arguments_of_calls_are_refused_in_words(tree, reached):
    q, goals = reached
    for bad in (None, 5, "left_hand", np.eye(4)):
        with pytest.raises(OptionError, match="goals"):
            tree.solve(bad)
    for seed in ("a", -1, 2**70):
        with pytest.raises(OptionError, match="rng_seed"):
            tree.solve(goals, rng_seed=seed)
    with pytest.raises(OptionError, match="turn"):
        tree.solve(goals, q0={"turn": "x"})
    for explain in ("yes", 1, None):
        with pytest.raises(OptionError, match=r"explain is .* it takes True or False"):
            tree.solve(goals, q, explain=explain)
    with pytest.raises(OptionError, match="count"):
        tree.sample(-1)
    with pytest.raises(OptionError, match="mapping"):
        tree.stack(goals).solve_batch("left_hand")
    uneven = {name: np.array([T] * (k + 2)) for k, (name, T) in enumerate(goals.items())}
    with pytest.raises(OptionError, match=", ".join(f"'{name}' has {len(Ts)}" for name, Ts in uneven.items())):
        tree.stack(goals).solve_batch(uneven)
    with pytest.raises(OptionError, match="mapping"):
        tree.stack(goals).track([np.eye(4)], q)
    with pytest.raises(OptionError, match="mapping"):
        tree.stack(goals).servo(q, rate=500)([np.eye(4)])
    with pytest.raises(ModelError, match="'torsso'"):
        fa.Tree.from_urdf(URDF, root="torsso")


def test_a_link_at_the_point_itself_does_not_look_at_it(tree, reached):
    q, goals = reached
    assert not tree.solve([LookAt("base", [0.0, 0.0, 0.0])]).success
    point = goals["left_hand"][:3, 3]
    found = tree.solve([Goal("left_hand", fa.Position(point)), LookAt("left_hand", point)], q0=q)
    assert not found.success
    assert "met alone; no configuration was found that meets it and 'left_hand (look at)'" in found.reason


def test_a_support_is_the_hull_of_its_points():
    dented = CenterOfMass(support=[[0, 0], [1, 0], [0.1, 0.1], [0, 1], [0, 0]])
    assert sorted(map(tuple, dented.support.tolist())) == [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0)]


# -- what loops and batches are given ----------------------------------------------------------------


@pytest.mark.parametrize("call", ["track", "servo", "solve_batch"])
def test_loops_refuse_a_cost_by_its_name(tree, reached, call):
    q, goals = reached
    stack = tree.stack([Goal("left_hand", goals["left_hand"]), Cost(lambda q: float(q @ q), name="calm")])
    many = {"left_hand": goals["left_hand"][None]}
    with pytest.raises(OptionError, match=rf"{call} takes no Cost .'calm'."):
        stack.servo(q, rate=100) if call == "servo" else getattr(stack, call)(many, q)


def test_starts_that_are_none_are_refused_in_words(tree, reached):
    _, goals = reached
    stack, two = tree.stack(goals), {"left_hand": np.array([goals["left_hand"]] * 2)}
    for start, words in ((np.full(tree.n, np.inf), "inf"), ([[0.0] * tree.n, [0.0]], "array of numbers")):
        with pytest.raises(OptionError, match=words):
            stack.solve_batch(two, start)
    endless = fa.Tree.from_urdf(URDF, base="planar")
    with pytest.raises(OptionError, match="inf"):
        endless.solve(goals, q0=np.full(endless.n, np.inf))
    assert stack.solve_batch({"left_hand": []}, np.zeros((0, tree.n))).q.shape == (0, tree.n)


def test_a_name_or_limits_of_another_type_are_refused_in_words(tree, reached):
    stack = tree.stack(reached[1])
    for name in (0, ["left_hand"], None):
        with pytest.raises(OptionError, match="is no goal of this stack"):
            stack[name]
    with pytest.raises(ModelError, match=r"limits is .* it takes a mapping"):
        fa.Tree.from_urdf(URDF, limits=[("turn", 1)])


@pytest.mark.filterwarnings("ignore:overflow encountered in cast:RuntimeWarning")  # uncompiled, numpy says so
def test_a_point_beyond_all_numbers_is_out_of_reach(tree):
    found = tree.solve({"left_hand": fa.Position([1e200, 0.0, 0.0]), "right_hand": fa.Position([0.0, -1e200, 0.0])})
    assert found.status is fa.Status.OUT_OF_REACH
    assert np.isfinite(found.q).all()


@pytest.mark.parametrize("name", ["obstacles", "clearance", "self_collision"])
def test_tracks_and_servos_of_trees_say_that_they_take_no_obstacles(tree, reached, name):
    q, goals = reached
    stack = tree.stack(goals)
    with pytest.raises(OptionError, match=rf"a track of a tree takes no {name}; solve each point, .*tree\.arm\(tip\)"):
        stack.track({hand: T[None] for hand, T in goals.items()}, q, **{name: True})
    with pytest.raises(OptionError, match=rf"a servo of a tree takes no {name}; .*tree\.arm\(tip\)\.servo"):
        stack.servo(q, rate=100, **{name: True})
    with pytest.raises(OptionError, match="takes no max_step; did you mean max_joint_step"):
        stack.track({}, max_step=0.1)
