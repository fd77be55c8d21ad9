"""Rows on their way out of a closed form: all are listed, or only the nearest inside the limits is kept.

While joint after joint of a row becomes known, its distance from the start can only grow; so what is
already farther than the best row so far, or outside its limits, need not be completed. With the nearer
angle first, most rows are never finished.

`sieve` (3, k): the limits of each axis of the form, widened by the slack, and the start's value; (3, 0)
to list all rows. `best` (2,): the distance of the best row so far, and the norm.
"""

import math

import numpy as np

from forearm.core.jit import leaf
from forearm.core.maths.limits import TURN, TURNS

LOW, HIGH, START = 0, 1, 2
DISTANCE, NORM_PLACE = 0, 1


@leaf
def gap(sieve, i, angle):
    """How far the nearest representative of an angle inside the limits is from the start; infinite if none."""
    if sieve.shape[1] == 0:
        return 0.0
    off = angle - sieve[START, i]
    off -= TURN * np.round(off * TURNS)
    low, high = sieve[LOW, i] - sieve[START, i], sieve[HIGH, i] - sieve[START, i]
    if off < low:
        off += TURN * math.ceil((low - off) / TURN)
    elif off > high:
        off -= TURN * math.ceil((off - high) / TURN)
    return abs(off) if low <= off <= high else math.inf


@leaf
def joined(best, a, b):
    """The distance of two joints together: their sum, or the larger."""
    return a + b if best[NORM_PLACE] == 1.0 else max(a, b)


@leaf
def hopeless(best, away):
    """Whether a row that is already so far away is not wanted."""
    return not away < best[DISTANCE]


@leaf
def nearer_first(sieve, i, count, c1, s1, c2, s2):
    """Both angles of an axis with their cosines, sines and distances, the nearer one first."""
    one = math.atan2(s1, c1)
    if count < 2:
        away = gap(sieve, i, one)
        return one, c1, s1, away, one, c1, s1, away
    other = math.atan2(s2, c2)
    away, far = gap(sieve, i, one), gap(sieve, i, other)
    if far < away:
        return other, c2, s2, far, one, c1, s1, away
    return one, c1, s1, away, other, c2, s2, far


@leaf
def offer(sieve, best, away, q1, q2, q3, q4, q5, q6, rows, rows_out):
    """Writes a row, behind the others or in the place of a worse one; returns how many there are."""
    if sieve.shape[1] > 0:
        if hopeless(best, away):
            return rows
        best[DISTANCE] = away
        rows = 0
    rows_out[rows, 0], rows_out[rows, 1], rows_out[rows, 2] = q1, q2, q3
    rows_out[rows, 3], rows_out[rows, 4], rows_out[rows, 5] = q4, q5, q6
    return rows + 1
