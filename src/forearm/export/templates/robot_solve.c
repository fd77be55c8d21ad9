/* One target: the closed form, then the general solver, then a second look at near misses; as Robot.solve does it. */
#include "robot_data.h"

#include <math.h>
#include <string.h>

robot_status robot_fk(const double q[ROBOT_JOINTS], double pose[16]) {
    uint8_t finite = 0;
    void *fault = NULL;
    if (q == NULL || pose == NULL) return ROBOT_BAD_ARGUMENT;
    forearm_arm_kinematics_fk_checked(&finite, &fault, FOREARM_CUBE(robot_links, ROBOT_MOVING + 1, 3, 4),
                                      FOREARM_MATRIX(robot_moving, ROBOT_MOVING, 3), FOREARM_VECTOR(q, ROBOT_JOINTS),
                                      FOREARM_MATRIX(pose, 4, 4));
    return finite ? ROBOT_SOLVED : ROBOT_BAD_START;
}

/* Checks a target and a start, and writes the start, clamped. */
int robot_begin(const double *target, const double *q0, double *start) {
    int64_t code = 0;
    void *fault = NULL;
    forearm_arm_goal_begin(&code, &fault, FOREARM_MATRIX(robot_problem + ROBOT_LIMITS_PLACE, 2, ROBOT_JOINTS),
                           FOREARM_MATRIX(target, 4, 4), FOREARM_VECTOR(q0, q0 ? ROBOT_JOINTS : 0),
                           FOREARM_VECTOR(start, ROBOT_JOINTS));
    return (int)code;
}

/* Measures joint values against a target: solved or not. */
int robot_measure(const double *target, const double *q, double *report) {
    double work[ROBOT_FINISH_WORK];
    int64_t code = 0;
    void *fault = NULL;
    forearm_arm_goal_finish(&code, &fault, FOREARM_VECTOR(robot_problem, ROBOT_PROBLEM), FOREARM_MATRIX(target, 4, 4),
                            FOREARM_VECTOR(q, ROBOT_JOINTS), FOREARM_VECTOR(work, ROBOT_FINISH_WORK),
                            FOREARM_VECTOR(report, ROBOT_REPORT));
    return (int)code;
}

/* What is called solved: what a measurement of its own calls so. Else the report says what denied it. */
static int vouch(const double *target, const double *q, double *report) {
    double measured[ROBOT_REPORT] = {0};
    if (robot_measure(target, q, measured) == ROBOT_SOLVED) return ROBOT_SOLVED;
    memcpy(report, measured, 3 * sizeof *report);
    return ROBOT_NOT_CONVERGED;
}

#if ROBOT_FORM_SOLVES
static int solve_form(const double *target, const double *q0, double *q, double *report) {
    double work[ROBOT_FORM_WORK];
    int64_t code = 0;
    void *fault = NULL;
    ROBOT_FORM_KERNEL(&code, &fault, FOREARM_VECTOR(robot_form_problem, ROBOT_PROBLEM),
                      FOREARM_VECTOR(robot_form, ROBOT_FORM), FOREARM_MATRIX(target, 4, 4),
                      FOREARM_VECTOR(q0, q0 ? ROBOT_JOINTS : 0), FOREARM_VECTOR(work, ROBOT_FORM_WORK),
                      FOREARM_VECTOR(q, ROBOT_JOINTS), FOREARM_VECTOR(report, ROBOT_REPORT));
    if (code == ROBOT_SOLVED && !(report[0] <= ROBOT_EXACT && report[1] <= ROBOT_EXACT)) return vouch(target, q, report);
    return (int)code;
}
#endif

#if ROBOT_HAS_SEEDS
int robot_search(const double *problem, const double *target, const double *q0, double *q, double *report) {
    double work[ROBOT_GENERAL_WORK];
    int64_t code = 0;
    void *fault = NULL;
    forearm_general_solve_solve_general(
        &code, &fault, FOREARM_VECTOR(problem, ROBOT_PROBLEM), FOREARM_VECTOR(robot_seeds, ROBOT_SEEDS),
        FOREARM_MATRIX(target, 4, 4), FOREARM_VECTOR(q0, q0 ? ROBOT_JOINTS : 0),
        FOREARM_VECTOR(work, ROBOT_GENERAL_WORK), FOREARM_VECTOR(q, ROBOT_JOINTS), FOREARM_VECTOR(report, ROBOT_REPORT));
    return (int)code;
}

/* How many more tries a miss is worth: the more, the nearer it is. */
static int more_tries(const double *report) {
    static const double nearer[ROBOT_LOOKS] = ROBOT_LOOKS_NEARER;
    static const int tries[ROBOT_LOOKS] = ROBOT_LOOKS_TRIES;
    double position = fmax(report[0] - ROBOT_WIDE_POSITION, 0.0), rotation = fmax(report[1] - ROBOT_WIDE_ROTATION, 0.0);
    double share = hypot(position, ROBOT_WEIGHT * ROBOT_REACH * rotation) / ROBOT_REACH;
    for (int i = 0; i < ROBOT_LOOKS; i++)
        if (share < nearer[i]) return tries[i];
    return ROBOT_OPENED > 0.0 ? ROBOT_OPENED_TRIES : 0;
}

/* A second look at a missed target, with tries behind those that were made; q and report stay if it finds nothing. */
static int look_again(const double *target, const double *q0, double *q, double *report) {
    double problem[ROBOT_PROBLEM], found[ROBOT_JOINTS], seen[ROBOT_REPORT] = {0};
    int tries = more_tries(report);
    if (tries == 0) return ROBOT_NOT_CONVERGED;
    memcpy(problem, robot_problem, sizeof problem);
    problem[ROBOT_SKIP_TRIES] += problem[ROBOT_MAX_TRIES];
    problem[ROBOT_MAX_TRIES] = tries;
    problem[ROBOT_OPENED_PLACE] = ROBOT_OPENED;
    if (robot_search(problem, target, q0, found, seen) != ROBOT_SOLVED) return ROBOT_NOT_CONVERGED;
    seen[3] += report[3];
    seen[4] += report[4];
    memcpy(q, found, sizeof found);
    memcpy(report, seen, sizeof seen);
    return ROBOT_SOLVED;
}

#if ROBOT_REDUNDANT
/* Moves joint values toward a start while the tip stands still. */
static void settle(const double *target, const double *q0, double *q, double *report) {
    double work[ROBOT_SETTLE_WORK], inside[ROBOT_JOINTS];
    int64_t code = 0;
    void *fault = NULL;
    for (int k = 0; k < ROBOT_JOINTS; k++) inside[k] = fmin(fmax(q0[k], robot_lower[k]), robot_upper[k]);
    forearm_general_null_space_settle(&code, &fault, FOREARM_VECTOR(robot_plain_problem, ROBOT_PROBLEM),
                                      FOREARM_MATRIX(target, 4, 4), FOREARM_VECTOR(inside, ROBOT_JOINTS),
                                      FOREARM_VECTOR(work, ROBOT_SETTLE_WORK), FOREARM_VECTOR(q, ROBOT_JOINTS),
                                      FOREARM_VECTOR(report, ROBOT_REPORT));
}
#endif

/* The general solver, behind a closed form or alone. */
static int solve_general(const double *target, const double *q0, int behind, double *q, double *report) {
    int code = robot_search(robot_problem, target, q0, q, report), again = 0;
    if (code == ROBOT_NOT_CONVERGED) {
        again = 1;
        code = look_again(target, q0, q, report);
    }
    if (code != ROBOT_SOLVED) return code;
#if ROBOT_REDUNDANT
    if (q0 != NULL && report[4] > 1.0) {
        settle(target, q0, q, report);
        again = 1;
    }
#endif
    return again || behind ? vouch(target, q, report) : code;
}
#endif

static int answer(const double *target, const double *q0, double *q, double *report) {
#if ROBOT_FORM_SOLVES
    if (!(ROBOT_HAS_SEEDS && ROBOT_IS_SWIVEL && q0 != NULL)) { /* near a start the general solver is nearer and sooner */
        int code = solve_form(target, q0, q, report);
        if (code != ROBOT_NOT_CONVERGED || !ROBOT_HAS_SEEDS) return code;
    }
#endif
#if ROBOT_HAS_SEEDS
    return solve_general(target, q0, ROBOT_FORM_SOLVES && !(ROBOT_IS_SWIVEL && q0 != NULL), q, report);
#else
    return ROBOT_NOT_CONVERGED;
#endif
}

/* Moves values inside that lie outside their limits by no more than measured ones may. */
static void inside_by_a_hair(double *q0) {
    for (int k = 0; k < ROBOT_JOINTS; k++) {
        double inside = fmin(fmax(q0[k], robot_lower[k]), robot_upper[k]);
        if (fabs(inside - q0[k]) <= ROBOT_HAIR) q0[k] = inside;
    }
}

robot_status robot_solve(const double target[16], const double *q0, double q[ROBOT_JOINTS], robot_report *report) {
    double seen[ROBOT_REPORT] = {0}, start[ROBOT_JOINTS], found[ROBOT_JOINTS] = {0};
    int code;
    if (target == NULL || q == NULL) return ROBOT_BAD_ARGUMENT;
    if (q0 != NULL) memcpy(start, q0, sizeof start);
    code = answer(target, q0 ? start : NULL, found, seen);
    if (code == ROBOT_BAD_START) {
        inside_by_a_hair(start);
        code = answer(target, start, found, seen);
    }
    memcpy(q, found, sizeof found);
    if (report != NULL) {
        const robot_report told = {seen[0], seen[1], seen[2], seen[3], seen[4]};
        *report = told;
    }
    return (robot_status)code;
}

const char *robot_status_name(int status) {
    switch (status) {
@STATUS_WORDS@
    default: return "unknown status";
    }
}
