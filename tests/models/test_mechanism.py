"""The same arm in every format is the same chain, and a mechanism holds what no chain can use yet."""

import math
import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

import forearm as fa
from forearm.core.arm.kinematics import fk_tip
from forearm.errors import ModelError
from forearm.models.cut import cut
from forearm.models.dh import from_dh
from forearm.models.mechanism import ALL_KINDS, Joint, Link, Mechanism, serial
from forearm.models.mjcf import from_mjcf, read_mjcf
from forearm.models.model import sealed
from forearm.models.toml import from_toml
from forearm.models.urdf import from_urdf, read_urdf
from forearm.models.xacro import from_xacro

# An arm of three joints: a turn about z, a turn about y behind 0.3 m, a slide along x behind 0.2 m.
URDF = """<robot name="arm"><link name="base"/><link name="one"/><link name="two"/><link name="tip"/>
<joint name="turn" type="revolute"><parent link="base"/><child link="one"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2"/></joint>
<joint name="lift" type="revolute"><parent link="one"/><child link="two"/><origin xyz="0 0 0.3"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1"/></joint>
<joint name="reach" type="prismatic"><parent link="two"/><child link="tip"/><origin xyz="0.2 0 0"/><axis xyz="1 0 0"/>
<limit lower="0" upper="0.5"/></joint></robot>"""
MJCF = """<mujoco model="arm"><compiler angle="radian"/><worldbody>
<body name="one"><joint name="turn" axis="0 0 1" range="-2 2"/>
<body name="two" pos="0 0 0.3"><joint name="lift" axis="0 1 0" range="-1 1"/>
<body name="tip" pos="0.2 0 0"><joint name="reach" type="slide" axis="1 0 0" range="0 0.5"/></body></body></body>
</worldbody></mujoco>"""
TOML = """name = "arm"
convention = "urdf"
joints = [
    { name = "turn", axis = [0, 0, 1], limits_rad = [-2, 2] },
    { name = "lift", xyz = [0, 0, 0.3], axis = [0, 1, 0], limits_rad = [-1, 1] },
    { name = "reach", kind = "prismatic", xyz = [0.2, 0, 0], axis = [1, 0, 0], limits_m = [0, 0.5] },
]"""
H = math.pi / 2
DH = [
    {"name": "turn", "d": 0.3, "alpha": -H, "limits": (-2, 2)},
    {"name": "lift", "alpha": H, "offset": H, "limits": (-1, 1)},
    {"name": "reach", "kind": "prismatic", "d": 0.2, "limits": (0, 0.5)},
]
T_DH_TIP = np.array([[0.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])


def xacro(text):
    pytest.importorskip("yaml")
    return from_xacro(text.replace("<robot ", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" '))


@pytest.fixture
def models(tmp_path):
    """The arm, by the format it was read from."""
    pytest.importorskip("mujoco")
    (tmp_path / "arm.toml").write_text(TOML)
    return {
        "URDF": from_urdf(URDF),
        "xacro": xacro(URDF),
        "MJCF": from_mjcf(MJCF),
        "TOML": from_toml(tmp_path / "arm.toml"),
        "DH": from_dh(DH, tool=T_DH_TIP, name="arm"),
    }


def fk(model, q):
    T = np.empty((4, 4))
    fk_tip(model.links, model.joints, np.asarray(q, dtype=float), T)
    return T


def test_one_arm_in_every_format_is_one_chain(models):
    q = [0.7, -0.4, 0.3]
    for model in models.values():
        assert (model.name, model.joint_names) == ("arm", ("turn", "lift", "reach"))
        assert model.joint_kinds == ("revolute", "revolute", "prismatic")
        np.testing.assert_array_equal(model.limits, [[-2, -1, 0], [2, 1, 0.5]])
        np.testing.assert_allclose(fk(model, q), fk(models["URDF"], q), atol=1e-15)


def test_formats_that_place_joints_alike_give_the_same_bits(models):
    for name in ("xacro", "MJCF", "TOML"):
        for array in ("links", "joints", "limits", "child_frames"):
            np.testing.assert_array_equal(getattr(models[name], array), getattr(models["URDF"], array))


def test_every_reader_keeps_the_mechanism(models):
    for model in models.values():
        assert {"turn", "lift", "reach"} <= {joint.name for joint in model.mechanism.joints}
        assert {joint.kind for joint in model.mechanism.joints} <= set(ALL_KINDS)
        assert len(model.mechanism.roots()) == len(model.mechanism.leaves()) == 1


def test_a_mechanism_can_be_cut_again(models):
    for model in models.values():
        mechanism = model.mechanism
        back = cut(mechanism, base=mechanism.leaves()[0], tip=mechanism.roots()[0])
        assert back.joint_names == ("reach", "lift", "turn")
        assert back.mechanism is mechanism


def read(text):
    return read_urdf(text.encode(), "arm.urdf", None, "")


@pytest.mark.parametrize("kind", ["planar", "floating"])
def test_a_urdf_holds_joints_with_several_freedoms(kind):
    mechanism = read(URDF.replace('name="lift" type="revolute"', f'name="lift" type="{kind}"'))
    assert mechanism.joint("lift").kind == kind
    assert cut(mechanism, tip="one").joint_names == ("turn",)


def test_an_mjcf_holds_free_and_ball_joints_couplings_and_loops():
    pytest.importorskip("mujoco")
    mechanism = read_mjcf(
        """<mujoco><worldbody><body name="torso"><freejoint name="root"/>
        <body name="arm"><joint name="shoulder" type="ball"/><body name="hand"><joint name="wrist"/>
        <joint name="thumb"/><site name="palm" pos="0 0 1"/></body></body></body></worldbody>
        <equality><joint name="cam" joint1="thumb" joint2="wrist" polycoef="0 1 2 0 0"/>
        <connect name="pin" body1="hand" body2="torso" anchor="0 0 0"/><weld body1="arm"/>
        <weld active="false" body1="hand"/></equality></mujoco>"""
    )
    kinds = {joint.name: joint.kind for joint in mechanism.joints if joint.kind != "fixed"}
    assert kinds == {"root": "floating", "shoulder": "ball", "wrist": "continuous", "thumb": "continuous"}
    assert [(c.follower, c.driver, c.polynomial) for c in mechanism.couplings] == [("thumb", "wrist", (0, 1, 2, 0, 0))]
    assert [(loop.name, loop.kind, loop.first, loop.second) for loop in mechanism.loops] == [
        ("pin", "connect", "hand", "torso"),
        ("equality2", "weld", "arm", "world"),
    ]
    assert [(site.name, site.link) for site in mechanism.sites] == [("palm", "hand")]


def test_made_up_places_have_names_of_their_own():
    pytest.importorskip("mujoco")
    mechanism = read_mjcf(MJCF)
    assert [link.name for link in mechanism.links if link.made_up] == ["one/turn", "two/lift", "tip/reach"]
    assert cut(mechanism, base="two/lift").joint_names == ("lift", "reach")


def test_names_of_bodies_and_sites_differ_where_the_file_names_them_alike():
    pytest.importorskip("mujoco")
    bodies = '<body><joint name="a"/><body name="body1"><joint name="b"/></body></body>'
    mechanism = read_mjcf(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
    assert cut(mechanism).joint_names == ("a", "b")
    assert cut(mechanism, base="body1_").joint_names == ("b",)


def test_a_urdf_holds_every_shape_and_mimic():
    shape = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
    text = URDF.replace('<link name="two"/>', f'<link name="two">{shape}{shape}</link>')
    text = text.replace('<limit lower="-1" upper="1"/>', '<mimic joint="turn" multiplier="2" offset="0.5"/>')
    mechanism = read(text)
    assert [len(link.shapes) for link in mechanism.links] == [0, 0, 2, 0]
    assert [(c.follower, c.driver, c.polynomial) for c in mechanism.couplings] == [("lift", "turn", (0.5, 2.0))]


def test_a_mechanism_is_frozen():
    with pytest.raises(FrozenInstanceError):
        read(URDF).name = "other"
    with pytest.raises(ValueError, match="read-only"):
        read(URDF).joint("lift").origin[0, 3] = 1.0


@pytest.mark.parametrize(
    ("joints", "links", "words"),
    [
        ([("j", "a", "b"), ("j", "b", "c")], "abc", "it has two joints named 'j'; names must differ"),
        ([("j", "a", "b")], "abb", "it has two links named 'b'; names must differ"),
        ([("j", "a", "x")], "ab", "joint 'j' in it names link 'x', which does not exist"),
    ],
)
def test_names_that_make_no_sense_are_refused_in_every_format(joints, links, words):
    made = tuple(Joint(name, "revolute", np.eye(4), parent, child) for name, parent, child in joints)
    with pytest.raises(ModelError, match=words):
        Mechanism("robot", "it", tuple(map(Link, links)), made)


def test_joints_in_a_row_stand_on_one_another():
    row = serial(
        [Joint("a", "revolute", np.eye(4)), Joint("b", "fixed", np.eye(4))], "ground", np.eye(4), name="r", where="it"
    )
    assert [(j.parent, j.name, j.child) for j in row.joints] == [
        ("ground", "ground to a", "after ground to a"),
        ("after ground to a", "a", "after a"),
        ("after a", "b", "after b"),
    ]


def test_a_model_keeps_its_mechanism_through_copies(models):
    model = models["URDF"]
    for other in (
        model.with_tool(np.eye(4)),
        model.with_limits({"turn": (0, 1)}),
        sealed(model),
        replace(model, note=""),
    ):
        assert other.mechanism is model.mechanism
    assert "mechanism" not in repr(model)


def test_a_robot_pickles_with_its_mechanism(models):
    for model in models.values():
        robot = pickle.loads(pickle.dumps(fa.Robot(model)))
        assert [j.name for j in robot.model.mechanism.joints] == [j.name for j in model.mechanism.joints]
        again = cut(robot.model.mechanism)
        np.testing.assert_array_equal(again.joints, model.joints)
