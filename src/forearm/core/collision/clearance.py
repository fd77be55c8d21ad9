"""How near an arm comes to what it must not touch, for Python: at configurations, and between two of them."""

import math

import numpy as np

from forearm.core.arm.compact import ARM_COLUMNS, DRIVER, LANES, RATE, Q, place
from forearm.core.collision.bodies import PLACED, World, gap_between, least_gap, place_bodies, worst_gap
from forearm.core.jit import kernel, leaf


@leaf
def put(chain, coupled, bodies, q, arm, trig, T, placed):
    """Places the arm's joints and bodies at q."""
    for k in range(arm.shape[0]):
        arm[k, Q] = q[k] if k < q.shape[0] else 0.0
    place(chain, coupled, arm, trig, T)
    place_bodies(chain, arm, trig, bodies, placed)


@leaf
def shares_variables(chain):
    """Whether some joint does not follow a variable of its own one to one."""
    for i in range(chain.shape[0] - 1):
        if chain[i + 1, DRIVER] != i or chain[i + 1, RATE] != 1.0:
            return True
    return False


@kernel
def clearances(chain, bodies, pairs, obstacles, clearance, Q_all, gaps_out, nearest_out):
    """Writes the least gap of each of N configurations, and (N, 2) what is nearest (`core/collision/bodies.py`).

    Args:
        clearance: Only gaps that are too small for it count, infinity is written where there is none; at
            infinity all of them do.
    """
    m = chain.shape[0] - 1
    arm, trig, T = np.empty((m, ARM_COLUMNS)), np.zeros((3, (m + LANES - 1) // LANES * LANES)), np.empty((4, 4))
    placed = np.empty((bodies.shape[0], PLACED))
    coupled, world = shares_variables(chain), World(bodies, pairs, obstacles, clearance)
    for i in range(Q_all.shape[0]):
        put(chain, coupled, bodies, Q_all[i], arm, trig, T, placed)
        if clearance == math.inf:
            gap, body, other = least_gap(world, placed, math.inf, math.inf)
        else:
            gap, body, other = worst_gap(world, placed)
        gaps_out[i], nearest_out[i, 0], nearest_out[i, 1] = gap, body, other


@kernel
def pair_gaps(chain, bodies, pairs, Q_all, gaps_out):
    """Writes the (N, p) gaps of pairs of bodies in N configurations."""
    m = chain.shape[0] - 1
    arm, trig, T = np.empty((m, ARM_COLUMNS)), np.zeros((3, (m + LANES - 1) // LANES * LANES)), np.empty((4, 4))
    placed = np.empty((bodies.shape[0], PLACED))
    coupled, world = shares_variables(chain), World(bodies, pairs, bodies[:0], 0.0)
    for i in range(Q_all.shape[0]):
        put(chain, coupled, bodies, Q_all[i], arm, trig, T, placed)
        for p in range(pairs.shape[0]):
            gaps_out[i, p] = gap_between(world, placed, pairs[p, 0], pairs[p, 1])[0]
