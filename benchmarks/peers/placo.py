"""placo: whole-body inverse kinematics as a quadratic program in C++, one step a call, with restarts."""

from importlib.metadata import version

import numpy as np

from peers.chain import TIP, finite_limits, urdf_file
from peers.restarts import STEPS, Starts

FLOATING = 7  # numbers of its floating base before the joints
ARRIVED = 1e-7  # [m] and [rad] of its task's errors


class Placo:
    """The same chain, read from a URDF."""

    name = "placo"
    note = "loop of QP steps, 10 restarts"

    def __init__(self, robot):
        import placo  # noqa: PLC0415 (a peer, may be missing)

        self.version = version("placo")
        self.robot = placo.RobotWrapper(str(urdf_file(robot)), placo.Flags.ignore_collisions)
        self.solver = placo.KinematicsSolver(self.robot)
        self.solver.mask_fbase(True)
        self.solver.enable_joint_limits(True)
        self.task = self.solver.add_frame_task(TIP, np.eye(4))
        self.task.configure(TIP, "soft", 1.0, 1.0)
        self.starts = Starts(finite_limits(robot))

    def solve(self, T, q0):
        """(n,) joint values, right or wrong."""
        self.task.T_world_frame = T
        return self.starts.until_arrived(q0, self.descend)

    def descend(self, q):
        """One try: where it ended, and whether it arrived."""
        robot, solver = self.robot, self.solver
        state = robot.state.q
        state[FLOATING:] = q
        robot.state.q = state
        robot.update_kinematics()
        position, orientation = self.task.position(), self.task.orientation()
        for _ in range(STEPS):
            try:
                solver.solve(True)
            except RuntimeError:
                break
            robot.update_kinematics()
            if position.error_norm() < ARRIVED and orientation.error_norm() < ARRIVED:
                return robot.state.q[FLOATING:].copy(), True
        return robot.state.q[FLOATING:].copy(), False
