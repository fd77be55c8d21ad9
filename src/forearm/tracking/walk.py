"""What is asked of an arm along a path, and one walk along it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from forearm.arm.configurations import no_limits
from forearm.arm.tables import Prepared
from forearm.common.types import Floats
from forearm.core.codes import TOL_AXES
from forearm.core.collision.bodies import BODY_COLUMNS
from forearm.core.track.guard import CERTAIN
from forearm.core.track.start import (
    CAP,
    DEEPEST,
    DEPTH,
    EXTRAPOLATE,
    FELT,
    FILTER,
    GAIN,
    HALFWAY_POSITION,
    HALFWAY_ROTATION,
    MAX_STEP,
    MODE,
    NUMBERS,
    PACE,
    PLACE,
    PLAN,
    VECTORS,
)
from forearm.core.track.walk import ARRIVED, STUCK, follow, walk_size
from forearm.scenes.shapes import NO_OBSTACLES
from forearm.solve.collision import NO_PAIRS, Guard
from forearm.solve.methods.layout import NO_SETTINGS, changed
from forearm.solve.problem import GENERAL, NO_START, Problem, search
from forearm.targets.many import Targets
from forearm.targets.target import ROWS
from forearm.tracking.path import target_at

Progress = Callable[[str, int, int], None]

NO_BODIES = np.empty((0, BODY_COLUMNS))
CUTS = 6  # halvings of a segment: 64 pieces
CHUNK = 512  # way-points between two reports of progress
PACE_OF_ONE = 500.0  # way-points a whole path counts as, for the pace of its free motion


@dataclass(frozen=True, eq=False)
class PathProblem:
    """A path to follow, and by which rules: what all walks along it share.

    Attributes:
        tables: The robot and its tables.
        limits: (2, n) limits to keep.
        path: The way-points.
        max_joint_step: The most a joint may move between two points [rad or m].
        halfway: What the pose halfway between two points may be off the chord [m] and [rad].
        insert: Whether points may be put between way-points.
        progress: Told a stage, how many way-points are done and how many there are.
        guard: What to keep away from, or None.
    """

    tables: Prepared
    limits: Floats
    path: Targets
    max_joint_step: float
    halfway: tuple[float, float]
    insert: bool = True
    progress: Progress | None = None
    guard: Guard | None = None

    @property
    def last(self) -> int:
        """The index of the last way-point."""
        return len(self.path) - 1

    @property
    def redundant(self) -> bool:
        """Whether the arm has joints to spare for what the path asks."""
        moving = int((self.limits[0] < self.limits[1]).sum())
        free_axes = np.isfinite(self.path.terms[:, TOL_AXES : TOL_AXES + 6]).any()
        return moving > ROWS[self.path.kind] or bool(free_axes)

    def plan(self, mode: int | None = None, gain: float = 0.0, cap: float = 0.0, filter_share: float = 1.0) -> Floats:
        """The settings of a walk; without a mode, one that goes on as before."""
        plan = np.zeros(PLAN)
        plan[[MAX_STEP, DEEPEST]] = self.max_joint_step, CUTS if self.insert else 0
        plan[[HALFWAY_POSITION, HALFWAY_ROTATION]] = self.halfway
        plan[MODE] = (FELT if self.redundant else EXTRAPOLATE) if mode is None else mode
        plan[[GAIN, CAP, FILTER, PACE]] = gain, cap, filter_share, PACE_OF_ONE / max(self.last, 1)
        return plan

    def arguments(self) -> tuple[object, ...]:
        """What every walking kernel takes first."""
        path = self.path
        problem = changed(self.tables.of(GENERAL, path.kind)[0], NO_SETTINGS, path.terms[0], self.limits)
        robot = problem, path.goals, path.terms
        if self.guard is None:
            return *robot, NO_BODIES, NO_PAIRS, NO_OBSTACLES, 0.0
        guard = self.guard
        return *robot, guard.geometry.bodies, guard.pairs, guard.scene.rows, guard.clearance

    def scratch(self) -> Floats:
        """What every walking kernel works in."""
        bodies, pairs = (0, 0) if self.guard is None else (len(self.guard.geometry.bodies), len(self.guard.pairs))
        return np.empty(walk_size(self.tables.model.m, self.limits.shape[1], bodies, pairs))

    def node(self, q: Floats, place: float = 0.0) -> Floats:
        """A walk that stands at q, at rest; a place between way-points is a multiple of the smallest cut."""
        node = np.zeros(VECTORS * len(q) + NUMBERS)
        node[: len(q)] = q
        node[VECTORS * len(q) + PLACE] = place
        node[VECTORS * len(q) + DEPTH] = 0 if place == np.floor(place) else CUTS  # or a step would pass a way-point
        return node

    def report(self, stage: str, done: float) -> None:
        """Tells how far a stage has come."""
        if self.progress is not None:
            self.progress(stage, int(done), self.last)

    def released(self) -> "PathProblem":
        """The same path with no joint limits and nothing in the way."""
        free = no_limits(self.limits.shape[1])
        return replace(self, tables=self.tables.released(), limits=free, progress=None, guard=None)

    def is_free(self, q: Floats) -> bool:
        """Whether q keeps its distance from everything, a little more than asked so that ways from it do."""
        return self.guard is None or bool(self.guard.measure(q[None], self.guard.clearance + CERTAIN)[0][0] == np.inf)

    def single(self, place: float, q0: Floats | None = None) -> Problem:
        """What the target at one place asks, of the general solver with its default settings."""
        settings, target = GENERAL.options().pack(0.0), target_at(self.path, place)
        start = NO_START if q0 is None else q0
        return Problem(self.tables, target.kind, target.goal, target.terms, start, self.limits, settings)

    def search(self, place: float, tries: int, *, skip: int = 0, q0: Floats = NO_START) -> Floats | None:
        """(n,) joint values inside the limits that meet the target at a place, or None if none were found."""
        found = search(self.single(place), tries, skip=skip, start=q0)
        return found.q if found.solved else None


@dataclass(frozen=True, eq=False)
class Walk:
    """Points walked on a path.

    Attributes:
        places: (M,) place of each point; way-point i is at i.
        q: (M, n) joint values.
        arrived: Whether the last way-point was reached.
    """

    places: Floats
    q: Floats
    arrived: bool

    @property
    def place(self) -> float:
        """How far it came."""
        return float(self.places[-1])

    @property
    def at_waypoints(self) -> Floats:
        """(k, n) joint values at the way-points, without inserted points."""
        rows: Floats = self.q[self.places == np.floor(self.places)]
        return rows


def walk(
    problem: PathProblem,
    plan: Floats,
    node: Floats,
    *,
    posture: Floats | None = None,
    guide: Floats | None = None,
    until: float | None = None,
    stage: str = "follow",
) -> Walk:
    """Walks from a node, which moves on, as far as the path or `until` allows; begins with the node's own point."""
    n, last = problem.limits.shape[1], float(problem.last) if until is None else until
    rest = np.zeros(n) if posture is None else posture
    starts = np.empty((0, n)) if guide is None else guide
    places, Q = [np.array([node[VECTORS * n + PLACE]])], [node[None, :n].copy()]
    end = ARRIVED
    while node[VECTORS * n + PLACE] < last and end != STUCK:
        goal = min(last, float(np.floor(node[VECTORS * n + PLACE])) + CHUNK)
        q, s = np.empty((2 * CHUNK, n)), np.empty(2 * CHUNK)
        count, end = follow(*problem.arguments(), plan, rest, starts, goal, node, problem.scratch(), q, s)
        places.append(s[:count])
        Q.append(q[:count])
        problem.report(stage, node[VECTORS * n + PLACE])
    return Walk(np.concatenate(places), np.concatenate(Q), end != STUCK)
