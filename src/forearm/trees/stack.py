"""A stack of goals: tables made once, then solved for one set of targets after another."""

from collections.abc import Iterable, Mapping
from dataclasses import replace as replaced
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from forearm.arm.configurations import is_plain
from forearm.common.checks import as_floats, as_number, as_rigid, as_switch, as_vector, brief
from forearm.common.defaults import DEFAULT_CLEARANCE
from forearm.common.types import Floats
from forearm.core import codes
from forearm.core.arm.goal import NONE, find_not_rigid
from forearm.core.tree import layout as at
from forearm.errors import OptionError, known_elsewhere, nearest_names, told_in_words
from forearm.goals.goal import CenterOfMass, Cost, Goal, LookAt, Relative, Still, Wish, plain_target
from forearm.results.solution import Status
from forearm.results.tree import TreeBatch, TreeSolution
from forearm.targets.target import Target
from forearm.trees.body import Body
from forearm.trees.explain import explain as explain_missed
from forearm.trees.fast import fast_road
from forearm.trees.free import look_longer, lower_cost
from forearm.trees.pack import Packed, corners_of, flat, idle_values, padded, with_aim
from forearm.trees.parts import NO_START, Answer, MakeArm, Part, answer, joined_row, split

if TYPE_CHECKING:
    from forearm.trees.collision.among import Among

GUARD = ("obstacles", "clearance", "self_collision")  # what solves take to keep away from things
ASKS = (Goal, Relative, CenterOfMass, LookAt)


@known_elsewhere
class Stack:
    """Goals of a robot with several tips, ready to be solved again and again; `Tree.stack` makes one.

    `stack["left_hand"] = T` gives a goal another target in the same tables. Not to be changed by two threads at once.
    """

    def __init__(self, body: Body, wishes: Iterable[Wish], make_arm: MakeArm, rng_seed: int = 0) -> None:
        self.body, self._make_arm, self.rng_seed = body, make_arm, rng_seed
        self.goals: dict[str, Wish] = {}
        self.others: list[Wish] = []
        for wish in wishes:
            if not isinstance(wish, Wish):
                raise OptionError(
                    f"a stack takes goals of fa.goals; {brief(wish)} is none: wrap it in fa.goals.Goal(link, ...)"
                )
            self._add(wish)
        if not self.goals:
            raise OptionError("a stack needs a goal to meet: Goal, Relative, CenterOfMass or LookAt")
        self.costs = [wish for wish in self.others if isinstance(wish, Cost)]
        self.plain = [wish for wish in self.others if not isinstance(wish, Cost)]
        self.parts: list[Part] = split(body, self.goals, self.plain, make_arm, rng_seed)
        self._home = {name: (part, i) for part in self.parts for i, name in enumerate(part.names)}
        self._among: Among | None = None
        # what every solve asks, once
        self._rest, self._eye = body.rest, flat(np.eye(4))
        self.still = [
            joint for wish in self.plain if isinstance(wish, Still) for joint, v in wish.joints.items() if v is None
        ]
        used = {int(variable) for part in self.parts for variable in part.variables}
        idle = idle_values(body, self.plain, used)
        # variables that no goal uses and where they are asked to be
        self.idle, self.idle_q = np.array(list(idle), np.int64), np.array(list(idle.values()))
        names = [name for part in self.parts for name in part.names]
        self.order = [names.index(name) for name in self.goals]
        self._levels = len({goal.level for goal in self.goals.values()})
        self._road = None if self.still or self.costs else fast_road(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles and copies as its goals: a copy makes tables of its own."""
        return Stack, (self.body, [*self.goals.values(), *self.others], self._make_arm, self.rng_seed)

    def _add(self, wish: Wish) -> None:
        """Keeps a goal by a name that no other has."""
        if not isinstance(wish, ASKS):
            self.others.append(wish)
            return
        kind = {Relative: "relative", LookAt: "look at", CenterOfMass: "centre of mass"}.get(type(wish), "goal")
        names = [wish.name, f"{wish.name} ({kind})", *(f"{wish.name} ({k})" for k in range(2, 100))]
        self.goals[next(name for name in names if name not in self.goals)] = wish

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its goals."""
        return tuple(self.goals)

    def __getitem__(self, name: str) -> Wish:
        """A goal by its name."""
        self._known(name)
        return self.goals[name]

    def __setitem__(self, name: str, target: Any) -> None:
        """Gives a goal another target: a pose or target, a point for what looks and for the centre of mass."""
        self._known(name)
        part, i = self._home[name]
        self.goals[name] = part.goals[i] = wish = changed(self.goals[name], target)
        if part.packed is not None:
            rewrite(part.packed, i, wish)
        if self._among is not None:
            self._among.rewrite(name, wish)

    def _known(self, name: str) -> None:
        if not isinstance(name, str) or name not in self.goals:
            raise OptionError(f"'{name}' is no goal of this stack; {nearest_names(str(name), self.goals)}")

    # -- solving ---------------------------------------------------------------------------------

    @told_in_words
    def solve(
        self,
        q0: Any = None,
        *,
        base: ArrayLike | None = None,
        explain: bool = True,
        obstacles: Any = None,
        clearance: float = DEFAULT_CLEARANCE,
        self_collision: bool | None = None,
    ) -> TreeSolution:
        """Joint values and a base that meet all goals, or come nearest, level by level, and why not.

        Args:
            q0: (n,) where the search starts, or a mapping from joint names; anywhere without one. Joints that no goal
                uses stay there, or at 0, or are where a `Still` or a `Posture` has them.
            base: (4, 4) where a free base starts; at the origin by default.
            explain: Whether to look longer where one of several levels is missed, and to find out why goals were:
                tens of milliseconds, some tenths of a second for humanoids.
            obstacles: What to keep away from in the world: a list, a mapping from names, or a `Scene`.
            clearance: The least distance to keep from it [m]; within the robot no more than 0.0125 m of it.
            self_collision: Whether the robot must not touch itself; by default if there are obstacles.
        """
        if explain is not True and explain is not False:  # as loops never give it
            explain = as_switch(explain, "explain")
        if self._road is not None and obstacles is None and self_collision is None and clearance is DEFAULT_CLEARANCE:
            quick = self._road(q0, base)
            if quick is not None:
                return quick
        start = None if q0 is None else as_start(q0, self.body)
        T = self._eye if base is None else flat(as_base(base, self.body))
        among = self.among(obstacles, clearance, self_collision)
        found = self.meet(start, T) if among is None else among.meet(start, T)
        if explain and among is None and self._levels > 1 and found.status is not Status.SOLVED:
            found = look_longer(self, found)
        for cost in self.costs:
            found = lower_cost(self, cost, found, among)
        if explain and found.status is not Status.SOLVED:
            if found.status is Status.COLLISION and among is not None:
                among.explain(found)
            else:
                explain_missed(self, found)
        return found

    def among(self, obstacles: Any, clearance: Any, self_collision: Any) -> "Among | None":
        """What a call keeps away from; None if it names nothing. With obstacles, the robot itself counts by default."""
        if obstacles is None and (self_collision is None or self_collision is False):
            if clearance is not DEFAULT_CLEARANCE and clearance != DEFAULT_CLEARANCE:
                raise OptionError(
                    f"clearance is {brief(clearance)} and there is nothing to keep away from; "
                    "give obstacles=, or self_collision=True"
                )
            return None
        from forearm.trees.collision.among import Among, guard_of  # noqa: PLC0415 (it fits shapes)

        guard = guard_of(self.body, obstacles, clearance, True if self_collision is None else self_collision)
        if self._among is None or self._among.guard is not guard:
            self._among = Among(self, guard)
        return self._among

    def meet(self, start: Floats | None, T: Floats, numbers: Mapping[int, Floats] | None = None) -> TreeSolution:
        """The answer from a start and a base's (12,) pose; `numbers` are used instead of those of a part, by place."""
        q = self.at_idle(self._rest if start is None else start)
        where, answers = T, []
        for i, part in enumerate(self.parts):
            begin = NO_START if start is None else start[part.variables]
            if start is not None and part.arm is None:
                begin = np.concatenate([begin, T])
            own = numbers.get(i) if numbers else held(part.packed, self, q) if self.still and part.packed else None
            found = answer(part, begin, own)
            q[part.variables] = found.q
            if found.frame is not None and self.body.base == "free":
                where = found.frame
            answers.append(found)
        return self._joined(q, where, answers)

    def at_idle(self, q: Floats) -> Floats:
        """(n,) the same joint values, those that no goal uses where they are asked to be."""
        own: Floats = q.copy()
        own[self.idle] = self.idle_q
        return own

    def _joined(self, q: Floats, frame: Floats, answers: list[Answer]) -> TreeSolution:
        """The answers of all parts as one."""
        status = Status.SOLVED if solved(answers) else Status.NOT_CONVERGED
        method = " and ".join(dict.fromkeys(found.method for found in answers))
        if len(answers) == 1:
            row, variables = answers[0].row, self.parts[0].variables
            return TreeSolution(q, frame, status, method, self.names, self.body.joint_names, row, variables)
        row = joined_row(self.parts, [found.row for found in answers], self.order, self.body.n)
        return TreeSolution(q, frame, status, method, self.names, self.body.joint_names, row)

    @told_in_words
    def solve_batch(
        self,
        goals: Mapping[str, Any],
        q0: Any = None,
        *,
        threads: int | None = None,
        obstacles: Any = None,
        clearance: float = DEFAULT_CLEARANCE,
        self_collision: bool | None = None,
    ) -> TreeBatch:
        """What `solve(explain=False)` gives for each of N sets of targets, on all processors.

        Args:
            goals: By name: (N, 4, 4) poses, N targets (`fa.Position.many(P)` and the like, or a list), for a `LookAt`
                or `CenterOfMass` (N, 3) points; goals that are not named keep the target they have.
            q0: (n,) one start for all, (N, n) one for each, or None.
            threads: How many threads; one per processor by default.
            obstacles: As for `solve`.
            clearance: As for `solve`.
            self_collision: As for `solve`.
        """
        from forearm.trees.batch import solve_many  # noqa: PLC0415 (one call in a thousand)

        self._refuse_costs("solve_batch")
        return solve_many(self, goals, q0, threads, self.among(obstacles, clearance, self_collision))

    def track(
        self, goals: Mapping[str, Any], q0: Any = None, *, base: Any = None, max_joint_step: float = 0.1, **other: Any
    ) -> Any:
        """Follows targets way-point by way-point, each from the last answer, no joint farther than it may go.

        Args:
            goals: By name: N targets each, as for `solve_batch`.
            q0: Where it starts.
            base: (4, 4) where a free base starts.
            max_joint_step: The farthest a joint may move between two way-points [rad or m]; where it cannot be kept,
                the way-point is solved freely and the jump is named.
            **other: Refused by name.
        """
        from forearm.trees.track import follow  # noqa: PLC0415 (one call in a thousand)

        refuse_other("track", other, ("goals", "q0", "base", "max_joint_step"))
        self._refuse_costs("track")
        return follow(self, goals, q0, base, max_joint_step)

    def servo(
        self,
        q0: Any,
        *,
        rate: float,
        velocity: Any = None,
        acceleration: Any = None,
        base: Any = None,
        **other: Any,
    ) -> Any:
        """A servo: one bounded step of all joints a tick toward the goals of the stack; see `forearm.trees.servo`."""
        from forearm.trees.servo import TreeServo  # noqa: PLC0415 (one call in a thousand)

        refuse_other("servo", other, ("q0", "rate", "velocity", "acceleration", "base"))
        self._refuse_costs("servo")
        return TreeServo(self, q0, rate, velocity, acceleration, base)

    def _repr_html_(self) -> str:
        """Its goals, as a notebook shows it."""
        from forearm.results.html_trees import stack_html  # noqa: PLC0415 (only a notebook asks)

        return stack_html(self)

    def __repr__(self) -> str:
        """One line: the robot and the names of the goals."""
        return f"Stack('{self.body.mechanism.name}', goals: {', '.join(self.names)})"

    def _refuse_costs(self, call: str) -> None:
        """Refuses what only single solves do."""
        if self.costs:
            raise OptionError(f"{call} takes no Cost ('{self.costs[0].name}'); give a Posture, or solve one by one")


def refuse_other(call: str, other: Iterable[str], taken: Iterable[str]) -> None:
    """Refuses by name what a call does not take, and says where obstacles are taken."""
    for name in other:
        if name in GUARD:
            raise OptionError(
                f"a {call} of a tree takes no {name}; solve each point, as stack.solve(..., {name}=...), or take the "
                f"arm of one tip, tree.arm(tip).{call}(..., {name}=...)"
            )
        raise OptionError(f"a {call} of a tree takes no {name}; {nearest_names(name, taken)}")


def solved(answers: Iterable[Answer]) -> bool:
    """What calls an answer solved: every part's kernel placed the robot anew and found all goals met, limits kept."""
    return all(found.solved for found in answers)


def held(packed: Packed, stack: Stack, q: Floats, more: Iterable[int] = ()) -> Floats:
    """The numbers of a part in which joints without a value of their own stand still where q has them."""
    new = replaced(packed, numbers=packed.numbers.copy())
    for variable in (*(stack.body.variable(joint) for joint in stack.still), *more):
        new.bounds[packed.variables == variable, : at.STIFF] = q[variable]
    return new.numbers


def rewrite(packed: Packed, i: int, wish: Wish) -> None:
    """Gives task i of a part the numbers of another target."""
    task = packed.aims[i]
    if isinstance(wish, Goal) and wish.target.kind == codes.POSE:  # as loops give it
        task[:9], task[9:12] = wish.target.goal[:3, :3].ravel(), wish.target.goal[:3, 3]
        return
    with_aim(packed.tasks[i], wish)
    if isinstance(wish, CenterOfMass) and wish.inner is not None:
        corners_of(packed.numbers)[:] = padded(wish.inner)


def is_pose(T: Any) -> bool:
    """Whether a value is a bare (4, 4) array and a rigid transform, as loops give it."""
    return is_plain(T, (4, 4)) and T.flags.carray and find_not_rigid(T[None]) == NONE


def as_base(base: Any, body: Body) -> Floats:
    """(4, 4) a rigid pose of a base, the identity for None; one that is not free stands at the origin."""
    if base is None:
        return np.eye(4)
    T = np.asarray(base) if is_pose(base) else as_rigid(base, "base")
    if body.base != "free" and not np.array_equal(T, np.eye(4)):
        raise OptionError(
            f"base is a pose, and {body.mechanism.name} has base='{body.base}', which stands at the origin; "
            'make the tree with base="free", or give goals as its base sees them'
        )
    return T


def frame_of(numbers: Floats) -> Floats:
    """(4, 4) of the 12 numbers that kernels write."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = numbers[:9].reshape(3, 3), numbers[9:]
    return T


def as_start(q0: Any, body: Body, name: str = "q0") -> Floats:
    """(n,) a fresh start inside the limits."""
    if is_plain(q0, (body.n,)) and np.isfinite(q0).all():  # as loops give it
        inside: Floats = np.minimum(np.maximum(q0, body.limits[0]), body.limits[1])
        if np.abs(inside - q0).max() <= codes.START_SLACK:
            return inside
    values = q0
    if isinstance(q0, Mapping):
        values = body.rest
        for joint, value in q0.items():
            values[body.variable(joint)] = as_number(value, name, OptionError, f"joint '{joint}' of ")
    q = as_floats(values, name, OptionError)
    if q.shape != (body.n,):
        raise OptionError(
            f"{name} has shape {q.shape}; {body.mechanism.name} takes {body.n} joint values, or a mapping of names"
        )
    outside = np.flatnonzero((q < body.limits[0] - codes.START_SLACK) | (q > body.limits[1] + codes.START_SLACK))
    if outside.size:
        k = int(outside[0])
        raise OptionError(
            f"{name} has joint '{body.joint_names[k]}' at {q[k]:g}, outside its limits {body.limits[0, k]:g} to "
            f"{body.limits[1, k]:g}; clip it first"
        )
    return np.clip(q, *body.limits)


def changed(wish: Wish, target: Any) -> Wish:
    """The same goal with another target."""
    if isinstance(wish, Goal) and wish.target.kind == codes.POSE and is_pose(target):  # as loops give it
        same = object.__new__(Goal)
        same.__dict__.update(wish.__dict__, target=Target(codes.POSE, target.copy(), wish.target.terms))
        return same
    about: dict[str, Any] = {"weight": wish.weight, "level": wish.level, "name": wish.name}
    if isinstance(wish, Goal):
        aim = plain_target(target, wish.link)
        if aim.kind != wish.target.kind:
            raise OptionError(f"'{wish.name}' was asked for another kind of target; make a new stack for a new kind")
        return Goal(wish.link, aim, **about)
    if isinstance(wish, Relative):
        position, rotation = wish.counts
        return Relative(wish.link, wish.other, target, position=position, rotation=rotation, tol=wish.tol, **about)
    if isinstance(wish, LookAt):
        return LookAt(wish.link, as_vector(target, "point", 3), axis=wish.axis, tol=wish.tol[0], **about)
    assert isinstance(wish, CenterOfMass)
    if wish.support is not None:
        return CenterOfMass(support=target, margin=wish.margin, tol=wish.tol[0], **about)
    return CenterOfMass(target, axes=wish.axes, tol=wish.tol[0], **about)
