"""What distances alone say of goals: points farther away than a chain is long, and goals that contradict each other.

These are proofs: no joint values, inside limits or not, do better than the chain stretched out straight, and what two
goals ask of one rigid part either fits together or does not.
"""

import math

import numpy as np

from forearm.common.transforms import inverse
from forearm.common.types import Floats
from forearm.core import codes
from forearm.goals.goal import Goal, Relative, Wish
from forearm.trees.body import Body

ROUNDING = 1e-12  # of a length


def beyond(body: Body, goal: Wish) -> str:
    """That a goal alone asks for more than its chain is long, in words; else nothing."""
    if isinstance(goal, Relative) and goal.counts[0]:
        away, longest = math.hypot(*goal.pose[:3, 3]), span(body, goal.link, goal.other)
        if away <= longest * (1.0 + ROUNDING) + goal.tol[0]:
            return ""
        return (
            f"out of reach of its chain: its point is {away:.4g} m from '{goal.other}', and the chain between the two "
            f"is at most {longest:.4g} m long"
        )
    if body.base != "fixed" or not isinstance(goal, Goal) or goal.target.kind == codes.ORIENTATION:
        return ""
    row, tip = body.place(goal.link)
    path = body.path(row)
    first = body.rows[path[0]]
    slide = first.segment.kind == "prismatic"
    longest = math.hypot(*tip[:3, 3]) + _stretched(body, path[1:]) + _slides(body, path)
    away = math.dist(goal.target.goal[:3, 3], first.front[:3, 3])
    if away <= longest * (1.0 + ROUNDING) + goal.tol[0]:
        return ""
    where = "the start of" if slide else "joint"
    return (
        f"out of reach of its chain: its point is {away:.4g} m from {where} '{first.segment.name}', and the chain from "
        f"there is at most {longest:.4g} m long"
    )


def _stretched(body: Body, rows: list[int]) -> float:
    """How long the links in front of some rows are together [m]."""
    return sum(math.hypot(*body.rows[i].front[:3, 3]) for i in rows)


def _slides(body: Body, rows: list[int]) -> float:
    """How far the slides among some rows go from their zeros together [m]."""
    slides = [body.rows[i] for i in rows if body.rows[i].segment.kind == "prismatic"]
    return sum(float(np.abs(row.segment.ratio * body.limits[:, row.variable]).max()) for row in slides)


def span(body: Body, one: str, other: str) -> float:
    """The farthest that two links or sites can be from each other [m], by the lengths of what is between them."""
    (row, tip), (second, end) = body.place(one), body.place(other)
    path, way = body.path(row), body.path(second)
    shared = sum(1 for a, b in zip(path, way, strict=False) if a == b)
    path, way = path[shared:], way[shared:]
    longest = _slides(body, path + way) + _stretched(body, path[1:]) + _stretched(body, way[1:])
    corners = []  # in the frame that both have, where the chain leaves it to either side
    for rows, T in ((path, tip), (way, end)):
        corners.append(body.rows[rows[0]].front[:3, 3] if rows else T[:3, 3])
        longest += math.hypot(*T[:3, 3]) if rows else 0.0
    return longest + math.dist(*corners)


def contradiction(body: Body, one: Wish, other: Wish) -> str:
    """Why two goals can never be met together, in words; nothing where distances do not prove it."""
    if not (isinstance(one, Goal) and isinstance(other, Goal)):
        return ""
    return _of_one_part(body, one, other) or _too_far_apart(body, one, other)


def _too_far_apart(body: Body, one: Goal, other: Goal) -> str:
    """That the points of two goals are farther apart than the chain between their links is long."""
    if codes.ORIENTATION in (one.target.kind, other.target.kind):
        return ""
    away = math.dist(one.target.goal[:3, 3], other.target.goal[:3, 3])
    longest = span(body, one.link, other.link)
    if away <= longest * (1.0 + ROUNDING) + one.tol[0] + other.tol[0]:
        return ""
    return f"their points are {away:.4g} m apart, and the chain between them is at most {longest:.4g} m long"


def _of_one_part(body: Body, one: Goal, other: Goal) -> str:
    """That two goals ask different things of one rigid part."""
    (row, tip), (second, end) = body.place(one.link), body.place(other.link)
    if row != second:
        return ""
    between, slack = inverse(tip) @ end, codes.RIGID_SLACK * (1.0 + float(np.abs(tip).max() + np.abs(end).max()))
    whole = (codes.POSE, codes.ORIENTATION)
    if one.target.kind in whole and other.target.kind in whole:
        apart = _turn(one.target.goal[:3, :3] @ between[:3, :3], other.target.goal[:3, :3])
        if apart > one.tol[1] + other.tol[1] + slack:
            return f"both turn one rigid part, {apart:.4g} rad from each other"
    if codes.ORIENTATION in (one.target.kind, other.target.kind):
        return ""
    lever = math.hypot(*between[:3, 3])
    points = [each.target.goal[:3, 3] for each in (one, other)]
    loose = one.tol[0] + other.tol[0] + slack
    off = abs(math.dist(*points) - lever)
    if one.target.kind == codes.POSE:
        off, loose = _gap(one.target.goal, between, points[1]), loose + one.tol[1] * lever
    elif other.target.kind == codes.POSE:
        off, loose = _gap(other.target.goal, inverse(between), points[0]), loose + other.tol[1] * lever
    return f"both move one rigid part, {off:.4g} m from each other" if off > loose else ""


def _gap(T: Floats, between: Floats, point: Floats) -> float:
    """How far a point is from where a pose has it."""
    return math.dist((T @ between)[:3, 3], point)


def _turn(R: Floats, S: Floats) -> float:
    """The angle between two rotations [rad]."""
    return 2.0 * math.asin(min(float(np.linalg.norm(R - S)) / math.sqrt(8.0), 1.0))
