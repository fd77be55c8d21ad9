"""Files of targets: one grammar for `forearm track` and `forearm solve-file`, whatever kind the file is of."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import forearm as fa
from forearm.cli.app import app
from forearm.common.transforms import from_rpy
from forearm.core.codes import POINT_AXIS, POSE, POSITION
from forearm.scale import solve_file
from forearm.targets.columns import MATRIX
from forearm.targets.files import read_targets

UR5 = fa.load("ur5")
Q = np.array([0.0, -1.2, 1.6, -0.4, 1.5, 0.0])
TOL = (1e-6, 1e-6)
RPY = (0.3, -0.2, 1.1)
QUATERNION = np.sqrt(np.array([0.4, 0.3, 0.2, 0.1]))
POINTS = np.array([[0.3, 0.2, 0.5], [0.31, 0.2, 0.52], [0.32, 0.2, 0.54]])
TURN = from_rpy(*RPY)[:3, :3]


def poses(R=TURN):
    T = np.tile(np.eye(4), (len(POINTS), 1, 1))
    T[:, :3, :3], T[:, :3, 3] = R, POINTS
    return T


def table(header, rows):
    lines = [",".join(repr(float(value)) for value in row) for row in rows]
    return "\n".join([header, *lines] if header else lines) + "\n"


def objects(**turn):
    return json.dumps([{"xyz": point.tolist(), "time": i} | turn for i, point in enumerate(POINTS)])


SHUFFLED = [MATRIX.index(name) for name in reversed(MATRIX)]
W, V = QUATERNION[0], QUATERNION[1:]
TURNED = 2 * np.outer(V, V) + 2 * W * np.cross(np.eye(3), V) + (2 * W**2 - 1) * np.eye(3)
FILES = {
    "point.csv": (table("x,y,z", POINTS), POSITION, None),
    "bare.csv": (table("", POINTS), POSITION, None),
    "spaces.txt": (table(" X , Y , Z ", POINTS) + "\n,,\n\n", POSITION, None),
    "rpy.csv": (table("x,y,z,roll,pitch,yaw", [[*p, *RPY] for p in POINTS]), POSE, TURN),
    "quaternion.csv": (table("x,y,z,qw,qx,qy,qz", [[*p, *QUATERNION] for p in POINTS]), POSE, TURNED),
    "axis.csv": (table("x,y,z,dx,dy,dz", [[*p, 0, 0, -2] for p in POINTS]), POINT_AXIS, None),
    "twelve.csv": (table("", [T[:3].ravel() for T in poses()]), POSE, TURN),
    "letters.csv": (table("abcdefghijklmnop".replace("", ",")[1:-1], [T.ravel() for T in poses()]), POSE, TURN),
    "shuffled.csv": (table(",".join(reversed(MATRIX)), [T.ravel()[SHUFFLED] for T in poses()]), POSE, TURN),
    "timed.csv": (table("time,x,y,z", [[i, *p] for i, p in enumerate(POINTS)]), POSITION, None),
    "list.json": (json.dumps(poses().tolist()), POSE, TURN),
    "twelve.json": (json.dumps(poses()[:, :3].tolist()), POSE, TURN),
    "point.json": (objects(), POSITION, None),
    "rpy.json": (objects(rpy=RPY), POSE, TURN),
    "wxyz.json": (objects(quat_wxyz=QUATERNION.tolist()), POSE, TURNED),
    "xyzw.json": (objects(quat_xyzw=np.roll(QUATERNION, -1).tolist()), POSE, TURNED),
    "axis.json": (objects(direction=[0, 0, -2], id="a"), POINT_AXIS, None),
    "mixed.json": (
        json.dumps([poses()[0].tolist(), *({"xyz": p.tolist(), "rpy": RPY} for p in POINTS[1:])]),
        POSE,
        TURN,
    ),
    "poses.npy": (poses(), POSE, TURN),
    "points.npy": (POINTS.astype(np.float32), POSITION, None),
}


def write(path, content):
    if isinstance(content, str):
        path.write_text(content)
    else:
        np.save(path, content)
    return path


@pytest.mark.parametrize("name", FILES)
def test_every_form_means_the_same_to_a_path_and_to_a_batch(name, tmp_path):
    content, kind, turn = FILES[name]
    path = write(tmp_path / name, content)
    targets, times = read_targets(path, TOL)
    assert targets.kind == kind
    np.testing.assert_allclose(targets.goals[:, :3, 3], POINTS, atol=1e-7)
    if turn is not None:
        np.testing.assert_allclose(targets.goals[:, :3, :3], np.tile(turn, (3, 1, 1)), atol=1e-15)
    assert (times is not None) == ("time" in str(content))
    solve_file(UR5, path, tmp_path / "out.npz", rows=2)
    with np.load(tmp_path / "out.npz") as file:
        np.testing.assert_array_equal(file["q"], UR5.solve_batch(targets).q)


def test_parquet_is_read_for_a_path_too(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    columns = dict(zip("XYZ", POINTS.T, strict=True)) | {"time": [0.0, 1.0, 2.0], "id": ["a", "b", "c"]}
    pq.write_table(pyarrow.table(columns), tmp_path / "in.parquet")
    targets, times = read_targets(tmp_path / "in.parquet", TOL)
    np.testing.assert_array_equal(targets.goals[:, :3, 3], POINTS)
    np.testing.assert_array_equal(times, [0.0, 1.0, 2.0])


@pytest.mark.parametrize("name", ["rpy.csv", "rpy.json", "point.csv", "list.json", "poses.npy", "mixed.json"])
def test_lengths_and_angles_are_read_in_the_units_asked_for(name, tmp_path):
    content, _, turn = FILES[name]
    targets, _ = read_targets(write(tmp_path / name, content), TOL, per_metre=1000.0, per_radian=2.0)
    np.testing.assert_allclose(targets.goals[:, :3, 3], POINTS / 1000.0, rtol=1e-15)
    half = from_rpy(*np.divide(RPY, 2.0))[:3, :3]
    if name == "rpy.csv":
        np.testing.assert_allclose(targets.goals[0, :3, :3], half, atol=1e-15)
    if name in ("rpy.json", "mixed.json"):
        np.testing.assert_allclose(targets.goals[2, :3, :3], half, atol=1e-15)
    if name in ("list.json", "poses.npy"):
        np.testing.assert_allclose(targets.goals[0, :3, :3], turn, atol=1e-15)


def test_starts_and_names_of_json_reach_the_solver(tmp_path):
    T, starts = UR5.fk(UR5.sample(3, rng_seed=1)), UR5.sample(3, rng_seed=2)
    rows = [{"matrix": t.tolist(), "q0": q.tolist(), "id": i} for i, (t, q) in enumerate(zip(T, starts, strict=True))]
    path = write(tmp_path / "in.json", json.dumps(rows))
    solve_file(UR5, path, tmp_path / "out.npz", rows=2)
    with np.load(tmp_path / "out.npz") as file:
        np.testing.assert_array_equal(file["q"], UR5.solve_batch(T, starts).q)
        assert file["id"].tolist() == [b"0", b"1", b"2"]


@pytest.mark.parametrize("name", ["quaternion.csv", "quaternion.json"])
@pytest.mark.parametrize("command", ["track", "solve-file"])
def test_a_quaternion_of_another_length_is_refused_with_its_row(command, name, tmp_path):
    rows = [[0.3, 0.2, 0.5, w, 0.0, 0.0, 0.0] for w in (1.0, 2.0)]
    text = table("x,y,z,qw,qx,qy,qz", rows)
    if name.endswith(".json"):
        text = json.dumps([{"xyz": row[:3], "quat_wxyz": row[3:]} for row in rows])
    words = [command, "ur5", str(write(tmp_path / name, text)), "--out", str(tmp_path / "out.csv")]
    result = CliRunner().invoke(app, words)
    assert isinstance(result.exception, fa.errors.TargetError)
    assert "row 1: q" in str(result.exception)
    assert "length 2; a rotation is a unit quaternion" in str(result.exception)
    assert "divide by it" in str(result.exception)


@pytest.mark.parametrize(
    ("name", "text", "match"),
    [
        ("twice.csv", "x,y,z,x\n0,0,0,1\n", "has the column 'x' 2 times"),
        ("times.csv", "time,x,y,z,time\n0,0,0,1,1\n", "has the column 'time' 2 times"),
        ("seven.csv", "1,2,3,4,5,6,7\n", "has 7 columns and no header; without one it takes 3"),
        ("some.json", '[{"xyz": [0, 0, 1], "id": 1}, {"xyz": [0, 0, 1]}]', "gives id for 1 of 2 rows"),
        ("short.json", '[{"xyz": [0, 0]}]', r"row 0: xyz has shape \(2,\); it takes 3 numbers"),
        ("none.json", "[{}]", "row 0 has nothing; it takes matrix, or xyz"),
        ("skew.csv", table("", [2.0 * np.eye(4)[:3].ravel()]), "row 0 is not a rigid transform: R.T R differs"),
    ],
)
def test_faults_are_named_with_their_place(name, text, match, tmp_path):
    path = write(tmp_path / name, text)
    with pytest.raises(fa.ForearmError, match=match):
        read_targets(path, TOL)
    with pytest.raises(fa.ForearmError, match=match):
        solve_file(UR5, path, tmp_path / "out.csv")
