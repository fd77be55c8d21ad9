"""Where an arm's tip is, and how it moves with the joints."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from forearm.arm.configurations import as_configuration, as_configurations, hint_at_units, is_plain
from forearm.common.types import Floats
from forearm.core.arm import kinematics
from forearm.errors import OptionError
from forearm.models.cut import place_of
from forearm.models.model import Model

# The rows of a Jacobian that a measure looks at.
PARTS = {"pose": slice(0, 6), "position": slice(0, 3), "orientation": slice(3, 6)}


def tip_pose(model: Model, q: ArrayLike | Mapping[str, float]) -> Floats:
    """(4, 4) the pose of the tip at (n,) joint values, or (N, 4, 4) at (N, n)."""
    if is_plain(q, model.velocity.shape):  # the usual case in a loop: checked by the kernel itself
        T = np.empty((4, 4))
        if kinematics.fk_checked(model.links, model.joints, q.copy(), T):  # type: ignore[union-attr]
            return T
    Q = as_configurations(q, model)
    hint_at_units(Q, model, "q")
    poses = np.empty((*Q.shape[:-1], 4, 4))
    of_one_or_many = kinematics.fk_tip if Q.ndim == 1 else kinematics.fk_batch
    of_one_or_many(model.links, model.joints, Q, poses)
    return poses


def link_pose(model: Model, q: Any, link: str) -> Floats:
    """(4, 4) or (N, 4, 4) the pose of a link or site of the robot's file in the base frame."""
    frame, pose = place_of(model, link)
    Q = as_configurations(q, model)
    hint_at_units(Q, model, "q")
    found = np.empty((*Q.shape[:-1], 4, 4))
    frames = np.empty((model.m + 1, 4, 4))
    for row, T in zip(np.atleast_2d(Q), found.reshape(-1, 4, 4), strict=True):
        kinematics.fk_frames(model.links, model.joints, row.copy(), frames)
        T[:] = pose if frame < 0 else frames[frame] @ pose
    return found


def link_frames(model: Model, q: ArrayLike) -> Floats:
    """(m+1, 4, 4) the frame of every moving joint's child link, then the tip."""
    frames = np.empty((model.m + 1, 4, 4))
    kinematics.fk_frames(model.links, model.joints, as_configuration(q, model, "q"), frames)
    frames[:-1] = frames[:-1] @ model.child_frames
    return frames


def jacobian(model: Model, q: ArrayLike) -> Floats:
    """(6, n) geometric Jacobian of the tip in the base frame, linear rows first."""
    J, frames = np.empty((6, model.n)), np.empty((model.m + 1, 4, 4))
    kinematics.jacobian(model.links, model.joints, as_configuration(q, model, "q"), frames, J)
    return J


def manipulability(model: Model, q: ArrayLike, rows: Any) -> float:
    """Yoshikawa's measure sqrt(det(J J^T)) of some rows."""
    if not isinstance(rows, str) or rows not in PARTS:
        raise OptionError(f"rows is '{rows}'; there are: {', '.join(PARTS)}")
    J = np.ascontiguousarray(jacobian(model, q)[PARTS[rows]])
    return float(kinematics.manipulability(J, np.empty(J.size)))
