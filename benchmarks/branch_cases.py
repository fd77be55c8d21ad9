"""Arms of six turning joints for which every branch is asked, and a search by numpy that knows nothing of elimination.

Rows named after real arms have the structure of these arms (which axes meet, are parallel or offset); their lengths
were not held against a maker's file. Families have axes that are parallel, meet or stand at right angles, drawn anew
for each seed.
"""

from dataclasses import replace

import numpy as np

import forearm as fa

TURN = 2.0 * np.pi
HALF = np.pi / 2.0
# a, alpha, d, offset of each joint
TABLES = {
    "jaco2 (60 deg)": (
        (0.0, HALF, 0.2755, 0.0), (0.41, np.pi, 0.0, 0.0), (0.0, HALF, -0.0098, 0.0),
        (0.0, np.pi / 3, -0.2501, 0.0), (0.0, np.pi / 3, -0.0856, 0.0), (0.0, np.pi, -0.2028, 0.0),
    ),
    "xarm6": (
        (0.0, -HALF, 0.267, 0.0), (0.28948866, 0.0, 0.0, -1.3849179), (0.0775, -HALF, 0.0, 1.3849179),
        (0.0, HALF, 0.3425, 0.0), (0.076, -HALF, 0.0, 0.0), (0.0, 0.0, 0.097, 0.0),
    ),
    "crx-10ia/l": (
        (0.0, -HALF, 0.245, 0.0), (0.71, np.pi, 0.0, -HALF), (0.0, -HALF, 0.0, 0.0),
        (0.0, HALF, -0.54, 0.0), (0.0, -HALF, 0.15, 0.0), (0.0, np.pi, -0.16, 0.0),
    ),
    "hc10": (
        (0.0, -HALF, 0.275, 0.0), (0.7, np.pi, 0.0, -HALF), (0.0, -HALF, 0.0, 0.0),
        (0.0, HALF, -0.5, 0.0), (0.0, -HALF, -0.162, 0.0), (0.0, np.pi, -0.17, 0.0),
    ),
    "gen3-lite": (
        (0.0, HALF, 0.2433, 0.0), (0.28, np.pi, 0.03, HALF), (0.0, HALF, 0.02, HALF),
        (0.0, HALF, 0.245, HALF), (0.0, HALF, 0.057, np.pi), (0.0, 0.0, 0.235, HALF),
    ),
    "four offsets": (
        (0.1, -HALF, 0.3, 0.0), (0.6, 0.0, 0.05, 0.0), (0.1, -HALF, 0.0, 0.0),
        (0.0, HALF, 0.5, 0.0), (0.08, -HALF, 0.07, 0.0), (0.0, 0.0, 0.1, 0.0),
    ),
}  # fmt: skip


def free_arm(rows, name):
    """A robot of rows (a, alpha, d, offset) whose joints turn once round."""
    limits = np.array([[-np.pi] * len(rows), [np.pi] * len(rows)])
    return fa.Robot.from_dh(rows, limits=limits, name=name)


def random_arm(seed):
    """An arm whose six axes have nothing in common."""
    rng = np.random.default_rng(seed)
    rows = np.stack([rng.uniform(0.05, 0.5, 6), rng.uniform(0.3, 2.8, 6), rng.uniform(-0.4, 0.4, 6), np.zeros(6)], 1)
    return free_arm(rows.tolist(), f"random {seed}")


def family_arm(seed):
    """An arm with axes that are parallel, meet or stand at right angles, by chance."""
    rng = np.random.default_rng((31, seed))
    rows = []
    for _ in range(6):
        alpha = (0.0, HALF, -HALF, float(rng.uniform(0.3, 2.8)))[rng.integers(4)]
        a, d = (0.0 if rng.random() < 0.4 else float(rng.uniform(0.05, 0.5)) for _ in range(2))
        rows.append((a, alpha, d, 0.0))
    return free_arm(rows, f"family {seed}")


def calibrated(robot, size, seed=0):
    """The same arm with each of its links off by about so much [m and rad], as a calibration finds it."""
    rng = np.random.default_rng((5, seed))
    links = robot.model.links.copy()
    for link in links:
        turn = size * rng.normal(size=3)
        link[:, :3] = link[:, :3] @ turned(turn / np.linalg.norm(turn), np.linalg.norm(turn))
        link[:, 3] += size * rng.normal(size=3)
    return fa.Robot(replace(robot.model, links=links, name=f"{robot.name} calibrated"))


def turned(axis, angle):
    """(3, 3) the rotation about a unit vector."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


# -- the search ---------------------------------------------------------------------------------------


def frames_of(robot, Q):
    """(n+1, N, 4, 4) frames of the joints and of the tip, by numpy alone."""
    links, T, frames = robot.model.links, np.tile(np.eye(4), (len(Q), 1, 1)), []
    for k, link in enumerate(links):
        T = T @ np.vstack([link, [0.0, 0.0, 0.0, 1.0]])
        frames.append(T)
        if k < Q.shape[1]:
            c, s, J = np.cos(Q[:, k]), np.sin(Q[:, k]), np.tile(np.eye(4), (len(Q), 1, 1))
            J[:, 0, 0], J[:, 0, 1], J[:, 1, 0], J[:, 1, 1] = c, -s, s, c
            T = T @ J
    return np.array(frames)


def errors_and_jacobians(robot, Q, goal):
    """(N, 6) errors of the tip and (N, 6, n) Jacobians; the error of a rotation is the sum of crossed axes."""
    frames = frames_of(robot, Q)
    tip = frames[-1]
    turn = 0.5 * sum(np.cross(tip[:, :3, i], goal[:3, i]) for i in range(3))
    e = np.concatenate([goal[:3, 3] - tip[:, :3, 3], turn], axis=1)
    z, p = frames[:-1, :, :3, 2], frames[:-1, :, :3, 3]
    J = np.concatenate([np.cross(z, tip[None, :, :3, 3] - p), z], axis=2)
    return e, np.moveaxis(J, 0, 2)


def search_branches(robot, goal, starts, rng, steps=40):
    """(k, n) the distinct answers that damped Gauss-Newton finds from random starts; limits aside."""
    n = robot.n
    Q = rng.uniform(-np.pi, np.pi, (starts, n))
    for step in range(steps):
        e, J = errors_and_jacobians(robot, Q, goal)
        damping = np.minimum(1e-2, np.sum(e * e, axis=1))[:, None, None] * np.eye(n)
        Jt = np.swapaxes(J, 1, 2)
        move = np.linalg.solve(Jt @ J + damping + 1e-14 * np.eye(n), Jt @ e[:, :, None])[:, :, 0]
        Q = Q + move * np.minimum(1.0, 0.5 / np.abs(move).max(axis=1, initial=1e-30))[:, None]
        if step == steps // 2:  # those that are far are left
            Q = Q[np.abs(errors_and_jacobians(robot, Q, goal)[0]).max(axis=1) < 0.2]
    poses = frames_of(robot, Q)[-1]
    Q = wrapped(Q[np.abs(poses - goal).max(axis=(1, 2)) < 1e-9])
    found = []
    for q in Q:
        if all(np.abs(wrapped(q - other)).max() > 1e-5 for other in found):
            found.append(q)
    return np.array(found).reshape(-1, n)


def wrapped(Q):
    """Angles in [-pi, pi)."""
    return (Q + np.pi) % TURN - np.pi


def apart(found, q):
    """How far the nearest of some answers is from q, whole turns aside [rad]."""
    return float(np.abs(wrapped(found - q)).max(axis=1).min()) if len(found) else np.inf


def near_double(robot, rng, half):
    """Joint values that are one of a pair of answers about twice `half` apart, and None if none was met.

    Between two configurations with determinants of other signs there is a singular one; a step along what it cannot
    feel leads to one of the pair.
    """
    low, high = rng.uniform(-np.pi, np.pi, (2, 6))

    def determinant(q):
        return np.linalg.det(errors_and_jacobians(robot, q[None], np.eye(4))[1][0])

    if determinant(low) * determinant(high) > 0.0:
        return None
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if determinant(middle) * determinant(low) > 0.0 else (low, middle)
    _, size, V = np.linalg.svd(errors_and_jacobians(robot, low[None], np.eye(4))[1][0])
    return low + half * V[-1] if size[-2] > 1e-2 else None
