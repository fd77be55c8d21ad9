"""Tracks from branch to branch: other sheets, and the fewest jumps, held against brute force."""

import re

import numpy as np
import pytest

import forearm as fa
from branch_cases import TABLES, free_arm
from forearm.core.codes import PRISMATIC

STEP, HALFWAY = 0.1, (1e-4, 1e-3)
NARROW = {name: np.array([[-2.0] * 6, [2.0] * 6]) for name in ("ur5", "irb140", "puma560", "xarm6")}


def forward(robot, Q):
    """(N, 4, 4) tip poses of the model's links and joints, by plain products of matrices."""
    model, T = robot.model, np.tile(np.eye(4), (len(Q), 1, 1))
    for link, (kind, variable, ratio) in zip(model.links, model.joints, strict=False):
        J, value = np.tile(np.eye(4), (len(Q), 1, 1)), ratio * Q[:, int(variable)]
        if kind == PRISMATIC:
            J[:, 2, 3] = value
        else:
            J[:, 0, 0] = J[:, 1, 1] = np.cos(value)
            J[:, 1, 0], J[:, 0, 1] = np.sin(value), -np.sin(value)
        T = T @ np.vstack([link, [0, 0, 0, 1]]) @ J
    return T @ np.vstack([model.links[-1], [0, 0, 0, 1]])


def halfway_of(A, B):
    """The pose halfway between two: the middle, and half the turn (of rotations close to each other)."""
    T = 0.5 * (A + B)
    U, _, V = np.linalg.svd(T[:3, :3])
    T[:3, :3] = U @ V
    return T


def brute_force(arm, poses, start):
    """The fewest jumps over all branches of all way-points, each pair of neighbours tried; None if one has none."""
    jumps = {tuple(start): 0}
    for i in range(1, len(poses)):
        rows = arm.solve_all(poses[i], windings=True).q
        if not len(rows):
            return None
        before, cost = np.array(list(jumps)), np.array(list(jumps.values()))
        middle, new = halfway_of(poses[i - 1], poses[i]), {}
        for q in rows:
            near = np.abs(before - q).max(axis=1) <= STEP
            T = forward(arm, 0.5 * (before[near] + q))
            off = np.linalg.norm(T[:, :3, 3] - middle[:3, 3], axis=1)
            turn = np.linalg.norm(T[:, :3, :3] - middle[:3, :3], axis=(1, 2)) / np.sqrt(2.0)
            good = (off <= HALFWAY[0]) & (turn <= HALFWAY[1])
            new[tuple(q)] = min([cost.min() + 1, *cost[near][good]])
        jumps = new
    return min(jumps.values())


def forced_paths(name, count, length=60):
    """Paths of an arm with narrow limits that no continuous track follows, though every way-point has an answer."""
    free = free_arm(TABLES[name], name) if name in TABLES else fa.load(name)  # one whose branches elimination lists
    arm = free.with_limits(NARROW[name])
    seed, found = 0, 0
    while found < count:
        rng, seed = np.random.default_rng(seed), seed + 1
        a, b = rng.uniform(-2.0, 2.0, 6), rng.uniform(-1.0, 1.0, 6)
        poses = free.fk(a + np.linspace(0.0, 1.0, length)[:, None] * 2.5 * b)
        if not arm.solve_batch(poses).success.all():
            continue
        start = arm.solve(poses[0], arm.clip(a)).q
        if not arm.track(poses, start).complete:
            found += 1
            yield arm, poses, start


def assert_holds(arm, poses, track):
    """Every way-point is there, met and inside the limits; steps are bounded but for the jumps told."""
    jumps = [jump.point for jump in track.reconfigurations]
    assert sorted(set(track.places[track.places == np.floor(track.places)])) == list(range(len(poses)))
    whole = track.places == np.floor(track.places)
    T, goals = forward(arm, track.q[whole]), poses[track.places[whole].astype(int)]
    assert np.linalg.norm(T[:, :3, 3] - goals[:, :3, 3], axis=1).max() < 1.1e-6
    assert np.abs(T - goals).max() < 1.1e-6
    assert (track.q >= arm.limits[0] - 1e-9).all()
    assert (track.q <= arm.limits[1] + 1e-9).all()
    steps = np.abs(np.diff(track.q, axis=0)).max(axis=1)
    assert (np.delete(steps, np.array(jumps, int) - 1) <= STEP + 1e-9).all()
    for jump in track.reconfigurations:
        assert jump.motion == steps[jump.point - 1]
        assert jump.in_place == (track.places[jump.point] == track.places[jump.point - 1])
        assert f"way-point {jump.waypoint} ({jump.joint} by" in track.reason


@pytest.mark.compiled
@pytest.mark.parametrize("name", sorted(NARROW))
def test_no_brute_force_needs_fewer_jumps(name):
    seen = set()
    for arm, poses, start in forced_paths(name, 2):
        track = arm.track(poses, start, reconfigure=True)
        assert track.complete
        assert_holds(arm, poses, track)
        fewest = brute_force(arm, poses, start)
        assert 1 <= len(track.reconfigurations) <= fewest
        seen.add(fewest)
    assert seen


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "seed", "fewest"), [("ur5", 255, 0), ("irb140", 676, 0), ("puma560", 152, 2)])
def test_sheets_that_come_together_between_way_points_need_no_jump(name, seed, fewest):
    # what brute force needs over all branches of segments cut in eight: `fewest` of benchmarks/coarse_tracks.py
    free, rng = fa.load(name), np.random.default_rng(seed)
    arm = free.with_limits(NARROW[name])
    a, b = rng.uniform(-2.0, 2.0, 6), rng.uniform(-1.0, 1.0, 6)
    poses = free.fk(a + np.linspace(0.0, 1.0, 60)[:, None] * 2.5 * b)
    track = arm.track(poses, arm.solve(poses[0], arm.clip(a)).q, reconfigure=True)
    assert track.complete
    assert_holds(arm, poses, track)
    assert len(track.reconfigurations) == fewest
    own = re.search(r"the path's own step of ([\d.]+)", track.reason)
    assert own is None or float(own[1]) < min(jump.motion for jump in track.reconfigurations)  # a jump is no step


@pytest.mark.compiled
@pytest.mark.parametrize("seed", [0, 29])
def test_a_walk_that_took_the_wrong_sheet_goes_back_and_takes_the_other(seed, monkeypatch):
    arm = fa.load("irb140")
    K = np.random.default_rng(seed).uniform(*np.clip(arm.limits, -np.pi, np.pi), (4, 6))
    t = np.linspace(0.0, 1.0, 150)[:, None]
    Q = (1 - t) ** 3 * K[0] + 3 * t * (1 - t) ** 2 * K[1] + 3 * t**2 * (1 - t) * K[2] + t**3 * K[3]
    poses = arm.fk(Q)
    track = arm.track(poses, Q[0])
    assert track.complete
    assert track.reconfigurations == ()
    assert_holds(arm, poses, track)
    monkeypatch.setattr("forearm.tracking.track.are_known", lambda problem: False)
    assert arm.track(poses, Q[0]).status is fa.Status.LIMITS  # what the first sheet comes to


@pytest.mark.compiled
def test_an_arm_without_closed_form_jumps_to_what_goes_farthest():
    free = fa.load("panda")
    rng = np.random.default_rng(3)
    lower, upper = free.limits
    for _ in range(20):
        a, b = rng.uniform(lower, upper), rng.uniform(lower, upper)
        half = free.solve_all(free.fk(b), samples=16).q
        other = half[np.argmax(np.abs(half - b).max(axis=1))]
        poses = np.concatenate([free.fk(np.linspace(a, b, 30)), free.fk(np.linspace(other, other + 0.1 * (a - b), 10))])
        track = free.track(poses, a, reconfigure=True)
        if track.reconfigurations:
            break
    assert track.reconfigurations
    if track.complete:
        assert_holds(free, poses, track)


def test_a_path_that_can_be_followed_has_no_jump_and_the_same_bits():
    arm, q = fa.load("ur5"), np.array([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
    poses = arm.fk(np.linspace(q, q + 0.3, 8))
    plain, jumping = arm.track(poses, q), arm.track(poses, q, reconfigure=True)
    assert jumping.reconfigurations == ()
    np.testing.assert_array_equal(plain.q, jumping.q)
    assert "reconfigurations" not in plain.to_dict()


@pytest.mark.compiled
def test_a_track_that_reconfigures_is_not_timed_as_a_whole():
    arm, poses, start = next(iter(forced_paths("ur5", 1)))
    track = arm.track(poses, start, reconfigure=True)
    assert track.to_dict()["reconfigurations"][0]["point"] == track.reconfigurations[0].point
    with pytest.raises(ValueError, match="reconfigures"):
        track.timed(acceleration=1.0)
