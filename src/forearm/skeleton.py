"""A skeleton: a tree of bones with several tips."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from forearm.bones.batch import as_bone_starts, as_bone_targets, solve_many
from forearm.bones.clips.clip import Clip
from forearm.bones.clips.human import human
from forearm.bones.figure import Figure
from forearm.bones.methods import answer, find_method, read_problem
from forearm.bones.problem import read_start
from forearm.bones.solution import ChainBatch, ChainSolution
from forearm.bones.targets import as_weight, has_tolerance, want
from forearm.bones.traces import BoneTrace, trace
from forearm.bones.tree import make_bones
from forearm.common.checks import as_floats, as_mapping, as_switch, brief
from forearm.common.threads import Tell
from forearm.common.types import Floats
from forearm.errors import ModelError, OptionError, counted, nearest_names
from forearm.joints import Ball, Joint

Joints = Mapping[str, Joint] | str | None


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
    def from_gltf(
        cls, path: str | Path, *, scale: float = 1.0, joints: Joints = None, free_base: bool = False
    ) -> "Skeleton":
        """The skeleton of a glTF 2.0 file (.gltf or .glb) in its rest pose: the joints of its skins; as `from_bvh`."""
        return cls.from_clip(Clip.from_gltf(path).scaled(scale), joints=joints, free_base=free_base)

    @classmethod
    def from_clip(cls, clip: Clip, *, joints: Joints = None, free_base: bool = False) -> "Skeleton":
        """The skeleton of a clip in its rest pose; arguments as for `Skeleton`."""
        bones, base = clip.bones()
        if isinstance(joints, str):
            if joints != "human":
                raise OptionError(f"joints is {brief(joints)}; it takes 'human', or a mapping from bone name to joint")
            joints = human(bones, base)
        return cls(bones, base, joints=joints, free_base=free_base)

    @property
    def bone_names(self) -> tuple[str, ...]:
        """Its bones, each behind the one it hangs on; row i + 1 of a solution's points is the end of bone i."""
        return self.bones.names

    @property
    def tips(self) -> tuple[str, ...]:
        """The bones nothing hangs on."""
        inner = set(self.bones.parent.tolist())
        return tuple(name for i, name in enumerate(self.bones.names) if i not in inner)

    def solve(
        self,
        targets: Mapping[str, Any],
        *,
        weights: Mapping[str, float] | None = None,
        method: str = "fabrik",
        pole: ArrayLike | None = None,
        start: ChainSolution | ArrayLike | None = None,
        tolerance: float | None = None,
        explain: bool = True,
        **options: Any,
    ) -> ChainSolution:
        """A pose that brings all named tips to their targets, or the weighted best found and why not.

        Args:
            targets: Mapping from bone name to a target for its end, as for `Chain.solve`. Any bone may have
                one; branches without one keep their joint values.
            weights: Mapping from bone name to how much it counts when tips disagree; 1 by default.
            method: As for `Chain.solve`, and so are all below.
            pole: Only with one target.
            start: The previous solution, or (n+1, dim) points in the order of `bone_names`.
            tolerance: For bare points [m].
            explain: Whether to find out why a target was missed.
            **options: Of "fabrik": refine, max_sweeps, max_steps, max_tries, max_swivel, rng_seed.
        """
        wants = np.array(list(self._wants(want, targets, weights, tolerance).values()))
        problem = read_problem(self.bones, find_method(method, for_tree=True), wants, start, pole, options)
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
        method: str = "fabrik",
        pole: ArrayLike | None = None,
        tolerance: float | None = None,
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
            pole: As for `solve`, one for all.
            tolerance: For bare points [m].
            explain: Whether to find out why targets were missed; off by default, unlike in `solve`.
            threads: How many threads; one per processor by default.
            progress: True draws a bar on standard error; or a function of (done, total).
            **options: As for `solve`.
        """
        bones, row = self.bones, find_method(method, for_tree=True)
        rows = self._wants(as_bone_targets, targets, weights, tolerance)
        counts = {tip: len(many) for tip, many in rows.items()}
        if len(set(counts.values())) != 1:
            raise OptionError(f"targets has {counts}; each bone takes as many as the others")
        wants = np.ascontiguousarray(np.stack(list(rows.values()), axis=1))
        starts = as_bone_starts(bones, start, len(wants))
        first = wants[0] if len(wants) else np.zeros(wants.shape[1:])
        problem = read_problem(bones, row, first, None if start is None else starts[0], pole, options)
        return solve_many(problem, wants, starts, explain, threads, progress)

    def _wants(
        self, read: Callable[..., Floats], targets: Any, weights: Any, tolerance: float | None
    ) -> dict[str, Floats]:
        """What the tips shall do by bone, each as `read` makes it of a target, or of many."""
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
