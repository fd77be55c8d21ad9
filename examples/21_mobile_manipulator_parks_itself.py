"""A mobile manipulator parks itself: where must the base stand so that both hands reach? Then it drives there."""

from pathlib import Path

import numpy as np

import forearm as fa

tree = fa.Tree.from_urdf(Path(__file__).parent / "two_arms.urdf", base="planar")
down = fa.Pose([3.0, 1.2, 0.8], rpy=(0.0, -0.6, 1.0)).goal
other = fa.Position([3.1, 0.8, 0.9])

found = tree.solve({"left_hand": down, "right_hand": other})
print(found)
x, y, yaw = (found.as_dict()[f"base/{name}"] for name in ("x", "y", "yaw"))
print(f"park at x {x:.3f} m, y {y:.3f} m, heading {np.degrees(yaw):.1f} degrees")

stack = tree.stack({"left_hand": down, "right_hand": other})
servo = stack.servo(tree.body.rest, rate=50, velocity=1.0, acceleration=2.0)
q, ticks = servo(), 1
while ticks < 1000 and not (servo.met and np.abs(servo.velocity).max() < 1e-6):
    q, ticks = servo(), ticks + 1
print(f"there after {ticks / 50:.1f} s, the hand {np.linalg.norm(tree.fk(q, 'left_hand') - down):.1e} off")
