"""Trees from MJCF, judged by MuJoCo: frames, centres of mass and answers of bases that float, couplings and sites."""

import mujoco
import numpy as np
import pytest

import forearm as fa
from forearm.errors import ForearmError
from forearm.goals import CenterOfMass, Goal

LEG = """
<body name="{side}_thigh" pos="0 {y} -0.1"><inertial pos="0 0.01 -0.2" mass="3" diaginertia="1 1 1"/>
  <joint name="{side}_hip" axis="0 1 0" range="-1.5 1.5"/><joint name="{side}_roll" axis="1 0 0" range="-0.5 0.5"/>
  <geom type="capsule" size="0.04" fromto="0 0 0 0 0 -0.4"/>
  <body name="{side}_shank" pos="0 0 -0.4"><inertial pos="0.03 0 -0.1" mass="2" diaginertia="1 1 1"/>
    <joint name="{side}_knee" axis="0 1 0" range="0 2.2" ref="0.2"/>
    <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.4"/>
    <body name="{side}_foot" pos="0 0 -0.4" euler="0 0 0.3">
      <inertial pos="0.05 0 0" mass="1" diaginertia="1 1 1"/><joint name="{side}_ankle" axis="0 1 0" range="-1 1"/>
      <geom type="box" size="0.1 0.04 0.02"/><site name="{side}_sole" pos="0.02 0 -0.02"/></body></body></body>
"""
WALKER = """
<mujoco model="walker"><compiler angle="radian"/>
<worldbody><geom type="plane" size="5 5 0.1"/>
<body name="table" pos="2 0 0"><geom type="box" size="0.5 0.5 0.5"/></body>
{before}
<body name="torso" pos="0 0 1">{root}<inertial pos="0 0 0.1" mass="20" diaginertia="1 1 1"/>
<geom type="box" size="0.1 0.15 0.2"/>{legs}
<body name="finger" pos="0.1 0 0.2"><inertial pos="0 0 0" mass="0.1" diaginertia="1 1 1"/>
<joint name="bend" axis="0 1 0" range="-1 1"/>
<geom type="sphere" size="0.03"/>
<body name="nail" pos="0.1 0 0"><inertial pos="0.01 0 0" mass="0.2" diaginertia="1 1 1"/>
<joint name="follow" axis="0 1 0" range="-2 2"/>
<geom type="sphere" size="0.02" pos="0.03 0 0"/></body></body></body>{after}</worldbody>
<equality><joint joint1="follow" joint2="bend" polycoef="0.1 -0.5 0 0 0"/></equality></mujoco>
"""
BALL = '<body name="{}" pos="1 1 1"><freejoint name="{}_free"/><geom type="sphere" size="0.1"/></body>'
LINKS = ("torso", "left_foot", "right_sole", "nail")


def walker(root="<freejoint name='root'/>", before="", after=""):
    """The MJCF of two legs below a torso."""
    legs = LEG.format(side="left", y=0.1) + LEG.format(side="right", y=-0.1)
    return WALKER.format(root=root, legs=legs, before=before, after=after)


class Judge:
    """MuJoCo's own reading."""

    def __init__(self, text):
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)

    def place(self, named, base=None):
        """Stands at joint values by name, followers as their equality says."""
        model, q = self.model, self.model.qpos0.copy()
        for name, value in named.items():
            q[model.joint(name).qposadr[0]] = value
        if base is not None:
            at = model.joint("root").qposadr[0]
            q[at : at + 3] = base[:3, 3]
            quat = np.zeros(4)
            mujoco.mju_mat2Quat(quat, base[:3, :3].ravel())
            q[at + 3 : at + 7] = quat
        q[model.joint("follow").qposadr[0]] = 0.1 - 0.5 * q[model.joint("bend").qposadr[0]]
        self.data.qpos[:] = q
        mujoco.mj_kinematics(model, self.data)
        mujoco.mj_comPos(model, self.data)
        return self

    def pose(self, link):
        """(4, 4) of a body or site."""
        there = self.data.site(link) if link.endswith("sole") else self.data.body(link)
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = there.xmat.reshape(3, 3), there.xpos
        return T

    def centre(self, body):
        """(3,) the centre of mass of a body and all that hangs on it."""
        return self.data.subtree_com[self.model.body(body).id].copy()


def somewhere(seed):
    """A pose of a base."""
    rng = np.random.default_rng(seed)
    R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R * np.linalg.det(R), rng.normal(size=3)
    return T


@pytest.fixture(scope="module", params=["alone", "a ball behind", "a ball in front"])
def floating(request):
    """The walker as it floats, alone or beside other things that float too, and its judge."""
    ball = BALL.format("ball", "ball")
    text = walker(
        before=ball if request.param == "a ball in front" else "",
        after=ball if request.param == "a ball behind" else "",
    )
    return fa.Tree.from_mjcf(text, base="free"), Judge(text)


def test_a_robot_that_floats_leaves_the_world_where_it_is(floating):
    tree, judge = floating
    assert tree.body.root == "torso"
    assert "world" not in tree.links
    assert "ball" not in tree.links
    assert not [name for name in tree.joint_names if "/" in name]
    for k, q in enumerate(tree.sample(5, rng_seed=3)):
        base = somewhere(k)
        judge.place(dict(zip(tree.joint_names, q, strict=True)), base)
        for link in LINKS:
            assert np.allclose(tree.fk(q, link, base), judge.pose(link), atol=1e-12)
        assert np.allclose(tree.centre_of_mass(q, base), judge.centre("torso"), atol=1e-12)


def test_a_centre_of_mass_that_the_file_does_not_tell_is_refused():
    tree = fa.Tree.from_mjcf(walker().replace('<inertial pos="0 0 0.1" mass="20" diaginertia="1 1 1"/>', ""))
    with pytest.raises(ForearmError, match="does not tell the mass of table, torso;"):
        tree.centre_of_mass(tree.body.rest)


@pytest.mark.compiled
def test_answers_are_where_mujoco_says(floating):
    tree, judge = floating
    for k, q in enumerate(tree.sample(6, rng_seed=4)):
        base = somewhere(k)
        goals = [Goal(link, tree.fk(q, link, base)) for link in LINKS[1:]]
        centre = tree.centre_of_mass(q, base)
        found = tree.solve([*goals, CenterOfMass(centre)])
        judge.place(found.as_dict(), found.base)
        assert found.success, found.reason
        assert all(np.abs(judge.pose(goal.link) - goal.target.goal).max() <= 2e-6 for goal in goals)
        assert np.abs(judge.centre("torso") - centre).max() <= 1e-6
        assert ((found.q >= tree.limits[0]) & (found.q <= tree.limits[1])).all()


def test_the_arm_of_a_tip_stands_on_the_base_that_floats(floating):
    tree, judge = floating
    arm = tree.arm("left_sole")
    assert arm.joint_names == ("left_hip", "left_roll", "left_knee", "left_ankle")
    q = arm.sample(1, rng_seed=1)[0]
    judge.place(dict(zip(arm.joint_names, q, strict=True)), np.eye(4))
    assert np.allclose(arm.fk(q), judge.pose("left_sole"), atol=1e-12)


def test_a_robot_that_touches_no_floor_of_its_own_is_free(floating):
    tree, _ = floating
    near = tree.clearance(tree.body.rest, base=somewhere(1))
    assert "world" not in str(near)
    assert "table" not in str(near)


def test_two_robots_that_float_are_told_apart_by_root():
    other = walker().split("<worldbody>")[1].split("</worldbody>")[0]
    second = other[other.index('<body name="torso"') :]
    for name in ("torso", "thigh", "shank", "foot", "sole", "finger", "nail", "root", "hip", "roll", "knee", "ankle"):
        second = second.replace(f'{name}"', f'{name}_b"').replace(f"{name}'", f"{name}_b'")
    text = walker(after=second.replace('"bend"', '"bend_b"').replace('"follow"', '"follow_b"'))
    with pytest.raises(ForearmError, match=r"2 robots that float: torso, torso_b; choose root="):
        fa.Tree.from_mjcf(text, base="free")
    assert fa.Tree.from_mjcf(text, base="free", root="torso_b").n == 10


def test_what_stands_on_the_world_floats_with_it_where_nothing_floats_in_the_file():
    text = walker(root="")
    tree, judge = fa.Tree.from_mjcf(text, base="free"), Judge(text)
    q, base = tree.sample(1, rng_seed=2)[0], somewhere(3)
    judge.place(dict(zip(tree.joint_names, q, strict=True)))
    assert np.allclose(tree.fk(q, "left_sole", base), base @ judge.pose("left_sole"), atol=1e-12)


@pytest.mark.compiled
@pytest.mark.parametrize("base", ["fixed", "planar", "rail"])
def test_a_robot_that_stands_is_solved_as_mujoco_has_it(base):
    text = walker(root="")
    tree, judge = fa.Tree.from_mjcf(text, base=base), Judge(text)
    for q in tree.sample(4, rng_seed=5):
        found = tree.solve({link: tree.fk(q, link) for link in LINKS[1:]})
        assert found.success, found.reason
        values = found.as_dict()
        x, y, yaw = (values.pop(f"base/{name}", 0.0) for name in ("x", "y", "yaw"))
        T = np.eye(4)
        T[:2, :2], T[:2, 3] = [[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]], (x, y)
        judge.place(values)
        assert all(np.abs(T @ judge.pose(link) - tree.fk(q, link)).max() <= 2e-6 for link in LINKS[1:])
