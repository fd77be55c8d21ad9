"""Skeletons with poles, looks and obstacles: what a caller passes, the kernel, and what is said about a miss."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from forearm.bones.explain import reach_fault
from forearm.bones.fabrik import explain_miss, run_kernel
from forearm.bones.problem import NO_POLE, BoneProblem, ask
from forearm.bones.solution import ChainSolution
from forearm.bones.tree import Bones
from forearm.common.checks import as_array, as_mapping, as_vector
from forearm.common.types import Floats
from forearm.core.bones import codes
from forearm.core.codes import BAD_TARGET, COLLISION, ORIENTATION, SOLVED, WRONG_ORIENTATION
from forearm.core.collision.obstacle_rows import LINK, LONG_REPORT, OBSTACLE
from forearm.core.motions.rows import LIMB_FIRST, LIMB_TIP, POLE_POINT, POLES
from forearm.core.motions.solve import posing_size, solve_posed
from forearm.errors import OptionError, TargetError, counted, quoted
from forearm.results.solution import NOT_EXPLAINED, Status

LOOK_TOLERANCE = 1e-5  # [rad]
STATUS = {SOLVED: Status.SOLVED, COLLISION: Status.COLLISION, WRONG_ORIENTATION: Status.ORIENTATION}


def solve_by_posing(problem: BoneProblem, explained: bool) -> ChainSolution:
    """Tips, looks, obstacles and poles together."""
    bones, n, scene = problem.bones, problem.bones.n, problem.scene
    q, P, report = np.empty((n, 3)), np.empty((n + 1, 3)), np.zeros(LONG_REPORT)
    looks, poles, rows = problem.looks, problem.poles, scene.rows
    work = np.empty(posing_size(n, len(problem.wants), len(looks), len(poles)))
    tree = (bones.parent, bones.length, bones.joints, problem.points[0], problem.q)

    def kernel(own: BoneProblem) -> int:
        world = (own.radii, rows, problem.clearance, own.settings)
        return int(solve_posed(*tree, own.wants, looks, poles, *world, work, q, P, report))

    code = ask(problem, kernel)
    if code == BAD_TARGET:
        raise TargetError(f"a target has an entry beyond {codes.FARTHEST:g} m; give one that is nearer")
    gap = float(report[8]) if len(scene) else None
    status = STATUS.get(code, Status.NOT_CONVERGED)
    if status is Status.NOT_CONVERGED and not bones.free_base and any(reach_fault(bones, row) for row in problem.wants):
        status = Status.OUT_OF_REACH
    solution = ChainSolution(P, status, "fabrik", report, bones, "" if code == SOLVED else NOT_EXPLAINED, gap, q)
    if code != SOLVED and explained:
        explain_posed(problem, solution)
    return solution


def explain_posed(problem: BoneProblem, solution: ChainSolution) -> None:
    """Gives a solution that missed its sentence."""
    tried = f"among {counted(solution.tries, 'start')} (not a proof that there is none)"
    if solution.status is Status.ORIENTATION:
        turn = float(solution.report[1])
        names = ", ".join(quoted(problem.bones.names[int(row[codes.BONE])]) for row in problem.looks)
        solution.explanation = f"the best pose found {tried} looks {turn:.3g} rad past the point of {names}"
        return
    near = ""
    if solution.clearance is not None:
        bone, other = (int(solution.report[place]) for place in (LINK, OBSTACLE))
        near = f"; its clearance is {solution.clearance:.3g} m, at {quoted(problem.bones.names[bone])} from "
        near += quoted(problem.scene.names[other])
    if solution.status is Status.COLLISION:
        solution.explanation = f"no pose that keeps clear of the obstacles was found {tried}{near}"
        return
    alone = replace(problem, pole=NO_POLE)
    if solution.status is not Status.OUT_OF_REACH and run_kernel(alone, problem.bones.joints)[0] == SOLVED:
        what = "obstacles" if len(problem.scene) else "looks"
        left = f"the nearest pose found {tried} is {solution.position_error:.3g} m away"
        solution.explanation = f"the targets can be met without the {what}; {left}{near}"
        return
    explain_miss(alone, solution, problem.settings[codes.REFINE] == 0.0)
    solution.explanation += near


# -- what a caller passes ------------------------------------------------------------------------


def read_looks(bones: Bones, look_at: Any, count: int | None = None) -> Floats:
    """(1 or N, L, 23) rows of `look_at`: bone to point, or to (point, axis); points are (dim,), or (N, dim) of many."""
    given = as_mapping(look_at, "look_at", "bone name to a point, or to (point, axis)", OptionError)
    parts = []
    for name, value in given.items():
        i, has_axis = bones.index(name), isinstance(value, tuple) and len(value) == 2 and np.ndim(value[0]) > 0
        point, axis = value if has_axis else (value, None)
        many = read_points(bones, point, f"look_at of '{name}'", count)
        rows = np.zeros((len(many), codes.WANTS))
        rows[:, codes.BONE], rows[:, codes.WEIGHT], rows[:, codes.GOAL_KIND] = i, 1.0, ORIENTATION
        rows[:, codes.TURN_TOL], rows[:, codes.POINT : codes.POINT + 3] = LOOK_TOLERANCE, many
        rows[:, codes.TOOL : codes.TOOL + 3] = own_axis(bones, i, axis, name)
        parts.append(rows)
    return stacked(parts, codes.WANTS)


def own_axis(bones: Bones, bone: int, axis: Any, name: str) -> Floats:
    """(3,) a unit vector in a bone's frame, of an axis as it is in the rest pose; along the bone by default."""
    if axis is None:
        return np.array([1.0, 0.0, 0.0])
    whole = np.zeros(3)
    whole[: bones.dim] = as_vector(axis, f"the axis of look_at of '{name}'", bones.dim, OptionError)
    size = float(np.linalg.norm(whole))
    if not size > 0.0:
        raise OptionError(f"the axis of look_at of '{name}' is {whole[: bones.dim].tolist()}; it takes a direction")
    rest = bones.pose_of(np.zeros((bones.n, 3)), bones.start[0])[0][bone]
    return np.asarray(rest.T @ (whole / size))


def read_poles(bones: Bones, pole: Any, tips: list[str], count: int | None = None) -> Floats:
    """(1 or N, M, 5) rows of poles by tip; none for a single point, which `read_pole` reads."""
    if not isinstance(pole, Mapping):
        return stacked([], POLES)
    if bones.dim == 2:
        raise OptionError("poles by tip are for skeletons in space; in a plane give one target and one point")
    parts = []
    for name, point in pole.items():
        if name not in tips:
            raise OptionError(f"pole names '{name}', which has no target; those that have are: {', '.join(tips)}")
        many, tip = read_points(bones, point, f"the pole of '{name}'", count), bones.index(name)
        first = limb_of(bones, tip)
        if first == tip:
            raise OptionError(f"pole names '{name}', a limb of one bone, which has no elbow; leave it out")
        rows = np.zeros((len(many), POLES))
        rows[:, LIMB_TIP], rows[:, LIMB_FIRST], rows[:, POLE_POINT:] = tip, first, many
        parts.append(rows)
    return stacked(parts, POLES)


def whole_pole(bones: Bones, wants: Floats, pole: Floats) -> Floats:
    """(1, 5) the row of a pole of one tip, about the line from the base to it."""
    path = bones.path(int(wants[0, codes.BONE]))
    if bones.dim == 2 or len(path) == 1:
        raise OptionError("a pole among obstacles is for limbs of several bones in space; leave it out")
    return np.array([[path[-1], path[0], *pole]])


def limb_of(bones: Bones, tip: int) -> int:
    """The first bone of the limb that ends in a tip: the uppermost below the next bone that branches."""
    children, bone = np.bincount(bones.parent + 1, minlength=bones.n + 1), tip
    while bones.parent[bone] >= 0 and children[bones.parent[bone] + 1] == 1:
        bone = int(bones.parent[bone])
    return bone


def read_points(bones: Bones, value: Any, name: str, count: int | None) -> Floats:
    """(1 or N, 3) one point for all, or one each where `count` are asked for."""
    array = as_array(value, name, OptionError) if count is not None else np.asarray(value)
    if count is None or array.ndim == 1:
        array = np.asarray(as_vector(value, name, bones.dim, OptionError))[None]
    if array.shape not in ((1, bones.dim), (count, bones.dim)) or not np.isfinite(array).all():
        raise OptionError(f"{name} has shape {array.shape}; it takes {bones.dim} finite numbers, or {count} such rows")
    points = np.zeros((len(array), 3))
    points[:, : bones.dim] = array
    return points


def stacked(parts: list[Floats], columns: int) -> Floats:
    """(1 or N, k, columns) rows side by side; those that are one for all are repeated where others are many."""
    most = max((len(part) for part in parts), default=1)
    each = [np.broadcast_to(part, (most, columns)) for part in parts]
    return np.ascontiguousarray(np.stack(each, axis=1)) if each else np.empty((1, 0, columns))
