"""What a call keeps away from: distances of an arm to obstacles and to itself, and whether a way is free."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.arm.geometry import Geometry
from forearm.arm.tables import Prepared
from forearm.common.checks import as_number, brief
from forearm.common.types import Floats
from forearm.core.closed_form.forms.plan import CLASS, PLANE, THREE_PARALLEL, WRIST
from forearm.core.codes import REPORT
from forearm.core.collision.branches import parallel_among, plane_among, wrist_among
from forearm.core.collision.clearance import clearances
from forearm.core.collision.search import REPAIRS, SEARCH, SURE, WANTED, solve_among
from forearm.core.collision.swept import free_between
from forearm.errors import OptionError
from forearm.results.solution import Clearance, Naming
from forearm.scenes.scene import Scene, as_scene
from forearm.solve.methods.layout import NO_SETTINGS, changed
from forearm.solve.methods.options import GeneralOptions
from forearm.solve.methods.table import Method
from forearm.solve.problem import GENERAL, POSE_TERMS, Outcome, Problem
from forearm.targets.target import ROWS

# What is kept from obstacles if nothing else is asked [m].
DEFAULT_CLEARANCE = 0.01
TRIES_AMONG = 256  # of a search for a free pose
DEFAULT_SETTINGS = GeneralOptions(max_tries=TRIES_AMONG).pack(0.0)
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
        bound: Kernels by method with what they take in front of a bare pose, kept from the first call.
    """

    geometry: Geometry
    scene: Scene
    clearance: float
    self_collision: bool
    pairs: NDArray[np.int64]
    naming: Naming
    bound: dict[str, tuple[Any, ...]] = field(default_factory=dict, init=False, repr=False)

    def ask(self, problem: Problem, method: Method, sure: bool = True) -> Outcome:
        """Asks a method about one target: the general solver's search, or every branch of a closed form.

        Args:
            problem: What is asked.
            method: The general solver, or the closed form of an arm whose branches are all known.
            sure: Whether what is certain shall be looked at first.
        """
        tables, _, goal, terms, start, limits, settings, *_ = problem
        usual = sure and terms is POSE_TERMS and settings is DEFAULT_SETTINGS and limits is tables.model.limits
        bound = self.bound.get(method.name) if usual else None
        if bound is None:
            bound = self.bind(problem, method, sure)
            if usual:
                self.bound[method.name] = bound
        kernel, *arrays = bound
        q, report = np.empty(limits.shape[1]), np.empty(REPORT)
        code = kernel(*arrays, goal, start, q, report)
        return Outcome(q, report, code, method)

    def bind(self, problem: Problem, method: Method, sure: bool) -> tuple[Any, ...]:
        """A method's kernel, and what it takes in front of the target."""
        arrays, table, *_ = problem.tables.of(method, problem.kind)
        kernel, settings = solve_among, problem.settings
        if method is not GENERAL:
            kernel, settings = FORM_KERNELS[int(table[CLASS])], NO_SETTINGS
        own = changed(arrays, settings, problem.terms, problem.limits)
        return kernel, own, table, *self.arrays(problem.kind, problem.limits, sure)

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
        clearances(*arm, self.scene.rows, float(clearance), Q, gaps, nearest)
        return gaps, nearest

    def is_free_between(self, qa: Floats, qb: Floats) -> bool:
        """Whether the straight way from qa to qb in joint space keeps the clearance."""
        world = self.geometry.bodies, self.pairs, self.scene.rows
        way = free_between(self.geometry.chain, *world, self.clearance, BETWEEN_TOLERANCE, qa, qb)
        return bool(way >= 1.0)


def guard_of(arm: Prepared, obstacles: Any, clearance: float, self_collision: bool) -> Guard:
    """What a robot keeps away from, checked; the last one again if the same scene is asked for once more."""
    last: Guard | None = arm.guard
    if last is not None and last.scene is obstacles and last.self_collision is self_collision:  # scenes never change
        if type(clearance) is float and last.clearance == clearance:
            return last
    least = as_number(clearance, "clearance", OptionError)
    if least < 0.0:
        raise OptionError(f"{{argument}} is {least:g} m; it takes a distance from 0", argument="clearance")
    if not isinstance(self_collision, bool):
        raise OptionError(f"self_collision is {brief(self_collision)}; it takes True or False")
    geometry, scene = arm.geometry, as_scene(obstacles)
    pairs, naming = geometry.pairs if self_collision else NO_PAIRS, Naming(geometry.names, scene.names, scene.owners)
    guard = arm.guard = Guard(geometry, scene, least, self_collision, pairs, naming)
    return guard


def measure_clearance(arm: Prepared, Q: Floats, obstacles: Any, self_collision: bool) -> Clearance | Clearances:
    """How near the arm comes to obstacles and to itself, at (n,) joint values or at each of (N, n)."""
    last: Guard | None = arm.guard  # whatever clearance it is for: none is asked here
    clearance = last.clearance if last is not None and last.scene is obstacles else 0.0
    guard = guard_of(arm, obstacles, clearance, self_collision)
    if Q.ndim == 1:
        return guard.closest(Q)
    return Clearances(*guard.measure(Q), guard.naming)
