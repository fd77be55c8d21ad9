"""The ends of chains: what is taken where none is named, and what is proposed."""

import numpy as np
import pytest

import forearm as fa
from forearm.errors import ModelError
from forearm.models.cut import cut
from forearm.models.ends import find_ends
from forearm.models.mechanism import Joint, Link, Mechanism, Site
from forearm.models.routes import parent_joints


def joint(name, parent, child, kind="revolute"):
    return Joint(name, kind, np.eye(4), parent, child)


def robot(*joints, **more):
    names = dict.fromkeys(link for each in joints for link in (each.parent, each.child))
    return Mechanism("robot", "it", tuple(map(Link, names)), joints, **more)


def site(name, link):
    return Site(name, link, np.eye(4))


def row(links, names="jklmnop"):
    """Joints from each link to the next."""
    return [joint(name, parent, child) for name, parent, child in zip(names, links, links[1:], strict=False)]


# A trunk a-b with two arms: b-c-d and b-e, and a camera fixed to c.
BODY = robot(
    joint("j1", "a", "b"),
    joint("j2", "b", "c"),
    joint("j3", "c", "d"),
    joint("j4", "b", "e"),
    joint("eye", "c", "camera", "fixed"),
    sites=(site("palm", "d"), site("fist", "e")),
)


def test_ends_are_proposed():
    words = r"it has 2 sites and 3 links at the end of a branch; choose tip=\.\.\. from: palm, fist, d, e, cam"
    with pytest.raises(ModelError, match=words):
        cut(BODY)
    assert cut(robot(joint("j", "a", "b"))).tip == "b"
    assert cut(robot(joint("j", "a", "b"), joint("k", "a", "c"), sites=(site("s", "b"),))).tip == "s"


def test_a_long_list_of_tips_is_cut():
    crowd = robot(*(joint(f"j{k}", "a", f"tip{k}") for k in range(100)))
    with pytest.raises(ModelError, match=r"100 links at the end of a branch; .*tip59 and 40 more$"):
        cut(crowd)


@pytest.mark.parametrize(
    ("argument", "words"), [("base", "roots are: a; did you mean palm"), ("tip", "tips are: palm, ")]
)
def test_unknown_ends_are_named_with_the_choices(argument, words):
    with pytest.raises(ModelError, match=f"site or link 'plam' is not in it; {words}"):
        cut(BODY, **{"tip": "d", argument: "plam"})


def test_what_no_joint_moves_is_no_tip():
    stand = robot(joint("mount", "a", "table", "fixed"), *row("abcd"), sites=(site("mark", "table"),))
    assert cut(stand).tip == "d"
    with pytest.raises(ModelError, match=r"no joint moves between 'a' and 'table'; choose tip=\.\.\. from: d"):
        cut(stand, tip="table")
    with pytest.raises(ModelError, match="it has no joint that moves a link"):
        cut(robot(joint("f", "a", "b", "fixed"), joint("g", "a", "c", "fixed")))


def test_tips_are_seen_from_the_base():
    assert cut(BODY, base="e", tip="camera").joint_names == ("j4", "j2")
    with pytest.raises(ModelError, match=r"choose tip=\.\.\. from: palm, d, camera$|from: palm, fist, d, e, camera$"):
        cut(BODY, base="b")


def test_the_base_is_the_root_above_the_tip():
    two = robot(joint("j", "a", "b"), joint("k", "c", "d"))
    assert cut(two, tip="d").base == "c"
    with pytest.raises(ModelError, match=r"2 links at the end of a branch; choose tip=\.\.\. from: b, d"):
        cut(two)


def test_a_site_is_not_taken_where_joints_move_beyond_it():
    """As in robosuite's iiwa, whose one site is on its first link."""
    assert cut(robot(*row("abcd"), sites=(site("s", "b"),))).tip == "d"
    assert cut(robot(*row("abcd"), sites=(site("s", "d"),))).tip == "s"
    fork = robot(*row("abcd"), joint("x", "c", "e"), sites=(site("s", "b"),))
    with pytest.raises(ModelError, match=r"1 site and 2 links at the end of a branch; choose tip=\.\.\. from: s, d, e"):
        cut(fork)


def test_a_jaw_is_not_taken_and_what_carries_it_is_proposed_first():
    """As in the SO-100, whose last joint opens its jaw."""
    arm = robot(*row(["base", "upper", "lower", "fixed_jaw"]), joint("Jaw", "fixed_jaw", "moving"))
    with pytest.raises(
        ModelError, match=r"gripper moves; choose tip=\.\.\. from: fixed_jaw \(carries the gripper\), moving"
    ):
        cut(arm)
    assert cut(arm, tip="moving").n == 4


@pytest.mark.parametrize("names", [("finger_l", "finger_r"), ("one", "two")])
def test_fingers_are_told_by_names_or_by_their_place(names):
    arm = robot(
        *row("abcd"),
        joint("mount", "d", "hand", "fixed"),
        joint("tcp", "hand", "tool", "fixed"),
        *(joint(name, "hand", f"{name}_link", "prismatic") for name in names),
    )
    ends = find_ends(arm, parent_joints(arm), None)
    assert ends.tools == ("hand",)
    with pytest.raises(ModelError, match=r"from: hand \(carries the gripper\), tool, "):
        cut(arm)


def test_arms_of_a_body_and_a_hand_alone_carry_no_gripper():
    assert find_ends(BODY, parent_joints(BODY), None).tools == ()
    hand = robot(joint("finger1", "palm", "a"), joint("finger1_tip", "a", "b"), joint("thumb", "palm", "c"))
    assert find_ends(hand, parent_joints(hand), None).tools == ()


def test_a_wrist_that_carries_a_gripper_is_none():
    """As in the SO-101: the joint wrist_roll moves the link gripper."""
    arm = robot(*row("abcd"), joint("wrist_roll", "d", "gripper_link"), joint("gripper", "gripper_link", "jaw"))
    assert find_ends(arm, parent_joints(arm), None).tools == ("gripper_link",)


def test_a_lone_site_in_front_of_a_gripper_is_the_tip():
    arm = robot(*row("abcd"), joint("finger1", "d", "e"), joint("finger2", "d", "f"), sites=(site("grip", "d"),))
    assert cut(arm).tip == "grip"


def test_hands_and_feet_are_proposed_before_sensors_and_marks():
    names = ["logo_link", "head_link", "imu_in_torso", "left_foot", "d435_link", "left_hand", "camera", "lidar_mount"]
    links = "".join(f'<link name="{name}"/>' for name in ["root", *names])
    joints = "".join(
        f'<joint name="to {name}" type="revolute"><parent link="root"/><child link="{name}"/><origin xyz="1 0 0"/>'
        f'<axis xyz="0 0 1"/><limit lower="-1" upper="1"/></joint>'
        for name in names
    )
    words = "from: left_hand, left_foot, head_link, logo_link, imu_in_torso, d435_link, camera, lidar_mount$"
    with pytest.raises(ModelError, match=words):
        fa.Robot.from_urdf(f'<robot name="r">{links}{joints}</robot>')
