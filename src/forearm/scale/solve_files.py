"""Solves a file of targets, block by block, each written as it finishes; a killed run can go on."""

import io
import os
import pickle
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from forearm.arm.configurations import refuse_start
from forearm.common.checks import as_count
from forearm.common.threads import Tell, telling
from forearm.core.arm.goal import NONE, find_outside
from forearm.errors import ForearmError, OptionError, within
from forearm.results.batch import BatchSolution
from forearm.results.solution import NOT_EXPLAINED
from forearm.robot import Robot
from forearm.scale.disk import check_place, only_writer
from forearm.scale.resume import check_resumed, fingerprint_of_file, saying_how_to_go_on, settings_of
from forearm.scale.run import open_pool, run_all, unpack
from forearm.scale.solution_files import ENDINGS, join
from forearm.scale.zarr_files import read_json, sweep, write_json, write_whole
from forearm.solve.methods.options import make_options
from forearm.solve.methods.table import DEFAULT_METHOD, find_method
from forearm.targets.columns import ID, Columns, check_starts, kind_of, starts_of, targets_of
from forearm.targets.files import TargetFile, open_targets

ROWS = 20_000  # in a block: less than a second of one processor, which is what a kill loses
MOST_ROWS = 10_000_000
SETTINGS = "settings.json"  # of a run, beside its parts
REASON = 64  # bytes that a sentence takes, for the estimate of space


@dataclass(frozen=True, eq=False)
class FilePlan:
    """How a file is solved, as `solve_file` takes it; plain data, so that it travels to other machines."""

    robot: Robot
    path: Path
    kind: str  # what its columns describe
    method: str
    tol: tuple[float, float]
    explain: bool
    options: dict[str, Any]

    def settings(self, rows: int) -> dict[str, Any]:
        """All that the solutions depend on."""
        return settings_of(self.robot, self.options.get("obstacles")) | {
            "method": self.method,
            "options": {name: value for name, value in self.options.items() if name != "obstacles"},
            "tol": list(self.tol),
            "explain": self.explain,
            "rows": rows,
            "targets_sha256": fingerprint_of_file(self.path),
        }


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
        resume: Whether to go on where a run with the same settings stopped.
        workers: How many threads; one per processor by default.
        scheduler: Address of a Dask scheduler whose workers shall do the work.
        progress: True draws a bar on standard error; or a function of (targets done, targets in all).
        **options: Options of the method; obstacles, clearance, self_collision.
    """
    source, result, size = Path(targets), Path(out), as_count(rows, "rows", MOST_ROWS)
    own = {name: value for name, value in options.items() if name not in ("obstacles", "clearance", "self_collision")}
    make_options(find_method(method).options, method, own)  # a wrong one is told before the work
    file = open_targets(source)
    kind = kind_of(file.names, source)
    check_starts(file.names, robot.joint_names, source)
    plan = FilePlan(robot, source, kind, method, tol, explain, options)
    check_all(plan, file, size)
    parts = Parts(prepare(plan, result, size, resume, file.count), size, file.count)
    with only_writer(parts.folder):
        kept = saying_how_to_go_on(result, lambda: "what was solved is kept")
        with telling(progress) as tell, kept, open_pool(workers, scheduler) as pool:
            run_all(pool, solve_rows, parts.jobs(plan, file), parts.write, tell, parts.missing)
            join(parts.files, result, robot.joint_names)
        counts = parts.statuses()
        shutil.rmtree(parts.folder)
    return counts


def check_all(plan: FilePlan, file: TargetFile, rows: int) -> None:
    """Reads the whole file once, so that a fault at its end is told before hours are spent."""
    limits = np.array(plan.robot.limits)
    for k, block in enumerate(file.blocks(rows)):
        targets_of(block, plan.kind, k * rows, plan.path, plan.tol)
        starts = starts_of(block, plan.robot.joint_names, k * rows, plan.path)
        place = NONE if starts is None else find_outside(np.ascontiguousarray(starts), limits)
        if starts is not None and place != NONE:
            refuse_start(starts[place], limits, plan.robot.model, f"'{plan.path}', row {k * rows + place}: q0")


@dataclass(frozen=True)
class Parts:
    """The solved blocks of a file on disk: where they lie, rows in a block, rows in all."""

    folder: Path
    rows: int
    count: int

    def file(self, first: int) -> Path:
        """That of the block that begins with a row."""
        return self.folder / f"{first // self.rows:06d}.npz"

    @property
    def files(self) -> list[Path]:
        """One per block, in order."""
        return [self.file(first) for first in range(0, self.count, self.rows)]

    def jobs(self, plan: FilePlan, file: TargetFile) -> Iterator[tuple[bytes, Columns, int]]:
        """What `solve_rows` takes, for each block that is not there yet."""
        packed = pickle.dumps(plan, protocol=5)
        for first, block in zip(range(0, self.count, self.rows), file.blocks(self.rows), strict=True):
            if not self.file(first).exists():
                yield packed, block, first

    @property
    def missing(self) -> int:
        """How many rows are not solved yet."""
        firsts = range(0, self.count, self.rows)
        return sum(min(self.rows, self.count - first) for first in firsts if not self.file(first).exists())

    def write(self, block: Columns, packed: bytes, columns: Columns, first: int) -> int:
        """Writes a solved block; how many rows it has."""
        buffer = io.BytesIO()
        np.savez(buffer, **block)  # type: ignore[arg-type]
        write_whole(self.folder, self.file(first), buffer.getvalue())
        return len(block["row"])

    def statuses(self) -> dict[str, int]:
        """How many targets ended how."""
        counts: dict[str, int] = {}
        for path in self.files:
            with np.load(path) as part:
                for status, count in zip(*np.unique(part["status"], return_counts=True), strict=True):
                    counts[status.decode()] = counts.get(status.decode(), 0) + int(count)
        return counts


def solve_rows(packed: bytes, columns: Columns, first: int) -> Columns:
    """The solutions of a block: the same bits wherever it is solved."""
    plan: FilePlan = unpack(packed)
    joints = plan.robot.joint_names
    targets = targets_of(columns, plan.kind, first, plan.path, plan.tol)
    starts = starts_of(columns, joints, first, plan.path)
    how: dict[str, Any] = {"method": plan.method, "explain": plan.explain, "threads": 1}
    try:
        batch = plan.robot.solve_batch(targets, starts, **how, **plan.options)
    except ForearmError as problem:
        raise type(problem)(within(f"'{plan.path}', rows {first} to {first + len(targets) - 1}", problem)) from None
    return columns_from(batch, first, columns.get(ID))


def columns_from(batch: BatchSolution, first: int, ids: Any) -> Columns:
    """The columns of a block; text as UTF-8."""
    words = ["" if met else batch.explanations.get(i, NOT_EXPLAINED) for i, met in enumerate(batch.success.tolist())]
    solved: Columns = {"row": np.arange(first, first + len(batch)), "q": batch.q, "success": batch.success}
    if ids is not None:
        solved[ID] = np.char.encode(ids, "utf-8")
    solved |= {"status": np.char.encode(batch.status_names, "utf-8"), "position_error": batch.position_error}
    solved |= {"rotation_error": batch.rotation_error, "iterations": batch.iterations, "tries": batch.tries}
    solved |= {"method": np.char.encode(batch.method, "utf-8")}
    if batch.guard is not None:
        solved["clearance"] = batch.clearance
    return solved | {"reason": np.array([word.encode() for word in words], dtype=np.bytes_)}


def prepare(plan: FilePlan, out: Path, rows: int, resume: bool, count: int) -> Path:
    """The directory of the parts, made or checked to be of the same plan."""
    if out.suffix.lower() not in ENDINGS:
        raise OptionError(f"{{argument}} is '{out}'; its name must end in one of: {', '.join(ENDINGS)}", argument="out")
    if os.path.lexists(out):
        raise OptionError(f"'{out}' is there already; choose another name, or remove it")
    parts = out.with_name(f"{out.name}.parts")
    settings = plan.settings(rows)
    if (parts / SETTINGS).is_file():
        check_resumed(parts, read_json(parts / SETTINGS), settings, resume)
        sweep(parts)
    elif os.path.lexists(parts):
        raise OptionError(f"'{parts}' is in the way; remove it")
    check_place(out, 2 * count * (8 * (plan.robot.n + 5) + REASON))  # parts, and the file they are joined to
    if not parts.is_dir():
        parts.mkdir(exist_ok=True)
        write_json(parts / SETTINGS, settings)
    return parts
