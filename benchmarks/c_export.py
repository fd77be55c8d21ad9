"""Robots exported to C: the bits that Python gives, the time of a call beside Python's, and what they weigh.

`python benchmarks/c_export.py [--count 10000] [--arms ur5 panda]`. Each arm is exported, built with the C compiler that
is here, and called on the same targets from C and from Python: solves with and without a start, some of them out of
reach, every branch, and the ticks of a servo. Equal means equal to the last bit.
"""

import argparse
import ctypes
import math
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import forearm as fa
from forearm.core.codes import REPORT
from forearm.export.pieces import find_kernels
from forearm.export.write import export_c, named
from forearm.results.solution import Status

ARMS = ("ur5", "iiwa14", "panda", "jaco2", "so101")
STRICT = ("-O2", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off")
WORDS = {0: Status.SOLVED, 1: Status.OUT_OF_REACH, 5: Status.NOT_CONVERGED}
RATE = 1000.0
# What others publish, on other machines: https://moveit.picknik.ai/main/doc/examples/ikfast/ikfast_tutorial.html
PUBLISHED = "IKFast's answers are 'found in a few microseconds on recent processors' (MoveIt's tutorial)"
CLOCK = """
#define _POSIX_C_SOURCE 199309L
#include "robot_data.h"
#include <time.h>

static double between(struct timespec a, struct timespec b) {
    return (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
}

double seconds_of(const double *targets, const double *starts, int count, double *q) {
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int i = 0; i < count; i++)
        robot_solve(targets + 16 * i, starts ? starts + ROBOT_JOINTS * i : 0, q + ROBOT_JOINTS * i, 0);
    clock_gettime(CLOCK_MONOTONIC, &b);
    return between(a, b);
}

/* The kernel that answers first, alone. */
double seconds_of_kernel(const double *targets, const double *starts, int count, double *q) {
    static double work[ROBOT_FORM_WORK + ROBOT_GENERAL_WORK], report[ROBOT_REPORT];
    struct timespec a, b;
    int64_t code;
    void *fault;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int i = 0; i < count; i++) {
        const double *q0 = starts ? starts + ROBOT_JOINTS * i : 0;
#if ROBOT_FORM_SOLVES
        if (!(ROBOT_IS_SWIVEL && starts)) {
            ROBOT_FORM_KERNEL(&code, &fault, FOREARM_VECTOR(robot_form_problem, ROBOT_PROBLEM),
                               FOREARM_VECTOR(robot_form, ROBOT_FORM), FOREARM_MATRIX(targets + 16 * i, 4, 4),
                               FOREARM_VECTOR(q0, q0 ? ROBOT_JOINTS : 0), FOREARM_VECTOR(work, ROBOT_FORM_WORK),
                               FOREARM_VECTOR(q + ROBOT_JOINTS * i, ROBOT_JOINTS),
                               FOREARM_VECTOR(report, ROBOT_REPORT));
            continue;
        }
#endif
#if ROBOT_HAS_SEEDS
        code = robot_search(robot_problem, targets + 16 * i, q0, q + ROBOT_JOINTS * i, report);
#endif
    }
    clock_gettime(CLOCK_MONOTONIC, &b);
    (void)code, (void)fault, (void)work;
    return between(a, b);
}
"""


class Exported:
    """A robot's C, built as a shared library and called through ctypes."""

    def __init__(self, robot, folder, name, compiler="cc", seeds=2048, flags=STRICT):
        self.robot, self.name, self.folder = robot, name, Path(folder)
        self.files = export_c(robot, folder, name, seeds=seeds)
        (self.folder / "clock.c").write_text(named(CLOCK, name))
        sources = sorted(path.name for path in self.folder.glob("*.c") if path.name != "main.c")
        objects = sorted(path.name for path in self.folder.glob("*.o"))
        command = [compiler, "-std=c99", *flags, "-shared", "-fPIC", *sources, *objects, "-lm", "-o", "arm.so"]
        subprocess.run(command, cwd=folder, check=True)
        self.lib = ctypes.CDLL(str(self.folder / "arm.so"))
        self.lib.seconds_of.restype = self.lib.seconds_of_kernel.restype = ctypes.c_double

    def call(self, function, *arguments):
        """What a function gives for arrays, numbers and None."""
        given = [a.ctypes.data_as(ctypes.c_void_p) if isinstance(a, np.ndarray) else a for a in arguments]
        return getattr(self.lib, f"{self.name}_{function}")(*given)

    def fk(self, q):
        """The pose of the tip."""
        pose = np.empty((4, 4))
        return self.call("fk", q, pose), pose

    def solve(self, target, q0=None):
        """Status, joint values and report of a solve."""
        q, report = np.empty(self.robot.n), np.zeros(REPORT)
        return self.call("solve", target, q0, q, report), q, report

    def solve_all(self, target, q0=None, room=512):
        """Every branch, and whether there are no others."""
        rows, complete = np.empty((room, self.robot.n)), np.zeros(1, np.int32)
        count = self.call("solve_all", target, q0, ctypes.c_size_t(room), rows, complete)
        return count, rows[: max(count, 0)], bool(complete[0])

    def explain(self, target, q0=None):
        """Status and sentence."""
        sentence = ctypes.create_string_buffer(256)
        return self.call("explain", target, q0, ctypes.c_size_t(256), sentence), sentence.value.decode()

    def servo(self, q0, rate=RATE, velocity=None):
        """Status and a servo."""
        numbers = np.zeros(4096)
        return self.call("servo_start", numbers, ctypes.c_double(rate), q0, velocity, None), numbers

    def step(self, numbers, target):
        """Status and joint values of a tick."""
        q = np.empty(self.robot.n)
        return self.call("servo_step", numbers, target, q), q

    def time(self, targets, starts=None):
        """Seconds of a solve and of the kernel that answers first, the least means of nine rounds in turn."""
        q = np.empty((len(targets), self.robot.n))
        pointers = [None if a is None else a.ctypes.data_as(ctypes.c_void_p) for a in (targets, starts, q)]
        calls = (self.lib.seconds_of, self.lib.seconds_of_kernel)
        rounds = [[call(*pointers[:2], len(targets), pointers[2]) for call in calls] for _ in range(9)]
        return np.min(rounds, axis=0) / len(targets)


def questions(robot, count, rng_seed=1):
    """(N, 4, 4) targets, one in ten out of reach or turned at random, and (N, n) starts, half of them near."""
    Q, starts = robot.sample(count, rng_seed), robot.sample(count, rng_seed + 1)
    rng = np.random.default_rng(rng_seed)
    near = np.clip(Q + rng.normal(0.0, 0.05, Q.shape), *robot.limits)
    starts[::2] = near[::2]
    targets = np.ascontiguousarray(robot.fk(Q))
    targets[::10, :3, 3] += rng.normal(0.0, 0.2 * robot.reach, (len(targets[::10]), 3))
    return targets, starts


def same(a, b):
    """Whether arrays have the same bits."""
    return np.asarray(a).tobytes() == np.asarray(b).tobytes()


def unequal_solves(arm, count):
    """How many solves differ from Python's in status, joint values or report."""
    targets, starts = questions(arm.robot, count)
    wrong = 0
    for i, target in enumerate(targets):
        q0 = None if i % 3 == 0 else starts[i]
        code, q, report = arm.solve(target, q0)
        s = arm.robot.solve(target, q0, explain=False)
        wrong += not (WORDS.get(code) is s.status and same(q, s.q) and same(report[:5], s.report[:5]))
    return wrong


def unequal_branches(arm, count):
    """How many lists of branches differ from Python's."""
    targets, starts = questions(arm.robot, count, rng_seed=5)
    wrong = 0
    for i, target in enumerate(targets):
        q0 = None if i % 3 == 0 else starts[i]
        number, rows, complete = arm.solve_all(target, q0)
        found = arm.robot.solve_all(target, q0)
        expected = np.array([branch.q for branch in found]).reshape(-1, arm.robot.n)
        wrong += not (number == len(found) and same(rows, expected) and complete == found.complete)
    return wrong


def unequal_ticks(arm, count):
    """How many ticks of a servo differ from Python's: a circle, a jump now and then, silence, a bad target."""
    robot = arm.robot
    q0 = robot.sample(1, 3)[0]
    known = np.isfinite(robot.velocity_limits).all()
    velocity = None if known else np.full(robot.n, 1.0)
    start, numbers = arm.servo(q0, velocity=velocity)
    servo, wrong, base = robot.servo(q0, rate=RATE, velocity=velocity), int(start != 0), robot.fk(q0)
    statuses = ("following", "limited", "held", "lost")
    for i in range(count):
        target = base.copy()
        target[:3, 3] += 0.05 * np.array([math.cos(i / 200) - 1.0, math.sin(i / 200), 0.2 * (i // 777 % 3)])
        if i % 991 == 500:
            target[0, 0] = math.nan
        asked = None if i % 100 > 95 else target
        code, q = arm.step(numbers, asked)
        wrong += not (same(q, servo(asked)) and 0 <= code <= 3 and statuses[code] == servo.status)
    return wrong


def python_time(robot, targets, starts):
    """Seconds of a solve in Python, the least mean of three rounds."""
    rounds = []
    for _ in range(3):
        began = time.perf_counter()
        for i, target in enumerate(targets):
            robot.solve(target, starts if starts is None else starts[i])
        rounds.append(time.perf_counter() - began)
    return min(rounds) / len(targets)


def program_sizes(name, seeds, calls):
    """Bytes of code and constants of a program that calls some functions, beyond those of an empty one."""
    with tempfile.TemporaryDirectory() as folder:
        export_c(fa.load(name), folder, name, seeds=seeds)
        uses = {
            "solve": f"double q[16], T[16]; {name}_fk(q, T); return {name}_solve(T, 0, q, 0);",
            "all": f"static double q[8192], T[16]; {name}_fk(q, T); {name}_solve(T, 0, q, 0); char s[9];\n"
            f"static {name}_servo v; {name}_servo_start(&v, 1e3, q, 0, 0); {name}_explain(T, 0, 9, s);\n"
            f"return {name}_servo_step(&v, T, q) + {name}_solve_all(T, 0, 9, q, 0);",
        }
        body = f'#include "{name}.h"\nint main(void) {{ {uses[calls]} }}\n'
        Path(folder, "main.c").write_text(body)
        Path(folder, "empty.c").write_text("int main(void) { return 0; }\n")
        flags = ["cc", "-O2", "-w", "-ffp-contract=off", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"]
        sources = [
            *(path.name for path in Path(folder).glob(f"{name}_*.c")),
            *(p.name for p in Path(folder).glob("*.o")),
        ]
        subprocess.run([*flags, "main.c", *sources, "-lm", "-o", "program"], cwd=folder, check=True)
        subprocess.run([*flags, "empty.c", "-o", "empty"], cwd=folder, check=True)
        text = subprocess.run(
            ["size", "program", "empty"], cwd=folder, check=True, capture_output=True, text=True
        ).stdout
        (_, full, empty) = (line.split() for line in text.splitlines())
        return sum(map(int, full[:2])) - sum(map(int, empty[:2]))


def report(name, count, compiler):
    """Prints one arm's rows; whether all bits are Python's."""
    robot = fa.load(name)
    with tempfile.TemporaryDirectory() as folder:
        arm = Exported(robot, folder, name, compiler)
        wrong = unequal_solves(arm, count), unequal_branches(arm, count), unequal_ticks(arm, count)
        print(f"{name}: of {count} each, not Python's bits: solves {wrong[0]}, branches {wrong[1]}, ticks {wrong[2]}")
        Q = robot.sample(2000, 9)
        targets, starts = np.ascontiguousarray(robot.fk(Q)), np.clip(Q + 0.02, *robot.limits)
        for words, q0 in (("cold", None), ("near a start", starts)):
            (in_c, kernel), in_python = 1e6 * arm.time(targets, q0), 1e6 * python_time(robot, targets, q0)
            print(f"  {words}: C {in_c:.2f} us a solve, its first kernel alone {kernel:.2f}, Python {in_python:.2f}")
        print(f"  solve and fk: {program_sizes(name, 2048, 'solve'):,} bytes with tables; all calls:", end=" ")
        print(
            f"{program_sizes(name, 2048, 'all'):,}; solve and fk with 256 seeds: {program_sizes(name, 256, 'solve'):,}"
        )
        if robot.structure.closed:
            print(f"  closed form alone, solve and fk: {program_sizes(name, 0, 'solve'):,} bytes")
    return not any(wrong)


def main():
    """Prints all arms."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=10000, help="targets, lists of branches and ticks of each arm")
    parser.add_argument("--arms", nargs="+", default=ARMS)
    parser.add_argument("--compiler", default="cc")
    options = parser.parse_args()
    if shutil.which(options.compiler) is None:
        sys.exit(f"{options.compiler} is not installed; name another with --compiler")
    kernels = find_kernels()
    print(f"kernels for {kernels.platform}, {kernels.processor}; {PUBLISHED}")
    return 0 if all([report(name, options.count, options.compiler) for name in options.arms]) else 1


if __name__ == "__main__":
    sys.exit(main())
