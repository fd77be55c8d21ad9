"""Inverse kinematics for robot arms and bone chains.

Give it an arm and a target; get joint values inside the limits, to a micrometre, or the nearest
pose and the reason why not.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from forearm import goals, joints, scenes
    from forearm.bones.clips.clip import Clip
    from forearm.chain import Chain
    from forearm.common.checks import nearest_rigid
    from forearm.errors import ForearmError
    from forearm.models.catalog import list_robots
    from forearm.results.solution import Solution, Status
    from forearm.results.track import Track
    from forearm.retargeting.retarget import retarget as retarget
    from forearm.robot import Robot, load
    from forearm.scale.reach_map import load_map
    from forearm.scenes.shapes import Box, Capsule, Sphere
    from forearm.skeleton import Skeleton
    from forearm.targets.target import Orientation, PointAxis, Pose, Position
    from forearm.targets.twist import Twist
    from forearm.tracking.servo import Servo
    from forearm.tree import Tree
    from forearm.viewer.show import show

__version__ = "0.1.0"

__all__ = [
    "Box",
    "Capsule",
    "Chain",
    "Clip",
    "ForearmError",
    "Orientation",
    "PointAxis",
    "Pose",
    "Position",
    "Robot",
    "Servo",
    "Skeleton",
    "Solution",
    "Sphere",
    "Status",
    "Track",
    "Tree",
    "Twist",
    "goals",
    "joints",
    "list_robots",
    "load",
    "load_map",
    "nearest_rigid",
    "scenes",
    "show",
]

# Where a name stands: it is imported when it is first asked for, so that a program waits for nothing it does not use.
_HOMES = {
    "Box": "scenes.shapes",
    "Capsule": "scenes.shapes",
    "Chain": "chain",
    "Clip": "bones.clips.clip",
    "ForearmError": "errors",
    "Orientation": "targets.target",
    "PointAxis": "targets.target",
    "Pose": "targets.target",
    "Position": "targets.target",
    "Robot": "robot",
    "Servo": "tracking.servo",
    "Skeleton": "skeleton",
    "Solution": "results.solution",
    "Sphere": "scenes.shapes",
    "Status": "results.solution",
    "Track": "results.track",
    "Tree": "tree",
    "Twist": "targets.twist",
    "list_robots": "models.catalog",
    "load": "robot",
    "load_map": "scale.reach_map",
    "nearest_rigid": "common.checks",
    "retarget": "retargeting.retarget",
    "show": "viewer.show",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(f"forearm.{_HOMES[name]}"), name)
    else:
        try:  # modules of the package: `forearm.scenes`, `forearm.plot`
            value = import_module(f"forearm.{name}")
        except ModuleNotFoundError as fault:
            if fault.name != f"forearm.{name}":
                raise
            from forearm.errors import unknown_name  # noqa: PLC0415 (only a fault asks)

            raise unknown_name("forearm", name, __all__) from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES, *__all__} - {"Any", "TYPE_CHECKING", "import_module"})
