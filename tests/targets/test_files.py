"""Files of targets: one grammar for `forearm track` and `forearm solve-file`, whatever kind the file is of."""

import io
import json
import zipfile

import numpy as np
import pytest
from typer.testing import CliRunner

import forearm as fa
from forearm.cli.app import app
from forearm.common.transforms import from_rpy
from forearm.core.codes import POINT_AXIS, POSE, POSITION
from forearm.errors import ForearmError, TargetError
from forearm.scale import solve_file
from forearm.targets import columns as grammar
from forearm.targets.columns import MATRIX
from forearm.targets.files import open_targets, read_targets
from forearm.targets.json_rows import read_json

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
    targets, times, _ = read_targets(path, TOL)
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
    targets, times, _ = read_targets(tmp_path / "in.parquet", TOL)
    np.testing.assert_array_equal(targets.goals[:, :3, 3], POINTS)
    np.testing.assert_array_equal(times, [0.0, 1.0, 2.0])


@pytest.mark.parametrize("name", ["rpy.csv", "rpy.json", "point.csv", "list.json", "poses.npy", "mixed.json"])
def test_lengths_and_angles_are_read_in_the_units_asked_for(name, tmp_path):
    content, _, turn = FILES[name]
    targets, _, _ = read_targets(write(tmp_path / name, content), TOL, per_metre=1000.0, per_radian=2.0)
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


# --- files that are damaged, or made to break parsers ---------------------------------------


def read_every_way(path):
    """Reads a file as `track` does, then as `solve-file` does."""
    read_targets(path, TOL)
    file = open_targets(path)
    for block in file.blocks(2):
        grammar.targets_of(block, grammar.kind_of(file.names, path), 0, path, TOL)
        grammar.starts_of(block, ("a", "b"), 0, path)


BROKEN = {
    "time.json": ('[{"xyz": [1, 2, 3], "time": [1, 2]}]', r"row 0: time is \[1, 2\]; it takes one number"),
    "starts.json": ('[{"xyz": [1, 2, 3], "q0": 5}]', "row 0: q0 is 5; it takes a list of numbers"),
    "ragged.json": (
        '[{"xyz": [1, 2, 3], "q0": [1, 2]}, {"xyz": [1, 2, 3], "q0": [1]}]',
        "row 1 and row 0 have 1 and 2 numbers as q0",
    ),
    "id.json": ('[{"xyz": [1, 2, 3], "id": [1]}]', r"row 0: the id is \[1\]"),
    "half.json": ('[{"xyz": [1, 2, 3], "id": "\\ud800"}]', "half a character"),
    "deep.json": ("[" * 100_000, "it nests too deep"),
    "digits.json": ("[" + "9" * 6000 + "]", "a whole number with thousands of digits"),
    "cell.csv": ("x,y,z\n1,2," + "3" * 140_000, "field larger than field limit"),
    "id.csv": ("x,y,z,id\n1,2,3," + "a" * 100_000, "row 0: the id has 100,000 characters; at most 500 fit"),
    "twice.csv": ("x,y,z,id,id\n1,2,3,a,b", "has the column 'id' 2 times"),
    "wide.csv": (",".join(["x"] * 60_000) + "\n1", "60000 times"),
    "long.csv": ("x,y,z,qw,qx,qy,qz\n1,2,3,1e154,1e200,0,0", "row 0: qw, qx, qy, qz has length inf"),
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.filterwarnings("error")
def test_broken_text_is_told_with_its_file(name, tmp_path):
    text, words = BROKEN[name]
    (tmp_path / name).write_text(text)
    with pytest.raises(ForearmError, match=words) as caught:
        read_every_way(tmp_path / name)
    assert name in str(caught.value)


ARRAYS = {
    "one number": (np.float64(3), {}, r"shape \(\)"),
    "text": (np.array(["a"] * 3), {}, "it has text"),
    "text in q0": (np.zeros((2, 3)), {"q0": np.array([["a", "b"], ["c", "d"]])}, "q0 in .* it has text"),
    "one number as q0": (np.zeros((2, 3)), {"q0": np.float64(1)}, "q0 for 0 of 2 targets"),
    "other rows of q0": (np.zeros((2, 3)), {"q0": np.zeros((3, 2))}, "q0 for 3 of 2 targets"),
    "objects": (np.array([None]), {}, "write it again as numbers"),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_that_are_no_targets_are_refused(name, tmp_path):
    targets, more, words = ARRAYS[name]
    np.savez(tmp_path / "a.npz", targets=targets, **more)
    with pytest.raises(ForearmError, match=words):
        read_every_way(tmp_path / "a.npz")
    if not more:
        np.save(tmp_path / "a.npy", targets)
        with pytest.raises(ForearmError, match=words):
            read_every_way(tmp_path / "a.npy")


@pytest.mark.parametrize("shape", [(10**12, 4, 4), (10**9, 3), (10**18, 4, 4), (-1, 3)])
@pytest.mark.parametrize("ending", ["npy", "npz"])
@pytest.mark.filterwarnings("error")
def test_an_array_that_says_it_is_huge_takes_no_memory(shape, ending, tmp_path):
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": shape})
    data, path = head.getvalue() + bytes(64), tmp_path / f"a.{ending}"
    if ending == "npy":
        path.write_bytes(data)
    else:
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("targets.npy", data)
    with pytest.raises(ForearmError, match="and has 192 bytes"):
        read_every_way(path)


def test_a_file_that_unpacks_to_a_thousand_times_its_size_is_refused(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", targets=np.zeros((3_000_000, 3)))
    with pytest.raises(ForearmError, match="packs 72,000,128 bytes into"):
        read_every_way(tmp_path / "a.npz")


def test_damaged_parquet_is_told_in_words(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {"x": [1.0] * 50, "y": [2.0] * 50, "z": [3.0] * 50, "id": [str(i) for i in range(50)]}
    parquet.write_table(pyarrow.table(columns), tmp_path / "whole.parquet")
    whole, chance = (tmp_path / "whole.parquet").read_bytes(), np.random.default_rng(0)
    told = []
    for _ in range(150):
        data = bytearray(whole)
        for place in chance.integers(len(data), size=4):
            data[place] = chance.integers(256)
        (tmp_path / "a.parquet").write_bytes(bytes(data))
        try:
            read_every_way(tmp_path / "a.parquet")
        except ForearmError as problem:
            told.append(str(problem))
    assert len(told) > 20
    assert not any("\n" in message for message in told)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.json", '[{"xyz":[0.4,0.2,0.3],"xyz":[0,0,5]}]', "has the key 'xyz' twice"),
        ("a.json", '[{"xyz":[0.4,0.2,true]}]', "row 0: xyz has true; it takes numbers"),
        ("a.json", '[{"xyz":[0.4,0.2,0.3],"time":true}]', "row 0: time has true; it takes numbers"),
        ("a.json", "[[[1,0,0,0],[0,true,0,0],[0,0,1,0],[0,0,0,1]]]", "row 0: matrix has true"),
        ("a.csv", "x,y,z\n1_0,0.2,0.3\n", "row 0, column 'x' (line 2): '1_0' is not a number"),
        ("a.csv", "x,y,z\n0.1,0.2,0.3\n0.1,0.2,0_3\n", "row 1, column 'z' (line 3): '0_3' is not a number"),
    ],
)
def test_what_only_looks_like_numbers_is_refused(tmp_path, name, text, words):
    (tmp_path / name).write_text(text)
    with pytest.raises(ForearmError) as caught:
        read_targets(tmp_path / name, TOL)
    assert words in str(caught.value)


SEPARATED = {
    "semicolons": "x;y;z;t\n0.4;0.2;0.3;0\n0.5;0.2;0.3;1\n",
    "semicolons and decimal commas": "x;y;z;t\n0,4;0,2;0,3;0\n0,5;0,2;0,3;1\n",
    "blanks": "# a path\nx  y z   timestamp\n0.4 0.2   0.3 0\n\n0.5 0.2 0.3 1\n",
    "tabs": "x\ty\tz\ttime\n0.4\t0.2\t0.3\t0\n0.5\t0.2\t0.3\t1\n",
    "commas": "x,y,z,t\n0.4,0.2,0.3,0\n# a remark\n0.5,0.2,0.3,1\n",
}


@pytest.mark.parametrize("case", SEPARATED)
def test_cells_are_parted_as_the_first_line_has_it(case, tmp_path):
    path = tmp_path / "path.csv"
    path.write_text(SEPARATED[case])
    targets, times, _ = read_targets(path, (1e-6, 1e-6))
    np.testing.assert_array_equal(targets.part(0, 2)[0][:, :3, 3], [[0.4, 0.2, 0.3], [0.5, 0.2, 0.3]])
    np.testing.assert_array_equal(times, [0, 1])


def test_a_tum_trajectory_is_read(tmp_path):
    path = tmp_path / "path.txt"
    path.write_text("# timestamp tx ty tz qx qy qz qw\n0.0 0.4 0.2 0.3 0 0 0.6 0.8\n0.1 0.5 0.2 0.3 0 0 0 1\n")
    targets, times, _ = read_targets(path, (1e-6, 1e-6))
    T = targets.part(0, 2)[0]
    np.testing.assert_allclose(T[0, :3, :2], [[0.28, -0.96], [0.96, 0.28], [0, 0]], atol=1e-15)
    np.testing.assert_array_equal(T[1], [[1, 0, 0, 0.5], [0, 1, 0, 0.2], [0, 0, 1, 0.3], [0, 0, 0, 1]])
    np.testing.assert_array_equal(times, [0.0, 0.1])


def test_poses_of_a_track_may_be_an_array(tmp_path):
    path = tmp_path / "path.npy"
    np.save(path, np.tile(np.eye(4), (3, 1, 1)))
    targets, times, _ = read_targets(path, (1e-6, 1e-6))
    assert (len(targets), times) == (3, None)


def test_degrees_in_a_file_are_asked_about(tmp_path):
    path = tmp_path / "path.csv"
    path.write_text("x,y,z,roll,pitch,yaw\n0.4,0.2,0.3,0,0,1\n0.4,0.2,0.3,180,0,90\n")
    with pytest.raises(TargetError, match=r"row 1: roll, pitch, yaw is 180, 0, 90 rad, .*did you mean degrees"):
        read_targets(path, (1e-6, 1e-6))
    assert len(read_targets(path, (1e-6, 1e-6), per_radian=180 / np.pi)[0]) == 2


def test_columns_beside_the_targets_come_along_from_every_kind_of_table(tmp_path):
    rows = [[*p, f"weld {k}"] for k, p in enumerate(POINTS)]
    (tmp_path / "a.csv").write_text("\n".join(["x,y,z,Note", *(",".join(map(str, row)) for row in rows)]))
    objects = [{"xyz": row[:3]} | ({"Note": row[3]} if k != 1 else {}) for k, row in enumerate(rows)]
    (tmp_path / "a.json").write_text(json.dumps(objects))
    assert read_targets(tmp_path / "a.csv", TOL).carried["Note"].tolist() == ["weld 0", "weld 1", "weld 2"]
    assert read_targets(tmp_path / "a.json", TOL).carried["Note"].tolist() == ["weld 0", "", "weld 2"]
    for key in ("quat", "dir3ction", "euler_deg", "q0_a"):
        (tmp_path / "b.json").write_text(json.dumps([{"xyz": row[:3], key: 1} for row in rows]))
        with pytest.raises(ForearmError, match=f"has '{key}'; its keys may be"):
            read_targets(tmp_path / "b.json", TOL)


def test_units_of_a_header_come_before_those_of_the_call(tmp_path):
    (tmp_path / "a.csv").write_text("x [cm],y,z [m],roll [rad],pitch,yaw\n50,500,0.5,1.5,90,0\n")
    targets, _, _ = read_targets(tmp_path / "a.csv", TOL, per_metre=1000.0, per_radian=180.0 / np.pi)
    np.testing.assert_allclose(targets.goals[0, :3, 3], 0.5)
    np.testing.assert_allclose(targets.goals[0, :3, :3], from_rpy(1.5, np.pi / 2.0, 0.0)[:3, :3], atol=1e-12)


def test_a_quaternion_in_json_is_asked_for_its_order(tmp_path):
    (tmp_path / "t.json").write_text('[{"xyz": [0.4, 0, 0.3], "quat": [1, 0, 0, 0]}]')
    with pytest.raises(ForearmError, match="quat_wxyz if the scalar stands first, quat_xyzw if last"):
        read_json(tmp_path / "t.json", 1.0)
