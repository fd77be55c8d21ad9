"""What kernels hand to each other: a robot, a goal, and the scratch of a measurement.

Python hands kernels flat arrays and numbers; what enters is opened once and travels as these named
tuples from there on. They cost nothing: compiled code passes their parts.
"""

from typing import Any, NamedTuple


class Robot(NamedTuple):
    """A chain and its limits, as `core/codes.py` describes them."""

    links: Any  # (m+1, 3, 4)
    joints: Any  # (m, 3)
    limits: Any  # (2, n)


class Goal(NamedTuple):
    """What the tip shall meet, as `core/codes.py` describes it."""

    pose: Any  # (4, 4)
    kind: Any  # int
    terms: Any  # (14,)


class Gauge(NamedTuple):
    """What a measurement of the tip works with and leaves behind."""

    trig: Any  # (3, k >= m) angles, sines and cosines of the joints
    T: Any  # (4, 4) pose of the tip
    e: Any  # (6,) its error
