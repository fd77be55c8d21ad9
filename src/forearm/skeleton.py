"""A skeleton: a tree of bones with several tips."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from forearm.bones.batch import as_bone_starts, as_bone_targets, solve_many
from forearm.bones.clips.clip import Clip
from forearm.bones.clips.human import human
from forearm.bones.figure import Figure, Obstacles
from forearm.bones.methods import answer, find_method, read_problem
from forearm.bones.posing.solve import read_looks, read_poles
from forearm.bones.posing.track import ChainTrack, track_bones
from forearm.bones.problem import Asks, read_start
from forearm.bones.solution import ChainBatch, ChainSolution
from forearm.bones.targets import as_weight, has_tolerance, want
from forearm.bones.traces import BoneTrace, trace
from forearm.bones.tree import make_bones
from forearm.common.checks import as_floats, as_mapping, as_switch, brief
from forearm.common.threads import Tell
from forearm.common.types import Floats
from forearm.core.bones.codes import WANTS
from forearm.errors import ModelError, OptionError, counted, known_elsewhere, nearest_names, told_in_words
from forearm.joints import Ball, Joint

Joints = Mapping[str, Joint] | str | None


@known_elsewhere
class Skeleton(Figure):
    """Bones that branch, from a base to several tips; never changes.

    Args:
        bones: Mapping from a bone's name to (name of the bone it hangs on, its end point [m]); None instead
            of a name for bones that start at the base.
        base: (3,) or (2,) where the root bones start [m]; the origin by default.
        joints: Mapping from bone name to a joint of `fa.joints`; ball joints for those left out.
        free_base: Whether the base may move too.
    """

    __slots__ = ()

    @told_in_words
    def __init__(
        self,
        bones: Mapping[str, tuple[str | None, ArrayLike]],
        base: ArrayLike | None = None,
        *,
        joints: Mapping[str, Joint] | None = None,
        free_base: bool = False,
    ) -> None:
        given = as_mapping(bones, "bones", "bone name to (parent's name or None, end point)", ModelError)
        parents, ends = _read_bones(given)
        names = order_bones(parents)
        dim = len(ends[names[0]])
        points = np.zeros((len(names) + 1, 3))
        origin = np.zeros(dim) if base is None else as_floats(base, "base", ModelError)
        for row, (name, point) in enumerate([("base", origin), *((name, ends[name]) for name in names)]):
            if point.shape != (dim,) or dim not in (2, 3):
                raise ModelError(f"the point of '{name}' has shape {point.shape}; all take 2 numbers, or all take 3")
            points[row, :dim] = point
        places = {name: i for i, name in enumerate(names)}
        parent = [places[above] if (above := parents[name]) is not None else -1 for name in names]
        loose = as_switch(free_base, "free_base")
        self._seal(make_bones(names, parent, points, points, _joints_of(joints, names), dim, loose))

    @classmethod
    @told_in_words
    def from_bvh(
        cls, path: str | Path, *, scale: float = 1.0, joints: Joints = None, free_base: bool = False
    ) -> "Skeleton":
        """The skeleton of a BVH file in its rest pose; the bone that ends at a joint has the joint's name.

        Args:
            path: The file.
            scale: Metres per unit of the file: 0.01 for centimetres.
            joints: As for `Skeleton`; or "human" for limits by the names of human bones (rough values of adults).
            free_base: As for `Skeleton`.
        """
        return cls.from_clip(Clip.from_bvh(path).scaled(scale), joints=joints, free_base=free_base)

    @classmethod
    @told_in_words
    def from_gltf(
        cls, path: str | Path, *, scale: float = 1.0, joints: Joints = None, free_base: bool = False
    ) -> "Skeleton":
        """The skeleton of a glTF 2.0 file (.gltf or .glb) in its rest pose: the joints of its skins; as `from_bvh`."""
        return cls.from_clip(Clip.from_gltf(path).scaled(scale), joints=joints, free_base=free_base)

    @classmethod
    @told_in_words
    def from_clip(cls, clip: Clip, *, joints: Joints = None, free_base: bool = False) -> "Skeleton":
        """The skeleton of a clip in its rest pose; arguments as for `Skeleton`."""
        if not isinstance(clip, Clip):
            raise ModelError(f"clip is {brief(clip)}; it takes a Clip, as fa.Clip.read(path) gives it")
        bones, base = clip.bones()
        if isinstance(joints, str):
            if joints != "human":
                raise OptionError(f"joints is {brief(joints)}; it takes 'human', or a mapping from bone name to joint")
            joints = human(bones, base)
        return cls(bones, base, joints=joints, free_base=free_base)

    @property
    def bone_names(self) -> tuple[str, ...]:
        """Its bones, parents before children; row i + 1 of a solution's points is the end of bone i."""
        return self.bones.names

    @property
    def tips(self) -> tuple[str, ...]:
        """The bones without children."""
        inner = set(self.bones.parent.tolist())
        return tuple(name for i, name in enumerate(self.bones.names) if i not in inner)

    def solve(
        self,
        targets: Mapping[str, Any],
        *,
        pole: ArrayLike | Mapping[str, ArrayLike] | None = None,
        look_at: Mapping[str, Any] | None = None,
        weights: Mapping[str, float] | None = None,
        obstacles: Obstacles | None = None,
        clearance: float = 0.0,
        thickness: ArrayLike = 0.0,
        method: str = "fabrik",
        start: ChainSolution | ArrayLike | None = None,
        tolerance: float | None = None,
        stretch: float = 0.0,
        explain: bool = True,
        **options: Any,
    ) -> ChainSolution:
        """A pose that brings all named tips to their targets, or the weighted best found and why not.

        Args:
            targets: Mapping from bone name to a target for its end, as for `Chain.solve`. Any bone may have
                one; branches without one keep their joint values. May be empty beside `look_at`.
            weights: Mapping from bone name to how much it counts when tips disagree; 1 by default.
            method: As for `Chain.solve`.
            pole: Mapping from bone name to the point to whose side the elbow of its limb bends: of the bones up to
                the next one that branches. With one target also a point, for all bones from the base to it.
            look_at: Mapping from bone name to the point that it should point at from its end, along itself; or to
                (point, axis), the axis as it is in the rest pose.
            start: The previous solution, or (n+1, dim) points in the order of `bone_names`.
            tolerance: For bare points [m].
            stretch: As for `Chain.solve`: the bones of limbs whose tips would miss get longer.
            explain: Whether to find out why a target was missed.
            obstacles: As for `Chain.solve`, and so are the next two; all bones keep clear of them.
            clearance: Distance to keep from them [m].
            thickness: Radius of the bones [m], one number or one per bone.
            **options: Of "fabrik": refine, max_sweeps, max_steps, max_tries, max_swivel, rng_seed.
        """
        asks = self._asks(want, targets, weights, tolerance, pole, look_at, None)
        around, row = (obstacles, clearance, thickness), find_method(method, for_tree=True)
        problem = read_problem(self.bones, row, asks.wants[0], start, pole, options, around, asks, stretch)
        return answer(problem, explain)

    def trace(
        self,
        targets: Mapping[str, Any],
        *,
        weights: Mapping[str, float] | None = None,
        start: Any = None,
        sweeps: int = 100,
        tolerance: float | None = None,
    ) -> BoneTrace:
        """The points after every forward and backward reach of plain FABRIK; arguments as for `solve`."""
        wants = np.array(list(self._wants(want, targets, weights, tolerance).values()))
        return trace(self.bones, wants, *read_start(self.bones, start), sweeps)

    def solve_batch(
        self,
        targets: Mapping[str, Any],
        *,
        weights: Mapping[str, float] | None = None,
        start: Any = None,
        look_at: Mapping[str, Any] | None = None,
        pole: ArrayLike | Mapping[str, ArrayLike] | None = None,
        method: str = "fabrik",
        obstacles: Obstacles | None = None,
        clearance: float = 0.0,
        thickness: ArrayLike = 0.0,
        tolerance: float | None = None,
        stretch: float = 0.0,
        explain: bool = False,
        threads: int | None = None,
        progress: bool | Tell = False,
        **options: Any,
    ) -> ChainBatch:
        """What `solve` gives for each set of targets, with the same bits, on all processors.

        Args:
            targets: Mapping from bone name to many targets, as `Chain.solve_batch` takes them; as many for each.
            weights: As for `solve`.
            start: As for `Chain.solve_batch`.
            method: As for `solve`.
            pole: As for `solve`; points by bone are one for all, or (N, dim).
            look_at: As for `solve`; points are one for all, or (N, dim).
            tolerance: For bare points [m].
            stretch: As for `solve`.
            explain: Whether to find out why targets were missed; off by default, unlike in `solve`.
            threads: How many threads; one per processor by default.
            progress: True draws a bar on standard error; or a function of (done, total).
            obstacles: As for `solve`.
            clearance: As for `solve`.
            thickness: As for `solve`.
            **options: As for `solve`.
        """
        row = find_method(method, for_tree=True)
        asks = self._asks(as_bone_targets, targets, weights, tolerance, pole, look_at, many_of)
        starts = as_bone_starts(self.bones, start, len(asks.wants))
        first = asks.wants[0] if len(asks.wants) else np.zeros(asks.wants.shape[1:])
        around, given = (obstacles, clearance, thickness), None if start is None else starts[0]
        problem = read_problem(self.bones, row, first, given, pole, options, around, asks, stretch)
        asks = asks if len(problem.poles) == asks.poles.shape[1] else problem.all_asks(asks.wants)
        return solve_many(problem, asks, starts, explain, threads, progress)

    def track(
        self,
        targets: Mapping[str, Any],
        *,
        max_turn: float = 0.5,
        weights: Mapping[str, float] | None = None,
        pole: ArrayLike | Mapping[str, ArrayLike] | None = None,
        look_at: Mapping[str, Any] | None = None,
        start: ChainSolution | ArrayLike | None = None,
        method: str = "fabrik",
        tolerance: float | None = None,
        stretch: float = 0.0,
        obstacles: Obstacles | None = None,
        clearance: float = 0.0,
        thickness: ArrayLike = 0.0,
        explain: bool = False,
        **options: Any,
    ) -> ChainTrack:
        """The poses of targets frame by frame, each near the last: as `Chain.track`; arguments as for `solve_batch`."""
        row = find_method(method, for_tree=True)
        asks = self._asks(as_bone_targets, targets, weights, tolerance, pole, look_at, many_of)
        first = asks.wants[0] if len(asks.wants) else np.zeros(asks.wants.shape[1:])
        around = (obstacles, clearance, thickness)
        problem = read_problem(self.bones, row, first, start, pole, options, around, asks, stretch)
        return track_bones(problem, asks, max_turn, explain)

    def _asks(
        self,
        read: Callable[..., Floats],
        targets: Any,
        weights: Any,
        tolerance: float | None,
        pole: Any,
        look_at: Any,
        count: Callable[..., int] | None,
    ) -> Asks:
        """What the tips, looks and poles of one solve are, or with a `count` of many."""
        if not targets and look_at:
            rows: dict[str, Floats] = {}
            number = count(look_at) if count else 1
            wants = np.empty((number, 0, WANTS))
        else:
            rows = self._wants(read, targets, weights, tolerance)
            counts = {tip: len(many) for tip, many in rows.items()} if count else {}
            if len(set(counts.values())) > 1:
                raise OptionError(f"targets has {counts}; each bone takes as many as the others")
            wants = np.ascontiguousarray(np.stack(list(rows.values()), axis=-2))
            wants = wants if count else wants[None]
        many = len(wants) if count else None
        return Asks(wants, read_looks(self.bones, look_at, many), read_poles(self.bones, pole, list(rows), many))

    def _wants(
        self, read: Callable[..., Floats], targets: Any, weights: Any, tolerance: float | None
    ) -> dict[str, Floats]:
        """What the tips should do by bone, each as `read` makes it of a target, or of many."""
        given = as_mapping(targets, "targets", "bone name to target", OptionError)
        if not given:
            raise OptionError(f"targets names no bone; the tips are: {', '.join(self.tips)}")
        heavy = as_mapping(weights, "weights", "bone name to weight", OptionError)
        for name in heavy:
            if name not in given:
                raise OptionError(f"weights names '{name}', which has no target; {nearest_names(name, given)}")
            heavy[name] = as_weight(heavy[name], name)
        bones = self.bones
        points = [name for name, target in given.items() if not has_tolerance(target)]
        near = {name: tolerance if name in points or not points else None for name in given}
        return {
            name: read(bones, bones.index(name), target, heavy.get(name, 1.0), near[name])
            for name, target in given.items()
        }

    def __repr__(self) -> str:
        """One line: bones and tips."""
        return f"Skeleton({counted(self.n, 'bone')}, tips: {', '.join(self.tips)})"


def many_of(look_at: Mapping[str, Any]) -> int:
    """How many looks are asked for where nothing else is."""
    points = [value[0] if isinstance(value, tuple) and np.ndim(value[0]) else value for value in look_at.values()]
    return max((len(point) for point in points if np.ndim(point) == 2), default=1)


def _read_bones(given: dict[Any, Any]) -> tuple[dict[str, str | None], dict[str, Floats]]:
    """The parent and the end point of each bone by name."""
    if not given:
        raise ModelError("bones is empty; a skeleton has one bone at least")
    parents: dict[str, str | None] = {}
    ends: dict[str, Floats] = {}
    for name, value in given.items():
        if not isinstance(name, str) or not (isinstance(value, (tuple, list)) and len(value) == 2):
            raise ModelError(f"bone {name!r} is {brief(value)}; it takes (parent's name or None, end point)")
        parents[name], ends[name] = value[0], as_floats(value[1], f"the end of bone '{name}'", ModelError)
        if ends[name].ndim != 1:
            raise ModelError(f"the end of bone '{name}' has shape {ends[name].shape}; it takes 2 or 3 numbers")
    for name, above in parents.items():
        if above is not None and above not in parents:
            raise ModelError(f"bone '{name}' hangs on '{above}', which is no bone; {nearest_names(above, parents)}")
    return parents, ends


def order_bones(parents: Mapping[str, str | None]) -> list[str]:
    """The bones, each behind the one it hangs on; refuses loops."""
    order: list[str] = []
    placed: set[str | None] = {None}
    for name in parents:
        way: dict[str, None] = {}  # in order
        at: str | None = name
        while at not in placed and at is not None:
            if at in way:
                loop = " -> ".join([*list(way)[list(way).index(at) :], at])
                raise ModelError(
                    f"bones form a loop: {loop}; a skeleton is a tree, so let one of them start at the base"
                )
            way[at] = None
            at = parents[at]
        order += reversed(way.keys())
        placed.update(way)
    return order


def _joints_of(joints: Mapping[str, Joint] | None, names: list[str]) -> list[Joint]:
    """One joint per bone."""
    given = as_mapping(joints, "joints", "bone name to joint", ModelError)
    known = set(names)
    for name, joint in given.items():
        if name not in known:
            raise ModelError(f"joints names '{name}', which is no bone; {nearest_names(name, names)}")
        if not isinstance(joint, Joint):
            raise ModelError(f"the joint of '{name}' is {joint!r}; it takes one of fa.joints: Ball, Cone, Hinge, Fixed")
    return [given.get(name, Ball()) for name in names]
