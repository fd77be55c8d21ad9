"""The kernels of a solve among obstacles, timed without Python: each scene is solved many times in one call.

For that Numba must compile them, FOREARM_KERNELS=jit; kernels that arrived compiled can only be called from Python.
"""

import time

import numpy as np

from forearm.core.codes import POSE, REPORT
from forearm.core.collision.branches import branches_size, parallel_among
from forearm.core.collision.search import search_size, solve_among
from forearm.solve.collision import guard_of
from forearm.solve.methods.layout import changed
from forearm.solve.methods.options import GeneralOptions
from forearm.solve.methods.table import METHODS
from forearm.solve.problem import COMPLETE, NO_START
from forearm.targets.target import default_terms
from loops import njit

CAN_REPEAT = hasattr(solve_among, "py_func")
REPEATS, LOOKS = 10, 3  # the least of some looks is free of what else the machine does


@njit
def repeat_form(times, problem, form, bodies, pairs, obstacles, sure, search, goal, q0, work, q, report):
    """The kernel of the closed form of the UR arms, again and again."""
    for _ in range(times):
        parallel_among(problem, form, bodies, pairs, obstacles, sure, search, goal, q0, work, q, report)


@njit
def repeat_search(times, problem, table, bodies, pairs, obstacles, sure, search, goal, q0, work, q, report):
    """The search's kernel, again and again."""
    for _ in range(times):
        solve_among(problem, table, bodies, pairs, obstacles, sure, search, goal, q0, work, q, report)


def kernel_times(robot, drawn, clearance, tries):
    """(N,) microseconds of the kernel that a solve takes, for targets and scenes."""
    prepared = robot._prepared
    limits, q, report = prepared.model.limits, np.empty(robot.n), np.empty(REPORT)
    if prepared.structure.kind in COMPLETE:
        size, repeat, (problem, table) = branches_size, repeat_form, prepared.of(METHODS["closed-form"], POSE)
    else:
        size, repeat, (problem, table, *_) = search_size, repeat_search, prepared.of(METHODS["general"], POSE)
        problem = changed(problem, GeneralOptions(max_tries=tries).pack(0.0), default_terms(), limits)
    times, work = np.empty(len(drawn)), np.empty(size(prepared.model.m, robot.n, len(prepared.geometry.bodies)))
    for i, (T, scene) in enumerate(drawn):
        arrays = guard_of(prepared, scene, clearance, True).arrays(POSE, limits)
        call = (problem, table, *arrays, T, NO_START, work, q, report)
        repeat(1, *call)  # compiles, and warms the caches
        times[i] = min(timed(repeat, call) for _ in range(LOOKS))
    return times


def timed(repeat, call):
    """Microseconds of one solve among `REPEATS`."""
    begin = time.perf_counter()
    repeat(REPEATS, *call)
    return 1e6 / REPEATS * (time.perf_counter() - begin)
