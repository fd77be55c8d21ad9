import numpy as np
import pytest

import forearm as fa
from forearm.bones.clips.turns import from_angles, to_angles
from forearm.errors import ModelError

from .made import Made

ODD = [
    *({"seed": seed} for seed in range(14)),
    *({"seed": seed, "roots": 2} for seed in (20, 21)),
    *({"seed": seed, "zero": True} for seed in (30, 31)),
    *({"seed": seed, "moving": True} for seed in (40, 41)),
    {"seed": 50, "joints": 60, "frames": 3},
    {"seed": 51, "joints": 2, "frames": 1},
]


@pytest.mark.parametrize("how", ODD, ids=str)
def test_joints_are_where_the_file_says_and_stay_there_when_it_is_written_again(how, tmp_path):
    made = Made(**how)
    (tmp_path / "a.bvh").write_text(made.bvh)
    clip = fa.Clip.from_bvh(tmp_path / "a.bvh")
    own = [clip.index(name) for name in made.names]
    assert np.abs(clip.points[:, own] - made.points).max() < 1e-9
    clip.write(tmp_path / "b.bvh")
    again = fa.Clip.from_bvh(tmp_path / "b.bvh")
    assert again.names == clip.names
    assert np.abs(again.points - clip.points).max() < 1e-6
    assert np.abs(again.rotations("global") - clip.rotations("global")).max() < 1e-6
    assert again.frame_time == pytest.approx(clip.frame_time)


def test_end_sites_are_joints_behind_their_own(tmp_path):
    made = Made(3, joints=4)
    (tmp_path / "a.bvh").write_text(made.bvh)
    clip = fa.Clip.from_bvh(tmp_path / "a.bvh")
    assert all(tip.endswith(" end") for tip in clip.tips)
    text = (clip.write(tmp_path / "b.bvh"), (tmp_path / "b.bvh").read_text())[1]
    assert text.count("End Site") == made.bvh.count("End Site")


@pytest.mark.parametrize("axes", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
def test_angles_of_any_order_give_their_rotation_back(axes):
    rng = np.random.default_rng(1)
    angles = rng.uniform(-3, 3, (200, 3))
    angles[:50, 1] = np.pi / 2 * np.sign(angles[:50, 1])
    R = from_angles(axes, angles)
    assert np.abs(from_angles(axes, to_angles(axes, R)) - R).max() < 1e-8


GOOD = Made(1, joints=3, frames=2).bvh
HOSTILE = {
    "not a BVH": ("hello", "MOTION"),
    "no hierarchy": ("MOTION\nFrames: 1\nFrame Time: 0.1\n", "ends inside"),
    "NaN": (GOOD.replace(GOOD.splitlines()[-1].split()[3], "nan"), "in frame 1, "),
    "missing frames": ("\n".join(GOOD.splitlines()[:-1]), "names 2 frames"),
    "more numbers": (GOOD + "1 2 3\n", "has more"),
    "text among numbers": (GOOD.replace(GOOD.splitlines()[-1].split()[3], "abc"), "not numbers"),
    "huge count": (GOOD.replace("Frames: 2", "Frames: 1000000000000"), "at most"),
    "no count": (GOOD.replace("Frames: 2", "Frames: -3"), "whole number"),
    "channels": (GOOD.replace("CHANNELS 3", "CHANNELS 3000000000", 1), "0 to 6"),
    "channel": (GOOD.replace("rotation", "wobble", 1), "Xposition"),
    "an open brace": (GOOD.replace("}\nMOTION", "\nMOTION"), "lacks }"),
    "offset": (GOOD.replace("OFFSET ", "OFFSET inf ", 1), "finite number"),
}


HOSTILE["a million frames of joints that do not move"] = (
    "HIERARCHY\n" + "ROOT a\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\n" * 2_000 + "MOTION\nFrames: 1000000\nFrame Time: 0.1\n",
    "2,000 joints in 1,000,000 frames; at most 10,000,000",
)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_damaged_file_is_refused_with_its_name_and_place(name, tmp_path):
    text, words = HOSTILE[name]
    (tmp_path / "bad.bvh").write_text(text)
    with pytest.raises(ModelError, match=r"bad\.bvh") as fault:
        fa.Clip.from_bvh(tmp_path / "bad.bvh")
    assert words in str(fault.value)


def test_ten_thousand_nested_joints_are_read(tmp_path):
    depth = 9_000
    head = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 0\n"
    body = "".join(f"JOINT j{i}\n{{\nOFFSET 0 1 0\nCHANNELS 0\n" for i in range(depth))
    (tmp_path / "deep.bvh").write_text(head + body + "}\n" * (depth + 1) + "\nMOTION\nFrames: 1\nFrame Time: 0.1\n")
    assert fa.Clip.from_bvh(tmp_path / "deep.bvh").points[0, -1, 1] == depth


def test_the_skeleton_of_a_file_has_its_rest_pose(tmp_path):
    made = Made(5, joints=8, zero=True)
    (tmp_path / "a.bvh").write_text(made.bvh)
    skeleton = fa.Skeleton.from_bvh(tmp_path / "a.bvh", scale=0.01)
    rest = {}
    for i, p in enumerate(made.parent):
        rest[i] = made.offsets[i] + (rest[p] if p >= 0 else 0.0)
    for name, end in zip(skeleton.bone_names, skeleton.points[1:], strict=True):
        if name in made.names:
            assert np.abs(end - 0.01 * rest[made.names.index(name)]).max() < 1e-12
    assert "joint4" not in skeleton.bone_names  # stands where the joint above it stands
    assert skeleton.solve({skeleton.tips[0]: skeleton.points[-1]}).points.shape == skeleton.points.shape
