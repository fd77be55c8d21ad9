"""What the general solver promises beyond the common arms: odd chains, odd targets, hard cases.

python benchmarks/chains.py              # 10,000 targets a case; exit code 1 if a promise is broken
python benchmarks/chains.py --n 1000 --only random

Every answer is judged here by a product of matrices in plain numpy, inside the limits, at 1e-6 m
and 1e-6 rad; targets are drawn from the chain's own forward kinematics, so all can be met. A case
prints how many kept the promise, microseconds a call as Python sees it, and the most tries.
"""

import argparse
import hashlib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import forearm as fa
from cases import Case, Result, X, Z, independent_fk, run

TARGET_SEED, START_SEED = 11, 12
NEAR = 0.05  # how far a near start stands from the target's own joint values [rad or m]
AT_ALL_LIMITS = 0.998  # of the targets with every joint at a limit
CHAINS, TARGETS_A_CHAIN = 100, 100
LONG_TARGETS = 1000  # of each long chain and kind
HARD_ARMS = ("ur5", "panda", "iiwa14", "puma560")
# joints whose origins are shoulder, elbow and wrist; the joint that is singular at zero
ELBOWS = {"ur5": (1, 2, 3), "panda": (1, 3, 5), "iiwa14": (1, 3, 5), "puma560": (1, 2, 4)}
WRISTS = {"ur5": 4, "panda": 5, "iiwa14": 5, "puma560": 4}

MIMIC = """<robot name="mimic"><link name="a"/><link name="b"/><link name="c"/><link name="d"/><link name="e"/>
  <joint name="turn" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
    <origin xyz="0 0 0.2"/><limit lower="-2.5" upper="2.5"/></joint>
  <joint name="lift" type="revolute"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/>
    <origin xyz="0 0 0.1"/><limit lower="-1.2" upper="1.8"/></joint>
  <joint name="follow" type="revolute"><parent link="c"/><child link="d"/><axis xyz="0 1 0"/>
    <origin xyz="0.3 0 0"/><limit lower="-2" upper="2"/><mimic joint="lift" multiplier="-0.5" offset="0.2"/></joint>
  <joint name="push" type="prismatic"><parent link="d"/><child link="e"/><axis xyz="1 0 0"/>
    <origin xyz="0.25 0 0"/><limit lower="0" upper="0.3"/></joint>
</robot>"""


# -- chains and targets --------------------------------------------------------------------------


def own_targets(n) -> Iterator[Case]:
    """Points, points with an axis, orientations, and poses of short and long chains."""
    for name in ("fabrik-r-5dof", "fabrik-r-10dof", "pioneer", "snake-30", "snake-100"):
        robot = fa.load(name)
        yield Case(f"{name} position", robot, robot.sample(n, TARGET_SEED), "position")
    for name in ("so101", "fabrik-r-5dof"):
        robot = fa.load(name)
        for letter, axis in (("z", Z), ("x", X)):
            yield Case(f"{name} point and {letter} axis", robot, robot.sample(n, TARGET_SEED), "axis", tool_axis=axis)
    scara = fa.load("scara")
    yield Case("scara pose", scara, scara.sample(n, TARGET_SEED))
    for name in ("ur5", "panda", "so101"):
        robot = fa.load(name)
        yield Case(f"{name} orientation", robot, robot.sample(n, TARGET_SEED), "orientation")


def random_chain(seed):
    """A chain of 4 to 10 joints: random offsets, twists and limits, about one joint in seven slides."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(rng.integers(4, 11)):
        twist = rng.choice([0.0, 0.5 * np.pi, -0.5 * np.pi, rng.uniform(-np.pi, np.pi)])
        row = {"a": rng.uniform(-0.3, 0.5), "alpha": twist, "d": rng.uniform(-0.2, 0.4), "offset": rng.uniform(-1, 1)}
        middle, half = rng.uniform(-1.0, 1.0), rng.uniform(0.5, np.pi)
        if rng.random() < 0.15:
            row |= {"kind": "prismatic", "limits": (0.0, rng.uniform(0.05, 0.5))}
        elif rng.random() < 0.8:
            row["limits"] = (middle - half, middle + half)
        rows.append(row)
    return fa.Robot.from_dh(rows, name=f"random-{seed}")


def random_chains(n) -> Iterator[Case]:
    """Poses of 100 random chains; points and directions too where there are fewer than six joints."""
    for seed in range(CHAINS):
        robot = random_chain(seed)
        Q = robot.sample(min(n, TARGETS_A_CHAIN), TARGET_SEED)
        for kind in ("pose",) if robot.n >= 6 else ("pose", "position", "axis"):
            yield Case(f"random {kind}, {'6-10' if robot.n >= 6 else '4-5'} joints", robot, Q, kind)


def ur5_on_a_rail():
    """A slide of a metre along the ground, then the UR5's published DH table."""
    quarter = 0.5 * np.pi
    rail = {"kind": "prismatic", "alpha": quarter, "limits": (0.0, 1.0), "name": "rail"}
    arm = [
        (0.0, quarter, 0.089159), (-0.425, 0.0, 0.0), (-0.39225, 0.0, 0.0),
        (0.0, quarter, 0.10915), (0.0, -quarter, 0.09465), (0.0, 0.0, 0.0823),
    ]  # fmt: skip
    turns = [{"a": a, "alpha": alpha, "d": d, "limits": (-2.0 * np.pi, 2.0 * np.pi)} for a, alpha, d in arm]
    return fa.Robot.from_dh([rail, *turns], name="rail + ur5")


def mixed_chains(n) -> Iterator[Case]:
    """A joint that follows another, and an arm on a rail."""
    mimic = fa.Robot.from_urdf(MIMIC)
    rail = ur5_on_a_rail()
    yield Case("mimic + slide position", mimic, mimic.sample(n, TARGET_SEED), "position")
    yield Case("mimic + slide own pose", mimic, mimic.sample(n, TARGET_SEED))
    yield Case("rail + ur5 pose", rail, rail.sample(n, TARGET_SEED))
    yield Case("rail + ur5 position", rail, rail.sample(n, TARGET_SEED), "position")


def gentle(robot, count):
    """(count, n) long smooth curves: a few slow waves of bends along the chain, of any size."""
    rng, along = np.random.default_rng(TARGET_SEED), np.linspace(0.0, 1.0, robot.n)
    waves = np.array([np.cos(np.pi * k * along + phase) for k in range(3) for phase in (0.0, 1.6)])
    sizes = rng.normal(size=(count, len(waves))) * rng.uniform(0.0, 5.0 / robot.n, (count, 1))
    return np.clip(sizes @ waves, *robot.limits)


def long_chains(n) -> Iterator[Case]:
    """Points and poses of chains of 40 to 200 joints: half of the targets on gentle curves, half on random ones."""
    count = min(n, LONG_TARGETS)
    for joints in (40, 60, 100, 200):
        for name in (f"planar-{joints}", f"snake-{joints}"):
            robot = fa.load(name)
            Q = np.concatenate([gentle(robot, count // 2), robot.sample(count - count // 2, TARGET_SEED)])
            for kind in ("position", "pose"):
                yield Case(f"{name} {kind}, gentle and random", robot, Q, kind)


# -- hard cases ----------------------------------------------------------------------------------


def at_limits(robot, Q, share):
    """Q with this share of the joints put exactly onto a limit."""
    rng = np.random.default_rng(START_SEED)
    ends = np.where(rng.random(Q.shape) < 0.5, *robot.limits)
    return np.where((rng.random(Q.shape) < share) & np.isfinite(ends), ends, Q)


def straight_elbow(robot, shoulder, elbow, wrist):
    """The elbow's value inside its limits at which the wrist stands farthest from the shoulder."""
    low, high = robot.limits[:, elbow]
    best = 0.5 * (low + high)
    for width in (0.5 * (high - low), 1e-2, 1e-5):
        grid = np.clip(np.linspace(best - width, best + width, 2001), low, high)
        Q = np.zeros((len(grid), robot.n))
        Q[:, elbow] = grid
        best = grid[np.argmax(span(robot, Q, shoulder, wrist))]
    return 0.0 if abs(best) < 1e-6 else best


def span(robot, Q, first, last):
    """(N,) distances between the origins of two joints."""
    tail = replace(robot.model, links=robot.model.links[first : last + 1], joints=robot.model.joints[first:last])
    zeroed = replace(tail, links=np.concatenate([np.eye(4)[None, :3], tail.links[1:]]))
    return np.linalg.norm(independent_fk(_Chain(zeroed), Q)[:, :3, 3], axis=1)


@dataclass
class _Chain:
    model: Any


def hard_cases(n) -> Iterator[Case]:
    """Limits, singular postures, far starts and other units on four arms."""
    for name in HARD_ARMS:
        robot = fa.load(name)
        Q = robot.sample(n, TARGET_SEED)
        narrow = robot.with_limits(np.clip(robot.limits, -2.5, 2.5)) if name == "ur5" else robot  # not whole turns
        Q_narrow = np.clip(Q, *narrow.limits)
        yield Case(f"{name} all joints at limits", narrow, at_limits(narrow, Q_narrow, 1.0), promise=AT_ALL_LIMITS)
        yield Case(f"{name} 30 % of joints at limits", narrow, at_limits(narrow, Q_narrow, 0.3))
        elbow, wrist = Q.copy(), Q.copy()
        elbow[:, ELBOWS[name][1]] = straight_elbow(robot, *ELBOWS[name])
        wrist[:, WRISTS[name]] = 0.0
        yield Case(f"{name} stretched elbow", robot, elbow)
        yield Case(f"{name} wrist singularity", robot, wrist)
        both = wrist.copy()
        both[:, ELBOWS[name][1]] = elbow[:, ELBOWS[name][1]]
        yield Case(f"{name} elbow and wrist", robot, both)
        turned_back, starts = half_turn_apart(robot, Q)
        yield Case(f"{name} start half a turn off", robot, turned_back, starts=starts)
        yield Case(f"{name} in millimetres", in_millimetres(robot), Q)


def half_turn_apart(robot, Q):
    """Two configurations each, alike but for half a turn of the last joint, and so of the tip."""
    low, high = robot.limits[:, -1]
    first, second = Q.copy(), Q.copy()
    first[:, -1] = low + (Q[:, -1] - low) * (high - low - np.pi) / (high - low)
    second[:, -1] = first[:, -1] + np.pi
    return first, np.clip(second, low, high)


def in_millimetres(robot):
    """The same arm with lengths a thousand times as large."""
    links = robot.model.links.copy()
    links[:, :, 3] *= 1000.0
    return fa.Robot(replace(robot.model, links=links))


# -- what is promised of answers near a start ----------------------------------------------------


def near_starts(robot, Q, away=NEAR):
    """Starts this far away in every joint, inside the limits."""
    signs = np.random.default_rng(START_SEED).choice([-1.0, 1.0], Q.shape)
    return np.clip(Q + away * signs, *robot.limits)


def turned(robot, Q):
    """Q with each joint on another of its whole turns where the limits hold one."""
    rng = np.random.default_rng(START_SEED)
    other = Q + 2.0 * np.pi * rng.integers(-2, 3, Q.shape)
    revolute = np.array(robot.model.joint_kinds) != "prismatic"
    return np.where(revolute & (robot.limits[0] <= other) & (other <= robot.limits[1]), other, Q)


def is_nearest_turn(answers, case):
    """Whether no whole turn of any joint would bring it nearer to the start, by trying all."""
    kept = np.ones(len(answers), bool)
    now = np.abs(answers - case.starts)
    for turns in range(-6, 7):
        other = answers + 2.0 * np.pi * turns
        inside = (case.robot.limits[0] <= other) & (other <= case.robot.limits[1])
        kept &= ~(inside & (np.abs(other - case.starts) < now - 1e-9)).any(axis=1)
    return kept


def stays_within(bound):
    """A promise: no joint moves farther than this from its start."""
    return lambda answers, case: (np.abs(answers - case.starts) <= bound + 1e-12).all(axis=1)


def continuous_joints(n) -> Iterator[Case]:
    """No seam at half a turn, and the turn nearest to the start."""
    for name in ("gen3", "ur5"):
        robot = fa.load(name)
        Q = robot.sample(n, TARGET_SEED)
        far = robot.sample(n, START_SEED)
        yield Case(f"{name} nearest turn, far start", robot, Q, starts=turned(robot, far), also=is_nearest_turn)
        middling = near_starts(robot, turned(robot, Q), 1.0)
        yield Case(f"{name} nearest turn, start 1 rad off", robot, Q, starts=middling, also=is_nearest_turn)
        yield Case(f"{name} nearest turn, position", robot, Q, "position", turned(robot, far), also=is_nearest_turn)
        near = near_starts(robot, turned(robot, Q))
        yield Case(f"{name} near start turns away", robot, Q, starts=near, also=stays_within(0.3))
        free = robot.limits[1] - robot.limits[0] >= 2.0 * np.pi
        seam = np.where(free, np.pi + np.random.default_rng(3).uniform(-0.01, 0.01, Q.shape), Q)
        yield Case(f"{name} across the seam", robot, seam, starts=near_starts(robot, seam), also=stays_within(0.3))


def bounded_steps(n) -> Iterator[Case]:
    """max_joint_step holds, whether the target lies inside it or not."""
    for name in ("ur5", "panda", "iiwa14", "xarm7", "gen3"):
        robot = fa.load(name)
        Q = robot.sample(n, TARGET_SEED)
        starts = near_starts(robot, Q)
        yield Case(f"{name} near, no bound", robot, Q, starts=starts, also=stays_within(0.3))
        options = {"max_joint_step": 0.1}
        yield Case(f"{name} max_joint_step 0.1", robot, Q, starts=starts, options=options, also=stays_within(0.1))


GROUPS = {
    "own": own_targets,
    "random": random_chains,
    "mixed": mixed_chains,
    "long": long_chains,
    "hard": hard_cases,
    "turns": continuous_joints,
    "steps": bounded_steps,
}


def too_small_a_step(n):
    """Bound below the distance needed: most targets fail, and still no joint passes the bound."""
    for name in ("ur5", "panda"):
        robot = fa.load(name)
        Q = robot.sample(n, TARGET_SEED)
        options = {"max_joint_step": 0.02, "explain": False}
        case = Case(f"{name} max_joint_step 0.02", robot, Q, starts=near_starts(robot, Q), options=options)
        result = run(case)
        result.met = stays_within(0.02)(result.answers, case)
        yield case, result


def rest_postures(n):
    """rest= brings a redundant arm nearer to the posture in the mean, and never breaks an answer."""
    for name in ("panda", "iiwa14", "xarm7", "gen3"):
        robot = fa.load(name)
        Q, starts = robot.sample(n, TARGET_SEED), None
        posture = robot.sample(1, START_SEED)[0]
        without = run(Case(name, robot, Q, starts=starts)).answers
        case = Case(f"{name} rest=", robot, Q, starts=starts, options={"rest": posture})
        result = run(case)
        with_rest, before = (np.linalg.norm(answers - posture, axis=1) for answers in (result.answers, without))
        case.name += f" ({before.mean():.2f} -> {with_rest.mean():.2f} rad)"
        result.met &= with_rest <= before + 1e-9
        yield case, result


def digest():
    """A hash of the bits of some answers, cold, near and redundant."""
    bits = hashlib.sha256()
    for name in HARD_ARMS:
        robot = fa.load(name)
        Q = robot.sample(200, TARGET_SEED)
        for starts in (None, near_starts(robot, Q), robot.sample(200, START_SEED)):
            bits.update(run(Case(name, robot, Q, starts=starts)).answers.tobytes())
    return bits.hexdigest()


def is_deterministic():
    """Whether two runs here and one in another process give the same bits."""
    other = subprocess.run([sys.executable, __file__, "--digest"], capture_output=True, text=True, check=True)
    return digest() == digest() == other.stdout.strip()


# -- printing ------------------------------------------------------------------------------------


def grouped(cases):
    """Runs cases; those that follow each other under one name become one line."""
    lines: dict[str, list[tuple[Case, Result]]] = {}
    for case in cases:
        lines.setdefault(case.name, []).append((case, run(case)))
        if not case.name.startswith("random"):
            yield case.name, lines.pop(case.name)
    yield from lines.items()


def print_line(name, runs):
    """Prints one line; returns whether the promise was kept."""
    kept = np.concatenate([result.met for _, result in runs])
    times = np.concatenate([result.times for _, result in runs])
    most = max(result.tries.max() for _, result in runs)
    good = kept.mean() >= runs[0][0].promise
    print(
        f"{name:<42}{kept.sum():>7}/{kept.size:<7}{times.mean():9.1f}{most:7d}  {'' if good else 'BROKEN'}", flush=True
    )
    for case, result in runs:
        if not result.met.all():
            which = np.flatnonzero(~result.met)
            print(f"    {case.robot.name} (n = {case.robot.n}): targets {which[:20].tolist()}")
    return bool(good)


def main() -> int:
    """Prints a line per case; returns 1 if a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=10_000, help="targets a case")
    parser.add_argument("--only", default=",".join([*GROUPS, "bounds", "rest", "bits"]), help="groups, by comma")
    parser.add_argument("--digest", action="store_true", help="print a hash of some answers and stop")
    options = parser.parse_args()
    if options.digest:
        print(digest())
        return 0
    print(f"{'case':<42}{'kept':>7}/{'of':<7}{'mean us':>9}{'tries':>7}")
    wanted, good = options.only.split(","), True
    for group, cases in GROUPS.items():
        if group in wanted:
            good &= all([print_line(*line) for line in grouped(cases(options.n))])
    for group, special in (("bounds", too_small_a_step), ("rest", rest_postures)):
        if group in wanted:
            good &= all([print_line(case.name, [(case, result)]) for case, result in special(options.n)])
    if "bits" in wanted:
        same = is_deterministic()
        print(f"{'same bits twice and in a second process':<42}{'yes' if same else 'NO, BROKEN':>7}")
        good &= same
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
