import base64
import json

import numpy as np
import pytest

import forearm as fa
from forearm.errors import ForearmError, ModelError, OptionError

from .made import Made, MadeGltf


def document(**more):
    nodes = [
        {"name": "root", "children": [1], "translation": [1, 2, 3], "scale": [2, 2, 2]},
        {"name": "arm", "children": [2], "matrix": [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0.5, 0, 0, 1]},
        {"name": "hand", "translation": [0, 1, 0]},
    ]
    return {"asset": {"version": "2.0"}, "nodes": nodes, "scenes": [{"nodes": [0]}]} | more


def written(tmp_path, tables, name="a.gltf"):
    (tmp_path / name).write_text(json.dumps(tables))
    return tmp_path / name


@pytest.mark.parametrize("ending", [".gltf", ".glb"])
@pytest.mark.parametrize(
    "how", [{"seed": 1}, {"seed": 2, "roots": 3}, {"seed": 3, "moving": True}, {"seed": 4, "zero": True}], ids=str
)
def test_a_motion_survives_gltf_and_back(ending, how, tmp_path):
    made = Made(**how)
    (tmp_path / "a.bvh").write_text(made.bvh)
    clip = fa.Clip.from_bvh(tmp_path / "a.bvh")
    clip.write(tmp_path / f"b{ending}")
    first = fa.Clip.from_gltf(tmp_path / f"b{ending}")
    own = [first.index(name) for name in made.names]
    size = np.abs(made.points).max()
    assert np.abs(first.points[:, own] - made.points).max() < 1e-6 * size  # glTF holds single precision
    first.write(tmp_path / f"c{ending}")
    second = fa.Clip.from_gltf(tmp_path / f"c{ending}", animation=1)
    assert np.abs(second.points - first.points).max() < 1e-6 * size
    assert np.abs(second.rotations() - first.rotations()).max() < 1e-6
    assert second.names == first.names


ODD = [
    *({"seed": seed} for seed in range(8)),
    *({"seed": seed, "roots": 3} for seed in (20, 21, 22)),
    *({"seed": seed, "zero": True} for seed in (30, 31, 32)),
    *({"seed": seed, "scaled": True} for seed in (40, 41, 42)),
    *({"seed": seed, "matrices": True} for seed in (50, 51, 52)),
    {"seed": 60, "joints": 40, "frames": 3, "scaled": True, "matrices": True},
    {"seed": 61, "joints": 2, "frames": 2},
    {"seed": 62, "roots": 2, "zero": True, "scaled": True, "matrices": True},
]


@pytest.mark.parametrize("ending", [".gltf", ".glb"])
@pytest.mark.parametrize("how", ODD, ids=str)
def test_joints_are_where_the_file_says_and_stay_there_when_it_is_written_again(how, ending, tmp_path):
    made = MadeGltf(**how)
    (tmp_path / "a.gltf").write_text(made.text)
    first = fa.Clip.from_gltf(tmp_path / "a.gltf")
    first.write(tmp_path / f"b{ending}")
    again = fa.Clip.from_gltf(tmp_path / f"b{ending}", "forearm")
    theirs = made.frames
    turns = theirs[:, :, :3, :3] / np.linalg.norm(theirs[:, :, :3, :3], axis=2, keepdims=True)
    for clip in (first, again):
        assert len(clip) == len(made.times)
        own = [clip.index(name) for name in made.names]
        assert np.abs(clip.points[:, own] - theirs[:, :, :3, 3]).max() < 1e-6  # [m]
        off = clip.rotations("global")[:, own] - turns
        assert np.linalg.norm(off, axis=(2, 3)).max() / np.sqrt(2.0) < 1e-6  # [rad]


def test_scales_and_matrices_of_nodes_count(tmp_path):
    clip = fa.Clip.from_gltf(written(tmp_path, document()))
    # root at (1, 2, 3), all below it doubled; the arm is turned a quarter about z
    assert np.allclose(clip.points[0], [[1, 2, 3], [2, 2, 3], [0, 2, 3]])
    clip.write(tmp_path / "b.bvh")
    assert np.allclose(fa.Clip.from_bvh(tmp_path / "b.bvh").points[0], clip.points[0])


def test_a_written_motion_stands_beside_those_that_were_there(tmp_path):
    clip = fa.Clip.from_gltf(written(tmp_path, document(extras={"kept": True})))
    edited = clip.pin("hand", [0.5, 3.0, 3.5])
    edited.clip.write(tmp_path / "b.gltf")
    tables = json.loads((tmp_path / "b.gltf").read_text())
    assert tables["extras"] == {"kept": True}
    assert [entry["name"] for entry in tables["animations"]] == ["forearm"]
    assert np.abs(fa.Clip.from_gltf(tmp_path / "b.gltf").points - edited.clip.points).max() < 1e-6


HOSTILE = {
    "no JSON": ("{", "not a glTF file"),
    "no version": (json.dumps({"nodes": []}), "version 2"),
    "a loop": (json.dumps(document(nodes=[{"children": [1]}, {"children": [0]}])), "loop"),
    "two parents": (json.dumps(document(nodes=[{"children": [2]}, {"children": [2]}, {}])), "two parents"),
    "no such node": (json.dumps(document(nodes=[{"children": [7]}])), "number 7"),
    "nodes that are numbers": (json.dumps(document(nodes=[1, 2])), "among its nodes"),
    "a rotation of zeros": (json.dumps(document(nodes=[{"rotation": [0, 0, 0, 0]}])), "four zeros"),
    "a translation of text": (json.dumps(document(nodes=[{"translation": "abc"}])), "3 numbers"),
    "a flat matrix": (json.dumps(document(nodes=[{"matrix": [0] * 16}])), "scales an axis by 0"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_damaged_document_is_refused_with_its_name(name, tmp_path):
    text, words = HOSTILE[name]
    (tmp_path / "bad.gltf").write_text(text)
    with pytest.raises(ModelError, match=r"bad\.gltf") as fault:
        fa.Clip.from_gltf(tmp_path / "bad.gltf")
    assert words in str(fault.value)


def animated(**changes):
    accessors = [
        {"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR"},
        {"bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC3"},
    ]
    views = [{"buffer": 0, "byteLength": 8}, {"buffer": 0, "byteOffset": 8, "byteLength": 24}]
    data = np.array([0.0, 1.0, *range(6)], dtype="<f4").tobytes()
    buffers = [{"byteLength": len(data), "uri": "data:;base64," + base64.b64encode(data).decode()}]
    channel = {"sampler": 0, "target": {"node": 2, "path": "translation"}}
    animation = {"name": "go", "samplers": [{"input": 0, "output": 1}], "channels": [channel]}
    return document(accessors=accessors, bufferViews=views, buffers=buffers, animations=[animation]) | changes


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"bufferViews": [{"buffer": 0, "byteLength": 8}, {"buffer": 0, "byteOffset": 20, "byteLength": 24}]},
            "beyond its buffer",
        ),
        ({"buffers": [{"byteLength": 4, "uri": "data:;base64,!!"}]}, "not base64"),
        ({"buffers": [{"byteLength": 4, "uri": "../../../../../etc/passwd"}]}, "outside"),
        ({"accessors": [{"componentType": 5126, "count": 10**12, "type": "SCALAR"}]}, "entries"),
        ({"accessors": [{"componentType": 1, "count": 2, "type": "SCALAR"}]}, "not of a motion"),
    ],
)
def test_a_damaged_animation_is_refused(changes, words, tmp_path):
    with pytest.raises(ForearmError, match=r"bad\.gltf|outside") as fault:
        fa.Clip.from_gltf(written(tmp_path, animated(**changes), "bad.gltf"))
    assert words in str(fault.value)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("place", [0, 1, 4])
def test_numbers_that_are_none_are_refused(place, bad, tmp_path):
    numbers = np.array([0.0, 1.0, *range(6)], dtype="<f4")
    numbers[place] = bad
    raw = base64.b64encode(numbers.tobytes()).decode()
    made = animated(buffers=[{"byteLength": numbers.nbytes, "uri": "data:;base64," + raw}])
    with pytest.raises(ModelError, match=f"bad.gltf has {bad}"):
        fa.Clip.from_gltf(written(tmp_path, made, "bad.gltf"))


def test_more_frames_of_more_joints_than_memory_holds_are_refused(tmp_path):
    count = 20_000
    data = np.concatenate([np.arange(count), np.zeros(3 * count)]).astype("<f4").tobytes()
    sizes = {"componentType": 5126, "count": count}
    made = animated(
        nodes=[{} for _ in range(1_000)],
        accessors=[{"bufferView": 0, "type": "SCALAR"} | sizes, {"bufferView": 1, "type": "VEC3"} | sizes],
        bufferViews=[{"buffer": 0, "byteOffset": 0}, {"buffer": 0, "byteOffset": 4 * count}],
        buffers=[{"byteLength": len(data), "uri": "data:;base64," + base64.b64encode(data).decode()}],
    )
    with pytest.raises(ForearmError, match="1,000 joints in 20,000 frames"):
        fa.Clip.from_gltf(written(tmp_path, made, "bad.gltf"))


def test_an_animation_is_chosen_by_name(tmp_path):
    path = written(tmp_path, animated())
    assert np.allclose(fa.Clip.from_gltf(path, "go").motion.places[:, 2], [[0, 1, 2], [3, 4, 5]])
    with pytest.raises(OptionError, match="it has: go"):
        fa.Clip.from_gltf(path, "gone")


def test_three_js_gets_bones_and_tracks(tmp_path):
    clip = fa.Clip.from_gltf(written(tmp_path, animated()))
    clip.write(tmp_path / "a.json")
    data = json.loads((tmp_path / "a.json").read_text())
    assert [bone["name"] for bone in data["bones"]] == list(clip.names)
    assert {track["name"] for track in data["clip"]["tracks"]} >= {"hand.position", "hand.quaternion"}
    assert data["clip"]["duration"] == 1.0
