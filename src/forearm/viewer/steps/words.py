"""How the page explains a method: what it is about, and what the stage that is shown has done."""

from html import escape

import numpy as np

from forearm.common.markup import tag
from forearm.common.palette import Rgb
from forearm.errors import counted
from forearm.viewer.shared.theme import BACKWARD, FORWARD, REFINED, START
from forearm.viewer.shared.words import card
from forearm.viewer.steps.player import Player

STAGE_COLOURS: dict[str, Rgb] = {
    "start": START,
    "forward": FORWARD,
    "backward": BACKWARD,
    "sqp": REFINED,
    "curve": BACKWARD,
}

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
}

# What the same parts are called where two links iterate.
TWO_LINK_PARTS = {
    "start": "The two links stretched toward P_t, as far as their limits let them.",
    "forward": "P3 is put on P_t, the elbow P2 at its link's length from there, and P1 at its own from P2.",
    "backward": "P1 is put back on the shoulder; P2 and P3 follow at their links' lengths, inside the limits.",
}
AGAIN = "From the start before, the steps came to a stand; this is another one, drawn inside the limits."

TITLES = {
    "start": "start",
    "forward": "forward reach",
    "backward": "backward reach",
    "sqp": "SQP step",
    "curve": "a curve",
}


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
        lines.append(f"At the base the chain is torn off by <b>{1e3 * torn_off(player):.3g} mm</b>.")
    elif name == "curve":
        gap = float(trace.gaps[k])
        words = "too long: P1 goes down" if gap > 0.0 else "too short: P1 goes up"
        lines.append(f"The last link would miss its length by <b>{1e3 * abs(gap):.3g} mm</b>; the curve is {words}.")
    else:
        what, goal = ("P3", "P_t") if two_links else ("The tip", "the target")
        lines.append(f"{what} is <b>{1e3 * trace.distance[k]:.3g} mm</b> from {goal}.")
    title = f"Stage {k} of {len(trace.stages) - 1}: {TITLES[name]}"
    return card(title, lines, STAGE_COLOURS[name])


def torn_off(player: Player) -> float:
    """How far the stage that is shown has moved the chain off its base [m].

    Plain FABRIK moves the first point away; FABRIK-R leaves it and stretches the first link.
    """
    points, start = player.trace.points[player.stage], player.trace.points[0]
    moved = float(np.linalg.norm(points[0] - start[0]))
    stretched = float(np.linalg.norm(points[1] - points[0]) - np.linalg.norm(start[1] - start[0]))
    return max(moved, abs(stretched))


def describe_end(player: Player, tolerance: float) -> str:
    """Whether the method arrives, in a line."""
    stages, left = player.trace.stages, 1e3 * float(player.trace.distance[-1])
    sweeps, steps, curves = (stages.count(name) for name in ("backward", "sqp", "curve"))
    if curves:
        words = f"{curves} curves; the last link misses by {left:.3g} mm at the end."
    elif player.trace.distance[-1] <= tolerance:
        more = f" and {counted(steps, 'SQP step')}" if steps else ""
        words = f"It arrives after {counted(sweeps, 'sweep')}{more}."
    else:
        far = f"the tip is still {left:.3g} mm away: sweeps alone do not always arrive"
        words = f"After {counted(sweeps, 'sweep')} {far}."
    return tag("div", words, style="font-size:13px;padding:0 9px 6px 9px")
