"""The quick road for the call of a control loop: a pose, perhaps a start, and defaults for the rest.

The ordinary road (`solve/single.py`) looks at every argument; a call that leaves them alone is answered
here in half of Python's time. What is not plainly an array of the right shape goes the ordinary
road, and what is not simply solved ends where that road ends, so both give the same answers.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from forearm.arm.tables import Prepared
from forearm.common.types import Floats
from forearm.core.codes import INEXACT, NOT_CONVERGED, POSE, REPORT, SOLVED, TRIES
from forearm.core.jit import direct
from forearm.results.solution import Solution, Status
from forearm.solve.explain import NO_START, Case
from forearm.solve.methods.table import METHODS, Method
from forearm.solve.single import FLOAT64, choose, conclude
from forearm.targets.target import ROWS, default_terms

Answer = Callable[[Any, Any, bool], Solution | None]


def quick_road(prepared: Prepared, method: Method) -> Answer:
    """A function of target, q0 and `explain` that gives the solution, or None for the ordinary road."""
    if method is not METHODS["auto"]:
        return bound_road(prepared, method)
    general = METHODS["general"]
    cold, near = (choose(prepared, POSE, given) for given in (False, True))
    if cold is general:
        return bound_road(prepared, general)
    behind = late_road(prepared, general)
    form = bound_road(prepared, cold, behind)
    if near is cold:
        return form
    return lambda target, q0, explain: (form if q0 is None else behind)(target, q0, explain)


def late_road(prepared: Prepared, method: Method) -> Answer:
    """A method's quick road, bound at its first call: its tables may never be needed."""
    bound: list[Answer] = []

    def answer(target: Any, q0: Any, explain: bool) -> Solution | None:
        if not bound:
            bound.append(bound_road(prepared, method))
        return bound[0](target, q0, explain)

    return answer


def bound_road(prepared: Prepared, method: Method, behind: Answer | None = None) -> Answer:
    """The quick road of a method, with another behind it for what it does not solve.

    Everything that a call needs is bound here, since looking up an attribute costs as much as a
    joint's sine.
    """
    model = prepared.model
    if method.packed is None or method.fault(POSE, model):
        return ordinary_road
    name, solved = method.name, Status.SOLVED
    problem, table, *_ = prepared.of(method, POSE)
    kernels = method.packed(table)
    n, shape, redundant = model.n, model.velocity.shape, model.n > ROWS[POSE]
    limits, terms = model.limits, default_terms()
    ndarray, empty = np.ndarray, np.empty
    size = kernels.size(model.m, n)
    kernel = direct(kernels.kernel, problem, table, empty((4, 4)), NO_START, empty(size), empty(n), empty(REPORT))
    idle: list[Floats] = []  # scratch that no call uses just now; taking and giving back are safe in threads

    def answer(target: Any, q0: Any, explain: bool) -> Solution | None:
        if not (type(target) is ndarray and target.dtype is FLOAT64 and target.shape == (4, 4) and target.flags.carray):
            return None
        if q0 is None:
            start = NO_START
        elif type(q0) is ndarray and q0.dtype is FLOAT64 and q0.shape == shape and q0.flags.carray:
            start = q0
        else:
            return None
        q, report = empty(n), empty(REPORT)
        try:
            work = idle.pop()
        except IndexError:
            work = empty(size)
        code = kernel(problem, table, target, start, work, q, report)
        idle.append(work)
        if code == SOLVED and not (redundant and q0 is not None and report[TRIES] > 1.0):
            return Solution(q, solved, name, report)
        if code == INEXACT:
            code = kernels.polished(problem, table, target, start, empty(size), q, report)
        if code == NOT_CONVERGED and behind is not None:
            return behind(target, q0, explain)
        return conclude(Case(prepared, limits, POSE, target, terms, method, q, report, start, None), code, explain)

    return answer


def ordinary_road(target: Any, q0: Any, explain: bool) -> Solution | None:
    """None, always: for a method that has no quick road."""
    return None
