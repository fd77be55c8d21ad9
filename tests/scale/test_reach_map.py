"""Questions to a map: points, planes, best places, pictures, and the commands that show them."""

import json
import os
import shutil

import numpy as np
import pytest
from typer.testing import CliRunner

import forearm as fa
from forearm.cli.app import app
from forearm.scale import make_map
from forearm.scale.map_pictures import text_slice

BOUNDS = [[-0.35, -0.35, -0.05], [0.35, 0.35, 0.05]]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    path = tmp_path_factory.mktemp("maps") / "planar.zarr"
    return make_map(fa.load("planar-3"), path, resolution=0.1, bounds=BOUNDS, chunk=2)


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words], env={"COLUMNS": "200"})


def test_points_read_the_voxel_they_lie_in(made):
    share, (x, y, z) = made.array("share"), made.coordinates
    rng = np.random.default_rng(0)
    cells = rng.integers(0, made.shape, (200, 3))
    points = np.stack([axis[k] for axis, k in zip((x, y, z), cells.T, strict=True)], axis=1)
    points += rng.uniform(-0.049, 0.049, points.shape)
    np.testing.assert_array_equal(made.share_at(points), share[tuple(cells.T)])
    assert made.share_at(points[0]) == share[tuple(cells[0])]
    assert np.isnan(made.share_at([9.0, 0.0, 0.0]))
    assert np.isnan(made.value_at([0.3, 0.3, 0.0], "manipulability"))


def test_planes_are_cut_through_voxels(made):
    share = made.array("share")
    plane = made.slice("z", 0.02)
    np.testing.assert_array_equal(plane.values, share[:, :, 0])
    assert (plane.axis, plane.across, plane.at) == ("z", "xy", 0.0)
    side = made.slice("x", -0.12)
    np.testing.assert_array_equal(side.values, share[2])
    assert side.across == "yz"
    assert side.at == pytest.approx(-0.1)
    np.testing.assert_allclose(made.bounds, BOUNDS, atol=1e-12)


def test_best_places_are_the_best_of_all(made):
    share, skill = made.array("share"), np.nan_to_num(made.array("manipulability"))
    best = made.best_places(5)
    order = sorted(zip(share.ravel(), skill.ravel(), strict=True), reverse=True)[:5]
    assert [(place.share, place.manipulability) for place in best] == [(float(a), float(b)) for a, b in order]
    for place in best:
        assert made.share_at(place.point) == place.share
        assert made.value_at(place.point, "manipulability") == place.manipulability
    assert len(made.best_places(10_000)) == int((share > 0.0).sum())


def test_the_volume_counts_voxels(made):
    assert made.volume() == pytest.approx(int((made.array() > 0.0).sum()) * 1e-3)
    assert made.volume(least=1.0) == 0.0


def test_pictures_have_the_planes_axes(made):
    pytest.importorskip("matplotlib")
    figure = made.plot("z", 0.0, "manipulability")
    axes = figure.axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x [m]", "y [m]")
    assert "manipulability at z = 0 m" in axes.get_title()


def test_characters_grow_with_the_values():
    lines = text_slice(np.array([[0.0, 1.0], [0.5, np.nan]]))
    assert lines == ["@@", "  ++"]
    assert text_slice(np.zeros((2, 2))) == ["", ""]


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda m: m.slice("w", 0.0), "axis is 'w'; it takes x, y or z"),
        (lambda m: m.slice(["x"], 0.0), "axis is .*; it takes x, y or z"),
        (lambda m: m.slice("z", "low"), "at is 'low', not a number"),
        (lambda m: m.slice("z", np.nan), "at is nan; it must be finite"),
        (lambda m: m.array(["share"]), "the map has no "),
        (lambda m: m.best_places(2.5), "count is 2.5; it takes a whole number"),
        (lambda m: m.slice("z", 3.0), "the map has z from -0.05 to 0.05 m"),
        (lambda m: m.array("speed"), "the map has no 'speed'"),
        (lambda m: m.share_at([1.0, 2.0]), r"points has shape \(2,\)"),
        (lambda m: m.share_at([[1.0, 2.0, np.nan]]), "must be finite"),
        (lambda m: fa.load_map(m.path / "share"), "is no map"),
        (lambda m: fa.load_map(m.path / "none.zarr"), r"there is no map '.*none\.zarr'; forearm\.scale\.make_map"),
        (lambda m: fa.load_map(m.path.parent), r"is no map; forearm\.scale\.make_map\(robot, path\) makes one"),
    ],
)
def test_wrong_questions_are_named(made, call, match):
    with pytest.raises(fa.ForearmError, match=match):
        call(made)


def test_a_map_of_another_format_is_refused(made, tmp_path):
    (tmp_path / ".zattrs").write_text(json.dumps({"forearm_map": {"format": 99}}))
    with pytest.raises(fa.ForearmError, match="has the format 99"):
        fa.load_map(tmp_path)


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ("[" * 100_000, "cannot be read"),
        ('{"forearm_map": ' + "9" * 6000 + "}", "cannot be read"),
        ("\udcff", "cannot be read"),
        ({"resolution": None}, "its settings have resolution None"),
        ({"resolution": True}, "its settings have resolution True"),
        ({"first": [0, 0]}, r"its settings have first \[0, 0\]"),
        ({"first": "abc"}, "its settings have first 'abc'"),
        ({"orientations": [1]}, "its settings have orientations"),
        ({"robot": 7}, "its settings have robot 7"),
        ({"shape": [7, 7, 2]}, "its arrays do not have the shape"),
    ],
)
def test_a_damaged_map_is_named(made, tmp_path, settings, match):
    path = shutil.copytree(made.path, tmp_path / "m.zarr")
    if not isinstance(settings, str):
        settings = json.dumps({"forearm_map": made.settings | settings})
    (path / ".zattrs").write_bytes(settings.encode("utf-8", "surrogateescape"))
    with pytest.raises(fa.errors.OptionError, match=match):
        fa.load_map(path)


def test_a_pipe_in_a_map_does_not_block(made, tmp_path):
    path = shutil.copytree(made.path, tmp_path / "m.zarr")
    (path / "share" / ".zarray").unlink()
    os.mkfifo(path / "share" / ".zarray")
    with pytest.raises(fa.errors.OptionError, match="not a regular file"):
        fa.load_map(path)


def test_points_far_away_lie_outside(made):
    assert np.isnan(made.share_at([[1e300, 0.0, 0.0], [-1e30, 0.0, 0.0]])).all()


# -- the commands --------------------------------------------------------------------------------


def test_map_makes_and_map_show_shows(tmp_path):
    words = ("--resolution", "100", "--mm", "--bounds", "-350, -350, -50, 350, 350, 50", "--chunk", 4)
    result = run("map", "planar-3", "--out", tmp_path / "m.zarr", *words)
    assert result.exit_code == 0, result.output
    assert "7 x 7 x 1 voxels of 0.1 m" in result.output
    assert "best place: x" in result.output
    shown = run("map-show", tmp_path / "m.zarr", "--slice", "z=0", "--at", "0.1, 0, 0", "--best", 2)
    assert shown.exit_code == 0, shown.output
    assert "@@" in shown.output
    assert "at [0.1, 0.0, 0.0]: share 1" in shown.output
    assert shown.output.count("manipulability") >= 2


def test_map_show_speaks_json_and_draws(made, tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "plane.png"
    result = run("map-show", made.path, "--slice", "z=0", "--json", "--best", 1, "--picture", picture)
    data = json.loads(result.stdout)
    assert np.shape(data["slice"]["values"]) == (7, 7)
    assert data["best"][0]["share"] == 1.0
    assert data["settings"]["robot"] == "planar-3"
    assert picture.stat().st_size > 1000


@pytest.mark.parametrize("words", [("--slice", "z"), ("--slice", "q=1"), ("--what", "speed"), ("--picture", "a.txt")])
def test_map_show_names_what_is_wrong(made, words):
    result = run("map-show", made.path, *words)
    assert isinstance(result.exception, fa.ForearmError)
