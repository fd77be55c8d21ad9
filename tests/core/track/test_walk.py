"""Walks as their kernel takes them: scratch that the caller lends, and buffers that are too small for the path."""

from functools import cache

import numpy as np
import pytest

import forearm as fa
from forearm.common.defaults import HALFWAY
from forearm.core.track.start import FELT, PLACE, PUSHED, TOWARD, VECTORS
from forearm.core.track.walk import ARRIVED, FULL, follow
from forearm.scenes.scene import as_scene
from forearm.solve.collision import guard_of
from forearm.tracking.path import as_path
from forearm.tracking.walk import PathProblem

Q0 = np.array([0.1, 0.4, -0.2, -1.6, 0.1, 1.9, 0.3])


@cache
def make_problem(guarded):
    """Six way-points along a line of the tip of a Panda."""
    arm = fa.load("panda").with_geometry(radius=0.04)
    poses = np.repeat(arm.fk(Q0)[None], 6, axis=0)
    poses[:, 0, 3] += np.linspace(0.0, 0.05, 6)
    ball = as_scene(fa.Sphere(poses[-1, :3, 3] + [0.0, 0.2, 0.1], 0.05))
    guard = guard_of(arm._prepared, ball, 0.01, True) if guarded else None
    return PathProblem(arm._prepared, arm.limits, as_path(poses), 0.2, HALFWAY, guard=guard)


def walked(problem, mode, fill, room=64):
    """What a walk writes into buffers of so many points, with scratch full of one number; and how it ended."""
    n = len(Q0)
    node, work = problem.node(Q0), np.full_like(problem.scratch(), fill)
    q, s, plan = np.zeros((room, n)), np.zeros(room), problem.plan(mode, 0.5, 0.1, 0.2)
    rest, unused = np.zeros(n), np.empty((0, n))
    count, end = follow(*problem.arguments(), plan, rest, unused, float(problem.last), node, work, q, s)
    return q[:count], s[:count], node, end


@pytest.mark.parametrize("guarded", [False, True])
@pytest.mark.parametrize("mode", [FELT, TOWARD, PUSHED])
def test_no_number_of_the_scratch_is_read_before_it_is_written(mode, guarded):
    problem = make_problem(guarded)
    clean, dirty = walked(problem, mode, 0.0), walked(problem, mode, np.nan)
    assert clean[3] == dirty[3] == ARRIVED
    assert all(np.array_equal(a, b) for a, b in zip(clean[:3], dirty[:3], strict=True))


def test_a_walk_that_fills_its_buffers_stands_where_they_end():
    problem = make_problem(False)
    q, s, node, end = walked(problem, FELT, 0.0, room=3)
    assert end == FULL
    assert node[VECTORS * len(Q0) + PLACE] == s[-1] == 3.0
    assert np.array_equal(node[: len(Q0)], q[-1])
    assert np.array_equal(q, walked(problem, FELT, 0.0)[0][:3])
