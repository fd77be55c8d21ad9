"""Goals of a robot with several tips: `Goal`, `Relative`, `CenterOfMass`, `LookAt`, `Posture`, `Still`, `Cost`."""

from forearm.goals.goal import CenterOfMass, Cost, Goal, LookAt, Posture, Relative, Still

__all__ = ["CenterOfMass", "Cost", "Goal", "LookAt", "Posture", "Relative", "Still"]
