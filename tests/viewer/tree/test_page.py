"""The page of a robot with several tips, its thread's work done here; judged by forward kinematics."""

from pathlib import Path

import numpy as np
import pytest
from acting import act

import forearm as fa
from forearm.errors import ForearmError
from forearm.goals import CenterOfMass, Goal, LookAt, Relative
from forearm.viewer.shared.rotations import pose_of
from forearm.viewer.shared.theme import REFINED
from forearm.viewer.show import Collected
from forearm.viewer.tree.figure import first_tips, tree_pieces
from forearm.viewer.tree.page import TreePage
from forearm.viewer.tree.problem import TreeProblem
from forearm.viewer.tree.words import in_conflict
from motions import squat, walk

EXAMPLES = Path(__file__).parents[3] / "examples"
HANDS = ("left_hand", "right_hand")
pytestmark = pytest.mark.compiled


@pytest.fixture
def open_page(server):
    def make(tree, wishes=None, q=None):
        page = TreePage(server, TreeProblem(tree, wishes, q), tree_pieces(tree.body)[0])
        page.worker.close()
        return page

    yield make
    server.scene.reset()
    server.gui.reset()


def two_arms(base="fixed"):
    return fa.Tree.from_urdf(EXAMPLES / "two_arms.urdf", base=base)


def off(page, name):
    """From a link to where its goal is wanted, by forward kinematics [m]."""
    problem = page.problem
    T = problem.tree.fk(problem.q, problem.wishes[name].link, problem.base)
    return np.linalg.norm(T[:3, 3] - problem.poses[name][:3, 3])


def shifted(page, name, *way):
    T = page.problem.poses[name].copy()
    T[:3, 3] += way
    return T


def test_the_ends_of_arms_and_legs_are_dragged_at_first():
    assert first_tips(two_arms().body) == list(HANDS)
    humanoid = fa.Tree.from_urdf(EXAMPLES / "humanoid.urdf", base="free")
    tips = first_tips(humanoid.body)
    assert len(tips) == 4
    assert {tip.partition("_")[0] for tip in tips} == {"left", "right"}


def test_a_base_that_is_dragged_drives_and_the_hands_stay(open_page):
    page = open_page(two_arms("planar"))
    act(page, page.drag, "base", shifted(page, "base", 0.08, 0.05, 0.0))
    np.testing.assert_allclose(page.problem.q[:2], [0.08, 0.05], atol=1e-6)
    assert all(off(page, hand) < 2e-6 for hand in HANDS)
    assert page.handles["base"].active_axes == (True, True, False)


def test_a_conflict_is_told_in_words_and_colour_and_levels_settle_it(open_page):
    page = open_page(two_arms("planar"))
    act(page, page.drag, "left_hand", shifted(page, "left_hand", 2.5, 0.0, 0.0))
    assert {*HANDS} <= in_conflict(page.answer.solution)
    assert "in conflict with &#x27;right_hand&#x27;: their points are" in page.verdict.content
    assert page.balls["left_hand"].color == page.balls["right_hand"].color == REFINED
    assert off(page, "right_hand") > 1e-3
    page.tree_tab.rows["left_hand"]["level"].value = 3
    act(page, page.tree_tab._set_about, "left_hand")
    assert off(page, "right_hand") < 2e-6
    assert off(page, "left_hand") > 1e-3


def test_a_weight_decides_who_is_nearer(open_page):
    page = open_page(two_arms("planar"))
    act(page, page.drag, "left_hand", shifted(page, "left_hand", 2.5, 0.0, 0.0))
    before = off(page, "left_hand")
    page.tree_tab.rows["left_hand"]["weight"].value = 10.0
    act(page, page.tree_tab._set_about, "left_hand")
    assert off(page, "left_hand") < before


def test_a_goal_that_is_not_asked_has_no_handle_and_the_last_one_stays(open_page):
    page = open_page(two_arms())
    act(page, page.tree_tab._ask_for, "left_hand", False)
    assert not page.handles["left_hand"].visible
    assert page.answer.solution.goals == ("right_hand",)
    act(page, page.tree_tab._ask_for, "right_hand", False)
    assert page.tree_tab.rows["right_hand"]["asked"].value
    assert page.answer.solution.goals == ("right_hand",)


def test_goals_of_every_kind_have_handles_that_mean_them(open_page):
    tree = two_arms()
    q = TreeProblem(tree, None).q
    left, right = (tree.fk(q, hand) for hand in HANDS)
    wishes = [
        Goal("left_hand", left),
        Relative("right_hand", "left_hand", np.linalg.inv(left) @ right),
        LookAt("head", left[:3, 3], level=2),
    ]
    page = open_page(tree, wishes, q)
    assert page.handles["head"].disable_rotations
    act(page, page.drag, "left_hand", shifted(page, "left_hand", 0.05, 0.0, 0.05))
    held = np.linalg.inv(tree.fk(page.problem.q, "left_hand")) @ tree.fk(page.problem.q, "right_hand")
    np.testing.assert_allclose(held, np.linalg.inv(left) @ right, atol=2e-6)
    # its handle has gone with the other hand
    np.testing.assert_allclose(page.handles["right_hand"].position, right[:3, 3] + [0.05, 0.0, 0.05], atol=2e-6)
    act(page, page.drag, "right_hand", shifted(page, "right_hand", 0.0, 0.05, 0.0))
    held = np.linalg.inv(tree.fk(page.problem.q, "left_hand")) @ tree.fk(page.problem.q, "right_hand")
    assert np.linalg.norm(held[:3, 3] - (np.linalg.inv(left) @ right)[:3, 3]) == pytest.approx(0.05, abs=2e-6)


def test_a_humanoid_moves_its_centre_of_mass_over_a_point_when_it_is_asked(open_page):
    page = open_page(fa.Tree.from_urdf(EXAMPLES / "humanoid.urdf", base="free"))
    act(page, page.tree_tab._ask_for, "centre of mass", True)
    wanted = shifted(page, "centre of mass", 0.02, 0.0, 0.0)
    act(page, page.drag, "centre of mass", wanted)
    found = page.problem.tree.centre_of_mass(page.problem.q, page.problem.base)
    np.testing.assert_allclose(found[:2], wanted[:2, 3], atol=2e-6)


def test_a_joint_is_set_by_its_slider_and_the_goals_go_with_it(open_page):
    page = open_page(two_arms())
    k = page.problem.body.joint_names.index("left_elbow")
    act(page, page.tree_tab._set_joint, k, -40.0)
    assert page.problem.q[k] == pytest.approx(np.radians(-40.0))
    assert page.answer.solution.success
    act(page, page.go_home)
    np.testing.assert_allclose(page.problem.q, page.problem.home[0], atol=1e-6)


def test_a_joint_of_no_goal_stays_where_its_slider_puts_it(open_page):
    page = open_page(two_arms())
    if "head" in page.problem.wishes:
        page.problem.ask_for("head", False)
    idle = page.problem.stack.idle.tolist()
    assert idle
    for k in idle:
        act(page, page.tree_tab._set_joint, k, 8.0)
        act(page, page.drag, "left_hand", shifted(page, "left_hand", 0.01, 0.0, 0.0))
    assert np.allclose(page.problem.q[idle], np.radians(8.0))
    act(page, page.go_home)
    np.testing.assert_allclose(page.problem.q, page.problem.home[0], atol=1e-6)


def test_show_takes_a_tree_with_a_stack_or_a_solution_of_its_own():
    tree = two_arms()
    stack = tree.stack({"left_hand": tree.fk(tree.body.rest, "left_hand")})
    given = Collected((tree, stack, stack.solve(tree.body.rest)))
    assert given.tree is tree
    for things in ((stack,), (tree, "ur5"), (tree, two_arms().stack({"head": np.eye(4)}))):
        with pytest.raises(ForearmError, match="show"):
            Collected(things)


def test_a_support_is_kept_when_the_tables_are_made_anew(open_page):
    tree = fa.Tree.from_urdf(EXAMPLES / "humanoid.urdf", base="free")
    corners = np.array([[-0.1, -0.2], [0.2, -0.2], [0.2, 0.2], [-0.1, 0.2]])
    tip = first_tips(tree.body)[0]
    page = open_page(tree, [Goal(tip, tree.fk(tree.body.rest, tip)), CenterOfMass(support=corners)])
    page.problem.renew()
    assert page.problem.stack["centre of mass"].support is not None
    assert not page.handles["centre of mass"].visible


def test_what_is_drawn_is_where_forward_kinematics_has_it(open_page):
    page = open_page(fa.Tree.from_urdf(EXAMPLES / "humanoid.urdf", base="free"))
    problem, figure = page.problem, page.figure
    tip = next(iter(page.handles))
    for way in (0.05, 0.3, 1.5, 0.1):
        act(page, page.drag, tip, shifted(page, tip, way, 0.0, 0.1))
        frames = [pose_of(figure.root.wxyz, figure.root.position)]
        for row, node in zip(problem.body.rows, figure.nodes, strict=True):
            frames.append(frames[row.parent + 1] @ pose_of(node.wxyz, node.position))
        for link, (row, T) in problem.body.places.items():
            wanted = problem.tree.fk(problem.q, link, problem.base)
            np.testing.assert_allclose(frames[row + 1] @ T, wanted, atol=1e-4)  # viser sends no change below 1e-5


def test_a_motion_is_replayed_with_the_skeleton_as_a_ghost(server, monkeypatch):
    tree = fa.Tree.from_urdf(EXAMPLES / "humanoid.urdf", base="free")
    motion = fa.retarget(squat(1.0, 30.0), tree)
    problem = TreeProblem(tree, None, motion.q[0], motion.base[0])
    page = TreePage(server, problem, tree_pieces(tree.body)[0], motion)
    page.worker.close()
    replay = page.replay
    assert not any(gizmo.visible for gizmo in page.handles.values())
    replay._go(20)
    (ghost, joints), *_ = replay.ghosts
    assert np.allclose(ghost.balls.batched_positions, motion.ghost[20, joints], atol=1e-6)
    assert "frame 20" in replay.words.content
    now = [100.0]
    monkeypatch.setattr("forearm.viewer.tree.replay.time.monotonic", lambda: now[0])
    replay._go(0)
    assert page.tick() is None
    replay.toggle()
    now[0] += float(motion.times[10]) + 1e-6
    assert page.tick() is not None
    assert replay.at == 10
    now[0] += 100.0
    page.tick()
    assert replay.at == len(motion) - 1
    assert page.tick() is None  # it has ended
    replay.is_shown.value = False
    replay.draw()
    assert not ghost.root.visible
    server.scene.reset()
    server.gui.reset()


def test_all_the_way_of_a_motion_is_in_view_with_the_ghost_beside_it(server):
    tree = fa.Tree.from_urdf(EXAMPLES / "humanoid.urdf", base="free")
    motion = fa.retarget(walk(2.0, 30.0), tree)
    page = TreePage(server, TreeProblem(tree, None, motion.q[0], motion.base[0]), tree_pieces(tree.body)[0], motion)
    page.worker.close()
    for aside in (0.0, 1.5):
        page.replay.aside.value = aside
        low, high = page.extent().min(axis=0), page.extent().max(axis=0)
        for i in (0, len(motion) - 1):
            assert (low <= motion.base[i, :3, 3]).all()
            assert (motion.base[i, :3, 3] <= high).all()
            assert np.isclose(np.clip(motion.ghost[i] + [0.0, aside, 0.0], low, high)[:, 1].max() - aside,
                              motion.ghost[i][:, 1].max(), atol=1e-9)  # fmt: skip
    server.scene.reset()
    server.gui.reset()


def test_a_motion_is_shown_with_its_robot_only():
    tree = fa.Tree.from_urdf(EXAMPLES / "humanoid.urdf", base="free")
    motion = fa.retarget(squat(1.0, 30.0), tree)
    assert Collected((tree, motion)).motion is motion
    with pytest.raises(ForearmError, match="of another robot"):
        Collected((two_arms(), motion))
    with pytest.raises(ForearmError, match="no tree"):
        Collected((motion,))
