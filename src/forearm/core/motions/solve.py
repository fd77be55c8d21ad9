"""The solve of a bone tree with limits whose bones look, keep off obstacles, and whose elbows have poles.

Each try begins as in `core/bones/solve.py`, with FABRIK and the refiner for the tips alone; then all rows
(`rows.py`) are met together by damped Gauss-Newton inside the limits. An answer is turned toward its poles with rows
that give way, and what that broke is mended without them; where it cannot be mended, the poles are left. Limits and
obstacles make local minima: a tree that is stuck starts again from seeded random joint values. With a pose to go on
from, only an answer that arrives may replace the one found from there, so a miss does not jump.

Fails where no start falls into the right valley; a miss proves nothing.
"""

import math

import numpy as np

from forearm.core.bones.axes import apply_moves, list_moves
from forearm.core.bones.codes import (
    BASE_IS_FREE,
    BONE,
    FARTHEST,
    HAS_START,
    MAX_STEPS,
    MAX_SWIVEL,
    MAX_TRIES,
    POINT,
    POLE_ANGLE,
    REFINE,
    RNG_SEED,
    SWEEPS,
    WANTS,
    WEIGHT,
)
from forearm.core.bones.fabrik import assign_roles
from forearm.core.bones.pose import place_bones, worst_errors, worst_excess
from forearm.core.bones.refine import (
    DAMPING,
    LEAST_DAMPING,
    LEAST_FACTOR,
    LOOK,
    MAX_DAMPING,
    TOO_LITTLE,
    WORSE,
    bounded_step,
    shorten,
)
from forearm.core.bones.room import FEWEST, MOST, OWNER, PULL, ROLES, Goal, Pose, Tree, open_system, system_size
from forearm.core.bones.solve import RESTART_SWEEPS, attempt, bones_size, first_guess, keep_pose, open_work
from forearm.core.bones.start import draw_values
from forearm.core.codes import (
    BAD_TARGET,
    COLLISION,
    ITERATIONS,
    LIMIT_EXCESS,
    NOT_CONVERGED,
    POSITION_ERROR,
    ROTATION_ERROR,
    SOLVED,
    TRIES,
    WRONG_ORIENTATION,
)
from forearm.core.collision.obstacle_rows import CLEARANCE, LINK, OBSTACLE
from forearm.core.jit import leaf, lean, shared
from forearm.core.maths.limits import clamp, copy, copy_rows
from forearm.core.motions.rows import (
    MOST_TOUCHES,
    TOUCHES,
    Around,
    is_met,
    limb_side,
    nearest_touch,
    worst_look,
    write_errors,
    write_gradients,
)
from forearm.core.shaped import shaped

# Bones are pushed a little farther than asked, as a share of the tree's size.
BUFFER = 2e-3
# What a radian between elbow and pole counts, the tree's size being 1; and the steps toward poles at most.
POLE_PULL, POLE_STEPS = 0.1, 25
# Poles within this count as met [rad].
POLE_MET = 1e-6


@lean
def settle(tree, goal, around, free_base, pull, max_steps, pose, room, wide):
    """Moves q (and a free base) until all is met, or with a pull until poles are; returns steps and whether all is."""
    moves = room.moves
    trial = Pose(room.base, room.q, pose.B, pose.R, pose.P)
    place_bones(tree, pose)
    rows, touching, square = write_errors(tree, goal, around, pull, pose, wide.r)
    factor, before = 1.0, math.inf
    for count in range(max_steps):
        if is_met(tree, goal, around, pose) and (pull == 0.0 or worst_pole(tree, goal, around, pose) < POLE_MET):
            return count, True
        if count % LOOK == LOOK - 1 and square > (1.0 - TOO_LITTLE) * before:
            return count, False
        before = square if count % LOOK == LOOK - 1 else before
        variables = turns = list_moves(tree.joints, goal.roles, pose, moves, room.first)
        if free_base:
            variables += 3
            for v in range(turns, variables):
                moves[v, FEWEST], moves[v, MOST], moves[v, OWNER] = -math.inf, math.inf, -1.0
        write_gradients(tree, goal, around, pull, touching, free_base, pose, room, variables, wide.J)
        while True:
            bounded_step(wide, rows, variables, max(factor * DAMPING * square, LEAST_DAMPING), moves)
            shorten(wide.step, turns, variables)
            apply_moves(tree.joints, pose.q, moves, turns, wide.step, trial.q)
            for a in range(3):
                trial.base[a] = pose.base[a] + (goal.size * wide.step[turns + a] if free_base else 0.0)
            place_bones(tree, trial)
            if write_errors(tree, goal, around, pull, trial, wide.y)[2] < square:
                break
            factor *= WORSE
            if factor > MAX_DAMPING:
                place_bones(tree, pose)
                return count + 1, is_met(tree, goal, around, pose)
        copy_rows(trial.q, pose.q)
        copy(trial.base, pose.base)
        rows, touching, square = write_errors(tree, goal, around, pull, pose, wide.r)
        factor = max(factor / math.sqrt(WORSE), LEAST_FACTOR)
    return max_steps, is_met(tree, goal, around, pose)


@lean
def worst_pole(tree, goal, around, pose):
    """The largest angle from an elbow to where it shall be [rad]."""
    worst = 0.0
    for k in range(around.poles.shape[0]):
        angle = limb_side(tree.parent, around.poles, k, pose.P, goal.size)[2]
        worst = max(worst, abs(angle - around.left[k]))
    return worst


@lean
def aim_poles(tree, goal, around, settings, pose):
    """Writes what shall be left of each pole's angle: nothing, or with a pose to go on from what is beyond a swivel."""
    for k in range(around.poles.shape[0]):
        _, _, angle, flat = limb_side(tree.parent, around.poles, k, pose.P, goal.size)
        most = settings[MAX_SWIVEL] * flat if settings[HAS_START] != 0.0 else math.inf
        around.left[k] = angle - clamp(angle, -most, most)


@lean
def turn_to_poles(tree, goal, around, settings, pose, room, wide):
    """Turns the elbows of an answer toward their poles; it stays an answer; returns steps."""
    free_base, most = settings[BASE_IS_FREE] != 0.0, int(settings[MAX_STEPS])
    keep_pose(pose, room)
    aim_poles(tree, goal, around, settings, pose)
    before = worst_pole(tree, goal, around, pose)
    steps, _ = settle(tree, goal, around, free_base, POLE_PULL, POLE_STEPS, pose, room, wide)
    more, met = settle(tree, goal, around, free_base, 0.0, most, pose, room, wide)
    if not met or worst_pole(tree, goal, around, pose) > before:
        put_back(tree, pose, room)
    return steps + more


@lean
def put_back(tree, pose, room):
    """Goes back to the pose that was kept."""
    copy_rows(room.best_q, pose.q)
    copy(room.best_base, pose.base)
    place_bones(tree, pose)


@lean
def one_try(tree, goal, loose, around, settings, sweeps, pose, room, wide):
    """The tips alone, then everything; returns sweeps, steps and whether all is met."""
    swept, steps, _ = attempt(tree, goal, settings, sweeps, pose, room)
    free_base = settings[BASE_IS_FREE] != 0.0
    more, met = settle(tree, loose, around, free_base, 0.0, int(settings[MAX_STEPS]), pose, room, wide)
    return swept, steps + more, met


@lean
def try_again(tree, goal, loose, drawn, around, settings, base, pose, room, wide):
    """Tries starts drawn at the bones of `drawn`; leaves the answer, else the best; returns steps, tries, if met."""
    least = write_errors(tree, goal, around, 0.0, pose, wide.y)[2]
    keep_pose(pose, room)
    state, steps = np.uint64(int(settings[RNG_SEED])), 0
    for k in range(1, int(settings[MAX_TRIES])):
        state = draw_values(tree.joints, drawn, state, pose.q)
        copy(base, pose.base)
        sweeps = RESTART_SWEEPS if k % 2 == 1 else 0
        _, more, met = one_try(tree, goal, loose, around, settings, sweeps, pose, room, wide)
        steps += more
        if met:
            return steps, k + 1, True
        square = write_errors(tree, goal, around, 0.0, pose, wide.y)[2]
        if square < least and settings[HAS_START] == 0.0:
            least = square
            keep_pose(pose, room)
    put_back(tree, pose, room)
    return steps, max(1, int(settings[MAX_TRIES])), False


@shared
def rows_of(tips, looks, poles):
    """How many rows there are at most."""
    return 6 * tips + 3 * looks + MOST_TOUCHES + poles


@shared
def posing_size(n, tips, looks, poles):
    """How many numbers of scratch a solve takes."""
    wide = system_size(rows_of(tips, looks, poles), 3 * n + 3)
    return bones_size(n, max(tips, 1)) + wide + TOUCHES * MOST_TOUCHES + poles + 2 * ROLES * n


@leaf
def is_bad(rows):
    """Whether a row holds what is no number, or is beyond all measure from its point on."""
    for k in range(rows.shape[0]):
        for a in range(WANTS):
            if math.isnan(rows[k, a]) or (a >= POINT and not abs(rows[k, a]) < FARTHEST):
                return True
    return False


@lean
def lead_to_looks(parent, looks, obstacles, roles, drawn, loose):
    """Writes which bones may turn beside those that lead to tips: to looks, and of `loose` all that keep off something.

    FABRIK knows neither, so it keeps the roles that it has.
    """
    copy_rows(roles, drawn)
    for k in range(looks.shape[0]):
        i = int(looks[k, BONE])
        while i >= 0:
            drawn[i, PULL] += looks[k, WEIGHT]
            i = parent[i]
    copy_rows(drawn, loose)
    for i in range(parent.shape[0] if obstacles.shape[0] > 0 else 0):
        loose[i, PULL] = max(loose[i, PULL], 1.0)


@lean
def solve_posed(
    parent, length, joints, base, q_start, wants, looks, poles, radii, obstacles, clearance, settings, work, q_out,
    P_out, report_out,
):  # fmt: skip
    """Solves tips, looks, obstacles and poles of a tree from joint values q_start (n, 3); returns a code.

    Tree, `wants` and `settings` are those of `core/bones/codes.py`, the rest is as `rows.py` has it.
    """
    if is_bad(wants) or is_bad(looks):
        return BAD_TARGET
    n, tips = parent.shape[0], max(wants.shape[0], 1)
    tree, rows = Tree(parent, length, joints), rows_of(wants.shape[0], looks.shape[0], poles.shape[0])
    _, own_base, roles, (B, R, _), room = open_work(work, n, tips)
    rest = work[bones_size(n, tips) :]
    wide, rest = open_system(rest, rows, 3 * n + 3), rest[system_size(rows, 3 * n + 3) :]
    touches, rest = shaped(rest[: TOUCHES * MOST_TOUCHES], (MOST_TOUCHES, TOUCHES)), rest[TOUCHES * MOST_TOUCHES :]
    left, rest = rest[: poles.shape[0]], rest[poles.shape[0] :]
    drawn, also = shaped(rest[: ROLES * n], (n, ROLES)), shaped(rest[ROLES * n : 2 * ROLES * n], (n, ROLES))
    pose, size = Pose(own_base, q_out, B, R, P_out), 0.0
    copy(base, own_base)
    copy_rows(q_start, q_out)
    ways = wide.step  # from the base to each bone's end [m]
    for i in range(n):
        ways[i] = length[i] + (ways[parent[i]] if parent[i] >= 0 else 0.0)
        size = max(size, ways[i])
    goal, loose = Goal(wants, roles, size), Goal(wants, also, size)
    around = Around(looks, poles, radii, obstacles, clearance, clearance + BUFFER * size, left, touches)
    assign_roles(parent, wants, roles)
    lead_to_looks(parent, looks, obstacles, roles, drawn, also)
    sweeps = 0
    if wants.shape[0] > 0:
        sweeps = first_guess(tree, goal, ways[int(wants[0, BONE])], settings, pose, room)
    swept, steps, met = one_try(tree, goal, loose, around, settings, sweeps, pose, room, wide)
    tries = 1
    if not met and settings[REFINE] != 0.0 and settings[MAX_TRIES] > 1.0:
        more, tries, met = try_again(tree, goal, loose, drawn, around, settings, base, pose, room, wide)
        steps += more
    if met and poles.shape[0] > 0:
        steps += turn_to_poles(tree, loose, around, settings, pose, room, wide)
    report_out[ITERATIONS], report_out[TRIES], report_out[SWEEPS] = steps, tries, swept
    return judge(tree, goal, around, pose, report_out)


@lean
def judge(tree, goal, around, pose, report_out):
    """Measures the pose anew from its joint values and writes what it is worth; returns a code."""
    place_bones(tree, pose)
    position, rotation, arrived = worst_errors(goal.wants, pose)
    turn, seen = worst_look(around.looks, pose)
    gap, bone, other = nearest_touch(tree, around, pose.P)
    for k in range(around.poles.shape[0]):
        around.left[k] = 0.0
    report_out[POSITION_ERROR], report_out[ROTATION_ERROR] = position, max(rotation, turn)
    report_out[LIMIT_EXCESS] = worst_excess(tree.joints, pose.q)
    report_out[POLE_ANGLE] = worst_pole(tree, goal, around, pose)
    report_out[CLEARANCE], report_out[LINK], report_out[OBSTACLE] = gap, bone, other
    if not arrived:
        return NOT_CONVERGED
    if not seen:
        return WRONG_ORIENTATION
    return SOLVED if gap >= around.clearance else COLLISION
