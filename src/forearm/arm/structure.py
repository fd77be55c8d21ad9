"""What a robot's axes allow: which closed form solves it, and why.

Recognised from the lines in space (`arm/axes.py`), so a URDF with odd frames is seen through like a
table. Where axes are off by rounding, their points are replaced by the common point: the closed
form then solves a neighbouring arm, and its answer is polished on the real one.
"""

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from forearm.arm.axes import PARALLEL, Axes, axes_of, joint_pattern
from forearm.common.types import Floats
from forearm.models.model import Model


class Kind(str, Enum):
    """The classes of arms that have a closed form, and those that have none."""

    UR = "three parallel axes"
    WRIST = "spherical wrist"
    SRS = "spherical shoulder and wrist"
    LOCKED = "solvable with one joint held"
    PLANAR = "planar"
    SCARA = "scara"
    NONE = "none"

    def __str__(self) -> str:
        """The plain words."""
        return str(self.value)


# Cases of a spherical wrist's arm: what its first three axes have in common.
PARALLEL_23, MEET_12, MEET_23, PARALLEL_12 = 0, 1, 2, 3
CASE_PAIRS = ((1, 2), (0, 1), (1, 2), (0, 1))
CASE_VERBS = ("are parallel", "meet", "meet", "are parallel")


@dataclass(frozen=True, eq=False)
class Structure:
    """What was recognised.

    Attributes:
        kind: The class.
        why: What the axes have in common, joints counted from 1; or why there is no closed form.
        case: Which way the first three axes of a spherical wrist's arm lie (0 to 3); else 0.
        reversed: Whether the form holds from the tip to the base.
        locked: The joint to hold still, counted from 0, if any; the form is that of the others.
        inner: The class that is left with that joint held; else the class itself.
        order: The joint of each axis the form uses, in its own order, counted from 0.
        H: (k, 3) directions of those axes; turned round where the form is reversed.
        P: (k, 3) their points, replaced by common ones where axes meet [m].
        gap: How far the form's axes lie from the real ones [m, or sine of an angle]; above rounding, answers
            are polished on the real axes.
    """

    kind: Kind
    why: str
    case: int
    reversed: bool
    locked: int | None
    inner: Kind
    order: tuple[int, ...]
    H: Floats
    P: Floats
    gap: float

    @property
    def summary(self) -> str:
        """One sentence: what was found and why."""
        return f"{self.kind if self.closed else 'no closed form'}: {self.why}"

    @property
    def closed(self) -> bool:
        """Whether every pose has its joint values by formulas."""
        return self.kind is not Kind.NONE

    def __repr__(self) -> str:
        """One line."""
        return f"Structure({self.summary})"


def recognise(model: Model) -> Structure:
    """The structure of a chain."""
    axes = axes_of(model)
    if model.mimics or (model.joints[:, 2] != 1.0).any():
        return _none(axes, "joints follow others")
    turning = not axes.slides.any()
    if turning and model.n == 6:
        return _six(axes) or _none(axes, SIX_MISSING)
    if turning and model.n == 7:
        return _seven(axes) or _none(axes, SEVEN_MISSING)
    return _in_a_plane(axes, turning) or _none(axes, f"this is {joint_pattern(model)}; {KNOWN}")


KNOWN = "formulas are known for planar arms of 2 or 3 joints, SCARAs, and many arms of 6 or 7 turning joints"
SIX_MISSING = (
    "formulas need three neighbouring axes that meet in a point, and two others that meet or are parallel, or three "
    "parallel axes, and two others that meet; this arm has neither"
)
SEVEN_MISSING = (
    "formulas need a spherical shoulder and a spherical wrist, or an arm of six joints left that has formulas when the "
    "first or the last joint is held; this arm has neither"
)


def _none(axes: Axes, why: str) -> Structure:
    return Structure(Kind.NONE, why, 0, False, None, Kind.NONE, (), axes.H, axes.P, 0.0)


Order = tuple[int, ...]  # the joint of each axis in a row, counted from 0


def _six(axes: Axes, order: Order = (0, 1, 2, 3, 4, 5)) -> Structure | None:
    """The class of six revolute axes: wrist or three parallel ones, at the tip or at the base."""
    found = _wrist(axes, order) or _ur(axes, order)
    if found is not None:
        return found
    back, order = Axes(-axes.H[::-1], axes.P[::-1], axes.M, axes.slides), order[::-1]
    found = _wrist(back, order) or _ur(back, order)
    return found and replace(found, reversed=True)


def _wrist(axes: Axes, order: Order) -> Structure | None:
    """Axes 4, 5, 6 meet in a point, and two of the first three are parallel or meet."""
    w = axes.common_point(3, 4, 5)
    if w is None:
        return None
    P = axes.P.copy()
    P[3:] = w
    tests = (axes.parallel(1, 2), axes.meet(0, 1), axes.meet(1, 2), axes.parallel(0, 1))
    if not any(tests):
        return None
    case = tests.index(True)
    pair = CASE_PAIRS[case]
    if case in (MEET_12, MEET_23):
        P[list(pair)] = axes.common_point(*pair)
    which = _listed(tuple(order[i] for i in pair))
    why = f"axes {_listed(order[3:])} meet in a point, axes {which} {CASE_VERBS[case]}"
    gap = _gap(axes, P, pair if case in (PARALLEL_23, PARALLEL_12) else ())
    return Structure(Kind.WRIST, why, case, False, None, Kind.WRIST, order, axes.H, P, gap)


def _ur(axes: Axes, order: Order) -> Structure | None:
    """Axes 2, 3, 4 are parallel and axes 5, 6 meet."""
    if not (axes.parallel(1, 2) and axes.parallel(2, 3) and axes.parallel(1, 3) and axes.meet(4, 5)):
        return None
    P = axes.P.copy()
    P[4:] = axes.common_point(4, 5)
    why = f"axes {_listed(order[1:4])} are parallel, axes {_listed(order[4:])} meet"
    return Structure(Kind.UR, why, 0, False, None, Kind.UR, order, axes.H, P, _gap(axes, P, (1, 2, 3)))


def _seven(axes: Axes) -> Structure | None:
    """The class of seven revolute axes: two spherical groups, or six with the last or first held."""
    found = _swivelling(axes)
    if found is not None:
        return found
    for held in (6, 0):
        rest = [i for i in range(7) if i != held]
        left = Axes(axes.H[rest], axes.P[rest], axes.M, axes.slides[rest])
        found = _six(left, tuple(rest))
        if found is not None:
            why = f"with joint {held + 1} held, {found.why}"
            return replace(found, kind=Kind.LOCKED, why=why, locked=held, inner=found.kind)
    return None


def _swivelling(axes: Axes) -> Structure | None:
    """Axes 1, 2, 3 meet in a point, and so do 5, 6, 7; the middle one of each is across its neighbours."""
    s, w = axes.common_point(0, 1, 2), axes.common_point(4, 5, 6)
    if s is None or w is None:
        return None
    lean = float(np.abs(np.einsum("ij,ij->i", axes.H[[0, 1, 4, 5]], axes.H[[1, 2, 5, 6]])).max())
    if lean >= PARALLEL:
        return None
    P = axes.P.copy()
    P[:3], P[4:] = s, w
    P[3] += axes.H[3] * (axes.H[3] @ (s - P[3]))  # the elbow: the point of axis 4 nearest to the shoulder
    why = "axes 1, 2, 3 meet in a point, axes 5, 6, 7 meet in a point"
    order = tuple(range(7))
    return Structure(Kind.SRS, why, 0, False, None, Kind.SRS, order, axes.H, P, max(_gap(axes, P), lean))


def _in_a_plane(axes: Axes, turning: bool) -> Structure | None:
    """All axes parallel: a planar arm of two or three joints, or three turns and a slide (SCARA)."""
    m = len(axes.H)
    if not all(axes.parallel(0, i) for i in range(1, m)):
        return None
    if turning and m in (2, 3):
        why = f"all {m} axes are parallel"
        order = tuple(range(m))
        return Structure(Kind.PLANAR, why, 0, False, None, Kind.PLANAR, order, axes.H, axes.P, _tilt(axes.H))
    if m == 4 and axes.slides.sum() == 1:
        slide = int(np.argmax(axes.slides))
        why = f"three parallel axes and joint {slide + 1} slides along them"
        order = (*(i for i in range(4) if i != slide), slide)
        H, P = axes.H[list(order)], axes.P[list(order)]
        return Structure(Kind.SCARA, why, 0, False, None, Kind.SCARA, order, H, P, _tilt(H))
    return None


def _gap(axes: Axes, P: Floats, parallel: tuple[int, ...] = ()) -> float:
    """How far the form's axes lie from the real ones, at most: their points [m], or the sine of parallel ones."""
    off = np.linalg.norm(np.cross(axes.H, P - axes.P), axis=1)
    return max(float(off.max()), _tilt(axes.H[list(parallel)]))


def _tilt(H: Floats) -> float:
    """The largest sine between the first of some directions and the others."""
    return float(np.linalg.norm(np.cross(H[:1], H), axis=1).max(initial=0.0))


def _listed(joints: Order) -> str:
    """Joints in words, counted from 1."""
    return ", ".join(str(joint + 1) for joint in sorted(joints))
