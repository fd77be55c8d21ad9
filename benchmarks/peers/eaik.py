"""EAIK: closed forms by subproblems. It gives all branches, knows no limits and chooses none."""

from importlib.metadata import version

import numpy as np

from peers.chain import UnfitError, axes


class Eaik:
    """The same axes as a robot of forearm's; of seven joints the third is held where the start has it."""

    name = "EAIK"
    note = "all branches, no limits, no choice of branch"

    def __init__(self, robot):
        from eaik.IK_Robot import IKRobot  # noqa: PLC0415 (a peer, may be missing)
        from eaik.pybindings import EAIK  # noqa: PLC0415

        self.version = version("eaik")
        self.axes, self.core, self.shell = axes(robot), EAIK.Robot, IKRobot
        if robot.n not in (6, 7):
            raise UnfitError(f"it takes six joints, and seven with one held; {robot.name} has {robot.n}")
        self.held = 2 if robot.n == 7 else None
        self.value = None
        self.hold(robot.neutral)
        if not self.arm.hasKnownDecomposition():
            raise UnfitError(f"no closed form for this arm: {self.arm.getKinematicFamily()}")
        if self.held is not None:
            self.note = "joint 3 held at the start's value; all branches, no limits"

    def hold(self, q0):
        """Makes the robot anew where the held joint stands elsewhere."""
        value = None if self.held is None else float(q0[self.held])
        if value == self.value and hasattr(self, "arm"):
            return
        H, P, R = self.axes
        fixed = [] if self.held is None else [(self.held, value)]
        self.value, self.arm = value, self.shell()
        self.arm._robot = self.core(H.T, P.T, R, fixed, True)

    def solve(self, T, q0):
        """(k, n) all branches."""
        if self.held is not None:
            self.hold(q0)
        return self.arm.IK(T).Q

    def solve_all(self, T):
        """(k, n) all branches, of arms with six joints."""
        return np.array(self.arm.IK(T).Q).reshape(-1, len(self.axes[0]))

    def solve_batch(self, Ts, threads):
        """A list of all branches of each pose."""
        return self.arm.IK_batched(Ts, threads)

    @staticmethod
    def read_batch(answers):
        """The branches of each pose as arrays; not timed."""
        return [np.asarray(answer.Q) for answer in answers]
