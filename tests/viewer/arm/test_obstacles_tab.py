"""An arm keeps clear of what is dragged against it."""

from itertools import pairwise

import numpy as np
import pytest
from acting import act

import forearm as fa
from forearm.results.solution import Clearance
from forearm.scenes import Cylinder
from forearm.viewer.arm.obstacles_tab import closest_words
from forearm.viewer.shared.obstacles_tab import body
from forearm.viewer.shared.theme import TOUCHED
from forearm.viewer.shared.words import title_of


def gap_to_sphere(robot, q, sphere):
    """From the capsules of the skeleton to a sphere, by points along them [m]; the first link is mounted."""
    radius = 0.04 * robot.reach
    points = robot.fk_all(q)[:, :3, 3]
    along = np.linspace(0.0, 1.0, 401)[:, None]
    line = np.concatenate([a + along * (b - a) for a, b in pairwise(points)])
    return np.linalg.norm(line - sphere.center, axis=1).min() - sphere.radius - radius


def test_an_arm_keeps_clear_of_what_is_dragged_against_it(arm_page):
    page = arm_page("iiwa14")
    tab = page.obstacles_tab
    assert "No obstacles" in tab.status.content
    arm, T = page.problem.arm, page.problem.T.copy()
    act(page, tab.add, "sphere")
    elbow = np.eye(4)
    elbow[:3, 3] = arm.fk_all(page.problem.q)[2, :3, 3]
    before = page.problem.q.copy()
    act(page, tab._drag, tab.things[0], elbow)
    assert page.answer.solution.success
    assert "Solved" in page.verdict.content
    assert np.abs(page.problem.q - before).max() > 0.05
    np.testing.assert_allclose(arm.fk(page.problem.q), T, atol=2e-6)
    gap = gap_to_sphere(arm, page.problem.q, tab.things[0].solid())
    assert gap >= page.problem.clearance - 1e-3  # by points 1 mm apart
    assert "Clear" in tab.status.content
    assert "sphere 1" in tab.status.content
    act(page, tab._set_hull, True)
    np.testing.assert_array_equal(tab.hull.shown, page.problem.q)
    act(page, page.solve_tab._set_method, "ccd")
    assert "solved by auto, not by ccd" in tab.status.content
    act(page, tab._set_itself, False)
    assert page.answer.solution.success
    act(page, tab._remove)
    assert page.problem.scene is None
    assert page.answer.solution.method == "ccd"


@pytest.mark.compiled
def test_a_collision_is_said_in_words_with_the_obstacle(arm_page):
    page = arm_page("ur5")
    tab = page.obstacles_tab
    act(page, tab.add, "box")
    act(page, tab._drag, tab.things[0], page.problem.T)  # round the target itself
    assert page.answer.solution.status is fa.Status.COLLISION
    assert "An obstacle is in the way" in page.verdict.content
    assert "with the largest clearance" in page.verdict.content
    assert "box 1" in page.verdict.content
    assert "Touching" in tab.status.content
    assert tab.things[0].body.color == TOUCHED
    np.testing.assert_allclose(page.problem.arm.fk(page.problem.q), page.problem.T, atol=2e-6)
    act(page, page.tabs.open, "Branches")
    found = page.branches_tab.found
    assert f"{len(found)} of them would touch something" in page.branches_tab.status.content
    for _ in range(3):  # there is no more than one to take away
        act(page, tab._remove)
    assert "Solved" in page.verdict.content
    assert "would touch" not in page.branches_tab.status.content


def test_a_cylinder_is_drawn_as_large_as_it_is(arm_page):
    page = arm_page("ur5")
    act(page, page.obstacles_tab.add, "cylinder")
    thing = page.obstacles_tab.things[0]
    solid, corners = thing.solid(), body("cylinder", thing.size)[0]
    assert isinstance(solid, Cylinder)
    assert np.linalg.norm(corners[:, :2], axis=1).max() == pytest.approx(solid.radius)
    assert np.ptp(corners[:, 2]) == pytest.approx(np.linalg.norm(np.subtract(solid.b, solid.a)))
    assert page.answer.solution.success


@pytest.mark.parametrize("goal", ["pose", "position only", "point and tool axis", "orientation only"])
def test_every_kind_of_target_goes_with_obstacles(arm_page, goal):
    page = arm_page("iiwa14")
    act(page, page.solve_tab._set_goal, goal)
    act(page, page.branches_tab._turn, 10.0)
    act(page, page.obstacles_tab.add, "capsule")
    elbow = np.eye(4)
    elbow[:3, 3] = page.problem.arm.fk_all(page.problem.q)[2, :3, 3] + [0.0, 0.1, 0.0]
    act(page, page.obstacles_tab._drag, page.obstacles_tab.things[0], elbow)
    solution = page.answer.solution
    assert solution.success
    measured = page.problem.arm.clearance(page.problem.q, page.problem.scene)
    assert measured.distance == pytest.approx(solution.clearance, abs=1e-9)
    assert solution.clearance >= page.problem.clearance - 1e-9
    assert "The swivel angle is not held" in page.obstacles_tab.status.content


def test_an_arm_that_would_touch_itself_is_told_so():
    class Touching:
        status = fa.Status.COLLISION
        closest = Clearance(-0.01, "elbow", "base", None)

    assert title_of(Touching()) == "The arm would touch itself"
    assert closest_words(Touching.closest) == "Link elbow is <b>10.0 mm inside</b> link base."
    assert closest_words(Clearance(np.inf, "", "", None)) == "Nothing is near."
    touching = Clearance(-0.01, "elbow", "base", None, charted=True)
    assert closest_words(touching) == "Link elbow <b>touches</b> link base."


def test_an_obstacle_that_is_added_is_in_view(page):
    before = page.extent()
    act(page, page.obstacles_tab.add, "box")
    thing = page.obstacles_tab.things[0]
    assert page.extent().max(axis=0)[1] >= thing.T[1, 3] + thing.gizmo.scale - 1e-9 > before.max(axis=0)[1]


def test_obstacles_that_were_given_are_brought_into_view_as_far_as_they_are_near(arm_page):
    page = arm_page("ur5")
    things = {"post": fa.Capsule([0.4, -0.6, 0.0], [0.4, -0.6, 0.5], 0.05), "floor": fa.scenes.HalfSpace([0, 0, -0.1])}
    act(page, page.obstacles_tab.give, things)
    seen = page.obstacles_tab.extent()
    np.testing.assert_allclose(seen[:8].min(axis=0), [0.35, -0.65, -0.05], atol=1e-3)
    np.testing.assert_allclose(seen[:8].max(axis=0), [0.45, -0.55, 0.55], atol=1e-3)
    assert np.abs(seen).max() <= page.size
