"""Self-motion curves of seven turning joints, judged by numpy: forward kinematics, a search and denser slices."""

import numpy as np
import pytest

import forearm as fa
from branch_cases import errors_and_jacobians, frames_of, free_arm, wrapped
from forearm.arm.branches.slices import seven_axes
from forearm.core import border
from forearm.core.self_motion import layout
from forearm.core.self_motion.segment import roots, slope_at
from forearm.core.self_motion.solve import map_curves
from forearm.solve.curves.self_motion import Traced

PANDA = fa.load("panda")
ORDER = [6, 11]  # eliminations that serve a Panda with its last joint locked: the choice itself takes minutes in Python


def random_seven(seed):
    rng = np.random.default_rng(seed)
    columns = (rng.uniform(0.05, 0.4, 7), rng.uniform(0.4, 2.6, 7), rng.uniform(-0.3, 0.3, 7), np.zeros(7))
    return free_arm(np.stack(columns, 1).tolist(), f"seven {seed}")


def mapped(axes, limits, T):
    """Vertices of each curve, arcs and the report."""
    vertices, curves = np.empty((layout.VERTICES, layout.VERTEX)), np.empty((layout.CURVES, layout.CURVE))
    arcs, report = np.empty((layout.ARCS, layout.ARC)), np.empty(8)
    work, limits = np.empty(layout.DESK_NUMBERS), np.ascontiguousarray(limits)
    count, many = map_curves(axes.table, limits, np.ascontiguousarray(T), work, vertices, curves, arcs, report)
    split = [vertices[int(first) : int(first + size)] for first, size in curves[:count, :2]]
    return split, arcs[:many], report


def along(axes, T, V, shares=8):
    """(N, 7) points between the vertices of a curve, made exact."""
    t = np.arange(shares)[:, None] / shares
    return Traced(axes.table, np.ascontiguousarray(T), V).exact((V[:-1, 14] + t * np.diff(V[:, 14])).ravel())


def test_roots_of_a_cubic_are_those_that_numpy_finds():
    rng = np.random.default_rng(1)
    for _ in range(200):
        y0, y1, g0, g1 = rng.normal(size=4) * [0.2, 0.2, 1.0, 1.0]
        p = np.array([2 * y0 - 2 * y1 + g0 + g1, 3 * y1 - 3 * y0 - 2 * g0 - g1, g0, y0])
        there = np.roots(p)
        there = np.sort(there[np.abs(there.imag) < 1e-12].real)
        there = there[(there > 1e-6) & (there < 1.0 - 1e-6)]
        count, *found = roots(y0, y1, g0, g1)
        np.testing.assert_allclose(np.sort(found[:count]), there, atol=1e-9)
        assert slope_at(y0, y1, g0, g1, 0.3) == pytest.approx(np.polyval(np.polyder(p), 0.3))


def test_curves_hold_the_tip_and_arcs_end_exactly_at_limits():
    axes = seven_axes(PANDA.model, ((6, 5),), ORDER)
    q = PANDA.sample(1, rng_seed=3)[0]
    T, limits = frames_of(PANDA, q[None])[-1, 0], PANDA.limits
    curves, arcs, report = mapped(axes, limits, T)
    assert report[layout.CODE] == layout.DONE
    assert len(curves) == 4
    for V in curves:
        np.testing.assert_allclose(frames_of(PANDA, V[:, :7])[-1], np.tile(T, (len(V), 1, 1)), atol=1e-9)
        np.testing.assert_allclose(wrapped(V[-1, :7] - V[0, :7]), 0.0, atol=1e-9)
    assert len(arcs) > 2
    for row in arcs:
        for place, which in ((layout.BEGIN_Q, row[layout.BEGIN_LIMIT]), (layout.END_Q, row[layout.END_LIMIT])):
            k, side = int(abs(which)) - 1, int(which > 0)
            end = row[place : place + 7]
            assert abs(wrapped(end[k] - limits[side, k])) < 1e-12
            assert np.abs(frames_of(PANDA, end[None])[-1, 0] - T).max() < 1e-9
            assert (wrapped(end) > limits[0] - 1e-9).all() or (limits[0] < -np.pi).any()
    rows = np.concatenate([along(axes, T, V) for V in curves])
    assert np.abs(frames_of(PANDA, rows)[-1] - T).max() < 1e-9
    assert np.abs(wrapped(rows - q)).max(axis=1).min() < 0.05


def test_a_pose_out_of_reach_has_no_curve():
    axes = seven_axes(PANDA.model, ((6, 3),), ORDER)
    T = np.eye(4)
    T[:3, 3] = 5.0
    curves, arcs, report = mapped(axes, PANDA.limits, T)
    assert (len(curves), len(arcs)) == (0, 0)
    assert report[layout.CODE] == layout.DONE


def search_points(robot, T, starts, rng, steps=40):
    """(k, 7) points that Gauss-Newton of least norm finds from random starts."""
    Q = rng.uniform(-np.pi, np.pi, (starts, 7))
    for _ in range(steps):
        e, J = errors_and_jacobians(robot, Q, T)
        move = (np.linalg.pinv(J, rcond=1e-6) @ e[:, :, None])[:, :, 0]
        Q = Q + move * np.minimum(1.0, 0.4 / np.abs(move).max(axis=1, initial=1e-30))[:, None]
    met = np.abs(frames_of(robot, Q)[-1] - T).max(axis=(1, 2)) < 1e-9
    return wrapped(Q[met])


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["panda", "gen3", "xarm7", "random 1", "random 2"])
def test_whatever_a_search_or_denser_slices_find_lies_on_a_curve(name):
    robot = random_seven(int(name[-1])) if "random" in name else fa.load(name)
    axes, dense, rng = seven_axes(robot.model), seven_axes(robot.model, ((6, 61),)), np.random.default_rng(5)
    for q in rng.uniform(-np.pi, np.pi, (4, 7)):
        T = frames_of(robot, q[None])[-1, 0]
        curves, _, report = mapped(axes, robot.limits, T)
        assert report[layout.CODE] == layout.DONE
        assert report[layout.UNLISTED] == 0.0
        rows = np.concatenate([along(axes, T, V, 16) for V in curves])
        assert np.abs(frames_of(robot, rows)[-1] - T).max() < 1e-9
        others, _, _ = mapped(dense, robot.limits, T)
        assert len(others) == len(curves)
        for point in (q, *search_points(robot, T, 60, rng)):
            assert np.abs(wrapped(rows - point)).max(axis=1).min() < 0.02


def test_the_border_says_how_large_the_scratch_is():
    work = border.arguments_of("self_motion.solve.map_curves")[3]
    assert work.sizes == (f">={layout.DESK_NUMBERS}",)
    assert layout.self_motion_size(65, 1) == -1


@pytest.mark.compiled
def test_a_step_never_crosses_to_a_curve_that_nearly_touches():
    """The null vector with the signs of the minors keeps its direction along a curve; across a gap it turns round."""
    arm = fa.load("xarm7")
    axes = seven_axes(arm.model)
    for q in arm.sample(300, rng_seed=4711):
        T = frames_of(arm, q[None])[-1, 0]
        for V in mapped(axes, arm.limits, T)[0]:
            J = errors_and_jacobians(arm, V[:, :7], T)[1]
            signs = np.sign(np.linalg.det(np.concatenate([J, V[:, None, 7:14]], axis=1)))
            assert (signs == signs[0]).all()


@pytest.mark.compiled
def test_where_one_curve_hides_between_slices_its_siblings_are_found_once_each():
    axes, dense = seven_axes(PANDA.model), seven_axes(PANDA.model, ((6, 61),))
    q = [-0.73769769, -1.61228033, 0.01237207, -0.48226857, 2.69946199, 1.36178444, 1.46170345]
    T = frames_of(PANDA, np.array([q]))[-1, 0]
    lengths, others = (np.sort([V[-1, 14] for V in mapped(some, PANDA.limits, T)[0]]) for some in (axes, dense))
    np.testing.assert_allclose(lengths, others, atol=0.05)
    assert len(lengths) > 1
