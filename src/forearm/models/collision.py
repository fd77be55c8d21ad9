"""The collision shapes of a URDF's links, by the moving joint that carries them.

Links on the chain count, and what is fixed to them. What hangs on joints off the chain (the fingers of a
gripper) moves by itself and is left out. A shape that cannot be read is no error before distances are
asked for: who only wants joint values is not stopped by it. Mesh files too are opened only then.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from forearm.common.types import Floats
from forearm.errors import ModelError
from forearm.models.attributes import attribute, child, number, numbers, read_origin
from forearm.models.model import LinkShape, Model

Place = tuple[int, Floats]  # frame, (4, 4) pose of the link in it
Step = tuple[str, bool, Floats]
Joined = dict[str, list[tuple[str, Floats]]]


def read_shapes(
    root: Element, model: Model, steps: Sequence[Step], joined: Joined, source: Any, where: str
) -> tuple[LinkShape, ...]:
    """The shapes of all links that move with the chain, or stand with its base.

    Args:
        root: The parsed URDF.
        model: The chain.
        steps: For each joint of the path: the link behind it, whether it moves, its transform if not.
        joined: For each link, those fixed to it, and their poses in it.
        source: Path of the file, or its text.
        where: What to call it in messages.
    """
    places, folder = link_places(model, steps, joined), folder_of(source)
    found = []
    for link in root.findall("link"):
        name = str(link.get("name"))
        for element in link.findall("collision") if name in places else ():
            frame, T_frame_link = places[name]
            label = f"the collision shape of link '{name}'"
            try:
                pose = T_frame_link @ read_origin(element.find("origin"), label, where)
                kind, size, file = _read_geometry(element, label, where)
            except ModelError as problem:
                pose, kind, size, file = np.eye(4), "unreadable", (), str(problem)
            found.append(LinkShape(name, frame, pose, kind, size, file, folder))
    return tuple(found)


def _read_geometry(element: Element, label: str, where: str) -> tuple[str, tuple[float, ...], str]:
    """Kind, size and mesh file of a `<collision>`."""
    shape = next(iter(child(element, "geometry", label, where)), None)
    if shape is None:
        raise ModelError(f"{label} in {where} has a <geometry> with no shape in it")
    size: tuple[float, ...]
    if shape.tag == "mesh":
        return (
            "mesh",
            numbers(shape, "scale", (1.0, 1.0, 1.0), label, where),
            attribute(shape, "filename", label, where),
        )
    if shape.tag == "box":
        size = numbers(shape, "size", (0.0, 0.0, 0.0), label, where)
    elif shape.tag == "sphere":
        size = (number(shape, "radius", 0.0, label, where),)
    elif shape.tag in ("cylinder", "capsule"):
        size = (number(shape, "radius", 0.0, label, where), number(shape, "length", 0.0, label, where))
    else:
        raise ModelError(f"{label} in {where} is a <{shape.tag}>; there are: box, cylinder, sphere, capsule, mesh")
    if not all(value > 0.0 for value in size):
        shown = ", ".join(f"{value:g}" for value in size)
        raise ModelError(f"{label} in {where} is a {shape.tag} of {shown} m; its lengths must be positive")
    return shape.tag, size, ""


def link_places(model: Model, steps: Sequence[Step], joined: Joined) -> dict[str, Place]:
    """The frame and pose of every link on the chain, and of those fixed to them."""
    places: dict[str, Place] = {model.base: (-1, np.eye(4))}
    frame, T = -1, np.eye(4)
    for link, moves, transform in steps:
        if moves:
            frame += 1
            T = model.child_frames[frame]
        else:
            T = T @ transform
        places[link] = (frame, T)
    waiting = list(places)
    while waiting:
        link = waiting.pop()
        frame, T = places[link]
        for other, pose in joined.get(link, []):
            if other not in places:
                places[other] = (frame, T @ pose)
                waiting.append(other)
    return places


def folder_of(source: Any) -> str:
    """Where a description lies; empty for text."""
    if isinstance(source, bytes) or (isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("<")):
        return ""
    return str(Path(source).absolute().parent)
