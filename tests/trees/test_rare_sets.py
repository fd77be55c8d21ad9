"""Goal sets of humanoids that few starts lead to: configurations inside the limits made them, so they can be met."""

import sysconfig
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import forearm as fa
from forearm.goals import CenterOfMass, Goal

DATA = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix/share/example-robot-data/robots")
G1_TIPS = ("left_ankle_roll_link", "right_ankle_roll_link", "left_rubber_hand", "right_rubber_hand")
TALOS_TIPS = ("left_sole_link", "right_sole_link", "gripper_left_base_link", "gripper_right_base_link")
G1_Q = [
    2.819, -0.238, 0.884, 2.752, 0.396, 0.182, 2.784, 0.178, 2.753, 0.684, -0.408, 0.051, 2.114, -0.418, -0.381,
    0.184, 0.135, 0.652, -0.973, -0.997, -0.441, 1.386, 1.736, -1.528, -2.316, 0.545, -1.629, 1.501, 1.228,
]  # fmt: skip
TALOS_Q = [
    -0.972, 0.562, 0.297, 0.017, -1.541, 0.164, -1.187, -1.675, 1.436, -1.342, 0.621, -0.791, 1.343, -2.747, -2.238,
    -0.294, 0.979, -0.051, -0.345, -0.082, 0.587, -0.441, -2.042, 1.286, 0.723, -0.481, -0.376, -0.176, -0.458, 2.441,
    0.535, 0.009,
]  # fmt: skip
SETS = {
    "g1_description/urdf/g1_29dof_rev_1_0.urdf": (G1_TIPS, G1_Q, [0.148, 0.331, -0.288, 0.956, -0.089, 0.263, -0.091]),
    "talos_data/robots/talos_reduced.urdf": (TALOS_TIPS, TALOS_Q, [-0.581, 0.611, -0.55, -0.39, -0.4, 0.384, 0.736]),
}


@pytest.mark.compiled
@pytest.mark.parametrize("file", SETS)
def test_tips_and_centre_of_mass_of_a_configuration_are_met_however_rare_it_is(file):
    tips, q, place = SETS[file]
    model = pin.buildModelFromUrdf(str(DATA / file), pin.JointModelFreeFlyer())
    data, tree = model.createData(), fa.Tree.from_urdf(DATA / file, base="free")
    full = pin.neutral(model)
    full[:7] = np.r_[place[:3], np.array(place[3:]) / np.linalg.norm(place[3:])]
    for name, value in zip(tree.joint_names, q, strict=True):
        full[model.joints[model.getJointId(name)].idx_q] = value
    pin.framesForwardKinematics(model, data, full)
    goals = [Goal(tip, data.oMf[model.getFrameId(tip)].homogeneous) for tip in tips]
    s = tree.stack([*goals, CenterOfMass(pin.centerOfMass(model, data, full))]).solve(explain=False)
    assert s.success


@pytest.mark.compiled
@pytest.mark.parametrize("seed", [637, 850, 1516, 2661])
def test_a_level_that_is_pulled_far_leaves_the_first_inside_its_tolerances(seed):
    tree = fa.Tree.from_urdf(DATA / "g1_description/urdf/g1_29dof_rev_1_0.urdf", base="free")
    q, (*feet, left, right) = tree.sample(1, rng_seed=seed)[0], G1_TIPS
    first = [*(Goal(foot, tree.fk(q, foot)) for foot in feet), CenterOfMass(tree.centre_of_mass(q))]
    points = {hand: tree.fk(q, hand)[:3, 3] for hand in (left, right)}
    far = {hand: p * (1.0 + 1.5 / np.linalg.norm(p)) for hand, p in points.items()}  # out of reach
    s = tree.stack([*first, *(Goal(hand, fa.Position(p), level=2) for hand, p in far.items())]).solve(explain=False)
    assert all(s.errors[goal.name].met for goal in first)
    for goal in first[:2]:  # by plain NumPy too
        assert np.abs(tree.fk(s.q, goal.link, s.base) - goal.target.goal).max() <= 2e-6
    assert all(np.linalg.norm(tree.fk(s.q, hand, s.base)[:3, 3] - p) < 3.5 for hand, p in far.items())


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("base", "seed"), [("free", 241), ("free", 246), ("planar", 66), ("planar", 186), ("planar", 251)]
)
def test_orientations_are_met_by_a_base_that_moves(base, seed):
    tree = fa.Tree.from_urdf(DATA / "g1_description/urdf/g1_29dof_rev_1_0.urdf", base=base)
    rng, q = np.random.default_rng(seed), tree.sample(1, rng_seed=seed)[0]
    place = fa.Pose(rng.normal(size=3), rpy=rng.uniform(-3.0, 3.0, 3)).goal if base == "free" else None
    links = rng.choice(tree.links, 3, replace=False).tolist()
    turns = {link: fa.Orientation(tree.fk(q, link, place)[:3, :3]) for link in links}
    s = tree.stack([Goal(k, turn, weight=10 ** rng.uniform(-1, 1)) for k, turn in turns.items()]).solve(explain=False)
    assert s.success
    for link, turn in turns.items():
        assert np.abs(tree.fk(s.q, link, s.base)[:3, :3] - turn.goal[:3, :3]).max() <= 2e-6
