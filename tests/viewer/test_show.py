"""`forearm.show`: what a program has is what the page shows."""

import numpy as np
import pytest

import forearm as fa
from forearm.viewer.show import Collected

pytest.importorskip("viser")

UR5 = fa.load("ur5")
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


@pytest.mark.parametrize(
    ("things", "words"),
    [
        ((), "show takes a robot"),
        ((3,), "show cannot show 3, a int"),
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
