"""Targets drawn from a chain's own joint values, solved call by call and judged in plain numpy."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import forearm as fa
from judge import TOLERANCE, rotation_errors

ALL = 1.0  # the share of targets that must be met, unless a case says otherwise
X, Z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])


@dataclass
class Case:
    """Targets of one kind on one chain, and the share of them that must be met.

    Attributes:
        name: What is printed.
        robot: The chain.
        Q: (N, n) joint values the targets are drawn from.
        kind: "pose", "position", "orientation" or "axis".
        starts: (N, n), or None for a cold start.
        promise: The least share of targets met.
        tool_axis: Tool axis of the kind "axis".
        options: What else `solve` is given.
        also: A further promise on (answers, case), (N,) of bool.
    """

    name: str
    robot: fa.Robot
    Q: np.ndarray
    kind: str = "pose"
    starts: np.ndarray | None = None
    promise: float = ALL
    tool_axis: np.ndarray = field(default_factory=lambda: Z)
    options: dict[str, Any] = field(default_factory=dict)
    also: Callable[[np.ndarray, "Case"], np.ndarray] | None = None


@dataclass
class Result:
    """(N,) which targets were met, microseconds of each call, tries of each; (N, n) answers."""

    met: np.ndarray
    times: np.ndarray
    tries: np.ndarray
    answers: np.ndarray


def independent_fk(robot, Q):
    """(N, 4, 4) poses of the tip by plain products of (4, 4) matrices."""
    model = robot.model
    T = np.broadcast_to(np.eye(4), (len(Q), 4, 4))
    for link, joint in zip(model.links, [*model.joints, None], strict=True):
        T = T @ np.vstack([link, [0.0, 0.0, 0.0, 1.0]])
        if joint is not None:
            slides, variable, ratio = joint
            T = T @ one_joint(bool(slides), ratio * Q[:, int(variable)])
    return T


def one_joint(slides, values):
    """(N, 4, 4) slides along z, or turns about it."""
    M = np.tile(np.eye(4), (len(values), 1, 1))
    if slides:
        M[:, 2, 3] = values
    else:
        M[:, 0, 0] = M[:, 1, 1] = np.cos(values)
        M[:, 1, 0], M[:, 0, 1] = np.sin(values), -np.sin(values)
    return M


def ask(case, T):
    """The target of a case's kind at a pose."""
    if case.kind == "position":
        return fa.Position(T[:3, 3])
    if case.kind == "orientation":
        return fa.Orientation(T[:3, :3])
    return fa.PointAxis(T[:3, 3], T[:3, :3] @ case.tool_axis, tool_axis=case.tool_axis) if case.kind == "axis" else T


def met(case, answers, targets):
    """(N,) whether each answer meets its target inside the limits."""
    poses = independent_fk(case.robot, answers)
    ok = ((case.robot.limits[0] <= answers) & (answers <= case.robot.limits[1])).all(axis=1)
    if case.kind != "orientation":
        ok &= np.linalg.norm(poses[:, :3, 3] - targets[:, :3, 3], axis=1) <= TOLERANCE
    if case.kind in ("pose", "orientation"):
        ok &= rotation_errors(poses, targets) <= TOLERANCE
    if case.kind == "axis":
        a, b = poses[:, :3, :3] @ case.tool_axis, targets[:, :3, :3] @ case.tool_axis
        ok &= 2.0 * np.arcsin(np.clip(0.5 * np.linalg.norm(a - b, axis=1), 0.0, 1.0)) <= TOLERANCE
    return ok


def run(case):
    """Solves every target of a case, one call after the other."""
    targets = independent_fk(case.robot, case.Q)
    asked = [ask(case, T) for T in targets]
    N = len(asked)
    answers, times, tries = np.empty(case.Q.shape), np.empty(N), np.empty(N, int)
    for q0 in (None, case.robot.neutral):  # compiles what any call may need
        case.robot.solve(asked[0], q0, rest=case.robot.neutral)
    for i, target in enumerate(asked):
        q0 = None if case.starts is None else case.starts[i]
        begin = time.perf_counter()
        s = case.robot.solve(target, q0, **case.options)
        times[i], tries[i], answers[i] = time.perf_counter() - begin, s.tries, s.q
    ok = met(case, answers, targets)
    if case.also is not None:
        ok &= case.also(answers, case)
    return Result(ok, 1e6 * times, tries, answers)
