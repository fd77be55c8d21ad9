"""Repairs a pose that meets its target but touches something: pose and gaps as one least-squares problem.

Every gap below what is wanted adds a row: its residual is what is missing, its gradient how the gap grows
with each joint. Levenberg-Marquardt on all rows together, damping in proportion to the squared error,
every step accepted, joints at limits held by an active set; abandoned when the error stops shrinking.
Only for arms with freedom left over; an arm without has other branches, not other places.
"""

import math

from forearm.core.arm.compact import AXIS, COLUMN, DRIVER, HIGH, LOW, ORIGIN, RATE, SLIDES, Q, place
from forearm.core.closed_form.forms.vectors import cross, dot, minus
from forearm.core.codes import PRISMATIC
from forearm.core.collision.bodies import (
    FRAME,
    WATCHED,
    World,
    axis_of,
    gap_between,
    gap_from,
    kept_apart,
    may_be_near,
    may_meet,
    place_bodies,
)
from forearm.core.collision.distance import point_at, vector
from forearm.core.general.lm import BANDED, COUPLED, PROGRESS, UNIT, cold, compare, differentiate
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import clamp
from forearm.core.maths.linear import cholesky_solve

# Gaps are pushed this much farther than asked [m]: with less, repairs end a hair short; with 0.005 m and
# more, poses in narrow places are lost. Places narrower still want the second, on one late repair in four.
BUFFER, NARROW = 0.002, 0.0005
STEPS, LOOKS = 30, 4  # of one repair: steps at most, and between two looks at its progress
# Damping as a share of the squared error, and its floor as a share of reach squared: with a tenth of a
# percent of the error, long chains are lost.
DAMPING, FLOOR = 0.3, 1e-10
POLISH = 12  # plain steps that bring the tip back at the end


@lean
def repair(chain, goal, kind, terms, aim, world, buffer, arm, trig, T, e, placed, A, g, row):
    """Moves q to a pose that meets the target at the clearance; returns whether the tip is there, and the steps.

    The gaps at the end are the caller's to check.
    """
    bodies, pairs, obstacles, clearance = world
    wider = World(bodies, pairs, obstacles, clearance + buffer)
    before, step = math.inf, 0
    for step in range(STEPS + 1):
        place(chain, aim[COUPLED] != 0.0, arm, trig, T)
        place_bodies(chain, arm, trig, bodies, placed)
        clear(A, g)
        lack, least = add_gaps(chain, arm, wider, placed, row, A, g)
        arrived, E = compare(chain, goal, kind, terms, aim, arm, T, e)
        if arrived and least >= clearance:
            return True, step
        E += lack
        if step == STEPS:
            break
        if step > 0 and step % LOOKS == 0:
            if not PROGRESS * before >= E:
                break
            before = E
        if aim[BANDED] == 0.0:
            differentiate(chain, kind, terms, aim, arm, T)
        add_pose(arm, e, A, g)
        take_step(DAMPING * E + FLOOR * aim[UNIT], arm, A, g)
    most = POLISH  # variables: constants would compile `cold` a second time
    arrived, _, used = cold(chain, goal, kind, terms, aim, most, most, arm, trig, T, e)
    return arrived, step + used


@leaf
def clear(A, g):
    """Makes the normal equations zero."""
    for k in range(g.shape[0]):
        g[k] = 0.0
        for j in range(k + 1):
            A[k, j] = 0.0


@lean
def add_gaps(chain, arm, world, placed, row, A, g):
    """Adds a row for every gap below what is wanted; returns the squares of what is missing, and the least gap."""
    bodies, pairs, obstacles, wanted = world
    lack, least, own = 0.0, math.inf, kept_apart(wanted)
    for b in range(bodies.shape[0]):
        if bodies[b, WATCHED] == 0.0:
            continue
        for k in range(obstacles.shape[0]):
            if not may_be_near(world, k, placed, b, wanted):
                continue
            gap, s, n = gap_from(world, k, placed, b)
            least = min(least, gap)
            if gap < wanted:
                write_row(chain, arm, 0, int(bodies[b, FRAME]), place_on(placed, b, s), n, row)
                lack += add_row(wanted - gap, row, A, g)
    for p in range(pairs.shape[0]):
        a, b = pairs[p, 0], pairs[p, 1]
        if not may_meet(world, placed, a, b, own):
            continue
        gap, s, n = gap_between(world, placed, a, b)
        least = min(least, gap + (wanted - own))  # as obstacles count theirs
        if gap < own:  # joints before both bodies move them alike
            first, last = int(bodies[a, FRAME]) + 1, int(bodies[b, FRAME])
            write_row(chain, arm, first, last, place_on(placed, b, s), n, row)
            lack += add_row(own - gap, row, A, g)
    return lack, least


@leaf
def place_on(placed, b, s):
    """The point at place s of the axis of body b."""
    p, d = axis_of(placed, b)
    return point_at(p, d, s)


@leaf
def write_row(chain, arm, first, last, x, n, row_out):
    """Writes how point x of the arm moves along n with each variable, by the joints from first to last."""
    for k in range(row_out.shape[0]):
        row_out[k] = 0.0
    for j in range(first, last + 1):
        axis = vector(arm, j, AXIS)
        if chain[j + 1, SLIDES] != PRISMATIC:
            axis = cross(axis, minus(x, vector(arm, j, ORIGIN)))
        row_out[int(chain[j + 1, DRIVER])] += chain[j + 1, RATE] * dot(n, axis)


@leaf
def add_row(residual, row, A, g):
    """Adds one row to the normal equations; returns the square of its residual."""
    for k in range(row.shape[0]):
        if row[k] != 0.0:
            g[k] += row[k] * residual
            for j in range(k + 1):
                A[k, j] += row[k] * row[j]
    return residual * residual


@leaf
def add_pose(arm, e, A, g):
    """Adds the six rows of the pose."""
    for k in range(g.shape[0]):
        for i in range(6):
            g[k] += arm[k, COLUMN + i] * e[i]
        for j in range(k + 1):
            total = 0.0
            for i in range(6):
                total += arm[k, COLUMN + i] * arm[j, COLUMN + i]
            A[k, j] += total


@leaf
def take_step(damping, arm, A, g):
    """Q <- clamp(q + (A + damping I)^-1 g), joints held that stand at a limit and would be pushed out."""
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
