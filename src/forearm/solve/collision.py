"""What a robot says about distances: its geometry, its clearance, whether a way is free."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from forearm.arm.geometry import Geometry, known_links
from forearm.arm.tables import Prepared
from forearm.common.checks import as_floats, as_mapping, as_number, brief
from forearm.common.types import Floats
from forearm.core.collision.swept import free_between
from forearm.errors import OptionError, counted, nearest_names
from forearm.models.model import GeometryWish, Model
from forearm.models.srdf import read_srdf
from forearm.results.solution import Clearance, Naming
from forearm.scenes.scene import as_scene
from forearm.scenes.shapes import Capsule, Sphere
from forearm.solve.collision_free import DEFAULT_SETTINGS, TRIES_AMONG, Guard, make_guard
from forearm.solve.methods.options import GeneralOptions, make_options
from forearm.solve.methods.table import find_method

# What is kept from obstacles if nothing else is asked [m].
DEFAULT_CLEARANCE = 0.01
# Between two configurations, less than this is not told apart from enough [m].
BETWEEN_TOLERANCE = 1e-4


@dataclass(frozen=True, eq=False)
class Clearances:
    """The clearances of a batch of configurations; `[i]` gives the `Clearance` of one.

    Attributes:
        distance: (N,) between the two nearest surfaces [m]; negative where they overlap.
        nearest: (N, 2) the nearest body and obstacle (or -1 - body), as the kernels number them.
        naming: What they are called.
    """

    distance: Floats
    nearest: NDArray[np.int64]
    naming: Naming

    def __len__(self) -> int:
        """How many there are."""
        return len(self.distance)

    def __getitem__(self, i: int) -> Clearance:
        """The clearance of configuration i."""
        return self.naming.name(self.distance[i], *self.nearest[i].tolist())


def guarded_settings(method: str, options: dict[str, Any], **other: Any) -> Floats:
    """The settings of a search among obstacles; refuses what does not go with it: `other` must be None."""
    if method not in ("auto", "general"):
        find_method(method)
        raise OptionError(f"method '{method}' does not look at obstacles; use {{auto}}", auto="method='auto'")
    for name, value in other.items():
        if value is not None:
            raise OptionError(f"{name} does not go with obstacles; max_tries bounds the search")
    if not options:
        return DEFAULT_SETTINGS
    return make_options(GeneralOptions, method, {"max_tries": TRIES_AMONG} | options).pack(0.0)


def guard_of(prepared: Prepared, obstacles: Any, clearance: float, self_collision: bool) -> Guard:
    """What a robot keeps away from, checked; the last one again if the same scene is asked for once more."""
    last: Guard | None = prepared.guard
    if last is not None and last.scene is obstacles and last.is_for(clearance, self_collision):
        return last
    least = as_number(clearance, "clearance", OptionError)
    if least < 0.0:
        raise OptionError(f"{{argument}} is {least:g} m; it takes a distance from 0", argument="clearance")
    if not isinstance(self_collision, bool):
        raise OptionError(f"self_collision is {brief(self_collision)}; it takes True or False")
    guard = prepared.guard = make_guard(prepared, as_scene(obstacles), least, self_collision)
    return guard


class Guarded:
    """The part of a robot that knows about distances."""

    __slots__ = ()

    model: Model
    _prepared: Prepared

    @property
    def geometry(self) -> Geometry:
        """Its capsules, and which of its links are held against each other."""
        return self._prepared.geometry

    def with_geometry(
        self,
        *,
        radius: float | None = None,
        bodies: Mapping[str, Any] | None = None,
        allow: Iterable[tuple[str, str]] = (),
        srdf: str | bytes | Path | None = None,
    ) -> Any:
        """The same robot with other geometry.

        Args:
            radius: Of capsules along its skeleton [m], instead of the shapes of its file.
            bodies: Mapping from a moving joint's name (or the base link's) to `fa.Sphere` or
                `fa.Capsule`, or a list of them, in the frame of that joint's child link; added to
                what there is: grippers, cables, parts that are carried.
            allow: Pairs of links that may touch; a link without a name of its own goes by the joint
                in front of it.
            srdf: An SRDF file or text, whose disabled pairs are allowed too.
        """
        if radius is not None and not as_number(radius, "radius", OptionError) > 0.0:
            raise OptionError(f"{{argument}} is {radius} m; it takes a positive length", argument="radius")
        pairs = [*_as_pairs(allow)]
        own = tuple(_as_bodies(bodies, self.model))
        robot = self._with_wish(GeometryWish(radius, own, tuple(pairs)))
        names = robot.geometry.names  # a wrong name in the allow-list is told here
        if srdf is None:
            return robot
        pairs += _srdf_pairs(srdf, self.model, names)
        return self._with_wish(GeometryWish(radius, own, tuple(pairs)))

    def _with_wish(self, wish: GeometryWish) -> Any:
        """The same robot with other geometry."""
        return type(self)(replace(self._prepared.model, geometry=wish))  # type: ignore[call-arg]

    def clearance(
        self, q: ArrayLike, obstacles: Any = None, *, self_collision: bool = True
    ) -> "Clearance | Clearances":
        """How near the arm comes to obstacles and to itself.

        Args:
            q: (n,) joint values, or (N, n) for a batch.
            obstacles: As for `solve`.
            self_collision: Whether the arm itself counts.

        Returns:
            `Clearance`: the distance and the closest pair; or `Clearances` for a batch.
        """
        Q = self._configurations(q)
        last: Guard | None = self._prepared.guard  # whatever clearance it is for: none is asked here
        known = last is not None and last.scene is obstacles and last.self_collision is self_collision
        guard = last if known and last is not None else guard_of(self._prepared, obstacles, 0.0, self_collision)
        if Q.ndim == 1:
            return guard.closest(Q)
        return Clearances(*guard.measure(Q), guard.naming)

    def is_free_between(
        self,
        qa: ArrayLike,
        qb: ArrayLike,
        obstacles: Any = None,
        *,
        clearance: float = DEFAULT_CLEARANCE,
        self_collision: bool = True,
    ) -> bool:
        """Whether the straight way in joint space from qa to qb keeps the clearance, at every point of it.

        No samples: every stretch is certified by how far its bodies can move at most. True means that
        nothing on the way comes nearer than the clearance less 0.1 mm.

        Args:
            qa: (n,) where the way begins.
            qb: (n,) where it ends.
            obstacles: As for `solve`.
            clearance: The least distance to keep [m].
            self_collision: Whether the arm must not touch itself.
        """
        guard = guard_of(self._prepared, obstacles, clearance, self_collision)
        geometry = guard.geometry
        ends = self._configuration(qa), self._configuration(qb)
        scene = geometry.bodies, guard.pairs, guard.scene.rows
        return bool(free_between(geometry.chain, *scene, guard.clearance, BETWEEN_TOLERANCE, *ends) >= 1.0)

    @staticmethod
    def _guard(prepared: Prepared, obstacles: Any, clearance: float, self_collision: bool | None) -> Guard | None:
        """What a call keeps away from; None if it names nothing. With obstacles, the arm counts by default."""
        if obstacles is None and (self_collision is None or self_collision is False):
            if clearance is not DEFAULT_CLEARANCE and clearance != DEFAULT_CLEARANCE:
                raise OptionError(
                    f"clearance is {brief(clearance)} and there is nothing to keep away from; "
                    "give obstacles=, or self_collision=True"
                )
            return None
        return guard_of(prepared, obstacles, clearance, True if self_collision is None else self_collision)

    def _configuration(self, q: ArrayLike) -> Floats:
        raise NotImplementedError

    def _configurations(self, q: ArrayLike) -> Floats:
        raise NotImplementedError


def _srdf_pairs(srdf: str | bytes | Path, model: Model, names: tuple[str, ...]) -> list[tuple[str, str]]:
    """The pairs of an SRDF that are about this arm's bodies; refuses one that knows none of its links.

    An SRDF is about a whole robot: pairs with links off the chain, or without a body, say nothing here.
    """
    found, known = read_srdf(srdf), known_links(model, names)
    if found and not any(name in known for pair in found for name in pair):
        raise OptionError(
            f"the SRDF has {counted(len(found), 'pair')}, but none of its links (such as '{found[0][0]}') is in "
            f"{model.name}, whose links are {', '.join(dict.fromkeys(names))}; load the arm from its URDF, or give "
            "the pairs as allow="
        )
    return [pair for pair in found if pair[0] in known and pair[1] in known]


def _as_pairs(allow: Any) -> list[tuple[str, str]]:
    """Pairs of names, checked."""
    if not isinstance(allow, Iterable) or isinstance(allow, (str, Mapping)):
        raise OptionError(f"the allow-list is {brief(allow)}; it takes pairs of link names")
    pairs = []
    for pair in allow:
        if not (isinstance(pair, (tuple, list)) and len(pair) == 2 and all(isinstance(name, str) for name in pair)):
            raise OptionError(f"the allow-list has {brief(pair)}; it takes pairs of link names")
        pairs.append((pair[0], pair[1]))
    return pairs


def _as_bodies(bodies: Any, model: Model) -> list[tuple[str, tuple[float, ...]]]:
    """Capsules by joint, checked."""
    found = []
    known = (model.base, *model.moving_names)
    for joint, given in as_mapping(bodies, "bodies", "joint name to capsules", OptionError).items():
        if joint not in known:
            raise OptionError(f"joint '{joint}' in bodies is not in {model.name}; {nearest_names(joint, known)}")
        for item in given if isinstance(given, (list, tuple)) else [given]:
            if not isinstance(item, (Sphere, Capsule)) or item.dim != 3:
                raise OptionError(f"the bodies of '{joint}' have {brief(item)}; they take fa.Sphere and fa.Capsule")
            a, b = (item.center, item.center) if isinstance(item, Sphere) else (item.a, item.b)
            found.append((joint, tuple(as_floats([*a, *b, item.radius], "a body", OptionError).tolist())))
    return found
