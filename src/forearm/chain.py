"""A chain of bones: give it points, ask for a pose that brings its tip somewhere."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from forearm.bones.batch import as_bone_starts, as_bone_targets, solve_many
from forearm.bones.bezier import solve_on_curve
from forearm.bones.fabrik import solve_free
from forearm.bones.figure import Figure, Obstacles
from forearm.bones.methods import METHODS, answer, find_method, read_options, read_problem
from forearm.bones.obstacles import is_alone
from forearm.bones.posing.stretch import as_stretch
from forearm.bones.posing.track import ChainTrack, track_bones
from forearm.bones.problem import read_start
from forearm.bones.solution import ChainBatch, ChainSolution
from forearm.bones.targets import tolerance_of, want
from forearm.bones.traces import BezierTrace, BoneTrace, trace, trace_attempts, trace_bezier
from forearm.bones.tree import Bones, as_points, make_bones
from forearm.common.checks import as_switch, brief
from forearm.common.threads import Tell
from forearm.common.types import Floats
from forearm.core.bones.codes import GOAL_KIND, POINT, WANTS
from forearm.core.codes import POSITION
from forearm.errors import ModelError, OptionError, TargetError, counted, known_elsewhere, told_in_words
from forearm.joints import Ball, Joint

FLOAT64 = np.dtype(np.float64)


@known_elsewhere
class Chain(Figure):
    """Bones in a row, from a base to a tip; never changes.

    Args:
        points: (n+1, 3) or (n+1, 2) the base, then the end of each bone [m]: also the pose it starts from.
        joints: One of `fa.joints` for all bones, or one per bone; how it turns against the bone before it.
            Ball joints by default.
        rest: Points of the pose from which limits are counted; `points` by default.
        free_base: Whether the base may move too.
        names: What its bones are called; "0", "1", ... by default.
    """

    __slots__ = ("_defaults",)

    _defaults: tuple[Floats, Floats]

    @told_in_words
    def __init__(
        self,
        points: ArrayLike,
        joints: Joint | Sequence[Joint] | None = None,
        *,
        rest: ArrayLike | None = None,
        free_base: bool = False,
        names: Sequence[str] | None = None,
    ) -> None:
        start, dim = as_points(points, "points")
        n = len(start) - 1
        zero = start if rest is None else as_points(rest, "rest", n + 1, dim)[0]
        loose = as_switch(free_base, "free_base")
        self._seal(make_bones(as_names(names, n), range(-1, n - 1), start, zero, as_joints(joints, n), dim, loose))

    def _seal(self, bones: Bones) -> None:
        """Gives a chain its bones and the settings of a plain call, without and with a start."""
        defaults = tuple(read_options(bones, METHODS["fabrik"], start, 1, {})[1] for start in (False, True))
        object.__setattr__(self, "_defaults", defaults)
        super()._seal(bones)

    @property
    def bone_names(self) -> tuple[str, ...]:
        """Its bones, base first; row i + 1 of a solution's points is the end of bone i."""
        return self.bones.names

    @property
    def dim(self) -> int:
        """2 in a plane, 3 in space."""
        return self.bones.dim

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
        tolerance: float | None = None,
        stretch: float = 0.0,
        explain: bool = True,
        obstacles: Obstacles | None = None,
        clearance: float = 0.0,
        thickness: ArrayLike = 0.0,
        **options: Any,
    ) -> ChainSolution:
        """A pose that brings the tip to the target, or the nearest found and why not.

        Args:
            target: (dim,) point, or `Position`, `Pose`, `PointAxis`, `Orientation`; the tip's frame is the
                last bone's, x along it.
            method: "fabrik", or "bezier" for smooth poses on a curve.
            pole: (dim,) point to whose side the elbow bends.
            start: The previous solution (or (n+1, dim) points) to go on from: the answer stays near it.
                Without one the same target always gives the same pose.
            tolerance: For a bare point [m]; a millionth of the chain's length by default. Targets have their own.
            stretch: How much longer bones may get to meet a target, as a share of their length; they all get longer
                alike, as little as it takes, and `solution.stretch` says how long.
            explain: Whether to find out why a target was missed; False saves time in a loop.
            obstacles: `fa.Sphere`, `fa.Capsule` and `fa.Box` to keep clear of, for points as targets: a list,
                a mapping from names, or a `fa.scenes.Scene`.
            clearance: Distance to keep from them [m].
            thickness: Radius of the links [m], one number or one per link.
            **options: Of both methods: max_tries (the most starts, where limits are in the way), max_swivel (the
                most an elbow turns toward its pole in one solve with `start` [rad]), rng_seed (of further starts).
                Of "fabrik": refine (whether Gauss-Newton finishes what a few sweeps began; False is plain FABRIK),
                max_sweeps, max_steps (of the refiner, in each try). Of "bezier": mode ("exact", or "paper" for the
                published search), max_turn, and for mode="paper" grid, steps, linear, shift, reflect.
        """
        bones = self.bones
        if type(stretch) is not float or stretch != 0.0:
            as_stretch(stretch)
        alone = pole is None and is_alone(obstacles, clearance, thickness)
        if alone and bones.is_free and (explain is True or explain is False):
            point = plain_point(target, bones.dim)
            quick = None if point is None else self._solve_quickly(method, point, start, tolerance, options)
            if quick is not None:
                return quick
        wants = want(bones, bones.n - 1, target, 1.0, tolerance)[None]
        around = (obstacles, clearance, thickness)
        row = find_method(method)
        return answer(read_problem(bones, row, wants, start, pole, options, around, None, stretch), explain)

    def _solve_quickly(
        self, method: str, target: Floats, start: Any, tolerance: float | None, options: dict[str, Any]
    ) -> ChainSolution | None:
        """One point for a chain without limits, with nothing round it; None if that is not all it takes."""
        bones = self.bones
        if bones.dim == 2:
            target = np.array([target[0], target[1], 0.0])
        if method == "fabrik":
            settings = self._defaults[start is not None]
            if options:
                settings = read_options(bones, METHODS[method], start is not None, 1, options)[1]
            points, q = read_start(bones, start)
            solution = solve_free(bones, points, q, target, tolerance_of(bones, -1, tolerance), settings)
            return solution if solution.success else None
        if method == "bezier" and start is None and not options:
            return solve_on_curve(bones, target)
        return None

    def solve_batch(
        self,
        targets: Any,
        *,
        start: Any = None,
        method: str = "fabrik",
        pole: ArrayLike | None = None,
        tolerance: float | None = None,
        stretch: float = 0.0,
        explain: bool = False,
        threads: int | None = None,
        progress: bool | Tell = False,
        obstacles: Obstacles | None = None,
        clearance: float = 0.0,
        thickness: ArrayLike = 0.0,
        **options: Any,
    ) -> ChainBatch:
        """What `solve` gives for each target, with the same bits, on all processors; arrays in and out.

        Args:
            targets: (N, dim) points as NumPy, DLPack or anything with `__array__`; (N, 4, 4) poses of the tip;
                a sequence of targets as `solve` takes them; or `fa.Position.many(P)` and the like.
            start: As for `solve`: one for all, or one each as a batch, a list or (N, n+1, dim) points.
            method: As for `solve`.
            pole: As for `solve`, one for all.
            tolerance: As for `solve`.
            stretch: As for `solve`.
            explain: Whether to find out why targets were missed; off by default, unlike in `solve`.
            threads: How many threads; one per processor by default.
            progress: True draws a bar on standard error; or a function of (done, total).
            obstacles: As for `solve`.
            clearance: As for `solve`.
            thickness: As for `solve`.
            **options: As for `solve`.
        """
        bones, row = self.bones, find_method(method)
        wants = as_bone_targets(bones, bones.n - 1, targets, 1.0, tolerance)[:, None]
        starts = as_bone_starts(bones, start, len(wants))
        first = wants[0] if len(wants) else np.zeros((1, WANTS))
        given = None if start is None else starts[0]
        around = (obstacles, clearance, thickness)
        problem = read_problem(bones, row, first, given, pole, options, around, None, stretch)
        return solve_many(problem, problem.all_asks(wants), starts, explain, threads, progress)

    def track(
        self,
        targets: Any,
        *,
        max_turn: float = 0.5,
        start: ChainSolution | ArrayLike | None = None,
        method: str = "fabrik",
        pole: ArrayLike | None = None,
        tolerance: float | None = None,
        stretch: float = 0.0,
        explain: bool = False,
        obstacles: Obstacles | None = None,
        clearance: float = 0.0,
        thickness: ArrayLike = 0.0,
        **options: Any,
    ) -> ChainTrack:
        """The poses of targets frame by frame, each near the last; where bones turn farther than they may is named.

        Where the way from the last pose ends (at a limit, at an obstacle), answers of the frame from other starts are
        followed backward, and the track goes their way if that saves the jump.

        Args:
            targets: As for `solve_batch`, in the order of time.
            max_turn: What a bone may turn from frame to frame [rad]; more is a jump, and in `track.jumps`.
            start: The pose in front of the first frame; without one the first frame's pose may be any.
            method: As for `solve`, and so are all below.
            pole: One for all.
            tolerance: For bare points [m].
            stretch: How much longer bones may get, as a share of their length.
            explain: Whether to find out why frames were missed.
            obstacles: One scene for all frames.
            clearance: Distance to keep from them [m].
            thickness: Radius of the links [m].
            **options: As for `solve`.
        """
        wants = as_bone_targets(self.bones, self.n - 1, targets, 1.0, tolerance)[:, None]
        first = wants[0] if len(wants) else np.zeros((1, WANTS))
        around = (obstacles, clearance, thickness)
        problem = read_problem(self.bones, find_method(method), first, start, pole, options, around, None, stretch)
        return track_bones(problem, problem.all_asks(wants), max_turn, explain)

    def trace(
        self,
        target: Any,
        *,
        method: str = "fabrik",
        start: Any = None,
        sweeps: int = 100,
        tolerance: float | None = None,
        obstacles: Any = None,
        **options: Any,
    ) -> BoneTrace | BezierTrace:
        """A method stage by stage, for plots and replay.

        Args:
            target: As for `solve`.
            method: "fabrik" for the points after every forward and backward reach of plain FABRIK, or "bezier"
                for the curves that the published search tries, which knows no limits.
            start: As for `solve`.
            sweeps: Of "fabrik", how many at most; it ends where the tip arrives.
            tolerance: Of "fabrik", as for `solve`.
            obstacles: Of "bezier", as for `solve`: the attempts of the published search to get round them, a stage
                each, until one is free.
            **options: Of "bezier" with obstacles, as mode="paper" takes them.
        """
        wants = want(self.bones, self.n - 1, target, 1.0, tolerance)[None]
        if obstacles is not None or options:
            row = find_method(method)
            if row.name != "bezier" or obstacles is None or start is not None:
                raise OptionError("a trace takes obstacles, with options, of method='bezier' without a start")
            asked = {"mode": "paper", **options}
            return trace_attempts(read_problem(self.bones, row, wants, None, None, asked, (obstacles, 0.0, 0.0)))
        points, q = read_start(self.bones, start)
        if method == "fabrik":
            return trace(self.bones, wants, points, q, sweeps)
        if method != "bezier":
            raise OptionError(f"method '{method}' has no trace; these have: {', '.join(METHODS)}")
        if wants[0, GOAL_KIND] != POSITION:
            raise TargetError("curves are laid to points; give a point or a Position, or method='fabrik'")
        return trace_bezier(self.bones, points, wants[0, POINT : POINT + 3])

    def __repr__(self) -> str:
        """One line: bones, dimension, reach."""
        where = "in a plane" if self.dim == 2 else "in space"
        return f"Chain({counted(self.n, 'bone')} {where}, reach {self.reach:.4g} m)"


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


def as_names(names: Sequence[str] | None, n: int) -> list[str]:
    """One name per bone, none of them twice."""
    given = [str(i) for i in range(n)] if names is None else list(names)
    if len(given) != n or len(set(given)) != n or not all(isinstance(name, str) and name for name in given):
        raise ModelError(f"names is {brief(names)}; it takes {counted(n, 'name')}, one per bone, none of them twice")
    return given


def plain_point(target: Any, dim: int) -> Floats | None:
    """A target that is a point and nothing else, as a kernel takes it (dim,); None for what must be looked at."""
    if type(target) is list and len(target) == dim and all(type(entry) is float for entry in target):
        return np.array(target)
    plain = type(target) is np.ndarray and target.dtype is FLOAT64 and target.shape == (dim,) and target.flags.carray
    return target if plain else None
