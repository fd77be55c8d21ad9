"""The fastest times along a track that keep velocity and acceleration limits, and files of them.

Time-optimal path parameterisation by reachability analysis (Pham and Pham, TOPP-RA, 2018): how fast the arm may be at
each point, and still stop in time, is found from the end backwards; then it goes as fast as that from the beginning.
At each point both are linear programs in two numbers, the squared speed x along the path and its rate u, solved here by
Newton's method on the slack of u, which is piecewise linear and concave in x.
"""

import csv
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from forearm.common.types import Floats
from forearm.common.units import with_unit

NO_MOTION = 1e-12  # points nearer than this in every joint are one [rad or m]
FLAT = 1e-9  # a joint whose rate is below this share of the fastest one's does not bind u
NANO = 1_000_000_000
ENDINGS = (".csv", ".json")


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory:
    """Points of a track with their times; at rest at both ends.

    Attributes:
        times: (M,) from 0 [s].
        q: (M, n) joint values [rad or m], those of the track.
        velocities: (M, n) [rad/s or m/s].
        accelerations: (M, n) [rad/s2 or m/s2], up to the next point.
        joint_names: (n,) the joints.
        joint_units: (n,) what each is measured in, "rad" or "m"; empty if that is not known.
    """

    times: Floats
    q: Floats
    velocities: Floats
    accelerations: Floats
    joint_names: tuple[str, ...]
    joint_units: tuple[str, ...] = ()

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return float(self.times[-1]) if len(self.times) else 0.0

    def to_csv(self) -> str:
        """A row a point: time, joints, velocities, accelerations; radians, metres and seconds, as the header says."""
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        kinds = ("", ""), ("_velocity", "/s"), ("_acceleration", "/s2")
        units = self.joint_units or ("",) * len(self.joint_names)
        joints = list(zip(self.joint_names, units, strict=True))
        heads = [with_unit(name + kind, unit and unit + per) for kind, per in kinds for name, unit in joints]
        writer.writerow([with_unit("time", "s"), *heads])
        for row in zip(self.times, self.q, self.velocities, self.accelerations, strict=True):
            writer.writerow([repr(float(row[0])), *(repr(float(x)) for part in row[1:] for x in part)])
        return buffer.getvalue()

    def to_ros(self) -> dict[str, Any]:
        """The fields of a ROS `trajectory_msgs/JointTrajectory`, as its JSON has them."""
        points = [
            {"positions": q, "velocities": v, "accelerations": a, "effort": [], "time_from_start": _stamp(t)}
            for t, q, v, a in zip(
                self.times, self.q.tolist(), self.velocities.tolist(), self.accelerations.tolist(), strict=True
            )
        ]
        header = {"stamp": {"sec": 0, "nanosec": 0}, "frame_id": ""}
        return {"header": header, "joint_names": list(self.joint_names), "points": points}

    def save(self, path: str | Path) -> None:
        """Writes a .csv, or a .json with the fields of a ROS JointTrajectory."""
        file = Path(path)
        if file.suffix.lower() not in ENDINGS:
            raise ValueError(f"'{file.name}' ends in neither .csv nor .json; a trajectory is written as one of them")
        text = self.to_csv() if file.suffix.lower() == ENDINGS[0] else json.dumps(self.to_ros())
        file.write_text(text, encoding="utf-8")

    def _repr_html_(self) -> str:
        """How long it takes and every joint over time, as a notebook shows it."""
        from forearm.results.html import trajectory_html  # noqa: PLC0415 (only a notebook asks)

        return trajectory_html(self)

    def __repr__(self) -> str:
        """One line: how many points, how long."""
        return f"Trajectory({len(self.times)} points, {self.duration:.4g} s)"


def _stamp(time: float) -> dict[str, int]:
    """Seconds and nanoseconds."""
    whole = round(float(time) * NANO)
    return {"sec": whole // NANO, "nanosec": whole % NANO}


class _Stages(NamedTuple):
    """What binds speed and rate at each point: u <= p + r x and u >= -p + r x for each column; x <= most."""

    spans: Floats  # (K-1,) between points, along the path
    p: Floats  # (K-1, c)
    r: Floats  # (K-1, c)
    most: Floats  # (K,)


def fastest(
    q: Floats,
    velocity: Floats,
    acceleration: Floats,
    joint_names: tuple[str, ...],
    joint_units: tuple[str, ...] = (),
) -> Trajectory:
    """The trajectory along points (M, n) in the least time that keeps the limits (n,); at rest at both ends."""
    moved = np.abs(np.diff(q, axis=0)).max(axis=1, initial=0.0) > NO_MOTION
    own = np.concatenate([[True], moved])[: len(q)]  # points that stand where the one before does take no time
    Q, place = q[own], np.cumsum(own) - 1
    if len(Q) < 2:
        still = np.zeros_like(q)
        return Trajectory(np.zeros(len(q)), q, still, still, joint_names, joint_units)
    s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(Q, axis=0) / acceleration, axis=1))])
    first, second = _derivatives(s, Q)
    stages = _bounds(s, first, second, velocity, acceleration)
    x, u = _speeds(stages)
    spans = 2.0 * stages.spans / (np.sqrt(x[:-1]) + np.sqrt(x[1:]))
    spans *= _stretch(Q, spans, velocity, acceleration)
    slower = (stages.spans * 2.0 / (np.sqrt(x[:-1]) + np.sqrt(x[1:]))).sum() / spans.sum()
    times = np.concatenate([[0.0], np.cumsum(spans)])
    rates = np.append(u, u[-1])[:, None]
    speeds, pushes = first * np.sqrt(x)[:, None] * slower, (first * rates + second * x[:, None]) * slower**2
    speeds[[0, -1]] = 0.0  # at rest, to the last bit
    return Trajectory(times[place], q, speeds[place], pushes[place], joint_names, joint_units)


def _derivatives(s: Floats, Q: Floats) -> tuple[Floats, Floats]:
    """(K, n) first and second derivatives along the path, by three points each; at the ends the second is 0."""
    slopes, spans = np.diff(Q, axis=0) / np.diff(s)[:, None], np.diff(s)[:, None]
    first, second = np.zeros_like(Q), np.zeros_like(Q)
    first[0], first[-1] = slopes[0], slopes[-1]
    both = spans[1:] + spans[:-1]
    first[1:-1] = (spans[1:] * slopes[:-1] + spans[:-1] * slopes[1:]) / both
    second[1:-1] = 2.0 * (slopes[1:] - slopes[:-1]) / both
    return first, second


def _bounds(s: Floats, first: Floats, second: Floats, velocity: Floats, acceleration: Floats) -> _Stages:
    """The limits at both ends of every span, as lines in x and u."""
    spans, small = np.diff(s), FLAT * np.abs(first).max()
    with np.errstate(divide="ignore"):
        most: Floats = np.min((velocity / np.maximum(np.abs(first), small)) ** 2, axis=1)
        flat = np.abs(first) <= small
        most = np.minimum(most, np.min(np.where(flat & (second != 0.0), acceleration / np.abs(second), np.inf), axis=1))
    ends = []
    for g, h in ((first[:-1], second[:-1]), (first[1:] + 2.0 * spans[:, None] * second[1:], second[1:])):
        bound = np.abs(g) > small
        safe = np.where(bound, g, 1.0)
        ends.append((np.where(bound, acceleration / np.abs(safe), np.inf), np.where(bound, -h / safe, 0.0)))
    return _Stages(spans, np.hstack([ends[0][0], ends[1][0]]), np.hstack([ends[0][1], ends[1][1]]), most)


def _speeds(stages: _Stages) -> tuple[Floats, Floats]:
    """(K,) squared speeds and (K-1,) rates: backwards what lets the arm stop in time, forwards the most of it."""
    spans, p, r, most = stages
    last = len(spans)
    allowed: Floats = np.zeros(last + 1)
    for i in range(last - 1, -1, -1):
        allowed[i] = _largest(p[i], r[i], spans[i], allowed[i + 1], float(most[i]))
    x, u = np.zeros(last + 1), np.zeros(last)
    for i in range(last):
        highest = float(np.min(p[i] + r[i] * x[i]))
        x[i + 1] = min(max(x[i] + 2.0 * spans[i] * highest, 0.0), allowed[i + 1])
        u[i] = (x[i + 1] - x[i]) / (2.0 * spans[i])
    return np.maximum(x, np.finfo(float).tiny), u


def _largest(p: Floats, r: Floats, span: float, ahead: float, most: float) -> float:
    """The largest x for which some u keeps all bounds and leads to no more than `ahead`, nor below 0."""
    upper_p, upper_r = np.append(p, ahead / (2.0 * span)), np.append(r, -1.0 / (2.0 * span))
    lower_p, lower_r = np.append(-p, 0.0), np.append(r, -1.0 / (2.0 * span))
    x = most if np.isfinite(most) else float(np.max(np.where(np.isfinite(p), p, 0.0)) + ahead + 1.0) * 1e6
    for _ in range(4 * len(p)):  # each round leaves a pair of lines for good
        up, low = upper_p + upper_r * x, lower_p + lower_r * x
        j, k = int(np.argmin(up)), int(np.argmax(low))
        if up[j] - low[k] >= -1e-12 * (abs(up[j]) + abs(low[k])):
            break
        x = max(float((upper_p[j] - lower_p[k]) / (lower_r[k] - upper_r[j])), 0.0)
    return x


def _stretch(Q: Floats, spans: Floats, velocity: Floats, acceleration: Floats) -> float:
    """The factor by which all spans must grow so that differences of the points keep every limit; 1 if they do."""
    speeds = np.diff(Q, axis=0) / spans[:, None]
    resting = np.vstack([np.zeros_like(Q[:1]), speeds, np.zeros_like(Q[:1])])
    middle = 0.5 * (np.append(0.0, spans) + np.append(spans, 0.0))
    pushes = np.diff(resting, axis=0)[1:-1] / middle[1:-1, None]  # the ends start and stop within a span
    faster = float((np.abs(speeds) / velocity).max(initial=0.0))
    harder = float((np.abs(pushes) / acceleration).max(initial=0.0))
    return max(1.0, faster, float(np.sqrt(harder)))
