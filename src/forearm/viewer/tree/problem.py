"""What is asked of a robot with several tips and what it answers: the state of a page, without the page."""

import copy
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from forearm.common.transforms import inverse, translation
from forearm.common.types import Floats
from forearm.core import codes
from forearm.goals.goal import CenterOfMass, Goal, LookAt, Posture, Relative, Wish
from forearm.tree import Tree
from forearm.trees.pack import posture_of
from forearm.trees.stack import Stack
from forearm.viewer.arm.problem import GOALS
from forearm.viewer.shared.answer import Answer, timed
from forearm.viewer.tree.figure import first_posture, first_tips

BASE = "base"  # the goal that a base is dragged by
BALANCE = "centre of mass"
KINDS = {codes.POSE: "pose", codes.POSITION: "position only", codes.POINT_AXIS: "point and tool axis"} | {
    codes.ORIENTATION: "orientation only"
}
LEVELS = 3  # that can be chosen in a page
WEIGHTS = (0.1, 10.0)


class TreeProblem:
    """A robot with several tips, goals with a pose each that is dragged, and which of them are asked.

    Args:
        tree: The robot.
        wishes: What it is asked for; a pose for each tip, and for a base that moves, by default.
        q: (n,) where it stands first.
        base: (4, 4) where a free base stands first.
    """

    def __init__(
        self, tree: Tree, wishes: Iterable[Wish] | None, q: Floats | None = None, base: Floats | None = None
    ) -> None:
        self.tree, self.body = tree, tree.body
        tips = first_tips(self.body)
        self.home = (first_posture(self.body, tips) if q is None else q), (np.eye(4) if base is None else base)
        self.q, self.base = self.home
        self.seconds = 0.0  # that the last solve took
        self.idle: set[str] = set()  # goals that are not asked
        given = list(self._first_wishes(tips) if wishes is None else wishes)
        made = tree.stack(given)
        self.wishes = {name: renamed(wish, name=name) for name, wish in made.goals.items()}
        self.others = self._given_others = made.others
        self.poses = {name: self._pose_of(wish) for name, wish in self.wishes.items()}
        self.stack: Stack = made
        if self.idle:
            self.renew()

    def _first_wishes(self, tips: Sequence[str]) -> list[Wish]:
        """A pose for each tip; on the second level a base that moves; a centre of mass, not asked yet."""
        q, base = self.home
        wishes: list[Wish] = [Goal(link, self.tree.fk(q, link, base)) for link in tips]
        if self.body.base != "fixed":
            wishes.append(Goal(self.body.root, self.tree.fk(q, self.body.root, base), level=2, name=BASE))
        masses = [link.mass for link in self.body.mechanism.links if link.name in self.body.places]
        if self.body.base == "free" and all(map(math.isfinite, masses)) and sum(masses) > 0.0:
            wishes.append(CenterOfMass(self.tree.centre_of_mass(q, base)[:2], name=BALANCE))
            self.idle.add(BALANCE)
        return [*wishes, Posture(q)]

    def _pose_of(self, wish: Wish) -> Floats:
        """(4, 4) where the handle of a goal stands: at its target, turned as its link is where that is not asked."""
        q, base = self.home
        if isinstance(wish, Goal):
            T, aim = self.tree.fk(q, wish.link, base), wish.target.goal
            if wish.target.kind != codes.ORIENTATION:
                T[:3, 3] = aim[:3, 3]
            if wish.target.kind in (codes.POSE, codes.ORIENTATION):
                T[:3, :3] = aim[:3, :3]
            return T
        if isinstance(wish, Relative):
            return np.asarray(self.tree.fk(q, wish.other, base) @ wish.pose)
        assert isinstance(wish, (LookAt, CenterOfMass))
        return translation(*wish.point)

    @property
    def kind(self) -> tuple[object, ...]:
        """What decides which kernels a solve needs."""
        return (any(isinstance(wish, (Relative, CenterOfMass)) for wish in self.asked().values()),)

    def asked(self) -> dict[str, Wish]:
        """The goals that are asked."""
        return {name: wish for name, wish in self.wishes.items() if name not in self.idle}

    def kind_of(self, name: str) -> str:
        """What kind of target a link is asked for; empty for goals that are no link's own."""
        wish = self.wishes[name]
        return KINDS[wish.target.kind] if isinstance(wish, Goal) else ""

    def drag(self, name: str, T: Floats) -> None:
        """Gives a goal another pose."""
        self.poses[name] = T
        if name not in self.idle:
            self.stack[name] = self._aim(name)
            self.wishes[name] = self.stack[name]

    def _aim(self, name: str, kind: str | None = None) -> Any:
        """The target that the pose of a goal stands for, as a stack takes it."""
        wish, T = self.wishes[name], self.poses[name]
        if isinstance(wish, Goal):
            return GOALS[kind or self.kind_of(name)](T)
        if isinstance(wish, Relative):
            return inverse(self.tree.fk(self.q, wish.other, self.base)) @ T
        return T[:2, 3] if isinstance(wish, CenterOfMass) and wish.axes == "xy" else T[:3, 3]

    def ask_for(self, name: str, wanted: bool) -> None:
        """Asks for a goal, or no longer; one at least is asked."""
        idle = self.idle - {name} if wanted else self.idle | {name}
        if len(idle) < len(self.wishes):
            self.idle = idle
            self.renew()

    def set_about(self, name: str, weight: float, level: int, kind: str) -> None:
        """Gives a goal another weight, level, and kind of target."""
        wish = self.wishes[name]
        if isinstance(wish, Goal) and kind in GOALS:
            self.wishes[name] = Goal(wish.link, self._aim(name, kind), weight=weight, level=level, name=wish.name)
        else:
            self.wishes[name] = renamed(wish, weight=weight, level=level)
        self.renew()

    def renew(self) -> None:
        """Makes the tables of the goals that are asked anew, each with its newest target."""
        self.stack = self.tree.stack([*self.asked().values(), *self.others])
        for name, wish in self.asked().items():
            if not (isinstance(wish, CenterOfMass) and wish.support is not None):
                self.stack[name] = self._aim(name)
        self.wishes |= self.stack.goals

    def solve(self, explain: bool = False) -> Answer:
        """Solves from where the robot is, and leaves it at what was found."""
        answer = timed(self.stack.solve, self.q, base=self.base, explain=explain)
        if explain:  # what it took to find out why is not what a solve takes
            answer = replace(answer, seconds=self.seconds)
        self.seconds = answer.seconds
        self.q, self.base = answer.solution.q, answer.solution.base
        return answer

    def go_home(self) -> None:
        """Puts the robot back, and the goals of its links on them."""
        if self.others is not self._given_others:
            self.others = self._given_others
            self.renew()
        self._stand(*self.home)

    def set_joint(self, k: int, value: float) -> None:
        """Turns a joint by hand; the goals of links go with them."""
        q = self.q.copy()
        q[k] = value
        if k in self.stack.idle:
            self._prefer(self.body.joint_names[k], value)
        self._stand(q, self.base)

    def _prefer(self, joint: str, value: float) -> None:
        """Lets postures have a joint that no goal uses where it was put by hand: else it would spring back."""
        others: list[Wish] = []
        for wish in self.others:
            if isinstance(wish, Posture):
                names = {self.body.joint_names[k]: own for k, own in posture_of(wish, self.body).items()}
                others.append(Posture(names | {joint: value}, weight=wish.weight, name=wish.name))
            else:
                others.append(wish)
        self.others = others
        self.renew()

    def _stand(self, q: Floats, base: Floats) -> None:
        self.q, self.base = q, base
        for name, wish in self.wishes.items():
            if isinstance(wish, Goal):
                self.drag(name, self.tree.fk(q, wish.link, base))

    def follow_other(self, name: str) -> None:
        """Lets the pose of a goal in another link go with that link."""
        wish = self.wishes[name]
        assert isinstance(wish, Relative)
        self.poses[name] = np.asarray(self.tree.fk(self.q, wish.other, self.base) @ wish.pose)

    def place_of(self, name: str) -> Floats:
        """(3,) where what a goal moves is now: its link, or the centre of mass over or on its own height."""
        wish = self.wishes[name]
        if isinstance(wish, CenterOfMass):
            x, y, z = self.tree.centre_of_mass(self.q, self.base)
            return np.array([x, y, z if wish.axes == "xyz" else 0.0])
        return np.asarray(self.tree.fk(self.q, wish.link, self.base)[:3, 3])  # type: ignore[attr-defined]


def renamed(wish: Wish, **about: Any) -> Wish:
    """A goal of any kind with another name, weight or level."""
    new = copy.copy(wish)
    for key, value in about.items():
        object.__setattr__(new, key, value)
    return new
