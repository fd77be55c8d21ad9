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

import numpy as np

from forearm.core.arm.compact import ARM_COLUMNS, CHAIN_COLUMNS, LANES, place
from forearm.core.arm.goal import begin, has_axis_tolerances, judge
from forearm.core.codes import (
    BODY,
    CLEARANCE,
    COLLISION,
    ITERATIONS,
    NOT_CONVERGED,
    OTHER,
    POSE,
    SOLVED,
    TERMS,
    TRIES,
)
from forearm.core.collision.bodies import PLACED, World, is_clear, place_bodies, worst_gap
from forearm.core.collision.certain import sure_gap
from forearm.core.collision.clearance import put
from forearm.core.collision.repair import BUFFER, NARROW, repair
from forearm.core.general.lm import AIM, COUPLED, cold, near, take_aim
from forearm.core.general.seeds import (
    ENTRIES,
    FACTS,
    FEATURES,
    KEYS,
    NO_RANK,
    REACH,
    WINDOW,
    next_rank,
    rank_seeds,
    unfold,
)
from forearm.core.general.solve import (
    ASKED,
    BOLD,
    BOLD_PATIENCE,
    BOX,
    BOXED,
    CAREFUL,
    HEAD,
    JOINTS,
    MAX_ITERATIONS,
    MAX_TRIES,
    NEAR,
    RANDOM_PATIENCE,
    RNG_SEED,
    SETTINGS,
    SKIP_TRIES,
    TABLE,
    TABLE_PATIENCE,
    draw,
    free_whole_turns,
    is_coupled,
    load,
    start_at,
    unload,
)
from forearm.core.jit import kernel, leaf, lean
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

# places in `tally`, what a search remembers: the largest gap among poses that meet the target but collide [m];
# how far the free pose kept is from the start; steps, tries and the next attempt; poses stored; where the seed
# table is at: rank, first entry, angle; and whether the report is that of the pose kept
LARGEST, AWAY, STEPS, TRIED, ATTEMPT, KEPT, RANK, ENTRY, ANGLE, JUDGED = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
TALLY = 10


@kernel
def solve_among(problem, table, bodies, pairs, obstacles, sure, search, goal, q0, q_out, report_out):
    """Writes a free configuration that meets the goal, or the least overlapping; returns a status code.

    Args:
        problem, table: A robot and its seeds, as `core/general/solve.py` opens them.
        bodies, pairs: The arm's capsules (`core/collision/bodies.py`).
        obstacles: (k, 18), see `core/collision/obstacle_rows.py`.
        sure: What is certain beforehand (`core/collision/certain.py`).
        search: (3,) see above.
    """
    m, n, s, kind = int(problem[JOINTS]), q_out.shape[0], bodies.shape[0], int(problem[ASKED])
    settings, rest = problem[HEAD : HEAD + SETTINGS], problem[HEAD + SETTINGS :]
    terms, rest = rest[:TERMS], rest[TERMS:]
    limits, rest = shaped(rest[: 2 * n], (2, n)), rest[2 * n :]
    links, rest = shaped(rest[: 12 * (m + 1)], (m + 1, 3, 4)), rest[12 * (m + 1) :]
    joints, rest = shaped(rest[: 3 * m], (m, 3)), rest[3 * m :]
    chain, facts = shaped(rest[:-FACTS], (m + 1, CHAIN_COLUMNS)), rest[-FACTS:]
    entries = shaped(table[: ENTRIES * (n + 9)], (ENTRIES, n + 9))
    keys = shaped(table[ENTRIES * (n + 9) :].view(np.float32), (KEYS, ENTRIES))
    fault = begin(limits, goal, q0, q_out)
    if fault != SOLVED:
        return fault
    if search[SURE] != 0.0 and blocked(sure, obstacles, search[WANTED], goal, kind, terms, report_out):
        return judged(links, joints, limits, goal, kind, terms, q_out, COLLISION, report_out)
    work = np.empty(ARM_COLUMNS * m + 3 * padded(m) + 34 + AIM + FEATURES + TALLY + n + WINDOW // 2)
    room = np.empty(PLACED * s + n * (n + 2) + STORED * (n + 1))
    task = (links, joints, limits, goal, kind, terms, q0, chain, keys, entries, facts)
    world = World(bodies, pairs, obstacles, search[WANTED])
    return seek(task, world, settings, search[REPAIRS] != 0.0, work, room, q_out, report_out)


@leaf
def padded(m):
    """How many numbers a row of `trig` has."""
    return (m + LANES - 1) // LANES * LANES


@leaf
def blocked(sure, obstacles, wanted, goal, kind, terms, report_out):
    """Whether what is certain is too near to an obstacle; then the report says what."""
    posed = kind == POSE and not has_axis_tolerances(terms)
    gap, body, other = sure_gap(sure, obstacles, wanted, goal, posed, terms)
    report_out[CLEARANCE], report_out[BODY], report_out[OTHER] = gap, body, other
    return gap < wanted


@kernel
def judged(links, joints, limits, goal, kind, terms, q, code, report_out):
    """Measures a configuration that was not sought for, and passes a status code on."""
    T, e = np.empty((4, 4)), np.empty(6)
    judge(links, joints, limits, goal, kind, terms, q, 0, 0, T, e, report_out)
    return code


@lean
def seek(task, world, settings, repairs, work, room, q_out, report_out):
    """Tries one start after another, as the module says; returns a status code."""
    _, joints, limits, _, _, terms, q0, _, _, _, facts = task
    m, n, s, lanes = joints.shape[0], q_out.shape[0], world[0].shape[0], padded(joints.shape[0])
    arm, line = shaped(work[: ARM_COLUMNS * m], (m, ARM_COLUMNS)), work[ARM_COLUMNS * m :]
    trig, line = shaped(line[: 3 * lanes], (3, lanes)), line[3 * lanes :]
    T, X, e = shaped(line[:16], (4, 4)), shaped(line[16:28], (3, 4)), line[28:34]
    aim, f, line = line[34 : 34 + AIM], line[34 + AIM : 34 + AIM + FEATURES], line[34 + AIM + FEATURES :]
    tally, q, ranks = line[:TALLY], line[TALLY : TALLY + n], line[TALLY + n :].view(np.int32)
    placed, line = shaped(room[: PLACED * s], (s, PLACED)), room[PLACED * s :]
    A, g, row, line = (
        shaped(line[: n * n], (n, n)),
        line[n * n : n * n + n],
        line[n * n + n : n * n + 2 * n],
        line[n * n + 2 * n :],
    )
    stored = shaped(line, (STORED, n + 1))
    scratch, normal, table = (arm, trig, T, e, aim, placed), (A, g, row), (X, f, ranks)
    trig[:, :] = 0.0  # the padding is computed with
    take_aim(facts[REACH], terms, has_axis_tolerances(terms), is_coupled(joints), aim)
    start_tally(settings, q0, tally)
    state, budget, most = (
        np.uint64(settings[RNG_SEED] + settings[SKIP_TRIES]),
        settings[MAX_TRIES],
        settings[MAX_ITERATIONS],
    )
    while tally[TRIED] < budget or tally[KEPT] > 0.0:
        attempt = int(tally[ATTEMPT])
        if tally[KEPT] > 0.0 and (attempt >= FIRST_SEEDS or tally[TRIED] >= budget):  # stage B
            take_least(stored, tally, q)
            free_whole_turns(joints, limits, arm)
            load(q, arm)
            if mended(task, world, scratch, normal, tally, q, q_out, report_out) and q0.shape[0] == 0:
                break
            continue
        if attempt >= FIRST_SEEDS and tally[AWAY] < math.inf:
            break
        state, arrived = try_start(task, state, int(most), scratch, table, tally, q)
        if not arrived:
            continue
        gap = consider(task, world, scratch, tally, q, q_out, report_out)
        only = q0.shape[0] == 0 or attempt < TABLE or attempt >= FIRST_SEEDS  # no other answer is waited for
        if gap == math.inf:
            if only:
                break
        elif repairs and gap > -math.inf:
            if TABLE <= attempt < FIRST_SEEDS:
                store(q, gap, tally, stored)
            elif gap > -DEEP or tally[TRIED] > EARLY or attempt < TABLE:
                free = mended(task, world, scratch, normal, tally, q, q_out, report_out)
                if free and (attempt >= FIRST_SEEDS or tally[AWAY] <= BOX):
                    break
    return close(task, world, scratch, tally, q_out, report_out)


@leaf
def close(task, world, scratch, tally, q_out, report_out):
    """Completes the report on the pose kept, and says how the search ended."""
    links, joints, limits, goal, kind, terms, _, chain, _, _, _ = task
    arm, trig, T, e, aim, placed = scratch
    if tally[JUDGED] == 0.0:
        judge(links, joints, limits, goal, kind, terms, q_out, tally[STEPS], tally[TRIED], T, e, report_out)
    report_out[ITERATIONS], report_out[TRIES] = tally[STEPS], tally[TRIED]
    if tally[AWAY] < math.inf:
        return SOLVED
    put(chain, aim[COUPLED] != 0.0, world.bodies, q_out, arm, trig, T, placed)
    gap, body, other = worst_gap(world, placed)
    report_out[CLEARANCE], report_out[BODY], report_out[OTHER] = gap, body, other
    return COLLISION if tally[LARGEST] > -math.inf else NOT_CONVERGED


@leaf
def start_tally(settings, q0, tally_out):
    """Writes what a search remembers at its beginning."""
    tally_out[:] = 0.0
    tally_out[LARGEST], tally_out[AWAY], tally_out[RANK] = -math.inf, math.inf, NO_RANK
    tally_out[ATTEMPT] = TABLE if q0.shape[0] == 0 else BOXED
    if settings[SKIP_TRIES] > 0.0:
        tally_out[ATTEMPT] = SEEDS + settings[SKIP_TRIES]


@lean
def try_start(task, state, most, scratch, table, tally, q):
    """Brings the next start to the target; returns the random state and whether it arrived."""
    links, joints, limits, goal, kind, terms, q0, chain, keys, entries, facts = task
    arm, trig, T, e, aim, _ = scratch
    X, f, ranks = table
    attempt = int(tally[ATTEMPT])
    if attempt < TABLE:
        state = start_at(q0, joints, limits, attempt, state, arm)
        patience = BOLD_PATIENCE
    else:
        free_whole_turns(joints, limits, arm)
        if attempt < SEEDS:
            if tally[RANK] == NO_RANK:
                rank, first, angle = rank_seeds(links, joints, limits, kind, terms, goal, keys, facts, X, f, ranks)
                tally[ENTRY], tally[ANGLE] = first, angle
            else:
                rank = next_rank(ranks, int(tally[RANK]))
            tally[RANK] = rank
            unfold(joints, limits, keys, entries, facts, int(tally[ENTRY]) + rank % WINDOW, X, tally[ANGLE], q)
            patience = TABLE_PATIENCE
        else:
            state = draw(limits, attempt % 2 == 1, state, q)
            patience = RANDOM_PATIENCE
        load(q, arm)
    if attempt == BOXED or attempt == CAREFUL:
        arrived, _, used = near(chain, goal, kind, terms, aim, NEAR, most, arm, trig, T, e)
    else:
        arrived, _, used = cold(chain, goal, kind, terms, aim, patience, most, arm, trig, T, e)
    tally[ATTEMPT] = next_attempt(attempt, arrived)
    tally[TRIED] += 1.0 if arrived or used > 0 else 0.0
    tally[STEPS] += used
    return state, arrived


@leaf
def next_attempt(attempt, arrived):
    """The order of tries from a start: in its box, freely, boldly, until one arrives; then the table."""
    if attempt >= TABLE:
        return attempt + 1
    if arrived or attempt == BOLD:
        return TABLE
    return CAREFUL if attempt == BOXED else BOLD


@lean
def consider(task, world, scratch, tally, q, q_out, report_out):
    """Looks at a pose that has arrived and keeps it if it is the best; returns its gap.

    Infinity if it is free, minus infinity if it does not meet the target after all.
    """
    links, joints, limits, goal, kind, terms, q0, chain, _, _, _ = task
    arm, trig, T, e, aim, placed = scratch
    if aim[COUPLED] != 0.0:  # joints that share a variable leave sums where their places were
        place(chain, True, arm, trig, T)
    place_bodies(chain, arm, trig, world.bodies, placed)
    gap = math.inf if is_clear(world, placed) else worst_gap(world, placed)[0]
    unload(arm, limits, q0, q)
    tally[JUDGED] = 0.0
    if judge(links, joints, limits, goal, kind, terms, q, tally[STEPS], tally[TRIED], T, e, report_out) != SOLVED:
        return -math.inf
    if gap == math.inf:
        away = farthest_joint(q, q0)
        if away < tally[AWAY]:
            tally[AWAY], tally[JUDGED] = away, 1.0
            copy(q, q_out)
    elif gap > tally[LARGEST]:
        tally[LARGEST] = gap
        if tally[AWAY] == math.inf:
            tally[JUDGED] = 1.0
            copy(q, q_out)
    return gap


@lean
def mended(task, world, scratch, normal, tally, q, q_out, report_out):
    """Repairs the pose at hand; whether it is then free."""
    _, _, _, goal, kind, terms, _, chain, _, _, _ = task
    arm, trig, T, e, aim, placed = scratch
    A, g, row = normal
    late = tally[ATTEMPT] > 2 * FIRST_SEEDS and tally[ATTEMPT] % 4 == 0
    buffer = NARROW if late else BUFFER
    arrived, used = repair(chain, goal, kind, terms, aim, world, buffer, arm, trig, T, e, placed, A, g, row)
    tally[STEPS] += used
    return arrived and consider(task, world, scratch, tally, q, q_out, report_out) == math.inf


@leaf
def store(q, gap, tally, stored):
    """Keeps a pose for a later repair."""
    n, kept = q.shape[0], int(tally[KEPT])
    if kept < stored.shape[0]:
        for k in range(n):
            stored[kept, k] = q[k]
        stored[kept, n] = gap
        tally[KEPT] = kept + 1.0


@leaf
def take_least(stored, tally, q_out):
    """Takes out the stored pose that overlaps least."""
    n, best, last = q_out.shape[0], 0, int(tally[KEPT]) - 1
    for i in range(last + 1):
        if stored[i, n] > stored[best, n]:
            best = i
    for k in range(n):
        q_out[k] = stored[best, k]
        stored[best, k] = stored[last, k]
    stored[best, n] = stored[last, n]
    tally[KEPT] = float(last)
