"""Starts for cold tries: a table of configurations, and the search for those nearest to a target.

A turn of the first joint only turns the pose about its axis, and a turn of the last only turns
the tip about its own; so both are left out of the table ("folded") and set afterwards to match
the target. What remains of a pose is a point in a half plane (radius, height) and a direction,
four numbers, which a thousand samples cover well. A joint that slides, or that shares its
variable, is not folded; a target that asks for less than a pose is described by what it asks.

Samples follow the R-sequence (Roberts 2018), which fills a box evenly. The squared distance from
a target to an entry is taken over features: differences of position squared, products of unit
vectors taken from two.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from forearm.core.arm.kinematics import fk_tip
from forearm.core.arm.problem import DRIVEN, FOLD_FIRST, FOLD_LAST, LENGTH, REACH, SLIDE, UP
from forearm.core.codes import (
    DIRECTION,
    KIND,
    LOWER,
    ORIENTATION,
    POINT_AXIS,
    POSE,
    POSITION,
    PRISMATIC,
    RATIO,
    TOOL_AXIS,
    UPPER,
    VARIABLE,
)
from forearm.core.jit import leaf, lean, shared
from forearm.core.maths.limits import clamp, wrap_near
from forearm.core.maths.se3 import apply_inverse_rotation
from forearm.core.maths.sincos import sincos
from forearm.core.shaped import shaped

ENTRIES = 2048  # of a table, unless fewer are asked for
WINDOW = 256  # a power of two: the entry's number takes the low bits of its rank
# rows of `keys`: three of position, nine of direction, then the angles of the folded joints
PLACE, HEADING, FIRST_ANGLE, LAST_ANGLE = 0, 3, 12, 13
KEYS = 14
FEATURES = 12
# how much a folded joint outside its limits counts [1/rad^2]
OUTSIDE = 10.0
POSITIVE = 2.001  # squares of two unit vectors, and enough to stay positive when rounded
NO_RANK = 0x7FFFFFFF
HALF_SQRT2 = math.sqrt(0.5)


class Seeds(NamedTuple):
    """A seed table, and what the search in it works with and leaves behind."""

    keys: Any  # (14, M) float32
    entries: Any  # (M, n + 9)
    facts: Any  # (9,)
    X: Any  # (3, 4) the target's folded pose
    f: Any  # (12,) its features
    ranks: Any  # (256,) int32


@shared
def seeds_size():
    """How many numbers of scratch the search in a seed table takes."""
    return 12 + FEATURES + WINDOW // 2


@shared
def entry_size(n):
    """How many numbers an entry of n variables has in a flat seed table; two of its keys share one."""
    return n + 9 + KEYS // 2


@shared
def least_seeds(n):
    """How many numbers the smallest flat seed table of n variables has: the search looks at a window of entries."""
    return WINDOW * entry_size(n)


@leaf
def open_seeds(table, facts, n, work):
    """A flat seed table, its search in the first `seeds_size()` numbers of scratch; only for lean kernels."""
    M = table.shape[0] // entry_size(n)
    entries = shaped(table[: M * (n + 9)], (M, n + 9))
    keys = shaped(table[M * (n + 9) :].view(np.float32), (KEYS, M))
    X, f, ranks = shaped(work[:12], (3, 4)), work[12 : 12 + FEATURES], work[12 + FEATURES : seeds_size()]
    return Seeds(keys, entries, facts, X, f, ranks.view(np.int32))


@lean
def measure_chain(links, joints, limits, kind, facts_out):
    """Writes the chain's reach and unit of length, and which ends of it are folded."""
    m = joints.shape[0]
    reach = chain_length(links, joints, limits)
    if reach == 0.0 or reach == math.inf:
        reach = 1.0
    first, last = can_fold(joints, 0), can_fold(joints, m - 1)
    if m < 3:
        first = last = False
    if kind == ORIENTATION and not (first and last):
        first = last = False
    if kind == POSITION or kind == POINT_AXIS:
        last = False
    facts_out[REACH] = reach
    facts_out[LENGTH] = reach / 3.0
    facts_out[SLIDE] = wrist_slide(links, joints) if last else 0.0
    facts_out[FOLD_FIRST] = 1.0 if first else 0.0
    facts_out[FOLD_LAST] = 1.0 if last else 0.0


@leaf
def chain_length(links, joints, limits):
    """The length of all links behind the first joint and of all slides at their longest [m]."""
    length = 0.0
    for i in range(joints.shape[0]):
        C = links[i + 1]
        length += math.sqrt(C[0, 3] ** 2 + C[1, 3] ** 2 + C[2, 3] ** 2)
        if joints[i, KIND] == PRISMATIC:
            k = int(joints[i, VARIABLE])
            length += abs(joints[i, RATIO]) * max(abs(limits[LOWER, k]), abs(limits[UPPER, k]))
    return length


@leaf
def can_fold(joints, i):
    """Whether moving joint i turns, and has its variable to itself one to one."""
    if joints[i, KIND] == PRISMATIC or joints[i, RATIO] != 1.0:
        return False
    for other in range(joints.shape[0]):
        if other != i and joints[other, VARIABLE] == joints[i, VARIABLE]:
            return False
    return True


@leaf
def wrist_slide(links, joints):
    """How far along the last axis the point nearest to the axis before it lies [m]."""
    m = joints.shape[0]
    C = links[m - 1]
    square = C[0, 2] ** 2 + C[1, 2] ** 2
    if joints[m - 2, KIND] == PRISMATIC or square < 1e-12:
        return 0.0
    return -(C[0, 3] * C[0, 2] + C[1, 3] * C[1, 2]) / square


@lean
def build_seeds(links, joints, limits, kind, work, keys_out, entries_out, facts_out):
    """Writes the table: keys (14, M) float32, entries (M, n + 9) q and rotation, facts (9,).

    What the facts say of driving is the caller's. `work` is scratch of n + 28 + 12 numbers.
    """
    n, m = limits.shape[1], joints.shape[0]
    measure_chain(links, joints, limits, kind, facts_out)
    first, last = facts_out[FOLD_FIRST] != 0.0, facts_out[FOLD_LAST] != 0.0
    q, rest = work[:n], work[n:]
    T, X, f = shaped(rest[:16], (4, 4)), shaped(rest[16:28], (3, 4)), rest[28 : 28 + FEATURES]
    for k in range(n):
        q[k] = 0.0
    skip_first = int(joints[0, VARIABLE]) if first else -1
    skip_last = int(joints[m - 1, VARIABLE]) if last else -1
    step = r_sequence_step(n - (1 if first else 0) - (1 if last else 0))
    for entry in range(keys_out.shape[1]):
        fraction = 1.0
        for k in range(n):
            if k == skip_first or k == skip_last:
                continue
            fraction *= step
            lower, upper = sampled_range(limits[LOWER, k], limits[UPPER, k])
            u = 0.5 + (entry + 1) * fraction
            q[k] = lower + (u - math.floor(u)) * (upper - lower)
        fk_tip(links, joints, q, T)
        fold(links, facts_out, T, X)
        first_angle, last_angle = fold_angles(kind, facts_out, X)
        describe(kind, facts_out, first_angle, X, f)
        for j in range(FEATURES):
            keys_out[j, entry] = f[j]
        keys_out[FIRST_ANGLE, entry], keys_out[LAST_ANGLE, entry] = first_angle, last_angle
        for k in range(n):
            entries_out[entry, k] = q[k]
        for i in range(3):
            for j in range(3):
                entries_out[entry, n + 3 * i + j] = X[i, j]


@leaf
def r_sequence_step(dimensions):
    """1 / x with x^(d + 1) = x + 1: the golden ratio's kin for d dimensions."""
    x = 2.0
    for _ in range(64):
        x = (1.0 + x) ** (1.0 / (dimensions + 1.0))
    return 1.0 / x


@leaf
def sampled_range(lower, upper):
    """The stretch of a joint's range that the table samples: one turn at most."""
    if not (math.isfinite(lower) and math.isfinite(upper)):
        return max(lower, -math.pi), min(upper, math.pi)
    if upper - lower > 2.0 * math.pi:
        middle = 0.5 * (lower + upper)
        return middle - math.pi, middle + math.pi
    return lower, upper


@leaf
def fold(links, facts, T, X_out):
    """X = C0^-1 T, and where the last joint is folded also Cn^-1 and the slide along its axis."""
    first, last = links[0], links[links.shape[0] - 1]
    dx, dy, dz = T[0, 3] - first[0, 3], T[1, 3] - first[1, 3], T[2, 3] - first[2, 3]
    X_out[0, 3], X_out[1, 3], X_out[2, 3] = apply_inverse_rotation(first, dx, dy, dz)
    for j in range(3):
        X_out[0, j], X_out[1, j], X_out[2, j] = apply_inverse_rotation(first, T[0, j], T[1, j], T[2, j])
    if facts[FOLD_LAST] == 0.0:
        return
    for i in range(3):
        a, b, c = X_out[i, 0], X_out[i, 1], X_out[i, 2]
        for j in range(3):
            X_out[i, j] = a * last[j, 0] + b * last[j, 1] + c * last[j, 2]
        back = X_out[i, 0] * last[0, 3] + X_out[i, 1] * last[1, 3] + X_out[i, 2] * last[2, 3]
        X_out[i, 3] += facts[SLIDE] * X_out[i, 2] - back


@leaf
def fold_angles(kind, facts, X):
    """The angles of the folded ends: of the point about the first axis, of the tip about the last."""
    first_angle, last_angle = 0.0, 0.0
    if facts[FOLD_FIRST] != 0.0:
        column = 2 if kind == ORIENTATION else 3
        first_angle = math.atan2(X[1, column], X[0, column])
    if facts[FOLD_LAST] != 0.0:
        last_angle = math.atan2(X[2, 1], -X[2, 0])
    return first_angle, last_angle


@leaf
def describe(kind, facts, angle, X, f_out):
    """Writes the features of a folded pose: its place, and what matters of its heading."""
    for j in range(FEATURES):
        f_out[j] = 0.0
    s, c = sincos(angle)
    folded = facts[FOLD_FIRST] != 0.0
    if kind == ORIENTATION:
        if folded:
            write_place(c, s, 1.0, True, X, 2, f_out)
    elif facts[DRIVEN] != 0.0:  # the base drives to the rest of its place
        f_out[PLACE] = (facts[UP] * X[0, 3] + facts[UP + 1] * X[1, 3] + facts[UP + 2] * X[2, 3]) / facts[LENGTH]
    else:
        write_place(c, s, 1.0 / facts[LENGTH], folded, X, 3, f_out)
    if kind == POINT_AXIS:
        for j in range(3):
            write_heading(c, s, 1.0, X, j, j, f_out)
    elif kind == POSE and facts[FOLD_LAST] != 0.0:
        write_heading(c, s, 1.0, X, 2, 0, f_out)
    elif kind == POSE or (kind == ORIENTATION and not folded):
        write_heading(c, s, HALF_SQRT2, X, 0, 0, f_out)
        write_heading(c, s, HALF_SQRT2, X, 1, 1, f_out)


@leaf
def write_place(c, s, scale, folded, X, column, f_out):
    """A column of X as (radius, height), or whole where the first joint is not folded."""
    x, y = c * X[0, column] + s * X[1, column], c * X[1, column] - s * X[0, column]
    f_out[PLACE] = scale * x
    f_out[PLACE + 1] = scale * (X[2, column] if folded else y)
    f_out[PLACE + 2] = 0.0 if folded else scale * X[2, column]


@leaf
def write_heading(c, s, scale, X, column, place, f_out):
    """A column of X turned back about z, as the heading's given triple."""
    f_out[HEADING + 3 * place] = scale * (c * X[0, column] + s * X[1, column])
    f_out[HEADING + 3 * place + 1] = scale * (c * X[1, column] - s * X[0, column])
    f_out[HEADING + 3 * place + 2] = scale * X[2, column]


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
def rank_seeds(robot, goal, seeds):
    """Ranks all entries; returns the first rank, where its window begins, and the target's angle about the first axis.

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


@lean
def next_seed(robot, goal, seeds, last, q_out):
    """Writes the entry behind the last one; returns its cursor: rank, where its window begins, the first angle.

    `last` is the cursor of the entry before, its rank NO_RANK at the beginning.
    """
    rank, start, angle = last
    if rank == NO_RANK:
        rank, start, angle = rank_seeds(robot, goal, seeds)
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
def into(angle, lower, upper):
    """The angle's representative nearest to the middle of the limits, moved inside them."""
    if not (math.isfinite(lower) and math.isfinite(upper)):
        return clamp(angle, lower, upper)
    return clamp(wrap_near(angle, 0.5 * (lower + upper)), lower, upper)
