"""Sequential quadratic programming for the position of a chain's tip inside joint limits.

Minimises `|P(q) - point|^2` subject to `lower <= q <= upper`. The objective is a sum of squares, so
its Hessian is taken as Gauss-Newton's `J^T J`; each step solves the quadratic programme in the box
by an active set (`core/combined/box_qp.py`), so joints come onto their limits and off them as the minimum asks
and never leave them. A damping in proportion to the objective keeps steps where the model holds: it
grows after a step that gains less than promised and vanishes near an exact answer, where
convergence is quadratic. Where the point is out of reach Gauss-Newton would crawl, so after some
steps the rest of the Hessian is added, with as much damping as keeps it positive. Any chain of
one-axis joints, mimics and slides included. A descent ends in the valley it starts in; further
starts follow.
"""

import math

import numpy as np

from forearm.core.arm.kinematics import follow_link, move_joint, set_identity
from forearm.core.codes import KIND, LOWER, PRISMATIC, RATIO, UPPER, VARIABLE
from forearm.core.combined.box_qp import solve_box_qp
from forearm.core.combined.codes import MAX_ITERATIONS
from forearm.core.jit import leaf, lean, shared
from forearm.core.maths.limits import clamp, copy, draw_inside
from forearm.core.maths.se3 import cross, dot
from forearm.core.shaped import shaped

# what a step came to
ARRIVED, MOVED, REFUSED, FLAT = 0, 1, 2, 3

FIRST_DAMPING = 0.03  # share of the objective, as Chan and Lawrence (1988) found for arms
LEAST_DAMPING, MOST_DAMPING = 1e-9, 1e9  # below: no effect; above: steps too small to matter
# Ratios of the gain to the promised one below which damping grows and above which it shrinks, and the
# factors by which: the usual ones of trust regions (Fletcher, Practical Methods of Optimization).
POOR, GOOD, TIGHTEN, EASE = 0.25, 0.75, 4.0, 0.2
PATIENCE = 8  # steps in which Gauss-Newton arrives where the point is within reach
LIFT = 4.0  # factor on the damping until the full Hessian is positive
LEAST_GAIN = 1e-4  # share of the promised gain below which a step is taken back
# A chain of more than three joints has a singular J^T J; this share of its trace keeps it positive.
POSITIVE = 1e-13
# The valley's floor is reached when a step promises less than this share of the objective.
PROMISE = 1e-13


@lean
def squared_distance(links, joints, point, q, work, gradient_out):
    """The objective [m^2] at q and its gradient, for other optimisers; `work` as for `refine`."""
    n = q.shape[0]
    f = place_tip(links, joints, point, q, work)
    H = shaped(work[6 * joints.shape[0] + 16 :][: n * n], (n, n))
    write_normal_equations(joints, point, work, H, gradient_out)
    for k in range(n):
        gradient_out[k] *= -2.0
    return f


@shared
def workspace_size(m, n):
    """How many floats `refine` needs for m joints driven by n variables."""
    return 6 * m + 16 + 2 * n * n + 8 * n


@lean
def refine(chain, point, stop, settings, starts, q, work):
    """Moves q in place to the lowest minimum found; the objective left [m^2] and the steps taken.

    `chain` is a `Robot`, `stop` the objective at which the search ends; the settings say how many steps there are from
    one start. Starts are q itself, inside the limits, then points drawn there, always the same ones. `work` has
    `workspace_size(m, n)` floats.
    """
    n = q.shape[0]
    best = work[work.shape[0] - n :]
    f, steps = descend(chain, point, stop, settings, q, work)
    least, state = f, np.uint64(0)
    copy(q, best)
    for _ in range(1, starts):
        if least <= stop:
            break
        state = draw_inside(chain.limits, state, q)
        f, used = descend(chain, point, stop, settings, q, work)
        steps += used
        if f < least:
            least = f
            copy(q, best)
    copy(best, q)
    return least, steps


@lean
def descend(chain, point, stop, settings, q, work):
    """Moves q in place to the minimum of its valley; the objective left [m^2] and the steps taken."""
    damping, f, step = FIRST_DAMPING, math.inf, 0
    while step < settings[MAX_ITERATIONS]:  # the budget may be taken away meanwhile
        outcome, f, damping = advance(chain, point, stop, damping, step >= PATIENCE, q, work)
        if outcome == ARRIVED or outcome == FLAT:
            return f, step
        step += 1
    return place_tip(chain.links, chain.joints, point, q, work), step


@lean
def advance(chain, point, stop, damping, curved, q, work):
    """One step from q, in place: what it came to, the objective [m^2] before it, the next damping.

    `curved` asks for the full Hessian instead of Gauss-Newton's.
    """
    links, joints, limits = chain
    n, line = q.shape[0], work[6 * joints.shape[0] + 16 :]  # behind axes, origins and tip: the quadratic programme
    H, factor, line = shaped(line[: n * n], (n, n)), shaped(line[n * n : 2 * n * n], (n, n)), line[2 * n * n :]
    g, d, low, high, line = line[:n], line[n : 2 * n], line[2 * n : 3 * n], line[3 * n : 4 * n], line[4 * n :]
    kept, held, rest = line[:n], line[n : 2 * n], line[2 * n : 3 * n]
    f = place_tip(links, joints, point, q, work)
    if f <= stop:
        return ARRIVED, f, damping
    write_normal_equations(joints, point, work, H, g)
    extra = damping * f
    for k in range(n):
        extra += POSITIVE * H[k, k]
        low[k], high[k] = limits[LOWER, k] - q[k], limits[UPPER, k] - q[k]
    if curved:
        add_curvature(joints, point, work, H)
    add_to_diagonal(extra, H)
    while not solve_box_qp(H, g, low, high, factor, rest, held, d) and extra < math.inf:
        add_to_diagonal((LIFT - 1.0) * extra, H)
        extra *= LIFT
    promised = 0.0  # |r|^2 - |r - J d|^2, the damping left out
    for i in range(n):
        row = -extra * d[i]
        for k in range(n):
            row += H[i, k] * d[k]
        promised += d[i] * (2.0 * g[i] - row)
    if not promised > PROMISE * f:
        return FLAT, f, damping
    copy(q, kept)
    for k in range(n):
        q[k] = clamp(q[k] + d[k], limits[LOWER, k], limits[UPPER, k])
    gain = (f - place_tip(links, joints, point, q, work)) / promised
    if gain < POOR:
        damping *= TIGHTEN
    elif gain > GOOD:
        damping = max(EASE * damping, LEAST_DAMPING)
    if gain >= LEAST_GAIN:
        return MOVED, f, damping
    copy(kept, q)
    return (REFUSED if damping < MOST_DAMPING else FLAT), f, damping


@leaf
def place_tip(links, joints, point, q, work):
    """The squared distance from tip to point [m^2]; writes each joint's axis and origin and the tip."""
    m = joints.shape[0]
    T = shaped(work[6 * m : 6 * m + 16], (4, 4))
    set_identity(T)
    for i in range(m):
        follow_link(T, links[i])
        for j in range(3):
            work[6 * i + j], work[6 * i + 3 + j] = T[j, 2], T[j, 3]
        move_joint(T, joints[i], q)
    follow_link(T, links[m])
    x, y, z = point[0] - T[0, 3], point[1] - T[1, 3], point[2] - T[2, 3]
    return dot(x, y, z, x, y, z)


@leaf
def tip_column(joints, i, work):
    """How the tip moves with joint i [m per rad, or 1 for a slide]."""
    m = joints.shape[0]
    ax, ay, az = work[6 * i], work[6 * i + 1], work[6 * i + 2]
    if joints[i, KIND] == PRISMATIC:
        return ax, ay, az
    x = work[6 * m + 3] - work[6 * i + 3]
    y = work[6 * m + 7] - work[6 * i + 4]
    z = work[6 * m + 11] - work[6 * i + 5]
    return cross(ax, ay, az, x, y, z)


@leaf
def write_normal_equations(joints, point, work, H_out, g_out):
    """Writes `J^T J` and `J^T r`, r the way from the tip to the point; mimic joints add to their variable."""
    m = joints.shape[0]
    H_out[:, :] = 0.0
    g_out[:] = 0.0
    rx, ry, rz = point[0] - work[6 * m + 3], point[1] - work[6 * m + 7], point[2] - work[6 * m + 11]
    for i in range(m):
        x, y, z = tip_column(joints, i, work)
        k, rate = int(joints[i, VARIABLE]), joints[i, RATIO]
        g_out[k] += rate * dot(x, y, z, rx, ry, rz)
        for j in range(m):
            u, v, w = tip_column(joints, j, work)
            H_out[k, int(joints[j, VARIABLE])] += rate * joints[j, RATIO] * dot(x, y, z, u, v, w)


@leaf
def add_curvature(joints, point, work, H):
    """Subtracts what Gauss-Newton leaves out: r . d2P/dq_i dq_j, which is r . (axis_i x column_j) for i <= j."""
    m = joints.shape[0]
    rx, ry, rz = point[0] - work[6 * m + 3], point[1] - work[6 * m + 7], point[2] - work[6 * m + 11]
    for j in range(m):
        x, y, z = tip_column(joints, j, work)
        for i in range(j + 1):
            if joints[i, KIND] == PRISMATIC:
                continue
            u, v, w = cross(work[6 * i], work[6 * i + 1], work[6 * i + 2], x, y, z)
            bend = joints[i, RATIO] * joints[j, RATIO] * dot(rx, ry, rz, u, v, w)
            a, b = int(joints[i, VARIABLE]), int(joints[j, VARIABLE])
            H[a, b] -= bend
            if i != j:
                H[b, a] -= bend


@leaf
def add_to_diagonal(extra, H):
    """H <- H + extra I, in place."""
    for k in range(H.shape[0]):
        H[k, k] += extra
