"""The closed forms' kernels: which one a robot takes, and how they are called.

One kernel a class of structure, so that the first solve compiles no more than it needs; the polish,
which takes longest, only where axes are rounded or a singular pose asks for it.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from forearm.core.closed_form.plan import (
    CLASS,
    HELD,
    NEARNESS,
    PLANE,
    SHOULDER_AND_WRIST,
    SLACK,
    THREE_PARALLEL,
    WRIST,
)
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
from forearm.core.general import SETTINGS
from forearm.packed import changed

Floats = NDArray[np.float64]
Kernels = tuple[Callable[..., int], Callable[..., int]]

NORM = 0  # place in the settings of `closed-form`

# for each class: the kernel for exact axes, and the one that polishes
OF_CLASS: dict[int, Kernels] = {
    THREE_PARALLEL: (solve_parallel, polish_parallel),
    WRIST: (solve_wrist, polish_wrist),
    SHOULDER_AND_WRIST: (solve_swivel, polish_swivel),
    PLANE: (solve_plane, polish_plane),
}
WITH_ONE_HELD: Kernels = (solve_held, polish_held)
NO_SETTINGS: Floats = np.zeros(SETTINGS)  # the closed forms read none of the general solver's


def pack_form(plan: Floats, back: Floats, lines: Floats) -> Floats:
    """The flat array of a closed form."""
    return np.concatenate([plan, back.ravel(), lines.ravel()])


def form_kernels(form: Floats) -> Kernels:
    """The kernel of a closed form, and the one to ask where it says INEXACT; with rounded axes one is both."""
    plain, polished = WITH_ONE_HELD if form[HELD] >= 0.0 else OF_CLASS[int(form[CLASS])]
    return (plain if form[SLACK] == LIMIT_SLACK else polished), polished


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
    asked = (changed(problem, NO_SETTINGS, terms, limits), near, goal, q0, q_out, report_out)
    plain, polished = form_kernels(form)
    code = plain(*asked)
    return polished(*asked) if code == INEXACT else code
