"""Solving among obstacles: what is free is free by coal, what is proven is so, what is wrong is told."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import forearm as fa
from forearm.scenes.scene import HalfSpace, Mesh, PointCloud, Scene


@pytest.fixture(scope="module")
def bench():
    """The benchmarks' scenes and their judge, coal."""
    pytest.importorskip("coal")
    import coal_judge
    import collision
    import honest_judge
    import scenes

    return scenes, collision, coal_judge, honest_judge


@pytest.fixture(scope="module")
def panda():
    return fa.load("panda").with_geometry(radius=0.05)


@pytest.fixture(scope="module")
def ur5():
    return fa.load("ur5").with_geometry(radius=0.05)


# -- free poses ----------------------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["ur5", "iiwa14", "panda", "snake-15"])
@pytest.mark.parametrize("kind", ["std", "shelf", "cage"])
def test_every_scene_is_solved_and_free_by_coal(bench, name, kind):
    scenes, collision, *_ = bench
    robot = scenes.load(name)
    for seed in range(5000, 5025):
        T, scene, _ = scenes.draw(robot, kind, seed)
        s = robot.solve(T, obstacles=scene, clearance=scenes.CLEARANCE, explain=False)
        assert s.success, f"seed {seed}: {s}"
        assert collision.is_good(robot, s.q, T, scene), f"seed {seed}: {s}"


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("method", "name"),
    [("fabrik-r", "ur5"), ("fabrik-r", "iiwa14"), ("fabrik-r", "panda"), ("combined", "ur5"), ("combined", "iiwa14")],
)
@pytest.mark.parametrize("kind", ["std", "shelf", "cage"])
def test_the_methods_of_the_papers_find_their_own_way_round_obstacles(bench, method, name, kind):
    scenes, collision, *_ = bench
    robot, own, blind = scenes.load(name), 0, 0
    for seed in range(6000, 6025):
        T, scene, _ = scenes.draw(robot, kind, seed)
        for q0 in (None, robot.sample(1, rng_seed=seed)[0]):
            s = robot.solve(T, q0, method=method, obstacles=scene, clearance=scenes.CLEARANCE, explain=False)
            assert s.success, f"seed {seed}: {s}"
            assert collision.is_good(robot, s.q, T, scene), f"seed {seed}: {s}"
            own += s.method == method  # else the general solver behind it
            blind += collision.is_good(robot, robot.solve(T, q0, method=method, explain=False).q, T, scene)
    # without a thought of obstacles the same method is free less often
    assert own > blind or own == 50
    assert own >= 45 if (method, kind) != ("combined", "cage") else own >= 25


@pytest.mark.compiled
def test_the_general_solver_stands_behind_the_methods_of_the_papers(ur5):
    T = ur5.fk([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
    shut = [fa.Sphere(T[:3, 3], 0.2)]
    for method in ("fabrik-r", "combined"):
        s = ur5.solve(T, method=method, obstacles=shut, explain=False)
        assert s.status is fa.Status.COLLISION
        assert s.method == "general"
        assert "no free pose was found" in ur5.solve(T, method=method, obstacles=shut).reason
        batch = ur5.solve_batch(T[None], method=method, obstacles=shut, explain=False)
        np.testing.assert_array_equal(batch.q[0], s.q)


@pytest.mark.compiled
def test_the_clearance_told_is_that_of_coal(bench):
    scenes, _, coal_judge, _ = bench
    robot = scenes.load("panda")
    for seed in range(30):
        T, scene, _ = scenes.draw(robot, "std", seed)
        s = robot.solve(T, obstacles=scene)
        assert s.clearance == pytest.approx(coal_judge.clearance(robot, s.q, scene), abs=1e-6)
        assert s.closest == robot.clearance(s.q, scene)


@pytest.mark.compiled
def test_with_a_start_the_answer_stays_near_it(bench):
    scenes, collision, *_ = bench
    robot = scenes.load("panda")
    near = 0
    for seed in range(60):
        T, scene, q = scenes.draw(robot, "cage", seed)
        s = robot.solve(T, robot.clip(q + 0.05), obstacles=scene)
        assert collision.is_good(robot, s.q, T, scene)
        near += np.abs(s.q - q).max() < 0.5
    assert near >= 57


def test_among_free_branches_the_nearest_is_taken(ur5):
    q0 = np.array([0.3, -1.2, 1.5, -0.4, 1.2, 0.3])
    T = ur5.fk(q0)
    free = ur5.solve(T, q0, obstacles=[], self_collision=True)
    assert free.success
    assert free.q == pytest.approx(q0, abs=1e-6)
    ball = [fa.Sphere(ur5.fk_all(q0)[2][:3, 3], 0.05)]  # at the elbow
    away = ur5.solve(T, q0, obstacles=ball)
    assert away.success
    assert ur5.fk(away.q) == pytest.approx(T, abs=1e-6)
    nearest = np.abs(away.q - q0).max()
    assert nearest > 0.5
    for start in ur5.sample(60, 1):  # other branches, by the plain solver
        other = ur5.solve(T, start).q
        other = other - 2 * math.pi * np.round((other - q0) / (2 * math.pi))
        if ur5.clearance(other, ball).distance >= 0.01:
            assert np.abs(other - q0).max() >= nearest - 1e-6


def test_six_joints_take_the_nearest_free_of_all_branches(ur5):
    ball = [fa.Sphere([0.3, 0.2, 0.5], 0.15), fa.Capsule([-0.4, 0.1, 0], [-0.4, 0.1, 0.8], 0.06)]
    answered = 0
    for q0 in ur5.sample(40, 3):
        T = ur5.fk(q0)
        s, branches = ur5.solve(T, q0, obstacles=ball, explain=False), ur5.solve_all(T, q0)
        free = [b.q for b in branches if ur5.clearance(b.q, ball).distance >= 0.01]
        assert s.success == bool(free)
        assert s.method == "closed-form (three parallel axes)"
        assert s.iterations == 0
        if free:
            answered += 1
            assert s.q == pytest.approx(free[0], abs=1e-6)
    assert answered > 10


def test_blocked_branches_are_no_proof_where_one_of_them_is_singular(ur5):
    q = np.array([0.3, -1.2, 1.5, -0.4, 1.2, 0.3])
    for wrist, proven in ((1.2, True), (0.0, False)):  # at 0 the last axis lies along the parallel ones
        q[4] = wrist
        T = ur5.fk(q)
        ball = {"ball": fa.Sphere(T[:3, 3], 0.1)}
        for start in (None, *ur5.sample(4, 2)):
            s = ur5.solve(T, start, obstacles=ball)
            assert s.status is fa.Status.COLLISION
            assert ("(proven)" in s.reason) == proven
            assert s.clearance < 0.0


def test_a_large_clearance_from_obstacles_never_lets_the_arm_touch_itself(panda):
    far = [fa.Sphere([3.0, 0, 0], 0.1)]
    solved = 0
    for q in panda.sample(60, 5):
        s = panda.solve(panda.fk(q), obstacles=far, clearance=0.08, explain=False)
        solved += s.success
        assert not s.success or panda.clearance(s.q).distance >= 0.01
    assert solved > 30


def test_other_targets_are_solved_among_obstacles_too(panda):
    wall = Scene({"wall": fa.Box([0.3, 0.3, 0.4], [0.6, 0.02, 0.8])})
    for target in (fa.Position([0.4, 0.1, 0.4]), fa.PointAxis([0.4, 0.1, 0.3], [0, 0, -1])):
        s = panda.solve(target, obstacles=wall, clearance=0.02)
        assert s.success
        assert panda.clearance(s.q, wall).distance >= 0.02


def test_the_same_call_gives_the_same_bits(panda):
    T = panda.fk(panda.sample(1, 9)[0])
    scene = Scene([fa.Sphere([0.3, 0.3, 0.3], 0.1)])
    assert (panda.solve(T, obstacles=scene).q == panda.solve(T, obstacles=scene).q).all()


def test_a_tool_is_part_of_the_last_link(panda):
    tool = np.eye(4)
    tool[2, 3] = 0.3
    T = panda.with_tool(tool).fk(panda.neutral)
    ball = [fa.Sphere(T[:3, 3] - 0.15 * T[:3, 2], 0.03)]
    assert panda.solve(T, tool=tool, obstacles=ball).status is fa.Status.COLLISION


# -- verdicts ------------------------------------------------------------------------------------


def test_a_target_inside_an_obstacle_is_proven_blocked_and_names_link_obstacle_and_depth(panda):
    q = panda.sample(1, 4)[0]
    T = panda.fk(q)
    s = panda.solve(T, obstacles={"vase": fa.Sphere(T[:3, 3], 0.1)})
    assert s.status is fa.Status.COLLISION
    assert not s.success
    assert "proven" in s.reason
    assert "link 'after panda_joint7'" in s.reason
    assert "into 'vase'" in s.reason
    assert s.closest.distance < -0.09
    assert panda.fk(s.q) == pytest.approx(T, abs=2e-6)  # it still meets the target


def test_all_branches_blocked_is_a_proof_for_six_joints(ur5):
    q = np.array([0.3, -1.2, 1.5, -0.4, 1.2, 0.3])
    T = ur5.fk(q)
    # a shell round the shoulder's reach leaves the tool outside and cuts every upper arm
    shell = {f"ring {k}": fa.Capsule(a, b, 0.03) for k, (a, b) in enumerate(ring(0.25, 0.089, 24))}
    s = ur5.solve(T, obstacles=shell)
    assert s.status is fa.Status.COLLISION
    assert "(proven)" in s.reason
    assert ur5.fk(s.q) == pytest.approx(T, abs=1e-6)
    assert s.clearance < 0.01


def ring(radius, z, count):
    """Segments over all heights on a cylinder about the base: a cage of bars."""
    angles = np.linspace(0, 2 * math.pi, count, endpoint=False)
    return [
        (
            np.array([radius * math.cos(t), radius * math.sin(t), z - 0.6]),
            np.array([radius * math.cos(t), radius * math.sin(t), z + 0.6]),
        )
        for t in angles
    ]


def test_an_obstacle_round_the_base_is_told_apart_from_an_unreachable_target(panda):
    T = panda.fk(panda.sample(1, 4)[0])
    s = panda.solve(T, obstacles={"crate": fa.Sphere([0, 0, 0.333], 0.1)})
    assert s.status is fa.Status.COLLISION
    assert "no target can be met (proven)" in s.reason
    assert "no joint moves" in s.reason
    far = T.copy()
    far[0, 3] += 3.0
    s = panda.solve(far, obstacles={"crate": fa.Sphere([0.5, 0.5, 0.333], 0.1)})
    assert s.status is fa.Status.OUT_OF_REACH


@pytest.mark.compiled
def test_nothing_found_says_that_it_is_no_proof_and_shows_the_least_overlap(panda):
    T = panda.fk(np.array([0.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.8]))
    bars = {f"bar {k}": fa.Capsule(a, b, 0.02) for k, (a, b) in enumerate(ring(0.22, 0.333, 16))}
    s = panda.solve(T, obstacles=bars)
    assert s.status is fa.Status.COLLISION
    assert "not a proof that there is none" in s.reason
    assert "in 512 tries" in s.reason
    assert s.clearance < 0.01 - 0.02
    thin = panda.solve(T, obstacles=[fa.Capsule(bar.a, bar.b, 0.001) for bar in bars.values()])
    assert "in 2304 tries" in thin.reason  # much work for little that is lacking alone
    assert 0.01 - 0.02 < thin.clearance < 0.01
    assert panda.fk(s.q) == pytest.approx(T, abs=2e-6)
    tiny = panda.solve(T, obstacles=bars, max_tries=2, explain=False)
    assert tiny.status is fa.Status.COLLISION
    assert math.isfinite(tiny.clearance)
    assert panda.fk(tiny.q) == pytest.approx(T, abs=2e-6)
    assert s.clearance >= tiny.clearance


@pytest.mark.compiled
def test_limits_that_block_are_told_as_without_obstacles(panda):
    T = panda.fk(panda.neutral)
    s = panda.solve(T, limits={"panda_joint4": (-0.5, -0.1)}, obstacles=[fa.Sphere([0.9, 0.9, 0.9], 0.1)])
    assert s.status is fa.Status.LIMITS


# -- clearance -----------------------------------------------------------------------------------


def test_clearance_in_batch_is_that_of_singles(panda):
    scene = Scene(
        {"ball": fa.Sphere([0.4, 0, 0.4], 0.1), "cloud": PointCloud([[0.2, 0.3, 0.5], [0.5, 0.2, 0.2]], 0.03)}
    )
    Q = panda.sample(20, 3)
    batch = panda.clearance(Q, scene)
    assert len(batch) == 20
    for i, q in enumerate(Q):
        assert batch[i] == panda.clearance(q, scene)


def test_a_mesh_keeps_the_distance_of_the_box_it_draws(panda):
    corners = np.array([[x, y, z] for x in (0.3, 0.5) for y in (-0.1, 0.1) for z in (0.2, 0.4)])
    faces = [
        [0, 1, 3],
        [0, 3, 2],
        [4, 6, 7],
        [4, 7, 5],
        [0, 4, 5],
        [0, 5, 1],
        [2, 3, 7],
        [2, 7, 6],
        [0, 2, 6],
        [0, 6, 4],
        [1, 5, 7],
        [1, 7, 3],
    ]
    mesh, box = [Mesh(corners, faces)], [fa.Box([0.4, 0, 0.3], [0.2, 0.2, 0.2])]
    for q in panda.sample(50, 1):
        by_mesh, by_box = (panda.clearance(q, scene, self_collision=False).distance for scene in (mesh, box))
        if by_box > -0.05:  # no axis has crossed the surface
            assert by_mesh == pytest.approx(by_box, abs=1e-12)
        else:
            assert by_mesh < 0.0


def test_nothing_is_near_where_nothing_is():
    arm = fa.load("planar-3")
    clear = arm.clearance(arm.neutral, self_collision=False)
    assert clear.distance == math.inf
    assert str(clear) == "nothing is near"


def test_a_way_through_a_wall_is_not_free_though_both_ends_are(panda):
    qa, qb = np.array([0.8, 0.5, 0, -1.5, 0, 2, 0]), np.array([-0.8, 0.5, 0, -1.5, 0, 2, 0])
    wall = [fa.Box([0.5, 0.0, 0.5], [0.4, 0.01, 0.6])]
    assert panda.clearance(qa, wall).distance > 0.01
    assert panda.clearance(qb, wall).distance > 0.01
    assert not panda.is_free_between(qa, qb, wall)
    assert panda.is_free_between(qa, qb)
    assert panda.is_free_between(qa, qa, wall)


# -- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fa.Sphere([0, 0, 0], -1), "cannot be negative"),
        (lambda: fa.Capsule([0, 0, 0], [0, 0, math.nan], 1), "must be finite"),
        (lambda: fa.Box([0, 0, 0], [1, -1, 1]), "positive"),
        (lambda: HalfSpace([0, 0, 0], [0, 0, 0]), "length zero"),
        (lambda: HalfSpace([0, 0, math.nan]), "must be finite"),
        (lambda: PointCloud([[0, 0]], 0.1), "(N, 3)"),
        (lambda: PointCloud([[0, 0, 0]], -0.1), "cannot be negative"),
        (lambda: Mesh([[0, 0, 0]], [[0, 1, 2]]), "counted from 0"),
        (lambda: Mesh([[0, 0]], [[0, 0, 0]]), "(v, 3)"),
        (lambda: Mesh([[0, 0, 0]], [[0, 0.5, 0]]), "whole numbers"),
        (lambda: Scene([fa.Sphere([0, 0], 1)]), "give it 3"),
        (lambda: Scene(["box"]), "obstacles are"),
        (lambda: Scene("box"), "takes a list"),
        (lambda: Scene({1: fa.Sphere([0, 0, 0], 1)}), "names are texts"),
        (lambda: Mesh.from_file("no-such.stl"), "there is no mesh file"),
    ],
)
def test_obstacles_that_are_none_are_refused(make, words):
    with pytest.raises(fa.errors.OptionError, match=words.replace("(", r"\(").replace(")", r"\)")):
        make()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"clearance": -0.1}, "a distance from 0"),
        ({"clearance": math.nan}, "finite"),
        ({"method": "dls"}, "does not look at obstacles"),
        ({"timeout": 1.0}, "timeout does not go"),
        ({"rest": [0.0] * 7}, "rest does not go"),
        ({"self_collision": "yes"}, "True or False"),
        ({"max_tires": 3}, "max_tries"),
    ],
)
def test_wrong_options_are_refused(panda, options, words):
    with pytest.raises(fa.errors.OptionError, match=words):
        panda.solve(np.eye(4), obstacles=[], **options)


def test_bad_targets_and_starts_raise_as_without_obstacles(panda):
    with pytest.raises(fa.errors.TargetError):
        panda.solve(2 * np.eye(4), obstacles=[])
    with pytest.raises(fa.errors.OptionError, match="outside the limits"):
        panda.solve(panda.fk(panda.neutral), np.full(7, 9.0), obstacles=[])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda r, T: r.solve(T, obstacles=[fa.Sphere([1e300, 0, 0], 1e300)]), r"1e\+300 m away; obstacles stay below"),
        (lambda r, T: r.solve_batch(T[None], method="dls", obstacles=[fa.Sphere([1, 1, 1], 0.1)]), "does not look at"),
        (lambda r, T: r.with_geometry(allow=3), "the allow-list is 3; it takes pairs"),
        (lambda r, T: r.with_geometry(allow=[("panda_joint1", "panda_joint7")]), "'panda_joint1' .* has no body"),
        (lambda r, T: r.solve(T, obstacles=[], swivel=0.1), "swivel does not go with obstacles"),
        (lambda r, T: r.solve(T, obstacles=[], method="nonsense"), "method 'nonsense' is unknown"),
        (lambda r, T: r.solve(T, self_collision=1), "self_collision is 1; it takes True or False"),
        (lambda r, T: r.solve(T, clearance=0.1), "clearance is 0.1 and there is nothing to keep away from"),
        (lambda r, T: r.track([T], clearance=0.1), "clearance is 0.1 and there is nothing to keep away from"),
        (lambda r, T: r.solve(T, obstacle=[]), "no option 'obstacle'; did you mean obstacles"),
        (lambda r, T: fa.Sphere([0, 0, 1], True), "radius .* is True, not a number"),
        (lambda r, T: Mesh(np.eye(3), [[0, 1, 1.5]]), "name corner 1.5; they take whole numbers"),
    ],
)
def test_what_does_not_go_among_obstacles_is_refused(panda, call, words):
    with pytest.raises(fa.errors.OptionError, match=words):
        call(panda, panda.fk(panda.neutral))


@pytest.mark.compiled
def test_links_of_one_arm_keep_less_than_the_clearance_and_the_sentence_says_how_much():
    """The UR5's wrist is 0.0123 m from its base here: enough for 0.012 m, not for 0.0125 m, the most that is asked."""
    arm = fa.load("ur5")
    q = [-3.5887420629084055, 3.1880379051474534, 3.769328034887195, -3.9, 3.9, 3.9]
    far = [fa.Sphere([5.0, 5.0, 5.0], 0.1)]
    assert arm.solve(arm.fk(q), q, obstacles=far, clearance=0.012).success
    refused = arm.solve(arm.fk(q), q, obstacles=far, clearance=0.03)
    assert refused.status is fa.Status.COLLISION
    assert "(clearance 0.0125 m)" in refused.reason


@pytest.mark.compiled
def test_a_scene_asked_for_again_answers_as_a_new_one(panda):
    items = {"post": fa.Capsule([0.4, 0.2, 0], [0.4, 0.2, 0.6], 0.05)}
    scene = Scene(items)
    for q in panda.sample(10, 9):
        T = panda.fk(q)
        for clearance in (0.01, 0.05):
            again = panda.solve(T, obstacles=scene, clearance=clearance, explain=False)
            new = panda.solve(T, obstacles=Scene(items), clearance=clearance, explain=False)
            assert again.q.tobytes() == new.q.tobytes()
            assert again.status is new.status


# -- what the tolerances and the limits of a call change ------------------------------------------


@pytest.mark.compiled
def test_what_tolerances_leave_room_for_is_not_proven_and_mostly_found(ur5):
    """Spheres that touch every branch of the exact pose, but not every pose within 5 cm of it."""
    free = listed = 0
    for q in ur5.sample(120, rng_seed=11):
        T = ur5.fk(q)
        elbows = [ur5.fk_all(branch.q)[2, :3, 3] for branch in ur5.solve_all(T)]
        spheres = [fa.Sphere(point + np.array([0.0, 0.0, 0.075]), 0.02) for point in elbows]
        exact = ur5.solve(T, obstacles=spheres, self_collision=False, clearance=0.01)
        if exact.success or "branch" not in exact.reason:
            continue
        s = ur5.solve(fa.Pose(T, tol=(0.05, 0.1)), obstacles=spheres, self_collision=False, clearance=0.01)
        listed += 1
        free += s.success
        assert s.success or "(proven)" not in s.reason
        assert not s.success or s.clearance >= 0.01 - 1e-9
    assert listed >= 10
    assert free >= 0.8 * listed


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["irb140", "panda"])
def test_links_that_meet_only_beyond_the_models_limits_are_held_apart_there(bench, name):
    """The judge holds every pair of links that are no neighbours against each other, by coal."""
    *_, honest_judge = bench
    arm = fa.load(name).with_geometry(radius=0.06)
    wide, judged = np.array([[-3.1] * arm.n, [3.1] * arm.n]), 0
    own = arm.with_limits(wide)
    for q in np.random.default_rng(2).uniform(*wide, (150, arm.n)):
        s = arm.solve(arm.fk(q), limits=wide, self_collision=True, clearance=0.001, explain=False)
        if s.success:
            judged += 1
            _, gap = honest_judge.least_gap(SimpleNamespace(tooled=own, radius=0.06, scene=[]), s.q)
            assert gap > 0.001 - 1e-6
        gap = honest_judge.least_gap(SimpleNamespace(tooled=own, radius=0.06, scene=[]), q)[1]
        assert gap > -1e-6 or arm.clearance(q).distance == pytest.approx(gap, abs=1e-6)
    assert judged > 30


@pytest.mark.compiled
def test_a_free_pose_anywhere_inside_a_wide_tolerance_is_found():
    for name in ("ur5", "panda"):
        arm = fa.load(name)
        for T in arm.fk(arm.sample(25, rng_seed=3)):
            T[:3, 3] *= 1.0 + 0.97 * 0.05 / np.linalg.norm(T[:3, 3])  # to the rim, away from the base
            far_off = {"obstacles": [fa.Sphere([3.0, 0.0, 0.0], 0.1)], "self_collision": False}
            for explain in (False, True):
                s = arm.solve(fa.Pose(T, tol=(0.05, 1e-6)), explain=explain, **far_off)
                assert s.success, s.reason


@pytest.mark.parametrize("name", ["ur5", "panda"])
@pytest.mark.parametrize("axis", [False, True])
def test_a_point_under_the_floor_is_proven_to_be_out_of_the_question(name, axis):
    arm, point = fa.load(name).with_geometry(radius=0.04), [0.4, 0.1, -0.2]
    target = fa.PointAxis(point, [0, 0, -1]) if axis else fa.Position(point)
    s = arm.solve(target, obstacles=Scene({"floor": HalfSpace([0, 0, 0])}), clearance=0.0)
    assert s.status is fa.Status.COLLISION
    assert "(proven)" in s.reason
    assert "'floor'" in s.reason


def test_nothing_is_proven_of_an_arm_whose_shapes_are_a_guess_and_that_is_the_reason_told():
    s = fa.load("panda").solve(fa.Position([0.4, 0.1, -0.3]), obstacles={"floor": HalfSpace([0.0, 0.0, 0.0])})
    assert s.status is fa.Status.COLLISION
    assert "(not proven, its shapes being a guess)" in s.reason


def test_a_point_near_the_floor_is_not_out_of_the_question():
    arm = fa.load("ur5").with_geometry(radius=0.04)
    s = arm.solve(fa.Position([0.4, 0.1, 0.06]), obstacles=[HalfSpace([0, 0, 0])], clearance=0.0)
    assert s.success
