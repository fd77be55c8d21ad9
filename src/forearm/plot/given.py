"""What pictures are given: robots, joint values, motions and targets, in every shape that a user holds them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from forearm.common.checks import as_floats
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


def rows_of(robot: Robot, motion: Motion) -> Floats:
    """(M, n) joint values of an arm, at least one row of them."""
    require_robot(robot)
    if isinstance(motion, Track | BatchSolution):
        motion = motion.q
    elif isinstance(motion, Sequence):
        motion = [joints_of(each) for each in motion]
    rows = as_floats(motion, "Q", OptionError)
    if rows.ndim != 2 or rows.shape[1] != robot.n or not len(rows):
        raise OptionError(f"Q has shape {rows.shape}; it takes (M, {robot.n}) joint values of {robot.name}, M from 1")
    return rows


def place_of(target: ArrayLike | Target) -> tuple[Floats, bool]:
    """The (4, 4) goal of a target, and whether its axes are asked for, too, and not its point alone."""
    wanted = as_target(target)
    if isinstance(wanted, Orientation):
        raise OptionError("target is an Orientation, and an Orientation has no place to be drawn at; leave it out")
    return wanted.goal, isinstance(wanted, Pose)


def require_folder(path: str | Path) -> Path:
    """The path, if its folder is there."""
    folder = Path(path).parent
    if not folder.is_dir():
        raise OptionError(f"path is '{path}', and there is no directory '{folder}'; make it first")
    return Path(path)
