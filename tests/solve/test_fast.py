"""The call of a control loop: how little Python it takes."""

import sys
from pathlib import Path

import numpy as np
import pytest

import forearm as fa

SOURCE = Path(fa.__file__).parent


def calls_of(work):
    """The functions of forearm outside `core` that a call enters, by name."""
    entered = []

    def note(frame, event, _):
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(SOURCE) and not path.is_relative_to(SOURCE / "core"):
            entered.append(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return entered


@pytest.mark.parametrize("name", ["ur5", "iiwa14", "panda", "scara"])
@pytest.mark.parametrize("near", [False, True])
def test_a_call_in_a_loop_takes_two_python_functions(name, near):
    arm = fa.load(name)
    q = arm.clip(arm.neutral + 0.2)
    T, start = arm.fk(q), (q if near else None)
    arm.solve(T, start)
    assert calls_of(lambda: arm.solve(T, start)) == ["solve", "answer"]


def test_a_start_of_another_layout_goes_the_ordinary_road_to_the_same_bits():
    arm = fa.load("ur5")
    q = arm.clip(arm.neutral + 0.2)
    T = arm.fk(q)
    strided = np.repeat(q + 0.01, 2)[::2]
    assert calls_of(lambda: arm.solve(T, strided))[:2] == ["solve", "add_road"]
    np.testing.assert_array_equal(arm.solve(T, strided).q, arm.solve(T, q + 0.01).q)
