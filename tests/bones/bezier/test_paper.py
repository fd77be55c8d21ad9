"""The published search as a mode, and what the method refuses."""

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
