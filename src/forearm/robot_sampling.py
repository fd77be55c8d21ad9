"""Configurations drawn at random inside a robot's limits."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.errors import ModelError, OptionError
from forearm.models.model import Model

MAX_SAMPLES = 100_000_000


def draw(model: Model, count: Any, rng_seed: Any) -> NDArray[np.float64]:
    """(count, n) configurations, uniform inside the limits; turns without limits in [-pi, pi]."""
    if not (isinstance(count, (int, np.integer)) and not isinstance(count, bool) and 0 <= count <= MAX_SAMPLES):
        raise OptionError(f"count is {count!r}; it takes a whole number from 0 to {MAX_SAMPLES}")
    if not (isinstance(rng_seed, (int, np.integer)) and rng_seed >= 0):
        raise OptionError(f"rng_seed is {rng_seed!r}; it takes a whole number from 0")
    lower, upper = model.limits
    for name, kind, lo, hi in zip(model.joint_names, model.joint_kinds, lower, upper, strict=True):
        if kind == "prismatic" and not np.isfinite(hi - lo):
            raise ModelError(f"joint '{name}' slides without limits, so it cannot be sampled; pass limits for it")
    open_turn = ~np.isfinite(upper - lower)
    lower = np.where(open_turn, np.maximum(lower, -np.pi), lower)
    upper = np.where(open_turn, np.minimum(upper, np.pi), upper)
    return np.random.default_rng(rng_seed).uniform(lower, upper, (count, model.n))
