"""Every answer to a target: by the closed form where the arm has one, else by search.

Where one joint must be held, or no form is known, what comes back is a sample and says so.
"""

import numpy as np

from forearm.arm.structure import Kind
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
from forearm.solve.problem import GENERAL, Problem, is_redundant, search, solved

HELD_SAMPLES = 64  # values of a held joint, by default
SEARCHES = 256  # starts of a search, by default
DISTINCT = 1e-3  # answers of a search closer than this in every joint are one [rad or m]


def solve_all(problem: Problem, windings: bool = False, samples: int | None = None) -> Branches:
    """Every answer to a problem, the nearest to its start first; arguments as `Robot.solve_all` takes them."""
    found, check = problem.tables.structure, BranchCheck(problem, windings)
    if problem.kind != POSE or found.kind is Kind.NONE:
        return _by_search(check, samples or SEARCHES)
    if found.kind is Kind.SRS:
        return solve_all_swivels(check)
    method = FORMS[found.kind].name
    if found.locked is not None:
        return _by_holding(check, found.locked, samples or HELD_SAMPLES)
    rows = _rows(check, 0.0)
    if len(rows) == 0:
        return Branches((), method, True, "no joint values make this pose, not even without limits")
    answers = tuple(check.answers(rows, method))
    none = "the pose is reachable, but no branch is inside the limits"
    return Branches(answers, method, True, "every branch inside the limits" if answers else none)


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
