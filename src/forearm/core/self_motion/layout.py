"""How an arm of seven revolute axes reaches the kernels of this room: a flat table, opened as named parts.

A slice locks one joint at a value: what is left are six axes, whose branches an elimination lists (`core/branches`).
For the first and the last joint the six axes stay the same and the pose moves; for the others they do not.
"""

from typing import Any, NamedTuple

from forearm.core.branches.layout import BRANCHES, REPORT_NUMBERS, TABLE_NUMBERS, WORK_NUMBERS
from forearm.core.jit import leaf, shared
from forearm.core.shaped import shaped

AXES = 7
HEAD, ARM = 4, 60  # how many slices and tables there are; numbers of the arm
# a slice: its joint, the value it locks it at, its table, what stands left and right of the pose
JOINT, VALUE, WHICH, LEFT, RIGHT, SLICE = 0, 1, 2, 4, 16, 28
# a plane: a slice, or the start of a curve that meets none; where its answers stand, how many, how far it is trusted
FIRST, COUNT, TRUST, PLANE = 2, 3, 4, 6
PLANES, FOUND, SEEDS = 96, 640, 128  # planes, their answers and starts between them, at most
MARK = 7  # which curve goes through an answer, counted from 1; 0 if none does yet
VERTEX, ALONG = 15, 14  # a vertex: joint values, unit tangent, the way to it [rad]
CURVE, LENGTH, INSIDE = 4, 2, 3  # a curve: its first vertex, how many, its length, whether its limits add up
# an arc: its curve, where it begins and ends, which limits end it, the joint values there
OF, BEGIN, END, BEGIN_LIMIT, END_LIMIT, BEGIN_Q, END_Q, ARC = 0, 1, 2, 3, 4, 5, 12, 19
EVENTS, EVENT = 512, 10  # crossings of limits: the way, which limit, whether a joint leaves (1) or comes in (-1), q
CURVES, ARCS, VERTICES = 64, 256, 8192
# places in the report: how it ended, slices that are in doubt, crossings that no slice lists, the fineness that was
# needed, curves that were found between slices, answers of all slices, places where curves come together
CODE, DOUBTED, UNLISTED, FINENESS, BETWEEN, ANSWERS, TOGETHER = 0, 1, 2, 3, 4, 5, 6
DONE, UNFINISHED, NO_ROOM = 0, 1, 2  # how it ended


class Arm(NamedTuple):
    """The arm, in metres, as `core/branches/layout.py` has one of six axes."""

    back: Any  # (3, 4)
    centre: Any  # (3,)
    tip: Any  # (3,)
    lines: Any  # (7, 6)


class Table(NamedTuple):
    """An arm and its slices."""

    arm: Arm
    slices: Any  # (k, 28)
    tables: Any  # (t, TABLE_NUMBERS) of the six axes that slices leave


class Desk(NamedTuple):
    """Scratch."""

    G: Any  # (3, 4) the loop's right side [m]
    J: Any  # (6, 8) Jacobian and error
    A: Any  # (6, 8) scratch of linear systems
    q: Any  # (8, 7) joint values in the making
    pose: Any  # (4, 4) of a slice
    planes: Any  # (PLANES, 6)
    found: Any  # (FOUND, 8) answers of the planes and their marks
    seeds: Any  # (SEEDS, 7)
    events: Any  # (EVENTS, 10)
    rows: Any  # (32, 6)
    report: Any  # (8,) of an elimination
    work: Any  # scratch of an elimination


DESK_NUMBERS = (
    12 + 48 + 48 + 56 + 16 + PLANES * PLANE + FOUND * 8 + SEEDS * 7 + EVENTS * EVENT + BRANCHES * 6 + REPORT_NUMBERS
    + WORK_NUMBERS
)  # fmt: skip


@shared
def self_motion_size(slices, tables):
    """How many numbers a table has; -1 for more slices than there is room for."""
    return HEAD + ARM + SLICE * slices + TABLE_NUMBERS * tables if 0 <= slices <= 64 and tables >= 0 else -1


@leaf
def open_table(table):
    """The parts of a flat table; only for lean kernels."""
    slices, tables, line = int(table[0]), int(table[1]), table[HEAD:]
    arm = Arm(shaped(line[:12], (3, 4)), line[12:15], line[15:18], shaped(line[18:60], (AXES, 6)))
    line = line[ARM:]
    rest = line[SLICE * slices : SLICE * slices + TABLE_NUMBERS * tables]
    return Table(arm, shaped(line[: SLICE * slices], (slices, SLICE)), shaped(rest, (tables, TABLE_NUMBERS)))


@leaf
def open_desk(work):
    """The scratch of a call; only for lean kernels."""
    G, J, A, q = shaped(work[:12], (3, 4)), shaped(work[12:60], (6, 8)), shaped(work[60:108], (6, 8)), work[108:164]
    pose, line = shaped(work[164:180], (4, 4)), work[180:]
    planes, line = shaped(line[: PLANES * PLANE], (PLANES, PLANE)), line[PLANES * PLANE :]
    found, line = shaped(line[: FOUND * 8], (FOUND, 8)), line[FOUND * 8 :]
    seeds, line = shaped(line[: SEEDS * 7], (SEEDS, 7)), line[SEEDS * 7 :]
    events, line = shaped(line[: EVENTS * EVENT], (EVENTS, EVENT)), line[EVENTS * EVENT :]
    rows, line = shaped(line[: BRANCHES * 6], (BRANCHES, 6)), line[BRANCHES * 6 :]
    report, line = line[:REPORT_NUMBERS], line[REPORT_NUMBERS : REPORT_NUMBERS + WORK_NUMBERS]
    return Desk(G, J, A, shaped(q, (8, 7)), pose, planes, found, seeds, events, rows, report, line)
