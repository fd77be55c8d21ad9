"""Meshes of a URDF: they move with their links, and a missing one is told."""

import numpy as np
import pytest

import forearm as fa
from forearm.viewer.arm.figure import capsule_pieces, joint_frames
from forearm.viewer.arm.meshes import figure_pieces
from forearm.viewer.shared.rotations import pose_of

pytest.importorskip("trimesh")

CORNERS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]])
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]

URDF = """<robot name="two"><link name="root"/>
  <link name="upper"><visual><origin xyz="0.1 0 0.2" rpy="0.3 0.2 0.1"/>
    <geometry><mesh filename="package://two_description/meshes/part.obj" scale="0.1 0.1 0.1"/></geometry>
  </visual></link>
  <link name="plate"/>
  <link name="fore"><visual><geometry><mesh filename="{fore}"/></geometry></visual>
    <collision><geometry><mesh filename="meshes/part.obj"/></geometry></collision></link>
  <joint name="a" type="revolute"><parent link="root"/><child link="upper"/><origin xyz="0 0 0.3" rpy="0 0.5 0"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2"/></joint>
  <joint name="fix" type="fixed"><parent link="upper"/><child link="plate"/><origin xyz="0.2 0.1 0"/></joint>
  <joint name="b" type="prismatic"><parent link="plate"/><child link="fore"/><origin xyz="0.4 0 0" rpy="0 0 1"/>
    <axis xyz="1 1 0"/><limit lower="-1" upper="1"/></joint></robot>"""


@pytest.fixture
def urdf(tmp_path):
    """Writes the package and gives a function that writes its URDF."""
    package = tmp_path / "two_description"
    (package / "meshes").mkdir(parents=True)
    lines = [f"v {x} {y} {z}" for x, y, z in CORNERS] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FACES]
    (package / "meshes" / "part.obj").write_text("\n".join(lines))

    def write(fore):
        path = package / "two.urdf"
        path.write_text(URDF.format(fore=fore))
        return path

    return write


def shown(robot, pieces, q):
    """The corners of every piece in the base frame, by the frames that the page is given."""
    wxyz, position = joint_frames(robot.model, np.asarray(q))
    frames = [np.eye(4)]
    for turn, place in zip(wxyz, position, strict=True):
        frames.append(frames[-1] @ pose_of(turn, place))
    return [p.mesh[0] @ frames[p.joint + 1][:3, :3].T + frames[p.joint + 1][:3, 3] for p in pieces]


@pytest.mark.parametrize("fore", ["meshes/part.obj", "meshes/missing.dae"])
def test_meshes_move_with_their_links(urdf, fore):
    path = urdf(fore)  # where the visual mesh is missing, the collision mesh stands for it
    robot = fa.Robot.from_urdf(path)
    pieces, why = figure_pieces(robot.model)
    assert not why
    q = [0.7, 0.25]
    upper, forearm = robot.fk_all(q)[:2]
    origin = fa.Pose([0.1, 0.0, 0.2], rpy=[0.3, 0.2, 0.1]).goal
    expected = [upper @ origin @ np.diag([0.1, 0.1, 0.1, 1.0]), forearm]
    for corners, T in zip(shown(robot, pieces, q), expected, strict=True):
        wanted = CORNERS @ T[:3, :3].T + T[:3, 3]
        for corner in wanted:
            assert np.linalg.norm(corners - corner, axis=1).min() < 1e-9


def test_a_missing_mesh_turns_its_own_link_into_a_plain_figure_only(urdf):
    path = urdf("meshes/part.obj")
    path.write_text(path.read_text().replace("package://two_description/meshes/part.obj", "gone.stl"))
    model = fa.Robot.from_urdf(path).model
    pieces, why = figure_pieces(model)
    assert "gone.stl' was not found" in why
    assert {tuple(corner) for corner in next(p for p in pieces if p.joint == 1).mesh[0].tolist()} >= {(0.0, 0.0, 0.0)}
    drawn = [piece for piece in pieces if piece.joint == 0]
    expected = [piece for piece in capsule_pieces(model) if piece.joint == 0]
    assert [piece.mesh[0].tolist() for piece in drawn] == [piece.mesh[0].tolist() for piece in expected] != []


def test_what_is_missing_is_told(urdf):
    path = urdf("nowhere.stl")
    path.write_text(path.read_text().replace("meshes/part.obj", "gone.obj"))
    model = fa.Robot.from_urdf(path).model
    pieces, why = figure_pieces(model)
    assert len(pieces) == len(capsule_pieces(model))
    assert "gone.obj' was not found" in why


def test_colours_primitives_and_fingers_are_drawn():
    text = """<robot name="hand"><material name="brass"><color rgba="0.8 0.6 0.2 1"/></material>
      <link name="root"/>
      <link name="palm"><visual><geometry><box size="0.1 0.2 0.3"/></geometry>
        <material name="own"><color rgba="1 0 0.2 1"/></material></visual></link>
      <link name="finger"><visual><origin xyz="0 0 0.05"/><geometry><cylinder radius="0.01" length="0.1"/></geometry>
        <material name="brass"/></visual></link>
      <joint name="a" type="revolute"><parent link="root"/><child link="palm"/><origin xyz="0 0 0.5"/>
        <axis xyz="0 0 1"/><limit lower="-2" upper="2"/></joint>
      <joint name="grip" type="prismatic"><parent link="palm"/><child link="finger"/><origin xyz="0.2 0 0"/>
        <axis xyz="1 0 0"/><limit lower="0.01" upper="0.04"/></joint></robot>"""
    robot = fa.Robot.from_urdf(text, tip="palm")
    pieces, why = figure_pieces(robot.model)
    assert not why
    assert [piece.colour for piece in pieces] == ["#ff0033", "#cc9933"]
    palm, finger = shown(robot, pieces, [0.0])
    np.testing.assert_allclose(np.ptp(palm, axis=0), [0.1, 0.2, 0.3])
    np.testing.assert_allclose([finger[:, 0].mean(), finger[:, 2].min(), finger[:, 2].max()], [0.21, 0.5, 0.6])


@pytest.mark.parametrize("name", ["ur5", "panda", "iiwa14", "puma560", "scara", "ur10e"])
def test_arms_of_the_catalog_look_like_themselves(name):
    robot = fa.load(name)
    pieces, why = figure_pieces(robot.model)
    assert not why
    assert {piece.joint for piece in pieces} == set(range(-1, robot.model.m))
    corners = np.concatenate(shown(robot, pieces, robot.home))
    assert corners[:, 2].min() > -0.01  # nothing below the floor
    tip = robot.fk(robot.home)[:3, 3]
    assert np.linalg.norm(corners - tip, axis=1).min() < 0.07
    assert np.linalg.norm(corners[:, :2], axis=1).max() < 1.2 * robot.reach


@pytest.mark.parametrize("name", [name for name in fa.list_robots() if not name.endswith("-N")])
def test_every_home_is_inside_the_limits_above_the_floor_and_not_stretched(name):
    robot = fa.load(name)
    assert len(robot.model.home) == robot.n
    assert (robot.limits[0] <= robot.home).all()
    assert (robot.home <= robot.limits[1]).all()
    points = robot.fk_all(robot.home)[:, :3, 3]
    assert points[:, 2].min() > 0.0
    assert np.linalg.norm(points[-1] - points[0]) < 0.9 * robot.reach
