"""One chunk of a reachability map: what every worker does, here or on a cluster."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.common.types import Floats
from forearm.core.arm.kinematics import best_manipulability
from forearm.results.batch import BatchSolution
from forearm.scale.map_plan import MapPlan
from forearm.scale.run import unpack
from forearm.scale.zarr_files import Place
from forearm.solve.collision import guard_of
from forearm.targets.many import Targets, frames
from forearm.targets.target import PointAxis, Pose, Position

MOST_POSES = 16_384  # solved at a time: some MB of arrays, however many orientations there are


def map_chunk(packed: bytes, place: Place) -> dict[str, NDArray[np.float32]]:
    """The arrays of a chunk, by name: the same bits wherever and whenever it is made.

    Args:
        packed: A `MapPlan` as `MapPlan.packed` gives it.
        place: The chunk's place in the grid of chunks.
    """
    plan: MapPlan = unpack(packed)
    points, shape = centers(plan, place)
    rows = max(1, MOST_POSES // plan.orientations)
    parts = [solve_voxels(plan, points[i : i + rows]) for i in range(0, len(points), rows)]
    joined = {name: np.concatenate([part[name] for part in parts]) for name in plan.names}
    return {name: values.astype(np.float32).reshape(shape) for name, values in joined.items()}


def centers(plan: MapPlan, place: Place) -> tuple[Floats, tuple[int, ...]]:
    """(N, 3) the voxels' centers in a chunk [m], and how many there are along each axis."""
    along = [plan.coordinates(axis)[i * plan.chunk : (i + 1) * plan.chunk] for axis, i in enumerate(place)]
    grid = np.stack(np.meshgrid(*along, indexing="ij"), axis=-1)
    return np.ascontiguousarray(grid.reshape(-1, 3)), grid.shape[:3]


def solve_voxels(plan: MapPlan, points: Floats) -> dict[str, Floats]:
    """What the map says of some voxels, one row each."""
    robot, count = plan.robot, plan.orientations
    targets = targets_at(plan, points)
    batch = robot.solve_batch(targets, threads=1, max_tries=plan.tries)
    met, Q = batch.success, batch.q
    if plan.is_guarded:
        met, Q, gaps = free_answers(plan, targets, batch)
    met, Q = met.reshape(len(points), count), Q.reshape(len(points), count, robot.n)
    model, best = robot._prepared.model, np.empty(len(points))
    rows = 6 if plan.target == "pose" else 3
    work = np.empty(16 * (model.m + 1) + 12 * model.n)
    best_manipulability(model.links, model.joints, Q, met, rows, work, best)
    voxels = {"share": met.mean(axis=1), "manipulability": best}
    if plan.is_guarded:
        reached, total = met.sum(axis=1), np.where(met, gaps.reshape(met.shape), 0.0).sum(axis=1)
        voxels["clearance"] = np.divide(total, reached, out=np.full(len(points), np.nan), where=reached > 0)
    return voxels


def free_answers(plan: MapPlan, targets: Any, batch: BatchSolution) -> tuple[NDArray[np.bool_], Floats, Floats]:
    """Which targets have an answer that touches nothing, the answers, and their clearances [m].

    An answer that is free as it is stands; the search among obstacles looks at the others. What cannot be
    reached at all needs no second look.
    """
    robot, met, Q, gaps = plan.robot, batch.success.copy(), batch.q.copy(), np.full(len(batch), np.nan)
    reached = np.flatnonzero(met)
    if not len(reached):
        return met, Q, gaps
    guard = guard_of(robot._prepared, **plan.among)
    gaps[reached] = guard.measure(Q[reached])[0]
    struck = reached[np.isfinite(guard.measure(Q[reached], plan.clearance)[0])]
    if len(struck):
        again = robot.solve_batch(targets.only(struck), threads=1, max_tries=plan.tries, **plan.among)
        met[struck], Q[struck], gaps[struck] = again.success, again.q, again.clearance
    return met, Q, gaps


def targets_at(plan: MapPlan, points: Floats) -> Targets:
    """Every orientation at every point, the orientations fastest."""
    count = plan.orientations
    each = np.repeat(points, count, axis=0)
    if plan.target == "position":
        return Position.many(each)
    directions = plan.directions
    around = np.tile(directions, (len(points), *(1,) * (directions.ndim - 1)))
    if plan.target == "axis":
        return PointAxis.many(each, around)
    return Pose.many(frames(around, each, len(each)))
