"""How solvers are measured against each other: the same targets, one judge, interleaved rounds.

Targets are poses of configurations drawn uniformly inside the limits. *cold*: every solver starts
at one fixed configuration, the middle of the limits. *near*: 0.05 rad from the target's own joint
values. *batch*: all targets in one call. An answer counts if it meets the pose within 1e-6 m and
1e-6 rad inside the limits, by plain products of matrices, never by a solver's word. Time is what
`perf_counter` sees around each call; rounds interleave the solvers and each keeps its best; what
failed stays in the mean; the first call is reported apart.
"""

import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

import forearm as fa
from cases import independent_fk
from judge import LIMIT_SLACK, TOLERANCE, rotation_errors
from peers import ADAPTERS, adapter, requirement
from peers.chain import UnfitError

CASES = ("cold", "near", "batch")
TARGET_SEED, START_SEED = 1, 2
NEAR = 0.05  # how far a near start stands from the target's own joint values [rad or m]
ROUNDS = 3
BATCHES = 10  # a batch has this many times the targets that are timed one by one
TRIAL = 5  # calls by which a solver's speed is guessed


@dataclass(frozen=True)
class Solver:
    """Something that is measured.

    Attributes:
        name: What is printed.
        version: Of its package.
        note: How it is called.
        solve: A call of (T, q0); None if it takes part in batches only.
        batch: A call of (Ts, threads), or None.
        read: Joint values from what a call gave; not timed.
        read_batch: The same for a batch.
        first: Seconds it took to be made ready: loaded, compiled, called once.
        ours: Whether it is forearm's.
        seeded: Whether it looks near the start; one that does not is left out of near starts.
    """

    name: str
    version: str
    note: str
    solve: Callable[[Any, Any], Any]
    batch: Callable[[Any, int], Any] | None
    read: Callable[[Any], Any]
    read_batch: Callable[[Any], Any]
    first: float
    ours: bool = False
    seeded: bool = True


@dataclass(frozen=True)
class Row:
    """One solver on one robot in one case; times in microseconds a target."""

    robot: str
    case: str
    solver: str
    version: str
    note: str
    ours: bool
    n: int
    solved: int
    mean: float
    median: float
    p99: float
    max: float
    first_s: float
    move: float | None = None  # farthest that a joint moved from a near start [rad or m]
    threads: int | None = None
    rate: float | None = None  # targets a second, of batches

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


# -- who takes part ------------------------------------------------------------------------------


def make_solvers(robot, wanted, methods):
    """The solvers that can be measured on a robot, and why the others cannot.

    Args:
        robot: The chain.
        wanted: Keys of `peers.ADAPTERS`.
        methods: Names of forearm's methods; None for the default.
    """
    solvers, skipped = [], []
    for method in methods:
        solvers += own_solvers(robot, method)
    for key in wanted:
        try:
            solvers.append(peer_solver(robot, key))
        except ImportError as problem:
            skipped.append(f"{key}: not installed ({problem.name or problem}); pip install {requirement(key)}")
        except UnfitError as problem:
            skipped.append(f"{key}: {problem}")
        except Exception as problem:  # a peer's own trouble must not end the run
            skipped.append(f"{key}: {type(problem).__name__}: {problem}")
    return solvers, skipped


def own_solvers(robot, method):
    """Our own solver as it is called without a start, and as it is asked for the answer nearest to one."""
    how = {} if method is None else {"method": method}
    label = "forearm" if method is None else f"forearm {method}"
    T = robot.fk(robot.neutral)
    begin = time.perf_counter()
    robot.solve(T, **how)
    robot.solve(T, robot.neutral, **how)
    robot.solve_batch(T[None], **how)
    first = time.perf_counter() - begin

    def anywhere(T, q0):
        return robot.solve(T, **how)

    def nearest(T, q0):
        return robot.solve(T, q0, **how)

    def batch(Ts, threads):
        return robot.solve_batch(Ts, threads=threads, **how)

    def make(name, note, call, many, seeded):
        return Solver(name, fa.__version__, note, call, many, lambda s: s.q, lambda b: b.q, first, True, seeded)

    return [
        make(label, "any answer, all limits", anywhere, batch, seeded=False),
        make(f"{label}, nearest", "the answer nearest to q0, all limits", nearest, None, seeded=True),
    ]


def peer_solver(robot, key):
    """A peer, loaded and called once."""
    begin = time.perf_counter()
    peer = adapter(key)(robot)
    peer.solve(robot.fk(robot.neutral), robot.neutral)
    first = time.perf_counter() - begin
    return Solver(
        peer.name,
        peer.version,
        getattr(peer, "note", ""),
        peer.solve,
        getattr(peer, "solve_batch", None),
        lambda answer: answer,
        getattr(peer, "read_batch", None) or (lambda answers: answers),
        first,
    )


# -- the judge -----------------------------------------------------------------------------------


def judge(robot, answers, targets, starts=None):
    """(N,) whether one of each target's answers meets it, and (N, n) that answer (NaN if none does).

    Args:
        robot: The chain.
        answers: For each target (n,), (k, n) or None.
        targets: (N, 4, 4) poses.
        starts: (N, n); of several answers that meet a target, the nearest to its start is taken.
    """
    rows, owner = [], []
    for i, answer in enumerate(answers):
        several = np.empty((0, robot.n)) if answer is None else np.asarray(answer, dtype=float).reshape(-1, robot.n)
        rows.append(several)
        owner += [i] * len(several)
    Q, owner = np.concatenate([*rows, np.empty((0, robot.n))]), np.array(owner, dtype=int)
    ok = meets(robot, Q, targets[owner])
    met, chosen = np.zeros(len(targets), bool), np.full((len(targets), robot.n), np.nan)
    away = np.zeros(len(Q)) if starts is None else np.abs(Q - starts[owner]).max(axis=1, initial=0.0)
    good = np.flatnonzero(ok)
    for j in good[np.argsort(-away[good], kind="stable")]:  # the nearest is written last
        met[owner[j]], chosen[owner[j]] = True, Q[j]
    return met, chosen


def meets(robot, Q, targets):
    """(N,) whether configurations meet their poses inside the limits."""
    poses = independent_fk(robot, np.nan_to_num(Q))
    position = np.linalg.norm(poses[:, :3, 3] - targets[:, :3, 3], axis=1)
    inside = ((robot.limits[0] - LIMIT_SLACK <= Q) & (robot.limits[1] + LIMIT_SLACK >= Q)).all(axis=1)
    return (position <= TOLERANCE) & (rotation_errors(poses, targets) <= TOLERANCE) & inside


# -- one case ------------------------------------------------------------------------------------


def run_case(robot, case, solvers, n, budget, tick):
    """The rows of one robot and case.

    Args:
        robot: The chain.
        case: One of `CASES`.
        solvers: What `make_solvers` gave.
        n: Targets timed one by one; batches have ten times as many.
        budget: Seconds a round of one solver may take; a slower one gets the first targets only.
        tick: Called with a word before each round of a solver.
    """
    Q = robot.sample(n * BATCHES if case == "batch" else n, rng_seed=TARGET_SEED)
    targets = independent_fk(robot, Q)
    if case == "batch":
        return run_batches(robot, [s for s in solvers if s.batch is not None], targets, tick)
    starts = near_starts(robot, Q) if case == "near" else np.tile(robot.neutral, (n, 1))
    taking = [solver for solver in solvers if case == "cold" or solver.seeded]
    counts = [affordable(solver, targets, starts, budget) for solver in taking]
    best = [None] * len(taking)
    for _ in range(ROUNDS):
        for k, solver in enumerate(taking):
            tick(f"{robot.name} {case} {solver.name}")
            times, answers = one_by_one(solver, targets[: counts[k]], starts[: counts[k]])
            if best[k] is None or times.mean() < best[k][0].mean():
                best[k] = times, answers
    return [
        row_of(robot, case, solver, times, answers, targets, starts)
        for solver, (times, answers) in zip(taking, best, strict=True)
    ]


def near_starts(robot, Q):
    """Starts 0.05 away in every joint, inside the limits."""
    signs = np.random.default_rng(START_SEED).choice([-1.0, 1.0], Q.shape)
    return np.clip(Q + NEAR * signs, *robot.limits)


def affordable(solver, targets, starts, budget):
    """How many targets a round may have, by the time of a few."""
    times, _ = one_by_one(solver, targets[:TRIAL], starts[:TRIAL])
    return int(np.clip(1e6 * budget / times.mean(), min(TRIAL, len(targets)), len(targets)))


def one_by_one(solver, targets, starts):
    """Microseconds of each call, and what each gave."""
    times, answers, call = np.empty(len(targets)), [None] * len(targets), solver.solve
    clock, pairs = time.perf_counter, list(zip(targets, starts, strict=True))
    for i, (T, q0) in enumerate(pairs):
        begin = clock()
        answer = call(T, q0)
        times[i] = clock() - begin
        answers[i] = answer
    return 1e6 * times, answers


def row_of(robot, case, solver, times, answers, targets, starts):
    """The row of a solver's best round."""
    targets, starts = targets[: len(times)], starts[: len(times)]
    met, chosen = judge(robot, [solver.read(answer) for answer in answers], targets, starts)
    move = float(np.abs(chosen - starts)[met].max()) if case == "near" and met.any() else None
    return Row(
        robot.name,
        case,
        solver.name,
        solver.version,
        solver.note,
        solver.ours,
        len(times),
        int(met.sum()),
        *(float(x) for x in (times.mean(), np.median(times), np.percentile(times, 99), times.max())),
        solver.first,
        move,
    )


def run_batches(robot, solvers, targets, tick):
    """The rows of all solvers that take batches, with one thread and with one per processor."""
    threads = sorted({1, os.cpu_count() or 1})
    entries = [(solver, count) for solver in solvers for count in threads]
    best = {}
    for _ in range(ROUNDS):
        for solver, count in entries:
            tick(f"{robot.name} batch {solver.name}")
            begin = time.perf_counter()
            answers = solver.batch(targets, count)
            elapsed = time.perf_counter() - begin
            if elapsed < best.get((solver.name, count), (np.inf,))[0]:
                best[solver.name, count] = elapsed, answers
    rows = []
    for solver, count in entries:
        elapsed, answers = best[solver.name, count]
        met, _ = judge(robot, solver.read_batch(answers), targets)
        each = 1e6 * elapsed / len(targets)
        figures = (len(targets), int(met.sum()), each, each, each, each, solver.first, None, count)
        who = (solver.name, solver.version, solver.note, solver.ours)
        rows.append(Row(robot.name, "batch", *who, *figures, len(targets) / elapsed))
    return rows


def run(robots, cases, n, keys=tuple(ADAPTERS), methods=(None,), budget=20.0, tick=lambda what: None):
    """Rows, and what was skipped on which robot; robots are given by name, or as they are."""
    rows, skipped = [], []
    for given in robots:
        robot = fa.load(given) if isinstance(given, str) else given
        tick(f"{robot.name}: loading")
        solvers, left_out = make_solvers(robot, keys, methods)
        skipped += [f"{robot.name}: {reason}" for reason in left_out]
        for case in cases:
            rows += run_case(robot, case, solvers, n, budget, tick)
    return rows, skipped
