"""The steps and sweeps of FABRIK-R: Eq. (6) solved, roots chosen as the paper says, limits kept, poses turned."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import forearm as fa
from forearm.core.iterative.fabrik_r_place import Mover, frame_angle, place_closest, place_on_plane

FREE = Mover(0.0, 1.0, -math.inf, math.inf)
angles, lengths = st.floats(-3.1, 3.1), st.floats(-1.0, 1.0)
vectors = st.tuples(lengths, lengths, lengths)


def turned(angle, v):
    """A vector turned about z."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]])


def link_of(tilt, turn, place):
    """(3, 4) a link whose next axis is tilted from z by an angle and turned about it."""
    link = np.zeros((3, 4))
    link[:, 2] = turned(turn, (math.sin(tilt), 0.0, math.cos(tilt)))
    link[:, 3] = place
    return link


@given(st.floats(0.2, 2.9), angles, vectors, vectors, vectors, st.floats(-0.3, 0.3))
@settings(max_examples=100)
def test_a_root_of_eq_6_puts_the_point_on_the_plane_moved_by_its_offset(tilt, turn, at, w, towards, c):
    link = link_of(tilt, turn, at)
    u = link[:, 2]
    reach = math.hypot(u[0], u[1]) * math.hypot(w[0], w[1])
    assume(abs(c - u[2] * w[2]) < 0.99 * reach)  # else there is no root
    q = place_on_plane(link, c, w, towards, FREE)
    assert abs(turned(q, u) @ np.array(w) - c) < 1e-9


@given(st.floats(0.2, 2.9), angles, vectors, vectors, vectors)
@settings(max_examples=100)
def test_of_two_roots_that_is_taken_whose_joint_comes_closer_to_the_next_point(tilt, turn, at, w, towards):
    link = link_of(tilt, turn, at)
    u = link[:, 2]
    assume(abs(u[2] * w[2]) < 0.9 * math.hypot(u[0], u[1]) * math.hypot(w[0], w[1]))
    q = place_on_plane(link, 0.0, w, towards, FREE)
    # the other root by a scan: where the plane's equation changes its sign
    scan = np.linspace(-math.pi, math.pi, 721)
    values = np.array([turned(x, u) @ np.array(w) for x in scan])
    roots = scan[:-1][np.sign(values[:-1]) != np.sign(values[1:])]
    assume(len(roots) == 2)
    away = [math.dist(turned(x, at), towards) for x in roots]
    assert math.dist(turned(q, at), towards) <= min(away) + 0.02  # a step of the scan


def test_where_both_roots_are_as_close_the_joint_moves_least():
    link = link_of(0.5 * math.pi, 0.0, (0.0, 0.0, 0.3))  # its next joint lies on the axis: no root is closer
    for old in (-1.0, 1.0):
        q = place_on_plane(link, 0.0, (1.0, 0.0, 0.0), (0.2, 0.1, 0.5), FREE._replace(old=old))
        assert q == pytest.approx(math.copysign(0.5 * math.pi, old))


def test_the_root_inside_the_limits_is_taken_though_the_other_is_closer():
    link, w, towards = link_of(0.5 * math.pi, 0.0, (0.4, 0.0, 0.0)), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    assert place_on_plane(link, 0.0, w, towards, FREE) == pytest.approx(0.5 * math.pi)
    held = Mover(0.0, 1.0, -2.0, 1.0)
    assert place_on_plane(link, 0.0, w, towards, held) == pytest.approx(-0.5 * math.pi)


def test_a_joint_is_clamped_to_the_nearer_end_of_its_range():
    held = Mover(0.0, 1.0, -0.4, 0.7)
    assert place_closest(1.0, 0.0, (0.0, 1.0, 0.0), held) == 0.7
    assert place_closest(1.0, 0.0, (0.0, -1.0, 0.0), held) == -0.4
    # the forward stage turns the other way
    assert place_closest(1.0, 0.0, (0.0, 1.0, 0.0), held._replace(sign=-1.0)) == -0.4


@given(lengths, lengths, vectors)
def test_the_closest_place_is_closer_than_any_other(x, y, w):
    assume(math.hypot(x, y) > 1e-3 and math.hypot(w[0], w[1]) > 1e-3)
    q = place_closest(x, y, w, FREE)
    away = [math.dist(turned(a, (x, y, 0.0)), w) for a in (q, *np.linspace(-math.pi, math.pi, 90))]
    assert away[0] <= min(away) + 1e-12


@given(angles)
def test_the_last_turn_brings_a_frame_onto_another(angle):
    c, s = math.cos(angle), math.sin(angle)
    wanted = np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
    assert frame_angle(np.eye(4), wanted, 0.0) == pytest.approx(angle)


# -- whole sweeps --------------------------------------------------------------------------------


def rotation_error(A, B):
    """The angle between two poses by the arctangent [rad]."""
    R = A[:3, :3].T @ B[:3, :3]
    vee = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return math.atan2(0.5 * float(np.linalg.norm(vee)), 0.5 * (float(np.trace(R)) - 1.0))


# Of 40 positions and 40 poses of own configurations, from the middle of the limits, so many by 100 sweeps alone.
SHARES = {"ur5": (34, None), "iiwa14": (38, 22), "fabrik-r-5dof": (38, 14), "pioneer": (36, 12), "irb140": (36, 16)}


@pytest.mark.parametrize("name", SHARES)
def test_sweeps_alone_meet_their_share_of_positions_and_of_poses(name):
    robot = fa.load(name)
    for k, least in enumerate(SHARES[name]):
        if least is None:  # a UR5's wrist is no ball: sweeps never meet a pose of it
            continue
        met = 0
        for T in robot.fk(robot.sample(40, rng_seed=1)):
            target = fa.Position(T[:3, 3]) if k == 0 else T
            s = robot.solve(target, method="fabrik-r", refine=False, max_iterations=100, explain=False)
            A = robot.fk(s.q)
            close = np.linalg.norm(A[:3, 3] - T[:3, 3]) <= 1e-6 and (k == 0 or rotation_error(A, T) <= 1e-6)
            assert s.success == close
            assert (robot.limits[0] <= s.q).all()
            assert (s.q <= robot.limits[1]).all()
            met += close
        assert met >= least


@pytest.mark.parametrize("name", ["ur5", "irb140", "iiwa14"])
def test_a_sweep_to_a_pose_turns_the_tip_as_asked_where_the_limits_let_it(name):
    robot = fa.load(name)
    free = robot.with_limits(np.tile([[-np.inf], [np.inf]], (1, robot.n)))
    turned_right = 0
    for q, q0 in zip(robot.sample(30, rng_seed=3), robot.sample(30, rng_seed=4), strict=True):
        T = free.fk(q)
        after = free.trace(T, q0, sweeps=1).q
        turned_right += rotation_error(free.fk(after), T) < 1e-9
    assert turned_right >= 20
