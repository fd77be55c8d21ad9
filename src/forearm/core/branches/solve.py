"""Every branch of six revolute axes, and how far that may be trusted.

One elimination finds the answers; where it is not clean one that hides another joint is asked too, and at last two
neighbouring poses, whose answers are led back.
"""

import math

from forearm.core.branches.back import turned
from forearm.core.branches.collect import NEW, NEWTON_STEPS, difference, keep, take_cluster, take_root
from forearm.core.branches.determinant import null_vectors
from forearm.core.branches.layout import (
    CLUSTERS,
    COUNT,
    LAST,
    NOISE,
    REPORT_NUMBERS,
    ROOTS,
    RUNS,
    SCALE,
    TRUST,
    UNFOLDED,
    open_arm,
    open_desk,
    open_elimination,
    open_rules,
)
from forearm.core.branches.loop import place_goal, write_loop
from forearm.core.branches.newton import EXACT, newton, write_linear
from forearm.core.branches.roots import BRACKET, isolate, refine_all, sample_circle
from forearm.core.jit import lean
from forearm.core.lanes import LANES

NOISY = 1e-7  # noise of a determinant above which nothing is certain
DEAD = 1e-3  # and above which it vanishes everywhere, as it does for some eliminations at special poses
MOST_RUNS = 2  # eliminations that have their digits and are asked before neighbouring poses are
# Where answers share the angle of the hidden joint, as they do at poses square to the base, roots coincide; those of a
# pose that is turned by so much [rad], and moved by so much of the arm's size, do not.
DISTURBED, STAGES, NEIGHBOURS = 1e-2, 5, 4
REGULAR = 1e-5  # least pivot of an answer that moves with its pose
CLOSE = 1e-3  # answers closer than this in every joint are looked at twice [rad]


@lean
def run_elimination(table, which, desk, rows, report_out):
    """Writes the answers that one elimination finds; returns how many, whether it is clean and has its digits."""
    arm, rules, elimination = open_arm(table), open_rules(table), open_elimination(table, which)
    unfolded = elimination.head[UNFOLDED] == 1.0
    write_loop(elimination, table[SCALE], desk)
    report_out[RUNS] += 1.0
    report_out[LAST] = which
    tau, noise = sample_circle(unfolded, rules, desk, report_out)
    report_out[NOISE] = noise
    if not noise < DEAD:
        return 0, False, False
    (brackets, sound), count, clusters = isolate(unfolded, rules, tau, desk, report_out), 0, 0
    if brackets < 0:
        brackets = ROOTS
    for i in range(refine_all(unfolded, brackets, desk, report_out)):
        if i % LANES == 0:
            null_vectors(unfolded, desk.brackets[0, i // LANES], desk)
        theta = desk.brackets[0, i // LANES, i % LANES]
        became, count = take_root(arm, elimination, theta, i % LANES, desk, rows, count)
        if became != NEW:
            sound = False
    for i in range(brackets):
        if desk.roots[i, 0] != BRACKET:
            clusters += 1
            count = take_cluster(arm, elimination, desk.roots[i, 1], desk.roots[i, 2], desk, rows, count)
    report_out[CLUSTERS] += clusters
    return count, sound and clusters == 0 and count % 2 == 0, noise < NOISY


@lean
def disturb(arm, pose, size, scale, G):
    """Writes G of a pose that is turned and moved a little, askew."""
    place_goal(arm, pose, G)
    for j in range(4):
        G[0, j], G[1, j], G[2, j] = turned((0.48, 0.6, 0.64), size, G[0, j], G[1, j], G[2, j])
    G[0, 3] += 0.6 * size * scale
    G[1, 3] -= 0.48 * size * scale
    G[2, 3] += 0.64 * size * scale


@lean
def follow_back(arm, pose, size, scale, count, desk):
    """Leads the answers of a disturbed pose back to the pose; returns how many are left and whether that is all.

    A regular answer moves with its pose, so none is lost or won on the way; one that becomes singular is in doubt.
    """
    regular, kept, q = True, 0, desk.q[6]
    for stage in range(STAGES):
        disturb(arm, pose, size * (STAGES - 1 - stage) / STAGES, scale, desk.G)
        for i in range(count):
            residual, least = newton(arm, desk.G, desk.rows[i], desk.J, desk.A, NEWTON_STEPS)
            regular = regular and residual < EXACT and least > REGULAR
    for i in range(count):
        for k in range(6):
            q[k] = desk.rows[i, k]
        if write_linear(arm, desk.G, q, desk.J) < EXACT:
            kept = keep(arm, desk, q, desk.rows, kept)
    return kept, regular and kept == count


@lean
def any_close(rows, count):
    """Whether two answers nearly coincide."""
    for i in range(count):
        for j in range(i):
            apart = 0.0
            for k in range(6):
                apart = max(apart, abs(difference(rows[i, k], rows[j, k])))
            if apart < CLOSE:
                return True
    return False


@lean
def list_branches(table, pose, work, rows_out, report_out):
    """Writes every branch of a pose, in [-pi, pi], into (32, 6); returns how many.

    The report (8,) says how far the set may be trusted: 2 if the first elimination was clean, 1 if two agree, 0 if
    answers may be missing, as they coincide or lie on a line of answers.
    """
    desk, arm = open_desk(work), open_arm(table)
    for i in range(REPORT_NUMBERS):
        report_out[i] = 0.0
    for i in range(3):
        for j in range(4):
            if not math.isfinite(pose[i, j]):
                return 0
    count, runs, agreed, first, eliminations = 0, 0, 0, -1, int(table[COUNT])
    for trial in range(eliminations + NEIGHBOURS):
        side = trial - eliminations  # at last, poses on both sides of this one, by one elimination or another
        if (side < 0 and runs == MOST_RUNS) or (side == 1 and agreed == 1) or (side > 1 and agreed != 1):
            continue
        size = 0.0 if side < 0 else DISTURBED if side < 2 else -DISTURBED
        disturb(arm, pose, size, table[SCALE], desk.G)
        which = trial if side < 0 else min(side % 2, eliminations - 1)
        found, clean, alive = run_elimination(table, which, desk, desk.rows, report_out)
        if side >= 0:
            found, regular = follow_back(arm, pose, size, table[SCALE], found, desk)
            if clean and alive and regular and (side < 2 or found == first):
                agreed, first = agreed + 1, found
        for i in range(found):
            count = keep(arm, desk, desk.rows[i], rows_out, count)
        if side < 0 and alive:
            runs += 1
            if clean and found == count and (runs > 1 or not any_close(rows_out, count)):
                report_out[TRUST] = 2.0 if runs == 1 else 1.0
                return count
    report_out[TRUST] = 1.0 if agreed == 2 and first == count else 0.0
    return count
