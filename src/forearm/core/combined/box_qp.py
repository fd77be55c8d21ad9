"""A quadratic programme inside a box, solved by a primal active set; nothing is allocated.

Minimises `x^T H x / 2 - g^T x` subject to `low <= x <= high`, H positive definite and 0 inside the
box (Nocedal and Wright, Numerical Optimization, alg. 16.3, for bounds alone). Finite: each round
either meets a new bound, or ends at the minimum of its face, lower than any before.
"""

from forearm.core.jit import leaf, lean

# values of `held`
FREE, AT_LOW, AT_HIGH = 0.0, -1.0, 1.0

# Rounds per variable after which the best point so far is taken: each variable is usually met once,
# and a cycle made by rounding must end.
ROUNDS = 8


@lean
def solve_box_qp(H, g, low, high, factor, rest, held, x_out):
    """Writes the minimiser; whether H was positive definite wherever it was asked, else it is none.

    `g` is minus the gradient at 0; `factor` (n, n), `rest` and `held` (n,) are scratch.
    """
    n = x_out.shape[0]
    for k in range(n):
        x_out[k] = 0.0
        held[k] = AT_HIGH if high[k] <= 0.0 and g[k] > 0.0 else AT_LOW if low[k] >= 0.0 and g[k] < 0.0 else FREE
    for _ in range(ROUNDS * n):
        write_descent(H, g, x_out, rest)
        load_free(H, held, factor, rest)
        if not solve_positive(factor, rest):
            return False
        share, blocking = longest_share(low, high, held, rest, x_out)
        for k in range(n):
            x_out[k] += share * rest[k]
        if blocking >= 0:
            held[blocking] = AT_HIGH if rest[blocking] > 0.0 else AT_LOW
            x_out[blocking] = high[blocking] if rest[blocking] > 0.0 else low[blocking]
            continue
        write_descent(H, g, x_out, rest)
        wrong = most_wrongly_held(held, rest)
        if wrong < 0:
            return True
        held[wrong] = FREE
    return True


@leaf
def write_descent(H, g, x, rest_out):
    """Writes g - H x, minus the gradient at x."""
    for i in range(x.shape[0]):
        rest_out[i] = g[i]
        for k in range(x.shape[0]):
            rest_out[i] -= H[i, k] * x[k]


@leaf
def load_free(H, held, factor_out, rest):
    """Copies H with held variables cut out: their rows become those of the identity, their rest 0."""
    n = rest.shape[0]
    for i in range(n):
        for k in range(n):
            factor_out[i, k] = H[i, k] if held[i] == FREE and held[k] == FREE else 0.0
        if held[i] != FREE:
            factor_out[i, i] = 1.0
            rest[i] = 0.0


@leaf
def longest_share(low, high, held, move, x):
    """How much of a move the bounds allow (at most all), and the variable that ends it, or -1."""
    share, blocking = 1.0, -1
    for k in range(x.shape[0]):
        if held[k] != FREE:
            continue
        if x[k] + share * move[k] > high[k]:
            share, blocking = max((high[k] - x[k]) / move[k], 0.0), k
        elif x[k] + share * move[k] < low[k]:
            share, blocking = max((low[k] - x[k]) / move[k], 0.0), k
    return share, blocking


@leaf
def most_wrongly_held(held, descent):
    """The held variable that the descent most wants back inside, or -1 if none."""
    most, wrong = 0.0, -1
    for k in range(held.shape[0]):
        inward = -held[k] * descent[k]
        if inward > most:
            most, wrong = inward, k
    return wrong


@leaf
def solve_positive(A, b):
    """Overwrites b with A^-1 b and A with its L D L^T; False as soon as a pivot is not positive."""
    n = b.shape[0]
    for j in range(n):
        for k in range(j):
            A[j, j] -= A[j, k] * A[j, k] * A[k, k]
        if not A[j, j] > 0.0:
            return False
        for i in range(j + 1, n):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k] * A[k, k]
            A[i, j] /= A[j, j]
    for i in range(n):
        for k in range(i):
            b[i] -= A[i, k] * b[k]
    for i in range(n - 1, -1, -1):
        b[i] /= A[i, i]
        for k in range(i + 1, n):
            b[i] -= A[k, i] * b[k]
    return True
