"""Following paths of several tips: each way-point from the last answer, in a box that no joint may leave."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from forearm.common.checks import as_number
from forearm.common.types import Floats
from forearm.core.tree import layout as at
from forearm.errors import OptionError
from forearm.results.tree import Jump, TreeTrack
from forearm.trees.batch import aims
from forearm.trees.pack import Packed, flat, pack
from forearm.trees.parts import NO_START, Part, answer

if TYPE_CHECKING:
    from forearm.trees.stack import Stack


def follow(stack: "Stack", goals: Mapping[str, Any], q0: Any, base: Any, max_joint_step: Any) -> TreeTrack:
    """The track of a stack along N way-points; see `Stack.track`."""
    from forearm.trees.stack import as_base, as_start  # noqa: PLC0415 (it imports this module)

    bound = as_number(max_joint_step, "max_joint_step", OptionError)
    if not bound > 0.0:
        raise OptionError(f"max_joint_step is {bound:g}; it must be positive [rad or m]")
    rows = aims(stack, goals)
    count, body = len(next(iter(rows.values()))), stack.body
    q = None if q0 is None else as_start(q0, body)
    parts = as_trees(stack, body.rest if q is None else q)
    T = as_base(base, body)
    Q, bases, met, jumps = np.zeros((count, body.n)), np.zeros((count, 4, 4)), np.zeros(count, bool), []
    for i in range(count):
        for part in parts:
            assert part.packed is not None
            for t, name in enumerate(part.names):
                task = part.packed.tasks[t]
                task[at.GOAL : at.GOAL + 12], task[at.DIRECTION : at.DIRECTION + 3] = np.split(rows[name][i], [12])
        found = None
        if q is not None:
            found = _meet(stack, parts, q, T, bound)
        if found is None or not found[2]:
            found = _meet(stack, parts, q, T, None)
            if q is not None and i > 0 and (far := np.abs(found[0] - q)).max() > bound:
                names = tuple(body.joint_names[k] for k in np.flatnonzero(far > bound))
                jumps.append(Jump(i, names, float(far.max())))
        q, T, met[i] = found
        Q[i], bases[i] = q, T
    return TreeTrack(Q, bases, met, tuple(jumps), _words(met, jumps, bound), body.joint_names)


def as_trees(stack: "Stack", q: Floats) -> list[Part]:
    """The parts of a stack, arms too as trees: a path is followed from where it is; what stands still stands as q."""
    from forearm.trees.stack import held  # noqa: PLC0415 (it imports this module)

    parts = []
    for part in stack.parts:
        packed = part.packed or pack(stack.body, part.goals, stack.plain, 0)
        own = replace(packed, numbers=held(packed, stack, q))
        parts.append(Part(part.names, list(part.goals), own, None, own.variables))
    return parts


def boxed(packed: Packed, q: Floats, bound: float | None) -> Floats:
    """The numbers of a part in which no variable leaves a box round q and one try is made; as they are without one."""
    if bound is None:
        return packed.numbers
    new = replace(packed, numbers=packed.numbers.copy())
    own, limits = q[packed.variables], new.bounds[:, [at.LOWER, at.UPPER]]
    # where limits are a value to stand at, farther away than the box: as near to it as the box allows
    new.bounds[:, at.LOW] = np.minimum(np.maximum(limits[:, 0], own - bound), own + bound)
    new.bounds[:, at.HIGH] = np.maximum(np.minimum(limits[:, 1], own + bound), own - bound)
    new.bounds[:, at.LOWER], new.bounds[:, at.UPPER] = new.bounds[:, at.LOW], new.bounds[:, at.HIGH]
    new.numbers[at.MAX_TRIES] = 1.0
    return new.numbers


def _meet(stack: "Stack", parts: list[Part], q: Any, T: Floats, bound: float | None) -> tuple[Floats, Floats, bool]:
    """Joint values, base and whether all goals are met, from a place, in a box or freely."""
    from forearm.trees.stack import frame_of  # noqa: PLC0415 (it imports this module)

    new, where, met = stack.body.rest if q is None else q.copy(), T, True
    near = stack.idle_q if bound is None else np.clip(stack.idle_q, q[stack.idle] - bound, q[stack.idle] + bound)
    new[stack.idle] = near
    for part in parts:
        assert part.packed is not None
        start = NO_START if q is None else np.concatenate([q[part.variables], flat(T)])
        found = answer(part, start, boxed(part.packed, q, bound) if q is not None else None)
        new[part.variables] = found.q
        if found.frame is not None and stack.body.base == "free":
            where = frame_of(found.frame)
        met = met and found.solved
    return new, where, met


def _words(met: Any, jumps: list[Jump], bound: float) -> str:
    """What became of a track, in a sentence."""
    told = []
    if not met.all():
        first = int(np.argmin(met))
        told.append(f"{int((~met).sum())} of {len(met)} way-points are missed, the first is {first}")
    for jump in jumps[:3]:
        names = ", ".join(f"'{joint}'" for joint in jump.joints)
        told.append(f"{names} jump by {jump.step:.3g} before way-point {jump.way_point}, more than {bound:g}")
    if len(jumps) > 3:
        told.append(f"{len(jumps) - 3} more jumps")
    return "; ".join(told) or f"all {len(met)} way-points are met and no joint moves more than {bound:g} between two"
