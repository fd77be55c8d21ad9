"""A search for every branch of an arm of six turning joints that knows nothing of elimination: Newton from many starts.

Written for itself, forward kinematics, Jacobian and linear solve included, so that it shares no line with what it
judges. Where Numba is installed it is compiled: three thousand starts take about 50 ms. Tests, which run uncompiled
too, have `search_branches` of `branch_cases.py`, which takes all starts at once by numpy and longer.
"""

import numpy as np

from loops import njit

LOOK = 20  # steps after which a start that is still far is given up
FAR = 0.2  # [m and rad]
STEPS = 40  # after which one that is not near is given up
NEAR = 1e-6
PATIENCE = 200  # steps near an answer: where two merge each step only halves the way
LARGEST = 0.5  # a step [rad]
MET = 1e-12  # steps end at a tenth of it; a place that keeps more, however little, is no answer
SAME = 1e-5  # [rad]
TURN = 2.0 * np.pi


def branches_by_search(robot, goal, starts, rng):
    """(k, 6) the distinct answers that damped Gauss-Newton finds from random starts; limits aside."""
    Q = rng.uniform(-np.pi, np.pi, (starts, robot.n))
    found = np.empty((64, robot.n))
    return found[: search(np.ascontiguousarray(robot.model.links), np.ascontiguousarray(goal), Q, found)].copy()


@njit
def search(links, goal, Q, found):
    """How many distinct answers the starts lead to; writes them."""
    frames, J, e = np.empty((7, 3, 4)), np.empty((6, 6)), np.empty(6)
    H, move = np.empty((6, 6)), np.empty(6)
    count = 0
    for q in Q:
        if count < len(found) and descend(links, goal, q, frames, J, e, H, move) and is_new(q, found, count):
            found[count] = q
            count += 1
    return count


@njit
def descend(links, goal, q, frames, J, e, H, move):
    """Whether steps from q lead to the goal; q is where they end, in [-pi, pi)."""
    for step in range(PATIENCE):
        place(links, q, frames)
        error = linearise(goal, frames, J, e)
        if error < 0.1 * MET or (step == LOOK and error > FAR) or (step >= STEPS and error > NEAR):
            break
        weigh(J, e, H, move)
        eliminate(H, move)
        largest = LARGEST
        for i in range(6):
            largest = max(largest, abs(move[i]))
        for i in range(6):
            q[i] += LARGEST / largest * move[i]
    place(links, q, frames)
    off = 0.0
    for i in range(3):
        for j in range(4):
            off = max(off, abs(frames[6, i, j] - goal[i, j]))
    for i in range(6):
        q[i] = (q[i] + np.pi) % TURN - np.pi
    return off < MET


@njit
def place(links, q, frames):
    """Writes the frames of the joints after their turns, and of the tip."""
    for i in range(3):
        for j in range(4):
            frames[0, i, j] = links[0, i, j]
    for k in range(6):
        c, s = np.cos(q[k]), np.sin(q[k])
        for i in range(3):
            x, y = c * frames[k, i, 0] + s * frames[k, i, 1], c * frames[k, i, 1] - s * frames[k, i, 0]
            z, p = frames[k, i, 2], frames[k, i, 3]
            for j in range(4):
                frames[k + 1, i, j] = x * links[k + 1, 0, j] + y * links[k + 1, 1, j] + z * links[k + 1, 2, j]
            frames[k + 1, i, 3] += p


@njit
def linearise(goal, frames, J, e):
    """The largest part of the tip's error, which it writes with the Jacobian; of a rotation, half the crossed axes."""
    tip = frames[6]
    for i in range(3):
        u, v = (i + 1) % 3, (i + 2) % 3
        e[i], e[3 + i] = goal[i, 3] - tip[i, 3], 0.0
        for a in range(3):
            e[3 + i] += 0.5 * (tip[u, a] * goal[v, a] - tip[v, a] * goal[u, a])
    for k in range(6):
        for i in range(3):
            u, v = (i + 1) % 3, (i + 2) % 3
            J[3 + i, k] = frames[k, i, 2]
            J[i, k] = frames[k, u, 2] * (tip[v, 3] - frames[k, v, 3]) - frames[k, v, 2] * (tip[u, 3] - frames[k, u, 3])
    largest = 0.0
    for i in range(6):
        largest = max(largest, abs(e[i]))
    return largest


@njit
def weigh(J, e, H, b):
    """Writes the damped normal equations of a step."""
    damp = 0.0
    for i in range(6):
        damp += e[i] * e[i]
    damp = min(1e-2, damp) + 1e-14
    for i in range(6):
        b[i] = 0.0
        for r in range(6):
            b[i] += J[r, i] * e[r]
        for k in range(i, 6):
            total = damp if i == k else 0.0
            for r in range(6):
                total += J[r, i] * J[r, k]
            H[i, k] = H[k, i] = total


@njit
def eliminate(H, b):
    """Solves H x = b in place, by elimination; H is positive definite."""
    n = len(b)
    for k in range(n):
        for i in range(k + 1, n):
            f = H[i, k] / H[k, k]
            for j in range(k + 1, n):
                H[i, j] -= f * H[k, j]
            b[i] -= f * b[k]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            b[k] -= H[k, j] * b[j]
        b[k] /= H[k, k]


@njit
def is_new(q, found, count):
    """Whether an answer is none of those found before, whole turns aside."""
    for k in range(count):
        far = 0.0
        for i in range(6):
            far = max(far, abs((q[i] - found[k, i] + np.pi) % TURN - np.pi))
        if far < SAME:
            return False
    return True
