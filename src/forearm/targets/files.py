"""Reads files of targets a block of rows at a time, so that memory is bounded however long they are.

Parquet and CSV have named columns (`targets/columns.py` says which); a name with another ending is read as
CSV. JSON is a list of 4x4 matrices, or of objects (`targets/json_rows.py`). A `.npy` file is an array of poses
(N, 4, 4) or points (N, 3); a `.npz` file has it as `targets`, and may have `q0` (N, n). JSON and `.npz` are read whole.
"""

import csv
import itertools
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from forearm.common.checks import as_array
from forearm.common.types import Floats
from forearm.errors import ForearmError, MissingExtraError, OptionError
from forearm.targets import columns as grammar
from forearm.targets.columns import ID, Columns, name_columns
from forearm.targets.json_rows import read_json
from forearm.targets.many import Targets

ENDINGS = (".parquet", ".csv", ".json", ".npy", ".npz")


@dataclass(frozen=True)
class TargetFile:
    """A file of targets: its columns as `name_columns` gives them, and its rows in order, so many at a time."""

    names: tuple[str, ...]
    count: int
    blocks: Callable[[int], Iterator[Columns]]


def read_targets(
    path: Path, tol: tuple[float, float], per_metre: float = 1.0, per_radian: float = 1.0
) -> tuple[Targets, Floats | None]:
    """The way-points of a path, and their times [s] if the file has them."""
    file = open_targets(path, per_metre, per_radian)
    kind = grammar.kind_of(file.names, path)
    for name in file.names:
        if grammar.is_start(name):
            raise OptionError(f"'{path}' has '{name}'; a path has one start: give it as {{start}}", start="q0")
    block = next(file.blocks(file.count))
    return grammar.targets_of(block, kind, 0, path, tol), block.get(grammar.TIME)


def open_targets(path: Path, per_metre: float = 1.0, per_radian: float = 1.0) -> TargetFile:
    """A file of at least one target, given in metres and radians; `per_metre` of its lengths make a metre."""
    if not path.is_file():
        raise OptionError(f"there is no file '{path}'; check the path")
    openers = {".parquet": open_parquet, ".npy": open_arrays, ".npz": open_arrays}
    openers[".json"] = lambda path: from_columns(read_json(path, per_radian))
    try:
        file = openers.get(path.suffix.lower(), open_csv)(path)
    except ForearmError:
        raise
    except UnicodeDecodeError:
        endings = ", ".join(ENDINGS)
        raise OptionError(f"'{path}' is not text; if it is no CSV, its name must end in one of: {endings}") from None
    except (OSError, ValueError, EOFError, RecursionError, zipfile.BadZipFile, csv.Error) as problem:
        raise OptionError(f"'{path}' cannot be read: {problem}") from None
    if not file.count:
        raise OptionError(f"'{path}' holds no targets; give at least one")
    per = dict.fromkeys(grammar.LENGTHS, per_metre) | dict.fromkeys(grammar.ANGLES, per_radian)

    def blocks(rows: int) -> Iterator[Columns]:
        for block in file.blocks(rows):
            yield {name: np.float64(column) / per[name] if name in per else column for name, column in block.items()}

    return replace(file, blocks=blocks)


# -- Parquet -------------------------------------------------------------------------------------


def parquet() -> Any:
    """The package for Parquet files."""
    try:
        import pyarrow.parquet  # noqa: PLC0415 (slow, optional)
    except ImportError:
        raise MissingExtraError("Parquet files", "scale") from None
    return pyarrow.parquet


def open_parquet(path: Path) -> TargetFile:
    """A Parquet file; only its footer is read."""
    with parquet().ParquetFile(path) as file:
        names = name_columns(file.schema_arrow.names)
        return TargetFile(names, file.metadata.num_rows, partial(parquet_blocks, path))


def parquet_blocks(path: Path, rows: int) -> Iterator[Columns]:
    """Blocks of a Parquet file, whatever its row groups are."""
    with parquet().ParquetFile(path) as file:
        names = name_columns(file.schema_arrow.names)
        kept: Columns = {}
        for batch in file.iter_batches(batch_size=rows):
            part = {name: as_column(batch.column(k), name, path) for k, name in enumerate(names)}
            kept = {name: np.concatenate([kept[name], part[name]]) for name in part} if kept else part
            while len(next(iter(kept.values()))) >= rows:
                yield {name: column[:rows] for name, column in kept.items()}
                kept = {name: column[rows:] for name, column in kept.items()}
        if kept and len(next(iter(kept.values()))):
            yield kept


def as_column(column: Any, name: str, path: Path) -> NDArray[Any]:
    """A column as float64, missing values as NaN; as text if it is an id."""
    if name == ID:
        return np.array(["" if value is None else str(value) for value in column.to_pylist()], dtype=np.str_)
    try:
        return np.asarray(column.cast("double").to_numpy(zero_copy_only=False), np.float64)
    except Exception:  # the package has many kinds of its own
        raise OptionError(f"'{path}', column '{name}' holds {column.type}; it takes numbers") from None


# -- CSV -----------------------------------------------------------------------------------------


def open_csv(path: Path) -> TargetFile:
    """A CSV file, with a header or without; read once, to count its rows."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        names, lines = csv_lines(file)
        return TargetFile(names, sum(1 for _ in lines), partial(csv_blocks, path))


def csv_lines(file: TextIO) -> tuple[tuple[str, ...], Iterator[list[str]]]:
    """The columns' names, and the rows below them that are not blank."""
    lines = (line for line in csv.reader(file) if any(cell.strip() for cell in line))
    head = next(lines, [])
    if head and all(is_number(cell) for cell in head):  # no header
        return name_columns([""] * len(head)), itertools.chain([head], lines)
    return name_columns(head), lines


def csv_blocks(path: Path, rows: int) -> Iterator[Columns]:
    """Blocks of a CSV file."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        names, lines = csv_lines(file)
        for first in itertools.count(0, rows):
            block = list(itertools.islice(lines, rows))
            if not block:
                return
            yield parse(block, names, first, path)


def parse(block: list[list[str]], names: tuple[str, ...], first: int, path: Path) -> Columns:
    """Rows of text as columns of numbers; a fault is named with its row and column."""
    for i, row in enumerate(block):
        if len(row) != len(names):
            raise OptionError(f"'{path}', row {first + i} has {len(row)} cells and the header {len(names)}")
    columns: Columns = {}
    for name, cells in zip(names, zip(*block, strict=True), strict=True):
        try:
            columns[name] = np.array(cells, dtype=np.str_ if name == ID else np.float64)
        except ValueError:
            i = next(i for i, cell in enumerate(cells) if not is_number(cell))
            raise OptionError(f"'{path}', row {first + i}, column '{name}': '{cells[i]}' is no number") from None
    return columns


def is_number(cell: str) -> bool:
    """Whether a cell holds a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


# -- arrays and JSON -----------------------------------------------------------------------------


def open_arrays(path: Path) -> TargetFile:
    """Arrays of a file; those of a `.npy` stay on disk."""
    if path.suffix.lower() == ".npy":
        arrays: Columns = {"targets": np.load(path, mmap_mode="r", allow_pickle=False)}
    else:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in ("targets", grammar.STARTS) if name in file.files}
            if "targets" not in arrays:
                raise OptionError(f"'{path}' has the arrays {', '.join(file.files)}; it takes targets, and perhaps q0")
    targets = as_array(arrays.pop("targets"), f"'{path}'", OptionError)
    if targets.shape[1:] == (4, 4):
        columns = {name: targets[:, k // 4, k % 4] for k, name in enumerate(grammar.MATRIX)}
    elif targets.shape[1:] == (3,):
        columns = dict(zip(grammar.POINT, targets.T, strict=True))
    else:
        raise OptionError(f"'{path}' has targets of shape {targets.shape}; it takes (N, 4, 4) poses or (N, 3) points")
    return from_columns(columns | arrays)


def from_columns(columns: Columns) -> TargetFile:
    """Columns that are there as a whole."""
    count = len(next(iter(columns.values()), ()))

    def blocks(rows: int) -> Iterator[Columns]:
        for first in range(0, count, rows):
            yield {name: column[first : first + rows] for name, column in columns.items()}

    return TargetFile(tuple(columns), count, blocks)
