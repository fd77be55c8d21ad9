"""Table II and Figs. 6 to 9 of the combined algorithm, measured again (Xu et al., FABRIK with optimization).

Queries are poses of random configurations: the UR5's from half a turn to either side, the iiwa's
inside its limits. A query counts as solved by the paper's own measure, Eqs. (16) to (18): the sum of
position error [m] and rotation error [rad], by forward kinematics of the answer, is at most 1e-6, and
the ranges that FABRIK keeps, of shoulder and elbow, are kept. "All limits" counts those inside the
limits of every joint, which the paper does not look at. `refiner="none"` is plain FABRIK.
"""

import importlib.util
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.common.types import Floats
from forearm.reproduce import SOLVED, TIME, Figure, Sample, Sampling, Table, Tick
from forearm.reproduce.combined import paths as combined_paths
from forearm.robot import Robot, load

CITATION = "Xu et al., A Combined Inverse Kinematics Algorithm Using FABRIK with Optimization, 2022"

TARGETS = 10_000  # queries in the paper
TOLERANCE = 1e-6  # the paper's epsilon_tol, on the sum of both errors [m + rad]
SLACK = 1e-9  # what rounding may add to a joint at its limit [rad]
ALL_LIMITS = "solved, all limits (%)"
MEDIAN = "ms per target, median"
FASTER = "times as fast as the paper"


@dataclass(frozen=True)
class Solver:
    """A column of Table II."""

    label: str
    options: Mapping[str, Any]


FABRIK = tuple(Solver(f"FABRIK, n_max {n}", {"n_l": n, "refiner": "none", "elbow": "fabrik"}) for n in (100, 500, 900))
WITH_SQP = tuple(Solver(f"combined, n_l {n}", {"n_l": n, "elbow": "fabrik"}) for n in (5, 15, 50))
WITH_NLOPT = tuple(
    Solver(f"combined with SLSQP, n_l {n}", {"n_l": n, "refiner": "nlopt", "elbow": "fabrik"}) for n in (5, 15, 50)
)
HAS_NLOPT = importlib.util.find_spec("nlopt") is not None
SOLVERS = (*WITH_SQP, *(WITH_NLOPT if HAS_NLOPT else ()), *FABRIK)


@dataclass(frozen=True)
class Arm:
    """A robot of the paper.

    Attributes:
        name: Its name in the catalog.
        label: Its name in the paper.
        ranged: The joints of shoulder and elbow whose ranges FABRIK keeps, counted from 0.
        boxed: The solver that Fig. 7 shows of the combined ones.
        printed: Solver to the print's success (%), our recomputed one, and the print's mean time [ms].
    """

    name: str
    label: str
    ranged: tuple[int, ...]
    boxed: str
    printed: Mapping[str, tuple[float, float | None, float]] = field(default_factory=dict)


UR5 = Arm(
    "ur5",
    "UR5",
    (1, 2),
    "combined, n_l 5",
    {
        "combined, n_l 5": (99.99, 100.0, 0.442),
        "combined, n_l 15": (99.99, 100.0, 0.668),
        "combined, n_l 50": (99.99, 100.0, 1.590),
        "FABRIK, n_max 100": (95.31, 95.19, 2.084),
        "FABRIK, n_max 500": (98.88, 98.97, 3.704),
        "FABRIK, n_max 900": (99.23, 99.36, 4.659),
    },
)
IIWA = Arm(
    "iiwa14",
    "KUKA iiwa 14",
    (1, 3),
    "combined, n_l 15",
    {
        "combined, n_l 5": (99.64, None, 0.278),
        "combined, n_l 15": (99.83, None, 0.359),
        "combined, n_l 50": (99.89, None, 0.506),
        "FABRIK, n_max 100": (85.63, 85.83, 0.630),
        "FABRIK, n_max 500": (93.97, 94.02, 1.297),
        "FABRIK, n_max 900": (95.73, 95.65, 1.605),
    },
)
ARMS = (UR5, IIWA)

NOTE_2 = (
    "The print's times are C++ on an i7-12700K with NLopt's SLSQP; ours are those of a call from Python here, "
    "where other work lengthens the mean but hardly the median. 'combined' refines with the library's own SQP; with "
    "SLSQP the same objective is called from Python, so only its success compares. The print's combined method misses "
    "some queries; ours lets the refiner start again where it ends in a wrong valley. Plain FABRIK reports one elbow "
    "side per problem, as in the paper."
)
NOTE_7 = "Logarithms to base 10 of the time of a call [ms]: least, quartiles, most; the print gives no numbers."


@dataclass(frozen=True)
class BoxRow:
    """A box of Fig. 7: logarithms of times in milliseconds."""

    arm: str
    solver: str
    least: float
    lower_quartile: float
    median: float
    upper_quartile: float
    most: float


# -- the parts -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """A part of the reproduction that stands on its own."""

    tables: Callable[[Sampling, Tick], tuple[Table, ...]]
    steps: Callable[[Sampling], int]


def tables(sampling: Sampling, tick: Tick = lambda _: None) -> tuple[Table, ...]:
    """All tables and the curves of the figures, measured on this machine.

    Args:
        sampling: Queries and seeds of Table II; the other experiments are printed.
        tick: Called after each of the `steps(sampling)` steps.
    """
    return tuple(table for part in PARTS for table in part.tables(sampling, tick))


def steps(sampling: Sampling) -> int:
    """How often `tables` ticks."""
    return sum(part.steps(sampling) for part in PARTS)


def table_2_and_figure_7(sampling: Sampling, tick: Tick) -> tuple[Table, ...]:
    """Success and times of all solvers on the same queries, and the spread of the times."""
    samples = {arm.label: measure_arm(arm, sampling, tick) for arm in ARMS}
    return (*(table_2(arm, samples[arm.label]) for arm in ARMS), figure_7(samples))


PARTS = (
    Part(table_2_and_figure_7, lambda sampling: sampling.runs * len(ARMS) * len(SOLVERS)),
    Part(combined_paths.convergence, combined_paths.convergence_steps),
    Part(combined_paths.tracking, combined_paths.tracking_steps),
)


# -- Table II ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Measured:
    """What a solver did on all queries: by the paper's measure, and whether inside all limits."""

    sample: Sample
    all_limits: NDArray[np.bool_]


def robots_of(arm: Arm) -> tuple[Robot, Robot]:
    """The robot with the limits that the paper keeps, and with all limits."""
    robot = load(arm.name)
    if arm is UR5:
        robot = robot.with_limits(np.tile([[-np.pi], [np.pi]], (1, robot.n)))
    limits = np.array(robot.limits)
    limits[:, [k for k in range(robot.n) if k not in arm.ranged]] = [[-np.inf], [np.inf]]
    return robot.with_limits(limits), robot


def measure_arm(arm: Arm, sampling: Sampling, tick: Tick = lambda _: None) -> dict[str, Measured]:
    """Each solver's figures over all runs, on the same queries."""
    paper, full = robots_of(arm)
    seeds = range(sampling.seed, sampling.seed + sampling.runs)
    draws = [full.fk(full.sample(sampling.targets, rng_seed=seed)) for seed in seeds]
    measured = {}
    for solver in SOLVERS:
        runs, inside = [], []
        for poses in draws:
            runs.append(measure(paper, solver, poses))
            inside.append(measure(full, solver, poses).solved)
            tick(f"{arm.label}, {solver.label}")
        sample = Sample(*(np.concatenate([getattr(run, name) for run in runs]) for name in Sample.__dataclass_fields__))
        measured[solver.label] = Measured(sample, np.concatenate(inside))
    return measured


def measure(robot: Robot, solver: Solver, poses: Floats) -> Sample:
    """What a solver does on each pose, nearest to the zero configuration."""
    q0 = np.zeros(robot.n)
    robot.solve(poses[0], q0, method="combined", explain=False, **solver.options)  # compiles
    Q, iterations, seconds = np.empty((len(poses), robot.n)), np.empty(len(poses)), np.empty(len(poses))
    for k, T in enumerate(poses):
        began = time.perf_counter()
        solution = robot.solve(T, q0, method="combined", explain=False, **solver.options)
        seconds[k] = time.perf_counter() - began
        Q[k], iterations[k] = solution.q, solution.iterations
    position, rotation = pose_errors(robot.fk(Q), poses)
    lower, upper = robot.limits
    inside = ((lower - SLACK <= Q) & (upper + SLACK >= Q)).all(axis=1)
    return Sample((position + rotation <= TOLERANCE) & inside, iterations, position, seconds)


def pose_errors(reached: Floats, wanted: Floats) -> tuple[Floats, Floats]:
    """Position [m] and rotation [rad] errors of (N, 4, 4) poses, Eq. (16) by the arctangent."""
    R = np.swapaxes(reached[:, :3, :3], 1, 2) @ wanted[:, :3, :3]
    vee = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1)
    cosine = 0.5 * (np.trace(R, axis1=1, axis2=2) - 1.0)
    position: Floats = np.linalg.norm(reached[:, :3, 3] - wanted[:, :3, 3], axis=1)
    return position, np.arctan2(0.5 * np.linalg.norm(vee, axis=1), cosine)


def table_2(arm: Arm, measured: Mapping[str, Measured]) -> Table:
    """One robot's half of Table II."""
    rows: list[Figure] = []
    for label, result in measured.items():
        success, recomputed, milliseconds = arm.printed.get(label, (None, None, None))
        summary, share = result.sample.summary(), float(result.all_limits.mean())
        spread = 100.0 * float(np.sqrt(share * (1.0 - share) / len(result.all_limits)))
        rows.append(Figure(label, SOLVED, success, recomputed, *summary[SOLVED]))
        rows.append(Figure(label, ALL_LIMITS, None, None, 100.0 * share, spread))
        rows.append(Figure(label, TIME, milliseconds, None, *summary[TIME]))
        rows.append(Figure(label, MEDIAN, None, None, 1e3 * float(np.median(result.sample.seconds)), None))
        here = summary[TIME][0]
        if milliseconds is not None and here:
            rows.append(Figure(label, FASTER, None, None, milliseconds / here, None))
    title = f"Table II: {arm.label}, {len(result.all_limits)} queries, tolerance 1e-6"
    return Table(f"table-2-{arm.name}", title, NOTE_2, tuple(rows))


def figure_7(samples: Mapping[str, Mapping[str, Measured]]) -> Table:
    """The spread of the times as boxes."""
    rows = []
    for arm in ARMS:
        for label in (arm.boxed, *(solver.label for solver in FABRIK)):
            logs = np.log10(1e3 * samples[arm.label][label].sample.seconds)
            rows.append(BoxRow(arm.label, label, *np.percentile(logs, [0, 25, 50, 75, 100]).tolist()))
    return Table("figure-7", "Fig. 7: logarithm of the time of a query", NOTE_7, tuple(rows))
