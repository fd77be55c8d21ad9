"""Peers as servos: one quadratic program a tick, each on one plain setting with all bounds that it has.

A class has a `name`, takes a robot of forearm's, its start, the rate and both bounds, raises ImportError where it is
not installed, and gives the next joint values for a target. placo needs older libraries than the others are held at,
so it wants an environment of its own: `pip install placo mink pin-pink daqp .` without the constraints file.
"""

import contextlib

import numpy as np

from peers.chain import TIP, finite_limits, mjcf, urdf, urdf_file

COST = 1.0  # of position and of rotation
DAMPING = 1e-6
SOLVER = "daqp"  # of pink and mink; quadprog takes about as long, piqp, proxqp and osqp longer


class Pink:
    """pink with its limits of configuration, velocity and acceleration."""

    name = "pink"

    def __init__(self, robot, q0, rate, velocity, acceleration):
        import pink  # noqa: PLC0415 (a peer, may be missing)
        import pinocchio  # noqa: PLC0415
        from pink.limits import AccelerationLimit, ConfigurationLimit, VelocityLimit  # noqa: PLC0415

        self.pink, self.pin, self.dt = pink, pinocchio, 1.0 / rate
        self.model = pinocchio.buildModelFromXML(urdf(robot))
        self.model.velocityLimit = np.array(velocity)
        self.bound = AccelerationLimit(self.model, np.array(acceleration))
        self.limits = [ConfigurationLimit(self.model), VelocityLimit(self.model), self.bound]
        self.task = pink.FrameTask(TIP, position_cost=COST, orientation_cost=COST, lm_damping=DAMPING)
        self.here = pink.Configuration(self.model, self.model.createData(), np.array(q0))

    def __call__(self, T):
        """(n,) the next joint values."""
        self.task.set_target(self.pin.SE3(T[:3, :3], T[:3, 3]))
        how = {"solver": SOLVER, "limits": self.limits, "safety_break": False}
        try:
            v = self.pink.solve_ik(self.here, [self.task], self.dt, **how)
        except self.pink.PinkError:
            v = np.zeros(self.model.nv)
        self.bound.set_last_integration(v, self.dt)
        self.here.integrate_inplace(v, self.dt)
        return self.here.q.copy()


class Mink:
    """mink with its limits of configuration and velocity; it has none of acceleration."""

    name = "mink"

    def __init__(self, robot, q0, rate, velocity, acceleration):
        import mink  # noqa: PLC0415 (a peer, may be missing)
        import mujoco  # noqa: PLC0415

        self.mink, self.dt = mink, 1.0 / rate
        model = mujoco.MjModel.from_xml_string(mjcf(robot))
        self.here = mink.Configuration(model, np.array(q0))
        fastest = {f"joint{k}": float(v) for k, v in enumerate(velocity)}
        self.limits = [mink.ConfigurationLimit(model), mink.VelocityLimit(model, fastest)]
        self.task = mink.FrameTask(TIP, "site", position_cost=COST, orientation_cost=COST, lm_damping=DAMPING)

    def __call__(self, T):
        """(n,) the next joint values."""
        self.task.set_target(self.mink.SE3.from_matrix(T))
        try:
            v = self.mink.solve_ik(self.here, [self.task], self.dt, solver=SOLVER, limits=self.limits)
        except self.mink.NoSolutionFound:
            v = np.zeros(self.here.model.nv)
        self.here.integrate_inplace(v, self.dt)
        return self.here.q.copy()


class Placo:
    """placo with its limits of joints and velocity."""

    name = "placo"

    def __init__(self, robot, q0, rate, velocity, acceleration):
        import placo  # noqa: PLC0415 (a peer, may be missing)

        self.robot = placo.RobotWrapper(str(urdf_file(robot)), placo.Flags.ignore_collisions)
        self.names = [f"joint{k}" for k in range(robot.n)]
        for name, value, fastest in zip(self.names, q0, velocity, strict=True):
            self.robot.set_joint(name, float(value))
            self.robot.set_velocity_limit(name, float(fastest))
        self.robot.update_kinematics()
        self.solver = placo.KinematicsSolver(self.robot)
        self.solver.mask_fbase(True)
        self.solver.dt = 1.0 / rate
        self.solver.enable_joint_limits(True)
        self.solver.enable_velocity_limits(True)
        self.task = self.solver.add_frame_task(TIP, np.array(robot.fk(q0)))
        self.task.configure(TIP, "soft", COST, COST)
        self.bounds = finite_limits(robot)

    def __call__(self, T):
        """(n,) the next joint values."""
        self.task.T_world_frame = T
        with contextlib.suppress(RuntimeError):
            self.solver.solve(True)
        self.robot.update_kinematics()
        return np.array([self.robot.get_joint(name) for name in self.names])


PEERS = {peer.name: peer for peer in (Pink, Mink, Placo)}


def drivers(robot, q0, rate, servo, asked):
    """Name and function of each driver, forearm's servo and those peers asked for that load; why the others do not."""
    out, missing = [("forearm", servo)], []
    for name in asked:
        try:
            peer = PEERS[name](robot, q0, rate, servo.velocity_limits, servo.acceleration_limits)
            out.append((name, peer))
        except ImportError as problem:  # not installed, or beside another version of what it needs
            missing.append(f"{name} ({problem})")
    return out, missing
