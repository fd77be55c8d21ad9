"""Key points of a hand on a robot hand, judged by Pinocchio."""

import numpy as np
import pinocchio as pin
import pytest

import forearm as fa
from forearm.bones.clips.points import NAMES

FINGERS = {"index": 0.04, "middle": 0.0, "ring": -0.04}


def hand():
    """A palm with three fingers of four joints, and a thumb that stands out to the side."""
    text = '<link name="palm"/>'
    limits = '<limit lower="-0.4" upper="1.5" velocity="7" effort="1"/>'
    rows = [(finger, f"0 {y} 0.09", "0 0 0") for finger, y in FINGERS.items()] + [("thumb", "0.01 0.05 0.02", "-1 0 0")]
    for finger, place, rpy in rows:
        above = "palm"
        for k, (axis, z) in enumerate((("1 0 0", 0.0), ("0 1 0", 0.01), ("0 1 0", 0.05), ("0 1 0", 0.035))):
            at = f'xyz="{place}" rpy="{rpy}"' if k == 0 else f'xyz="0 0 {z}"'
            text += f'<link name="{finger}{k}"/><joint name="{finger}_j{k}" type="revolute"><origin {at}/>'
            text += f'<parent link="{above}"/><child link="{finger}{k}"/><axis xyz="{axis}"/>{limits}</joint>'
            above = f"{finger}{k}"
        text += f'<link name="{finger}_tip"/><joint name="{finger}_t" type="fixed"><origin xyz="0 0 0.025"/>'
        text += f'<parent link="{above}"/><child link="{finger}_tip"/></joint>'
    return f'<robot name="hand">{text}</robot>'


MAP = {finger: (f"{finger.capitalize()}Tip", f"{finger}_tip") for finger in (*FINGERS, "thumb")}


class Judge:
    """Where Pinocchio has the joints of a finger."""

    def __init__(self):
        self.model = pin.buildModelFromXML(hand())
        self.data = self.model.createData()

    def points(self, q, names):
        full = pin.neutral(self.model)
        for name, value in q.items():
            full[self.model.joints[self.model.getJointId(name)].idx_q] = value
        pin.framesForwardKinematics(self.model, self.data, full)
        return np.array([self.data.oMf[self.model.getFrameId(name)].translation for name in names])


def seen(judge, tree, Q, turn, size):
    """(F, 21, 3) key points of a hand that is moved as the robot's own, turned and scaled."""
    frames = []
    for q in Q:
        named = dict(zip(tree.joint_names, q, strict=True))
        points = [np.zeros(3)]
        for finger in ("thumb", "index", "middle", "ring", "ring"):
            points += list(judge.points(named, [f"{finger}1", f"{finger}2", f"{finger}3", f"{finger}_tip"]))
        frames.append(size * np.array(points) @ turn.T + [0.3, 1.0, -2.0])
    return np.array(frames)


def closing(tree, count):
    """(F, n) a hand that closes: every finger as far as a share of its limits."""
    share = np.sin(np.linspace(0.0, np.pi, count))[:, None] ** 2
    bent = np.array([0.0 if name.endswith("0") else 0.9 for name in tree.joint_names])
    return 0.15 + share * bent * np.array([1.0 if "thumb" not in name else 0.6 for name in tree.joint_names])


def write(path, points, times=None):
    rows = points.reshape(len(points), -1)
    rows = rows if times is None else np.column_stack([times, rows])
    np.savetxt(path, rows, delimiter=",")


def test_fingers_close_as_those_that_were_seen(tmp_path):
    tree, judge = fa.Tree.from_urdf(hand()), Judge()
    Q = closing(tree, 8)
    turn = pin.rpy.rpyToMatrix(0.4, -1.0, 2.0)
    write(tmp_path / "hand.csv", seen(judge, tree, Q, turn, 1.7), np.arange(8) / 10.0)
    motion = fa.retarget(tmp_path / "hand.csv", tree, MAP, self_collision=False)
    assert motion.goals == ("thumb", "index", "middle", "ring")
    assert (motion.q >= tree.limits[0]).all()
    assert (motion.q <= tree.limits[1]).all()
    assert max(motion.worst.values()) < 5e-3
    for i in range(len(Q)):
        asked, found = (dict(zip(tree.joint_names, q, strict=True)) for q in (Q[i], motion.q[i]))
        tips = [f"{finger}_tip" for finger in FINGERS]
        away = np.linalg.norm(judge.points(asked, tips) - judge.points(found, tips), axis=1)
        assert away.max() < 0.012  # fingers are asked to be a little shorter than they are, knuckles stay


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "has no frame"),
        ("1,2,3\n", "3 columns in frame 0"),
        (",".join(["nan"] * 63), "in frame 0, column 0"),
        (",".join(["0"] * 62 + ["x"]), "not numbers"),
        ("\n".join([",".join(["0"] * 64)] * 2), "do not ascend"),
    ],
)
def test_key_points_that_are_damaged_are_refused_with_their_place(text, words, tmp_path):
    (tmp_path / "bad.csv").write_text(text)
    with pytest.raises(fa.ForearmError, match=words):
        fa.Clip.read(tmp_path / "bad.csv")


def test_key_points_are_a_clip(tmp_path):
    points = np.random.default_rng(0).normal(size=(3, 21, 3))
    write(tmp_path / "hand.csv", points)
    clip = fa.Clip.read(tmp_path / "hand.csv")
    assert clip.names == NAMES
    np.testing.assert_allclose(clip.points, points, atol=1e-12)


def test_a_map_of_too_few_or_other_fingers_is_refused(tmp_path):
    tree = fa.Tree.from_urdf(hand())
    write(tmp_path / "hand.csv", np.random.default_rng(0).normal(size=(3, 21, 3)))
    with pytest.raises(fa.ForearmError, match="need a map"):
        fa.retarget(tmp_path / "hand.csv", tree)
    with pytest.raises(fa.ForearmError, match="two fingers beside the thumb"):
        fa.retarget(tmp_path / "hand.csv", tree, {"index": MAP["index"]})
    with pytest.raises(fa.ForearmError, match="key points call it 'RingTip'"):
        fa.retarget(tmp_path / "hand.csv", tree, MAP | {"ring": ("Wrist", "ring_tip")})
