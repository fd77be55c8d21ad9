"""Ways through a mechanism: up and down, loops and faults on them or off them, joints with several freedoms."""

import itertools
import math

import numpy as np
import pytest

from forearm.core.arm.kinematics import fk_tip
from forearm.errors import ModelError
from forearm.models.cut import cut
from forearm.models.mechanism import Coupling, Fault, Joint, Link, Loop, Mechanism, Site
from forearm.models.routes import inscribed, parent_joints, path


def joint(name, parent, child, kind="revolute", **more):
    origin = np.eye(4)
    origin[0, 3] = 1.0
    return Joint(name, kind, origin, parent, child, **more)


def robot(*joints, **more):
    names = dict.fromkeys(link for each in joints for link in (each.parent, each.child))
    return Mechanism("robot", "it", tuple(map(Link, names)), joints, **more)


def fk(model, q):
    T = np.empty((4, 4))
    fk_tip(model.links, model.joints, np.asarray(q, dtype=float), T)
    return T


BODY = robot(joint("j1", "a", "b"), joint("j2", "b", "c"), joint("j3", "c", "d"), joint("j4", "b", "e"))


def test_a_path_runs_up_to_the_link_above_both_and_down_again():
    route = path(BODY, parent_joints(BODY), "d", "e")
    assert [(each.name, upward) for each, upward in route] == [("j3", True), ("j2", True), ("j4", False)]


# -- loops ---------------------------------------------------------------------------------------


def test_loops_on_the_chain_are_refused_by_name():
    with pytest.raises(ModelError, match="loop: link 'c' is the child of both 'j1' and 'j2'"):
        cut(robot(joint("j1", "a", "c"), joint("j2", "b", "c")), base="a", tip="c")
    with pytest.raises(ModelError, match="loop through link"):
        cut(robot(joint("j1", "b", "c"), joint("j2", "c", "b"), joint("j3", "a", "d")), base="a", tip="c")


def test_loops_off_the_chain_leave_it_alone():
    ring = robot(joint("j1", "b", "c"), joint("j2", "c", "b"), joint("j3", "a", "d"))
    assert cut(ring, base="a", tip="d").joint_names == ("j3",)
    diamond = robot(
        joint("arm", "a", "hand"),
        joint("l", "a", "b"),
        joint("r", "a", "c"),
        joint("m", "b", "d"),
        joint("n", "c", "d"),
    )
    assert cut(diamond, tip="hand").joint_names == ("arm",)
    with pytest.raises(ModelError, match="link 'd' is the child of both 'm' and 'n'"):
        cut(diamond, tip="d")


LEG = (joint("hip", "a", "b"), joint("knee", "b", "c"), joint("rod", "b", "r"), joint("arm", "a", "h"))


@pytest.mark.parametrize("kind", ["connect", "weld"])
def test_what_ties_a_chains_joints_is_refused_by_name_with_what_is_free(kind):
    leg = robot(*LEG, loops=(Loop("pin", kind, "r", "c"),))
    words = rf"the {kind} 'pin' holds 'r' to 'c', so joint 'knee' does not .*closed: choose tip=\.\.\. from: h, or take"
    with pytest.raises(ModelError, match=words):
        cut(leg, tip="c")
    assert cut(leg, tip="b").joint_names == ("hip",)
    assert cut(leg, tip="h").joint_names == ("arm",)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"loops": (Loop("pin", "weld", "r", "b"),)}, "the weld 'pin' holds"),
        ({"couplings": (Coupling("cam", "hip", "arm", (0.0, 1.0, 2.0)),)}, "equality 'cam'"),
        ({"faults": (Fault("tendons tie 'hip'", joints=("hip",), ties=True),)}, "tendons tie 'hip'"),
    ],
    ids=["loop", "polynomial", "tendons"],
)
def test_a_refused_tie_lists_the_tips_and_the_base_that_leave_it_out(more, told):
    joints = (joint("hip", "a", "b"), joint("knee", "b", "c"), joint("rod", "a", "r"), joint("arm", "a", "h"))
    with pytest.raises(ModelError, match=told) as refused:
        cut(robot(*joints, **more), tip="c")
    tips = "h" if "loops" in more else "r, h"
    assert f"choose tip=... from: {tips}, or base='b', with the joints beyond it" in str(refused.value)
    assert cut(robot(*joints, **more), base="b", tip="c").joint_names == ("knee",)
    for tip in tips.split(", "):
        assert cut(robot(*joints, **more), tip=tip).n == 1


def test_where_every_tip_is_tied_no_choice_is_promised():
    legs = (joint("hip", "a", "b"), joint("rod", "a", "r"))
    with pytest.raises(ModelError, match="every tip is moved by such joints, or take the weld out"):
        cut(robot(*legs, loops=(Loop("pin", "weld", "r", "b"),)), tip="b")


def test_a_chain_on_which_nothing_moves_is_told_what_does():
    arm = robot(joint("j1", "a", "b"), joint("j2", "b", "c"))
    with pytest.raises(
        ModelError, match=r"no joint moves between 'c' and 'c'; choose base=\.\.\. from: a, and tip=.*: c"
    ):
        cut(arm, base="c", tip="c")


def test_ends_in_separate_trees_are_told_the_base_above_the_tip():
    two = robot(joint("j1", "a", "b"), joint("j2", "c", "d"), joint("j3", "d", "e"))
    with pytest.raises(ModelError, match=r"separate trees .*; with this tip choose base=\.\.\. from: c, d$"):
        cut(two, base="a", tip="e")


def test_what_holds_a_site_ties_its_link_and_what_is_led_by_hand_ties_nothing():
    sites = (Site("heel", "c", np.eye(4)),)
    with pytest.raises(ModelError, match="holds 'heel' to 'r'"):
        cut(robot(*LEG, loops=(Loop("pin", "weld", "heel", "r"),), sites=sites), tip="c")
    led = robot(*LEG, loops=(Loop("mouse", "weld", "r", "c"),), led=frozenset(["r"]))
    assert cut(led, tip="c").joint_names == ("hip", "knee")


# -- faults --------------------------------------------------------------------------------------


def test_faults_are_told_on_the_chain_and_noted_off_it():
    broken = robot(
        *LEG, faults=(Fault("joint 'rod' is bent", joints=("rod",)), Fault("two links named h", links=("h",)))
    )
    with pytest.raises(ModelError, match="joint 'rod' is bent"):
        cut(broken, tip="r")
    with pytest.raises(ModelError, match="two links named h"):
        cut(broken, tip="h")
    assert "off the chain: joint 'rod' is bent; off the chain: two links" in cut(broken, tip="c").note


# -- several freedoms ----------------------------------------------------------------------------

PARTS = {
    "planar": ("x", "y", "yaw"),
    "floating": ("x", "y", "z", "yaw", "pitch", "roll"),
    "ball": ("yaw", "pitch", "roll"),
}


def driven(kind, **more):
    return robot(joint("drive", "world", "car", kind, **more), joint("arm", "car", "hand"))


@pytest.mark.parametrize("kind", PARTS)
def test_joints_with_several_freedoms_are_variables(kind):
    model = cut(driven(kind))
    names = tuple(f"drive/{name}" for name in PARTS[kind])
    assert model.joint_names == (*names, "arm")
    assert f"'drive' is {kind}: it adds the variables" in model.note
    assert cut(driven(kind), base="car").joint_names == ("arm",)


@pytest.mark.parametrize("kind", PARTS)
def test_a_chain_up_through_several_freedoms_is_the_inverse(kind):
    down, up = cut(driven(kind)), cut(driven(kind), base="hand", tip="world")
    values = dict(zip(down.joint_names, np.random.default_rng(3).uniform(-1, 1, down.n), strict=True))
    there, back = (fk(each, [values[name] for name in each.joint_names]) for each in (down, up))
    np.testing.assert_allclose(there @ back, np.eye(4), atol=1e-14)


def rotation(axis, angle):
    """By Rodrigues, not by the library."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K


def test_values_of_several_freedoms_are_a_place_and_yaw_pitch_roll():
    model = cut(driven("floating"), tip="car")
    T = fk(model, [1.0, 2.0, 3.0, 0.4, 0.5, 0.6])
    np.testing.assert_allclose(T[:3, 3], [2.0, 2.0, 3.0], atol=1e-15)  # the joint stands at x = 1
    R = rotation([0, 0, 1], 0.4) @ rotation([0, 1, 0], 0.5) @ rotation([1, 0, 0], 0.6)
    np.testing.assert_allclose(T[:3, :3], R, atol=1e-15)


def test_a_planar_joint_moves_in_the_plane_across_its_axis():
    model = cut(driven("planar", axis=(1.0, 0.0, 0.0)), tip="car")
    T = fk(model, [0.3, -0.4, 0.5])
    assert abs(T[0, 3] - 1.0) < 1e-15
    assert abs(np.hypot(T[1, 3], T[2, 3]) - 0.5) < 1e-15
    np.testing.assert_allclose(T[:3, :3], rotation([1, 0, 0], 0.5), atol=1e-15)


def test_a_ball_stays_inside_its_cone():
    model = cut(driven("ball", limits=(0.0, 1.0)), tip="car")
    most = model.limits[1]
    np.testing.assert_array_equal(most, -model.limits[0])
    rng = np.random.default_rng(5)
    corners = np.array(list(itertools.product([-1, 1], repeat=3)))
    turned = [
        math.acos((np.trace(fk(model, q)[:3, :3]) - 1) / 2)
        for q in (*(corners * most), *rng.uniform(-most, most, (200, 3)))
    ]
    assert max(turned) <= 1.0 + 1e-12
    assert max(turned) > 1.0 - 1e-9  # and no smaller than it must be
    assert most[0] == inscribed(1.0)


def test_limits_can_be_given_for_each_freedom():
    model = cut(driven("planar"), limits={"drive/x": (-2, 2)})
    assert model.limits[:, 0].tolist() == [-2, 2]
