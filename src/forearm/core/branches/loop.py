"""The loop equation of a pose, in the half angles of two joints and the angle of the hidden one.

What the eliminated joints can make of the followed line spans nine directions of the fifteen; the six directions across
them, `N`, are constants of the arm. What the other joints make of it must vanish there: six equations `E(theta)` in the
nine products of powers of two half angles.
"""

import math

from forearm.core.branches.layout import FOLLOWED, REVERSED, UNFOLDED
from forearm.core.branches.marked_line import move, move_half_angles
from forearm.core.jit import leaf, lean
from forearm.core.lanes import LANES, lanes, read, write


@leaf
def compose(A, B, out):
    """Writes A B of two rigid motions (3, 4)."""
    for i in range(3):
        for j in range(4):
            out[i, j] = A[i, 0] * B[0, j] + A[i, 1] * B[1, j] + A[i, 2] * B[2, j]
        out[i, 3] += A[i, 3]


@leaf
def invert(A, out):
    """Writes the inverse of a rigid motion (3, 4)."""
    for i in range(3):
        for j in range(3):
            out[i, j] = A[j, i]
        out[i, 3] = -(A[0, i] * A[0, 3] + A[1, i] * A[1, 3] + A[2, i] * A[2, 3])


@lean
def place_goal(arm, pose, G):
    """Writes G = pose times back, seen from the centre [m]."""
    back, centre = arm.back, arm.centre
    for i in range(3):
        for j in range(4):
            G[i, j] = pose[i, 0] * back[0, j] + pose[i, 1] * back[1, j] + pose[i, 2] * back[2, j]
        G[i, 3] += pose[i, 3] - centre[i]


@lean
def write_loop(elimination, scale, desk):
    """Writes the three transforms of a pose, the nine vectors Y and the equations E and F made of them."""
    head, ends, T, G, H = elimination.head, elimination.ends, desk.T, desk.G, desk.H
    if head[REVERSED] == 1.0:
        for i in range(3):
            for j in range(4):
                H[i, j] = G[i, j]
    else:
        invert(G, H)
    for i in range(3):
        H[i, 3] /= scale
    place = 2 - int(head[FOLLOWED])  # which of the three has G in it
    for k in range(3):
        for i in range(3):
            for j in range(4):
                T[k, i, j] = ends[k, i, j]
    compose(ends[3], H, desk.J[:3, :4])
    compose(desk.J[:3, :4], ends[4], T[place])
    v, Y = desk.v, desk.Y
    for i in range(15):
        v[0, i] = 0.0
    v[0, 0], v[0, 7] = 1.0, 1.0
    move_half_angles(T[2], v[0], v[1], v[2], v[3])
    for b in range(3):
        move_half_angles(T[1], v[1 + b], Y[b], Y[3 + b], Y[6 + b])
    for k in range(9):
        for i in range(15):
            v[0, i] = Y[k, i]
        move(T[0], v[0], Y[k])
    write_equations(elimination.N, Y, desk.E)
    if head[UNFOLDED] == 1.0:
        write_equations(elimination.N1, Y, desk.F)


@lean
def write_equations(N, Y, E):
    """Writes the constant, cosine and sine parts (3, 6, 9) of N times Y turned by the hidden angle."""
    for r in range(6):
        for k in range(9):
            n, y = N[r], Y[k]
            E[0, r, k] = (
                n[0] * y[0] + n[3] * y[3] + n[4] * y[4] + n[7] * y[7] + n[8] * y[8] + n[11] * y[11] + n[14] * y[14]
            )
            c, s = 0.0, 0.0
            for i in (1, 5, 9, 12):
                c += n[i] * y[i] + n[i + 1] * y[i + 1]
                s += n[i + 1] * y[i] - n[i] * y[i + 1]
            E[1, r, k], E[2, r, k] = c, s


@leaf
def write_turns(angles, turns):
    """Writes cosines and sines of four angles into the first two places of turns."""
    for lane in range(LANES):
        turns[0, 0, lane], turns[0, 1, lane] = math.cos(angles[lane]), math.sin(angles[lane])


@leaf
def write_at(E, turns, W, first):
    """Writes the equations at four angles, of which cosines and sines are given, into nine columns of W."""
    c, s = read(turns, 0, 0), read(turns, 0, 1)
    for r in range(6):
        for k in range(9):
            write(W, r, first + k, lanes(E[0, r, k]) + c * lanes(E[1, r, k]) + s * lanes(E[2, r, k]))
