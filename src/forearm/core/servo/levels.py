"""One step of the goal layer where position comes before rotation, or rotation before position, strictly.

What has priority takes the damped step that it would take alone; the other takes what motion is left, the null space of
the first: `dq = y1 + M^T (M M^T + damping)^-1 (e2 - J2 y1)` with `M = J2 (I - J1^+ J1)` (Siciliano and Slotine 1991).
Joints at their limits are decided level by level, so the second never takes a joint from the first: one that the first
pushes out is held there, one that only the second pushes out is taken from the second alone. The null space is felt to
second order: where steps undo what the first gains, or gain nothing, they become shorter: a share of the second's, and
more damping of the first's; and what the first lost it gets back in a step of its own.
"""

from forearm.core.arm.compact import AXIS, COLUMN, HIGH, KEPT, LOW, ORIGIN, Q
from forearm.core.jit import leaf, lean
from forearm.core.maths.normal_equations import solve_3x3
from forearm.core.maths.se3 import dot
from forearm.core.servo.state import (
    BLOCKED,
    FIRST_LEFT,
    IS_ALONE,
    OTHER_LEFT,
    PRIORITY,
    SHARE,
    SPARE,
    UNFELT,
)

SETS = 4  # sets of held joints that are tried for each level
EXACT = 1e-14  # squared error up to which a part counts as met [share of reach squared]
LEAST = 1e-12  # of the damping of a projection [share of reach squared]
# The share of a step that is taken: its least, its factor behind a step that helped, and behind another.
LEAST_SHARE, LONGER, SHORTER = 1.0 / 2048.0, 1.1, 0.5
GAIN = 1e-5  # a step must bring an error down by this share of its square, or it is none: an arm at the edge stands
ROTATION_FIRST = 2.0  # of PRIORITY: 0 for neither, 1 for position


@leaf
def first_columns(numbers):
    """Where the columns of the part with priority begin, and those of the other."""
    if numbers[PRIORITY] == ROTATION_FIRST:
        return COLUMN + 3, COLUMN
    return COLUMN, COLUMN + 3


@lean
def step_by_levels(memory, trial, chan, floor, first):
    """Writes the step of each joint into the spare row: the part with priority, then the other in its null space."""
    rows, arm, e = memory.rows, trial.arm, trial.gauge.e
    one, other = first_columns(memory.numbers)
    a, b = (one - COLUMN, other - COLUMN)
    x, y, z = e[a], e[a + 1], e[a + 2]
    u, v, w = e[b], e[b + 1], e[b + 2]
    for k in range(rows.shape[1]):
        rows[SPARE, k] = rows[UNFELT, k] if first else 0.0
    damping = chan * dot(x, y, z, x, y, z) / memory.numbers[SHARE] + floor
    take_first(memory, arm, one, damping, (x, y, z))
    if memory.numbers[IS_ALONE] == 0.0:
        take_second(
            memory, arm, (one, other), (chan * dot(u, v, w, u, v, w) + floor, LEAST * trial.aim.unit), (u, v, w)
        )


@leaf
def part(e, a):
    """The squared error of one part [m^2]."""
    return dot(e[a], e[a + 1], e[a + 2], e[a], e[a + 1], e[a + 2])


@leaf
def weigh_step(numbers, e, unit, first):
    """Looks at what is left behind a step, or before the first of a tick; sets the share of the next.

    True if the step was none: it undid what the part with priority had, or brought neither part nearer.
    """
    one, other = first_columns(numbers)
    E, F, was_bad, met = part(e, one - COLUMN), part(e, other - COLUMN), False, EXACT * unit
    if not first:
        before, rest = numbers[FIRST_LEFT], numbers[OTHER_LEFT]
        undone, mended = max(before, met) < E, (1.0 - GAIN) * before > max(E, met)
        was_bad = undone or (max((1.0 - GAIN) * rest, met) <= F and not mended)
        numbers[IS_ALONE] = 1.0 if undone else 0.0
        share = numbers[SHARE] * (SHORTER if was_bad else LONGER)
        numbers[SHARE] = min(1.0, max(LEAST_SHARE, share))
    numbers[FIRST_LEFT], numbers[OTHER_LEFT] = E, F
    return was_bad


@leaf
def product(arm, k, first, x, y, z):
    """The scalar product of three numbers of a row with others."""
    return dot(arm[k, first], arm[k, first + 1], arm[k, first + 2], x, y, z)


@leaf
def leaves(arm, k, move):
    """Whether a motion takes a joint that stands at a limit beyond it."""
    return (arm[k, Q] <= arm[k, LOW] and move < 0.0) or (arm[k, Q] >= arm[k, HIGH] and move > 0.0)


@leaf
def copy_held(arm, first, to):
    """Copies three columns, zero for held joints; unused rows are zero already."""
    for k in range(arm.shape[0]):
        for i in range(3):
            arm[k, to + i] = arm[k, KEPT] * arm[k, first + i]


@lean
def take_first(memory, arm, one, damping, e):
    """The step of what has priority, in place of the motion that is wished for in the spare row."""
    rows = memory.rows
    n = rows.shape[1]
    for k in range(arm.shape[0]):
        arm[k, KEPT] = 1.0 if k < n else 0.0
    for _ in range(SETS):
        copy_held(arm, one, ORIGIN)
        x, y, z = e[0], e[1], e[2]
        for k in range(n):
            move = arm[k, KEPT] * rows[SPARE, k]
            x -= arm[k, ORIGIN] * move
            y -= arm[k, ORIGIN + 1] * move
            z -= arm[k, ORIGIN + 2] * move
        x, y, z = solve_3x3(arm, ORIGIN, damping, (x, y, z))
        more = False
        for k in range(n):
            if arm[k, KEPT] != 0.0 and leaves(arm, k, rows[SPARE, k] + product(arm, k, ORIGIN, x, y, z)):
                arm[k, KEPT] = 0.0
                memory.numbers[BLOCKED] = k
                more = True
        if not more:
            break
    for k in range(n):
        rows[SPARE, k] = arm[k, KEPT] * (rows[SPARE, k] + product(arm, k, ORIGIN, x, y, z))


@lean
def take_second(memory, arm, columns, dampings, e):
    """Adds the step of the other part that what has priority does not feel."""
    rows, (one, other), (damping, least) = memory.rows, columns, dampings
    n, share = rows.shape[1], memory.numbers[SHARE]
    x, y, z = e
    for k in range(n):
        x -= arm[k, other] * rows[SPARE, k]
        y -= arm[k, other + 1] * rows[SPARE, k]
        z -= arm[k, other + 2] * rows[SPARE, k]
    for k in range(n):
        arm[k, KEPT] = 1.0
    u, v, w = 0.0, 0.0, 0.0
    for _ in range(SETS):
        copy_held(arm, one, ORIGIN)
        project(arm, other, least)
        u, v, w = solve_3x3(arm, AXIS, damping, (x, y, z))
        more = False
        for k in range(n):
            if arm[k, KEPT] != 0.0 and leaves(arm, k, rows[SPARE, k] + share * product(arm, k, AXIS, u, v, w)):
                arm[k, KEPT] = 0.0
                more = True
                if memory.numbers[BLOCKED] < 0.0:
                    memory.numbers[BLOCKED] = k
        if not more:
            break
    for k in range(n):
        rows[SPARE, k] += share * arm[k, KEPT] * product(arm, k, AXIS, u, v, w)


@lean
def project(arm, other, least):
    """Writes the other part's columns less what the columns of the first make of them, for joints that are not held."""
    copy_held(arm, other, AXIS)
    for i in range(3):
        x, y, z = 0.0, 0.0, 0.0
        for k in range(arm.shape[0]):
            x += arm[k, AXIS + i] * arm[k, ORIGIN]
            y += arm[k, AXIS + i] * arm[k, ORIGIN + 1]
            z += arm[k, AXIS + i] * arm[k, ORIGIN + 2]
        x, y, z = solve_3x3(arm, ORIGIN, least, (x, y, z))
        for k in range(arm.shape[0]):
            arm[k, AXIS + i] -= product(arm, k, ORIGIN, x, y, z)
