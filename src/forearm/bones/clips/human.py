"""Limits of human joints by the names that animators give bones: rough values of healthy adults.

Ranges as textbooks of anatomy round them: they keep a pose plausible, and are no medical statement. A bone ends at the
joint that it is named after, so the elbow is the joint of the bone that ends at the hand, and the knee that of the
bone that ends at the foot. Those two are hinges; where they bend to is read from the rest pose, of which the names say
what is left, right, up and down.
"""

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from forearm.common.types import Floats
from forearm.errors import ModelError
from forearm.joints import Cone, Hinge, Joint

ELBOW, KNEE = r"hand$|wrist|hand_?\d*$", r"foot|ankle"
HINGES = {ELBOW: (1.0, 150.0), KNEE: (-1.0, 140.0)}  # forward or backward, and how far [deg]
BEYOND = 5.0  # [deg] a straight limb may be bent the other way: rest poses are rarely quite straight
# What else the name of a bone's end holds, and how far its bone swings from rest [deg].
CONES: tuple[tuple[str, float], ...] = (
    (r"toe", 40.0),
    (r"thumb|index|middle|ring|pinky|little|finger", 90.0),
    (r"fore_?arm|lower_?arm|elbow", 120.0),  # the upper arm, at the shoulder
    (r"shin|calf|lower_?leg|knee|(left|right)_?leg|[lr]_?leg", 100.0),  # the thigh, at the hip
    (r"head|neck", 45.0),
    (r"spine|chest|torso|abdomen|back", 30.0),
    (r"shoulder|clavicle|collar|upper_?arm|arm", 25.0),  # the collar bone
    (r"hip|pelvis|up_?leg|thigh", 10.0),
)
STRAIGHT = 140.0  # [deg] the cone of an elbow or a knee whose side is not known
LEFT, RIGHT = re.compile(r"left|^l[_.\- A-Z]|[_.\- ]l$"), re.compile(r"right|^r[_.\- A-Z]|[_.\- ]r$")
HIGH, LOW = re.compile(r"head|neck|spine|chest"), re.compile(r"foot|toe|ankle|knee|leg")
ALONG = 0.1  # a bend whose direction is this near to the bone (sine) is none


def human(bones: Mapping[str, tuple[str | None, Any]], base: Floats) -> dict[str, Joint]:
    """A joint for each bone whose name is a human one's, as `Skeleton(joints=)` takes them; others are left out.

    Args:
        bones: As for `Skeleton`.
        base: (3,) where its root bones start.
    """
    ahead = forward(bones)
    found = {name: joint for name in bones if (joint := joint_of(name, bones, base, ahead)) is not None}
    if not found:
        known = "LeftHand, RightForeArm, LeftFoot, Spine, Head"
        raise ModelError(
            f"no bone has a human name, such as {known}; give joints= as a mapping from bone name to joint"
        )
    return found


def joint_of(
    name: str, bones: Mapping[str, tuple[str | None, Any]], base: Floats, ahead: Floats | None
) -> Joint | None:
    """The joint of a bone by its name; None if it is no human one's."""
    plain = name.lower()
    for pattern, (side, most) in HINGES.items():
        if re.search(pattern, plain):
            above, end = bones[name]
            along = np.asarray(end) - (base if above is None else np.asarray(bones[above][1]))
            axis = np.zeros(3) if ahead is None else np.cross(along / np.linalg.norm(along), side * ahead)
            if np.linalg.norm(axis) < ALONG:
                return Cone(math.radians(STRAIGHT))
            return Hinge(axis / np.linalg.norm(axis), (-math.radians(BEYOND), math.radians(most)))
    for pattern, swing in CONES:
        if re.search(pattern, plain):
            return Cone(math.radians(swing))
    return None


def forward(bones: Mapping[str, tuple[str | None, Any]]) -> Floats | None:
    """(3,) where the body looks in its rest pose: across what is left and what is up; None if names do not say it."""
    means = []
    for side in (LEFT, RIGHT, HIGH, LOW):
        ends = [end for name, (_, end) in bones.items() if side.search(name) or side.search(name.lower())]
        if not ends or len(ends[0]) != 3:
            return None
        means.append(np.mean(ends, axis=0))
    ahead = np.cross(means[0] - means[1], means[2] - means[3])
    size = float(np.linalg.norm(ahead))
    return ahead / size if size > 0.0 else None
