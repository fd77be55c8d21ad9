"""A chain among obstacles: what it takes, how far it stays away, and what is said about it."""

import math
from typing import Any

import numpy as np

from forearm.bones.explain import reach_fault
from forearm.bones.fabrik import explain_miss
from forearm.bones.problem import BoneProblem, ask, frame_of
from forearm.bones.solution import ChainSolution
from forearm.bones.tree import Bones
from forearm.common.checks import as_floats, as_number, brief
from forearm.common.types import Floats
from forearm.core.bezier.follow import bend_needed, largest_turn
from forearm.core.bezier.joint_search import GIVEN, joint_search_size, solve_by_search
from forearm.core.bezier.push import repair_or_draw
from forearm.core.bezier.room import CHOICES, DRAWS, FROM_GIVEN, KEEP, ON_CURVES, PLANAR, SEED, SWIVEL, TURN
from forearm.core.bones.codes import FARTHEST, GOAL_KIND, MAX_SWIVEL, MAX_TRIES, RNG_SEED
from forearm.core.codes import ITERATIONS, POSITION, POSITION_ERROR, TRIES
from forearm.core.collision import obstacle_rows
from forearm.errors import OptionError, TargetError, UnsupportedError, counted, quoted
from forearm.results.solution import NOT_EXPLAINED, Status
from forearm.scenes.scene import Scene, as_scene
from forearm.scenes.shapes import Box, Capsule, Sphere

NOTHING = Scene(())


def is_alone(obstacles: Any, clearance: Any, thickness: Any) -> bool:
    """Whether these are left at their defaults."""
    return obstacles is None and type(clearance) is type(thickness) is float and clearance == thickness == 0.0


def read_obstacles(bones: Bones, obstacles: Any, clearance: Any, thickness: Any) -> tuple[Scene, Floats, float]:
    """The scene of a solve, (n,) the radii of the links [m], and the clearance they should keep [m], all checked."""
    if is_alone(obstacles, clearance, thickness):
        return NOTHING, np.zeros(bones.n), 0.0  # nearly every call; checking takes longer than a solve
    scene = NOTHING if obstacles is None else as_scene(obstacles, bones.dim, FARTHEST)
    for name, item in zip(scene.names, scene.obstacles, strict=True):
        if not isinstance(item, (Sphere, Capsule, Box)):
            raise OptionError(
                f"{quoted(name)} is a {type(item).__name__}; a chain takes fa.Sphere, fa.Capsule and fa.Box"
            )
    keep = as_number(clearance, "clearance", OptionError)
    if keep < 0.0:
        raise OptionError(f"clearance is {keep:g} m; it cannot be negative")
    radii = as_floats(thickness, "thickness", OptionError)
    if radii.shape not in ((), (bones.n,)):
        raise OptionError(f"thickness has shape {radii.shape}; it takes one radius, or one per link ({bones.n})")
    if not (radii >= 0.0).all():
        raise OptionError(f"thickness is {brief(thickness)}; a radius cannot be negative")
    if obstacles is None and (keep > 0.0 or radii.any()):
        name, value = ("clearance", clearance) if keep > 0.0 else ("thickness", thickness)
        raise OptionError(f"{name} is {brief(value)} and there is nothing to keep away from; give obstacles=")
    return scene, np.array(np.broadcast_to(radii, bones.n)), keep


def refuse_unsupported(problem: BoneProblem) -> None:
    """Refuses what neither curves nor solves among obstacles can do."""
    what = "method 'bezier'" if problem.method.name == "bezier" else "solving among obstacles"
    if problem.wants[0, GOAL_KIND] != POSITION:
        raise UnsupportedError(
            f"{what} takes a point or a Position; for orientations use method='fabrik' without obstacles"
        )
    if problem.bones.free_base:
        raise UnsupportedError(
            f"{what} needs a fixed base; leave out free_base=True, or use method='fabrik' without obstacles"
        )
    target = problem.target.tolist()
    if not max(abs(entry) for entry in target) < FARTHEST:
        raise TargetError(f"the target is {target[: problem.bones.dim]}; entries below {FARTHEST:g} m work")


def rows_round(problem: BoneProblem) -> Floats:
    """(k, 18) the obstacles that a search should mind: none where no pose at all is free."""
    return problem.scene.rows[:0] if blocked_by(problem) else problem.scene.rows


def measure(problem: BoneProblem, solution: ChainSolution) -> float:
    """The clearance of a solution's pose [m], which is also written into it."""
    gap, link, obstacle = obstacle_rows.chain_gap(problem.scene.rows, solution.points3, problem.radii)
    solution.report[[obstacle_rows.CLEARANCE, obstacle_rows.LINK, obstacle_rows.OBSTACLE]] = gap, link, obstacle
    solution.clearance = float(gap) if len(problem.scene) else None
    return float(gap)


def blocked_by(problem: BoneProblem) -> str:
    """Why no pose at all can be free: base or target in an obstacle, or nearer to it than allowed; or ''."""
    scene, clearance = problem.scene, problem.clearance
    if not len(scene):
        return ""
    ends = (("base", problem.bones.start[0], problem.radii[0]), ("target", problem.target, problem.radii[-1]))
    for name, point, radius in ends:
        gap, k = obstacle_rows.point_gap(scene.rows, point[0], point[1], point[2])
        if gap - radius < clearance:
            other = quoted(scene.names[k])
            where = f"{gap:.3g} m from {other}" if gap >= 0.0 else f"inside {other}, {-gap:.3g} m deep"
            needs = f"; the links need {radius + clearance:.3g} m of room there" if radius + clearance > 0.0 else ""
            return f"the {name} is {where}{needs}, so no pose is free"
    return ""


def push_clear(problem: BoneProblem) -> ChainSolution:
    """A method's own pose, pushed out of the obstacles if it touches any."""
    bones, solution = problem.bones, problem.method.solve(problem)
    report = np.zeros(obstacle_rows.LONG_REPORT)
    report[: len(solution.report)] = solution.report
    solution.report = report
    if not solution.success or blocked_by(problem) or measure(problem, solution) >= problem.clearance:
        return solution
    if not bones.is_free:
        return search_joints(problem, solution.joint_values, pack_choices(problem, from_given=True))
    P, rows = solution.points3.copy(), problem.scene.rows
    aim, work = (rows, problem.target, pack_choices(problem)), np.empty((3, bones.n + 1, 3))
    tries, rounds = ask(problem, lambda own: repair_or_draw(bones.length, own.radii, *aim, work, P, report))
    report[TRIES], report[ITERATIONS] = tries, report[ITERATIONS] + rounds
    return ChainSolution(
        P, Status.NOT_CONVERGED, problem.method.name, report, bones, NOT_EXPLAINED, None, None, problem.q
    )


def search_joints(problem: BoneProblem, q0: Floats, choices: Floats) -> ChainSolution:
    """The search in joint space, for every kind of joint, from joint values (n, 3)."""
    bones, n, frame = problem.bones, problem.bones.n, frame_of(problem.start, problem.points)
    q, P, report = np.empty((n, 3)), np.empty((n + 1, 3)), np.zeros(obstacle_rows.LONG_REPORT)
    work = np.empty(joint_search_size(n))
    tree, rows, out = (bones.parent, bones.length, bones.joints), rows_round(problem), (work, frame, q, P, report)

    def search(own: BoneProblem) -> int:
        return int(solve_by_search(*tree, own.radii, rows, bones.start[0], q0, own.wants, own.pole, choices, *out))

    ask(problem, search)
    note_turn(problem, P, report)
    report[obstacle_rows.LEAP] *= report[obstacle_rows.STAGE] != GIVEN
    return ChainSolution(
        P, Status.NOT_CONVERGED, problem.method.name, report, bones, NOT_EXPLAINED, None, q, None, frame
    )


def pack_choices(problem: BoneProblem, from_given: bool = False, on_curves: bool = False) -> Floats:
    """(8,) what is asked of the kernels of curves."""
    choices, settings = np.zeros(CHOICES), problem.settings
    choices[KEEP], choices[PLANAR] = problem.clearance, problem.bones.dim == 2
    choices[SWIVEL], choices[TURN] = settings[MAX_SWIVEL], problem.max_turn
    choices[SEED], choices[DRAWS] = settings[RNG_SEED], settings[MAX_TRIES]
    choices[FROM_GIVEN], choices[ON_CURVES] = from_given, on_curves
    return choices


def note_turn(problem: BoneProblem, P: Floats, report: Floats) -> None:
    """Writes how far links turned from the pose before, if there is one, and whether that is a leap."""
    before = problem.before
    if not len(before):
        return
    turned = float(largest_turn(before, P))
    line, last = P[-1] - P[0], before[-1] - before[0]
    swing = math.atan2(float(np.linalg.norm(np.cross(line, last))), float(line @ last))
    bend = bend_needed(problem.bones.size, float(np.linalg.norm(line)), float(np.linalg.norm(last)))
    report[obstacle_rows.TURNED], report[obstacle_rows.LEAP] = turned, turned > swing + bend + problem.max_turn


def judge(problem: BoneProblem, solution: ChainSolution, explained: bool) -> None:
    """Gives a solution the status that its own points earn, measured once more, and words if it failed."""
    gap, clearance = measure(problem, solution), problem.clearance
    miss = math.dist(solution.points3[-1].tolist(), problem.target.tolist())
    solution.report[POSITION_ERROR] = miss
    if miss <= problem.tolerance and gap >= clearance:
        solution.status, solution.explanation = Status.SOLVED, ""
    elif miss <= problem.tolerance:
        solution.status, solution.explanation = Status.COLLISION, NOT_EXPLAINED
        if explained:
            solution.explanation = collision_words(problem, solution)
    elif explained:
        explain_miss(problem, solution, False)
        if solution.clearance is not None and gap < clearance and solution.status is not Status.OUT_OF_REACH:
            solution.explanation += f"; its clearance is {gap:.3g} m"
    elif reach_fault(problem.bones, problem.wants[0]):
        solution.status = Status.OUT_OF_REACH


def collision_words(problem: BoneProblem, solution: ChainSolution) -> str:
    """Why a pose is not free, in a sentence."""
    k, link = int(solution.report[obstacle_rows.OBSTACLE]), int(solution.report[obstacle_rows.LINK])
    name, keep = quoted(problem.scene.names[k]), problem.clearance
    near = f"the best pose found has a clearance of {solution.clearance:.3g} m, at link {link} from {name}"
    asked = f"with a clearance of {keep:.3g} m" if keep > 0.0 else "free of the obstacles"
    tried = f"no pose {asked} was found among {counted(solution.tries, 'start')} (not a proof that there is none)"
    return f"{blocked_by(problem) or tried}; {near}"
