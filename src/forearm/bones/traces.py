"""What a method does stage by stage, for plots and replay: plain FABRIK, and the published Bezier search.

The latter runs `search_binary` of `core/bezier/paper.py` in the plane of the base, the initial tip and the target,
which notes every height of the control point P1 that it tries, and lays the chain on the curve of each once more.
"""

import math
from dataclasses import dataclass

import numpy as np

from forearm.bones.bezier_paper import STOP, attempts, frame_of_plane
from forearm.bones.problem import BoneProblem
from forearm.bones.tree import Bones
from forearm.common.types import Floats
from forearm.core.bezier.paper import BINARY, place_on_grid, search_binary
from forearm.core.bones.codes import BONE, GOAL_KIND, POINT, REACH_TOL
from forearm.core.bones.fabrik_free import trace_free
from forearm.core.bones.solve import bones_size, trace_bones
from forearm.core.codes import POSITION
from forearm.errors import OptionError, TargetError, counted
from forearm.solve.trace import lines_of

MAX_SWEEPS = 1_000_000
GRID, HEIGHTS = 2000, 1000  # points of a curve and heights of P1: fine enough to draw
MOST_TRIED = 32  # two bisections of HEIGHTS need 22
CURVE_POINTS = 48  # of a curve that is drawn
SAME_LINE = 1e-9  # a target this near to the line to the tip, per metre, leaves the plane open


@dataclass(frozen=True, eq=False, repr=False)
class BoneTrace:
    """The stages of a method, the start first.

    Attributes:
        stages: What each stage is: "start", then "forward" and "backward" in turn, or "curve" for each height of P1.
        points: (S, n+1, dim) the base, then each bone's end [m].
        distance: (S,) from the tip to its target [m], of several tips the largest; 0 behind a forward stage.
    """

    stages: tuple[str, ...]
    points: Floats
    distance: Floats

    def __len__(self) -> int:
        """How many stages there are, the start included."""
        return len(self.stages)

    def __repr__(self) -> str:
        """At most nine lines: how it ended, and some of its stages."""
        bones = counted(self.points.shape[1] - 1, "bone")
        return "\n".join(lines_of(f"{type(self).__name__}({bones}", self.stages, self.distance))


def trace(bones: Bones, wants: Floats, points: Floats, q: Floats, sweeps: int) -> BoneTrace:
    """The sweeps of plain FABRIK until every tip arrives, or as many as asked for."""
    whole = isinstance(sweeps, (int, np.integer)) and not isinstance(sweeps, bool)
    if not whole or not 1 <= sweeps <= MAX_SWEEPS:
        raise OptionError(f"sweeps is {sweeps!r}; it takes a whole number from 1 to {MAX_SWEEPS}")
    stages = np.empty((1 + 2 * sweeps, bones.n + 1, 3))
    if bones.is_free and wants[0, GOAL_KIND] == POSITION:
        target = np.ascontiguousarray(wants[0, POINT : POINT + 3])
        count = trace_free(bones.length, points, target, float(wants[0, REACH_TOL]), np.empty(points.shape), stages)
    else:
        base = points[0].copy()
        tree, work = (bones.parent, bones.length, bones.joints), np.empty(bones_size(bones.n, len(wants)))
        count = trace_bones(*tree, base, q.copy(), wants, bones.free_base, work, stages)
    stages = stages[:count]
    tips = wants[:, BONE].astype(int) + 1
    away = np.linalg.norm(stages[:, tips] - wants[:, POINT : POINT + 3], axis=2).max(axis=1)
    names = ("start", *(("forward", "backward")[k % 2] for k in range(count - 1)))
    return BoneTrace(names, stages[:, :, : bones.dim].copy(), away)


@dataclass(frozen=True, eq=False, repr=False)
class BezierTrace(BoneTrace):
    """The curves that were tried: the last joint is on the target, `distance` by how much the last link misses.

    Attributes:
        gaps: (S,) the distances with their sign: positive where the curve is too long for the chain.
        control: (S, dim) the control point P1 [m].
        curve: (S, CURVE_POINTS, dim) the curve [m].
        tolerance: Where the search ends [m].
        clearance: (S,) distance to the nearest obstacle [m]; infinite without any.
    """

    gaps: Floats
    control: Floats
    curve: Floats
    tolerance: float
    clearance: Floats


def trace_bezier(bones: Bones, points: Floats, target: Floats) -> BezierTrace:
    """The curves of the published search from a pose (n+1, 3) of a chain to a target (3,); it knows no limits."""
    base, away = points[0], target - points[0]
    if not float(np.linalg.norm(away)) < bones.size:
        raise TargetError(
            f"the target is {np.linalg.norm(away):.4g} m from the base; curves are laid to targets nearer than the "
            f"chain's {bones.size:.4g} m, so bring it nearer"
        )
    frame = _plane(points, away, bones.dim)
    x, y = (frame @ away).tolist()
    top = float(np.linalg.norm(points[-1] - base))
    heights, laid, gaps = _lay_tried(bones.length, top, x, y)
    t = np.linspace(0.0, 1.0, CURVE_POINTS)[:, None]
    control = base + heights[:, None] * frame[1]
    curves = [base + 2.0 * t * (1.0 - t) * (P1 - base) + t * t * away for P1 in control]
    start, dim = float(np.linalg.norm(points[-1] - target)), bones.dim
    return BezierTrace(
        stages=("start", *("curve" for _ in heights)),
        points=np.stack([points, *(base + laid @ frame)])[:, :, :dim],
        distance=np.abs([start, *gaps]),
        gaps=np.array([start, *gaps]),
        control=np.vstack([control[:1], control])[:, :dim],
        curve=np.stack([curves[0], *curves])[:, :, :dim],
        tolerance=STOP * float(bones.length[-1]),
        clearance=np.full(len(heights) + 1, np.inf),
    )


def trace_attempts(problem: BoneProblem) -> BezierTrace:
    """The attempts of the published search among obstacles, a stage each: "first", "shifted", "reflected"."""
    tried, bones = list(attempts(problem)), problem.bones
    (frame, _), base, away = frame_of_plane(bones), bones.start[0, :2], (problem.target - bones.start[0])[:2]
    t = np.linspace(0.0, 1.0, CURVE_POINTS)[:, None]
    control = np.array([base + (one.shift, one.solution.height) @ frame for one in tried])
    curves = [base + 2.0 * t * (1.0 - t) * (P1 - base) + t * t * away for P1 in control]
    residuals = np.array([math.dist(bones.start[-1], problem.target), *(one.solution.residual for one in tried)])
    return BezierTrace(
        stages=("start", *(one.name for one in tried)),
        points=np.stack([bones.start[:, :2], *(one.solution.points for one in tried)]),
        distance=residuals,
        gaps=residuals,
        control=np.vstack([control[:1], control]),
        curve=np.stack([curves[0], *curves]),
        tolerance=STOP * float(bones.length[-1]),
        clearance=np.array([np.inf, *(one.solution.clearance or 0.0 for one in tried)]),
    )


def _plane(points: Floats, away: Floats, dim: int) -> Floats:
    """(2, 3) the paper's axes as rows: y from the base to the initial tip, x toward the target."""
    up = points[-1] - points[0]
    up = up / np.linalg.norm(up) if up.any() else np.eye(3)[dim - 1]
    side = away - (away @ up) * up
    if np.linalg.norm(side) < SAME_LINE * np.linalg.norm(away):
        side = np.eye(3)[int(np.argmin(np.abs(up[:dim])))]
        side = side - (side @ up) * up
    return np.stack([side / np.linalg.norm(side), up])


def _lay_tried(length: Floats, top: float, x: float, y: float) -> tuple[Floats, Floats, Floats]:
    """(k,) the heights that the search tries, (k, n+1, 2) the joints on each curve, and (k,) their gaps."""
    noted = np.empty(MOST_TRIED)
    stop = STOP * float(length[-1])
    tried = search_binary(length, top, 0.0, x, y, GRID, HEIGHTS, stop, noted, np.empty((len(length) + 1, 2)))[3]
    laid, gaps = np.empty((tried, len(length) + 1, 2)), np.empty(tried)
    for k in range(tried):
        gaps[k] = place_on_grid(length, 0.0, noted[k], x, y, GRID, BINARY, laid[k])[0]
    return noted[:tried], laid, gaps
