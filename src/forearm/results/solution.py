"""What comes back from a solve: joint values, measured errors, a status and a sentence."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from forearm.common.types import Floats
from forearm.core.codes import ITERATIONS, LIMIT_EXCESS, POSITION_ERROR, ROTATION_ERROR, TRIES
from forearm.errors import NotSolvedError, known_elsewhere, quoted
from forearm.models.model import Model

if TYPE_CHECKING:  # a first answer does not wait for it
    from forearm.results.self_motion import Arc, SelfMotion

NOT_EXPLAINED = "not explained (explain=False)"
Found = TypeVar("Found", bound="Measured")


class Status(str, Enum):
    """How a solve or a track ended. What is not SOLVED comes with the nearest pose, or the part that holds."""

    SOLVED = "solved"
    OUT_OF_REACH = "out_of_reach"
    LIMITS = "limits"
    ORIENTATION = "orientation"
    COLLISION = "collision"
    NOT_CONVERGED = "not_converged"
    SINGULARITY = "singularity"  # only of a track
    TOO_COARSE = "too_coarse"  # only of a track
    STEP = "step"  # only with max_joint_step: an answer is there, farther from q0

    def __str__(self) -> str:
        """The plain word."""
        return str(self.value)


@dataclass(frozen=True)
class Clearance:
    """How near an arm comes to what it must not touch.

    Attributes:
        distance: Between the two nearest surfaces [m]; negative where they overlap, infinite with nothing near.
        link: The link that is nearest; empty if there is nothing to be near to.
        other: The name of the obstacle, or of the other link.
        obstacle: The obstacle's number in the scene; None for the arm itself.
        charted: Whether a chart holds these links apart (`core/arm/chart.py`): the distance is that of their true
            shapes, and where it is negative it does not say how deep they are in each other.
    """

    distance: float
    link: str
    other: str
    obstacle: int | None
    charted: bool = field(default=False, repr=False)

    def __str__(self) -> str:
        """In words: `link 'forearm' is 0.02 m from 'table'`."""
        if not self.link:
            return "nothing is near"
        other = f"link '{self.other}'" if self.obstacle is None else quoted(self.other)
        if self.charted and self.distance < 0.0:
            return f"link '{self.link}' touches {other}"
        way = f"{-self.distance:.3g} m into" if self.distance < 0.0 else f"{self.distance:.3g} m from"
        return f"link '{self.link}' is {way} {other}"


@dataclass(frozen=True, eq=False)
class Naming:
    """What bodies and obstacles are called: `links` by body, `others` by obstacle, `owners` by row.

    `charted` are the pairs of bodies that charts tell of.
    """

    links: tuple[str, ...]
    others: tuple[str, ...]
    owners: NDArray[np.int64]
    charted: frozenset[tuple[int, int]] = frozenset()

    def name(self, distance: float, body: int, other: int) -> Clearance:
        """What the kernels' two numbers mean (`core/collision/bodies.py`)."""
        if body < 0:
            return Clearance(float(distance), "", "", None)
        link = self.links[body]
        if other < 0:
            pair = body, -1 - other
            return Clearance(float(distance), link, self.links[pair[1]], None, pair in self.charted)
        owner = int(self.owners[other])
        return Clearance(float(distance), link, self.others[owner], owner)


class Nearness(Protocol):
    """What can say how near an arm comes to things."""

    def closest(self, q: Floats) -> Clearance:
        """What the arm comes nearest to at (n,) joint values."""

    def measure(self, Q: Floats) -> tuple[Floats, NDArray[np.int64]]:
        """(N,) least gaps [m] of (N, n) configurations, and (N, 2) what is nearest."""


class Names(Protocol):
    """What can say what a posture is called."""

    def name(self, q: Floats) -> str:
        """The names of (n,) joint values."""


class Measured:
    """What the solutions of arms and of chains have in common: a status, and a report that was measured."""

    __slots__ = ()

    status: Status
    method: str
    report: Floats
    explanation: str

    @property
    def success(self) -> bool:
        """True only if position, rotation and limits all hold."""
        return self.status is Status.SOLVED

    @property
    def position_error(self) -> float:
        """Distance from the tip to the target [m], of several tips the largest; 0 if no position was asked."""
        return float(self.report[POSITION_ERROR])

    @property
    def rotation_error(self) -> float:
        """Angle from the tip's rotation (or tool axis) to the target's [rad]; 0 if none was asked."""
        return float(self.report[ROTATION_ERROR])

    @property
    def limit_excess(self) -> float:
        """How far the worst joint lies outside its limits [rad or m]; 0 if none does."""
        return float(self.report[LIMIT_EXCESS])

    @property
    def iterations(self) -> int:
        """Iterations over all tries."""
        return int(self.report[ITERATIONS])

    @property
    def tries(self) -> int:
        """Starts that were tried."""
        return int(self.report[TRIES])

    @property
    def reason(self) -> str:
        """A sentence for people: what was reached, or why not."""
        if self.explanation:
            return self.explanation
        return f"the tip is {describe_errors(self.report)} from the target, inside all limits{self._nearness()}"

    def _nearness(self) -> str:
        """What is nearest, as the tail of a sentence; nothing for those that do not know."""
        return ""

    def __bool__(self) -> bool:
        """Whether it succeeded, so that `if robot.solve(T):` means what it says."""
        return self.success

    def raise_if_failed(self: Found) -> Found:
        """The solution itself, or `NotSolvedError` with the reason."""
        if not self.success:
            raise NotSolvedError(f"{self.status}: {self.reason}", self)
        return self

    def _as_data(self, found: dict[str, Any], spent: dict[str, Any]) -> dict[str, Any]:
        """How it ended, what was found, what was measured and spent, as plain data."""
        verdict = {"success": self.success, "status": str(self.status), "reason": self.reason}
        errors = {"position_error": self.position_error, "rotation_error": self.rotation_error}
        return verdict | found | errors | spent | {"tries": self.tries, "method": self.method}


@known_elsewhere
@dataclass(eq=False, repr=False, slots=True)  # not frozen: that triples the cost of making one
class Solution(Measured):
    """The answer to one target, measured by forward kinematics of `q` itself.

    Attributes:
        q: (n,) joint values inside the limits [rad or m]; on failure those of the nearest pose.
        status: How it ended.
        method: The method that was used.
        report: What the kernel measured (`core/codes.py`); the properties below read it.
        explanation: The sentence for a failure; empty when solved.
        guard: Measures what is nearest, for solves among obstacles; else None.
        model: The arm that was solved for, with the tool of the call; None if whoever made it did not say.
        limits: (2, n) the limits of the call, before a bound on the step; None likewise.
    """

    q: Floats
    status: Status
    method: str
    report: Floats
    explanation: str = ""
    guard: "Nearness | None" = None
    model: Model | None = None
    limits: Floats | None = None

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The joints that the values of `q` are of; none if whoever made it did not say which arm it is of."""
        return () if self.model is None else self.model.joint_names

    def as_dict(self) -> dict[str, float]:
        """The joint values by joint name, as `q0` and `fk` take them too."""
        return dict(zip(self.joint_names, self.q.tolist(), strict=True))

    @property
    def closest(self) -> Clearance | None:
        """What the arm comes nearest to at `q`, for solves among obstacles; else None."""
        return None if self.guard is None else self.guard.closest(self.q)

    @property
    def clearance(self) -> float:
        """The distance to what is nearest [m], negative where it overlaps; NaN if no obstacles were given."""
        return math.nan if self.guard is None else self.guard.closest(self.q).distance

    def _nearness(self) -> str:
        """What is nearest, as the tail of a sentence."""
        return "" if self.guard is None else f"; {self.closest}"

    def to_dict(self) -> dict[str, Any]:
        """The solution as plain data, for JSON."""
        nearest = self.closest
        data = self._as_data({"q": self.q.tolist()}, {"iterations": self.iterations})
        return data | ({} if nearest is None else {"clearance": asdict(nearest)})

    def _repr_html_(self) -> str:
        """The verdict, the numbers, the joint values between their limits and the arm, as a notebook shows it."""
        from forearm.results.html import solution_html  # noqa: PLC0415 (only a notebook asks)

        return solution_html(self)

    def __repr__(self) -> str:
        """Three short lines: the verdict, the joint values, the reason."""
        q = np.array2string(self.q, precision=6, suppress_small=True, separator=", ", max_line_width=100)
        return f"Solution({self.status} by {self.method}, {self.iterations} iterations)\n  q = {q}\n  {self.reason}"


@dataclass(eq=False, repr=False, slots=True)
class Branch(Solution):
    """One of all answers to a target.

    Attributes:
        swivel: For an arm with spherical shoulder and wrist, the intervals of the swivel angle at which
            this branch is inside all limits [rad]. Each begins in [-pi, pi) and may end behind pi;
            (-pi, pi) is all around. Empty for other arms.
        names: Knows what postures are called, for arms of six joints; else None.
        arc: For seven turning joints without a swivel angle, the arc of a self-motion curve that this is a place of.
    """

    swivel: tuple[tuple[float, float], ...] = ()
    names: "Names | None" = None
    arc: "Arc | None" = None

    @property
    def posture(self) -> str:
        """What its posture is called, as `shoulder right, elbow up, wrist no flip`; empty for arms without names."""
        return "" if self.names is None else self.names.name(self.q)


@dataclass(frozen=True, eq=False, repr=False)
class Branches(Sequence[Branch]):
    """All answers to a target, the nearest to q0 first.

    Attributes:
        found: The answers, each measured by forward kinematics and inside the limits.
        method: What found them.
        complete: Whether there are no others, but for angles that a branch leaves free.
        reason: A sentence: what the set is, or why it is empty.
        motion: The self-motion curves that the answers are places of, where the arm was mapped; else None.
    """

    found: tuple[Branch, ...]
    method: str
    complete: bool
    reason: str
    motion: "SelfMotion | None" = None

    def __len__(self) -> int:
        """How many there are."""
        return len(self.found)

    @overload
    def __getitem__(self, index: int) -> Branch: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Branch, ...]: ...

    def __getitem__(self, index: int | slice) -> Branch | tuple[Branch, ...]:
        """One answer, or some."""
        return self.found[index]

    @property
    def q(self) -> Floats:
        """(k, n) the joint values of all answers."""
        return np.array([branch.q for branch in self.found])

    def _repr_html_(self) -> str:
        """A table of postures and joint values, as a notebook shows it."""
        from forearm.results.html import branches_html  # noqa: PLC0415 (only a notebook asks)

        return branches_html(self)

    def __repr__(self) -> str:
        """A line and one more per answer, with the name of its posture."""
        head = f"Branches({len(self)} by {self.method}: {self.reason})"
        look: dict[str, Any] = {"precision": 4, "suppress_small": True, "separator": ", ", "max_line_width": 100}
        rows = (f"{np.array2string(branch.q, **look)}  {branch.posture}".rstrip() for branch in self.found)
        return "\n  ".join([head, *rows])


def describe_errors(report: Floats) -> str:
    """The errors of a pose in words, without those that are zero because nothing was asked."""
    position, rotation = report[POSITION_ERROR], report[ROTATION_ERROR]
    if rotation == 0.0:
        return f"{position:.3g} m"
    return f"{rotation:.3g} rad" if position == 0.0 else f"{position:.3g} m and {rotation:.3g} rad"
