"""Harahap's Bezier solver: Table 1 row by row, Fig. 8's nine poses, the critical zone, the obstacle figures.

Three solvers stand beside the print: the published search on its grid (`mode="paper"`), the same family of
curves without a grid (`grid=0`), and the library's method `bezier`. Grid and tolerance of the print are not all
known, so most of its residuals cannot be met; the two that hang on neither are (rows 3 and 8).
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from forearm.bones.solution import ChainSolution
from forearm.bones.traces import BezierTrace
from forearm.chain import Chain
from forearm.common.types import Floats
from forearm.core.bezier.paper import BINARY, place_on_grid
from forearm.reproduce import Row, Sampling, Table, Tick, fastest
from forearm.scenes.shapes import Sphere

CITATION = "Harahap, Inverse Kinematics solver using Bezier curve based iterative algorithm with obstacle avoidance"
CHAIN = Chain([[0, 0], [0, 1], [0, 2], [0, 3], [0, 4], [0, 5]])
BINARY_GRID: dict[str, Any] = {"grid": 5001, "steps": 900}  # the paper's n and k
LINEAR_GRID: dict[str, Any] = {"grid": 4101, "steps": 800, "linear": True}
ROUNDS = 20  # of each time; the least is taken
HIT = 1e-3  # [m] a residual that the paper would call reached

# target, search, shift of P1; iterations, distance [mm in print, units of the links in truth] and seconds in print
TABLE_1 = (
    ((4.0, 0.0), "binary", 0.0, 504, 6.7196e-04, 0.0012),
    ((4.0, 1.5), "binary", 0.0, 544, 8.5708e-04, 0.0026),
    ((4.0, 3.0), "binary", 0.0, 615, 2.4320e-04, 0.0025),
    ((3.0, 0.0), "binary", 0.0, 351, 3.3380e-04, 0.0028),
    ((3.0, 2.0), "binary", 0.0, 288, 3.6458e-04, 0.0018),
    ((3.0, 4.0), "binary", 0.0, 546, 7.3012e-04, 0.0019),
    ((2.0, 0.0), "binary", 0.0, 418, 9.0282e-04, 0.0018),
    ((2.0, 2.0), "binary", 0.0, 1, 0.0655, 3.78e-04),
    ((2.0, 4.0), "binary", 0.0, 280, 3.9340e-05, 0.0012),
    ((4.0, 0.0), "linear", 0.0, 616032, 6.7196e-04, 0.1752),
    ((4.0, 1.5), "linear", 0.0, 591150, 8.5708e-04, 0.1596),
    ((2.0, 2.0), "binary", -0.2, 272, 3.7331e-04, 0.0010),
)
# exact height of P1 for each row, recomputed by an earlier prototype; none for the linear ones, the same as 1 and 2
HEIGHTS = (2.424201554, 2.390060824, 0, 3.614646376, 3.873270374, 0, 4.898453968, 5.122839693, 4.182912433)
HEIGHTS_BY_ROW = dict(zip(range(1, 10), HEIGHTS, strict=True)) | {12: 4.970821384}
FIGURE_8 = TABLE_1[:9]
OBSTACLES = ((1.5, 3.9), (1.7, 3.5))
RADIUS = 0.25  # not printed; the figures hold for 0.222 to 0.283
GOAL = (2.0, 4.0)
# attempt, shift of P1, whether P1 lies below the base (the only roots for which the figures hold)
ATTEMPTS = (("first", 0.0, False), ("second", 1.3, True), ("third", 2.0, True))

LINEAR_ROWS = (10, 11)  # the same targets as rows 1 and 2
STEPS = len(TABLE_1) + 5  # how often `tables` ticks

NOTE_1 = (
    "Residual: by how much the last link misses its length. 'residual' is the published search with the paper's n and "
    "k, 'at root' the grid's residual with P1 where it should be: it meets the print in row 3; row 8 is met at the "
    "start, where the search ends, since the gap is negative and P1 only moves down. The others hang on a tolerance "
    "that is not printed (here 1e-3). The paper's own 'dist < d' rejects (4, 3) and (3, 4); its mean of 5.018e-4 "
    "is that of rows 1 to 7, 9 and 12. An iteration is a look at a point of the grid; 'formula' is what the conclusion "
    "says they are, log2 k (m - 2) log2 n for the binary search and k (m - 2) n for the linear one: an estimate and a "
    "bound, which neither the print's counts nor ours are. Rows 10 and 11 repeat the residuals of rows 1 and 2 to five "
    "digits, though the text gives the two searches different n and k: on one grid both end at one place, as ours do "
    "in row 2 ('other search, same grid'), on two grids they do not, so the print's rows were run on one. Times: "
    "Matlab in print, here calls from Python."
)
NOTE_8B = (
    "Step 8b prints the interval [0 n] for every joint. Behind the first joint the distance from it first falls "
    "along the curve and then grows, so bisection over the whole curve may end on the wrong side of the joint. "
    "The table has the gap of the last link with P1 at its root, by that interval and by [idx_i, n], which the "
    "print's own results need and which is used here."
)
NOTE_III_G = (
    "Section III-G inside mode='paper', with the printed linear search, n = 4101 and k = 800: P1 is shifted left "
    "as the text says, then to the right as section IV does, until the pose is free, then reflected and shifted. The "
    "print's own shifts, 1.3 and 2.0 to the right, give no pose at all with P1 above the base: the curve is then too "
    "short. To the left the obstacle of Fig. 9a is passed; both of Fig. 9b only with P1 below the base, to the right."
)
NOTE_EXACT = (
    "'P1 y' is the exact height of P1. The critical zone: (2, 2) needs 5.12, but the search starts at the tip, at "
    "5, and moves down only; with P1 shifted by -0.2 it needs 4.97, which the search finds. 'curves' is how many "
    "were laid to find P1. Errors are the largest of a link's length and of the tip; 'bezier' is the library's "
    "own family of curves. It solves all of the disc; see the last table."
)
NOTE_8 = "Joints of Fig. 8's poses; 'curve' is the paper's family without a grid, 'bezier' the library's own."
NOTE_9 = (
    f"Distance of each pose from the obstacles' centres; radius {RADIUS} is free if it is larger. Only roots with P1 "
    "below the base give the print's second and third attempt. The last row is the library's, told of the obstacles."
)
NOTE_COVERAGE = "Targets uniform in the disc of full reach; 'published' counts residuals up to 1e-3."


def tables(sampling: Sampling, tick: Tick = lambda _: None) -> tuple[Table, ...]:
    """Table 1, the poses of Fig. 8, the obstacle figures, and the share of the disc that each solver covers."""
    rows = []
    for number in range(len(TABLE_1)):
        rows.append(measure(number))
        tick(f"Table 1, row {number + 1}")
    joints = tuple(
        Row(target=words(target), solver=solver, joint=k, x=float(x), y=float(y))
        for target, *_ in FIGURE_8
        for solver, points in poses(target).items()
        for k, (x, y) in enumerate(points)
    )
    tick("Fig. 8")
    attempts = obstacle_rows()
    tick("obstacles")
    intervals = tuple(interval_row(*row) for row in zip((target for target, *_ in FIGURE_8), HEIGHTS, strict=True))
    tick("the interval of step 8b")
    shifted = tuple(row for count in (1, 2) for row in attempt_rows(count))
    tick("section III-G")
    shares = coverage(sampling)
    tick("coverage")
    return (
        Table("table-1", "Table 1: six joints, residuals in thousandths of a link", NOTE_1, tuple(r for r, _ in rows)),
        Table(
            "table-1-exact", "Table 1 without a grid", NOTE_EXACT, tuple(r for _, r in rows if r.row not in LINEAR_ROWS)
        ),
        Table("table-1-interval", "Step 8b: the gap of the last link by two intervals", NOTE_8B, intervals),
        Table("figure-8", "Fig. 8: nine poses", NOTE_8, joints, shown=False),
        Table("section-3g", "Section III-G: shift until free, then reflect and shift", NOTE_III_G, shifted),
        Table("figure-9", "Obstacle figures: target (2, 4), obstacles at (1.5, 3.9) and (1.7, 3.5)", NOTE_9, attempts),
        Table("coverage", "Random reachable targets", NOTE_COVERAGE, shares),
    )


def published(target: tuple[float, float], search: str = "binary", **options: Any) -> ChainSolution:
    """The published search with the paper's n and k."""
    grid = LINEAR_GRID if search == "linear" else BINARY_GRID
    return CHAIN.solve(target, method="bezier", mode="paper", **(grid | options))


def on_curve(target: tuple[float, float], shift: float = 0.0, below: bool = False) -> ChainSolution:
    """The paper's family of curves without a grid."""
    return CHAIN.solve(target, method="bezier", mode="paper", grid=0, shift=shift, reflect=below)


def walls(count: int) -> list[Sphere]:
    """The first obstacles of Fig. 9."""
    return [Sphere(center, RADIUS) for center in OBSTACLES[:count]]


def section_3g(count: int) -> BezierTrace:
    """The attempts of section III-G round one or two obstacles, by the printed linear search."""
    trace = CHAIN.trace(GOAL, method="bezier", obstacles=walls(count), **LINEAR_GRID)
    assert isinstance(trace, BezierTrace)
    return trace


def attempt_rows(count: int) -> Iterator[Row]:
    """The attempts round so many obstacles, those left out that lay no pose to the target."""
    trace = section_3g(count)
    for k, name in enumerate(trace.stages[1:], start=1):
        met, gap = trace.distance[k] <= HIT, float(trace.clearance[k])
        if met or k == len(trace) - 1:
            x, y = trace.control[k].tolist()
            yield Row(obstacles=count, attempt=name, shift=x, P1_y=y, clearance=gap, free=bool(met and gap >= 0.0))


def iterations_by_formula(search: str) -> float:
    """What the paper's conclusion says that a search takes."""
    grid = LINEAR_GRID if search == "linear" else BINARY_GRID
    n, k, between = grid["grid"], grid["steps"], len(CHAIN.points) - 2
    return float(k * between * n) if search == "linear" else math.log2(k) * between * math.log2(n)


def gap_by_bisection(height: float, target: tuple[float, float], whole: bool) -> float:
    """The gap of the last link, joints placed by step 8b over the whole curve or behind the joint before."""
    t = np.linspace(0.0, 1.0, BINARY_GRID["grid"])[:, None]
    curve = 2.0 * t * (1.0 - t) * [0.0, height] + t * t * np.array(target)
    place = 0
    for _ in range(CHAIN.n - 1):
        away = np.abs(np.linalg.norm(curve - curve[place], axis=1) - 1.0)
        low, up, best = 0 if whole else place, len(curve) - 1, len(curve) - 1
        while low <= up:
            middle = (low + up) // 2
            best = middle if away[middle] < away[best] else best
            farther = math.dist(curve[middle], curve[place]) > 1.0
            low, up = (low, middle - 1) if farther else (middle + 1, up)
        place = best
    return math.dist(curve[place], target) - 1.0


def interval_row(target: tuple[float, float], height: float) -> Row:
    """A target of Fig. 8 with P1 at its root: the gap by the printed interval and by ours [m]."""
    printed, ours = (gap_by_bisection(height, target, whole) for whole in (True, False))
    return Row(target=words(target), P1_y=height, gap_over_0_n=printed, gap_behind_joint=ours)


def measure(number: int) -> tuple[Row, Row]:
    """One row of Table 1: the published search, residuals in thousandths of a link, and without a grid, errors [m]."""
    target, search, shift, iterations, residual, seconds = TABLE_1[number]
    grid, grid_ms = fastest(lambda: published(target, search, shift=shift), 3 if search == "linear" else ROUNDS)
    other = published(target, linear=True).residual if number in (0, 1) else None
    curve = on_curve(target, shift)
    bezier, bezier_ms = fastest(lambda: CHAIN.solve(np.array(target), method="bezier"), ROUNDS)
    points = LINEAR_GRID["grid"] if search == "linear" else BINARY_GRID["grid"]
    at_root, _ = place_on_grid(CHAIN.lengths, shift, curve.height, *target, points, BINARY, np.empty((6, 2)))
    printed = Row(
        row=number + 1,
        target=words(target),
        search=search,
        shift=shift,
        paper_iterations=iterations,
        iterations=grid.iterations,
        formula=iterations_by_formula(search),
        paper_residual=1e3 * residual,
        residual=1e3 * grid.residual,
        at_root=1e3 * abs(at_root),
        other_search_same_grid=1e3 * other if other is not None else None,
        paper_ms=1e3 * seconds,
        ms=grid_ms,
    )
    exact = Row(
        row=number + 1,
        target=words(target),
        shift=shift,
        recomputed_P1_y=HEIGHTS_BY_ROW.get(number + 1),
        P1_y=curve.height,
        curves=curve.tries,
        curve_error=worst_error(curve.points, target),
        bezier_error=worst_error(bezier.points, target),
        bezier_ms=bezier_ms,
    )
    return printed, exact


def words(target: tuple[float, float]) -> str:
    """A target as text."""
    return f"({target[0]:g}, {target[1]:g})"


def worst_error(points: Floats, target: tuple[float, float]) -> float:
    """The largest error of a link or the tip [m]."""
    links = np.abs(np.linalg.norm(np.diff(points, axis=0), axis=1) - 1.0).max()
    return max(float(links), math.dist(points[-1], target))


def poses(target: tuple[float, float]) -> dict[str, Floats]:
    """The pose of each solver for a target."""
    return {
        "grid": published(target).points,
        "curve": on_curve(target).points,
        "bezier": CHAIN.solve(target, method="bezier").points,
    }


def gaps(points: Floats) -> tuple[float, float]:
    """Distances of a pose from the two obstacles' centres [m], by plain geometry."""
    found = []
    for center in OBSTACLES:
        a, d = points[:-1] - center, np.diff(points, axis=0)
        s = np.clip(-(a * d).sum(axis=1) / (d * d).sum(axis=1), 0.0, 1.0)
        found.append(float(np.linalg.norm(a + s[:, None] * d, axis=1).min()))
    return found[0], found[1]


def obstacle_rows() -> tuple[Row, ...]:
    """The three attempts of the print, and the library's own answer: distances from the two centres [m]."""
    shown = [(name, shift, on_curve(GOAL, shift, below)) for name, shift, below in ATTEMPTS]
    rows = []
    for name, shift, pose in (*shown, ("bezier", 0.0, among_obstacles())):
        first, second = gaps(pose.points)
        height, touches = None if name == "bezier" else pose.height, touched(pose.points)
        rows.append(Row(attempt=name, shift=shift, P1_y=height, from_first=first, from_second=second, touches=touches))
    return tuple(rows)


def among_obstacles() -> ChainSolution:
    """The library's pose among both obstacles."""
    return CHAIN.solve(GOAL, method="bezier", obstacles=walls(2))


def touched(points: Floats) -> str:
    """Which obstacles a pose touches."""
    names = [name for name, gap in zip(("first", "second"), gaps(points), strict=True) if gap < RADIUS]
    return " and ".join(names) or "none"


def coverage(sampling: Sampling) -> tuple[Row, ...]:
    """Shares of random reachable targets that each solver meets."""
    rng = np.random.default_rng(sampling.seed)
    N = sampling.drawn
    angle, radius = rng.uniform(0.0, 2.0 * math.pi, N), 5.0 * np.sqrt(rng.random(N))
    targets = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    old = rule = new = 0
    for x, y in targets.tolist():
        target, curve = (x, y), on_curve((x, y))
        old += published(target).residual <= HIT
        # P1 between base and tip is where the paper looks
        rule += worst_error(curve.points, target) <= 1e-9 and 0.0 <= curve.height <= CHAIN.reach
        new += worst_error(CHAIN.solve(target, method="bezier").points, target) <= 1e-11
    counts = (("published, grid", None, old), ("published, no grid", 48.9, rule), ("bezier", 100.0, new))
    return tuple(Row(solver=s, targets=N, recomputed=r, solved_percent=100.0 * met / N) for s, r, met in counts)
