"""Every self-motion curve of a pose of seven revolute axes, and its arcs inside the limits.

One joint locked at many values gives slices, each with all its answers; others are locked at a few, since a curve may
turn all round in one joint and hardly move another. Every answer lies on exactly one curve: the curves are traced from
answers that none goes through yet, until all are marked, each once. If one is met twice, a step has jumped from curve
to curve, and all is traced again with finer steps. A curve that is found between slices is a hint that more are there:
slices are laid through it and halfway between all others, and everything is traced again. (Self-motion manifolds:
Burdick 1989.)
"""

import math

from forearm.core.branches.loop import place_goal
from forearm.core.jit import lean
from forearm.core.self_motion.arcs import add_arcs
from forearm.core.self_motion.layout import (
    ALONG,
    ANSWERS,
    AXES,
    BETWEEN,
    CODE,
    COUNT,
    DONE,
    FINENESS,
    FIRST,
    INSIDE,
    JOINT,
    LENGTH,
    MARK,
    NO_ROOM,
    PLANES,
    TOGETHER,
    TRUST,
    UNFINISHED,
    UNLISTED,
    VALUE,
    open_desk,
    open_table,
)
from forearm.core.self_motion.point import fastest, place_all
from forearm.core.self_motion.slices import list_slices, slice_again
from forearm.core.self_motion.trace import AIMED, CLOSED, FULL, trace

REPORT = 8
AGAIN = 3  # how often slices are laid through curves that were found between slices


@lean
def trace_all(arm, desk, answers, seeds, slices, fineness, vertices_out, curves_out, report_out):
    """Traces the curves of all answers and of starts between slices; returns how many, and how it ended."""
    curves, used, planes = 0, 0, slices
    for i in range(answers + seeds):
        own = i if i < answers else -1
        if own >= 0 and desk.found[i, MARK] > 0.0:
            continue
        if curves == curves_out.shape[0] or used == vertices_out.shape[0] or planes == PLANES:
            return curves, NO_ROOM
        q = desk.found[i, :AXES] if own >= 0 else desk.seeds[i - answers]
        if own >= 0:
            desk.found[i, MARK] = curves + 1.0
        ended, count = trace(arm, desk, planes, q, fineness, curves + 1.0, own, vertices_out[used:], report_out)
        if ended == FULL:
            return curves, NO_ROOM
        if ended != CLOSED:
            if own >= 0:
                return curves, UNFINISHED
            continue  # a start on a curve that is known
        row, start = curves_out[curves], vertices_out[used]
        row[0], row[1], row[LENGTH] = used, count, vertices_out[used + count - 1, ALONG]
        curves, used = curves + 1, used + count
        if own < 0:  # its start is a plane of its own, so that the next one knows it
            plane, place, joint = desk.planes[planes], answers + planes - slices, fastest(start[AXES:ALONG])
            for j in range(AXES):
                desk.found[place, j] = start[j]
            desk.found[place, MARK] = curves
            plane[JOINT], plane[VALUE], plane[FIRST], plane[COUNT] = joint, start[joint], place, 1.0
            plane[TRUST] = 0.0
            planes += 1
            report_out[BETWEEN] += 1.0
    return curves, DONE


@lean
def slice_between(table, pose, desk, tally, traced, report_out):
    """Lays slices through the curves that were found between slices, and first of all halfway between these.

    The tally is how many answers, planes and starts there are; returned as it is then.
    """
    curves, vertices, rows = traced
    slices = table.slices.shape[0]
    if slices > 2 and tally[1] == slices:
        gap = abs(table.slices[1, VALUE] - table.slices[0, VALUE])
        for k in range(slices):
            if int(table.slices[k, JOINT]) == AXES - 1:
                tally = slice_again(table, pose, desk, table.slices[k, VALUE] + 0.5 * gap, tally, report_out)
    for i in range(curves - int(report_out[BETWEEN]), curves):
        first, low, high = int(rows[i, 0]), math.inf, -math.inf
        for k in range(first, first + int(rows[i, 1])):
            low, high = min(low, vertices[k, AXES - 1]), max(high, vertices[k, AXES - 1])
        tally = slice_again(table, pose, desk, 0.5 * (low + high), tally, report_out)
    return tally


@lean
def map_curves(table, limits, pose, work, vertices_out, curves_out, arcs_out, report_out):
    """Writes every self-motion curve of a pose and its arcs inside the limits; returns how many there are of both.

    Vertices (V, 15) are joint values, unit tangents and the way; curves (C, 4) and arcs (A, 19) as in the layout.
    """
    opened, desk = open_table(table), open_desk(work)
    arm, slices = opened.arm, opened.slices.shape[0]
    for i in range(REPORT):
        report_out[i] = 0.0
    place_goal(arm, pose, desk.G)
    answers, seeds = list_slices(opened, pose, desk, report_out)
    if answers < 0:
        report_out[CODE] = NO_ROOM
        return 0, 0
    curves, ended, fineness, planes = 0, UNFINISHED, 0, slices
    for attempt in range(len(AIMED) + AGAIN):
        report_out[FINENESS], report_out[UNLISTED], report_out[BETWEEN], report_out[TOGETHER] = fineness, 0.0, 0.0, 0.0
        for i in range(answers):
            desk.found[i, MARK] = 0.0
        curves, ended = trace_all(arm, desk, answers, seeds, planes, fineness, vertices_out, curves_out, report_out)
        if ended == UNFINISHED:
            fineness += 1
            if fineness == len(AIMED):
                break
            continue
        if ended != DONE or report_out[BETWEEN] == 0.0 or attempt >= AGAIN:
            break
        tally, traced = (answers, planes, seeds), (curves, vertices_out, curves_out)
        answers, planes, seeds = slice_between(opened, pose, desk, tally, traced, report_out)
    report_out[ANSWERS] = answers
    arcs = 0
    for i in range(curves):
        first, count = int(curves_out[i, 0]), int(curves_out[i, 1])
        more, whole = add_arcs(arm, limits, vertices_out[first : first + count], i, desk, arcs_out, arcs)
        if more < 0:
            ended = NO_ROOM
            break
        arcs, curves_out[i, INSIDE] = more, 1.0 if whole else 0.0
    report_out[CODE] = ended
    return curves, arcs


@lean
def place_on_curves(table, pose, rows, tangents, work):
    """Makes rows (N, 7) near self-motion curves with tangents (N, 7) exact, both in place; returns how many are."""
    opened, desk = open_table(table), open_desk(work)
    place_goal(opened.arm, pose, desk.G)
    return place_all(opened.arm, desk.G, rows, tangents, desk.J, desk.A)
