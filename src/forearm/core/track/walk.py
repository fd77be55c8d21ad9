"""Walks along a path: one bounded solve per point, cut finer where it must be.

Each point is solved inside the box of the limits and of one `max_joint_step` around the point
before it, so neither can be passed. The point counts only if forward kinematics says so, and if
the pose halfway (in joints) from the last one lies on the chord between them. Otherwise the step is
halved, down to 1/64 of a segment, and doubled again after a success. It fails where no small step
goes on: a limit, a singularity, the end of reach; what was walked until then stands.
"""

import math
from typing import Any, NamedTuple

from forearm.core.arm.compact import Q
from forearm.core.arm.goal import has_axis_tolerances
from forearm.core.arm.problem import REACH, Goal, open_problem
from forearm.core.codes import LOWER, TERMS, UPPER
from forearm.core.collision.bodies import World
from forearm.core.collision.clearance import open_aimless
from forearm.core.general.lm import Try, aim_closer, near, take_aim, try_size
from forearm.core.jit import leaf, lean, shared
from forearm.core.maths.limits import copy
from forearm.core.shaped import shaped
from forearm.core.track.guard import open_room, room_size, stand_clear, tightness, way_is_clear
from forearm.core.track.path import Path, blend, keeps, widen
from forearm.core.track.start import (
    COST,
    DEEPEST,
    DEPTH,
    HALFWAY_POSITION,
    HALFWAY_ROTATION,
    MAX_STEP,
    NUMBERS,
    PLACE,
    VECTORS,
    Node,
    Wish,
    begin_at,
    box_around,
    predict,
)

# how a walk ended
ARRIVED, FULL, STUCK = 0, 1, 2

STEPS, MORE_STEPS = 30, 60  # of a solve: from the predicted start; from the last point
# Solves aim at this share of the tolerance: the joints are then smooth far below it, and the same
# place walked twice gives the same joints.
TIGHT = 0.01
# What joints near their limits cost a strand: from this place in the range on, times this weight.
CROWDED, CROWDING = 0.8, 12.5


class Walk(NamedTuple):
    """A walk: the robot, its path, and what it works with."""

    robot: Any
    reach: Any  # [m]
    path: Any
    world: Any  # what to keep away from; no bodies for nothing
    wish: Any
    trial: Any  # its aim is made for each step
    goal: Any  # the target of a step
    way: Any  # (n,) scratch
    q: Any  # (n,) the point at hand
    room: Any


@shared
def walk_size(m, n, bodies, pairs):
    """How many numbers of scratch a walk takes."""
    return VECTORS * n + NUMBERS + try_size(m) + 16 + TERMS + 2 * n + room_size(n, bodies, pairs)


@leaf
def open_walk(asked, path, world, wish, work):
    """A walk in scratch; only for lean kernels."""
    robot, n = asked.robot, asked.robot.limits.shape[1]
    trial, rest = open_aimless(asked.chain, asked.settings, work), work[try_size(robot.joints.shape[0]) :]
    goal, rest = Goal(shaped(rest[:16], (4, 4)), path.kind, rest[16 : 16 + TERMS]), rest[16 + TERMS :]
    room = open_room(n, world.bodies.shape[0], rest[2 * n :])
    return Walk(robot, asked.facts[REACH], path, world, wish, trial, goal, rest[:n], rest[n : 2 * n], room)


@lean
def follow(
    problem,
    goals,
    terms,
    bodies,
    pairs,
    charts,
    obstacles,
    clearance,
    plan,
    posture,
    guide,
    until,
    node,
    work,
    q_out,
    s_out,
):
    """Goes on from where the node stands until way-point `until`, and moves it on.

    Way-points are `goals` (N, 4, 4) and `terms` (N, 15); no bodies: nothing to keep away from. `plan`, `posture` and
    `guide` say how to go on (`core/track/start.py`). Writes points (C, n) and their places (C,); how many, and how it
    ended: FULL means: call again.
    """
    n, size, count = q_out.shape[1], node.shape[0], 0
    asked, kept = open_problem(problem, goals[0], n), work[:size]
    here = Node(node[:n], node[n : 2 * n], node[2 * n : 3 * n], node[3 * n : 4 * n], node[4 * n :])
    path, world = Path(goals, terms, asked.goal.kind), World(bodies, pairs, charts, obstacles, clearance)
    walk = open_walk(asked, path, world, Wish(plan, posture, guide), work[size:])
    while here.numbers[PLACE] < until:
        if count == s_out.shape[0]:
            return count, FULL
        h = 0.5 ** here.numbers[DEPTH]
        copy(node, kept)
        if step_on(walk, here, h):
            copy(here.at, q_out[count])
            s_out[count] = here.numbers[PLACE]
            count += 1
            if h < 1.0 and (here.numbers[PLACE] / (2.0 * h)) % 1.0 == 0.0:
                here.numbers[DEPTH] -= 1.0
        else:
            copy(kept, node)
            if here.numbers[DEPTH] >= plan[DEEPEST]:
                return count, STUCK
            here.numbers[DEPTH] += 1.0
    return count, ARRIVED


@lean
def step_on(walk, node, h):
    """Moves the node on by h way-points if a step inside all bounds leads there; says whether."""
    robot, goal, world, plan = walk.robot, walk.goal, walk.world, walk.wish.plan
    place, guarded, q, way = node.numbers[PLACE], world.bodies.shape[0] > 0, walk.q, walk.way
    blend(walk.path, place + h, goal)
    aim = take_aim(walk.reach, goal.terms, has_axis_tolerances(goal.terms), walk.trial.aim.coupled)
    aim = aim_closer(aim, aim.position * (TIGHT * TIGHT), aim.rotation * (TIGHT * TIGHT))
    trial = Try(walk.trial.chain, aim, walk.trial.arm, walk.trial.gauge, walk.trial.budget)
    box_around(robot.limits, node.at, plan[MAX_STEP], trial.arm)
    predict(trial, goal, walk.wish, node, h, way, q)
    if not meet_point(robot, goal, trial, node.at, q):
        return False
    if guarded and not stand_clear(robot, goal, trial, world, walk.room, q):
        return False
    for k in range(q.shape[0]):
        way[k] = 0.5 * (node.at[k] + q[k])
    blend(walk.path, place + 0.5 * h, goal)
    widen(plan[HALFWAY_POSITION], plan[HALFWAY_ROTATION], goal.terms)
    if not keeps(robot.links, robot.joints, goal, way, trial.gauge):
        return False
    if guarded:
        if not way_is_clear(trial, world, walk.room, node.at, q):
            return False
        node.numbers[COST] += CROWDING * tightness(world, walk.room.placed, trial.arm) * h
    move_node(robot.limits, plan, h, q, node)
    return True


@leaf
def meet_point(robot, goal, trial, last, q):
    """Brings q to a way-point: from where it was predicted, else from the last point; whether it is there."""
    for most in (STEPS, MORE_STEPS):
        begin_at(q, trial.arm)
        near(trial, goal, math.inf, most)
        for k in range(q.shape[0]):
            q[k] = trial.arm[k, Q]
        if keeps(robot.links, robot.joints, goal, q, trial.gauge):
            return True
        copy(last, q)
    return False


@leaf
def move_node(limits, plan, h, q, node):
    """Puts the node at q, a step of h way-points on, and adds what the step costs."""
    for k in range(q.shape[0]):
        moved = q[k] - node.at[k]
        node.rate[k] = moved / h
        node.at[k] = q[k]
        node.numbers[COST] += (moved / plan[MAX_STEP]) ** 2 / h
        half = 0.5 * (limits[UPPER, k] - limits[LOWER, k])
        if 0.0 < half < math.inf:
            crowded = max(0.0, abs(q[k] - limits[LOWER, k] - half) / half - CROWDED)
            node.numbers[COST] += CROWDING * crowded * crowded * h
    node.numbers[PLACE] += h
