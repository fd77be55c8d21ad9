"""The table by which every branch of six revolute axes is found (`core/branches`), made once per arm.

What the eliminated joints can do with a line is a constant of the arm, so all that is heavy is done here: null spaces,
how they change when the arm is unfolded, and which two of twelve eliminations serve this arm best. That is measured
on random poses of its own.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from forearm.arm.axes import axes_of
from forearm.common.transforms import rotation_about
from forearm.common.types import Floats
from forearm.core.branches.layout import (
    ARCS,
    BRANCHES,
    COEFFICIENTS,
    DEGREE,
    ELIMINATION,
    HEAD,
    INTERVALS,
    MOST,
    NODES,
    NOISE,
    REPORT_NUMBERS,
    RESAMPLED,
    SAMPLES,
    TRUST,
    UNFOLDED,
    WORK_NUMBERS,
)
from forearm.core.branches.roots import QUARTER
from forearm.core.branches.solve import list_branches
from forearm.core.codes import KIND, PRISMATIC, RATIO
from forearm.models.model import Model, reach

OFFSET = 0.37  # samples and arcs begin at odd angles, so that no special posture lies at the end of an interval
FRAME_TURNS = (0.3, 0.7, 1.1)  # [rad] frames stand askew
SHIFT = 0.7  # [rad] and so do the half angles: the tangent of half a square one would be infinite
STEP = 2e-3  # of the deformation that unfolds an arm
DERIVATIVE = ((1, 1.5), (2, -0.6), (3, 0.1))  # central differences at one, two and three steps
DEFICIENT = 1e-9  # singular values below this share of the largest are none
# poses that the best are measured on, those after which a noisy elimination is dropped, and those all are measured on
POSES, FIRST, SOME, FINALISTS = 32, 3, 8, 4
NOISY = 1e-5
CLEAN = 2.0  # trust in a set that one elimination found without a doubt
# what an elimination is charged: an answer missed, a set it does not trust, an interval, a local sampling, unfolding
MISSED, UNSURE, LOOKED, SAMPLED, UNFOLDING = 20.0, 5.0, 0.2, 2.0, 8.0


class Lines(NamedTuple):
    """Six lines at the zero configuration, and the tip [m]."""

    P: Floats  # (6, 3) points
    Z: Floats  # (6, 3) unit directions
    M: Floats  # (4, 4) the tip's pose


# -- constants of the method ------------------------------------------------------------------------


@lru_cache(maxsize=1)
def rules() -> Floats:
    """Constant matrices: samples to coefficients, on the circle, on its arcs and inside an interval; flat."""
    angles = 2.0 * math.pi * (np.arange(SAMPLES) + OFFSET) / SAMPLES
    orders = np.arange(1, SAMPLES // 2 + 1)
    waves = np.empty((NODES, SAMPLES))
    waves[0] = 1.0 / SAMPLES
    waves[1::2] = 2.0 * np.cos(np.outer(orders, angles)) / SAMPLES
    waves[2::2] = 2.0 * np.sin(np.outer(orders, angles)) / SAMPLES
    waves[-2:] *= 0.5  # the highest order is met twice
    middles = 2.0 * math.pi * (np.arange(ARCS) + OFFSET) / ARCS
    arcs = np.array([_on_arc(middle) @ waves[:COEFFICIENTS] for middle in middles])
    nodes = 0.5 - 0.5 * np.cos(math.pi * (np.arange(NODES) + 0.5) / NODES)
    chebyshev = 2.0 * np.cos(np.outer(np.arange(NODES), np.arccos(2.0 * nodes - 1.0))) / NODES
    chebyshev[0] *= 0.5
    local = _chebyshev_to_bernstein() @ chebyshev[:COEFFICIENTS]
    parts = (arcs, local, chebyshev[COEFFICIENTS:], nodes, waves, angles, middles)
    return np.concatenate([part.ravel() for part in parts])


def _on_arc(middle: float) -> Floats:
    """(17, 17) coefficients of a trigonometric polynomial to Bernstein coefficients of it times (1 + t^2)^8.

    With t the tangent of half the angle, exp(i k angle) (1 + t^2)^8 = (1 + i t)^(8 + k) (1 - i t)^(8 - k). Scaled by
    binomials, Bernstein coefficients of a product are a convolution.
    """
    plus, binomials = np.array([1.0 - 1j * QUARTER, 1.0 + 1j * QUARTER]), _binomials(DEGREE)
    columns = np.empty((COEFFICIENTS, COEFFICIENTS))
    for k in range(DEGREE // 2 + 1):
        product = np.ones(1, dtype=complex)
        for factor in [plus] * (DEGREE // 2 + k) + [plus.conj()] * (DEGREE // 2 - k):
            product = np.convolve(product, factor)
        wave = np.exp(1j * k * middle) * product / binomials
        if k == 0:
            columns[:, 0] = wave.real
        else:
            columns[:, 2 * k - 1], columns[:, 2 * k] = wave.real, wave.imag
    return columns


def _binomials(n: int) -> Floats:
    return np.array([math.comb(n, k) for k in range(n + 1)], dtype=float)


def _chebyshev_to_bernstein() -> Floats:
    """(17, 17) Chebyshev coefficients to Bernstein coefficients of degree 16 on [0, 1]."""
    columns = np.empty((COEFFICIENTS, COEFFICIENTS))
    for k in range(COEFFICIENTS):
        scaled = np.array([(-1.0) ** (k - i) * math.comb(2 * k, 2 * i) for i in range(k + 1)])
        columns[:, k] = np.convolve(scaled, _binomials(DEGREE - k)) / _binomials(DEGREE)
    return columns


# -- one elimination ---------------------------------------------------------------------------------


def _cross(a: Floats, b: Floats) -> Floats:
    """(k, 3) products of vectors row by row, a tenth of `np.cross`'s time."""
    (x, y, z), (u, v, w) = a.T, b.T
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=1)


def _frames(P: Floats, Z: Floats) -> Floats:
    """(6, 4, 4) a frame on each line: z along it, x across it and askew."""
    frames = np.zeros((len(P), 4, 4))
    x = _cross(Z, np.eye(3)[np.argmin(np.abs(Z), axis=1)])
    x /= np.sqrt(np.einsum("ij,ij->i", x, x))[:, None]
    turns = np.resize(FRAME_TURNS, len(P))[:, None]
    x = np.cos(turns) * x + np.sin(turns) * _cross(Z, x)
    frames[:, :3, 0], frames[:, :3, 1], frames[:, :3, 2], frames[:, :3, 3] = x, _cross(Z, x), Z, P
    frames[:, 3, 3] = 1.0
    return frames


def _action(T: Floats) -> Floats:
    """(15, 15) what a rigid motion does to a line with a marked point (`core/branches/marked_line.py`)."""
    R, t = T[:3, :3], T[:3, 3]
    tt, cross = t @ t, np.array([[0.0, -t[2], t[1]], [t[2], 0.0, -t[0]], [-t[1], t[0], 0.0]])
    A = np.zeros((15, 15))
    A[0, 0] = A[4, 4] = A[8, 8] = 1.0
    A[1:4, 1:4] = A[5:8, 5:8] = A[9:12, 9:12] = A[12:15, 12:15] = R
    A[1:4, 0] = t
    A[4, 1:4], A[4, 0] = 2.0 * t @ R, tt
    A[8, 5:8] = t @ R
    A[9:12, 5:8] = cross @ R
    A[12:15, 9:12] = -2.0 * cross @ R
    A[12:15, 5:8] = tt * R - 2.0 * np.outer(t, t @ R)
    A[12:15, 8] = -2.0 * t
    return A


def _split(v: Floats) -> Floats:
    """(15, 3k) the constant, cosine and sine parts of vectors (15, k) turned about z."""
    kept, cosine, sine = v.copy(), np.zeros_like(v), np.zeros_like(v)
    for i in (1, 5, 9, 12):
        kept[i : i + 2] = 0.0
        cosine[i : i + 2] = v[i : i + 2]
        sine[i], sine[i + 1] = -v[i + 1], v[i]
    return np.stack([kept, cosine, sine], axis=2).reshape(15, -1)


def _eliminated(s: Floats, e1: Floats, e2: Floats, h: Floats) -> Floats:
    """(15, 9) what joints e1 and e2 make of the followed line, seen from the hidden one; frames are given."""
    line = np.zeros((15, 1))
    line[0], line[7] = 1.0, 1.0
    back = [np.linalg.inv(frame) for frame in (e1, e2, h)]
    v = _split(_action(back[0] @ s) @ line)
    return np.asarray(_action(back[2] @ e2) @ _split(_action(back[1] @ e1) @ v))


def _projector(X: Floats) -> Floats:
    """(15, 15) onto the columns of X."""
    Q = np.linalg.qr(X)[0]
    return np.asarray(Q @ Q.T)


def _unfolded(P: Floats, Z: Floats, at: list[int], raw: bool) -> tuple[Floats, Floats]:
    """What e1 and e2 do when their lines are deformed a little, and its derivative; raw, or the projector onto it."""
    shift = np.sin(1.0 + 7.0 * np.arange(12.0)).reshape(4, 3)
    mean, slope = np.zeros((15, 9 if raw else 15)), np.zeros((15, 9 if raw else 15))
    for steps, weight in DERIVATIVE:
        both = []
        for t in (steps * STEP, -steps * STEP):
            bent, turned = P.copy(), Z.copy()
            for k in range(2):
                i = at[1 + k]
                bent[i] = P[i] + t * shift[k]
                turned[i] = Z[i] + t * _cross(shift[2 + k, None], Z[i, None])[0]
                turned[i] /= math.sqrt(turned[i] @ turned[i])
            frames = _frames(bent, turned)
            made = _eliminated(*(frames[i] for i in at[:4]))
            both.append(made if raw else _projector(made))
        mean += 0.5 * weight * (both[0] + both[1])
        slope += weight * (both[0] - both[1]) / (2.0 * steps * STEP)
    return mean, slope


def eliminate(P: Floats, Z: Floats, followed: int, reversed_: bool) -> tuple[Floats, Floats]:
    """The two flat eliminations, plain and unfolded, that follow one line; lengths are divided by the scale."""
    if reversed_:
        P, Z = P[::-1], Z[::-1]
    at = [(followed + k) % 6 for k in range(6)]
    frames = _frames(P, Z)
    s, e1, e2, h, a, b = (frames[i] for i in at)
    X = _eliminated(s, e1, e2, h)
    left, size, _ = np.linalg.svd(X)
    full = size[-1] >= DEFICIENT * size[0]
    mean, slope = _unfolded(P, Z, at, full)
    N = left[:, 9:].T
    if full:  # the projector's derivative across its null space, to rounding
        slope = slope @ np.linalg.pinv(X)
    else:  # of a larger null space, the part that the deformed arms have
        N = np.linalg.eigh(mean)[1][:, :6].T
    cosines = np.linalg.pinv(X, rcond=DEFICIENT)[[3, 6, 1, 2]]
    shift = rotation_about((0.0, 0.0, 1.0), SHIFT)
    pairs = ((h, a), (a @ shift, b), (b @ shift, s))  # into the frame of the first, out of that of the second
    ends = [np.linalg.inv(to) @ of for to, of in pairs]
    to, of = pairs[2 - followed]
    ends += [np.linalg.inv(to), of]
    tail = [*(end[:3].ravel() for end in ends), s[:3].ravel(), Z[at].ravel(), N.ravel(), (-N @ slope).ravel()]
    made = [np.concatenate([[followed, reversed_, kind, SHIFT], *tail, cosines.ravel()]) for kind in (0.0, 1.0)]
    return made[0], made[1]


# -- the table of an arm -----------------------------------------------------------------------------


def centred(lines: Lines) -> tuple[Floats, Floats, float]:
    """Points of the lines that lie close together, their middle, and the length that counts as one."""
    P, middle = lines.P, lines.P.mean(axis=0)
    for _ in range(3):
        P = P - lines.Z * np.einsum("ij,ij->i", lines.Z, P - middle)[:, None]
        middle = P.mean(axis=0)
    P = P - middle
    size = 2.0 * float(np.linalg.norm(P, axis=1).max())
    return P, middle, size


def branch_table(lines: Lines, order: list[int] | None = None) -> Floats | None:
    """The flat table of six lines; None if no elimination serves them, as when all meet in a point.

    The order of its eliminations is found on poses of its own, or that of an arm much like it is given.
    """
    P, middle, scale = centred(lines)
    if not 0.0 < scale < math.inf:
        return None
    back = np.linalg.inv(lines.M)
    back[:3, 3] += back[:3, :3] @ middle
    head = np.array([1.0, scale, 0.0, 0.0])
    arm = [back[:3].ravel(), middle, lines.M[:3, 3] - middle, np.hstack([P, lines.Z]).ravel()]
    table = np.concatenate([head, *arm, np.zeros(MOST * ELIMINATION), rules()])
    choices = [made for back_ in (False, True) for k in range(3) for made in eliminate(P / scale, lines.Z, k, back_)]
    order = order or _best(table, choices, lines)
    if not order:
        return None
    # the best, the best that hides another joint, then all others: some poses are special to some of them
    best = order[0]
    order = sorted(order, key=lambda k: k != best and k // 2 == best // 2)
    table[HEAD + 54 : HEAD + 54 + len(order) * ELIMINATION] = np.concatenate([choices[k] for k in order])
    table[0] = len(order)
    return table


def _poses(lines: Lines) -> Floats:
    """(POSES, 4, 4) where the tip is at configurations spread over the circle."""
    Q = np.random.default_rng(6).uniform(-math.pi, math.pi, (POSES, 6))
    T = np.tile(np.eye(4), (POSES, 1, 1))
    for k, (p, z) in enumerate(zip(lines.P, lines.Z, strict=True)):
        c, s = np.cos(Q[:, k])[:, None, None], np.sin(Q[:, k])[:, None, None]
        cross = np.array([[0.0, -z[2], z[1]], [z[2], 0.0, -z[0]], [-z[1], z[0], 0.0]])
        E = np.tile(np.eye(4), (POSES, 1, 1))
        E[:, :3, :3] = c * np.eye(3) + s * cross + (1.0 - c) * np.outer(z, z)
        E[:, :3, 3] = p - E[:, :3, :3] @ p
        T = T @ E
    return np.ascontiguousarray(T @ lines.M)


def _best(table: Floats, choices: list[Floats], lines: Lines) -> list[int]:
    """The eliminations that serve this arm, the best first, measured on its own poses: all on some, a few on all."""
    poses = _poses(lines)
    counts, charge = np.zeros((len(choices), POSES)), np.zeros(len(choices))
    work = np.empty(WORK_NUMBERS), np.empty((BRANCHES, 6)), np.empty(REPORT_NUMBERS)
    place, usable = slice(HEAD + 54, HEAD + 54 + ELIMINATION), list[int]()
    for k, choice in enumerate(choices):
        table[place] = choice
        noise = sum(_measure(table, k, poses, range(i, i + 1), counts, charge, work) for i in range(FIRST))
        if noise < NOISY * FIRST:
            usable.append(k)
    for first, last, kept in ((FIRST, SOME, len(choices)), (SOME, POSES, FINALISTS)):
        most = counts[:, :first].max(axis=0)
        charged = charge + MISSED * (most - counts[:, :first]).sum(axis=1)
        usable.sort(key=charged.tolist().__getitem__)
        for k in usable[:kept]:
            table[place] = choices[k]
            _measure(table, k, poses, range(first, last), counts, charge, work)
    finalists = usable[:FINALISTS]
    most = counts[finalists].max(axis=0, initial=0.0)
    charge += MISSED * (most - counts).sum(axis=1)
    return sorted(finalists, key=lambda k: charge[k]) + usable[FINALISTS:]


def _measure(
    table: Floats, k: int, poses: Floats, which: range, counts: Floats, charge: Floats, work: tuple[Floats, ...]
) -> float:
    """Adds what the elimination in the table is charged on some poses and counts its answers; the sum of its noise."""
    scratch, rows, report = work
    noise, unfolded = 0.0, table[HEAD + 54 + UNFOLDED]
    for i in which:
        counts[k, i] = list_branches(table, poses[i], scratch, rows, report)
        noise += float(report[NOISE])
        charge[k] += LOOKED * report[INTERVALS] + SAMPLED * report[RESAMPLED] + UNSURE * (report[TRUST] < CLEAN)
        charge[k] += UNFOLDING * unfolded
    return noise


# -- six axes of a robot -----------------------------------------------------------------------------

# Axes that an arm of five or four joints is given behind its tip: askew, so that they add no special posture. Its
# answers are those that leave them at zero.
ADDED = ((0.31, -0.47, 0.23, 0.5, 0.3, 0.812), (-0.22, 0.36, 0.41, -0.6, 0.64, 0.48))
LEAST = 4
AT_ZERO = 1e-6  # [rad]


class SixAxes(NamedTuple):
    """At most six turning joints and their table."""

    table: Floats
    joints: int  # how many are the arm's own

    def rows(self, pose: Floats) -> tuple[Floats, int]:
        """(k, n) every branch of a pose, limits aside, and how far they are to be trusted: 0, 1 or 2."""
        found, report = np.empty((BRANCHES, 6)), np.empty(REPORT_NUMBERS)
        count = list_branches(self.table, pose, np.empty(WORK_NUMBERS), found, report)
        found = found[:count]
        found = found[(np.abs(found[:, self.joints :]) < AT_ZERO).all(axis=1), : self.joints]
        return np.ascontiguousarray(found), int(report[TRUST])


def six_axes(model: Model) -> SixAxes | None:
    """The table of an arm of six turning joints, five or four, each a variable of its own; None for other arms."""
    slides, ratios = (model.joints[:, KIND] == PRISMATIC).any(), (model.joints[:, RATIO] != 1.0).any()
    if model.m != model.n or slides or ratios or not LEAST <= model.n <= 6:
        return None
    axes = axes_of(model)
    P, Z, M = list(axes.P), list(axes.H), axes.M
    for numbers in ADDED[: 6 - model.n]:
        place, along = np.array(numbers[:3]), np.array(numbers[3:])
        P.append(M[:3, 3] + reach(model) * place)
        Z.append(M[:3, :3] @ along / np.linalg.norm(along))
    table = branch_table(Lines(np.array(P), np.array(Z), M))
    return None if table is None else SixAxes(table, model.n)
