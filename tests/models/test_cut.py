"""Chains cut from a mechanism: ends, paths, followers, limits, and what is refused by name."""

import math

import numpy as np
import pytest

import forearm as fa
from forearm.core.arm.kinematics import fk_tip
from forearm.errors import ModelError
from forearm.models.cut import cut
from forearm.models.mechanism import KINDS, UNBOUNDED, Coupling, Joint, Link, Mechanism, Site
from forearm.models.urdf import from_urdf


def at(x, y=0.0, z=0.0):
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T


def joint(name, parent, child, kind="revolute", **more):
    return Joint(name, kind, at(1.0), parent, child, **more)


def robot(*joints, **more):
    names = dict.fromkeys(link for each in joints for link in (each.parent, each.child))
    return Mechanism("robot", "it", tuple(map(Link, names)), joints, **more)


def fk(model, q):
    T = np.empty((4, 4))
    fk_tip(model.links, model.joints, np.asarray(q, dtype=float), T)
    return T


# A trunk a-b with two arms: b-c-d and b-e, and a camera fixed to c.
BODY = robot(
    joint("j1", "a", "b"),
    joint("j2", "b", "c"),
    joint("j3", "c", "d"),
    joint("j4", "b", "e"),
    joint("eye", "c", "camera", "fixed"),
    sites=(Site("palm", "d", at(0, 0, 2.0)), Site("fist", "e", at(0, 3.0))),
)


def test_a_chain_upward_is_the_inverse_of_the_chain_downward():
    down, up = cut(BODY, base="fist", tip="palm"), cut(BODY, base="palm", tip="fist")
    q = dict(j2=0.3, j3=-0.7, j4=1.1)
    there = fk(down, [q[name] for name in down.joint_names])
    back = fk(up, [q[name] for name in up.joint_names])
    np.testing.assert_allclose(there @ back, np.eye(4), atol=1e-14)


@pytest.mark.parametrize("name", ["ur5", "irb120", "iiwa14"])
def test_a_chain_upward_keeps_its_closed_form_and_its_words(name):
    """Backward about an axis is forward about its reverse: no joint counts as one that follows another."""
    down = fa.load(name)
    mechanism = down.model.mechanism
    up = fa.Robot(cut(mechanism, base=mechanism.leaves()[0], tip=mechanism.roots()[0]))
    assert up.structure.kind == down.structure.kind
    assert up.model.mimics == ()
    assert (up.model.joints[:, 2] == 1.0).all()
    q = up.sample(20, 3)
    found = up.solve_batch(up.fk(q))
    assert found.success.all()
    np.testing.assert_allclose(up.fk(found.q), up.fk(q), atol=2e-6)


def test_what_hangs_off_the_chain_is_listed():
    assert cut(BODY, tip="d").off_chain == ("e",)
    assert cut(BODY, tip="e").off_chain == ("c", "d", "camera")
    assert cut(BODY, base="c", tip="palm").off_chain == ("a", "b", "e")


def test_links_that_move_with_the_chain_have_a_place():
    model = cut(BODY, tip="palm")
    assert {name: frame for name, (frame, _) in model.places.items()} == dict(a=-1, b=0, c=1, d=2, camera=1)
    np.testing.assert_allclose(model.places["camera"][1], at(1.0))


def pair(*couplings, **more):
    return robot(joint("j1", "a", "b"), joint("j2", "b", "c", zero=0.5, **more), couplings=couplings)


def test_followers_count_their_motion_from_their_zeros():
    model = cut(pair(Coupling("belt", "j2", "j1", (0.25, -2.0))))
    assert (model.joint_names, model.mimics) == (("j1",), ("j2",))
    free = cut(pair())
    np.testing.assert_allclose(fk(model, [0.3]), fk(free, [0.3, 0.5 + 0.25 - 2.0 * 0.3]), atol=1e-15)


def test_limits_of_followers_narrow_those_of_their_driver():
    model = cut(pair(Coupling("belt", "j2", "j1", (0.0, 2.0)), limits=(-0.5, 1.5)))
    np.testing.assert_allclose(model.limits, [[-0.5], [0.5]])


@pytest.mark.parametrize(
    "coupling", [Coupling("stop", "j2", None, (0.2, 0.0)), Coupling("stop", "j2", "j1", (0.2, 0.0))]
)
def test_a_held_joint_is_folded_into_the_links(coupling):
    model = cut(pair(coupling))
    assert model.moving_names == ("j1",)
    np.testing.assert_allclose(fk(model, [0.1]), fk(cut(pair()), [0.1, 0.7]), atol=1e-15)


REFUSED = {
    "curved": ([Coupling("cam", "j2", "j1", (0, 1, 2))], r"equality 'cam' in it moves joint 'j2' by the polynomial"),
    "twice": (
        [Coupling("c", "j2", "j1", (0, 1)), Coupling("d", "j2", "j1", (0, 1))],
        "joint 'j2' in it follows 2 equality constraints: 'c', 'd'",
    ),
    "ring": (
        [Coupling("c", "j2", "j1", (0, 1)), Coupling("d", "j1", "j2", (0, 1))],
        "joint 'j2' in it mimics itself by way of j1 -> j2; free one",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_couplings_a_chain_cannot_follow_are_refused_by_name(case):
    couplings, words = REFUSED[case]
    with pytest.raises(ModelError, match=words):
        cut(pair(*couplings))


def test_a_follower_of_what_does_not_move_is_refused():
    mechanism = robot(
        joint("j1", "a", "b", "fixed"), joint("j2", "b", "c"), couplings=(Coupling("m", "j2", "j1", (0, 1)),)
    )
    with pytest.raises(ModelError, match="joint 'j2' in it mimics 'j1', which is fixed"):
        cut(mechanism)


def test_a_follower_of_a_joint_that_is_not_there_is_free_and_remarked_on():
    model = cut(pair(Coupling("m", "j2", "ghost", (0, 1))))
    assert model.joint_names == ("j1", "j2")
    assert "'j2' mimics 'ghost', which does not exist" in model.note


def test_limits_given_for_a_joint_replace_its_own():
    model = cut(pair(limits=None), limits={"j2": (-1, 2)})
    np.testing.assert_array_equal(model.limits, [[-math.inf, -1], [math.inf, 2]])
    with pytest.raises(ModelError, match="joint 'j9' in limits is not in it; did you mean j"):
        cut(pair(), limits={"j9": (0, 1)})


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_a_chain_are_taken(kind):
    model = cut(robot(joint("j", "a", "b", kind, limits=UNBOUNDED)))
    assert model.joint_kinds == (kind,)


def test_what_is_not_finite_is_refused_by_name_on_the_path_only():
    mechanism = robot(
        joint("j1", "a", "b"), joint("j2", "b", "c", zero=math.nan), sites=(Site("s", "b", at(math.inf)),)
    )
    with pytest.raises(ModelError, match="joint 'j2' in it has a pose, an axis or a zero that is not finite"):
        cut(mechanism, tip="c")
    with pytest.raises(ModelError, match="'s' in it has a pose that is not finite"):
        cut(mechanism, tip="s")
    assert cut(mechanism, tip="b").joint_names == ("j1",)


def test_shapes_behind_a_joint_held_at_an_offset_are_turned_with_it():
    text = """<robot name="r"><link name="a"/><link name="b"/><link name="c"><collision><origin xyz="1 0 0"/><geometry>
    <sphere radius="0.1"/></geometry></collision></link>
    <joint name="j1" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
    <joint name="j2" type="continuous"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/>
    <mimic joint="j1" multiplier="0" offset="1.5707963267948966"/></joint></robot>"""
    (shape,) = from_urdf(text).shapes
    np.testing.assert_allclose(shape.pose[:3, 3], [0.0, 1.0, 0.0], atol=1e-15)
    np.testing.assert_allclose(fa.Robot.from_urdf(text).fk([0.0])[:3, 0], [0.0, 1.0, 0.0], atol=1e-15)


def followers(count):
    """Joints in a row, each of which follows the next."""
    joints = [joint(f"j{k}", f"l{k}", f"l{k + 1}", limits=(-1.0, 1.0)) for k in range(count)]
    couplings = tuple(Coupling(f"c{k}", f"j{k}", f"j{k + 1}", (0.0, 1.0)) for k in range(count - 1))
    return robot(*joints, couplings=couplings)


def test_followers_in_a_row_have_one_variable_and_no_end_that_is_too_far():
    assert cut(followers(60)).n == 1
    with pytest.raises(ModelError, match="joint 'j0' in it mimics another by way of more than 100 joints"):
        cut(followers(3000))


def test_more_joints_than_any_robot_has_are_refused():
    rows = [(0.1, 0.0, 0.0)] * 60_000
    with pytest.raises(ModelError, match="the DH table has 60,000 joints; at most 5,000 are read"):
        fa.Robot.from_dh(rows)


@pytest.mark.parametrize(("ratio", "speed"), [(-2.0, 0.5), (0.5, 1.5), (1.0, 1.0)])
def test_a_joint_is_no_faster_than_those_that_follow_it_may_be(ratio, speed):
    joint = '<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/><axis xyz="0 0 1"/>{3}</joint>'
    limit = '<limit lower="-1" upper="1" effort="1" velocity="{}"/>'
    follows = limit.format(1.0) + f'<mimic joint="a" multiplier="{ratio}"/>'
    parts = (joint.format("a", "l0", "l1", limit.format(1.5)), joint.format("b", "l1", "l2", follows))
    links = "".join(f'<link name="l{k}"/>' for k in range(3))
    text = f"<robot name='r'>{links}{''.join(parts)}</robot>"
    assert fa.Robot.from_urdf(text).model.velocity.tolist() == [speed]
    assert fa.Tree.from_urdf(text).body.velocity.tolist() == [speed]
