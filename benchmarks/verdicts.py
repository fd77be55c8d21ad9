"""Verdicts on unreachable targets, judged by a heavy multi-start search (`heavy.py`) and by FK.

python benchmarks/verdicts.py                                  # 10,000 targets, about ten minutes
python benchmarks/verdicts.py --n 500 --robots ur5,so101       # fewer

Targets are drawn at random, and those that a solve meets (measured by FK) are left out; each other
one is put to the search as four questions: the pose inside the limits, the pose without limits, the
position inside the limits, the position without limits. What is proven by a sum of lengths, in which
a slide's stroke is one, is held against the position with only the turning joints freed. Exits with
1 if a verdict is wrong.
"""

import argparse
import re
import sys
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

import forearm as fa
from forearm.arm.tables import Prepared
from forearm.core.codes import DIRECTION, POSITION, TOL_AXES, TOL_ROTATION, TOOL_AXIS
from heavy import search
from judge import rotation_errors

# robot and kind of target; those with empty categories first, so that the others fill the number
ROWS = (
    ("fabrik-r-10dof", "position"), ("planar-3", "position"), ("planar-3", "pose"), ("scara", "pose"),
    ("so101", "point-axis"), ("so101", "pose"), ("ur5", "pose"), ("puma560", "pose"), ("jaco2", "pose"),
    ("iiwa14", "pose"), ("panda", "pose"),
)  # fmt: skip
CATEGORIES = ("beyond", "hole", "orientation", "limits")
SEED = 20_000
DRAWS = 40  # draws per wanted target before a category counts as empty on a robot
STARTS = 150  # of the heavy search for each question
ROUNDS = 3  # of timing
NARROW = 2.0  # limits given to arms that have none that could be in the way [rad]
CLOSE = 0.01  # the returned pose may be this much worse than the best known
GAP_SLACK = 0.01  # and a gap that a search found this much larger; three digits are printed
TOLERANCE = 1e-6


@dataclass
class Truth:
    """What the heavy search found: the least errors [m], and which questions it could answer."""

    best: float
    pose: bool
    free_pose: bool
    position: bool
    free_position: bool
    distance: float
    distance_in_stroke: float


@dataclass
class Cell:
    """The counts of one robot and category."""

    targets: int = 0
    statuses: dict = field(default_factory=dict)
    wrong: list = field(default_factory=list)
    excess: list = field(default_factory=list)
    quick_excess: list = field(default_factory=list)
    failed_us: list = field(default_factory=list)
    explained_us: list = field(default_factory=list)


def rotation_of(rng):
    """A random rotation, uniform over all."""
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q *= np.sign(np.diag(R))
    return Q if np.linalg.det(Q) > 0.0 else -Q


def draw_pose(robot, category, rng):
    """A pose of a category; whether it is reachable all the same is for the solve to say."""
    lower, upper = np.maximum(robot.limits[0], -np.pi), np.minimum(robot.limits[1], np.pi)
    T = robot.fk(rng.uniform(lower, upper))
    first = robot.model.links[0, :, 3]
    direction = T[:3, 3] - first if rng.random() < 0.5 else rng.normal(size=3)
    direction /= np.linalg.norm(direction)
    if category == "beyond":
        T[:3, 3] = first + direction * robot.reach * rng.uniform(0.9, 1.6)
    elif category == "hole":
        T[:3, 3] = first + direction * robot.reach * rng.uniform(0.0, 0.35)
    elif category == "orientation":
        T[:3, :3] = rotation_of(rng)
    else:
        turns = np.array([kind != "prismatic" for kind in robot.model.joint_kinds])
        T = robot.fk(np.where(turns, rng.uniform(-np.pi, np.pi, robot.n), rng.uniform(lower, upper)))
    return T


def as_target(kind, T):
    """The target of a kind that a pose stands for."""
    if kind == "position":
        return fa.Position(T[:3, 3])
    return fa.PointAxis(T[:3, 3], T[:3, 2]) if kind == "point-axis" else fa.Pose(T)


def robot_for(name, category):
    """The robot; for limits, one whose limits can be in the way."""
    robot = fa.load(name)
    spans = robot.limits[1] - robot.limits[0]
    if category == "limits" and not (spans < 2.0 * np.pi - 0.1).any():
        return robot.with_limits(np.array([[-NARROW], [NARROW]]) * np.ones(robot.n))
    return robot


def draw_targets(robot, kind, category, count, seed):
    """Targets that an unexplained solve does not meet, with their draw numbers."""
    kept = []
    for number in range(DRAWS * count):
        T = draw_pose(robot, category, np.random.default_rng((seed, number)))
        target = as_target(kind, T)
        if not robot.solve(target, explain=False).success:
            kept.append((number, target))
        if len(kept) == count:
            break
    return kept


def find_truth(robot, target, hint, seed):
    """Puts the four questions to the heavy search; a hint is polished too."""
    model, W = robot.model, robot.rotation_weight
    stroke = Prepared(model).released.model.limits  # turning joints freed, slides kept
    free = np.array([[-np.inf], [np.inf]]) * np.ones(robot.n)
    alone = target.terms.copy()
    alone[TOL_ROTATION] = alone[TOL_AXES + 3 : TOL_AXES + 6] = np.inf
    q, none = np.empty(robot.n), np.empty((0, robot.n))

    def ask(limits, kind, terms, hints, starts):
        arrays = model.links, model.joints, np.ascontiguousarray(limits), target.goal
        return search(*arrays, kind, terms, W, starts, seed, hints, q)

    distance, free_position = ask(free, POSITION, alone, none, STARTS // 3)
    in_stroke = distance if np.isinf(stroke).all() else ask(stroke, POSITION, alone, none, STARTS // 3)[0]
    best, pose = ask(model.limits, target.kind, target.terms, hint[None], STARTS)
    free_pose = pose or (free_position and ask(free, target.kind, target.terms, none, STARTS)[1])
    position = pose or (free_position and ask(model.limits, POSITION, alone, none, STARTS // 3)[1])
    return Truth(best, pose, free_pose, position, free_position, distance, in_stroke)


def measured(robot, target, q):
    """Position error [m] and rotation error [rad] of q, by FK alone."""
    T = robot.fk(q)
    if target.kind == POSITION:
        return float(np.linalg.norm(T[:3, 3] - target.goal[:3, 3])), 0.0
    if isinstance(target, fa.PointAxis):
        a, b = T[:3, :3] @ target.terms[TOOL_AXIS:DIRECTION], target.terms[DIRECTION:]
        angle = float(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b))
    else:
        angle = float(rotation_errors(T[None], target.goal[None])[0])
    return float(np.linalg.norm(T[:3, 3] - target.goal[:3, 3])), angle


def meets(robot, target, q):
    """Whether q meets the target inside the robot's limits."""
    inside = (robot.limits[0] - 1e-9 <= q).all() and (q <= robot.limits[1] + 1e-9).all()
    return bool(inside) and max(measured(robot, target, q)) <= TOLERANCE


def released_joints_suffice(robot, target, reason):
    """Whether the joints a sentence names, without their limits, let the target be met."""
    named = re.search(r"limits of joints? (.*) are in the way", reason)
    if named is None:
        return False
    freed = robot.with_limits({name: (-np.inf, np.inf) for name in named.group(1).split(", ")})
    s = freed.solve(target, max_tries=2000)
    return s.success and meets(freed, target, s.q)


def expected(truth):
    """The status that the answers to the four questions call for."""
    if truth.pose:
        return "solved"
    if not truth.free_position:
        return "out_of_reach"
    if truth.free_pose:
        return "limits"
    return "orientation" if truth.position else "not_converged"


def fault(robot, target, s, truth):
    """What is wrong with a verdict, or an empty string."""
    status = str(s.status)
    if status == "solved":
        return "" if meets(robot, target, s.q) else "called solved, but FK says no"
    if status == "limits" and not truth.pose:
        return "" if released_joints_suffice(robot, target, s.reason) else "the named joints do not suffice"
    if status == "out_of_reach" and "at least" in s.reason:
        return gap_fault(r"at least (\S+) m", s.reason, truth.distance_in_stroke)
    if status != expected(truth):
        return f"called {status}, but the search says {expected(truth)}"
    return gap_fault(r"than (\S+) m", s.reason, truth.distance) if status == "out_of_reach" else ""


def gap_fault(words, reason, distance):
    """What is wrong with a gap that a sentence names, given the least distance found."""
    gap = float(re.search(words, reason).group(1))
    right = gap <= (1.0 + GAP_SLACK) * distance + TOLERANCE and distance > TOLERANCE
    return "" if right else f"the gap is called {gap} m, but {distance} m was found"


def size(robot, target, q):
    """The weighted error of q [m]."""
    position, rotation = measured(robot, target, q)
    return float(np.hypot(position, robot.rotation_weight * rotation))


def timed(call):
    """The result of a call, and its time, best of some rounds [us]."""
    best = np.inf
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        result = call()
        best = min(best, time.perf_counter() - begin)
    return result, 1e6 * best


def solved_time(robot, kind):
    """The mean time of a solved target [us]."""
    targets = [as_target(kind, T) for T in robot.fk(robot.sample(300, rng_seed=1))]
    times = [us for s, us in (timed(lambda t=t: robot.solve(t, explain=False)) for t in targets) if s.success]
    return float(np.mean(times))


def run_cell(name, kind, category, count):
    """Draws, solves, asks the search, and judges."""
    seed = SEED + zlib.crc32(f"{name} {kind} {category}".encode()) % 10_000
    robot, cell = robot_for(name, category), Cell()
    drawn = draw_targets(robot, kind, category, count, seed)
    solutions = []
    for _, target in drawn:
        quick, us = timed(lambda t=target: robot.solve(t, explain=False))
        cell.failed_us.append(us)
        begin = time.perf_counter()
        s = robot.solve(target)
        cell.explained_us.append(1e6 * (time.perf_counter() - begin))
        solutions.append((s, quick))
    with ThreadPoolExecutor(2) as pool:
        truths = list(
            pool.map(lambda job: find_truth(robot, job[0][1], job[1][0].q, job[0][0]),
                     zip(drawn, solutions, strict=True))
        )  # fmt: skip
    for (number, target), (s, quick), truth in zip(drawn, solutions, truths, strict=True):
        judge(robot, target, (seed, number), s, quick, truth, cell)
    return cell


def judge(robot, target, draw, s, quick, truth, cell):
    """Adds one target to the counts."""
    wrong = fault(robot, target, s, truth)
    if wrong:
        cell.wrong.append(f"draw {draw}: {wrong}; {s.reason}; {target}")
    status = str(s.status)
    cell.statuses[status] = cell.statuses.get(status, 0) + 1
    cell.targets += 1
    if status != "solved" and not truth.pose:
        cell.excess.append(size(robot, target, s.q) / truth.best - 1.0)
        cell.quick_excess.append(size(robot, target, quick.q) / truth.best - 1.0)


def print_cell(label, category, cell, solved_us):
    """Prints one line, and one for each wrong verdict."""
    close = 100.0 * np.mean(np.array(cell.excess) <= CLOSE) if cell.excess else np.nan
    quick = 100.0 * np.mean(np.array(cell.quick_excess) <= CLOSE) if cell.quick_excess else np.nan
    failed = np.mean(cell.failed_us) if cell.targets else np.nan
    counts = " ".join(f"{name}:{count}" for name, count in sorted(cell.statuses.items()))
    explained = np.mean(cell.explained_us) / 1e3 if cell.targets else np.nan
    print(
        f"{label:<25}{category:<12}{cell.targets:>6}{len(cell.wrong):>6}{close:>8.1f}{quick:>8.1f}"
        f"{failed:>9.1f}{failed / solved_us:>7.1f}{explained:>9.2f}  {counts}",
        flush=True,
    )
    for line in cell.wrong:
        print(f"    WRONG {line}", flush=True)


def main() -> int:
    """Prints a table, one line per robot, kind of target and category; 1 if a verdict is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=10_000, help="targets over all robots and categories")
    parser.add_argument("--robots", default=",".join(dict.fromkeys(name for name, _ in ROWS)))
    parser.add_argument("--categories", default=",".join(CATEGORIES))
    options = parser.parse_args()
    rows = [row for row in ROWS if row[0] in options.robots.split(",")]
    categories = options.categories.split(",")
    cells = [(name, kind, category) for name, kind in rows for category in categories]
    total, left, begin = Cell(), options.n, time.perf_counter()
    print("close: % of returned poses within 1 % of the best known; quick: the same with explain=False")
    print(
        f"{'robot and target':<25}{'category':<12}{'n':>6}{'wrong':>6}{'close':>8}{'quick':>8}"
        f"{'fail us':>9}{'ratio':>7}{'why ms':>9}  verdicts"
    )
    ratios = []
    for i, (name, kind, category) in enumerate(cells):
        cell = run_cell(name, kind, category, -(-left // (len(cells) - i)))
        left -= cell.targets
        solved_us = solved_time(robot_for(name, category), kind)
        print_cell(f"{name} {kind}", category, cell, solved_us)
        ratios += [np.mean(cell.failed_us) / solved_us] if cell.targets else []
        for item in ("wrong", "excess", "quick_excess", "failed_us", "explained_us"):
            getattr(total, item).extend(getattr(cell, item))
        total.targets += cell.targets
        for status, count in cell.statuses.items():
            total.statuses[status] = total.statuses.get(status, 0) + count
    wrong, total.wrong = total.wrong, []
    print_cell("all", "", total, np.nan)
    print(
        f"{total.targets} targets, {len(wrong)} wrong verdicts; largest ratio of a failure's time to a solved "
        f"target's: {max(ratios):.1f}; worst pose {100.0 * max(total.excess):.1f} % above the best known; "
        f"{time.perf_counter() - begin:.0f} s"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
