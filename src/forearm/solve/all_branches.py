"""Every answer to a target: by the closed form where the arm has one, else by search.

Where one joint must be held, or no form is known, what comes back is a sample and says so.
"""

import numpy as np

from forearm.arm.structure import Kind
from forearm.common.types import Floats
from forearm.core.closed_form.forms.plan import ROWS
from forearm.core.closed_form.held import held_range
from forearm.core.closed_form.listing import list_rows
from forearm.core.codes import POSE, REPORT, SOLVED
from forearm.errors import counted
from forearm.results.solution import Branch, Branches, Status
from forearm.solve.arm_angle import solve_all_swivels
from forearm.solve.branch_check import Question
from forearm.solve.explain import NO_START
from forearm.solve.methods.options import GeneralOptions
from forearm.solve.methods.table import FORMS, METHODS
from forearm.targets.target import ROWS as ASKED_ROWS

HELD_SAMPLES = 64  # values of a held joint, by default
SEARCHES = 256  # starts of a search, by default
DISTINCT = 1e-3  # answers of a search closer than this in every joint are one [rad or m]


def solve_all(question: Question, samples: int | None = None) -> Branches:
    """Every answer to a question, the nearest to its start first.

    Args:
        question: What is asked for.
        samples: Values of a held joint, or starts of a search, where it takes one.
    """
    found = question.prepared.structure
    if question.target.kind != POSE or found.kind is Kind.NONE:
        return _by_search(question, samples or SEARCHES)
    if found.kind is Kind.SRS:
        return solve_all_swivels(question)
    method = FORMS[found.kind].name
    if found.locked is not None:
        return _by_holding(question, found.locked, samples or HELD_SAMPLES)
    rows = _rows(question, 0.0)
    if len(rows) == 0:
        return Branches((), method, True, "no joint values make this pose, not even without limits")
    answers = tuple(question.answers(rows, method))
    reason = (
        "every branch inside the limits" if answers else "the pose is reachable, but no branch is inside the limits"
    )
    return Branches(answers, method, True, reason)


def _rows(question: Question, held: float) -> Floats:
    """(k, n) the rows of the form, with the held joint at a value if there is one."""
    form, rows = question.form, np.empty((ROWS, question.prepared.model.n))
    count = list_rows(form.plan, form.lines, form.back, question.target.goal, question.start, held, rows)
    return rows[:count]


def _by_holding(question: Question, held: int, samples: int) -> Branches:
    """The answers at evenly spread values of the held joint, the start's own among them."""
    method = FORMS[Kind.LOCKED].name
    lower, upper = held_range(question.limits, held, question.start[held])
    values = [float(question.start[held]), *np.linspace(lower, upper, samples - 1)]
    answers: list[Branch] = []
    for value in values:
        answers += question.answers(_rows(question, value), method)
    answers.sort(key=lambda answer: question.distance(answer.q))
    name = question.prepared.model.joint_names[held]
    reason = f"every branch at {counted(samples, 'value')} of {name}; between them there are others"
    return Branches(tuple(answers), method, False, reason)


def _by_search(question: Question, starts: int) -> Branches:
    """The distinct answers that the general solver finds from many starts."""
    found: list[Branch] = []
    for skip in range(starts):
        answer = _one_try(question, skip)
        if answer is not None and all(np.abs(answer.q - other.q).max() > DISTINCT for other in found):
            found.append(answer)
    found.sort(key=lambda answer: question.distance(answer.q))
    redundant = question.prepared.model.n > ASKED_ROWS[question.target.kind]
    what = "the arm is redundant, so they are a sample" if redundant else "some may be missing"
    reason = f"found by search from {counted(starts, 'start')}: {what}"
    return Branches(tuple(found), "general", False, reason)


def _one_try(question: Question, skip: int) -> Branch | None:
    """The answer of one start of the general solver, each joint turned near the question's start."""
    general, model, target = METHODS["general"], question.prepared.model, question.target
    settings = GeneralOptions(max_tries=1, skip_tries=skip, rng_seed=skip).pack(0.0)
    q, report = np.empty(model.n), np.empty(REPORT)
    tables = question.prepared.of(general, target.kind)
    problem = (model.links, model.joints, question.limits, target.goal, target.kind, target.terms, NO_START)
    code = general.kernel(*problem, settings, *tables, q, report)
    return Branch(q, Status.SOLVED, "general", report) if code == SOLVED else None
