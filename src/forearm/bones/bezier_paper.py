"""The published Bezier solver on any planar chain: `mode="paper"` of the method `bezier`.

Among obstacles it goes on as section III-G says: P1 is shifted step by step, to the left as the text has it, then to
the right as section IV does, until a pose is free; if none is, P1 is reflected and shifted again.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from forearm.bones.obstacles import measure
from forearm.bones.options import BezierOptions
from forearm.bones.problem import BoneProblem
from forearm.bones.solution import ChainSolution
from forearm.bones.tree import Bones
from forearm.common.threads import UNHEARD, attend
from forearm.common.types import Floats
from forearm.core.bezier.close import lay_out
from forearm.core.bezier.paper import exact_height, search_binary, search_linear
from forearm.core.codes import ITERATIONS, POSITION_ERROR, TRIES
from forearm.core.collision.obstacle_rows import HEIGHT, LONG_REPORT, RESIDUAL
from forearm.errors import UnsupportedError
from forearm.results.solution import Status

# The search ends at this share of the last link: above all residuals that the paper prints, which names none.
STOP = 1e-3
# Beyond full reach by less than this share is rounding.
REACH_SLACK = 1e-12
# A pose counts as solved within this share of the chain: what a grid of some thousand points can give.
PAPER_TOLERANCE = 1e-3

PROBE_TIME = 1e-8  # of a point of the grid [s]
NO_HEIGHTS = np.empty(0)  # where the heights that are tried are noted; here they are not


SHIFT_STEP, SHIFTS = 0.05, 10  # of P1, not printed: share of the chain, steps to either side


class Attempt(NamedTuple):
    """A pose of the published search, and where P1 stood for it."""

    name: str  # "first", "shifted" or "reflected"
    shift: float  # of P1, to the right of the line from the base to the initial tip [m]
    reflected: bool
    solution: ChainSolution


def solve_as_published(problem: BoneProblem) -> ChainSolution:
    """The pose of the published search, the first that is free; if none is, the one with the most room."""
    tried = list(attempts(problem))
    last = tried[-1].solution
    if last.success or len(tried) == 1:
        return last
    met = [one.solution for one in tried if one.solution.status is Status.COLLISION]
    best = max(met, key=lambda solution: solution.clearance or 0.0) if met else tried[0].solution
    best.explanation = (
        f"none of {len(tried)} attempts, P1 shifted and reflected, is free ({len(met)} of them meet the target); the "
        f"pose has a clearance of {best.clearance:.3g} m; mode='exact' looks further"
    )
    return best


def attempts(problem: BoneProblem) -> Iterator[Attempt]:
    """The attempts of section III-G until one is free; without obstacles only the first."""
    options = problem.options
    assert isinstance(options, BezierOptions)
    step = SHIFT_STEP * problem.bones.size
    sides = [0.0, *(-step * k for k in range(1, SHIFTS + 1)), *(step * k for k in range(1, SHIFTS + 1))]
    for turned in (False, True):
        for side in sides:
            name = "reflected" if turned else "shifted" if side else "first"
            shift, reflected = float(options.shift) + side, bool(options.reflect) != turned
            one = Attempt(name, shift, reflected, _pose(problem, options, shift, reflected))
            yield one
            if one.solution.success or not len(problem.scene.rows):
                return


def frame_of_plane(bones: Bones) -> tuple[Floats, float]:
    """(2, 2) the paper's axes as rows, y from the base to the initial tip, x to its right; and that distance [m]."""
    line = (bones.start[-1] - bones.start[0])[:2]
    top = float(np.linalg.norm(line))
    up = line / top if top > 0.0 else np.array([0.0, 1.0])
    return np.array([[up[1], -up[0]], up]), top


def _pose(problem: BoneProblem, options: BezierOptions, shift: float, reflected: bool) -> ChainSolution:
    """One pose, its links laid out at their true lengths and measured on that.

    `residual` is the paper's own figure: by how much the last link misses its length.
    """
    bones, target = problem.bones, problem.target
    if bones.dim != 2 or not bones.is_free or bones.n < 2:
        raise UnsupportedError("mode='paper' poses planar chains of two links or more without limits; leave mode out")
    n, (frame, top) = bones.n, frame_of_plane(bones)
    x, y = (frame @ (target - bones.start[0])[:2]).tolist()
    top = -top if reflected else top
    xy, P, report = np.zeros((n + 1, 2)), np.zeros((n + 1, 3)), np.zeros(LONG_REPORT)
    if math.hypot(x, y) > bones.size * (1.0 + REACH_SLACK):
        xy[:] = np.outer(np.append(0.0, bones.way), [x, y]) / math.hypot(x, y)
        gap, height, probes, heights = math.hypot(x, y) - bones.size, 0.0, 0, 0
    else:
        gap, height, probes, heights = _search(bones, top, (x, y), shift, options, xy)
    P[:, :2] = bones.start[0, :2] + xy @ frame
    lay_out(bones.length, P)
    error = math.dist(P[-1].tolist(), target.tolist())
    report[[ITERATIONS, TRIES, RESIDUAL, POSITION_ERROR, HEIGHT]] = probes, heights, abs(gap), error, height
    solution = ChainSolution(P, Status.NOT_CONVERGED, "bezier", report, bones, "", None, None, bones.q)
    free = measure(problem, solution) >= problem.clearance
    conclude(solution, max(problem.tolerance, PAPER_TOLERANCE * bones.size), free)
    return solution


def _search(
    bones: Bones, top: float, target: tuple[float, float], shift: float, options: BezierOptions, xy: Floats
) -> tuple[float, float, int, int]:
    """Writes the pose; gap, P1's height, probes and heights tried of the search that the options ask for."""
    if options.grid == 0:
        found, height, curves = exact_height(bones.length, bones.size, top, shift, *target, np.empty(bones.n + 1), xy)
        return (0.0 if found else math.inf), height, curves, curves
    search = search_linear if options.linear else search_binary
    stop = STOP * float(bones.length[-1])
    grid, steps = max(int(options.grid), 2), int(options.steps)
    length, given = bones.length.copy(), (top, shift, *target, grid, steps, stop, NO_HEIGHTS, xy)
    if PROBE_TIME * grid * (steps if options.linear else 2.0 * math.log2(steps)) <= UNHEARD:
        found_at: tuple[float, float, int, int] = search(length, *given)
    else:  # links without length end it
        found_at = attend(lambda: search(length, *given), lambda: length.fill(-1.0))
    return found_at


def conclude(solution: ChainSolution, tolerance: float, free: bool) -> None:
    """Writes the verdict of a published search."""
    residual, error = solution.report[RESIDUAL], solution.position_error
    if error <= tolerance and free:
        solution.status = Status.SOLVED
    elif error <= tolerance:
        solution.status = Status.COLLISION
        solution.explanation = f"the pose has a clearance of {solution.clearance:.3g} m; mode='exact' looks further"
    else:
        solution.explanation = (
            f"the published search ended with a residual of {residual:.3g} m after {solution.tries} heights of P1, "
            f"the tip {error:.3g} m from the target; mode='exact' has no such misses"
        )
