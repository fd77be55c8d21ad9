"""The determinant whose real roots are the values of the hidden joint, and the null vectors at a root.

The six equations, once as they are and once times x_a, are twelve in the twelve products of powers: their determinant
vanishes at an answer. It is a trigonometric polynomial of degree 8 in the hidden angle. On arms with parallel and
meeting axes it vanishes everywhere, with rank 10; there its second-order part in a deformation of the eliminated axes
takes its place, written down without the deformation: the unfolded determinant.
"""

from forearm.core.branches.loop import write_at
from forearm.core.jit import leaf, lean
from forearm.core.shaped import shaped


@leaf
def swap_rows(A, i, j, first, columns):
    """Swaps two rows from a column on."""
    for k in range(first, columns):
        A[i, k], A[j, k] = A[j, k], A[i, k]


@lean
def reduce_top(W, columns):
    """Brings the first three columns to the unit matrix over zeros; returns the product of the pivots."""
    product = 1.0
    for k in range(3):
        best = k
        for r in range(k + 1, 6):
            if abs(W[r, k]) > abs(W[best, k]):
                best = r
        if best != k:
            swap_rows(W, k, best, k, columns)
        pivot = W[k, k]
        if pivot == 0.0:
            return 0.0
        product *= pivot
        for j in range(k, columns):
            W[k, j] /= pivot
        for r in range(6):
            if r != k:
                factor = W[r, k]
                for j in range(k, columns):
                    W[r, j] -= factor * W[k, j]
    return product


@leaf
def write_reduced(W, M):
    """Writes M6 = [[D - C A, -C B], [C, D]]."""
    for i in range(3):
        for j in range(3):
            ca, cb = 0.0, 0.0
            for k in range(3):
                ca += W[3 + i, 3 + k] * W[k, 3 + j]
                cb += W[3 + i, 3 + k] * W[k, 6 + j]
            M[i, j], M[i, 3 + j] = W[3 + i, 6 + j] - ca, -cb
            M[3 + i, j], M[3 + i, 3 + j] = W[3 + i, 3 + j], W[3 + i, 6 + j]


@leaf
def plain_product(M):
    """The determinant of M, which is overwritten."""
    product = 1.0
    for k in range(6):
        best = k
        for r in range(k + 1, 6):
            if abs(M[r, k]) > abs(M[best, k]):
                best = r
        if best != k:
            swap_rows(M, k, best, k, 6)
            product = -product
        pivot = M[k, k]
        if pivot == 0.0:
            return 0.0
        product *= pivot
        for r in range(k + 1, 6):
            factor = M[r, k] / pivot
            for j in range(k + 1, 6):
                M[r, j] -= factor * M[k, j]
    return product


@lean
def factor_fully(M, steps, order):
    """LU with complete pivoting, some steps of it, in place; returns the product of pivots with the swaps' sign.

    `order` (2, 6) becomes the rows and columns in the order of the pivots.
    """
    product = 1.0
    for k in range(6):
        order[0, k], order[1, k] = k, k
    for k in range(steps):
        row, column = k, k
        for i in range(k, 6):
            for j in range(k, 6):
                if abs(M[i, j]) > abs(M[row, column]):
                    row, column = i, j
        if row != k:
            swap_rows(M, k, row, 0, 6)
            order[0, k], order[0, row] = order[0, row], order[0, k]
            product = -product
        if column != k:
            for i in range(6):
                M[i, k], M[i, column] = M[i, column], M[i, k]
            order[1, k], order[1, column] = order[1, column], order[1, k]
            product = -product
        pivot = M[k, k]
        if pivot == 0.0:
            return 0.0
        product *= pivot
        for i in range(k + 1, 6):
            M[i, k] /= pivot
            factor = M[i, k]
            for j in range(k + 1, 6):
                M[i, j] -= factor * M[k, j]
    return product


@leaf
def write_right_null(M, steps, free, order, out):
    """Writes the null vector with a one in a column behind the pivots."""
    for k in range(steps, 6):
        out[int(order[1, k])] = 1.0 if k == free else 0.0
    for i in range(steps - 1, -1, -1):
        total = M[i, free]
        for j in range(i + 1, steps):
            total += M[i, j] * out[int(order[1, j])]
        out[int(order[1, i])] = -total / M[i, i]


@leaf
def write_left_null(M, steps, free, order, out):
    """Writes the left null vector with a one in a row behind the pivots."""
    for k in range(steps, 6):
        out[int(order[0, k])] = 1.0 if k == free else 0.0
    for i in range(steps - 1, -1, -1):
        total = M[free, i]
        for j in range(i + 1, steps):
            total += M[j, i] * out[int(order[0, j])]
        out[int(order[0, i])] = -total


@leaf
def pairing(W, u, w):
    """The product u F w of a left and a right null vector: how the determinant begins when the arm is unfolded."""
    total = 0.0
    for i in range(3):
        w2 = 0.0
        for k in range(3):
            w2 -= W[i, 3 + k] * w[k] + W[i, 6 + k] * w[3 + k]
        w[6 + i] = w2
    for i in range(3):
        w3, u3 = 0.0, 0.0
        for k in range(3):
            w3 -= W[i, 3 + k] * w[6 + k] + W[i, 6 + k] * w[k]
            u3 -= u[k] * W[3 + k, 3 + i]
        w[9 + i], u[6 + i] = w3, u3
    for i in range(3):
        upper, lower, top = 0.0, 0.0, 0.0
        for k in range(3):
            f2, f1, f0 = W[3 + i, 9 + k], W[3 + i, 12 + k], W[3 + i, 15 + k]
            upper += f2 * w[9 + k] + f1 * w[6 + k] + f0 * w[k]
            lower += f2 * w[6 + k] + f1 * w[k] + f0 * w[3 + k]
            top += W[i, 9 + k] * w[6 + k] + W[i, 12 + k] * w[k] + W[i, 15 + k] * w[3 + k]
        total += u[i] * upper + u[6 + i] * top + u[3 + i] * lower
    return total


@lean
def pairings(W, M, S):
    """The four pairings of the null vectors of a factored matrix of rank 4; the right ones stay in S, rows 2 to 5."""
    flat, order = shaped(S, (48,)), S[:2]
    one, other, left = flat[12:24], flat[24:36], flat[36:48]
    write_right_null(M, 4, 4, order, one)
    write_right_null(M, 4, 5, order, other)
    write_left_null(M, 4, 4, order, left)
    s00, s01 = pairing(W, left, one), pairing(W, left, other)
    write_left_null(M, 4, 5, order, left)
    return s00, s01, pairing(W, left, one), pairing(W, left, other)


@lean
def determinant(unfolded, theta, desk):
    """The determinant at an angle of the hidden joint."""
    W, M = desk.W, desk.M
    write_at(desk.E, theta, W, 0)
    if unfolded:
        write_at(desk.F, theta, W, 9)
    top = reduce_top(W, 18 if unfolded else 9)
    write_reduced(W, M)
    if not unfolded:
        return top * top * plain_product(M)
    product = factor_fully(M, 4, desk.S[:2])
    if product == 0.0 or top == 0.0:
        return 0.0
    s00, s01, s10, s11 = pairings(W, M, desk.S)
    return top * top * product * (s00 * s11 - s01 * s10)


@lean
def null_vector(unfolded, theta, desk):
    """Writes (w1, w0) at a root into the row 6 of S: x_a and 1 times (x_b^2, x_b, 1). False if there is none."""
    W, M, S = desk.W, desk.M, desk.S
    write_at(desk.E, theta, W, 0)
    if unfolded:
        write_at(desk.F, theta, W, 9)
    top = reduce_top(W, 18 if unfolded else 9)
    write_reduced(W, M)
    product = factor_fully(M, 4 if unfolded else 5, S[:2])
    if product == 0.0 or top == 0.0:
        return False
    if not unfolded:
        write_right_null(M, 5, 5, S[:2], S[6])
        return True
    s00, s01, s10, s11 = pairings(W, M, S)
    first, second = -s01, s00
    if abs(s10) + abs(s11) > abs(s00) + abs(s01):
        first, second = -s11, s10
    for i in range(6):
        S[6, i] = first * S[2, i] + second * S[4, i]
    return True
