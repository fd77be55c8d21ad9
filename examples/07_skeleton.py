"""A skeleton: several tips at once, weights when they disagree, a base that follows."""

import forearm as fa
from forearm.joints import Cone, Hinge

BONES = {  # name: (the bone it hangs on, its end)
    "spine": (None, [0, 0, 1.3]),
    "chest": ("spine", [0, 0, 1.5]),
    "head": ("chest", [0, 0, 1.8]),
    "upper_arm_l": ("chest", [0.4, 0, 1.5]),
    "forearm_l": ("upper_arm_l", [0.7, 0, 1.5]),
    "upper_arm_r": ("chest", [-0.4, 0, 1.5]),
    "forearm_r": ("upper_arm_r", [-0.7, 0, 1.5]),
}
JOINTS = {
    "spine": Cone(0.4, twist=(-0.6, 0.6)),
    "chest": Cone(0.3, twist=(-0.3, 0.3)),
    "forearm_l": Hinge((0, 0, 1), (0.0, 2.5)),
    "forearm_r": Hinge((0, 0, -1), (0.0, 2.5)),
}

body = fa.Skeleton(BONES, base=[0, 0, 1.0], joints=JOINTS)
print(body)
pose = body.solve({"forearm_l": [0.4, 0.4, 1.4], "forearm_r": [-0.3, 0.5, 1.3]}, tolerance=1e-3)
print(pose)
print("left hand at", pose["forearm_l"].round(3), "- head at", pose["head"].round(3))

apart = {"forearm_l": [0.9, 0.0, 1.6], "forearm_r": [-0.9, 0.0, 1.6]}  # farther apart than the arms are long
for weight in (1.0, 20.0):
    pose = body.solve(apart, weights={"forearm_l": weight})
    print(f"weight {weight:>4}: left hand misses by {abs(pose['forearm_l'] - apart['forearm_l']).max():.3f} m")
print(pose.reason)

walker = fa.Skeleton(BONES, base=[0, 0, 1.0], free_base=True)
print("base follows to", walker.solve({"forearm_l": [2.0, 0.5, 1.4]}, tolerance=1e-3).points[0].round(2))
