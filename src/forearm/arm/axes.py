"""How a robot's joint axes lie in space: parallel, meeting, or skew.

Read at the zero configuration from the packed arrays, not from names or table rows. What two
neighbouring axes have in common does not change when the joints move. Plain numpy: a robot is
loaded without compiling anything.
"""

from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np
from numpy.typing import NDArray

from forearm.common.types import Floats
from forearm.core.codes import KIND, PRISMATIC
from forearm.models.model import Model

PARALLEL = 1e-5  # sine of the angle between axes that count as parallel
MEETING = 1e-5  # distance between axes that count as meeting [m]
# Axes have one point in common, not a line, if the least singular value of their equations exceeds this.
SPREAD = 1e-3


@dataclass(frozen=True, eq=False)
class Axes:
    """The lines that joints move about or along, and the tip, at the zero configuration."""

    H: Floats  # (m, 3) unit directions
    P: Floats  # (m, 3) a point on each [m]
    M: Floats  # (4, 4) the tip's pose
    slides: NDArray[np.bool_]  # (m,) whether a joint is prismatic

    def parallel(self, i: int, j: int) -> bool:
        """Whether two axes are parallel."""
        return float(np.linalg.norm(np.cross(self.H[i], self.H[j]))) < PARALLEL

    def meet(self, i: int, j: int) -> bool:
        """Whether two axes meet in one point."""
        if self.parallel(i, j):
            return False
        normal = np.cross(self.H[i], self.H[j])
        return abs(float(normal @ (self.P[j] - self.P[i]))) / float(np.linalg.norm(normal)) < MEETING

    def common_point(self, *joints: int) -> Floats | None:
        """(3,) the point that neighbouring axes have in common, by least squares; None if they have none.

        The first and the last of three may coincide at the zero configuration, as a wrist's do.
        """
        rows = list(joints)
        if any(self.parallel(i, j) for i, j in pairwise(rows)):
            return None
        A = np.concatenate([np.eye(3) - np.outer(h, h) for h in self.H[rows]])
        b = np.concatenate([p - h * (h @ p) for h, p in zip(self.H[rows], self.P[rows], strict=True)])
        point: Floats
        point, _, _, spread = np.linalg.lstsq(A, b, rcond=None)
        apart = np.linalg.norm((A @ point - b).reshape(-1, 3), axis=1)
        return point if apart.max() < MEETING and spread[-1] > SPREAD else None


def axes_of(model: Model) -> Axes:
    """The axes of a chain."""
    T = np.eye(4)
    H, P = np.empty((model.m, 3)), np.empty((model.m, 3))
    for i, link in enumerate(model.links):
        T = T @ np.vstack([link, [0.0, 0.0, 0.0, 1.0]])
        if i < model.m:
            H[i], P[i] = T[:3, 2], T[:3, 3]
    return Axes(H, P, T, np.asarray(model.joints[:, KIND] == PRISMATIC))


def describe_axes(model: Model) -> str:
    """A line such as `6R; axes 2, 3, 4 parallel; axes 1-2, 4-5, 5-6 meet`, joints counted from 1."""
    axes = axes_of(model)
    parts = [joint_pattern(model)]
    for parallel, run in groupby(range(model.m - 1), lambda i: axes.parallel(i, i + 1)):
        joints = [i + 1 for i in run]
        if parallel:
            parts.append(f"axes {', '.join(map(str, [*joints, joints[-1] + 1]))} parallel")
    if meeting := [f"{i + 1}-{i + 2}" for i in range(model.m - 1) if axes.meet(i, i + 1)]:
        parts.append(f"axes {', '.join(meeting)} meet")
    if model.mimics:
        parts.append(f"{', '.join(model.mimics)} follow other joints")
    return "; ".join(parts)


def joint_pattern(model: Model) -> str:
    """The kinds of the moving joints in order, runs counted: `6R`, `2RPR`."""
    letters = ("P" if joint[KIND] == PRISMATIC else "R" for joint in model.joints)
    runs = ((letter, len(list(run))) for letter, run in groupby(letters))
    return "".join(f"{count}{letter}" if count > 1 else letter for letter, count in runs)
