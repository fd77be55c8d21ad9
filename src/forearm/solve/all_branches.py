"""Every answer to a target: by the closed form where there is one, by elimination where six joints turn, or by search.

Seven turning joints have curves of answers, of which each arc inside the limits gives one. Where neither is possible,
or values of a held joint are asked for, what comes back is a sample and says so.
"""

from typing import TYPE_CHECKING

import numpy as np

from forearm.arm.structure import Kind
from forearm.common.later import Later
from forearm.common.types import Floats
from forearm.core.closed_form.forms.plan import ROWS
from forearm.core.closed_form.held import held_range
from forearm.core.closed_form.listing import list_rows
from forearm.core.closed_form.scratch import form_size
from forearm.core.codes import POSE
from forearm.errors import counted
from forearm.results.solution import Branch, Branches
from forearm.solve.arm_angle import solve_all_swivels
from forearm.solve.branch_check import BranchCheck
from forearm.solve.methods.table import FORMS
from forearm.solve.problem import GENERAL, Problem, is_exact, is_redundant, search, solved

if TYPE_CHECKING:
    from forearm.results import self_motion as motions
    from forearm.solve.curves import self_motion as curves
else:  # six joints wait for nothing that only seven have
    motions, curves = Later("forearm.results.self_motion"), Later("forearm.solve.curves.self_motion")

HELD_SAMPLES = 64  # values of a held joint, by default
ELIMINATION = "elimination"  # what the answers say they were found by
SIX = 6
# What is said of a set, by how far it is to be trusted: not, by two eliminations that agree, by one without a doubt.
TRUSTED = (
    "; some may be missing, as answers coincide or lie on a line of answers here",
    "; two ways to find them agree, and answers closer than 2e-5 rad may count as one",
    "",
)
SEARCHES = 256  # starts of a search, by default
DISTINCT = 1e-3  # answers of a search closer than this in every joint are one [rad or m]


def solve_all(problem: Problem, windings: bool = False, samples: int | None = None) -> Branches:
    """Every answer to a problem, the nearest to its start first; arguments as `Robot.solve_all` takes them."""
    found = _list(problem, windings, samples)
    if problem.model.n == SIX:
        names = problem.tables.postures
        for branch in found.found:
            branch.names = names
    return found


def _list(problem: Problem, windings: bool, samples: int | None) -> Branches:
    """Every answer, by what suits the arm."""
    found, check = problem.tables.structure, BranchCheck(problem, windings)
    free, is_open = np.count_nonzero(problem.limits[0] != problem.limits[1]), found.kind is Kind.NONE
    if problem.kind == POSE and 0 < free <= SIX and free < problem.model.n and (is_open or problem.model.n > SIX):
        return _without_held(problem, windings, samples)
    if samples is None and problem.model.n > SIX and found.kind is not Kind.SRS and curves.has_self_motion(problem):
        return _by_curves(problem, windings)
    if problem.kind != POSE or is_open:
        listed = _by_elimination(problem, windings, samples) if is_open and _is_exact_pose(problem) else None
        return _by_search(check, samples or SEARCHES) if listed is None else listed
    return solve_all_swivels(check) if found.kind is Kind.SRS else _by_form(check, samples)


def _by_form(check: BranchCheck, samples: int | None) -> Branches:
    """Every answer of a closed form, or those at values of a joint that it holds."""
    found = check.problem.tables.structure
    method = FORMS[found.kind].name
    if found.locked is not None:
        return _by_holding(check, found.locked, samples or HELD_SAMPLES)
    rows = _rows(check, 0.0)
    if len(rows) == 0:
        return Branches((), method, True, "no joint values make this pose, not even without limits")
    answers = tuple(check.answers(rows, method))
    none = "the pose is reachable, but no branch is inside the limits"
    return Branches(answers, method, True, "every branch inside the limits" if answers else none)


def _without_held(problem: Problem, windings: bool, samples: int | None) -> Branches:
    """Every answer where joints of a long chain are locked: those of the chain that is left, with their values."""
    lower, upper = problem.limits
    free = lower != upper
    tables = problem.tables.with_held(np.where(free, np.nan, lower))
    limits = np.ascontiguousarray(problem.limits[:, free])
    left = problem._replace(tables=tables, start=problem.start[free], limits=limits, own_limits=None, rest=None)
    found, answers = solve_all(left, windings, samples), list[Branch]()
    for branch in found:
        q = lower.copy()
        q[free] = branch.q
        answer = solved(problem, q, branch.method, branch.report, Branch)
        answers += [] if answer is None else [answer]
    return Branches(tuple(answers), found.method, found.complete, found.reason)


def _by_elimination(problem: Problem, windings: bool, samples: int | None) -> Branches | None:
    """Every answer of six turning joints; where that is in doubt, a search is asked as well. None for other arms."""
    axes, check = problem.tables.six_axes, BranchCheck(problem, windings, exact=True)
    if axes is None:
        return None
    rows, trust = axes.rows(problem.goal)
    if trust == 0:
        more = _by_search(check, samples or SEARCHES).found
        rows = np.concatenate([rows, *(branch.q[None] for branch in more)])
    answers = tuple(check.answers(rows, ELIMINATION))
    which = "the pose is reachable, but no branch is inside the limits"
    if answers:
        which = "every branch inside the limits" if trust > 0 else "branches inside the limits"
    elif len(rows) == 0:
        which = "no joint values make this pose, not even without limits" if trust > 0 else "no branch was found"
    return Branches(answers, ELIMINATION, trust > 0, which + TRUSTED[trust])


def _by_curves(problem: Problem, windings: bool) -> Branches:
    """The answer nearest to the start on each arc of the self-motion curves."""
    check, motion = BranchCheck(problem, windings, exact=True), curves.self_motion(problem)
    answers, start = list[Branch](), problem.start
    for arc in motion.arcs:
        place = motions.best_on(arc, lambda Q: -np.abs(Q - start).max(axis=1), start)
        branch = check.measure(np.clip(place.q, *problem.limits), curves.METHOD)
        for answer in [] if branch is None else check.wound(branch) if windings else [branch]:
            answer.arc = arc
            answers.append(answer)
    answers.sort(key=lambda answer: check.distance(answer.q))
    return Branches(tuple(answers), curves.METHOD, motion.complete, motion.reason, motion)


def _is_exact_pose(problem: Problem) -> bool:
    """Whether a whole pose is asked, which no more than six joints meet in finitely many ways."""
    if problem.kind != POSE:
        return False
    terms, spare = problem.terms, problem.tables.spare
    found = spare.get(key := ("exact", terms.tobytes()))
    if found is None:
        found = spare[key] = is_exact(problem) and not is_redundant(problem.tables, POSE, terms)
    return found


def _rows(check: BranchCheck, held: float) -> Floats:
    """(k, n) the rows of the form, with the held joint at a value if there is one."""
    form, asked = check.form, check.problem
    rows = np.empty((ROWS, asked.model.n))
    work = np.empty(form_size(asked.model.m, asked.model.n))
    count = list_rows(form, asked.goal, asked.start, held, work, rows)
    return rows[:count]


def _by_holding(check: BranchCheck, held: int, samples: int) -> Branches:
    """The answers at evenly spread values of the held joint, the start's own among them."""
    method, start = FORMS[Kind.LOCKED].name, check.problem.start
    lower, upper = held_range(*check.problem.limits[:, held].tolist(), float(start[held]))
    values = [float(start[held]), *np.linspace(lower, upper, samples - 1)]
    answers: list[Branch] = []
    for value in values:
        answers += check.answers(_rows(check, value), method)
    answers.sort(key=lambda answer: check.distance(answer.q))
    name = check.problem.model.joint_names[held]
    reason = f"every branch at {counted(samples, 'value')} of {name}; between them there are others"
    return Branches(tuple(answers), method, False, reason)


def _by_search(check: BranchCheck, starts: int) -> Branches:
    """The distinct answers that the general solver finds from many starts."""
    asked, found = check.problem, list[Branch]()
    for skip in range(starts):
        answer = search(asked, 1, seed=skip, skip=skip)
        if answer.solved and all(np.abs(answer.q - other.q).max() > DISTINCT for other in found):
            branch = solved(asked, answer.q, GENERAL.name, answer.report, Branch)
            found += [branch] if branch is not None else []
    found.sort(key=lambda answer: check.distance(answer.q))
    redundant = is_redundant(asked.tables, asked.kind, asked.terms)
    what = "the arm is redundant, so they are a sample" if redundant else "some may be missing"
    reason = f"found by search from {counted(starts, 'start')}: {what}"
    return Branches(tuple(found), GENERAL.name, False, reason)
