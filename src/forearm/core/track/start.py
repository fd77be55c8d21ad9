"""Where the search for the next point of a path begins.

An arm with no joint to spare goes on as it went. A redundant one goes on only in what the tip
feels (the row space of the Jacobian): carried along, its free motion would never die out. Free
motion is added on purpose: toward a posture, or at a constant rate for looking ahead. All of it
is in the start point alone; the solve that follows keeps the tip on the path.

A `node` holds where a walk stands: four vectors of length n, then the numbers below.
"""

import math

from forearm.core.arm.compact import HIGH, LOW, Q
from forearm.core.arm.problem import Gauge, Goal
from forearm.core.general.lm import Try, linearise
from forearm.core.general.null_space import project_out
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import clamp

# the vectors of a node: joint values, their change per way-point, free motion per way-point, and
# the direction of the free motion
AT, RATE, DRIFT, HEADING = 0, 1, 2, 3
VECTORS = 4
# the numbers behind them
PLACE, DEPTH, SPEED, COST = 0, 1, 2, 3
NUMBERS = 4

# places in `plan`
(MAX_STEP, DEEPEST, HALFWAY_POSITION, HALFWAY_ROTATION, MODE, GAIN, CAP, FILTER, PACE, PUSH) = range(10)
PLAN = 10
# modes: go on as before; row space only; toward a posture; at a constant rate; along a guide
EXTRAPOLATE, FELT, TOWARD, PUSHED, GUIDED = 0, 1, 2, 3, 4

# a free motion shorter than this has no direction [rad or m]
NO_MOTION = 1e-9


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
def predict(chain, goal, kind, terms, aim, plan, posture, guide, h, node, arm, trig, T, e, way, start_out):
    """Writes the start point of a step of h way-points from where the node stands.

    `goal` and `terms` are those of the step's end; only the shape of what is asked matters here.
    """
    n = start_out.shape[0]
    mode = int(plan[MODE])
    if mode == GUIDED:
        s = node[VECTORS * n + PLACE] + h
        i = min(int(s), guide.shape[0] - 2)
        for k in range(n):
            start_out[k] = guide[i, k] + (s - i) * (guide[i + 1, k] - guide[i, k])
        return
    for k in range(n):
        start_out[k] = node[AT * n + k] + h * node[RATE * n + k]
    if mode == EXTRAPOLATE:
        return
    for k in range(n):  # the middle of the step as it is foreseen: there the Jacobian fits all of it
        way[k] = node[AT * n + k] + 0.5 * h * node[RATE * n + k]
    begin_at(way, arm)
    linearise(Try(chain, aim, arm, Gauge(trig, T, e)), Goal(goal, kind, terms))
    felt = 0.0
    for k in range(n):
        way[k] = node[RATE * n + k]
    project_out(kind, aim.unit, arm, e, way)
    for k in range(n):
        felt = max(felt, abs(node[RATE * n + k] - way[k]))
        start_out[k] -= h * way[k]
    if mode == TOWARD:
        drift_toward(kind, aim, plan, posture, start_out, felt, h, node, arm, e, way)
    elif mode == PUSHED:
        drift_on(kind, aim, plan, node, arm, e, way)
    if mode != FELT:
        for k in range(n):
            start_out[k] += h * node[DRIFT * n + k]


@leaf
def drift_toward(kind, aim, plan, posture, foreseen, felt, h, node, arm, e, way):
    """Sets the free motion toward the posture, no faster than a share of what the tip needs.

    Both that speed and the motion are low-passed, at a pace that counts the whole path as 500
    way-points, so the joints do not depend on how finely a path is cut. The way is counted from
    `foreseen`, where the step would lead without free motion: at full share, none of it is left.
    """
    n = posture.shape[0]
    tail = VECTORS * n
    pace = plan[PACE] * h
    share = 1.0 - (1.0 - plan[FILTER]) ** pace
    cap = 1.0 - (1.0 - plan[CAP]) ** pace
    node[tail + SPEED] += share * (felt - node[tail + SPEED])
    for k in range(n):
        way[k] = posture[k] - foreseen[k]
    project_out(kind, aim.unit, arm, e, way)
    longest = 0.0
    for k in range(n):
        longest = max(longest, abs(way[k]))
    scale = 0.0
    if longest > NO_MOTION:
        scale = min(plan[GAIN] * node[tail + SPEED] * h / longest, cap) / h
    for k in range(n):
        node[DRIFT * n + k] += share * (scale * way[k] - node[DRIFT * n + k])


@leaf
def drift_on(kind, aim, plan, node, arm, e, way):
    """Sets the free motion to a constant rate along the direction it had, seen from here."""
    n = way.shape[0]
    longest = 0.0
    for k in range(n):
        way[k] = node[HEADING * n + k]
        longest = max(longest, abs(way[k]))
    if longest > 0.0:
        project_out(kind, aim.unit, arm, e, way)
    else:
        freest_joint(kind, aim, arm, e, way, node[HEADING * n : (HEADING + 1) * n])
    longest = 0.0
    for k in range(n):
        longest = max(longest, abs(way[k]))
    scale = 1.0 / longest if longest > NO_MOTION else 0.0
    for k in range(n):
        node[HEADING * n + k] = scale * way[k]
        node[DRIFT * n + k] = plan[PUSH] * plan[MAX_STEP] * scale * way[k]


@leaf
def freest_joint(kind, aim, arm, e, way_out, spare):
    """Writes the free motion of the joint that the tip feels least."""
    n = way_out.shape[0]
    freest, best = 0, -math.inf
    for j in range(n):
        for k in range(n):
            spare[k] = 1.0 if k == j else 0.0
        project_out(kind, aim.unit, arm, e, spare)
        if spare[j] > best:
            freest, best = j, spare[j]
    for k in range(n):
        way_out[k] = 1.0 if k == freest else 0.0
    project_out(kind, aim.unit, arm, e, way_out)
