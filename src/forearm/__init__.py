"""Inverse kinematics for robot arms and bone chains.

Give it an arm and a target; get joint values inside the limits, to a micrometre, or the nearest
pose and the reason why not.
"""

from forearm import errors
from forearm.arrays import nearest_rigid
from forearm.errors import ForearmError
from forearm.models.catalog import list_robots
from forearm.robot import Robot, load
from forearm.solution import Solution, Status
from forearm.targets import Orientation, PointAxis, Pose, Position
from forearm.track import Track

__version__ = "0.1.0"

__all__ = [
    "ForearmError",
    "Orientation",
    "PointAxis",
    "Pose",
    "Position",
    "Robot",
    "Solution",
    "Status",
    "Track",
    "errors",
    "list_robots",
    "load",
    "nearest_rigid",
]
