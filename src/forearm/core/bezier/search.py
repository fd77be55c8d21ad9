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
from typing import NamedTuple

import numpy as np

from forearm.core.bezier.arc import lay_arc
from forearm.core.bezier.frame import ARC, FAILED, FOLDED, REPAIRED, STRAIGHT, bend_in_plane, place_in_world
from forearm.core.bezier.push import draw_directions, repair
from forearm.core.bezier.room import Draft, Links, World
from forearm.core.collision.obstacle_rows import chain_gap
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import copy, copy_rows

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
def lay_seed(links, D, first, second, draft):
    """Writes the pose of a seed in its plane; returns how it came about."""
    if math.isnan(first):
        lay_arc(links.length, D, draft.xy)
        return ARC
    how, _ = bend_in_plane(links, D, first, second, draft)
    return how


class Search(NamedTuple):
    """The chain, what is round it, and the work arrays of a search; the pose at hand is in P."""

    links: Links
    D: float  # distance of the target, within reach [m]
    world: World
    base: np.ndarray  # (3,)
    target: np.ndarray  # (3,)
    planar: bool
    frame: np.ndarray  # (6,) e and n
    draft: Draft
    seeds: np.ndarray  # (SEEDS, SEED_COLUMNS)
    P: np.ndarray  # (n+1, 3)
    P_try: np.ndarray
    P_best: np.ndarray


@leaf
def keep_best(task, gap, best):
    """The best gap so far, that of the pose at hand included; its pose is kept."""
    if gap > best:
        copy_rows(task.P, task.P_best)
        return gap
    return best


@lean
def try_turns(task, first, second, swivels, count, best):
    """Lays one curve and swivels it; returns whether a pose is free (it is in P), how, and the best gap."""
    how = lay_seed(task.links, task.D, first, second, task.draft)
    if how == FAILED:
        return False, how, best
    for k in range(2 if task.planar else swivels):
        swivel = swivel_of(k, swivels, task.planar)
        place_in_world(task.base, task.frame, swivel, task.planar, task.draft.xy, task.P)
        gap, _, _ = chain_gap(task.world.obstacles, task.P, task.world.radii)
        best = keep_best(task, gap, best)
        if gap >= task.world.clearance:
            return True, how, best
        remember(task.seeds, count, gap, first, second, swivel)
        if how == STRAIGHT or how == FOLDED:
            break
    return False, how, best


@lean
def repair_pose(task, best):
    """Repairs the pose at hand; returns whether it came free, and the best gap."""
    gap, _ = repair(task.links, task.world, task.target, task.P, task.P_try)
    return gap >= task.world.clearance, keep_best(task, gap, best)


@lean
def repair_seeds(task, count, best):
    """Repairs the best seeds; returns whether one came free (it is in P), and the best gap."""
    seeds = task.seeds
    for k in range(count):
        if seeds[k, GAP] == -math.inf:
            break
        lay_seed(task.links, task.D, seeds[k, FIRST], seeds[k, SECOND], task.draft)
        place_in_world(task.base, task.frame, seeds[k, SWIVEL], task.planar, task.draft.xy, task.P)
        free, best = repair_pose(task, best)
        if free:
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
def search(task, rng_seed):
    """Looks for a free pose; leaves the best in P. Returns how it came about, and the stage it took (0 none)."""
    free, how, best = try_tilts(task)
    stage = 1
    if not free and how != STRAIGHT and how != FOLDED:
        stage, how = 2, REPAIRED
        free, best = repair_seeds(task, REPAIRS, best)
        if not free:
            stage = 3
            free, how, best = try_ends(task, best)
        if not free:
            how = REPAIRED
            free, best = repair_seeds(task, MORE_REPAIRS, best)
        if not free:
            stage = 4
            free, best = repair_drawn(task, rng_seed, best)
    if not free:
        copy_rows(task.P_best, task.P)
    return how, stage if free else 0


@leaf
def tilt_of(k):
    """Tilt k of stage 1 [rad]; NaN, the arc, behind the last."""
    return outward(k) * TILT_STEP if k < TILTS else math.nan


@leaf
def end_angle(i):
    """Angle i of an end of the curve in stage 3 [rad]."""
    return END_RANGE * (2.0 * i / (END_ANGLES - 1) - 1.0)


@lean
def try_tilts(task):
    """Stage 1; returns whether a pose is free (it is in P), how the last came about, and the best gap."""
    best, how = -math.inf, FAILED
    forget(task.seeds)
    for k in range(TILTS + 1):
        tilt = tilt_of(k)
        free, how, best = try_turns(task, tilt, tilt, SWIVELS, REPAIRS, best)
        if free or how == STRAIGHT or how == FOLDED:
            return free, how, best
    return False, how, best


@lean
def try_ends(task, best):
    """Stage 3 before its repairs; returns as `try_tilts`."""
    forget(task.seeds)
    for i in range(END_ANGLES):
        for j in range(END_ANGLES):
            free, how, best = try_turns(task, end_angle(i), end_angle(j), GRID_SWIVELS, MORE_REPAIRS, best)
            if free:
                return True, how, best
    return False, FAILED, best


@lean
def repair_drawn(task, rng_seed, best):
    """Repairs poses drawn at random; returns whether one came free (it is in P), and the best gap."""
    state = rng_seed
    for _ in range(DRAWS):
        copy(task.base, task.P[0])
        state = draw_directions(task.links.length, task.planar, state, task.P)
        free, best = repair_pose(task, best)
        if free:
            return True, best
    return False, best
