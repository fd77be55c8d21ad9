"""FABRIK on one chain without limits, and its Gauss-Newton finish: points only, a few microseconds.

Without limits the bones' directions u_i are independent, so the refiner works on them: the tip is
base + sum l_i u_i, and a turn of bone i moves it by l_i (w_i x u_i). In the dual form the system has
three rows however long the chain is: (sum l_i^2 (I - u_i u_i^T) + lambda I) y = r, and bone i turns
toward y. It has no local minima: only straight lines through the target hold it, and those are bent.
A planar chain (all z equal) stays planar to the last bit.

Citations: Aristidou and Lasenby, Graphical Models 73(5), 2011; damping after Chan and Lawrence 1988.
"""

import math

from forearm.core.bones.codes import FARTHEST, HAS_START, IS_PLANAR, MAX_STEPS, MAX_SWEEPS, MAX_TRIES, REFINE, SWEEPS
from forearm.core.codes import (
    BAD_TARGET,
    ITERATIONS,
    LIMIT_EXCESS,
    NOT_CONVERGED,
    OUT_OF_REACH,
    POSITION_ERROR,
    ROTATION_ERROR,
    SOLVED,
    TRIES,
)
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import copy_rows
from forearm.core.maths.se3 import cross, half_turn_across, norm

# A chain counts as lying on the line to its target when no bone leaves it by more than this
# (sine of the angle); sweeps and Newton steps would take long to leave it.
ON_LINE = 1e-6
# How far the ends of a bent chain turn out of the line [rad].
BEND = 0.4
# Damping per squared relative error: large errors are taken carefully, small ones at full Newton speed.
DAMPING = 0.05
LEAST_DAMPING = 1e-16
# Largest turn of a bone in one step [rad].
MAX_TURN = 0.7
# Damping grows by this after a step that failed, and shrinks by its square root after a good one.
WORSE = 6.0
MAX_DAMPING = 1e8
# Tries from a chain folded or stretched along the line, each bent further: at the very edge of the
# reach every other start may stick on the wrong side of a fold.
MAX_BENDS = 6
# A chain that goes on from a pose whose tip is this near to the target (share of its length) is
# refined at once: the refiner spreads a small motion over all bones, sweeps leave it to the last few.
GLIDE = 0.2


@lean
def forward_reach_free(length, x, y, z, P):
    """Puts the tip on (x, y, z) and lays the bones toward the base, Eq. (1)."""
    n = length.shape[0]
    P[n, 0], P[n, 1], P[n, 2] = x, y, z
    ux, uy, uz = -1.0, 0.0, 0.0
    for i in range(n - 1, -1, -1):
        dx, dy, dz = P[i, 0] - x, P[i, 1] - y, P[i, 2] - z
        square = dx * dx + dy * dy + dz * dz
        if square > 0.0:
            k = 1.0 / math.sqrt(square)
            ux, uy, uz = dx * k, dy * k, dz * k
        x, y, z = x + length[i] * ux, y + length[i] * uy, z + length[i] * uz
        P[i, 0], P[i, 1], P[i, 2] = x, y, z


@lean
def backward_reach_free(length, x, y, z, P):
    """Puts the base back on (x, y, z) and lays the bones toward the tip, Eq. (4)."""
    P[0, 0], P[0, 1], P[0, 2] = x, y, z
    ux, uy, uz = 1.0, 0.0, 0.0
    for i in range(length.shape[0]):
        dx, dy, dz = P[i + 1, 0] - x, P[i + 1, 1] - y, P[i + 1, 2] - z
        square = dx * dx + dy * dy + dz * dz
        if square > 0.0:
            k = 1.0 / math.sqrt(square)
            ux, uy, uz = dx * k, dy * k, dz * k
        x, y, z = x + length[i] * ux, y + length[i] * uy, z + length[i] * uz
        P[i + 1, 0], P[i + 1, 1], P[i + 1, 2] = x, y, z


@leaf
def miss(P, tx, ty, tz):
    """The distance from the tip to a point."""
    n = P.shape[0] - 1
    return norm(tx - P[n, 0], ty - P[n, 1], tz - P[n, 2])


@leaf
def is_on_line(P, dx, dy, dz):
    """Whether every bone lies along a unit direction, forth or back."""
    for i in range(P.shape[0] - 1):
        x, y, z = P[i + 1, 0] - P[i, 0], P[i + 1, 1] - P[i, 1], P[i + 1, 2] - P[i, 2]
        cx, cy, cz = cross(dx, dy, dz, x, y, z)
        if norm(cx, cy, cz) > ON_LINE * norm(x, y, z):
            return False
    return True


@lean
def bend(length, planar, angle, dx, dy, dz, U):
    """Turns the directions U of a chain on a line into an arc, always to the same side; in its plane if it has one."""
    n = length.shape[0]
    sx, sy, sz = -dy, dx, 0.0
    if not planar:
        x, y, z = half_turn_across(dx, dy, dz)
        sx, sy, sz = x / math.pi, y / math.pi, z / math.pi
    for i in range(n):
        along = dx * U[i, 0] + dy * U[i, 1] + dz * U[i, 2]
        turn = angle * (1.0 - 2.0 * i / (n - 1)) if n > 1 else 0.0
        a, b = math.copysign(math.cos(turn), along), math.sin(turn)
        U[i, 0], U[i, 1], U[i, 2] = a * dx + b * sx, a * dy + b * sy, a * dz + b * sz


@lean
def point_along(length, folded, dx, dy, dz, U):
    """Points all directions along a unit one; folded, the longest bone forth, the rest back."""
    longest = 0
    for i in range(length.shape[0]):
        longest = i if length[i] > length[longest] else longest
    for i in range(length.shape[0]):
        k = -1.0 if folded and i != longest else 1.0
        U[i, 0], U[i, 1], U[i, 2] = k * dx, k * dy, k * dz


@lean
def lay_directions(length, U, P):
    """Lays the bones along unit directions U from the base, which is at 0."""
    x = y = z = 0.0
    for i in range(length.shape[0]):
        x, y, z = x + length[i] * U[i, 0], y + length[i] * U[i, 1], z + length[i] * U[i, 2]
        P[i + 1, 0], P[i + 1, 1], P[i + 1, 2] = x, y, z


@lean
def read_directions(P, U):
    """Writes the unit directions of the bones; x for a bone without one."""
    for i in range(U.shape[0]):
        x, y, z = P[i + 1, 0] - P[i, 0], P[i + 1, 1] - P[i, 1], P[i + 1, 2] - P[i, 2]
        size = norm(x, y, z)
        if size > 0.0:
            U[i, 0], U[i, 1], U[i, 2] = x / size, y / size, z / size
        else:
            U[i, 0], U[i, 1], U[i, 2] = 1.0, 0.0, 0.0


@leaf
def dual_step(length, size, damping, U, rx, ry, rz):
    """The y of (sum l_i^2 (I - u_i u_i^T) + lambda I) y = r, lengths in units of the chain's."""
    a = d = f = damping
    b = c = e = 0.0
    for i in range(length.shape[0]):
        k = length[i] / size
        k *= k
        x, y, z = U[i, 0], U[i, 1], U[i, 2]
        a, d, f = a + k * (1.0 - x * x), d + k * (1.0 - y * y), f + k * (1.0 - z * z)
        b, c, e = b - k * x * y, c - k * x * z, e - k * y * z
    # the symmetric [[a, b, c], [b, d, e], [c, e, f]] by elimination
    x, y, z, m, n = rx / size, ry / size, rz / size, b / a, c / a
    d, e, f = d - m * b, e - m * c, f - n * c
    y, z = y - m * x, z - n * x
    k = e / d
    z = (z - k * y) / (f - k * e)
    y = (y - e * z) / d
    return (x - b * y - c * z) / a, y, z


@leaf
def turn_directions(length, size, U, x, y, z, V):
    """Writes V: every direction turned toward y by its share, none by more than MAX_TURN."""
    largest = 0.0
    for i in range(length.shape[0]):
        along = U[i, 0] * x + U[i, 1] * y + U[i, 2] * z
        k = length[i] / size
        dx, dy, dz = k * (x - along * U[i, 0]), k * (y - along * U[i, 1]), k * (z - along * U[i, 2])
        V[i, 0], V[i, 1], V[i, 2] = dx, dy, dz
        largest = max(largest, dx * dx + dy * dy + dz * dz)
    largest = math.sqrt(largest)
    shrink = MAX_TURN / largest if largest > MAX_TURN else 1.0
    for i in range(length.shape[0]):
        dx, dy, dz = shrink * V[i, 0], shrink * V[i, 1], shrink * V[i, 2]
        x, y, z = U[i, 0] + dx, U[i, 1] + dy, U[i, 2] + dz
        k = 1.0 / norm(x, y, z)
        V[i, 0], V[i, 1], V[i, 2] = x * k, y * k, z * k


@lean
def refine_free(length, size, target, tolerance, max_steps, settings, U, V, P):
    """Gauss-Newton on the directions U until the tip is within tolerance; returns the steps taken."""
    n, (tx, ty, tz) = length.shape[0], target
    factor, error = 1.0, miss(P, tx, ty, tz)
    for step in range(max_steps):
        if error <= tolerance or settings[MAX_STEPS] < 0.0:  # as they are once the call is given up
            return step
        damping = max(factor * DAMPING * (error / size) ** 2, LEAST_DAMPING)
        x, y, z = dual_step(length, size, damping, U, tx - P[n, 0], ty - P[n, 1], tz - P[n, 2])
        turn_directions(length, size, U, x, y, z, V)
        lay_directions(length, V, P)
        trial = miss(P, tx, ty, tz)
        if trial < error:
            copy_rows(V, U)
            error, factor = trial, factor / math.sqrt(WORSE)
        else:
            lay_directions(length, U, P)
            factor *= WORSE
            if factor > MAX_DAMPING:
                return step + 1
    return max_steps


@lean
def solve_fabrik_free(length, start, target, tolerance, settings, work, P_out, report_out):
    """Solves one point (3,) for a chain without limits from points `start` (n+1, 3), the base first; returns a code.

    `settings` and the report (8,) are those of `core/bones/codes.py`; `work` is (2, n, 3).
    """
    n, base = length.shape[0], start[0]
    tx, ty, tz = target[0] - base[0], target[1] - base[1], target[2] - base[2]
    if not abs(tx) + abs(ty) + abs(tz) < FARTHEST:
        return BAD_TARGET
    total, longest = 0.0, 0
    for i in range(n):
        total += length[i]
        longest = i if length[i] > length[longest] else longest
    for i in range(n + 1):
        for a in range(3):
            P_out[i, a] = start[i, a] - base[a]
    distance, hole = norm(tx, ty, tz), max(2.0 * length[longest] - total, 0.0)
    if distance > ON_LINE * total:
        dx, dy, dz = tx / distance, ty / distance, tz / distance
    else:  # no direction to the target: that of the longest bone
        size = length[longest]
        dx = (P_out[longest + 1, 0] - P_out[longest, 0]) / size
        dy = (P_out[longest + 1, 1] - P_out[longest, 1]) / size
        dz = (P_out[longest + 1, 2] - P_out[longest, 2]) / size
    steps, tries, sweeps = 0, 1, 1
    if distance >= total or (distance <= hole and hole > 0.0):
        point_along(length, distance < total, dx, dy, dz, work[0])
        lay_directions(length, work[0], P_out)
    else:
        sweeps, steps, tries = approach(length, total, (dx, dy, dz), (tx, ty, tz), tolerance, settings, work, P_out)
    error = miss(P_out, tx, ty, tz)
    for i in range(n + 1):
        for a in range(3):
            P_out[i, a] += base[a]
    report_out[POSITION_ERROR], report_out[ROTATION_ERROR], report_out[LIMIT_EXCESS] = error, 0.0, 0.0
    report_out[ITERATIONS], report_out[TRIES], report_out[SWEEPS] = steps, tries, sweeps
    if error <= tolerance:
        return SOLVED
    return OUT_OF_REACH if distance > total or distance < hole else NOT_CONVERGED


@lean
def solve_free_many(length, starts, targets, tolerances, settings, work, P_out, report_out, codes_out):
    """Points (N, 3) for a chain without limits; starts (N or 1, n+1, 3)."""
    for i in range(targets.shape[0]):
        start = starts[i if starts.shape[0] > 1 else 0]
        given, answer = (targets[i], tolerances[i], settings), (P_out[i], report_out[i])
        codes_out[i] = solve_fabrik_free(length, start, *given, work, *answer)


@lean
def approach(length, total, along, target, tolerance, settings, work, P):
    """Sweeps, then refines, bending what lies on the line; returns sweeps, steps and tries.

    `along` is the unit direction to the target; P (n+1, 3) are points from a base at 0, in and out.
    """
    (dx, dy, dz), (tx, ty, tz), planar = along, target, settings[IS_PLANAR] != 0.0
    U, V = work[0], work[1]
    if miss(P, tx, ty, tz) <= tolerance:
        return 0, 0, 1
    if is_on_line(P, dx, dy, dz):
        read_directions(P, U)
        bend(length, planar, BEND, dx, dy, dz, U)
        lay_directions(length, U, P)
    sweeps, steps, tries, most = 0, 0, 1, int(settings[MAX_SWEEPS])
    if settings[HAS_START] != 0.0 and settings[REFINE] != 0.0 and miss(P, tx, ty, tz) < GLIDE * total:
        most = 0
    while sweeps < most and settings[MAX_SWEEPS] >= 0.0 and not miss(P, tx, ty, tz) <= tolerance:
        forward_reach_free(length, tx, ty, tz, P)
        backward_reach_free(length, 0.0, 0.0, 0.0, P)
        sweeps += 1
    if settings[REFINE] == 0.0:
        return sweeps, steps, tries
    read_directions(P, U)
    bends, folded = min(MAX_BENDS, int(settings[MAX_TRIES])), norm(tx, ty, tz) < 0.5 * total
    for tries in range(1, bends + 1):
        if tries > 1:
            point_along(length, folded, dx, dy, dz, U)  # folded near the hole
        if tries > 2:
            bend(length, planar, BEND * (tries - 2) / 2, dx, dy, dz, U)
        lay_directions(length, U, P)
        steps += refine_free(length, total, target, tolerance, int(settings[MAX_STEPS]), settings, U, V, P)
        if miss(P, tx, ty, tz) <= tolerance:
            return sweeps, steps, tries
    return sweeps, steps, bends


@lean
def trace_free(length, start, target, tolerance, work, stages_out):
    """Writes the points after every stage of plain sweeps; returns how many stages there are, the start included."""
    P, base = work, start[0]
    copy_rows(start, P)
    copy_rows(P, stages_out[0])
    count = 1
    while count + 2 <= stages_out.shape[0] and miss(P, target[0], target[1], target[2]) > tolerance:
        forward_reach_free(length, target[0], target[1], target[2], P)
        copy_rows(P, stages_out[count])
        backward_reach_free(length, base[0], base[1], base[2], P)
        copy_rows(P, stages_out[count + 1])
        count += 2
    return count
