"""`forearm retarget`: a map that is proposed, a motion that is written, what is wrong."""

import json

import pytest
from typer.testing import CliRunner

from forearm.cli.app import app
from motions import squat

pytestmark = pytest.mark.compiled
URDF = "examples/humanoid.urdf"


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    path = tmp_path_factory.mktemp("clips") / "squat.bvh"
    squat(1.0, 30.0).write(path)
    return str(path)


def run(*words):
    return CliRunner().invoke(app, ["retarget", *words])


def test_a_map_is_proposed_and_taken(clip, tmp_path):
    proposed = run(clip, URDF, "--propose", str(tmp_path / "map.toml"))
    assert proposed.exit_code == 0
    assert 'left_hand = ["LeftHand", "left_hand"]' in (tmp_path / "map.toml").read_text()
    out = tmp_path / "motion.csv"
    done = run(clip, URDF, "--map", str(tmp_path / "map.toml"), "--out", str(out))
    assert done.exit_code == 0, done.output
    assert "frames a second" in done.output
    assert len(out.read_text().splitlines()) == 32


def test_machines_are_told_errors_of_each_goal(clip):
    told = json.loads(run(clip, URDF, "--json", "--no-self-collision").output)
    assert told["frames"] == 31
    assert told["slide"] < 1e-4
    assert set(told["rms"]) == set(told["worst"]) >= {"left_foot", "right_hand", "pelvis"}


def test_errors_of_every_goal_in_every_frame_are_written(clip, tmp_path):
    report = tmp_path / "errors.csv"
    assert run(clip, URDF, "--report", str(report)).exit_code == 0
    rows = [line.split(",") for line in report.read_text().splitlines()]
    assert len(rows) == 32
    assert {"time", "clearance", "left_foot/error", "left_foot/stands", "right_hand/error"} <= set(rows[0])
    assert all(len(row) == len(rows[0]) for row in rows)


@pytest.mark.parametrize("flag", ["--out", "--report", "--propose"])
def test_a_file_that_is_there_is_replaced_only_if_told(flag, clip, tmp_path):
    path = tmp_path / "there.csv"
    path.write_text("mine")
    found = run(clip, URDF, flag, str(path))
    assert "--overwrite replaces it" in str(found.exception)
    assert path.read_text() == "mine"
    assert run(clip, URDF, flag, str(path), "--overwrite").exit_code == 0
    assert path.read_text() != "mine"
