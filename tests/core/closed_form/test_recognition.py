"""What is recognised in the URDFs of two public collections and in the catalog, and what must not be."""

import sys
from pathlib import Path

import numpy as np
import pytest

import forearm as fa
from forearm.arm import tables
from forearm.arm.structure import Kind, recognise

EXAMPLES, RTB = "example-robot-data/robots", "rtb"
KUKA = f"{RTB}/kuka_description"
NONE = (Kind.NONE, 0, False, None)

# file, base, tip -> kind, case, reversed, held joint (from 0)
TABLE = {
    (f"{EXAMPLES}/ur_description/urdf/ur3_robot.urdf", "base_link", "ee_link"): (Kind.UR, 0, False, None),
    (f"{EXAMPLES}/ur_description/urdf/ur5_robot.urdf", "base_link", "ee_link"): (Kind.UR, 0, False, None),
    (f"{EXAMPLES}/ur_description/urdf/ur10_robot.urdf", "base_link", "ee_link"): (Kind.UR, 0, False, None),
    (f"{EXAMPLES}/z1_description/urdf/z1.urdf", None, "link06"): (Kind.UR, 0, False, None),
    (f"{KUKA}/kuka_kr16/urdf/kr16_2.urdf", None, "tool0"): (Kind.WRIST, 0, False, None),
    (f"{KUKA}/kuka_kr210/urdf/kr210l150.urdf", None, "tool0"): (Kind.WRIST, 0, False, None),
    (f"{KUKA}/kuka_kr120/urdf/kr120r2500pro.urdf", None, "tool0"): (Kind.WRIST, 0, False, None),
    (f"{RTB}/unimation_puma560_description/urdf/puma560_robot.urdf", None, "link7"): (Kind.WRIST, 0, False, None),
    (f"{EXAMPLES}/kinova_description/robots/kinova.urdf", None, "j2s6s200_end_effector"): (Kind.WRIST, 0, False, None),
    (f"{EXAMPLES}/talos_data/robots/talos_full_v2.urdf", "base_link", "leg_left_6_link"): (Kind.WRIST, 0, True, None),
    (f"{EXAMPLES}/centauro_description/urdf/centauro.urdf", "torso_2", "arm1_6"): (Kind.WRIST, 1, True, None),
    (f"{EXAMPLES}/romeo_description/urdf/romeo.urdf", "torso", "l_wrist"): (Kind.SRS, 0, False, None),
    (f"{EXAMPLES}/icub_description/robots/icub.urdf", "chest", "l_hand"): (Kind.SRS, 0, False, None),
    (f"{EXAMPLES}/panda_description/urdf/panda.urdf", "panda_link0", "panda_link8"): (Kind.LOCKED, 1, True, 6),
    (f"{EXAMPLES}/xarm_description/urdf/xarm7.urdf", None, "link7"): (Kind.LOCKED, 1, True, 6),
    (f"{EXAMPLES}/pr2_description/urdf/pr2.urdf", "torso_lift_link", "r_wrist_roll_link"): (Kind.LOCKED, 1, False, 0),
    (f"{EXAMPLES}/tiago_description/robots/tiago.urdf", "torso_lift_link", "arm_7_link"): (Kind.LOCKED, 1, False, 0),
    (f"{EXAMPLES}/talos_data/robots/talos_full_v2.urdf", "torso_2_link", "arm_left_7_link"): (
        Kind.LOCKED,
        1,
        False,
        0,
    ),
    # its axes miss each other by 0.436 mm, so shoulder and wrist are not spherical
    (f"{KUKA}/kuka_lbr_iiwa/urdf/lbr_iiwa_14_r820.urdf", None, "tool0"): (Kind.LOCKED, 1, False, 0),
    # 20 mm between axes 5 and 6
    (f"{RTB}/abb_irb140_description/urdf/irb140.urdf", None, "tool0"): NONE,
    (f"{EXAMPLES}/baxter_description/urdf/baxter.urdf", "torso", "left_wrist"): NONE,
    (f"{EXAMPLES}/g1_description/urdf/g1_29dof_rev_1_0.urdf", "torso_link", "left_wrist_yaw_link"): NONE,
    (f"{EXAMPLES}/so_arm_description/urdf/so101.urdf", None, "gripper_frame_link"): NONE,
    (f"{RTB}/lynxmotion_al5d_description/urdf/al5d_robot.urdf", None, None): NONE,
}


def located(name):
    """Where a file of the packages example-robot-data and rtb-data lies."""
    if name.startswith(RTB):
        return Path(pytest.importorskip("rtbdata").__file__).parent / "xacro" / name.removeprefix(f"{RTB}/")
    pinocchio = Path(pytest.importorskip("pinocchio").__file__)
    prefix = next(folder for folder in pinocchio.parents if folder.name == "cmeel.prefix")
    return prefix / "share" / name


def ids(key):
    return f"{Path(key[0]).stem}-{key[2]}"


@pytest.mark.parametrize("key", TABLE, ids=ids)
def test_the_structure_of_public_urdfs(key):
    name, base, tip = key
    path = located(name)
    if not path.exists():
        pytest.skip(f"this version of the collection has no {path.name}")
    found = fa.Robot.from_urdf(path, base=base, tip=tip).structure
    assert (found.kind, found.case, found.reversed, found.locked) == TABLE[key]


CATALOG = {
    **dict.fromkeys(["ur3", "ur5", "ur10", "ur3e", "ur5e", "ur10e"], Kind.UR),
    **dict.fromkeys(["irb120", "irb140", "puma560", "jaco2"], Kind.WRIST),
    **dict.fromkeys(["iiwa7", "iiwa14"], Kind.SRS),
    **dict.fromkeys(["panda", "xarm7"], Kind.LOCKED),
    **dict.fromkeys(["gen3", "so101", "fabrik-r-5dof", "fabrik-r-10dof", "planar-5", "snake-6"], Kind.NONE),
    "scara": Kind.SCARA,
    "planar-2": Kind.PLANAR,
    "planar-3": Kind.PLANAR,
}


@pytest.mark.parametrize("name", CATALOG)
def test_the_structure_of_the_catalog(name):
    found = fa.load(name).structure
    assert found.kind is CATALOG[name]
    assert found.closed == (found.kind is not Kind.NONE)
    assert found.summary in repr(found)
    assert found.why in found.summary


def test_a_joint_that_follows_another_has_no_closed_form():
    arm = fa.Robot.from_urdf(
        """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
        <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
        <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
        <joint name="k" type="revolute"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/>
        <origin xyz="1 0 0"/><mimic joint="j"/>
        <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
    )
    assert arm.structure.summary == "no closed form: joints follow others"


def test_an_arm_without_a_closed_form_is_refused_by_name():
    with pytest.raises(fa.errors.UnsupportedError, match=r"closed-form.*so101: no closed form: this is 5R.*general"):
        fa.load("so101").solve(np.eye(4), method="closed-form")


def test_the_rounded_xarm7_is_polished_onto_its_own_axes():
    path = located(f"{EXAMPLES}/xarm_description/urdf/xarm7.urdf")
    arm = fa.Robot.from_urdf(path, tip="link7")
    assert 1e-9 < arm.structure.gap < 1e-5
    T = arm.fk(arm.sample(40, rng_seed=1))
    answers = [arm.solve(t, method="closed-form") for t in T]
    assert all(answers)
    assert np.abs(arm.fk(np.array([s.q for s in answers])) - T).max() < 2e-9
    assert max(s.iterations for s in answers) >= 1


@pytest.mark.parametrize("method", ["closed-form", "auto", "combined", "fabrik-r", "general", "dls"])
@pytest.mark.parametrize("name", ["ur5", "iiwa14"])
def test_the_axes_are_looked_at_once_a_robot_not_once_a_solve(name, method, monkeypatch):
    looks = []
    monkeypatch.setattr(tables, "recognise", lambda model: looks.append(model) or recognise(model))
    arm = fa.load(name)
    q = arm.sample(1, rng_seed=2)[0]
    T = arm.fk(q)
    for options in ({}, {"q0": q}, {"limits": arm.limits}):  # the fast roads, and the ordinary one
        assert arm.solve(T, method=method, **options).success
    arm.solve_batch(T[None], method=method)
    arm.solve_all(T)
    assert len(looks) == 1
    assert not [
        name
        for name, module in sys.modules.items()
        if name.startswith("forearm.")
        and module is not tables
        and getattr(module, "recognise", None) is recognise
        and not name.startswith("forearm.arm")
    ]
