"""The combined method: the paper's answers, every branch, every limit, both refiners, its trace."""

import itertools
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import forearm as fa
from forearm.core.codes import POSE
from forearm.core.combined.codes import STEPS_DONE, SWEEPS_DONE
from forearm.errors import MissingExtraError, OptionError, UnsupportedError
from forearm.solve.methods.combined_tables import combined_tables, misfit
from forearm.solve.methods.table import METHODS

TOLERANCE = 1e-6
FITTING = ("ur3", "ur5", "ur5e", "ur10", "puma560", "irb120", "irb140", "jaco2", "iiwa7", "iiwa14")
UR5, IIWA = fa.load("ur5"), fa.load("iiwa14")
HALF_TURNS = UR5.with_limits(np.tile([[-np.pi], [np.pi]], (1, 6)))


def rigid(rows):
    """A printed pose of three digits with its rotation made exact."""
    T = np.array([*rows, [0.0, 0.0, 0.0, 1.0]])
    u, _, v = np.linalg.svd(T[:3, :3])
    T[:3, :3] = u @ v
    return T


PRINTED_UR5 = rigid([[-0.770, 0.618, 0.156, -0.296], [-0.638, -0.740, -0.214, -0.869], [-0.017, -0.265, 0.964, 0.288]])
PRINTED_IIWA = [[0.537, 0.838, 0.094, 0.618], [-0.654, 0.344, 0.674, -0.463], [0.532, -0.423, 0.733, 0.382]]


def errors(robot, q, T):
    """Position and rotation error by the spec's Eq. (16), from FK of q."""
    A = robot.fk(q)
    R = A[:3, :3].T @ T[:3, :3]
    vee = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return np.linalg.norm(A[:3, 3] - T[:3, 3]), np.arctan2(np.linalg.norm(vee) / 2, (np.trace(R) - 1) / 2)


def is_met(robot, q, T):
    position, rotation = errors(robot, q, T)
    inside = (robot.limits[0] - 1e-9 <= q).all() and (q <= robot.limits[1] + 1e-9).all()
    return bool(position <= TOLERANCE and rotation <= TOLERANCE and inside)


# -- the paper -----------------------------------------------------------------------------------


@pytest.mark.parametrize("refiner", ["sqp", "nlopt"])
def test_the_printed_ur5_target_has_the_printed_answer(refiner):
    pytest.importorskip("nlopt")
    s = HALF_TURNS.solve(PRINTED_UR5, q0=np.zeros(6), method="combined", refiner=refiner)
    assert is_met(HALF_TURNS, s.q, PRINTED_UR5)
    np.testing.assert_allclose(s.q, [1.102, -0.104, -0.121, -1.222, 1.332, -1.994], atol=6e-4)
    # the print's own, from figures with more digits than it shows
    np.testing.assert_allclose(s.q, [1.103, -0.107, -0.114, -1.226, 1.333, -1.995], atol=8e-3)


def test_the_printed_iiwa_answer_fits_the_printed_target():
    q = [-0.745, 1.655, -1.686, -0.019, 1.003, -2.025, -0.505]
    T = IIWA.fk(q)
    np.testing.assert_allclose(T[:3], PRINTED_IIWA, atol=1.2e-3)
    s = IIWA.solve(T, q0=q, method="combined")
    assert is_met(IIWA, s.q, T)


def test_plain_sweeps_take_hundreds_where_combined_takes_a_few():
    plain = HALF_TURNS.trace(PRINTED_UR5, np.zeros(6), method="combined", sweeps=2000)
    assert 480 <= len(plain) // 2 <= 500  # 490 to 494 by where the rounding of the print is put
    both = HALF_TURNS.trace(PRINTED_UR5, np.zeros(6), method="combined", sweeps=15)
    assert both.stages.count("backward") == 15
    assert 1 <= both.stages.count("sqp") <= 15


def test_the_published_algorithm_refines_once_and_offers_one_elbow_side():
    for q in HALF_TURNS.sample(20, rng_seed=3):
        T = HALF_TURNS.fk(q)
        one, all_sides = (
            HALF_TURNS.solve(T, q0=np.zeros(6), method="combined", mode=mode, explain=False)
            for mode in ("paper", "full")
        )
        assert is_met(HALF_TURNS, one.q, T) == one.success
        assert np.abs(all_sides.q).sum() <= np.abs(one.q).sum() + 1e-4 or not one.success


@pytest.mark.parametrize("refiner", ["sqp", "nlopt"])
def test_the_published_algorithm_misses_what_the_seed_that_limits_disturb_least_meets(refiner):
    pytest.importorskip("nlopt")
    for T in IIWA.fk(IIWA.sample(504, rng_seed=0)[[173, 194, 440, 503]]):  # found among a thousand
        one = IIWA.solve(T, q0=np.zeros(7), method="combined", n_l=5, mode="paper", refiner=refiner, explain=False)
        assert one.position_error > 1e-3
        assert is_met(IIWA, IIWA.solve(T, q0=np.zeros(7), method="combined", n_l=5, refiner=refiner).q, T)


def test_sweeps_keep_the_cone_of_a_ball_shoulder():
    limits = np.array(IIWA.limits)
    limits[:, 1] = -0.6, 0.6
    narrow, at_the_cone = IIWA.with_limits(limits), 0
    for q in IIWA.sample(20, rng_seed=4):  # targets that the narrow arm may not reach
        trace = narrow.trace(IIWA.fk(q), np.zeros(7), method="combined", sweeps=20)
        for stage, (P1, P2, _) in zip(trace.stages, trace.points, strict=True):
            if stage == "backward":
                tilt = np.arccos(np.clip((P2 - P1)[2] / np.linalg.norm(P2 - P1), -1.0, 1.0))
                assert tilt <= 0.6 + 1e-9
                at_the_cone += tilt > 0.6 - 1e-9
    assert at_the_cone > 20


# -- every arm that reduces ----------------------------------------------------------------------


def test_the_arms_that_reduce_to_two_links_are_these():
    for name in FITTING:
        assert misfit(fa.load(name)._prepared) == ""
    for name in ("panda", "xarm7", "gen3", "so101", "scara", "fabrik-r-10dof"):
        assert "do not reduce to two links" in misfit(fa.load(name)._prepared)


@pytest.mark.compiled
@pytest.mark.parametrize("name", FITTING)
def test_no_query_inside_the_limits_fails(name):
    robot = fa.load(name)
    starts = robot.sample(500, rng_seed=8)
    for q, q0 in zip(robot.sample(500, rng_seed=7), starts, strict=True):
        T = robot.fk(q)
        for start in (None, q0):
            s = robot.solve(T, q0=start, method="combined", explain=False)
            assert s.success
            assert is_met(robot, s.q, T)


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["ur5", "puma560", "iiwa14"])
def test_slsqp_refines_as_well(name):
    pytest.importorskip("nlopt")
    robot = fa.load(name)
    for q in robot.sample(60, rng_seed=9):
        T = robot.fk(q)
        s = robot.solve(T, method="combined", refiner="nlopt", n_l=5, explain=False)
        assert is_met(robot, s.q, T)


@given(st.integers(0, 10_000), st.sampled_from(["ur5", "irb140", "iiwa14"]))
@settings(max_examples=20, deadline=None)
def test_fk_of_the_answer_is_the_target(seed, name):
    robot = fa.load(name)
    T = robot.fk(robot.sample(1, rng_seed=seed)[0])
    assert is_met(robot, robot.solve(T, method="combined").q, T)


SINGULAR = {
    "ur5": [{4: 0.0}, {4: np.pi}, {2: 0.0}, {2: np.pi}, {4: 0.0, 2: 0.0}, {4: 0.0, 2: np.pi}],
    "puma560": [{4: 0.0}, {2: 0.0}, {2: np.pi / 2}],
    "iiwa14": [{5: 0.0}, {3: 0.0}, {1: 0.0}, {1: 0.0, 5: 0.0}, {3: 0.0, 5: 0.0}, {1: 0.0, 3: 0.0, 5: 0.0}],
}


@pytest.mark.compiled
@pytest.mark.parametrize("name", SINGULAR)
def test_singular_poses_are_solved(name):
    robot, rng = fa.load(name), np.random.default_rng(0)
    for fixed, off in itertools.product(SINGULAR[name], (0.0, 1e-14, 1e-9, 1e-7, 1e-5)):
        for q in robot.sample(10, rng_seed=3):
            for k, value in fixed.items():
                q[k] = np.clip(value + off, *robot.limits[:, k])
            T = robot.fk(q)
            for start in (None, q, robot.clip(rng.uniform(-3, 3, robot.n))):
                assert is_met(robot, robot.solve(T, q0=start, method="combined", explain=False).q, T)


@pytest.mark.parametrize(
    ("name", "joint", "value"),
    [("ur5", 4, 0.0), ("ur5", 4, np.pi), ("irb140", 4, 0.0), ("iiwa14", 5, 0.0), ("iiwa14", 1, 0.0)],
)
@pytest.mark.parametrize("held", [0.0, 0.3], ids=["free", "some joints held"])
def test_what_a_singular_pose_leaves_free_is_searched_inside_narrow_limits(name, joint, value, held):
    robot, rng = fa.load(name), np.random.default_rng(5)
    for _ in range(20):
        q = rng.uniform(*np.clip(robot.limits, -np.pi, np.pi))
        q[joint] = value
        half = rng.uniform(0.02, 0.5, robot.n) * (rng.random(robot.n) >= held)
        middle = q + rng.uniform(-1.0, 1.0, robot.n) * half
        around = robot.with_limits(np.array([middle - half, middle + half]))
        T = robot.fk(q)
        for start in (None, np.clip(q + rng.uniform(-0.3, 0.3, robot.n), *around.limits)):
            s = around.solve(T, q0=start, method="combined", explain=False)
            assert s.success
            assert is_met(around, s.q, T)


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["ur5", "puma560", "irb120", "iiwa14"])
def test_joints_exactly_at_their_limits_are_solved(name):
    robot, rng = fa.load(name), np.random.default_rng(1)
    for q in robot.sample(100, rng_seed=4):
        at, ends = rng.random(robot.n) < 0.5, robot.limits[rng.integers(0, 2, robot.n), np.arange(robot.n)]
        T = robot.fk(np.where(at, ends, q))
        assert is_met(robot, robot.solve(T, method="combined", explain=False).q, T)


# -- which answer --------------------------------------------------------------------------------

NORMS = {"1": 1, "2": 2, "inf": np.inf}


@pytest.mark.compiled
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ["ur5", "puma560"])
def test_the_answer_is_the_nearest_of_all_branches(name, norm):
    robot = fa.load(name)
    free = robot.with_limits(np.tile([[-np.inf], [np.inf]], (1, 6)))
    for q, start in zip(robot.sample(60, rng_seed=1), robot.sample(60, rng_seed=2), strict=True):
        T = free.fk(q)
        s = free.solve(T, q0=start, method="combined", norm=norm)
        rows = free.solve_all(T, start).q
        assert is_met(free, s.q, T)
        least = min(np.linalg.norm(row - start, NORMS[norm]) for row in rows)
        # answers are as exact as the target asks, not more, so joints may differ by some of that
        assert np.linalg.norm(s.q - start, NORMS[norm]) <= least + 1e-2


def test_the_usual_norm_is_the_sum_of_the_changes():
    differs = 0
    free = UR5.with_limits(np.tile([[-np.inf], [np.inf]], (1, 6)))
    for q, start in zip(UR5.sample(30, rng_seed=1), UR5.sample(30, rng_seed=2), strict=True):
        T = free.fk(q)
        moves = np.abs(free.solve_all(T, start).q - start)
        by_sum, by_largest = np.argmin(moves.sum(axis=1)), np.argmin(moves.max(axis=1))
        differs += by_sum != by_largest
        s = free.solve(T, q0=start, method="combined")
        assert np.abs(s.q - start).sum() <= moves.sum(axis=1).min() + 1e-2
    assert differs > 3


@pytest.mark.parametrize("name", ["ur5", "puma560", "iiwa14"])
def test_a_start_that_meets_the_target_is_kept(name):
    robot = fa.load(name)
    for q in robot.sample(5, rng_seed=6):
        s = robot.solve(robot.fk(q), q0=q, method="combined")
        np.testing.assert_allclose(s.q, q, atol=1e-12)


def test_an_elbow_stays_near_that_of_the_start_unless_fabriks_is_asked_for():
    rng, away = np.random.default_rng(2), []
    for q in 0.9 * IIWA.sample(30, rng_seed=6):
        T, q0 = IIWA.fk(q), q + rng.uniform(-0.02, 0.02, 7)
        for elbow in ("nearest", "fabrik"):
            s = IIWA.solve(T, q0=q0, method="combined", elbow=elbow)
            assert is_met(IIWA, s.q, T)
            away.append(np.abs(s.q - q0).max())
    assert np.median(away[::2]) < 0.1
    assert np.median(away[1::2]) > 0.5


def test_norms_are_taken_as_numbers_too():
    T = UR5.fk([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
    for number, name in ((1, "1"), (2, "2"), (np.inf, "inf")):
        one, other = (UR5.solve(T, q0=np.zeros(6), method="combined", norm=norm) for norm in (number, name))
        np.testing.assert_array_equal(one.q, other.q)


def test_limits_tools_and_locks_of_one_call_are_kept():
    tool = np.eye(4)
    tool[:3, 3] = 0.05, 0.0, 0.1
    q = np.array([0.4, 0.7, -0.3, 1.1, 0.5, 0.6, -0.2])
    T = IIWA.fk(q) @ tool
    name = IIWA.joint_names[3]
    s = IIWA.solve(T, tool=tool, method="combined", limits={name: (0.2, 2.0)})
    assert s.success
    assert 0.2 <= s.q[3] <= 2.0
    assert is_met(IIWA.with_tool(tool), s.q, T)
    locked = UR5.solve(UR5.fk([0.4, -1, 1, 0.2, 0.7, 0.1]), method="combined", locked={UR5.joint_names[0]: 0.4})
    assert locked.success
    assert locked.q[0] == 0.4


def test_a_wrist_on_the_line_of_the_straight_arm_does_not_turn_the_elbow():
    q = np.array([0.7, 1.0, 0.0, -2.084, 0.0, 1.084, 0.0])  # the wrist stands above the shoulder
    T = IIWA.fk(q)
    T[2, 3] += 0.01
    s = IIWA.solve(T, q0=q, method="combined")
    assert s.success
    assert np.abs(s.q - q).max() < 0.05


# -- failures and words --------------------------------------------------------------------------


def test_sweeps_alone_say_when_they_did_not_arrive():
    # a target the paper's sweeps need hundreds for
    s = HALF_TURNS.solve(PRINTED_UR5, q0=np.zeros(6), method="combined", refiner="none", n_l=20, explain=False)
    assert not s.success
    assert s.position_error > TOLERANCE
    assert s.report[SWEEPS_DONE] == s.iterations
    assert s.report[STEPS_DONE] == 0


@pytest.mark.parametrize("robot", [UR5, fa.load("puma560"), IIWA], ids=lambda robot: robot.name)
def test_a_target_out_of_reach_gives_a_pose_inside_the_limits(robot):
    T = np.eye(4)
    T[:3, 3] = 2.0, 1.0, 1.5
    s = robot.solve(T, method="combined")
    assert str(s.status) == "out_of_reach"
    assert (robot.limits[0] <= s.q).all()
    assert (s.q <= robot.limits[1]).all()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: fa.load("panda").solve(np.eye(4), method="combined"), UnsupportedError, "do not reduce to two links"),
        (lambda: UR5.solve(fa.Position([0, 0, 1]), method="combined"), UnsupportedError, "does not support Position"),
        (
            lambda: UR5.solve(np.eye(4), method="combined", refiner="slsqp"),
            OptionError,
            "option refiner is 'slsqp'; it takes one of: sqp, nlopt, none",
        ),
        (lambda: UR5.solve(np.eye(4), method="combined", n_l=-1), OptionError, "option n_l is -1"),
    ],
)
def test_what_cannot_be_done_is_refused_with_words(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)


def test_a_missing_nlopt_is_one_line_with_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "nlopt", None)
    with pytest.raises(MissingExtraError, match=r"refiner 'nlopt' needs .*: pip install 'nlopt>=2.8'"):
        UR5.solve(PRINTED_UR5, q0=np.zeros(6), method="combined", refiner="nlopt", n_l=0)


def test_a_search_of_nlopt_that_fails_leaves_its_best_point(monkeypatch):
    nlopt = pytest.importorskip("nlopt")
    optimize, failed = nlopt.opt.optimize, getattr(nlopt, "runtime_error", RuntimeError)

    def fails(search, start):
        optimize(search, start)
        raise failed("nlopt failure")

    monkeypatch.setattr(nlopt.opt, "optimize", fails)
    s = UR5.solve(PRINTED_UR5, q0=np.zeros(6), method="combined", refiner="nlopt")
    assert is_met(UR5, s.q, PRINTED_UR5)


def test_methods_that_can_are_named_only_where_they_fit():
    assert METHODS["combined"].fault(POSE, UR5._prepared) == ""
    with pytest.raises(UnsupportedError) as caught:
        fa.load("panda").solve(fa.PointAxis([0.3, 0, 0.5], [0, 0, 1]), method="fabrik-r")
    assert "combined" not in str(caught.value)


def test_axes_that_miss_their_common_point_are_refused():
    rows = [(0, np.pi / 2, 0.36), (0, -np.pi / 2, 0), (0, -np.pi / 2, 0.42), (0, np.pi / 2, 0)]
    rows += [(0, np.pi / 2, 0.4), (5e-6, -np.pi / 2, 0), (0, 0, 0.1)]
    bent = fa.Robot.from_dh(rows)
    assert "axes that miss their common point (here by up to" in misfit(bent._prepared)
    with pytest.raises(UnsupportedError, match="miss their common point"):
        combined_tables(bent._prepared)


# -- the trace -----------------------------------------------------------------------------------


@pytest.mark.parametrize("robot", [UR5, fa.load("puma560"), IIWA], ids=lambda robot: robot.name)
def test_a_trace_keeps_lengths_and_ends_at_its_target(robot):
    for q in robot.sample(8, rng_seed=5):
        trace = robot.trace(robot.fk(q), method="combined", sweeps=4)
        lengths = np.linalg.norm(np.diff(trace.points, axis=1), axis=2)
        np.testing.assert_allclose(lengths, np.tile(lengths[0], (len(trace), 1)), atol=1e-12)
        assert trace.stages[0] == "start"
        assert trace.distance[-1] <= TOLERANCE
        sweeps = trace.stages.count("backward")
        assert trace.stages[1 : 1 + 2 * sweeps] == ("forward", "backward") * sweeps
        assert set(trace.stages[1 + 2 * sweeps :]) <= {"sqp", "start"}
        assert (trace.distance[1 : 2 * sweeps : 2] < 1e-12).all()
        assert is_met(robot, trace.q, robot.fk(q))


def test_the_last_points_of_a_trace_are_those_of_the_answer():
    T = IIWA.fk([0.4, 0.7, -0.3, 1.1, 0.5, 0.6, -0.2])
    wide = IIWA.with_limits({name: (-7.0, 7.0) for name in IIWA.joint_names})
    trace = wide.trace(T, method="combined")
    frames = wide.fk_all(trace.q)
    np.testing.assert_allclose(trace.points[-1, 1], frames[2, :3, 3], atol=1e-9)
    np.testing.assert_allclose(trace.points[-1, 2], frames[4, :3, 3], atol=1e-9)
