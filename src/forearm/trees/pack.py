"""From a body and goals to what the kernels read: tasks, the joints that they need, and a table of starts."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from forearm.common.checks import as_number, as_real
from forearm.common.types import Floats
from forearm.core import codes
from forearm.core.tree import layout as at
from forearm.core.tree.starts import build_table
from forearm.errors import OptionError
from forearm.goals.goal import MAX_CORNERS, CenterOfMass, Goal, LookAt, Posture, Relative, Still, Wish
from forearm.models.assemble import CODES
from forearm.trees.body import Body

ROTATION_WEIGHT = 0.2  # [m]: what a radian counts against a metre
SHORT_PATH = 8  # variables up to which the sparse elimination is faster than the recursion
MAX_TRIES, MAX_STEPS = 300, 60  # of 30,000 sets on free bases that can be met, the hardest took 176 tries
# by which goal a base that moves is put in its place, the least first: steps move it to points more surely than they
# turn it, so of sets of orientations with points fewer are missed with the base turned
REFERENCES = {codes.POSE: 0, codes.ORIENTATION: 1, codes.POSITION: 2, codes.POINT_AXIS: 2}
BASE_CODES = {"planar": at.PLANAR_BASE, "free": at.FREE_BASE}
TURN = 2.0 * math.pi
GAPS, TRIES_AMONG = 32, 400  # among obstacles: rows for gaps that are too small, and tries


@dataclass(frozen=True, eq=False)
class Packed:
    """Tasks that share variables, packed.

    Attributes:
        goals: The goals, one a task.
        rows: (m,) rows of the body that it holds.
        variables: (n,) variables of the body that it holds.
        numbers: The packed tree; a call that changes goals takes a copy.
        table: Starts.
        work: How many numbers of scratch a call takes.
    """

    goals: tuple[Wish, ...]
    rows: tuple[int, ...]
    variables: NDArray[np.int64]
    numbers: Floats
    table: Floats
    work: int

    @property
    def tasks(self) -> Floats:
        """(t, TASK_NUMBERS) a view of the tasks."""
        return tasks_of(self.numbers)

    @property
    def private(self) -> NDArray[np.bool_]:
        """(t, n) which variables only one task uses."""
        t, n, corners = len(self.goals), len(self.variables), 2 * int(self.numbers[at.CORNERS])
        end = len(self.numbers) - corners
        return np.asarray(self.numbers[end - t * n : end].reshape(t, n) != 0.0)

    @cached_property
    def aims(self) -> tuple[Floats, ...]:
        """(12,) views of the goal frames of each task."""
        return tuple(task[at.GOAL : at.GOAL + 12] for task in self.tasks)

    @property
    def bounds(self) -> Floats:
        """(n, VARIABLE_NUMBERS) a view of the variables."""
        m, n = int(self.numbers[at.M]), int(self.numbers[at.N])
        start = at.HEAD + at.JOINT * m + 4
        return self.numbers[start : start + at.VARIABLE_NUMBERS * n].reshape(n, at.VARIABLE_NUMBERS)


def corners_of(numbers: Floats) -> Floats:
    """(c, 2) the corners of the support of a packed tree, a view."""
    count = int(numbers[at.CORNERS])
    return numbers[len(numbers) - 2 * count :].reshape(count, 2)


def tasks_of(numbers: Floats) -> Floats:
    """(t, TASK_NUMBERS) the tasks of a packed tree, a view."""
    m, n, t, free = (int(value) for value in numbers[:4])
    start = at.HEAD + at.JOINT * m + 4 + at.VARIABLE_NUMBERS * n + 3 * (n + 6 * free)
    return numbers[start : start + at.TASK_NUMBERS * t].reshape(t, at.TASK_NUMBERS)


def links_of(goal: Wish, body: Body) -> list[int]:
    """The rows that a goal's links hang on; of the centre of mass all."""
    if isinstance(goal, CenterOfMass):
        return list(range(len(body.rows)))
    links = [goal.link, goal.other] if isinstance(goal, Relative) else [goal.link]  # type: ignore[attr-defined]
    return [body.place(link)[0] for link in links]


def needed(goals: Sequence[Wish], body: Body) -> list[int]:
    """The rows that any goal uses, in order."""
    return sorted({row for goal in goals for link in links_of(goal, body) for row in body.path(link)})


def pack(body: Body, goals: Sequence[Wish], others: Sequence[Wish], rng_seed: int, whole: bool = False) -> Packed:
    """The tasks of goals that share variables; others are postures and what stands still.

    The whole body, with variables that no goal uses, is what is kept apart from obstacles and itself.
    """
    idle = not needed(goals, body) and not whole
    # the kernel walks one joint at least, also where goals are of the base alone
    rows = list(range(len(body.rows))) if whole else needed(goals, body) or [0]
    index = {row: i for i, row in enumerate(rows)} | {-1: -1}
    used = list(dict.fromkeys(body.rows[row].variable for row in rows))
    if any(isinstance(goal, CenterOfMass) for goal in goals):
        check_masses(body)
    m, n, t, free = len(rows), len(used), len(goals), int(body.base == "free")
    joints = _joints(body, rows, index, used)
    bounds = _bounds(body, used, rows, others)
    tasks = np.array([_task(goal, body, index) for goal in goals]).reshape(t, at.TASK_NUMBERS)
    tasks[:, at.LEVEL] = _levels(goals)
    private = _private(tasks, joints, n)
    coupled = sum(6 if isinstance(g, Relative) else len(g.axes) if isinstance(g, CenterOfMass) else 0 for g in goals)
    coupled += GAPS if whole else 0
    order = _order(joints, n, free)
    longest = max(int(order[:, at.DEEP].max()) + 1 - 6 * free, 1)
    corners = _corners(goals)
    head = np.zeros(at.HEAD)
    head[: at.MAX_TRIES] = m, n, t, free, coupled, (longest + 6 * free) if m > n or longest <= SHORT_PATH else 0
    head[at.MAX_TRIES :] = (
        TRIES_AMONG if whole else MAX_TRIES, rng_seed, tasks[:, at.LEVEL].max(initial=0.0) + 1,
        _reference(goals),
        BASE_CODES.get(body.base, at.FIXED_BASE) if joints[0, at.PARENT] == -1 else at.FIXED_BASE, MAX_STEPS,
        len(corners),
    )  # fmt: skip
    parts = (head, joints, body.base_mass, bounds, order, tasks, private, corners)
    numbers = np.concatenate([np.asarray(part, float).ravel() for part in parts])
    work = at.tree_work(m, n, t, free, coupled, int(head[at.DEPTH]))
    table = np.zeros(at.tree_table(n, t))
    packed = Packed(tuple(goals), tuple(rows), np.array(used), numbers, table, work)
    if goals:
        build_table(_at_rest(packed, body) if idle else numbers, np.zeros(work), table)
    return packed


def _at_rest(packed: Packed, body: Body) -> Floats:
    """The numbers of a part whose joint no goal uses: it starts where it rests."""
    new = replace(packed, numbers=packed.numbers.copy())
    new.bounds[:, : at.STIFF] = body.rest[packed.variables][:, None]
    return new.numbers


def _joints(body: Body, rows: Sequence[int], index: Mapping[int, int], used: Sequence[int]) -> Floats:
    """(m, JOINT) some rows of a body, numbered anew."""
    local = {variable: k for k, variable in enumerate(used)}
    joints = np.zeros((len(rows), at.JOINT))
    for i, row in enumerate(rows):
        each = body.rows[row]
        joints[i, : at.FRONT] = (
            index[each.parent],
            CODES[each.segment.kind],
            local[each.variable],
            each.segment.ratio,
            0.0,
        )
        joints[i, at.FRONT : at.WEIGHS] = flat(each.front)
        joints[i, at.WEIGHS :] = each.mass, *each.centre
    return joints


def _corners(goals: Sequence[Wish]) -> Floats:
    """(c, 2) the corners of the support inside which the centre of mass has to stay; none without one."""
    supports = [goal.inner for goal in goals if isinstance(goal, CenterOfMass) and goal.inner is not None]
    if len(supports) > 1:
        raise OptionError(f"{len(supports)} goals have a support; a stack takes one: give their common part")
    return padded(supports[0]) if supports else np.zeros((0, 2))


def padded(corners: Floats) -> Floats:
    """(MAX_CORNERS, 2) corners with the last one repeated, so that a support of other corners fits the same place."""
    return np.concatenate([corners, np.repeat(corners[-1:], MAX_CORNERS - len(corners), axis=0)])


def flat(T: Floats) -> Floats:
    """(12,) a frame as kernels read it."""
    return np.concatenate([T[:3, :3].ravel(), T[:3, 3]])


def check_masses(body: Body) -> None:
    """Refuses a centre of mass where the file does not tell the masses."""
    masses = [body.base_mass[0], *(row.mass for row in body.rows)]
    unknown = [link.name for link in body.mechanism.links if math.isnan(link.mass) and link.name in body.places]
    if unknown:
        raise OptionError(
            f"{body.mechanism.where} does not tell the mass of {', '.join(unknown[:5])}; a centre of mass needs an "
            "<inertial> in each link that has shapes"
        )
    if not sum(masses) > 0.0:
        raise OptionError(f"{body.mechanism.where} has no masses; a centre of mass needs <inertial> in its links")


def _bounds(body: Body, used: Sequence[int], rows: Sequence[int], others: Sequence[Wish]) -> Floats:
    """(n, VARIABLE_NUMBERS) bounds, limits and postures of variables; a whole turn that fits is free to search."""
    limits = body.limits[:, used]
    bounds = np.zeros((len(used), at.VARIABLE_NUMBERS))
    bounds[:, at.LOW], bounds[:, at.HIGH] = bounds[:, at.LOWER], bounds[:, at.UPPER] = limits
    stood, preferred = preferences(body, others)
    for k, (weight, value) in preferred.items():
        if k in used:
            bounds[used.index(k), [at.STIFF, at.REST]] = weight, value
    for k, value in stood.items():
        if k in used:
            bounds[used.index(k), : at.STIFF] = value
    for k, variable in enumerate(used):
        driven = [body.rows[row] for row in rows if body.rows[row].variable == variable]
        turns = all(row.segment.kind != "prismatic" and abs(row.segment.ratio) == 1.0 for row in driven)
        if turns and bounds[k, at.UPPER] - bounds[k, at.LOWER] >= TURN and bounds[k, at.STIFF] == 0.0:
            bounds[k, at.LOW], bounds[k, at.HIGH] = -math.inf, math.inf
    return bounds


def preferences(body: Body, others: Sequence[Wish]) -> tuple[dict[int, float], dict[int, tuple[float, float]]]:
    """Values at which variables should stand, and of others the weight and the value of their posture, by variable.

    Several postures of one variable are one that pulls as they do together.
    """
    stood: dict[int, float | None] = {}
    pulls: dict[int, list[tuple[float, float]]] = {}
    for wish in others:
        if isinstance(wish, Posture):
            for k, value in posture_of(wish, body).items():
                pulls.setdefault(k, []).append((wish.weight, value))
        elif isinstance(wish, Still):
            for joint, stands in wish.joints.items():
                k, place = body.variable(joint), None if stands is None else _within(stands, joint, body)
                if stood.setdefault(k, place) != place:
                    one, other = (told(each) for each in (stood[k], place))
                    raise OptionError(f"joint '{joint}' should stand still {one} and {other}; take one")
    preferred = {k: _together(each) for k, each in pulls.items() if k not in stood}
    return {k: value for k, value in stood.items() if value is not None}, preferred


def told(stands: float | None) -> str:
    """Where a joint should stand still, in words."""
    return "where q0 has it" if stands is None else f"at {stands:g}"


def _together(pulls: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The weight and the value of several postures of one variable."""
    if len(pulls) == 1:
        return pulls[0]
    squares = [weight**2 for weight, _ in pulls]
    value = sum(square * value for square, (_, value) in zip(squares, pulls, strict=True)) / sum(squares)
    return math.sqrt(sum(squares)), value


def idle_values(body: Body, others: Sequence[Wish], used: Iterable[int]) -> dict[int, float]:
    """Where variables that no goal uses are asked to be: where they should stand, or at their posture inside limits."""
    stood, preferred = preferences(body, others)
    values = {k: min(max(value, body.limits[0, k]), body.limits[1, k]) for k, (_, value) in preferred.items()} | stood
    return {k: float(value) for k, value in values.items() if k not in set(used)}


def _within(value: float, joint: str, body: Body) -> float:
    """A value at which a joint may stand."""
    lower, upper = body.limits[:, body.variable(joint)]
    if not lower <= value <= upper:
        raise OptionError(f"joint '{joint}' cannot stand at {value:g}; its limits are {lower:g} to {upper:g}")
    return float(value)


def posture_of(posture: Posture, body: Body) -> dict[int, float]:
    """The values of a posture by variable."""
    if isinstance(posture.q, Mapping):
        return {body.variable(joint): as_number(value, joint, OptionError) for joint, value in posture.q.items()}
    q = as_real(posture.q, "posture", OptionError)
    if q.shape != (body.n,) or not np.isfinite(q).all():
        raise OptionError(
            f"a posture has shape {q.shape}; it takes {body.n} finite joint values, or a mapping of names"
        )
    return dict(enumerate(q.tolist()))


# -- tasks ---------------------------------------------------------------------------------------


def _task(goal: Wish, body: Body, index: Mapping[int, int]) -> Floats:
    """The row of a goal."""
    row = np.zeros(at.TASK_NUMBERS)
    row[at.TOL_P], row[at.TOL_R] = goal.tol
    row[at.TIP : at.TIP + 9] = row[at.OTHER_TIP : at.OTHER_TIP + 9] = np.eye(3).ravel()
    row[at.LINK] = row[at.OTHER] = -1.0
    row[at.MASK : at.MASK + 3] = 1.0
    positional, rotational = goal.weight, ROTATION_WEIGHT * goal.weight
    if isinstance(goal, CenterOfMass):
        row[at.TASK], row[at.WEIGHT_P] = at.CENTRE_OF_MASS, positional
        row[at.MASK + 2], row[at.AXIS] = float(goal.axes == "xyz"), float(goal.support is not None)
        return with_aim(row, goal)
    link, tip = body.place(goal.link)  # type: ignore[attr-defined]
    row[at.LINK], row[at.TIP : at.TIP + 12] = index[link], flat(tip)
    if isinstance(goal, LookAt):
        row[at.TASK], row[at.WEIGHT_R], row[at.TOL_R] = at.LOOK_AT, rotational, goal.tol[0]
        row[at.AXIS : at.AXIS + 3] = goal.axis
    elif isinstance(goal, Relative):
        other, tip = body.place(goal.other)
        row[at.TASK], row[at.OTHER], row[at.OTHER_TIP : at.OTHER_TIP + 12] = at.RELATIVE, index[other], flat(tip)
        row[at.WEIGHT_P], row[at.WEIGHT_R] = positional * goal.counts[0], rotational * goal.counts[1]
    elif isinstance(goal, Goal):
        kind, terms = goal.target.kind, goal.target.terms
        row[at.TASK] = at.POINT_AXIS if kind == codes.POINT_AXIS else at.POSE
        row[at.WEIGHT_P] = 0.0 if kind == codes.ORIENTATION else positional
        row[at.WEIGHT_R] = 0.0 if kind == codes.POSITION else rotational
        row[at.AXIS : at.AXIS + 3] = terms[codes.TOOL_AXIS : codes.DIRECTION]
    return with_aim(row, goal)


def with_aim(row: Floats, goal: Wish) -> Floats:
    """The same row with the numbers that change from call to call."""
    aim = aim_of(goal)
    row[at.GOAL : at.GOAL + 12], row[at.DIRECTION : at.DIRECTION + 3] = aim[:12], aim[12:]
    return row


def aim_of(goal: Wish) -> Floats:
    """(15,) the frame and the direction that a goal asks for."""
    aim = np.zeros(at.AIM)
    aim[[0, 4, 8]] = 1.0
    if isinstance(goal, (CenterOfMass, LookAt)):
        aim[9:12] = goal.point
    elif isinstance(goal, Relative):
        aim[:12] = flat(goal.pose)
    elif isinstance(goal, Goal):
        aim[:12], aim[12:] = flat(goal.target.goal), goal.target.terms[codes.DIRECTION :]
    return aim


def _levels(goals: Sequence[Wish]) -> list[int]:
    """The levels of goals, counted from 0 without gaps."""
    known = sorted({goal.level for goal in goals})
    return [known.index(goal.level) for goal in goals]


def _reference(goals: Sequence[Wish]) -> int:
    """The goal by which a base that moves is put in its place: a pose, else an orientation, or a point; -1: none."""
    kinds = {i: goal.target.kind for i, goal in enumerate(goals) if isinstance(goal, Goal)}
    return min(kinds, key=lambda i: REFERENCES[kinds[i]], default=-1)


def _path(joints: Floats, row: int) -> list[int]:
    """The rows of packed joints from the base to one."""
    above = []
    while row >= 0:
        above.append(row)
        row = int(joints[row, at.PARENT])
    return above[::-1]


def _private(tasks: Floats, joints: Floats, n: int) -> Floats:
    """(t, n) which variables only one task uses; writes the last joint that each shares, and how many are its own."""
    single = tasks[:, at.TASK] != at.CENTRE_OF_MASS
    paths = [_path(joints, int(task[at.LINK])) if alone else [] for task, alone in zip(tasks, single, strict=True)]
    users = np.zeros(n)
    for path in paths:
        users[list({int(joints[row, at.VARIABLE]) for row in path})] += 1.0
    private = np.zeros((len(tasks), n))
    tasks[:, at.SHARED] = -1.0
    for t, path in enumerate(paths):
        shared = [row for row in path if users[int(joints[row, at.VARIABLE])] > 1.0]
        own = path[path.index(shared[-1]) + 1 :] if shared else path
        tasks[t, at.SHARED] = shared[-1] if shared else -1
        private[t, [int(joints[row, at.VARIABLE]) for row in own]] = 1.0
        tasks[t, at.OWN] = private[t].sum()
    return private


def _order(joints: Floats, n: int, free: int) -> Floats:
    """(nv, 3) the elimination tree of the variables: those on one path are coupled, a follower couples its paths."""
    offset, nv = 6 * free, n + 6 * free
    below: list[set[int]] = [set(range(v)) if v < offset else set(range(offset)) for v in range(nv)]
    first: dict[int, int] = {}
    for row in range(len(joints)):
        first.setdefault(offset + int(joints[row, at.VARIABLE]), row)
    rank = {v: v if v < offset else offset + first[v] for v in range(nv)}
    for row in range(len(joints)):
        v = offset + int(joints[row, at.VARIABLE])
        for above in _path(joints, row)[:-1]:
            w = offset + int(joints[above, at.VARIABLE])
            if v != w:
                low, high = sorted((v, w), key=rank.__getitem__)
                below[high].add(low)
    order = np.zeros((nv, 3))
    taken = sorted(range(nv), key=rank.__getitem__, reverse=True)
    for k, v in enumerate(taken):
        order[k, at.ORDER] = v
        up = max(below[v], key=rank.__getitem__, default=-1)
        order[v, at.UP] = up
        if up >= 0:
            below[up] |= below[v] - {up}
    for v in reversed(taken):
        up = int(order[v, at.UP])
        order[v, at.DEEP] = 0 if up < 0 else order[up, at.DEEP] + 1
    return order
