"""Method `general` on real arms: solved share, kernel time, Python's share, and RTB in the same run.

python benchmarks/general.py                       # cold and near, nine arms, against RTB if installed
python benchmarks/general.py --robots panda --n 100000 --timed 10000
"""

import argparse
import time
from functools import partial

import numpy as np

import forearm as fa
from forearm.core.codes import POSE, REPORT
from forearm.core.general.solve import general_size, solve_general
from forearm.solve.methods.layout import changed
from forearm.solve.methods.options import GeneralOptions
from forearm.solve.methods.table import METHODS
from forearm.targets.target import default_terms
from judge import count_solved
from loops import njit, start_just_in_time
from peers.rtb import Rtb

ROBOTS = "ur5,ur10e,iiwa14,panda,xarm7,gen3,jaco2,irb140,puma560"
ROUNDS = 3
NEAR = 0.05  # [rad]
TARGET_SEED, START_SEED = 1, 2


@njit(error_model="numpy", nogil=True)
def solve_many(problem, table, goals, starts, work, Q, reports, codes):
    """Solves every goal in compiled code, one after the other."""
    for i in range(goals.shape[0]):
        codes[i] = solve_general(problem, table, goals[i], starts[i], work, Q[i], reports[i])


def kernel_run(robot, targets, starts):
    """Microseconds a target in the kernel (best of some rounds), joint values and reports."""
    problem, table = robot._prepared.of(METHODS["general"], POSE)
    problem = changed(problem, GeneralOptions(max_tries=2000).pack(0.0), default_terms(), robot.model.limits)
    N = len(targets)
    Q, reports, codes = np.empty((N, robot.n)), np.empty((N, REPORT)), np.empty(N, np.int64)
    work, best = np.empty(general_size(robot.model.m, robot.n)), np.inf
    for first in (True, *[False] * ROUNDS):
        n = 1 if first else N
        start = time.perf_counter()
        solve_many(problem, table, targets[:n], starts[:n], work, Q[:n], reports[:n], codes[:n])
        best = best if first else min(best, time.perf_counter() - start)
    return 1e6 * best / N, Q, reports


def timed_rounds(solvers, targets):
    """Each solver's microseconds per call in its best round, and its answers; the rounds interleave.

    Args:
        solvers: Pairs of a call (target, start) and its starts, one per target.
        targets: (N, 4, 4) poses.
    """
    best = [(np.full(len(targets), np.inf), None)] * len(solvers)
    for _ in range(ROUNDS):
        for k, (call, starts) in enumerate(solvers):
            times, answers = timed_round(call, targets, starts)
            if times.mean() < best[k][0].mean():
                best[k] = times, answers
    return best


def timed_round(call, targets, starts):
    """Microseconds of each call as Python sees it, and the answers."""
    times, answers = np.empty(len(targets)), [None] * len(targets)
    for i, (T, q0) in enumerate(zip(targets, starts, strict=True)):
        begin = time.perf_counter()
        answers[i] = call(T, q0)
        times[i] = time.perf_counter() - begin
    return 1e6 * times, answers


def near_starts(robot, Q):
    """Starts 0.05 rad away in every joint, inside the limits."""
    signs = np.random.default_rng(START_SEED).choice([-1.0, 1.0], Q.shape)
    return np.clip(Q + NEAR * signs, *robot.limits)


def report_case(name, case, robot, peer, Q, starts, options):
    """Prints one line: forearm and the peer on the same targets."""
    targets = robot.fk(Q)
    kernel, answers, reports = kernel_run(robot, targets, starts)
    n = min(options.timed, len(Q))
    near = case == "near"
    solvers = [(partial(robot.solve, method="general"), list(starts[:n]) if near else [None] * n)]
    if peer is not None:
        solvers.append((peer.solve, list(starts[:n]) if near else [robot.neutral] * n))
    (python, few), *theirs = timed_rounds(solvers, targets[:n])
    ok = count_solved(robot, answers, targets), count_solved(robot, [s.q for s in few], targets[:n])
    line = f"{name:<9}{case:<6}{ok[0]:>8}/{len(Q):<8}{ok[1]:>6}/{n:<6}{kernel:7.2f}{python.mean():7.2f}"
    line += f"{np.percentile(python, 99):8.1f}{reports[:, 4].max():6.0f}"
    line += f"{np.abs(answers - starts).max():7.2f}" if near else "       "
    for times, q in theirs:
        line += peer_columns(count_solved(robot, q, targets[:n]), times, python)
    print(line, flush=True)


def peer_columns(share, times, ours):
    """The peer's share and times on the same targets, and forearm's as a share of them."""
    tail = np.percentile(times, 99)
    mean_ratio, tail_ratio = times.mean() / ours.mean(), tail / np.percentile(ours, 99)
    return f"  | {share:>6}/{len(times):<6}{times.mean():8.1f}{tail:9.1f}   1/{mean_ratio:<6.1f} 1/{tail_ratio:<6.1f}"


def main() -> None:
    """Prints a table, one line per robot and case."""
    start_just_in_time()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--robots", default=ROBOTS)
    parser.add_argument("--n", type=int, default=100_000, help="targets in the kernel")
    parser.add_argument("--timed", type=int, default=2_000, help="targets timed call by call")
    parser.add_argument("--cases", default="cold,near")
    options = parser.parse_args()
    print(
        "method 'general'; times in us; 'ratio' is forearm's mean and p99 as a share of the peer's, as Python sees both"
    )
    print(
        f"{'robot':<9}{'case':<6}{'in kernel':>15}{'from Python':>13}{'kernel':>7}{'mean':>7}{'p99':>8}{'tries':>6}",
        end="",
    )
    print(f"   move |{'peer solved':>14}{'mean':>8}{'p99':>9}  {'ratio':>7} {'ratio':>7}")
    for name in options.robots.split(","):
        robot = fa.load(name)
        try:
            peer = Rtb(robot)
        except ImportError:
            peer = None
        Q = robot.sample(options.n, rng_seed=TARGET_SEED)
        for case in options.cases.split(","):
            starts = near_starts(robot, Q) if case == "near" else np.empty((len(Q), 0))
            report_case(name, case, robot, peer, Q, starts, options)
    print(f"peer: {Rtb.name}" + ("" if peer else " is not installed, skipped: pip install roboticstoolbox-python"))


if __name__ == "__main__":
    main()
