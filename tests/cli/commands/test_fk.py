"""`forearm fk`: joint values that look like degrees get a sentence in the shell's words."""

from typer.testing import CliRunner

from forearm.cli.app import app

DEGREES = "0, -30, 0, -120, 0, 100, 45"


def test_values_that_look_like_degrees_are_answered_with_a_question(caplog):
    assert CliRunner().invoke(app, ["fk", "panda", "--q", DEGREES]).exit_code == 0
    assert "--q has 'panda_joint2' = -30 rad" in caplog.text
    assert "did you mean degrees? --deg reads them" in caplog.text


def test_degrees_that_are_told_as_such_are_not_asked_about(caplog):
    assert CliRunner().invoke(app, ["fk", "panda", "--deg", "--q", DEGREES]).exit_code == 0
    assert caplog.text == ""


def test_a_pose_has_no_negative_zeros():
    result = CliRunner().invoke(app, ["fk", "ur5", "--q", "0,-90,90,0,90,0", "--deg"])
    assert result.exit_code == 0
    assert "-0.000000000" not in result.output
