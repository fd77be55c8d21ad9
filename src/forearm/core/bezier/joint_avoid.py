"""Chains with limits among obstacles: damped least squares in joint space, one row for each touch.

The rows are the tip's miss and, for each link nearer to an obstacle than it should be, what it lacks; the
variables and their bounds are those of `core/bones/axes.py`, so every kind of joint is served, and the step is
the bounded one of `core/bones/refine.py`. Every step is taken (damping in proportion to the error); the plain
refiner polishes the tip at the end, and the answer is judged anew. Works without limits and obstacles, too.
"""

import math

from forearm.core.bones.axes import apply_moves, list_moves
from forearm.core.bones.codes import BONE, POINT, REACH_TOL
from forearm.core.bones.pose import place_bones, worst_errors
from forearm.core.bones.refine import bounded_step, refine, shorten, write_jacobian
from forearm.core.bones.room import OMEGA, OWNER
from forearm.core.collision.obstacle_rows import bound_gap, chain_gap, segment_gap
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import copy_rows
from forearm.core.maths.se3 import cross, dot, norm

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
def write_touches(world, wanted, size, P, moves, count, system):
    """Appends a row for each link that lacks distance, below the three of the tip; returns the number of rows."""
    obstacles, radii, row = world.obstacles, world.radii, 3
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
            system.r[row] = lack / size
            cx, cy, cz = px + s * dx, py + s * dy, pz + s * dz
            for v in range(count):  # how the point moves away when each joint turns
                owner = int(moves[v, OWNER])
                ax, ay, az = cx - P[owner, 0], cy - P[owner, 1], cz - P[owner, 2]
                x, y, z = cross(moves[v, OMEGA], moves[v, OMEGA + 1], moves[v, OMEGA + 2], ax, ay, az)
                system.J[row, v] = dot(nx / size, ny / size, nz / size, x, y, z) if owner <= i else 0.0
            row += 1
    return row


@lean
def avoid(tree, goal, world, pose, room, wide):
    """Moves q until the tip is on its point and all links are clear; returns whether they are, the gap, the steps.

    `wide` are the equations with rows for touches: (ROWS, 3n).
    """
    wants, size, moves, r = goal.wants, goal.size, room.moves, wide.r
    tip = int(wants[0, BONE]) + 1
    before, count = math.inf, 0
    for count in range(MAX_STEPS):
        place_bones(tree, pose)
        gap, _, _ = chain_gap(world.obstacles, pose.P, world.radii)
        if gap >= world.clearance and worst_errors(wants, pose)[2]:
            break
        variables = list_moves(tree.joints, goal.roles, pose, moves, room.first)
        write_jacobian(tree, goal, pose.P, room, variables, False, wide.J)
        for a in range(3):
            r[a] = (wants[0, POINT + a] - pose.P[tip, a]) / size
        rows = write_touches(world, world.clearance + BUFFER * size, size, pose.P, moves, variables, wide)
        square = 0.0
        for a in range(rows):
            square += r[a] * r[a]
        if count % LOOK == LOOK - 1:
            if square > PROGRESS * before:
                break
            before = square
        bounded_step(wide, rows, variables, max(DAMPING * square, LEAST_DAMPING), moves)
        shorten(wide.step, variables, variables)
        apply_moves(tree.joints, pose.q, moves, variables, wide.step, room.q)
        copy_rows(room.q, pose.q)
    polish, _ = refine(tree, goal, False, POLISH_STEPS, pose, room)
    gap, _, _ = chain_gap(world.obstacles, pose.P, world.radii)
    return gap >= world.clearance and worst_errors(wants, pose)[2], gap, count + polish


@leaf
def tip_miss(wants, P):
    """Distance of the tip from its point, beyond the tolerance [m]."""
    tip = int(wants[0, BONE]) + 1
    x, y, z = wants[0, POINT] - P[tip, 0], wants[0, POINT + 1] - P[tip, 1], wants[0, POINT + 2] - P[tip, 2]
    return max(0.0, norm(x, y, z) - wants[0, REACH_TOL])
