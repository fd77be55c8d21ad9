"""Reads files of targets a block of rows at a time, so that memory is bounded however long they are.

Parquet and CSV have named columns (`targets/columns.py` says which); a name with another ending is read as
CSV, whose cells are parted by commas, semicolons (then a comma may be the decimal point), tabs or blanks, and in which
lines that begin with # are passed over; a header may name units (`x [mm]`). Eight columns without a header, parted by
blanks, are a TUM trajectory. JSON is a list of 4x4 matrices, or of objects (`targets/json_rows.py`). A `.npy` file is
an array of poses (N, 4, 4) or points (N, 3); a `.npz` file has it as `targets`, and may have `q0` (N, n). JSON and
`.npz` are read whole.
"""

import csv
import itertools
import math
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray

from forearm.common.checks import as_array, brief, number_in
from forearm.common.files import words_of
from forearm.common.later import Later
from forearm.common.types import Floats
from forearm.errors import ForearmError, MissingExtraError, OptionError, TargetError
from forearm.targets import columns as grammar
from forearm.targets.columns import Columns, name_columns
from forearm.targets.json_rows import read_json
from forearm.targets.many import Targets

if TYPE_CHECKING:
    import logging
else:  # only where something is to be told
    logging = Later("logging")

ENDINGS = (".parquet", ".csv", ".json", ".npy", ".npz")
# endings of what is refused, with the way out
NOT_READ = {
    ".zarr": "Zarr targets are not read; give arm.solve_batch(zarr.open(...)), or save them as .npy or .parquet",
    ".gz": "files that gzip made are not read; unpack it first",
}


@dataclass(frozen=True)
class TargetFile:
    """A file of targets: its columns as `name_columns` gives them, and its rows in order, so many at a time.

    `per` has how many of a column's unit make one of ours, where the file itself says so.
    """

    names: tuple[str, ...]
    count: int
    blocks: Callable[[int], Iterator[Columns]]
    per: dict[str, float] = field(default_factory=dict)


class WayPoints(NamedTuple):
    """A path as a file has it: targets, their times [s] or None, and the columns that are carried along."""

    targets: Targets
    times: Floats | None
    carried: Columns


def read_targets(
    path: Path,
    tol: tuple[float, float],
    per_metre: float = 1.0,
    per_radian: float = 1.0,
    nearest_rigid: bool = False,
) -> WayPoints:
    """The way-points of a path; matrices as the nearest rigid ones if asked."""
    file = open_targets(path, per_metre, per_radian, nearest_rigid)
    kind = grammar.kind_of(file.names, path)
    for name in file.names:
        if grammar.is_start(name):
            raise OptionError(f"'{path}' has '{name}'; a path has one start: give it as {{start}}", start="q0")
    if file.count > MAX_WAY_POINTS:
        raise OptionError(f"'{path}' has {file.count:,} way-points; a path takes at most {MAX_WAY_POINTS:,}: cut it")
    block = next(file.blocks(file.count))
    if nearest_rigid:
        tell_off_rigid(path, off_rigid(block))
    carried = {name: block[name] for name in grammar.extras_in(block)}
    return WayPoints(grammar.targets_of(block, kind, 0, path, tol), block.get(grammar.TIME), carried)


def off_rigid(block: Columns) -> float:
    """How far the matrices of a block were at most from the rigid ones that took their place; 0 if none did."""
    off = block.get(grammar.OFF_RIGID)
    return float(off.max(initial=0.0)) if off is not None and off.dtype == np.float64 else 0.0


def tell_off_rigid(path: Path, off: float) -> None:
    """Says how far the matrices of a file were from the rigid ones that took their place."""
    words = "'%s': its matrices are taken as the nearest rigid ones, which differ by at most %.2g in an entry"
    logging.getLogger("forearm").warning(words, path, off)


def open_targets(
    path: Path,
    per_metre: float = 1.0,
    per_radian: float = 1.0,
    nearest_rigid: bool = False,
    per_joint: Mapping[str, float] = MappingProxyType({}),
) -> TargetFile:
    """A file of at least one target, given in metres and radians; `per_metre` of its lengths make a metre.

    A unit in a file's header comes before these, and before `per_joint`, the same of starts by joint. `nearest_rigid`
    brings matrices to the nearest rigid ones, and adds how far these are as a column.
    """
    if path.suffix.lower() in NOT_READ:
        raise OptionError(f"'{path}': {NOT_READ[path.suffix.lower()]}")
    if not path.is_file():
        there = f"'{path}' is not a regular file; give the path of one" if path.exists() else ""
        raise OptionError(there or f"there is no file '{path}'; check the path")
    openers = {".parquet": open_parquet, ".npy": open_arrays, ".npz": open_arrays}
    openers[".json"] = lambda path: from_columns(read_json(path, per_radian), path)
    with told(path):
        file = openers.get(path.suffix.lower(), open_csv)(path)
    if not file.count:
        raise OptionError(f"'{path}' holds no targets; give at least one")
    per = dict.fromkeys(grammar.LENGTHS, per_metre) | dict.fromkeys(grammar.ANGLES, per_radian)
    per |= grammar.per_start(file.names, per_joint) | file.per
    kind = grammar.kind_of(file.names, path) if nearest_rigid else ""

    def blocks(rows: int) -> Iterator[Columns]:
        seen = 0
        with told(path):
            for raw in file.blocks(rows):
                block = {
                    name: np.float64(column) / per[name] if name in per else column for name, column in raw.items()
                }
                if grammar.STARTS in raw and raw[grammar.STARTS].shape[1:] == (len(per_joint),):
                    block[grammar.STARTS] = np.float64(raw[grammar.STARTS]) / [*per_joint.values()]
                yield grammar.nearest_poses(block, kind, seen, path) if nearest_rigid else block
                seen += len(next(iter(block.values())))
            if seen != file.count:
                raise OptionError(f"'{path}' says that it has {file.count:,} rows, and has {seen:,}; write it again")

    return replace(file, blocks=blocks)


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Tells whatever a parser throws at a file as an error of forearm's, with the file's name."""
    try:
        yield
    except ForearmError:
        raise
    except UnicodeDecodeError:
        endings = ", ".join(ENDINGS)
        raise OptionError(f"'{path}' is not text; if it is no CSV, its name must end in one of: {endings}") from None
    except MemoryError:
        raise OptionError(f"'{path}' asks for more memory than there is; is it damaged?") from None
    except Exception as problem:  # parsers have many kinds of their own
        raise OptionError(f"'{path}' cannot be read: {words_of(problem)}") from None


# -- Parquet -------------------------------------------------------------------------------------


def parquet() -> Any:
    """The package for Parquet files."""
    try:
        import pyarrow.parquet  # noqa: PLC0415 (slow, optional)
    except ImportError:
        raise MissingExtraError("reading or writing Parquet", "scale", "pyarrow") from None
    return pyarrow.parquet


def open_parquet(path: Path) -> TargetFile:
    """A Parquet file; only its footer is read."""
    with parquet().ParquetFile(path) as file:
        header = file.schema_arrow.names
        blocks, per = partial(parquet_blocks, path), grammar.units_in(header, path)
        return TargetFile(name_columns(header), file.metadata.num_rows, blocks, per)


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
    """A column as float64, missing values as NaN; as text if it is carried along."""
    if grammar.extras_in([name]):
        return grammar.as_texts(column.to_pylist(), 0, path, name)
    try:
        return np.asarray(column.cast("double").to_numpy(zero_copy_only=False), np.float64)
    except Exception:  # the package has many kinds of its own
        raise OptionError(f"'{path}', column '{name}' holds {column.type}; it takes numbers") from None


# -- CSV -----------------------------------------------------------------------------------------


def open_csv(path: Path) -> TargetFile:
    """A CSV file, with a header or without; read once, to count its rows."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        header, lines = csv_lines(file)
        per = grammar.units_in(header, path)
        return TargetFile(name_columns(header), sum(1 for _ in lines), partial(csv_blocks, path), per)


def csv_lines(file: Iterable[str]) -> tuple[tuple[str, ...], Iterator[list[str]]]:
    """The header, and the rows below it that are not blank."""
    plain = (line for line in file if line.strip() and not line.lstrip().startswith("#"))
    first = next(plain, "")
    parted = part_by(first)
    lines = (line for line in parted(itertools.chain([first], plain)) if any(cell.strip() for cell in line))
    head = next(lines, [])
    if 2 * sum(map(is_number, head)) > len(head):  # no header, but a row, even if a cell of it holds something else
        names = grammar.TUM if parted is part_at_blanks and len(head) == len(grammar.TUM) else ("",) * len(head)
        return names, itertools.chain([head], lines)
    return tuple(head), lines


def part_by(line: str) -> Callable[[Iterable[str]], Iterator[list[str]]]:
    """How the cells of lines are parted, told by the first of them: at commas, semicolons, tabs or blanks."""
    if ";" in line:
        return part_at_semicolons
    if "," in line or len(line.split()) < 2:
        return csv.reader
    return part_at_blanks


def part_at_blanks(lines: Iterable[str]) -> Iterator[list[str]]:
    """Cells parted by any number of blanks or tabs."""
    return (line.split() for line in lines)


def part_at_semicolons(lines: Iterable[str]) -> Iterator[list[str]]:
    """Cells parted by semicolons; a comma in one is its decimal point."""
    return ([cell.replace(",", ".") for cell in line] for line in csv.reader(lines, delimiter=";"))


def csv_blocks(path: Path, rows: int) -> Iterator[Columns]:
    """Blocks of a CSV file."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        header, lines = csv_lines(file)
        for first in itertools.count(0, rows):
            block = list(itertools.islice(lines, rows))
            if not block:
                return
            yield parse(block, header, first, path)


def parse(block: list[list[str]], header: tuple[str, ...], first: int, path: Path) -> Columns:
    """Rows of text as columns of numbers; a fault is named with its row, line and column, as the file has them."""
    names = name_columns(header)
    for i, row in enumerate(block):
        if len(row) != len(names):
            where = f"'{path}', row {first + i} (line {line_of(path, first + i)})"
            raise OptionError(f"{where} has {len(row)} cells and the header {len(names)}")
    columns: Columns = {}
    carried = set(grammar.extras_in(names))

    def place(i: int, k: int) -> str:
        column = f"'{header[k].strip()}'" if header[k].strip() else str(k + 1)
        return f"'{path}', row {first + i}, column {column} (line {line_of(path, first + i)})"

    for k, (name, cells) in enumerate(zip(names, zip(*block, strict=True), strict=True)):
        if name in carried:
            columns[name] = grammar.as_texts(cells, first, path, name)
            continue
        try:
            if "_" in "".join(cells):  # which is no digit, but for Python
                raise ValueError
            columns[name] = np.array(cells, dtype=np.float64)
        except ValueError:
            i = next(i for i, cell in enumerate(cells) if not is_number(cell))
            raise OptionError(f"{place(i, k)}: {brief(cells[i])} is not a number") from None
        if name in grammar.KNOWN:
            for i in np.flatnonzero(~np.isfinite(columns[name]))[:1]:
                raise TargetError(f"{place(i, k)}: {columns[name][i]} is not a finite number")
    return columns


def line_of(path: Path, row: int) -> int:
    """The line of a CSV file, from 1, at which a row of it ends."""
    read = 0

    def counted(file: TextIO) -> Iterator[str]:
        nonlocal read
        for line in file:
            read += 1
            yield line

    with path.open(newline="", encoding="utf-8-sig") as file:
        _, lines = csv_lines(counted(file))
        next(itertools.islice(lines, row, None))
    return read


def is_number(cell: str) -> bool:
    """Whether a cell holds a number."""
    try:
        number_in(cell)
    except ValueError:
        return False
    return True


# -- arrays and JSON -----------------------------------------------------------------------------


def open_arrays(path: Path) -> TargetFile:
    """Arrays of a file; those of a `.npy` stay on disk."""
    if path.suffix.lower() == ".npy":
        with path.open("rb") as head:
            check_array(head, path.stat().st_size, f"'{path}'")
        arrays: Columns = {"targets": np.load(path, mmap_mode="r", allow_pickle=False)}
    else:
        arrays = zipped_arrays(path)
    targets = as_array(arrays.pop("targets"), f"'{path}'", OptionError)
    if targets.shape[1:] == (4, 4):
        columns = {name: targets[:, k // 4, k % 4] for k, name in enumerate(grammar.MATRIX)}
    elif targets.shape[1:] == (3,):
        columns = dict(zip(grammar.POINT, targets.T, strict=True))
    else:
        raise OptionError(f"'{path}' has targets of shape {targets.shape}; it takes (N, 4, 4) poses or (N, 3) points")
    starts = {name: as_array(array, f"{name} in '{path}'", OptionError) for name, array in arrays.items()}
    return from_columns(columns | starts, path)


def zipped_arrays(path: Path) -> Columns:
    """The arrays of a `.npz`, of which none is larger than it says or packed beyond reason."""
    with zipfile.ZipFile(path) as file:
        names = [name.removesuffix(".npy") for name in file.namelist()]
        if "targets" not in names:
            shown = ", ".join(names[:10]) or "none"
            raise OptionError(f"'{path}' has the arrays {shown}; it takes targets, and perhaps q0")
        arrays: Columns = {}
        for name in ("targets", grammar.STARTS):
            if name not in names:
                continue
            entry = file.getinfo(file.namelist()[names.index(name)])
            if entry.file_size > max(UNPACKED, MAX_PACKING * entry.compress_size):
                raise OptionError(f"'{path}' packs {entry.file_size:,} bytes into {entry.compress_size:,}; unpack it")
            with file.open(entry) as head:
                check_array(head, entry.file_size, f"{name} in '{path}'")
            with file.open(entry) as data:
                arrays[name] = np.lib.format.read_array(data, allow_pickle=False)
    return arrays


def check_array(file: IO[bytes], size: int, what: str) -> None:
    """Refuses an array that says it is larger than the bytes it has, before memory is taken for it."""
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(file)
    wanted = math.prod(shape) * dtype.itemsize
    if dtype.hasobject or not 0 <= wanted <= size or any(length < 0 for length in shape):
        raise OptionError(f"{what} says it holds {shape} of {dtype}, and has {size:,} bytes; write it again as numbers")


def from_columns(columns: Columns, path: Path) -> TargetFile:
    """Columns that are there as a whole."""
    lengths = {name: len(column) if column.ndim else 0 for name, column in columns.items()}
    count = next(iter(lengths.values()), 0)
    for name, length in lengths.items():
        if length != count:
            raise OptionError(f"'{path}' has {name} for {length:,} of {count:,} targets; give it for all or for none")

    def blocks(rows: int) -> Iterator[Columns]:
        for first in range(0, count, rows):
            yield {name: column[first : first + rows] for name, column in columns.items()}

    return TargetFile(tuple(columns), count, blocks)


MAX_WAY_POINTS = 1_000_000
UNPACKED, MAX_PACKING = 64 * 1024 * 1024, 50  # bytes that may be packed as one likes; else so many into one
