"""What goes in: poses, points, orientations, axes; one of them, many, or a file."""

from forearm.targets.target import Orientation, PointAxis, Pose, Position

__all__ = ["Orientation", "PointAxis", "Pose", "Position"]
