"""What is checked of many targets and starts before any of them is solved."""

import math

from forearm.core.codes import LOWER, RIGID_SLACK, START_SLACK, UPPER
from forearm.core.jit import lean
from forearm.core.maths.se3 import is_rigid

NONE = -1  # the place of a fault where there is none


@lean
def find_not_rigid(goals):
    """The place of the first matrix that is no rigid transform, or NONE."""
    for i in range(goals.shape[0]):
        if not is_rigid(goals[i], RIGID_SLACK):
            return i
    return NONE


@lean
def find_outside(starts, limits):
    """The place of the first start that is not finite or outside the limits, or NONE."""
    for i in range(starts.shape[0]):
        for k in range(starts.shape[1]):
            value, lower, upper = starts[i, k], limits[LOWER, k] - START_SLACK, limits[UPPER, k] + START_SLACK
            if not (math.isfinite(value) and lower <= value <= upper):
                return i
    return NONE
