"""A clip made of poses of bones, frame by frame, for programs of animation.

The end of a bone is a joint with the bone's name; the joint where a bone starts turns it. Where several bones start at
one joint, each gets a joint of its own there, `<bone>_start`, as each turns by itself.
"""

from typing import Any, NamedTuple

import numpy as np

from forearm.bones.clips.clip import Clip
from forearm.bones.clips.parts import Joints, Motion, check_size
from forearm.bones.solution import ChainBatch
from forearm.bones.tree import Bones
from forearm.common.checks import as_number, brief
from forearm.common.types import Floats
from forearm.errors import OptionError

# How a clip is turned, by the axis that is up in it: what was z becomes that.
UP = {"z": np.eye(3), "y": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])}


class Laid(NamedTuple):
    """Joints for bones at rest."""

    names: list[str]
    parent: list[int]  # -1 for the base
    offsets: list[Floats]  # (3,) where each stands in the one above it
    turner: list[int]  # the joint that turns each bone
    ends: list[int]  # the joint at each bone's end


def clip_of(poses: ChainBatch, fps: Any, up: Any) -> Clip:
    """The poses as a clip of so many frames a second, in metres, with one of its axes up."""
    rate = as_number(fps, "fps", OptionError)
    if not (rate > 0.0 and np.isfinite(rate)):
        raise OptionError(f"fps is {rate:g}; it takes a positive number of frames a second")
    if not isinstance(up, str) or up not in UP:
        raise OptionError(f"up is {brief(up)}; it takes: {', '.join(map(repr, UP))}")
    if not len(poses):
        raise OptionError("there are no poses; a clip takes one at least")
    laid, R = lay_out(poses.bones), UP[up]
    frames, count = len(poses), len(laid.names)
    check_size(count, frames, "the clip")
    offsets, ones, eye = np.array(laid.offsets), np.ones((frames, count, 3)), np.eye(3)
    places, turns = np.tile(offsets, (frames, 1, 1)), np.tile(eye, (frames, count, 1, 1))
    places[:, 0] = poses.points3[:, 0]
    places[:, laid.ends] *= poses.stretch[:, :, None]
    turns[:, laid.turner] = poses.rotations()
    joints = Joints(
        tuple(laid.names), np.array(laid.parent, np.int64), offsets @ R.T, np.tile(eye, (count, 1, 1)), ones[0]
    )
    return Clip(joints, Motion(places @ R.T, R @ turns @ R.T, ones), np.arange(frames) / rate)


def lay_out(bones: Bones) -> Laid:
    """The joints that bones become."""
    rest = bones.pose_of(np.zeros((bones.n, 3)), bones.start[0])[0]
    along = rest[:, :, 0] * bones.length[:, None]  # (n, 3) from start to end
    laid = Laid([free_name("base", bones.names)], [-1], [bones.start[0]], [], [])
    above = bones.parent.tolist()
    for i, p in enumerate(above):
        start = laid.ends[p] if p >= 0 else 0
        if above.count(p) > 1:
            start = _add(laid, free_name(f"{bones.names[i]}_start", (*bones.names, *laid.names)), start, np.zeros(3))
        laid.turner.append(start)
        laid.ends.append(_add(laid, bones.names[i], start, along[i]))
    return laid


def _add(laid: Laid, name: str, parent: int, offset: Floats) -> int:
    """Adds a joint; its number."""
    laid.names.append(name)
    laid.parent.append(parent)
    laid.offsets.append(offset)
    return len(laid.names) - 1


def free_name(name: str, taken: tuple[str, ...]) -> str:
    """The name, with a number behind it if it is taken."""
    numbered = (f"{name}_{k}" for k in range(2, len(taken) + 3))
    return name if name not in taken else next(each for each in numbered if each not in taken)
