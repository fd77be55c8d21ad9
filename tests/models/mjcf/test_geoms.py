"""Collision geoms of an MJCF: whatever MuJoCo would touch is held at least as near as MuJoCo says it is."""

import numpy as np
import pytest

import forearm as fa
from forearm.core.collision.bodies import RADIUS

mujoco = pytest.importorskip("mujoco")
pytest.importorskip("trimesh")

CORNERS = np.array([[-0.05, -0.04, 0.0], [0.08, 0.0, 0.02], [0.0, 0.07, 0.0], [0.0, 0.0, 0.12], [0.03, 0.02, 0.1]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 4, 3], [2, 3, 4], [1, 2, 4]])
XML = """<mujoco model="geoms"><compiler angle="radian" meshdir="assets"/>
<default><geom contype="0" conaffinity="0"/><mesh scale="1 1 1.5"/>
  <default class="solid"><geom contype="1" conaffinity="1" type="capsule" size="0.03"/></default></default>
<asset><mesh file="part.stl" refpos="0.01 0.02 0" refquat="0.9 0.1 0.3 0"/>
  <mesh name="wedge" vertex="0 0 0 0.1 0 0 0 0.1 0 0 0 0.1 0.1 0.1 0.02" scale="1 1 1"/></asset>
<worldbody><geom name="floor" class="solid" type="plane" size="1 1 1" pos="0 0 -0.1"/>
 <geom type="sphere" size="9"/>
 <body name="one" pos="0 0 0.1"><joint name="j1" axis="0 0 1" range="-2 2"/>
  <geom class="solid" fromto="0 0 0 0.05 0 0.3"/>
  <body name="two" pos="0.05 0 0.3"><joint name="j2" axis="0 1 0" range="-2.9 2.9"/>
   <frame euler="0 0.3 0"><geom class="solid" type="box" size="0.03 0.05 0.1" pos="0 0 0.1"/></frame>
   <geom class="solid" type="ellipsoid" size="0.03 0.05 0.02" pos="0.1 0 0.1" euler="1 0 0"/>
   <body name="three" pos="0 0 0.25"><joint name="j3" axis="1 0 0" range="-2 2"/>
    <geom class="solid" type="cylinder" size="0.03 0.06" pos="0 0 0.1" euler="0.2 0.4 0"/>
    <geom class="solid" type="mesh" mesh="part" pos="0.02 0 0.2" euler="0.5 0 0.4"/>
    <body name="tool" pos="0 0 0.3"><geom class="solid" type="mesh" mesh="wedge"/>
     <body name="finger" pos="0 0.05 0.1"><joint name="slide" type="slide" axis="0 1 0" range="0 0.04" ref="0.01"/>
      <geom class="solid" type="sphere" size="0.015"/></body>
     <site name="tip" pos="0 0 0.1"/></body></body></body></body>
 <body name="cube" pos="0.5 0.5 0.5"><freejoint/><geom class="solid" type="box" size="0.1 0.1 0.1"/></body>
 {more}</worldbody>
<contact><exclude body1="one" body2="three"/></contact></mujoco>"""
BALL = '<body name="ball" mocap="true"><geom name="ball" class="solid" type="sphere" size="0.05"/></body>'


@pytest.fixture
def file(tmp_path):
    import trimesh

    (tmp_path / "assets").mkdir()
    trimesh.Trimesh(CORNERS, FACES, process=False).export(tmp_path / "assets" / "part.stl")
    path = tmp_path / "geoms.xml"
    path.write_text(XML.format(more=""))
    return path


class Judge:
    """MuJoCo's own distances of the arm's geoms from a ball, and from the floor."""

    def __init__(self, file):
        with_ball = file.parent / "ball.xml"
        with_ball.write_text(XML.format(more=BALL))
        self.model = mujoco.MjModel.from_xml_path(str(with_ball))
        self.data = mujoco.MjData(self.model)
        arm = {self.model.body(name).id for name in ("one", "two", "three", "tool", "finger")}
        self.geoms = [
            k for k in range(self.model.ngeom) if self.model.geom_bodyid[k] in arm and self.model.geom_contype[k]
        ]

    def distance(self, q, ball, geom="ball", but=()):
        self.data.qpos[:3], self.data.mocap_pos[0] = q, ball
        mujoco.mj_forward(self.model, self.data)
        other, ends = self.model.geom(geom).id, np.zeros(6)
        geoms = [k for k in self.geoms if self.model.body(self.model.geom_bodyid[k]).name not in but]
        return min(mujoco.mj_geomDistance(self.model, self.data, k, other, 5.0, ends) for k in geoms)


@pytest.mark.compiled
def test_every_collision_geom_is_held_and_nothing_else(file):
    robot = fa.Robot.from_mjcf(file, tip="tip")
    geometry = robot.geometry
    assert geometry.source == "the collision shapes of its file"
    assert set(geometry.names) == {"floor", "one", "two", "three", "tool", "finger"}  # no ball of 9 m, no loose cube
    assert geometry.left_out["one", "three"] == "allowed"
    assert geometry.notes == ()


@pytest.mark.compiled
def test_no_geom_is_farther_than_mujoco_says(file):
    robot, judge, rng = fa.Robot.from_mjcf(file, tip="tip"), Judge(file), np.random.default_rng(0)
    excess = []
    for q in robot.sample(60, 1):
        frames = robot.fk_all(q)
        ball = frames[rng.integers(3), :3, 3] + rng.normal(0.0, 0.15, 3)
        found = robot.clearance(q, [fa.Sphere(ball, 0.05)], self_collision=False)
        true = judge.distance(q, ball)
        assert found.distance <= max(true, 0.0) + 1e-5 or true < 0.0
        assert found.distance < 1e-5 or true > 0.0
        excess.append(true - found.distance)
    assert max(excess) < 0.12


@pytest.mark.compiled
def test_spheres_and_capsules_are_exact(file):
    robot = fa.Robot.from_mjcf(file, tip="tip")
    geometry = robot.geometry
    radii = dict(zip(geometry.names, geometry.bodies[:, RADIUS], strict=True))
    assert (radii["one"], radii["finger"]) == (0.03, 0.015)
    q = np.array([0.3, 0.4, -0.5])
    at = robot.fk(q) @ [0.0, 0.06, 0.0, 1.0]  # the slide rests at its ref, the body where it is drawn
    held = robot.with_geometry(joints={"slide": 0.02})
    at = robot.fk(q) @ [0.0, 0.06, 0.0, 1.0]
    assert held.clearance(q, [fa.Sphere(at[:3], 0.001)], self_collision=False).distance <= -0.016 + 1e-9


@pytest.mark.compiled
def test_a_floor_is_held_against_the_arm(file):
    robot, judge, below = fa.Robot.from_mjcf(file, tip="tip"), Judge(file), 0
    for q in robot.sample(150, 3):
        true = judge.distance(q, [5.0, 5.0, 5.0], "floor", but=["one"])  # on which it stands
        found = robot.clearance(q).distance
        below += true < 0.0
        assert true > 0.05 or found <= max(true, 0.0) + 1e-4  # farther links are not looked at
    assert below > 3


@pytest.mark.compiled
def test_masks_that_never_meet_are_not_held_against_each_other(file):
    text = XML.format(more="").replace(
        'name="floor" class="solid"', 'name="floor" class="solid" contype="4" conaffinity="4"'
    )
    file.write_text(text)
    geometry = fa.Robot.from_mjcf(file, tip="tip").geometry
    assert not any("floor" in pair for pair in geometry.checked)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("part.stl", "gone.stl", "gone.stl' was not found"),
        ('type="cylinder" size="0.03 0.06"', 'type="sdf" mesh="wedge"', "sdf"),
        ('type="cylinder" size="0.03 0.06"', 'type="box" mesh="wedge"', "fits a box to a mesh"),
    ],
)
def test_a_geom_that_cannot_be_read_is_said_and_replaced(file, old, new, words):
    text = XML.format(more="").replace(old, new).replace('mesh="part"', f'mesh="{"gone" if "gone" in new else "part"}"')
    file.write_text(text)
    geometry = fa.Robot.from_mjcf(file, tip="tip").geometry
    assert len(geometry.notes) == 1
    assert "link 'three'" in geometry.notes[0]
    assert words in geometry.notes[0]


def test_geoms_that_mujoco_refuses_do_not_stop_the_chain(file):
    file.write_text(XML.format(more="").replace('size="0.015"', 'size="-1"'))
    robot = fa.Robot.from_mjcf(file, tip="tip")
    assert robot.n == 3
    assert "MuJoCo cannot read" in robot.geometry.notes[0]


def test_geoms_of_an_attached_model_come_with_their_meshes(file):
    child = file.parent / "hand"
    (child / "parts").mkdir(parents=True)
    (file.parent / "assets" / "part.stl").rename(child / "parts" / "part.stl")
    (child / "hand.xml").write_text(
        '<mujoco><compiler meshdir="parts"/><asset><mesh file="part.stl"/></asset><worldbody><body name="palm">'
        '<geom type="mesh" mesh="part"/></body></worldbody></mujoco>'
    )
    file.write_text(
        '<mujoco><asset><model name="h" file="hand/hand.xml"/></asset><worldbody><body name="a"><joint/>'
        '<geom type="sphere" size="0.05"/><body name="b" pos="0 0 0.3"><joint axis="0 1 0"/>'
        '<attach model="h" body="palm" prefix="h_"/></body></body></worldbody></mujoco>'
    )
    geometry = fa.Robot.from_mjcf(file, tip="h_palm").geometry
    assert geometry.notes == ()
    assert set(geometry.names) == {"a", "h_palm"}
