"""DH tables: both conventions, offsets, prismatic joints, and what is refused."""

import math

import numpy as np
import pytest

import forearm as fa
from forearm.core.arm.kinematics import fk_tip
from forearm.errors import ModelError
from forearm.models.dh import from_dh

H = math.pi / 2

# Robots known in both conventions. Standard row i is (a_i, alpha_i, d_i); modified row i is
# (a_{i-1}, alpha_{i-1}, d_i), so the last a and alpha become the tool. Puma 560 in modified form
# is Craig's, Introduction to Robotics, table 3.1; Panda's is Franka's own.
PUMA = [(0, H, 0.672), (0.4318, 0, 0), (0.0203, -H, 0.15005), (0, H, 0.4318), (0, -H, 0), (0, 0, 0.1)]
PUMA_MODIFIED = [(0, 0, 0.672), (0, H, 0), (0.4318, 0, 0.15005), (0.0203, -H, 0.4318), (0, H, 0), (0, -H, 0.1)]
PANDA = [(0, -H, 0.333), (0, H, 0), (0.0825, H, 0.316), (-0.0825, -H, 0), (0, H, 0.384), (0.088, H, 0), (0, 0, 0.107)]
PANDA_MODIFIED = [
    (0, 0, 0.333), (0, -H, 0), (0, H, 0.316), (0.0825, H, 0), (-0.0825, -H, 0.384), (0, H, 0), (0.088, H, 0.107),
]  # fmt: skip


def fk(model, q):
    T = np.empty((4, 4))
    fk_tip(model.links, model.joints, np.asarray(q, dtype=float), T)
    return T


def dh_product(rows, q):
    """The textbook product of standard DH matrices, written out."""
    T = np.eye(4)
    for (a, alpha, d), theta in zip(rows, q, strict=True):
        ct, st, ca, sa = math.cos(theta), math.sin(theta), math.cos(alpha), math.sin(alpha)
        T = T @ [[ct, -st * ca, st * sa, a * ct], [st, ct * ca, -ct * sa, a * st], [0, sa, ca, d], [0, 0, 0, 1]]
    return T


@pytest.mark.parametrize(("standard", "modified"), [(PUMA, PUMA_MODIFIED), (PANDA, PANDA_MODIFIED)])
def test_standard_and_modified_agree_on_robots_known_in_both(standard, modified):
    one, other = from_dh(standard), from_dh(modified, convention="modified")
    for q in np.random.default_rng(0).uniform(-3, 3, (20, len(standard))):
        np.testing.assert_allclose(fk(one, q), fk(other, q), atol=1e-14)
        np.testing.assert_allclose(fk(one, q), dh_product(standard, q), atol=1e-14)


def test_offsets_are_added_to_the_variable():
    rows = [(a, alpha, d, 0.3 * k) for k, (a, alpha, d) in enumerate(PUMA)]
    q = np.arange(6) / 7
    expected = dh_product(PUMA, q + 0.3 * np.arange(6))
    np.testing.assert_allclose(fk(from_dh(rows), q), expected, atol=1e-14)


def test_prismatic_joint_slides_along_z_with_its_offset():
    rows = [{"a": 0.5}, {"kind": "prismatic", "theta": 0.4, "d": 0.1, "offset": 0.02, "limits": (0, 0.2)}]
    T = fk(from_dh(rows), [0.0, 0.15])
    np.testing.assert_allclose(T[:3, 3], [0.5, 0, 0.27], atol=1e-15)
    np.testing.assert_allclose(T[:2, 0], [math.cos(0.4), math.sin(0.4)], atol=1e-15)


def test_base_and_tool_stand_around_the_chain():
    base, tool = np.eye(4), np.eye(4)
    base[2, 3], tool[0, 3] = 1.0, 0.5
    T = fk(from_dh([(1.0, 0, 0)], base=base, tool=tool), [H])
    np.testing.assert_allclose(T[:3, 3], [0, 1.5, 1.0], atol=1e-15)


def test_joint_without_limits_is_continuous():
    model = from_dh([(1, 0, 0)])
    assert model.joint_kinds == ("continuous",)
    np.testing.assert_array_equal(model.limits, [[-math.inf], [math.inf]])


def test_whole_numbers_give_arrays_that_kernels_take():
    model = from_dh([{"a": 1, "limits": (-1, 1), "velocity": 2}, {"a": 1, "limits": (-2, 2), "velocity": 3}])
    np.testing.assert_array_equal(model.limits, [[-1, -2], [1, 2]])
    for array in (model.links, model.joints, model.limits, model.velocity, model.child_frames):
        assert array.dtype == np.float64
        assert array.flags.c_contiguous
        assert array.flags.writeable


def test_rows_may_come_from_a_generator():
    assert from_dh((1, 0, 0) for _ in range(3)).n == 3


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: from_dh([]), "at least one row"),
        (lambda: from_dh([(1, 2)]), "row 0 of the DH table has 2 numbers; give (a, alpha, d)"),
        (lambda: from_dh([(1, 0, 0)], convention="craig"), "there are: standard, modified"),
        (lambda: from_dh([{"alfa": 1}]), "unknown key 'alfa'; did you mean alpha"),
        (lambda: from_dh([(1, math.nan, 0)]), "alpha in row 0 of the DH table is nan"),
        (lambda: from_dh([("long", 0, 0)]), "a in row 0 of the DH table is 'long', not a number"),
        (lambda: from_dh([{"kind": "ball"}]), "kind 'ball'; there are: revolute, continuous, prismatic"),
        (lambda: from_dh([{"kind": "prismatic"}]), "'joint0' is prismatic and has no limits"),
        (lambda: from_dh([(1, 0, 0)], limits=[[1], [-1]]), "'joint0' in limits= has lower limit 1 and upper limit -1"),
        (lambda: from_dh([(1, 0, 0)], limits=[[1, 2], [3, 4]]), "limits have shape (2, 2)"),
        (lambda: from_dh([{"name": "a"}, {"name": "a"}]), "the DH table has two joints named 'a'; names must differ"),
        (lambda: from_dh([(1, 0, 0)], tool=2 * np.eye(4)), "tool is not a rigid transform"),
        (lambda: from_dh(None), "a DH table is a list of rows, each (a, alpha, d), (a, alpha, d, offset) or a mapping"),
        (lambda: from_dh([None]), "row 0 of the DH table is None; give (a, alpha, d)"),
        (lambda: from_dh([(1,)]), "row 0 of the DH table has 1 number; give"),
        (lambda: from_dh([(1, 0, 2j)]), "d in row 0 of the DH table is 2j, not a number"),
        (lambda: from_dh([("1", 0, 0)]), "a in row 0 of the DH table is '1', not a number"),
        (lambda: from_dh([{"limits": (1,)}]), "'joint0' in the DH table has limits (1,); they are a pair"),
        (lambda: from_dh([{"limits": 5}]), "'joint0' in the DH table has limits 5; they are a pair"),
        (lambda: from_dh([{"limits": ("a", "b")}]), "of joint 'joint0' in the DH table is not an array of numbers"),
        (lambda: from_dh([{"limits": (2, 1)}]), "'joint0' in the DH table has lower limit 2 and upper limit 1"),
        (lambda: from_dh([{"limits": (math.inf, math.inf)}]), "limits inf to inf, which no value meets"),
        (lambda: from_dh([{"kind": "continuous", "limits": (0, 1)}]), "is continuous but has limits; make it revolute"),
        (lambda: from_dh([(1, 0, 0)], limits=5), "limits have shape (); a table of 1 row takes (2, 1)"),
        (lambda: from_dh([(1, 0, 0)], limits=("a", "b")), "limits is not an array of numbers"),
        (lambda: from_dh([{"velocity": 0}]), "velocity in row 0 of the DH table is 0; it must be a number above 0"),
        (lambda: from_dh([{"name": 5}]), "name in row 0 of the DH table is 5; it must be text"),
        (lambda: from_dh([(1e200, 0, 0)]), "'joint0' in dh-arm moves by 1e+200 m; lengths are below 1e+06 m"),
        (lambda: from_dh([{"kind": "prismatic", "offset": 1e7, "limits": (0, 1)}]), "offset 1e+07"),
    ],
)
def test_bad_tables_are_refused_with_words(call, words):
    with pytest.raises(ModelError) as caught:
        call()
    assert words in str(caught.value)


H = math.pi / 2
TEXTBOOK = [(0, 0.67, 0, H), (0, 0, 0.43, 0), (0, 0.15, 0.02, -H), (0, 0.43, 0, H), (0, 0, 0, -H), (0, 0.06, 0, 0)]


def test_a_textbooks_rows_are_taken_by_name_and_refused_without():
    with pytest.raises(ModelError, match=r"look like \(theta, d, a, alpha\).*order='theta d a alpha', or order='a al"):
        fa.Robot.from_dh(TEXTBOOK)
    named = fa.Robot.from_dh(TEXTBOOK, order="theta d a alpha")
    ours = fa.Robot.from_dh([(a, alpha, d) for _, d, a, alpha in TEXTBOOK])
    np.testing.assert_array_equal(named.fk(np.arange(6.0)), ours.fk(np.arange(6.0)))
    assert fa.Robot.from_dh(TEXTBOOK, order="a alpha d offset").n == 6  # whoever says so
    with pytest.raises(ModelError, match="order is 'theta d a'; it names a, alpha, d"):
        fa.Robot.from_dh(TEXTBOOK, order="theta d a")
    with pytest.raises(ModelError, match="row 0 of the DH table has 3 numbers"):
        fa.Robot.from_dh([(0, 0, 0)], order="theta d a alpha")


@pytest.mark.parametrize("row", [(0.1, 90, 0), (0.1, 0, 0.2, -180), {"a": 1, "theta": 45}])
def test_degrees_are_asked_about(row):
    with pytest.raises(
        ModelError, match=r"in row 0 of the DH table is -?\d+ rad, .*did you mean degrees\? math.radians"
    ):
        fa.Robot.from_dh([row])


def test_millimetres_are_asked_about(caplog):
    arm = fa.Robot.from_dh([(425.0, 0, 0), (392.0, 0, 0)])
    assert "425 m long; did you mean millimetres?" in arm.model.note
    assert "did you mean millimetres?" in caplog.text


def test_a_textbooks_table_in_degrees_is_asked_for_both_its_order_and_its_unit():
    table = [[0, 0.4, 0.025, 90], [0, 0, 0.315, 0], [0, 0, 0.035, -90], [0, 0.365, 0, 0]]
    with pytest.raises(ModelError, match=r"look like \(theta, d, a, alpha\).*angles are radians here: math\.radians"):
        fa.Robot.from_dh(table)
