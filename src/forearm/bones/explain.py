"""Why a chain or skeleton missed its targets, in a status and a sentence."""

import math
from collections.abc import Callable

from forearm.bones.solution import ChainSolution
from forearm.bones.tree import Bones, is_limited
from forearm.common.types import Floats
from forearm.core.bones import codes
from forearm.core.codes import ORIENTATION, POSITION
from forearm.errors import counted
from forearm.results.solution import Status, describe_errors

# A joint this near to its limit sits at it [rad], as a share of the limit for cones.
AT_LIMIT = 1e-6
MAX_NAMED = 5


Again = Callable[[Floats, Floats], bool]


def explain(bones: Bones, wants: Floats, solution: ChainSolution, plain: bool, again: Again) -> None:
    """Writes status and sentence of a solution that missed.

    Args:
        bones: The tree.
        wants: (K, 23) what was asked.
        solution: What was found.
        plain: Whether it was found without refinement.
        again: Whether the refiner meets other wants from the same start with other (n, 19) joints.
    """
    left = f"the nearest pose found is {describe_errors(solution.report)} away"
    beyond = [text for text in (reach_fault(bones, row) for row in wants) if text]
    if beyond and not bones.free_base:
        solution.status, solution.explanation = Status.OUT_OF_REACH, f"{'; '.join(beyond)}; {left}"
        return
    spent = f"after {solution.sweeps} sweeps and {counted(solution.tries, 'start')}"
    if plain and again(wants, bones.joints):
        solution.status = Status.NOT_CONVERGED
        solution.explanation = f"{left} {spent} of plain FABRIK; refine=True meets it"
        return
    if has_limits(bones, wants) and again(wants, without_limits(bones)):
        solution.status = Status.LIMITS
        solution.explanation = f"it can be met without limits; {left}, {at_limits(bones, solution.joint_values, wants)}"
        return
    points_only = without_orientation(wants)
    if points_only is not None and again(points_only, bones.joints):
        solution.status = Status.ORIENTATION
        solution.explanation = f"the point can be reached inside the limits, but not with the orientation; {left}"
        return
    solution.status = Status.NOT_CONVERGED
    why = "; the tips may pull against each other" if len(wants) > 1 else ""
    solution.explanation = f"{left} {spent}{why}"


def without_limits(bones: Bones) -> Floats:
    """(n, 19) the same joints, all free; in a plane they still turn about z only."""
    joints: Floats = bones.joints.copy()
    joints[:, codes.KIND] = codes.HINGE if bones.dim == 2 else codes.BALL
    joints[:, [codes.HALF_Y, codes.HALF_Z, codes.TWIST_HIGH, codes.HIGH]] = math.inf
    joints[:, [codes.TWIST_LOW, codes.LOW]] = -math.inf
    return joints


def reach_fault(bones: Bones, row: Floats) -> str:
    """Why a tip's point cannot be reached even without limits, with the gap, or an empty string."""
    if row[codes.GOAL_KIND] == ORIENTATION:
        return ""
    bone = int(row[codes.BONE])
    nearest, farthest = bones.reaches[bone].tolist()
    distance = math.dist(row[codes.POINT : codes.POINT + 3].tolist(), bones.start[0].tolist())
    tip = f" of '{bones.names[bone]}'" if not bones.is_line else ""
    slack = float(row[codes.REACH_TOL]) + ROUNDING * max(distance, farthest)
    if distance > farthest + slack:
        return (
            f"the target{tip} is {distance - farthest:.4g} m too far: {distance:.4g} m from the base, "
            f"and the bones reach {farthest:.4g} m"
        )
    if distance < nearest - slack:
        return (
            f"the target{tip} is {nearest - distance:.4g} m too near: {distance:.4g} m from the base, "
            f"and the longest link leaves a hole of {nearest:.4g} m"
        )
    return ""


def without_orientation(wants: Floats) -> Floats | None:
    """The same wants for points alone; None if there is no orientation to leave out."""
    if (wants[:, codes.GOAL_KIND] == POSITION).all() or (wants[:, codes.GOAL_KIND] == ORIENTATION).any():
        return None
    points: Floats = wants.copy()
    points[:, codes.GOAL_KIND], points[:, codes.TURN_TOL] = POSITION, math.inf
    return points


def has_limits(bones: Bones, wants: Floats) -> bool:
    """Whether any joint on the way to the tips is bound in some way."""
    return any(is_limited(bones.kinds[i]) for row in wants for i in bones.path(int(row[codes.BONE])))


def at_limits(bones: Bones, q: Floats, wants: Floats) -> str:
    """Which joints on the way to the tips sit at a limit, in words."""
    on_path = sorted({i for row in wants for i in bones.path(int(row[codes.BONE]))})
    names = [f"'{bones.names[i]}'" for i in on_path if sits_at_limit(bones.joints[i], q[i])]
    if not names:
        return "where no joint sits at a limit: the hinges leave it no way nearer"
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    return f"with these joints at their limits: {', '.join(names[:MAX_NAMED])}{more}"


def sits_at_limit(joint: Floats, q: Floats) -> bool:
    """Whether a joint is at the edge of its cone or range; a fixed one always is."""
    if joint[codes.KIND] == codes.FIXED:
        return True
    if joint[codes.KIND] == codes.HINGE:
        return bool(min(q[0] - joint[codes.LOW], joint[codes.HIGH] - q[0]) < AT_LIMIT)
    edge = math.hypot(q[0] / joint[codes.HALF_Y], q[1] / joint[codes.HALF_Z])
    return edge > 1.0 - AT_LIMIT or bool(min(q[2] - joint[codes.TWIST_LOW], joint[codes.TWIST_HIGH] - q[2]) < AT_LIMIT)


# Distances are compared with room for the rounding of sums over a hundred bones.
ROUNDING = 1e-14
