"""Draws the picture of the servo's page from a real run: `python tools/servo_picture.py` (or `make pictures`)."""

from pathlib import Path

import numpy as np

import forearm as fa
from forearm.common.palette import BLUE, GREEN, INK, ORANGE
from forearm.plot import blank_figure

OUT = Path(__file__).parent.parent / "docs" / "pictures" / "servo-reach.png"
RATE = 100.0


def main() -> None:
    """A Panda's target leaves reach and comes back: where target and tip are, and how hard joints accelerate."""
    arm = fa.load("panda")
    q0 = np.array([0.0, -0.3, 0.0, -1.8, 0.0, 1.6, 0.7])
    servo, T = arm.servo(q0, RATE), arm.fk(q0)
    t = np.arange(int(8 * RATE)) / RATE
    asked = T[0, 3] + 0.6 * np.sin(np.pi * np.clip(t / 6, 0, 1)) ** 2
    tip, speed, follows = np.empty(len(t)), np.empty((len(t), arm.n)), np.empty(len(t), bool)
    for i, x in enumerate(asked):
        T[0, 3] = x
        tip[i] = arm.fk(servo(T))[0, 3]
        speed[i], follows[i] = servo.velocity, servo.status == "following"
    hard = np.abs(np.diff(speed, axis=0, prepend=0.0)).max(axis=1) * RATE
    figure = blank_figure(9.0, 4.6)
    place, push = figure.subplots(2, 1, sharex=True)
    place.plot(t, asked, color=ORANGE, label="target")
    place.plot(t, tip, color=BLUE, label="tip")
    place.fill_between(t, *place.get_ylim(), where=follows, color=GREEN, alpha=0.12, label="following")
    place.set(ylabel="x [m]", title="A target leaves reach and comes back")
    place.legend(loc="upper right")
    push.plot(t, hard, color=BLUE)
    push.axhline(10.0, color=INK, linestyle="--", linewidth=1.0)
    push.set(xlabel="time [s]", ylabel="hardest joint [rad/s²]")
    figure.savefig(OUT, dpi=110)
    print(OUT)


if __name__ == "__main__":
    main()
