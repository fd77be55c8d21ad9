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

from forearm.arm.bodies import shape_mesh
from forearm.arm.surfaces import all_over, box_triangles, cylinder_triangles, ellipsoid_triangles, thinned
from forearm.common.types import Floats
from forearm.core.motions.near import BALL, DEPTH, FOUND, GAP, LINKS, MIDDLE, WAY, look_at_motion, place_rows
from forearm.core.motions.near import SLABS as COLUMNS
from forearm.errors import ForearmError
from forearm.models.mechanism import LinkShape
from forearm.trees.body import Body

STEP = 0.025  # [m] between points on a surface
COVER = 0.5 * STEP  # [m] how far the nearest points of two surfaces that touch are apart, about
SLABS = 3  # capsules that a link is cut into along its longest direction
NEAR = 0.02  # [m] farther than this is not measured
JOINTS_APART = 3  # links that fewer joints lie between are made to touch
ANOTHER_LIMB = 8  # links that more joints lie between touch at rest by their pose, not by their make


@dataclass(frozen=True, eq=False)
class Shaped:
    """A link with shapes, in the frame of the joint that carries it."""

    name: str
    row: int  # of the body; -1 the base
    slabs: list[Floats]  # (p, 3) points of each
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
        found.append(Shaped(link.name, row, slabs_of(points), centre, radius))
    return found


def slabs_of(points: Floats) -> list[Floats]:
    """Points cut into slabs along their longest direction."""
    along = points @ np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[2][0]
    edges = np.quantile(along, np.linspace(0.0, 1.0, SLABS + 1)[1:-1]) if len(points) > 4 * SLABS else np.zeros(0)
    slab = np.searchsorted(edges, along)
    return [points[slab == k] for k in np.unique(slab)]


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
    frames = np.empty((len(body.rows) + 1, len(Q), 4, 4))
    parents = np.array([row.parent for row in body.rows], np.int64)
    fronts = np.ascontiguousarray([row.front for row in body.rows], np.float64).reshape(-1, 4, 4)
    slides = np.array([row.segment.kind == "prismatic" for row in body.rows], np.bool_)
    ratios = np.array([row.segment.ratio for row in body.rows])
    values = np.ascontiguousarray(ratios * Q[:, [row.variable for row in body.rows]])
    place_rows(parents, fronts, slides, values, np.ascontiguousarray(bases, np.float64), frames)
    return frames


@functools.lru_cache(maxsize=8)  # by the robot itself, and where it stands
def watch_of(body: Body, q0: bytes) -> "Watch":
    """What to look at of a robot that stands at joint values."""
    return Watch(body, np.frombuffer(q0))


class Watch:
    """The links of a robot that may not touch each other, ready to be looked at along motions."""

    def __init__(self, body: Body, q0: Floats) -> None:
        self.body, self.links = body, shaped_links(body)
        self.packed = pack(self.links)
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
        found = np.empty((len(self.pairs), len(Q), FOUND))
        frames = frames_of(self.body, Q, bases)
        links, slabs, points = self.packed
        scratch = np.empty((len(links), 3)), np.empty((len(slabs), 6))
        pairs = np.array(self.pairs, np.int64)
        look_at_motion(links, slabs, points, pairs, frames, NEAR, COVER, *scratch, found)
        nears = []
        for k in np.flatnonzero(np.isfinite(found[:, :, GAP]).any(axis=1)).tolist():
            a, b = (self.links[i] for i in self.pairs[k])
            parts = (found[k, :, GAP], found[k, :, DEPTH], found[k, :, WAY : WAY + 3])
            nears.append(Near((a.name, b.name), (a.row, b.row), *parts))
        return nears


def pack(links: list[Shaped]) -> tuple[Floats, Floats, Floats]:
    """Links, slabs and points as `core/motions/near.py` lays them out."""
    rows, count = np.zeros((len(links), LINKS)), 0
    slabs: list[Floats] = []
    points: list[Floats] = []
    for row, link in zip(rows, links, strict=True):
        row[:MIDDLE] = link.row + 1, len(slabs), len(slabs) + len(link.slabs)
        row[MIDDLE:BALL], row[BALL] = link.centre, link.radius
        for part in link.slabs:
            corners = (part.min(axis=0), part.max(axis=0))
            slabs.append(np.concatenate([[count, count + len(part)], capsule_of(part), *corners]))
            points.append(part[np.argsort(part[:, int(np.argmax(corners[1] - corners[0]))], kind="stable")])
            count += len(part)
    return rows, np.array(slabs).reshape(-1, COLUMNS), np.concatenate([np.zeros((0, 3)), *points])
