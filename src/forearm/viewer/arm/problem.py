"""What is asked of an arm and what it answers: the state of a page, without the page."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.common.defaults import DEFAULT_CLEARANCE, DEFAULT_METHOD
from forearm.common.transforms import translation, z_onto
from forearm.common.types import Floats
from forearm.core.codes import DIRECTION, ORIENTATION, POINT_AXIS, POSITION, TOOL_AXIS
from forearm.errors import UnsupportedError
from forearm.results.solution import Branches
from forearm.results.track import Track
from forearm.robot import Robot
from forearm.scenes.scene import Scene
from forearm.scenes.shapes import Obstacle
from forearm.solve.collision import guard_of
from forearm.solve.methods.table import METHODS
from forearm.targets.target import Orientation, PointAxis, Pose, Position, Target
from forearm.viewer.shared.answer import Answer, timed

# What a page calls the kinds of target, and the one that a dragged frame stands for; the tool axis is its z.
GOALS: dict[str, Callable[[Floats], Target]] = {
    "pose": Pose,
    "position only": lambda T: Position(T[:3, 3]),
    "point and tool axis": lambda T: PointAxis(T[:3, 3], T[:3, 2]),
    "orientation only": lambda T: Orientation(T[:3, :3]),
}

SEVEN = 7  # joints of an arm with one to spare
SAMPLES = 512  # poses among which the first one is chosen
IN_FRONT = (0.45, -0.2, 0.45)  # where the tip of the first pose should be, per metre of reach
ASIDE = (-0.1, -0.5, 0.5)  # and of the pose from which methods are shown step by step
NEAR_MIDDLE = 0.6  # they are drawn from this share of the limits, so that there is room to drag


class ArmProblem:
    """An arm as it was loaded, with a tool or without, a target, and how to solve for it.

    It stands at q first, or at home.
    """

    def __init__(self, robot: Robot, q: Floats | None = None) -> None:
        self.robot = self.arm = robot
        self.goal = "pose"
        self.method = DEFAULT_METHOD
        self.home = first_pose(robot) if not len(robot.model.home) else robot.home
        self.q = self.home if q is None else q
        self.T = robot.fk(self.q)
        self.swivel: float | None = None  # [rad], held while it is set
        self.swivels = False  # whether the elbow can be turned about the line from shoulder to wrist
        with suppress(UnsupportedError):
            robot.swivel(robot.neutral)
            self.swivels = True
        turning = all(kind != "prismatic" for kind in robot.model.joint_kinds)
        self.winds = robot.n == robot.model.m == SEVEN and turning  # whether poses leave it a curve to move along
        self.scene: Scene | None = None  # what it works among
        self.clearance = DEFAULT_CLEARANCE
        self.off_itself = True  # whether it must not touch itself, while there are obstacles
        self.guarded_methods = ("auto", "general")  # those that look at obstacles

    @property
    def kind(self) -> tuple[object, ...]:
        """What decides which kernels a solve needs."""
        return self.goal, self.method, self.swivel is None, self.scene is None

    def goals(self) -> list[str]:
        """The kinds of target that some method solves for this arm, in the order of `GOALS`."""
        return [name for name in GOALS if self.methods(name)]

    def methods(self, goal: str | None = None) -> list[str]:
        """The methods that fit this arm and kind of target."""
        kind = GOALS[self.goal if goal is None else goal](self.T).kind
        return [name for name, row in METHODS.items() if not row.fault(kind, self.robot._prepared)]

    def set_goal(self, goal: str) -> None:
        """Asks for another kind of target, by a method that can do it."""
        self.goal = goal if goal in GOALS else self.goal
        if self.method not in self.methods():
            self.method = self.methods()[0]

    def set_method(self, method: str) -> None:
        """Solves by another method, if it fits."""
        if method in self.methods():
            self.method = method

    def set_tool(self, offset: Floats) -> None:
        """Puts a tool of (3,) offset [m] on the tip."""
        self.arm = self.robot.with_tool(translation(*offset)) if offset.any() else self.robot

    def avoid(self, obstacles: dict[str, Obstacle], clearance: float) -> None:
        """Solves among these from now on, at this distance [m]."""
        self.scene = Scene(obstacles) if obstacles else None
        self.clearance = clearance

    def guard(self) -> dict[str, Any]:
        """The arguments of a call that say what to keep away from; none without obstacles."""
        if self.scene is None:
            return {}
        return {"obstacles": self.scene, "clearance": self.clearance, "self_collision": self.off_itself}

    def target(self) -> Any:
        """What is asked, as `Robot.solve` takes it."""
        return GOALS[self.goal](self.T)

    def solve(self, explain: bool = False) -> Answer:
        """Solves from where the arm is, and leaves it at what was found."""
        asked: dict[str, Any] = {"method": self.method}
        if self.scene is not None:
            asked = self.guard() | (asked if self.method in self.guarded_methods else {})
        elif self.swivel is not None and self.goal == "pose":
            asked = {"swivel": self.swivel}
        answer = timed(self.arm.solve, self.target(), self.q, explain=explain, **asked)
        self.q = answer.solution.q
        return answer

    def track(self, poses: Sequence[Floats], times: Sequence[float], q0: Floats) -> Track:
        """Joint values along poses that were recorded, near q0 at first, among the same obstacles."""
        targets = [GOALS[self.goal](T) for T in poses]
        return self.arm.track(targets, q0, times=np.array(times), **self.guard())

    def branches(self) -> Branches:
        """All answers to the present target, the nearest to where the arm is first."""
        return self.arm.solve_all(self.target(), self.q)

    def are_free(self, Q: Floats) -> NDArray[np.bool_]:
        """(N,) which of (N, n) configurations keep clear of all obstacles; all of them if there are none."""
        if self.scene is None or not len(Q):
            return np.ones(len(Q), bool)
        guard = guard_of(self.arm._prepared, self.scene, self.clearance, self.off_itself)
        free: NDArray[np.bool_] = guard.measure(Q, self.clearance)[0] == np.inf
        return free


def asked_of(target: Target, here: Floats) -> tuple[str, Floats]:
    """What a page calls a kind of target, and a (4, 4) pose that stands for it; what it leaves open is as `here`."""
    name = next(name for name, make in GOALS.items() if make(here).kind == target.kind)
    T = target.goal.copy()
    if target.kind == ORIENTATION:
        T[:3, 3] = here[:3, 3]
    elif target.kind == POSITION:
        T[:3, :3] = here[:3, :3]
    elif target.kind == POINT_AXIS:
        if target.terms[TOOL_AXIS + 2] < 1.0:
            raise UnsupportedError("the viewer turns the z axis of the tip toward things; solve for other tool axes")
        T[:3, :3] = z_onto(target.terms[DIRECTION:])[:3, :3]
    return name, T


def first_pose(robot: Robot, place: tuple[float, float, float] = IN_FRONT) -> Floats:
    """(n,) a pose to begin with: above the ground, elbow up, far from singular and from the limits.

    Its tip is about at a place that is given per metre of reach.
    """
    Q = robot.neutral + NEAR_MIDDLE * (robot.sample(SAMPLES) - robot.neutral)
    points = np.array([robot.fk_all(q)[:, :3, 3] for q in Q])  # (SAMPLES, m+1, 3)
    size = max(float(np.linalg.norm(points, axis=2).max()), 1e-9)
    away = np.linalg.norm(points[:, -1] / size - place, axis=1)
    sunk = np.maximum(-points[:, :, 2].min(axis=1) / size, 0.0)
    height = points[:, :, 2].mean(axis=1) / size
    rows = "pose" if robot.n >= 6 else "position"
    dexterity = np.array([robot.manipulability(q, rows) if robot.n >= 3 else 0.0 for q in Q])
    dexterity /= max(float(dexterity.max()), 1e-12)
    turned = np.abs(Q - robot.neutral).mean(axis=1) / np.pi
    best: Floats = Q[int(np.argmax(0.5 * dexterity + height - away - 3.0 * sunk - 0.5 * turned))]
    return best
