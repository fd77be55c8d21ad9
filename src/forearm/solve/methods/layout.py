"""A problem as two arrays, in the order in which the kernels open them.

Handing an array to compiled code costs Python about 0.05 us, and the kernels' usual eleven are more
than a control loop wants to pay. The first array holds all that is small and may change from call
to call (settings, terms, limits) before what belongs to the robot; the second its seed table
(`core/general/solve.py`), or its closed form (`solve/methods/closed_form.py`).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from forearm.common.types import Floats
from forearm.core.codes import TERMS
from forearm.core.general.many import solve_packed_many
from forearm.core.general.solve import (
    HEAD,
    MAX_ITERATIONS,
    MAX_TRIES,
    RNG_SEED,
    SETTINGS,
    SKIP_TRIES,
    solve_packed,
    workspace,
)
from forearm.models.model import Model
from forearm.solve.methods.options import GeneralOptions
from forearm.targets.target import default_terms

# places in the settings of `auto`: the general solver's, then the norm of the closed forms
NORM = SETTINGS
NO_SETTINGS: Floats = np.zeros(SETTINGS)  # the closed forms read none of the general solver's
PLACES = (MAX_TRIES, MAX_ITERATIONS, RNG_SEED, SKIP_TRIES, NORM)


class Packed(NamedTuple):
    """A method's kernels as they take two tables, target, q0, scratch and outputs, all else being in the tables.

    Attributes:
        kernel: The one to ask first.
        polished: The one to ask where that says INEXACT.
        size: How many numbers of scratch both take, of the numbers of joints and of variables.
    """

    kernel: Callable[..., int]
    polished: Callable[..., int]
    size: Callable[[int, int], int]


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
    work = np.empty(workspace(len(joints), limits.shape[1]))
    code: int = solve_packed(changed(problem, settings, terms, limits), table, goal, q0, work, q_out, report_out)
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
    """The general solver for many targets, called as every `batch` kernel is (`solve/methods/table.py`)."""
    own = problem.copy()
    own[HEAD : HEAD + SETTINGS] = settings[:SETTINGS]
    work = np.empty(workspace(len(joints), limits.shape[2]))  # nothing in it outlives a goal
    solve_packed_many(own, table, limits, goals, terms, starts, work, q_out, report_out, codes_out)


def general_kernels(table: Floats) -> Packed:
    """The kernel that takes a seed table; there is none to ask behind it."""
    return Packed(solve_packed, solve_packed, workspace)


def changed(problem: Floats, settings: Floats, terms: Floats, limits: Floats) -> Floats:
    """A copy of a problem with other settings, terms and limits."""
    new: Floats = problem.copy()
    new[HEAD : HEAD + SETTINGS] = settings[:SETTINGS]
    new[HEAD + SETTINGS : HEAD + SETTINGS + TERMS] = terms
    new[HEAD + SETTINGS + TERMS : HEAD + SETTINGS + TERMS + limits.size] = limits.ravel()
    return new
