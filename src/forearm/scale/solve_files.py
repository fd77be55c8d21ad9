"""Solves a file of targets, block by block, each written as it finishes; a killed run can go on."""

import inspect
import io
import itertools
import os
import pickle
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from forearm.arm.configurations import inside_by_a_hair, refuse_start
from forearm.common.checks import as_count, as_real, as_switch, brief
from forearm.common.defaults import DEFAULT_METHOD
from forearm.common.threads import Tell, telling
from forearm.common.types import Floats
from forearm.common.units import Units
from forearm.core.arm.goal import NONE, find_outside
from forearm.errors import ForearmError, MissingExtraError, OptionError, nearest_names, within
from forearm.results.batch import BatchSolution
from forearm.robot import Robot
from forearm.scale.disk import check_place, only_writer
from forearm.scale.resume import check_resumed, digest, saying_how_to_go_on, settings_of
from forearm.scale.run import open_pool, run_all, unpack
from forearm.scale.solution_files import ENDINGS, WRITTEN, Layout, Q, join, statuses_in
from forearm.scale.zarr_files import read_json, sweep, write_json, write_whole
from forearm.scenes.scene import as_scene
from forearm.solve.arguments import ARGUMENTS
from forearm.solve.methods.options import GeneralOptions
from forearm.solve.methods.table import find_method
from forearm.targets.columns import Columns, check_starts, extras_in, kind_of, starts_of, targets_of
from forearm.targets.files import TargetFile, off_rigid, open_targets, tell_off_rigid

ROWS = 20_000  # in a block: less than a second of one processor, which is what a kill loses
MOST_ROWS = 10_000_000
SETTINGS = "settings.json"  # of a run, beside its parts
GUARD = ("obstacles", "clearance", "self_collision")
NOT_ASKED = "not explained; explain finds out why"  # the reason of a miss that nobody asked to explain
REASON = 64  # bytes that a sentence takes, for the estimate of space
SEAL = 32  # bytes of the digest in front of each part


@dataclass(frozen=True, eq=False)
class FilePlan:
    """How a file is solved, as `solve_file` takes it; plain data, so that it travels to other machines."""

    robot: Robot
    targets: Path
    kind: str  # what its columns describe
    method: str
    tol: tuple[float, float]
    explain: bool
    rows: int  # in a block
    options: dict[str, Any]
    units: Units  # of the file, and of what is written
    nearest_rigid: bool

    @property
    def how(self) -> dict[str, Any]:
        """What `Robot.solve_batch` is given beside targets and starts."""
        return {"method": self.method, "explain": self.explain, "threads": 1} | self.options

    def starts_of(self, block: Columns, first: int) -> Floats | None:
        """(N, n) the starts of a block in radians and metres, a hair outside their limits at most; or None."""
        starts = starts_of(block, self.robot.joint_names, first, self.targets)
        return None if starts is None else inside_by_a_hair(starts, self.robot.limits)

    def settings(self) -> dict[str, Any]:
        """All that the solutions depend on."""
        guarded = any(self.options.get(name) not in (None, False) for name in ("obstacles", "self_collision"))
        return settings_of(self, guarded)


def solve_file(
    robot: Robot,
    targets: str | Path,
    out: str | Path,
    *,
    method: str = DEFAULT_METHOD,
    tol: tuple[float, float] = (1e-6, 1e-6),
    explain: bool = False,
    rows: int = ROWS,
    resume: bool = False,
    overwrite: bool = False,
    deg: bool = False,
    mm: bool = False,
    nearest_rigid: bool = False,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: bool | Tell = False,
    **options: Any,
) -> dict[str, int]:
    """Solves every target of a file; how many ended how, by status.

    Args:
        robot: The arm.
        targets: A .parquet, .csv, .json, .npy or .npz file; `targets/columns.py` says what it holds.
        out: The file to write, one of the same kinds; `scale/solution_files.py` says what it holds.
        method: As for `Robot.solve`.
        tol: Tolerances of position [m] and rotation [rad].
        explain: Whether to find out why targets were missed, at some milliseconds each.
        rows: In a block.
        resume: Whether to go on where a run with the same settings stopped; one that is finished stays as it is.
        overwrite: Whether `out` may be there already; it is replaced when all is solved.
        deg: Whether angles are degrees, in the file of targets (but for `tol`) and in what is written.
        mm: Whether lengths are millimetres, likewise.
        nearest_rigid: Whether matrices that are rounded are taken as the nearest rigid ones; the column `off_rigid`
            says how far these are, and a warning how far at most.
        workers: How many threads; one per processor by default.
        scheduler: Address of a Dask scheduler whose workers should do the work.
        progress: True draws a bar on standard error; or a function of (targets done, targets in all).
        **options: Options of the method; obstacles, clearance, self_collision.
    """
    refuse_unknown(method, options)
    source, result, pair = Path(targets), Path(out), as_real(tol, "tol", OptionError)
    if pair.shape != (2,):
        raise OptionError(f"{{argument}} is {brief(tol)}; it takes two numbers: metres and radians", argument="tol")
    if options.get("obstacles") is not None:
        options["obstacles"] = as_scene(options["obstacles"])
    units, rigid = Units(as_switch(deg, "deg"), as_switch(mm, "mm")), as_switch(nearest_rigid, "nearest_rigid")
    finished = not as_switch(overwrite, "overwrite") and as_switch(resume, "resume") and is_finished(result)
    check_out(result, source, overwrite or finished)
    per_joint = dict(zip(robot.joint_names, units.per_joint(robot.model.joint_kinds), strict=True))
    file = open_targets(source, units.per_metre, units.per_radian, rigid, per_joint)
    size = as_count(rows, "rows", MOST_ROWS)
    kind, near = kind_of(file.names, source), (float(pair[0]), float(pair[1]))
    check_starts(file.names, robot.joint_names, source)
    check_extras(file.names, robot.joint_names, source)
    plan = FilePlan(robot, source, kind, method, near, as_switch(explain, "explain"), size, options, units, rigid)
    if finished:
        held = counts_of(result, source, file.count)
        check_finished(result, plan.settings())
        return held
    check_call(plan, file)
    parts = prepare(plan, file, result, resume)
    kept = saying_how_to_go_on(result, lambda: "what was solved is kept")
    with telling(progress) as tell, open_pool(workers, scheduler) as pool, kept:
        parts.make()
        with only_writer(parts.folder):
            left = parts.left()
            total = sum(min(size, file.count - k * size) for k in left)
            run_all(pool, solve_rows, parts.jobs(file, left), parts.write, tell, total)
            counts = parts.statuses()
            join(parts.read_all, result, Layout(robot.model, units))
            shutil.copyfile(parts.folder / SETTINGS, settings_beside(result))
            shutil.rmtree(parts.folder)
    return counts


def refuse_unknown(method: str, options: dict[str, Any]) -> None:
    """Refuses names that neither this call nor its method has; what another call takes, solving knows best itself."""
    own = [name for name, each in inspect.signature(solve_file).parameters.items() if each.kind is each.KEYWORD_ONLY]
    taken = [*GUARD, *find_method(method).options.__dataclass_fields__, *GeneralOptions.__dataclass_fields__]
    for name in options:
        if name not in taken and name not in ARGUMENTS:
            raise OptionError(f"solve_file has no option '{name}'; {nearest_names(name, {*own, *taken})}")


def is_finished(out: Path) -> bool:
    """Whether a file of solutions is there and nothing is left of a run that would write it."""
    return out.is_file() and not os.path.lexists(parts_of(out))


def settings_beside(out: Path) -> Path:
    """Where the settings stand that a finished file of solutions was made with."""
    return out.with_name(f"{out.name}.{SETTINGS}")


def check_finished(out: Path, settings: dict[str, Any]) -> None:
    """Refuses a finished file of other settings, where these are known; how large its blocks were says nothing."""
    beside = settings_beside(out)
    if beside.is_file():
        there = read_json(beside)
        check_resumed(out, there, settings | {"rows": there.get("rows")}, resume=True)


def counts_of(out: Path, targets: Path, count: int) -> dict[str, int]:
    """How many ended how in a finished file of solutions, which has a row for each of so many targets."""
    try:
        counts = statuses_in(out)
    except (KeyError, ValueError, OSError):
        counts = {}
    if sum(counts.values()) != count:
        raise OptionError(
            f"'{out}' is there and holds no solutions of the {count} targets of '{targets}'; "
            "{overwrite} replaces it; or choose another name",
            overwrite="overwrite=True",
        )
    return counts


def parts_of(out: Path) -> Path:
    """Where the parts of a file of solutions lie until it is finished."""
    return out.with_name(f"{out.name}.parts")


def check_call(plan: FilePlan, file: TargetFile) -> None:
    """Refuses what solving would refuse, before the work: the call is made with no target."""
    first = targets_of(next(file.blocks(1)), plan.kind, 0, plan.targets, plan.tol)
    plan.robot.solve_batch(first.only(np.empty(0, np.intp)), **plan.how)


def check_out(out: Path, targets: Path, overwrite: bool) -> None:
    """Refuses a name that nothing can be written to, what is there unless it may go, and the targets themselves."""
    if out.suffix.lower() not in ENDINGS:
        raise OptionError(f"{{argument}} is '{out}'; its name must end in one of: {', '.join(ENDINGS)}", argument="out")
    if out.exists() and targets.exists() and out.samefile(targets):
        raise OptionError(f"{{argument}} is '{out}', the file of targets itself; choose another name", argument="out")
    if os.path.lexists(out) and not (overwrite and out.is_file()):
        remedy = "choose another name" if out.is_dir() else "{overwrite} replaces it; or choose another name"
        raise OptionError(f"'{out}' is there already; {remedy}", overwrite="overwrite=True")


def check_extras(names: tuple[str, ...], joints: tuple[str, ...], path: Path) -> None:
    """Refuses columns to be carried along that have the name of what is written."""
    written = {*WRITTEN, Q, *(f"q_{joint}" for joint in joints)}
    for name in extras_in(names):
        if name in written:
            raise OptionError(f"'{path}' has the column {brief(name)}, which is written too; rename it")


def check_all(plan: FilePlan, file: TargetFile) -> tuple[str, ...]:
    """The digest of each block; the whole file is read once, so that a fault at its end is told before hours go by."""
    limits, digests, off = np.array(plan.robot.limits), [], 0.0
    for first, block in zip(itertools.count(0, plan.rows), file.blocks(plan.rows), strict=False):
        targets_of(block, plan.kind, first, plan.targets, plan.tol)
        starts = plan.starts_of(block, first)
        place = NONE if starts is None else find_outside(np.ascontiguousarray(starts), limits)
        off = max(off, off_rigid(block))
        if starts is not None and place != NONE:
            refuse_start(starts[place], limits, plan.robot.model, f"'{plan.targets}', row {first + place}: q0")
        digests.append(digest(block))
    if plan.nearest_rigid:
        tell_off_rigid(plan.targets, off)
    return tuple(digests)


@dataclass(frozen=True, eq=False)
class Parts:
    """The solved blocks of a file on disk, each sealed with what it was made from and what it holds."""

    folder: Path
    plan: FilePlan
    settings: dict[str, Any]  # of the run
    blocks: tuple[str, ...]  # digest of each block of targets

    def make(self) -> None:
        """Makes the empty directory, whole or not at all, unless a run to go on with left it."""
        if self.folder.is_dir():
            return
        making = self.folder.with_name(f"{self.folder.name}.making")
        shutil.rmtree(making, ignore_errors=True)
        making.mkdir()
        write_json(making, making / SETTINGS, self.settings)
        sweep(making)
        making.rename(self.folder)

    def left(self) -> list[int]:
        """The blocks that are not solved yet, or whose part is damaged."""
        sweep(self.folder)
        return [k for k in range(len(self.blocks)) if self.read(k) is None]

    def file(self, k: int) -> Path:
        """Where the solutions of a block lie."""
        return self.folder / f"{k:06d}.npz"

    def seal(self, k: int, data: bytes) -> bytes:
        """What stands in front of a part: no other run's, block's or damaged part has the same."""
        return bytes.fromhex(digest(self.settings, k, self.blocks[k], data))

    def read(self, k: int) -> Columns | None:
        """The solutions of a block; None if they are not there, or damaged, or of another run."""
        try:
            held = self.file(k).read_bytes()
        except FileNotFoundError:
            return None
        seal, data = held[:SEAL], held[SEAL:]
        if seal != self.seal(k, data):
            return None
        with np.load(io.BytesIO(data), allow_pickle=False) as part:
            return {name: part[name] for name in part.files}

    def read_all(self) -> Iterator[Columns]:
        """The solutions of all blocks, in order."""
        for k in range(len(self.blocks)):
            part = self.read(k)
            if part is None:
                raise ForearmError(f"'{self.file(k)}' was lost or damaged")
            yield part

    def write(self, solved: Columns, packed: bytes, columns: Columns, first: int) -> int:
        """Writes a solved block; how many rows it has."""
        buffer, k = io.BytesIO(), first // self.plan.rows
        np.savez(buffer, **solved)  # type: ignore[arg-type]
        data = buffer.getvalue()
        write_whole(self.folder, self.file(k), self.seal(k, data) + data)
        return len(solved["row"])

    def jobs(self, file: TargetFile, left: list[int]) -> Iterator[tuple[bytes, Columns, int]]:
        """What `solve_rows` takes, for each block that is left."""
        packed, wanted = pickle.dumps(self.plan, protocol=5), set(left)
        for k, block in enumerate(file.blocks(self.plan.rows)):
            if k >= len(self.blocks) or digest(block) != self.blocks[k]:
                break
            if k in wanted:
                wanted.remove(k)
                yield packed, block, k * self.plan.rows
        if wanted:
            raise OptionError(
                f"'{self.plan.targets}' was changed while it was solved; put it back as it was and give {{resume}}, "
                f"or remove '{self.folder}' and solve it from the start",
                resume="resume=True",
            )

    def statuses(self) -> dict[str, int]:
        """How many targets ended how."""
        counts: dict[str, int] = {}
        for part in self.read_all():
            for status, count in zip(*np.unique(part["status"], return_counts=True), strict=True):
                counts[status.decode()] = counts.get(status.decode(), 0) + int(count)
        return counts


def solve_rows(packed: bytes, columns: Columns, first: int) -> Columns:
    """The solutions of a block: the same bits wherever it is solved."""
    plan: FilePlan = unpack(packed)
    targets = targets_of(columns, plan.kind, first, plan.targets, plan.tol)
    starts = plan.starts_of(columns, first)
    try:
        batch = plan.robot.solve_batch(targets, starts, **plan.how)
    except MissingExtraError:
        raise  # it is about this installation, not about these rows
    except ForearmError as problem:
        rows = f"'{plan.targets}', rows {first} to {first + len(targets) - 1}"
        raise type(problem)(within(rows, problem)) from None
    return columns_from(batch, first, {name: columns[name] for name in extras_in(columns)})


def columns_from(batch: BatchSolution, first: int, carried: Columns) -> Columns:
    """The columns of a block with those that are carried along; text as UTF-8."""
    words = ["" if met else batch.explanations.get(i, NOT_ASKED) for i, met in enumerate(batch.success.tolist())]
    solved: Columns = {"row": np.arange(first, first + len(batch)), "q": batch.q, "success": batch.success}
    for name, column in carried.items():
        solved[name] = np.char.encode(column, "utf-8") if column.dtype.kind == "U" else column
    solved |= {"status": np.char.encode(batch.status_names, "utf-8"), "position_error": batch.position_error}
    solved |= {"rotation_error": batch.rotation_error, "iterations": batch.iterations, "tries": batch.tries}
    solved |= {"method": np.char.encode(batch.method, "utf-8")}
    if batch.guard is not None:
        solved["clearance"] = batch.clearance
    return solved | {"reason": np.array([word.encode() for word in words], dtype=np.bytes_)}


def prepare(plan: FilePlan, file: TargetFile, out: Path, resume: bool) -> Parts:
    """Where the parts of a file should lie, checked: what is there is of the same run, and the disk has room."""
    folder, settings = parts_of(out), plan.settings()
    if (folder / SETTINGS).is_file():
        check_resumed(folder, read_json(folder / SETTINGS), settings, resume)
    elif os.path.lexists(folder):
        raise OptionError(f"'{folder}' is in the way; remove it")
    blocks = check_all(plan, file)
    carried = REASON * len(extras_in(file.names))
    copies = 3 if out.suffix.lower() == ".npz" else 2  # parts, the file they are joined to, columns on the way there
    check_place(out, copies * file.count * (8 * (plan.robot.n + 5) + REASON + carried))
    return Parts(folder, plan, settings, blocks)
