"""How the page explains a method: what it is about, and what the stage that is shown has done."""

from html import escape

import numpy as np

from forearm.errors import counted
from forearm.viewer.shared.theme import BACKWARD, FORWARD, MISSED, REFINED, SOLVED, START
from forearm.viewer.shared.words import card, length_words
from forearm.viewer.steps.player import Player

STAGE_COLOURS = {
    "start": START,
    "forward": FORWARD,
    "backward": BACKWARD,
    "sqp": REFINED,
    "curve": BACKWARD,
    "sweep": BACKWARD,
    "step": BACKWARD,
}
TITLES = {"forward": "forward reach", "backward": "backward reach", "sqp": "SQP step", "curve": "a curve"}
COUNTED = {"backward": "sweep", "sweep": "sweep", "step": "step", "sqp": "SQP step", "curve": "curve"}

IDEAS = {
    "fabrik": (
        "FABRIK needs no angles. A <b>forward reach</b> puts the tip on the target and walks to the base: each "
        "joint goes onto the line to the one just placed, a bone's length away. That leaves the base, so a "
        "<b>backward reach</b> puts it back and walks to the tip. Each pair brings the tip nearer."
    ),
    "fabrik-r": (
        "FABRIK for joints that turn about one axis. As in FABRIK a <b>forward reach</b> starts with the tip on "
        "the target and a <b>backward reach</b> with the base in its place. But a link can only swing in the plane "
        "across its joint's axis (the discs), so each joint is turned until that plane holds the point further on, "
        "or comes closest to it. The backward reach yields the joint angles."
    ),
    "combined": (
        "The target fixes where the wrist must be, so only <b>two links</b> are left to find: from the shoulder P1 "
        "over the elbow P2 to P3, whose place P_t is the orange ball. They lie in one plane (discs). <b>Forward</b> "
        "and <b>backward reaches</b> of FABRIK, inside the joints' limits, bring P3 near P_t in a few sweeps; what is "
        "left <b>SQP</b> does, which knows the slope of the error. The other joints follow by formulas: the pale "
        "blue arm is the answer."
    ),
    "ccd": (
        "<b>Cyclic coordinate descent</b>: one joint after the other, from the tip to the base, is turned so that the "
        "tip comes as near to the target as that joint alone can bring it. Once through all joints is a sweep."
    ),
    "dls": (
        "<b>Damped least squares</b>: all joints move at once, along the step that brings the tip straight toward the "
        "target as the Jacobian sees it; damping keeps the step short where the arm is nearly singular."
    ),
    "jacobian-transpose": (
        "All joints move along the <b>transposed Jacobian</b> times the error: downhill, without solving any "
        "equations. Each step is cheap, and many are needed."
    ),
    "bezier": (
        "The chain is laid on a quadratic <b>Bezier curve</b> from the base P0 to the target P2. Its shape hangs on "
        "one <b>control point P1</b>, which starts a chain's length above the base and is moved along that line by "
        "halving: down while the curve is too long for the chain, up while it is too short. Joints are set on the "
        "curve one link apart; the search ends when the last link fits too. These are the steps of the published "
        "search; the live solve finds its curve by roots instead."
    ),
}

PARTS = {
    "start": "The pose it starts from.",
    "forward": "The tip is put on the target; from there each joint is placed toward the base, its link's length kept.",
    "backward": "The base is put back in its place; from there each joint is placed toward the tip.",
    "curve": "A curve is drawn for this place of P1, and the joints are set on it from the base, one link apart.",
    "sqp": "One step of sequential quadratic programming on the joint values, inside their limits.",
    "sweep": "Every joint was turned once, the last one first.",
    "step": "All joints were moved by one step.",
}

# What the same parts are called where two links iterate.
TWO_LINK_PARTS = {
    "start": "The two links stretched toward P_t, as far as their limits let them.",
    "forward": "P3 is put on P_t, the elbow P2 at its link's length from there, and P1 at its own from P2.",
    "backward": "P1 is put back on the shoulder; P2 and P3 follow at their links' lengths, inside the limits.",
}
FINISHED = {"fabrik": "Gauss-Newton", "fabrik-r": "Levenberg-Marquardt"}  # what a solve does after a method's sweeps
AGAIN = "From the start before, the steps came to a stand; this is another one, drawn inside the limits."


def describe_idea(method: str) -> str:
    """What a method is about."""
    return card(method, [IDEAS[method]], START)


def describe_step(player: Player, method: str) -> str:
    """What the stage of a method that is shown has done."""
    trace, k, name = player.trace, player.stage, player.name
    two_links = method == "combined"
    parts = {**PARTS, **TWO_LINK_PARTS} if two_links else PARTS
    lines = [escape(AGAIN if name == "start" and k else parts[name])]
    current = player.current
    if current is not None:
        what = "the tip" if current == len(player.placed) - 1 else f"point {current}"
        lines.append(f"Placed so far: {int(player.placed.sum())} of {len(player.placed)}, {what} last.")
    elif name == "forward":
        lines.append(f"At the base the chain is torn off by <b>{length_words(torn_off(player))}</b>.")
    elif name == "curve":
        gap = float(trace.gaps[k])
        words = "too long: P1 goes down" if gap > 0.0 else "too short: P1 goes up"
        lines.append(f"The last link would miss its length by <b>{length_words(abs(gap))}</b>; the curve is {words}.")
    else:
        what, goal = ("P3", "P_t") if two_links else ("The tip", "the target")
        lines.append(f"{what} is <b>{length_words(float(trace.distance[k]))}</b> from {goal}.")
    title = f"Stage {k} of {len(trace.stages) - 1}: {TITLES.get(name, name)}"
    return card(title, lines, STAGE_COLOURS[name])


def torn_off(player: Player) -> float:
    """How far the stage that is shown has moved the chain off its base [m].

    Plain FABRIK moves the first point away; FABRIK-R leaves it and stretches the first link.
    """
    points, start = player.trace.points[player.stage], player.trace.points[0]
    moved = float(np.linalg.norm(points[0] - start[0]))
    stretched = float(np.linalg.norm(points[1] - points[0]) - np.linalg.norm(start[1] - start[0]))
    return max(moved, abs(stretched))


def describe_end(player: Player, method: str, tolerance: float, is_met: bool = False) -> str:
    """The verdict on the method that is stepped through: whether it arrives, and after how much.

    `is_met` says whether a solve meets the target: if so, what a solve does after the sweeps is told.
    """
    stages, left = player.trace.stages, float(player.trace.distance[-1])
    counts = [(stages.count(name), counted_as) for name, counted_as in COUNTED.items()]
    spent = " and ".join(counted(count, word) for count, word in counts if count)
    if "curve" in stages:
        return card(method, [f"{spent}; the last link misses its length by {length_words(left)} at the end."], START)
    if left <= tolerance:
        return card(f"{method} arrives", [f"After {spent} it is at the target."], SOLVED)
    lines = [f"After {spent} it is still {length_words(left)} away."]
    if is_met and method in FINISHED:
        lines.append(f"These are its sweeps alone; a solve goes on from them by {FINISHED[method]}.")
    return card(f"{method} does not arrive", lines, MISSED)
