"""Over the back: of tool-down poses all round an arm, asked for without a start, how many answers turn away from them.

python benchmarks/facing.py                    # 400 poses on each turning arm of the catalog
python benchmarks/facing.py --count 100 ur5    # less of the same

Judged by the forward kinematics of `driving.py`. An answer is turned away if the first link shows the target another
side than the one on which the arm reaches at home, by more than a quarter turn. It is behind if the elbow or the wrist
(any joint) is farther behind the vertical through the base, seen from the target, than a 20th of the links' length.
The last column of each kind has those that need not be: some branch of `solve_all`, or for seven joints some answer
from 16 random starts, is inside the limits and is neither.
"""

import argparse

import numpy as np

import forearm as fa
from driving import poses

STARTS = 16  # of a search for a better answer
BEHIND = 0.05  # share of the length of all links


def tool_down(arm, count, seed=0):
    """(count, 4, 4) poses round the first axis with the tool pointing down."""
    rng, base, length = np.random.default_rng(seed), arm.model.links[0, :, 3], links_length(arm)
    turn, around = rng.uniform(-np.pi, np.pi, (2, count))
    away, height = rng.uniform(0.3, 0.7, count) * length, rng.uniform(-0.1, 0.3, count) * length
    T, c, s = np.zeros((count, 4, 4)), np.cos(turn), np.sin(turn)
    T[:, 0, 0], T[:, 0, 1], T[:, 1, 0], T[:, 1, 1], T[:, 2, 2], T[:, 3, 3] = c, s, s, -c, -1.0, 1.0
    T[:, :3, 3] = base + np.stack([away * np.cos(around), away * np.sin(around), height], axis=1)
    return T


def links_length(arm):
    """The length of all links behind the first joint [m]."""
    return np.linalg.norm(arm.model.links[1:, :, 3], axis=1).sum()


def joint_points(arm, q):
    """(n, 3) where the joints are."""
    T, points = np.eye(4), []
    for link, (_, variable, ratio) in zip(arm.model.links, arm.model.joints, strict=False):
        T = T @ np.vstack([link, [0.0, 0.0, 0.0, 1.0]])
        points.append(T[:3, 3])
        c, s, moved = np.cos(ratio * q[int(variable)]), np.sin(ratio * q[int(variable)]), np.eye(4)
        moved[:2, :2] = [[c, -s], [s, c]]
        T = T @ moved
    return np.array(points)


def is_behind(arm, q, goal):
    """Whether a joint is behind the vertical through the base, seen from the target."""
    points = joint_points(arm, q)
    towards = goal[:2, 3] - points[0, :2]
    ahead = (points[1:, :2] - points[0, :2]) @ towards / np.linalg.norm(towards)
    return ahead.min() < -BEHIND * links_length(arm)


def is_away(arm, q, goal):
    """Whether the first link turns the side on which the arm reaches at home away from the target."""
    first, home = arm.model.links[0], arm.home.copy()
    home[0] = 0.0
    x, y, _ = first[:, :3].T @ (poses(arm, home[None])[0, :3, 3] - first[:, 3])
    u, v, _ = first[:, :3].T @ (goal[:3, 3] - first[:, 3])
    return np.cos(np.arctan2(v, u) - np.arctan2(y, x) - q[0]) < 0.0


def others(arm, goal):
    """Other answers to a pose."""
    if arm.n <= 6:
        return [branch.q for branch in arm.solve_all(goal)]
    found = (arm.solve(goal, q0, explain=False) for q0 in arm.sample(STARTS))
    return [s.q for s in found if s.success]


def main():
    """Prints a row for each arm."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("arms", nargs="*")
    parser.add_argument("--count", type=int, default=400)
    args = parser.parse_args()
    names = args.arms or [name for name in fa.list_robots() if name.islower() and "-" not in name]
    print(f"{'arm':9}{'solved':>8}{'turned away':>13}{'need not':>10}{'behind':>8}{'need not':>10}")
    for name in names:
        arm = fa.load(name)
        if arm.n < 6 or "prismatic" in arm.model.joint_kinds:
            continue
        goals = tool_down(arm, args.count)
        found = [(s.q, goal) for s, goal in ((arm.solve(goal, explain=False), goal) for goal in goals) if s.success]
        row = f"{name:9}{len(found):>8}"
        for judge, width in ((is_away, 13), (is_behind, 8)):
            wrong = [goal for q, goal in found if judge(arm, q, goal)]
            needless = sum(
                any(not is_away(arm, q, goal) and not is_behind(arm, q, goal) for q in others(arm, goal))
                for goal in wrong
            )
            row += f"{len(wrong):>{width}}{needless:>10}"
        print(row, flush=True)


if __name__ == "__main__":
    main()
