"""OptIK: SLSQP with exact gradients and random restarts, in Rust."""

from importlib.metadata import version

from peers.chain import BASE, TIP, urdf_file

MAX_TIME = 0.1  # [s]; its default
COST = 1e-14  # at which it stops: within 1e-6 m and 1e-6 rad


class Optik:
    """The same chain, read from a URDF."""

    name = "optik"
    note = "speed mode, random restarts"

    def __init__(self, robot):
        import optik  # noqa: PLC0415 (a peer, may be missing)

        self.version = version("optik-py")
        self.robot = optik.Robot.from_urdf_file(str(urdf_file(robot)), BASE, TIP)
        self.config = optik.SolverConfig("speed", max_time=MAX_TIME, tol_f=COST, tol_df=-1.0, tol_dx=-1.0)

    def solve(self, T, q0):
        """(n,) joint values, or None."""
        answer = self.robot.ik(self.config, T, q0)
        return None if answer is None else answer[0]
