"""What scenes are made of: meshes, copies of a mesh, lines, handles; and a group that is shown or hidden as one."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from forearm.common.palette import Rgb
from forearm.common.types import Floats
from forearm.viewer.shared.shapes import Mesh, ball


def add_mesh(host: Any, name: str, mesh: Mesh, colour: Rgb, **look: Any) -> Any:
    """A mesh of one colour in the scene of a viser client."""
    vertices, faces = mesh
    return host.scene.add_mesh_simple(name, vertices.astype(np.float32), faces.astype(np.uint32), color=colour, **look)


def add_ball(host: Any, name: str, radius: float, colour: Rgb, **look: Any) -> Any:
    """A ball [m]."""
    return add_mesh(host, name, ball(radius), colour, **look)


def add_copies(host: Any, name: str, mesh: Mesh, sizes: ArrayLike, colour: Rgb, **look: Any) -> Any:
    """A mesh drawn as often as there are (k,) sizes, by one message, all at the origin at first."""
    vertices, faces = mesh
    scales = np.repeat(np.asarray(sizes, np.float32)[:, None], 3, axis=1)
    count = len(scales)
    return host.scene.add_batched_meshes_simple(
        name,
        vertices.astype(np.float32),
        faces.astype(np.uint32),
        batched_wxyzs=np.tile(np.array([1, 0, 0, 0], np.float32), (count, 1)),
        batched_positions=np.zeros((count, 3), np.float32),
        batched_scales=scales,
        batched_colors=np.tile(np.array(colour, np.uint8), (count, 1)),
        lod="off",
        **look,
    )


def add_lines(host: Any, name: str, colour: Rgb, thickness: float = 3.0, **look: Any) -> Any:
    """Lines, none at first; `thickness` in pixels."""
    none = np.zeros((1, 2, 3), np.float32)
    return host.scene.add_line_segments(name, none, colour, thickness=thickness, thickness_units="screen", **look)


def draw_way(lines: Any, points: Floats) -> None:
    """Lets lines run through (k, 3) points."""
    lines.points = np.stack([points[:-1], points[1:]], axis=1).astype(np.float32)


def add_handle(
    host: Any, name: str, size: float, position: Floats, turns: bool = False, line_width: float = 3.0
) -> Any:
    """A handle of a size [m] that is dragged, and turned too if it may be; its lines in pixels."""
    gizmo = host.scene.add_transform_controls(
        name, scale=size, disable_rotations=not turns, depth_test=False, line_width=line_width
    )
    gizmo.position = position
    return gizmo


class Group:
    """Nodes that are shown, hidden and removed as one.

    Args:
        host: A viser client.
        root: Name of the node that all others hang under.
    """

    def __init__(self, host: Any, root: str) -> None:
        self.host = host
        self.root = host.scene.add_frame(root, show_axes=False)

    def set_visible(self, visible: bool) -> None:
        """Shows or hides all of it."""
        if self.root.visible != visible:
            self.root.visible = visible

    def remove(self) -> None:
        """Takes it out of the page."""
        self.root.remove()
