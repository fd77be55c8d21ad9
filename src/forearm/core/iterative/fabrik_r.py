"""FABRIK-R (Santos et al., IEEE Access 9, 2021): FABRIK for chains of 1-DOF joints.

Plain sweeps (`refine=0`) are the paper's method: a forward and a backward stage in turn
(`core/iterative/fabrik_r_stages.py`) until the tip arrives. They crawl near full reach and may cycle near the first
axis. With `refine=1`, the union of the papers, a few sweeps only make a good start, bounded
Levenberg-Marquardt (`core/general/lm.py`) finishes, and further starts follow; odd ones go without sweeps, or
some targets would never fall. A start the caller gave is refined before it is swept, or the arm
would jump. Supports positions and poses, revolute and prismatic joints, limits; no mimic joints.
"""

import math

import numpy as np

from forearm.core.arm.goal import begin, goal_error, has_axis_tolerances, judge, meets
from forearm.core.arm.problem import REACH, open_problem
from forearm.core.codes import SOLVED
from forearm.core.general.lm import cold, near, open_try, take_aim, try_size
from forearm.core.general.solve import (
    NEAR,
    RANDOM_PATIENCE,
    come_nearer,
    draw,
    free_whole_turns,
    keep_limits,
    load,
    unload,
)
from forearm.core.iterative.dls import weighted_square
from forearm.core.iterative.fabrik_r_place import SHIFT
from forearm.core.iterative.fabrik_r_stages import (
    FORWARD,
    backward_reach,
    follow_to_tip,
    forward_reach,
    open_sweeps,
    prepare,
    stand,
    sweeps_size,
)
from forearm.core.jit import lean, shared
from forearm.core.maths.limits import copy, copy_rows

# places in `settings`; the first and the fourth stand where `general` has them
MAX_TRIES, MAX_ITERATIONS, RNG_SEED, SKIP_TRIES, REFINE, SWEEPS, ROTATION_WEIGHT = 0, 1, 2, 3, 4, 5, 6

LM_STEPS = 40  # of one refinement


@lean
def solve_fabrik_r(problem, steps, pose, q0, work, q_out, report_out):
    """Writes the joint values nearest to the goal found from q0 and returns a status code.

    `steps` is the step table, flat; `work` has `fabrik_r_size(m, n)` numbers.
    """
    n = q_out.shape[0]
    asked = open_problem(problem, pose, n)
    robot, goal = asked.robot, asked.goal
    fault = begin(robot.limits, pose, q0, q_out)
    if fault != SOLVED:
        return fault
    sweeps, rest = open_sweeps(steps, n, work), work[sweeps_size(n) :]
    q, rest = rest[:n], rest[n:]
    prepare(robot.links, pose, sweeps)
    copy(q_out, q)
    aim = take_aim(asked.facts[REACH], goal.terms, has_axis_tolerances(goal.terms), False)
    trial = open_try(asked.chain, aim, asked.settings, rest)
    if asked.settings[REFINE] == 0.0:
        return sweep_alone(robot, goal, asked.settings, sweeps, trial.gauge, q, q_out, report_out)
    return sweep_and_refine(asked, q0, sweeps, trial, q, q_out, report_out)


@shared
def fabrik_r_size(m, n):
    """How many numbers of scratch a call takes."""
    return sweeps_size(n) + n + try_size(m)


@lean
def sweep_alone(robot, goal, settings, sweeps, gauge, q, q_out, report_out):
    """The paper's method from the start in q: sweeps until the tip arrives or the budget ends."""
    n, tip, e = q.shape[0], gauge.T, gauge.e
    stand(sweeps, q)
    best, swept = math.inf, 0
    while True:
        follow_to_tip(sweeps.T, robot.links[n], sweeps.steps[FORWARD, n - 1, SHIFT], tip)
        goal_error(tip, goal, e)
        error, arrived = weighted_square(e, settings[ROTATION_WEIGHT]), meets(goal, e)
        if error < best or arrived:
            best = error
            copy(q, q_out)
        if arrived or swept >= settings[MAX_ITERATIONS]:
            break
        forward_reach(robot, goal, sweeps, q)
        backward_reach(robot, goal, sweeps, q)
        swept += 1
    return judge(robot, goal, q_out, swept, 1, gauge, report_out)


@lean
def sweep_and_refine(asked, q0, sweeps, trial, q, q_out, report_out):
    """Sweeps, then Levenberg-Marquardt, then other starts, from the start in q."""
    robot, goal, settings, arm = asked.robot, asked.goal, asked.settings, trial.arm
    best, used, skipped = math.inf, 0, int(settings[SKIP_TRIES])
    state = np.uint64(settings[RNG_SEED] + settings[SKIP_TRIES])
    warm = q0.shape[0] > 0 and skipped == 0
    attempt = skipped - 1
    while attempt + 1 < skipped + settings[MAX_TRIES]:  # the budget may be taken away meanwhile
        attempt += 1
        state = begin_attempt(robot, goal, sweeps, int(settings[SWEEPS]), q0, warm, attempt, state, trial, q)
        if warm and attempt == 0:
            arrived, E, done = near(trial, goal, NEAR, LM_STEPS)
        else:
            arrived, E, done = cold(trial, goal, RANDOM_PATIENCE, LM_STEPS)
        used += done
        if arrived or best > E:
            unload(arm, robot.limits, q0, q)
            if arrived and judge(robot, goal, q, used, attempt + 1, trial.gauge, report_out) == SOLVED:
                copy(q, q_out)
                return SOLVED
            best = min(best, E)
            copy(q, q_out)
    if best < math.inf:
        used += come_nearer(trial, robot.limits, goal, q0, q_out)
    return judge(robot, goal, q_out, used, int(settings[MAX_TRIES]), trial.gauge, report_out)


@lean
def begin_attempt(robot, goal, sweeps, count, q0, warm, attempt, state, trial, q):
    """Writes the start of an attempt, swept where it is one of those, into q and the try; the random state.

    The first of a warm search is the caller's start as it stands in q, with its limits; then that one swept, then
    drawn ones, every other swept.
    """
    arm = trial.arm
    if warm and attempt == 0:
        keep_limits(robot, arm)
    else:
        free_whole_turns(robot, arm)
        if attempt > (1 if warm else 0):
            state = draw(robot.limits, False, state, q)
        elif attempt == 1:
            copy(q0, q)
        if attempt % 2 == (1 if warm else 0):
            sweep(robot, goal, sweeps, count, trial.budget, q)
    load(q, arm)
    return state


@lean
def sweep(robot, goal, sweeps, count, budget, q):
    """Moves q by so many sweeps, in place."""
    stand(sweeps, q)
    for _ in range(count):
        if budget[0] < 0.0:  # the call is given up
            break
        forward_reach(robot, goal, sweeps, q)
        backward_reach(robot, goal, sweeps, q)


@lean
def trace_fabrik_r(problem, steps, pose, q0, work, stages_out, q_out):
    """Writes what the sweeps do: points and axes at the start and after each stage, and q after the last.

    `stages_out` (1 + 2 S, n+1, 6): point and axis (the normal of the joint's plane) of each joint and of the tip: the
    start, then forward and backward stage of each of S sweeps.
    """
    n = q_out.shape[0]
    asked = open_problem(problem, pose, n)
    sweeps = open_sweeps(steps, n, work)
    copy(q0, q_out)
    prepare(asked.robot.links, pose, sweeps)
    stand(sweeps, q_out)
    copy_rows(sweeps.stored, stages_out[0])
    for stage in range(1, stages_out.shape[0]):
        if stage % 2 == 1:
            forward_reach(asked.robot, asked.goal, sweeps, q_out)
        else:
            backward_reach(asked.robot, asked.goal, sweeps, q_out)
        copy_rows(sweeps.stored, stages_out[stage])
