"""Obstacles of a page, and the one place that says which figures are solved among them.

A page offers obstacles only where solving reacts to them: `takes_obstacles` looks at what the
figure's own `solve` accepts, so a figure that learns to avoid them gets them without another edit.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.viewer.controls import clamped, move, on_drag, on_press
from forearm.viewer.shapes import Mesh, ball, capsule
from forearm.viewer.theme import GIZMO_SHARE, OBSTACLE, TOUCHED

Floats = NDArray[np.float64]

KINDS = ("sphere", "capsule", "box")
MOST = 12  # obstacles of a page
RADIUS_PER_REACH = 0.10  # of a new one


def takes_obstacles(solve: Callable[..., Any]) -> bool:
    """Whether a `solve` reacts to obstacles."""
    return "obstacles" in inspect.signature(solve).parameters


@dataclass
class Thing:
    """An obstacle in the page.

    Attributes:
        kind: One of `KINDS`.
        size: Radius of a sphere or capsule, half an edge of a box [m]; a capsule's axis is four times as long.
        T: (4, 4) its pose; a capsule lies along z.
        gizmo: Its handle in the page.
        mesh: Its body in the page.
    """

    kind: str
    size: float
    T: Floats
    gizmo: Any
    mesh: Any

    def solid(self) -> Any:
        """The obstacle as a solve takes it."""
        from forearm import obstacles  # noqa: PLC0415 (only where a solve takes them)

        centre, along = self.T[:3, 3], 2.0 * self.size * self.T[:3, 2]
        if self.kind == "sphere":
            return obstacles.Sphere(centre, self.size)
        if self.kind == "capsule":
            return obstacles.Capsule(centre - along, centre + along, self.size)
        return obstacles.Box(centre, [2.0 * self.size] * 3, self.T[:3, :3])


def body(kind: str, size: float) -> Mesh:
    """The mesh of an obstacle about its origin."""
    if kind == "sphere":
        return ball(size)
    if kind == "capsule":
        return capsule((0.0, 0.0, -2.0 * size), (0.0, 0.0, 2.0 * size), size)
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))]
    return size * corners, np.array(faces)
