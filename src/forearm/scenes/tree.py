"""Many obstacles as a tree of balls, so that what is far away is passed over together.

The rows of a scene are split at the median of their widest axis, over and over, until a few are left in each piece; a
node with a ball round all of its rows stands in front of them (`core/collision/obstacle_rows.py`).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from forearm.common.types import Floats
from forearm.core.collision.obstacle_rows import BOUND, CAPSULE, EXTENT, FIRST, HULL, KIND, NODE, OBSTACLE_COLUMNS, SPAN
from forearm.core.maths.balls import split_balls

Ints = NDArray[np.int64]

FEW = 128  # rows that are as quick to look at one by one, all told
LEAF = 6  # obstacles that a node holds at least without others between
LARGER = 1.0 + 1e-12  # balls of nodes, so that their rounding hides nothing


class Laid(NamedTuple):
    """The rows of a scene as arms take them, and the obstacle that each belongs to."""

    rows: Floats
    owners: Ints


def lay_out(rows: Floats, owners: Ints) -> Laid:
    """The rows of a scene in front of which nodes stand if there are many."""
    heads, extents = _heads(rows)
    inside = np.isfinite(rows[heads, BOUND])
    if np.count_nonzero(inside) <= FEW:
        return Laid(rows, owners)
    among, own = heads[inside], extents[inside]
    middles = rows[among, FIRST : FIRST + 3].copy()
    middles += np.where(rows[among, KIND] == CAPSULE, 0.5, 0.0)[:, None] * rows[among, SPAN : SPAN + 3]
    order, balls = _split(middles, rows[among, BOUND])
    sizes, starts, places = _places(np.append(own, 0)[np.minimum(order, len(among))], len(balls) - 1)
    beyond = heads[~inside]  # these have no ball, and stand behind the tree
    laid = np.zeros((int(sizes[0][0]) + len(beyond), OBSTACLE_COLUMNS))
    names = np.zeros(len(laid), np.int64)
    for ball, size, start in zip(balls, sizes, starts, strict=True):
        laid[start, KIND], laid[start, EXTENT] = NODE, size
        laid[start, FIRST : FIRST + 3], laid[start, BOUND] = ball[:, :3], LARGER * ball[:, 3]
    real = order < len(among)
    taken, source = order[real], _runs(among[order[real]], own[order[real]])
    target = _runs(places[real], own[taken])
    laid[target], names[target] = rows[source], owners[source]
    if len(beyond):
        laid[-len(beyond) :], names[-len(beyond) :] = rows[beyond], owners[beyond]
    return Laid(laid, names)


def _heads(rows: Floats) -> tuple[Ints, Ints]:
    """The rows that are obstacles, and how many rows each takes."""
    if not (rows[:, KIND] >= HULL).any():
        return np.arange(len(rows)), np.ones(len(rows), np.int64)
    heads, k = [], 0
    extents = np.where(rows[:, KIND] >= HULL, rows[:, EXTENT], 1.0).astype(np.int64).tolist()
    while k < len(rows):
        heads.append(k)
        k += extents[k]
    return np.array(heads), np.array([extents[k] for k in heads])


def _split(middles: Floats, radii: Floats) -> tuple[Ints, list[Floats]]:
    """The order of a tree's leaves, all of one length, and by depth the balls (nodes, 4) round all that a node holds.

    Numbers beyond the last fill the leaves up.
    """
    count = len(middles)
    depth = max(0, math.ceil(math.log2(count / LEAF)))
    held = np.minimum(np.arange(-(-count // 2**depth) * 2**depth), count - 1)
    order, nodes = np.empty(len(held), np.int64), np.empty((2 ** (depth + 1) - 1, 4))
    split_balls(middles[held], radii[held], order, nodes)
    return order, [nodes[2**level - 1 : 2 ** (level + 1) - 1] for level in range(depth + 1)]


def _places(extents: Ints, depth: int) -> tuple[list[Ints], list[Ints], Ints]:
    """By depth, how many rows each node takes and where it stands; and where each obstacle stands."""
    leaves = extents.reshape(2**depth, -1)
    sizes = [1 + leaves.sum(axis=1)]
    for _ in range(depth):
        sizes.insert(0, 1 + sizes[0].reshape(-1, 2).sum(axis=1))
    starts = [np.zeros(1, np.int64)]
    for size in sizes[1:]:
        first = starts[-1] + 1
        starts.append(np.column_stack([first, first + size[::2]]).ravel())
    within = np.cumsum(leaves, axis=1) - leaves
    return sizes, starts, (starts[-1][:, None] + 1 + within).ravel()


def _runs(first: Ints, lengths: Ints) -> Ints:
    """The whole numbers of every run, one run behind the other."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(first - before, lengths) + np.arange(int(lengths.sum()))
