"""Reads files of targets a block of rows at a time, so that memory is bounded however long they are.

Parquet and CSV have named columns (`targets/columns.py` says which). A `.npy` file is an array of poses
(N, 4, 4) or points (N, 3); a `.npz` file has it as `targets`, and may have `q0` (N, n).
"""

import csv
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.errors import MissingExtraError, OptionError

Columns = dict[str, NDArray[Any]]
ENDINGS = (".parquet", ".csv", ".npy", ".npz")
ID = "id"  # a column that is carried along as text


@dataclass(frozen=True)
class TargetFile:
    """A file of targets.

    Attributes:
        path: Where it lies.
        names: Its columns; of arrays, `targets` and `q0`.
        count: How many rows it has.
    """

    path: Path
    names: tuple[str, ...]
    count: int

    def blocks(self, rows: int) -> Iterator[Columns]:
        """The rows in order, so many at a time."""
        ending = self.path.suffix.lower()
        if ending == ".parquet":
            return parquet_blocks(self.path, rows)
        return csv_blocks(self.path, rows) if ending == ".csv" else array_blocks(self.path, rows)


def open_targets(path: Path) -> TargetFile:
    """A file of targets, its columns and its length."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise OptionError(f"'{path}' is no file of targets; its name must end in one of: {', '.join(ENDINGS)}")
    if not path.is_file():
        raise OptionError(f"there is no file '{path}'; check the path")
    try:
        if ending == ".parquet":
            return open_parquet(path)
        if ending == ".csv":
            with path.open(newline="", encoding="utf-8-sig") as file:
                names = next(csv.reader(file), [])
                count = sum(1 for row in csv.reader(file) if row)
            return TargetFile(path, tuple(name.strip().lower() for name in names), count)
        arrays = open_arrays(path)
        return TargetFile(path, tuple(arrays), len(arrays["targets"]))
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, csv.Error) as problem:
        if isinstance(problem, OptionError):
            raise
        raise OptionError(f"'{path}' cannot be read: {problem}") from None


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
        return TargetFile(path, tuple(file.schema_arrow.names), file.metadata.num_rows)


def parquet_blocks(path: Path, rows: int) -> Iterator[Columns]:
    """Blocks of a Parquet file, whatever its row groups are."""
    with parquet().ParquetFile(path) as file:
        kept: Columns = {}
        for batch in file.iter_batches(batch_size=rows):
            part = {name: as_column(batch.column(name), name, path) for name in batch.schema.names}
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


def csv_blocks(path: Path, rows: int) -> Iterator[Columns]:
    """Blocks of a CSV file with a header."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.reader(file)
        names = [name.strip().lower() for name in next(reader)]
        block: list[list[str]] = []
        first = 0
        for row in reader:
            if row:
                block.append(row)
            if len(block) == rows:
                yield parse(block, names, first, path)
                first, block = first + rows, []
        if block:
            yield parse(block, names, first, path)


def parse(block: list[list[str]], names: list[str], first: int, path: Path) -> Columns:
    """Rows of text as columns of numbers; a fault is named with its row and column."""
    for i, row in enumerate(block):
        if len(row) != len(names):
            raise OptionError(f"'{path}', row {first + i} has {len(row)} cells and the header {len(names)}")
    columns: Columns = {}
    for name, cells in zip(names, zip(*block, strict=True), strict=True):
        if name == ID:
            columns[name] = np.array(cells, dtype=np.str_)
            continue
        try:
            columns[name] = np.array(cells, dtype=np.float64)
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


# -- arrays --------------------------------------------------------------------------------------


def open_arrays(path: Path) -> Columns:
    """The arrays of a file; those of a `.npy` stay on disk."""
    if path.suffix.lower() == ".npy":
        return {"targets": np.load(path, mmap_mode="r", allow_pickle=False)}
    with np.load(path, allow_pickle=False) as file:
        if "targets" not in file.files:
            raise OptionError(f"'{path}' has the arrays {', '.join(file.files)}; it takes targets, and perhaps q0")
        return {name: file[name] for name in ("targets", "q0") if name in file.files}


def array_blocks(path: Path, rows: int) -> Iterator[Columns]:
    """Blocks of arrays."""
    arrays = open_arrays(path)
    count = len(arrays["targets"])
    for first in range(0, count, rows):
        yield {name: np.array(array[first : first + rows]) for name, array in arrays.items()}
