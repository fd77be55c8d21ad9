/* An example: solves a pose, lists every answer, follows it as a servo, and asks why another one fails. */
#include "robot.h"

#include <stdio.h>

static void print_row(const char *words, const double *q) {
    printf("%-12s", words);
    for (int k = 0; k < ROBOT_JOINTS; k++) printf(" % .6f", q[k]);
    printf("\n");
}

int main(void) {
    double q[ROBOT_JOINTS] = {@NEUTRAL@}, target[16], found[ROBOT_JOINTS];
    static double rows[ROBOT_MOST_BRANCHES * ROBOT_JOINTS];
    char why[256];
    robot_report report;
    robot_servo servo;
    int status, count, complete = 0, ticks = 0;
@SPEED_NUMBERS@
    for (int k = 0; k < ROBOT_JOINTS; k++) { /* a pose that can be reached: a little off the middle of the limits */
        q[k] += 0.1;
        if (q[k] > robot_upper[k]) q[k] = robot_upper[k];
    }
    if (robot_fk(q, target) != ROBOT_SOLVED) return 1;

    status = robot_solve(target, NULL, found, &report);
    printf("%s: off by %.3g m and %.3g rad\n", robot_status_name(status), report.position_error, report.rotation_error);
    print_row("solve", found);

    count = robot_solve_all(target, q, ROBOT_MOST_BRANCHES, rows, &complete);
    printf("%d answers%s\n", count, complete ? ", no others exist" : "");
    for (int i = 0; i < count && i < 3; i++) print_row("  answer", rows + i * ROBOT_JOINTS);

    if (robot_servo_start(&servo, 1000.0, q, @SPEED@, NULL) != ROBOT_SOLVED) return 1;
    target[11] -= 0.01; /* a centimetre down */
    while (ticks < 500) {
        status = robot_servo_step(&servo, target, found);
        ticks++;
        if (status < 0) return 1;
    }
    print_row("servo", found);

    target[3] += 100.0;
    status = robot_explain(target, NULL, sizeof why, why);
    printf("%s: %s\n", robot_status_name(status), why);
    return 0;
}
