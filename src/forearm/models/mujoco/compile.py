"""Has MuJoCo compile the kinematics of an MJCF, where its geoms are, and nothing else.

It is given a text without what moves no frame (`text.py`); what is left of that is taken out before compiling. A
geom with a mesh or a height field is compiled as a small ball in its place: MuJoCo reads none.

Each call of MuJoCo is made in a thread of its own. Its messages go through a handler that it sets in the thread for
the time of a call and does not take back when a file ends that call with an exception; the next message in that thread
would then be handed from the handler to itself, for ever.
"""

import importlib
import math
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from forearm.common.threads import attend
from forearm.common.types import Floats
from forearm.errors import MissingExtraError, ModelError
from forearm.models.mechanism import Loop
from forearm.models.mujoco.masses import geom_weights, masses_of_geoms

# What MuJoCo compiles but no frame depends on; what refers to others comes before them.
NOT_KINEMATIC = (
    "sensors", "actuators", "keys", "tendons", "pairs", "excludes", "tuples", "numerics", "texts", "skins", "flexes",
    "cameras", "lights", "textures", "hfields", "plugins",
)  # fmt: skip

# Sizes a file may ask for that only take up memory here; MuJoCo's own choice will do.
SIZES = (
    "memory", "nstack", "njmax", "nconmax", "nkey", "nuserdata", "nuser_body", "nuser_jnt", "nuser_geom", "nuser_site",
    "nuser_cam", "nuser_tendon", "nuser_actuator", "nuser_sensor",
)  # fmt: skip

NAME = "forearm.xml"  # of the text; MuJoCo tells MJCF by the ending
LINE = re.compile(r",? ?\bline \d+")

# A tetrahedron, which stands for every mesh.
CORNERS = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
FACES = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]

FROM_GEOMS = {
    "mjINERTIAFROMGEOM_TRUE": "always",
    "mjINERTIAFROMGEOM_AUTO": "where the file says none",
    "mjINERTIAFROMGEOM_FALSE": "never",
}

MAX_BROKEN = 20  # loops that are taken out one by one

# MuJoCo has one warning handler for all threads, as Python has, so only one at a time may exchange it.
HANDLER_LOCK = Lock()


class Compiled(NamedTuple):
    """What MuJoCo made of a file."""

    model: Any  # bodies, joints, sites, joint couplings; geoms are called by their number here
    loops: tuple[Loop, ...]  # that were left out of it
    geoms: list[tuple[str, str, Any]]  # the name of each, what it is, and its mesh, if it has one
    excluded: list[tuple[str, str]]  # pairs of bodies that may touch
    masses: Floats  # (b, 4) mass and centre of each body by its geoms
    from_geoms: str  # whether these count: "always", "where the file says none" or "never"
    least_mass: float  # of a body that moves


def compile_kinematics(text: bytes, models: Mapping[str, bytes], where: str) -> Compiled:
    """MuJoCo's compiled model of the bodies, joints, sites, geoms and joint couplings alone.

    Args:
        text: The file's kinematics, see `text.py`.
        models: The texts of the models that it attaches.
        where: What the file is called in messages.
    """
    try:
        mujoco = importlib.import_module("mujoco")
    except ImportError:
        raise MissingExtraError("reading MJCF", "mjcf") from None
    try:
        made: Compiled = apart(mujoco, lambda: _of_text(mujoco, text, models))
        return made
    except (ValueError, RuntimeError, MemoryError, mujoco.FatalError) as problem:
        # The lines it names are those of a text that no one has seen.
        said = LINE.sub("", " ".join(str(problem).split())) or type(problem).__name__
        raise ModelError(f"MuJoCo cannot read {where}: {said}; correct that and try again") from None


def apart(mujoco: Any, call: Callable[[], Any]) -> Any:
    """What a call of MuJoCo gives, made in a thread that ends with it; its warnings are printed nowhere."""

    def unprinted() -> Any:
        with unprinted_warnings(mujoco):
            return call()

    return attend(unprinted, lambda: None)  # nothing ends it early


def _of_text(mujoco: Any, text: bytes, models: Mapping[str, bytes]) -> Compiled:
    """What MuJoCo makes of a text and of the models that it attaches."""
    spec = mujoco.MjSpec.from_file(NAME, include={NAME: text, **models})
    loops = tuple(_read_loops(spec, mujoco))
    excluded = [(each.bodyname1, each.bodyname2) for each in spec.excludes]
    weights, wish = geom_weights(spec, mujoco), FROM_GEOMS[spec.compiler.inertiafromgeom.name]
    least_mass = float(spec.compiler.boundmass)
    geoms = list(_stand_ins(spec, mujoco))
    _keep_kinematics(spec, mujoco)
    model = _compiled(spec, loops, mujoco)
    masses = masses_of_geoms(model, [kind for _, kind, _ in geoms], weights)
    return Compiled(model, loops, geoms, excluded, masses, wish, least_mass)


def _read_loops(spec: Any, mujoco: Any) -> Iterator[Loop]:
    """The active constraints that hold two bodies or sites together; one that names no second holds to the world."""
    kinds = {mujoco.mjtEq.mjEQ_CONNECT: "connect", mujoco.mjtEq.mjEQ_WELD: "weld"}
    for k, equality in enumerate(spec.equalities):
        if equality.type in kinds and equality.active:
            name = equality.name or f"equality{k}"
            yield Loop(name, kinds[equality.type], equality.name1, equality.name2 or "world")


def _stand_ins(spec: Any, mujoco: Any) -> Iterator[tuple[str, str, Any]]:
    """What each geom is; those that need what MuJoCo is not given become balls, and all are called by number."""
    meshes = {mesh.name: Mesh(mesh) for mesh in spec.meshes}
    fields = {field.name: Field(field) for field in spec.hfields}
    for k, geom in enumerate(spec.geoms):
        kind = geom.type.name.removeprefix("mjGEOM_").lower()
        mesh = meshes.get(geom.meshname, Mesh()) if geom.meshname else None
        yield geom.name, kind, fields.get(geom.hfieldname) if kind == "hfield" else mesh
        if geom.meshname or kind not in ("plane", "sphere", "capsule", "ellipsoid", "cylinder", "box"):
            geom.meshname, geom.hfieldname, geom.type = "", "", mujoco.mjtGeom.mjGEOM_SPHERE
            geom.size, geom.fromto = np.array([1.0, 0.0, 0.0]), np.full(6, math.nan)
        geom.name = str(k)


class Mesh:
    """What an MJCF says of a mesh; kept after MuJoCo's own is taken out."""

    def __init__(self, mesh: Any = None) -> None:
        self.file: str = mesh.file if mesh else ""
        self.scale: tuple[float, ...] = tuple(mesh.scale.tolist()) if mesh else (1.0, 1.0, 1.0)
        self.place = (mesh.refpos.copy(), mesh.refquat.copy()) if mesh else None
        self.corners = np.array(mesh.uservert, float).reshape(-1, 3) if mesh else np.empty((0, 3))


class Field:
    """What an MJCF says of a height field."""

    def __init__(self, field: Any) -> None:
        self.file: str = field.file
        self.size: tuple[float, ...] = tuple(field.size.tolist())
        self.heights = None if field.file else np.array(field.userdata, float).reshape(field.nrow, field.ncol)


def _compiled(spec: Any, loops: tuple[Loop, ...], mujoco: Any) -> Any:
    """The compiled model; loops that name what is not there are taken out, if there are few."""
    try:
        return spec.compile()
    except ValueError:
        if not 0 < len(loops) <= MAX_BROKEN:
            raise
    for equality in list(spec.equalities):
        if equality.type != mujoco.mjtEq.mjEQ_JOINT:
            spec.delete(equality)
    return spec.compile()


def _keep_kinematics(spec: Any, mujoco: Any) -> None:
    """Takes out of a parsed model what no frame depends on, and gives every body some mass."""
    for equality in spec.equalities:
        if equality.type != mujoco.mjtEq.mjEQ_JOINT:
            equality.active = False  # taking one out costs as much as all bodies do
    for kind in NOT_KINEMATIC:
        for element in list(getattr(spec, kind)):
            spec.delete(element)
    for mesh in spec.meshes:  # no geom has one now; taking out hundreds of them costs seconds
        mesh.file, mesh.uservert, mesh.userface = "", CORNERS, FACES
        mesh.scale, mesh.refpos, mesh.refquat = np.ones(3), np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
    for material in spec.materials:  # kept, as sites may name them
        material.textures = [""] * len(material.textures)
    for site in spec.sites:
        site.material = ""
    for body in spec.bodies:  # a mass and an inertia that MuJoCo accepts for any moving body
        body.plugin.active = False
        body.explicitinertial = True
        body.mass, body.inertia = 1.0, np.ones(3)
        body.fullinertia = np.full(6, math.nan)  # not given
        body.ipos, body.iquat = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
        body.ialt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT
    for joint in spec.joints:
        joint.armature = 1.0  # or two joints on one axis would make the mass matrix singular
        if joint.limited == mujoco.mjtLimited.mjLIMITED_FALSE:
            joint.range = np.zeros(2)  # it does not count, so whether it is one plays no part
    untouched = mujoco.MjSpec()
    for size in SIZES:
        setattr(spec, size, getattr(untouched, size))
    compiler = spec.compiler  # no body should vanish and no mass be computed
    compiler.fusestatic = False
    compiler.discardvisual = False
    compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
    compiler.settotalmass = -1.0
    compiler.boundmass = compiler.boundinertia = 0.0


@contextmanager
def unprinted_warnings(mujoco: Any) -> Iterator[None]:
    """Keeps MuJoCo's warnings, most of them about masses, from the terminal and MUJOCO_LOG.TXT."""
    with HANDLER_LOCK, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(lambda _: None)
        try:
            yield
        finally:
            mujoco.set_mju_user_warning(before)
