"""The robot with several tips that a user holds: two arms, a humanoid, an arm on a driving base."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from forearm.arm.configurations import MAX_SAMPLES
from forearm.common.checks import as_mapping, as_whole, brief
from forearm.common.defaults import DEFAULT_CLEARANCE
from forearm.errors import Elsewhere, ModelError, OptionError, known_elsewhere, told_in_words
from forearm.goals.goal import Goal, Wish
from forearm.models.cut import cut
from forearm.robot import Robot
from forearm.trees.body import Body, body_of
from forearm.trees.measure import centre_of_mass, link_pose
from forearm.trees.pack import check_masses
from forearm.trees.stack import Stack, as_base, as_start

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from forearm.common.types import Floats
    from forearm.models.cut import Dirs, Limits, Source
    from forearm.models.mechanism import Mechanism
    from forearm.results.solution import Clearance
    from forearm.results.tree import TreeSolution

MAX_SEED = 2**31 - 1  # kernels hold it as a number with 53 bits, and add to it


@known_elsewhere
class Tree:
    """A robot with several tips; immutable and safe to share between threads.

    Lengths are metres, angles radians; poses are in the world, in which a base that does not float stands at the
    origin. Its base may be "fixed", drive on the floor ("planar": joints `base/x`, `base/y`, `base/yaw`), slide along x
    ("rail": `base/x`), or float ("free": a pose of its own in every answer).

    Args:
        body: The robot as rows of joints, made by one of the loaders.
        limits: Limits by joint name that replaced those of the file.
    """

    __slots__ = ("_limits", "body")
    if not TYPE_CHECKING:  # these are a stack's
        track, servo, solve_batch = (
            Elsewhere(name, f"make a stack of goals, which has it: tree.stack(goals).{name}(...)")
            for name in ("track", "servo", "solve_batch")
        )

    body: Body
    _limits: Limits

    def __init__(self, body: Body, limits: Limits = None) -> None:
        if not isinstance(body, Body):
            raise ModelError(
                f"Tree takes a body, not {brief(body)}; loaders make trees: Tree.from_urdf(path), from_xacro, from_mjcf"
            )
        object.__setattr__(self, "body", body)
        object.__setattr__(self, "_limits", limits)

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuses: a tree never changes."""
        raise AttributeError(f"a Tree cannot be changed (tried to set '{name}'); make another one instead")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles as its body."""
        return Tree, (self.body, self._limits)

    # -- where it comes from ---------------------------------------------------------------------

    @classmethod
    @told_in_words
    def from_urdf(
        cls,
        source: Source,
        *,
        base: str = "fixed",
        joints: Iterable[str] | None = None,
        root: str | None = None,
        limits: Limits = None,
        folders: Dirs = (),
    ) -> Tree:
        """A tree from a URDF file or text.

        Args:
            source: Path of the file, or the XML itself.
            base: "fixed", "planar", "free" or "rail".
            joints: Names of the joints that move; all by default. The others stand at 0, or at the limit nearest to it.
            root: The link it stands on; the file's root by default.
            limits: Limits by joint name that replace those of the file, those of a base that drives too.
            folders: Further folders from which its meshes may be read.
        """
        from forearm.common.folders import folders_of  # noqa: PLC0415 (readers load when they are asked for)
        from forearm.models.urdf import read_urdf  # noqa: PLC0415
        from forearm.models.xml import file_of, read_text  # noqa: PLC0415

        data, where = read_text(source, "URDF")
        mechanism = read_urdf(data, where, folders_of(file_of(source), folders), f"read from {where}")
        return cls(body_of(mechanism, base, joints, limits, root), limits)

    @classmethod
    @told_in_words
    def from_xacro(
        cls,
        source: str | Path,
        *,
        base: str = "fixed",
        joints: Iterable[str] | None = None,
        root: str | None = None,
        limits: Limits = None,
        args: Mapping[str, str] | None = None,
        folders: Dirs = (),
    ) -> Tree:
        """A tree from a xacro file; `args` are the values of its arguments, the rest is as for `from_urdf`."""
        from forearm.models.xacro import read_xacro  # noqa: PLC0415 (readers load when they are asked for)

        given = as_mapping(args, "args", "argument name to value", ModelError)
        return cls(body_of(read_xacro(source, given, folders), base, joints, limits, root), limits)

    @classmethod
    @told_in_words
    def from_mjcf(
        cls,
        source: Source,
        *,
        base: str = "fixed",
        joints: Iterable[str] | None = None,
        root: str | None = None,
        limits: Limits = None,
        folders: Dirs = (),
    ) -> Tree:
        """A tree from a MuJoCo model (extra `mjcf`); a free joint of its root is the base's own with `base="free"`."""
        from forearm.models.mjcf import check_bodies, read_mjcf  # noqa: PLC0415 (readers load when they are asked for)

        mechanism = check_bodies(read_mjcf(source, folders))
        return cls(body_of(mechanism, base, joints, limits, root), limits)

    @told_in_words
    def with_geometry(self, *, allow: Iterable[tuple[str, str]] = (), srdf: Source | None = None) -> Tree:
        """The same robot with further pairs of links that may touch each other.

        Args:
            allow: Pairs of link names.
            srdf: An SRDF file or text, whose disabled pairs are allowed too.
        """
        from forearm.trees.collision.allowed import allowing  # noqa: PLC0415 (it fits shapes)

        return Tree(allowing(self.body, allow, srdf), self._limits)

    # -- what and where it is --------------------------------------------------------------------

    @property
    def name(self) -> str:
        """What the robot is called."""
        return self.body.mechanism.name

    @property
    def n(self) -> int:
        """How many joint variables it has, without those of a free base."""
        return self.body.n

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The names of its joint variables."""
        return self.body.joint_names

    @property
    def limits(self) -> Floats:
        """(2, n) lower and upper joint limits; infinite where there is none."""
        return self.body.limits

    @property
    def links(self) -> tuple[str, ...]:
        """What may be named in a goal: links and sites."""
        return tuple(self.body.places)

    def fk(self, q: ArrayLike | Mapping[str, float], link: str, base: ArrayLike | None = None) -> Floats:
        """(4, 4) the pose of a link or site in the world, with a free base at a pose."""
        return link_pose(self.body, as_start(q, self.body, "q"), as_base(base, self.body), link)

    def centre_of_mass(self, q: ArrayLike | Mapping[str, float], base: ArrayLike | None = None) -> Floats:
        """(3,) its centre of mass in the world [m]."""
        check_masses(self.body)
        return centre_of_mass(self.body, as_start(q, self.body, "q"), as_base(base, self.body))

    @told_in_words
    def sample(self, count: int, rng_seed: int = 0) -> Floats:
        """(count, n) configurations, uniform inside the limits; turns without any in [-pi, pi], slides in [-1, 1]."""
        as_whole(rng_seed, "rng_seed", MAX_SEED)
        return self.body.sample(as_whole(count, "count", MAX_SAMPLES), rng_seed)

    @told_in_words
    def clearance(
        self,
        q: ArrayLike | Mapping[str, float],
        obstacles: Any = None,
        *,
        base: ArrayLike | None = None,
        self_collision: bool = True,
    ) -> Clearance:
        """How near it comes to obstacles, and to itself if that counts: the distance and the closest pair by name."""
        from forearm.trees.collision.among import guard_of  # noqa: PLC0415 (it fits shapes)

        guard = guard_of(self.body, obstacles, 0.0, self_collision)
        return guard.closest(as_start(q, self.body, "q"), as_base(base, self.body))

    def arm(self, tip: str) -> Robot:
        """The chain from the root to one tip, as a `Robot`: closed forms, branches, tracks, obstacles.

        Joints that do not move here do not move there; a base that drives or floats stands still.
        """
        self.body.place(tip)
        mechanism = self.body.chains
        return Robot(cut(mechanism, base=self.body.root, tip=tip, limits=_of_file(self._limits, mechanism)))

    # -- solving ---------------------------------------------------------------------------------

    @told_in_words
    def stack(self, goals: Iterable[Wish] | Mapping[str, Any], *, rng_seed: int = 0) -> Stack:
        """Goals of `fa.goals`, or targets by link, ready to be solved again and again."""
        if not isinstance(goals, Iterable) or isinstance(goals, (str, np.ndarray)):
            raise OptionError(f"goals are {brief(goals)}; they are goals of fa.goals in a list, or targets by link")
        wishes = [Goal(link, target) for link, target in goals.items()] if isinstance(goals, Mapping) else list(goals)
        if not wishes:
            raise OptionError("a stack needs at least one goal")
        as_whole(rng_seed, "rng_seed", MAX_SEED)
        return Stack(self.body, wishes, self.arm, rng_seed)

    @told_in_words
    def solve(
        self,
        goals: Mapping[str, Any] | Iterable[Wish],
        q0: Any = None,
        *,
        base: ArrayLike | None = None,
        explain: bool = True,
        rng_seed: int = 0,
        obstacles: Any = None,
        clearance: float = DEFAULT_CLEARANCE,
        self_collision: bool | None = None,
    ) -> TreeSolution:
        """Joint values and a base that meet all goals, or come nearest, and why not.

        It makes a `stack` for one call; in a loop make one, keep it, and solve that.

        Args:
            goals: Targets by link, as (4, 4) or `Pose`, `Position`, `Orientation`, `PointAxis`; or goals of `fa.goals`.
            q0: (n,) where the search starts, or a mapping from joint names; anywhere without one.
            base: (4, 4) where a free base starts.
            explain: Whether to find out why goals were missed.
            rng_seed: Of the table of starts and of random ones.
            obstacles: What to keep away from in the world: a list, a mapping from names, or a `Scene`.
            clearance: The least distance to keep from it [m]; within the robot no more than 0.0125 m of it.
            self_collision: Whether the robot must not touch itself; by default if there are obstacles.
        """
        near = {"obstacles": obstacles, "clearance": clearance, "self_collision": self_collision}
        return self.stack(goals, rng_seed=rng_seed).solve(q0, base=base, explain=explain, **near)

    def _repr_html_(self) -> str:
        """Its pose, its joints and their limits, as a notebook shows it."""
        from forearm.results.html_trees import tree_html  # noqa: PLC0415 (only a notebook asks)

        return tree_html(self)

    def __repr__(self) -> str:
        """One line: name, variables, base."""
        return f"Tree({self.name}, {self.n} joints, base {self.body.base})"


def _of_file(limits: Limits, mechanism: Mechanism) -> Limits:
    """The limits of joints that the file has."""
    return (
        None if limits is None else {name: pair for name, pair in limits.items() if mechanism.joint(name) is not None}
    )
