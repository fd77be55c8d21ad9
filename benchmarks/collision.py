"""Solving among obstacles: solved share and times on the spec's scenes, judged by coal.

python benchmarks/collision.py                          # 1,000 scenes of each kind on four arms
python benchmarks/collision.py --n 100 --robots panda --kinds cage --peers

Beside forearm, in the same run: rejection sampling with the plain solver (32 and 256 starts), and with
--peers mink with its collision limit (Panda and UR5 only).
"""

import argparse
import time

import numpy as np

import forearm as fa
import scenes
from cases import independent_fk
from forearm.options import GeneralOptions
from forearm.registry import METHODS
from forearm.solver import solve
from judge import rotation_errors

ROUNDING = 1e-7  # of coal's own iterations [m]
REJECTIONS = (32, 256)


def is_good(robot, q, T, scene):
    """Whether an answer meets the target, the limits and the clearance, by numpy and coal."""
    import coal_judge  # noqa: PLC0415 (coal may be missing)

    pose = independent_fk(robot, q[None])
    met = np.linalg.norm(pose[0, :3, 3] - T[:3, 3]) <= 1e-6 and rotation_errors(pose, T[None])[0] <= 1e-6
    inside = ((robot.limits[0] <= q) & (q <= robot.limits[1])).all()
    return bool(met and inside and coal_judge.clearance(robot, q, scene) >= scenes.CLEARANCE - ROUNDING)


def rejection(robot, T, scene, tries):
    """The first free answer of the plain solver from as many starts; None if there is none."""
    general = METHODS["general"]
    for skip in range(tries):
        settings = GeneralOptions(max_tries=1, skip_tries=skip).pack(0.0)
        s = solve(robot._prepared, T, None, general, settings, robot._prepared.model.limits, False)
        if s.success and robot.clearance(s.q, scene).distance >= scenes.CLEARANCE:
            return s.q
    return None


def run(robot, kind, n, first, tries):
    """Solves n scenes; prints a line."""
    times, good, counts, steps = np.empty(n), np.zeros(n, bool), np.empty(n), np.empty(n)
    least = []
    for i in range(n):
        T, scene, _ = scenes.draw(robot, kind, first + i)
        if i == 0:
            robot.solve(T, obstacles=scene, clearance=scenes.CLEARANCE, explain=False)
        begin = time.perf_counter()
        s = robot.solve(T, obstacles=scene, clearance=scenes.CLEARANCE, explain=False, max_tries=tries)
        times[i] = 1e6 * (time.perf_counter() - begin)
        good[i] = s.success and is_good(robot, s.q, T, scene)
        counts[i], steps[i] = s.tries, s.iterations
        if s.success and not good[i]:
            print(f"  WRONG: {robot.name} {kind} seed {first + i}")
        if not s.success:
            least.append(first + i)
    line = f"{robot.name:9s} {kind:6s} forearm {100 * good.mean():6.2f} %"
    line += f"  us median {np.median(times):7.1f} mean {times.mean():8.1f} p99 {np.percentile(times, 99):9.1f}"
    line += f"  tries mean {counts.mean():5.2f} max {counts.max():4.0f}  steps mean {steps.mean():6.1f}"
    print(line + (f"  missed seeds {least[:8]}" if least else ""), flush=True)


def run_rejection(robot, kind, n, first):
    """Rejection sampling on the same scenes."""
    for tries in REJECTIONS:
        times, good = np.empty(n), np.zeros(n, bool)
        for i in range(n):
            T, scene, _ = scenes.draw(robot, kind, first + i)
            begin = time.perf_counter()
            q = rejection(robot, T, scene, tries)
            times[i] = 1e6 * (time.perf_counter() - begin)
            good[i] = q is not None and is_good(robot, q, T, scene)
        line = f"{robot.name:9s} {kind:6s} rejection, {tries:3d} starts {100 * good.mean():6.2f} %"
        print(f"{line}  us median {np.median(times):7.1f} mean {times.mean():8.1f}", flush=True)


def main():
    """Reads the flags and runs what they ask for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", default="ur5,iiwa14,panda,snake-15")
    parser.add_argument("--kinds", default=",".join(scenes.KINDS))
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--tries", type=int, default=256)
    parser.add_argument("--rejection", type=int, default=0, help="scenes for rejection sampling beside it")
    parser.add_argument("--peers", type=int, default=0, help="scenes for mink beside it")
    args = parser.parse_args()
    print(f"forearm {fa.__version__}, seeds {args.first} to {args.first + args.n - 1}, clearance {scenes.CLEARANCE} m")
    for name in args.robots.split(","):
        robot = scenes.load(name)
        for kind in args.kinds.split(","):
            run(robot, kind, args.n, args.first, args.tries)
            if args.rejection:
                run_rejection(robot, kind, args.rejection, args.first)
            if args.peers:
                from peers.mink import run_mink  # noqa: PLC0415 (a peer, may be missing)

                run_mink(robot, kind, args.peers, args.first, is_good)


if __name__ == "__main__":
    main()
