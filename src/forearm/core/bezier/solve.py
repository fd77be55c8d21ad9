"""Bezier IK of one chain: checks, the pose, the search among obstacles, the measurement.

Chains without joint limits, and planar ones with; chains in space with limits are in `core/bezier/joint_search.py`.
A straight or folded chain has no second pose, and a target out of reach is answered by the nearest pose there
is.
"""

import math

import numpy as np

from forearm.core.bezier.follow import follow
from forearm.core.bezier.frame import (
    CURVE,
    FOLDED,
    REPAIRED,
    STRAIGHT,
    choose_side,
    head_for,
    lay_straight,
    place_in_world,
    pose_in_plane,
    reach_bounds,
    side_angle,
    swivelled,
)
from forearm.core.bezier.limits import Limited, lay_angles, pose_with_limits
from forearm.core.bezier.room import KEEP, PLANAR, SEED, SWIVEL, TURN, Links, World, draft_size, open_draft
from forearm.core.bezier.search import SEED_COLUMNS, SEEDS, Search, looked, search
from forearm.core.codes import BAD_TARGET, COLLISION, ITERATIONS, LIMITS, OUT_OF_REACH, POSITION_ERROR, SOLVED, TRIES
from forearm.core.collision.obstacle_rows import CLEARANCE, HOW, LEAP, STAGE, TURNED, report_gap
from forearm.core.jit import leaf, lean, shared
from forearm.core.maths.limits import clamp
from forearm.core.shaped import shaped

# Beyond full reach by less than this share of the chain's length is rounding: the target is reached.
REACH_SLACK = 1e-12
# How a pose came about when it was kept near the one before it.
FOLLOWED = REPAIRED + 2


@lean
def measure(world, target, P, report_out):
    """Writes the tip's distance from the target and the chain's gap from the obstacles."""
    n = world.radii.shape[0]
    x, y, z = P[n, 0] - target[0], P[n, 1] - target[1], P[n, 2] - target[2]
    report_out[POSITION_ERROR] = math.sqrt(x * x + y * y + z * z)
    report_gap(world.obstacles, P, world.radii, report_out)


@leaf
def aim_frame(base, target, planar, pole, max_swivel, frame):
    """Writes line and normal for a target, carried along from those in `frame`; returns the distance [m].

    Without a normal from before the bend is toward the pole; with one it turns there by at most `max_swivel`
    (a chain in a plane stays on its side).
    """
    px, py, pz = 0.0, 0.0, 0.0
    if pole.shape[0] == 3:
        px, py, pz = pole[0] - base[0], pole[1] - base[1], pole[2] - base[2]
    nx, ny, nz = frame[3], frame[4], frame[5]
    D = head_for(base, target, frame)
    if nx == 0.0 and ny == 0.0 and nz == 0.0:
        choose_side(planar, px, py, pz, frame)
        return D
    choose_side(planar, nx, ny, nz, frame)
    if pole.shape[0] == 3 and not planar:
        swivel = clamp(side_angle(frame, px, py, pz), -max_swivel, max_swivel)
        frame[3], frame[4], frame[5] = swivelled(frame, swivel, planar)
    return D


@leaf
def is_finite(target):
    """Whether a target has numbers only."""
    return math.isfinite(target[0]) and math.isfinite(target[1]) and math.isfinite(target[2])


@shared
def curve_size(n):
    """How many numbers of scratch a pose on curves of n links takes."""
    return draft_size(n) + SEEDS * SEED_COLUMNS + 9 * (n + 1)


@leaf
def open_curve(work, n):
    """A draft, seeds and three rows of points in scratch; only for lean kernels."""
    draft, rest = open_draft(work, n), work[draft_size(n) :]
    seeds, rest = shaped(rest[: SEEDS * SEED_COLUMNS], (SEEDS, SEED_COLUMNS)), rest[SEEDS * SEED_COLUMNS :]
    return draft, seeds, shaped(rest[: 9 * (n + 1)], (3, n + 1, 3))


@lean
def search_world(links, D, world, base, target, choices, frame, room, P_out, report_out):
    """Looks for a free pose and measures the one that is left in P_out; `room` is of `open_curve`."""
    n, planar, (draft, seeds, rows) = P_out.shape[0] - 1, choices[PLANAR] != 0.0, room
    P_try, P_best = rows[0], rows[1]
    task = Search(links, D, world, base, target, planar, frame, draft, seeds, P_out, P_try, P_best)
    how, stage = search(task, np.uint64(int(choices[SEED])))
    P_out[n, 0], P_out[n, 1], P_out[n, 2] = target[0], target[1], target[2]
    report_out[HOW], report_out[STAGE], report_out[TRIES] = how, stage, looked(stage, planar)
    measure(world, target, P_out, report_out)


@lean
def solve_bezier(length, radii, obstacles, base, target, pole, before, choices, work, frame_out, P_out, report_out):
    """Poses a chain of free joints; returns a status code.

    Obstacles (k, 18), the pole (3,) and the pose `before` (n+1, 3) may be of length zero; z is 0 in the plane. Radii
    and `choices` are as in `core/bezier/room.py`. `frame_out` (6,) holds line and normal of the last pose, or zeros,
    and those of this one on return; the report (17,) holds zeros before.
    """
    n, planar = length.shape[0], choices[PLANAR] != 0.0
    if not is_finite(target):
        return BAD_TARGET
    total, nearest = reach_bounds(length)
    links, world, room = Links(length, total, nearest), World(obstacles, radii, choices[KEEP]), open_curve(work, n)
    draft, _, rows = room
    D = aim_frame(base, target, planar, pole, choices[SWIVEL], frame_out)
    report_out[TRIES] = 1.0
    slack = REACH_SLACK * total
    if total + slack < D or nearest - slack > D:
        report_out[HOW] = lay_straight(length, nearest < D, draft.xy)
        place_in_world(base, frame_out, 0.0, planar, draft.xy, P_out)
        measure(world, target, P_out, report_out)
        return OUT_OF_REACH
    D = min(max(D, nearest), total)
    how, count = pose_in_plane(links, D, draft)
    report_out[HOW], report_out[ITERATIONS] = how, count
    place_in_world(base, frame_out, 0.0, planar, draft.xy, P_out)
    P_out[n, 0], P_out[n, 1], P_out[n, 2] = target[0], target[1], target[2]
    measure(world, target, P_out, report_out)
    if report_out[CLEARANCE] < world.clearance:
        if how == STRAIGHT or how == FOLDED:
            return COLLISION
        search_world(links, D, world, base, target, choices, frame_out, room, P_out, report_out)
    if before.shape[0] > 0:
        replaced, turned, leap = follow(links, world, target, choices[TURN], before, P_out, rows)
        report_out[TURNED], report_out[LEAP] = turned, 1.0 if leap else 0.0
        if replaced:
            report_out[HOW] = FOLLOWED
            measure(world, target, P_out, report_out)
    return SOLVED if report_out[CLEARANCE] >= world.clearance else COLLISION


@lean
def solve_bezier_plain(length, start, target, planar, work, frame_out, P_out, report_out):
    """Poses a chain of free joints with nothing round it: the quick road, with the same bits as `solve_bezier`.

    The base is the first row of `start`; `frame_out` (6,) and the report (17,) hold zeros before.
    """
    n, base = length.shape[0], start[0]
    total, nearest = reach_bounds(length)
    D = head_for(base, target, frame_out)
    slack = REACH_SLACK * total
    if not nearest - slack <= D <= total + slack:
        return OUT_OF_REACH
    choose_side(planar, 0.0, 0.0, 0.0, frame_out)
    draft = open_draft(work, n)
    how, count = pose_in_plane(Links(length, total, nearest), min(max(D, nearest), total), draft)
    place_in_world(base, frame_out, 0.0, planar, draft.xy, P_out)
    P_out[n, 0], P_out[n, 1], P_out[n, 2] = target[0], target[1], target[2]
    report_out[HOW], report_out[ITERATIONS], report_out[TRIES], report_out[CLEARANCE] = how, count, 1.0, math.inf
    return SOLVED


@lean
def solve_bezier_limited(length, ranges, base, target, pole, rng_seed, work, frame_out, q_out, P_out, report_out):
    """Poses a planar chain with joint limits and no obstacles; returns a status code.

    `ranges` (3, n) are lowest, highest and rest angles of the joints, q_out (n,) the angles found [rad]; base, target
    and pole as for `solve_bezier`.
    """
    n = length.shape[0]
    if not is_finite(target):
        return BAD_TARGET
    total, nearest = reach_bounds(length)
    D = aim_frame(base, target, True, pole, 0.0, frame_out)
    slack = REACH_SLACK * total
    reachable = nearest - slack <= D <= total + slack
    links, (draft, seeds, rows) = Links(length, total, nearest), open_curve(work, n)
    angles = shaped(shaped(rows, (9 * (n + 1),))[: 3 * n], (3, n))
    D, heading = min(max(D, nearest), total), math.atan2(frame_out[1], frame_out[0])
    side = 1.0 if frame_out[0] * frame_out[4] - frame_out[1] * frame_out[3] > 0.0 else -1.0
    task = Limited(links, D, heading, side, ranges, draft, seeds, q_out, angles[0], angles[1], angles[2])
    stage, steps = pose_with_limits(task, np.uint64(rng_seed))
    xy = draft.xy
    lay_angles(length, ranges, q_out, xy)
    for i in range(n + 1):
        P_out[i, 0], P_out[i, 1], P_out[i, 2] = base[0] + xy[i, 0], base[1] + xy[i, 1], base[2]
    report_out[ITERATIONS], report_out[TRIES], report_out[STAGE] = steps, 1.0, stage
    report_out[HOW] = CURVE if stage == 1 else REPAIRED
    x, y = P_out[n, 0] - target[0], P_out[n, 1] - target[1]
    report_out[POSITION_ERROR] = math.sqrt(x * x + y * y)
    if not reachable:
        return OUT_OF_REACH
    return SOLVED if stage > 0 else LIMITS
