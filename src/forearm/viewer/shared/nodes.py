"""What scenes are made of: meshes, copies of a mesh, lines, handles."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from forearm.common.palette import Rgb
from forearm.common.transforms import to_quaternion
from forearm.common.types import Floats
from forearm.plot.obstacles import faces_of, points_of
from forearm.scenes.scene import PointCloud
from forearm.scenes.shapes import Box, Capsule, Cylinder, Obstacle, Sphere
from forearm.scenes.solids import DistanceField
from forearm.viewer.shared.shapes import Mesh, ball, block, capsule, cone_between, joined

# How a handle without a direction of its own stands: all its arrows come toward the first camera. An arrow that goes
# away from it is drawn behind the squares that move a thing in a plane, and these are gripped in its place.
FACING = np.array([[0.0, 1.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])


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


def add_obstacle(host: Any, name: str, obstacle: Obstacle, colour: Rgb) -> Any:
    """An obstacle of any kind where it stands; clouds and fields as points."""
    if isinstance(obstacle, (PointCloud, DistanceField)):
        points = points_of(obstacle).astype(np.float32)
        return host.scene.add_point_cloud(name, points, colours_of(len(points), colour), point_size=0.008)
    return add_mesh(host, name, obstacle_mesh(obstacle), colour, opacity=0.85, side="double")


def colours_of(count: int, colour: Rgb) -> NDArray[np.uint8]:
    """(count, 3) one colour for all."""
    return np.tile(np.array(colour, np.uint8), (count, 1))


def obstacle_mesh(obstacle: Obstacle) -> Mesh:
    """The surface of an obstacle that has one."""
    if isinstance(obstacle, Sphere):
        vertices, faces = ball(obstacle.radius, 32)
        return vertices + obstacle.center, faces
    if isinstance(obstacle, Capsule):
        return capsule(obstacle.a, obstacle.b, obstacle.radius, 32)
    if isinstance(obstacle, Cylinder):
        return cone_between(obstacle.a, obstacle.b, obstacle.radius, obstacle.radius)
    if isinstance(obstacle, Box):
        vertices, faces = block(obstacle.size)
        return vertices @ np.array(obstacle.rotation).T + obstacle.center, faces
    return joined([(face, np.array([[0, k, k + 1] for k in range(1, len(face) - 1)])) for face in faces_of(obstacle)])


def draw_way(lines: Any, points: Floats) -> None:
    """Lets lines run through (k, 3) points."""
    lines.points = np.stack([points[:-1], points[1:]], axis=1).astype(np.float32)


def add_handle(
    host: Any, name: str, size: float, position: Floats, turns: bool = False, line_width: float = 3.0
) -> Any:
    """A handle of a size [m] that is dragged, and turned too if it may be; its lines in pixels."""
    return host.scene.add_transform_controls(
        name,
        scale=size,
        disable_rotations=not turns,
        depth_test=False,
        line_width=line_width,
        position=position,
        wxyz=to_quaternion(FACING[:3, :3]),
    )
