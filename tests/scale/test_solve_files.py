"""Files of targets: every kind in, every kind out, the bits of `solve_batch`, faults named by row and column."""

import csv
import shutil
import signal

import numpy as np
import pytest
from processes import WAIT, forearm, json_of, start, wait_until
from typer.testing import CliRunner

import forearm as fa
from forearm.cli.app import app
from forearm.scale import solve_file, solve_files
from forearm.targets.files import open_targets, parquet_blocks

COUNT = 23


@pytest.fixture(scope="module")
def arm():
    return fa.load("scara")


@pytest.fixture(scope="module")
def poses(arm):
    T = arm.fk(arm.sample(COUNT, rng_seed=1))
    T[::5, :3, 3] *= 9.0  # out of reach
    return T


def quaternions(T):
    """(N, 4) scalar first, by the largest component; plain NumPy."""
    w = np.sqrt(np.maximum(0.0, 1.0 + np.trace(T[:, :3, :3], axis1=1, axis2=2))) / 2.0
    R = T[:, :3, :3]
    near = w > 1e-3
    safe = np.where(near, w, 1.0)
    vector = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], 1) / (
        4 * safe[:, None]
    )
    assert near.all() or (R[~near, 2, 2] < 0).all()
    half = np.sqrt(np.maximum(0.0, (1.0 + np.stack([R[:, 0, 0], R[:, 1, 1], R[:, 2, 2]], 1)) / 2.0))
    half[:, 1] *= np.where(R[:, 0, 1] >= 0.0, 1.0, -1.0)
    return np.column_stack([np.where(near, w, 0.0), np.where(near[:, None], vector, half)])


def write_table(path, columns):
    """A CSV or Parquet file with these columns."""
    if path.suffix == ".csv":
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(zip(*(np.asarray(column).tolist() for column in columns.values()), strict=True))
        return path
    pyarrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    pq.write_table(pyarrow.table(columns), path, row_group_size=4)
    return path


def read_table(path):
    """The columns of a CSV or Parquet file."""
    if path.suffix == ".csv":
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file))
        return {name.partition(" [")[0]: [row[name] for row in rows] for name in rows[0]}
    import pyarrow.parquet as pq

    return pq.read_table(path).to_pydict()


def matrix_columns(T):
    return {f"m{i}{k}": T[:, i, k] for i in range(4) for k in range(4)}


# -- the same answers ----------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_tables_hold_what_a_batch_gives(arm, poses, tmp_path, ending):
    names = np.array([f"target {k}" for k in range(COUNT)])
    source = write_table(tmp_path / f"in{ending}", matrix_columns(poses) | {"id": names})
    told = []
    counts = solve_file(arm, source, tmp_path / f"out{ending}", rows=5, progress=lambda *n: told.append(n))
    batch = arm.solve_batch(poses)
    table = read_table(tmp_path / f"out{ending}")
    assert counts == {name: int(n) for name, n in zip(*np.unique(batch.status_names, return_counts=True), strict=True)}
    joints = [f"q_{name}" for name in arm.joint_names]
    head = ["row", "id", *joints, "success", "status", "position_error", "rotation_error", "iterations", "tries"]
    assert list(table) == [*head, "method", "reason"]
    np.testing.assert_array_equal(np.array([table[name] for name in joints], np.float64).T, batch.q)
    np.testing.assert_array_equal(np.array(table["position_error"], np.float64), batch.position_error)
    assert table["id"] == names.tolist()
    assert [str(word) for word in table["status"]] == batch.status_names.tolist()
    assert [str(met).lower() == "true" for met in table["success"]] == batch.success.tolist()
    assert [bool(reason) for reason in table["reason"]] == (~batch.success).tolist()
    assert told[-1] == (COUNT, COUNT)
    assert not list(tmp_path.glob("*.parts"))


def test_arrays_hold_what_a_batch_gives(arm, poses, tmp_path):
    few, starts = poses[8:12], arm.sample(4, rng_seed=7)
    np.save(tmp_path / "in.npy", poses)
    np.savez(tmp_path / "in.npz", targets=few, q0=starts)
    solve_file(arm, tmp_path / "in.npy", tmp_path / "out.npy", rows=7)
    solve_file(arm, tmp_path / "in.npz", tmp_path / "out.npz", rows=3, explain=True)
    cold, near = arm.solve_batch(poses), arm.solve_batch(few, q0=starts, explain=True)
    joints = np.load(tmp_path / "out.npy")
    np.testing.assert_array_equal(joints[cold.success], cold.q[cold.success])
    assert np.isnan(joints[~cold.success]).all()
    with np.load(tmp_path / "out.npz") as file:
        np.testing.assert_array_equal(file["q"], near.q)
        np.testing.assert_array_equal(file["success"], near.success)
        said = [reason.decode() for reason in file["reason"]]
    assert said == [near.explanations.get(i, "") for i in range(4)]
    assert "at least" in said[2]


def test_columns_mean_what_the_targets_mean(arm, poses, tmp_path):
    xyz = dict(zip("xyz", poses[:, :3, 3].T, strict=True))
    wanted = arm.solve_batch(poses)
    turn = dict(zip(("qw", "qx", "qy", "qz"), quaternions(poses).T, strict=True))
    solve_file(arm, write_table(tmp_path / "q.csv", xyz | turn), tmp_path / "q.npz")
    with np.load(tmp_path / "q.npz") as file:
        np.testing.assert_array_equal(file["success"], wanted.success)
        off = np.abs(arm.fk(file["q"])[wanted.success] - poses[wanted.success]).max()
    assert off < 3e-6
    solve_file(arm, write_table(tmp_path / "p.csv", xyz), tmp_path / "p.npz")
    with np.load(tmp_path / "p.npz") as file:
        np.testing.assert_array_equal(file["q"], arm.solve_batch(fa.Position.many(poses[:, :3, 3])).q)
    ways = dict(zip(("dx", "dy", "dz"), poses[:, :3, 2].T, strict=True))
    solve_file(arm, write_table(tmp_path / "d.csv", xyz | ways), tmp_path / "d.npz")
    with np.load(tmp_path / "d.npz") as file:
        batch = arm.solve_batch(fa.PointAxis.many(poses[:, :3, 3], poses[:, :3, 2]))
        np.testing.assert_array_equal(file["q"], batch.q)


def test_starts_and_obstacles_reach_the_solver(arm, poses, tmp_path):
    starts = arm.sample(COUNT, rng_seed=3)
    columns = matrix_columns(poses) | {f"q0_{name}": starts[:, k] for k, name in enumerate(arm.joint_names)}
    solve_file(arm, write_table(tmp_path / "in.csv", columns), tmp_path / "out.npz")
    with np.load(tmp_path / "out.npz") as file:
        np.testing.assert_array_equal(file["q"], arm.solve_batch(poses, q0=starts).q)
    wall = [fa.Sphere([9.0, 0.0, 0.0], 0.1)]
    np.save(tmp_path / "few.npy", poses[1:4])
    solve_file(arm, tmp_path / "few.npy", tmp_path / "few.npz", obstacles=wall)
    with np.load(tmp_path / "few.npz") as file:
        np.testing.assert_array_equal(file["clearance"], arm.solve_batch(poses[1:4], obstacles=wall).clearance)


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".npz", ".npy"])
def test_a_stopped_run_goes_on_and_ends_with_the_same_bytes(arm, poses, tmp_path, ending, monkeypatch):
    np.save(tmp_path / "in.npy", poses)
    solve_file(arm, tmp_path / "in.npy", tmp_path / f"whole{ending}", rows=4)
    out = tmp_path / f"out{ending}"

    def full(parts, path, joints):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("forearm.scale.solve_files.join", full)
        with pytest.raises(fa.ForearmError, match="is full; what was solved is kept: resume=True goes on"):
            solve_file(arm, tmp_path / "in.npy", out, rows=4)
    parts = tmp_path / f"out{ending}.parts"
    (parts / "000002.npz").unlink()
    with pytest.raises(fa.ForearmError, match="resume=True goes on with it; or remove it"):
        solve_file(arm, tmp_path / "in.npy", out, rows=4)
    with pytest.raises(fa.ForearmError, match="was begun with rows 4 and this run has 5"):
        solve_file(arm, tmp_path / "in.npy", out, rows=5, resume=True)
    told = []
    solve_file(arm, tmp_path / "in.npy", out, rows=4, resume=True, progress=lambda *n: told.append(n))
    assert told == [(4, 4)]
    assert out.read_bytes() == (tmp_path / f"whole{ending}").read_bytes()
    assert not parts.exists()


@pytest.fixture
def stopped(arm, poses, tmp_path, monkeypatch):
    """Runs that are stopped before the end, with all parts written; gives the directory of the parts."""
    np.save(tmp_path / "in.npy", poses)

    def run(name, **how):
        with monkeypatch.context() as patch:
            patch.setattr("forearm.scale.solve_files.join", lambda *_: (_ for _ in ()).throw(OSError(28, "No space")))
            with pytest.raises(fa.ForearmError, match="what was solved is kept: resume=True goes on"):
                solve_file(how.pop("arm", arm), tmp_path / "in.npy", tmp_path / name, rows=4, **how)
        return tmp_path / f"{name}.parts"

    return run


def flip(path, place):
    """Changes one bit of a file."""
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


def test_damaged_parts_and_those_of_other_runs_are_made_again(arm, stopped, tmp_path):
    solve_file(arm, tmp_path / "in.npy", tmp_path / "whole.npz", rows=4)
    parts, other = stopped("out.npz"), stopped("other.npz", tol=(1e-3, 1e-3))
    size = (parts / "000000.npz").stat().st_size
    flip(parts / "000000.npz", size // 2)
    flip(parts / "000001.npz", 3)
    (parts / "000002.npz").write_bytes((parts / "000002.npz").read_bytes()[: size // 2])
    (parts / "000003.npz").write_bytes((other / "000003.npz").read_bytes())
    (parts / "000004.npz").write_bytes((parts / "000005.npz").read_bytes())
    told = []
    out = tmp_path / "out.npz"
    solve_file(arm, tmp_path / "in.npy", out, rows=4, resume=True, progress=lambda *n: told.append(n))
    assert told[-1] == (20, 20)
    assert out.read_bytes() == (tmp_path / "whole.npz").read_bytes()


WALL = [fa.Box([0.0, 0.0, 1.0], [0.1, 0.1, 0.1])]
AMONG = {"obstacles": WALL, "clearance": 0.01, "max_tries": 2, "explain": True}


@pytest.mark.parametrize(
    ("other", "name"),
    [
        (lambda arm: {"tol": (1e-6, 1e-5)}, "tol"),
        (lambda arm: {"explain": False}, "explain"),
        (lambda arm: {"method": "general"}, "method"),
        (lambda arm: {"max_tries": 3}, "options.max_tries"),
        (lambda arm: {"rng_seed": 1}, "options.rng_seed"),
        (lambda arm: {"clearance": 0.011}, "options.clearance"),
        (lambda arm: {"self_collision": False}, "options.self_collision"),
        (lambda arm: {"obstacles": [fa.Box([0.0, 0.0, 1.0], [0.1, 0.1, 0.11])]}, "options.obstacles"),
        (lambda arm: {"obstacles": {"wall": WALL[0]}}, "options.obstacles"),
        (lambda arm: {"arm": arm.with_geometry(radius=0.05)}, "robot.geometry.radius"),
        (lambda arm: {"arm": arm.with_limits(locked={arm.joint_names[0]: 0.0})}, "robot.limits"),
    ],
)
def test_a_run_with_another_setting_is_refused_by_its_name(arm, poses, stopped, tmp_path, other, name):
    np.save(tmp_path / "in.npy", poses[1:3])
    far = arm.with_geometry(radius=0.01)
    kept = stopped("out.npz", arm=far, **AMONG)
    changed = {"arm": far} | AMONG | other(far)
    before = sorted(file.read_bytes() for file in kept.glob("[!.]*"))
    with pytest.raises(fa.errors.OptionError, match=f"was begun with {name}.* and this run has "):
        solve_file(changed.pop("arm"), tmp_path / "in.npy", tmp_path / "out.npz", rows=4, resume=True, **changed)
    assert sorted(file.read_bytes() for file in kept.glob("[!.]*")) == before
    solve_file(far, tmp_path / "in.npy", tmp_path / "out.npz", rows=4, resume=True, **AMONG)


def test_a_byte_in_the_middle_of_the_targets_is_seen(arm, stopped, tmp_path):
    stopped("out.npz")
    flip(tmp_path / "in.npy", 1500)
    words = "was begun with targets sha256:.* and this run has sha256:.*; give the same settings"
    with pytest.raises(fa.errors.OptionError, match=words):
        solve_file(arm, tmp_path / "in.npy", tmp_path / "out.npz", rows=4, resume=True)
    flip(tmp_path / "in.npy", 1500)
    solve_file(arm, tmp_path / "in.npy", tmp_path / "out.npz", rows=4, resume=True)


@pytest.mark.parametrize("change", [lambda text: text.replace("0.2", "0.3"), lambda text: text[:54]])
def test_targets_that_change_while_they_are_solved_are_refused(arm, tmp_path, monkeypatch, change):
    path, text = tmp_path / "in.csv", "x,y,z\n" + "0.1,0,0\n" * 6 + "0.2,0,0\n" * 6
    path.write_text(text)

    check = solve_files.check_all

    def then_change(*given):
        digests = check(*given)
        path.write_text(change(text))
        return digests

    with monkeypatch.context() as patch:
        patch.setattr(solve_files, "check_all", then_change)
        with pytest.raises(fa.errors.OptionError, match=r"was changed while it was solved; put it back as it was"):
            solve_file(arm, path, tmp_path / "out.npz", rows=4)
    path.write_text(text)
    solve_file(arm, path, tmp_path / "out.npz", rows=4, resume=True)
    solve_file(arm, path, tmp_path / "whole.npz", rows=4)
    assert (tmp_path / "out.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes()


def test_a_run_killed_before_its_first_part_leaves_nothing_in_the_way(arm, poses, tmp_path):
    np.save(tmp_path / "in.npy", poses[:3])
    (tmp_path / "out.npz.parts.making").mkdir()
    (tmp_path / "out.npz.parts.making" / "settings.json").write_text('{"rows"')
    solve_file(arm, tmp_path / "in.npy", tmp_path / "out.npz")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["in.npy", "out.npz", "out.npz.settings.json"]


@pytest.mark.compiled
def test_a_killed_run_and_a_cluster_give_the_same_bytes(cluster, tmp_path):
    """SIGKILL in the middle, then on with a cluster that loses a worker."""
    panda = fa.load("panda")
    T = panda.fk(panda.sample(6000, rng_seed=2))
    T[::2, 2, 3] += 0.4  # many out of reach: slow ones
    np.save(tmp_path / "in.npy", T)
    words = ("solve-file", "panda", tmp_path / "in.npy", "--rows", "120")
    code, said = forearm(*words, "--out", tmp_path / "whole.npz", "--json")
    assert code == 0, said
    assert json_of(said)["targets"] == 6000
    parts = tmp_path / "out.npz.parts"
    process = start("-m", "forearm", *words, "--out", tmp_path / "out.npz", "--workers", "1")
    wait_until(lambda: process.poll() is not None or len(list(parts.glob("*.npz"))) >= 2, "the first parts")
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=WAIT)
    done = len(list(parts.glob("*.npz")))
    assert 2 <= done < 50
    far = ("--out", tmp_path / "out.npz", "--resume", "--scheduler", cluster.address)
    process = start("-m", "forearm", *words, *far)
    wait_until(lambda: process.poll() is not None or len(list(parts.glob("*.npz"))) > done, "the cluster's first part")
    cluster.workers[1].send_signal(signal.SIGKILL)
    said, _ = process.communicate(timeout=WAIT)
    assert process.returncode == 0, said
    assert (tmp_path / "out.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes()


def test_blocks_do_not_depend_on_row_groups(tmp_path):
    path = write_table(tmp_path / "in.parquet", {"x": np.arange(11.0), "id": [str(k) for k in range(11)]})
    assert [len(block["x"]) for block in parquet_blocks(path, 3)] == [3, 3, 3, 2]
    assert open_targets(path).count == 11


# -- faults --------------------------------------------------------------------------------------


def bad(tmp_path, text):
    path = tmp_path / "in.csv"
    path.write_text(text)
    return path


ROW = "1,0,0,0.3,0,1,0,0.3,0,0,1,0.3\n"  # of a matrix without its last row


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("x,y,z\n0,0,0\n0,abc,0\n", r"row 1, column 'y' \(line 3\): 'abc' is not a number"),
        ("x,y,z\n0,0,0\n0,nan,0\n", r"row 1, column 'y' \(line 3\): nan is not a finite number"),
        ("x,y,z\n0,0,0\n0,0\n", r"row 1 \(line 3\) has 2 cells and the header 3"),
        ("x,y,zz\n0,0,0\n", "an unknown column 'zz'"),
        ("x,y,z,roll\n0,0,0,0\n", "x, y, z, roll; it takes x, y, z alone"),
        (
            "x,y,z,qw,qx,qy,qz\n0,0,0,1,0,0,0\n0,0,0,0,0,0,0\n",
            "row 1: qw, qx, qy, qz has length 0; a rotation is a unit quaternion",
        ),
        ("x,y,z,dx,dy,dz\n0,0,0,0,0,0\n", "row 0: dx, dy, dz are all 0"),
        ("x,y,z,q0_nobody\n0,0,0,1\n", "has the starts 'q0_nobody'; it takes all or none of"),
        (
            ",".join(f"m{i}{k}" for i in range(4) for k in range(4)) + "\n" + ",".join(["1"] * 16),
            "row 0 is not a rigid",
        ),
        (
            f"{ROW.replace('0.3', '0.3o', 1)}{ROW}",
            r"row 0, column 4 \(line 1\): '0.3o' is no",
        ),
        ("0.1,,0\n0.1,0,0\n", r"row 0, column 2 \(line 1\): '' is not a number"),
        (
            f"# of a camera\na,b,c,d,e,f,g,h,i,j,k,l\n\n{ROW[:-4]}nan\n",
            r"column 'l' \(line 4\): nan is no",
        ),
        ("x,y,z\n", "holds no targets"),
        ("", "holds no targets"),
    ],
)
def test_faults_of_a_table_are_named(arm, tmp_path, text, match):
    with pytest.raises(fa.ForearmError, match=match):
        solve_file(arm, bad(tmp_path, text), tmp_path / "out.csv", rows=1)


def test_a_fault_in_a_later_block_names_its_row(arm, tmp_path):
    path = bad(tmp_path, "x,y,z\n" + "0.1,0,0\n" * 10 + "0,inf,0\n")
    with pytest.raises(fa.ForearmError, match=r"row 10, column 'y' \(line 12\): inf is not a finite number"):
        solve_file(arm, path, tmp_path / "out.csv", rows=3)
    assert not list(tmp_path.glob("out*"))


def test_a_start_outside_the_limits_names_its_row(arm, poses, tmp_path):
    starts = arm.sample(COUNT, rng_seed=3)
    starts[19, 0] = 1e3
    np.savez(tmp_path / "in.npz", targets=poses, q0=starts)
    with pytest.raises(fa.ForearmError, match="row 19: q0 is outside the limits"):
        solve_file(arm, tmp_path / "in.npz", tmp_path / "out.csv", rows=4)
    assert not list(tmp_path.glob("out*"))


@pytest.mark.parametrize(
    ("names", "how", "match"),
    [
        (("in.txt", "out.csv"), {}, "is not text; if it is no CSV, its name must end in"),
        (("none.csv", "out.csv"), {}, "there is no file"),
        (("in.npy", "out.txt"), {}, "its name must end in one of"),
        (("in.npy", "in.npy"), {"overwrite": True}, "the file of targets itself; choose another name"),
        (("in.npy", "odd.npy"), {}, "is there already; overwrite=True replaces it"),
        (("in.npy", "out.csv"), {"overwrite": 1}, "overwrite is 1"),
        (("in.npy", "out.csv"), {"speed": 3}, "has no option 'speed'"),
        (("in.npy", "out.csv"), {"method": "magic"}, "method 'magic' is unknown"),
        (("in.npy", "out.csv"), {"rows": 0}, "rows is 0"),
        (("in.npy", "out.csv"), {"tol": 5}, "tol is 5; it takes two numbers: metres and radians"),
        (("in.npy", "out.csv"), {"tol": ("a", "b")}, "tol is not an array of numbers"),
        (("in.npy", "out.csv"), {"workers": 0}, "threads is 0"),
        (("in.npy", "out.csv"), {"progress": 5}, "progress is 5; it takes True, False or a function"),
        (("in.npy", "out.csv"), {"obstacles": [3]}, "obstacles are"),
        (("in.npy", "out.csv"), {"obstacles": [], "clearance": np.array([1.0, 2.0])}, "clearance is .* not a number"),
        (("in.npy", "out.csv"), {"obstacles": [], "self_collision": 5}, "self_collision is 5"),
        (("in.npy", "out.csv"), {"obstacles": [], "method": "dls"}, "method 'dls' does not"),
        (("broken.npy", "out.csv"), {}, "cannot be read"),
        (("broken.parquet", "out.csv"), {}, "cannot be read"),
        (("odd.npy", "out.csv"), {}, "it takes"),
        (("other.npz", "out.csv"), {}, "it takes targets, and perhaps q0"),
    ],
)
def test_faults_of_the_call_are_named(arm, poses, tmp_path, names, how, match):
    (tmp_path / "in.txt").write_bytes(b"\xff\xfe")
    for name in ("broken.npy", "broken.parquet"):
        (tmp_path / name).write_bytes(b"no such thing")
    np.save(tmp_path / "in.npy", poses)
    np.save(tmp_path / "odd.npy", np.zeros((3, 5)))
    np.savez(tmp_path / "other.npz", poses=poses)
    with pytest.raises(fa.ForearmError, match=match):
        solve_file(arm, tmp_path / names[0], tmp_path / names[1], **how)
    assert not list(tmp_path.glob("out*"))


def test_a_full_disk_is_told_before_the_work(arm, poses, tmp_path, monkeypatch):
    np.save(tmp_path / "in.npy", poses)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**9, 10**9, 100))
    with pytest.raises(fa.ForearmError, match="its disk has 100 bytes left"):
        solve_file(arm, tmp_path / "in.npy", tmp_path / "out.csv")
    assert not list(tmp_path.glob("out*"))


def test_the_command_sums_up(poses, tmp_path):
    np.save(tmp_path / "in.npy", poses)
    words = ["solve-file", "scara", str(tmp_path / "in.npy"), "--out", str(tmp_path / "out.csv"), "--tol", "1e-5 1e-5"]
    result = CliRunner().invoke(app, words, env={"COLUMNS": "160"})
    assert result.exit_code == 0, result.output
    assert f"{COUNT} targets in" in result.output
    assert "out_of_reach" in result.output


# -- beside the targets --------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".npz"])
def test_columns_are_carried_along_and_written_in_the_units_of_the_call(arm, poses, tmp_path, ending):
    few = poses[:4].copy()
    few[:, :3, 3] *= 1000.0
    notes = ["a, b", "", "é", "d"]
    source = write_table(tmp_path / "in.csv", matrix_columns(few) | {"weld": notes})
    out = tmp_path / f"out{ending}"
    out.write_bytes(b"of a run before")
    solve_file(arm, source, out, rows=3, explain=True, overwrite=True, deg=True, mm=True)
    batch = arm.solve_batch(poses[:4], explain=True)
    per = np.array([1000.0 if kind == "prismatic" else 180.0 / np.pi for kind in arm.model.joint_kinds])
    if ending == ".npz":
        with np.load(out) as file:
            np.testing.assert_allclose(file["q"], batch.q * per, rtol=1e-15)
            assert [word.decode() for word in file["weld"]] == notes
        return
    table = read_table(out)
    assert list(table)[:2] == ["row", "weld"]
    assert table["weld"] == notes
    q = np.array([table[f"q_{name}"] for name in arm.joint_names], np.float64).T
    np.testing.assert_allclose(q, batch.q * per, rtol=1e-12)
    np.testing.assert_allclose(np.array(table["position_error"], float), batch.position_error * 1000.0, rtol=1e-12)
    assert " mm beyond the arm's reach" in table["reason"][0]
    if ending == ".csv":
        head = out.read_text().splitlines()[0]
        assert all(name in head for name in ("[deg]", "[mm]", "position_error [mm]", "rotation_error [deg]"))
        return
    import pyarrow.parquet as pq

    assert pq.read_schema(out).field("position_error").metadata == {b"unit": b"mm"}


def test_starts_are_read_in_their_units_and_may_be_a_hair_outside(arm, poses, tmp_path):
    upper = arm.limits[1]
    per = np.array([1000.0 if kind == "prismatic" else 180.0 / np.pi for kind in arm.model.joint_kinds])
    columns = matrix_columns(poses[1:3]) | {
        f"q0_{name}": np.full(2, (upper[k] + 5e-5) * per[k]) for k, name in enumerate(arm.joint_names)
    }
    for name in ("m03", "m13", "m23"):
        columns[name] = columns[name] * 1000.0
    solve_file(arm, write_table(tmp_path / "in.csv", columns), tmp_path / "out.npz", deg=True, mm=True)
    with np.load(tmp_path / "out.npz") as file:
        np.testing.assert_allclose(file["q"] / per, arm.solve_batch(poses[1:3], q0=upper).q, atol=1e-9)


def test_columns_with_the_name_of_what_is_written_are_refused(arm, poses, tmp_path):
    source = write_table(tmp_path / "in.csv", matrix_columns(poses[:2]) | {"status": ["a", "b"]})
    with pytest.raises(fa.ForearmError, match="has the column 'status', which is written too; rename it"):
        solve_file(arm, source, tmp_path / "out.csv")


def test_rounded_matrices_are_solved_when_asked_and_the_distance_is_told(arm, poses, tmp_path, caplog):
    rounded = np.round(poses[1:4], 4)
    source = write_table(tmp_path / "in.csv", matrix_columns(rounded))
    with pytest.raises(fa.ForearmError, match="not a rigid transform"):
        solve_file(arm, source, tmp_path / "out.csv")
    solve_file(arm, source, tmp_path / "out.csv", nearest_rigid=True, tol=(1e-3, 1e-3), rows=2)
    off = np.array(read_table(tmp_path / "out.csv")["off_rigid"], float)
    assert (off < 1e-4).all()
    assert f"differ by at most {off.max():.2g} in an entry" in caplog.text


def test_a_file_of_which_nothing_is_within_reach_is_asked_for_its_unit(tmp_path):
    targets, out = tmp_path / "t.csv", tmp_path / "o.csv"
    targets.write_text("x,y,z\n400,200,300\n300,100,300\n")
    words = ["solve-file", "ur5", str(targets), "--out", str(out)]
    found = CliRunner().invoke(app, words, env={"COLUMNS": "200"})
    assert found.exit_code == 1  # nothing was solved
    with out.open() as file:
        assert [row["reason"] for row in csv.DictReader(file)] == ["not explained; explain finds out why"] * 2
    assert "none is within reach; if the file is in millimetres, --mm reads it" in found.output
    found = CliRunner().invoke(app, [*words, "--mm", "--overwrite"], env={"COLUMNS": "200"})
    assert "2 solved" in found.output
    assert "millimetres" not in found.output
    assert found.exit_code == 0
    assert CliRunner().invoke(app, [*words, "--json", "--overwrite"]).exit_code == 1


def test_a_file_in_metres_that_is_read_as_millimetres_is_asked_about(tmp_path):
    (tmp_path / "metres.csv").write_text("x,y,z\n0.4,0.2,0.3\n0.3,0.2,0.3\n")
    words = ["solve-file", "ur5", str(tmp_path / "metres.csv"), "--out", str(tmp_path / "o.csv"), "--mm"]
    found = CliRunner().invoke(app, words)
    assert found.exit_code == 1
    assert "none is solved; if the file is in metres, leave out --mm" in found.output


@pytest.mark.parametrize("ending", ["parquet", "csv", "npz", "npy"])
def test_parts_are_read_a_few_times_however_many_columns_there_are(arm, poses, tmp_path, monkeypatch, ending):
    np.save(tmp_path / "in.npy", poses)
    reads, read = [], solve_files.Parts.read
    monkeypatch.setattr(solve_files.Parts, "read", lambda parts, k: reads.append(k) or read(parts, k))
    solve_file(arm, tmp_path / "in.npy", tmp_path / f"out.{ending}", rows=4)
    assert max(reads.count(k) for k in set(reads)) <= 5
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "in.npy",
        *(f"out.{ending}{more}" for more in ("", ".settings.json")),
    ]


@pytest.mark.parametrize(("name", "match"), [("in.zarr", "solve_batch"), ("in.csv.gz", "unpack it first")])
def test_what_is_not_read_is_said_with_the_way_out(arm, tmp_path, name, match):
    (tmp_path / name).mkdir()
    with pytest.raises(fa.errors.OptionError, match=match):
        solve_file(arm, tmp_path / name, tmp_path / "out.npz")


def test_the_command_says_what_was_solved_first_and_counts_one_as_one(arm, tmp_path):
    reached = arm.fk(arm.neutral)[:3, 3]
    np.save(tmp_path / "two.npy", [[9.0, 9.0, 9.0], reached])
    np.save(tmp_path / "one.npy", [reached])
    for name, said in (("two", "1 solved, 1 out_of_reach; 2 targets in"), ("one", "1 solved; 1 target in")):
        words = ["solve-file", "scara", str(tmp_path / f"{name}.npy"), "--out", str(tmp_path / f"{name}.csv")]
        assert CliRunner().invoke(app, words).output.startswith(said)


@pytest.mark.parametrize("ending", [".csv", ".npz", ".npy", ".parquet"])
def test_a_run_that_is_finished_is_told_so_and_stays(arm, poses, tmp_path, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    targets, out = tmp_path / "in.npy", tmp_path / f"out{ending}"
    np.save(targets, poses)
    first = solve_file(arm, targets, out, rows=5)
    held = out.read_bytes()
    assert solve_file(arm, targets, out, rows=5, resume=True)["solved"] == first["solved"]
    found = CliRunner().invoke(app, ["solve-file", "scara", str(targets), "--out", str(out), "--resume"])
    assert found.exit_code == 0
    assert "is finished, and stays as it is" in " ".join(found.output.split())
    assert out.read_bytes() == held
    np.save(targets, poses[:-1])
    with pytest.raises(fa.errors.OptionError, match="holds no solutions of the 22 targets"):
        solve_file(arm, targets, out, resume=True)


def test_a_finished_run_of_other_settings_is_refused(arm, poses, tmp_path):
    """It was recognised by its number of rows alone, and answers to looser tolerances passed for the ones asked for."""
    targets, out = tmp_path / "in.npy", tmp_path / "out.csv"
    np.save(targets, poses)
    first = solve_file(arm, targets, out, tol=(1e-3, 1e-3), rows=5)
    assert solve_file(arm, targets, out, tol=(1e-3, 1e-3), rows=7, resume=True) == first
    with pytest.raises(fa.errors.OptionError, match=r"out.csv' was begun with tol \[0.001, 0.001\] and this run has"):
        solve_file(arm, targets, out, resume=True)
    np.save(targets, poses[::-1])
    with pytest.raises(fa.errors.OptionError, match="was begun with targets sha256"):
        solve_file(arm, targets, out, tol=(1e-3, 1e-3), resume=True)
    second = solve_file(arm, targets, out, overwrite=True)
    assert solve_file(arm, targets, out, resume=True) == second
    solve_files.settings_beside(out).unlink()  # of a run before settings were kept
    assert solve_file(arm, targets, out, method="general", resume=True) == second


def test_a_file_of_something_else_is_no_finished_run(arm, poses, tmp_path):
    np.save(tmp_path / "in.npy", poses)
    (tmp_path / "out.csv").write_text("my own notes\n")
    with pytest.raises(fa.errors.OptionError, match="is there and holds no solutions of the 23 targets"):
        solve_file(arm, tmp_path / "in.npy", tmp_path / "out.csv", resume=True)
    assert (tmp_path / "out.csv").read_text() == "my own notes\n"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("row", "rows"), ("worker", "workers"), ("sheduler", "scheduler"), ("resum", "resume"), ("obstacle", "obstacles")],
)
def test_a_misspelt_argument_is_proposed_by_its_name(arm, tmp_path, typed, meant):
    with pytest.raises(fa.errors.OptionError, match=rf"solve_file has no option '{typed}'; did you mean {meant}\b"):
        solve_file(arm, tmp_path / "in.npy", tmp_path / "out.csv", **{typed: 5})
