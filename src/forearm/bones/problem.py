"""What a chain or skeleton is asked: one `BoneProblem` behind single solves, batches and explanations."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from forearm.bones.options import BezierOptions, BoneOptions, FabrikOptions
from forearm.bones.solution import ChainSolution
from forearm.bones.tree import Bones, as_points
from forearm.common.checks import as_vector
from forearm.common.threads import UNHEARD, attend
from forearm.common.types import Floats
from forearm.core.bones import codes
from forearm.core.bones.fabrik_free import MAX_BENDS
from forearm.core.codes import POSITION
from forearm.core.motions.rows import POLES
from forearm.errors import OptionError
from forearm.scenes.scene import Scene

NO_POLE = np.empty(0)
NO_POSE = np.empty((0, 3))
NO_LOOKS, NO_POLES = np.empty((0, codes.WANTS)), np.empty((0, POLES))

# Sweeps before the refiner takes over: the combined paper's n_l, best at 5 in its Table II.
SWEEPS_BEFORE_REFINING = 5
# Sweeps of plain FABRIK.
PLAIN_SWEEPS = 1000
STEPS = 100  # of the refiner in one try
TRIES = 100  # starts of one chain with limits
TREE_TRIES = 10  # starts of a skeleton, whose tips may simply disagree
# The sum of all joints' distances from the line below this share of the pose's size names no side.
NO_SIDE = 1e-9
# What points to start from may be off, as a share of lengths: they are often printed with a few digits.
POINTS_SLACK = 1e-2
# What a sweep or a step takes for each bone [s]: without limits, and with them for each tip, of which most tries make
# but a quarter; and how many rounds of repair a drawn pose takes among obstacles.
FREE_TIME, STEP_TIME, REPAIRS = 1e-7, 2.5e-7, 20
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class BoneMethod:
    """A way to solve chains and skeletons."""

    name: str  # what the user writes
    options: type[BoneOptions]
    solve: Callable[["BoneProblem"], ChainSolution]  # a pose, not yet judged among obstacles nor explained
    for_trees: bool  # whether it poses skeletons too
    summary: str  # what it is good for, in one line
    citation: str


class Asks(NamedTuple):
    """What N solves of one problem ask for; looks and poles are one for all or one each."""

    wants: Floats  # (N, K, 23)
    looks: Floats = NO_LOOKS[None]  # (N or 1, L, 23)
    poles: Floats = NO_POLES[None]  # (N or 1, M, 5)

    def beside(self, i: int) -> tuple[Floats, Floats]:
        """Looks and poles of one of them."""
        return self.looks[i if len(self.looks) > 1 else 0], self.poles[i if len(self.poles) > 1 else 0]


@dataclass(eq=False, slots=True)  # not frozen: that triples the cost of making one
class BoneProblem:
    """One solve of a chain or skeleton; a batch is one of them `at` many wants."""

    bones: Bones
    method: BoneMethod
    options: BoneOptions
    settings: Floats  # (9,) packed
    pole: Floats  # (3,), or of length zero
    scene: Scene  # what a chain should keep clear of
    radii: Floats  # (n,) of its links [m]
    clearance: float  # that they should keep [m]
    wants: Floats  # (K, 23) what the tips should do
    start: Any  # what it goes on from, as the user gave it; None for the pose it was built with
    points: Floats  # (n+1, 3) of that pose
    q: Floats  # (n, 3) joint values there
    looks: Floats = field(default_factory=lambda: NO_LOOKS)  # (L, 23) which bones look where
    poles: Floats = field(default_factory=lambda: NO_POLES)  # (M, 5) of limbs of a skeleton (`core/motions/rows.py`)
    stretch: float = 0.0  # how much longer bones may get, as a share of their length

    @property
    def is_posed(self) -> bool:
        """Whether it looks, has poles by tip, or keeps clear of obstacles and is no point for the end of a chain."""
        among = len(self.scene.rows) > 0 and self.method.name == "fabrik" and not self.is_point_of_line
        return bool(len(self.looks) or len(self.poles) or among)

    @property
    def before(self) -> Floats:
        """(n+1, 3) the pose it goes on from, or of length zero."""
        return NO_POSE if self.start is None else self.points

    @property
    def is_point_of_chain(self) -> bool:
        """Whether it is one point for the end of a chain without limits: what the quick kernels solve."""
        wants, bones = self.wants, self.bones
        one = bones.is_free and len(wants) == 1
        return bool(one and wants[0, codes.GOAL_KIND] == POSITION and int(wants[0, 0]) == bones.n - 1)

    @property
    def is_point_of_line(self) -> bool:
        """Whether it is one point for the end of a chain on a fixed base, with or without limits."""
        wants, bones = self.wants, self.bones
        one = len(wants) == 1 and bones.is_line and not bones.free_base
        return bool(one and wants[0, codes.GOAL_KIND] == POSITION and int(wants[0, 0]) == bones.n - 1)

    @property
    def target(self) -> Floats:
        """(3,) the first tip's point [m]."""
        return np.ascontiguousarray(self.wants[0, codes.POINT : codes.POINT + 3])

    @property
    def tolerance(self) -> float:
        """Of the first tip's point [m]."""
        return float(self.wants[0, codes.REACH_TOL])

    @property
    def is_published(self) -> bool:
        """Whether the published Bezier search is asked for."""
        return isinstance(self.options, BezierOptions) and self.options.mode == "paper"

    @property
    def max_turn(self) -> float:
        """What a link may turn more than it must, with a start [rad]."""
        return self.options.max_turn if isinstance(self.options, BezierOptions) else BezierOptions.max_turn

    def all_asks(self, wants: Floats) -> Asks:
        """Many wants (N, K, 23), with its own looks and poles for all of them."""
        return Asks(wants, self.looks[None], self.poles[None])

    def at(self, asks: Asks, i: int, start: Any) -> "BoneProblem":
        """The same for one of many asks, from another start."""
        around = (self.scene, self.radii, self.clearance)
        asked = (self.bones, self.method, self.options, self.settings, self.pole, *around)
        return BoneProblem(*asked, asks.wants[i], start, *read_start(self.bones, start), *asks.beside(i), self.stretch)


def longest(problem: BoneProblem) -> float:
    """About how long a kernel may take for a target that is missed [s]."""
    n, rows, settings = problem.bones.n, len(problem.scene.rows), problem.settings
    sweeps, steps, tries = settings[[codes.MAX_SWEEPS, codes.MAX_STEPS, codes.MAX_TRIES]].tolist()
    if problem.is_point_of_chain:
        return longest_free(n, settings) + float(STEP_TIME * n * tries * REPAIRS * rows)
    return float(STEP_TIME * n * (len(problem.wants) * (sweeps + tries * steps) + tries * rows))


def longest_free(n: int, settings: Floats) -> float:
    """The same of a point for a chain without limits."""
    return float(FREE_TIME * n * (settings.item(codes.MAX_SWEEPS) + MAX_BENDS * settings.item(codes.MAX_STEPS)))


def ask(problem: BoneProblem, kernel: Callable[[BoneProblem], Answer]) -> Answer:
    """What a kernel makes of a problem; if that may take long in a thread of its own, which an interrupt gives up.

    The kernel then finds itself at the end: no budget is left, all tolerances are met, nothing is touched.
    """
    if longest(problem) <= UNHEARD:
        return kernel(problem)
    own = replace(problem, settings=problem.settings.copy(), wants=problem.wants.copy(), radii=problem.radii.copy())

    def give_up() -> None:
        own.settings[:], own.radii[:] = -1.0, -math.inf
        own.wants[:, [codes.REACH_TOL, codes.TURN_TOL]] = math.inf

    made: Answer = attend(lambda: kernel(own), give_up)
    return made


def pack_settings(options: BoneOptions, free_base: bool, dim: int, has_start: bool, tips: int) -> Floats:
    """(9,) as `core/bones/codes.py` lays them out; what a method has no option for stands at FABRIK's default."""
    own = options if isinstance(options, FabrikOptions) else FabrikOptions()
    settings = np.zeros(codes.SETTINGS)
    settings[codes.REFINE] = own.refine
    sweeps = SWEEPS_BEFORE_REFINING if own.refine else PLAIN_SWEEPS
    tries = TRIES if tips == 1 else TREE_TRIES
    settings[codes.MAX_SWEEPS] = sweeps if own.max_sweeps is None else own.max_sweeps
    settings[codes.MAX_STEPS] = STEPS if own.max_steps is None else own.max_steps
    settings[codes.MAX_TRIES] = tries if options.max_tries is None else options.max_tries
    settings[codes.RNG_SEED], settings[codes.MAX_SWIVEL] = options.rng_seed, options.max_swivel
    settings[codes.BASE_IS_FREE], settings[codes.HAS_START] = free_base, has_start
    settings[codes.IS_PLANAR] = dim == 2
    return settings


def read_start(bones: Bones, start: Any) -> tuple[Floats, Floats]:
    """(n+1, 3) points and (n, 3) joint values to start from: the pose it was built with, or a given one."""
    if start is None:
        return bones.start, bones.q
    if isinstance(start, ChainSolution):
        if start.bones is not bones:
            raise OptionError("start is the solution of another chain; give one of this chain, or its points")
        if start.stretch is not None:  # at the bones' own lengths
            return bones.pose_of(start.joint_values, start.points3[0])[1], start.joint_values
        return start.points3, start.joint_values
    points, _ = as_points(start, "start", bones.n + 1, bones.dim)
    refuse_other_bones(bones, points)
    base = points[0] if bones.free_base else bones.start[0]
    q = bones.values_of(points, bones.q)
    return bones.pose_of(q, base)[1], q


def refuse_other_bones(bones: Bones, points: Floats) -> None:
    """Refuses (n+1, 3) points that are no pose of these bones; what few digits leave off is no fault."""
    length = np.linalg.norm(points[1:] - points[bones.parent + 1], axis=1)
    wrong = ~(np.abs(length - bones.length) <= POINTS_SLACK * bones.length)
    if wrong.any():
        k = int(np.argmax(wrong))
        own = f"its length is {bones.length[k]:.4g} m; give points of these bones"
        raise OptionError(f"start has bone '{bones.names[k]}' {length[k]:.4g} m long; {own}")
    off = float(np.linalg.norm(points[0] - bones.start[0]))
    if not (bones.free_base or off <= POINTS_SLACK * bones.size):
        given, base = (point[: bones.dim].tolist() for point in (points[0], bones.start[0]))
        raise OptionError(f"start begins at {given}; the base stands at {base} and does not move")


def frame_of(start: Any, points: Floats) -> Floats:
    """(6,) line and normal of a pose to go on from: those it was made with, or read from its points.

    A point's part across the line names the side; a straight pose of unknown origin names none.
    """
    if isinstance(start, ChainSolution) and start.frame is not None:
        carried: Floats = start.frame.copy()
        return carried
    frame = np.zeros(6)
    if start is None:
        return frame
    line = points[-1] - points[0]
    distance = float(np.linalg.norm(line))
    if distance > 0.0:
        frame[:3] = line / distance
    elbow = (points[1:-1] - points[0]).sum(axis=0)
    elbow -= frame[:3] * (frame[:3] @ elbow)
    size = float(np.linalg.norm(elbow))
    if size > NO_SIDE * float(np.abs(points - points[0]).max()):
        frame[3:] = elbow / size
    return frame


def read_pole(bones: Bones, pole: Any, tips: int) -> Floats:
    """(3,) the pole, or an array of length zero."""
    if pole is None or isinstance(pole, Mapping):  # those by tip are `read_poles`'
        return NO_POLE
    if tips > 1:
        raise OptionError("pole is one point, which is for one tip; for several, map names of tips to points")
    point = np.zeros(3)
    point[: bones.dim] = as_vector(pole, "pole", bones.dim, OptionError)
    return point
