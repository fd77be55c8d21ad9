"""The robot a user holds: load it, ask where its tip is, ask how to get the tip somewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from forearm.arm import motion
from forearm.arm.configurations import as_configuration, as_configurations, draw, neutral
from forearm.arm.tables import Prepared
from forearm.common.checks import brief
from forearm.common.defaults import DEFAULT_CLEARANCE, DEFAULT_JOINT_STEP, DEFAULT_METHOD, HALFWAY
from forearm.common.later import Later
from forearm.errors import Elsewhere, ModelError, OptionError, counted, known_elsewhere, nearest_names, told_in_words
from forearm.models import catalog, toml
from forearm.models.model import Model, reach, sealed
from forearm.solve.fast import Answer, fast_first
from forearm.solve.problem import NO_START

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from forearm.arm import wishes
    from forearm.arm.geometry import Geometry
    from forearm.arm.structure import Structure
    from forearm.common.threads import Tell
    from forearm.common.types import Floats
    from forearm.models import dh, mjcf, urdf, xacro
    from forearm.models.cut import Dirs, Limits, Name, Source, Tool
    from forearm.models.model import LimitsLike, Locked
    from forearm.results import html
    from forearm.results.batch import BatchSolution
    from forearm.results.self_motion import SelfMotion
    from forearm.results.solution import Branches, Clearance, Solution
    from forearm.results.track import Track
    from forearm.solve import arguments, arm_angle, collision
    from forearm.solve import trace as traces
    from forearm.tracking import servo as servos
    from forearm.tracking import track as tracking
    from forearm.tracking.servo import Servo
    from forearm.tracking.walk import Progress
else:  # a first answer waits for none of these
    dh, mjcf, urdf, xacro = (Later(f"forearm.models.{name}") for name in ("dh", "mjcf", "urdf", "xacro"))
    arguments, arm_angle = Later("forearm.solve.arguments"), Later("forearm.solve.arm_angle")
    collision, traces = Later("forearm.solve.collision"), Later("forearm.solve.trace")
    servos = Later("forearm.tracking.servo")
    wishes, html, tracking = (Later(f"forearm.{name}") for name in ("arm.wishes", "results.html", "tracking.track"))


@known_elsewhere
class Robot:
    """A serial chain from a base to a tip; immutable and safe to share between threads.

    Lengths are metres, angles radians; a pose is the (4, 4) tip in the base frame; joints count from 0.

    Args:
        model: The chain as packed arrays, made by one of the loaders.
    """

    __slots__ = ("_cold", "_near", "_prepared", "model")

    if not TYPE_CHECKING:  # functions of forearm
        load, plot, teach = (
            Elsewhere(name, f"did you mean forearm.{here}?")
            for name, here in (("load", "load(name)"), ("plot", "show(arm, q)"), ("teach", "show(arm)"))
        )
    model: Model
    _prepared: Prepared
    _cold: dict[str, Answer]  # the fast roads by method: without a start, and near one
    _near: dict[str, Answer]

    def __init__(self, model: Model) -> None:
        if not isinstance(model, Model):
            raise ModelError(
                f"Robot takes a model, not {brief(model)}; loaders make robots: forearm.load(name), "
                "Robot.from_urdf(path), from_xacro, from_mjcf, from_toml, from_dh(rows)"
            )
        for name, value in {"model": sealed(model), "_prepared": Prepared(model), "_cold": {}, "_near": {}}.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuses: a robot never changes."""
        raise AttributeError(f"a Robot cannot be changed (tried to set '{name}'); make another one instead")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles as its model."""
        return Robot, (self._prepared.model,)

    # -- where it comes from ---------------------------------------------------------------------

    @classmethod
    @told_in_words
    def from_dh(
        cls,
        rows: Iterable[dh.Row],
        *,
        convention: str = "standard",
        limits: Tool = None,
        base: Tool = None,
        tool: Tool = None,
        name: str = "dh-arm",
        order: str | None = None,
    ) -> Robot:
        """A robot from Denavit-Hartenberg rows; see `forearm.models.dh.from_dh`."""
        about: dict[str, Any] = {"limits": limits, "base": base, "tool": tool, "name": name, "order": order}
        return cls(dh.from_dh(rows, convention=convention, **about))

    @classmethod
    @told_in_words
    def from_urdf(
        cls,
        source: Source,
        *,
        base: Name = None,
        tip: Name = None,
        tool: Tool = None,
        limits: Limits = None,
        folders: Dirs = (),
    ) -> Robot:
        """A robot from a URDF file or text; see `forearm.models.urdf.from_urdf`."""
        return cls(urdf.from_urdf(source, base=base, tip=tip, tool=tool, limits=limits, folders=folders))

    @classmethod
    @told_in_words
    def from_xacro(
        cls,
        source: str | Path,
        *,
        base: Name = None,
        tip: Name = None,
        tool: Tool = None,
        limits: Limits = None,
        args: Mapping[str, str] | None = None,
        folders: Dirs = (),
    ) -> Robot:
        """A robot from a xacro file; see `forearm.models.xacro.from_xacro`."""
        given = {"base": base, "tip": tip, "tool": tool, "limits": limits, "args": args, "folders": folders}
        return cls(xacro.from_xacro(source, **given))  # type: ignore[arg-type]

    @classmethod
    @told_in_words
    def from_mjcf(
        cls,
        source: Source,
        *,
        base: Name = None,
        tip: Name = None,
        tool: Tool = None,
        limits: Limits = None,
        folders: Dirs = (),
    ) -> Robot:
        """A robot from a MuJoCo model (extra `mjcf`); see `forearm.models.mjcf.from_mjcf`."""
        return cls(mjcf.from_mjcf(source, base=base, tip=tip, tool=tool, limits=limits, folders=folders))

    @classmethod
    @told_in_words
    def from_toml(cls, path: str | Path, *, tool: Tool = None) -> Robot:
        """A robot from a data file written like those of the catalog; see `forearm.models.toml`."""
        return cls(toml.from_toml(path, tool=tool))

    @told_in_words
    def with_tool(self, tool: ArrayLike) -> Robot:
        """The same robot with a tool: (4, 4) pose of the new tip in the old one."""
        return Robot(self._prepared.model.with_tool(tool))

    @told_in_words
    def with_base(self, base: ArrayLike) -> Robot:
        """The same robot standing elsewhere: (4, 4) pose of its base in the frame that targets are now given in."""
        return Robot(self._prepared.model.with_base(base))

    @told_in_words
    def with_limits(self, limits: LimitsLike | None = None, *, locked: Locked | None = None) -> Robot:
        """The same robot with other limits, or with some joints locked at a value; both as for `solve`."""
        return Robot(self._prepared.model.with_limits(limits, locked))

    @told_in_words
    def with_geometry(
        self,
        *,
        radius: float | None = None,
        bodies: Mapping[str, Any] | None = None,
        allow: Iterable[tuple[str, str]] = (),
        srdf: Source | None = None,
        base: bool = False,
        joints: Mapping[str, float] | None = None,
    ) -> Robot:
        """The same robot with other geometry.

        Args:
            radius: Of tubes from joint to joint [m], instead of the shapes of its file.
            bodies: Mapping from the name of a link, or of the joint in front of it, to `fa.Sphere` or `fa.Capsule`,
                or a list of them, in the link's frame; added to what there is: grippers, cables.
            allow: Pairs of links that may touch; one without a name goes by the joint in front of it.
            srdf: An SRDF file or text, whose disabled pairs are allowed too.
            base: Whether what never moves in space (the base, what only turns on the spot about the first axis) is
                held against obstacles too: it is mounted there, so by default it is not.
            joints: Values by name of joints off the chain (of a gripper, of a second arm), which hold what hangs on
                them; without one it rests at 0, or at the limit nearest to it.
        """
        return Robot(wishes.with_geometry(self._prepared.model, radius, bodies, allow, srdf, base, joints))

    # -- what and where it is --------------------------------------------------------------------

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
    def reach(self) -> float:
        """An upper bound on the distance from the first joint to the tip [m]."""
        return reach(self.model)

    @property
    def neutral(self) -> Floats:
        """(n,) the middle of the limits: without q0 a solve starts there, the first joint turned to face the target."""
        return neutral(self.model.limits)

    @property
    def home(self) -> Floats:
        """(n,) a posture to begin with: that of its data file (every arm of the catalog has one), else `neutral`."""
        return self.clip(self.model.home) if len(self.model.home) else self.neutral

    @property
    def rotation_weight(self) -> float:
        """How many metres of position error a radian of rotation error counts."""
        return self._prepared.rotation_weight

    @property
    def structure(self) -> Structure:
        """What its axes allow: the kind of closed form it has, and why, or why it has none."""
        return self._prepared.structure

    @property
    def geometry(self) -> Geometry:
        """Its capsules, and which of its links are held against each other."""
        return self._prepared.geometry

    @property
    def velocity_limits(self) -> Floats:
        """(n,) the joints' velocity limits [rad/s or m/s], read-only; infinite where the file has none."""
        return self.model.velocity

    def fk(self, q: ArrayLike | Mapping[str, float], link: str | None = None) -> Floats:
        """(4, 4) the pose of the tip in the base frame at (n,) joint values; (N, 4, 4) at (N, n).

        Args:
            q: Joint values, or a mapping from joint names to them. A warning tells of values that look like degrees.
            link: Another link or site of the robot's file instead of the tip. Links beside the chain are
                placed with their joints at 0, or at the limit nearest to it.
        """
        if link is not None:
            return motion.link_pose(self._prepared.model, q, link)
        return motion.tip_pose(self._prepared.model, q)

    def fk_all(self, q: ArrayLike) -> Floats:
        """(m+1, 4, 4): the frame of every moving joint's child link, then the tip."""
        return motion.link_frames(self._prepared.model, q)

    def jacobian(self, q: ArrayLike) -> Floats:
        """(6, n) geometric Jacobian of the tip in the base frame, linear rows first."""
        return motion.jacobian(self._prepared.model, q)

    def manipulability(self, q: ArrayLike, rows: str = "pose") -> float:
        """Yoshikawa's measure sqrt(det(J J^T)) of the rows for a "pose", "position" or "orientation"; 0 if singular."""
        return motion.manipulability(self._prepared.model, q, rows)

    @told_in_words
    def sample(self, count: int, rng_seed: int = 0) -> Floats:
        """(count, n) configurations, uniform inside the limits; turns without limits in [-pi, pi]."""
        return draw(self.model, count, rng_seed)

    def clip(self, q: ArrayLike | Mapping[str, float]) -> Floats:
        """(n,) the configuration moved inside the limits, joint by joint."""
        return np.clip(as_configuration(q, self.model, "q"), *self.model.limits)

    def swivel(self, q: ArrayLike) -> float:
        """The angle of the elbow about the line from shoulder to wrist [rad], if both are spherical (`structure`).

        0 where the elbow lies on the side of the first axis's direction.
        """
        return arm_angle.swivel_of_configuration(self._prepared, as_configuration(q, self.model, "q"))

    @told_in_words
    def clearance(
        self, q: ArrayLike, obstacles: Any = None, *, self_collision: bool = True
    ) -> Clearance | collision.Clearances:
        """How near the arm comes to obstacles, and to itself if that counts: the distance and the closest pair.

        At (n,) joint values; at (N, n) `Clearances`. Obstacles as for `solve`. Capsules are no smaller than the shapes,
        so the distance [m] is at most the true one; of links that a chart holds apart (see docs/collision.md) it is
        that of their true shapes, and where it is negative it does not say how deep they are in each other.
        """
        return collision.measure_clearance(self._prepared, as_configurations(q, self.model), obstacles, self_collision)

    @told_in_words
    def is_free_between(
        self,
        qa: ArrayLike,
        qb: ArrayLike,
        obstacles: Any = None,
        *,
        clearance: float = DEFAULT_CLEARANCE,
        self_collision: bool = True,
    ) -> bool:
        """Whether the straight way in joint space from qa to qb keeps the clearance; arguments as for `solve`.

        No samples, every stretch is certified: nothing on it comes nearer than the clearance less 0.1 mm.
        """
        ends = np.array([as_configuration(q, self.model, "q") for q in (qa, qb)])
        limits = np.sort(ends, axis=0)
        return collision.guard_of(self._prepared, obstacles, clearance, self_collision, limits).is_free_between(*ends)

    # -- how to get there ------------------------------------------------------------------------

    @fast_first
    def solve(
        self,
        target: Any,
        q0: ArrayLike | Mapping[str, float] | None = None,
        *,
        method: str = DEFAULT_METHOD,
        tool: ArrayLike | None = None,
        limits: LimitsLike | None = None,
        locked: Locked | None = None,
        max_joint_step: ArrayLike | None = None,
        rest: ArrayLike | None = None,
        timeout: float | None = None,
        explain: bool = True,
        swivel: float | None = None,
        obstacles: Any = None,
        clearance: float = DEFAULT_CLEARANCE,
        self_collision: bool | None = None,
        posture: str | None = None,
        prefer: str | None = None,
        **options: Any,
    ) -> Solution:
        """Joint values that bring the tip to the target, or the nearest found and why not.

        Args:
            target: (4, 4) pose of the tip in the base frame, or `Pose`, `Position`, `Orientation`, `PointAxis`.
            q0: (n,) start configuration, or a mapping from joint names; the answer is sought near it. Without one,
                near the neutral posture, turned to face the target. A measured one may lie 1e-4 outside its limits.
            method: A name from the table of methods.
            tool: (4, 4) tool offset for this call.
            limits: Joint limits for this call: (2, n), or a mapping from joint name to a pair.
            locked: Joints held still in this call: a mapping from joint name to value.
            max_joint_step: The most a joint may move from q0, one number or (n,) [rad or m]; a hard bound.
            rest: (n,) posture a redundant arm should come close to; q0 by default.
            timeout: Seconds after which the search ends; the budget of tries ends it before.
            explain: Whether to find out why a target was missed; False saves time in a loop.
            swivel: The swivel angle the answer should have [rad], for arms that have one.
            obstacles: What to keep away from in the base frame: a list, a mapping from names, or a `Scene`.
            clearance: The least distance to keep from it [m]; within the arm no more than 0.0125 m of it.
            self_collision: Whether the arm must not touch itself; by default if there are obstacles.
            posture: Names the answer's posture should have, as "elbow up, wrist flip"; the nearest of those to q0.
            prefer: What the answer should be best at among all there are: "limits" or "clearance", as far from them as
                can be, "manipulability", or "q0", the nearest to it; for exact poses of up to seven turning joints.
            **options: Options of the method.
        """
        given = (q0, method, limits, locked, max_joint_step, rest, timeout, explain, swivel)
        guard = (obstacles, clearance, self_collision, options)
        call = arguments.Arguments("solve", self._prepared.with_tool(tool), *given, *guard, posture, prefer)
        return call.signed(call.solve(target))

    def solve_batch(  # noqa: D417 (the others are those of `solve`)
        self,
        targets: Any,
        q0: ArrayLike | Mapping[str, float] | None = None,
        *,
        method: str = DEFAULT_METHOD,
        tool: ArrayLike | None = None,
        limits: LimitsLike | None = None,
        locked: Locked | None = None,
        max_joint_step: ArrayLike | None = None,
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

        By default as with `explain=False`: near misses get more tries, what is left is not converged, and
        `explain=True` looks at it again, longer, and finds out why; it takes some ms each.

        Args:
            targets: (N, 4, 4) poses as NumPy, DLPack or anything with `__array__`; a sequence of
                targets of one kind; or `fa.Position.many(P)` and the like for arrays of other kinds.
            q0: (n,) one start for all, (N, n) one for each, or None.
            threads: How many threads; one per processor by default.
            progress: True draws a bar on standard error; or a function of (done, total).
            **options: Options of the method; all other arguments are those of `solve`.
        """
        arm, given = self._prepared.with_tool(tool), (q0, method, limits, locked, max_joint_step, rest, None, explain)
        call = arguments.Arguments("solve_batch", arm, *given, None, obstacles, clearance, self_collision, options)
        return call.solve_batch(targets, threads=threads, progress=progress)

    def solve_all(  # noqa: D417 (the others are those of `solve`)
        self,
        target: Any,
        q0: ArrayLike | Mapping[str, float] | None = None,
        *,
        tool: Tool = None,
        limits: LimitsLike | None = None,
        locked: Locked | None = None,
        windings: bool = False,
        samples: int | None = None,
        **other: Any,
    ) -> Branches:
        """Every answer inside the limits, the nearest to q0 first.

        Complete where the arm's structure has a closed form, and by elimination for any six turning joints,
        also of a longer arm with the others locked; an arm with spherical shoulder and wrist gives each branch
        with its swivel intervals. Else a sample or a search: `.complete` says so.

        Args:
            q0: (n,) answers are ordered by the largest change of a joint from it, and angles that the
                pose leaves free are taken from it; the middle of the limits by default.
            windings: Whether every whole turn inside the limits is an answer of its own.
            samples: Values of a held joint, or starts of a search, where it takes one.
            **other: Refused by name; all other arguments are those of `solve`.
        """
        arm = self._prepared.with_tool(tool)
        call = arguments.Arguments("solve_all", arm, q0, limits=limits, locked=locked, options=other)
        branches, bounds = call.solve_all(target, windings, samples), call.bounds()
        for branch in branches.found:
            branch.model, branch.limits = arm.model, bounds
        return branches

    def self_motion(
        self,
        target: Any,
        q0: ArrayLike | Mapping[str, float] | None = None,
        *,
        tool: Tool = None,
        limits: LimitsLike | None = None,
        locked: Locked | None = None,
        **other: Any,
    ) -> SelfMotion:
        """How seven turning joints can move while the tip stands still: closed curves, and their arcs inside limits.

        `.curves` and `.arcs` are walked along with `arc.q(s)` and `arc.sample(count)`; `arc.ends` says which joint
        ends it; `.nearest(q0)` and `.best(measure)` choose a place on all of them.

        Args:
            target: (4, 4) pose of the tip in the base frame.
            q0: (n,) whole turns are taken as near to it as limits allow; the middle of the limits by default.
            tool: (4, 4) tool offset for this call.
            limits: Joint limits for this call, as for `solve`.
            locked: Refused: with a joint locked there are branches, which `solve_all` lists.
            **other: Refused by name.
        """
        call = arguments.Arguments(
            "self_motion", self._prepared.with_tool(tool), q0, limits=limits, locked=locked, options=other
        )
        return call.self_motion(target)

    def track(  # noqa: D417 (the others are those of `solve`)
        self,
        targets: Any,
        q0: ArrayLike | Mapping[str, float] | None = None,
        *,
        max_joint_step: float = DEFAULT_JOINT_STEP,
        times: ArrayLike | None = None,
        closed: bool | None = None,
        insert: bool = True,
        halfway_tol: tuple[float, float] = HALFWAY,
        between: str = "line",
        reconfigure: bool = False,
        tool: ArrayLike | None = None,
        limits: LimitsLike | None = None,
        locked: Locked | None = None,
        progress: Progress | None = None,
        obstacles: Any = None,
        clearance: float = DEFAULT_CLEARANCE,
        self_collision: bool | None = None,
        **other: Any,
    ) -> Track:
        """Joint values along a path of targets, without a jump, or the part that holds and why no more.

        Every point returned meets its target, stays inside the limits and within `max_joint_step` of
        the point before it, and the pose halfway between two points lies on the line between them.

        Args:
            targets: (N, 4, 4) poses, or what else `solve_batch` takes: N targets of one kind.
            q0: (n,) where to start: the first point gets the joint values nearest to it (in the joint
                that moves most; `steps[0]` says how far). Without one, all starts found are tried.
            max_joint_step: The most a joint may move between two returned points [rad or m]; a hard bound.
            times: (N,) increasing, of the way-points [s]: the track then knows joint velocities.
            closed: Whether a redundant arm comes back to its first joint values; by default if the path does.
            insert: Whether points may be put between way-points; with False a long step stops it.
            halfway_tol: How far the pose halfway between two points may be off the line [m] and [rad].
            between: "joints" puts points between way-points that leave the straight line, as the joints go, where
                the line cannot be followed though the way-points can: `bent` says where.
            reconfigure: Whether the arm may jump to another branch where no continuous way is left, as rarely as
                possible: `reconfigurations` says where.
            progress: Called with the stage, the way-points done, and how many there are.
            obstacles: What to keep away from, at every point and certified between them; as for `solve`.
            **other: Refused by name; all other arguments are those of `solve`.
        """
        arm, given = self._prepared.with_tool(tool), (q0, DEFAULT_METHOD, limits, locked, max_joint_step)
        call = arguments.Arguments(
            "track", arm, *given, None, None, True, None, obstacles, clearance, self_collision, other
        )
        return tracking.track(
            call,
            targets,
            times=times,
            closed=closed,
            insert=insert,
            halfway=halfway_tol,
            between=between,
            reconfigure=reconfigure,
            progress=progress,
        )

    def servo(  # noqa: D417 (the others are those of `solve`)
        self,
        q0: ArrayLike,
        rate: float = 1000.0,
        *,
        velocity: ArrayLike | None = None,
        acceleration: ArrayLike | None = None,
        rest: ArrayLike | None = None,
        smoothing: float | str | None = "auto",
        priority: str = "both",
        reconfigure: bool = True,
        interpolate: bool = True,
        tool: ArrayLike | None = None,
        limits: LimitsLike | None = None,
        locked: Locked | None = None,
        obstacles: Any = None,
        clearance: float = DEFAULT_CLEARANCE,
        self_collision: bool | None = None,
        **other: Any,
    ) -> Servo:
        """A servo that stands at q0: each `servo(target)` is one tick, and gives the joint values for its end.

        No joint ever leaves its limits or exceeds its speed and acceleration, whatever targets come.

        Args:
            q0: (n,) where the arm stands.
            rate: Ticks a second.
            velocity: Greatest speed, one number or (n,) [rad/s or m/s]; the model's by default.
            acceleration: Greatest acceleration, one number or (n,); 10 rad/s^2 and 5 m/s^2 by default.
            rest: (n,) posture that a redundant arm goes to as far as it can without moving the tip.
            smoothing: "auto" smooths targets that shake more than the arm can follow; or a time constant [s], or None.
            priority: What is met exactly where both cannot be had: "position", "rotation"; "both" is a compromise.
            reconfigure: Whether an arm that is stuck may go on in another branch, with a large motion.
            interpolate: Whether the arm moves evenly between targets that come slower than ticks.
            obstacles: What to keep away from, at every tick and until the arm stands; as for `solve`.
            **other: Refused by name; all other arguments are those of `solve`.
        """
        arm, how = self._prepared.with_tool(tool), {"rest": rest, "smoothing": smoothing, "priority": priority}
        how |= {"reconfigure": reconfigure, "interpolate": interpolate}
        guard = {"obstacles": obstacles, "clearance": clearance, "self_collision": self_collision}
        call = arguments.Arguments("servo", arm, q0, limits=limits, locked=locked, options=other, **guard)  # type: ignore[arg-type]
        return servos.Servo(call, rate, velocity, acceleration, how)

    def trace(
        self,
        target: Any,
        q0: ArrayLike | Mapping[str, float] | None = None,
        *,
        method: str = "fabrik-r",
        sweeps: int | None = None,
        **other: Any,
    ) -> traces.Trace:
        """What a method does on its way, stage by stage, for plots and replay.

        Methods: fabrik-r, combined, ccd, dls (its first try), jacobian-transpose. It ends where the tip arrives, or
        after so many sweeps or steps: 100 of fabrik-r, 15 of combined, then SQP, and of the others as many as a solve
        takes. Other arguments are refused by name.
        """
        for name in other:
            raise OptionError(f"trace takes no {name}; {nearest_names(name, ('q0', 'method', 'sweeps'))}")
        return traces.trace(self._prepared, target, NO_START if q0 is None else self.clip(q0), method, sweeps)

    def _repr_html_(self) -> str:
        """Its joints and their limits, as a notebook shows it."""
        return html.robot_html(self)

    def __repr__(self) -> str:
        """One line: the name, its joints, base and tip."""
        ends = f"'{self.model.base}' to '{self.model.tip}'"
        return f"Robot('{self.name}', {counted(self.n, 'joint')}, {ends}, reach {self.reach:.3g} m)"


@told_in_words
def load(
    name: str | Path,
    *,
    base: Name = None,
    tip: Name = None,
    tool: Tool = None,
    limits: Limits = None,
    args: Mapping[str, str] | None = None,
    folders: Dirs = (),
) -> Robot:
    """A robot by its name in the catalog (`list_robots()`) or from a file, whatever its format.

    See `forearm.models.catalog.load`.
    """
    given = {"base": base, "tip": tip, "tool": tool, "limits": limits, "args": args, "folders": folders}
    return Robot(catalog.load(name, **given))  # type: ignore[arg-type]
