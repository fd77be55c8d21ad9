"""Path tracking: full paths, every returned point judged by a separate FK, and why the rest stopped.

W1: joint-interpolated paths (trackable by construction). W2: straight lines of 0.3 to 0.8 m from a
random start. W3: lines through a wrist singularity and past full stretch. W4: circles, 20 turns.

python benchmarks/tracking.py                      # 200 paths of each kind and arm
python benchmarks/tracking.py --paths 20 --work W1,W4 --robots ur5
"""

import argparse
import time
from collections import Counter

import numpy as np

import forearm as fa
from judge import track_faults

ROBOTS = "ur5,iiwa14,panda,xarm7"
WORK = "W1,W2,W2 any start,W3,W4,cuts"
POINTS = 501
STEP = 0.1  # max_joint_step [rad]
TURNS, PER_TURN = 20, 100
SEED = 1
# for W3: the joint that makes the wrist singular at 0, and the joint value that stretches the arm
WRIST = {"ur5": 4, "iiwa14": 5, "panda": 5, "xarm7": 5}
STRETCH = {"ur5": (2, 0.0), "iiwa14": (3, 0.0), "panda": (3, -0.46700243), "xarm7": (3, 0.15)}
BEYOND = (-0.001, 0.0, 0.001, 0.05)  # past the stretched pose [m]
# the search that checks a reason
DENSE, DENSER = 1024, 4096
BRUTE_TRIES, BRUTE_SEARCHES = 2000, 4
SHRINKS = 0.75


def robot_named(name):
    """The arm with its own limits."""
    return fa.load(name)


def drawn(robot, rng, *shape):
    """Configurations inside the limits; the UR5's within half a turn, as the paper draws them."""
    lower, upper = np.clip(robot.limits, -np.pi, np.pi) if robot.name == "ur5" else robot.limits
    return rng.uniform(lower, upper, (*shape, robot.n))


def joint_paths(robot, count, rng):
    """W1: poses of straight lines in joint space, and their starts."""
    for a, b in drawn(robot, rng, count, 2):
        yield robot.fk(np.linspace(a, b, POINTS)), a


def unit(rng):
    """A random direction."""
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def line(T, direction, lengths):
    """Poses along a line through T, at these distances."""
    poses = np.tile(T, (len(lengths), 1, 1))
    poses[:, :3, 3] += np.outer(lengths, direction)
    return poses


def straight_lines(robot, count, rng):
    """W2: from a random configuration straight toward the tip of another, the orientation kept."""
    for q, other in drawn(robot, rng, count, 2):
        way = robot.fk(other)[:3, 3] - robot.fk(q)[:3, 3]
        lengths = np.linspace(0.0, rng.uniform(0.3, 0.8), POINTS)
        yield line(robot.fk(q), way / np.linalg.norm(way), lengths), q


def singular_lines(robot, name, count, rng):
    """W3: by turns a line through a wrist singularity, and one along the arm to or past full stretch."""
    made = 0
    while made < count:
        q = drawn(robot, rng)
        if made % 2 == 0:
            q[WRIST[name]] = np.clip(0.0, *robot.limits[:, WRIST[name]])
            poses = line(robot.fk(q), unit(rng), np.linspace(-0.15, 0.15, POINTS))
        else:
            joint, value = STRETCH[name]
            q[joint] = value
            frames = robot.fk_all(q)
            out = frames[joint + 1, :3, 3] - frames[1, :3, 3]
            ends = np.linspace(-0.2, BEYOND[made // 2 % len(BEYOND)], POINTS)
            poses = line(robot.fk(q), out / np.linalg.norm(out), ends)
        start = robot.solve(poses[0], q, explain=False)
        if start.success:
            made += 1
            yield poses, start.q


def circles(robot, count, rng):
    """W4: circles of 5 to 15 cm, 20 turns, that one turn was tracked of."""
    angles = np.linspace(0.0, 2.0 * np.pi * TURNS, TURNS * PER_TURN + 1)
    angles = 2.0 * np.pi * (np.arange(len(angles)) % PER_TURN) / PER_TURN  # the same bits on every turn
    made = 0
    while made < count:
        q, u, radius = drawn(robot, rng), unit(rng), rng.uniform(0.05, 0.15)
        v = np.cross(u, unit(rng))
        v /= np.linalg.norm(v)
        poses = np.tile(robot.fk(q), (len(angles), 1, 1))
        poses[:, :3, 3] += radius * (np.outer(np.cos(angles) - 1.0, u) + np.outer(np.sin(angles), v))
        if robot.track(poses[: PER_TURN + 1], q, max_joint_step=STEP).complete:
            made += 1
            yield poses, q


def moved_on(robot, poses, stop, q, pieces):
    """The joint values of a walk over one segment in small pieces, or None if one cannot be taken."""
    at, Q = stop, [q]
    fractions = np.linspace(0.0, 1.0, pieces + 1)[1:]
    for T in segment(poses[at - 1], poses[at], fractions):
        s = robot.solve(T, Q[-1], max_joint_step=STEP, explain=False, max_tries=4)
        if not s.success:
            return None
        Q.append(s.q)
    return np.array(Q)


def segment(A, B, fractions):
    """Poses between two of a path whose orientation hardly turns from one to the next."""
    for f in fractions:
        yield fa.nearest_rigid((1.0 - f) * A + f * B)


def answers(robot, T):
    """Whether some configuration of a robot meets a pose."""
    return any(
        robot.solve(T, max_tries=BRUTE_TRIES, rng_seed=seed, explain=False).success for seed in range(BRUTE_SEARCHES)
    )


def brute_reason(robot, poses, track):
    """Why a track stopped, by dense steps and long searches."""
    at, free = track.stopped_at, robot.with_limits(np.array([[-np.inf], [np.inf]]) * np.ones(robot.n))
    q = track.q_at_waypoints[-1]
    inside = [moved_on(robot, poses, at, q, pieces) for pieces in (DENSE, DENSER)]
    if all(Q is not None for Q in inside):
        steps = [np.abs(np.diff(Q, axis=0)).max() for Q in inside]
        if steps[1] < SHRINKS * steps[0]:
            return "too_coarse"
    if moved_on(free, poses, at, q, DENSE) is not None:
        return "limits"
    if not answers(free, poses[at]):
        return "out_of_reach"
    return "singularity" if answers(robot, poses[at]) else "limits"


def run(name, work, count, brute):
    """Tracks the paths of one kind and prints a line."""
    robot, rng = robot_named(name), np.random.default_rng(SEED)
    paths = {
        "W1": lambda: joint_paths(robot, count, rng),
        "W2": lambda: straight_lines(robot, count, rng),
        "W2 any start": lambda: straight_lines(robot, count, rng),
        "W3": lambda: singular_lines(robot, name, count, rng),
        "W4": lambda: circles(robot, count, rng),
    }[work]()
    times, full, points, faults, reasons, agreed, judged, drift, last = [], 0, 0, [], Counter(), 0, 0, [], []
    for i, (poses, q0) in enumerate(paths):
        begin = time.perf_counter()
        track = robot.track(poses, None if work == "W2 any start" else q0, max_joint_step=STEP)
        times.append(1e3 * (time.perf_counter() - begin))
        full, points = full + track.complete, points + len(track)
        faults += [f"path {i}: {fault}" for fault in track_faults(robot, poses, track, STEP)]
        if track.complete:
            turns = track.q_at_waypoints[::PER_TURN] if work == "W4" else np.zeros((2, 1))
            drift.append(np.abs(turns[-1] - turns[0]).max())
            last.append(np.abs(turns[-1] - turns[-2]).max())
        else:
            reasons[str(track.status)] += 1
            if judged < brute and track.stopped_at:
                judged += 1
                right = brute_reason(robot, poses, track) == str(track.status)
                agreed += right
    line = f"{name:<8}{work:<14}{full:>5}/{len(times):<5}{len(faults):>4}{np.median(times):>9.2f}{max(times):>9.1f}"
    line += f"{1e3 * sum(times) / points:>9.2f}  "
    line += (
        f"drift {np.median(drift):.1e} (most {max(drift):.1e}), last turn {np.median(last):.1e} "
        f"(above 1e-9: {np.sum(np.array(last) > 1e-9)})  "
        if work == "W4"
        else ""
    )
    line += " ".join(f"{reason}:{n}" for reason, n in sorted(reasons.items()))
    print(line + (f"  reasons agree {agreed}/{judged}" if judged else ""), flush=True)
    for fault in faults[:5]:
        print(f"    BAD {fault}")
    return len(faults), agreed, judged


def compare_cuts(name, count):
    """Prints how much the joints differ between a path of 501 and the same of 2001 way-points."""
    robot, rng, most = robot_named(name), np.random.default_rng(SEED), []
    for a, b in drawn(robot, rng, count, 2):
        few, many = (robot.track(robot.fk(np.linspace(a, b, N)), a, max_joint_step=STEP) for N in (501, 2001))
        if few.complete and many.complete:
            most.append(np.abs(few.q_at_waypoints - many.q_at_waypoints[::4]).max())
    print(f"{name:<8}501 against 2001 way-points: joints differ by {np.median(most):.1e} rad (median), "
          f"{np.percentile(most, 90):.1e} (90 %), {max(most):.1e} (most) on {len(most)} paths", flush=True)  # fmt: skip


def main() -> int:
    """Prints the table; 1 if a returned point breaks the contract."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--robots", default=ROBOTS)
    parser.add_argument("--work", default=WORK)
    parser.add_argument("--paths", type=int, default=200)
    parser.add_argument("--brute", type=int, default=40, help="stops per line whose reason a long search checks")
    options = parser.parse_args()
    print(f"{POINTS} way-points, max_joint_step {STEP} rad; bad: broken contracts by a separate FK; times in ms a path")
    print(f"{'robot':<8}{'work':<14}{'full':>8}{'bad':>7}{'median':>9}{'most':>9}{'us/point':>9}")
    totals = np.zeros(3, int)
    for work in options.work.split(","):
        for name in options.robots.split(","):
            if work == "cuts":
                compare_cuts(name, max(options.paths // 10, 1))
            else:
                totals += run(name, work, options.paths, options.brute)
    bad, agreed, judged = totals
    print(f"broken contracts: {bad}; reasons that agree with a long search: {agreed} of {judged}")
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
