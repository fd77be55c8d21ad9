"""Changes a clip by targets: a hand or a foot is held where it should be, for some frames, and blended in and out.

Frame by frame the limb is solved by FABRIK from the pose that the clip has there, so what is not asked for stays near
it. Each bone is then turned by the smallest rotation from where the clip had it: its twist stays the clip's own, and
is continuous wherever the clip and the targets are. The tip keeps the orientation that it has in the clip.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from forearm.bones.clips.clip import Clip, turned
from forearm.bones.clips.turns import turn_onto
from forearm.bones.methods import METHODS, answer, read_problem
from forearm.bones.solution import ChainSolution
from forearm.bones.targets import want
from forearm.bones.tree import Bones, make_bones
from forearm.common.checks import as_count, as_floats, brief
from forearm.common.types import Floats
from forearm.errors import OptionError, counted
from forearm.joints import Ball

# Lengths of a limb that change by more than this share from frame to frame are another limb's.
SAME_LIMB = 1e-9
# Bones shorter than this share of a limb have no direction: their joint turns with the next one.
NO_BONE = 1e-9
LEAST_SWIVEL = 1e-12  # [rad] the least that `max_swivel` takes
# [rad] What a joint may turn between two frames beyond what it does in the clip before that counts as a jump.
JUMP = 0.5


@dataclass(frozen=True, eq=False, repr=False)
class Pinned:
    """A clip with a joint held where it should be.

    Attributes:
        clip: The clip as it is now.
        frames: (K,) the numbers of the frames that were changed.
        error: (K,) how far the joint is from where it should be there [the clip's unit].
        reached: (K,) whether it is there.
        jumps: Numbers of frames at which a joint turns by more than 0.5 rad more than it did.
    """

    clip: Clip
    frames: NDArray[np.int64]
    error: Floats
    reached: NDArray[np.bool_]
    jumps: tuple[int, ...]

    def __repr__(self) -> str:
        """One line: how many frames, how many missed, and by how much."""
        missed = int((~self.reached).sum())
        worst = f", {missed} missed by up to {self.error.max():.3g}" if missed else ""
        jumps = f", jumps at {', '.join(map(str, self.jumps))}" if self.jumps else ""
        return f"Pinned({counted(len(self.frames), 'frame')}{worst}{jumps})"


def pin(clip: Clip, tip: str, target: ArrayLike, frames: Any, blend: int, root: str | None, pole: Any) -> Pinned:
    """The clip with a joint held at a point; see `Clip.pin`."""
    first, last = read_range(frames, len(clip))
    limb = read_limb(clip, tip, root)
    points, whole = clip.points, turned(clip.parent, clip.motion.turns)
    goals, weights = read_goals(target, first, last, blend, points[:, limb[-1]])
    changed = np.flatnonzero(weights > 0.0)
    asked = weights[:, None] * goals + (1.0 - weights)[:, None] * points[:, limb[-1]]
    solved, error, reached = points[:, limb].copy(), np.zeros(len(changed)), np.ones(len(changed), dtype=bool)
    bones: Bones | None = None
    for k, frame in enumerate(changed.tolist()):
        share = float(weights[frame])
        bones, solved[frame], error[k], reached[k] = bend(bones, points[frame, limb], asked[frame], pole, share)
    turns = turn_limb(clip, limb, points[:, limb], solved, whole, changed)
    edited = clip.with_turns(turns)
    return Pinned(edited, changed, error, reached, find_jumps(clip.motion.turns, turns))


def read_range(frames: Any, count: int) -> tuple[int, int]:
    """The first and the last frame."""
    if frames is None:
        return 0, count - 1
    whole = (
        isinstance(frames, (tuple, list)) and len(frames) == 2 and all(isinstance(f, (int, np.integer)) for f in frames)
    )
    if not whole or not 0 <= frames[0] <= frames[1] < count:
        raise OptionError(f"frames is {brief(frames)}; it takes the first and the last of frames 0 to {count - 1}")
    return int(frames[0]), int(frames[1])


def read_limb(clip: Clip, tip: str, root: str | None) -> list[int]:
    """The joints from the root of a limb to its tip."""
    limb, parent = [clip.index(tip)], clip.parent
    children = np.bincount(parent[parent >= 0], minlength=len(parent))
    uppermost = None if root is None else clip.index(root)
    while limb[0] != uppermost and parent[limb[0]] >= 0:
        above = int(parent[limb[0]])
        if root is None and children[above] > 1 and len(limb) > 1:
            break
        limb.insert(0, above)
    if uppermost is not None and limb[0] != uppermost:
        raise OptionError(f"root is '{root}', and '{tip}' does not hang below it")
    if len(limb) < 2:
        raise OptionError(f"'{tip}' is a root, so no joint turns it; pin a joint that hangs on another")
    return limb


def read_goals(target: ArrayLike, first: int, last: int, blend: int, own: Floats) -> tuple[Floats, Floats]:
    """(F, 3) where the tip should be, and (F,) how much of that counts: 1 inside, and less along the blend."""
    points = as_floats(target, "target", OptionError)
    if points.shape not in ((3,), (last - first + 1, 3)):
        raise OptionError(
            f"target has shape {points.shape}; it takes (3,), or ({last - first + 1}, 3) for these frames"
        )
    steps = 0 if blend == 0 else as_count(blend, "blend", 1_000_000)
    goals, weights = own.copy(), np.zeros(len(own))
    goals[first : last + 1] = points
    ends = np.broadcast_to(points, (last - first + 1, 3))
    goals[:first], goals[last + 1 :] = ends[0], ends[-1]
    away = np.maximum(np.maximum(first - np.arange(len(own)), np.arange(len(own)) - last), 0)
    share = np.clip(1.0 - away / (steps + 1.0), 0.0, 1.0)
    weights[:] = share * share * (3.0 - 2.0 * share)  # starts and ends without a kink
    return goals, weights


def bend(
    bones: Bones | None, points: Floats, goal: Floats, pole: Any, share: float
) -> tuple[Bones, Floats, float, bool]:
    """A limb's bones, (L, 3) its points with the tip at a goal, how far it is off, and whether it is there.

    Its elbow turns toward the pole, by a share of the way.
    """
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    has_bone = np.concatenate([[True], lengths > NO_BONE * lengths.sum()])
    own = np.ascontiguousarray(points[has_bone])
    size = float(lengths.sum())
    if (
        bones is None
        or bones.n != len(own) - 1
        or np.abs(bones.length - lengths[has_bone[1:]]).max() > SAME_LIMB * size
    ):
        bones = limb_of(own)
    moved = own - own[0] + bones.start[0]  # the limb's base travels with the clip
    wants = want(bones, bones.n - 1, goal - own[0] + bones.start[0], 1.0, None)[None]
    aim = None if pole is None else as_floats(pole, "pole", OptionError) - own[0] + bones.start[0]

    def posed(most: float) -> ChainSolution:
        how = {"max_swivel": max(most, LEAST_SWIVEL)}
        return answer(read_problem(bones, METHODS["fabrik"], wants, moved, aim, how), False)

    solution = posed(np.pi if share == 1.0 or aim is None else share * abs(posed(0.0).pole_angle))
    found = solution.points3 - bones.start[0] + own[0]
    return bones, found[np.cumsum(has_bone) - 1], solution.position_error, solution.success


def limb_of(points: Floats) -> Bones:
    """A limb as a chain of bones without limits."""
    n = len(points) - 1
    return make_bones([str(i) for i in range(n)], range(-1, n - 1), points, points, [Ball()] * n, 3, False)


def turn_limb(
    clip: Clip, limb: list[int], before: Floats, after: Floats, whole: Floats, frames: NDArray[np.int64]
) -> Floats:
    """(F, J, 3, 3) local turns with each bone of the limb turned from where it was to where it should be."""
    turns: Floats = clip.motion.turns.copy()
    new = whole.copy()
    size = float(np.linalg.norm(np.diff(before[0], axis=0), axis=1).sum())
    turn = np.broadcast_to(np.eye(3), (len(frames), 3, 3))
    for k in reversed(range(len(limb) - 1)):
        a, b = (each[frames, k + 1] - each[frames, k] for each in (before, after))
        lengths = np.linalg.norm(a, axis=1, keepdims=True)
        if lengths.min() > NO_BONE * size:
            turn = turn_onto(a / lengths, b / np.linalg.norm(b, axis=1, keepdims=True))
        new[frames, limb[k]] = turn @ whole[frames, limb[k]]
    for i in limb:
        p = int(clip.parent[i])
        above = np.swapaxes(new[frames, p], -1, -2) if p >= 0 else np.eye(3)
        turns[frames, i] = above @ new[frames, i]
    return turns


def find_jumps(before: Floats, after: Floats) -> tuple[int, ...]:
    """Frames at which a joint turns by more than `JUMP` more than it did in the clip before."""
    steps = (step_angles(after) - step_angles(before)).max(axis=1, initial=0.0)
    return tuple((np.flatnonzero(steps > JUMP) + 1).tolist())


def step_angles(turns: Floats) -> Floats:
    """(F-1, J) by which angle each joint turns from frame to frame [rad]."""
    chord = np.linalg.norm(turns[1:] - turns[:-1], axis=(-2, -1)) / np.sqrt(8.0)  # sine of half the angle
    return np.asarray(2.0 * np.arcsin(np.minimum(chord, 1.0)))
