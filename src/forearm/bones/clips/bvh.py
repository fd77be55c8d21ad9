"""BVH: the hierarchy of joints with their channels, then a row of numbers a frame.

A joint's rotation is the product of its channels in the order in which they are listed; a position channel
replaces the offset along its axis. Degrees.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from forearm.bones.clips.parts import Joints, Motion, check_size
from forearm.bones.clips.turns import from_angles, to_angles
from forearm.common.checks import brief
from forearm.common.files import read_file
from forearm.common.types import Floats
from forearm.errors import ModelError

if TYPE_CHECKING:
    from forearm.bones.clips.clip import Clip

MOST_BYTES = 512 * 1024 * 1024
MOST_JOINTS, MOST_NUMBERS = 10_000, 40_000_000
AXES = "XYZ"
CHANNEL = re.compile(r"^([XYZ])(position|rotation)$")
PLACES = tuple(f"{axis}position" for axis in AXES)
TURNS = ("Zrotation", "Xrotation", "Yrotation")  # what most programs write
END = " end"  # behind a joint's name: its end site, which has no name in the file


@dataclass
class Row:
    """A joint as it is read."""

    name: str
    parent: int
    offset: list[float] = field(default_factory=list)
    channels: tuple[str, ...] = ()


# -- reading ---------------------------------------------------------------------------------------


def read(path: Path) -> tuple[Joints, Motion, Floats, Any]:
    """Joints, motion, times, and the channels of each joint of a BVH file."""
    where = path.name
    try:
        text = read_file(path, "BVH", MOST_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ModelError(f"{where} is not a BVH file: it is not text") from None
    head, motion, rest = text.partition("MOTION")
    if not motion:
        raise ModelError(f"{where} is not a BVH file, or ends early: it has no line MOTION")
    rows = read_hierarchy(iter(head.split()), where)
    names = tuple(unique(row.name for row in rows))
    count = len(rows)
    offsets = np.array([row.offset for row in rows])
    rest_turns = np.broadcast_to(np.eye(3), (count, 3, 3)).copy()
    parent = np.array([row.parent for row in rows], dtype=np.int64)
    joints = Joints(names, parent, offsets, rest_turns, np.ones((count, 3)))
    numbers, frame_time = read_motion(rest, sum(len(row.channels) for row in rows), where)
    channels = [row.channels for row in rows]
    check_finite(numbers, names, channels, where)
    check_size(count, len(numbers), where)
    times = frame_time * np.arange(len(numbers), dtype=np.float64)
    return joints, make_motion(joints, channels, numbers), times, channels


def read_hierarchy(words: Iterator[str], where: str) -> list[Row]:
    """The joints in the order of the file."""
    rows: list[Row] = []
    open_ones: list[int] = []

    def take() -> str:
        try:
            return next(words)
        except StopIteration:
            raise ModelError(f"{where} ends inside its hierarchy") from None

    def begin(name: str) -> None:
        if len(rows) == MOST_JOINTS:
            raise ModelError(f"{where} has more than {MOST_JOINTS:,} joints")
        if take() != "{":
            raise ModelError(f"{where}: there is no {{ after the name of joint '{name}'")
        rows.append(Row(name, open_ones[-1] if open_ones else -1))
        open_ones.append(len(rows) - 1)

    if take() != "HIERARCHY":
        raise ModelError(f"{where} is not a BVH file: it does not begin with HIERARCHY")
    for word in words:
        if word == ("JOINT" if open_ones else "ROOT"):
            begin(take())
        elif word == "End" and open_ones:
            if take() != "Site":
                raise ModelError(f"{where}: 'End' is followed by no 'Site'")
            begin(rows[open_ones[-1]].name + END)
        elif word == "OFFSET" and open_ones:
            rows[open_ones[-1]].offset = [number(take(), where, "an OFFSET") for _ in range(3)]
        elif word == "CHANNELS" and open_ones:
            rows[open_ones[-1]].channels = read_channels(take, where)
        elif word == "}" and open_ones:
            last = rows[open_ones.pop()]
            last.offset = last.offset or [0.0, 0.0, 0.0]
        else:
            raise ModelError(f"{where} has {brief(word)} where a joint, OFFSET, CHANNELS or }} should be")
    if open_ones or not rows:
        raise ModelError(
            f"{where} has no joint" if not rows else f"{where}: joint '{rows[open_ones[-1]].name}' lacks }}"
        )
    return rows


def read_channels(take: Any, where: str) -> tuple[str, ...]:
    """The channels of a joint."""
    count = number(take(), where, "the count of CHANNELS")
    if count not in range(7):
        raise ModelError(f"{where} has CHANNELS {count:g}; a joint takes 0 to 6")
    channels = tuple(take() for _ in range(int(count)))
    for channel in channels:
        if not CHANNEL.match(channel):
            raise ModelError(f"{where} has the channel {brief(channel)}; they are Xposition ... Zrotation")
    return channels


def number(word: str, where: str, what: str) -> float:
    """A finite number of the hierarchy."""
    try:
        value = float(word)
    except ValueError:
        value = float("nan")
    if not abs(value) < float("inf"):
        raise ModelError(f"{where} has {brief(word)} in {what}; it takes a finite number")
    return value


def unique(names: Iterator[str]) -> Iterator[str]:
    """Names of which none stands twice: the second of one name gets a number."""
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        fresh = name if seen[name] == 1 else f"{name} {seen[name]}"
        while fresh != name and fresh in seen:
            seen[name] += 1
            fresh = f"{name} {seen[name]}"
        seen.setdefault(fresh, 1)
        yield fresh


def read_motion(text: str, columns: int, where: str) -> tuple[Floats, float]:
    """(F, columns) the numbers of every frame, and the time between two [s]."""
    head = re.match(r"\s*Frames:\s*(\S+)\s+Frame\s+Time:\s*(\S+)", text)
    if head is None:
        raise ModelError(f"{where}: after MOTION there must be 'Frames: <count>' and 'Frame Time: <seconds>'")
    count, time = number(head[1], where, "Frames"), number(head[2], where, "Frame Time")
    if not (count >= 1 and count == int(count)) or not time >= 0.0:
        raise ModelError(f"{where} has {head[1]} frames of {head[2]} s; it takes a whole number from 1, and a time")
    if count * max(columns, 1) > MOST_NUMBERS:
        raise ModelError(f"{where} has {int(count):,} frames of {columns} numbers; at most {MOST_NUMBERS:,} are read")
    words = text[head.end() :].split(None, int(count) * columns)
    if len(words) != int(count) * columns:
        held = "more" if len(words) > count * columns else f"{len(words):,}, enough for {len(words) // columns:,}"
        remedy = "correct the line 'Frames:', or add what is missing"
        raise ModelError(f"{where} names {int(count):,} frames of {columns} numbers and has {held}; {remedy}")
    try:
        return np.array(words, dtype=np.float64).reshape(int(count), columns), time
    except ValueError as problem:
        raise ModelError(f"{where} has a motion that is not numbers: {brief(str(problem))}") from None


def check_finite(numbers: Floats, names: tuple[str, ...], channels: list[tuple[str, ...]], where: str) -> None:
    """Refuses numbers that are none, with their frame, joint and channel."""
    bad = np.argwhere(~np.isfinite(numbers))
    if len(bad):
        frame, column = (int(i) for i in bad[0])
        owner = [(name, channel) for name, each in zip(names, channels, strict=True) for channel in each][column]
        raise ModelError(f"{where} has {numbers[frame, column]} in frame {frame}, {owner[1]} of joint '{owner[0]}'")


def make_motion(joints: Joints, channels: list[tuple[str, ...]], numbers: Floats) -> Motion:
    """What the numbers say."""
    frames, count = len(numbers), len(joints.names)
    places = np.broadcast_to(joints.offsets, (frames, count, 3)).copy()
    turns = np.broadcast_to(np.eye(3), (frames, count, 3, 3)).copy()
    column = 0
    for i, each in enumerate(channels):
        own = numbers[:, column : column + len(each)]
        column += len(each)
        for k, channel in enumerate(each):
            if channel.endswith("position"):
                places[:, i, AXES.index(channel[0])] = own[:, k]
        rotating = [k for k, channel in enumerate(each) if channel.endswith("rotation")]
        if rotating:
            axes = [AXES.index(each[k][0]) for k in rotating]
            turns[:, i] = from_angles(axes, np.radians(own[:, rotating]))
    return Motion(places, turns, np.ones_like(places))


# -- writing ---------------------------------------------------------------------------------------


def text(clip: Clip) -> str:
    """The clip as BVH: evenly spaced, without scales."""
    channels = channels_of(clip)
    lines = ["HIERARCHY", *hierarchy_lines(clip, channels), "MOTION", f"Frames: {len(clip)}"]
    lines.append(f"Frame Time: {clip.frame_time or 1.0 / 30.0:.9g}")
    numbers = motion_numbers(clip, channels)
    lines += [" ".join(f"{value:.10g}" for value in row) for row in numbers.tolist()]
    return "\n".join(lines) + "\n"


def channels_of(clip: Clip) -> list[tuple[str, ...]]:
    """The channels of each joint: its file's where they can say the motion, else as many as it takes."""
    given = clip.source if isinstance(clip.source, list) and len(clip.source) == len(clip.names) else None
    places, turns, offsets = clip.motion.places, clip.motion.turns, clip.joints.offsets
    found = []
    for i, name in enumerate(clip.names):
        if given is not None and says(given[i], clip, i):
            found.append(given[i])
            continue
        moves = clip.parent[i] < 0 or bool(np.abs(places[:, i] - offsets[i]).max() > 0.0)
        still = bool(np.abs(turns[:, i] - np.eye(3)).max() == 0.0)
        is_end = name.endswith(END) and i not in set(clip.parent.tolist())
        found.append((PLACES if moves else ()) + (() if is_end and still else TURNS))
    return found


def says(channels: tuple[str, ...], clip: Clip, i: int) -> bool:
    """Whether channels can say the motion of a joint."""
    axes = [channel for channel in channels if channel.endswith("rotation")]
    held = [AXES.index(axis) for axis in AXES if f"{axis}position" not in channels]
    if (clip.motion.places[:, i, held] != clip.joints.offsets[i, held]).any():
        return False
    return len(set(axes)) == 3 == len(axes) or (not axes and not (clip.motion.turns[:, i] != np.eye(3)).any())


def hierarchy_lines(clip: Clip, channels: list[tuple[str, ...]]) -> Iterator[str]:
    """The hierarchy, depth first."""
    children: list[list[int]] = [[] for _ in clip.names]
    for i, p in enumerate(clip.parent.tolist()):
        if p >= 0:
            children[p].append(i)
    todo: list[tuple[int, int, bool]] = [(i, 0, True) for i in np.flatnonzero(clip.parent < 0)[::-1].tolist()]
    while todo:
        i, depth, opens = todo.pop()
        pad = "\t" * depth
        if not opens:
            yield f"{pad}}}"
            continue
        is_end = not channels[i] and not children[i] and depth > 0
        word = "ROOT " if depth == 0 else "JOINT "
        yield f"{pad}End Site" if is_end else f"{pad}{word}{'_'.join(clip.names[i].split())}"
        yield f"{pad}{{"
        yield f"{pad}\tOFFSET " + " ".join(f"{value:.10g}" for value in clip.joints.offsets[i])
        if not is_end:
            yield " ".join([f"{pad}\tCHANNELS {len(channels[i])}", *channels[i]])
        todo.append((i, depth, False))
        todo += [(child, depth + 1, True) for child in reversed(children[i])]


def motion_numbers(clip: Clip, channels: list[tuple[str, ...]]) -> Floats:
    """(F, columns) what every channel says, in the order of the hierarchy."""
    columns = []
    for i in depth_first(clip):
        each = channels[i]
        axes = [AXES.index(channel[0]) for channel in each if channel.endswith("rotation")]
        angles = iter(np.degrees(to_angles(axes, clip.motion.turns[:, i])).T) if axes else iter(())
        for channel in each:
            place = AXES.index(channel[0])
            columns.append(next(angles) if channel.endswith("rotation") else clip.motion.places[:, i, place])
    return np.column_stack(columns) if columns else np.empty((len(clip), 0))


def depth_first(clip: Clip) -> list[int]:
    """The joints in the order in which a hierarchy writes them."""
    children: dict[int, list[int]] = {}
    for i, p in enumerate(clip.parent.tolist()):
        children.setdefault(p, []).append(i)
    order, todo = [], children[-1][::-1]
    while todo:
        i = todo.pop()
        order.append(i)
        todo += children.get(i, [])[::-1]
    return order
