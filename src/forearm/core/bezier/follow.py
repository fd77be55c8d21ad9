"""Keeps a pose near the one before it: no link turns by more than it must plus a given angle.

The curve's pose depends on the target alone, so a small motion of the target may ask for a large one of the
chain: past the base, where the line to the target swings round, or where another curve wins. Then the last
pose is closed on the new target by least turns, its links turn toward the curve's pose by at most the given
angle each, and it is closed again: within some frames the chain is back on the curve. What cannot be had that
way, because an obstacle stands between or a straight chain must bend, is a leap, and is told as one.
"""

import math

from forearm.core.bezier.close import close_chain
from forearm.core.bezier.push import repair
from forearm.core.collision.obstacle_rows import chain_gap
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import copy_rows
from forearm.core.maths.se3 import cross, dot

# Halvings of the angle by which links turn toward the curve's pose.
HALVINGS = 4
# A chain that bends out of the straight line turns its ends by up to this multiple of acos(D / L), the least
# that its most turned link must turn; so does one that becomes straight.
BENDING = 2.0
# What rounding and the closing step add to the turn that was asked for, as a share of it.
TURN_SLACK = 0.25


@leaf
def turn_between(ux, uy, uz, vx, vy, vz):
    """The angle between two vectors [rad]."""
    cx, cy, cz = cross(ux, uy, uz, vx, vy, vz)
    return math.atan2(math.sqrt(cx * cx + cy * cy + cz * cz), dot(ux, uy, uz, vx, vy, vz))


@lean
def largest_turn(P, Q):
    """The largest angle between the same link of two poses [rad]."""
    most = 0.0
    for i in range(P.shape[0] - 1):
        ux, uy, uz = P[i + 1, 0] - P[i, 0], P[i + 1, 1] - P[i, 1], P[i + 1, 2] - P[i, 2]
        vx, vy, vz = Q[i + 1, 0] - Q[i, 0], Q[i + 1, 1] - Q[i, 1], Q[i + 1, 2] - Q[i, 2]
        most = max(most, turn_between(ux, uy, uz, vx, vy, vz))
    return most


@lean
def turn_toward(P, Q, most, P_out):
    """Writes pose P with each link turned toward that of Q by at most an angle [rad]; lengths are P's."""
    x, y, z = P[0, 0], P[0, 1], P[0, 2]
    P_out[0, 0], P_out[0, 1], P_out[0, 2] = x, y, z
    for i in range(P.shape[0] - 1):
        ux, uy, uz = P[i + 1, 0] - P[i, 0], P[i + 1, 1] - P[i, 1], P[i + 1, 2] - P[i, 2]
        vx, vy, vz = Q[i + 1, 0] - Q[i, 0], Q[i + 1, 1] - Q[i, 1], Q[i + 1, 2] - Q[i, 2]
        angle = min(turn_between(ux, uy, uz, vx, vy, vz), most)
        k = dot(ux, uy, uz, vx, vy, vz) / dot(ux, uy, uz, ux, uy, uz)
        wx, wy, wz = vx - k * ux, vy - k * uy, vz - k * uz  # v across u
        size, length = math.sqrt(dot(wx, wy, wz, wx, wy, wz)), math.sqrt(dot(ux, uy, uz, ux, uy, uz))
        if size <= 1e-12 * length:  # opposite, or the same: any way round, in the plane if there is one
            wx, wy, wz = -uy, ux, 0.0
            size = math.sqrt(wx * wx + wy * wy)
            if size == 0.0:
                wx, size = 1.0, 1.0
        c, s = math.cos(angle), math.sin(angle) * length / size
        x, y, z = x + c * ux + s * wx, y + c * uy + s * wy, z + c * uz + s * wz
        P_out[i + 1, 0], P_out[i + 1, 1], P_out[i + 1, 2] = x, y, z


@lean
def bend_needed(total, D, D_before):
    """What links must turn because a chain is, or was, nearly straight [rad]."""
    return BENDING * abs(math.acos(min(D / total, 1.0)) - math.acos(min(D_before / total, 1.0)))


@lean
def follow(links, world, target, max_turn, before, P, work):
    """Replaces P (n+1, 3) by a pose nearer to `before`, the last one, where P would be a leap; both are closed.

    A link may turn by `max_turn` more than it must [rad]; `work` is (3, n+1, 3) scratch. Returns whether P was
    replaced, the largest turn of a link [rad], and whether that is a leap.
    """
    length, total, _ = links
    near, trial = work[0], work[1]
    D, D_before = distance(P[0], target), distance(before[0], before[length.shape[0]])
    copy_rows(before, near)
    for a in range(3):
        near[0, a] = P[0, a]
    closed, _ = close_chain(length, total, target, near)
    needed = largest_turn(before, near) if closed else 0.0
    allowed = max(needed, bend_needed(total, D, D_before)) + max_turn
    turned = largest_turn(before, P)
    if turned <= allowed:
        return False, turned, False
    limit = (1.0 + TURN_SLACK) * allowed
    if closed:
        angle = max_turn
        for k in range(HALVINGS + 1):
            turn_toward(near, P, angle if k < HALVINGS else 0.0, trial)
            done, _ = close_chain(length, total, target, trial)
            gap, _, _ = chain_gap(world.obstacles, trial, world.radii)
            if done and largest_turn(before, trial) <= limit and gap >= world.clearance:
                copy_rows(trial, P)
                return True, largest_turn(before, P), False
            angle *= 0.5
        gap, _ = repair(links, world, target, near, work[2])
        if gap >= world.clearance and largest_turn(before, near) <= limit:
            copy_rows(near, P)
            return True, largest_turn(before, P), False
    return False, turned, True


@leaf
def distance(p, q):
    """Between two points [m]."""
    return math.sqrt((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 + (p[2] - q[2]) ** 2)
