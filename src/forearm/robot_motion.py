"""Where a robot's tip is and how it moves with the joints: a part of `Robot`."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from forearm.arm.tables import Prepared
from forearm.common.checks import as_floats
from forearm.common.types import Floats
from forearm.core.arm import kinematics
from forearm.errors import OptionError
from forearm.models.model import Model, reach
from forearm.robot_sampling import draw
from forearm.solve.arm_angle import swivel_of_configuration
from forearm.solve.single import FLOAT64, neutral


class Motion:
    """Forward kinematics, Jacobians, and configurations inside the limits."""

    __slots__ = ()

    model: Model
    _prepared: Prepared

    @property
    def limits(self) -> Floats:
        """(2, n) lower and upper joint limits, read-only; infinite where there is none."""
        return self.model.limits

    @property
    def reach(self) -> float:
        """An upper bound on the distance from the first joint to the tip [m]."""
        return reach(self.model)

    @property
    def neutral(self) -> Floats:
        """(n,) the middle of the limits: where a solve starts when no q0 is given."""
        return neutral(self.model.limits)

    def fk(self, q: ArrayLike) -> Floats:
        """The pose of the tip in the base frame.

        Args:
            q: (n,) joint values, or (N, n) for a batch.

        Returns:
            (4, 4), or (N, 4, 4).
        """
        if type(q) is np.ndarray and q.dtype is FLOAT64 and q.shape == self.model.velocity.shape:  # the quick road
            model, T = self._prepared.model, np.empty((4, 4))
            if kinematics.fk_checked(model.links, model.joints, q.copy(), T):
                return T
        Q = self._configurations(q)
        poses = np.empty((*Q.shape[:-1], 4, 4))
        if Q.ndim == 1:
            kinematics.fk_tip(self._prepared.model.links, self._prepared.model.joints, Q, poses)
            return poses
        kinematics.fk_batch(self._prepared.model.links, self._prepared.model.joints, Q, poses)
        return poses

    def fk_all(self, q: ArrayLike) -> Floats:
        """(m+1, 4, 4): the frame of every moving joint's child link, then the tip."""
        frames = np.empty((self.model.m + 1, 4, 4))
        kinematics.fk_frames(self._prepared.model.links, self._prepared.model.joints, self._configuration(q), frames)
        frames[:-1] = frames[:-1] @ self.model.child_frames
        return frames

    def jacobian(self, q: ArrayLike) -> Floats:
        """(6, n) geometric Jacobian of the tip in the base frame, linear rows first."""
        J = np.empty((6, self.model.n))
        kinematics.jacobian(self._prepared.model.links, self._prepared.model.joints, self._configuration(q), J)
        return J

    def manipulability(self, q: ArrayLike, rows: str = "pose") -> float:
        """Yoshikawa's measure sqrt(det(J J^T)); 0 at a singularity.

        Args:
            q: (n,) joint values.
            rows: "pose" for all six rows, "position" for the linear, "orientation" for the angular.
        """
        parts = {"pose": slice(0, 6), "position": slice(0, 3), "orientation": slice(3, 6)}
        if not isinstance(rows, str) or rows not in parts:
            raise OptionError(f"rows is '{rows}'; there are: {', '.join(parts)}")
        return float(kinematics.manipulability(np.ascontiguousarray(self.jacobian(q)[parts[rows]])))

    def sample(self, count: int, rng_seed: int = 0) -> Floats:
        """(count, n) configurations, uniform inside the limits; turns without limits in [-pi, pi]."""
        return draw(self.model, count, rng_seed)

    def clip(self, q: ArrayLike) -> Floats:
        """(n,) the configuration moved inside the limits, joint by joint."""
        return np.clip(self._configuration(q), *self.model.limits)

    def swivel(self, q: ArrayLike) -> float:
        """The angle of the elbow about the line from shoulder to wrist [rad].

        0 where the elbow lies on the side of the first axis's direction; for arms with spherical
        shoulder and wrist only (`robot.structure`).
        """
        return swivel_of_configuration(self._prepared, self._configuration(q))

    def _configuration(self, q: Any) -> Floats:
        Q = self._configurations(q)
        if Q.ndim != 1:
            raise OptionError(
                f"q has shape {Q.shape}; this call takes one configuration of {self.model.n} joint values"
            )
        return Q

    def _configurations(self, q: ArrayLike) -> Floats:
        """(n,) or (N, n) finite joint values."""
        Q = as_floats(q, "q", OptionError)
        if Q.ndim not in (1, 2) or Q.shape[-1] != self.model.n:
            model = self.model
            names = ", ".join(model.joint_names)
            raise OptionError(f"q has shape {Q.shape}; {model.name} takes {model.n} joint values: {names}")
        return Q
