"""Answers made exact on the true kinematics, in metres: Newton's method, and a damped descent where it fails."""

import math

from forearm.core.jit import leaf, lean
from forearm.core.maths.se3 import rotation_vector

CAP = 0.3  # longest step of a joint [rad]
EXACT = 1e-10  # residual at which an answer is exact [m, rad]
SHARP = 1e-14  # and at which the most is made of a nearly singular one
STILL = 1e-9  # a step below this moves nothing any more [rad]
PIVOT = 2e-2  # a pivot below this tells a nearly singular answer


@leaf
def _row_times(x, y, z, a00, a01, a02, a10, a11, a12, a20, a21, a22):
    """A row times a matrix."""
    return x * a00 + y * a10 + z * a20, x * a01 + y * a11 + z * a21, x * a02 + y * a12 + z * a22


@lean
def write_linear(arm, G, q, J):
    """Writes the (6, 7) Jacobian at the tip and, as its last column, the error to G; returns the largest error."""
    return linearise(arm, G, q, J, 6)


@leaf
def linearise(arm, G, q, J, n):
    """As `write_linear` for n axes, whose Jacobian is (6, n + 1)."""
    lines, tip = arm.lines, arm.tip
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0
    tx, ty, tz = 0.0, 0.0, 0.0
    for k in range(n):
        px, py, pz, x, y, z = lines[k, 0], lines[k, 1], lines[k, 2], lines[k, 3], lines[k, 4], lines[k, 5]
        J[3, k], J[4, k], J[5, k] = (
            r00 * x + r01 * y + r02 * z,
            r10 * x + r11 * y + r12 * z,
            r20 * x + r21 * y + r22 * z,
        )
        J[0, k] = r00 * px + r01 * py + r02 * pz + tx
        J[1, k] = r10 * px + r11 * py + r12 * pz + ty
        J[2, k] = r20 * px + r21 * py + r22 * pz + tz
        c, s = math.cos(q[k]), math.sin(q[k])
        d = 1.0 - c
        a00, a01, a02 = c + d * x * x, d * x * y - s * z, d * x * z + s * y
        a10, a11, a12 = d * x * y + s * z, c + d * y * y, d * y * z - s * x
        a20, a21, a22 = d * x * z - s * y, d * y * z + s * x, c + d * z * z
        r00, r01, r02 = _row_times(r00, r01, r02, a00, a01, a02, a10, a11, a12, a20, a21, a22)
        r10, r11, r12 = _row_times(r10, r11, r12, a00, a01, a02, a10, a11, a12, a20, a21, a22)
        r20, r21, r22 = _row_times(r20, r21, r22, a00, a01, a02, a10, a11, a12, a20, a21, a22)
        # the point on the axis stays where it was
        tx = J[0, k] - (r00 * px + r01 * py + r02 * pz)
        ty = J[1, k] - (r10 * px + r11 * py + r12 * pz)
        tz = J[2, k] - (r20 * px + r21 * py + r22 * pz)
    ex = r00 * tip[0] + r01 * tip[1] + r02 * tip[2] + tx
    ey = r10 * tip[0] + r11 * tip[1] + r12 * tip[2] + ty
    ez = r20 * tip[0] + r21 * tip[1] + r22 * tip[2] + tz
    for k in range(n):
        x, y, z = J[3, k], J[4, k], J[5, k]
        dx, dy, dz = ex - J[0, k], ey - J[1, k], ez - J[2, k]
        J[0, k], J[1, k], J[2, k] = y * dz - z * dy, z * dx - x * dz, x * dy - y * dx
    for i in range(3):
        here = ex if i == 0 else ey if i == 1 else ez
        J[i, n] = G[i, 0] * tip[0] + G[i, 1] * tip[1] + G[i, 2] * tip[2] + G[i, 3] - here
    return _turn(G, (r00, r01, r02, r10, r11, r12, r20, r21, r22), J, n)


@leaf
def _turn(G, r, J, n):
    """Writes the error of the rotation; returns the largest error of all."""
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = r
    turn = rotation_vector(
        (
            G[0, 0] * r00 + G[0, 1] * r01 + G[0, 2] * r02,
            G[0, 0] * r10 + G[0, 1] * r11 + G[0, 2] * r12,
            G[0, 0] * r20 + G[0, 1] * r21 + G[0, 2] * r22,
            G[1, 0] * r00 + G[1, 1] * r01 + G[1, 2] * r02,
            G[1, 0] * r10 + G[1, 1] * r11 + G[1, 2] * r12,
            G[1, 0] * r20 + G[1, 1] * r21 + G[1, 2] * r22,
            G[2, 0] * r00 + G[2, 1] * r01 + G[2, 2] * r02,
            G[2, 0] * r10 + G[2, 1] * r11 + G[2, 2] * r12,
            G[2, 0] * r20 + G[2, 1] * r21 + G[2, 2] * r22,
        )
    )
    J[3, n], J[4, n], J[5, n] = turn
    largest = 0.0
    for i in range(6):
        largest = max(largest, abs(J[i, n]))
    return largest


@leaf
def eliminate(A, columns):
    """Gauss's elimination of the first six columns in place, rows swapped for the largest pivot; returns the least.

    A row that is swapped down changes its sign, so that the product of the pivots is the determinant.
    """
    least = math.inf
    for k in range(6):
        best = k
        for r in range(k + 1, 6):
            if abs(A[r, k]) > abs(A[best, k]):
                best = r
        sign = 1.0 if best == k else -1.0
        for j in range(k, columns):
            A[k, j], A[best, j] = A[best, j], sign * A[k, j]
        pivot = A[k, k]
        least = min(least, abs(pivot))
        if pivot == 0.0:
            return 0.0
        for r in range(k + 1, 6):
            factor = A[r, k] / pivot
            for j in range(k + 1, columns):
                A[r, j] -= factor * A[k, j]
    return least


@lean
def solve_six(A):
    """Solves the (6, 7) system in place, the answer in its last column; returns the least pivot."""
    least = eliminate(A, 7)
    if least == 0.0:
        return 0.0
    for k in range(5, -1, -1):
        for j in range(k + 1, 6):
            A[k, 6] -= A[k, j] * A[j, 6]
        A[k, 6] /= A[k, k]
    return least


@lean
def newton(arm, G, q, J, A, steps):
    """Newton's method in place; returns the residual and the least pivot on the way.

    A nearly singular answer is driven on until its steps end: with the residual alone two half-converged points of
    a flat valley would count as two answers.
    """
    least, last = math.inf, math.inf
    residual = write_linear(arm, G, q, J)
    for _ in range(steps):
        if least < PIVOT and (residual < SHARP or last < STILL):
            break
        if PIVOT <= least < math.inf and residual < EXACT:
            break
        for i in range(6):
            for j in range(7):
                A[i, j] = J[i, j]
        pivot = solve_six(A)
        least = min(least, pivot)
        if pivot == 0.0:
            break
        longest = 0.0
        for i in range(6):
            longest = max(longest, abs(A[i, 6]))
        share = 1.0 if longest <= CAP else CAP / longest
        if not share > 0.0:
            break
        for i in range(6):
            q[i] += share * A[i, 6]
        last = longest
        residual = write_linear(arm, G, q, J)
    return residual, least


@lean
def descend(arm, G, q, J, A, spare):
    """Levenberg-Marquardt in place, then Newton; returns the residual and the least pivot."""
    damping = 1e-3
    write_linear(arm, G, q, J)
    cost = 0.0
    for i in range(6):
        cost += J[i, 6] * J[i, 6]
    for _ in range(60):
        if cost < EXACT * EXACT or damping > 1e6:
            break
        for i in range(6):
            for j in range(7):
                total = 0.0
                for k in range(6):
                    total += J[k, i] * J[k, j]
                A[i, j] = total
            A[i, i] += damping
        solve_six(A)
        for i in range(6):
            spare[i] = q[i] + min(max(A[i, 6], -CAP), CAP)
        write_linear(arm, G, spare, A)
        trial = 0.0
        for i in range(6):
            trial += A[i, 6] * A[i, 6]
        if trial < cost:
            for i in range(6):
                q[i] = spare[i]
                for j in range(7):
                    J[i, j] = A[i, j]
            cost, damping = trial, max(damping * 0.1, 1e-12)
        else:
            damping *= 10.0
    return newton(arm, G, q, J, A, 12)
