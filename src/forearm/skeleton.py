"""A skeleton: a tree of bones with several tips."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from forearm.bones.batch import BoneJob, as_bone_starts, as_bone_targets, solve_many
from forearm.bones.batch_solution import ChainBatch
from forearm.bones.fabrik import (
    DEFAULT_SWIVEL,
    NO_POLE,
    Request,
    find_method,
    pack_settings,
    read_pole,
    read_start,
    solve,
)
from forearm.bones.solution import ChainSolution
from forearm.bones.targets import as_weight, target_of, want
from forearm.bones.traces import BoneTrace, trace
from forearm.bones.tree import Bones, as_switch, make_bones
from forearm.common.checks import as_floats, as_mapping, brief
from forearm.common.threads import Tell
from forearm.common.types import Floats
from forearm.errors import ModelError, OptionError, counted, nearest_names
from forearm.joints import Ball, Joint


class Skeleton:
    """Bones that branch, from a base to several tips; never changes.

    Args:
        bones: Mapping from a bone's name to (name of the bone it hangs on, its end point [m]); None instead
            of a name for bones that start at the base.
        base: (3,) or (2,) where the root bones start [m]; the origin by default.
        joints: Mapping from bone name to a joint of `fa.joints`; ball joints for those left out.
        free_base: Whether the base may move too.
    """

    __slots__ = ("bones",)

    bones: Bones

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
        made = make_bones(
            names, parent, points, points, _joints_of(joints, names), dim, as_switch(free_base, "free_base")
        )
        object.__setattr__(self, "bones", made)

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuses: a skeleton never changes."""
        raise AttributeError(f"a Skeleton cannot be changed (tried to set '{name}'); make another one instead")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles as its bones."""
        return _from_bones, (self.bones,)

    @property
    def n(self) -> int:
        """How many bones it has."""
        return self.bones.n

    @property
    def bone_names(self) -> tuple[str, ...]:
        """Its bones, each behind the one it hangs on; row i + 1 of a solution's points is the end of bone i."""
        return self.bones.names

    @property
    def tips(self) -> tuple[str, ...]:
        """The bones nothing hangs on."""
        inner = set(self.bones.parent.tolist())
        return tuple(name for i, name in enumerate(self.bones.names) if i not in inner)

    @property
    def points(self) -> Floats:
        """(n+1, dim) the base, then each bone's end as it was built [m]."""
        points: Floats = self.bones.start[:, : self.bones.dim].copy()
        return points

    def solve(
        self,
        targets: Mapping[str, Any],
        *,
        weights: Mapping[str, float] | None = None,
        method: str = "fabrik",
        pole: ArrayLike | None = None,
        start: ChainSolution | ArrayLike | None = None,
        refine: bool = True,
        tolerance: float | None = None,
        max_sweeps: int | None = None,
        max_steps: int | None = None,
        max_tries: int | None = None,
        max_swivel: float = DEFAULT_SWIVEL,
        rng_seed: int = 0,
        explain: bool = True,
    ) -> ChainSolution:
        """A pose that brings all named tips to their targets, or the weighted best found and why not.

        Args:
            targets: Mapping from bone name to a target for its end, as for `Chain.solve`. Any bone may have
                one; branches without one keep their joint values.
            weights: Mapping from bone name to how much it counts when tips disagree; 1 by default.
            method: As for `Chain.solve`, and so are all below.
            pole: Only with one target.
            start: The previous solution, or (n+1, dim) points in the order of `bone_names`.
            refine: Whether Gauss-Newton finishes.
            tolerance: For bare points [m].
            max_sweeps: Sweeps of FABRIK at most.
            max_steps: Steps of the refiner at most, in each try.
            max_tries: Starts at most.
            max_swivel: For the pole [rad].
            rng_seed: Seed of the further starts.
            explain: Whether to find out why a target was missed.
        """
        bones = self.bones
        wants = self._wants(targets, weights, tolerance)
        budgets = (max_sweeps, max_steps, max_tries)
        settings = pack_settings(bones, refine, *budgets, rng_seed, max_swivel, start is not None, len(wants))
        points, q = read_start(bones, start)
        return solve(method, Request(bones, wants, settings, read_pole(bones, pole, wants), points, q), explain)

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
        wants = self._wants(targets, weights, tolerance)
        return trace(self.bones, wants, *read_start(self.bones, start), sweeps)

    def solve_batch(
        self,
        targets: Mapping[str, Any],
        *,
        weights: Mapping[str, float] | None = None,
        start: Any = None,
        method: str = "fabrik",
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
            tolerance: For bare points [m].
            explain: Whether to find out why targets were missed; off by default, unlike in `solve`.
            threads: How many threads; one per processor by default.
            progress: True draws a bar on standard error; or a function of (done, total).
            **options: What else `solve` takes: refine, max_sweeps, max_steps, max_tries, rng_seed.
        """
        bones, name = self.bones, find_method(method).name
        given, heavy = self._named(targets, weights)
        rows = {
            tip: as_bone_targets(bones, bones.index(tip), many, tolerance, heavy.get(tip, 1.0))
            for tip, many in given.items()
        }
        counts = {tip: len(many) for tip, many in rows.items()}
        if len(set(counts.values())) != 1:
            raise OptionError(f"targets has {counts}; each bone takes as many as the others")
        wants = np.ascontiguousarray(np.stack(list(rows.values()), axis=1))
        starts = as_bone_starts(bones, start, len(wants))
        how = {"weights": weights, "tolerance": tolerance, "method": name} | options

        def single(i: int, words: bool) -> ChainSolution:
            own = starts[0 if len(starts) == 1 else i]
            each = {tip: target_of(bones, many[i]) for tip, many in rows.items()}
            return self.solve(each, start=own, explain=words, **how)

        sweeps, steps, tries = (options.pop(key, None) for key in ("max_sweeps", "max_steps", "max_tries"))
        chosen = (options.pop("refine", True), sweeps, steps, tries, options.pop("rng_seed", 0))
        if options:
            raise OptionError(f"solve_batch of a skeleton has no option '{next(iter(options))}'")
        settings = pack_settings(bones, *chosen, DEFAULT_SWIVEL, start is not None, wants.shape[1])
        return solve_many(BoneJob(bones, name, wants, starts, settings, NO_POLE, single, explain), threads, progress)

    def _named(self, targets: Any, weights: Any) -> tuple[dict[Any, Any], dict[Any, Any]]:
        """Targets and weights by bone, every weight of a bone that has a target."""
        given = as_mapping(targets, "targets", "bone name to target", OptionError)
        if not given:
            raise OptionError(f"targets names no bone; the tips are: {', '.join(self.tips)}")
        heavy = as_mapping(weights, "weights", "bone name to weight", OptionError)
        for name in heavy:
            if name not in given:
                raise OptionError(f"weights names '{name}', which has no target; {nearest_names(name, given)}")
            heavy[name] = as_weight(heavy[name], name)
        return given, heavy

    def _wants(self, targets: Any, weights: Any, tolerance: float | None) -> Floats:
        """(K, 23) what the tips shall do."""
        given, heavy = self._named(targets, weights)
        rows = [
            want(self.bones, self.bones.index(name), target, heavy.get(name, 1.0), tolerance)
            for name, target in given.items()
        ]
        return np.array(rows)

    def _repr_html_(self) -> str:
        """Its bones and its pose, as a notebook shows it."""
        from forearm.results.html import chain_html  # noqa: PLC0415 (only a notebook asks)

        return chain_html(self)

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
        way: list[str] = []
        at: str | None = name
        while at not in placed and at is not None:
            if at in way:
                loop = " -> ".join([*way[way.index(at) :], at])
                raise ModelError(
                    f"bones form a loop: {loop}; a skeleton is a tree, so let one of them start at the base"
                )
            way.append(at)
            at = parents[at]
        order += reversed(way)
        placed.update(way)
    return order


def _joints_of(joints: Mapping[str, Joint] | None, names: list[str]) -> list[Joint]:
    """One joint per bone."""
    given = as_mapping(joints, "joints", "bone name to joint", ModelError)
    for name, joint in given.items():
        if name not in names:
            raise ModelError(f"joints names '{name}', which is no bone; {nearest_names(name, names)}")
        if not isinstance(joint, Joint):
            raise ModelError(f"the joint of '{name}' is {joint!r}; it takes one of fa.joints: Ball, Cone, Hinge, Fixed")
    return [given.get(name, Ball()) for name in names]


def _from_bones(bones: Bones) -> Skeleton:
    skeleton = object.__new__(Skeleton)
    object.__setattr__(skeleton, "bones", bones)
    return skeleton
