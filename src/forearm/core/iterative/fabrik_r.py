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

from forearm.core.arm.compact import ARM_COLUMNS, LANES
from forearm.core.arm.goal import begin, goal_error, has_axis_tolerances, judge, meets
from forearm.core.arm.problem import Gauge, Goal, Robot
from forearm.core.codes import NOT_CONVERGED, SOLVED
from forearm.core.general.lm import Try, cold, near, take_aim
from forearm.core.general.seeds import REACH
from forearm.core.general.solve import NEAR, POLISH, RANDOM_PATIENCE, draw, free_whole_turns, keep_limits, load, unload
from forearm.core.iterative.dls import weighted_square
from forearm.core.iterative.fabrik_r_place import SHIFT
from forearm.core.iterative.fabrik_r_stages import FORWARD, backward_reach, follow_to_tip, forward_reach, prepare, stand
from forearm.core.jit import kernel

# places in `settings`; the first and the fourth stand where `general` has them
MAX_TRIES, MAX_ITERATIONS, RNG_SEED, SKIP_TRIES, REFINE, SWEEPS, ROTATION_WEIGHT = 0, 1, 2, 3, 4, 5, 6

LM_STEPS = 40  # of one refinement


@kernel
def solve_fabrik_r(links, joints, limits, pose, kind, terms, q0, settings, steps, chain, facts, q_out, report_out):
    """Writes the joint values nearest to the goal found from q0 and returns a status code."""
    fault = begin(limits, pose, q0, q_out)
    if fault != SOLVED:
        return fault
    robot, goal = Robot(links, joints, limits), Goal(pose, kind, terms)
    if settings[REFINE] == 0.0:
        return sweep_alone(robot, goal, settings, steps, q_out, report_out)
    return sweep_and_refine(robot, goal, q0, settings, steps, chain, facts, q_out, report_out)


@kernel
def sweep_alone(robot, goal, settings, steps, q_out, report_out):
    """The paper's method from the start in q_out: sweeps until the tip arrives or the budget ends."""
    (links, _, limits), (pose, kind, _) = robot, goal
    n = q_out.shape[0]
    stored = np.empty((n + 1, 6))  # point and axis of each joint, then of the tip
    ahead = np.empty((n + 1, 3, 4))  # link in front of each joint, from the joint before
    behind = np.empty((n + 1, 3, 4))  # the inverses
    T, wanted, tip = np.empty((4, 4)), np.empty((4, 4)), np.empty((4, 4))
    q, e = q_out.copy(), np.empty(6)
    prepare(links, steps, pose, ahead, behind, wanted)
    stand(ahead, steps, q, T, stored)
    best, sweep = math.inf, 0
    while True:
        follow_to_tip(T, links[n], steps[FORWARD, n - 1, SHIFT], tip)
        goal_error(tip, goal, e)
        error, arrived = weighted_square(e, settings[ROTATION_WEIGHT]), meets(goal, e)
        if error < best or arrived:
            best = error
            q_out[:] = q
        if arrived or sweep == int(settings[MAX_ITERATIONS]):
            break
        forward_reach(behind, steps, limits, pose, wanted, kind, q, T, stored)
        backward_reach(ahead, steps, limits, wanted, kind, q, T, stored)
        sweep += 1
    return judge(robot, goal, q_out, sweep, 1, Gauge(np.empty((3, 0)), T, e), report_out)


@kernel
def sweep_and_refine(robot, goal, q0, settings, steps, chain, facts, q_out, report_out):
    """Sweeps, then Levenberg-Marquardt, then other starts, from the start in q_out."""
    (links, joints, limits), (pose, kind, terms) = robot, goal
    n, m = q_out.shape[0], joints.shape[0]
    stored, ahead, behind = np.empty((n + 1, 6)), np.empty((n + 1, 3, 4)), np.empty((n + 1, 3, 4))
    T, wanted, arm = np.empty((4, 4)), np.empty((4, 4)), np.empty((m, ARM_COLUMNS))
    trig = np.zeros((3, (m + LANES - 1) // LANES * LANES))
    e, q = np.empty(6), q_out.copy()
    gauge = Gauge(trig, T, e)
    prepare(links, steps, pose, ahead, behind, wanted)
    trial = Try(chain, take_aim(facts[REACH], terms, has_axis_tolerances(terms), False), arm, gauge)
    keep_limits(joints, limits, arm)
    best, used, skipped = math.inf, 0, int(settings[SKIP_TRIES])
    state = np.uint64(settings[RNG_SEED] + settings[SKIP_TRIES])
    warm = q0.shape[0] > 0 and skipped == 0
    for attempt in range(skipped, skipped + int(settings[MAX_TRIES])):
        careful = warm and attempt == 0
        if not careful:
            free_whole_turns(joints, limits, arm)
            if attempt > (1 if warm else 0):
                state = draw(limits, False, state, q)
            elif attempt == 1:
                q[:] = q0
            if attempt % 2 == (1 if warm else 0):
                sweep(ahead, behind, steps, limits, pose, wanted, kind, int(settings[SWEEPS]), q, T, stored)
        load(q, arm)
        if careful:
            arrived, E, done = near(trial, goal, NEAR, LM_STEPS)
        else:
            arrived, E, done = cold(trial, goal, RANDOM_PATIENCE, LM_STEPS)
        used += done
        if arrived or best > E:
            unload(arm, limits, q0, q)
            if arrived and judge(robot, goal, q, used, attempt + 1, gauge, report_out) == SOLVED:
                q_out[:] = q
                return SOLVED
            best = min(best, E)
            q_out[:] = q
    load(q_out, arm)
    _, _, done = near(trial, goal, math.inf, POLISH)
    unload(arm, limits, q0, q_out)
    judge(robot, goal, q_out, used + done, int(settings[MAX_TRIES]), gauge, report_out)
    return NOT_CONVERGED


@kernel
def sweep(ahead, behind, steps, limits, goal, wanted, kind, count, q, T, stored):
    """Moves q by so many sweeps, in place."""
    stand(ahead, steps, q, T, stored)
    for _ in range(count):
        forward_reach(behind, steps, limits, goal, wanted, kind, q, T, stored)
        backward_reach(ahead, steps, limits, wanted, kind, q, T, stored)


@kernel
def trace_fabrik_r(links, limits, goal, kind, q0, steps, stages_out, q_out):
    """Writes what the sweeps do: points and axes at the start and after each stage.

    Args:
        links: (n+1, 3, 4) links of the robot.
        limits: (2, n) joint limits.
        goal: (4, 4) target.
        kind: POSE or POSITION.
        q0: (n,) start.
        steps: (3, n+1, COLUMNS) step table.
        stages_out: (1 + 2 S, n+1, 6) point and axis (the normal of the joint's plane) of each joint
            and of the tip: the start, then forward and backward stage of each of S sweeps.
        q_out: (n,) joint values after the last sweep.
    """
    n = q0.shape[0]
    ahead, behind = np.empty((n + 1, 3, 4)), np.empty((n + 1, 3, 4))
    T, wanted, stored = np.empty((4, 4)), np.empty((4, 4)), np.empty((n + 1, 6))
    q_out[:] = q0
    prepare(links, steps, goal, ahead, behind, wanted)
    stand(ahead, steps, q_out, T, stored)
    stages_out[0] = stored
    for stage in range(1, stages_out.shape[0]):
        if stage % 2 == 1:
            forward_reach(behind, steps, limits, goal, wanted, kind, q_out, T, stored)
        else:
            backward_reach(ahead, steps, limits, wanted, kind, q_out, T, stored)
        stages_out[stage] = stored
