"""Answers gathered: made exact, kept once, and looked at twice where two of them nearly coincide."""

import math

from forearm.core.branches.back import write_seed
from forearm.core.branches.determinant import null_vectors
from forearm.core.branches.layout import BRANCHES, FOLLOWED, REVERSED, UNFOLDED
from forearm.core.branches.newton import EXACT, descend, newton, solve_six, write_linear
from forearm.core.branches.roots import polynomial
from forearm.core.jit import leaf, lean
from forearm.core.lanes import LANES

NEW, REPEATED, FAILED = 0, 1, 2
SAME = 4e-6  # answers closer than this in every joint are one [rad]
NEAR, MET = 1e-2, 1e-12  # and those within NEAR whose midpoint meets the target to MET
MOVED = 0.02  # a root that the polish moves farther than this is polished more carefully [rad]
NEWTON_STEPS = 14
FARTHEST_TWIN, SINGULAR = 0.5, 0.2  # where the other one of a pair is looked for
TURN = 2.0 * math.pi


@leaf
def difference(a, b):
    """The turn from b to a, in [-pi, pi]."""
    return a - b - TURN * math.floor((a - b) / TURN + 0.5)


@lean
def find_same(arm, desk, q, rows, count):
    """The place of an answer among those that are kept, or -1."""
    middle, J = desk.q[7], desk.A
    for i in range(count):
        apart = 0.0
        for k in range(6):
            apart = max(apart, abs(difference(q[k], rows[i, k])))
        if apart < SAME:
            return i
        if apart < NEAR:
            for k in range(6):
                middle[k] = q[k] - 0.5 * difference(q[k], rows[i, k])
            if write_linear(arm, desk.G, middle, J) < MET:
                return i
    return -1


@lean
def keep(arm, desk, q, rows, count):
    """Adds an answer that is not there yet; returns how many there are."""
    if count == BRANCHES or find_same(arm, desk, q, rows, count) >= 0:
        return count
    for k in range(6):
        rows[count, k] = difference(q[k], 0.0)
    return count + 1


@lean
def write_twin(arm, desk, q):
    """Moves a nearly singular answer to the other one of its pair; False if there is none near.

    Along the singular direction the error is a parabola, g s + k s^2 / 2, with a second root at -2 g / k.
    """
    u, v, probe, J, A = desk.q[3], desk.q[4], desk.q[5], desk.J, desk.A
    write_linear(arm, desk.G, q, J)
    for k in range(6):
        v[k] = math.sin(1.0 + k)
    sigma = 0.0
    for _ in range(2):
        for back in range(2):  # once with the transpose, once with the Jacobian
            for i in range(6):
                for j in range(6):
                    A[i, j] = J[j, i] if back == 0 else J[i, j]
                A[i, 6] = v[i] if back == 0 else u[i]
            if solve_six(A) == 0.0:
                return False
            size = 0.0
            for i in range(6):
                size += A[i, 6] * A[i, 6]
            size = math.sqrt(size)
            sigma = 1.0 / size
            for i in range(6):
                if back == 0:
                    u[i] = A[i, 6] / size
                else:
                    v[i] = A[i, 6] / size
    if sigma > SINGULAR:
        return False
    h = 1e-3 if sigma < 1e-2 else 1e-2
    ahead, behind, here = 0.0, 0.0, 0.0
    for i in range(6):
        here += u[i] * J[i, 6]
        probe[i] = q[i] + h * v[i]
    write_linear(arm, desk.G, probe, A)
    for i in range(6):
        ahead += u[i] * A[i, 6]
        probe[i] = q[i] - h * v[i]
    write_linear(arm, desk.G, probe, A)
    for i in range(6):
        behind += u[i] * A[i, 6]
    slope, bend = (ahead - behind) / (2.0 * h), (ahead - 2.0 * here + behind) / (h * h)
    s = -2.0 * slope / bend if bend != 0.0 else math.inf
    if not abs(s) < FARTHEST_TWIN:
        return False
    for i in range(6):
        q[i] += s * v[i]
    return newton(arm, desk.G, q, J, A, NEWTON_STEPS)[0] < EXACT


@leaf
def hidden_joint(head):
    """The hidden joint in the arm's own order."""
    joint = (int(head[FOLLOWED]) + 3) % 6
    return 5 - joint if head[REVERSED] == 1.0 else joint


@lean
def take_root(arm, elimination, theta, lane, desk, rows, count):
    """Makes an answer of one of four roots and keeps it; returns what became of it and how many there are."""
    seed, q, head = desk.q[0], desk.q[1], elimination.head
    if not write_seed(elimination, theta, lane, desk, seed):
        return FAILED, count
    for k in range(6):
        q[k] = seed[k]
    residual, _ = newton(arm, desk.G, q, desk.J, desk.A, NEWTON_STEPS)
    h = hidden_joint(head)
    if residual < EXACT and abs(difference(q[h], seed[h])) < MOVED:
        more = keep(arm, desk, q, rows, count)
        if more > count:
            return NEW, more
    for k in range(6):
        q[k] = seed[k]
    residual, _ = descend(arm, desk.G, q, desk.J, desk.A, desk.q[2])
    if not residual < EXACT:
        return FAILED, count
    more = keep(arm, desk, q, rows, count)
    if more > count:
        return NEW, more
    if write_twin(arm, desk, q):
        more = keep(arm, desk, q, rows, count)
    return NEW if more > count else REPEATED, more


@lean
def take_cluster(arm, elimination, low, high, desk, rows, count):
    """Looks for the pair of answers at a place where the determinant touches zero; returns how many there are."""
    theta, wide = 0.5 * (low + high), high - low
    for _ in range(20):
        _, slope, bend = polynomial(desk.c, theta)
        if bend == 0.0 or abs(slope) < 1e-15 * abs(bend):
            break
        theta = min(max(theta - slope / bend, low - wide), high + wide)
    value, _, bend = polynomial(desk.c, theta)
    away = math.sqrt(abs(2.0 * value / bend)) if bend != 0.0 else 0.0
    away = min(away, 0.1)
    seed, q, angles = desk.q[0], desk.q[1], desk.four
    for k in range(LANES):
        angles[k] = theta + (k - 1) * away
    null_vectors(elimination.head[UNFOLDED] == 1.0, angles, desk)
    for k in range(3):
        if not write_seed(elimination, angles[k], k, desk, seed):
            continue
        for i in range(6):
            q[i] = seed[i]
        residual, _ = descend(arm, desk.G, q, desk.J, desk.A, desk.q[2])
        if not residual < EXACT:
            continue
        count = keep(arm, desk, q, rows, count)
        if write_twin(arm, desk, q):
            count = keep(arm, desk, q, rows, count)
    return count
