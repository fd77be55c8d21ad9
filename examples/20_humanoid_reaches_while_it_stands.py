"""A humanoid reaches as far as it can while it stands: feet and balance first, the hand next, the gaze last."""

from pathlib import Path

import numpy as np

import forearm as fa
from forearm.goals import CenterOfMass, Goal, LookAt, Posture

body = fa.Tree.from_urdf(Path(__file__).parent / "humanoid.urdf", base="free")
stand = {"left_knee": 0.6, "right_knee": 0.6, "left_hip_pitch": -0.3, "right_hip_pitch": -0.3}
stand |= {"left_ankle_pitch": -0.3, "right_ankle_pitch": -0.3, "left_elbow": -1.0, "right_elbow": -1.0}
feet = {foot: body.fk(stand, foot) for foot in ("left_foot", "right_foot")}
middle = 0.5 * (feet["left_foot"] + feet["right_foot"])[:2, 3]
soles = middle + np.array([[-0.05, -0.15], [0.12, -0.15], [0.12, 0.15], [-0.05, 0.15]])

for ahead in (0.4, 0.8, 1.6):
    point = [middle[0] + ahead, 0.3, -0.3]
    found = body.solve(
        [
            *(Goal(foot, T) for foot, T in feet.items()),
            CenterOfMass(support=soles, margin=0.02),
            Goal("left_hand", fa.Position(point), level=2),
            LookAt("head", point, level=3),
            Posture(stand, weight=1e-3),
        ],
        q0=stand,
    )
    centre = body.centre_of_mass(found.q, found.base)
    reached = found.errors["left_hand"]
    print(
        f"{ahead} m ahead: {found.status}, the hand is {reached.position:.3f} m off, balance at {centre[:2].round(3)}"
    )
    print(f"  {found.reason}")
