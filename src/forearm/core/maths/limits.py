"""Joint limits: clamping, measuring, and drawing configurations inside them."""

import math

import numpy as np

from forearm.core.jit import leaf, lean

TURN = 2.0 * math.pi
TURNS = 1.0 / TURN  # of a radian


@leaf
def clamp(value, lower, upper):
    """The value moved into [lower, upper]."""
    return min(max(value, lower), upper)


@leaf
def middle(lower, upper):
    """The middle of a range; 0, moved inside, where a bound is infinite."""
    if math.isfinite(lower) and math.isfinite(upper):
        return 0.5 * (lower + upper)
    return clamp(0.0, lower, upper)


@leaf
def excess(limits, q):
    """How far the worst joint lies outside its limits, 0 if none does [rad or m]."""
    worst = 0.0
    for k in range(q.shape[0]):
        worst = max(worst, limits[0, k] - q[k], q[k] - limits[1, k])
        if math.isnan(q[k]):
            return math.inf
    return worst


@leaf
def farthest_joint(q, q0):
    """The largest change of a joint from q0; 0 if there is no q0."""
    most = 0.0
    for k in range(q0.shape[0]):
        most = max(most, abs(q[k] - q0[k]))
    return most


@leaf
def copy(q, q_out):
    """Copies a configuration."""
    for k in range(q.shape[0]):
        q_out[k] = q[k]


@leaf
def copy_rows(rows, rows_out):
    """Copies an array of two dimensions."""
    for i in range(rows.shape[0]):
        for k in range(rows.shape[1]):
            rows_out[i, k] = rows[i, k]


@leaf
def wrap_near(value, reference):
    """The representative of an angle nearest to a reference [rad]."""
    return value - TURN * np.round((value - reference) * TURNS)


@leaf
def next_random(state):
    """One step of splitmix64: the new state and a float in [0, 1)."""
    state = state + np.uint64(0x9E3779B97F4A7C15)
    z = state
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return state, float(z >> np.uint64(11)) / 9007199254740992.0


@lean
def draw_inside(limits, state, q_out):
    """Draws a configuration uniformly inside the limits; joints without limits in [-pi, pi]."""
    for k in range(q_out.shape[0]):
        state, u = next_random(state)
        lower, upper = limits[0, k], limits[1, k]
        if not (math.isfinite(lower) and math.isfinite(upper)):
            lower, upper = max(lower, -math.pi), min(upper, math.pi)
        q_out[k] = clamp(lower + u * (upper - lower), limits[0, k], limits[1, k])
    return state
