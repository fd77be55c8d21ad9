"""The index of commands: it is true to them, and waits for none of them."""

import inspect
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

import forearm as fa
from forearm.cli.app import COMMANDS, app, flowing, function_of
from forearm.solve.methods.table import METHODS

SLOW = ("numpy", "forearm.robot", "forearm.cli.commands", "matplotlib")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_index_says_of_a_command_what_its_own_help_says_first(name):
    told = inspect.getdoc(function_of(name)).partition("\n\n")[0]
    assert COMMANDS[name][1] == " ".join(told.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_own_help(name):
    shown = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "200"})
    assert shown.exit_code == 0
    assert COMMANDS[name][1] in shown.output
    assert "-h" in shown.output


def test_help_lists_every_command_and_a_slip_is_told_the_nearest():
    shown = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200"}).output
    assert all(line in shown for _, line in COMMANDS.values())
    slip = CliRunner().invoke(app, ["solv"])
    assert slip.exit_code == 2
    assert "'solve'" in slip.output


def run(code, **env):
    """What a process of its own prints."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | env).stdout


@pytest.mark.parametrize("flag", ["--version", "--help"])
def test_version_and_help_wait_for_nothing_that_is_slow(flag):
    code = f"""
import sys, atexit
sys.argv = ["forearm", "{flag}"]
atexit.register(lambda: print([name for name in {SLOW} if name in sys.modules]))
from forearm.cli import main
main()
"""
    told = run(code)
    assert told.splitlines()[-1] == "[]"
    assert "forearm" in told


def completed(*words):
    """What a shell is offered for the last of the words."""
    code = "import sys; sys.argv = ['forearm']; from forearm.cli import main; main()"
    shell = {"_FOREARM_COMPLETE": "complete_bash", "COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    return run(code, **shell).split()


def test_completion_knows_commands_robots_and_methods():
    assert completed("forearm", "solv") == ["solve", "solve-file"]
    robots = [name for name in fa.list_robots() if name.startswith("ur")]
    assert completed("forearm", "info", "ur") == robots
    assert completed("forearm", "solve", "ur5", "--method", "c") == [name for name in METHODS if name.startswith("c")]
    assert completed("forearm", "bench", "--robot", "ur5,pan") == ["ur5,panda"]


def test_paragraphs_of_help_flow_and_examples_keep_their_lines():
    text = """First line.

    A paragraph that the
    source breaks.

    [bold]Examples:[/]

      forearm info ur5

      forearm fk ur5
    """
    lines = ["First line.", "A paragraph that the source breaks.", "[bold]Examples:[/]", "  forearm info ur5"]
    assert flowing(text) == "\n\n".join([*lines, "  forearm fk ur5"])
