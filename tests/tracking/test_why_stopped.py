"""What a stop claims is so: smaller steps lead through, a place on the line is out of reach, the limits bar it."""

import re

import numpy as np
import pytest

import forearm as fa
from forearm.tracking.path import as_path, target_at


def curve(arm, seed, count):
    """(count, n) joint values on a random cubic curve, and their poses."""
    K = np.random.default_rng(seed).uniform(*np.clip(arm.limits, -np.pi, np.pi), (4, arm.n))
    t = np.linspace(0.0, 1.0, count)[:, None]
    Q = (1 - t) ** 3 * K[0] + 3 * t * (1 - t) ** 2 * K[1] + 3 * t**2 * (1 - t) * K[2] + t**3 * K[3]
    return Q, arm.fk(Q)


def line(poses, first, last, pieces):
    """Poses on the path from one place to another."""
    path = as_path(poses)
    return np.array([target_at(path, place).goal for place in np.linspace(first, last, pieces + 1)])


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "count", "seed"),
    [("ur5", 50, 39), ("gen3", 50, 31), ("iiwa14", 50, 34)],
)
def test_where_smaller_steps_lead_through_the_track_is_too_coarse(name, count, seed):
    arm = fa.load(name)
    Q, poses = curve(arm, seed, count)
    track = arm.track(poses, Q[0])
    i = track.stopped_at
    through = arm.track(line(poses, track.places[-1], i, 64), track.q[-1])
    assert through.complete
    assert track.status is fa.Status.TOO_COARSE
    told = float(re.search(r"a joint (?:must move|moves) ([\d.]+)", track.reason)[1])
    assert told <= 10 * np.pi
    enough = re.search(r"(\d+) between these two are enough", track.reason)
    if enough:
        before = track.q[track.places == i - 1][-1]
        whole = arm.track(line(poses, i - 1, i, int(enough[1]) + 1), before)
        assert whole.complete
        assert told == pytest.approx(np.abs(np.diff(whole.q, axis=0)).sum(axis=0).max(), rel=0.01)


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "count", "seed"), [("ur5", 200, 38), ("irb120", 50, 29), ("irb120", 100, 38)])
def test_what_leads_through_along_all_branches_of_pieces_is_no_stop(name, count, seed):
    arm = fa.load(name)
    Q, poses = curve(arm, seed, count)
    track = arm.track(poses, Q[0])
    assert track.complete
    assert track.reconfigurations == ()
    path = as_path(poses)
    off = [np.abs(arm.fk(q) - target_at(path, s).goal).max() for q, s in zip(track.q, track.places, strict=True)]
    assert max(off) < 1.1e-6
    assert np.abs(np.diff(track.q, axis=0)).max() <= 0.1 + 1e-9
    assert (np.diff(track.places) > 0.0).all()


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "count", "seed"), [("jaco2", 100, 23), ("jaco2", 200, 23), ("gen3", 50, 30)])
def test_a_line_that_leaves_the_reach_is_not_told_as_a_way_point_out_of_reach(name, count, seed):
    arm = fa.load(name)
    free = arm.with_limits(np.array([[-np.inf], [np.inf]]) * np.ones(arm.n))
    Q, poses = curve(arm, seed, count)
    track = arm.track(poses, Q[0])
    i = track.stopped_at
    assert track.status is fa.Status.OUT_OF_REACH
    words = rf"the straight line to way-point {i} at ([\d.]+) of the way \(the way-point itself is reached\)"
    there = i - 1 + float(re.search(words, track.reason)[1])
    assert track.places[-1] < there <= i
    assert not any(free.solve(T, max_tries=2000, explain=False).success for T in line(poses, there, there, 1))
    assert arm.solve(poses[i]).success
