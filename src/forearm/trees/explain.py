"""Why goals of several tips were missed: a sentence for each, out of reach, held by limits, or in conflict.

Three questions in order: is the point farther than the chain is long (a base that stands still); is the goal met when
it is asked alone; and if so, with which other goal is it not.
"""

from typing import TYPE_CHECKING

import numpy as np

from forearm.core import codes
from forearm.core.tree import layout as at
from forearm.goals.goal import CenterOfMass, Goal, LookAt, Relative, Wish
from forearm.results.solution import Status
from forearm.results.tree import TreeSolution
from forearm.trees.body import Body
from forearm.trees.pack import needed, pack
from forearm.trees.parts import NO_START, Part, answer

if TYPE_CHECKING:
    from forearm.trees.stack import Stack

MAX_PAIRS = 12  # goals that are tried in pairs


def explain(stack: "Stack", found: TreeSolution) -> None:
    """Writes a sentence for each goal that is missed, and the status that fits the first."""
    statuses = []
    for name, error in found.errors.items():
        if error.met:
            continue
        status, sentence = _why(stack, name, found)
        statuses.append(status)
        found.missed[name] = f"{_off(error.position, error.rotation)}: {sentence}"
    found.status = next(iter(statuses), Status.NOT_CONVERGED)
    found.explanation = "; ".join(f"'{name}' is {sentence}" for name, sentence in found.missed.items())
    if not found.missed:
        found.explanation = "all goals are met, but a joint lies outside its limits"


def _off(position: float, rotation: float) -> str:
    """Errors in words."""
    parts = [f"{position:.3g} m"] if position else []
    parts += [f"{rotation:.3g} rad"] if rotation else []
    return f"{' and '.join(parts) or 'not'} off"


def _why(stack: "Stack", name: str, found: TreeSolution) -> tuple[Status, str]:
    """Status and sentence of one goal."""
    goal, body = stack.goals[name], stack.body
    if body.base != "free" and not needed([goal], body):
        return Status.OUT_OF_REACH, "fixed to the base, so nothing moves it"
    far = _beyond(body, goal)
    if far:
        return Status.OUT_OF_REACH, far
    alone, sides = _met(stack, [goal])
    if not alone:
        return _blocked(body, goal, sides, found)
    others = [key for key in stack.goals if key != name][:MAX_PAIRS]
    against = [key for key in others if not _met(stack, [goal, stack.goals[key]])[0]]
    if against:
        return Status.NOT_CONVERGED, f"in conflict with {', '.join(repr(key) for key in against)}; alone it is met"
    if len(others) > 1:
        return Status.NOT_CONVERGED, "in conflict with the other goals together; with each of them it is met"
    return Status.NOT_CONVERGED, "met alone, but no configuration was found with the rest in the tries allowed"


def _met(stack: "Stack", goals: list[Wish]) -> tuple[bool, dict[int, float]]:
    """Whether some goals are met when nothing else is asked, and which limits variables stand at."""
    packed = pack(stack.body, goals, stack.plain, 1)
    part = Part(tuple(map(str, range(len(goals)))), goals, packed, None, packed.variables)
    found = answer(part, NO_START)
    sides = found.row[at.REPORT_HEAD + 3 * len(goals) :]
    return found.solved, dict(zip(packed.variables.tolist(), sides.tolist(), strict=True))


def _blocked(body: Body, goal: Wish, sides: dict[int, float], found: TreeSolution) -> tuple[Status, str]:
    """What holds a goal back that is not met alone either."""
    held = [body.joint_names[k] for k, side in sides.items() if side != 0.0]
    if held:
        names = ", ".join(f"'{joint}'" for joint in held[:6]) + (" and more" if len(held) > 6 else "")
        return Status.LIMITS, f"not met alone either; at the nearest found {names} stand at their limits"
    if isinstance(goal, Goal) and goal.target.kind == codes.POSE:
        return Status.NOT_CONVERGED, "not met alone either; no joint stands at a limit, so the pose is beyond its chain"
    return Status.NOT_CONVERGED, "not met alone either"


def _beyond(body: Body, goal: Wish) -> str:
    """That a point is farther from the first joint of its chain than the chain is long, in words; else nothing."""
    if body.base != "fixed" or isinstance(goal, (CenterOfMass, LookAt, Relative)) or not isinstance(goal, Goal):
        return ""
    if goal.target.kind == codes.ORIENTATION:
        return ""
    row, tip = body.place(goal.link)
    path = body.path(row)
    first = body.rows[path[0]]
    slide = first.segment.kind == "prismatic"
    length = float(np.linalg.norm(tip[:3, 3])) + sum(float(np.linalg.norm(body.rows[i].front[:3, 3])) for i in path[1:])
    for i in path:
        each = body.rows[i]
        if each.segment.kind == "prismatic":
            length += float(np.abs(each.segment.ratio * body.limits[:, each.variable]).max())
    away = float(np.linalg.norm(goal.target.goal[:3, 3] - first.front[:3, 3]))
    if away <= length * (1.0 + 1e-12) + goal.tol[0]:
        return ""
    where = "the start of" if slide else "joint"
    return (
        f"out of reach of its chain: its point is {away:.4g} m from {where} '{first.segment.name}', and the chain from "
        f"there is at most {length:.4g} m long"
    )
