"""Pairs of an arm's bodies that provably never come near each other, so that no search has to look at them.

The gap of two bodies changes with a joint between them by no more than the joint's change times its lever, the largest
distance of either body from the joint's axis. So a gap in the middle of a box of joint values bounds it in all of the
box; boxes are halved until the bound says enough of every pair, or there are too many of them for the harder pairs.
"""

import math

import numpy as np
from numpy.typing import NDArray

from forearm.arm.surfaces import spread_ways
from forearm.common.types import Floats
from forearm.core.codes import PRISMATIC
from forearm.core.collision.bodies import (
    BODY_COLUMNS,
    FRAME,
    HALF,
    OVER_SQUARE,
    OWN_MOST,
    RADIUS,
    SPAN,
    START,
)
from forearm.core.collision.clearance import pair_gaps, stance_size
from forearm.models.model import Model

Pairs = NDArray[np.int64]
ENOUGH = OWN_MOST + 1e-9  # what links of one arm are never asked to exceed [m], whatever rounding does
BETWEEN = 4  # joints between two bodies, at most: with more of them too many boxes are needed
LOOKS = 60000  # gaps that are measured between two halvings, at most
LARGER = 1.0 + 1e-9  # a cover, so that its rounding hides nothing
CIRCLE = 16  # rounds in which the middle of a cover is sought
WAYS = 40  # directions that a cover may have, and the axes


def never_near(model: Model, chain: Floats, bodies: Floats, pairs: Pairs, least: Floats) -> list[tuple[int, int]]:
    """Those of the (p, 2) pairs of bodies of two links that nowhere within the limits come nearer than `ENOUGH`.

    `least` are (p,) the least gaps that were seen [m].
    """
    one, other = (int(bodies[b, FRAME]) for b in pairs[0])
    levers = _levers(model, bodies, pairs)
    middle, half = variable_range(model)
    half = np.where(levers.any(axis=0), half, 0.0)  # of what moves them
    open_ = np.argsort(-least, kind="stable")[: np.count_nonzero(least >= ENOUGH)]  # those farthest apart first
    if other - one > BETWEEN or not np.isfinite(levers * half).all():
        return []
    places, widths = middle[None], half[None]
    work = np.empty(stance_size(model.m, len(bodies)))
    while len(places) and len(open_):
        open_ = open_[: LOOKS // len(places)]
        gaps = np.empty((len(places), len(open_)))
        pair_gaps(chain, bodies, np.ascontiguousarray(pairs[open_]), places, work, gaps)
        far = (gaps >= ENOUGH).all(axis=0)
        open_, gaps = open_[far], gaps[:, far]
        unsure = (gaps - widths @ levers[open_].T < ENOUGH).any(axis=1)
        places, widths = _halved(places[unsure], widths[unsure], levers[open_].max(axis=0, initial=0.0))
    return [(int(a), int(b)) for a, b in pairs[open_]]


def _halved(places: Floats, widths: Floats, levers: Floats) -> tuple[Floats, Floats]:
    """Boxes in two, across the variable that moves bodies farthest."""
    rows, at = np.arange(len(places)), np.argmax(widths * levers, axis=1)
    widths = widths.copy()
    widths[rows, at] *= 0.5
    by = np.zeros_like(places)
    by[rows, at] = widths[rows, at]
    return np.concatenate([places - by, places + by]), np.concatenate([widths, widths])


def variable_range(model: Model) -> tuple[Floats, Floats]:
    """(n,) the middle and half the range of every variable; a whole turn is all there is of one that turns."""
    lower, upper = model.limits
    half, turn = 0.5 * (upper - lower), np.full(model.n, math.inf)
    for kind, variable, ratio in model.joints:
        alone = np.count_nonzero(model.joints[:, 1] == variable) == 1
        if kind != PRISMATIC and alone and ratio != 0.0:
            turn[int(variable)] = math.pi / abs(ratio)
    middle = 0.5 * np.where(half < turn, lower, 0.0) + 0.5 * np.where(half < turn, upper, 0.0)
    return middle, np.minimum(half, turn)


def _levers(model: Model, bodies: Floats, pairs: Pairs) -> Floats:
    """(p, n) how far a pair's gap changes at most with each variable [m per rad, or per m]."""
    one, other = (int(bodies[b, FRAME]) for b in pairs[0])
    starts = bodies[:, START : START + 3]
    ends = np.stack([starts, starts + bodies[:, SPAN : SPAN + 3]], axis=1)
    far, flat = (np.linalg.norm(part, axis=2).max(axis=1) for part in (ends, ends[:, :, :2]))
    return levers_between(model, (one, other), (far[pairs[:, 0]], math.inf), (far[pairs[:, 1]], flat[pairs[:, 1]]))


def levers_between(
    model: Model, ends: tuple[int, int], first: tuple[Floats, float], second: tuple[Floats, Floats]
) -> Floats:
    """(p, n) how far gaps between what two joints carry change at most with each variable [m per rad, or per m].

    Args:
        model: The arm.
        ends: Both joints.
        first: (p,) how far what the first carries is from its frame's origin at most, and from the next joint's axis.
        second: (p,) how far what the second carries is from its frame's origin, and from its own axis.
    """
    (one, other), (far, across), (back, flat) = ends, first, second
    steps = np.linalg.norm(model.links[:, :, 3], axis=1)  # into each joint; beyond it, as far as it slides
    slides = np.array([_slide(model, joint) for joint in range(model.m)])
    levers = np.zeros((len(far), model.n))
    for joint in range(one + 1, other + 1):
        kind, variable, ratio = model.joints[joint]
        before = far + steps[one + 1 : joint + 1].sum() + slides[one + 1 : joint].sum()
        behind = flat
        if joint == one + 1:
            before = np.minimum(before, across)
        if joint < other:  # its own axis leaves heights above the joint as they are
            beside = float(np.linalg.norm(model.links[joint + 1, :2, 3]))
            behind = back + beside + steps[joint + 2 : other + 1].sum() + slides[joint + 1 : other + 1].sum()
        levers[:, int(variable)] += abs(ratio) * (1.0 if kind == PRISMATIC else np.minimum(before, behind))
    return levers


def _slide(model: Model, joint: int) -> float:
    """How far a joint moves what it carries along its axis, at most [m]."""
    kind, variable, ratio = model.joints[joint]
    return float(np.abs(ratio * model.limits[:, int(variable)]).max()) if kind == PRISMATIC else 0.0


def cover_row(members: Floats) -> Floats:
    """The row of a capsule round all bodies of a frame: the smallest of those along many directions."""
    starts = members[:, START : START + 3]
    ends, radii = np.vstack([starts, starts + members[:, SPAN : SPAN + 3]]), np.tile(members[:, RADIUS], 2)
    A, B, R = _along(ends, radii, np.vstack([spread_ways(WAYS), np.linalg.svd(ends - ends.mean(axis=0))[2]]))
    best = int(np.argmin((np.linalg.norm(B - A, axis=1) + 4.0 / 3.0 * R) * R**2))
    a, b, row = A[best], B[best], np.zeros(BODY_COLUMNS)
    length = float(np.linalg.norm(b - a))
    row[FRAME], row[START : START + 3], row[SPAN : SPAN + 3] = members[0, FRAME], a, b - a
    row[RADIUS], row[HALF] = LARGER * R[best], 0.5 * length
    row[OVER_SQUARE] = 1.0 / length**2 if length > 0.0 else 0.0
    return row


def _along(centres: Floats, radii: Floats, axes: Floats) -> tuple[Floats, Floats, Floats]:
    """Capsules round (N, 3) balls along each of (k, 3) unit vectors: (k, 3) both ends, (k,) the radius."""
    heights, rows = axes @ centres.T, np.arange(len(axes))  # (k, N)
    across = centres - heights[:, :, None] * axes[:, None]
    middle = across.mean(axis=1)
    for k in range(CIRCLE):  # toward the farthest, by less and less (Badoiu, Clarkson): about the smallest circle
        off = np.linalg.norm(across - middle[:, None], axis=2)
        far = np.argmax(off + radii, axis=1)
        longer = 1.0 + radii[far] / np.maximum(off[rows, far], 1e-300)
        middle = middle + longer[:, None] * (across[rows, far] - middle) / (k + 2)
    off = np.linalg.norm(across - middle[:, None], axis=2)
    cap = np.sqrt(np.maximum(((off + radii).max(axis=1)[:, None] - radii) ** 2 - off**2, 0.0))
    low, high = (heights + cap).min(axis=1), (heights - cap).max(axis=1)
    half = np.where(low < high, 0.5 * (high - low), 0.0)  # one ball may hold all
    A, B = (middle + (0.5 * (low + high) + side * half)[:, None] * axes for side in (-1.0, 1.0))
    share = np.clip((heights - (A * axes).sum(axis=1)[:, None]) / np.maximum(2.0 * half, 1e-300)[:, None], 0.0, 1.0)
    to = centres - A[:, None] - share[:, :, None] * (B - A)[:, None]
    return A, B, np.asarray((np.linalg.norm(to, axis=2) + radii).max(axis=1))
