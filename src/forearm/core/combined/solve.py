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
at that one's swivel, unless the paper's own is asked for. `mode="paper"` is the published algorithm: its refiner runs
once, from the first signs, and neither another elbow side nor another swivel is offered.
"""

import math

from forearm.core.arm.goal import begin
from forearm.core.arm.problem import open_problem
from forearm.core.codes import NOT_CONVERGED, SOLVED
from forearm.core.combined.choice import aim, complete
from forearm.core.combined.codes import (
    BALL,
    DIST,
    ELBOW,
    FORM,
    MODE,
    N_L,
    NONE,
    OF_START,
    PAPER,
    REACHABLE,
    REFINER,
    SCRATCH,
    SEED,
    STEPS,
    TARGET,
)
from forearm.core.combined.complete import shoulder_rotation, write_ball_angles, write_points
from forearm.core.combined.reduce import inside_range, sweep_problem, write_problems, write_ranges
from forearm.core.combined.scratch import open_desk, open_reduction
from forearm.core.combined.sqp import refine
from forearm.core.jit import leaf, lean, shared
from forearm.core.maths.limits import copy, wrap_near

STARTS = 32  # of the refiner: 16 were enough for all of some thousand reachable problems from random seeds
# Where no branch is inside the limits, problems that arrived are refined to this [m]: a target of joints at
# their limits has an answer there, and beside it, within the tolerance of the target, there may be none.
FINE = 1e-11


@lean
def solve_combined(problem, table, pose, q0, work, q_out, report_out):
    """Writes the nearest joint values that meet the goal, or the best found, and returns a status code.

    `table` is the reduction, flat; `work` has `combined_size(m, n)` numbers.
    """
    count = reduce_and_sweep(problem, table, pose, q0, work, q_out)
    if count < 0:
        return count
    code = NOT_CONVERGED
    for finer in range(2):
        refine_problems(problem, table, pose, FINE if finer == 1 else 0.0, count, work, q_out)
        code = choose(problem, table, pose, q0, count, work, q_out, report_out)
        if code == SOLVED or not is_near_limits(problem, table, pose, count, work, q_out):
            break
    return code


@lean
def reduce_and_sweep(problem, table, pose, q0, work, q_out):
    """Writes the two-link problems of a goal into the scratch, each after its sweeps; how many, or a fault's code."""
    asked, reduction = open_problem(problem, pose, q_out.shape[0]), open_reduction(table)
    limits = asked.robot.limits
    fault = begin(limits, pose, q0, q_out)
    if fault != SOLVED:
        return fault
    lines, facts, desk = reduction.lines, reduction.facts, open_desk(reduction, limits, work)
    problems, start, tolerance = desk.problems, desk.start, aim(asked.goal.terms)
    problems[:, :] = 0.0
    copy(q_out, start)
    write_ranges(facts, limits, desk.fences)
    count = write_problems(reduction, limits, pose, start, problems)
    for p in range(1 if facts[FORM] == BALL else count):
        sweep_problem(reduction, limits, tolerance, int(asked.settings[N_L]), desk.fences, problems[p])
        if facts[FORM] == BALL and problems[p, DIST] > tolerance:
            write_ball_seeds(lines, facts, limits, start, asked.settings[MODE] == PAPER, problems[p])
    return count


@lean
def choose(problem, table, pose, q0, count, work, q_out, report_out):
    """Writes the best answer of the problems in the scratch; returns a status code."""
    asked, reduction = open_problem(problem, pose, q_out.shape[0]), open_reduction(table)
    desk = open_desk(reduction, asked.robot.limits, work)
    near = q0.shape[0] > 0 and asked.settings[ELBOW] == OF_START and asked.settings[MODE] != PAPER
    return complete(asked, reduction, desk, None, near, count, q_out, report_out)


@lean
def is_near_limits(problem, table, pose, count, work, q):
    """Whether a finer answer may be inside the limits: one that arrived is not, for all that could be tried."""
    asked, reduction = open_problem(problem, pose, q.shape[0]), open_reduction(table)
    once = asked.settings[REFINER] == NONE or asked.settings[MODE] == PAPER
    if once or reduction.facts[FORM] == BALL:  # a swivel is answered exactly
        return False
    problems = open_desk(reduction, asked.robot.limits, work).problems
    for p in range(count):
        if FINE < problems[p, DIST] <= aim(asked.goal.terms):
            return True
    return False


@shared
def starts_of(settings):
    """How many starts the refiner has."""
    return 1 if settings[MODE] == PAPER else STARTS


@leaf
def write_ball_seeds(lines, facts, limits, start, plain, row):
    """Writes the values of joints 1 to 4 at the links' points, of the branch that limits disturb least.

    A `plain` seed is that of the first branch there is, whatever limits do to it.
    """
    least = math.inf
    q = row[SCRATCH : SCRATCH + 7]
    for branch in range(4):
        W, q4 = shoulder_rotation(lines, facts, row, 1.0 if branch % 2 == 0 else -1.0)
        q[3] = q4
        if not write_ball_angles(lines, limits, 0, W, branch // 2, start, q):
            continue
        moved = 0.0
        for k in range(4):
            moved += abs(wrap_near(inside_range(limits, k, q[k]) - q[k], 0.0))
        if moved < least:
            least = -1.0 if plain else moved
            for k in range(4):
                row[SEED + k] = inside_range(limits, k, q[k])


@lean
def refine_problems(problem, table, pose, tolerance, count, work, q):
    """Refines in place each problem whose dist is above a tolerance [m]; 0 stands for that of the goal."""
    asked, reduction = open_problem(problem, pose, q.shape[0]), open_reduction(table)
    if asked.settings[REFINER] == NONE:
        return
    desk = open_desk(reduction, asked.robot.limits, work)
    tolerance = tolerance if tolerance > 0.0 else aim(asked.goal.terms)
    for p in range(count):
        row = desk.problems[p]
        if row[DIST] <= tolerance or row[REACHABLE] == 0.0:
            continue
        copy(row[SEED : SEED + desk.two_q.shape[0]], desk.two_q)
        point, starts = row[TARGET : TARGET + 3], starts_of(asked.settings)
        f, steps = refine(desk.two, point, tolerance**2, asked.settings, starts, desk.two_q, desk.sqp)
        take_refined(table, desk.two_q, f, steps, row)


@lean
def take_refined(table, q, f, steps, row):
    """Writes a refiner's answer, its objective [m^2] and its steps into a problem."""
    reduction = open_reduction(table)
    row[DIST] = math.sqrt(f)
    row[STEPS] += steps
    copy(q, row[SEED : SEED + 4])
    if reduction.facts[FORM] == BALL:
        write_points(reduction.lines, reduction.facts, row)
