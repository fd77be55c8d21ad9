"""The closed forms as a solving method: the nearest branch inside the limits, measured.

Poses only, on arms whose axes allow it (`forearm.arm.structure`). The answer is the branch nearest to q0,
or without one to the middle of the limits, the first joint turned so that the arm faces the target. Every class has
two kernels, so that a robot compiles what it needs: `solve_...` for arms with exact axes, which says INEXACT where a
row needs a polish after all (at singularities, a hair out of reach), and `polish_...`, which polishes rows on the real
axes. All return NOT_CONVERGED if no branch lies inside the limits.

Each is called as every solving kernel is (`core/arm/problem.py`): its table is the form, as
`core/closed_form/forms/plan.py` opens it, and `work` has `form_size(m, n)` numbers. The loops `many_...` over many
targets are for exact axes; a code of INEXACT asks for that target to be polished.
"""

from forearm.core.arm.problem import change, row_of
from forearm.core.closed_form.forms.plan import count_axes, displacement
from forearm.core.closed_form.forms.srs_nearest import nearest_swivel
from forearm.core.closed_form.held import first_held
from forearm.core.closed_form.scratch import (
    ALL,
    FACING,
    NEAREST,
    SIX,
    begin_form,
    begin_sieve,
    open_task,
    plane_rows,
    six_rows,
    take_nearest,
)
from forearm.core.codes import NOT_CONVERGED, SOLVED
from forearm.core.general.seeds import has_front
from forearm.core.jit import leaf, lean


@lean
def solve_parallel(problem, form, pose, q0, work, q_out, report_out):
    """Six axes, three of them parallel."""
    task = open_task(problem, form, pose, SIX, q_out.shape[0], work)
    return answer_six(task, q0, None, None, q_out, report_out)


@lean
def polish_parallel(problem, form, pose, q0, work, q_out, report_out):
    """The same, polished."""
    task = open_task(problem, form, pose, SIX, q_out.shape[0], work)
    return answer_six(task, q0, None, True, q_out, report_out)


@lean
def solve_wrist(problem, form, pose, q0, work, q_out, report_out):
    """Six axes with a spherical wrist."""
    task = open_task(problem, form, pose, SIX, q_out.shape[0], work)
    return answer_six(task, q0, True, None, q_out, report_out)


@lean
def polish_wrist(problem, form, pose, q0, work, q_out, report_out):
    """The same, polished."""
    task = open_task(problem, form, pose, SIX, q_out.shape[0], work)
    return answer_six(task, q0, True, True, q_out, report_out)


@lean
def solve_swivel(problem, form, pose, q0, work, q_out, report_out):
    """Seven axes with a spherical shoulder and wrist."""
    task = open_task(problem, form, pose, q_out.shape[0], q_out.shape[0], work)
    return answer_swivel(task, q0, None, q_out, report_out)


@lean
def polish_swivel(problem, form, pose, q0, work, q_out, report_out):
    """The same, polished."""
    task = open_task(problem, form, pose, q_out.shape[0], q_out.shape[0], work)
    return answer_swivel(task, q0, True, q_out, report_out)


@lean
def solve_plane(problem, form, pose, q0, work, q_out, report_out):
    """Parallel axes, with or without a slide along them."""
    task = open_task(problem, form, pose, count_axes(form), q_out.shape[0], work)
    return answer_plane(task, q0, None, q_out, report_out)


@lean
def polish_plane(problem, form, pose, q0, work, q_out, report_out):
    """The same, polished."""
    task = open_task(problem, form, pose, count_axes(form), q_out.shape[0], work)
    return answer_plane(task, q0, True, q_out, report_out)


@lean
def solve_held(problem, form, pose, q0, work, q_out, report_out):
    """Seven axes, the first or the last held."""
    task = open_task(problem, form, pose, SIX, q_out.shape[0], work)
    return answer_held(task, q0, None, q_out, report_out)


@lean
def polish_held(problem, form, pose, q0, work, q_out, report_out):
    """The same, polished."""
    task = open_task(problem, form, pose, SIX, q_out.shape[0], work)
    return answer_held(task, q0, True, q_out, report_out)


@leaf
def answer_six(task, q0, wrist, polished, q_out, report_out):
    """The nearest of the rows of six axes: first only that one is sought; should it fail, all of them.

    Without a start, of those that face the target, as long as one does.
    `wrist` as `six_rows`, `polished` as `take_nearest` has it; what is not asked for is not compiled.
    """
    code = begin_form(task, q0, q_out)
    if code != SOLVED:
        return code
    first = FACING if q0.shape[0] == 0 and has_front(task.asked.facts) else NEAREST
    for look in range(first, ALL + 1):
        count = six_rows(task, wrist, look)
        if count == 0 and look == FACING:
            continue
        code = take_nearest(task, polished, 0.0, count, q_out, report_out)
        if code != NOT_CONVERGED or (count == 0 and look == NEAREST):
            break
    return code


@leaf
def answer_swivel(task, q0, polished, q_out, report_out):
    """The branch and the swivel angle nearest to the start."""
    code = begin_form(task, q0, q_out)
    if code != SOLVED:
        return code
    robot, (_, back, lines), desk = task.asked.robot, task.form, task.desk
    R, t = displacement(task.asked.goal.pose, back)
    count = nearest_swivel(robot, lines, R, t, task.near, q0.shape[0] > 0, desk.swivel, desk.rows[0])
    return take_nearest(task, polished, 0.0, count, q_out, report_out)


@leaf
def answer_plane(task, q0, polished, q_out, report_out):
    """The nearest of the two rows of parallel axes."""
    code = begin_form(task, q0, q_out)
    if code != SOLVED:
        return code
    return take_nearest(task, polished, 0.0, plane_rows(task), q_out, report_out)


@leaf
def answer_held(task, q0, polished, q_out, report_out):
    """The nearest row at the first value of the held joint that has one."""
    code = begin_form(task, q0, q_out)
    if code != SOLVED:
        return code
    desk = task.desk
    R, t = displacement(task.asked.goal.pose, task.form.back)
    sieve = begin_sieve(task, 0, False)
    count, held = first_held(task.asked.robot, task.form, R, t, task.near, sieve, desk.rows, desk.away)
    return take_nearest(task, polished, held, count, q_out, report_out)


@lean
def many_parallel(problem, form, limits, goals, terms, starts, work, q_out, report_out, codes_out):
    """Solves each goal for six axes, three of them parallel."""
    for i in range(goals.shape[0]):
        change(problem, terms, limits, i, i == 0)
        start = starts[row_of(starts, i)] if starts.shape[0] > 0 else work[:0]
        codes_out[i] = solve_parallel(problem, form, goals[i], start, work, q_out[i], report_out[i])


@lean
def many_wrist(problem, form, limits, goals, terms, starts, work, q_out, report_out, codes_out):
    """Solves each goal for six axes with a spherical wrist."""
    for i in range(goals.shape[0]):
        change(problem, terms, limits, i, i == 0)
        start = starts[row_of(starts, i)] if starts.shape[0] > 0 else work[:0]
        codes_out[i] = solve_wrist(problem, form, goals[i], start, work, q_out[i], report_out[i])


@lean
def many_swivel(problem, form, limits, goals, terms, starts, work, q_out, report_out, codes_out):
    """Solves each goal for seven axes with a spherical shoulder and wrist."""
    for i in range(goals.shape[0]):
        change(problem, terms, limits, i, i == 0)
        start = starts[row_of(starts, i)] if starts.shape[0] > 0 else work[:0]
        codes_out[i] = solve_swivel(problem, form, goals[i], start, work, q_out[i], report_out[i])


@lean
def many_plane(problem, form, limits, goals, terms, starts, work, q_out, report_out, codes_out):
    """Solves each goal for parallel axes, with or without a slide along them."""
    for i in range(goals.shape[0]):
        change(problem, terms, limits, i, i == 0)
        start = starts[row_of(starts, i)] if starts.shape[0] > 0 else work[:0]
        codes_out[i] = solve_plane(problem, form, goals[i], start, work, q_out[i], report_out[i])
