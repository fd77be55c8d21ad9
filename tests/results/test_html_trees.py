"""What whole robots and their answers show in a notebook: parsed, and compared with the things themselves."""

from html import escape
from pathlib import Path

import numpy as np
import pytest
from shown_page import shown

import forearm as fa

EXAMPLES = Path(__file__).parents[2] / "examples"
NASTY = "<script>alert(1)</script>&"


def two_arms(name="arm", joint="j"):
    """A root with two planar arms of two links each, in the plane of y and z."""
    text = '<link name="root"/>'
    for side, way in (("left", 1.0), ("right", -1.0)):
        for k in range(3):
            text += f'<link name="{side}{k}"/>'
            above, y, z = ("root", way, 0.0) if k == 0 else (f"{side}{k - 1}", 0.0, 0.5)
            kind, child = "fixed" if k == 2 else "revolute", f"{side}{k}"
            text += (
                f'<joint name="{escape(joint)}{child}" type="{kind}"><parent link="{above}"/><child link="{child}"/>'
                f'<origin xyz="0 {y} {z}"/><axis xyz="1 0 0"/>'
                '<limit lower="-2" upper="2" velocity="3" effort="1"/></joint>'
            )
    return fa.Tree.from_urdf(f'<robot name="{escape(name)}">{text}</robot>')


TREE = two_arms()
Q = np.array([0.3, 0.4, -0.2, 0.5])
GOALS = {"left2": fa.Position(TREE.fk(Q, "left2")[:3, 3]), "right2": fa.Position(TREE.fk(Q, "right2")[:3, 3])}


def places(rows, name):
    """Where a link is at rows of joint values, as targets."""
    return [fa.Position(TREE.fk(q, name)[:3, 3]) for q in rows]


def drawn(page, view):
    """The dots of one view."""
    dots = [(float(at["cx"]), float(at["cy"])) for tag, at in page.tags if tag == "circle" and at.get("fill") != "none"]
    return np.array(dots).reshape(3, -1, 2)[view]


def test_a_tree_shows_its_joints_and_stands_where_forward_kinematics_has_it():
    page = shown(TREE)
    assert page.words[0] == "arm: 4 joints"
    assert page.row("jleft0")[2:4] == ["-114.6°", "114.6°"]
    assert page.count("details") == 0
    front = drawn(page, 0)  # y to the right, z up
    points = np.array([[0, 0], [1, 0], [1, 0.5], [-1, 0], [-1, 0.5]])
    scale = 134.0 / 2.0
    np.testing.assert_allclose(front - front[0], points * [scale, -scale], atol=0.2)
    assert (
        shown(fa.Tree.from_urdf("examples/humanoid.urdf", base="free")).count("details") == 1
    )  # many joints are folded


def test_a_stack_lists_its_goals():
    from forearm.goals import Goal, LookAt, Posture

    stack = TREE.stack([Goal("left2", GOALS["left2"], weight=2.5), LookAt("right2", [0, 0, 3], level=2), Posture(Q)])
    page = shown(stack)
    assert page.row("left2") == ["left2", "Goal", "1", "2.5"]
    assert page.row("right2") == ["right2", "LookAt", "2", "1"]
    assert page.row("posture") == ["posture", "Posture", "", ""]
    assert repr(stack) == "Stack('arm', goals: left2, right2)"


def test_an_answer_tells_of_every_goal_and_joint():
    found = TREE.solve(GOALS, Q)
    page = shown(found)
    assert page.words[0] == "Solved"
    for name, error in found.errors.items():
        assert page.row(name) == [name, "met", f"{error.position:.3g} m", f"{error.rotation:.3g} rad"]
    for name, value in found.as_dict().items():
        assert float(page.row(name)[1]) == pytest.approx(value, rel=1e-5)
    far = TREE.solve(GOALS | {"left2": fa.Position([0.0, 9.0, 0.0])}, Q)
    page = shown(far)
    assert far.reason in page.text
    assert page.row("left2")[1] == "missed"
    assert page.row("right2")[1] == "met"


def test_joints_at_a_limit_are_marked():
    one = TREE.stack({"left2": fa.Position([0.0, 1.0, -1.0])})  # below its shoulder, where it cannot turn to
    found = one.solve(Q)
    assert found.held
    for name in found.held:
        side = "upper" if found.as_dict()[name] > 0 else "lower"
        assert shown(found).row(name)[2] == f"at its {side} limit"


def test_a_batch_tells_how_often_each_goal_is_met():
    stack = TREE.stack(GOALS)
    points = {name: places(TREE.sample(6), name) for name in GOALS}
    points["left2"][:2] = [fa.Position([0.0, 9.0, 0.0])] * 2
    batch = stack.solve_batch(points)
    page = shown(batch)
    assert page.row("left2")[1] == "4 of 6"
    assert page.row("right2")[1] == "6 of 6"
    assert page.row("left2")[2] == f"{batch.errors['left2'][:, 0].max():.3g} m"
    assert repr(batch).startswith("TreeBatch(4 of 6 solved by tree")
    assert shown(stack.solve_batch({name: [] for name in GOALS})).count("table") == 2


def test_a_track_draws_its_joints_and_marks_jumps():
    stack = TREE.stack(GOALS)
    path = np.linspace(Q, Q + 0.2, 9)
    points = {name: places(path, name) for name in GOALS}
    track = stack.track(points, Q)
    page = shown(track)
    assert page.words[0] == "Tracked to the end"
    assert page.row("way-points met")[1] == "9 of 9"
    assert page.count("polyline") == 4
    assert "jleft0" in page.text
    assert repr(track) == f"TreeTrack(9 way-points: {track.reason})"
    hurried = stack.track(points, Q, max_joint_step=1e-3)
    assert hurried.jumps
    assert shown(hurried).count("line") == len(hurried.jumps)
    assert shown(hurried).words[0] == "Tracked with gaps"


def test_a_servo_shows_where_it_is():
    servo = TREE.stack(GOALS).servo(Q, rate=100.0)
    servo()
    page = shown(servo)
    assert page.words[0] == "arm: its goals can be met"
    assert float(page.row("jleft0")[1]) == pytest.approx(servo.q[0], rel=1e-5)
    assert repr(servo) == "TreeServo('arm', 100 Hz, met)"


def test_names_of_a_file_are_escaped():
    tree = two_arms(NASTY, NASTY)
    stack = tree.stack([fa.goals.Goal("left2", GOALS["left2"], name=NASTY)])
    servo = stack.servo(Q, rate=10.0)
    servo({NASTY: fa.Position([0.0, 9.0, 0.0])})
    track = stack.track({NASTY: places(np.array([Q, Q + 0.1]), "left2")}, max_joint_step=1e-3)
    batch = stack.solve_batch({NASTY: [fa.Position([0.0, 9.0, 1.0])]})
    for thing in (tree, stack, stack.solve(), batch, track, servo):
        page = shown(thing)
        assert page.count("script") == 0
        assert NASTY in page.text
