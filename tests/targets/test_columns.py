"""The grammar of columns: what names mean, and what is refused."""

from pathlib import Path

import numpy as np
import pytest

import forearm as fa
from forearm.core.codes import POINT_AXIS, POSE, POSITION
from forearm.targets.columns import KINDS, MATRIX, check_starts, kind_of, name_columns, starts_of, targets_of

FILE = Path("in.csv")
TOL = (1e-6, 1e-6)


def test_columns_without_names_of_their_own_get_them_by_their_number():
    assert name_columns([""] * 3) == ("x", "y", "z")
    assert name_columns(["a"] * 12) == MATRIX[:12]
    assert name_columns(["time", *"abcdefghijklmnop", "id"]) == ("time", *MATRIX, "id")
    assert name_columns(["A", "b", "c"]) == ("A", "b", "c")
    assert name_columns([" Roll", "q0_Elbow"]) == ("roll", "q0_Elbow")
    assert name_columns([""] * 7) == ("",) * 7


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
