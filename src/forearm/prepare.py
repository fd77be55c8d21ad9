"""How methods prepare a robot: kernels' tables made from the packed arrays, once."""

from typing import Any

import numpy as np

from forearm.combined_tables import combined_tables
from forearm.core.compact import CHAIN_COLUMNS, compact
from forearm.core.seeds import ENTRIES, FACTS, KEYS, PLACE, build_seeds
from forearm.fabrik_r_steps import step_table
from forearm.model import Model


def prepare_general(model: Model, kind: int) -> tuple[Any, ...]:
    """The compact chain and the seed table, its entries sorted by their first key.

    Returns:
        chain (m+1, 12), keys (14, 2048) float32, entries (2048, n + 9), facts (5,).
    """
    chain = np.zeros((model.m + 1, CHAIN_COLUMNS))
    compact(model.links, model.joints, chain)
    keys = np.empty((KEYS, ENTRIES), np.float32)
    entries = np.empty((ENTRIES, model.n + 9))
    facts = np.empty(FACTS)
    build_seeds(model.links, model.joints, model.limits, kind, keys, entries, facts)
    order = np.argsort(keys[PLACE], kind="stable")
    return chain, np.ascontiguousarray(keys[:, order]), np.ascontiguousarray(entries[order]), facts


def prepare_fabrik_r(model: Model, kind: int) -> tuple[Any, ...]:
    """The step table of the sweeps, and what the refinement needs.

    Returns:
        steps (3, n+1, 8), chain (m+1, 12), facts (5,).
    """
    chain, _, _, facts = prepare_general(model, kind)
    return step_table(model), chain, facts


def prepare_combined(model: Model, kind: int) -> tuple[Any, ...]:
    """The reduction to two links; see `combined_tables`."""
    return combined_tables(model)
