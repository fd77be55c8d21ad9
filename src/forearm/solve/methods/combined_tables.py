"""How the combined method reduces a robot to two links, decided once from its axes.

Three forms can be reduced: axes 2, 3, 4 parallel and 5, 6 meeting (UR); axes 2, 3 parallel with a
spherical wrist; spherical shoulder and wrist with the elbow between. Once the wrist is fixed by the
target's frame, two links are left to iterate: in a plane for the first two, from a ball joint for
the third.
"""

import math

import numpy as np

from forearm.arm.axes import axes_of
from forearm.arm.structure import PARALLEL_23, Kind, Structure
from forearm.arm.tables import Prepared
from forearm.common.types import Floats
from forearm.core.combined import codes
from forearm.errors import UnsupportedError
from forearm.models.model import Model

Tables = tuple[Floats, Floats, Floats, Floats, Floats]

# How far the recognised axes may lie from the real ones [m]: answers are off by about as much, and the
# tolerance of a target is 1e-6 by default.
EXACT = 1e-7
SHORT = 1e-9  # a link shorter than this is none [m]
STRAIGHT = 1e-9  # sine of the angle between directions that count as one


def misfit(arm: Prepared) -> str:
    """Why the method cannot reduce this arm, or an empty string."""
    structure, kind = arm.structure, arm.structure.kind
    in_plane = kind is Kind.UR or (kind is Kind.WRIST and structure.case == PARALLEL_23)
    if in_plane and not structure.reversed:
        fault = ""
    elif kind is Kind.SRS:
        E, _, w = _ball_points(structure)
        fault = "" if abs(structure.H[3] @ (w - E)) < EXACT else "an elbow with an offset along its axis"
    else:
        fault = f"arms that do not reduce to two links (here {structure.summary})"
    if not fault and structure.gap > EXACT:
        fault = f"axes that miss their common point (here by up to {structure.gap:.2g} m)"
    if not fault and min(_lengths(structure)) < SHORT:
        fault = "arms with a link of no length"
    return fault


def combined_tables(arm: Prepared) -> Tables:
    """The reduction: lines (n, 7), back (4, 4), facts, and links (k+1, 3, 4) and joints (k, 3) of the reduced chain."""
    model, structure = arm.model, arm.structure
    fault = misfit(arm)
    if fault:
        raise UnsupportedError(
            f"method 'combined' does not support {fault}; {{general}} does", general="method='general'"
        )
    points, facts = structure.P.copy(), np.zeros(codes.FACTS)
    facts[codes.LENGTHS : codes.LENGTHS + 2] = _lengths(structure)
    if structure.kind is Kind.SRS:
        _write_ball(structure, facts)
        points[3] = facts[codes.ELBOW_POINT : codes.ELBOW_POINT + 3]
        first, last = 0, 3
    else:
        _write_planar(structure, facts)
        first, last = 1, 2
    facts[codes.FIRST] = first
    links, joints = _reduced_chain(model, first, last, facts[codes.END_POINT : codes.END_POINT + 3])
    lines: Floats = np.ascontiguousarray(np.column_stack([structure.H, points, np.arange(model.n)]))
    back: Floats = np.linalg.inv(axes_of(model).M).astype(np.float64)
    return lines, back, facts, links, joints


def pack_tables(lines: Floats, back: Floats, facts: Floats, links: Floats, joints: Floats) -> Floats:
    """The flat array of a reduction, as `core/combined/codes.py` describes it."""
    return np.concatenate([part.ravel() for part in (facts, back, lines, links, joints)])


def reduced_chain(table: Floats) -> tuple[Floats, Floats]:
    """Links (k+1, 3, 4) and joints (k, 3) of the chain in a flat reduction."""
    k = 4 if table[codes.FORM] == codes.BALL else 2
    links, joints = table[-15 * k - 12 : -3 * k], table[-3 * k :]
    return links.reshape(k + 1, 3, 4), joints.reshape(k, 3)


def _write_planar(structure: Structure, facts: Floats) -> None:
    """Two links across axis 2: from axis 2 to axis 3, and on to axis 4 or to the wrist's centre."""
    H = structure.H
    first, second, end = _planar_links(structure)
    facts[codes.FORM] = codes.PARALLEL if structure.kind is Kind.UR else codes.WRIST
    facts[codes.START : codes.START + 3] = first / np.linalg.norm(first)
    facts[codes.ELBOW_POINT : codes.ELBOW_POINT + 3] = structure.P[2]
    facts[codes.END_POINT : codes.END_POINT + 3] = end
    facts[codes.SIGNS : codes.SIGNS + 2] = np.sign(H[2] @ H[1]), np.sign(H[3] @ H[1]) or 1.0
    facts[codes.OFFSET] = _signed_angle(H[1], first, second)


def _planar_links(structure: Structure) -> tuple[Floats, Floats, Floats]:
    H, P = structure.H, structure.P
    end = P[3]  # of UR: a point on axis 4; else the wrist's centre, where axis 4 passes
    first, second = P[2] - P[1], end - P[2]
    return first - H[1] * (H[1] @ first), second - H[1] * (H[1] @ second), end


def _write_ball(structure: Structure, facts: Floats) -> None:
    """Two links from the shoulder: to the elbow's axis, and on to the wrist's centre."""
    H = structure.H
    E, s, w = _ball_points(structure)
    first = (E - s) / np.linalg.norm(E - s)
    start = -H[0] if H[0] @ first < -STRAIGHT else H[0]
    facts[codes.FORM] = codes.BALL
    facts[codes.START : codes.START + 3] = start
    facts[codes.ELBOW_POINT : codes.ELBOW_POINT + 3] = E
    facts[codes.END_POINT : codes.END_POINT + 3] = w
    facts[codes.OFFSET] = _signed_angle(H[3], E - s, w - E)
    along = np.linalg.norm(np.cross(H[2], first)) < STRAIGHT
    if along and abs(H[0] @ H[1]) < STRAIGHT and abs(H[1] @ H[2]) < STRAIGHT:
        facts[codes.SIGNS] = 1.0
        facts[codes.CONE] = _signed_angle(H[1], start, first)


def _ball_points(structure: Structure) -> tuple[Floats, Floats, Floats]:
    """P2 (the point of axis 4 beside the shoulder), P1 and P3."""
    h, p, s, w = structure.H[3], structure.P[3], structure.P[0], structure.P[4]
    return p + h * (h @ (s - p)), s, w


def _lengths(structure: Structure) -> tuple[float, float]:
    if structure.kind is Kind.SRS:
        E, s, w = _ball_points(structure)
        return float(np.linalg.norm(E - s)), float(np.linalg.norm(w - E))
    first, second, _ = _planar_links(structure)
    return float(np.linalg.norm(first)), float(np.linalg.norm(second))


def _signed_angle(h: Floats, a: Floats, b: Floats) -> float:
    """The angle from a to b about h [rad]."""
    return math.atan2(float(h @ np.cross(a, b)), float(a @ b - (h @ a) * (h @ b)))


def _reduced_chain(model: Model, first: int, last: int, end: Floats) -> tuple[Floats, Floats]:
    """Links and joints of the joints that iterate, the others at zero, with its tip at P3."""
    T = np.eye(4)
    links = np.zeros((last - first + 2, 3, 4))
    for i in range(last + 1):
        T = T @ np.vstack([model.links[i], [0.0, 0.0, 0.0, 1.0]])
        if i >= first:
            links[i - first] = T[:3] if i == first else model.links[i]
    links[-1, :, :3] = np.eye(3)
    links[-1, :, 3] = T[:3, :3].T @ (end - T[:3, 3])
    joints = model.joints[first : last + 1].copy()
    joints[:, 1] -= first
    return links, np.ascontiguousarray(joints)
