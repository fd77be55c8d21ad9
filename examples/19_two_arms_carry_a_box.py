"""Two arms carry a box along a curve: one hand leads, the other keeps its place on the box, the head looks at it."""

from pathlib import Path

import numpy as np

import forearm as fa
from forearm.goals import Goal, LookAt, Relative

tree = fa.Tree.from_urdf(Path(__file__).parent / "two_arms.urdf")
q0 = {"left_elbow": -1.4, "right_elbow": -1.4, "left_shoulder_pitch": -0.3, "right_shoulder_pitch": -0.3}

left, right = tree.fk(q0, "left_hand"), tree.fk(q0, "right_hand")
across = np.linalg.inv(left) @ right  # the right hand on the box, seen from the left one

stack = tree.stack(
    [
        Goal("left_hand", left),
        Relative("right_hand", "left_hand", across),
        LookAt("head", 0.5 * (left + right)[:3, 3], level=2),  # only with what carrying leaves free
    ]
)
path = np.repeat(left[None], 60, axis=0)
path[:, 2, 3] += 0.1 * np.sin(np.linspace(0.0, np.pi, 60))  # up and down again
path[:, 1, 3] += 0.05 * np.sin(np.linspace(0.0, 2 * np.pi, 60))
track = stack.track({"left_hand": path}, q0=q0, max_joint_step=0.15)
print(track.reason)

gaps = [np.linalg.inv(tree.fk(q, "left_hand")) @ tree.fk(q, "right_hand") - across for q in track.q]
print(f"the hands keep their places on the box to {max(np.abs(gap).max() for gap in gaps):.1e}")
