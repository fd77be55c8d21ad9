"""What a robot is asked for in every frame of a clip, and one kernel that follows it (`core/tree/follow.py`)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from forearm.bones.clips.clip import Clip
from forearm.common.transforms import inverse
from forearm.common.types import Floats
from forearm.core.tree import layout as at
from forearm.core.tree.follow import FIRST, follow_tree
from forearm.errors import OptionError
from forearm.goals.goal import Goal, Posture, Wish
from forearm.retargeting.aims import Figures, Rest, body_axes, clip_rest, ends_of
from forearm.retargeting.parts import ARM, LEG, SIDES
from forearm.retargeting.stance import find_stances, planted, standing
from forearm.targets.target import Orientation, Position
from forearm.tree import Tree
from forearm.trees.body import Body
from forearm.trees.measure import row_frames
from forearm.trees.pack import flat, pack

Map = Mapping[str, tuple[str, str]]

# What goals count, squared: each level a thousand times the one below it, as strict levels do.
SECOND, THIRD = 1e3, 1.0
TORSO, HEAD, BEND = 0.3, 0.1, 0.03  # the last of elbows and knees
POSTURE = 0.01  # what a radian counts against a metre of a hand
WRIST = 0.1  # the same of joints behind an elbow
STAY = 0.03  # the same of where a joint was in the last frame
STEPS = 12  # of a frame; from the answer of the last, four to eight are enough
WARM_UP = 40  # times that the first frame is asked for, from rest
# Farthest that a joint goes in a frame: in its greatest speed; in [rad/s or m/s], more than any joint of people moves
# with; in [rad or m]. What is farther is a jump.
LEAP, HUMAN, FARTHEST = 4.0, 20.0, 0.5


class Job:
    """Goals of a robot in all frames of a clip.

    Attributes:
        names: What goals are called: the parts of the map.
        goals: (F, g, AIM + 1) their aims, and what each counts.
        stands: (F, g) whether it is a foot that stands.
    """

    def __init__(self, clip: Clip, tree: Tree, chosen: Map, rest: int | None, q0: Floats, sole: float) -> None:
        self.tree, self.clip, self.map, self.q0 = tree, clip, chosen, q0
        self.moves = tree.body.base == "free"
        bones = {part: clip.index(bone) for part, (bone, _) in chosen.items()}
        self.figures = Figures(clip, bones, clip_rest(clip, bones, rest), self._robot_rest(sole))
        self._begin()
        self._lay_out()
        self._end()

    def _begin(self) -> None:
        """Nothing is asked for yet."""
        self.names: list[str] = []
        self.wishes: list[Wish] = []
        self._rows: list[Floats] = []
        self._stands: list[Any] = []

    def _end(self) -> None:
        """All that is asked for, as arrays."""
        if not self.names:
            raise OptionError(
                "the map leaves nothing to follow: a fixed base needs shoulder, elbow and hand of a side, a free one "
                "also follows with pelvis and feet"
            )
        self.goals = np.ascontiguousarray(np.stack(self._rows, axis=1))
        self.stands = np.stack(self._stands, axis=1)
        self._prepare()

    def _prepare(self) -> None:
        """What the kernel needs of the robot and its goals, once for all times that they are followed."""
        packed = pack(self.tree.body, self.wishes, [Posture(self.q0, weight=POSTURE), *self._wrists()], 0)
        numbers = packed.numbers.copy()
        numbers[at.MAX_STEPS] = STEPS
        self._packed = replace(packed, numbers=numbers)
        self._begun: tuple[Floats, Floats] | None = None  # goals of the first frame, and where they are met
        self._stays = STAY**2 / (STAY**2 + packed.bounds[:, at.STIFF] ** 2)
        self._packed.bounds[:, at.STIFF] = np.hypot(packed.bounds[:, at.STIFF], STAY)

    def _robot_rest(self, sole: float) -> Rest:
        """The robot's body at rest, its soles on the floor z = 0."""
        known = link_poses(self.tree.body, self.q0)
        poses = {part: known[link] for part, (_, link) in self.map.items()}
        heights = [T[2, 3] for part, T in poses.items() if part.endswith("foot")]
        self.lift = np.eye(4)
        if self.moves and heights:
            self.lift[2, 3] = sole - min(heights)
        poses = {part: self.lift @ T for part, T in poses.items()}
        points = {part: T[:3, 3] for part, T in poses.items()}
        low, high = ends_of(points, np.array(list(points.values())))
        axes = body_axes(points, low, high)
        feet = [part for part in poses if part.endswith("foot")]
        ankles = {part: inverse(self.tree.body.place(self.map[part][1])[1])[:3, 3] for part in feet}
        return Rest(points, {part: T[:3, :3] for part, T in poses.items()}, axes, ankles)

    def _lay_out(self) -> None:
        """Lays out all goals that the map has parts for."""
        figures = self.figures
        pelvis = figures.pelvis(self.moves)
        feet = {side: self._foot(side, pelvis) for side in SIDES if self.moves and f"{side}_foot" in self.map}
        pelvis[:, :3, 3] -= figures.drop(pelvis, {side: T for side, (T, _) in feet.items()}) * figures.robot.axes[2]
        none = np.zeros(len(pelvis), dtype=bool)
        for side, (T, stands) in feet.items():
            self._add(f"{side}_foot", T, np.where(stands, FIRST, SECOND), "pose", stands)
        if self.moves:
            self._add("pelvis", pelvis, SECOND, "pose", none)
        for side in SIDES:
            for limb in (LEG, ARM) if self.moves else (ARM,):
                if all(f"{side}_{part}" in self.map for part in limb):
                    middle, end = figures.limb(side, limb, pelvis)
                    if limb == ARM:
                        self._add(f"{side}_hand", at_points(end), THIRD, "point", none)
                    self._add(f"{side}_{limb[1]}", at_points(middle), BEND, "point", none)
        rows = {part: self.tree.body.place(link)[0] for part, (_, link) in self.map.items()}
        for part, counts, holder in (("torso", TORSO, "pelvis"), ("head", HEAD, "torso")):
            if part in self.map and rows[part] >= 0 and rows[part] != rows.get(holder):
                T = at_points(np.zeros((len(pelvis), 3)))
                T[:, :3, :3] = figures.turned(part)
                self._add(part, T, counts, "turn", none)

    def _foot(self, side: str, pelvis: Floats) -> tuple[Floats, Any]:
        """(F, 4, 4) the way of a foot, and when it stands."""
        figures, name, times = self.figures, f"{side}_foot", self.clip.times
        up = figures.robot.axes[2]
        leg = figures.clip.length(
            *(f"{side}_{part}" for part in ("hip", "knee", "foot") if f"{side}_{part}" in self.map)
        )
        stances = find_stances(figures.points[name], times, up, leg or 1.0)
        rest = np.eye(4)
        rest[:3, :3], rest[:3, 3] = figures.robot.turns[name], figures.robot.points[name]
        return planted(figures.foot(side, pelvis), stances, times, up, rest), standing(stances, len(times))

    def _add(self, part: str, T: Floats, counts: Any, kind: str, stands: Any) -> None:
        """Adds a goal: its (F, 4, 4) aims and what it counts in each frame."""
        link = self.map[part][1]
        first: Any = {"pose": T[0], "point": Position(T[0, :3, 3]), "turn": Orientation(T[0, :3, :3])}[kind]
        row = np.zeros((len(T), at.AIM + 1))
        row[:, :9], row[:, 9:12] = T[:, :3, :3].reshape(-1, 9), T[:, :3, 3]
        row[:, at.AIM] = counts
        self.names.append(part)
        self.wishes.append(Goal(link, first, name=part))
        self._rows.append(row)
        self._stands.append(stands)

    def _wrists(self) -> list[Posture]:
        """Joints behind elbows stay where they are: a hand is asked for a point, which they could only wriggle to."""
        body = self.tree.body
        joints: dict[str, float] = {}
        for side in SIDES:
            if f"{side}_hand" in self.names:
                elbow, hand = (body.place(self.map[f"{side}_{part}"][1])[0] for part in ("elbow", "hand"))
                behind = [body.rows[row].variable for row in body.path(hand) if row not in body.path(elbow)]
                joints |= {body.joint_names[k]: float(self.q0[k]) for k in behind}
        return [Posture(joints, weight=WRIST)] if joints else []

    def follow(self, box: Floats) -> tuple[Floats, Floats, Floats]:
        """(F, n) joint values, (F, 4, 4) bases, (F, g, 3) what is measured of each goal."""
        count, g = len(self.goals), len(self.names)
        packed = self._packed
        n, used, numbers = len(packed.variables), packed.variables, packed.numbers
        own = np.stack([box[used], self.q0[used], self._stays])
        begin = own.copy()
        begin[0] = FARTHEST
        goals = np.concatenate([np.repeat(self.goals[:1], WARM_UP, axis=0), self.goals])
        bends = [i for i, name in enumerate(self.names) if name.endswith(("knee", "elbow"))]
        goals[: WARM_UP // 2, bends, at.AIM] = SECOND  # first of all, limbs bend to the side they should
        start = np.concatenate([self.q0[packed.variables], flat(self.lift)])
        if self.moves:
            start[n:] = self.goals[0, self.names.index("pelvis"), :12]
        x, report = np.zeros((len(goals), n + 12)), np.zeros((len(goals), at.tree_report(n, g)))
        codes = np.zeros(len(goals), np.int8)
        work = np.empty(packed.work)
        if self._begun is None or not np.array_equal(self._begun[0], self.goals[0]):
            follow_tree(numbers, goals[:WARM_UP], begin, start, work, x[:WARM_UP], report[:WARM_UP], codes[:WARM_UP])
            self._begun = self.goals[0].copy(), x[WARM_UP - 1].copy()
        x[WARM_UP - 1] = self._begun[1]
        follow_tree(numbers, goals[WARM_UP:], own, x[WARM_UP - 1], work, x[WARM_UP:], report[WARM_UP:], codes[WARM_UP:])
        Q = np.repeat(self.q0[None], count, axis=0)
        Q[:, packed.variables] = x[WARM_UP:, :n]
        bases = np.repeat(np.eye(4)[None], count, axis=0)
        if self.moves:
            bases[:, :3, :3], bases[:, :3, 3] = x[WARM_UP:, n : n + 9].reshape(-1, 3, 3), x[WARM_UP:, n + 9 :]
        measured = report[WARM_UP:, at.REPORT_HEAD : at.REPORT_HEAD + 3 * g].reshape(count, g, 3)
        return Q, bases, measured

    def ghost(self) -> Floats:
        """(F, J, 3) where the clip's joints are beside the robot: in its axes, at the length of its legs [m]."""
        return self.figures.beside(self.clip.points)

    def slide(self, measured: Floats) -> float:
        """The farthest that a foot which stands is from where it stands [m]."""
        return float(np.where(self.stands, measured[:, :, 0], 0.0).max(initial=0.0))


def link_poses(body: Body, q: Floats) -> dict[str, Floats]:
    """(4, 4) the pose of every link and site, with the base at the origin."""
    frames = row_frames(body, q, np.eye(4))
    return {name: tip if row < 0 else frames[row] @ tip for name, (row, tip) in body.places.items()}


def at_points(points: Floats) -> Floats:
    """(F, 4, 4) frames at points."""
    T: Floats = np.tile(np.eye(4), (len(points), 1, 1))
    T[:, :3, 3] = points
    return T
