"""What pictures are given: robots, joint values, motions and targets, in every shape that a user holds them."""

import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from forearm.common.checks import as_floats, brief
from forearm.common.types import Floats
from forearm.errors import OptionError
from forearm.results.batch import BatchSolution
from forearm.results.solution import Solution
from forearm.results.track import Track
from forearm.robot import Robot
from forearm.targets.target import Orientation, Pose, Target, as_target

Joints = ArrayLike | Solution
Motion = ArrayLike | Track | BatchSolution | Sequence[Solution]
Wanted = ArrayLike | Target | None  # what a tip was asked for, if it is to be drawn


def require_robot(robot: Any) -> None:
    """Refuses what is no robot."""
    if not isinstance(robot, Robot):
        raise OptionError(
            f"robot is a {type(robot).__name__}; this picture takes a Robot; bones are drawn by draw_chains"
        )


def joints_of(q: Joints) -> Any:
    """Joint values, of a solution those that it holds."""
    return q.q if isinstance(q, Solution) else q


def rows_of(robot: Robot, motion: Motion, name: str = "Q") -> Floats:
    """(M, n) joint values of an arm, at least one row of them."""
    require_robot(robot)
    if isinstance(motion, str | os.PathLike):
        raise OptionError(
            f"{name} is {brief(str(motion))}, a name; it takes (M, {robot.n}) joint values, or a track of them"
        )
    if isinstance(motion, Track | BatchSolution):
        motion = motion.q
    elif isinstance(motion, Sequence):
        motion = [joints_of(each) for each in motion]
    rows = as_floats(motion, name, OptionError)
    if rows.ndim != 2 or rows.shape[1] != robot.n or not len(rows):
        raise OptionError(
            f"{name} has shape {rows.shape}; it takes (M, {robot.n}) joint values of {robot.name}, M from 1"
        )
    return rows


def place_of(target: ArrayLike | Target) -> tuple[Floats, bool]:
    """The (4, 4) goal of a target, and whether its axes are asked for, too, and not its point alone."""
    wanted = as_target(target)
    if isinstance(wanted, Orientation):
        raise OptionError("target is an Orientation, and an Orientation has no place to be drawn at; leave it out")
    return wanted.goal, isinstance(wanted, Pose)


def require_place(path: str | Path, endings: Collection[str]) -> Path:
    """The path, if a picture can be written there: its name ends as one of these, and its folder is there."""
    if not isinstance(path, (str, os.PathLike)):
        raise OptionError(
            f"path is a {type(path).__name__}; it takes the name of the file to write, as 'arm{sorted(endings)[0]}'"
        )
    file = Path(path)
    if file.suffix.lower() not in endings:
        allowed = ", ".join(sorted(endings))
        raise OptionError(f"path is {brief(str(path))}; its name must end in one of: {allowed}")
    if not file.parent.is_dir():
        raise OptionError(f"path is '{path}', and there is no directory '{file.parent}'; make it first")
    return file
