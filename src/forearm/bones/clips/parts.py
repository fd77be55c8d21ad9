"""What a clip is made of: joints at rest, and their motion."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from forearm.common.types import Floats
from forearm.errors import ModelError

MOST_POSES = 10_000_000  # of joints in all frames: 1.2 GB


@dataclass(frozen=True, eq=False)
class Joints:
    """Joints in a tree, as their file has them at rest."""

    names: tuple[str, ...]  # each behind the one it hangs on, none twice
    parent: NDArray[np.int64]  # (J,) -1 for roots
    offsets: Floats  # (J, 3) where each stands in the one above it
    turns: Floats  # (J, 3, 3) how it is turned against it
    sizes: Floats  # (J, 3) how it is scaled

    @property
    def local(self) -> Floats:
        """(J, 4, 4) each joint's frame in the one above it."""
        return local_frames(self.offsets, self.turns, self.sizes)


@dataclass(frozen=True, eq=False)
class Motion:
    """Joints frame by frame, each in the one above it."""

    places: Floats  # (F, J, 3)
    turns: Floats  # (F, J, 3, 3)
    scales: Floats  # (F, J, 3)

    @property
    def local(self) -> Floats:
        """(F, J, 4, 4) each joint's frame in the one above it."""
        return local_frames(self.places, self.turns, self.scales)


def check_size(joints: int, frames: int, where: str) -> None:
    """Refuses a motion that memory would not hold: a short file may ask for it."""
    if joints * frames > MOST_POSES:
        raise ModelError(
            f"{where} has {joints:,} joints in {frames:,} frames; at most {MOST_POSES:,} of both together are read: "
            "cut it into shorter clips"
        )


def local_frames(places: Floats, turns: Floats, scales: Floats) -> Floats:
    """(..., 4, 4) frames from places (..., 3), turns (..., 3, 3) and scales (..., 3)."""
    local = np.zeros((*places.shape[:-1], 4, 4))
    local[..., :3, :3] = turns * scales[..., None, :]
    local[..., :3, 3] = places
    local[..., 3, 3] = 1.0
    return local
