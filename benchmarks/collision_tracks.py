"""Paths past obstacles: how many are tracked whole, and whether anything between their points comes too near.

python benchmarks/collision_tracks.py                 # 100 paths of 200 points on each of three arms

A path is the tip's along a smooth motion of a reference arm, and obstacles are drawn 0.015 to 0.1 m from
some pose of it, so it can be tracked. Tracks are looked at in 100 configurations between any two points
(our distances, which the tests hold against coal), and by coal itself at every fifth way-point.
"""

import argparse
import time

import numpy as np

import coal_judge
import scenes
from cases import independent_fk
from forearm.scenes.scene import Scene
from judge import rotation_errors

POINTS, BETWEEN, STEP = 200, 100, 0.1
OBSTACLES = 12
NEAREST, FARTHEST = 0.015, 0.1  # of an obstacle from the reference [m]
ROUNDING = 1e-7  # of coal's own iterations [m]


def draw_motion(robot, rng):
    """(N, n) a smooth motion between two configurations that does not touch itself."""
    while True:
        ends = np.array([scenes.draw_reference(robot, rng) for _ in range(2)])
        span = ends[1] - ends[0]
        way = ends[0] + np.linspace(0.0, min(1.0, 2.0 / np.abs(span).max()), POINTS)[:, None] * span
        bend = 0.3 * np.sin(np.linspace(0.0, np.pi, POINTS))[:, None] * rng.uniform(-1, 1, robot.n)
        Q = np.clip(way + bend, *robot.limits)
        if robot.clearance(Q).distance.min() >= scenes.CLEARANCE + 0.005:
            return Q


def draw(robot, seed):
    """The poses, the scene and the reference of one seed."""
    rng = np.random.default_rng([seed, 77])
    Q = draw_motion(robot, rng)
    found = []
    while len(found) < OBSTACLES:
        points = scenes.origins(robot, Q[rng.integers(POINTS)])[1:]
        i, way = rng.integers(len(points) - 1), scenes.draw_rotation(rng)[0]
        obstacle = scenes.draw_obstacle(rng, points[i] + rng.uniform(0.05, 0.3) * way)
        gap = robot.clearance(Q, [obstacle], self_collision=False).distance.min()
        if NEAREST <= gap <= FARTHEST:
            found.append(obstacle)
    return robot.fk(Q), Scene(found), Q


def check(robot, track, targets, scene):
    """What is wrong with a full track, in a word; empty if nothing is."""
    at = track.q[track.places == np.floor(track.places)]
    poses = independent_fk(robot, at)
    if np.linalg.norm(poses[:, :3, 3] - targets[:, :3, 3], axis=1).max() > 1e-6:
        return "position"
    if rotation_errors(poses, targets).max() > 1e-6:
        return "rotation"
    if np.abs(np.diff(track.q, axis=0)).max() > STEP + 1e-12:
        return "step"
    shares = np.linspace(0.0, 1.0, BETWEEN + 1)[:-1, None]
    for a, b in zip(track.q, track.q[1:], strict=False):
        if robot.clearance(a + shares * (b - a), scene).distance.min() < scenes.CLEARANCE:
            return "between"
    by_coal = min(coal_judge.clearance(robot, q, scene) for q in at[::5])
    return "coal" if by_coal < scenes.CLEARANCE - ROUNDING else ""


def main():
    """Tracks every path of every arm."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", default="ur5,iiwa14,panda")
    parser.add_argument("--n", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    args = parser.parse_args()
    for name in args.robots.split(","):
        robot, whole, plain, wrong, stops, times = scenes.load(name), 0, 0, [], {}, []
        for seed in range(args.first, args.first + args.n):
            targets, scene, Q = draw(robot, seed)
            begin = time.perf_counter()
            track = robot.track(targets, Q[0], max_joint_step=STEP, obstacles=scene, clearance=scenes.CLEARANCE)
            times.append(time.perf_counter() - begin)
            bare = robot.track(targets, Q[0], max_joint_step=STEP)
            plain += bare.success and not check(robot, bare, targets, scene)
            whole += track.success
            if not track.success:
                stops[str(track.status)] = stops.get(str(track.status), 0) + 1
                print(f"  {name} seed {seed}: {track.status} {track.reason}")
            elif check(robot, track, targets, scene):
                wrong.append((seed, check(robot, track, targets, scene)))
        ms = 1e3 * np.median(times)
        print(f"{name:8s} whole {whole} of {args.n}, wrong {wrong}, stops {stops}; ms median {ms:.1f}", flush=True)
        print(f"{name:8s} without obstacles in mind, whole and free by luck: {plain} of {args.n}", flush=True)


if __name__ == "__main__":
    main()
