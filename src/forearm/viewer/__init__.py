"""The viewer in the browser (extra `viewer`): drag a target, watch an arm or a chain follow.

It shows what `Robot.solve` and `Robot.trace` give; it never solves by itself.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from forearm.robot import Robot
from forearm.skeleton import Skeleton
from forearm.viewer.arm.figure import Piece, capsule_pieces
from forearm.viewer.arm.page import ArmPage, size_of
from forearm.viewer.bones.figures import make_chain, upper_body
from forearm.viewer.bones.page import BonesPage
from forearm.viewer.bones.problem import BonesProblem
from forearm.viewer.server import DEFAULT_PORT, LOOPBACK, Viewer
from forearm.viewer.shared.stage import camera_for

__all__ = ["DEFAULT_PORT", "LOOPBACK", "Viewer", "view_chain", "view_robot", "view_skeleton"]


BONE_PER_REACH = 0.018  # radius of a skeleton's bones, per metre of its size


def view_robot(
    robot: Robot, *, host: str = LOOPBACK, port: int = DEFAULT_PORT, pieces: Sequence[Piece] | None = None
) -> Viewer:
    """A running viewer of an arm; close it, or use it in a `with` statement.

    Args:
        robot: The arm.
        host: Address to listen at; this machine only by default.
        port: Port to listen at; another one is taken if it is in use, and 0 takes any.
        pieces: The figure to draw; capsules by default.
    """
    figure = list(pieces) if pieces is not None else capsule_pieces(robot.model)
    robot.solve(robot.fk(robot.neutral), robot.neutral)  # compiles, so that the first drag does not wait
    return Viewer(lambda client: ArmPage(client, robot, figure), camera_for(size_of(robot)), robot.name, host, port)


def view_chain(count: int, *, host: str = LOOPBACK, port: int = DEFAULT_PORT) -> Viewer:
    """A running viewer of a chain of equal bones, one metre long in all.

    Args:
        count: How many bones.
        host: As for `view_robot`.
        port: As for `view_robot`.
    """
    chain = make_chain(count)
    thickness = min(0.25 * float(chain.lengths.mean()), 0.02)

    def make_page(client: Any) -> BonesPage:
        problem = BonesProblem(chain, thickness, lambda half_angle: make_chain(count, half_angle))
        return BonesPage(client, problem, chain.reach)

    chain.solve(chain.points[-1], start=chain.points)  # compiles, so that the first drag does not wait
    return Viewer(make_page, camera_for(1.15 * chain.reach), f"chain of {count} bones", host, port)


def view_skeleton(skeleton: Skeleton | None = None, *, host: str = LOOPBACK, port: int = DEFAULT_PORT) -> Viewer:
    """A running viewer of a skeleton, with a target for each of its tips.

    Args:
        skeleton: The bones; the upper half of a body by default.
        host: As for `view_robot`.
        port: As for `view_robot`.
    """
    bones = upper_body() if skeleton is None else skeleton
    size = float(np.linalg.norm(bones.points, axis=1).max())

    def make_page(client: Any) -> BonesPage:
        return BonesPage(client, BonesProblem(bones, BONE_PER_REACH * size), size)

    return Viewer(make_page, camera_for(1.4 * size), "skeleton", host, port)
