"""Loops over many targets of arms with exact axes, one a class of closed form (see `core/general/many.py`).

Each solves goal by goal as `core/closed_form/solve.py` solves one; `problem` is the call's own and is written to. A
code of INEXACT asks for that target to be polished.
"""

import numpy as np

from forearm.core.closed_form.solve import solve_parallel, solve_plane, solve_swivel, solve_wrist
from forearm.core.general.many import row, write_terms_and_limits
from forearm.core.jit import kernel


@kernel
def many_parallel(problem, form, limits, goals, terms, starts, work, q_out, report_out, codes_out):
    """Solves each goal for six axes, three of them parallel."""
    no_start = np.empty(0)
    for i in range(goals.shape[0]):
        write_terms_and_limits(terms, limits, i, problem)
        start = no_start if starts.shape[0] == 0 else starts[row(starts, i)]
        codes_out[i] = solve_parallel(problem, form, goals[i], start, work, q_out[i], report_out[i])


@kernel
def many_wrist(problem, form, limits, goals, terms, starts, work, q_out, report_out, codes_out):
    """Solves each goal for six axes with a spherical wrist."""
    no_start = np.empty(0)
    for i in range(goals.shape[0]):
        write_terms_and_limits(terms, limits, i, problem)
        start = no_start if starts.shape[0] == 0 else starts[row(starts, i)]
        codes_out[i] = solve_wrist(problem, form, goals[i], start, work, q_out[i], report_out[i])


@kernel
def many_swivel(problem, form, limits, goals, terms, starts, work, q_out, report_out, codes_out):
    """Solves each goal for seven axes with a spherical shoulder and wrist."""
    no_start = np.empty(0)
    for i in range(goals.shape[0]):
        write_terms_and_limits(terms, limits, i, problem)
        start = no_start if starts.shape[0] == 0 else starts[row(starts, i)]
        codes_out[i] = solve_swivel(problem, form, goals[i], start, work, q_out[i], report_out[i])


@kernel
def many_plane(problem, form, limits, goals, terms, starts, work, q_out, report_out, codes_out):
    """Solves each goal for parallel axes, with or without a slide along them."""
    no_start = np.empty(0)
    for i in range(goals.shape[0]):
        write_terms_and_limits(terms, limits, i, problem)
        start = no_start if starts.shape[0] == 0 else starts[row(starts, i)]
        codes_out[i] = solve_plane(problem, form, goals[i], start, work, q_out[i], report_out[i])
