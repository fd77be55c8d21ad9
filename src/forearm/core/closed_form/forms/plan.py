"""How a recognised structure reaches the kernels: a flat array, opened as `plan` (13,), `back`, `lines`.

`lines` (k, 7) holds one row per axis that the form uses, in the form's own order: direction, point, and the
joint it belongs to. `back` (4, 4) is the inverse of the tip's pose at the zero configuration: with
G = T back = E1 ... En the tool never appears again.
"""

from forearm.core.closed_form.forms.planar import plane_branches
from forearm.core.closed_form.forms.spherical_wrist import wrist_branches
from forearm.core.closed_form.forms.three_parallel import parallel_branches
from forearm.core.closed_form.forms.vectors import apply, transpose
from forearm.core.jit import leaf, lean

# places in `plan`: the class, the case of a spherical wrist, whether the form runs from tip to base,
# the joint that is held (-1 if none), the length of the arm [m], how far a row may lie outside the
# limits before it is polished [rad], the norm by which near is near (1, or infinity), and the held
# joint's direction and point
CLASS, CASE, REVERSED, HELD, REACH, SLACK, NEARNESS, HELD_LINE = 0, 1, 2, 3, 4, 5, 6, 7
PLAN = 13
# classes
THREE_PARALLEL, WRIST, SHOULDER_AND_WRIST, PLANE = 0, 1, 2, 3

POINT, JOINT = 3, 6  # columns of `lines`; directions start at 0
LINE_COLUMNS = 7
ROWS = 32  # at most this many rows come from any class


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
def branches(plan, lines, R, t, start, own, sieve, best, rows_out):
    """Writes every row of a form that has finitely many; returns how many there are.

    Args:
        plan: (13,) what was recognised.
        lines: (k, 7) the axes of the form.
        R: 9-tuple, rotation that the form's axes together make.
        t: 3-tuple, their translation [m].
        start: (n,) values of angles that the pose leaves free, by joint.
        own: (k,) scratch: the same in the form's order.
        sieve: What rows are wanted (`core/closed_form/forms/prune.py`); planar arms list all of their few.
        best: (2,) how near the best row is.
    """
    R, t = in_form_order(plan, lines, R, t, start, own)
    if plan[CLASS] == THREE_PARALLEL:
        return parallel_branches(lines, R, t, own, sieve, best, rows_out)
    if plan[CLASS] == WRIST:
        return wrist_branches(int(plan[CASE]), lines, R, t, own, sieve, best, rows_out)
    return plane_branches(lines, R, t, own, rows_out)
