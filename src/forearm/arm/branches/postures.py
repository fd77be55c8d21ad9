"""Postures by name: shoulder left or right, elbow up or down, wrist flipped or not; sheets where an arm has none of it.

The determinant of a six-joint arm's Jacobian is a product of three factors where axes 2 and 3 are parallel and the
wrist's axes meet, or axes 2, 3, 4 are parallel: each vanishes where two branches merge, and its sign tells them apart
(Lee and Ziegler 1984 for the Puma). So a name changes only through a singular posture, and stays along a track that
meets none. On other arms the sign of the determinant numbers two sheets; several answers may lie on one.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from forearm.arm.structure import PARALLEL_23, Kind, Structure
from forearm.common.types import Floats
from forearm.core.arm import kinematics
from forearm.models.model import Model

SHOULDER = ("shoulder left", "shoulder right")
ELBOW = ("elbow down", "elbow up")
WRIST = ("wrist flip", "wrist no flip")
SHEET = ("sheet 1", "sheet 2")
UPRIGHT = 1e-6  # sine of the angle between axes 1 and 2 above which there is a left and a right


@dataclass(frozen=True, eq=False)
class Postures:
    """What the postures of an arm are called."""

    model: Model
    structure: Structure

    @cached_property
    def words(self) -> tuple[tuple[str, str], ...]:
        """The pairs of names a configuration has one of each; none for arms that have no six joints."""
        if self.model.n != 6 or self.model.m != 6:
            return ()
        if self._named:
            return SHOULDER, ELBOW, WRIST
        return (SHEET, WRIST) if self._has_wrist else (SHEET,)

    def name(self, q: Floats) -> str:
        """The names of a configuration, as `shoulder right, elbow up, wrist no flip`."""
        if not self.words:
            return ""
        J, frames = np.empty((6, 6)), np.empty((7, 4, 4))
        kinematics.jacobian(self.model.links, self.model.joints, np.array(q, dtype=float), frames, J)
        z, p = J[3:].T, frames[:6, :3, 3]
        if self._from_tip:
            z, p = -z[self._order], p[self._order]
        wrist = float(np.cross(z[3], z[5]) @ z[4])
        if not self._named:
            arm = float(np.linalg.det(J)) * (wrist if self._has_wrist else 1.0)
            signs = [arm, wrist]
        else:
            k = 3 if self._has_wrist else 4  # the joint that carries the wrist's point
            w = frames[self._order[k], :3, :3] @ self._carried + p[k]
            shoulder = float((w - p[0]) @ np.cross(z[0], z[1]))
            far = w if self._has_wrist else p[3]
            elbow = float(z[1] @ np.cross(p[2] - p[1], far - p[2]))
            signs = [shoulder, -shoulder * elbow, wrist]
        return ", ".join(pair[int(sign > 0.0)] for pair, sign in zip(self.words, signs, strict=False))

    @cached_property
    def _from_tip(self) -> bool:
        """Whether the arm stands on its tip: a chain that runs up has the words of the one that runs down."""
        return self.structure.reversed and len(self.structure.order) == 6

    @cached_property
    def _order(self) -> list[int]:
        """The joints from where the arm stands."""
        return list(self.structure.order) if self._from_tip else list(range(6))

    @cached_property
    def _has_wrist(self) -> bool:
        """Whether the last three axes meet in a point."""
        return self.structure.kind is Kind.WRIST

    @cached_property
    def _named(self) -> bool:
        """Whether the determinant has the three factors."""
        found = self.structure
        named = found.kind is Kind.UR or (self._has_wrist and found.case == PARALLEL_23)
        return named and float(np.linalg.norm(np.cross(found.H[0], found.H[1]))) > UPRIGHT

    @cached_property
    def _carried(self) -> Floats:
        """(3,) the wrist's point, seen from the joint that carries it."""
        k, frames = 3 if self._has_wrist else 4, np.empty((7, 4, 4))
        kinematics.fk_frames(self.model.links, self.model.joints, np.zeros(6), frames)
        frame = frames[self._order[k]]
        away: Floats = frame[:3, :3].T @ (self.structure.P[k] - frame[:3, 3])
        return away
