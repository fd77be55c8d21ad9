"""Where every joint of a tree is, and its screw about the base's origin."""

from forearm.core.codes import PRISMATIC
from forearm.core.jit import leaf, lean
from forearm.core.maths.sincos import sincos
from forearm.core.tree.layout import FRONT, KIND, OFFSET, PARENT, RATIO, VARIABLE, WEIGHS


@leaf
def copy_frame(source, start, target_out):
    """Copies 12 numbers to the front of a row."""
    for k in range(12):
        target_out[k] = source[start + k]


@leaf
def joined(A, B, start):
    """The frame A B as 12 numbers, B from a place of a row on."""
    b0, b1, b2 = B[start], B[start + 1], B[start + 2]
    b3, b4, b5 = B[start + 3], B[start + 4], B[start + 5]
    b6, b7, b8 = B[start + 6], B[start + 7], B[start + 8]
    x, y, z = B[start + 9], B[start + 10], B[start + 11]
    return (
        A[0] * b0 + A[1] * b3 + A[2] * b6,
        A[0] * b1 + A[1] * b4 + A[2] * b7,
        A[0] * b2 + A[1] * b5 + A[2] * b8,
        A[3] * b0 + A[4] * b3 + A[5] * b6,
        A[3] * b1 + A[4] * b4 + A[5] * b7,
        A[3] * b2 + A[4] * b5 + A[5] * b8,
        A[6] * b0 + A[7] * b3 + A[8] * b6,
        A[6] * b1 + A[7] * b4 + A[8] * b7,
        A[6] * b2 + A[7] * b5 + A[8] * b8,
        A[0] * x + A[1] * y + A[2] * z + A[9],
        A[3] * x + A[4] * y + A[5] * z + A[10],
        A[6] * x + A[7] * y + A[8] * z + A[11],
    )


@leaf
def behind(A, B):
    """The frame A^-1 B as 12 numbers: B seen from A."""
    x, y, z = B[9] - A[9], B[10] - A[10], B[11] - A[11]
    return (
        A[0] * B[0] + A[3] * B[3] + A[6] * B[6],
        A[0] * B[1] + A[3] * B[4] + A[6] * B[7],
        A[0] * B[2] + A[3] * B[5] + A[6] * B[8],
        A[1] * B[0] + A[4] * B[3] + A[7] * B[6],
        A[1] * B[1] + A[4] * B[4] + A[7] * B[7],
        A[1] * B[2] + A[4] * B[5] + A[7] * B[8],
        A[2] * B[0] + A[5] * B[3] + A[8] * B[6],
        A[2] * B[1] + A[5] * B[4] + A[8] * B[7],
        A[2] * B[2] + A[5] * B[5] + A[8] * B[8],
        A[0] * x + A[3] * y + A[6] * z,
        A[1] * x + A[4] * y + A[7] * z,
        A[2] * x + A[5] * y + A[8] * z,
    )


@lean
def place(tree, room):
    """Writes the frame and the screw of every joint at the values and the base's pose in `room.x`."""
    joints, x, T, S = tree.joints, room.x, room.T, room.S
    n = tree.variables.shape[0]
    copy_frame(x, n, T[0])
    rx, ry, rz = x[n + 9], x[n + 10], x[n + 11]
    for i in range(joints.shape[0]):
        row, out, s = joints[i], T[i + 1], S[i + 1]
        r0, r1, zx, r3, r4, zy, r6, r7, zz, px, py, pz = joined(T[int(row[PARENT]) + 1], row, FRONT)
        ratio = row[RATIO]
        value = ratio * x[int(row[VARIABLE])] + row[OFFSET]
        if row[KIND] == PRISMATIC:
            px, py, pz = px + value * zx, py + value * zy, pz + value * zz
            s[0], s[1], s[2], s[3], s[4], s[5] = ratio * zx, ratio * zy, ratio * zz, 0.0, 0.0, 0.0
        else:
            sine, cosine = sincos(value)
            r0, r1 = cosine * r0 + sine * r1, cosine * r1 - sine * r0
            r3, r4 = cosine * r3 + sine * r4, cosine * r4 - sine * r3
            r6, r7 = cosine * r6 + sine * r7, cosine * r7 - sine * r6
            dx, dy, dz = ratio * (rx - px), ratio * (ry - py), ratio * (rz - pz)
            s[0], s[1], s[2] = zy * dz - zz * dy, zz * dx - zx * dz, zx * dy - zy * dx
            s[3], s[4], s[5] = ratio * zx, ratio * zy, ratio * zz
        out[0], out[1], out[2], out[3], out[4], out[5] = r0, r1, zx, r3, r4, zy
        out[6], out[7], out[8], out[9], out[10], out[11] = r6, r7, zz, px, py, pz


@lean
def weigh(tree, room):
    """Writes the mass and the moment of what hangs on each joint, row 0 of all; returns the centre of mass."""
    joints, T, sums = tree.joints, room.T, room.sums
    write_moment(T[0], tree.base, 0, sums[0])
    for i in range(joints.shape[0]):
        write_moment(T[i + 1], joints[i], WEIGHS, sums[i + 1])
    for i in range(joints.shape[0] - 1, -1, -1):
        p = int(joints[i, PARENT]) + 1
        for k in range(4):
            sums[p, k] += sums[i + 1, k]
    mass = sums[0, 0]
    return sums[0, 1] / mass, sums[0, 2] / mass, sums[0, 3] / mass


@leaf
def write_moment(T, row, start, sums_out):
    """The mass of a body and the moment of its centre about the world's origin."""
    mass, x, y, z = row[start], row[start + 1], row[start + 2], row[start + 3]
    sums_out[0] = mass
    sums_out[1] = mass * (T[0] * x + T[1] * y + T[2] * z + T[9])
    sums_out[2] = mass * (T[3] * x + T[4] * y + T[5] * z + T[10])
    sums_out[3] = mass * (T[6] * x + T[7] * y + T[8] * z + T[11])
