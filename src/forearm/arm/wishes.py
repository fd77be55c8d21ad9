"""The geometry that a user wishes an arm to have: bodies of their own, pairs that may touch, an SRDF's pairs."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from forearm.arm.geometry import known_links, make_geometry
from forearm.common.checks import as_floats, as_mapping, as_number, brief
from forearm.errors import OptionError, counted, nearest_names
from forearm.models.collision import read_srdf
from forearm.models.cut import placed_shapes
from forearm.models.mechanism import KINDS, UNBOUNDED
from forearm.models.model import GeometryWish, Model
from forearm.scenes.shapes import Capsule, Sphere


def with_geometry(
    model: Model, radius: Any, bodies: Any, allow: Any, srdf: str | bytes | Path | None, base: Any, joints: Any
) -> Model:
    """The same chain with other geometry; arguments as `Robot.with_geometry` takes them."""
    if model.mechanism is not None:
        model = replace(model, shapes=placed_shapes(model.mechanism, model.places, _as_values(joints, model)))
    if radius is not None and not as_number(radius, "radius", OptionError) > 0.0:
        raise OptionError(f"{{argument}} is {radius} m; it takes a positive length", argument="radius")
    if not isinstance(base, bool):
        raise OptionError(f"{{argument}} is {brief(base)}; it takes True or False", argument="base")
    pairs, own = as_pairs(allow), tuple(_as_bodies(bodies, model))
    wished = replace(model, geometry=GeometryWish(radius, own, tuple(pairs), base))
    names = make_geometry(wished).names  # a wrong name in the allow-list is told here
    if srdf is None:
        return wished
    pairs += srdf_pairs(srdf, model.name, known_links(model, names), names)
    return replace(model, geometry=GeometryWish(radius, own, tuple(pairs), base))


def _as_values(joints: Any, model: Model) -> dict[str, float]:
    """Values of joints off the chain, checked."""
    mechanism, values = model.mechanism, {}
    off = {each.name: each for each in mechanism.joints if each.kind in KINDS} if mechanism else {}
    off = {name: joint for name, joint in off.items() if name not in model.moving_names}
    for name, given in as_mapping(joints, "joints", "joint name to value", OptionError).items():
        if name not in off:
            hint = nearest_names(name, off) if off else "all of its joints are on it"
            raise OptionError(f"joint '{name}' in joints is not off the chain of {model.name}; {hint}")
        value = as_number(given, "joints=", OptionError, f"the value of joint '{name}' in ")
        lower, upper = (off[name].kind != "continuous" and off[name].limits) or UNBOUNDED
        if not lower <= value <= upper:
            raise OptionError(f"joint '{name}' cannot be held at {value:g}: its limits are {lower:g} to {upper:g}")
        values[name] = value
    return values


def srdf_pairs(
    srdf: str | bytes | Path, robot: str, known: Collection[str], links: Iterable[str]
) -> list[tuple[str, str]]:
    """The pairs of an SRDF that are about a robot's bodies; refuses one that knows none of its links.

    An SRDF is about a whole robot: pairs with links off the chain, or without a body, say nothing here.
    """
    found = read_srdf(srdf)
    if found and not any(name in known for pair in found for name in pair):
        raise OptionError(
            f"the SRDF has {counted(len(found), 'pair')}, but none of its links (such as '{found[0][0]}') is in "
            f"{robot}, whose links are {', '.join(dict.fromkeys(links))}; load the arm from its URDF, or give "
            "the pairs as allow="
        )
    return [pair for pair in found if pair[0] in known and pair[1] in known]


def as_pairs(allow: Any) -> list[tuple[str, str]]:
    """Pairs of names, checked."""
    if not isinstance(allow, Iterable) or isinstance(allow, (str, Mapping)):
        raise OptionError(f"the allow-list is {brief(allow)}; it takes pairs of link names")
    pairs = []
    for pair in allow:
        if not (isinstance(pair, (tuple, list)) and len(pair) == 2 and all(isinstance(name, str) for name in pair)):
            raise OptionError(f"the allow-list has {brief(pair)}; it takes pairs of link names")
        pairs.append((pair[0], pair[1]))
    return pairs


def _as_bodies(bodies: Any, model: Model) -> list[tuple[str, tuple[float, ...]]]:
    """Capsules by joint, checked."""
    found = []
    known = (model.base, *model.moving_names, *model.places)
    for joint, given in as_mapping(bodies, "bodies", "joint name to capsules", OptionError).items():
        if joint not in known:
            raise OptionError(f"'{joint}' in bodies is no joint or link of {model.name}; {nearest_names(joint, known)}")
        for item in given if isinstance(given, (list, tuple)) else [given]:
            if not isinstance(item, (Sphere, Capsule)) or item.dim != 3:
                raise OptionError(f"the bodies of '{joint}' have {brief(item)}; they take fa.Sphere and fa.Capsule")
            a, b = (item.center, item.center) if isinstance(item, Sphere) else (item.a, item.b)
            found.append((joint, tuple(as_floats([*a, *b, item.radius], "a body", OptionError).tolist())))
    return found
