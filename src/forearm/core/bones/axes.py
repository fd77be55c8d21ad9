"""The axes about which the joints of bones may turn now, and how far: what a step of the refiner moves.

Each joint offers up to three variables. A hinge has its axis. A ball or a cone has two of its swing
and one of its twist; those of the swing are taken along the outward normal of the cone's ellipse and
across it, so that being at the edge of a cone is a bound on one variable.
"""

import math

from forearm.core.bones.codes import AXIS, FIXED, HALF_Y, HALF_Z, HIGH, HINGE, KIND, LOW, TWIST_HIGH, TWIST_LOW
from forearm.core.bones.joints import NO_DIRECTION, clamp_joint, quotients
from forearm.core.bones.room import ALONG, FEWEST, MOST, OMEGA, OWNER, PULL
from forearm.core.jit import leaf, lean


@leaf
def write_move(moves, v, B, i, axis, along, low, high):
    """Writes variable v: it turns bone i about an axis of its socket, its joint values moving along three numbers."""
    x, y, z = axis
    for a in range(3):
        moves[v, OMEGA + a] = B[i, a, 0] * x + B[i, a, 1] * y + B[i, a, 2] * z
    moves[v, OWNER] = float(i)
    moves[v, ALONG], moves[v, ALONG + 1], moves[v, ALONG + 2] = along
    moves[v, FEWEST], moves[v, MOST] = low, high


@leaf
def swing_velocity(y, z, vy, vz):
    """The angular velocity in the socket when the swing (y, z) changes at the rate (vy, vz).

    The left Jacobian of the exponential map: k v + (1 - k) a (a . v) + m (s x v), with a the unit axis.
    """
    angle = math.sqrt(y * y + z * z)
    _, k, m = quotients(angle)
    along = (y * vy + z * vz) / (angle * angle) if angle > NO_DIRECTION else 0.0
    return m * (y * vz - z * vy), k * vy + (1.0 - k) * along * y, k * vz + (1.0 - k) * along * z


@leaf
def outward(joints, i, q):
    """The unit outward normal of a cone's ellipse at the swing of joint i, y at its middle; the room along it [rad]."""
    a, b, y, z = joints[i, HALF_Y], joints[i, HALF_Z], q[i, 0], q[i, 1]
    ny, nz = y, z
    if a < math.inf:
        ny, nz = y * (b / a), z * (a / b)
    size = math.sqrt(ny * ny + nz * nz)
    if size < NO_DIRECTION:
        ny, nz = 1.0, 0.0
    else:
        ny, nz = ny / size, nz / size
    if a == math.inf:
        return ny, nz, math.inf
    y, z, u, v = y / a, z / b, ny / a, nz / b
    square, half, rest = u * u + v * v, u * y + v * z, y * y + z * z - 1.0
    return ny, nz, max(0.0, (math.sqrt(max(half * half - square * rest, 0.0)) - half) / square)


@lean
def list_moves(joints, roles, pose, moves, first):
    """Writes the variables of all bones that lead to a goal and where those of each start; returns how many."""
    q, B, R = pose.q, pose.B, pose.R
    v = 0
    for i in range(q.shape[0]):
        kind, first[i] = joints[i, KIND], v
        if roles[i, PULL] == 0.0 or kind == FIXED:
            continue
        if kind == HINGE:
            axis = (joints[i, AXIS], joints[i, AXIS + 1], joints[i, AXIS + 2])
            write_move(moves, v, B, i, axis, (1.0, 0.0, 0.0), joints[i, LOW] - q[i, 0], joints[i, HIGH] - q[i, 0])
            v += 1
            continue
        ny, nz, room = outward(joints, i, q)
        axis = swing_velocity(q[i, 0], q[i, 1], ny, nz)
        write_move(moves, v, B, i, axis, (ny, nz, 0.0), -math.inf, room)
        axis = swing_velocity(q[i, 0], q[i, 1], -nz, ny)
        write_move(moves, v + 1, B, i, axis, (-nz, ny, 0.0), -math.inf, math.inf)
        v += 2
        low, high = joints[i, TWIST_LOW] - q[i, 2], joints[i, TWIST_HIGH] - q[i, 2]
        if high > low:
            write_move(moves, v, B, i, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), low, high)
            for a in range(3):  # the twist is about the bone itself
                moves[v, OMEGA + a] = R[i, a, 0]
            v += 1
    return v


@lean
def apply_moves(joints, q, moves, count, step, q_out):
    """Writes the joint values after a step, each moved back inside its limits."""
    for i in range(q.shape[0]):
        for a in range(3):
            q_out[i, a] = q[i, a]
    for v in range(count):
        i = int(moves[v, OWNER])
        for a in range(3):
            q_out[i, a] += step[v] * moves[v, ALONG + a]
    for i in range(q.shape[0]):
        clamp_joint(joints, i, q_out)
