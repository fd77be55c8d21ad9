"""A wall-clock limit for kernels that know no clock: their budget of tries, slice by slice."""

import time
from typing import Any

from forearm.common.checks import as_number
from forearm.common.types import Floats
from forearm.core.codes import ITERATIONS, NOT_CONVERGED, POSITION_ERROR, ROTATION_ERROR, TRIES
from forearm.core.general.solve import MAX_TRIES, SKIP_TRIES
from forearm.errors import OptionError
from forearm.solve.methods.table import METHODS, Method

SLICE = 16  # tries between two looks at the clock: some hundred microseconds for six joints


def run_until(
    timeout: float, method: Method, problem: tuple[Any, ...], settings: Floats, outputs: tuple[Any, ...]
) -> int:
    """Calls the kernel until it solves, the budget ends, or the time is up; the nearest pose stays.

    Args:
        timeout: Seconds.
        method: A row of the registry that can go on where a budget ended.
        problem: What the kernel takes before its settings.
        settings: Its packed options.
        outputs: What it takes behind them: tables, joint values, report.
    """
    if not method.resumes:
        able = ", ".join(name for name, row in METHODS.items() if row.resumes)
        raise OptionError(f"timeout does not go with method '{method.name}', which has one budget; use: {able}")
    if not as_number(timeout, "timeout", OptionError) > 0.0:
        raise OptionError(f"timeout is {timeout}; it takes a positive number of seconds")
    *_, q, report = outputs
    deadline = time.perf_counter() + timeout
    part, tries, steps = settings.copy(), 0, 0.0
    nearest: tuple[float, Floats, Floats] | None = None
    while True:
        part[MAX_TRIES] = min(SLICE, settings[MAX_TRIES] - tries)
        part[SKIP_TRIES] = settings[SKIP_TRIES] + tries
        code = method.kernel(*problem, part, *outputs)
        if code != NOT_CONVERGED:
            break
        tries, steps = tries + SLICE, steps + report[ITERATIONS]
        error = report[POSITION_ERROR] + report[ROTATION_ERROR]
        if nearest is None or error < nearest[0]:
            nearest = (error, q.copy(), report.copy())
        if tries >= settings[MAX_TRIES] or time.perf_counter() > deadline:
            _, q[:], report[:] = nearest
            report[TRIES], report[ITERATIONS] = tries, steps
            break
    return code
