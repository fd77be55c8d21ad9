"""A hand of 21 key points on a robot hand: fingers laid out from the robot's knuckles along the directions seen.

Palms are brought together first, by the way from the wrist to the knuckles and the side on which the index finger is;
the palm may move as it likes. A finger's goal is its tip, at the robot's own lengths; the map names the tips, in the
robot's own words: `{"index": ("IndexTip", "link_3.0_tip")}`.
"""

from itertools import pairwise

import numpy as np

from forearm.bones.clips.clip import Clip
from forearm.bones.clips.points import FINGER_JOINTS
from forearm.common.types import Floats
from forearm.errors import OptionError
from forearm.retargeting.aims import STRETCHED
from forearm.retargeting.job import Job, Map, at_points, link_poses
from forearm.retargeting.parts import FINGERS
from forearm.tree import Tree

COUNTS = 1e3  # of a fingertip: fingers are so short that a radian of a posture would pull them away
TIP_JOINTS = 3  # joints of a finger that bend, from the knuckle on


class HandJob(Job):
    """Goals of the fingers of a robot hand; see `Job`."""

    def __init__(self, clip: Clip, tree: Tree, chosen: Map, rest: int | None, q0: Floats, sole: float) -> None:
        self.tree, self.clip, self.map, self.q0 = tree, clip, chosen, q0
        self.moves, self.lift = False, np.eye(4)
        self.fingers = [part for part in FINGERS if part in chosen]
        others = [finger for finger in self.fingers if finger != "thumb"]
        if len(others) < 2:
            raise OptionError("a hand's map needs two fingers beside the thumb: they tell how the palm is turned")
        self._poses = link_poses(tree.body, q0)
        self._begin()
        palm, robot = self._clip_palm(others), self._robot_palm(others)
        for finger in self.fingers:
            self._lay_finger(finger, palm, robot)
        self._end()

    def _robot_points(self, finger: str) -> tuple[Floats, list[str]]:
        """(4, 3) where the joints of a finger are at rest, from the knuckle to the tip, and their links."""
        body, tip = self.tree.body, self.map[finger][1]
        path = body.path(body.place(tip)[0])
        if len(path) < TIP_JOINTS:
            raise OptionError(f"'{tip}' hangs on {len(path)} joints; a finger takes {TIP_JOINTS} or more")
        rows = path[-TIP_JOINTS:]
        links = [next(name for name, (row, _) in body.places.items() if row == each) for each in rows]
        return np.array([*(self._poses[link][:3, 3] for link in links), self._poses[tip][:3, 3]]), [*links, tip]

    def _robot_palm(self, others: list[str]) -> Floats:
        """(3, 3) columns: along the fingers, toward the index finger, out of the palm."""
        knuckles = [self._robot_points(finger)[0][0] for finger in others]
        along = np.mean([points[-1] - points[0] for points, _ in map(self._robot_points, others)], axis=0)
        return np.asarray(palm_axes(along[None], (knuckles[0] - knuckles[-1])[None])[0])

    def _clip_palm(self, others: list[str]) -> Floats:
        """(F, 3, 3) the same of the key points in each frame."""
        points = self.clip.points
        knuckles = [points[:, self.clip.index(FINGER_JOINTS[finger][0])] for finger in others]
        return palm_axes(np.mean(knuckles, axis=0) - points[:, 0], knuckles[0] - knuckles[-1])

    def _lay_finger(self, finger: str, palm: Floats, robot: Floats) -> None:
        """Adds the goal of a finger's tip."""
        joints = FINGER_JOINTS[finger]
        if self.map[finger][0] != joints[-1]:
            raise OptionError(
                f"the map has bone '{self.map[finger][0]}' for {finger}; key points call it '{joints[-1]}'"
            )
        seen = self.clip.points[:, [self.clip.index(name) for name in joints]]
        rest, _ = self._robot_points(finger)
        place = np.tile(rest[0], (len(seen), 1))
        places = []
        turn = robot @ np.swapaxes(palm, 1, 2)
        for (a, b), (one, other) in zip(pairwise(range(len(joints))), pairwise(rest), strict=True):
            way = (turn @ (seen[:, b] - seen[:, a])[..., None])[..., 0]
            way /= np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-12)
            place = place + STRETCHED * float(np.linalg.norm(other - one)) * way
            places.append(place)
        none = np.zeros(len(seen), dtype=bool)
        self._add(finger, at_points(places[-1]), COUNTS, "point", none)

    def ghost(self) -> Floats:
        """(F, J, 3) where the key points are beside the robot: on its palm, at the length of its first finger [m]."""
        others = [finger for finger in self.fingers if finger != "thumb"]
        turn = self._robot_palm(others) @ np.swapaxes(self._clip_palm(others), 1, 2)
        seen = self.clip.points
        finger = [self.clip.index(name) for name in FINGER_JOINTS[others[0]]]
        own = self._robot_points(others[0])[0]
        scale = float(np.linalg.norm(np.diff(own, axis=0), axis=1).sum())
        scale /= float(np.linalg.norm(np.diff(seen[:, finger], axis=1), axis=2).sum(axis=1).mean())
        way = (seen - seen[:, finger[:1]]) @ np.swapaxes(turn, 1, 2)
        return np.asarray(own[0] + scale * way)


def palm_axes(along: Floats, across: Floats) -> Floats:
    """(F, 3, 3) columns: along, across made square to it, and square to both."""
    x = along / np.linalg.norm(along, axis=1, keepdims=True)
    y = across - (across * x).sum(axis=1, keepdims=True) * x
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    return np.stack([x, y, np.cross(x, y)], axis=2)
