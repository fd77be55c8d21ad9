"""FABRIK-R's tables: the figures a prototype recomputed come out again, and the print where it can.

Two samples of the same method differ by chance, so a figure is met when it lies within some standard errors of both
samples together; those of a mean of iterations are not taken from the run that is judged (`checks.TAIL`).
"""

import csv
import io
import math

import numpy as np
import pytest

import forearm as fa
from forearm.reproduce import ITERATIONS, SOLVED, Figure, Row, Sample, Sampling, Table, checks
from forearm.reproduce.fabrik_r import tables as fabrik_r

TWENTY = Sampling(targets=200, runs=20, seed=0)
ARMS = {"fabrik-r-5dof": 0.0, "fabrik-r-10dof": fabrik_r.LEAST_DISTANCE}
N_SPEC, N_LONG = 20 * 200, 200 * 200

# arm, solver, solved share, iterations, targets drawn. The rows of N_SPEC come from a prototype written
# from the paper's text; details the paper leaves open were then settled in favour of these figures. Those
# of N_LONG come from seeds 0 to 199 on the prototype this library's kernel grew from: they guard against
# drift, and are no independent evidence.
RECOMPUTED = [
    ("fabrik-r-5dof", "FABRIK-R", 0.9920, 15.0, N_SPEC),
    ("fabrik-r-5dof", "FABRIK-R", 0.9915, 16.38, N_LONG),
    ("fabrik-r-10dof", "FABRIK-R", 0.9965, 27.0, N_SPEC),
    ("fabrik-r-10dof", "FABRIK-R", 0.9950, 28.49, N_LONG),
    ("fabrik-r-10dof", "CCD", 0.864, 145.8, N_SPEC),
]


@pytest.fixture(scope="module")
def arms():
    return {name: fabrik_r.measure_arm(name, fabrik_r.SOLVERS_5DOF, TWENTY, least) for name, least in ARMS.items()}


@pytest.fixture(scope="module")
def pioneer():
    return fabrik_r.measure_pioneer()


@pytest.mark.compiled
@pytest.mark.parametrize(("arm", "solver", "share", "iterations", "drawn"), RECOMPUTED)
def test_success_and_iterations_meet_the_recomputed_ones(arms, arm, solver, share, iterations, drawn):
    sample = arms[arm][solver]
    both = math.sqrt(1 / len(sample.solved) + 1 / drawn)
    assert abs(sample.solved.mean() - share) < 3 * math.sqrt(share * (1 - share)) * both
    counted = sample.iterations[sample.solved]
    assert abs(counted.mean() - iterations) < checks.count_spread(iterations, len(counted), drawn)


@pytest.mark.compiled
@pytest.mark.parametrize("arm", ARMS)
def test_refined_solves_every_target_the_paper_could_draw(arms, arm):
    sample = arms[arm]["FABRIK-R refined"]
    assert len(sample.solved) == 4000
    assert sample.solved.all()
    assert sample.errors.max() <= fabrik_r.TOLERANCE


@pytest.mark.compiled
def test_sweeps_miss_only_near_full_reach_on_the_10_dof_arm(arms):
    robot = fa.load("fabrik-r-10dof")
    points = np.concatenate([fabrik_r.draw_targets(robot, 200, seed, fabrik_r.LEAST_DISTANCE) for seed in range(20)])
    missed = points[~arms["fabrik-r-10dof"]["FABRIK-R"].solved]
    assert (np.linalg.norm(missed - [0.0, 0.0, 0.09], axis=1) > 0.998 * robot.reach).all()


def test_pioneer_meets_the_recomputed_averages(pioneer):
    plain, refined = pioneer["FABRIK-R"], pioneer["FABRIK-R refined"]
    assert plain.solved.all()
    assert refined.solved.all()
    assert plain.iterations.mean() == 1.3
    assert 100.0 * plain.errors.mean() == pytest.approx(0.269, abs=5e-4)


def test_printed_angles_of_table_6_give_the_printed_errors():
    printed = [row[10] for row in fabrik_r.TABLE_6]
    np.testing.assert_allclose(fabrik_r.errors_of_angles(fabrik_r.CALCULATED), printed, atol=checks.PRINTED_ERROR)
    assert np.mean(printed) == pytest.approx(0.2752, abs=5e-5)  # the mean in section VI-B


def test_the_pioneer_starts_where_the_paper_says():
    tip = fabrik_r.load_pioneer().fk(np.full(7, fabrik_r.SERVO_CENTRE))[:3, 3]
    np.testing.assert_allclose(tip, [0.0, 0.0, 0.59], atol=5e-3)  # printed as (0, 0, 59 cm)


@pytest.mark.parametrize(("arm", "length"), [("fabrik-r-5dof", 0.34), ("fabrik-r-10dof", 0.9)])
def test_the_straight_arm_stands_as_high_as_it_is_long(arm, length):
    robot = fa.load(arm)
    np.testing.assert_allclose(robot.fk(fabrik_r.straight(robot))[:3, 3], [0.0, 0.0, length], atol=1e-12)


def test_targets_lie_in_the_ball_and_far_from_the_start_and_depend_on_the_seed():
    robot = fa.load("fabrik-r-10dof")
    points = fabrik_r.draw_targets(robot, 500, 3, 0.6)
    assert points.shape == (500, 3)
    assert np.linalg.norm(points - [0.0, 0.0, 0.09], axis=1).max() <= robot.reach
    assert np.linalg.norm(points - [0.0, 0.0, 0.9], axis=1).min() >= 0.6
    assert np.array_equal(points, fabrik_r.draw_targets(robot, 500, 3, 0.6))
    assert not np.array_equal(points, fabrik_r.draw_targets(robot, 500, 4, 0.6))


@pytest.mark.compiled
def test_all_tables_come_out_and_tick_as_often_as_announced():
    ticks = []
    sampling = Sampling(targets=3, runs=2)
    tables = fabrik_r.tables(sampling, ticks.append)
    assert [table.name for table in tables] == ["table-1", "table-3", "table-4", "table-6", "table-6-averages"]
    assert len(ticks) == fabrik_r.steps(sampling)


def test_every_printed_number_has_its_row():
    sample = Sample(np.array([True, False]), np.array([3.0, 9.0]), np.zeros(2), np.ones(2))
    samples = {solver.label: sample for solver in fabrik_r.SOLVERS_10DOF} | {"FABRIK": sample}
    pioneer = {solver.label: Sample.joined([sample] * 5) for solver in fabrik_r.SOLVERS_PIONEER}
    tables = {table.name: table for table in fabrik_r.beside_print(samples, samples, pioneer)}
    for name, printed in (
        ("table-1", fabrik_r.TABLE_1),
        ("table-3", fabrik_r.TABLE_3),
        ("table-4", fabrik_r.TABLE_4),
        ("table-6-averages", fabrik_r.AVERAGES),
    ):
        rows = {(row.solver, row.quantity): (row.paper, row.recomputed) for row in tables[name].rows}
        assert {key: rows[key] for key in printed} == dict(printed)


def test_summary_counts_iterations_over_the_solved_and_time_over_all():
    sample = Sample(np.array([True, False]), np.array([3.0, 9.0]), np.zeros(2), np.array([1.0, 2.0]))
    summary = sample.summary()
    assert summary[SOLVED][0] == 50.0
    assert summary[ITERATIONS] == (3.0, 0.0)
    assert summary["ms per target"][0] == 1500.0
    assert summary["ms per iteration"][0] == 250.0


def test_a_solver_that_never_arrives_has_no_mean_of_iterations():
    sample = Sample(np.zeros(2, dtype=bool), np.array([3.0, 9.0]), np.zeros(2), np.ones(2))
    assert sample.summary()[ITERATIONS] == (None, None)


def test_csv_reads_back_to_the_same_bits(pioneer):
    table = fabrik_r.table_6(pioneer)
    rows = list(csv.DictReader(io.StringIO(table.to_csv())))
    kinds = {name: type(value) for name, value in vars(table.rows[0]).items()}
    read = [Row(**{name: kind(row[name]) for name, kind in kinds.items()}) for row in rows]
    assert tuple(read) == table.rows


def test_csv_leaves_a_missing_number_empty():
    table = Table("t", "title", "note", (Figure("CCD", SOLVED, None, 86.4, 84.8, None),))
    assert table.to_csv() == "solver,quantity,paper,recomputed,here,standard_error\nCCD,solved (%),,86.4,84.8,\n"
