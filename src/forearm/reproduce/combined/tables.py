"""Table II and Fig. 7 of the combined algorithm, measured again (Xu et al., FABRIK with optimization).

Queries are poses of random configurations: the UR5's from half a turn to either side, the iiwa's
inside its limits. A query counts as solved by the paper's own measure, Eqs. (16) to (18): the sum of
position error [m] and rotation error [rad], by forward kinematics of the answer, is at most 1e-6, and
the ranges that FABRIK keeps, of shoulder and elbow, are kept. "All limits" counts those inside the
limits of every joint, which the paper does not look at. `refiner="none"` is plain FABRIK.
"""

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.arm.structure import Kind
from forearm.common.types import Floats
from forearm.plot.motion import errors_along
from forearm.reproduce import SOLVED, TIME, Figure, Row, Sample, Sampling, Solver, Table, Tick, share_and_error
from forearm.robot import Robot, load

CITATION = "Xu et al., A Combined Inverse Kinematics Algorithm Using FABRIK with Optimization, 2022"

TARGETS = 10_000  # queries in the paper
TOLERANCE = 1e-6  # the paper's epsilon_tol, on the sum of both errors [m + rad]
SLACK = 1e-9  # what rounding may add to a joint at its limit [rad]
Measured = tuple[Sample, NDArray[np.bool_]]  # by the paper's measure; which queries are solved inside all limits
ALL_LIMITS = "solved, all limits (%)"
MEDIAN = "ms per target, median"
FASTER = "times as fast as the paper"
QUARTILES = ("least", "lower_quartile", "median", "upper_quartile", "most")  # of a box of Fig. 7


def solver(label: str, **options: Any) -> Solver:
    """A column of Table II."""
    return Solver(label, "combined", options)


def elbow_of(robot: Robot) -> dict[str, Any]:
    """How the published algorithm leaves the elbow of an arm that has a choice there."""
    return {"elbow": "fabrik"} if robot.structure.kind is Kind.SRS else {}


FABRIK = tuple(solver(f"FABRIK, n_max {n}", n_l=n, refiner="none") for n in (100, 500, 900))
WITH_SQP = tuple(solver(f"combined, n_l {n}", n_l=n) for n in (5, 15, 50))
PUBLISHED = tuple(solver(f"as published, n_l {n}", n_l=n, mode="paper") for n in (5, 15, 50))
WITH_SLSQP = tuple(solver(f"as published, SLSQP, n_l {n}", n_l=n, mode="paper", refiner="nlopt") for n in (5, 15, 50))
HAS_NLOPT = importlib.util.find_spec("nlopt") is not None
SOLVERS = (*WITH_SQP, *PUBLISHED, *(WITH_SLSQP if HAS_NLOPT else ()), *FABRIK)


@dataclass(frozen=True)
class Arm:
    """A robot of the paper."""

    name: str  # in the catalog
    label: str  # in the paper
    ranged: tuple[int, ...]  # the joints of shoulder and elbow whose ranges FABRIK keeps, counted from 0
    boxed: str  # the solver that Fig. 7 shows of the combined ones
    # solver to the print's success (%), our recomputed one, and the print's mean time [ms]
    printed: Mapping[str, tuple[float, float | None, float]]

    def print_of(self, label: str) -> tuple[float | None, float | None, float | None]:
        """The same of any column; what is done as published stands beside the print's combined method."""
        published = label.startswith("as published")
        found = self.printed[f"combined, {label.rpartition(', ')[2]}" if published else label]
        return (found[0], None, found[2]) if published else found


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
    "where other work lengthens the mean but hardly the median. 'as published' is the paper's algorithm, mode='paper': "
    "one run of the refiner, from the first signs of Eqs. (22) to (24) moved into the limits of joints that iterate; "
    "with the library's own SQP, and with NLopt's SLSQP called from Python, so only its success compares. It misses "
    "queries as the print does, with n_l 5 more: see the print's seed below. 'combined' misses none, since of the "
    "signs it takes those that the limits disturb least: one start is then enough (further ones are hardly ever used), "
    "and both elbow sides are offered. "
    "Plain FABRIK reports one elbow side per problem, as in the paper."
)
NOTE_7 = "Logarithms to base 10 of the time of a call [ms]: least, quartiles, most; the print gives no numbers."


def steps(sampling: Sampling) -> int:
    """How often `tables` ticks."""
    return sampling.runs * len(ARMS) * len(SOLVERS)


def tables(sampling: Sampling, tick: Tick = lambda _: None) -> tuple[Table, ...]:
    """Success and times of all solvers on the same queries, and the spread of the times."""
    samples = {arm.label: measure_arm(arm, sampling, tick) for arm in ARMS}
    return (*(table_2(arm, samples[arm.label]) for arm in ARMS), figure_7(samples))


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
    draws = [full.fk(full.sample(sampling.targets, rng_seed=seed)) for seed in sampling.seeds]
    measured = {}
    for solver in SOLVERS:
        runs, inside = [], []
        published = "mode" in solver.options  # its refiner has the limits of all joints it iterates
        for poses in draws:
            sample, all_limits = measure(full if published else paper, solver, poses, arm.ranged)
            runs.append(sample)
            inside.append(all_limits if published else measure(full, solver, poses, arm.ranged)[1])
            tick(f"{arm.label}, {solver.label}")
        measured[solver.label] = Sample.joined(runs), np.concatenate(inside)
    return measured


def measure(robot: Robot, solver: Solver, poses: Floats, ranged: tuple[int, ...]) -> Measured:
    """What a solver does on each pose, nearest to the zero configuration."""
    solver = replace(solver, options=elbow_of(robot) | dict(solver.options))
    answers = solver.answers(robot, list(poses), np.zeros(robot.n))
    Q = np.array([solution.q for solution, _ in answers])
    position, rotation = errors_along(robot.fk(Q), poses)
    lower, upper = robot.limits
    inside = (lower - SLACK <= Q) & (upper + SLACK >= Q)
    met = position + rotation <= TOLERANCE
    solved, all_limits = met & inside[:, list(ranged)].all(axis=1), met & inside.all(axis=1)
    iterations, seconds = (solution.iterations for solution, _ in answers), (seconds for _, seconds in answers)
    return Sample.of(list(zip(solved, iterations, position, seconds, strict=True))), all_limits


def table_2(arm: Arm, measured: Mapping[str, Measured]) -> Table:
    """One robot's half of Table II."""
    rows: list[Figure] = []
    for label, (sample, all_limits) in measured.items():
        success, recomputed, milliseconds = arm.print_of(label)
        summary = sample.summary()
        rows.append(Figure(label, SOLVED, success, recomputed, *summary[SOLVED]))
        rows.append(Figure(label, ALL_LIMITS, None, None, *share_and_error(all_limits)))
        rows.append(Figure(label, TIME, milliseconds, None, *summary[TIME]))
        rows.append(Figure(label, MEDIAN, None, None, 1e3 * float(np.median(sample.seconds)), None))
        here = summary[TIME][0]
        if milliseconds is not None and here:
            rows.append(Figure(label, FASTER, None, None, milliseconds / here, None))
    title = f"Table II: {arm.label}, {len(all_limits)} queries, tolerance 1e-6"
    return Table(f"table-2-{arm.name}", title, NOTE_2, tuple(rows))


def figure_7(samples: Mapping[str, Mapping[str, Measured]]) -> Table:
    """The spread of the times as boxes."""
    rows = []
    for arm in ARMS:
        for label in (arm.boxed, *(solver.label for solver in FABRIK)):
            logs = np.log10(1e3 * samples[arm.label][label][0].seconds)
            ends = zip(QUARTILES, np.percentile(logs, [0, 25, 50, 75, 100]).tolist(), strict=True)
            rows.append(Row(arm=arm.label, solver=label, **dict(ends)))
    return Table("figure-7", "Fig. 7: logarithm of the time of a query", NOTE_7, tuple(rows))
