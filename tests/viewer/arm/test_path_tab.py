"""Paths are recorded, played and tracked."""

import re

import numpy as np
import pytest
from acting import PLANAR, act, error_of

import forearm as fa
from forearm.viewer.arm.track_words import track_card


def test_a_path_is_recorded_played_and_cleared(page):
    tab = page.path_tab
    act(page, tab._toggle_recording)
    for angle in (0.1, 0.2, 0.3):
        act(page, page.drag, PLANAR.fk([angle, 0.5, 0.5]))
    act(page, tab._toggle_recording)
    assert len(tab.poses) == 4
    assert not tab.play.disabled
    tab._toggle_playing()
    while page.tick() is not None:
        page.refresh()
    page.refresh()
    np.testing.assert_array_equal(page.problem.T, tab.poses[-1])
    assert error_of(page) < 2e-6
    act(page, tab._clear)
    assert tab.play.disabled


def record(page, poses):
    """Drags the target along poses while recording."""
    act(page, page.path_tab._toggle_recording)
    for T in poses:
        act(page, page.drag, T)
    act(page, page.path_tab._toggle_recording)


def play(page):
    """Plays to the end; gives all joint values the arm was shown at."""
    page.path_tab._toggle_playing()
    shown = []
    while page.tick() is not None:
        page.refresh()
        shown.append(page.arm.shown)
    page.refresh()
    return np.array([*shown, page.arm.shown])


def test_a_recorded_path_is_tracked_and_the_track_is_played(page):
    tab = page.path_tab
    way = np.linspace([0.3, 0.9, 0.4], [0.9, 1.2, 0.1], 8)
    act(page, page.drag, PLANAR.fk(way[0]))
    record(page, PLANAR.fk(way))
    act(page, tab._make_track)
    assert tab.track.complete
    assert "Tracked to the end" in tab.status.content
    assert tab.chart.content.count("<polyline") == 3
    assert not tab.stop.visible
    np.testing.assert_allclose(PLANAR.fk(tab.track.q_at_waypoints), tab.poses, atol=2e-6)
    shown = play(page)
    assert not tab.playing
    assert "Tracked to the end" in tab.status.content
    np.testing.assert_allclose(shown[-1], tab.track.q[-1])
    low, high = tab.track.q.min(axis=0) - 1e-12, tab.track.q.max(axis=0) + 1e-12
    assert ((shown >= low) & (shown <= high)).all()  # no other branch on the way
    assert "On the track" in page.verdict.content
    act(page, page.solve_tab._set_goal, "position only")  # other conditions
    assert tab.track is None
    act(page, tab._make_track)
    assert tab.track.complete


def test_a_track_that_stops_says_where_and_why(page):
    way = np.linspace([0.3, 0.9, 0.4], [0.9, 1.2, 0.1], 6)
    poses = PLANAR.fk(way)
    poses[4:, 0, 3] += 0.5
    act(page, page.drag, poses[0])
    record(page, poses)
    tab = page.path_tab
    play(page)
    assert "could not be met" in tab.status.content
    act(page, tab._make_track)
    assert tab.track.status is fa.Status.OUT_OF_REACH
    assert tab.track.stopped_at == 5  # the first pose is noted when recording begins
    assert "The track stops at way-point 5: out of reach" in tab.status.content
    assert tab.chart.content.count("<polyline") == 3
    assert "<line" in tab.chart.content  # where it stops
    assert tab.stop.visible
    np.testing.assert_allclose(tab.stop.position, tab.poses[tab.track.stopped_at][:3, 3])
    play(page)
    np.testing.assert_allclose(page.arm.shown, tab.track.q[-1])
    act(page, tab._clear)
    assert not tab.stop.visible
    assert tab.chart.content == ""


@pytest.mark.compiled
def test_a_track_keeps_clear_of_obstacles_too(arm_page):
    page = arm_page("ur5")
    tab, T = page.path_tab, page.problem.T
    poses = np.tile(T, (5, 1, 1))
    poses[:, 1, 3] += np.linspace(0.0, 0.1, 5)
    act(page, page.obstacles_tab.add, "sphere")
    record(page, poses)
    act(page, page.obstacles_tab._drag, page.obstacles_tab.things[0], poses[3])  # round a way-point
    act(page, tab._make_track)
    assert tab.track.status is fa.Status.COLLISION
    assert "sphere 1" in tab.status.content


def test_a_track_says_which_joint_is_too_fast():
    arm = fa.load("ur5")
    way = np.linspace([0.3, -1.2, 1.5, -0.4, 1.0, 0.2], [0.9, -1.0, 1.2, -0.4, 1.0, 0.2], 6)
    slow, fast = (arm.track(arm.fk(way), way[0], times=np.linspace(0.0, end, 6)) for end in (10.0, 0.1))
    assert "No joint is too fast" in track_card(slow)
    assert re.search("shoulder_pan_joint is [0-9.]+ times too fast .* [0-9.]+ s would do", track_card(fast))
    untimed = arm.track(arm.fk(way), way[0])
    assert "too fast" not in track_card(untimed)
