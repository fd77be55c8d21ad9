"""Targets frame by frame: every pose from the last, no jump where a way without one is found, the others named.

1. A frame is solved from the pose before it, without other starts. Where that misses, or a bone turns too far, the
   targets are moved there in smaller and smaller parts.
2. Where it still does not go on, the frame is solved anew from several starts, and each answer is followed backward:
   where it comes near the poses that stand, or gets to the first frame, it takes their place.
3. If none does, the nearest answer is taken, and the track jumps there. What no answer is found for is missed from the
   pose before it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

import numpy as np

from forearm.bones.batch import write
from forearm.bones.methods import answer
from forearm.bones.problem import Asks, BoneProblem, pack_settings
from forearm.bones.solution import ChainBatch, ChainSolution, empty_batch
from forearm.bones.tree import Bones
from forearm.common.checks import as_number, as_switch
from forearm.common.threads import heed
from forearm.common.types import Floats
from forearm.core.bones import codes
from forearm.core.collision.obstacle_rows import LONG_REPORT
from forearm.errors import OptionError, counted

PARTS = (4, 16)  # in which targets are moved to the next frame where one step does not do
STARTS = 8  # from which a frame is solved anew where its track does not go on


class BoneJump(NamedTuple):
    """Where a track of bones jumps.

    Attributes:
        frame: The first frame behind it.
        bone: The bone that turns most.
        turn: By how much [rad].
    """

    frame: int
    bone: str
    turn: float


@dataclass(frozen=True, eq=False, repr=False)
class ChainTrack(ChainBatch):
    """The poses for targets frame by frame, as a `ChainBatch`, and where bones turn farther than they may.

    Attributes:
        turned: (N,) the largest turn of a bone from the frame before [rad]; the first from the start, or 0 without one.
        max_turn: What a bone may turn in a frame [rad].
        jumps: Where one turns farther, in order.
    """

    turned: Floats = field(default_factory=lambda: np.zeros(0))
    max_turn: float = 0.0
    jumps: tuple[BoneJump, ...] = ()

    @property
    def continuous(self) -> bool:
        """Whether nothing jumps."""
        return not self.jumps

    @property
    def reason(self) -> str:
        """What became of the frames, in a sentence."""
        missed = np.flatnonzero(~self.success)
        words = f"{len(self) - len(missed)} of {counted(len(self), 'frame')} met"
        if len(missed):
            words += f"; missed first in frame {missed[0]} ({self[int(missed[0])].status}), by up to "
            words += f"{self.position_error[missed].max():.3g} m and {self.rotation_error[missed].max():.3g} rad"
        for jump in self.jumps[:3]:
            words += f"; '{jump.bone}' turns by {jump.turn:.3g} rad at frame {jump.frame}"
        more = len(self.jumps) - 3
        return words + (f"; {counted(more, 'more jump')}" if more > 0 else "")

    def _repr_html_(self) -> str:
        """What became of the frames, as a notebook shows it."""
        from forearm.results.html import chain_track_html  # noqa: PLC0415 (only a notebook asks)

        return chain_track_html(self)

    def __repr__(self) -> str:
        """One line."""
        return f"ChainTrack({self.reason})"


def track_bones(problem: BoneProblem, asks: Asks, max_turn: Any, explain: bool) -> ChainTrack:
    """Follows asks from the start of a problem, or from wherever the first is met."""
    bound = as_number(max_turn, "max_turn", OptionError)
    if not 0.0 < bound <= np.pi:
        raise OptionError(f"max_turn is {bound:g}; it takes an angle between 0 and pi")
    explain = as_switch(explain, "explain")
    walk = Walk(problem, asks, bound)
    poses = walk.poses() if len(asks.wants) else []
    out = empty_batch(problem.bones, len(poses), problem.method.name, LONG_REPORT)
    before = problem.points if problem.start is not None else None
    turns = np.zeros((len(poses), problem.bones.n))
    for i, pose in enumerate(poses):
        if explain and not pose.success:
            told = answer(walk.near.at(asks, i, pose), True)
            pose.status, pose.explanation = (pose.status, pose.explanation) if told else (told.status, told.explanation)
        write(pose, i, explain, out)
        turns[i] = turns_between(problem.bones, before, pose.points3)
        before = pose.points3
    turned = turns.max(axis=1, initial=0.0)
    jumps = [
        BoneJump(int(i), problem.bones.names[int(turns[i].argmax())], float(turned[i])) for i in far(turned, bound)
    ]
    made = {item.name: getattr(out, item.name) for item in fields(out)}
    return ChainTrack(**made, turned=turned, max_turn=bound, jumps=tuple(jumps))


def far(turned: Floats, bound: float) -> list[int]:
    """The frames with a turn above the bound."""
    return [int(i) for i in np.flatnonzero(turned > bound)]


def turns_between(bones: Bones, before: Floats | None, after: Floats) -> Floats:
    """(n,) how far each bone turns between two poses [rad]; 0 without the first."""
    if before is None:
        return np.zeros(bones.n)
    a, b = (points[1:] - points[bones.parent + 1] for points in (before, after))
    sine = np.linalg.norm(np.cross(a, b), axis=1)
    turns: Floats = np.arctan2(sine, (a * b).sum(axis=1))
    return turns


class Walk:
    """One track on its way: the poses that stand, and how they are gone on from."""

    def __init__(self, problem: BoneProblem, asks: Asks, bound: float) -> None:
        self.problem, self.asks, self.bound = problem, asks, bound
        has_start = problem.start is not None
        tips = len(problem.wants)
        settings = pack_settings(problem.options, problem.bones.free_base, problem.bones.dim, True, tips)
        settings[codes.MAX_TRIES] = 1.0
        self.near = replace(problem, settings=settings)
        anew = pack_settings(problem.options, problem.bones.free_base, problem.bones.dim, False, tips)
        self.anew = replace(problem, settings=anew)
        self.is_held = has_start  # whether the first pose must stay where it is

    def poses(self) -> list[ChainSolution]:
        """The poses of all frames."""
        problem = self.problem
        first = self.step(problem.start, -1, 0) if self.is_held else None
        poses = [first or answer(problem.at(self.asks, 0, problem.start), False)]
        begun = 0  # where what has no jump begins
        for i in range(1, len(self.asks.wants)):
            heed()
            pose = self.step(poses[-1], i - 1, i)
            if pose is None:
                pose, jumped = self.go_on(poses, begun, i)
                begun = i if jumped else begun
            poses.append(pose)
        return poses

    def step(self, pose: Any, i: int, j: int) -> ChainSolution | None:
        """The pose of frame j near that of frame i; None if there is none, or a bone turns too far."""
        before = self.near.at(self.asks, j, pose).points
        found = answer(self.near.at(self.asks, j, pose), False)
        if self.is_near(before, found):
            return found
        if i < 0:
            return None
        for parts in PARTS:
            at: Any = pose
            for mixed in between(self.asks, i, j, parts):
                at = answer(self.near.at(mixed, 0, at), False)
                if not at.success:
                    break
            if self.is_near(before, at):
                return at  # type: ignore[no-any-return]
        return None

    def is_near(self, before: Floats, pose: ChainSolution) -> bool:
        """Whether a pose is met and no bone is turned too far from points before it."""
        return pose.success and bool(turns_between(self.problem.bones, before, pose.points3).max() <= self.bound)

    def go_on(self, poses: list[ChainSolution], begun: int, i: int) -> tuple[ChainSolution, bool]:
        """The pose of a frame at which a track does not go on, and whether it jumps there; poses may be replaced."""
        best, least = None, np.inf
        for candidate in self.starts(i):
            turn = float(turns_between(self.problem.bones, poses[-1].points3, candidate.points3).max())
            if turn <= self.bound:
                return candidate, False
            if self.walk_back(poses, begun, i, candidate):
                return candidate, False
            if turn < least:
                best, least = candidate, turn
        if best is not None:
            return best, True
        return answer(self.near.at(self.asks, i, poses[-1]), False), False

    def starts(self, i: int) -> Iterator[ChainSolution]:
        """Answers of a frame from several starts."""
        settings = self.anew.settings
        for k in range(STARTS):
            own = settings.copy()
            own[codes.RNG_SEED] = settings[codes.RNG_SEED] + k
            found = answer(replace(self.anew, settings=own).at(self.asks, i, None), False)
            if found.success:
                yield found
            elif k == 1:
                return  # two searches found nothing

    def walk_back(self, poses: list[ChainSolution], begun: int, i: int, candidate: ChainSolution) -> bool:
        """Follows an answer of frame i backward; where it meets the track it takes its place; whether it does."""
        back: list[ChainSolution] = []
        at, bones = candidate, self.problem.bones
        for j in range(i - 1, begun - 1, -1):
            heed()
            pose = self.step(at, j + 1, j)
            if pose is None:
                return False
            back.append(pose)
            at = pose
            joined = j > 0 and turns_between(bones, poses[j - 1].points3, pose.points3).max() <= self.bound
            if joined or (j == begun and not (begun == 0 and self.is_held)):
                poses[j:i] = back[::-1]
                return True
        return False


def between(asks: Asks, i: int, j: int, parts: int) -> Iterator[Asks]:
    """Targets on the way from frame i to frame j, the last of them those of j."""
    for k in range(1, parts + 1):
        t = k / parts
        if k == parts:
            looks, poles = asks.beside(j)
            yield Asks(asks.wants[j : j + 1], looks[None], poles[None])
            return
        wants = asks.wants[j].copy()
        mix(asks.wants[i], wants, t)
        looks, poles = (part.copy() for part in asks.beside(j))
        for own, other in zip((looks, poles), asks.beside(i), strict=True):
            own[:] = other + t * (own - other)
        yield Asks(wants[None], looks[None], poles[None])


def mix(first: Floats, second: Floats, t: float) -> None:
    """Moves points, frames and headings of wants (K, 23) back toward others: t is 1 where they stay."""
    for part in (slice(codes.POINT, codes.POINT + 3), slice(codes.FRAME, codes.FRAME + 9)):
        second[:, part] = first[:, part] + t * (second[:, part] - first[:, part])
    way = slice(codes.HEADING, codes.HEADING + 3)
    second[:, way] = first[:, way] + t * (second[:, way] - first[:, way])
    for row in second:
        u, _, v = np.linalg.svd(row[codes.FRAME : codes.FRAME + 9].reshape(3, 3))
        row[codes.FRAME : codes.FRAME + 9] = (u @ np.diag([1.0, 1.0, np.linalg.det(u @ v)]) @ v).ravel()
        size = float(np.linalg.norm(row[way]))
        row[way] = row[way] / size if size > 0.0 else row[way]
