"""Half turns of the hand from random postures: does the servo arrive, how far does the tip swing, and need it?

python benchmarks/servo_turns.py                              # 60 half turns on each of five arms
python benchmarks/servo_turns.py --robots panda --count 20 --rate 1000

Each target is where the tip is, turned by half a turn about a random axis, and stands. A judge of its own (numpy, the
Jacobian by differences) turns the hand slowly about the tip, to either side, inside the limits: where one side can be
had, the tip need not leave its place at all, so any swing is the servo's own.
"""

import argparse

import numpy as np

import servo_streams as streams
from cases import independent_fk
from servo import ARMS, arm_of, drive

STEPS = 240  # of the judge's slow turn
SECONDS = 6.0  # that a servo is given
HAIR = 1e-6  # of differences [rad or m]
ARRIVED, STAYED = 1e-6, 1e-3  # how far off the tip may be at the end, and on the judge's way [m]
LARGE = 0.1  # swings that are listed [m]


def errors(arm, q, T):
    """(..., 6) how far the tip is off a pose: position [m] and the rotation's sine [rad]."""
    P = independent_fk(arm, np.atleast_2d(q))
    turn = P[:, :3, :3] @ T[:3, :3].T
    spin = 0.5 * np.stack(
        [turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0], turn[:, 1, 0] - turn[:, 0, 1]], 1
    )
    return np.hstack([P[:, :3, 3] - T[:3, 3], spin])


def turns_slowly(arm, q, T, axis, side):
    """Whether the hand can turn about the tip to a side by half a turn, no joint outside its limits."""
    for angle in np.linspace(0.0, side * np.pi, STEPS + 1)[1:]:
        aim = T.copy()
        aim[:3, :3] = T[:3, :3] @ streams.turn(np.array(axis), np.array(angle))
        for _ in range(3):
            e = errors(arm, np.vstack([q, q + HAIR * np.eye(arm.n)]), aim)
            J = (e[1:] - e[0]).T / HAIR
            q = np.clip(q - J.T @ np.linalg.solve(J @ J.T + 1e-8 * np.eye(6), e[0]), *arm.limits)
        if np.abs(errors(arm, q, aim)).max() > STAYED:
            return False
    return True


def measure(name, count, rate, seed):
    """A line for an arm, and one for each large swing."""
    arm, rng = arm_of(name), np.random.default_rng(seed)
    lower, upper = np.maximum(arm.limits[0], -np.pi), np.minimum(arm.limits[1], np.pi)
    swings, arrived, needless, cases = [], [], [], []
    for i in range(count):
        q0 = lower + (upper - lower) * rng.uniform(0.15, 0.85, arm.n)
        T, axis = independent_fk(arm, q0[None])[0], rng.normal(size=3)
        target = T.copy()
        target[:3, :3] = T[:3, :3] @ streams.turn(axis, np.array(np.pi))
        servo = arm.servo(q0, rate)
        Q = drive(servo, streams.still(target, int(SECONDS * rate)))
        away = np.linalg.norm(independent_fk(arm, Q)[:, :3, 3] - T[:3, 3], axis=1)
        came = np.abs(errors(arm, Q[-1], target)).max() < ARRIVED
        still = [side for side in (1.0, -1.0) if turns_slowly(arm, q0, T, axis, side)]
        swings.append(away.max())
        arrived.append(came)
        needless.append(bool(still))
        if away.max() > LARGE and still:
            cases.append(f"    turn {i}: the tip swings {1e3 * away.max():.0f} mm, and need not")
    swings, arrived, needless = np.array(swings), np.array(arrived), np.array(needless)
    mine, rest = swings[needless & arrived], swings[~needless & arrived]
    print(
        f"{name:8s}{arrived.sum()} of {count} half turns met; the tip need not move in {needless.sum()}, of these "
        f"{(arrived & needless).sum()} met, swing median {tell(mine, 50)}, largest {tell(mine, 100)} mm; of the other "
        f"{(~needless).sum()}, {(arrived & ~needless).sum()} met, swing median {tell(rest, 50)}, largest "
        f"{tell(rest, 100)} mm",
        *cases,
        sep="\n",
        flush=True,
    )


def tell(swings, percent):
    """A percentile in millimetres, or none."""
    return f"{1e3 * np.percentile(swings, percent):.0f}" if len(swings) else "-"


def main():
    """Every arm."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--robots", nargs="*", default=(*ARMS, "irb120"))
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--rate", type=int, default=250)
    parser.add_argument("--seed", type=int, default=11)
    asked = parser.parse_args()
    for name in asked.robots:
        measure(name, asked.count, asked.rate, asked.seed)


if __name__ == "__main__":
    main()
