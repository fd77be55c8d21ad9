"""Has anything become slower? Our own figures against a reference kernel, and both against a baseline.

python benchmarks/gate.py            # exit code 1 if something slowed by more than half
python benchmarks/gate.py --update   # after a change that is meant: write the baseline anew

Machines and their load differ, so no time is compared with a time of another run. Each figure is
divided by that of a plain loop (products of 3x3 matrices, sines, square roots) measured in the
same rounds; these ratios are compared with those in `gate.json`.
"""

import argparse
import json
import math
import sys
import time
from pathlib import Path

import numpy as np

import forearm as fa
from loops import njit

BASELINE = Path(__file__).with_name("gate.json")
SLOWER = 1.5  # a ratio this many times the baseline's is reported
ROUNDS = 15  # interleaved; each figure keeps its best
SECOND_LOOKS = 3  # passes over what seems slower, since a busy machine makes things seem so
REFERENCE = "reference"
TARGETS = 400
ARMS = ("ur5", "iiwa14", "panda")


@njit(error_model="numpy", nogil=True)
def reference(count):
    """Work that no change of ours touches: turns a matrix about two axes again and again."""
    R = np.eye(3)
    total = 0.0
    for k in range(count):
        c, s = math.cos(0.1 * k), math.sin(0.1 * k)
        for i in range(3):
            x, y, z = R[i, 0], R[i, 1], R[i, 2]
            R[i, 0], R[i, 1] = c * x + s * y, c * y - s * x
            R[i, 1], R[i, 2] = c * R[i, 1] + s * z, c * z - s * R[i, 1]
        total += math.sqrt(abs(R[0, 0]) + 1.0)
    return total


def figures():
    """What is measured: a name, and a call that does it a number of times."""
    found = {REFERENCE: (lambda: reference(100_000), 100_000)}
    for name in ARMS:
        robot = fa.load(name)
        Q = robot.sample(TARGETS, rng_seed=1)
        found |= solving(name, robot, Q) | kinematics(name, robot, Q)
    panda = fa.load("panda")
    far = panda.fk(panda.sample(20, rng_seed=1))
    far[:, :3, 3] += 2.0
    found["panda out of reach, not explained"] = (lambda: [panda.solve(T, explain=False) for T in far], len(far))
    found["panda out of reach, explained"] = (lambda: [panda.solve(T) for T in far[:2]], 2)
    return found


def solving(name, robot, Q):
    """Calls one by one, cold and near, and batches, of each method that solves this arm."""
    Ts, starts = robot.fk(Q), np.clip(Q + 0.05, *robot.limits)
    pairs, points = list(zip(Ts, starts, strict=True)), [fa.Position(T[:3, 3]) for T in Ts]
    found = {
        f"{name} cold": (lambda: [robot.solve(T) for T in Ts], TARGETS),
        f"{name} near": (lambda: [robot.solve(T, q0) for T, q0 in pairs], TARGETS),
        f"{name} position": (lambda: [robot.solve(P) for P in points], TARGETS),
        f"{name} batch, one thread": (lambda: robot.solve_batch(Ts, threads=1), TARGETS),
    }
    few = Ts[:40]
    for method in ("general", "fabrik-r", "dls"):
        found[f"{name} {method}"] = (lambda m=method: [robot.solve(T, method=m, explain=False) for T in few], len(few))
    return found


def kinematics(name, robot, Q):
    """Forward kinematics and Jacobians."""
    return {
        f"{name} fk": (lambda: [robot.fk(q) for q in Q], TARGETS),
        f"{name} fk of many": (lambda: robot.fk(Q), TARGETS),
        f"{name} jacobian": (lambda: [robot.jacobian(q) for q in Q], TARGETS),
    }


def measure(calls, rounds, best):
    """Lowers the best times in place; the rounds interleave."""
    for call, _ in calls.values():
        call()  # compiles, and makes tables
    for _ in range(rounds):
        for name, (call, count) in calls.items():
            begin = time.thread_time()  # not the wall's: others may be using the processor
            call()
            best[name] = min(best.get(name, math.inf), (time.thread_time() - begin) / count)


def ratios(best):
    """Each time as a multiple of the reference's."""
    return {name: value / best[REFERENCE] for name, value in best.items() if name != REFERENCE}


def compare(measured, baseline):
    """What slowed, as (name, ratio now, ratio of the baseline); and names that only one of them has."""
    slowed = [
        (name, now, baseline[name]) for name, now in measured.items() if now > SLOWER * baseline.get(name, math.inf)
    ]
    return slowed, sorted(measured.keys() ^ baseline.keys())


def main() -> int:
    """Prints every ratio and what slowed; 1 if something did."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="write the baseline anew")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    calls, best = figures(), {}
    measure(calls, options.rounds, best)
    measured = ratios(best)
    if options.update:
        rounded = {name: float(f"{value:.4g}") for name, value in measured.items()}
        BASELINE.write_text(json.dumps(rounded, indent=1) + "\n")
        print(f"{len(measured)} figures written to {BASELINE.name}")
        return 0
    baseline = json.loads(BASELINE.read_text())
    for _ in range(SECOND_LOOKS):
        slowed, _ = compare(measured, baseline)
        if not slowed:
            break
        measure({name: calls[name] for name in (REFERENCE, *(name for name, _, _ in slowed))}, options.rounds, best)
        measured = ratios(best)
    slowed, unmatched = compare(measured, baseline)
    print(f"{'multiples of the reference kernel':<40}{'now':>10}{'baseline':>10}{'now/then':>10}")
    for name, now in measured.items():
        then = baseline.get(name, math.nan)
        print(f"{name:<40}{now:>10.1f}{then:>10.1f}{now / then:>10.2f}")
    for name in unmatched:
        print(f"not in both: {name} (python benchmarks/gate.py --update)")
    for name, now, then in slowed:
        print(f"SLOWER: {name} takes {now / then:.2f} times what it took ({now:.1f} against {then:.1f})")
    print("nothing slowed by more than half" if not slowed else f"{len(slowed)} figures slowed by more than half")
    return 1 if slowed else 0


if __name__ == "__main__":
    sys.exit(main())
