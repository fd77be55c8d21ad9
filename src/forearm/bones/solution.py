"""What comes back from solving a chain or skeleton, one target or many: points, measured errors, why not."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from forearm.bones.tree import Bones
from forearm.common.checks import brief
from forearm.common.transforms import quaternions
from forearm.common.types import Floats
from forearm.core.bones.codes import POLE_ANGLE, SWEEPS
from forearm.core.codes import ITERATIONS, REPORT
from forearm.core.collision.obstacle_rows import HEIGHT, HOW, LEAP, LINK, LONG_REPORT, OBSTACLE, RESIDUAL, STAGE, TURNED
from forearm.errors import OptionError, known_elsewhere
from forearm.results.batch import ManyMeasured, summarise
from forearm.results.solution import Measured, Status

if TYPE_CHECKING:
    from forearm.bones.clips.clip import Clip

# how Bezier poses come about, in the order of the codes in `core/bezier/frame.py`
HOW_WORDS = ("straight", "curve", "arc", "folded", "repaired", "failed", "followed")


@known_elsewhere
@dataclass(eq=False, repr=False, slots=True)  # not frozen: that triples the cost of making one
class ChainSolution(Measured):
    """The pose of a chain or skeleton, rebuilt bone by bone from its base and measured on that.

    Attributes:
        points3: (n+1, 3) the base, then each bone's end [m]; z is 0 in a plane.
        status: How it ended.
        method: The method that was used.
        report: What the kernel measured; the properties below read it.
        bones: The tree that was solved.
        explanation: The sentence for a failure; empty when solved.
        clearance: Distance to the nearest obstacle [m]; None if there were none.
        frame: (6,) of a Bezier pose: unit vectors to its target and to the side it bends to.
        stretch: (n,) how long each bone is, 1 at its own length; None if none had to be longer.
    """

    points3: Floats
    status: Status
    method: str
    report: Floats
    bones: Bones
    explanation: str = ""
    clearance: float | None = None
    _values: Floats | None = None
    _near: Floats | None = None
    frame: Floats | None = None
    stretch: Floats | None = None

    @property
    def points(self) -> Floats:
        """(n+1, dim) the base, then each bone's end [m]."""
        points: Floats = self.points3[:, : self.bones.dim]
        return points

    @property
    def joint_values(self) -> Floats:
        """(n, 3) swing about y and z and twist about x of each joint, or a hinge's angle [rad]."""
        if self._values is None:
            near = self.bones.q if self._near is None else self._near
            self._values = self.bones.values_of(self.points3, near)
        return self._values

    @property
    def frames(self) -> Floats:
        """(n, 3, 3) each bone's frame in the base frame, x along the bone, carried along from the start."""
        frames: Floats = self.bones.pose_of(self.joint_values, self.points3[0])[0]
        return frames

    def rotations(self, space: str = "local") -> Floats:
        """(n, 3, 3) how each bone is turned from its rest pose: "local" against its parent, or "global".

        A bone that nothing twists is swung straight from rest to where it points, in the frame of the bone it hangs on;
        going on from a `start` the twist is carried along, so it does not jump from frame to frame.
        """
        return np.asarray(turns_from_rest(self.bones, self.frames[None], space)[0])

    def quat_wxyz(self, space: str = "local") -> Floats:
        """(n, 4) the same rotations as unit quaternions, scalar first."""
        return np.asarray(quaternions(self.rotations(space)[None])[0])

    def __getitem__(self, bone: str) -> Floats:
        """(dim,) the end of a bone by name [m]."""
        end: Floats = self.points[self.bones.index(bone) + 1]
        return end

    @property
    def sweeps(self) -> int:
        """Sweeps of FABRIK, each forward and backward, before refinement."""
        return int(self.report[SWEEPS])

    @property
    def iterations(self) -> int:
        """Sweeps and steps of the refiner together, over all tries."""
        return int(self.report[ITERATIONS]) + self.sweeps

    @property
    def pole_angle(self) -> float:
        """Angle about the base-tip line from the elbow to the pole that is left [rad]; 0 without a pole."""
        return float(self.report[POLE_ANGLE])

    @property
    def obstacle(self) -> int | None:
        """The number of the nearest obstacle in the order they were given; None without any."""
        return self._nearest(OBSTACLE)

    @property
    def link(self) -> int | None:
        """The link that is nearest to an obstacle, counted from 0 at the base; None without obstacles."""
        return self._nearest(LINK)

    @property
    def how(self) -> str:
        """How a Bezier pose came about: straight, curve, arc, folded, repaired or followed; else empty."""
        if len(self.report) < LONG_REPORT or self.method != "bezier":
            return ""
        if self.report[STAGE] >= 4:
            return "repaired"
        return HOW_WORDS[int(self.report[HOW])]

    @property
    def turned(self) -> float:
        """The largest turn of a link from the pose in `start` [rad]; 0 without one or where none was noted."""
        return self._noted(TURNED)

    @property
    def jump(self) -> str:
        """Why the pose leaps away from the one in `start`, in a sentence; empty if it does not."""
        if not self._noted(LEAP):
            return ""
        near = "the target moved farther than the last pose could follow"
        if self.clearance is not None:
            near = "no pose near the last one keeps clear of the obstacles"
        return f"a link turned by {self.turned:.3g} rad: {near}"

    @property
    def residual(self) -> float:
        """By how much the last link misses its length in mode="paper" [m]; 0 elsewhere."""
        return self._noted(RESIDUAL)

    @property
    def height(self) -> float:
        """How far P1 stands from the base toward the chain's initial tip in mode="paper" [m]; 0 elsewhere."""
        return self._noted(HEIGHT)

    def _noted(self, place: int) -> float:
        """What the longer report of curves and obstacles says; 0 in a short one."""
        return float(self.report[place]) if len(self.report) == LONG_REPORT else 0.0

    def _nearest(self, place: int) -> int | None:
        return None if self.clearance is None or self._noted(place) < 0 else int(self._noted(place))

    def to_dict(self) -> dict[str, Any]:
        """The solution as plain data, for JSON."""
        spent = {"sweeps": self.sweeps, "iterations": self.iterations}
        near = {"clearance": self.clearance, "obstacle": self.obstacle, "link": self.link}
        tree = {
            "names": list(self.bones.names),
            "parents": self.bones.parent_names,
            "quat_wxyz": self.quat_wxyz().tolist(),
            "stretch": None if self.stretch is None else self.stretch.tolist(),
        }
        return self._as_data({"points": self.points.tolist()}, spent) | near | tree

    def _repr_html_(self) -> str:
        """The verdict, the numbers and the pose, as a notebook shows it."""
        from forearm.results.html import chain_solution_html  # noqa: PLC0415 (only a notebook asks)

        return chain_solution_html(self)

    def __repr__(self) -> str:
        """Two short lines: the verdict and the reason."""
        return f"ChainSolution({self.status} by {self.method}, {self.iterations} iterations)\n  {self.reason}"


@dataclass(frozen=True, eq=False, repr=False)
class ChainBatch(ManyMeasured):
    """The poses for many targets as arrays, row i for target i; `batch[i]` is a `ChainSolution`.

    Attributes:
        points3: (N, n+1, 3) the base, then each bone's end [m]; z is 0 in a plane.
        status: (N,) how each ended, as a place in `STATUSES` (`BatchSolution` lists them).
        method: The method that was used.
        report: (N, 8 or 17) what the kernels measured.
        bones: The tree that was solved.
        values: (N, n, 3) joint values where the method gives them, else NaN.
        near: (N, n, 3) joint values of the starts where values are read from points, else NaN.
        frames: (N, 6) of Bezier poses (`ChainSolution.frame`), else NaN.
        clearance: (N,) distance to the nearest obstacle [m]; NaN if there were none.
        stretch: (N, n) how long each bone is, 1 at its own length.
        explanations: The sentences of those failures that were explained, by place.
    """

    points3: Floats
    status: NDArray[np.int8]
    method: str
    report: Floats
    bones: Bones
    values: Floats
    near: Floats
    frames: Floats
    clearance: Floats
    stretch: Floats
    explanations: dict[int, str] = field(default_factory=dict)

    @property
    def points(self) -> Floats:
        """(N, n+1, dim) the base, then each bone's end [m]."""
        points: Floats = self.points3[:, :, : self.bones.dim]
        return points

    @property
    def iterations(self) -> NDArray[np.int64]:
        """(N,) sweeps and steps of the refiner together."""
        return (self.report[:, ITERATIONS] + self.report[:, SWEEPS]).astype(np.int64)

    def rotations(self, space: str = "local") -> Floats:
        """(N, n, 3, 3) how each bone is turned from its rest pose, as `ChainSolution.rotations` gives it."""
        return turns_from_rest(self.bones, np.array([solution.frames for solution in self]), space)

    def quat_wxyz(self, space: str = "local") -> Floats:
        """(N, n, 4) the same as unit quaternions, scalar first, with no jump of sign from row to row."""
        return quaternions(self.rotations(space))

    def to_clip(self, fps: float = 24.0, *, up: str = "z") -> "Clip":
        """The poses, frame by frame, as a `Clip`: its `write` makes BVH, glTF and JSON for three.js of them.

        Lengths are metres. The end of a bone is a joint with the bone's name.

        Args:
            fps: Frames a second.
            up: "z" leaves the axes as they are; "y" makes y of what was z, as programs expect it of BVH and glTF.
        """
        from forearm.bones.clips.from_bones import clip_of  # noqa: PLC0415 (it imports this module)

        return clip_of(self, fps, up)

    @overload
    def __getitem__(self, place: int) -> ChainSolution: ...
    @overload
    def __getitem__(self, place: Any) -> "ChainBatch": ...
    def __getitem__(self, place: Any) -> "ChainSolution | ChainBatch":
        """The solution of one target, or the batch of those that a slice, mask or list picks."""
        if not isinstance(place, (int, np.integer)):
            rows, kept = self._picked(place)
            answer = (self.points3[rows], self.status[rows], self.method, self.report[rows], self.bones)
            more = (self.values[rows], self.near[rows], self.frames[rows], self.clearance[rows], self.stretch[rows])
            return ChainBatch(*answer, *more, kept)
        i = range(len(self))[place]
        status, sentence = self._ended(i)
        gap = None if np.isnan(self.clearance[i]) else float(self.clearance[i])
        made = (self.points3[i].copy(), status, self.method, self.report[i].copy(), self.bones, sentence, gap)
        longer = self.stretch[i].copy() if (self.stretch[i] != 1.0).any() else None
        return ChainSolution(*made, known(self.values[i]), known(self.near[i]), known(self.frames[i]), longer)

    def __iter__(self) -> Iterator[ChainSolution]:
        """The solutions one by one, each made when it is asked for."""
        return (self[i] for i in range(len(self)))

    def summary(self) -> str:
        """What became of the targets, in a line or two."""
        return summarise(self.status, self.method, self.position_error, self.rotation_error)

    def __repr__(self) -> str:
        """The summary."""
        return f"ChainBatch({self.summary()})".replace("\n", "; ")


def turns_from_rest(bones: Bones, frames: Floats, space: str) -> Floats:
    """(N, n, 3, 3) rotations of bones from their rest pose, of their frames (N, n, 3, 3)."""
    rest = bones.pose_of(np.zeros((bones.n, 3)), bones.start[0])[0]
    whole: Floats = frames @ np.swapaxes(rest, -1, -2)
    if space == "global":
        return whole
    if space != "local":
        raise OptionError(f"space is {brief(space)}; it takes 'local' or 'global'")
    own: Floats = whole.copy()
    inner = bones.parent >= 0
    own[:, inner] = np.swapaxes(whole[:, bones.parent[inner]], -1, -2) @ whole[:, inner]
    return own


def known(row: Floats) -> Floats | None:
    """A copy of a row, or None where it holds no numbers."""
    return None if np.isnan(row.flat[0]) else row.copy()


def empty_batch(bones: Bones, count: int, method: str, columns: int = REPORT) -> ChainBatch:
    """A batch to write answers into."""
    n = bones.n
    values, near, frames = np.full((count, n, 3), np.nan), np.full((count, n, 3), np.nan), np.full((count, 6), np.nan)
    points, codes = np.empty((count, n + 1, 3)), np.empty(count, np.int8)
    return ChainBatch(
        points,
        codes,
        method,
        np.zeros((count, columns)),
        bones,
        values,
        near,
        frames,
        np.full(count, np.nan),
        np.ones((count, n)),
    )
