"""Links laid on a circular arc from 0 to (D, 0): a pose for every distance D that can be reached.

The links and the line back from the tip are the sides of a polygon inscribed in a circle. A side s
is seen from the circle under the angle asin(s / 2R), and those angles add up to pi. With M the longest
side and phi its angle, s / 2R = (s / M) sin(phi), so one equation in phi holds whether the circle's
centre lies inside the polygon or not (two equations in print, each ill-conditioned at its end):

    phi + sum over the others of asin((s / M) sin(phi)) = pi

It supports any lengths; the triangle inequality (max(0, 2 d_max - L) <= D <= L) is all it asks.
"""

import math

from forearm.core.jit import leaf, lean

MAX_ITERATIONS = 100
# The angle is known when its bracket or step is below this [rad]: a few units in the last place.
ANGLE_STEP = 4e-16


@lean
def arc_angle(length, D):
    """The polygon's longest side M [m] and the angle psi = pi - phi under which it is *not* seen [rad]."""
    M, total = D, D
    for i in range(length.shape[0]):
        M = max(M, length[i])
        total += length[i]
    # share(psi) = sum asin((s/M) sin psi) / psi - 1 falls from (total - M) / M - 1 at psi = 0; its zero below
    # pi/2 is the case of a centre outside. Above, the sum itself is compared with psi.
    low, high = 0.0, math.pi
    value, _ = arc_excess(length, D, M, 0.5 * math.pi)
    if value <= 0.0:
        high = 0.5 * math.pi
        psi = min(math.sqrt(max(0.0, 6.0 * (total - 2.0 * M) / M)), high)
    else:
        low = 0.5 * math.pi
        psi = 0.75 * math.pi
    for _ in range(MAX_ITERATIONS):
        value, slope = arc_excess(length, D, M, psi)
        if value > 0.0:
            low = psi
        else:
            high = psi
        step = -value / slope if slope < 0.0 else math.inf
        new = psi + step
        if not low < new < high:
            new = 0.5 * (low + high)
        done = abs(new - psi) <= ANGLE_STEP or high - low <= ANGLE_STEP
        psi = new
        if done:
            break
    return M, psi


@lean
def arc_excess(length, D, M, psi):
    """Sum over the sides but the longest of asin((s / M) sin(psi)), minus psi; and its derivative."""
    sine, cosine = math.sin(psi), math.cos(psi)
    value, slope = -psi, -1.0
    skipped = False
    for i in range(length.shape[0] + 1):
        side = length[i] if i < length.shape[0] else D
        if side == M and not skipped:
            skipped = True
            continue
        share = side / M
        z = share * sine
        value += math.asin(min(z, 1.0))
        root = math.sqrt(max(1.0 - z * z, 0.0))
        slope += share * cosine / root if root > 0.0 else math.copysign(1.0, cosine)
    return value, slope


@leaf
def side_angle(side, M, psi, is_longest):
    """The angle under which the circle sees a side [rad]."""
    return math.pi - psi if is_longest else math.asin(min((side / M) * math.sin(psi), 1.0))


@lean
def lay_arc(length, D, xy_out):
    """Writes the joints (n+1, 2) of the polygon from 0 to (D, 0), on the side y >= 0; links keep their lengths."""
    n = length.shape[0]
    M, psi = arc_angle(length, D)
    longest = -1
    for i in range(n):
        if length[i] == M:
            longest = i
            break
    heading = 0.0
    for i in range(n):
        heading += side_angle(length[i], M, psi, i == longest)
    x, y = 0.0, 0.0
    xy_out[0, 0], xy_out[0, 1] = 0.0, 0.0
    for i in range(n):
        half = side_angle(length[i], M, psi, i == longest)
        heading -= half
        x, y = x + length[i] * math.cos(heading), y + length[i] * math.sin(heading)
        heading -= half
        xy_out[i + 1, 0], xy_out[i + 1, 1] = x, y
