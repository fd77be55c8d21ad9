"""How a recognised structure reaches the kernels: a flat array, opened as `plan` (12,), `back`, `lines`.

`lines` (k, 7) holds one row per axis that the form uses, in the form's own order: direction, point, and the
joint it belongs to. `back` (4, 4) is the inverse of the tip's pose at the zero configuration: with
G = T back = E1 ... En the tool never appears again.
"""

from typing import Any, NamedTuple

from forearm.core.closed_form.forms.planar import plane_branches
from forearm.core.closed_form.forms.spherical_wrist import wrist_branches
from forearm.core.closed_form.forms.three_parallel import parallel_branches
from forearm.core.jit import leaf, lean, shared
from forearm.core.maths.vectors import apply, transpose
from forearm.core.shaped import shaped

# places in `plan`: the class, the case of a spherical wrist, whether the form runs from tip to base,
# the joint that is held (-1 if none), the length of the arm [m], how far a row may lie outside the
# limits before it is polished [rad], and the held joint's direction and point
CLASS, CASE, REVERSED, HELD, REACH, SLACK, HELD_LINE = 0, 1, 2, 3, 4, 5, 6
PLAN = 12
# classes
THREE_PARALLEL, WRIST, SHOULDER_AND_WRIST, PLANE = 0, 1, 2, 3

POINT, JOINT = 3, 6  # columns of `lines`; directions start at 0
LINE_COLUMNS = 7
ROWS = 32  # at most this many rows come from any class


class Form(NamedTuple):
    """A recognised structure, opened."""

    plan: Any  # (12,)
    back: Any  # (4, 4)
    lines: Any  # (k, 7)


@leaf
def open_form(form, k):
    """A flat form of k axes; only for lean kernels."""
    back, lines = form[PLAN : PLAN + 16], form[PLAN + 16 :]
    return Form(form[:PLAN], shaped(back, (4, 4)), shaped(lines, (k, LINE_COLUMNS)))


@shared
def form_numbers(kind, n):
    """How many numbers a flat form of a class has on an arm of n joints; -1 for an arm too short for it."""
    axes, least = (6, 6) if kind == THREE_PARALLEL or kind == WRIST else (n, 2)
    return PLAN + 16 + LINE_COLUMNS * axes if n >= least else -1


@leaf
def count_axes(form):
    """How many axes a flat form has."""
    return (form.shape[0] - PLAN - 16) // LINE_COLUMNS


@leaf
def displacement(goal, back):
    """Rotation and translation of goal times back."""
    R = (
        goal[0, 0] * back[0, 0] + goal[0, 1] * back[1, 0] + goal[0, 2] * back[2, 0],
        goal[0, 0] * back[0, 1] + goal[0, 1] * back[1, 1] + goal[0, 2] * back[2, 1],
        goal[0, 0] * back[0, 2] + goal[0, 1] * back[1, 2] + goal[0, 2] * back[2, 2],
        goal[1, 0] * back[0, 0] + goal[1, 1] * back[1, 0] + goal[1, 2] * back[2, 0],
        goal[1, 0] * back[0, 1] + goal[1, 1] * back[1, 1] + goal[1, 2] * back[2, 1],
        goal[1, 0] * back[0, 2] + goal[1, 1] * back[1, 2] + goal[1, 2] * back[2, 2],
        goal[2, 0] * back[0, 0] + goal[2, 1] * back[1, 0] + goal[2, 2] * back[2, 0],
        goal[2, 0] * back[0, 1] + goal[2, 1] * back[1, 1] + goal[2, 2] * back[2, 1],
        goal[2, 0] * back[0, 2] + goal[2, 1] * back[1, 2] + goal[2, 2] * back[2, 2],
    )
    x, y, z = back[0, 3], back[1, 3], back[2, 3]
    t = (
        goal[0, 0] * x + goal[0, 1] * y + goal[0, 2] * z + goal[0, 3],
        goal[1, 0] * x + goal[1, 1] * y + goal[1, 2] * z + goal[1, 3],
        goal[2, 0] * x + goal[2, 1] * y + goal[2, 2] * z + goal[2, 3],
    )
    return R, t


@leaf
def in_form_order(plan, lines, R, t, start, own_out):
    """Writes the start's values in the form's order; the displacement as the form counts it, from its own base."""
    for i in range(lines.shape[0]):
        own_out[i] = start[int(lines[i, JOINT])]
    if plan[REVERSED] != 0.0:  # E6^-1 ... E1^-1 = G^-1: the same arm from its other end
        R = transpose(R)
        x, y, z = apply(R, t)
        t = (-x, -y, -z)
    return R, t


@lean
def branches(form, R, t, start, sieve, rows_out):
    """Writes every row of a form that has finitely many; returns how many there are.

    R and t [m] are what the form's axes together make; `start` has the values of angles that the pose leaves free,
    by joint. `sieve` holds an array (k,) for the start in the form's order and which rows are wanted
    (`core/closed_form/forms/prune.py`); planar arms list all of their few.
    """
    plan, lines, (own, wanted, best) = form.plan, form.lines, sieve
    R, t = in_form_order(plan, lines, R, t, start, own)
    if plan[CLASS] == THREE_PARALLEL:
        return parallel_branches(lines, R, t, own, wanted, best, rows_out)
    if plan[CLASS] == WRIST:
        return wrist_branches(int(plan[CASE]), lines, R, t, own, wanted, best, rows_out)
    return plane_branches(lines, R, t, own, rows_out)
