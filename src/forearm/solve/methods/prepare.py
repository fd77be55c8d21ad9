"""How methods prepare a robot: kernels' tables made from the packed arrays, once."""

from typing import Any

import numpy as np

from forearm.arm.axes import axes_of
from forearm.arm.structure import Kind
from forearm.arm.tables import Prepared
from forearm.core.arm.compact import CHAIN_COLUMNS, compact
from forearm.core.closed_form.forms.plan import (
    CASE,
    CLASS,
    HELD,
    HELD_LINE,
    NEARNESS,
    PLAN,
    PLANE,
    REVERSED,
    SHOULDER_AND_WRIST,
    SLACK,
    THREE_PARALLEL,
    WRIST,
)
from forearm.core.closed_form.forms.plan import REACH as LENGTH
from forearm.core.codes import LIMIT_SLACK
from forearm.core.general.seeds import ENTRIES, FACTS, KEYS, PLACE, build_seeds
from forearm.models.model import Model, reach
from forearm.solve.methods.closed_form import pack_form
from forearm.solve.methods.combined_tables import combined_tables
from forearm.solve.methods.fabrik_r_tables import step_table
from forearm.solve.methods.layout import pack_problem, pack_table


def prepare_general(arm: Prepared, kind: int) -> tuple[Any, ...]:
    """The problem and the seed table, packed; and what the null-space polish needs of them.

    Returns:
        problem, table, chain (m+1, 12), facts (5,).
    """
    chain, keys, entries, facts = seed_table(arm.model, kind)
    return pack_problem(arm.model, kind, chain, facts), pack_table(keys, entries), chain, facts


def seed_table(model: Model, kind: int) -> tuple[Any, ...]:
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


def prepare_closed_form(arm: Prepared, kind: int) -> tuple[Any, ...]:
    """What the closed form of a recognised structure is made of; the registry refuses arms without one.

    Returns:
        problem, form; see `core/closed_form/forms/plan.py`.
    """
    model, found = arm.model, arm.structure
    axes = axes_of(model)
    plan = np.zeros(PLAN)
    plan[CLASS], plan[CASE], plan[REVERSED] = CLASSES[found.inner], found.case, found.reversed
    plan[HELD], plan[LENGTH], plan[NEARNESS] = -1, reach(model), np.inf
    # a rounded arm's own answer may lie inside a limit that its neighbour's exceeds; polishing decides
    plan[SLACK] = LIMIT_SLACK if found.gap < LIMIT_SLACK else ROUNDED_SLACK
    if found.locked is not None:
        plan[HELD] = found.locked
        plan[HELD_LINE : HELD_LINE + 3], plan[HELD_LINE + 3 :] = axes.H[found.locked], axes.P[found.locked]
    lines = np.column_stack([found.H, found.P, found.order])
    chain = np.zeros((model.m + 1, CHAIN_COLUMNS))
    compact(model.links, model.joints, chain)
    problem = pack_problem(model, kind, chain, np.zeros(FACTS))
    back = np.asarray(np.linalg.inv(axes.M), np.float64)
    return problem, pack_form(plan, back, lines)


# The class of kernels for each kind of structure.
CLASSES = {
    Kind.UR: THREE_PARALLEL,
    Kind.WRIST: WRIST,
    Kind.SRS: SHOULDER_AND_WRIST,
    Kind.PLANAR: PLANE,
    Kind.SCARA: PLANE,
}
# How far outside a limit the form of a rounded arm may put a joint before it is polished [rad].
ROUNDED_SLACK = 1e-3


def prepare_fabrik_r(arm: Prepared, kind: int) -> tuple[Any, ...]:
    """The step table of the sweeps, and what the refinement needs.

    Returns:
        steps (3, n+1, 8), chain (m+1, 12), facts (5,).
    """
    chain, _, _, facts = seed_table(arm.model, kind)
    return step_table(arm.model), chain, facts


def prepare_combined(arm: Prepared, kind: int) -> tuple[Any, ...]:
    """The reduction to two links; see `combined_tables`."""
    return combined_tables(arm)
