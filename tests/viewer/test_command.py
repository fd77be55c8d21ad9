"""`forearm view` as a user meets it."""

import pytest

import forearm as fa
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
        (["view", "--chain", "3", "--tip", "x"], "--base and --tip go with a robot's file"),
    ],
)
def test_the_command_says_what_it_takes(arguments, words):
    from typer.testing import CliRunner

    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, fa.ForearmError)
    assert words in str(result.exception)
