"""Follow a path: no jump, every point checked, and a reason where it ends."""

import numpy as np

import forearm as fa

arm = fa.load("panda")
q0 = np.array([0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.8])
home = arm.fk(q0)

# A circle of 10 cm, tool orientation kept, in 4 seconds.
angle = np.linspace(0.0, 2.0 * np.pi, 201)
circle = np.tile(home, (len(angle), 1, 1))
circle[:, 0, 3] += 0.1 * (np.cos(angle) - 1.0)
circle[:, 1, 3] += 0.1 * np.sin(angle)

track = arm.track(circle, q0, times=np.linspace(0.0, 4.0, len(angle)))
print(track)
print(f"back at the start to {np.abs(track.q[-1] - q0).max():.1e} rad")
print(f"fastest joint at {track.velocity_ratios.max():.2f} of its velocity limit")

# A line that leaves the arm's reach: the part that holds, where it ended, and why.
line = np.tile(home, (101, 1, 1))
line[:, 0, 3] += np.linspace(0.0, 0.8, 101)
part = arm.track(line, q0)
print(part)
print("last way-point reached:", part.stopped_at - 1, "at x =", line[part.stopped_at - 1, 0, 3].round(3))

# Any target will do: here points alone, the orientation left free.
points = arm.track([fa.Position(T[:3, 3]) for T in line[:40]], q0)
print(points.status, points.q.shape)
