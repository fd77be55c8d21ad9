"""A stack of goals: tables made once, then solved for one set of targets after another."""

from collections.abc import Iterable, Mapping
from dataclasses import replace as replaced
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from forearm.common.checks import as_floats, as_rigid, as_vector
from forearm.common.types import Floats
from forearm.core import codes
from forearm.core.tree import layout as at
from forearm.errors import OptionError, nearest_names
from forearm.goals.goal import CenterOfMass, Cost, Goal, LookAt, Relative, Still, Wish, plain_target
from forearm.results.solution import Status
from forearm.results.tree import TreeBatch, TreeSolution
from forearm.trees.body import Body
from forearm.trees.explain import explain as explain_missed
from forearm.trees.free import lower_cost, support_answer
from forearm.trees.pack import Packed, flat, with_aim
from forearm.trees.parts import NO_START, Answer, MakeArm, Part, answer, split

ASKS = (Goal, Relative, CenterOfMass, LookAt)


class Stack:
    """Goals of a robot with several tips, ready to be solved again and again; `Tree.stack` makes one.

    `stack["left_hand"] = T` gives a goal another target in the same tables. Not to be changed by two threads at once.
    """

    def __init__(self, body: Body, wishes: Iterable[Wish], make_arm: MakeArm, rng_seed: int = 0) -> None:
        self.body, self._make_arm, self._rng_seed = body, make_arm, rng_seed
        self.goals: dict[str, Wish] = {}
        self.others: list[Wish] = []
        for wish in wishes:
            if not isinstance(wish, Wish):
                raise OptionError(
                    f"a stack takes goals of fa.goals; {wish!r} is none: wrap it in fa.goals.Goal(link, ...)"
                )
            self._add(wish)
        if not self.goals:
            raise OptionError("a stack needs a goal to meet: Goal, Relative, CenterOfMass or LookAt")
        self.costs = [wish for wish in self.others if isinstance(wish, Cost)]
        plain = [wish for wish in self.others if not isinstance(wish, Cost)]
        self.parts: list[Part] = split(body, self.goals, plain, make_arm, rng_seed)
        self._home = {name: (part, i) for part in self.parts for i, name in enumerate(part.names)}
        # what every solve asks, once
        self._rest, self._eye = body.rest, np.eye(4)
        self._still = [
            joint for wish in plain if isinstance(wish, Still) for joint, v in wish.joints.items() if v is None
        ]
        asked = [goal for goal in self.goals.values() if isinstance(goal, CenterOfMass)]
        self._over = any(goal.support is not None for goal in asked)
        names = [name for part in self.parts for name in part.names]
        self._order = [names.index(name) for name in self.goals]

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
        wish = changed(self.goals[name], target)
        part, i = self._home[name]
        self.goals[name] = part.goals[i] = wish
        if part.packed is not None:
            with_aim(part.packed.tasks[i], wish)

    def _known(self, name: str) -> None:
        if name not in self.goals:
            raise OptionError(f"'{name}' is no goal of this stack; {nearest_names(name, self.goals)}")

    # -- solving ---------------------------------------------------------------------------------

    def solve(self, q0: Any = None, *, base: ArrayLike | None = None, explain: bool = True) -> TreeSolution:
        """Joint values and a base that meet all goals, or come nearest, level by level, and why not.

        Args:
            q0: (n,) where the search starts, or a mapping from joint names; anywhere without one. Joints that no goal
                uses stay there, or at 0.
            base: (4, 4) where a free base starts; at the origin by default.
            explain: Whether to find out why goals were missed: it takes some ms.
        """
        start = None if q0 is None else as_start(q0, self.body)
        T = self._eye if base is None else as_rigid(base, "base")
        found = support_answer(self, start, T) if self._supports() else self.meet(start, T)
        for cost in self.costs:
            found = lower_cost(self, cost, found)
        if explain and found.status is not Status.SOLVED:
            explain_missed(self, found)
        return found

    def _supports(self) -> bool:
        """Whether a centre of mass is asked over a support."""
        asked = (goal for goal in self.goals.values() if self._over and isinstance(goal, CenterOfMass))
        return self._over and any(goal.support is not None for goal in asked)

    def meet(self, start: Floats | None, T: Floats, numbers: Mapping[int, Floats] | None = None) -> TreeSolution:
        """The answer from a start, part by part; `numbers` are used instead of those of a part, by its place."""
        body = self.body
        q = (self._rest if start is None else start).copy()
        where, answers = T, []
        for i, part in enumerate(self.parts):
            begin = NO_START
            if start is not None:
                begin = np.concatenate([start[part.variables], flat(T)]) if part.arm is None else start[part.variables]
            own = numbers.get(i) if numbers else self._held(part, q) if self._still else None
            found = answer(part, begin, own)
            q[part.variables] = found.q
            if found.base is not None and body.base == "free":
                where = frame_of(found.base)
            answers.append(found)
        return self._joined(q, where, answers)

    def _held(self, part: Part, q: Floats) -> Floats | None:
        """The numbers of a part in which joints without a value of their own stand still where q has them."""
        packed = part.packed
        if packed is None:
            return None
        new = replaced(packed, numbers=packed.numbers.copy())
        for joint in self._still:
            k = np.flatnonzero(packed.variables == self.body.variable(joint))
            new.bounds[k, : at.STIFF] = q[self.body.variable(joint)]
        return new.numbers

    def _joined(self, q: Floats, base: Floats, answers: list[Answer]) -> TreeSolution:
        """The answers of all parts as one."""
        sides = np.zeros(self.body.n)
        for part, found in zip(self.parts, answers, strict=True):
            sides[part.variables] = found.sides
        measured, spent = answers[0].measured, np.array(answers[0].spent)
        if len(answers) > 1:
            measured = np.concatenate([found.measured for found in answers])[self._order]
            every = np.array([found.spent for found in answers])
            spent = np.array([every[:, 0].sum(), every[:, 1].max(), every[:, 2].max()])
        return TreeSolution(
            q=q,
            base=base.copy(),
            status=Status.SOLVED if solved(answers) else Status.NOT_CONVERGED,
            method=" and ".join(dict.fromkeys(found.method for found in answers)),
            goals=self.names,
            measured=measured,
            spent=spent,
            sides=sides,
            joint_names=self.body.joint_names,
        )

    def solve_batch(self, goals: Mapping[str, Any], q0: Any = None, *, threads: int | None = None) -> TreeBatch:
        """What `solve(explain=False)` gives for each of N sets of targets, on all processors.

        Args:
            goals: By name: (N, 4, 4) poses, (N, 3) points, or N targets; goals without keep the one they have.
            q0: (n,) one start for all, (N, n) one for each, or None.
            threads: How many threads; one per processor by default.
        """
        from forearm.trees.batch import solve_many  # noqa: PLC0415 (one call in a thousand)

        if any(isinstance(wish, (Cost, Still)) for wish in self.others) or self._supports():
            raise OptionError("solve_batch takes no Cost, no Still and no support; solve them one by one")
        return solve_many(self, goals, q0, threads)

    def track(self, goals: Mapping[str, Any], q0: Any = None, *, base: Any = None, max_joint_step: float = 0.1) -> Any:
        """Follows targets way-point by way-point, each from the last answer, no joint farther than it may go.

        Args:
            goals: By name: N targets each, as for `solve_batch`.
            q0: Where it starts.
            base: (4, 4) where a free base starts.
            max_joint_step: The farthest a joint may move between two way-points [rad or m]; where it cannot be kept,
                the way-point is solved freely and the jump is named.
        """
        from forearm.trees.track import follow  # noqa: PLC0415 (one call in a thousand)

        return follow(self, goals, q0, base, max_joint_step)

    def servo(self, q0: Any, *, rate: float, velocity: Any = None, acceleration: Any = None, base: Any = None) -> Any:
        """A servo: one bounded step of all joints a tick toward the goals of the stack; see `forearm.trees.servo`."""
        from forearm.trees.servo import TreeServo  # noqa: PLC0415 (one call in a thousand)

        return TreeServo(self, q0, rate, velocity, acceleration, base)


def solved(answers: Iterable[Answer]) -> bool:
    """What calls an answer solved: every part's kernel placed the robot anew and found all goals met, limits kept."""
    return all(found.solved for found in answers)


def frame_of(numbers: Floats) -> Floats:
    """(4, 4) of the 12 numbers that kernels write."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = numbers[:9].reshape(3, 3), numbers[9:]
    return T


def as_start(q0: Any, body: Body, name: str = "q0") -> Floats:
    """(n,) a fresh start inside the limits."""
    values = q0
    if isinstance(q0, Mapping):
        values = body.rest
        for joint, value in q0.items():
            values[body.variable(joint)] = value
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
    return CenterOfMass(target, axes=wish.axes, tol=wish.tol[0], **about)


def posture_numbers(packed: Packed, weight: float, q: Floats) -> Floats:
    """The numbers of a part that also stays near joint values, with a weight."""
    new = replaced(packed, numbers=packed.numbers.copy())
    new.bounds[:, at.STIFF], new.bounds[:, at.REST] = weight, q[packed.variables]
    new.bounds[:, at.LOW], new.bounds[:, at.HIGH] = new.bounds[:, at.LOWER], new.bounds[:, at.UPPER]
    return new.numbers
