"""The tables of a robot: made once, also for the tool of a call."""

import numpy as np
import pytest

import forearm as fa
from forearm.arm import tables
from forearm.errors import ModelError
from forearm.solve.methods.table import METHODS


def tool_at(x):
    """A tool some way along z and x."""
    tool = np.eye(4)
    tool[:3, 3] = x, 0.0, 0.1
    return tool


@pytest.fixture
def made(monkeypatch):
    """Every `Prepared` that is made from here on."""
    found, plain = [], tables.Prepared.__init__

    def init(self, model):
        found.append(model)
        plain(self, model)

    monkeypatch.setattr(tables.Prepared, "__init__", init)
    return found


@pytest.mark.parametrize("how", [{}, {"q0": True}, {"limits": True}, {"self_collision": True}])
def test_the_tool_of_a_call_makes_tables_once(made, how):
    arm = fa.load("ur5")
    q = arm.sample(1, rng_seed=4)[0]
    goal, tool = arm.fk(q) @ tool_at(0.02), tool_at(0.02)
    how = {name: {"q0": q, "limits": arm.limits}.get(name, value) for name, value in how.items()}
    first = arm.solve(goal, tool=tool, **how)
    count = len(made)
    again = arm.solve(goal, tool=tool.copy(), **how)
    arm.solve_batch(goal[None], tool=tool.tolist())
    arm.solve_all(goal, tool=tool)
    arm.track(goal[None], tool=tool)
    assert len(made) == count
    np.testing.assert_array_equal(again.q, first.q)


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["ur5", "panda"])
def test_the_tool_of_a_call_gives_the_bits_of_a_robot_with_that_tool(name):
    arm = fa.load(name)
    for k, q in enumerate(arm.sample(6, rng_seed=5)):
        tool = tool_at(0.01 * (k % 2))
        goal, held = arm.fk(q) @ tool, arm.with_tool(tool)
        np.testing.assert_array_equal(arm.solve(goal, tool=tool).q, held.solve(goal).q)
        start = arm.clip(q + 0.02)
        for method in ("general", "dls"):
            single = arm.solve(goal, start, tool=tool, method=method)
            np.testing.assert_array_equal(single.q, held.solve(goal, start, method=method).q)


def test_only_the_last_tool_is_kept(made):
    arm = fa.load("ur5")
    one, two = arm._prepared.with_tool(tool_at(0.0)), arm._prepared.with_tool(tool_at(0.1))
    assert arm._prepared.with_tool(tool_at(0.1)) is two
    assert arm._prepared.with_tool(tool_at(0.0)) is not one
    with pytest.raises(ModelError, match="tool is not a rigid transform"):
        arm._prepared.with_tool(np.ones((4, 4)))


def test_methods_that_prepare_alike_share_their_tables():
    arm = fa.load("ur5")._prepared
    assert arm.of(METHODS["auto"], 0) is arm.of(METHODS["general"], 0)
