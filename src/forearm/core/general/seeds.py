"""The search for the starts nearest to a target, in a table of configurations (`table.py`).

The squared distance from a target to an entry is taken over features: differences of position squared,
products of unit vectors taken from two. Where no start is given, an entry also counts the farther, the more
its joints are away from the middle of their limits, and the more it turns the arm's front from the target: of entries
about as near to the target, the one nearer to the neutral posture comes first, and an arm seldom reaches over its back.
"""

import math

import numpy as np

from forearm.core.arm.problem import FOLD_FIRST, FOLD_LAST, FRONT
from forearm.core.codes import DIRECTION, LOWER, ORIENTATION, POINT_AXIS, POSITION, TOOL_AXIS, UPPER, VARIABLE
from forearm.core.general.fold import PLACE, describe, fold, fold_angles
from forearm.core.general.table import BENT, FIRST_ANGLE, LAST_ANGLE, WINDOW
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import clamp, middle, wrap_near
from forearm.core.maths.se3 import apply_inverse_rotation
from forearm.core.maths.sincos import sincos

# how much a folded joint outside its limits counts [1/rad^2]
OUTSIDE = 10.0
# how much the first joint counts, folded, away from where the arm faces the target, or, without a front, from its
# middle [1/rad^2]: it is what turns an arm round
TURNED_ROUND = 0.06
ON_AXIS = 1e-4  # nearer to the first axis than this share of the front, squared, a target lies on no side of it
POSITIVE = 2.001  # squares of two unit vectors, and enough to stay positive when rounded
NO_RANK = 0x7FFFFFFF


@leaf
def describe_target(links, goal, seeds):
    """Writes the target's folded pose and features; returns the folded angles."""
    kind, terms, facts, X_out = goal.kind, goal.terms, seeds.facts, seeds.X
    fold(links, facts, goal.pose, X_out)
    first_angle, last_angle = fold_angles(kind, facts, X_out)
    if kind == POINT_AXIS:  # R counts only by direction . R axis = <R, direction axis^T>
        dx, dy, dz = apply_inverse_rotation(links[0], terms[DIRECTION], terms[DIRECTION + 1], terms[DIRECTION + 2])
        for j in range(3):
            t = terms[TOOL_AXIS + j]
            X_out[0, j], X_out[1, j], X_out[2, j] = dx * t, dy * t, dz * t
    describe(kind, facts, first_angle, X_out, seeds.f)
    return first_angle, last_angle


@lean
def rank_seeds(robot, goal, seeds, neutral):
    """Ranks all entries; returns the first rank, where its window begins, and the target's angle about the first axis.

    Where the neutral posture is preferred, nearness to it counts too.
    A rank holds the distance in its high bits (a positive float32 sorts like its bits) and the
    entry's number in the low ones, so that ranks differ and their order is the order of tries.
    """
    joints, limits, kind = robot.joints, robot.limits, goal.kind
    keys, facts, f = seeds.keys, seeds.facts, seeds.f
    first_angle, last_angle = describe_target(robot.links, goal, seeds)
    distance = seeds.ranks.view(np.float32)
    start = window_start(keys, f[PLACE])
    end = start + WINDOW
    set_distance(
        keys[0, start:end], keys[1, start:end], keys[3, start:end], keys[4, start:end], keys[5, start:end], f, distance
    )
    if facts[FOLD_FIRST] == 0.0:
        height, third = np.float32(f[2]), keys[2, start:end]
        for i in range(distance.shape[0]):
            distance[i] += (third[i] - height) * (third[i] - height)
    if kind == POINT_AXIS or (kind != POSITION and facts[FOLD_LAST] == 0.0):
        add_products(keys[6, start:end], keys[7, start:end], keys[8, start:end], f, 6, distance)
    if kind == POINT_AXIS:
        add_products(keys[9, start:end], keys[10, start:end], keys[11, start:end], f, 9, distance)
    if facts[FOLD_FIRST] != 0.0:
        k = int(joints[0, VARIABLE])
        add_outside(keys[FIRST_ANGLE, start:end], first_angle, limits[LOWER, k], limits[UPPER, k], distance)
    if facts[FOLD_LAST] != 0.0:
        k = int(joints[joints.shape[0] - 1, VARIABLE])
        add_outside(keys[LAST_ANGLE, start:end], last_angle, limits[LOWER, k], limits[UPPER, k], distance)
    if neutral:
        add_bend(robot, kind, seeds, start, first_angle, distance)
    return number(seeds.ranks), start, first_angle


@leaf
def window_start(keys, place):
    """Where the stretch of the table begins whose first feature is about the target's."""
    low, high = 0, keys.shape[1]
    while low < high:
        middle = (low + high) // 2
        if keys[PLACE, middle] < place:
            low = middle + 1
        else:
            high = middle
    return min(max(low - WINDOW // 2, 0), keys.shape[1] - WINDOW)


@leaf
def number(ranks):
    """Puts each entry's number into the low bits of its rank; returns the smallest."""
    best = NO_RANK
    for i in range(ranks.shape[0]):
        rank = (ranks[i] & np.int32(-WINDOW)) | np.int32(i)
        ranks[i] = rank
        best = min(best, np.int64(rank))
    return best


@leaf
def set_distance(r, z, u, v, w, f, distance_out):
    """Writes the distance by the features that folded poses have."""
    a, b = np.float32(f[0]), np.float32(f[1])
    c, d, e = np.float32(2.0 * f[3]), np.float32(2.0 * f[4]), np.float32(2.0 * f[5])
    constant = np.float32(POSITIVE)
    for i in range(distance_out.shape[0]):
        x, y = r[i] - a, z[i] - b
        distance_out[i] = constant + x * x + y * y - c * u[i] - d * v[i] - e * w[i]


@leaf
def add_products(x, y, z, f, j, distance):
    """Takes off twice the product with three more features of the heading."""
    a, b, c = np.float32(2.0 * f[j]), np.float32(2.0 * f[j + 1]), np.float32(2.0 * f[j + 2])
    for i in range(distance.shape[0]):
        distance[i] -= a * x[i] + b * y[i] + c * z[i]


@leaf
def add_outside(angles, angle, lower, upper, distance):
    """Adds the penalty of a folded joint that would stand outside its limits."""
    half = 0.5 * (upper - lower)
    if not half < math.pi:
        return
    towards = np.float32(wrap_near(angle - 0.5 * (lower + upper), 0.0))
    turn, inside, factor = np.float32(2.0 * math.pi), np.float32(half), np.float32(OUTSIDE)
    for i in range(distance.shape[0]):
        away = abs(towards - angles[i])
        beyond = max(min(away, turn - away) - inside, np.float32(0.0))
        distance[i] += factor * beyond * beyond


@leaf
def add_bend(robot, kind, seeds, start, first_angle, distance):
    """Adds what the entries of the window are away from the neutral posture, turned to face the target."""
    bent, angles = seeds.keys[BENT, start : start + WINDOW], seeds.keys[FIRST_ANGLE, start : start + WINDOW]
    towards, factor = np.float32(0.0), np.float32(0.0)
    if seeds.facts[FOLD_FIRST] != 0.0:
        k = int(robot.joints[0, VARIABLE])
        turn = first_angle - middle(robot.limits[LOWER, k], robot.limits[UPPER, k])
        if kind != ORIENTATION and has_front(seeds.facts):  # where an entry's tip stands if the arm faces it
            turn = math.atan2(seeds.facts[FRONT + 1], seeds.facts[FRONT])
        towards, factor = np.float32(wrap_near(turn, 0.0)), np.float32(TURNED_ROUND)
    turn = np.float32(2.0 * math.pi)
    for i in range(distance.shape[0]):
        away = abs(towards - angles[i])
        away = min(away, turn - away)
        distance[i] += bent[i] + factor * away * away


@lean
def next_seed(robot, goal, seeds, neutral, last, q_out):
    """Writes the entry behind the last one; returns its cursor: rank, where its window begins, the first angle.

    `neutral` says whether the neutral posture is preferred; `last` is the cursor of the entry before, its rank
    NO_RANK at the beginning.
    """
    rank, start, angle = last
    if rank == NO_RANK:
        rank, start, angle = rank_seeds(robot, goal, seeds, neutral)
    else:
        rank = next_rank(seeds.ranks, rank)
    unfold(robot, seeds, start + rank % WINDOW, angle, q_out)
    return rank, start, angle


@leaf
def next_rank(ranks, last):
    """The smallest rank above the last one; its low bits number the entry."""
    best = NO_RANK
    for i in range(ranks.shape[0]):
        rank = np.int64(ranks[i])  # a minimum of int64 runs in vector registers, of int32 it does not
        best = min(best, rank if rank > last else NO_RANK)
    return best


@leaf
def unfold(robot, seeds, entry, first_angle, q_out):
    """Writes the entry's configuration, its folded joints turned to match the target."""
    joints, limits, facts, entries = robot.joints, robot.limits, seeds.facts, seeds.entries
    n, m = limits.shape[1], joints.shape[0]
    for k in range(n):
        q_out[k] = entries[entry, k]
    turn = 0.0
    if facts[FOLD_FIRST] != 0.0:
        k = int(joints[0, VARIABLE])
        turn = into(first_angle - float(seeds.keys[FIRST_ANGLE, entry]), limits[LOWER, k], limits[UPPER, k])
        q_out[k] = turn
    if facts[FOLD_LAST] != 0.0:
        k = int(joints[m - 1, VARIABLE])
        q_out[k] = into(last_turn(entries[entry, n:], seeds.X, turn), limits[LOWER, k], limits[UPPER, k])


@leaf
def last_turn(R, X, turn):
    """The turn about the last axis that brings Rz(turn) R closest to X."""
    s, c = sincos(turn)
    sine, cosine = 0.0, 0.0
    for i in range(2):
        x, y, z = c * X[0, i] + s * X[1, i], c * X[1, i] - s * X[0, i], X[2, i]
        cosine += R[i] * x + R[3 + i] * y + R[6 + i] * z
        sine += (1.0 if i == 0 else -1.0) * (R[1 - i] * x + R[4 - i] * y + R[7 - i] * z)
    return math.atan2(sine, cosine)


@leaf
def has_front(facts):
    """Whether an arm has a front."""
    return facts[FRONT] != 0.0 or facts[FRONT + 1] != 0.0


@leaf
def face(robot, facts, pose, q):
    """Turns the first joint of q so that the arm's front faces a pose, unless there is none or it is on the axis."""
    first, x, y = robot.links[0], facts[FRONT], facts[FRONT + 1]
    dx, dy, dz = pose[0, 3] - first[0, 3], pose[1, 3] - first[1, 3], pose[2, 3] - first[2, 3]
    px, py, _ = apply_inverse_rotation(first, dx, dy, dz)
    if px * px + py * py > ON_AXIS * (x * x + y * y) > 0.0:
        k = int(robot.joints[0, VARIABLE])
        q[k] = into(math.atan2(x * py - y * px, x * px + y * py), robot.limits[LOWER, k], robot.limits[UPPER, k])


@leaf
def into(angle, lower, upper):
    """The angle's representative nearest to the middle of the limits, moved inside them."""
    if not (math.isfinite(lower) and math.isfinite(upper)):
        return clamp(angle, lower, upper)
    return clamp(wrap_near(angle, 0.5 * (lower + upper)), lower, upper)
