"""Tolerances of the report that are derived from printed digits: derived again here, by numpy alone."""

import numpy as np
import pytest

from forearm.reproduce import checks
from forearm.reproduce.bezier.tables import FIGURE_8, HEIGHTS
from forearm.reproduce.combined.paths import IIWA_ANSWER, UR5_RECOMPUTED
from forearm.reproduce.fabrik_r.models import TABLE_5

# a, alpha, d
IIWA = np.column_stack([np.zeros(7), np.radians([-90, 90, -90, 90, -90, 90, 0]), (0.36, 0, 0.42, 0, 0.4, 0, 0.126)])
UR5 = np.array(
    [(0, 90, 0.089159), (-0.425, 0, 0), (-0.39225, 0, 0), (0, 90, 0.10915), (0, -90, 0.09465), (0, 0, 0.0823)]
)
UR5[:, 1] = np.radians(UR5[:, 1])


def pose(rows, q):
    """(3, 4) that of an arm, from its DH rows."""
    T = np.eye(4)
    for (a, alpha, d), angle in zip(rows, q, strict=True):
        c, s, ca, sa = np.cos(angle), np.sin(angle), np.cos(alpha), np.sin(alpha)
        T = T @ [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]]
    return T[:3]


def entries_by_angles(rows, q):
    """(12, n) how the entries of a pose change with the angles."""
    return np.column_stack([(pose(rows, q + e) - pose(rows, q - e)).ravel() / 2e-6 for e in 1e-6 * np.eye(len(q))])


def test_entries_of_the_iiwas_pose_may_miss_by_what_three_digits_of_angles_and_entry_move_them():
    moved = 5e-4 + 5e-4 * np.abs(entries_by_angles(IIWA, np.array(IIWA_ANSWER))).sum(axis=1)
    np.testing.assert_allclose(np.ravel(checks.IIWA_ENTRY), moved, atol=5e-6)


def test_the_ur5s_angles_may_miss_by_what_three_digits_of_its_target_and_of_themselves_move_them():
    J = entries_by_angles(UR5, np.array(UR5_RECOMPUTED))
    moved = 5e-4 + 5e-4 * np.abs(np.linalg.pinv(J)).sum(axis=1)  # of a rounded rotation the part that is a turn counts
    np.testing.assert_allclose(checks.UR5_ANGLES, moved, rtol=5e-3)


def test_errors_of_table_6_may_miss_by_what_four_digits_of_seven_angles_move_the_tip():
    a, _, d = 0.1 * np.array(TABLE_5).T  # [cm]
    # from axis k to the tip: all links behind it, not the one along the axis
    levers = [a[k:].sum() + d[k + 1 :].sum() for k in range(7)]
    assert pytest.approx(5e-5 + np.radians(5e-5) * sum(levers), rel=1e-12) == checks.PRINTED_ERROR


def test_the_grid_of_the_bezier_paper_is_no_coarser_than_its_bound_says():
    t = np.linspace(0.0, 1.0, 5001)[:, None]
    for (target, *_), height in zip(FIGURE_8, HEIGHTS, strict=True):
        curve = 2.0 * t * (1.0 - t) * [0.0, height] + t * t * np.array(target)
        widest = np.linalg.norm(np.diff(curve, axis=0), axis=1).max()
        assert 2.0 * widest == pytest.approx(checks.on_grid(target, height), rel=1e-3)
