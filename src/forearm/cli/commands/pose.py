"""Motions: `forearm pose CLIP` holds a hand or a foot where it should be, `forearm retarget` carries it to a robot."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from forearm.bones.clips.clip import Clip, written_ending
from forearm.bones.clips.pin import Pinned
from forearm.cli import flags, read, show
from forearm.cli.numbers import read_numbers
from forearm.common.types import Floats
from forearm.errors import OptionError, counted
from forearm.retargeting.map_file import text_of
from forearm.retargeting.retarget import propose_map
from forearm.retargeting.retarget import retarget as carry_over
from forearm.tree import Tree


def pose(
    clip: Annotated[Path, typer.Argument(help="A motion: .bvh, .gltf or .glb.", show_default=False)],
    tip: Annotated[flags.Text, typer.Option(help="The joint to hold; without one, the joints are listed.")] = None,
    at: Annotated[flags.Text, typer.Option(help="Where to hold it: x, y, z in the file's unit and axes.")] = None,
    frames: Annotated[flags.Text, typer.Option(help="In which frames, as 10:40; all by default.")] = None,
    blend: Annotated[int, typer.Option(help="Over how many frames it comes and goes.")] = 0,
    root: Annotated[flags.Text, typer.Option(help="The uppermost joint that may turn; the limb's by default.")] = None,
    pole: Annotated[flags.Text, typer.Option(help="A point to whose side the elbow or knee bends.")] = None,
    out: Annotated[
        flags.Text, typer.Option(help="The file to write: .bvh, .gltf, .glb, or .json for three.js.")
    ] = None,
    overwrite: flags.Overwrite = False,
    json: flags.PlainJson = False,
) -> None:
    """Keep a joint of a BVH or glTF clip at a place. Exit code 0 reached, 1 missed, 2 bad input.

    The limb bends from the pose that each frame has, the rest of the motion stays. Without --tip it lists the joints,
    and with --out alone it changes the format.

    [bold]Examples:[/]

      forearm pose walk.bvh

      forearm pose walk.bvh --tip LeftHand --at "20, 110, 30" --frames 10:40 --blend 8 --out held.bvh
    """
    if out is not None:
        written_ending(out)  # before the work
    refuse_to_replace(overwrite, ("--out", out))
    motion = Clip.read(clip)
    missed = 0
    if tip is None:
        for flag, value in (("--at", at), ("--frames", frames), ("--root", root), ("--pole", pole)):
            if value is not None:
                raise OptionError(f"{flag} is for a joint that is held; name it with --tip")
        data = {"joints": list(motion.names), "tips": list(motion.tips), "frames": len(motion), "seconds": span(motion)}
        if json:
            show.print_json(data)
        else:
            show.out.print(f"{motion}\njoints: {', '.join(motion.names)}", markup=False)
            show.out.print(f"places: {extent(motion.points)}, in the file's unit", markup=False)
    else:
        if at is None:
            raise OptionError('--tip needs --at: where the joint should be, as --at "x, y, z"')
        before, side = motion.points[:, motion.index(tip)], None if pole is None else read_numbers(pole, "--pole", 3)
        held = motion.pin(
            tip, read_numbers(at, "--at", 3), frames=read_frames(frames), blend=blend, root=root, pole=side
        )
        motion, missed = held.clip, int((~held.reached).sum())
        told = {
            "frames": held.frames.tolist(),
            "error": held.error.tolist(),
            "missed": missed,
            "jumps": list(held.jumps),
        }
        show.print_json(told) if json else show.say(in_words(tip, held, before), markup=False)
    if out is not None:
        motion.write(out)
        if not json:
            show.say(f"written to {escape(out)}", whole=True)
    raise typer.Exit(1 if missed else 0)


def in_words(tip: str, held: Pinned, before: Floats) -> str:
    """What became of a joint that is held, which was at (F, 3) places before."""
    missed = int((~held.reached).sum())
    words = f"{tip} is held in {counted(len(held.frames), 'frame')}"
    if missed:
        words += f"; in {missed} of them it stays up to {held.error.max():.3g} of the file's units away: "
        words += "--at is out of the limb's reach there (--root lets joints higher up turn, too); "
        words += f"in the clip it is at {extent(before[held.frames])}"
    return words + (f"; it jumps at frame {', '.join(map(str, held.jumps))}" if held.jumps else "")


def extent(points: Floats) -> str:
    """From where to where points are, axis by axis: it tells the unit and which axis is up."""
    low, high = points.reshape(-1, 3).min(axis=0), points.reshape(-1, 3).max(axis=0)
    return ", ".join(f"{axis} {a:.4g} to {b:.4g}" for axis, a, b in zip("xyz", low, high, strict=True))


def retarget(
    clip: Annotated[
        Path, typer.Argument(help="A motion: .bvh, .gltf or .glb; .csv of 21 key points of a hand.", show_default=False)
    ],
    robot: Annotated[
        Path, typer.Argument(help="A URDF. Its base floats; that of a hand is fixed.", show_default=False)
    ],
    map_file: Annotated[
        flags.Text,
        typer.Option("--map", help="TOML: which bone is which link; by default it is guessed from names and shape."),
    ] = None,
    propose: Annotated[flags.Text, typer.Option(help="Only write the map that would be guessed to this file.")] = None,
    out: Annotated[flags.Text, typer.Option(help="The CSV to write: time, base, joints by name.")] = None,
    report: Annotated[flags.Text, typer.Option(help="The CSV to write errors to: every goal in every frame.")] = None,
    overwrite: flags.Overwrite = False,
    view: Annotated[
        bool, typer.Option("--view", help="Replay it in the browser, the clip's skeleton as a ghost.")
    ] = False,
    rest: Annotated[
        int | None, typer.Option(help="The frame in which the figure stands as the robot does with all joints at 0.")
    ] = None,
    sole: Annotated[float, typer.Option(help="How far the soles are below the links of the feet, in metres.")] = 0.0,
    self_collision: Annotated[bool, typer.Option(help="Whether arms are kept off the rest of the body.")] = True,
    json: flags.Json = False,
) -> None:
    """Carry a BVH or glTF clip over to a robot. Exit code 0 done, 1 with jumps or contacts, 2 bad input.

    Feet that stand are held, joints stay inside limits and speeds; where they would be too fast, time is stretched.

    [bold]Examples:[/]

      forearm retarget walk.bvh robot.urdf --propose map.toml

      forearm retarget walk.bvh robot.urdf --map map.toml --out motion.csv --report errors.csv --view
    """
    refuse_to_replace(overwrite, ("--propose", propose), ("--out", out), ("--report", report))
    for flag, given in (("--out", out), ("--report", report)):
        read.check_file(None if given is None else Path(given), flag, (".csv",))
    motion, tree = Clip.read(clip), Tree.from_urdf(robot, base="fixed" if clip.suffix.lower() == ".csv" else "free")
    if propose is not None:
        text = text_of(propose_map(motion, tree, rest))
        Path(propose).write_text(text)
        show.out.print(text, markup=False)
        return
    found = carry_over(motion, tree, map_file, rest=rest, sole=sole, self_collision=self_collision)
    if json:
        show.print_json(found.to_dict())
    else:
        rate = len(found) / found.seconds
        show.out.print(f"{found.reason}\n{rate:.0f} frames a second", markup=False)
        for name in found.goals:
            unit, size = ("rad", 1.0) if name in ("torso", "head") else ("mm", 1e3)
            values = f"rms {found.rms[name] * size:8.3g}  worst {found.worst[name] * size:8.3g} {unit}"
            show.out.print(f"  {name:15} {values}", markup=False)
    if out is not None:
        found.write(out)
    if report is not None:
        found.write_report(report)
    if view:
        from forearm.viewer.show import show as open_page  # noqa: PLC0415 (an extra, and slow to import)

        open_page(tree, found, block=True)
    raise typer.Exit(0 if found.success else 1)


def refuse_to_replace(overwrite: bool, *files: tuple[str, str | None]) -> None:
    """Refuses to write over files that are there, unless told to."""
    for flag, name in files:
        if name is not None and Path(name).exists() and not overwrite:
            raise OptionError(f"{flag} is '{name}', which is there already; --overwrite replaces it")


def span(motion: Clip) -> float:
    """How long it lasts [s]."""
    return float(motion.times[-1] - motion.times[0])


def read_frames(text: str | None) -> tuple[int, int] | None:
    """The first and the last frame of a text as 10:40."""
    if text is None:
        return None
    first, colon, last = text.partition(":")
    if not colon or not first.strip().isdigit() or not last.strip().isdigit():
        raise OptionError(f"--frames is '{text}'; it takes the first and the last, as 10:40")
    return int(first), int(last)
