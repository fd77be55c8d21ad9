"""Moves the goals of hands and elbows so that links which touch come apart.

In each frame the deepest contact of an arm says how far it must go, out to its side and away from what it touches; that
is spread over the frames around it, falling off without a kink, so that the arm goes round and does not twitch. Legs
are not moved: their feet stand. What touches in the end is told.
"""

from typing import TYPE_CHECKING

import numpy as np

from forearm.common.types import Floats
from forearm.core.tree import layout as at
from forearm.retargeting.parts import SIDES
from forearm.retargeting.touching import NEAR, Near, watch_of

if TYPE_CHECKING:
    from forearm.retargeting.job import Job

ROUNDS = 8
MARGIN = 0.01  # [m] between links that were moved apart
AROUND = 0.35  # [s] over which a push is spread to either side
FARTHEST = 0.03  # [m] that an arm is pushed in a round
FIRM = 0.1  # what an elbow counts that is pushed


def keep_apart(
    job: "Job", box: Floats, found: tuple[Floats, Floats, Floats]
) -> tuple[tuple[Floats, Floats, Floats], list[Near]]:
    """The motion with arms moved out of what they touch, and what comes near along it."""
    watch = watch_of(job.tree.body, job.q0.tobytes())
    nears = watch.look(*found[:2])
    for _ in range(ROUNDS):
        pushes = {side: push_of(job, side, nears, len(found[0])) for side in SIDES}
        if not any(push.any() for push in pushes.values()):
            break
        for side, push in pushes.items():
            move(job, side, spread(push, job.clip.times))
        found = job.follow(box)
        nears = watch.look(*found[:2])
    return found, nears


def push_of(job: "Job", side: str, nears: list[Near], count: int) -> Floats:
    """(F, 3) where to and how far an arm must go in each frame [m]: out of its deepest contact."""
    push = np.zeros((count, 3))
    if f"{side}_hand" not in job.names:
        return push
    body, most = job.tree.body, np.zeros(count)
    shoulder = body.place(job.map[f"{side}_shoulder"][1])[0]
    up, left = job.figures.robot.axes[2], job.figures.robot.axes[1]
    turns = job.figures.turns["pelvis"] if job.moves else np.broadcast_to(np.eye(3), (count, 3, 3))
    out = turns @ (left if side == "left" else -left)
    for near in nears:
        own = [shoulder in body.path(row) for row in near.rows]
        if own[0] == own[1] or not (near.gap < 0.5 * MARGIN).any():
            continue
        deep = np.minimum(np.maximum(MARGIN - near.gap, 0.5 * near.depth), FARTHEST)
        far = np.where(near.gap < 0.5 * MARGIN, deep, 0.0)
        deeper = far > most
        way = near.way if own[0] else -near.way
        way = way - (way @ up)[:, None] * up + out
        size = np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-3)
        push[deeper] = (far[:, None] * way / size)[deeper]
        most = np.maximum(most, far)
    return push


def spread(push: Floats, times: Floats) -> Floats:
    """(F, 3) pushes spread over the frames around: of those that reach a frame the strongest, then evened out."""
    step = float(times[-1] - times[0]) / max(len(times) - 1, 1)
    reach = max(round(AROUND / step), 1) if step > 0.0 else 1
    best, size = push.copy(), np.linalg.norm(push, axis=1)
    strongest = size.copy()
    for shift in range(1, reach + 1):
        share = 1.0 - shift / (reach + 1.0)
        share = share * share * (3.0 - 2.0 * share)
        for to, of in ((slice(shift, None), slice(None, -shift)), (slice(None, -shift), slice(shift, None))):
            stronger = share * size[of] > strongest[to]
            best[to][stronger] = share * push[of][stronger]
            strongest[to] = np.maximum(strongest[to], share * size[of])
    half = max(reach // 2, 1)
    window = np.hanning(2 * half + 3)[1:-1]
    padded = np.pad(best, ((half, half), (0, 0)), mode="edge")
    even = np.stack([np.convolve(column, window / window.sum(), mode="valid") for column in padded.T], axis=1)
    return np.asarray(even)


def move(job: "Job", side: str, push: Floats) -> None:
    """Moves the goals of an arm, and lets its elbow count where it is pushed."""
    firm = np.minimum(np.linalg.norm(push, axis=1) / MARGIN, 1.0)
    for part in ("hand", "elbow"):
        goals = job.goals[:, job.names.index(f"{side}_{part}")]
        goals[:, 9:12] += push
        if part == "elbow":
            goals[:, at.AIM] = np.maximum(goals[:, at.AIM], firm * FIRM)


def touching_of(nears: list[Near], count: int) -> tuple[Floats, tuple[tuple[int, str, str], ...]]:
    """(F,) the least distance in each frame, at most `NEAR`; and frame, link, link where it is not positive."""
    least, worst = np.full(count, NEAR), np.full(count, -1)
    for k, near in enumerate(nears):
        nearer = near.gap < least
        least[nearer], worst[nearer] = near.gap[nearer], k
    return least, tuple((int(i), *nears[worst[i]].links) for i in np.flatnonzero(least < 0.0))
