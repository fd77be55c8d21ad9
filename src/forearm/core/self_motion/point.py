"""Points of a self-motion curve made exact, and its tangent there.

With one joint held, the loop equation of seven axes has as many equations as unknowns: one linear system gives the
step to the curve and its tangent alike.
"""

import math

from forearm.core.branches.newton import eliminate, linearise
from forearm.core.jit import leaf, lean
from forearm.core.self_motion.layout import AXES

SINGULAR = 1e-10  # least pivot of a held joint that may be held
STEPS = 12
CAP = 0.3  # longest step of a joint [rad]
ROUGH, EXACT = 3e-6, 1e-9  # a last step below this leaves the square of it [rad]
MET = 2e-15  # or a residual of rounding, where curves nearly touch and steps do not end [m, rad]


@lean
def write_linear(arm, G, q, J):
    """Writes the (6, 8) Jacobian at the tip and the error to G; returns the largest error."""
    return linearise(arm, G, q, J, AXES)


@lean
def solve_two(A):
    """Solves the (6, 8) system in place, the answers in its last two columns; returns the least pivot."""
    least = eliminate(A, 8)
    if least == 0.0:
        return 0.0
    for k in range(5, -1, -1):
        for j in range(k + 1, 6):
            A[k, 6] -= A[k, j] * A[j, 6]
            A[k, 7] -= A[k, j] * A[j, 7]
        A[k, 6] /= A[k, k]
        A[k, 7] /= A[k, k]
    return least


@leaf
def write_held(J, held, A):
    """Writes the system with one joint held: columns of the others, the error, and less the held one's column."""
    for i in range(6):
        column = 0
        for j in range(AXES):
            if j != held:
                A[i, column] = J[i, j]
                column += 1
        A[i, 6], A[i, 7] = J[i, AXES], -J[i, held]


@leaf
def orientation(A, held):
    """The sign of the held joint in the null vector (-1)^j det(J without column j), from an eliminated system."""
    sign = -1.0 if held % 2 == 1 else 1.0
    for k in range(6):
        sign = math.copysign(sign, sign * A[k, k])
    return sign


@lean
def correct(arm, G, q, held, enough, J, A, tangent_out):
    """Newton's method in place with a joint held; writes the unit tangent, as the minors of the Jacobian orient it.

    Returns the length of the first step, infinite if there is no point of the curve near.
    """
    first = math.inf
    for trial in range(STEPS):
        residual = write_linear(arm, G, q, J)
        write_held(J, held, A)
        if not solve_two(A) > SINGULAR:
            return math.inf
        length, longest = 0.0, 0.0
        for i in range(6):
            length += A[i, 6] * A[i, 6]
            longest = max(longest, abs(A[i, 6]))
        length = math.sqrt(length)
        first = length if trial == 0 else first
        share = 1.0 if longest <= CAP else CAP / longest
        column, size = 0, 1.0
        for j in range(AXES):
            tangent_out[j] = 1.0
            if j != held:
                q[j] += share * A[column, 6]
                tangent_out[j] = A[column, 7]
                size += A[column, 7] * A[column, 7]
                column += 1
        if length < enough or residual < MET:
            size = orientation(A, held) / math.sqrt(size)
            for j in range(AXES):
                tangent_out[j] *= size
            return first
        if not length < math.inf:
            return math.inf
    return math.inf


@lean
def project(arm, G, q, J, A):
    """Gauss-Newton of least norm in place, to the nearest point of a curve; False if it does not arrive."""
    for _ in range(STEPS):
        write_linear(arm, G, q, J)
        for i in range(6):
            for k in range(6):
                total = 0.0
                for j in range(AXES):
                    total += J[i, j] * J[k, j]
                A[i, k] = total
            A[i, 6], A[i, 7] = J[i, AXES], 0.0
        if not solve_two(A) > 0.0:
            return False
        longest = 0.0
        for j in range(AXES):
            step = 0.0
            for i in range(6):
                step += J[i, j] * A[i, 6]
            A[0, 7] = step
            longest = max(longest, abs(step))
            q[j] += min(max(step, -CAP), CAP)
        if longest < ROUGH:
            return True
        if not longest < math.inf:
            return False
    return False


@leaf
def fastest(tangent):
    """The joint that moves most along a tangent."""
    best = 0
    for j in range(1, AXES):
        if abs(tangent[j]) > abs(tangent[best]):
            best = j
    return best


@lean
def write_start(arm, G, q, J, A, tangent_out):
    """Makes a point exact and writes its tangent, the fastest joint held; returns that joint, or -1."""
    for held in range(AXES - 1, -1, -1):
        if correct(arm, G, q, held, ROUGH, J, A, tangent_out) < math.inf:
            best = fastest(tangent_out)
            return best if correct(arm, G, q, best, EXACT, J, A, tangent_out) < math.inf else -1
    return -1


@lean
def place_all(table_arm, G, rows, tangents, J, A):
    """Makes rows (N, 7) near a curve exact in place, each with the joint held that moves most; returns how many are."""
    count = 0
    for i in range(rows.shape[0]):
        if correct(table_arm, G, rows[i], fastest(tangents[i]), EXACT, J, A, tangents[i]) < math.inf:
            count += 1
    return count
