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
    swapped = CliRunner().invoke(app, ["kf"])
    assert swapped.exit_code == 2
    assert "Did you mean 'fk'?" in swapped.output


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


NO_NUMBA = """
import sys
sys.modules["numba"] = None
sys.argv = ["forearm", *{words}]
from forearm.cli import main
main()
"""


def without_numba(*words, kernels="jit"):
    """How a process without Numba ends that is told to compile with it."""
    command = [sys.executable, "-c", NO_NUMBA.format(words=words)]
    env = os.environ | {"FOREARM_KERNELS": kernels, "NUMBA_DISABLE_JIT": "0", "COLUMNS": "300"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=env)


@pytest.mark.parametrize("words", [("robots",), ("fk", "ur5", "--q", "0"), ("demo",)])
def test_without_kernels_a_command_says_in_one_line_what_to_install(words):
    ended = without_numba(*words)
    assert ended.returncode == 2
    assert ended.stderr.startswith("error: ")
    assert ended.stderr.count("\n") == 1
    assert "pip install 'forearm[jit]'" in ended.stderr


def test_without_kernels_a_slip_is_still_told_and_a_wrong_way_is_named():
    slip, way = without_numba("solv"), without_numba("robots", kernels="fast")
    assert slip.returncode == way.returncode == 2
    assert "'solve'" in slip.stderr
    assert way.stderr.startswith("error: FOREARM_KERNELS is 'fast'")


@pytest.mark.parametrize("kernels", ["jit", "fast"])
def test_system_speaks_where_no_kernel_runs(kernels):
    told = without_numba("system", kernels=kernels)
    assert told.returncode == 0, told.stderr
    assert "kernels    none can run" in told.stdout
    assert f"FOREARM_KERNELS is '{kernels}'" in told.stdout


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


@pytest.mark.parametrize(
    ("shell", "file"),
    [("fish", ".config/fish/completions/forearm.fish"), ("zsh", ".zfunc/_forearm"), ("bash", ".bashrc")],
)
def test_completion_is_for_the_shell_that_is_named(shell, file, tmp_path):
    home = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path)}
    told = CliRunner().invoke(app, ["--install-completion", shell], prog_name="forearm", env=home)
    assert told.exit_code == 0
    assert told.output.startswith(f"{shell} completion installed")
    assert "forearm" in (tmp_path / file).read_text()
    shown = CliRunner().invoke(app, ["--show-completion", shell], prog_name="forearm", env=home).output
    assert f"complete_{shell}" in shown


@pytest.mark.parametrize("flag", ["--install-completion", "--show-completion"])
def test_completion_for_a_shell_that_is_none_is_refused_and_nothing_is_written(flag, tmp_path):
    told = CliRunner().invoke(app, [flag, "nosh"], env={"HOME": str(tmp_path), "COLUMNS": "200"})
    assert told.exit_code == 2
    assert "no completion for 'nosh'" in told.output
    assert not list(tmp_path.iterdir())


def test_help_and_version_go_by_the_names_that_other_commands_have():
    def said(*words):
        return CliRunner().invoke(app, words, env={"COLUMNS": "200"}, prog_name="forearm").output

    assert said("help") == said("--help")
    assert said("help", "fk") == said("fk", "--help")
    assert said("-V") == said("--version") == f"forearm {fa.__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_no_flag_is_cut_in_help_of_80_columns(name):
    told = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "80", "TERMINAL_WIDTH": "80"}).output
    assert "--help" in told
    assert "…" not in told
    assert max(map(len, told.splitlines())) <= 80
