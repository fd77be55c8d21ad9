"""Pinocchio: the closed-loop inverse kinematics of its documentation, with limits and restarts."""

from importlib.metadata import version

import numpy as np

from peers.chain import TIP, finite_limits, urdf
from peers.restarts import STEPS, Starts, arrived

DAMPING = 1e-6  # as in its documentation's example (1e-12 there diverges at limits)


class PinocchioClik:
    """The same chain, read from a URDF."""

    name = "pinocchio CLIK"
    note = "damped steps, clamped to the limits, 10 restarts"

    def __init__(self, robot):
        import pinocchio  # noqa: PLC0415 (a peer, may be missing)

        self.pin, self.version = pinocchio, version("pin")
        self.model = pinocchio.buildModelFromXML(urdf(robot))
        self.data, self.frame = self.model.createData(), self.model.getFrameId(TIP)
        self.limits = finite_limits(robot)
        self.starts = Starts(self.limits)

    def solve(self, T, q0):
        """(n,) joint values, right or wrong."""
        goal = self.pin.SE3(T[:3, :3], T[:3, 3])
        return self.starts.until_arrived(q0, lambda q: self.descend(goal, q))

    def descend(self, goal, q):
        """One try: where it ended, and whether it arrived."""
        pin, model, data = self.pin, self.model, self.data
        for _ in range(STEPS):
            pin.framesForwardKinematics(model, data, q)
            error = pin.log6(data.oMf[self.frame].actInv(goal)).vector
            if arrived(error):
                return q, True
            J = pin.computeFrameJacobian(model, data, q, self.frame, pin.LOCAL)
            step = J.T @ np.linalg.solve(J @ J.T + DAMPING * np.eye(6), error)
            q = np.clip(pin.integrate(model, q, step), *self.limits)
        return q, False
