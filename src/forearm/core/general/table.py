"""Starts for cold tries: a table of configurations with the features of their folded poses (`fold.py`).

A thousand samples cover well what remains of a pose when both its ends are folded. They follow the
R-sequence (Roberts 2018), which fills a box evenly.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from forearm.core.arm.kinematics import fk_tip
from forearm.core.arm.problem import FOLD_FIRST, FOLD_LAST
from forearm.core.codes import KIND, LOWER, PRISMATIC, UPPER, VARIABLE
from forearm.core.general.fold import FEATURES, describe, fold, fold_angles, measure_chain
from forearm.core.jit import leaf, lean, shared
from forearm.core.maths.limits import middle
from forearm.core.shaped import shaped

ENTRIES = 2048  # of a table, unless fewer are asked for
WINDOW = 256  # how many of them the search looks at; a power of two: the entry's number takes the low bits of its rank
# rows of `keys` behind the features: the angles of the folded joints, and how far from neutral the entry is
FIRST_ANGLE, LAST_ANGLE, BENT, KEYS = FEATURES, FEATURES + 1, FEATURES + 2, FEATURES + 3
# How much a joint away from its middle counts [1/rad^2]: at twice as much, seeds are so far from their targets that
# more steps are needed.
AWAY = 0.03


class Seeds(NamedTuple):
    """A seed table, and what the search in it works with and leaves behind."""

    keys: Any  # (15, M) float32
    entries: Any  # (M, n + 9)
    facts: Any  # (11,)
    X: Any  # (3, 4) the target's folded pose
    f: Any  # (12,) its features
    ranks: Any  # (256,) int32


@shared
def seeds_size():
    """How many numbers of scratch the search in a seed table takes."""
    return 12 + FEATURES + WINDOW // 2


@shared
def table_size(M, n):
    """How many numbers a flat table of M entries of n variables has; two of its keys share one."""
    return M * (n + 9) + (M * KEYS + 1) // 2


@shared
def least_seeds(n):
    """How many numbers the smallest flat seed table of n variables has: the search looks at a window of entries."""
    return table_size(WINDOW, n)


@leaf
def open_seeds(table, facts, n, work):
    """A flat seed table, its search in the first `seeds_size()` numbers of scratch; only for lean kernels."""
    M = 2 * table.shape[0] // (2 * (n + 9) + KEYS)
    entries = shaped(table[: M * (n + 9)], (M, n + 9))
    keys = shaped(table[M * (n + 9) :].view(np.float32)[: KEYS * M], (KEYS, M))
    X, f, ranks = shaped(work[:12], (3, 4)), work[12 : 12 + FEATURES], work[12 + FEATURES : seeds_size()]
    return Seeds(keys, entries, facts, X, f, ranks.view(np.int32))


@lean
def build_seeds(links, joints, limits, kind, work, keys_out, entries_out, facts_out):
    """Writes the table: keys (15, M) float32, entries (M, n + 9) q and rotation, facts (11,).

    What the facts say of driving and of the front is the caller's. `work` is scratch of n + 28 + 12 numbers.
    """
    n, m = limits.shape[1], joints.shape[0]
    measure_chain(links, joints, limits, kind, facts_out)
    first, last = facts_out[FOLD_FIRST] != 0.0, facts_out[FOLD_LAST] != 0.0
    q, rest = work[:n], work[n:]
    T, X, f = shaped(rest[:16], (4, 4)), shaped(rest[16:28], (3, 4)), rest[28 : 28 + FEATURES]
    for k in range(n):
        q[k] = 0.0
    skip_first = int(joints[0, VARIABLE]) if first else -1
    skip_last = int(joints[m - 1, VARIABLE]) if last else -1
    step = r_sequence_step(n - (1 if first else 0) - (1 if last else 0))
    for entry in range(keys_out.shape[1]):
        fraction = 1.0
        for k in range(n):
            if k == skip_first or k == skip_last:
                continue
            fraction *= step
            lower, upper = sampled_range(limits[LOWER, k], limits[UPPER, k])
            u = 0.5 + (entry + 1) * fraction
            q[k] = lower + (u - math.floor(u)) * (upper - lower)
        fk_tip(links, joints, q, T)
        fold(links, facts_out, T, X)
        first_angle, last_angle = fold_angles(kind, facts_out, X)
        describe(kind, facts_out, first_angle, X, f)
        for j in range(FEATURES):
            keys_out[j, entry] = f[j]
        keys_out[FIRST_ANGLE, entry], keys_out[LAST_ANGLE, entry] = first_angle, last_angle
        keys_out[BENT, entry] = AWAY * bend(joints, limits, skip_first, skip_last, q)
        for k in range(n):
            entries_out[entry, k] = q[k]
        for i in range(3):
            for j in range(3):
                entries_out[entry, n + 3 * i + j] = X[i, j]


@leaf
def bend(joints, limits, skip_first, skip_last, q):
    """The sum of squares of how far the turning joints stand from their middles, but for the folded ones [rad^2]."""
    total = 0.0
    for i in range(joints.shape[0]):
        k = int(joints[i, VARIABLE])
        if joints[i, KIND] != PRISMATIC and k != skip_first and k != skip_last:
            total += (q[k] - middle(limits[LOWER, k], limits[UPPER, k])) ** 2
    return total


@leaf
def r_sequence_step(dimensions):
    """1 / x with x^(d + 1) = x + 1: the golden ratio's kin for d dimensions."""
    x = 2.0
    for _ in range(64):
        x = (1.0 + x) ** (1.0 / (dimensions + 1.0))
    return 1.0 / x


@leaf
def sampled_range(lower, upper):
    """The stretch of a joint's range that the table samples: one turn at most."""
    if not (math.isfinite(lower) and math.isfinite(upper)):
        return max(lower, -math.pi), min(upper, math.pi)
    if upper - lower > 2.0 * math.pi:
        middle = 0.5 * (lower + upper)
        return middle - math.pi, middle + math.pi
    return lower, upper
