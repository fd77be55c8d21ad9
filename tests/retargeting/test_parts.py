"""Which bone is which part, by name and by shape."""

import numpy as np
import pytest

import forearm as fa
from forearm.retargeting.parts import Figure, find_parts, of_clip, propose, side_of
from forearm.retargeting.retarget import propose_map
from motions import reach


@pytest.mark.parametrize(
    ("name", "side"),
    [
        ("LeftFoot", "left"),
        ("mixamorig:RightHand", "right"),
        ("l_wrist", "left"),
        ("arm_left_1_link", "left"),
        ("foot_r", "right"),
        ("FootL", "left"),
        ("Spine", None),
        ("torso_link", None),
        ("pelvis", None),
    ],
)
def test_names_tell_left_from_right(name, side):
    assert side_of(name) == side


def test_a_figure_with_numbered_names_is_read_by_its_shape():
    names, parent, points = ["base"], [-1], [(0, 0, 0)]
    for side, y in (("left", 1.0), ("right", -1.0)):
        above = 0
        for k, z in enumerate((-0.05, -0.45, -0.85)):
            names.append(f"leg_{side}_{k}")
            parent.append(above)
            points.append((0, 0.1 * y, z))
            above = len(names) - 1
        above = 0
        for k, z in enumerate((0.5, 0.22, -0.05)):
            names.append(f"arm_{side}_{k}")
            parent.append(above)
            points.append((0, 0.2 * y, z))
            above = len(names) - 1
    figure = Figure(tuple(names), tuple(parent), np.array(points, float), (True,) * len(names))
    found = {part: names[i] for part, i in find_parts(figure, np.array([0.0, 0.0, 1.0])).items()}
    assert found["left_foot"] == "leg_left_2"
    assert found["left_knee"] == "leg_left_1"
    assert found["right_hip"] == "leg_right_0"
    assert found["right_hand"] == "arm_right_2"
    assert found["left_elbow"] == "arm_left_1"
    assert found["pelvis"] == "base"


def test_the_map_of_a_humanoid_is_proposed():
    tree = fa.Tree.from_urdf("examples/humanoid.urdf", base="free")
    found = propose_map(reach(1.0, 10.0), tree)
    assert found["left_foot"] == ("LeftFoot", "left_foot")
    assert found["right_hand"] == ("RightHand", "right_hand")
    assert found["left_shoulder"][0] == "LeftArm"
    assert found["left_elbow"] == ("LeftForeArm", "left_elbow_link")
    assert found["right_knee"] == ("RightLeg", "right_knee_link")
    assert found["torso"] == ("Chest", "torso")
    assert len(found) == 15


def test_bodies_without_hands_and_feet_are_refused_with_what_to_do():
    clip = reach(0.2, 10.0)
    figure = Figure(("a", "b"), (-1, 0), np.zeros((2, 3)), (True, True))
    with pytest.raises(fa.ForearmError, match="write a map: part to bone and link"):
        propose(of_clip(clip, clip.points[0]), figure, (None, None))
