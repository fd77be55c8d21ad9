"""Runs solves of every kind without compiling, and prints each call into `core` whose types the border does not name.

python tests/core/calls.py     # one line a fault, and how many kernels were entered
"""

import os
import sys

os.environ["NUMBA_DISABLE_JIT"] = "1"
import numba

FAULTS: set[str] = set()
ENTERED: set[str] = set()


def watched(*_, **__):
    """Stands for `numba.njit`: each kernel looks at the types that callers outside `core` hand it."""

    def decorate(function):
        name = f"{function.__module__.removeprefix('forearm.core.')}.{function.__name__}"

        def call(*arguments):
            caller = sys._getframe(1).f_globals.get("__name__", "")
            if not caller.startswith("forearm.core"):
                look(name, caller, arguments)
            return function(*arguments)

        call.__name__, call.__module__, call.py_func = function.__name__, function.__module__, function
        return call

    return decorate


def look(name, caller, arguments):
    """Notes a kernel that was entered, and a fault if its types are not those of the border."""
    from forearm.core import border

    ENTERED.add(name)
    given = tuple(numba.typeof(argument) for argument in arguments)
    if name not in border.ENTRIES or given != border.types_of(name):
        FAULTS.add(f"{name} from {caller}: {given}")


numba.njit = watched

import numpy as np  # noqa: E402 (numba is replaced first)

import forearm as fa  # noqa: E402
from forearm.joints import Cone  # noqa: E402

SPHERE = [fa.Sphere([0.4, 0.4, 0.4], 0.05)]


def solve_arms() -> None:
    """Single solves of every method, from nowhere and from a start."""
    for name in ("ur5", "puma560", "iiwa14", "scara", "panda"):
        arm = fa.load(name)
        q = arm.sample(1, rng_seed=1)[0]
        T = arm.fk(q)
        for method in ("auto", "general", "closed-form", "fabrik-r", "combined", "dls", "ccd"):
            if method == "combined" and name not in ("ur5", "iiwa14"):
                continue
            arm.solve(T, method=method)
            arm.solve(T, q, method=method, limits=arm.limits)
    arm.solve(T, method="jacobian-transpose", max_iterations=5, explain=False)
    arm.solve(fa.Position(T[:3, 3]), q, rest=arm.neutral)


def ask_for_more() -> None:
    """Batches, branches, swivels, traces, and what is read off a configuration."""
    for name in ("ur5", "puma560", "iiwa14", "scara", "panda"):
        arm = fa.load(name)
        Q = arm.sample(3, rng_seed=2)
        T = arm.fk(Q)
        arm.solve_batch(T)
        arm.solve_batch(T, Q[::-1].copy(), max_joint_step=7.0)
        arm.solve_all(T[0], samples=2)
        arm.jacobian(Q[0])
        arm.manipulability(Q[0])
        arm.fk_all(Q[0])
    arm = fa.load("iiwa14")
    T, q = arm.fk(Q[0]), Q[0]
    arm.swivel(q)
    arm.solve(T, q, swivel=0.3)
    for method in ("fabrik-r", "combined"):
        arm.trace(T, method=method, sweeps=2)


def keep_away() -> None:
    """Solves among obstacles, clearances and paths."""
    for name in ("ur5", "puma560", "scara", "iiwa14"):
        arm = fa.load(name).with_geometry(radius=0.03)
        q = arm.neutral
        T = arm.fk(q)
        arm.solve(T, q, obstacles=SPHERE, explain=False)
        arm.clearance(q, obstacles=SPHERE)
    arm.track(np.stack([T, T]), q, obstacles=SPHERE)


def bend_chains() -> None:
    """Chains of bones, free and with joints; on curves, among obstacles, with a pole; the published search."""
    points = np.linspace([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], 5)
    targets = np.array([[0.4, 0.3, 0.2], [0.2, 0.3, 0.4]])
    free = fa.Chain(points)
    for options in ({"method": "bezier"}, {"obstacles": SPHERE}, {"pole": [0.0, 0.0, 1.0]}):
        free.solve(targets[0], **options)
    for chain in (free, fa.Chain(points, [Cone(0.8)] * 4)):
        chain.solve(targets[0])
        chain.solve_batch(targets)
        chain.trace(targets[0], sweeps=2)
    flat = fa.Chain(points[:, :2])
    for options in ({}, {"mode": "paper"}, {"mode": "paper", "grid": 0}):
        flat.solve(targets[0, :2], method="bezier", **options)


def main() -> int:
    """Runs all, prints the faults."""
    for part in (solve_arms, ask_for_more, keep_away, bend_chains):
        part()
    print("\n".join([*sorted(FAULTS), f"{len(ENTERED)} kernels entered"]))
    return 1 if FAULTS else 0


if __name__ == "__main__":
    sys.exit(main())
