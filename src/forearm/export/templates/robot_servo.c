/* A servo: a stream of targets in, one bounded step of the joints a tick out; as Robot.servo does it. */
#include "robot_data.h"

#include <math.h>
#include <string.h>

#define ROW(servo, row) ((servo)->numbers + (row) * ROBOT_JOINTS)
#define NUMBER(servo, place) ((servo)->numbers[ROBOT_SERVO_ROWS * ROBOT_JOINTS + (place)])

/* Whether all are finite and above 0. */
static int are_bounds(const double *values) {
    for (int k = 0; k < ROBOT_JOINTS; k++)
        if (!(values[k] > 0.0 && values[k] < INFINITY)) return 0;
    return 1;
}

static int is_inside(const double *q) {
    for (int k = 0; k < ROBOT_JOINTS; k++)
        if (!(isfinite(q[k]) && robot_lower[k] - ROBOT_START_SLACK <= q[k] && q[k] <= robot_upper[k] + ROBOT_START_SLACK))
            return 0;
    return 1;
}

robot_status robot_servo_sync(robot_servo *servo, const double q[ROBOT_JOINTS], const double *velocity) {
    static const int places[] = ROBOT_SERVO_PLACES, nought[] = ROBOT_SERVO_NOUGHT;
    double start[ROBOT_JOINTS], speed[ROBOT_JOINTS] = {0.0};
    if (servo == NULL || q == NULL) return ROBOT_BAD_ARGUMENT;
    if (!is_inside(q)) return ROBOT_BAD_START;
    for (int k = 0; k < ROBOT_JOINTS; k++) {
        const double fastest = ROW(servo, ROBOT_SERVO_FASTEST)[k];
        start[k] = fmin(fmax(q[k], robot_lower[k]), robot_upper[k]);
        if (velocity != NULL && !isfinite(velocity[k])) return ROBOT_BAD_START;
        if (velocity != NULL) speed[k] = fmin(fmax(velocity[k], -fastest), fastest);
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) memcpy(ROW(servo, places[i]), start, sizeof start);
    memcpy(ROW(servo, ROBOT_SERVO_SPEED), speed, sizeof speed);
    memset(ROW(servo, ROBOT_SERVO_RATE), 0, sizeof speed);
    memset(ROW(servo, ROBOT_SERVO_FLOW), 0, sizeof speed);
    for (size_t i = 0; i < sizeof nought / sizeof *nought; i++) NUMBER(servo, nought[i]) = 0.0;
    NUMBER(servo, ROBOT_SERVO_MARK) = NUMBER(servo, ROBOT_SERVO_LEFT) = INFINITY;
    return ROBOT_SOLVED;
}

robot_status robot_servo_start(robot_servo *servo, double rate, const double q0[ROBOT_JOINTS], const double *velocity,
                               const double *acceleration) {
    if (servo == NULL || q0 == NULL || !(rate >= 1.0 && rate <= 1e6)) return ROBOT_BAD_ARGUMENT;
    memcpy(servo->numbers, robot_servo_numbers, sizeof servo->numbers);
    if (velocity != NULL) memcpy(ROW(servo, ROBOT_SERVO_FASTEST), velocity, ROBOT_JOINTS * sizeof *velocity);
    if (acceleration != NULL) memcpy(ROW(servo, ROBOT_SERVO_HARDEST), acceleration, ROBOT_JOINTS * sizeof *acceleration);
    if (!are_bounds(ROW(servo, ROBOT_SERVO_FASTEST)) || !are_bounds(ROW(servo, ROBOT_SERVO_HARDEST)))
        return ROBOT_BAD_ARGUMENT;
    NUMBER(servo, ROBOT_SERVO_TICK) = 1.0 / rate;
    return robot_servo_sync(servo, q0, NULL);
}

int robot_servo_step(robot_servo *servo, const double *target, double q[ROBOT_JOINTS]) {
    double work[ROBOT_SERVO_WORK] = {0.0}, pose[16];
    int64_t code = 0;
    void *fault = NULL;
    const double *asked = target == NULL ? robot_servo_nothing : robot_servo_pose;
    if (servo == NULL || q == NULL) return ROBOT_BAD_ARGUMENT;
    memcpy(pose, target == NULL ? robot_identity : target, sizeof pose);
    forearm_servo_tick_tick(&code, &fault, FOREARM_VECTOR(robot_servo_problem, ROBOT_PROBLEM),
                            FOREARM_VECTOR(servo->numbers, ROBOT_SERVO_NUMBERS),
                            FOREARM_VECTOR(asked, ROBOT_SERVO_ASKED), FOREARM_MATRIX(pose, 4, 4),
                            FOREARM_VECTOR(work, ROBOT_SERVO_WORK), FOREARM_VECTOR(q, ROBOT_JOINTS));
    return (int)NUMBER(servo, ROBOT_SERVO_STATUS);
}

robot_status robot_servo_stop(robot_servo *servo) {
    if (servo == NULL) return ROBOT_BAD_ARGUMENT;
    NUMBER(servo, ROBOT_SERVO_STOPPED) = 1.0;
    return ROBOT_SOLVED;
}
