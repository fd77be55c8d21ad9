"""A smooth pose that keeps clear of obstacles, looked for in three stages.

1. The curve is tilted outward in its plane and the plane swivelled about the line to the target (a
   planar chain has two sides); the arc comes last. The first free pose is taken.
2. The best poses of stage 1 are repaired (`core/push.py`).
3. The two ends of the curve are turned each by its own angle, S-shapes included; the best are repaired.

A pose that fails is kept if its clearance is the best so far: what comes back is always a pose with
exact links and the tip on the target. That none is free is not proven by finding none.
"""

import math

from forearm.core.bezier_place import place_in_world
from forearm.core.bezier_plane import ARC, CURVE, FAILED, FOLDED, REPAIRED, STRAIGHT, bend_in_plane
from forearm.core.jit import leaf, lean
from forearm.core.limits import copy_rows
from forearm.core.polygon_arc import lay_arc
from forearm.core.push import repair
from forearm.core.scene import chain_gap

# Stage 1: tilts outward from 0 in equal steps [rad] to both sides, and swivels of a chain in space.
TILTS, TILT_STEP = 17, math.radians(10.0)
SWIVELS = 12
# Stage 3: angles of each end of the curve, from -range to +range [rad].
END_ANGLES, END_RANGE = 9, math.radians(150.0)
GRID_SWIVELS = 6
# How many of the best poses each stage repairs.
REPAIRS, MORE_REPAIRS = 6, 12

# columns of `seeds`: clearance, the two turns of the curve (NaN: the arc), the swivel
GAP, FIRST, SECOND, SWIVEL = 0, 1, 2, 3
SEEDS, SEED_COLUMNS = 12, 4


@leaf
def outward(k):
    """0, 1, -1, 2, -2, ... for k = 0, 1, 2, 3, 4, ..."""
    return float((k + 1) // 2) if k % 2 == 1 else -float(k // 2)


@leaf
def swivel_of(k, count, planar):
    """Swivel k of a full turn, outward from 0 [rad]; both sides of a plane."""
    if planar:
        return math.pi * k
    return outward(k) * 2.0 * math.pi / count


@lean
def remember(seeds, count, gap, first, second, swivel):
    """Keeps a seed among the `count` best, best first."""
    k = count - 1
    if not gap > seeds[k, GAP]:
        return
    while k > 0 and seeds[k - 1, GAP] < gap:
        for c in range(SEED_COLUMNS):
            seeds[k, c] = seeds[k - 1, c]
        k -= 1
    seeds[k, GAP], seeds[k, FIRST], seeds[k, SECOND], seeds[k, SWIVEL] = gap, first, second, swivel


@leaf
def forget(seeds):
    """Empties the list of seeds."""
    for k in range(seeds.shape[0]):
        seeds[k, GAP] = -math.inf


@lean
def lay_seed(length, total, nearest, D, first, second, w, t, xy):
    """Writes the pose of a seed in its plane; returns how it came about."""
    if math.isnan(first):
        lay_arc(length, D, xy)
        return ARC
    how, _ = bend_in_plane(length, total, nearest, D, first, second, w, t, xy)
    return how


@lean
def try_turns(problem, first, second, swivels, count, frame, room, seeds, P, P_best, best):
    """Lays one curve and swivels it; returns whether a pose is free (it is in P), how, the best gap and its swivel."""
    length, total, nearest, D, base, planar, radii, obstacles, clearance = problem
    w, t, xy = room
    how = lay_seed(length, total, nearest, D, first, second, w, t, xy)
    if how == FAILED:
        return False, how, best, 0.0
    for k in range(2 if planar else swivels):
        swivel = swivel_of(k, swivels, planar)
        place_in_world(base, frame, swivel, planar, xy, P)
        gap, _, _ = chain_gap(obstacles, P, radii)
        if gap > best:
            best = gap
            copy_rows(P, P_best)
        if gap >= clearance:
            return True, how, best, swivel
        remember(seeds, count, gap, first, second, swivel)
        if how == STRAIGHT or how == FOLDED:
            break
    return False, how, best, 0.0


@lean
def repair_seeds(problem, target, count, frame, room, seeds, P, P_try, P_best, best):
    """Repairs the best seeds; returns whether one came free (it is in P), and the best gap."""
    length, total, nearest, D, base, planar, radii, obstacles, clearance = problem
    w, t, xy = room
    for k in range(count):
        if seeds[k, GAP] == -math.inf:
            break
        lay_seed(length, total, nearest, D, seeds[k, FIRST], seeds[k, SECOND], w, t, xy)
        place_in_world(base, frame, seeds[k, SWIVEL], planar, xy, P)
        gap, _ = repair(length, total, radii, obstacles, clearance, target, P, P_try)
        if gap > best:
            best = gap
            copy_rows(P, P_best)
        if gap >= clearance:
            return True, best
    return False, best


@leaf
def looked(stage, planar):
    """How many poses were looked at at most when a stage ends; all of them for 0."""
    poses = (TILTS + 1) * (2 if planar else SWIVELS)
    if stage == 1:
        return poses
    if stage == 2:
        return poses + REPAIRS
    return poses + REPAIRS + END_ANGLES * END_ANGLES * (2 if planar else GRID_SWIVELS) + MORE_REPAIRS


@lean
def search(problem, target, frame, room, seeds, P, P_try, P_best):
    """Looks for a free pose; leaves the best in P. Returns how it came about, its gap, and the stage it took (0 none).

    Args:
        problem: lengths, their sum, the nearest distance, the target's distance, base, whether planar,
            radii, obstacles, clearance.
        target: (3,).
        frame: (6,) e and n.
        room: work arrays w (4,), t (n+1,), xy (n+1, 2).
        seeds: (SEEDS, 4), P, P_try, P_best: (n+1, 3): work.
    """
    best = -math.inf
    forget(seeds)
    for k in range(TILTS + 1):
        tilt = outward(k) * TILT_STEP if k < TILTS else math.nan
        free, how, best, _ = try_turns(problem, tilt, tilt, SWIVELS, REPAIRS, frame, room, seeds, P, P_best, best)
        if free:
            return how, best, 1
        if how == STRAIGHT or how == FOLDED:
            copy_rows(P_best, P)
            return how, best, 0
    free, best = repair_seeds(problem, target, REPAIRS, frame, room, seeds, P, P_try, P_best, best)
    if free:
        return REPAIRED, best, 2
    forget(seeds)
    for i in range(END_ANGLES):
        for j in range(END_ANGLES):
            first = END_RANGE * (2.0 * i / (END_ANGLES - 1) - 1.0)
            second = END_RANGE * (2.0 * j / (END_ANGLES - 1) - 1.0)
            free, how, best, _ = try_turns(
                problem, first, second, GRID_SWIVELS, MORE_REPAIRS, frame, room, seeds, P, P_best, best
            )
            if free:
                return how, best, 3
    free, best = repair_seeds(problem, target, MORE_REPAIRS, frame, room, seeds, P, P_try, P_best, best)
    if free:
        return REPAIRED, best, 3
    copy_rows(P_best, P)
    return CURVE, best, 0
