"""Meshes as obstacles: none loses a triangle in silence."""

import numpy as np
import pytest

import forearm as fa
from forearm.scenes import Mesh

SQUARE = "v 1 -2 -2\nv 1 2 -2\nv 1 2 {}\nv 1 -2 2\nf 1 2 3\nf 1 3 4\n"


def test_a_mesh_file_keeps_all_its_triangles(tmp_path):
    pytest.importorskip("trimesh")
    path = tmp_path / "wall.obj"
    path.write_text(SQUARE.format("2"))
    assert len(Mesh.from_file(path).faces) == 2


@pytest.mark.parametrize("corner", ["nan", "inf", "1e400"])
def test_a_corner_that_is_not_finite_is_refused_with_its_mesh(tmp_path, corner):
    pytest.importorskip("trimesh")
    path = tmp_path / "wall.obj"
    path.write_text(SQUARE.format(corner))
    with pytest.raises(fa.ForearmError, match=r"wall\.obj' has no corners, or some that are not finite"):
        Mesh.from_file(path)


def test_a_mesh_without_triangles_is_refused():
    with pytest.raises(fa.ForearmError, match="the mesh has no triangles"):
        Mesh(np.eye(3), np.empty((0, 3)))


PLY = """ply
format ascii 1.0
element vertex 4
property float x
property float y
property float z
element face {}
property list uchar int vertex_indices
end_header
0.3 -1 -1
0.3 1 -1
0.3 0 2
0.3 2 2
{}"""


@pytest.mark.parametrize(("count", "faces", "whole"), [(1, "3 0 1 2\n", True), (5, "3 0 1 2\n", False)])
def test_a_mesh_that_has_fewer_faces_than_it_says_is_refused(tmp_path, count, faces, whole):
    pytest.importorskip("trimesh")
    path = tmp_path / "wall.ply"
    path.write_text(PLY.format(count, faces))
    if whole:
        assert len(Mesh.from_file(path).faces) == count
    else:
        with pytest.raises(fa.ForearmError, match=r"wall\.ply' says it has 5 faces, and has 1"):
            Mesh.from_file(path)


def test_a_square_of_a_mesh_is_two_triangles(tmp_path):
    pytest.importorskip("trimesh")
    path = tmp_path / "wall.ply"
    path.write_text(PLY.format(1, "4 0 1 3 2\n"))
    assert len(Mesh.from_file(path).faces) == 2
