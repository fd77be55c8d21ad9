"""Goals from TOML files: what kind of base the robot stands on, where it starts, and one table per goal.

```toml
base = "free"                      # "fixed" by default
joints = ["left_elbow"]            # those that move; all by default
start = { left_elbow = 0.5 }       # where the search starts; anywhere by default

[[goal]]                           # a pose, a point without rpy, a direction with axis
link = "left_hand"
position = [0.4, 0.2, 1.0]
rpy = [0, 1.57, 0]
level = 1
weight = 1.0

[[goal]]
kind = "relative"                  # also "look at" and "centre of mass" with a point, "posture" and "still" with joints
link = "right_hand"
other = "left_hand"
position = [0, -0.3, 0]
```
Metres and radians. Every fault is told with the number of its goal.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from forearm.common.checks import brief
from forearm.common.files import parse_toml, read_file
from forearm.errors import ForearmError, OptionError, nearest_names, within
from forearm.goals.goal import CenterOfMass, Goal, LookAt, Posture, Relative, Still, Wish
from forearm.targets.target import Orientation, PointAxis, Pose, Position, Target

KEYS = ("base", "joints", "start", "goal")
COMMON = ("kind", "level", "weight", "tol", "name")
ALLOWED = {
    "goal": ("link", "position", "rpy", "quat_wxyz", "direction", "tool_axis"),
    "relative": ("link", "other", "position", "rpy", "quat_wxyz"),
    "look at": ("link", "point", "axis"),
    "centre of mass": ("point", "axes", "support", "margin"),
    "posture": ("joints",),
    "still": ("joints",),
}


class GoalFile(NamedTuple):
    """What a file of goals says."""

    base: str
    joints: list[str] | None
    start: dict[str, float] | None
    goals: list[Wish]


def read_goals(path: str | Path) -> GoalFile:
    """The goals of a TOML file."""
    file = Path(path)
    table = parse_toml(read_file(file, "goals"), file.name, OptionError)
    for key in table:
        if key not in KEYS:
            raise OptionError(f"{file.name} has '{key}'; {nearest_names(key, KEYS)}")
    rows = table.get("goal", [])
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise OptionError(f"{file.name} has no goals; each is written [[goal]], with two brackets")
    goals = []
    for i, row in enumerate(rows):
        try:
            goals.append(_goal(row))
        except (ForearmError, TypeError, ValueError) as problem:
            told = problem if isinstance(problem, ForearmError) else str(problem)
            raise OptionError(within(f"goal {i + 1} of {file.name}", told)) from None
    return GoalFile(table.get("base", "fixed"), table.get("joints"), table.get("start"), goals)


def _goal(row: Mapping[str, Any]) -> Wish:
    """One goal of a file."""
    kind = row.get("kind", "goal")
    if not isinstance(kind, str) or kind not in ALLOWED:
        raise OptionError(f"kind is {brief(kind)}; there are: {', '.join(ALLOWED)}")
    for key in row:
        if key not in (*COMMON, *ALLOWED[kind]):
            raise OptionError(f"a {kind} takes no '{key}'; {nearest_names(key, (*COMMON, *ALLOWED[kind]))}")
    about = {key: row[key] for key in ("level", "weight", "name") if key in row}
    more = about | ({"tol": row["tol"]} if "tol" in row else {})
    link = row.get("link")
    if "link" in ALLOWED[kind] and not isinstance(link, str):
        raise OptionError(f"a {kind} needs a link, by name")
    if kind == "relative" and not isinstance(row.get("other"), str):
        raise OptionError("a relative needs other, the link in whose frame it is, by name")
    if "tool_axis" in row and "direction" not in row:
        raise OptionError("a goal with a tool_axis needs the direction that it should point in")
    if kind in ("posture", "still") and not row.get("joints"):
        raise OptionError(f"a {kind} needs joints")
    if kind == "posture":
        return Posture(row.get("joints", {}), **{key: value for key, value in about.items() if key != "level"})
    if kind == "still":
        return Still(row.get("joints", []))
    if kind == "look at":
        return LookAt(str(link), row.get("point", ()), **more, **{key: row[key] for key in ("axis",) if key in row})
    if kind == "centre of mass":
        return CenterOfMass(**more, **{key: row[key] for key in ALLOWED[kind] if key in row})
    if kind == "relative":
        return Relative(str(link), str(row.get("other")), _pose(row).goal, rotation=_turned(row), **more)
    return Goal(str(link), _target(row), **about)


def _turned(row: Mapping[str, Any]) -> bool:
    """Whether a goal asks for a rotation."""
    return "rpy" in row or "quat_wxyz" in row


def _pose(row: Mapping[str, Any]) -> Pose:
    """The pose of a goal; without a rotation the identity."""
    rotation = {key: row[key] for key in ("rpy", "quat_wxyz") if key in row} or {"rpy": [0.0, 0.0, 0.0]}
    return Pose(row.get("position", [0.0, 0.0, 0.0]), **rotation, **({"tol": row["tol"]} if "tol" in row else {}))


def _target(row: Mapping[str, Any]) -> Target:
    """The target of a goal: a pose, a point, an orientation, or a point and a direction."""
    tol = {"tol": row["tol"]} if "tol" in row else {}
    if "direction" in row:
        axis = {"tool_axis": row["tool_axis"]} if "tool_axis" in row else {}
        return PointAxis(row.get("position", ()), row["direction"], **axis, **tol)
    if "position" in row:
        return _pose(row) if _turned(row) else Position(row["position"], **tol)
    if not _turned(row):
        raise OptionError("a goal needs a position, a rotation (rpy or quat_wxyz) or a direction")
    return Orientation(_pose({key: row[key] for key in row if key != "tol"}).goal[:3, :3], **tol)
