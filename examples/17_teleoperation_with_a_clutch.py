"""Teleoperation: the arm follows a hand while a clutch is pressed, and stays where it is while it is not."""

import numpy as np

import forearm as fa

arm = fa.load("ur5")
servo = arm.servo([0.3, -1.2, 1.5, -0.4, 1.0, 0.2], rate=500)
rng = np.random.default_rng(0)


def hand(t: float) -> np.ndarray:
    """Where the hand is, as a tracker tells it: a slow motion and a millimetre of noise."""
    return np.array([0.1 * np.sin(t), 0.1 * np.sin(2 * t), 0.05 * t]) + rng.normal(0.0, 0.001, 3)


def is_pressed(t: float) -> bool:
    """Whether the clutch is pressed: let go for a second in the middle."""
    return not 1.0 < t < 2.0


grip = None  # the hand and the tip when the clutch was pressed
for i in range(1500):
    t = i / 500
    if not is_pressed(t):
        grip = None
        q = servo(None)  # the arm stays; the hand may go anywhere
        continue
    if grip is None:
        grip = hand(t), arm.fk(servo.q)
    T = grip[1].copy()
    T[:3, 3] += hand(t) - grip[0]  # the tip moves as the hand does since then
    q = servo(T)
    if i % 250 == 0:
        print(f"{t:.1f} s: {servo.status}, tip at {arm.fk(q)[:3, 3].round(3)}")

servo.stop()
while np.abs(servo.velocity).max() > 0.0:
    q = servo()
print("stopped:", servo.reason)
