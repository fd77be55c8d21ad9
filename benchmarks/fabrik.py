"""Bone chains: speed against pyfabrik and plain NumPy, shares solved with and without refinement, animation.

Every answer is judged by its points alone: distance of the tip to the target, lengths of the bones.
Ratios in one run are what counts; absolute times are the machine's.
"""

import argparse
import time

import numpy as np

import forearm as fa
from bone_cases import (
    arc,
    ball_targets,
    drawn_values,
    humanoid,
    random_chain,
    reachable_point,
    smooth_loop,
    straight,
)
from peers.numpy_fabrik import NumpyFabrik
from peers.pyfabrik import PyFabrik

LINKS = 10
MOST = 0.98  # of the reach: pyfabrik has no cap and crawls for seconds nearer to full stretch
LENGTH_SLACK = 1e-9


class Ours:
    """A chain of this library behind the same face as the peers."""

    def __init__(self, name, points, tolerance, **options):
        self.name, self.chain = name, fa.Chain(points)
        self.options = {"tolerance": tolerance, **options} if options or tolerance != 1e-6 else {}

    def solve(self, target):
        """(n+1, 3) points for a target."""
        return self.chain.solve(target, **self.options).points


def contenders(points, tolerance):
    """Those that can be run, and a line for those that cannot."""
    yield Ours("forearm", points, tolerance)
    yield Ours("forearm, refine=False", points, tolerance, refine=False)
    yield NumpyFabrik(points, tolerance)
    try:
        yield PyFabrik(points, tolerance)
    except ImportError as problem:
        print(f"pyfabrik skipped: {problem}")


def speed(count, tolerance):
    """One table: the same targets for all, rounds interleaved, the best round of each."""
    points, targets = straight(LINKS), ball_targets(count, MOST, 0)
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    rows = list(contenders(points, tolerance))
    best = {row.name: np.full(count, np.inf) for row in rows}
    solved = {}
    for _ in range(3):
        for row in rows:
            row.solve(targets[0])
            good, times = 0, np.empty(count)
            for k, target in enumerate(targets):
                start = time.perf_counter()
                answer = row.solve(target)
                times[k] = time.perf_counter() - start
                answer = np.asarray(answer, dtype=float).reshape(-1, 3)
                off = np.abs(np.linalg.norm(np.diff(answer, axis=0), axis=1) - lengths).max()
                good += np.linalg.norm(answer[-1] - target) <= tolerance and off <= LENGTH_SLACK
            solved[row.name] = 100.0 * good / count
            if times.mean() < best[row.name].mean():
                best[row.name] = times
    print(f"\n{LINKS} links, no limits, {count} targets within {MOST} of the reach, tolerance {tolerance:g} of it")
    print(f"{'':<24}{'solved %':>10}{'mean us':>12}{'median':>12}{'p99':>12}{'ratio':>9}")
    for name, times in best.items():
        us = 1e6 * times
        ratio = us.mean() / (1e6 * best["forearm"].mean())
        spread = f"{us.mean():>12.1f}{np.median(us):>12.1f}{np.quantile(us, 0.99):>12.1f}"
        print(f"{name:<24}{solved[name]:>10.2f}{spread}{ratio:>9.1f}")


def shares(count, limited):
    """Shares solved and mean sweeps, with refinement and without."""
    rng = np.random.default_rng(1)
    rows = {True: [], False: []}
    worst = 0.0
    for _ in range(count // 50):
        chain = random_chain(rng, int(rng.integers(2, 21 if limited else 101)), limited)
        for _ in range(50):
            if limited:
                target = chain.bones.pose_of(drawn_values(chain.bones, rng), chain.bones.start[0])[1][-1].copy()
            else:
                target = reachable_point(chain, rng)
            for refine, row in rows.items():
                pose = chain.solve(target, refine=refine, max_sweeps=None if refine else 1000, explain=False)
                met = np.linalg.norm(pose.points[-1] - target) <= 1e-6 * chain.reach
                row.append((met, pose.iterations, pose.tries))
                worst = max(worst, pose.limit_excess)
    kind = "cones, hinges and twists, 2-20 links" if limited else "no limits, 2-100 links"
    print(f"\n{kind}, {count} targets, tolerance 1e-6 of the length; worst limit excess {worst:.1e} rad")
    for refine, row in rows.items():
        met, spent, tries = np.array(row).T
        name = "refined" if refine else "plain FABRIK, <= 1000 sweeps"
        print(f"{name:<30}{100 * met.mean():8.2f} % solved{spent.mean():9.1f} iterations, {tries.max():.0f} starts")


def skeletons(count):
    """Solves a second of a humanoid with five tips."""
    print(f"\nhumanoid, 20 bones, 5 tips, {count} feasible targets, tolerance 1e-3 m")
    for limited in (False, True):
        skeleton, rng = humanoid(limited), np.random.default_rng(2)
        bones = skeleton.bones
        cases = []
        for _ in range(count):
            points = bones.pose_of(drawn_values(bones, rng, 0.8), bones.start[0])[1]
            cases.append({name: points[bones.index(name) + 1].copy() for name in skeleton.tips})
        skeleton.solve(cases[0], tolerance=1e-3)
        good, start = 0, time.perf_counter()
        poses = [skeleton.solve(case, tolerance=1e-3, explain=False) for case in cases]
        rate = count / (time.perf_counter() - start)
        for case, pose in zip(cases, poses, strict=True):
            good += all(np.linalg.norm(pose[name] - point) <= 1e-3 for name, point in case.items())
        print(f"{'with limits' if limited else 'no limits':<16}{100 * good / count:8.2f} % solved{rate:10.0f} solves/s")


def animation():
    """The largest step of a joint against its median step, over ten seconds."""
    print("\nanimation: 600 frames through near-fold and 0.999 of the reach, 8 bones; largest step / median step")
    for half, near in ((0.6, 0.3), (0.9, 0.15), (1.3, 0.15), (None, 0.05)):
        joints = None if half is None else [fa.joints.Ball()] + [fa.joints.Cone(half)] * 7
        chain = fa.Chain(arc(8), joints, rest=straight(8))
        for pole in (None, (0.0, 0.0, 5.0)):
            pose, points, good = None, [], 0
            for target in smooth_loop(chain.reach, near, 0.999):
                pose = chain.solve(target, start=pose, pole=pole, explain=False)
                good += np.linalg.norm(pose.points[-1] - target) <= 1e-6 * chain.reach
                points.append(pose.points)
            steps = np.linalg.norm(np.diff(points[5:], axis=0), axis=2)[:, 1:]
            worst = (steps.max(axis=0) / np.median(steps, axis=0)).max()
            kind = "no limits" if half is None else f"cones of {half} rad"
            print(f"{kind:<20}{'pole' if pole else 'no pole':<10}{good:>5} of 600 met, worst joint {worst:5.2f}")


def main() -> None:
    """Prints all tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=10_000, help="targets of the shares")
    parser.add_argument("--peers", type=int, default=200, help="targets of the speed tables")
    options = parser.parse_args()
    for tolerance in (1e-3, 1e-6):
        speed(options.peers, tolerance)
    for limited in (False, True):
        shares(options.n, limited)
    skeletons(min(options.n, 1000))
    animation()


if __name__ == "__main__":
    main()
