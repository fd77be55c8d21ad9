"""Pink: differential inverse kinematics as a quadratic program, one step a call, in a loop with restarts."""

from importlib.metadata import version

import numpy as np

from peers.chain import TIP, finite_limits, urdf
from peers.restarts import STEPS, Starts, arrived


class Pink:
    """The same chain, read from a URDF by Pinocchio."""

    name = "pink"
    note = "loop of QP steps, 10 restarts"

    def __init__(self, robot):
        import pink  # noqa: PLC0415 (a peer, may be missing)
        import pinocchio  # noqa: PLC0415
        import quadprog  # noqa: F401, PLC0415

        self.pink, self.pin, self.version = pink, pinocchio, version("pin-pink")
        self.model = pinocchio.buildModelFromXML(urdf(robot))
        self.data = self.model.createData()
        self.task = pink.FrameTask(TIP, position_cost=1.0, orientation_cost=1.0, lm_damping=1e-6)
        self.limits = finite_limits(robot)
        self.starts = Starts(self.limits)

    def solve(self, T, q0):
        """(n,) joint values, right or wrong."""
        self.task.set_target(self.pin.SE3(T[:3, :3], T[:3, 3]))
        return self.starts.until_arrived(q0, self.descend)

    def descend(self, q):
        """One try: where it ended, and whether it arrived."""
        configuration = self.pink.Configuration(self.model, self.data, q)
        for _ in range(STEPS):
            if arrived(self.task.compute_error(configuration)):
                return configuration.q, True
            try:
                step = self.pink.solve_ik(configuration, [self.task], 1.0, solver="quadprog", safety_break=False)
            except self.pink.PinkError:
                break
            configuration.update(np.clip(self.pin.integrate(self.model, configuration.q, step), *self.limits))
        return configuration.q, False
