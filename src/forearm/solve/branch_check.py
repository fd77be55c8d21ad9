"""A pose for which every answer is wanted, and what is common to all ways of finding them.

A row of joint values becomes an answer when it is turned into the limits, polished on the real axes
where a file has rounded them, measured by forward kinematics, and kept once.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from forearm.arm.configurations import turns_inside
from forearm.common.types import Floats
from forearm.core.arm.goal import FINISH_SCRATCH
from forearm.core.branches.inside import each_once, measure_rows, turn_inside
from forearm.core.closed_form.forms.plan import SLACK
from forearm.core.closed_form.listing import measure_row
from forearm.core.closed_form.scratch import form_size
from forearm.core.codes import LIMIT_SLACK, LOWER, REPORT, SOLVED, UPPER
from forearm.errors import OptionError
from forearm.results.solution import Branch
from forearm.solve.methods.layout import NO_SETTINGS, changed
from forearm.solve.problem import CLOSED, GENERAL, Problem, solved

# Most values of one branch that are listed with windings; seven endless joints would have no end.
MOST_WINDINGS = 4096


@dataclass(frozen=True, eq=False)
class BranchCheck:
    """What makes rows of joint values answers to a problem.

    They are ordered by their distance from its start, and angles that the pose leaves free are taken from it.
    """

    problem: Problem
    windings: bool = False  # whether every whole turn inside the limits counts as an answer of its own
    exact: bool = False  # whether rows come as exact as they can be, from no closed form

    @cached_property
    def form(self) -> Floats:
        """The closed form of the robot, flat."""
        return np.asarray(self.problem.tables.of(CLOSED, self.problem.kind)[1])

    @cached_property
    def flat(self) -> Floats:
        """The problem as the kernels of the closed form take it."""
        asked, method = self.problem, GENERAL if self.exact else CLOSED
        return changed(asked.tables.of(method, asked.kind)[0], NO_SETTINGS, asked.terms, asked.limits)

    @cached_property
    def slack(self) -> float:
        """How far a row may lie outside the limits and still be brought inside [rad]."""
        return LIMIT_SLACK if self.exact else float(self.form[SLACK])

    def distance(self, q: Floats) -> float:
        """The largest change of a joint from the start."""
        return float(np.abs(q - self.problem.start).max())

    def measure(self, q: Floats, method: str) -> Branch | None:
        """The answer at q inside the limits, polished if need be; None if it does not meet the target."""
        if self.exact:
            return next(iter(self.measured(q[None], method)), None)
        model, report = self.problem.model, np.empty(REPORT)
        work = np.empty(form_size(model.m, model.n))
        code = measure_row(self.flat, self.form, self.problem.goal, work, q, report)
        return solved(self.problem, q, method, report, Branch) if code == SOLVED else None

    def measured(self, rows: Floats, method: str) -> list[Branch]:
        """The answers among rows inside the limits, polished if need be."""
        if not self.exact:
            answers = (self.measure(row.copy(), method) for row in rows)
            return [answer for answer in answers if answer is not None]
        met, reports = np.empty_like(rows), np.zeros((len(rows), REPORT))
        count = measure_rows(self.flat, self.problem.goal, rows, np.empty(FINISH_SCRATCH), met, reports)
        answers = (solved(self.problem, met[i], method, reports[i], Branch) for i in range(count))
        return [answer for answer in answers if answer is not None]

    def wound(self, answer: Branch) -> Iterator[Branch]:
        """An answer with each joint at each of its values inside the limits that differ by whole turns."""
        turns = [self._turns(k, float(value)) for k, value in enumerate(answer.q)]
        count = math.prod(map(len, turns))
        if count > MOST_WINDINGS:
            raise OptionError(
                f"one branch has {count} windings inside the limits, more than {MOST_WINDINGS} are not listed; "
                "narrow the limits with limits="
            )
        for q in product(*turns):
            turned = self.measure(np.array(q), answer.method)
            if turned is not None:
                yield turned

    def _turns(self, k: int, value: float) -> list[float]:
        """A joint's values inside the limits that are the same but for whole turns, the nearest first."""
        lower, upper = self.problem.limits[LOWER, k], self.problem.limits[UPPER, k]
        slack, start = self.slack, float(self.problem.start[k])
        values = turns_inside(value, start, lower, upper, slack) if self.problem.tables.comes_round[k] else [value]
        inside = [min(max(v, lower), upper) for v in values if lower - slack <= v <= upper + slack]
        return sorted(inside, key=lambda v: abs(v - start))

    def answers(self, rows: Floats, method: str) -> list[Branch]:
        """The rows (k, n) that meet the target inside the limits, each once, the nearest to the start first."""
        asked, inside = self.problem, np.empty_like(rows)
        tables, start = asked.tables, asked.start
        count = turn_inside(asked.limits, start, tables.comes_round, self.slack, rows, inside)
        found = self.measured(inside[:count], method)
        if not found:
            return []
        Q, far, order = np.array([branch.q for branch in found]), np.empty(len(found)), np.empty(len(found), np.int64)
        work = np.empty(16 + 2 * asked.model.n)
        many = each_once(self.flat, asked.goal, start, tables.comes_round, tables.bend, Q, work, far, order)
        kept = [found[i] for i in order[:many].tolist()]
        if not self.windings:
            return kept
        return sorted((w for b in kept for w in self.wound(b)), key=lambda branch: self.distance(branch.q))
