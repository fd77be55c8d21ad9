"""`forearm view` as a user meets it."""

import pytest

import forearm as fa
import forearm.viewer
from forearm.cli.app import app
from forearm.cli.commands import view
from forearm.viewer import DEFAULT_PORT, LOOPBACK


def test_the_command_has_the_defaults_of_the_viewer():
    assert (view.LOOPBACK, view.DEFAULT_PORT) == (LOOPBACK, DEFAULT_PORT)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["view"], "view takes one of: a robot, --chain N, --skeleton"),
        (["view", "ur5", "--chain", "3"], "view takes one of"),
        (["view", "--chain", "0"], "it takes 1 to 200"),
        (["view", "--chain", "3", "--tip", "x"], "--limit and --folder go with a robot's file"),
    ],
)
def test_the_command_says_what_it_takes(arguments, words):
    from typer.testing import CliRunner

    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, fa.ForearmError)
    assert words in str(result.exception)


@pytest.mark.parametrize(("host", "says"), [("127.0.0.1", False), ("0.0.0.0", True)])
def test_the_command_says_when_the_network_can_reach_it(host, says, monkeypatch):
    from typer.testing import CliRunner

    pytest.importorskip("viser")
    monkeypatch.setattr(fa.viewer.Viewer, "wait", lambda viewer: None)
    result = CliRunner().invoke(app, ["view", "--chain", "4", "--host", host, "--port", "0"], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    assert ("it listens on more than this machine" in result.output) == says
