"""The judge of never a false word, scaled down: pairs of options are asked, claims measured, and wrong ones denied."""

import importlib
import sys

import numpy as np
import pytest

import forearm as fa

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module", autouse=True)
def heavy():
    """The heavy search as Python: it is asked little here, and compiling it takes longer than all answers."""
    import loops

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loops, "njit", lambda **_: lambda function: function)
        patch.delitem(sys.modules, "heavy", raising=False)
        yield importlib.import_module("heavy")
        del sys.modules["heavy"]


@pytest.fixture(scope="module")
def bench():
    """The cases, the judge and the runner."""
    pytest.importorskip("coal")
    import honest
    import honest_cases
    import honest_judge

    return honest, honest_cases, honest_judge


def test_rows_soon_cover_every_pair_that_goes_together(bench):
    _, cases, _ = bench
    rng, left = np.random.default_rng(0), cases.all_pairs()
    every = len(left)
    assert every > 3000
    for _ in range(150):
        row = cases.next_row(rng, left)
        assert row == cases.mended(row)
        left -= cases.pairs_of(row)
    assert len(left) < 0.2 * every


@pytest.mark.parametrize("part", range(4))
def test_no_claim_is_denied_and_no_reason_is_refuted(bench, part):
    honest, cases, _ = bench
    rng, left, claims = np.random.default_rng((9, part)), cases.all_pairs(), 0
    for number in range(18):
        row = cases.next_row(rng, left)
        left -= cases.pairs_of(row)
        counts, faults, _ = honest.run_block(row, (9 + part, number), 2 if row["call"] == "all" else 6, 0)
        assert faults == []
        claims += counts["claims"]
    assert claims > 30


def test_a_reason_that_a_heavy_search_refutes_is_a_fault(bench, monkeypatch):
    honest, cases, _ = bench
    monkeypatch.setattr("heavy.search", lambda *_: (0.0, True))
    row = cases.DEFAULTS | {"robot": "ur5", "explain": True, "aim": "anywhere"}
    block = cases.draw_block(row, (1, 2), 8)
    block.poses[:] = block.robot.fk(block.robot.sample(8, rng_seed=1))
    answers = np.zeros((8, 6)), np.arange(8), ["limits"] * 8, ["a lie"] * 8, (np.ones(8), np.ones(8))
    faults, asked = honest.search_heavily(block, answers, 3, 1)
    assert asked == 3
    assert [words.split(" is ")[0] for _, words in faults] == ["limits"] * 3


@pytest.mark.parametrize("kind", ["pose", "position", "orientation", "point-axis", "pose by axes", "position by axes"])
def test_the_judge_denies_what_is_off_by_more_than_the_tolerance(bench, kind):
    _, cases, judge = bench
    row = cases.DEFAULTS | {"robot": "puma560", "kind": kind, "tol": 1e-3, "tool": "offset"}
    block = cases.draw_block(row, (1, 1), 40)
    rows = np.arange(40)
    assert not any(judge.denied(block, block.witness, rows))
    off = block.witness + np.where(np.arange(6) == 1, 0.1, 0.0)
    assert all(judge.denied(block, off, rows))
    block.limits = block.limits - 10.0
    assert set(judge.denied(block, block.witness, rows)) == {"limits"}


def test_the_judge_measures_as_forward_kinematics_does(bench):
    _, cases, judge = bench
    for name in ("panda", "coupled-4", "scara", "drawn-2"):
        robot = cases.robot_of(name)
        Q = robot.sample(20)
        assert np.abs(judge.forward(robot, Q) - robot.fk(Q)).max() < 1e-14


def test_a_witness_refutes_a_reason(bench):
    honest, cases, _ = bench
    row = cases.DEFAULTS | {"robot": "ur5", "explain": True, "call": "single"}
    block = cases.draw_block(row, (1, 1), 3)
    wrong = np.zeros((3, 6)), np.arange(3), ["out_of_reach"] * 3, ["no"] * 3, (np.ones(3), np.ones(3))
    faults, _ = honest.judge_block(block, wrong)
    assert sum("refuted" in words for _, words in faults) == 3
    assert fa.load("ur5").solve(block.poses[0]).success


def test_the_heavy_search_finds_what_is_there_and_nothing_else(heavy):
    arm, q = fa.load("planar-3"), np.empty(3)
    tables = (arm.model.links, arm.model.joints, arm.limits)
    terms = np.array([1e-6, np.inf, *[np.inf] * 6, *[0.0] * 7])
    for x, there in ((0.5 * arm.reach, True), (1.2 * arm.reach, False)):
        goal = np.eye(4)
        goal[0, 3] = x
        left, met = heavy.search(*tables, goal, 1, terms, arm.reach, 5, 0, np.empty((0, 3)), q)
        assert met == there
        assert np.linalg.norm(arm.fk(q)[:3, 3] - goal[:3, 3]) == pytest.approx(left, abs=1e-6)
        assert there or left == pytest.approx(x - arm.reach, abs=1e-4)


# Blocks in which it found a fault once, of the solver or of itself: [row, seed, count] and the target.
TURNED = {"tool": "none", "limits": "turned", "locked": "two", "rest": "random", "around": "nothing", "call": "batch"}
CORNER = {"robot": "panda", "scale": 100.0, "method": "ccd", "tol": 1e-3, "start": "near", "step": "small"}
SHORT = {"robot": "coupled-4", "scale": 1e4, "method": "auto", "tol": 1e-6, "start": "random", "step": "large"}
FOUND = {
    "a pose in a corner of its tolerances": (CORNER | {"aim": "singular"}, (1, 689), 886, 56),
    "a reach that locked joints shorten": (SHORT | {"aim": "beyond"}, (1, 432), 40, 0),
}


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_once_is_found_no_more(bench, name):
    honest, cases, _ = bench
    row, seed, count, place = FOUND[name]
    block = cases.draw_block(row | TURNED | {"kind": "pose", "explain": True}, seed, count)
    options = dict(block.options)
    options["q0"] = options["q0"][place] if np.ndim(options["q0"]) == 2 else options["q0"]
    s = block.robot.solve(honest.one_of(block, place), method=row["method"], explain=True, **options)
    answers = s.q[None], [place], [str(s.status)], [s.reason], ([s.position_error], [s.rotation_error])
    assert block.witness is None or s.success or "is reachable" in s.reason
    assert honest.search_heavily(block, answers, 1, seed[1])[0] == []
