"""The chain in the fewest numbers, for kernels that place it thousands of times a millisecond.

A joint frame may be turned about its own z axis at will if the joint's angle takes up the
difference. So of each link's rotation, written `Rz(a) Rx(twist) Rz(b)`, only the twist remains: `a`
goes to the joint in front of it, `b` to the one behind. Placing a joint then takes two plane turns
and a shift, two thirds of the work of general matrices.

`chain` (m+1, 12): row 0 holds the first joint's frame (3, 4) flat; row i+1 holds joint i.
"""

import math

from forearm.core.codes import KIND, PRISMATIC, RATIO, VARIABLE
from forearm.core.jit import leaf, lean, shared
from forearm.core.maths.sincos import sincos

# columns of `chain` in the rows of joints
TWIST_COS, TWIST_SIN, SHIFT, OFFSET, SLIDES, DRIVER, RATE, END_COS, END_SIN, DRIVES = 0, 1, 2, 5, 6, 7, 8, 9, 10, 11
CHAIN_COLUMNS = 12
# what a joint does for a base that drives (`core/general/drive.py`): nothing, slide far, turn in front of such a slide
SLIDING, TURNING = 1.0, 2.0
# columns of `arm`: axis and origin belong to moving joint i; the rest to variable k
AXIS, ORIGIN, COLUMN, Q, KEPT, LOW, HIGH = 0, 3, 6, 12, 13, 14, 15
ARM_COLUMNS = 16
# rows of `trig`
ANGLE, SINE, COSINE = 0, 1, 2
LANES = 8  # trig is padded to whole vector registers


@shared
def padded(m):
    """How many numbers a row of `trig` has for m joints."""
    return (m + LANES - 1) // LANES * LANES


@lean
def compact(links, joints, chain_out):
    """Writes the chain whose joint frames are turned so that links only twist about x."""
    m = joints.shape[0]
    for i in range(3):
        for j in range(4):
            chain_out[0, 4 * i + j] = links[0, i, j]
    carried = 0.0
    for i in range(m):
        row, C = chain_out[i + 1], links[i + 1]
        a = math.atan2(C[0, 2], -C[1, 2])
        c, s = math.cos(a), math.sin(a)
        row[TWIST_SIN], row[TWIST_COS] = s * C[0, 2] - c * C[1, 2], C[2, 2]
        row[SHIFT], row[SHIFT + 1], row[SHIFT + 2] = c * C[0, 3] + s * C[1, 3], c * C[1, 3] - s * C[0, 3], C[2, 3]
        row[OFFSET] = carried + a
        row[SLIDES], row[DRIVER], row[RATE] = joints[i, KIND], joints[i, VARIABLE], joints[i, RATIO]
        carried = math.atan2(-(c * C[0, 1] + s * C[1, 1]), c * C[0, 0] + s * C[1, 0])
        row[END_COS], row[END_SIN] = math.cos(carried), math.sin(carried)


@leaf
def is_coupled(chain):
    """Whether some joint does not follow a variable of its own one to one."""
    for i in range(chain.shape[0] - 1):
        if chain[i + 1, DRIVER] != i or chain[i + 1, RATE] != 1.0:
            return True
    return False


@leaf
def place(chain, coupled, arm, trig, T_out):
    """Writes each joint's axis and origin, and the tip's pose, for the q in `arm`."""
    m = arm.shape[0]
    set_angles(chain, coupled, arm, trig)
    xx, yx, zx, px = chain[0, 0], chain[0, 1], chain[0, 2], chain[0, 3]
    xy, yy, zy, py = chain[0, 4], chain[0, 5], chain[0, 6], chain[0, 7]
    xz, yz, zz, pz = chain[0, 8], chain[0, 9], chain[0, 10], chain[0, 11]
    for i in range(m):
        arm[i, AXIS], arm[i, AXIS + 1], arm[i, AXIS + 2] = zx, zy, zz
        arm[i, ORIGIN], arm[i, ORIGIN + 1], arm[i, ORIGIN + 2] = px, py, pz
        row = chain[i + 1]
        a, b, c = row[SHIFT], row[SHIFT + 1], row[SHIFT + 2]
        if row[SLIDES] == PRISMATIC:
            c += row[RATE] * arm[int(row[DRIVER]), Q]
        xx, yx = turn(xx, yx, trig[SINE, i], trig[COSINE, i])
        xy, yy = turn(xy, yy, trig[SINE, i], trig[COSINE, i])
        xz, yz = turn(xz, yz, trig[SINE, i], trig[COSINE, i])
        px += a * xx + b * yx + c * zx
        py += a * xy + b * yy + c * zy
        pz += a * xz + b * yz + c * zz
        yx, zx = turn(yx, zx, row[TWIST_SIN], row[TWIST_COS])
        yy, zy = turn(yy, zy, row[TWIST_SIN], row[TWIST_COS])
        yz, zz = turn(yz, zz, row[TWIST_SIN], row[TWIST_COS])
    end = chain[m]
    xx, yx = turn(xx, yx, end[END_SIN], end[END_COS])
    xy, yy = turn(xy, yy, end[END_SIN], end[END_COS])
    xz, yz = turn(xz, yz, end[END_SIN], end[END_COS])
    T_out[0, 0], T_out[0, 1], T_out[0, 2], T_out[0, 3] = xx, yx, zx, px
    T_out[1, 0], T_out[1, 1], T_out[1, 2], T_out[1, 3] = xy, yy, zy, py
    T_out[2, 0], T_out[2, 1], T_out[2, 2], T_out[2, 3] = xz, yz, zz, pz


@leaf
def turn(x, y, s, c):
    """Two axes turned in their plane: the new first and second."""
    return c * x + s * y, c * y - s * x


@leaf
def set_angles(chain, coupled, arm, trig):
    """Writes the angle of each joint frame about its z axis, its sine and its cosine."""
    for i in range(arm.shape[0]):
        row = chain[i + 1]
        value = row[RATE] * arm[int(row[DRIVER]), Q] if coupled else arm[i, Q]
        trig[ANGLE, i] = row[OFFSET] + (0.0 if row[SLIDES] == PRISMATIC else value)
    for i in range(trig.shape[1]):
        trig[SINE, i], trig[COSINE, i] = sincos(trig[ANGLE, i])
