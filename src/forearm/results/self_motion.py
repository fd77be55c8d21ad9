"""The self-motion of an arm with a joint to spare: curves along which the joints move and the tip stands still."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from forearm.common.types import Floats
from forearm.errors import OptionError

TURN = 2.0 * np.pi
# places along an arc that a search for the best one begins with, per rad and at least; those it looks at when it
# closes in, how often, and from how many of the best places
DENSE, FEWEST, CLOSER, TIMES, STARTS = 12.0, 17, 33, 5, 4
AT_END = 1e-7  # a place so near to the end of an arc is the end [rad]


class Path(Protocol):
    """What gives the joint values along a curve."""

    @property
    def length(self) -> float:
        """Once round [rad]."""

    def rough(self, s: Floats) -> Floats:
        """(N, n) joint values at places (N,), near enough to compare them."""

    def exact(self, s: Floats) -> Floats:
        """(N, n) joint values at places (N,), that hold the tip to 1e-9."""


class ArcEnd(NamedTuple):
    """Where an arc ends."""

    s: float  # the place along the curve [rad]
    q: Floats  # (n,) the joint values there
    joint: str  # the joint that is at a limit
    limit: str  # "lower" or "upper"

    def __str__(self) -> str:
        """In words: `joint_4 at its upper limit`."""
        return f"{self.joint} at its {self.limit} limit"


@dataclass(frozen=True, eq=False, repr=False)
class Arc:
    """A stretch of a self-motion curve inside all limits.

    Attributes:
        curve: The number of its curve in `SelfMotion.curves`.
        begin: Where it begins along the curve [rad].
        end: Where it ends; behind `begin`, and perhaps behind the curve's length.
        ends: The two ends, with the limits that end it; none where the whole curve is inside the limits.
        path: What gives the joint values.
        offset: (n,) whole turns that bring them inside the limits.
        limits: (2, n) these limits.
    """

    curve: int
    begin: float
    end: float
    ends: tuple[ArcEnd, ...]
    path: Path
    offset: Floats
    limits: Floats

    @property
    def length(self) -> float:
        """How long it is [rad], all joints together; of a swivel, the angle."""
        return self.end - self.begin

    @property
    def whole(self) -> bool:
        """Whether it is a whole closed curve, that no limit ends."""
        return not self.ends

    def q(self, s: ArrayLike) -> Floats:
        """(n,) or (N, n) joint values at one place or many along the curve; places off the arc are refused."""
        places = np.atleast_1d(np.asarray(s, dtype=float))
        off = (places < self.begin - AT_END) | (places > self.end + AT_END)
        if not self.whole and bool((off | ~np.isfinite(places)).any()):
            raise OptionError(
                f"the place {places[off | ~np.isfinite(places)][0]:g} is off the arc, which goes from "
                f"{self.begin:g} to {self.end:g}"
            )
        rows = self.turned(self.path.exact(places))
        for end in self.ends:
            rows[np.abs(places - end.s) < AT_END] = end.q
        return rows[0] if np.ndim(s) == 0 else rows

    def turned(self, rows: Floats) -> Floats:
        """Rows of the path by whole turns inside the limits; a joint that winds farther than they allow turns back."""
        return self._inside(rows + self.offset)

    def near(self, rows: Floats, start: Floats) -> Floats:
        """Rows of the path by whole turns inside the limits, those joints near to a start that have a choice."""
        q = rows + self.offset
        return self._inside(np.where(self._wide, q - TURN * np.round((q - start) / TURN), q))

    @cached_property
    def _wide(self) -> NDArray[np.bool_]:
        """(n,) which joints turn all round inside their limits."""
        return np.asarray(self.limits[1] - self.limits[0] >= TURN)

    def _inside(self, q: Floats) -> Floats:
        """(N, n) joint values with those joints turned back inside that have the room for it."""
        lower, upper = self.limits
        if not self._wide.any():
            return q
        beyond, short = np.maximum(q - upper, 0.0), np.maximum(lower - q, 0.0)
        return np.where(self._wide, q - TURN * np.ceil(beyond / TURN) + TURN * np.ceil(short / TURN), q)

    def sample(self, count: int) -> Floats:
        """(count, n) joint values at evenly spread places, both ends included."""
        return self.q(self.places(count))

    def places(self, count: int) -> Floats:
        """(count,) evenly spread places, both ends included."""
        if not isinstance(count, (int, np.integer)) or count < 1:
            raise OptionError(f"count is {count!r}; it takes a whole number from 1")
        return np.linspace(self.begin, self.end, count)

    def __repr__(self) -> str:
        """One line: from where to where, and what ends it."""
        ends = " to ".join(str(end) for end in self.ends) if self.ends else "whole"
        return f"Arc({self.begin:.4g} to {self.end:.4g}: {ends})"


@dataclass(frozen=True, eq=False, repr=False)
class Curve:
    """One closed curve of joint values that hold the tip, limits aside, and its arcs inside the limits.

    Attributes:
        length: Once round [rad].
        turns: (n,) whole turns that each joint has made once round.
        arcs: The stretches inside all limits, in order.
        path: What gives the joint values.
    """

    length: float
    turns: Floats
    arcs: tuple[Arc, ...]
    path: Path

    @property
    def closed(self) -> bool:
        """Whether all of it is inside the limits, so that one can go round without an end."""
        return len(self.arcs) == 1 and self.arcs[0].whole

    def q(self, s: ArrayLike) -> Floats:
        """(n,) or (N, n) joint values at one place or many, limits aside."""
        rows = self.path.exact(np.atleast_1d(np.asarray(s, dtype=float)))
        return rows[0] if np.ndim(s) == 0 else rows

    def sample(self, count: int) -> Floats:
        """(count, n) joint values at evenly spread places once round, limits aside."""
        return self.q(np.arange(count) * (self.length / max(count, 1)))

    def __repr__(self) -> str:
        """One line: how long it is, and how many arcs it has."""
        return f"Curve({self.length:.4g} rad round, arcs inside the limits: {list(self.arcs)})"


class Place(NamedTuple):
    """A place of a self-motion, the best by some measure."""

    arc: Arc
    s: float
    q: Floats
    score: float


@dataclass(frozen=True, eq=False, repr=False)
class SelfMotion:
    """Every way in which the joints can move while the tip stands still.

    Attributes:
        curves: The closed curves, limits aside, each with its arcs inside the limits.
        complete: Whether every slice of the pose is accounted for.
        reason: A sentence: what the set is, or why it is empty.
        method: What found them.
        joint_names: The joints.
    """

    curves: tuple[Curve, ...]
    complete: bool
    reason: str
    method: str
    joint_names: tuple[str, ...]

    @property
    def arcs(self) -> tuple[Arc, ...]:
        """All arcs inside the limits."""
        return tuple(arc for curve in self.curves for arc in curve.arcs)

    def sample(self, step: float) -> list[Floats]:
        """For each arc (k, n) joint values no more than a step apart along it [rad], both ends included."""
        if not step > 0.0:
            raise OptionError(f"step is {step!r}; it takes a positive number of rad")
        return [arc.sample(int(np.ceil(arc.length / step)) + 1) for arc in self.arcs]

    def nearest(self, q0: ArrayLike) -> Place:
        """Where the largest change of a joint from q0 (n,) is least, whole turns inside the limits included."""
        start = np.asarray(q0, dtype=float)
        return self.best(lambda Q: -np.abs(Q - start).max(axis=1), start)

    def best(self, score: Callable[[Floats], Floats], start: Floats | None = None) -> Place:
        """Where a measure of joint values, (N, n) to (N,), is greatest on all arcs.

        With a start (n,), joints that turn all round inside their limits stand by whole turns as near to it as can be.
        """
        if not self.arcs:
            raise OptionError(f"there is no place to choose: {self.reason}")
        return max((best_on(arc, score, start) for arc in self.arcs), key=lambda place: place.score)

    def __len__(self) -> int:
        """How many curves there are."""
        return len(self.curves)

    def __iter__(self) -> Iterator[Curve]:
        """The curves."""
        return iter(self.curves)

    def _repr_html_(self) -> str:
        """Its arcs and what ends them, as a notebook shows it."""
        from forearm.results.html import self_motion_html  # noqa: PLC0415 (only a notebook asks)

        return self_motion_html(self)

    def __repr__(self) -> str:
        """A line and one more per curve."""
        head = f"SelfMotion({len(self.curves)} curves by {self.method}: {self.reason})"
        return "\n  ".join([head, *map(repr, self.curves)])


def best_on(arc: Arc, score: Callable[[Floats], Floats], start: Floats | None = None) -> Place:
    """Where a measure is greatest on an arc: looked at densely, then closer and closer at its best places."""
    path, inside = arc.path, (arc.begin, arc.end)

    def rows(places: Floats, give: Callable[[Floats], Floats]) -> Floats:
        found = give(places)
        return arc.turned(found) if start is None else arc.near(found, start)

    count = max(FEWEST, int(np.ceil(DENSE * arc.length)) + 1)
    around = np.linspace(*inside, count)
    values = np.asarray(score(rows(around, path.rough)))
    padded = np.concatenate([[-np.inf], values, [-np.inf]])
    peaks = np.flatnonzero((values >= padded[:-2]) & (values >= padded[2:]))
    around = around[peaks[np.argsort(-values[peaks], kind="stable")][:STARTS]]
    wide = arc.length / (count - 1)
    for round_ in range(TIMES):
        near = np.clip(around[:, None] + wide * np.linspace(-1.0, 1.0, CLOSER), *inside)
        # exact from here on: rough places are off by more than the last gaps, so that the best would fall out of sight
        values = np.asarray(score(rows(near.ravel(), path.exact))).reshape(near.shape)
        pick = np.arange(len(near)), np.argmax(values, axis=1)
        around = near[pick]
        if round_ == 0:  # the best two are worth a closer look
            around = around[np.argsort(-values[pick], kind="stable")[:2]]
        wide *= 2.0 / (CLOSER - 1)
    tried = np.concatenate([around, inside])
    exact = rows(tried, path.exact)
    for k, end in enumerate(arc.ends):
        exact[k - 2] = end.q if start is None else arc.near(end.q - arc.offset, start)
    values = np.asarray(score(exact))
    at = int(np.argmax(values))
    return Place(arc, float(tried[at]), exact[at], float(values[at]))


def in_words(motion: SelfMotion) -> dict[str, Any]:
    """A self-motion as plain data, for pages and JSON: each curve's arcs, their ends and what ends them."""
    return {
        "complete": motion.complete,
        "reason": motion.reason,
        "curves": [
            {
                "length": curve.length,
                "arcs": [
                    {
                        "begin": arc.begin,
                        "end": arc.end,
                        "ends": [{"s": end.s, "q": end.q.tolist(), "at": str(end)} for end in arc.ends],
                    }
                    for arc in curve.arcs
                ],
            }
            for curve in motion.curves
        ],
    }
