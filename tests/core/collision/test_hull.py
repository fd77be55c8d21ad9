"""Convex hulls against coal, distances and directions; columns of height fields against coal and by hand."""

import numpy as np
import pytest

from forearm.core.collision.obstacle_rows import segment_gap
from forearm.scenes import ConvexHull, HeightField
from forearm.scenes.solids import hull_of

coal = pytest.importorskip("coal")

WITHIN = 1e-9


def convex(points):
    """The same hull for coal."""
    corners, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for point in points:
        corners.append(np.asarray(point))
    for face in hull_of(np.asarray(points))[0]:
        triangles.append(coal.Triangle(*map(int, face)))
    return coal.Convex(corners, triangles)


def by_coal(shape, p, q):
    """Signed distance and direction away, by coal."""
    z = (q - p) / np.linalg.norm(q - p)
    x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
    x /= np.linalg.norm(x)
    placed = coal.Transform3s(np.stack([x, np.cross(z, x), z], axis=1), 0.5 * (p + q))
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.enable_signed_distance = True
    request.gjk_tolerance = request.epa_tolerance = 1e-12
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    thin = coal.Capsule(1e-3, float(np.linalg.norm(q - p)))
    size = coal.distance(thin, placed, shape, coal.Transform3s.Identity(), request, result)
    return size + 1e-3, -np.array(result.normal)


def test_distances_and_directions_are_coals_inside_and_outside():
    rng, inside = np.random.default_rng(0), 0
    for _ in range(150):
        points = rng.uniform(-0.2, 0.2, 3) + 0.2 * rng.normal(size=(rng.integers(4, 24), 3))
        p, q = rng.uniform(-0.6, 0.6, (2, 3))
        size, _, n = segment_gap(ConvexHull(points).rows(), 0, tuple(p), tuple(q - p))
        theirs, way = by_coal(convex(points), p, q)
        assert size == pytest.approx(theirs, abs=WITHIN)
        assert np.linalg.norm(n - way) < WITHIN
        inside += size < 0.0
    assert inside > 20


def test_a_hull_holds_all_points_and_reaches_no_farther():
    rng = np.random.default_rng(1)
    grid = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 5)] * 3), axis=-1).reshape(-1, 3)
    for points in (rng.normal(size=(400, 3)), grid, grid + 1e-8 * rng.normal(size=grid.shape), grid.astype(np.float32)):
        faces, corners = hull_of(np.asarray(points, float))
        ways = rng.normal(size=(500, 3))
        assert np.allclose((ways @ corners.reshape(-1, 3).T).max(axis=1), (ways @ points.T).max(axis=1), atol=1e-9)
        volume = np.einsum("fi,fi->f", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6.0
        assert volume > 0.0
        assert len(faces) == 2 * len(np.unique(faces)) - 4  # closed, by Euler
    assert volume == pytest.approx(1.0)


def test_points_in_a_plane_enclose_nothing():
    from forearm.errors import OptionError

    for points in (np.zeros((5, 3)), np.eye(3), np.random.default_rng(0).normal(size=(9, 3)) * [1, 1, 0]):
        with pytest.raises(OptionError, match="enclose nothing"):
            ConvexHull(points)


@pytest.mark.parametrize("turned", [False, True])
def test_a_height_field_is_the_columns_that_coal_sees(turned):
    rng = np.random.default_rng(2)
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    R = R * np.linalg.det(R) if turned else np.eye(3)
    field = HeightField(rng.uniform(0.0, 0.3, (3, 4)), (0.2, 0.15), [0.1, -0.2, 0.0], R, floor=-0.1)
    columns = []
    for top in (field.faces - field.origin) @ R:  # back in its own axes
        columns.append(convex((np.vstack([top, np.c_[top[:, :2], np.full(3, -0.1)]])) @ R.T + field.origin))
    below = 0
    for _ in range(50):
        p, q = rng.uniform(-0.5, 0.7, (2, 3))
        ours = min(
            (segment_gap(field.rows(), k, tuple(p), tuple(q - p)) for k in range(len(columns))), key=lambda g: g[0]
        )
        theirs = min((by_coal(column, p, q) for column in columns), key=lambda found: found[0])
        if theirs[0] > 0.0:
            assert ours[0] == pytest.approx(theirs[0], abs=WITHIN)
            assert np.linalg.norm(ours[2] - theirs[1]) < 1e-6
        else:
            below += 1
            assert ours[0] < 0.0
    assert below >= 2


def test_the_way_out_of_the_ground_leads_up():
    field = HeightField(np.zeros((6, 6)), 0.1, floor=-1.0)
    gaps = [segment_gap(field.rows(), k, (0.24, 0.26, -0.3), (0.02, 0.01, 0.0)) for k in range(len(field.rows()))]
    size, _, n = min(gaps)
    assert size == pytest.approx(-0.3)
    assert n == pytest.approx((0.0, 0.0, 1.0))
