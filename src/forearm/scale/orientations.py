"""Orientations spread evenly, the same ones for the same count.

Rotations with roll: super-Fibonacci spirals (Alexa, Super-Fibonacci Spirals: Fast, Low-Discrepancy
Sampling of SO(3), CVPR 2022). Directions alone: the Fibonacci lattice on the sphere (Gonzalez, 2010).
"""

import math

import numpy as np

from forearm.common.transforms import rotations_from_quaternions
from forearm.common.types import Floats

# The paper's two irrational turns per step: sqrt(2), and the positive root of x^4 = x + 4.
PHI, PSI = math.sqrt(2.0), 1.533751168755204288118041
GOLDEN_ANGLE = math.pi * (3.0 - math.sqrt(5.0))


def even_rotations(count: int) -> Floats:
    """(count, 3, 3) rotations, even over all of them, roll included."""
    s = np.arange(count) + 0.5
    r, R = np.sqrt(s / count), np.sqrt(1.0 - s / count)
    alpha, beta = 2.0 * np.pi * s / PHI, 2.0 * np.pi * s / PSI
    x, y, z, w = r * np.sin(alpha), r * np.cos(alpha), R * np.sin(beta), R * np.cos(beta)
    return np.ascontiguousarray(rotations_from_quaternions(np.stack([w, x, y, z], axis=1), is_unit=True))


def even_directions(count: int) -> Floats:
    """(count, 3) unit vectors, even over the sphere."""
    i = np.arange(count) + 0.5
    z = 1.0 - 2.0 * i / count
    r, turn = np.sqrt(1.0 - z * z), GOLDEN_ANGLE * i
    return np.column_stack([r * np.cos(turn), r * np.sin(turn), z])
