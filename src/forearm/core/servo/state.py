"""What a servo remembers from tick to tick: one flat array, opened once a tick.

Rows of n numbers, one per variable; single numbers; the target as it was given and as it is followed, each a pose and
its terms (`core/codes.py`).
"""

from typing import Any, NamedTuple

from forearm.core.codes import TERMS
from forearm.core.jit import leaf, shared
from forearm.core.shaped import shaped

# rows: where the arm is and how fast; the goal in joints, its rate, and where it was one and two ticks ago; the goal
# smoothed and its rate; the posture at rest; greatest speeds and accelerations
PLACE, SPEED, GOAL, RATE, BEFORE, EARLIER, CALM, FLOW, REST, FASTEST, HARDEST = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
# rows of scratch: speed wished for, its bounds, a motion that the tip does not feel, the best posture found elsewhere
WISH, SLOWEST, QUICKEST, UNFELT, FOUND, SPARE = 11, 12, 13, 14, 15, 16
DRAWN = 17  # how fast the posture at rest draws now
ROWS = 18

# numbers that are set once: length of a tick [s], rotation against position [m/rad], time constant of smoothing [s]
# (0 none, below 0 by itself), whether the arm may change its branch, whether there is a rest posture, whether slow
# targets are interpolated, what obstacles shall keep [m]
TICK, WEIGHT, SMOOTHING, MAY_CHANGE, HAS_REST, INTERPOLATES, CLEARANCE = 0, 1, 2, 3, 4, 5, 6
# numbers that a servo keeps: kind of the target followed; whether the goal meets it, and the squared error left [m^2];
# that error when it last fell by half, and ticks since; tries for another branch, and how near the best is [s]
FOLLOWED, IS_MET, LEFT, MARK, STALLED, TRIES, SOONEST = 7, 8, 9, 10, 11, 12, 13
# mean roughness of the goal [s^2]; ticks without a good target; ticks since the target last changed, between its last
# two changes, and until an interpolated one is reached; whether ticks brake whatever comes
ROUGHNESS, SILENT, AGE, PERIOD, TO_GO, STOPPED = 14, 15, 16, 17, 18, 19
# what is told: status, reason, which joint, how far off the goal is [m] and [rad]; ticks, the joint that a limit holds
# back, changes of branch
STATUS, REASON, WHICH, OFF_POSITION, OFF_ROTATION, TICKS, BLOCKED, CHANGES = 20, 21, 22, 23, 24, 25, 26, 27
# whether targets come slower than ticks; what is kept where not all can be had: 0 neither, 1 position, 2 rotation
# of the tries for another branch, the kind of target they aim at; squared errors of what has priority and of the rest
# [m^2], how much of its step the rest takes, and whether it takes none in the next one
IS_SLOW, PRIORITY, AIMED, FIRST_LEFT, OTHER_LEFT, SHARE, IS_ALONE = 28, 29, 30, 31, 32, 33, 34
# how the goal goes (`core/servo/pace.py`); the side of a half turn: its rotation error now and when it was chosen,
# whether one is chosen, and how many have been for this target (`core/servo/side.py`)
PACE, SIDE, FIRST_SIDE, IS_SIDED, SIDES = 35, 36, 39, 42, 43
NUMBERS = 44

# what begins anew with an arm that is put somewhere: rows that are its joint values, numbers that are 0, endless ones
BEGUN_ROWS = (PLACE, GOAL, BEFORE, EARLIER, CALM)
_STREAM = (ROUGHNESS, SILENT, STOPPED, IS_SLOW, AGE, PERIOD, TO_GO)
BEGUN_AT_NOUGHT = (IS_ALONE, IS_MET, IS_SIDED, SIDES, PACE, STALLED, TRIES, *_STREAM)
BEGUN_ENDLESS = (MARK, LEFT, FIRST_LEFT)

# kinds of what a tick is given, behind the kinds of targets
TWIST, NO_TARGET = 4, -1
ASKED = 1 + TERMS  # a kind and its terms; of a twist six numbers and whether it is seen from the tip
FROM_TIP = 6

# status
FOLLOWING, LIMITED, HELD, LOST = 0, 1, 2, 3
# reasons
NOTHING, OF_SPEED, OF_ACCELERATION, OF_POSITION, OF_REACH, OF_OBSTACLE, OF_SILENCE, OF_STOP, OF_SHAPE = range(9)
OF_SMOOTHING = 9


class Memory(NamedTuple):
    """The state of a servo, opened."""

    rows: Any  # (ROWS, n)
    numbers: Any  # (NUMBERS,)
    given: Any  # (4, 4) the last target
    given_terms: Any  # (15,)
    pose: Any  # (4, 4) what is followed: the same, or on the way to it
    terms: Any  # (15,)


@shared
def state_size(n):
    """How many numbers the state of n variables has."""
    return ROWS * n + NUMBERS + 2 * (16 + TERMS)


@leaf
def open_state(state, n):
    """The parts of a state; only for lean kernels."""
    rows, rest = shaped(state[: ROWS * n], (ROWS, n)), state[ROWS * n :]
    numbers, rest = rest[:NUMBERS], rest[NUMBERS:]
    given, given_terms, rest = shaped(rest[:16], (4, 4)), rest[16 : 16 + TERMS], rest[16 + TERMS :]
    return Memory(rows, numbers, given, given_terms, shaped(rest[:16], (4, 4)), rest[16 : 16 + TERMS])
