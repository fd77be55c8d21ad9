"""The closed forms' kernels: which one a robot takes, and how they are called.

One kernel a class of structure, so that the first solve compiles no more than it needs; the polish,
which takes longest, only where axes are rounded or a singular pose asks for it.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from forearm.common.types import Floats
from forearm.core.closed_form.forms.plan import (
    CLASS,
    HELD,
    NEARNESS,
    PLANE,
    SHOULDER_AND_WRIST,
    SLACK,
    THREE_PARALLEL,
    WRIST,
)
from forearm.core.closed_form.many import many_parallel, many_plane, many_swivel, many_wrist
from forearm.core.closed_form.scratch import scratch_size
from forearm.core.closed_form.solve import (
    polish_held,
    polish_parallel,
    polish_plane,
    polish_swivel,
    polish_wrist,
    solve_held,
    solve_parallel,
    solve_plane,
    solve_swivel,
    solve_wrist,
)
from forearm.core.codes import INEXACT, LIMIT_SLACK
from forearm.solve.methods.layout import NO_SETTINGS, Packed, changed

Kernels = tuple[Callable[..., int], Callable[..., int]]

NORM = 0  # place in the settings of `closed-form`

# for each class: the kernel for exact axes, and the one that polishes
OF_CLASS: dict[int, Kernels] = {
    THREE_PARALLEL: (solve_parallel, polish_parallel),
    WRIST: (solve_wrist, polish_wrist),
    SHOULDER_AND_WRIST: (solve_swivel, polish_swivel),
    PLANE: (solve_plane, polish_plane),
}
LOOPS: dict[int, Callable[..., None]] = {  # over many targets, for exact axes
    THREE_PARALLEL: many_parallel,
    WRIST: many_wrist,
    SHOULDER_AND_WRIST: many_swivel,
    PLANE: many_plane,
}
WITH_ONE_HELD: Kernels = (solve_held, polish_held)
NO_START: Floats = np.empty(0)


def pack_form(plan: Floats, back: Floats, lines: Floats) -> Floats:
    """The flat array of a closed form."""
    return np.concatenate([plan, back.ravel(), lines.ravel()])


def form_kernels(form: Floats) -> Packed:
    """The kernel of a closed form, and the one to ask where it says INEXACT; with rounded axes one is both."""
    plain, polished = WITH_ONE_HELD if form[HELD] >= 0.0 else OF_CLASS[int(form[CLASS])]
    return Packed(plain if form[SLACK] == LIMIT_SLACK else polished, polished, form_size)


def form_size(joints: int, n: int) -> int:
    """How many numbers of scratch a closed form takes."""
    size: int = scratch_size(n)
    return size


def solve_closed_form(
    links: Floats,
    joints: Floats,
    limits: Floats,
    goal: Floats,
    kind: int,
    terms: Floats,
    q0: Floats,
    settings: Floats,
    problem: Floats,
    form: Floats,
    q_out: Floats,
    report_out: Floats,
) -> int:
    """The closed forms called as every kernel is; the last of the settings is the norm."""
    near: Floats = form.copy()
    near[NEARNESS] = settings[-1]
    work = np.empty(scratch_size(limits.shape[1]))
    asked = (changed(problem, NO_SETTINGS, terms, limits), near, goal, q0, work, q_out, report_out)
    kernels = form_kernels(form)
    code = kernels.kernel(*asked)
    return kernels.polished(*asked) if code == INEXACT else code


def solve_closed_form_many(
    links: Floats,
    joints: Floats,
    limits: Floats,
    goals: Floats,
    kind: int,
    terms: Floats,
    starts: Floats,
    settings: Floats,
    problem: Floats,
    form: Floats,
    q_out: Floats,
    report_out: Floats,
    codes_out: NDArray[np.int8],
) -> None:
    """The closed forms for many targets, called as every `batch` kernel is (`solve/methods/table.py`).

    Exact axes are looped over in compiled code; what must be polished is called one by one.
    """
    near: Floats = form.copy()
    near[NEARNESS] = settings[-1]
    codes_out[:] = INEXACT
    if form[HELD] < 0.0 and form[SLACK] == LIMIT_SLACK:
        work = np.empty(scratch_size(limits.shape[2]))  # nothing in it outlives a goal
        LOOPS[int(form[CLASS])](problem.copy(), near, limits, goals, terms, starts, work, q_out, report_out, codes_out)
    for i in np.flatnonzero(codes_out == INEXACT).tolist():
        start = NO_START if len(starts) == 0 else np.array(starts[min(i, len(starts) - 1)])
        own = terms[min(i, len(terms) - 1)], limits[min(i, len(limits) - 1)]
        places = (links, joints, own[1], goals[i], kind, own[0], start, settings, problem, form)
        codes_out[i] = solve_closed_form(*places, q_out[i], report_out[i])
