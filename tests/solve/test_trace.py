"""The trace of FABRIK-R: what the paper's figures show."""

import numpy as np
import pytest

import forearm as fa
from forearm.errors import OptionError, UnsupportedError

ARM = fa.load("fabrik-r-10dof")
START = np.array([0.0, -np.pi / 2, *[0.0] * 8])
TARGET = fa.Position([0.25, 0.3, 0.35], tol=1e-6)


def test_stages_alternate_and_end_where_the_tip_arrives():
    trace = ARM.trace(TARGET, START)
    assert trace.stages[0] == "start"
    assert set(trace.stages[1::2]) == {"forward"}
    assert set(trace.stages[2::2]) == {"backward"}
    assert trace.distance[-1] <= 1e-6 < trace.distance[-3]
    assert len(trace) == len(trace.points) == len(trace.distance)


def test_forward_stages_hold_the_tip_and_backward_stages_the_base():
    trace = ARM.trace(TARGET, START)
    np.testing.assert_allclose(trace.points[1::2, -1], np.tile(TARGET.goal[:3, 3], (len(trace) // 2, 1)), atol=1e-12)
    np.testing.assert_array_equal(trace.points[::2, 0], np.tile(trace.points[0, 0], (len(trace) // 2 + 1, 1)))
    assert trace.distance[1::2].max() < 1e-12


def test_lengths_between_points_never_change():
    trace = ARM.trace(TARGET, START)
    lengths = np.linalg.norm(np.diff(trace.points[:, 1:], axis=1), axis=2)
    np.testing.assert_allclose(lengths, np.tile(lengths[0], (len(trace), 1)), atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(trace.normals, axis=2), 1.0, atol=1e-12)


def test_the_last_backward_stage_is_the_solution_of_the_plain_method():
    trace = ARM.trace(TARGET, START)
    solved = ARM.solve(TARGET, START, method="fabrik-r", refine=False)
    np.testing.assert_array_equal(trace.q, solved.q)
    assert solved.iterations == len(trace) // 2
    np.testing.assert_allclose(ARM.fk(trace.q)[:3, 3], trace.points[-1, -1], atol=1e-12)


def test_a_budget_of_sweeps_is_kept():
    assert len(ARM.trace(TARGET, START, sweeps=3)) == 7


BASELINES = {"ccd": {}, "dls": {"restarts": 0}, "jacobian-transpose": {}}
UR5 = fa.load("ur5")
POSE = UR5.fk([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])


@pytest.mark.compiled
@pytest.mark.parametrize("target", [POSE, fa.Position([0.4, 0.2, 0.3])], ids=["pose", "position"])
@pytest.mark.parametrize("name", BASELINES)
def test_the_steps_of_a_baseline_are_those_of_its_solve(name, target):
    near = [0.5, -1.0, 1.2, -0.2, 0.8, 0.0]
    trace = UR5.trace(target, near, method=name, sweeps=40)
    solved = UR5.solve(target, near, method=name, max_iterations=40, explain=False, **BASELINES[name])
    np.testing.assert_array_equal(trace.q, solved.q)
    assert len(trace) - 1 == solved.iterations
    assert trace.distance[0] == pytest.approx(np.linalg.norm(UR5.fk(near)[:3, 3] - trace.goals[0]))
    np.testing.assert_allclose(trace.points[-1, -1], UR5.fk(trace.q)[:3, 3], atol=1e-12)
    assert trace.distance[-1] < trace.distance[0]


def test_a_baseline_that_starts_at_the_target_takes_no_step():
    assert UR5.trace(POSE, [0.3, -1.2, 1.5, -0.4, 1.0, 0.2], method="dls").stages == ("start",)


@pytest.mark.parametrize("name", ["fabrik-r", "ccd", "dls", "jacobian-transpose"])
def test_a_trace_prints_itself_in_ten_lines(name):
    lines = repr(ARM.trace(TARGET, START, method=name, sweeps=50)).splitlines()
    assert len(lines) <= 10
    assert max(map(len, lines)) <= 140
    assert lines[0].startswith(f"Trace({name}, ")
    assert lines[1].split()[:2] == ["0", "start"]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: ARM.trace(TARGET, method="general"),
            UnsupportedError,
            "'general' has no trace; these have: fabrik-r, combined, ccd, dls, jacobian-transpose",
        ),
        (lambda: ARM.trace(TARGET, sweeps=0), OptionError, "sweeps is 0; it takes a whole number from 1"),
        (lambda: ARM.trace(fa.Orientation(np.eye(3)), method="dls"), UnsupportedError, "this target has none"),
        (lambda: ARM.trace(fa.Orientation(np.eye(3))), UnsupportedError, "does not support Orientation targets"),
    ],
)
def test_what_cannot_be_traced_is_refused(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)
