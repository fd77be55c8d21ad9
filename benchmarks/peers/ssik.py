"""ssik: closed forms and algebraic elimination, as code that it generates for the arm."""

import contextlib
import importlib.util
import io
from importlib.metadata import version

from peers.chain import BASE, TIP, UnfitError, urdf_file


class Ssik:
    """The same chain, read from a URDF; the branch nearest to the start."""

    name = "ssik"
    note = "generated code, seeded, one solution"

    def __init__(self, robot):
        from ssik import cli  # noqa: PLC0415 (a peer, may be missing)

        self.version = version("ssik")
        if robot.n not in (6, 7):
            raise UnfitError(f"it takes six or seven turning joints; {robot.name} has {robot.n} joints")
        source = urdf_file(robot)
        made = source.with_name("robot_ik.py")
        build = ["build", str(source), "--base", BASE, "--ee", TIP, "--out", str(made), "--no-validate"]
        with contextlib.redirect_stdout(io.StringIO()):
            if cli.main(build) != 0:
                raise UnfitError("it could not generate code for this arm")
        spec = importlib.util.spec_from_file_location(f"ssik_{robot.name.replace('-', '_')}", made)
        self.arm = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.arm)

    def solve(self, T, q0):
        """(n,) joint values, or None."""
        answers = self.arm.solve(T, q_seed=q0, max_solutions=1)
        return answers[0].q if answers else None
