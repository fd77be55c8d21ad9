"""The whole solve of a bone tree with limits: sweeps, refiner, other starts, pole, measurement.

FABRIK sweeps bring the tips near within a few rounds; if they have not arrived then, the refiner
finishes (the combined paper's scheme). Limits make local minima; a tree that is stuck in one starts
again from seeded random joint values. With a pose to go on from, only an answer that arrives may
replace the one found from there, so a miss does not jump.
"""

import math

import numpy as np

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
    SETTINGS,
    SWEEPS,
    WANTS,
)
from forearm.core.bones.fabrik import assign_roles, backward_reach, forward_reach
from forearm.core.bones.fabrik_free import GLIDE, read_directions, refine_free
from forearm.core.bones.pole import follow_pole
from forearm.core.bones.pose import aim_bone, place_bone, place_bones, place_socket, worst_errors, worst_excess
from forearm.core.bones.refine import refine, write_residual
from forearm.core.bones.room import PULL, ROLES, Goal, Pose, Tree, open_frames, open_room, pose_size, room_size
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
from forearm.core.jit import leaf, lean, shared
from forearm.core.maths.limits import copy, copy_rows
from forearm.core.maths.se3 import norm
from forearm.core.shaped import shaped

# Sweeps after a restart; every other restart has none, since sweeps can pull into the same corner.
RESTART_SWEEPS = 3
# Steps of the refiner without limits in a glide: it converges in two or three.
GLIDE_STEPS = 12
# Goals turned by less than this are near [rad], as points are within GLIDE of the size.
GLIDE_TURN = 0.5


@lean
def glide(tree, goal, settings, pose, room):
    """Moves a chain near its target there as if it had no limits, all bones a little, then inside the limits.

    Spread so, a small motion stays small at every joint; `refine` then takes back what limits broke.
    """
    wants, base, F, U = goal.wants, pose.base, room.F, room.U
    target = (wants[0, POINT] - base[0], wants[0, POINT + 1] - base[1], wants[0, POINT + 2] - base[2])
    for i in range(F.shape[0]):
        for a in range(3):
            F[i, a] = pose.P[i, a] - base[a]
    read_directions(F, U)
    refine_free(tree.length, goal.size, target, wants[0, REACH_TOL], GLIDE_STEPS, settings, U, room.V, F)
    copy(base, pose.P[0])
    for i in range(U.shape[0]):
        place_socket(tree, i, pose)
        aim_bone(tree, i, pose, U[i, 0], U[i, 1], U[i, 2])
        place_bone(tree, i, pose)


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
def attempt(tree, goal, settings, sweeps, pose, room):
    """Sweeps until every tip is within tolerance, then refines; returns sweeps, steps and whether all arrived."""
    free_base, swept = settings[BASE_IS_FREE] != 0.0, 0
    place_bones(tree, pose)
    while swept < sweeps and not worst_errors(goal.wants, pose)[2]:
        forward_reach(tree, goal, pose, room)
        if free_base:
            copy(room.F[0], pose.base)
        backward_reach(tree, goal, pose, room)
        swept += 1
    arrived = worst_errors(goal.wants, pose)[2]
    if arrived or settings[REFINE] == 0.0:
        return swept, 0, arrived
    steps, arrived = refine(tree, goal, free_base, int(settings[MAX_STEPS]), pose, room)
    return swept, steps, arrived


@leaf
def keep_pose(pose, room):
    """Keeps joint values and base as the best so far."""
    copy_rows(pose.q, room.best_q)
    copy(pose.base, room.best_base)


@lean
def restart(tree, goal, settings, pose, room):
    """Tries drawn starts; leaves the pose at the answer, else at the best; returns steps, tries, whether arrived."""
    r = room.system.r
    _, least = write_residual(goal, pose, r)
    keep_pose(pose, room)
    state, steps = np.uint64(int(settings[RNG_SEED])), 0
    for k in range(1, int(settings[MAX_TRIES])):
        state = draw_values(tree.joints, goal.roles, state, pose.q)
        _, more, arrived = attempt(tree, goal, settings, RESTART_SWEEPS if k % 2 == 1 else 0, pose, room)
        steps += more
        if arrived:
            return steps, k + 1, True
        _, square = write_residual(goal, pose, r)
        if square < least and settings[HAS_START] == 0.0:
            least = square
            keep_pose(pose, room)
    copy_rows(room.best_q, pose.q)
    copy(room.best_base, pose.base)
    place_bones(tree, pose)
    return steps, max(1, int(settings[MAX_TRIES])), False


@lean
def first_guess(tree, goal, way, settings, pose, room):
    """Moves q where that helps: straight to a target out of reach, out of a dead lock, or near it in a glide.

    Returns how many sweeps shall follow; none where a start is near. `way` is that from base to first tip [m].
    """
    wants, base, sweeps = goal.wants, pose.base, int(settings[MAX_SWEEPS])
    place_bones(tree, pose)
    if worst_errors(wants, pose)[2]:
        return sweeps
    x, y, z = wants[0, POINT] - base[0], wants[0, POINT + 1] - base[1], wants[0, POINT + 2] - base[2]
    has_point, is_fixed = wants[0, GOAL_KIND] != ORIENTATION, settings[BASE_IS_FREE] == 0.0
    if wants.shape[0] == 1 and has_point and is_fixed and norm(x, y, z) > way:
        aim_straight(tree, goal, pose)
        return sweeps
    if is_locked(tree.parent, wants, pose.P):
        bend_tree(tree, goal.roles, pose.q)
        place_bones(tree, pose)
    if settings[HAS_START] == 0.0 or settings[REFINE] == 0.0:
        return sweeps
    position, rotation, _ = worst_errors(wants, pose)
    if not (position < GLIDE * goal.size and rotation < GLIDE_TURN):
        return sweeps
    if can_glide(tree.parent, wants, settings):
        glide(tree, goal, settings, pose, room)
    return 0


@shared
def bones_size(n, tips):
    """How many numbers of scratch a solve of n bones with so many tips takes."""
    return SETTINGS + 3 + ROLES * n + pose_size(n) + room_size(n, tips)


@leaf
def open_work(work, n, tips):
    """Settings, base, roles, frames and room in scratch; only for lean kernels."""
    own, base, rest = work[:SETTINGS], work[SETTINGS : SETTINGS + 3], work[SETTINGS + 3 :]
    roles, rest = shaped(rest[: ROLES * n], (n, ROLES)), rest[ROLES * n :]
    return own, base, roles, open_frames(rest, n), open_room(rest[pose_size(n) :], n, tips)


@lean
def solve_bones(parent, length, joints, base, q_start, wants, settings, pole, work, q_out, P_out, report_out):
    """Solves all tips of a tree from joint values q_start (n, 3) inside the limits; returns a code.

    Tree, `wants` and `settings` are those of `core/bones/codes.py`, the pole is (3,) or of length zero.
    """
    for k in range(wants.shape[0]):  # numbers only, points and frames not beyond all measure
        for a in range(WANTS):
            if math.isnan(wants[k, a]) or (a >= POINT and not abs(wants[k, a]) < FARTHEST):
                return BAD_TARGET
    n, size = parent.shape[0], 0.0
    tree = Tree(parent, length, joints)
    _, own_base, roles, (B, R, _), room = open_work(work, n, wants.shape[0])
    pose = Pose(own_base, q_out, B, R, P_out)
    copy(base, own_base)
    copy_rows(q_start, q_out)
    ways = room.system.r  # from the base to each bone's end [m]
    for i in range(n):
        ways[i] = length[i] + (ways[parent[i]] if parent[i] >= 0 else 0.0)
        size = max(size, ways[i])
    goal = Goal(wants, roles, size)
    assign_roles(parent, wants, roles)
    sweeps = first_guess(tree, goal, ways[int(wants[0, BONE])], settings, pose, room)
    swept, steps, arrived = attempt(tree, goal, settings, sweeps, pose, room)
    tries, left = 1, 0.0
    if not arrived and settings[REFINE] != 0.0 and settings[MAX_TRIES] > 1.0:
        more, tries, arrived = restart(tree, goal, settings, pose, room)
        steps += more
    if arrived and pole.shape[0] == 3 and wants.shape[0] == 1:
        left = follow_pole(tree, goal, settings, pole, pose, room)
    place_bones(tree, pose)
    report_out[POSITION_ERROR], report_out[ROTATION_ERROR], arrived = worst_errors(wants, pose)
    report_out[LIMIT_EXCESS] = worst_excess(joints, q_out)
    report_out[ITERATIONS], report_out[TRIES], report_out[SWEEPS], report_out[POLE_ANGLE] = steps, tries, swept, left
    return SOLVED if arrived else NOT_CONVERGED


@shared
def one_or_each(rows, count):
    """The rows of what is one for all of many targets, or one each; -1 for any others."""
    return rows if rows == 1 or rows == count else -1


@lean
def solve_bones_many(
    parent, length, joints, starts, values, wants, settings, once, pole, work, q_out, P_out, report_out, codes_out
):
    """Wants (N, K, 23) of a tree with limits; starts (N or 1, n+1, 3) and values (N or 1, n, 3).

    Where `once` (N,) is true, no start but the first can help: the target is beyond the reach.
    """
    own = open_work(work, parent.shape[0], wants.shape[1])[0]
    copy(settings, own)
    for i in range(wants.shape[0]):
        k = i if starts.shape[0] > 1 else 0
        own[MAX_TRIES] = 1.0 if once[i] else settings[MAX_TRIES]
        tree, answer = (parent, length, joints, starts[k, 0], values[k]), (q_out[i], P_out[i], report_out[i])
        codes_out[i] = solve_bones(*tree, wants[i], own, pole, work, *answer)


@lean
def trace_bones(parent, length, joints, base, q, wants, free_base, work, stages_out):
    """Writes the points after every stage of plain sweeps; returns how many stages there are, the start included."""
    n = parent.shape[0]
    _, _, roles, (B, R, P), room = open_work(work, n, wants.shape[0])
    tree, goal, pose = Tree(parent, length, joints), Goal(wants, roles, 0.0), Pose(base, q, B, R, P)
    assign_roles(parent, wants, goal.roles)
    place_bones(tree, pose)
    copy_rows(pose.P, stages_out[0])
    count = 1
    while count + 2 <= stages_out.shape[0] and not worst_errors(wants, pose)[2]:
        copy_rows(pose.P, room.F)
        forward_reach(tree, goal, pose, room)
        for i in range(n):  # bones without a goal stay where they are
            if goal.roles[i, PULL] == 0.0:
                copy(pose.P[i + 1], room.F[i + 1])
        copy_rows(room.F, stages_out[count])
        if free_base:
            copy(room.F[0], base)
        backward_reach(tree, goal, pose, room)
        copy_rows(pose.P, stages_out[count + 1])
        count += 2
    return count
