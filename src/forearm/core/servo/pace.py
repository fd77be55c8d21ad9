"""The pace of the goal: how far it may be ahead of the arm.

A goal that has jumped to a far target draws the arm there straight in joints, and the tip swings: a half turn of the
hand about its own point takes it a third of a metre away and back. So the goal goes twice. First ahead, alone, to see
whether its way leads to the target or to a dead end (`turns_back` and `look_elsewhere` in `goal.py` help it out of
one). Then, if the arm is still far behind, once more from where the arm is and with it: never farther ahead than the
arm can stop in, so the tip goes the goal's way. That is for a target that stands; a goal whose target moves is never
held back.
"""

from forearm.core.arm.compact import Q
from forearm.core.jit import leaf
from forearm.core.servo.drive import GENTLE, JUMP
from forearm.core.servo.state import (
    AGE,
    BEFORE,
    FASTEST,
    FOLLOWED,
    GOAL,
    HARDEST,
    IS_MET,
    PACE,
    PLACE,
    SPARE,
    TICK,
    TO_GO,
    TWIST,
)

# The pace: free; ahead of the arm after a jump; with the arm; on the way to another branch, straight in joints.
FREE, AHEAD, WITH_ARM, ELSEWHERE = 0.0, 1.0, 2.0, 3.0
MORE_TICKS = 2.0  # at the greatest speed, by which the goal may be farther ahead than the arm takes to stop
ARRIVED = 0.1  # share of how far the goal may be ahead, below which the arm has come


@leaf
def most_ahead(rows, k, dt):
    """How far the goal may be ahead of joint k: what it takes to stop gently from its greatest speed."""
    fastest = rows[FASTEST, k]
    return fastest * (fastest / (2.0 * GENTLE * rows[HARDEST, k]) + MORE_TICKS * dt)


@leaf
def share_with_arm(memory, arm, share):
    """The share of the step in the spare row that leaves the goal near enough to the arm, at most `share`."""
    rows, dt = memory.rows, memory.numbers[TICK]
    for k in range(rows.shape[1]):
        step, ahead, most = rows[SPARE, k], arm[k, Q] - rows[PLACE, k], most_ahead(rows, k, dt)
        room = max(0.0, most - ahead if step > 0.0 else most + ahead)
        if share * abs(step) > room:
            share = room / abs(step)
    return share


@leaf
def begins_again(numbers):
    """Whether the goal, which has been at the target, sets out once more from where the arm is."""
    return numbers[PACE] == WITH_ARM and numbers[IS_MET] != 0.0


@leaf
def how_far_ahead(rows, dt):
    """The greatest lead of the goal over the arm, as a share of what is allowed."""
    most = 0.0
    for k in range(rows.shape[1]):
        most = max(most, abs(rows[GOAL, k] - rows[PLACE, k]) / most_ahead(rows, k, dt))
    return most


@leaf
def stands(numbers):
    """Whether the target is the one of the tick before."""
    return numbers[FOLLOWED] != TWIST and numbers[AGE] >= 1.0 and numbers[TO_GO] <= 1.0


@leaf
def has_stood(numbers, time, ticks):
    """Whether the target has been the same for so long [s], and for so many ticks."""
    return stands(numbers) and numbers[AGE] * numbers[TICK] >= time and numbers[AGE] >= ticks


@leaf
def set_pace(memory):
    """Decides how the goal goes on behind a tick."""
    rows, numbers, dt = memory.rows, memory.numbers, memory.numbers[TICK]
    pace, met = numbers[PACE], numbers[IS_MET] != 0.0
    if pace == WITH_ARM:
        if met or not stands(numbers):
            numbers[PACE] = FREE
        return
    for k in range(rows.shape[1]):
        if abs(rows[GOAL, k] - rows[BEFORE, k]) > JUMP * rows[FASTEST, k] * dt:
            pace = AHEAD
    if pace == AHEAD and met:
        pace = WITH_ARM if stands(numbers) and how_far_ahead(rows, dt) > 1.0 else FREE
    elif pace == ELSEWHERE and how_far_ahead(rows, dt) < ARRIVED:
        pace = FREE
    numbers[PACE] = pace
