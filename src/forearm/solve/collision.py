"""What a call keeps away from: distances of an arm to obstacles and to itself, and whether a way is free."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from forearm.arm.charts.make import NO_CHARTS, Charts
from forearm.arm.covers import Covered, cover
from forearm.arm.geometry import Geometry, charted_pairs, look_at_surfaces
from forearm.arm.tables import Prepared
from forearm.common.checks import as_number, brief
from forearm.common.later import Later
from forearm.common.threads import UNHEARD, attend, heed
from forearm.common.types import Floats
from forearm.core.closed_form.forms.plan import CLASS, PLANE, THREE_PARALLEL, WRIST
from forearm.core.collision.bodies import HALF, OWN_MOST, RADIUS, WATCHED
from forearm.core.collision.branches import branches_size, parallel_among, plane_among, wrist_among
from forearm.core.collision.clearance import clearances, stance_size
from forearm.core.collision.search import REPAIRS, SEARCH, SURE, WANTED, search_size, solve_among
from forearm.core.collision.swept import between_size, free_between
from forearm.errors import OptionError
from forearm.results.solution import Clearance, Naming
from forearm.scenes.scene import Scene, as_scene
from forearm.scenes.tree import FEW
from forearm.solve.methods.layout import NO_SETTINGS, changed
from forearm.solve.methods.options import GeneralOptions
from forearm.solve.methods.table import Method
from forearm.solve.problem import GENERAL, Bound, Problem, longest
from forearm.targets.target import ROWS

if TYPE_CHECKING:
    from forearm.core.collision import paper_methods
else:  # a first answer waits for no other method's kernels
    paper_methods = Later("forearm.core.collision.paper_methods")

TRIES_AMONG = 256  # of a search for a free pose
DEFAULT_SETTINGS = GeneralOptions(max_tries=TRIES_AMONG).pack(0.0)
TRY_TIME, ROW_TIME = 3e-4, 1.5e-7  # of a try for a free pose [s], and for each row of the scene
MOST_ROWS = 4 * FEW  # that are looked at in a try, about: many stand in a tree
LOOK_TIME, PUT_TIME = 1e-8, 1e-7  # of a body before a row of the scene or another body [s], and of a joint's frame
SURFACES_TIME = 3e-4  # of the distance of two links' surfaces [s]
USUAL_GAP = 0.01  # what a way that is looked at stretch by stretch comes near things [m]
# Between two configurations, less than this is not told apart from enough [m].
BETWEEN_TOLERANCE = 1e-4
NO_PAIRS = np.empty((0, 2), np.int64)
# of the papers' methods, with the numbers of scratch they take; the general solver stands behind them
PAPER_KERNELS: dict[str, Callable[[], tuple[Callable[..., int], Callable[..., int]]]] = {
    "fabrik-r": lambda: (paper_methods.fabrik_r_among, paper_methods.fabrik_r_among_size),
    "combined": lambda: (paper_methods.combined_among, paper_methods.combined_among_size),
}
FORM_KERNELS: dict[int, Callable[..., int]] = {THREE_PARALLEL: parallel_among, WRIST: wrist_among, PLANE: plane_among}


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
    """What a call keeps away from, and how far."""

    geometry: Geometry
    scene: Scene
    clearance: float  # the least distance to keep [m]
    self_collision: bool  # whether the arm itself counts
    covered: Covered  # what kernels take of the geometry
    pairs: NDArray[np.int64]  # (p, 2) of its rows to look at; none if it may touch itself
    charts: Charts  # of further pairs of links; none if it may touch itself
    sure: bool = True  # whether a search looks first at what is certain
    bound: dict[tuple[str, int], Bound] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def naming(self) -> Naming:
        """What bodies and obstacles are called."""
        return Naming(
            self.covered.names, self.scene.names, self.scene.laid.owners, frozenset(charted_pairs(self.charts.rows))
        )

    def among(self, scene: Scene) -> "Guard":
        """The same among other obstacles; with few of them, kernels stay bound."""
        kept: dict[tuple[str, int], Bound] = {}
        if max(len(scene.rows), len(self.scene.rows)) <= FEW:
            for key, bound in self.bound.items():
                (
                    settings,
                    limits,
                    terms,
                    kernel,
                    polish,
                    scratch,
                    (own, table, bodies, pairs, charts, _, *rest),
                    long,
                ) = bound
                arrays = own, table, bodies, pairs, charts, scene.rows, *rest  # so few are no tree
                kept[key] = Bound(settings, limits, terms, kernel, polish, scratch, arrays, long)
        other = object.__new__(Guard)  # its fields at once: a scene that is new with every call should cost little
        other.__dict__.update(self.__dict__, scene=scene, sure=True, bound=kept)
        other.__dict__.pop("naming", None)  # names the other obstacles
        return other

    def bind(self, problem: Problem, method: Method) -> Bound:
        """What answers for a method among obstacles: a search of its own, or every branch of a closed form."""
        flat, table = problem.tables.of(method, problem.kind)
        kernel, size, settings = solve_among, search_size, problem.settings
        if method.name in PAPER_KERNELS:  # FABRIK-R reads the settings of the general solver, combined its usual ones
            kernel, size = PAPER_KERNELS[method.name]()
            settings = method.options().pack(0.0) if method.name == "combined" else settings
        elif method is not GENERAL:
            kernel, size, settings = FORM_KERNELS[int(table[CLASS])], branches_size, NO_SETTINGS
        own = changed(flat, settings, problem.terms, problem.limits)
        scratch = size(problem.model.m, problem.limits.shape[1], len(self.covered.bodies))
        arrays = (own, table, *self.arrays(problem.kind, problem.limits))
        rows = min(len(self.scene.rows), MOST_ROWS)
        long = longest(problem, method, TRY_TIME + ROW_TIME * rows) > UNHEARD
        return Bound(problem.settings, problem.limits, problem.terms.tobytes(), kernel, None, scratch, arrays, long)

    def arrays(self, kind: int, limits: Floats) -> tuple[Any, ...]:
        """What the kernels take: bodies, pairs, obstacles, what is certain, and the numbers that steer a search."""
        search = np.empty(SEARCH)
        search[WANTED], search[SURE] = self.clearance, self.sure
        # Joints that the (2, n) limits hold give no freedom to repair with.
        search[REPAIRS] = np.count_nonzero(limits[0] < limits[1]) > ROWS[kind]
        return self.covered.bodies, self.pairs, self.charts.rows, self.scene.laid.rows, self.covered.sure, search

    def closest(self, q: Floats) -> Clearance:
        """What the arm comes nearest to at q."""
        gap, nearest = self.measure(q[None])
        return self.naming.name(gap[0], *nearest[0].tolist())

    def in_the_way(self, q: Floats, clearance: float) -> Clearance:
        """What is too near for the clearance at q, links that a chart holds apart with their true distance.

        What is nearest where nothing is; such links do not count then.
        """
        gap, nearest = self.measure(q[None], clearance)
        if gap[0] == np.inf:
            gap, nearest = self.measure(q[None], np.inf)
        return self.tell(gap[0], nearest[0], q)

    def tell(self, gap: float, nearest: NDArray[np.int64], q: Floats) -> Clearance:
        """What the numbers of a measurement by charts mean, with the true distance of links at q."""
        return tell(self.naming.name(gap, *nearest.tolist()), self.charts, nearest, q)

    def measure(self, Q: Floats, clearance: float | None = None) -> tuple[Floats, NDArray[np.int64]]:
        """(N,) least gaps [m] at (N, n) joint values, and (N, 2) what is nearest.

        Of links that charts hold apart the gap is the distance of their true surfaces. With a clearance, only gaps
        too small for it count, and charts tell of such links; the gap is infinite where there is none.
        """
        gaps, nearest = np.empty(len(Q)), np.empty((len(Q), 2), np.int64)
        asked, charts = (np.inf, NO_CHARTS) if clearance is None else (float(clearance), self.charts)
        pairs = self.covered.every if self.self_collision and asked == np.inf else self.pairs
        arm = self.geometry.chain, self.covered.bodies, pairs, charts.rows
        work = np.empty(stance_size(len(self.geometry.chain) - 1, len(self.covered.bodies)))
        looks = self.look_time + (SURFACES_TIME * len(self.charts.surfaces) if clearance is None else 0.0)
        at_once = max(1, int(UNHEARD / looks))  # so that none of them leave an interrupt unheard
        for first in range(0, len(Q), at_once):
            heed()
            some = slice(first, first + at_once)
            clearances(*arm, self.scene.laid.rows, asked, Q[some], work, gaps[some], nearest[some])
            if clearance is None:
                look_at_surfaces(self.charts, Q[some], gaps[some], nearest[some])
        return gaps, nearest

    @property
    def look_time(self) -> float:
        """About how long it takes to look once at all that may be near [s]."""
        looks = len(self.covered.bodies) * min(len(self.scene.rows), MOST_ROWS) + len(self.pairs)
        return LOOK_TIME * looks + PUT_TIME * len(self.geometry.chain)

    def is_free_between(self, qa: Floats, qb: Floats) -> bool:
        """Whether the straight way from qa to qb in joint space keeps the clearance."""
        chain, bodies = self.geometry.chain, self.covered.bodies.copy()
        work = np.empty(between_size(len(chain) - 1, len(qa), len(bodies), len(self.pairs)))
        world = bodies, self.pairs, self.charts.rows, self.scene.laid.rows, self.clearance

        def look() -> bool:
            return bool(free_between(chain, *world, BETWEEN_TOLERANCE, qa, qb, work) >= 1.0)

        def give_up() -> None:  # nothing is watched any more, and the first pair that is looked at touches
            bodies[:, WATCHED], bodies[:, RADIUS] = 0.0, np.inf

        swing = float(np.abs(qb - qa).sum()) * 2.0 * float(bodies[:, HALF].sum())  # of the tip at most, about
        long = swing / USUAL_GAP * self.look_time > UNHEARD
        return bool(attend(look, give_up)) if long else look()


def guard_of(
    arm: Prepared, obstacles: Any, clearance: float, self_collision: bool, limits: Floats | None = None
) -> Guard:
    """What a robot keeps away from, checked; the last one again if the same scene is asked for once more.

    With limits (2, n) of the call, if it has its own: beyond those of the model other links may meet.
    """
    geometry = arm.geometry_for(limits, self_collision is True)
    last: Guard | None = arm.guard
    same = last is not None and last.self_collision is self_collision and last.geometry is geometry
    if last is not None and same and type(clearance) is float and last.clearance == clearance:
        if last.scene is obstacles:
            return last  # a scene never changes
        guard = arm.guard = last.among(as_scene(obstacles))
        return guard
    least = as_number(clearance, "clearance", OptionError)
    if least < 0.0:
        raise OptionError(f"{{argument}} is {least:g} m; it takes a distance from 0", argument="clearance")
    if not isinstance(self_collision, bool):
        raise OptionError(f"self_collision is {brief(self_collision)}; it takes True or False")
    scene = as_scene(obstacles)
    covered = last.covered if last is not None and last.geometry is geometry else cover(geometry)
    pairs, charts = (covered.pairs, covered.charts) if self_collision else (NO_PAIRS, NO_CHARTS)
    guard = arm.guard = Guard(geometry, scene, least, self_collision, covered, pairs, charts)
    return guard


def tell(what: Clearance, charts: Charts, nearest: NDArray[np.int64], q: Floats) -> Clearance:
    """What is nearest by charts, with the true distance at q if they tell of it."""
    if not what.charted:
        return what
    gaps, pair = np.array([np.inf]), (int(nearest[0]), -1 - int(nearest[1]))
    look_at_surfaces(charts, q[None], gaps, nearest[None].copy(), pair)
    return replace(what, distance=float(gaps[0]))


def too_near(what: Clearance, clearance: float) -> str:
    """What is too near for a clearance, in words."""
    asked = clearance if what.obstacle is not None else min(clearance, OWN_MOST)
    if what.charted and what.distance >= asked:
        return f"{what}, which is too near for their chart to tell"
    return f"{what} (clearance {asked:g} m)" if what.distance >= 0.0 else str(what)


def measure_clearance(arm: Prepared, Q: Floats, obstacles: Any, self_collision: bool) -> Clearance | Clearances:
    """How near the arm comes to obstacles and to itself, at (n,) joint values or at each of (N, n)."""
    last: Guard | None = arm.guard  # whatever clearance it is for: none is asked here
    clearance = last.clearance if last is not None and last.scene is obstacles else 0.0
    reached = Q.reshape(-1, arm.model.n)
    limits = np.array([reached.min(axis=0), reached.max(axis=0)]) if len(reached) else None
    guard = guard_of(arm, obstacles, clearance, self_collision, limits)
    if Q.ndim == 1:
        return guard.closest(Q)
    return Clearances(*guard.measure(Q), guard.naming)
