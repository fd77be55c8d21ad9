"""What arms and chains work among: obstacles, and scenes of them."""

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
