"""One damped step inside limits: (J'J + damping I) dq = J'e, with an active set of up to three passes.

Variables that a step would carry past a limit are held on it, at the displacement that is left; in the first pass
those held before whose multiplier points inward come off. Tasks that couple branches enter by Woodbury's formula:
dq += Y z with Y = H^-1 J' and (I + J Y) z = -J dq of the residual's own solution.
"""

import math

from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import clamp
from forearm.core.maths.linear import cholesky_solve
from forearm.core.maths.vectors import rotation
from forearm.core.tree.elimination import assemble, factorise, substitute
from forearm.core.tree.layout import (
    BOOST,
    BOUND,
    CENTRE_OF_MASS,
    COUPLED,
    DEPTH,
    HELD,
    HIGH,
    LINK,
    LOW,
    PARENT,
    POSTURES,
    RELATIVE,
    REST,
    RIGHT,
    SPARE,
    STEP,
    STIFF,
    TASK,
    VARIABLE,
)
from forearm.core.tree.recursion import eliminate, sweep

PASSES = 3
TOUCH = 1e-12  # how near a limit a variable stands on it [rad or m]


@lean
def residual(tree, room, damping, dq, still, right_out):
    """J'(e - J dq) less damping and posture: zero where dq solves, at held variables their multipliers."""
    joints, tasks, S, V, F = tree.joints, tree.tasks, room.S, room.V, room.F
    nv = dq.shape[0]
    offset = nv - tree.variables.shape[0]
    for k in range(6):
        V[0, k] = dq[k] if offset > 0 else 0.0
    for i in range(joints.shape[0] if not still else 0):
        above, move = V[int(joints[i, PARENT]) + 1], dq[offset + int(joints[i, VARIABLE])]
        for k in range(6):
            V[i + 1, k] = above[k] + S[i + 1, k] * move
    for i in range(F.shape[0]):
        for k in range(6):
            F[i, k] = 0.0
    for t in range(tasks.shape[0]):
        kind, i = tasks[t, TASK], int(tasks[t, LINK]) + 1
        if room.te[t, BOOST] == 0.0 or kind == CENTRE_OF_MASS or kind == RELATIVE:
            continue
        for a in range(6):
            force = room.tf[t, a]
            for b in range(6 if not still else 0):
                force -= room.tk[t, 6 * a + b] * V[i, b]
            F[i, a] += force
    for v in range(nv):
        right_out[v] = -damping * dq[v]
    for k in range(offset, nv):
        stiff = room.flags[POSTURES] * tree.variables[k - offset, STIFF]
        right_out[k] += stiff * stiff * (tree.variables[k - offset, REST] - room.x[k - offset] - dq[k])
    for i in range(joints.shape[0] - 1, -1, -1):
        own, above, total = F[i + 1], F[int(joints[i, PARENT]) + 1], 0.0
        for k in range(6):
            total += S[i + 1, k] * own[k]
            above[k] += own[k]
        right_out[offset + int(joints[i, VARIABLE])] += total
    for k in range(offset):
        right_out[k] += F[0, k]
    for r in range(int(room.flags[COUPLED])):
        e, row = room.ex[r, 0], room.J[r]
        for v in range(nv if not still else 0):
            e -= row[v] * dq[v]
        for v in range(nv):
            right_out[v] += row[v] * e


@leaf
def solve_with(tree, room, damping, right, dq_out):
    """H^-1 of a right-hand side, with the factors at hand."""
    if tree.head[DEPTH] > 0.0:
        substitute(tree, room, right, dq_out)
    else:
        sweep(tree, room, damping, right, dq_out)


@lean
def solve_free(tree, room, damping):
    """Adds to the displacements held the step of all that is not; writes it to the first row of steps."""
    steps = room.steps
    nv, rows = steps.shape[1], int(room.flags[COUPLED])
    if tree.head[DEPTH] > 0.0:
        factorise(tree, room, damping)
    else:
        eliminate(tree, room, damping)
    solve_with(tree, room, damping, steps[RIGHT], steps[STEP])
    for r in range(rows):
        for v in range(nv):
            steps[SPARE, v] = room.J[r, v] if steps[HELD, v] == 0.0 else 0.0
        solve_with(tree, room, damping, steps[SPARE], room.Y[r])
    if rows > 0:
        add_rows(room, rows)
    for v in range(nv):
        steps[STEP, v] += steps[BOUND, v]


@lean
def add_rows(room, rows):
    """Woodbury: corrects the step for the rows that couple branches."""
    J, Y, step = room.J, room.Y, room.steps[STEP]
    A, z = room.A[:rows, :rows], room.ex[:rows, 1]
    nv = step.shape[0]
    for r in range(rows):
        total = 0.0
        for v in range(nv):
            total -= J[r, v] * step[v]
        z[r] = total
        for c in range(r + 1):
            total = 0.0
            for v in range(nv):
                total += Y[r, v] * J[c, v]
            A[r, c] = total
        A[r, r] += 1.0
    cholesky_solve(A, z)
    for r in range(rows):
        for v in range(nv):
            step[v] += Y[r, v] * z[r]


@lean
def take_step(tree, room, damping):
    """Moves `room.x` by one step; its tasks are stiffened. Returns how far the farthest variable moved."""
    steps = room.steps
    keep_held(tree, room)
    if tree.head[DEPTH] > 0.0:
        assemble(tree, room)
    for attempt in range(PASSES):
        still = bound(tree, room)
        residual(tree, room, damping, steps[BOUND], still, steps[RIGHT])
        solve_free(tree, room, damping)
        changed = False
        if attempt == 0 and any_held(room):
            residual(tree, room, damping, steps[STEP], False, steps[RIGHT])
            changed = release(tree, room)
        changed = hold(tree, room) or changed
        if not changed:
            break
    return move(tree, room)


@leaf
def any_held(room):
    """Whether a variable is held."""
    held = False
    for v in range(room.steps.shape[1]):
        held = held or room.steps[HELD, v] != 0.0
    return held


@lean
def keep_held(tree, room):
    """Frees those that no longer stand on the limit that held them; what has no room is always held."""
    held, x = room.steps[HELD], room.x
    offset = held.shape[0] - tree.variables.shape[0]
    for v in range(offset):
        held[v] = 0.0
    for k in range(tree.variables.shape[0]):
        low, high, v = tree.variables[k, LOW], tree.variables[k, HIGH], offset + k
        if high <= low:
            held[v] = -1.0
        elif (held[v] < 0.0 and x[k] > low + TOUCH) or (held[v] > 0.0 and x[k] < high - TOUCH):
            held[v] = 0.0


@lean
def bound(tree, room):
    """Writes the displacements of held variables; returns whether none moves."""
    steps, still = room.steps, True
    offset = steps.shape[1] - tree.variables.shape[0]
    for v in range(steps.shape[1]):
        steps[BOUND, v] = 0.0
    for k in range(tree.variables.shape[0]):
        side = steps[HELD, offset + k]
        if side != 0.0:
            limit = tree.variables[k, LOW] if side < 0.0 else tree.variables[k, HIGH]
            steps[BOUND, offset + k] = limit - room.x[k]
            still = still and limit == room.x[k]
    return still


@lean
def release(tree, room):
    """Frees held variables whose multiplier points inward; returns whether there are any."""
    steps, changed = room.steps, False
    offset = steps.shape[1] - tree.variables.shape[0]
    for k in range(tree.variables.shape[0]):
        v = offset + k
        if steps[HELD, v] * steps[RIGHT, v] < 0.0 and tree.variables[k, HIGH] > tree.variables[k, LOW]:
            steps[HELD, v] = 0.0
            changed = True
    return changed


@lean
def hold(tree, room):
    """Holds each variable that the step would carry past a limit; returns whether there are any."""
    steps, changed = room.steps, False
    offset = steps.shape[1] - tree.variables.shape[0]
    for k in range(tree.variables.shape[0]):
        v, there = offset + k, room.x[k] + steps[STEP, offset + k]
        if steps[HELD, v] == 0.0 and not tree.variables[k, LOW] <= there <= tree.variables[k, HIGH]:
            steps[HELD, v] = -1.0 if there < tree.variables[k, LOW] else 1.0
            changed = True
    return changed


@lean
def move(tree, room):
    """Applies the step: joints inside their bounds, a free base by p += dp and R <- exp(w) R."""
    step, x = room.steps[STEP], room.x
    n = tree.variables.shape[0]
    offset, farthest = step.shape[0] - n, 0.0
    for v in range(step.shape[0]):
        farthest = max(farthest, abs(step[v]))
    for k in range(n):
        x[k] = clamp(x[k] + step[offset + k], tree.variables[k, LOW], tree.variables[k, HIGH])
    if offset > 0:
        drift(x[n:], step)
    return farthest


@lean
def drift(pose, step):
    """Moves a pose of 12 numbers by a shift and a turn, then makes its rotation one again (Gram-Schmidt)."""
    for k in range(3):
        pose[9 + k] += step[k]
    angle = math.sqrt(step[3] * step[3] + step[4] * step[4] + step[5] * step[5])
    if angle > 0.0:
        R = rotation((step[3] / angle, step[4] / angle, step[5] / angle), angle)
        for j in range(3):
            a, b, c = pose[j], pose[3 + j], pose[6 + j]
            pose[j] = R[0] * a + R[1] * b + R[2] * c
            pose[3 + j] = R[3] * a + R[4] * b + R[5] * c
            pose[6 + j] = R[6] * a + R[7] * b + R[8] * c
    straighten(pose)


@lean
def straighten(pose):
    """One Gram-Schmidt over the rows of a rotation that is nearly one."""
    scale = 1.0 / math.sqrt(pose[0] * pose[0] + pose[1] * pose[1] + pose[2] * pose[2])
    for k in range(3):
        pose[k] *= scale
    along = pose[0] * pose[3] + pose[1] * pose[4] + pose[2] * pose[5]
    for k in range(3):
        pose[3 + k] -= along * pose[k]
    scale = 1.0 / math.sqrt(pose[3] * pose[3] + pose[4] * pose[4] + pose[5] * pose[5])
    for k in range(3):
        pose[3 + k] *= scale
    pose[6] = pose[1] * pose[5] - pose[2] * pose[4]
    pose[7] = pose[2] * pose[3] - pose[0] * pose[5]
    pose[8] = pose[0] * pose[4] - pose[1] * pose[3]
