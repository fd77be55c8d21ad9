"""Loops around kernels, compiled where Numba is installed; elsewhere they run as Python, for tests, not for times."""

import os
import sys

from forearm.core.jit import CHOICE

try:
    from numba import njit
except ImportError:

    def njit(function=None, **options):
        """The function as it is."""
        return (lambda given: given) if function is None else function


__all__ = ["njit", "start_just_in_time"]


def start_just_in_time() -> None:
    """Starts a script again on kernels that Numba compiles: those that arrived compiled only Python can call."""
    if CHOICE.way == "compiled":
        os.execve(sys.executable, sys.orig_argv, os.environ | {"FOREARM_KERNELS": "jit"})
