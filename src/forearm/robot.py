"""The robot a user holds: load it, ask where its tip is, ask how to get the tip somewhere."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from forearm.arm.structure import Structure
from forearm.arm.tables import Prepared
from forearm.common.checks import as_number
from forearm.common.threads import Tell
from forearm.common.types import Floats
from forearm.errors import OptionError, counted
from forearm.models import catalog
from forearm.models.model import LimitsLike, Locked, Model, reach, sealed
from forearm.results.batch import BatchSolution
from forearm.results.solution import Branches, Solution
from forearm.robot_following import Following
from forearm.robot_loaders import Loaders
from forearm.solve.all_branches import solve_all
from forearm.solve.arm_angle import check_swivelling, solve_at_swivel
from forearm.solve.batch import solve_batch
from forearm.solve.branch_check import Question
from forearm.solve.collision import DEFAULT_CLEARANCE, guarded_settings
from forearm.solve.collision_free import solve_guarded, solver_among
from forearm.solve.fast import Answer, quick_road
from forearm.solve.methods.options import make_options, pack_options
from forearm.solve.methods.table import DEFAULT_METHOD, METHODS, Method, find_method
from forearm.solve.single import as_step_from, box_around, neutral, solve
from forearm.solve.trace import Trace, trace
from forearm.targets.target import as_target

# How many metres of position error a radian of rotation error counts, per metre of reach.
ROTATION_WEIGHT_PER_REACH = 0.2

MAX_STARTS = 1_000_000


class Robot(Loaders, Following):
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
    def structure(self) -> Structure:
        """What its axes allow: the kind of closed form it has, and why, or why it has none."""
        return self._prepared.structure

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
            swivel: The swivel angle the answer shall have [rad], for arms that have one.
            obstacles: What to keep away from: a list of obstacles, a mapping from names, or a
                `Scene`, in the base frame; `docs/collision.md`.
            clearance: The least distance to keep from it [m]; within the arm no more than 0.0125 m of it.
            self_collision: Whether the arm must not touch itself; by default if there are obstacles.
            **options: Options of the method.
        """
        bare = tool is None and limits is None and locked is None and max_joint_step is None and swivel is None
        alone = obstacles is None and self_collision is None and clearance is DEFAULT_CLEARANCE
        if bare and alone and rest is None and timeout is None and not options:
            try:
                quick = self._quick[method]
            except (KeyError, TypeError):  # TypeError: a name that cannot be one
                quick = self._make_quick(method)
            solution = quick(target, q0, explain)
            if solution is not None:
                return solution
        if tool is not None:
            how: dict[str, Any] = {"method": method, "limits": limits, "locked": locked, "rest": rest, "swivel": swivel}
            how |= {"max_joint_step": max_joint_step, "timeout": timeout, "explain": explain}
            how |= {"obstacles": obstacles, "clearance": clearance, "self_collision": self_collision}
            return self.with_tool(tool).solve(target, q0, **how, **options)
        guard = self._guard(self._prepared, obstacles, clearance, self_collision)
        if swivel is not None and guard is None:
            check_swivelling(self._prepared)
            angle = as_number(swivel, "swivel", OptionError)
            return solve_at_swivel(self._question(target, q0, limits, locked, False), angle)
        if guard is None:
            row, settings = self._settings(method, options)
        else:
            settings = guarded_settings(method, options, rest=rest, timeout=timeout, swivel=swivel)
        bounds, own_limits = self._prepared.model.limits, None
        if limits is not None or locked is not None:
            bounds = self.model.limits_with(limits, locked)
            q0 = q0 if q0 is None else self._start(q0, locked or {})
        if max_joint_step is not None:
            step = as_step_from(q0, max_joint_step)
            own_limits, bounds = bounds, box_around(self._configuration(q0), step, bounds)
        if guard is not None:
            return solve_guarded(self._prepared, target, q0, guard, settings, bounds, explain, own_limits)
        return solve(self._prepared, target, q0, row, settings, bounds, explain, rest, timeout, own_limits)

    def solve_batch(
        self,
        targets: Any,
        q0: ArrayLike | None = None,
        *,
        method: str = DEFAULT_METHOD,
        tool: ArrayLike | None = None,
        limits: LimitsLike | None = None,
        locked: Locked | None = None,
        max_joint_step: float | None = None,
        rest: ArrayLike | None = None,
        explain: bool = False,
        obstacles: Any = None,
        clearance: float = DEFAULT_CLEARANCE,
        self_collision: bool | None = None,
        threads: int | None = None,
        progress: bool | Tell = False,
        **options: Any,
    ) -> BatchSolution:
        """What `solve` gives for each target, with the same bits, on all processors; arrays in and out.

        By default as with `explain=False`: a target that needs more than the first budget of tries is
        left as not converged, about one in ten thousand poses of a seven-joint arm.

        Args:
            targets: (N, 4, 4) poses as NumPy, DLPack or anything with `__array__`; a sequence of
                targets of one kind; or `fa.Position.many(P)` and the like for arrays of other kinds.
            q0: (n,) one start for all, (N, n) one for each, or None.
            method: As for `solve`, and so are tool, limits, locked, max_joint_step and rest.
            tool: (4, 4) tool offset.
            limits: Joint limits.
            locked: Joints held still.
            max_joint_step: The most any joint may move from its start [rad or m].
            rest: (n,) posture for redundant arms.
            explain: Whether to look again, longer, at targets that were missed, and find out why; at
                some milliseconds each.
            obstacles: As for `solve`, and so are clearance and self_collision.
            clearance: The least distance to keep [m].
            self_collision: Whether the arm must not touch itself; by default if there are obstacles.
            threads: How many threads; one per processor by default.
            progress: True draws a bar on standard error; or a function of (done, total).
            **options: Options of the method.
        """
        if "timeout" in options:
            raise OptionError("solve_batch takes no timeout, as answers would depend on the clock; use max_tries=")
        robot = self if tool is None else self.with_tool(tool)
        row, settings = robot._settings(method, options)
        prepared, held = robot._prepared, {}
        bounds = prepared.model.limits
        if limits is not None or locked is not None:
            bounds = prepared.model.limits_with(limits, locked)
            held = {prepared.model.variable(name): float(value) for name, value in (locked or {}).items()}
        how: dict[str, Any] = {"max_joint_step": max_joint_step, "rest": rest, "explain": explain}
        how |= {"threads": threads, "progress": progress}
        guard = self._guard(prepared, obstacles, clearance, self_collision)
        if guard is not None:
            tuned = guarded_settings(method, options, rest=rest)
            how |= {"single": solver_among(prepared, guard, tuned, explain), "guard": guard}
        return solve_batch(prepared, targets, q0, row, settings, bounds, held, **how)

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

    def _question(
        self, target: Any, q0: ArrayLike | None, limits: LimitsLike | None, locked: Locked | None, windings: bool
    ) -> Question:
        """What `solve_all` asks."""
        bounds = self._prepared.model.limits
        if limits is not None or locked is not None:
            bounds = self.model.limits_with(limits, locked)
        start = neutral(bounds) if q0 is None else np.clip(self._start(q0, locked or {}), *bounds)
        return Question(self._prepared, as_target(target), bounds, start, windings)

    def trace(
        self, target: Any, q0: ArrayLike | None = None, *, method: str = "fabrik-r", sweeps: int | None = None
    ) -> Trace:
        """What a method does on its way, stage by stage, for plots and replay.

        Args:
            target: As for `solve`.
            q0: (n,) start configuration; the middle of the limits by default.
            method: A method that has stages to show: fabrik-r, combined.
            sweeps: How many sweeps at most; it ends where the tip arrives. By default 100 of fabrik-r, and
                15 of combined, behind which SQP takes over.
        """
        start = np.empty(0) if q0 is None else self.clip(q0)
        return trace(self._prepared, target, start, method, sweeps)

    def _settings(self, method: str, options: dict[str, Any]) -> tuple[Method, Floats]:
        """A method's row and its packed options."""
        row, settings = self._defaults[find_method(method).name]
        if options:
            try:
                settings = pack_options(row.options, method, tuple(options.items()), self.rotation_weight)  # type: ignore[arg-type]
            except TypeError:  # a value that cannot be looked up, and so is no option
                settings = make_options(row.options, method, options).pack(self.rotation_weight)
        return row, settings

    def _make_quick(self, method: str) -> Answer:
        """The quick road of a method, made at its first call."""
        quick = self._quick[method] = quick_road(self._prepared, find_method(method))
        return quick

    def _repr_html_(self) -> str:
        """Its joints and their limits, as a notebook shows it."""
        from forearm.results.html import robot_html  # noqa: PLC0415 (only a notebook asks)

        return robot_html(self)

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
