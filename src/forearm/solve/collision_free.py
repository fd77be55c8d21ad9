"""The road of a solve among obstacles: pack, kernel, words.

The kernels look at what is certain first, then search (`core/collision/search.py`), or go through every branch of a
closed form (`core/collision/branches.py`). What proves that nothing is free is said as proven; what a search did
not find is said as not found.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from forearm.arm.geometry import Geometry
from forearm.arm.structure import Kind
from forearm.arm.tables import Prepared
from forearm.common.types import Floats
from forearm.core.arm.kinematics import jacobian, manipulability
from forearm.core.closed_form.forms.plan import CLASS, LINE_COLUMNS, PLAN, PLANE, THREE_PARALLEL, WRIST
from forearm.core.closed_form.forms.plan import ROWS as MOST_ROWS
from forearm.core.closed_form.listing import list_rows
from forearm.core.codes import (
    BODY,
    CLEARANCE,
    COLLISION,
    NOT_CONVERGED,
    OTHER,
    POSE,
    REPORT,
    SOLVED,
    TOL_AXES,
    TOOL_AXIS,
    TRIES,
)
from forearm.core.collision.bodies import FRAME, OWN_MOST
from forearm.core.collision.branches import parallel_among, plane_among, wrist_among
from forearm.core.collision.clearance import clearances
from forearm.core.collision.search import REPAIRS, SEARCH, SURE, WANTED, solve_among
from forearm.core.general.solve import HEAD, MAX_TRIES, SKIP_TRIES
from forearm.errors import counted
from forearm.results.solution import Clearance, Naming, Solution, Status, describe_errors
from forearm.scenes.scene import Scene
from forearm.solve.explain import NO_START, Case
from forearm.solve.methods.layout import NO_SETTINGS, changed
from forearm.solve.methods.options import GeneralOptions
from forearm.solve.methods.table import METHODS, Method
from forearm.solve.single import FLOAT64, as_configuration, choose, conclude, solve
from forearm.targets.target import ROWS, Target, as_target, default_terms

# Tries of a search for a free pose, and of the second look before a verdict says that none was found.
TRIES_AMONG, THOROUGH = 256, 2048
DEFAULT_SETTINGS = GeneralOptions(max_tries=TRIES_AMONG).pack(0.0)
# Tries for the least overlapping pose where it is certain that none is free.
SHOWN = 128
# Below this share of (reach / 2)^3 the product of singular values counts as singular: answers are lines there.
SINGULAR = 1e-6
NO_PAIRS = np.empty((0, 2), np.int64)
_POSE_TERMS = default_terms()
GENERAL, CLOSED = METHODS["general"], METHODS["closed-form"]
SOLVED_STATUS = Status.SOLVED  # looking a member of an enum up on each call costs time
# Structures whose branches are finitely many and all known.
COMPLETE = (Kind.UR, Kind.WRIST, Kind.PLANAR, Kind.SCARA)
FORM_KERNELS: dict[int, Callable[..., int]] = {
    THREE_PARALLEL: parallel_among,
    WRIST: wrist_among,
    PLANE: plane_among,
}


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
        bound: What a plain call's kernels take, kept from the first one: see `_bind`.
    """

    geometry: Geometry
    scene: Scene
    clearance: float
    self_collision: bool
    pairs: NDArray[np.int64]
    naming: Naming
    bound: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    def is_for(self, clearance: Any, self_collision: Any) -> bool:
        """Whether it is what these would make."""
        return type(clearance) is float and self.clearance == clearance and self.self_collision is self_collision

    def arrays(self, kind: int, limits: Floats, sure: bool = True) -> tuple[Any, ...]:
        """What the kernels take: bodies, pairs, obstacles, what is certain, and the numbers that steer a search.

        Args:
            kind: The kind of target.
            limits: (2, n) of the call: joints that are held give no freedom to repair with.
            sure: Whether what is certain shall be looked at first.
        """
        geometry, search = self.geometry, np.empty(SEARCH)
        search[WANTED], search[SURE] = self.clearance, sure
        search[REPAIRS] = np.count_nonzero(limits[0] < limits[1]) > ROWS[kind]
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


def make_guard(prepared: Prepared, scene: Scene, clearance: float, self_collision: bool) -> Guard:
    """What a robot keeps away from in a scene."""
    geometry = prepared.geometry
    pairs = geometry.pairs if self_collision else NO_PAIRS
    return Guard(geometry, scene, clearance, self_collision, pairs, Naming(geometry.names, scene.names, scene.owners))


@dataclass(frozen=True, eq=False)
class Hunt:
    """A search for a free pose: the case it is about, and its guard."""

    case: Case
    guard: Guard
    settings: Floats

    def run(
        self, tries: int, *, skip: int = 0, sure: bool = True, q0: Floats | None = None
    ) -> tuple[int, Floats, Floats]:
        """Searches with a budget; returns the status code, the joint values and the report."""
        case = self.case
        problem, table, *_ = case.prepared.of(GENERAL, case.kind)
        problem = changed(problem, self.settings, case.terms, case.limits)
        problem[HEAD + MAX_TRIES], problem[HEAD + SKIP_TRIES] = tries, skip
        return self._call(solve_among, problem, table, sure, case.start if q0 is None else q0)

    def run_form(self, sure: bool = True) -> tuple[int, Floats, Floats]:
        """Goes through every branch of the arm's closed form."""
        case = self.case
        problem, form = case.prepared.of(CLOSED, case.kind)
        problem = changed(problem, NO_SETTINGS, case.terms, case.limits)
        return self._call(FORM_KERNELS[int(form[CLASS])], problem, form, sure, case.start)

    def _call(
        self, kernel: Any, problem: Floats, table: Floats, sure: bool, start: Floats
    ) -> tuple[int, Floats, Floats]:
        case = self.case
        q, report = np.empty(case.model.n), np.empty(REPORT)
        arrays = self.guard.arrays(case.kind, case.limits, sure)
        return kernel(problem, table, *arrays, case.goal, start, q, report), q, report


def solve_guarded(
    prepared: Prepared,
    target: Any,
    q0: Any,
    guard: Guard,
    settings: Floats,
    limits: Floats,
    explain: bool = True,
    own_limits: Floats | None = None,
) -> Solution:
    """Solves one target among obstacles.

    Args:
        prepared: The robot and its tables.
        target: A `Target`, or anything that holds a (4, 4) pose.
        q0: (n,) start configuration, or None.
        guard: What to keep away from.
        settings: Packed options of the general solver.
        limits: (2, n) limits to respect in this call.
        explain: Whether a failure shall be explained, after a second, thorough look.
        own_limits: (2, n) the limits without a bound on the step from q0, or None if there is none.
    """
    plainly = type(target) is np.ndarray and target.dtype is FLOAT64 and target.shape == (4, 4) and target.flags.carray
    goal = _Bare(POSE, target, _POSE_TERMS) if plainly else as_target(target)  # the kernel checks that it is rigid
    start = NO_START if q0 is None else as_configuration(q0, prepared.model, "q0")
    q, report = np.empty(limits.shape[1]), np.empty(REPORT)
    method, kernel, arrays = _bind("first", prepared, guard, goal, settings, limits)
    code = kernel(*arrays, goal.goal, start, q, report)
    if code == NOT_CONVERGED and method is not GENERAL:
        method, kernel, arrays = _bind(GENERAL.name, prepared, guard, goal, settings, limits)
        code = kernel(*arrays, goal.goal, start, q, report)
    if code == SOLVED:
        return Solution(q, SOLVED_STATUS, method.name, report, "", guard)
    case = Case(prepared, limits, goal.kind, goal.goal, goal.terms, method, q, report, start, own_limits)
    return _failed(Hunt(case, guard, settings), code, method is not GENERAL, explain)


Bound = tuple[Method, Callable[..., int], tuple[Any, ...]]


def _bind(stage: str, prepared: Prepared, guard: Guard, goal: Any, settings: Floats, limits: Floats) -> Bound:
    """A method, its kernel, and what that takes in front of the target; kept for calls that leave all else alone.

    Args:
        prepared: The robot and its tables.
        guard: What to keep away from; keeps what was bound.
        goal: The target, parsed.
        settings: Packed options of the general solver.
        limits: (2, n) limits to respect in this call.
        stage: "first", or "general" for the search alone.
    """
    plain = goal.terms is _POSE_TERMS and settings is DEFAULT_SETTINGS and limits is prepared.model.limits
    if plain and stage in guard.bound:
        kept: Bound = guard.bound[stage]
        return kept
    method = _method(prepared, goal) if stage == "first" else GENERAL
    form = method is not GENERAL
    problem, table, *_ = prepared.of(CLOSED if form else GENERAL, goal.kind)
    problem = changed(problem, NO_SETTINGS if form else settings, goal.terms, limits)
    kernel = FORM_KERNELS[int(table[CLASS])] if form else solve_among
    bound = method, kernel, (problem, table, *guard.arrays(goal.kind, limits))
    if plain:
        guard.bound[stage] = bound
    return bound


def solver_among(prepared: Prepared, guard: Guard, settings: Floats, explain: bool) -> Callable[..., Solution]:
    """A function of target, q0, limits and limits without a bound on the step, for many targets."""

    def single(target: Target, q0: Floats | None, limits: Floats, own_limits: Floats | None) -> Solution:
        return solve_guarded(prepared, target, q0, guard, settings, limits, explain, own_limits)

    return single


def _failed(hunt: Hunt, code: int, form: bool, explain: bool) -> Solution:
    """The solution of a search that found nothing free."""
    case, guard = hunt.case, hunt.guard
    if code < 0:
        conclude(case, code, explain)  # raises
    if not explain:
        status = Status.COLLISION if code == COLLISION else Status.NOT_CONVERGED
        words = "not explained (explain=False)"
        return Solution(case.q, status, case.method.name, case.report, words, guard)
    if code == COLLISION:
        return _certain(hunt, form) if case.report[TRIES] == 0 else _colliding(hunt, form)
    return _unmet(hunt)


class _Bare(NamedTuple):
    """A pose that the caller gave as a bare array: what a `Target` holds, made faster."""

    kind: int
    goal: Floats
    terms: Floats


def _method(prepared: Prepared, goal: Any) -> Method:
    """The closed form where all branches are known and the target is a pose, else the general solver."""
    bands = goal.terms is not _POSE_TERMS and bool(np.isfinite(goal.terms[TOL_AXES:TOOL_AXIS]).any())
    if bands or prepared.structure.kind not in COMPLETE:
        return GENERAL
    return choose(prepared, goal.kind, False)


def _certain(hunt: Hunt, by_form: bool) -> Solution:
    """The verdict where what is certain beforehand collides, with the least overlapping pose."""
    case, guard = hunt.case, hunt.guard
    what = guard.naming.name(case.report[CLEARANCE], int(case.report[BODY]), int(case.report[OTHER]))
    body = int(case.report[BODY])
    by_target = guard.geometry.bodies[body, FRAME] == case.model.m - 1
    if by_target:
        sentence = f"the target itself does it (proven): whatever the other joints do, {_too_near(what, guard)}"
    else:
        sentence = f"no target can be met (proven): {_too_near(what, guard)}, at a point that no joint moves"
    code, q, report = hunt.run_form(sure=False) if by_form else hunt.run(SHOWN, sure=False)
    if code in (SOLVED, COLLISION):
        return _collision(replace(hunt, case=replace(case, q=q, report=report)), sentence)
    plain = _plain(hunt)
    if plain.success:
        return _collision(replace(hunt, case=replace(case, q=plain.q, report=plain.report)), sentence)
    return replace(plain, explanation=f"{plain.reason}; and {sentence}")


def _plain(hunt: Hunt) -> Solution:
    """The answer to the same target without a thought of obstacles."""
    case, general = hunt.case, GENERAL
    start = case.start if len(case.start) else None
    settings = hunt.settings.copy()
    settings[MAX_TRIES] = general.options().pack(0.0)[MAX_TRIES]
    target = Target(case.kind, case.goal, case.terms)
    return solve(case.prepared, target, start, general, settings, case.limits, True, None, None, case.own_limits)


def _colliding(hunt: Hunt, by_form: bool) -> Solution:
    """The verdict where the target was met, but never free: all branches known, or a second look."""
    case, guard = hunt.case, hunt.guard
    if by_form:
        count = counted(int(case.report[TRIES]), "branch").replace("branchs", "branches")
        if case.own_limits is not None:
            count += " within max_joint_step of q0"
        if not _is_singular(case):
            return _collision(hunt, f"none of the {count} that meet the target is free (proven)")
        return _collision(hunt, f"none of the {count} looked at is free; at this singular pose there are others")
    tries = int(hunt.settings[MAX_TRIES])
    code, q, report = hunt.run(THOROUGH, skip=tries)
    if code == SOLVED:
        return Solution(q, Status.SOLVED, case.method.name, report, guard=guard)
    if code == COLLISION and report[CLEARANCE] > case.report[CLEARANCE]:
        hunt = replace(hunt, case=replace(case, q=q, report=report))
    sentence = f"no free pose was found in {tries + THOROUGH} tries (none found is no proof)"
    return _collision(hunt, sentence)


def _unmet(hunt: Hunt) -> Solution:
    """The verdict where no try met the target at all: as without obstacles, unless that finds an answer."""
    plain = _plain(hunt)
    if not plain.success:
        return plain
    code, q, report = hunt.run(THOROUGH, q0=plain.q)
    if code == SOLVED:
        return Solution(q, Status.SOLVED, hunt.case.method.name, report, guard=hunt.guard)
    if code != COLLISION:
        q, report = plain.q, plain.report
    sentence = f"no free pose was found in {THOROUGH} tries (none found is no proof)"
    return _collision(replace(hunt, case=replace(hunt.case, q=q, report=report)), sentence)


def _is_singular(case: Case) -> bool:
    """Whether some of the branches are lines instead of points: then there are answers that no list holds."""
    model, rows = case.model, np.empty((MOST_ROWS, case.model.n))
    if model.n < 6:
        return False  # fewer joints than a pose has numbers: recognised forms of these have points
    _, form = case.prepared.of(CLOSED, case.kind)
    back, lines = form[PLAN : PLAN + 16].reshape(4, 4).copy(), form[PLAN + 16 :].reshape(-1, LINE_COLUMNS).copy()
    count = list_rows(form[:PLAN].copy(), lines, back, case.goal, case.q, 0.0, rows)
    size = max(1e-9, float(np.linalg.norm(model.links[1:, :, 3], axis=1).sum()))
    J = np.empty((6, model.n))
    for q in rows[:count]:
        jacobian(model.links, model.joints, q, J)
        if float(manipulability(J)) < SINGULAR * (0.5 * size) ** 3:
            return True
    return False


def _too_near(what: Clearance, guard: Guard) -> str:
    """What is too near, in words."""
    asked = guard.clearance if what.obstacle is not None else min(guard.clearance, OWN_MOST)
    wanted = f" (clearance {asked:g} m)" if what.distance >= 0.0 else ""
    return f"{what}{wanted}"


def _collision(hunt: Hunt, sentence: str) -> Solution:
    """The solution with status `collision`: the least overlapping pose that meets the target."""
    case, guard = hunt.case, hunt.guard
    gap, nearest = guard.measure(case.q[None], guard.clearance)
    what = guard.naming.name(gap[0], *nearest[0].tolist()) if gap[0] < np.inf else guard.closest(case.q)
    least = f"the pose returned meets the target ({describe_errors(case.report)}) with the most room found"
    words = f"{sentence}; {least}: {_too_near(what, guard)}"
    return Solution(case.q, Status.COLLISION, case.method.name, case.report, words, guard)
