"""Carries a clip over to a robot: hands and feet as goals of a tree, frame by frame, feet that stand before all else.

1. The map says which bone is which link; goals are laid out limb by limb (`aims.py`).
2. Feet that stand are found and held (`stance.py`).
3. One kernel follows all goals through all frames (`core/tree/follow.py`): standing feet first, then the pelvis and the
   feet that swing, then hands, torso, head, elbows and knees, then the posture.
4. Where links come too near, hands and elbows are moved apart and it is followed again (`touching.py`).
5. Times are stretched where joints would be too fast (`pace.py`).
"""

import time
from pathlib import Path
from typing import Any

import numpy as np

from forearm.bones.clips.clip import Clip
from forearm.bones.clips.points import NAMES
from forearm.common.checks import as_number, brief
from forearm.common.types import Floats
from forearm.errors import OptionError, told_in_words
from forearm.retargeting import map_file
from forearm.retargeting.apart import keep_apart, touching_of
from forearm.retargeting.hand import HandJob
from forearm.retargeting.job import FARTHEST, HUMAN, LEAP, Job, Map, link_poses
from forearm.retargeting.pace import paced
from forearm.retargeting.parts import FINGERS, of_body, of_clip, propose
from forearm.retargeting.result import Retargeted
from forearm.tree import Tree
from forearm.trees.stack import as_start

TURNS, SLIDES = 100.0, 10.0  # accelerations where none is given: what knees need in a brisk walk [rad/s^2], [m/s^2]


@told_in_words
def retarget(
    clip: Clip | str | Path,
    robot: Tree | str | Path,
    map: Map | str | Path | None = None,
    *,
    rest: int | None = None,
    q0: Any = None,
    sole: float = 0.0,
    velocity: Any = None,
    acceleration: Any = None,
    self_collision: bool = True,
) -> Retargeted:
    """A clip's motion on a robot: joint values for each frame, and what became of each goal.

    Args:
        clip: The motion, or its file (.bvh, .gltf, .glb; .csv of 21 key points of a hand).
        robot: The robot, or its URDF, which is then read with a free base, that of a hand with a fixed one.
        map: Part of the body to (bone, link), or a TOML file of it; proposed from names and shape by default.
        rest: The frame in which the clip's body stands as the robot does at `q0`; the clip's rest pose by default.
        q0: (n,) where the robot stands upright on flat feet; its zeros by default. It also is the posture it prefers.
        sole: How far below the links of its feet their soles are [m].
        velocity: Greatest speeds, one number or one per joint; those of the file by default.
        acceleration: Greatest accelerations; 100 rad/s^2 and 10 m/s^2 by default.
        self_collision: Whether links are kept apart, where the file has shapes; those of a hand are never looked at.
    """
    began = time.perf_counter()
    motion = clip if isinstance(clip, Clip) else Clip.read(clip)
    tree = robot if isinstance(robot, Tree) else Tree.from_urdf(robot, base="fixed" if is_hand(motion) else "free")
    if rest is not None and not (isinstance(rest, int) and 0 <= rest < len(motion)):
        raise OptionError(f"rest is {brief(rest)}; it takes a frame of the clip, 0 to {len(motion) - 1}")
    stand = tree.body.rest if q0 is None else as_start(q0, tree.body)
    chosen = read_map(map, motion, tree, rest, stand)
    kind = HandJob if any(part in FINGERS for part in chosen) else Job
    job = kind(motion, tree, chosen, rest, stand, as_number(sole, "sole", OptionError))
    speeds = bounds(velocity, tree.body.velocity, "velocity")
    slides = np.array([kind == "prismatic" for kind in tree.body.joint_kinds])
    hardest = bounds(acceleration, np.where(slides, SLIDES, TURNS), "acceleration")
    step = motion.frame_time or 1.0
    box = np.minimum(np.maximum(LEAP * speeds, HUMAN) * step, FARTHEST)
    found = job.follow(box)
    clearance: Floats = np.zeros(0)
    touching: tuple[tuple[int, str, str], ...] = ()
    if self_collision and kind is Job:
        found, nears = keep_apart(job, box, found)
        clearance, touching = touching_of(nears, len(motion))
    Q, bases, measured = found
    times = paced(Q, motion.times, speeds, hardest)
    late = np.concatenate([[False], np.diff(times) > np.diff(motion.times) * (1.0 + 1e-9)])
    far = np.abs(np.diff(Q, axis=0)) >= box * (1.0 - 1e-9)
    return Retargeted(
        joint_names=tree.joint_names,
        times=times,
        q=Q,
        base=bases,
        free=tree.body.base == "free",
        goals=tuple(job.names),
        error=measured[:, :, 0],
        rotation_error=measured[:, :, 1],
        stands=job.stands,
        slide=job.slide(measured),
        held_back=late,
        jumps=tuple((np.flatnonzero(far.any(axis=1)) + 1).tolist()),
        touching=touching,
        clearance=clearance,
        map=dict(chosen),
        seconds=time.perf_counter() - began,
        ghost=job.ghost(),
        ghost_parents=motion.parent.copy(),
    )


def is_hand(clip: Clip) -> bool:
    """Whether a clip is key points of a hand."""
    return clip.names == NAMES


def bounds(given: Any, known: Floats, name: str) -> Floats:
    """(n,) positive bounds, infinite where none is known."""
    values = np.broadcast_to(np.asarray(known if given is None else given, float), known.shape).copy()
    if given is None:
        values[np.isnan(values) | (values <= 0.0)] = np.inf
    if not (values > 0.0).all():
        raise OptionError(f"{name} is {brief(given)}; it takes positive numbers, one or one per joint")
    return np.asarray(values)


def propose_map(
    clip: Clip, tree: Tree, rest: int | None = None, q0: Floats | None = None
) -> dict[str, tuple[str, str]]:
    """Part to (bone, link), from names and shape."""
    points = (clip.with_rest() if rest is None else clip).points[rest or 0]
    stand = tree.body.rest if q0 is None else q0
    links = {name: T[:3, 3] for name, T in link_poses(tree.body, stand).items()}
    return propose(of_clip(clip, points), of_body(tree.body, links), (None, np.array([0.0, 0.0, 1.0])))


def read_map(given: Any, clip: Clip, tree: Tree, rest: int | None, q0: Floats) -> dict[str, tuple[str, str]]:
    """The map, its names checked."""
    if given is None and is_hand(clip):
        raise OptionError(
            "key points of a hand need a map: finger to (key point, link of the robot's fingertip), as "
            '{"index": ("IndexTip", "link_3.0_tip")}; fingers are: ' + ", ".join(FINGERS)
        )
    if given is None:
        return propose_map(clip, tree, rest, q0)
    chosen = map_file.read(given) if isinstance(given, (str, Path)) else map_file.checked(given, "map")
    for bone, link in chosen.values():
        clip.index(bone)
        tree.body.place(link)
    return chosen
