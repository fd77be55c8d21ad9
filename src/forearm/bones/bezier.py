"""Bezier poses of chains, and chains among obstacles: parse, kernel, measure, wrap."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from forearm.bones.bezier_paper import solve_as_published
from forearm.bones.explain import explain, reach_fault
from forearm.bones.fabrik import Request, find_method, meets
from forearm.bones.obstacles import Scene
from forearm.bones.options import BezierOptions
from forearm.bones.solution import ChainSolution
from forearm.bones.tree import Bones
from forearm.common.types import Floats
from forearm.core.bezier.follow import bend_needed, largest_turn
from forearm.core.bezier.joint_search import GIVEN, solve_by_search
from forearm.core.bezier.push import repair_or_draw
from forearm.core.bezier.room import CHOICES, DRAWS, FROM_GIVEN, KEEP, ON_CURVES, PLANAR, SEED, SWIVEL, TURN
from forearm.core.bezier.solve import solve_bezier, solve_bezier_limited, solve_bezier_plain
from forearm.core.bones.codes import (
    FARTHEST,
    FIXED,
    GOAL_KIND,
    HAS_START,
    HIGH,
    LOW,
    MAX_SWIVEL,
    MAX_TRIES,
    POINT,
    REACH_TOL,
    REST,
    RNG_SEED,
)
from forearm.core.codes import ITERATIONS, OUT_OF_REACH, POSITION, POSITION_ERROR, SOLVED, TRIES
from forearm.core.collision.obstacle_rows import LEAP, LONG_REPORT, STAGE, TURNED
from forearm.errors import TargetError, UnsupportedError
from forearm.results.solution import NOT_EXPLAINED, Status
from forearm.solve.methods.options import make_options

NO_POSE = np.empty((0, 3))
CITATION = "Harahap, Inverse Kinematics solver using Bezier curve based iterative algorithm, IULI"


@dataclass(eq=False, slots=True)
class Bent:
    """What a Bezier solve needs beside a `Request`.

    Attributes:
        scene: The obstacles.
        frame: (6,) line and normal of the last pose, zeros without one; overwritten.
        before: (n+1, 3) the last pose, or of length zero.
        options: Of the method.
    """

    scene: Scene
    frame: Floats
    before: Floats
    options: BezierOptions


def bezier_options(given: dict[str, Any]) -> BezierOptions:
    """The options of the method from keyword arguments."""
    options = make_options(BezierOptions, "bezier", given)
    assert isinstance(options, BezierOptions)
    return options


def frame_of(start: Any, points: Floats) -> Floats:
    """(6,) line and normal of a pose to go on from: those it was made with, or read from its points.

    A point's part across the line names the side; a straight pose of unknown origin names none.
    """
    if isinstance(start, ChainSolution) and start.frame is not None:
        carried: Floats = start.frame.copy()
        return carried
    frame = np.zeros(6)
    line = points[-1] - points[0]
    distance = float(np.linalg.norm(line))
    if distance > 0.0:
        frame[:3] = line / distance
    elbow = (points[1:-1] - points[0]).sum(axis=0)
    elbow -= frame[:3] * (frame[:3] @ elbow)
    size = float(np.linalg.norm(elbow))
    if size > NO_SIDE * float(np.abs(points - points[0]).max()):
        frame[3:] = elbow / size
    return frame


# The sum of all joints' distances from the line below this share of the pose's size names no side.
NO_SIDE = 1e-9


def solve_quickly(bones: Bones, target: Any) -> ChainSolution | None:
    """One point for a chain of free joints with everything at its default; None if that is not all it takes."""
    if type(target) is not np.ndarray or target.dtype != np.float64 or target.shape != (bones.dim,):
        return None
    if not target.flags.carray:
        return None
    P, report, frame = np.empty((bones.n + 1, 3)), np.zeros(LONG_REPORT), np.empty(6)
    if solve_bezier_plain(bones.length, bones.start, target, bones.dim == 2, frame, P, report) != SOLVED:
        return None
    return ChainSolution(P, Status.SOLVED, "bezier", report, bones, "", None, None, bones.q, frame)


def solve_chain(method: str, mode: str, request: Request, bent: Bent, explained: bool) -> ChainSolution:
    """The solution of a request by `bezier`, or by another method among obstacles."""
    bones, wants, scene = request.bones, request.wants, bent.scene
    _refuse_unsupported(method, bones, wants, scene)
    target = np.ascontiguousarray(wants[0, POINT : POINT + 3])
    if not np.abs(target).max() < FARTHEST:
        raise TargetError(f"the target is {target[: bones.dim].tolist()}; entries below {FARTHEST:g} m work")
    if mode == "paper":
        return solve_as_published(bones, target, float(wants[0, REACH_TOL]), bent.options, scene)
    blocked = scene.blocked(bones.start[0], target) if len(scene.rows) else ""
    solver = solve_free_by_bezier if bones.is_free else solve_limited_by_bezier
    if method != "bezier":
        solution = solve_by_other(method, request, bent, blocked)
    else:
        solution = solver(request, bent, target, blocked)
    judge(request, bent, solution, blocked, explained)
    return solution


def _refuse_unsupported(method: str, bones: Bones, wants: Floats, scene: Scene) -> None:
    what = "method 'bezier'" if method == "bezier" else "solving among obstacles"
    if wants[0, GOAL_KIND] != POSITION:
        raise UnsupportedError(
            f"{what} takes a point or a Position; for orientations use method='fabrik' without obstacles"
        )
    if bones.free_base:
        raise UnsupportedError(
            f"{what} needs a fixed base; leave out free_base=True, or use method='fabrik' without obstacles"
        )


def judge(request: Request, bent: Bent, solution: ChainSolution, blocked: str, explained: bool) -> None:
    """Gives a solution the status that its own points earn, measured once more, and words if it failed."""
    bones, wants, scene = request.bones, request.wants, bent.scene
    gap = scene.measure(solution)
    target, tolerance = wants[0, POINT : POINT + 3], float(wants[0, REACH_TOL])
    miss = math.dist(solution.points3[-1].tolist(), target.tolist())
    solution.report[POSITION_ERROR] = miss
    if miss <= tolerance and gap >= scene.clearance:
        solution.status, solution.explanation = Status.SOLVED, ""
    elif miss <= tolerance:
        solution.status, solution.explanation = Status.COLLISION, NOT_EXPLAINED
        if explained:
            scene.explain(solution, blocked)
    elif explained:
        explain(bones, wants, solution, False, lambda w, joints: meets(request, w, joints))
        if solution.clearance is not None and gap < scene.clearance and solution.status is not Status.OUT_OF_REACH:
            solution.explanation += f"; its clearance is {gap:.3g} m"
    elif reach_fault(bones, wants[0]):
        solution.status = Status.OUT_OF_REACH


def solve_free_by_bezier(request: Request, bent: Bent, target: Floats, blocked: str) -> ChainSolution:
    """A chain without limits, in the plane or in space, among obstacles or without."""
    bones, scene = request.bones, bent.scene
    P, report = np.empty((bones.n + 1, 3)), np.zeros(LONG_REPORT)
    rows = scene.rows[:0] if blocked else scene.rows
    given = (bones.start[0], target, request.pole, bent.before, pack_choices(request, bent))
    code = solve_bezier(bones.length, scene.radii, rows, *given, bent.frame, P, report)
    if code == OUT_OF_REACH and len(bent.before):
        _note_turn(bones, bent, P, report)
    return ChainSolution(
        P, Status.NOT_CONVERGED, "bezier", report, bones, NOT_EXPLAINED, None, None, request.q, bent.frame
    )


def _note_turn(bones: Bones, bent: Bent, P: Floats, report: Floats) -> None:
    """Writes how far links turned from the pose before, and whether that is a leap."""
    turned = float(largest_turn(bent.before, P))
    line, last = P[-1] - P[0], bent.before[-1] - bent.before[0]
    swing = math.atan2(float(np.linalg.norm(np.cross(line, last))), float(line @ last))
    reach = float(np.linalg.norm(last))
    allowed = swing + bend_needed(bones.size, float(np.linalg.norm(line)), reach) + bent.options.max_turn
    report[TURNED], report[LEAP] = turned, turned > allowed


def solve_limited_by_bezier(request: Request, bent: Bent, target: Floats, blocked: str) -> ChainSolution:
    """A chain with limits: the planar kernel where nothing else stands in the way, else the search in joint space."""
    bones, scene, settings = request.bones, bent.scene, request.settings
    n, has_start = bones.n, settings[HAS_START] != 0.0
    frame = bent.frame.copy()
    if bones.dim == 2 and not has_start:
        q, P, report = np.empty(n), np.empty((n + 1, 3)), np.zeros(LONG_REPORT)
        code = solve_bezier_limited(
            bones.length,
            ranges_of(bones),
            bones.start[0],
            target,
            request.pole,
            int(settings[RNG_SEED]),
            frame,
            q,
            P,
            report,
        )
        values = np.zeros((n, 3))
        values[:, 0] = q
        solution = ChainSolution(
            P, Status.NOT_CONVERGED, "bezier", report, bones, NOT_EXPLAINED, None, values, None, frame
        )
        if code != SOLVED or blocked or scene.measure(solution) >= scene.clearance:
            return solution
    rows = scene.rows[:0] if blocked else scene.rows
    choices = pack_choices(request, bent, has_start, True)
    return search_joints("bezier", request, bent, rows, request.q, choices)


def search_joints(
    method: str, request: Request, bent: Bent, rows: Floats, q0: Floats, choices: Floats
) -> ChainSolution:
    """The search in joint space, for every kind of joint."""
    bones, scene, n = request.bones, bent.scene, request.bones.n
    q, P, report = np.empty((n, 3)), np.empty((n + 1, 3)), np.zeros(LONG_REPORT)
    tree, given = (bones.parent, bones.length, bones.joints), (bones.start[0], q0, request.wants, request.pole)
    solve_by_search(*tree, scene.radii, rows, *given, choices, bent.frame, q, P, report)
    if len(bent.before):
        _note_turn(bones, bent, P, report)
        report[LEAP] *= report[STAGE] != GIVEN
    return ChainSolution(P, Status.NOT_CONVERGED, method, report, bones, NOT_EXPLAINED, None, q, None, bent.frame)


def pack_choices(request: Request, bent: Bent, from_given: bool = False, on_curves: bool = False) -> Floats:
    """(8,) what is asked of the kernels of curves."""
    choices, settings = np.zeros(CHOICES), request.settings
    choices[KEEP], choices[PLANAR] = bent.scene.clearance, request.bones.dim == 2
    choices[SWIVEL], choices[TURN] = settings[MAX_SWIVEL], bent.options.max_turn
    choices[SEED], choices[DRAWS] = settings[RNG_SEED], settings[MAX_TRIES]
    choices[FROM_GIVEN], choices[ON_CURVES] = from_given, on_curves
    return choices


def ranges_of(bones: Bones) -> Floats:
    """(3, n) lowest, highest and rest angle of a planar chain's joints [rad]."""
    rest = np.arctan2(bones.joints[:, REST + 3], bones.joints[:, REST])
    fixed = bones.joints[:, 0] == FIXED
    low = np.where(fixed, 0.0, bones.joints[:, LOW])
    return np.ascontiguousarray([low, np.where(fixed, 0.0, bones.joints[:, HIGH]), rest])


def solve_by_other(method: str, request: Request, bent: Bent, blocked: str) -> ChainSolution:
    """Another method's pose, pushed out of the obstacles if it touches any."""
    bones, scene = request.bones, bent.scene
    solution = find_method(method).solve(request)
    report = np.zeros(LONG_REPORT)
    report[: len(solution.report)] = solution.report
    solution.report = report
    if solution.status is not Status.SOLVED or blocked or scene.measure(solution) >= scene.clearance:
        return solution
    if not bones.is_free:
        choices = pack_choices(request, bent, True)
        return search_joints(method, request, bent, scene.rows, solution.joint_values, choices)
    target = np.ascontiguousarray(request.wants[0, POINT : POINT + 3])
    P = solution.points3.copy()
    tries, rounds = repair_or_draw(
        bones.length, scene.radii, scene.rows, target, pack_choices(request, bent), P, report
    )
    report[TRIES], report[ITERATIONS] = tries, report[ITERATIONS] + rounds
    return ChainSolution(P, Status.NOT_CONVERGED, method, report, bones, NOT_EXPLAINED, None, None, request.q)
