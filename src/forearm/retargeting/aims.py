"""Where the parts of a robot should be in each frame of a clip: turned to its axes, scaled limb by limb.

Directions are the clip's, lengths the robot's: an arm is laid from the robot's shoulder along the clip's upper arm and
forearm, the way that the body goes is scaled by the length of the legs, feet stand as far apart as its hips want it.
Turns are carried over from rest to rest: a link is turned from its rest as the bone is turned from its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from forearm.bones.clips.clip import Clip, placed, turned
from forearm.common.types import Floats
from forearm.errors import OptionError
from forearm.retargeting.parts import SIDES

# Limbs are never asked to be quite straight, where a joint's speed has no bound: at most this share of their length.
STRETCHED = 0.985
FLOOR = 5.0  # [%] of a clip's frames in which a foot is lower than the floor it is taken to stand on


@dataclass(frozen=True, eq=False)
class Rest:
    """A body at rest.

    Attributes:
        points: (3,) where each part is.
        turns: (3, 3) how each part is turned.
        axes: (3, 3) rows: what is ahead, left and up.
        ankles: (3,) the last joint before each foot, in the foot's frame, if it is another point.
    """

    points: Mapping[str, Floats]
    turns: Mapping[str, Floats]
    axes: Floats
    ankles: Mapping[str, Floats] = field(default_factory=dict)

    def length(self, *parts: str) -> float:
        """How long the way over some parts is."""
        rows = np.array([self.points[part] + self.ankle(part, self.turns[part]) for part in parts])
        return float(np.linalg.norm(np.diff(rows, axis=0), axis=1).sum())

    def ankle(self, part: str, turn: Floats) -> Floats:
        """(..., 3) from a part to the joint that it hangs on, as it is turned (..., 3, 3); zero but for feet."""
        return np.asarray(turn @ self.ankles.get(part, np.zeros(3)))


def body_axes(points: Mapping[str, Floats], low: Floats, high: Floats) -> Floats:
    """(3, 3) rows ahead, left, up of a body: up is the coordinate axis from low to high, left is across its limbs."""
    rise = high - low
    up = np.zeros(3)
    k = int(np.argmax(np.abs(rise)))
    up[k] = np.sign(rise[k])
    across = np.zeros(3)
    for part in ("hip", "shoulder", "foot", "hand"):
        if all(f"{side}_{part}" in points for side in SIDES):
            across = points[f"left_{part}"] - points[f"right_{part}"]
            break
    left = across - up * (across @ up)
    size = float(np.linalg.norm(left))
    if not size > 0.0:
        told = "the map has no part on both sides, so it is not known which side is left"
        raise OptionError(f"{told}; add hips, shoulders, feet or hands of both")
    left = left / size
    return np.array([np.cross(left, up), left, up])


def clip_rest(clip: Clip, bones: Mapping[str, int], frame: int | None) -> Rest:
    """A clip's body in its rest pose, or in one of its frames."""
    local = clip.joints.local[None] if frame is None else clip.motion.local[frame : frame + 1]
    frames = placed(clip.parent, local)[0]
    turns = turned(clip.parent, (clip.with_rest().motion.turns if frame is None else clip.motion.turns[frame][None]))[0]
    points = {part: frames[i, :3, 3] for part, i in bones.items()}
    low, high = ends_of(points, frames[:, :3, 3])
    axes = body_axes(points, low, high)
    return Rest(points, {part: turns[i] for part, i in bones.items()}, axes)


def ends_of(points: Mapping[str, Floats], every: Floats) -> tuple[Floats, Floats]:
    """(3,) a low and a high point of a body that stands upright."""
    feet = [points[f"{side}_foot"] for side in SIDES if f"{side}_foot" in points]
    tops = [points[part] for part in ("head", "torso", "left_shoulder", "right_shoulder") if part in points]
    low = np.mean(feet, axis=0) if feet else points.get("pelvis", every[0])
    high = np.mean(tops[:1] or tops, axis=0) if tops else points.get("pelvis", every.mean(axis=0))
    return low, high


class Figures:
    """A clip's body and a robot's, side by side, in the robot's axes.

    Attributes:
        clip: The clip's body at rest, turned.
        robot: The robot's at rest.
        points: (F, 3) where each bone is, turned to the robot's axes, in the clip's unit.
        turns: (F, 3, 3) how each bone is turned from rest, in the robot's axes.
        leg: The robot's legs to the clip's, as a share; its arms' where it has no legs.
    """

    def __init__(self, clip: Clip, bones: Mapping[str, int], rest: Rest, robot: Rest) -> None:
        A = robot.axes.T @ rest.axes  # from the clip's axes to the robot's
        whole = turned(clip.parent, clip.motion.turns)
        frames = clip.frames
        self.robot = robot
        self.points = {part: frames[:, i, :3, 3] @ A.T for part, i in bones.items()}
        self.clip = Rest(self._put_down({part: A @ p for part, p in rest.points.items()}), rest.turns, robot.axes)
        self.turns = {part: A @ whole[:, i] @ rest.turns[part].T @ A.T for part, i in bones.items()}
        self.leg = self._ratio()
        self._from_clip = A

    def beside(self, points: Floats) -> Floats:
        """Points of the clip (..., 3) where they are beside the robot [m]."""
        way = points @ self._from_clip.T - self.clip.points["pelvis"]
        return np.asarray(self.robot.points["pelvis"] + self.leg * way)

    def _put_down(self, points: Mapping[str, Floats]) -> dict[str, Floats]:
        """The clip's body at rest, put where the clip begins, its feet on the floor that those of the clip reach."""
        up, first = self.robot.axes[2], self.points["pelvis"][0] - points["pelvis"]
        feet = [part for part in points if part.endswith("foot")]
        rise = float(first @ up)
        if feet:
            rise = float(np.mean([np.percentile(self.points[part] @ up, FLOOR) - points[part] @ up for part in feet]))
        move = first - up * (first @ up) + up * rise
        return {part: point + move for part, point in points.items()}

    def _ratio(self) -> float:
        """How much longer the robot's legs are, or what else both have."""
        for side in SIDES:
            for limb in (("hip", "knee", "foot"), ("shoulder", "elbow", "hand")):
                names = [f"{side}_{part}" for part in limb]
                if all(name in self.robot.points for name in names):
                    return self.robot.length(*names) / self.clip.length(*names)
        return 1.0

    def turned(self, part: str) -> Floats:
        """(F, 3, 3) how a link should be turned in the world."""
        out: Floats = self.turns[part] @ self.robot.turns[part]
        return out

    def pelvis(self, moves: bool) -> Floats:
        """(F, 4, 4) where the pelvis should be: scaled, above the floor that the robot's feet at rest stand on."""
        count, rest = len(self.points["pelvis"]), self.robot
        T = np.tile(np.eye(4), (count, 1, 1))
        T[:, :3, :3], T[:, :3, 3] = rest.turns["pelvis"], rest.points["pelvis"]
        if moves:
            T[:, :3, :3] = self.turned("pelvis")
            T[:, :3, 3] += self.leg * (self.points["pelvis"] - self.clip.points["pelvis"])
        return T

    def beginning(self, part: str, pelvis: Floats) -> Floats:
        """(F, 3) where a hip or shoulder of the robot is when pelvis and torso are where they should be."""
        rest = self.robot
        holder = "torso" if part.endswith("shoulder") and "torso" in self.turns else "pelvis"
        own = pelvis[:, :3, :3] @ rest.turns["pelvis"].T  # from rest
        if holder == "pelvis":
            return np.asarray(pelvis[:, :3, 3] + own @ (rest.points[part] - rest.points["pelvis"]))
        pivot = pelvis[:, :3, 3] + own @ (rest.points["torso"] - rest.points["pelvis"])
        return np.asarray(pivot + self.turns["torso"] @ (rest.points[part] - rest.points["torso"]))

    def limb(self, side: str, limb: tuple[str, str, str], pelvis: Floats) -> tuple[Floats, Floats]:
        """(F, 3) where the middle and the end of a limb should be."""
        names = [f"{side}_{part}" for part in limb]
        at = self.beginning(names[0], pelvis)
        places = []
        for first, second in pairwise(names):
            way = self.points[second] - self.points[first]
            size = np.linalg.norm(way, axis=1, keepdims=True)
            at = at + STRETCHED * self.robot.length(first, second) * way / np.maximum(size, 1e-12)
            places.append(at)
        return places[0], places[1]

    def foot(self, side: str, pelvis: Floats) -> Floats:
        """(F, 4, 4) where a foot should be before it is planted: its way scaled, moved out or in as the hips are."""
        name, rest = f"{side}_foot", self.robot
        T = np.tile(np.eye(4), (len(pelvis), 1, 1))
        T[:, :3, :3] = self.turned(name)
        own = pelvis[:, :3, :3] @ rest.turns["pelvis"].T
        wider = (rest.points[name] - rest.points["pelvis"]) - self.leg * (
            self.clip.points[name] - self.clip.points["pelvis"]
        )
        up = rest.axes[2]
        across = wider - up * (wider @ up)
        turned_across = own @ across
        turned_across -= (turned_across @ up)[:, None] * up
        T[:, :3, 3] = rest.points[name] + self.leg * (self.points[name] - self.clip.points[name])
        T[:, :3, 3] += turned_across - across
        return T

    def drop(self, pelvis: Floats, feet: Mapping[str, Floats]) -> float:
        """How much lower the pelvis must be in all frames so that no leg is stretched [m]."""
        up, lower = self.robot.axes[2], 0.0
        for side, T in feet.items():
            names = [f"{side}_{part}" for part in ("hip", "knee", "foot")]
            if any(name not in self.robot.points for name in names):
                continue
            reach = STRETCHED * self.robot.length(*names)
            way = self.beginning(names[0], pelvis) - T[:, :3, 3] - self.robot.ankle(names[2], T[:, :3, :3])
            high = way @ up
            aside = np.linalg.norm(way - high[:, None] * up, axis=1)
            lower = max(lower, float((high - np.sqrt(np.maximum(reach**2 - aside**2, 0.0))).max()))
        return lower
