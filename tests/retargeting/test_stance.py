"""When a foot stands, and that it is held there."""

import numpy as np

from forearm.retargeting.stance import Stance, find_stances, planted, standing

UP = np.array([0.0, 0.0, 1.0])
TIMES = np.arange(61) / 30.0


def a_step():
    """A foot that rocks where it stands, swings by 0.5 m in 0.4 s, and stands again."""
    share = np.clip((TIMES - 0.8) / 0.4, 0.0, 1.0)
    s = share**3 * (10.0 - 15.0 * share + 6.0 * share**2)
    rock = 0.004 * np.sin(9.0 * TIMES)
    return np.stack([0.5 * s + rock, 0.0 * s, 0.1 * np.sin(np.pi * share) ** 2], axis=1)


def test_a_foot_stands_before_and_behind_its_swing():
    first, second = find_stances(a_step(), TIMES, UP, 0.9)
    assert first.first == 0
    assert second.last == 60
    assert 20 <= first.last <= 27
    assert 34 <= second.first <= 41


def test_a_planted_foot_does_not_slide_and_leaves_without_a_jump():
    points = a_step()
    T = np.tile(np.eye(4), (61, 1, 1))
    T[:, :3, 3] = points + np.array([0.0, 0.0, 0.02])
    stances = find_stances(points, TIMES, UP, 0.9)
    held = planted(T, stances, TIMES, UP, np.eye(4))
    for stance in stances:
        assert np.ptp(held[stance.first : stance.last + 1, :3, 3], axis=0).max() < 1e-9
        np.testing.assert_allclose(held[stance.first, 2, 3], 0.0, atol=1e-9)
    assert np.abs(np.diff(held[:, :3, 3], axis=0)).max() < 0.09  # the swing itself is as fast
    assert (held[:, 2, 3] > -1e-12).all()


def test_stances_that_blend_into_each_other_keep_their_places():
    T = np.tile(np.eye(4), (61, 1, 1))
    T[:, 0, 3] = np.linspace(0.0, 1.0, 61)
    stances = [Stance(5, 28), Stance(30, 50)]  # a swing of one frame
    held = planted(T, stances, TIMES, UP, np.eye(4))
    for stance in stances:
        assert np.ptp(held[stance.first : stance.last + 1, 0, 3]) < 1e-9
    assert standing(stances, 61).sum() == 45
