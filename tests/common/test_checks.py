"""What users pass: which values become arrays, and the words for those that do not."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from forearm.common.checks import as_floats, as_limits, as_mapping, as_number, as_real, as_unit, as_units, brief
from forearm.errors import ModelError, TargetError


@pytest.mark.parametrize(
    "value",
    [[1, 2], (1.0, 2), np.array([1, 2], np.int8), np.array([1, 2], np.float32), [Decimal(1), Fraction(2)], range(1, 3)],
    ids=["list", "tuple", "whole", "single", "exact", "range"],
)
def test_numbers_of_any_make_become_float64(value):
    array = as_floats(value, "q")
    assert array.dtype == np.float64
    assert array.flags.c_contiguous
    np.testing.assert_array_equal(array, [1.0, 2.0])


def test_masked_arrays_are_taken_while_nothing_is_masked():
    np.testing.assert_array_equal(as_floats(np.ma.array([1.0, 2.0]), "q"), [1.0, 2.0])


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "q is None; it takes numbers"),
        ([1.0, None], "q has None among its entries"),
        ([1.0, 1j], "q has complex numbers"),
        (np.zeros(2, np.complex64), "q has complex numbers"),
        (["1", "2"], "q is not an array of numbers: it has text"),
        ([b"1"], "q is not an array of numbers: it has text"),
        (np.array(["1", 2], object), "q is not an array of numbers: it has text"),
        ("home", "q is not an array of numbers: it has text ('home')"),
        (np.array(["2020-01-01"], "datetime64[D]"), "q has dates or times"),
        (np.array([3], "timedelta64[s]"), "q has dates or times"),
        (np.ma.array([1.0, 2.0], mask=[False, True]), "q has masked entries"),
        ([[1], [2, 3]], "q is not an array of numbers"),
        ([10**400], "q is not an array of numbers"),
        ({"a": 1}, "q is not an array of numbers"),
        ([1.0, math.nan], "q has nan at [1]; all entries must be finite"),
    ],
)
def test_what_is_no_number_is_refused_with_words(value, words):
    with pytest.raises(TargetError) as caught:
        as_floats(value, "q")
    assert words in str(caught.value)


def test_infinities_are_real():
    assert as_real(math.inf, "tol") == math.inf


@pytest.mark.parametrize("size", [1e200, 1e-160, 5e-324, -1e300, 3.0])
def test_a_direction_of_any_length_becomes_a_unit_vector(size):
    np.testing.assert_allclose(as_unit([size, 0, 0], "axis"), [math.copysign(1, size), 0, 0], atol=0)
    np.testing.assert_allclose(as_unit([size, size, 0], "axis"), [math.copysign(math.sqrt(0.5), size)] * 2 + [0])


def test_one_direction_has_the_bits_of_many():
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(500, 3)) * 10.0 ** rng.uniform(-300.0, 300.0, (500, 1))
    np.testing.assert_array_equal(as_units(rows, "axes"), [as_unit(row, "axis") for row in rows])


@pytest.mark.parametrize(("value", "words"), [([0, 0, 0], "length zero"), ([math.inf, 0, 0], "finite")])
def test_what_points_nowhere_is_refused(value, words):
    with pytest.raises(TargetError, match=words):
        as_unit(value, "axis")


@pytest.mark.parametrize("value", [(0, 1), [0.0, 0.0], np.array([-1, 1]), (-math.inf, math.inf)])
def test_limits_are_pairs_of_floats(value):
    lower, upper = as_limits(value, "j", "arm.urdf", ModelError)
    assert (type(lower), type(upper)) == (float, float)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "of joint 'j' in arm.urdf is None"),
        (5, "joint 'j' in arm.urdf has limits 5; they are a pair (lower, upper)"),
        ((0, 1, 2), "has limits (0, 1, 2); they are a pair"),
        (("a", "b"), "of joint 'j' in arm.urdf is not an array of numbers"),
        ((0, 1j), "has complex numbers"),
        ((0, math.nan), "has a limit that is not a number: 0 to nan; correct it, or pass limits={'j': (lower, upper)}"),
        ((1, 0), "has lower limit 1 and upper limit 0; swap them, or pass limits={'j': (0, 1)}"),
        ((math.inf, math.inf), "has limits inf to inf, which no value meets"),
        ((-math.inf, -math.inf), "has limits -inf to -inf, which no value meets"),
    ],
)
def test_limits_that_no_value_meets_are_refused(value, words):
    with pytest.raises(ModelError) as caught:
        as_limits(value, "j", "arm.urdf", ModelError, "ask")
    assert words in str(caught.value)


@pytest.mark.parametrize("value", ["1", None, (0, 1), 1j, [1], math.nan, math.inf])
def test_one_finite_number_is_one_finite_number(value):
    assert as_number(np.float32(2), "x") == 2.0
    with pytest.raises(TargetError, match="x is "):
        as_number(value, "x")


def test_a_mapping_is_copied_and_none_is_empty():
    given = {"a": 1}
    assert as_mapping(given, "locked", "joint to value", ModelError) == given
    assert as_mapping(None, "locked", "joint to value", ModelError) == {}
    with pytest.raises(ModelError, match=r"locked is \['a'\]; it takes a mapping from joint to value"):
        as_mapping(["a"], "locked", "joint to value", ModelError)


def test_long_values_are_cut_in_messages():
    assert brief("x" * 1000).endswith("...")
    assert len(brief("x" * 1000)) < 80
