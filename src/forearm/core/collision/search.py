"""Solving among obstacles: a pose that meets the target and keeps its distance from everything.

What is certain is looked at first: bodies that the target alone puts in their place, and points of the arm
that no joint moves. Then, in this order:

- A: the caller's start and the four table seeds nearest to the target, each brought to the target without
  a thought of obstacles (`core/general/lm.py`); the first that is free is the answer, the others are kept;
- B: those kept are repaired (`core/collision/repair.py`), the least overlapping first;
- C: further seeds, then random starts, each repaired at once unless it overlaps deeply.

With a start given, the nearest to it among the free answers of A and B is taken. Arms without freedom
left over are not repaired: their free answers are other branches. Fails where the budget ends before a
start leads to a free place; the answer is then the pose with the least overlap among all that met the
target.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from forearm.core.arm.compact import is_coupled
from forearm.core.arm.goal import begin, has_axis_tolerances, judge
from forearm.core.arm.problem import DRIVEN, REACH, open_problem
from forearm.core.codes import BODY, CLEARANCE, COLLISION, ITERATIONS, NOT_CONVERGED, OTHER, SOLVED, TRIES
from forearm.core.collision.bodies import PLACED, Stance, World, is_clear, place_bodies, worst_gap
from forearm.core.collision.certain import blocked
from forearm.core.collision.clearance import put, stance_size
from forearm.core.collision.repair import BUFFER, NARROW, normal_size, open_normal, repair
from forearm.core.general.drive import drive
from forearm.core.general.lm import cold, near, open_try, stand, take_aim, try_size
from forearm.core.general.seeds import NO_RANK, next_seed
from forearm.core.general.solve import (
    BOLD,
    BOLD_PATIENCE,
    BOX,
    BOXED,
    CAREFUL,
    MAX_ITERATIONS,
    MAX_TRIES,
    NEAR,
    RANDOM_PATIENCE,
    RNG_SEED,
    SKIP_TRIES,
    TABLE,
    TABLE_PATIENCE,
    draw,
    free_whole_turns,
    load,
    start_at,
    unload,
)
from forearm.core.general.table import open_seeds, seeds_size
from forearm.core.jit import leaf, lean, shared
from forearm.core.maths.limits import copy, farthest_joint
from forearm.core.shaped import shaped

# places in `search`: the clearance asked for [m], whether colliding poses are repaired, whether what is
# certain is looked at first
WANTED, REPAIRS, SURE = 0, 1, 2
SEARCH = 3

FIRST_SEEDS = 4  # table seeds of stage A
STORED = FIRST_SEEDS + 1
SEEDS = 128  # table seeds in all: they arrive more often than random starts
DEEP = 0.10  # overlap beyond which an early pose is not worth a repair [m]
EARLY = 64  # tries that count as early


class Search(NamedTuple):
    """A search: what is asked, and what it works with."""

    asked: Any  # the problem
    world: Any
    q0: Any  # (n,) the start, or (0,)
    stance: Any
    seeds: Any
    normal: Any  # of repairs
    q: Any  # (n,) the pose at hand
    stored: Any  # (STORED, n + 1) poses kept for a repair, and their gaps


class Best(NamedTuple):
    """The best poses that a search has found."""

    gap: Any  # the largest among those that meet the target but collide [m]
    away: Any  # how far the free one is from the start
    judged: Any  # whether the report is that of the pose kept


class Spent(NamedTuple):
    """What a search has taken so far."""

    steps: Any
    tries: Any


@lean
def solve_among(problem, table, bodies, pairs, charts, obstacles, sure, search, pose, q0, work, q_out, report_out):
    """Writes a free configuration that meets the goal, or the least overlapping; returns a status code.

    As `core/general/solve.py` is called, with the rows of `core/collision/bodies.py`, `obstacle_rows.py` and
    `certain.py`, and `search` as above; `work` has `search_size` numbers.
    """
    asked, world = open_problem(problem, pose, q_out.shape[0]), World(bodies, pairs, charts, obstacles, search[WANTED])
    fault = begin(asked.robot.limits, pose, q0, q_out)
    if fault != SOLVED:
        return fault
    opened = open_search(asked, world, table, q0, work)
    if search[SURE] != 0.0 and blocked(sure, world, asked.goal, report_out):
        judge(asked.robot, asked.goal, q_out, 0, 0, opened.stance.trial.gauge, report_out)
        return COLLISION
    best, spent = seek(opened, search[REPAIRS] != 0.0, q_out, report_out)
    return close(opened, best, spent, q_out, report_out)


@shared
def search_size(m, n, bodies):
    """How many numbers of scratch a search takes."""
    return stance_size(m, bodies) + seeds_size() + normal_size(n) + n + STORED * (n + 1)


@leaf
def open_search(asked, world, table, q0, work):
    """A search in `search_size` numbers of scratch, without seeds if there is no table; only for lean kernels."""
    (_, joints, limits), terms = asked.robot, asked.goal.terms
    m, n, s = joints.shape[0], limits.shape[1], world.bodies.shape[0]
    aim = take_aim(asked.facts[REACH], terms, has_axis_tolerances(terms), is_coupled(asked.chain))
    trial, line = open_try(asked.chain, aim, asked.settings, work), work[try_size(m) :]
    stance, line = Stance(trial, shaped(line[: PLACED * s], (s, PLACED))), line[PLACED * s :]
    seeds = None if table is None else open_seeds(table, asked.facts, n, line)
    line = line[seeds_size() :]
    normal, line = open_normal(n, line), line[normal_size(n) :]
    stored = shaped(line[n : n + STORED * (n + 1)], (STORED, n + 1))
    return Search(asked, world, q0, stance, seeds, normal, line[:n], stored)


@lean
def seek(search, repairs, q_out, report_out):
    """Tries one start after another, as the module says; returns the best poses found and what that took."""
    settings, single = search.asked.settings, search.q0.shape[0] == 0  # without a start, any free pose will do
    state, cursor = np.uint64(settings[RNG_SEED] + settings[SKIP_TRIES]), (NO_RANK, 0, 0.0)
    attempt, kept = TABLE if single else BOXED, 0
    if settings[SKIP_TRIES] > 0.0:
        attempt = SEEDS + int(settings[SKIP_TRIES])
    best, spent = Best(-math.inf, math.inf, False), Spent(0, 0)
    while spent.tries < settings[MAX_TRIES] or kept > 0:  # the budget may be taken away meanwhile
        if kept > 0 and (attempt >= FIRST_SEEDS or spent.tries >= settings[MAX_TRIES]):  # stage B
            kept -= 1
            take_least(search.stored, kept, search.q)
            free_whole_turns(search.asked.robot, search.stance.trial.arm)
            load(search.q, search.stance.trial.arm)
            free, best, spent = mend(search, attempt, best, spent, q_out, report_out)
            if free and single:
                break
            continue
        if attempt >= FIRST_SEEDS and best.away < math.inf:
            break
        state, cursor, arrived, used = try_start(search, attempt, state, cursor)
        spent = Spent(spent.steps + used, spent.tries + (1 if arrived or used > 0 else 0))
        tried, attempt = attempt, next_attempt(attempt, arrived)
        if not arrived:
            continue
        gap, best = consider(search, best, spent, q_out, report_out)
        if gap == math.inf:
            if single or tried < TABLE or tried >= FIRST_SEEDS:  # no other answer is waited for
                break
        elif repairs and gap > -math.inf:
            if TABLE <= tried < FIRST_SEEDS:
                kept = store(search.q, gap, kept, search.stored)
            elif gap > -DEEP or spent.tries > EARLY or tried < TABLE:
                free, best, spent = mend(search, attempt, best, spent, q_out, report_out)
                if free and (tried >= FIRST_SEEDS or best.away <= BOX):
                    break
    return best, spent


@leaf
def close(search, best, spent, q_out, report_out):
    """Completes the report on the pose kept, and says how the search ended."""
    stance, world, asked = search.stance, search.world, search.asked
    if not best.judged:
        judge(asked.robot, asked.goal, q_out, spent.steps, spent.tries, stance.trial.gauge, report_out)
    report_out[ITERATIONS], report_out[TRIES] = spent.steps, spent.tries
    if best.away < math.inf:
        return SOLVED
    put(stance, world.bodies, q_out)
    report_out[CLEARANCE], report_out[BODY], report_out[OTHER] = worst_gap(world, stance.placed, stance.trial.arm)
    return COLLISION if best.gap > -math.inf else NOT_CONVERGED


@leaf
def next_attempt(attempt, arrived):
    """The order of tries from a start: in its box, freely, boldly, until one arrives; then the table."""
    if attempt >= TABLE:
        return attempt + 1
    if arrived or attempt == BOLD:
        return TABLE
    return CAREFUL if attempt == BOXED else BOLD


@lean
def try_start(search, attempt, state, cursor):
    """Brings the next start to the target; the random state, the seeds' cursor, whether it arrived, the steps."""
    (robot, goal, settings, _, _), trial, q = search.asked, search.stance.trial, search.q
    most, patience = int(settings[MAX_ITERATIONS]), BOLD_PATIENCE
    if attempt < TABLE:
        state = start_at(robot, search.q0, attempt, state, trial.arm)
    else:
        free_whole_turns(robot, trial.arm)
        if attempt < SEEDS:
            cursor = next_seed(robot, goal, search.seeds, search.q0.shape[0] == 0, cursor, q)
            patience = TABLE_PATIENCE
        else:
            state = draw(robot.limits, attempt % 2 == 1, state, q)
            patience = RANDOM_PATIENCE
        load(q, trial.arm)
    if attempt >= BOLD and search.asked.facts[DRIVEN] != 0.0:
        drive(trial, goal)
    if attempt == BOXED or attempt == CAREFUL:
        arrived, _, used = near(trial, goal, NEAR, most)
    else:
        arrived, _, used = cold(trial, goal, patience, most)
    return state, cursor, arrived, used


@lean
def consider(search, best, spent, q_out, report_out):
    """Looks at a pose that has arrived and keeps it if it is the best; returns its gap, and the best.

    The gap is infinite if it is free, minus infinity if it does not meet the target after all.
    """
    asked, world, q0, stance, q = search.asked, search.world, search.q0, search.stance, search.q
    if stance.trial.aim.coupled:  # joints that share a variable leave sums where their places were
        stand(stance.trial)
    place_bodies(stance, world.bodies)
    gap = (
        math.inf
        if is_clear(world, stance.placed, stance.trial.arm)
        else worst_gap(world, stance.placed, stance.trial.arm)[0]
    )
    unload(stance.trial.arm, asked.robot.limits, q0, q)
    code = judge(asked.robot, asked.goal, q, spent.steps, spent.tries, stance.trial.gauge, report_out)
    if code != SOLVED:
        return -math.inf, Best(best.gap, best.away, False)
    free, away = gap == math.inf, farthest_joint(q, q0)
    better = away < best.away if free else gap > best.gap and best.away == math.inf
    if better:
        copy(q, q_out)
    if free:
        return gap, Best(best.gap, away if better else best.away, better)
    return gap, Best(gap if gap > best.gap else best.gap, best.away, better)


@lean
def mend(search, attempt, best, spent, q_out, report_out):
    """Repairs the pose at hand; whether it is then free, the best poses, and what it took."""
    late = attempt > 2 * FIRST_SEEDS and attempt % 4 == 0
    buffer = NARROW if late else BUFFER
    arrived, used = repair(search.stance, search.asked.goal, search.world, buffer, search.normal)
    spent, gap = Spent(spent.steps + used, spent.tries), -math.inf
    if arrived:
        gap, best = consider(search, best, spent, q_out, report_out)
    return gap == math.inf, best, spent


@leaf
def store(q, gap, kept, stored):
    """Keeps a pose for a later repair; returns how many are kept."""
    n = q.shape[0]
    if kept == stored.shape[0]:
        return kept
    for k in range(n):
        stored[kept, k] = q[k]
    stored[kept, n] = gap
    return kept + 1


@leaf
def take_least(stored, last, q_out):
    """Takes out the stored pose that overlaps least; the last of them takes its place."""
    n, best = q_out.shape[0], 0
    for i in range(last + 1):
        if stored[i, n] > stored[best, n]:
            best = i
    for k in range(n):
        q_out[k] = stored[best, k]
        stored[best, k] = stored[last, k]
    stored[best, n] = stored[last, n]
