"""Gaps of an arm: against coal and brute force, gradients against differences, certified ways against samples."""

import math

import numpy as np
import pytest

import forearm as fa
from forearm.core.arm.compact import ARM_COLUMNS, is_coupled, padded
from forearm.core.arm.problem import Gauge
from forearm.core.collision.bodies import (
    OWN_MOST,
    PLACED,
    WATCHED,
    Stance,
    World,
    gap_between,
    gap_from,
    is_clear,
    least_gap,
    may_be_near,
    may_meet,
    worst_gap,
)
from forearm.core.collision.clearance import put
from forearm.core.collision.obstacle_rows import segment_gap
from forearm.core.collision.repair import place_on, write_row
from forearm.core.general.lm import Aim, Try
from forearm.scenes.scene import HalfSpace, Mesh, PointCloud, Scene

coal = pytest.importorskip("coal")

WITHIN = 1e-9  # [m]
PRISMATIC_ARM = """<robot name="slide"><link name="a"/><link name="b"/><link name="c"/><link name="d"/><link name="e"/>
  <joint name="turn" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
    <origin xyz="0 0 0.2"/><limit lower="-2.5" upper="2.5"/></joint>
  <joint name="lift" type="revolute"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/>
    <origin xyz="0.1 0 0.1"/><limit lower="-1.2" upper="1.8"/></joint>
  <joint name="push" type="prismatic"><parent link="c"/><child link="d"/><axis xyz="1 0 0"/>
    <origin xyz="0.25 0 0"/><limit lower="0.05" upper="0.3"/></joint>
  <joint name="roll" type="revolute"><parent link="d"/><child link="e"/><axis xyz="0 1 0"/>
    <origin xyz="0.1 0 0"/><limit lower="-2" upper="2"/><mimic joint="lift" multiplier="-0.5" offset="0.2"/></joint>
</robot>"""


def rotation(rng):
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q * np.sign(np.linalg.det(Q))


def coal_capsule(a, b, radius):
    length = float(np.linalg.norm(b - a))
    if length == 0.0:
        return coal.Sphere(radius), coal.Transform3s(np.eye(3), a)
    z = (b - a) / length
    x = np.cross(z, [1.0, 0, 0] if abs(z[0]) < 0.9 else [0, 1.0, 0])
    x /= np.linalg.norm(x)
    return coal.Capsule(radius, length), coal.Transform3s(np.stack([x, np.cross(z, x), z], axis=1), (a + b) / 2)


def coal_distance(one, other):
    request = coal.DistanceRequest()
    request.enable_signed_distance = True
    request.gjk_tolerance = request.epa_tolerance = 1e-12
    request.gjk_max_iterations = 1000
    return coal.distance(one[0], one[1], other[0], other[1], request, coal.DistanceResult())


def brute_distance(obstacle, a, b):
    """The distance of a segment from an obstacle outside of it: golden search on a convex function."""
    low, high = 0.0, 1.0

    def at(s):
        return point_distance(obstacle, a + s * (b - a))

    for _ in range(200):
        third = (high - low) / 3
        if at(low + third) <= at(high - third):
            high -= third
        else:
            low += third
    return at(0.5 * (low + high))


def point_distance(obstacle, p):
    if isinstance(obstacle, fa.Box):
        local = np.abs(np.array(obstacle.rotation).T @ (p - obstacle.center)) - np.multiply(0.5, obstacle.size)
        return float(np.linalg.norm(np.maximum(local, 0.0)))
    if isinstance(obstacle, HalfSpace):
        return float(np.dot(obstacle.normal, p - np.array(obstacle.point)))
    a, b = (obstacle.center, obstacle.center) if isinstance(obstacle, fa.Sphere) else (obstacle.a, obstacle.b)
    way = np.subtract(b, a)
    share = np.clip((p - a) @ way / (way @ way), 0.0, 1.0) if way.any() else 0.0
    return float(np.linalg.norm(p - a - share * way)) - obstacle.radius


def draw(kind, rng):
    if kind == "sphere":
        shape = fa.Sphere(rng.uniform(-0.5, 0.5, 3), rng.uniform(0.01, 0.3))
        return shape, (coal.Sphere(shape.radius), coal.Transform3s(np.eye(3), np.array(shape.center)))
    if kind == "capsule":
        shape = fa.Capsule(*rng.uniform(-0.5, 0.5, (2, 3)), rng.uniform(0.01, 0.2))
        return shape, coal_capsule(np.array(shape.a), np.array(shape.b), shape.radius)
    if kind == "box":
        shape = fa.Box(rng.uniform(-0.5, 0.5, 3), rng.uniform(0.02, 0.5, 3), rotation(rng))
        return shape, (coal.Box(*shape.size), coal.Transform3s(np.array(shape.rotation), np.array(shape.center)))
    shape = HalfSpace(rng.uniform(-0.5, 0.5, 3), rng.normal(size=3))
    normal = np.array(shape.normal)
    return shape, (coal.Halfspace(normal, float(normal @ shape.point)), coal.Transform3s.Identity())


@pytest.mark.compiled
@pytest.mark.parametrize("kind", ["sphere", "capsule", "box", "half-space"])
@pytest.mark.parametrize("body", ["capsule", "sphere"])
def test_distances_are_those_of_coal(kind, body):
    rng = np.random.default_rng(5)
    for _ in range(1500):
        shape, placed = draw(kind, rng)
        a, b = rng.uniform(-1.0, 1.0, (2, 3))
        b = a if body == "sphere" else b
        radius = rng.uniform(0.01, 0.1)
        ours = segment_gap(shape.rows(), 0, tuple(a), tuple(b - a))[0] - radius
        theirs = coal_distance(coal_capsule(a, b, radius), placed)
        if abs(ours - theirs) > WITHIN:  # coal iterates; where it is less exact, a search decides
            assert ours > -radius, "axes that cross have no distance to search for"
            assert ours == pytest.approx(brute_distance(shape, a, b) - radius, abs=WITHIN)


@pytest.mark.compiled
def test_a_segment_with_a_point_inside_a_box_always_has_a_way_out_of_it():
    rng = np.random.default_rng(9)
    for _ in range(4000):
        box = fa.Box(rng.uniform(-0.5, 0.5, 3), rng.uniform(0.02, 0.5, 3), rotation(rng))
        inside = np.array(box.rotation) @ (rng.uniform(-0.45, 0.45, 3) * box.size) + box.center
        way = rng.normal(size=3)
        a, b = inside - rng.uniform(0, 1) * way, inside + rng.uniform(0, 1) * way
        assert segment_gap(box.rows(), 0, tuple(a), tuple(b - a))[0] < -0.04 * min(box.size)


def triangle_distance(corners, p):
    """The distance of a point from a triangle by its projections, in plain numpy."""
    a, b, c = corners
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal)
    foot = p - normal * (normal @ (p - a))
    inside = all(normal @ np.cross(v - u, foot - u) >= 0.0 for u, v in ((a, b), (b, c), (c, a)))
    if inside:
        return abs(float(normal @ (p - a)))
    return min(
        float(np.linalg.norm(p - u - np.clip((p - u) @ (v - u) / ((v - u) @ (v - u)), 0, 1) * (v - u)))
        for u, v in ((a, b), (b, c), (c, a))
    )


def test_distances_from_a_triangle_are_those_of_a_search():
    rng = np.random.default_rng(6)
    for _ in range(40):
        corners, (a, b) = rng.uniform(-0.5, 0.5, (3, 3)), rng.uniform(-1.0, 1.0, (2, 3))
        gap, s, away = segment_gap(Mesh(corners, [[0, 1, 2]]).rows(), 0, tuple(a), tuple(b - a))
        sampled = min(triangle_distance(corners, a + t * (b - a)) for t in np.linspace(0.0, 1.0, 400))
        assert gap <= sampled + WITHIN
        assert gap >= sampled - np.linalg.norm(b - a) / 800 - WITHIN
        assert gap == pytest.approx(triangle_distance(corners, a + s * (b - a)), abs=WITHIN)
        assert np.linalg.norm(away) == pytest.approx(1.0)


def test_a_segment_through_a_triangle_has_distance_zero_and_one_on_its_rim_too():
    rows = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]).rows()
    assert segment_gap(rows, 0, (0.2, 0.2, -1.0), (0.0, 0.0, 3.0))[:2] == (0.0, pytest.approx(1 / 3))
    assert segment_gap(rows, 0, (0.5, -1.0, 0.0), (0.0, 2.0, 0.0))[0] == pytest.approx(0.0, abs=1e-15)
    assert segment_gap(rows, 0, (2.0, 0.0, 0.0), (0.0, 0.0, 0.0))[0] == pytest.approx(1.0)


def place_arm(robot, q):
    g = robot.geometry
    m = robot.model.m
    gauge = Gauge(np.zeros((3, padded(m))), np.empty((4, 4)), np.empty(6))
    aim = Aim(0.0, 0.0, 0.0, 0.0, False, is_coupled(g.chain))
    trial = Try(g.chain, aim, np.empty((m, ARM_COLUMNS)), gauge, np.empty(0))  # it takes no step, so it has no budget
    stance = Stance(trial, np.empty((len(g.bodies), PLACED)))
    put(stance, g.bodies, np.ascontiguousarray(q))
    return g, stance.trial, stance.placed


ARMS = {
    "panda": lambda: fa.load("panda").with_geometry(radius=0.05),
    "scara": lambda: fa.load("scara").with_geometry(radius=0.03),
    "slide and mimic": lambda: fa.Robot.from_urdf(PRISMATIC_ARM).with_geometry(radius=0.03),
}


@pytest.mark.parametrize("name", ARMS)
def test_bodies_are_where_forward_kinematics_puts_them(name):
    robot = ARMS[name]()
    model = robot.model
    for q in robot.sample(5, 1):
        g, _, placed = place_arm(robot, q)
        T, frames = np.eye(4), []
        for link, (slides, variable, ratio) in zip(model.links[:-1], model.joints, strict=True):
            T = T @ np.vstack([link, [0, 0, 0, 1]])
            value = ratio * q[int(variable)]
            c, s = (1.0, 0.0) if slides else (math.cos(value), math.sin(value))
            T = T @ np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, value if slides else 0.0], [0, 0, 0, 1]])
            frames.append(T)
        owners = g.bodies[:, 0].astype(int)
        for frame in sorted({frame for frame in owners.tolist() if frame >= 0}):
            here = frames[frame][:3, 3]
            ahead = (frames[frame] @ np.append(model.links[frame + 1, :, 3], 1.0))[:3]
            if np.linalg.norm(ahead - here) < 1e-9:
                continue  # a slide without a link behind it: its rod alone
            starts = placed[owners == frame, :3]
            ends = starts + placed[owners == frame, 3:]
            # the link's capsules lead from the joint to the next, one behind the other
            point, left = here, list(range(len(starts)))
            while not np.allclose(point, ahead, atol=1e-12):
                k = next(k for k in left if np.allclose(starts[k], point, atol=1e-12))
                point, left = ends[k], [other for other in left if other != k]


@pytest.mark.parametrize("name", ARMS)
def test_gradients_are_those_of_differences(name):
    robot, h = ARMS[name](), 1e-6
    scene = Scene([fa.Sphere([0.4, 0.1, 0.5], 0.1), fa.Box([0.2, -0.4, 0.3], [0.1, 0.2, 0.3]), HalfSpace([0, 0, -0.1])])
    rows, checked = scene.rows, 0

    def gaps(q):
        g, _, placed = place_arm(robot, q)
        world = World(g.bodies, g.pairs, g.charts.rows, rows, 0.0)
        found = [gap_from(world, k, placed, b)[0] for b in range(len(g.bodies)) for k in range(len(rows))]
        return np.array(found + [gap_between(world, placed, a, b)[0] for a, b in g.pairs])

    for q in robot.sample(4, 2):
        g, trial, placed = place_arm(robot, q)
        world = World(g.bodies, g.pairs, g.charts.rows, rows, 0.0)
        numeric = np.array([(gaps(q + h * e) - gaps(q - h * e)) / (2 * h) for e in np.eye(robot.n)]).T
        row, i = np.empty(robot.n), 0
        here = gaps(q)
        for b, frame in enumerate(g.bodies[:, 0].astype(int)):
            for k in range(len(rows)):
                _, s, n = gap_from(world, k, placed, b)
                write_row(trial, 0, frame, place_on(placed, b, s), n, row)
                if here[i] > 0.0:  # inside, depths have kinks
                    assert row == pytest.approx(numeric[i], abs=1e-6)
                    checked += 1
                i += 1
        for a, b in g.pairs:
            _, s, n = gap_between(world, placed, a, b)
            first, last = int(g.bodies[a, 0]) + 1, int(g.bodies[b, 0])
            write_row(trial, first, last, place_on(placed, b, s), n, row)
            assert row == pytest.approx(numeric[i], abs=1e-5)
            i += 1
    assert checked > 20


@pytest.mark.compiled
def test_a_pose_is_clear_exactly_if_its_least_gap_is_large_enough_with_and_without_bounds():
    robot, rng = ARMS["panda"](), np.random.default_rng(3)
    shapes = [draw(kind, rng)[0] for kind in ("sphere", "capsule", "box") for _ in range(5)]
    rows = Scene([*shapes, PointCloud(rng.uniform(-1, 1, (20, 3)), 0.02), HalfSpace([0, 0, -0.2])]).rows
    for q in robot.sample(100, 4):
        g, _, placed = place_arm(robot, q)
        world = World(g.bodies, g.pairs, g.charts.rows, rows, 0.0)
        least = least_gap(world, placed, None, math.inf, math.inf)[0]
        watched = [b for b in range(len(g.bodies)) if g.bodies[b, WATCHED]]
        outer = min(gap_from(world, k, placed, b)[0] for b in watched for k in range(len(rows)))
        inner = min(gap_between(world, placed, a, b)[0] for a, b in g.pairs)
        assert least == min(outer, inner)
        for clearance in (0.0, 0.01, 0.1, outer, inner, np.nextafter(outer, 1), np.nextafter(inner, 1)):
            asked = World(g.bodies, g.pairs, g.charts.rows, rows, clearance)
            clear = outer >= clearance and inner >= min(clearance, OWN_MOST)
            assert is_clear(asked, placed, None) == clear
            worst, body, other = worst_gap(asked, placed, None)
            assert (worst == math.inf) == clear
            assert clear or worst in (outer, inner)
            assert clear or (other < 0) == (worst == inner)
            assert clear or body >= 0
        for b in range(len(g.bodies)):
            for k in range(len(rows)):
                gap = gap_from(world, k, placed, b)[0]  # what is nearer than asked is never passed over
                assert may_be_near(world, k, placed, b, np.nextafter(gap, math.inf))
        for a, b in g.pairs:
            gap = gap_between(world, placed, a, b)[0]
            assert may_meet(world, placed, a, b, np.nextafter(gap, math.inf))


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["panda", "slide and mimic"])
def test_a_certified_way_keeps_its_clearance_everywhere(name):
    robot, rng = ARMS[name](), np.random.default_rng(8)
    free = 0
    for trial in range(60):
        Q = robot.sample(2, trial)
        scene = Scene([fa.Capsule(*rng.uniform(-0.7, 0.7, (2, 3)), 0.002) for _ in range(3)])  # thin
        between = Q[0] + np.linspace(0.0, 1.0, 4000)[:, None] * (Q[1] - Q[0])
        least = robot.clearance(between, scene).distance.min()
        verdict = robot.is_free_between(*Q, scene, clearance=0.01)
        assert verdict == robot.is_free_between(*Q[::-1], scene, clearance=0.01)
        if verdict:
            assert least >= 0.01 - 1e-4
            free += 1
        else:
            assert least < 0.01 + 1e-3  # samples of a long way may miss the lowest place by this
    assert 0 < free < 60
