"""How flat problems and scratch are opened."""

from typing import Any, NamedTuple

import numpy as np

from forearm.core.arm.compact import ARM_COLUMNS, CHAIN_COLUMNS, LANES
from forearm.core.arm.problem import Gauge, Goal, Robot
from forearm.core.codes import TERMS
from forearm.core.general import solve as general
from forearm.core.general.lm import Try
from forearm.core.general.seeds import (
    ENTRIES,
    FACTS,
    FEATURES,
    KEYS,
    NO_RANK,
    WINDOW,
    Seeds,
    next_rank,
    rank_seeds,
    unfold,
)
from forearm.core.general.solve import ASKED, HEAD, JOINTS, SETTINGS
from forearm.core.jit import leaf, lean, shared
from forearm.core.shaped import shaped

old_start_at, old_free = general.start_at, general.free_whole_turns
TERMS_PLACE = HEAD + SETTINGS
LIMITS_PLACE = TERMS_PLACE + TERMS


@shared
def padded(m):
    """How many numbers a row of `trig` has for m joints."""
    return (m + LANES - 1) // LANES * LANES


@shared
def try_size(m):
    """How many numbers of scratch a try takes."""
    return ARM_COLUMNS * m + 3 * padded(m) + 22


@leaf
def open_try(chain, aim, work):
    """A try that works in the first `try_size(m)` numbers of scratch; only for lean kernels."""
    m, lanes = chain.shape[0] - 1, padded(chain.shape[0] - 1)
    arm, line = shaped(work[: ARM_COLUMNS * m], (m, ARM_COLUMNS)), work[ARM_COLUMNS * m :]
    trig, line = shaped(line[: 3 * lanes], (3, lanes)), line[3 * lanes :]
    trig[:, :] = 0.0  # the padding is computed with
    return Try(chain, aim, arm, Gauge(trig, shaped(line[:16], (4, 4)), line[16:22]))


@shared
def seeds_size():
    """How many numbers of scratch the search in a seed table takes."""
    return 12 + FEATURES + WINDOW // 2


@leaf
def open_seeds(table, facts, n, work):
    """A flat seed table, its search in the first `seeds_size()` numbers of scratch; only for lean kernels."""
    entries = shaped(table[: ENTRIES * (n + 9)], (ENTRIES, n + 9))
    keys = shaped(table[ENTRIES * (n + 9) :].view(np.float32), (KEYS, ENTRIES))
    X, f, ranks = shaped(work[:12], (3, 4)), work[12 : 12 + FEATURES], work[12 + FEATURES : seeds_size()]
    return Seeds(keys, entries, facts, X, f, ranks.view(np.int32))


@lean
def next_seed(robot, goal, seeds, last, q_out):
    """Writes the entry behind the last one; returns its cursor: rank, where its window begins, the first angle."""
    rank, start, angle = last
    if rank == NO_RANK:
        rank, start, angle = rank_seeds(robot, goal, seeds)
    else:
        rank = next_rank(seeds.ranks, rank)
    unfold(robot, seeds, start + rank % WINDOW, angle, q_out)
    return rank, start, angle


class Problem(NamedTuple):
    """A problem, opened."""

    robot: Robot
    goal: Goal
    settings: Any  # (8,), places by method
    chain: Any  # (m+1, 12)
    facts: Any  # (5,)


@leaf
def open_problem(problem, pose, n):
    """The parts of a flat problem of n variables; only for lean kernels, since they are arrays."""
    m = int(problem[JOINTS])
    limits, rest = shaped(problem[LIMITS_PLACE : LIMITS_PLACE + 2 * n], (2, n)), problem[LIMITS_PLACE + 2 * n :]
    links, rest = shaped(rest[: 12 * (m + 1)], (m + 1, 3, 4)), rest[12 * (m + 1) :]
    joints, chain = shaped(rest[: 3 * m], (m, 3)), shaped(rest[3 * m : -FACTS], (m + 1, CHAIN_COLUMNS))
    goal = Goal(pose, int(problem[ASKED]), problem[TERMS_PLACE:LIMITS_PLACE])
    return Problem(Robot(links, joints, limits), goal, problem[HEAD:TERMS_PLACE], chain, rest[-FACTS:])


@leaf
def start_at(robot, q0, step, state, arm):
    """Loads q0, or a point of the box around it, with the bounds of that step; the random state."""
    return old_start_at(q0, robot.joints, robot.limits, step, state, arm)


@leaf
def free_whole_turns(robot, arm_out):
    """Writes the bounds of each variable: none where a whole turn fits and changes nothing."""
    old_free(robot.joints, robot.limits, arm_out)
