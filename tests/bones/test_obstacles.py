"""What a chain takes as obstacles, and what it calls them."""

import numpy as np
import pytest

import forearm as fa

CHAIN = fa.Chain([[0, 0, 0], [0, 0, 1], [0, 0, 2], [0, 0, 3]])
FLAT = fa.Chain([[0, 0], [0, 1], [0, 2], [0, 3]])
BALL = fa.Sphere([0.6, 0.0, 0.9], 0.3)
POST = fa.Capsule([0.8, -1.0, 1.5], [0.8, 1.0, 1.5], 0.1)
TARGET = np.array([1.5, 0.0, 1.2])


@pytest.mark.parametrize("method", ["fabrik", "bezier"])
def test_a_list_a_mapping_and_a_scene_give_the_same_pose(method):
    """A scene was refused: there were two classes of that name."""
    given = [[BALL, POST], {"ball": BALL, "post": POST}, fa.scenes.Scene([BALL, POST])]
    poses = [CHAIN.solve(TARGET, method=method, obstacles=each, clearance=0.01) for each in given]
    assert poses[0].success
    for pose in poses[1:]:
        np.testing.assert_array_equal(pose.points, poses[0].points)
        assert (pose.clearance, pose.link, pose.obstacle) == (poses[0].clearance, poses[0].link, poses[0].obstacle)


def test_a_batch_takes_a_scene():
    batch = CHAIN.solve_batch(TARGET[None], obstacles=fa.scenes.Scene({"ball": BALL}), clearance=0.01)
    single = CHAIN.solve(TARGET, obstacles=[BALL], clearance=0.01)
    np.testing.assert_array_equal(batch.points[0], single.points)


@pytest.mark.parametrize("obstacles", [{"ball": BALL}, fa.scenes.Scene({"ball": BALL})])
def test_verdicts_use_the_names_of_the_scene(obstacles):
    pose = CHAIN.solve([0.6, 0.0, 0.9], obstacles=obstacles)
    assert pose.status is fa.Status.COLLISION
    assert "the target is inside 'ball', 0.3 m deep" in pose.reason
    assert "from 'ball'" in pose.reason


def test_a_chain_in_a_plane_takes_a_scene_of_the_plane():
    disc = fa.Sphere([0.5, 0.9], 0.2)
    named = FLAT.solve([1.2, 1.2], obstacles=fa.scenes.Scene({"disc": disc}, dim=2))
    np.testing.assert_array_equal(named.points, FLAT.solve([1.2, 1.2], obstacles=[disc]).points)


@pytest.mark.parametrize(
    ("obstacles", "words"),
    [
        ({"floor": fa.scenes.HalfSpace([0, 0, -1])}, "'floor' is a HalfSpace; a chain takes fa.Sphere"),
        (fa.scenes.Scene({"dust": fa.scenes.PointCloud([[1, 1, 1]], 0.1)}), "'dust' is a PointCloud; a chain takes"),
        ([fa.Sphere([0, 0], 1.0)], r"obstacle 0 \(circle\) has 2 coordinates; .* in space: give it 3"),
        (fa.scenes.Scene([fa.Sphere([0, 0], 1.0)], dim=2), "2 coordinates; .* in space: give it 3"),
        ({"ball": 3}, "'ball' is 3; obstacles are"),
        (3, "takes a list, a mapping from names, or a Scene"),
    ],
)
def test_shapes_that_no_chain_knows_are_refused_by_name(obstacles, words):
    with pytest.raises(fa.errors.OptionError, match=words):
        CHAIN.solve(TARGET, obstacles=obstacles)


def test_an_arm_refuses_a_scene_of_the_plane():
    with pytest.raises(fa.errors.OptionError, match="give it 3"):
        fa.load("ur5").clearance(np.zeros(6), fa.scenes.Scene([fa.Sphere([0, 0], 1.0)], dim=2))
