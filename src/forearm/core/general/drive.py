"""Drives the base of a start to its target: what is left for the solve is as large as the arm.

Slides far longer than the arm (`forearm.arm.driving`) take the tip wherever it is wanted along them, whatever the other
joints do. Where the rest stands still, the tip moves in a straight line with each of them, so one small linear system
says how far. A joint that turns such a slide is pointed at the target first, as in cyclic coordinate descent, with the
slide run out as far as the target is away; a few rounds of both suffice, the sooner the farther the way.
"""

import math

from forearm.core.arm.compact import AXIS, COLUMN, DRIVER, DRIVES, HIGH, LOW, ORIGIN, RATE, SLIDING, TURNING, Q
from forearm.core.codes import ORIENTATION, POSITION
from forearm.core.general.lm import stand, take_step
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import clamp
from forearm.core.maths.se3 import cross, dot, norm

ROUNDS = 3  # of turning and sliding, where a joint turns a slide
SLIDE_DAMPING = 1e-9  # keeps the system regular where slides do not span all of space; their axes have length 1


@lean
def drive(trial, goal):
    """Moves the wide slides of a try's q in place, and the joints that turn them, to bring the tip to the target.

    Only behind `load`: bounds stand in `trial`. Limits hold; a target that asks for no position moves nothing.
    """
    if goal.kind == ORIENTATION:
        return
    chain, pose, m = trial.chain, goal.pose, trial.arm.shape[0]
    turner = -1
    for i in range(m):
        turner = i if chain[i + 1, DRIVES] == TURNING else turner
    stand(trial)
    if turner >= 0:
        run_out(trial, pose, turner)
    for _ in range(ROUNDS if turner >= 0 else 1):
        for i in range(turner + 1):
            if chain[i + 1, DRIVES] == TURNING:
                stand(trial)
                point_at(trial, pose, i)
        if turner >= 0:
            stand(trial)
        slide(trial, pose)


@leaf
def run_out(trial, pose, turner):
    """Slides out as far as the target is away from the last joint that turns a wide slide, ahead if limits allow it."""
    chain, arm = trial.chain, trial.arm
    x, y, z = (
        pose[0, 3] - arm[turner, ORIGIN],
        pose[1, 3] - arm[turner, ORIGIN + 1],
        pose[2, 3] - arm[turner, ORIGIN + 2],
    )
    away = norm(x, y, z)
    for i in range(turner, arm.shape[0]):
        if chain[i + 1, DRIVES] == SLIDING:
            k = int(chain[i + 1, DRIVER])
            ahead, behind = clamp(away, arm[k, LOW], arm[k, HIGH]), clamp(-away, arm[k, LOW], arm[k, HIGH])
            arm[k, Q] = ahead if abs(ahead) >= 0.5 * abs(behind) else behind


@leaf
def point_at(trial, pose, i):
    """Turns joint i so that the tip lies in the target's direction from its axis."""
    arm, T, k = trial.arm, trial.gauge.T, int(trial.chain[i + 1, DRIVER])
    ax, ay, az = arm[i, AXIS], arm[i, AXIS + 1], arm[i, AXIS + 2]
    x, y, z = arm[i, ORIGIN], arm[i, ORIGIN + 1], arm[i, ORIGIN + 2]
    u, v, w = T[0, 3] - x, T[1, 3] - y, T[2, 3] - z
    a, b, c = pose[0, 3] - x, pose[1, 3] - y, pose[2, 3] - z
    dx, dy, dz = cross(u, v, w, a, b, c)
    sine = dot(ax, ay, az, dx, dy, dz)
    cosine = dot(u, v, w, a, b, c) - dot(ax, ay, az, u, v, w) * dot(ax, ay, az, a, b, c)
    arm[k, Q] = clamp(arm[k, Q] + math.atan2(sine, cosine), arm[k, LOW], arm[k, HIGH])


@leaf
def slide(trial, pose):
    """Moves the wide slides so that the tip comes to the target as near as they bring it."""
    chain, arm, T, e = trial.chain, trial.arm, trial.gauge.T, trial.gauge.e
    for i in range(arm.shape[0]):
        for j in range(6):
            arm[i, COLUMN + j] = 0.0
    for i in range(arm.shape[0]):
        if chain[i + 1, DRIVES] == SLIDING:
            k = int(chain[i + 1, DRIVER])
            for j in range(3):
                arm[k, COLUMN + j] += chain[i + 1, RATE] * arm[i, AXIS + j]
    for j in range(3):
        e[j] = pose[j, 3] - T[j, 3]
    take_step(POSITION, SLIDE_DAMPING, arm, e)
