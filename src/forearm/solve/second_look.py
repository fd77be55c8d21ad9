"""A second look at a target that the general solver missed, where it is cheap or the chain is long.

Reachable targets that 48 tries miss come near nearly always: joints at their limits, or a thread of answers between
two limits. So a near miss gets more tries, the more the nearer it is; a target that was missed by far gets none. A
chain of many joints is missed otherwise: random starts are balls of yarn, and a long gentle curve is far from all of
them. FABRIK lays the chain along the way to the target, so its pose is the start there (`core/iterative/fabrik_r.py`).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.common.types import Floats
from forearm.core import codes
from forearm.core.arm.problem import REACH
from forearm.core.general.solve import MAX_TRIES, SKIP_TRIES
from forearm.solve.methods.layout import chain_and_facts
from forearm.solve.methods.options import FabrikROptions, GeneralOptions
from forearm.solve.methods.table import METHODS, Method
from forearm.solve.problem import GENERAL, NO_START, Outcome, Problem, ask, opened, search, wide

FABRIK_R: Method = METHODS["fabrik-r"]
# How much a radian counts beside a metre, per metre of reach: as the general solver weighs them.
WEIGHT = 0.2
NORMS, ERRORS = [codes.TOL_POSITION, codes.TOL_ROTATION], [codes.POSITION_ERROR, codes.ROTATION_ERROR]
FIRST_TRIES = GeneralOptions().max_tries
# Misses up to these shares of the reach get so many more tries. The nearer, the likelier there is an answer: of a
# million poses of a Panda all that were missed are found so, of a million with half the joints at limits all but a few.
LOOKS = ((2e-3, 1536), (0.015, 384), (0.08, 128))
OPENED_TRIES = 64  # where tolerances were opened, which is another question
LONG = 16  # joints from which a chain is long
# Tries of the general solver from FABRIK's pose, and steps in each: near full reach a long chain gains little a step.
FROM_CURVE, MANY_STEPS = 4, 4000


def reach_of(problem: Problem) -> float:
    """The reach that the general solver measures errors by [m]."""
    _, facts = chain_and_facts(problem.tables.of(GENERAL, problem.kind)[0], problem.model)
    return float(facts[REACH])


def size_of_miss(problem: Problem, report: Floats) -> Any:
    """Both errors as one, weighed as the solver weighs them, beyond what is wide [m]: of one report, or of each row."""
    errors = np.maximum(report[..., ERRORS] - wide(problem.terms, problem.tables.metre)[..., NORMS], 0.0)
    return np.hypot(errors[..., 0], WEIGHT * reach_of(problem) * errors[..., 1])


def more_tries(problem: Problem, report: Floats) -> Any:
    """How many more tries a miss is worth: of one report, or of each row. None if the call bounds its tries itself."""
    share = size_of_miss(problem, report) / reach_of(problem)
    worth = np.where(opened(problem).terms[..., codes.OPENED] > 0.0, OPENED_TRIES, 0)
    for near, tries in reversed(LOOKS):
        worth = np.where(share < near, tries, worth)
    return worth * (problem.settings[MAX_TRIES] == FIRST_TRIES)


def going_on(problem: Problem, tries: int) -> Problem:
    """The same problem with so many tries behind those of its settings."""
    settings: Floats = problem.settings.copy()
    settings[SKIP_TRIES] += settings[MAX_TRIES]
    settings[MAX_TRIES] = tries
    return opened(problem)._replace(settings=settings)


def look_again(problem: Problem, outcome: Outcome) -> Outcome:
    """What a second look at a missed target comes to: an answer, or the outcome as it was."""
    tries = int(more_tries(problem, outcome.report))
    if tries:
        found = ask(going_on(problem, tries), GENERAL)
        if found.solved:
            add_effort(found.report, outcome.report)
            return found
    found = from_curve(problem) if is_long(problem) else outcome
    if found.solved:
        add_effort(found.report, outcome.report)
    return found if found.solved else outcome


def is_long(problem: Problem) -> bool:
    """Whether FABRIK makes starts for this problem: a chain of many joints and a target with a position."""
    asked = problem.kind != codes.ORIENTATION and problem.model.n >= LONG
    return asked and not FABRIK_R.fault(codes.POSITION, problem.tables)


def from_curve(problem: Problem) -> Outcome:
    """What the general solver comes to from the pose in which FABRIK brings a long chain to the target."""
    kind = problem.kind if problem.kind in FABRIK_R.targets else codes.POSITION
    settings = FabrikROptions().pack(problem.tables.rotation_weight)
    laid = ask(problem._replace(kind=kind, settings=settings, start=NO_START), FABRIK_R)
    found = search(problem, FROM_CURVE, steps=MANY_STEPS, start=laid.q)
    add_effort(found.report, laid.report)
    return found


def add_effort(report: Floats, before: Floats) -> None:
    """Counts the tries and iterations spent before into a report, in place."""
    report[..., [codes.TRIES, codes.ITERATIONS]] += before[..., [codes.TRIES, codes.ITERATIONS]]


def worth_a_look(problem: Problem, report: Floats) -> dict[int, NDArray[np.intp]]:
    """The rows of many misses that get more tries, by how many."""
    tries = more_tries(problem, report)
    return {int(count): np.flatnonzero(tries == count) for count in np.unique(tries) if count}
