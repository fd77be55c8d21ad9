"""Makes a reachability map, chunk by chunk, each written as it finishes; a killed run can go on."""

import math
import os
import shutil
from pathlib import Path
from typing import Any

from forearm.common.threads import Tell, telling
from forearm.errors import OptionError
from forearm.robot import Robot
from forearm.scale.disk import BLOCK, check_place, only_writer
from forearm.scale.map_chunk import map_chunk
from forearm.scale.map_plan import MapPlan, plan_map
from forearm.scale.reach_map import AXES, KEY, ReachMap, load_map, read_settings
from forearm.scale.resume import check_resumed, saying_how_to_go_on
from forearm.scale.run import open_pool, run_all
from forearm.scale.zarr_files import Arrays, Place, ZarrArray, mend_arrays, sweep, write_group

ABOUT = {
    "share": "share of the orientations that are reachable inside the joint limits",
    "manipulability": "the best of Yoshikawa's measures among the answers found, one per orientation",
    "clearance": "mean distance of the answers found to the nearest obstacle or link [m]",
}


def make_map(
    robot: Robot,
    path: str | Path,
    *,
    resume: bool = False,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: bool | Tell = False,
    **settings: Any,
) -> ReachMap:
    """Makes a reachability map and opens it.

    Args:
        robot: The arm.
        path: Directory to make, such as "map.zarr".
        resume: Whether to go on with a map that is there, made with the same settings.
        workers: How many threads; one per processor by default.
        scheduler: Address of a Dask scheduler whose workers should do the work.
        progress: True draws a bar on standard error; or a function of (poses done, poses in all).
        **settings: What `plan_map` takes: resolution, orientations, bounds, target, tries, chunk, obstacles,
            clearance, self_collision.
    """
    with telling(progress) as tell:
        return run_map(plan_map(robot, **settings), Path(path), resume, workers, scheduler, tell)


def run_map(
    plan: MapPlan, path: Path, resume: bool, workers: int | None, scheduler: str | None, tell: Tell | None
) -> ReachMap:
    """Makes what is missing of the map of a plan: the chunks that are not there, or damaged."""
    arrays = {name: contents(plan, path)[name][0] for name in plan.names}
    share, packed = arrays["share"], plan.packed()
    check(plan, path, resume, arrays)

    def write(result: dict[str, Any], packed: bytes, place: Place) -> int:
        for name in plan.names:  # the share last
            arrays[name].write(place, result[name])
        return int(result["share"].size) * plan.orientations

    def is_whole(place: Place) -> bool:
        return all(array.has_whole(place) for array in arrays.values())

    missing = list(share.places())

    def what_is_left() -> str:
        return f"{sum(not share.has(place) for place in missing)} of {len(missing)} chunks are still to do"

    with open_pool(workers, scheduler) as pool, saying_how_to_go_on(path, what_is_left):
        make_empty(plan, path)
        with only_writer(path):
            mend_arrays(path, contents(plan, path))
            write_coordinates(plan, path)
            missing = [place for place in missing if not is_whole(place)]
            boxes = ([part.stop - part.start for part in share.box(place)] for place in missing)
            total = sum(math.prod(sizes) for sizes in boxes) * plan.orientations
            if tell is not None:
                tell(0, total)
            run_all(pool, map_chunk, ((packed, place) for place in missing), write, tell, total)
            sweep(path)
    return load_map(path)


def check(plan: MapPlan, path: Path, resume: bool, arrays: dict[str, ZarrArray]) -> None:
    """Refuses a place that cannot be written, or where something else is than a map of the same plan to go on with."""
    size = len(arrays) * math.prod(arrays["share"].grid) * (4 * plan.chunk**3 + BLOCK)
    if os.path.lexists(path):
        try:
            there = read_settings(path)
        except OptionError:
            fault = f"'{path}' is there and is no map of forearm"
            raise OptionError(f"{fault}; choose another name, or remove it") from None
        check_resumed(path, there, plan.settings(), resume)
        size -= sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    check_place(path, size)


def make_empty(plan: MapPlan, path: Path) -> None:
    """Makes the map without its chunks, whole or not at all, unless there is one to go on with."""
    if path.is_dir():
        return
    making = path.with_name(f"{path.name}.making")
    shutil.rmtree(making, ignore_errors=True)
    write_group(making, {KEY: plan.settings()}, contents(plan, making))
    write_coordinates(plan, making)
    sweep(making)
    making.rename(path)


def contents(plan: MapPlan, path: Path) -> Arrays:
    """The arrays of a map: its quantities, and the coordinates along each axis."""
    whole = {name: ZarrArray(path, name, plan.shape, (plan.chunk,) * 3) for name in plan.names}
    along = {axis: ZarrArray(path, axis, (n,), (n,), "<f8") for axis, n in zip(AXES, plan.shape, strict=True)}
    about: Arrays = {
        name: (array, {"_ARRAY_DIMENSIONS": list(AXES), "description": ABOUT[name]}) for name, array in whole.items()
    }
    return about | {axis: (array, {"_ARRAY_DIMENSIONS": [axis], "units": "m"}) for axis, array in along.items()}


def write_coordinates(plan: MapPlan, path: Path) -> None:
    """Writes the coordinates along each axis where they are not there or damaged."""
    arrays = contents(plan, path)
    for k, axis in enumerate(AXES):
        array, _ = arrays[axis]
        if not array.has_whole((0,)):
            array.write((0,), plan.coordinates(k))
