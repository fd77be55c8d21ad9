"""The general solver's problem as two arrays, in the order in which `core/general.py` opens them.

Handing an array to compiled code costs Python about 0.05 us, and the kernels' usual eleven are more
than a control loop wants to pay. The first array holds all that is small and may change from call
to call (settings, terms, limits) before what belongs to the robot; the second its seed table.
"""

import numpy as np
from numpy.typing import NDArray

from forearm.core.codes import TERMS
from forearm.core.general import HEAD, SETTINGS, solve_packed
from forearm.core.many import solve_packed_many
from forearm.model import Model
from forearm.options import GeneralOptions
from forearm.targets import default_terms

Floats = NDArray[np.float64]


def pack_problem(model: Model, kind: int, chain: Floats, facts: Floats) -> Floats:
    """The flat array of a robot and a kind of target, with default settings and terms."""
    head = np.array([model.m, kind], dtype=np.float64)
    settings = GeneralOptions().pack(0.0)
    parts = (head, settings, default_terms(), model.limits, model.links, model.joints, chain, facts)
    return np.concatenate([part.ravel() for part in parts])


def pack_table(keys: NDArray[np.float32], entries: Floats) -> Floats:
    """The flat array of a seed table: its entries, then its keys, two to a number."""
    return np.concatenate([entries.ravel(), keys.ravel().view(np.float64)])


def solve_general(
    links: Floats,
    joints: Floats,
    limits: Floats,
    goal: Floats,
    kind: int,
    terms: Floats,
    q0: Floats,
    settings: Floats,
    problem: Floats,
    table: Floats,
    chain: Floats,
    facts: Floats,
    q_out: Floats,
    report_out: Floats,
) -> int:
    """The general solver called as every kernel is; `links`, `joints` and `kind` are in `problem`."""
    changed = problem.copy()
    changed[HEAD : HEAD + SETTINGS] = settings
    changed[HEAD + SETTINGS : HEAD + SETTINGS + TERMS] = terms
    changed[HEAD + SETTINGS + TERMS : HEAD + SETTINGS + TERMS + limits.size] = limits.ravel()
    code: int = solve_packed(changed, table, goal, q0, q_out, report_out)
    return code


def solve_general_many(
    links: Floats,
    joints: Floats,
    limits: Floats,
    goals: Floats,
    kind: int,
    terms: Floats,
    starts: Floats,
    settings: Floats,
    problem: Floats,
    table: Floats,
    chain: Floats,
    facts: Floats,
    q_out: Floats,
    report_out: Floats,
    codes_out: NDArray[np.int8],
) -> None:
    """The general solver for many targets, called as every `batch` kernel is (`registry.py`)."""
    changed = problem.copy()
    changed[HEAD : HEAD + SETTINGS] = settings[:SETTINGS]
    solve_packed_many(changed, table, limits, goals, terms, starts, q_out, report_out, codes_out)
