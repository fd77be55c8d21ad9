"""From a root of the determinant to joint values: half angles from the null vector, the others from the equations."""

import math

from forearm.core.branches.layout import FOLLOWED, REVERSED, SHIFT
from forearm.core.jit import leaf, lean


@leaf
def half_angles(null, lane):
    """The angles of a and b from a null vector (w1, w0): x_a and 1 times (x_b^2, x_b, 1)."""
    mixed, first, second = 0.0, 0.0, 0.0
    for i in range(3):
        mixed += null[i, lane] * null[3 + i, lane]
        first += null[i, lane] * null[i, lane]
        second += null[3 + i, lane] * null[3 + i, lane]
    larger = 3 if second >= first else 0
    theta_a = 2.0 * math.atan2(mixed, second) if second >= first else 2.0 * math.atan2(first, mixed)
    b2, b1, b0 = null[larger, lane], null[larger + 1, lane], null[larger + 2, lane]
    theta_b = 2.0 * math.atan2(b2, b1) if abs(b2) > abs(b0) else 2.0 * math.atan2(b1, b0)
    return theta_a, theta_b


@lean
def write_seed(elimination, theta, lane, desk, q_out):
    """Writes the joint values at one of four roots whose null vectors are written, in the arm's own order.

    False if there are none.
    """
    head, angles, parts, Y, v = elimination.head, desk.a[0], desk.a[1], desk.Y, desk.v
    if desk.null[6, lane] == 0.0:
        return False
    theta_a, theta_b = half_angles(desk.null, lane)
    ca, sa, cb, sb = math.cos(0.5 * theta_a), math.sin(0.5 * theta_a), math.cos(0.5 * theta_b), math.sin(0.5 * theta_b)
    for i in range(15):
        v[0, i] = (
            sa * sa * (sb * sb * Y[0, i] + sb * cb * Y[1, i] + cb * cb * Y[2, i])
            + sa * ca * (sb * sb * Y[3, i] + sb * cb * Y[4, i] + cb * cb * Y[5, i])
            + ca * ca * (sb * sb * Y[6, i] + sb * cb * Y[7, i] + cb * cb * Y[8, i])
        )
    c, s = math.cos(theta), math.sin(theta)
    for i in (1, 5, 9, 12):
        x, y = v[0, i], v[0, i + 1]
        v[0, i], v[0, i + 1] = c * x - s * y, s * x + c * y
    for r in range(4):
        total = 0.0
        for i in range(15):
            total += elimination.P[r, i] * v[0, i]
        parts[r] = total
    place = int(head[FOLLOWED])
    angles[1], angles[2] = -math.atan2(parts[1], parts[0]), -math.atan2(parts[3], parts[2])
    angles[3], angles[4], angles[5] = theta, theta_a - head[SHIFT], theta_b - head[SHIFT]
    angles[0] = followed_angle(elimination, desk.H, angles)
    back = head[REVERSED] == 1.0
    for k in range(6):
        joint = (place + k) % 6
        if back:
            q_out[5 - joint] = -angles[k]
        else:
            q_out[joint] = angles[k]
    return True


@leaf
def turned(axis, angle, x, y, z):
    """A vector turned about a unit vector."""
    ax, ay, az = axis
    c, s = math.cos(angle), math.sin(angle)
    along = (1.0 - c) * (ax * x + ay * y + az * z)
    return (
        c * x + s * (ay * z - az * y) + along * ax,
        c * y + s * (az * x - ax * z) + along * ay,
        c * z + s * (ax * y - ay * x) + along * az,
    )


@lean
def followed_angle(elimination, H, angles):
    """The angle of the followed joint, from a vector across it turned through the other five."""
    turns, frame, last = elimination.turns, elimination.frame, 5 - int(elimination.head[FOLLOWED])
    x, y, z = frame[0, 0], frame[1, 0], frame[2, 0]
    # the rest of the loop is the inverse of the followed joint's motion: it turns the vector back
    for k in range(5, 0, -1):
        if k == last:
            x, y, z = (
                H[0, 0] * x + H[0, 1] * y + H[0, 2] * z,
                H[1, 0] * x + H[1, 1] * y + H[1, 2] * z,
                H[2, 0] * x + H[2, 1] * y + H[2, 2] * z,
            )
        x, y, z = turned((turns[k, 0], turns[k, 1], turns[k, 2]), angles[k], x, y, z)
    across = frame[0, 1] * x + frame[1, 1] * y + frame[2, 1] * z
    along = frame[0, 0] * x + frame[1, 0] * y + frame[2, 0] * z
    return -math.atan2(across, along)
