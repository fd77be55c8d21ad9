"""FABRIK-R's step table, judged by matrix products of random configurations and nothing else."""

import numpy as np
import pytest

import forearm as fa
from forearm.core.iterative import fabrik_r_place as place
from forearm.core.iterative.fabrik_r_stages import BACKWARD, BACKWARD_POSE, FORWARD
from forearm.solve.methods.fabrik_r_tables import step_table

ARMS = ("fabrik-r-5dof", "fabrik-r-10dof", "pioneer", "ur5", "iiwa14", "irb140", "panda")


def points_and_axes(robot, shift, q):
    """(n+1, 3) the table's points, the tip last, and (n, 3) axes, by products of 4x4 matrices."""
    T, points, axes = np.eye(4), [], []
    for k, link in enumerate(robot.model.links):
        T = T @ np.vstack([link, [0.0, 0.0, 0.0, 1.0]])
        if k == robot.n:
            break
        points.append(T[:3, 3] + shift[k] * T[:3, 2])
        axes.append(T[:3, 2])
        c, s = np.cos(q[k]), np.sin(q[k])
        T = T @ np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    return np.array([*points, T[:3, 3]]), np.array(axes)


def test_find_concurrent_gives_the_three_pairs_that_the_paper_states():
    # section VI-A, joints counted from 1: forward p5 -> p4 and p4 -> p1, backward p2 -> p5
    table = step_table(fa.load("fabrik-r-5dof").model)
    stated = {(FORWARD, 5): 4, (FORWARD, 4): 1, (BACKWARD, 2): 5}
    for (part, joint), concurrent in stated.items():
        row = table[part, joint - 1]
        assert row[place.STEP] == place.PLANE
        assert row[place.POINT] == concurrent - 1
        assert row[place.OFFSET] == 0.0  # the paper's arms have none


@pytest.mark.parametrize("name", ARMS)
def test_the_plane_of_every_step_holds_its_point_in_every_configuration(name):
    robot = fa.load(name)
    table, n = step_table(robot.model), robot.n
    shown = [points_and_axes(robot, table[FORWARD, :n, place.SHIFT], q) for q in robot.sample(20, rng_seed=5)]
    planes = 0
    for part, before in ((FORWARD, 1), (BACKWARD, -1)):
        for m in range(1, n):
            row = table[part, m]
            if row[place.STEP] != place.PLANE:
                continue
            planes += 1
            j = int(row[place.POINT])
            offsets = [axes[m] @ (points[j] - points[m + before]) for points, axes in shown]
            np.testing.assert_allclose(offsets, row[place.OFFSET], atol=1e-12)
    assert planes > 0


def test_the_offset_of_a_ur5_is_its_shoulder():
    # its wrist stands d4 = 0.10915 m beside the plane of its long links; without it no position is met at all
    table = step_table(fa.load("ur5").model)
    offsets = table[..., place.OFFSET][table[..., place.STEP] == place.PLANE]
    assert np.abs(offsets).max() == pytest.approx(0.10915, abs=1e-9)


def test_the_furthest_point_is_taken():
    for name in ARMS:
        robot = fa.load(name)
        table, n = step_table(robot.model), robot.n
        shown = [points_and_axes(robot, table[FORWARD, :n, place.SHIFT], q) for q in robot.sample(20, rng_seed=6)]
        for part, before, beyond in ((FORWARD, 1, range(-1, -n, -1)), (BACKWARD, -1, range(1, n + 1))):
            for m in range(1, n):
                row = table[part, m]
                if row[place.STEP] != place.PLANE:
                    continue
                for step in beyond:
                    j = int(row[place.POINT]) + step
                    if not 0 <= j <= n:
                        break
                    offsets = [axes[m] @ (points[j] - points[m + before]) for points, axes in shown]
                    assert np.ptp(offsets) > 1e-9


def test_a_point_on_the_axis_makes_a_pivot():
    # an iiwa's shoulder and wrist are pivots: no plane is sought where the point lies on the axis
    table = step_table(fa.load("iiwa14").model)
    assert (table[BACKWARD, 1:7, place.STEP] == place.CLOSEST).any()
    robot = fa.load("iiwa14")
    shift = table[FORWARD, :7, place.SHIFT]
    for q in robot.sample(5, rng_seed=2):
        points, axes = points_and_axes(robot, shift, q)
        for part in (FORWARD, BACKWARD):
            for m in range(1, 7):
                if table[part, m, place.STEP] == place.PLANE:
                    across = np.cross(points[int(table[part, m, place.POINT])] - points[m], axes[m])
                    assert np.linalg.norm(across) > 1e-6


def test_the_last_three_joints_turn_the_tip_as_a_pose_asks():
    table = step_table(fa.load("ur5").model)
    assert table[BACKWARD_POSE, 4:7, place.STEP].tolist() == [place.TILT, place.ALIGN, place.FINISH]
    np.testing.assert_array_equal(table[BACKWARD_POSE, :4], table[BACKWARD, :4])
