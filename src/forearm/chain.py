"""A chain of bones: give it points, ask for a pose that brings its tip somewhere."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from forearm.bones.batch import BoneJob, as_bone_starts, as_bone_targets, solve_many
from forearm.bones.batch_solution import ChainBatch
from forearm.bones.bezier import NO_POSE, Bent, bezier_options, frame_of, solve_chain, solve_quickly
from forearm.bones.bezier_trace import BezierTrace, trace_bezier
from forearm.bones.fabrik import (
    DEFAULT_SWIVEL,
    NO_POLE,
    NO_WANTS,
    Request,
    pack_settings,
    read_pole,
    read_start,
    solve,
    solve_free,
)
from forearm.bones.obstacles import Scene, read_scene
from forearm.bones.options import BezierOptions
from forearm.bones.solution import ChainSolution
from forearm.bones.targets import target_of, tolerance_of, want
from forearm.bones.traces import BoneTrace, trace
from forearm.bones.tree import Bones, as_points, as_switch, make_bones
from forearm.common.threads import Tell
from forearm.common.types import Floats
from forearm.core.bones.codes import GOAL_KIND, POINT
from forearm.core.codes import POSITION
from forearm.errors import ModelError, OptionError, TargetError, counted
from forearm.joints import Ball, Joint
from forearm.scenes.shapes import Obstacle

FLOAT64 = np.dtype(np.float64)
# refine, max_sweeps, max_steps, max_tries, max_swivel and rng_seed of a plain call
DEFAULTS = (True, None, None, None, DEFAULT_SWIVEL, 0)
# options that the compiled loops of a batch know
LOOP_OPTIONS = {"refine", "tolerance", "max_sweeps", "max_steps", "max_tries", "max_swivel", "rng_seed"}


class Chain:
    """Bones in a row, from a base to a tip; never changes.

    Args:
        points: (n+1, 3) or (n+1, 2) the base, then the end of each bone [m]: also the pose it starts from.
        joints: One of `fa.joints` for all bones, or one per bone; how it turns against the bone before it.
            Ball joints by default.
        rest: Points of the pose from which limits are counted; `points` by default.
        free_base: Whether the base may move too.
    """

    __slots__ = ("_defaults", "bones")

    bones: Bones
    _defaults: tuple[Floats, Floats]

    def __init__(
        self,
        points: ArrayLike,
        joints: Joint | Sequence[Joint] | None = None,
        *,
        rest: ArrayLike | None = None,
        free_base: bool = False,
    ) -> None:
        start, dim = as_points(points, "points")
        n = len(start) - 1
        zero = start if rest is None else as_points(rest, "rest", n + 1, dim)[0]
        names = [str(i) for i in range(n)]
        made = make_bones(
            names, range(-1, n - 1), start, zero, as_joints(joints, n), dim, as_switch(free_base, "free_base")
        )
        _seal(self, made)

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuses: a chain never changes."""
        raise AttributeError(f"a Chain cannot be changed (tried to set '{name}'); make another one instead")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles as its bones."""
        return _from_bones, (self.bones,)

    @property
    def n(self) -> int:
        """How many bones it has."""
        return self.bones.n

    @property
    def dim(self) -> int:
        """2 in a plane, 3 in space."""
        return self.bones.dim

    @property
    def points(self) -> Floats:
        """(n+1, dim) the points it was built with [m]."""
        points: Floats = self.bones.start[:, : self.dim].copy()
        return points

    @property
    def lengths(self) -> Floats:
        """(n,) of its bones [m]."""
        lengths: Floats = self.bones.length.copy()
        return lengths

    @property
    def joints(self) -> tuple[Joint, ...]:
        """Its joints, base first."""
        return self.bones.kinds

    @property
    def reach(self) -> float:
        """The length of all bones: the farthest the tip gets from the base, without limits [m]."""
        return self.bones.size

    def solve(
        self,
        target: Any,
        *,
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
        mode: str = "exact",
        obstacles: Sequence[Obstacle] | Obstacle | None = None,
        clearance: float = 0.0,
        thickness: ArrayLike = 0.0,
        **options: Any,
    ) -> ChainSolution:
        """A pose that brings the tip to the target, or the nearest found and why not.

        Args:
            target: (dim,) point, or `Position`, `Pose`, `PointAxis`, `Orientation`; the tip's frame is the
                last bone's, x along it.
            method: "fabrik", or "bezier" for smooth poses on a curve.
            pole: (dim,) point on whose side the elbow shall lie.
            start: The previous solution (or (n+1, dim) points) to go on from: the answer stays near it.
                Without one the same target always gives the same pose.
            refine: Whether Gauss-Newton finishes what a few sweeps began; False is plain FABRIK.
            tolerance: For a bare point [m]; a millionth of the chain's length by default. Targets have their own.
            max_sweeps: Sweeps of FABRIK at most.
            max_steps: Steps of the refiner at most, in each try.
            max_tries: Starts at most, where limits make a chain stick.
            max_swivel: The most an elbow turns toward its pole in one solve with `start` [rad].
            rng_seed: Seed of the further starts.
            explain: Whether to find out why a target was missed; False saves time in a loop.
            mode: Of "bezier": "exact", or "paper" for the published search.
            obstacles: `fa.Sphere`, `fa.Capsule` and `fa.Box` to keep clear of, for points as targets.
            clearance: Distance to keep from them [m].
            thickness: Radius of the links [m], one number or one per link.
            **options: Of "bezier": max_turn, and for mode="paper" grid, steps, linear, shift, reflect.
        """
        bones = self.bones
        alone = obstacles is None or (isinstance(obstacles, (list, tuple)) and not obstacles)
        if method == "bezier" or not alone or options or mode != "exact":
            plain = mode == "exact" and obstacles is None and tolerance is None and not options
            if plain and bones.is_free and pole is None and start is None:
                quick = solve_quickly(bones, target)
                if quick is not None:
                    return quick
            scene = read_scene(bones, obstacles, clearance, thickness)
            tuning = read_tuning(method, mode, options)
            budgets = (max_sweeps, max_steps, max_tries)
            settings = pack_settings(bones, refine, *budgets, rng_seed, max_swivel, start is not None, 1)
            return self._solve_on_curve(target, method, mode, pole, start, tolerance, settings, scene, tuning, explain)
        if (refine, max_sweeps, max_steps, max_tries, max_swivel, rng_seed) == DEFAULTS:
            settings = self._defaults[start is not None]
        else:
            budgets = (max_sweeps, max_steps, max_tries)
            settings = pack_settings(bones, refine, *budgets, rng_seed, max_swivel, start is not None, 1)
        points, q = read_start(bones, start)
        if bones.is_free and bones.dim == 3 and pole is None and is_plain_point(target) and method == "fabrik":
            request = Request(bones, NO_WANTS, settings, NO_POLE, points, q)
            solution = solve_free(request, target, tolerance_of(bones, -1, tolerance))
            if solution.success:
                return solution
        wants = want(bones, bones.n - 1, target, 1.0, tolerance)[None]
        return solve(method, Request(bones, wants, settings, read_pole(bones, pole, wants), points, q), explain)

    def solve_batch(
        self,
        targets: Any,
        *,
        start: Any = None,
        method: str = "fabrik",
        pole: ArrayLike | None = None,
        explain: bool = False,
        threads: int | None = None,
        progress: bool | Tell = False,
        **options: Any,
    ) -> ChainBatch:
        """What `solve` gives for each target, with the same bits, on all processors; arrays in and out.

        Args:
            targets: (N, dim) points as NumPy, DLPack or anything with `__array__`; (N, 4, 4) poses of the tip;
                a sequence of targets as `solve` takes them; or `fa.Position.many(P)` and the like.
            start: As for `solve`: one for all, or one each as a batch, a list or (N, n+1, dim) points.
            method: As for `solve`.
            pole: As for `solve`, one for all.
            explain: Whether to find out why targets were missed; off by default, unlike in `solve`.
            threads: How many threads; one per processor by default.
            progress: True draws a bar on standard error; or a function of (done, total).
            **options: What else `solve` takes: refine, tolerance, max_sweeps, obstacles and so on.
        """
        bones = self.bones
        wants = as_bone_targets(bones, bones.n - 1, targets, options.get("tolerance"))
        starts = as_bone_starts(bones, start, len(wants))
        how: dict[str, Any] = {"method": method, "pole": pole} | options
        loop = method == "fabrik" and not set(options) - LOOP_OPTIONS

        def single(i: int, words: bool) -> ChainSolution:
            own = starts[0 if len(starts) == 1 else i]
            return self.solve(target_of(bones, wants[i]), start=own, explain=words, **how)

        settings = None
        if loop:
            sweeps, steps, tries = (options.get(name) for name in ("max_sweeps", "max_steps", "max_tries"))
            swivel, seed = options.get("max_swivel", DEFAULT_SWIVEL), options.get("rng_seed", 0)
            refine = options.get("refine", True)
            settings = pack_settings(bones, refine, sweeps, steps, tries, seed, swivel, start is not None, 1)
        elif len(wants):
            single(0, False)  # names a wrong option before any thread starts
        towards = read_pole(bones, pole, wants[:1])
        job = BoneJob(bones, method, wants[:, None], starts, settings, towards, single, explain)
        return solve_many(job, threads, progress)

    def _solve_on_curve(
        self,
        target: Any,
        method: str,
        mode: str,
        pole: ArrayLike | None,
        start: ChainSolution | ArrayLike | None,
        tolerance: float | None,
        settings: Floats,
        scene: Scene,
        tuning: BezierOptions,
        explain: bool,
    ) -> ChainSolution:
        """`solve` by the method "bezier", or by another among obstacles."""
        bones = self.bones
        points, q = read_start(bones, start)
        wants = want(bones, bones.n - 1, target, 1.0, tolerance)[None]
        request = Request(bones, wants, settings, read_pole(bones, pole, wants), points, q)
        before = points if start is not None else NO_POSE
        frame = frame_of(start, points) if start is not None else np.zeros(6)
        return solve_chain(method, mode, request, Bent(scene, frame, before, tuning), explain)

    def trace(
        self,
        target: Any,
        *,
        method: str = "fabrik",
        start: Any = None,
        sweeps: int = 100,
        tolerance: float | None = None,
    ) -> BoneTrace | BezierTrace:
        """A method stage by stage, for plots and replay.

        Args:
            target: As for `solve`.
            method: "fabrik" for the points after every forward and backward reach of plain FABRIK, or "bezier"
                for the curves that the published search tries, which knows no limits.
            start: As for `solve`.
            sweeps: Of "fabrik", how many at most; it ends where the tip arrives.
            tolerance: Of "fabrik", as for `solve`.
        """
        wants = want(self.bones, self.n - 1, target, 1.0, tolerance)[None]
        points, q = read_start(self.bones, start)
        if method == "fabrik":
            return trace(self.bones, wants, points, q, sweeps)
        if method != "bezier":
            raise OptionError(f"method '{method}' has no trace; these have: fabrik, bezier")
        if wants[0, GOAL_KIND] != POSITION:
            raise TargetError("curves are laid to points; give a point or a Position, or method='fabrik'")
        return trace_bezier(self.bones, points, wants[0, POINT : POINT + 3])

    def _repr_html_(self) -> str:
        """Its bones and its pose, as a notebook shows it."""
        from forearm.results.html import chain_html  # noqa: PLC0415 (only a notebook asks)

        return chain_html(self)

    def __repr__(self) -> str:
        """One line: bones, dimension, reach."""
        where = "in a plane" if self.dim == 2 else "in space"
        return f"Chain({counted(self.n, 'bone')} {where}, reach {self.reach:.4g} m)"


def read_tuning(method: str, mode: str, options: dict[str, Any]) -> BezierOptions:
    """The options of the Bezier method, refused where they do not belong."""
    if mode not in ("exact", "paper"):
        raise OptionError(f"mode is {mode!r}; it takes 'exact' or 'paper'")
    if method != "bezier" and (options or mode != "exact"):
        name = next(iter(options), "mode")
        raise OptionError(f"method '{method}' has no option '{name}'; method='bezier' may have it")
    return bezier_options(options)


def as_joints(joints: Joint | Sequence[Joint] | None, n: int) -> list[Joint]:
    """One joint per bone."""
    if joints is None or isinstance(joints, Joint):
        return [joints or Ball()] * n
    each: list[Any] = list(joints) if isinstance(joints, (list, tuple)) else [joints]
    wrong = [joint for joint in each if not isinstance(joint, Joint)]
    if wrong:
        raise ModelError(f"joints has {wrong[0]!r}; it takes joints of fa.joints: Ball, Cone, Hinge, Fixed")
    if len(each) != n:
        raise ModelError(f"joints has {len(each)} entries; the chain has {counted(n, 'bone')}, one joint each")
    return each


def is_plain_point(target: Any) -> bool:
    """Whether a target can go to a kernel as it is: a point in space as float64."""
    return type(target) is np.ndarray and target.dtype is FLOAT64 and target.shape == (3,) and target.flags.carray


def _seal(chain: Chain, bones: Bones) -> None:
    """Gives a chain its bones and the settings of a plain call, with and without a start."""
    defaults = tuple(
        pack_settings(bones, True, None, None, None, 0, DEFAULT_SWIVEL, start, 1) for start in (False, True)
    )
    object.__setattr__(chain, "bones", bones)
    object.__setattr__(chain, "_defaults", defaults)


def _from_bones(bones: Bones) -> Chain:
    chain = object.__new__(Chain)
    _seal(chain, bones)
    return chain
