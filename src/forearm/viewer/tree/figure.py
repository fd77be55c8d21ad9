"""What a robot with several tips looks like, how it stands at first, and which of its tips are dragged."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from forearm.common.transforms import to_quaternion
from forearm.common.types import Floats
from forearm.trees.body import Body
from forearm.trees.measure import row_frames
from forearm.viewer.arm.figure import HUB_LENGTH, HUB_SHARE, THICK_PER_LINK, VISIBLE, Piece, corners_in, moved_frames
from forearm.viewer.arm.meshes import shaped_pieces
from forearm.viewer.arm.scene import FigureScene
from forearm.viewer.shared.controls import move
from forearm.viewer.shared.shapes import capsule, cone_between

FEWEST_JOINTS = 3  # of a branch whose end is dragged; a neck has two
BEND = 0.9  # by which a stretched arm is bent at first, so that there is room to drag [rad]
STRETCHED = 1.01  # the other way its elbow makes it no longer than by this
SHORT_BRANCH = 0.35  # a branch shorter than this share of the longest is a finger or a head, no arm or leg
MOST_TIPS = 8  # more handles hide the robot


class TreeScene(FigureScene):
    """The figure of a whole robot, moved by its joint values and its base."""

    def __init__(self, host: Any, body: Body, pieces: Sequence[Piece]) -> None:
        super().__init__(host, "/tree", [row.parent for row in body.rows], pieces)
        self._fronts = np.array([row.front[:3] for row in body.rows])
        self._turns = np.array([to_quaternion(front[:, :3]) for front in self._fronts])
        self._slides = np.array([row.segment.kind == "prismatic" for row in body.rows])
        self._ratios = np.array([row.segment.ratio for row in body.rows])
        self._variables = np.array([row.variable for row in body.rows])

    def show(self, q: Floats, base: Floats) -> None:
        """Moves the robot to (n,) joint values, with its base at a pose."""
        moved = self._ratios * q[self._variables]
        self.place(*moved_frames(self._fronts, self._turns, self._slides, moved))
        move(self.root, base)


def tree_pieces(body: Body, more: Sequence[Path] = ()) -> tuple[list[Piece], str]:
    """The pieces of a whole robot, and which of its shapes cannot be drawn and why."""
    return shaped_pieces(body.mechanism, body.places, lambda: plain_pieces(body), more)


def plain_pieces(body: Body) -> list[Piece]:
    """Tubes from each joint to those behind it and to the last links, and drums about turning joints."""
    ways = [(row.parent, row.front[:3, 3]) for row in body.rows]
    leaves = {k for k in range(-1, len(body.rows)) if all(row.parent != k for row in body.rows)}
    ways += [(row, T[:3, 3]) for row, T in body.places.values() if row in leaves]
    lengths = np.array([np.linalg.norm(end) for _, end in ways])
    long = lengths[lengths > 1e-3 * max(float(lengths.max()), 1e-9)]
    radius = THICK_PER_LINK * float(np.median(long)) if len(long) else 0.01
    origin = np.zeros(3)
    tubes = [Piece(k, capsule(origin, end, radius)) for k, end in ways if np.linalg.norm(end) > VISIBLE * radius]
    half, wide = np.array([0.0, 0.0, HUB_LENGTH * radius]), HUB_SHARE * radius
    drums = [
        Piece(k, cone_between(-half, half, wide, wide), is_hub=True)
        for k, row in enumerate(body.rows)
        if row.segment.kind != "prismatic"
    ]
    return [*tubes, *drums]


def extent_of(body: Body, pieces: Sequence[Piece], q: Floats, base: Floats) -> Floats:
    """(k, 3) the corners of boxes round the pieces of a robot at joint values."""
    return corners_in(pieces, [base, *row_frames(body, q, base)])


def first_tips(body: Body) -> list[str]:
    """The links that are dragged at first: the ends of arms and legs, not those of fingers, heads or sensors."""
    children: dict[int, list[int]] = {}
    for k, row in enumerate(body.rows):
        children.setdefault(row.parent, []).append(k)
    kept = set(range(len(body.rows)))
    for _ in range(2):  # fingers first, then the ends that they leave
        branches = _branches(body, children, kept)
        longest = max(length for length, _ in branches.values())
        ends = [end for end, (length, _) in branches.items() if length >= SHORT_BRANCH * longest]
        ends = [end for end in ends if len(branches[end][1]) >= FEWEST_JOINTS] or ends
        kept -= {row for end, (_, rows) in branches.items() if end not in ends for row in rows}
    return [_last_link(body, end) for end in sorted(ends)[:MOST_TIPS]]


def _branches(body: Body, children: dict[int, list[int]], kept: set[int]) -> dict[int, tuple[float, list[int]]]:
    """For each end of what is kept: the length [m] and the rows of its branch, back to where another begins."""
    found = {}
    for end in kept:
        if kept & set(children.get(end, [])):
            continue
        rows, row = [end], body.rows[end].parent
        while row >= 0 and len(kept & set(children[row])) == 1:
            rows.append(row)
            row = body.rows[row].parent
        found[end] = float(sum(np.linalg.norm(body.rows[k].front[:3, 3]) for k in rows)), rows
    return found


def _last_link(body: Body, row: int) -> str:
    """The last link or site that a row carries in its walk."""
    return [link for link, (carrier, _) in body.places.items() if carrier == row][-1]


def first_posture(body: Body, tips: Sequence[str]) -> Floats:
    """(n,) joint values to begin with: at rest, but arms that are stretched there are bent.

    Each by the one joint that brings its tip nearest to its first joint. A robot whose base floats stands on its legs.
    """
    q = body.rest
    for tip in tips if body.base != "free" else ():
        branch = branch_rows(body, body.place(tip)[0])
        bends = [pair for k in branch if (pair := _bends(body, branch, tip, q, k))]
        if bends:
            (_, bent), far = min(bends, key=lambda each: each[0][0])
            q = bent if far <= STRETCHED * _spread(body, branch, tip, q) else q
    return q


def _bends(body: Body, branch: Sequence[int], tip: str, q: Floats, k: int) -> tuple[tuple[float, Floats], float] | None:
    """The shorter spread and its joint values, and the longer one, of turning a joint either way; None of a slide."""
    row, trials = body.rows[k], []
    if row.segment.kind == "prismatic":
        return None
    for way in (-BEND, BEND):
        trial = q.copy()
        trial[row.variable] = np.clip(q[row.variable] + way, *body.limits[:, row.variable])
        trials.append((_spread(body, branch, tip, trial), trial))
    return min(trials, key=lambda each: each[0]), max(each[0] for each in trials)


def branch_rows(body: Body, row: int) -> list[int]:
    """The rows up to one behind which nothing else hangs: those of an arm or a leg, not of the trunk."""
    rows: list[int] = []
    while row >= 0 and (not rows or sum(each.parent == row for each in body.rows) < 2):
        rows.append(row)
        row = body.rows[row].parent
    return rows[::-1]


def _spread(body: Body, branch: Sequence[int], tip: str, q: Floats) -> float:
    """How far a tip is from the first joint of its branch [m]."""
    frames = row_frames(body, q, np.eye(4))
    end = frames[branch[-1]] @ body.place(tip)[1] if branch else np.eye(4)
    return float(np.linalg.norm(end[:3, 3] - frames[branch[0]][:3, 3])) if branch else 0.0
