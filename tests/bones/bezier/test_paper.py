"""The published search as a mode, and what the method refuses."""

import itertools
import math

import numpy as np
import pytest

import forearm as fa

SIX = [[0, 0], [0, 1], [0, 2], [0, 3], [0, 4], [0, 5]]


def test_paper_mode_tells_its_residual_and_iterations():
    chain = fa.Chain(SIX)
    missed = chain.solve([2, 2], method="bezier", mode="paper")
    assert missed.residual == pytest.approx(0.0655, abs=5e-6)
    assert missed.status is fa.Status.NOT_CONVERGED
    shifted = chain.solve([2, 2], method="bezier", mode="paper", shift=-0.2)
    assert shifted.success
    assert shifted.residual <= 1e-3
    assert 100 < shifted.iterations < 1000
    linear = chain.solve([4, 0], method="bezier", mode="paper", linear=True, grid=4101, steps=800)
    assert linear.success
    assert linear.iterations > 100_000
    for solution in (missed, shifted, linear):
        np.testing.assert_allclose(np.linalg.norm(np.diff(solution.points, axis=0), axis=1), 1.0, atol=1e-12)
        tip = math.dist(solution.points[-1], [4, 0] if solution is linear else [2, 2])
        assert solution.position_error == pytest.approx(tip, abs=1e-12)


def test_paper_mode_works_in_any_position_and_by_reflection():
    points = np.array(SIX) @ [[0, 1], [-1, 0]] + [5.0, 7.0]
    moved = fa.Chain(points).solve([5.0 - 2.0, 7.0 + 4.0], method="bezier", mode="paper")
    plain = fa.Chain(SIX).solve([4.0, 2.0], method="bezier", mode="paper")
    assert moved.residual == pytest.approx(plain.residual, abs=1e-9)
    below = fa.Chain(SIX).solve([2, 4], method="bezier", mode="paper", shift=2.0, reflect=True)
    assert below.success
    assert fa.Chain(SIX).solve([9, 9], method="bezier", mode="paper").success is False


def test_exact_poses_cover_what_the_published_rule_leaves_out():
    rng = np.random.default_rng(0)
    chain = fa.Chain(SIX)
    solved = 0
    for _ in range(60):
        angle, radius = rng.uniform(0, 2 * math.pi), 5.0 * math.sqrt(rng.random())
        target = [radius * math.cos(angle), radius * math.sin(angle)]
        assert chain.solve(target, method="bezier").success
        solved += chain.solve(target, method="bezier", mode="paper", grid=1001, steps=200).success
    assert solved < 45


TARGET, OPTION, MODEL, UNSUPPORTED = (
    fa.errors.TargetError,
    fa.errors.OptionError,
    fa.errors.ModelError,
    fa.errors.UnsupportedError,
)
BAD = [
    ({"target": [math.nan, 0.0]}, TARGET, "nan"),
    ({"target": np.array([math.inf, 0.0])}, TARGET, "inf"),
    ({"target": [1e200, 0.0]}, TARGET, "entries below"),
    ({"target": [1.0, 2.0, 3.0]}, TARGET, "shape \\(3,\\)"),
    ({"target": np.array([1.0, 2.0, 3.0])}, TARGET, "shape \\(3,\\)"),
    ({"target": fa.Pose(np.eye(4))}, UNSUPPORTED, "takes a point"),
    ({"mode": "papers"}, OPTION, "mode is 'papers'; it takes one of: exact, paper"),
    ({"clearance": -1.0, "obstacles": []}, OPTION, "clearance is -1"),
    ({"thickness": -1.0}, OPTION, "thickness is -1"),
    ({"thickness": [0.1, 0.2]}, OPTION, "one per link \\(5\\)"),
    ({"obstacles": [fa.Sphere([0, 0, 0], 1.0)]}, OPTION, "3 coordinates"),
    ({"obstacles": "wall"}, OPTION, "takes a list"),
    ({"shfit": 1.0}, OPTION, "did you mean shift"),
    ({"max_turn": 0.0}, OPTION, "max_turn is 0"),
    ({"method": "fabrik", "max_turn": 1.0}, OPTION, "has no option 'max_turn'"),
    ({"method": "fabrik", "mode": "paper"}, OPTION, "has no option 'mode'"),
    ({"method": "beziers", "obstacles": []}, OPTION, "did you mean bezier"),
    ({"pole": [1.0, 2.0, 3.0]}, OPTION, "pole"),
    ({"start": np.zeros((3, 2))}, MODEL, "start has shape"),
]


@pytest.mark.parametrize(("given", "error", "words"), BAD)
def test_bad_input_is_refused_with_the_value_seen(given, error, words):
    arguments = {"target": [2.0, 2.0], "method": "bezier"} | given
    with pytest.raises(error, match=words):
        fa.Chain(SIX).solve(**arguments)


def test_what_bezier_cannot_do_is_said(bez):
    with pytest.raises(UNSUPPORTED, match="fixed base"):
        fa.Chain(SIX, free_base=True).solve([2, 2], method="bezier")
    with pytest.raises(UNSUPPORTED, match="planar chains"):
        fa.Chain(bez.straight(3, 3)).solve([1, 1, 1], method="bezier", mode="paper")
    with pytest.raises(MODEL, match="length 0 m"):
        fa.Chain([[0, 0], [0, 0], [0, 1]])


# -- section III-G: shift until free, then reflect and shift ----------------------------------------

FIRST, SECOND = fa.Sphere([1.5, 3.9], 0.25), fa.Sphere([1.7, 3.5], 0.25)
LINEAR = {"grid": 4101, "steps": 800, "linear": True}


def distance_from(points, ball):
    """The distance of links from a circle, by points along them."""
    along = np.linspace(0.0, 1.0, 400)[:, None]
    links = np.concatenate([a + along * (b - a) for a, b in itertools.pairwise(points)])
    return np.linalg.norm(links - ball.center, axis=1).min() - 0.25


@pytest.mark.parametrize("options", [{}, {"grid": 0}, pytest.param(LINEAR, marks=pytest.mark.compiled)])
def test_p1_is_shifted_until_the_pose_is_free_and_reflected_if_none_is(options):
    chain = fa.Chain(SIX)
    blind = chain.solve([2, 4], method="bezier", mode="paper", **options)
    assert distance_from(blind.points, FIRST) < 0.0
    one = chain.solve([2, 4], method="bezier", mode="paper", obstacles=[FIRST], **options)
    assert one.success
    assert one.height > 0.0  # P1 above the base, only shifted
    assert distance_from(one.points, FIRST) > 0.0
    assert one.clearance == pytest.approx(distance_from(one.points, FIRST), abs=1e-4)
    both = chain.solve([2, 4], method="bezier", mode="paper", obstacles=[FIRST, SECOND], **options)
    assert both.success
    assert both.height < 0.0  # reflected
    assert min(distance_from(both.points, ball) for ball in (FIRST, SECOND)) > 0.0


def test_attempts_stand_in_the_trace_until_one_is_free():
    trace = fa.Chain(SIX).trace([2, 4], method="bezier", obstacles=[FIRST, SECOND], grid=0)
    assert trace.stages[:2] == ("start", "first")
    assert trace.stages[2] == "shifted"
    assert trace.stages[-1] == "reflected"
    assert (trace.clearance[1:-1][trace.distance[1:-1] <= 1e-3] < 0.0).all()
    assert trace.clearance[-1] >= 0.0
    shifts = trace.control[1:, 0]
    assert shifts[0] == 0.0
    assert shifts[1] == pytest.approx(-0.25)  # to the left first, as the text says
    for points, control in zip(trace.points[1:], trace.curve[1:], strict=True):
        np.testing.assert_allclose(control[0], [0.0, 0.0], atol=1e-12)
        np.testing.assert_allclose(control[-1], [2.0, 4.0], atol=1e-12)
        np.testing.assert_allclose(np.linalg.norm(np.diff(points, axis=0), axis=1), 1.0, atol=1e-9)


def test_where_no_attempt_is_free_their_number_and_the_room_are_told():
    ring = [fa.Sphere([2.0 + 0.5 * math.cos(a), 4.0 + 0.5 * math.sin(a)], 0.24) for a in np.linspace(0, 2 * math.pi, 9)]
    pose = fa.Chain(SIX).solve([2, 4], method="bezier", mode="paper", obstacles=ring, grid=0)
    assert pose.status is fa.Status.COLLISION
    assert "none of 42 attempts, P1 shifted and reflected, is free" in pose.explanation
    assert pose.clearance < 0.0


def test_a_trace_takes_options_only_where_it_reads_them():
    with pytest.raises(OPTION, match="of method='bezier' without a start"):
        fa.Chain(SIX).trace([2, 4], obstacles=[FIRST])
