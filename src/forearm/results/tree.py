"""What comes back for a robot with several tips: joint values, the base, and what became of each goal."""

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from forearm.common.types import Floats
from forearm.core.codes import ITERATIONS, LIMIT_EXCESS, POSITION_ERROR, REPORT, ROTATION_ERROR, TRIES
from forearm.core.tree import layout as at
from forearm.errors import counted, known_elsewhere
from forearm.results.batch import ManyMeasured, summarise
from forearm.results.solution import Clearance, Measured, Status

POSITION, ROTATION, MET = 0, 1, 2  # columns of what is measured of each goal


class GoalError(NamedTuple):
    """How far a goal is from being met."""

    position: float  # [m]; 0 if it asks for none
    rotation: float  # [rad]; 0 if it asks for none
    met: bool


class Nearness(Protocol):
    """What can say how near a whole robot comes to things."""

    def closest(self, q: Floats, base: Floats) -> Clearance:
        """What the robot comes nearest to at (n,) joint values with its base at a (4, 4) pose."""


@known_elsewhere
@dataclass(eq=False, repr=False, slots=True)
class TreeSolution(Measured):
    """The answer to several goals at once, measured by forward kinematics of `q` and `base` themselves.

    Attributes:
        q: (n,) joint values inside the limits [rad or m]; on failure those that come nearest.
        frame: (12,) the base in the world as kernels write it; `base` reads it.
        status: How it ended.
        method: What found it: "tree", or the methods of the parts that share nothing.
        goals: The names of the goals.
        joint_names: The joints that the values of `q` are of.
        found: What the kernel measured, or what puts it together from several parts when it is asked for; see `row`.
        variables: (k,) the joints that goals move, where the row tells of them alone; None for all.
        missed: A sentence for each goal that is missed, by name.
        explanation: All of them in a row; empty when solved.
        guard: Measures what is nearest, for solves among obstacles; else None.
    """

    q: Floats
    frame: Floats
    status: Status
    method: str
    goals: tuple[str, ...]
    joint_names: tuple[str, ...]
    found: Floats | Callable[[], Floats]
    variables: NDArray[np.int64] | None = None
    missed: dict[str, str] = field(default_factory=dict)
    explanation: str = ""
    guard: "Nearness | None" = None

    @property
    def base(self) -> Floats:
        """(4, 4) pose of the base in the world; the identity unless it is free."""
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = self.frame[:9].reshape(3, 3), self.frame[9:]
        return T

    @property
    def row(self) -> Floats:
        """What was measured, as kernels lay it out (`core/tree/layout.py`); the properties below read it."""
        if callable(self.found):
            self.found = self.found()
        return self.found

    @property
    def measured(self) -> Floats:
        """(t, 3) position error, rotation error, whether it is met, of each goal."""
        t = len(self.goals)
        return self.row[at.REPORT_HEAD : at.REPORT_HEAD + 3 * t].reshape(t, 3)

    @property
    def sides(self) -> Floats:
        """(n,) -1, 0 or 1: joints at their lower limit, at none, at their upper."""
        own = self.row[at.REPORT_HEAD + 3 * len(self.goals) :]
        if self.variables is None:
            return own
        sides = np.zeros(len(self.q))
        sides[self.variables] = own
        return sides

    @property
    def report(self) -> Floats:  # type: ignore[override]
        """The largest errors and what was spent, as `core/codes.py` lays them out."""
        report, measured = np.zeros(REPORT), self.measured
        report[POSITION_ERROR] = measured[:, POSITION].max(initial=0.0)
        report[ROTATION_ERROR] = measured[:, ROTATION].max(initial=0.0)
        report[[ITERATIONS, TRIES, LIMIT_EXCESS]] = self.row[[at.STEPS, at.TRIES, at.EXCESS]]
        return report

    @property
    def closest(self) -> Clearance | None:
        """What the robot comes nearest to, for solves among obstacles; else None."""
        return None if self.guard is None else self.guard.closest(self.q, self.base)

    @property
    def clearance(self) -> float:
        """The distance to what is nearest [m], negative where it overlaps; NaN if nothing was to be kept apart."""
        return math.nan if self.guard is None else self.guard.closest(self.q, self.base).distance

    @property
    def errors(self) -> dict[str, GoalError]:
        """Position error [m], rotation error [rad] and verdict by goal."""
        rows = zip(self.goals, self.measured.tolist(), strict=True)
        return {name: GoalError(position, rotation, met != 0.0) for name, (position, rotation, met) in rows}

    @property
    def held(self) -> tuple[str, ...]:
        """The joints that stand at a limit."""
        return tuple(self.joint_names[k] for k in np.flatnonzero(self.sides))

    @property
    def reason(self) -> str:
        """A sentence for people: what was reached, or for each goal that is missed why."""
        if self.explanation:
            return self.explanation
        report = self.report
        far = f"{report[POSITION_ERROR]:.3g} m and {report[ROTATION_ERROR]:.3g} rad"
        met = "the goal is" if len(self.goals) == 1 else f"all {len(self.goals)} goals are"
        return f"{met} met to {far}, inside all limits{self._nearness()}"

    def _nearness(self) -> str:
        """What is nearest, as the tail of a sentence."""
        return "" if self.guard is None else f"; {self.closest}"

    def as_dict(self) -> dict[str, float]:
        """The joint values by joint name."""
        return dict(zip(self.joint_names, self.q.tolist(), strict=True))

    def to_dict(self) -> dict[str, Any]:
        """The solution as plain data, for JSON."""
        found = {"q": self.as_dict(), "base": self.base.tolist(), "held": list(self.held)}
        found["errors"] = {name: error._asdict() for name, error in self.errors.items()}
        found["missed"] = dict(self.missed)
        nearest = self.closest
        found |= {} if nearest is None else {"clearance": asdict(nearest)}
        return self._as_data(found, {"iterations": self.iterations})

    def _repr_html_(self) -> str:
        """The verdict, the goals and the joints, as a notebook shows it."""
        from forearm.results.html_trees import tree_solution_html  # noqa: PLC0415 (only a notebook asks)

        return tree_solution_html(self)

    def __repr__(self) -> str:
        """The verdict, a line for each goal, the reason."""
        lines = [f"TreeSolution({self.status} by {self.method}, {self.iterations} steps)"]
        for name, error in self.errors.items():
            far = f"{error.position:.3g} m, {error.rotation:.3g} rad"
            lines.append(f"{name}: {'met' if error.met else 'missed'}, {far}")
        return "\n  ".join([*lines, self.reason])


@dataclass(frozen=True, eq=False, repr=False)
class TreeBatch(ManyMeasured):
    """The answers to many sets of goals, one row each.

    Attributes:
        q: (N, n) joint values.
        base: (N, 4, 4) poses of the base.
        status: (N,) how each ended, in the order of `Status`.
        report: (N, 8) the largest errors and what was spent, as `core/codes.py` lays them out.
        goals: The names of the goals.
        measured: (N, t, 3) position error, rotation error, whether it is met, of each goal.
        joint_names: The joints that the values are of.
    """

    q: Floats
    base: Floats
    status: NDArray[np.int8]
    report: Floats
    goals: tuple[str, ...]
    measured: Floats
    joint_names: tuple[str, ...]
    explanations: dict[int, str] = field(default_factory=dict)

    @property
    def errors(self) -> Mapping[str, Floats]:
        """(N, 2) position and rotation errors by goal."""
        return {name: self.measured[:, t, :2] for t, name in enumerate(self.goals)}

    def summary(self) -> str:
        """What became of the targets, in a line or two."""
        return summarise(self.status, "tree", self.position_error, self.rotation_error)

    def _repr_html_(self) -> str:
        """How many ended how and what became of each goal, as a notebook shows it."""
        from forearm.results.html_trees import tree_batch_html  # noqa: PLC0415 (only a notebook asks)

        return tree_batch_html(self)

    def __repr__(self) -> str:
        """The summary."""
        return f"TreeBatch({self.summary()})".replace("\n", "; ")


class Jump(NamedTuple):
    """Where a path could not be followed without a joint moving farther than it may."""

    way_point: int  # the one behind it
    joints: tuple[str, ...]
    step: float  # the farthest of them [rad or m]


@dataclass(frozen=True, eq=False, repr=False)
class TreeTrack:
    """A path of goals followed from way-point to way-point.

    Attributes:
        q: (N, n) joint values.
        base: (N, 4, 4) poses of the base.
        met: (N,) whether all goals are met at each way-point.
        jumps: Where a joint had to move farther than it may between two way-points.
        reason: A sentence: that it is continuous, or where not.
        joint_names: The joints that the values are of.
    """

    q: Floats
    base: Floats
    met: NDArray[np.bool_]
    jumps: tuple[Jump, ...]
    reason: str
    joint_names: tuple[str, ...] = ()

    @property
    def success(self) -> bool:
        """Whether every way-point is met and no joint jumps."""
        return bool(self.met.all()) and not self.jumps

    def __bool__(self) -> bool:
        """Whether it succeeded."""
        return self.success

    def _repr_html_(self) -> str:
        """How many way-points are met and the joints along the way, as a notebook shows it."""
        from forearm.results.html_trees import tree_track_html  # noqa: PLC0415 (only a notebook asks)

        return tree_track_html(self)

    def __repr__(self) -> str:
        """One line: how many way-points, and the sentence."""
        return f"TreeTrack({counted(len(self.met), 'way-point')}: {self.reason})"
