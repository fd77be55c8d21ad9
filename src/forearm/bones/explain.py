"""Why a chain or skeleton missed its targets, in a status and a sentence."""

import math
from collections.abc import Callable

from forearm.bones.solution import ChainSolution
from forearm.bones.tree import Bones, is_limited
from forearm.common.types import Floats
from forearm.core.bones import codes
from forearm.core.codes import ORIENTATION, POINT_AXIS, POSITION
from forearm.errors import counted
from forearm.results.solution import Status, describe_errors

# A joint this near to its limit sits at it [rad], as a share of the limit for cones.
AT_LIMIT = 1e-6
MAX_NAMED = 5
# Distances are compared with room for the rounding of sums over a hundred bones.
ROUNDING = 1e-14

Again = Callable[[Floats, Floats], bool]  # whether the refiner meets wants (K, 23) with joints (n, 19) from that start


def explain(bones: Bones, wants: Floats, solution: ChainSolution, plain: bool, again: Again) -> tuple[Status, str]:
    """Status and sentence of a solution that missed; `plain` ones were found without refinement."""
    left = f"the nearest pose found is {describe_errors(solution.report)} away"
    beyond = [text for text in (reach_fault(bones, row) for row in wants) if text]
    if beyond and not bones.free_base:
        return Status.OUT_OF_REACH, f"{'; '.join(beyond)}; {left}"
    spent = f"after {solution.sweeps} sweeps and {counted(solution.tries, 'start')}"
    if plain and again(wants, bones.joints):
        return Status.NOT_CONVERGED, f"{left} {spent} of plain FABRIK; refine=True meets it"
    on_way = sorted({i for row in wants for i in bones.path(int(row[codes.BONE]))})
    if any(is_limited(bones.kinds[i]) for i in on_way) and again(wants, without_limits(bones)):
        stuck = at_limits(bones, solution.joint_values, on_way)
        return Status.LIMITS, f"it can be met without limits; {left}, {stuck}"
    kinds, points_only = wants[:, codes.GOAL_KIND], wants.copy()
    points_only[:, codes.GOAL_KIND], points_only[:, codes.TURN_TOL] = POSITION, math.inf
    turned = (kinds != POSITION).any() and (kinds != ORIENTATION).all()  # points, and orientations to leave out
    if turned and again(points_only, bones.joints):
        axes = not {*kinds} - {POSITION, POINT_AXIS}
        what = "with the axis along the direction" if axes else "with the orientation"
        return Status.ORIENTATION, f"the point can be reached inside the limits, but not {what}; {left}"
    why = "; perhaps not all targets can be met at once" if len(wants) > 1 else ""
    return Status.NOT_CONVERGED, f"{left} {spent}{why}"


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
            f"and the bones reach no nearer than {nearest:.4g} m"
        )
    return ""


def at_limits(bones: Bones, q: Floats, on_way: list[int]) -> str:
    """Which joints on the way to the tips sit at a limit, in words."""
    names = [f"'{bones.names[i]}'" for i in on_way if sits_at_limit(bones.joints[i], q[i])]
    if not names:
        return "where no joint is at a limit, and the hinges cannot turn it any nearer"
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
