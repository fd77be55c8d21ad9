"""The viewer in the browser (extra `viewer`): drag a target, watch an arm or a chain follow.

It shows what `Robot.solve` and `Robot.trace` give; it never solves by itself.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from forearm.bones.solution import ChainSolution
from forearm.chain import Chain
from forearm.common.transforms import translation
from forearm.common.types import Floats
from forearm.errors import UnsupportedError
from forearm.goals.goal import Wish
from forearm.results.solution import Solution
from forearm.results.track import Track
from forearm.retargeting.result import Retargeted
from forearm.robot import Robot
from forearm.scenes.shapes import Obstacle
from forearm.skeleton import Skeleton
from forearm.targets.target import Target
from forearm.tree import Tree
from forearm.viewer.arm.figure import Piece
from forearm.viewer.arm.meshes import figure_pieces
from forearm.viewer.arm.page import ArmPage
from forearm.viewer.arm.problem import asked_of
from forearm.viewer.bones.figures import make_chain, upper_body
from forearm.viewer.bones.page import BonesPage
from forearm.viewer.bones.problem import BonesProblem
from forearm.viewer.server import DEFAULT_PORT, LOOPBACK, Viewer
from forearm.viewer.shared.words import verdict_as_given
from forearm.viewer.tree.figure import extent_of, first_posture, first_tips, tree_pieces
from forearm.viewer.tree.page import TreePage
from forearm.viewer.tree.problem import TreeProblem
from forearm.viewer.tree.replay import REPLAY

__all__ = ["DEFAULT_PORT", "LOOPBACK", "Viewer", "view_bones", "view_chain", "view_robot", "view_skeleton", "view_tree"]


BONE_PER_REACH = 0.018  # radius of a skeleton's bones, per metre of its size


def view_robot(
    robot: Robot,
    *,
    host: str = LOOPBACK,
    port: int = DEFAULT_PORT,
    pieces: Sequence[Piece] | None = None,
    q: Floats | None = None,
    target: Target | None = None,
    solution: Solution | None = None,
    track: Track | None = None,
    obstacles: Mapping[str, Obstacle] | None = None,
    branches: bool = False,
    framed: bool = False,
) -> Viewer:
    """A running viewer of an arm; close it, or use it in a `with` statement.

    Args:
        robot: The arm.
        host: Address to listen at; this machine only by default.
        port: Port to listen at; another one is taken if it is in use, and 0 takes any.
        pieces: The figure to draw; by default what the robot's file says it looks like, or tubes and drums.
        q: (n,) where it stands first; at its home by default.
        target: What it is asked for first; where it stands by default.
        solution: An answer that it stands at first, with its verdict.
        track: A path of its joints, ready to be played.
        obstacles: What it keeps clear of, by name.
        branches: Whether all answers to its first target are shown at once.
        framed: Whether pages of this machine (a notebook) may show it in a frame.
    """
    figure = list(pieces) if pieces is not None else figure_pieces(robot.model)[0]
    robot.solve(robot.fk(robot.neutral), robot.neutral)  # compiles, so that the first drag does not wait

    start = solution.q.copy() if q is None and solution is not None else q
    goal = None if target is None else asked_of(target, robot.fk(robot.home if start is None else start))

    def make_page(client: Any) -> ArmPage:
        page = ArmPage(client, robot, figure, start)
        if solution is not None and goal is None and not solution.success:
            page.worker.add(lambda: page.follow(solution.q, verdict_as_given(solution)))
        if obstacles:
            page.worker.add(lambda: page.obstacles_tab.give(obstacles))
        if goal is not None:
            page.worker.add(lambda: page.take_goal(*goal))
        if track is not None:
            page.worker.add(lambda: page.path_tab.load(track))
        opened = "Branches" if branches else "Path" if track is not None else "Obstacles" if obstacles else "Solve"
        page.worker.add(lambda: page.tabs.open(opened))
        return page

    return Viewer(make_page, robot.name, host, port, framed)


def view_tree(
    tree: Tree,
    *,
    goals: Iterable[Wish] | None = None,
    q: Floats | None = None,
    base: Floats | None = None,
    motion: Retargeted | None = None,
    host: str = LOOPBACK,
    port: int = DEFAULT_PORT,
    pieces: Sequence[Piece] | None = None,
    framed: bool = False,
) -> Viewer:
    """A running viewer of a robot with several tips, with a handle for each goal.

    Args:
        tree: The robot.
        goals: What it is asked for; by default a pose for the end of each arm and leg, and for a base that moves.
        q: (n,) where it stands first; at 0, or the limits nearest to it, with bent arms and legs by default.
        base: (4, 4) where a free base stands first; on the floor by default.
        motion: A clip that was carried over to it, to be replayed with the clip's skeleton as a ghost.
        host: As for `view_robot`.
        port: As for `view_robot`.
        pieces: The figure to draw; by default what the robot's file says it looks like, or tubes and drums.
        framed: As for `view_robot`.
    """
    figure = list(pieces) if pieces is not None else tree_pieces(tree.body)[0]
    wishes = None if goals is None else list(goals)
    start = first_posture(tree.body, first_tips(tree.body)) if q is None else q
    corners = extent_of(tree.body, figure, start, np.eye(4))
    if base is None and tree.body.base == "free" and wishes is None:
        base = translation(0.0, 0.0, -float(corners[:, 2].min()))

    if motion is not None:
        q, base = motion.q[0], motion.base[0]

    def make_page(client: Any) -> TreePage:
        page = TreePage(client, TreeProblem(tree, wishes, q, base), figure, motion)
        if motion is not None:
            page.worker.add(lambda: page.tabs.open(REPLAY))
        return page

    return Viewer(make_page, tree.name, host, port, framed)


def view_bones(
    figure: Chain | Skeleton,
    pose: ChainSolution | None = None,
    *,
    host: str = LOOPBACK,
    port: int = DEFAULT_PORT,
    framed: bool = False,
) -> Viewer:
    """A running viewer of a chain or a skeleton in space, in a pose of it, or as it was made.

    Args:
        figure: The bones.
        pose: Where they stand first.
        host: As for `view_robot`.
        port: As for `view_robot`.
        framed: As for `view_robot`.
    """
    if figure.bones.dim != 3:
        raise UnsupportedError(
            "the viewer shows bones in space; these lie in a plane: give their points z = 0, or plot them"
        )
    points = figure.points - figure.points[0]
    size = float(np.linalg.norm(points, axis=1).max()) or 1.0
    title = "skeleton" if isinstance(figure, Skeleton) else f"chain of {figure.bones.n} bones"

    def make_page(client: Any) -> BonesPage:
        problem = BonesProblem(figure, min(BONE_PER_REACH * size, 0.25 * float(figure.bones.length.mean())))
        if pose is not None:
            problem.take(pose)
        return BonesPage(client, problem, size)

    return Viewer(make_page, title, host, port, framed)


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
    return Viewer(make_page, f"chain of {count} bones", host, port)


def view_skeleton(skeleton: Skeleton | None = None, *, host: str = LOOPBACK, port: int = DEFAULT_PORT) -> Viewer:
    """A running viewer of a skeleton, with a target for each of its tips.

    Args:
        skeleton: The bones; the upper half of a body by default.
        host: As for `view_robot`.
        port: As for `view_robot`.
    """
    return view_bones(upper_body() if skeleton is None else skeleton, host=host, port=port)
