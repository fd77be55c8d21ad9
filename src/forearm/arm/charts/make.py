"""Charts of pairs of links whose capsules touch in most configurations (`core/arm/chart.py`), kept on disk.

Two links that one to three joints part have as many numbers that tell whether they touch, and touch or do not by their
true shapes: so these are looked at once, everywhere within the limits, and searches only look up what was found.
Links that touch almost everywhere are made so, one inside the other; they are left out.
"""

import math
import threading
from typing import NamedTuple

import numpy as np

from forearm.arm import capsules
from forearm.arm.apart import levers_between, variable_range
from forearm.arm.bodies import say
from forearm.arm.charts import surface
from forearm.arm.charts.surface import surface_of
from forearm.common.kept import kept
from forearm.common.threads import heed, share_out
from forearm.common.types import Floats
from forearm.core.arm import chart as places
from forearm.core.arm.chart import CHART_COLUMNS, HEAD, SLOTS
from forearm.core.charts import boxes, surfaces
from forearm.core.charts.boxes import STEER, boxes_size, build_chart, least_gaps
from forearm.core.codes import PRISMATIC
from forearm.core.collision.bodies import OWN_MOST
from forearm.models.mechanism import LinkShape
from forearm.models.model import Model

# why links have no chart
MOSTLY_TOUCH, MADE_TO_TOUCH = "mostly touch", "made to touch"
UNSURE = "mostly touch, hardly any posture is surely free"
MADE_SO = 0.9  # links that touch in such a share of random configurations are made to; a chart that says so is no use
TIGHT, MOSTLY = 0.015, 0.6  # nearer than this [m] in such a share, they are asked no more than not to touch
# What joints move two links by in the finest boxes [m], by how many there are: more joints need more boxes; and in
# boxes that are free, whose gap alone is told the less exactly.
FINE, FREE = (0.0005, 0.003, 0.02), (0.001, 0.003, 0.02)
COARSE = 1.0 / 64.0  # share of a chart's range that half a box must not exceed for its corners to speak for it
ROOM = 1 << 19  # rows of a chart at most
FEW, FINEST = 4000, 0.0005  # rows of a chart that is made finer, as long as joints move links by more than this [m]
# More than such a share of random postures that are free shall not count as touching, as long as a chart twice as fine
# has fewer rows than this, about, and joints move links by more than this in its finest boxes [m]
DENIED, MANY, LEAST, LOOKS = 0.1, 100_000, 0.0002, 400
PARTS = 16  # that a chart is made in
SAID = 1.0  # after so many seconds it is said what is waited for
PAD = 1e-6  # so much beyond the limits a chart reaches
CODE = __file__, surface.__file__, capsules.__file__, boxes.__file__, surfaces.__file__, places.__file__


class Between(NamedTuple):
    """Two surfaces of links as kernels take them, the one nearer to the base first, and the m joints between them."""

    links: Floats  # (m+1, 3, 4) into these joints and behind the last, which carries the second
    joints: Floats  # (m, 3)
    one: Floats  # each as one flat array
    other: Floats


class Charts(NamedTuple):
    """What charts are of: the rows of all of them, one behind the other, and the surfaces of each."""

    rows: Floats  # (r, 4), see `core/arm/chart.py`
    surfaces: tuple[Between, ...]


NO_CHARTS = Charts(np.empty((0, CHART_COLUMNS)), ())


class Pair(NamedTuple):
    """Two shapes of links, and how the joints between them move them."""

    links: tuple[str, str]
    surfaces: Between
    levers: Floats  # (n,) how far each variable moves them against each other at most [m per rad, or per m]
    ways: Floats  # (3, n) the same in three parts: turns of the first about its axis, of the second, and otherwise


def charts_of(model: Model, links: tuple[str, str], rows: tuple[int, int], Q: Floats) -> Charts | str:
    """The charts of two links; why they have none, if they have none.

    Args:
        model: The arm.
        links: Both links.
        rows: A body of each.
        Q: (N, n) random configurations.
    """
    pairs = list[tuple[Pair, Floats]]()
    for one, other in _shapes(model, links):
        pair = _pair_of(model, one, other)
        head = _head(model, pair.levers, rows if one.link == links[0] else rows[::-1])
        if head is None:
            return MOSTLY_TOUCH
        pairs.append((pair, head))
    gaps = np.full((len(pairs), len(Q)), 2.0 * TIGHT)
    for (pair, _), own in zip(pairs, gaps, strict=True):
        least_gaps(*pair.surfaces, Q, work_for(pair.surfaces, model.n), own)
    if (gaps.min(axis=0, initial=math.inf) <= 0.0).mean() >= MADE_SO:
        return MADE_TO_TOUCH
    found, surfaces_ = [NO_CHARTS.rows], list[Between]()
    for (pair, head), own in zip(pairs, gaps, strict=True):
        if pair.levers.any():  # else nothing between them moves
            chart = _chart(model, pair, head, 0.0 if (own <= TIGHT).mean() >= MOSTLY else OWN_MOST)
            if (gaps_at(chart, Q) < 0.0).mean() >= MADE_SO:
                return UNSURE
            found.append(chart)
            surfaces_.append(pair.surfaces)
    return Charts(np.concatenate(found), tuple(surfaces_)) if surfaces_ else MADE_TO_TOUCH


def gaps_at(chart: Floats, Q: Floats) -> Floats:
    """(N,) the gap of a chart at (N, n) joint values; what `core/arm/chart.py` does, for many at once."""
    values = np.zeros((len(Q), SLOTS))
    for slot, (variable, low, _, turn) in enumerate(chart[1:HEAD]):
        own = Q[:, int(variable)] if variable >= 0.0 else values[:, slot]
        values[:, slot] = own - turn * np.floor((own - low) / turn) if turn > 0.0 else own
    every = np.arange(len(Q))
    k = np.full(len(Q), HEAD)
    while (cut := chart[k, places.SLOT] >= 0.0).any():
        slots = np.maximum(chart[k, places.SLOT], 0.0).astype(np.int64)
        below = values[every, slots] < chart[k, places.CUT]
        k = np.where(cut, np.where(below, k + 1, chart[k, places.ABOVE].astype(np.int64)), k)
    return np.asarray(chart[k, places.GAP])


def _shapes(model: Model, links: tuple[str, str]) -> list[tuple[LinkShape, LinkShape]]:
    """The pairs of shapes of two links that must not touch, the one nearer to the base first."""
    one, other = ([shape for shape in model.shapes if shape.link == link] for link in links)
    both = [(a, b) if a.frame < b.frame else (b, a) for a in one for b in other if a.frame != b.frame]
    return [(a, b) for a, b in both if (a.masks[0] & b.masks[1]) | (b.masks[0] & a.masks[1])]


def _pair_of(model: Model, one: LinkShape, other: LinkShape) -> Pair:
    """Two shapes as kernels take them."""
    ends, own = (one.frame, other.frame), np.eye(3, 4)
    surfaces_ = surface_of(one, model.links[one.frame + 1]), surface_of(other, own)
    first, second = (each.triangles[:, : surfaces.ROUND].reshape(-1, 3) for each in surfaces_)
    C = model.links[one.frame + 1]  # what the first joint between them turns about
    across = np.linalg.norm(((first - C[:, 3]) @ C[:, :3])[:, :2], axis=1).max()
    far, behind = (np.linalg.norm(points, axis=1).max(keepdims=True) for points in (first, second))
    flat = np.linalg.norm(second[:, :2], axis=1).max(keepdims=True)
    levers = levers_between(model, ends, (far, across), (behind, flat))[0]
    between = Between(
        np.ascontiguousarray(model.links[ends[0] + 1 : ends[1] + 2]),
        np.ascontiguousarray(model.joints[ends[0] + 1 : ends[1] + 1]),
        *(each.packed for each in surfaces_),
    )
    return Pair((one.link, other.link), between, levers, _ways(model, ends, levers, float(across) < float(flat[0])))


def _ways(model: Model, ends: tuple[int, int], levers: Floats, by_first: bool) -> Floats:
    """(3, n) the levers in parts: a variable that turns the joint next to a surface alone moves it about its axis.

    Of the only joint between two surfaces either may count as what moves.
    """
    ways = np.zeros((3, model.n))
    ways[2] = levers
    next_to = ((ends[0] + 1, 0), (ends[1], 1))
    for joint, part in next_to if by_first else next_to[::-1]:
        kind, variable, ratio = model.joints[joint]
        k = int(variable)
        if kind != PRISMATIC and np.count_nonzero(model.joints[:, 1] == variable) == 1 and ways[2, k] > 0.0:
            ways[part, k], ways[2, k] = abs(ratio), 0.0
    return ways


def _head(model: Model, levers: Floats, rows: tuple[int, int]) -> Floats | None:
    """(HEAD, 4) the head of a chart; None where it has too many variables, or one without an end."""
    moving = np.flatnonzero(levers > 0.0)
    if len(moving) > SLOTS:
        return None
    head = np.zeros((HEAD, CHART_COLUMNS))
    head[0, [places.BODY_A, places.BODY_B]] = rows
    head[1:, places.VARIABLE] = -1.0
    middle, half = variable_range(model)
    for row, variable in zip(head[1:], moving.tolist(), strict=False):
        lower, upper = model.limits[:, variable]
        low, high = middle[variable] - half[variable], middle[variable] + half[variable]
        turns = not 0.5 * (upper - lower) <= half[variable]
        if not math.isfinite(high - low):
            return None
        row[:] = (variable, low, high, high - low) if turns else (variable, low - PAD, high + PAD, 0.0)
    return head


def work_for(between: Between, n: int) -> Floats:
    """What kernels work in, on an arm of n variables."""
    return np.empty(boxes_size(len(between.joints), n))


def _chart(model: Model, pair: Pair, head: Floats, keep: float) -> Floats:
    """(r, 4) a chart, made or as it was kept."""
    numbers = np.array([keep, *FINE, *FREE, COARSE, PARTS, FEW, FINEST, DENIED, MANY, LEAST])
    asked = [part.tobytes() for part in (*pair.surfaces, head[1:], pair.levers, pair.ways, numbers)]
    (found,) = kept(CODE, asked, lambda: (_announced(model, pair, head, keep),))
    chart = np.array(found)
    chart[0] = head[0]
    chart[0, places.ROWS] = len(chart)
    return chart


def _announced(model: Model, pair: Pair, head: Floats, keep: float) -> Floats:
    """As `_made`; says so if it takes a while."""
    names = f"'{pair.links[0]}' and '{pair.links[1]}'"
    later = threading.Timer(SAID, say, [f"looking where {names} of {model.name} touch, once: some seconds"])
    later.daemon = True
    later.start()
    try:
        return _made(model, pair, head, keep)
    finally:
        later.cancel()


def _made(model: Model, pair: Pair, head: Floats, keep: float) -> Floats:
    """(r, 4) a chart; coarser where it would have too many rows, finer where it has few."""
    variables = head[1:, places.VARIABLE].astype(np.int64)
    variables = variables[variables >= 0]
    steer, count = np.zeros(STEER), len(variables)
    steer[boxes.FINE], steer[boxes.FREE], steer[boxes.KEPT] = FINE[count - 1], FREE[count - 1], keep
    for k, part in enumerate((pair.levers, *pair.ways)):
        steer[boxes.LEVERS + k * SLOTS :][:count] = part[variables]
    steer[boxes.COARSE : boxes.COARSE + SLOTS] = COARSE * (head[1:, places.HIGH] - head[1:, places.LOW])
    chart = _in_parts(model, pair, head, steer)
    while chart is None:
        steer[[boxes.FINE, boxes.FREE]] *= 2.0
        chart = _in_parts(model, pair, head, steer)
    free = _free(model, pair, head, keep)
    while _is_coarse(chart, free, keep, steer[boxes.FINE]):
        steer[[boxes.FINE, boxes.FREE]] *= 0.5
        finer = _in_parts(model, pair, head, steer)
        if finer is None:
            break
        chart = finer
    return chart


def _free(model: Model, pair: Pair, head: Floats, keep: float) -> Floats:
    """(k, n) those of many random configurations in a chart in which the gap to keep is there."""
    Q, used = np.zeros((LOOKS, model.n)), head[1:][head[1:, places.VARIABLE] >= 0.0]
    low, high = used[:, places.LOW], used[:, places.HIGH]
    Q[:, used[:, places.VARIABLE].astype(np.int64)] = low + (high - low) * np.random.default_rng(1).random(
        (LOOKS, len(used))
    )
    gaps = np.full(LOOKS, 2.0 * TIGHT)
    least_gaps(*pair.surfaces, Q, work_for(pair.surfaces, model.n), gaps)
    return Q[gaps > keep]


def _is_coarse(chart: Floats, free: Floats, keep: float, fine: float) -> bool:
    """Whether a chart that is finer is worth its rows: it has few, or counts too much of what is free as touching."""
    if len(chart) < FEW and fine > FINEST and _touches(chart):
        return True
    variables = int((chart[1:HEAD, places.VARIABLE] >= 0.0).sum())
    room = 2**variables * len(chart) < MANY and fine > LEAST and len(free) > 0
    return room and bool((gaps_at(chart, free) < keep).mean() > DENIED)


def _touches(chart: Floats) -> bool:
    """Whether a chart has boxes that count as touching."""
    whole = chart[HEAD:][chart[HEAD:, places.SLOT] < 0.0]
    return bool((whole[:, places.GAP] < 0.0).any())


def _in_parts(model: Model, pair: Pair, head: Floats, steer: Floats) -> Floats | None:
    """(r, 4) a chart, its parts on all processors; None if it has too many rows."""
    cuts, heads = list[tuple[int, float]](), [head]
    while len(heads) < PARTS:  # all of them in two, over and over
        pieces = [_halves(each, steer) for each in heads]
        cuts = [cut for cut, *_ in pieces] + cuts  # those of the smaller ones first
        heads = [half for _, *both in pieces for half in both]
    found: list[Floats] = [head] * PARTS

    def work(first: int, last: int) -> None:
        for k in range(first, last):
            chart = np.empty((ROOM, CHART_COLUMNS))
            chart[:HEAD] = heads[k]
            rows = build_chart(*pair.surfaces, np.zeros(model.n), steer, work_for(pair.surfaces, model.n), chart)
            found[k] = chart[HEAD : max(rows, 0)].copy()
            heed()

    share_out(work, PARTS, None, None, fixed=1)
    if any(len(each) == 0 for each in found):
        return None
    while len(found) > 1:
        count = len(found) // 2
        found = [_joined(*cuts[k], *found[2 * k : 2 * k + 2]) for k in range(count)]
        cuts = cuts[count:]
    chart = np.concatenate([head, found[0]])
    return chart if len(chart) <= ROOM else None


def _halves(head: Floats, steer: Floats) -> tuple[tuple[int, float], Floats, Floats]:
    """Across which variable of a chart, and where, it is cut in two; the heads of both."""
    widths = head[1:, places.HIGH] - head[1:, places.LOW]
    slot = int(np.argmax(widths * steer[boxes.LEVERS : boxes.LEVERS + SLOTS]))
    below, above = head.copy(), head.copy()
    cut = 0.5 * float(head[1 + slot, places.LOW] + head[1 + slot, places.HIGH])
    below[1 + slot, places.HIGH] = above[1 + slot, places.LOW] = cut
    return (slot, cut), below, above


def _joined(slot: int, cut: float, below: Floats, above: Floats) -> Floats:
    """The boxes of two halves of a chart under one; places of boxes count from the chart's first row."""
    both = []
    for part, off in ((below, 1), (above, 1 + len(below))):
        part[part[:, places.SLOT] >= 0.0, places.ABOVE] += off
        both.append(part)
    return np.concatenate([[[slot, cut, HEAD + 1 + len(below), 0.0]], *both])
