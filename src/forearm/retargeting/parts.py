"""Which bone of a clip and which link of a robot are which part of a body: by name, else by shape.

Both are looked at in the same way: named points that hang on each other, in a pose at rest that stands upright. Names
tell left from right and hands from feet; where they do not, feet are what hangs lowest on each side, hands what hangs
on it otherwise and reaches farthest, and an elbow or a knee is what parts a limb most evenly.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from forearm.common.types import Floats
from forearm.errors import OptionError

if TYPE_CHECKING:
    from forearm.bones.clips.clip import Clip
    from forearm.trees.body import Body

SIDES = ("left", "right")
# what makes up a limb: its beginning, its middle, its end
LEG, ARM = ("hip", "knee", "foot"), ("shoulder", "elbow", "hand")
MIDDLE = ("pelvis", "torso", "head")
FINGERS = ("thumb", "index", "middle", "ring", "little")
PARTS = (*MIDDLE, *(f"{side}_{part}" for side in SIDES for part in (*LEG, *ARM)), *FINGERS)

SIDE_WORDS = {
    "left": re.compile(r"left|^l(?=[A-Z_.\- ])|[_.\- ]l(?=$|[_.\- ])|(?<=[a-z])L$", re.ASCII),
    "right": re.compile(r"right|^r(?=[A-Z_.\- ])|[_.\- ]r(?=$|[_.\- ])|(?<=[a-z])R$", re.ASCII),
}
# Words of a part, the surest first; a name that holds a later word is taken only where no name holds an earlier one.
WORDS: dict[str, tuple[str, ...]] = {
    "pelvis": (r"^hips?$", r"pelvis$", r"hips?$", r"base_link|^root$"),
    "torso": (r"chest|upper_?body|torso_?2|spine_?2", r"torso", r"spine_?1|spine", r"waist"),
    "head": (r"^head$", r"head(?!.*end)"),
    "foot": (r"sole", r"foot$", r"ankle_?roll|foot|ankle$", r"ankle"),
    "hand": (r"rubber_hand$|hand_base|palm", r"hand$|wrist$", r"gripper.*base|tool|hand", r"wrist"),
    "knee": (r"knee|shin|calf|lower_?leg", r"(left|right)leg$"),
    "elbow": (r"elbow|fore_?arm|lower_?arm",),
}
# A limb begins at the last joint that is this share of the farthest one's distance from its middle: behind collar bones
# and the first of three hip joints, before joints that lie along the thigh.
JOINED = 0.6
NOT_A_BODY = re.compile(r"end$|camera|imu|optical|lidar|sensor|inertia|dummy|contour|logo")


@dataclass(frozen=True, eq=False)
class Figure:
    """Named points that hang on each other, at rest.

    Attributes:
        names: What they are called.
        parent: The number of the point that each hangs on, -1 for roots; behind it.
        points: (k, 3) where they are at rest.
        moves: Whether something moves each against the one it hangs on.
    """

    names: tuple[str, ...]
    parent: tuple[int, ...]
    points: Floats
    moves: tuple[bool, ...]

    def path(self, i: int) -> list[int]:
        """The points from a root to one, itself included."""
        above = [i]
        while self.parent[above[-1]] >= 0:
            above.append(self.parent[above[-1]])
        return above[::-1]


def of_clip(clip: "Clip", points: Floats) -> Figure:
    """The joints of a clip."""
    return Figure(clip.names, tuple(clip.parent.tolist()), points, (True,) * len(clip.names))


def of_body(body: "Body", points: Mapping[str, Floats]) -> Figure:
    """The links of a robot, without its sites."""
    above = {joint.child: joint for joint in body.mechanism.joints}
    names = [link for link in body.places if link in above or link == body.root]
    index = {name: i for i, name in enumerate(names)}
    parent = [index.get(above[name].parent, -1) if name != body.root else -1 for name in names]
    rows = [body.places[name][0] for name in names]
    moves = tuple(p < 0 or rows[i] != rows[p] for i, p in enumerate(parent))
    return Figure(tuple(names), tuple(parent), np.array([points[name] for name in names]), moves)


def plain(name: str) -> str:
    """A name without what a program wrote before it (`mixamorig:`), in small letters."""
    return name.rpartition(":")[2].lower()


def side_of(name: str) -> str | None:
    """The side that a name says it is on, if it says one."""
    own = name.rpartition(":")[2]
    said = [side for side, words in SIDE_WORDS.items() if words.search(own) or words.search(own.lower())]
    return said[0] if len(said) == 1 else None


def by_name(figure: Figure, part: str, among: Sequence[int]) -> int | None:
    """The point that a part's words name, the nearest to the root of the surest, of heads the last; else None."""
    for words in WORDS.get(part, ()):
        found = [
            i
            for i in among
            if re.search(words, plain(figure.names[i])) and not NOT_A_BODY.search(plain(figure.names[i]))
        ]
        if found:
            depth = {i: len(figure.path(i)) for i in found}
            return (max if part == "head" else min)(found, key=depth.__getitem__)
    return None


def find_parts(figure: Figure, up: Floats | None = None) -> dict[str, int]:
    """The parts of a figure: those that are found."""
    found: dict[str, int] = {}
    every = range(len(figure.names))
    for part in MIDDLE:
        i = by_name(figure, part, [i for i in every if side_of(figure.names[i]) is None])
        if i is not None:
            found[part] = i
    for side in SIDES:
        own = [i for i in every if side_of(figure.names[i]) == side]
        ends = {"foot": find_end(figure, "foot", own, up), "hand": find_end(figure, "hand", own, up)}
        if ends["foot"] == ends["hand"]:
            ends["hand" if by_name(figure, "hand", own) is None else "foot"] = None
        for limb in (LEG, ARM):
            end = ends[limb[2]]
            if end is not None:
                found |= {f"{side}_{part}": i for part, i in limb_of(figure, limb, end, own).items()}
    if "pelvis" not in found:
        found["pelvis"] = 0
    return found


def find_end(figure: Figure, part: str, own: Sequence[int], up: Floats | None) -> int | None:
    """The hand or foot of a side: by name; else, where up is known, the lowest tip, or the highest that reaches far."""
    named = by_name(figure, part, own)
    if named is not None or up is None:
        return named
    tips = [i for i in own if i not in figure.parent]
    if not tips:
        return None
    height = {i: float(figure.points[i] @ up) for i in tips}
    lowest = min(tips, key=height.__getitem__)
    if part == "foot":
        return lowest
    root = set(figure.path(lowest))
    others = [i for i in tips if len(root & set(figure.path(i))) < 3 and i != lowest]
    return max(others, key=lambda i: float(np.linalg.norm(figure.points[i] - figure.points[0])), default=None)


def limb_of(figure: Figure, limb: tuple[str, str, str], end: int, own: Sequence[int]) -> dict[str, int]:
    """Beginning, middle and end of a limb that ends at a point; what lies on its side belongs to it."""
    path = [i for i in figure.path(end)[:-1] if i in own and figure.moves[i]]
    if len(path) < 2:
        return {limb[2]: end}
    points = figure.points
    middle = by_name(figure, limb[1], path)
    if middle is None or middle == path[0]:

        def evenness(i: int) -> float:
            first, second = np.linalg.norm(points[i] - points[path[0]]), np.linalg.norm(points[end] - points[i])
            return float(min(first, second))

        middle = max(path[1:], key=evenness)
    away = {i: float(np.linalg.norm(points[i] - points[middle])) for i in path[: path.index(middle)]}
    first = [i for i, far in away.items() if far >= JOINED * max(away.values())][-1]
    return {limb[0]: first, limb[1]: middle, limb[2]: end}


def propose(
    clip_figure: Figure, robot_figure: Figure, ups: tuple[Floats | None, Floats | None]
) -> dict[str, tuple[str, str]]:
    """Part to (bone, link) of what both have."""
    bones, links = find_parts(clip_figure, ups[0]), find_parts(robot_figure, ups[1])
    both = [part for part in PARTS if part in bones and part in links]
    if not any(part.endswith(("hand", "foot")) for part in both):
        raise OptionError(
            f"no hand and no foot was found both in the clip ({', '.join(clip_figure.names[:6])}, ...) and in the "
            f"robot ({', '.join(robot_figure.names[:6])}, ...); write a map: part to bone and link, parts are: "
            f"{', '.join(PARTS)}"
        )
    return {part: (clip_figure.names[bones[part]], robot_figure.names[links[part]]) for part in both}
