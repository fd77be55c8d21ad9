"""Many sets of targets for one stack of goals, as arrays, on all processors."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from forearm.common.checks import as_mapping, as_real, brief
from forearm.common.threads import share_out
from forearm.common.types import Floats
from forearm.core import codes
from forearm.core.arm.goal import NONE, find_not_rigid
from forearm.core.tree import layout as at
from forearm.core.tree.solve import solve_tree_many
from forearm.errors import OptionError, counted
from forearm.goals.goal import CenterOfMass, Goal
from forearm.results.tree import TreeBatch
from forearm.targets.many import Targets
from forearm.targets.target import one_by_one
from forearm.trees.pack import aim_of, flat, tasks_of
from forearm.trees.parts import NO_START, Part

if TYPE_CHECKING:
    from forearm.trees.collision.among import Among
    from forearm.trees.stack import Stack


def aims(stack: "Stack", goals: Mapping[str, Any]) -> dict[str, Floats]:
    """(N, 15) what each goal of a stack asks at each of N sets: by name as given, else as it is."""
    from forearm.trees.stack import changed  # noqa: PLC0415 (it imports this module)

    given = as_mapping(goals, "goals", "goal name to targets", OptionError)
    for name, values in given.items():
        if not hasattr(values, "__len__") or (isinstance(values, np.ndarray) and not values.ndim):
            raise OptionError(f"the targets of '{name}' are {brief(values)}; it takes N of them, one per set of goals")
        if isinstance(values, np.ndarray) and values.shape == (4, 4) and isinstance(stack[name], Goal):
            told = "poses are an (N, 4, 4) array; one pose is a batch as T[None]"
            raise OptionError(f"the targets of '{name}' have shape (4, 4); {told}")
    counts = {len(values) for values in given.values()}
    if len(counts) != 1:
        raise OptionError(
            "a batch and a track take the same number of targets for every goal that they name, and name one at least; "
            + (", ".join(f"'{name}' has {len(values)}" for name, values in given.items()) or "none is named")
        )
    count = counts.pop()
    rows = {}
    for name in stack.names:
        wish = stack[name]
        if name not in goals:
            rows[name] = np.repeat(aim_of(wish)[None], count, axis=0)
            continue
        asked = goals[name]
        targets: Any = one_by_one(asked) if isinstance(asked, Targets) else asked
        if isinstance(wish, CenterOfMass) and wish.support is not None:
            raise OptionError(f"'{name}' has a support, which is the same for all sets; leave it out of goals")
        plain = isinstance(wish, Goal) and wish.target.kind == codes.POSE and isinstance(targets, np.ndarray)
        if plain and targets.shape == (count, 4, 4) and np.isfinite(targets).all():
            rows[name] = np.zeros((count, at.AIM))
            rows[name][:, :9], rows[name][:, 9:12] = targets[:, :3, :3].reshape(count, 9), targets[:, :3, 3]
            bad = find_not_rigid(np.ascontiguousarray(targets, float))
            if bad != NONE:
                changed(wish, targets[bad])  # refuses it in words
        else:
            rows[name] = np.array([aim_of(changed(wish, value)) for value in targets]).reshape(count, at.AIM)
    for name in goals:
        stack[name]
    return rows


def solve_many(
    stack: "Stack", goals: Mapping[str, Any], q0: Any, threads: int | None, among: "Among | None" = None
) -> TreeBatch:
    """The answers to N sets of targets."""
    rows, body = aims(stack, goals), stack.body
    count = len(next(iter(rows.values())))
    starts = _starts(stack, q0, count)
    if among is not None:
        return _among_many(among, np.stack([rows[name] for name in stack.names], axis=1), starts, threads)
    q = np.repeat(body.rest[None], count, axis=0) if starts is None else np.broadcast_to(starts, (count, body.n)).copy()
    q[:, stack.idle] = stack.idle_q
    base, measured = np.repeat(np.eye(4)[None], count, axis=0), np.zeros((count, len(stack.names), 3))
    status, spent = np.zeros(count, np.int8), np.zeros((count, 3))
    for part in stack.parts:
        columns = [stack.names.index(name) for name in part.names]
        own = np.stack([rows[name] for name in part.names], axis=1)
        begin = None if starts is None else starts[:, part.variables]
        if stack.still and part.arm is None:  # at what each start has
            found, frames, errors, codes_of, used = _held_many(stack, part, own, starts, threads)
        else:
            found, frames, errors, codes_of, used = (_arm_many if part.arm is not None else _tree_many)(
                part, own, begin, threads
            )
        q[:, part.variables], measured[:, columns] = found, errors
        status = np.maximum(status, codes_of)
        spent = np.maximum(spent, used)
        if frames is not None and body.base == "free":
            base[:, :3, :3], base[:, :3, 3] = frames[:, :9].reshape(count, 3, 3), frames[:, 9:]
    return TreeBatch(q, base, status, _report(measured, spent), stack.names, measured, body.joint_names)


def _starts(stack: "Stack", q0: Any, count: int) -> Floats | None:
    """(1 or N, n) starts; None for none."""
    from forearm.trees.stack import as_start  # noqa: PLC0415 (it imports this module)

    if q0 is None:
        return None
    given: Any = q0 if isinstance(q0, Mapping) else as_real(q0, "q0", OptionError)
    if np.ndim(given) == 2:
        if len(given) != count:
            raise OptionError(
                f"q0 has {len(given)} rows; {counted(count, 'set')} of goals may have one start, or {count}"
            )
        return np.array([as_start(row, stack.body) for row in given]).reshape(count, stack.body.n)
    return as_start(given, stack.body)[None]


def _held_many(stack: "Stack", part: Part, aims: Floats, starts: Floats | None, threads: int | None) -> tuple[Any, ...]:
    """The answers of a part in which joints stand still where each start has them."""
    from forearm.trees.stack import held  # noqa: PLC0415 (it imports this module)

    assert part.packed is not None
    rows = np.array([stack.at_idle(q) for q in (stack.body.rest[None] if starts is None else starts)])
    numbers = np.array([held(part.packed, stack, q) for q in rows]).reshape(len(rows), -1)
    return _tree_many(part, aims, None if starts is None else starts[:, part.variables], threads, numbers)


def _tree_many(
    part: Part, aims: Floats, starts: Floats | None, threads: int | None, own_numbers: Floats | None = None
) -> tuple[Any, ...]:
    """The answers of a part for the kernel of trees; its numbers may be others, the same for all or one row each."""
    packed = part.packed
    assert packed is not None
    numbers = packed.numbers[None] if own_numbers is None else own_numbers
    count, t, n = len(aims), len(part.names), len(packed.variables)
    x, report = np.zeros((count, n + 12)), np.zeros((count, at.tree_report(n, t)))
    found = np.zeros(count, np.int8)
    begin = np.zeros((0, n + 12))
    if starts is not None:
        eye = np.broadcast_to([1.0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0], (len(starts), 12))
        begin = np.ascontiguousarray(np.concatenate([starts, eye], axis=1))

    def work(first: int, last: int) -> None:
        room, step = np.empty(packed.work), last - first if len(numbers) < 2 else 1
        for i in range(first, last, max(step, 1)):
            own = begin if len(begin) < 2 else begin[i : i + step]
            pieces = x[i : i + step], report[i : i + step], found[i : i + step]
            row = numbers[i if len(numbers) > 1 else 0].copy()
            solve_tree_many(row, packed.table, aims[i : i + step], own, room, *pieces)

    share_out(work, count, threads, None)
    measured = report[:, at.REPORT_HEAD : at.REPORT_HEAD + 3 * t].reshape(count, t, 3)
    return x[:, :n], x[:, n:], measured, found, report[:, [at.STEPS, at.TRIES, at.EXCESS]]


def _among_many(among: "Among", aims: Floats, starts: Floats | None, threads: int | None) -> TreeBatch:
    """The answers of a whole robot among obstacles."""
    stack, body = among.stack, among.stack.body
    count, t, n = len(aims), len(stack.names), body.n
    x, row, found = np.zeros((count, n + 12)), np.zeros((count, at.tree_report(n, t))), np.zeros(count, np.int8)
    eye = flat(np.eye(4))

    def work(first: int, last: int) -> None:
        room = np.empty(among.work)
        for i in range(first, last):
            start = NO_START if starts is None else np.concatenate([starts[i if len(starts) > 1 else 0], eye])
            numbers = among.numbers(body.rest if starts is None else start[:n])
            tasks = tasks_of(numbers)
            tasks[:, at.GOAL : at.GOAL + 12] = aims[i, :, :12]
            tasks[:, at.DIRECTION : at.DIRECTION + 3] = aims[i, :, 12:]
            found[i] = among.run(numbers, start, room, x[i], row[i])

    share_out(work, count, threads, None)
    base = np.repeat(np.eye(4)[None], count, axis=0)
    if body.base == "free":
        base[:, :3, :3], base[:, :3, 3] = x[:, n : n + 9].reshape(count, 3, 3), x[:, n + 9 :]
    measured = row[:, at.REPORT_HEAD : at.REPORT_HEAD + 3 * t].reshape(count, t, 3)
    report = _report(measured, row[:, [at.STEPS, at.TRIES, at.EXCESS]])
    report[:, [codes.CLEARANCE, codes.BODY, codes.OTHER]] = row[:, [at.GAP, at.BODY, at.NEAR]]
    return TreeBatch(x[:, :n], base, found, report, stack.names, measured, body.joint_names)


def _report(measured: Floats, spent: Floats) -> Floats:
    """(N, 8) the largest errors and what was spent, as `core/codes.py` lays them out."""
    report = np.zeros((len(measured), codes.REPORT))
    report[:, codes.POSITION_ERROR], report[:, codes.ROTATION_ERROR] = measured[:, :, :2].max(axis=1).T
    report[:, [codes.ITERATIONS, codes.TRIES, codes.LIMIT_EXCESS]] = spent
    return report


def _arm_many(part: Part, aims: Floats, starts: Floats | None, threads: int | None) -> tuple[Any, ...]:
    """The answers of a part with one tip."""
    goal, arm = part.goals[0], part.arm
    assert isinstance(goal, Goal)
    assert arm is not None
    frames = np.repeat(np.eye(4)[None], len(aims), axis=0)
    frames[:, :3, :3], frames[:, :3, 3] = aims[:, 0, :9].reshape(-1, 3, 3), aims[:, 0, 9:12]
    terms = np.repeat(goal.target.terms[None], len(aims), axis=0)
    terms[:, codes.DIRECTION :] = aims[:, 0, 12:]
    one = starts if starts is None or len(starts) > 1 else starts[0]
    found = arm.solve_batch(Targets(goal.target.kind, frames, terms), one, threads=threads)
    errors = np.stack([found.position_error, found.rotation_error, found.success.astype(float)], axis=1)
    spent = np.stack([found.iterations, found.tries, found.report[:, codes.LIMIT_EXCESS]], axis=1)
    return found.q, None, errors[:, None], found.status, spent
