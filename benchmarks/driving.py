"""Driving bases: Fetch, Frankie and TIAGo on bases that drive 1 m to 1,000 km, against the arm alone.

python benchmarks/driving.py                  # 1,000 targets each, inside the whole range and within 5 m
python benchmarks/driving.py --count 200 --json out.json

Every answer is judged by forward kinematics written here in NumPy. The time is this process's own (best of rounds, one
thread), and rounds of the arm alone are taken in turns with those on the base, so that other work on the machine counts
little. Frankie is Robotics Toolbox's xacro (`rtb-data`), which turns
and drives ahead; TIAGo stands in `example-robot-data`, and gets a base of two slides and a turn, as Fetch does.
"""

import argparse
import json
import sysconfig
import time
from itertools import pairwise
from pathlib import Path

import numpy as np

import forearm as fa

RANGES = (1.0, 3.0, 10.0, 100.0, 1e4, 1e6)
NEAR = 5.0  # how far the slides of near targets are out [m]
# Joint, kind, origin, axis and limits of Fetch; no installed package has its URDF to hold them against.
FETCH = (
    ("torso_lift", "prismatic", (-0.086875, 0, 0.37743), (0, 0, 1), 0.0, 0.38615),
    ("shoulder_pan", "revolute", (0.119525, 0, 0.34858), (0, 0, 1), -1.6056, 1.6056),
    ("shoulder_lift", "revolute", (0.117, 0, 0.06), (0, 1, 0), -1.221, 1.518),
    ("upperarm_roll", "continuous", (0.219, 0, 0), (1, 0, 0), 0.0, 0.0),
    ("elbow_flex", "revolute", (0.133, 0, 0), (0, 1, 0), -2.251, 2.251),
    ("forearm_roll", "continuous", (0.197, 0, 0), (1, 0, 0), 0.0, 0.0),
    ("wrist_flex", "revolute", (0.1245, 0, 0), (0, 1, 0), -2.16, 2.16),
    ("wrist_roll", "continuous", (0.1385, 0, 0), (1, 0, 0), 0.0, 0.0),
)


def joint(name, kind, origin, axis, limits, links):
    """A joint of a URDF between two links, and its child."""
    xyz, about = (" ".join(map(str, numbers)) for numbers in (origin, axis))
    parent, child = links
    return f"""<link name="{child}"/><joint name="{name}" type="{kind}"><origin xyz="{xyz}"/><parent link="{parent}"/>
      <child link="{child}"/><axis xyz="{about}"/>
      <limit lower="{limits[0]}" upper="{limits[1]}" effort="1" velocity="1"/></joint>"""


def base_of(child, r):
    """A base that drives r far along x and y, and turns."""
    steps = ("x", "prismatic", (1, 0, 0)), ("y", "prismatic", (0, 1, 0)), ("yaw", "continuous", (0, 0, 1))
    links = ["world", "drive_x", "drive_y", child]
    pairs = pairwise(links)
    text = "".join(joint(n, k, (0, 0, 0), a, (-r, r), pair) for (n, k, a), pair in zip(steps, pairs, strict=True))
    return '<link name="world"/>' + text


def fetch(r):
    """Fetch, on its base if r is given."""
    text, parent = '<link name="base"/>' if r is None else base_of("base", r), "base"
    for name, kind, origin, axis, lower, upper in FETCH:
        text += joint(name, kind, origin, axis, (lower, upper), (parent, name + "_link"))
        parent = name + "_link"
    return fa.Robot.from_urdf(f'<robot name="fetch">{text}</robot>', tip=parent)


def tiago(r):
    """TIAGo, on a base if r is given."""
    file = share("cmeel.prefix", "share/example-robot-data/robots/tiago_description/robots/tiago_no_hand.urdf")
    text = file.read_text()
    if r is None:
        return fa.Robot.from_urdf(text, tip="arm_tool_link")
    base = base_of("base_footprint", r).replace('<link name="base_footprint"/>', "")
    return fa.Robot.from_urdf(text.replace("</robot>", base + "</robot>"), base="world", tip="arm_tool_link")


def frankie(r):
    """Frankie, or the Panda on it if r is None."""
    if r is None:
        return fa.load("panda")
    file = share("rtbdata", "xacro/qut_frankie_description/robots/frankie_arm.urdf.xacro")
    robot = fa.Robot.from_xacro(file)
    return robot.with_limits({robot.joint_names[1]: (-r, r)})


def share(package, path, needs="rtb-data example-robot-data"):
    """A file that an installed package brings along; one of example-robot-data stands beside the packages."""
    file = Path(sysconfig.get_path("purelib")) / package / path
    if not file.exists():
        raise SystemExit(f"there is no {file.name}; pip install {needs}")
    return file


def poses(robot, Q):
    """(N, 4, 4) forward kinematics of its links and joints, by plain matrices."""
    model, out = robot.model, np.tile(np.eye(4), (len(Q), 1, 1))
    for link, (kind, variable, ratio) in zip(model.links, model.joints, strict=False):
        fixed, moved, value = np.eye(4), np.tile(np.eye(4), (len(Q), 1, 1)), ratio * Q[:, int(variable)]
        fixed[:3] = link
        if kind == 1.0:
            moved[:, 2, 3] = value
        else:
            moved[:, 0, 0] = moved[:, 1, 1] = np.cos(value)
            moved[:, 1, 0], moved[:, 0, 1] = np.sin(value), -np.sin(value)
        out = out @ fixed @ moved
    last = np.eye(4)
    last[:3] = model.links[-1]
    return out @ last


def targets(robot, count, within, seed):
    """(count, 4, 4) reachable poses; slides no farther out than `within`, turns within one turn."""
    slides = np.array([kind == "prismatic" for kind in robot.model.joint_kinds])
    most = np.where(slides, within, np.pi)
    return poses(robot, np.random.default_rng(seed).uniform(*np.clip(robot.limits, -most, most), (count, robot.n)))


def measure(robot, goals, rounds, alone=None, own=None):
    """How many are met as judged here, microseconds each, mean tries, and microseconds of the arm alone in turns."""
    best, theirs = np.inf, np.inf
    for _ in range(rounds):
        if alone is not None:
            theirs = min(theirs, timed(alone, own)[0])
        spent, found = timed(robot, goals)
        best = min(best, spent)
    T = poses(robot, found.q)
    off = np.linalg.norm(T[:, :3, 3] - goals[:, :3, 3], axis=1)
    turn = np.linalg.norm(T[:, :3, :3] - goals[:, :3, :3], axis=(1, 2)) / np.sqrt(2.0)
    inside = ((found.q >= robot.limits[0] - 1e-9) & (found.q <= robot.limits[1] + 1e-9)).all(axis=1)
    met = int(((off < 1.1e-6) & (turn < 1.1e-6) & inside).sum())
    return met, 1e6 * best, float(found.tries.mean()), 1e6 * theirs


def timed(robot, goals):
    """Seconds that each target takes, and the answers."""
    begin = time.process_time()
    found = robot.solve_batch(goals, threads=1)
    return (time.process_time() - begin) / len(goals), found


def main():
    """Prints a table, and writes it where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    rows = []
    print(f"{'robot':10}{'base [m]':>10}{'targets':>9}{'met':>11}{'us each':>9}{'of the arm alone':>18}{'tries':>7}")
    for name, make in (("fetch", fetch), ("frankie", frankie), ("tiago", tiago)):
        alone = make(None)
        goals = targets(alone, args.count, np.inf, 1)
        met, own, tries, _ = measure(alone, goals, args.rounds)
        print(f"{name:10}{'none':>10}{'all':>9}{met:>6} of {args.count}{own:>9.1f}{'':18}{tries:>7.2f}")
        for r in RANGES:
            robot = make(r)
            for words, within in (("all", np.inf), (f"{NEAR:g} m", NEAR)):
                those = targets(robot, args.count, within, 2)
                met, each, tries, own = measure(robot, those, args.rounds, alone, goals)
                rows.append({"robot": name, "range": r, "targets": words, "met": met, "ratio": each / own})
                line = (
                    f"{name:10}{r:>10g}{words:>9}{met:>6} of {args.count}{each:>9.1f}{each / own:>18.2f}{tries:>7.2f}"
                )
                print(line, flush=True)
    missed = sum(args.count - row["met"] for row in rows)
    print(f"{missed} targets missed; at most {max(row['ratio'] for row in rows):.2f} times the time of the arm alone")
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
