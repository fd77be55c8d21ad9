"""The answers of all slices, and starts between them.

A curve that passes between two slices leaves a trace in both: the determinant nearly touches zero. Its extrema that do
not cross zero are brought to the curve, if there is one.
"""

import math

from forearm.core.branches.back import write_seed
from forearm.core.branches.determinant import null_vectors
from forearm.core.branches.layout import LAST, UNFOLDED, open_elimination
from forearm.core.branches.layout import TRUST as SET_TRUST
from forearm.core.branches.layout import open_desk as open_branch_desk
from forearm.core.branches.roots import polynomial
from forearm.core.branches.solve import list_branches
from forearm.core.jit import lean
from forearm.core.lanes import LANES
from forearm.core.self_motion.layout import (
    AXES,
    COUNT,
    DOUBTED,
    FIRST,
    FOUND,
    JOINT,
    LEFT,
    MARK,
    PLANES,
    RIGHT,
    SEEDS,
    SLICE,
    TRUST,
    VALUE,
    WHICH,
)
from forearm.core.self_motion.point import project
from forearm.core.shaped import shaped

LOOKS = 48  # places round the circle where the determinant is looked at for extrema


@lean
def place_pose(row, pose, out):
    """Writes what stands left of the pose, the pose, and what stands right of it, multiplied."""
    left, right = shaped(row[LEFT:RIGHT], (3, 4)), shaped(row[RIGHT : RIGHT + 12], (3, 4))
    for i in range(3):
        x0, x1, x2, x3 = 0.0, 0.0, 0.0, left[i, 3]
        for k in range(3):
            x0 += left[i, k] * pose[k, 0]
            x1 += left[i, k] * pose[k, 1]
            x2 += left[i, k] * pose[k, 2]
            x3 += left[i, k] * pose[k, 3]
        for j in range(4):
            out[i, j] = x0 * right[0, j] + x1 * right[1, j] + x2 * right[2, j]
        out[i, 3] += x3
        out[3, i] = 0.0
    out[3, 3] = 1.0


@lean
def write_row(row, joint, value, out):
    """Writes seven joint values: six, and a locked one among them."""
    for j in range(AXES):
        out[j] = value if j == joint else row[j if j < joint else j - 1]


@lean
def list_slice(six, joint, value, desk, plane, count, report_out):
    """Writes the answers of a slice whose pose is written, behind `count` others; returns how many there are now.

    -1 if there is no room.
    """
    found = list_branches(six, desk.pose, desk.work, desk.rows, desk.report)
    if count + found > FOUND - PLANES:
        return -1
    plane[JOINT], plane[VALUE], plane[FIRST], plane[COUNT] = joint, value, count, found
    plane[TRUST] = desk.report[SET_TRUST]
    report_out[DOUBTED] += 1.0 if plane[TRUST] == 0.0 else 0.0
    for i in range(found):
        write_row(desk.rows[i], joint, value, desk.found[count])
        desk.found[count, MARK] = 0.0
        count += 1
    return count


@lean
def write_slice(table, value, row_out):
    """Writes the slice of the last joint at any value, from those at even ones; False if there are fewer than three.

    What stands right of the pose is a constant, a cosine and a sine part.
    """
    c, s, n = math.cos(value), math.sin(value), 0.0
    for i in range(SLICE):
        row_out[i] = 0.0
    for k in range(table.slices.shape[0]):
        row = table.slices[k]
        if int(row[JOINT]) != AXES - 1:
            continue
        n += 1.0
        share = 1.0 + 2.0 * (c * math.cos(row[VALUE]) + s * math.sin(row[VALUE]))
        row_out[WHICH] = row[WHICH]
        for i in range(12):
            row_out[LEFT + i] = row[LEFT + i]
            row_out[RIGHT + i] += share * row[RIGHT + i]
    for i in range(12):
        row_out[RIGHT + i] /= max(n, 1.0)
    row_out[JOINT], row_out[VALUE] = AXES - 1.0, value
    return n > 2.0


@lean
def slice_again(table, pose, desk, value, tally, report_out):
    """Writes the answers of one more slice of the last joint and starts beside it, if there is room for it.

    The tally is how many answers, planes and starts there are; returned as it is then.
    """
    row, (answers, planes, seeds) = desk.work[:SLICE], tally
    if planes == PLANES or not write_slice(table, value, row):
        return tally
    six = table.tables[int(row[WHICH])]
    place_pose(row, pose, desk.pose)
    more = list_slice(six, AXES - 1, value, desk, desk.planes[planes], answers, report_out)
    if more < 0:
        return tally
    return more, planes + 1, gather_seeds(table.arm, six, AXES - 1, value, desk, seeds)


@lean
def list_slices(table, pose, desk, report_out):
    """Writes the answers of every slice and starts between them; returns how many of each, -1 if there is no room."""
    count, seeds, slices = 0, 0, table.slices.shape[0]
    for k in range(slices):
        row, plane = table.slices[k], desk.planes[k]
        joint, value, six = int(row[JOINT]), row[VALUE], table.tables[int(row[WHICH])]
        place_pose(row, pose, desk.pose)
        count = list_slice(six, joint, value, desk, plane, count, report_out)
        if count < 0:
            return -1, seeds
        seeds = gather_seeds(table.arm, six, joint, value, desk, seeds)
    return count, seeds


@lean
def gather_seeds(arm, six, joint, value, desk, seeds):
    """Adds points of curves near extrema of a slice's determinant that do not cross zero; returns how many."""
    inner, elimination = open_branch_desk(desk.work), open_elimination(six, int(desk.report[LAST]))
    step, q = 2.0 * math.pi / LOOKS, desk.q[0]
    before, here = polynomial(inner.c, -step)[0], polynomial(inner.c, 0.0)[0]
    for i in range(LOOKS):
        theta = i * step
        after = polynomial(inner.c, theta + step)[0]
        touches = before * here > 0.0 and here * after > 0.0 and abs(here) < abs(before) and abs(here) <= abs(after)
        before, here = here, after
        if not touches or seeds == SEEDS:
            continue
        for _ in range(3):
            _, slope, bend = polynomial(inner.c, theta)
            theta -= min(max(slope / bend, -step), step) if bend != 0.0 else 0.0
        for lane in range(LANES):
            inner.four[lane] = theta
        null_vectors(elimination.head[UNFOLDED] == 1.0, inner.four, inner)
        if not write_seed(elimination, theta, 0, inner, inner.q[0]):
            continue
        write_row(inner.q[0], joint, value, q)
        if project(arm, desk.G, q, desk.J, desk.A):
            for j in range(AXES):
                desk.seeds[seeds, j] = q[j]
            seeds += 1
    return seeds
