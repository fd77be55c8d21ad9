"""One joint of a bone: its rotation from values, values from a rotation, and its limits.

A rotation is split into a swing, which takes the bone's x axis to where it points, and a twist
about x before it: L = swing * twist. The swing is a rotation vector without x component, so it
covers every direction but the opposite one smoothly, and a cone is an ellipse in it.
"""

import math

import numpy as np

from forearm.core.bones.codes import AXIS, FIXED, HALF_Y, HALF_Z, HIGH, HINGE, KIND, LOW, TWIST_HIGH, TWIST_LOW
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import clamp, wrap_near
from forearm.core.maths.se3 import cross, dot, quaternion

# Below this angle the quotients of sines are taken from their series, which are exact there.
SMALL_ANGLE = 1e-4
# A direction this close to the opposite one [1 + cos] has no nearest turn.
OPPOSITE = 1e-14
# Parts of a unit vector below this hold no direction any more.
NO_DIRECTION = 1e-12
# Turns that fit into a range to this are inside [rad]: rounding only.
FULL_TURN_SLACK = 1e-12


@leaf
def quotients(angle):
    """cos, sin(x)/x and (1 - cos(x))/x^2 of an angle x >= 0, exact near 0."""
    c = math.cos(angle)
    if angle < SMALL_ANGLE:
        return c, 1.0 - angle * angle / 6.0, 0.5 - angle * angle / 24.0
    half = math.sin(0.5 * angle)
    return c, math.sin(angle) / angle, 2.0 * half * half / (angle * angle)


@lean
def swing_twist_rotation(y, z, twist):
    """The rotation exp(0, y, z) exp(twist, 0, 0) in row order."""
    c, k, m = quotients(math.sqrt(y * y + z * z))
    ct, st = math.cos(twist), math.sin(twist)
    a01, a11, a21 = -k * z, c + m * y * y, m * y * z
    a02, a12, a22 = k * y, m * y * z, c + m * z * z
    return (
        c,
        a01 * ct + a02 * st,
        a02 * ct - a01 * st,
        k * z,
        a11 * ct + a12 * st,
        a12 * ct - a11 * st,
        -k * y,
        a21 * ct + a22 * st,
        a22 * ct - a21 * st,
    )


@lean
def joint_rotation(joints, i, q):
    """L of joint i in row order; of a hinge Eq. (3) of the combined paper."""
    if joints[i, KIND] == FIXED:
        return 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0
    if joints[i, KIND] != HINGE:
        return swing_twist_rotation(q[i, 0], q[i, 1], q[i, 2])
    x, y, z = joints[i, AXIS], joints[i, AXIS + 1], joints[i, AXIS + 2]
    c, s = math.cos(q[i, 0]), math.sin(q[i, 0])
    v = 1.0 - c
    return (
        c + v * x * x,
        v * x * y - s * z,
        v * x * z + s * y,
        v * x * y + s * z,
        c + v * y * y,
        v * y * z - s * x,
        v * x * z - s * y,
        v * y * z + s * x,
        c + v * z * z,
    )


@leaf
def swing_to(dx, dy, dz, y, z):
    """The swing that takes x to a unit direction; near the opposite one, on the side of the swing (y, z)."""
    s = math.sqrt(dy * dy + dz * dz)
    if s > NO_DIRECTION:
        k = math.atan2(s, dx) / s
        return -dz * k, dy * k
    if dx > 0.0:
        return -dz, dy
    size = math.sqrt(y * y + z * z)
    if size > NO_DIRECTION:
        return y * math.pi / size, z * math.pi / size
    return 0.0, math.pi


@lean
def transport(a, b, v):
    """A vector carried along by the smallest rotation that takes unit vector a to b; each has three numbers."""
    (ax, ay, az), (bx, by, bz), (vx, vy, vz) = a, b, v
    c = dot(ax, ay, az, bx, by, bz)
    if 1.0 + c < OPPOSITE:
        return vx, vy, vz
    wx, wy, wz = cross(ax, ay, az, bx, by, bz)
    ux, uy, uz = cross(wx, wy, wz, vx, vy, vz)
    k = dot(wx, wy, wz, vx, vy, vz) / (1.0 + c)
    return vx * c + ux + k * wx, vy * c + uy + k * wy, vz * c + uz + k * wz


@lean
def fit_twist(joints, i, q, y, z, vx, vy, vz):
    """Twists ball i until its frame, whose swing is (y, z), has its y axis nearest to v, inside the limits."""
    r = swing_twist_rotation(y, z, 0.0)
    c = dot(r[1], r[4], r[7], vx, vy, vz)
    s = dot(r[2], r[5], r[8], vx, vy, vz)
    twist = q[i, 2] if c * c + s * s < NO_DIRECTION else wrap_near(math.atan2(s, c), q[i, 2])
    q[i, 2] = clamp_turn(twist, joints[i, TWIST_LOW], joints[i, TWIST_HIGH])


@lean
def fit_direction(joints, i, q, dx, dy, dz):
    """Turns joint i until its bone points nearest to a direction in its socket, a ball's frame carried along."""
    if joints[i, KIND] == FIXED:
        return
    if joints[i, KIND] == HINGE:
        x, y, z = joints[i, AXIS], joints[i, AXIS + 1], joints[i, AXIS + 2]
        c = dot(dx, dy, dz, 1.0 - x * x, -x * y, -x * z)
        s = dot(dx, dy, dz, 0.0, z, -y)
        if c * c + s * s > NO_DIRECTION:
            q[i, 0] = clamp_turn(wrap_near(math.atan2(s, c), q[i, 0]), joints[i, LOW], joints[i, HIGH])
        return
    old = swing_twist_rotation(q[i, 0], q[i, 1], q[i, 2])
    y, z = swing_to(dx, dy, dz, q[i, 0], q[i, 1])
    vx, vy, vz = transport((old[0], old[3], old[6]), (dx, dy, dz), (old[1], old[4], old[7]))
    fit_twist(joints, i, q, y, z, vx, vy, vz)
    q[i, 0], q[i, 1] = y, z
    clamp_swing(joints, i, q)


@lean
def clamp_turn(angle, low, high):
    """The angle, or the same angle whole turns away, inside a range; else the nearer end of the range."""
    if low <= angle <= high:
        return angle
    if high - low >= 2.0 * math.pi - FULL_TURN_SLACK:
        if angle > high:
            return clamp(angle - 2.0 * math.pi * np.ceil((angle - high) / (2.0 * math.pi)), low, high)
        return clamp(angle + 2.0 * math.pi * np.ceil((low - angle) / (2.0 * math.pi)), low, high)
    return clamp(wrap_near(angle, 0.5 * (low + high)), low, high)


@leaf
def clamp_swing(joints, i, q):
    """Moves a swing onto the edge of its cone if it lies outside."""
    a, b = joints[i, HALF_Y], joints[i, HALF_Z]
    square = (q[i, 0] / a) ** 2 + (q[i, 1] / b) ** 2
    if square > 1.0:
        k = 1.0 / math.sqrt(square)
        q[i, 0] *= k
        q[i, 1] *= k


@lean
def clamp_joint(joints, i, q):
    """Moves joint i inside its limits; a free swing beyond half a turn is taken the short way round."""
    if joints[i, KIND] == HINGE:
        q[i, 0] = clamp_turn(q[i, 0], joints[i, LOW], joints[i, HIGH])
        q[i, 1] = q[i, 2] = 0.0
        return
    if joints[i, KIND] == FIXED:
        q[i, 0] = q[i, 1] = q[i, 2] = 0.0
        return
    size = math.sqrt(q[i, 0] ** 2 + q[i, 1] ** 2)
    if size > math.pi and joints[i, HALF_Y] == math.inf:
        k = 1.0 - 2.0 * math.pi * np.ceil((size - math.pi) / (2.0 * math.pi)) / size
        q[i, 0] *= k
        q[i, 1] *= k
    clamp_swing(joints, i, q)
    q[i, 2] = clamp_turn(q[i, 2], joints[i, TWIST_LOW], joints[i, TWIST_HIGH])


@lean
def fit_rotation(joints, i, q, r):
    """Sets joint i to the values nearest to a rotation r of its socket, inside the limits."""
    if joints[i, KIND] == FIXED:
        return
    w, x, y, z = quaternion(r)
    if joints[i, KIND] == HINGE:
        along = dot(x, y, z, joints[i, AXIS], joints[i, AXIS + 1], joints[i, AXIS + 2])
        if along * along + w * w > NO_DIRECTION:
            angle = wrap_near(2.0 * math.atan2(along, w), q[i, 0])
            q[i, 0] = clamp_turn(angle, joints[i, LOW], joints[i, HIGH])
        return
    n = math.sqrt(w * w + x * x)
    if n > NO_DIRECTION:
        q[i, 2] = wrap_near(2.0 * math.atan2(x, w), q[i, 2])
        y, z = (y * w - z * x) / n, (z * w + y * x) / n
    s = math.sqrt(y * y + z * z)
    k = 2.0 * math.atan2(s, n) / s if s > 0.0 else 0.0
    q[i, 0], q[i, 1] = y * k, z * k
    clamp_joint(joints, i, q)


@lean
def joint_excess(joints, i, q):
    """How far joint i lies outside its limits [rad]; a cone's is measured along the swing."""
    if joints[i, KIND] == HINGE:
        return max(0.0, joints[i, LOW] - q[i, 0], q[i, 0] - joints[i, HIGH])
    if joints[i, KIND] == FIXED:
        return max(abs(q[i, 0]), abs(q[i, 1]), abs(q[i, 2]))
    edge = math.sqrt((q[i, 0] / joints[i, HALF_Y]) ** 2 + (q[i, 1] / joints[i, HALF_Z]) ** 2)
    swing = math.sqrt(q[i, 0] ** 2 + q[i, 1] ** 2) * (1.0 - 1.0 / edge) if edge > 1.0 else 0.0
    return max(swing, joints[i, TWIST_LOW] - q[i, 2], q[i, 2] - joints[i, TWIST_HIGH])
