"""Where the front of an arm is: the side of its first axis on which it reaches at home.

The first joint turns all of the arm. Where nothing else says which of the answers to take, the one is taken that
faces the target; one that is turned away from it reaches over its back.
"""

import math

import numpy as np

from forearm.arm.configurations import TURN, neutral
from forearm.arm.driving import arm_size, wide_slides
from forearm.common.types import Floats
from forearm.core.arm.kinematics import fk_tip
from forearm.core.codes import KIND, PRISMATIC, RATIO, VARIABLE
from forearm.core.general.seeds import ON_AXIS
from forearm.models.model import Model

# A tip that is nearer to the first axis than this share of the arm's reach, at home, is on no side of it.
UPRIGHT = 0.05


def front(model: Model) -> Floats:
    """(2,) where the tip is at home, with the first joint at 0, across the first axis in its frame [m].

    Without a home, in the middle of the limits. Zeros if there is no front: the tip stands upright on the axis then, or
    the first joint does not turn the arm alone.
    """
    variables = model.joints[:, VARIABLE]
    turns = model.joints[0, KIND] != PRISMATIC and model.joints[0, RATIO] == 1.0
    if not turns or (variables == variables[0]).sum() > 1 or wide_slides(model).any():
        return np.zeros(2)
    q, T = np.array(model.home if len(model.home) else neutral(model.limits)), np.empty((4, 4))
    q[int(variables[0])] = 0.0
    fk_tip(model.links, model.joints, q, T)
    place: Floats = (model.links[0, :, :3].T @ (T[:3, 3] - model.links[0, :, 3]))[:2]
    return place if np.linalg.norm(place) >= UPRIGHT * arm_size(model) else np.zeros(2)


def facing(model: Model, limits: Floats, pose: Floats) -> Floats:
    """(n,) the neutral posture within limits, turned at the first joint as `face` does it (`core/general/seeds.py`)."""
    q, (x, y), k = neutral(limits), front(model), int(model.joints[0, VARIABLE])
    px, py, _ = model.links[0, :, :3].T @ (pose[:3, 3] - model.links[0, :, 3])
    if px * px + py * py > ON_AXIS * (x * x + y * y) > 0.0:
        turn = math.atan2(x * py - y * px, x * px + y * py)
        q[k] = np.clip(turn - TURN * np.round((turn - q[k]) / TURN), *limits[:, k])
    return q
