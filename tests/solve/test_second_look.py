"""What is looked at again: near misses, and long chains from FABRIK's pose; a batch and single calls alike."""

from dataclasses import replace

import numpy as np
import pytest

import forearm as fa

PANDA = fa.load("panda")

pytestmark = pytest.mark.compiled


def gentle(robot, count, seed):
    """(count, n) long smooth curves: a few slow waves of bends along the chain."""
    rng, along = np.random.default_rng(seed), np.linspace(0.0, 1.0, robot.n)
    waves = np.array([np.cos(np.pi * k * along + phase) for k in range(3) for phase in (0.0, 1.6)])
    sizes = rng.normal(size=(count, len(waves))) * rng.uniform(0.0, 5.0 / robot.n, (count, 1))
    return np.clip(sizes @ waves, *robot.limits)


def targets(kind, T):
    if kind == "point-axis":
        return fa.PointAxis.many(T[:, :3, 3], T[:, :3, 2])
    return fa.Position.many(T[:, :3, 3]) if kind == "position" else fa.Pose.many(T)


def off(robot, kind, Q, T):
    """The largest error of answers, by forward kinematics."""
    reached = robot.fk(Q)
    turned = reached[:, :3, 2] - T[:, :3, 2] if kind == "point-axis" else reached[:, :3, :3] - T[:, :3, :3]
    return max(np.abs(reached[:, :3, 3] - T[:, :3, 3]).max(), 0.0 if kind == "position" else np.abs(turned).max())


@pytest.mark.parametrize("kind", ["position", "pose", "point-axis"])
@pytest.mark.parametrize("name", ["planar-40", "snake-60", "planar-100", "snake-200"])
def test_long_chains_reach_what_their_gentle_and_random_curves_reach(name, kind):
    robot = fa.load(name)
    T = robot.fk(np.concatenate([gentle(robot, 25, 2), robot.sample(5, rng_seed=2)]))
    batch = robot.solve_batch(targets(kind, T))
    assert batch.success.all()
    assert off(robot, kind, batch.q, T) < 2e-6
    for q in batch.q:
        assert (robot.limits[0] <= q).all()
        assert (q <= robot.limits[1]).all()


def test_a_point_nine_tenths_along_a_hundred_links_is_reached_and_one_beyond_is_not():
    robot = fa.load("planar-100")
    assert robot.solve(fa.Position([9.0, 0.0, 0.0])).success
    assert robot.solve(fa.Position([9.0, 0.0, 0.0]), explain=False).success
    assert robot.solve(fa.Position([10.01, 0.0, 0.0])).status == "out_of_reach"
    off_plane = robot.solve(fa.Position([9.0, 0.0, 0.5]))
    assert off_plane.status == "out_of_reach"
    assert off_plane.position_error == pytest.approx(0.5, rel=1e-3)


def test_a_reachable_point_with_another_heading_is_not_called_out_of_reach():
    robot, T = fa.load("snake-60"), np.eye(4)
    T[:3, 3], T[:3, :3] = [5.999, 0.0, 0.0], np.diag([-1.0, 1.0, -1.0])
    assert robot.solve(T).status == "orientation"


@pytest.mark.compiled
@pytest.mark.parametrize("share", [0.4, 0.6])
def test_without_reasons_no_pose_with_joints_at_limits_is_missed(share):
    rng, Q = np.random.default_rng(3), PANDA.sample(100_000, rng_seed=8)
    ends = np.where(rng.random(Q.shape) < 0.5, *PANDA.limits)
    batch = PANDA.solve_batch(PANDA.fk(np.where(rng.random(Q.shape) < share, ends, Q)))
    assert batch.success.all()


def test_a_batch_looks_again_as_single_calls_do():
    rng, Q = np.random.default_rng(5), PANDA.sample(1500, rng_seed=9)
    Q = np.where(rng.random(Q.shape) < 0.5, np.where(rng.random(Q.shape) < 0.5, *PANDA.limits), Q)
    T, starts = PANDA.fk(Q), PANDA.sample(1500, rng_seed=10)
    for q0 in (None, starts):
        batch = PANDA.solve_batch(T, q0, explain=False)
        looked = np.flatnonzero(batch.tries > 48)[:12]
        assert len(looked)
        for i in looked.tolist():
            one = PANDA.solve(T[i], None if q0 is None else q0[i], explain=False)
            assert np.array_equal(one.q, batch.q[i])
            assert one.tries == batch.tries[i]


def test_who_bounds_the_tries_gets_no_more():
    rng, Q = np.random.default_rng(5), PANDA.sample(3000, rng_seed=9)
    Q = np.where(rng.random(Q.shape) < 0.5, np.where(rng.random(Q.shape) < 0.5, *PANDA.limits), Q)
    batch = PANDA.solve_batch(PANDA.fk(Q), max_tries=5)
    assert batch.tries.max() <= 5


# -- wide tolerances -------------------------------------------------------------------------------


def turned(axis, angle):
    """(3, 3) the turn about a unit axis."""
    K = np.cross(np.eye(3), axis)
    return np.eye(3) - np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


def beside(robot, tol, count, seed):
    """Targets that reachable poses meet, at the rim of their tolerance: moved away from the base, or turned."""
    for i, T in enumerate(robot.fk(robot.sample(count, rng_seed=seed))):
        away = T[:3, 3] / np.linalg.norm(T[:3, 3])
        moved, tilted = T.copy(), T.copy()
        moved[:3, 3] += 0.97 * tol * away
        tilted[:3, :3] = turned(np.roll([1.0, 0.0, 0.0], i), 0.97 * tol) @ T[:3, :3]
        yield fa.Pose(moved, tol=(tol, 1e-6))
        yield fa.PointAxis(moved[:3, 3], T[:3, 2], tol=(tol, 1e-6))
        yield fa.Pose(tilted, tol=(1e-6, tol))
        yield fa.PointAxis(T[:3, 3], tilted[:3, 2], tol=(1e-6, tol))
        aside = T.copy()  # along an axis of its own, by as much as that axis allows
        aside[:3, 3] += 0.97 * tol * T[:3, i % 3] * np.sign(T[:3, 3] @ T[:3, i % 3])
        yield fa.Pose(aside, tol=[tol] * 3 + [1e-6] * 3)


@pytest.mark.parametrize("tol", [1e-4, 0.01, 0.3])
@pytest.mark.parametrize("name", ["panda", "ur5", "iiwa14"])
def test_what_is_met_anywhere_inside_a_wide_tolerance_is_found(name, tol):
    robot = fa.load(name)
    for target in beside(robot, tol, 15, 3):
        found = robot.solve(target)
        assert found.success, (target, found.reason)


def stretched(robot, count, seed):
    """Poses with the elbow straight: farther out, only tolerances reach."""
    Q = robot.sample(count, rng_seed=seed)
    Q[:, 3 if robot.n == 7 else 2] = 0.0
    return robot.fk(Q)


@pytest.mark.parametrize("tol", [2e-5, 1e-4, 9e-4, 2e-3])
@pytest.mark.parametrize("name", ["ur5", "iiwa14"])
def test_what_tolerances_along_axes_allow_is_found_at_the_edge_of_reach(name, tol):
    robot = fa.load(name)
    for T in stretched(robot, 20, 4):
        away = T[:3, 3] - robot.model.links[0, :, 3]
        T[:3, 3] += 0.9 * tol * away / np.linalg.norm(away)
        found = robot.solve(fa.Pose(T, tol=[tol] * 3 + [1e-6] * 3))
        assert found.success, found.reason


def scaled(robot, scale):
    """The same arm with all its lengths times a scale."""
    links = robot.model.links.copy()
    links[:, :, 3] *= scale
    return fa.Robot(replace(robot.model, links=links, shapes=()))


@pytest.mark.parametrize("scale", [1e-4, 1e-2])
@pytest.mark.parametrize("name", ["ur10e", "iiwa14"])
def test_a_tolerance_that_is_wide_for_a_small_arm_is_looked_through(name, scale):
    robot, tol = scaled(fa.load(name), scale), 5e-3 * scale
    for T in stretched(robot, 20, 4):
        T[:3, 3] *= 1.0 + 0.9 * tol / np.linalg.norm(T[:3, 3])
        for width in ((tol, 1e-6), [tol] * 3 + [1e-6] * 3):
            found = robot.solve(fa.Pose(T, tol=width), method="general")
            assert found.success, found.reason


@pytest.mark.parametrize("explain", [False, True])
def test_a_batch_finds_what_is_met_anywhere_inside_a_wide_tolerance_as_single_calls_do(explain):
    wide = [target for target in beside(PANDA, 0.3, 20, 3) if isinstance(target, fa.Pose)]
    batch = PANDA.solve_batch(wide, explain=explain)
    assert batch.success.all()
    for target, q in zip(wide, batch.q, strict=True):
        assert (PANDA.solve(target, explain=explain).q == q).all()


@pytest.mark.parametrize("far", [1e3, 1e9, 1e12])
@pytest.mark.parametrize("name", ["panda", "ur5", "scara"])
def test_a_tolerance_that_covers_the_arm_leaves_the_position_free(name, far):
    robot, way = fa.load(name), [far, 0.0, 0.0]
    T = robot.fk(robot.neutral)
    assert robot.solve(fa.Position(way, tol=far)).success
    for explain in (False, True):
        free = robot.solve(
            fa.Pose(np.block([[T[:3, :3], np.c_[way]], [T[3:]]]), tol=(2.0 * far, 1e-6)), explain=explain
        )
        assert free.success
        assert np.allclose(robot.fk(free.q)[:3, :3], T[:3, :3], atol=2e-6)
        assert robot.solve(fa.PointAxis(way, T[:3, 2], tol=(2.0 * far, 1e-6)), explain=explain).success
