"""One chunk of a reachability map: what every worker does, here or on a cluster."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.common.types import Floats
from forearm.core.arm.kinematics import best_manipulability
from forearm.results.batch import BatchSolution
from forearm.scale.map_plan import MapPlan
from forearm.scale.orientations import even_directions, even_rotations
from forearm.scale.run import unpack
from forearm.scale.zarr_files import Place
from forearm.solve.collision import guard_of
from forearm.targets.many import Targets, frames
from forearm.targets.target import PointAxis, Pose, Position

MOST_POSES = 16_384  # solved at a time: some MB of arrays, however many orientations there are


def map_chunk(packed: bytes, place: Place) -> dict[str, NDArray[np.float32]]:
    """The arrays of a chunk of a packed `MapPlan`, by name: the same bits wherever and whenever it is made."""
    plan: MapPlan = unpack(packed)
    along = [plan.coordinates(axis)[i * plan.chunk : (i + 1) * plan.chunk] for axis, i in enumerate(place)]
    grid = np.stack(np.meshgrid(*along, indexing="ij"), axis=-1)  # (X, Y, Z, 3) the voxels' centers [m]
    points = np.ascontiguousarray(grid.reshape(-1, 3))
    rows = max(1, MOST_POSES // plan.orientations)
    parts = [solve_voxels(plan, points[i : i + rows]) for i in range(0, len(points), rows)]
    joined = {name: np.concatenate([part[name] for part in parts]) for name in plan.names}
    return {name: values.astype(np.float32).reshape(grid.shape[:3]) for name, values in joined.items()}


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
    gaps[reached] = guard.measure(Q[reached], np.inf)[0]
    struck = reached[np.isfinite(guard.measure(Q[reached], plan.clearance)[0])]
    if len(struck):
        again = robot.solve_batch(targets.only(struck), threads=1, max_tries=plan.tries, **plan.among)
        met[struck], Q[struck], gaps[struck] = again.success, again.q, guard.measure(again.q, np.inf)[0]
    return met, Q, gaps


def targets_at(plan: MapPlan, points: Floats) -> Targets:
    """Every orientation at every point, the orientations fastest."""
    each = np.repeat(points, plan.orientations, axis=0)
    if plan.target == "position":
        return Position.many(each)
    if plan.target == "axis":
        return PointAxis.many(each, np.tile(even_directions(plan.orientations), (len(points), 1)))
    rotations = np.tile(even_rotations(plan.orientations), (len(points), 1, 1))
    return Pose.many(frames(rotations, each, len(each)))
