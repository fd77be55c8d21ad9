"""mink: differential inverse kinematics on MuJoCo, one quadratic program a call, in a loop with restarts."""

from importlib.metadata import version

import numpy as np

from peers.chain import TIP, finite_limits, mjcf
from peers.restarts import STEPS, Starts, arrived


class Mink:
    """The same chain as a MuJoCo model."""

    name = "mink"
    note = "loop of QP steps, 10 restarts"

    def __init__(self, robot):
        import mink  # noqa: PLC0415 (a peer, may be missing)
        import mujoco  # noqa: PLC0415

        self.mink, self.version = mink, version("mink")
        self.configuration = mink.Configuration(mujoco.MjModel.from_xml_string(mjcf(robot)))
        self.task = mink.FrameTask(TIP, "site", position_cost=1.0, orientation_cost=1.0, lm_damping=1e-6)
        self.limits = finite_limits(robot)
        self.starts = Starts(self.limits)

    def solve(self, T, q0):
        """(n,) joint values, right or wrong."""
        self.task.set_target(self.mink.SE3.from_matrix(T))
        return self.starts.until_arrived(q0, self.descend)

    def descend(self, q):
        """One try: where it ended, and whether it arrived."""
        here = self.configuration
        here.update(q)
        for _ in range(STEPS):
            if arrived(self.task.compute_error(here)):
                return here.q.copy(), True
            try:
                step = self.mink.solve_ik(here, [self.task], 1.0, solver="daqp")
            except self.mink.NoSolutionFound:
                break
            here.update(np.clip(here.q + step, *self.limits))
        return here.q.copy(), False
