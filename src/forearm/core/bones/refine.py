"""The refiner: damped Gauss-Newton on the joint values of a bone tree, with its limits as an active set.

Few rows (three or six a tip) meet many variables (three a joint), so each step is solved in the
dual form: (J J^T + lambda I) y = r, dq = J^T y. Variables that would leave their bounds are held at
them and the others are solved again. Steps that do not shrink the error raise lambda (Levenberg and
Marquardt), which is in proportion to the squared error (Chan and Lawrence 1988), so the last steps
are full ones. With tips that disagree it ends at the weighted least squares.

Fails at local minima that limits make; `core/bones/solve.py` starts elsewhere then.
"""

import math

from forearm.core.bones.axes import apply_moves, list_moves
from forearm.core.bones.codes import BONE, GOAL_KIND, POINT, WEIGHT
from forearm.core.bones.pose import place_bones, tip_turn, worst_errors
from forearm.core.bones.room import FEWEST, MOST, OMEGA, OWNER, Pose
from forearm.core.codes import ORIENTATION, POSITION
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import copy, copy_rows
from forearm.core.maths.linear import cholesky_solve
from forearm.core.maths.se3 import cross

# Damping per squared error, and its least value: enough to keep a singular J J^T solvable.
DAMPING = 0.03
LEAST_DAMPING = 1e-14
# Damping grows by this after a failed step and shrinks by its square root after a good one.
WORSE = 6.0
MAX_DAMPING = 1e9
LEAST_FACTOR = 1e-3
# Largest change of a variable in one step [rad].
MAX_STEP = 0.8
# Rounds in which variables are held at their bounds.
ROUNDS = 4
# A try ends when LOOK steps together took off less than this share of the squared error.
LOOK = 8
TOO_LITTLE = 0.05
# A radian of rotation error counts as much as this share of the tree's size.
TURN_WEIGHT = 0.3


@lean
def write_residual(goal, pose, r):
    """Writes the weighted errors of all tips, lengths in units of the tree's size; returns rows and squared norm."""
    wants, size, P = goal.wants, goal.size, pose.P
    row, square = 0, 0.0
    for k in range(wants.shape[0]):
        w, node = math.sqrt(wants[k, WEIGHT]), int(wants[k, BONE]) + 1
        if wants[k, GOAL_KIND] != ORIENTATION:
            for a in range(3):
                r[row] = w * (wants[k, POINT + a] - P[node, a]) / size
                square += r[row] * r[row]
                row += 1
        if wants[k, GOAL_KIND] != POSITION:
            turn = tip_turn(wants, k, pose.R)
            for a in range(3):
                r[row] = w * TURN_WEIGHT * turn[a]
                square += r[row] * r[row]
                row += 1
    return row, square


@lean
def write_jacobian(tree, goal, P, room, count, free_base, J):
    """Writes J (rows, variables) for the first `count` moves of the room; the last three are a free base's own."""
    parent, wants, size, moves, first = tree.parent, goal.wants, goal.size, room.moves, room.first
    row = 0
    for k in range(wants.shape[0]):
        tip, w = int(wants[k, BONE]), math.sqrt(wants[k, WEIGHT])
        has_point, has_turn = wants[k, GOAL_KIND] != ORIENTATION, wants[k, GOAL_KIND] != POSITION
        turn_row = row + 3 if has_point else row
        next_row = turn_row + 3 if has_turn else turn_row
        for a in range(row, next_row):
            for v in range(count):
                J[a, v] = 0.0
        i = tip
        while i >= 0:
            s = parent[i] + 1
            v = int(first[i])
            while v < count and moves[v, OWNER] == i:
                x, y, z = moves[v, OMEGA], moves[v, OMEGA + 1], moves[v, OMEGA + 2]
                if has_point:
                    ax, ay, az = P[tip + 1, 0] - P[s, 0], P[tip + 1, 1] - P[s, 1], P[tip + 1, 2] - P[s, 2]
                    cx, cy, cz = cross(x, y, z, ax, ay, az)
                    J[row, v], J[row + 1, v], J[row + 2, v] = w * cx / size, w * cy / size, w * cz / size
                if has_turn:
                    g = w * TURN_WEIGHT
                    J[turn_row, v], J[turn_row + 1, v], J[turn_row + 2, v] = g * x, g * y, g * z
                v += 1
            i = parent[i]
        if free_base and has_point:
            for a in range(3):
                J[row + a, count - 3 + a] = w
        row = next_row


@lean
def bounded_step(system, rows, count, damping, moves):
    """Writes the step that the active set leaves: dq = J^T y on the free variables, bounds on the held ones."""
    J, A, r, y, step, held = system
    for v in range(count):
        held[v] = 0.0
        step[v] = 0.0
    for _ in range(ROUNDS):
        for a in range(rows):
            y[a] = r[a]
            for v in range(count):
                if held[v] != 0.0:
                    y[a] -= J[a, v] * step[v]
            for b in range(a + 1):
                total = damping if a == b else 0.0
                for v in range(count):
                    total += J[a, v] * J[b, v] * (1.0 - held[v])
                A[a, b] = total
        cholesky_solve(A[:rows, :rows], y[:rows])
        changed = False
        for v in range(count):
            if held[v] == 0.0:
                total = 0.0
                for a in range(rows):
                    total += J[a, v] * y[a]
                step[v] = total
                if total < moves[v, FEWEST] or total > moves[v, MOST]:
                    step[v] = max(moves[v, FEWEST], min(moves[v, MOST], total))
                    held[v] = 1.0
                    changed = True
        if not changed:
            break


@leaf
def shorten(step, turns, variables):
    """Scales a step so that no joint variable changes by more than MAX_STEP."""
    largest = 0.0
    for v in range(turns):
        largest = max(largest, abs(step[v]))
    if largest > MAX_STEP:
        for v in range(variables):
            step[v] *= MAX_STEP / largest


@lean
def refine(tree, goal, free_base, max_steps, pose, room):
    """Moves q (and a free base) until all tips are within tolerance; returns steps and whether they arrived."""
    system, moves = room.system, room.moves
    trial = Pose(room.base, room.q, pose.B, pose.R, pose.P)
    place_bones(tree, pose)
    rows, square = write_residual(goal, pose, system.r)
    factor, before = 1.0, math.inf
    for count in range(max_steps):
        if worst_errors(goal.wants, pose)[2]:
            return count, True
        if count % LOOK == LOOK - 1:
            if square > (1.0 - TOO_LITTLE) * before:
                return count, False
            before = square
        variables = turns = list_moves(tree.joints, goal.roles, pose, moves, room.first)
        if free_base:  # its three shifts are variables too
            variables += 3
            for v in range(turns, variables):
                moves[v, FEWEST], moves[v, MOST], moves[v, OWNER] = -math.inf, math.inf, -1.0
        write_jacobian(tree, goal, pose.P, room, variables, free_base, system.J)
        while True:
            damping = max(factor * DAMPING * square, LEAST_DAMPING)
            bounded_step(system, rows, variables, damping, moves)
            shorten(system.step, turns, variables)
            apply_moves(tree.joints, pose.q, moves, turns, system.step, trial.q)
            for a in range(3):
                trial.base[a] = pose.base[a] + (goal.size * system.step[turns + a] if free_base else 0.0)
            place_bones(tree, trial)
            if write_residual(goal, trial, system.y)[1] < square:
                break
            factor *= WORSE
            if factor > MAX_DAMPING:
                place_bones(tree, pose)
                return count + 1, False
        copy_rows(trial.q, pose.q)
        copy(trial.base, pose.base)
        _, square = write_residual(goal, pose, system.r)
        factor = max(factor / math.sqrt(WORSE), LEAST_FACTOR)
    return max_steps, worst_errors(goal.wants, pose)[2]
