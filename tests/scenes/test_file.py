"""Scenes from files: every kind is read, every fault has its line and key."""

import sys
from pathlib import Path

import numpy as np
import pytest

import forearm as fa
from forearm.errors import MissingExtraError
from forearm.scenes import Cylinder
from forearm.scenes.file import read_scene
from forearm.scenes.scene import HalfSpace, PointCloud

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "scene.toml"


def write(tmp_path, text):
    file = tmp_path / "scene.toml"
    file.write_text(text)
    return file


def test_the_example_has_its_obstacles_by_name():
    scene = read_scene(EXAMPLE)
    assert scene.names == ("table", "wall", "post", "ball")
    assert isinstance(scene.obstacles[0], HalfSpace)
    assert scene.obstacles[3] == fa.Sphere([0.2, 0.0, 0.9], 0.1)


def test_clouds_and_meshes_are_read_from_beside_the_scene(tmp_path):
    (tmp_path / "points.csv").write_text("0.1, 0.2, 0.3\n0.4, 0.5, 0.6\n")
    (tmp_path / "tri.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    text = '[[cloud]]\nfile = "points.csv"\nradius = 0.01\n[[cloud]]\npoints = [[0, 0, 1]]\nradius = 0.02\n'
    scene = read_scene(write(tmp_path, text))
    assert [len(cloud.points) for cloud in scene.obstacles if isinstance(cloud, PointCloud)] == [2, 1]
    assert scene.names == ("cloud 0", "cloud 1")
    pytest.importorskip("trimesh")
    scene = read_scene(write(tmp_path, '[[mesh]]\nfile = "tri.obj"\nscale = 0.5\nxyz = [0, 0, 1]\n'))
    assert scene.obstacles[0].vertices.max(axis=0).tolist() == [0.5, 0.5, 1.0]


def test_hulls_fields_and_cylinders_are_read(tmp_path):
    np.save(tmp_path / "sdf.npy", np.arange(8.0).reshape(2, 2, 2))
    (tmp_path / "ground.csv").write_text("0.1, 0.2\n0.3, 0.4\n")
    text = """
[[cylinder]]
a = [0, 0, 0]
b = [0, 0, 1]
radius = 0.1
[[hull]]
points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
xyz = [0, 0, 2]
[[height_field]]
file = "ground.csv"
spacing = 0.5
origin = [1, 0, 0]
rpy_deg = [0, 0, 90]
[[distance_field]]
file = "sdf.npy"
spacing = [0.1, 0.2, 0.3]
"""
    cylinder, hull, ground, field = read_scene(write(tmp_path, text)).obstacles
    assert cylinder == Cylinder([0, 0, 0], [0, 0, 1], 0.1)
    assert hull.faces.reshape(-1, 3).max(axis=0).tolist() == [1.0, 1.0, 3.0]
    assert ground.faces.reshape(-1, 3)[2] == pytest.approx([0.5, 0.5, 0.4])
    assert field.spacing == (0.1, 0.2, 0.3)
    assert field.distances[1, 1, 1] == 7.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[cylinder]]\na = [0, 0, 0]\nb = [0, 0, 0]\nradius = 1\n", "two points in space"),
        ("[[hull]]\npoints = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]\n", "key 'points': .* enclose nothing"),
        ("[[hull]]\nxyz = [0, 0, 0]\n", "either points or a file"),
        ("[[height_field]]\nheights = [[0, 1]]\nspacing = 1\n", "key 'heights': .* at least 2 numbers"),
        ("[[height_field]]\nheights = [[0, 1], [0, 1]]\nspacing = -1\n", "line 3, key 'spacing': .*positive"),
        ("[[height_field]]\nheights = [[0, 1], [0, 1]]\nspacing = 1\nfloor = 2\n", "key 'floor': .* below the lowest"),
        ("[[distance_field]]\nspacing = 1\nfile = 'scene.toml'\n", "key 'file': .* cannot be read"),
        ("[[sphere]\n", "line 1"),
        ("# a\n[[spere]]\nradius = 1\n", "line 2: there is no obstacle 'spere'; did you mean sphere"),
        ("[[sphere]]\ncenter = [0, 0, 0]\n\nradius = -1\n", "line 4, key 'radius': .*cannot be negative"),
        ("[[sphere]]\ncenter = [0, nan, 0]\nradius = 1\n", "line 2, key 'center': .*must be finite"),
        ("[[sphere]]\ncenter = [0, 0, 0]\nradius = 'big'\n", "line 3, key 'radius'"),
        ("[[sphere]]\ncenter = [0, 0, 0]\nradius = 1\n\n[[sphere]]\nradius = 1\n", "line 5: .* has no 'center'"),
        ("[[box]]\ncenter = [0, 0, 0]\nsize = [1, 1, -1]\n", "line 3, key 'size'"),
        ("[[box]]\ncenter = [0, 0, 0]\nsize = [1, 1, 1]\nyaw = 3\n", "line 4: .* has no key 'yaw'"),
        ("[[box]]\ncenter = [0, 0, 0]\nsize = [1, 1, 1]\nrpy_deg = [1, 2]\n", "line 4, key 'rpy_deg': .*three numbers"),
        ("[[capsule]]\na = [0, 0, 0]\nb = [0, 0]\nradius = 1\n", "line 3, key 'b'"),
        ("[[half_space]]\npoint = [0, 0, 0]\nnormal = [0, 0, 0]\n", "line 3, key 'normal'"),
        ("[sphere]\ncenter = [0, 0, 0]\nradius = 1\n", "with two brackets"),
        ("sphere = 3\n", "with two brackets"),
        ("[[cloud]]\nradius = 1\n", "either points or a file"),
        ("[[cloud]]\nradius = 1\nfile = 'no.csv'\n", "line 3, key 'file': there is no file of points 'no.csv'"),
        ("[[cloud]]\nradius = 1\nfile = 'scene.toml'\n", "line 3, key 'file': .* cannot be read"),
        (
            "[[sphere]]\ncenter = [0, 0]\nradius = 1\n",
            "line 2, key 'center': .* 2 coordinates; .* in space: give it 3",
        ),
        ("[[sphere]]\ncenter = [true, 0, 1]\nradius = 1\n", "line 2, key 'center': center has true; it takes numbers"),
        ("[[sphere]]\ncenter = [0, 0, 1e9]\nradius = 1\n", r"line 2, key 'center': .*1e\+09 m away"),
        ("[[sphere]]\nname = 3\ncenter = [0, 0, 0]\nradius = 1\n", "line 2, key 'name': the name is 3"),
        ("[[box]]\ncenter=[0,0,0]\nsize=[1,1,1]\nrpy=[0,0,0]\nrpy_deg=[0,0,0]\n", "line 4, key 'rpy': .*twice"),
        ("[[mesh]]\nfile = 'no.stl'\n", "line 2, key 'file': there is no mesh"),
        (
            "[[sphere]]\nname='a'\ncenter=[0,0,0]\nradius=1\n[[sphere]]\nname='a'\ncenter=[0,0,0]\nradius=1\n",
            "line 6, key 'name'",
        ),
    ],
)
def test_faults_are_told_with_line_and_key(tmp_path, text, words):
    with pytest.raises(fa.ForearmError, match=words):
        read_scene(write(tmp_path, text))


def test_a_missing_file_is_told():
    with pytest.raises(fa.ForearmError, match="there is no scene file"):
        read_scene("no/such.toml")


HOSTILE = {
    "outside": ('[[mesh]]\nfile = "../secret.obj"\n', "line 2, key 'file': the mesh .* lies outside .* move it there$"),
    "a cloud outside": (
        '[[cloud]]\nradius = 1\nfile = "../secret.csv"\n',
        "line 3, key 'file': the cloud .* lies outside",
    ),
    "a device": ('[[cloud]]\nradius = 1\nfile = "/dev/zero"\n', "lies outside"),
    "a long name": (f'[[mesh]]\nfile = "{"a" * 5000}"\n', "there is no mesh file"),
    "no text": ("[[mesh]]\nfile = 5\n", "the file is 5; it takes a path in quotes"),
    "another ending": ('[[mesh]]\nfile = "here.zip"\n', "meshes end in one of"),
    "digits": (f"[[sphere]]\ncenter = [0, 0, 0x{'f' * 6000}]\nradius = 1\n", "line 2, key 'center'"),
    "a long name of digits": (f"[[sphere]]\nname = 0x{'f' * 6000}\ncenter = [0, 0, 0]\nradius = 1\n", "key 'name'"),
    "no end": ("[[mesh]]\nfile = 'here.obj'\nxyz = [inf, 0, 0]\n", "line 3, key 'xyz'"),
    "huge": ("[[mesh]]\nfile = 'here.obj'\nscale = 1e300\n", "reaches .* m; meshes stay below 1e.06 m"),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.filterwarnings("error")
def test_hostile_scenes_are_refused_with_line_and_key(name, tmp_path):
    pytest.importorskip("trimesh")
    text, words = HOSTILE[name]
    triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
    (tmp_path / "room").mkdir()
    for file in ("secret.obj", "secret.csv", "room/here.obj", "room/here.zip"):
        (tmp_path / file).write_text(triangle)
    with pytest.raises(fa.errors.OptionError, match=words):
        read_scene(write(tmp_path / "room", text))


def test_a_mesh_names_no_other_files(tmp_path):
    pytest.importorskip("trimesh")
    (tmp_path / "tri.obj").write_text("mtllib ../secret.mtl\nusemtl a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    assert len(read_scene(write(tmp_path, '[[mesh]]\nfile = "tri.obj"\n')).obstacles[0].faces) == 1


def test_a_mesh_without_the_package_that_reads_it_says_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "part.stl").write_text("solid part\nendsolid part\n")
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(MissingExtraError, match="pip install 'trimesh"):
        read_scene(write(tmp_path, "[[mesh]]\nfile = 'part.stl'\n"))
