"""The combined algorithm (Xu et al., "A Combined Inverse Kinematics Algorithm Using FABRIK with Optimization").

The target's frame fixes the wrist, which leaves two links (`combined_reduce.py`). FABRIK sweeps them
from a straight start (`combined_fabrik.py`): fast at first, a crawl where the links must end almost
straight or almost folded. So after `n_l` sweeps SQP takes over from where they stand (`sqp.py`). All
joint values then follow analytically, every sign branch of them (`combined_complete.py`); those
outside target or limits by forward kinematics are dropped, the nearest to q0 is taken (Eq. (19)).

Poses, for arms that reduce to two links (`combined_tables.py`). Unlike the paper's, limits hold for
all joints: where a ball-shouldered arm has no branch inside them, its elbow swivels about the line
from shoulder to wrist until one is (`closed_form/srs.py`); near a q0 the caller gave it also stays
at that one's swivel, unless the paper's own is asked for.
"""

import math

import numpy as np

from forearm.core.closed_form.choose import bring_inside
from forearm.core.closed_form.plan import NEARNESS, PLAN, SLACK, displacement
from forearm.core.closed_form.srs import SWIVEL_SCRATCH, nearest_swivel
from forearm.core.closed_form.vectors import minus, plus
from forearm.core.codes import LIMIT_SLACK, LOWER, NOT_CONVERGED, SOLVED, TOL_AXES, TOL_POSITION, UPPER
from forearm.core.combined_codes import (
    BALL,
    BRANCH,
    DIST,
    FIRST,
    FORM,
    INFINITY,
    MAX_PROBLEMS,
    NONE,
    OF_START,
    ONE,
    PROBLEM,
    PROBLEM_COLUMNS,
    REACHABLE,
    SCRATCH,
    SEED,
    STEPS,
    STEPS_DONE,
    SWEEPS,
    SWEEPS_DONE,
    TARGET,
)
from forearm.core.combined_complete import (
    count_arm_branches,
    count_arm_joints,
    count_wrist_flips,
    shoulder_rotation,
    write_arm,
    write_ball_angles,
    write_points,
    write_wrist,
)
from forearm.core.combined_fabrik import FENCE_COLUMNS
from forearm.core.combined_reduce import inside_range, read_fact, sweep_problem, write_problems, write_ranges
from forearm.core.goal import begin, goal_error, judge, meets
from forearm.core.jit import kernel, leaf, lean
from forearm.core.kinematics import fk_tip
from forearm.core.limits import copy, wrap_near
from forearm.core.se3 import norm as length
from forearm.core.sqp import refine, workspace_size

# places in `settings`
N_L, MAX_ITERATIONS, REFINER, NORM, ELBOW = 0, 1, 2, 3, 4

STARTS = 32  # of the refiner: one in a few hundred bounded problems needs more than one, none a dozen
# Sweeps and steps aim this much inside the tolerance: the answer is judged by other sines and cosines.
AIM = 1.0 - 1e-9
# Where no branch is inside the limits, problems that arrived are refined to this [m]: a target of joints at
# their limits has an answer there, and beside it, within the tolerance of the target, there may be none.
FINE = 1e-11
DEFAULT_AIM = 1e-6  # [m] where a target asks for no position tolerance at all

# What is looked at in turn until something meets goal and limits: the branches, other swivels, misses.
BRANCHES, SWIVELS, MISSES = 0, 1, 2
LOOKS = 3
# places in `found`: distance of the best answer from q0, miss of the best failure, its problem
NEAREST, MISS, WINNER = 0, 1, 2


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
def aim(terms):
    """How near P3 must come to its target [m]."""
    most = terms[TOL_POSITION]
    for i in range(3):
        most = min(most, terms[TOL_AXES + i])
    return AIM * (most if most < math.inf else DEFAULT_AIM)


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


# -- all joints, and the choice between them -----------------------------------------------------


@kernel
def complete(
    links, joints, limits, goal, kind, terms, settings, lines, back, facts, near, count, problems, q_out, report_out
):
    """Writes the nearest of all branches that meet goal and limits, else the least miss; a status code.

    `near` offers the start itself too, and the swivel of its elbow where there is one.
    """
    T, e, found = np.empty((4, 4)), np.empty(6), np.array([math.inf, math.inf, -1.0])
    start, q, norm = q_out.copy(), q_out.copy(), settings[NORM]
    R, t = displacement(goal, back)
    if near:
        offer(links, joints, limits, goal, kind, terms, start, norm, True, q, T, e, found)
    for look in range(LOOKS):
        if look > BRANCHES and found[NEAREST] < math.inf:
            break
        for p in range(count):
            row = problems[p]
            if look < MISSES and row[DIST] > aim(terms):
                continue
            if look != SWIVELS and offer_branches(
                links, joints, limits, goal, kind, terms, start, norm, lines, R, facts, look < MISSES, row, q, T, e,
                found, q_out,
            ):  # fmt: skip
                found[WINNER] = p
            if facts[FORM] == BALL and (look == SWIVELS or (near and look == BRANCHES)):
                thorough = look == SWIVELS
                if offer_swivel(
                    links, joints, limits, goal, kind, terms, start, norm, thorough, lines, R, t, row, q, T, e, found
                ):
                    copy(q, q_out)
                    found[WINNER] = p
    sweeps, steps = 0.0, 0.0
    for p in range(count):
        sweeps += problems[p, SWEEPS]
        steps += problems[p, STEPS]
    code = judge(links, joints, limits, goal, kind, terms, q_out, sweeps + steps, 1, T, e, report_out)
    report_out[SWEEPS_DONE], report_out[STEPS_DONE], report_out[PROBLEM] = sweeps, steps, found[WINNER]
    return code


@kernel
def offer_swivel(links, joints, limits, goal, kind, terms, start, norm, thorough, lines, R, t, row, q, T, e, found):
    """Whether a swivel of a ball-shouldered arm near that of the start is better than what was found; then in q.

    First with the wrist where the links were brought, which keeps their small miss, then where it is
    wanted: an arm exactly at its limits has no swivel beside that one.
    """
    plan, scratch = np.zeros(PLAN), np.empty(SWIVEL_SCRATCH)
    plan[SLACK], plan[NEARNESS] = LIMIT_SLACK, 1.0 if norm == ONE else math.inf
    for exact in range(2):
        moved = t
        if exact == 0:
            moved = plus(t, minus(read_fact(row, BRANCH + 3), read_fact(row, TARGET)))
        if nearest_swivel(joints, limits, lines, R, moved, start, plan, thorough, scratch, q) == 1 and offer(
            links, joints, limits, goal, kind, terms, start, norm, True, q, T, e, found
        ):
            return True
    return False


@lean
def offer_branches(
    links, joints, limits, goal, kind, terms, start, norm, lines, R, facts, strict, row, q, T, e, found, q_out
):
    """Whether a branch of one problem is better than what was found before; it is then in q_out."""
    better = False
    for branch in range(count_arm_branches(facts)):
        if not write_arm(lines, facts, R, row, branch, start, q):
            continue
        arm = count_arm_joints(facts)
        inside = bring_all_inside(limits, start, arm, q)
        if strict and (not inside or distance_between(norm, arm, q, start) >= found[NEAREST]):
            continue  # whatever the wrist does
        for flip in range(count_wrist_flips(facts)):
            if write_wrist(lines, facts, row, flip, start, q) and offer(
                links, joints, limits, goal, kind, terms, start, norm, strict, q, T, e, found
            ):
                better = True
                copy(q, q_out)
    return better


@lean
def offer(links, joints, limits, goal, kind, terms, start, norm, strict, q, T, e, found):
    """Whether q, brought inside the limits in place, is better than what was found before (Eqs. (16) to (19)).

    Strictly, only what meets goal and limits counts; else what misses the goal least.
    """
    inside = bring_all_inside(limits, start, q.shape[0], q)
    distance = distance_between(norm, q.shape[0], q, start)
    if strict and (not inside or distance >= found[NEAREST]):
        return False
    fk_tip(links, joints, q, T)
    goal_error(T, goal, kind, terms, e)
    if inside and meets(goal, terms, e):
        found[NEAREST] = distance
        return True
    miss = length(e[0], e[1], e[2]) + length(e[3], e[4], e[5])
    if strict or miss >= found[MISS]:
        return False
    found[MISS] = miss
    return True


@leaf
def bring_all_inside(limits, start, count, q):
    """Whether whole turns bring the first joints inside their limits; moves each there, nearest to start."""
    all_inside = True
    for k in range(count):
        inside, q[k] = bring_inside(q[k], start[k], limits[LOWER, k], limits[UPPER, k], LIMIT_SLACK)
        all_inside = all_inside and inside
    return all_inside


@leaf
def distance_between(norm, count, q, start):
    """The distance of two configurations in the 1-norm, 2-norm or infinity norm, over their first joints [rad]."""
    total = 0.0
    for k in range(count):
        move = abs(q[k] - start[k])
        if norm == ONE:
            total += move
        elif norm == INFINITY:
            total = max(total, move)
        else:
            total += move * move
    return math.sqrt(total) if norm != ONE and norm != INFINITY else total
