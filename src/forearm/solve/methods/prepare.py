"""How methods prepare a robot: kernels' tables made from the packed arrays, once."""

from typing import TYPE_CHECKING

import numpy as np

from forearm.arm.axes import axes_of
from forearm.arm.branches.front import front
from forearm.arm.driving import driving
from forearm.arm.structure import Kind
from forearm.arm.tables import Prepared
from forearm.common.later import Later
from forearm.common.types import Floats
from forearm.core.arm.problem import DRIVEN, FACTS, FRONT, UP
from forearm.core.closed_form.forms import plan as places
from forearm.core.codes import LIMIT_SLACK
from forearm.core.general.fold import PLACE, measure_chain
from forearm.core.general.table import ENTRIES, KEYS, build_seeds, table_size
from forearm.models.model import reach
from forearm.solve.methods.layout import NO_SETTINGS, NO_TABLE, pack_problem
from forearm.solve.methods.options import ClosedFormOptions, GeneralOptions

if TYPE_CHECKING:
    from forearm.solve.methods import combined_tables, fabrik_r_tables
else:
    combined_tables = Later("forearm.solve.methods.combined_tables")
    fabrik_r_tables = Later("forearm.solve.methods.fabrik_r_tables")

Tables = tuple[Floats, ...]


def prepare_general(arm: Prepared, kind: int, count: int = ENTRIES) -> Tables:
    """The problem, and the seed table as `core/general/table.py` opens it: its entries sorted by their first key."""
    model, settings, base = arm.model, GeneralOptions().pack(0.0), driving(arm.model)
    keys, entries, facts = np.empty((KEYS, count), np.float32), np.empty((count, model.n + 9)), np.zeros(FACTS)
    facts[DRIVEN], facts[UP:FRONT], facts[FRONT:] = base.drives, base.up, front(model)
    build_seeds(model.links, model.joints, base.still, kind, np.empty(model.n + 40), keys, entries, facts)
    order = np.argsort(keys[PLACE], kind="stable")
    table = np.zeros(table_size(count, model.n))
    table[: entries.size] = entries[order].ravel()
    table[entries.size :].view(np.float32)[: keys.size] = keys[:, order].ravel()
    return pack_problem(model, kind, settings, facts, base.marks), table


def prepare_closed_form(arm: Prepared, kind: int) -> Tables:
    """The problem, and the form of a recognised structure (`core/closed_form/forms/plan.py`)."""
    model, found, facts = arm.model, arm.structure, np.zeros(FACTS)
    axes = axes_of(model)
    plan = np.zeros(places.PLAN)
    plan[places.CLASS], plan[places.CASE], plan[places.REVERSED] = CLASSES[found.inner], found.case, found.reversed
    plan[places.HELD], plan[places.REACH] = -1, reach(model)
    # a rounded arm's own answer may lie inside a limit that its neighbour's exceeds; polishing decides
    plan[places.SLACK] = LIMIT_SLACK if found.gap < LIMIT_SLACK else ROUNDED_SLACK
    if found.locked is not None:
        plan[places.HELD] = found.locked
        plan[places.HELD_LINE :] = *axes.H[found.locked], *axes.P[found.locked]
    lines = np.column_stack([found.H, found.P, found.order])
    back = np.asarray(np.linalg.inv(axes.M), np.float64)
    if plan[places.CLASS] != places.PLANE:  # whose two branches are its elbow's sides: neither is behind it
        facts[FRONT:] = front(model)
    settings = ClosedFormOptions().pack(0.0)
    return pack_problem(model, kind, settings, facts), np.concatenate([plan, back.ravel(), lines.ravel()])


# The class of kernels for each kind of structure.
CLASSES = {
    Kind.UR: places.THREE_PARALLEL,
    Kind.WRIST: places.WRIST,
    Kind.SRS: places.SHOULDER_AND_WRIST,
    Kind.PLANAR: places.PLANE,
    Kind.SCARA: places.PLANE,
}
# How far outside a limit the form of a rounded arm may put a joint before it is polished [rad].
ROUNDED_SLACK = 1e-3


def prepare_fabrik_r(arm: Prepared, kind: int) -> Tables:
    """The problem with the facts of the general solver, which refines, and the step table of the sweeps."""
    model, facts = arm.model, np.zeros(FACTS)
    measure_chain(model.links, model.joints, driving(model).still, kind, facts)
    return pack_problem(model, kind, NO_SETTINGS, facts), fabrik_r_tables.step_table(model).ravel()


def prepare_combined(arm: Prepared, kind: int) -> Tables:
    """The problem, and the reduction to two links, flat as `core/combined/codes.py` describes it."""
    lines, back, facts, links, joints = combined_tables.combined_tables(arm)
    table = np.concatenate([part.ravel() for part in (facts, back, lines, links, joints)])
    return pack_problem(arm.model, kind, NO_SETTINGS), table


def prepare_plain(arm: Prepared, kind: int) -> Tables:
    """The problem of a method that needs no table."""
    return pack_problem(arm.model, kind, NO_SETTINGS), NO_TABLE
