"""What stands behind a step among obstacles: an arm that brakes comes to rest where its certified way ends."""

import numpy as np
import pytest

from forearm.core.servo import keep_off
from forearm.core.servo.state import HARDEST, NUMBERS, PLACE, ROWS, SPEED, TICK, WISH, Memory

slow_down = getattr(keep_off.slow_down, "py_func", keep_off.slow_down)
ticks_to_rest = getattr(keep_off.ticks_to_rest, "py_func", keep_off.ticks_to_rest)


@pytest.mark.parametrize("rate", [60.0, 250.0, 1000.0])
def test_an_arm_that_brakes_comes_to_rest_where_its_way_was_certified_to(rate):
    """Also from speeds that whole ticks of braking bring to rest, where rounding may ask for one tick more."""
    rng, dt = np.random.default_rng(3), 1.0 / rate
    for _ in range(300):
        memory = Memory(np.zeros((ROWS, 6)), np.zeros(NUMBERS), *4 * (np.zeros(0),))
        memory.numbers[TICK], memory.rows[HARDEST] = dt, rng.uniform(0.5, 20.0, 6)
        ticks = int(rng.integers(2, 30))
        speeds = rng.uniform(-1.0, 1.0, 6) * memory.rows[HARDEST] * dt * ticks
        speeds[0] = memory.rows[HARDEST, 0] * dt * ticks
        memory.rows[SPEED] = memory.rows[WISH] = speeds
        told = ticks_to_rest(memory, WISH)
        rest = 0.5 * dt * speeds * (told - 1.0)  # behind the tick at these speeds
        for _ in range(2 * ticks):
            slow_down(memory)
            memory.rows[SPEED] = memory.rows[WISH]
            memory.rows[PLACE] += dt * memory.rows[SPEED]
        np.testing.assert_allclose(memory.rows[PLACE], rest, rtol=0.0, atol=1e-8)
        assert told == ticks
