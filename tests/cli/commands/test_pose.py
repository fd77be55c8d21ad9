"""`forearm pose`: what it says of what it did, and where it is written."""

import pytest
from typer.testing import CliRunner

from forearm.cli.app import app

BVH = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 3 Zrotation Xrotation Yrotation
  JOINT Arm
  {
    OFFSET 10 0 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT Hand
    {
      OFFSET 10 0 0
      CHANNELS 3 Zrotation Xrotation Yrotation
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.1
0 0 0 0 0 20 0 0 0
0 0 0 0 0 30 0 0 0
"""


@pytest.fixture
def clip(tmp_path):
    path = tmp_path / "wave.bvh"
    path.write_text(BVH)
    return path


def run(*words):
    found = CliRunner().invoke(app, ["pose", *map(str, words)], env={"COLUMNS": "200"})
    return found.exit_code, " ".join(found.output.split())  # however wide the terminal is


def test_it_says_what_it_held_and_where_it_wrote_it(clip, tmp_path):
    code, said = run(clip, "--tip", "Hand", "--at", "14, 8, 0", "--out", tmp_path / "held.glb")
    assert code == 0, said
    assert "Hand is held in 2 frames" in said
    assert "written to" in said
    assert (tmp_path / "held.glb").exists()


def test_a_miss_says_how_far_and_what_may_help(clip):
    code, said = run(clip, "--tip", "Hand", "--at", "90, 0, 0")
    assert code == 1
    assert "Hand is held in 2 frames; in 2 of them it stays up to 70 of the file's units away" in said
    assert "--root" in said
    assert "in the clip it is at x 18.66 to 19.4, y 0 to 0, z -5 to -3.42" in said  # so the unit is seen


def test_the_list_of_joints_says_how_large_the_figure_is(clip):
    code, said = run(clip)
    assert code == 0
    assert "joints: Hips, Arm, Hand" in said
    assert "places: x 0 to 19.4, y 0 to 0, z -5 to 0, in the file's unit" in said


def test_an_ending_that_is_not_written_is_refused_before_the_work(clip, tmp_path):
    words = ["pose", str(clip), "--tip", "Hand", "--at", "14, 8, 0", "--out", str(tmp_path / "held.fbx")]
    found = CliRunner().invoke(app, words)
    assert "clips are written as .bvh" in str(found.exception)
    assert not found.output


def test_a_change_of_format_says_where_it_is(clip, tmp_path):
    code, said = run(clip, "--out", tmp_path / "wave.glb")
    assert code == 0
    assert "written to" in said


def test_a_file_that_is_there_is_replaced_only_if_told(clip, tmp_path):
    out = tmp_path / "wave.glb"
    out.write_text("mine")
    found = CliRunner().invoke(app, ["pose", str(clip), "--out", str(out)])
    assert "--overwrite replaces it" in str(found.exception)
    assert out.read_text() == "mine"
    assert run(clip, "--out", out, "--overwrite")[0] == 0
    assert out.read_bytes()[:4] == b"glTF"
