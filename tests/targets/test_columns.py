"""Files of targets: one grammar of columns for `forearm track` and `forearm solve-file`."""

import pytest
from typer.testing import CliRunner

import forearm as fa
from forearm.cli.app import app

HEADER = "x,y,z,qw,qx,qy,qz\n"


@pytest.mark.parametrize("command", ["track", "solve-file"])
def test_a_quaternion_of_another_length_is_refused_with_its_row(command, tmp_path):
    path = tmp_path / "targets.csv"
    path.write_text(HEADER + "0.3,0.2,0.5,1,0,0,0\n0.3,0.2,0.5,2,0,0,0\n")
    words = [command, "ur5", str(path), "--out", str(tmp_path / "out.csv")]
    result = CliRunner().invoke(app, words)
    assert isinstance(result.exception, fa.TargetError)
    assert "row 1" in str(result.exception)
    assert "have length 2" in str(result.exception)
    assert "divide by it" in str(result.exception)
