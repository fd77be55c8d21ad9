"""A servo: a stream of targets in, one bounded step of the joints a tick out.

All that a tick needs is made when the servo is; a tick hands arrays to one kernel (`core/servo/tick.py`) and reads
nothing back but joint values. Status and reason are numbers until somebody asks for them.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from forearm.arm.configurations import FLOAT64, as_configuration, as_posture, inside_by_a_hair, refuse_start
from forearm.arm.driving import driving
from forearm.arm.motion import tip_pose
from forearm.common.checks import as_number, as_real, as_switch, brief
from forearm.common.types import Floats
from forearm.core import codes
from forearm.core.arm.goal import FINISH_SCRATCH, finish
from forearm.core.arm.problem import ASKED as ASKED_PLACE
from forearm.core.arm.problem import FACTS, LIMITS_PLACE, TERMS_PLACE
from forearm.core.general.fold import measure_chain
from forearm.core.servo import state as places
from forearm.core.servo.keep_off import servo_among_size
from forearm.core.servo.tick import servo_size, tick, tick_among
from forearm.errors import OptionError, TargetError
from forearm.models.model import Model
from forearm.solve.arguments import Arguments
from forearm.solve.collision import Guard
from forearm.solve.methods.layout import NO_SETTINGS, changed, pack_problem
from forearm.targets.target import Target, as_target, default_terms
from forearm.targets.twist import Twist

STATUSES = ("following", "limited", "held", "lost")
# What may have priority where not all can be had, as the kernel numbers it.
PRIORITIES = ("both", "position", "rotation")
SLOWEST_RATE, FASTEST_RATE = 1.0, 1e6  # ticks a second
LEAST_BOUND = 1e-9  # of speeds and accelerations: smaller ones are lost in the digits of joint values
ACCELERATION, SLIDE_ACCELERATION = 10.0, 5.0  # of joints that turn and slide, where none is given [rad/s^2], [m/s^2]


class Off(NamedTuple):
    """How far the tip is off its target."""

    position: float  # [m]
    rotation: float  # [rad]


CLOSE = 0.01  # what an arm comes to rest at is nearer than this, beyond the clearance [m]
ABOUT = (0.003, 0.01, 0.03, 0.1)  # how far about an arm at rest a chart is asked what held it [rad or m]


class Servo:
    """Follows a stream of targets with bounded steps; `Robot.servo` makes one. Not to be shared between threads.

    `servo(target)` is one tick: it takes a (4, 4) pose, a `Pose`, `Position`, `PointAxis`, `Orientation`, a `Twist`
    or (6,) numbers of one in the base frame, or None for nothing new, and gives (n,) joint values for the end of the
    tick. No joint ever leaves its limits or exceeds its speed and acceleration.

    Attributes:
        rate: Ticks a second.
        velocity_limits: (n,) greatest speeds [rad/s or m/s].
        acceleration_limits: (n,) greatest accelerations [rad/s^2 or m/s^2].
    """

    def __init__(self, call: Arguments, rate: Any, velocity: Any, acceleration: Any, how: dict[str, Any]) -> None:
        call.refuse_unknown(())
        arm, model = call.arm, call.arm.model
        self.rate = _as_rate(rate)
        self.velocity_limits = _speeds(velocity, model)
        self.acceleration_limits = _accelerations(acceleration, model)
        self._model, self._limits = model, call.bounds()
        self._dt = 1.0 / self.rate
        facts = np.zeros(FACTS)
        measure_chain(model.links, model.joints, driving(model).still, codes.POSE, facts)
        plain = pack_problem(model, codes.POSE, NO_SETTINGS, facts)
        self._problem = changed(plain, NO_SETTINGS, default_terms(), self._limits)
        self._state = np.zeros(places.state_size(model.n))
        self._look_in()
        self._guard = call.guard()
        self._tick, size = tick, servo_size(model.m, model.n)
        self._world: tuple[Any, ...] = ()
        if self._guard is not None:
            bodies, pairs = self._guard.covered.bodies, self._guard.pairs
            self._tick = tick_among
            self._world = bodies, pairs, self._guard.charts.rows, self._guard.scene.laid.rows
            size = servo_among_size(model.m, model.n, len(bodies), len(pairs))
            self._numbers[places.CLEARANCE] = self._guard.clearance
        self._work: Floats = np.zeros(size)
        self._q: Floats = np.empty(model.n)
        self._nothing, self._pose = _asked(places.NO_TARGET), _asked(codes.POSE)
        self._pose[1:] = default_terms()
        self._other, self._frame = _asked(places.NO_TARGET), np.eye(4)
        self._rows[places.FASTEST], self._rows[places.HARDEST] = self.velocity_limits, self.acceleration_limits
        self._set(model, how, arm.rotation_weight)
        self._stand(call.q0 if call.locked is None else call.start(), None, "q0")
        self._forget()

    def _look_in(self) -> None:
        """Makes the views of the state: a row per kind of joint values, and the numbers behind them."""
        n = self._model.n
        self._rows = self._state[: places.ROWS * n].reshape(places.ROWS, n)
        self._numbers = self._state[places.ROWS * n :][: places.NUMBERS]

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """A copy, pickled or not, has arrays of its own, and views of those."""
        own = ("_state", "_work", "_q", "_nothing", "_pose", "_other")
        self.__dict__.update(kept | {name: kept[name].copy() for name in own})
        self._look_in()

    def _set(self, model: Model, how: dict[str, Any], weight: float) -> None:
        """Writes the settings that hold for all ticks."""
        numbers, rest, priority = self._numbers, how["rest"], how["priority"]
        numbers[places.TICK], numbers[places.SMOOTHING] = self._dt, _as_smoothing(how["smoothing"])
        if priority not in PRIORITIES:
            words = f"{{argument}} is {brief(priority)}; it takes: {', '.join(map(repr, PRIORITIES))}"
            raise OptionError(words, argument="priority")
        numbers[places.WEIGHT], numbers[places.PRIORITY] = weight, PRIORITIES.index(priority)
        numbers[places.MAY_CHANGE] = as_switch(how["reconfigure"], "reconfigure")
        numbers[places.INTERPOLATES] = as_switch(how["interpolate"], "interpolate")
        numbers[places.HAS_REST] = rest is not None
        if rest is not None:
            self._rows[places.REST] = np.clip(as_posture(rest, model), *self._limits)

    def __call__(self, target: Any = None) -> Floats:
        """(n,) the joint values for the end of this tick, on the way to a target; None goes on to the last one."""
        if type(target) is np.ndarray and target.shape == (4, 4) and target.dtype is FLOAT64 and target.flags.carray:
            self._tick(self._problem, self._state, self._pose, target, *self._world, self._work, self._q)
        elif target is None:
            self._tick(self._problem, self._state, self._nothing, self._frame, *self._world, self._work, self._q)
        else:
            self._tick(self._problem, self._state, *self._read(target), *self._world, self._work, self._q)
        q: Floats = self._q.copy()
        return q

    def _read(self, target: Any) -> tuple[Floats, Floats]:
        """What a tick takes for a target that is no plain pose."""
        asked = self._other
        if isinstance(target, Target):
            asked[0], asked[1:] = target.kind, target.terms
            return asked, target.goal
        is_twist = isinstance(target, Twist)
        if is_twist or _shape(target) == (6,):
            asked[0], asked[1:] = places.TWIST, 0.0
            asked[1:7] = target.numbers if is_twist else as_real(target, "twist", TargetError)
            asked[1 + places.FROM_TIP] = is_twist and target.frame == "tip"
            return asked, self._frame
        try:
            pose = as_target(target)
        except TargetError:
            matrix = getattr(target, "A", target)
            if _shape(matrix) != (4, 4):
                raise
            numbers = as_real(matrix, "pose", TargetError)
            return self._pose, np.ascontiguousarray(numbers)  # a pose that is none: the tick says so
        asked[0], asked[1:] = pose.kind, pose.terms
        return asked, pose.goal

    # -- what it says ----------------------------------------------------------------------------

    @property
    def q(self) -> Floats:
        """(n,) the joint values of the last tick."""
        return np.array(self._rows[places.PLACE])

    @property
    def velocity(self) -> Floats:
        """(n,) the speed of each joint during the last tick [rad/s or m/s]."""
        return np.array(self._rows[places.SPEED])

    @property
    def status(self) -> str:
        """How the last tick went.

        "following": the arm is on its target, or no farther off than a noisy target shakes;
        "limited": a bound holds it back; "held": no target, a bad one, or stopped; "lost": none for more than 0.2 s.
        """
        return STATUSES[int(self._numbers[places.STATUS])]

    @property
    def reason(self) -> str:
        """Why the arm is not on its target: which bound of which joint, reach, an obstacle; "" while it follows."""
        numbers, reason = self._numbers, int(self._numbers[places.REASON])
        which = int(numbers[places.WHICH])
        if reason == places.OF_OBSTACLE and self._guard is not None:
            return self._in_the_way(self._guard)
        name = self._model.joint_names[which] if 0 <= which < self._model.n else ""
        if reason == places.OF_REACH:
            away, turn = numbers[places.OFF_POSITION], numbers[places.OFF_ROTATION]
            return f"out of reach by {away:.3g} m and {turn:.3g} rad"
        if reason == places.OF_SILENCE:
            return f"no target for {numbers[places.SILENT] * self._dt:.3g} s"
        return {
            places.OF_SPEED: f"velocity of joint {name}",
            places.OF_ACCELERATION: f"acceleration of joint {name}",
            places.OF_POSITION: f"limit of joint {name}",
            places.OF_SMOOTHING: "smoothing",
            places.OF_STOP: "stopped",
            places.OF_SHAPE: "the target is not finite, or not a rigid transform",
        }.get(reason, "")

    def _in_the_way(self, guard: Guard) -> str:
        """What is nearest; where nothing is near, links held apart by a chart that would touch a little farther on."""
        closest, n = guard.in_the_way(self.q, np.inf), self._model.n
        if closest.distance > guard.clearance + CLOSE and guard.charts.surfaces:
            about = np.concatenate([by * np.concatenate([np.eye(n), -np.eye(n)]) for by in ABOUT])
            gaps, nearest = guard.measure(self.q + about, guard.clearance)
            for gap, pair, q in zip(gaps.tolist(), nearest, self.q + about, strict=True):
                if guard.naming.name(gap, *pair.tolist()).charted:
                    return f"{guard.tell(gap, pair, q)} a little farther on"
        return str(closest)

    @property
    def error(self) -> Off:
        """How far the tip is off the target that was given last: position [m], rotation [rad]; 0 where it asks none."""
        numbers, n = self._numbers, self._model.n
        kind = int(numbers[places.FOLLOWED])
        if kind == places.NO_TARGET:
            return Off(0.0, 0.0)
        poses = self._state[places.ROWS * n + places.NUMBERS :]
        half = 16 + codes.TERMS
        followed = poses[half:] if kind == places.TWIST else poses[:half]
        problem, report = self._problem.copy(), np.empty(codes.REPORT)
        problem[ASKED_PLACE] = codes.POSE if kind == places.TWIST else kind
        problem[TERMS_PLACE:LIMITS_PLACE] = followed[16:half]
        finish(problem, followed[:16].reshape(4, 4), self.q, np.empty(FINISH_SCRATCH), report)
        return Off(float(report[codes.POSITION_ERROR]), float(report[codes.ROTATION_ERROR]))

    @property
    def target(self) -> Floats:
        """(4, 4) the pose that the last tick went after: the last target, or one on the way to it."""
        if self._numbers[places.FOLLOWED] == places.NO_TARGET:
            return tip_pose(self._model, self.q)
        return np.array(self._state[-16 - codes.TERMS : -codes.TERMS].reshape(4, 4))

    # -- what it is told -------------------------------------------------------------------------

    def reset(self, q: ArrayLike | None = None) -> None:
        """Stands still at q, or where it is, with no target; ticks go on from there."""
        self.sync(self.q if q is None else q)
        self._forget()

    def _forget(self) -> None:
        """Has no target."""
        self._numbers[places.FOLLOWED] = places.NO_TARGET
        self._numbers[places.STATUS], self._numbers[places.REASON] = places.HELD, places.OF_SILENCE

    def sync(self, q: ArrayLike, velocity: ArrayLike | None = None) -> None:
        """Goes on from measured joint values and speeds (0 by default), and keeps its target."""
        self._stand(q, velocity, "q")

    def _stand(self, q: Any, velocity: ArrayLike | None, name: str) -> None:
        """Goes on from joint values, which messages call by a name, and speeds."""
        start = inside_by_a_hair(as_configuration(q, self._model, name), self._limits)
        speed = np.zeros_like(start) if velocity is None else as_configuration(velocity, self._model, "velocity")
        slack = codes.START_SLACK
        if not ((self._limits[0] - slack <= start) & (start <= self._limits[1] + slack)).all():
            refuse_start(start, self._limits, self._model, name)
        rows, numbers = self._rows, self._numbers
        start = np.clip(start, *self._limits)
        for row in places.BEGUN_ROWS:
            rows[row] = start
        rows[places.SPEED] = np.clip(speed, -self.velocity_limits, self.velocity_limits)
        rows[places.RATE] = rows[places.FLOW] = rows[places.DRAWN] = 0.0
        numbers[list(places.BEGUN_AT_NOUGHT)] = 0.0
        numbers[list(places.BEGUN_ENDLESS)] = math.inf
        numbers[places.SHARE] = 1.0

    def stop(self) -> None:
        """Brakes as hard as the bounds allow from the next tick on, whatever targets come, until `reset` or `sync`."""
        self._numbers[places.STOPPED] = 1.0

    def _repr_html_(self) -> str:
        """How the last tick went and where each joint is, as a notebook shows it."""
        from forearm.results.html import servo_html  # noqa: PLC0415 (only a notebook asks)

        return servo_html(self, self._model, self._limits)

    def __repr__(self) -> str:
        """One line: the robot, the rate, the status."""
        why = f": {self.reason}" if self.reason else ""
        return f"Servo('{self._model.name}', {self.rate:g} Hz, {self.status}{why})"


def _asked(kind: int) -> Floats:
    """What a tick takes of a target beside its pose, empty but for the kind."""
    asked = np.zeros(places.ASKED)
    asked[0] = kind
    return asked


def _as_rate(rate: Any) -> float:
    """Ticks a second."""
    value = as_number(rate, "rate", OptionError)
    if not SLOWEST_RATE <= value <= FASTEST_RATE:
        words = f"{{argument}} is {value:g}; it takes {SLOWEST_RATE:g} to {FASTEST_RATE:g} ticks a second"
        raise OptionError(words, argument="rate")
    return value


def _as_smoothing(smoothing: Any) -> float:
    """The time constant of the smoothing [s]: 0 for none, -1 for by itself."""
    if smoothing is None:
        return 0.0
    if isinstance(smoothing, str) and smoothing == "auto":
        return -1.0
    takes = "it takes a time constant in seconds from 0, {off}, or 'auto'"
    if isinstance(smoothing, str):
        raise OptionError(f"{{argument}} is {brief(smoothing)}; {takes}", argument="smoothing", off="None")
    value = as_number(smoothing, "smoothing", OptionError)
    if value < 0.0:
        raise OptionError(f"{{argument}} is {value:g}; {takes}", argument="smoothing", off="None")
    return value


def _bounds(given: Any, name: str, model: Model) -> Floats:
    """(n,) positive bounds from one number, or from one per joint."""
    numbers = as_real(given, name, OptionError)
    if numbers.shape not in ((), (model.n,)):
        words = f"{{argument}} has shape {numbers.shape}; it takes one number, or one for each of {model.n} joints"
        raise OptionError(words, argument=name)
    bounds: Floats = np.broadcast_to(numbers, model.n).copy()
    if not (np.isfinite(bounds) & (bounds >= LEAST_BOUND)).all():
        words = f"{{argument}} is {brief(given)}; it takes finite numbers above 0, from {LEAST_BOUND:g}"
        raise OptionError(words, argument=name)
    return bounds


def _speeds(velocity: Any, model: Model) -> Floats:
    """(n,) the greatest speeds: those given, else the model's."""
    if velocity is not None:
        return _bounds(velocity, "velocity", model)
    unknown = [
        name for name, v in zip(model.joint_names, model.velocity, strict=True) if not LEAST_BOUND <= v < math.inf
    ]
    if unknown:
        raise OptionError(
            f"{model.name} says no greatest speed for {', '.join(unknown)}; give {{velocity}}, one number or one a "
            "joint [rad/s or m/s]",
            velocity="velocity=",
        )
    return np.array(model.velocity)


def _accelerations(acceleration: Any, model: Model) -> Floats:
    """(n,) the greatest accelerations."""
    if acceleration is not None:
        return _bounds(acceleration, "acceleration", model)
    return np.where([kind == "prismatic" for kind in model.joint_kinds], SLIDE_ACCELERATION, ACCELERATION)


def _shape(given: Any) -> tuple[int, ...]:
    """The shape of what may be an array; a list of rows of different lengths has none."""
    try:
        return np.shape(given)
    except ValueError:
        return ()
