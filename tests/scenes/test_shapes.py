"""Obstacles: what they refuse, and that their packed rows are the shapes they say."""

import math

import numpy as np
import pytest
import shapely
from shapely import affinity

import forearm as fa
from forearm.core.collision.obstacle_rows import chain_gap, point_gap
from forearm.scenes.scene import as_scene

BAD = [
    (lambda: fa.Sphere([0, 0, 0], -1.0), "radius of the sphere is -1 m"),
    (lambda: fa.Sphere([0, 0, 0, 0], 1.0), "shape \\(4,\\)"),
    (lambda: fa.Sphere([0, math.nan], 1.0), "nan at"),
    (lambda: fa.Sphere([0, 0], math.inf), "must be finite"),
    (lambda: fa.Capsule([0, 0], [0, 0, 1], 1.0), "2 and 3 coordinates"),
    (lambda: fa.Capsule([0, 0], [0, 1], -0.1), "radius of the capsule is -0.1"),
    (lambda: fa.Box([0, 0, 0], [1, 1], None), "3 positive lengths"),
    (lambda: fa.Box([0, 0], [1, 0]), "2 positive lengths"),
    (lambda: fa.Box([0, 0, 0], [1, 1, 1], 0.5), "shape \\(\\)"),
    (lambda: fa.Box([0, 0, 0], [1, 1, 1], 2.0 * np.eye(3)), "differs from the identity by 3"),
    (lambda: as_scene(3, 2), "takes a list"),
    (lambda: as_scene([fa.Sphere([0, 0], 1), "wall"], 2), r"obstacle 1 \(str\) is 'wall'"),
    (lambda: as_scene([fa.Sphere([0, 0, 0], 1)], 2), "3 coordinates; what moves round it lies in a plane"),
    (lambda: as_scene([fa.Box([0, 0], [1, 1])], 3), "2 coordinates; what moves round it lies in space"),
]


@pytest.mark.parametrize(("make", "words"), BAD)
def test_what_is_no_obstacle_is_refused_with_the_value_seen(make, words):
    with pytest.raises(fa.errors.OptionError, match=words):
        make()


def test_no_obstacles_are_an_empty_scene():
    for empty in (None, [], ()):
        assert as_scene(empty, 3).rows.shape == (0, 18)


def test_one_obstacle_needs_no_list():
    assert len(as_scene(fa.Sphere([0, 0], 1.0), 2).rows) == 1


def shape_of(obstacle):
    """The same obstacle by shapely, its round parts as a distance to subtract."""
    if isinstance(obstacle, fa.Sphere):
        return shapely.Point(obstacle.center), obstacle.radius
    if isinstance(obstacle, fa.Capsule):
        return shapely.LineString([obstacle.a, obstacle.b]), obstacle.radius
    w, h = obstacle.size
    flat = shapely.box(-w / 2, -h / 2, w / 2, h / 2)
    (c, *_), (s, *_), _ = obstacle.rotation
    return affinity.affine_transform(flat, [c, -s, s, c, *obstacle.center]), 0.0


@pytest.mark.parametrize("seed", range(25))
def test_planar_gaps_agree_with_shapely(seed):
    rng = np.random.default_rng(seed)
    obstacles = [
        fa.Sphere(rng.normal(size=2), 0.3),
        fa.Capsule(rng.normal(size=2), rng.normal(size=2), 0.2),
        fa.Box(rng.normal(size=2), rng.uniform(0.2, 1.0, 2), rng.uniform(-3, 3)),
    ]
    points = np.zeros((4, 3))
    points[:, :2] = rng.normal(size=(4, 2)) * 1.5
    radii = np.array([0.0, 0.05, 0.1])
    gap, link, k = chain_gap(as_scene(obstacles, 2).rows, points, radii)
    gaps = np.empty((3, 3))
    for i in range(3):
        line = shapely.LineString(points[i : i + 2, :2])
        for j, obstacle in enumerate(obstacles):
            shape, radius = shape_of(obstacle)
            gaps[i, j] = line.distance(shape) - radius - radii[i]
    assert gap <= gaps.min() + 1e-12
    if gaps.min() > 0.0:
        assert gap == pytest.approx(gaps.min(), abs=1e-12)
        assert gaps[link, k] == pytest.approx(gap, abs=1e-12)


def test_a_point_in_a_turned_box_is_as_deep_as_its_nearest_face():
    R = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    rows = as_scene([fa.Box([1.0, 2.0, 3.0], [2.0, 4.0, 6.0], R)], 3).rows
    assert point_gap(rows, 1.0, 2.9, 3.0) == (pytest.approx(-0.1), 0)
    assert point_gap(rows, 1.0, 3.5, 3.0) == (pytest.approx(0.5), 0)


@pytest.mark.parametrize("item", [fa.scenes.HalfSpace([0, 0, 0]), fa.scenes.PointCloud([[0, 0, 0]], 0.1)])
def test_a_chain_refuses_what_only_arms_take(item):
    with pytest.raises(fa.errors.OptionError, match=r"obstacle 0 \(.*\) is a .*; a chain takes fa.Sphere"):
        fa.Chain([[0, 0, 0], [0, 0, 1]]).solve([0.1, 0.2, 0.3], obstacles=[item])
