"""Where the search for the next point of a path begins.

An arm with no joint to spare goes on as it went. A redundant one goes on only in what the tip
feels (the row space of the Jacobian): carried along, its free motion would never die out. Free
motion is added on purpose: toward a posture, or at a constant rate for looking ahead. All of it
is in the start point alone; the solve that follows keeps the tip on the path.

Where a walk stands is a flat array, opened as `Node`.
"""

import math
from typing import Any, NamedTuple

from forearm.core.arm.compact import HIGH, LOW, Q
from forearm.core.general.lm import linearise
from forearm.core.general.null_space import project_out
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import clamp, copy

VECTORS = 4  # of a node, each of length n; then its numbers
PLACE, DEPTH, SPEED, COST = 0, 1, 2, 3
NUMBERS = 4

# places in `plan`
(MAX_STEP, DEEPEST, HALFWAY_POSITION, HALFWAY_ROTATION, MODE, GAIN, CAP, FILTER, PACE, PUSH) = range(10)
PLAN = 10
# modes: go on as before; row space only; toward a posture; at a constant rate; along a guide
EXTRAPOLATE, FELT, TOWARD, PUSHED, GUIDED = 0, 1, 2, 3, 4

# a free motion shorter than this has no direction [rad or m]
NO_MOTION = 1e-9


class Node(NamedTuple):
    """Where a walk stands."""

    at: Any  # (n,) joint values
    rate: Any  # (n,) their change per way-point
    drift: Any  # (n,) free motion per way-point
    heading: Any  # (n,) the direction of the free motion
    numbers: Any  # (4,) place on the path, halvings of the step, speed of the joints that the tip needs, cost


class Wish(NamedTuple):
    """How a walk goes on."""

    plan: Any  # (10,) its settings
    posture: Any  # (n,) what free motion goes toward
    guide: Any  # (N, n) starts of the solves, only read in mode GUIDED


@leaf
def box_around(limits, q, widest, arm):
    """Writes as bounds the part of the limits within a step of q."""
    for k in range(arm.shape[0]):
        arm[k, Q], arm[k, LOW], arm[k, HIGH] = 0.0, 0.0, 0.0  # rows that no variable uses
    for k in range(q.shape[0]):
        arm[k, LOW] = max(limits[0, k], q[k] - widest)
        arm[k, HIGH] = min(limits[1, k], q[k] + widest)


@leaf
def begin_at(q, arm):
    """Copies a start into the try's array, inside its bounds."""
    for k in range(q.shape[0]):
        arm[k, Q] = clamp(q[k], arm[k, LOW], arm[k, HIGH])


@lean
def predict(trial, goal, wish, node, h, way, start_out):
    """Writes the start point of a step of h way-points from where the node stands.

    `goal` is that of the step's end; only the shape of what is asked matters here. `way` (n,) is scratch.
    """
    n, guide, mode = start_out.shape[0], wish.guide, int(wish.plan[MODE])
    if mode == GUIDED:
        s = node.numbers[PLACE] + h
        i = min(int(s), guide.shape[0] - 2)
        for k in range(n):
            start_out[k] = guide[i, k] + (s - i) * (guide[i + 1, k] - guide[i, k])
        return
    for k in range(n):
        start_out[k] = node.at[k] + h * node.rate[k]
    if mode == EXTRAPOLATE:
        return
    for k in range(n):  # the middle of the step as it is foreseen: there the Jacobian fits all of it
        way[k] = node.at[k] + 0.5 * h * node.rate[k]
    begin_at(way, trial.arm)
    linearise(trial, goal)
    felt = 0.0
    copy(node.rate, way)
    leave_unfelt(trial, goal, way)
    for k in range(n):
        felt = max(felt, abs(node.rate[k] - way[k]))
        start_out[k] -= h * way[k]
    if mode == TOWARD:
        drift_toward(trial, goal, wish, node, start_out, felt, h, way)
    elif mode == PUSHED:
        drift_on(trial, goal, wish.plan, node, way)
    if mode != FELT:
        for k in range(n):
            start_out[k] += h * node.drift[k]


@leaf
def leave_unfelt(trial, goal, way):
    """Takes from a motion, in place, what the tip feels of it; returns the largest change of a joint that is left."""
    project_out(goal.kind, trial.aim.unit, trial.arm, trial.gauge.e, way)
    longest = 0.0
    for k in range(way.shape[0]):
        longest = max(longest, abs(way[k]))
    return longest


@leaf
def drift_toward(trial, goal, wish, node, foreseen, felt, h, way):
    """Sets the free motion toward the posture, no faster than a share of what the tip needs.

    Both that speed and the motion are low-passed, at a pace that counts the whole path as 500
    way-points, so the joints do not depend on how finely a path is cut. The way is counted from
    `foreseen`, where the step would lead without free motion: at full share, none of it is left.
    """
    plan, posture = wish.plan, wish.posture
    pace = plan[PACE] * h
    share = 1.0 - (1.0 - plan[FILTER]) ** pace
    cap = 1.0 - (1.0 - plan[CAP]) ** pace
    node.numbers[SPEED] += share * (felt - node.numbers[SPEED])
    for k in range(way.shape[0]):
        way[k] = posture[k] - foreseen[k]
    longest, scale = leave_unfelt(trial, goal, way), 0.0
    if longest > NO_MOTION:
        scale = min(plan[GAIN] * node.numbers[SPEED] * h / longest, cap) / h
    for k in range(way.shape[0]):
        node.drift[k] += share * (scale * way[k] - node.drift[k])


@leaf
def drift_on(trial, goal, plan, node, way):
    """Sets the free motion to a constant rate along the direction it had, seen from here."""
    longest = 0.0
    for k in range(way.shape[0]):
        way[k] = node.heading[k]
        longest = max(longest, abs(way[k]))
    if longest == 0.0:
        freest_joint(trial, goal, node.heading, way)
    longest = leave_unfelt(trial, goal, way)
    scale = 1.0 / longest if longest > NO_MOTION else 0.0
    for k in range(way.shape[0]):
        node.heading[k] = scale * way[k]
        node.drift[k] = plan[PUSH] * plan[MAX_STEP] * scale * way[k]


@leaf
def freest_joint(trial, goal, spare, way_out):
    """Writes the unit motion of the joint that the tip feels least; `spare` (n,) is scratch."""
    n = way_out.shape[0]
    freest, best = 0, -math.inf
    for j in range(n):
        for k in range(n):
            spare[k] = 1.0 if k == j else 0.0
        leave_unfelt(trial, goal, spare)
        if spare[j] > best:
            freest, best = j, spare[j]
    for k in range(n):
        way_out[k] = 1.0 if k == freest else 0.0
