"""A motion: joints in a tree and, frame by frame, how each of them stands in the one above it.

Animators' files speak of joints where forearm speaks of bones: the bone that ends at a joint has the joint's name,
and is turned by the joint above it. All of a clip is in the units and axes of its file.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from forearm.bones.clips import bvh, gltf, gltf_out, points
from forearm.bones.clips.turns import blended
from forearm.common.checks import as_floats, as_number, brief
from forearm.common.files import as_path
from forearm.common.transforms import quaternions
from forearm.common.types import Floats
from forearm.errors import ModelError, OptionError, nearest_names, told_in_words

if TYPE_CHECKING:
    from forearm.bones.clips.parts import Joints, Motion
    from forearm.bones.clips.pin import Pinned

WRITTEN = (".bvh", ".gltf", ".glb", ".json")
# Scales that differ by more along the axes of a joint cannot be written without scales.
EVEN = 1e-6
# Frames whose distances in time differ by more than this share of them are not evenly spaced.
SPACING = 1e-4


@dataclass(frozen=True, eq=False, repr=False)
class Clip:
    """A motion of joints in a tree; never changes.

    Attributes:
        joints: Their names, parents and rest pose.
        motion: Their places, turns and scales in each frame.
        times: (F,) when each frame is [s], ascending.
        source: The file's own document, for writing the motion back onto the skeleton that it came from.
    """

    joints: Joints
    motion: Motion
    times: Floats
    source: Any = field(default=None)

    # -- where it comes from and goes to ---------------------------------------------------------

    @classmethod
    @told_in_words
    def from_bvh(cls, path: str | Path) -> Clip:
        """The motion of a BVH file, in its own units; end sites are joints called `<joint> end`."""
        return cls(*bvh.read(as_path(path, "clip", ModelError)))

    @classmethod
    @told_in_words
    def from_gltf(cls, path: str | Path, animation: int | str = 0) -> Clip:
        """The motion of a glTF 2.0 file (.gltf or .glb): of one of its animations, by number or name.

        Of a file without animations, its rest pose as one frame.
        """
        return cls(*gltf.read(as_path(path, "clip", ModelError), animation))

    @classmethod
    def read(cls, path: str | Path) -> Clip:
        """The motion of a file, by its ending: .bvh, .gltf or .glb; or .csv of 21 key points of a hand."""
        ending = as_path(path, "clip", ModelError).suffix.lower()
        if ending == ".bvh":
            return cls.from_bvh(path)
        if ending in (".gltf", ".glb"):
            return cls.from_gltf(path)
        if ending == ".csv":
            return cls(*points.read(Path(path)))
        raise ModelError(f"'{Path(path).name}' ends in '{ending}'; clips are read from .bvh, .gltf, .glb and .csv")

    def write(self, path: str | Path) -> None:
        """Writes the motion, by the file's ending: .bvh, .gltf, .glb, or .json for three.js."""
        target, ending = Path(path), written_ending(path)
        if ending == ".bvh":
            target.write_text(bvh.text(self.evenly_spaced().without_scales()))
        elif ending in (".gltf", ".glb"):
            target.write_bytes(gltf_out.content(self, ending == ".glb"))
        else:
            target.write_text(gltf_out.three_text(self))

    # -- what it holds ---------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """The joints, parents before children."""
        return self.joints.names

    @property
    def parent(self) -> NDArray[np.int64]:
        """(J,) the parent of each joint; -1 for roots."""
        return self.joints.parent

    @property
    def tips(self) -> tuple[str, ...]:
        """The joints without children."""
        inner = set(self.parent.tolist())
        return tuple(name for i, name in enumerate(self.names) if i not in inner)

    @property
    def frame_time(self) -> float:
        """The mean time between two frames [s]; 0 if there is one."""
        return float(self.times[-1] - self.times[0]) / (len(self.times) - 1) if len(self.times) > 1 else 0.0

    def __len__(self) -> int:
        """How many frames it has."""
        return len(self.times)

    def index(self, name: object) -> int:
        """The number of a joint by name."""
        if name not in self.names:
            raise OptionError(f"joint '{name}' is unknown; {nearest_names(name, self.names)}")
        return self.names.index(str(name))

    @property
    def frames(self) -> Floats:
        """(F, J, 4, 4) each joint's frame in the file's axes, scales included."""
        return placed(self.parent, self.motion.local)

    @property
    def points(self) -> Floats:
        """(F, J, 3) where each joint is."""
        return np.ascontiguousarray(self.frames[..., :3, 3])

    def rotations(self, space: str = "local") -> Floats:
        """(F, J, 3, 3) how each joint is turned: "local" against the one above it, "global" in the file's axes."""
        if space not in ("local", "global"):
            raise OptionError(f"space is {brief(space)}; it takes 'local' or 'global'")
        turns = self.motion.turns
        return turns.copy() if space == "local" else turned(self.parent, turns)

    def quat_wxyz(self, space: str = "local") -> Floats:
        """(F, J, 4) the same as unit quaternions, scalar first, with no jump of sign from frame to frame."""
        return quaternions(self.rotations(space))

    def to_dict(self) -> dict[str, Any]:
        """The motion as plain data, for JSON."""
        parents = [None if p < 0 else self.names[p] for p in self.parent.tolist()]
        return {
            "names": list(self.names),
            "parents": parents,
            "times": self.times.tolist(),
            "positions": self.motion.places.tolist(),
            "quat_wxyz": self.quat_wxyz().tolist(),
            "points": self.points.tolist(),
        }

    # -- what can be made of it ------------------------------------------------------------------

    def bones(self) -> tuple[dict[str, tuple[str | None, Floats]], Floats]:
        """What `Skeleton` takes: bone name to (parent bone, end point) at rest, and where the roots start.

        A joint at the same place as its parent has no bone; its children become children of that parent.
        """
        ends = placed(self.parent, self.joints.local[None])[0, :, :3, 3]
        size = float(np.abs(ends - ends[0]).max()) or 1.0
        roots = np.flatnonzero(self.parent < 0)
        base = ends[roots[0]]
        holder: list[str | None] = []  # the bone that ends at each joint
        bones: dict[str, tuple[str | None, Floats]] = {}
        for i, p in enumerate(self.parent.tolist()):
            start, above = (base, None) if p < 0 else (ends[p], holder[p])
            if math.dist(ends[i], start) <= 1e-9 * size:
                holder.append(above)
                continue
            bones[self.names[i]] = (above, ends[i])
            holder.append(self.names[i])
        if not bones:
            raise ModelError("all joints stand at one place, so there are no bones")
        return bones, base

    def evenly_spaced(self) -> Clip:
        """The same motion at even times, as BVH needs it: as many frames, blended between those there are."""
        steps = np.diff(self.times)
        if len(steps) == 0 or np.ptp(steps) <= SPACING * steps.mean():
            return self
        times = np.linspace(self.times[0], self.times[-1], len(self.times))
        return replace(self, motion=blended(self.motion, self.times, times), times=times)

    def without_scales(self) -> Clip:
        """The same motion with all scales applied to the positions, as BVH needs it."""
        scales = self.motion.scales
        if np.abs(scales - 1.0).max() <= EVEN:
            return self
        if np.ptp(scales, axis=2).max() > EVEN * np.abs(scales).max():
            raise ModelError(
                "a joint is scaled by different factors along its axes, which BVH cannot hold; write .glb instead"
            )
        whole = np.ones(scales.shape[:2])
        for i, p in enumerate(self.parent.tolist()):
            whole[:, i] = scales[:, i, 0] * (whole[:, p] if p >= 0 else 1.0)
        above = np.where(self.parent >= 0, whole[:, self.parent], 1.0)
        motion = replace(self.motion, places=self.motion.places * above[..., None], scales=np.ones_like(scales))
        joints = replace(self.joints, offsets=self.joints.offsets * above[0][:, None], sizes=np.ones_like(scales[0]))
        return replace(self, joints=joints, motion=motion)

    def with_rest(self) -> Clip:
        """The rest pose of its joints, as one frame."""
        return replace(self, motion=gltf.rest_motion(self.joints, 1), times=np.zeros(1))

    def with_turns(self, turns: ArrayLike) -> Clip:
        """The same clip with other (F, J, 3, 3) local rotations."""
        new = as_floats(turns, "turns", OptionError)
        if new.shape != self.motion.turns.shape:
            raise OptionError(f"turns has shape {new.shape}; this clip takes {self.motion.turns.shape}")
        return replace(self, motion=replace(self.motion, turns=new))

    def scaled(self, factor: float) -> Clip:
        """The same motion in another unit: all lengths times a factor, as 0.01 from centimetres."""
        by = as_number(factor, "factor", OptionError)
        if not by > 0.0:
            raise OptionError(f"factor is {by:g}; it takes a positive number")
        joints = replace(self.joints, offsets=self.joints.offsets * by)
        return replace(self, joints=joints, motion=replace(self.motion, places=self.motion.places * by), source=None)

    def pin(
        self,
        tip: str,
        target: ArrayLike,
        *,
        frames: tuple[int, int] | None = None,
        blend: int = 0,
        root: str | None = None,
        pole: ArrayLike | None = None,
    ) -> Pinned:
        """Holds a joint at a point, and gives the clip that does.

        Args:
            tip: The joint to hold.
            target: (3,) where, in the clip's axes and unit; or (K, 3), one for each of the frames.
            frames: First and last frame to hold it in; all by default.
            blend: Over how many frames before the first and behind the last it comes and goes.
            root: The uppermost joint that may turn; by default the limb's: below the next joint that branches.
            pole: (3,) a point to whose side the elbow or knee bends; by default it bends as in the clip.
        """
        from forearm.bones.clips.pin import pin  # noqa: PLC0415 (which makes clips itself)

        return pin(self, tip, target, frames, blend, root, pole)

    def __repr__(self) -> str:
        """One line: joints, frames, time."""
        span = float(self.times[-1] - self.times[0])
        return f"Clip({len(self.names)} joints, {len(self)} frames in {span:.3g} s)"


def placed(parent: Sequence[int] | NDArray[np.int64], local: Floats) -> Floats:
    """(F, J, 4, 4) frames of joints from those in the joints above them; a parent stands before its children."""
    frames: Floats = local.copy()
    for i, p in enumerate(list(parent)):
        if p >= 0:
            frames[:, i] = frames[:, p] @ local[:, i]
    return frames


def turned(parent: NDArray[np.int64], turns: Floats) -> Floats:
    """(F, J, 3, 3) rotations in the file's axes from those against the joints above."""
    whole: Floats = turns.copy()
    for i, p in enumerate(parent.tolist()):
        if p >= 0:
            whole[:, i] = whole[:, p] @ turns[:, i]
    return whole


def written_ending(path: str | Path) -> str:
    """The ending of a file that a clip can be written to; any other is refused."""
    ending = Path(path).suffix.lower()
    if ending not in WRITTEN:
        raise OptionError(f"'{Path(path).name}' ends in '{ending}'; clips are written as .bvh, .gltf, .glb and .json")
    return ending
