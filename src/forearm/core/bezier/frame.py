"""The pose of a chain in the plane of its bend: target at (D, 0), bend toward +y.

Straight at full reach, folded at the least, else the opened cubic of `core/bezier/curve.py`, and
the circular arc where no such curve fits. Everything is two-dimensional.
"""

import math

from forearm.core.bezier.arc import lay_arc
from forearm.core.bezier.curve import CLOSING, open_curve
from forearm.core.jit import lean

# How a pose came about
STRAIGHT, CURVE, ARC, FOLDED, REPAIRED, FAILED = 0, 1, 2, 3, 4, 5
# Nearer to full reach (or full fold) than this share of the chain's length a pose is straight.
STRAIGHT_SLACK = CLOSING
# How much the curve opens sideways as the target comes nearer: a = OPENNESS (1 - D/L).
OPENNESS = 1.5


@lean
def reach_bounds(length):
    """Total length L, and the nearest the tip can come to the base: max(0, 2 d_max - L) [m]."""
    total, longest = 0.0, 0.0
    for i in range(length.shape[0]):
        total += length[i]
        longest = max(longest, length[i])
    return total, max(0.0, 2.0 * longest - total)


@lean
def bend_directions(openness, turn_first, turn_second, w_out):
    """Writes w1 and w2: (-a, 1) and (a, 1) normalised, each turned by an angle [rad]."""
    k = 1.0 / math.sqrt(1.0 + openness * openness)
    c, s = k * math.cos(turn_first), k * math.sin(turn_first)
    w_out[0], w_out[1] = -openness * c - s, c - openness * s
    c, s = k * math.cos(turn_second), k * math.sin(turn_second)
    w_out[2], w_out[3] = openness * c - s, c + openness * s


@lean
def bend_in_plane(length, total, nearest, D, turn_first, turn_second, w, t, xy_out):
    """Writes a pose (n+1, 2) whose curve is turned by two angles; returns how, and the openings tried.

    D must lie between `nearest` and `total`. FAILED if no curve fits these angles.
    """
    slack = STRAIGHT_SLACK * total
    if total - slack <= D or nearest + (slack if nearest > 0.0 else -1.0) >= D:
        return lay_straight(length, total - slack <= D, xy_out), 0
    openness = OPENNESS * (1.0 - D / total)
    bend_directions(openness, turn_first, turn_second, w)
    found, _, count = open_curve(length, total, D, w, t, xy_out)
    return (CURVE if found else FAILED), count


@lean
def lay_straight(length, stretched, xy_out):
    """Writes a straight pose along +x, or the folded one: the longest link forward, all others back."""
    longest = 0
    for i in range(length.shape[0]):
        if length[i] > length[longest]:
            longest = i
    x = 0.0
    xy_out[0, 0], xy_out[0, 1] = 0.0, 0.0
    for i in range(length.shape[0]):
        x = x + length[i] if stretched or i == longest else x - length[i]
        xy_out[i + 1, 0], xy_out[i + 1, 1] = x, 0.0
    return STRAIGHT if stretched else FOLDED


@lean
def pose_in_plane(length, total, nearest, D, w, t, xy_out):
    """Writes the default pose (n+1, 2) for a target at (D, 0); returns how, and the openings tried."""
    how, count = bend_in_plane(length, total, nearest, D, 0.0, 0.0, w, t, xy_out)
    if how == FAILED:
        lay_arc(length, D, xy_out)
        how = ARC
    return how, count
