"""Which points triangles wind about, and which parts of a surface lie in another one."""

import numpy as np
import pytest

from forearm.arm.surfaces import box_triangles
from forearm.core.charts.surfaces import AXIS, ROUND, TRIANGLE_COLUMNS, Surface, is_inside, winds_about


def rows(triangles):
    """Triangles as kernels take them."""
    found = np.zeros((len(triangles), TRIANGLE_COLUMNS))
    found[:, :ROUND] = triangles.reshape(-1, ROUND)
    found[:, AXIS] = np.linalg.norm(triangles[:, :, :2], axis=2).max(axis=1)
    return found


def test_triangles_wind_about_what_lies_in_them_only():
    size = np.array([0.4, 0.6, 0.2])
    box, rng = rows(box_triangles(tuple(size))), np.random.default_rng(3)
    inside_out = rows(box_triangles(tuple(size))[:, ::-1])
    for x in rng.uniform(-0.5, 0.5, (300, 3)):
        inside = bool((np.abs(x) < 0.5 * size).all())
        assert winds_about(box, tuple(x)) == inside
        assert winds_about(inside_out, tuple(x)) == inside


@pytest.mark.parametrize("at", [0.0, 0.1, 0.4])
def test_a_part_inside_is_found_wherever_the_other_parts_are(at):
    """Of two parts of a surface one is far away: the marks of both are looked at."""
    outer, inner = box_triangles((0.6, 0.6, 0.6)), box_triangles((0.1, 0.1, 0.1))
    balls = np.array([[0.0, 0.0, 0.0, 0.6, 0.6]])
    one = Surface(rows(outer), balls, outer[:1, 0])
    parts = np.array([[2.0, 0.0, 0.0], inner[0, 0]])
    other, T = Surface(rows(inner), balls, parts), np.eye(4)
    T[0, 3] = at
    assert is_inside(one, other, T) == (at < 0.3)
    assert not is_inside(other, Surface(rows(outer), balls, outer[:1, 0]), np.eye(4))
