"""What comes back when a clip is carried over to a robot: joint values at times, and what became of each goal."""

import csv
import io
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.common.transforms import quaternions
from forearm.common.types import Floats
from forearm.errors import OptionError, counted

BASE = ("base/x", "base/y", "base/z", "base/qw", "base/qx", "base/qy", "base/qz")


@dataclass(frozen=True, eq=False, repr=False)
class Retargeted:
    """A clip's motion on a robot.

    Attributes:
        joint_names: The joints.
        times: (F,) when the robot is there [s]: the clip's own times, later where it was held back.
        q: (F, n) joint values, inside the limits [rad or m].
        base: (F, 4, 4) pose of the base in the world; the floor is z = 0.
        free: Whether the base is free.
        goals: What it was asked for, by the parts of the map.
        error: (F, g) how far each goal's point is from where it should be [m].
        rotation_error: (F, g) by which angle it is turned from how it should be [rad]; 0 if it asks for none.
        stands: (F, g) whether the goal is a foot that stands.
        slide: The farthest that a foot moves while it stands [m].
        held_back: (F,) whether a frame comes later after the one before than in the clip.
        jumps: Frames at which a joint stands at the edge of how far it may go from one frame to the next.
        touching: (frame, link, link) of links that touch, at most one pair a frame.
        clearance: (F,) least distance between links that may not touch, of their capsules [m]; none if not looked at.
        map: Part to (bone, link).
        seconds: How long it took [s].
        ghost: (F, J, 3) the joints of the clip as the robot sees them: turned to its axes, scaled to its legs [m].
        ghost_parents: (J,) the joint that each hangs on, -1 for none.
    """

    joint_names: tuple[str, ...]
    times: Floats
    q: Floats
    base: Floats
    free: bool
    goals: tuple[str, ...]
    error: Floats
    rotation_error: Floats
    stands: NDArray[np.bool_]
    slide: float
    held_back: NDArray[np.bool_]
    jumps: tuple[int, ...]
    touching: tuple[tuple[int, str, str], ...]
    clearance: Floats
    map: dict[str, tuple[str, str]]
    seconds: float
    ghost: Floats
    ghost_parents: NDArray[np.int64]

    def __len__(self) -> int:
        """How many frames it has."""
        return len(self.times)

    @property
    def worst(self) -> dict[str, float]:
        """By goal, its greatest error over all frames [m]; of goals without a point [rad]."""
        return {name: float(values.max()) for name, values in zip(self.goals, self._errors().T, strict=True)}

    @property
    def rms(self) -> dict[str, float]:
        """By goal, the root of its mean squared error [m]; of goals without a point [rad]."""
        squares = (self._errors() ** 2).mean(axis=0)
        return {name: float(np.sqrt(value)) for name, value in zip(self.goals, squares, strict=True)}

    def _errors(self) -> Floats:
        """(F, g) the error in metres, of goals that ask for a turn alone in radians."""
        only_turns = (self.error == 0.0).all(axis=0)
        return np.where(only_turns, self.rotation_error, self.error)

    @property
    def reason(self) -> str:
        """What became of it, in a sentence."""
        hands = [f"{name} {value * 1e3:.1f}" for name, value in self.rms.items() if name in self._pointed()]
        told = [
            f"{counted(len(self), 'frame')} in {self.times[-1] - self.times[0]:.3g} s",
            f"{int(self.held_back.sum())} held back",
            f"feet slide by at most {self.slide * 1e3:.2g} mm" if self.stands.any() else "no foot stands",
            f"rms [mm]: {', '.join(hands)}",
        ]
        if self.jumps:
            told.append(f"jumps at {', '.join(map(str, self.jumps[:5]))}{' ...' if len(self.jumps) > 5 else ''}")
        if self.touching:
            frame, one, other = self.touching[0]
            told.append(f"{counted(len(self.touching), 'frame')} with links that touch, first {frame}: {one}, {other}")
        return "; ".join(told)

    def _pointed(self) -> list[str]:
        """The goals that ask for a point."""
        asks: list[bool] = np.atleast_1d((self.error > 0.0).any(axis=0)).tolist()
        return [name for name, counts in zip(self.goals, asks, strict=True) if counts]

    @property
    def success(self) -> bool:
        """Whether no joint jumps, no links touch and no foot slides by more than 2 mm."""
        return not self.jumps and not self.touching and self.slide <= 2e-3

    def to_dict(self) -> dict[str, Any]:
        """What became of it as plain data, for JSON; without the joint values."""
        return {
            "frames": len(self),
            "seconds": float(self.times[-1] - self.times[0]),
            "held_back": int(self.held_back.sum()),
            "slide": self.slide,
            "worst": self.worst,
            "rms": self.rms,
            "jumps": list(self.jumps),
            "touching": [list(row) for row in self.touching],
            "map": {part: list(pair) for part, pair in self.map.items()},
            "frames_a_second": len(self) / self.seconds if self.seconds > 0.0 else 0.0,
        }

    def write(self, path: str | Path) -> None:
        """Writes a CSV: time [s], the pose of a free base (place, quaternion w, x, y, z), then the joints by name."""
        columns = [self.times[:, None], self.q]
        names = ["time", *self.joint_names]
        if self.free:
            turns = quaternions(self.base[:, None, :3, :3])[:, 0]
            columns = [self.times[:, None], self.base[:, :3, 3], turns, self.q]
            names = ["time", *BASE, *self.joint_names]
        write_table(path, names, np.hstack(columns))

    def write_report(self, path: str | Path) -> None:
        """Writes a CSV of what became of every goal in every frame.

        Columns are time [s], held_back and jump (0 or 1), clearance [m] (empty where it was not looked at), and for
        each goal its error [m], its angle [rad], and for feet whether it stands.
        """
        count = len(self)
        jumps = np.isin(np.arange(count), self.jumps)
        clearance = self.clearance if len(self.clearance) else np.full(count, np.nan)
        names, columns = ["time", "held_back", "jump", "clearance"], [self.times, self.held_back, jumps, clearance]
        for k, goal in enumerate(self.goals):
            names += [f"{goal}/error", f"{goal}/angle"]
            columns += [self.error[:, k], self.rotation_error[:, k]]
            if goal.endswith("foot"):
                names.append(f"{goal}/stands")
                columns.append(self.stands[:, k])
        write_table(path, names, np.column_stack(columns).astype(float))

    def __repr__(self) -> str:
        """One line: what became of it."""
        return f"Retargeted({self.reason})"


def write_table(path: str | Path, names: list[str], rows: Floats) -> None:
    """Writes numbers as a CSV with a line of names; what is no number is left empty."""
    target = Path(path)
    if target.suffix.lower() != ".csv":
        raise OptionError(f"'{target.name}' ends in '{target.suffix}'; motions are written as .csv")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([["" if math.isnan(value) else f"{value:.9g}" for value in row] for row in rows.tolist()])
    target.write_text(text.getvalue())
