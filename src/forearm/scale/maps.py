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
from forearm.scale.reach_map import AXES, KEY, ReachMap, load_map
from forearm.scale.resume import check_resumed, saying_how_to_go_on
from forearm.scale.run import open_pool, run_all
from forearm.scale.zarr_files import Place, ZarrArray, sweep, write_group

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
        scheduler: Address of a Dask scheduler whose workers shall do the work.
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
    arrays = {name: ZarrArray(path, name, plan.shape, (plan.chunk,) * 3) for name in plan.names}
    share, packed = arrays["share"], plan.packed()
    prepare(plan, path, resume, arrays)

    def write(result: dict[str, Any], packed: bytes, place: Place) -> int:
        for name in plan.names:  # the share last
            arrays[name].write(place, result[name])
        return int(result["share"].size) * plan.orientations

    def what_is_left() -> str:
        return f"{sum(not share.has(place) for place in missing)} of {len(missing)} chunks are still to do"

    with only_writer(path):
        missing = [place for place in share.places() if not all(array.has_whole(place) for array in arrays.values())]
        boxes = ([part.stop - part.start for part in share.box(place)] for place in missing)
        total = sum(math.prod(sizes) for sizes in boxes) * plan.orientations
        if tell is not None:
            tell(0, total)
        with saying_how_to_go_on(path, what_is_left), open_pool(workers, scheduler) as pool:
            run_all(pool, map_chunk, ((packed, place) for place in missing), write, tell, total)
        sweep(path)
    return load_map(path)


def prepare(plan: MapPlan, path: Path, resume: bool, arrays: dict[str, ZarrArray]) -> None:
    """Makes the empty map, or checks that the one that is there is of the same plan."""
    size = len(arrays) * math.prod(arrays["share"].grid) * (4 * plan.chunk**3 + BLOCK)
    if os.path.lexists(path):
        try:
            there = load_map(path).settings
        except OptionError:
            fault = f"'{path}' is there and is no map of forearm"
            raise OptionError(f"{fault}; choose another name, or remove it") from None
        check_resumed(path, there, plan.settings(), resume)
        check_place(path, size - sum(file.stat().st_size for file in path.rglob("*") if file.is_file()))
        return
    check_place(path, size)
    making = path.with_name(f"{path.name}.making")
    shutil.rmtree(making, ignore_errors=True)
    parts: dict[str, tuple[ZarrArray, Any]] = {
        name: (array, {"_ARRAY_DIMENSIONS": list(AXES), "description": ABOUT[name]}) for name, array in arrays.items()
    }
    along = {axis: ZarrArray(making, axis, (n,), (n,), "<f8") for axis, n in zip(AXES, plan.shape, strict=True)}
    about = {axis: (array, {"_ARRAY_DIMENSIONS": [axis], "units": "m"}) for axis, array in along.items()}
    write_group(making, {KEY: plan.settings()}, parts | about)
    for k, array in enumerate(along.values()):
        array.write((0,), plan.coordinates(k))
    sweep(making)
    making.rename(path)
