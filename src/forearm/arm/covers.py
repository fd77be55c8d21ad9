"""Links of many bodies under one cover each, so that kernels look at the bodies only where the cover is near.

A cover is a capsule round all bodies of a frame. It stands in front of them in the rows that kernels take, and in front
of their pairs with the bodies of another frame stands a pair of covers (`core/collision/bodies.py`).
"""

from dataclasses import dataclass

import numpy as np

from forearm.arm.apart import Pairs
from forearm.arm.geometry import MANY, Geometry
from forearm.common.types import Floats
from forearm.core.collision.bodies import BODY_COLUMNS, FRAME, HALF, OVER_SQUARE, RADIUS, SPAN, START, WATCHED
from forearm.core.collision.certain import OWNER

LARGER = 1.0 + 1e-9  # a cover, so that its rounding hides nothing


@dataclass(frozen=True, eq=False)
class Covered:
    """What kernels take of a geometry.

    Attributes:
        bodies: (s, 11) with covers in front of what they hold.
        sure: (t, 9) what is certain beforehand, by these rows.
        every: (p, 2) pairs of these rows, with pairs of covers.
        pairs: Those that can come near enough to be told.
        names: The link of each row; a cover has that of its first body.
        inner: (s,) the radius about each row's axis that surely belongs to the arm; of a cover its own [m].
    """

    bodies: Floats
    sure: Floats
    every: Pairs
    pairs: Pairs
    names: tuple[str, ...]
    inner: Floats

    @property
    def sure_bodies(self) -> Floats:
        """(s, 11) the bodies with what surely belongs to the arm: it is no farther from anything than they are."""
        bodies: Floats = self.bodies.copy()
        bodies[:, RADIUS] = self.inner
        return bodies


def cover(geometry: Geometry) -> Covered:
    """The bodies and pairs of a geometry with covers; itself where no frame has many bodies."""
    bodies, groups = geometry.bodies, _groups(geometry.bodies)
    if all(len(group) < MANY for group in groups):
        return Covered(bodies, geometry.sure, geometry.pairs, geometry.pairs, geometry.names, geometry.inner)
    rows, names = [], []
    place, shade = np.zeros(len(bodies), np.int64), np.zeros(len(bodies), np.int64)  # of a body, and of its cover
    for group in groups:
        if len(group) >= MANY:
            rows.append(_cover(bodies[group]))
            names.append(geometry.names[group[0]])
        place[group] = len(rows) + np.arange(len(group))
        shade[group] = len(rows) - 1 if len(group) >= MANY else place[group]
        rows += list(bodies[group])
        names += [geometry.names[b] for b in group]
    sure = geometry.sure.copy()
    sure[:, OWNER] = place[sure[:, OWNER].astype(np.int64)]
    inner = np.array(rows)[:, RADIUS]
    inner[place] = geometry.inner
    near = np.array([tuple(pair) not in geometry.apart for pair in geometry.pairs.tolist()], bool)
    every, pairs = (_cover_pairs(each, place, shade) for each in (geometry.pairs, geometry.pairs[near]))
    return Covered(np.array(rows), sure, every, pairs, tuple(names), inner)


def _groups(bodies: Floats) -> list[list[int]]:
    """The bodies of each frame, those that are held against obstacles apart from the others."""
    found: dict[tuple[float, float], list[int]] = {}
    for b, row in enumerate(bodies):
        found.setdefault((row[FRAME], row[WATCHED]), []).append(b)
    return list(found.values())


def _cover(members: Floats) -> Floats:
    """The row of a capsule round all bodies of a frame, along their longest extent."""
    starts = members[:, START : START + 3]
    ends, radii = np.vstack([starts, starts + members[:, SPAN : SPAN + 3]]), np.tile(members[:, RADIUS], 2)
    middle = 0.5 * (ends.min(axis=0) + ends.max(axis=0))
    axis = np.linalg.svd(ends - middle)[2][0]
    along = (ends - middle) @ axis
    a, b = middle + along.min() * axis, middle + along.max() * axis
    off = np.linalg.norm(ends - middle - along[:, None] * axis, axis=1)
    row, length = np.zeros(BODY_COLUMNS), float(np.linalg.norm(b - a))
    row[FRAME], row[START : START + 3], row[SPAN : SPAN + 3] = members[0, FRAME], a, b - a
    row[RADIUS], row[HALF] = LARGER * float((off + radii).max()), 0.5 * length
    row[OVER_SQUARE] = 1.0 / length**2 if length > 0.0 else 0.0
    row[WATCHED] = 1.0 + len(members) if members[0, WATCHED] != 0.0 else 0.0
    return row


def _cover_pairs(pairs: Pairs, place: Pairs, shade: Pairs) -> Pairs:
    """Pairs by the rows of covered bodies; in front of many with the same two covers, those and how many rows follow.

    Among these, in front of many with the same first body, that and the other's cover.
    """
    found: dict[tuple[int, int], dict[int, list[tuple[int, int]]]] = {}
    for a, b in pairs.tolist():
        both = found.setdefault((int(shade[a]), int(shade[b])), {})
        both.setdefault(int(place[a]), []).append((int(place[a]), int(place[b])))
    rows: list[tuple[int, int]] = []
    for (one, other), both in found.items():
        below = [row for a, members in both.items() for row in _headed(a, other, members)]
        rows += below if len(both) == 1 else _headed(one, other, below)
    return np.array(rows, np.int64).reshape(-1, 2)


def _headed(one: int, other: int, below: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Rows of pairs, behind those of two covers and how many there are if there are many."""
    return [(-1 - one, -1 - other), (len(below), 0), *below] if len(below) >= MANY else below
