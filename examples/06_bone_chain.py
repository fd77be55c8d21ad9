"""A bone chain: reach a point, keep joint limits, point the elbow, animate, and say why not."""

import math

import numpy as np

import forearm as fa
from forearm.joints import Ball, Cone, Hinge

arm = fa.Chain([[0, 0, 0], [0.3, 0, 0], [0.55, 0, 0], [0.65, 0, 0]])  # base, elbow, wrist, tip
print(arm.solve([0.3, 0.3, 0.2]))  # ball joints: every way

limited = fa.Chain(
    arm.points,
    [
        Cone(1.4, twist=(-1.0, 1.0)),  # shoulder: 80 degrees every way
        Hinge((0, 0, 1), (0.0, 2.4)),  # elbow: bends one way
        Cone((0.9, 0.3), toward=(0, 1, 0)),  # wrist: more toward y than across
    ],
)
pose = limited.solve([0.3, 0.3, 0.2])
print(pose.status, pose.points.round(3).tolist())

raised = arm.solve([0.4, 0.1, 0.0], pole=[0.2, 0.0, 1.0])  # the elbow points up
print("elbow at", raised.points[1].round(3))

grip = arm.solve(fa.Pose([0.3, 0.2, 0.1], rpy=(0.0, 0.0, math.pi / 2)))  # x of the last bone's frame is the bone
print("last bone points along", grip.frames[-1][:, 0].round(3))

pose, longest = None, 0.0
for angle in np.linspace(0.0, 2.0 * math.pi, 240):  # each frame goes on from the last: no jumps
    target = [0.35 + 0.2 * math.cos(angle), 0.2 * math.sin(angle), 0.1]
    before, pose = pose, arm.solve(target, start=pose)
    if before is not None:
        longest = max(longest, np.linalg.norm(pose.points - before.points, axis=1).max())
print(f"largest move of a joint in a frame: {longest:.4f} m")

print(arm.solve([2.0, 0.0, 0.0]).reason)
print(limited.solve([-0.3, 0.1, 0.0]).reason)

leg = fa.Chain([[0, 0], [0, -0.4], [0, -0.8]], [Ball(), Hinge(range=(-2.4, 0.0))])  # in a plane
print(leg.solve([0.2, -0.6]).points.round(3).tolist())
