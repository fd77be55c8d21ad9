"""A chain cut out of a mechanism: its ends, the path between them, what follows what, limits.

Whatever format a robot comes from, this happens here and once. What a chain cannot use is refused by name:
on the path, loops and couplings that are not linear. What lies off the path stays known by the model's mechanism.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from forearm.common.checks import as_limits, as_mapping, as_unit
from forearm.common.later import Later
from forearm.common.transforms import inverse
from forearm.common.types import Floats
from forearm.errors import ModelError, OptionError, nearest_names
from forearm.models.assemble import Segment, assemble
from forearm.models.ends import choose_ends, find_ends, listed
from forearm.models.mechanism import KINDS, UNBOUNDED, Coupling, Joint, LinkShape, Mechanism, Pair, Place, Site
from forearm.models.model import LONG_LINK, Model
from forearm.models.routes import FREEDOMS, Parents, Route, opened, parent_joints, path

if TYPE_CHECKING:
    import logging
else:  # slow, and most files need no remark
    logging = Later("logging")


MAX_FOLLOWED = 100  # joints that follow each other in a row; real ones are two or three
MAX_FAULTS = 3  # off the chain that its note tells

Source = str | bytes | Path  # of a description: the path of its file, or its text
Name = str | None
Tool = ArrayLike | None
Dirs = Sequence[str | Path]  # folders that the user allows to be read
Limits = Mapping[str, Pair] | None


def cut(
    mechanism: Mechanism, *, base: Name = None, tip: Name = None, tool: Tool = None, limits: Limits = None
) -> Model:
    """The model of the chain between two links or sites; the arguments are those of `from_urdf` and its siblings."""
    parents = parent_joints(mechanism)
    start, end = choose_ends(mechanism, parents, base, tip)
    whole_route = path(mechanism, parents, start.link, end.link)
    route = opened(whole_route)
    given = given_limits(limits, mechanism, route)
    middle = [segment_of(joint, upward, mechanism, given) for joint, upward in route]
    segments = [*_site_segments(start, mechanism, True), *middle, *_site_segments(end, mechanism, False)]
    if not any(segment.moves for segment in segments):
        choices = find_ends(mechanism, parents, start.link).shown
        if not choices and mechanism.faults:
            raise ModelError(mechanism.faults[0].text)
        _refuse_still(mechanism, parents, (start.name, end.name), choices)
    note = _note(mechanism, whole_route, segments)
    model = assemble(segments, name=mechanism.name, base=start.name, tip=end.name, note=note)
    passed = [(each.parent if upward else each.child, s) for (each, upward), s in zip(route, middle, strict=True)]
    frames = accumulate((segment.moves for _, segment in passed), initial=-1)
    named = {link.name for link in mechanism.links if not link.made_up}
    way = zip([start.link, *(link for link, _ in passed)], frames, strict=True)
    places = link_places(mechanism, start.link, passed, model.child_frames)
    whole = replace(
        model,
        shapes=placed_shapes(mechanism, places),
        file_links=tuple((link, frame) for link, frame in way if link in named),
        mechanism=mechanism,
        places=places,
    )
    return whole if tool is None else whole.with_tool(tool)


def _refuse_still(mechanism: Mechanism, parents: Parents, ends: tuple[str, str], choices: str) -> NoReturn:
    """Refuses a chain on which nothing moves: says which tips move, or from which base they do."""
    words = f"{mechanism.name}: no joint moves between '{ends[0]}' and '{ends[1]}'; choose "
    if choices:
        raise ModelError(words + f"{{argument}} from: {choices}", argument="tip=...")
    if elsewhere := find_ends(mechanism, parents, None).shown:
        words += f"{{base}} from: {listed(mechanism.roots())}, and {{argument}} from: {elsewhere}"
        raise ModelError(words, argument="tip=...", base="base=...")
    raise ModelError(words + "another file: no joint of this one moves anything")


def _note(mechanism: Mechanism, route: Route, segments: Sequence[Segment]) -> str:
    """Where a chain comes from and what to know about it; what may surprise is a warning of the logger too."""
    wrong = [
        f"'{joint.name}' mimics '{each.driver}', which does not exist, so it counts as a joint of its own"
        for joint, _ in route
        for each in mechanism.couplings_of(joint)
        if each.driver is not None and mechanism.joint(each.driver) is None
    ]
    longest = max(float(np.abs(T[:3, 3]).max()) for each in segments for T in (each.origin, each.behind))
    if longest > LONG_LINK:
        wrong.append(f"a link of it is {longest:g} m long; did you mean millimetres?")
    for remark in wrong:
        logging.getLogger("forearm").warning("%s: %s", mechanism.where, remark)
    free = [
        f"'{joint.name}' is {mechanism.word(joint.kind)}: it adds the variables {', '.join(names)}; "
        f"base='{joint.child}' leaves them out"
        for joint, _ in route
        if (names := [f"{joint.name}/{name}" for name, _, _ in FREEDOMS.get(joint.kind, ())])
    ]
    off = [f"off the chain: {fault.text}" for fault in mechanism.faults[:MAX_FAULTS]]
    return "; ".join([text for text in (mechanism.note, *wrong, *free, *off) if text])


# -- from joints to segments, and what follows what ----------------------------------------------


def _site_segments(frame: Site, mechanism: Mechanism, upward: bool) -> list[Segment]:
    """What leads from a site to its link, or from the link to the site; nothing for a link itself."""
    if frame not in mechanism.sites:
        return []
    if not np.isfinite(frame.pose).all():
        raise ModelError(f"'{frame.name}' in {mechanism.where} has a pose that is not finite; correct it")
    return [Segment(frame.name, inverse(frame.pose) if upward else frame.pose)]


def segment_of(joint: Joint, upward: bool, mechanism: Mechanism, limits: Mapping[str, Pair]) -> Segment:
    """The segment of a joint on the path; passed upward it is the inverse of the joint."""
    _check_joint(joint, mechanism)
    in_front, behind = joint.origin, joint.behind
    if upward:
        in_front, behind = inverse(behind) + 0.0, inverse(joint.origin)  # + 0.0: an identity without negative zeros
    if joint.kind == "fixed":
        return Segment(joint.name, in_front @ behind)
    driver, ratio, offset = _follow(joint, mechanism)
    variable = joint
    if ratio != 0.0:  # a continuous driver to which limits are given is revolute
        kind = "revolute" if driver.kind == "continuous" and driver.name in limits else driver.kind
        variable = replace(driver, kind=kind, limits=_limits_of(driver, mechanism, limits))
    own_limits = UNBOUNDED
    if joint is not driver and (joint.limits is not None or joint.name in limits):  # its driver must respect them
        lower, upper = (bound - joint.zero for bound in _limits_of(joint, mechanism, limits))
        own_limits = lower, upper
    x, y, z = joint.axis
    return Segment(
        name=joint.name,
        origin=in_front,
        variable=variable,
        axis=(0.0 - x, 0.0 - y, 0.0 - z) if upward else (x, y, z),  # back along an axis is forth along its reverse
        kind=joint.kind,
        ratio=ratio,
        offset=offset - joint.zero,
        limits=own_limits,
        velocity=joint.velocity if joint is not driver else math.inf,  # its own; a driver's is its variable's
        behind=behind,
    )


def _check_joint(joint: Joint, mechanism: Mechanism) -> None:
    """Refuses numbers that are none."""
    label = f"joint '{joint.name}' in {mechanism.where}"
    if not np.isfinite([*joint.origin.flat, *joint.behind.flat, *joint.axis, joint.zero]).all():
        raise ModelError(f"{label} has a pose, an axis or a zero that is not finite; correct it")
    if joint.kind != "fixed" and not any(joint.axis):
        as_unit(joint.axis, f"the axis of {label}", ModelError)


def _follow(joint: Joint, mechanism: Mechanism) -> tuple[Joint, float, float]:
    """The joint that drives this one, with `q = ratio * q_driver + offset`; the ratio is 0 if it is held.

    A joint that follows one the file does not have is its own variable, as other readers take it.
    """
    ratio, offset, seen = 1.0, 0.0, [joint.name]
    while coupling := _only_linear(joint, mechanism):
        shift, slope = coupling.polynomial[:2]
        if coupling.driver is None or slope == 0.0:
            return joint, 0.0, offset + ratio * (joint.zero + shift)
        driver = mechanism.joint(coupling.driver)
        if driver is None:
            break
        for fault in mechanism.faults:
            if driver.name in fault.joints:
                raise ModelError(fault.text)
        if driver.name in seen:
            raise ModelError(
                f"joint '{joint.name}' in {mechanism.where} {mechanism.word('mimics')} itself by way of "
                f"{' -> '.join(seen)}; free one of the joints in the ring"
            )
        if len(seen) > MAX_FOLLOWED:
            raise ModelError(
                f"joint '{seen[0]}' in {mechanism.where} {mechanism.word('mimics')} another by way of more than "
                f"{MAX_FOLLOWED} joints; let each of them follow the last one itself"
            )
        offset += ratio * (joint.zero + shift - slope * driver.zero)
        ratio *= slope
        seen.append(driver.name)
        joint = driver
    if joint.kind not in KINDS:
        raise ModelError(
            f"joint '{seen[0]}' in {mechanism.where} {mechanism.word('mimics')} '{joint.name}', which is {joint.kind}"
        )
    return joint, ratio, offset


def _only_linear(joint: Joint, mechanism: Mechanism) -> Coupling | None:
    """The one coupling by which a joint follows, if it is linear; None for a free joint."""
    couplings = mechanism.couplings_of(joint)
    if not couplings:
        return None
    coupling, where = couplings[0], mechanism.where
    if len(couplings) > 1:
        names = ", ".join(f"'{each.name}'" for each in couplings)
        raise ModelError(
            f"joint '{joint.name}' in {where} follows {len(couplings)} equality constraints: {names}; "
            "a joint can follow one, so remove the others"
        )
    if not coupling.is_linear:
        raise ModelError(f"{coupling.told(where)}: set polycoef to two numbers")
    return coupling


# -- limits --------------------------------------------------------------------------------------


def given_limits(limits: Limits, mechanism: Mechanism, route: Route) -> dict[str, Pair]:
    """The caller's limits, checked."""
    given = as_mapping(limits, "limits", "joint name to (lower, upper)", ModelError)
    joints = {joint.name for joint in mechanism.joints} | {joint.name for joint, _ in route}
    for name in given:
        if name not in joints:
            raise ModelError(f"joint '{name}' in limits is not in {mechanism.where}; {nearest_names(name, joints)}")
    return {name: as_limits(pair, name, "limits=", ModelError) for name, pair in given.items()}


def _limits_of(joint: Joint, mechanism: Mechanism, limits: Mapping[str, Pair]) -> Pair:
    """A joint's limits: the caller's, else the file's; URDF demands them unless it is continuous."""
    if joint.name in limits:
        return limits[joint.name]
    if joint.kind == "continuous":
        return UNBOUNDED
    if joint.limits is None:
        turning = ", make the joint continuous" if joint.kind == "revolute" else ""
        raise ModelError(
            f"joint '{joint.name}' in {mechanism.where} is {joint.kind} but has no <limit>, which URDF demands; "
            f"add it{turning}, or pass {{limits}}",
            limits=f"limits={{'{joint.name}': (lower, upper)}}",
        )
    return as_limits(joint.limits, joint.name, mechanism.where, ModelError, remedy=True)


def link_places(
    mechanism: Mechanism, base: str, passed: Iterable[tuple[str, Segment]], child_frames: Floats
) -> dict[str, Place]:
    """The places of the links on a chain, each passed behind the segment of its joint, and of those fixed to them."""
    places: dict[str, Place] = {base: (-1, np.eye(4))}
    frame, T = places[base]
    for link, segment in passed:
        frame += segment.moves
        T = child_frames[frame] if segment.moves else T @ (segment.origin @ segment.rest @ segment.behind)
        places[link] = frame, T
    return _join(places, ((each, _held(each, mechanism, {})) for each in mechanism.joints if each.kind == "fixed"))


def _join(places: dict[str, Place], joints: Iterable[tuple[Joint, Floats | None]]) -> dict[str, Place]:
    """The places, and those of all links that joints hold to them, each with the pose of its child in its parent."""
    joined: dict[str, list[tuple[str, Floats]]] = {}
    for joint, pose in joints:
        if pose is not None:
            joined.setdefault(joint.parent, []).append((joint.child, pose))
            joined.setdefault(joint.child, []).append((joint.parent, inverse(pose)))
    waiting = list(places)
    while waiting:
        link = waiting.pop()
        frame, T = places[link]
        for other, pose in joined.get(link, []):
            if other not in places:
                places[other] = (frame, T @ pose)
                waiting.append(other)
    return places


def place_of(model: Model, name: str) -> Place:
    """Where a link or a site of a model's mechanism is: on the chain, or as joints off it hold it at rest."""
    mechanism = model.mechanism
    if mechanism is None:
        raise OptionError(f"{model.name} knows no links but its tip '{model.tip}'; load it from a file")
    site = next((site for site in mechanism.sites if site.name == name), None)
    link = name if site is None else site.link
    place = model.places.get(link) if isinstance(link, str) else None
    if place is None and isinstance(link, str):
        held = ((joint, _held(joint, mechanism, {})) for joint in mechanism.joints)
        place = _join(dict(model.places), held).get(link)
    if place is None:
        known = [*(each.name for each in mechanism.sites), *(each.name for each in mechanism.links)]
        if name in known:
            raise OptionError(f"link '{name}' of {model.name} is not connected to the chain, so it has no pose")
        raise OptionError(f"{model.name} has no link '{name}'; {nearest_names(name, known)}")
    return place if site is None else (place[0], place[1] @ site.pose)


def placed_shapes(
    mechanism: Mechanism, places: Mapping[str, Place], values: Mapping[str, float] | None = None, seen: bool = False
) -> tuple[LinkShape, ...]:
    """The shapes of all links where a chain carries them: those off it as joints hold them at values, or at rest.

    What hangs on joints with several degrees of freedom is not joined to the chain: it lies about. They are the shapes
    that can be touched, or those to be `seen`.
    """
    held = ((joint, _held(joint, mechanism, values or {})) for joint in mechanism.joints)
    everywhere = _join(dict(places), held)
    shapes = (
        (shape, everywhere.get(link.name))
        for link in mechanism.links
        for shape in (link.visuals if seen else link.shapes)
    )
    return tuple(replace(shape, frame=place[0], pose=place[1] @ shape.pose) for shape, place in shapes if place)


def _held(joint: Joint, mechanism: Mechanism, values: Mapping[str, float]) -> Floats | None:
    """(4, 4) the child of a joint in its parent: at a value given, as it follows another, or at rest.

    None where it is nowhere: several degrees of freedom, or numbers that are none.
    """
    if joint.kind not in (*KINDS, "fixed") or not np.isfinite([joint.origin, joint.behind]).all():
        return None
    if joint.kind == "fixed":
        return np.asarray(joint.origin @ joint.behind)
    if not any(joint.axis) or not np.isfinite([*joint.axis, joint.zero]).all():
        return None
    value = values.get(joint.name)
    if value is None:
        try:
            driver, ratio, offset = _follow(joint, mechanism)
        except ModelError:  # it follows nothing that a chain could; then it is where it rests
            driver, ratio, offset = joint, 1.0, 0.0
        lower, upper = driver.limits if driver.limits and driver.kind != "continuous" else UNBOUNDED
        value = ratio * values.get(driver.name, min(max(driver.zero, lower), upper)) + offset
    moved = Segment(joint.name, joint.origin, joint, joint.axis, joint.kind, 0.0, value - joint.zero)
    return np.asarray(joint.origin @ moved.rest @ joint.behind)
