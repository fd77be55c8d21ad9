"""URDF reading: paths through the tree, limits as the format says, and what is refused."""

import math
import os

import numpy as np
import pytest

from forearm.common.transforms import inverse
from forearm.core.arm.kinematics import fk_tip
from forearm.errors import ModelError
from forearm.models.urdf import from_urdf

LIMIT = '<limit lower="-1" upper="2" velocity="3"/>'


def joint(name, parent, child, kind="revolute", body=LIMIT, xyz="0 0 1"):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}" rpy="0.1 0.2 0.3"/><axis xyz="0 1 0"/>{body}</joint>'
    )


def robot(*joints, links="abcd"):
    names = links.split() if " " in links else list(links)
    return f'<robot name="r">{"".join(f"<link name={chr(34)}{n}{chr(34)}/>" for n in names)}{"".join(joints)}</robot>'


FORK = robot(joint("j1", "a", "b"), joint("j2", "b", "c"), joint("j3", "b", "d"))


def fk(model, q):
    T = np.empty((4, 4))
    fk_tip(model.links, model.joints, np.asarray(q, dtype=float), T)
    return T


def test_a_single_root_and_leaf_need_no_names():
    model = from_urdf(robot(joint("j1", "a", "b"), links="ab"))
    assert (model.base, model.tip, model.joint_names) == ("a", "b", ("j1",))
    np.testing.assert_array_equal(model.limits, [[-1], [2]])
    assert model.velocity.tolist() == [3.0]


def test_path_may_run_up_and_down_the_tree():
    q = {"j1": 0.5, "j2": -0.3, "j3": 0.8}
    to_c = fk(from_urdf(FORK, tip="c"), [q["j1"], q["j2"]])
    to_d = fk(from_urdf(FORK, tip="d"), [q["j1"], q["j3"]])
    across = from_urdf(FORK, base="c", tip="d")
    assert across.joint_names == ("j2", "j3")
    np.testing.assert_allclose(fk(across, [q["j2"], q["j3"]]), inverse(to_c) @ to_d, atol=1e-14)


def test_fixed_joints_are_folded_away():
    text = robot(joint("j1", "a", "b", "fixed", ""), joint("j2", "b", "c"), joint("j3", "c", "d", "fixed", ""))
    model = from_urdf(text)
    assert model.joint_names == ("j2",)
    assert model.links.shape == (2, 3, 4)


def test_a_file_with_missing_meshes_loads(tmp_path):
    text = robot(joint("j1", "a", "b"), links="ab").replace(
        '<link name="a"/>',
        '<link name="a"><visual><geometry><mesh filename="package://nowhere/x.stl"/></geometry></visual></link>',
    )
    path = tmp_path / "arm.urdf"
    path.write_text(text)
    assert from_urdf(path).n == 1
    assert from_urdf(str(path)).n == 1
    assert from_urdf(text.encode()).n == 1


def test_continuous_joints_have_no_limits_even_if_the_file_names_some():
    model = from_urdf(robot(joint("j1", "a", "b", "continuous"), links="ab"))
    np.testing.assert_array_equal(model.limits, [[-math.inf], [math.inf]])


def test_infinite_limits_are_kept_and_absent_numbers_are_zero_as_the_format_says():
    infinite = joint("j1", "a", "b", body='<limit lower="-inf" upper="inf"/>')
    np.testing.assert_array_equal(from_urdf(robot(infinite, links="ab")).limits, [[-math.inf], [math.inf]])
    absent = joint("j1", "a", "b", body='<limit effort="1" velocity="0"/>')
    model = from_urdf(robot(absent, links="ab"))
    np.testing.assert_array_equal(model.limits, [[0], [0]])
    assert model.velocity.tolist() == [math.inf]


def test_limits_given_by_the_caller_replace_those_of_the_file():
    text = robot(joint("j1", "a", "b", body=""), links="ab")
    np.testing.assert_array_equal(from_urdf(text, limits={"j1": (-0.5, 0.5)}).limits, [[-0.5], [0.5]])


def test_a_continuous_joint_becomes_revolute_by_the_callers_limits():
    model = from_urdf(robot(joint("j1", "a", "b", "continuous"), links="ab"), limits={"j1": (-1, 1)})
    assert model.joint_kinds == ("revolute",)


def test_a_prismatic_joint_without_limit_is_not_told_to_turn():
    with pytest.raises(ModelError, match="is prismatic but has no <limit>") as caught:
        from_urdf(robot(joint("j1", "a", "b", "prismatic", ""), links="ab"))
    assert "continuous" not in str(caught.value)


@pytest.mark.parametrize("axis", ["0 1e200 0", "0 1e-160 0", "0 5e-324 0"])
def test_only_the_direction_of_an_axis_counts(axis):
    text = robot(joint("j1", "a", "b"), links="ab")
    odd = from_urdf(text.replace('axis xyz="0 1 0"', f'axis xyz="{axis}"'))
    np.testing.assert_array_equal(odd.links, from_urdf(text).links)


def test_limits_of_a_mimic_joint_narrow_its_driver():
    follower = joint("j2", "b", "c", body='<limit lower="-1" upper="0.5"/><mimic joint="j1" multiplier="-2"/>')
    model = from_urdf(robot(joint("j1", "a", "b"), follower, links="abc"))
    np.testing.assert_allclose(model.limits, [[-0.25], [0.5]])


def test_the_driver_of_a_mimic_joint_may_lie_off_the_path():
    other = joint("j1", "a", "b")
    follower = joint("j2", "a", "c", body=f'{LIMIT}<mimic joint="j1" multiplier="2" offset="0.1"/>')
    model = from_urdf(robot(other, follower, links="abc"), tip="c")
    free = from_urdf(robot(other, joint("j2", "a", "c"), links="abc"), tip="c")
    assert model.joint_names == ("j1",)
    np.testing.assert_allclose(fk(model, [0.3]), fk(free, [0.7]), atol=1e-15)


def test_a_mimic_of_a_joint_that_is_not_there_is_remarked_on(caplog):
    model = from_urdf(robot(joint("j1", "a", "b", body=f'{LIMIT}<mimic joint="ghost"/>'), links="ab"))
    assert model.joint_names == ("j1",)
    assert "'j1' mimics 'ghost', which does not exist" in model.note
    assert [(r.name, r.levelname) for r in caplog.records] == [("forearm", "WARNING")]
    assert "the URDF text: 'j1' mimics 'ghost'" in caplog.text


BAD = {
    "no path": (
        dict(source=robot(joint("j1", "a", "b"), joint("j2", "c", "d")), base="a", tip="d"),
        "no path from 'a' to 'd': they are in separate trees with the roots 'a' and 'c'",
    ),
    "two parents": (
        dict(source=robot(joint("j1", "a", "b"), joint("j2", "c", "b"))),
        "has a loop: link 'b' is the child of both 'j1' and 'j2'",
    ),
    "all ring": (dict(source=robot(joint("j1", "a", "b"), joint("j2", "b", "a"), links="ab")), "has a loop"),
    "zero axis": (
        dict(source=robot(joint("j1", "a", "b"), links="ab").replace('axis xyz="0 1 0"', 'axis xyz="0 0 0"')),
        "the axis of joint 'j1' in the URDF text is [0.0, 0.0, 0.0], a vector of length zero",
    ),
    "two links of a name": (dict(source=robot(joint("j1", "a", "b"), links="abb")), "two links named 'b'"),
    "two joints of a name": (
        dict(source=robot(joint("j", "a", "b"), joint("j", "b", "c"), links="abc")),
        "two joints named 'j'",
    ),
    "unknown tip": (dict(source=FORK, tip="e"), "link 'e' is not in the URDF text; tips are: c, d"),
    "unknown base": (dict(source=FORK, base="z", tip="c"), "link 'z' is not in the URDF text; roots are: a"),
    "several tips": (dict(source=FORK), "has 2 links at the end of a branch; choose tip=... from: c, d"),
    "base is tip": (dict(source=FORK, base="c", tip="c"), "no joint moves between 'c' and 'c'"),
    "no limit": (
        dict(source=robot(joint("j1", "a", "b", body=""), links="ab")),
        "joint 'j1' in the URDF text is revolute but has no <limit>, which URDF demands",
    ),
    "reversed limits": (
        dict(source=robot(joint("j1", "a", "b", body='<limit lower="1" upper="-1"/>'), links="ab")),
        "joint 'j1' in the URDF text has lower limit 1 and upper limit -1; swap them, or pass limits={'j1'",
    ),
    "nan limit": (
        dict(source=robot(joint("j1", "a", "b", body='<limit lower="nan" upper="1"/>'), links="ab")),
        "joint 'j1' in the URDF text has a limit that is not a number",
    ),
    "limits no value meets": (
        dict(source=robot(joint("j1", "a", "b", body='<limit lower="inf" upper="inf"/>'), links="ab")),
        "which no value meets",
    ),
    "reversed limits of the caller": (
        dict(source=FORK, tip="c", limits={"j1": (1, 0)}),
        "joint 'j1' in limits= has lower limit 1 and upper limit 0; swap them",
    ),
    "a limit": (dict(source=FORK, tip="c", limits={"j1": 5}), "joint 'j1' in limits= has limits 5; they are a pair"),
    "one limit": (dict(source=FORK, tip="c", limits={"j1": (0,)}), "has limits (0,); they are a pair (lower, upper)"),
    "limits in words": (dict(source=FORK, tip="c", limits={"j1": ("a", "b")}), "is not an array of numbers"),
    "limits in a list": (
        dict(source=FORK, tip="c", limits=[(0, 1)]),
        "limits is [(0, 1)]; it takes a mapping from joint",
    ),
    "a number as tip": (dict(source=FORK, tip=5), "link '5' is not in the URDF text; tips are: c, d"),
    "an endless link": (
        dict(source=robot(joint("j1", "a", "b", xyz="0 0 1e200"), links="ab")),
        "'j1' in r moves by 1e+200 m; lengths are below 1e+06 m",
    ),
    "empty text": (dict(source=""), "the URDF is an empty text; give a path or XML text"),
    "limit of unknown joint": (dict(source=FORK, tip="c", limits={"j7": (0, 1)}), "joint 'j7' in limits is not in"),
    "word for a number": (
        dict(source=robot(joint("j1", "a", "b", xyz="0 zero 0"), links="ab")),
        "joint 'j1' in the URDF text has xyz=\"zero\", which is not a number",
    ),
    "two numbers": (dict(source=robot(joint("j1", "a", "b", xyz="0 1"), links="ab")), "it takes three numbers"),
    "infinite origin": (dict(source=robot(joint("j1", "a", "b", xyz="0 1 1e999"), links="ab")), "must be finite"),
    "unknown type": (dict(source=robot(joint("j1", "a", "b", "hinge"), links="ab")), "has type 'hinge'"),
    "ghost link": (dict(source=robot(joint("j1", "a", "x"), links="ab")), "names link 'x', which does not exist"),
    "no parent": (
        dict(source='<robot name="r"><link name="a"/><joint name="j" type="fixed"><child link="a"/></joint></robot>'),
        "joint 'j' in the URDF text has no <parent>",
    ),
    "nameless joint": (dict(source="<robot><link name='a'/><joint/></robot>"), "<joint> has no attribute 'name'"),
    "mimic ring": (
        dict(
            source=robot(
                joint("j1", "a", "b", body=f'{LIMIT}<mimic joint="j2"/>'),
                joint("j2", "b", "c", body=f'{LIMIT}<mimic joint="j1"/>'),
                links="abc",
            )
        ),
        "mimics itself by way of j1 -> j2",
    ),
    "mimic limits apart": (
        dict(
            source=robot(
                joint("j1", "a", "b"),
                joint("j2", "b", "c", body='<limit lower="5" upper="6"/><mimic joint="j1"/>'),
                links="abc",
            )
        ),
        "joint 'j2' follows 'j1' but their limits leave no value for both",
    ),
    "no links": (dict(source="<robot name='r'/>"), "has no root link"),
    "wrong root": (dict(source="<sdf/>"), "has the root <sdf>; expected <robot>"),
    "not closed": (dict(source="<robot><link"), "is not well-formed XML"),
    "not a path": (dict(source=42), "URDF is given as a path or as XML text, not int"),
    "no file": (dict(source="no/such/arm.urdf"), "there is no URDF file 'no/such/arm.urdf'"),
    "a folder": (dict(source="."), "is not a regular file"),
    "nul in path": (dict(source="a\0b"), "URDF file"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_urdfs_are_refused_with_words(case):
    arguments, words = BAD[case]
    with pytest.raises(ModelError) as caught:
        from_urdf(**arguments)
    assert words in str(caught.value)


FAULTS = {
    "unknown type": (joint("bad", "a", "x", "hinge"), "has type 'hinge'"),
    "a word for a number": (joint("bad", "a", "x", xyz="0 zero 0"), "is not a number"),
    "a link that is not there": (joint("bad", "a", "nowhere"), "names link 'nowhere', which does not exist"),
    "a parent that is not there": (joint("bad", "nowhere", "x"), "names link 'nowhere', which does not exist"),
    "no child": ('<joint name="bad" type="fixed"><parent link="a"/></joint>', "has no <child>"),
    "no name": ("<joint/>", "has no attribute 'name'"),
    "a mimic of nothing": (joint("bad", "a", "x", body=f"{LIMIT}<mimic/>"), "has no attribute 'joint'"),
    "two links of a name": ('<link name="x"/><link name="x"/>', "two links named 'x'"),
    "a link without a name": ("<link/>", "has no attribute 'name'"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_faults_off_the_chain_are_noted_and_do_not_refuse_it(case):
    fault, words = FAULTS[case]
    model = from_urdf(robot(joint("j0", "a", "b"), joint("j2", "b", "c"), fault, links="abcx"), tip="c")
    assert model.joint_names == ("j0", "j2")
    assert words in model.note


def test_a_follower_of_a_joint_with_a_fault_is_refused_with_the_fault():
    follower = joint("j", "a", "b", body=f'{LIMIT}<mimic joint="bad"/>')
    text = robot(joint("bad", "a", "x", "hinge"), follower, links="abx")
    with pytest.raises(ModelError, match="joint 'bad' in the URDF text has type 'hinge'"):
        from_urdf(text, tip="b")


MACRO = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="d" value="0.4"/>
<xacro:macro name="arm" params="n"><link name="b${n}"/><joint name="j${n}" type="continuous"><parent link="a"/>
<child link="b${n}"/><origin xyz="0 0 ${d}"/></joint></xacro:macro><link name="a"/><xacro:arm n="1"/></robot>"""


def test_xacro_tags_in_a_urdf_are_expanded():
    model = from_urdf(MACRO)
    assert (model.joint_names, model.tip) == (("j1",), "b1")
    assert "its xacro tags were expanded" in model.note


@pytest.mark.parametrize("declared", [' xmlns:xacro="http://www.ros.org/wiki/xacro"', ""])
def test_stray_xacro_tags_are_passed_over_with_a_note(declared):
    stray = '<xacro:include filename="$(find nowhere)/x.xacro"/><gazebo:x a:b="1"/>'
    text = robot(joint("j1", "a", "b"), stray, links="ab").replace("<robot ", f"<robot{declared} ", 1)
    model = from_urdf(text)
    assert model.joint_names == ("j1",)
    assert "passed over <xacro:include>: xacro cannot expand" in model.note


def test_a_xacro_that_cannot_be_expanded_and_is_no_robot_without_its_tags_is_refused():
    with pytest.raises(ModelError, match="xacro cannot expand the URDF text: unknown macro name: xacro:leg"):
        from_urdf(MACRO.replace("xacro:arm", "xacro:leg"))


def test_a_urdf_drives_and_floats():
    text = robot(joint("base", "a", "b", "planar", ""), joint("j", "b", "c"), links="abc")
    assert from_urdf(text).joint_names == ("base/x", "base/y", "base/yaw", "j")
    assert from_urdf(text.replace("planar", "floating")).n == 7


LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "lol">'
    + "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9))
    + ']><robot name="&j;"/>'
)
OUTSIDE = '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"/>'


@pytest.mark.parametrize("text", [LAUGHS, OUTSIDE], ids=["billion laughs", "external entity"])
def test_entities_are_refused_for_safety(text, tmp_path):
    path = tmp_path / "bomb.urdf"
    path.write_text(text)
    with pytest.raises(ModelError, match="refused for safety"):
        from_urdf(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "is empty"), (b" \n", "is empty"), (os.urandom(1000), "well-formed"), (b"\x00" * 64, "well-formed")],
    ids=["nothing", "blanks", "noise", "zeros"],
)
def test_files_that_are_no_xml_are_refused(content, words, tmp_path):
    path = tmp_path / "odd.urdf"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=words):
        from_urdf(path)


def test_a_huge_file_is_refused_unread(tmp_path):
    path = tmp_path / "garbage.urdf"
    with path.open("wb") as file:
        block = os.urandom(1 << 20)
        for _ in range(50):
            file.write(block)
    with pytest.raises(ModelError, match="52,428,800 bytes; at most 33,554,432 are read"):
        from_urdf(path)


def test_a_large_but_allowed_garbage_file_is_refused_too(tmp_path):
    path = tmp_path / "garbage.urdf"
    path.write_bytes(b"<robot>" + b"x" * (30 << 20))
    with pytest.raises(ModelError, match="well-formed"):
        from_urdf(path)


@pytest.mark.parametrize("depth", [1000, 200_000])
def test_deeply_nested_files_are_refused(depth):
    with pytest.raises(ModelError, match=r"nests elements more than 500 deep|has more than 200,000 tags"):
        from_urdf("<robot>" + "<a>" * depth + "</a>" * depth + "</robot>")


def test_a_pipe_does_not_hang(tmp_path):
    path = tmp_path / "pipe.urdf"
    os.mkfifo(path)
    with pytest.raises(ModelError, match="not a regular file"):
        from_urdf(path)


def test_half_a_character_is_told_with_its_place():
    with pytest.raises(ModelError, match=r"the URDF text has U\+D800 at character 13, half of a character"):
        from_urdf("<robot name='\ud800'/>")


def test_many_tags_and_many_joints_are_refused_at_once():
    with pytest.raises(ModelError, match="more than 200,000 tags"):
        from_urdf("<robot>" + "<a/>" * 200_001 + "</robot>")
    with pytest.raises(ModelError, match="has 6,000 joints"):
        from_urdf("<robot>" + "<joint/>" * 6000 + "</robot>")


@pytest.mark.parametrize(
    ("closing", "words"),
    [
        ('<loop_joint name="x"><link1 link="a"/><link2 link="c"/></loop_joint>', "the loop_joint 'x' holds 'a' to 'c'"),
        (
            '<gazebo><joint name="y"><parent>d</parent><child>c</child></joint></gazebo>',
            "the gazebo joint 'y' holds 'd' to 'c'",
        ),
    ],
)
def test_loops_that_other_tools_close_are_refused_by_name_on_the_chain_alone(closing, words):
    with pytest.raises(ModelError, match=words):
        from_urdf(FORK.replace("</robot>", f"{closing}</robot>"), tip="c")
    elsewhere = FORK.replace("</robot>", f"{joint('j4', 'b', 'e')}<link name='e'/>{closing}</robot>")
    if "gazebo" in closing:  # which leaves the first joint to itself
        assert from_urdf(elsewhere, tip="e").joint_names == ("j1", "j4")
