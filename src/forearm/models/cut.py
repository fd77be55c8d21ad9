"""A chain cut out of a mechanism: its ends, the path between them, what follows what, limits.

Whatever format a robot comes from, this happens here and once. What a chain cannot use is refused by name:
loops, and on the path joints with several degrees of freedom and couplings that are not linear. What lies off
the path stays known by the model's mechanism.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from forearm.common.checks import as_limits, as_mapping, as_unit
from forearm.common.later import Later
from forearm.common.transforms import inverse
from forearm.common.types import Floats
from forearm.errors import ModelError, nearest_names
from forearm.models.assemble import Segment, assemble
from forearm.models.mechanism import KINDS, UNBOUNDED, Coupling, Joint, LinkShape, Mechanism, Pair, Place, Site
from forearm.models.model import Model

if TYPE_CHECKING:
    import logging
else:  # slow, and most files need no remark
    logging = Later("logging")


MAX_FOLLOWED = 100  # joints that follow each other in a row; real ones are two or three
MAX_CHOICES = 60  # humanoids with hands have some forty tips; scenes of copies have thousands

Source = str | bytes | Path  # of a description: the path of its file, or its text
Name = str | None
Tool = ArrayLike | None
Dirs = Sequence[str | Path]  # folders that the user allows to be read
Limits = Mapping[str, Pair] | None
Route = list[tuple[Joint, bool]]  # joints in order, and whether each is passed upward, from child to parent


def cut(
    mechanism: Mechanism, *, base: Name = None, tip: Name = None, tool: Tool = None, limits: Limits = None
) -> Model:
    """The model of the chain between two links or sites; the arguments are those of `from_urdf` and its siblings."""
    parents = parent_joints(mechanism)
    start = _frame(only_end(mechanism, "base") if base is None else base, mechanism, "base")
    end = _frame(only_end(mechanism, "tip") if tip is None else tip, mechanism, "tip")
    given = _given_limits(limits, mechanism)
    route = path(mechanism, parents, start.link, end.link)
    middle = [_segment(joint, upward, mechanism, given) for joint, upward in route]
    segments = [*_site_segments(start, mechanism, True), *middle, *_site_segments(end, mechanism, False)]
    remarks = [
        f"'{joint.name}' mimics '{each.driver}', which does not exist, so it counts as a joint of its own"
        for joint, _ in route
        for each in mechanism.couplings_of(joint)
        if each.driver is not None and mechanism.joint(each.driver) is None
    ]
    for remark in remarks:
        logging.getLogger("forearm").warning("%s: %s", mechanism.where, remark)
    note = "; ".join([text for text in (mechanism.note, *remarks) if text])
    model = assemble(segments, name=mechanism.name, base=start.name, tip=end.name, note=note)
    passed = [(each.parent if upward else each.child, s) for (each, upward), s in zip(route, middle, strict=True)]
    frames = accumulate((segment.moves for _, segment in passed), initial=-1)
    made_up = {link.name for link in mechanism.links if link.made_up}
    way = zip([start.link, *(link for link, _ in passed)], frames, strict=True)
    places = link_places(mechanism, start.link, passed, model.child_frames)
    whole = replace(
        model,
        shapes=placed_shapes(mechanism, places),
        file_links=tuple((link, frame) for link, frame in way if link not in made_up),
        mechanism=mechanism,
        places=places,
    )
    return whole if tool is None else whole.with_tool(tool)


# -- the tree and its ends -----------------------------------------------------------------------


def parent_joints(mechanism: Mechanism) -> dict[str, Joint]:
    """The joint that moves each link but the roots; refuses loops by name."""
    parents: dict[str, Joint] = {}
    for joint in mechanism.joints:
        other = parents.setdefault(joint.child, joint)
        if other is not joint:
            raise ModelError(
                f"{mechanism.where} has a loop: link '{joint.child}' is the child of both '{other.name}' and "
                f"'{joint.name}'; a chain needs a tree, so remove one of them"
            )
    grounded = set(mechanism.roots())
    for link in mechanism.links:
        above, name = set(), link.name
        while name not in grounded:
            if name in above:
                raise ModelError(f"{mechanism.where} has a loop through link '{name}'; a chain needs a tree")
            above.add(name)
            name = parents[name].parent
        grounded |= above
    return parents


def path(mechanism: Mechanism, parents: Mapping[str, Joint], base: str, tip: str) -> Route:
    """The joints from one link to another: up to the link above both, then down."""
    above_base, above_tip = _ancestors(parents, base), _ancestors(parents, tip)
    shared = set(above_base) & set(above_tip)
    if not shared:
        raise ModelError(
            f"{mechanism.where} has no path from '{base}' to '{tip}': they are in separate trees with the "
            f"roots '{above_base[-1]}' and '{above_tip[-1]}'"
        )
    up = [(parents[link], True) for link in above_base if link not in shared]
    down = [(parents[link], False) for link in above_tip if link not in shared]
    return up + down[::-1]


def _ancestors(parents: Mapping[str, Joint], link: str) -> list[str]:
    """The link, its parent, and so on to the root."""
    above = [link]
    while above[-1] in parents:
        above.append(parents[above[-1]].parent)
    return above


def only_end(mechanism: Mechanism, end: str) -> str:
    """The only root as "base", the only site or else leaf as "tip"; where there are several, an error proposes them."""
    sites = [site.name for site in mechanism.sites] if end == "tip" else []
    links, role = (mechanism.leaves(), "leaf") if end == "tip" else (mechanism.roots(), "root")
    for names in (sites, links):
        if len(names) == 1:
            return names[0]
    if not links:
        raise ModelError(f"{mechanism.where} has no {role} link; it needs at least one <link>")
    found = f"{f'{len(sites)} sites and ' if sites else ''}{len(links)} {role} {mechanism.word('links')}"
    choices = _listed([*sites, *links])
    raise ModelError(f"{mechanism.where} has {found}; choose {{argument}} from: {choices}", argument=f"{end}=...")


def _frame(name: str, mechanism: Mechanism, end: str) -> Site:
    """The site of that name, or else the link, as a frame on itself."""
    found = [site for site in mechanism.sites if site.name == name]
    found += [Site(name, name, np.eye(4)) for link in mechanism.links if link.name == name]
    if found:
        return found[0]
    what = f"site or {mechanism.word('link')}" if mechanism.sites else mechanism.word("link")
    ends = f"roots are: {_listed(mechanism.roots())}" if end == "base" else f"tips are: {_listed(mechanism.tips())}"
    known = {site.name for site in mechanism.sites} | {link.name for link in mechanism.links if not link.made_up}
    close = nearest_names(name, known)
    raise ModelError(f"{what} '{name}' is not in {mechanism.where}; {ends}; {close}")


def _listed(names: Sequence[str]) -> str:
    names = list(dict.fromkeys(names))
    more = len(names) - MAX_CHOICES
    return ", ".join(names[:MAX_CHOICES]) + (f" and {more} more" if more > 0 else "")


# -- from joints to segments, and what follows what ----------------------------------------------


def _site_segments(frame: Site, mechanism: Mechanism, upward: bool) -> list[Segment]:
    """What leads from a site to its link, or from the link to the site; nothing for a link itself."""
    if frame not in mechanism.sites:
        return []
    if not np.isfinite(frame.pose).all():
        raise ModelError(f"'{frame.name}' in {mechanism.where} has a pose that is not finite; correct it")
    return [Segment(frame.name, inverse(frame.pose) if upward else frame.pose)]


def _segment(joint: Joint, upward: bool, mechanism: Mechanism, limits: Mapping[str, Pair]) -> Segment:
    """The segment of a joint on the path; passed upward it is the inverse of the joint."""
    _check_joint(joint, upward, mechanism)
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
    sign, own_limits = -1.0 if upward else 1.0, UNBOUNDED
    if joint is not driver and (joint.limits is not None or joint.name in limits):  # its driver must respect them
        lower, upper = sorted(sign * (bound - joint.zero) for bound in _limits_of(joint, mechanism, limits))
        own_limits = lower, upper
    return Segment(
        name=joint.name,
        origin=in_front,
        variable=variable,
        axis=joint.axis,
        kind=joint.kind,
        ratio=sign * ratio,
        offset=sign * (offset - joint.zero),
        limits=own_limits,
        behind=behind,
    )


def _check_joint(joint: Joint, upward: bool, mechanism: Mechanism) -> None:
    """Refuses joints with several degrees of freedom, and numbers that are none."""
    label = f"joint '{joint.name}' in {mechanism.where}"
    if joint.kind not in (*KINDS, "fixed"):
        side = "base and tip on one side of it" if upward else "{argument} or another base behind it"
        raise ModelError(
            f"{label} is {mechanism.word(joint.kind)}, with several degrees of freedom; choose {side}",
            argument=f"base='{joint.child}'",
        )
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
    if any(coupling.polynomial[2:]) or not np.isfinite(coupling.polynomial).all():
        raise ModelError(
            f"equality '{coupling.name}' in {where} moves joint '{joint.name}' by the polynomial "
            f"{list(coupling.polynomial)}; only finite, linear couplings are supported, so choose a base and a tip "
            "that leave the joint out, or set polycoef to two numbers"
        )
    return coupling


# -- limits --------------------------------------------------------------------------------------


def _given_limits(limits: Limits, mechanism: Mechanism) -> dict[str, Pair]:
    """The caller's limits, checked."""
    given = as_mapping(limits, "limits", "joint name to (lower, upper)", ModelError)
    joints = {joint.name for joint in mechanism.joints}
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
    remedy = f"pass limits={{'{joint.name}': (lower, upper)}}"
    if joint.limits is None:
        turning = ", make the joint continuous" if joint.kind == "revolute" else ""
        raise ModelError(
            f"joint '{joint.name}' in {mechanism.where} is {joint.kind} but has no <limit>, which URDF demands; "
            f"add it{turning}{{or_limits}}",
            or_limits=f", or {remedy}",
        )
    return as_limits(joint.limits, joint.name, mechanism.where, ModelError, remedy)


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


def placed_shapes(
    mechanism: Mechanism, places: Mapping[str, Place], values: Mapping[str, float] | None = None
) -> tuple[LinkShape, ...]:
    """The shapes of all links where a chain carries them: those off it as joints hold them at values, or at rest.

    What hangs on joints with several degrees of freedom is not joined to the chain: it lies about.
    """
    held = ((joint, _held(joint, mechanism, values or {})) for joint in mechanism.joints)
    everywhere = _join(dict(places), held)
    shapes = ((shape, everywhere.get(link.name)) for link in mechanism.links for shape in link.shapes)
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
