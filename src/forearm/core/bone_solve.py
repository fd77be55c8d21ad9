"""The whole solve of a bone tree with limits: sweeps, refiner, other starts, pole, measurement.

FABRIK sweeps bring the tips near within a few rounds; if they have not arrived then, the refiner
finishes (the combined paper's scheme). Limits make local minima; a tree that is stuck in one starts
again from seeded random joint values. With a pose to go on from, only an answer that arrives may
replace the one found from there, so a miss does not jump.
"""

import math

import numpy as np

from forearm.core.bone_axes import MOVES
from forearm.core.bone_codes import (
    BASE_IS_FREE,
    BONE,
    GOAL_KIND,
    HAS_START,
    IS_PLANAR,
    MAX_STEPS,
    MAX_SWEEPS,
    MAX_SWIVEL,
    MAX_TRIES,
    POINT,
    POLE_ANGLE,
    REACH_TOL,
    REFINE,
    RNG_SEED,
    SWEEPS,
    WANTS,
)
from forearm.core.bone_pole import mirrored, swivel_axis, turn_first_bone
from forearm.core.bone_pose import (
    aim_bone,
    place_bone,
    place_bones,
    place_socket,
    turn_bone_to,
    worst_errors,
    worst_excess,
)
from forearm.core.bone_refine import refine, write_residual
from forearm.core.bone_start import aim_straight, bend_tree, draw_values, is_locked
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
from forearm.core.fabrik import ROLES, assign_roles, backward_reach, forward_reach
from forearm.core.fabrik_free import GLIDE, read_directions, refine_free
from forearm.core.jit import kernel, leaf, lean
from forearm.core.limits import clamp, copy, copy_rows
from forearm.core.se3 import norm

# Sweeps after a restart; every other restart has none, since sweeps can pull into the same corner.
RESTART_SWEEPS = 3
# Rounds of swivelling, and halvings in each, where limits stand against the pole.
POLE_ROUNDS = 6
POLE_HALVINGS = 4
# Steps of the refiner without limits in a glide: it converges in two or three.
GLIDE_STEPS = 12
# The pole counts as met within this angle [rad].
POLE_MET = 1e-9


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


@leaf
def can_glide(parent, wants, settings, size, P):
    """Whether this is one chain, refined, that goes on from a pose with its tip near its point."""
    n = parent.shape[0]
    if settings[HAS_START] == 0.0 or settings[REFINE] == 0.0 or settings[BASE_IS_FREE] != 0.0:
        return False
    if wants.shape[0] != 1 or wants[0, GOAL_KIND] != POSITION or int(wants[0, BONE]) != n - 1:
        return False
    for i in range(n):
        if parent[i] != i - 1:
            return False
    return norm(wants[0, POINT] - P[n, 0], wants[0, POINT + 1] - P[n, 1], wants[0, POINT + 2] - P[n, 2]) < GLIDE * size


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
def follow_pole(tree, wants, roles, size, settings, pole, base, q, q_try, pose, room):
    """Turns the elbow toward the pole as far as limits allow, the tips staying; returns the angle left [rad]."""
    parent, length, joints = tree
    B, R, P = pose
    tip, G = int(wants[0, BONE]), room[4]
    has_start = settings[HAS_START] != 0.0
    ax, ay, az, angle, flat = swivel_axis(parent, tip, P, pole, size)
    budget = settings[MAX_SWIVEL] * flat if has_start else math.inf
    if settings[IS_PLANAR] != 0.0 and (has_start or abs(angle) < 0.5 * math.pi):
        return angle
    for _ in range(POLE_ROUNDS):
        turn = clamp(angle, -budget, budget)
        if abs(turn) < POLE_MET:
            return angle
        moved = False
        for _ in range(POLE_HALVINGS):
            copy_rows(q, q_try)
            if settings[IS_PLANAR] != 0.0:
                mirror_chain(tree, ax, ay, az, base, q_try, pose, room[3])
            else:
                i = turn_first_bone(parent, tip, R, ax, ay, az, turn, G)
                turn_bone_to(joints, i, q_try, B, G)
                place_bones(parent, length, joints, base, q_try, B, R, P)
            arrived = worst_errors(wants, R, P)[2]
            if not arrived and settings[REFINE] != 0.0:
                steps = int(settings[MAX_STEPS])
                _, arrived = refine(tree, wants, roles, size, False, steps, base, q_try, pose, room)
            ax, ay, az, left, _ = swivel_axis(parent, tip, P, pole, size)
            if arrived and abs(left) < abs(angle):
                moved = True
                break
            place_bones(parent, length, joints, base, q, B, R, P)
            ax, ay, az, angle, _ = swivel_axis(parent, tip, P, pole, size)
            turn *= 0.5
        if not moved:
            return angle
        copy_rows(q_try, q)
        budget -= abs(angle - left)
        angle = left
    return angle


@lean
def mirror_chain(tree, ax, ay, az, base, q, pose, F):
    """Mirrors a planar chain at the line from its base to its tip as far as its limits allow."""
    parent, length, joints = tree
    B, R, P = pose
    copy_rows(P, F)
    for i in range(parent.shape[0]):
        s = parent[i] + 1
        k = 1.0 / length[i]
        x, y, z = (F[i + 1, 0] - F[s, 0]) * k, (F[i + 1, 1] - F[s, 1]) * k, (F[i + 1, 2] - F[s, 2]) * k
        x, y, z = mirrored(ax, ay, az, x, y, z)
        place_socket(parent, joints, i, R, B)
        aim_bone(joints, i, q, B, x, y, z)
        place_bone(parent, length, joints, i, q, B, R, P)


@lean
def tree_size(parent, length, lengths):
    """The longest way from the base to a node [m]; writes the way to each bone's end."""
    size = 0.0
    for i in range(parent.shape[0]):
        lengths[i] = length[i] + (lengths[parent[i]] if parent[i] >= 0 else 0.0)
        size = max(size, lengths[i])
    return size


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
        settings: (9,) as `core/bone_codes.py` lays them out.
        pole: (3,) point the elbow shall point to, or of length zero.
        base_out: (3,), q_out: (n, 3), R_out: (n, 3, 3), P_out: (n+1, 3): the pose.
        report_out: (8,) what was measured.
    """
    n, K = parent.shape[0], wants.shape[0]
    for k in range(K):
        for a in range(WANTS):
            if math.isnan(wants[k, a]) or (math.isinf(wants[k, a]) and a >= POINT):
                return BAD_TARGET
    rows, variables = 6 * K, 3 * n + 3
    B, G = np.empty((n, 3, 3)), np.empty((n, 3, 3))
    q_t, q_best, q_pole = np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3))
    roles, base_best, pulls, F = np.empty((n, ROLES)), np.empty(3), np.empty((n + 1, 4)), np.empty((n + 1, 3))
    room = (
        np.empty(3),
        q_t,
        pulls,
        F,
        G,
        np.empty((variables, MOVES)),
        np.empty(n, np.int64),
        np.empty((rows, variables)),
        np.empty((rows, rows)),
        np.empty((4, max(rows, variables))),
        np.empty((2, n, 3)),
    )
    tree, pose = (parent, length, joints), (B, R_out, P_out)
    copy_rows(q_start, q_out)
    copy(base_start, base_out)
    size = tree_size(parent, length, room[9][0])
    way = room[9][0][int(wants[0, BONE])]
    assign_roles(parent, wants, roles)
    place_bones(parent, length, joints, base_out, q_out, B, R_out, P_out)
    if not worst_errors(wants, R_out, P_out)[2]:
        x, y, z = wants[0, POINT] - base_out[0], wants[0, POINT + 1] - base_out[1], wants[0, POINT + 2] - base_out[2]
        has_point, fixed = wants[0, GOAL_KIND] != ORIENTATION, settings[BASE_IS_FREE] == 0.0
        if K == 1 and has_point and fixed and norm(x, y, z) > way:
            aim_straight(parent, length, joints, wants, roles, base_out, q_out, B, R_out, P_out)
        elif is_locked(parent, wants, P_out):
            bend_tree(parent, joints, roles, q_out)
    sweeps = int(settings[MAX_SWEEPS])
    if can_glide(parent, wants, settings, size, P_out) and not worst_errors(wants, R_out, P_out)[2]:
        glide(tree, wants, size, base_out, q_out, pose, room)
        sweeps = 0
    swept, steps, arrived = attempt(tree, wants, roles, size, settings, sweeps, base_out, q_out, pose, room)
    tries = 1
    if not arrived and settings[REFINE] != 0.0 and settings[MAX_TRIES] > 1.0:
        more, tries, arrived = restart(
            tree, wants, roles, size, settings, base_out, q_out, q_best, base_best, pose, room
        )
        steps += more
    left = 0.0
    if pole.shape[0] == 3 and K == 1:
        left = follow_pole(tree, wants, roles, size, settings, pole, base_out, q_out, q_pole, pose, room)
    place_bones(parent, length, joints, base_out, q_out, B, R_out, P_out)
    position, rotation, arrived = worst_errors(wants, R_out, P_out)
    report_out[POSITION_ERROR], report_out[ROTATION_ERROR] = position, rotation
    report_out[LIMIT_EXCESS] = worst_excess(joints, q_out)
    report_out[ITERATIONS], report_out[TRIES], report_out[SWEEPS], report_out[POLE_ANGLE] = steps, tries, swept, left
    return SOLVED if arrived else NOT_CONVERGED
