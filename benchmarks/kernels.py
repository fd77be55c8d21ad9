"""Kinematics of a 7-joint arm: time in the kernel (a compiled loop) and as Python sees it."""

import time
import timeit

import numpy as np

import forearm as fa
from forearm.core.arm import kinematics
from loops import njit, start_just_in_time

REPEATS = 200_000
ROUNDS = 5


@njit(error_model="numpy")
def loop_fk(links, joints, Q, T):
    """FK of many configurations in compiled code, one after the other."""
    for k in range(Q.shape[0]):
        kinematics.fk_tip(links, joints, Q[k], T)


@njit(error_model="numpy")
def loop_jacobian(links, joints, Q, J):
    """Jacobians of many configurations in compiled code."""
    frames = np.empty((joints.shape[0] + 1, 4, 4))
    for k in range(Q.shape[0]):
        kinematics.jacobian(links, joints, Q[k], frames, J)


def in_kernel(loop, robot, out):
    """Microseconds per call inside compiled code, best of some rounds."""
    Q = robot.sample(REPEATS)
    loop(robot.model.links, robot.model.joints, Q[:1], out)
    best = np.inf
    for _ in range(ROUNDS):
        start = time.perf_counter()
        loop(robot.model.links, robot.model.joints, Q, out)
        best = min(best, time.perf_counter() - start)
    return 1e6 * best / REPEATS


def from_python(call):
    """Microseconds per call as Python sees it, best of some rounds."""
    call()
    return 1e6 * min(timeit.repeat(call, number=20_000, repeat=ROUNDS)) / 20_000


def main() -> None:
    """Prints one line per function."""
    start_just_in_time()
    robot = fa.load("panda")
    q = robot.neutral
    rows = [
        ("fk of the tip", in_kernel(loop_fk, robot, np.empty((4, 4))), from_python(lambda: robot.fk(q))),
        ("jacobian", in_kernel(loop_jacobian, robot, np.empty((6, 7))), from_python(lambda: robot.jacobian(q))),
    ]
    print(f"{robot.name}, {robot.n} joints        kernel    from Python   [us per call]")
    for name, kernel, python in rows:
        print(f"{name:<24} {kernel:7.3f} {python:12.3f}")


if __name__ == "__main__":
    main()
