"""What the combined method does with one two-link problem, stage by stage, for plots and replay."""

import math

import numpy as np

from forearm.core.arm.problem import open_problem
from forearm.core.combined.choice import aim
from forearm.core.combined.codes import (
    BALL,
    BRANCH,
    DIST,
    FORM,
    LENGTHS,
    MAX_ITERATIONS,
    MODE,
    N_L,
    OFFSET,
    PAPER,
    SEED,
    SIGNS,
    TARGET,
)
from forearm.core.combined.complete import write_points
from forearm.core.combined.fabrik import backward_reach, direction, forward_reach, gap, straight_start
from forearm.core.combined.reduce import plane_of, read_fact, sweep_problem, write_problems, write_ranges
from forearm.core.combined.scratch import open_desk, open_reduction
from forearm.core.combined.solve import STARTS, starts_of, write_ball_seeds
from forearm.core.combined.sqp import ARRIVED, FIRST_DAMPING, FLAT, MOVED, PATIENCE, advance
from forearm.core.jit import leaf, lean, shared
from forearm.core.maths.limits import copy, draw_inside
from forearm.core.maths.vectors import apply, dot, minus, plus, read, rotation

# what a stage is
START_STAGE, FORWARD_STAGE, BACKWARD_STAGE, REFINER_STAGE = 0, 1, 2, 3


@shared
def stages_size(sweeps, steps):
    """How many stages there are at most, of so many sweeps and so many steps from each start."""
    return 1 + 2 * sweeps + STARTS * (steps + 1)


@lean
def trace_combined(problem, table, pose, start, which, work, stages_out, points_out):
    """Writes the stages of one problem: its sweeps, then, if they did not arrive, the steps of SQP.

    The settings say how many sweeps there are at most, and how many steps of the refiner from one start; `which` is
    the problem, in the order of `write_problems`. Of `stages_size` stages at most: what it is,
    and (4, 3) P1, P2, P3 and P_t in the base frame [m], all in the plane of the links (a shift of parallel axes along
    each other left out). Returns how many were written.
    """
    asked, reduction = open_problem(problem, pose, start.shape[0]), open_reduction(table)
    lines, facts, limits = reduction.lines, reduction.facts, asked.robot.limits
    desk, sweeps, tolerance = open_desk(reduction, limits, work), int(asked.settings[N_L]), aim(asked.goal.terms)
    fences, lengths = desk.fences, (facts[LENGTHS], facts[LENGTHS + 1])
    desk.problems[:, :] = 0.0
    write_ranges(facts, limits, fences)
    write_problems(reduction, limits, pose, start, desk.problems)
    row = desk.problems[which]
    plane = plane_of(lines, facts, row)
    target = in_plane(plane, row)
    elbow, end = straight_start(target, lengths, fences)
    zero, count, made = (0.0, 0.0), 1, 0
    write_stage(reduction, row, plane, (zero, elbow, end, target), points_out[0])
    stages_out[0] = START_STAGE
    while gap(target, end) > tolerance and made < sweeps:
        elbow = forward_reach(target, lengths[1], elbow)
        x, y = direction(-elbow[0], -elbow[1], -1.0, 0.0)
        base = (elbow[0] + lengths[0] * x, elbow[1] + lengths[0] * y)  # Eq. (1): toward where it was
        write_stage(reduction, row, plane, (base, elbow, target, target), points_out[count])
        elbow, end = backward_reach(target, lengths, fences, elbow)
        write_stage(reduction, row, plane, (zero, elbow, end, target), points_out[count + 1])
        stages_out[count], stages_out[count + 1] = FORWARD_STAGE, BACKWARD_STAGE
        count, made = count + 2, made + 1
    sweep_problem(reduction, limits, tolerance, sweeps, fences, row)
    if row[DIST] <= tolerance:
        return count
    if facts[FORM] == BALL:
        write_ball_seeds(lines, facts, limits, start, asked.settings[MODE] == PAPER, row)
    return trace_refiner(asked, reduction, desk, row, count, stages_out, points_out)


@lean
def trace_refiner(asked, reduction, desk, row, count, stages_out, points_out):
    """Writes the steps of SQP from the seeds in a problem; how many stages there are then."""
    q, point, state = desk.two_q, desk.gauge.e[:3], np.uint64(0)
    stop = aim(asked.goal.terms) ** 2
    copy(row[SEED : SEED + q.shape[0]], q)
    copy(row[TARGET : TARGET + 3], point)
    for attempt in range(starts_of(asked.settings)):
        if attempt > 0:  # the same further starts as `sqp.refine` takes
            state = draw_inside(desk.two.limits, state, q)
            write_refined_stage(reduction, q, row, points_out[count])
            stages_out[count] = START_STAGE
            count += 1
        damping = FIRST_DAMPING
        for step in range(int(asked.settings[MAX_ITERATIONS])):
            outcome, _, damping = advance(desk.two, point, stop, damping, step >= PATIENCE, q, desk.sqp)
            if outcome == ARRIVED:
                return count
            if outcome == FLAT:
                break
            if outcome == MOVED:
                write_refined_stage(reduction, q, row, points_out[count])
                stages_out[count] = REFINER_STAGE
                count += 1
    return count


@leaf
def in_plane(plane, row):
    """P_t in the plane of the links."""
    origin, e1, e2 = plane
    rel = minus(read_fact(row, TARGET), origin)
    return dot(rel, e1), dot(rel, e2)


@leaf
def write_refined_stage(reduction, q, row, points_out):
    """Writes P1, P2, P3 and P_t at values of the joints that iterate."""
    lines, facts = reduction.lines, reduction.facts
    plane = plane_of(lines, facts, row)
    if facts[FORM] == BALL:
        copy(q, row[SEED : SEED + 4])
        write_points(lines, facts, row)
        for i in range(3):
            points_out[0, i], points_out[1, i] = plane[0][i], row[BRANCH + i]
            points_out[2, i], points_out[3, i] = row[BRANCH + 3 + i], row[TARGET + i]
        return
    phi1, phi2 = q[0], facts[SIGNS] * q[1] + facts[OFFSET]
    elbow = (facts[LENGTHS] * math.cos(phi1), facts[LENGTHS] * math.sin(phi1))
    far = facts[LENGTHS + 1]
    end = (elbow[0] + far * math.cos(phi1 + phi2), elbow[1] + far * math.sin(phi1 + phi2))
    write_stage(reduction, row, plane, ((0.0, 0.0), elbow, end, in_plane(plane, row)), points_out)


@leaf
def write_stage(reduction, row, plane, points, points_out):
    """Writes P1, P2, P3 and P_t in the base frame, from their places in the plane of the links."""
    lines, facts, (origin, e1, e2) = reduction.lines, reduction.facts, plane
    for k in range(4):
        x, y = points[k]
        point = (
            origin[0] + x * e1[0] + y * e2[0],
            origin[1] + x * e1[1] + y * e2[1],
            origin[2] + x * e1[2] + y * e2[2],
        )
        if facts[FORM] != BALL:  # problems are seen from the first joint's link
            p = read(lines, 0, 3)
            point = plus(p, apply(rotation(read(lines, 0, 0), row[BRANCH]), minus(point, p)))
        for i in range(3):
            points_out[k, i] = point[i]
