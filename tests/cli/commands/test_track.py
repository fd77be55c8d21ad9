"""`forearm track`: every form of way-point file, what is written, exit codes, the words for mistakes."""

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import forearm as fa
from forearm.cli.app import app
from forearm.cli.commands import track as command
from forearm.cli.shell_words import for_shell
from forearm.common import bars

UR5 = fa.load("ur5")
Q = np.array([0.0, -1.2, 1.6, -0.4, 1.5, 0.0])
Q0 = ",".join(map(str, Q))
POSES = np.tile(UR5.fk(Q), (5, 1, 1))
POSES[:, 2, 3] += np.linspace(0.0, 0.04, 5)


def run(*arguments):
    result = CliRunner().invoke(app, ["track", *map(str, arguments)])
    if isinstance(result.exception, fa.ForearmError):
        return 2, for_shell(result.exception.message)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, " ".join(result.output.split())


def quaternion(R):
    """(w, x, y, z) of a rotation of less than half a turn."""
    w = np.sqrt(1.0 + np.trace(R)) / 2.0
    return np.array([w, *(np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4.0 * w))])


def rpy(R):
    return np.arctan2(R[2, 1], R[2, 2]), np.arcsin(-R[2, 0]), np.arctan2(R[1, 0], R[0, 0])


def table(header, rows):
    return "\n".join([header, *(",".join(repr(float(v)) for v in row) for row in rows)]).strip()


FILES = {
    "quaternion.csv": table("x,y,z,qw,qx,qy,qz", [[*T[:3, 3], *quaternion(T[:3, :3])] for T in POSES]),
    "shuffled.csv": table("z,qw,qx,qy,qz,y,x", [[T[2, 3], *quaternion(T[:3, :3]), T[1, 3], T[0, 3]] for T in POSES]),
    "rpy.csv": table("x,y,z,roll,pitch,yaw,time", [[*T[:3, 3], *rpy(T[:3, :3]), i] for i, T in enumerate(POSES)]),
    "axis.csv": table("x,y,z,dx,dy,dz", [[*T[:3, 3], *T[:3, 2]] for T in POSES]),
    "point.csv": table("", [T[:3, 3] for T in POSES]),
    "twelve.csv": table("", [T[:3].ravel() for T in POSES]),
    "sixteen.csv": table("a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,time", [[*T.ravel(), i] for i, T in enumerate(POSES)]),
    "list.json": json.dumps(POSES.tolist()),
    "objects.json": json.dumps(
        [{"xyz": [*T[:3, 3]], "quat_wxyz": [*quaternion(T[:3, :3])], "time": i} for i, T in enumerate(POSES)]
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_every_form_of_way_points_is_tracked(name, tmp_path):
    path = tmp_path / name
    path.write_text(FILES[name])
    code, output = run("ur5", path, "--q0", Q0, "--json")
    data = json.loads(output)
    assert code == 0, output
    assert data["complete"]
    reached = [q for q, place in zip(data["q"], data["places"], strict=True) if place == int(place)]
    np.testing.assert_allclose(UR5.fk(reached)[:, :3, 3], POSES[:, :3, 3], atol=1e-6)
    assert ("times" in data) == ("time" in FILES[name])


def test_joints_errors_and_steps_are_written_as_csv_in_the_chosen_units(tmp_path):
    path, out = tmp_path / "path.csv", tmp_path / "joints.csv"
    millimetres = POSES.copy()
    millimetres[:, :3, 3] *= 1000.0
    path.write_text(table("", [T[:3].ravel() for T in millimetres]))
    degrees = ",".join(map(str, np.degrees(Q)))
    code, output = run("ur5", path, "--q0", degrees, "--deg", "--mm", "--out", out, "--max-joint-step", "5")
    assert code == 0
    assert "solved: all 5 way-points are met" in output
    assert "joints.csv" in output
    rows = list(csv.DictReader(out.read_text().splitlines()))
    joints = [f"{name} [deg]" for name in UR5.joint_names]
    assert list(rows[0]) == ["place", *joints, "position_error [mm]", "rotation_error [deg]", "step [deg]"]
    q = np.radians([[float(row[name]) for name in joints] for row in rows if float(row["place"]) % 1 == 0])
    np.testing.assert_allclose(UR5.fk(q)[:, :3, 3], POSES[:, :3, 3], atol=1e-6)
    assert max(float(row["step [deg]"]) for row in rows) <= 5.0
    assert "deg (bound 5 deg)" in output


def test_json_is_written_and_velocities_reported(tmp_path):
    path, out = tmp_path / "path.csv", tmp_path / "joints.json"
    rows = [[*T[:3].ravel(), 1e-3 * i] for i, T in enumerate(POSES)]
    path.write_text(table("a,b,c,d,e,f,g,h,i,j,k,l,time", rows))
    code, output = run("ur5", path, "--q0", Q0, "--out", out)
    assert code == 0
    assert "segments are too fast" in output
    assert json.loads(out.read_text())["slowdown"] > 1


def test_an_incomplete_path_exits_with_one_and_its_sentence(tmp_path):
    path = tmp_path / "far.csv"
    far = [T[:3, 3] + [0.0, 0.0, dz] for T, dz in zip(POSES, (0.0, 0.1, 0.5, 0.9, 1.5), strict=True)]
    path.write_text(table("x,y,z", far))
    code, output = run("ur5", path, "--q0", Q0)
    assert code == 1
    assert "out_of_reach: stopped" in output
    assert "of 5 way-points" in output


def test_insert_can_be_refused(tmp_path):
    path = tmp_path / "coarse.csv"
    path.write_text(table("x,y,z", [POSES[0, :3, 3], POSES[0, :3, 3] + [0.0, 0.2, 0.0]]))
    code, output = run("ur5", path, "--q0", Q0, "--no-insert")
    assert code == 1
    assert "give more way-points, or --insert" in output
    assert run("ur5", path, "--q0", Q0, "--no-insert", "--halfway-tol", "1,1", "--max-joint-step", "2")[0] == 0


BAD = {
    "none.csv": (None, "there is no file"),
    "empty.csv": ("", "holds no targets"),
    "empty.json": ("[]", "holds no targets"),
    "seven.csv": ("1,2,3,4,5,6,7", "has 7 columns and no header"),
    "header.csv": ("x,y,z,w\n1,2,3,4", "has the column 'w' beside x, y, z; if it turns the tip, give roll"),
    "short.csv": ("x,y,z\n1,2,3\n1,2", "row 1 (line 3) has 2 cells and the header 3"),
    "words.csv": ("x,y,z\n1,2,up", "row 0, column 'z' (line 2): 'up' is not a number"),
    "nan.csv": ("x,y,z\n0,0,1\n0,0,nan", "row 1, column 'z' (line 3): nan is not a finite number"),
    "broken.json": ("[1, 2", "is not valid JSON"),
    "number.json": ("5", "it takes a list of 4x4 matrices or of objects"),
    "key.json": ('[{"pos": [1, 2, 3]}]', "row 0 has 'pos'; its keys may be"),
    "two.json": ('[{"xyz": [1, 2, 3], "rpy": [0, 0, 0], "direction": [0, 0, 1]}]', "it takes matrix, or xyz"),
    "text.json": ('[{"xyz": "abc"}]', "row 0: xyz is not an array of numbers"),
    "nine.json": ("[[1, 2, 3]]", "row 0: matrix has 3 numbers; it takes 16, or the first 12"),
    "times.json": (
        '[{"xyz": [0, 0, 1], "time": 0}, {"xyz": [0, 0, 1]}]',
        "gives time for 1 of 2 rows; give it for all or for none",
    ),
    "back.csv": ("x,y,z,time\n0.3,0.2,0.5,1\n0.3,0.2,0.5,0", "times must increase"),
    "mixed.json": (
        '[{"xyz": [0.3, 0.2, 0.5]}, [[1,0,0,0],[0,1,0,0],[0,0,1,1],[0,0,0,1]]]',
        "row 1 is of another kind than row 0",
    ),
    "starts.csv": ("x,y,z,q0_elbow_joint\n0.3,0.2,0.5,0", "a path has one start: give it as --q0"),
}


@pytest.mark.parametrize("name", BAD)
def test_mistakes_in_a_file_are_named(name, tmp_path):
    content, words = BAD[name]
    path = tmp_path / name
    if content is not None:
        path.write_text(content)
    code, output = run("ur5", path)
    assert code == 2
    assert words in output


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--out", "a.txt"], "--out is 'a.txt'; its name must end in one of: .csv, .json"),
        (["--out", "no/such/a.csv"], "there is no directory 'no/such'"),
        (["--max-joint-step", "0"], "--max-joint-step is 0.0; it takes a positive number"),
        (["--tol", "1"], "--tol has 1 number; it takes 2"),
        (["--q0", "1,2"], "--q0 has 2 numbers"),
    ],
)
def test_mistakes_in_flags_are_named(flags, words, tmp_path):
    path = tmp_path / "path.csv"
    path.write_text(FILES["twelve.csv"])
    code, output = run("ur5", path, *flags)
    assert code == 2
    assert words in output


def test_the_way_points_are_not_written_over(tmp_path):
    path = tmp_path / "path.csv"
    path.write_text(FILES["quaternion.csv"])
    code, output = run("ur5", path, "--q0", Q0, "--out", tmp_path / "." / "path.csv")
    assert code == 2
    assert "the file of the way-points itself; choose another name" in output
    assert path.read_text() == FILES["quaternion.csv"]


def test_a_file_that_is_not_text_is_refused(tmp_path):
    path = tmp_path / "path.csv"
    path.write_bytes(b"\xff\xfe\x00")
    assert "is not text" in run("ur5", path)[1]


def test_only_long_paths_tell_how_far_they_are(capfd, monkeypatch):
    with command.progress_bar(10) as bar:
        assert bar is None
    monkeypatch.setattr(bars, "LINE_EVERY", 0.0)  # no terminal here, so it is told in lines
    with command.progress_bar(10**6) as bar:
        bar("follow", 512, 10**6)
    assert capfd.readouterr().err.startswith("follow: 512 of 1,000,000 (0%), about ")


def test_the_fastest_times_are_written(tmp_path):
    (tmp_path / "path.json").write_text(FILES["list.json"])
    for name in ("move.csv", "move.json"):
        code, words = run(
            "ur5", tmp_path / "path.json", "--q0", Q0, "--acceleration", 2, "--trajectory", tmp_path / name
        )
        assert (code, "solved" in words, f"{name} (" in words) == (0, True, True)
    points = json.loads((tmp_path / "move.json").read_text())["points"]
    rows = list(csv.DictReader((tmp_path / "move.csv").read_text().splitlines()))
    assert len(points) == len(rows)
    assert rows[-1]["elbow_joint [rad]"] == repr(points[-1]["positions"][2])
    assert run("ur5", tmp_path / "path.json", "--trajectory", tmp_path / "a.csv")[0] == 2
    assert "positive" in run("ur5", "p.csv", "--acceleration", 0, "--trajectory", tmp_path / "a.csv")[1]
    assert "end in one of" in run("ur5", "p.csv", "--acceleration", 1, "--trajectory", tmp_path / "a.txt")[1]


def test_ways_off_the_lines_and_jumps_are_asked_for_by_flags(tmp_path):
    (tmp_path / "path.json").write_text(FILES["list.json"])
    assert run("ur5", tmp_path / "path.json", "--q0", Q0, "--between", "joints", "--reconfigure")[0] == 0
    code, words = run("ur5", tmp_path / "path.json", "--q0", Q0, "--between", "curves")
    assert (code, words.startswith("--between is 'curves'")) == (2, True)


def test_what_stands_beside_the_targets_is_written_and_the_stop_gets_its_reason(tmp_path):
    path, out = tmp_path / "far.csv", tmp_path / "joints.csv"
    far = [T[:3, 3] + [0.0, 0.0, dz] for T, dz in zip(POSES, (0.0, 0.1, 0.5, 0.9, 1.5), strict=True)]
    rows = [f"{x};{y};{z};{'weld' if k else 'go'}" for k, (x, y, z) in enumerate(1000.0 * np.array(far))]
    path.write_text("\n".join(["x [mm];y [mm];z [mm];step name", *rows]))
    assert run("ur5", path, "--q0", Q0, "--why")[1].startswith("--why is a column of a table")
    code, output = run("ur5", path, "--q0", Q0, "--out", out, "--why", "--mm")
    assert code == 1
    assert "mm beyond the arm's reach of 1.01e+03 mm" in output
    first, *_, last = csv.DictReader(out.read_text().splitlines())
    assert (first["step name"], first["reason"], last["step name"]) == ("go", "", "weld")
    assert "mm beyond the arm's reach" in last["reason"]
    assert last["elbow_joint [rad]"] == ""
    code, words = run("ur5", path, "--q0", Q0, "--out", out)
    assert (code, words) == (2, f"--out is '{out}', which is there already; --overwrite replaces it")
    assert run("ur5", path, "--q0", Q0, "--out", out, "--overwrite")[0] == 1
    assert "step name" in out.read_text()
    run("ur5", path, "--q0", Q0, "--out", tmp_path / "joints.json")
    assert json.loads((tmp_path / "joints.json").read_text())["carried"]["step name"][1] == "weld"


def test_arrays_of_poses_are_tracked_and_arrays_of_joints_written(tmp_path):
    np.save(tmp_path / "path.npy", POSES)
    assert run("ur5", tmp_path / "path.npy", "--q0", Q0, "--out", tmp_path / "q.npy")[0] == 0
    np.testing.assert_allclose(UR5.fk(np.load(tmp_path / "q.npy"))[0, :3, 3], POSES[0, :3, 3], atol=1e-6)


def test_rounded_matrices_are_tracked_when_asked(tmp_path, caplog):
    path = tmp_path / "rounded.csv"
    turned = UR5.fk([[0.3, -1.2, 1.6, -0.4, 1.3, 0.1 * k] for k in range(3)])
    path.write_text(table("", np.round(turned[:, :3].reshape(3, 12), 4)))
    code, words = run("ur5", path)
    assert code == 2
    assert words.endswith("--nearest-rigid takes the nearest one")
    assert run("ur5", path, "--nearest-rigid")[0] == 0
    assert "nearest rigid ones, which differ by at most" in caplog.text
