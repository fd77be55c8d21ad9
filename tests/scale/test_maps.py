"""Reachability maps: what they say is what brute force finds, and every fault is told before the work."""

import errno
import shutil
import subprocess
import sys
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from processes import assert_same_map, chunk_files, files_of, forearm

import forearm as fa
from forearm.cli.commands.bench import load_protocol
from forearm.scale import disk as place
from forearm.scale import make_map
from forearm.scale.map_chunk import map_chunk, targets_at
from forearm.scale.map_plan import plan_map
from forearm.scale.zarr_files import UNFINISHED

load_protocol()
judge = sys.modules["judge"] if "judge" in sys.modules else __import__("judge")

# The plane that a planar arm of 0.3 m moves in: 7 x 7 voxels in 16 chunks.
LAYER = {"resolution": 0.1, "bounds": [[-0.35, -0.35, -0.05], [0.35, 0.35, 0.05]], "chunk": 2}


@pytest.fixture(scope="module")
def planar():
    return fa.load("planar-3")


@pytest.fixture(scope="module")
def planar_map(planar, tmp_path_factory):
    return make_map(planar, tmp_path_factory.mktemp("maps") / "planar.zarr", **LAYER)


# -- what it says --------------------------------------------------------------------------------


def test_a_planar_arm_reaches_a_disc(planar_map, planar):
    """Three links without limits reach every point of their plane within their length, the edge included."""
    x, y, z = planar_map.coordinates
    share, best = planar_map.array("share"), planar_map.array("manipulability")
    assert planar_map.settings["target"] == "position"
    assert planar_map.progress == 1.0
    np.testing.assert_allclose(x, np.arange(-3, 4) * 0.1)
    np.testing.assert_array_equal(z, [0.0])
    np.testing.assert_array_equal(share[:, :, 0] > 0.0, np.hypot(x[:, None], y) <= planar.reach + 1e-9)
    assert np.isnan(best[share == 0.0]).all()
    assert (best[share > 0.0] >= 0.0).all()


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "voxels"), [("ur5", 40), ("panda", 30)])
def test_shares_agree_with_brute_force(name, voxels, tmp_path):
    """What is called reachable is reached, by independent FK; what is not, another method does not find either."""
    arm = fa.load(name)
    plan = plan_map(arm, resolution=0.15, orientations=10)
    made = make_map(arm, tmp_path / "m.zarr", resolution=0.15, orientations=10)
    share = made.array("share")
    cells = np.argwhere(share >= 0.0)
    picked = cells[np.random.default_rng(1).choice(len(cells), voxels, replace=False)]
    points = np.stack([axis[k] for axis, k in zip(made.coordinates, picked.T, strict=True)], axis=1)
    poses = targets_at(plan, points).goals
    claimed = share[tuple(picked.T)]
    found = arm.solve_batch(poses, max_tries=2000)
    met = judge.solved(arm, found.q, poses) & np.isfinite(judge.forward(arm, found.q)).all(axis=(1, 2))
    other = arm.solve_batch(poses[~met], method="dls", restarts=40)
    assert not judge.solved(arm, other.q, poses[~met]).any()
    np.testing.assert_array_equal(claimed, met.reshape(voxels, 10).mean(axis=1).astype(np.float32))
    assert 0.0 < claimed.mean() < 1.0


def test_manipulability_is_the_best_of_the_answers(planar, tmp_path):
    plan = plan_map(planar, **LAYER)
    made = make_map(planar, tmp_path / "m.zarr", **LAYER)
    best = made.array("manipulability")
    for cell in np.argwhere(made.array("share") > 0.0)[:5]:
        point = np.array([axis[k] for axis, k in zip(made.coordinates, cell, strict=True)])
        q = planar.solve(fa.Position(point), max_tries=plan.tries, explain=False).q
        assert best[tuple(cell)] == np.float32(planar.manipulability(q, "position"))


@pytest.mark.compiled
def test_obstacles_take_away_what_they_cover(tmp_path):
    """Among obstacles no share grows; an answer exists that keeps clear, by the arm's own distances."""
    arm = fa.load("ur5")
    wall = [fa.Box([0.5, 0.0, 0.2], [0.3, 1.0, 0.4])]
    how = {"resolution": 0.2, "orientations": 4, "bounds": [[0.0, -0.4, 0.0], [0.8, 0.4, 0.8]]}
    bare = make_map(arm, tmp_path / "bare.zarr", **how)
    among = make_map(arm, tmp_path / "among.zarr", obstacles=wall, clearance=0.02, **how)
    before, after = bare.array("share"), among.array("share")
    assert (after <= before).all()
    assert after.sum() < 0.8 * before.sum()
    assert among.share_at([0.5, 0.1, 0.3]) == 0.0
    gaps = among.array("clearance")
    assert (gaps[after > 0.0] >= 0.02 - 1e-9).all()
    assert np.isnan(gaps[after == 0.0]).all()
    plan = plan_map(arm, obstacles=wall, clearance=0.02, **how)
    goals = targets_at(plan, np.array([[0.3, 0.3, 0.7]])).goals
    free = [arm.solve(T, obstacles=wall, clearance=0.02).success for T in goals]
    assert among.share_at([0.3, 0.3, 0.7]) == np.float32(np.mean(free))


def test_five_joints_are_asked_for_directions():
    arm = fa.load("so101")
    assert plan_map(arm).target == "axis"
    plan = plan_map(arm, resolution=0.2, orientations=2, chunk=1, tries=4, bounds=[[0.2, 0, 0], [0.4, 0.2, 0.2]])
    chunk = map_chunk(plan.packed(), (0, 0, 0))
    assert chunk["share"].shape == (1, 1, 1)
    assert chunk["share"].dtype == np.float32


# -- the same bits -------------------------------------------------------------------------------


def test_neither_workers_nor_a_pause_change_a_byte(planar, planar_map, tmp_path):
    make_map(planar, tmp_path / "one.zarr", workers=1, **LAYER)
    assert_same_map(planar_map.path, tmp_path / "one.zarr")
    shutil.copytree(planar_map.path, tmp_path / "half.zarr")
    for file in sorted(chunk_files(tmp_path / "half.zarr"))[::2]:
        file.unlink()
    (tmp_path / "half.zarr" / UNFINISHED).mkdir()
    (tmp_path / "half.zarr" / UNFINISHED / "1-share.0.0.0").write_bytes(b"half")
    told = []
    half = fa.load_map(tmp_path / "half.zarr")
    assert 0.0 < half.progress < 1.0
    assert "made" in repr(half)
    make_map(planar, half.path, resume=True, progress=lambda done, total: told.append((done, total)), **LAYER)
    assert_same_map(planar_map.path, half.path)
    assert told[0][0] == 0
    assert told[-1][0] == told[-1][1] < np.prod(half.shape)


def test_numbers_do_not_depend_on_how_the_grid_is_cut(planar, planar_map, tmp_path):
    other = make_map(planar, tmp_path / "m.zarr", **LAYER | {"chunk": 3})
    for name in ("share", "manipulability"):
        np.testing.assert_array_equal(other.array(name), planar_map.array(name))


# -- faults are told before the work -------------------------------------------------------------


@pytest.fixture
def no_work(monkeypatch):
    """Fails the test if a chunk is begun."""
    monkeypatch.setattr("forearm.scale.maps.map_chunk", lambda *job: pytest.fail("the work began"))


@pytest.mark.usefixtures("no_work")
class TestRefusals:
    def refused(self, planar, path, match, **how):
        before = sorted(Path(path).parent.rglob("*")) if Path(path).parent.is_dir() else []
        with pytest.raises(fa.ForearmError, match=match):
            make_map(planar, path, **(LAYER | how))
        after = sorted(Path(path).parent.rglob("*")) if Path(path).parent.is_dir() else []
        assert before == after

    def test_a_full_disk(self, planar, tmp_path, monkeypatch):
        monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**9, 10**9, 5000))
        self.refused(planar, tmp_path / "m.zarr", r"may take .* and its disk has 5 kB left; make room")

    def test_a_directory_that_is_not_there(self, planar, tmp_path):
        self.refused(planar, tmp_path / "nowhere" / "m.zarr", "there is no directory")

    def test_a_place_that_cannot_be_written(self, planar, tmp_path, monkeypatch):
        def refuse(**where):
            raise PermissionError(errno.EACCES, "Permission denied")

        monkeypatch.setattr(place.tempfile, "TemporaryFile", refuse)
        self.refused(planar, tmp_path / "m.zarr", "cannot be written: Permission denied; choose another place")

    def test_a_file_in_the_way(self, planar, tmp_path):
        (tmp_path / "m.zarr").write_text("mine")
        self.refused(planar, tmp_path / "m.zarr", "is no map of forearm; choose another name", resume=True)

    def test_a_directory_in_the_way(self, planar, tmp_path):
        (tmp_path / "m.zarr").mkdir()
        (tmp_path / "m.zarr" / ".zattrs").write_text("{}")
        self.refused(planar, tmp_path / "m.zarr", "is no map of forearm; choose another name")

    def test_a_map_that_is_there(self, planar, planar_map):
        self.refused(planar, planar_map.path, "is there already; resume=True goes on with it")

    @pytest.mark.parametrize(
        ("how", "key"),
        [({"resolution": 0.2}, "resolution 0.1 and this run has 0.2"), ({"tries": 3}, "tries 100 and this run has 3")],
    )
    def test_another_setting_is_named(self, planar, planar_map, how, key):
        self.refused(planar, planar_map.path, f"was begun with {key}", resume=True, **how)

    def test_another_arm_is_named(self, planar, planar_map):
        longer = planar.with_tool([[1, 0, 0, 1e-3], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
        self.refused(longer, planar_map.path, r"was begun with robot\.tool \[", resume=True)


@pytest.mark.parametrize(
    ("how", "match"),
    [
        ({"resolution": 0.0}, "resolution is 0 m"),
        ({"resolution": 1e-6}, "voxels; at most"),
        ({"orientations": 0, "target": "pose"}, "orientations is 0"),
        ({"bounds": [[0, 0, 0], [1, 1, 0]]}, "bounds is"),
        ({"target": "roll"}, "it takes one of: pose, axis, position"),
        ({"chunk": 10_000}, "chunk is 10000"),
        ({"workers": 2, "scheduler": "tcp://127.0.0.1:1"}, "workers is for threads here"),
        ({"obstacles": [3]}, "obstacles are"),
        ({"workers": 0}, "threads is 0"),
        ({"progress": 5}, "progress is 5; it takes True, False or a function"),
        ({"obstacles": [], "clearance": np.array([1.0, 2.0])}, "clearance is .*, not a number"),
        ({"obstacles": [], "clearance": -1.0}, "clearance is -1 m; it takes a distance from 0"),
        ({"self_collision": np.array([True, False])}, "self_collision is .*; it takes True or False"),
        ({"resolution": "fine"}, "resolution is 'fine', not a number"),
        ({"target": ["pose"]}, "it takes one of: pose, axis, position"),
    ],
)
def test_wrong_settings_are_named(planar, tmp_path, how, match):
    with pytest.raises(fa.ForearmError, match=match):
        make_map(planar, tmp_path / "m.zarr", **(LAYER | how))
    assert not list(tmp_path.iterdir())


def test_an_arm_without_bounds_asks_for_some():
    rail = fa.load("planar-3")
    model = rail.model
    endless = replace(model, joint_kinds=("prismatic",) * 3, joints=np.column_stack([np.ones(3), range(3), np.ones(3)]))
    limits = np.array([[-np.inf] * 3, [np.inf] * 3])
    with pytest.raises(fa.ForearmError, match="slides without limits"):
        plan_map(fa.Robot(replace(endless, limits=limits)))


@pytest.fixture
def small_disk(tmp_path):
    """A real disk of 200 kB; only root may mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(disk)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("may not mount a disk here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.compiled
def test_a_real_disk_that_is_too_small_is_told_before_the_work(small_disk):
    words = ("map", "planar-3", "--resolution", "0.05", "--chunk", "4", "--out", small_disk / "m.zarr")
    code, said = forearm(*words)
    assert code == 2, said
    assert "its disk has 205 kB left; make room" in said
    assert not (small_disk / "m.zarr").exists()


@pytest.mark.compiled
def test_a_real_disk_that_fills_on_the_way_loses_nothing(small_disk, planar, tmp_path, monkeypatch):
    """The check is taken away, as if another program had taken the room meanwhile."""
    monkeypatch.setattr("forearm.scale.maps.check_place", lambda path, needed: None)
    how = LAYER | {"resolution": 0.02, "chunk": 4}
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"0" * 100_000)
    with pytest.raises(fa.ForearmError, match=r"is full; \d+ of 162 chunks are still to do: resume=True goes on"):
        make_map(planar, small_disk / "m.zarr", **how)
    assert 0.0 < fa.load_map(small_disk / "m.zarr").progress < 1.0
    moved = shutil.copytree(small_disk / "m.zarr", tmp_path / "moved.zarr")
    make_map(planar, moved, resume=True, **how)
    make_map(planar, tmp_path / "whole.zarr", **how)
    assert_same_map(tmp_path / "whole.zarr", moved)


@pytest.mark.parametrize("room", [5, 40])  # files: not enough for what is said about the map, or for its chunks
def test_a_disk_that_fills_is_told_with_what_stands(planar, tmp_path, monkeypatch, room):
    from forearm.scale import zarr_files

    write, calls = zarr_files.write_whole, []

    def fill_up(group, path, data):
        calls.append(path)
        if len(calls) > room:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(group, path, data)

    monkeypatch.setattr(zarr_files, "write_whole", fill_up)
    with pytest.raises(fa.ForearmError, match=r"is full; \d+ of \d+ chunks are still to do: resume=True goes on"):
        make_map(planar, tmp_path / "m.zarr", **LAYER)
    monkeypatch.setattr(zarr_files, "write_whole", write)
    whole = make_map(planar, tmp_path / "whole.zarr", **LAYER)
    make_map(planar, tmp_path / "m.zarr", resume=True, **LAYER)
    assert files_of(whole.path) == files_of(tmp_path / "m.zarr")


@pytest.mark.parametrize("data", [b"not a chunk", b"", zlib.compress(bytes(31)), zlib.compress(bytes(10**7))])
@pytest.mark.parametrize("name", ["share", "manipulability", "x"])
def test_a_damaged_chunk_is_made_again(planar, planar_map, tmp_path, name, data):
    path = tmp_path / "planar.zarr"
    shutil.copytree(planar_map.path, path)
    chunk = sorted((path / name).rglob("[0-9]"))[-1]
    chunk.write_bytes(data)
    make_map(planar, path, resume=True, **LAYER)
    assert_same_map(planar_map.path, path)


@pytest.mark.parametrize("data", [None, b"", b"{}", b"[" * 100_000, b'{"shape": [1, 1, 1], "chunks": [1, 1, 1]}'])
@pytest.mark.parametrize("file", ["share/.zarray", "x/.zarray", "share/.zattrs"])
def test_damaged_words_about_an_array_are_written_again(planar, planar_map, tmp_path, file, data):
    path = tmp_path / "planar.zarr"
    shutil.copytree(planar_map.path, path)
    (path / file).unlink()
    if data is not None:
        (path / file).write_bytes(data)
    if file == "share/.zarray":
        with pytest.raises(fa.errors.OptionError):
            fa.load_map(path)
    make_map(planar, path, resume=True, **LAYER)
    assert_same_map(planar_map.path, path)


def test_only_one_run_writes_at_a_time(planar, planar_map):
    words = r"another run writes to .*; wait for it"
    with place.only_writer(planar_map.path), pytest.raises(fa.errors.OptionError, match=words):
        make_map(planar, planar_map.path, resume=True, **LAYER)
    assert make_map(planar, planar_map.path, resume=True, **LAYER).progress == 1.0


@pytest.mark.parametrize("name", ["chunk", "tries", "orientations"])
def test_a_count_of_nothing_is_refused(planar, name):
    with pytest.raises(fa.errors.OptionError, match=f"{name} is 0; it takes a whole number from 1"):
        plan_map(fa.load("ur5"), **{name: 0})
