"""The published Bezier solver: a quadratic curve cut into n points, its middle control point moved in k steps.

Harahap, "Inverse Kinematics solver using Bezier curve based iterative algorithm with obstacle avoidance
ability". P0 is the base, P2 the target, P1 starts at the chain's tip and moves along the line from there to
the base until the last link fits. Corrected where the print cannot run: the middle basis is 2t(1-t), P2 is
(x2, y2), dist <= d, and floats are compared with a tolerance (the print names none; 1e-3 of a link stands
above all residuals it prints). "Equidistant" points are uniform in t.

It supports planar chains. It misses targets whose P1 would lie above the tip (the "critical zone"), since P1
only moves down, and those whose curve is never as long as the chain. `exact_height` solves the same family by
roots. Coordinates here: base at 0, y toward the chain's initial tip, x to the right of it.
"""

import math

from forearm.core.bezier.curve import CLOSING, FAR, lay_links, next_opening, write_joints
from forearm.core.jit import leaf, lean

BINARY, LINEAR = 0, 1
MAX_HEIGHTS = 200


@leaf
def curve_point(curve, t):
    """Eqs. (10) and (11) with P0 = 0, the middle basis as it should be; `curve` is x1, y1, x2, y2."""
    x1, y1, x2, y2 = curve
    middle, last = 2.0 * t * (1.0 - t), t * t
    return middle * x1 + last * x2, middle * y1 + last * y2


@leaf
def grid_distance(curve, k, points, x, y):
    """Distance of point k of the grid from (x, y)."""
    u, v = curve_point(curve, k / (points - 1))
    return math.sqrt((u - x) ** 2 + (v - y) ** 2)


@lean
def next_by_halving(curve, start, points, d, x, y):
    """Step 8b: the point nearest to distance d by bisection over [start, points - 1]; and the probes."""
    low, up, probes = start, points - 1, 0
    best, best_miss = up, math.inf
    while low <= up:
        middle = (low + up) // 2
        distance = grid_distance(curve, middle, points, x, y)
        probes += 1
        if abs(distance - d) < best_miss:
            best, best_miss = middle, abs(distance - d)
        if distance > d:
            up = middle - 1
        else:
            low = middle + 1
    return best, probes


@lean
def next_by_walking(curve, start, points, d, x, y):
    """Step 8a: the point nearest to distance d, walking on until it is passed; and the probes."""
    best, best_miss, probes = points - 1, math.inf, 0
    for k in range(start + 1, points):
        distance = grid_distance(curve, k, points, x, y)
        probes += 1
        if abs(distance - d) < best_miss:
            best, best_miss = k, abs(distance - d)
        if distance >= d:
            break
    return best, probes


@lean
def place_on_grid(length, x1, y1, x2, y2, points, search, xy_out):
    """Steps 6 to 8: all joints but the last on the grid, the last on the target; returns the gap g and the probes.

    g is the distance from the last but one joint to the target minus the last link's length [m].
    """
    n, curve = length.shape[0], (x1, y1, x2, y2)
    k, x, y, total = 0, 0.0, 0.0, 0
    xy_out[0, 0], xy_out[0, 1] = 0.0, 0.0
    for i in range(n - 1):
        if search == BINARY:
            k, probes = next_by_halving(curve, k, points, length[i], x, y)
        else:
            k, probes = next_by_walking(curve, k, points, length[i], x, y)
        x, y = curve_point(curve, k / (points - 1))
        xy_out[i + 1, 0], xy_out[i + 1, 1] = x, y
        total += probes
    xy_out[n, 0], xy_out[n, 1] = x2, y2
    return math.sqrt((x2 - x) ** 2 + (y2 - y) ** 2) - length[n - 1], total


@lean
def search_linear(length, top, shift, x2, y2, points, steps, tolerance, heights_out, xy_out):
    """Step 10a: P1 walks down from the tip; returns the gap, P1's height, the probes and the heights tried.

    It ends where the gap is small or changes its sign: steps of P1 may be too wide to meet a tolerance. The first
    heights tried are noted in heights_out, as many as it has room for; of length zero it notes none.
    """
    probes, last, above = 0, math.inf, 0.0
    for k in range(steps):
        height = top * (1.0 - k / (steps - 1))
        if k < heights_out.shape[0]:
            heights_out[k] = height
        gap, more = place_on_grid(length, shift, height, x2, y2, points, LINEAR, xy_out)
        probes += more
        if abs(gap) <= tolerance or (k == 0 and gap < 0.0) or length[0] < 0.0:  # as it is once the call is given up
            return gap, height, probes, k + 1
        if gap < 0.0:
            if abs(last) < abs(gap):
                gap, more = place_on_grid(length, shift, above, x2, y2, points, LINEAR, xy_out)
                return gap, above, probes + more, k + 1
            return gap, height, probes, k + 1
        last, above = gap, height
    return gap, height, probes, steps


@lean
def search_binary(length, top, shift, x2, y2, points, steps, tolerance, heights_out, xy_out):
    """Step 10b: bisection from the tip over the upper half of the way, then over the lower; returns as above.

    The first look is at the tip itself: a gap below 0 there ends the search, since P1 may only move down.
    """
    half = 0.5 * top
    high, low, up, down, first = top, half, steps - 1, 0, True
    middle, probes, tried = up, 0, 0
    while True:
        height = low + (high - low) * middle / (steps - 1)
        if tried < heights_out.shape[0]:
            heights_out[tried] = height
        gap, more = place_on_grid(length, shift, height, x2, y2, points, BINARY, xy_out)
        probes += more
        tried += 1
        if abs(gap) <= tolerance or (first and gap < 0.0) or length[0] < 0.0:
            return gap, height, probes, tried
        first = False
        if gap > 0.0:
            up = middle - 1
        else:
            down = middle + 1
        if down > up:
            if low == half and gap > 0.0 and middle == 0:  # "extend the lower bound to y_P0"
                high, low, up, down = half, 0.0, steps - 1, 0
            else:
                return gap, height, probes, tried
        middle = (down + up) // 2


@lean
def exact_height(length, total, start, shift, x2, y2, t, xy_out):
    """The root of the same family without a grid: P1 = (shift, y), y on the side of `start`.

    Returns whether it was found, y, and the curves that were laid. The joints (n+1, 2) come out too.
    """
    side = -1.0 if start < 0.0 else 1.0
    if x2 * x2 + y2 * y2 >= (total * (1.0 - CLOSING)) ** 2:  # straight: P1 on the base makes it a line
        reached = 0.0
        for i in range(length.shape[0]):
            xy_out[i, 0], xy_out[i, 1] = x2 * reached / total, y2 * reached / total
            reached += length[i]
        xy_out[length.shape[0], 0], xy_out[length.shape[0], 1] = x2, y2
        return True, 0.0, 0
    y, low, high = abs(start), 0.0, math.inf
    for i in range(t.shape[0]):
        t[i] = 0.0
    for count in range(1, MAX_HEIGHTS + 1):
        curve = (2.0 * shift, 2.0 * side * y, x2 - 2.0 * shift, y2 - 2.0 * side * y, 0.0, 0.0)
        change = (0.0, 2.0 * side, 0.0, -2.0 * side, 0.0, 0.0)
        end, rate = lay_links(length, total, curve, change, t)
        speed = 2.0 * math.sqrt((x2 - shift) ** 2 + (y2 - side * y) ** 2)
        if end < FAR and abs(end - 1.0) * speed <= CLOSING * total:
            write_joints(curve, x2, y2, t, xy_out)
            return True, side * y, count
        if end > 1.0:
            low = y
        else:
            high = y
        new = next_opening(y, end, rate, low, high)
        if new == y:
            break
        y = new
    return False, side * y, count
