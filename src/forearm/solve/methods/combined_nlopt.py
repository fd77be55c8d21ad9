"""The combined method with either refiner: the compiled SQP, or NLopt's SLSQP as in the paper (extra `nlopt`).

SLSQP is called from Python between the compiled halves of the method, so it is the slower one; it is
here to compare with. Both minimise the same objective inside the same limits, and try the same
further starts where one does not arrive.
"""

import contextlib
import math

import numpy as np

from forearm.common.types import Floats
from forearm.core.arm.problem import HEAD
from forearm.core.codes import SOLVED
from forearm.core.combined import codes
from forearm.core.combined.choice import aim
from forearm.core.combined.solve import (
    FINE,
    choose,
    is_near_limits,
    reduce_and_sweep,
    solve_combined,
    starts_of,
    take_refined,
)
from forearm.core.combined.sqp import squared_distance, workspace_size
from forearm.core.maths.limits import draw_inside
from forearm.errors import MissingExtraError
from forearm.solve.methods.combined_tables import reduced_chain
from forearm.solve.methods.layout import terms_and_limits

# SLSQP ends where a step changes no joint by more than this share: below it there is only rounding.
STEP_SHARE = 1e-14
ALL = np.zeros(1)  # a budget that nobody takes away


def solve_with_refiner(
    problem: Floats, table: Floats, goal: Floats, q0: Floats, work: Floats, q_out: Floats, report_out: Floats
) -> int:
    """`core.combined.solve_combined`, its problems refined by the refiner that the settings name."""
    asked = (problem, table, goal)
    settings = problem[HEAD:]
    if settings[codes.REFINER] != codes.NLOPT:
        return int(solve_combined(*asked, q0, work, q_out, report_out))
    count = code = int(reduce_and_sweep(*asked, q0, work, q_out))
    rows = work[: codes.MAX_PROBLEMS * codes.PROBLEM_COLUMNS].reshape(-1, codes.PROBLEM_COLUMNS)[: max(count, 0)]
    terms, limits = terms_and_limits(problem, len(q_out))
    links, joints = reduced_chain(table)
    first, n, most = int(table[codes.FIRST]), len(joints), int(settings[codes.MAX_ITERATIONS])
    chain = (links, joints, np.ascontiguousarray(limits[:, first : first + n]))
    for tolerance in (float(aim(terms)), FINE) if count >= 0 else ():
        for row in rows:
            if row[codes.DIST] <= tolerance or row[codes.REACHABLE] == 0.0:
                continue
            seed, point = row[codes.SEED : codes.SEED + n].copy(), row[codes.TARGET : codes.TARGET + 3].copy()
            best, f, steps = minimise_by_slsqp(chain, point, tolerance**2, most, starts_of(settings), seed, settings)
            take_refined(table, best, f, steps, row)
        code = int(choose(*asked, q0, count, work, q_out, report_out))
        if code == SOLVED or not is_near_limits(*asked, count, work, q_out):
            break
    return code


def minimise_by_slsqp(
    chain: tuple[Floats, Floats, Floats],
    point: Floats,
    stop: float,
    most: int,
    starts: int,
    q: Floats,
    budget: Floats = ALL,
) -> tuple[Floats, float, int]:
    """The lowest minimum of the squared distance from a chain's tip to a point that SLSQP finds.

    Starts at q, then at points drawn inside the limits, each for `most` evaluations at most, until the objective is
    below `stop` [m^2], or the budget is negative, as it is once the call is given up. Joint values, the objective
    there, and the evaluations made.
    """
    best, least, evaluations, state = q, math.inf, 0, np.uint64(0)
    start = q.copy()
    for attempt in range(starts):
        if attempt > 0:
            state = np.uint64(draw_inside(chain[2], state, start))
        found, f, used = _slsqp(chain, point, stop, most, start, budget)
        evaluations += used
        if f < least:
            best, least = found, f
        if least <= stop or budget[0] < 0.0:
            break
    return best, least, evaluations


def _slsqp(
    chain: tuple[Floats, Floats, Floats], point: Floats, stop: float, most: int, start: Floats, budget: Floats
) -> tuple[Floats, float, int]:
    """One run of SLSQP: its best point, the objective there, its evaluations."""
    try:
        import nlopt  # noqa: PLC0415 (optional)
    except ImportError:
        raise MissingExtraError("the refiner 'nlopt'", "nlopt") from None
    links, joints, limits = chain
    n = len(start)
    work, slope = np.empty(workspace_size(len(joints), n)), np.empty(n)
    best, least = start.copy(), math.inf

    def objective(x: Floats, gradient: Floats) -> float:
        nonlocal best, least
        if budget[0] < 0.0:
            search.force_stop()
        f = float(squared_distance(links, joints, point, np.array(x), work, slope))
        if gradient.size:
            gradient[:] = slope
        if f < least:
            best, least = np.clip(x, limits[0], limits[1]), f
        return f

    search = nlopt.opt(nlopt.LD_SLSQP, n)
    search.set_min_objective(objective)
    search.set_lower_bounds(limits[0])
    search.set_upper_bounds(limits[1])
    search.set_stopval(stop)
    search.set_xtol_rel(STEP_SHARE)
    search.set_maxeval(most)
    # where it cannot improve, or is given up, the best point is kept
    failed = getattr(nlopt, "runtime_error", RuntimeError)  # the exception of newer releases is no RuntimeError
    with contextlib.suppress(nlopt.RoundoffLimited, nlopt.ForcedStop, failed):
        search.optimize(start.copy())
    return best, least, int(search.get_numevals())
