"""The capsules of an arm in pictures: where forward kinematics has them, and the guilty ones named."""

import numpy as np
import pytest

import forearm as fa
from forearm.plot import draw_pose
from forearm.plot.bodies import GROUND, guilty_links, placed_capsules
from forearm.plot.obstacles import faces_of
from forearm.plot.pose import joint_points
from forearm.scenes import HalfSpace

pytest.importorskip("matplotlib")
ARM = fa.load("planar-3").with_geometry(radius=0.05)
Q = np.array([0.3, 0.9, 0.4])


def test_capsules_lie_along_the_links():
    turned = np.cumsum(Q)
    ends = np.vstack([np.zeros(2), np.cumsum(np.column_stack([np.cos(turned), np.sin(turned)]), axis=0)])
    ends *= ARM.reach / 3.0
    drawn = placed_capsules(ARM, Q)
    assert {capsule.radius for _, capsule in drawn} == {0.05}
    for k in range(3):
        assert any(np.allclose([c.a[:2], c.b[:2]], ends[k : k + 2], atol=1e-9) for _, c in drawn), k


@pytest.mark.compiled
def test_the_link_that_is_in_an_obstacle_stands_out_and_is_named():
    wall = {"wall": fa.Sphere(ARM.fk(Q)[:3, 3], 0.1)}
    nearest = ARM.clearance(Q, wall)
    assert guilty_links(nearest) == (nearest.link,)
    figure = draw_pose(ARM, Q, obstacles=wall)
    labels = [words.get_text() for words in figure.axes[0].get_legend().get_texts()]
    assert str(nearest) in labels
    assert "into 'wall'" in str(nearest)
    clear = draw_pose(ARM, Q, obstacles={"wall": fa.Sphere([9.0, 0.0, 0.0], 0.1)})
    assert not any("wall" in words.get_text() for words in clear.axes[0].get_legend().get_texts())


def test_nothing_is_guilty_that_keeps_away_and_both_are_that_touch_each_other():
    nearest = ARM.clearance(Q, [fa.Sphere([9.0, 0.0, 0.0], 0.1)])
    assert guilty_links(nearest) == ()
    both = type(nearest)(-0.01, "a", "b", None)
    assert guilty_links(both) == ("a", "b")


def test_a_floor_hides_nothing_of_the_arm():
    floor = {"floor": fa.scenes.HalfSpace([0.0, 0.0, -0.2])}
    axes = draw_pose(ARM, Q, obstacles=floor).axes[0]
    assert not axes.computed_zorder
    arm = next(line for line in axes.lines if line.get_label() == "arm")
    assert min(arm.zorder, *(line.zorder for line in axes.lines[1:])) > max(
        each.zorder for each in axes.collections if each.get_zorder() == 1
    )


def test_links_stand_on_white_and_a_floor_ends_where_the_picture_does():
    """An obstacle behind a see-through link gave it its own colour, and a floor reached far beyond the axes."""
    axes = draw_pose(ARM, Q, obstacles={"floor": HalfSpace([0.0, 0.0, -0.2])}).axes[0]
    assert axes.collections[0].get_zorder() < GROUND  # the floor
    white = [drawn for drawn in axes.collections if drawn.get_zorder() == GROUND]
    assert len(white) == len(placed_capsules(ARM, Q))
    assert all((np.asarray(drawn.get_facecolor()) == 1.0).all() for drawn in white)
    points = joint_points(ARM, Q)
    (corners,) = faces_of(HalfSpace([5.0, 5.0, -0.2], [0.0, 0.0, 3.0]), points)
    np.testing.assert_allclose(corners[:, 2], -0.2)
    np.testing.assert_allclose(np.ptp(corners[:, :2], axis=0), 1.2 * np.ptp(points, axis=0).max())
    np.testing.assert_allclose(corners.mean(axis=0)[:2], 0.5 * (points.min(axis=0) + points.max(axis=0))[:2])
