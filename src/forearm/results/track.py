"""What comes back from tracking a path: joints, errors and steps of every point, and where it ended."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from forearm.common.checks import brief
from forearm.common.types import Floats
from forearm.errors import NotSolvedError
from forearm.results.solution import Status
from forearm.results.trajectory import Trajectory, fastest


class Reconfiguration(NamedTuple):
    """Where an arm must leave its path to go on in another way.

    Attributes:
        point: The first point behind it: it goes from `q[point - 1]` to `q[point]`.
        waypoint: The last way-point in front of it.
        in_place: Whether both points are this way-point's, so that the tip comes back to where it left the path.
        joint: The joint that moves most.
        motion: How far it moves [rad or m].
    """

    point: int
    waypoint: int
    in_place: bool
    joint: str
    motion: float


@dataclass(frozen=True, eq=False, repr=False)
class Track:
    """The part of a path that holds: all of it, or up to the point where it could not go on.

    Every point is measured by forward kinematics of its own joint values. M points: the way-points
    reached, in order, and points that were put between them.

    Attributes:
        q: (M, n) joint values [rad or m], inside the limits.
        places: (M,) where each point lies on the path: i at way-point i, between for inserted ones.
        status: SOLVED if the whole path holds; else why it stopped.
        reason: The sentence for people.
        stopped_at: The way-point that could not be reached, or None.
        waypoints: How many way-points the path has.
        position_errors: (M,) distances from the path [m].
        rotation_errors: (M,) angles from the path [rad].
        steps: (M,) the largest joint motion to each point from the one before; the first from q0,
            or 0 without one.
        times: (M,) time of each point [s], or None if none were given.
        velocity_limits: (n,) [rad/s or m/s], infinite where none is known.
        joint_names: (n,) the joints.
        bent: Way-points behind which the straight line was left (`between="joints"`); errors of the points there say
            how far.
        reconfigurations: Where the arm jumps (`reconfigure=True`); no step is bounded there, and the way is yours.
        joint_units: (n,) what each joint is measured in, "rad" or "m".
    """

    q: Floats
    places: Floats
    status: Status
    reason: str
    stopped_at: int | None
    waypoints: int
    position_errors: Floats
    rotation_errors: Floats
    steps: Floats
    times: Floats | None
    velocity_limits: Floats
    joint_names: tuple[str, ...]
    bent: tuple[int, ...] = ()
    reconfigurations: tuple[Reconfiguration, ...] = ()
    joint_units: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every way-point was reached."""
        return self.stopped_at is None

    @property
    def success(self) -> bool:
        """The same as `complete`."""
        return self.complete

    def __bool__(self) -> bool:
        """Whether the whole path holds."""
        return self.complete

    def __len__(self) -> int:
        """How many points there are, inserted ones too."""
        return len(self.places)

    @property
    def inserted(self) -> NDArray[np.bool_]:
        """(M,) True where a point was put between two way-points."""
        return np.asarray(self.places != np.floor(self.places))

    @property
    def q_at_waypoints(self) -> Floats:
        """(k, n) joint values of the way-points that were reached."""
        rows: Floats = self.q[~self.inserted]
        return rows

    @property
    def velocity_ratios(self) -> Floats:
        """(M-1,) of each segment, the largest joint speed as a share of the joint's limit."""
        most: Floats = self._ratios().max(axis=1, initial=0.0)
        return most

    @property
    def too_fast(self) -> list[tuple[int, str, float]]:
        """Segments (from point i to i + 1) above a velocity limit: index, joint, ratio."""
        ratios = self._ratios()
        return [
            (int(i), self.joint_names[int(np.argmax(ratios[i]))], float(ratios[i].max()))
            for i in np.flatnonzero(self.velocity_ratios > 1.0)
        ]

    @property
    def slowdown(self) -> float:
        """The factor by which all times would have to grow to keep every velocity limit; 1 if they hold."""
        return max(1.0, float(self.velocity_ratios.max(initial=0.0)))

    @property
    def stretched_times(self) -> Floats:
        """(M,) times at which every velocity limit holds, only the segments that need it made longer [s]."""
        times = self._given_times()
        spans = np.diff(times) * np.maximum(1.0, self.velocity_ratios)
        return np.concatenate([times[:1], times[:1].sum() + np.cumsum(spans)])

    def timed(self, acceleration: ArrayLike, velocity: ArrayLike | None = None) -> Trajectory:
        """The same points in the least time that keeps these limits, at rest at both ends.

        Args:
            acceleration: The most for each joint, or one number for all [rad/s2 or m/s2].
            velocity: The same of velocities [rad/s or m/s]; the robot's own by default.
        """
        if self.reconfigurations:
            raise ValueError("this track reconfigures, and the way there is not part of it; time what lies between")
        limits = []
        for name, given in (("acceleration", acceleration), ("velocity", velocity)):
            most = self.velocity_limits if given is None else np.asarray(given, np.float64)
            if most.shape not in ((), self.velocity_limits.shape) or not (most > 0.0).all():
                n = len(self.joint_names)
                raise ValueError(f"{name} is {brief(given)}; it takes a positive number, or {n} of them, one per joint")
            limits.append(np.broadcast_to(most, self.velocity_limits.shape))
        if not np.isfinite(limits[0]).all():
            raise ValueError(f"acceleration is {brief(acceleration)}; it takes finite numbers")
        return fastest(self.q, limits[1], limits[0], self.joint_names, self.joint_units)

    def _ratios(self) -> Floats:
        """(M-1, n) joint speeds as shares of their limits."""
        times = self._given_times()
        ratios: Floats = np.abs(np.diff(self.q, axis=0)) / (np.diff(times)[:, None] * self.velocity_limits)
        return ratios

    def _given_times(self) -> Floats:
        if self.times is None:
            raise ValueError("this track has no times; give them: robot.track(targets, q0, times=...)")
        return self.times

    def raise_if_failed(self) -> "Track":
        """The track itself, or `NotSolvedError` with the reason."""
        if not self.complete:
            raise NotSolvedError(f"{self.status}: {self.reason}", self)
        return self

    def to_dict(self) -> dict[str, Any]:
        """The track as plain data, for JSON."""
        data: dict[str, Any] = {"complete": self.complete, "status": str(self.status), "reason": self.reason}
        data |= {"stopped_at": self.stopped_at, "waypoints": self.waypoints}
        data |= {"bent": list(self.bent)} if self.bent else {}
        jumps = [jump._asdict() for jump in self.reconfigurations]
        data |= {"reconfigurations": jumps} if jumps else {}
        timed = () if self.times is None else ("times", "velocity_ratios")
        for name in ("places", "q", "position_errors", "rotation_errors", "steps", *timed):
            data[name] = getattr(self, name).tolist()
        return data if self.times is None else data | {"slowdown": self.slowdown}

    def _repr_html_(self) -> str:
        """How much of the path holds, and the joints along it, as a notebook shows it."""
        from forearm.results.html import track_html  # noqa: PLC0415 (only a notebook asks)

        return track_html(self)

    def __repr__(self) -> str:
        """Two short lines: how much holds, and the reason."""
        added = int(self.inserted.sum())
        points = f"{len(self) - added} of {self.waypoints} way-points" + (f", {added} inserted" if added else "")
        return f"Track({self.status}, {points})\n  {self.reason}"
