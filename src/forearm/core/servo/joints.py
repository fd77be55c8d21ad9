"""The drive layer alone: joints go after goals in joint space, which somebody else found, inside all bounds."""

from forearm.core.jit import lean
from forearm.core.maths.limits import copy
from forearm.core.servo.braking import set_box
from forearm.core.servo.drive import calm, pole_of, take_rate, wish_speeds
from forearm.core.servo.state import BEFORE, EARLIER, GOAL, PLACE, open_state
from forearm.core.servo.tick import move


@lean
def drive_to(state, limits, goal, q_out):
    """Moves every joint by one tick toward a goal and writes its values; returns the joint that held it back, or -1."""
    memory = open_state(state, q_out.shape[0])
    rows = memory.rows
    copy(rows[BEFORE], rows[EARLIER])
    copy(rows[GOAL], rows[BEFORE])
    copy(goal, rows[GOAL])
    take_rate(memory)
    pole = pole_of(memory)
    calm(memory, pole)
    set_box(memory, limits)
    slowest, _ = wish_speeds(memory, pole)
    held = move(memory, limits)
    copy(rows[PLACE], q_out)
    return slowest if slowest >= 0 else held
