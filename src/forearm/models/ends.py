"""The ends of a chain: which base and tip are meant where none is named, and which to propose.

Taken without a word is only what cannot be meant otherwise: the root above the tip as base; as tip the one site or
leaf that moves, if nothing moves beyond it. What no joint moves is no tip. The fingers of a gripper are none either:
what carries them, the body that a tool's target is given for, is proposed first.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from forearm.errors import ModelError, nearest_names
from forearm.models.mechanism import Joint, Mechanism, Site
from forearm.models.routes import Parents, ancestors

MAX_CHOICES = 60  # humanoids with hands have some forty tips; scenes of copies have thousands
FINGER = re.compile(r"finger|thumb|jaw|knuckle|claw|pinch", re.IGNORECASE)  # of joints and of what they move
GRIP = re.compile(r"grip|finger|jaw", re.IGNORECASE)  # of joints alone: what a wrist carries is called gripper too
# What a target is mostly given for, in this order, and what hardly ever is.
WANTED = re.compile(r"hand|grip|tool|tcp|palm|flange|eef|end_?eff", re.I), re.compile(r"foot|feet|ankle|sole|toe", re.I)
SELDOM = re.compile(
    r"imu|logo|cam(era)?(\d|_|$)|optical|sensor|lidar|laser|radar|gps|antenna|[dt]4\d\d|mid360|realsense|(^|_)(led|light)s?(_|$)",
    re.IGNORECASE,
)
WRIST = re.compile(r"wrist|roll|pitch|yaw|rot|flex|lift", re.IGNORECASE)
MAX_FINGER = 4  # joints in a row of a finger without a name that tells
MIN_ARM = 3  # joints in front of a fork for it to be a gripper, if no name tells


@dataclass(frozen=True)
class Ends:
    """What may be a tip of a mechanism, seen from a base.

    Attributes:
        tools: The links that carry a gripper, arm by arm.
        sites: The sites that move.
        leaves: The links on which no joint stands and that move.
        last: Those of all these beyond which nothing moves, or a gripper only.
    """

    tools: tuple[str, ...]
    sites: tuple[str, ...]
    leaves: tuple[str, ...]
    last: frozenset[str]

    @property
    def shown(self) -> str:
        """All of them in words: what carries a gripper first, then hands, then feet; sensors and marks last."""
        marked = [f"{name} (carries the gripper)" for name in self.tools]
        rest = (name for name in (*self.sites, *self.leaves) if name not in self.tools)
        return listed([*marked, *sorted(rest, key=_rank)])


def _rank(name: str) -> int:
    """How far back a tip stands among those that are proposed."""
    if SELDOM.search(name):
        return len(WANTED) + 1
    return next((rank for rank, pattern in enumerate(WANTED) if pattern.search(name)), len(WANTED))


def choose_ends(mechanism: Mechanism, parents: Parents, base: str | None, tip: str | None) -> tuple[Site, Site]:
    """Base and tip by their names, or those that must be meant; else an error proposes what to choose."""
    start = None if base is None else find_frame(base, mechanism, parents, "base")
    if tip is None:
        tip = only_tip(mechanism, parents, start.link if start else None)
    end = find_frame(tip, mechanism, parents, "tip")
    if start is None:
        root = only_base(mechanism, parents, end.link)
        start = Site(root, root, np.eye(4))
    return start, end


def only_base(mechanism: Mechanism, parents: Parents, tip: str) -> str:
    """The root above the tip."""
    root = ancestors(parents, tip)[-1]
    known = {link.name for link in mechanism.links if not link.made_up}
    if root in known and root not in parents:
        return root
    roots = mechanism.roots()
    return roots[0] if roots else root  # the path to it then tells what is wrong


def only_tip(mechanism: Mechanism, parents: Parents, base: str | None) -> str:
    """The one site, or else leaf, that moves and has nothing but a gripper beyond it; else an error lists what does."""
    if base is None:
        check_roots(mechanism)
    ends = find_ends(mechanism, parents, base)
    if len(ends.sites) == 1 and ends.sites[0] in ends.last:
        return ends.sites[0]
    if len(ends.leaves) == 1 and not ends.tools:
        return ends.leaves[0]
    if not ends.sites and not ends.leaves:
        leaves = mechanism.leaves()
        if len(leaves) == 1 and leaves[0] != base:
            return leaves[0]  # that no joint moves it is told with its name
        raise ModelError(f"{mechanism.where} has no joint that moves a {mechanism.word('link')}; a chain needs one")
    sites, leaves_found = len(ends.sites), len(ends.leaves)
    found = f"{sites} site{'s' if sites > 1 else ''} and " if sites else ""
    found += f"{leaves_found} {mechanism.word('link' if leaves_found == 1 else 'links')} at the end of a branch"
    if ends.tools and leaves_found == 1:
        found += ", which a gripper moves"
    raise ModelError(f"{mechanism.where} has {found}; choose {{argument}} from: {ends.shown}", argument="tip=...")


def check_roots(mechanism: Mechanism) -> None:
    """Refuses a mechanism that stands on nothing."""
    if mechanism.roots():
        return
    if mechanism.faults:
        raise ModelError(mechanism.faults[0].text)
    if mechanism.joints:
        name = mechanism.joints[0].parent
        raise ModelError(f"{mechanism.where} has a loop through link '{name}'; a chain needs a tree")
    raise ModelError(f"{mechanism.where} has no root link; it needs at least one <link>")


def find_frame(name: str, mechanism: Mechanism, parents: Parents, end: str) -> Site:
    """The site of that name, or else the link, as a frame on itself."""
    found = [site for site in mechanism.sites if site.name == name]
    found += [Site(name, name, np.eye(4)) for link in mechanism.links if link.name == name]
    if found:
        return found[0]
    what = f"site or {mechanism.word('link')}" if mechanism.sites else mechanism.word("link")
    if end == "base":
        ends = f"roots are: {listed(mechanism.roots())}"
    else:
        ends = f"tips are: {find_ends(mechanism, parents, None).shown}"
    known = {site.name for site in mechanism.sites} | {link.name for link in mechanism.links if not link.made_up}
    close = nearest_names(name, known)
    raise ModelError(f"{what} '{name}' is not in {mechanism.where}; {ends}; {close}")


def listed(names: Iterable[str]) -> str:
    """Names in a row, each once, and how many more there are."""
    names = list(dict.fromkeys(names))
    more = len(names) - MAX_CHOICES
    return ", ".join(names[:MAX_CHOICES]) + (f" and {more} more" if more > 0 else "")


# -- what moves, and what carries a gripper ------------------------------------------------------


def find_ends(mechanism: Mechanism, parents: Parents, base: str | None) -> Ends:
    """What may be a tip, seen from a base, or from the roots."""
    bodies = _rigid_bodies(mechanism, parents)
    still = {bodies[link] for link in ([base] if base is not None else mechanism.roots())}
    tree = {ancestors(parents, base)[-1]} if base is not None else None
    branches = _branches(mechanism, bodies)
    tools = _gripper_carriers(mechanism, parents, bodies, branches)

    def moves(link: str) -> bool:
        return bodies[link] not in still and (tree is None or ancestors(parents, link)[-1] in tree)

    sites = tuple(site.name for site in mechanism.sites if moves(site.link))
    leaves = tuple(link for link in mechanism.leaves() if moves(link))
    carriers = {bodies[link] for link in tools}
    ended = {body for body in set(bodies.values()) if body in carriers or not branches.get(body)}
    last = {site.name for site in mechanism.sites if bodies[site.link] in ended}
    return Ends(
        tuple(link for link in tools if moves(link)),
        sites,
        leaves,
        frozenset(last | {link for link in leaves if bodies[link] in ended}),
    )


def _rigid_bodies(mechanism: Mechanism, parents: Parents) -> dict[str, str]:
    """For every link the uppermost one that is fixed to it."""
    bodies: dict[str, str] = {}
    for link in (link.name for link in mechanism.links):
        way = []
        while link not in bodies and link in parents and parents[link].kind == "fixed" and link not in way:
            way.append(link)
            link = parents[link].parent  # noqa: PLW2901
        top = bodies.get(link, link)
        bodies |= dict.fromkeys([*way, link], top)
    return bodies


def _branches(mechanism: Mechanism, bodies: dict[str, str]) -> dict[str, list[Joint]]:
    """The joints that move on each rigid body."""
    branches: dict[str, list[Joint]] = {}
    for joint in mechanism.joints:
        if joint.kind != "fixed":
            branches.setdefault(bodies[joint.parent], []).append(joint)
    return branches


def _gripper_carriers(
    mechanism: Mechanism, parents: Parents, bodies: dict[str, str], branches: dict[str, list[Joint]]
) -> list[str]:
    """The links that carry a gripper and that a joint moves, found from the roots outward; none within a gripper."""
    made_up = {link.name for link in mechanism.links if link.made_up}
    carriers, seen = [], set[str]()
    waiting = [(bodies[root], 0) for root in mechanism.roots()]
    while waiting:
        body, above = waiting.pop(0)
        if body in seen:
            continue
        seen.add(body)
        joints = branches.get(body, [])
        if joints and all(_is_finger(joint, bodies, branches, above, len(joints)) for joint in joints):
            if above:
                carriers.append(next(link for link in ancestors(parents, joints[0].parent) if link not in made_up))
            continue
        waiting += [(bodies[joint.child], above + 1) for joint in joints]
    return carriers


def _is_finger(
    joint: Joint, bodies: dict[str, str], branches: dict[str, list[Joint]], above: int, siblings: int
) -> bool:
    """Whether a joint moves a finger: by what it is called, or as one of several short branches that end an arm."""
    depth = _depth(joint, bodies, branches)
    named = GRIP.search(joint.name) or FINGER.search(joint.name)
    if not named and (siblings > 1 or depth == 1):  # a lone link with more behind it is what carries the finger
        named = FINGER.search(joint.child)
    if named and depth <= MAX_FINGER + 1 and not WRIST.search(joint.name):
        return True
    return siblings > 1 and above >= MIN_ARM and depth <= MAX_FINGER


def _depth(joint: Joint, bodies: dict[str, str], branches: dict[str, list[Joint]]) -> int:
    """How many joints stand on one another from this one on; counted no further than a finger has."""
    level, depth = [joint], 0
    while level and depth <= MAX_FINGER + 1:
        level = [each for above in level for each in branches.get(bodies[above.child], [])]
        depth += 1
    return depth
