"""Repairs a pose that meets its target but touches something: pose and gaps as one least-squares problem.

Every gap below what is wanted adds a row: its residual is what is missing, its gradient how the gap grows
with each joint. Levenberg-Marquardt on all rows together, damping in proportion to the squared error,
every step accepted, joints at limits held by an active set; abandoned when the error stops shrinking.
Only for arms with freedom left over; an arm without has other branches, not other places.
"""

import math
from typing import Any, NamedTuple

from forearm.core.arm.compact import AXIS, COLUMN, DRIVER, HIGH, LOW, ORIGIN, RATE, SLIDES, Q
from forearm.core.codes import PRISMATIC
from forearm.core.collision.bodies import (
    FRAME,
    World,
    axis_of,
    gap_between,
    gap_from,
    is_body,
    is_touched,
    kept_apart,
    looked_at,
    may_be_near,
    may_meet,
    move_bodies,
    nearest_of,
    pairs_from,
    place_still,
)
from forearm.core.collision.distance import point_at
from forearm.core.collision.obstacle_rows import behind
from forearm.core.general.lm import PROGRESS, cold, compare, differentiate, stand
from forearm.core.jit import leaf, lean, shared
from forearm.core.maths.limits import clamp
from forearm.core.maths.linear import cholesky_solve
from forearm.core.maths.vectors import cross, dot, minus, read
from forearm.core.shaped import shaped

# Gaps are pushed this much farther than asked [m]: with less, repairs end a hair short; with 0.005 m and
# more, poses in narrow places are lost. Places narrower still want the second, on one late repair in four.
BUFFER, NARROW = 0.002, 0.0005
STEPS, LOOKS = 30, 4  # of one repair: steps at most, and between two looks at its progress
# Damping as a share of the squared error, and its floor as a share of reach squared: with a tenth of a
# percent of the error, long chains are lost.
DAMPING, FLOOR = 0.3, 1e-10
POLISH = 12  # plain steps that bring the tip back at the end


class Normal(NamedTuple):
    """The normal equations of a repair, A step = g, and one row of them."""

    A: Any  # (n, n), its lower half
    g: Any  # (n,)
    row: Any  # (n,)


@shared
def normal_size(n):
    """How many numbers of scratch the normal equations take."""
    return n * (n + 2)


@leaf
def open_normal(n, work):
    """The normal equations in the first `normal_size(n)` numbers of scratch; only for lean kernels."""
    return Normal(shaped(work[: n * n], (n, n)), work[n * n : n * (n + 1)], work[n * (n + 1) : n * (n + 2)])


@lean
def repair(stance, goal, world, buffer, normal):
    """Moves q to a pose that meets the target at the clearance; returns whether the tip is there, and the steps.

    The gaps at the end are the caller's to check.
    """
    trial, (bodies, pairs, charts, obstacles, clearance) = stance.trial, world
    wider = World(bodies, pairs, charts, obstacles, clearance + buffer)
    before, step = math.inf, 0
    place_still(bodies, stance.placed)
    for step in range(STEPS + 1):
        stand(trial)
        move_bodies(stance, bodies)
        for k in range(normal.g.shape[0]):
            normal.g[k] = 0.0
            for j in range(k + 1):
                normal.A[k, j] = 0.0
        lack, least = add_gaps(stance, wider, normal)
        arrived, E = compare(trial, goal)
        if arrived and least >= clearance:
            return True, step
        E += lack
        if step == STEPS:
            break
        if step > 0 and step % LOOKS == 0:
            if not PROGRESS * before >= E:
                break
            before = E
        if not trial.aim.banded:
            differentiate(trial, goal)
        add_pose(trial, normal)
        take_step(DAMPING * E + FLOOR * trial.aim.unit, trial.arm, normal)
    most = POLISH  # variables: constants would compile `cold` a second time
    arrived, _, used = cold(trial, goal, most, most)
    return arrived, step + used


@lean
def add_gaps(stance, world, normal):
    """Adds a row for every gap below the clearance; returns the squares of what is missing, and the least gap.

    Of bodies under one cover, and of pairs under two, only the least gap counts: they are parts of one link.
    """
    (trial, placed), (bodies, pairs, _, _, wanted) = stance, world
    lack, least, own = 0.0, math.inf, kept_apart(wanted)
    b = 0
    while b < bodies.shape[0]:
        held, after = looked_at(world, placed, b, wanted)
        if held:
            lack, least = add_gaps_of(stance, world, b, normal, lack, least)
        b = after
    i = 0
    while i < pairs.shape[0]:
        known, a, b, i = nearest_pair(world, placed, i, own)
        least = min(least, known + (wanted - own))  # as obstacles count theirs
        if known < own:  # joints before both bodies move them alike
            _, s, n = gap_between(world, placed, a, b)
            first, last = int(bodies[a, FRAME]) + 1, int(bodies[b, FRAME])
            write_row(trial, first, last, place_on(placed, b, s), n, normal.row)
            lack += add_row(own - known, normal)
    return lack, least


@leaf
def nearest_pair(world, placed, i, known):
    """The least gap below `known`, else `known`, of row i of the pairs or all that it heads; both bodies, the next row.

    Rows of pairs that two covers head are looked at together.
    """
    pairs, a, b = world.pairs, -1, -1
    end = i + 2 + pairs[i + 1, 0] if pairs[i, 0] < 0 else i + 1
    i = pairs_from(world, placed, i, end, known)
    while i < end:
        if may_meet(world, placed, pairs[i, 0], pairs[i, 1], known):
            gap = gap_between(world, placed, pairs[i, 0], pairs[i, 1])[0]
            if gap < known:
                known, a, b = gap, pairs[i, 0], pairs[i, 1]
        i = pairs_from(world, placed, i + 1, end, known)
    return known, a, b, end


@lean
def add_gaps_of(stance, world, b, normal, lack, least):
    """Adds a row for every obstacle that is nearer than the clearance to row b; both as they become."""
    (trial, placed), (bodies, _, _, obstacles, wanted) = stance, world
    k = 0
    while k < obstacles.shape[0]:
        near = may_be_near(world, k, placed, b, wanted)
        if is_touched(world, k, placed, b, near, wanted):
            c = b if is_body(world, b) else nearest_of(world, placed, b, (k, k + 1), wanted)[1]
            gap, s, n = (wanted, 0.0, (0.0, 0.0, 0.0)) if c < 0 else gap_from(world, k, placed, c)
            least = min(least, gap)
            if gap < wanted:
                write_row(trial, 0, int(bodies[c, FRAME]), place_on(placed, c, s), n, normal.row)
                lack += add_row(wanted - gap, normal)
        k = behind(obstacles, k, near)
    return lack, least


@leaf
def place_on(placed, b, s):
    """The point at place s of the axis of body b."""
    p, d = axis_of(placed, b)
    return point_at(p, d, s)


@leaf
def write_row(trial, first, last, x, n, row_out):
    """Writes how point x of the arm moves along n with each variable, by the joints from first to last."""
    for k in range(row_out.shape[0]):
        row_out[k] = 0.0
    for j in range(first, last + 1):
        joint, axis = trial.chain[j + 1], read(trial.arm, j, AXIS)
        if joint[SLIDES] != PRISMATIC:
            axis = cross(axis, minus(x, read(trial.arm, j, ORIGIN)))
        row_out[int(joint[DRIVER])] += joint[RATE] * dot(n, axis)


@leaf
def add_row(residual, normal):
    """Adds one row to the normal equations; returns the square of its residual."""
    A, g, row = normal
    for k in range(row.shape[0]):
        if row[k] != 0.0:
            g[k] += row[k] * residual
            for j in range(k + 1):
                A[k, j] += row[k] * row[j]
    return residual * residual


@leaf
def add_pose(trial, normal):
    """Adds the six rows of the pose."""
    A, g, arm, e = normal.A, normal.g, trial.arm, trial.gauge.e
    for k in range(g.shape[0]):
        for i in range(6):
            g[k] += arm[k, COLUMN + i] * e[i]
        for j in range(k + 1):
            total = 0.0
            for i in range(6):
                total += arm[k, COLUMN + i] * arm[j, COLUMN + i]
            A[k, j] += total


@leaf
def take_step(damping, arm, normal):
    """Q <- clamp(q + (A + damping I)^-1 g), joints held that stand at a limit and would be pushed out."""
    A, g = normal.A, normal.g
    n = g.shape[0]
    for k in range(n):
        A[k, k] += damping
        if (arm[k, Q] <= arm[k, LOW] and g[k] < 0.0) or (arm[k, Q] >= arm[k, HIGH] and g[k] > 0.0):
            g[k], A[k, k] = 0.0, 1.0
            for j in range(k):
                A[k, j] = 0.0
            for i in range(k + 1, n):
                A[i, k] = 0.0
    cholesky_solve(A, g)
    for k in range(n):
        arm[k, Q] = clamp(arm[k, Q] + g[k], arm[k, LOW], arm[k, HIGH])
