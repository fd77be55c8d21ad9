"""Chains and skeletons follow their targets."""

from itertools import pairwise

import numpy as np
import pytest
from acting import act

from forearm.viewer.bones.cones import cone_angles, socket_axes
from forearm.viewer.bones.figures import upper_body
from forearm.viewer.bones.page import BonesPage
from forearm.viewer.bones.problem import BonesProblem


def test_a_chain_follows_with_cones_pole_and_obstacles(chain_page):
    page, tab = chain_page, chain_page.bones_tab
    T = np.eye(4)
    T[:3, 3] = 0.3, 0.3, 0.6
    act(page, page.drag, "tip", T)
    np.testing.assert_allclose(page.problem.points[-1], T[:3, 3], atol=2e-6)
    act(page, tab._set_pole, True)
    assert page.answer.solution.success
    act(page, tab._set_angle, 50.0)
    bones = np.diff(page.problem.points, axis=0)
    cosines = np.sum(bones[1:] * bones[:-1], axis=1) / (np.linalg.norm(bones, axis=1)[1:] ** 2)
    assert np.degrees(np.arccos(cosines.clip(-1, 1))).max() <= 50.0 + 1e-6
    assert tab.with_cones.visible
    frames = page.answer.solution.frames
    axes = socket_axes(page.problem.figure.bones, frames)
    swings = np.arccos(np.sum(axes * frames[:, :, 0], axis=1).clip(-1, 1))
    assert np.degrees(swings).max() <= 50.0 + 1e-6  # every bone is inside the cone that is drawn
    np.testing.assert_allclose(axes[1:], frames[:-1, :, 0], atol=1e-9)  # of an upright rest pose
    drawn = tab.cones.groups[0][1]
    np.testing.assert_allclose(drawn.batched_positions, page.problem.points[:-1], atol=1e-6)
    act(page, tab._set_angle, 180.0)
    act(page, tab._set_pole, False)
    act(page, tab._go_home)
    np.testing.assert_allclose(page.problem.points[-1], page.problem.home[-1], atol=2e-6)


def test_a_chain_goes_round_an_obstacle(chain_page):
    page = chain_page
    act(page, page.obstacles_tab.add, "sphere")
    middle = np.eye(4)
    middle[:3, 3] = page.problem.points[3]
    act(page, page.obstacles_tab._drag, page.obstacles_tab.things[0], middle)
    assert page.answer.solution.success
    sphere = page.problem.obstacles[0]
    points = page.problem.points
    along = np.linspace(0.0, 1.0, 101)[:, None]
    line = np.concatenate([a + along * (b - a) for a, b in pairwise(points)])
    gap = np.linalg.norm(line - sphere.center, axis=1).min() - sphere.radius - page.problem.thickness
    assert gap >= -1e-6
    assert gap == pytest.approx(page.answer.solution.clearance, abs=1e-3)
    for kind in ("capsule", "box"):
        act(page, page.obstacles_tab.add, kind)
    assert len(page.problem.obstacles) == 3
    for _ in range(4):
        act(page, page.obstacles_tab._remove)
    assert not page.problem.obstacles


@pytest.mark.parametrize("method", ["fabrik", "bezier"])
def test_chains_are_solved_by_either_method(chain_page, method):
    act(chain_page, chain_page.bones_tab._set_method, method)
    T = np.eye(4)
    T[:3, 3] = 0.2, 0.4, 0.5
    act(chain_page, chain_page.drag, "tip", T)
    assert chain_page.answer.solution.method.startswith(method)
    np.testing.assert_allclose(chain_page.problem.points[-1], T[:3, 3], atol=2e-6)
    lengths = np.linalg.norm(np.diff(chain_page.problem.points, axis=0), axis=1)
    np.testing.assert_allclose(lengths, 1.0 / 6.0, atol=1e-9)


def test_a_skeleton_brings_both_hands_to_their_targets(server):
    body = upper_body()
    page = BonesPage(server, BonesProblem(body, 0.02), 1.0)
    page.worker.close()
    assert page.obstacles_tab is None  # nothing is offered that would do nothing
    for name in ("left forearm", "right forearm"):
        T = np.eye(4)
        T[:3, 3] = page.problem.targets[name] + [0.05, 0.0, 0.1]
        act(page, page.drag, name, T)
    assert page.answer.solution.success
    for name in ("left forearm", "right forearm", "head"):
        end = page.problem.points[body.bone_names.index(name) + 1]
        np.testing.assert_allclose(end, page.problem.targets[name], atol=1e-5)
    solution, tab = page.answer.solution, page.bones_tab
    angles, axes = cone_angles(body.bones), socket_axes(body.bones, solution.frames)
    swings = np.arccos(np.sum(axes * solution.frames[:, :, 0], axis=1).clip(-1, 1))
    assert np.isfinite(angles).sum() == 9
    assert (swings[np.isfinite(angles)] <= angles[np.isfinite(angles)] + 1e-6).all()
    assert len(tab.cones.groups) == 4  # as many different angles

    assert not tab.with_pole.visible  # a pole goes with one tip
    act(page, tab._set_tip, "head", False)
    act(page, tab._set_tip, "left forearm", False)
    act(page, tab._set_tip, "right forearm", False)  # the last one stays
    assert page.problem.wanted == ("right forearm",)
    assert tab.tips["right forearm"].value
    assert not page.handles["head"].visible
    assert tab.with_pole.visible
    before = page.problem.points.copy()
    tab.with_pole.value = True
    act(page, tab._set_pole, True)
    T = np.eye(4)
    T[:3, 3] = page.problem.points[body.bone_names.index("right upper arm") + 1] + [0.0, -0.5, 0.3]
    act(page, tab._drag_pole, T)
    assert np.abs(page.problem.points - before).max() > 1e-3
    tip, target = page.problem.ends()
    np.testing.assert_allclose(tip, target, atol=1e-5)
    act(page, page.tabs.open, "Steps")
    assert page.steps_tab.player is not None
    act(page, page.tabs.open, "Steps")
    act(page, tab._set_tip, "head", True)
    assert page.problem.pole is None
    assert not tab.with_pole.value
    server.scene.reset()
    server.gui.reset()


def test_the_view_holds_the_handles_of_the_targets(chain_page):
    gizmo = chain_page.stage.gizmo
    top = gizmo.position[2] + gizmo.scale
    assert chain_page.extent()[:, 2].max() >= top - 1e-9


def test_cones_that_are_shown_are_in_view(chain_page):
    page, tab = chain_page, chain_page.bones_tab
    assert len(tab.extent()) == 0
    act(page, tab._set_angle, 60.0)
    rims, drawn = tab.extent(), tab.cones.groups[0][1]
    far = np.linalg.norm(rims[:, None] - np.array(drawn.batched_positions), axis=2).min(axis=1)
    np.testing.assert_allclose(far.max(), tab.cones._sizes[0], rtol=1e-5)
    assert len(page.extent()) > len(rims)
    tab.with_cones.value = False
    assert len(tab.extent()) == 0
