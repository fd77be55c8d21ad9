"""Targets: every way to write one, and every wrong way with its message."""

import math

import numpy as np
import pytest

import forearm as fa
from forearm.common.transforms import from_rpy
from forearm.core.codes import ORIENTATION, POINT_AXIS, POSE, POSITION
from forearm.errors import TargetError
from forearm.targets.target import as_target

T = from_rpy(0.1, -0.4, 2.0)
T[:3, 3] = 0.3, 0.2, 0.5


def quaternion_wxyz():
    w = math.sqrt(1 + np.trace(T[:3, :3])) / 2
    R = T[:3, :3]
    return np.array([w, *(np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4 * w))])


class WithA:
    A = T


class WithHomogeneous:
    homogeneous = T


class WithAsMatrix:
    def as_matrix(self):
        return T


@pytest.mark.parametrize(
    "target",
    [
        lambda: as_target(T),
        lambda: as_target(T.tolist()),
        lambda: as_target(WithA()),
        lambda: as_target(WithHomogeneous()),
        lambda: as_target(WithAsMatrix()),
        lambda: fa.Pose(T),
        lambda: fa.Pose(T[:3, 3], rpy=(0.1, -0.4, 2.0)),
        lambda: fa.Pose(T[:3, 3], quat_wxyz=quaternion_wxyz()),
        lambda: fa.Pose(T[:3, 3], quat_xyzw=np.roll(quaternion_wxyz(), -1)),
    ],
)
def test_all_ways_to_write_a_pose_mean_the_same(target):
    parsed = target()
    assert parsed.kind == POSE
    np.testing.assert_allclose(parsed.goal, T, atol=1e-15)


@pytest.mark.parametrize(
    "target",
    [
        lambda: fa.Orientation(T[:3, :3]),
        lambda: fa.Orientation(rpy=(0.1, -0.4, 2.0)),
        lambda: fa.Orientation(quat_wxyz=quaternion_wxyz()),
        lambda: fa.Orientation(quat_xyzw=np.roll(quaternion_wxyz(), -1)),
    ],
)
def test_all_ways_to_write_an_orientation_mean_the_same(target):
    parsed = target()
    assert parsed.kind == ORIENTATION
    np.testing.assert_allclose(parsed.goal[:3, :3], T[:3, :3], atol=1e-15)


@pytest.mark.parametrize(
    ("tol", "kind"),
    [
        (1e-3, POSE),
        ((1e-3, 1e-2), POSE),
        ((1e-3, math.inf), POSITION),
        ((math.inf, 1e-3), ORIENTATION),
        ([1e-3] * 6, POSE),
        ([1e-3] * 3 + [math.inf] * 3, POSITION),
        ([math.inf] * 3 + [1e-3] * 3, ORIENTATION),
        ([1e-3] * 5 + [math.inf], POINT_AXIS),
        ([1e-3] * 4 + [math.inf] * 2, POSE),
    ],
)
def test_free_axes_choose_the_kind_of_target(tol, kind):
    assert fa.Pose(T, tol=tol).kind == kind


def test_a_target_does_not_change_when_the_array_it_was_made_from_does():
    matrix = T.copy()
    target = fa.Pose(matrix)
    matrix[0, 3] = 99.0
    assert target.goal[0, 3] == T[0, 3]


def test_repr_says_what_is_asked():
    assert repr(fa.Position([0.1, 0.2, 0.3])) == "Position(position=[0.1, 0.2, 0.3])"
    assert repr(fa.PointAxis([0, 0, 1], [0, 0, -2])).endswith("tool_axis=[0., 0., 1.], direction=[ 0.,  0., -1.])")


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (fa.Position([0, 0, 0], tol=1e-3), "tol=0.001)"),
        (fa.Position([0, 0, 0], tol=(1e-3, 1e-6, math.inf)), "tol=(0.001, 1e-06, inf))"),
        (fa.Orientation(rpy=(0, 0, 0), tol=0.1), "tol=0.1)"),
        (fa.Orientation(rpy=(0, 0, 0), tol=(0.1, 0.2, 0.3)), "tol=(0.1, 0.2, 0.3))"),
        (fa.Pose(T, tol=(1e-3, 1e-6)), "tol=(0.001, 1e-06))"),
        (fa.Pose(T, tol=(1, 2, 3, 4, 5, 6)), "tol=(1, 2, 3, 4, 5, 6))"),
        (fa.PointAxis([0, 0, 0], [0, 0, 1], tol=(1e-3, 0.1)), "tol=(0.001, 0.1))"),
        (fa.PointAxis([0, 0, 0], [0, 0, 1], tol=(1, 2, 3, 4)), "tol=(1, 2, 3, 4))"),
    ],
)
def test_repr_shows_tolerances_that_are_not_the_default(target, words):
    assert repr(target).endswith(words)
    assert "tol" not in repr(fa.Pose(T))


def skewed():
    bad = T.copy()
    bad[0, 0] += 0.01
    return bad


def mirrored():
    bad = T.copy()
    bad[:3, 1] *= -1
    return bad


def holding(value):
    bad = T.copy()
    bad[1, 3] = value
    return bad


def last_row():
    bad = T.copy()
    bad[3] = 0, 0, 1, 1
    return bad


BAD = [
    (lambda: fa.Pose(holding(math.nan)), "pose has nan at [1, 3]; all entries must be finite"),
    (lambda: fa.Pose(holding(math.inf)), "pose has inf at [1, 3]"),
    (lambda: fa.Pose(skewed()), "pose is not a rigid transform: R^T R differs from the identity by 0.0"),
    (lambda: fa.Pose(skewed()), "fa.nearest_rigid(T) gives the nearest one"),
    (lambda: fa.Pose(mirrored()), "its rotation part mirrors (determinant -1, not 1)"),
    (lambda: fa.Pose(last_row()), "its last row is [0.0, 0.0, 1.0, 1.0], not [0, 0, 0, 1]"),
    (lambda: fa.Pose(np.eye(3)), "pose has shape (3, 3); a pose is a (4, 4) array"),
    (lambda: fa.Pose("home"), "pose is not an array of numbers"),
    (lambda: fa.Pose([1, 2, 3]), "Pose takes exactly one of quat_wxyz, quat_xyzw and rpy; got 0 (for a point alone"),
    (lambda: fa.Pose([1, 2, 3], rpy=(0, 0, 0), quat_wxyz=(1, 0, 0, 0)), "got 2"),
    (lambda: fa.Pose(T, rpy=(0, 0, 0)), "a (4, 4) pose already holds the rotation"),
    (
        lambda: fa.Pose([1, 2, 3], quat_wxyz=(1, 1, 0, 0)),
        "quat_wxyz has length 1.41421; a rotation is a unit",
    ),
    (lambda: fa.Pose([1, 2, 3], quat_xyzw=(1, 0, 0)), "quat_xyzw has shape (3,); it takes 4 numbers"),
    (lambda: fa.Pose(T, tol=0.0), "tol is [0.0]; tolerances must be positive"),
    (lambda: fa.Pose(T, tol=math.nan), "tolerances must be positive"),
    (lambda: fa.Pose(T, tol=[1e-3] * 5), "tol has shape (5,); Pose takes 1 or 2 or 6 numbers"),
    (lambda: fa.Pose(T, tol="a"), "tol is not an array of numbers"),
    (lambda: fa.Pose(T, tol=1j), "tol has complex numbers"),
    (lambda: fa.Position([0, 0, 0], tol="a"), "tol is not an array of numbers"),
    (lambda: fa.Orientation(np.eye(3), tol=1j), "tol has complex numbers"),
    (lambda: fa.PointAxis([0, 0, 0], [0, 0, 1], tol=None), "tol is None"),
    (lambda: fa.Pose(None), "pose is None; it takes numbers"),
    (lambda: fa.Pose(T.astype(complex)), "pose has complex numbers"),
    (lambda: fa.Pose(T, tol=math.inf), "the target asks for nothing"),
    (lambda: fa.Pose(T, tol=[math.inf] * 6), "the target asks for nothing"),
    (lambda: fa.Position([1, 2]), "position has shape (2,); it takes 3 numbers"),
    (lambda: fa.Position([1, 2, math.nan]), "position has nan at [2]"),
    (lambda: fa.Position([1, 2, 3], tol=math.inf), "tol leaves the position free"),
    (fa.Orientation, "Orientation takes exactly one of quat_wxyz, quat_xyzw and rpy; got 0"),
    (lambda: fa.Orientation(np.eye(3), rpy=(0, 0, 0)), "a rotation matrix already holds the rotation"),
    (lambda: fa.Orientation(np.eye(4)), "rotation has shape (4, 4); a rotation matrix is (3, 3)"),
    (lambda: fa.Orientation(2 * np.eye(3)), "rotation is not a rigid transform"),
    (lambda: fa.Orientation(np.eye(3), tol=math.inf), "the target asks for nothing"),
    (lambda: fa.PointAxis([0, 0, 0], [0, 0, 0]), "direction is [0.0, 0.0, 0.0], a vector of length zero"),
    (lambda: fa.PointAxis([0, 0, 0], [0, 0, 1], tool_axis=[0, 0, 0]), "tool_axis is"),
    (lambda: fa.PointAxis([0, 0, 0], [0, 0, 1], tol=(1e-3, math.inf)), "use fa.Position(p)"),
    (lambda: as_target([0.1, 0.2, 0.3]), "a bare position is not a target; wrap it: fa.Position(p)"),
]


@pytest.mark.parametrize(("make", "words"), BAD, ids=[words[:40] for _, words in BAD])
def test_wrong_targets_are_refused_with_words(make, words):
    with pytest.raises(TargetError) as caught:
        make()
    assert words in str(caught.value)


def test_nearest_rigid_mends_what_is_slightly_off():
    mended = fa.nearest_rigid(skewed())
    fa.Pose(mended)
    assert np.abs(mended - T).max() < 0.01
    np.testing.assert_allclose(fa.nearest_rigid(T), T, atol=1e-15)


@pytest.mark.parametrize(
    ("matrix", "words"), [(np.zeros((4, 4)), "is singular"), (np.eye(3), "has shape (3, 3); a pose is a (4, 4)")]
)
def test_nearest_rigid_refuses_what_has_no_nearest(matrix, words):
    with pytest.raises(TargetError) as caught:
        fa.nearest_rigid(matrix)
    assert words in str(caught.value)


PARTS = {
    "a quaternion": (([0.4, 0.2, 0.3], [1, 0, 0, 0]), r"a position and a quaternion .*quat_wxyz=q\) if the scalar"),
    "seven numbers": ([0.4, 0.2, 0.3, 1, 0, 0, 0], "seven numbers are not a target"),
    "angles": ((np.zeros(3), np.zeros(3)), r"fa.Pose\(p, rpy=angles\), in radians"),
    "six numbers": (np.zeros(6), "six numbers are not a target"),
    "a matrix": ((np.zeros(3), np.eye(3)), "a position and a matrix is not a target"),
}


@pytest.mark.parametrize("case", PARTS)
def test_a_position_and_a_rotation_side_by_side_are_told_how_to_be_written(case):
    parts, words = PARTS[case]
    with pytest.raises(TargetError, match=words):
        as_target(parts)


def test_angles_beyond_a_whole_turn_are_asked_about():
    with pytest.raises(TargetError, match=r"rpy is 180, 0, 90 rad, .*did you mean degrees\? np.radians"):
        fa.Pose([0, 0, 0], rpy=[180, 0, 90])
    fa.Pose([0, 0, 0], rpy=[2 * math.pi, -math.pi, 0])


@pytest.mark.parametrize(
    "wrong",
    [
        lambda q: fa.Pose([0.4, 0.0, 0.3], q),
        lambda q: fa.Pose([0.4, 0.0, 0.3], quat=q),
        lambda q: fa.Pose([0.4, 0.0, 0.3], quaternion=q),
        fa.Orientation,
    ],
)
def test_a_quaternion_without_its_order_is_asked_for_it(wrong):
    with pytest.raises(TargetError, match="quat_wxyz=q if the scalar stands first, as quat_xyzw=q if last"):
        wrong([1.0, 0.0, 0.0, 0.0])


def test_other_words_beside_a_pose_are_refused_by_name():
    with pytest.raises(TargetError, match="Pose takes no rp; did you mean rpy"):
        fa.Pose([0.4, 0.0, 0.3], rp=[0.0, 0.0, 0.0])
    with pytest.raises(TargetError, match="got 2; it takes by name: quat_wxyz, quat_xyzw, rpy, tol"):
        fa.Pose(np.eye(4), 1e-3)
