"""What is found in Python around the kernel: lower levels looked at longer, and costs of any kind."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from forearm.common.checks import as_number, as_real
from forearm.common.types import Floats
from forearm.core.tree import layout as at
from forearm.core.tree.lm import GAIN
from forearm.errors import OptionError
from forearm.goals.goal import Cost
from forearm.results.solution import Status
from forearm.results.tree import MET, TreeSolution
from forearm.trees.pack import ROTATION_WEIGHT, Packed

if TYPE_CHECKING:
    from forearm.trees.collision.among import Among
    from forearm.trees.stack import Stack

COST = "what the cost's function gives"
SLOPE = 1e-6  # step of a difference [rad or m]
PULL = 0.03  # weight of the posture that a cost pulls to
# of a longer look: starts, how far those near the best spread at first [rad or m] and how often wider, how many joints
# of others are drawn anew, what counts as equal: less is below where the descent of a level ends
LOOKS, SPREAD, WIDER, SHARE, ALIKE = 128, 0.06, 16, 0.3, GAIN
FEW_TRIES = 4  # from each start, where a search with all tries did not meet the first level
FIRST_STEP, LEAST_STEP, SHRINK = 0.2, 1e-3, 0.4  # of the joints toward less [rad or m]


def look_longer(stack: "Stack", found: TreeSolution) -> TreeSolution:
    """The best of an answer whose lower levels are missed and those from other starts: a level's nearest is local.

    In turns: near the best so far, anywhere, the branches of lower levels anywhere, and some joints anywhere.
    """
    from forearm.trees.stack import held  # noqa: PLC0415 (it imports this module)

    rng, limits, n = np.random.default_rng(stack.rng_seed), stack.body.limits, stack.body.n
    drawn, moves, lower = stack.body.sample(LOOKS, stack.rng_seed), _moves(stack), _lower_branches(stack)
    best, parts = found, [(i, part.packed) for i, part in enumerate(stack.parts) if part.packed is not None]
    own = {i: held(packed, stack, found.q) for i, packed in parts}
    if not _first_met(stack, found):
        for numbers in own.values():
            numbers[at.MAX_TRIES] = FEW_TRIES
    for k, q in enumerate(drawn):
        turn = k % 4
        if turn == 0:
            start = np.clip(best.q + rng.normal(0.0, SPREAD * (1 + k % WIDER), n), *limits)
        else:
            start = q if turn == 1 else np.where(lower if turn == 2 else rng.random(n) < SHARE, q, best.q)
        there = stack.meet(np.where(moves, start, found.q), found.frame if turn == 1 else best.frame, own)
        best = there if is_better(stack, there, best) else best
    return best


def _first_met(stack: "Stack", found: TreeSolution) -> bool:
    """Whether all goals of the first level are met."""
    levels = np.array([goal.level for goal in stack.goals.values()])
    return bool(found.measured[levels == levels.min(), MET].all())


def _lower_branches(stack: "Stack") -> NDArray[np.bool_]:
    """(n,) which variables only one goal uses, and that one is of a lower level than the first."""
    first, found = min(goal.level for goal in stack.goals.values()), np.zeros(stack.body.n, bool)
    for part in stack.parts:
        if part.packed is not None:
            own = part.packed.private[[goal.level > first for goal in part.goals]]
            found[part.variables[own.any(axis=0)]] = True
    return found


def _moves(stack: "Stack") -> NDArray[np.bool_]:
    """(n,) which variables a goal may move: those of no goal and those that stand still are where they were."""
    moves = np.zeros(stack.body.n, bool)
    for part in stack.parts:
        moves[part.variables] = True
    moves[[stack.body.variable(joint) for joint in stack.still]] = False
    return moves


def is_better(stack: "Stack", one: TreeSolution, other: TreeSolution) -> bool:
    """Whether an answer comes nearer than another at the first level at which they differ."""
    levels = np.array([goal.level for goal in stack.goals.values()])
    left = [_left(stack, each) for each in (one, other)]
    for level in np.unique(levels):
        a, b = (each[levels == level].sum() for each in left)
        if abs(a - b) > ALIKE * max(a, b):
            return bool(a < b)
    return False


def _left(stack: "Stack", found: TreeSolution) -> Floats:
    """(t,) the weighted squared error of each goal; 0 where it is met."""
    measured, weights = found.measured, np.array([goal.weight for goal in stack.goals.values()])
    squares = measured[:, 0] ** 2 + (ROTATION_WEIGHT * measured[:, 1]) ** 2
    return np.asarray(np.where(measured[:, 2] != 0.0, 0.0, weights**2 * squares))


def lower_cost(stack: "Stack", cost: Cost, found: TreeSolution, among: "Among | None" = None) -> TreeSolution:
    """The answer moved toward less cost as far as all goals stay met: steps down its slope, each solved anew."""
    if found.status is not Status.SOLVED:
        return found
    step, value = FIRST_STEP, as_number(cost.function(found.q.copy()), COST, OptionError)
    stand = {*stack.idle.tolist(), *(stack.body.variable(joint) for joint in stack.still)}
    free = [k for k in range(stack.body.n) if k not in stand]
    for _ in range(cost.steps):
        slope = np.zeros(stack.body.n)
        for k in free:
            q = found.q.copy()
            q[k] += SLOPE
            slope[k] = (_number(cost, q) - value) / SLOPE
        size = float(np.abs(slope).max())
        if not (np.isfinite(size) and size > 0.0) or step < LEAST_STEP:
            break
        wanted = np.clip(found.q - step / size * slope, *stack.body.limits)
        there = among.meet(wanted, found.frame, PULL) if among else _pulled(stack, wanted, found)
        lower = _number(cost, there.q)
        if there.status is Status.SOLVED and lower < value:
            found, value = there, lower
        else:
            step *= SHRINK
    return found


def _number(cost: Cost, q: Floats) -> float:
    """The cost on the way, where it may also be infinite or NaN: there it is not lower."""
    given = as_real(cost.function(q.copy()), COST, OptionError)
    return float(given) if given.shape == () else as_number(given, COST, OptionError)


def _pulled(stack: "Stack", wanted: Floats, found: TreeSolution) -> TreeSolution:
    """The answer near joint values that are wanted."""
    from forearm.trees.stack import held  # noqa: PLC0415 (it imports this module)

    parts = [(i, part.packed) for i, part in enumerate(stack.parts) if part.packed is not None]
    own = {i: replace(packed, numbers=held(packed, stack, found.q)) for i, packed in parts}
    return stack.meet(wanted, found.frame, {i: posture_numbers(packed, PULL, wanted) for i, packed in own.items()})


def posture_numbers(packed: Packed, weight: float, q: Floats) -> Floats:
    """The numbers of a part that also stays near joint values, with a weight."""
    new = replace(packed, numbers=packed.numbers.copy())
    new.bounds[:, at.STIFF], new.bounds[:, at.REST] = weight, q[packed.variables]
    new.bounds[:, at.LOW], new.bounds[:, at.HIGH] = new.bounds[:, at.LOWER], new.bounds[:, at.UPPER]
    return new.numbers
