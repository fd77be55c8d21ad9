"""A servo of several tips: the goals of a stack in, one bounded step of all joints a tick out.

Each tick the kernel for trees moves the goal in joint space, from where it was and no farther than joints can go in a
tick at their greatest speed times `AHEAD`; the drive layer (`core/servo/drive.py`) follows it inside limits, speeds
and accelerations. A free base has no motor: it is where the goals want it.
"""

import math
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np

from forearm.common.checks import as_mapping, as_number, as_real
from forearm.common.types import Floats
from forearm.core.servo import state as places
from forearm.core.servo.joints import drive_to
from forearm.errors import OptionError
from forearm.trees.pack import flat, with_aim
from forearm.trees.parts import answer
from forearm.trees.track import as_trees, boxed

if TYPE_CHECKING:
    from forearm.trees.stack import Stack

AHEAD = 20.0  # ticks at the greatest speed that the goal in joint space may lead
TURNS, SLIDES = 10.0, 5.0  # accelerations where none is given [rad/s^2], [m/s^2]
SMOOTHED = -1.0  # by itself, as much as the goal's roughness asks for


class TreeServo:
    """Follows the goals of a stack with bounded steps; `Stack.servo` makes one. Not to be shared between threads.

    `q = servo({"left_hand": T})` is one tick: targets by the names of goals, those not named stay as they are. No joint
    leaves its limits or exceeds its speed and acceleration.

    Attributes:
        rate: Ticks a second.
        q: (n,) joint values at the end of the last tick.
        base: (4, 4) where a free base is.
        met: Whether the goal in joint space meets all goals.
        limited: The joint whose bounds hold the others back, or an empty string.
    """

    def __init__(self, stack: "Stack", q0: Any, rate: Any, velocity: Any, acceleration: Any, base: Any) -> None:
        from forearm.trees.stack import as_base, as_start  # noqa: PLC0415 (it imports this module)

        self.stack, self.rate, body = stack, as_number(rate, "rate", OptionError), stack.body
        if not 1.0 <= self.rate <= 1e6:
            raise OptionError(f"rate is {self.rate:g}; it takes 1 to 1e6 ticks a second")
        self._speeds = _bounds(velocity, body.velocity, "velocity", body.joint_names)
        usual = np.where([kind == "prismatic" for kind in body.joint_kinds], SLIDES, TURNS)
        self._accelerations = _bounds(acceleration, usual, "acceleration", body.joint_names)
        self.base = as_base(base, body)
        n = body.n
        self._state = np.zeros(places.state_size(n))
        rows = self._state[: places.ROWS * n].reshape(places.ROWS, n)
        numbers = self._state[places.ROWS * n :]
        numbers[places.TICK], numbers[places.SMOOTHING] = 1.0 / self.rate, SMOOTHED
        rows[places.FASTEST], rows[places.HARDEST] = self._speeds, self._accelerations
        self.q = as_start(q0, body)
        self._parts = as_trees(stack, self.q)
        for row in (places.PLACE, places.GOAL, places.BEFORE, places.EARLIER, places.CALM):
            rows[row] = self.q
        self._goal, self._limits = self.q.copy(), np.ascontiguousarray(body.limits)
        self._goal[stack.idle] = stack.idle_q
        self.met, self.limited = False, ""

    def __copy__(self) -> "TreeServo":
        """A copy goes on by itself."""
        return deepcopy(self)

    @property
    def velocity(self) -> Floats:
        """(n,) the speeds of the last tick [rad/s or m/s]."""
        n = len(self.q)
        speeds: Floats = self._state[places.SPEED * n :][:n].copy()
        return speeds

    def __call__(self, goals: Any = None) -> Floats:
        """(n,) the joint values for the end of this tick, on the way to the goals."""
        for name, target in as_mapping(goals, "goals", "goal name to target", OptionError).items():
            self.stack[name] = target
        lead = AHEAD * float(self._speeds.max()) / self.rate
        self.met, where = True, self.base
        for part in self._parts:
            assert part.packed is not None
            for t, name in enumerate(part.names):
                with_aim(part.packed.tasks[t], self.stack[name])
            start = np.concatenate([self._goal[part.variables], flat(self.base)])
            found = answer(part, start, boxed(part.packed, self.q, lead))
            self._goal[part.variables] = found.q
            if found.frame is not None and self.stack.body.base == "free":
                from forearm.trees.stack import frame_of  # noqa: PLC0415 (it imports this module)

                where = frame_of(found.frame)
            self.met = self.met and found.solved
        self.base = where
        q: Floats = np.empty(self.stack.body.n)
        slowest = drive_to(self._state, self._limits, self._goal, q)
        self.limited = self.stack.body.joint_names[slowest] if slowest >= 0 else ""
        self.q = q
        return np.array(q)

    def _repr_html_(self) -> str:
        """Whether its goals are met and where each joint is, as a notebook shows it."""
        from forearm.results.html_trees import tree_servo_html  # noqa: PLC0415 (only a notebook asks)

        return tree_servo_html(self, self._speeds)

    def __repr__(self) -> str:
        """One line: the robot, the rate, whether the goals are met."""
        why = f", held back by {self.limited}" if self.limited else ""
        return (
            f"TreeServo('{self.stack.body.mechanism.name}', {self.rate:g} Hz, {'met' if self.met else 'not met'}{why})"
        )


def _bounds(given: Any, known: Floats, name: str, joints: tuple[str, ...]) -> Floats:
    """(n,) positive, finite bounds: one number, one per joint, or those known."""
    bounds = known if given is None else as_real(given, name, OptionError)
    if bounds.shape not in ((), (1,), known.shape):
        raise OptionError(f"{name} has shape {bounds.shape}; it takes one number, or {known.size}, one per joint")
    values = np.broadcast_to(bounds, known.shape).copy()
    wrong = [joint for joint, value in zip(joints, values, strict=True) if not 0.0 < value < math.inf]
    if wrong:
        raise OptionError(
            f"{name} of {', '.join(wrong[:5])} is unknown or not positive; give {name}=, one number or one per joint"
        )
    return np.asarray(values)
