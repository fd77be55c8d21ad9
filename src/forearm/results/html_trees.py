"""How whole robots, their goals and what became of them show themselves in a notebook."""

from html import escape
from typing import Any

import numpy as np

from forearm.common.palette import BAD, BLUE, GOOD, SERIES
from forearm.common.types import Floats
from forearm.errors import counted
from forearm.results import html_parts as parts
from forearm.results.html_parts import VERDICTS


def tree_html(tree: Any) -> str:
    """A `Tree`: its base, its pose with all joints at 0 or the limit nearest to it, and the limits."""
    body, joints = tree.body, counted(tree.n, "joint")
    rows = parts.limit_rows(body.joint_names, body.joint_kinds, body.limits, body.velocity)
    words = f"base {body.base}, root {body.root}; goals may name {len(tree.links)} links and sites"
    head = parts.title(f"{tree.name}: {joints}", BLUE) + parts.sentence(words)
    return parts.frame(head + _pose(body, body.rest, np.eye(4), BLUE) + parts.folded(joints, parts.LIMIT_HEAD, rows))


def stack_html(stack: Any) -> str:
    """A `Stack`: its goals with their levels and weights, and what else it is asked for."""
    goals = [*stack.goals.items(), *((wish.name, wish) for wish in stack.others)]
    rows = [
        (
            escape(name),
            type(wish).__name__,
            *((str(wish.level), f"{wish.weight:g}") if name in stack.goals else ("", "")),
        )
        for name, wish in goals
    ]
    head = parts.title(f"{counted(len(goals), 'goal')} of {stack.body.mechanism.name}", BLUE)
    return parts.frame(head + parts.table(("goal", "kind", "level", "weight"), rows))


def tree_solution_html(s: Any) -> str:
    """A `TreeSolution`: the verdict, what became of each goal, and the joint values."""
    rows = [
        (
            escape(name),
            parts.verdict(error.met, "met", "missed"),
            f"{error.position:.3g} m",
            f"{error.rotation:.3g} rad",
        )
        for name, error in s.errors.items()
    ]
    sides = np.sign(s.sides).astype(int).tolist()
    rounded = np.round(s.q, parts.ROUNDED) + 0.0
    values = [
        (escape(name), f"{value:.6g}", ("", "at its upper limit", "at its lower limit")[side])
        for name, value, side in zip(s.joint_names, rounded.tolist(), sides, strict=True)
    ]
    head = parts.title(VERDICTS[str(s.status)], GOOD if s.success else BAD) + parts.sentence(s.reason)
    goals = parts.table(("goal", "", "position error", "rotation error"), rows)
    x, y, z = s.base[:3, 3].tolist()
    numbers = (
        ("base at", f"{x:.4g}, {y:.4g}, {z:.4g} m"),
        ("method", escape(s.method)),
        ("steps, starts", f"{s.iterations}, {s.tries}"),
    )
    joints = parts.folded(counted(len(values), "joint"), ("joint", "rad or m", ""), values)
    return parts.frame(head + goals + parts.table((), numbers) + joints)


def tree_batch_html(batch: Any) -> str:
    """A `TreeBatch`: how many ended how, and of each goal how often it is met and how far it is off at most."""
    rows = []
    for t, name in enumerate(batch.goals):
        position, rotation, met = batch.measured[:, t].T
        worst = f"{position.max(initial=0.0):.3g} m", f"{rotation.max(initial=0.0):.3g} rad"
        rows.append((escape(name), f"{int(np.count_nonzero(met))} of {len(batch)}", *worst))
    head = ("goal", "met", "largest position error", "largest rotation error")
    return parts.frame(parts.batch(batch) + parts.table(head, rows))


def tree_track_html(track: Any) -> str:
    """A `TreeTrack`: how many way-points are met, where joints jump, and the joints that move most."""
    colour = GOOD if track.success else BAD
    head = parts.title("Tracked to the end" if track.success else "Tracked with gaps", colour)
    numbers = (("way-points met", f"{int(track.met.sum())} of {len(track.met)}"), ("jumps", str(len(track.jumps))))
    moves = np.argsort(-np.ptp(track.q, axis=0), kind="stable")[: len(SERIES)] if len(track.q) else np.zeros(0, int)
    most, names = np.sort(moves), track.joint_names or tuple(f"q{k}" for k in range(track.q.shape[1]))
    over = "the way-points" if len(most) == len(names) else f"the way-points, the {len(most)} joints that move most"
    stops = [jump.way_point for jump in track.jumps]
    places = np.arange(len(track.q), dtype=float)
    lines = parts.lines(track.q[:, most], places, len(track.q) - 1.0, [names[k] for k in most], over, stops)
    return parts.frame(head + parts.sentence(track.reason) + parts.table((), numbers) + lines)


def tree_servo_html(servo: Any, speeds: Floats) -> str:
    """A `TreeServo` with its greatest speeds: whether its goals are met, its pose, and each joint."""
    body, colour = servo.stack.body, GOOD if servo.met else BAD
    head = parts.title(
        f"{body.mechanism.name}: {'its goals can be met' if servo.met else 'no tick yet, or a goal is missed'}", colour
    )
    numbers = [("rate", f"{servo.rate:g} Hz"), ("goals", escape(", ".join(servo.stack.names)))]
    if servo.limited:
        numbers.append(("held back by", escape(servo.limited)))
    rows = parts.moving_rows(body.joint_names, body.joint_kinds, servo.q, body.limits, servo.velocity / speeds)
    joints = parts.folded(counted(body.n, "joint"), parts.MOVING_HEAD, rows)
    return parts.frame(head + parts.table((), numbers) + _pose(body, servo.q, servo.base, colour) + joints)


def _pose(body: Any, q: Floats, base: Floats, colour: str) -> str:
    """A whole robot from three sides."""
    points, parent = body.outline(q, base)
    return parts.pose(points, parent, colour, is_whole=True)
