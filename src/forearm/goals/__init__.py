"""Goals of a robot with several tips: `Goal`, `Relative`, `CenterOfMass`, `LookAt`, `Posture`, `Still`, `Cost`."""

from typing import TYPE_CHECKING, Any

from forearm.errors import unknown_name
from forearm.goals.goal import CenterOfMass, Cost, Goal, LookAt, Posture, Relative, Still

__all__ = ["CenterOfMass", "Cost", "Goal", "LookAt", "Posture", "Relative", "Still"]

if not TYPE_CHECKING:  # who checks types knows the names

    def __getattr__(name: str) -> Any:
        raise unknown_name("forearm.goals", name, __all__)
