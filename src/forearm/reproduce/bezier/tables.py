"""Harahap's Bezier solver: Table 1 row by row, Fig. 8's nine poses, the critical zone, the obstacle figures.

Three solvers stand beside the print: the published search on its grid (`mode="paper"`), the same family of
curves without a grid (`grid=0`), and the library's method `bezier`. Grid and tolerance of the print are not all
known, so most of its residuals cannot be met; the two that hang on neither are (rows 3 and 8).
"""

import math
from typing import Any

import numpy as np

from forearm.bones.solution import ChainSolution
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
STEPS = len(TABLE_1) + 3  # how often `tables` ticks

NOTE_1 = (
    "Residual: by how much the last link misses its length. 'residual' is the published search with the paper's n and "
    "k, 'at root' the grid's residual with P1 where it should be: it meets the print in row 3; row 8 is met at the "
    "start, where the search ends, since the gap is negative and P1 only moves down. The others hang on a tolerance "
    "that is not printed (here 1e-3). The paper's own 'dist < d' rejects (4, 3) and (3, 4); its mean of 5.018e-4 "
    "is that of rows 1 to 7, 9 and 12. An iteration is a look at a point of the grid. Times: Matlab in print, here "
    "calls from Python."
)
NOTE_EXACT = (
    "'P1 y' is the exact height of P1: (2, 2) needs 5.12, above the tip at 5, and 4.97 with P1 moved by -0.2: that is "
    "the critical zone. 'curves' laid to find it. Errors are the largest of a link's length and of the tip; 'bezier' "
    "is the library's own family of curves. It solves all of the disc; see the last table."
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
    shares = coverage(sampling)
    tick("coverage")
    return (
        Table("table-1", "Table 1: six joints, residuals in thousandths of a link", NOTE_1, tuple(r for r, _ in rows)),
        Table(
            "table-1-exact", "Table 1 without a grid", NOTE_EXACT, tuple(r for _, r in rows if r.row not in LINEAR_ROWS)
        ),
        Table("figure-8", "Fig. 8: nine poses", NOTE_8, joints, shown=False),
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


def measure(number: int) -> tuple[Row, Row]:
    """One row of Table 1: the published search, residuals in thousandths of a link, and without a grid, errors [m]."""
    target, search, shift, iterations, residual, seconds = TABLE_1[number]
    grid, grid_ms = fastest(lambda: published(target, search, shift=shift), 3 if search == "linear" else ROUNDS)
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
        paper_residual=1e3 * residual,
        residual=1e3 * grid.residual,
        at_root=1e3 * abs(at_root),
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
    walls = [Sphere(center, RADIUS) for center in OBSTACLES]
    return CHAIN.solve(GOAL, method="bezier", obstacles=walls)


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
