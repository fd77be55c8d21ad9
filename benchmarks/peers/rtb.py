"""Robotics Toolbox for Python: its C++ Levenberg-Marquardt with Chan's damping (`ETS.ik_LM`)."""

import numpy as np

RESIDUAL = 1e-13  # half the squared error at which it stops: within 1e-6 m and 1e-6 rad


class Rtb:
    """The same chain as a robot of forearm's, solved by the toolbox."""

    name = "RTB ik_LM (Chan)"

    def __init__(self, robot):
        import roboticstoolbox as rtb  # noqa: PLC0415 (a peer, may be missing)

        self.version = rtb.__version__
        links = np.concatenate([robot.model.links, np.tile([0.0, 0.0, 0.0, 1.0], (robot.n + 1, 1, 1))], axis=1)
        chain = rtb.ET.SE3(links[0])
        for k, kind in enumerate(robot.model.joint_kinds):
            limits = [max(robot.limits[0, k], -np.pi), min(robot.limits[1, k], np.pi)]
            limits = robot.limits[:, k].tolist() if np.isfinite(robot.limits[:, k]).all() else limits
            joint = rtb.ET.tz(qlim=limits) if kind == "prismatic" else rtb.ET.Rz(qlim=limits)
            chain = chain * joint * rtb.ET.SE3(links[k + 1])
        self.chain = rtb.ETS(chain)

    def solve(self, T, q0):
        """Joint values for a pose, right or wrong."""
        return self.chain.ik_LM(T, q0=q0, tol=RESIDUAL, joint_limits=True, method="chan").q
