"""Which links of a robot come too near to each other along a motion, how near, and which way apart is.

A quick look, for hundreds of frames at once: points are spread over the surfaces of all links, and the nearest points
of two links tell how near they are. Balls round whole links, then capsules round slabs of them, sort out nearly all
pairs and frames before. Links that share a joint or two, or that touch where the robot stands at rest though they
belong together, are not looked at.
"""

import functools
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from forearm.arm.bodies import shape_mesh
from forearm.arm.surfaces import all_over, box_triangles, cylinder_triangles, ellipsoid_triangles, thinned
from forearm.common.types import Floats
from forearm.errors import ForearmError
from forearm.models.mechanism import LinkShape
from forearm.trees.body import Body

STEP = 0.025  # [m] between points on a surface
COVER = 0.5 * STEP  # [m] how far the nearest points of two surfaces that touch are apart, about
SLABS = 3  # capsules that a link is cut into along its longest direction
NEAR = 0.02  # [m] farther than this is not measured
JOINTS_APART = 3  # links that fewer joints lie between are made to touch
ANOTHER_LIMB = 8  # links that more joints lie between touch at rest by their pose, not by their make
PIECE = 500_000  # distances that are held at once


@dataclass(frozen=True, eq=False)
class Shaped:
    """A link with shapes, in the frame of the joint that carries it."""

    name: str
    row: int  # of the body; -1 the base
    points: Floats  # (p, 3)
    capsules: Floats  # (c, 7) both ends, radius
    centre: Floats  # (3,) of the ball that holds it
    radius: float


@dataclass(frozen=True, eq=False)
class Near:
    """Two links near each other, over frames: those in which they are not have an infinite gap."""

    links: tuple[str, str]
    rows: tuple[int, int]
    gap: Floats  # (F,) [m], negative where they touch
    depth: Floats  # (F,) how far their capsules are in each other [m], 0 where they do not touch
    way: Floats  # (F, 3) unit vectors from the second to the first


@functools.lru_cache(maxsize=1024)  # by the shape itself: a motion after another is carried over to one robot
def surface_of(shape: LinkShape) -> Floats:
    """(p, 3) points over a shape, in its link; none if it cannot be read."""
    makers = {
        "box": box_triangles,
        "ellipsoid": ellipsoid_triangles,
        "sphere": lambda size: ellipsoid_triangles((size[0],) * 3),
        "cylinder": lambda size: cylinder_triangles(*size),
        "capsule": lambda size: cylinder_triangles(size[0], size[1] + 2.0 * size[0]),
    }
    try:
        if shape.kind in makers:
            points = all_over(np.ascontiguousarray(makers[shape.kind](shape.size)), STEP)[0]
        elif shape.kind in ("mesh", "hull"):
            corners, faces = shape_mesh(shape)
            points = all_over(np.ascontiguousarray(corners[faces]), STEP)[0] if len(faces) else corners
        else:
            return np.zeros((0, 3))
    except ForearmError:
        return np.zeros((0, 3))
    points = points[thinned(points, STEP)]
    return np.asarray(points @ shape.pose[:3, :3].T + shape.pose[:3, 3])


def shaped_links(body: Body) -> list[Shaped]:
    """The links of a robot that have shapes."""
    found = []
    for link in body.mechanism.links:
        if link.name not in body.places:
            continue
        points = np.concatenate([np.zeros((0, 3)), *(surface_of(shape) for shape in link.shapes)])
        if not len(points):
            continue
        row, T = body.places[link.name]
        points = points @ T[:3, :3].T + T[:3, 3]
        centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
        radius = float(np.linalg.norm(points - centre, axis=1).max()) + COVER
        found.append(Shaped(link.name, row, points, slabs_of(points), centre, radius))
    return found


def slabs_of(points: Floats) -> Floats:
    """(c, 7) capsules that hold points, cut into slabs along their longest direction."""
    along = points @ np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[2][0]
    edges = np.quantile(along, np.linspace(0.0, 1.0, SLABS + 1)[1:-1]) if len(points) > 4 * SLABS else np.zeros(0)
    slab = np.searchsorted(edges, along)
    return np.array([capsule_of(points[slab == k]) for k in np.unique(slab)])


def capsule_of(points: Floats) -> Floats:
    """(7,) a capsule that holds points."""
    centre = points.mean(axis=0)
    axis = np.linalg.svd(points - centre, full_matrices=False)[2][0] if len(points) > 1 else np.array([1.0, 0.0, 0.0])
    along = (points - centre) @ axis
    off = np.linalg.norm(points - centre - along[:, None] * axis, axis=1)
    radius = float(off.max())
    cap = np.sqrt(np.maximum(radius**2 - off**2, 0.0))  # what a cap of this radius reaches beyond its end there
    low, high = float((along + cap).min()), float((along - cap).max())
    if low > high:
        low = high = 0.5 * (low + high)
    return np.array([*(centre + low * axis), *(centre + high * axis), radius + COVER])


def frames_of(body: Body, Q: Floats, bases: Floats) -> Floats:
    """(rows + 1, F, 4, 4) the moved frame of every row in every frame, behind that of the base."""
    frames = np.zeros((len(body.rows) + 1, len(Q), 4, 4))
    frames[0] = bases
    for i, row in enumerate(body.rows):
        value = row.segment.ratio * Q[:, row.variable]
        motion = np.tile(np.eye(4), (len(Q), 1, 1))
        if row.segment.kind == "prismatic":
            motion[:, 2, 3] = value
        else:
            c, s = np.cos(value), np.sin(value)
            motion[:, 0, 0], motion[:, 0, 1], motion[:, 1, 0], motion[:, 1, 1] = c, -s, s, c
        frames[i + 1] = frames[row.parent + 1] @ (row.front @ motion)
    return frames


@functools.lru_cache(maxsize=8)  # by the robot itself, and where it stands
def watch_of(body: Body, q0: bytes) -> "Watch":
    """What to look at of a robot that stands at joint values."""
    return Watch(body, np.frombuffer(q0))


class Watch:
    """The links of a robot that may not touch each other, ready to be looked at along motions."""

    def __init__(self, body: Body, q0: Floats) -> None:
        self.body, self.links = body, shaped_links(body)
        paths = [set(body.path(link.row)) for link in self.links]
        order = range(len(self.links))
        apart = [(a, b) for a, b in combinations(order, 2) if len(paths[a] ^ paths[b]) >= JOINTS_APART]
        self.pairs = [pair if len(paths[pair[0]]) >= len(paths[pair[1]]) else pair[::-1] for pair in apart]
        at_rest = {near.links for near in self.look(q0[None], np.eye(4)[None]) if near.gap[0] <= 0.0}
        self.pairs = [
            (a, b)
            for a, b in self.pairs
            if (self.links[a].name, self.links[b].name) not in at_rest or len(paths[a] ^ paths[b]) >= ANOTHER_LIMB
        ]

    def look(self, Q: Floats, bases: Floats) -> list[Near]:
        """The pairs that come near each other at (F, n) joint values and (F, 4, 4) bases."""
        if not self.pairs:
            return []
        frames = frames_of(self.body, Q, bases)
        centres = np.stack([frames[link.row + 1, :, :3, :3] @ link.centre for link in self.links])
        centres += np.stack([frames[link.row + 1, :, :3, 3] for link in self.links])
        radii = np.array([link.radius for link in self.links])
        first, second = np.array(self.pairs).T
        away = np.linalg.norm(centres[first] - centres[second], axis=2) - (radii[first] + radii[second])[:, None]
        found = []
        for k in np.flatnonzero((away < NEAR).any(axis=1)).tolist():
            a, b = (self.links[i] for i in self.pairs[k])
            Ta, Tb = frames[a.row + 1], frames[b.row + 1]
            when = np.flatnonzero(away[k] < NEAR)
            gaps = capsule_gaps(a, b, Ta[when], Tb[when])
            when, gaps = when[gaps < NEAR], gaps[gaps < NEAR]
            if len(when):
                near = between(a, b, Ta, Tb, when)
                near.depth[when] = np.where(near.gap[when] < 0.0, np.maximum(-gaps, 0.0), 0.0)
                found.append(near)
        return [near for near in found if np.isfinite(near.gap).any()]


def capsule_gaps(a: Shaped, b: Shaped, Ta: Floats, Tb: Floats) -> Floats:
    """(F,) how far the capsules of two links are apart at least [m]; from the middle of one along it, by clamping."""
    one, other = (
        (link.capsules[:, :6].reshape(-1, 3) @ np.swapaxes(T[:, :3, :3], 1, 2) + T[:, None, :3, 3]).reshape(
            len(T), -1, 2, 3
        )
        for link, T in ((a, Ta), (b, Tb))
    )
    p, d = one[:, :, None, 0], (one[:, :, 1] - one[:, :, 0])[:, :, None]  # (f, ca, 1, 3)
    q, e = other[:, None, :, 0], (other[:, :, 1] - other[:, :, 0])[:, None]  # (f, 1, cb, 3)
    r = p - q
    dd, ee, de = (d * d).sum(-1), (e * e).sum(-1), (d * e).sum(-1)
    dr, er = (d * r).sum(-1), (e * r).sum(-1)
    cross = dd * ee - de * de
    s = np.clip((de * er - ee * dr) / np.maximum(cross, 1e-12), 0.0, 1.0)
    t = np.clip((de * s + er) / np.maximum(ee, 1e-12), 0.0, 1.0)
    s = np.clip((de * t - dr) / np.maximum(dd, 1e-12), 0.0, 1.0)
    off = np.linalg.norm(r + s[..., None] * d - t[..., None] * e, axis=-1)
    off -= a.capsules[:, 6][None, :, None] + b.capsules[:, 6][None, None]
    return np.asarray(off.reshape(len(off), -1).min(axis=1))


def between(a: Shaped, b: Shaped, Ta: Floats, Tb: Floats, when: NDArray[np.int64]) -> Near:
    """How near the points of one link are to those of another, in some frames."""
    near = Near((a.name, b.name), (a.row, b.row), np.full(len(Ta), np.inf), np.zeros(len(Ta)), np.zeros((len(Ta), 3)))
    R, p = Tb[when, :3, :3], Tb[when, :3, 3]
    seen = (a.points @ np.swapaxes(Ta[when, :3, :3], 1, 2) + (Ta[when, :3, 3] - p)[:, None]) @ R
    low, high = b.points.min(axis=0) - NEAR, b.points.max(axis=0) + NEAR
    frame, point = np.nonzero(((seen > low) & (seen < high)).all(axis=2))  # what is not in its box is not near
    if not len(frame):
        return near
    seen, squares = seen[frame, point], (b.points**2).sum(axis=1)
    far, nearest = np.empty(len(frame)), np.empty(len(frame), np.int64)
    for k in range(0, len(frame), 1 + PIECE // len(b.points)):
        part = slice(k, k + 1 + PIECE // len(b.points))
        D = squares - 2.0 * (seen[part] @ b.points.T)  # less the square of the seen point
        nearest[part] = D.argmin(axis=1)
        far[part] = D[np.arange(len(D)), nearest[part]] + (seen[part] ** 2).sum(axis=1)
    order = np.lexsort((far, frame))
    first = order[np.unique(frame[order], return_index=True)[1]]  # the nearest point of each frame
    v = seen[first] - b.points[nearest[first]]
    size = np.linalg.norm(v, axis=1)
    v = np.where(size[:, None] > COVER, v, seen[first] - b.centre)  # where surfaces cross, away from the middle
    rows = when[frame[first]]
    near.gap[rows] = np.where(size - COVER > NEAR, np.inf, size - COVER)
    near.way[rows] = (Tb[rows, :3, :3] @ (v / np.linalg.norm(v, axis=1, keepdims=True))[..., None])[..., 0]
    return near
