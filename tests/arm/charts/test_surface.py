"""Surfaces of shapes: balls hold their triangles; how near two come, against coal on the mesh as its file has it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import forearm as fa
from forearm.arm.charts.surface import surface_of
from forearm.core.charts.boxes import TOUCHING, boxes_size, least_gaps
from forearm.core.charts.surfaces import BOX as MIDDLE
from forearm.core.charts.surfaces import HALF, ROUND, WAYS

coal = pytest.importorskip("coal")
pytest.importorskip("trimesh")

WITHIN = 1e-9  # [m]
AXIS = np.eye(3, 4)
BOX = np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.05, 0.05) for z in (-0.2, 0.2)])
SIDES = np.array([
    [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
    [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
])  # fmt: skip
MESHES = {
    "one triangle": (BOX[:3], np.array([[0, 1, 2]])),
    "a box": (BOX, SIDES),
    "a needle": (np.array([[0.0, 0.0, 0.0], [0.3, 0.0, 0.0], [0.3, 1e-5, 0.0]]), np.array([[0, 1, 2]])),
    "two parts": (np.concatenate([BOX, 0.3 * BOX + [0.3, 0.1, 0.0]]), np.concatenate([SIDES, SIDES + 8])),
    "with faces of no size": (BOX, np.concatenate([SIDES, [[0, 0, 0], [1, 2, 2], [5, 5, 3]]])),
}


def arm_of(folder, meshes):
    """An arm of two links, each a mesh of a file, between which a joint turns."""
    links = ""
    for k, (corners, faces) in enumerate(meshes):
        lines = [*("v " + " ".join(map(repr, row)) for row in corners.tolist()),
                 *("f " + " ".join(map(str, row)) for row in (faces + 1).tolist())]  # fmt: skip
        (folder / f"{k}.obj").write_text("\n".join(lines) + "\n")
        links += f'<link name="l{k}"><collision><geometry><mesh filename="{k}.obj"/></geometry></collision></link>'
    (folder / "arm.urdf").write_text(
        f'<robot name="pair">{links}<joint name="j" type="revolute"><parent link="l0"/><child link="l1"/>'
        '<origin xyz="0.3 0.1 0.05" rpy="0.3 0.2 0.1"/><axis xyz="1 2 3"/><limit lower="-3" upper="3"/></joint></robot>'
    )
    return fa.Robot.from_urdf(folder / "arm.urdf")


def coal_mesh(corners, faces):
    """All faces as they are written, those of no size too."""
    mesh = coal.BVHModelOBBRSS()
    mesh.beginModel(len(faces), len(corners))
    for face in faces:
        mesh.addTriangle(*corners[face])
    mesh.endModel()
    return mesh


def distance(meshes, T):
    """The distance of two meshes by coal, the second of which stands at T; 0 where they cross."""
    eye, there = coal.Transform3s.Identity(), coal.Transform3s(T[:3, :3].copy(), T[:3, 3].copy())
    return max(0.0, coal.distance(meshes[0], eye, meshes[1], there, coal.DistanceRequest(), coal.DistanceResult()))


@pytest.mark.compiled
@pytest.mark.parametrize("other", ["a box", "one triangle"])
@pytest.mark.parametrize("name", MESHES)
def test_surfaces_come_as_near_as_coal_says(tmp_path, name, other):
    meshes = [MESHES[name], MESHES[other]]
    robot = arm_of(tmp_path, meshes)
    model, placed = robot.model, [coal_mesh(*mesh) for mesh in meshes]
    one, two = (surface_of(shape, AXIS).packed for shape in model.shapes)
    work, told, T = np.empty(boxes_size(model.m, model.n)), np.empty(1), np.eye(4)
    for q in np.linspace(-3.0, 3.0, 60):
        T[:] = robot.fk([q])
        true, told[0] = distance(placed, T), np.inf
        least_gaps(model.links, model.joints, one, two, np.array([[q]]), work, told)
        inside = (np.abs((meshes[0][0] - T[:3, 3]) @ T[:3, :3]) < BOX.max(axis=0)).all(axis=1)
        touches = true == 0.0 or (other == "a box" and inside.any())  # what lies in a solid wholly touches it
        assert told[0] == (TOUCHING if touches else pytest.approx(true, abs=WITHIN))


@pytest.mark.parametrize("name", MESHES)
def test_balls_hold_what_is_below_them(tmp_path, name):
    robot = arm_of(tmp_path, [MESHES[name], MESHES["a box"]])
    triangles, balls, _ = surface_of(robot.model.shapes[0], AXIS)
    groups = (len(balls) + 1) // 2
    assert len(triangles) % groups == 0
    points = triangles[:, :ROUND].reshape(groups, -1, 3)
    for level in range(groups.bit_length()):
        some = balls[2**level - 1 : 2 ** (level + 1) - 1]
        members = points.reshape(2**level, -1, 3)
        off = np.linalg.norm(members - some[:, None, :3], axis=2)
        assert (off <= some[:, None, 3] + 1e-12).all()
        about = np.linalg.norm(members[:, :, :2], axis=2).max(axis=1)
        assert (about <= some[:, 4] + 1e-12).all()


@pytest.mark.parametrize("name", MESHES)
def test_boxes_hold_what_is_below_them_and_are_thin_about_what_is_flat(tmp_path, name):
    robot = arm_of(tmp_path, [MESHES[name], MESHES["a box"]])
    triangles, rows, _ = surface_of(robot.model.shapes[0], AXIS)
    groups = (len(rows) + 1) // 2
    for level in range(groups.bit_length()):
        some = rows[2**level - 1 : 2 ** (level + 1) - 1]
        members = triangles[:, :ROUND].reshape(2**level, -1, 3)
        ways = some[:, WAYS:HALF].reshape(-1, 3, 3)
        assert ways @ ways.transpose(0, 2, 1) == pytest.approx(np.tile(np.eye(3), (len(some), 1, 1)), abs=1e-12)
        along = np.abs((members - some[:, None, MIDDLE:WAYS]) @ ways.transpose(0, 2, 1))
        assert (along <= some[:, None, HALF:]).all()
    assert (some[:, HALF:].min(axis=1) < 1e-6).all()  # the last hold a triangle each


def test_each_part_has_a_mark_of_its_own(tmp_path):
    robot = arm_of(tmp_path, [MESHES["two parts"], MESHES["a box"]])
    parts, whole = (surface_of(shape, AXIS).marks for shape in robot.model.shapes)
    assert len(whole) == 1
    assert len(parts) == 2
    assert sorted(bool(mark[0] > 0.2) for mark in parts) == [False, True]


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1))
def test_cut_triangles_cover_what_they_were_cut_from(tmp_path_factory, seed):
    """Their area is the same, and none reaches out of it."""
    corners = np.random.default_rng(seed).normal(size=(3, 3))
    robot = arm_of(tmp_path_factory.mktemp("cut"), [(corners, np.array([[0, 1, 2]])), MESHES["a box"]])
    cut = surface_of(robot.model.shapes[0], AXIS).triangles[:, :ROUND].reshape(-1, 3, 3)
    areas = [np.linalg.norm(np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0]), axis=1) for t in (cut, corners[None])]
    assert areas[0].sum() == pytest.approx(areas[1].sum(), rel=1e-6)
    shares = np.linalg.lstsq(np.vstack([corners.T, np.ones(3)]),
                             np.vstack([cut.reshape(-1, 3).T, np.ones(3 * len(cut))]), rcond=None)[0]  # fmt: skip
    assert shares.min() > -1e-6
