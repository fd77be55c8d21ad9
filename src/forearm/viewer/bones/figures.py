"""Figures to look at: a chain of any number of bones, and the upper half of a body."""

import numpy as np

from forearm.chain import Chain
from forearm.errors import OptionError
from forearm.joints import Ball, Cone, Joint
from forearm.skeleton import Skeleton

LENGTH = 1.0  # of a whole chain [m]
MOST_BONES = 200  # what a page can draw thirty times a second
ARC = 1.2  # how far the first pose of a chain is bent, from base to tip [rad]


def make_chain(count: int, half_angle: float | None = None) -> Chain:
    """A chain of equal bones, bent a little; each swings in a cone of a half-angle [rad] about the upright pose."""
    if not 1 <= count <= MOST_BONES:
        raise OptionError(f"a chain of {count} bones cannot be shown; it takes 1 to {MOST_BONES}")
    upright = np.zeros((count + 1, 3))
    upright[:, 2] = np.linspace(0.0, LENGTH, count + 1)
    tilt = ARC * (np.arange(count) + 0.5) / count
    if half_angle is not None:  # the first pose must be inside its own cones
        tilt = np.minimum(tilt, 0.9 * half_angle * (np.arange(count) + 0.5))
    bones = (LENGTH / count) * np.stack([np.sin(tilt), np.zeros(count), np.cos(tilt)], axis=1)
    bent = np.vstack([np.zeros(3), np.cumsum(bones, axis=0)])
    joint: Joint = Ball() if half_angle is None else Cone(half_angle)
    return Chain(bent, joint, rest=upright)


def upper_body() -> Skeleton:
    """Spine, head and two arms on fixed hips, in metres of a grown person, with cones for limits."""
    bones: dict[str, tuple[str | None, list[float]]] = {
        "lower spine": (None, [0.0, 0.0, 0.14]),
        "spine": ("lower spine", [0.0, 0.0, 0.28]),
        "chest": ("spine", [0.0, 0.0, 0.42]),
        "neck": ("chest", [0.0, 0.0, 0.54]),
        "head": ("neck", [0.03, 0.0, 0.72]),
    }
    for side, sign in (("left", 1.0), ("right", -1.0)):
        bones |= {
            f"{side} collar": ("chest", [0.0, 0.17 * sign, 0.44]),
            f"{side} upper arm": (f"{side} collar", [0.06, 0.27 * sign, 0.18]),
            f"{side} forearm": (f"{side} upper arm", [0.30, 0.25 * sign, 0.22]),
        }
    joints: dict[str, Joint] = {name: Cone(np.radians(25.0)) for name in ("lower spine", "spine", "chest", "neck")}
    joints["head"] = Cone(np.radians(40.0))
    for side in ("left", "right"):
        joints[f"{side} collar"] = Cone(np.radians(15.0))
        joints[f"{side} forearm"] = Cone(np.radians(80.0))
    return Skeleton(bones, joints=joints)
