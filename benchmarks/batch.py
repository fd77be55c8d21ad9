"""A large batch: how many are solved, how much memory it takes, and what further threads gain.

python benchmarks/batch.py                             # a million poses of an iiwa14
python benchmarks/batch.py --robot panda --at-limits 0.5   # each joint at an end of its range with this probability
"""

import argparse
import os
import resource
import sys
import time

import numpy as np

import forearm as fa
from cases import independent_fk
from protocol import meets

TARGET_SEED = 1
ROUNDS = 3
PIECE = 50_000  # targets made and judged at a time, so that neither counts in the memory


def pieces(n):
    """The ranges of a long array."""
    return [slice(first, min(first + PIECE, n)) for first in range(0, n, PIECE)]


def peak_memory():
    """The most memory this process has held [MB]."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024.0**2 if sys.platform == "darwin" else 1024.0)


def at_limits(robot, Q, share):
    """Some of the joints of each configuration moved to an end of their range."""
    rng = np.random.default_rng(TARGET_SEED)
    ends = np.clip(robot.limits, -np.pi, np.pi)
    return np.where(rng.random(Q.shape) < share, np.where(rng.random(Q.shape) < 0.5, *ends), Q)


def timed(call):
    """Seconds by the wall and by the processors, and what the call gave."""
    wall, used = time.perf_counter(), time.process_time()
    result = call()
    return time.perf_counter() - wall, time.process_time() - used, result


def main() -> int:
    """Prints the figures; 1 if a target was missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--robot", default="iiwa14")
    parser.add_argument("--n", type=int, default=1_000_000)
    parser.add_argument("--at-limits", type=float, default=0.0, metavar="SHARE")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    robot = fa.load(options.robot)
    Q = at_limits(robot, robot.sample(options.n, rng_seed=TARGET_SEED), options.at_limits)
    Ts = np.empty((options.n, 4, 4))
    for part in pieces(options.n):
        Ts[part] = independent_fk(robot, Q[part])
    del Q
    robot.solve_batch(Ts[:100])
    print(f"{robot.name}, {options.n} poses; {peak_memory():.0f} MB held before the first batch, targets included")
    best = {}
    for _ in range(ROUNDS):
        for threads in (1, options.threads):
            wall, used, batch = timed(lambda t=threads: robot.solve_batch(Ts, threads=t))
            best[threads] = min(best.get(threads, (np.inf, 0.0)), (wall, used))
    for threads, (wall, used) in best.items():
        print(
            f"{threads} thread(s): {options.n / wall:,.0f} targets/s, {1e6 * used / options.n:.2f} us of processor each"
        )
    print(f"{options.threads} threads against one: {best[1][0] / best[options.threads][0]:.2f}")
    print(f"peak memory of all: {peak_memory():.0f} MB")
    met = sum(int(meets(robot, batch.q[part], Ts[part]).sum()) for part in pieces(options.n))
    print(f"{met} of {options.n} meet their targets; {batch.summary()}")
    return 0 if met == options.n else 1


if __name__ == "__main__":
    sys.exit(main())
