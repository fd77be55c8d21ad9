"""The capsules of an arm in the frames of its joints: of its file's shapes, of its user's, or along its skeleton.

A skeleton's capsules run from each joint to the next, along the links of a DH table with their corners. It stands in
where a file has no shapes, and for a single link whose shape cannot be read; both are said once.
"""

import functools
import math
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forearm.arm.capsules import box_capsules, cylinder_capsules, points_capsule
from forearm.common.folders import folders_of
from forearm.common.later import Later
from forearm.common.types import Floats
from forearm.core.codes import KIND, PRISMATIC
from forearm.errors import ForearmError, ModelError
from forearm.models.mechanism import LinkShape
from forearm.models.model import Model, reach
from forearm.scenes.scene import read_mesh

if TYPE_CHECKING:
    import logging
else:
    logging = Later("logging")

# Radius of a skeleton's capsules if none is given, per metre of reach: that of slim arms.
RADIUS_PER_REACH = 0.04
SHORT = 1e-9  # a shorter link has no length [m]
PARALLEL = 1e-3  # sine of the angle between axes that count as parallel
FAR_NORMAL = 2.0  # lengths of a link beyond which the common normal of its axes is not where the link is


class Body(NamedTuple):
    """A capsule of an arm."""

    link: str
    frame: int  # the moving joint that carries it, -1 for the base
    capsule: Floats  # (7,) both ends and the radius [m], in that joint's moved frame


class Bodies(NamedTuple):
    """All capsules of an arm, where they come from in words, and what is guessed of them."""

    rows: list[Body]
    source: str
    notes: tuple[str, ...]


def make_bodies(model: Model) -> Bodies:
    """The capsules of an arm, as its file and its user wish."""
    wish = model.geometry
    own = [_own_body(model, joint, numbers) for joint, numbers in wish.bodies] if wish else []
    if wish and wish.radius is not None:
        return Bodies(_skeleton(model, wish.radius) + own, f"its skeleton with radius {wish.radius:g} m", ())
    radius = RADIUS_PER_REACH * (reach(model) if 0.0 < reach(model) < math.inf else 1.0)
    if model.shapes:
        rows, notes = _of_shapes(model, radius)
        return Bodies(rows + own, "the collision shapes of its file", notes)
    if own:
        return Bodies(own, "bodies that were given", ())
    guess = f"its skeleton with a radius of {RADIUS_PER_REACH:g} of its reach, {radius:.3g} m"
    note = (
        f"{model.name} has no collision shapes; it is held to be {guess}: say with_geometry(radius=...) how thick it is"
    )
    return Bodies(_skeleton(model, radius), guess, (note,))


@functools.cache
def say(note: str) -> None:
    """Says what is guessed, once."""
    logging.getLogger("forearm").warning("%s", note)


def _of_shapes(model: Model, radius: float) -> tuple[list[Body], tuple[str, ...]]:
    """The capsules of a file's shapes; of a link whose shape cannot be read along its skeleton, with the reason."""
    rows, faults = [], dict[str, tuple[LinkShape, str]]()
    for shape in model.shapes:
        try:
            rows += [Body(shape.link, shape.frame, moved(shape.pose, capsule)) for capsule in _of_shape(shape)]
        except ForearmError as problem:
            faults.setdefault(shape.link, (shape, str(problem)))
    for link, (shape, _) in faults.items():
        bones = _skeleton(model, radius, range(shape.frame, shape.frame + 1))
        if link != link_name(model, shape.frame) or not bones:
            bones = [Body(link, shape.frame, np.array([*shape.pose[:3, 3], *shape.pose[:3, 3], radius]))]
        rows += bones
    stands = f"{model.name}: a skeleton of radius {radius:.3g} m stands in for"
    return rows, tuple(f"{stands} link '{link}': {reason}" for link, (_, reason) in faults.items())


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
                found.append(Body(link_name(model, frame), frame, np.array([*a, *b, radius])))
        if frame < 0 or model.joints[frame, KIND] != PRISMATIC:
            continue
        _, variable, ratio = model.joints[frame]
        low, high = np.sort(ratio * model.limits[:, int(variable)])
        if np.isfinite([low, high]).all():  # its rod moves with it, and reaches its guide from wherever it is
            rod = np.array([0.0, 0.0, -max(high, 0.0), 0.0, 0.0, -min(low, 0.0), radius])
            found.append(Body(link_name(model, frame), frame, rod))
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
        return Body(carrier, -1, np.array(numbers))
    if carrier not in model.moving_names:
        frame, T = model.places[carrier]
        return Body(carrier, frame, moved(T, np.array(numbers)))
    frame = model.moving_names.index(carrier)
    return Body(link_name(model, frame), frame, moved(model.child_frames[frame], np.array(numbers)))


def moved(T: Floats, capsule: Floats) -> Floats:
    """A capsule with its ends in another frame."""
    return np.array([*(T[:3, :3] @ capsule[:3] + T[:3, 3]), *(T[:3, :3] @ capsule[3:6] + T[:3, 3]), capsule[6]])


def _of_shape(shape: LinkShape) -> list[Floats]:
    """Capsules that hold a shape of a file."""
    if shape.kind == "box":
        return box_capsules(shape.size)
    if shape.kind == "cylinder":
        return cylinder_capsules(*shape.size)
    if shape.kind == "sphere":
        return [np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, shape.size[0]])]
    if shape.kind == "capsule":
        return [np.array([0.0, 0.0, -0.5 * shape.size[1], 0.0, 0.0, 0.5 * shape.size[1], shape.size[0]])]
    if shape.kind != "mesh":
        raise ModelError(f"{shape.file}; correct it")
    return [points_capsule(read_mesh(_find_mesh(shape), shape.size)[0])]


def _find_mesh(shape: LinkShape) -> Path:
    """The file of a mesh: `package://` and `model://` are sought in the packages around the description."""
    folders = shape.folders or folders_of(None)
    found = folders.find(shape.file, "mesh")
    if found is not None:
        return found
    raise ModelError(f"the mesh '{shape.file}' was not found from '{folders.own}' upward; put it there")
