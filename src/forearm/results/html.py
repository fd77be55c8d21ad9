"""How results show themselves in a notebook: small HTML tables, with bars and lines as inline SVG.

Loaded when something is shown, never before; needs nothing but the standard library and numpy.
"""

from html import escape
from typing import Any

import numpy as np

from forearm.common.palette import BAD, BLUE, GOOD
from forearm.common.types import Floats
from forearm.core.arm.kinematics import fk_frames
from forearm.errors import counted
from forearm.results import html_parts as parts
from forearm.results.html_parts import VERDICTS

MOST_ARMS = 16  # in one picture; more cannot be told apart

# -- one arm --------------------------------------------------------------------------------------


def robot_html(robot: Any) -> str:
    """A `Robot`: its ends, its reach, its joints with their limits as bars on a common scale, and the arm at home."""
    model = robot.model
    ends = f"{model.base} to {model.tip}, reach {robot.reach:.4g} m, {robot.structure.summary}"
    rows = parts.limit_rows(model.joint_names, model.joint_kinds, robot.limits, model.velocity)
    head = parts.title(robot.name, BLUE) + parts.sentence(ends)
    return parts.frame(head + parts.table(parts.LIMIT_HEAD, rows) + _arms(model, robot.home[None], BLUE))


def solution_html(s: Any) -> str:
    """A `Solution`: the verdict, the numbers, the joint values between their limits, and the arm from two sides."""
    if s.model is None:
        return parts.frame(_summary(s) + parts.values(s.q))
    limits = s.model.limits if s.limits is None else s.limits
    table = parts.table(parts.JOINT_HEAD, parts.joint_rows(s.model.joint_names, s.model.joint_kinds, s.q, limits))
    return parts.frame(_summary(s) + table + _arms(s.model, s.q[None], GOOD if s.success else BAD))


def branches_html(found: Any) -> str:
    """`Branches`: what the set is, a row for each with the name of its posture and its joint values, and all arms."""
    count = "1 branch" if len(found) == 1 else f"{len(found)} branches"
    head = parts.title(f"{count} by {found.method}", GOOD if len(found) else BAD) + parts.sentence(found.reason)
    if not len(found):
        return parts.frame(head)
    model, named = found[0].model, any(branch.posture for branch in found)
    names = tuple(f"q{k}" for k in range(found.q.shape[1])) if model is None else model.joint_names
    kinds = ("",) * len(names) if model is None else model.joint_kinds
    units = ("m" if kind == "prismatic" else "rad" for kind in kinds)
    joints = (f"{escape(name)} [{unit}]" for name, unit in zip(names, units, strict=True))
    columns = ("", *(("posture",) if named else ()), *joints)
    rows = [
        (str(i), *((escape(branch.posture),) if named else ()), *(f"{value:.4f}" for value in branch.q.round(4) + 0.0))
        for i, branch in enumerate(found)
    ]
    arms = "" if model is None else _arms(model, found.q[:MOST_ARMS], GOOD)
    return parts.frame(head + parts.table(columns, rows) + arms)


def self_motion_html(motion: Any) -> str:
    """A `SelfMotion`: a row for each arc inside the limits, where it lies on its curve, and what ends it."""
    found = counted(len(motion.arcs), "arc")
    head = parts.title(f"{found} inside the limits by {motion.method}", GOOD if motion.arcs else BAD)
    rows = []
    for arc in motion.arcs:
        length = motion.curves[arc.curve].length
        picture = parts.stretches(f"{arc.begin:.4g} to {arc.end:.4g} rad", length, [(arc.begin, arc.end)])
        span = "the whole curve" if arc.whole else f"{arc.begin:.4g} to {arc.end:.4g} rad"
        ends = " to ".join(escape(str(end)) for end in arc.ends)
        rows.append((f"{arc.curve}: {length:.4g} rad round", span, picture, ends))
    table = parts.folded(found, ("curve", "inside the limits", "", "from where to where"), rows) if rows else ""
    return parts.frame(head + parts.sentence(motion.reason) + table)


def servo_html(servo: Any, model: Any, limits: Floats) -> str:
    """A `Servo` of an arm inside limits: how its last tick went, and where each joint is and how fast."""
    off = servo.error
    colour = {"following": GOOD, "held": BLUE}.get(servo.status, BAD)
    head = parts.title(f"{model.name}: {servo.status}", colour)
    numbers = (("rate", f"{servo.rate:g} Hz"), ("off its target", f"{off.position:.3g} m, {off.rotation:.3g} rad"))
    ratios = servo.velocity / servo.velocity_limits
    rows = parts.moving_rows(model.joint_names, model.joint_kinds, servo.q, limits, ratios)
    words = parts.sentence(servo.reason) if servo.reason else ""
    table = parts.table(parts.MOVING_HEAD, rows)
    return parts.frame(head + words + parts.table((), numbers) + table + _arms(model, servo.q[None], colour))


# -- paths ----------------------------------------------------------------------------------------


def track_html(track: Any) -> str:
    """A `Track`: how much of the path holds, why it stops, and every joint along the way."""
    added = int(track.inserted.sum())
    title = "Tracked to the end" if track.complete else f"Stops at way-point {track.stopped_at}"
    colour = GOOD if track.complete else BAD
    numbers = [("way-points", f"{len(track) - added} of {track.waypoints}"), ("points put between", str(added))]
    if len(track):
        numbers += [
            ("largest position error", f"{track.position_errors.max():.3g} m"),
            ("largest rotation error", f"{track.rotation_errors.max():.3g} rad"),
            ("largest joint step", f"{track.steps[1:].max(initial=0.0):.3g} rad or m"),
        ]
    if track.times is not None and len(track) > 1 and np.isfinite(track.velocity_limits).any():
        numbers.append(("velocity limits", "kept" if track.slowdown == 1.0 else f"missed {track.slowdown:.3g} times"))
    why = "" if track.complete else f": {VERDICTS[str(track.status)].lower()}"
    stops = () if track.stopped_at is None else (track.stopped_at,)
    lines = parts.lines(track.q, track.places, track.waypoints - 1, track.joint_names, "the way-points", stops)
    head = parts.title(title + why, colour) + parts.sentence(track.reason)
    return parts.frame(head + parts.table((), numbers) + lines)


def trajectory_html(trajectory: Any) -> str:
    """A `Trajectory`: how long it takes, how fast each joint gets, and every joint over time."""
    units = trajectory.joint_units or ("rad or m",) * len(trajectory.joint_names)
    fastest, hardest = (
        np.round(np.abs(rows).max(axis=0, initial=0.0), parts.ROUNDED - 3)
        for rows in (trajectory.velocities, trajectory.accelerations)
    )
    rows = [
        (escape(name), f"{speed:.4g} {unit}/s", f"{push:.4g} {unit}/s²")
        for name, unit, speed, push in zip(
            trajectory.joint_names, units, fastest.tolist(), hardest.tolist(), strict=True
        )
    ]
    head = parts.title(f"{counted(len(trajectory.times), 'point')} in {trajectory.duration:.4g} s", BLUE)
    table = parts.folded("joints", ("joint", "greatest speed", "greatest acceleration"), rows)
    over = f"{trajectory.duration:.4g} s"
    lines = parts.lines(trajectory.q, trajectory.times, trajectory.duration, trajectory.joint_names, over)
    return parts.frame(head + table + lines)


# -- many targets ---------------------------------------------------------------------------------


def batch_html(batch: Any) -> str:
    """A `BatchSolution` or `ChainBatch`: how many ended how, as bars."""
    return parts.frame(parts.batch(batch))


def chain_track_html(track: Any) -> str:
    """A `ChainTrack`: what became of the frames, where bones jump, and the last pose."""
    is_good = bool(track) and track.continuous
    title = "Followed to the end" if is_good else "Followed with gaps"
    numbers = (
        ("frames met", f"{int(track.success.sum())} of {len(track)}"),
        ("largest turn of a bone in a frame", f"{track.turned[1:].max(initial=0.0):.3g} rad"),
        ("allowed", f"{track.max_turn:.3g} rad"),
    )
    jumps = [(str(jump.frame), escape(jump.bone), f"{jump.turn:.3g} rad") for jump in track.jumps]
    table = parts.folded(counted(len(jumps), "jump"), ("jump at frame", "bone", "turn"), jumps) if jumps else ""
    colour = GOOD if is_good else BAD
    last = parts.pose(track.points[-1], track.bones.parent, colour) if len(track) else ""
    head = parts.title(title, colour) + parts.sentence(track.reason)
    return parts.frame(head + parts.table((), numbers) + table + last)


# -- bones ----------------------------------------------------------------------------------------


def chain_solution_html(s: Any) -> str:
    """A `ChainSolution`: the verdict, the numbers, and the pose seen from the side and from above."""
    more = () if s.clearance is None else (("clearance", f"{s.clearance:.4g} m"),)
    return parts.frame(_summary(s, *more) + parts.pose(s.points, s.bones.parent, GOOD if s.success else BAD))


def chain_html(chain: Any) -> str:
    """A `Chain` or `Skeleton`: what it is, and its pose."""
    return parts.frame(parts.title(repr(chain), BLUE) + parts.pose(chain.points, chain.bones.parent, BLUE))


# -- parts ----------------------------------------------------------------------------------------


def _summary(s: Any, *more: tuple[str, str]) -> str:
    """The verdict on a solve, and its numbers."""
    numbers = (
        ("position error", f"{s.position_error:.4g} m"),
        ("rotation error", f"{s.rotation_error:.4g} rad"),
        ("method", escape(s.method)),
        ("iterations, starts", f"{s.iterations}, {s.tries}"),
    )
    title = parts.title(VERDICTS[str(s.status)], GOOD if s.success else BAD)
    return title + parts.sentence(s.reason) + parts.table((), numbers + more)


def _arms(model: Any, Q: Floats, colour: str) -> str:
    """An arm at (k, n) joint values, from two sides, all in one picture."""
    count = model.m + 1
    frames = np.empty((len(Q), count, 4, 4))
    for q, placed in zip(Q, frames, strict=True):
        fk_frames(model.links, model.joints, q, placed)
    points = np.vstack([np.zeros(3), frames[:, :, :3, 3].reshape(-1, 3)])
    before = np.arange(len(Q) * count) - 1
    before[::count] = -1  # each begins at the base
    return parts.pose(points, before, colour)
