"""pyfabrik (PyPI): FABRIK in plain Python.

Its vectors come from `vectormath`, whose arithmetic gives bare arrays with NumPy 2, so pyfabrik is handed
vectors of three floats, which are faster. It has no cap on sweeps: targets must lie well inside its reach.
"""

import math
from dataclasses import dataclass


@dataclass(slots=True)
class Vector:
    """What pyfabrik asks of a vector, and no more."""

    x: float
    y: float
    z: float

    def __add__(self, other):
        """Sum."""
        return Vector(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other):
        """Difference."""
        return Vector(self.x - other.x, self.y - other.y, self.z - other.z)

    def __rmul__(self, k):
        """Multiple."""
        return Vector(k * self.x, k * self.y, k * self.z)

    @property
    def length(self):
        """Its length."""
        return math.sqrt(self.x * self.x + self.y * self.y + self.z * self.z)


class PyFabrik:
    """A chain without limits, from the same straight start each time."""

    name = "pyfabrik"

    def __init__(self, points, tolerance):
        import pyfabrik  # noqa: PLC0415 (a peer, may be missing)

        self.points, self.tolerance = [tuple(map(float, point)) for point in points], float(tolerance)
        self.solver = pyfabrik.Fabrik3D

    def solve(self, target):
        """(n+1, 3) points for a target, right or wrong."""
        chain = self.solver([Vector(*point) for point in self.points], self.tolerance)
        chain.move_to(Vector(*target.tolist()))
        return [(p.x, p.y, p.z) for p in chain.joints]
