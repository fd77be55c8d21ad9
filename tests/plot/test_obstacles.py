"""Obstacles in pictures: every kind is drawn where it is."""

import numpy as np
import pytest

import forearm as fa
from forearm.plot.obstacles import corner_points, draw_obstacles
from forearm.scenes import ConvexHull, Cylinder, DistanceField, HalfSpace, HeightField, Mesh, PointCloud

pyplot = pytest.importorskip("matplotlib.pyplot")
X = np.linspace(-0.2, 0.2, 9)
KINDS = [
    fa.Sphere([0, 0, 0], 0.2),
    fa.Capsule([0, 0, -0.1], [0, 0, 0.1], 0.1),
    fa.Box([0, 0, 0], [0.2, 0.3, 0.4]),
    Cylinder([0, 0, -0.2], [0, 0, 0.2], 0.1),
    Mesh([[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0.1]], [[0, 1, 2]]),
    ConvexHull(0.2 * np.vstack([np.eye(3), -np.eye(3)])),
    PointCloud([[0, 0, 0.1], [0.1, 0, 0]], 0.02),
    HeightField([[0.0, 0.1], [0.1, 0.0]], 0.2),
    DistanceField(np.linalg.norm(np.stack(np.meshgrid(X, X, X)), axis=0) - 0.1, X[1] - X[0], [-0.2] * 3),
]


@pytest.mark.parametrize("obstacle", KINDS, ids=lambda obstacle: type(obstacle).__name__)
def test_an_obstacle_is_drawn_within_its_bounds(obstacle):
    figure = pyplot.figure()
    axes = figure.add_subplot(projection="3d")
    del [np.full(10 * k, 1e300) for k in range(1, 300)][:]  # memory that is used again must not be seen
    draw_obstacles(axes, [obstacle, HalfSpace([0, 0, -1])])
    assert np.abs([axes.get_xlim(), axes.get_ylim(), axes.get_zlim()]).max() < 1.2  # the half-space, and a margin
    figure.canvas.draw()
    points = corner_points(obstacle, np.array([[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]]))
    assert len(points) >= 2
    assert np.abs(points).max() <= 0.2 + 1e-12
    pyplot.close(figure)


def test_an_obstacle_as_far_as_the_arm_is_long_is_held_whole_and_one_far_away_is_not():
    arm = np.array([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0]])  # its middle is at x = 0.25
    near, far = fa.Sphere([0.75, 0.0, 0.0], 0.05), fa.Sphere([9.0, 0.0, 0.0], 0.05)
    assert corner_points(near, arm)[:, 0].max() == pytest.approx(0.80, abs=1e-3)
    assert corner_points(far, arm)[:, 0].max() < 1.0
