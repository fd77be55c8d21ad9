"""Masses of bodies by their geoms, as MuJoCo computes them for bodies without `<inertial>`.

A geom weighs what it says, or its volume times its density, and its centre is its own place: all kinds that are read
without a file are symmetric. What MuJoCo would ask a mesh for is not a number here.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from forearm.common.types import Floats

MASS, DENSITY, COUNTS = range(3)
VOLUMES: dict[str, Callable[[Floats], float]] = {  # [m^3] by the sizes of a compiled geom
    "sphere": lambda size: 4.0 / 3.0 * math.pi * size[0] ** 3,
    "capsule": lambda size: math.pi * size[0] ** 2 * (4.0 / 3.0 * size[0] + 2.0 * size[1]),
    "cylinder": lambda size: math.pi * size[0] ** 2 * 2.0 * size[1],
    "ellipsoid": lambda size: 4.0 / 3.0 * math.pi * float(np.prod(size)),
    "box": lambda size: 8.0 * float(np.prod(size)),
    "plane": lambda size: 0.0,
    "hfield": lambda size: 0.0,
}


def geom_weights(spec: Any, mujoco: Any) -> Floats:
    """(g, 3) the mass and density that the file gives each geom, and whether it counts: not a number where unknown."""
    low, high = spec.compiler.inertiagrouprange
    rows = []
    for geom in spec.geoms:
        solid = geom.typeinertia == mujoco.mjtGeomInertia.mjINERTIA_VOLUME
        known = not geom.meshname or geom.mass == 0.0
        rows.append(
            [geom.mass if known else math.nan, geom.density if known and solid else math.nan, low <= geom.group <= high]
        )
    return np.array(rows, float).reshape(-1, 3)


def masses_of_geoms(compiled: Any, kinds: list[str], weights: Floats) -> Floats:
    """(b, 4) mass and centre of each body by its geoms, in its own frame.

    Args:
        compiled: MuJoCo's model, whose geoms are called by number.
        kinds: What each geom is, by that number.
        weights: (g, 3) of `geom_weights`, by that number.
    """
    moments = np.zeros((compiled.nbody, 4))
    for k in range(compiled.ngeom):
        number = int(compiled.geom(k).name)
        mass, density, counts = weights[number].tolist()
        if not counts:
            continue
        if math.isnan(mass):
            mass = density * VOLUMES[kinds[number]](compiled.geom_size[k]) if kinds[number] in VOLUMES else math.nan
        moments[compiled.geom_bodyid[k]] += mass * np.array([1.0, *compiled.geom_pos[k]])
    weighs = moments[:, 0] != 0.0
    moments[weighs, 1:] /= moments[weighs, :1]
    return moments
