"""Times that keep speeds and accelerations."""

import numpy as np

from forearm.retargeting.pace import paced


def test_a_slow_motion_keeps_its_times():
    t = np.linspace(0.0, 2.0, 61)
    Q = 0.1 * np.sin(t)[:, None]
    np.testing.assert_array_equal(paced(Q, t, np.array([1.0]), np.array([10.0])), t)


def test_speeds_and_accelerations_hold_and_time_is_stretched_only_where_it_must():
    t = np.linspace(0.0, 4.0, 241)
    Q = np.stack([0.5 * np.tanh(12.0 * (t - 2.0)), 0.2 * np.sin(t)], axis=1)
    fastest, hardest = np.array([3.0, 3.0]), np.array([20.0, 20.0])
    times = paced(Q, t, fastest, hardest)
    gaps = np.diff(times)[:, None]
    speeds = np.diff(Q, axis=0) / gaps
    changes = np.diff(speeds, axis=0) / (0.5 * (gaps[1:] + gaps[:-1]))
    assert (np.abs(speeds) <= fastest).all()
    assert (np.abs(changes) <= hardest * (1.0 + 1e-9)).all()
    assert (np.diff(times) >= np.diff(t) * (1.0 - 1e-12)).all()
    assert np.diff(times)[:60].max() < 1.2 * np.diff(t)[0]  # far from where it is too fast
    assert times[-1] < 1.5 * t[-1]


def test_one_frame_has_one_time():
    np.testing.assert_array_equal(paced(np.zeros((1, 2)), np.array([3.0]), np.ones(2), np.ones(2)), [3.0])
