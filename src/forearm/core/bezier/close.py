"""Brings the tip of a chain onto its target by turning all links a little: least squares on directions.

With u_i the links' directions the tip is base + sum d_i u_i. A turn moves u_i across itself, so the
smallest turns that move the tip by r are du_i = d_i (y - u_i (u_i . y)) with
(sum d_i^2 (I - u_i u_i^T) + mu I) y = r. The links keep their lengths, and a planar chain its plane.
Fails on straight lines through the target, where nothing but a bend helps.
"""

import math

from forearm.core.jit import leaf, lean

MAX_STEPS = 25
# The tip has arrived when it is this near, as a share of the chain's length; it is then set onto the target.
ARRIVED = 1e-13
# Damping per squared miss (both in units of the chain): far tips are pulled carefully, near ones exactly.
DAMPING = 0.1
# Least damping, in units of the chain's length squared over its links: keeps a straight chain solvable.
LEAST_DAMPING = 1e-16


@lean
def close_chain(length, total, target, P):
    """Turns the links of P (n+1, 3) until the tip is on the target; returns whether it is, and the steps.

    Only directions are read from P: points at wrong distances are laid out again from P[0].
    """
    n = length.shape[0]
    lay_out(length, P)
    for step in range(MAX_STEPS):
        rx, ry, rz = target[0] - P[n, 0], target[1] - P[n, 1], target[2] - P[n, 2]
        miss = math.sqrt(rx * rx + ry * ry + rz * rz)
        if miss <= ARRIVED * total:
            P[n, 0], P[n, 1], P[n, 2] = target[0], target[1], target[2]
            return True, step
        xx, xy, xz, yy, yz, zz = turning_matrix(length, P)
        mu = DAMPING * miss * miss / n + LEAST_DAMPING * total * total / n
        yx, y_, yz_ = solve_symmetric((xx + mu, xy, xz, yy + mu, yz, zz + mu), rx, ry, rz)
        px, py, pz = P[0, 0], P[0, 1], P[0, 2]
        for i in range(n):
            qx, qy, qz = P[i + 1, 0], P[i + 1, 1], P[i + 1, 2]
            ux, uy, uz = (qx - px) / length[i], (qy - py) / length[i], (qz - pz) / length[i]
            along = ux * yx + uy * y_ + uz * yz_
            x, y, z = length[i] * (yx - along * ux), length[i] * (y_ - along * uy), length[i] * (yz_ - along * uz)
            ux, uy, uz = ux + x, uy + y, uz + z
            k = length[i] / math.sqrt(ux * ux + uy * uy + uz * uz)
            P[i + 1, 0], P[i + 1, 1], P[i + 1, 2] = P[i, 0] + k * ux, P[i, 1] + k * uy, P[i, 2] + k * uz
            px, py, pz = qx, qy, qz
    return False, MAX_STEPS


@lean
def lay_out(length, P):
    """Moves the points behind P[0] along the links' directions until every link has its length."""
    px, py, pz = P[0, 0], P[0, 1], P[0, 2]
    ux, uy, uz = 1.0, 0.0, 0.0
    for i in range(length.shape[0]):
        qx, qy, qz = P[i + 1, 0], P[i + 1, 1], P[i + 1, 2]
        x, y, z = qx - px, qy - py, qz - pz
        size, d = math.sqrt(x * x + y * y + z * z), length[i]
        if size > 0.0:
            ux, uy, uz = x / size, y / size, z / size
        P[i + 1, 0], P[i + 1, 1], P[i + 1, 2] = P[i, 0] + d * ux, P[i, 1] + d * uy, P[i, 2] + d * uz
        px, py, pz = qx, qy, qz


@leaf
def turning_matrix(length, P):
    """Sum d^2 (I - u u^T) as its six entries xx, xy, xz, yy, yz, zz [m^2]."""
    xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(length.shape[0]):
        x, y, z = P[i + 1, 0] - P[i, 0], P[i + 1, 1] - P[i, 1], P[i + 1, 2] - P[i, 2]
        square = length[i] * length[i]
        xx, yy, zz = xx + square - x * x, yy + square - y * y, zz + square - z * z
        xy, xz, yz = xy - x * y, xz - x * z, yz - y * z
    return xx, xy, xz, yy, yz, zz


@leaf
def solve_symmetric(matrix, rx, ry, rz):
    """The solution of a positive 3x3 system, its matrix given by six entries, by Cholesky factors."""
    xx, xy, xz, yy, yz, zz = matrix
    a = math.sqrt(xx)
    b, c = xy / a, xz / a
    d = math.sqrt(max(yy - b * b, 1e-300))
    e = (yz - b * c) / d
    f = math.sqrt(max(zz - c * c - e * e, 1e-300))
    u = rx / a
    v = (ry - b * u) / d
    w = (rz - c * u - e * v) / f
    z = w / f
    y = (v - e * z) / d
    return (u - b * y - c * z) / a, y, z
