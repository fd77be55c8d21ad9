"""The closed forms as a solving method: the nearest branch inside the limits, measured.

Poses only, on arms whose axes allow it (`forearm.arm.structure`). The answer is the branch nearest to q0,
or to the middle of the limits without one. Every class has two kernels, so that a robot compiles what
it needs: `solve_...` for arms with exact axes, which says INEXACT where a row needs a polish after all
(at singularities, a hair out of reach), and `polish_...`, which polishes rows on the real axes. All
return NOT_CONVERGED if no branch lies inside the limits.

Args of each: `problem`, a robot, its limits and the terms, as `core/general/solve.py` opens them; `form`,
what was recognised, as `core/closed_form/forms/plan.py` opens it; then goal, q0, scratch of `scratch_size(n)`
numbers, and the outputs.
"""

from forearm.core.closed_form.rows import held_rows, plane_rows, six_rows, swivel_rows
from forearm.core.closed_form.scratch import begin_form, take_nearest
from forearm.core.codes import NOT_CONVERGED, SOLVED
from forearm.core.jit import leaf, lean


@lean
def solve_parallel(problem, form, goal, q0, work, q_out, report_out):
    """Six axes, three of them parallel."""
    return answer_six(problem, form, goal, q0, None, None, work, q_out, report_out)


@lean
def polish_parallel(problem, form, goal, q0, work, q_out, report_out):
    """The same, polished."""
    return answer_six(problem, form, goal, q0, None, True, work, q_out, report_out)


@lean
def solve_wrist(problem, form, goal, q0, work, q_out, report_out):
    """Six axes with a spherical wrist."""
    return answer_six(problem, form, goal, q0, True, None, work, q_out, report_out)


@lean
def polish_wrist(problem, form, goal, q0, work, q_out, report_out):
    """The same, polished."""
    return answer_six(problem, form, goal, q0, True, True, work, q_out, report_out)


@lean
def solve_swivel(problem, form, goal, q0, work, q_out, report_out):
    """Seven axes with a spherical shoulder and wrist."""
    return answer_swivel(problem, form, goal, q0, None, work, q_out, report_out)


@lean
def polish_swivel(problem, form, goal, q0, work, q_out, report_out):
    """The same, polished."""
    return answer_swivel(problem, form, goal, q0, True, work, q_out, report_out)


@lean
def solve_plane(problem, form, goal, q0, work, q_out, report_out):
    """Parallel axes, with or without a slide along them."""
    return answer_plane(problem, form, goal, q0, None, work, q_out, report_out)


@lean
def polish_plane(problem, form, goal, q0, work, q_out, report_out):
    """The same, polished."""
    return answer_plane(problem, form, goal, q0, True, work, q_out, report_out)


@lean
def solve_held(problem, form, goal, q0, work, q_out, report_out):
    """Seven axes, the first or the last held."""
    return answer_held(problem, form, goal, q0, None, work, q_out, report_out)


@lean
def polish_held(problem, form, goal, q0, work, q_out, report_out):
    """The same, polished."""
    return answer_held(problem, form, goal, q0, True, work, q_out, report_out)


@leaf
def answer_six(problem, form, goal, q0, wrist, polished, work, q_out, report_out):
    """The nearest of the rows of six axes: first only that one is sought; should it fail, all of them.

    Args:
        wrist: True for a spherical wrist, None for three parallel axes; what is not asked for is not compiled.
        polished: As `take_nearest` has it.
    """
    code = begin_form(problem, goal, q0, work, q_out)
    if code != SOLVED:
        return code
    for look in range(2):
        count = six_rows(problem, form, goal, wrist, look == 0, q_out.shape[0], work)
        code = take_nearest(problem, form, goal, polished, 0.0, count, work, q_out, report_out)
        if code != NOT_CONVERGED or count == 0:
            break
    return code


@leaf
def answer_swivel(problem, form, goal, q0, polished, work, q_out, report_out):
    """The branch and the swivel angle nearest to the start."""
    code = begin_form(problem, goal, q0, work, q_out)
    if code != SOLVED:
        return code
    count = swivel_rows(problem, form, goal, q0.shape[0] > 0, q_out.shape[0], work)
    return take_nearest(problem, form, goal, polished, 0.0, count, work, q_out, report_out)


@leaf
def answer_plane(problem, form, goal, q0, polished, work, q_out, report_out):
    """The nearest of the two rows of parallel axes."""
    code = begin_form(problem, goal, q0, work, q_out)
    if code != SOLVED:
        return code
    count = plane_rows(form, goal, q_out.shape[0], work)
    return take_nearest(problem, form, goal, polished, 0.0, count, work, q_out, report_out)


@leaf
def answer_held(problem, form, goal, q0, polished, work, q_out, report_out):
    """The nearest row at the first value of the held joint that has one."""
    code = begin_form(problem, goal, q0, work, q_out)
    if code != SOLVED:
        return code
    count, held = held_rows(problem, form, goal, q_out.shape[0], work)
    return take_nearest(problem, form, goal, polished, held, count, work, q_out, report_out)
