"""Loops over many targets of one chain or skeleton, each solved exactly as a call of its own is.

What all targets share (a start) comes as one row, else as one each.
"""

from forearm.core.bones.codes import MAX_TRIES
from forearm.core.bones.fabrik_free import solve_fabrik_free
from forearm.core.bones.solve import solve_bones
from forearm.core.jit import kernel


@kernel
def solve_free_many(length, starts, targets, tolerances, settings, P_out, report_out, codes_out):
    """Points (N, 3) for a chain without limits; starts (N or 1, n+1, 3)."""
    for i in range(targets.shape[0]):
        start = starts[i if starts.shape[0] > 1 else 0]
        codes_out[i] = solve_fabrik_free(length, start, targets[i], tolerances[i], settings, P_out[i], report_out[i])


@kernel
def solve_bones_many(
    parent, length, joints, starts, values, wants, settings, once, pole, q_out, P_out, report_out, codes_out
):
    """Wants (N, K, 23) of a tree with limits; starts (N or 1, n+1, 3) and values (N or 1, n, 3).

    Where `once` (N,) is true, no start but the first can help: the target is beyond the reach.
    """
    own = settings.copy()
    for i in range(wants.shape[0]):
        k = i if starts.shape[0] > 1 else 0
        own[MAX_TRIES] = 1.0 if once[i] else settings[MAX_TRIES]
        tree, answer = (parent, length, joints, starts[k, 0], values[k]), (q_out[i], P_out[i], report_out[i])
        codes_out[i] = solve_bones(*tree, wants[i], own, pole, *answer)
