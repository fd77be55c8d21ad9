"""The robot a user holds: load it, ask where its tip is, ask how to get the tip somewhere."""

from collections.abc import Mapping
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from forearm.arrays import as_floats, as_number
from forearm.branches import solve_all
from forearm.core import kinematics
from forearm.errors import ModelError, OptionError, UnsupportedError, counted
from forearm.loaders import Loaders
from forearm.model import LimitsLike, Locked, Model, reach
from forearm.models import catalog
from forearm.options import make_options
from forearm.prepared import Prepared
from forearm.question import Question
from forearm.quick import Answer, quick_road
from forearm.registry import DEFAULT_METHOD, METHODS, Method, check_supported, find_method
from forearm.solution import Branches, Solution
from forearm.solver import FLOAT64, neutral, solve
from forearm.structure import Structure
from forearm.swivels import check_swivelling, solve_at_swivel, swivel_of_configuration
from forearm.targets import as_target
from forearm.trace import Trace, trace_sweeps

Floats = NDArray[np.float64]

# How many metres of position error a radian of rotation error counts, per metre of reach.
ROTATION_WEIGHT_PER_REACH = 0.2


MAX_SAMPLES = 100_000_000
MAX_SWEEPS = 100_000
MAX_STARTS = 1_000_000


class Robot(Loaders):
    """A serial chain from a base to a tip; immutable and safe to share between threads.

    Lengths are metres, angles radians; a pose is the (4, 4) transform of the tip in the base
    frame; joints are counted from 0.

    Args:
        model: The chain as packed arrays, made by one of the loaders.
    """

    __slots__ = ("_defaults", "_prepared", "_quick", "model", "rotation_weight")

    model: Model
    rotation_weight: float
    _defaults: Mapping[str, tuple[Method, Floats]]
    _prepared: Prepared
    _quick: dict[str, Answer]

    def __init__(self, model: Model) -> None:
        size = reach(model)
        weight = ROTATION_WEIGHT_PER_REACH * size if 0.0 < size < np.inf else ROTATION_WEIGHT_PER_REACH
        defaults = {name: (method, method.options().pack(weight)) for name, method in METHODS.items()}
        object.__setattr__(self, "model", _sealed(model))
        object.__setattr__(self, "rotation_weight", weight)
        object.__setattr__(self, "_defaults", MappingProxyType(defaults))
        object.__setattr__(self, "_prepared", Prepared(model))
        object.__setattr__(self, "_quick", {})

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuses: a robot never changes."""
        raise AttributeError(f"a Robot cannot be changed (tried to set '{name}'); make another one instead")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles as its model."""
        return Robot, (self._prepared.model,)

    # -- what it is ------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """What the robot is called."""
        return self.model.name

    @property
    def n(self) -> int:
        """How many joint variables it has."""
        return self.model.n

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The names of its joint variables, base first."""
        return self.model.joint_names

    @property
    def limits(self) -> Floats:
        """(2, n) lower and upper joint limits, read-only; infinite where there is none."""
        return self.model.limits

    @property
    def structure(self) -> Structure:
        """What its axes allow: the kind of closed form it has, and why, or why it has none."""
        return self._prepared.structure

    @property
    def reach(self) -> float:
        """An upper bound on the distance from the first joint to the tip [m]."""
        return reach(self.model)

    @property
    def neutral(self) -> Floats:
        """(n,) the middle of the limits: where a solve starts when no q0 is given."""
        return neutral(self.model.limits)

    def with_tool(self, tool: ArrayLike) -> "Robot":
        """The same robot with a tool: (4, 4) pose of the new tip in the old one."""
        return Robot(self._prepared.model.with_tool(tool))

    def with_limits(self, limits: LimitsLike | None = None, *, locked: Locked | None = None) -> "Robot":
        """The same robot with other limits, or with some joints locked at a value.

        Args:
            limits: (2, n) array, or a mapping from joint name to (lower, upper).
            locked: Mapping from joint name to the value it is held at.
        """
        return Robot(self._prepared.model.with_limits(limits, locked))

    # -- where its tip is ------------------------------------------------------------------------

    def fk(self, q: ArrayLike) -> Floats:
        """The pose of the tip in the base frame.

        Args:
            q: (n,) joint values, or (N, n) for a batch.

        Returns:
            (4, 4), or (N, 4, 4).
        """
        if type(q) is np.ndarray and q.dtype is FLOAT64 and q.shape == self.model.velocity.shape:  # the quick road
            model, T = self._prepared.model, np.empty((4, 4))
            if kinematics.fk_checked(model.links, model.joints, q.copy(), T):
                return T
        Q = self._configurations(q)
        poses = np.empty((*Q.shape[:-1], 4, 4))
        if Q.ndim == 1:
            kinematics.fk_tip(self._prepared.model.links, self._prepared.model.joints, Q, poses)
            return poses
        kinematics.fk_batch(self._prepared.model.links, self._prepared.model.joints, Q, poses)
        return poses

    def fk_all(self, q: ArrayLike) -> Floats:
        """(m+1, 4, 4): the frame of every moving joint's child link, then the tip."""
        frames = np.empty((self.model.m + 1, 4, 4))
        kinematics.fk_frames(self._prepared.model.links, self._prepared.model.joints, self._configuration(q), frames)
        frames[:-1] = frames[:-1] @ self.model.child_frames
        return frames

    def jacobian(self, q: ArrayLike) -> Floats:
        """(6, n) geometric Jacobian of the tip in the base frame, linear rows first."""
        J = np.empty((6, self.n))
        kinematics.jacobian(self._prepared.model.links, self._prepared.model.joints, self._configuration(q), J)
        return J

    def manipulability(self, q: ArrayLike, rows: str = "pose") -> float:
        """Yoshikawa's measure sqrt(det(J J^T)); 0 at a singularity.

        Args:
            q: (n,) joint values.
            rows: "pose" for all six rows, "position" for the linear, "orientation" for the angular.
        """
        parts = {"pose": slice(0, 6), "position": slice(0, 3), "orientation": slice(3, 6)}
        if not isinstance(rows, str) or rows not in parts:
            raise OptionError(f"rows is '{rows}'; there are: {', '.join(parts)}")
        return float(kinematics.manipulability(np.ascontiguousarray(self.jacobian(q)[parts[rows]])))

    def sample(self, count: int, rng_seed: int = 0) -> Floats:
        """(count, n) configurations, uniform inside the limits; turns without limits in [-pi, pi]."""
        if not (isinstance(count, (int, np.integer)) and not isinstance(count, bool) and 0 <= count <= MAX_SAMPLES):
            raise OptionError(f"count is {count!r}; it takes a whole number from 0 to {MAX_SAMPLES}")
        if not (isinstance(rng_seed, (int, np.integer)) and rng_seed >= 0):
            raise OptionError(f"rng_seed is {rng_seed!r}; it takes a whole number from 0")
        lower, upper = self.model.limits
        for name, kind, lo, hi in zip(self.joint_names, self.model.joint_kinds, lower, upper, strict=True):
            if kind == "prismatic" and not np.isfinite(hi - lo):
                raise ModelError(f"joint '{name}' slides without limits, so it cannot be sampled; pass limits for it")
        open_turn = ~np.isfinite(upper - lower)
        lower = np.where(open_turn, np.maximum(lower, -np.pi), lower)
        upper = np.where(open_turn, np.minimum(upper, np.pi), upper)
        return np.random.default_rng(rng_seed).uniform(lower, upper, (count, self.n))

    def clip(self, q: ArrayLike) -> Floats:
        """(n,) the configuration moved inside the limits, joint by joint."""
        return np.clip(self._configuration(q), *self.model.limits)

    # -- how to get there ------------------------------------------------------------------------

    def solve(
        self,
        target: Any,
        q0: ArrayLike | None = None,
        *,
        method: str = DEFAULT_METHOD,
        tool: ArrayLike | None = None,
        limits: LimitsLike | None = None,
        locked: Locked | None = None,
        max_joint_step: float | None = None,
        rest: ArrayLike | None = None,
        timeout: float | None = None,
        explain: bool = True,
        swivel: float | None = None,
        **options: Any,
    ) -> Solution:
        """Joint values that bring the tip to the target, or the nearest found and why not.

        Args:
            target: (4, 4) pose of the tip in the base frame, or `Pose`, `Position`, `Orientation`,
                `PointAxis`.
            q0: (n,) start configuration; the answer is sought near it. Without one, anywhere.
            method: A name from the table of methods.
            tool: (4, 4) tool offset for this call.
            limits: Joint limits for this call: (2, n), or a mapping from joint name to a pair.
            locked: Joints held still in this call: a mapping from joint name to value.
            max_joint_step: The most any joint may move from q0 [rad or m]; a hard bound.
            rest: (n,) posture a redundant arm shall come close to; q0 by default.
            timeout: Seconds after which the search ends; the budget of tries ends it before.
            explain: Whether to find out why a target was missed; False saves time in a loop.
            swivel: The swivel angle the answer shall have [rad], for arms that have one.
            **options: Options of the method.
        """
        bare = tool is None and limits is None and locked is None and max_joint_step is None and swivel is None
        if bare and rest is None and timeout is None and not options:
            try:
                quick = self._quick[method]
            except (KeyError, TypeError):  # TypeError: a name that cannot be one
                quick = self._make_quick(method)
            solution = quick(target, q0, explain)
            if solution is not None:
                return solution
        if tool is not None:
            return self.with_tool(tool).solve(
                target,
                q0,
                method=method,
                limits=limits,
                locked=locked,
                max_joint_step=max_joint_step,
                rest=rest,
                timeout=timeout,
                explain=explain,
                swivel=swivel,
                **options,
            )
        if swivel is not None:
            check_swivelling(self._prepared)
            angle = as_number(swivel, "swivel", OptionError)
            return solve_at_swivel(self._question(target, q0, limits, locked, False), angle)
        row, settings = self._defaults[find_method(method).name]
        if options:
            settings = make_options(row.options, method, options).pack(self.rotation_weight)
        bounds, own_limits = self._prepared.model.limits, None
        if limits is not None or locked is not None:
            bounds = self.model.limits_with(limits, locked)
            q0 = q0 if q0 is None else self._start(q0, locked or {})
        if max_joint_step is not None:
            own_limits, bounds = bounds, self._box(q0, max_joint_step, bounds)
        return solve(self._prepared, target, q0, row, settings, bounds, explain, rest, timeout, own_limits)

    def solve_all(
        self,
        target: Any,
        q0: ArrayLike | None = None,
        *,
        tool: ArrayLike | None = None,
        limits: LimitsLike | None = None,
        locked: Locked | None = None,
        windings: bool = False,
        samples: int | None = None,
    ) -> Branches:
        """Every answer inside the limits, the nearest to q0 first.

        Complete where the arm's structure has a closed form; an arm with spherical shoulder and wrist
        gives each branch with its swivel intervals. Else a sample or a search: `.complete` says so.

        Args:
            target: As for `solve`.
            q0: (n,) answers are ordered by the largest change of a joint from it, and angles that the
                pose leaves free are taken from it; the middle of the limits by default.
            tool: (4, 4) tool offset for this call.
            limits: Joint limits for this call.
            locked: Joints held still in this call.
            windings: Whether every whole turn inside the limits is an answer of its own.
            samples: Values of a held joint, or starts of a search, where it takes one.
        """
        if tool is not None:
            arm = self.with_tool(tool)
            return arm.solve_all(target, q0, limits=limits, locked=locked, windings=windings, samples=samples)
        if samples is not None and not (isinstance(samples, int) and 1 <= samples <= MAX_STARTS):
            raise OptionError(f"samples is {samples!r}; it takes a whole number from 1 to {MAX_STARTS}")
        return solve_all(self._question(target, q0, limits, locked, windings), samples)

    def swivel(self, q: ArrayLike) -> float:
        """The angle of the elbow about the line from shoulder to wrist [rad].

        0 where the elbow lies on the side of the first axis's direction; for arms with spherical
        shoulder and wrist only (`robot.structure`).
        """
        return swivel_of_configuration(self._prepared, self._configuration(q))

    def _question(
        self, target: Any, q0: ArrayLike | None, limits: LimitsLike | None, locked: Locked | None, windings: bool
    ) -> Question:
        """What `solve_all` asks."""
        bounds = self._prepared.model.limits
        if limits is not None or locked is not None:
            bounds = self.model.limits_with(limits, locked)
        start = neutral(bounds) if q0 is None else np.clip(self._start(q0, locked or {}), *bounds)
        return Question(self._prepared, as_target(target), bounds, start, windings)

    def trace(self, target: Any, q0: ArrayLike | None = None, *, method: str = "fabrik-r", sweeps: int = 100) -> Trace:
        """What a method does on its way, stage by stage, for plots and replay.

        Args:
            target: As for `solve`.
            q0: (n,) start configuration; the middle of the limits by default.
            method: A method that has stages to show: fabrik-r.
            sweeps: How many sweeps at most; it ends where the tip arrives.
        """
        if method != "fabrik-r":
            raise UnsupportedError(f"method '{method}' has no trace; these have: fabrik-r")
        if not (isinstance(sweeps, int) and 1 <= sweeps <= MAX_SWEEPS):
            raise OptionError(f"sweeps is {sweeps!r}; it takes a whole number from 1 to {MAX_SWEEPS}")
        row, goal = find_method(method), as_target(target)
        check_supported(row, goal.kind, self._prepared.model)
        start = np.empty(0) if q0 is None else self.clip(q0)
        return trace_sweeps(self._prepared, row, goal, start, sweeps)

    def _make_quick(self, method: str) -> Answer:
        """The quick road of a method, made at its first call."""
        quick = self._quick[method] = quick_road(self._prepared, find_method(method))
        return quick

    def _start(self, q0: ArrayLike, locked: Locked) -> Floats:
        """q0 with the locked joints at their values."""
        start: Floats = self._configuration(q0).copy()
        for name, value in locked.items():
            start[self.model.variable(name)] = value
        return start

    def _box(self, q0: ArrayLike | None, step: float, bounds: Floats) -> Floats:
        """(2, n) the part of the limits within a step of q0."""
        if q0 is None:
            raise OptionError("max_joint_step is a bound on the way from q0, so it needs q0")
        if not as_number(step, "max_joint_step", OptionError) > 0.0:
            raise OptionError(f"max_joint_step is {step}; it takes a positive number of radians (or metres)")
        start = np.clip(self._configuration(q0), *bounds)
        return np.array([np.maximum(bounds[0], start - step), np.minimum(bounds[1], start + step)])

    def _configuration(self, q: ArrayLike) -> Floats:
        Q = self._configurations(q)
        if Q.ndim != 1:
            raise OptionError(f"q has shape {Q.shape}; this call takes one configuration of {self.n} joint values")
        return Q

    def _configurations(self, q: ArrayLike) -> Floats:
        """(n,) or (N, n) finite joint values."""
        Q = as_floats(q, "q", OptionError)
        if Q.ndim not in (1, 2) or Q.shape[-1] != self.n:
            raise OptionError(
                f"q has shape {Q.shape}; {self.name} takes {self.n} joint values: {', '.join(self.joint_names)}"
            )
        return Q

    def __repr__(self) -> str:
        """One line: the name, its joints, base and tip."""
        ends = f"'{self.model.base}' to '{self.model.tip}'"
        return f"Robot('{self.name}', {counted(self.n, 'joint')}, {ends}, reach {self.reach:.3g} m)"


def _sealed(model: Model) -> Model:
    """The same model with arrays that cannot be written; kernels keep the writable ones."""
    arrays = {}
    for item in fields(model):
        value = getattr(model, item.name)
        if isinstance(value, np.ndarray):
            view = value.view()
            view.flags.writeable = False
            arrays[item.name] = view
    return replace(model, **arrays)


def load(name: str, *, tool: ArrayLike | None = None) -> Robot:
    """A robot of the catalog by name; `list_robots()` says which there are.

    Args:
        name: For example "ur5", "panda", "planar-3"; case does not matter.
        tool: (4, 4) pose of a tool in the flange's frame.
    """
    return Robot(catalog.load(name, tool=tool))
