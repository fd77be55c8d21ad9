"""What is found in Python around the kernel: a centre of mass kept over a support, and costs of any kind."""

from typing import TYPE_CHECKING

import numpy as np

from forearm.common.types import Floats
from forearm.goals.goal import CenterOfMass, Cost
from forearm.results.solution import Status
from forearm.results.tree import TreeSolution
from forearm.trees.measure import centre_of_mass

if TYPE_CHECKING:
    from forearm.trees.stack import Stack

SLOPE = 1e-6  # step of a difference [rad or m]
PULL = 0.03  # weight of the posture that a cost pulls to
FIRST_STEP, LEAST_STEP, SHRINK = 0.2, 1e-3, 0.4  # of the joints toward less [rad or m]


def support_answer(stack: "Stack", start: Floats | None, T: Floats) -> TreeSolution:
    """The answer whose centre of mass lies over a support: where it falls if that will do, else deeper inside.

    A goal for the centre itself is tried at three points of the support; the first that all goals allow is taken.
    """
    name, goal = next(
        (name, goal)
        for name, goal in stack.goals.items()
        if isinstance(goal, CenterOfMass) and goal.support is not None
    )
    assert goal.support is not None
    inner = shrunk(goal.support, goal.margin)
    centre = centre_of_mass(stack.body, stack.body.rest if start is None else start, T)[:2]
    best: TreeSolution | None = None
    for _ in range(3):
        point = nearest_in(inner, centre)
        stack[name] = point
        found = stack.meet(start, T)
        if found.status is Status.SOLVED:
            best = found
            break
        best = found if best is None or found.measured[:, 0].max() < best.measured[:, 0].max() else best
        centre = inner.mean(axis=0) if np.allclose(point, centre) else 0.5 * (point + inner.mean(axis=0))
    _restore(stack, name, goal)
    assert best is not None
    return best


def _restore(stack: "Stack", name: str, goal: CenterOfMass) -> None:
    """Gives the goal its support back."""
    part, i = stack._home[name]
    stack.goals[name] = part.goals[i] = goal


def shrunk(corners: Floats, margin: float) -> Floats:
    """(k, 2) a convex polygon whose edges are moved inward; its middle alone where nothing is left."""
    middle = corners.mean(axis=0)
    if margin <= 0.0:
        return corners
    edges = np.roll(corners, -1, axis=0) - corners
    normals = np.column_stack([-edges[:, 1], edges[:, 0]]) / np.linalg.norm(edges, axis=1)[:, None]
    offsets = (normals * corners).sum(axis=1) + margin
    moved = []
    for i in range(len(corners)):
        pair = normals[[i - 1, i]]
        if abs(np.linalg.det(pair)) > 1e-9:  # else the edges go on straight
            moved.append(np.linalg.solve(pair, offsets[[i - 1, i]]))
    inside = [p for p in moved if (normals @ p >= offsets - 1e-9).all()]
    return np.array(inside) if len(inside) >= 3 else middle[None]


def nearest_in(corners: Floats, point: Floats) -> Floats:
    """(2,) the point of a convex polygon nearest to one."""
    if len(corners) < 3:
        first: Floats = corners[0]
        return first
    ends = np.roll(corners, -1, axis=0)
    edges = ends - corners
    away = point - corners
    if (edges[:, 0] * away[:, 1] - edges[:, 1] * away[:, 0] >= 0.0).all():
        return point
    share = np.clip((away * edges).sum(axis=1) / (edges**2).sum(axis=1), 0.0, 1.0)
    feet = corners + share[:, None] * edges
    nearest: Floats = feet[int(np.argmin(np.linalg.norm(feet - point, axis=1)))]
    return nearest


def lower_cost(stack: "Stack", cost: Cost, found: TreeSolution) -> TreeSolution:
    """The answer moved toward less cost as far as all goals stay met: steps down its slope, each solved anew."""
    if found.status is not Status.SOLVED:
        return found
    from forearm.trees.stack import posture_numbers  # noqa: PLC0415 (it imports this module)

    step, value = FIRST_STEP, float(cost.function(found.q.copy()))
    for _ in range(cost.steps):
        slope = np.zeros(stack.body.n)
        for k in range(stack.body.n):
            q = found.q.copy()
            q[k] += SLOPE
            slope[k] = (float(cost.function(q)) - value) / SLOPE
        size = float(np.abs(slope).max())
        if not (np.isfinite(size) and size > 0.0) or step < LEAST_STEP:
            break
        wanted = np.clip(found.q - step / size * slope, *stack.body.limits)
        numbers = {
            i: posture_numbers(part.packed, PULL, wanted)
            for i, part in enumerate(stack.parts)
            if part.packed is not None
        }
        there = stack.meet(wanted, found.base, numbers)
        lower = float(cost.function(there.q.copy()))
        if there.status is Status.SOLVED and lower < value:
            found, value = there, lower
        else:
            step *= SHRINK
    return found
