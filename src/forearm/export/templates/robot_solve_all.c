/* Every answer to a target; as Robot.solve_all finds them. */
#include "robot_data.h"

#include <math.h>
#include <string.h>

#define TURN 6.283185307179586
typedef double row[ROBOT_JOINTS];

/* Where answers are gathered: the caller's rows, the nearest to a start first. */
typedef struct {
    const double *start;
    size_t room, count;
    row *rows;
} answers;

static double distance(const double *a, const double *b) {
    double most = 0.0;
    for (int k = 0; k < ROBOT_JOINTS; k++) most = fmax(most, fabs(a[k] - b[k]));
    return most;
}

/* Puts a row behind those that are no farther away; one that is farther than all falls off the end. */
static void insert(const double *q, const double *start, size_t room, size_t *count, row *rows) {
    size_t place = *count;
    double away = distance(q, start);
    while (place > 0 && away < distance(rows[place - 1], start)) place--;
    if (place >= room) return;
    if (*count < room) (*count)++;
    memmove(rows + place + 1, rows + place, (*count - place - 1) * sizeof *rows);
    memcpy(rows[place], q, sizeof *rows);
}

#if ROBOT_BY_FORM || ROBOT_BY_SWIVEL || ROBOT_BY_ELIMINATION
/* The value of a joint inside its limits, whole turns aside, that is nearest to a start; 0 if there is none. */
int robot_turn_inside(int k, double value, double start, double *turned) {
    const double lower = robot_lower[k], upper = robot_upper[k], slack = ROBOT_ROW_SLACK;
    double nearest = value, below = 0.0, above = 0.0;
    int found = 0;
    if (robot_comes_round[k]) {
        nearest = value + TURN * rint((start - value) / TURN);
        below = isfinite(lower) ? floor((nearest - lower + slack) / TURN) : 1.0;
        above = isfinite(upper) ? floor((upper + slack - nearest) / TURN) : 1.0;
    }
    for (double turn = -below; turn <= above; turn += 1.0) {
        double one = nearest + TURN * turn;
        if (!(lower - slack <= one && one <= upper + slack)) continue;
        one = fmin(fmax(one, lower), upper);
        if (!found || fabs(one - start) < fabs(*turned - start)) *turned = one;
        found = 1;
    }
    return found;
}

/* Polishes and measures a row; whether it meets the target. */
static int meets(const double *target, double *q) {
    double report[ROBOT_REPORT] = {0.0};
#if ROBOT_HAS_FORM
    double work[ROBOT_FORM_WORK];
    int64_t code = 0;
    void *fault = NULL;
    forearm_closed_form_listing_measure_row(
        &code, &fault, FOREARM_VECTOR(robot_form_problem, ROBOT_PROBLEM), FOREARM_VECTOR(robot_form, ROBOT_FORM),
        FOREARM_MATRIX(target, 4, 4), FOREARM_VECTOR(work, ROBOT_FORM_WORK), FOREARM_VECTOR(q, ROBOT_JOINTS),
        FOREARM_VECTOR(report, ROBOT_REPORT));
    if (code != ROBOT_SOLVED) return 0;
#endif
    return robot_measure(target, q, report) == ROBOT_SOLVED;
}

/* Whether two answers are one: the same, or joined by answers. */
static int are_one(const double *target, const double *a, const double *b) {
    static const double between[3] = {0.3, 0.5, 0.8};
    row way, q;
    double apart = 0.0, off = 0.0, pose[16];
    for (int k = 0; k < ROBOT_JOINTS; k++) {
        way[k] = b[k] - a[k];
        if (robot_comes_round[k]) way[k] -= TURN * rint(way[k] / TURN);
        apart = fmax(apart, fabs(way[k]));
    }
    if (apart < ROBOT_SAME) return 1;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < ROBOT_JOINTS; k++) q[k] = a[k] + between[i] * way[k];
        robot_fk(q, pose);
        for (int k = 0; k < 16; k++) off = fmax(off, fabs(pose[k] - target[k]));
    }
    return off < fmin(ROBOT_MET, ROBOT_BEND * fmin(1.0, ROBOT_LENGTH) * pow(apart, 2.0));
}

/* Adds the rows that meet the target inside the limits, each once. */
static void add(const double *target, row *rows, int count, answers *out) {
    row found[ROBOT_ROWS], q;
    size_t many = 0, kept = 0;
    for (int i = 0; i < count; i++) {
        int inside = 1;
        for (int k = 0; k < ROBOT_JOINTS && inside; k++) inside = robot_turn_inside(k, rows[i][k], out->start[k], &q[k]);
        if (inside && meets(target, q)) insert(q, out->start, ROBOT_ROWS, &many, found);
    }
    for (size_t i = 0; i < many; i++) {
        int same = 0;
        for (size_t k = 0; k < kept && !same; k++) same = are_one(target, found[i], found[k]);
        if (same) continue;
        memcpy(found[kept++], found[i], sizeof q);
    }
    for (size_t i = 0; i < kept; i++) insert(found[i], out->start, out->room, &out->count, out->rows);
}
#endif

#if ROBOT_BY_FORM
int robot_list(const double *target, const double *start, double held, row *rows, int *trust) {
    double work[ROBOT_FORM_WORK];
    int64_t count = 0;
    void *fault = NULL;
    *trust = 2;
    forearm_closed_form_listing_list_rows(&count, &fault, FOREARM_VECTOR(robot_form, ROBOT_FORM),
                                          FOREARM_MATRIX(target, 4, 4), FOREARM_VECTOR(start, ROBOT_JOINTS), held,
                                          FOREARM_VECTOR(work, ROBOT_FORM_WORK), FOREARM_MATRIX(rows, 32, ROBOT_JOINTS));
    return (int)count;
}
#elif ROBOT_BY_ELIMINATION
int robot_list(const double *target, const double *start, double held, row *rows, int *trust) {
    double work[ROBOT_ELIMINATION_WORK], report[8] = {0.0}, found[32][6];
    int64_t count = 0, kept = 0;
    void *fault = NULL;
    (void)start, (void)held;
    forearm_branches_solve_list_branches(&count, &fault, FOREARM_VECTOR(robot_elimination, ROBOT_ELIMINATION),
                                         FOREARM_MATRIX(target, 4, 4), FOREARM_VECTOR(work, ROBOT_ELIMINATION_WORK),
                                         FOREARM_MATRIX(found, 32, 6), FOREARM_VECTOR(report, 8));
    for (int64_t i = 0; i < count; i++) {
        int own = 1; /* axes that were added to an arm of fewer joints stand at 0 */
        for (int k = ROBOT_JOINTS; k < 6; k++) own = own && fabs(found[i][k]) < ROBOT_AT_ZERO;
        if (own) memcpy(rows[kept++], found[i], sizeof *rows);
    }
    *trust = (int)report[ROBOT_TRUST];
    return (int)kept;
}
#endif

#if ROBOT_BY_SEARCH
/* Adds the distinct answers of a search from many starts. */
static void add_searched(const double *target, answers *out) {
    double problem[ROBOT_PROBLEM];
    memcpy(problem, robot_plain_problem, sizeof problem);
    memcpy(problem + ROBOT_MAX_TRIES, robot_search_settings, ROBOT_SEARCH_SETTINGS * sizeof *problem);
    for (int i = 0; i < ROBOT_STARTS; i++) {
        double report[ROBOT_REPORT] = {0.0};
        row q;
        int code, is_new = 1;
        problem[ROBOT_RNG_SEED] = problem[ROBOT_SKIP_TRIES] = i;
        problem[ROBOT_OPENED_PLACE] = 0.0;
        code = robot_search(problem, target, NULL, q, report);
        if (code != ROBOT_SOLVED && ROBOT_OPENED > 0.0) {
            problem[ROBOT_OPENED_PLACE] = ROBOT_OPENED;
            code = robot_search(problem, target, NULL, q, report);
        }
        if (code != ROBOT_SOLVED) continue;
        for (size_t k = 0; k < out->count && is_new; k++) is_new = distance(q, out->rows[k]) > ROBOT_DISTINCT;
        if (is_new && robot_measure(target, q, report) == ROBOT_SOLVED)
            insert(q, out->start, out->room, &out->count, out->rows);
    }
}
#endif

#if ROBOT_BY_SWIVEL
/* Adds each branch at the swivel angle nearest to the start's; whether there is one. */
static void add_swivels(const double *target, double widen, answers *out) {
    double work[ROBOT_SWIVEL_WORK], swivels[8], ends[8 * ROBOT_BREAKS * 2];
    int64_t counts[8] = {0};
    void *fault = NULL;
    int64_t nothing = 0;
    forearm_closed_form_listing_list_intervals(
        &nothing, &fault, FOREARM_VECTOR(robot_form_problem, ROBOT_PROBLEM), FOREARM_VECTOR(robot_form, ROBOT_FORM),
        FOREARM_MATRIX(target, 4, 4), FOREARM_VECTOR(out->start, ROBOT_JOINTS), widen,
        FOREARM_VECTOR(work, ROBOT_SWIVEL_WORK), FOREARM_VECTOR(swivels, 8), FOREARM_VECTOR(counts, 8),
        FOREARM_CUBE(ends, 8, ROBOT_BREAKS, 2));
    for (int branch = 0; branch < 8; branch++) {
        row q = {0.0};
        uint8_t there = 0;
        if (counts[branch] == 0) continue;
        forearm_closed_form_listing_row_at_swivel(&there, &fault, FOREARM_VECTOR(robot_form, ROBOT_FORM),
                                                  FOREARM_MATRIX(target, 4, 4), FOREARM_VECTOR(out->start, ROBOT_JOINTS),
                                                  (int64_t)branch, swivels[branch], FOREARM_VECTOR(q, ROBOT_JOINTS));
        if (there) add(target, &q, 1, out);
    }
}
#endif

#if ROBOT_HELD_JOINT >= 0
/* Adds the answers at evenly spread values of the held joint, the start's own first. */
static void add_held(const double *target, answers *out) {
    struct { double lower, upper; } range = {0.0, 0.0};
    row rows[ROBOT_ROWS];
    void *fault = NULL;
    const int parts = ROBOT_HELD_SAMPLES - 2;
    forearm_closed_form_held_held_range(&range, &fault, robot_lower[ROBOT_HELD_JOINT], robot_upper[ROBOT_HELD_JOINT],
                                        out->start[ROBOT_HELD_JOINT]);
    for (int i = -1; i <= parts; i++) {
        double whole = range.upper - range.lower, step = whole / parts;
        double value = (step != 0.0 ? i * step : (double)i / parts * whole) + range.lower;
        int trust = 0;
        if (i < 0) value = out->start[ROBOT_HELD_JOINT];
        if (i == parts) value = range.upper;
        add(target, rows, robot_list(target, out->start, value, rows, &trust), out);
    }
}
#endif

/* Gathers all answers; whether there are no others. */
static int gather(const double *target, answers *out) {
#if ROBOT_HELD_JOINT >= 0
    add_held(target, out);
    return 0;
#elif ROBOT_BY_SWIVEL
    add_swivels(target, 0.0, out);
    if (out->count == 0) add_swivels(target, ROBOT_WIDEN, out);
    return 1;
#elif ROBOT_BY_FORM || ROBOT_BY_ELIMINATION
    row rows[ROBOT_ROWS];
    int trust = 0, count = robot_list(target, out->start, 0.0, rows, &trust);
#if ROBOT_BY_SEARCH
    if (trust == 0) { /* answers coincide or lie on a line: a search is asked as well */
        answers more = {out->start, ROBOT_ROWS - 32, 0, rows + count};
        add_searched(target, &more);
        count += (int)more.count;
    }
#endif
    add(target, rows, count, out);
    return trust > 0;
#else
    add_searched(target, out);
    return 0;
#endif
}

int robot_solve_all(const double target[16], const double *q0, size_t room, double *rows, int *complete) {
    row start;
    answers out = {start, room < ROBOT_MOST_BRANCHES ? room : ROBOT_MOST_BRANCHES, 0, (row *)rows};
    int code, whole;
    if (target == NULL || (rows == NULL && room > 0)) return ROBOT_BAD_ARGUMENT;
    code = robot_begin(target, NULL, start);
    if (code != ROBOT_SOLVED) return code;
    for (int k = 0; k < ROBOT_JOINTS; k++) {
        if (q0 != NULL && !isfinite(q0[k])) return ROBOT_BAD_START;
        start[k] = q0 == NULL ? robot_middle[k] : fmin(fmax(q0[k], robot_lower[k]), robot_upper[k]);
    }
    whole = gather(target, &out);
    if (complete != NULL) *complete = whole;
    return (int)out.count;
}
