"""Which answer of the combined method is taken: all branches offered, measured, the nearest kept (Eqs. (16) to (19)).

Branches come first; where none is inside the limits, other swivels of a ball-shouldered arm follow,
and only then misses, of which the least is kept.
"""

import math
from typing import Any, NamedTuple

from forearm.core.arm.goal import goal_error, judge, meets
from forearm.core.arm.kinematics import fk_tip
from forearm.core.closed_form.forms.nearest import Near, bring_inside
from forearm.core.closed_form.forms.plan import displacement
from forearm.core.closed_form.forms.srs_nearest import nearest_swivel
from forearm.core.codes import LIMIT_SLACK, LOWER, TOL_AXES, TOL_POSITION, UPPER
from forearm.core.collision.bodies import is_clear
from forearm.core.collision.clearance import put
from forearm.core.combined.codes import (
    BALL,
    BRANCH,
    DIST,
    FORM,
    INFINITY,
    MODE,
    NORM,
    ONE,
    PAPER,
    PARALLEL,
    PROBLEM,
    STEPS,
    STEPS_DONE,
    SWEEPS,
    SWEEPS_DONE,
    TARGET,
)
from forearm.core.combined.complete import write_arm, write_wrist
from forearm.core.combined.fabrik import ON_LINE
from forearm.core.combined.reduce import read_fact
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import copy, wrap_near
from forearm.core.maths.se3 import norm as length
from forearm.core.maths.vectors import apply, minus, plus, read, rotation, times
from forearm.core.maths.vectors import length as norm_of

# Sweeps and steps aim this much inside the tolerance: the answer is judged by other sines and cosines.
AIM = 1.0 - 1e-9
DEFAULT_AIM = 1e-6  # [m] where a target asks for no position tolerance at all

# What is looked at in turn until something meets goal and limits: the branches, other swivels, misses.
BRANCHES, SWIVELS, MISSES = 0, 1, 2
LOOKS = 3
# places in `found`: distance of the best answer from q0, miss of the best failure, its problem
NEAREST, MISS, WINNER = 0, 1, 2
ALL = -1  # joints are held to their limits
SWIVELLED = 64  # elbows all round, among obstacles


@leaf
def aim(terms):
    """How near P3 must come to its target [m]."""
    most = terms[TOL_POSITION]
    for i in range(3):
        most = min(most, terms[TOL_AXES + i])
    return AIM * (most if most < math.inf else DEFAULT_AIM)


class Search(NamedTuple):
    """What an answer is judged by, and the best found so far."""

    robot: Any
    goal: Any
    start: Any  # (n,)
    norm: Any
    gauge: Any
    q: Any  # (n,) the answer that is offered
    found: Any  # (3,) see above
    elbow: Any  # as published, the joint that with joint 2 alone is held to its limits; else ALL


@lean
def complete(asked, reduction, desk, around, near, count, q_out, report_out):
    """Writes the nearest of all branches that meet goal and limits, else the least miss; a status code.

    `near` offers the start itself too, and the swivel of its elbow where there is one. `around` is None, or a world and
    a stance (`core/collision/bodies.py`): then only what is free counts, and a ball-shouldered arm swivels all round.
    """
    facts, problems, found = reduction.facts, desk.problems, desk.found
    found[NEAREST], found[MISS], found[WINNER] = math.inf, math.inf, -1.0
    published = asked.settings[MODE] == PAPER
    elbow = ALL if not published else 3 if facts[FORM] == BALL else 2
    search = Search(asked.robot, asked.goal, desk.start, asked.settings[NORM], desk.gauge, desk.q, found, elbow)
    copy(desk.start, q_out)
    copy(desk.start, desk.q)
    R, t = displacement(asked.goal.pose, reduction.back)
    if near:
        offer(search, True, around)
    for look in range(LOOKS):
        if look > BRANCHES and found[NEAREST] < math.inf:
            break
        if look == SWIVELS and published:
            continue
        for p in range(count):
            row = problems[p]
            if look < MISSES and row[DIST] > aim(asked.goal.terms):
                continue
            if look != SWIVELS and offer_branches(search, reduction, R, (look < MISSES, published), row, around, q_out):
                found[WINNER] = p
            swivels = facts[FORM] == BALL and (look == SWIVELS or (near and look == BRANCHES))
            if swivels and offer_swivel(search, reduction.lines, R, t, look == SWIVELS, row, desk.swivel, around):
                copy(desk.q, q_out)
                found[WINNER] = p
            if around is not None and look == SWIVELS and facts[FORM] == BALL:
                swivel_round(search, reduction, R, row, around, q_out)
    sweeps, steps = 0.0, 0.0
    for p in range(count):
        sweeps += problems[p, SWEEPS]
        steps += problems[p, STEPS]
    code = judge(asked.robot, asked.goal, q_out, sweeps + steps, 1, desk.gauge, report_out)
    report_out[SWEEPS_DONE], report_out[STEPS_DONE], report_out[PROBLEM] = sweeps, steps, found[WINNER]
    return code


@lean
def swivel_round(search, reduction, R, row, around, q_out):
    """Offers the branches of a ball-shouldered arm with its elbow all round the line from shoulder to wrist."""
    s, P3 = read(reduction.lines, 0, 3), read_fact(row, BRANCH + 3)
    step = rotation(times(1.0 / max(norm_of(minus(P3, s)), ON_LINE), minus(P3, s)), math.tau / SWIVELLED)
    for _ in range(SWIVELLED):
        P2 = plus(s, apply(step, minus(read_fact(row, BRANCH), s)))
        row[BRANCH], row[BRANCH + 1], row[BRANCH + 2] = P2
        offer_branches(search, reduction, R, (True, False), row, around, q_out)


@lean
def offer_swivel(search, lines, R, t, thorough, row, scratch, around):
    """Whether a swivel of a ball-shouldered arm near that of the start is better than what was found; then in q.

    First with the wrist where the links were brought, which keeps their small miss, then where it is
    wanted: an arm exactly at its limits has no swivel beside that one.
    """
    near = Near(search.start, LIMIT_SLACK, 1.0 if search.norm == ONE else math.inf)
    for exact in range(2):
        moved = t
        if exact == 0:
            moved = plus(t, minus(read_fact(row, BRANCH + 3), read_fact(row, TARGET)))
        found = nearest_swivel(search.robot, lines, R, moved, near, thorough, scratch, search.q)
        if found == 1 and offer(search, True, around):
            return True
    return False


@lean
def offer_branches(search, reduction, R, how, row, around, q_out):
    """Whether a branch of one problem is better than what was found before; it is then in q_out.

    `how`: whether strictly, and whether as published, with the elbow of two links in a plane as it was found.
    """
    strict, published = how
    facts, lines, start, q, limits = reduction.facts, reduction.lines, search.start, search.q, search.robot.limits
    better, ball = False, facts[FORM] == BALL
    arm = 4 if ball else 3  # joints before the wrist; of the UR's form three, though its fourth depends on them
    flips = 1 if facts[FORM] == PARALLEL else 3  # of a wrist: two and a singular one; the UR's is part of its problem
    for branch in range(6 if ball else 1 if published else 2):  # elbow sides; of a ball with flips of the shoulder
        if not write_arm(lines, facts, limits, R, row, branch, start, q):
            continue
        inside = bring_all_inside(limits, search.elbow, start, arm, q)
        if strict and (not inside or distance_between(search.norm, arm, q, start) >= search.found[NEAREST]):
            continue  # whatever the wrist does
        for flip in range(flips):
            if write_wrist(lines, facts, limits, row, flip, start, q) and offer(search, strict, around):
                better = True
                copy(q, q_out)
    return better


@lean
def offer(search, strict, around):
    """Whether q, brought inside the limits in place, is better than what was found before (Eqs. (16) to (19)).

    Strictly, only what meets goal and limits counts; else what misses the goal least.
    """
    robot, goal, start, norm, gauge, q, found, elbow = search
    inside = bring_all_inside(robot.limits, elbow, start, q.shape[0], q)
    distance = distance_between(norm, q.shape[0], q, start)
    if strict and (not inside or distance >= found[NEAREST]):
        return False
    fk_tip(robot.links, robot.joints, q, gauge.T)
    goal_error(gauge.T, goal, gauge.e)
    if inside and meets(goal, gauge.e):
        if around is not None:
            put(around[1], around[0].bodies, q)
            if not is_clear(around[0], around[1].placed, around[1].trial.arm):
                return False
        found[NEAREST] = distance
        return True
    e = gauge.e
    miss = length(e[0], e[1], e[2]) + length(e[3], e[4], e[5])
    if strict or miss >= found[MISS]:
        return False
    found[MISS] = miss
    return True


@leaf
def bring_all_inside(limits, elbow, start, count, q):
    """Whether whole turns bring the first joints inside their limits; moves each there, nearest to start.

    As published, only the ranges that the sweeps keep count, of joint 2 and the elbow.
    """
    all_inside = True
    for k in range(count):
        if elbow != ALL and k != 1 and k != elbow:
            q[k] = wrap_near(q[k], start[k])
            continue
        inside, q[k] = bring_inside(q[k], start[k], limits[LOWER, k], limits[UPPER, k], LIMIT_SLACK)
        all_inside = all_inside and inside
    return all_inside


@leaf
def distance_between(norm, count, q, start):
    """The distance of two configurations in the 1-norm, 2-norm or infinity norm, over their first joints [rad]."""
    total = 0.0
    for k in range(count):
        move = abs(q[k] - start[k])
        if norm == ONE:
            total += move
        elif norm == INFINITY:
            total = max(total, move)
        else:
            total += move * move
    return math.sqrt(total) if norm != ONE and norm != INFINITY else total
