"""The one road for bones: parse, kernel, measure, wrap. Chains without limits take a kernel of their own."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from forearm.bones.explain import explain, reach_fault
from forearm.bones.solution import ChainSolution
from forearm.bones.tree import Bones, as_points, as_switch
from forearm.common.checks import as_number, as_vector
from forearm.common.types import Floats
from forearm.core.bones.codes import (
    BASE_IS_FREE,
    FARTHEST,
    GOAL_KIND,
    HAS_START,
    IS_PLANAR,
    MAX_STEPS,
    MAX_SWEEPS,
    MAX_SWIVEL,
    MAX_TRIES,
    POINT,
    POLE_ANGLE,
    REACH_TOL,
    REFINE,
    RNG_SEED,
    SETTINGS,
    WANTS,
)
from forearm.core.bones.fabrik_free import solve_fabrik_free
from forearm.core.bones.pole import swivel_free
from forearm.core.bones.solve import solve_bones
from forearm.core.codes import BAD_TARGET, OUT_OF_REACH, POSITION, REPORT, SOLVED
from forearm.errors import OptionError, TargetError, UnsupportedError, nearest_names
from forearm.results.solution import NOT_EXPLAINED, Status

NO_POLE = np.empty(0)
NO_WANTS = np.empty((0, WANTS))  # the quick kernel takes its target by itself

# Sweeps before the refiner takes over: the combined paper's n_l, best at 5 in its Table II.
SWEEPS_BEFORE_REFINING = 5
# Sweeps of plain FABRIK.
PLAIN_SWEEPS = 1000
STEPS = 100  # of the refiner in one try
TRIES = 100  # starts of one chain with limits
TREE_TRIES = 10  # starts of a skeleton, whose tips may simply disagree
# How far an elbow turns toward its pole in one solve that goes on from another [rad].
DEFAULT_SWIVEL = 0.1
MAX_COUNT = 10_000_000
SOLVED_STATUS = Status.SOLVED  # looking a member of an enum up on each call costs time


@dataclass(eq=False, slots=True)  # not frozen: that triples the cost of making one
class Request:
    """One solve of a tree.

    Attributes:
        bones: The tree.
        wants: (K, 23) what the tips shall do.
        settings: (9,) packed.
        pole: (3,), or of length zero.
        points: (n+1, 3) start.
        q: (n, 3) joint values there.
    """

    bones: Bones
    wants: Floats
    settings: Floats
    pole: Floats
    points: Floats
    q: Floats


@dataclass(frozen=True)
class BoneMethod:
    """A way to solve chains and skeletons.

    Attributes:
        name: What the user writes.
        solve: Gives back a solution, without words for a failure.
        summary: What it is good for, in one line.
        citation: Where it was published.
    """

    name: str
    solve: Callable[[Request], ChainSolution]
    summary: str
    citation: str


def pack_settings(
    bones: Bones,
    refine: bool,
    max_sweeps: int | None,
    max_steps: int | None,
    max_tries: int | None,
    rng_seed: int,
    max_swivel: float,
    has_start: bool,
    tips: int,
) -> Floats:
    """(9,) the settings of a solve, each checked."""
    settings = np.zeros(SETTINGS)
    sweeps = SWEEPS_BEFORE_REFINING if refine else PLAIN_SWEEPS
    settings[REFINE] = as_switch(refine, "refine")
    settings[MAX_STEPS] = _count(max_steps, "max_steps", STEPS, 0)
    settings[MAX_SWEEPS] = _count(max_sweeps, "max_sweeps", sweeps, 0)
    settings[MAX_TRIES] = _count(max_tries, "max_tries", TRIES if tips == 1 else TREE_TRIES, 1)
    settings[RNG_SEED] = _count(rng_seed, "rng_seed", 0, 0)
    settings[MAX_SWIVEL] = as_number(max_swivel, "max_swivel", OptionError)
    if settings[MAX_SWIVEL] <= 0.0:
        raise OptionError(f"max_swivel is {max_swivel}; it takes a positive angle [rad]")
    settings[BASE_IS_FREE], settings[HAS_START], settings[IS_PLANAR] = bones.free_base, has_start, bones.dim == 2
    return settings


def _count(value: int | None, name: str, default: int, low: int) -> int:
    if value is None:
        return default
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or not low <= value <= MAX_COUNT:
        raise OptionError(f"{name} is {value!r}; it takes a whole number from {low} to {MAX_COUNT}")
    return int(value)


def read_start(bones: Bones, start: Any) -> tuple[Floats, Floats]:
    """(n+1, 3) points and (n, 3) joint values to start from: the pose it was built with, or a given one."""
    if start is None:
        return bones.start, bones.q
    if isinstance(start, ChainSolution):
        if start.bones is not bones:
            raise OptionError("start is the solution of another chain; give one of this chain, or its points")
        return start.points3, start.joint_values
    points, _ = as_points(start, "start", bones.n + 1, bones.dim)
    base = points[0] if bones.free_base else bones.start[0]
    q = bones.values_of(points, bones.q)
    return bones.pose_of(q, base)[1], q


def read_pole(bones: Bones, pole: Any, wants: Floats) -> Floats:
    """(3,) the pole, or an array of length zero."""
    if pole is None:
        return NO_POLE
    if len(wants) > 1:
        raise OptionError("pole is for one tip; solve the limbs of a skeleton one by one to use it")
    point = np.zeros(3)
    point[: bones.dim] = as_vector(pole, "pole", bones.dim, OptionError)
    return point


def find_method(name: str) -> BoneMethod:
    """The row of a method by name."""
    if name == "bezier":
        raise UnsupportedError("method 'bezier' poses chains, one at a time; for a skeleton use method='fabrik'")
    method = METHODS.get(name) if isinstance(name, str) else None
    if method is None:
        raise OptionError(f"method '{name}' is unknown for chains; {nearest_names(str(name), [*METHODS, 'bezier'])}")
    return method


def solve(method: str, request: Request, explained: bool) -> ChainSolution:
    """The solution of a request, with words if it missed."""
    row = find_method(method)
    solution = row.solve(request)
    if solution.status is not Status.SOLVED and explained:
        plain = request.settings[REFINE] == 0.0
        explain(request.bones, request.wants, solution, plain, lambda wants, joints: meets(request, wants, joints))
    return solution


def meets(request: Request, wants: Floats, joints: Floats) -> bool:
    """Whether the refiner meets the same request with other wants and joints."""
    settings = request.settings.copy()
    settings[REFINE], settings[MAX_SWEEPS] = 1.0, SWEEPS_BEFORE_REFINING
    settings[MAX_STEPS] = max(settings[MAX_STEPS], STEPS)
    other = Request(request.bones, wants, settings, NO_POLE, request.points, request.q)
    return run_kernel(other, joints)[0] == SOLVED


def solve_by_fabrik(request: Request) -> ChainSolution:
    """FABRIK, refined if asked: the quick kernel where it applies, else the one for trees with limits."""
    bones, wants = request.bones, request.wants
    if bones.is_free and len(wants) == 1 and wants[0, GOAL_KIND] == POSITION and int(wants[0, 0]) == bones.n - 1:
        target = np.ascontiguousarray(wants[0, POINT : POINT + 3])
        return solve_free(request, target, float(wants[0, REACH_TOL]))
    beyond = not bones.free_base and any(reach_fault(bones, row) for row in wants)
    if beyond:
        request = replace(request, settings=request.settings.copy())
        request.settings[MAX_TRIES] = 1.0  # no start can help
    code, q, P, report = run_kernel(request, bones.joints)
    if code == BAD_TARGET:
        raise TargetError(f"a target has an entry beyond {FARTHEST:g} m; give one that is nearer")
    status = Status.SOLVED if code == SOLVED else Status.OUT_OF_REACH if beyond else Status.NOT_CONVERGED
    return ChainSolution(P, status, "fabrik", report, bones, "" if code == SOLVED else NOT_EXPLAINED, None, q)


def run_kernel(request: Request, joints: Floats) -> tuple[int, Floats, Floats, Floats]:
    """The kernel for trees with limits: its code, joint values, points and report."""
    bones, n = request.bones, request.bones.n
    q, P, report = np.empty((n, 3)), np.empty((n + 1, 3)), np.zeros(REPORT)
    tree = (bones.parent, bones.length, joints, request.points[0], request.q)
    code = solve_bones(*tree, request.wants, request.settings, request.pole, q, P, report)
    return code, q, P, report


def solve_free(request: Request, target: Floats, tolerance: float) -> ChainSolution:
    """One point for a chain without limits."""
    bones = request.bones
    P, report = np.empty((bones.n + 1, 3)), np.zeros(REPORT)
    code = solve_fabrik_free(bones.length, request.points, target, tolerance, request.settings, P, report)
    if code == BAD_TARGET:
        raise TargetError(f"the target is {target[: bones.dim].tolist()}; entries are finite and below {FARTHEST:g} m")
    if request.pole.size:
        most = float(request.settings[MAX_SWIVEL]) if request.settings[HAS_START] else math.inf
        report[POLE_ANGLE] = swivel_free(bones.parent, request.wants, request.pole, bones.size, bones.dim == 2, most, P)
    if code == SOLVED:
        return ChainSolution(P, SOLVED_STATUS, "fabrik", report, bones, "", None, None, request.q)
    status = Status.OUT_OF_REACH if code == OUT_OF_REACH else Status.NOT_CONVERGED
    return ChainSolution(P, status, "fabrik", report, bones, NOT_EXPLAINED, None, None, request.q)


METHODS: dict[str, BoneMethod] = {
    method.name: method
    for method in (
        BoneMethod(
            name="fabrik",
            solve=solve_by_fabrik,
            summary="FABRIK sweeps, then Gauss-Newton inside the limits; refine=False is plain FABRIK",
            citation="Aristidou and Lasenby, Graphical Models 73(5), 2011",
        ),
    )
}
