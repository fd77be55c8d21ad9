"""TRAC-IK's published table, with our column beside it, for every robot that a PyPI package carries.

python benchmarks/tracik_table.py                # 10,000 poses a chain, at 1e-5 and at 1e-6
python benchmarks/tracik_table.py --count 1000

The print: README of TRAC-IK v1.4.6, 10,000 reachable configurations a chain, full poses at 1e-5 in x, y, z, roll, pitch
and yaw, at most 5 ms, started midway between the limits (which a solve does here, too, after its table of starts). Our
time is this process's own per pose, single calls from Python; theirs is C++ on another machine, so the times are no
race. Every answer is judged by forward kinematics written in `driving.py` with NumPy, and by the limits.
Robots: the catalog, `example-robot-data`, `rtb-data`; Fetch as in `driving.py`.
"""

import argparse
import time

import numpy as np

import forearm as fa
from driving import fetch, poses, share

DATA = "share/example-robot-data/robots"


def example(path, **ends):
    """A robot of example-robot-data."""
    return fa.Robot.from_urdf(share("cmeel.prefix", f"{DATA}/{path}"), **ends)


def iiwa14():
    """The iiwa of rtb-data."""
    return fa.Robot.from_urdf(share("rtbdata", IIWA), tip="tool0")


def fetch_arm():
    """Fetch's seven joints without its torso."""
    return fetch(None).with_limits(locked={"torso_lift": 0.1})


CHAINS = (  # as the print names it: joints, KDL, KDL-RR and TRAC-IK [%], TRAC-IK's mean [ms], and where it is from
    ("ABB IRB120", 6, 39.41, 98.48, 99.91, 0.26, lambda: fa.load("irb120")),
    ("Baxter arm", 7, 61.07, 89.62, 99.62, 0.43, lambda: example(BAXTER, base="torso", tip="left_gripper")),
    ("Fetch arm", 7, 92.46, 93.80, 99.99, 0.26, fetch_arm),
    ("Jaco2", 6, 26.23, 97.65, 99.78, 0.41, lambda: fa.load("jaco2")),
    ("KUKA LBR iiwa 14 R820", 7, 37.64, 93.70, 99.84, 0.31, iiwa14),
    ("Franka Emika Panda", 7, 61.77, 92.67, 99.70, 0.38, lambda: fa.load("panda")),
    ("PR2 arm", 7, 83.18, 86.87, 99.95, 0.38, lambda: example(PR2, base="torso_lift_link", tip="r_wrist_roll_link")),
)
IIWA = "xacro/kuka_description/kuka_lbr_iiwa/urdf/lbr_iiwa_14_r820.urdf"
BAXTER, PR2 = "baxter_description/urdf/baxter.urdf", "pr2_description/urdf/pr2.urdf"


def judged(robot, goals, Q, tolerance):
    """(N,) whether each answer meets its pose inside the limits."""
    T = poses(robot, Q)
    off = np.linalg.norm(T[:, :3, 3] - goals[:, :3, 3], axis=1)
    turn = np.linalg.norm(T[:, :3, :3] - goals[:, :3, :3], axis=(1, 2)) / np.sqrt(2.0)
    inside = ((robot.limits[0] - 1e-9 <= Q) & (robot.limits[1] + 1e-9 >= Q)).all(axis=1)
    return (off <= 1.001 * tolerance) & (turn <= 1.001 * tolerance) & inside


def solve_each(robot, goals, tolerance):
    """(N, n) answers of single calls, and their mean time [ms]."""
    targets = goals if tolerance == 1e-6 else [fa.Pose(T, tol=(tolerance, tolerance)) for T in goals]
    robot.solve(targets[0])
    begin = time.process_time()
    Q = np.array([robot.solve(target).q for target in targets])
    return Q, 1e3 * (time.process_time() - begin) / len(goals)


def main():
    """Prints the table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=10_000)
    count = parser.parse_args().count
    print("| chain | joints | KDL % | KDL-RR % | TRAC-IK % | TRAC-IK ms | forearm 1e-5 % | ms | forearm 1e-6 % | ms |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, joints, kdl, rr, trac, its, make in CHAINS:
        robot = make()
        moving = int((robot.limits[0] < robot.limits[1]).sum())
        assert moving == joints, f"{name} has {moving} joints here, {joints} in the print"
        lower, upper = np.clip(robot.limits, -np.pi, np.pi)
        goals = poses(robot, np.random.default_rng(0).uniform(lower, upper, (count, robot.n)))
        row = f"| {name} | {joints} | {kdl:.2f} | {rr:.2f} | {trac:.2f} | {its:.2f} |"
        for tolerance in (1e-5, 1e-6):
            Q, each = solve_each(robot, goals, tolerance)
            row += f" {100.0 * judged(robot, goals, Q, tolerance).mean():.2f} | {each:.4f} |"
        print(row, flush=True)


if __name__ == "__main__":
    main()
