"""Bezier poses: reachable targets, scenes with obstacles, planar limits; every answer judged by its own points.

python benchmarks/bezier.py                       # all of it, some minutes
python benchmarks/bezier.py --n 1000 --scenes 100 --limited 200
python benchmarks/bezier.py --only limits
"""

import argparse
import itertools
import math
import time

import numpy as np

import forearm as fa
from forearm.core.bezier.close import close_chain
from forearm.core.bezier.push import draw_directions
from forearm.core.collision.obstacle_rows import STAGE, chain_gap
from forearm.scenes.scene import as_scene

LINKS = {
    "equal": lambda rng, n: np.ones(n),
    "U(0.5, 1.5)": lambda rng, n: rng.uniform(0.5, 1.5, n),
    "lognormal": lambda rng, n: rng.lognormal(size=n),
}
COUNTS = (3, 5, 10, 100)
CHAINS = 50  # chains of each kind with unequal links; the targets are shared out among them
SCENES = ((2, 6, 2), (2, 6, 4), (2, 6, 8), (2, 12, 8), (3, 6, 8), (3, 6, 32))
ROUNDS = 5  # of timing; the best is kept
REACH, CLEARANCE = 6.0, 0.05  # [m] of the chains in scenes
DRAWN_STARTS = 500  # poses drawn and closed, for comparison
LIMITED = (3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 30)
LIMITS = ("even", "one-sided", "mixed")


def straight(lengths, dim):
    """(n+1, dim) a chain standing along its last axis."""
    points = np.zeros((len(lengths) + 1, dim))
    points[1:, -1] = np.cumsum(lengths)
    return points


def direction(rng, dim):
    """(dim,) a unit vector drawn uniformly."""
    v = rng.normal(size=dim)
    return v / np.linalg.norm(v)


def link_error(chain, points):
    """The largest error of a link, as a share of the chain's length."""
    return np.abs(np.linalg.norm(np.diff(points, axis=0), axis=1) - chain.lengths).max() / chain.reach


# -- reachable targets ---------------------------------------------------------------------------


def reachable(count):
    """Prints solved shares, link errors and times for chains without limits."""
    print(f"reachable targets, {count} each: solved, largest link error / length, share of arcs, us per call")
    for dim, n, kind in itertools.product((2, 3), COUNTS, LINKS):
        rng = np.random.default_rng(n)
        chains = [fa.Chain(straight(LINKS[kind](rng, n), dim)) for _ in range(1 if kind == "equal" else CHAINS)]
        chains[0].solve(np.full(dim, 0.3), method="bezier")
        pairs = [(chain := chains[k % len(chains)], draw_target(rng, chain)) for k in range(count)]
        solved, worst, arcs = 0, 0.0, 0
        for chain, target in pairs:
            solution = chain.solve(target, method="bezier")
            error = max(link_error(chain, solution.points), math.dist(solution.points[-1], target) / chain.reach)
            solved += solution.success and error <= 1e-12
            worst, arcs = max(worst, error), arcs + (solution.how == "arc")
        seconds = min(timed_round(pairs) for _ in range(ROUNDS))
        line = f"{dim}-D n={n:<4} {kind:<12} {solved}/{count}  {worst:.1e}  {100 * arcs / count:5.1f} %"
        print(f"{line}  {1e6 * seconds / count:7.1f}", flush=True)


def draw_target(rng, chain):
    """(dim,) a point drawn uniformly among those that the chain reaches."""
    low, high = chain.bones.reaches[-1]
    distance = (low**chain.dim + rng.random() * (high**chain.dim - low**chain.dim)) ** (1 / chain.dim)
    return distance * direction(rng, chain.dim)


def timed_round(pairs):
    """Seconds of all calls, each timed by itself."""
    seconds = 0.0
    for chain, target in pairs:
        began = time.perf_counter()
        chain.solve(target, method="bezier")
        seconds += time.perf_counter() - began
    return seconds


# -- scenes --------------------------------------------------------------------------------------


def draw_scene(rng, dim, count):
    """A target and spheres and capsules about the way to it, none of them at base or target."""
    target = direction(rng, dim) * REACH * rng.random() ** (1 / dim)
    ends = np.zeros((2, 2, 3))
    ends[1, :, :dim] = target
    obstacles = []
    while len(obstacles) < count:
        center = rng.random() * target + rng.normal(size=dim) * (2.0 if dim == 2 else 1.4)
        radius, half = rng.uniform(0.3, 0.9), direction(rng, dim) * rng.uniform(0.25, 1.25)
        item = fa.Sphere(center, radius) if rng.random() < 0.5 else fa.Capsule(center - half, center + half, radius)
        rows = as_scene([item], dim).rows
        if min(chain_gap(rows, end, np.zeros(1))[0] for end in ends) > 2.0 * CLEARANCE:
            obstacles.append(item)
    return target, obstacles


def drawn_and_closed(chain, target, rows, seed):
    """Whether one of many poses drawn at random and closed on the target is free."""
    P, goal, lengths, radii = np.zeros((chain.n + 1, 3)), np.zeros(3), chain.lengths, np.zeros(chain.n)
    goal[: chain.dim] = target
    state = np.uint64(seed)
    for _ in range(DRAWN_STARTS):
        state = np.uint64(draw_directions(lengths, chain.dim == 2, state, P))
        closed, _ = close_chain(lengths, chain.reach, goal, P)
        if closed and chain_gap(rows, P, radii)[0] >= CLEARANCE:
            return True
    return False


def is_free(chain, solution, target, rows):
    """Whether a pose has its links, its tip and its clearance, all measured anew."""
    P = np.zeros((chain.n + 1, 3))
    P[:, : chain.dim] = solution.points
    on_target = math.dist(solution.points[-1], target) <= 1e-6 * chain.reach
    return (
        on_target
        and link_error(chain, P[:, : chain.dim]) < 1e-12
        and chain_gap(rows, P, np.zeros(chain.n))[0] >= CLEARANCE
    )


def scenes(count):
    """Prints the shares of solvable scenes by stage and by method."""
    print(f"\n{count} scenes each, L = {REACH:g}, clearance {CLEARANCE:g}; % of those that any method solves")
    names = ("default", "stage 1", "+2", "+3", "+4", "fabrik", "drawn")
    print(f"{'':21} solvable" + "".join(f"{name:>9}" for name in names) + "  median us  mean us")
    for dim, n, obstacles in SCENES:
        rng = np.random.default_rng(obstacles)
        chain = fa.Chain(straight(np.full(n, REACH / n), dim))
        stages, other, drawn, seconds = [], [], [], []
        for k in range(count):
            target, items = draw_scene(rng, dim, obstacles)
            rows = as_scene(items, dim).rows
            began = time.perf_counter()
            bezier = chain.solve(target, method="bezier", obstacles=items, clearance=CLEARANCE, explain=False)
            seconds.append(1e6 * (time.perf_counter() - began))
            fabrik = chain.solve(target, obstacles=items, clearance=CLEARANCE, explain=False)
            assert bezier.success == is_free(chain, bezier, target, rows)
            assert fabrik.success == is_free(chain, fabrik, target, rows)
            stages.append(bezier.report[STAGE] if bezier.success else 9)
            other.append(fabrik.success)
            drawn.append(drawn_and_closed(chain, target, rows, k))
        stage, other, drawn = np.array(stages), np.array(other), np.array(drawn)
        solvable = int(((stage < 9) | other | drawn).sum())
        shares = [100 * (stage <= s).sum() / solvable for s in range(5)]
        shares += [100 * other.sum() / solvable, 100 * drawn.sum() / solvable]
        text = "".join(f"{share:9.1f}" for share in shares)
        times = f"{np.median(seconds):10.0f} {np.mean(seconds):8.0f}"
        print(f"{dim}-D n={n:<3} {obstacles:>2} obstacles {solvable:9d}{text} {times}", flush=True)


# -- limits --------------------------------------------------------------------------------------


def limited_chain(n, kind, rng):
    """A planar chain with limits of one kind, and its ranges (2, n) [rad]."""
    low, high = np.full(n, -1.0), np.full(n, 1.0)
    if kind == "even":
        low[0], high[0] = -math.pi, math.pi
    elif kind == "one-sided":
        low, high = np.full(n, -0.5), np.full(n, 1.5)
    else:
        low, high = -rng.uniform(0.1, 1.5, n), rng.uniform(0.1, 1.5, n)
    joints = [fa.joints.Hinge(range=pair) for pair in zip(low, high, strict=True)]
    lengths = rng.uniform(0.5, 1.5, n) if kind == "mixed" else np.ones(n)
    return fa.Chain(straight(lengths, 2), joints=joints), np.array([low, high])


def pose_at(chain, q):
    """(n+1, 2) the points of a planar chain at joint angles, by plain sums."""
    heading = math.pi / 2 + np.cumsum(q)
    steps = chain.lengths[:, None] * np.column_stack([np.cos(heading), np.sin(heading)])
    return np.vstack([np.zeros(2), np.cumsum(steps, axis=0)])


def keeps(chain, ranges, points, target):
    """Whether a pose has its links, its tip and all joints in their ranges, measured anew; and its RMS bend."""
    heading = np.unwrap(np.arctan2(*np.diff(points, axis=0).T[::-1]))
    q = np.diff(heading, prepend=math.pi / 2)
    middle = ranges.mean(axis=0)
    q = middle + (q - middle + math.pi) % (2.0 * math.pi) - math.pi
    inside = ((q >= ranges[0] - 1e-9) & (q <= ranges[1] + 1e-9)).all()
    good = inside and link_error(chain, points) < 1e-12 and math.dist(points[-1], target) <= 1e-6 * chain.reach
    return good, math.degrees(math.sqrt(float(np.mean(q[1:] ** 2))))


def limits(count):
    """Prints solved shares of feasible targets for 33 kinds of planar chains, alone and with four obstacles."""
    print(
        f"\nplanar limits, {count} feasible targets each (and {count // 20} with 4 obstacles, feasible by construction)"
    )
    print("n   limits     solved        us  RMS bend (drawn)  with obstacles  brute force")
    for n, kind in itertools.product(LIMITED, LIMITS):
        rng = np.random.default_rng(n)
        chain, ranges = limited_chain(n, kind, rng)
        chain.solve(chain.points[-1] * 0.9, method="bezier")
        solved, bends, drawn, seconds = 0, [], [], 0.0
        for _ in range(count):
            q = rng.uniform(*ranges)
            target = pose_at(chain, q)[-1]
            began = time.perf_counter()
            solution = chain.solve(target, method="bezier", explain=False)
            seconds += time.perf_counter() - began
            good, bend = keeps(chain, ranges, solution.points, target)
            assert good == solution.success
            solved += good
            bends.append(bend)
            drawn.append(math.degrees(math.sqrt(float(np.mean(q[1:] ** 2)))))
        among, brute = among_obstacles(chain, ranges, rng, max(count // 20, 1))
        line = f"{n:<3} {kind:<10} {solved}/{count} {1e6 * seconds / count:8.0f}"
        print(f"{line}  {np.mean(bends):6.1f} ({np.mean(drawn):4.1f})  {among:14.1f} % {brute:9.1f} %", flush=True)


def among_obstacles(chain, ranges, rng, count):
    """Shares solved among four obstacles that a feasible pose keeps clear of: by `bezier`, and by 1000 drawn starts."""
    ours, brute = 0, 0
    for _ in range(count):
        pose = pose_at(chain, rng.uniform(*ranges))
        P = np.zeros((chain.n + 1, 3))
        P[:, :2] = pose
        obstacles = []
        while len(obstacles) < 4:
            center = pose[rng.integers(chain.n + 1)] + 0.2 * chain.reach * rng.normal(size=2)
            item = fa.Sphere(center, chain.reach * rng.uniform(0.03, 0.12))
            if chain_gap(as_scene([item], 2).rows, P, np.zeros(chain.n))[0] > 0.02 * chain.reach:
                obstacles.append(item)
        options = {"obstacles": obstacles, "clearance": 0.01 * chain.reach, "explain": False}
        ours += chain.solve(pose[-1], method="bezier", **options).success
        brute += chain.solve(pose[-1], method="fabrik", max_tries=1000, **options).success
    return 100 * ours / count, 100 * brute / count


def main() -> None:
    """Prints one table after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=10_000, help="reachable targets")
    parser.add_argument("--scenes", type=int, default=400)
    parser.add_argument("--limited", type=int, default=2000, help="feasible targets with limits")
    parser.add_argument("--only", choices=["reachable", "scenes", "limits"])
    given = parser.parse_args()
    print(f"forearm {fa.__version__}, numpy {np.__version__}, seeds fixed by the sizes")
    for name, run, count in (
        ("reachable", reachable, given.n),
        ("scenes", scenes, given.scenes),
        ("limits", limits, given.limited),
    ):
        if given.only in (None, name):
            run(count)


if __name__ == "__main__":
    main()
