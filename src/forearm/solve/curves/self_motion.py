"""The self-motion of seven joints at a pose: traced curves, or for arms with a swivel angle the formulas' intervals."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from forearm.arm.structure import Kind
from forearm.common.types import Floats
from forearm.core.branches.inside import turn_inside
from forearm.core.closed_form.listing import BRANCHES
from forearm.core.codes import LIMIT_SLACK, POSE
from forearm.core.self_motion import layout
from forearm.core.self_motion.solve import map_curves, place_on_curves
from forearm.errors import UnsupportedError, counted
from forearm.results.self_motion import TURN, Arc, ArcEnd, Curve, SelfMotion
from forearm.solve.arm_angle import list_swivels, swivel_row, why_none
from forearm.solve.branch_check import BranchCheck
from forearm.solve.methods.table import FORMS
from forearm.solve.problem import Problem, is_exact

METHOD = "self-motion"
SEVEN = 7
BEND = 0.05  # how far a place is from the cubic at most [rad]


def has_self_motion(problem: Problem) -> bool:
    """Whether the answers of a problem are curves that can be mapped: an exact pose of seven turning joints."""
    model = problem.model
    if model.n != SEVEN or not is_exact(problem) or (problem.limits[0] == problem.limits[1]).any():
        return False
    return problem.tables.structure.kind is Kind.SRS or problem.tables.seven_axes is not None


def self_motion(problem: Problem) -> SelfMotion:
    """Every self-motion curve of a problem, with its arcs inside the limits."""
    if not has_self_motion(problem):
        asked = "a pose" if problem.kind == POSE else "another target"
        raise UnsupportedError(
            f"self-motion curves are those of an exact pose of seven turning joints, none of them locked; this asks "
            f"for {asked} of {problem.model.name}, which has {counted(problem.model.n, 'joint')}. solve_all lists or "
            "samples the answers"
        )
    if problem.tables.structure.kind is Kind.SRS:
        return _swivels(problem)
    return _traced(problem)


# -- curves that are traced ----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Traced:
    """A curve through vertices (V, 15): joint values, unit tangents, the way."""

    table: Floats
    pose: Floats
    vertices: Floats

    @cached_property
    def length(self) -> float:
        """Once round [rad]."""
        return float(self.vertices[-1, layout.ALONG])

    @cached_property
    def turns(self) -> Floats:
        """(7,) what each joint has turned once round [rad]."""
        return np.asarray(self.vertices[-1, :SEVEN] - self.vertices[0, :SEVEN])

    def rough(self, s: Floats) -> Floats:
        """(N, 7) joint values of the cubics between vertices."""
        return self._between(s)[0]

    def exact(self, s: Floats) -> Floats:
        """(N, 7) joint values by Newton's method from there, the joint held that moves most."""
        work = np.empty(layout.DESK_NUMBERS)
        guess, tangents = self._between(s)
        rows: Floats = guess.copy()
        if place_on_curves(self.table, self.pose, rows, tangents.copy(), work) < len(rows):
            for i in range(len(rows)):
                rows[i] = self._held_in_turn(guess[i], tangents[i], work)
        return rows

    def _held_in_turn(self, guess: Floats, tangent: Floats, work: Floats) -> Floats:
        """(7,) the point near a guess, one joint held after the other: in a sharp bend the fastest may turn round."""
        for k in np.argsort(-np.abs(tangent)).tolist():
            row, held = guess[None].copy(), np.eye(SEVEN)[[k]]
            if place_on_curves(self.table, self.pose, row, held, work) and np.abs(row[0] - guess).max() < BEND:
                return np.asarray(row[0])
        return guess

    def _between(self, s: Floats) -> tuple[Floats, Floats]:
        """(N, 7) joint values and tangents between vertices."""
        laps = np.floor(s / self.length)
        way, V = s - laps * self.length, self.vertices
        i = np.clip(np.searchsorted(V[:, layout.ALONG], way, side="right") - 1, 0, len(V) - 2)
        a, b = V[i], V[i + 1]
        wide = (b[:, layout.ALONG] - a[:, layout.ALONG])[:, None]
        t = (way - a[:, layout.ALONG])[:, None] / wide
        u, y0, y1, g0, g1 = 1.0 - t, a[:, :SEVEN], b[:, :SEVEN], a[:, SEVEN:14], b[:, SEVEN:14]
        rows = u * u * (y0 * (1.0 + 2.0 * t) + wide * g0 * t) + t * t * (y1 * (3.0 - 2.0 * t) - wide * g1 * u)
        return np.ascontiguousarray(rows + laps[:, None] * self.turns), np.ascontiguousarray(u * g0 + t * g1)


def _traced(problem: Problem) -> SelfMotion:
    """The curves of any seven turning joints."""
    axes, model = problem.tables.seven_axes, problem.model
    assert axes is not None  # `has_self_motion` has looked
    vertices, curves = np.empty((layout.VERTICES, layout.VERTEX)), np.empty((layout.CURVES, layout.CURVE))
    arcs, report = np.empty((layout.ARCS, layout.ARC)), np.empty(8)
    asked = axes.table, problem.limits, problem.goal
    count, many = map_curves(*asked, np.empty(layout.DESK_NUMBERS), vertices, curves, arcs, report)
    paths = [
        Traced(axes.table, problem.goal, vertices[first : first + size].copy())
        for first, size in curves[:count, :2].astype(int).tolist()
    ]
    found: list[list[Arc]] = [[] for _ in paths]
    for row in arcs[:many]:
        number = int(row[layout.OF])
        found[number].append(_arc(problem, row, paths[number]))
    made = tuple(Curve(path.length, path.turns, tuple(some), path) for path, some in zip(paths, found, strict=True))
    fine = report[layout.CODE] == layout.DONE and report[layout.DOUBTED] <= 1.0
    fine = fine and report[layout.UNLISTED] == 0.0 and report[layout.TOGETHER] == 0.0
    complete = bool(fine and curves[:count, layout.INSIDE].all())
    return SelfMotion(made, complete, _words(made, complete, axes.slices), METHOD, model.joint_names)


def _words(curves: tuple[Curve, ...], complete: bool, slices: int) -> str:
    """What a set of traced curves is."""
    doubt = "" if complete else "; some may be missing, as curves come together or coincide here"
    if not curves:
        return ("no joint values make this pose, not even without limits" if complete else "no curve was found") + doubt
    if not any(curve.arcs for curve in curves):
        return "the pose is reachable, but no stretch of its curves is inside the limits" + doubt
    return f"every curve that {slices} slices of the pose meet or come near to, and its arcs inside the limits{doubt}"


def _arc(problem: Problem, row: Floats, path: Traced) -> Arc:
    """An arc of the kernel's row."""
    begin, end = float(row[layout.BEGIN]), float(row[layout.END])
    names, ends = problem.model.joint_names, list[ArcEnd]()
    arc = Arc(int(row[layout.OF]), begin, end, (), path, _offset(problem, path, begin, end), problem.limits)
    for s, place, which in (
        (begin, layout.BEGIN_Q, int(row[layout.BEGIN_LIMIT])),
        (end, layout.END_Q, int(row[layout.END_LIMIT])),
    ):
        if which:
            k, side = abs(which) - 1, int(which > 0)
            q = arc.turned(row[place : place + SEVEN])
            q[k] = problem.limits[side, k]  # to the last bit
            ends.append(ArcEnd(s, np.clip(q, *problem.limits), names[k], ("lower", "upper")[side]))
    return replace(arc, ends=tuple(ends))


def _offset(problem: Problem, path: Traced, begin: float, end: float) -> Floats:
    """(7,) whole turns that bring an arc inside the limits, as near to the start as can be."""
    Q, (lower, upper) = path.rough(np.linspace(begin, end, 33)), problem.limits
    middle = 0.5 * (Q.min(axis=0) + Q.max(axis=0))
    turns = np.round((problem.start - middle) / TURN)
    least = np.ceil((lower - Q.min(axis=0) - 1e-3) / TURN)
    most = np.floor((upper - Q.max(axis=0) + 1e-3) / TURN)
    return np.asarray(TURN * np.clip(turns, least, np.maximum(least, most)))


# -- curves that formulas give -------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Swivelled:
    """One branch of an arm with spherical shoulder and wrist, over its swivel angle [rad]."""

    check: BranchCheck
    branch: int
    length: float = TURN

    def rough(self, s: Floats) -> Floats:
        """(N, 7) joint values inside the limits where whole turns bring them there."""
        asked = self.check.problem
        rows = np.array([swivel_row(self.check, self.branch, (float(psi) + np.pi) % TURN - np.pi) for psi in s])
        inside = np.empty((1, SEVEN))
        for row in rows:
            if turn_inside(asked.limits, asked.start, asked.tables.comes_round, self.check.slack, row[None], inside):
                row[:] = inside[0]
        return rows

    exact = rough


def _swivels(problem: Problem) -> SelfMotion:
    """The branches of an arm with a swivel, each over the intervals where it is inside the limits."""
    check, curves = BranchCheck(problem), list[Curve]()
    method = FORMS[Kind.SRS].name
    intervals = list_swivels(check)
    for branch in range(BRANCHES):
        if swivel_row(check, branch, 0.0) is None:
            continue
        path = Swivelled(check, branch)
        arcs = tuple(_swivel_arc(len(curves), path, *span) for span in intervals.get(branch, (0.0, ()))[1])
        curves.append(Curve(TURN, np.zeros(SEVEN), arcs, path))
    some = any(curve.arcs for curve in curves)
    reason = "every branch over its swivel angle, and the intervals inside the limits" if some else why_none(check)
    return SelfMotion(tuple(curves), True, reason, method, problem.model.joint_names)


def _swivel_arc(number: int, path: Swivelled, begin: float, end: float) -> Arc:
    """The arc of an interval of swivel angles."""
    asked, ends = path.check.problem, list[ArcEnd]()
    if end - begin < TURN - LIMIT_SLACK:
        for s, q in zip((begin, end), path.exact(np.array([begin, end])), strict=True):
            room = np.abs(asked.limits - q)
            side, k = np.unravel_index(int(np.argmin(room)), room.shape)
            ends.append(ArcEnd(s, np.clip(q, *asked.limits), asked.model.joint_names[k], ("lower", "upper")[side]))
    return Arc(number, begin, end, tuple(ends), path, np.zeros(SEVEN), asked.limits)
