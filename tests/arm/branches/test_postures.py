"""Names of postures: as many as there are branches, told by signs of the Jacobian, the same between singular poses."""

import numpy as np
import pytest

import forearm as fa
from forearm.arm.branches.postures import ELBOW, SHEET, SHOULDER, WRIST, Postures
from forearm.models.cut import cut

NAMED = ("ur5", "ur10e", "puma560", "irb140")


def named(arm, q):
    return arm._prepared.postures.name(np.asarray(q, dtype=float))


@pytest.mark.parametrize("name", NAMED)
def test_the_branches_of_a_pose_have_names_of_their_own(name):
    arm = fa.load(name)
    free = fa.Robot(arm.model.with_limits(np.array([[-np.pi] * 6, [np.pi] * 6])))
    for q in free.sample(5, rng_seed=1):
        found = free.solve_all(free.fk(q))
        names = [branch.posture for branch in found]
        assert len(set(names)) == len(names) > 1
        assert all(len(name.split(", ")) == 3 for name in names)


@pytest.mark.parametrize("name", NAMED)
def test_the_names_together_are_the_sign_of_the_determinant(name):
    arm, signs = fa.load(name), set()
    for q in arm.sample(40, rng_seed=2):
        words = named(arm, q).split(", ")
        # a shoulder that changes sides turns what is up: its sign is in both, and so in neither of their product
        right, up, plain = (1 if word in (SHOULDER[1], ELBOW[1], WRIST[1]) else -1 for word in words)
        signs.add(up * plain * np.sign(np.linalg.det(arm.jacobian(q))))
        assert right in (-1, 1)
    assert len(signs) == 1


def test_up_is_up_and_right_is_right():
    arm = fa.load("ur5")
    q = np.array([0.0, -1.0, 1.4, -0.4, 1.0, 0.0])  # the upper arm rises before the forearm comes down
    frames = arm.fk_all(q)
    shoulder, elbow, wrist = frames[:3, 2, 3]
    assert elbow > max(wrist, shoulder)
    assert "elbow up" in named(arm, q)
    assert "elbow down" in named(arm, [0.0, 0.4, -1.4, -0.4, 1.0, 0.0])
    flipped = q.copy()
    flipped[4] = -1.0
    assert named(arm, flipped).split(", ")[2] != named(arm, q).split(", ")[2]


def test_other_arms_have_sheets_or_nothing():
    rows = [(0.1, -1.5, 0.3), (0.6, 0.1, 0.05), (0.1, -1.4, 0.0), (0.0, 1.5, 0.5), (0.08, -1.5, 0.07), (0.0, 0.0, 0.1)]
    arm = fa.Robot.from_dh(rows, limits=np.array([[-3.0] * 6, [3.0] * 6]))
    assert {named(arm, q) for q in arm.sample(20, rng_seed=1)} == set(SHEET)
    assert named(fa.load("iiwa14"), np.zeros(7)) == ""


@pytest.mark.parametrize("name", ["ur5", "puma560", "irb140", "jaco2"])
def test_a_chain_that_runs_up_has_the_words_of_the_one_that_runs_down(name):
    down = fa.load(name)
    up = fa.Robot(cut(down.model.mechanism, base=down.model.tip, tip=down.model.base))
    assert up.structure.kind is down.structure.kind
    below, above = Postures(down.model, down.structure), Postures(up.model, up.structure)
    assert below.words == above.words
    for q in down.sample(50, rng_seed=3):
        assert above.name(q[::-1]) == below.name(q)
