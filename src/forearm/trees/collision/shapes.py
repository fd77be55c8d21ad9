"""A whole robot's capsules and which of them must not touch each other, made once per robot.

As for arms (`arm/geometry.py`): pairs of links that are never near each other in any of many random configurations are
left out, and neighbours, which share a joint; those that touch in at least half of them wait for charts of the joints
between them (`trees/collision/charts.py`), or are left out, too.
"""

from itertools import combinations

import numpy as np

from forearm.arm.apart import Pairs, cover_row
from forearm.arm.bodies import (
    GUESS,
    NO_SHAPES,
    NOTHING_SURE,
    ON_AXIS,
    RADIUS_PER_REACH,
    SHORT,
    UP,
    Body,
    fit_shape,
    moved,
    say,
)
from forearm.arm.charts.make import MOSTLY_TOUCH, NO_CHARTS
from forearm.arm.geometry import LATER, LOT, MOSTLY, SAMPLES, TOUCHING, Geometry, solid_links
from forearm.common.types import Floats
from forearm.core.collision.bodies import BODY_COLUMNS, FRAME, HALF, OVER_SQUARE, PLACED, RADIUS, SPAN, START, WATCHED
from forearm.core.collision.certain import SURE_COLUMNS
from forearm.core.tree.among import tree_pair_gaps
from forearm.errors import ForearmError, ModelError
from forearm.models.routes import parent_joints
from forearm.trees.body import Body as Robot
from forearm.trees.collision.charts import too_many
from forearm.trees.pack import Packed, flat, pack

# Links that never come nearer than this [m] are not looked at again: more than for an arm, as fewer of the many
# configurations of two branches are looked at.
FAR = 0.15
TOGETHER = 16  # placements of two links that are looked at before it is asked whether they are enough


def make_geometry(body: Robot) -> Geometry:
    """The geometry of a whole robot, as its file has it; along its joints where the file has no shapes."""
    named, source, notes = _of_file(body)
    if not named:
        named, source, notes = _skeleton(body)
    if not named:
        raise ModelError(f"{body.mechanism.name} has no link with a length, so it has no geometry")
    for note in notes:
        say(note)
    named.sort(key=lambda each: each.frame)  # stable
    rows = np.array([_row(body, each) for each in named]).reshape(-1, BODY_COLUMNS)
    checked, left_out, pairs, waiting = _pairs(body, rows, named)
    return Geometry(
        names=tuple(each.link for each in named),
        bodies=rows,
        pairs=pairs,
        sure=np.empty((0, SURE_COLUMNS)),
        chain=np.empty((0, 0)),
        source=source,
        checked=checked,
        left_out=left_out,
        notes=notes,
        inner=np.array([each.inner for each in named]),
        excess={},
        missed=(),
        apart=frozenset(),
        charts=NO_CHARTS,
        waiting=waiting,
    )


def _row(body: Robot, each: Body) -> Floats:
    """(11,) a capsule as kernels read it."""
    row, a, b = np.zeros(BODY_COLUMNS), each.capsule[:3], each.capsule[3:6]
    length = float(np.linalg.norm(b - a))
    row[FRAME], row[START : START + 3], row[SPAN : SPAN + 3], row[RADIUS] = each.frame, a, b - a, each.capsule[6]
    row[WATCHED], row[HALF] = not _stays(body, each), 0.5 * length
    row[OVER_SQUARE] = 1.0 / length**2 if length > 0.0 else 0.0
    return row


def _stays(body: Robot, each: Body) -> bool:
    """Whether a capsule never moves in space: mounted with the base, or turning on the spot about a first axis."""
    if each.frame < 0:
        return body.base != "free"
    first = body.rows[each.frame]
    on_axis = each.is_round or bool(np.abs(each.capsule[[0, 1, 3, 4]]).max() < ON_AXIS)
    return body.base != "free" and first.parent < 0 and first.segment.kind != "prismatic" and on_axis


def _of_file(body: Robot) -> tuple[list[Body], str, tuple[str, ...]]:
    """The capsules of a file's shapes; a ball for a shape that cannot be read, with the reason."""
    named, faults = list[Body](), dict[str, list[str]]()
    radius = RADIUS_PER_REACH * _extent(body)
    for link in body.mechanism.links:
        if link.name not in body.places:
            continue
        row, T = body.places[link.name]
        for shape in link.shapes:
            pose = T @ shape.pose
            try:
                fit = fit_shape(shape, np.zeros(3))
            except ForearmError as problem:
                ball = np.array([*pose[:3, 3], *pose[:3, 3], radius])
                named.append(Body(link.name, row, ball, NOTHING_SURE, shape.masks))
                faults.setdefault(str(problem), []).append(f"link '{link.name}'")
                continue
            round_ = shape.kind == "cylinder" and not np.abs(moved(pose, UP)[[0, 1, 3, 4]]).max() > ON_AXIS
            for capsule, inner in zip(fit.capsules, fit.inner.tolist(), strict=True):
                named.append(Body(link.name, row, moved(pose, capsule), inner, shape.masks, round_))
    stands = f"{body.mechanism.name}: a ball of radius {radius:.3g} m stands in for"
    notes = tuple(f"{stands} {', '.join(dict.fromkeys(links))}: {reason}" for reason, links in faults.items())
    return named, "the collision shapes of its file", notes


def _extent(body: Robot) -> float:
    """The longest way from the base to a joint's end [m]."""
    lengths = [0.0]
    for row, T in body.places.values():
        steps = [body.rows[i].front[:3, 3] for i in body.path(row)] + [T[:3, 3]]
        lengths.append(float(np.linalg.norm(steps, axis=1).sum()))
    return max(lengths) or 1.0


def _skeleton(body: Robot) -> tuple[list[Body], str, tuple[str, ...]]:
    """Capsules from each joint to those that it carries, and to the links at its ends."""
    radius = RADIUS_PER_REACH * _extent(body)
    carried = [(row.parent, row.front[:3, 3]) for row in body.rows]
    carried += [(row, T[:3, 3]) for row, T in body.places.values()]
    links = {row: link for link, (row, _) in reversed(list(body.places.items()))}
    named = []
    for row, end in carried:
        if float(np.linalg.norm(end)) > SHORT and row in links:
            named.append(Body(links[row], row, np.array([0.0, 0.0, 0.0, *end, radius]), NOTHING_SURE))
    guess = GUESS.format(radius=radius, share=RADIUS_PER_REACH)
    return named, guess, (f"{NO_SHAPES.format(body.mechanism.name)} {guess}",)


# -- which must not touch ------------------------------------------------------------------------


def _neighbours(body: Robot, named: list[Body]) -> set[frozenset[str]]:
    """Each link with the nearest one with a body above it, if no more than one joint that moves lies between."""
    parents, solid = parent_joints(body.mechanism), {each.link for each in named}
    joints = {each.link: len(body.path(each.frame)) for each in named}
    found = set()
    for link in solid:
        above = link
        while above in parents and above != body.root:
            above = parents[above].parent
            if above in solid:
                if joints[link] - joints[above] <= 1:
                    found.add(frozenset((link, above)))
                break
    return found


def _pairs(
    body: Robot, rows: Floats, named: list[Body]
) -> tuple[tuple[tuple[str, str], ...], dict[tuple[str, str], str], Pairs, tuple[tuple[int, int], ...]]:
    """Which links are held against each other; which not and why; pairs of bodies; one of each to chart."""
    groups: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for (a, one), (b, other) in combinations(enumerate(named), 2):
        masked = (one.masks[0] & other.masks[1]) | (other.masks[0] & one.masks[1])
        if one.frame != other.frame and masked:
            groups.setdefault((one.link, other.link), []).append((a, b))
    neighbours, allowed = _neighbours(body, named), {frozenset(pair) for pair in body.mechanism.allowed}
    left_out = {links: "allowed" for links in groups if frozenset(links) in allowed}
    left_out |= {links: "neighbours" for links in groups if links not in left_out and frozenset(links) in neighbours}
    open_ = {links: members for links, members in groups.items() if links not in left_out}
    checked, kept, waiting = [], list[tuple[int, int]](), list[tuple[int, int]]()
    solid = solid_links([shape for link in body.mechanism.links for shape in link.shapes], named)
    for (links, members), why in zip(open_.items(), _look_at(body, rows, list(open_.values())), strict=True):
        if why == MOSTLY_TOUCH and solid.issuperset(links):
            left_out[links] = too_many(body, links) or LATER
            waiting += members[:1] if left_out[links] == LATER else []
        elif why:
            left_out[links] = why
        else:
            checked.append(links)
            kept += members
    return tuple(checked), left_out, np.array(kept, np.int64).reshape(-1, 2), tuple(waiting)


def _look_at(body: Robot, rows: Floats, groups: list[list[tuple[int, int]]]) -> list[str]:
    """Why each pair of links needs not be held apart, by random configurations; nothing where it must be.

    Covers round the bodies of links tell in which configurations the bodies need to be looked at.
    """
    bare, X = bare_of(body), standing(body.sample(SAMPLES, 1))
    links = [np.array(members, np.int64) for members in groups]
    found = []
    for pairs, apart in zip(links, _cover_gaps(bare, rows, links, X), strict=True):
        if _mostly_touch(bare, rows, pairs, X[apart < TOUCHING]):
            found.append(MOSTLY_TOUCH)
        else:
            order = np.argsort(apart, kind="stable")[: np.count_nonzero(apart <= FAR)]  # the nearest first
            found.append("" if _come_near(bare, rows, pairs, X[order]) else "far apart")
    return found


def _mostly_touch(bare: Packed, rows: Floats, pairs: Pairs, X: Floats) -> bool:
    """Whether two links touch in most configurations, which they can only at some placements."""
    free = SAMPLES - len(X)
    for first in range(0, len(X), TOGETHER):
        if free > (1.0 - MOSTLY) * SAMPLES:
            return False
        free += int((_least_gaps(bare, rows, pairs, X[first : first + TOGETHER]) >= TOUCHING).sum())
    return free <= (1.0 - MOSTLY) * SAMPLES


def _come_near(bare: Packed, rows: Floats, pairs: Pairs, X: Floats) -> bool:
    """Whether two links come near each other at any of some placements."""
    return any(_least_gaps(bare, rows, pairs, X[k : k + TOGETHER]).min() <= FAR for k in range(0, len(X), TOGETHER))


def _cover_gaps(bare: Packed, rows: Floats, links: list[Pairs], X: Floats) -> Floats:
    """(k, N) the gaps of covers round both sides of each set of pairs of bodies, at N placements."""
    sides = [[tuple(np.unique(pairs[:, side]).tolist()) for side in (0, 1)] for pairs in links]
    found = {side: k for k, side in enumerate(dict.fromkeys(side for both in sides for side in both))}
    covers = np.array([cover_row(rows[list(side)]) for side in found]).reshape(-1, BODY_COLUMNS)
    pairs = np.array([[found[side] for side in both] for both in sides], np.int64).reshape(-1, 2)
    gaps = np.empty((len(X), len(pairs)))
    tree_pair_gaps(bare.numbers, covers, pairs, X, np.empty(scratch(bare, len(covers))), gaps)
    return np.ascontiguousarray(gaps.T)


def _least_gaps(bare: Packed, rows: Floats, pairs: Pairs, X: Floats) -> Floats:
    """(N,) the least gap of pairs of bodies, at N placements."""
    some, places = np.unique(pairs, return_inverse=True)
    bodies, places = np.ascontiguousarray(rows[some]), np.ascontiguousarray(places.reshape(-1, 2), np.int64)
    work, at_once, least = np.empty(scratch(bare, len(bodies))), max(1, LOT // len(pairs)), np.empty(len(X))
    for first in range(0, len(X), at_once):
        lot = X[first : first + at_once]
        gaps = np.empty((len(lot), len(pairs)))
        tree_pair_gaps(bare.numbers, bodies, places, lot, work, gaps)
        gaps.min(axis=1, out=least[first : first + at_once])
    return least


def bare_of(body: Robot) -> Packed:
    """All joints of a body without a goal: enough to be placed."""
    return pack(body, [], [], 0, whole=True)


def scratch(packed: Packed, bodies: int) -> int:
    """How many numbers of scratch bodies on a packed tree take."""
    return packed.work + PLACED * bodies


def standing(Q: Floats, T: Floats | None = None) -> Floats:
    """(N, n + 12) joint values with a base at a pose, as kernels take placements."""
    return np.concatenate([Q, np.repeat(flat(np.eye(4) if T is None else T)[None], len(Q), axis=0)], axis=1)
