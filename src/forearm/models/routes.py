"""The way from one link of a mechanism to another, what closes loops on it, and joints with several freedoms.

A mechanism hangs together as a tree. A joint that moves a link which another joint moves already closes a loop, and so
does what an MJCF welds or connects. Loops off a chain leave it alone; one that runs through it is refused by name,
as are faults of the file on the way. A joint with several freedoms is passed as a row of joints with one each.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from forearm.common.transforms import z_onto
from forearm.errors import ModelError
from forearm.models.mechanism import UNBOUNDED, Joint, Loop, Mechanism, Pair, Triple

Route = list[tuple[Joint, bool]]  # joints in order, and whether each is passed upward, from child to parent
Parents = Mapping[str, Joint]  # the joint that moves each link but the roots

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
TURNS = (("yaw", "continuous", Z), ("pitch", "revolute", Y), ("roll", "continuous", X))
SLIDES = (("x", "prismatic", X), ("y", "prismatic", Y), ("z", "prismatic", Z))
FREEDOMS: dict[str, tuple[tuple[str, str, Triple], ...]] = {  # name, kind and axis of each
    "planar": (*SLIDES[:2], TURNS[0]),  # the axis of the joint is the plane's normal
    "floating": (*SLIDES, *TURNS),
    "ball": TURNS,
}
UPRIGHT = (-math.pi / 2, math.pi / 2)  # of a pitch: yaw and roll make every orientation with it, each but once


def parent_joints(mechanism: Mechanism) -> dict[str, Joint]:
    """The joint that moves each link but the roots; of several that move one link, the first."""
    parents: dict[str, Joint] = {}
    for joint in mechanism.joints:
        parents.setdefault(joint.child, joint)
    return parents


def path(mechanism: Mechanism, parents: Parents, base: str, tip: str) -> Route:
    """The joints from one link to another: up to the link above both, then down. Refuses faults and loops on it."""
    above_base, above_tip = ancestors(parents, base), ancestors(parents, tip)
    shared = set(above_base) & set(above_tip)
    up = [(parents[link], True) for link in above_base if link not in shared and link in parents]
    down = [(parents[link], False) for link in above_tip if link not in shared and link in parents]
    route = up + down[::-1]
    _refuse_faults(mechanism, parents, route)
    if not shared:
        for above in (above_base, above_tip):
            if above[-1] in parents:
                raise ModelError(f"{mechanism.where} has a loop through link '{above[-1]}'; a chain needs a tree")
        raise ModelError(
            f"{mechanism.where} has no path from '{base}' to '{tip}': they are in separate trees with the "
            f"roots '{above_base[-1]}' and '{above_tip[-1]}'; with this tip choose {{argument}} from: "
            + ", ".join(above_tip[:0:-1][:MAX_FREE] or above_tip),
            argument="base=...",
        )
    _refuse_loops(mechanism, parents, route)
    _refuse_couplings(mechanism, parents, route)
    return route


def ancestors(parents: Parents, link: str) -> list[str]:
    """The link, its parent, and so on to the root; in a ring of joints, to where it comes back."""
    above, seen = [link], {link}
    while above[-1] in parents and parents[above[-1]].parent not in seen:
        above.append(parents[above[-1]].parent)
        seen.add(above[-1])
    return above


def _refuse_faults(mechanism: Mechanism, parents: Parents, route: Route) -> None:
    """Refuses what the file has wrong of the joints and links on a path."""
    joints = {joint.name for joint, _ in route}
    links = {link for joint, _ in route for link in (joint.parent, joint.child)}
    for fault in mechanism.faults:
        if joints & set(fault.joints) or links & set(fault.links):
            text, said = _instead(mechanism, parents, route) if fault.ties else ("", {})
            raise ModelError(f"{fault.text}; {text}" if text else fault.text, **said)


def _refuse_couplings(mechanism: Mechanism, parents: Parents, route: Route) -> None:
    """Refuses joints of a path that follow others by more than a line."""
    for joint, _ in route:
        couplings = mechanism.couplings_of(joint)
        if len(couplings) == 1 and not couplings[0].is_linear:
            text, said = _instead(mechanism, parents, route)
            told = f"{couplings[0].told(mechanism.where)}: {text}, or set polycoef to two numbers"
            raise ModelError(told, **said)


# -- loops ---------------------------------------------------------------------------------------


def _refuse_loops(mechanism: Mechanism, parents: Parents, route: Route) -> None:
    """Refuses loops that run through moving joints of a path: their joints do not move on their own."""
    moving = [joint.name for joint, _ in route if joint.kind != "fixed"]
    for joint in mechanism.joints:
        other = parents[joint.child]
        if other is not joint and _first(moving, _ring(parents, joint.parent, joint.child)):
            raise ModelError(
                f"{mechanism.where} has a loop: link '{joint.child}' is the child of both '{other.name}' and "
                f"'{joint.name}'; a chain needs a tree, so remove one of them"
            )
    for loop, ring in rings(mechanism, parents):
        if held := _first(moving, ring):
            text, said = _instead(mechanism, parents, route)
            raise ModelError(
                f"{mechanism.where} has a loop: the {loop.kind} '{loop.name}' holds '{loop.first}' to '{loop.second}', "
                f"so joint '{held}' does not move on its own; a chain cannot keep that closed: {text}, or take the "
                f"{loop.kind} out of the file",
                **said,
            )


def rings(mechanism: Mechanism, parents: Parents) -> Iterator[tuple[Loop, set[str]]]:
    """What holds links together, each with the names of the joints that it ties; what leads by hand ties none."""
    where = {link.name: link.name for link in mechanism.links} | {site.name: site.link for site in mechanism.sites}
    for loop in mechanism.loops:
        if loop.first in where and loop.second in where and not {where[loop.first], where[loop.second]} & mechanism.led:
            yield loop, _ring(parents, where[loop.first], where[loop.second])


def _ring(parents: Parents, first: str, second: str) -> set[str]:
    """The names of the joints on the way between two links."""
    links = set(ancestors(parents, first)) ^ set(ancestors(parents, second))
    return {parents[link].name for link in links if link in parents}


def _first(names: list[str], wanted: set[str]) -> str | None:
    """The first name that is wanted."""
    return next((name for name in names if name in wanted), None)


def _instead(mechanism: Mechanism, parents: Parents, route: Route) -> tuple[str, dict[str, str]]:
    """What to choose for a chain on which no joint is tied, in words, and what stands at their marks."""
    tied, root = _tied(mechanism, parents), ancestors(parents, route[0][0].parent)[-1]
    tips, words, said = [], list[str](), dict[str, str]()
    for leaf in mechanism.leaves():
        above = ancestors(parents, leaf)
        names = {parents[link].name for link in above if link in parents and parents[link].kind != "fixed"}
        if above[-1] == root and names and not names & tied:
            tips.append(leaf)
    if tips:
        words.append(f"{{argument}} from: {', '.join(tips[:MAX_FREE])}")
        said["argument"] = "tip=..."
    last = max((k for k, (joint, _) in enumerate(route) if joint.name in tied), default=0)
    if any(joint.kind != "fixed" for joint, _ in route[last + 1 :]):
        joint, upward = route[last]
        words.append("{base}, with the joints beyond it")
        said["base"] = f"base='{joint.parent if upward else joint.child}'"
    return ("choose " + ", or ".join(words) if words else "every tip is moved by such joints"), said


def _tied(mechanism: Mechanism, parents: Parents) -> set[str]:
    """The names of the joints that no chain can have: in loops, with faults, or following by more than a line."""
    tied = set[str]().union(*(ring for _, ring in rings(mechanism, parents)))
    links = {link for fault in mechanism.faults for link in fault.links}
    tied |= {name for fault in mechanism.faults for name in fault.joints}
    tied |= {joint.name for joint in mechanism.joints if {joint.parent, joint.child} & links}
    return tied | {each.follower for each in mechanism.couplings if not each.is_linear}


# -- joints with several freedoms ----------------------------------------------------------------


def opened(route: Route) -> Route:
    """A path on which each joint with several freedoms is a row of joints with one, named after it."""
    new: Route = []
    for joint, upward in route:
        row = [(each, upward) for each in _row(joint)]
        new += row[::-1] if upward else row
    return new


def _row(joint: Joint) -> list[Joint]:
    """A joint as joints with one freedom each: slides first, then yaw, pitch and roll."""
    freedoms = FREEDOMS.get(joint.kind, ())
    if not freedoms:
        return [joint]
    stands = [joint.parent, *(f"{joint.name}/{name}" for name, _, _ in freedoms[:-1]), joint.child]
    turn = z_onto(np.array(joint.axis)) if joint.kind == "planar" and any(joint.axis) else np.eye(4)
    row = []
    for k, (name, kind, axis) in enumerate(freedoms):
        x, y, z = (turn[:3, :3] @ axis).tolist()
        limits = _turn_limits(joint, name)
        row.append(
            replace(
                joint,
                name=f"{joint.name}/{name}",
                kind="revolute" if kind == "continuous" and limits != UNBOUNDED else kind,
                origin=joint.origin if k == 0 else np.eye(4),
                parent=stands[k],
                child=stands[k + 1],
                axis=(x, y, z),
                limits=limits,
                velocity=math.inf,
                behind=joint.behind if k == len(freedoms) - 1 else np.eye(4),
            )
        )
    return row


def _turn_limits(joint: Joint, name: str) -> Pair:
    """What one freedom of a joint may be: a pitch goes no further than upright; of a ball all stay inside its cone."""
    usual = UPRIGHT if name == "pitch" else UNBOUNDED
    if joint.kind != "ball" or not joint.limits or not joint.limits[1] < math.pi:
        return usual
    most = inscribed(joint.limits[1])
    return -most, most


def inscribed(angle: float) -> float:
    """The most that yaw, pitch and roll may each be so that all of them together turn by no more than an angle [rad].

    With all three at a the turn is at most t with cos(t/2) = cos(a/2)^3 - sin(a/2)^3, by the product of quaternions.
    """
    lower, upper = 0.0, angle
    for _ in range(HALVINGS):
        middle = 0.5 * (lower + upper)
        fits = math.cos(0.5 * middle) ** 3 - math.sin(0.5 * middle) ** 3 >= math.cos(0.5 * angle)
        lower, upper = (middle, upper) if fits else (lower, middle)
    return lower


HALVINGS = 60  # of an interval below pi: to the last bit
MAX_FREE = 20  # leaves that a message names
