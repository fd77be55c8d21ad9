"""`forearm solve --all`, `--swivel` and `--rest`: what Python has, from the shell."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import forearm as fa
from forearm.cli.app import app
from forearm.cli.shell_words import for_shell

DOWN = ("--xyz", "0.4,0.2,0.3", "--rpy", "180,0,90", "--deg")
T = fa.Pose([0.4, 0.2, 0.3], rpy=np.radians([180, 0, 90]))


def run(*words):
    result = CliRunner().invoke(app, ["solve", *words], env={"COLUMNS": "80"})
    if isinstance(result.exception, fa.ForearmError):
        return 2, for_shell(result.exception.message)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


def run_json(*words):
    code, output = run(*words, "--json")
    return code, json.loads(output)


def test_all_lists_every_branch_as_python_does():
    code, data = run_json("ur5", *DOWN, "--all")
    arm = fa.load("ur5")
    assert code == 0
    assert data["complete"]
    assert data["joints"] == list(arm.joint_names)
    np.testing.assert_array_equal([row["q"] for row in data["branches"]], arm.solve_all(T).q)
    for row in data["branches"]:
        np.testing.assert_allclose(arm.fk(row["q"]), T.goal, atol=1e-6)


def test_the_table_has_a_row_for_each_branch_and_cuts_no_number():
    code, output = run("ur5", *DOWN, "--all")
    assert code == 0
    assert "8 branches by closed-form (three parallel axes)" in " ".join(output.split())
    for k, branch in enumerate(fa.load("ur5").solve_all(T)):
        assert f"{k}: {branch.posture}\n" in output
        q = np.degrees(branch.q)
        assert any(all(f"{value:.3f}" in line for value in q) for line in output.splitlines())


def test_branches_are_ordered_by_q0_and_stay_inside_limits_and_locks():
    arm = fa.load("ur5")
    last = arm.solve_all(T).q[-1]
    start = ",".join(map(str, np.degrees(last)))
    assert np.allclose(run_json("ur5", *DOWN, "--all", "--q0", start)[1]["branches"][0]["q"], last)
    upper = run_json("ur5", *DOWN, "--all", "--limit", "elbow_joint=0:180")[1]["branches"]
    assert len(upper) == 4
    assert all(row["q"][2] >= 0.0 for row in upper)


def test_swivel_intervals_are_listed_and_an_angle_inside_one_is_taken():
    arm = fa.load("iiwa14")
    data = run_json("iiwa14", *DOWN, "--all")[1]
    assert [row["swivel"] for row in data["branches"]] == [list(map(list, one.swivel)) for one in arm.solve_all(T)]
    assert "swivel (deg)" in run("iiwa14", *DOWN, "--all")[1]
    code, found = run_json("iiwa14", *DOWN, "--swivel", "30")
    assert code == 0
    assert arm.swivel(found["q"]) == pytest.approx(np.radians(30.0), abs=1e-6)


def test_a_posture_draws_an_arm_with_joints_to_spare():
    arm = fa.load("panda")
    near, far = "0,-20,30,-100,0,90,45", "0,-20,-30,-100,0,90,45"
    answers = [run_json("panda", *DOWN, "--rest", rest)[1]["q"] for rest in (near, far)]
    for rest, answer in zip((near, far), answers, strict=True):
        expected = arm.solve(T, rest=np.radians(list(map(float, rest.split(",")))))
        np.testing.assert_array_equal(answer, expected.q)
    assert not np.allclose(*answers)


def test_no_branch_is_exit_code_1_with_the_reason():
    code, output = run("ur5", "--xyz", "4,0,0", "--rpy", "0,0,0", "--all")
    assert code == 1
    assert "0 branches by" in output
    assert "not even without limits" in " ".join(output.split())


@pytest.mark.parametrize(
    "flags",
    [
        ("--method", "dls"),
        ("--option", "max_tries=5"),
        ("--swivel", "10"),
        ("--rest", "0,0,0,0,0,0"),
        ("--picture", "a.png"),
    ],
    ids=lambda flags: flags[0],
)
def test_what_a_list_of_all_branches_cannot_honour_is_refused_by_name(flags):
    method = ("--method", "general") if flags[0] == "--option" else ()
    code, output = run("ur5", *DOWN, "--all", *flags, *method)
    assert code == 2
    assert "does not go with --all" in output


def test_flags_with_numbers_missing_are_told_by_their_names():
    assert "--rest has 2 numbers; panda has 7 joints" in run("panda", *DOWN, "--rest", "0,1")[1]
    assert "--swivel is 'up'; it takes a number" in run("iiwa14", *DOWN, "--swivel", "up")[1]
    assert "ur5 has no swivel angle" in run("ur5", *DOWN, "--swivel", "0.5")[1]
