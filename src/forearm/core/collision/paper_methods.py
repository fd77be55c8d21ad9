"""FABRIK-R and the combined method among obstacles: their own starts and branches, kept if they are free.

FABRIK-R's starts are swept and refined one after the other; a pose that meets the target and collides is repaired
along the arm's freedom (`core/collision/repair.py`). The combined method goes through every branch of every two-link
problem, of a ball shoulder with the elbow all round the line from shoulder to wrist; the nearest free one is the
answer. Where neither finds a free pose they say that they did not converge, and the caller asks the general solver.

Args of each: as `core/collision/search.py` takes them, with the method's own table.
"""

import math

import numpy as np

from forearm.core.arm.goal import begin
from forearm.core.arm.problem import open_problem
from forearm.core.codes import ITERATIONS, NOT_CONVERGED, SOLVED, TRIES
from forearm.core.collision.bodies import World
from forearm.core.collision.certain import blocked
from forearm.core.collision.clearance import open_stance, stance_size
from forearm.core.collision.search import (
    DEEP,
    EARLY,
    REPAIRS,
    SURE,
    WANTED,
    Best,
    Spent,
    consider,
    mend,
    open_search,
    search_size,
)
from forearm.core.combined.choice import NEAREST, complete
from forearm.core.combined.scratch import combined_size, open_desk, open_reduction
from forearm.core.combined.solve import FINE, is_near_limits, reduce_and_sweep, refine_problems
from forearm.core.general.lm import cold, near
from forearm.core.general.solve import MAX_ITERATIONS, MAX_TRIES, NEAR, RANDOM_PATIENCE, RNG_SEED, SKIP_TRIES
from forearm.core.iterative.fabrik_r import begin_attempt
from forearm.core.iterative.fabrik_r_stages import open_sweeps, prepare, sweeps_size
from forearm.core.jit import lean, shared
from forearm.core.maths.limits import copy

SWEEPS = 2  # before each refinement, as without obstacles


@lean
def fabrik_r_among(problem, steps, bodies, pairs, charts, obstacles, sure, search, pose, q0, work, q_out, report_out):
    """Writes a free configuration that sweeps and refinement lead to; returns a status code."""
    n = q_out.shape[0]
    asked, world = open_problem(problem, pose, n), World(bodies, pairs, charts, obstacles, search[WANTED])
    fault = begin(asked.robot.limits, pose, q0, q_out)
    if fault != SOLVED:
        return fault
    if search[SURE] != 0.0 and blocked(sure, world, asked.goal, report_out):
        return NOT_CONVERGED
    opened = open_search(asked, world, None, q0, work)
    sweeps = open_sweeps(steps, n, work[search_size(asked.robot.joints.shape[0], n, bodies.shape[0]) :])
    prepare(asked.robot.links, pose, sweeps)
    copy(q_out, opened.q)
    best, spent = sweep_starts(opened, sweeps, search[REPAIRS] != 0.0, q_out, report_out)
    report_out[ITERATIONS], report_out[TRIES] = spent.steps, spent.tries
    return SOLVED if best.away < math.inf else NOT_CONVERGED


@lean
def sweep_starts(search, sweeps, repairs, q_out, report_out):
    """Sweeps, refines and, where it collides, repairs one start after another; the best poses, and what it took."""
    (robot, goal, settings, _, _), trial, q, q0 = search.asked, search.stance.trial, search.q, search.q0
    skipped, most = int(settings[SKIP_TRIES]), int(settings[MAX_ITERATIONS])
    state, warm = np.uint64(settings[RNG_SEED] + settings[SKIP_TRIES]), q0.shape[0] > 0 and skipped == 0
    best, spent = Best(-math.inf, math.inf, False), Spent(0, 0)
    attempt = skipped - 1
    while attempt + 1 < skipped + settings[MAX_TRIES]:  # the budget may be taken away meanwhile
        attempt += 1
        state = begin_attempt(robot, goal, sweeps, SWEEPS, q0, warm, attempt, state, trial, q)
        if warm and attempt == 0:
            arrived, _, used = near(trial, goal, NEAR, most)
        else:
            arrived, _, used = cold(trial, goal, RANDOM_PATIENCE, most)
        spent = Spent(spent.steps + used, spent.tries + 1)
        if not arrived:
            continue
        gap, best = consider(search, best, spent, q_out, report_out)
        free = gap == math.inf
        if repairs and not free and gap > -math.inf and (gap > -DEEP or spent.tries > EARLY):
            free, best, spent = mend(search, attempt, best, spent, q_out, report_out)
        if free:
            break
    return best, spent


@shared
def fabrik_r_among_size(m, n, bodies):
    """How many numbers of scratch FABRIK-R takes."""
    return search_size(m, n, bodies) + sweeps_size(n)


@lean
def combined_among(problem, table, bodies, pairs, charts, obstacles, sure, search, pose, q0, work, q_out, report_out):
    """Writes the nearest free branch of the two-link problems; returns a status code."""
    n = q_out.shape[0]
    asked, reduction = open_problem(problem, pose, n), open_reduction(table)
    world = World(bodies, pairs, charts, obstacles, search[WANTED])
    count = reduce_and_sweep(problem, table, pose, q0, work, q_out)
    if count < 0:
        return count
    if search[SURE] != 0.0 and blocked(sure, world, asked.goal, report_out):
        return NOT_CONVERGED
    desk = open_desk(reduction, asked.robot.limits, work)
    around = (world, open_stance(asked.chain, bodies, work[combined_size(asked.robot.joints.shape[0], n) :]))
    for finer in range(2):
        refine_problems(problem, table, pose, FINE if finer == 1 else 0.0, count, work, q_out)
        complete(asked, reduction, desk, around, q0.shape[0] > 0, count, q_out, report_out)
        if desk.found[NEAREST] < math.inf:
            return SOLVED
        if not is_near_limits(problem, table, pose, count, work, q_out):
            break
    return NOT_CONVERGED


@shared
def combined_among_size(m, n, bodies):
    """How many numbers of scratch the combined method takes."""
    return combined_size(m, n) + stance_size(m, bodies)
