"""What the kernels of bones hand one another, by name; only kernels that Python enters take flat arrays."""

from typing import NamedTuple

import numpy as np

from forearm.core.jit import leaf, shared
from forearm.core.shaped import shaped

# columns of `roles`: the weight of all tips behind a bone, its only child among those with a tip
# (NONE if none, SEVERAL if several), and the tip at its end (NONE if none)
PULL, ONLY_CHILD, TIP = 0, 1, 2
ROLES = 3
NONE, SEVERAL = -1.0, -2.0

# columns of `moves`: the axis in the base frame, the bone, the directions in its joint values
# (up to three), and the bounds of the step
OMEGA, OWNER, ALONG, FEWEST, MOST = 0, 3, 4, 7, 8
MOVES = 9


class Tree(NamedTuple):
    """The bones, as `core/bones/codes.py` describes them."""

    parent: np.ndarray  # (n,) int64
    length: np.ndarray  # (n,) [m]
    joints: np.ndarray  # (n, 19)


class Goal(NamedTuple):
    """What the tips shall do."""

    wants: np.ndarray  # (K, 23)
    roles: np.ndarray  # (n, ROLES) which bones lead to them
    size: float  # the longest way from the base to a node [m]


class Pose(NamedTuple):
    """Where the bones are: joint values and what follows from them."""

    base: np.ndarray  # (3,)
    q: np.ndarray  # (n, 3) joint values
    B: np.ndarray  # (n, 3, 3) sockets: each bone's frame when its joint is at zero
    R: np.ndarray  # (n, 3, 3) frames
    P: np.ndarray  # (n+1, 3) points


class System(NamedTuple):
    """The equations of one step: J dq = r in the dual form, A = J J^T."""

    J: np.ndarray  # (rows, variables)
    A: np.ndarray  # (rows, rows)
    r: np.ndarray  # residual
    y: np.ndarray
    step: np.ndarray
    held: np.ndarray  # 1 for variables at their bounds


class Room(NamedTuple):
    """Work arrays of one solve."""

    base: np.ndarray  # (3,) of a trial
    q: np.ndarray  # (n, 3) of a trial
    best_base: np.ndarray
    best_q: np.ndarray
    pulls: np.ndarray  # (n+1, 4) weight times point, and the weight
    F: np.ndarray  # (n+1, 3) points after a forward stage
    G: np.ndarray  # (n, 3, 3) frames after it
    moves: np.ndarray  # (variables, MOVES)
    first: np.ndarray  # (n,) the first variable of each bone
    U: np.ndarray  # (n, 3) directions
    V: np.ndarray
    system: System


@shared
def system_size(rows, variables):
    """How many numbers of scratch the equations of one step take."""
    return 4 * max(rows, variables) + rows * (variables + rows)


@leaf
def open_system(work, rows, variables):
    """Equations in scratch; only for lean kernels."""
    k, J = max(rows, variables), shaped(work[: rows * variables], (rows, variables))
    rest = work[rows * variables :]
    A, vectors = shaped(rest[: rows * rows], (rows, rows)), shaped(rest[rows * rows : rows * rows + 4 * k], (4, k))
    return System(J, A, vectors[0], vectors[1], vectors[2], vectors[3])


@shared
def room_size(n, tips):
    """How many numbers of scratch a solve of n bones with so many tips takes."""
    variables = 3 * n + 3
    return 13 + 29 * n + variables * MOVES + system_size(6 * tips, variables)


@leaf
def open_room(work, n, tips):
    """The work arrays of one solve in scratch; only for lean kernels."""
    variables = 3 * n + 3
    bases, rest = shaped(work[:6], (2, 3)), work[6:]
    values, rest = shaped(rest[: 6 * n], (2, n, 3)), rest[6 * n :]
    directions, rest = shaped(rest[: 6 * n], (2, n, 3)), rest[6 * n :]
    pulls, rest = shaped(rest[: 4 * n + 4], (n + 1, 4)), rest[4 * n + 4 :]
    F, rest = shaped(rest[: 3 * n + 3], (n + 1, 3)), rest[3 * n + 3 :]
    G, rest = shaped(rest[: 9 * n], (n, 3, 3)), rest[9 * n :]
    moves, rest = shaped(rest[: MOVES * variables], (variables, MOVES)), rest[MOVES * variables :]
    first, system = rest[:n], open_system(rest[n:], 6 * tips, variables)
    U, V = directions[0], directions[1]
    return Room(bases[0], values[0], bases[1], values[1], pulls, F, G, moves, first, U, V, system)


@shared
def pose_size(n):
    """How many numbers of scratch the frames and points of n bones take."""
    return 21 * n + 3


@leaf
def open_frames(work, n):
    """Sockets, frames and points in scratch; only for lean kernels."""
    B, R = shaped(work[: 9 * n], (n, 3, 3)), shaped(work[9 * n : 18 * n], (n, 3, 3))
    return B, R, shaped(work[18 * n : 21 * n + 3], (n + 1, 3))
