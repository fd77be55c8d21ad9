"""Key points of hands from CSV files, as trackers give them: 21 points a frame, x, y, z each.

In the usual order: the wrist, then thumb, index, middle, ring and little finger from the palm to the tip, four each. A
row is a frame of 63 numbers, or of 64 with its time [s] in front; one line of names may come first.
"""

import csv
from pathlib import Path

import numpy as np

from forearm.bones.clips.parts import Joints, Motion, check_size
from forearm.common.files import read_file
from forearm.common.types import Floats
from forearm.errors import ModelError

# from the palm to the tip
FINGER_JOINTS = {
    finger: tuple(f"{finger.capitalize()}{part}" for part in ("Knuckle", "Middle", "Last", "Tip"))
    for finger in ("thumb", "index", "middle", "ring", "little")
}
NAMES = ("Wrist", *(name for joints in FINGER_JOINTS.values() for name in joints))
RATE = 30.0  # frames a second where the file has no times


def read(path: Path) -> tuple[Joints, Motion, Floats, None]:
    """Joints, motion and times of a CSV of key points: joints that are shifted and never turned."""
    where, width = path.name, 3 * len(NAMES)
    text = read_file(path, "key points").decode("utf-8-sig", errors="replace")
    rows = [row for row in csv.reader(text.splitlines()) if row]
    try:
        float(rows[0][0])
    except (IndexError, ValueError):
        rows = rows[1:]  # names
    if not rows:
        raise ModelError(f"{where} has no frame; it takes rows of {width} numbers, 21 points as x, y, z")
    for i, row in enumerate(rows):
        if len(row) not in (width, width + 1) or len(row) != len(rows[0]):
            raise ModelError(
                f"{where} has {len(row)} columns in frame {i}; it takes {width}, or {width + 1} with a time"
            )
    try:
        numbers = np.array(rows, dtype=np.float64)
    except ValueError as problem:
        raise ModelError(f"{where} has a frame that is not numbers: {problem}") from None
    if not np.isfinite(numbers).all():
        frame, column = np.argwhere(~np.isfinite(numbers))[0].tolist()
        raise ModelError(f"{where} has {numbers[frame, column]} in frame {frame}, column {column}")
    times = numbers[:, 0] if numbers.shape[1] > width else np.arange(len(numbers)) / RATE
    if (np.diff(times) <= 0.0).any():
        raise ModelError(f"{where} has times that do not ascend")
    check_size(len(NAMES), len(numbers), where)
    return *of_points(numbers[:, -width:].reshape(-1, len(NAMES), 3)), times, None


def of_points(points: Floats) -> tuple[Joints, Motion]:
    """Joints that stand where (F, 21, 3) points are; the first frame is their rest pose."""
    count = len(NAMES)
    parent = np.array([-1, *(0 if k % 4 == 0 else k for k in range(count - 1))])
    places = points.copy()
    places[:, 1:] -= points[:, parent[1:]]
    turns = np.tile(np.eye(3), (len(points), count, 1, 1))
    ones = np.ones_like(places)
    return Joints(NAMES, parent, places[0], turns[0], ones[0]), Motion(places, turns, ones)
