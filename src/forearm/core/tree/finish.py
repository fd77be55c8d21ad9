"""What comes out: joints folded into their limits, and each goal measured anew by the answer's own placement."""

import math

from forearm.core.codes import COLLISION, NOT_CONVERGED, PRISMATIC, SOLVED
from forearm.core.collision.bodies import worst_gap
from forearm.core.general.solve import turn_near
from forearm.core.jit import lean
from forearm.core.maths.limits import clamp, middle
from forearm.core.tree.among import place_bodies
from forearm.core.tree.layout import (
    BODY,
    CENTRE_OF_MASS,
    EXCESS,
    GAP,
    HIGH,
    KIND,
    LEFT,
    LOW,
    LOWER,
    NEAR,
    RATIO,
    REPORT_HEAD,
    STEPS,
    TASK,
    TOL_P,
    TOL_R,
    TRIES,
    UPPER,
    VARIABLE,
    WEIGHT_P,
    WEIGHT_R,
)
from forearm.core.tree.place import place, weigh
from forearm.core.tree.search import among
from forearm.core.tree.tasks import centre_error, errors_of

SLACK = 1e-9  # of a limit [rad or m]


@lean
def finish(tree, room, start, steps, tries, x_out, report_out):
    """Writes the answer, folded into its limits, and measures it anew by its own placement; the status code."""
    n, t = tree.variables.shape[0], tree.tasks.shape[0]
    fold(tree, room, start)
    for k in range(n + 12):
        x_out[k] = room.x[k]
    report_out[STEPS], report_out[TRIES], report_out[LEFT] = steps, tries, 0.0
    code = measure(tree, room, report_out)
    excess = 0.0
    for k in range(n):
        lower, upper = tree.variables[k, LOWER], tree.variables[k, UPPER]
        excess = max(excess, lower - room.x[k], room.x[k] - upper)
        low, high = room.x[k] <= lower + SLACK, room.x[k] >= upper - SLACK
        report_out[REPORT_HEAD + 3 * t + k] = -1.0 if low and not high else 1.0 if high and not low else 0.0
    report_out[EXCESS] = excess
    report_out[GAP], report_out[BODY], report_out[NEAR] = math.inf, -1.0, -1.0
    if among(room):
        place_bodies(room)
        report_out[GAP], report_out[BODY], report_out[NEAR] = worst_gap(room.world, room.placed, room.x)
        code = COLLISION if code == SOLVED and report_out[GAP] < math.inf else code
    return code if excess <= SLACK else NOT_CONVERGED


@lean
def measure(tree, room, report_out):
    """Places the tree at `room.x` and writes position error [m], rotation error [rad] and verdict of each task."""
    place(tree, room)
    code = SOLVED
    for t in range(tree.tasks.shape[0]):
        task, at = tree.tasks[t], REPORT_HEAD + 3 * t
        e_p, e_r = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if task[TASK] == CENTRE_OF_MASS:
            c = weigh(tree, room)
            e_p = centre_error(tree, task, c)
        else:
            e_p, e_r, _ = errors_of(task, room)
        p = math.sqrt(e_p[0] ** 2 + e_p[1] ** 2 + e_p[2] ** 2) if task[WEIGHT_P] > 0.0 else 0.0
        chord = math.sqrt(e_r[0] ** 2 + e_r[1] ** 2 + e_r[2] ** 2) if task[WEIGHT_R] > 0.0 else 0.0
        angle = 2.0 * math.asin(min(0.5 * chord, 1.0))
        met = p <= task[TOL_P] and angle <= task[TOL_R]
        report_out[at], report_out[at + 1], report_out[at + 2] = p, angle, 1.0 if met else 0.0
        report_out[LEFT] += task[WEIGHT_P] ** 2 * p * p + task[WEIGHT_R] ** 2 * chord * chord
        code = code if met else NOT_CONVERGED
    return code


@lean
def fold(tree, room, start):
    """Brings joints that turned freely to the representative nearest to the start inside their limits."""
    for k in range(tree.variables.shape[0]):
        lower, upper = tree.variables[k, LOWER], tree.variables[k, UPPER]
        if tree.variables[k, LOW] < lower or tree.variables[k, HIGH] > upper or math.isinf(upper - lower):
            if not turns(tree, k):
                continue
            reference = start[k] if start.shape[0] > 0 else middle(lower, upper)
            room.x[k] = clamp(turn_near(room.x[k], reference, lower, upper), lower, upper)


@lean
def turns(tree, k):
    """Whether a variable drives joints that turn, one to one."""
    whole = True
    for i in range(tree.joints.shape[0]):
        if int(tree.joints[i, VARIABLE]) == k and (
            tree.joints[i, KIND] == PRISMATIC or abs(tree.joints[i, RATIO]) != 1.0
        ):
            whole = False
    return whole
