"""The refiner: minima inside limits, against NLopt's SLSQP, brute force and central differences."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import forearm as fa
from forearm.core.arm.kinematics import fk_tip
from forearm.core.arm.problem import Robot
from forearm.core.combined.box_qp import solve_box_qp
from forearm.core.combined.solve import STARTS
from forearm.core.combined.sqp import (
    ARRIVED,
    FIRST_DAMPING,
    FLAT,
    add_curvature,
    advance,
    refine,
    squared_distance,
    workspace_size,
    write_normal_equations,
)
from forearm.core.jit import CHOICE
from forearm.solve.methods.combined_nlopt import minimise_by_slsqp
from forearm.solve.methods.combined_tables import combined_tables

STOP = 1e-12  # [m^2] the paper's, the square of its tolerance
STEPS = 50
# problems of each of eight kinds: what Python does not enter is compiled by Numba alone
PROBLEMS = 1250 if CHOICE.way == "jit" else 25
SETTINGS = np.full(8, float(STEPS))  # of which the refiner reads how many steps there are


def reduced(name, scale=1.0):
    """Links, joints and limits of the chain that the combined method iterates; limits scaled by a share."""
    arm = fa.load(name)
    model = arm.model
    *_, facts, links, joints = combined_tables(arm._prepared)
    first = int(facts[1])
    bounds = np.clip(model.limits[:, first : first + len(joints)], -np.pi, np.pi)
    return links, joints, np.ascontiguousarray(scale * bounds)


CHAINS = {
    "ur5": reduced("ur5"),
    "ur5, narrow": reduced("ur5", 0.4),
    "iiwa14": reduced("iiwa14"),
    "iiwa14, narrow": reduced("iiwa14", 0.4),
}


def tip(chain, q):
    T = np.empty((4, 4))
    fk_tip(chain[0], chain[1], q, T)
    return T[:3, 3].copy()


def draw_problem(chain, rng, reachable):
    """A point and a start: the tip of joint values inside the limits, or anywhere round the first joint."""
    if reachable:
        point = tip(chain, rng.uniform(*chain[2]))
    else:
        way = rng.normal(size=3)
        point = chain[0][0, :, 3] + way / np.linalg.norm(way) * rng.uniform(0.0, 1.2)
    return point, rng.uniform(*chain[2])


def minimise(chain, point, q0, starts=STARTS):
    q = q0.copy()
    work = np.empty(workspace_size(len(chain[1]), len(q)))
    f, steps = refine(Robot(*chain), point, STOP, SETTINGS, starts, q, work)
    return q, f, steps


@pytest.mark.compiled
@pytest.mark.parametrize("reachable", [True, False], ids=["reachable", "anywhere"])
@pytest.mark.parametrize("name", CHAINS)
def test_no_minimum_of_slsqp_is_lower(name, reachable):
    pytest.importorskip("nlopt")
    chain, rng = CHAINS[name], np.random.default_rng(0)
    for _ in range(PROBLEMS):
        point, q0 = draw_problem(chain, rng, reachable)
        q, f, _ = minimise(chain, point, q0)
        _, other, _ = minimise_by_slsqp(chain, point, STOP, 1000, 1, q0)
        assert f <= other + 1e-9
        assert np.sum((tip(chain, q) - point) ** 2) == pytest.approx(f, abs=1e-15)
        if reachable:
            assert f <= STOP


@pytest.mark.compiled
@pytest.mark.parametrize("name", CHAINS)
def test_with_the_same_further_starts_slsqp_is_not_lower_either(name):
    pytest.importorskip("nlopt")
    chain, rng = CHAINS[name], np.random.default_rng(5)
    for _ in range(PROBLEMS // 20):
        point, q0 = draw_problem(chain, rng, False)
        assert minimise(chain, point, q0)[1] <= minimise_by_slsqp(chain, point, STOP, 1000, STARTS, q0)[1] + 1e-9


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["ur5", "iiwa14"])
def test_slsqp_arrives_too_where_it_may_start_again(name):
    pytest.importorskip("nlopt")
    chain, rng = CHAINS[name], np.random.default_rng(1)
    for _ in range(300):
        point, q0 = draw_problem(chain, rng, True)
        q, f, _ = minimise_by_slsqp(chain, point, STOP, 1000, STARTS, q0)
        assert f <= STOP
        assert (chain[2][0] <= q).all()
        assert (q <= chain[2][1]).all()


@given(st.integers(0, 10_000), st.sampled_from(sorted(CHAINS)))
@settings(max_examples=30, deadline=None)
def test_minima_are_inside_the_limits_and_stationary(seed, name):
    chain, rng = CHAINS[name], np.random.default_rng(seed)
    point, q0 = draw_problem(chain, rng, seed % 2 == 0)
    q, f, _ = minimise(chain, point, q0, starts=4)
    lower, upper = chain[2]
    assert (lower <= q).all()
    assert (q <= upper).all()
    slope = np.empty(len(q))
    squared_distance(chain[0], chain[1], point, q, np.empty(workspace_size(len(q), len(q))), slope)
    inward = np.clip(q - slope, lower, upper) - q  # 0 at a minimum, bounds included
    assert f <= STOP or np.abs(inward).max() < 1e-4


@pytest.mark.parametrize("name", ["ur5", "iiwa14"])
def test_a_start_near_the_answer_takes_few_steps(name):
    chain, rng = CHAINS[name], np.random.default_rng(3)
    counts = []
    for _ in range(20):
        q = rng.uniform(*chain[2])
        start = np.clip(q + rng.uniform(-0.02, 0.02, len(q)), *chain[2])
        _, f, steps = minimise(chain, tip(chain, q), start)
        assert f <= STOP
        counts.append(steps)
    assert np.median(counts) <= 3


def test_steps_never_leave_the_limits_and_never_climb():
    chain, rng = CHAINS["iiwa14, narrow"], np.random.default_rng(4)
    work = np.empty(workspace_size(4, 4))
    for _ in range(10):
        point, q = draw_problem(chain, rng, False)
        damping, last = FIRST_DAMPING, np.inf
        for step in range(40):
            outcome, f, damping = advance(Robot(*chain), point, STOP, damping, step >= 8, q, work)
            assert f <= last
            assert (chain[2][0] <= q).all()
            assert (q <= chain[2][1]).all()
            if outcome in (ARRIVED, FLAT):
                break
            last = f


MIXED = """<robot name="mixed"><link name="a"/><link name="b"/><link name="c"/><link name="d"/><link name="e"/>
  <joint name="j1" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
    <origin xyz="0.1 0 0.2" rpy="0.3 0.2 0.1"/><limit lower="-2" upper="2"/></joint>
  <joint name="j2" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/>
    <origin xyz="0.3 0 0" rpy="0 0.4 0"/><limit lower="-0.2" upper="0.3"/></joint>
  <joint name="j3" type="revolute"><parent link="c"/><child link="d"/><axis xyz="1 0 0"/>
    <origin xyz="0.2 0.1 0"/><limit lower="-2" upper="2"/><mimic joint="j1" multiplier="-0.5"/></joint>
  <joint name="j4" type="revolute"><parent link="d"/><child link="e"/><axis xyz="0 1 1"/>
    <origin xyz="0.2 0.1 0.1"/><limit lower="-2" upper="2"/></joint>
</robot>"""


def mixed():
    tool = np.eye(4)
    tool[:3, 3] = 0.1, 0.2, 0.3
    model = fa.Robot.from_urdf(MIXED, tool=tool)._prepared.model
    return model.links, model.joints, model.limits


def test_gradient_and_hessian_are_those_of_central_differences():
    chain, rng, h = mixed(), np.random.default_rng(5), 1e-5
    links, joints, limits = chain
    n, m = limits.shape[1], len(joints)
    work, slope, H = np.empty(workspace_size(m, n)), np.empty(n), np.empty((n, n))
    for _ in range(5):
        q, point = rng.uniform(*limits), rng.normal(size=3)

        def f(x, point=point):
            return np.sum((tip(chain, x) - point) ** 2)

        value = squared_distance(links, joints, point, q, work, slope)
        assert value == pytest.approx(f(q), rel=1e-12)
        steps = h * np.eye(n)
        np.testing.assert_allclose(slope, [(f(q + d) - f(q - d)) / (2 * h) for d in steps], atol=1e-8)
        write_normal_equations(joints, point, work, H, slope)
        add_curvature(joints, point, work, H)
        second = [
            [(f(q + a + b) - f(q + a - b) - f(q - a + b) + f(q - a - b)) / (4 * h * h) for a in steps] for b in steps
        ]
        np.testing.assert_allclose(2.0 * H, second, atol=1e-4)


def test_slides_and_mimic_joints_are_refined_too():
    chain, rng = mixed(), np.random.default_rng(6)
    for _ in range(10):
        point, q0 = draw_problem(chain, rng, True)
        _, f, _ = minimise(chain, point, q0)
        assert f <= STOP


def minimum_over_faces(H, g, low, high):
    """The least value of the quadratic in the box: the best feasible minimum over all its faces."""
    n, best = len(g), np.inf
    for face in itertools.product((-1, 0, 1), repeat=n):
        x = np.where(np.array(face) < 0, low, np.where(np.array(face) > 0, high, 0.0))
        free = np.array(face) == 0
        if free.any():
            x[free] = np.linalg.solve(H[np.ix_(free, free)], g[free] - H[np.ix_(free, ~free)] @ x[~free])
        if (x >= low - 1e-12).all() and (x <= high + 1e-12).all():
            best = min(best, 0.5 * x @ H @ x - g @ x)
    return best


@given(st.integers(0, 100_000), st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_the_active_set_finds_the_minimum_in_the_box(seed, n):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, n))
    H, g = A @ A.T + 1e-3 * np.eye(n), rng.normal(size=n)
    low, high = -rng.uniform(0, 1, n) * rng.integers(0, 2, n), rng.uniform(0, 1, n) * rng.integers(0, 2, n)
    x = np.empty(n)
    assert solve_box_qp(H, g, low, high, np.empty((n, n)), np.empty(n), np.empty(n), x)
    assert (low <= x).all()
    assert (x <= high).all()
    assert 0.5 * x @ H @ x - g @ x == pytest.approx(minimum_over_faces(H, g, low, high), abs=1e-9)


def test_an_indefinite_hessian_is_told():
    H, one = np.array([[1.0, 2.0], [2.0, 1.0]]), np.ones(2)
    assert not solve_box_qp(H, one, -one, one, np.empty((2, 2)), np.empty(2), np.empty(2), np.empty(2))
