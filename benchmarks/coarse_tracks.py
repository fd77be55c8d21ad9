"""Coarse tracks: random curves at 50 to 400 way-points, what every stop says, and forced reconfigurations.

python benchmarks/coarse_tracks.py                          # 40 curves on each of eight arms, then 100 forced paths
python benchmarks/coarse_tracks.py --paths 5 --forced 10    # less of the same

Way-points are poses of a cubic curve in joint space, so there is a way through all of them; the straight lines between
them may have none. Counted are the paths that come to their end with lines alone and with `between="joints"`, at each
number of way-points. Each stop's sentence is checked by what it claims: dense steps along the segment by damped least
squares written here, long searches, and, where it says that smaller steps lead through, a walk in smaller steps by
kinematics and least squares written here, every step held against the bounds. Forced paths have limits too narrow for
one branch; their jumps are held against a search over all branches of all way-points and of places between them, every
pair of neighbours tried.
"""

import argparse
import re
from collections import Counter
from itertools import pairwise

import numpy as np

import forearm as fa
from driving import poses

ARMS = ("ur5", "iiwa14", "panda", "xarm7", "puma560", "irb120", "gen3", "jaco2")
COUNTS = (50, 100, 200, 400)
STEP, HALFWAY = 0.1, (1e-4, 1e-3)
DENSE = 400  # steps along a segment
LONG = 2000  # tries of a long search
PIECES = 64  # of a segment that smaller steps shall lead through, at least
SMALLEST = 2.0**-12  # share of a segment below which steps are not halved: as finely as a track cuts 64 pieces of it
WALK_STEPS = 20  # of damped least squares for one step along a segment
CUT = 8  # pieces of a segment in the brute force
CLOSED_FORMS = ("ur5", "irb140", "puma560")


def curve(arm, seed, count):
    """(count, n) joint values on a random cubic curve."""
    K = np.random.default_rng(seed).uniform(*np.clip(arm.limits, -np.pi, np.pi), (4, arm.n))
    t = np.linspace(0.0, 1.0, count)[:, None]
    return (1 - t) ** 3 * K[0] + 3 * t * (1 - t) ** 2 * K[1] + 3 * t**2 * (1 - t) * K[2] + t**3 * K[3]


def between(A, B, share):
    """The pose on the straight line and the turn from A to B."""
    T, R = A + share * (B - A), A[:3, :3].T @ B[:3, :3]
    angle = np.arccos(np.clip(0.5 * (np.trace(R) - 1.0), -1.0, 1.0))
    axis = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / max(2.0 * np.sin(angle), 1e-12)
    x, y, z = axis
    K, a = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]), share * angle
    T[:3, :3] = A[:3, :3] @ (np.eye(3) + np.sin(a) * K + (1.0 - np.cos(a)) * K @ K)
    return T


def error(T, goal):
    """Position and rotation error as one six-vector (small turns)."""
    R = goal[:3, :3] @ T[:3, :3].T
    return np.concatenate(
        [goal[:3, 3] - T[:3, 3], 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])]
    )


def dense(arm, q, A, B, limits):
    """Joint values at B after dense steps along the line from A, each joint moving little in each; None if it ends."""
    most = max(4.0 * STEP / 64.0, 0.02)
    for share in np.linspace(0.0, 1.0, DENSE + 1)[1:]:
        goal, start = between(A, B, share), q
        for _ in range(30):
            J, e = arm.jacobian(q), error(poses(arm, q[None])[0], goal)
            if np.abs(e).max() < 1e-7:
                break
            q = np.clip(q + J.T @ np.linalg.solve(J @ J.T + 1e-10 * np.eye(6), e), *limits)
        if np.abs(e).max() > 1e-6 or np.abs(q - start).max() > most:
            return None
    return q


def is_reached(arm, T, **how):
    """Whether a long search finds joint values for a pose."""
    return any(arm.solve(T, max_tries=LONG, rng_seed=s, explain=False, **how).success for s in range(2))


def tip_and_jacobian(arm, q):
    """The tip's pose and its geometric Jacobian, linear rows first, by plain matrices."""
    T, J, axes = np.eye(4), np.zeros((6, arm.n)), []
    for link, (kind, variable, ratio) in zip(arm.model.links, arm.model.joints, strict=False):
        T = T @ np.vstack([link, [0.0, 0.0, 0.0, 1.0]])
        k, moved = int(variable), np.eye(4)
        axes.append((k, kind, ratio * T[:3, 2], T[:3, 3]))
        c, s = np.cos(ratio * q[k]), np.sin(ratio * q[k])
        moved[:2] = [[1, 0, 0, 0], [0, 1, 0, 0]] if kind == 1.0 else [[c, -s, 0, 0], [s, c, 0, 0]]
        moved[2, 3] = ratio * q[k] if kind == 1.0 else 0.0
        T = T @ moved
    T = T @ np.vstack([arm.model.links[-1], [0.0, 0.0, 0.0, 1.0]])
    for k, kind, z, p in axes:
        J[:3, k] += z if kind == 1.0 else np.cross(z, T[:3, 3] - p)
        J[3:, k] += 0.0 if kind == 1.0 else z
    return T, J


def step_to(arm, q, goal, pull):
    """Joint values inside the limits that meet a pose, by damped least squares from q; None if none are found.

    `pull` is how far joints that the pose leaves free go toward the middle of their limits [share].
    """
    lower, upper = arm.limits
    middle = np.clip(np.nan_to_num(0.5 * (lower + upper)), lower, upper)
    start = q
    for k in range(WALK_STEPS):
        T, J = tip_and_jacobian(arm, q)
        e = error(T, goal)
        if np.abs(e).max() < 1e-7:
            return q
        held = np.zeros(arm.n, bool)
        for _ in range(arm.n):  # joints at a limit that would leave it stand still
            A = np.where(held, 0.0, J)
            inverse = A.T @ np.linalg.inv(A @ A.T + 1e-10 * np.eye(6))
            d = inverse @ e
            if k == 0 and pull:
                away = np.where(held, 0.0, middle - start)
                d += pull * (away - inverse @ (A @ away))
            out = ~held & (((q + d < lower - 1e-12) & (q <= lower)) | ((q + d > upper + 1e-12) & (q >= upper)))
            if not out.any():
                break
            held |= out
        q = np.clip(q + d, lower, upper)
        if np.abs(q - start).max() > 2.0 * STEP:
            return None
    return None


def is_good_step(arm, q, new, middle):
    """Whether a step keeps its bound, and halfway the line's."""
    off = np.abs(error(tip_and_jacobian(arm, 0.5 * (q + new))[0], middle))
    return np.abs(new - q).max() <= STEP and (off <= np.repeat(HALFWAY, 3)).all()


def walk(arm, q, A, B, pull):
    """Whether steps as small as need be lead from q along the line from A to B, each inside every bound."""
    at, size = 0.0, 1.0 / PIECES
    while at < 1.0:
        to = min(1.0, at + size)
        new = step_to(arm, q, between(A, B, to), pull * size)
        if new is not None and is_good_step(arm, q, new, between(A, B, 0.5 * (at + to))):
            q, at, size = new, to, min(2.0 * size, 1.0 / PIECES)
        elif size < SMALLEST:
            return False
        else:
            size *= 0.5
    return True


def leads_through(arm, q, A, B):
    """Whether smaller steps lead along the line from A to B, by a walk written here: no point is the library's."""
    return any(walk(arm, q, A, B, pull) for pull in ((0.0, 1.0, 10.0) if arm.n > 6 else (0.0,)))


def is_followed(arm, q, A, B):
    """Whether dense steps or small ones follow the line from A to B."""
    return dense(arm, q, A, B, arm.limits) is not None or leads_through(arm, q, A, B)


def holds(arm, free, goals, track):
    """Whether what a stop says is so."""
    i, status = track.stopped_at, str(track.status)
    before, place = track.q[track.places == i - 1][-1], track.places[-1]
    rest = between(goals[i - 1], goals[i], place - (i - 1)), goals[i]
    whole = before, goals[i - 1], goals[i]
    if "though the way-point itself is reached by" in track.reason:
        step = float(track.reason.split("no joint more than ")[1].split()[0])
        reached = arm.solve(goals[i], before, max_joint_step=1.01 * step).success
        if "cannot be followed in steps of" in track.reason:
            return reached and (leads_through(arm, *whole) or leads_through(arm, track.q[-1], *rest))
        return reached and ("was found" in track.reason or not is_followed(arm, *whole))
    if status == "too_coarse":
        return leads_through(arm, *whole) or leads_through(arm, track.q[-1], *rest)
    goes_on = dense(free, track.q[-1], *rest, free.limits) is not None
    told = re.search(r"at ([\d.]+) of the way", track.reason)
    near = goals[i] if told is None else between(goals[i - 1], goals[i], float(told[1]))
    if status == "limits":
        return goes_on or not is_reached(arm, near)
    if status == "out_of_reach":
        return not is_reached(free, near)
    return status == "singularity" and not goes_on and is_reached(arm, goals[i])


def coarse(paths):
    """Prints the paths that come to their end, and how many sentences hold."""
    print(f"{'arm':9}" + "".join(f"{f'{n}: lines':>13}{'joints':>8}" for n in COUNTS) + f"{'stops':>8}{'hold':>6}")
    whole, stops, right, unfound = Counter(), 0, 0, []
    for name in ARMS:
        arm = fa.load(name)
        free = arm.with_limits(np.array([[-np.inf], [np.inf]]) * np.ones(arm.n))
        row, told, good = f"{name:9}", 0, 0
        for count in COUNTS:
            ends = Counter()
            for seed in range(paths):
                Q = curve(arm, seed, count)
                goals = poses(arm, Q)
                lines = arm.track(goals, Q[0])
                ends["lines"] += lines.complete
                ends["joints"] += lines.complete or arm.track(goals, Q[0], between="joints").complete
                if not lines.complete:
                    told += 1
                    if "was found" in lines.reason:  # it says no more than that, so how often is there one?
                        i = lines.stopped_at
                        before = lines.q[lines.places == i - 1][-1]
                        unfound.append(is_followed(arm, before, goals[i - 1], goals[i]))
                    if holds(arm, free, goals, lines):
                        good += 1
                    else:
                        print(f"  {name} {count} {seed}: {lines.status}: {lines.reason[:300]}")
            row += f"{ends['lines']:>13}{ends['joints']:>8}"
            whole.update({(count, kind): n for kind, n in ends.items()})
        print(row + f"{told:>8}{good:>6}", flush=True)
        stops, right = stops + told, right + good
    best = whole[400, "lines"]
    shares = ", ".join(f"{100.0 * whole[n, 'joints'] / best:.1f} % at {n}" for n in COUNTS)
    print(f"with between='joints', of the {best} that lines complete at 400: {shares}")
    print(f"sentences that hold: {right} of {stops}")
    print(
        f"lines along which no way was found: {len(unfound)}; along {sum(unfound)} of them the benchmark's walk has one"
    )


def steps_between(arm, before, q, middle):
    """(k,) whether a step from each of these joint values to q keeps the bounds, also halfway."""
    near = np.abs(before - q).max(axis=1) <= STEP
    off = np.array([error(T, middle) for T in poses(arm, 0.5 * (before[near] + q))]).reshape(-1, 6)
    good = (np.linalg.norm(off[:, :3], axis=1) <= HALFWAY[0]) & (np.linalg.norm(off[:, 3:], axis=1) <= HALFWAY[1])
    near[near] = good
    return near


def fewest(arm, goals, start):
    """The fewest jumps over all branches of all way-points, and of the places that cut each segment."""
    here = arm.solve_all(goals[0], windings=True).q
    spent = np.where(np.abs(here - start).max(axis=1) < 1e-3, 0.0, 1.0)
    for A, B in pairwise(goals):
        jumped = spent.min() + 1.0
        for C, D in pairwise([between(A, B, share) for share in np.linspace(0.0, 1.0, CUT + 1)]):
            Q, middle = arm.solve_all(D, windings=True).q.reshape(-1, arm.n), between(C, D, 0.5)
            spent = np.array([spent[steps_between(arm, here, q, middle)].min(initial=np.inf) for q in Q])
            here = Q
        spent = np.minimum(spent, jumped)  # to any branch of the way-point ahead,
        spent = np.minimum(spent, spent.min() + 1.0)  # or from branch to branch in place
    return int(spent.min())


def forced(count):
    """Prints how many jumps forced paths take, and how many brute force needs."""
    found, jumps, more, seed = 0, Counter(), 0, 0
    while found < count:
        name = CLOSED_FORMS[seed % len(CLOSED_FORMS)]
        rng, seed = np.random.default_rng(seed), seed + 1
        free = fa.load(name)
        arm = free.with_limits(np.array([[-2.0] * 6, [2.0] * 6]))
        a, b = rng.uniform(-2.0, 2.0, 6), rng.uniform(-1.0, 1.0, 6)
        goals = poses(free, a + np.linspace(0.0, 1.0, 60)[:, None] * 2.5 * b)
        if not arm.solve_batch(goals).success.all():
            continue
        start = arm.solve(goals[0], arm.clip(a)).q
        track = arm.track(goals, start, reconfigure=True)
        if track.complete and not track.reconfigurations:
            continue
        found += 1
        needed = fewest(arm, goals, start)
        jumps[f"{len(track.reconfigurations)} for {needed}"] += 1
        more += not track.complete or len(track.reconfigurations) > needed
    told = ", ".join(f"{words}: {n}" for words, n in sorted(jumps.items()))
    print(f"{count} forced paths, jumps for those of brute force: {told}; {more} with more, or not complete")


def main():
    """Runs both."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--paths", type=int, default=40)
    parser.add_argument("--forced", type=int, default=100)
    args = parser.parse_args()
    coarse(args.paths)
    forced(args.forced)


if __name__ == "__main__":
    main()
