"""`forearm map` makes a reachability map, `forearm map-show` looks at one."""

import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.markup import escape

from forearm.cli import INTERRUPTED, flags, numbers, read, robots, show
from forearm.common.bars import drawing
from forearm.common.units import Units
from forearm.errors import OptionError
from forearm.scale.map_pictures import text_slice
from forearm.scale.map_plan import TARGETS, plan_map
from forearm.scale.maps import run_map
from forearm.scale.reach_map import ReachMap, load_map


def make(
    robot: flags.Robot,
    out: Annotated[Path, typer.Option(help="Directory to make, such as map.zarr.")],
    resolution: Annotated[float, typer.Option(help="Edge of a voxel.")] = 0.05,
    orientations: Annotated[int, typer.Option(help="Orientations tried at each voxel, spread evenly.")] = 50,
    bounds: Annotated[flags.Text, typer.Option(help="Two corners, six numbers; by default all it can reach.")] = None,
    target: Annotated[
        flags.Text, typer.Option(help=f"One of {', '.join(TARGETS)}; by default what the joints can do.")
    ] = None,
    tries: Annotated[flags.Count, typer.Option(help="Starts before a pose counts as not reachable.")] = None,
    chunk: Annotated[flags.Count, typer.Option(help="Voxels along the edge of a chunk.")] = None,
    workers: flags.Workers = None,
    scheduler: flags.Scheduler = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the map that is there.")] = False,
    self_collision: flags.SelfCollision = None,
    obstacles: flags.Obstacles = None,
    clearance: flags.Clearance = None,
    radius: flags.Radius = None,
    tool: flags.Tool = None,
    base: flags.Base = None,
    tip: flags.Tip = None,
    folder: flags.Folder = [],  # noqa: B006
    arg: flags.Arg = [],  # noqa: B006
    limit: flags.Limit = [],  # noqa: B006
    deg: flags.DegIn = False,
    mm: flags.MmIn = False,
    json: flags.Json = False,
) -> None:
    """Map what an arm reaches: the share of orientations, the best manipulability, the clearance.

    [bold]Examples:[/]

      forearm map ur5 --resolution 0.05 --orientations 50 --out ur5.zarr

      forearm map ur5 --resolution 0.05 --orientations 50 --out ur5.zarr --resume

      forearm map panda --out panda.zarr --obstacles scene.toml --scheduler tcp://10.0.0.5:8786
    """
    units = Units(deg, mm)
    file = robots.FileFlags(base, tip, folder, arg, limit)
    arm, guard = read.read_arm(robot, file, tool, read.GuardFlags(obstacles, clearance, radius, self_collision), units)
    corners = None if bounds is None else units.read_lengths(numbers.read_numbers(bounds, "--bounds", 6)).reshape(2, 3)
    how: dict[str, Any] = {"orientations": orientations, "target": target, "tries": tries, "chunk": chunk} | guard
    plan = plan_map(arm, resolution=float(units.read_lengths([resolution])[0]), bounds=corners, **how)
    begin = time.monotonic()
    try:
        with drawing(f"map of {arm.name}", "poses") as tell:
            made = run_map(plan, out, resume, workers, scheduler, tell)
    except KeyboardInterrupt:
        there = f"what was made of '{out}' is written" if out.is_dir() else "nothing is written"
        show.complain(f"stopped; {there}: --resume goes on")
        raise typer.Exit(INTERRUPTED) from None
    if json:
        show.print_json(map_data(made))
    else:
        print_map(made, time.monotonic() - begin)


def look(
    path: Annotated[Path, typer.Argument(help="A map that `forearm map` made.")],
    cut: Annotated[str, typer.Option("--slice", help="The plane to show, as in y=0 or z=0.3.")] = "y=0",
    what: Annotated[str, typer.Option(help="share, manipulability or clearance.")] = "share",
    at: Annotated[flags.Text, typer.Option(help="A point: what the map says of it.")] = None,
    best: Annotated[int, typer.Option(min=0, help="How many of the best places to list.")] = 0,
    picture: Annotated[flags.Where, typer.Option(help="Write a picture of the plane here.")] = None,
    json: flags.PlainJson = False,
) -> None:
    """Show a plane of a map in the terminal or as a picture, a point of it, or its best places.

    [bold]Examples:[/]

      forearm map-show ur5.zarr --slice z=0.3

      forearm map-show ur5.zarr --slice y=0 --what manipulability --picture slice.png

      forearm map-show ur5.zarr --at "0.4, 0.1, 0.3" --best 5
    """
    read.check_file(picture)
    made = load_map(path)
    axis, where = read_cut(cut)
    plane = made.slice(axis, where, what)
    data = map_data(made)
    if at is not None:
        point = numbers.read_numbers(at, "--at", 3)
        data["at"] = {"point": point} | {name: made.value_at(point, name) for name in made.arrays}
    if best:
        data["best"] = [vars(place) for place in made.best_places(best)]
    if json:
        names = {"what": what, "axis": axis, "at": plane.at, "across": plane.across}
        cells = {"u": plane.u.tolist(), "v": plane.v.tolist(), "values": plane.values.astype(float).tolist()}
        show.print_json(data | {"slice": names | cells})
    else:
        print_look(made, plane, data)
    if picture is not None:
        made.plot(axis, where, what).savefig(picture)
        show.err.print(f"picture of the plane: {picture.resolve()}", soft_wrap=True, highlight=False)


def read_cut(text: str) -> tuple[str, float]:
    """The axis and the place of a plane, from text as in z=0.3."""
    axis, sign, number = text.partition("=")
    if not sign:
        raise OptionError(f"--slice is '{text}'; it takes an axis and a place, as in z=0.3")
    return axis.strip(), numbers.read_numbers(number, "--slice", 1)[0]


def map_data(made: ReachMap) -> dict[str, Any]:
    """What a map is, as plain data."""
    about = {"path": str(made.path), "shape": list(made.shape), "bounds": made.bounds.tolist()}
    return about | {"progress": made.progress, "volume": made.volume(), "settings": made.settings}


def print_map(made: ReachMap, seconds: float) -> None:
    """What was made, in a few lines."""
    poses = int(np.prod(made.shape)) * made.settings["orientations"]
    show.say(f"{escape(str(made))}: {poses:,} poses", whole=True)
    show.say(f"reached: {made.volume():.4g} m^3 in some orientation")
    for place in made.best_places(1):
        x, y, z = place.point
        where = f"x {x:.3f} m, y {y:.3f} m, z {z:.3f} m"
        show.say(f"best place: {where}, {place.share:.0%} of the orientations")
    show.say(f"written to {made.path} in {seconds:.0f} s", whole=True)


def print_look(made: ReachMap, plane: Any, data: dict[str, Any]) -> None:
    """The plane in characters, then what else was asked."""
    show.say(escape(str(made)), whole=True)
    for line in text_slice(plane.values):
        print(line)
    u, v = ((float(axis[0]), float(axis[-1])) for axis in (plane.u, plane.v))
    most = f"@ is {np.nanmax(np.nan_to_num(plane.values)):.3g}, blank is 0 or none"
    ends = f"{plane.across[0]} {u[0]:.3g} to {u[1]:.3g} m to the right, {plane.across[1]} {v[0]:.3g} to {v[1]:.3g} m up"
    show.say(f"{plane.what} at {plane.axis} = {plane.at:.4g} m; {ends}; {most}", whole=True)
    if "at" in data:
        values = ", ".join(f"{name} {value:.4g}" for name, value in data["at"].items() if name != "point")
        show.say(f"at {data['at']['point']}: {values}", whole=True)
    for place in data.get("best", []):
        x, y, z = place["point"]
        share, skill = place["share"], place["manipulability"]
        show.say(f"x {x:.3f} y {y:.3f} z {z:.3f}: share {share:.3f}, manipulability {skill:.4g}")
