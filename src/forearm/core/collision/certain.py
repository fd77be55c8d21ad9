"""What is certain before any search: bodies that the target puts in their place, points that no joint moves.

A pose as target fixes the last link, whatever the joints in front of it do; a point fixes the tip, and the last body
is never farther from it than the links between them reach; and some points of an arm, such as the shoulder on the first
axis, stand still for ever. If one of them is too near to an obstacle, no configuration is free, and nothing has to be
searched.

`sure` (t, 9): whether it stands still (1), moves with the target (0) or is tied to its point alone (2), and then its
radius is less by the length of the tie; one end of its axis and the way to
the other, in the base frame or in the tip's [m]; its radius [m]; and the body it belongs to.
"""

from forearm.core.arm.goal import has_axis_tolerances
from forearm.core.codes import BODY, CLEARANCE, OTHER, POINT_AXIS, POSE, POSITION, TOL_POSITION, TOL_ROTATION
from forearm.core.collision.bodies import NOTHING
from forearm.core.collision.distance import segment_point
from forearm.core.collision.obstacle_rows import KIND, NODE, ball_is_near, behind, segment_gap
from forearm.core.jit import lean
from forearm.core.maths.se3 import apply_rotation
from forearm.core.maths.vectors import dot, length, plus, read

STANDS, AXIS_START, AXIS_SPAN, ROUND, OWNER = 0, 1, 4, 7, 8
SURE_COLUMNS = 9


@lean
def blocked(sure, world, goal, report_out):
    """Whether what is certain is too near to an obstacle; then the report says how near, and what."""
    obstacles, pose, terms = world.obstacles, goal.pose, goal.terms
    exact = not has_axis_tolerances(terms)
    posed = goal.kind == POSE and exact  # whether the goal fixes the whole pose of the tip, or its place alone
    pointed = (goal.kind == POSITION or goal.kind == POINT_AXIS) and exact
    least, body, other = world.clearance, NOTHING, NOTHING
    for i in range(sure.shape[0]):
        p, d, slack = read(sure, i, AXIS_START), read(sure, i, AXIS_SPAN), 0.0
        if sure[i, STANDS] != 1.0 and pointed:  # distances change by no more than the way from the tip to the axis
            slack = terms[TOL_POSITION] + segment_point(p, d, (0.0, 0.0, 0.0))[0]
            p, d = (pose[0, 3], pose[1, 3], pose[2, 3]), (0.0, 0.0, 0.0)
        elif sure[i, STANDS] != 1.0:
            if not posed or sure[i, STANDS] != 0.0:
                continue
            # what the tolerances may move the body's farthest point by
            slack = terms[TOL_POSITION] + terms[TOL_ROTATION] * max(length(p), length(plus(p, d)))
            p = plus(apply_rotation(pose, p[0], p[1], p[2]), (pose[0, 3], pose[1, 3], pose[2, 3]))
            d = apply_rotation(pose, d[0], d[1], d[2])
        square, around = dot(d, d), sure[i, ROUND] - slack
        over_square = 1.0 / square if square > 0.0 else 0.0
        k = 0
        while k < obstacles.shape[0]:
            near = ball_is_near(obstacles, k, p, d, over_square, least + around)
            if near and obstacles[k, KIND] != NODE:
                gap = segment_gap(obstacles, k, p, d)[0] - around
                if gap < least:
                    least, body, other = gap, int(sure[i, OWNER]), k
            k = behind(obstacles, k, near)
    report_out[CLEARANCE], report_out[BODY], report_out[OTHER] = least, body, other
    return least < world.clearance
