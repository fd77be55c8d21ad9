"""What a solve is asked for."""

from forearm.targets.target import Orientation, PointAxis, Pose, Position

__all__ = ["Orientation", "PointAxis", "Pose", "Position"]
