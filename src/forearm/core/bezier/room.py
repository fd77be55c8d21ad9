"""What the kernels of curves hand one another, by name; only kernels that Python enters take flat arrays."""

from typing import NamedTuple

import numpy as np

from forearm.core.jit import leaf, shared
from forearm.core.shaped import shaped

# places in `choices`, what a caller asks for: the clearance to keep [m], whether the chain lies in a plane, how far
# the bend turns toward a pole [rad] and a link more than it must [rad] where there is a pose before, the seed and the
# number of drawn starts, whether to begin with the pose that was given, whether to lay curves
KEEP, PLANAR, SWIVEL, TURN, SEED, DRAWS, FROM_GIVEN, ON_CURVES = range(8)
CHOICES = 8


class Links(NamedTuple):
    """The lengths of a chain and where its tip can come."""

    length: np.ndarray  # (n,) [m]
    total: float  # their sum: the farthest [m]
    nearest: float  # the least distance of the tip from the base [m]


class Draft(NamedTuple):
    """Work arrays of one curve in its plane."""

    w: np.ndarray  # (4,) unit vectors along which it leaves and comes
    t: np.ndarray  # (n+1,) parameters of the joints
    xy: np.ndarray  # (n+1, 2) the joints


class World(NamedTuple):
    """What the links keep clear of."""

    obstacles: np.ndarray  # (k, 18) as in `core/collision/obstacle_rows.py`
    radii: np.ndarray  # (n,) of the links [m]
    clearance: float  # [m]


@shared
def draft_size(n):
    """How many numbers of scratch a curve of n links takes."""
    return 4 + 3 * (n + 1)


@leaf
def open_draft(work, n):
    """The work arrays of a curve in scratch; only for lean kernels."""
    return Draft(work[:4], work[4 : n + 5], shaped(work[n + 5 : 3 * n + 7], (n + 1, 2)))
