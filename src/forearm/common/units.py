"""Units at the border of the command line: radians and metres inside, what the flags say outside."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from forearm.common.types import Floats

MM_PER_M = 1000.0


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

    def read_joints(self, values: Sequence[float], kinds: Sequence[str]) -> Floats:
        """Joint values in radians and metres."""
        scale = [self.per_metre if kind == "prismatic" else self.per_radian for kind in kinds]
        return np.array([value / s for value, s in zip(values, scale, strict=True)])

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
        return f"{scaled:.3f}" if (self.mm if prismatic else self.deg) else f"{scaled:.6f}"

    def show_length(self, value: float) -> str:
        """A length in the chosen unit."""
        return "unbounded" if math.isinf(value) else f"{value * self.per_metre:.4g} {self.length}"

    def show_errors(self, position: float, rotation: float) -> str:
        """What a solution is off by, in the chosen units."""
        length, angle = position * self.per_metre, rotation * self.per_radian
        return f"position error {length:.2e} {self.length}   rotation error {angle:.2e} {self.angle}"
