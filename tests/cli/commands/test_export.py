import json

import pytest
from typer.testing import CliRunner

from forearm.cli.app import app
from forearm.errors import ForearmError
from forearm.export import pieces


def run(*arguments):
    return CliRunner().invoke(app, ["export", *map(str, arguments)])


def built():
    try:
        pieces.find_kernels()
    except ForearmError:
        return False
    return True


@pytest.mark.skipif(not built(), reason="`make c` has not built the kernels to export")
def test_a_folder_of_c_is_written_and_named(tmp_path):
    found = run("ur5", "--out", tmp_path / "c", "--seeds", 0, "--name", "my_arm", "--json")
    assert found.exit_code == 0
    told = json.loads(found.stdout)
    assert set(told["files"]) == {path.name for path in (tmp_path / "c").iterdir()} >= {"my_arm.h", "parallel.o"}
    assert "cmake -B" in run("ur5", "--out", tmp_path / "c", "--seeds", 0).stdout


def test_missing_kernels_are_an_error_with_the_command(tmp_path, monkeypatch):
    monkeypatch.setattr("forearm.export.write.find_kernels", lambda: pieces.find_kernels(tmp_path))
    with pytest.raises(ForearmError, match="make c"):
        raise run("ur5", "--out", tmp_path / "c").exception
