"""Repairs a pose that touches obstacles: push the links out, close the chain again, look, repeat.

The way of FABRIK with obstacles (Tao et al. 2021), but with an exact closing step, so that every round
ends in a pose whose links have their lengths and whose tip is on the target.
"""

import math

from forearm.core.closure import close_chain
from forearm.core.jit import lean
from forearm.core.limits import copy_rows
from forearm.core.scene import bound_gap, chain_gap, segment_gap

MAX_ROUNDS = 60
# Pushed out a little farther than asked [share of the chain's length], or rounds end a hair short of it.
BUFFER = 2e-3
# An end of a link is pushed by at most this multiple of what its nearest point needs.
MOST_LEVER = 4.0
# Rounds without a better gap after which a repair is given up.
PATIENCE = 15


@lean
def push_out(obstacles, radii, wanted, P):
    """Moves the inner points of P so that links leave what they touch; returns whether any was moved."""
    n = radii.shape[0]
    moved = False
    for i in range(n):
        for k in range(obstacles.shape[0]):
            px, py, pz = P[i, 0], P[i, 1], P[i, 2]
            dx, dy, dz = P[i + 1, 0] - px, P[i + 1, 1] - py, P[i + 1, 2] - pz
            if bound_gap(obstacles, k, px, py, pz, dx, dy, dz) - radii[i] >= wanted:
                continue
            gap, s, nx, ny, nz = segment_gap(obstacles, k, px, py, pz, dx, dy, dz)
            lack = wanted - (gap - radii[i])
            if lack <= 0.0:
                continue
            first = 1.0 - s if i > 0 else 0.0
            last = s if i < n - 1 else 0.0
            square = first * first + last * last
            if square == 0.0:
                continue
            moved = True
            share = min(lack / square, MOST_LEVER * lack / math.sqrt(square))
            P[i, 0] += share * first * nx
            P[i, 1] += share * first * ny
            P[i, 2] += share * first * nz
            P[i + 1, 0] += share * last * nx
            P[i + 1, 1] += share * last * ny
            P[i + 1, 2] += share * last * nz
    return moved


@lean
def repair(length, total, radii, obstacles, clearance, target, P, P_best):
    """Pushes and closes until the gap is wide enough; leaves the best closed pose in P.

    Returns its gap (minus infinity if no round closed) and the rounds.
    """
    best, since, rounds = -math.inf, 0, 0
    copy_rows(P, P_best)
    for rounds in range(MAX_ROUNDS):
        closed, _ = close_chain(length, total, target, P)
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
        push_out(obstacles, radii, clearance + BUFFER * total, P)
    copy_rows(P_best, P)
    return best, rounds
