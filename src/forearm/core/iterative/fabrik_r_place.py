"""The single steps of FABRIK-R: one joint moved so that the next one lies where it should.

A step reads the running frame on the axis of the moving joint, the fixed transform `link` from
there to the joint being placed (an inverse one in the forward stage) and a row of the step table.
Nothing here knows which stage it serves: the forward stage turns by -q, and passes sign -1.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from forearm.core.codes import LOWER, UPPER
from forearm.core.iterative.ccd import nearest_allowed
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import clamp, wrap_near
from forearm.core.maths.se3 import apply_inverse_rotation, cross, dot, norm

# columns of a row of the step table; row m tells how joint m is placed
STEP = 0  # one of the steps below
POINT = 1  # the point j to aim at, joints counted from 0, n is the tip
OFFSET = 2  # c, the constant value of v_m . (p_j - p_prev) [m]
LOCAL = 3  # three places: p_j in the mover's frame, behind the link, with no slide [m]
CARRY = 6  # -1 or 1 if the slide of joint m carries that point along, else 0
SHIFT = 7  # how far p_m lies from the model's origin, along axis m [m]
COLUMNS = 8

# steps
KEEP, CLOSEST, PLANE, SLIDE, TILT, ALIGN, FINISH = 0, 1, 2, 3, 4, 5, 6

# Below this radius [m] a turn moves nothing and its angle is rounding noise.
TINY_RADIUS = 1e-12
# Relative difference of two squared distances that rounding alone can make.
TIE = 1e-9
# A joint value this close to the wanted angle [rad] was not clamped.
REACHED = 1e-9


class Sweeps(NamedTuple):
    """What the stages of FABRIK-R work on."""

    steps: Any  # (3, n+1, COLUMNS) step table
    ahead: Any  # (n+1, 3, 4) link in front of each joint, from the joint before
    behind: Any  # (n+1, 3, 4) the inverses
    wanted: Any  # (4, 4) last joint's frame after its motion that a pose asks for
    T: Any  # (4, 4) running frame
    stored: Any  # (n+1, 6) point and axis of each joint, then of the tip


class Mover(NamedTuple):
    """The joint that a step moves."""

    old: Any  # its present value
    sign: Any  # 1 in the backward stage, -1 in the forward stage
    lower: Any  # its limits
    upper: Any


@leaf
def mover_of(q, limits, k, sign):
    """Joint k as the one that moves."""
    return Mover(q[k], sign, limits[LOWER, k], limits[UPPER, k])


@lean
def choose_value(sweeps, link, row, mover, slid, after):
    """The value of a joint that places the next one as its row asks, inside the limits.

    The sweeps' frame stands on the mover's axis; turned by sign * value it reaches the link. `slid` is the present
    value of the joint whose place is sought; `after` numbers p_next, which decides between the two roots of Eq. (6).
    """
    T, wanted, stored = sweeps.T, sweeps.wanted, sweeps.stored
    step, old = int(row[STEP]), mover.old
    if step == KEEP:
        return old
    if step == FINISH:
        return turn_to(frame_angle(T, wanted, old), Mover(old, 1.0, mover.lower, mover.upper))
    if step == TILT or step == ALIGN:
        w = apply_inverse_rotation(T, wanted[0, 2], wanted[1, 2], wanted[2, 2])
    else:
        w = seen_from(T, stored, int(row[POINT]))
    if step == PLANE or step == TILT:
        return place_on_plane(link, row[OFFSET], w, seen_from(T, stored, after), mover)
    if step == ALIGN:
        return place_closest(link[0, 2], link[1, 2], w, mover)
    slide = row[CARRY] * slid if row[CARRY] != 0.0 else 0.0
    if step == SLIDE:
        return clamp(mover.sign * (w[2] - row[LOCAL + 2] - slide * link[2, 2]), mover.lower, mover.upper)
    x, y = row[LOCAL] + slide * link[0, 2], row[LOCAL + 1] + slide * link[1, 2]
    return place_closest(x, y, w, mover)


@leaf
def seen_from(T, stored, j):
    """Stored point j in the axes of T, from its origin."""
    return apply_inverse_rotation(T, stored[j, 0] - T[0, 3], stored[j, 1] - T[1, 3], stored[j, 2] - T[2, 3])


@leaf
def place_closest(x, y, w, mover):
    """The joint value that turns (x, y) nearest to w: the projected FABRIK step of Fig. 12."""
    a, b = x * w[0] + y * w[1], x * w[1] - y * w[0]
    if np.hypot(a, b) <= TINY_RADIUS * TINY_RADIUS:
        return mover.old
    return turn_to(math.atan2(b, a), mover)


@leaf
def place_on_plane(link, c, w, p_next, mover):
    """The joint value after which the next axis u has u . w = c: Eq. (6) in closed form.

    Of its two roots it takes the one inside the limits; if that does not decide, the one whose
    new joint lies closer to stored p_next; if that does not either, the one nearer to the old value.
    """
    (wx, wy, wz), (nx, ny, _) = w, p_next
    ux, uy, uz = link[0, 2], link[1, 2], link[2, 2]
    A, B, C = ux * wx + uy * wy, ux * wy - uy * wx, uz * wz - c  # A = K1 - K2, B = K3, C = K2 - c
    h = np.hypot(A, B)
    if h <= TINY_RADIUS:
        return mover.old
    middle = math.atan2(B, A)
    half = math.acos(clamp(-C / h, -1.0, 1.0))  # no real root: the angle of least residual
    first, second = turn_to(middle + half, mover), turn_to(middle - half, mover)
    first_fits = abs(wrap_near(first - mover.sign * (middle + half), 0.0)) <= REACHED
    second_fits = abs(wrap_near(second - mover.sign * (middle - half), 0.0)) <= REACHED
    if first_fits != second_fits:
        return first if first_fits else second
    rx, ry = link[0, 3], link[1, 3]
    a, b = rx * nx + ry * ny, rx * ny - ry * nx
    gain = b * A - a * B  # > 0 where the root at middle + half brings p_m closer to p_next
    if abs(gain) > TIE * h * (rx * rx + ry * ry + nx * nx + ny * ny):
        return first if gain > 0.0 else second
    return first if abs(first - mover.old) <= abs(second - mover.old) else second


@leaf
def turn_to(angle, mover):
    """The joint value for a turn by `angle` of the frame: near the old one, inside the limits."""
    turn = wrap_near(mover.sign * angle - mover.old, 0.0)
    return nearest_allowed(mover.old, turn, mover.lower, mover.upper)


@leaf
def frame_angle(T, wanted, old):
    """The turn about z that brings the axes of T nearest to those of `wanted`."""
    c, s = 0.0, 0.0
    for i in range(3):
        c += T[i, 0] * wanted[i, 0] + T[i, 1] * wanted[i, 1]
        s += T[i, 1] * wanted[i, 0] - T[i, 0] * wanted[i, 1]
    return math.atan2(s, c) if np.hypot(c, s) > TINY_RADIUS else old


@leaf
def swing_axis(T, nx, ny, nz):
    """Turns T by the shortest way until its z axis points along unit vector n, in place."""
    vx, vy, vz = T[0, 2], T[1, 2], T[2, 2]
    kx, ky, kz = cross(vx, vy, vz, nx, ny, nz)
    s, c = norm(kx, ky, kz), dot(vx, vy, vz, nx, ny, nz)
    if s > TINY_RADIUS:
        turn_about(T, kx / s, ky / s, kz / s, c, s)
    elif c < 0.0:  # opposite: half a turn about x, an axis across z like any other
        turn_about(T, T[0, 0], T[1, 0], T[2, 0], -1.0, 0.0)


@leaf
def turn_about(T, kx, ky, kz, c, s):
    """Turns the axes of T about unit vector k by the angle with cosine c and sine s: Eq. (3)."""
    for j in range(3):
        x, y, z = T[0, j], T[1, j], T[2, j]
        along = (1.0 - c) * dot(kx, ky, kz, x, y, z)
        ax, ay, az = cross(kx, ky, kz, x, y, z)
        T[0, j] = c * x + s * ax + along * kx
        T[1, j] = c * y + s * ay + along * ky
        T[2, j] = c * z + s * az + along * kz
