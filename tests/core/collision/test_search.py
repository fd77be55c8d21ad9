"""Kernels of a solve among obstacles as they are called: scratch that the caller lends."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import forearm as fa
from forearm.core.codes import COLLISION, POSE, REPORT, SOLVED
from forearm.core.collision.branches import branches_size, parallel_among, wrist_among
from forearm.core.collision.search import search_size, solve_among
from forearm.scenes.scene import as_scene
from forearm.solve.collision import guard_of
from forearm.solve.methods.layout import changed
from forearm.solve.methods.options import GeneralOptions
from forearm.solve.problem import CLOSED, GENERAL, NO_START
from forearm.targets.target import default_terms

KERNELS = {
    "ur5": (parallel_among, branches_size, CLOSED),
    "irb140": (wrist_among, branches_size, CLOSED),
    "panda": (solve_among, search_size, GENERAL),
}


@cache
def bodied(name):
    """An arm with capsules along its skeleton."""
    return fa.load(name).with_geometry(radius=0.04)


def asked(name, fill, radius):
    """What a kernel writes for a pose beside a ball, with scratch full of one number."""
    kernel, size, method = KERNELS[name]
    arm = bodied(name)
    tables, q = arm._prepared, np.clip(np.linspace(0.3, -0.9, arm.n), *arm.limits)
    T = arm.fk(q)
    ball = as_scene(fa.Sphere(T[:3, 3] + [0.1, 0.1, 0.25], radius))
    guard = replace(guard_of(tables, ball, 0.01, True), sure=False)
    problem, table = tables.of(method, POSE)
    if method is GENERAL:  # few tries are enough here
        problem = changed(problem, GeneralOptions(max_tries=6).pack(0.0), default_terms(), arm.limits)
    q_out, report = np.zeros(arm.n), np.zeros(REPORT)
    work = np.full(size(arm.model.m, arm.n, len(guard.geometry.bodies)), fill)
    world = guard.arrays(POSE, arm.limits)
    code = kernel(problem, table, *world, T, NO_START, work, q_out, report)
    return code, q_out, report


@pytest.mark.parametrize("radius", [0.05, 0.24])
@pytest.mark.parametrize("name", KERNELS)
def test_no_number_of_the_scratch_is_read_before_it_is_written(name, radius):
    clean, dirty = asked(name, 0.0, radius), asked(name, np.nan, radius)
    assert clean[0] == dirty[0]
    assert clean[0] in (SOLVED, COLLISION)
    assert np.array_equal(clean[1], dirty[1])
    assert np.array_equal(clean[2], dirty[2])
