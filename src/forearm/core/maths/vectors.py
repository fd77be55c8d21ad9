"""Vectors and rotations as plain tuples: nothing is allocated.

A vector is a 3-tuple, a rotation a 9-tuple in row order.
"""

import math

from forearm.core.jit import leaf


@leaf
def dot(a, b):
    """The scalar product a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@leaf
def cross(a, b):
    """The vector product a x b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@leaf
def minus(a, b):
    """The difference a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@leaf
def plus(a, b):
    """The sum a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@leaf
def times(s, a):
    """The vector s a."""
    return s * a[0], s * a[1], s * a[2]


@leaf
def length(a):
    """The length of a vector."""
    return math.sqrt(dot(a, a))


@leaf
def across(h, a):
    """The part of a perpendicular to unit vector h."""
    along = dot(h, a)
    return a[0] - along * h[0], a[1] - along * h[1], a[2] - along * h[2]


@leaf
def any_across(h):
    """A unit vector perpendicular to unit vector h, always the same one."""
    if abs(h[0]) <= abs(h[1]) and abs(h[0]) <= abs(h[2]):
        a = cross(h, (1.0, 0.0, 0.0))
    elif abs(h[1]) <= abs(h[2]):
        a = cross(h, (0.0, 1.0, 0.0))
    else:
        a = cross(h, (0.0, 0.0, 1.0))
    return times(1.0 / length(a), a)


@leaf
def turned(h, c, s, a):
    """Vector a turned about unit vector h by an angle of cosine c and sine s (Rodrigues); back with -s."""
    k = (1.0 - c) * (h[0] * a[0] + h[1] * a[1] + h[2] * a[2])
    return (
        c * a[0] + s * (h[1] * a[2] - h[2] * a[1]) + k * h[0],
        c * a[1] + s * (h[2] * a[0] - h[0] * a[2]) + k * h[1],
        c * a[2] + s * (h[0] * a[1] - h[1] * a[0]) + k * h[2],
    )


@leaf
def rotation(h, angle):
    """The rotation by an angle [rad] about unit vector h (Rodrigues)."""
    c, s = math.cos(angle), math.sin(angle)
    v = 1.0 - c
    x, y, z = h
    return (
        c + x * x * v,
        x * y * v - z * s,
        x * z * v + y * s,
        x * y * v + z * s,
        c + y * y * v,
        y * z * v - x * s,
        x * z * v - y * s,
        y * z * v + x * s,
        c + z * z * v,
    )


@leaf
def apply(R, a):
    """R a."""
    return (
        R[0] * a[0] + R[1] * a[1] + R[2] * a[2],
        R[3] * a[0] + R[4] * a[1] + R[5] * a[2],
        R[6] * a[0] + R[7] * a[1] + R[8] * a[2],
    )


@leaf
def unapply(R, a):
    """R^T a."""
    return (
        R[0] * a[0] + R[3] * a[1] + R[6] * a[2],
        R[1] * a[0] + R[4] * a[1] + R[7] * a[2],
        R[2] * a[0] + R[5] * a[1] + R[8] * a[2],
    )


@leaf
def product(A, B):
    """The rotation A B."""
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@leaf
def transpose(R):
    """R^T."""
    return R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]


@leaf
def read(lines, i, start):
    """Three numbers of a row as a vector, from a column on."""
    return lines[i, start], lines[i, start + 1], lines[i, start + 2]
