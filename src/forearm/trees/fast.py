"""The fast road of a stack in a loop: everything bound beforehand, what a call brings is written and solved.

What is not plainly an array of the right shape, or not simply solved, goes the ordinary road of `Stack.solve`, which
has the words; both run the same kernel on the same numbers.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from forearm.arm.configurations import FLOAT64
from forearm.common.types import Floats
from forearm.core.arm.goal import NONE, find_not_rigid, find_outside
from forearm.core.border import direct
from forearm.core.codes import SOLVED
from forearm.core.tree import layout as at
from forearm.core.tree.solve import solve_tree
from forearm.results.solution import Status
from forearm.results.tree import TreeSolution
from forearm.trees.pack import Packed
from forearm.trees.parts import NO_START, arm_row, joined_row, plain_or_target

if TYPE_CHECKING:
    from forearm.trees.stack import Stack

ORIGIN = np.array([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
Road = Callable[[Any, Any], TreeSolution | None]


def fast_road(stack: "Stack") -> Road | None:
    """A function of q0 and base that gives the solution, or None for the ordinary road; None if a stack has none."""
    if len(stack.parts) == 1 and stack.parts[0].packed is not None:
        return tree_road(stack, stack.parts[0].packed)
    return arms_road(stack) if all(part.arm is not None for part in stack.parts) else None


def frame_of(base: Any) -> Floats | None:
    """(12,) a base as kernels take it; None for what is not plainly a rigid (4, 4) array."""
    if not (type(base) is np.ndarray and base.dtype is FLOAT64 and base.shape == (4, 4) and base.flags.carray):
        return None
    if find_not_rigid(base[None]) != NONE:
        return None
    frame = np.empty(12)
    frame[:9].reshape(3, 3)[:], frame[9:] = base[:3, :3], base[:3, 3]
    return frame


def tree_road(stack: "Stack", packed: Packed) -> Road:
    """The road of a stack whose goals are one part for the kernel of trees."""
    body = stack.body
    numbers, table, size, variables = packed.numbers, packed.table, packed.work, packed.variables
    n, shape, limits, free = len(variables), body.velocity.shape, np.ascontiguousarray(body.limits), body.base == "free"
    every = len(variables) == body.n and bool((variables == np.arange(body.n)).all())
    names, joint_names, rest = tuple(stack.goals), body.joint_names, body.rest
    length = at.tree_report(n, len(names))
    kernel, outside, solved = direct(solve_tree), find_outside, Status.SOLVED
    ndarray, empty = np.ndarray, np.empty
    idle: list[Floats] = []  # scratch that no call uses just now; taking and giving back are safe in threads

    def answer(q0: Any, base: Any) -> TreeSolution | None:
        frame, start = ORIGIN if base is None else frame_of(base), NO_START
        if frame is None:
            return None
        if q0 is not None:
            if not (type(q0) is ndarray and q0.dtype is FLOAT64 and q0.shape == shape and q0.flags.carray):
                return None
            if outside(q0[None], limits) != NONE:
                return None
            start = empty(n + 12)
            start[:n], start[n:] = q0 if every else q0[variables], frame
        x, row = empty(n + 12), empty(length)
        try:
            work = idle.pop()
        except IndexError:
            work = empty(size)
        code = kernel(numbers, table, start, work, x, row)
        idle.append(work)
        if code != SOLVED:
            return None
        q = x[:n]
        if not every:
            q = (rest if q0 is None else q0).copy()
            q[variables] = x[:n]
        where = x[n:] if free else frame
        return TreeSolution(q, where, solved, "tree", names, joint_names, row, None if every else variables)

    return answer


def arms_road(stack: "Stack") -> Road:
    """The road of a stack whose goals share nothing: each is an arm's."""
    body, parts, order = stack.body, stack.parts, stack.order
    arms = [(part.goals, part.arm.solve, part.variables, part.arm.limits) for part in parts if part.arm is not None]
    names, joint_names, rest, shape = tuple(stack.goals), body.joint_names, body.rest, body.velocity.shape
    limits, solved = np.ascontiguousarray(body.limits), Status.SOLVED

    def answer(q0: Any, base: Any) -> TreeSolution | None:
        frame = ORIGIN if base is None else frame_of(base)
        if frame is None:
            return None
        if q0 is not None:
            if not (type(q0) is np.ndarray and q0.dtype is FLOAT64 and q0.shape == shape and q0.flags.carray):
                return None
            if find_outside(q0[None], limits) != NONE:
                return None
        q, answers = (rest if q0 is None else q0).copy(), []
        for goals, solve, variables, _ in arms:
            begin = None if q0 is None else q0[variables]
            found = solve(plain_or_target(goals[0].target), begin, explain=False)  # type: ignore[attr-defined]
            if found.status is not solved:
                return None
            q[variables] = found.q
            answers.append(found)

        def row() -> Floats:
            each = [arm_row(found, own) for found, (_, _, _, own) in zip(answers, arms, strict=True)]
            return joined_row(parts, each, order, body.n)

        method = " and ".join(dict.fromkeys([found.method for found in answers]))
        return TreeSolution(q, frame, solved, method, names, joint_names, row)

    return answer
