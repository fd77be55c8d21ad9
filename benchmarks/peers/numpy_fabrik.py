"""FABRIK as one would write it with NumPy: a loop over bones of vector operations."""

import numpy as np


class NumpyFabrik:
    """A chain without limits, from the same start each time."""

    name = "plain NumPy"

    def __init__(self, points, tolerance, max_sweeps=1000):
        self.points, self.tolerance, self.max_sweeps = np.array(points, dtype=float), tolerance, max_sweeps
        self.lengths = np.linalg.norm(np.diff(self.points, axis=0), axis=1)

    def solve(self, target):
        """(n+1, 3) points for a target, right or wrong."""
        points, base, n = self.points.copy(), self.points[0].copy(), len(self.lengths)
        for _ in range(self.max_sweeps):
            if np.linalg.norm(points[-1] - target) <= self.tolerance:
                break
            points[-1] = target
            for i in range(n - 1, -1, -1):
                back = points[i] - points[i + 1]
                points[i] = points[i + 1] + back * (self.lengths[i] / np.linalg.norm(back))
            points[0] = base
            for i in range(n):
                along = points[i + 1] - points[i]
                points[i + 1] = points[i] + along * (self.lengths[i] / np.linalg.norm(along))
        return points
