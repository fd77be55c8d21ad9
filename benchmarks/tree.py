"""Several tips of one robot: dual arms, humanoids, driving bases, judged by Pinocchio, beside pink, mink and placo.

python benchmarks/tree.py                        # everything, 1,000 goal sets each; 100 with --count 100
python benchmarks/tree.py --full                 # as large as it has to be shown: 10,000 a robot, 1,000 of the others
python benchmarks/tree.py --count 200 --robots "g1,tiago dual" --peers 20 --packages placo=peers/placo,mink=peers/mink
python benchmarks/tree.py --only levels          # or kinds, curobo, free, baxter, verdicts, robots
python benchmarks/tree.py --only baxter --baxter vamp_planner-0.6.4.tar.gz

Goals are poses of the tips at random configurations inside the limits (a free base anywhere within 1 m and turned
anyhow, one that drives within 2 m), so each set can be met. Success is what Pinocchio measures of the returned joint
values at 1e-6 m and 1e-6 rad, limits kept; false successes are counted. The time is this thread's own, so that other
work on the machine counts little: the kernel's as a mean over a loop of all sets, Python's around `Stack.solve`. Near
starts are 0.05 rad off the answer. The robots are URDFs of `example-robot-data`; the dual UR10 is two of its UR10.
cuRobo's published times are of a GPU, its own distribution of targets and 5 mm; here it is one core and 1e-6 m.
Peers have 6 starts of 50 steps, each in a process of its own (`benchmarks/tree_peers.py`): placo needs an older
Pinocchio than the judge, so install it into a folder and name that, `pip install --target peers/placo placo`.
What misses its goal is marked on its line and listed at the end.
Free poses and Baxter's problems: `benchmarks/tree_free.py`; levels and verdicts: `benchmarks/tree_hard.py`.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import pinocchio as pin

import forearm as fa
from forearm.core.tree import layout as at
from forearm.core.tree.solve import solve_tree
from forearm.goals import Goal, LookAt, Relative
from forearm.trees.pack import flat
from tree_cases import ROBOTS, TOL, Case, bar, off
from tree_goals import beside_peers, faults_of
from tree_peers import PACKAGES, run_peer

FULL = {"robots": 10_000, "kinds": 1000, "levels": 1000, "free": 1000, "baxter": 10_000, "verdicts": 1000}
LINES = ("robots", "kinds", "curobo", "levels", "free", "baxter", "verdicts")


def run(case, count, seed):
    """One robot: solved, false successes, kernel and Python times cold and near."""
    rng, stack = np.random.default_rng(seed), case.stack()
    sets = [case.goals(rng) for _ in range(count)]
    many = {name: np.array([wanted[name] for wanted, _, _ in sets]) for name in stack.names}
    stack.solve_batch({name: rows[:2] for name, rows in many.items()}, threads=1)  # warm
    begin = time.thread_time()
    found = stack.solve_batch(many, threads=1)
    kernel = (time.thread_time() - begin) / count
    met = np.array([case.is_met(q, base, s[0]) for q, base, s in zip(found.q, found.base, sets, strict=True)])
    near, python = np.zeros(count), np.zeros(count)
    lower, upper = case.tree.limits
    met_near = 0
    for i, (wanted, q, base) in enumerate(bar(sets, case.name)):
        for name, target in wanted.items():
            stack[name] = target
        begin = time.thread_time()
        stack.solve(explain=False)
        python[i] = time.thread_time() - begin
        start = np.clip(q + rng.uniform(-0.05, 0.05, q.size), lower, upper)
        begin = time.thread_time()
        answer = stack.solve(start, base=base, explain=False)
        near[i] = time.thread_time() - begin
        met_near += case.is_met(answer.q, answer.base, wanted)
    near_us, above = near_kernel(case, stack, sets[:20])
    return {
        "robot": case.name,
        "count": count,
        "solved": int(met.sum()),
        "false": int((found.success & ~met).sum()),
        "most tries": int(found.tries.max()),
        "kernel [us]": 1e6 * kernel,
        "python [us]": 1e6 * python.mean(),
        "near solved": met_near,
        "near, python [us]": 1e6 * np.median(near),
        "near, kernel [us]": near_us,
        "near, above the kernel [us]": above,
        "recipe's kernel, cold and near [us]": case.floor,
    }


def near_kernel(case, stack, sets):
    """Of the sets, from near starts [us]: the kernel, and what `Stack.solve` takes above it; NaN for arms.

    Medians over sets of the least of some loops, kernel and Python in turns.
    """
    part = stack.parts[0].packed
    if part is None:
        return float("nan"), float("nan")
    x, row = np.empty(len(part.variables) + 12), np.empty(at.tree_report(len(part.variables), len(stack.names)))
    work, rows = np.empty(part.work), []
    for wanted, q, base in sets:
        for name, target in wanted.items():
            stack[name] = target
        start = np.clip(q + 0.02, *case.tree.limits)
        given = np.concatenate([start[part.variables], flat(base)])
        calls = (
            lambda given=given: solve_tree(part.numbers, part.table, given, work, x, row),
            lambda start=start, base=base: stack.solve(start, base=base, explain=False),
        )
        rows.append(np.min([[loop(call) for call in calls] for _ in range(9)], axis=0))
    kernel, python = np.array(rows).T
    return float(np.median(kernel)), float(np.median(python - kernel))


def loop(call):
    """The time of one of 30 calls [us]."""
    begin = time.thread_time()
    for _ in range(30):
        call()
    return 1e6 * (time.thread_time() - begin) / 30


def run_curobo(seed):
    """100 targets as cuRobo's paper asks them, all in one call on one core: hands and feet of G1, two UR10."""
    for name, published in (("g1", 31.4), ("dual ur10", 6.06)):
        case, rng = Case(name), np.random.default_rng(seed)
        stack, sets = case.stack(), [case.goals(rng) for _ in range(100)]
        many = {key: np.array([wanted[key] for wanted, _, _ in sets]) for key in stack.names}
        stack.solve_batch({key: rows[:2] for key, rows in many.items()}, threads=1)
        times = []
        for _ in range(5):
            begin = time.thread_time()
            found = stack.solve_batch(many, threads=1)
            times.append(1e3 * (time.thread_time() - begin))
        met = sum(case.is_met(q, base, s[0]) for q, base, s in zip(found.q, found.base, sets, strict=True))
        yield {"100 targets": name, "solved": met, "one core, median of 5 [ms]": float(np.median(times)),
               "cuRobo, published, a GPU, 5 mm [ms]": str(published)}  # fmt: skip


# -- other goals and strict levels -------------------------------------------------------------------


def run_kinds(count, seed):
    """Pose and relative of two arms; pose and look-at of PR2's head."""
    case, rng = Case("dual ur10"), np.random.default_rng(seed)
    left, right = case.tips
    stack = case.tree.stack([Goal(left, np.eye(4)), Relative(right, left, np.eye(4))])
    met = 0
    for _ in bar(range(count), "relative"):
        wanted, _, _ = case.goals(rng)
        between = np.linalg.inv(wanted[left]) @ wanted[right]
        stack[left], stack[right] = wanted[left], between
        found = stack.solve(explain=False)
        case.place(found.q, found.base)
        there = np.linalg.inv(case.pose(left)) @ case.pose(right)
        met += max(*off(case.pose(left), wanted[left]), *off(there, between)) <= TOL
    yield {"goals": "dual ur10: pose and relative", "count": count, "solved": met}
    case, rng = Case("pr2"), np.random.default_rng(seed)
    left, eye = case.tips[0], "head_tilt_link"
    stack = case.tree.stack([Goal(left, np.eye(4)), LookAt(eye, np.zeros(3))])
    met = 0
    for _ in bar(range(count), "look at"):
        wanted, _, _ = case.goals(rng)
        T = case.pose(eye)
        point = T[:3, 3] + rng.uniform(0.5, 2.0) * T[:3, 0]
        stack[left], stack[eye] = wanted[left], point
        found = stack.solve(explain=False)
        case.place(found.q, found.base)
        T = case.pose(eye)
        ray = (point - T[:3, 3]) / np.linalg.norm(point - T[:3, 3])
        aimed = np.arctan2(np.linalg.norm(np.cross(T[:3, 0], ray)), T[:3, 0] @ ray)
        met += max(*off(case.pose(left), wanted[left]), aimed) <= TOL
    yield {"goals": "pr2: pose and look-at", "count": count, "solved": met}


def lines_of(only, given):
    """The lines of one part."""
    count = FULL.get(only, 0) if given.full else given.count
    if only == "robots":
        for name in given.robots.split(","):
            case = Case(name.strip())
            yield (own := run(case, count, given.seed))
            folders = dict(pair.split("=", 1) for pair in given.packages.split(",") if pair)
            peers = []
            for peer in PACKAGES if given.peers else ():
                peers.append(run_peer(peer, folders.get(peer, ""), case, given.peers, given.seed))
                yield peers[-1]
            if peers:
                yield beside_peers(own, peers)
    elif only == "kinds":
        yield from run_kinds(count, given.seed)
    elif only == "curobo":
        yield from run_curobo(given.seed)
    elif only in ("free", "baxter"):
        from tree_free import run_baxter, run_free  # noqa: PLC0415 (it needs coal)

        if only == "free":
            yield run_free(count, given.seed)
        elif given.baxter:
            yield from run_baxter(given.baxter, count)
        else:
            yield {
                "baxter": "skipped: give --baxter, the source archive of vamp-planner (motionbenchmaker.py says how)"
            }
    else:
        from tree_hard import run_levels, run_verdicts  # noqa: PLC0415 (it needs nlopt)

        yield from (run_levels if only == "levels" else run_verdicts)(count, given.seed)


def main():
    """Prints a line for each robot, and all as JSON if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--full", action="store_true", help="as many as have to be shown")
    parser.add_argument("--peers", type=int, default=0, help="goal sets for peers; none by default")
    parser.add_argument("--packages", default="", help="folders that peers are installed in: placo=FOLDER,mink=FOLDER")
    parser.add_argument("--robots", default=",".join(ROBOTS))
    parser.add_argument("--only", choices=LINES)
    parser.add_argument("--baxter", help="the source archive of vamp-planner, or the folder it was unpacked into")
    parser.add_argument("--seed", type=int, default=20_000)
    parser.add_argument("--json")
    given = parser.parse_args()
    print(f"forearm {fa.__version__}, pinocchio {pin.__version__}, seed {given.seed}")
    told, missed = [], []
    for only in (given.only,) if given.only else LINES:
        begin = time.perf_counter()
        for line in lines_of(only, given):
            told.append(line)
            shown = (
                f"{key} {value:.1f}" if isinstance(value, float) else f"{key} {value}" for key, value in line.items()
            )
            faults = faults_of(line)
            missed += [f"{', '.join(map(str, next(iter(line.items()))))}: {fault}" for fault in faults]
            missed += [f"{line['beside peers']}: {line['misses']}"] if "misses" in line else []
            print(", ".join(shown) + (f"; MISSES: {'; '.join(faults)}" if faults else ""), flush=True)
        print(f"{only} took {time.perf_counter() - begin:.0f} s", flush=True)
    print("misses:\n  " + "\n  ".join(missed) if missed else "misses: nothing of what was run")
    if given.json:
        Path(given.json).write_text(json.dumps(told, indent=2, default=float))


if __name__ == "__main__":
    main()
