"""Loops over many targets, so that a batch stays in compiled code for a chunk at a time.

Each target is solved exactly as a call of its own is: the same functions on the same numbers, so
the same bits. What all targets share (limits, terms, a start) comes as one row, else as one each.
"""

import math

import numpy as np

from forearm.core.codes import LOWER, RIGID_SLACK, START_SLACK, TERMS, UPPER
from forearm.core.general.null_space import settle
from forearm.core.general.solve import HEAD, SETTINGS, solve_packed
from forearm.core.jit import kernel, leaf
from forearm.core.maths.se3 import is_rigid

NONE = -1  # the place of a fault where there is none


@kernel
def solve_packed_many(problem, table, limits, goals, terms, starts, work, q_out, report_out, codes_out):
    """Solves each goal by the general solver; `problem` is this call's own and is written to."""
    no_start = np.empty(0)
    for i in range(goals.shape[0]):
        write_terms_and_limits(terms, limits, i, problem)
        start = no_start if starts.shape[0] == 0 else starts[row(starts, i)]
        codes_out[i] = solve_packed(problem, table, goals[i], start, work, q_out[i], report_out[i])


@leaf
def write_terms_and_limits(terms, limits, i, problem_out):
    """Writes the terms and limits of one target where kernels read them; those of all targets but once."""
    place, n = HEAD + SETTINGS, limits.shape[2]
    if i == 0 or terms.shape[0] > 1:
        for k in range(TERMS):
            problem_out[place + k] = terms[i, k]
    place += TERMS
    if i == 0 or limits.shape[0] > 1:
        for k in range(n):
            problem_out[place + k] = limits[i, LOWER, k]
            problem_out[place + n + k] = limits[i, UPPER, k]


@leaf
def row(array, i):
    """The row of target i in an array with one row each, or one for all."""
    return i if array.shape[0] > 1 else 0


@kernel
def settle_many(links, joints, limits, goals, kind, terms, postures, chain, facts, chosen, q, report_out):
    """Moves the chosen answers in place toward their postures, the tips standing still."""
    for j in range(chosen.shape[0]):
        i = chosen[j]
        settle(
            links,
            joints,
            limits[row(limits, i)],
            goals[i],
            kind,
            terms[row(terms, i)],
            postures[row(postures, i)],
            chain,
            facts,
            q[i],
            report_out[i],
        )


@kernel
def find_not_rigid(goals):
    """The place of the first matrix that is no rigid transform, or NONE."""
    for i in range(goals.shape[0]):
        if not is_rigid(goals[i], RIGID_SLACK):
            return i
    return NONE


@kernel
def find_outside(starts, limits):
    """The place of the first start that is not finite or outside the limits, or NONE."""
    for i in range(starts.shape[0]):
        for k in range(starts.shape[1]):
            value, lower, upper = starts[i, k], limits[LOWER, k] - START_SLACK, limits[UPPER, k] + START_SLACK
            if not (math.isfinite(value) and lower <= value <= upper):
                return i
    return NONE
