"""Why goals of several tips were missed: a sentence for each, out of reach, held by limits, or in conflict.

Questions in order: do distances alone rule it out; is the goal met when it is asked alone; and if so, with which other
goal is none found that meets both. What distances prove is called out of reach or in conflict. The rest is a search:
its sentences say what was tried and not found. All of it has a budget, in tries, so that an answer never waits long.
"""

from typing import TYPE_CHECKING, NamedTuple

from forearm.core import codes
from forearm.core.tree import layout as at
from forearm.goals.goal import Goal, Still, Wish
from forearm.results.solution import Status
from forearm.results.tree import TreeSolution
from forearm.trees.pack import needed, pack
from forearm.trees.parts import NO_START, Part, answer
from forearm.trees.reach import beyond, contradiction

if TYPE_CHECKING:
    from forearm.trees.stack import Stack

QUESTIONS, TRIES, ALL_TRIES = 40, 60, 900  # that are asked of a search, tries of one, and of all
NAMED = 6  # joints and goals that a sentence names


class Found(NamedTuple):
    """What a search found for some goals and nothing else."""

    met: bool
    tries: int
    sides: dict[int, float]  # which limits variables stand at


class Inquiry:
    """Questions about the goals of a stack, each asked once and all within a budget."""

    def __init__(self, stack: "Stack", found: TreeSolution) -> None:
        self.stack, self.found = stack, found
        self.known: dict[frozenset[str], Found] = {}
        self.tries = 0

    def ask(self, *names: str) -> Found | None:
        """Whether some goals are met when nothing else is asked; None where the budget is spent."""
        key = frozenset(names)
        if key not in self.known:
            if len(self.known) >= QUESTIONS or self.tries >= ALL_TRIES:
                return None
            self.known[key] = self._search([goal for name, goal in self.stack.goals.items() if name in key])
            self.tries += self.known[key].tries
        return self.known[key]

    def _search(self, goals: list[Wish]) -> Found:
        """What a search finds for goals, all of one level, joints that stand still where the answer has them."""
        from forearm.trees.stack import held  # noqa: PLC0415 (it imports this module)

        packed = pack(self.stack.body, goals, self.stack.plain, 1)
        packed.tasks[:, at.LEVEL] = 0.0
        packed.numbers[[at.LEVELS, at.MAX_TRIES]] = 1.0, float(TRIES)
        part = Part(tuple(map(str, range(len(goals)))), goals, packed, None, packed.variables)
        there = answer(part, NO_START, held(packed, self.stack, self.found.q))
        sides = there.row[at.REPORT_HEAD + 3 * len(goals) :].tolist()
        return Found(there.solved, int(there.row[at.TRIES]), dict(zip(packed.variables.tolist(), sides, strict=True)))


def explain(stack: "Stack", found: TreeSolution) -> None:
    """Writes a sentence for each goal that is missed, and the status that fits the first."""
    statuses, inquiry = [], Inquiry(stack, found)
    missed = {name: error for name, error in found.errors.items() if not error.met}
    for name in missed:  # before pairs: what is told of one alone weighs most
        if not _proven(stack, name)[1]:
            inquiry.ask(name)
    for name, error in missed.items():
        status, sentence = _why(inquiry, name)
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


def _proven(stack: "Stack", name: str) -> tuple[Status, str]:
    """Status and sentence of a goal that distances alone rule out; no sentence where they do not."""
    goal, body = stack.goals[name], stack.body
    if body.base != "free" and not needed([goal], body):
        return Status.OUT_OF_REACH, "fixed to the base, so nothing moves it"
    return Status.OUT_OF_REACH, beyond(body, goal)


def _why(inquiry: Inquiry, name: str) -> tuple[Status, str]:
    """Status and sentence of one goal."""
    stack = inquiry.stack
    status, sentence = _proven(stack, name)
    if sentence:
        return status, sentence
    goal, rest = stack.goals[name], _together_with(stack, name)
    clashes = {other: contradiction(stack.body, goal, stack.goals[other]) for other in rest}
    against = [f"{other!r}: {words}" for other, words in clashes.items() if words]
    alone = inquiry.ask(name)
    if against:
        also = "; alone it is met" if alone is not None and alone.met else ""
        return Status.NOT_CONVERGED, f"in conflict with {'; with '.join(against[:NAMED])}{also}"
    if alone is None:
        return Status.NOT_CONVERGED, "missed with the others; what it conflicts with was not looked for"
    if not alone.met:
        return _blocked(stack, goal, alone)
    return Status.NOT_CONVERGED, _with_others(inquiry, name, rest)


def _together_with(stack: "Stack", name: str) -> list[str]:
    """The other goals that share variables with one."""
    return [other for part in stack.parts if name in part.names for other in part.names if other != name]


def _with_others(inquiry: Inquiry, name: str, rest: list[str]) -> str:
    """Which other goals a goal that is met alone is not found with, in words."""
    asked = [(other, pair) for other in rest if (pair := inquiry.ask(name, other)) is not None]
    against = [repr(other) for other, pair in asked if not pair.met]
    if against:
        more = f" and {len(against) - NAMED} more" if len(against) > NAMED else ""
        tried = f"{TRIES} tries{' each' if len(against) > 1 else ''}"
        words = (
            f"met alone; no configuration was found that meets it and {' or '.join(against[:NAMED])}{more}, in {tried}"
        )
        left = len(rest) - len(asked)
        return words + (f"; with {left} of the other goals it was not tried" if left else "")
    if not asked:
        return "met alone; no configuration was found with the rest in the tries allowed"
    tried = "each other goal" if len(asked) == len(rest) else f"each of {len(asked)} other goals that were tried"
    return f"met alone and with {tried}; no configuration was found with all of them"


def _blocked(stack: "Stack", goal: Wish, alone: Found) -> tuple[Status, str]:
    """What holds a goal back that is not met alone either."""
    asked = [joint for wish in stack.plain if isinstance(wish, Still) for joint in wish.joints]
    still = [joint for joint in asked if stack.body.variable(joint) in alone.sides]
    held = [stack.body.joint_names[k] for k, side in alone.sides.items() if side != 0.0]
    held = [joint for joint in held if joint not in still]
    words = f"not met alone either, in {alone.tries} tries"
    if still:
        words += f"; {_listed(still)} {'stand' if len(still) > 1 else 'stands'} still, as asked"
    if held:
        stand = "stand at their limits" if len(held) > 1 else "stands at its limit"
        return Status.LIMITS, f"{words}; at the nearest found {_listed(held)} {stand}"
    if isinstance(goal, Goal) and goal.target.kind == codes.POSE and not still:
        words += "; at the nearest found no joint stands at a limit"
    return Status.LIMITS if still else Status.NOT_CONVERGED, words


def _listed(joints: list[str]) -> str:
    """Joints by name, the first of many."""
    return ", ".join(f"'{joint}'" for joint in joints[:NAMED]) + (" and more" if len(joints) > NAMED else "")
