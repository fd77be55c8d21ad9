"""The robot a user holds: load it, ask where its tip is, ask how to get the tip somewhere."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from forearm.among import solve_guarded
from forearm.arrays import as_floats
from forearm.core import kinematics
from forearm.course import Course, Progress
from forearm.errors import ModelError, OptionError, counted
from forearm.guarded import DEFAULT_CLEARANCE, Guarded, guard_of, guarded_settings
from forearm.model import LimitsLike, Locked, Model, reach, sealed
from forearm.models import catalog, dh, mjcf, toml, urdf, xacro
from forearm.options import make_options
from forearm.prepared import Prepared
from forearm.quick import Answer, quick_road
from forearm.registry import DEFAULT_METHOD, METHODS, Method, find_method
from forearm.solution import Solution
from forearm.solver import FLOAT64, neutral, solve
from forearm.structure import Structure
from forearm.trace import Trace, trace
from forearm.track import Track
from forearm.tracking import track
from forearm.waypoints import HALFWAY, as_halfway, as_step, as_waypoints

Floats = NDArray[np.float64]
Limits = Mapping[str, tuple[float, float]]

# How many metres of position error a radian of rotation error counts, per metre of reach.
ROTATION_WEIGHT_PER_REACH = 0.2


# Of a track [rad or m]: 500 way-points over a whole turn of a joint need 0.013 a step.
DEFAULT_JOINT_STEP = 0.1

MAX_SAMPLES = 100_000_000


class Robot(Guarded):
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
        object.__setattr__(self, "model", sealed(model))
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

    # -- loaders ---------------------------------------------------------------------------------

    @classmethod
    def from_dh(
        cls,
        rows: Iterable[dh.Row],
        *,
        convention: str = "standard",
        limits: ArrayLike | None = None,
        base: ArrayLike | None = None,
        tool: ArrayLike | None = None,
        name: str = "dh-arm",
    ) -> "Robot":
        """A robot from Denavit-Hartenberg rows; see `forearm.models.dh.from_dh`."""
        return cls(dh.from_dh(rows, convention=convention, limits=limits, base=base, tool=tool, name=name))

    @classmethod
    def from_urdf(
        cls,
        source: str | bytes | Path,
        *,
        base: str | None = None,
        tip: str | None = None,
        tool: ArrayLike | None = None,
        limits: Limits | None = None,
    ) -> "Robot":
        """A robot from a URDF file or text; see `forearm.models.urdf.from_urdf`."""
        return cls(urdf.from_urdf(source, base=base, tip=tip, tool=tool, limits=limits))

    @classmethod
    def from_xacro(
        cls,
        source: str | Path,
        *,
        base: str | None = None,
        tip: str | None = None,
        tool: ArrayLike | None = None,
        limits: Limits | None = None,
        args: Mapping[str, str] | None = None,
    ) -> "Robot":
        """A robot from a xacro file (extra `xacro`); see `forearm.models.xacro.from_xacro`."""
        return cls(xacro.from_xacro(source, base=base, tip=tip, tool=tool, limits=limits, args=args))

    @classmethod
    def from_mjcf(
        cls,
        source: str | bytes | Path,
        *,
        base: str | None = None,
        tip: str | None = None,
        tool: ArrayLike | None = None,
        limits: Limits | None = None,
    ) -> "Robot":
        """A robot from a MuJoCo model (extra `mjcf`); see `forearm.models.mjcf.from_mjcf`."""
        return cls(mjcf.from_mjcf(source, base=base, tip=tip, tool=tool, limits=limits))

    @classmethod
    def from_toml(cls, path: str | Path, *, tool: ArrayLike | None = None) -> "Robot":
        """A robot from a data file written like those of the catalog; see `forearm.models.toml`."""
        return cls(toml.from_toml(path, tool=tool))

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
        obstacles: Any = None,
        clearance: float = DEFAULT_CLEARANCE,
        self_collision: bool | None = None,
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
            obstacles: What to keep away from: a list of obstacles, a mapping from names, or a
                `Scene`, in the base frame; `docs/collision.md`.
            clearance: The least distance to keep from it [m], also within the arm.
            self_collision: Whether the arm must not touch itself; by default if there are obstacles.
            **options: Options of the method.
        """
        guarded = obstacles is not None or bool(self_collision)
        bare = tool is None and limits is None and locked is None and max_joint_step is None and not guarded
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
                obstacles=obstacles,
                clearance=clearance,
                self_collision=self_collision,
                **options,
            )
        row, settings = self._defaults[find_method(method).name]
        if options:
            settings = make_options(row.options, method, options).pack(self.rotation_weight)
        bounds, own_limits = self._prepared.model.limits, None
        if limits is not None or locked is not None:
            bounds = self.model.limits_with(limits, locked)
            q0 = q0 if q0 is None else self._start(q0, locked or {})
        if max_joint_step is not None:
            own_limits, bounds = bounds, self._box(q0, max_joint_step, bounds)
        if guarded:
            together = True if self_collision is None else self_collision
            guard = guard_of(self._prepared, obstacles, clearance, together)
            settings = guarded_settings(method, options, rest, timeout)
            return solve_guarded(self._prepared, target, q0, guard, settings, bounds, explain, own_limits)
        return solve(self._prepared, target, q0, row, settings, bounds, explain, rest, timeout, own_limits)

    def trace(self, target: Any, q0: ArrayLike | None = None, *, method: str = "fabrik-r", sweeps: int = 100) -> Trace:
        """What a method does on its way, stage by stage, for plots and replay.

        Args:
            target: As for `solve`.
            q0: (n,) start configuration; the middle of the limits by default.
            method: A method that has stages to show: fabrik-r.
            sweeps: How many sweeps at most; it ends where the tip arrives.
        """
        start = np.empty(0) if q0 is None else self.clip(q0)
        return trace(self._prepared, target, start, method, sweeps)

    def track(
        self,
        targets: Any,
        q0: ArrayLike | None = None,
        *,
        max_joint_step: float = DEFAULT_JOINT_STEP,
        times: ArrayLike | None = None,
        closed: bool | None = None,
        insert: bool = True,
        halfway_tol: tuple[float, float] = HALFWAY,
        tool: ArrayLike | None = None,
        limits: LimitsLike | None = None,
        locked: Locked | None = None,
        progress: Progress | None = None,
        obstacles: Any = None,
        clearance: float = DEFAULT_CLEARANCE,
        self_collision: bool | None = None,
    ) -> Track:
        """Joint values along a path of targets, without a jump, or the part that holds and why no more.

        Every point returned meets its target, stays inside the limits and within `max_joint_step` of
        the point before it, and the pose halfway between two points lies on the line between them.

        Args:
            targets: (N, 4, 4) poses, or N targets of one kind as `solve` takes them.
            q0: (n,) where to start: the first point gets the joint values nearest to it (in the joint
                that moves most; `steps[0]` says how far). Without one, all starts found are tried.
            max_joint_step: The most a joint may move between two returned points [rad or m]; a hard
                bound. By default a few times what some hundred way-points need, far below any jump.
            times: (N,) increasing, of the way-points [s]: the track then knows joint velocities.
            closed: Whether a redundant arm comes back to its first joint values; by default if the
                path ends where it began.
            insert: Whether points may be put between way-points; with False a long step stops it.
            halfway_tol: What the pose halfway between two points may be off the line [m] and [rad].
            tool: (4, 4) tool offset for this call.
            limits: Joint limits for this call: (2, n), or a mapping from joint name to a pair.
            locked: Joints held still in this call: a mapping from joint name to value.
            progress: Called now and then with the stage, the way-points done, and how many there are.
            obstacles: What to keep away from, at every point and certified between them; as for `solve`.
            clearance: The least distance to keep from it [m].
            self_collision: Whether the arm must not touch itself; by default if there are obstacles.
        """
        model = self._prepared.model if tool is None else self._prepared.model.with_tool(tool)
        prepared = self._prepared if tool is None else Prepared(model)
        bounds = model.limits if limits is None and locked is None else model.limits_with(limits, locked)
        start = None if q0 is None else self._start(q0, locked or {})
        bound, halfway = as_step(max_joint_step), as_halfway(halfway_tol)
        guard = None
        if obstacles is not None or self_collision:
            guard = guard_of(prepared, obstacles, clearance, True if self_collision is None else self_collision)
        course = Course(prepared, bounds, as_waypoints(targets), bound, halfway, insert, progress, guard)
        return track(course, start, closed, times)

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
        as_step(step)
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


def load(name: str, *, tool: ArrayLike | None = None) -> Robot:
    """A robot of the catalog by name; `list_robots()` says which there are.

    Args:
        name: For example "ur5", "panda", "planar-3"; case does not matter.
        tool: (4, 4) pose of a tool in the flange's frame.
    """
    return Robot(catalog.load(name, tool=tool))
