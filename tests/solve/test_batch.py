"""Batches: the bits of single calls in any cut, judged by forward kinematics; wrong input named by place."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import forearm as fa
from forearm.common.threads import count_threads, share_out
from forearm.core.codes import POSE
from forearm.results.batch import STATUSES
from forearm.solve import batch as batch_module
from forearm.solve.arguments import Arguments
from forearm.solve.methods.table import METHODS
from forearm.targets.target import as_targets

TOLERANCE = 1e-6  # [m] and [rad], what a solved target keeps
FIELDS = ("position_error", "rotation_error", "iterations", "tries")


@pytest.fixture(scope="module")
def ur5():
    return fa.load("ur5")


@pytest.fixture(scope="module")
def panda():
    return fa.load("panda")


def targets_of(kind, T):
    """One target of each pose, and the same as arrays."""
    if kind == "pose":
        return list(T), T
    if kind == "position":
        return [fa.Position(t[:3, 3]) for t in T], fa.Position.many(T[:, :3, 3])
    if kind == "orientation":
        return [fa.Orientation(t[:3, :3]) for t in T], fa.Orientation.many(T[:, :3, :3])
    if kind == "axis":
        return [fa.PointAxis(t[:3, 3], t[:3, 2]) for t in T], fa.PointAxis.many(T[:, :3, 3], T[:, :3, 2])
    tol = [1e-6, 1e-6, 1e-6, 1e-6, 1e-6, np.inf]
    return [fa.Pose(t, tol=tol) for t in T], fa.Pose.many(T, tol=tol)


def assert_same(batch, singles):
    """Every field of every target has the same bits."""
    assert len(batch) == len(singles)
    np.testing.assert_array_equal(batch.q, [s.q for s in singles])
    assert batch.status_names.tolist() == [str(s.status) for s in singles]
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(batch, name), [getattr(s, name) for s in singles])
    assert [s.reason for s in batch] == [s.reason for s in singles]
    assert batch.method.tolist() == [s.method for s in singles]


def half_unreachable(robot, count, seed=3):
    """Poses of the robot's own, every third moved out of reach or next to it."""
    T = robot.fk(robot.sample(count, rng_seed=seed))
    T[::3, :3, 3] *= 1.6
    return T


# -- the same bits as single calls ---------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.parametrize("explain", [False, True], ids=["bare", "explained"])
@pytest.mark.parametrize("name", ["ur5", "panda"])
def test_a_batch_among_obstacles_has_the_bits_of_single_calls(name, explain):
    """Free answers, collisions and targets out of reach alike; and every free answer keeps its distance."""
    robot = fa.load(name)
    T = half_unreachable(robot, 6)
    among = {"obstacles": [fa.Box([0.4, 0.0, 0.3], [0.3, 0.6, 0.3])], "clearance": 0.02, "max_tries": 8}
    batch = robot.solve_batch(T, explain=explain, threads=2, **among)
    singles = [robot.solve(t, explain=explain, **among) for t in T]
    assert_same(batch, singles)
    np.testing.assert_array_equal(batch.clearance[batch.success], [s.clearance for s in singles if s.success])
    assert (robot.clearance(batch.q, among["obstacles"], self_collision=False).distance[batch.success] >= 0.02).all()
    near = robot.solve_batch(T, q0=robot.neutral, max_joint_step=2.0, **among)
    assert_same(near, [robot.solve(t, q0=robot.neutral, max_joint_step=2.0, explain=False, **among) for t in T])
    with pytest.raises(fa.errors.OptionError, match="rest does not go with obstacles"):
        robot.solve_batch(T, rest=robot.neutral, **among)


@pytest.mark.parametrize("start", ["none", "one", "each"])
@pytest.mark.parametrize("kind", ["pose", "position", "orientation", "axis", "free-roll"])
@pytest.mark.parametrize("name", ["ur5", pytest.param("panda", marks=pytest.mark.compiled)])
def test_a_batch_has_the_bits_of_single_calls(name, kind, start):
    robot = fa.load(name)
    singles, arrays = targets_of(kind, half_unreachable(robot, 12))
    each = robot.sample(12, rng_seed=5)
    q0 = {"none": None, "one": robot.neutral, "each": each}[start]
    starts = {"none": [None] * 12, "one": [robot.neutral] * 12, "each": each}[start]
    expected = [robot.solve(t, q, explain=False) for t, q in zip(singles, starts, strict=True)]
    assert_same(robot.solve_batch(arrays, q0, threads=1), expected)
    assert_same(robot.solve_batch(singles, q0, threads=2), expected)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_the_bits_of_single_calls(ur5, method):
    T = half_unreachable(ur5, 6)
    expected = [ur5.solve(t, ur5.neutral, method=method, explain=False) for t in T]
    assert_same(ur5.solve_batch(T, ur5.neutral, method=method), expected)


@pytest.mark.parametrize(
    ("name", "method", "looped"),
    [("ur5", "closed-form", True), ("panda", "general", True), ("panda", "closed-form", False)],  # it holds a joint
)
def test_a_compiled_loop_is_the_kernel_called_one_by_one(request, name, method, looped):
    robot, row = request.getfixturevalue(name), METHODS[method]
    T, q0 = half_unreachable(robot, 20), robot.sample(20, rng_seed=9)
    expected = [robot.solve(t, q, method=method, explain=False) for t, q in zip(T, q0, strict=True)]
    assert_same(robot.solve_batch(T, q0, method=method), expected)
    loop = row.kernels(robot._prepared.of(row, POSE)[1]).loop
    assert (loop is not None) == looped


@pytest.mark.parametrize("starts", ["none", "each"])
def test_what_a_first_method_leaves_is_solved_by_the_next(panda, monkeypatch, starts):
    first, second = METHODS["dls"], METHODS["general"]
    T = half_unreachable(panda, 10)
    q0 = None if starts == "none" else panda.sample(10, rng_seed=5)
    alone = panda.solve_batch(T, q0, method="dls", restarts=0, max_iterations=12)
    behind = panda.solve_batch(T, q0, method="general")
    assert 0 < alone.success.sum() < 10
    monkeypatch.setattr("forearm.solve.arguments.stages", lambda *asked, **how: (first, second))
    monkeypatch.setattr("forearm.solve.batch.ask_many", asking(second.options().pack(0.0)))
    both = panda.solve_batch(T, q0, method="dls", restarts=0, max_iterations=12)
    for i in range(10):
        expected = alone if alone.success[i] else behind
        np.testing.assert_array_equal(both.q[i], expected.q[i])
        assert both[i].method == expected[i].method
        assert both[i].status == expected[i].status
    assert "by dls and general" in both.summary()


def asking(packed):
    """`ask_many` with the general solver's own options: here the two methods share none."""
    plain = batch_module.ask_many

    def ask_many(problem, method, *out):
        plain(problem._replace(settings=packed) if method.name == "general" else problem, method, *out)

    return ask_many


@settings(max_examples=25)
@given(count=st.integers(0, 40), piece=st.integers(1, 45), threads=st.integers(1, 4), seed=st.integers(0, 99))
@pytest.mark.compiled
def test_no_cut_and_no_number_of_threads_changes_a_bit(panda, count, piece, threads, seed):
    T, q0 = half_unreachable(panda, count, seed), panda.sample(count, rng_seed=seed + 1)
    whole = panda.solve_batch(T, q0, threads=1)
    call = Arguments("solve_batch", panda._prepared, q0, method="general", explain=False)
    cut = call.solve_batch(T, threads=threads, piece=piece)
    for a, b in ((whole.q, cut.q), (whole.status, cut.status), (whole.report, cut.report)):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    "how",
    [
        {"max_joint_step": 0.4},
        {"locked": {1: 0.3}},
        {"limits": {0: (-1.0, 1.0)}},
        {"rest": True},
        {"tool": True},
        {"max_tries": 3, "rng_seed": 7},
    ],
    ids=lambda how: next(iter(how)),
)
def test_what_a_call_may_change_changes_a_batch_alike(panda, how):
    names, T = panda.joint_names, half_unreachable(panda, 12)
    q0 = np.clip(panda.sample(12, rng_seed=5), -0.9, 0.9)
    q0 = np.clip(q0, *panda.limits)
    how = {
        key: {names[k]: v for k, v in value.items()} if key in ("locked", "limits") else value
        for key, value in how.items()
    }
    how |= {"rest": panda.neutral} if "rest" in how else {}
    if "tool" in how:
        how["tool"] = np.eye(4)
        how["tool"][2, 3] = 0.1
    expected = [panda.solve(t, q, explain=False, **how) for t, q in zip(T, q0, strict=True)]
    assert_same(panda.solve_batch(T, q0, **how), expected)


@pytest.mark.compiled
@pytest.mark.parametrize("how", [{}, {"max_joint_step": 0.3}], ids=["plain", "step"])
def test_explained_failures_read_as_those_of_single_calls(panda, how):
    T, q0 = half_unreachable(panda, 9), panda.sample(9, rng_seed=5)
    expected = [panda.solve(t, q, **how) for t, q in zip(T, q0, strict=True)]
    batch = panda.solve_batch(T, q0, explain=True, **how)
    assert not batch.success.all()
    assert_same(batch, expected)


# -- what comes back -----------------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["ur5", "iiwa14", "panda"])
def test_reachable_poses_are_all_met_inside_the_limits(name):
    robot = fa.load(name)
    T = robot.fk(robot.sample(20_000, rng_seed=11))
    batch = robot.solve_batch(T, explain=True)  # which gives the last ones a second look
    reached = robot.fk(batch.q)
    assert batch.success.all()
    assert bool(batch)
    assert np.linalg.norm(reached[:, :3, 3] - T[:, :3, 3], axis=1).max() <= TOLERANCE
    turned = np.linalg.norm(reached[:, :3, :3] - T[:, :3, :3], axis=(1, 2)) / np.sqrt(2.0)  # angle, for small ones
    assert turned.max() <= 1.001 * TOLERANCE
    assert (robot.limits[0] <= batch.q).all()
    assert (batch.q <= robot.limits[1]).all()


def test_a_batch_can_be_read_by_place_slice_and_mask(ur5):
    T = half_unreachable(ur5, 9)
    T[0, :3, 3] = [2.0, 0.0, 0.5]
    batch = ur5.solve_batch(T, explain=True)
    assert len(batch) == 9
    assert not batch
    one, last = batch[0], batch[-1]
    assert isinstance(one, fa.Solution)
    assert not one.success
    assert "reach" in one.reason
    np.testing.assert_array_equal(last.q, batch.q[8])
    missed = batch[~batch.success]
    assert [s.reason for s in missed] == [s.reason for s in batch if not s.success]
    assert len(batch[2:5]) == 3
    with pytest.raises(IndexError):
        batch[9]


def test_a_solution_taken_out_does_not_change_the_batch(ur5):
    batch = ur5.solve_batch(ur5.fk(ur5.sample(3)))
    kept = batch.q.copy()
    batch[1].q[:] = 0.0
    np.testing.assert_array_equal(batch.q, kept)


def test_the_summary_counts_what_became_of_the_targets(ur5):
    T = ur5.fk(ur5.sample(6))
    assert ur5.solve_batch(T, method="general").summary().startswith("6 of 6 solved by general; largest errors")
    T[0, :3, 3] = [5.0, 0.0, 0.0]
    batch = ur5.solve_batch(T)
    assert "5 of 6 solved" in repr(batch)
    assert "5 solved, 1 out_of_reach" in batch.summary()
    assert len(repr(batch)) < 200
    assert STATUSES[batch.status[0]] is fa.Status.OUT_OF_REACH


@pytest.mark.compiled
def test_the_summary_says_what_helps_where_nothing_was_explained(ur5):
    T = ur5.fk(ur5.sample(6))
    T[0, :3, 3] = [0.0, 0.0, 0.0]  # inside the arm's own base, no bound proves it
    assert "explain=True" in ur5.solve_batch(T, max_tries=1).summary()
    assert "explain=True" not in ur5.solve_batch(T, explain=True).summary()


def test_nothing_to_solve_gives_an_empty_result(ur5):
    for nothing in (np.empty((0, 4, 4)), [], fa.Position.many(np.empty((0, 3)))):
        batch = ur5.solve_batch(nothing, q0=ur5.neutral, method="general")
        assert len(batch) == 0
        assert batch.q.shape == (0, 6)
        assert batch.summary() == "0 of 0 solved by general"


# -- what goes in --------------------------------------------------------------------------------


class OnlyDlpack:
    """An array that speaks DLPack and nothing else."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **how):
        return self.array.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OnlyArray:
    """An object with `__array__`."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return np.array(self.array, dtype=dtype)


def test_arrays_of_any_make_are_taken_and_left_alone(ur5):
    T = ur5.fk(ur5.sample(5))
    expected = ur5.solve_batch(T).q
    read_only = T.copy()
    read_only.flags.writeable = False
    strided = np.asfortranarray(T)
    for form in (OnlyDlpack(T), OnlyArray(T), list(T), T.tolist(), read_only, strided, [OnlyArray(t) for t in T]):
        np.testing.assert_array_equal(ur5.solve_batch(form).q, expected)
    single = T.astype(np.float32)
    np.testing.assert_array_equal(ur5.solve_batch(single).q, ur5.solve_batch(single.astype(float)).q)
    assert single.dtype == np.float32
    np.testing.assert_array_equal(read_only, T)


# Locked, nearly all are out of reach, which takes Python minutes to find out.
@pytest.mark.parametrize(
    "locked",
    [pytest.param(None, id="free"), pytest.param({"elbow_joint": 0.3}, id="locked", marks=pytest.mark.compiled)],
)
def test_arrays_that_are_read_in_place_keep_every_bit(ur5, locked):
    """Poses, and starts off by a hair or with a locked joint: what is moved is moved in a copy."""
    T, Q = ur5.fk(ur5.sample(20, rng_seed=4)), ur5.sample(20, rng_seed=5)
    Q[:, 0] = ur5.limits[1, 0] + 5e-5
    before = T.copy(), Q.copy()
    batch = ur5.solve_batch(T, Q, locked=locked)
    assert_same(batch, [ur5.solve(t, q, locked=locked, explain=False) for t, q in zip(T, Q, strict=True)])
    np.testing.assert_array_equal(T, before[0])
    np.testing.assert_array_equal(Q, before[1])


def test_targets_and_poses_may_stand_side_by_side(ur5):
    T = ur5.fk(ur5.sample(2))
    np.testing.assert_array_equal(ur5.solve_batch([fa.Pose(T[0]), T[1]]).q, ur5.solve_batch(T).q)


BAD_TARGETS = {
    "nan": (lambda T: T.__setitem__((3, 0, 3), np.nan), r"targets\[3\] has nan at \[0, 3\]"),
    "mirror": (lambda T: T.__setitem__((2, slice(0, 3), 0), -T[2, :3, 0]), r"targets\[2\] is not a rigid transform"),
    "row": (lambda T: T.__setitem__((4, 3, 0), 0.5), r"targets\[4\] is not a rigid transform: its last row"),
}


@pytest.mark.parametrize("fault", BAD_TARGETS)
def test_a_bad_pose_is_named_by_its_place(ur5, fault):
    spoil, message = BAD_TARGETS[fault]
    T = ur5.fk(ur5.sample(6))
    spoil(T)
    with pytest.raises(fa.errors.TargetError, match=message):
        ur5.solve_batch(T)


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        (np.eye(4), r"shape \(4, 4\); poses are an \(N, 4, 4\) array; one pose is a batch as T\[None\]"),
        (np.zeros((5, 3)), r"bare positions are not targets.*fa.Position.many"),
        (np.zeros((5, 4, 3)), r"shape \(5, 4, 3\)"),
        (np.full((2, 4, 4), 1j), "complex"),
        (None, "targets is None"),
        ("abc", "not an array of numbers"),
        ([np.eye(4), np.eye(3)], r"targets\[1\]: pose has shape \(3, 3\)"),
        (fa.Position([0.1, 0.2, 0.3]), "one Position; a batch takes several"),
        ([fa.Position([0.1, 0.2, 0.3]), np.eye(4)], r"targets\[1\] is a Pose and targets\[0\] a Position"),
        ([fa.Position([0.1, 0.2, 0.3]), [1, 2]], r"targets\[1\]: "),
        (np.ma.masked_array(np.eye(4)[None], mask=np.eye(4)[None] > 0), "masked"),
    ],
)
def test_wrong_targets_are_refused(ur5, targets, message):
    with pytest.raises(fa.errors.TargetError, match=message):
        ur5.solve_batch(targets)


@pytest.mark.parametrize(
    ("q0", "message"),
    [
        (np.zeros(5), r"shape \(5,\); for 3 targets ur5 takes \(6,\) for all, or \(3, 6\)"),
        (np.zeros((2, 6)), r"shape \(2, 6\)"),
        (np.zeros((1, 6)), r"shape \(1, 6\)"),
        (
            np.array([[0.0] * 6, [0.0] * 6, [9.0] + [0.0] * 5]),
            r"q0\[2\] is outside the limits: 'shoulder_pan_joint' = 9",
        ),
        (np.array([[0.0] * 6, [np.inf] * 6, [0.0] * 6]), r"q0\[1\] has inf at \[0\]"),
        (np.full(6, 9.0), r"^q0 is outside the limits"),
        ("start", "not an array of numbers"),
    ],
)
def test_wrong_starts_are_refused(ur5, q0, message):
    with pytest.raises(fa.errors.OptionError, match=message):
        ur5.solve_batch(ur5.fk(ur5.sample(3)), q0)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"threads": 0}, "threads is 0; it takes a whole number from 1 to 256"),
        ({"threads": 1.5}, "threads is 1.5"),
        ({"threads": True}, "threads is True"),
        ({"progress": "yes"}, "progress is 'yes'"),
        ({"timeout": 1.0}, "takes no timeout"),
        ({"max_joint_step": 0.1}, "give q0 too"),
        ({"method": "magic"}, "method 'magic' is unknown"),
        ({"tries": 3}, "has no option 'tries'"),
        ({"rest": [0.0]}, "rest has shape"),
    ],
)
def test_wrong_settings_are_refused(ur5, how, message):
    with pytest.raises(fa.errors.OptionError, match=message):
        ur5.solve_batch(ur5.fk(ur5.sample(3)), **how)


def test_a_kind_a_method_cannot_solve_is_refused(ur5):
    with pytest.raises(fa.errors.UnsupportedError, match="Orientation targets"):
        ur5.solve_batch(fa.Orientation.many(np.eye(3)[None]), method="fabrik-r")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fa.Position.many([[0.0, 0.0, 0.0], [0.0, np.nan, 0.0]]), r"points has nan at \[1, 1\]"),
        (lambda: fa.Position.many([0.0, 0.0, 0.0]), r"points has shape \(3,\); it takes an \(N, 3\) array"),
        (lambda: fa.Orientation.many(np.eye(3)), r"rotations has shape \(3, 3\)"),
        (lambda: fa.Orientation.many(2.0 * np.eye(3)[None]), r"rotations\[0\] is not a rigid"),
        (lambda: fa.PointAxis.many(np.zeros((2, 3)), np.zeros((2, 3))), r"directions\[0\] is a vector of length zero"),
        (lambda: fa.PointAxis.many(np.zeros((2, 3)), np.ones((3, 3))), r"directions has shape \(3, 3\); 2 points"),
        (lambda: fa.Pose.many(np.eye(4)[None], tol=-1.0), "tolerances must be positive"),
    ],
)
def test_wrong_arrays_of_targets_are_refused(make, message):
    with pytest.raises(fa.errors.TargetError, match=message):
        make()


@given(st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3).filter(lambda v: max(map(abs, v)) > 1e-3))
def test_directions_side_by_side_have_the_bits_of_single_ones(direction):
    many = fa.PointAxis.many(np.zeros((2, 3)), [direction, direction])
    np.testing.assert_array_equal(many.terms[1], fa.PointAxis(np.zeros(3), direction).terms)
    one_for_all = fa.PointAxis.many(np.zeros((2, 3)), direction)
    np.testing.assert_array_equal(one_for_all.terms, many.terms)


def test_targets_say_how_many_they_are():
    assert repr(as_targets(np.tile(np.eye(4), (7, 1, 1)))) == "Targets(7)"


# -- threads, progress, interrupts ---------------------------------------------------------------


@settings(max_examples=40)
@given(st.integers(0, 500), st.integers(1, 5), st.one_of(st.none(), st.integers(1, 60)))
def test_pieces_cover_the_range_once(total, threads, fixed):
    seen, lock = [], threading.Lock()

    def work(first, last):
        with lock:
            seen.extend(range(first, last))

    share_out(work, total, threads, None, fixed)
    assert sorted(seen) == list(range(total))


@pytest.mark.parametrize("threads", [1, 3])
def test_an_exception_in_a_worker_is_raised_and_all_threads_end(threads):
    before = threading.active_count()

    def work(first, last):
        if first >= 40:
            raise RuntimeError(f"piece {first}")
        time.sleep(0.001)

    with pytest.raises(RuntimeError, match="piece"):
        share_out(work, 10_000, threads, None, 20)
    assert threading.active_count() == before


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_is_told_to_the_end(ur5, threads):
    told = []
    ur5.solve_batch(ur5.fk(ur5.sample(64)), threads=threads, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (64, 64)
    assert told == sorted(told)


def test_a_bar_goes_to_standard_error(ur5, capsys):
    ur5.solve_batch(ur5.fk(ur5.sample(4)), progress=True)
    captured = capsys.readouterr()
    assert "solving" in captured.err
    assert captured.out == ""


def test_threads_are_counted_from_the_processors_allowed(monkeypatch):
    assert count_threads(None) >= 1
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert count_threads(None) == (os.cpu_count() or 1)


INTERRUPTED = """
import signal, sys, threading
import numpy as np
import forearm as fa
signal.signal(signal.SIGINT, signal.default_int_handler)  # a parent may have ignored it
arm = fa.load("panda")
T = arm.fk(arm.sample(300_000))
arm.solve_batch(T[:100])
def tell(done, total):
    if done < total:
        print(done, flush=True)
try:
    arm.solve_batch(T, arm.neutral, threads=int(sys.argv[1]), progress=tell)
except KeyboardInterrupt:
    print("interrupted", threading.active_count(), flush=True)
"""


@pytest.mark.compiled
@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
@pytest.mark.parametrize("threads", ["1", "2"])
def test_ctrl_c_ends_a_batch_and_leaves_no_thread(threads):
    run = subprocess.Popen([sys.executable, "-c", INTERRUPTED, threads], stdout=subprocess.PIPE, text=True)
    assert run.stdout.readline().strip().isdigit()  # it is under way
    run.send_signal(signal.SIGINT)
    out, _ = run.communicate(timeout=60)
    assert out.strip().splitlines()[-1] == "interrupted 1"
    assert run.returncode == 0


def test_joint_values_of_a_batch_are_columns_by_name():
    arm = fa.load("ur5")
    found = arm.solve_batch(arm.fk(arm.sample(3, rng_seed=1)))
    columns = found.as_dict()
    assert tuple(columns) == arm.joint_names
    np.testing.assert_array_equal(np.column_stack(list(columns.values())), found.q)
    assert {name: float(column[1]) for name, column in columns.items()} == found[1].as_dict()
