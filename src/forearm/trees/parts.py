"""Goals that share no variable are problems of their own.

One goal alone on a base that stands still is an arm's: it goes to the closed forms and the serial solver. What is left
goes to the kernel for trees. A free base and a centre of mass join everything.
"""

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

    def solve_batch(self, targets: Any, q0: Any = None) -> Any:
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
        together = [group for group in groups if body.base == "free" or own & group[0]]
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
        base: (12,) pose of the base, as kernels write it; None for an arm's.
        measured: (t, 3) position error, rotation error, whether it is met, of each goal.
        sides: (n,) which limits its variables stand at.
        spent: Steps, tries, how far outside limits.
        method: What found it.
        solved: Whether all goals are met inside all limits.
    """

    q: Floats
    base: Floats | None
    measured: Floats
    sides: Floats
    spent: tuple[float, float, float]
    method: str
    solved: bool


def answer(part: Part, start: Floats, numbers: Floats | None = None) -> Answer:
    """Solves a part from joint values and a base's pose, (n + 12,), or from nothing."""
    if part.arm is not None:
        return _arm_answer(part, start)
    packed = part.packed
    assert packed is not None
    n, t = len(packed.variables), len(part.names)
    x, report = np.empty(n + 12), np.empty(at.REPORT_HEAD + 3 * t + n)
    code = solve_tree(
        packed.numbers if numbers is None else numbers, packed.table, start, np.empty(packed.work), x, report
    )
    return read_answer(x, report, code, n, t)


def read_answer(x: Floats, report: Floats, code: int, n: int, t: int) -> Answer:
    """What a kernel wrote, by name."""
    measured = report[at.REPORT_HEAD : at.REPORT_HEAD + 3 * t].reshape(t, 3)
    spent = (report[at.STEPS], report[at.TRIES], report[at.EXCESS])
    return Answer(x[:n], x[n:], measured, report[at.REPORT_HEAD + 3 * t :], spent, "tree", code == SOLVED)


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
    measured = np.array([[found.position_error, found.rotation_error, float(found.success)]])
    sides = (found.q >= arm.limits[1]).astype(float) - (found.q <= arm.limits[0]).astype(float)
    spent = (float(found.iterations), float(found.tries), found.limit_excess)
    return Answer(found.q, None, measured, sides, spent, found.method, found.success)
