"""A robot from an MJCF: the chain of joints between two of its bodies or sites.

MuJoCo itself reads the file, so includes, defaults, degrees and frames mean what they mean there,
and a joint's value is MuJoCo's `qpos`. All that does not move a frame is taken out before it
compiles (inertias, actuators, sensors), but for masses and for geoms: those that may touch something are its links'
shapes, planes and others of the world under their own names. Their meshes are read when distances are asked for, so a
missing file is no error; nor is a geom that MuJoCo refuses.
Equality constraints between joints are followed, as mimic joints are in a URDF; a loop closed by
`<connect>` or `<weld>` is no hindrance off the chain, and refused by name on it.

A body's pose in its parent is a fixed joint to the frame in which its own joints stand, one behind
the other: `upper/turn` is where the joint `turn` of the body `upper` is before it turns.
"""

import logging
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from forearm.common.folders import Folders, folders_of
from forearm.common.transforms import from_quaternion, inverse, translation
from forearm.common.types import Floats
from forearm.errors import ModelError
from forearm.models.cut import Dirs, Limits, Name, Source, Tool, cut
from forearm.models.ends import listed
from forearm.models.mechanism import UNBOUNDED, Coupling, Fault, Joint, Link, LinkShape, Mechanism, Site
from forearm.models.model import Model
from forearm.models.mujoco.compile import Compiled, compile_kinematics
from forearm.models.mujoco.text import NO_INERTIAL, Merged
from forearm.models.xml import file_of, parse_xml, read_text

JOINT_KINDS = ("floating", "ball", "prismatic", "revolute")  # in the order of mjtJoint
GREY = (0.5, 0.5, 0.5, 1.0)  # of a geom without a colour
SIZES: dict[str, Callable[[float, float, list[float]], tuple[float, ...]]] = {  # of geoms, as `LinkShape` has them
    "plane": lambda radius, half, all_: (),
    "sphere": lambda radius, half, all_: (radius,),
    "capsule": lambda radius, half, all_: (radius, 2.0 * half),
    "cylinder": lambda radius, half, all_: (radius, 2.0 * half),
    "ellipsoid": lambda radius, half, all_: tuple(all_),
    "box": lambda radius, half, all_: tuple(2.0 * each for each in all_),
}
WORDS = {"link": "body", "links": "bodies", "floating": "free", "mimics": "follows"}


def from_mjcf(
    source: Source, *, base: Name = None, tip: Name = None, tool: Tool = None, limits: Limits = None, folders: Dirs = ()
) -> Model:
    """The model of the chain between two bodies or sites of an MJCF.

    Where a site and a body share a name, the site is meant. What has no name is called by its
    number: `body3`, `site0`, and a joint `forearm/joint0` after its body. Includes in XML text are
    looked for in the working directory.

    Args:
        source: Path of the file, or the XML itself.
        base: Body or site in whose frame poses are given; the world by default.
        tip: Site or body to bring to the target; may be left out if a single site moves and nothing but a
            gripper moves beyond it, or else a single leaf body that no gripper moves.
        tool: (4, 4) pose of the tool in the tip's frame.
        limits: Limits by joint name that replace those of the file.
        folders: Further folders from which it may include files, beside its own, its package's and the packages
            around it.
    """
    mechanism = check_bodies(read_mjcf(source, folders))
    return cut(mechanism, base=base, tip=tip, tool=tool, limits=limits)


def check_bodies(mechanism: Mechanism) -> Mechanism:
    """The same mechanism, if it has any body."""
    if not mechanism.joints:
        raise ModelError(f"{mechanism.where} has no body but the world; it needs at least one <body> with a <joint>")
    return mechanism


def read_mjcf(source: Source, folders: Dirs = ()) -> Mechanism:
    """The mechanism of an MJCF, given by its path or as XML."""
    data, where = read_text(source, "MJCF")
    root = parse_xml(data, where, "mujoco")
    file, may_read = file_of(source) or Path.cwd() / "text", folders_of(file_of(source) or Path.cwd() / "text", folders)
    merged = Merged(may_read, file)
    try:
        made, fault = _compile(root, merged, where), ""
    except ModelError as problem:  # of its geoms, perhaps: without them it may be read
        again = parse_xml(data, where, "mujoco")
        made, fault = _compile(again, Merged(may_read, file, shapes=False), where), str(problem)
    compiled = made.model
    try:
        bodies = _names(compiled.body, compiled.nbody, (f"body{k}" for k in range(compiled.nbody)))
        sites = _names(compiled.site, compiled.nsite, (f"site{k}" for k in range(compiled.nsite)))
        firsts, owners = compiled.body_jntadr, compiled.jnt_bodyid.tolist()
        numbers = (f"{bodies[body]}/joint{k - int(firsts[body])}" for k, body in enumerate(owners))
        names = _names(compiled.joint, compiled.njnt, numbers)
        couplings = tuple(_read_couplings(compiled, names))
        shapes = _read_geoms(made, bodies, may_read) if not fault else _no_geoms(bodies, fault)
    except UnicodeDecodeError as problem:
        raise ModelError(f"{where} has a name that is not UTF-8: {problem.object!r}; save it as UTF-8") from None
    joints = [joint for body in range(1, compiled.nbody) for joint in _read_body(compiled, body, bodies, names)]
    links = [bodies[0], *(joint.child for joint in joints)]
    masses = _masses(made, bodies, merged, not fault)
    site_poses = map(_pose, compiled.site_pos, compiled.site_quat)
    return Mechanism(
        name=root.get("model") or "robot",
        where=where,
        links=tuple(
            _link(name, tuple(shapes.get(name, ())), name not in bodies, masses, name == bodies[0]) for name in links
        ),
        joints=tuple(joints),
        couplings=couplings,
        loops=made.loops,
        allowed=tuple(made.excluded),
        sites=tuple(map(Site, sites, (bodies[k] for k in compiled.site_bodyid), site_poses)),
        note=_note(merged, where),
        words=WORDS,
        faults=tuple(_tied(merged, dict(zip(sites, (bodies[k] for k in compiled.site_bodyid), strict=True)))),
        led=frozenset(bodies[k] for k in range(compiled.nbody) if compiled.body_mocapid[k] >= 0),
    )


def _masses(made: Compiled, bodies: Sequence[str], merged: Merged, readable: bool) -> dict[str, tuple[float, ...]]:
    """Mass and centre of mass of bodies by name: of the file's `<inertial>`, or by their geoms, if these are known."""
    found = {}
    for k, name in enumerate(bodies[1:], 1):
        of_geoms = made.masses[k].tolist()
        own = merged.masses.get(name if made.model.body(k).name or merged.models else "")
        if own is None:
            continue  # a copy, of which the file does not say what it has
        bare = own == NO_INERTIAL
        if not readable:
            own = (math.nan, 0.0, 0.0, 0.0) if bare else own
        elif (made.from_geoms == "always" and of_geoms[0] != 0.0) or (bare and made.from_geoms != "never"):
            own = of_geoms
        elif bare:
            own = (0.0, 0.0, 0.0, 0.0)
        found[name] = (own[0] if own[0] >= made.least_mass or math.isnan(own[0]) else made.least_mass, *own[1:])
    return found


def _link(name: str, shapes: tuple[LinkShape, ...], made_up: bool, masses: Mapping[str, Any], is_world: bool) -> Link:
    """A body with its shapes and its mass; the world has none."""
    mass, x, y, z = masses.get(name, (math.nan if shapes and not is_world else 0.0, 0.0, 0.0, 0.0))
    return Link(name, shapes, made_up, mass, (x, y, z))


def _tied(merged: Merged, homes: Mapping[str, str]) -> Iterator[Fault]:
    """What tendons tie together, as faults of the joints, or of the bodies on which their sites are."""
    for name, joints, sites in merged.ties:
        links = tuple(sorted({homes[site] for site in sites if site in homes}))
        what = f"joint '{min(joints)}'" if joints else f"'{min(links, default='nothing')}'"
        text = f"the equality '{name}' of tendons ties {what}, which a chain cannot keep"
        yield Fault(text, tuple(sorted(joints)), links, ties=True)


def _note(merged: Merged, where: str) -> str:
    """Where a robot comes from, and the tendons whose limits it may leave; a warning of the logger names these too."""
    if not merged.bounded:
        return f"read from {where}"
    unkept = f"the limits of tendons are not kept, of: {listed(merged.bounded)}"
    logging.getLogger("forearm").warning("%s: %s", where, unkept)
    return f"read from {where}; {unkept}"


def _compile(root: Element, merged: Merged, where: str) -> Compiled:
    """What MuJoCo makes of a file."""
    text, _ = merged.text(root, merged.main, where)
    return compile_kinematics(text, merged.models, where)


def _read_geoms(made: Compiled, bodies: Sequence[str], folders: Folders) -> dict[str, list[LinkShape]]:
    """The shapes of every body: its geoms that may touch something."""
    compiled, shapes = made.model, dict[str, list[LinkShape]]()
    for k in range(compiled.ngeom):
        contype, conaffinity = int(compiled.geom_contype[k]), int(compiled.geom_conaffinity[k])
        if not contype | conaffinity:
            continue
        body = bodies[int(compiled.geom_bodyid[k])]
        name, kind, mesh = made.geoms[int(compiled.geom(k).name)]
        about: dict[str, Any] = {"link": (body == bodies[0] and name) or body, "frame": -1, "folders": folders}
        about |= {"pose": _pose(compiled.geom_pos[k], compiled.geom_quat[k]), "masks": (contype, conaffinity)}
        about["colour"] = _colour(compiled.geom_rgba[k])
        radius, half = compiled.geom_size[k, :2].tolist()
        if kind == "mesh":
            before = inverse(_pose(*mesh.place)) if mesh.place else None
            known = {"file": mesh.file, "corners": mesh.corners if len(mesh.corners) else None, "before": before}
            shape = LinkShape(kind="hull", size=mesh.scale, **known, **about)
        elif kind == "hfield" and mesh is not None:
            shape = LinkShape(kind=kind, size=mesh.size, file=mesh.file, corners=mesh.heights, **about)
        elif mesh is not None or kind not in SIZES:
            reason = (
                f"a geom of it fits a {kind} to a mesh" if mesh and kind in SIZES else f"a geom of it is of type {kind}"
            )
            shape = LinkShape(kind="unreadable", size=(), file=f"{reason}, which is not read", **about)
        else:
            shape = LinkShape(kind=kind, size=SIZES[kind](radius, half, compiled.geom_size[k].tolist()), **about)
        shapes.setdefault(body, []).append(shape)
    return shapes


def _colour(rgba: Floats) -> str | None:
    """The colour "#rrggbb" of a geom; None of MuJoCo's grey, which stands for none."""
    plain = np.allclose(rgba, GREY, atol=1e-6)
    return None if plain else "#" + bytes(np.round(255.0 * np.clip(rgba[:3], 0.0, 1.0)).astype(int).tolist()).hex()


def _no_geoms(bodies: Sequence[str], fault: str) -> dict[str, list[LinkShape]]:
    """The shapes of bodies whose geoms cannot be read, all for one reason."""
    return {body: [LinkShape(body, -1, np.eye(4), "unreadable", (), fault)] for body in bodies[1:] or bodies}


def _names(named: Any, count: int, made_up: Iterator[str]) -> list[str]:
    """The names of things, made up where there is none; all of them differ."""
    names = [named(k).name for k in range(count)]
    taken = set(names)
    for k, number in enumerate(made_up):
        new = names[k] or number
        while not names[k] and new in taken:
            new += "_"
        names[k] = new
        taken.add(new)
    return names


def _read_body(compiled: Any, body: int, bodies: Sequence[str], names: Sequence[str]) -> Iterator[Joint]:
    """A body's pose in its parent as a fixed joint, then its own joints, each standing where the one before led."""
    first, count = int(compiled.body_jntadr[body]), int(compiled.body_jntnum[body])
    own = range(first, first + count)
    parent, name = bodies[int(compiled.body_parentid[body])], bodies[body]
    stands = [*(f"{name}/{names[k]}" for k in own), name]
    pose = _pose(compiled.body_pos[body], compiled.body_quat[body])
    if any(JOINT_KINDS[int(compiled.jnt_type[k])] == "floating" for k in own):
        pose = np.eye(4)  # the values of a free joint are where it is, not where it moved
    yield Joint(f"{parent} to {name}", "fixed", pose, parent, stands[0])
    for k, stand, led in zip(own, stands, stands[1:], strict=False):
        yield _read_joint(compiled, k, names[k], stand, led)


def _read_joint(compiled: Any, k: int, name: str, parent: str, child: str) -> Joint:
    """A joint that moves by `q - ref` along or about its axis through its anchor."""
    kind = JOINT_KINDS[int(compiled.jnt_type[k])]
    lower, upper = compiled.jnt_range[k].tolist()
    # MuJoCo leaves a joint whose range is reversed or no number unlimited without a word; here it is kept and refused.
    limits = (lower, upper) if compiled.jnt_limited[k] or not lower <= upper else UNBOUNDED
    anchor = compiled.jnt_pos[k]
    x, y, z = compiled.jnt_axis[k].tolist()
    return Joint(
        name=name,
        kind="continuous" if kind == "revolute" and limits == UNBOUNDED else kind,
        origin=translation(*anchor),
        parent=parent,
        child=child,
        axis=(x, y, z),
        limits=limits,
        zero=float(compiled.qpos0[compiled.jnt_qposadr[k]]) if kind in ("revolute", "prismatic") else 0.0,
        behind=translation(*(0.0 - anchor)),  # not -anchor: no negative zeros
    )


def _read_couplings(compiled: Any, joints: Sequence[str]) -> Iterator[Coupling]:
    """The active equality constraints between joints."""
    for k in np.flatnonzero(compiled.eq_active0).tolist():
        follower, driver = int(compiled.eq_obj1id[k]), int(compiled.eq_obj2id[k])
        yield Coupling(
            name=compiled.equality(k).name or f"equality{k}",
            follower=joints[follower],
            driver=joints[driver] if driver >= 0 else None,
            polynomial=tuple(compiled.eq_data[k, :5].tolist()),
        )


def _pose(pos: Floats, quat: Floats) -> Floats:
    # MuJoCo makes zeros of a quaternion too long to be squared; on the path it is refused as not finite.
    T = from_quaternion(*quat.tolist()) if quat.any() else np.full((4, 4), np.nan)
    T[:3, 3] = pos
    return T
