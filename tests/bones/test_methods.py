"""One table of methods behind all calls: an argument that a call cannot honour is refused by its name."""

import numpy as np
import pytest

import forearm as fa
from forearm.bones.methods import METHODS

CHAIN = fa.Chain([[0, 0, 0], [0, 0, 1], [0, 0, 2]])
FLAT = fa.Chain([[0, 0], [0, 1], [0, 2]])
BODY = fa.Skeleton({"spine": (None, [0, 0, 1]), "left": ("spine", [0.5, 0, 1]), "right": ("spine", [-0.5, 0, 1])})
POINT = [0.5, 0.5, 0.5]

CALLS = {
    "chain": lambda **how: CHAIN.solve(POINT, **how),
    "chain batch": lambda **how: CHAIN.solve_batch([POINT], **how),
    "skeleton": lambda **how: BODY.solve({"left": POINT}, **how),
    "skeleton batch": lambda **how: BODY.solve_batch({"left": [POINT]}, **how),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"max_turn": 0.1}, "method 'fabrik' has no option 'max_turn'; method='bezier' has it"),
        ({"max_sweps": 3}, "no option 'max_sweps'; did you mean max_sweeps"),
        (
            {"free_base": True},
            r"free_base is given when a chain or skeleton is made, as in fa.Chain\(..., free_base=...\)",
        ),
        ({"max_sweeps": 1.5}, "max_sweeps is 1.5; it takes a whole number"),
        ({"max_steps": [3]}, r"max_steps is \[3\]"),
        ({"refine": 1}, "refine is 1; it takes True or False"),
        ({"max_swivel": -1.0}, "max_swivel is -1"),
        ({"rng_seed": -1}, "rng_seed is -1"),
        ({"method": "bezzier"}, "method 'bezzier' is unknown"),
        ({"tolerance": -1.0}, "tolerance is -1"),
    ],
)
def test_every_call_refuses_the_same_arguments_by_name(call, how, words):
    with pytest.raises(fa.errors.OptionError, match=words):
        call(**how)


@pytest.mark.parametrize("name", ["skeleton", "skeleton batch"])
@pytest.mark.parametrize("argument", ["clearance", "thickness"])
def test_a_skeleton_refuses_distances_from_nothing(name, argument):
    with pytest.raises(fa.errors.OptionError, match=f"{argument} is 0.1 and there is nothing to keep away from"):
        CALLS[name](**{argument: 0.1})


@pytest.mark.parametrize("name", ["skeleton", "skeleton batch"])
def test_a_skeleton_refuses_curves(name):
    with pytest.raises(fa.errors.UnsupportedError, match="method 'bezier' poses chains"):
        CALLS[name](method="bezier")


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"refine": False}, "method 'bezier' has no option 'refine'; method='fabrik' has it"),
        ({"max_sweeps": 3}, "no option 'max_sweeps'"),
        ({"grid": 100}, "mode='exact' does not read grid; mode='paper' does"),
        ({"mode": "paper", "max_turn": 0.1}, "mode='paper' does not read max_turn; mode='exact' does"),
        ({"mode": "paper", "rng_seed": 3}, "does not read rng_seed"),
        ({"mode": "paper", "pole": [1.0, 0.0]}, "mode='paper' does not read pole"),
        ({"mode": "paper", "start": FLAT.points}, "mode='paper' does not read start"),
    ],
)
@pytest.mark.parametrize("many", [False, True], ids=["one", "batch"])
def test_curves_refuse_what_they_would_drop(how, words, many):
    with pytest.raises(fa.errors.OptionError, match=words):
        FLAT.solve_batch([[1.0, 1.0]], method="bezier", **how) if many else FLAT.solve(
            [1.0, 1.0], method="bezier", **how
        )


def test_both_methods_are_rows_of_the_table():
    assert list(METHODS) == ["fabrik", "bezier"]
    for name, row in METHODS.items():
        assert CHAIN.solve(POINT, method=name).method == row.name == name


def test_a_batch_of_skeletons_takes_a_pole_as_a_single_does():
    pole = [0.0, 1.0, 0.5]
    batch = BODY.solve_batch({"left": [POINT]}, pole=pole, max_swivel=0.2)
    single = BODY.solve({"left": POINT}, pole=pole, max_swivel=0.2)
    np.testing.assert_array_equal(batch.points[0], single.points)


ARM = fa.Chain([[0, 0, 0], [0.3, 0, 0], [0.55, 0, 0], [0.65, 0, 0]])
NEAR = [0.3, 0.3, 0.2]
POSITION = fa.Position(NEAR)
LONG = [[0, 0, 0], [3, 0, 0], [5.5, 0, 0], [6.5, 0, 0]]
AWAY = np.array([[0, 0, 0], [0.3, 0, 0], [0.55, 0, 0], [0.65, 0, 0]]) + 1.0


@pytest.mark.parametrize("many", [False, True], ids=["one", "batch"])
@pytest.mark.parametrize(
    ("target", "how", "words"),
    [
        (POSITION, {"tolerance": 1.0}, "tolerance is for bare points; a Position has its own, as in fa.Position"),
        (np.eye(4), {"tolerance": 1.0}, "tolerance is for bare points; a Pose has its own"),
        (NEAR, {"thickness": 0.5}, "thickness is 0.5 and there is nothing to keep away from; give obstacles="),
        (NEAR, {"clearance": 9.0}, "clearance is 9.0 and there is nothing to keep away from; give obstacles="),
        (NEAR, {"start": LONG}, "start has bone '0' 3 m long; its length is 0.3 m"),
        (NEAR, {"start": AWAY}, "start begins at [1.0, 1.0, 1.0]; the base stands at [0.0, 0.0, 0.0]"),
        (NEAR, {"refine": False, "max_steps": 3}, "refine=False does not read max_steps; refine=True does"),
        (NEAR, {"weights": {"0": 1.0}}, "a chain has no option 'weights', as it has one tip; skeletons take it"),
        (NEAR, {"explain": "no"}, "explain is 'no'; it takes True or False"),
    ],
)
def test_what_a_chain_would_drop_is_refused_by_name(target, how, words, many):
    with pytest.raises(fa.errors.ForearmError) as caught:
        ARM.solve_batch([target], **how) if many else ARM.solve(target, **how)
    assert words in str(caught.value)


def test_a_tolerance_of_a_skeleton_is_for_the_points_among_its_targets():
    own = fa.Position([0.5, 0, 1])
    assert BODY.solve({"left": own, "right": [-0.5, 0.1, 1.0]}, tolerance=0.2).success
    with pytest.raises(fa.errors.OptionError, match="tolerance is for bare points"):
        BODY.solve({"left": own}, tolerance=0.2)


def test_a_trace_refuses_a_tolerance_that_it_would_drop():
    with pytest.raises(fa.errors.OptionError, match="tolerance is for bare points"):
        ARM.trace(POSITION, tolerance=1.0)


def test_a_start_with_few_digits_is_a_start():
    pose = ARM.solve(NEAR)
    assert ARM.solve(NEAR, start=pose.points.round(5)).success
