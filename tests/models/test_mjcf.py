"""The MJCF loader against MuJoCo's own kinematics, and what it says about files it cannot read."""

import math
import os
import sys

import mujoco
import numpy as np
import pytest

import forearm as fa
from forearm.core.arm.kinematics import fk_tip
from forearm.errors import MissingExtraError, ModelError
from forearm.models.mjcf import from_mjcf

AGREEMENT = 1e-12  # [m] and [rad]
CONFIGURATIONS = 20
BALL = '<geom size="0.01"/>'  # mass, without which MuJoCo itself refuses a moving body


def robot(worldbody, *, head="", tail=""):
    return f"<mujoco>{head}<worldbody>{worldbody}</worldbody>{tail}</mujoco>"


HINGE_AND_SLIDE = robot(
    f"""<body name="upper" pos="0.1 -0.2 0.3"><joint name="turn" axis="1 2 3" range="-90 120"/>{BALL}
    <body name="lower" pos="0 0.4 0.1"><joint name="slide" type="slide" axis="0 1 1" range="-0.2 0.5"/>{BALL}
    <site name="tool" pos="0.05 0.06 0.07" quat="1 2 3 4"/></body></body>"""
)
ANCHORS_AND_REFS = robot(
    f"""<body name="a" pos="1 0 0"><joint name="j1" axis="0 1 0" pos="0.1 0.2 0.3" ref="40"/>{BALL}
    <body name="b" pos="0 1 0"><joint name="j2" type="slide" axis="1 0 1" pos="0.3 0 0" ref="0.25"/>{BALL}
    <body name="c" pos="0 0 1"><joint name="j3" axis="1 0 0" pos="-0.1 0.1 0" ref="-20"/>{BALL}
    <site name="tool" pos="0.1 0 0"/></body></body></body>"""
)
SEVERAL_JOINTS_A_BODY = robot(
    f"""<body name="hip" pos="0 0 1"><joint name="x" axis="1 0 0" pos="0 0 0.1"/><joint name="y" axis="0 1 0"/>
    <joint name="up" type="slide" axis="0 0 1" pos="1 1 1"/><joint name="z" axis="0 0 1" pos="0.2 0 0" ref="15"/>{BALL}
    <body name="foot" pos="0 0 -1"><joint name="ankle"/>{BALL}</body></body>"""
)
ORIENTATIONS = robot(
    f"""<body name="a" pos="0 0 1" euler="0.1 0.2 0.3"><joint name="j1"/>{BALL}
    <body name="b" pos="1 0 0" axisangle="1 1 0 0.7"><joint name="j2" axis="0 1 0" range="-1 2"/>{BALL}
    <frame pos="0 0.1 0" euler="0.5 0 0"><body name="c" xyaxes="0 1 0 -1 0 0.2"><joint name="j3" axis="1 0 0"/>{BALL}
    <body name="d" zaxis="0 1 1" pos="0 0 0.3"><joint name="j4"/>{BALL}
    <site name="tool" fromto="0 0 0 0.1 0.2 0.3" size="0.01" type="capsule"/></body></body></frame></body></body>""",
    head='<compiler angle="radian" eulerseq="zyx"/>',
)
DEFAULT_CLASSES = robot(
    f"""<body name="a"><joint name="j1" range="-30 30"/>{BALL}
    <body name="b" pos="0 0 1" childclass="rail"><joint name="j2"/>{BALL}
    <body name="c" pos="0 0 1"><joint name="j3" class="elbow"/>{BALL}<site name="tool"/></body></body></body>""",
    head="""<default><joint axis="0 1 0"/><default class="rail"><joint type="slide" axis="1 0 0" range="0 0.3"/>
    <site pos="0 0 0.2" euler="0 30 0"/></default>
    <default class="elbow"><joint pos="0.1 0 0" ref="10"/></default></default>""",
)
TWO_ARMS = robot(
    f"""<body name="torso" pos="0 0 1"><joint name="waist"/>{BALL}<site name="chest" pos="0.1 0 0.2" euler="0 90 0"/>
    <body name="left_upper" pos="0 0.3 0"><joint name="l1" axis="0 1 0" pos="0 0 0.1" ref="30"/>{BALL}
    <body name="left_hand" pos="0 0.3 0.1" euler="10 20 30"><joint name="l2" axis="1 0 0"/>
    <joint name="l3" type="slide" axis="0 0 1" ref="0.1"/>{BALL}<site name="left_palm" pos="0 0 0.1"/></body></body>
    <body name="right_hand" pos="0 -0.3 0"><joint name="r1" axis="0 1 0"/>{BALL}<site name="right_palm"/></body>
    </body>"""
)
CHAINS = {
    "hinge and slide": (HINGE_AND_SLIDE, None, "tool"),
    "a body as tip": (HINGE_AND_SLIDE, None, "lower"),
    "anchors and refs": (ANCHORS_AND_REFS, None, "tool"),
    "several joints a body": (SEVERAL_JOINTS_A_BODY, None, "foot"),
    "orientations": (ORIENTATIONS, None, "tool"),
    "default classes": (DEFAULT_CLASSES, None, "tool"),
    "base given": (TWO_ARMS, "torso", "left_palm"),
    "site as base": (TWO_ARMS, "chest", "left_palm"),
    "upward": (TWO_ARMS, "left_palm", "chest"),
    "up to the world": (TWO_ARMS, "left_hand", "world"),
    "up and down": (TWO_ARMS, "left_palm", "right_palm"),
}


def frame_of(oracle, data, name):
    """The world pose of a site, or else of a body, by MuJoCo."""
    T = np.eye(4)
    is_site = mujoco.mj_name2id(oracle, mujoco.mjtObj.mjOBJ_SITE, name) >= 0
    frame = data.site(name) if is_site else data.body(name)
    T[:3, 3], T[:3, :3] = frame.xpos, frame.xmat.reshape(3, 3)
    return T


def mujoco_fk(oracle, values, base, tip):
    """T_base_tip by mj_kinematics, with the joints that are not named at their reference."""
    data = mujoco.MjData(oracle)
    for name, value in values.items():
        data.joint(name).qpos = value
    mujoco.mj_kinematics(oracle, data)
    return np.linalg.inv(frame_of(oracle, data, base)) @ frame_of(oracle, data, tip)


def forearm_fk(model, q):
    T = np.empty((4, 4))
    fk_tip(model.links, model.joints, np.asarray(q, dtype=np.float64), T)
    return T


def random_q(model, rng):
    return rng.uniform(np.maximum(model.limits[0], -3.0), np.minimum(model.limits[1], 3.0))


def assert_same_kinematics(model, oracle, base, tip, followers=lambda values: {}):
    rng = np.random.default_rng(7)
    for _ in range(CONFIGURATIONS):
        q = random_q(model, rng)
        values = dict(zip(model.joint_names, q, strict=True))
        expected = mujoco_fk(oracle, values | followers(values), base, tip)
        assert np.abs(forearm_fk(model, q) - expected).max() < AGREEMENT


@pytest.mark.parametrize("name", CHAINS)
def test_fk_is_that_of_mujoco(name):
    xml, base, tip = CHAINS[name]
    model = from_mjcf(xml, base=base, tip=tip)
    assert (model.base, model.tip) == (base or "world", tip)
    assert_same_kinematics(model, mujoco.MjModel.from_xml_string(xml), base or "world", tip)


def test_joints_come_in_the_order_of_the_path():
    assert from_mjcf(SEVERAL_JOINTS_A_BODY, tip="foot").joint_names == ("x", "y", "up", "z", "ankle")
    assert from_mjcf(TWO_ARMS, base="left_palm", tip="right_palm").joint_names == ("l3", "l2", "l1", "r1")


def test_limits_are_in_radians_and_kinds_follow_from_them():
    model = from_mjcf(HINGE_AND_SLIDE)
    np.testing.assert_allclose(model.limits, [[-math.pi / 2, -0.2], [2 * math.pi / 3, 0.5]], rtol=1e-15)
    assert model.joint_kinds == ("revolute", "prismatic")
    assert np.isinf(model.velocity).all()


def test_joints_without_limits_are_continuous_or_endless():
    model = from_mjcf(SEVERAL_JOINTS_A_BODY)
    assert model.joint_kinds == ("continuous", "continuous", "prismatic", "continuous", "continuous")
    assert np.isinf(model.limits).all()


def test_a_range_counts_only_where_mujoco_counts_it():
    joints = '<joint name="a" range="-1 1" limited="false"/><joint name="b" range="-1 1" limited="true"/>'
    model = from_mjcf(robot(f'<body name="arm">{joints}</body>', head='<compiler angle="radian" autolimits="false"/>'))
    assert model.joint_kinds == ("continuous", "revolute")


def test_a_bad_range_counts_only_on_the_path_and_where_no_other_is_given():
    text = robot(
        '<body name="a"><joint name="j" range="1 -1"/><body name="b"><joint name="k" range="0 9"/></body></body>'
    )
    assert from_mjcf(text, base="a").joint_names == ("k",)
    assert from_mjcf(text, limits={"j": (-1, 1)}).limits[:, 0].tolist() == [-1, 1]
    unlimited = text.replace('range="1 -1"', 'range="1 -1" limited="false"')
    assert from_mjcf(unlimited).joint_kinds == ("continuous", "revolute")


@pytest.mark.parametrize("limits", [{"ankle": 5}, {"ankle": (0,)}, {"ankle": ("a", "b")}, {"ankle": None}, [(0, 1)], 5])
def test_limits_that_are_no_pairs_are_refused(limits):
    with pytest.raises(ModelError, match="limits"):
        from_mjcf(SEVERAL_JOINTS_A_BODY, limits=limits)


def test_given_limits_replace_those_of_the_file():
    model = from_mjcf(SEVERAL_JOINTS_A_BODY, limits={"ankle": (-0.5, 0.25)})
    assert model.limits[:, 4].tolist() == [-0.5, 0.25]
    assert model.joint_kinds[4] == "revolute"


def test_a_tool_moves_the_tip():
    tool = np.eye(4)
    tool[:3, 3] = 0.1, 0.2, 0.3
    q = [0.3, 0.1]
    np.testing.assert_allclose(
        forearm_fk(from_mjcf(HINGE_AND_SLIDE, tool=tool), q),
        forearm_fk(from_mjcf(HINGE_AND_SLIDE), q) @ tool,
        atol=1e-15,
    )


def test_what_has_no_name_is_called_by_its_number():
    model = from_mjcf(robot('<body><joint/><joint name="lift" type="slide"/><body name="b"><joint/></body></body>'))
    assert model.joint_names == ("body1/joint0", "lift", "b/joint0")


def test_made_up_joint_names_differ_from_given_ones():
    model = from_mjcf(robot('<body name="b"><joint/><body name="c"><joint name="b/joint0"/></body></body>'))
    assert model.joint_names == ("b/joint0_", "b/joint0")


def test_a_site_is_preferred_to_a_body_of_the_same_name():
    model = from_mjcf(robot('<body name="hand"><joint/><site name="hand" pos="0 0 0.5"/></body>'), tip="hand")
    np.testing.assert_allclose(forearm_fk(model, [0.0])[:3, 3], [0.0, 0.0, 0.5])


def test_the_tip_may_be_left_out_where_it_is_clear():
    assert from_mjcf(HINGE_AND_SLIDE).tip == "tool"
    assert from_mjcf(SEVERAL_JOINTS_A_BODY).tip == "foot"


def test_several_tips_are_listed_hands_first():
    words = r"3 sites and 2 bodies at the end of a branch; choose tip=.* left_palm, right_palm, left_hand, .*, chest"
    with pytest.raises(ModelError, match=words):
        from_mjcf(TWO_ARMS)


def test_name_and_note_say_where_the_model_is_from(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(HINGE_AND_SLIDE.replace("<mujoco>", '<mujoco model="crane">'))
    model = from_mjcf(path)
    assert (model.name, model.note) == ("crane", "read from arm.xml")
    assert from_mjcf(str(path)).name == from_mjcf(path.read_bytes()).name == "crane"


# --- joints that follow another -------------------------------------------------------------

FINGERS = f"""<body name="palm"><joint name="wrist" range="-90 90"/>{BALL}
<body name="one" pos="0 0 0.1"><joint name="f1" axis="0 1 0" range="-60 60" ref="10"/>{BALL}
<body name="two" pos="0 0 0.1"><joint name="f2" axis="0 1 0" range="-40 20" ref="-5"/>{BALL}
<body name="three" pos="0 0 0.1"><joint name="f3" type="slide" axis="0 0 1" ref="0.02"/>{BALL}<site name="nail"/>
</body></body></body></body>"""


def coupled(*equalities):
    return robot(FINGERS, tail=f"<equality>{''.join(equalities)}</equality>")


F2_BY_F1 = '<joint name="tendon" joint1="f2" joint2="f1" polycoef="0.1 0.5 0 0 0"/>'
F3_BY_F2 = '<joint joint1="f3" joint2="f2" polycoef="0.01 -0.2 0 0 0"/>'
REF1, REF2, REF3 = math.radians(10), math.radians(-5), 0.02


def two_followers(values):
    """MuJoCo's documented law: y - y0 = a0 + a1 (x - x0)."""
    f2 = REF2 + 0.1 + 0.5 * (values["f1"] - REF1)
    return {"f2": f2, "f3": REF3 + 0.01 - 0.2 * (f2 - REF2)}


@pytest.mark.parametrize(("base", "tip"), [("world", "nail"), ("nail", "world"), ("one", "nail")])
def test_coupled_joints_follow_as_mujoco_constrains_them(base, tip):
    xml = coupled(F2_BY_F1, F3_BY_F2)
    model = from_mjcf(xml, base=base, tip=tip)
    assert set(model.mimics) == {"f2", "f3"}
    assert "f2" not in model.joint_names
    assert_same_kinematics(model, mujoco.MjModel.from_xml_string(xml), base, tip, two_followers)


def test_the_law_of_followers_meets_mujocos_constraints():
    oracle = mujoco.MjModel.from_xml_string(coupled(F2_BY_F1, F3_BY_F2))
    data = mujoco.MjData(oracle)
    for name, value in ({"f1": 0.4} | two_followers({"f1": 0.4})).items():
        data.joint(name).qpos = value
    mujoco.mj_forward(oracle, data)
    assert data.ne == 2
    assert np.abs(data.efc_pos[:2]).max() < AGREEMENT


@pytest.mark.parametrize(("base", "tip"), [("world", "nail"), ("nail", "world")])
def test_limits_of_followers_narrow_those_of_their_driver(base, tip):
    model = from_mjcf(coupled(F2_BY_F1), base=base, tip=tip)
    lower, upper = model.limits[:, model.joint_names.index("f1")]
    for bound in (lower, upper):
        f2 = two_followers({"f1": bound})["f2"]
        assert -math.radians(40) <= f2 <= math.radians(20) + 1e-12
    assert lower == pytest.approx(-math.radians(60))
    assert two_followers({"f1": upper})["f2"] == pytest.approx(math.radians(20))


def test_a_joint_constrained_to_a_constant_is_held_there():
    xml = coupled('<joint joint1="f2" polycoef="0.3 0 0 0 0"/>')
    model = from_mjcf(xml)
    assert model.joint_names == ("wrist", "f1", "f3")
    assert_same_kinematics(model, mujoco.MjModel.from_xml_string(xml), "world", "nail", lambda _: {"f2": REF2 + 0.3})


def test_inactive_constraints_do_not_count():
    model = from_mjcf(coupled(F2_BY_F1.replace("<joint", '<joint active="false"')))
    assert model.joint_names == ("wrist", "f1", "f2", "f3")


@pytest.mark.parametrize("polynomial", ["0 1 0.5 0 0", "0 1 0 0 2", "0 nan 0 0 0"])
def test_curved_couplings_are_refused_by_name_on_the_path_only(polynomial):
    xml = coupled(f'<joint name="cam" joint1="f2" joint2="f1" polycoef="{polynomial}"/>')
    with pytest.raises(ModelError, match=r"equality 'cam' .* joint 'f2' .*only finite, linear"):
        from_mjcf(xml)
    assert from_mjcf(xml, tip="one").joint_names == ("wrist", "f1")


def test_two_constraints_on_one_joint_are_refused():
    with pytest.raises(ModelError, match=r"joint 'f2' .* follows 2 equality constraints: 'tendon', 'equality1'"):
        from_mjcf(coupled(F2_BY_F1, '<joint joint1="f2" joint2="wrist"/>'))


def test_constraints_in_a_ring_are_refused():
    with pytest.raises(ModelError, match="follows itself"):
        from_mjcf(coupled(F2_BY_F1, '<joint joint1="f1" joint2="f2"/>'))


# --- what is not needed may be missing ------------------------------------------------------

PLAIN = """<body name="a" pos="0 0 0.3"><joint name="j1" axis="0 1 0"/>{a}
<body name="b" pos="0.2 0 0"><joint name="j2" type="slide" range="0 1"/>{b}<site name="tool" pos="0 0 0.1"{s}/></body>
</body>"""

MISSING_FILES = robot(
    '<geom type="hfield" hfield="ground"/><light target="a" mode="targetbody"/>'
    + PLAIN.format(
        a='<geom type="mesh" mesh="shell" material="paint"/><camera name="eye"/>',
        b='<geom type="mesh" mesh="shell"/>',
        s=' material="paint"',
    ),
    head="""<compiler meshdir="no" fusestatic="true" discardvisual="true" inertiafromgeom="true"/>
    <size memory="900G"/><default><geom mesh="shell"/></default>
    <asset><mesh name="shell" file="shell.stl"/><texture name="grain" type="2d" file="grain.png"/>
    <material name="paint" texture="grain"/><hfield name="ground" file="ground.png" size="1 1 1 1"/></asset>""",
    tail="""<contact><exclude body1="a" body2="b"/></contact>
    <tendon><fixed name="cord"><joint joint="j1" coef="1"/></fixed></tendon>
    <equality><weld active="false" body1="a" body2="b"/><tendon active="false" tendon1="cord"/></equality>
    <actuator><motor joint="j1"/><position tendon="cord"/></actuator>
    <sensor><jointpos joint="j1"/><touch site="tool"/></sensor>
    <keyframe><key qpos="1 2"/></keyframe><custom><numeric name="n" data="1"/></custom>""",
)


def test_missing_assets_are_no_error_and_change_no_frame():
    oracle = mujoco.MjModel.from_xml_string(robot(PLAIN.format(a=BALL, b=BALL, s="")))
    assert_same_kinematics(from_mjcf(MISSING_FILES), oracle, "world", "tool")


def test_bodies_need_no_mass_and_fixed_ones_keep_their_name():
    xml = robot('<body name="a"><joint/><body name="fixed" pos="1 0 0"/></body>', head='<compiler fusestatic="true"/>')
    np.testing.assert_allclose(forearm_fk(from_mjcf(xml), [0.0])[:3, 3], [1.0, 0.0, 0.0])


@pytest.mark.parametrize(
    "inertial", ['<inertial mass="0" pos="0 0 0"/>', '<inertial mass="1" pos="9 9 9" diaginertia="9 1 1"/>']
)
def test_masses_play_no_part(inertial):
    model = from_mjcf(robot(f'<body name="a" pos="1 2 3"><joint/>{inertial}</body>'))
    np.testing.assert_allclose(forearm_fk(model, [0.0])[:3, 3], [1.0, 2.0, 3.0])


def write_included(folder):
    """A file that includes another, which includes a third, each beside the one before."""
    (folder / "parts" / "deep").mkdir(parents=True)
    head = '<compiler angle="radian"/><include file="parts/arm.xml"/>'
    (folder / "main.mjcf").write_text(robot("", head=head))
    arm = '<body name="a"><joint name="j1" range="-1 1"/><geom size="1"/><include file="deep/hand.xml"/></body>'
    (folder / "parts" / "arm.xml").write_text(robot(arm))
    hand = '<body name="b" pos="0 1 0"><joint name="j2" axis="1 0 0"/><geom size="0.1"/><site name="tool"/></body>'
    (folder / "parts" / "deep" / "hand.xml").write_text(f"<mujocoinclude>{hand}</mujocoinclude>")
    merged = arm.replace('<include file="deep/hand.xml"/>', hand)
    return folder / "main.mjcf", robot(merged, head='<compiler angle="radian"/>')


def test_includes_are_found_beside_the_file(tmp_path, monkeypatch):
    path, merged = write_included(tmp_path)
    model = from_mjcf(path)
    assert model.limits[:, 0].tolist() == [-1.0, 1.0]
    assert_same_kinematics(model, mujoco.MjModel.from_xml_string(merged), "world", "tool")
    monkeypatch.chdir(tmp_path)
    np.testing.assert_array_equal(from_mjcf("main.mjcf").links, model.links)
    np.testing.assert_array_equal(from_mjcf(path.read_text()).links, model.links)


def test_attached_models_keep_their_units_and_need_no_meshes(tmp_path):
    child = '<body name="hand"><joint name="grip" range="0 1"/><geom type="mesh" mesh="m"/><site name="tool"/></body>'
    head = '<compiler angle="radian" inertiafromgeom="true"/><asset><mesh name="m" file="gone.obj"/></asset>'
    (tmp_path / "hand.xml").write_text(robot(child, head=head))
    arm = '<body name="arm"><joint name="j" range="0 180"/><attach model="hand" body="hand" prefix="right_"/></body>'
    (tmp_path / "arm.xml").write_text(robot(arm, head='<asset><model name="hand" file="hand.xml"/></asset>'))
    model = from_mjcf(tmp_path / "arm.xml")
    assert (model.tip, model.joint_names) == ("right_tool", ("j", "right_grip"))
    np.testing.assert_allclose(model.limits[1], [math.pi, 1.0])


# --- what is refused ------------------------------------------------------------------------


@pytest.mark.parametrize("argument", ["base", "tip"])
def test_unknown_frames_get_suggestions(argument):
    with pytest.raises(ModelError, match=r"site or body 'left_plam' is not in .*did you mean left_palm"):
        from_mjcf(TWO_ARMS, **{"tip": "chest", argument: "left_plam"})


def test_unknown_joints_in_limits_get_suggestions():
    with pytest.raises(ModelError, match="joint 'trun' in limits is not in the MJCF text; did you mean turn"):
        from_mjcf(HINGE_AND_SLIDE, limits={"trun": (0, 1)})


def test_limits_that_no_value_meets_are_refused():
    with pytest.raises(ModelError, match=r"joint 'turn' in limits= has lower limit 2 and upper limit 1; swap them$"):
        from_mjcf(HINGE_AND_SLIDE, limits={"turn": (2, 1)})


def test_a_chain_without_a_joint_is_refused():
    with pytest.raises(ModelError, match="no joint moves between 'torso' and 'chest'"):
        from_mjcf(TWO_ARMS, base="torso", tip="chest")


REFUSED = {
    "no XML": ("<mujoco", "not well-formed"),
    "another root": ("<robot/>", "expected <mujoco>"),
    "no bodies": ("<mujoco/>", "no body but the world"),
    "unknown element": (robot("<limb/>"), "MuJoCo cannot read the MJCF text: .*'limb';"),
    "zero axis": (robot('<body><joint name="j" axis="0 0 0"/></body>'), "axis too small"),
    "limits reversed": (robot('<body><joint limited="true" range="1 -1"/></body>'), "range"),
    "number too large": (robot('<body pos="1e999 0 0"><joint/></body>'), "too large"),
    "NaN in a pose": (robot('<body name="b" pos="nan 0 0"><joint/></body>'), "'world to b' .* not finite"),
    "infinity in a pose": (robot('<body name="b" pos="inf 0 0"><joint/></body>'), "'world to b' .* not finite"),
    "NaN in an anchor": (robot('<body><joint name="j" pos="nan 0 0"/></body>'), "joint 'j' .* not finite"),
    "NaN in a limit": (
        robot('<body><joint name="j" limited="true" range="0 nan"/></body>'),
        "joint 'j' .* not a number",
    ),
    "range reversed": (
        robot('<body><joint name="j" range="1 -1"/></body>'),
        "joint 'j' .* lower limit 1 and upper limit -1",
    ),
    "NaN in a range": (robot('<body><joint name="j" range="nan 1"/></body>'), "joint 'j' .* not a number"),
    "a body too far": (robot('<body name="b" pos="1e9 0 0"><joint/></body>'), "'world to b' .* moves by 1e.09 m"),
    "no such include": ('<mujoco><include file="nowhere.xml"/></mujoco>', "nowhere.xml"),
    "unknown plugin": ('<mujoco><extension><plugin plugin="no.such"/></extension></mujoco>', "no.such"),
    "entities": ('<!DOCTYPE m [<!ENTITY a "b">]><mujoco/>', "refused for safety"),
    "endless copies": (
        robot('<replicate count="99999"><replicate count="99999"/></replicate>'),
        "copies in a <replicate>",
    ),
    "no text": (5, "not int"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_refused_in_one_line(name, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    source, message = REFUSED[name]
    with pytest.raises(ModelError, match=message) as caught:
        from_mjcf(source)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []  # MuJoCo writes MUJOCO_LOG.TXT when it warns


@pytest.mark.parametrize("tag", ["include", "model"])
def test_files_that_read_themselves_are_refused(tag, tmp_path):
    nested = '<include file="{0}"/>' if tag == "include" else '<asset><model name="m" file="{0}"/></asset>'
    (tmp_path / "one.xml").write_text(f"<mujoco>{nested.format('two.xml')}</mujoco>")
    (tmp_path / "two.xml").write_text(f"<mujoco>{nested.format('./one.xml')}</mujoco>")
    with pytest.raises(ModelError, match=f'two.xml reads itself by way of <{tag} file="./one.xml">'):
        from_mjcf(tmp_path / "one.xml")


def test_copies_in_an_included_file_are_counted_too(tmp_path):
    (tmp_path / "part.xml").write_text(robot('<replicate count="999999999"><body/></replicate>'))
    (tmp_path / "main.xml").write_text('<mujoco><include file="part.xml"/></mujoco>')
    with pytest.raises(ModelError, match=r"main.xml asks for 999,999,999 copies"):
        from_mjcf(tmp_path / "main.xml")


def test_counts_are_read_as_mujoco_reads_them():
    for count in ("+30000", " 30000", "30000.5", "100 100 100"):
        with pytest.raises(ModelError, match="copies in a <replicate>"):
            from_mjcf(robot(f'<replicate count="{count}"><body/></replicate>'))


@pytest.mark.parametrize("tag", ["include", "model"])
def test_files_that_double_each_other_are_counted_in_sum(tag, tmp_path):
    body = '<body name="b"><joint name="j"/></body>'
    (tmp_path / "f0.xml").write_text(robot(body))
    for k in range(1, 30):
        if tag == "include":
            (tmp_path / f"f{k}.xml").write_text(
                f'<mujoco><include file="f{k - 1}.xml"/><include file="f{k - 1}.xml"/></mujoco>'
            )
            continue
        attached = "".join(f'<body name="{side}"><attach model="m" prefix="{side}"/></body>' for side in "lr")
        head = f'<asset><model name="m" file="f{k - 1}.xml"/></asset>'
        (tmp_path / f"f{k}.xml").write_text(robot(f'<body name="b">{attached}</body>', head=head))
    with pytest.raises(ModelError, match=r"bytes in sum|more than 5,000 elements"):
        from_mjcf(tmp_path / "f29.xml")


def test_many_copies_with_geoms_take_no_quadratic_time():
    copied = '<body name="b"><joint name="j"/><geom name="g" size="1"/><site name="s"/></body>'
    model = from_mjcf(robot(f'<replicate count="1000">{copied}</replicate><body name="tip"><joint/></body>'), tip="tip")
    assert len(model.mechanism.joints) > 2000


def test_included_files_stay_below_the_folders_of_the_file(tmp_path):
    (tmp_path / "secret.xml").write_text(robot('<body name="b"><joint/></body>'))
    (tmp_path / "robot").mkdir()
    for number, text in enumerate(
        (
            '<include file="../secret.xml"/>',
            '<Include file="../secret.xml"/>',
            '<asset><model name="m" file="../secret.xml"/></asset>',
        )
    ):
        path = tmp_path / "robot" / f"{number}.xml"
        path.write_text(robot('<body name="a"><joint/></body>', head=text))
        with pytest.raises(ModelError, match="lies outside of the folders"):
            from_mjcf(path)
        assert from_mjcf(path, tip="a", folders=[tmp_path]).n == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no such files here")
@pytest.mark.parametrize("tag", ["include", "model"])
def test_a_pipe_is_not_waited_for(tag, tmp_path):
    os.mkfifo(tmp_path / "part.xml")
    named = '<include file="part.xml"/>' if tag == "include" else '<asset><model file="part.xml"/></asset>'
    (tmp_path / "arm.xml").write_text(f"<mujoco>{named}</mujoco>")
    with pytest.raises(ModelError, match="not a regular file"):
        from_mjcf(tmp_path / "arm.xml")


def test_names_in_another_encoding_are_read():
    text = (
        '<?xml version="1.0" encoding="latin-1"?><mujoco><worldbody><body name="é"><joint/></body></worldbody></mujoco>'
    )
    assert from_mjcf(text.encode("latin-1")).tip == "é"


def test_odd_but_valid_models_raise_no_python_warning():
    twice_the_same_joint = robot('<body name="b"><joint/><joint/></body>')  # a singular mass matrix
    assert from_mjcf(twice_the_same_joint).n == 2


def test_the_callers_warning_handler_is_put_back():
    heard = []
    mujoco.set_mju_user_warning(heard.append)
    try:
        from_mjcf(HINGE_AND_SLIDE)
        assert mujoco.get_mju_user_warning() == heard.append
    finally:
        mujoco.set_mju_user_warning(None)


def test_a_missing_mujoco_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(MissingExtraError, match=r"reading MJCF needs .*pip install 'mujoco"):
        from_mjcf(HINGE_AND_SLIDE)


@pytest.mark.filterwarnings("error")
def test_poses_that_are_not_finite_off_the_chain_are_no_error():
    arm = '<body name="arm"><joint name="j"/><body name="tip" pos="0 0 1"/></body>'
    for odd in ('pos="inf 0 0"', 'pos="nan 0 0"', 'quat="1 -1e308 0 0"'):
        model = from_mjcf(robot(f'{arm}<body name="odd" {odd}><body name="on" pos="0 1 0"/></body>'), tip="tip")
        assert model.joint_names == ("j",)
        assert set(model.off_chain) == {"odd", "on"}
    with pytest.raises(ModelError, match=r"'world to b' .* not finite"):
        from_mjcf(robot('<body name="b" quat="1 -1e308 0 0"><joint/></body>'))


def test_many_loops_take_no_quadratic_time():
    bodies = "".join(f'<body name="b{k}"><joint/></body>' for k in range(601))
    welds = "".join(f'<weld body1="b{k}"/>' for k in range(1, 601))
    model = from_mjcf(robot(bodies, tail=f"<equality>{welds}</equality>"), tip="b0")
    assert (model.n, len(model.mechanism.loops)) == (1, 600)


CORD = robot(
    PLAIN.format(a=BALL, b=BALL, s=""),
    tail="""<tendon><fixed name="cord"><joint joint="j1" coef="1"/></fixed></tendon>
    <equality><tendon name="knot" tendon1="cord"/></equality>""",
)


def test_what_tendons_tie_is_refused_on_the_chain_and_noted_off_it():
    with pytest.raises(ModelError, match="the equality 'knot' of tendons ties joint 'j1'"):
        from_mjcf(CORD)
    model = from_mjcf(CORD, base="a")
    assert "j1" not in model.joint_names
    assert "off the chain: the equality 'knot'" in model.note


def test_free_and_ball_joints_are_variables_as_mujoco_has_them():
    xml = robot(
        f"""<body name="torso" pos="1 2 3" euler="10 20 30"><freejoint name="root"/>{BALL}
        <body name="upper" pos="0 0.2 0.1"><joint name="shoulder" type="ball" pos="0 0 0.1"/>{BALL}
        <body name="hand" pos="0 0 0.5"><joint name="wrist" axis="0 1 0"/>{BALL}</body></body></body>"""
    )
    model, oracle = from_mjcf(xml), mujoco.MjModel.from_xml_string(xml)
    assert model.n == 10
    data, rng = mujoco.MjData(oracle), np.random.default_rng(2)
    for _ in range(CONFIGURATIONS):
        q = rng.uniform(-1.5, 1.5, 10)
        values = dict(zip(model.joint_names, q, strict=True))
        for name, turns in (("root", q[3:6]), ("shoulder", q[6:9])):
            quat = np.empty(4)
            mujoco.mju_euler2Quat(quat, turns, "zyx")  # intrinsic
            data.joint(name).qpos[-4:] = quat
        data.joint("root").qpos[:3] = q[:3]
        data.joint("wrist").qpos = values["wrist"]
        mujoco.mj_kinematics(oracle, data)
        assert np.abs(forearm_fk(model, q) - frame_of(oracle, data, "hand")).max() < AGREEMENT


def test_a_loop_that_names_what_is_not_there_is_known_and_not_followed():
    model = from_mjcf(
        robot('<body name="b"><joint/></body>', tail='<equality><weld body1="b" body2="gone"/></equality>')
    )
    assert [loop.second for loop in model.mechanism.loops] == ["gone"]


def test_geoms_have_the_colours_of_the_file():
    model = from_mjcf(
        """<mujoco><asset><material name="red" rgba="0.8 0.1 0.1 1"/></asset>
        <default><default class="blue"><geom rgba="0 0 1 1"/></default></default><worldbody><body name="a">
        <joint axis="0 0 1"/><geom size=".05" rgba="0 0.6 0.2 1"/><body pos="0 0 .3"><joint axis="0 1 0"/>
        <geom type="box" size=".05 .05 .1" material="red"/><body pos="0 0 .3"><joint axis="0 1 0"/>
        <geom class="blue" size=".05"/><geom size=".02"/><site name="tip" pos="0 0 .1"/>
        </body></body></body></worldbody></mujoco>""",
        tip="tip",
    )
    assert [shape.colour for shape in model.shapes] == ["#009933", "#cc1a1a", "#0000ff", None]


def test_a_soft_body_with_its_own_equality_does_not_refuse_the_arm_beside_it():
    soft = """<flexcomp name="rope" type="grid" count="4 1 1" spacing=".1 .1 .1" radius=".03" dim="1" mass="1">
      <edge equality="true"/></flexcomp>"""
    xml = f"""<mujoco><worldbody><body name="a"><joint name="j1"/><geom size="0.1"/></body>
      <body name="b" pos="1 0 0">{soft}</body></worldbody></mujoco>"""
    assert from_mjcf(xml, tip="a").joint_names == ("j1",)


BOUNDED = """<default><default class="short"><tendon range="0 1"/></default></default>
<tendon><fixed name="{name}" {how}><joint joint="j1" coef="1"/></fixed></tendon>"""


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ('range="0 1"', True),
        ('range="0 1" limited="true"', True),
        ('class="short"', True),
        ('range="0 1" limited="false"', False),
        ('class="short" limited="false"', False),
        ("", False),
    ],
)
def test_limits_of_tendons_are_told_once_as_they_are_not_kept(how, told, caplog):
    xml = robot(PLAIN.format(a=BALL, b=BALL, s=""), tail=BOUNDED.format(name="cord", how=how))
    words = "the limits of tendons are not kept, of: cord"
    assert (words in from_mjcf(xml).note) is told
    assert sum(words in each for each in caplog.messages) == told
    caplog.clear()
    fa.Tree.from_mjcf(xml)
    assert sum(words in each for each in caplog.messages) == told
