"""Answers of an arm with spherical shoulder and wrist: eight branches, each over the swivel angle.

The swivel angle says where the elbow stands about the line from shoulder to wrist: 0 in the
half-plane of the first axis's direction, counted about that line.
"""

import numpy as np

from forearm.arm.structure import Kind
from forearm.arm.tables import Prepared
from forearm.common.types import Floats
from forearm.core.arm.goal import finish
from forearm.core.closed_form.forms.nearest import bring_inside
from forearm.core.closed_form.forms.plan import SLACK
from forearm.core.closed_form.forms.srs_intervals import BREAKS, nearest_inside
from forearm.core.closed_form.forms.srs_nearest import ELBOW, INSET, WIDEN
from forearm.core.closed_form.listing import BRANCHES, list_intervals, row_at_swivel, swivel_angle
from forearm.core.codes import LOWER, REPORT, UPPER
from forearm.errors import UnsupportedError
from forearm.results.solution import Branch, Branches, Solution, Status
from forearm.solve.branch_check import Question
from forearm.solve.methods.table import FORMS
from forearm.targets.target import Pose

Intervals = tuple[tuple[float, float], ...]

METHOD = FORMS[Kind.SRS].name


def swivel_of_configuration(prepared: Prepared, q: Floats) -> float:
    """The swivel angle of a configuration [rad]."""
    check_swivelling(prepared)
    lines = Question(prepared, Pose(np.eye(4)), prepared.model.limits, q).form.lines
    return float(swivel_angle(lines, q))


def check_swivelling(prepared: Prepared) -> None:
    """Refuses an arm without a swivel."""
    found = prepared.structure
    if found.kind is not Kind.SRS:
        raise UnsupportedError(
            f"{prepared.model.name} has no swivel angle, as arms with spherical shoulder and wrist have; "
            f"it is {found.summary}"
        )


def solve_all_swivels(question: Question) -> Branches:
    """Every branch with its swivel intervals, at the swivel angle nearest to the start's."""
    found: list[Branch] = []
    for widen in (0.0, WIDEN):
        for branch, (psi, intervals) in _intervals(question, widen).items():
            row = _row(question, branch, psi)
            rows = [] if row is None else [row]
            found += [_with_intervals(answer, intervals) for answer in question.answers(rows, METHOD)]
        if found:
            break
    found.sort(key=lambda answer: question.distance(answer.q))
    reason = "every branch inside the limits, each over its swivel intervals" if found else _why_none(question)
    return Branches(tuple(found), METHOD, True, reason)


def solve_at_swivel(question: Question, psi: float) -> Solution:
    """The answer with a given swivel angle that is nearest to the start, or why there is none."""
    rows = [row for branch in range(BRANCHES) if (row := _row(question, branch, psi)) is not None]
    found = question.answers(rows, METHOD)
    if found:
        return found[0]
    return _refusal(question, psi)


def _intervals(question: Question, widen: float) -> dict[int, tuple[float, Intervals]]:
    """For each branch that is inside the limits somewhere: its nearest swivel angle and its intervals."""
    form, limits, start = question.form, question.limits, question.start
    elbows, swivels, counts = np.empty(2), np.empty(2), np.empty(BRANCHES, np.int64)
    ends = np.empty((BRANCHES, BREAKS, 2))
    goal = question.target.goal
    list_intervals(form.lines, form.back, limits, goal, start, widen, elbows, swivels, counts, ends)
    table = {}
    for branch in np.flatnonzero(counts):
        elbow = branch // 4
        bounds = limits[LOWER, ELBOW], limits[UPPER, ELBOW]
        if bring_inside(elbows[elbow], start[ELBOW], *bounds, form.plan[SLACK])[0]:
            spans = ends[branch, : counts[branch]]
            psi = nearest_inside(ends[branch], counts[branch], swivels[elbow], INSET)
            table[int(branch)] = float(psi), tuple((float(a), float(b)) for a, b in spans)
    return table


def _row(question: Question, branch: int, psi: float) -> Floats | None:
    """(7,) the joint values of a branch at a swivel angle, or None if it has no such elbow."""
    form, row = question.form, np.empty(7)
    there = row_at_swivel(form.lines, form.back, question.target.goal, question.start, branch, psi, row)
    return row if there else None


def _with_intervals(answer: Branch, intervals: Intervals) -> Branch:
    return Branch(answer.q, answer.status, answer.method, answer.report, answer.explanation, swivel=intervals)


def _why_none(question: Question) -> str:
    if all(_row(question, branch, 0.0) is None for branch in range(BRANCHES)):
        return "no joint values make this pose, not even without limits: the wrist is out of reach"
    return "the pose is reachable, but at no swivel angle are all joints inside the limits"


def _refusal(question: Question, psi: float) -> Solution:
    """A failed solution at the start, with the swivel angles that would do."""
    model, target, report = question.prepared.model, question.target, np.empty(REPORT)
    q = np.clip(question.start, *question.limits)
    finish(model.links, model.joints, question.limits, target.goal, target.kind, target.terms, q, report)
    table = _intervals(question, 0.0)
    spans = sorted({span for _, intervals in table.values() for span in intervals})
    if not spans:
        return Solution(q, Status.NOT_CONVERGED, METHOD, report, _why_none(question))
    allowed = ", ".join(f"{a:.4g} to {b:.4g}" for a, b in spans)
    sentence = f"no branch is inside the limits with swivel {psi:.4g}; it takes one of: {allowed}"
    return Solution(q, Status.LIMITS, METHOD, report, sentence)
