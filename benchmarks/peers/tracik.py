"""TRAC-IK by pytracik: KDL's pseudoinverse and SQP side by side, within a time limit."""

from importlib.metadata import version

from peers.chain import BASE, TIP, urdf_file

TIMEOUT = 0.005  # [s], its own default
EPSILON = 5e-7  # on each component, so that the norms keep 1e-6


class TracIk:
    """The same chain, read from a URDF."""

    name = "TRAC-IK (pytracik)"
    note = "5 ms time limit, Speed"

    def __init__(self, robot):
        from trac_ik import TracIK  # noqa: PLC0415 (a peer, may be missing)

        self.version = version("pytracik")
        self.solver = TracIK(BASE, TIP, str(urdf_file(robot)), TIMEOUT, EPSILON, "Speed")

    def solve(self, T, q0):
        """(n,) joint values, or None."""
        return self.solver.ik(T[:3, 3], T[:3, :3], q0)
