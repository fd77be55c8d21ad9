"""What a call keeps away from: distances of an arm to obstacles and to itself, and whether a way is free."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.arm.geometry import Geometry
from forearm.arm.tables import Prepared
from forearm.common.checks import as_number, brief
from forearm.common.types import Floats
from forearm.core.closed_form.forms.plan import CLASS, PLANE, THREE_PARALLEL, WRIST
from forearm.core.codes import REPORT
from forearm.core.collision.branches import branches_size, parallel_among, plane_among, wrist_among
from forearm.core.collision.clearance import clearances, stance_size
from forearm.core.collision.search import REPAIRS, SEARCH, SURE, WANTED, search_size, solve_among
from forearm.core.collision.swept import between_size, free_between
from forearm.errors import OptionError
from forearm.results.solution import Clearance, Naming
from forearm.scenes.scene import Scene, as_scene
from forearm.solve.methods.layout import NO_SETTINGS, changed
from forearm.solve.methods.table import Method
from forearm.solve.problem import GENERAL, Outcome, Problem
from forearm.targets.target import ROWS

# What is kept from obstacles if nothing else is asked [m].
DEFAULT_CLEARANCE = 0.01
# Between two configurations, less than this is not told apart from enough [m].
BETWEEN_TOLERANCE = 1e-4
NO_PAIRS = np.empty((0, 2), np.int64)
FORM_KERNELS: dict[int, Callable[..., int]] = {
    THREE_PARALLEL: parallel_among,
    WRIST: wrist_among,
    PLANE: plane_among,
}


@dataclass(frozen=True, eq=False)
class Clearances:
    """The clearances of a batch of configurations; `[i]` gives the `Clearance` of one.

    Attributes:
        distance: (N,) between the two nearest surfaces [m]; negative where they overlap.
        nearest: (N, 2) the nearest body and obstacle (or -1 - body), as the kernels number them.
        naming: What they are called.
    """

    distance: Floats
    nearest: NDArray[np.int64]
    naming: Naming

    def __len__(self) -> int:
        """How many there are."""
        return len(self.distance)

    def __getitem__(self, i: int) -> Clearance:
        """The clearance of configuration i."""
        return self.naming.name(self.distance[i], *self.nearest[i].tolist())


@dataclass(frozen=True, eq=False)
class Guard:
    """What a call keeps away from, and how far.

    Attributes:
        geometry: The arm's capsules.
        scene: The obstacles.
        clearance: The least distance to keep [m].
        self_collision: Whether the arm itself counts.
        pairs: (p, 2) pairs of the arm's own bodies to look at; none if it may touch itself.
        naming: What things are called.
    """

    geometry: Geometry
    scene: Scene
    clearance: float
    self_collision: bool
    pairs: NDArray[np.int64]
    naming: Naming

    def is_for(self, obstacles: Any, self_collision: Any) -> bool:
        """Whether it is about the same scene, which never changes."""
        return self.scene is obstacles and self.self_collision is self_collision

    def ask(self, problem: Problem, method: Method, sure: bool = True) -> Outcome:
        """Asks a method about one target: the general solver's search, or every branch of a closed form.

        Args:
            problem: What is asked.
            method: The general solver, or the closed form of an arm whose branches are all known.
            sure: Whether what is certain shall be looked at first.
        """
        flat, table = problem.tables.of(method, problem.kind)
        kernel, size, settings = solve_among, search_size, problem.settings
        if method is not GENERAL:
            kernel, size, settings = FORM_KERNELS[int(table[CLASS])], branches_size, NO_SETTINGS
        arrays = changed(flat, settings, problem.terms, problem.limits)
        n = problem.limits.shape[1]
        q, report = np.empty(n), np.empty(REPORT)
        work = np.empty(size(problem.model.m, n, len(self.geometry.bodies)))
        world = self.arrays(problem.kind, problem.limits, sure)
        code = kernel(arrays, table, *world, problem.goal, problem.start, work, q, report)
        return Outcome(q, report, code, method)

    def arrays(self, kind: int, limits: Floats, sure: bool = True) -> tuple[Any, ...]:
        """What the kernels take: bodies, pairs, obstacles, what is certain, and the numbers that steer a search.

        Args:
            kind: The kind of target.
            limits: (2, n) of the call: joints that are held give no freedom to repair with.
            sure: Whether what is certain shall be looked at first.
        """
        geometry, search = self.geometry, np.empty(SEARCH)
        search[WANTED], search[SURE] = self.clearance, sure
        redundant = limits.shape[1] > ROWS[kind] and np.count_nonzero(limits[0] < limits[1]) > ROWS[kind]
        search[REPAIRS] = redundant
        return geometry.bodies, self.pairs, self.scene.rows, geometry.sure, search

    def closest(self, q: Floats) -> Clearance:
        """What the arm comes nearest to at q."""
        gap, nearest = self.measure(q[None])
        return self.naming.name(gap[0], *nearest[0].tolist())

    def measure(self, Q: Floats, clearance: float = np.inf) -> tuple[Floats, NDArray[np.int64]]:
        """(N,) least gaps [m] of configurations, and (N, 2) what is nearest.

        Args:
            Q: (N, n) joint values.
            clearance: Only gaps too small for it count, infinity where there is none; by default all do.
        """
        gaps, nearest = np.empty(len(Q)), np.empty((len(Q), 2), np.int64)
        arm = self.geometry.chain, self.geometry.bodies, self.pairs
        work = np.empty(stance_size(len(self.geometry.chain) - 1, len(self.geometry.bodies)))
        clearances(*arm, self.scene.rows, float(clearance), Q, work, gaps, nearest)
        return gaps, nearest

    def is_free_between(self, qa: Floats, qb: Floats) -> bool:
        """Whether the straight way from qa to qb in joint space keeps the clearance."""
        world = self.geometry.bodies, self.pairs, self.scene.rows
        work = np.empty(between_size(len(self.geometry.chain) - 1, len(qa), len(world[0]), len(self.pairs)))
        way = free_between(self.geometry.chain, *world, self.clearance, BETWEEN_TOLERANCE, qa, qb, work)
        return bool(way >= 1.0)


def make_guard(arm: Prepared, scene: Scene, clearance: float, self_collision: bool) -> Guard:
    """What a robot keeps away from in a scene."""
    geometry = arm.geometry
    pairs = geometry.pairs if self_collision else NO_PAIRS
    return Guard(geometry, scene, clearance, self_collision, pairs, Naming(geometry.names, scene.names, scene.owners))


def guard_of(arm: Prepared, obstacles: Any, clearance: float, self_collision: bool) -> Guard:
    """What a robot keeps away from, checked; the last one again if the same scene is asked for once more."""
    last: Guard | None = arm.guard
    same = last is not None and last.is_for(obstacles, self_collision)
    if last is not None and same and type(clearance) is float and last.clearance == clearance:
        return last
    least = as_number(clearance, "clearance", OptionError)
    if least < 0.0:
        raise OptionError(f"{{argument}} is {least:g} m; it takes a distance from 0", argument="clearance")
    if not isinstance(self_collision, bool):
        raise OptionError(f"self_collision is {brief(self_collision)}; it takes True or False")
    guard = arm.guard = make_guard(arm, as_scene(obstacles), least, self_collision)
    return guard


def read_guard(arm: Prepared, obstacles: Any, clearance: float, self_collision: bool | None) -> Guard | None:
    """What a call keeps away from; None if it names nothing. With obstacles, the arm counts by default."""
    if obstacles is None and (self_collision is None or self_collision is False):
        if clearance is not DEFAULT_CLEARANCE and clearance != DEFAULT_CLEARANCE:
            raise OptionError(
                f"clearance is {brief(clearance)} and there is nothing to keep away from; "
                "give obstacles=, or self_collision=True"
            )
        return None
    return guard_of(arm, obstacles, clearance, True if self_collision is None else self_collision)


def measure_clearance(arm: Prepared, Q: Floats, obstacles: Any, self_collision: bool) -> Clearance | Clearances:
    """How near the arm comes to obstacles and to itself, at (n,) joint values or at each of (N, n)."""
    last: Guard | None = arm.guard  # whatever clearance it is for: none is asked here
    known = last is not None and last.is_for(obstacles, self_collision)
    guard = last if known and last is not None else guard_of(arm, obstacles, 0.0, self_collision)
    if Q.ndim == 1:
        return guard.closest(Q)
    return Clearances(*guard.measure(Q), guard.naming)
