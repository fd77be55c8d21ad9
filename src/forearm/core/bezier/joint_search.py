"""Poses of a chain with limits, obstacles or both, from many starts: the curve's poses, then drawn ones.

As `core/bezier/search.py`, but a start is first fitted to the joints' limits and then mended in joint space
(`core/bezier/joint_avoid.py`). Without curves (the FABRIK method) it begins with the pose it was given.
"""

import math
from typing import NamedTuple

import numpy as np

from forearm.core.bezier.frame import FAILED, place_in_world, reach_bounds
from forearm.core.bezier.joint_avoid import ROWS, avoid, tip_miss
from forearm.core.bezier.room import DRAWS, FROM_GIVEN, KEEP, ON_CURVES, PLANAR, SEED, Draft, Links, World
from forearm.core.bezier.search import (
    END_ANGLES,
    FIRST,
    GAP,
    GRID_SWIVELS,
    SECOND,
    SEEDS,
    SWIVEL,
    SWIVELS,
    TILTS,
    end_angle,
    forget,
    lay_seed,
    remember,
    swivel_of,
    tilt_of,
)
from forearm.core.bezier.solve import aim_frame, curve_size, open_curve
from forearm.core.bones.codes import POINT
from forearm.core.bones.fabrik import assign_roles
from forearm.core.bones.pose import place_bones, point_bones, worst_errors, worst_excess
from forearm.core.bones.room import Goal, Pose, Room, System, Tree, open_system, system_size
from forearm.core.bones.solve import bones_size, open_work
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
from forearm.core.jit import lean, shared
from forearm.core.maths.limits import copy, copy_rows

# What is best to come back with when nothing is free: a tip on the target counts first, then the clearance.
# stages in the report: 0 none, 1 a start as it was, 2 mended, 3 from other curves, 4 drawn, 5 from the given pose
GIVEN, AS_IT_WAS, MENDED, OTHER, DRAWN = 5, 1, 2, 3, 4
# A tip off its target weighs so much more than the same length of clearance.
TIP_FIRST = 1e3


class JointSearch(NamedTuple):
    """The chain, its goal, what is round it, and the work arrays of a search; the best pose is in `room.best_q`."""

    tree: Tree
    goal: Goal
    world: World
    links: Links
    D: float  # distance of the target, within reach [m]
    planar: bool
    frame: np.ndarray  # (6,) line and normal
    q0: np.ndarray  # (n, 3) joint values to begin with
    pose: Pose
    room: Room
    wide: System
    draft: Draft
    seeds: np.ndarray  # (SEEDS, SEED_COLUMNS)
    P: np.ndarray  # (n+1, 3) points of a curve


@lean
def fit_curve(task, swivel):
    """Places the curve that was laid, swivelled, and turns the joints toward it as far as limits allow."""
    place_in_world(task.pose.base, task.frame, swivel, task.planar, task.draft.xy, task.P)
    copy_rows(task.q0, task.pose.q)
    point_bones(task.tree, task.P, task.pose)


@lean
def score(task, first, second, swivels):
    """Lays one curve, swivels it, fits it and remembers how well; returns whether one is an answer as it is."""
    wants, pose, world = task.goal.wants, task.pose, task.world
    if lay_seed(task.links, task.D, first, second, task.draft) == FAILED:
        return False
    for k in range(2 if task.planar else swivels):
        swivel = swivel_of(k, swivels, task.planar)
        fit_curve(task, swivel)
        gap, _, _ = chain_gap(world.obstacles, pose.P, world.radii)
        lack = max(0.0, world.clearance - gap)
        if lack == 0.0 and worst_errors(wants, pose)[2]:
            return True
        remember(task.seeds, SEEDS, -(tip_miss(wants, pose.P) + lack), first, second, swivel)
    return False


@lean
def mend(task, best):
    """Mends the best seeds one by one; returns whether one is an answer, the best score, steps and tries."""
    seeds, steps, tries = task.seeds, 0, 0
    for k in range(SEEDS):
        if seeds[k, GAP] == -math.inf:
            break
        lay_seed(task.links, task.D, seeds[k, FIRST], seeds[k, SECOND], task.draft)
        fit_curve(task, seeds[k, SWIVEL])
        done, more, best = one_try(task, best)
        steps, tries = steps + more, tries + 1
        if done:
            return True, best, steps, tries
    return False, best, steps, tries


@lean
def one_try(task, best):
    """Mends the pose at hand; keeps it if nothing was better; returns whether it is an answer, steps, best score."""
    goal, pose = task.goal, task.pose
    done, gap, steps = avoid(task.tree, goal, task.world, pose, task.room, task.wide)
    value = min(gap, goal.size) - TIP_FIRST * tip_miss(goal.wants, pose.P)
    if value > best or done:
        best = value
        copy_rows(pose.q, task.room.best_q)
    return done, steps, best


@lean
def search_curves(task, best):
    """Stages 1 to 3; returns the stage that found an answer (0 none), the best score, steps, tries."""
    forget(task.seeds)
    for k in range(TILTS + 1):
        if score(task, tilt_of(k), tilt_of(k), SWIVELS):
            return AS_IT_WAS, best, 0, 1
    done, best, steps, tries = mend(task, best)
    if done:
        return MENDED, best, steps, tries
    forget(task.seeds)
    for i in range(END_ANGLES):
        for j in range(END_ANGLES):
            if score(task, end_angle(i), end_angle(j), GRID_SWIVELS):
                return OTHER, best, steps, tries + 1
    done, best, more, tried = mend(task, best)
    return (OTHER if done else 0), best, steps + more, tries + tried


@lean
def search_all(task, choices):
    """The given pose, curves, drawn starts, as `choices` ask; returns stage, steps, tries, the pose at the best."""
    stage, best, steps, tries, q = 0, -math.inf, 0, 0, task.pose.q
    copy_rows(task.q0, q)
    copy_rows(task.q0, task.room.best_q)
    if choices[FROM_GIVEN] != 0.0:
        done, steps, best = one_try(task, best)
        stage, tries = (GIVEN if done else 0), 1
    if stage == 0 and choices[ON_CURVES] != 0.0:
        stage, best, more, tried = search_curves(task, best)
        steps, tries = steps + more, tries + tried
    state = np.uint64(int(choices[SEED]))
    for _ in range(int(choices[DRAWS])):
        if stage != 0:
            break
        state = draw_values(task.tree.joints, task.goal.roles, state, q)
        done, more, best = one_try(task, best)
        stage, steps, tries = (DRAWN if done else 0), steps + more, tries + 1
    if stage == 0:
        copy_rows(task.room.best_q, q)
    place_bones(task.tree, task.pose)
    return stage, steps, tries


@shared
def joint_search_size(n):
    """How many numbers of scratch a search of n bones takes."""
    return curve_size(n) + bones_size(n, 1) + system_size(ROWS, 3 * n)


@lean
def solve_by_search(
    parent, length, joints, radii, obstacles, base, q0, wants, pole, choices, work, frame_out, q_out, P_out, report_out
):
    """Poses a chain with limits and obstacles from joint values q0 (n, 3); returns a status code.

    The chain and `wants` (1, 23), a point within reach, are those of `core/bones/codes.py`; the others are as for
    `solve_bezier`.
    """
    n, planar, keep = parent.shape[0], choices[PLANAR] != 0.0, choices[KEEP]
    total, nearest = reach_bounds(length)
    target = wants[0, POINT : POINT + 3]
    D = min(max(aim_frame(base, target, planar, pole, math.pi, frame_out), nearest), total)
    (draft, seeds, rows), rest = open_curve(work, n), work[curve_size(n) :]
    wide, rest = open_system(rest, ROWS, 3 * n), rest[system_size(ROWS, 3 * n) :]
    _, own_base, roles, (B, R, _), room = open_work(rest, n, 1)
    goal = Goal(wants, roles, total)
    copy(base, own_base)
    assign_roles(parent, wants, goal.roles)
    tree, links, world = Tree(parent, length, joints), Links(length, total, nearest), World(obstacles, radii, keep)
    pose, P = Pose(own_base, q_out, B, R, P_out), rows[0]
    task = JointSearch(tree, goal, world, links, D, planar, frame_out, q0, pose, room, wide, draft, seeds, P)
    stage, steps, tries = search_all(task, choices)
    report_out[ITERATIONS], report_out[TRIES], report_out[STAGE] = steps, tries, stage
    report_out[POSITION_ERROR], report_out[ROTATION_ERROR], arrived = worst_errors(wants, pose)
    report_out[LIMIT_EXCESS] = worst_excess(joints, q_out)
    gap = report_gap(obstacles, P_out, radii, report_out)
    if arrived and gap >= keep:
        return SOLVED
    return COLLISION if arrived else NOT_CONVERGED
