"""Bezier IK of one chain: checks, the pose, the search among obstacles, the measurement.

Chains without joint limits; `core/bezier_limits.py` has those with. A straight or folded chain has no
second pose, and a target out of reach is answered by the nearest pose there is.
"""

import math

import numpy as np

from forearm.core.bezier_place import head_for, place_in_world
from forearm.core.bezier_plane import FOLDED, STRAIGHT, lay_straight, pose_in_plane, reach_bounds
from forearm.core.bezier_search import SEED_COLUMNS, SEEDS, search
from forearm.core.codes import (
    BAD_TARGET,
    COLLISION,
    ITERATIONS,
    LIMIT_EXCESS,
    OUT_OF_REACH,
    POSITION_ERROR,
    ROTATION_ERROR,
    SOLVED,
    TRIES,
)
from forearm.core.jit import kernel, lean
from forearm.core.scene import chain_gap

# places in the report behind those of `core/codes.py`
CLEARANCE, HOW, STAGE = 5, 6, 7
# Beyond full reach by less than this share of the chain's length is rounding: the target is reached.
REACH_SLACK = 1e-12


@lean
def measure(obstacles, radii, target, P, report_out):
    """Writes the tip's distance from the target and the chain's gap from the obstacles."""
    n = radii.shape[0]
    x, y, z = P[n, 0] - target[0], P[n, 1] - target[1], P[n, 2] - target[2]
    report_out[POSITION_ERROR] = math.sqrt(x * x + y * y + z * z)
    report_out[ROTATION_ERROR] = report_out[LIMIT_EXCESS] = 0.0
    report_out[CLEARANCE], _, _ = chain_gap(obstacles, P, radii)


@kernel
def solve_bezier(length, radii, obstacles, clearance, base, target, planar, hint, frame_out, P_out, report_out):
    """Poses a chain of free joints; returns a status code.

    Args:
        length: (n,) [m], all positive.
        radii: (n,) of the links [m].
        obstacles: (k, 18) as in `core/scene.py`; k may be 0.
        clearance: that the links shall keep [m].
        base: (3,), target: (3,) [m]; z is 0 in the plane.
        planar: whether the chain stays in the plane z = 0.
        hint: (3,) which way to bend; zeros for any.
        frame_out: (6,) line and normal of the last pose (or zeros); those of this one on return.
        P_out: (n+1, 3) the joints.
        report_out: (8,) what was measured.
    """
    n = length.shape[0]
    for a in range(3):
        if not math.isfinite(target[a]):
            return BAD_TARGET
    total, nearest = reach_bounds(length)
    D = head_for(base, target, planar, hint, frame_out)
    w, t, xy = np.empty(4), np.empty(n + 1), np.empty((n + 1, 2))
    report_out[ITERATIONS], report_out[TRIES], report_out[STAGE] = 0.0, 1.0, 0.0
    slack = REACH_SLACK * total
    if total + slack < D or nearest - slack > D:
        report_out[HOW] = lay_straight(length, nearest < D, xy)
        place_in_world(base, frame_out, 0.0, planar, xy, P_out)
        measure(obstacles, radii, target, P_out, report_out)
        return OUT_OF_REACH
    D = min(max(D, nearest), total)
    how, count = pose_in_plane(length, total, nearest, D, w, t, xy)
    report_out[HOW], report_out[ITERATIONS] = how, count
    place_in_world(base, frame_out, 0.0, planar, xy, P_out)
    for a in range(3):
        P_out[n, a] = target[a]
    measure(obstacles, radii, target, P_out, report_out)
    if obstacles.shape[0] == 0 or report_out[CLEARANCE] >= clearance:
        return SOLVED
    if how == STRAIGHT or how == FOLDED:
        return COLLISION
    problem = (length, total, nearest, D, base, planar, radii, obstacles, clearance)
    seeds, P_try, P_best = np.empty((SEEDS, SEED_COLUMNS)), np.empty((n + 1, 3)), np.empty((n + 1, 3))
    how, _, stage = search(problem, target, frame_out, (w, t, xy), seeds, P_out, P_try, P_best)
    for a in range(3):
        P_out[n, a] = target[a]
    report_out[HOW], report_out[STAGE] = how, stage
    measure(obstacles, radii, target, P_out, report_out)
    return SOLVED if report_out[CLEARANCE] >= clearance else COLLISION
