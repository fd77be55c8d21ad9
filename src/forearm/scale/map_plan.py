"""What a reachability map is of: the arm, the grid, the orientations, what counts as reached."""

import math
import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np

from forearm.arm.structure import Kind
from forearm.common.checks import as_count, as_floats, as_number
from forearm.common.defaults import DEFAULT_CLEARANCE
from forearm.common.types import Floats
from forearm.errors import OptionError
from forearm.robot import Robot
from forearm.scale.resume import settings_of
from forearm.scenes.scene import Scene, as_scene
from forearm.solve.collision import TRIES_AMONG, guard_of

FORMAT = 1  # of the settings; another number is another kind of map
MOST_ORIENTATIONS = 1_000_000
MOST_VOXELS = 10**12
TARGETS = ("pose", "axis", "position")
# Voxels along each edge of a chunk: 25,600 poses at 50 orientations, about a second of one processor,
# which is what a kill loses; among obstacles a pose costs a hundred times more.
CHUNK, CHUNK_AMONG = 8, 4
# Starts before a pose counts as not reachable; benchmarks/maps.py counts what they miss: none of 2,151
# reachable poses of a Panda. Behind a complete closed form the search only looks after singular poses.
TRIES, TRIES_BEHIND_FORM = 100, 8


@dataclass(frozen=True, eq=False)
class MapPlan:
    """A reachability map to be made, as `plan_map` takes it; plain data, so that it travels to other machines."""

    robot: Robot
    first: tuple[int, int, int]  # place of the lowest voxel on the lattice of all; its center is at first * resolution
    shape: tuple[int, int, int]  # voxels along x, y and z
    resolution: float
    orientations: int
    target: str
    tries: int
    chunk: int
    obstacles: Scene | None
    clearance: float
    self_collision: bool

    @property
    def is_guarded(self) -> bool:
        """Whether reached means reached without touching anything."""
        return self.obstacles is not None or self.self_collision

    @property
    def among(self) -> dict[str, Any]:
        """What to keep away from, as `Robot.solve_batch` takes it."""
        return {"obstacles": self.obstacles, "clearance": self.clearance, "self_collision": self.self_collision}

    @property
    def names(self) -> tuple[str, ...]:
        """The arrays of the map; the share is written last, so its chunk says that all are there."""
        return ("manipulability", "clearance", "share") if self.is_guarded else ("manipulability", "share")

    def coordinates(self, axis: int) -> Floats:
        """The centers of the voxels along an axis [m]."""
        places = np.arange(self.shape[axis], dtype=np.float64)
        return (self.first[axis] + places) * self.resolution

    def settings(self) -> dict[str, Any]:
        """All that the numbers in the map depend on, for its attributes."""
        return {"format": FORMAT} | settings_of(self, self.is_guarded)

    def packed(self) -> bytes:
        """The plan as bytes, the same for the same plan: what a worker gets."""
        return pickle.dumps(self, protocol=5)


def plan_map(
    robot: Robot,
    *,
    resolution: float = 0.05,
    orientations: int = 50,
    bounds: Any = None,
    target: str | None = None,
    tries: int | None = None,
    chunk: int | None = None,
    obstacles: Any = None,
    clearance: float | None = None,
    self_collision: bool | None = None,
) -> MapPlan:
    """A plan, checked.

    Args:
        robot: The arm.
        resolution: Edge of a voxel [m].
        orientations: How many are asked at each voxel; 1 for target="position".
        bounds: (2, 3) lowest and highest corner [m]; all that the arm could reach by default.
        target: "pose" with roll, "axis" for where the tool's z axis points, or "position"; by default what the arm's
            joints can do: pose for six or more, axis for five, position for fewer.
        tries: Starts before a pose counts as not reachable.
        chunk: Voxels along the edge of a chunk.
        obstacles: What to keep away from, as for `Robot.solve`.
        clearance: To keep from it [m].
        self_collision: Whether the arm must not touch itself; by default if there are obstacles.
    """
    edge = as_number(resolution, "resolution", OptionError)
    if not 0.0 < edge < math.inf:
        raise OptionError(f"{{argument}} is {edge:g} m; it takes a positive length", argument="resolution")
    kind = choose_target(robot, target)
    itself = obstacles is not None if self_collision is None else self_collision
    scene = None if obstacles is None else as_scene(obstacles)
    guarded = scene is not None or itself is not False
    first, shape = lattice(robot, edge, bounds)
    tries = default_tries(robot, kind, guarded) if tries is None else tries
    chunk = (CHUNK_AMONG if guarded else CHUNK) if chunk is None else chunk
    clearance = DEFAULT_CLEARANCE if clearance is None else clearance
    return MapPlan(
        robot,
        first,
        shape,
        edge,
        orientations=as_count(orientations, "orientations", MOST_ORIENTATIONS) if kind != "position" else 1,
        target=kind,
        tries=as_count(tries, "tries", MOST_ORIENTATIONS),
        chunk=as_count(chunk, "chunk", 512),
        obstacles=scene,
        clearance=guard_of(robot._prepared, scene, clearance, itself).clearance if guarded else 0.0,
        self_collision=itself,
    )


def choose_target(robot: Robot, target: str | None) -> str:
    """What is asked of the tip at each voxel."""
    if target is None:
        return "pose" if robot.n >= 6 else "axis" if robot.n == 5 else "position"
    if target not in TARGETS:
        raise OptionError(f"{{argument}} is {target!r}; it takes one of: {', '.join(TARGETS)}", argument="target")
    return target


def default_tries(robot: Robot, target: str, guarded: bool) -> int:
    """Few where a closed form has already given every branch."""
    complete = target == "pose" and robot.structure.kind not in (Kind.NONE, Kind.LOCKED)
    return TRIES_BEHIND_FORM if complete else TRIES_AMONG if guarded else TRIES


def lattice(robot: Robot, edge: float, bounds: Any) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """The lowest voxel and the number of them along each axis.

    Centers lie at whole multiples of the resolution, so all maps of one resolution share a lattice, and
    planes such as z = 0 go through centers.
    """
    if bounds is None:
        if not math.isfinite(robot.reach):
            raise OptionError(f"{robot.name} slides without limits, so it has no bounds of its own; give bounds")
        shoulder = robot.model.links[0][:3, 3]  # the first joint's origin, which `reach` is counted from
        corners = np.array([shoulder - robot.reach, shoulder + robot.reach])
    else:
        corners = as_floats(bounds, "bounds", OptionError)
        if corners.shape != (2, 3) or not (corners[0] < corners[1]).all():
            raise OptionError(
                f"{{argument}} is {corners.tolist()}; it takes two corners, (2, 3): the lower one first, "
                "and the other above it along x, y and z",
                argument="bounds",
            )
    first = np.floor(corners[0] / edge + 0.5 + ON_EDGE)
    shape = np.maximum(np.ceil(corners[1] / edge - 0.5 - ON_EDGE) - first + 1, 1)
    voxels = float(np.prod(shape))
    if not voxels <= MOST_VOXELS:
        raise OptionError(
            f"the map would have {voxels:.3g} voxels; at most {MOST_VOXELS:g} work: use a larger resolution"
        )
    x, y, z = (int(value) for value in first)
    i, j, k = (int(value) for value in shape)
    return (x, y, z), (i, j, k)


ON_EDGE = 1e-9  # voxels: a bound this near to the lattice lies on it, as 0.3 / 0.1 does
