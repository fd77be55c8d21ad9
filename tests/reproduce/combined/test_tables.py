"""The combined algorithm's tables and figures: success on 10,000 queries, counts, paths."""

import math

import numpy as np
import pytest

from forearm.plot.motion import errors_along
from forearm.reproduce import SOLVED, Sampling, checks
from forearm.reproduce.combined import paths as combined_paths
from forearm.reproduce.combined import tables as combined
from forearm.reproduce.papers import PAPERS

FEW = Sampling(targets=20, runs=2, seed=0)


@pytest.fixture(scope="module")
def queries():
    """Each arm's robot with the paper's limits, with all limits, and 10,000 poses."""
    drawn = {}
    for arm in combined.ARMS:
        paper, full = combined.robots_of(arm)
        drawn[arm.label] = paper, full, full.fk(full.sample(combined.TARGETS, rng_seed=0))
    return drawn


@pytest.mark.compiled
@pytest.mark.parametrize("arm", combined.ARMS, ids=lambda arm: arm.name)
@pytest.mark.parametrize("solver", combined.FABRIK, ids=lambda solver: solver.label)
def test_plain_fabrik_succeeds_as_often_as_in_the_paper(queries, arm, solver):
    paper, _, poses = queries[arm.label]
    share = 100.0 * combined.measure(paper, solver, poses, arm.ranged)[0].solved.mean()
    printed, recomputed, _ = arm.printed[solver.label]
    for known in (printed, recomputed):
        assert abs(share - known) < checks.spread(known, len(poses), checks.SPEC_DRAWS["combined"])


@pytest.mark.compiled
@pytest.mark.parametrize("arm", combined.ARMS, ids=lambda arm: arm.name)
@pytest.mark.parametrize("solver", combined.WITH_SQP, ids=lambda solver: solver.label)
def test_combined_solves_all_by_the_papers_measure_and_inside_all_limits(queries, arm, solver):
    paper, full, poses = queries[arm.label]
    assert combined.measure(paper, solver, poses, arm.ranged)[0].solved.all()
    assert combined.measure(full, solver, poses, arm.ranged)[1].all()


@pytest.mark.compiled
@pytest.mark.parametrize("arm", combined.ARMS, ids=lambda arm: arm.name)
@pytest.mark.parametrize("n_l", [5, 15, 50])
def test_combined_with_slsqp_solves_all_too(queries, arm, n_l):
    pytest.importorskip("nlopt")
    paper, full, poses = queries[arm.label]
    solver = combined.solver("with SLSQP", n_l=n_l, refiner="nlopt")
    assert combined.measure(paper, solver, poses[:1000], arm.ranged)[0].solved.all()
    assert combined.measure(full, solver, poses[:1000], arm.ranged)[1].all()


@pytest.mark.compiled
@pytest.mark.parametrize("n_l", [5, 15, 50])
def test_the_published_algorithm_misses_some_of_the_iiwas_queries_with_either_refiner(queries, n_l):
    pytest.importorskip("nlopt")
    _, full, poses = queries["KUKA iiwa 14"]
    shares = {}
    for refiner in ("sqp", "nlopt"):
        solver = combined.solver("as published", n_l=n_l, mode="paper", refiner=refiner)
        shares[refiner] = combined.measure(full, solver, poses[:2000], combined.IIWA.ranged)[0].solved.mean()
    assert shares["sqp"] < 1.0
    printed, chance = combined.IIWA.printed[f"combined, n_l {n_l}"][0], checks.SPEC_DRAWS["combined"]
    near = [abs(100.0 * share - printed) < checks.spread(printed, 2000, chance) for share in shares.values()]
    assert all(near) or n_l == 5  # there the print's seed was another: tests/reproduce/combined/test_seed.py
    assert abs(shares["sqp"] - shares["nlopt"]) <= 1 / 2000  # one query: they end in the same valleys


@pytest.mark.compiled
def test_tables_set_the_print_beside_ours_and_tick_as_often_as_they_say():
    ticks = []
    paper = PAPERS["combined"]
    tables = {table.name: table for table in paper.tables(FEW, ticks.append)}
    assert len(ticks) == paper.steps(FEW)
    assert {"table-2-ur5", "table-2-iiwa14", "figure-6", "figure-7", "figure-9"} <= set(tables)
    rows = {(row.solver, row.quantity): row for row in tables["table-2-iiwa14"].rows}
    assert rows["FABRIK, n_max 100", SOLVED].paper == 85.63
    assert rows["combined, n_l 5", SOLVED].here == 100.0
    assert rows["combined, n_l 5", combined.ALL_LIMITS].here == 100.0
    for box in tables["figure-7"].rows:
        assert box.least <= box.lower_quartile <= box.median <= box.upper_quartile <= box.most
    assert not tables["figure-6-angles"].shown


def test_figure_6_meets_the_recomputed_counts_and_the_printed_answer():
    counts, curves = combined_paths.convergence(FEW, lambda _: None)
    rows = {(row.solver, row.quantity): row for row in counts.rows}
    plain = rows["UR5, FABRIK", combined_paths.ITERATIONS].here
    assert 490 <= plain <= 494
    assert rows["UR5, combined, n_l 15", combined_paths.ITERATIONS].here <= 30  # the print's
    for k, recomputed in enumerate(combined_paths.UR5_RECOMPUTED):
        assert rows["UR5, combined, n_l 15", f"theta {k + 1} (rad)"].here == pytest.approx(recomputed, abs=5e-4)
    ends = {(row.arm, row.solver, row.joint): row for row in curves.rows}  # the last of each stays
    for joint, angle in (("theta2", combined_paths.UR5_RECOMPUTED[1]), ("theta3", combined_paths.UR5_RECOMPUTED[2])):
        for solver in ("FABRIK", "combined, n_l 15"):
            assert ends["UR5", solver, joint].angle == pytest.approx(angle, abs=5e-4)
    # 1e-6 m of P3 at an elbow this straight: d / (l2 l3 sin theta 4) rad a metre
    slack = 1e-6 * 0.82 / (0.42 * 0.4 * math.sin(0.019))
    assert ends["KUKA iiwa 14", "combined, n_l 15", "theta4"].angle == pytest.approx(0.019, abs=slack)


def test_the_printed_count_of_the_iiwa_lies_between_those_of_the_ends_of_its_rounded_elbow():
    robot, counts = combined_paths.load("iiwa14"), []
    for elbow in (-0.0195, -0.0185):
        q = np.array(combined_paths.IIWA_ANSWER)
        q[3] = elbow
        trace = robot.trace(robot.fk(q), np.zeros(7), method="combined", sweeps=combined_paths.MOST_SWEEPS)
        counts.append(trace.stages.count("backward"))
    assert counts[0] < 10010 < counts[1]


@pytest.mark.parametrize("path", combined_paths.PATHS, ids=lambda path: path.name)
def test_paths_are_tracked_without_jumps(path):
    robot = combined_paths.load(path.name)
    rows = combined_paths.track(path)
    assert len(rows) == 180
    Q = np.array([combined_paths.numbers(row.q) for row in rows])
    poses = np.array([T for _, T in combined_paths.path_poses(robot, path)])
    position, rotation = errors_along(robot.fk(Q), poses)
    assert (position <= combined.TOLERANCE).all()
    assert (rotation <= 1e-14).all()  # the paper: no pose error
    assert ((robot.limits[0] <= Q) & (robot.limits[1] >= Q)).all()
    assert np.abs(Q[0] - path.start).max() < 1e-4
    assert np.abs(np.diff(Q, axis=0)).max() < 0.3
    refined = [row.refined for row in rows]
    assert all(refined[72:88])  # where the arm comes straight and bends again, as in the paper
    assert not all(refined)


def test_the_first_phase_keeps_p3_on_the_line_of_the_straight_arm():
    path = combined_paths.PATHS[1]
    rows = [row for row in combined_paths.track(path) if row.phase == 1]
    P3 = np.array([combined_paths.numbers(row.p3) for row in rows])
    assert np.abs(P3[:, :2]).max() < 2e-4  # the printed start has three digits
    assert (np.diff(P3[:, 2]) > 0).all()
