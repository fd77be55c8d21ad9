"""The grammar of columns: what names mean, and what is refused."""

import re
from pathlib import Path

import numpy as np
import pytest

import forearm as fa
from forearm.common.transforms import from_rpy
from forearm.core.codes import POINT_AXIS, POSE, POSITION
from forearm.targets.columns import (
    KINDS,
    MATRIX,
    check_starts,
    extras_in,
    kind_of,
    name_columns,
    nearest_poses,
    split_unit,
    starts_of,
    targets_of,
    units_in,
)

FILE = Path("in.csv")
TOL = (1e-6, 1e-6)


def test_columns_without_names_of_their_own_get_them_by_their_number():
    assert name_columns([""] * 3) == ("x", "y", "z")
    assert name_columns(["a"] * 12) == MATRIX[:12]
    assert name_columns(["time", *"abcdefghijklmnop", "id"]) == ("time", *MATRIX, "id")
    assert name_columns(["A", "b", "c"]) == ("A", "b", "c")
    assert name_columns([" Roll", "q0_Elbow"]) == ("roll", "q0_Elbow")
    assert name_columns([""] * 7) == ("",) * 7


def test_a_file_of_solutions_is_no_matrix_whatever_the_number_of_its_columns():
    solved = ("row", "id", *(f"q_{k}" for k in range(4)), "success", "status", "position_error", "rotation_error")
    header = (*solved, "iterations", "tries", "method")  # an id and 12 others
    assert name_columns(header) == header


def test_every_kind_is_known_by_its_names_in_any_order():
    assert set(KINDS) == {"point", "quaternion", "rpy", "axis", "matrix", "short matrix"}
    for kind, names in KINDS.items():
        assert kind_of((*reversed(names), "time", "id", "q0_a"), FILE) == kind


@pytest.mark.parametrize(("kind", "expected"), [("point", POSITION), ("axis", POINT_AXIS), ("quaternion", POSE)])
def test_rows_become_targets_of_their_kind(kind, expected):
    columns = {name: np.array([0.0, 1.0]) if name in ("qw", "dz", "x") else np.zeros(2) for name in KINDS[kind]}
    columns |= {"qw": np.ones(2), "dz": np.ones(2)}
    targets = targets_of(columns, kind, 0, FILE, TOL)
    assert targets.kind == expected
    np.testing.assert_array_equal(targets.goals[:, 0, 3], [0.0, 1.0])


def test_starts_are_found_by_the_joints_names_in_any_case():
    columns = {"q0_Elbow": np.array([1.0]), "Q0_WRIST": np.array([2.0])}
    check_starts(tuple(columns), ("Elbow", "Wrist"), FILE)
    np.testing.assert_array_equal(starts_of(columns, ("Elbow", "Wrist"), 0, FILE), [[1.0, 2.0]])
    assert starts_of({}, ("Elbow",), 0, FILE) is None
    with pytest.raises(fa.errors.OptionError, match="has the starts 'q0_Elbow'; it takes all or none of: q0_Elb"):
        check_starts(("q0_Elbow",), ("Elbow", "b"), FILE)
    with pytest.raises(fa.errors.OptionError, match="has the starts 'q0_long long") as caught:
        check_starts(("q0_" + 999 * "long ",), ("a",), FILE)
    assert len(str(caught.value)) < 200
    with pytest.raises(fa.errors.OptionError, match=r"q0 of shape \(1, 3\); it takes \(N, 2\)"):
        starts_of({"q0": np.zeros((1, 3))}, ("a", "b"), 0, FILE)


def test_units_behind_names_are_read():
    header = ["x [mm]", "Y (cm)", "z", "roll [deg]", "pitch [rad]", "yaw", "t [ms]", "q0_Elbow [deg]", "speed [mm]"]
    assert name_columns(header) == ("x", "y", "z", "roll", "pitch", "yaw", "time", "q0_Elbow", "speed [mm]")
    per = units_in(header, FILE)
    assert {name: per[name] for name in ("x", "y", "pitch", "time")} == {"x": 1000, "y": 100, "pitch": 1, "time": 1000}
    assert per["roll"] == per["q0_Elbow"] == pytest.approx(180.0 / np.pi)
    with pytest.raises(fa.errors.OptionError, match=r"column 'x \[inch\]'; its unit may be: m, cm, mm"):
        units_in(["x [inch]", "y", "z"], FILE)
    with pytest.raises(fa.errors.OptionError, match=r"column 'qw \[deg\]'; it has no unit"):
        units_in(["x", "y", "z", "qw [deg]", "qx", "qy", "qz"], FILE)


def test_units_tied_to_names_are_read():
    header = ["part_id", "X_mm", "y_mm", "Z_m", "roll_deg", "pitch_rad", "yaw_deg", "time_ms", "speed_mm"]
    assert name_columns(header) == ("part_id", "x", "y", "z", "roll", "pitch", "yaw", "time", "speed_mm")
    per = units_in(header, FILE)
    assert {name: per[name] for name in ("x", "z", "pitch", "time")} == {"x": 1000, "z": 1, "pitch": 1, "time": 1000}
    beside = ["x", "y", "z", "x_mm"]  # a name of its own beside the column it would be
    assert name_columns(beside) == tuple(beside)
    assert units_in(beside, FILE) == {}


def test_a_file_without_any_column_of_a_target_is_told_so():
    with pytest.raises(fa.errors.OptionError, match="has no column of a target among 'part_id', 'east', 'north'"):
        kind_of(("part_id", "east", "north"), FILE)


def test_columns_that_say_nothing_of_the_target_are_carried_along():
    names = name_columns(["X", "y", "z", "Weld no", "id", "time", "q0_a", *"defghi"])
    assert names[3:5] == ("Weld no", "id")
    assert kind_of(names, FILE) == "point"
    assert extras_in(names) == ["Weld no", "id", *"defghi"]
    assert kind_of(name_columns([*KINDS["rpy"], "rx", "w", "note"]), FILE) == "rpy"


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ("rx", "'rx' beside x, y, z; if it turns the tip, give roll"),
        ("A", "'A' beside x, y, z"),
        ("quat", "'quat' beside x, y, z"),
        ("theta", "'theta' beside x, y, z"),
        ("rol", "unknown column 'rol'; did you mean roll?"),
        ("tim", "unknown column 'tim'; did you mean time?"),
    ],
)
def test_columns_that_may_mean_the_target_are_refused(extra, words):
    with pytest.raises(fa.errors.OptionError, match=re.escape(words)):
        kind_of((*KINDS["point"], extra), FILE)


def test_rounded_matrices_become_the_nearest_rigid_ones():
    exact = from_rpy(0.3, -0.2, 1.1)
    rounded = np.round(exact, 4)
    columns = {name: np.array([rounded.ravel()[k]]) for k, name in enumerate(MATRIX)} | {"note": np.array(["a"])}
    with pytest.raises(fa.errors.TargetError, match="row 7 is not a rigid transform"):
        targets_of(columns, "matrix", 7, FILE, TOL)
    mended = nearest_poses(columns, "matrix", 7, FILE)
    assert 0.0 < mended["off_rigid"][0] < 1e-4
    T = targets_of(mended, "matrix", 7, FILE, TOL).goals[0]
    np.testing.assert_allclose(T, fa.nearest_rigid(rounded), atol=1e-15)
    columns["m00"] = columns["m00"] + 0.05
    with pytest.raises(fa.errors.TargetError, match=r"row 7: the nearest rotation is off by 0\.0"):
        nearest_poses(columns, "matrix", 7, FILE)
    with pytest.raises(fa.errors.OptionError, match=r"nearest_rigid is for matrices; 'in\.csv' has x, y, z"):
        nearest_poses(columns, "point", 0, FILE)


@pytest.mark.parametrize(
    "cell", ["[" * 131_072, "x " + "[ " * 65_000, "x (" + " " * 131_072 + "mm"], ids=["open", "wide", "far"]
)
def test_a_header_of_brackets_is_read_at_once(cell):
    """A search that tries every bracket as the unit's takes half a minute for it."""
    assert split_unit(cell) == (cell.strip(), "")


def test_a_unit_is_what_the_last_brackets_hold():
    cells = ("x [mm]", "x(mm)", "y (cm )", "q0_elbow [deg]", "x [m m]", "[mm]", "x []", "load [kg]", "x")
    split = [("x", "mm"), ("x", "mm"), ("y", "cm"), ("q0_elbow", "deg")]
    assert [split_unit(cell) for cell in cells] == [*split, *((cell, "") for cell in cells[4:])]
