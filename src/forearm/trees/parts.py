"""Goals that share no variable are problems of their own.

One goal alone on a base that stands still is an arm's: it goes to the closed forms and the serial solver. What is left
goes to the kernel for trees. A free base and a centre of mass join everything.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from forearm.common.types import Floats
from forearm.core.codes import POSE, SOLVED, TOL_POSITION, TOL_ROTATION
from forearm.core.tree import layout as at
from forearm.core.tree.solve import solve_tree
from forearm.errors import ModelError
from forearm.goals.goal import Goal, Wish
from forearm.results.solution import Solution
from forearm.targets.target import DEFAULT_TOLERANCE, Target
from forearm.trees.body import Body
from forearm.trees.pack import Packed, needed, pack

NO_START = np.zeros(0)


class Arm(Protocol):
    """What a part with one tip asks: a `Robot`."""

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The joints of its chain."""

    @property
    def limits(self) -> Floats:
        """(2, n) their limits."""

    def solve(self, target: Any, q0: Any = None, *, explain: bool = True) -> Solution:
        """The answer for its tip."""

    def solve_batch(self, targets: Any, q0: Any = None, *, threads: int | None = None) -> Any:
        """The answers for many."""


MakeArm = Callable[[str], Arm]


@dataclass(eq=False)
class Part:
    """Goals that share variables.

    Attributes:
        names: Their names.
        goals: The goals.
        packed: What the kernel for trees reads; None for an arm's.
        arm: The arm, if it is one's.
        variables: (n,) the variables of the body that it moves.
    """

    names: tuple[str, ...]
    goals: list[Wish]
    packed: Packed | None
    arm: Arm | None
    variables: NDArray[np.int64]


def split(body: Body, goals: Mapping[str, Wish], others: Sequence[Wish], make_arm: MakeArm, seed: int) -> list[Part]:
    """The parts of a stack of goals."""
    groups: list[tuple[set[int], list[str]]] = []
    for name, goal in goals.items():
        own = {body.rows[row].variable for row in needed([goal], body)}
        together = [group for group in groups if body.base == "free" or own & group[0] or not group[0]]
        # what nothing moves is measured with any other: alone, the kernel would walk a joint that may be another's
        together = together if own else groups[:1]
        for group in together:
            groups.remove(group)
        joined = [each for group in together for each in group[1]]
        groups.append((own.union(*(group[0] for group in together)), [*joined, name]))
    return [
        _part(body, {name: goals[name] for name in goals if name in names}, others, make_arm, seed)
        for _, names in groups
    ]


def _part(body: Body, goals: Mapping[str, Wish], others: Sequence[Wish], make_arm: MakeArm, seed: int) -> Part:
    """The part of goals that share variables."""
    names, wishes = tuple(goals), list(goals.values())
    arm = _serial(body, wishes, others, make_arm)
    if arm is not None:
        return Part(names, wishes, None, arm, np.array([body.variable(joint) for joint in arm.joint_names]))
    packed = pack(body, wishes, others, seed)
    return Part(names, wishes, packed, None, packed.variables)


def _serial(body: Body, goals: Sequence[Wish], others: Sequence[Wish], make_arm: MakeArm) -> Arm | None:
    """The arm of a single goal on a fixed base; None where the kernel for trees must have it."""
    goal = goals[0]
    if others or len(goals) > 1 or not isinstance(goal, Goal) or body.base != "fixed":
        return None
    row, _ = body.place(goal.link)
    if row < 0:
        return None
    try:
        arm = make_arm(goal.link)
    except ModelError:
        return None
    wanted = {body.joint_names[body.rows[i].variable] for i in body.path(row)}
    return arm if set(arm.joint_names) == wanted else None


@dataclass(eq=False, slots=True)
class Answer:
    """What a part found.

    Attributes:
        q: (n,) values of its variables.
        frame: (12,) pose of the base, as kernels write it; None for an arm's.
        row: What was measured, as kernels lay it out (`core/tree/layout.py`).
        method: What found it.
        solved: Whether all goals are met inside all limits.
    """

    q: Floats
    frame: Floats | None
    row: Floats
    method: str
    solved: bool


def answer(part: Part, start: Floats, numbers: Floats | None = None) -> Answer:
    """Solves a part from joint values and a base's pose, (n + 12,), or from nothing."""
    if part.arm is not None:
        return _arm_answer(part, start)
    packed = part.packed
    assert packed is not None
    n, t = len(packed.variables), len(part.names)
    x, row = np.empty(n + 12), np.empty(at.tree_report(n, t))
    code = solve_tree(
        packed.numbers if numbers is None else numbers, packed.table, start, np.empty(packed.work), x, row
    )
    return Answer(x[:n], x[n:], row, "tree", code == SOLVED)


def plain_or_target(target: Target) -> Any:
    """The bare (4, 4) of a pose at the default tolerances, which arms answer fastest; else the target."""
    whole = target.kind == POSE and target.terms[TOL_POSITION] == target.terms[TOL_ROTATION] == DEFAULT_TOLERANCE
    return target.goal if whole else target


def _arm_answer(part: Part, start: Floats) -> Answer:
    """The answer of a part with one tip."""
    arm, goal = part.arm, part.goals[0]
    assert arm is not None
    assert isinstance(goal, Goal)
    begin = np.ascontiguousarray(start[: len(part.variables)]) if start.size else None
    found = arm.solve(plain_or_target(goal.target), begin, explain=False)
    return Answer(found.q, None, arm_row(found, arm.limits), found.method, found.success)


def arm_row(found: Solution, limits: Floats) -> Floats:
    """What an arm's solution measured, as the kernel for trees lays it out."""
    row = np.zeros(at.tree_report(len(found.q), 1))
    row[: at.REPORT_HEAD] = 0.0, found.iterations, found.tries, found.limit_excess, math.inf, -1.0, -1.0
    row[at.REPORT_HEAD : at.REPORT_HEAD + 3] = found.position_error, found.rotation_error, found.success
    row[at.REPORT_HEAD + 3 :] = (found.q >= limits[1]).astype(float) - (found.q <= limits[0])
    return row


def joined_row(parts: Sequence[Part], rows: Sequence[Floats], order: Sequence[int], n: int) -> Floats:
    """What all parts measured as one row of a body with n variables, goals in the order asked for."""
    t = len(order)
    row, heads = np.zeros(at.tree_report(n, t)), np.array([each[: at.REPORT_HEAD] for each in rows])
    row[: at.REPORT_HEAD], row[at.STEPS] = heads.max(axis=0), heads[:, at.STEPS].sum()
    measured, sides = [], row[at.REPORT_HEAD + 3 * t :]
    for part, each in zip(parts, rows, strict=True):
        end = at.REPORT_HEAD + 3 * len(part.names)
        measured.append(each[at.REPORT_HEAD : end].reshape(-1, 3))
        sides[part.variables] = each[end:]
    row[at.REPORT_HEAD : at.REPORT_HEAD + 3 * t] = np.concatenate(measured)[order].ravel()
    return row
