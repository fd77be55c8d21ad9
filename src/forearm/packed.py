"""A problem as two arrays, in the order in which the kernels open them.

Handing an array to compiled code costs Python about 0.05 us, and the kernels' usual eleven are more
than a control loop wants to pay. The first array holds all that is small and may change from call
to call (settings, terms, limits) before what belongs to the robot; the second its seed table
(`core/general.py`), or its closed form (`core/closed_form/plan.py`).
"""

import numpy as np
from numpy.typing import NDArray

from forearm.core.closed_form.plan import NEARNESS
from forearm.core.closed_form.solve import solve_form
from forearm.core.codes import TERMS
from forearm.core.general import HEAD, MAX_ITERATIONS, MAX_TRIES, RNG_SEED, SETTINGS, SKIP_TRIES, solve_packed
from forearm.model import Model
from forearm.options import GeneralOptions
from forearm.targets import default_terms

Floats = NDArray[np.float64]

# places in the settings of `auto`: the general solver's, then the norm of the closed forms
NORM = SETTINGS
PLACES = (MAX_TRIES, MAX_ITERATIONS, RNG_SEED, SKIP_TRIES, NORM)


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
    code: int = solve_packed(changed(problem, settings, terms, limits), table, goal, q0, q_out, report_out)
    return code


def changed(problem: Floats, settings: Floats, terms: Floats, limits: Floats) -> Floats:
    """A copy of a problem with other settings, terms and limits."""
    new: Floats = problem.copy()
    new[HEAD : HEAD + SETTINGS] = settings[:SETTINGS]
    new[HEAD + SETTINGS : HEAD + SETTINGS + TERMS] = terms
    new[HEAD + SETTINGS + TERMS : HEAD + SETTINGS + TERMS + limits.size] = limits.ravel()
    return new


def pack_form(plan: Floats, back: Floats, lines: Floats) -> Floats:
    """The flat array of a closed form."""
    return np.concatenate([plan, back.ravel(), lines.ravel()])


def solve_closed_form(
    links: Floats,
    joints: Floats,
    limits: Floats,
    goal: Floats,
    kind: int,
    terms: Floats,
    q0: Floats,
    settings: Floats,
    problem: Floats,
    form: Floats,
    q_out: Floats,
    report_out: Floats,
) -> int:
    """The closed forms called as every kernel is; the last of the settings is the norm."""
    near: Floats = form.copy()
    near[NEARNESS] = settings[-1]
    code: int = solve_form(changed(problem, NO_SETTINGS, terms, limits), near, goal, q0, q_out, report_out)
    return code


NO_SETTINGS: Floats = np.zeros(SETTINGS)  # the closed forms read none of the general solver's
