"""A smooth pose that keeps clear of obstacles, looked for in stages.

1. The curve is tilted outward in its plane and the plane swivelled about the line to the target (a
   planar chain has two sides); the arc comes last. The first free pose is taken.
2. The best poses of stage 1 are repaired (`core/bezier/push.py`).
3. The two ends of the curve are turned each by its own angle, S-shapes included; the best are repaired.
4. Poses with drawn directions are repaired: no curve any more, but better than none.

A pose that fails is kept if its clearance is the best so far: what comes back is always a pose with
exact links and the tip on the target. That none is free is not proven by finding none.
"""

import math

from forearm.core.bezier.arc import lay_arc
from forearm.core.bezier.bezier_place import place_in_world
from forearm.core.bezier.frame import ARC, FAILED, FOLDED, REPAIRED, STRAIGHT, bend_in_plane
from forearm.core.bezier.push import draw_directions, repair
from forearm.core.collision.obstacle_rows import chain_gap
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import copy_rows

# Stage 1: tilts outward from 0 in equal steps [rad] to both sides, and swivels of a chain in space.
TILTS, TILT_STEP = 17, math.radians(10.0)
SWIVELS = 12
# Stage 3: angles of each end of the curve, from -range to +range [rad].
END_ANGLES, END_RANGE = 9, math.radians(150.0)
GRID_SWIVELS = 6
# How many of the best poses each stage repairs.
REPAIRS, MORE_REPAIRS = 6, 12
# How many drawn poses are repaired when nothing else is free.
DRAWS = 100

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
    """Lays one curve and swivels it; returns whether a pose is free (it is in P), how, and the best gap."""
    length, total, nearest, D, base, planar, radii, obstacles, clearance = problem
    w, t, xy = room
    how = lay_seed(length, total, nearest, D, first, second, w, t, xy)
    if how == FAILED:
        return False, how, best
    for k in range(2 if planar else swivels):
        swivel = swivel_of(k, swivels, planar)
        place_in_world(base, frame, swivel, planar, xy, P)
        gap, _, _ = chain_gap(obstacles, P, radii)
        if gap > best:
            best = gap
            copy_rows(P, P_best)
        if gap >= clearance:
            return True, how, best
        remember(seeds, count, gap, first, second, swivel)
        if how == STRAIGHT or how == FOLDED:
            break
    return False, how, best


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
    poses += REPAIRS + END_ANGLES * END_ANGLES * (2 if planar else GRID_SWIVELS) + MORE_REPAIRS
    return poses if stage == 3 else poses + DRAWS


@lean
def search(problem, target, rng_seed, frame, room, seeds, P, P_try, P_best):
    """Looks for a free pose; leaves the best in P. Returns how it came about, its gap, and the stage it took (0 none).

    Args:
        problem: lengths, their sum, the nearest distance, the target's distance, base, whether planar,
            radii, obstacles, clearance.
        target: (3,).
        rng_seed: of the drawn poses (uint64).
        frame: (6,) e and n.
        room: work arrays w (4,), t (n+1,), xy (n+1, 2).
        seeds: (SEEDS, 4), P, P_try, P_best: (n+1, 3): work.
    """
    free, how, best = try_tilts(problem, frame, room, seeds, P, P_best)
    stage = 1
    if not free and how != STRAIGHT and how != FOLDED:
        stage, how = 2, REPAIRED
        free, best = repair_seeds(problem, target, REPAIRS, frame, room, seeds, P, P_try, P_best, best)
        if not free:
            stage = 3
            free, how, best = try_ends(problem, frame, room, seeds, P, P_best, best)
        if not free:
            how = REPAIRED
            free, best = repair_seeds(problem, target, MORE_REPAIRS, frame, room, seeds, P, P_try, P_best, best)
        if not free:
            stage = 4
            free, best = repair_drawn(problem, target, rng_seed, P, P_try, P_best, best)
    if not free:
        copy_rows(P_best, P)
    return how, best, stage if free else 0


@lean
def try_tilts(problem, frame, room, seeds, P, P_best):
    """Stage 1; returns whether a pose is free (it is in P), how the last came about, and the best gap."""
    best, how = -math.inf, FAILED
    forget(seeds)
    for k in range(TILTS + 1):
        tilt = outward(k) * TILT_STEP if k < TILTS else math.nan
        free, how, best = try_turns(problem, tilt, tilt, SWIVELS, REPAIRS, frame, room, seeds, P, P_best, best)
        if free or how == STRAIGHT or how == FOLDED:
            return free, how, best
    return False, how, best


@lean
def try_ends(problem, frame, room, seeds, P, P_best, best):
    """Stage 3 before its repairs; returns as `try_tilts`."""
    forget(seeds)
    for i in range(END_ANGLES):
        for j in range(END_ANGLES):
            first = END_RANGE * (2.0 * i / (END_ANGLES - 1) - 1.0)
            second = END_RANGE * (2.0 * j / (END_ANGLES - 1) - 1.0)
            free, how, best = try_turns(
                problem, first, second, GRID_SWIVELS, MORE_REPAIRS, frame, room, seeds, P, P_best, best
            )
            if free:
                return True, how, best
    return False, FAILED, best


@lean
def repair_drawn(problem, target, rng_seed, P, P_try, P_best, best):
    """Repairs poses drawn at random; returns whether one came free (it is in P), and the best gap."""
    length, total, _, _, base, planar, radii, obstacles, clearance = problem
    state = rng_seed
    for _ in range(DRAWS):
        P[0, 0], P[0, 1], P[0, 2] = base[0], base[1], base[2]
        state = draw_directions(length, planar, state, P)
        gap, _ = repair(length, total, radii, obstacles, clearance, target, P, P_try)
        if gap > best:
            best = gap
            copy_rows(P, P_best)
        if gap >= clearance:
            return True, best
    return False, best
