"""The method `bezier` as a user meets it, judged by the geometry of what comes back."""

import itertools
import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import affinity

import forearm as fa

SIX = [[0, 0], [0, 1], [0, 2], [0, 3], [0, 4], [0, 5]]
Hinge, Cone, Ball = fa.joints.Hinge, fa.joints.Cone, fa.joints.Ball


def straight(n, dim, lengths=None):
    points = np.zeros((n + 1, dim))
    points[1:, dim - 1] = np.cumsum(np.ones(n) if lengths is None else lengths)
    return points


def check(chain, solution, target):
    """Base, links and tip are as they must be."""
    points = solution.points
    scale = 1e-12 * chain.reach
    np.testing.assert_array_equal(points[0], chain.points[0])
    np.testing.assert_allclose(np.linalg.norm(np.diff(points, axis=0), axis=1), chain.lengths, atol=scale)
    assert math.dist(points[-1], target) <= scale
    assert solution.success


def turns(one, two):
    """(n,) angles between the links of two poses [rad]."""
    u, v = np.diff(one, axis=0), np.diff(two, axis=0)
    cosine = (u * v).sum(axis=1) / np.linalg.norm(u, axis=1) / np.linalg.norm(v, axis=1)
    return np.arccos(np.clip(cosine, -1.0, 1.0))


# -- poses ---------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(0.1, 2.0), min_size=1, max_size=8), st.sampled_from([2, 3]), st.integers(0, 2**31), st.booleans()
)
def test_reachable_targets_are_met_with_exact_links(lengths, dim, seed, as_array):
    rng = np.random.default_rng(seed)
    base, directions = rng.normal(size=dim), rng.normal(size=(len(lengths), dim))
    chain = fa.Chain(base + straight(len(lengths), dim, lengths))
    target = base + (np.array(lengths)[:, None] * directions / np.linalg.norm(directions, axis=1)[:, None]).sum(axis=0)
    solution = chain.solve(target if as_array else target.tolist(), method="bezier")
    check(chain, solution, target)
    assert solution.method == "bezier"


def test_the_quick_road_gives_the_bits_of_the_ordinary_one():
    for dim in (2, 3):
        chain = fa.Chain(straight(7, dim))
        target = np.array([1.0, 2.0, -0.5][:dim])
        quick, ordinary = (chain.solve(t, method="bezier") for t in (target, target.tolist()))
        np.testing.assert_array_equal(quick.points3, ordinary.points3)
        assert (quick.how, quick.iterations) == (ordinary.how, ordinary.iterations)
        assert quick.how == "curve"
        np.testing.assert_array_equal(quick.frame, ordinary.frame)


def test_planar_poses_have_no_z_and_stay_in_the_plane_among_obstacles():
    chain = fa.Chain(SIX)
    walls = [fa.Sphere([1.0, 0.9], 0.7), fa.Box([-0.8, 1.4], [0.6, 0.4], 0.4), fa.Capsule([0.5, 3], [2.0, 3.4], 0.2)]
    for method in ("bezier", "fabrik"):
        solution = chain.solve([2.0, 2.0], method=method, obstacles=walls, clearance=0.02)
        assert solution.success
        assert (solution.points3[:, 2] == 0.0).all()


@pytest.mark.parametrize("target", [(4, 3), (3, 4)])
def test_targets_at_full_reach_are_reached(target):
    solution = fa.Chain(SIX).solve(target, method="bezier")
    assert solution.success
    assert solution.how == "straight"


def test_a_target_too_far_or_too_near_is_told_with_the_gap():
    chain = fa.Chain([[0, 0], [0, 3], [0, 4]])
    far, near = chain.solve([0, 6], method="bezier"), chain.solve([0.5, 0], method="bezier")
    assert (far.status, near.status) == (fa.Status.OUT_OF_REACH,) * 2
    assert "2 m too far" in far.reason
    assert "1.5 m too near" in near.reason
    np.testing.assert_allclose(far.points[-1], [0.0, 4.0], atol=1e-12)
    np.testing.assert_allclose(near.points[-1], [2.0, 0.0], atol=1e-12)
    assert near.how == "folded"


def test_one_link_meets_its_sphere_only():
    chain = fa.Chain([[0, 0, 0], [0, 0, 2]])
    assert chain.solve([0, 2, 0], method="bezier").success
    assert chain.solve([0, 1, 0], method="bezier").status is fa.Status.OUT_OF_REACH


def test_the_target_on_the_base_closes_the_chain():
    solution = fa.Chain(SIX).solve([0, 0], method="bezier")
    check(fa.Chain(SIX), solution, [0.0, 0.0])


@settings(max_examples=30, deadline=None)
@given(st.floats(-3.0, 3.0), st.floats(0.1, 3.0))
def test_the_bend_lies_on_the_poles_side(angle, distance):
    pole = distance * np.array([0.0, math.cos(angle), math.sin(angle)])
    solution = fa.Chain(straight(5, 3)).solve([3.0, 0.0, 0.0], method="bezier", pole=pole)
    elbow = solution.points[1:-1].sum(axis=0)
    assert elbow[1:] @ pole[1:] == pytest.approx(np.linalg.norm(elbow[1:]) * distance, rel=1e-9)


def test_in_a_plane_the_pole_chooses_the_side():
    chain = fa.Chain(SIX)
    for y in (2.0, -2.0):
        elbow = chain.solve([3.0, 0.0], method="bezier", pole=[1.0, y]).points[1:-1]
        assert (elbow[:, 1] * y > 0.0).all()


# -- from frame to frame -------------------------------------------------------------------------


def drag(chain, path, **options):
    """The poses along a path, each from the one before."""
    poses = [chain.solve(path[0], method="bezier", **options)]
    for target in path[1:]:
        poses.append(chain.solve(target, method="bezier", start=poses[-1], **options))
    return poses


def paths(reach, dim):
    pad = [0.0] * (dim - 2)
    t = np.linspace(-1.0, 1.0, 1000)
    return {
        "past the base": [[0.8 * reach * x, 0.02 * reach, *pad] for x in t],
        "through the base": [[0.8 * reach * x, 0.0, *pad] for x in t],
        "across full reach": [[reach * (0.3 + 0.9 * abs(x)), 0.1 * reach, *pad] for x in t],
    }


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["past the base", "through the base", "across full reach"])
@pytest.mark.parametrize(("n", "dim"), [(3, 2), (5, 2), (12, 2), (5, 3), (20, 3)])
def test_a_dragged_chain_does_not_jump(n, dim, name):
    chain = fa.Chain(straight(n, dim))
    path = paths(chain.reach, dim)[name]
    poses = drag(chain, path)
    for one, two, target in zip(poses, poses[1:], path[1:], strict=False):
        assert not two.jump
        assert turns(one.points, two.points).max() < 0.35
        assert two.success == (np.linalg.norm(target) <= chain.reach * (1 + 1e-12))


@pytest.mark.compiled
@pytest.mark.parametrize("n", [3, 5, 12])
def test_round_an_obstacle_every_jump_is_named(n):
    chain = fa.Chain(straight(n, 2))
    walls = [fa.Sphere([0.35 * n, 0.0], 0.12 * n)]
    path = [[0.6 * n * math.cos(a), 0.6 * n * math.sin(a)] for a in np.linspace(-2.0, 2.0, 1000)]
    poses = drag(chain, path, obstacles=walls, clearance=0.01 * n)
    assert all(pose.success for pose in poses)
    jumps = [pose.jump for pose in poses if pose.jump]
    assert 1 <= len(jumps) <= 3  # the sides of the obstacle must be changed once
    assert all("no pose near the last one" in text for text in jumps)
    for one, two in itertools.pairwise(poses):
        turned = turns(one.points, two.points).max()
        assert two.jump or turned < 0.45
        assert two.turned == pytest.approx(turned, abs=1e-6)


def test_the_bend_is_carried_along_and_survives_a_straight_pose():
    chain = fa.Chain(straight(5, 3))
    first = chain.solve([4.0, 0.0, 0.0], method="bezier", pole=[0.0, 0.6, 0.8])
    out = chain.solve([6.0, 0.0, 0.0], method="bezier", start=first)
    back = chain.solve([4.0, 0.0, 0.0], method="bezier", start=out)
    np.testing.assert_allclose(back.points, first.points, atol=1e-12)


def test_a_pole_with_a_start_is_followed_by_a_bounded_angle():
    chain = fa.Chain(straight(5, 3))
    first = chain.solve([3.0, 0.0, 0.0], method="bezier", pole=[0.0, 1.0, 0.0])
    then = chain.solve([3.0, 0.0, 0.0], method="bezier", pole=[0.0, 0.0, 1.0], start=first, max_swivel=0.2)
    elbow = then.points[2]
    assert math.atan2(elbow[2], elbow[1]) == pytest.approx(0.2, abs=1e-9)


def test_points_as_a_start_give_their_side():
    chain = fa.Chain(straight(4, 2))
    mirrored = chain.solve([2.0, 0.0], method="bezier", pole=[1.0, -1.0])
    then = chain.solve([2.1, 0.0], method="bezier", start=mirrored.points)
    assert (then.points[1:-1, 1] < 0.0).all()


# -- obstacles -----------------------------------------------------------------------------------


def as_shape(obstacle):
    if isinstance(obstacle, fa.Sphere):
        return shapely.Point(obstacle.center), obstacle.radius
    if isinstance(obstacle, fa.Capsule):
        return shapely.LineString([obstacle.a, obstacle.b]), obstacle.radius
    w, h = obstacle.size
    flat = shapely.box(-w / 2, -h / 2, w / 2, h / 2)
    (c, *_), (s, *_), _ = obstacle.rotation
    return affinity.affine_transform(flat, [c, -s, s, c, *obstacle.center]), 0.0


def clearance_by_shapely(points, obstacles, thickness=0.0):
    line = shapely.LineString(points)
    return min(line.distance(shape) - radius for shape, radius in map(as_shape, obstacles)) - thickness


def clearance_by_sampling(points, obstacles):
    """The least distance of densely sampled links from spheres and capsules: an upper bound, close by."""
    t = np.linspace(0.0, 1.0, 200)[:, None]
    on_links = np.vstack([a + t * (b - a) for a, b in itertools.pairwise(points)])
    gaps = []
    for item in obstacles:
        a, b = map(np.array, (item.a, item.b) if isinstance(item, fa.Capsule) else (item.center, item.center))
        v = b - a
        s = np.clip((on_links - a) @ v / (v @ v), 0.0, 1.0) if v @ v > 0.0 else np.zeros(len(on_links))
        gaps.append(np.linalg.norm(on_links - a - s[:, None] * v, axis=1).min() - item.radius)
    return min(gaps)


def scene(rng, dim, count, reach=6.0):
    """A target and spheres and capsules round the way to it, none of them on base or target."""
    direction = rng.normal(size=dim)
    target = direction / np.linalg.norm(direction) * reach * rng.random() ** (1 / dim)
    obstacles = []
    while len(obstacles) < count:
        center, radius = (
            rng.random() * target + rng.normal(size=dim) * (2.0 if dim == 2 else 1.4),
            rng.uniform(0.3, 0.9),
        )
        half = rng.normal(size=dim) * rng.uniform(0.2, 0.6)
        item = fa.Sphere(center, radius) if rng.random() < 0.5 else fa.Capsule(center - half, center + half, radius)
        if (
            clearance_by_sampling(np.array([np.zeros(dim), np.zeros(dim)]), [item])
            > 0.1
            < clearance_by_sampling(np.array([target, target]), [item])
        ):
            obstacles.append(item)
    return target, obstacles


@pytest.mark.compiled
@pytest.mark.parametrize(("dim", "n", "count"), [(2, 6, 2), (2, 6, 4), (2, 6, 8), (2, 12, 8), (3, 6, 8), (3, 6, 32)])
def test_random_scenes_are_solved_as_often_as_by_any_method(dim, n, count):
    rng = np.random.default_rng(100 * dim + count)
    chain = fa.Chain(straight(n, dim, np.full(n, 6.0 / n)))
    ours, any_method = 0, 0
    for _ in range(60):
        target, obstacles = scene(rng, dim, count)
        bezier = chain.solve(target, method="bezier", obstacles=obstacles, clearance=0.05)
        other = chain.solve(target, method="fabrik", obstacles=obstacles, clearance=0.05)
        for solution in (bezier, other):
            points = solution.points
            np.testing.assert_allclose(np.linalg.norm(np.diff(points, axis=0), axis=1), chain.lengths, atol=6e-12)
            measured = clearance_by_shapely(points, obstacles) if dim == 2 else clearance_by_sampling(points, obstacles)
            if solution.success:
                assert measured >= 0.05 - 1e-9
                assert math.dist(points[-1], target) <= 6e-6
            assert solution.clearance <= measured + 1e-9
        ours += bezier.success
        any_method += bezier.success or other.success
    assert any_method >= 40
    assert ours >= 0.99 * any_method


@pytest.mark.parametrize("method", ["bezier", "fabrik"])
def test_the_clearance_is_that_of_the_returned_pose(method):
    walls = [fa.Box([1.0, 1.0], [0.7, 0.7], 0.4), fa.Sphere([-1.5, 1.0], 0.3)]
    solution = fa.Chain(SIX).solve([2.0, 2.5], method=method, obstacles=walls, clearance=0.1, thickness=0.05)
    assert solution.success
    measured = clearance_by_shapely(solution.points, walls, 0.05)
    assert solution.clearance == pytest.approx(measured, abs=1e-12)
    assert measured >= 0.1
    link = shapely.LineString(solution.points[solution.link : solution.link + 2])
    shape, radius = as_shape(walls[solution.obstacle])
    assert link.distance(shape) - radius - 0.05 == pytest.approx(measured, abs=1e-12)


@pytest.mark.parametrize("method", ["bezier", "fabrik"])
def test_base_and_target_in_an_obstacle_are_told_apart(method):
    chain = fa.Chain(SIX)
    base = chain.solve([2, 2], method=method, obstacles=[fa.Sphere([0, 0.1], 0.5)])
    target = chain.solve([2, 2], method=method, obstacles=[fa.Sphere([5, 5], 0.5), fa.Box([2, 2], [1, 1])])
    close = chain.solve([2, 2], method=method, obstacles=[fa.Sphere([2, 3], 0.9)], clearance=0.2)
    assert {base.status, target.status, close.status} == {fa.Status.COLLISION}
    assert "the base is inside obstacle 0 (circle)" in base.reason
    assert "the target is inside obstacle 1 (rectangle)" in target.reason
    assert "the target is 0.1 m from obstacle 0 (circle)" in close.reason
    assert (target.obstacle, target.link) == (1, 4)


def test_walls_all_round_are_a_collision_with_the_best_pose():
    walls = [fa.Capsule([-9, y], [9, y], 0.2) for y in (1.0, 3.0)]
    solution = fa.Chain(SIX).solve([2, 2], method="bezier", obstacles=walls, clearance=0.1)
    assert solution.status is fa.Status.COLLISION
    assert "not a proof" in solution.reason
    assert solution.clearance == pytest.approx(clearance_by_shapely(solution.points, walls), abs=0.21)
    assert math.dist(solution.points[-1], (2.0, 2.0)) < 1e-12
    assert solution.to_dict()["obstacle"] in (0, 1)


def test_a_straight_pose_that_touches_has_no_second_one():
    solution = fa.Chain(SIX).solve([5, 0], method="bezier", obstacles=[fa.Sphere([2.5, 0.0], 0.4)])
    assert solution.status is fa.Status.COLLISION


def test_one_obstacle_needs_no_list_and_none_leaves_no_clearance():
    chain = fa.Chain(SIX)
    assert chain.solve([2, 2], method="bezier", obstacles=fa.Sphere([9, 9], 1.0)).clearance > 1.0
    plain = chain.solve([2, 2], method="bezier", obstacles=[])
    assert (plain.clearance, plain.obstacle, plain.link) == (None, None, None)


def test_the_same_call_gives_the_same_bits():
    walls = [fa.Sphere([1.0, 0.9], 0.7), fa.Sphere([0.3, 2.5], 0.4)]
    for method in ("bezier", "fabrik"):
        one, two = (fa.Chain(SIX).solve([2, 2], method=method, obstacles=walls).points for _ in range(2))
        np.testing.assert_array_equal(one, two)


# -- limits --------------------------------------------------------------------------------------


def limited(n, kind, rng):
    """A planar chain with joint limits of one of three kinds."""
    if kind == "even":
        joints = [Hinge(range=(-math.pi, math.pi))] + [Hinge(range=(-1.0, 1.0))] * (n - 1)
    elif kind == "one-sided":
        joints = [Hinge(range=(-0.5, 1.5))] * n
    else:
        joints = [Hinge(range=(-rng.uniform(0.1, 1.5), rng.uniform(0.1, 1.5))) for _ in range(n)]
    return fa.Chain(straight(n, 2, rng.uniform(0.5, 1.5, n) if kind == "mixed" else None), joints=joints)


def angles_of(points, rest):
    """(n,) joint angles of a planar pose against its rest pose [rad]."""
    heading, at_rest = (np.arctan2(*np.diff(p, axis=0).T[::-1]) for p in (points, rest))
    turn = np.diff(heading - at_rest, prepend=0.0)
    return (turn + math.pi) % (2.0 * math.pi) - math.pi


@pytest.mark.compiled
@pytest.mark.parametrize("kind", ["even", "one-sided", "mixed"])
@pytest.mark.parametrize("n", [3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 30])
def test_feasible_targets_of_planar_chains_with_limits_are_all_met(n, kind):
    rng = np.random.default_rng(n)
    chain = limited(n, kind, rng)
    ranges = np.array([joint.range for joint in chain.joints]).T
    for _ in range(60):
        q = rng.uniform(*ranges)
        heading = math.pi / 2 + np.cumsum(q)
        target = (chain.lengths[:, None] * np.column_stack([np.cos(heading), np.sin(heading)])).sum(axis=0)
        solution = chain.solve(target, method="bezier")
        check(chain, solution, target)
        angles = angles_of(solution.points, chain.points)
        assert (angles >= ranges[0] - 1e-9).all()
        assert (angles <= ranges[1] + 1e-9).all()
        assert solution.limit_excess == 0.0


@pytest.mark.compiled
@pytest.mark.parametrize("joints", ["cones", "hinges", "ellipses"])
@pytest.mark.parametrize("count", [0, 4])
def test_chains_in_space_with_limits_are_posed_with_and_without_obstacles(joints, count):
    rng = np.random.default_rng(5)
    n = 6
    kinds = {
        "cones": [Cone(0.7)] * n,
        "hinges": [Hinge(axis=[(1, 0, 0), (0, 1, 0)][i % 2], range=(-1.0, 1.0)) for i in range(n)],
        "ellipses": [Cone((0.9, 0.4), toward=(1, 0, 0), twist=(-0.3, 0.3))] * n,
    }
    chain = fa.Chain(straight(n, 3), joints=kinds[joints])
    solved = 0
    for _ in range(25):
        q = np.zeros((n, 3))
        q[:, : 1 if joints == "hinges" else 2] = rng.uniform(-0.28, 0.28, (n, 1 if joints == "hinges" else 2))
        pose = chain.bones.pose_of(q, np.zeros(3))[1]
        obstacles = []
        while len(obstacles) < count:
            item = fa.Sphere(pose[rng.integers(n + 1)] + rng.normal(size=3), rng.uniform(0.2, 0.6))
            if clearance_by_sampling(pose, [item]) > 0.1:
                obstacles.append(item)
        solution = chain.solve(pose[-1], method="bezier", obstacles=obstacles, clearance=0.05)
        rebuilt = chain.bones.pose_of(solution.joint_values, np.zeros(3))[1]
        np.testing.assert_allclose(rebuilt, solution.points, atol=1e-9)
        if solution.success:
            solved += 1
            assert solution.limit_excess <= 1e-9
            assert math.dist(rebuilt[-1], pose[-1]) <= 1e-6 * n
            assert not obstacles or clearance_by_sampling(rebuilt, obstacles) >= 0.05 - 1e-9
    assert solved == 25


@pytest.mark.compiled
def test_planar_limits_and_obstacles_together():
    rng = np.random.default_rng(3)
    chain = limited(8, "even", rng)
    ranges = np.array([joint.range for joint in chain.joints]).T
    for _ in range(25):
        q = rng.uniform(*ranges)
        q[0] *= 0.3
        heading = math.pi / 2 + np.cumsum(q)
        pose = np.vstack([np.zeros(2), np.cumsum(np.column_stack([np.cos(heading), np.sin(heading)]), axis=0)])
        obstacles = []
        while len(obstacles) < 4:
            item = fa.Box(pose[rng.integers(9)] + 1.5 * rng.normal(size=2), rng.uniform(0.3, 1.0, 2), rng.uniform(0, 3))
            if clearance_by_shapely(pose, [item]) > 0.1:
                obstacles.append(item)
        solution = chain.solve(pose[-1], method="bezier", obstacles=obstacles, clearance=0.05)
        assert solution.success
        assert clearance_by_shapely(solution.points, obstacles) >= 0.05 - 1e-12
        angles = angles_of(solution.points, chain.points)
        assert (angles >= ranges[0] - 1e-9).all()
        assert (angles <= ranges[1] + 1e-9).all()


def test_limits_that_block_are_named():
    chain = fa.Chain(SIX, joints=Hinge(range=(-0.3, 0.3)))
    solution = chain.solve([0, -2], method="bezier")
    assert solution.status is fa.Status.LIMITS
    assert "with these joints at their limits" in solution.reason
    assert solution.limit_excess == 0.0


def test_a_chain_with_limits_goes_on_from_its_start():
    chain = fa.Chain(SIX, joints=Hinge(range=(-1.0, 1.0)))
    one = chain.solve([2.0, 3.0], method="bezier")
    two = chain.solve([2.02, 3.0], method="bezier", start=one)
    assert two.success
    assert turns(one.points, two.points).max() < 0.1


def test_fixed_joints_keep_their_angle():
    chain = fa.Chain([[0, 0], [0, 1], [1, 1], [1, 2], [1, 3]], joints=[Ball(), fa.joints.Fixed(), Ball(), Ball()])
    solution = chain.solve([1.5, 1.5], method="bezier")
    assert solution.success
    assert angles_of(solution.points, chain.points)[1] == pytest.approx(0.0, abs=1e-9)


# -- the published search ------------------------------------------------------------------------


def test_paper_mode_tells_its_residual_and_iterations():
    chain = fa.Chain(SIX)
    missed = chain.solve([2, 2], method="bezier", mode="paper")
    assert missed.residual == pytest.approx(0.0655, abs=5e-6)
    assert missed.status is fa.Status.NOT_CONVERGED
    shifted = chain.solve([2, 2], method="bezier", mode="paper", shift=-0.2)
    assert shifted.success
    assert shifted.residual <= 1e-3
    assert 100 < shifted.iterations < 1000
    linear = chain.solve([4, 0], method="bezier", mode="paper", linear=True, grid=4101, steps=800)
    assert linear.success
    assert linear.iterations > 100_000
    for solution in (missed, shifted, linear):
        np.testing.assert_allclose(np.linalg.norm(np.diff(solution.points, axis=0), axis=1), 1.0, atol=1e-12)
        tip = math.dist(solution.points[-1], [4, 0] if solution is linear else [2, 2])
        assert solution.position_error == pytest.approx(tip, abs=1e-12)


def test_paper_mode_works_in_any_position_and_by_reflection():
    points = np.array(SIX) @ [[0, 1], [-1, 0]] + [5.0, 7.0]
    moved = fa.Chain(points).solve([5.0 - 2.0, 7.0 + 4.0], method="bezier", mode="paper")
    plain = fa.Chain(SIX).solve([4.0, 2.0], method="bezier", mode="paper")
    assert moved.residual == pytest.approx(plain.residual, abs=1e-9)
    below = fa.Chain(SIX).solve([2, 4], method="bezier", mode="paper", shift=2.0, reflect=True)
    assert below.success
    assert fa.Chain(SIX).solve([9, 9], method="bezier", mode="paper").success is False


def test_exact_poses_cover_what_the_published_rule_leaves_out():
    rng = np.random.default_rng(0)
    chain = fa.Chain(SIX)
    solved = 0
    for _ in range(60):
        angle, radius = rng.uniform(0, 2 * math.pi), 5.0 * math.sqrt(rng.random())
        target = [radius * math.cos(angle), radius * math.sin(angle)]
        assert chain.solve(target, method="bezier").success
        solved += chain.solve(target, method="bezier", mode="paper", grid=1001, steps=200).success
    assert solved < 45


# -- bad input -----------------------------------------------------------------------------------

TARGET, OPTION, MODEL, UNSUPPORTED = (
    fa.errors.TargetError,
    fa.errors.OptionError,
    fa.errors.ModelError,
    fa.errors.UnsupportedError,
)
BAD = [
    ({"target": [math.nan, 0.0]}, TARGET, "nan"),
    ({"target": np.array([math.inf, 0.0])}, TARGET, "inf"),
    ({"target": [1e200, 0.0]}, TARGET, "entries below"),
    ({"target": [1.0, 2.0, 3.0]}, TARGET, "shape \\(3,\\)"),
    ({"target": np.array([1.0, 2.0, 3.0])}, TARGET, "shape \\(3,\\)"),
    ({"target": fa.Pose(np.eye(4))}, UNSUPPORTED, "takes a point"),
    ({"mode": "papers"}, OPTION, "'exact' or 'paper'"),
    ({"clearance": -1.0, "obstacles": []}, OPTION, "clearance is -1"),
    ({"thickness": -1.0}, OPTION, "thickness is -1"),
    ({"thickness": [0.1, 0.2]}, OPTION, "one per link \\(5\\)"),
    ({"obstacles": [fa.Sphere([0, 0, 0], 1.0)]}, OPTION, "3 coordinates"),
    ({"obstacles": "wall"}, OPTION, "takes a list"),
    ({"shfit": 1.0}, OPTION, "did you mean shift"),
    ({"max_turn": 0.0}, OPTION, "max_turn is 0"),
    ({"method": "fabrik", "max_turn": 1.0}, OPTION, "has no option 'max_turn'"),
    ({"method": "fabrik", "mode": "paper"}, OPTION, "has no option 'mode'"),
    ({"method": "beziers", "obstacles": []}, OPTION, "did you mean bezier"),
    ({"pole": [1.0, 2.0, 3.0]}, OPTION, "pole"),
    ({"start": np.zeros((3, 2))}, MODEL, "start has shape"),
]


@pytest.mark.parametrize(("given", "error", "words"), BAD)
def test_bad_input_is_refused_with_the_value_seen(given, error, words):
    arguments = {"target": [2.0, 2.0], "method": "bezier"} | given
    with pytest.raises(error, match=words):
        fa.Chain(SIX).solve(**arguments)


def test_what_bezier_cannot_do_is_said():
    with pytest.raises(UNSUPPORTED, match="fixed base"):
        fa.Chain(SIX, free_base=True).solve([2, 2], method="bezier")
    with pytest.raises(UNSUPPORTED, match="planar chains"):
        fa.Chain(straight(3, 3)).solve([1, 1, 1], method="bezier", mode="paper")
    with pytest.raises(MODEL, match="length 0 m"):
        fa.Chain([[0, 0], [0, 0], [0, 1]])
