"""Slides that carry an arm about: a driving base, a gantry, a linear axis as long as a hall.

Their ranges say nothing of the size of the arm: files give a base that drives limits of a million metres, or none. So
they are left out of what errors are measured by, no start is sampled along them, and every start is driven to its
target first (`core/general/drive.py`); what is left is a target as large as the arm.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from forearm.common.types import Floats
from forearm.core.arm.compact import SLIDING, TURNING
from forearm.core.arm.kinematics import fk_frames
from forearm.core.codes import KIND, PRISMATIC, RATIO, VARIABLE
from forearm.models.model import Model, reach

# A slide is wide if it goes farther than this many times what all links are long.
WIDE = 2.0
SPANNED = 1e-6  # a direction that no wide slide moves along by more than this share is not theirs


class Driving(NamedTuple):
    """What the wide slides of a model mean for its solver."""

    marks: Floats  # (m,) what each joint is to them (`core/arm/compact.py`)
    still: Floats  # (2, n) the limits with wide slides standing as near to 0 as they may
    up: Floats  # (3,) the one direction in the first joint's frame that they do not move along; 0 if there is not one

    @property
    def drives(self) -> bool:
        """Whether there are any."""
        return bool((self.marks == SLIDING).any())


def wide_slides(model: Model) -> NDArray[np.bool_]:
    """(m,) which moving joints slide farther than the arm is large."""
    length = float(np.linalg.norm(model.links[1:, :, 3], axis=1).sum())
    slides, variables = model.joints[:, KIND] == PRISMATIC, model.joints[:, VARIABLE].astype(int)
    farthest = np.abs(model.joints[:, RATIO]) * np.abs(model.limits).max(axis=0)[variables]
    found: NDArray[np.bool_] = slides & (farthest > WIDE * length) & (length > 0.0)
    return found


def driving(model: Model) -> Driving:
    """What the wide slides of a model mean for its solver."""
    wide, variables = wide_slides(model), model.joints[:, VARIABLE].astype(int)
    marks, still = np.zeros(model.m), np.array(model.limits)
    marks[wide] = SLIDING
    carried = set(variables[wide].tolist())
    last = int(np.flatnonzero(wide)[-1]) if wide.any() else 0
    for i in range(last):
        alone = model.joints[i, RATIO] == 1.0 and (variables == variables[i]).sum() == 1
        if model.joints[i, KIND] != PRISMATIC and alone:
            marks[i] = TURNING
    for k in carried:
        still[:, k] = np.clip(0.0, *model.limits[:, k])
    return Driving(marks, still, _not_spanned(model, marks, still))


def arm_size(model: Model) -> float:
    """The reach of a model without its wide slides [m]: what errors and weights are measured by."""
    wide = wide_slides(model)
    if not wide.any():
        return reach(model)
    return reach(replace(model, limits=driving(model).still))


def _not_spanned(model: Model, marks: Floats, still: Floats) -> Floats:
    """(3,) the unit vector that wide slides never move along, in the first joint's frame; 0 if there is not one."""
    if not (marks == SLIDING).any():
        return np.zeros(3)
    frames, axes = np.empty((model.m + 1, 4, 4)), []
    for turn in range(4):  # turned a few ways, as nothing special
        q = np.clip(np.sin(1.0 + turn + 2.0 * np.arange(model.n)), *still)
        fk_frames(model.links, model.joints, q, frames)
        axes += [frames[i, :3, 2] for i in np.flatnonzero(marks == SLIDING)]
    _, felt, directions = np.linalg.svd(np.array(axes) @ model.links[0, :, :3])
    felt = np.concatenate([felt, np.zeros(3 - len(felt))])
    spanned = int((felt > SPANNED * felt[0]).sum())
    return np.ascontiguousarray(directions[2]) if spanned == 2 else np.zeros(3)
