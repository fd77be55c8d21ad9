"""FABRIK on two links in a plane (Xu et al., Eqs. (1) to (5)): what is left of an arm once its wrist is fixed.

P1 stands at the origin, P2 is the elbow, P3 the end that shall come to the target; the x axis is
`v_init`, along which the chain starts straight. A ball shoulder needs no third dimension: chain,
target and the shoulder's cone lie in the plane through `v_init` and the target, and no phase leaves
it. P1 of the forward phase is overwritten by the backward phase at once, so it is not computed.

A hinge's range reaches the sweeps as a fence: the direction of its middle, the cosine of half its
width, and the directions of both ends, so that no sweep needs a trigonometric function.
"""

import math

from forearm.core.codes import LOWER, UPPER
from forearm.core.jit import leaf, lean

# columns of `fences`, one row per hinge
MIDDLE, HALF, LOW_END, HIGH_END = 0, 2, 3, 5
FENCE_COLUMNS = 7
SHOULDER, ELBOW = 0, 1

# A target this near to the line of the straight chain [share of its length] would keep it straight for
# ever; the chain is then bent by so much before the first sweep [rad], as FABRIK's authors advise.
ON_LINE = 1e-12
BEND = 0.1


@leaf
def write_fence(row, lower, upper, fences_out):
    """Writes the range [lower, upper] of a hinge [rad]; a whole turn or more is no fence."""
    if not upper - lower < 2.0 * math.pi:
        lower, upper = -math.pi, math.pi
        fences_out[row, HALF] = -2.0  # every cosine lies above
    else:
        fences_out[row, HALF] = math.cos(0.5 * (upper - lower))
    middle = 0.5 * (lower + upper)
    fences_out[row, MIDDLE], fences_out[row, MIDDLE + 1] = math.cos(middle), math.sin(middle)
    fences_out[row, LOW_END], fences_out[row, LOW_END + 1] = math.cos(lower), math.sin(lower)
    fences_out[row, HIGH_END], fences_out[row, HIGH_END + 1] = math.cos(upper), math.sin(upper)


@leaf
def keep_inside(fences, row, ux, uy, vx, vy):
    """Unit vector v, turned back to the nearer end of the range that the hinge has from unit vector u (Eq. (2))."""
    mx = ux * fences[row, MIDDLE] - uy * fences[row, MIDDLE + 1]
    my = uy * fences[row, MIDDLE] + ux * fences[row, MIDDLE + 1]
    if mx * vx + my * vy >= fences[row, HALF]:
        return vx, vy
    end = HIGH_END if mx * vy - my * vx > 0.0 else LOW_END
    c, s = fences[row, end], fences[row, end + 1]
    return c * ux - s * uy, c * uy + s * ux


@leaf
def direction(x, y, otherwise_x, otherwise_y):
    """The unit vector along (x, y); the other one if that has no length."""
    d = math.sqrt(x * x + y * y)
    if d == 0.0:
        return otherwise_x, otherwise_y
    return x / d, y / d


@leaf
def forward_reach(target, length, elbow):
    """P2 with P3 put on the target: at its link's length, toward where it was (Eq. (1))."""
    x, y = direction(elbow[0] - target[0], elbow[1] - target[1], -1.0, 0.0)
    return target[0] + length * x, target[1] + length * y


@leaf
def backward_reach(target, lengths, fences, elbow):
    """P2 and P3 with P1 back at the origin, each hinge inside its range (Eq. (4))."""
    ux, uy = direction(elbow[0], elbow[1], 1.0, 0.0)
    ux, uy = keep_inside(fences, SHOULDER, 1.0, 0.0, ux, uy)
    x2, y2 = lengths[0] * ux, lengths[0] * uy
    vx, vy = direction(target[0] - x2, target[1] - y2, ux, uy)
    vx, vy = keep_inside(fences, ELBOW, ux, uy, vx, vy)
    return (x2, y2), (x2 + lengths[1] * vx, y2 + lengths[1] * vy)


@leaf
def straight_start(target, lengths, fences):
    """P2 and P3 of the chain along `v_init`, as far as the ranges allow, bent if the target lies on its line."""
    bend = BEND if abs(target[1]) <= ON_LINE * (lengths[0] + lengths[1]) else 0.0
    ux, uy = keep_inside(fences, SHOULDER, 1.0, 0.0, math.cos(bend), math.sin(bend))
    vx, vy = keep_inside(fences, ELBOW, ux, uy, math.cos(bend), -math.sin(bend))
    x2, y2 = lengths[0] * ux, lengths[0] * uy
    return (x2, y2), (x2 + lengths[1] * vx, y2 + lengths[1] * vy)


@leaf
def gap(target, end):
    """The distance from P3 to the target [m], which the paper calls dist."""
    return math.sqrt((target[0] - end[0]) ** 2 + (target[1] - end[1]) ** 2)


@lean
def sweep_two_links(target, lengths, fences, tolerance, most):
    """P2, P3, their dist [m] and the sweeps made until dist is within tolerance or their number is spent."""
    elbow, end = straight_start(target, lengths, fences)
    dist, sweeps = gap(target, end), 0
    while dist > tolerance and sweeps < most:
        elbow, end = backward_reach(target, lengths, fences, forward_reach(target, lengths[1], elbow))
        dist = gap(target, end)
        sweeps += 1
    return elbow, end, dist, sweeps


@leaf
def write_fences(limits, first, second, fences_out):
    """Writes the ranges of both hinges, each given by joint, sign and offset: its angle is sign * q + offset [rad]."""
    for row in range(2):
        joint, sign, offset = first if row == 0 else second
        a, b = sign * limits[LOWER, joint] + offset, sign * limits[UPPER, joint] + offset
        write_fence(row, min(a, b), max(a, b), fences_out)
