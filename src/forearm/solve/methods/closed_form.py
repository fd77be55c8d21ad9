"""Which closed-form kernels a robot takes.

One kernel a class of structure, so that the first solve compiles no more than it needs; the polish,
which takes longest, only where axes are rounded or a singular pose asks for it.
"""

from collections.abc import Callable

import numpy as np

from forearm.common.types import Floats
from forearm.core.closed_form.forms.plan import (
    CLASS,
    HELD,
    PLANE,
    SHOULDER_AND_WRIST,
    SLACK,
    THREE_PARALLEL,
    WRIST,
)
from forearm.core.closed_form.scratch import form_size
from forearm.core.closed_form.solve import (
    many_parallel,
    many_plane,
    many_swivel,
    many_wrist,
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
from forearm.core.codes import LIMIT_SLACK
from forearm.solve.methods.layout import Kernels

# for each class: the kernel for exact axes, its loop over many targets, and the kernel that polishes
OF_CLASS: dict[int, tuple[Callable[..., int], Callable[..., None], Callable[..., int]]] = {
    THREE_PARALLEL: (solve_parallel, many_parallel, polish_parallel),
    WRIST: (solve_wrist, many_wrist, polish_wrist),
    SHOULDER_AND_WRIST: (solve_swivel, many_swivel, polish_swivel),
    PLANE: (solve_plane, many_plane, polish_plane),
}


def pack_form(plan: Floats, back: Floats, lines: Floats) -> Floats:
    """The flat array of a closed form."""
    return np.concatenate([plan, back.ravel(), lines.ravel()])


def form_kernels(form: Floats) -> Kernels:
    """The kernels of a closed form; with rounded axes all is polished."""
    exact = form[SLACK] == LIMIT_SLACK
    if form[HELD] >= 0.0:
        return Kernels(solve_held if exact else polish_held, form_size, None, polish_held)
    plain, loop, polished = OF_CLASS[int(form[CLASS])]
    return Kernels(plain, form_size, loop, polished) if exact else Kernels(polished, form_size)
