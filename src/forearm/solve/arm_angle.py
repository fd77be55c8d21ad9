"""Answers of an arm with spherical shoulder and wrist: eight branches, each over the swivel angle.

The swivel angle says where the elbow stands about the line from shoulder to wrist: 0 in the
half-plane of the first axis's direction, counted about that line.
"""

import numpy as np

from forearm.arm.structure import Kind
from forearm.arm.tables import Prepared
from forearm.common.types import Floats
from forearm.core.arm.goal import FINISH_SCRATCH, finish
from forearm.core.closed_form.forms.srs_intervals import BREAKS
from forearm.core.closed_form.forms.srs_nearest import SWIVEL_SCRATCH, WIDEN
from forearm.core.closed_form.listing import BRANCHES, list_intervals, row_at_swivel, swivel_angle
from forearm.core.codes import POSE, REPORT
from forearm.errors import UnsupportedError
from forearm.results.solution import NOT_EXPLAINED, Branch, Branches, Solution, Status
from forearm.solve.branch_check import BranchCheck
from forearm.solve.methods.table import FORMS
from forearm.solve.problem import CLOSED, Problem

Intervals = tuple[tuple[float, float], ...]

METHOD = FORMS[Kind.SRS].name


def swivel_of_configuration(arm: Prepared, q: Floats) -> float:
    """The swivel angle of a configuration [rad]."""
    check_swivelling(arm)
    return float(swivel_angle(arm.of(CLOSED, POSE)[1], q))


def check_swivelling(arm: Prepared) -> None:
    """Refuses an arm without a swivel."""
    found = arm.structure
    if found.kind is not Kind.SRS:
        raise UnsupportedError(
            f"{arm.model.name} has no swivel angle, as arms with spherical shoulder and wrist have; "
            f"it is {found.summary}"
        )


def solve_all_swivels(check: BranchCheck) -> Branches:
    """Every branch with its swivel intervals, at the swivel angle nearest to the start's."""
    found: list[Branch] = []
    for widen in (0.0, WIDEN):
        for branch, (psi, intervals) in list_swivels(check, widen).items():
            row = swivel_row(check, branch, psi)
            for answer in check.answers(_rows(row), METHOD):
                answer.swivel = intervals
                found.append(answer)
        if found:
            break
    found.sort(key=lambda answer: check.distance(answer.q))
    reason = "every branch inside the limits, each over its swivel intervals" if found else why_none(check)
    return Branches(tuple(found), METHOD, True, reason)


def solve_at_swivel(problem: Problem, psi: float) -> Solution:
    """The answer with a given swivel angle that is nearest to the start, or why there is none."""
    check_swivelling(problem.tables)
    check = BranchCheck(problem)
    rows = [row for branch in range(BRANCHES) if (row := swivel_row(check, branch, psi)) is not None]
    found = check.answers(_rows(*rows), METHOD)
    return found[0] if found else _refusal(check, psi)


def list_swivels(check: BranchCheck, widen: float = 0.0) -> dict[int, tuple[float, Intervals]]:
    """For each branch that is inside the limits somewhere: its nearest swivel angle and its intervals."""
    asked, work = check.problem, np.empty(SWIVEL_SCRATCH)
    swivels, counts, ends = np.empty(BRANCHES), np.empty(BRANCHES, np.int64), np.empty((BRANCHES, BREAKS, 2))
    list_intervals(check.flat, check.form, asked.goal, asked.start, widen, work, swivels, counts, ends)
    table = {}
    for branch in np.flatnonzero(counts).tolist():
        spans = ends[branch, : counts[branch]].tolist()
        table[branch] = float(swivels[branch]), tuple((a, b) for a, b in spans)
    return table


def swivel_row(check: BranchCheck, branch: int, psi: float) -> Floats | None:
    """(7,) the joint values of a branch at a swivel angle, or None if it has no such elbow."""
    form, asked, row = check.form, check.problem, np.empty(7)
    there = row_at_swivel(form, asked.goal, asked.start, branch, psi, row)
    return row if there else None


def _rows(*rows: Floats | None) -> Floats:
    """(k, 7) the rows that are there."""
    return np.array([row for row in rows if row is not None]).reshape(-1, 7)


def why_none(check: BranchCheck) -> str:
    """Why no branch is inside the limits at any swivel angle."""
    if all(swivel_row(check, branch, 0.0) is None for branch in range(BRANCHES)):
        return "no joint values make this pose, not even without limits: the wrist is out of reach"
    return f"the pose is reachable, but at no swivel angle are all joints {_where(check)}"


def _where(check: BranchCheck) -> str:
    """What an answer had to be."""
    return "inside the limits" if check.problem.own_limits is None else "within max_joint_step of q0"


def _refusal(check: BranchCheck, psi: float) -> Solution:
    """A failed solution at the start, with the swivel angles that would do."""
    asked, report = check.problem, np.empty(REPORT)
    q = np.clip(asked.start, *asked.limits)
    finish(check.flat, asked.goal, q, np.empty(FINISH_SCRATCH), report)
    if not asked.explain:
        return Solution(q, Status.NOT_CONVERGED, METHOD, report, NOT_EXPLAINED)
    spans = sorted({span for _, intervals in list_swivels(check, 0.0).values() for span in intervals})
    if not spans:
        return Solution(q, Status.NOT_CONVERGED, METHOD, report, why_none(check))
    allowed = ", ".join(f"{a:.4g} to {b:.4g}" for a, b in spans)
    sentence = f"no branch is {_where(check)} with swivel {psi:.4g}; it takes one of: {allowed}"
    return Solution(q, Status.LIMITS, METHOD, report, sentence)
