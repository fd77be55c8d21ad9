"""Poses of a chain with limits, obstacles or both, from many starts: the curve's poses, then drawn ones.

As `core/bezier/search.py`, but a start is first fitted to the joints' limits and then mended in joint space
(`core/bezier/joint_avoid.py`). Without curves (the FABRIK method) it begins with the pose it was given.
"""

import math

import numpy as np

from forearm.core.bezier.bezier_place import place_in_world
from forearm.core.bezier.frame import FAILED, reach_bounds
from forearm.core.bezier.joint_avoid import ROWS, avoid, fit_points, tip_miss
from forearm.core.bezier.search import (
    END_ANGLES,
    END_RANGE,
    GAP,
    GRID_SWIVELS,
    SEED_COLUMNS,
    SEEDS,
    SWIVELS,
    TILT_STEP,
    TILTS,
    forget,
    lay_seed,
    outward,
    remember,
    swivel_of,
)
from forearm.core.bezier.solve import aim_frame
from forearm.core.bones.axes import MOVES
from forearm.core.bones.codes import POINT
from forearm.core.bones.fabrik import ROLES, assign_roles
from forearm.core.bones.pose import place_bones, worst_errors, worst_excess
from forearm.core.bones.start import draw_values
from forearm.core.codes import (
    COLLISION,
    ITERATIONS,
    LIMIT_EXCESS,
    NOT_CONVERGED,
    POSITION_ERROR,
    ROTATION_ERROR,
    SOLVED,
    TRIES,
)
from forearm.core.collision.obstacle_rows import STAGE, chain_gap, report_gap
from forearm.core.jit import kernel, lean
from forearm.core.maths.limits import copy_rows

# What is best to come back with when nothing is free: a tip on the target counts first, then the clearance.
# stages in the report: 0 none, 1 a start as it was, 2 mended, 3 from other curves, 4 drawn, 5 from the given pose
GIVEN, AS_IT_WAS, MENDED, OTHER, DRAWN = 5, 1, 2, 3, 4


@lean
def score(problem, seeds, first, second, swivels, frame, q, work):
    """Lays one curve, swivels it, fits it and remembers how well; returns whether one is an answer as it is (in q)."""
    tree, wants, _, _, scene, base, q0, pose, _, _, bounds, planar = problem
    total, nearest, D = bounds
    w, t, xy, P_wanted = work
    obstacles, radii, clearance = scene
    if lay_seed(tree[1], total, nearest, D, first, second, w, t, xy) == FAILED:
        return False
    for k in range(2 if planar else swivels):
        swivel = swivel_of(k, swivels, planar)
        place_in_world(base, frame, swivel, planar, xy, P_wanted)
        copy_rows(q0, q)
        fit_points(tree, P_wanted, base, q, pose)
        gap, _, _ = chain_gap(obstacles, pose[2], radii)
        lack = max(0.0, clearance - gap)
        if lack == 0.0 and worst_errors(wants, pose[1], pose[2])[2]:
            return True
        remember(seeds, SEEDS, -(tip_miss(wants, pose[2]) + lack), first, second, swivel)
    return False


@lean
def mend(problem, seeds, frame, q, q_best, best, work):
    """Mends the best seeds one by one; returns whether one is an answer (in q), the best score, steps and tries."""
    tree, _, _, _, _, base, q0, pose, _, _, bounds, planar = problem
    total, nearest, D = bounds
    w, t, xy, P_wanted = work
    steps, tries = 0, 0
    for k in range(SEEDS):
        if seeds[k, GAP] == -math.inf:
            break
        lay_seed(tree[1], total, nearest, D, seeds[k, 1], seeds[k, 2], w, t, xy)
        place_in_world(base, frame, seeds[k, 3], planar, xy, P_wanted)
        copy_rows(q0, q)
        fit_points(tree, P_wanted, base, q, pose)
        done, more, best = one_try(problem, q, q_best, best)
        steps, tries = steps + more, tries + 1
        if done:
            return True, best, steps, tries
    return False, best, steps, tries


@lean
def one_try(problem, q, q_best, best):
    """Mends one start; keeps it in q_best if nothing was better; returns whether it is an answer, steps, best score."""
    tree, wants, roles, size, scene, base, _, pose, room, wide, _, _ = problem
    done, gap, steps = avoid(tree, wants, roles, size, scene, base, q, pose, room, wide)
    value = min(gap, size) - TIP_FIRST * tip_miss(wants, pose[2])
    if value > best or done:
        best = value
        copy_rows(q, q_best)
    return done, steps, best


@lean
def search_curves(problem, seeds, frame, q, q_best, best, work):
    """Stages 1 to 3; returns the stage that found an answer (0 none; it is in q), the best score, steps, tries."""
    forget(seeds)
    for k in range(TILTS + 1):
        tilt = outward(k) * TILT_STEP if k < TILTS else math.nan
        if score(problem, seeds, tilt, tilt, SWIVELS, frame, q, work):
            return AS_IT_WAS, best, 0, 1
    done, best, steps, tries = mend(problem, seeds, frame, q, q_best, best, work)
    if done:
        return MENDED, best, steps, tries
    forget(seeds)
    for i in range(END_ANGLES):
        for j in range(END_ANGLES):
            first = END_RANGE * (2.0 * i / (END_ANGLES - 1) - 1.0)
            second = END_RANGE * (2.0 * j / (END_ANGLES - 1) - 1.0)
            if score(problem, seeds, first, second, GRID_SWIVELS, frame, q, work):
                return OTHER, best, steps, tries + 1
    done, best, more, tried = mend(problem, seeds, frame, q, q_best, best, work)
    return (OTHER if done else 0), best, steps + more, tries + tried


@kernel
def make_room(n):
    """Work arrays of the refiner (as in `core/bones/solve.py`) and of `avoid`, for n bones."""
    room = (
        np.empty(3),
        np.empty((n, 3)),
        np.empty((n + 1, 4)),
        np.empty((n + 1, 3)),
        np.empty((n, 3, 3)),
        np.empty((3 * n + 3, MOVES)),
        np.empty(n, np.int64),
        np.empty((6, 3 * n + 3)),
        np.empty((6, 6)),
        np.empty((4, 3 * n + 6)),
        np.empty((2, n, 3)),
    )
    return room, (np.empty((ROWS, 3 * n)), np.empty((ROWS, ROWS)), np.empty((4, max(ROWS, 3 * n))))


@kernel
def solve_by_search(
    parent,
    length,
    joints,
    radii,
    obstacles,
    clearance,
    base,
    q0,
    wants,
    planar,
    pole,
    choices,
    frame_out,
    q_out,
    R_out,
    P_out,
    report_out,
):
    """Poses a chain with limits and obstacles; returns a status code.

    Args:
        parent, length, joints: a chain as in `core/bones/codes.py`.
        radii: (n,) [m]; obstacles: (k, 18); clearance: [m].
        base: (3,), q0: (n, 3) joint values to begin with.
        wants: (1, 23) a point for the tip, within reach.
        planar: whether it lies in the plane z = 0; pole: (3,) to which side to bend, or of length zero.
        choices: (4,) whether to begin at q0, whether to lay curves, drawn starts at most, their seed.
        frame_out: (6,) as in `core/bezier/solve.py`; q_out, R_out, P_out: the pose; report_out: (17,).
    """
    n = parent.shape[0]
    B, roles = np.empty((n, 3, 3)), np.empty((n, ROLES))
    room, wide = make_room(n)
    work = (np.empty(4), np.empty(n + 1), np.empty((n + 1, 2)), np.empty((n + 1, 3)))
    seeds, q_best = np.empty((SEEDS, SEED_COLUMNS)), q0.copy()
    total, nearest = reach_bounds(length)
    target = np.empty(3)
    for a in range(3):
        target[a] = wants[0, POINT + a]
    D = min(max(aim_frame(base, target, planar, pole, math.pi, frame_out), nearest), total)
    assign_roles(parent, wants, roles)
    tree, pose, scene = (parent, length, joints), (B, R_out, P_out), (obstacles, radii, clearance)
    problem = (tree, wants, roles, total, scene, base, q0, pose, room, wide, (total, nearest, D), planar)
    stage, best, steps, tries = 0, -math.inf, 0, 0
    copy_rows(q0, q_out)
    if choices[0] != 0.0:
        done, steps, best = one_try(problem, q_out, q_best, best)
        stage, tries = (GIVEN if done else 0), 1
    if stage == 0 and choices[1] != 0.0:
        stage, best, more, tried = search_curves(problem, seeds, frame_out, q_out, q_best, best, work)
        steps, tries = steps + more, tries + tried
    state = np.uint64(int(choices[3]))
    for _ in range(int(choices[2])):
        if stage != 0:
            break
        state = draw_values(joints, roles, state, q_out)
        done, more, best = one_try(problem, q_out, q_best, best)
        stage, steps, tries = (DRAWN if done else 0), steps + more, tries + 1
    if stage == 0:
        copy_rows(q_best, q_out)
    place_bones(parent, length, joints, base, q_out, B, R_out, P_out)
    report_out[ITERATIONS], report_out[TRIES], report_out[STAGE] = steps, tries, stage
    return measure_search(joints, wants, scene, q_out, R_out, P_out, report_out)


@lean
def measure_search(joints, wants, scene, q, R, P, report_out):
    """Writes errors and gap of a pose; returns its status."""
    obstacles, radii, clearance = scene
    position, rotation, arrived = worst_errors(wants, R, P)
    gap = report_gap(obstacles, P, radii, report_out)
    report_out[POSITION_ERROR], report_out[ROTATION_ERROR] = position, rotation
    report_out[LIMIT_EXCESS] = worst_excess(joints, q)
    if arrived and gap >= clearance:
        return SOLVED
    return COLLISION if arrived else NOT_CONVERGED


# A tip off its target weighs so much more than the same length of clearance.
TIP_FIRST = 1e3
