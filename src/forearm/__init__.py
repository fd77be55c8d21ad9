"""Inverse kinematics for robot arms and bone chains.

Give it an arm and a target; get joint values inside the limits, to a micrometre, or the nearest
pose and the reason why not.
"""

from forearm import joints, scenes
from forearm.chain import Chain
from forearm.common.checks import nearest_rigid
from forearm.errors import ForearmError
from forearm.models.catalog import list_robots
from forearm.results.solution import Solution, Status
from forearm.results.track import Track
from forearm.robot import Robot, load
from forearm.scale.reach_map import load_map
from forearm.scenes.shapes import Box, Capsule, Sphere
from forearm.skeleton import Skeleton
from forearm.targets.target import Orientation, PointAxis, Pose, Position

__version__ = "0.1.0"

__all__ = [
    "Box",
    "Capsule",
    "Chain",
    "ForearmError",
    "Orientation",
    "PointAxis",
    "Pose",
    "Position",
    "Robot",
    "Skeleton",
    "Solution",
    "Sphere",
    "Status",
    "Track",
    "joints",
    "list_robots",
    "load",
    "load_map",
    "nearest_rigid",
    "scenes",
]
