"""Poses of bones as clips: every joint where the pose has it, in the clip and in files that are read again."""

import json
import struct

import numpy as np
import pytest

import forearm as fa
from forearm.errors import OptionError
from forearm.joints import Cone, Hinge

T = np.linspace(0.0, 1.0, 9)[:, None]


def body():
    bones = {
        "spine": (None, [0, 0, 1.3]),
        "arm_l": ("spine", [0.3, 0, 1.35]),
        "hand_l": ("arm_l", [0.6, 0, 1.3]),
        "arm_r": ("spine", [-0.3, 0, 1.35]),
        "hand_r": ("arm_r", [-0.6, 0, 1.3]),
    }
    return fa.Skeleton(bones, base=[0, 0, 1], joints={"spine": Cone(0.4), "hand_l": Hinge((0, 0, 1), (-2.5, 2.5))})


def chain():
    return fa.Chain([[0, 0, 0.1], [0.3, 0, 0.1], [0.55, 0.1, 0.1], [0.65, 0.1, 0.3]], Cone(1.4))


def on_a_curve():
    curve = fa.Chain([[0, 0], [0, 1], [0, 2], [0, 3]])
    return curve.solve_batch([1.5, 1.0] + T * [0.5, 0.5], method="bezier")


HANDS = {"hand_l": [0.45, 0.2, 1.3] + T * [0.0, 0.15, 0.1], "hand_r": np.tile([-0.4, 0.2, 1.2], (9, 1))}
FAR = [0.6, 0.3, 0.3] + T * [0.2, 0.2, 0.2]
MADE = {
    "skeleton": lambda: body().track(HANDS),
    "chain": lambda: chain().track([0.4, 0.2, 0.2] + T * [0.1, 0.1, 0.0]),
    "stretched": lambda: chain().track(FAR, stretch=0.3),
    "free base": lambda: fa.Chain(chain().points, free_base=True).track(3.0 * FAR),
    "plane": lambda: fa.Chain([[0, 0], [1, 0], [2, 0], [3, 0]]).track([1.5, 1.0] + T * [0.5, 0.5]),
    "curve": on_a_curve,
}


def off(clip, poses):
    """How far joints of the clip are from where the poses have the base and the bones' ends [m]."""
    own = [0, *(clip.index(name) for name in poses.bones.names)]
    return np.abs(clip.points[:, own] - poses.points3).max()


@pytest.mark.parametrize("name", MADE)
def test_every_joint_is_where_the_pose_has_it(name, tmp_path):
    poses = MADE[name]()
    clip = poses.to_clip(fps=30)
    assert off(clip, poses) < 1e-9
    assert clip.frame_time == pytest.approx(1 / 30)
    assert name != "stretched" or (poses.stretch > 1.0).any()
    for ending, nearest in (("bvh", 1e-5), ("glb", 1e-6), ("gltf", 1e-6)):
        file = tmp_path / f"a.{ending}"
        clip.write(file)
        again = fa.Clip.read(file)
        assert off(again, poses) < nearest, ending
        assert len(again) == len(poses)


def test_the_file_tells_another_reader_the_same(tmp_path):
    """The joints of a glTF, placed by quaternions and products of matrices from the bytes of the file alone."""
    poses = body().track({"hand_l": [0.45, 0.2, 1.3] + T * [0.0, 0.15, 0.1]})
    poses.to_clip().write(tmp_path / "a.glb")
    content = (tmp_path / "a.glb").read_bytes()
    length = struct.unpack("<I", content[12:16])[0]
    said, data = json.loads(content[20 : 20 + length]), content[28 + length :]

    def numbers(k):
        accessor = said["accessors"][k]
        view = said["bufferViews"][accessor["bufferView"]]
        first = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        assert accessor["componentType"] == 5126
        return np.frombuffer(data, "<f4", accessor["count"] * width, first).reshape(-1, width)

    last = {}
    for channel in said["animations"][0]["channels"]:
        target = channel["target"]
        last[target["node"], target["path"]] = numbers(said["animations"][0]["samplers"][channel["sampler"]]["output"])[
            -1
        ]

    def place(node, above):
        own = said["nodes"][node]
        x, y, z, w = last.get((node, "rotation"), own.get("rotation", [0, 0, 0, 1]))
        T = np.eye(4)
        T[:3, :3] = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
        T[:3, 3] = last.get((node, "translation"), own.get("translation", [0, 0, 0]))
        found[own["name"]] = (above @ T)[:3, 3]
        for child in own.get("children", []):
            place(child, above @ T)

    found = {}
    for root in said["scenes"][0]["nodes"]:
        place(root, np.eye(4))
    for name, point in zip(poses.bones.names, poses.points[-1][1:], strict=True):
        np.testing.assert_allclose(found[name], point, atol=1e-6)


def test_a_skeleton_of_the_file_has_the_same_bones(tmp_path):
    before = body()
    before.track({"hand_l": [0.45, 0.2, 1.3] + T * [0.0, 0.15, 0.1]}).to_clip().write(tmp_path / "a.bvh")
    after = fa.Skeleton.from_bvh(tmp_path / "a.bvh")
    assert after.bone_names == before.bone_names
    assert after.bones.parent_names == before.bones.parent_names
    np.testing.assert_allclose(after.points, before.points, atol=1e-5)


def test_names_that_are_taken_get_a_number():
    bones = {
        "base": (None, [0, 0, 1]),
        "a": ("base", [1, 0, 1]),
        "b": ("base", [-1, 0, 1]),
        "a_start": ("a", [1, 0, 2]),
    }
    clip = fa.Skeleton(bones).solve_batch({"a_start": [[0.9, 0.1, 1.9]]}).to_clip()
    assert clip.names == ("base_2", "base", "a_start_2", "a", "b_start", "b", "a_start")


@pytest.mark.parametrize("fps", [0, -1, np.inf, np.nan, "24"])
def test_a_rate_that_is_none_is_refused(fps):
    with pytest.raises(OptionError, match="fps"):
        chain().solve_batch([[0.4, 0.2, 0.2]]).to_clip(fps)


def test_a_clip_for_programs_with_y_up_is_turned():
    poses = body().track(HANDS)
    clip, turned = poses.to_clip(), poses.to_clip(up="y")
    x, y, z = np.moveaxis(clip.points, 2, 0)
    np.testing.assert_allclose(turned.points, np.stack([x, z, -y], axis=2), atol=1e-12)
    with pytest.raises(OptionError, match="up is 'x'; it takes: 'z', 'y'"):
        poses.to_clip(up="x")


def test_no_poses_are_no_clip():
    with pytest.raises(OptionError, match="no poses"):
        chain().solve_batch(np.zeros((0, 3))).to_clip()
