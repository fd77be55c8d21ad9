"""Repairs a pose that touches obstacles: push the links out, close the chain again, look, repeat.

The way of FABRIK with obstacles (Tao et al. 2021), but with an exact closing step, so that every round
ends in a pose whose links have their lengths and whose tip is on the target.
"""

import math

import numpy as np

from forearm.core.bezier.close import close_chain
from forearm.core.bezier.frame import reach_bounds
from forearm.core.bezier.room import DRAWS, KEEP, PLANAR, SEED, Links, World
from forearm.core.collision.obstacle_rows import bound_gap, chain_gap, report_gap, segment_gap
from forearm.core.jit import lean
from forearm.core.maths.limits import copy_rows, next_random

MAX_ROUNDS = 60
# Pushed out a little farther than asked [share of the chain's length], or rounds end a hair short of it.
BUFFER = 2e-3
# An end of a link is pushed by at most this multiple of what its nearest point needs.
MOST_LEVER = 4.0
# Rounds without a better gap after which a repair is given up.
PATIENCE = 15


@lean
def push_out(obstacles, radii, wanted, P):
    """Moves the inner points of P so that links leave what they touch."""
    n = radii.shape[0]
    for i in range(n):
        for k in range(obstacles.shape[0]):
            px, py, pz = P[i, 0], P[i, 1], P[i, 2]
            dx, dy, dz = P[i + 1, 0] - px, P[i + 1, 1] - py, P[i + 1, 2] - pz
            if bound_gap(obstacles, k, (px, py, pz), (dx, dy, dz)) - radii[i] >= wanted:
                continue
            gap, s, (nx, ny, nz) = segment_gap(obstacles, k, (px, py, pz), (dx, dy, dz))
            lack = wanted - (gap - radii[i])
            if lack <= 0.0:
                continue
            first = 1.0 - s if i > 0 else 0.0
            last = s if i < n - 1 else 0.0
            square = first * first + last * last
            if square == 0.0:
                continue
            share = min(lack / square, MOST_LEVER * lack / math.sqrt(square))
            P[i, 0] += share * first * nx
            P[i, 1] += share * first * ny
            P[i, 2] += share * first * nz
            P[i + 1, 0] += share * last * nx
            P[i + 1, 1] += share * last * ny
            P[i + 1, 2] += share * last * nz


@lean
def repair(links, world, target, P, P_best):
    """Pushes and closes until the gap is wide enough; leaves the best closed pose in P.

    Returns its gap (minus infinity if no round closed) and the rounds.
    """
    obstacles, radii, clearance = world
    best, since, rounds = -math.inf, 0, 0
    copy_rows(P, P_best)
    for rounds in range(MAX_ROUNDS):
        closed, _ = close_chain(links.length, links.total, target, P)
        if closed:
            gap, _, _ = chain_gap(obstacles, P, radii)
            if gap > best:
                best, since = gap, 0
                copy_rows(P, P_best)
                if gap >= clearance:
                    return gap, rounds
        since += 1
        if since > PATIENCE:
            break
        push_out(obstacles, radii, clearance + BUFFER * links.total, P)
    copy_rows(P_best, P)
    return best, rounds


@lean
def repair_or_draw(length, radii, obstacles, target, choices, work, P_out, report_out):
    """Repairs a closed pose among obstacles, then poses drawn at random, until one is free; leaves the best in P_out.

    Writes gap, link and obstacle into the report; returns how many starts were used, and the rounds. `choices` are
    those of `core/bezier/room.py`, `work` is (3, n+1, 3).
    """
    total, nearest = reach_bounds(length)
    links, world, planar = Links(length, total, nearest), World(obstacles, radii, choices[KEEP]), choices[PLANAR] != 0.0
    P_try, P_best, scratch = work[0], work[1], work[2]
    copy_rows(P_out, P_try)
    copy_rows(P_out, P_best)
    best, state, rounds, used = -math.inf, np.uint64(int(choices[SEED])), 0, 0
    for k in range(int(choices[DRAWS])):
        if k > 0:
            state = draw_directions(length, planar, state, P_try)
        gap, more = repair(links, world, target, P_try, scratch)
        rounds, used = rounds + more + 1, k + 1
        if gap > best:
            best = gap
            copy_rows(P_try, P_best)
        if gap >= world.clearance:
            break
    copy_rows(P_best, P_out)
    report_gap(obstacles, P_out, radii, report_out)
    return used, rounds


@lean
def draw_directions(length, planar, state, P):
    """Lays the links behind P[0] in directions drawn uniformly; returns the new state of the generator."""
    for i in range(length.shape[0]):
        state, u = next_random(state)
        state, v = next_random(state)
        z = 0.0 if planar else 2.0 * v - 1.0
        k, angle = math.sqrt(1.0 - z * z) * length[i], 2.0 * math.pi * u
        P[i + 1, 0], P[i + 1, 1] = P[i, 0] + k * math.cos(angle), P[i, 1] + k * math.sin(angle)
        P[i + 1, 2] = P[i, 2] + z * length[i]
    return state
