"""Covers: they hold what they cover, and change no answer."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import forearm as fa
from forearm.arm.covers import Covered, cover
from forearm.core.collision.bodies import FRAME, RADIUS, SPAN, START, WATCHED
from forearm.scenes import DistanceField, PointCloud, Scene
from forearm.solve.collision import guard_of

pytestmark = pytest.mark.compiled  # which links may touch is found out in 3,000 configurations


def beaded(base):
    """An arm of four joints whose links are rows of twelve spheres: more than one cover holds. Its base too, or not."""
    beads = "".join(
        f'<collision><origin xyz="{0.03 * k} {0.01 * (k % 2)} 0"/>'
        '<geometry><sphere radius="0.03"/></geometry></collision>'
        for k in range(1, 13)
    )
    links = "".join(f'<link name="l{i}">{beads if i or base else ""}</link>' for i in range(5))
    joints = "".join(
        f'<joint name="j{i}" type="revolute"><parent link="l{i}"/><child link="l{i + 1}"/>'
        f'<origin xyz="{0.4 if i else 0} 0 {0 if i else 0.3}"/><axis xyz="{axis}"/>'
        '<limit lower="-2.8" upper="2.8"/></joint>'
        for i, axis in enumerate(("0 0 1", "0 1 0", "0 1 0", "0 0 1"))
    )
    return fa.Robot.from_urdf(f'<robot name="beads">{links}{joints}</robot>')


def guards(arm, obstacles):
    """The same guard with covers and without."""
    guard = guard_of(arm._prepared, Scene(obstacles), 0.01, True)
    g = guard.geometry
    bare = replace(
        guard, covered=Covered(g.bodies, g.sure, g.pairs, g.pairs, g.names, g.inner, g.charts), pairs=g.pairs
    )
    return guard, bare


@pytest.fixture(scope="module", params=[False, True], ids=["bare base", "base of many bodies"])
def arm(request):
    return beaded(request.param)


def obstacles(rng, many=0):
    """Boxes and a sphere, with many points a tree of them, and a rough field of distances."""
    field = DistanceField(rng.uniform(-0.05, 1.0, (4, 4, 4)), 0.3, [-1.5, -1.5, 0.0])
    found = [fa.Box(p, [0.1, 0.2, 0.05]) for p in rng.uniform(-1.2, 1.2, (12, 3))] + [fa.Sphere([0.9, 0, 0.3], 0.05)]
    return [*found, field, PointCloud(rng.uniform(-1.5, 1.5, (many, 3)), 0.01)] if many else found


def test_a_cover_holds_all_that_it_covers(arm):
    covered = cover(arm.geometry)
    held, within = 0, 0
    for b, row in enumerate(covered.bodies):
        for member in covered.bodies[b + 1 : b + int(max(abs(row[WATCHED]), 1))]:
            if abs(member[WATCHED]) > 1.0:
                within += 1
                continue
            for end in (member[START : START + 3], member[START : START + 3] + member[SPAN : SPAN + 3]):
                way = row[SPAN : SPAN + 3]
                share = np.clip((end - row[START : START + 3]) @ way / (way @ way), 0.0, 1.0)
                off = np.linalg.norm(end - row[START : START + 3] - share * way)
                assert off + member[RADIUS] <= row[RADIUS]
                assert member[FRAME] == row[FRAME]
                held += 1
    assert held >= 2 * 12 * 3
    assert within  # covers under covers
    assert (covered.pairs < 0).any()


def test_what_stands_still_is_passed_over_at_once_and_held_against_the_arm():
    arm = beaded(base=True)
    first, names = cover(arm.geometry).bodies[0], {name for pair in arm.geometry.checked for name in pair}
    assert first[FRAME] == -1.0
    assert first[WATCHED] == -(cover(arm.geometry).bodies[:, FRAME] == -1.0).sum()
    assert "l0" in names
    into = [q for q in arm.sample(400, rng_seed=2) if "l0" in str(arm.clearance(q)) and arm.clearance(q).distance < 0.0]
    assert into
    answers = [arm.solve(fa.Position(arm.fk(q)[:3, 3]), q, self_collision=True) for q in into[:5]]
    assert sum(s.success for s in answers) >= 2  # each from a start that collides
    for s in answers:
        assert s.status is (fa.Status.SOLVED if arm.clearance(s.q).distance >= 0.01 else fa.Status.COLLISION)


@pytest.mark.parametrize("many", [0, 300])
def test_covers_change_no_distance_and_no_name(arm, many):
    guard, bare = guards(arm, obstacles(np.random.default_rng(0), many))
    Q = arm.sample(25, rng_seed=0)
    for clearance in (np.inf, 0.05):
        seen, known = guard.measure(Q, clearance), bare.measure(Q, clearance)
        assert np.array_equal(seen[0], known[0])
        for (body, other), (one, two) in zip(seen[1].tolist(), known[1].tolist(), strict=True):
            assert guard.naming.name(0.0, body, other) == bare.naming.name(0.0, one, two)
    free = [guard.is_free_between(a, b) for a, b in pairwise(Q)]
    assert free == [bare.is_free_between(a, b) for a, b in pairwise(Q)]


def test_a_solve_among_obstacles_keeps_clear_of_them_under_covers(arm):
    rng = np.random.default_rng(3)
    scene, solved = Scene(obstacles(rng)), 0
    for q in arm.sample(8, rng_seed=1):
        s = arm.solve(fa.Position(arm.fk(q)[:3, 3]), obstacles=scene, explain=False, max_tries=8)
        if s.success:
            solved += 1
            assert arm.clearance(s.q, scene).distance >= 0.01 - 1e-12
    assert solved >= 3


def test_arms_of_few_bodies_have_no_covers():
    geometry = fa.load("ur5").geometry
    assert cover(geometry).bodies is geometry.bodies
