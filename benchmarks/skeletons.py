"""Skeletons of 20, 60 and 200 bones with 5 to 12 tips, poles, limits and obstacles, judged apart.

python benchmarks/skeletons.py                    # 1,000 frames and 20 clips of 60 frames a skeleton
python benchmarks/skeletons.py --frames 100 --clips 2 --bones 20

A frame is a pose drawn inside the limits, its tips' places as targets, balls put where that pose is clear of them, and
a pole for every limb; so every frame can be met. Clips are such poses that change smoothly, 60 frames each. Answers are
judged here, by products of matrices in plain numpy: tips at 1e-4 m, joints inside their limits, bones clear of the
balls, and in clips how far a bone turns in a frame beside how far it turns in the drawn motion.
"""

import argparse
import sys
import time

import numpy as np

import forearm as fa
from bone_cases import drawn_values
from forearm.joints import Ball, Cone, Fixed, Hinge

TIPS = {20: 5, 60: 8, 200: 12}
NEAR = 1e-4  # [m]
THICKNESS, CLEARANCE, BALLS = 0.01, 0.005, 6
MARGIN = 0.02  # that the drawn pose keeps beyond the clearance [m]
FRAMES, MAX_TURN = 60, 0.5
SAME_TIPS = 8


def skeleton(n, tips, seed=0):
    """A trunk with limbs of equal length on it, about 2 m in all; cones, hinges, and some balls."""
    rng = np.random.default_rng(seed)
    trunk = max(2, n // (tips + 1))
    step = 1.0 / trunk
    bones, joints, names = {}, {}, []
    for i in range(trunk):
        bones[f"t{i}"] = (f"t{i - 1}" if i else None, [0.0, 0.0, step * (i + 1)])
        joints[f"t{i}"] = Cone(0.6, twist=(-0.6, 0.6))
        names.append(f"t{i}")
    each = [(n - trunk) // tips + (k < (n - trunk) % tips) for k in range(tips)]
    for k, count in enumerate(each):
        above = names[trunk - 1 - (k * trunk // tips) // 2]
        way = rng.normal(size=3)
        way /= np.linalg.norm(way)
        point = np.array(bones[above][1], float)
        for i in range(count):
            point = point + way * (1.0 / count)
            name = f"l{k}_{i}"
            bones[name] = (above, point.tolist())
            across = np.cross(way, rng.normal(size=3))
            joints[name] = (
                Cone(1.2, twist=(-1.0, 1.0)),
                Hinge(across / np.linalg.norm(across), (-0.3, 2.0)),
                Cone((0.9, 0.5)),
                Ball(twist=(-1.0, 1.0)),
            )[i % 4]
            above = name
    return fa.Skeleton(bones, joints=joints)


class Judge:
    """Forward kinematics of a skeleton in plain numpy, from rotations that a solution names."""

    def __init__(self, body):
        self.body, self.names = body, body.bone_names
        self.parent = [body.bones.parent[i] for i in range(body.n)]
        self.rest = body.points[1:] - body.points[[p + 1 for p in self.parent]]

    def points(self, local):
        """(n+1, 3) where local rotations (n, 3, 3) put the bones."""
        P, R = [self.body.points[0]], []
        for i, p in enumerate(self.parent):
            R.append(local[i] if p < 0 else R[p] @ local[i])
            P.append(P[p + 1] + R[i] @ self.rest[i])
        return np.array(P)

    def outside(self, q):
        """By how much the worst joint is outside its limits [rad], from its values and its kind."""
        worst = 0.0
        for joint, (a, b, t) in zip(self.body.bones.kinds, q, strict=True):
            if isinstance(joint, Hinge):
                worst = max(worst, joint.range[0] - a, a - joint.range[1])
            elif not isinstance(joint, Fixed):
                low, high = joint.twist or (-np.inf, np.inf)
                worst = max(worst, low - t, t - high)
                if isinstance(joint, Cone):
                    toward, across = joint.half_angle
                    worst = max(worst, np.hypot(a / across, b / toward) - 1.0)
        return worst

    def gap(self, P, centres, radii):
        """The least distance between bones and balls, surfaces counted [m]."""
        A, D = P[[p + 1 for p in self.parent]], P[1:] - P[[p + 1 for p in self.parent]]
        least = np.inf
        for c, r in zip(centres, radii, strict=True):
            s = np.clip(((c - A) * D).sum(axis=1) / (D * D).sum(axis=1), 0.0, 1.0)
            least = min(least, np.linalg.norm(A + s[:, None] * D - c, axis=1).min() - r - THICKNESS)
        return least

    def judge(self, solution, targets, balls):
        """Whether a solution keeps all it promises."""
        P = self.points(solution.rotations("local"))
        miss = max(np.linalg.norm(P[self.names.index(tip) + 1] - point) for tip, point in targets.items())
        clear = self.gap(P, *balls) >= CLEARANCE - 1e-9
        return miss <= NEAR and clear and self.outside(solution.joint_values) <= 1e-9


def balls_round(judge, poses, rng):
    """Centres and radii of balls that all poses are clear of, some of them near."""
    centres, radii = [], []
    low, high = np.min(poses, axis=(0, 1)) - 0.1, np.max(poses, axis=(0, 1)) + 0.1
    for _ in range(2_000):
        c, r = rng.uniform(low, high), rng.uniform(0.03, 0.15)
        if min(judge.gap(P, [c], [r]) for P in poses) > CLEARANCE + MARGIN:
            centres.append(c)
            radii.append(r)
            if len(centres) == BALLS:
                break
    return np.array(centres).reshape(-1, 3), np.array(radii)


def poles_of(body, tips):
    """A point ahead of each limb."""
    return {tip: body.points[body.bone_names.index(tip) + 1] + np.array([0.0, 2.0, 0.0]) for tip in tips}


def scene(balls):
    """Balls as obstacles."""
    return [fa.Sphere(c, r) for c, r in zip(*balls, strict=True)]


def frames(body, count, seed):
    """Targets, balls and drawn poses, frame by frame."""
    rng, judge = np.random.default_rng(seed), Judge(body)
    for _ in range(count):
        P = body.bones.pose_of(drawn_values(body.bones, rng, 0.8), body.points[0])[1]
        targets = {tip: P[body.bone_names.index(tip) + 1] for tip in body.tips}
        yield targets, balls_round(judge, [P], rng)


def clip(body, seed):
    """(FRAMES, n+1, 3) a motion from one drawn pose to another and on to a third, and balls it is clear of."""
    rng = np.random.default_rng(seed)
    keys = [drawn_values(body.bones, rng, 0.7) for _ in range(3)]
    t = np.linspace(0.0, 1.0, FRAMES)
    weights = np.stack([(1 - t) ** 2, 2 * t * (1 - t), t**2])
    values = np.einsum("kf,kij->fij", weights, np.array(keys))
    poses = np.array([body.bones.pose_of(q, body.points[0])[1] for q in values])
    return poses, balls_round(Judge(body), poses[::3], rng)


def largest_turn(body, first, second):
    """The most a bone turns between two poses [rad]."""
    above = body.bones.parent + 1
    a, b = (P[1:] - P[above] for P in (first, second))
    return float(np.arctan2(np.linalg.norm(np.cross(a, b), axis=1), (a * b).sum(axis=1)).max())


def run_frames(body, count):
    """How many frames are met, the seconds of each, poles' mean angle left, and the misses."""
    judge, met, spent, poles, missed = Judge(body), 0, [], [], []
    for k, (targets, balls) in enumerate(frames(body, count, 1)):
        options = {"pole": poles_of(body, body.tips), "obstacles": scene(balls), "explain": False}
        began = time.process_time()
        found = body.solve(targets, tolerance=0.5 * NEAR, thickness=THICKNESS, clearance=CLEARANCE, **options)
        spent.append(time.process_time() - began)
        good = found.success and judge.judge(found, targets, balls)
        met, poles = met + good, [*poles, found.pole_angle]
        if not good:
            missed.append((k, str(found.status), found.position_error, found.clearance))
    return met, np.array(spent), np.array(poles), missed


def run_clips(body, count):
    """Clips whose frames are all met without a jump; the largest turn in a frame, and that of the drawn motion."""
    judge, good, worst, drawn, misses = Judge(body), 0, 0.0, 0.0, []
    for k in range(count):
        poses, balls = clip(body, 100 + k)
        targets = {tip: poses[:, body.bone_names.index(tip) + 1] for tip in body.tips}
        around = {"obstacles": scene(balls), "thickness": THICKNESS, "clearance": CLEARANCE}
        track = body.track(targets, max_turn=MAX_TURN, pole=poles_of(body, body.tips), tolerance=0.5 * NEAR, **around)
        each = [judge.judge(track[i], {tip: p[i] for tip, p in targets.items()}, balls) for i in range(len(track))]
        turn = max(largest_turn(body, track.points[i], track.points[i + 1]) for i in range(len(track) - 1))
        worst = max(worst, turn)
        drawn = max(drawn, *(largest_turn(body, poses[i], poses[i + 1]) for i in range(len(poses) - 1)))
        if all(each) and turn <= MAX_TURN:
            good += 1
        else:
            misses.append((k, each.count(False), track.reason))
    return good, worst, drawn, misses


def time_against_bones(count):
    """Prints the time of a frame for more and more bones with as many tips, and the power of n that it grows with."""
    sizes, times = (25, 50, 100, 200, 400), []
    for n in sizes:
        body = skeleton(n, SAME_TIPS)
        times.append(float(np.median(run_frames(body, count)[1])) * 1e3)
    power = np.polyfit(np.log(sizes), np.log(times), 1)[0]
    line = ", ".join(f"{n}: {t:.2f}" for n, t in zip(sizes, times, strict=True))
    print(f"{SAME_TIPS} tips, ms a frame by bones: {line}; it grows with the power {power:.2f} of the bones")


def main():
    """Prints the table; exit code 1 if a frame or clip is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", type=int, default=1000)
    parser.add_argument("--clips", type=int, default=20)
    parser.add_argument("--bones", default=",".join(map(str, TIPS)))
    options = parser.parse_args()
    print("bones  tips  frames met  ms a frame (median, 95 %)  us a bone  poles left, median [rad]  clips continuous  "
          "largest turn (drawn) [rad]")  # fmt: skip
    whole = True
    for n in map(int, options.bones.split(",")):
        body = skeleton(n, TIPS[n])
        met, spent, poles, missed = run_frames(body, options.frames)
        good, worst, drawn, misses = run_clips(body, options.clips)
        middle, slow = np.median(spent) * 1e3, np.percentile(spent, 95) * 1e3
        a_bone = middle / n * 1e3
        print(
            f"{n:5} {len(body.tips):5} {met:6}/{options.frames:<6} {middle:12.2f}, {slow:8.2f} {a_bone:12.1f} "
            f"{np.median(poles):22.2g} {good:15}/{options.clips:<4} {worst:16.3f} ({drawn:.3f})",
            flush=True,
        )
        for line in [*missed[:5], *misses[:5]]:
            print("      missed:", *line)
        whole = whole and met == options.frames and good == options.clips
    time_against_bones(min(options.frames, 100))
    sys.exit(0 if whole else 1)


if __name__ == "__main__":
    main()
