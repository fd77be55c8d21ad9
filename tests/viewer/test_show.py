"""`forearm.show`: what a program has is what the page shows."""

import threading
from pathlib import Path

import numpy as np
import pytest

import forearm as fa
from forearm.viewer.arm.problem import asked_of
from forearm.viewer.show import Collected

pytest.importorskip("viser")

UR5 = fa.load("ur5")
TWO_ARMS = Path(__file__).parents[2] / "examples/two_arms.urdf"
CHAIN = fa.Chain([[0.0, 0.0, 0.0], [0.0, 0.0, 0.4], [0.3, 0.0, 0.7]])


def test_a_solution_and_branches_know_their_robot():
    T = UR5.fk(UR5.home)
    assert Collected((UR5.solve(T),)).robot.joint_names == UR5.joint_names
    assert Collected((UR5.solve_all(T),)).robot.joint_names == UR5.joint_names
    assert Collected(("ur5",)).robot.name == "ur5"


def test_obstacles_come_as_scenes_mappings_or_alone():
    ball = fa.Sphere([0.4, 0.0, 0.4], 0.1)
    assert list(Collected((UR5, fa.scenes.Scene({"ball": ball}))).obstacles) == ["ball"]
    assert list(Collected((UR5, {"ball": ball}, ball)).obstacles) == ["ball", "obstacle 2"]


def test_joint_values_come_as_an_array_a_list_or_by_name():
    q = UR5.home
    for given in (q, q.tolist(), dict(zip(UR5.joint_names, q.tolist(), strict=True))):
        np.testing.assert_array_equal(Collected((UR5, given)).q, q)
        np.testing.assert_array_equal(Collected((given, "ur5")).q, q)
    tree = fa.Tree.from_urdf(TWO_ARMS)
    np.testing.assert_array_equal(Collected((tree, np.zeros(tree.n))).q, np.zeros(tree.n))


def test_targets_come_as_poses_or_as_targets():
    T = UR5.fk(UR5.home)
    np.testing.assert_array_equal(Collected((UR5, T)).target.goal, T)
    np.testing.assert_array_equal(Collected((UR5, UR5.home, T.tolist())).target.goal, T)
    for target in (fa.Pose(T), fa.Position([0.3, 0.2, 0.4]), fa.PointAxis([0.3, 0.2, 0.4], [0.0, 0.6, -0.8])):
        assert Collected((UR5, target)).target is target
        _, shown = asked_of(target, T)
        np.testing.assert_allclose(shown[:3, 3], target.goal[:3, 3])
    np.testing.assert_allclose(asked_of(fa.PointAxis([0.3, 0.2, 0.4], [0.0, 0.6, -0.8]), T)[1][:3, 2], [0, 0.6, -0.8])
    assert asked_of(fa.Orientation(np.eye(3)), T)[0] == "orientation only"


def test_files_come_by_their_path():
    path = Path(fa.__file__).parent / "models/robots/ur5.toml"
    assert Collected((path,)).robot.n == Collected((str(path),)).robot.n == UR5.n


def test_obstacles_come_in_a_list_too():
    assert Collected(("ur5", [fa.Sphere([0.4, 0.0, 0.4], 0.1), fa.Box([1, 0, 0], [1, 1, 1])])).obstacles.keys() == {
        "obstacle 1",
        "obstacle 2",
    }


NEAR = UR5.fk(UR5.home) + np.array([[0, 0, 0, 0], [0, 0, 0, 0.05], [0, 0, 0, 0], [0] * 4])
FAR = UR5.fk(UR5.home) + np.array([[0, 0, 0, 1.0], [0, 0, 0, 0], [0, 0, 0, 0], [0] * 4])


@pytest.mark.parametrize(
    ("things", "words", "holds"),
    [
        ((UR5, UR5.home + 0.1), "Solved", lambda page: np.allclose(page.problem.q, UR5.home + 0.1, atol=1e-5)),
        ((UR5, NEAR), "Solved", lambda page: np.allclose(UR5.fk(page.problem.q), NEAR, atol=2e-6)),
        ((UR5, fa.Position(NEAR[:3, 3])), "Solved", lambda page: page.solve_tab.goal.value == "position only"),
        ((UR5, FAR), "Out of reach", lambda page: np.allclose(page.stage.gizmo.position, FAR[:3, 3])),
        ((UR5.solve(FAR),), "Out of reach", lambda page: np.allclose(page.problem.q, UR5.solve(FAR).q)),
        ((UR5.solve(FAR), FAR), "Out of reach", lambda page: np.allclose(page.problem.T, FAR)),
    ],
)
def test_the_page_stands_and_asks_as_it_was_given(things, words, holds):
    with fa.show(*things, port=0, browser=False, block=False) as viewer:
        page = viewer._make_page(viewer.server)
        done = threading.Event()
        page.worker.add(done.set)  # behind what was given
        assert done.wait(60.0)
        page.close()
        page.refresh()
        assert words in page.verdict.content
        assert holds(page)


@pytest.mark.parametrize(
    ("things", "words"),
    [
        ((UR5, UR5.home[:5]), "takes 6 joint values"),
        ((UR5, [UR5.home, UR5.home]), "several answers, postures or poses"),
        ((UR5, np.eye(4)[None]), "several answers, postures or poses"),
        ((CHAIN, CHAIN.solve_batch([[0.4, 0.1, 0.1]])), r"several poses of bones.*track\[0\]"),
        ((UR5.solve_batch(UR5.fk(UR5.home)[None]),), r"show\(batch\[0\]\)"),
        ((UR5.home,), r"no robot; give it too, as in show\(arm, q\)"),
        ((CHAIN, [0.1, 0.2]), "the pose of bones as solve gave it"),
        (("planar-3", UR5.solve(UR5.fk(UR5.home))), "the solution is of 6 joints, planar-3 has 3"),
        ((TWO_ARMS,), r"choose tip=.*show\(fa.Tree.from_urdf\(.*\)\) for all of it"),
        ((UR5, fa.PointAxis([0.3, 0.2, 0.4], [0.0, 0.0, 1.0], tool_axis=[1.0, 0.0, 0.0])), "the z axis of the tip"),
        ((), "show takes a robot"),
        ((3,), "show cannot show 3, of type int"),
        ((UR5, CHAIN), "a robot or bones, not both"),
        ((fa.Sphere([0.0, 0.0, 0.0], 0.1),), "given no robot"),
        ((UR5, fa.load("planar-3").track([np.eye(4)], q0=[0.0, 0.0, 0.0])), "the track is of 3 joints"),
        ((CHAIN.solve([0.2, 0.0, 0.5]),), "give them too"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(things, words):
    with pytest.raises(fa.ForearmError, match=words):
        fa.show(*things, port=0, browser=False, block=False)


def test_a_viewer_says_where_it_is_and_stands_in_a_notebooks_frame():
    with fa.show("ur5", port=0, browser=False, block=False) as viewer:
        assert repr(viewer) == f"Viewer('ur5' at {viewer.url})"
        assert f'src="{viewer.url}"' in viewer._repr_html_()


def test_a_chain_in_a_plane_is_refused():
    with pytest.raises(fa.ForearmError, match="plot them"):
        fa.show(fa.Chain([[0.0, 0.0], [1.0, 0.0]]), port=0, browser=False, block=False)
