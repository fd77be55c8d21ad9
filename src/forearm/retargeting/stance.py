"""When a foot stands, and where: found by its speed and height, then held so that it does not slide.

A foot stands while its bone is slow and low; gaps and moments that are too short are closed and dropped. While it
stands its place is one: the mean of where the clip has it, on the floor, flat, turned as in the middle. Before and
behind it goes over to the clip's own way by a weight without a kink, so that it comes and leaves at rest.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from forearm.bones.clips.turns import turn_onto
from forearm.common.types import Floats
from forearm.retargeting.aims import FLOOR

# In lengths of a leg, so that they hold for children, giants and robots: a standing ankle rocks at up to 0.4 of them a
# second, one that swings passes 2; heels rise by a twentieth before the toe leaves.
SLOW, LOW = 0.4, 0.08
SHORTEST, GAP, BLEND = 0.1, 0.06, 0.15  # [s]

SURE = 1e-12


@dataclass(frozen=True)
class Stance:
    """Frames in which a foot stands, first and last."""

    first: int
    last: int


def find_stances(points: Floats, times: Floats, up: Floats, leg: float) -> list[Stance]:
    """When a foot at (F, 3) points stands; `leg` is how long the leg is in the points' unit."""
    if len(times) < 2:
        return [Stance(0, len(times) - 1)]
    height = points @ up
    floor = float(np.percentile(height, FLOOR))
    speed = np.linalg.norm(np.gradient(points, times, axis=0), axis=1)
    stands = (speed < SLOW * leg) & (height < floor + LOW * leg)
    step = float(times[-1] - times[0]) / (len(times) - 1)
    stands = closed(stands, round(GAP / step))
    runs = runs_of(stands)
    return [Stance(a, b) for a, b in runs if (b - a + 1) * step >= SHORTEST or a == 0 or b == len(times) - 1]


def runs_of(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First and last of each run of frames."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(int), [0]])))
    return [(int(a), int(b) - 1) for a, b in edges.reshape(-1, 2)]


def closed(flags: NDArray[np.bool_], gap: int) -> NDArray[np.bool_]:
    """The same with gaps of at most so many frames between two runs closed."""
    out = np.array(flags)
    for a, b in runs_of(~flags):
        if b - a + 1 <= gap and a > 0 and b < len(flags) - 1:
            out[a : b + 1] = True
    return out


def standing(stances: list[Stance], count: int) -> NDArray[np.bool_]:
    """(F,) whether it stands."""
    out = np.zeros(count, dtype=bool)
    for stance in stances:
        out[stance.first : stance.last + 1] = True
    return out


def planted(T: Floats, stances: list[Stance], times: Floats, up: Floats, rest: Floats) -> Floats:
    """(F, 4, 4) the way of a foot that stands still where it stands.

    Args:
        T: (F, 4, 4) the way that the clip gives it.
        stances: When it stands.
        times: (F,) of the frames [s].
        up: (3,) up.
        rest: (4, 4) the foot flat on the floor.
    """
    out = np.array(T)
    total = np.zeros(len(T))
    pull = np.zeros((len(T), 3))
    turns = np.zeros((len(T), 3, 3))
    floor = float(rest[:3, 3] @ up)
    for stance in stances:
        held = hold_of(T, stance, up, rest)
        w = weights(times, stance)
        odds = w / np.maximum(1.0 - w, SURE)  # so that where it stands, what comes and what was count for nothing
        total += odds
        pull += odds[:, None] * held[:3, 3]
        turns += odds[:, None, None] * held[:3, :3]
    out[:, :3, 3] = (pull + T[:, :3, 3]) / (1.0 + total)[:, None]
    out[:, :3, :3] = nearest_turns((turns + T[:, :3, :3]) / (1.0 + total)[:, None, None])
    below = np.minimum(out[:, :3, 3] @ up - floor, 0.0)
    out[:, :3, 3] -= below[:, None] * up
    return out


def hold_of(T: Floats, stance: Stance, up: Floats, rest: Floats) -> Floats:
    """(4, 4) where a foot stands: on the floor, flat, turned about up as in the middle."""
    rows = T[stance.first : stance.last + 1]
    held = np.eye(4)
    place = rows[:, :3, 3].mean(axis=0)
    held[:3, 3] = place - up * (place @ up) + up * (rest[:3, 3] @ up)
    turn = rows[len(rows) // 2, :3, :3] @ rest[:3, :3].T  # from flat
    tilted = turn @ up
    held[:3, :3] = turn_onto(tilted[None], up[None])[0] @ turn @ rest[:3, :3]
    return held


def weights(times: Floats, stance: Stance) -> Floats:
    """(F,) 1 while it stands, down to 0 before and behind without a kink."""
    away = np.maximum(np.maximum(times[stance.first] - times, times - times[stance.last]), 0.0)
    share = np.clip(1.0 - away / BLEND, 0.0, 1.0)
    out: Floats = share * share * (3.0 - 2.0 * share)
    return out


def nearest_turns(M: Floats) -> Floats:
    """(F, 3, 3) the rotations nearest to blends of rotations."""
    U, _, V = np.linalg.svd(M)
    U[:, :, 2] *= np.linalg.det(U @ V)[:, None]
    return np.asarray(U @ V)
