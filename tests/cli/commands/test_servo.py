"""`forearm servo`: JSON lines in, JSON lines out, one each."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import forearm as fa
from forearm.cli.app import app
from forearm.cli.shell_words import for_shell

Q0 = "0.3, -1.2, 1.5, -0.4, 1.0, 0.2"


def lines_of(text, *flags):
    found = CliRunner().invoke(app, ["servo", "ur5", "--q0", Q0, "--rate", "100", *flags], input=text)
    assert found.exit_code == 0, found.output
    return [json.loads(line) for line in found.stdout.splitlines() if line.startswith("{")]


def test_every_line_in_is_a_line_out():
    asked = [
        {"xyz": [-0.3, -0.2, 0.4], "rpy": [3.0, 0.0, 0.0]},
        {"xyz": [-0.3, -0.2, 0.4]},
        {"xyz": [-0.3, -0.2, 0.4], "direction": [0, 0, -1]},
        {"rpy": [3.0, 0.0, 0.0]},
        {"twist": [0.1, 0, 0, 0, 0, 0], "frame": "tip"},
        None,
        {"sync": [0.3, -1.2, 1.5, -0.4, 1.0, 0.2], "velocity": [0.1] * 6},
        {"reset": [0.3, -1.2, 1.5, -0.4, 1.0, 0.2]},
        {"stop": True},
    ]
    said = lines_of("\n".join(map(json.dumps, asked)) + "\n")
    assert len(said) == len(asked)
    assert all(len(line["q"]) == len(line["velocity"]) == 6 for line in said)
    assert said[0]["status"] == "limited"
    assert said[-1]["reason"] == "stopped"


def test_a_line_that_is_no_target_is_told_and_the_arm_holds():
    said = lines_of('{"xyz": [1, 2]}\nnonsense\n{"pose": 1}\n[1]\n{"twist": [1, 2]}\n')
    assert [line["status"] for line in said] == ["held"] * 5
    assert all(line["fault"] for line in said)
    assert all(line["velocity"] == [0.0] * 6 for line in said)


def test_bounds_are_read_for_all_joints_or_for_each():
    one = lines_of('{"xyz": [-0.3, -0.2, 0.4]}\n' * 3, "--acceleration", "2")
    each = lines_of('{"xyz": [-0.3, -0.2, 0.4]}\n' * 3, "--acceleration", "2, 2, 2, 2, 2, 2")
    assert one == each
    assert max(abs(v) for v in one[0]["velocity"]) <= 0.02 + 1e-12


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ({"xyz": [-0.3, -0.2, 0.4], "matrix": np.eye(4).tolist()}, "matrix and xyz"),
        ({"twist": [0.1, 0, 0, 0, 0, 0], "xyz": [-0.3, -0.2, 0.4]}, "xyz and twist"),
        ({"xyz": [-0.3, -0.2, 0.4], "direction": [0, 0, 1], "rpy": [0, 0, 0]}, "rpy and direction"),
        ({"direction": [0, 0, 1]}, "direction goes with xyz"),
        ({"frame": "tip"}, "frame goes with twist"),
        ({"velocity": [0.1] * 6}, "velocity goes with sync"),
        ({"sync": [0.0] * 6, "reset": [0.0] * 6}, "reset and sync"),
        ({"stop": "no"}, "stop is 'no'"),
        ({}, "null"),
    ],
)
def test_what_a_line_cannot_mean_is_told_and_nothing_of_it_is_done(line, word):
    (said,) = lines_of(json.dumps(line) + "\n")
    assert word in said["fault"]
    assert said["status"] == "held"
    assert said["q"] == [0.3, -1.2, 1.5, -0.4, 1.0, 0.2]
    assert said["reason"] != "stopped"


def test_faults_of_lines_speak_no_python():
    double = np.diag([2.0, 1.0, 1.0, 1.0]).tolist()
    for line, word in (({"matrix": double}, "columns"), ({"reset": [90.0, 0, 0, 0, 0, 0]}, "radians")):
        (said,) = lines_of(json.dumps(line) + "\n")
        assert word in said["fault"]
        assert "fa." not in said["fault"]
        assert "np." not in said["fault"]
        assert "robot." not in said["fault"]


def test_flags_may_be_in_degrees_and_lines_stay_in_radians():
    line = '{"xyz": [-0.3, -0.2, 0.4]}\n' * 3
    degrees = ", ".join(str(np.degrees(float(q))) for q in Q0.split(","))
    found = CliRunner().invoke(
        app, ["servo", "ur5", "--deg", "--q0", degrees, "--rate", "100", "--velocity", "90"], input=line
    )
    said = [json.loads(each) for each in found.stdout.splitlines()]
    expected = lines_of(line, "--velocity", str(np.pi / 2))
    for one, other in zip(said, expected, strict=True):
        np.testing.assert_allclose(one["q"], other["q"], rtol=0, atol=1e-12)


def test_rest_smoothing_and_interpolation_are_flags():
    line = '{"xyz": [-0.3, -0.2, 0.4]}\n' * 20
    plain = lines_of(line)
    assert lines_of(line, "--smoothing", "0.1") != plain
    assert lines_of(line, "--rest", "0, 0, 0, 0, 0, 0") != plain
    assert lines_of(line, "--smoothing", "none", "--no-interpolate")


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["servo", "ur5", "--q0", "9, 0, 0, 0, 0, 0"], ["--q0 is outside", "--deg"]),
        (["servo", "puma560", "--q0", "0, 0, 0, 0, 0, 0"], ["give --velocity"]),
        (["servo", "ur5", "--q0", Q0, "--rate", "0"], ["--rate is 0"]),
        (["servo", "ur5", "--q0", Q0, "--velocity", "1, 2"], ["--velocity has 2 numbers"]),
        (["servo", "ur5", "--q0", Q0, "--acceleration", "-1"], ["--acceleration is [-1.0"]),
        (["servo", "ur5", "--q0", Q0, "--smoothing", "much"], ["--smoothing", "auto"]),
        (["servo", "ur5", "--q0", Q0, "--priority", "tip"], ["--priority is 'tip'"]),
    ],
)
def test_what_makes_no_servo_is_told_in_flags(flags, words):
    found = CliRunner().invoke(app, flags, input="null\n")
    told = for_shell(found.exception.message)
    for word in words:
        assert word in told


def test_a_start_in_degrees_is_read_where_it_is_said():
    words = ["servo", "ur5", "--q0", "17, -69, 86, -23, 57, 11"]
    refused = CliRunner().invoke(app, words, input="null\n")
    assert "did you mean degrees?" in str(refused.exception)
    found = CliRunner().invoke(app, [*words, "--deg"], input="null\n")
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["q"] == pytest.approx(np.radians([17, -69, 86, -23, 57, 11]).tolist())


def test_where_the_tip_is_goes_back_in_as_a_target():
    (said,) = lines_of("null\n", "--pose", "--tool", "0, 0, 0.1")
    tool = np.eye(4)
    tool[2, 3] = 0.1
    np.testing.assert_allclose(said["matrix"], fa.load("ur5").fk(said["q"]) @ tool, atol=1e-12)
    assert "matrix" not in lines_of("null\n")[0]
    again = lines_of(json.dumps({"matrix": said["matrix"]}) + "\n", "--tool", "0, 0, 0.1")
    assert again[0]["status"] == "following"


@pytest.mark.parametrize(
    "line",
    [b'\xff\xfe{"xyz": [1]}', b'{"xyz": [' + b"9" * 6000 + b", 0, 0]}", '{"\u00e9": 1}'.encode(), b"\x00"],
    ids=["no UTF-8", "too many digits", "a letter of two bytes", "a zero byte"],
)
@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_bytes_that_are_no_line_are_told_and_the_next_line_is_read(line, encoding):
    words = ["servo", "ur5", "--q0", Q0, "--rate", "100"]
    found = CliRunner(charset=encoding).invoke(app, words, input=b"null\n" + line + b"\nnull\n")
    assert found.exit_code == 0, found.output
    said = [json.loads(each) for each in found.stdout.splitlines() if each.startswith("{")]
    assert ["fault" in each for each in said] == [False, True, False]


def test_a_blank_line_is_a_tick_like_null():
    moving = json.dumps({"xyz": [-0.3, -0.2, 0.4]}) + "\n"
    blank, null = lines_of(moving + "\n  \n"), lines_of(moving + "null\nnull\n")
    assert len(blank) == 3
    assert blank == null


def test_time_and_id_come_back_with_the_answer_of_their_line():
    said = lines_of('{"id": 7, "time": 0.5, "xyz": [-0.3, -0.2, 0.4]}\n{"id": "a"}\n{"id": 9, "pose": 1}\nnull\n{}\n')
    assert [line.get("id") for line in said] == [7, "a", 9, None, None]
    assert [line.get("time") for line in said] == [0.5, None, None, None, None]
    assert ["fault" in line for line in said] == [False, False, True, False, True]


def test_a_misspelt_key_is_told_what_was_meant():
    assert "did you mean stop?" in lines_of('{"stopp": true}\n')[0]["fault"]


@pytest.mark.parametrize(("key", "meant"), [("position", "xyz"), ("pose", "matrix"), ("q", "reset"), ("quat", "quat_")])
def test_a_key_that_another_program_would_take_is_told_its_name_here(key, meant):
    assert f"did you mean {meant}" in lines_of(f'{{"{key}": [0.4, 0.2, 0.3]}}\n')[0]["fault"]


def test_what_is_no_json_comes_back_as_null():
    text = '{"xyz": [-0.3, -0.2, 0.4], "time": NaN, "id": [1e999, -Infinity, "NaN"]}\n'
    found = CliRunner().invoke(app, ["servo", "ur5", "--q0", Q0], input=text)

    def refuse(word):
        raise AssertionError(word)

    said = json.loads(found.stdout, parse_constant=refuse)
    assert said["time"] is None
    assert said["id"] == [None, None, "NaN"]
    assert said["status"] == "limited"


@pytest.mark.parametrize(
    "line",
    [
        {"xyz": [True, 0.2, 0.3]},
        {"matrix": [[1, 0, 0, 0.3], [0, True, 0, 0.2], [0, 0, 1, 0.4], [0, 0, 0, 1]]},
        {"xyz": [0.3, 0.2, 0.4], "rpy": [0, False, 0]},
        {"twist": [True, 0, 0, 0, 0, 0]},
        {"reset": [True, 0, 0, 0, 0, 0]},
        {"sync": [0] * 6, "velocity": [0, 0, 0, 0, 0, True]},
    ],
)
def test_true_and_false_are_no_numbers(line):
    (said,) = lines_of(json.dumps(line) + "\n")
    assert "it takes numbers" in said["fault"]
    assert said["q"] == [0.3, -1.2, 1.5, -0.4, 1.0, 0.2]
