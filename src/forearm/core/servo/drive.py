"""The drive layer: the arm goes after the goal inside its bounds on position, speed and acceleration.

Near the goal a tick ends on it, so what can be followed is followed exactly; far from it the joints go straight to it,
all in the same proportion, and brake in time. A goal that shakes more than the arm can follow is smoothed as
much as its own roughness asks for: a filter that knows the goal's rate, and a drive whose two poles are the
filter's; a smooth goal passes through both unchanged.
"""

import math

from forearm.core.jit import leaf
from forearm.core.maths.limits import clamp
from forearm.core.servo.braking import brake
from forearm.core.servo.state import (
    BEFORE,
    CALM,
    EARLIER,
    FASTEST,
    FLOW,
    GOAL,
    HARDEST,
    PLACE,
    RATE,
    ROUGHNESS,
    SMOOTHING,
    SPARE,
    SPEED,
    TICK,
    WISH,
)

GENTLE = 0.8  # share of the acceleration that braking onto the goal takes
LEAST_ROOM = 0.25  # share of the greatest speed that is left for coming nearer to a goal that is fast itself
JUMP = 1.5  # steps of the goal longer than this share of a tick at the greatest speed are no motion
# Roughness: mean of second differences over the acceleration, of time constant [s]; each at most so far [rad or m per
# root of a second], so that a step is no noise: 0.02 rad at 1 kHz.
MEMORY, SAMPLE_MOST, NOISE = 0.1, 0.63, 2.45
# Below the first, in ticks squared, a goal is smooth: motion inside the bounds has at most 0.41; from the second on it
# is smoothed in full, with poles at sqrt(CALMED / roughness) [rad/s].
SMOOTH, ROUGH, CALMED = 1.2, 3.0, 0.35


@leaf
def take_rate(memory):
    """Follows the rate of the goal, no faster than joints can; a step of the goal is no speed."""
    rows, dt = memory.rows, memory.numbers[TICK]
    jumped = False
    for k in range(rows.shape[1]):
        jumped = jumped or abs(rows[GOAL, k] - rows[BEFORE, k]) > JUMP * rows[FASTEST, k] * dt
    for k in range(rows.shape[1]):
        w = rows[HARDEST, k] * dt
        seen = 0.0 if jumped else (rows[GOAL, k] - rows[BEFORE, k]) / dt
        rate = clamp(seen, rows[RATE, k] - w, rows[RATE, k] + w)
        rows[RATE, k] = clamp(rate, -rows[FASTEST, k], rows[FASTEST, k])


@leaf
def pole_of(memory):
    """The pole of the smoothing for this tick, 0 for none; measures the roughness of the goal."""
    rows, numbers = memory.rows, memory.numbers
    n, dt, smoothing = rows.shape[1], numbers[TICK], numbers[SMOOTHING]
    sample, most = 0.0, SAMPLE_MOST * math.sqrt(dt)
    for k in range(n):
        second = abs(rows[GOAL, k] - 2.0 * rows[BEFORE, k] + rows[EARLIER, k])
        sample += min(second, most) / (NOISE * rows[HARDEST, k] * n)
    numbers[ROUGHNESS] += min(1.0, dt / MEMORY) * (sample - numbers[ROUGHNESS])
    if smoothing >= 0.0:
        return math.exp(-dt / smoothing) if smoothing > 0.0 else 0.0
    ticks = numbers[ROUGHNESS] / (dt * dt)
    if ticks <= SMOOTH:
        return 0.0
    return math.exp(-math.sqrt(CALMED / ticks)) * min(1.0, (ticks - SMOOTH) / (ROUGH - SMOOTH))


@leaf
def is_smoothed(numbers):
    """Whether the arm goes after a smoothed goal in this tick."""
    smoothing, dt = numbers[SMOOTHING], numbers[TICK]
    return smoothing > 0.0 or (smoothing < 0.0 and numbers[ROUGHNESS] > SMOOTH * dt * dt)


@leaf
def calm(memory, pole):
    """Passes the goal through the filter: where it is and how fast, without its noise."""
    rows, dt = memory.rows, memory.numbers[TICK]
    g, h = 1.0 - pole * pole, (1.0 - pole) * (1.0 - pole)
    for k in range(rows.shape[1]):
        ahead = rows[CALM, k] + rows[FLOW, k] * dt
        off = rows[GOAL, k] - ahead
        rows[CALM, k] = ahead + g * off
        rows[FLOW, k] = clamp(rows[FLOW, k] + h * off / dt, -rows[FASTEST, k], rows[FASTEST, k])


@leaf
def wish_speeds(memory, pole):
    """Writes the speed each joint shall have; returns the joint that holds the others back, or -1, and if by speed."""
    rows, dt = memory.rows, memory.numbers[TICK]
    share, slowest, by_speed = 1.0, -1, False
    blend = min(1.0, 2.0 * pole)
    gain = (1.0 - pole) * (1.0 - pole)
    for k in range(rows.shape[1]):
        fastest, w = rows[FASTEST, k], rows[HARDEST, k] * dt
        goal = rows[CALM, k] if pole > 0.0 else rows[GOAL, k]
        rate = (1.0 - blend) * rows[RATE, k] + blend * rows[FLOW, k]
        rel = goal - rows[PLACE, k] - rate * dt
        spare = max(fastest - abs(rate), LEAST_ROOM * fastest)
        braked = brake(abs(rel), GENTLE * w, dt, 2.0 * fastest)
        room, need = min(braked, spare) * dt, gain * abs(rel)
        rows[SPARE, k] = room / dt
        if room < share * need:
            share, slowest, by_speed = room / need, k, spare < braked
    for k in range(rows.shape[1]):
        goal = rows[CALM, k] if pole > 0.0 else rows[GOAL, k]
        rate = (1.0 - blend) * rows[RATE, k] + blend * rows[FLOW, k]
        rel = goal - rows[PLACE, k] - rate * dt
        push, most = share * gain * rel / dt + pole * pole * (rows[SPEED, k] - rate), rows[SPARE, k]
        if pole > 0.0:  # what is left of the speed must not carry it past the goal
            push = min(push, most) if rel > 0.0 else max(push, -most)
        rows[WISH, k] = rate + push
    return slowest, by_speed
