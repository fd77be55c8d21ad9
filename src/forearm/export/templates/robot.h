/* @TITLE@: inverse kinematics in C.

   Made by forearm @VERSION@ (forearm export). Metres and radians; a pose is a rigid 4x4 matrix, row by row, of the tip
   in the base frame. No call allocates, keeps state of its own or waits: all are re-entrant, and what they need is on
   the stack. Every call that takes a pointer gives ROBOT_BAD_ARGUMENT where one is NULL that must not be.
   A function that fails for its input writes nothing of use; one that does not reach its target writes the nearest
   joint values that it found. */
#ifndef ROBOT_H
#define ROBOT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ROBOT_VERSION "@VERSION@"
#define ROBOT_JOINTS @JOINTS@
#define ROBOT_MOST_BRANCHES @MOST_BRANCHES@ /* more are never listed */
#define ROBOT_SERVO_NUMBERS @SERVO_NUMBERS@

/* What a call says. Not negative: how a solve ended; below 0: what was wrong with its input. */
typedef enum {
@STATUSES@
} robot_status;

/* What a servo's tick says. */
typedef enum { ROBOT_FOLLOWING = 0, ROBOT_LIMITED = 1, ROBOT_HELD = 2, ROBOT_LOST = 3 } robot_following;

typedef struct {
    double position_error; /* [m] */
    double rotation_error; /* [rad] */
    double limit_excess;   /* [rad or m] */
    double iterations;
    double tries;
} robot_report;

/* A servo; its numbers are its own. */
typedef struct {
    double numbers[ROBOT_SERVO_NUMBERS];
} robot_servo;

extern const double robot_lower[ROBOT_JOINTS]; /* limits; infinite where there is none */
extern const double robot_upper[ROBOT_JOINTS];
extern const char *const robot_joint_names[ROBOT_JOINTS];

/* The word of a status. */
const char *robot_status_name(int status);

/* The pose of the tip at joint values. ROBOT_BAD_START if one is not finite. */
robot_status robot_fk(const double q[ROBOT_JOINTS], double pose[16]);

/* Joint values inside the limits whose tip meets the target within 1e-6 m and 1e-6 rad, near q0 if one is given; or the
   nearest that were found. q0 and report may be NULL; q0 may be q. */
robot_status robot_solve(const double target[16], const double *q0, double q[ROBOT_JOINTS], robot_report *report);

/* Every answer inside the limits, the nearest to q0 (NULL: the middle of the limits) first: up to `room` rows of
   ROBOT_JOINTS numbers. Gives how many there are, or a negative status; `complete`, which may be NULL, becomes 1 if no
   other answers exist. */
int robot_solve_all(const double target[16], const double *q0, size_t room, double *rows, int *complete);

/* A servo that stands still at q0, for so many ticks a second (1 to 1e6). Greatest speeds and accelerations, one a
   joint, or NULL for the model's speeds (@SPEEDS@) and 10 rad/s^2 or 5 m/s^2. */
robot_status robot_servo_start(robot_servo *servo, double rate, const double q0[ROBOT_JOINTS], const double *velocity,
                               const double *acceleration);

/* One tick: joint values for its end, on the way to a target, or to the last one if it is NULL. Gives a
   robot_following, or a negative status; a target that is no rigid transform is one of ROBOT_HELD. */
int robot_servo_step(robot_servo *servo, const double *target, double q[ROBOT_JOINTS]);

/* Goes on from measured joint values and speeds (NULL: 0), and keeps its target. */
robot_status robot_servo_sync(robot_servo *servo, const double q[ROBOT_JOINTS], const double *velocity);

/* Brakes as hard as the bounds allow from the next tick on, until robot_servo_sync or robot_servo_start. */
robot_status robot_servo_stop(robot_servo *servo);

/* How solving a target ends, and why, as a sentence of at most `room` characters and a 0. It says what a solve knows
   and what can be proven at once: forearm's `explain` in Python searches on, and may name joints where this does not. */
robot_status robot_explain(const double target[16], const double *q0, size_t room, char *sentence);

#ifdef __cplusplus
}
#endif
#endif
