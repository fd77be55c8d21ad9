"""Walks along a path: one bounded solve per point, cut finer where it must be.

Each point is solved inside the box of the limits and of one `max_joint_step` around the point
before it, so neither can be passed. The point counts only if forward kinematics says so, and if
the pose halfway (in joints) from the last one lies on the chord between them. Otherwise the step is
halved, down to 1/64 of a segment, and doubled again after a success. It fails where no small step
goes on: a limit, a singularity, the end of reach; what was walked until then stands.
"""

import math

import numpy as np

from forearm.core.arm.compact import ARM_COLUMNS, LANES, Q
from forearm.core.arm.goal import has_axis_tolerances
from forearm.core.codes import LOWER, TERMS, UPPER
from forearm.core.collision.bodies import World
from forearm.core.general.lm import AIM, POSITION_GOAL, ROTATION_GOAL, near, take_aim
from forearm.core.general.seeds import REACH
from forearm.core.general.solve import is_coupled
from forearm.core.jit import kernel, leaf, lean
from forearm.core.maths.limits import copy
from forearm.core.shaped import shaped
from forearm.core.track.guard import room_size, stand_clear, tightness, way_is_clear
from forearm.core.track.path import blend, keeps, widen
from forearm.core.track.start import (
    COST,
    DEEPEST,
    DEPTH,
    HALFWAY_POSITION,
    HALFWAY_ROTATION,
    MAX_STEP,
    PLACE,
    PUSH,
    RATE,
    VECTORS,
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


@lean
def walk(task, world, wish, until, node, work, q_out, s_out):
    """Goes on from where the node stands until way-point `until`.

    Args:
        task: Links, joints, limits (2, n), kind, goals (N, 4, 4) and terms (N, 14) of the way-points, chain, facts.
        world: Bodies, pairs, obstacles, clearance: what to keep away from; no bodies for nothing.
        wish: The plan, settings of the walk (`core/track/start.py`); the posture (n,) that free motion goes toward;
            the guide (N, n), starts of the solves, only read in mode GUIDED.
        node: Where the walk stands; moved on.
        work: Scratch.
        q_out, s_out: (C, n) and (C,), the points walked and their places.

    Returns:
        How many points were written, and how it ended; FULL means: call again.
    """
    n, size, count = q_out.shape[1], node.shape[0], 0
    tail, plan = VECTORS * n, wish[0]
    kept, rest = work[:size], work[size:]
    while node[tail + PLACE] < until:
        if count == s_out.shape[0]:
            return count, FULL
        h = 0.5 ** node[tail + DEPTH]
        copy(node, kept)
        if step_on(task, world, wish, h, node, rest):
            for k in range(n):
                q_out[count, k] = node[k]
            s_out[count] = node[tail + PLACE]
            count += 1
            if h < 1.0 and (node[tail + PLACE] / (2.0 * h)) % 1.0 == 0.0:
                node[tail + DEPTH] -= 1.0
        else:
            copy(kept, node)
            if node[tail + DEPTH] >= plan[DEEPEST]:
                return count, STUCK
            node[tail + DEPTH] += 1.0
    return count, ARRIVED


@lean
def step_on(task, world, wish, h, node, work):
    """Moves the node on by h way-points if a step inside all bounds leads there; says whether."""
    links, joints, limits, kind, goals, terms, chain, facts = task
    plan, posture, guide = wish
    n, m = limits.shape[1], joints.shape[0]
    lanes = (m + LANES - 1) // LANES * LANES
    arm, rest = shaped(work[: ARM_COLUMNS * m], (m, ARM_COLUMNS)), work[ARM_COLUMNS * m :]
    trig, rest = shaped(rest[: 3 * lanes], (3, lanes)), rest[3 * lanes :]
    T, goal, e, aim = shaped(rest[:16], (4, 4)), shaped(rest[16:32], (4, 4)), rest[32:38], rest[38 : 38 + AIM]
    rest = rest[38 + AIM :]
    here, way, q = rest[:TERMS], rest[TERMS : TERMS + n], rest[TERMS + n : TERMS + 2 * n]
    room, place = rest[TERMS + 2 * n :], node[VECTORS * n + PLACE]
    blend(goals, terms, kind, place + h, goal, here)
    take_aim(facts[REACH], here, has_axis_tolerances(here), is_coupled(joints), aim)
    aim[POSITION_GOAL] *= TIGHT * TIGHT
    aim[ROTATION_GOAL] *= TIGHT * TIGHT
    box_around(limits, node[:n], plan[MAX_STEP], arm)
    predict(chain, goal, kind, here, aim, plan, posture, guide, h, node, arm, trig, T, e, way, q)
    if not meet_point(links, joints, goal, kind, here, chain, aim, node, arm, trig, T, e, q):
        return False
    guarded = world.bodies.shape[0] > 0
    if guarded and not stand_clear(links, joints, goal, kind, here, chain, aim, world, arm, trig, T, e, room, q):
        return False
    for k in range(n):
        way[k] = 0.5 * (node[k] + q[k])
    blend(goals, terms, kind, place + 0.5 * h, goal, here)
    widen(plan[HALFWAY_POSITION], plan[HALFWAY_ROTATION], here)
    if not keeps(links, joints, goal, kind, here, way, T, e):
        return False
    if guarded:
        if not way_is_clear(chain, world, node[:n], q, arm, trig, T, way, room):
            return False
        node[VECTORS * n + COST] += CROWDING * tightness(world, room) * h
    move_node(limits, plan, h, q, node)
    return True


@leaf
def meet_point(links, joints, goal, kind, terms, chain, aim, node, arm, trig, T, e, q):
    """Brings q to a way-point: from where it was predicted, else from the last point; whether it is there."""
    for most in (STEPS, MORE_STEPS):
        begin_at(q, arm)
        near(chain, goal, kind, terms, aim, math.inf, most, arm, trig, T, e)
        for k in range(q.shape[0]):
            q[k] = arm[k, Q]
        if keeps(links, joints, goal, kind, terms, q, T, e):
            return True
        for k in range(q.shape[0]):
            q[k] = node[k]
    return False


@leaf
def move_node(limits, plan, h, q, node):
    """Puts the node at q, a step of h way-points on, and adds what the step costs."""
    n = q.shape[0]
    tail = VECTORS * n
    for k in range(n):
        moved = q[k] - node[k]
        node[RATE * n + k] = moved / h
        node[k] = q[k]
        node[tail + COST] += (moved / plan[MAX_STEP]) ** 2 / h
        half = 0.5 * (limits[UPPER, k] - limits[LOWER, k])
        if 0.0 < half < math.inf:
            crowded = max(0.0, abs(q[k] - limits[LOWER, k] - half) / half - CROWDED)
            node[tail + COST] += CROWDING * crowded * crowded * h
    node[tail + PLACE] += h


@leaf
def scratch_size(n, m, node, bodies, pairs):
    """How many numbers a walk needs as scratch."""
    own = node + ARM_COLUMNS * m + 3 * ((m + LANES - 1) // LANES * LANES) + 38 + AIM + TERMS + 2 * n
    return own + (room_size(n, bodies.shape[0], pairs.shape[0]) if bodies.shape[0] > 0 else 0)


@kernel
def follow(
    links,
    joints,
    limits,
    kind,
    goals,
    terms,
    chain,
    facts,
    bodies,
    pairs,
    obstacles,
    clearance,
    plan,
    posture,
    guide,
    until,
    node,
    q_out,
    s_out,
):
    """As `walk`, with scratch of its own."""
    work = np.zeros(scratch_size(limits.shape[1], joints.shape[0], node.shape[0], bodies, pairs))
    task = (links, joints, limits, kind, goals, terms, chain, facts)
    world = World(bodies, pairs, obstacles, clearance)
    return walk(task, world, (plan, posture, guide), until, node, work, q_out, s_out)


@kernel
def grow(
    links,
    joints,
    limits,
    kind,
    goals,
    terms,
    chain,
    facts,
    bodies,
    pairs,
    obstacles,
    clearance,
    plan,
    posture,
    guide,
    until,
    pushes,
    nodes,
    nodes_out,
    ends_out,
):
    """Walks one layer from every node with every rate of free motion.

    Args:
        pushes: (P,) rates of free motion, as shares of the largest step.
        nodes: (K, size).
        nodes_out: (K * P, size) where each strand stands at its end.
        ends_out: (K * P,) how it ended.
    """
    n, size = limits.shape[1], nodes.shape[1]
    work = np.zeros(scratch_size(n, joints.shape[0], size, bodies, pairs))  # the padding of sines is computed too
    task = (links, joints, limits, kind, goals, terms, chain, facts)
    world = World(bodies, pairs, obstacles, clearance)
    plan = plan.copy()
    q, s = np.empty((32, n)), np.empty(32)  # walked over again when full: only the end is asked for
    for i in range(nodes.shape[0]):
        for p in range(pushes.shape[0]):
            j = i * pushes.shape[0] + p
            node = nodes_out[j]
            node[:] = nodes[i]
            plan[PUSH] = pushes[p]
            end = FULL
            while end == FULL:
                _, end = walk(task, world, (plan, posture, guide), until, node, work, q, s)
            ends_out[j] = end
