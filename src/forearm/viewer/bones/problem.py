"""What is asked of a chain or a skeleton and what it answers: the state of a page, without the page."""

from collections.abc import Callable
from typing import Any

import numpy as np

from forearm.bones.solution import ChainSolution
from forearm.chain import Chain
from forearm.common.types import Floats
from forearm.scenes.shapes import Obstacle
from forearm.skeleton import Skeleton
from forearm.viewer.shared.answer import Answer, timed

CHAIN_TIP = "tip"  # what the one tip of a chain is called
CHAIN_METHODS = ("fabrik", "bezier")
SKELETON_METHODS = ("fabrik",)


class BonesProblem:
    """Bones of a radius [m] that keeps clear of obstacles, a target per tip, and how to solve for them.

    Where joints may be changed, `rebuild` gives the figure again with cones of a half-angle [rad]; None frees them.
    """

    def __init__(
        self, figure: Chain | Skeleton, thickness: float, rebuild: Callable[[float | None], Chain] | None = None
    ) -> None:
        self.figure, self.thickness, self.rebuild = figure, thickness, rebuild
        self.methods = CHAIN_METHODS if isinstance(figure, Chain) else SKELETON_METHODS
        self.method = self.methods[0]
        self.half_angle: float | None = None
        self.pole: Floats | None = None
        self.obstacles: tuple[Obstacle, ...] = ()
        self.clearance = 0.0
        self.last: ChainSolution | None = None
        self.home = figure.points
        # The same pose on the other side of the base, from which there is a way to go.
        self.start: Floats = self.home[0] + (self.home - self.home[0]) * (-1.0, 1.0, 1.0)
        tips = figure.tips if isinstance(figure, Skeleton) else (CHAIN_TIP,)
        self.targets: dict[str, Floats] = {name: self.home[self.row_of(name)].copy() for name in tips}
        self.wanted = tuple(tips)  # the tips whose targets count

    def take(self, pose: ChainSolution) -> None:
        """Puts the bones into a pose, and the targets on their tips."""
        self.last = pose
        self.targets = {name: pose.points3[self.row_of(name)].copy() for name in self.targets}

    @property
    def points(self) -> Floats:
        """(n+1, 3) where the bones are."""
        return self.home if self.last is None else self.last.points3

    @property
    def kind(self) -> tuple[object, ...]:
        """What decides which kernels a solve needs."""
        return self.method, self.half_angle is None, self.pole is None, bool(self.obstacles)

    def row_of(self, tip: str) -> int:
        """The row of `points` that a tip is."""
        return self.figure.bone_names.index(tip) + 1 if isinstance(self.figure, Skeleton) else -1

    def set_method(self, method: str) -> None:
        """Solves by another method, if there is one of that name."""
        if method in self.methods:
            self.method = method

    def free_tip(self, name: str, free: bool) -> None:
        """Lets a tip go its own way, or brings it to its target again; the last one stays."""
        keep = set(self.wanted) - {name} if free else {*self.wanted, name}
        wanted = tuple(tip for tip in self.targets if tip in keep)
        self.wanted = wanted or self.wanted

    def ends(self) -> tuple[Floats, Floats]:
        """(k, 3) where the tips with targets are, and where those are."""
        rows = [self.row_of(name) for name in self.wanted]
        return self.points[rows], np.array([self.targets[name] for name in self.wanted])

    def set_half_angle(self, half_angle: float | None) -> None:
        """Gives all joints cones of this half-angle [rad], or frees them."""
        if self.rebuild is not None:
            self.half_angle = half_angle
            self.figure = self.rebuild(half_angle)
            self.last = None

    def solve(self, explain: bool = False) -> Answer:
        """Solves from where the bones are, and leaves them at what was found."""
        asked: dict[str, Any] = {"method": self.method, "start": self.last}
        if self.pole is not None:
            asked["pole"] = self.pole
        if self.obstacles:
            asked |= {"obstacles": self.obstacles, "clearance": self.clearance, "thickness": self.thickness}
        answer = timed(self.figure.solve, self._target(), explain=explain, **asked)
        self.last = answer.solution
        return answer

    def trace(self) -> Any:
        """The stages of plain FABRIK from the start to the present targets."""
        return self.figure.trace(self._target(), start=self.start)

    def _target(self) -> Any:
        """What is asked, as `solve` of the figure takes it."""
        if isinstance(self.figure, Chain):
            return self.targets[CHAIN_TIP]
        return {name: self.targets[name] for name in self.wanted}

    def trace_curves(self) -> Any:
        """The curves that the published Bezier search tries, from the upright chain."""
        assert isinstance(self.figure, Chain)
        upright = np.zeros_like(self.home)
        upright[1:, 2] = np.cumsum(self.figure.lengths)
        return self.figure.trace(self.targets[CHAIN_TIP], method="bezier", start=upright)
