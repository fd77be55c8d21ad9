"""A 1 kHz loop: a stream of poses leaves reach and comes back; the joints keep every bound."""

import numpy as np

import forearm as fa

arm = fa.load("panda")
q0 = np.array([0.0, -0.3, 0.0, -1.8, 0.0, 1.6, 0.7])
servo = arm.servo(q0, rate=1000, acceleration=10.0, rest=q0)
T, words = arm.fk(q0), []
start = T[0, 3]

for i in range(6000):
    T[0, 3] = start + 0.5 * np.sin(np.pi * min(i / 5000, 1.0)) ** 2  # half a metre out and back: too far for a while
    q = servo(T)  # send it to the arm here; wait for the next tick
    if not words or words[-1] != servo.status:
        words.append(servo.status)
        print(f"{i / 1000:.3f} s: {servo.status} {servo.reason}")

print(f"at the end the tip is {servo.error.position:.1e} m off")
assert servo.status == "following"
assert servo.error.position < 1e-6
