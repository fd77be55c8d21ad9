"""Meshes of a URDF: they move with their links, and a missing one is told."""

import numpy as np
import pytest

import forearm as fa
from forearm.viewer.arm.figure import capsule_pieces, joint_frames
from forearm.viewer.arm.meshes import mesh_pieces
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
    pieces, why = mesh_pieces(path, robot.model)
    assert not why
    q = [0.7, 0.25]
    upper, forearm = robot.fk_all(q)[:2]
    origin = fa.Pose([0.1, 0.0, 0.2], rpy=[0.3, 0.2, 0.1]).goal
    expected = [upper @ origin @ np.diag([0.1, 0.1, 0.1, 1.0]), forearm]
    for corners, T in zip(shown(robot, pieces, q), expected, strict=True):
        wanted = CORNERS @ T[:3, :3].T + T[:3, 3]
        for corner in wanted:
            assert np.linalg.norm(corners - corner, axis=1).min() < 1e-9
        assert len(corners) == len(wanted)


def test_a_missing_mesh_turns_its_own_link_into_capsules_only(urdf):
    path = urdf("meshes/part.obj")
    path.write_text(path.read_text().replace("package://two_description/meshes/part.obj", "gone.stl"))
    model = fa.Robot.from_urdf(path).model
    pieces, why = mesh_pieces(path, model)
    assert "gone.stl' is not found" in why
    assert next(piece for piece in pieces if piece.joint == 1).mesh[0].shape == (4, 3)  # a mesh of four corners
    drawn = [piece for piece in pieces if piece.joint == 0]
    expected = [piece for piece in capsule_pieces(model) if piece.joint == 0]
    assert [piece.mesh[0].tolist() for piece in drawn] == [piece.mesh[0].tolist() for piece in expected] != []


def test_what_is_missing_is_told(urdf):
    path = urdf("nowhere.stl")
    path.write_text(path.read_text().replace("meshes/part.obj", "gone.obj"))
    pieces, why = mesh_pieces(path, fa.Robot.from_urdf(path).model)
    assert not pieces
    assert "gone.obj' is not found" in why


def test_a_urdf_without_meshes_says_so(urdf):
    path = urdf("x")
    path.write_text(path.read_text().replace("<mesh", "<other"))
    assert mesh_pieces(path, fa.Robot.from_urdf(path).model) == ([], "two.urdf names no meshes on the chain")
