"""Which parts of a surface lie inside another one."""

import numpy as np
import pytest

from forearm.arm.charts.surface import surface_of
from forearm.core.charts.surfaces import Surface, is_inside
from forearm.models.mechanism import LinkShape

SIZE = np.array([0.4, 0.6, 0.2])


def box(size, marks):
    """The surface of a box, of whose parts some points are known."""
    surface = Surface(*surface_of(LinkShape("link", 0, np.eye(4), "box", tuple(size)), np.eye(3, 4)))
    return surface._replace(marks=np.array(marks))


@pytest.mark.compiled  # as Python it takes minutes; the part inside below is looked at so, too
def test_a_surface_holds_what_lies_in_it_only():
    one = box(SIZE, [[9.0, 0.0, 0.0]])
    for x in np.random.default_rng(3).uniform(-0.5, 0.5, (150, 3)):
        inside = bool((np.abs(x) < 0.5 * SIZE).all())
        assert is_inside(one, box((0.1, 0.1, 0.1), [x]), np.eye(4)) == inside


@pytest.mark.parametrize("at", [0.0, 0.1, 0.4])
def test_a_part_inside_is_found_wherever_the_other_parts_are(at):
    """Of two parts of a surface one is far away: the marks of both are looked at."""
    one, T = box((0.6, 0.6, 0.6), [[0.3, 0.3, 0.3]]), np.eye(4)
    other = box((0.1, 0.1, 0.1), [[2.0, 0.0, 0.0], [0.05, 0.05, 0.05]])
    T[0, 3] = at
    assert is_inside(one, other, T) == (at < 0.25)
    assert not is_inside(other, one, np.eye(4))
