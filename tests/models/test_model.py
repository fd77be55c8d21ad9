"""The model: limits and locks of a call, and what is refused."""

import math

import numpy as np
import pytest

import forearm as fa
from forearm.errors import ForearmError, ModelError, OptionError
from forearm.models.catalog import load

ARM = load("planar-3")
FIRST, SECOND, _ = ARM.joint_names


def test_limits_by_name_replace_only_those():
    limits = ARM.limits_with({SECOND: (0, 1)})
    np.testing.assert_array_equal(limits[:, 1], [0, 1])
    np.testing.assert_array_equal(limits[:, [0, 2]], ARM.limits[:, [0, 2]])


def test_limits_as_an_array_replace_all():
    limits = ARM.limits_with([[0, 0, 0], [1, 2, math.inf]])
    assert limits.dtype == np.float64
    assert limits.flags.c_contiguous
    np.testing.assert_array_equal(limits, [[0, 0, 0], [1, 2, math.inf]])


def test_a_lock_must_lie_inside_the_limits_of_the_same_call():
    with pytest.raises(OptionError, match="cannot be locked at -1: its limits are 0 to 1; lock it at a value between"):
        ARM.limits_with({FIRST: (0, 1)}, {FIRST: -1.0})
    wide = ARM.limits_with({FIRST: (-9, 9)}, {FIRST: 5})
    np.testing.assert_array_equal(wide[:, 0], [5, 5])
    with pytest.raises(OptionError, match="cannot be locked at 5"):
        ARM.limits_with(None, {FIRST: 5})


@pytest.mark.parametrize(
    "limits",
    [
        {FIRST: 5},
        {FIRST: (0,)},
        {FIRST: (0, 1, 2)},
        {FIRST: ("a", "b")},
        {FIRST: None},
        {FIRST: (0, 1j)},
        {FIRST: (1, 0)},
        {FIRST: (0, math.nan)},
        {FIRST: (math.inf, math.inf)},
        {"elbow": (0, 1)},
        {5: (0, 1)},
        "abc",
        5,
        [(0, 1)],
        np.full((2, 3), math.nan),
    ],
    ids=str,
)
def test_what_is_no_limits_is_refused(limits):
    with pytest.raises(OptionError, match=r"limits|is not in planar-3"):
        ARM.limits_with(limits)


def test_reversed_limits_name_the_place_they_stand_in():
    with pytest.raises(OptionError, match=r"in limits= has lower limit 1 and upper limit 0; swap them$"):
        ARM.limits_with({FIRST: (1, 0)})


@pytest.mark.parametrize(
    "locked",
    [{FIRST: "a"}, {FIRST: None}, {FIRST: (0, 1)}, {FIRST: 1 + 1j}, {FIRST: math.nan}, [FIRST], FIRST, 5, {"elbow": 0}],
    ids=str,
)
def test_what_is_no_lock_is_refused(locked):
    with pytest.raises(OptionError, match=r"locked|is not in planar-3"):
        ARM.limits_with(None, locked)


def test_a_tool_longer_than_any_robot_is_refused():
    tool = np.eye(4)
    tool[0, 3] = 1e200
    with pytest.raises(ModelError, match=r"the tool moves by 1e\+200 m; lengths are below 1e\+06 m"):
        ARM.with_tool(tool)


def test_a_chain_without_its_held_joints_is_where_the_whole_one_is():
    for name, held in (("panda", [1, 5]), ("scara", [2]), ("ur5", [0, 5])):
        arm = fa.load(name)
        q = arm.sample(1, rng_seed=3)[0]
        values = np.full(arm.n, np.nan)
        values[held] = q[held]
        left = fa.Robot(arm.model.held(values))
        free = np.isnan(values)
        assert left.joint_names == tuple(np.array(arm.joint_names)[free])
        np.testing.assert_array_equal(left.limits, arm.limits[:, free])
        np.testing.assert_allclose(left.fk(q[free]), arm.fk(q), atol=1e-15)


def test_a_tool_of_hundreds_of_metres_is_asked_about(caplog):
    tool = np.eye(4)
    tool[2, 3] = 0.15
    fa.load("ur5").with_tool(tool)
    assert not caplog.text
    tool[2, 3] = 150.0
    fa.load("ur5").with_tool(tool)
    assert "the tool is 150 m long; did you mean millimetres?" in caplog.text


@pytest.mark.parametrize("n", [2, 3])
def test_limits_as_a_pair_for_each_joint_are_told_to_be_turned_round(n):
    pairs = [(-3.0, 3.0)] * n
    for read in (
        lambda: fa.load(f"planar-{n}").with_limits(pairs),
        lambda: fa.Robot.from_dh([(0.1, 0.0, 0.0)] * n, limits=pairs),
    ):
        with pytest.raises(ForearmError, match=r"pairs \(lower, upper\).*np\.transpose\(limits\)"):
            read()
    assert fa.load("planar-2").with_limits([(-3.0, 2.0), (-2.0, 2.5)]).limits.tolist() == [[-3.0, 2.0], [-2.0, 2.5]]
