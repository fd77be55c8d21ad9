import numpy as np
import pytest
from typer.testing import CliRunner

import forearm as fa
from forearm.cli.app import app
from forearm.errors import OptionError

BODY = """HIERARCHY
ROOT Hips
{
 OFFSET 0 90 0
 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
 JOINT Spine
 {
  OFFSET 0 30 0
  CHANNELS 3 Zrotation Xrotation Yrotation
  JOINT Head
  {
   OFFSET 0 30 0
   CHANNELS 3 Zrotation Xrotation Yrotation
   End Site
   {
    OFFSET 0 15 0
   }
  }
  JOINT LeftArm
  {
   OFFSET 15 20 0
   CHANNELS 3 Zrotation Xrotation Yrotation
   JOINT LeftForeArm
   {
    OFFSET 28 0 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT LeftHand
    {
     OFFSET 25 0 0
     CHANNELS 3 Zrotation Xrotation Yrotation
     End Site
     {
      OFFSET 8 0 0
     }
    }
   }
  }
  JOINT RightArm
  {
   OFFSET -15 20 0
   CHANNELS 3 Zrotation Xrotation Yrotation
   End Site
   {
    OFFSET -28 0 0
   }
  }
 }
 JOINT LeftLeg
 {
  OFFSET 10 -40 0
  CHANNELS 3 Zrotation Xrotation Yrotation
  JOINT LeftFoot
  {
   OFFSET 0 -40 0
   CHANNELS 3 Zrotation Xrotation Yrotation
   End Site
   {
    OFFSET 0 -5 10
   }
  }
 }
}
MOTION
Frames: {frames}
Frame Time: 0.02
"""
JOINTS = 8  # with channels


@pytest.fixture
def walk(tmp_path):
    frames = 60
    t = np.linspace(0.0, 1.0, frames)[:, None]
    swing = 15.0 * np.sin(2 * np.pi * (t + np.linspace(0, 1, 3 * JOINTS + 3)))
    swing[:, 12:15] += [0.0, 0.0, -40.0]  # a bent elbow
    rows = np.hstack([np.hstack([0 * t, 90 + 0 * t, 80 * t]), swing])
    text = BODY.replace("{frames}", str(frames)) + "\n".join(
        " ".join(f"{x:.6f}" for x in row) for row in rows[:, : 3 + 3 * (JOINTS + 1)]
    )
    (tmp_path / "walk.bvh").write_text(text + "\n")
    return tmp_path / "walk.bvh"


def test_a_held_hand_is_where_it_shall_be_and_all_else_stays(walk):
    clip = fa.Clip.read(walk)
    hand = clip.index("LeftHand")
    goal = clip.points[20:31, hand] + [3.0, 4.0, -2.0]
    held = clip.pin("LeftHand", goal, frames=(20, 30), blend=6)
    assert held.reached.all()
    assert not held.jumps
    assert held.frames.tolist() == list(range(14, 37))
    new = held.clip.points
    assert np.abs(new[20:31, hand] - goal).max() < 1e-4
    untouched = [i for i, name in enumerate(clip.names) if not name.startswith(("LeftFore", "LeftHand"))]
    assert np.abs(new[:, untouched] - clip.points[:, untouched]).max() < 1e-9
    assert np.abs(new[:14] - clip.points[:14]).max() == 0.0
    for a, b in (("LeftArm", "LeftForeArm"), ("LeftForeArm", "LeftHand"), ("LeftHand", "LeftHand end")):
        span = np.linalg.norm(new[:, clip.index(b)] - new[:, clip.index(a)], axis=1)
        assert np.ptp(span) < 1e-9
    turned = held.clip.rotations("global")[:, hand]
    assert np.abs(turned - clip.rotations("global")[:, hand]).max() < 1e-12
    share = 1.0 - np.arange(6, 0, -1)[:, None] / 7.0  # it comes in over six frames, as 3 s^2 - 2 s^3
    way = share**2 * (3.0 - 2.0 * share)
    assert np.abs(new[14:20, hand] - (way * goal[0] + (1.0 - way) * clip.points[14:20, hand])).max() < 1e-4


def elbow_from_pole(clip, pole):
    """(F,) the angle about the line from shoulder to hand between the elbow and a pole [rad]."""
    shoulder, elbow, hand = (clip.points[:, clip.index(name)] for name in ("LeftArm", "LeftForeArm", "LeftHand"))
    along = (hand - shoulder) / np.linalg.norm(hand - shoulder, axis=1, keepdims=True)
    a, b = (v - (v * along).sum(1, keepdims=True) * along for v in (elbow - shoulder, pole - shoulder))
    return np.arccos(np.clip((a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1), -1.0, 1.0))


@pytest.mark.parametrize("pole", [[15, 60, 400], [40, 400, 40], [15, -300, 40]])
def test_a_held_limb_bends_to_its_pole_and_comes_and_goes_by_shares(walk, pole):
    clip = fa.Clip.read(walk)
    goal = clip.points[20:31, clip.index("LeftHand")] + [-3.0, 4.0, -2.0]
    plain, held = (clip.pin("LeftHand", goal, frames=(20, 30), blend=10, pole=each) for each in (None, pole))
    assert held.reached.all()
    assert np.abs(held.clip.points - plain.clip.points)[:, clip.index("LeftHand")].max() < 1e-4
    left, there = (elbow_from_pole(each.clip, pole) for each in (plain, held))
    assert left[20:31].min() > 0.3
    assert there[20:31].max() < 1e-5
    share = 1.0 - np.arange(10, 0, -1) / 11.0
    way = share**2 * (3.0 - 2.0 * share)
    assert np.abs(there[10:20] - (1.0 - way) * left[10:20]).max() < 1e-4


def test_what_cannot_be_reached_is_told_frame_by_frame(walk):
    clip = fa.Clip.read(walk)
    held = clip.pin("LeftHand", [500.0, 0.0, 0.0], frames=(5, 9))
    assert not held.reached.any()
    assert (held.error > 100.0).all()
    assert "5 missed by up to" in repr(held)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"tip": "LeftHnd"}, "LeftHand"),
        ({"frames": (5, 99)}, "0 to 59"),
        ({"target": [1, 2]}, r"takes \(3,\)"),
        ({"root": "LeftFoot"}, "does not hang below it"),
        ({"tip": "Hips"}, "is a root"),
        ({"blend": -1}, "blend is -1"),
    ],
)
def test_wrong_arguments_are_refused_by_name(walk, how, words):
    given = {"tip": "LeftHand", "target": [40, 120, 20]} | how
    with pytest.raises(OptionError, match=words):
        fa.Clip.read(walk).pin(**given)


def test_the_command_holds_a_joint_and_lists_joints(walk, tmp_path):
    run = CliRunner().invoke
    listed = run(app, ["pose", str(walk)])
    assert listed.exit_code == 0
    assert "LeftHand" in listed.output
    clip = fa.Clip.read(walk)
    x, y, z = clip.points[10, clip.index("LeftHand")] + [1.0, 1.0, 0.0]
    out = tmp_path / "held.glb"
    done = run(
        app, ["pose", str(walk), "--tip", "LeftHand", "--at", f"{x}, {y}, {z}", "--frames", "10:10", "--out", str(out)]
    )
    assert done.exit_code == 0, done.output
    held = fa.Clip.read(out)
    assert np.abs(held.points[10, held.index("LeftHand")] - [x, y, z]).max() < 1e-3
    assert run(app, ["pose", str(walk), "--tip", "LeftHand", "--at", "900, 0, 0"]).exit_code == 1


def test_human_limits_bend_elbows_forward_and_knees_back(walk):
    skeleton = fa.Skeleton.from_bvh(walk, scale=0.01, joints="human")
    kinds = dict(zip(skeleton.bone_names, skeleton.bones.kinds, strict=True))
    assert isinstance(kinds["LeftHand"], fa.joints.Hinge)
    assert np.allclose(kinds["LeftHand"].axis, [0, -1, 0], atol=0.2)  # from the left (+x) toward the front (+z)
    assert np.allclose(kinds["LeftFoot"].axis, [1, 0, 0], atol=0.2)  # from below toward the back
    solved = skeleton.solve({"LeftHand": [0.35, 1.4, 0.3]})
    assert solved.success
    elbow, hand = solved["LeftForeArm"], solved["LeftHand"]
    assert hand[2] > elbow[2]  # bent to the front
