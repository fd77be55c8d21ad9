"""IKPy: scipy's least squares on a symbolic chain."""

from importlib.metadata import version

import numpy as np

from peers.chain import BASE, urdf_file


class Ikpy:
    """The same chain, read from a URDF."""

    name = "ikpy"
    note = "orientation_mode='all'"

    def __init__(self, robot):
        from ikpy.chain import Chain  # noqa: PLC0415 (a peer, may be missing)

        self.version = version("ikpy")
        mask = [False, *[True] * robot.n, False]
        self.chain = Chain.from_urdf_file(str(urdf_file(robot)), base_elements=[BASE], active_links_mask=mask)

    def solve(self, T, q0):
        """(n,) joint values, right or wrong."""
        start = np.array([0.0, *q0, 0.0])
        return self.chain.inverse_kinematics_frame(T, initial_position=start, orientation_mode="all")[1:-1]
