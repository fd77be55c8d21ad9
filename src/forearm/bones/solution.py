"""What comes back from solving a chain or skeleton: points, measured errors, a status and a sentence."""

from dataclasses import dataclass
from typing import Any

from forearm.common.types import Floats
from forearm.core.bones.codes import POLE_ANGLE, SWEEPS
from forearm.core.codes import ITERATIONS, LIMIT_EXCESS, POSITION_ERROR, ROTATION_ERROR, TRIES
from forearm.core.collision.obstacle_rows import HEIGHT, HOW, LEAP, LINK, LONG_REPORT, OBSTACLE, RESIDUAL, STAGE, TURNED
from forearm.errors import NotSolvedError
from forearm.results.solution import Status, describe_errors


@dataclass(eq=False, repr=False, slots=True)  # not frozen: that triples the cost of making one
class ChainSolution:
    """The pose of a chain or skeleton, rebuilt bone by bone from its base and measured on that.

    Attributes:
        points3: (n+1, 3) the base, then each bone's end [m]; z is 0 in a plane.
        status: How it ended.
        method: The method that was used.
        report: What the kernel measured; the properties below read it.
        bones: The tree that was solved.
        explanation: The sentence for a failure; empty when solved.
        clearance: Distance to the nearest obstacle [m]; None if there were none.
        frame: (6,) of a Bezier pose: unit vectors to its target and to the side it bends to.
    """

    points3: Floats
    status: Status
    method: str
    report: Floats
    bones: Any
    explanation: str = ""
    clearance: float | None = None
    _values: Floats | None = None
    _near: Floats | None = None
    frame: Floats | None = None

    @property
    def points(self) -> Floats:
        """(n+1, dim) the base, then each bone's end [m]."""
        points: Floats = self.points3[:, : self.bones.dim]
        return points

    @property
    def joint_values(self) -> Floats:
        """(n, 3) swing about y and z and twist about x of each joint, or a hinge's angle [rad]."""
        if self._values is None:
            self._values = self.bones.values_of(self.points3, self._near)
        values: Floats = self._values
        return values

    @property
    def frames(self) -> Floats:
        """(n, 3, 3) each bone's frame in the base frame, x along the bone, carried along from the start."""
        frames: Floats = self.bones.pose_of(self.joint_values, self.points3[0])[0]
        return frames

    def __getitem__(self, bone: str) -> Floats:
        """(dim,) the end of a bone by name [m]."""
        end: Floats = self.points[self.bones.index(bone) + 1]
        return end

    @property
    def success(self) -> bool:
        """True only if every tip is within its tolerances and all limits hold."""
        return self.status is Status.SOLVED

    @property
    def position_error(self) -> float:
        """Distance from the tip to its target [m]; of several tips the largest."""
        return float(self.report[POSITION_ERROR])

    @property
    def rotation_error(self) -> float:
        """Angle from the tip's orientation to its target [rad], the largest; 0 if none was asked."""
        return float(self.report[ROTATION_ERROR])

    @property
    def limit_excess(self) -> float:
        """How far the worst joint lies outside its limits [rad]; 0 if none does."""
        return float(self.report[LIMIT_EXCESS])

    @property
    def sweeps(self) -> int:
        """Sweeps of FABRIK, each forward and backward, before refinement."""
        return int(self.report[SWEEPS])

    @property
    def iterations(self) -> int:
        """Sweeps and steps of the refiner together, over all tries."""
        return int(self.report[ITERATIONS]) + self.sweeps

    @property
    def tries(self) -> int:
        """Starts that were tried."""
        return int(self.report[TRIES])

    @property
    def pole_angle(self) -> float:
        """Angle about the base-tip line from the elbow to the pole that is left [rad]; 0 without a pole."""
        return float(self.report[POLE_ANGLE])

    @property
    def obstacle(self) -> int | None:
        """The number of the nearest obstacle in the order they were given; None without any."""
        return self._noted(OBSTACLE) if self.clearance is not None else None

    @property
    def link(self) -> int | None:
        """The link that is nearest to an obstacle, counted from 0 at the base; None without obstacles."""
        return self._noted(LINK) if self.clearance is not None else None

    @property
    def how(self) -> str:
        """How a Bezier pose came about: straight, curve, arc, folded, repaired or followed; else empty."""
        if len(self.report) < LONG_REPORT or self.method != "bezier":
            return ""
        if self.report[STAGE] >= 4:
            return "repaired"
        return HOW_WORDS[int(self.report[HOW])]

    @property
    def turned(self) -> float:
        """The largest turn of a link from the pose in `start` [rad]; 0 without one or where none was noted."""
        return float(self.report[TURNED]) if len(self.report) == LONG_REPORT else 0.0

    @property
    def jump(self) -> str:
        """Why the pose leaps away from the one in `start`, in a sentence; empty if it does not."""
        if len(self.report) < LONG_REPORT or not self.report[LEAP]:
            return ""
        near = (
            "no pose near the last one keeps clear of the obstacles"
            if self.clearance is not None
            else ("the target moved farther than the last pose could follow")
        )
        return f"a link turned by {self.turned:.3g} rad: {near}"

    @property
    def residual(self) -> float:
        """By how much the last link misses its length in mode="paper" [m]; 0 elsewhere."""
        return float(self.report[RESIDUAL]) if len(self.report) == LONG_REPORT else 0.0

    @property
    def height(self) -> float:
        """How far P1 stands from the base toward the chain's initial tip in mode="paper" [m]; 0 elsewhere."""
        return float(self.report[HEIGHT]) if len(self.report) == LONG_REPORT else 0.0

    def _noted(self, place: int) -> int | None:
        if len(self.report) < LONG_REPORT or self.report[place] < 0:
            return None
        return int(self.report[place])

    @property
    def reason(self) -> str:
        """A sentence for people: what was reached, or why not."""
        return self.explanation or f"the tip is {describe_errors(self.report)} from the target, inside all limits"

    def __bool__(self) -> bool:
        """Whether it succeeded."""
        return self.success

    def raise_if_failed(self) -> "ChainSolution":
        """The solution itself, or `NotSolvedError` with the reason."""
        if not self.success:
            raise NotSolvedError(f"{self.status}: {self.reason}", self)
        return self

    def to_dict(self) -> dict[str, Any]:
        """The solution as plain data, for JSON."""
        return {
            "success": self.success,
            "status": str(self.status),
            "reason": self.reason,
            "points": self.points.tolist(),
            "position_error": self.position_error,
            "rotation_error": self.rotation_error,
            "sweeps": self.sweeps,
            "iterations": self.iterations,
            "tries": self.tries,
            "method": self.method,
            "clearance": self.clearance,
            "obstacle": self.obstacle,
            "link": self.link,
        }

    def _repr_html_(self) -> str:
        """The verdict, the numbers and the pose, as a notebook shows it."""
        from forearm.results.html import chain_solution_html  # noqa: PLC0415 (only a notebook asks)

        return chain_solution_html(self)

    def __repr__(self) -> str:
        """Two short lines: the verdict and the reason."""
        return f"ChainSolution({self.status} by {self.method}, {self.iterations} iterations)\n  {self.reason}"


# how Bezier poses come about, in the order of the codes in `core/bezier/frame.py`
HOW_WORDS = ("straight", "curve", "arc", "folded", "repaired", "failed", "followed")
