"""Seven revolute axes of which six have a closed form once the first or the last is held still.

The held joint is tried at one value after another, the start's own first, then spread evenly over
its range (van der Corput), until some branch of the other six lies inside the limits.
"""

import math

from forearm.core.closed_form.forms.nearest import nearest_row
from forearm.core.closed_form.forms.plan import HELD, HELD_LINE, branches
from forearm.core.codes import LOWER, UPPER
from forearm.core.jit import leaf, lean
from forearm.core.maths.vectors import apply, minus, plus, product, rotation, transpose, unapply

# Values of the held joint that are tried: of 100,000 poses of a Panda all but a few fall by then.
HELD_VALUES = 256


@leaf
def van_der_corput(i):
    """The binary digits of i mirrored at the point: numbers that fill [0, 1) evenly."""
    x, half = 0.0, 0.5
    while i > 0:
        x += half * (i % 2)
        i //= 2
        half *= 0.5
    return x


@leaf
def held_range(lower, upper, start):
    """Where a held joint may stand: its limits, or one turn about the start where there are none."""
    if not upper - lower < 2.0 * math.pi:
        lower, upper = max(lower, start - math.pi), min(upper, start + math.pi)
    return lower, upper


@leaf
def without_held(plan, value, R, t):
    """What the other six joints must make together: E1^-1 G, or G E7^-1."""
    h = (plan[HELD_LINE], plan[HELD_LINE + 1], plan[HELD_LINE + 2])
    p = (plan[HELD_LINE + 3], plan[HELD_LINE + 4], plan[HELD_LINE + 5])
    turned = rotation(h, value)
    if plan[HELD] == 0.0:
        return product(transpose(turned), R), plus(p, unapply(turned, minus(t, p)))
    return product(R, transpose(turned)), plus(t, apply(R, minus(p, unapply(turned, p))))


@lean
def first_held(robot, form, R, t, near, sieve, rows, away):
    """Writes the rows at the first value of the held joint that has one inside; how many, and the value."""
    k, start = int(form.plan[HELD]), near.start
    lower, upper = held_range(robot.limits[LOWER, k], robot.limits[UPPER, k], start[k])
    at = (start[k] - lower) / (upper - lower) if upper > lower else 0.0
    for i in range(HELD_VALUES):
        share = at + van_der_corput(i)
        value = start[k] if i == 0 else lower + (share - math.floor(share)) * (upper - lower)
        R6, t6 = without_held(form.plan, value, R, t)
        count = branches(form, R6, t6, start, sieve, rows)
        if nearest_row(robot, form.lines, near, rows, count, away) >= 0:
            return count, value
    return 0, start[k]
