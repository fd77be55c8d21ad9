"""The fast road of a stack in a loop: everything bound beforehand, what a call brings is written and solved.

What is not plainly an array of the right shape, or not simply solved, goes the ordinary road of `Stack.solve`, which
has the words; both run the same kernel on the same numbers.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from forearm.arm.configurations import FLOAT64
from forearm.common.types import Floats
from forearm.core.border import direct
from forearm.core.codes import SOLVED
from forearm.core.tree import layout as at
from forearm.core.tree.solve import begin_tree, solve_tree
from forearm.results.solution import Status
from forearm.results.tree import TreeSolution
from forearm.trees.pack import Packed
from forearm.trees.parts import NO_START, arm_row, joined_row, plain_or_target

if TYPE_CHECKING:
    from forearm.trees.stack import Stack

ORIGIN = np.eye(4)
FRAME = np.array([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])  # the same as kernels write it
Road = Callable[[Any, Any], TreeSolution | None]


def fast_road(stack: "Stack") -> Road | None:
    """A function of q0 and base that gives the solution, or None for the ordinary road; None if a stack has none."""
    if len(stack.parts) == 1 and stack.parts[0].packed is not None:
        return tree_road(stack, stack.parts[0].packed)
    return arms_road(stack) if all(part.arm is not None for part in stack.parts) else None


def run_of(variables: NDArray[np.int64]) -> Any:
    """Where variables stand, as a slice if they are a run: writing to one takes a third of the time."""
    first, last = int(variables[0]), int(variables[-1]) + 1
    return slice(first, last) if np.array_equal(np.arange(first, last), variables) else variables


def tree_road(stack: "Stack", packed: Packed) -> Road:
    """The road of a stack whose goals are one part for the kernel of trees."""
    body = stack.body
    numbers, table, size, variables = packed.numbers, packed.table, packed.work, packed.variables
    n, shape, limits, free = len(variables), body.velocity.shape, np.ascontiguousarray(body.limits), body.base == "free"
    every = len(variables) == body.n and bool((variables == np.arange(body.n)).all())
    names, joint_names, rest = tuple(stack.goals), body.joint_names, body.rest
    idle_q, others = stack.idle_q, run_of(stack.idle) if stack.idle.size else None
    length, within = at.tree_report(n, len(names)), None if every else variables
    kernel, begin, solved = direct(solve_tree), direct(begin_tree), Status.SOLVED
    ndarray, empty, where = np.ndarray, np.empty, run_of(variables)
    idle: list[Floats] = []  # scratch that no call uses just now; taking and giving back are safe in threads

    def answer(q0: Any, base: Any) -> TreeSolution | None:
        T = ORIGIN if base is None else base
        if not (type(T) is ndarray and T.dtype is FLOAT64 and T.shape == (4, 4) and T.flags.carray):
            return None
        given, start = rest if q0 is None else q0, empty(n + 12)
        if not (type(given) is ndarray and given.dtype is FLOAT64 and given.shape == shape and given.flags.carray):
            return None
        if begin(given, limits, variables, T, free, start) != SOLVED:
            return None
        x, row = empty(n + 12), empty(length)
        try:
            work = idle.pop()
        except IndexError:
            work = empty(size)
        code = kernel(numbers, table, NO_START if q0 is None else start, work, x, row)
        idle.append(work)
        if code != SOLVED:
            return None
        q = x[:n]
        if not every:
            q = given.copy()
            q[where] = x[:n]
            if others is not None:
                q[others] = idle_q
        return TreeSolution(q, x[n:] if free else FRAME, solved, "tree", names, joint_names, row, within)

    return answer


def arms_road(stack: "Stack") -> Road:
    """The road of a stack whose goals share nothing: each is an arm's."""
    body, parts, order = stack.body, stack.parts, stack.order
    arms, variables, end = [], np.concatenate([part.variables for part in parts]), 0
    for part in parts:
        if part.arm is not None:
            own, end = slice(end, end + len(part.variables)), end + len(part.variables)
            arms.append((part.goals, part.arm.solve, own, run_of(part.variables)))
    names, joint_names, rest, shape = tuple(stack.goals), body.joint_names, body.rest, body.velocity.shape
    limits, solved, ndarray, empty = np.ascontiguousarray(body.limits), Status.SOLVED, np.ndarray, np.empty
    begin = direct(begin_tree)
    methods: dict[tuple[str, ...], str] = {}  # how the answers of arms are called together

    def answer(q0: Any, base: Any) -> TreeSolution | None:
        T, given, start = ORIGIN if base is None else base, rest if q0 is None else q0, empty(end + 12)
        if not (type(T) is ndarray and T.dtype is FLOAT64 and T.shape == (4, 4) and T.flags.carray):
            return None
        if not (type(given) is ndarray and given.dtype is FLOAT64 and given.shape == shape and given.flags.carray):
            return None
        if begin(given, limits, variables, T, False, start) != SOLVED:
            return None
        q, answers = given.copy(), []
        for goals, solve, own, where in arms:
            goal: Any = goals[0]
            found = solve(plain_or_target(goal.target), None if q0 is None else start[own], explain=False)
            if found.status is not solved:
                return None
            q[where] = found.q
            answers.append(found)

        def row() -> Floats:
            each = [arm_row(found, part.arm.limits) for found, part in zip(answers, parts, strict=True) if part.arm]
            return joined_row(parts, each, order, body.n)

        called = tuple([found.method for found in answers])
        method = methods.get(called)
        if method is None:
            method = methods[called] = " and ".join(dict.fromkeys(called))
        return TreeSolution(q, FRAME, solved, method, names, joint_names, row)

    return answer
