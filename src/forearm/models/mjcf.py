"""A robot from an MJCF: the chain of joints between two of its bodies or sites.

MuJoCo itself reads the file, so includes, defaults, degrees and frames mean what they mean there,
and a joint's value is MuJoCo's `qpos`. All that does not move a frame is taken out before it
compiles (geoms, assets, masses, actuators, sensors), so a missing mesh file is no error.
Equality constraints between joints are followed, as mimic joints are in a URDF; loops closed by
`<connect>` or `<weld>` are not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from forearm.common.transforms import from_quaternion, inverse, translation
from forearm.common.types import Floats
from forearm.errors import MAX_NAMES_SHOWN, ModelError, nearest_names
from forearm.models.assemble import UNBOUNDED, Limits, Segment, Variable, assemble, file_limits, read_limits
from forearm.models.mjcf_compile import check_bounded, compile_kinematics
from forearm.models.model import Model
from forearm.models.xml import parse_xml, read_text

JOINT_TYPES = ("free", "ball", "slide", "hinge")  # in the order of mjtJoint


@dataclass(frozen=True)
class Coupling:
    """An equality constraint: `joint - ref = polynomial(driver - driver's ref)`, lowest power first."""

    name: str
    driver: int | None
    polynomial: tuple[float, ...]


@dataclass(frozen=True)
class MjcfJoint:
    """One compiled joint: it moves by `q - ref` along or about `axis` through `anchor`."""

    name: str
    kind: str
    body: str
    anchor: Floats
    axis: tuple[float, float, float]
    limits: tuple[float, float] | None
    ref: float
    couplings: tuple[Coupling, ...]


@dataclass(frozen=True)
class Frame:
    """A body or a site: its pose in a body, by that body's index."""

    name: str
    body: int
    pose: Floats


@dataclass(frozen=True)
class Tree:
    """The compiled bodies, their joints and the frames that can be named."""

    where: str
    bodies: tuple[Frame, ...]  # each posed in its parent, the world in itself
    body_joints: tuple[tuple[int, ...], ...]
    joints: tuple[MjcfJoint, ...]
    sites: tuple[Frame, ...]

    def leaves(self) -> list[int]:
        """The bodies that hold no other."""
        parents = {body.body for body in self.bodies}
        return [k for k in range(len(self.bodies)) if k not in parents]

    def tips(self) -> list[str]:
        """The names that make sense as a tip: sites first, then leaf bodies."""
        names = [site.name for site in self.sites] + [self.bodies[k].name for k in self.leaves()]
        return list(dict.fromkeys(names))


def from_mjcf(
    source: str | bytes | Path,
    *,
    base: str | None = None,
    tip: str | None = None,
    tool: ArrayLike | None = None,
    limits: Limits | None = None,
) -> Model:
    """The model of the chain between two bodies or sites of an MJCF.

    Where a site and a body share a name, the site is meant. What has no name is called by its
    number: `body3`, `site0`, and a joint `forearm/joint0` after its body. Includes in XML text are
    looked for in the working directory.

    Args:
        source: Path of the file, or the XML itself.
        base: Body or site in whose frame poses are given; the world by default.
        tip: Site or body to bring to the target; may be left out if there is a single site, or
            no single site but a single leaf body.
        tool: (4, 4) pose of the tool in the tip's frame.
        limits: Limits by joint name that replace those of the file.
    """
    data, where = read_text(source, "MJCF")
    root = parse_xml(data, where, "mujoco")
    file = _file_of(source, where)
    check_bounded(root, file, where)
    tree = read_tree(compile_kinematics(data, file, where), where)
    start = Frame("world", 0, np.eye(4)) if base is None else _frame(base, tree)
    end = _only_tip(tree) if tip is None else _frame(tip, tree)
    given = read_limits(limits, [joint.name for joint in tree.joints], where)
    segments = chain(tree, start, end, given)
    name = root.get("model") or "robot"
    return assemble(segments, name=name, base=start.name, tip=end.name, tool=tool, note=f"read from {where}")


def _file_of(source: str | bytes | Path, where: str) -> Path:
    """The file that was read, or a name in the working directory for XML text."""
    if isinstance(source, bytes) or where == "the MJCF text":
        return Path.cwd() / "text"
    return Path(source).absolute()


def read_tree(compiled: Any, where: str) -> Tree:
    """The frames and joints of a compiled model as plain data."""
    try:
        body_names = [compiled.body(k).name or f"body{k}" for k in range(compiled.nbody)]
        site_names = [compiled.site(k).name or f"site{k}" for k in range(compiled.nsite)]
        joints = _read_joints(compiled, body_names)
    except UnicodeDecodeError as problem:
        raise ModelError(f"{where} has a name that is not UTF-8: {problem.object!r}; save it as UTF-8") from None
    bodies = map(Frame, body_names, compiled.body_parentid.tolist(), map(_pose, compiled.body_pos, compiled.body_quat))
    sites = map(Frame, site_names, compiled.site_bodyid.tolist(), map(_pose, compiled.site_pos, compiled.site_quat))
    spans = zip(compiled.body_jntadr.tolist(), compiled.body_jntnum.tolist(), strict=True)
    return Tree(
        where=where,
        bodies=tuple(bodies),
        body_joints=tuple(tuple(range(first, first + count)) for first, count in spans),
        joints=joints,
        sites=tuple(sites),
    )


def chain(tree: Tree, base: Frame, tip: Frame, limits: Limits) -> list[Segment]:
    """The segments from base to tip: up to the body above both, then down."""
    above_base, above_tip = _ancestors(tree, base.body), _ancestors(tree, tip.body)
    shared = set(above_base) & set(above_tip)
    segments = [Segment(base.name, inverse(_finite(base, tree)))]
    for body in above_base:
        if body not in shared:
            segments += reversed(_body_segments(tree, body, True, limits))
    for body in reversed(above_tip):
        if body not in shared:
            segments += _body_segments(tree, body, False, limits)
    return [*segments, Segment(tip.name, _finite(tip, tree))]


def _read_joints(compiled: Any, body_names: Sequence[str]) -> tuple[MjcfJoint, ...]:
    names, couplings = _joint_names(compiled, body_names), _read_couplings(compiled)
    joints = []
    for k, name in enumerate(names):
        x, y, z = compiled.jnt_axis[k].tolist()
        joints.append(
            MjcfJoint(
                name=name,
                kind=JOINT_TYPES[int(compiled.jnt_type[k])],
                body=body_names[int(compiled.jnt_bodyid[k])],
                anchor=compiled.jnt_pos[k].copy(),
                axis=(x, y, z),
                limits=_read_range(compiled, k),
                ref=float(compiled.qpos0[compiled.jnt_qposadr[k]]),
                couplings=tuple(couplings.get(k, ())),
            )
        )
    return tuple(joints)


def _read_range(compiled: Any, k: int) -> tuple[float, float] | None:
    """A joint's range if it has one that counts, or one that is reversed or no number.

    MuJoCo leaves a joint with such a range unlimited without a word; here it is kept and refused.
    """
    lower, upper = compiled.jnt_range[k].tolist()
    return (lower, upper) if compiled.jnt_limited[k] or not lower <= upper else None


def _joint_names(compiled: Any, body_names: Sequence[str]) -> list[str]:
    """The joints' names, made up after their body where there is none; all of them differ."""
    names = [compiled.joint(k).name for k in range(compiled.njnt)]
    taken = set(names)
    for k, name in enumerate(names):
        body = int(compiled.jnt_bodyid[k])
        new = name or f"{body_names[body]}/joint{k - int(compiled.body_jntadr[body])}"
        while not name and new in taken:
            new += "_"
        names[k] = new
        taken.add(new)
    return names


def _read_couplings(compiled: Any) -> dict[int, list[Coupling]]:
    """The active equality constraints by the index of the joint that follows."""
    couplings: dict[int, list[Coupling]] = {}
    for k in range(compiled.neq):
        if not compiled.eq_active0[k]:
            continue
        driver = int(compiled.eq_obj2id[k])
        name = compiled.equality(k).name or f"equality{k}"
        coupling = Coupling(name, driver if driver >= 0 else None, tuple(compiled.eq_data[k, :5].tolist()))
        couplings.setdefault(int(compiled.eq_obj1id[k]), []).append(coupling)
    return couplings


def _pose(pos: Floats, quat: Floats) -> Floats:
    T = from_quaternion(*quat.tolist())
    T[:3, 3] = pos
    return T


def _ancestors(tree: Tree, body: int) -> list[int]:
    """The body, its parent, and so on to the world."""
    above = [body]
    while above[-1] != 0:
        above.append(tree.bodies[above[-1]].body)
    return above


def _body_segments(tree: Tree, body: int, upward: bool, limits: Limits) -> list[Segment]:
    """A body's pose in its parent, then its joints; passed upward each is an inverse."""
    pose = _finite(tree.bodies[body], tree)
    fixed = Segment(tree.bodies[body].name, inverse(pose) if upward else pose)
    return [fixed, *(_joint_segment(tree, k, upward, limits) for k in tree.body_joints[body])]


def _joint_segment(tree: Tree, index: int, upward: bool, limits: Limits) -> Segment:
    """The segment of a joint on the path; one held at a value gets the ratio 0."""
    joint = tree.joints[index]
    _check_joint(joint, upward, tree)
    driver, ratio, offset = _follow_couplings(tree, index)
    sign = -1.0 if upward else 1.0
    kind = _kind(driver, limits)
    return Segment(
        name=joint.name,
        origin=translation(*joint.anchor),
        variable=Variable(driver.name, kind, _limits_of(driver, tree, limits)),
        axis=joint.axis,
        kind="prismatic" if joint.kind == "slide" else "revolute",
        ratio=sign * ratio,
        offset=sign * (offset - joint.ref),
        limits=UNBOUNDED if joint is driver else _motion_limits(joint, sign, tree, limits),
        behind=translation(*-joint.anchor),
    )


def _check_joint(joint: MjcfJoint, upward: bool, tree: Tree) -> None:
    """Refuses joints with several degrees of freedom, and numbers that are none."""
    label = f"joint '{joint.name}' of body '{joint.body}' in {tree.where}"
    if joint.kind not in ("hinge", "slide"):
        side = "choose base and tip on one side of it" if upward else "choose {argument} or one behind it"
        raise ModelError(
            f"{label} is a {joint.kind} joint, with several degrees of freedom; a chain takes hinge and slide "
            f"joints, so {side}",
            argument=f"base='{joint.body}'",
        )
    if not np.isfinite([*joint.anchor, *joint.axis, joint.ref]).all():
        raise ModelError(f"{label} has a pos, axis or ref that is not finite; correct it")


def _follow_couplings(tree: Tree, index: int) -> tuple[MjcfJoint, float, float]:
    """The joint that drives this one, with `q = ratio * q_driver + offset`."""
    joint, ratio, offset, seen = tree.joints[index], 1.0, 0.0, [index]
    while joint.couplings:
        coupling = _only_linear(joint, tree)
        shift, slope = coupling.polynomial[:2]
        if coupling.driver is None or slope == 0.0:
            return joint, 0.0, offset + ratio * (joint.ref + shift)
        driver = tree.joints[coupling.driver]
        if coupling.driver in seen:
            raise ModelError(
                f"joint '{driver.name}' in {tree.where} follows itself by equality '{coupling.name}'; "
                "remove one of the constraints in the ring"
            )
        offset += ratio * (joint.ref + shift - slope * driver.ref)
        ratio *= slope
        seen.append(coupling.driver)
        joint = driver
    return joint, ratio, offset


def _only_linear(joint: MjcfJoint, tree: Tree) -> Coupling:
    """The one constraint a joint follows, if it is linear."""
    coupling = joint.couplings[0]
    if len(joint.couplings) > 1:
        names = ", ".join(f"'{c.name}'" for c in joint.couplings)
        raise ModelError(
            f"joint '{joint.name}' in {tree.where} follows {len(joint.couplings)} equality constraints: {names}; "
            "a joint can follow one, so remove the others"
        )
    if any(coupling.polynomial[2:]) or not np.isfinite(coupling.polynomial).all():
        raise ModelError(
            f"equality '{coupling.name}' in {tree.where} moves joint '{joint.name}' by the polynomial "
            f"{list(coupling.polynomial)}; only finite, linear couplings are supported, so choose a base and a tip "
            "that leave the joint out, or set polycoef to two numbers"
        )
    return coupling


def _kind(joint: MjcfJoint, limits: Limits) -> str:
    if joint.kind == "slide":
        return "prismatic"
    return "continuous" if joint.limits is None and joint.name not in limits else "revolute"


def _limits_of(joint: MjcfJoint, tree: Tree, limits: Limits) -> tuple[float, float]:
    """A joint's limits: the caller's, else the file's, else none."""
    if joint.name in limits:
        return limits[joint.name]
    return UNBOUNDED if joint.limits is None else file_limits(joint.limits, joint.name, tree.where)


def _motion_limits(joint: MjcfJoint, sign: float, tree: Tree, limits: Limits) -> tuple[float, float]:
    """The limits of a following joint, counted from its ref and in the direction of passage."""
    lower, upper = sorted(sign * (bound - joint.ref) for bound in _limits_of(joint, tree, limits))
    return lower, upper


def _finite(frame: Frame, tree: Tree) -> Floats:
    if not np.isfinite(frame.pose).all():
        raise ModelError(f"'{frame.name}' in {tree.where} has a pos or an orientation that is not finite; correct it")
    return frame.pose


def _frame(name: str, tree: Tree) -> Frame:
    """The site, or else the body, of that name."""
    for site in tree.sites:
        if site.name == name:
            return site
    for k, body in enumerate(tree.bodies):
        if body.name == name:
            return Frame(name, k, np.eye(4))
    names = {frame.name for frame in (*tree.sites, *tree.bodies)}
    raise ModelError(
        f"'{name}' is neither a site nor a body of {tree.where}; tips are: {_listed(tree.tips())}; "
        f"{nearest_names(str(name), names)}"
    )


def _only_tip(tree: Tree) -> Frame:
    """The single site, else the single leaf body, else an error that lists the choices."""
    leaves = tree.leaves()
    if len(tree.sites) == 1:
        return tree.sites[0]
    if len(leaves) == 1:
        return Frame(tree.bodies[leaves[0]].name, leaves[0], np.eye(4))
    if not leaves:
        raise ModelError(f"{tree.where} has no body but the world; it needs at least one <body> with a <joint>")
    raise ModelError(
        f"{tree.where} has {len(tree.sites)} sites and {len(leaves)} leaf bodies; "
        f"choose {{argument}} from: {_listed(tree.tips())}",
        argument="tip=...",
    )


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MAX_NAMES_SHOWN
    return ", ".join(names[:MAX_NAMES_SHOWN]) + (f" and {more} more" if more > 0 else "")
