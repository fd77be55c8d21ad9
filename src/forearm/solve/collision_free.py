"""A target among obstacles: search, or go through every branch, then say what came of it.

The kernels look at what is certain first, then search (`core/collision/search.py`), or go through every branch of a
closed form (`core/collision/branches.py`). Where a search met only what collides, all branches of any six turning
joints are gone through too. What proves that nothing is free is said as proven; what a search did not find is said as
not found.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from forearm.arm.bodies import NOTHING_SURE
from forearm.arm.charts.make import NO_CHARTS
from forearm.arm.configurations import neutral
from forearm.arm.structure import Kind
from forearm.common.types import Floats
from forearm.core.arm.kinematics import jacobian, manipulability
from forearm.core.closed_form.forms.plan import ROWS as MOST_ROWS
from forearm.core.closed_form.listing import list_rows
from forearm.core.closed_form.scratch import form_size
from forearm.core.codes import (
    BODY,
    CLEARANCE,
    COLLISION,
    OTHER,
    POINT_AXIS,
    POSITION,
    SOLVED,
    TOL_POSITION,
    TOL_ROTATION,
    TRIES,
)
from forearm.core.collision.bodies import OWN_MOST, RADIUS
from forearm.core.collision.certain import OWNER, STANDS
from forearm.core.general.solve import MAX_TRIES, SKIP_TRIES
from forearm.errors import counted
from forearm.results.solution import NOT_EXPLAINED, Solution, Status, describe_errors
from forearm.solve.all_branches import solve_all
from forearm.solve.collision import Guard, too_near
from forearm.solve.methods.table import Method
from forearm.solve.problem import CLOSED, GENERAL, Outcome, Problem, ask, is_exact, opened, run, solved
from forearm.solve.single import conclude, refuse

# Tries of the second look before a verdict says that none was found: many where the best pose lacks at most this [m]
# of the clearance, else few, as deep overlaps stay. 226 looks with 2,048 tries in random scenes found nothing free.
THOROUGH, BRIEF, LACKING = 2048, 256, 0.02
# Tries for the least overlapping pose where it is certain that none is free.
SHOWN = 128
# Below this share of (reach / 2)^3 the product of singular values counts as singular: answers are lines there.
SINGULAR = 1e-6
# Said instead of "proven" where what is too near may not belong to the arm.
LARGER = "not proven, its capsules being larger than its shapes"
GUESSED = "not proven, its shapes being a guess"
# What motions within tolerances are counted more than to first order.
SPARE = 2.0


def solve_guarded(problem: Problem, methods: Sequence[Method], guard: Guard) -> Solution:
    """Solves one target among obstacles; the problem's settings are those of the general solver."""
    outcome = run(problem, methods, guard)
    q, report, code, method = outcome
    met = _met(problem, outcome, guard) if code == SOLVED else None
    listed = code == COLLISION and method is not GENERAL and report[TRIES] > 0.0
    proven = listed and _proves(problem, outcome, guard)
    searches = [problem] if listed and not proven else []  # only the exact pose's branches: it moves within tolerances
    if code > SOLVED and not proven and report[TRIES] > 0.0 and opened(problem).terms is not problem.terms:
        searches.append(opened(problem))
    for asked in searches:
        found = ask(asked, GENERAL, guard)
        met = _met(problem, found, guard) if found.solved else None
        if met is not None:
            break
    if met is not None:
        return met
    if code < SOLVED:
        refuse(problem, code)
    if not problem.explain:
        status = Status.COLLISION if code == COLLISION else Status.NOT_CONVERGED
        if status is Status.NOT_CONVERGED and problem.own_limits is not None:
            longer = ask(problem._replace(limits=problem.own_limits), GENERAL, guard)
            status = Status.STEP if longer.solved else status
        return Solution(q, status, method.name, report, NOT_EXPLAINED, guard)
    if code != COLLISION:
        return _unmet(problem, outcome, guard)
    if report[TRIES] == 0:
        return _certain(problem, outcome, guard)
    if listed:
        return _listed(problem, outcome, guard, proven)
    among = _eliminated(problem, outcome, guard)
    return _colliding(problem, outcome, guard) if among is None else among


def _met(problem: Problem, outcome: Outcome, guard: Guard) -> Solution | None:
    """The solution of an outcome that is free and meets the target, as measured; None if it does not."""
    return solved(problem, outcome.q, outcome.method.name, outcome.report, Solution, "", guard)


def _search(problem: Problem, guard: Guard, tries: int, skip: int = 0) -> Outcome:
    """Searches for a free pose once more, with another budget."""
    settings = problem.settings.copy()
    settings[MAX_TRIES], settings[SKIP_TRIES] = tries, skip
    return ask(opened(problem)._replace(settings=settings), GENERAL, guard)


def _certain(problem: Problem, outcome: Outcome, guard: Guard) -> Solution:
    """The verdict where what is certain beforehand collides, with the least overlapping pose."""
    report, method = outcome.report, outcome.method
    body = int(report[BODY])
    what = guard.naming.name(report[CLEARANCE], body, int(report[OTHER]))
    covered = guard.covered
    loss = covered.bodies[body, RADIUS] - covered.inner[body]  # what its shape may be smaller by
    unproven = GUESSED if covered.inner[body] <= NOTHING_SURE else LARGER
    proven = "proven" if report[CLEARANCE] + loss < guard.clearance else unproven
    own = covered.sure[covered.sure[:, OWNER] == body, STANDS]
    if (own == 0.0).any() or ((own == 2.0).any() and problem.kind in (POSITION, POINT_AXIS)):
        sentence = (
            f"every pose that meets the target collides ({proven}): {too_near(what, guard.clearance)} in all of them"
        )
    else:
        sentence = f"no target can be met ({proven}): {too_near(what, guard.clearance)}, at a point that no joint moves"
    unsure = replace(guard, sure=False)
    least = _search(problem, unsure, SHOWN) if method is GENERAL else ask(problem, method, unsure)
    best = least if least.code in (SOLVED, COLLISION) else _plain(problem)
    if isinstance(best, Solution) and not best.success:
        return replace(best, explanation=f"{best.reason}; and {sentence}")
    return _collision(outcome._replace(q=best.q, report=best.report), guard, sentence)


def _plain(problem: Problem) -> Solution:
    """The answer to the same target without a thought of obstacles."""
    settings = problem.settings.copy()
    settings[MAX_TRIES] = GENERAL.options().pack(0.0)[MAX_TRIES]
    problem = problem._replace(settings=settings)
    return conclude(problem, run(problem, (GENERAL,)))


def _listed(problem: Problem, outcome: Outcome, guard: Guard, proven: bool) -> Solution:
    """The verdict where all branches of the exact pose are known, and none is free."""
    count = counted(int(outcome.report[TRIES]), "branch").replace("branchs", "branches")
    if problem.own_limits is not None:
        count += " within max_joint_step of q0"
    if proven:
        return _collision(outcome, guard, f"none of the {count} that meet the target is free (proven)")
    if _moved_within(problem, outcome.q) == math.inf:
        sentence = f"none of the {count} looked at is free; at this singular pose there are others"
        return _collision(outcome, guard, sentence)
    more = _more(outcome, guard)
    second = _search(problem, guard, more, int(problem.settings[MAX_TRIES]))
    met = _met(problem, second, guard) if second.solved else None
    if met is not None:
        return met
    if second.code == COLLISION and second.report[CLEARANCE] > outcome.report[CLEARANCE]:
        outcome = second
    tries = int(problem.settings[MAX_TRIES]) + more
    sentence = f"none of the {count} of the exact pose is free, nor was a pose within its tolerances in {tries} tries"
    return _collision(outcome, guard, sentence)


def _eliminated(problem: Problem, outcome: Outcome, guard: Guard) -> Solution | None:
    """What all branches of six turning joints say where a search met only what collides: a free one, or a proof.

    None for other questions, where elimination leaves a doubt, and where tolerances leave room for a free pose.
    """
    if problem.tables.structure.kind is not Kind.NONE or not is_exact(problem):
        return None
    near = problem._replace(start=neutral(problem.limits) if len(problem.start) == 0 else problem.start)
    found = solve_all(near) if problem.tables.six_axes is not None else None
    if found is None or not found.complete or not found:
        return None
    gaps, _ = guard.measure(found.q, guard.clearance)
    for branch, gap in zip(found, gaps.tolist(), strict=True):
        free = solved(problem, branch.q, branch.method, branch.report, Solution, "", guard) if gap == math.inf else None
        if free is not None:
            return free
    most = int(np.argmax(gaps))
    best = outcome._replace(q=found[most].q, report=found[most].report)
    best.report[CLEARANCE] = gaps[most]
    if not _proves(problem, best, guard):
        return None
    count = counted(len(found), "branch").replace("branchs", "branches")
    within = " within max_joint_step of q0" if problem.own_limits is not None else ""
    return _collision(best, guard, f"none of the {count}{within} that meet the target is free (proven)")


def _colliding(problem: Problem, outcome: Outcome, guard: Guard) -> Solution:
    """The verdict where the target was met by a search, but never free, after a second look."""
    report = outcome.report
    tries, more = int(problem.settings[MAX_TRIES]), _more(outcome, guard)
    second = _search(problem, guard, more, tries)
    met = _met(problem, second, guard) if second.solved else None
    if met is not None:
        return met
    if second.code == COLLISION and second.report[CLEARANCE] > report[CLEARANCE]:
        outcome = outcome._replace(q=second.q, report=second.report)
    sentence = f"no free pose was found in {tries + more} tries (not a proof that there is none)"
    return _collision(outcome, guard, sentence)


def _more(outcome: Outcome, guard: Guard) -> int:
    """How many tries a second look takes: as many again, and many where little was lacking."""
    return THOROUGH if outcome.report[CLEARANCE] > guard.clearance - LACKING else BRIEF


def _unmet(problem: Problem, outcome: Outcome, guard: Guard) -> Solution:
    """The verdict where no try met the target at all: as without obstacles, unless that finds an answer."""
    plain = _plain(problem)
    if not plain.success:
        return plain
    second = _search(problem._replace(start=plain.q), guard, THOROUGH)
    met = _met(problem, second, guard) if second.solved else None
    if met is not None:
        return met
    best = second if second.code == COLLISION else plain
    sentence = f"no free pose was found in {THOROUGH} tries (not a proof that there is none)"
    return _collision(outcome._replace(q=best.q, report=best.report), guard, sentence)


def _proves(problem: Problem, outcome: Outcome, guard: Guard) -> bool:
    """Whether branches that are all too near prove that nothing is free: they lack more than tolerances can give."""
    lacking = min(guard.clearance, OWN_MOST) - outcome.report[CLEARANCE]
    if not lacking > 0.0:
        return False
    # the arm itself is no farther from anything than what surely belongs to it
    surely = replace(guard, covered=replace(guard.covered, bodies=guard.covered.sure_bodies), charts=NO_CHARTS)
    gaps, _ = surely.measure(_branches(problem, outcome.q))
    lacking = min(guard.clearance, OWN_MOST) - gaps.max(initial=-math.inf)
    return bool(lacking > _moved_within(problem, outcome.q))


def _moved_within(problem: Problem, q: Floats) -> float:
    """How far the tolerances let links move from the branches [m], with room to spare; infinite if one is singular.

    There, branches are lines instead of points, and there are answers that no list holds.
    """
    model = problem.model
    size = max(1e-9, float(np.linalg.norm(model.links[1:, :, 3], axis=1).sum()))
    J, frames, work = np.empty((6, model.n)), np.empty((model.m + 1, 4, 4)), np.empty(6 * model.n)
    allowed = np.repeat(problem.terms[[TOL_POSITION, TOL_ROTATION]], 3)  # by axis, of the norms' tolerances
    lever = np.where([kind == "prismatic" for kind in model.joint_kinds], 1.0, size)
    moved = 0.0
    for answer in _branches(problem, q):
        jacobian(model.links, model.joints, answer, frames, J)
        # fewer joints than a pose has numbers: recognised forms of these have points
        if model.n >= 6 and float(manipulability(J, work)) < SINGULAR * (0.5 * size) ** 3:
            return math.inf
        moved = max(moved, float(lever @ (np.abs(np.linalg.pinv(J)) @ allowed)))
    return SPARE * moved


def _branches(problem: Problem, q: Floats) -> Floats:
    """(N, n) all branches of the exact pose; angles that it leaves free are those of q."""
    if problem.tables.structure.kind is Kind.NONE and problem.tables.six_axes is not None:
        return problem.tables.six_axes.rows(problem.goal)[0]
    model, rows = problem.model, np.empty((MOST_ROWS, problem.model.n))
    _, form = problem.tables.of(CLOSED, problem.kind)
    count = list_rows(form, problem.goal, q, 0.0, np.empty(form_size(model.m, model.n)), rows)
    return rows[:count]


def _collision(outcome: Outcome, guard: Guard, sentence: str) -> Solution:
    """The solution with status `collision`: the least overlapping pose that meets the target."""
    q, report = outcome.q, outcome.report
    what = guard.in_the_way(q, guard.clearance)
    least = f"the pose returned meets the target ({describe_errors(report)}) with the largest clearance found"
    words = f"{sentence}; {least}: {too_near(what, guard.clearance)}"
    return Solution(q, Status.COLLISION, outcome.method.name, report, words, guard)
