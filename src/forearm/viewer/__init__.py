"""The viewer in the browser (extra `viewer`): drag a target, watch an arm or a chain follow.

It shows what `Robot.solve` and `Robot.trace` give; it never solves by itself.
"""

from collections.abc import Sequence

from forearm.robot import Robot
from forearm.viewer.arm_figure import Piece, capsule_pieces
from forearm.viewer.arm_page import ArmPage, size_of
from forearm.viewer.server import DEFAULT_PORT, LOOPBACK, Viewer
from forearm.viewer.stage import camera_for

__all__ = ["DEFAULT_PORT", "LOOPBACK", "Viewer", "view_robot"]


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
