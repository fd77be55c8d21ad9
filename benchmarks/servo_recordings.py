"""Servos on recorded motion: orientations that sensors moved by hand measured, at 50 Hz, noise and all.

python benchmarks/servo_recordings.py                               # pip install --no-deps scikit-kinematics
python benchmarks/servo_recordings.py --peers pink mink placo --robots panda

The files come with the tests of scikit-kinematics (PyPI). The tip shall stay where it is and turn as the sensor did
since its first sample. At 50 Hz a tick is a sample; at 1 kHz each sample stands for 20 ticks, as a slow tracker's do,
and is interpolated: one sample later, so it is judged by the sample before. Exits 1 if a bound is broken.
"""

import argparse
import sys
import time

import numpy as np

import servo_peers
import servo_streams as streams
from cases import independent_fk
from driving import share
from servo import ARMS, Judge, arm_of

SAMPLES = 50  # a second
RECORDINGS = {  # file, separator, lines above the numbers, where the quaternion (w, x, y, z) begins
    "in hand": ("data_ngimu/quaternion.csv", ",", 1, 1),
    "sensor": ("data_xsens.txt", None, 5, 10),
}


def rotations(name):
    """(N, 3, 3) rotations since the first sample."""
    path, separator, above, first = RECORDINGS[name]
    file = share("tests", f"data/{path}", "--no-deps scikit-kinematics")
    w, x, y, z = np.loadtxt(file, delimiter=separator, skiprows=above, usecols=range(first, first + 4)).T
    size = w * w + x * x + y * y + z * z
    R = np.empty((len(w), 3, 3))
    R[:, 0] = np.stack([w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)], -1)
    R[:, 1] = np.stack([2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)], -1)
    R[:, 2] = np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z], -1)
    R /= size[:, None, None]
    return R[0].T @ R


def angles(A, B):
    """The angle between rotations [rad]."""
    return 2.0 * np.arcsin(np.clip(np.linalg.norm(A - B, axis=(1, 2)) / np.sqrt(8.0), 0.0, 1.0))


def follow(robot, name, rate, peers):
    """A line for each driver; True if forearm's servo kept its bounds."""
    arm, q0 = arm_of(robot), np.array(streams.STARTS[robot])
    T, R = arm.fk(q0), rotations(name)
    targets = streams.still(T, len(R))
    targets[:, :3, :3] = T[:3, :3] @ R
    each = rate // SAMPLES
    stream = np.repeat(targets, each, axis=0)
    servo, good = arm.servo(q0, rate), True
    driven, missing = servo_peers.drivers(arm, q0, rate, servo, peers)
    for who, driver in driven:
        words, out, spent = [], np.empty((len(stream), arm.n)), 0.0
        for i, target in enumerate(stream):
            began = time.process_time()
            out[i] = driver(target)
            spent += time.process_time() - began
            words.append(servo.status if who == "forearm" else "")
        judge = Judge(arm, servo, q0)
        judge.see(out)
        good = good and (judge.kept or who != "forearm")
        ends = independent_fk(arm, out[each - 1 :: each])
        aim = targets if each == 1 or who != "forearm" else np.concatenate([targets[:1], targets[:-1]])
        away, turned = np.linalg.norm(ends[:, :3, 3] - T[:3, 3], axis=1), angles(ends[:, :3, :3], aim[:, :3, :3])
        v = np.diff(out, axis=0) * rate
        rough = np.sqrt((np.diff(v, axis=0) ** 2).mean()) * rate
        share_of = f", following {100 * words.count('following') / len(words):.0f} % of ticks" if words[0] else ""
        print(
            f"{robot:8s}{name:10s}{rate:5d} Hz {who:8s} {judge}, tip off rms {1e3 * np.sqrt((away**2).mean()):.4f} "
            f"max {1e3 * away.max():.4f} mm, turn off median {np.median(turned):.1e} max {turned.max():.2f} rad, "
            f"acceleration rms {rough:.2f}{share_of}, {1e6 * spent / len(stream):.1f} us a tick",
            flush=True,
        )
    if missing:
        print(f"cannot be loaded: {', '.join(missing)}")
    return good


def main():
    """Every recording on every arm, at both rates."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--robots", nargs="*", default=ARMS)
    parser.add_argument("--rates", nargs="*", type=int, default=(SAMPLES, 1000))
    parser.add_argument("--peers", nargs="*", default=(), choices=servo_peers.PEERS)
    asked, good = parser.parse_args(), True
    for robot in asked.robots:
        for name in RECORDINGS:
            for rate in asked.rates:
                good = follow(robot, name, rate, asked.peers) and good
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
