/* Why a target is not met, as far as a solve and what can be proven at once tell. */
#include "robot_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How far a target lies beyond what no pose can pass [m], farther or nearer; 0 if it does not. */
static double beyond_reach(const double *target, int *too_near) {
    double x = target[3] - robot_links[3], y = target[7] - robot_links[7], z = target[11] - robot_links[11];
    double away = sqrt(x * x + y * y + z * z), allowed = 1e-6 + ROBOT_ROUNDING * (away + ROBOT_FARTHEST);
    double beyond = away - ROBOT_FARTHEST - allowed, short_of = ROBOT_NEAREST - away - allowed;
    *too_near = short_of > 0.0;
    return beyond > 0.0 ? beyond : short_of > 0.0 ? short_of : 0.0;
}

#if (ROBOT_BY_FORM && ROBOT_HELD_JOINT < 0) || ROBOT_BY_ELIMINATION
/* Whether every way to make the pose is outside the limits, and a sentence: which joints are, in the best of them. */
static int blocked(const double *target, size_t room, char *sentence) {
    double rows[ROBOT_ROWS][ROBOT_JOINTS], turned;
    int trust = 0, count = robot_list(target, robot_middle, 0.0, rows, &trust), fewest = ROBOT_JOINTS + 1, best = -1;
    size_t used;
    for (int i = 0; i < count; i++) {
        int outside = 0;
        for (int k = 0; k < ROBOT_JOINTS; k++) outside += !robot_turn_inside(k, rows[i][k], robot_middle[k], &turned);
        if (outside < fewest) fewest = outside, best = i;
    }
    if (trust > 0 && count == 0)
        return snprintf(sentence, room, "no joint values make this pose, not even without limits"), 0;
    if (best < 0 || fewest == 0) return 0;
    used = (size_t)snprintf(sentence, room, "the limits are in the way: without them the pose is reachable; outside are");
    for (int k = 0; k < ROBOT_JOINTS; k++) {
        if (robot_turn_inside(k, rows[best][k], robot_middle[k], &turned)) continue;
        if (used < room) used += (size_t)snprintf(sentence + used, room - used, " %s", robot_joint_names[k]);
    }
    return 1;
}
#else
static int blocked(const double *target, size_t room, char *sentence) {
    (void)target, (void)room, (void)sentence;
    return 0;
}
#endif

robot_status robot_explain(const double target[16], const double *q0, size_t room, char *sentence) {
    double q[ROBOT_JOINTS], gap;
    robot_report report = {0.0, 0.0, 0.0, 0.0, 0.0};
    int too_near = 0;
    robot_status status;
    if (target == NULL || sentence == NULL || room == 0) return ROBOT_BAD_ARGUMENT;
    sentence[0] = 0;
    status = robot_solve(target, q0, q, &report);
    if (status <= ROBOT_SOLVED) {
        snprintf(sentence, room, "%s", robot_status_name(status));
        return status;
    }
    gap = beyond_reach(target, &too_near);
    if (gap > 0.0 && too_near) {
        snprintf(sentence, room, "the target is at least %.3g m too near: no pose comes within %.3g m of the first joint",
                 gap, ROBOT_NEAREST);
        return ROBOT_OUT_OF_REACH;
    }
    if (gap > 0.0) {
        snprintf(sentence, room, "the target is at least %.3g m beyond the arm's reach of %.3g m", gap, ROBOT_FARTHEST);
        return ROBOT_OUT_OF_REACH;
    }
    if (blocked(target, room, sentence)) return ROBOT_LIMITS;
    if (sentence[0] == 0)
        snprintf(sentence, room,
                 "not found in %.0f tries; the nearest is off by %.3g m and %.3g rad; a longer search may tell more",
                 report.tries, report.position_error, report.rotation_error);
    return status;
}
