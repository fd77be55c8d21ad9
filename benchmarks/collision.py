"""Solving among obstacles: solved share and times on the spec's scenes, judged by coal.

python benchmarks/collision.py                          # 1,000 scenes of each kind on four arms
python benchmarks/collision.py --n 100 --robots panda --kinds cage --rejection 60 --peers 12

Beside forearm, in the same run: with --rejection N, rejection sampling with the plain solver (32 and 256
starts) on N scenes; with --peers N, mink with its collision limit. Self-collision is judged on the pairs of
links that the robot's geometry holds against each other, no others. With FOREARM_KERNELS=jit the kernels' own times
stand beside those that Python sees.
"""

import argparse
import time

import numpy as np

import forearm as fa
import scenes
from among_kernels import CAN_REPEAT, kernel_times
from cases import independent_fk
from forearm.solve.collision import TRIES_AMONG
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
    for skip in range(tries):
        s = robot.solve(T, method="general", max_tries=1, skip_tries=skip, explain=False)
        if s.success and robot.clearance(s.q, scene).distance >= scenes.CLEARANCE:
            return s.q
    return None


def timed(call):
    """Microseconds of a call and what it gives."""
    begin = time.perf_counter()
    result = call()
    return 1e6 * (time.perf_counter() - begin), result


def spread(times):
    """Median, mean and p99 of times in words."""
    return f"median {np.median(times):6.1f} mean {times.mean():7.1f} p99 {np.percentile(times, 99):8.1f}"


def run(robot, kind, n, first, tries):
    """Solves n scenes in one go, then judges the answers; prints a line."""
    drawn = [scenes.draw(robot, kind, first + i)[:2] for i in range(n)]
    options = {"clearance": scenes.CLEARANCE, "explain": False}
    if tries != TRIES_AMONG:
        options["max_tries"] = tries
    robot.solve(drawn[0][0], obstacles=drawn[0][1], **options)  # compiles
    found, fresh = [], np.empty(n)
    for i, (T, scene) in enumerate(drawn):
        new = list(scene.obstacles)  # a scene that is new costs its packing once
        fresh[i], _ = timed(lambda T=T, new=new: robot.solve(T, obstacles=new, **options))
        robot.solve(T, obstacles=scene, **options)
        found.append(timed(lambda T=T, scene=scene: robot.solve(T, obstacles=scene, **options)))
    kernel = f"  kernel {spread(kernel_times(robot, drawn, scenes.CLEARANCE, tries))}" if CAN_REPEAT else ""
    times, answers = np.array([t for t, _ in found]), [s for _, s in found]
    good = np.array([s.success and is_good(robot, s.q, T, scene) for s, (T, scene) in zip(answers, drawn, strict=True)])
    wrong = [first + i for i in range(n) if answers[i].success and not good[i]]
    missed = [first + i for i in range(n) if not answers[i].success]
    counts, steps = np.array([s.tries for s in answers]), np.array([s.iterations for s in answers])
    line = f"{robot.name:9s} {kind:6s} forearm {100 * good.mean():6.2f} %  us {spread(times)}{kernel}"
    line += f"  fresh scene median {np.median(fresh):6.1f}"
    line += f"  tries mean {counts.mean():5.2f} max {counts.max():4.0f}  steps mean {steps.mean():6.1f}"
    print(line + (f"  missed seeds {missed[:8]}" if missed else "") + (f"  WRONG {wrong}" if wrong else ""), flush=True)


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
    parser.add_argument("--tries", type=int, default=TRIES_AMONG)
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
                from mink_collision import run_mink  # noqa: PLC0415 (a peer, may be missing)

                run_mink(robot, kind, args.peers, args.first, is_good)


if __name__ == "__main__":
    main()
