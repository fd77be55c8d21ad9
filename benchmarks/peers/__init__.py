"""The other solvers that `forearm bench` measures, one small adapter each.

An adapter is a class with a `name`, a `note` on how it is called, a `version`, a constructor that
takes a robot of forearm's and raises ImportError (not installed) or `UnfitError` (cannot solve this
arm), and `solve(T, q0)`: joint values (n,), several answers (k, n) of which the judge takes the
best, or None. `solve_batch(Ts, threads)` and `read_batch(answers)` if it has a batch of its own.
"""

from importlib import import_module

ADAPTERS = {
    "eaik": ("peers.eaik", "Eaik", "eaik"),
    "rtb": ("peers.rtb", "Rtb", "roboticstoolbox-python"),
    "pytracik": ("peers.tracik", "TracIk", "pytracik"),
    "optik": ("peers.optik", "Optik", "optik-py"),
    "ssik": ("peers.ssik", "Ssik", "ssik[urdf]"),
    "placo": ("peers.placo", "Placo", "placo"),
    "pinocchio": ("peers.pinocchio_clik", "PinocchioClik", "pin"),
    "pink": ("peers.pink", "Pink", "pin-pink quadprog"),
    "mink": ("peers.mink", "Mink", "mink mujoco daqp"),
    "ikpy": ("peers.ikpy", "Ikpy", "ikpy"),
}


def adapter(key):
    """The class of a peer."""
    module, name, _ = ADAPTERS[key]
    return getattr(import_module(module), name)


def requirement(key):
    """What pip installs for a peer."""
    return ADAPTERS[key][2]
