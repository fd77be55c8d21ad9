"""The cones of joints in the page: how far each bone may swing, seen from where it starts."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.bones.tree import Bones
from forearm.common.transforms import from_quaternion
from forearm.common.types import Floats
from forearm.core.bones.codes import BALL, HALF_Y, HALF_Z, KIND, REST
from forearm.viewer.shared.nodes import add_copies
from forearm.viewer.shared.rotations import z_onto
from forearm.viewer.shared.shapes import cone
from forearm.viewer.shared.theme import GHOST

CONE_PER_BONE = 0.5  # how far a cone is drawn, per metre of bone
CONE_PER_THICKNESS = 5.0  # and at least this many radii of a bone, so that it looks out of it


def cone_angles(bones: Bones) -> Floats:
    """(n,) the half-angle of each joint's cone [rad]; NaN where it has none, or one that is not round."""
    half = bones.joints[:, HALF_Y]
    is_round = (bones.joints[:, KIND] == BALL) & np.isfinite(half) & (half == bones.joints[:, HALF_Z])
    angles: Floats = np.where(is_round & (half < np.pi), half, np.nan)
    return angles


def socket_axes(bones: Bones, frames: Floats) -> Floats:
    """(n, 3) where each bone points when its joint is at rest, at (n, 3, 3) frames of all bones."""
    rest = bones.joints[:, [REST, REST + 3, REST + 6]]  # x of the rest frame, in the parent's frame
    before = np.concatenate([frames, np.eye(3)[None]])[bones.parent]  # -1 is the base
    axes: Floats = np.einsum("nij,nj->ni", before, rest)
    return axes


class ConesScene:
    """The cones of a figure whose bones have a radius [m], one drawing per angle."""

    def __init__(self, host: Any, bones: Bones, thickness: float) -> None:
        self.root = host.scene.add_frame("/cones", show_axes=False)
        self.bones = bones
        angles = cone_angles(bones)
        sizes = np.maximum(CONE_PER_BONE * bones.length, CONE_PER_THICKNESS * thickness)
        look = {"opacity": 0.22, "side": "double", "cast_shadow": False, "receive_shadow": False}
        self.groups: list[tuple[NDArray[np.int64], Any]] = []
        self._sizes = sizes
        for number, angle in enumerate(np.unique(angles[np.isfinite(angles)])):
            rows = np.flatnonzero(angles == angle)
            copies = add_copies(host, f"/cones/{number}", cone(float(angle)), sizes[rows], GHOST, **look)
            self.groups.append((rows, copies))

    def extent(self) -> Floats:
        """(k, 3) points of the rims of all cones."""
        found = [np.empty((0, 3))]
        for rows, drawing in self.groups:
            for row, place, wxyz in zip(rows, drawing.batched_positions, drawing.batched_wxyzs, strict=True):
                rim = cone(float(cone_angles(self.bones)[row]))[0]
                found.append(place + self._sizes[row] * rim @ from_quaternion(*wxyz)[:3, :3].T)
        return np.concatenate(found)

    def show(self, points: Floats, frames: Floats) -> None:
        """Moves the cones to (n+1, 3) points and (n, 3, 3) frames of the bones."""
        starts, axes = points[self.bones.parent + 1], socket_axes(self.bones, frames)
        for rows, drawing in self.groups:
            drawing.batched_positions = starts[rows].astype(np.float32)
            drawing.batched_wxyzs = z_onto(axes[rows]).astype(np.float32)
