"""Every branch of arms without a closed form: whether any is missing, how long it takes, and ssik beside it.

python benchmarks/branches.py                              # everything, small: about three minutes
python benchmarks/branches.py --parts complete --poses 2000 --starts 3000   # half an hour to an hour
python benchmarks/branches.py --parts times --poses 400
"""

import argparse
import importlib
import time
from dataclasses import replace

import numpy as np

import forearm as fa
from branch_cases import (
    TABLES,
    apart,
    calibrated,
    errors_and_jacobians,
    family_arm,
    frames_of,
    free_arm,
    near_double,
    random_arm,
    wrapped,
)
from branch_search import branches_by_search
from forearm.arm.branches.elimination import six_axes
from forearm.arm.branches.slices import seven_axes
from forearm.core.branches.layout import BRANCHES, REPORT_NUMBERS, TABLE_NUMBERS, WORK_NUMBERS
from forearm.core.branches.solve import list_branches
from forearm.core.self_motion.layout import (
    ARC,
    ARCS,
    ARM,
    CURVE,
    CURVES,
    DESK_NUMBERS,
    HEAD,
    RIGHT,
    SLICE,
    VALUE,
    VERTEX,
    VERTICES,
)
from forearm.core.self_motion.solve import map_curves, place_on_curves
from peers.chain import UnfitError
from peers.ssik import Ssik
from prebuilt_arms import SEVEN, SIX, prebuilt

PARTS = ("complete", "families", "pairs", "times", "curves")
FAMILIES = 31
PAIR_ARMS = ("xarm6", "crx-10ia/l", "hc10", "gen3-lite", "jaco2 (60 deg)", "random 1", "ur5e calibrated")
REFERENCE = 400  # slices that the curves of seven joints are held against
HALVES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
SAME = 1e-5  # [rad] a branch that a search finds is known if one of ours is this near
AHEAD = 1e-5  # a stride along a curve that gives its tangent [rad]
ROUNDS = 20  # the least time counts, as other work on the machine only adds


def arms():
    """The arms that are measured, by name."""
    real = [freed(robot) for robot in prebuilt(SIX).values()]
    made = real + [free_arm(rows, name) for name, rows in TABLES.items() if not real or name == "four offsets"]
    made += [random_arm(seed) for seed in range(1, 5)]
    made += [calibrated(fa.load("ur5e"), 1e-3), calibrated(fa.load("puma560"), 1e-3)]
    return {robot.name: robot for robot in made}


def freed(robot):
    """The same arm with joints that turn once round."""
    limits = np.full((2, robot.n), np.pi) * [[-1.0], [1.0]]
    return fa.Robot(replace(robot.model, limits=limits))


def axes_of(robot):
    """Its table, limits aside."""
    return six_axes(robot.model)


def poses_of(robot, count, seed):
    """(count, 6) random joint values and the poses they make, by numpy alone."""
    Q = np.random.default_rng(seed).uniform(-np.pi, np.pi, (count, robot.n))
    return Q, np.ascontiguousarray(frames_of(robot, Q)[-1])


def compare(robot, poses, starts, seed):
    """Branches, and how many are missing, wrong, twice; poses called complete, and how many of those are not."""
    axes, rng = axes_of(robot), np.random.default_rng(seed)
    total = np.zeros(6, int)
    for q, T in zip(*poses_of(robot, poses, seed), strict=True):
        rows, trust = axes.rows(T)
        others = branches_by_search(robot, T, starts, rng) if starts else np.empty((0, robot.n))
        missed = [other for other in (*others, q) if apart(rows, other) > SAME]
        wrong = int((np.abs(frames_of(robot, rows)[-1] - T).max(axis=(1, 2), initial=0.0) > 1e-9).sum())
        twice = sum(apart(np.delete(rows, i, axis=0), row) < 1e-6 for i, row in enumerate(rows))
        total += [len(rows), len(missed), wrong, twice, trust > 0, trust > 0 and len(missed) > 0]
        for other in missed:
            print_missed(robot, T, rows, trust, other)
    return total


def print_missed(robot, T, rows, trust, q):
    """Prints how near an answer that the list lacks is to one that it has, how exact it is, and how flat."""
    e, J = errors_and_jacobians(robot, q[None], T)
    print(
        f"    missing, trust {trust:g}: {apart(rows, q):.1e} rad from the nearest of {len(rows)}, off by "
        f"{np.abs(e).max():.0e}, least singular value {np.linalg.svd(J[0])[1][-1]:.0e}, q = {q.tolist()}"
    )


HEADS = (
    f"{'':24s}{'poses':>7s}{'branches':>10s}{'missing':>9s}{'wrong':>7s}{'twice':>7s}{'complete':>10s}{'untrue':>8s}"
)


def report_complete(poses, starts, seed, share):
    """Prints the comparison with a search for each arm, or each of a share of them."""
    print(f"\nagainst a search from {starts} starts\n{HEADS}")
    everything, asked = np.zeros(6, int), list(arms().items())[share]
    for name, robot in asked:
        total = compare(robot, poses, starts, seed)
        everything += total
        print_counts(name, poses, total)
    print_counts("all", poses * len(asked), everything)


def print_counts(name, poses, total):
    """One line of a comparison."""
    branches, missing, wrong, twice, complete, untrue = total
    print(f"{name:24s}{poses:7d}{branches:10d}{missing:9d}{wrong:7d}{twice:7d}{complete:10d}{untrue:8d}", flush=True)


def report_families(poses, seed):
    """Prints whether arms with parallel and meeting axes find their own configurations."""
    print(f"\n{FAMILIES} arms with parallel, meeting and square axes: own configurations\n{HEADS}")
    everything, known, drawn = np.zeros(6, int), 0, 0
    while known < FAMILIES:
        robot, drawn = family_arm(drawn), drawn + 1
        J = errors_and_jacobians(robot, np.full((1, 6), 0.7), np.eye(4))[1][0]
        if np.linalg.svd(J)[1][-1] < 1e-9:
            continue  # its axes leave it a motion of its own
        known += 1
        if axes_of(robot) is None:
            print(f"{robot.name}: no elimination serves it")
            continue
        everything += compare(robot, poses, 0, seed + drawn)
    print_counts(f"of {drawn} drawn", poses * known, everything)


def report_pairs(count, seed):
    """Prints how often both answers of a nearly coinciding pair are found, by how far they are apart."""
    print(f"\npairs of answers that nearly coincide: {len(PAIR_ARMS)} arms, {count} each")
    print(f"{'half apart [rad]':>18s}{'pairs':>8s}{'both found':>12s}{'told otherwise':>16s}{'untrue':>8s}")
    known = arms() | {name: free_arm(rows, name) for name, rows in TABLES.items()}
    known["ur5e calibrated"] = calibrated(fa.load("ur5e"), 1e-3)
    for half in HALVES:
        pairs = both = told = 0
        for name in PAIR_ARMS:
            robot, rng, looked = known[name], np.random.default_rng(seed), 0
            axes = axes_of(robot)
            while looked < count:
                q = near_double(robot, rng, half)
                if q is None:
                    continue
                looked += 1
                rows, trust = axes.rows(np.ascontiguousarray(frames_of(robot, q[None])[-1, 0]))
                far = np.sort(np.abs(wrapped(rows - q)).max(axis=1))
                found = len(far) > 1 and far[1] < 8.0 * half
                both += found
                told += not found and trust == 0
            pairs += count
        print(f"{half:18g}{pairs:8d}{both:12d}{told:16d}{pairs - both - told:8d}", flush=True)


def report_times(count, seed):
    """Prints microseconds of a pose in the kernel, of `solve_all`, and of ssik if it is installed."""
    print(f"\ntime of a pose, {count} poses, best of {ROUNDS} rounds of processor time [us]; table [ms]")
    print(f"{'':24s}{'kernel':>9s}{'solve_all':>11s}{'ssik':>9s}{'ssik/kernel':>13s}{'table':>8s}{'branches':>10s}")
    for name, robot in arms().items():
        axes, (_, poses) = axes_of(robot), poses_of(robot, count, seed)
        work, rows, report = np.empty(WORK_NUMBERS), np.empty((BRANCHES, 6)), np.empty(REPORT_NUMBERS)
        peer = ssik_of(robot)
        calls = {
            "kernel": lambda T, axes=axes, work=work, rows=rows, report=report: list_branches(
                axes.table, T, work, rows, report
            ),
            "all": robot.solve_all,
            "ssik": None if peer is None else peer.solve,
        }
        best = {key: best_time(call, poses) for key, call in calls.items() if call is not None}
        branches = np.mean([list_branches(axes.table, T, work, rows, report) for T in poses])
        begin = time.process_time()
        axes_of(robot)
        table = 1e3 * (time.process_time() - begin)
        ssik = best.get("ssik", np.nan)
        print(
            f"{name:24s}{best['kernel']:9.1f}{best['all']:11.1f}{ssik:9.1f}{ssik / best['kernel']:13.1f}{table:8.0f}"
            f"{branches:10.2f}",
            flush=True,
        )


def seven_arms():
    """The arms of seven joints, by name: real ones, or those of the catalog where ssik is not installed."""
    return prebuilt(SEVEN) or {name: fa.load(name) for name in ("panda", "xarm7", "gen3")}


def missed_by(motion, dense, T):
    """How many answers of many slices of the last joint lie on none of the curves."""
    slices = dense.table[HEAD + ARM : HEAD + ARM + SLICE * dense.slices].reshape(-1, SLICE)
    six = np.ascontiguousarray(dense.table[HEAD + ARM + slices.size :][:TABLE_NUMBERS])
    work, rows, report = np.empty(WORK_NUMBERS), np.empty((BRANCHES, 6)), np.empty(REPORT_NUMBERS)
    answers = np.empty((0, 7))
    for row in slices:
        right = np.vstack([row[RIGHT : RIGHT + 12].reshape(3, 4), [0.0, 0.0, 0.0, 1.0]])
        count = list_branches(six, np.ascontiguousarray(T @ right), work, rows, report)
        answers = np.vstack([answers, np.insert(rows[:count], 6, row[VALUE], axis=1)])
    far = [distances(answers, curve) for curve in motion.curves]
    return int((np.min(far, axis=0, initial=np.inf) > SAME).sum()) if far else len(answers)


def distances(Q, curve):
    """(N,) how far each of some configurations is from a curve [rad]: from the nearest of its places, along it."""
    places = np.linspace(0.0, curve.length, int(100 * curve.length) + 2)
    known, far, s = curve.path.exact(places), np.full(len(Q), np.inf), np.zeros(len(Q))
    for value in np.unique(Q[:, 6]):
        there = np.abs(wrapped(known[:, 6] - value)) < 0.02
        if there.any():
            rows = Q[:, 6] == value
            d = np.abs(wrapped(Q[rows, None] - known[there])).max(axis=2)
            far[rows], s[rows] = d.min(axis=1), places[there][d.argmin(axis=1)]
    near = np.flatnonzero(far < 0.1)
    if len(near):
        at, ahead = curve.path.exact(s[near]), curve.path.exact(s[near] + AHEAD)
        tangents, way = (ahead - at) / AHEAD, wrapped(Q[near] - at)
        k = np.argmax(np.abs(tangents), axis=1)[:, None]  # to its value of the joint that moves most
        stride = np.take_along_axis(way, k, axis=1) / np.take_along_axis(tangents, k, axis=1)
        rows = np.ascontiguousarray(at + stride * tangents)
        path = curve.path
        place_on_curves(path.table, path.pose, rows, np.ascontiguousarray(tangents), np.empty(DESK_NUMBERS))
        far[near] = np.abs(wrapped(Q[near] - rows)).max(axis=1)
    return far


def report_curves(count, seed):
    """Prints self-motion maps of seven joints: time, curves, and what 400 slices find beside them."""
    print(f"\nself-motion maps of seven joints, {count} poses; against {REFERENCE} slices of the last joint")
    heads = ("map [ms]", "table [ms]", "curves", "arcs", "complete", "maps short", "ends off")
    print(f"{'':24s}" + "".join(f"{head:>12s}" for head in heads))
    for name, robot in seven_arms().items():
        begin = time.process_time()
        axes = robot._prepared.seven_axes
        table, dense = 1e3 * (time.process_time() - begin), seven_axes(robot.model, ((6, REFERENCE),))
        total, spent, off = np.zeros(4, int), 0.0, 0.0
        vertices, curves, arcs = np.empty((VERTICES, VERTEX)), np.empty((CURVES, CURVE)), np.empty((ARCS, ARC))
        work, report, limits = np.empty(DESK_NUMBERS), np.empty(8), np.ascontiguousarray(robot.limits)
        for q in robot.sample(count, rng_seed=seed):
            T = np.ascontiguousarray(frames_of(robot, q[None])[-1, 0])
            begin = time.process_time()
            map_curves(axes.table, limits, T, work, vertices, curves, arcs, report)
            spent += time.process_time() - begin
            motion = robot.self_motion(T, q)
            total += [len(motion), len(motion.arcs), motion.complete, missed_by(motion, dense, T) > 0]
            for end in (end for arc in motion.arcs for end in arc.ends):
                k, side = robot.joint_names.index(end.joint), int(end.limit == "upper")
                off = max(off, abs(end.q[k] - limits[side, k]), np.abs(frames_of(robot, end.q[None])[-1, 0] - T).max())
        made, inside, complete, short = total
        print(
            f"{name:24s}{1e3 * spent / count:12.2f}{table:12.0f}{made:12d}{inside:12d}{complete:12d}{short:12d}"
            f"{off:12.1e}",
            flush=True,
        )


def best_time(call, poses):
    """Microseconds a pose of the quickest round."""
    best = np.inf
    for _ in range(ROUNDS):
        begin = time.process_time()
        for T in poses:
            call(T)
        best = min(best, time.process_time() - begin)
    return 1e6 * best / len(poses)


def ssik_of(robot):
    """The peer's solver, or None if it is not installed or cannot: prebuilt where it has one, else generated."""
    try:
        if "/" in robot.name:
            return importlib.import_module(f"ssik.prebuilt.{robot.name.replace('/', '.')}_ik")
        return Ssik(robot).arm
    except (ImportError, UnfitError):
        return None


def main():
    """Prints the parts that are asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--poses", type=int, default=10)
    parser.add_argument("--starts", type=int, default=400)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--arms", default=":", help="of `complete`, a share of the arms: 0:5 the first five")
    asked = parser.parse_args()
    share = slice(*(int(end) if end else None for end in asked.arms.split(":")))
    parts = asked.parts.split(",")
    if "complete" in parts:
        report_complete(asked.poses, asked.starts, asked.seed, share)
    if "families" in parts:
        report_families(asked.poses, asked.seed)
    if "pairs" in parts:
        report_pairs(asked.poses, asked.seed)
    if "times" in parts:
        report_times(asked.poses, asked.seed)
    if "curves" in parts:
        report_curves(asked.poses, asked.seed)


if __name__ == "__main__":
    main()
