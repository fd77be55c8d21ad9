"""The capsules of an arm in the frames of its joints: of its file's shapes, of its user's, or along its skeleton.

A skeleton's capsules run from each joint to the next, along the links of a DH table with their corners. It stands in
where a file has no shapes, and for a single link whose shape cannot be read; both are said once.
"""

import functools
import math
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from forearm.arm.capsules import MOST, Fit, fit_capsules
from forearm.arm.driving import arm_size
from forearm.arm.surfaces import (
    ROUNDER,
    box_triangles,
    cylinder_triangles,
    ellipsoid_triangles,
    from_triangles,
    spread_ways,
)
from forearm.common.checks import LARGEST
from forearm.common.folders import folders_of
from forearm.common.later import Later
from forearm.common.transforms import inverse
from forearm.common.types import Floats
from forearm.core.codes import KIND, PRISMATIC
from forearm.errors import ForearmError, Message, ModelError, OptionError
from forearm.models.mechanism import LinkShape
from forearm.models.model import Model
from forearm.scenes.scene import read_mesh
from forearm.scenes.solids import hull_of

if TYPE_CHECKING:
    import logging
else:
    logging = Later("logging")

# Radius of a skeleton's capsules if none is given, per metre of reach: that of slim arms.
RADIUS_PER_REACH = 0.04
NO_SHAPES = "{} has no collision shapes, so its links are taken to be"
GUESS = "tubes from joint to joint, of radius {radius:.3g} m ({share:g} of its reach)"
SHORT = 1e-9  # a shorter link has no length [m]
PARALLEL = 1e-3  # sine of the angle between axes that count as parallel
FAR_NORMAL = 2.0  # lengths of a link beyond which the common normal of its axes is not where the link is


ON_AXIS = 1e-6  # a capsule turns on the spot if its ends are nearer than this to the axis [m]
UP = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0])  # along z
HULL_FULL, HULL_WAYS = 3000, 2000  # corners that are all looked at for a convex hull; directions in which of more
MORE = 128  # capsules of a shape that misses the wish with the usual number
NOTHING_SURE = -1e12  # radius of what surely belongs to a guess [m]; finite, as kernels add to it
FLAT, WIDE = 1e5, 10.0  # radius of the ball that is a plane, and how far it is one [m]


MAKERS: dict[str, Callable[[tuple[float, ...]], Floats]] = {  # surfaces of what is no mesh
    "box": box_triangles,
    "ellipsoid": ellipsoid_triangles,
    "cylinder": lambda size: cylinder_triangles(*size),
}


class Body(NamedTuple):
    """A capsule of an arm."""

    link: str
    frame: int  # the moving joint that carries it, -1 for the base
    capsule: Floats  # (7,) both ends and the radius [m], in that joint's moved frame
    inner: float  # the radius about the same axis that surely belongs to the link [m], maybe negative
    masks: tuple[int, int] = (1, 1)  # what of the arm it may touch, see `LinkShape`
    is_round: bool = False  # whether it is part of a shape that is round about the joint's axis


class Bodies(NamedTuple):
    """All capsules of an arm, where they come from in words, and what is guessed of them."""

    rows: list[Body]
    source: str
    notes: tuple[str, ...] = ()
    excess: Mapping[str, float] = {}  # of the links of a file: how far their capsules stand out of their shapes [m]
    missed: tuple[str, ...] = ()  # links whose capsules stand out by more than is wished


def make_bodies(model: Model) -> Bodies:
    """The capsules of an arm, as its file and its user wish."""
    wish = model.geometry
    own = [_own_body(model, joint, numbers) for joint, numbers in wish.bodies] if wish else []
    if wish and wish.radius is not None:
        return Bodies(_skeleton(model, wish.radius) + own, f"tubes from joint to joint, of radius {wish.radius:g} m")
    extent = arm_size(model)
    radius = RADIUS_PER_REACH * (extent if 0.0 < extent < math.inf else 1.0)
    if model.shapes:
        rows, notes, fits = _of_shapes(model, radius)
        excess = {link: max(fit.excess for fit in each) for link, each in fits.items()}
        missed = tuple(link for link, each in fits.items() if any(fit.excess > fit.goal for fit in each))
        return Bodies(rows + own, "the collision shapes of its file", notes, excess, missed)
    if own:
        return Bodies(own, "bodies that were given")
    guess = GUESS.format(radius=radius, share=RADIUS_PER_REACH)
    words = f"{NO_SHAPES.format(model.name)} {guess}; {{radius}} sets another"
    note = Message(words, radius="with_geometry(radius=...)")
    return Bodies(_guessed(_skeleton(model, radius)), guess, (note,))


def _guessed(rows: list[Body]) -> list[Body]:
    """The same capsules with nothing sure in them."""
    return [body._replace(inner=NOTHING_SURE) for body in rows]


@functools.cache
def say(note: str) -> None:
    """Says what is guessed, once."""
    logging.getLogger("forearm").warning("%s", note)


def _of_shapes(model: Model, radius: float) -> tuple[list[Body], tuple[str, ...], dict[str, list[Fit]]]:
    """The capsules of a file's shapes; of a link whose shape cannot be read along its skeleton, with the reason."""
    rows, faults, fits = list[Body](), dict[str, tuple[LinkShape, str]](), dict[str, list[Fit]]()
    # toward the base along the first axis: there the first link mostly stands close above what it is mounted on
    down = np.array([0.0, 0.0, 1.0 if float(model.links[0, :, 2] @ model.links[0, :, 3]) < 0.0 else -1.0])
    for shape in model.shapes:
        try:
            fit = fit_shape(shape, down if shape.frame == 0 else np.zeros(3))
            fits.setdefault(shape.link, []).append(fit)
            round_ = shape.kind == "cylinder" and not np.abs(moved(shape.pose, UP)[[0, 1, 3, 4]]).max() > ON_AXIS
            for capsule, inner in zip(fit.capsules, fit.inner.tolist(), strict=True):
                rows.append(Body(shape.link, shape.frame, moved(shape.pose, capsule), inner, shape.masks, round_))
        except ForearmError as problem:
            faults.setdefault(shape.link, (shape, str(problem)))
    for link, (shape, _) in faults.items():
        bones = _skeleton(model, radius, range(shape.frame, shape.frame + 1))
        if link != link_name(model, shape.frame) or not bones:
            bones = [Body(link, shape.frame, np.array([*shape.pose[:3, 3], *shape.pose[:3, 3], radius]), radius)]
        rows += _guessed(bones)
    links: dict[str, list[str]] = {}
    for link, (_, reason) in faults.items():
        links.setdefault(reason, []).append(f"link '{link}'")
    stands = f"{model.name}: a tube of radius {radius:.3g} m stands in for"
    return rows, tuple(f"{stands} {', '.join(which)}: {reason}" for reason, which in links.items()), fits


def link_name(model: Model, frame: int) -> str:
    """What the link behind a moving joint (-1: the base) is called: as its file calls it, or after the joint."""
    own = (link for link, carrier in model.file_links if carrier == frame)
    return model.base if frame < 0 else next(own, f"after {model.moving_names[frame]}")


def _skeleton(model: Model, radius: float, frames: range | None = None) -> list[Body]:
    """Capsules from each joint's origin to the next, those without length left out; of some joints or of all."""
    found = []
    for frame in frames or range(-1, model.m):
        for a, b in pairwise(_corners(model.links[frame + 1], 0 <= frame < model.m - 1)):
            if float(np.linalg.norm(b - a)) > SHORT:
                found.append(Body(link_name(model, frame), frame, np.array([*a, *b, radius]), radius))
        if frame < 0 or model.joints[frame, KIND] != PRISMATIC:
            continue
        _, variable, ratio = model.joints[frame]
        low, high = np.sort(ratio * model.limits[:, int(variable)])
        if np.isfinite([low, high]).all():  # its rod moves with it, and reaches its guide from wherever it is
            rod = np.array([0.0, 0.0, -max(high, 0.0), 0.0, 0.0, -min(low, 0.0), radius])
            found.append(Body(link_name(model, frame), frame, rod, radius))
    return found


def _corners(C: Floats, between: bool) -> tuple[Floats, ...]:
    """The points of a link (3, 4) from one joint's origin to the next: between two axes as in a DH table.

    Along the joint's own axis to the common normal of both, across to the next axis, and along that. Straight where
    the normal lies far from both origins, as of axes nearly parallel, and where a link does not end at a joint.
    """
    start, end, z, u = np.zeros(3), C[:, 3], np.array([0.0, 0.0, 1.0]), C[:, 2]
    cosine, sine_squared = float(u[2]), float(u[0] ** 2 + u[1] ** 2)
    if sine_squared < PARALLEL**2:  # across at its own height, then along the next axis
        own, other = 0.0, -float(end @ u)
    else:
        own = (float(end[2]) - cosine * float(end @ u)) / sine_squared
        other = (cosine * float(end[2]) - float(end @ u)) / sine_squared
    if not between or max(abs(own), abs(other)) > FAR_NORMAL * float(np.linalg.norm(end)):
        return start, end
    return start, own * z, end + other * u, end


def _own_body(model: Model, carrier: str, numbers: tuple[float, ...]) -> Body:
    """A capsule that the user gave in the frame of a joint's child link, of another link, or of the base."""
    if carrier == model.base:
        return Body(carrier, -1, np.array(numbers), numbers[6])
    if carrier not in model.moving_names:
        frame, T = model.places[carrier]
        return Body(carrier, frame, moved(T, np.array(numbers)), numbers[6])
    frame = model.moving_names.index(carrier)
    return Body(link_name(model, frame), frame, moved(model.child_frames[frame], np.array(numbers)), numbers[6])


def own_links(model: Model) -> set[str]:
    """The links for which a user gave capsules."""
    wish = model.geometry
    return {_own_body(model, joint, numbers).link for joint, numbers in wish.bodies} if wish else set()


def moved(T: Floats, capsule: Floats) -> Floats:
    """A capsule with its ends in another frame."""
    return np.array([*(T[:3, :3] @ capsule[:3] + T[:3, 3]), *(T[:3, :3] @ capsule[3:6] + T[:3, 3]), capsule[6]])


def shape_triangles(shape: LinkShape) -> tuple[Floats, float]:
    """(t, 3, 3) the surface of a shape of a file, and a radius about it that is part of it [m]."""
    if shape.kind in ("sphere", "capsule"):
        half = 0.5 * shape.size[1] if shape.kind == "capsule" else 0.0
        return np.array([[[0.0, 0.0, -half], [0.0, 0.0, half], [0.0, 0.0, half]]]), float(shape.size[0])
    if shape.kind in MAKERS:
        return MAKERS[shape.kind](shape.size), 0.0
    corners, faces = shape_mesh(shape)
    if shape.kind == "mesh" and len(faces):
        return corners[faces], 0.0
    return hull_triangles(np.unique(corners, axis=0))


def fit_shape(shape: LinkShape, down: Floats) -> Fit:
    """Capsules that hold a shape of a file, standing out little where `down` points in the frame of its joint."""
    x, y, z = (shape.pose[:3, :3].T @ down).tolist()
    if shape.kind in ("sphere", "capsule"):
        half = 0.5 * shape.size[1] if shape.kind == "capsule" else 0.0
        return _exactly(np.array([0.0, 0.0, -half, 0.0, 0.0, half, shape.size[0]]))
    if shape.kind == "plane":  # a ball so large that it is flat as far as an arm reaches, and nowhere below the plane
        x, y, _ = inverse(shape.pose)[:3, 3]  # under the base
        deep = FLAT - 0.5 * WIDE**2 / FLAT
        return _exactly(np.array([x, y, -deep, x, y, -deep, FLAT]))
    if shape.kind in MAKERS:
        triangles = MAKERS[shape.kind](shape.size)
        fit = _fit(triangles, 0.0, (x, y, z))
        # a polyhedron stands for what is round, a little larger: so much less deep in the shape is what lies in it
        radius = {"cylinder": shape.size[0], "ellipsoid": max(shape.size)}.get(shape.kind, 0.0)
        return fit._replace(inner=fit.inner - ROUNDER * radius)
    if shape.kind == "hfield":
        raise ModelError("a geom of it is a height field, which is not read as a link; give it as an obstacle")
    if shape.kind not in ("mesh", "hull"):
        raise ModelError(f"{shape.file}; correct it")
    corners, faces = shape_mesh(shape)
    if shape.kind == "mesh" and len(faces):
        return _fit(corners[faces], 0.0, (x, y, z))
    return _hull_fit(corners, (x, y, z))


def _exactly(capsule: Floats) -> Fit:
    """The capsule that is a shape itself."""
    return Fit(capsule[None], capsule[None, 6], 0.0)


def _fit(triangles: Floats, inflate: float, down: tuple[float, float, float]) -> Fit:
    """Capsules that hold a solid and all within a distance of it: more of them where the usual number stands out."""
    data = np.ascontiguousarray(triangles).tobytes()
    usual = fit_capsules(data, inflate, MOST, down)
    if usual.excess <= usual.goal:
        return usual
    more = fit_capsules(data, inflate, MORE, down)
    return more if more.excess < usual.excess else usual


def _hull_fit(corners: Floats, down: tuple[float, float, float]) -> Fit:
    """Capsules that hold the convex hull of corners: of those that stick out, and of the others by what they exceed."""
    corners = np.unique(corners, axis=0)
    try:
        triangles, inflate = hull_triangles(corners)
    except OptionError:  # flat, or smaller: one capsule is convex itself
        return fit_capsules(np.ascontiguousarray(corners[:, None].repeat(3, axis=1)).tobytes(), most=1)
    return _fit(triangles, inflate, down)


def hull_triangles(corners: Floats) -> tuple[Floats, float]:
    """(t, 3, 3) the convex hull of corners that differ, of some where there are many; how far others are beyond it."""
    some = np.unique(np.argmax(corners @ spread_ways(HULL_WAYS).T, axis=0)) if len(corners) > HULL_FULL else slice(None)
    triangles = hull_of(corners[some])[1]
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    beyond = (corners @ normals.T - (triangles[:, 0] * normals).sum(axis=1)).max(axis=1) > 0.0
    return triangles, float(from_triangles(corners[beyond], triangles).max(initial=0.0))


def shape_mesh(shape: LinkShape) -> tuple[Floats, NDArray[np.int64]]:
    """(v, 3) the corners of a mesh [m], and its (f, 3) faces."""
    if shape.corners is not None:
        corners, faces = shape.corners, np.empty((0, 3), np.int64)
    else:
        corners, faces = read_mesh(find_mesh(shape))
    return scaled(shape, corners), faces


def scaled(shape: LinkShape, corners: Floats) -> Floats:
    """The corners of a shape's mesh as large as the shape says [m]."""
    with np.errstate(over="ignore", invalid="ignore"):  # what is too large is told below
        if shape.before is not None:
            corners = corners @ shape.before[:3, :3].T + shape.before[:3, 3]
        corners = corners * np.asarray(shape.size)
    if not np.abs(corners).max(initial=0.0) < LARGEST:
        raise ModelError(f"its mesh reaches {np.abs(corners).max():g} m; meshes stay below {LARGEST:g} m")
    return corners


def find_mesh(shape: LinkShape) -> Path:
    """The file of a mesh: `package://` and `model://` are sought in the packages around the description."""
    folders = shape.folders or folders_of(None)
    found = folders.find(shape.file, "mesh")
    if found is not None:
        return found
    where = f"was not found from '{folders.own}' upward; put it there, or name a folder that holds it"
    raise ModelError(f"the mesh '{shape.file}' {where}")
