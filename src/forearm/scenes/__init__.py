"""What arms and chains work among: obstacles, and scenes of them."""

from importlib import import_module
from typing import Any

from forearm.errors import unknown_name
from forearm.scenes.scene import HalfSpace, Mesh, PointCloud, Scene, as_scene, read_mesh
from forearm.scenes.shapes import Box, Capsule, Cylinder, Sphere
from forearm.scenes.solids import ConvexHull, DistanceField, HeightField

__all__ = [
    "Box",
    "Capsule",
    "ConvexHull",
    "Cylinder",
    "DistanceField",
    "HalfSpace",
    "HeightField",
    "Mesh",
    "PointCloud",
    "Scene",
    "Sphere",
    "as_scene",
    "read_mesh",
]


def __getattr__(name: str) -> Any:
    if name == "read_world":  # it knows robots' files, and so stands above; imported when it is asked for
        return import_module("forearm.arm.worlds").read_world
    raise unknown_name("forearm.scenes", name, [*__all__, "read_world"])
