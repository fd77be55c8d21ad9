"""A chain posed on a smooth curve, then among obstacles, frame by frame, and where it cannot pass."""

import numpy as np

import forearm as fa

trunk = fa.Chain([[0, 0], [0, 1], [0, 2], [0, 3], [0, 4], [0, 5]])  # (n+1, 3) points for a chain in space

pose = trunk.solve([2.0, 2.0], method="bezier")
print(pose.how, pose.points.round(3).tolist())

walls = [fa.Sphere([1.2, 0.8], 0.6), fa.Capsule([-2.5, 1.2], [-0.4, 1.8], 0.3), fa.Box([1.0, 3.6], [1.2, 0.4], 0.3)]
pose = trunk.solve([2.0, 2.0], method="bezier", obstacles=walls, clearance=0.05, thickness=0.08)
print(pose.status, pose.how, f"clearance {pose.clearance:.3f} m: link {pose.link} from obstacle {pose.obstacle}")

pose = trunk.solve([3.0, -2.0], method="bezier", obstacles=walls[:1], clearance=0.05)
for angle in np.linspace(-0.6, 1.8, 200):  # a target dragged round: each frame goes on from the last
    target = [3.6 * np.cos(angle), 3.6 * np.sin(angle)]
    pose = trunk.solve(target, method="bezier", obstacles=walls[:1], clearance=0.05, start=pose)
    if pose.jump:
        print(f"at {angle:.2f} rad:", pose.jump)

inside = trunk.solve([1.2, 1.0], method="bezier", obstacles=walls)
print(inside.status, "-", inside.reason)
