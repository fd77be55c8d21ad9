"""`forearm servo`: JSON lines in, JSON lines out, one each."""

import json

from typer.testing import CliRunner

from forearm.cli.app import app

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
    said = lines_of("\n".join(map(json.dumps, asked)) + "\n\n")
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
