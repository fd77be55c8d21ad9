"""Units at the border of the command line: radians and metres inside, what the flags say outside."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from forearm.common.types import Floats

MM_PER_M = 1000.0
# A number with its unit in a sentence, such as `0.0123 m`; what stands in quotes is somebody's name. A number of
# joints of both kinds (`0.1 rad or m`) stays as it is.
MEASURED = re.compile(r"(?<![\w.'])(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?) (m|rad)\b(?! or m\b)(?!['\w])")


@dataclass(frozen=True)
class Units:
    """Whether angles are degrees and lengths millimetres, for input and output alike."""

    deg: bool = False
    mm: bool = False

    @property
    def per_radian(self) -> float:
        """How many of the angle's unit make a radian."""
        return math.degrees(1.0) if self.deg else 1.0

    @property
    def per_metre(self) -> float:
        """How many of the length's unit make a metre."""
        return MM_PER_M if self.mm else 1.0

    @property
    def angle(self) -> str:
        """The angle's unit."""
        return "deg" if self.deg else "rad"

    @property
    def length(self) -> str:
        """The length's unit."""
        return "mm" if self.mm else "m"

    def joint(self, kinds: Sequence[str]) -> str:
        """The unit of a column of joint values of these kinds."""
        sliding = [kind == "prismatic" for kind in kinds]
        if any(sliding):
            return self.length if all(sliding) else f"{self.angle} or {self.length}"
        return self.angle

    def per_joint(self, kinds: Sequence[str]) -> list[float]:
        """How many of its unit make a radian or a metre, for joints of these kinds."""
        return [self.per_metre if kind == "prismatic" else self.per_radian for kind in kinds]

    def names(self, kinds: Sequence[str]) -> list[str]:
        """The unit of each joint of these kinds."""
        return [self.length if kind == "prismatic" else self.angle for kind in kinds]

    def read_joints(self, values: Sequence[float], kinds: Sequence[str]) -> Floats:
        """Joint values in radians and metres."""
        return np.array([value / s for value, s in zip(values, self.per_joint(kinds), strict=True)])

    def read_lengths(self, values: Sequence[float]) -> Floats:
        """Lengths in metres."""
        return np.array(values) / self.per_metre

    def read_angles(self, values: Sequence[float]) -> Floats:
        """Angles in radians."""
        return np.array(values) / self.per_radian

    def show_joint(self, value: float, kind: str) -> str:
        """A joint value in the chosen unit."""
        if math.isinf(value):
            return "none"
        prismatic = kind == "prismatic"
        scaled = float(value) * (self.per_metre if prismatic else self.per_radian)
        digits = 3 if (self.mm if prismatic else self.deg) else 6
        return f"{round(scaled, digits) + 0.0:.{digits}f}"  # no negative zeros

    def show_length(self, value: float) -> str:
        """A length in the chosen unit."""
        return "unbounded" if math.isinf(value) else f"{value * self.per_metre:.4g} {self.length}"

    def words(self, sentence: str) -> str:
        """A sentence of the library with its lengths and angles in the chosen units."""

        def scaled(found: re.Match[str]) -> str:
            per, unit = (self.per_metre, self.length) if found[2] == "m" else (self.per_radian, self.angle)
            return f"{float(found[1]) * per:.3g} {unit}" if per != 1.0 else found[0]

        return MEASURED.sub(scaled, sentence) if self.deg or self.mm else sentence

    def show_errors(self, position: float, rotation: float) -> str:
        """What a solution is off by, in the chosen units."""
        length, angle = position * self.per_metre, rotation * self.per_radian
        return f"position error {length:.2e} {self.length}   rotation error {angle:.2e} {self.angle}"


def with_unit(name: str, unit: str) -> str:
    """What a column of a table is called, with its unit if it has one: `q_elbow [rad]`."""
    return f"{name} [{unit}]" if unit else name
