"""A body walks its hand along a shelf: poles for its elbows, a gaze, an obstacle, and no jump from frame to frame."""

import numpy as np

import forearm as fa
from forearm.joints import Cone

BONES = {
    "spine": (None, [0, 0, 1.5]),
    "head": ("spine", [0, 0, 1.75]),
    "upper_l": ("spine", [0.35, 0, 1.5]),
    "fore_l": ("upper_l", [0.65, 0, 1.5]),
    "upper_r": ("spine", [-0.35, 0, 1.5]),
    "fore_r": ("upper_r", [-0.65, 0, 1.5]),
}
LIMITS = {"spine": Cone(0.5, twist=(-0.4, 0.4)), "head": Cone(1.2, twist=(-1.2, 1.2)), "upper_l": Cone(1.8)}
body = fa.Skeleton(BONES, base=[0, 0, 1], joints=LIMITS)

t = np.linspace(0.0, 1.0, 60)
hand = np.stack([0.45 - 0.5 * t, np.full(60, 0.4), 1.35 + 0.1 * np.sin(np.pi * t)], axis=1)
track = body.track(
    {"fore_l": hand, "fore_r": np.tile([-0.45, 0.2, 1.1], (60, 1))},
    weights={"fore_l": 2.0},  # counts only where not both can be had
    pole={"fore_l": [0.5, -1.0, 0.5], "fore_r": [-1.5, -0.5, 1.0]},  # elbows point back and down
    look_at={"head": (hand, [0, 1, 0])},  # its face, which is ahead at rest
    obstacles={"lamp": fa.Sphere([0.15, 0.15, 1.2], 0.1)},
    thickness=0.04,
)
print(track.reason)
print(f"no bone turns by more than {track.turned.max():.3f} rad in a frame; jumps: {list(track.jumps)}")
print(f"clear of the lamp by {track.clearance.min() * 1e3:.0f} mm at least")

far = body.solve({"fore_l": [0.9, 0.3, 1.5]}, stretch=0.5)
names = zip(body.bone_names, far.stretch, strict=True)
print("stretched:", {name: round(float(factor), 3) for name, factor in names if factor > 1.0})
