"""What the page of a robot with several tips says: a line for each goal, and which are in conflict."""

from html import escape

from forearm.common.markup import tag
from forearm.common.palette import Rgb, css
from forearm.results.tree import GoalError, TreeSolution
from forearm.viewer.shared.answer import Answer
from forearm.viewer.shared.theme import MISSED, REFINED, SOLVED
from forearm.viewer.shared.words import card, facts_line, sentence, time_words


def in_conflict(solution: TreeSolution) -> set[str]:
    """The goals that are missed because of each other, as the sentences of the missed ones name them."""
    found = set[str]()
    for name, why in solution.missed.items():
        rivals = {other for other in solution.goals if other != name and repr(other) in why}
        if "in conflict with" in why or "no configuration was found that meets it and" in why:
            found |= {name, *rivals}
    return found


def colour_of(name: str, solution: TreeSolution, rivals: set[str]) -> Rgb:
    """The colour of a goal: met, missed, or in conflict with another."""
    return REFINED if name in rivals else SOLVED if solution.errors[name].met else MISSED


def goals_card(answer: Answer) -> str:
    """The verdict on all goals, those that are missed with the reason."""
    solution: TreeSolution = answer.solution
    errors, rivals = solution.errors, in_conflict(solution)
    spent = f"{time_words(answer.seconds)} · by <b>{escape(solution.method)}</b>"
    missed = [name for name, error in errors.items() if not error.met]
    if solution.success:
        far = facts_line(solution.position_error, solution.rotation_error)
        return card(f"Solved: all {len(errors)} goals are met" if len(errors) > 1 else "Solved", [far, spent], SOLVED)
    title = f"Not solved: {len(missed)} of {len(errors)} goals missed"
    if not missed:
        return card("Not solved", [escape(sentence(solution.reason)), spent], MISSED)
    lines = [_goal_line(name, error, solution, rivals) for name, error in errors.items()]
    if not answer.explained:
        lines.append("Looking for the reasons …")
    if rivals:
        lines.append("What matters more gets a lower level, or a larger weight.")
    return card(title, [*lines, f"Shown is the nearest found, level by level · {spent}"], REFINED if rivals else MISSED)


def _goal_line(name: str, error: GoalError, solution: TreeSolution, rivals: set[str]) -> str:
    """A goal with its colour, how far it is, and why."""
    dot = tag("span", "●", style=f"color:{css(colour_of(name, solution, rivals))}")
    far = "met" if error.met else facts_line(error.position, error.rotation)
    why = solution.missed.get(name, "").partition(": ")[2].removesuffix("; alone it is met").removeprefix("met alone; ")
    return f"{dot} <b>{escape(name)}</b>: {far}" + (f"; {escape(why)}" if why else "")
