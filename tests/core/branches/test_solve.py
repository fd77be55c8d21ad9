"""Every branch of six turning joints, judged by a search of numpy that shares nothing with the elimination."""

import numpy as np
import pytest

import forearm as fa
from branch_cases import (
    TABLES,
    apart,
    calibrated,
    errors_and_jacobians,
    family_arm,
    frames_of,
    free_arm,
    near_double,
    random_arm,
    search_branches,
    wrapped,
)
from forearm.arm.branches.elimination import six_axes
from forearm.core import border
from forearm.core.branches.layout import TABLE_NUMBERS, WORK_NUMBERS

pytestmark = pytest.mark.compiled

ARMS = {name: free_arm(rows, name) for name, rows in TABLES.items()}
ARMS |= {"random": random_arm(1), "ur5e calibrated": calibrated(fa.load("ur5e"), 1e-3)}
FAMILIES = 31


def axes_of(robot):
    found = six_axes(robot.model)
    assert found is not None
    return found


def errors(robot, rows, T):
    """(k,) how far the poses of rows are from T."""
    return np.abs(frames_of(robot, rows)[-1] - T).max(axis=(1, 2), initial=0.0)


@pytest.mark.parametrize("name", ARMS)
def test_a_search_finds_the_same_branches(name):
    robot, rng = ARMS[name], np.random.default_rng(7)
    axes = axes_of(robot)
    for q in rng.uniform(-np.pi, np.pi, (3, 6)):
        T = frames_of(robot, q[None])[-1, 0]
        rows, trust = axes.rows(T)
        assert trust > 0
        assert len(rows) % 2 == 0
        assert errors(robot, rows, T).max() < 1e-9
        assert apart(rows, q) < 1e-6
        assert all(apart(np.delete(rows, i, axis=0), row) > 1e-4 for i, row in enumerate(rows))
        for other in search_branches(robot, T, 250, rng):
            assert apart(rows, other) < 1e-5


@pytest.mark.parametrize("seed", range(FAMILIES))
def test_arms_with_parallel_and_meeting_axes_find_their_own_configurations(seed):
    robot, rng = family_arm(seed), np.random.default_rng(seed)
    if np.linalg.svd(errors_and_jacobians(robot, np.full((1, 6), 0.7), np.eye(4))[1][0])[1][-1] < 1e-9:
        pytest.skip("its axes leave it a motion of its own")
    axes = axes_of(robot)
    for q in rng.uniform(-np.pi, np.pi, (8, 6)):
        T = frames_of(robot, q[None])[-1, 0]
        rows, trust = axes.rows(T)
        assert apart(rows, q) < 1e-6 or trust == 0
        assert errors(robot, rows, T).max() < 1e-9


@pytest.mark.parametrize("name", ["hc10", "gen3-lite"])
def test_a_pair_too_close_to_be_found_is_not_called_complete(name):
    """A double root that rounding lifts off zero looked like none, and the whole pair was missing without a word."""
    robot, rng, looked = ARMS[name], np.random.default_rng(4711), 0
    axes = axes_of(robot)
    while looked < 60:
        q = near_double(robot, rng, 1e-6)
        if q is None:
            continue
        looked += 1
        rows, trust = axes.rows(np.ascontiguousarray(frames_of(robot, q[None])[-1, 0]))
        far = np.sort(np.abs(wrapped(rows - q)).max(axis=1))
        assert trust == 0 or (len(far) > 1 and far[1] < 8e-6), f"pair {looked}"


@pytest.mark.parametrize("half", [1e-2, 1e-3, 1e-4])
@pytest.mark.parametrize("name", ["xarm6", "crx-10ia/l", "ur5e calibrated"])
def test_both_answers_of_a_pair_that_nearly_coincides_are_found(name, half):
    robot, rng, looked = ARMS[name], np.random.default_rng(3), 0
    axes = axes_of(robot)
    while looked < 8:
        q = near_double(robot, rng, half)
        if q is None:
            continue
        looked += 1
        rows, _ = axes.rows(frames_of(robot, q[None])[-1, 0])
        far = np.sort(np.abs(wrapped(rows - q)).max(axis=1))
        assert far[0] < 1e-2 * half
        assert far[1] < 8.0 * half
        assert len(rows) % 2 == 0


def test_the_same_pose_gives_the_same_bits():
    robot = ARMS["xarm6"]
    T = frames_of(robot, np.full((1, 6), 0.4))[-1, 0]
    one, other = axes_of(robot).rows(T)[0], axes_of(robot).rows(T)[0]
    np.testing.assert_array_equal(one, other)


def test_a_line_of_answers_is_told():
    """With its fifth joint straight, a UR's axes 2, 3, 4 and 6 are parallel: a line of answers."""
    robot = fa.load("ur5")
    q = np.array([0.3, -1.2, 1.5, -0.4, 0.0, 0.2])
    assert axes_of(robot).rows(robot.fk(q))[1] == 0


def test_a_pose_out_of_reach_has_no_branch_for_certain():
    T = np.eye(4)
    T[:3, 3] = 5.0
    for robot in ARMS.values():
        rows, trust = axes_of(robot).rows(T)
        assert len(rows) == 0
        assert trust > 0


@pytest.mark.parametrize("name", ["crx-10ia/l", "hc10", "gen3-lite", "jaco2 (60 deg)", "xarm6"])
def test_a_tool_that_points_straight_down_has_its_branches(name):
    """Poses square to the base are special to some eliminations: others take their place."""
    robot, rng = ARMS[name], np.random.default_rng(5)
    axes, trusted = axes_of(robot), 0
    for _ in range(6):
        T = np.diag([1.0, -1.0, -1.0, 1.0])
        angle = rng.choice([0.0, np.pi / 2, rng.uniform(-3.0, 3.0)])
        T[:3, :3] = (
            np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]]) @ T[:3, :3]
        )
        T[:3, 3] = [*rng.uniform(0.2, 0.35, 2), rng.uniform(0.1, 0.3)]
        rows, trust = axes.rows(T)
        trusted += trust > 0
        assert errors(robot, rows, T).max(initial=0.0) < 1e-9
        if trust > 0:
            for other in search_branches(robot, T, 150, rng):
                assert apart(rows, other) < 1e-5
    assert trusted >= 5


def test_the_border_says_how_large_table_and_scratch_are():
    table, _, work, *_ = border.arguments_of("branches.solve.list_branches")
    assert table.sizes == (str(TABLE_NUMBERS),)
    assert work.sizes == (f">={WORK_NUMBERS}",)
    assert axes_of(ARMS["xarm6"]).table.shape == (TABLE_NUMBERS,)
