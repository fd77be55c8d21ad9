"""QP solvers that servo: one quadratic program a tick, with the same bounds as far as each has them.

One untuned setting each: a task for the tip at cost 1 and the gain of a dead beat, a little damping, joint limits,
velocity limits; pink with its limit on accelerations, mink has none. A peer that is not installed is left out.
"""

from importlib.metadata import version

import numpy as np

from peers.chain import TIP, finite_limits, mjcf, urdf

DAMPING = 1e-6


class Pink:
    """pink: limits on configuration, velocity and acceleration."""

    name = "pink"

    def __init__(self, robot, q0, rate, velocity, acceleration):
        import pink  # noqa: PLC0415 (a peer, may be missing)
        import pinocchio  # noqa: PLC0415
        from pink.limits import AccelerationLimit, ConfigurationLimit, VelocityLimit  # noqa: PLC0415

        self.pink, self.pin, self.version, self.dt = pink, pinocchio, version("pin-pink"), 1.0 / rate
        self.model = pinocchio.buildModelFromXML(urdf(robot))
        self.model.velocityLimit = np.array(velocity)
        self.configuration = pink.Configuration(self.model, self.model.createData(), np.array(q0))
        self.task = pink.FrameTask(TIP, position_cost=1.0, orientation_cost=0.2 * robot.reach, lm_damping=DAMPING)
        self.fast = AccelerationLimit(self.model, np.array(acceleration))
        self.limits = [ConfigurationLimit(self.model), VelocityLimit(self.model), self.fast]
        self.held = 0

    def __call__(self, T):
        """One tick; where no program is solved, the arm stays."""
        self.task.set_target(self.pin.SE3(T[:3, :3], T[:3, 3]))
        try:
            v = self.pink.solve_ik(
                self.configuration, [self.task], self.dt, solver="quadprog", limits=self.limits, safety_break=False
            )
        except self.pink.PinkError:
            v, self.held = np.zeros(self.model.nv), self.held + 1
        self.fast.set_last_integration(v, self.dt)
        self.configuration.integrate_inplace(v, self.dt)
        return self.configuration.q.copy()


class Mink:
    """mink: limits on configuration and velocity."""

    name = "mink"

    def __init__(self, robot, q0, rate, velocity, acceleration):
        import mink  # noqa: PLC0415 (a peer, may be missing)
        import mujoco  # noqa: PLC0415

        self.mink, self.version, self.dt = mink, version("mink"), 1.0 / rate
        model = mujoco.MjModel.from_xml_string(mjcf(robot))
        self.configuration = mink.Configuration(model)
        self.configuration.update(np.array(q0))
        self.task = mink.FrameTask(
            TIP, "site", position_cost=1.0, orientation_cost=0.2 * robot.reach, lm_damping=DAMPING
        )
        names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, k) for k in range(model.njnt)]
        fast = mink.VelocityLimit(model, dict(zip(names, map(float, velocity), strict=True)))
        self.limits, self.range = [mink.ConfigurationLimit(model), fast], finite_limits(robot)
        self.held = 0

    def __call__(self, T):
        """One tick; where no program is solved, the arm stays."""
        self.task.set_target(self.mink.SE3.from_matrix(T))
        try:
            v = self.mink.solve_ik(self.configuration, [self.task], self.dt, solver="daqp", limits=self.limits)
        except self.mink.NoSolutionFound:
            v, self.held = np.zeros(self.configuration.model.nv), self.held + 1
        self.configuration.integrate_inplace(v, self.dt)
        return self.configuration.q.copy()


PEERS = (Pink, Mink)
