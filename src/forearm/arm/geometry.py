"""An arm's capsules and which of them must not touch each other, made once per robot.

Pairs of links that never come near each other in some thousand random configurations are left out; so are neighbours,
which share a joint. Searches also leave out pairs of bodies that never can (`arm/apart.py`). Links whose capsules touch
in at least half of the configurations are held apart by charts of the joints between them (`arm/charts/make.py`), made
when it is first asked whether an arm touches itself; they are left out where they have no shapes in a file, or too many
joints between them, or shapes that are made to touch.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain as all_of
from itertools import combinations, pairwise

import numpy as np

from forearm.arm.apart import Pairs, cover_row, never_near
from forearm.arm.bodies import NOTHING_SURE, ON_AXIS, Body, link_name, make_bodies, moved, own_links, say
from forearm.arm.charts.make import MOSTLY_TOUCH, NO_CHARTS, Charts, charts_of, work_for
from forearm.common.types import Floats
from forearm.core.arm.chart import BODY_A, BODY_B, ROWS
from forearm.core.arm.compact import CHAIN_COLUMNS, compact
from forearm.core.arm.kinematics import fk_frames
from forearm.core.charts.boxes import least_gaps
from forearm.core.codes import KIND, PRISMATIC
from forearm.core.collision.bodies import BODY_COLUMNS, FRAME, HALF, OVER_SQUARE, RADIUS, SPAN, START, WATCHED
from forearm.core.collision.certain import AXIS_SPAN, AXIS_START, OWNER, ROUND, STANDS, SURE_COLUMNS
from forearm.core.collision.clearance import pair_gaps, stance_size
from forearm.errors import ModelError, OptionError, nearest_names
from forearm.models.mechanism import LinkShape
from forearm.models.model import Model

LATER = "not looked at yet"
# Configurations in which pairs are looked at, and what share of them makes touching a pair's nature.
SAMPLES, MOSTLY = 3000, 0.5
CHARTED = 400  # configurations in which shapes are looked at
WITHOUT_SURFACE = ("plane", "hfield")  # kinds of shapes
LOT = 1_000_000  # gaps that are looked at at a time
FEW = 64  # pairs of bodies of two links that are looked at in every configuration, without covers
# Links nearer than this to each other in most of them [m] count as touching: some arms hold two links apart
# by a short one, and hardly any configuration would keep the usual clearance there. It must be above
# `OWN_MOST` of `core/collision/bodies.py`, so that what is looked at can be kept.
TOUCHING = 0.015
# Links that never come nearer than this [m] are not looked at again.
FAR = 0.05
# Points count as standing still if they move less than this [m] over so many random configurations.
STILL, LOOKS = 1e-9, 8
MANY = 4  # bodies of a frame, or pairs of two frames, that are worth a cover (`arm/covers.py`), or a proof


@dataclass(frozen=True, eq=False)
class Geometry:
    """What an arm is made of, for distances.

    Attributes:
        names: The link of each body.
        bodies: (s, 11) capsules, see `core/collision/bodies.py`.
        pairs: (p, 2) bodies that must not touch each other.
        sure: (t, 9) what is certain of an obstacle beforehand, see `core/collision/certain.py`.
        chain: (m+1, 12) the compact chain.
        source: Where the bodies come from, in words.
        checked: The pairs of links that are held against each other.
        left_out: The other pairs of links with the reason: "neighbours", "allowed", "made to touch", "mostly touch",
            "far apart", or "not looked at yet".
        notes: What is a guess, in sentences.
        inner: (s,) the radius about each body's axis that surely belongs to its link [m]; negative where the link
            is farther away.
        excess: How far the bodies of links stand out of the shapes of the file [m].
        missed: The links whose bodies stand out by more than is wished (`arm/capsules.py`).
        apart: Those of the pairs of bodies that never come near enough to be told, within the limits.
        charts: What tells of further pairs of links whether they touch.
        waiting: A body of each link of the pairs that are "not looked at yet".
    """

    names: tuple[str, ...]
    bodies: Floats
    pairs: Pairs
    sure: Floats
    chain: Floats
    source: str
    checked: tuple[tuple[str, str], ...]
    left_out: dict[tuple[str, str], str]
    notes: tuple[str, ...]
    inner: Floats
    excess: Mapping[str, float]
    missed: tuple[str, ...]
    apart: frozenset[tuple[int, int]]
    charts: Charts
    waiting: tuple[tuple[int, int], ...] = ()

    @property
    def charted(self) -> tuple[tuple[str, str], ...]:
        """The pairs of links of `checked` that charts tell of."""
        heads = self.charts.rows[heads_of(self.charts.rows)]
        return tuple(dict.fromkeys((self.names[int(head[BODY_A])], self.names[int(head[BODY_B])]) for head in heads))


def heads_of(charts: Floats) -> list[int]:
    """The row that each chart begins with."""
    found, first = list[int](), 0
    while first < len(charts):
        found.append(first)
        first += int(charts[first, ROWS])
    return found


def charted_pairs(charts: Floats) -> list[tuple[int, int]]:
    """The pair of bodies that each chart tells of, as kernels tell them."""
    heads = charts[heads_of(charts)].astype(np.int64)
    return list(zip(heads[:, BODY_B].tolist(), heads[:, BODY_A].tolist(), strict=True))


def look_at_surfaces(
    charts: Charts, Q: Floats, gaps: Floats, nearest: Pairs, only: tuple[int, int] | None = None
) -> None:
    """Makes N gaps, and (N, 2) what is nearest, those of links that charts tell of, where these are nearer.

    At (N, n) joint values, by the true shapes of all such links, or of those of one pair of bodies.
    """
    for pair, between in zip(charted_pairs(charts.rows), charts.surfaces, strict=True):
        if only in (None, pair):
            before = gaps.copy()
            least_gaps(*between, Q, work_for(between, Q.shape[1]), gaps)
            nearest[gaps < before] = pair[0], -1 - pair[1]


def make_geometry(model: Model) -> Geometry:
    """The geometry of a robot, as its file and its user wish."""
    named, source, notes, excess, missed = make_bodies(model)
    if not named:
        raise ModelError(f"{model.name} has no link with a length, so it has no geometry; give it bodies of your own")
    for note in notes:
        say(note)
    named.sort(key=lambda body: body.frame)  # stable
    chain = np.zeros((model.m + 1, CHAIN_COLUMNS))
    compact(model.links, model.joints, chain)
    names = tuple(body.link for body in named)
    whole = model.geometry is not None and model.geometry.whole
    bodies = np.zeros((len(named), BODY_COLUMNS))
    for row, body in zip(bodies, named, strict=True):
        frame, capsule = body.frame, body.capsule
        a, b = (_turned(model, frame, point) for point in (capsule[:3], capsule[3:6]))
        row[FRAME], row[START : START + 3], row[SPAN : SPAN + 3], row[RADIUS] = frame, a, b - a, capsule[6]
        row[WATCHED] = whole or not _stays(model, body)
        length = float(np.linalg.norm(b - a))
        row[HALF], row[OVER_SQUARE] = 0.5 * length, 1.0 / length**2 if length > 0.0 else 0.0
    checked, left_out, pairs, apart, waiting = _self_pairs(model, chain, bodies, named)
    sure, inner = _certain(model, bodies, named), np.array([body.inner for body in named])
    return Geometry(
        *(names, bodies, pairs, sure, chain, source, checked, left_out, notes, inner, excess, missed),
        *(frozenset(apart), NO_CHARTS, waiting),
    )


def chart(model: Model, geometry: Geometry) -> Geometry:
    """The geometry with charts of the pairs of links that wait for them, or the reason why they have none."""
    Q = _drawn(model, CHARTED, 1)
    return with_charts(geometry, lambda links, rows: charts_of(model, links, rows, Q))


def with_charts(geometry: Geometry, make: Callable[[tuple[str, str], tuple[int, int]], Charts | str]) -> Geometry:
    """The geometry with the charts that are made of two links and a body of each, or why not (`charts_of`)."""
    if not geometry.waiting:
        return geometry
    checked, left_out, made = list(geometry.checked), dict(geometry.left_out), [geometry.charts]
    for rows in geometry.waiting:
        links = geometry.names[rows[0]], geometry.names[rows[1]]
        found = make(links, rows)
        if isinstance(found, str):
            left_out[links] = found
        else:
            checked.append(links)
            made.append(found)
            left_out.pop(links)
    charts = Charts(np.concatenate([each.rows for each in made]), tuple(all_of(*(each.surfaces for each in made))))
    return replace(geometry, checked=tuple(dict.fromkeys(checked)), left_out=left_out, charts=charts, waiting=())


def widen(own: Geometry, beyond: Geometry) -> Geometry:
    """The geometry of an arm beyond its limits: what must not touch inside them must not touch there either."""
    if own.names != beyond.names:
        return beyond  # a slide without an end has no rod
    waiting = {(beyond.names[a], beyond.names[b]): LATER for a, b in beyond.waiting}
    kept = {
        links: why
        for links, why in own.left_out.items()
        if why != LATER and links not in waiting and (links not in beyond.checked or why != "far apart")
    }
    numbers = {tuple(pair) for geometry in (own, beyond) for pair in geometry.pairs.tolist()}
    pairs = sorted(pair for pair in numbers if (own.names[pair[0]], own.names[pair[1]]) not in kept)
    checked = dict.fromkeys((own.names[a], own.names[b]) for a, b in pairs)
    return replace(
        beyond, pairs=np.array(pairs, np.int64).reshape(-1, 2), checked=tuple(checked), left_out=kept | waiting
    )


def _stays(model: Model, body: Body) -> bool:
    """Whether a capsule never moves in space: mounted with the base, or turning on the spot about the first axis."""
    on_axis = body.is_round or bool(np.abs(body.capsule[[0, 1, 3, 4]]).max() < ON_AXIS)
    return body.frame < 0 or (body.frame == 0 and model.joints[0, KIND] != PRISMATIC and on_axis)


def _turned(model: Model, frame: int, point: Floats) -> Floats:
    """A point of a joint's moved frame as the compact chain sees it: turned back about z."""
    if frame < 0:
        return point
    C = model.links[frame + 1]
    a = math.atan2(C[0, 2], -C[1, 2])
    c, s = math.cos(a), math.sin(a)
    return np.array([c * point[0] + s * point[1], c * point[1] - s * point[0], point[2]])


def _drawn(model: Model, count: int, rng_seed: int) -> Floats:
    """(count, n) random configurations; from a turn, or a metre, where there are no limits."""
    lower, upper = model.limits
    span = np.where([kind == "prismatic" for kind in model.joint_kinds], 1.0, math.pi)
    open_ = ~np.isfinite(upper - lower)
    low = np.where(open_ & ~np.isfinite(lower), np.where(np.isfinite(upper), upper - 2 * span, -span), lower)
    high = np.where(open_ & ~np.isfinite(upper), low + 2 * span, upper)
    return np.random.default_rng(rng_seed).uniform(low, high, (count, model.n))


def _certain(model: Model, bodies: Floats, named: list[Body]) -> Floats:
    """Bodies of the last link as seen from the tip, and ends of other bodies that stand still."""
    rows = []
    seen = np.empty((LOOKS, model.m + 1, 4, 4))
    for q, frames in zip(_drawn(model, LOOKS, 0), seen, strict=True):
        fk_frames(model.links, model.joints, q, frames)
    T_last_tip = np.vstack([model.links[-1], [0.0, 0.0, 0.0, 1.0]])
    for b, (_, frame, capsule, *_) in enumerate(named):
        if bodies[b, WATCHED] == 0.0:
            continue
        sure = []  # whether it stands still, and both ends of an axis
        if frame == model.m - 1:
            from_tip = moved(np.linalg.inv(T_last_tip), capsule)
            sure.append((0.0, from_tip[:3], from_tip[3:6]))
        for end in (capsule[:3], capsule[3:6]):
            places = np.array([frames[frame, :3, :3] @ end + frames[frame, :3, 3] for frames in seen])
            if np.ptp(places, axis=0).max() < STILL:
                sure.append((1.0, places[0], places[0]))
        tie = _tie(model, frame, capsule) if frame < model.m - 1 and b == len(named) - 1 else math.inf
        if math.isfinite(tie):
            sure.append((2.0, np.zeros(3), np.zeros(3)))
        for stands, start, stop in sure:
            row = np.zeros(SURE_COLUMNS)
            row[STANDS], row[ROUND], row[OWNER] = stands, capsule[6] - (tie if stands == 2.0 else 0.0), b
            row[AXIS_START : AXIS_START + 3], row[AXIS_SPAN : AXIS_SPAN + 3] = start, stop - start
            rows.append(row)
    return np.array(rows) if rows else np.empty((0, SURE_COLUMNS))


def _tie(model: Model, frame: int, capsule: Floats) -> float:
    """How far the tip can be from the axis of a capsule in front of the last joint, wherever the joints are [m]."""
    ends, joint = capsule[:6].reshape(2, 3), model.links[frame + 1, :, 3]
    way = ends[1] - ends[0]
    share = np.clip((joint - ends[0]) @ way / max(way @ way, 1e-300), 0.0, 1.0)
    total = float(np.linalg.norm(ends[0] + share * way - joint))
    total += float(np.linalg.norm(model.links[frame + 2 :, :, 3], axis=1).sum())
    for kind, variable, ratio in model.joints[frame + 1 :]:
        if kind == PRISMATIC:
            total += float(np.abs(ratio * model.limits[:, int(variable)]).max())
    return total


def _allowed(model: Model, names: tuple[str, ...]) -> set[frozenset[str]]:
    """The pairs that the user allows to touch; a name may be that of the joint in front of a link."""
    allow = model.geometry.allow if model.geometry else ()
    by_file = model.mechanism.allowed if model.mechanism else ()
    known = known_links(model, names)
    without_body = {*model.moving_names, *dict(model.file_links), *(shape.link for shape in model.shapes)} - set(known)
    for name in (name for pair in allow for name in pair):
        if name in without_body:
            raise OptionError(f"link '{name}' in the allow-list has no body in {model.name}, so it touches nothing")
        if name not in known:
            raise OptionError(f"link '{name}' in the allow-list is not in {model.name}; {nearest_names(name, known)}")
    allow += tuple(pair for pair in by_file if pair[0] in known and pair[1] in known)
    return {frozenset(known[name] for name in pair) for pair in allow}


def known_links(model: Model, names: tuple[str, ...]) -> dict[str, str]:
    """The link of every name that a user may give one: its own, that of the joint in front, that of its file."""
    own = {name: name for name in names}
    joints = {joint: link_name(model, i) for i, joint in enumerate(model.moving_names)}
    files = {link: model.base for link, _ in model.file_links[:1]}
    return {name: link for name, link in (files | joints).items() if link in own} | own


def _neighbours(model: Model, named: list[Body]) -> set[tuple[str, str]]:
    """The links on both sides of each joint: the nearest with a body on the way from base to tip.

    Where a joint carries none on that way, all that it carries. What two joints part can fold onto each other, though
    nothing with a body lies between.
    """
    way = [link for link, _ in model.file_links]
    groups: dict[int, list[str]] = {}
    for body in named:
        groups.setdefault(body.frame, []).append(body.link)
    sides = []  # of each joint that carries any: the first and the last links
    for frame, members in sorted(groups.items()):
        on_way = sorted({name for name in members if name in way}, key=way.index)
        main = [name for name in members if name == link_name(model, frame)][:1]
        sides.append((frame, on_way[:1] or main or members, on_way[-1:] or main or members))
    joined = [(before, after) for (i, _, before), (k, after, _) in pairwise(sides) if k == i + 1]
    return {(a, b) for before, after in joined for a in before for b in after}


def _self_pairs(
    model: Model, chain: Floats, bodies: Floats, named: list[Body]
) -> tuple[
    tuple[tuple[str, str], ...], dict[tuple[str, str], str], Pairs, list[tuple[int, int]], tuple[tuple[int, int], ...]
]:
    """Which links are held against each other; which not and why; pairs of bodies, those never near, some to chart."""
    groups: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for (a, one), (b, other) in combinations(enumerate(named), 2):
        masked = (one.masks[0] & other.masks[1]) | (other.masks[0] & one.masks[1])
        if one.frame != other.frame and masked:
            groups.setdefault((one.link, other.link), []).append((a, b))
    neighbours, allowed = _neighbours(model, named), _allowed(model, tuple(body.link for body in named))
    left_out: dict[tuple[str, str], str] = {}
    for links in groups:
        if frozenset(links) in allowed:
            left_out[links] = "allowed"
        elif links in neighbours:
            left_out[links] = "neighbours"
    open_ = {links: members for links, members in groups.items() if links not in left_out}
    rows = np.array([pair for members in open_.values() for pair in members], np.int64).reshape(-1, 2)
    touching, nearest = _look_at_pairs(model, chain, bodies, rows, [len(members) for members in open_.values()])
    checked, kept, apart, first = [], list[tuple[int, int]](), list[tuple[int, int]](), 0
    solid, waiting = _solid(model, named), list[tuple[int, int]]()
    for (links, members), share in zip(open_.items(), touching.tolist(), strict=True):
        own, first = slice(first, first + len(members)), first + len(members)
        if share >= MOSTLY:
            left_out[links] = LATER if solid.issuperset(links) else MOSTLY_TOUCH
            waiting += members[:1] if solid.issuperset(links) else []
        elif nearest[own].min() > FAR:
            left_out[links] = "far apart"
        else:
            checked.append(links)
            kept += members
            apart += never_near(model, chain, bodies, rows[own], nearest[own]) if len(members) >= MANY else []
    return tuple(checked), left_out, np.array(kept, np.int64).reshape(-1, 2), apart, tuple(waiting)


def _solid(model: Model, named: list[Body]) -> set[str]:
    """The links whose bodies all are of shapes of a file that have a surface."""
    if model.geometry is not None and model.geometry.radius is not None:
        return set()
    return solid_links(model.shapes, named) - own_links(model)


def solid_links(shapes: Iterable[LinkShape], named: list[Body]) -> set[str]:
    """The links all of whose shapes have a surface and could be read."""
    shapes = list(shapes)
    without = {shape.link for shape in shapes if shape.kind in WITHOUT_SURFACE}
    without |= {body.link for body in named if body.inner == NOTHING_SURE}
    return {shape.link for shape in shapes} - without


def _look_at_pairs(
    model: Model, chain: Floats, bodies: Floats, rows: Pairs, counts: list[int]
) -> tuple[Floats, Floats]:
    """The share of random configurations in which links touch, by how many pairs of bodies each has; least gaps.

    Links with few pairs are looked at in one pass over the configurations: a long chain has thousands of such links.
    Those with many are looked at where their covers are not far apart; elsewhere gaps count as infinite.
    """
    touching, nearest, starts = np.zeros(len(counts)), np.full(len(rows), np.inf), np.cumsum([0, *counts])
    Q, work = _drawn(model, SAMPLES, 1), np.empty(stance_size(model.m, len(bodies)))
    links = [rows[first:last] for first, last in pairwise(starts.tolist())]
    few = [k for k, count in enumerate(counts) if count <= FEW]
    many = [k for k, count in enumerate(counts) if count > FEW]
    apart = _cover_gaps(chain, bodies, [links[k] for k in many], Q) if many else np.empty((len(Q), 0))
    for group, samples in (([*few], Q), *(([k], Q[apart[:, i] <= FAR]) for i, k in enumerate(many))):
        places = np.concatenate([np.arange(starts[k], starts[k + 1]) for k in group] or [np.empty(0, np.int64)])
        firsts = np.cumsum([0, *(counts[k] for k in group)])[:-1]
        at_once = max(1, LOT // max(len(places), 1))
        for first in range(0, len(samples) if len(places) else 0, at_once):
            some = samples[first : first + at_once]
            gaps = np.empty((len(some), len(places)))
            pair_gaps(chain, bodies, rows[places], some, work, gaps)
            touching[group] += (np.minimum.reduceat(gaps, firsts, axis=1) < TOUCHING).sum(axis=0)
            nearest[places] = np.minimum(nearest[places], gaps.min(axis=0))
    return touching / SAMPLES, nearest


def _cover_gaps(chain: Floats, bodies: Floats, links: list[Pairs], Q: Floats) -> Floats:
    """(N, k) the gaps of covers round both sides of each set of pairs of bodies, in N configurations."""
    found: dict[bytes, Floats] = {}
    sides = [[np.unique(pairs[:, side]) for side in (0, 1)] for pairs in links]
    for side in (side for both in sides for side in both):
        if side.tobytes() not in found:
            found[side.tobytes()] = cover_row(bodies[side])
    order = sorted(found, key=lambda name: float(found[name][FRAME]))
    pairs = np.array([[order.index(side.tobytes()) for side in both] for both in sides], np.int64).reshape(-1, 2)
    gaps, covers = np.empty((len(Q), len(pairs))), np.array([found[name] for name in order]).reshape(-1, BODY_COLUMNS)
    pair_gaps(chain, covers, pairs, Q, np.empty(stance_size(len(chain) - 1, len(covers))), gaps)
    return gaps
