"""The step table of FABRIK-R: how each joint is placed, decided once per robot from its geometry.

To place joint m, `find_concurrent` seeks the furthest point p_j for which v_m . (p_j - p_prev) is
the same in every configuration: a plane across axis m through p_prev (moved by that constant)
that holds p_j is then no restriction, and the axis must be turned until it does.

A point may lie anywhere on its joint's axis. It is put at the foot of the common normal with the
axis before, as in a Denavit-Hartenberg table, so the sweeps do not depend on how a model's
author placed the frames.
"""

import numpy as np
from numpy.typing import NDArray

from forearm.common.types import Floats
from forearm.core.arm.kinematics import fk_frames
from forearm.core.codes import KIND, PRISMATIC, RATIO, VARIABLE
from forearm.core.iterative import fabrik_r_place as place
from forearm.core.iterative.fabrik_r_stages import BACKWARD, BACKWARD_POSE, FORWARD
from forearm.errors import UnsupportedError
from forearm.models.model import Model

CONFIGURATIONS = 16  # what is constant over this many random configurations is constant
SAME = 1e-9  # a length this small against the arm's is rounding [1]
PARALLEL = 1e-7  # sine of the angle between axes that count as parallel


def step_table(model: Model) -> Floats:
    """(3, n+1, COLUMNS) steps of the forward stage, of the backward stage, and of that to a pose.

    Row m of each part places joint m, and row n of the backward parts the tip. Row n-1 of the
    forward part brings the tip to a target position.
    """
    _check(model)
    n = model.n
    shift = _shifts(model)
    ahead = model.links.copy()  # the links between the points instead of the model's origins, as `prepare` makes them
    ahead[:-1, :, 3] += shift[:, None] * model.links[:-1, :, 2]
    ahead[1:, 2, 3] -= shift
    points, axes = _sample(ahead, model)
    geometry = _Geometry(ahead, model.joints[:, KIND] == PRISMATIC, points, axes)
    table = np.zeros((3, n + 1, place.COLUMNS))
    for m in range(1, n):
        table[BACKWARD, m] = geometry.row(m, m - 1)
        table[FORWARD, m] = geometry.row(m, m + 1) if m < n - 1 else geometry.tip_row()
    if n == 1:
        table[FORWARD, 0, place.LOCAL : place.LOCAL + 3] = -ahead[n, :, 3]
    table[BACKWARD, n] = geometry.point_row(n, n - 1, n)
    table[BACKWARD_POSE] = table[BACKWARD]
    geometry.write_wrist(table[BACKWARD_POSE])
    table[:, :n, place.SHIFT] = shift
    return table


def _check(model: Model) -> None:
    if model.mimics:
        raise UnsupportedError(f"fabrik-r does not support mimic joints (here {', '.join(model.mimics)})")
    if not (model.joints[:, RATIO] == 1.0).all() or (model.joints[:, VARIABLE] != np.arange(model.m)).any():
        raise UnsupportedError(f"fabrik-r takes joints that move by their own variable; {model.name} has others")


# -- points and axes -----------------------------------------------------------------------------


def _shifts(model: Model) -> Floats:
    """(n,) how far along each axis its point lies from the model's origin [m]."""
    frames = np.empty((model.m + 1, 4, 4))
    fk_frames(model.links, model.joints, np.zeros(model.n), frames)
    shift = np.zeros(model.n)
    before, v = np.zeros(3), frames[0, :3, 2]  # the base counts as on the first axis
    for m in range(model.n):
        u, origin = frames[m, :3, 2], frames[m, :3, 3]
        cosine = float(u @ v)
        sine_squared = float(np.sum(np.cross(u, v) ** 2))
        away = before - origin
        if sine_squared < PARALLEL**2:
            shift[m] = u @ away
        else:
            shift[m] = (u @ away - cosine * (v @ away)) / sine_squared
        before, v = origin + shift[m] * u, u
    return shift


def _sample(ahead: Floats, model: Model) -> tuple[Floats, Floats]:
    """(K, n+1, 3) points and axes at K seeded random configurations; the tip has the last axis."""
    n = model.n
    slides = model.joints[:, KIND] == PRISMATIC
    Q = np.random.default_rng(0).uniform(-np.pi, np.pi, (CONFIGURATIONS, n))
    Q[:, slides] *= float(np.linalg.norm(ahead[:, :, 3], axis=1).max()) or 1.0
    frames = np.empty((CONFIGURATIONS, n + 1, 4, 4))
    for q, out in zip(Q, frames, strict=True):
        fk_frames(ahead, model.joints, q, out)
    points, axes = frames[:, :, :3, 3].copy(), frames[:, :, :3, 2].copy()
    axes[:, n] = axes[:, n - 1]
    points[:, :n] -= (Q * slides)[:, :, None] * axes[:, :n]  # a slide's point stands before its motion
    return points, axes


# -- rows ----------------------------------------------------------------------------------------


class _Geometry:
    """What the rows of the table are decided from."""

    def __init__(self, ahead: Floats, slides: NDArray[np.bool_], points: Floats, axes: Floats) -> None:
        self.ahead, self.slides, self.points, self.axes, self.n = ahead, slides, points, axes, len(slides)
        self.size = float(np.ptp(points, axis=1).max())  # a length to compare with: the largest extent of the arm [m]

    def row(self, m: int, mover: int) -> Floats:
        """How joint m is placed by moving its neighbour on the other side."""
        if self.slides[mover]:
            return self.point_row(m, mover, m)
        if self.slides[m]:  # the axis points where the slide goes: bring what it carries closest
            return self.point_row(m, mover, 2 * m - mover)
        if self.are_parallel(m, mover):
            return self.point_row(m, mover, m)
        j, offset = self.find_concurrent(m, mover)
        if self.is_on_axis(j, m):
            return self.point_row(m, mover, j)
        row = np.zeros(place.COLUMNS)
        row[place.STEP], row[place.POINT], row[place.OFFSET] = place.PLANE, j, offset
        return row

    def tip_row(self) -> Floats:
        """How the last axis is tilted, and the last joint spun, with the tip on the target."""
        n = self.n
        row = np.zeros(place.COLUMNS)
        row[place.LOCAL : place.LOCAL + 3] = -self.ahead[n, :, 3]
        if self.slides[n - 1] or np.ptp(self.axes[:, n - 1], axis=0).max() < PARALLEL:
            return row  # nothing to tilt: the axis carries a slide, or never turns
        row[place.STEP] = place.PLANE
        row[place.POINT], row[place.OFFSET] = self.find_concurrent(n - 1, n)
        if self.is_on_axis(n, n - 1) and not self.is_rounding(row[place.LOCAL + 2]):
            row[place.STEP], row[place.POINT], row[place.OFFSET] = place.CLOSEST, n - 1, row[place.LOCAL + 2]
        return row

    def find_concurrent(self, m: int, prev: int) -> tuple[int, float]:
        """The furthest point j with v_m . (p_j - p_prev) constant, and that constant (Alg. 2).

        There is always one: m itself, and its neighbour unless a slide lies between.
        """
        furthest = range(m + 1) if prev > m else range(self.n, m - 1, -1)
        along = np.einsum("ki,kji->kj", self.axes[:, m], self.points - self.points[:, prev : prev + 1])
        j = next(j for j in furthest if j == m or self.is_rounding(np.ptp(along[:, j])))
        return j, 0.0 if self.is_rounding(along[0, j]) else float(along[0, j])

    def point_row(self, m: int, mover: int, j: int) -> Floats:
        """The row that brings point j, rigid behind joint m or on its axis, closest to its store."""
        row = np.zeros(place.COLUMNS)
        row[place.POINT] = j
        link = self.link(mover, m)
        row[place.LOCAL : place.LOCAL + 3] = link[:, 3]
        if j != m and self.slides[m]:
            row[place.LOCAL : place.LOCAL + 3] += link[:, :3] @ self.link(m, j)[:, 3]
        elif j != m:
            along = self.axes[0, m] @ (self.points[0, j] - self.points[0, m])
            row[place.LOCAL : place.LOCAL + 3] += link[:, 2] * along
        if m < self.n and self.slides[m] and (j != m or mover > m):
            row[place.CARRY] = np.sign(m - mover)
        still = self.is_rounding(np.hypot(row[place.LOCAL], row[place.LOCAL + 1]))
        if row[place.CARRY] != 0.0:
            still = still and np.hypot(link[0, 2], link[1, 2]) < PARALLEL
        row[place.STEP] = place.SLIDE if self.slides[mover] else place.KEEP if still else place.CLOSEST
        return row

    def write_wrist(self, part: Floats) -> None:
        """Lets the last three joints of the backward stage turn the tip as a pose asks."""
        n = self.n
        if not self.slides[n - 1]:
            part[n, place.STEP] = place.FINISH
        if n < 2 or self.slides[n - 1] or self.slides[n - 2] or self.are_parallel(n - 1, n - 2):
            return
        part[n - 1, place.STEP] = place.ALIGN
        if n < 3 or self.slides[n - 3] or self.are_parallel(n - 2, n - 3):
            return
        part[n - 2] = 0.0
        part[n - 2, place.STEP], part[n - 2, place.OFFSET] = place.TILT, self.axes[0, n - 2] @ self.axes[0, n - 1]

    def link(self, start: int, end: int) -> Floats:
        """(3, 4) the fixed transform between neighbouring joints, in either direction."""
        C: Floats = self.ahead[max(start, end)]
        if start < end:
            return C
        return np.column_stack([C[:, :3].T, -C[:, :3].T @ C[:, 3]])

    def are_parallel(self, a: int, b: int) -> bool:
        """Whether two neighbouring axes are parallel."""
        return bool(np.linalg.norm(np.cross(self.axes[0, a], self.axes[0, b])) < PARALLEL)

    def is_on_axis(self, j: int, m: int) -> bool:
        """Whether point j always lies on axis m (a pivot)."""
        across = np.cross(self.points[:, j] - self.points[:, m], self.axes[:, m])
        return self.is_rounding(np.linalg.norm(across, axis=1).max())

    def is_rounding(self, length: float) -> bool:
        """Whether a length is nothing but rounding."""
        return bool(abs(length) <= SAME * self.size)
