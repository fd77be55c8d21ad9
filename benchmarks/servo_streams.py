"""Streams of targets for servos: those of everyday work, and wild ones that no bound may give way to.

Each stream is (N, 4, 4) poses at a rate, made from a start configuration by numpy alone.
"""

import numpy as np

SECONDS = 10.0
SWING = 0.4  # of the second joint to both sides of the shoulder's singularity [rad]
STARTS = {
    "ur5": [0.3, -1.2, 1.5, -0.4, 1.0, 0.2],
    "panda": [0.0, -0.3, 0.2, -1.8, 0.0, 1.6, 0.7],
    "iiwa14": [0.2, 0.5, 0.1, 1.2, 0.1, 0.7, 0.2],
    "z1": [0.1, 1.2, -1.0, -0.2, 0.1, 0.2],
    "irb120": [0.1, 0.3, 0.2, 0.3, 0.6, 0.1],
}


def turn(axis, angle):
    """(..., 3, 3) rotations by angles about an axis (Rodrigues)."""
    axis = np.asarray(axis, float) / np.linalg.norm(axis, axis=-1, keepdims=True)
    x, y, z = np.moveaxis(np.broadcast_to(axis, (*np.shape(angle), 3)), -1, 0)
    o = np.zeros_like(x)
    K = np.stack([np.stack([o, -z, y], -1), np.stack([z, o, -x], -1), np.stack([-y, x, o], -1)], -2)
    s, c = np.sin(angle)[..., None, None], np.cos(angle)[..., None, None]
    return np.eye(3) + s * K + (1.0 - c) * K @ K


def eased(t, length=1.0):
    """A smooth start: 0 to 1 over some seconds, its rate and acceleration continuous."""
    u = np.clip(t / length, 0.0, 1.0)
    return u**3 * (10.0 - 15.0 * u + 6.0 * u**2)


def still(T, count):
    """The same pose all the time."""
    return np.repeat(T[None], count, axis=0)


def eight(robot, q0, rate):
    """A figure of eight, started smoothly."""
    t = np.arange(int(SECONDS * rate)) / rate
    a, out = eased(t), still(robot.fk(q0), len(t))
    size = 0.1 * robot.reach
    out[:, 0, 3] += a * 0.6 * size * np.sin(2.0 * t)
    out[:, 1, 3] += a * size * np.sin(t)
    return out


def through(robot, qa, qb, rate):
    """A smooth motion in joints from qa to qb and back, and the tip's way: whatever is singular on it is passed."""
    t = np.arange(int(SECONDS * rate)) / rate
    share = 0.5 - 0.5 * np.cos(2.0 * np.pi * t / SECONDS)
    q = np.asarray(qa) + share[:, None] * (np.asarray(qb) - np.asarray(qa))
    return q, robot.fk(q)


def wrist(robot, q0, rate):
    """Through the wrist's singularity: its middle joint changes its sign."""
    qa, qb = np.array(q0, float), np.array(q0, float)
    k = len(q0) - 2
    low, high = robot.limits[:, k]
    middle = 0.0 if low < -0.3 and high > 0.3 else None
    if middle is None:
        return None
    qa[k], qb[k] = middle + 0.5, middle - 0.5
    return through(robot, qa, qb, rate)


def shoulder(robot, q0, rate):
    """Through the shoulder's singularity: the wrist passes the first axis, moved by the second joint alone."""
    qa, qb = np.array(q0, float), np.array(q0, float)
    if robot.n == 7:  # the second joint straight, the third across: the first three axes leave a direction out
        middle, qa[2], qb[2] = 0.0, 0.5 * np.pi, 0.5 * np.pi
    else:  # the joints behind the second stay as they are, so that the wrist and the elbow are not what is singular
        low, high = np.maximum(robot.limits[0, 1], -np.pi) + SWING, np.minimum(robot.limits[1, 1], np.pi) - SWING
        values = np.linspace(low, high, 4001)
        postures = np.repeat(qa[None], len(values), axis=0)
        postures[:, 1] = values
        signs = np.sign([np.linalg.det(robot.jacobian(q)) for q in postures])
        passed = values[np.flatnonzero(np.diff(signs))]
        if not len(passed):
            return None
        middle = passed[np.argmin(np.abs(passed - q0[1]))]
    qa[1], qb[1] = middle + SWING, middle - SWING
    return through(robot, qa, qb, rate)


def leaving(robot, q0, rate):
    """Out of reach along a straight line, and back, then still."""
    t = np.arange(int(SECONDS * rate)) / rate
    T = robot.fk(q0)
    way = T[:3, 3] - [0.0, 0.0, 0.3 * robot.reach]
    way = way / np.linalg.norm(way)
    far = 1.2 * robot.reach
    share = np.where(t < 7.0, np.sin(np.pi * np.clip(t / 7.0, 0, 1)) ** 2, 0.0)
    out = still(T, len(t))
    out[:, :3, 3] += far * share[:, None] * way
    return out


def steps(robot, q0, rate):
    """Steps to reachable poses half a metre (or a third of the reach) away, 2.5 s each."""
    rng, T = np.random.default_rng(5), robot.fk(q0)
    size, out, at = min(0.5, robot.reach / 2.5), [], T
    count = int(2.5 * rate)
    for _ in range(int(SECONDS / 2.5)):
        for _ in range(1000):
            q = np.clip(np.asarray(q0) + rng.uniform(-1.2, 1.2, robot.n), *robot.limits)
            new = robot.fk(q)
            if abs(np.linalg.norm(new[:3, 3] - at[:3, 3]) - size) < 0.05 * size:
                break
        at = new
        out.append(still(at, count))
    return np.concatenate(out)


def noisy(robot, q0, rate, position=0.005, rotation=0.035):
    """A slow figure of eight under white noise of 5 mm and 2 degrees: (noisy, clean)."""
    clean, rng = eight(robot, q0, rate), np.random.default_rng(3)
    out = clean.copy()
    out[:, :3, 3] += rng.normal(0.0, position / np.sqrt(3.0), (len(out), 3))
    axis, angle = rng.normal(size=(len(out), 3)), rng.normal(0.0, rotation, len(out))
    out[:, :3, :3] = turn(axis, angle) @ out[:, :3, :3]
    return out, clean


def flips(robot, q0, rate):
    """Half turns about the tool's own axis and across it, at once, there and back."""
    T, count, out = robot.fk(q0), int(2.5 * rate), []
    for axis in ([0.0, 0.0, 1.0], None, [1.0, 0.0, 0.0], None):
        new = T.copy()
        if axis is not None:
            new[:3, :3] = T[:3, :3] @ turn(np.array(axis), np.array(np.pi))
        out.append(still(new, count))
    return np.concatenate(out)


def fold(robot, q0, rate):
    """To the edge of reach along the arm's own stretch and back: the elbow folds out and in again."""
    straight = np.array(q0, float)
    elbow = 3 if robot.n == 7 else 2
    low, high = robot.limits[:, elbow]
    straight[elbow] = np.clip(0.0, low + 0.02, high - 0.02)
    return through(robot, q0, straight, rate)


def wild(robot, q0, rate, count, seed):
    """Random targets of all sorts: smooth, jumping, far away, spinning, noisy, NaN, none."""
    rng = np.random.default_rng(seed)
    lower, upper = np.maximum(robot.limits[0], -np.pi), np.minimum(robot.limits[1], np.pi)
    out, at = [], np.array(q0, float)
    left = count
    while left > 0:
        n = int(min(left, rng.integers(1, max(2, int(rate)))))
        kind, t = rng.integers(0, 6), np.arange(n) / rate
        new = rng.uniform(lower, upper)
        if kind == 0:  # smooth in joints, as fast as it comes
            block = robot.fk(at + np.linspace(0, 1, n)[:, None] * (new - at))
            at = new
        elif kind == 1:  # a jump
            block, at = still(robot.fk(new), n), new
        elif kind == 2:  # far away and back
            block = still(robot.fk(at), n)
            block[:, :3, 3] *= 1.0 + 2.0 * np.sin(rng.uniform(1, 20) * t)[:, None] ** 2
        elif kind == 3:  # spinning
            block = still(robot.fk(at), n)
            block[:, :3, :3] = turn(rng.normal(size=3), rng.uniform(-20, 20) * t) @ block[:, :3, :3]
        elif kind == 4:  # noise
            block = robot.fk(np.clip(at + rng.normal(0, rng.choice([1e-4, 1e-2, 0.5]), (n, robot.n)), lower, upper))
        else:  # holes
            block = still(robot.fk(new), n)
            block[rng.random(n) < 0.5] = np.nan
        out.append(block)
        left -= n
    return np.concatenate(out)
