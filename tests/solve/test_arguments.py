"""Every argument of a call is honoured, or refused with its name."""

import inspect

import numpy as np
import pytest

import forearm as fa
from forearm.errors import OptionError
from forearm.solve.arguments import TAKES

IIWA = fa.load("iiwa14")
Q = np.array([0.3, 0.5, -0.4, -1.2, 0.6, 0.8, -0.2])
T = IIWA.fk(Q)
PSI = IIWA.swivel(Q)
FAR = Q + 0.05
CALLS = {
    "solve": lambda **how: IIWA.solve(T, Q, **how),
    "solve_batch": lambda **how: IIWA.solve_batch(T[None], Q, **how),
    "solve_all": lambda **how: IIWA.solve_all(T, Q, **how),
    "track": lambda **how: IIWA.track(T[None], Q, **how),
    "servo": lambda **how: IIWA.servo(Q, **how),
}


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"method": "nonsense"}, "method 'nonsense' is unknown"),
        ({"method": "dls"}, "method 'dls' does not go with swivel; use method='auto'"),
        ({"bogus": 3}, "option 'bogus' does not go with swivel"),
        ({"max_tries": 3}, "option 'max_tries' does not go with swivel"),
        ({"rest": [1, 2]}, "rest does not go with swivel"),
        ({"rest": Q}, "rest does not go with swivel"),
        ({"timeout": 1.0}, "timeout does not go with swivel"),
        ({"max_joint_step": -1.0}, "max_joint_step is -1.0; it takes a positive number"),
        ({"swivel": "left"}, "swivel is 'left', not a number"),
    ],
)
def test_what_does_not_go_with_a_swivel_angle_is_refused_by_name(how, words):
    with pytest.raises(OptionError) as caught:
        IIWA.solve(T, Q, **{"swivel": PSI} | how)
    assert words in str(caught.value)


@pytest.mark.parametrize("step", [1e-3, 0.02, 0.2])
@pytest.mark.parametrize("psi", [PSI, PSI + 0.05, PSI + 0.4])
def test_a_step_is_a_hard_bound_with_a_swivel_angle_too(step, psi):
    near, free = IIWA.solve(T, FAR, swivel=psi, max_joint_step=step), IIWA.solve(T, FAR, swivel=psi)
    assert free.success
    assert near.success == (np.abs(free.q - FAR).max() <= step)
    assert np.abs(near.q - FAR).max() <= step + 1e-12
    if near.success:
        np.testing.assert_array_equal(near.q, free.q)
    else:
        assert "within max_joint_step of q0" in near.reason


def test_a_step_with_a_swivel_angle_needs_a_start():
    with pytest.raises(OptionError, match="give q0 too"):
        IIWA.solve(T, swivel=PSI, max_joint_step=0.1)


def test_a_missed_swivel_angle_is_not_explained_where_that_was_asked():
    missed = IIWA.solve(T, Q, swivel=PSI + 0.4, max_joint_step=1e-3, explain=False)
    assert not missed.success
    assert missed.reason == "not explained (explain=False)"


@pytest.mark.parametrize("call", CALLS)
def test_an_argument_of_another_call_is_refused_by_name_with_what_is_taken(call):
    others = {name for names in TAKES.values() for name in names} - set(TAKES[call])
    assert others
    for name in others:
        with pytest.raises(OptionError) as caught:
            CALLS[call](**{name: 1})
        assert str(caught.value).startswith(f"{call} takes no {name}")
        assert f"it takes: {', '.join(TAKES[call])}" in str(caught.value)


@pytest.mark.parametrize("call", CALLS)
def test_the_table_has_the_arguments_of_each_signature(call):
    parameters = inspect.signature(getattr(fa.Robot, call)).parameters.values()
    named = [p.name for p in parameters if p.kind is not p.VAR_KEYWORD]
    assert set(TAKES[call]) == set(named) - {"self", "target", "targets"}


@pytest.mark.parametrize(
    ("call", "name", "words"),
    [
        ("solve_batch", "swivel", "solve_batch takes no swivel (solve takes one, target by target)"),
        ("solve_batch", "swivle", "method 'auto' has no option 'swivle'"),
        ("track", "rest", "track takes no rest"),
        ("track", "clearence", "track takes no clearence; did you mean clearance?"),
        ("track", "max_tries", "track takes no max_tries"),
        ("solve_all", "sample", "solve_all takes no sample; did you mean samples?"),
    ],
)
def test_a_refusal_proposes_only_what_the_call_takes(call, name, words):
    with pytest.raises(OptionError) as caught:
        CALLS[call](**{name: 1})
    assert words in str(caught.value)
    assert "did you mean swivel" not in str(caught.value)


@pytest.mark.parametrize("how", [{"timeout": 0.0}, {"timeout": -1}, {"timeout": "soon"}, {"rest": [1.0, 2.0]}])
def test_wrong_values_are_refused_even_where_the_closed_form_would_not_read_them(how):
    with pytest.raises(OptionError, match=next(iter(how))):
        IIWA.solve(T, **how)


def test_the_general_solver_is_honoured_among_obstacles():
    arm, scene = fa.load("ur5"), [fa.Sphere([2.0, 2.0, 2.0], 0.1)]
    goal = arm.fk(arm.sample(1, rng_seed=3)[0])
    single = arm.solve(goal, method="general", obstacles=scene)
    batch = arm.solve_batch(goal[None], method="general", obstacles=scene)
    assert single.method == "general"
    np.testing.assert_array_equal(batch[0].q, single.q)


UR5, GEN3 = fa.load("ur5"), fa.load("gen3")
Q6 = np.array([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
T6 = UR5.fk(Q6)
SCENE = [fa.Sphere([5.0, 5.0, 5.0], 0.1)]


@pytest.mark.parametrize(
    ("arm", "target", "how", "words"),
    [
        (UR5, T6, {"method": "fabrik-r", "refine": False, "sweeps": 7}, "refine=0 does not read sweeps; refine=1 does"),
        (UR5, T6, {"method": "fabrik-r", "refine": 0, "max_tries": 7}, "refine=0 does not read max_tries"),
        (UR5, T6, {"method": "fabrik-r", "refine": 0, "skip_tries": 7}, "refine=0 does not read skip_tries"),
        (UR5, T6, {"method": "fabrik-r", "max_iterations": 7}, "refine=1 does not read max_iterations; refine=0 does"),
        (
            UR5,
            T6,
            {"method": "combined", "refiner": "none", "max_iterations": 3},
            "refiner='none' does not read",
        ),
        (UR5, T6, {"method": "combined", "elbow": "fabrik"}, "option elbow is for arms with spherical shoulder and"),
        (UR5, fa.Position(T6[:3, 3]), {"norm": 1}, "option norm is for closed forms, and 'general' answers this call"),
        (GEN3, GEN3.fk(GEN3.neutral), {"norm": 1}, "option norm is for closed forms"),
        (UR5, fa.Position(T6[:3, 3]), {"method": "dls", "rotation_weight": 1.0}, "option rotation_weight weighs rotat"),
        (UR5, T6, {"explain": "no"}, "explain is 'no'; it takes True or False"),
        (UR5, T6, {"explain": 0}, "explain is 0; it takes True or False"),
    ],
)
@pytest.mark.parametrize("many", [False, True], ids=["one", "batch"])
def test_what_would_have_no_effect_is_refused_by_name(arm, target, how, words, many):
    with pytest.raises(OptionError) as caught:
        arm.solve_batch([target], **how) if many else arm.solve(target, **how)
    assert words in str(caught.value)


def test_a_timeout_does_not_go_with_sweeps_alone():
    with pytest.raises(OptionError, match="timeout does not go with refine=0"):
        UR5.solve(T6, method="fabrik-r", refine=False, timeout=1.0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: UR5.track([T6, T6], Q6, insert=0), "insert is 0; it takes True or False"),
        (lambda: UR5.track([T6, T6], Q6, closed="yes"), "closed is 'yes'; it takes True or False"),
        (lambda: UR5.solve_all(T6, windings=1), "windings is 1; it takes True or False"),
        (lambda: UR5.trace(T6, limits=1), "trace takes no limits; there are: method, q0, sweeps"),
        (lambda: UR5.trace(T6, sweps=1), "trace takes no sweps; did you mean sweeps"),
    ],
)
def test_switches_and_names_of_the_other_calls_are_looked_at_too(call, words):
    with pytest.raises(OptionError) as caught:
        call()
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"norm": 1}, "option norm does not go with obstacles; there are: max_iterations, max_tries, rng_seed, skip"),
        ({"method": "fabrik-r", "sweeps": 3}, "option sweeps does not go with obstacles"),
        ({"method": "combined", "n_l": 3}, "option n_l does not go with obstacles"),
        ({"swips": 3}, "method 'auto' has no option 'swips'"),
    ],
)
def test_an_option_that_obstacles_rule_out_is_told_so_and_only_what_works_is_offered(how, words):
    with pytest.raises(OptionError) as caught:
        UR5.solve(T6, obstacles=SCENE, **how)
    assert words in str(caught.value)
    for refused in ("swivel", "timeout", "rest"):
        assert refused not in str(caught.value)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"method": "closed-form", "skip_tries": 1}, "method 'closed-form' has no option 'skip_tries'"),
        ({"swivel": 0.1, "rng_seed": 1}, "option 'rng_seed' does not go with swivel"),
    ],
)
def test_what_a_refusal_offers_is_taken(how, words):
    with pytest.raises(OptionError) as caught:
        IIWA.solve(T, Q, **how)
    assert words in str(caught.value)
    for refused in ("timeout", "rest", "obstacles") if "swivel" in how else ("timeout", "obstacles"):
        assert refused not in str(caught.value)


def test_every_joint_may_have_a_step_of_its_own():
    steps = np.array([0.3, 0.2, 0.1, 0.3, 0.2, 0.1, 0.05])
    for found in (IIWA.solve(T, Q + 0.04, max_joint_step=steps), IIWA.solve(IIWA.fk(Q + 0.5), Q, max_joint_step=steps)):
        start = Q + 0.04 if found.success else Q
        assert (np.abs(found.q - start) <= steps + 1e-12).all()
    assert IIWA.solve(T, Q + 0.04, max_joint_step=steps).success
    many = IIWA.solve_batch(np.stack([T, IIWA.fk(Q + 0.5)]), Q, max_joint_step=steps)
    assert (np.abs(many.q - Q) <= steps + 1e-12).all()
    for wrong in ([0.1, 0.2], [-0.1] * 7, np.ones((7, 1))):
        with pytest.raises(OptionError, match="max_joint_step"):
            IIWA.solve(T, Q, max_joint_step=wrong)


@pytest.mark.parametrize("call", ["solve", "solve_batch", "solve_all", "track"])
@pytest.mark.parametrize("name", ["tol", "tolerance"])
def test_a_tolerance_is_sent_to_the_target(call, name):
    with pytest.raises(OptionError, match=r"tolerances belong to the target: fa.Pose\(T, tol=1e-3\)"):
        CALLS[call](**{name: 1e-3})


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: IIWA.solve(T.T), "pose is transposed: its last row is"),
        (lambda: IIWA.solve(T.T), "give T.T"),
        (lambda: IIWA.solve(np.eye(3)), "for a rotation alone give fa.Orientation(R)"),
        (lambda: IIWA.solve(T[:3]), "add the last row"),
        (lambda: IIWA.solve(T.ravel()), ".reshape(4, 4)"),
        (lambda: IIWA.solve([1, 0, 0, 0]), "for a quaternion alone give fa.Orientation(quat_wxyz=q)"),
        (lambda: fa.Pose([0.4, 0, 0.3, 1, 0, 0, 0]), "fa.Pose(p, quat_wxyz=q)"),
        (lambda: IIWA.with_tool([0, 0, 0.1]), "fa.Pose(p, rpy=[0, 0, 0]).goal"),
        (lambda: IIWA.solve(np.stack([T, T])), "for several poses call solve_batch"),
        (lambda: IIWA.solve({"xyz": [0.4, 0, 0.3]}), "write fa.Position(p)"),
        (lambda: IIWA.solve(T, q0=IIWA.solve(T)), "q0 is a Solution; give its joint values, which are its .q"),
        (lambda: IIWA.solve(T, q_init=Q), "has no option 'q_init'; the start is q0"),
        (lambda: IIWA.solve(T, seed=Q), "the start is q0, and the seed of random starts is rng_seed"),
    ],
)
def test_mistakes_of_the_first_hour_say_what_to_do(call, words):
    with pytest.raises(fa.ForearmError) as caught:
        call()
    assert words in str(caught.value)
