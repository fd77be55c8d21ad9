"""What a clearance and a solve cost among 10 to 100,000 obstacles, with the tree and one by one.

python benchmarks/many_obstacles.py                    # spheres in a room of 4 m, none near the arm's base

Microseconds as Python sees them, medians. Looking at each obstacle is asked for up to 10,000 of them.
"""

import argparse
import time
from functools import partial

import numpy as np

import scenes
from forearm.core.codes import REPORT
from forearm.scenes import PointCloud, Scene
from forearm.scenes.tree import Laid
from forearm.solve.problem import NO_START

ROOM, CLEAR = 4.0, 0.35  # edge of the room [m], and what stays clear about the arm's reference poses


def draw(robot, count, rng):
    """Points of the room that keep off the arm in a reference pose, and that pose."""
    q = scenes.draw_reference(robot, rng)
    frames = robot.fk_all(q)[:, :3, 3]
    found = np.empty((0, 3))
    while len(found) < count:
        points = rng.uniform(-ROOM / 2, ROOM / 2, (2 * count, 3))
        off = np.min([np.linalg.norm(points - frame, axis=1) for frame in (*frames, np.zeros(3))], axis=0)
        found = np.vstack([found, points[off > CLEAR]])
    return found[:count], q


def median(call, times=30):
    """Microseconds of a call."""
    call()
    spent = []
    for _ in range(times):
        begin = time.perf_counter()
        call()
        spent.append(time.perf_counter() - begin)
    return 1e6 * np.median(spent)


def least(call, times=15):
    """Microseconds of processor time of a call, the least of some: what else the machine does is not in it.

    Of all threads: a search that may take long has one of its own.
    """
    spent = []
    for _ in range(times):
        begin = time.process_time_ns()
        call()
        spent.append(time.process_time_ns() - begin)
    return 1e-3 * min(spent)


def fresh(name, n):
    """Prints what a scene of 15 obstacles costs that was never seen, one that was, and their kernel alone."""
    robot = scenes.load(name)
    drawn = [scenes.draw(robot, "std", seed)[:2] for seed in range(n)]
    drawn = [(T, list(scene.obstacles[:15])) for T, scene in drawn if len(scene) >= 15]
    new, known, kernel = [], [], []
    for T, obstacles in drawn:
        scene = Scene(obstacles)
        robot.solve(T, obstacles=scene, explain=False)
        new.append(least(lambda T=T, few=obstacles: robot.solve(T, obstacles=few, explain=False)))
        known.append(least(lambda T=T, scene=scene: robot.solve(T, obstacles=scene, explain=False)))
        bound = next(iter(robot._prepared.guard.bound.values()))
        room = (np.empty(bound.scratch), np.empty(robot.n), np.empty(REPORT))
        kernel.append(least(lambda T=T, bound=bound, room=room: bound.kernel(*bound.arrays, T, NO_START, *room)))
    more = np.median(np.subtract(new, kernel))
    words = f"{np.median(new):.1f} us; solved again {np.median(known):.1f}; its kernel {np.median(kernel):.1f}"
    print(f"{name} 15 obstacles, packed and solved: {words}; more than the kernel {more:.1f} (processor time)")


def main():
    """Prints a line for each number of obstacles, and what new scenes cost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robot", default="panda")
    parser.add_argument("--counts", default="10,100,1000,10000,100000")
    args = parser.parse_args()
    for name in ("ur5", "panda"):
        fresh(name, 60)
    robot = scenes.load(args.robot)
    for count in map(int, args.counts.split(",")):
        points, q = draw(robot, count, np.random.default_rng(0))
        cloud, T = PointCloud(points, 0.01), robot.fk(q)
        begin = time.perf_counter()
        scene = Scene([cloud])
        scene.laid  # noqa: B018 (it is made when it is first asked for)
        packed = time.perf_counter() - begin
        flat = Scene([cloud])
        flat.__dict__["laid"] = Laid(flat.rows, flat.owners)
        words = []
        for kind, among in (("tree", scene), ("one by one", flat)):
            if kind == "tree" or count <= 10_000:
                near = median(partial(robot.clearance, q, among))
                solve = median(partial(robot.solve, T, obstacles=among, explain=False))
                words.append(f"{kind}: clearance {near:8.1f} solve {solve:8.1f} us")
        print(f"{robot.name} {count:6d} obstacles  packed in {1e3 * packed:6.1f} ms  {'  '.join(words)}", flush=True)


if __name__ == "__main__":
    main()
