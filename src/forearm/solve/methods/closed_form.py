"""Which closed-form kernels a robot takes.

One kernel a class of structure, so that the first solve compiles no more than it needs; the polish,
which takes longest, only where axes are rounded or a singular pose asks for it.
"""

from collections.abc import Callable

from forearm.common.types import Floats
from forearm.core.closed_form import solve
from forearm.core.closed_form.forms import plan
from forearm.core.closed_form.scratch import form_size
from forearm.core.codes import LIMIT_SLACK
from forearm.solve.methods.layout import Kernels

# for each class: the kernel for exact axes, its loop over many targets, and the kernel that polishes
OF_CLASS: dict[int, tuple[Callable[..., int], Callable[..., None], Callable[..., int]]] = {
    plan.THREE_PARALLEL: (solve.solve_parallel, solve.many_parallel, solve.polish_parallel),
    plan.WRIST: (solve.solve_wrist, solve.many_wrist, solve.polish_wrist),
    plan.SHOULDER_AND_WRIST: (solve.solve_swivel, solve.many_swivel, solve.polish_swivel),
    plan.PLANE: (solve.solve_plane, solve.many_plane, solve.polish_plane),
}


def form_kernels(form: Floats) -> Kernels:
    """The kernels of a closed form; with rounded axes all is polished."""
    exact = form[plan.SLACK] == LIMIT_SLACK
    if form[plan.HELD] >= 0.0:
        return Kernels(solve.solve_held if exact else solve.polish_held, form_size, None, solve.polish_held)
    plain, loop, polished = OF_CLASS[int(form[plan.CLASS])]
    return Kernels(plain, form_size, loop, polished) if exact else Kernels(polished, form_size)
