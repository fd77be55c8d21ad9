"""Chains with limits among obstacles: damped least squares in joint space, one row for each touch.

The rows are the tip's miss and, for each link nearer to an obstacle than it should be, what it lacks; the
variables and their bounds are those of `core/bones/axes.py`, so every kind of joint is served, and the step is
the bounded one of `core/bones/refine.py`. Every step is taken (damping in proportion to the error); the plain
refiner polishes the tip at the end, and the answer is judged anew. Works without limits and obstacles, too.
"""

import math

from forearm.core.bones.axes import OMEGA, OWNER, apply_moves, list_moves
from forearm.core.bones.codes import BONE, POINT, REACH_TOL
from forearm.core.bones.pose import aim_bone, place_bone, place_bones, place_socket, worst_errors
from forearm.core.bones.refine import bounded_step, index_moves, refine, shorten, write_jacobian
from forearm.core.collision.obstacle_rows import bound_gap, chain_gap, segment_gap
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import copy_rows
from forearm.core.maths.se3 import cross, dot

# At most so many touches are looked at in one step, the first ones met.
MOST_TOUCHES = 24
ROWS = 3 + MOST_TOUCHES
MAX_STEPS = 40
# Damping as a share of the squared error (both in units of the chain), and its least.
DAMPING, LEAST_DAMPING = 0.3, 1e-14
# Links are pushed a little farther than asked, as a share of the chain's length.
BUFFER = 2e-3
# A try ends unless LOOK steps took the squared error below this share of itself.
LOOK, PROGRESS = 6, 0.7
POLISH_STEPS = 20


@lean
def fit_points(tree, P_wanted, base, q, pose):
    """Turns the joints, base first, until the bones point as in P_wanted as far as limits allow."""
    parent, length, joints = tree
    B, R, P = pose
    for a in range(3):
        P[0, a] = base[a]
    for i in range(parent.shape[0]):
        x, y, z = (
            P_wanted[i + 1, 0] - P_wanted[i, 0],
            P_wanted[i + 1, 1] - P_wanted[i, 1],
            P_wanted[i + 1, 2] - P_wanted[i, 2],
        )
        size = math.sqrt(x * x + y * y + z * z)
        place_socket(parent, joints, i, R, B)
        if size > 0.0:
            aim_bone(joints, i, q, B, x / size, y / size, z / size)
        place_bone(parent, length, joints, i, q, B, R, P)


@lean
def write_touches(obstacles, radii, wanted, size, P, moves, count, J, r):
    """Appends a row for each link that lacks distance, below the three of the tip; returns the number of rows."""
    row = 3
    for i in range(radii.shape[0]):
        px, py, pz = P[i, 0], P[i, 1], P[i, 2]
        dx, dy, dz = P[i + 1, 0] - px, P[i + 1, 1] - py, P[i + 1, 2] - pz
        for k in range(obstacles.shape[0]):
            if bound_gap(obstacles, k, (px, py, pz), (dx, dy, dz)) - radii[i] >= wanted:
                continue
            gap, s, (nx, ny, nz) = segment_gap(obstacles, k, (px, py, pz), (dx, dy, dz))
            lack = wanted - (gap - radii[i])
            if lack <= 0.0 or row >= ROWS:
                continue
            r[row] = lack / size
            touch_row(
                P, moves, count, i, px + s * dx, py + s * dy, pz + s * dz, nx / size, ny / size, nz / size, J, row
            )
            row += 1
    return row


@leaf
def touch_row(P, moves, count, i, cx, cy, cz, nx, ny, nz, J, row):
    """Writes how the point c of link i moves along n when each joint turns."""
    for v in range(count):
        owner = int(moves[v, OWNER])
        if owner > i:
            J[row, v] = 0.0
            continue
        x, y, z = cross(
            moves[v, OMEGA],
            moves[v, OMEGA + 1],
            moves[v, OMEGA + 2],
            cx - P[owner, 0],
            cy - P[owner, 1],
            cz - P[owner, 2],
        )
        J[row, v] = dot(nx, ny, nz, x, y, z)


@lean
def avoid(tree, wants, roles, size, scene, base, q, pose, room, wide):
    """Moves q until the tip is on its point and all links are clear; returns whether they are, the gap, the steps.

    Args:
        tree: parent, length, joints of a chain; wants: (1, 23) a point for its tip; roles: see `core/bones/fabrik.py`.
        size: of the chain [m].
        scene: obstacles, radii, clearance.
        base: (3,), q: (n, 3) in and out, pose: B, R, P; room: of `core/bones/solve.py`.
        wide: J (ROWS, 3n), A (ROWS, ROWS), vectors (4, max(ROWS, 3n)).
    """
    parent, length, joints = tree
    obstacles, radii, clearance = scene
    B, R, P = pose
    J, A, vectors = wide
    r, y, step, held = vectors[0], vectors[1], vectors[2], vectors[3]
    moves, first, q_t = room[5], room[6], room[1]
    tip = int(wants[0, BONE]) + 1
    before, count = math.inf, 0
    for count in range(MAX_STEPS):
        place_bones(parent, length, joints, base, q, B, R, P)
        gap, _, _ = chain_gap(obstacles, P, radii)
        if gap >= clearance and worst_errors(wants, R, P)[2]:
            break
        variables = list_moves(joints, roles, q, B, R, moves)
        index_moves(moves, variables, first)
        write_jacobian(parent, wants, size, P, moves, variables, first, False, J)
        for a in range(3):
            r[a] = (wants[0, POINT + a] - P[tip, a]) / size
        rows = write_touches(obstacles, radii, clearance + BUFFER * size, size, P, moves, variables, J, r)
        square = 0.0
        for a in range(rows):
            square += r[a] * r[a]
        if count % LOOK == LOOK - 1:
            if square > PROGRESS * before:
                break
            before = square
        bounded_step(J, rows, variables, max(DAMPING * square, LEAST_DAMPING), moves, r, held, A, y, step)
        shorten(step, variables, variables)
        apply_moves(joints, q, moves, variables, step, q_t)
        copy_rows(q_t, q)
    polish, _ = refine(tree, wants, roles, size, False, POLISH_STEPS, base, q, pose, room)
    gap, _, _ = chain_gap(obstacles, P, radii)
    return gap >= clearance and worst_errors(wants, R, P)[2], gap, count + polish


@leaf
def tip_miss(wants, P):
    """Distance of the tip from its point, beyond the tolerance [m]."""
    tip = int(wants[0, BONE]) + 1
    x, y, z = wants[0, POINT] - P[tip, 0], wants[0, POINT + 1] - P[tip, 1], wants[0, POINT + 2] - P[tip, 2]
    return max(0.0, math.sqrt(x * x + y * y + z * z) - wants[0, REACH_TOL])
