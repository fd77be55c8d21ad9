"""The combined algorithm (Xu et al., "A Combined Inverse Kinematics Algorithm Using FABRIK with Optimization").

The target's frame fixes the wrist, which leaves two links (`core/combined/reduce.py`). FABRIK sweeps them
from a straight start (`core/combined/fabrik.py`): fast at first, a crawl where the links must end almost
straight or almost folded. So after `n_l` sweeps SQP takes over from where they stand (`core/combined/sqp.py`). All
joint values then follow analytically, every sign branch of them (`core/combined/complete.py`); those
outside target or limits by forward kinematics are dropped, the nearest to q0 is taken
(`core/combined/choice.py`).

Poses, for arms that reduce to two links (`solve/methods/combined_tables.py`). Unlike the paper's, limits hold for
all joints: where a ball-shouldered arm has no branch inside them, its elbow swivels about the line
from shoulder to wrist until one is (`core/closed_form/forms/srs_nearest.py`); near a q0 the caller gave it also stays
at that one's swivel, unless the paper's own is asked for.
"""

import math

import numpy as np

from forearm.core.arm.goal import begin
from forearm.core.codes import NOT_CONVERGED, SOLVED
from forearm.core.combined.choice import aim, complete
from forearm.core.combined.codes import (
    BALL,
    DIST,
    ELBOW,
    FIRST,
    FORM,
    MAX_ITERATIONS,
    MAX_PROBLEMS,
    N_L,
    NONE,
    OF_START,
    PROBLEM_COLUMNS,
    REACHABLE,
    REFINER,
    SCRATCH,
    SEED,
    STEPS,
    TARGET,
)
from forearm.core.combined.complete import shoulder_rotation, write_ball_angles, write_points
from forearm.core.combined.fabrik import FENCE_COLUMNS
from forearm.core.combined.reduce import inside_range, sweep_problem, write_problems, write_ranges
from forearm.core.combined.sqp import refine, workspace_size
from forearm.core.jit import kernel, leaf
from forearm.core.maths.limits import copy, wrap_near

STARTS = 32  # of the refiner: 16 were enough for all of some thousand reachable problems from random seeds
# Where no branch is inside the limits, problems that arrived are refined to this [m]: a target of joints at
# their limits has an answer there, and beside it, within the tolerance of the target, there may be none.
FINE = 1e-11


@kernel
def solve_combined(
    links, joints, limits, goal, kind, terms, q0, settings, lines, back, facts, two_links, two_joints, q_out, report_out
):
    """Writes the nearest joint values that meet the goal, or the best found, and returns a status code."""
    fault = begin(limits, goal, q0, q_out)
    if fault != SOLVED:
        return fault
    problems, start = np.zeros((MAX_PROBLEMS, PROBLEM_COLUMNS)), q_out.copy()
    count = reduce_and_sweep(limits, goal, terms, start, settings, lines, back, facts, problems)
    code = NOT_CONVERGED
    for finer in range(2):
        if settings[REFINER] != NONE:
            tolerance = FINE if finer == 1 else aim(terms)
            refine_problems(limits, settings, lines, facts, two_links, two_joints, tolerance, count, problems)
        copy(start, q_out)
        near = q0.shape[0] > 0 and settings[ELBOW] == OF_START
        code = complete(
            links, joints, limits, goal, kind, terms, settings, lines, back, facts, near, count, problems, q_out,
            report_out,
        )  # fmt: skip
        if code == SOLVED or not near_limits(terms, settings, facts, count, problems):
            break
    return code


@leaf
def near_limits(terms, settings, facts, count, problems):
    """Whether a finer answer may be inside the limits: one that arrived is not, for all that could be tried."""
    if settings[REFINER] == NONE or facts[FORM] == BALL:  # an elbow that swivels is answered exactly
        return False
    for p in range(count):
        if FINE < problems[p, DIST] <= aim(terms):
            return True
    return False


@kernel
def reduce_and_sweep(limits, goal, terms, start, settings, lines, back, facts, problems_out):
    """Writes the two-link problems of a goal, each after its sweeps; how many there are."""
    fences = np.empty((2, FENCE_COLUMNS))
    write_ranges(facts, limits, fences)
    count = write_problems(lines, back, facts, goal, start, problems_out)
    tolerance = aim(terms)
    for p in range(count):
        sweep_problem(lines, facts, limits, tolerance, int(settings[N_L]), fences, problems_out[p])
        if facts[FORM] == BALL and problems_out[p, DIST] > tolerance:
            write_ball_seeds(lines, facts, limits, start, problems_out[p])
    return count


@leaf
def write_ball_seeds(lines, facts, limits, start, row):
    """Writes the values of joints 1 to 4 at the links' points, of the branch that limits disturb least."""
    least = math.inf
    q = row[SCRATCH : SCRATCH + 7]
    for branch in range(4):
        W, q4 = shoulder_rotation(lines, facts, row, 1.0 if branch % 2 == 0 else -1.0)
        q[3] = q4
        if not write_ball_angles(lines, 0, W, branch // 2, start, q):
            continue
        moved = 0.0
        for k in range(4):
            moved += abs(wrap_near(inside_range(limits, k, q[k]) - q[k], 0.0))
        if moved < least:
            least = moved
            for k in range(4):
                row[SEED + k] = inside_range(limits, k, q[k])


@kernel
def refine_problems(limits, settings, lines, facts, two_links, two_joints, tolerance, count, problems):
    """Refines in place each problem whose dist is above the tolerance [m]."""
    first, n = int(facts[FIRST]), two_joints.shape[0]
    bounds, q = np.ascontiguousarray(limits[:, first : first + n]), np.empty(n)
    work = np.empty(workspace_size(n, n))
    for p in range(count):
        row = problems[p]
        if row[DIST] <= tolerance or row[REACHABLE] == 0.0:
            continue
        q[:] = row[SEED : SEED + n]
        point = row[TARGET : TARGET + 3]
        f, steps = refine(
            two_links, two_joints, bounds, point, tolerance**2, int(settings[MAX_ITERATIONS]), STARTS, q, work
        )
        take_refined(lines, facts, q, f, steps, row)


@leaf
def take_refined(lines, facts, q, f, steps, row):
    """Writes a refiner's answer, its objective [m^2] and its steps into a problem."""
    row[DIST] = math.sqrt(f)
    row[STEPS] += steps
    copy(q, row[SEED : SEED + 4])
    if facts[FORM] == BALL:
        write_points(lines, facts, row)
