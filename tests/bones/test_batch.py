"""Batches of chains and skeletons: the bits of single calls in any cut, judged on the points themselves."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import forearm as fa
from forearm.bones.batch import as_bone_starts, as_bone_targets, solve_many
from forearm.bones.methods import METHODS, read_problem

TOLERANCE = 1e-6  # of a bare point, as a share of the chain's length

POINTS = [[0, 0, 0], [0.3, 0, 0], [0.55, 0, 0], [0.65, 0, 0.1]]
FREE = fa.Chain(POINTS)
CONES = fa.Chain(POINTS, fa.joints.Cone(1.2))
PLANE = fa.Chain([[0, 0], [0, 1], [0, 2], [0, 3]])
TREE = fa.Skeleton({"spine": (None, [0, 0, 1]), "left": ("spine", [0.5, 0, 1]), "right": ("spine", [-0.5, 0, 1])})


def points_round(count, dim, size, seed=0):
    """Points in and beyond a ball of the chain's size."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, dim)) * 0.5 * size


def assert_same(batch, singles):
    """Every field of every target has the same bits."""
    assert len(batch) == len(singles)
    np.testing.assert_array_equal(batch.points, [s.points for s in singles])
    np.testing.assert_array_equal(batch.status_names, [str(s.status) for s in singles])
    for name in ("position_error", "rotation_error", "iterations", "tries"):
        np.testing.assert_array_equal(getattr(batch, name), [getattr(s, name) for s in singles])
    for one, other in zip(batch, singles, strict=True):
        np.testing.assert_array_equal(one.joint_values, other.joint_values)
        assert one.reason == other.reason
        assert one.clearance == other.clearance
        assert one.method == other.method


@pytest.mark.compiled
@pytest.mark.parametrize("explain", [False, True], ids=["bare", "explained"])
@pytest.mark.parametrize("chain", [FREE, CONES, PLANE], ids=["free", "cones", "plane"])
def test_a_batch_has_the_bits_of_single_calls(chain, explain):
    P = points_round(4, chain.dim, chain.reach)
    assert_same(chain.solve_batch(P, explain=explain), [chain.solve(p, explain=explain) for p in P])


@pytest.mark.compiled
@pytest.mark.parametrize(
    "how",
    [
        {"refine": False, "max_sweeps": 3},
        {"pole": [0.0, 0.0, 1.0]},
        {"method": "bezier"},
        {"obstacles": [fa.Sphere([0.3, 0.3, 0.3], 0.15)], "thickness": 0.01},
        {"tolerance": 1e-3, "max_steps": 4},
    ],
    ids=lambda how: next(iter(how)),
)
@pytest.mark.parametrize("chain", [FREE, CONES], ids=["free", "cones"])
def test_options_reach_every_target(chain, how):
    P = points_round(5, 3, chain.reach, seed=1)
    assert_same(chain.solve_batch(P, **how), [chain.solve(p, explain=False, **how) for p in P])


@pytest.mark.compiled
def test_targets_of_other_kinds_are_solved_as_single_ones_are():
    goals = np.stack([fa.Pose(p, rpy=[0, 0.3, 0]).goal for p in points_round(6, 3, 0.4, seed=2)])
    assert_same(CONES.solve_batch(goals), [CONES.solve(T, explain=False) for T in goals])
    aimed = [fa.PointAxis(T[:3, 3], T[:3, 0], tool_axis=[1, 0, 0]) for T in goals]
    assert_same(CONES.solve_batch(aimed), [CONES.solve(t, explain=False) for t in aimed])
    many = CONES.solve_batch(fa.Position.many(goals[:, :3, 3], tol=1e-4))
    assert_same(many, [CONES.solve(fa.Position(T[:3, 3], tol=1e-4), explain=False) for T in goals])


def test_a_few_of_every_road_are_the_same_uncompiled_too():
    """One target with a pole, on a curve, from a pose of its own, of another kind, and of a skeleton."""
    p = np.array([[0.3, 0.2, 0.2], [0.2, -0.3, 0.2]])
    for how in ({"pole": [0.0, 0.0, 1.0]}, {"method": "bezier"}, {"max_steps": 3}):
        assert_same(FREE.solve_batch(p, **how), [FREE.solve(one, explain=False, **how) for one in p])
    first = FREE.solve_batch(p)
    goal = [FREE.solve(one, start=pose, explain=False) for one, pose in zip(p + 0.01, first, strict=True)]
    assert_same(FREE.solve_batch(p + 0.01, start=first), goal)
    assert_same(FREE.solve_batch(p + 0.01, start=[first[0], first[1]]), goal)
    points = [FREE.solve(one, start=pose, explain=False) for one, pose in zip(p + 0.01, first.points, strict=True)]
    assert_same(FREE.solve_batch(p + 0.01, start=first.points), points)
    easy = fa.Position.many(p, tol=1e-2)
    assert_same(FREE.solve_batch(easy), [FREE.solve(fa.Position(one, tol=1e-2), explain=False) for one in p])
    tips = {"left": np.array([[0.5, 0.1, 1.0]])}
    assert_same(TREE.solve_batch(tips), [TREE.solve({"left": tips["left"][0]}, explain=False)])


@pytest.mark.compiled
@pytest.mark.parametrize("chain", [FREE, CONES], ids=["free", "cones"])
def test_each_target_may_go_on_from_a_pose_of_its_own(chain):
    P = points_round(8, 3, chain.reach, seed=3)
    first = chain.solve_batch(P)
    moved = P + 0.01
    singles = [chain.solve(p, start=s, explain=False) for p, s in zip(moved, first, strict=True)]
    assert_same(chain.solve_batch(moved, start=first), singles)
    assert_same(chain.solve_batch(moved, start=[first[i] for i in range(8)]), singles)
    by_points = [chain.solve(p, start=s, explain=False) for p, s in zip(moved, first.points, strict=True)]
    assert_same(chain.solve_batch(moved, start=first.points), by_points)
    one = [chain.solve(p, start=first[2], explain=False) for p in moved]
    assert_same(chain.solve_batch(moved, start=first[2]), one)


@pytest.mark.compiled
def test_a_skeleton_solves_sets_of_targets():
    aside = np.array([0.5, 0.0, 0.0])
    left, right = points_round(6, 3, 0.3, seed=4) + aside, points_round(6, 3, 0.3, seed=5) - aside
    left[:, 2] += 1.0
    right[:, 2] += 1.0
    singles = [
        TREE.solve({"left": a, "right": b}, weights={"left": 2.0}, explain=False)
        for a, b in zip(left, right, strict=True)
    ]
    assert_same(TREE.solve_batch({"left": left, "right": right}, weights={"left": 2.0}), singles)
    with pytest.raises(fa.errors.OptionError, match="as many as the others"):
        TREE.solve_batch({"left": left, "right": right[:3]})
    with pytest.raises(fa.errors.OptionError, match="no option 'grid'"):
        TREE.solve_batch({"left": left}, grid=3)


@pytest.mark.compiled
@settings(max_examples=15)
@given(st.integers(1, 3), st.integers(1, 9), st.integers(0, 1000))
def test_neither_cut_nor_threads_are_seen_in_the_bits(threads, piece, seed):
    P = points_round(20, 3, CONES.reach, seed)
    wants = as_bone_targets(CONES.bones, CONES.n - 1, P, 1.0, None)[:, None]
    problem = read_problem(CONES.bones, METHODS["fabrik"], wants[0], None, None, {})
    cut = solve_many(problem, problem.all_asks(wants), (None,), False, threads, piece=piece)
    whole = CONES.solve_batch(P, threads=1)
    np.testing.assert_array_equal(cut.points, whole.points)
    np.testing.assert_array_equal(cut.status, whole.status)
    np.testing.assert_array_equal(cut.report, whole.report)


@pytest.mark.compiled
def test_solved_tips_are_on_their_targets_and_bones_keep_their_lengths():
    P = points_round(400, 3, FREE.reach, seed=6)
    batch = FREE.solve_batch(P)
    tips, lengths = batch.points[:, -1], np.linalg.norm(np.diff(batch.points, axis=1), axis=2)
    off = np.linalg.norm(tips - P, axis=1)
    inside = np.linalg.norm(P, axis=1) < FREE.reach * (1 - 1e-9)
    assert (off[batch.success] <= TOLERANCE * FREE.reach).all()
    np.testing.assert_array_equal(batch.success, inside)
    np.testing.assert_allclose(lengths, np.broadcast_to(FREE.lengths, lengths.shape), rtol=1e-12)


def test_a_batch_reads_by_place_slice_and_mask_and_sums_itself_up():
    P = points_round(10, 3, FREE.reach, seed=7)
    P[3] = [9.0, 0.0, 0.0]
    batch = FREE.solve_batch(P, explain=True)
    assert not batch
    assert "too far" in batch[3].reason
    missed = batch[~batch.success]
    assert "too far" in missed[0].reason
    assert "of 10 solved by fabrik" in batch.summary()
    assert "out_of_reach" in repr(batch)
    assert len(batch[2:4]) == 2
    assert len(FREE.solve_batch(np.empty((0, 3)))) == len(FREE.solve_batch([])) == 0


@pytest.mark.compiled
def test_progress_is_told_and_no_thread_stays():
    told, before = [], threading.active_count()
    CONES.solve_batch(points_round(100, 3, 0.6), progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (100, 100)
    assert threading.active_count() == before


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: FREE.solve_batch(np.zeros((3, 2))), r"shape \(3, 2\); it takes \(N, 3\) points"),
        (lambda: FREE.solve_batch([[0, 0, 0], [0, np.nan, 0]]), r"nan at \[1, 1\]"),
        (lambda: FREE.solve_batch([[0, 0, 0], [0, 1e300, 0]]), r"targets\[1\] has an entry beyond"),
        (lambda: FREE.solve_batch(fa.Position([0, 0, 1])), "put it in a list"),
        (lambda: FREE.solve_batch([fa.Position([0, 0, 1]), fa.Position([0, 0, 1], tol=[1, 2, 3])]), r"targets\[1\]"),
        (lambda: FREE.solve_batch(np.zeros((3, 3)), start=np.zeros((2, 4, 3))), r"start has shape \(2, 4, 3\)"),
        (lambda: FREE.solve_batch(np.zeros((3, 3)), start=FREE.solve_batch(np.zeros((2, 3)))), "start has 2 poses"),
        (lambda: FREE.solve_batch(np.zeros((3, 3)), grid=4), "has no option 'grid'"),
        (lambda: FREE.solve_batch(np.zeros((3, 3)), max_sweeps=-1), "max_sweeps is -1"),
        (lambda: FREE.solve_batch(np.zeros((3, 3)), threads=0), "threads is 0"),
        (lambda: FREE.solve_batch(np.zeros((3, 3)), method="fabrique"), "method 'fabrique' is unknown"),
    ],
)
def test_wrong_input_is_named(call, match):
    with pytest.raises(fa.ForearmError, match=match):
        call()


def test_starts_of_a_batch_are_one_or_as_many_as_targets():
    assert as_bone_starts(FREE.bones, None, 3) == (None,)
    assert len(as_bone_starts(FREE.bones, np.zeros((3, 4, 3)), 3)) == 3
