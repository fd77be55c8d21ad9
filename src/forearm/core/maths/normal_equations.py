"""The damped normal equations `(J J^T + damping I) y = e` of a short error, unrolled by hand.

J comes as rows of an array, one per variable, its six (or three) entries side by side. The
system is solved by elimination without pivoting or square roots (L D L^T), which is safe because
the matrix is symmetric and positive; everything lives in registers.
"""

from forearm.core.jit import leaf


@leaf
def solve_6x6(J, first, damping, e):
    """Y of six rows; J[k, first:first + 6] is the column of variable k."""
    return eliminate(gather(J, first, damping), e)


@leaf
def gather(J, first, damping):
    """The lower triangle of J J^T + damping I, column by column."""
    a00 = a11 = a22 = a33 = a44 = a55 = damping
    a10 = a20 = a30 = a40 = a50 = 0.0
    a21 = a31 = a41 = a51 = 0.0
    a32 = a42 = a52 = 0.0
    a43 = a53 = 0.0
    a54 = 0.0
    for k in range(J.shape[0]):
        j0, j1, j2 = J[k, first], J[k, first + 1], J[k, first + 2]
        j3, j4, j5 = J[k, first + 3], J[k, first + 4], J[k, first + 5]
        a00 += j0 * j0
        a10 += j1 * j0
        a20 += j2 * j0
        a30 += j3 * j0
        a40 += j4 * j0
        a50 += j5 * j0
        a11 += j1 * j1
        a21 += j2 * j1
        a31 += j3 * j1
        a41 += j4 * j1
        a51 += j5 * j1
        a22 += j2 * j2
        a32 += j3 * j2
        a42 += j4 * j2
        a52 += j5 * j2
        a33 += j3 * j3
        a43 += j4 * j3
        a53 += j5 * j3
        a44 += j4 * j4
        a54 += j5 * j4
        a55 += j5 * j5
    return (
        (a00, a10, a20, a30, a40, a50),
        (a11, a21, a31, a41, a51),
        (a22, a32, a42, a52),
        (a33, a43, a53),
        (a44, a54),
        a55,
    )


@leaf
def eliminate(lower, e):
    """Y of the six rows of a matrix that is given by its lower triangle."""
    column0, column1, column2, (a33, a43, a53), (a44, a54), a55 = lower
    a00, a10, a20, a30, a40, a50 = column0
    a11, a21, a31, a41, a51 = column1
    a22, a32, a42, a52 = column2
    b0, b1, b2, b3, b4, b5 = e[0], e[1], e[2], e[3], e[4], e[5]
    # elimination: l_i0, then the rest of the matrix less l_i0 a_k0, and so on for each column
    d0 = 1.0 / a00
    l1, l2, l3, l4, l5 = a10 * d0, a20 * d0, a30 * d0, a40 * d0, a50 * d0
    a11, a21, a31, a41, a51 = a11 - l1 * a10, a21 - l2 * a10, a31 - l3 * a10, a41 - l4 * a10, a51 - l5 * a10
    a22, a32, a42, a52 = a22 - l2 * a20, a32 - l3 * a20, a42 - l4 * a20, a52 - l5 * a20
    a33, a43, a53 = a33 - l3 * a30, a43 - l4 * a30, a53 - l5 * a30
    a44, a54, a55 = a44 - l4 * a40, a54 - l5 * a40, a55 - l5 * a50
    b1, b2, b3, b4, b5 = b1 - l1 * b0, b2 - l2 * b0, b3 - l3 * b0, b4 - l4 * b0, b5 - l5 * b0
    d1 = 1.0 / a11
    l2, l3, l4, l5 = a21 * d1, a31 * d1, a41 * d1, a51 * d1
    a22, a32, a42, a52 = a22 - l2 * a21, a32 - l3 * a21, a42 - l4 * a21, a52 - l5 * a21
    a33, a43, a53 = a33 - l3 * a31, a43 - l4 * a31, a53 - l5 * a31
    a44, a54, a55 = a44 - l4 * a41, a54 - l5 * a41, a55 - l5 * a51
    b2, b3, b4, b5 = b2 - l2 * b1, b3 - l3 * b1, b4 - l4 * b1, b5 - l5 * b1
    d2 = 1.0 / a22
    l3, l4, l5 = a32 * d2, a42 * d2, a52 * d2
    a33, a43, a53 = a33 - l3 * a32, a43 - l4 * a32, a53 - l5 * a32
    a44, a54, a55 = a44 - l4 * a42, a54 - l5 * a42, a55 - l5 * a52
    b3, b4, b5 = b3 - l3 * b2, b4 - l4 * b2, b5 - l5 * b2
    d3 = 1.0 / a33
    l4, l5 = a43 * d3, a53 * d3
    a44, a54, a55 = a44 - l4 * a43, a54 - l5 * a43, a55 - l5 * a53
    b4, b5 = b4 - l4 * b3, b5 - l5 * b3
    d4 = 1.0 / a44
    l5 = a54 * d4
    a55, b5 = a55 - l5 * a54, b5 - l5 * b4
    # back substitution
    y5 = b5 / a55
    y4 = (b4 - a54 * y5) * d4
    y3 = (b3 - a43 * y4 - a53 * y5) * d3
    y2 = (b2 - a32 * y3 - a42 * y4 - a52 * y5) * d2
    y1 = (b1 - a21 * y2 - a31 * y3 - a41 * y4 - a51 * y5) * d1
    y0 = (b0 - a10 * y1 - a20 * y2 - a30 * y3 - a40 * y4 - a50 * y5) * d0
    return y0, y1, y2, y3, y4, y5


@leaf
def solve_3x3(J, first, damping, e):
    """Y of three rows; J[k, first:first + 3] is the column of variable k."""
    a00 = a11 = a22 = damping
    a10 = a20 = a21 = 0.0
    for k in range(J.shape[0]):
        j0, j1, j2 = J[k, first], J[k, first + 1], J[k, first + 2]
        a00 += j0 * j0
        a10 += j1 * j0
        a20 += j2 * j0
        a11 += j1 * j1
        a21 += j2 * j1
        a22 += j2 * j2
    d0 = 1.0 / a00
    l1, l2 = a10 * d0, a20 * d0
    a11, a21, a22 = a11 - l1 * a10, a21 - l2 * a10, a22 - l2 * a20
    b1, b2 = e[1] - l1 * e[0], e[2] - l2 * e[0]
    d1 = 1.0 / a11
    l2 = a21 * d1
    a22, b2 = a22 - l2 * a21, b2 - l2 * b1
    y2 = b2 / a22
    y1 = (b1 - a21 * y2) * d1
    y0 = (e[0] - a10 * y1 - a20 * y2) * d0
    return y0, y1, y2
