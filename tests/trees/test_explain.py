"""Why goals are missed: what is called proven is never met, what is searched for says so, and all has a budget."""

import itertools
import sys
from pathlib import Path

import numpy as np
import pytest

import forearm as fa
from forearm.goals import CenterOfMass, Goal, Relative, Still
from forearm.trees.explain import ALL_TRIES, QUESTIONS, TRIES, Inquiry
from forearm.trees.reach import beyond, contradiction, span

sys.path.insert(0, str(Path(__file__).parent))  # for tree_robots.py, which is no test
from tree_robots import Judge, two_arms

URDF = two_arms()
LINKS = ("base", "column", "left_2", "left_hand", "right_1", "right_hand", "head")


@pytest.fixture(scope="module")
def tree():
    return fa.Tree.from_urdf(URDF)


def targets(T):
    """Goals of all kinds with points and rotations that a pose meets."""
    return [T, fa.Position(T[:3, 3]), fa.Orientation(T[:3, :3]), fa.PointAxis(T[:3, 3], T[:3, 2])]


# -- what distances prove ----------------------------------------------------------------------------


@pytest.mark.parametrize("base", ["fixed", "planar", "free"])
@pytest.mark.parametrize("follower", [False, True])
def test_goals_that_one_configuration_meets_are_never_called_contradictory(base, follower):
    tree = fa.Tree.from_urdf(two_arms(follower), base=base)
    stretched = np.zeros((1, tree.n))  # arms that are straight are as long as can be
    for q in np.vstack([tree.sample(6, rng_seed=2), np.clip(stretched, *tree.limits)]):
        T = {link: tree.fk(q, link) for link in LINKS}
        goals = [Goal(link, target) for link in LINKS for target in targets(T[link])]
        for one, other in itertools.combinations(goals, 2):
            assert contradiction(tree.body, one, other) == ""
        for one, other in itertools.permutations(LINKS, 2):
            assert np.linalg.norm(T[one][:3, 3] - T[other][:3, 3]) <= span(tree.body, one, other) + 1e-12
            between = np.linalg.inv(T[one]) @ T[other]
            assert beyond(tree.body, Relative(other, one, between)) == ""


@pytest.mark.compiled
def test_hands_farther_apart_than_both_arms_are_in_conflict():
    tree, judge = fa.Tree.from_urdf(URDF, base="free"), Judge(URDF, free=True)
    apart = fa.Position([1.6, 0.0, 0.0])
    found = tree.solve({"left_hand": fa.Position([-1.6, 0.0, 0.0]), "right_hand": apart})
    assert found.missed["right_hand"].endswith("alone it is met")
    assert "in conflict with 'left_hand': their points are 3.2 m apart" in found.missed["right_hand"]
    for q in tree.sample(50, rng_seed=4):  # as long as is told, by Pinocchio
        named = dict(zip(tree.joint_names, q, strict=True))
        ends = [judge.pose(named, f"{side}_hand", np.eye(4))[:3, 3] for side in ("left", "right")]
        assert np.linalg.norm(ends[0] - ends[1]) <= span(tree.body, "left_hand", "right_hand")


@pytest.mark.compiled
def test_two_rotations_of_one_part_are_in_conflict(tree):
    q = 0.3 * tree.sample(1, rng_seed=1)[0]
    T = tree.fk(q, "left_hand")
    turned = fa.Orientation(T[:3, :3] @ np.diag([-1.0, -1.0, 1.0]))
    found = tree.solve([Goal("left_hand", T), Goal("left_hand", turned, name="turned")])
    assert "in conflict with 'turned': both turn one rigid part, 3.142 rad" in found.missed["left_hand"]


@pytest.mark.compiled
def test_a_link_too_far_from_another_is_out_of_reach_of_its_chain(tree):
    far = np.eye(4)
    far[0, 3] = 4.0
    found = tree.solve([Relative("right_hand", "left_hand", far)])
    assert found.status is fa.Status.OUT_OF_REACH
    assert "its point is 4 m from 'left_hand'" in found.missed["right_hand"]


# -- what is searched for ----------------------------------------------------------------------------


@pytest.mark.compiled
def test_a_pair_that_is_not_found_is_not_called_a_conflict():
    tree = fa.Tree.from_urdf(URDF, joints=["turn", "left_j0", "right_j0"])
    q = np.array([0.4, 0.1, 0.2])
    goals = {"left_hand": tree.fk(q, "left_hand"), "right_hand": tree.fk(-q, "right_hand")}
    found = tree.solve(goals)
    for one, other in (("left_hand", "right_hand"), ("right_hand", "left_hand")):
        why = found.missed[one]
        assert f"met alone; no configuration was found that meets it and '{other}', in {TRIES} tries" in why
        assert "in conflict" not in why


@pytest.mark.compiled
def test_a_joint_that_stands_still_is_told(tree):
    q = 0.4 * tree.sample(1, rng_seed=7)[0]
    there = q.copy()
    there[tree.joint_names.index("turn")] += 1.0
    goal = Goal("head", fa.Position(tree.fk(there, "left_hand")[:3, 3] + [0.0, 0.0, 3.0]))
    point = fa.Position(tree.fk(there, "neck")[:3, 3] + [0.05, 0.0, 0.0])
    for still in (Still(["turn", "lift"]), Still({"turn": 0.0, "lift": 0.1})):
        found = tree.solve([Goal("neck", point), still], q0=q)
        assert found.status is fa.Status.LIMITS
        assert "'turn', 'lift' stand still, as asked" in found.missed["neck"]
    alone = tree.solve([Goal("head", fa.Orientation(rpy=(0.0, 3.0, 0.0))), Still("turn")], q0=q).missed["head"]
    assert "'turn' stands still, as asked" in alone
    turned = tree.fk(there, "torso")[:3, :3] @ fa.Pose([0, 0, 0], rpy=(0.0, 0.0, 2.9 - there[1])).goal[:3, :3]
    assert "'turn' stands at its limit" in tree.solve([Goal("torso", fa.Orientation(turned))]).missed["torso"]
    assert tree.solve([goal], q0=q).status is fa.Status.OUT_OF_REACH


@pytest.mark.compiled
def test_goals_that_share_nothing_are_not_asked_in_pairs():
    tree = fa.Tree.from_urdf(URDF, joints=[f"{side}_j{k}" for side in ("left", "right") for k in range(6)])
    q = tree.sample(1, rng_seed=3)[0]
    bad = tree.fk(q, "left_hand")
    bad[:3, 3] *= 0.3
    stack = tree.stack([Goal("left_hand", bad), Goal("right_hand", tree.fk(q, "right_hand"))])
    found = stack.solve()
    assert set(found.missed) == {"left_hand"}
    assert "right_hand" not in found.reason


@pytest.mark.compiled
def test_reasons_have_a_budget_and_say_what_was_left_out(tree):
    rng = np.random.default_rng(0)
    q = 0.4 * tree.sample(1, rng_seed=9)[0]
    goals = [CenterOfMass(tree.centre_of_mass(q) + np.array([0.02, 0.0, 0.0]))]
    for k, link in enumerate(link for link in tree.links if link not in ("base", "column")):
        point = tree.fk(q, link)[:3, 3] + 1e-3 * rng.normal(size=3)
        goals.append(Goal(link, fa.Position(point), level=1 + k % 3))
    stack = tree.stack(goals)
    found = stack.solve()
    assert set(found.missed) == {name for name, error in found.errors.items() if not error.met}
    inquiry = Inquiry(stack, found)
    for pair in itertools.combinations(stack.names, 2):
        inquiry.ask(*pair)
    assert len(inquiry.known) <= QUESTIONS
    assert inquiry.tries <= ALL_TRIES + TRIES
    assert inquiry.ask(*stack.names[-2:]) is None
    assert any("not tried" in why or "that were tried" in why for why in found.missed.values()), found.reason
    assert stack.solve().reason == found.reason


@pytest.mark.compiled
def test_a_first_level_that_cannot_be_met_is_not_searched_to_the_end_from_every_start(tree, monkeypatch):
    q = 0.3 * tree.sample(1, rng_seed=11)[0]
    T = tree.fk(q, "left_hand")
    away = T.copy()
    away[2, 3] += 0.2
    goals = [Goal("left_hand", T), Goal("left_hand", away, name="away"), Goal("head", T, level=2)]
    stack = tree.stack(goals)
    plain, tries = stack.solve(q, explain=False), []
    meet = stack.meet
    monkeypatch.setattr(stack, "meet", lambda *given: tries.append(meet(*given)) or tries[-1])
    found = stack.solve(q)
    assert max(each.tries for each in tries[1:]) < 20
    assert found.row[0] >= 0.0
    assert sum(found.errors[name].position for name in ("left_hand", "away")) <= 0.2 + 1e-3 + sum(
        plain.errors[name].position for name in ("left_hand", "away")
    )
