"""What the combined method does with one two-link problem, stage by stage, for plots and replay."""

import math

import numpy as np

from forearm.core.closed_form.forms.vectors import apply, dot, minus, plus, read, rotation
from forearm.core.combined.choice import aim
from forearm.core.combined.codes import (
    BALL,
    BRANCH,
    DIST,
    FIRST,
    FORM,
    LENGTHS,
    MAX_PROBLEMS,
    OFFSET,
    PROBLEM_COLUMNS,
    SEED,
    SIGNS,
    TARGET,
)
from forearm.core.combined.complete import write_points
from forearm.core.combined.fabrik import (
    FENCE_COLUMNS,
    backward_reach,
    direction,
    forward_reach,
    gap,
    straight_start,
)
from forearm.core.combined.reduce import plane_of, read_fact, sweep_problem, write_problems, write_ranges
from forearm.core.combined.solve import STARTS, write_ball_seeds
from forearm.core.combined.sqp import ARRIVED, FIRST_DAMPING, FLAT, MOVED, PATIENCE, advance, workspace_size
from forearm.core.jit import kernel, leaf
from forearm.core.maths.limits import copy, draw_inside

# what a stage is
START_STAGE, FORWARD_STAGE, BACKWARD_STAGE, REFINER_STAGE = 0, 1, 2, 3


@kernel
def trace_combined(
    limits, goal, terms, start, lines, back, facts, two_links, two_joints, which, sweeps, steps, stages_out, points_out
):
    """Writes the stages of one problem: its sweeps, then, if they did not arrive, the steps of SQP.

    Args:
        which: The problem, in the order of `write_problems`.
        sweeps: Sweeps at most.
        steps: Steps of the refiner from one start at most.
        stages_out: (1 + 2 sweeps + STARTS (steps + 1),) what each stage is.
        points_out: (1 + 2 sweeps + STARTS (steps + 1), 4, 3) P1, P2, P3 and P_t in the base frame [m], all in the plane
            of the links (a shift of parallel axes along each other left out).

    Returns:
        How many stages were written.
    """
    problems, fences = np.zeros((MAX_PROBLEMS, PROBLEM_COLUMNS)), np.empty((2, FENCE_COLUMNS))
    write_ranges(facts, limits, fences)
    write_problems(lines, back, facts, goal, start, problems)
    row, tolerance = problems[which], aim(terms)
    lengths = (facts[LENGTHS], facts[LENGTHS + 1])
    origin, e1, e2 = plane_of(lines, facts, row)
    rel = minus(read_fact(row, TARGET), origin)
    target = (dot(rel, e1), dot(rel, e2))
    elbow, end = straight_start(target, lengths, fences)
    zero, count, made = (0.0, 0.0), 1, 0
    write_stage(lines, facts, row, origin, e1, e2, zero, elbow, end, target, points_out[0])
    stages_out[0] = START_STAGE
    while gap(target, end) > tolerance and made < sweeps:
        elbow = forward_reach(target, lengths[1], elbow)
        base = displaced_base(elbow, lengths[0])
        write_stage(lines, facts, row, origin, e1, e2, base, elbow, target, target, points_out[count])
        elbow, end = backward_reach(target, lengths, fences, elbow)
        write_stage(lines, facts, row, origin, e1, e2, zero, elbow, end, target, points_out[count + 1])
        stages_out[count], stages_out[count + 1] = FORWARD_STAGE, BACKWARD_STAGE
        count, made = count + 2, made + 1
    sweep_problem(lines, facts, limits, tolerance, sweeps, fences, row)
    if row[DIST] <= tolerance:
        return count
    return trace_refiner(
        limits, start, lines, facts, two_links, two_joints, tolerance, steps, row, count, stages_out, points_out
    )


@kernel
def trace_refiner(
    limits, start, lines, facts, two_links, two_joints, tolerance, steps, row, count, stages_out, points_out
):
    """Writes the steps of SQP from the seeds in a problem; how many stages there are then."""
    first, n = int(facts[FIRST]), two_joints.shape[0]
    bounds, work = np.ascontiguousarray(limits[:, first : first + n]), np.empty(workspace_size(n, n))
    if facts[FORM] == BALL:
        write_ball_seeds(lines, facts, limits, start, row)
    q, point, state = row[SEED : SEED + n].copy(), row[TARGET : TARGET + 3].copy(), np.uint64(0)
    for attempt in range(STARTS):
        if attempt > 0:  # the same further starts as `sqp.refine` takes
            state = draw_inside(bounds, state, q)
            write_refined_stage(lines, facts, q, row, points_out[count])
            stages_out[count] = START_STAGE
            count += 1
        damping = FIRST_DAMPING
        for step in range(steps):
            outcome, _, damping = advance(
                two_links, two_joints, bounds, point, tolerance**2, damping, step >= PATIENCE, q, work
            )
            if outcome == ARRIVED:
                return count
            if outcome == FLAT:
                break
            if outcome == MOVED:
                write_refined_stage(lines, facts, q, row, points_out[count])
                stages_out[count] = REFINER_STAGE
                count += 1
    return count


@leaf
def write_refined_stage(lines, facts, q, row, points_out):
    """Writes P1, P2, P3 and P_t at values of the joints that iterate."""
    origin, e1, e2 = plane_of(lines, facts, row)
    if facts[FORM] == BALL:
        copy(q, row[SEED : SEED + 4])
        write_points(lines, facts, row)
        for i in range(3):
            points_out[0, i], points_out[1, i] = origin[i], row[BRANCH + i]
            points_out[2, i], points_out[3, i] = row[BRANCH + 3 + i], row[TARGET + i]
        return
    phi1, phi2 = q[0], facts[SIGNS] * q[1] + facts[OFFSET]
    elbow = (facts[LENGTHS] * math.cos(phi1), facts[LENGTHS] * math.sin(phi1))
    far = facts[LENGTHS + 1]
    end = (elbow[0] + far * math.cos(phi1 + phi2), elbow[1] + far * math.sin(phi1 + phi2))
    rel = minus(read_fact(row, TARGET), origin)
    target = (dot(rel, e1), dot(rel, e2))
    write_stage(lines, facts, row, origin, e1, e2, (0.0, 0.0), elbow, end, target, points_out)


@leaf
def displaced_base(elbow, length):
    """P1 of the forward phase (Eq. (1)): at its link's length from P2, toward where it was."""
    x, y = direction(-elbow[0], -elbow[1], -1.0, 0.0)
    return elbow[0] + length * x, elbow[1] + length * y


@leaf
def write_stage(lines, facts, row, origin, e1, e2, base, elbow, end, target, points_out):
    """Writes P1, P2, P3 and P_t in the base frame."""
    for k in range(4):
        x, y = base if k == 0 else elbow if k == 1 else end if k == 2 else target
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
