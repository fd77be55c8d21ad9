"""A pose for which every answer is wanted, and what is common to all ways of finding them.

A row of joint values becomes an answer when it is turned into the limits, polished on the real axes
where a file has rounded them, measured by forward kinematics, and kept once.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from forearm.arm.configurations import comes_round, turned_near, turns_inside
from forearm.common.types import Floats
from forearm.core.arm.goal import FINISH_SCRATCH, finish
from forearm.core.arm.kinematics import fk_batch
from forearm.core.closed_form.forms.plan import SLACK
from forearm.core.closed_form.listing import measure_row
from forearm.core.closed_form.scratch import form_size
from forearm.core.codes import LIMIT_SLACK, LOWER, REPORT, SOLVED, UPPER
from forearm.errors import OptionError
from forearm.models.model import reach
from forearm.results.solution import Branch
from forearm.solve.methods.layout import NO_SETTINGS, changed
from forearm.solve.problem import CLOSED, GENERAL, Problem, solved

# Answers closer than this in every joint are one: near a singularity the digits of a joint are lost.
SAME = 1e-6  # [rad or m]
# So are answers that are joined by others (a singular wrist turning on the spot): the pose must stay
# where it is, within MET [m, or sine of an angle], at these shares of the way between them. Two
# branches that nearly coincide bend away from the target between them, by their distance squared
# times lengths of the arm; much less than that is no bend.
BETWEEN = (0.3, 0.5, 0.8)
MET = 1e-6
BEND = 1e-3
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
        model, report = self.problem.model, np.empty(REPORT)
        if self.exact:
            code = finish(self.flat, self.problem.goal, q, np.empty(FINISH_SCRATCH), report)
        else:
            work = np.empty(form_size(model.m, model.n))
            code = measure_row(self.flat, self.form, self.problem.goal, work, q, report)
        return solved(self.problem, q, method, report, Branch) if code == SOLVED else None

    def turned(self, row: Floats) -> Floats | None:
        """The representative of a row inside the limits that is nearest to the start, or None."""
        turns = [self._turns(k, float(value)) for k, value in enumerate(row)]
        return np.array([values[0] for values in turns]) if all(turns) else None

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
        values = turns_inside(value, start, lower, upper, slack) if self._comes_round[k] else [value]
        inside = [min(max(v, lower), upper) for v in values if lower - slack <= v <= upper + slack]
        return sorted(inside, key=lambda v: abs(v - start))

    @cached_property
    def _comes_round(self) -> list[bool]:
        """Which joints are where they were after a whole turn."""
        return [bool(turns) for turns in comes_round(self.problem.model)]

    def answers(self, rows: Iterable[Floats], method: str) -> list[Branch]:
        """The rows that meet the target inside the limits, each once, the nearest to the start first."""
        inside = (self.turned(row) for row in rows)
        measured = (self.measure(q, method) for q in inside if q is not None)
        found = sorted((b for b in measured if b is not None), key=lambda branch: self.distance(branch.q))
        kept: list[Branch] = []
        for branch in found:
            if not any(self._one(branch.q, other.q) for other in kept):
                kept.append(branch)
        if not self.windings:
            return kept
        return sorted((w for b in kept for w in self.wound(b)), key=lambda branch: self.distance(branch.q))

    def _one(self, a: Floats, b: Floats) -> bool:
        """Whether two answers are one: the same, or joined by answers."""
        model = self.problem.model
        way = turned_near(b - a, np.zeros(model.n), model)
        Q = a + np.outer(BETWEEN, way)
        poses = np.empty((len(Q), 4, 4))
        fk_batch(model.links, model.joints, Q, poses)
        apart = float(np.abs(way).max())
        bend = BEND * min(1.0, reach(model)) * apart**2
        return apart < SAME or bool(np.abs(poses - self.problem.goal).max() < min(MET, bend))
