"""EAIK (Ostermeier et al.): closed forms by subproblem decomposition, in C++."""

import numpy as np

from forearm.axes import axes_of


class Eaik:
    """The same six axes as a robot of forearm's, solved by EAIK."""

    name = "EAIK"

    def __init__(self, robot):
        from eaik.IK_HP import HPRobot  # noqa: PLC0415 (a peer, may be missing)

        axes = axes_of(robot.model)
        self.back = axes.M[:3, :3].T.copy()
        offsets = np.vstack([axes.P[0], np.diff(axes.P, axis=0), axes.M[:3, 3] - axes.P[-1]])
        self.arm = HPRobot(axes.H, offsets)

    def posed(self, T):
        """A pose as EAIK counts it: with the tip's frame along the base's at zero."""
        pose = np.array(T, order="F")
        pose[:3, :3] = T[:3, :3] @ self.back
        return pose

    def solve_all(self, T):
        """(k, 6) joint values of every branch it gives, right or wrong, limits left aside."""
        return np.array(self.arm.IK(self.posed(T)).Q).reshape(-1, 6)
