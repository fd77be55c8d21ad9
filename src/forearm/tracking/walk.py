"""What is asked of an arm along a path, and one walk along it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from forearm.arm.charts.make import NO_CHARTS
from forearm.arm.configurations import no_limits
from forearm.arm.tables import Prepared
from forearm.common.threads import heed
from forearm.common.types import Floats
from forearm.core.codes import TOL_AXES
from forearm.core.collision.bodies import BODY_COLUMNS
from forearm.core.track import start as layout
from forearm.core.track.guard import CERTAIN
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
# Way-points between two reports of progress, at first and at most: so many that an interrupt is heard soon, as it is
# between two of them. What they should take [s], and how many times more than the last ones they may be.
FIRST_CHUNK, CHUNK, CHUNK_TIME, GROWTH = 64, 512, 0.05, 8
PACE_OF_ONE = 500.0  # way-points a whole path counts as, for the pace of its free motion


@dataclass(frozen=True, eq=False)
class PathProblem:
    """A path to follow, and by which rules: what all walks along it share."""

    tables: Prepared
    limits: Floats  # (2, n) to keep
    path: Targets
    max_joint_step: float  # between two points [rad or m]
    halfway: tuple[float, float]  # what the pose halfway between two points may be off the chord [m] and [rad]
    insert: bool = True  # whether points may be put between way-points
    progress: Progress | None = None  # told a stage, how many way-points are done and how many there are
    guard: Guard | None = None
    between: str = "line"  # what is kept between way-points: the line, or, where it cannot be, the joints' own way

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
        plan = np.zeros(layout.PLAN)
        plan[layout.MAX_STEP], plan[layout.DEEPEST] = self.max_joint_step, CUTS if self.insert else 0
        plan[[layout.HALFWAY_POSITION, layout.HALFWAY_ROTATION]] = self.halfway
        as_before = layout.FELT if self.redundant else layout.EXTRAPOLATE
        plan[layout.MODE] = as_before if mode is None else mode
        plan[[layout.GAIN, layout.CAP, layout.FILTER]] = gain, cap, filter_share
        plan[layout.PACE] = PACE_OF_ONE / max(self.last, 1)
        return plan

    def arguments(self) -> tuple[object, ...]:
        """What every walking kernel takes first."""
        path = self.path
        problem = changed(self.tables.of(GENERAL, path.kind)[0], NO_SETTINGS, path.terms[0], self.limits)
        robot = problem, path.goals, path.terms
        if self.guard is None:
            return *robot, NO_BODIES, NO_PAIRS, NO_CHARTS.rows, NO_OBSTACLES, 0.0
        guard = self.guard
        return *robot, guard.covered.bodies, guard.pairs, guard.charts.rows, guard.scene.laid.rows, guard.clearance

    def scratch(self) -> Floats:
        """What every walking kernel works in."""
        bodies, pairs = (0, 0) if self.guard is None else (len(self.guard.covered.bodies), len(self.guard.pairs))
        return np.empty(walk_size(self.tables.model.m, self.limits.shape[1], bodies, pairs))

    def node(self, q: Floats, place: float = 0.0) -> Floats:
        """A walk that stands at q, at rest; a place between way-points is a multiple of the smallest cut."""
        vectors, numbers = np.zeros(layout.VECTORS * len(q)), np.zeros(layout.NUMBERS)
        vectors[: len(q)] = q
        numbers[layout.PLACE] = place
        numbers[layout.DEPTH] = 0 if place == np.floor(place) else CUTS  # or a step would pass a way-point
        return np.concatenate([vectors, numbers])

    def report(self, stage: str, done: float) -> None:
        """Tells how far a stage has come."""
        if self.progress is not None:
            self.progress(stage, int(done), self.last)

    def released(self) -> "PathProblem":
        """The same path with no joint limits and nothing in the way."""
        free = no_limits(self.limits.shape[1])
        return replace(self, tables=self.tables.released, limits=free, progress=None, guard=None)

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
    """Points walked on a path."""

    places: Floats  # (M,) of the points; way-point i is at i
    q: Floats  # (M, n)
    arrived: bool  # whether the last way-point was reached
    bent: tuple[int, ...] = ()  # way-points behind which the line was left
    jumps: tuple[int, ...] = ()  # points in front of which the arm reconfigures

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
    at, end = layout.VECTORS * n + layout.PLACE, ARRIVED
    places, Q = [node[[at]]], [node[None, :n].copy()]
    arguments, work, chunk = problem.arguments(), problem.scratch(), FIRST_CHUNK
    while node[at] < last and end != STUCK:
        begin, goal = time.perf_counter(), min(last, float(np.floor(node[at])) + chunk)
        q, s = np.empty((2 * CHUNK, n)), np.empty(2 * CHUNK)
        count, end = follow(*arguments, plan, rest, starts, goal, node, work, q, s)
        places.append(s[:count])
        Q.append(q[:count])
        heed()
        problem.report(stage, node[at])
        share = CHUNK_TIME / max(time.perf_counter() - begin, 1e-9)  # 1e-9: a clock may stand still
        chunk = int(min(max(1.0, chunk * share), GROWTH * chunk, CHUNK))  # where the path is cut changes no bit
    return Walk(np.concatenate(places), np.concatenate(Q), end != STUCK)
