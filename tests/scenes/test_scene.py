"""Scenes: packed without ceremony, and told by name; no mesh loses a triangle in silence."""

import copy
import pickle
import sys

import numpy as np
import pytest

import forearm as fa
from forearm.scenes import (
    ConvexHull,
    Cylinder,
    DistanceField,
    HalfSpace,
    HeightField,
    Mesh,
    PointCloud,
    Scene,
)


def fifteen(rng):
    """Obstacles of three kinds about an arm."""
    places = rng.uniform(0.5, 0.9, (15, 3))
    kinds = (
        lambda p: fa.Sphere(p, 0.05),
        lambda p: fa.Capsule(p, p + 0.1, 0.05),
        lambda p: fa.Box(p, [0.1, 0.1, 0.1]),
    )
    return [kinds[i % 3](place) for i, place in enumerate(places)]


def calls_of(function):
    """How many functions are entered, Python's and C's."""
    seen = [0]

    def count(frame, event, argument):
        seen[0] += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(None)
    return seen[0]


@pytest.mark.compiled
def test_a_fresh_scene_costs_little_more_than_one_that_is_known():
    arm, rng = fa.load("ur5"), np.random.default_rng(0)
    T = arm.fk(np.array([0.3, -1.2, 1.0, -0.5, 0.8, 0.2]))
    known = Scene(fifteen(rng))
    arm.solve(T, obstacles=known, explain=False)
    again = calls_of(lambda: arm.solve(T, obstacles=known, explain=False))
    obstacles = fifteen(rng)
    fresh = calls_of(lambda: arm.solve(T, obstacles=obstacles, explain=False))
    assert fresh <= again + 4 * len(obstacles)


def test_a_scene_that_replaces_another_is_the_one_that_is_looked_at():
    arm = fa.load("ur5")
    q = np.array([0.3, -1.2, 1.0, -0.5, 0.8, 0.2])
    tip = arm.fk(q)[:3, 3]
    free = arm.solve(arm.fk(q), obstacles=[fa.Sphere([3, 0, 0], 0.1)])
    blocked = arm.solve(arm.fk(q), obstacles=[fa.Sphere(tip, 0.1)])
    assert free.success
    assert blocked.status is fa.Status.COLLISION
    assert arm.solve(arm.fk(q), obstacles=[fa.Sphere([3, 0, 0], 0.1)]).success


EVERY = (
    fa.Sphere([0, 0, 1], 0.1),
    fa.Capsule([0, 0, 0], [0, 0, 1], 0.1),
    fa.Box([0, 0], [1, 2], 0.3),
    fa.Box([0, 0, 0], [1, 2, 3], [[0, -1, 0], [1, 0, 0], [0, 0, 1]]),
    Cylinder([0, 0, 0], [0, 0, 1], 0.1),
    HalfSpace([0, 0, 0], [1, 2, 3]),
    Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]),
    ConvexHull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    PointCloud([[0, 0, 0], [1, 1, 1]], 0.1),
    HeightField([[0, 1], [1, 0]], 0.5),
    DistanceField(np.arange(8.0).reshape(2, 2, 2), 0.5),
)


@pytest.mark.parametrize("obstacle", EVERY, ids=lambda obstacle: type(obstacle).__name__)
def test_obstacles_survive_a_pickle_and_a_copy(obstacle):
    for other in (pickle.loads(pickle.dumps(obstacle)), copy.deepcopy(obstacle)):
        assert np.array_equal(other.rows(), obstacle.rows())
        assert (other.dim, other.farthest) == (obstacle.dim, obstacle.farthest)


def test_a_scene_survives_a_pickle():
    scene = Scene([item for item in EVERY if item.dim == 3])
    other = pickle.loads(pickle.dumps(scene))
    assert np.array_equal(other.rows, scene.rows)
    assert np.array_equal(other.owners, scene.owners)
    assert other.names == scene.names


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


BAD = [[0.0, np.nan, 0.0]]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: PointCloud(BAD, 0.1), "the array of the points of the cloud has nan at [0, 1]"),
        (lambda: PointCloud([1, 2], 0.1), "the array of the points of the cloud has shape (2,); it takes (N, 3)"),
        (lambda: Mesh(BAD, [[0, 0, 0]]), "the array of the vertices of the mesh has nan"),
        (lambda: Mesh([[0, 0, 0]], BAD), "the array of the faces of the mesh has nan"),
        (lambda: ConvexHull(BAD), "the array of the points of the hull has nan"),
        (lambda: HeightField(BAD, 0.1), "the array of the heights of the height field has nan"),
        (lambda: DistanceField(BAD, 0.1), "the array of the distances of the field has nan"),
        (lambda: DistanceField([[1.0]], 0.1), "the array of the distances of the field has shape (1, 1); it takes"),
    ],
)
def test_what_is_wrong_of_many_numbers_is_told_in_grammar(call, words):
    with pytest.raises(fa.errors.OptionError) as told:
        call()
    assert words in str(told.value)
