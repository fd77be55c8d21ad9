"""The closed forms: solved share and time of `auto`, branch sets against EAIK and a search, swivel intervals.

python benchmarks/closed_form.py                          # everything, against what is installed
python benchmarks/closed_form.py --parts auto --n 100000 --robots ur5,iiwa14
python benchmarks/closed_form.py --parts branches,swivel
"""

import argparse
import time

import numpy as np

import forearm as fa
from forearm.arm.structure import Kind
from forearm.core.closed_form.listing import BRANCHES, row_at_swivel
from forearm.core.codes import INEXACT, POSE, REPORT
from forearm.solve.methods.closed_form import form_kernels
from forearm.solve.methods.table import METHODS
from forearm.solve.problem import NO_START, Problem, search
from judge import count_solved, rotation_errors
from loops import njit, start_just_in_time
from peers.chain import UnfitError
from peers.eaik import Eaik
from peers.rtb import Rtb

ROBOTS = "ur3,ur5,ur10,ur3e,ur5e,ur10e,irb120,irb140,puma560,iiwa7,iiwa14"
BRANCH_ROBOTS = ("ur5", "puma560", "irb140")
TIMED = 400  # targets of one timed chunk
ROUNDS = 25  # interleaved chunks; the least time counts, as other work on the machine only adds
TURN = 2.0 * np.pi
FAR = 1e-3  # [rad] branches farther apart than this differ; a search ends that near to a double one
SHARPEN = 60  # steps that sharpen a found answer; each takes a quarter off where two singularities meet
SHORT_STEP = 0.01  # [rad] at most a step, so that free angles stay where the search left them
ROUNDING = 2e-15  # [m and rad] what forward kinematics of these arms leaves anyway
TRIES = 200  # starts of the search that looks for missing branches
EDGE = 1e-7  # [rad] swivel angles nearer than this to an interval's end are not judged


def looped(kernels):
    """A compiled function that solves every goal with the kernels of a closed form, one after the other."""
    plain, polished = kernels.solve, kernels.polish or kernels.solve

    @njit(error_model="numpy", nogil=True)
    def solve_many(problem, form, goals, starts, work, Q, reports, codes):
        for i in range(goals.shape[0]):
            codes[i] = plain(problem, form, goals[i], starts[i], work, Q[i], reports[i])
            if codes[i] == INEXACT:
                codes[i] = polished(problem, form, goals[i], starts[i], work, Q[i], reports[i])

    return solve_many


@njit(error_model="numpy", nogil=True)
def rows_at(form, goal, start, swivels, rows):
    """Writes the rows of every branch at every swivel angle."""
    for i in range(swivels.shape[0]):
        for branch in range(rows.shape[1]):
            row_at_swivel(form, goal, start, branch, swivels[i], rows[i, branch])


def peer_of(kind, robot):
    """A peer's model of a robot, or None if the peer is not installed or cannot."""
    try:
        return kind(robot)
    except (ImportError, UnfitError):
        return None


def best_times(calls):
    """Microseconds a target of each call, best of interleaved rounds; each call solves TIMED targets."""
    best = dict.fromkeys(calls, np.inf)
    for _ in range(ROUNDS):
        for name, call in calls.items():
            begin = time.perf_counter()
            call()
            best[name] = min(best[name], time.perf_counter() - begin)
    return {name: 1e6 * seconds / TIMED for name, seconds in best.items()}


def report_auto(name, n):
    """Prints the share of cold targets that `auto` solves, its times, and those of the peers."""
    robot = fa.load(name)
    targets = robot.fk(robot.sample(n, rng_seed=1))
    answers = [robot.solve(T) for T in targets]
    solved = count_solved(robot, np.array([s.q for s in answers]), targets)
    methods = {s.method for s in answers}
    times = best_times(auto_calls(robot, targets[:TIMED]))
    line = (
        f"{name:<9}{solved:>8}/{n:<8}{times['kernel']:7.2f}{times['solve']:7.2f}{times['solve'] - times['kernel']:8.2f}"
    )
    for peer in ("EAIK", "EAIK bare", "RTB"):
        part = f"{times[peer]:9.2f} {times['solve'] / times[peer]:6.2f}" if peer in times else f"{'-':>9}{'-':>7}"
        line += f"  |{part}"
    print(line, " ", ", ".join(sorted(methods)), flush=True)


def auto_calls(robot, targets):
    """What is timed: the kernel, `robot.solve`, and each peer, on the same targets."""
    problem, form = robot._prepared.of(METHODS["closed-form"], POSE)
    N, starts = len(targets), np.empty((len(targets), 0))
    kernels = form_kernels(form)
    work = np.empty(kernels.size(robot.model.m, robot.n))
    outputs = np.empty((N, robot.n)), np.empty((N, REPORT)), np.empty(N, np.int64)
    poses, solve_many = list(targets), looped(kernels)
    calls = {
        "kernel": lambda: solve_many(problem, form, targets, starts, work, *outputs),
        "solve": lambda: [robot.solve(T) for T in poses],
    }
    eaik = peer_of(Eaik, robot) if robot.n == 6 else None
    if eaik is not None:
        posed = [np.asfortranarray(T) for T in targets]
        calls["EAIK"] = lambda: [eaik.solve(T, None) for T in poses]
        calls["EAIK bare"] = lambda: [eaik.arm.IK(T) for T in posed]
    rtb, middle = peer_of(Rtb, robot), robot.neutral
    if rtb is not None:
        calls["RTB"] = lambda: [rtb.solve(T, middle) for T in poses]
    for call in calls.values():
        call()
    return calls


def turned_inside(robot, rows):
    """The rows that whole turns bring inside the limits."""
    lower, upper = robot.limits
    turned = rows + TURN * np.ceil((lower - 1e-9 - rows) / TURN)
    return turned[(turned <= upper + 1e-9).all(axis=1)]


def right(robot, rows, T):
    """The rows whose pose is the target."""
    if len(rows) == 0:
        return rows
    poses = robot.fk(rows)
    targets = np.broadcast_to(T, poses.shape)
    off = np.linalg.norm(poses[:, :3, 3] - T[:3, 3], axis=1)
    return rows[(off < 1e-6) & (rotation_errors(poses, targets) < 1e-6)]


def apart(rows, q):
    """The least largest difference of a joint between some rows and q, but for whole turns."""
    return np.abs(np.remainder(rows - q + np.pi, TURN) - np.pi).max(axis=1).min(initial=np.inf)


def missing(robot, T, ours, others):
    """How many other rows are none of ours, even with the free angles of a singular pose taken from them."""
    far = [q for q in others if apart(ours, q) > FAR]
    far = [q for q in far if apart(robot.solve_all(T, q0=q).q.reshape(-1, robot.n), q) > FAR]
    sharp = [sharpened(robot, T, q) for q in far]
    return sum(apart(robot.solve_all(T, q0=q).q.reshape(-1, robot.n), q) > FAR for q in sharp)


def sharpened(robot, T, q):
    """An answer brought from the tolerance to rounding by Gauss-Newton, as long as that helps.

    Where two singularities meet, the pose changes with the fourth power of a joint: 1e-9 is then still
    a hundredth of a radian from the answer.
    """
    best, least = q, np.inf
    for _ in range(SHARPEN):
        pose = robot.fk(q)
        turn = 0.5 * sum(np.cross(pose[:3, k], T[:3, k]) for k in range(3))
        error = np.concatenate([T[:3, 3] - pose[:3, 3], turn])
        size = np.abs(error).max()
        if size < least:
            best, least = q, size
        if size < ROUNDING:
            break
        step = np.linalg.lstsq(robot.jacobian(q), error, rcond=1e-12)[0]
        q = q + step * min(1.0, SHORT_STEP / np.abs(step).max())
    return best


def searched(robot, T, rng_seed):
    """Answers that the general solver finds from many starts."""
    found = []
    arm, target = robot._prepared, fa.Pose(T, tol=1e-9)
    problem = Problem(arm, POSE, T, target.terms, NO_START, arm.model.limits, NO_START)
    for skip in range(TRIES):
        answer = search(problem, 1, skip=skip, seed=rng_seed)
        if answer.solved:
            found.append(answer.q)
    return np.array(found).reshape(-1, robot.n)


def turned_about(h, p, angle, x):
    """A point turned about the line through p along the unit vector h."""
    v = x - p
    return p + h * (h @ v) * (1.0 - np.cos(angle)) + v * np.cos(angle) + np.cross(h, v) * np.sin(angle)


def over_shoulder(robot, q, off):
    """The second joint values that put the wrist point beside axis 1, `off` metres in the plane of the arm.

    There both answers of the first joint are one: the point is as near to the axis as the arm's offset allows.
    """
    found = robot.structure
    H, P = found.H, found.P
    x = P[5]
    for k in (3, 2) if found.kind is Kind.UR else (2,):
        x = turned_about(H[k], P[k], q[k], x)
    n, u = np.cross(H[0], H[1]), x - P[1]
    a, b, c = n @ u, n @ np.cross(H[1], u), off - n @ (P[1] - P[0])
    if np.hypot(a, b) <= abs(c):
        return []
    both = np.arctan2(b, a) + np.array([1.0, -1.0]) * np.arccos(c / np.hypot(a, b))
    lower, upper = robot.limits[:, 1]
    turned = both + TURN * np.ceil((lower - both) / TURN)
    return [value for value in turned if value <= upper]


def singular_targets(robot, count):
    """Configurations with a straight wrist, a straight elbow, the wrist point over the shoulder, and pairs of them.

    Half of each exactly so, half within 1e-9 rad or m.
    """
    rng, Q = np.random.default_rng(3), []
    elbow = {"ur5": 0.0, "puma560": -np.pi / 2 + np.arctan2(0.0203, 0.4318), "irb140": -np.pi / 2}[robot.name]
    kinds = ("wrist", "elbow", "wrist elbow", "shoulder", "shoulder wrist", "shoulder elbow")
    for q in robot.sample(50 * count, rng_seed=2):
        kind, off = kinds[len(Q) // 2 % len(kinds)], 0.0 if len(Q) % 2 else rng.uniform(-1e-9, 1e-9)
        if "wrist" in kind:
            q[4] = off
        if "elbow" in kind:
            q[2] = elbow + off
        seconds = over_shoulder(robot, q, off) if "shoulder" in kind else [q[1]]
        if seconds:
            q[1] = seconds[0]
            Q.append(q)
        if len(Q) == count:
            break
    return np.clip(Q, *robot.limits)


def report_branches(name, count, singular):
    """Prints how many branches `solve_all` finds and how many others find that it does not."""
    robot = fa.load(name)
    eaik = peer_of(Eaik, robot)
    for label, Q in (("random", robot.sample(count, rng_seed=4)), ("singular", singular_targets(robot, singular))):
        ours, wrong, own, theirs, lost, more, search, unfound = np.zeros(8, int)
        for i, q in enumerate(Q):
            T = robot.fk(q)
            found = robot.solve_all(T).q.reshape(-1, robot.n)
            ours += len(found)
            wrong += len(found) - len(right(robot, found, T))
            own += missing(robot, T, found, [q])
            if eaik is not None:
                others = right(robot, turned_inside(robot, eaik.solve_all(T)), T)
                theirs += len(others)
                lost += missing(robot, T, found, others)
                more += sum(apart(others, q) > FAR for q in found)
            seen = searched(robot, T, i)
            search += len(seen)
            unfound += missing(robot, T, found, seen)
        peer = f"{theirs:>7}{lost:>9}{more:>9}" if eaik is not None else f"{'-':>7}{'-':>9}{'-':>9}"
        line = f"{name:<9}{label:<9}{len(Q):>7}{ours:>9}{wrong:>7}{own:>9}  |{peer}  |{search:>8}{unfound:>9}"
        print(line, flush=True)


def report_swivel(name, targets, swivels):
    """Prints in how many samples an interval and the angles at that swivel say different things."""
    robot, rng = fa.load(name), np.random.default_rng(5)
    lower, upper = robot.limits
    tested = differ = 0
    for q in robot.sample(targets, rng_seed=6):
        T = robot.fk(q)
        psi, rows = rng.uniform(-np.pi, np.pi, swivels), np.empty((swivels, BRANCHES, robot.n))
        _, form = robot._prepared.of(METHODS["closed-form"], POSE)
        rows_at(form, T, robot.neutral, psi, rows)
        said, judged = np.zeros((swivels, BRANCHES), bool), np.ones((swivels, BRANCHES), bool)
        for answer in robot.solve_all(T):
            row = np.empty((1, BRANCHES, robot.n))
            rows_at(form, T, robot.neutral, np.array([robot.swivel(answer.q)]), row)
            apart = np.abs(np.remainder(row[0] - answer.q + np.pi, TURN) - np.pi).max(axis=1)
            branch = int(np.argmin(apart))
            for low, high in answer.swivel:
                off = np.remainder(psi - low, TURN)
                said[:, branch] |= off <= high - low
                if high - low < TURN - EDGE:
                    judged[:, branch] &= (np.abs(off - (high - low)) > EDGE) & (off > EDGE) & (off < TURN - EDGE)
        turned = rows + TURN * np.ceil((lower - rows) / TURN)
        true = (turned <= upper).all(axis=2)
        tested, differ = tested + int(judged.sum()), differ + int(((said != true) & judged).sum())
    print(f"{name:<9}{targets:>8} targets x {swivels} swivels x {BRANCHES} branches: {tested} judged, {differ} differ")


def main() -> None:
    """Prints one table per part."""
    start_just_in_time()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", default="auto,branches,swivel")
    parser.add_argument("--robots", default=ROBOTS)
    parser.add_argument("--n", type=int, default=100_000, help="cold targets of `auto`")
    parser.add_argument("--branches", type=int, default=1_000, help="targets whose branches are compared")
    parser.add_argument("--singular", type=int, default=200, help="singular ones")
    parser.add_argument("--targets", type=int, default=1_000, help="targets whose swivel intervals are sampled")
    parser.add_argument("--swivels", type=int, default=1_000, help="swivel angles of each")
    options = parser.parse_args()
    parts = options.parts.split(",")
    if "auto" in parts:
        print("auto, cold, 1e-6, all limits; times in us, ratios of `robot.solve` to the peer")
        print("'EAIK' is `robot.IK(T).Q`, 'bare' the same without reading `.Q`, on a pose in column order")
        print(f"{'robot':<9}{'solved':>17}{'kernel':>7}{'solve':>7}{'Python':>8}", end="")
        print("".join(f"  |{peer:>9}{'ratio':>7}" for peer in ("EAIK", "bare", "RTB")))
        for name in options.robots.split(","):
            report_auto(name, options.n)
    if "branches" in parts:
        print(f"{'robot':<9}{'targets':<9}{'count':>7}{'branches':>9}{'wrong':>7}{'q lost':>9}  |", end="")
        print(f"{'EAIK':>7}{'we lack':>9}{'it lacks':>9}  |{'search':>8}{'we lack':>9}")
        for name in BRANCH_ROBOTS:
            report_branches(name, options.branches, options.singular)
    if "swivel" in parts:
        for name in ("iiwa7", "iiwa14"):
            report_swivel(name, options.targets, options.swivels)


if __name__ == "__main__":
    main()
