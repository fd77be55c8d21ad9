"""The table by which every self-motion curve of seven revolute axes is found (`core/self_motion`), made once per arm.

Each slice locks one joint, and what is left are six axes with a table of their own (`elimination.py`). Locked first or
last, a joint moves the pose and leaves the six axes as they are: one table serves all values.
"""

import math
from typing import NamedTuple

import numpy as np

from forearm.arm.axes import axes_of
from forearm.arm.branches.elimination import Lines, branch_table, centred
from forearm.common.types import Floats
from forearm.core.codes import KIND, PRISMATIC, RATIO
from forearm.models.model import Model

AXES = 7
# Joints that are locked, and at how many values: the last at many, others at a few, as a curve may turn all round in
# one of them and hardly move the last.
LOCKED = ((6, 16), (0, 2), (2, 2), (4, 2))
OFFSET = 0.37  # of the values, so that none is square [rad]


class SevenAxes(NamedTuple):
    """Seven turning joints and their table."""

    table: Floats
    slices: int


def _turn(P: Floats, Z: Floats, k: int, angle: float) -> Floats:
    """(4, 4) the motion of a joint about its line."""
    z, c, s = Z[k], math.cos(angle), math.sin(angle)
    T = np.eye(4)
    cross = np.array([[0.0, -z[2], z[1]], [z[2], 0.0, -z[0]], [-z[1], z[0], 0.0]])
    T[:3, :3] = c * np.eye(3) + s * cross + (1.0 - c) * np.outer(z, z)
    T[:3, 3] = P[k] - T[:3, :3] @ P[k]
    return T


def _without(lines: Lines, k: int, angle: float) -> Lines:
    """The six lines that are left when a joint is locked: those behind it are moved."""
    T = np.eye(4) if k in (0, AXES - 1) else _turn(lines.P, lines.Z, k, angle)
    P, Z = lines.P.copy(), lines.Z.copy()
    P[k + 1 :], Z[k + 1 :] = P[k + 1 :] @ T[:3, :3].T + T[:3, 3], Z[k + 1 :] @ T[:3, :3].T
    return Lines(np.delete(P, k, axis=0), np.delete(Z, k, axis=0), T @ lines.M)


def seven_axes(
    model: Model, locked: tuple[tuple[int, int], ...] = LOCKED, order: list[int] | None = None
) -> SevenAxes | None:
    """The table of an arm of seven turning joints, each a variable of its own; None for other arms.

    `order` is that of the eliminations of all slices, where it is known.
    """
    slides, ratios = (model.joints[:, KIND] == PRISMATIC).any(), (model.joints[:, RATIO] != 1.0).any()
    if model.m != model.n or slides or ratios or model.n != AXES:
        return None
    axes = axes_of(model)
    lines = Lines(axes.P, axes.H, axes.M)
    P, middle, _ = centred(lines)
    back = np.linalg.inv(lines.M)
    back[:3, 3] += back[:3, :3] @ middle
    arm = np.concatenate([back[:3].ravel(), middle, lines.M[:3, 3] - middle, np.hstack([P, lines.Z]).ravel()])
    rows, tables = list[Floats](), list[Floats]()
    for k, count in locked:
        ends = k in (0, AXES - 1)
        for i in range(count):
            angle = 2.0 * math.pi * (i + 0.5) / count - math.pi + OFFSET
            if not ends or i == 0:
                table = branch_table(_without(lines, k, angle), order)
                if table is None:
                    return None
                tables.append(table)
            left, right = np.eye(4), np.eye(4)
            if k == 0:
                left = _turn(lines.P, lines.Z, k, -angle)
            elif k == AXES - 1:
                right = np.linalg.inv(lines.M) @ _turn(lines.P, lines.Z, k, -angle) @ lines.M
            rows.append(np.concatenate([[k, angle, len(tables) - 1, 0.0], left[:3].ravel(), right[:3].ravel()]))
    head = np.array([len(rows), len(tables), 0.0, 0.0])
    return SevenAxes(np.concatenate([head, arm, *rows, *tables]), len(rows))
