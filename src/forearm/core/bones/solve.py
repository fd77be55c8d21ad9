"""The whole solve of a bone tree with limits: sweeps, refiner, other starts, pole, measurement.

FABRIK sweeps bring the tips near within a few rounds; if they have not arrived then, the refiner
finishes (the combined paper's scheme). Limits make local minima; a tree that is stuck in one starts
again from seeded random joint values. With a pose to go on from, only an answer that arrives may
replace the one found from there, so a miss does not jump.
"""

import math

import numpy as np

from forearm.core.bones.axes import MOVES
from forearm.core.bones.codes import (
    BASE_IS_FREE,
    BONE,
    FARTHEST,
    GOAL_KIND,
    HAS_START,
    MAX_STEPS,
    MAX_SWEEPS,
    MAX_TRIES,
    POINT,
    POLE_ANGLE,
    REACH_TOL,
    REFINE,
    RNG_SEED,
    SWEEPS,
    WANTS,
)
from forearm.core.bones.fabrik import ROLES, assign_roles, backward_reach, forward_reach
from forearm.core.bones.fabrik_free import GLIDE, read_directions, refine_free
from forearm.core.bones.pole import follow_pole
from forearm.core.bones.pose import (
    aim_bone,
    place_bone,
    place_bones,
    place_socket,
    worst_errors,
    worst_excess,
)
from forearm.core.bones.refine import refine, write_residual
from forearm.core.bones.start import aim_straight, bend_tree, draw_values, is_locked
from forearm.core.codes import (
    BAD_TARGET,
    ITERATIONS,
    LIMIT_EXCESS,
    NOT_CONVERGED,
    ORIENTATION,
    POSITION,
    POSITION_ERROR,
    ROTATION_ERROR,
    SOLVED,
    TRIES,
)
from forearm.core.jit import kernel, leaf, lean
from forearm.core.maths.limits import copy, copy_rows
from forearm.core.maths.se3 import norm

# Sweeps after a restart; every other restart has none, since sweeps can pull into the same corner.
RESTART_SWEEPS = 3
# Steps of the refiner without limits in a glide: it converges in two or three.
GLIDE_STEPS = 12
# Goals turned by less than this are near [rad], as points are within GLIDE of the size.
GLIDE_TURN = 0.5


@lean
def sweep(tree, wants, roles, free_base, max_sweeps, base, q, pose, room):
    """Sweeps until every tip is within tolerance; returns how many there were."""
    parent, length, joints = tree
    B, R, P = pose
    _, q_t, pulls, F, G, _, _, _, _, _, _ = room
    place_bones(parent, length, joints, base, q, B, R, P)
    for count in range(max_sweeps):
        if worst_errors(wants, R, P)[2]:
            return count
        forward_reach(parent, length, joints, wants, roles, q, q_t, B, R, P, pulls, F, G)
        if free_base:
            copy(F[0], base)
        backward_reach(parent, length, joints, wants, roles, base, F, G, q, B, R, P)
    return max_sweeps


@lean
def glide(tree, wants, size, base, q, pose, room):
    """Moves a chain near its target there as if it had no limits, all bones a little, then inside the limits.

    Spread so, a small motion stays small at every joint; `refine` then takes back what limits broke.
    """
    parent, length, joints = tree
    B, R, P = pose
    F, U, V = room[3], room[10][0], room[10][1]
    x, y, z = wants[0, POINT] - base[0], wants[0, POINT + 1] - base[1], wants[0, POINT + 2] - base[2]
    for i in range(P.shape[0]):
        for a in range(3):
            F[i, a] = P[i, a] - base[a]
    read_directions(F, U)
    refine_free(length, size, x, y, z, wants[0, REACH_TOL], GLIDE_STEPS, U, V, F)
    copy(base, P[0])
    for i in range(parent.shape[0]):
        place_socket(parent, joints, i, R, B)
        aim_bone(joints, i, q, B, U[i, 0], U[i, 1], U[i, 2])
        place_bone(parent, length, joints, i, q, B, R, P)


@lean
def is_small_motion(wants, settings, size, R, P):
    """Whether this is a refined solve that goes on from a pose whose tips are all near their goals."""
    if settings[HAS_START] == 0.0 or settings[REFINE] == 0.0:
        return False
    position, rotation, _ = worst_errors(wants, R, P)
    return position < GLIDE * size and rotation < GLIDE_TURN


@lean
def can_glide(parent, wants, settings):
    """Whether this is one chain on a fixed base with a point for its last bone's end."""
    if settings[BASE_IS_FREE] != 0.0 or wants.shape[0] != 1 or wants[0, GOAL_KIND] != POSITION:
        return False
    for i in range(parent.shape[0]):
        if parent[i] != i - 1:
            return False
    return int(wants[0, BONE]) == parent.shape[0] - 1


@lean
def attempt(tree, wants, roles, size, settings, sweeps, base, q, pose, room):
    """Sweeps, then refines; returns sweeps, steps and whether every tip arrived."""
    free_base, most = settings[BASE_IS_FREE] != 0.0, int(settings[MAX_STEPS])
    swept = sweep(tree, wants, roles, free_base, sweeps, base, q, pose, room)
    arrived = worst_errors(wants, pose[1], pose[2])[2]
    if arrived or settings[REFINE] == 0.0:
        return swept, 0, arrived
    steps, arrived = refine(tree, wants, roles, size, free_base, most, base, q, pose, room)
    return swept, steps, arrived


@lean
def restart(tree, wants, roles, size, settings, base, q, q_best, base_best, pose, room):
    """Tries drawn starts; leaves q at the answer, else at the best pose; returns steps, tries, whether arrived."""
    parent, length, joints = tree
    B, R, P = pose
    r = room[9][0]
    _, least = write_residual(wants, size, R, P, r)
    copy_rows(q, q_best)
    copy(base, base_best)
    state, steps = np.uint64(int(settings[RNG_SEED])), 0
    for k in range(1, int(settings[MAX_TRIES])):
        state = draw_values(joints, roles, state, q)
        _, more, arrived = attempt(
            tree, wants, roles, size, settings, RESTART_SWEEPS if k % 2 == 1 else 0, base, q, pose, room
        )
        steps += more
        if arrived:
            return steps, k + 1, True
        _, square = write_residual(wants, size, R, P, r)
        if square < least and settings[HAS_START] == 0.0:
            least = square
            copy_rows(q, q_best)
            copy(base, base_best)
    copy_rows(q_best, q)
    copy(base_best, base)
    place_bones(parent, length, joints, base, q, B, R, P)
    return steps, max(1, int(settings[MAX_TRIES])), False


@lean
def tree_size(parent, length, lengths):
    """The longest way from the base to a node [m]; writes the way to each bone's end."""
    size = 0.0
    for i in range(parent.shape[0]):
        lengths[i] = length[i] + (lengths[parent[i]] if parent[i] >= 0 else 0.0)
        size = max(size, lengths[i])
    return size


@leaf
def are_sane(wants):
    """Whether all wants are numbers, and points and frames not beyond all measure."""
    for k in range(wants.shape[0]):
        for a in range(WANTS):
            if math.isnan(wants[k, a]) or (a >= POINT and not abs(wants[k, a]) < FARTHEST):
                return False
    return True


@lean
def first_guess(tree, wants, roles, size, settings, base, q, pose, room):
    """Moves q where that helps: straight to a target out of reach, out of a dead lock, or near it in a glide.

    Returns how many sweeps shall follow. `room[9][0]` holds the way to each bone's end.
    """
    parent, length, joints = tree
    B, R, P = pose
    way, sweeps = room[9][0][int(wants[0, BONE])], int(settings[MAX_SWEEPS])
    place_bones(parent, length, joints, base, q, B, R, P)
    if worst_errors(wants, R, P)[2]:
        return sweeps
    x, y, z = wants[0, POINT] - base[0], wants[0, POINT + 1] - base[1], wants[0, POINT + 2] - base[2]
    has_point, is_fixed = wants[0, GOAL_KIND] != ORIENTATION, settings[BASE_IS_FREE] == 0.0
    if wants.shape[0] == 1 and has_point and is_fixed and norm(x, y, z) > way:
        aim_straight(parent, length, joints, wants, roles, base, q, B, R, P)
        return sweeps
    if is_locked(parent, wants, P):
        bend_tree(parent, joints, roles, q)
        place_bones(parent, length, joints, base, q, B, R, P)
    if not is_small_motion(wants, settings, size, R, P):
        return sweeps
    if can_glide(parent, wants, settings):
        glide(tree, wants, size, base, q, pose, room)
    return 0


@kernel
def solve_bones(
    parent, length, joints, base_start, q_start, wants, settings, pole, base_out, q_out, R_out, P_out, report_out
):
    """Solves all tips of a tree.

    Args:
        parent: (n,) int64, length: (n,) [m], joints: (n, 19): the tree.
        base_start: (3,) where the base is.
        q_start: (n, 3) joint values to start from, inside the limits.
        wants: (K, 23) what the tips shall do.
        settings: (9,) as `core/bones/codes.py` lays them out.
        pole: (3,) point the elbow shall point to, or of length zero.
        base_out: (3,), q_out: (n, 3), R_out: (n, 3, 3), P_out: (n+1, 3): the pose.
        report_out: (8,) what was measured.
    """
    if not are_sane(wants):
        return BAD_TARGET
    n, rows, variables = parent.shape[0], 6 * wants.shape[0], 3 * parent.shape[0] + 3
    room = (
        np.empty(3),  # base of a trial
        np.empty((n, 3)),  # q of a trial
        np.empty((n + 1, 4)),  # pulls
        np.empty((n + 1, 3)),  # points after a forward stage
        np.empty((n, 3, 3)),  # frames after it
        np.empty((variables, MOVES)),
        np.empty(n, np.int64),  # first variable of each bone
        np.empty((rows, variables)),  # J
        np.empty((rows, rows)),  # J J^T
        np.empty((4, max(rows, variables))),  # residual, y, step, held
        np.empty((2, n, 3)),  # directions
    )
    roles, q_spare, base_spare = np.empty((n, ROLES)), np.empty((n, 3)), np.empty(3)
    tree, pose = (parent, length, joints), (np.empty((n, 3, 3)), R_out, P_out)
    copy_rows(q_start, q_out)
    copy(base_start, base_out)
    size = tree_size(parent, length, room[9][0])
    assign_roles(parent, wants, roles)
    sweeps = first_guess(tree, wants, roles, size, settings, base_out, q_out, pose, room)
    swept, steps, arrived = attempt(tree, wants, roles, size, settings, sweeps, base_out, q_out, pose, room)
    tries, left = 1, 0.0
    if not arrived and settings[REFINE] != 0.0 and settings[MAX_TRIES] > 1.0:
        more, tries, arrived = restart(
            tree, wants, roles, size, settings, base_out, q_out, q_spare, base_spare, pose, room
        )
        steps += more
    if arrived and pole.shape[0] == 3 and wants.shape[0] == 1:
        left = follow_pole(tree, wants, roles, size, settings, pole, base_out, q_out, q_spare, pose, room)
    place_bones(parent, length, joints, base_out, q_out, pose[0], R_out, P_out)
    position, rotation, arrived = worst_errors(wants, R_out, P_out)
    report_out[POSITION_ERROR], report_out[ROTATION_ERROR] = position, rotation
    report_out[LIMIT_EXCESS] = worst_excess(joints, q_out)
    report_out[ITERATIONS], report_out[TRIES], report_out[SWEEPS], report_out[POLE_ANGLE] = steps, tries, swept, left
    return SOLVED if arrived else NOT_CONVERGED
