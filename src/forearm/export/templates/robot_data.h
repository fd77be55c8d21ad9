/* What the sources of @TITLE@ share: sizes, constants, tables, kernels. Not for callers. */
#ifndef ROBOT_DATA_H
#define ROBOT_DATA_H

#include "robot.h"
#include "kernels.h"

@MACROS@

extern const double robot_links[], robot_moving[];                /* the chain */
extern const double robot_problem[], robot_plain_problem[];       /* as solvers take it */
extern const double robot_form_problem[], robot_form[];           /* as the closed form takes it, and the form */
extern const uint64_t robot_seeds[];                              /* the bits of the general solver's starts */
extern const double robot_elimination[];                          /* how every branch of six axes is found */
extern const double robot_search_settings[];                      /* of one try */
extern const double robot_servo_problem[], robot_servo_numbers[]; /* as a servo takes it, and begins */
extern const double robot_servo_pose[], robot_servo_nothing[];    /* what a tick is asked: a pose, nothing new */
extern const double robot_identity[16], robot_middle[ROBOT_JOINTS];
extern const int robot_comes_round[ROBOT_JOINTS]; /* whether a whole turn changes nothing */

int robot_begin(const double *target, const double *q0, double *start);
int robot_measure(const double *target, const double *q, double *report);
int robot_search(const double *problem, const double *target, const double *q0, double *q, double *report);
int robot_list(const double *target, const double *start, double held, double (*rows)[ROBOT_JOINTS], int *trust);
int robot_turn_inside(int k, double value, double start, double *turned);

#endif
