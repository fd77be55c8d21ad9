"""`forearm bench`: the protocol, its judge, what peers are given, and what is written."""

import csv
import json
import sys
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

import forearm as fa
from forearm.cli import show
from forearm.cli.app import app
from forearm.cli.commands.bench import SINGLE, chosen, load_protocol, print_table, show_rows
from forearm.errors import ForearmError

protocol, report, peers = load_protocol()
chain = sys.modules["peers.chain"]

ROW = protocol.Row("panda", "cold", "forearm", "0", "", True, 100, 100, 5.0, 4.0, 10.0, 20.0, 0.1)

URDF = """<robot name="two"><link name="base"/><link name="elbow"/><link name="hand"/>
<joint name="a" type="revolute"><parent link="base"/><child link="elbow"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2" velocity="1" effort="1"/></joint>
<joint name="b" type="revolute"><parent link="elbow"/><child link="hand"/><origin xyz="0.3 0 0"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2" velocity="1" effort="1"/></joint></robot>"""


def run(*words):
    return CliRunner().invoke(app, ["bench", *words], env={"COLUMNS": "160"})


# -- the command ---------------------------------------------------------------------------------


def test_the_command_measures_itself_without_any_peer(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Benchmarks\n\nkept\n")
    words = ["--robot", "scara", "--n", "10", "--peers", "", "--out", str(tmp_path / "out"), "--page", str(page)]
    result = run(*words)
    assert result.exit_code == 0, result.output
    assert "forearm, nearest" in result.output
    assert "10 of 10" in result.output
    with (tmp_path / "out" / "bench.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["case"] for row in rows} == {"cold", "near", "batch"}
    assert all(row["solved"] == row["n"] for row in rows)
    assert all(0.0 < float(row["median [us]"]) <= float(row["max [us]"]) for row in rows if row["case"] != "batch")
    assert (tmp_path / "out" / "bench.png").stat().st_size > 1000
    data = json.loads((tmp_path / "out" / "bench.json").read_text())
    assert data["machine"]["numpy"] == np.__version__
    assert run(*words).exit_code == 0
    text = page.read_text()
    assert text.startswith("# Benchmarks\n\nkept\n")
    assert text.count(report.BEGIN) == text.count("## All solvers, one protocol") == 1


def test_a_file_is_measured_as_a_robot_of_the_catalog_is(tmp_path):
    (tmp_path / "arm.urdf").write_text(URDF)
    where = ("--robot", str(tmp_path / "arm.urdf"), "--n", "4", "--cases", "cold", "--peers", "", "--json")
    data = json.loads(run(*where, "--tip", "hand").stdout)
    assert {(row["robot"], row["n"], row["solved"]) for row in data["rows"]} == {("two", 4, 4)}
    short = run(*where, "--tip", "elbow")
    assert json.loads(short.stdout)["rows"], short.output
    refused = run("--robot", "scara", "--tip", "hand")
    assert "go with a file" in str(refused.exception)


def test_json_is_one_document_and_names_what_was_skipped(monkeypatch):
    monkeypatch.setitem(peers.ADAPTERS, "eaik", ("peers.no_such_module", "Eaik", "eaik"))
    result = run("--robot", "planar-3", "--n", "3", "--cases", "cold", "--peers", "eaik", "--json")
    data = json.loads(result.stdout)
    assert [row["solver"] for row in data["rows"]] == ["forearm", "forearm, nearest"]
    assert data["skipped"] == ["planar-3: eaik: not installed (peers.no_such_module); pip install eaik"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--robot", "r2d2"], "robot 'r2d2'"),
        (["--cases", "hot"], "--cases has 'hot'; there are: cold, near, batch"),
        (["--cases", ","], "--cases names nothing"),
        (["--peers", "nobody"], "--peers has 'nobody'"),
        (["--n", "0"], "--n is 0"),
        (["--budget", "0"], "--budget is 0"),
        (["--method", "magic"], "method 'magic' is unknown"),
    ],
)
def test_wrong_words_are_refused(words, message):
    result = run(*words)
    assert isinstance(result.exception, ForearmError)
    assert message in str(result.exception)


def test_robots_are_repeated_or_parted_by_commas():
    few = ("--n", "3", "--cases", "cold", "--peers", "", "--json")
    for words in (("--robot", "scara", "--robot", "planar-3"), ("--robot", "scara, planar-3")):
        rows = json.loads(run(*words, *few).stdout)["rows"]
        assert {row["robot"] for row in rows} == {"scara", "planar-3"}


def test_a_table_of_several_methods_fits_eighty_columns_and_keeps_its_numbers(monkeypatch, capsys):
    monkeypatch.setattr(show, "out", Console(width=80))
    slow = replace(ROW, case="near", n=10_000, solved=10_000, mean=123.4, max=12345.6, move=12.53)
    rows = [replace(slow, solver=f"forearm {name}, nearest") for name in ("closed-form", "dls", "general")]
    show_rows(rows, report.goals([replace(row, solved=9_950) for row in rows]), [], "")
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    text = "\n".join(lines)
    assert text.count("12345.6") == text.count("10000/10000") == 3
    assert text.count("closed-form,") >= 1


def test_a_word_said_twice_counts_once():
    assert chosen("a, b,a", ["a", "b"], "--x") == ["a", "b"]


def test_named_methods_are_measured_beside_each_other():
    rows, _ = protocol.run(["scara"], ["cold"], 3, (), ("general", "dls"))
    assert [row.solver for row in rows] == [
        "forearm general",
        "forearm general, nearest",
        "forearm dls",
        "forearm dls, nearest",
    ]


# -- the judge -----------------------------------------------------------------------------------


def test_the_judge_counts_what_meets_the_pose_inside_the_limits():
    robot = fa.load("ur5")
    Q = robot.sample(6, rng_seed=3)
    targets = protocol.independent_fk(robot, Q)
    turned, off = Q[1].copy(), Q[2] + 1e-5
    turned[0] += 8.0 * np.pi  # the same pose outside the limits
    answers = [Q[0], turned, off, None, np.stack([Q[0], Q[4]]), np.full(6, np.nan)]
    met, taken = protocol.judge(robot, answers, targets)
    assert met.tolist() == [True, False, False, False, True, False]
    np.testing.assert_array_equal(taken[4], Q[4])
    assert np.isnan(taken[3]).all()


def test_of_several_answers_the_nearest_to_the_start_is_taken():
    robot = fa.load("ur5")
    q = np.full(6, 0.5)
    other = q + 2.0 * np.pi * np.array([-1, 0, 0, 0, 0, 0])
    met, taken = protocol.judge(robot, [[other, q]], protocol.independent_fk(robot, q[None]), q[None] + 0.05)
    assert met.all()
    np.testing.assert_array_equal(taken[0], q)


@pytest.mark.parametrize("name", ["ur5", "panda", "scara", "iiwa14"])
def test_the_judge_agrees_with_the_forward_kinematics(name):
    robot = fa.load(name)
    Q = robot.sample(20)
    np.testing.assert_allclose(protocol.independent_fk(robot, Q), robot.fk(Q), atol=1e-12)


class Liar:
    name, version = "liar", "1"

    def __init__(self, robot):
        self.n = robot.n

    def solve(self, T, q0):
        return np.zeros(self.n)


def test_a_solver_that_always_says_zero_solves_nothing(monkeypatch):
    monkeypatch.setattr(protocol, "adapter", lambda key: Liar)
    rows, skipped = protocol.run(["panda"], ["cold", "near"], 8, ("eaik",))
    assert skipped == []
    assert [row.solved for row in rows if row.solver == "liar"] == [0, 0]
    assert all(row.solved == row.n for row in rows if row.ours)


def test_a_peer_that_cannot_do_the_arm_or_fails_is_named(monkeypatch):
    def unfit(robot):
        raise chain.UnfitError("no closed form")

    def broken(robot):
        raise ValueError("no")

    for peer, words in ((unfit, "eaik: no closed form"), (broken, "eaik: ValueError: no")):
        monkeypatch.setattr(protocol, "adapter", lambda key, peer=peer: peer)
        assert protocol.make_solvers(fa.load("planar-3"), ["eaik"], [None])[1] == [words]


def test_a_slow_solver_gets_as_many_targets_as_its_budget_allows():
    times = iter(np.arange(1000.0))
    slow = replace(protocol.own_solvers(fa.load("planar-3"), None)[0], solve=lambda T, q0: next(times))
    targets = np.zeros((50, 4, 4))
    assert protocol.affordable(slow, targets, targets, budget=1e9) == 50
    assert protocol.affordable(slow, targets, targets, budget=1e-12) == protocol.TRIAL


# -- goals ---------------------------------------------------------------------------------------


def met(rows):
    return {goal.asked: goal.met for goal in report.goals(rows)}


def test_goals_compare_with_the_peers_of_the_same_run():
    rtb = replace(ROW, solver=report.RTB, ours=False, mean=80.0, p99=150.0)
    assert met([ROW, rtb]) == {
        "all targets solved": True,
        "mean at most 1/15 of RTB": True,
        "p99 at most 1/20 of RTB": False,
    }
    assert met([replace(ROW, solved=99)]) == {"all targets solved": False}
    ur5 = replace(ROW, robot="ur5")
    assert met([ur5, replace(ur5, solver="EAIK", ours=False, mean=9.0)])["mean at most 1/2 of EAIK"] is False


def test_of_several_methods_the_one_that_misses_most_is_told():
    goal = report.goals([ROW, replace(ROW, solver="forearm ccd", solved=65)])[0]
    assert (goal.measured, goal.met) == ("65 of 100 by forearm ccd", False)


def test_the_unit_of_the_first_call_stands_in_the_table(capsys):
    print_table("microseconds a call", SINGLE, [("forearm", "1/1", *("1.0",) * 4, "", "0.03")])
    assert "first [s]" in capsys.readouterr().out


def test_goals_of_near_starts_and_batches():
    near = replace(ROW, case="near", move=0.31)
    assert met([near, replace(near, solver=report.RTB, ours=False, mean=21.0)]) == {
        "all targets solved": True,
        "no joint moves more than 0.3 rad": False,
        "mean at most 1/4 of RTB": True,
    }
    one = replace(ROW, robot="ur5", case="batch", threads=1, rate=100.0)
    two = replace(one, threads=2, rate=185.0)
    eaik = replace(two, solver="EAIK", ours=False, rate=95.0)
    assert met([one, two, eaik]) == {
        "all targets solved": True,
        "2 threads at least 1.8 times one": True,
        "at least 2 times EAIK's rate": False,
    }


# -- what peers are given ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ur5", "iiwa14", "panda", "gen3", "scara"])
def test_peers_get_the_same_chain_as_urdf(name):
    robot = fa.load(name)
    copy = fa.Robot.from_urdf(chain.urdf(robot), base=chain.BASE, tip=chain.TIP)
    Q = robot.sample(10)
    np.testing.assert_allclose(copy.fk(Q), robot.fk(Q), atol=1e-9)
    np.testing.assert_array_equal(copy.limits, chain.finite_limits(robot))


@pytest.mark.parametrize("name", ["panda", "scara"])
def test_peers_get_the_same_chain_as_mjcf(name):
    pytest.importorskip("mujoco")
    robot = fa.load(name)
    copy = fa.Robot.from_mjcf(chain.mjcf(robot), tip=chain.TIP)
    Q = robot.sample(10)
    np.testing.assert_allclose(copy.fk(Q), robot.fk(Q), atol=1e-9)


def test_peers_get_the_same_chain_as_axes():
    robot = fa.load("ur5")
    H, P, R = chain.axes(robot)
    q = robot.sample(1)[0]
    turn, point = np.eye(3), P[0]
    for axis, offset, angle in zip(H, P[1:], q, strict=True):
        K = np.cross(np.eye(3), axis)
        turn = turn @ (np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K)
        point = point + turn @ offset
    T = robot.fk(q)
    np.testing.assert_allclose(point, T[:3, 3], atol=1e-12)
    np.testing.assert_allclose(turn @ R, T[:3, :3], atol=1e-12)


def test_axes_are_for_turning_joints_only():
    with pytest.raises(chain.UnfitError, match="turning joints"):
        chain.axes(fa.load("scara"))


@pytest.mark.filterwarnings("ignore")  # of the peers' own
@pytest.mark.parametrize("key", list(peers.ADAPTERS))
def test_every_adapter_that_is_installed_solves_a_near_target(key):
    robot = fa.load("ur5")
    q = np.array([0.4, -1.2, 1.4, -0.5, 1.0, 0.3])
    try:
        peer = peers.adapter(key)(robot)
    except ImportError as problem:
        pytest.skip(f"{peers.requirement(key)} is not installed: {problem}")
    met, _ = protocol.judge(robot, [peer.solve(robot.fk(q), q + 0.05)], robot.fk(q)[None])
    assert met.all()


def test_no_number_is_cut_where_a_terminal_is_narrow(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    numbers = [f"{k}{k}{k},{k}{k}{k},{k}{k}{k}.{k}" for k in range(1, 8)]
    print_table("microseconds a call", SINGLE, [("some-solver 1.2.3", *numbers)])
    printed = capsys.readouterr().out
    assert all(number in printed for number in numbers)
    assert "some-solver" in printed
    assert "1.2.3" in printed
