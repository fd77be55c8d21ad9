"""Rotations and rigid transforms as plain tuples of floats; nothing is allocated.

A rotation travels as a 9-tuple in row order. Angles come from quaternions by `atan2`, which
keeps full relative accuracy from the smallest angle up to pi (`acos` of a trace keeps half).
"""

import math

from forearm.core.jit import leaf, lean


@leaf
def dot(ax, ay, az, bx, by, bz):
    """The scalar product a . b."""
    return ax * bx + ay * by + az * bz


@leaf
def cross(ax, ay, az, bx, by, bz):
    """The vector product a x b."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@leaf
def norm(x, y, z):
    """The length of a vector."""
    return math.sqrt(x * x + y * y + z * z)


@leaf
def apply_rotation(T, x, y, z):
    """R v, with R the rotation part of T."""
    return (
        T[0, 0] * x + T[0, 1] * y + T[0, 2] * z,
        T[1, 0] * x + T[1, 1] * y + T[1, 2] * z,
        T[2, 0] * x + T[2, 1] * y + T[2, 2] * z,
    )


@leaf
def apply_inverse_rotation(T, x, y, z):
    """R^T v, with R the rotation part of T."""
    return (
        T[0, 0] * x + T[1, 0] * y + T[2, 0] * z,
        T[0, 1] * x + T[1, 1] * y + T[2, 1] * z,
        T[0, 2] * x + T[1, 2] * y + T[2, 2] * z,
    )


@leaf
def relative_rotation(A, B):
    """B A^T of the rotation parts: what turns A into B, seen from the base."""
    return (
        dot(B[0, 0], B[0, 1], B[0, 2], A[0, 0], A[0, 1], A[0, 2]),
        dot(B[0, 0], B[0, 1], B[0, 2], A[1, 0], A[1, 1], A[1, 2]),
        dot(B[0, 0], B[0, 1], B[0, 2], A[2, 0], A[2, 1], A[2, 2]),
        dot(B[1, 0], B[1, 1], B[1, 2], A[0, 0], A[0, 1], A[0, 2]),
        dot(B[1, 0], B[1, 1], B[1, 2], A[1, 0], A[1, 1], A[1, 2]),
        dot(B[1, 0], B[1, 1], B[1, 2], A[2, 0], A[2, 1], A[2, 2]),
        dot(B[2, 0], B[2, 1], B[2, 2], A[0, 0], A[0, 1], A[0, 2]),
        dot(B[2, 0], B[2, 1], B[2, 2], A[1, 0], A[1, 1], A[1, 2]),
        dot(B[2, 0], B[2, 1], B[2, 2], A[2, 0], A[2, 1], A[2, 2]),
    )


@leaf
def quaternion(r):
    """The unit quaternion (w, x, y, z), w >= 0, of a rotation.

    Divides by its largest component (Shepperd), so no digits cancel anywhere.
    """
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = r
    trace = r00 + r11 + r22
    if trace >= r00 and trace >= r11 and trace >= r22:
        w, x, y, z = 1.0 + trace, r21 - r12, r02 - r20, r10 - r01
    elif r00 >= r11 and r00 >= r22:
        w, x, y, z = r21 - r12, 1.0 + r00 - r11 - r22, r01 + r10, r02 + r20
    elif r11 >= r22:
        w, x, y, z = r02 - r20, r01 + r10, 1.0 - r00 + r11 - r22, r12 + r21
    else:
        w, x, y, z = r10 - r01, r02 + r20, r12 + r21, 1.0 - r00 - r11 + r22
    scale = math.copysign(1.0 / math.sqrt(w * w + x * x + y * y + z * z), w)
    return w * scale, x * scale, y * scale, z * scale


@leaf
def rotation_vector(r):
    """Axis times angle [rad] of a rotation; the angle lies in [0, pi]."""
    w, x, y, z = quaternion(r)
    s = norm(x, y, z)
    if s == 0.0:
        return 0.0, 0.0, 0.0
    scale = 2.0 * math.atan2(s, w) / s
    return x * scale, y * scale, z * scale


@leaf
def turn_between(ax, ay, az, bx, by, bz):
    """Axis times angle [rad] of the shortest rotation that takes unit vector a onto b."""
    x, y, z = cross(ax, ay, az, bx, by, bz)
    s = norm(x, y, z)
    c = dot(ax, ay, az, bx, by, bz)
    if s > 0.0:
        scale = math.atan2(s, c) / s
        return x * scale, y * scale, z * scale
    if c >= 0.0:
        return 0.0, 0.0, 0.0
    return half_turn_across(ax, ay, az)


@leaf
def half_turn_across(ax, ay, az):
    """Half a turn [rad] about an axis perpendicular to unit vector a, always the same one."""
    if abs(ax) <= abs(ay) and abs(ax) <= abs(az):
        x, y, z = cross(ax, ay, az, 1.0, 0.0, 0.0)
    elif abs(ay) <= abs(az):
        x, y, z = cross(ax, ay, az, 0.0, 1.0, 0.0)
    else:
        x, y, z = cross(ax, ay, az, 0.0, 0.0, 1.0)
    scale = math.pi / norm(x, y, z)
    return x * scale, y * scale, z * scale


@lean
def pose_error(T, goal, e_out):
    """Writes the twist from T to the goal: position [m], then rotation vector [rad]."""
    for i in range(3):
        e_out[i] = goal[i, 3] - T[i, 3]
    e_out[3], e_out[4], e_out[5] = rotation_vector(relative_rotation(T, goal))


@leaf
def is_rigid(T, slack):
    """Whether a 4x4 is a finite rigid transform: R^T R = I within slack, det R > 0, last row right."""
    for i in range(4):
        for j in range(4):
            if not math.isfinite(T[i, j]):
                return False
    for i in range(3):
        for j in range(i, 3):
            product = dot(T[0, i], T[1, i], T[2, i], T[0, j], T[1, j], T[2, j])
            if abs(product - (1.0 if i == j else 0.0)) > slack:
                return False
    x, y, z = cross(T[0, 0], T[1, 0], T[2, 0], T[0, 1], T[1, 1], T[2, 1])
    if dot(x, y, z, T[0, 2], T[1, 2], T[2, 2]) < 0.0:
        return False
    return T[3, 0] == 0.0 and T[3, 1] == 0.0 and T[3, 2] == 0.0 and abs(T[3, 3] - 1.0) <= slack
