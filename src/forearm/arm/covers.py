"""Links of many bodies under one cover each, so that kernels look at the bodies only where the cover is near.

A cover is a capsule round all bodies of a frame; of many, both halves have covers of their own under it. It stands in
front of what it holds in the rows that kernels take, and in front of the pairs of two covers' bodies stand these covers
(`core/collision/bodies.py`).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from forearm.arm.apart import Pairs, cover_row
from forearm.arm.charts.make import Charts
from forearm.arm.geometry import MANY, Geometry, heads_of
from forearm.common.types import Floats
from forearm.core.arm.chart import BODY_A, BODY_B
from forearm.core.collision.bodies import FRAME, RADIUS, SPAN, START, WATCHED
from forearm.core.collision.certain import OWNER

GROUP = 8  # bodies that are not halved again


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
        charts: Those of further pairs of links, by these rows.
    """

    bodies: Floats
    sure: Floats
    every: Pairs
    pairs: Pairs
    names: tuple[str, ...]
    inner: Floats
    charts: Charts

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
        pairs = geometry.pairs
        return Covered(bodies, geometry.sure, pairs, pairs, geometry.names, geometry.inner, geometry.charts)
    laid = _Laid([], [], {})
    for group in groups:
        _lay(bodies, group, (), laid)
    rows, owners = np.array(laid.rows), np.array(laid.owners)
    place = np.array([laid.paths[b][-1] for b in range(len(bodies))])
    sure = geometry.sure.copy()
    sure[:, OWNER] = place[sure[:, OWNER].astype(np.int64)]
    inner = rows[:, RADIUS].copy()
    inner[place] = geometry.inner
    near = np.array([tuple(pair) not in geometry.apart for pair in geometry.pairs.tolist()], bool)
    every, pairs = (_cover_pairs(each, laid.paths) for each in (geometry.pairs, geometry.pairs[near]))
    charts = geometry.charts.rows.copy()
    heads = heads_of(charts)
    for column in (BODY_A, BODY_B):
        charts[heads, column] = place[charts[heads, column].astype(np.int64)]
    return Covered(
        rows, sure, every, pairs, tuple(geometry.names[b] for b in owners), inner, geometry.charts._replace(rows=charts)
    )


class _Laid(NamedTuple):
    """Rows as they are laid out."""

    rows: list[Floats]
    owners: list[int]  # the body of each; of a cover its first
    paths: dict[int, tuple[int, ...]]  # of a body: the rows of its covers from the outermost on, and its own


def _lay(bodies: Floats, group: list[int], over: tuple[int, ...], laid: _Laid) -> None:
    """Lays out the rows of bodies under the covers `over`: a cover of theirs if they are many, then they themselves."""
    if len(group) >= MANY:
        over = (*over, len(laid.rows))
        laid.rows.append(cover_row(bodies[group]))
        laid.owners.append(group[0])
    first = len(laid.rows)
    if len(group) > GROUP:
        for half in _halves(bodies, group):
            _lay(bodies, half, over, laid)
    else:
        for b in group:
            laid.paths[b] = (*over, len(laid.rows))
            laid.rows.append(bodies[b])
            laid.owners.append(b)
    if len(group) >= MANY:
        rows = 1.0 + len(laid.rows) - first
        laid.rows[first - 1][WATCHED] = rows if bodies[group[0], WATCHED] != 0.0 else -rows


def _groups(bodies: Floats) -> list[list[int]]:
    """The bodies of each frame, those that are held against obstacles apart from the others."""
    found: dict[tuple[float, float], list[int]] = {}
    for b, row in enumerate(bodies):
        found.setdefault((row[FRAME], row[WATCHED]), []).append(b)
    return list(found.values())


def _halves(bodies: Floats, group: list[int]) -> tuple[list[int], list[int]]:
    """Bodies in two halves, one beside the other along their longest extent."""
    middles = bodies[group, START : START + 3] + 0.5 * bodies[group, SPAN : SPAN + 3]
    axis = np.linalg.svd(middles - middles.mean(axis=0))[2][0]
    order = np.argsort(middles @ axis, kind="stable")
    half = len(group) // 2
    return [group[k] for k in sorted(order[:half])], [group[k] for k in sorted(order[half:])]


def _cover_pairs(pairs: Pairs, paths: dict[int, tuple[int, ...]]) -> Pairs:
    """Pairs by the rows of covered bodies; in front of many under the same two covers, these, and how many follow."""
    return np.array(_headed([(paths[a], paths[b]) for a, b in pairs.tolist()], 0), np.int64).reshape(-1, 2)


def _headed(pairs: list[tuple[tuple[int, ...], tuple[int, ...]]], depth: int) -> list[tuple[int, int]]:
    """Rows of pairs of paths, from some depth of their covers on."""
    found: dict[tuple[int, int], list[tuple[tuple[int, ...], tuple[int, ...]]]] = {}
    for a, b in pairs:
        found.setdefault((a[min(depth, len(a) - 1)], b[min(depth, len(b) - 1)]), []).append((a, b))
    rows: list[tuple[int, int]] = []
    for (one, other), members in found.items():
        a, b = members[0]
        below = [(one, other)] if depth + 1 >= max(len(a), len(b)) else _headed(members, depth + 1)
        rows += [(-1 - one, -1 - other), (len(below), 0), *below] if len(members) >= MANY else below
    return rows
