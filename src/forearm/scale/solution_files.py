"""Writes files of solutions: parts as they finish, joined in order at the end, never more than a part in memory.

Columns: `row` of the input from 0, what is carried along of it (`id` and columns that say nothing of the target),
`q_JOINT` for each joint [rad or m], `success`, `status`, `position_error` [m], `rotation_error` [rad], `iterations`,
`tries`, `method`, `clearance` [m] among obstacles, `reason`; in degrees and millimetres if these were asked for. A CSV
has the units in its header (`q_elbow [rad]`), Parquet as `unit` in the metadata of its columns. A `.npz` file has the
same as arrays, `q` (N, n) in one; a `.npy` file has `q` alone, NaN where a target was missed.
"""

import csv
import os
import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from forearm.common.units import Units, with_unit
from forearm.models.model import Model
from forearm.targets.columns import Columns
from forearm.targets.files import parquet

ENDINGS = (".parquet", ".csv", ".npz", ".npy")
Q = "q"
OWN = ("success", "status", "position_error", "rotation_error", "iterations", "tries", "method", "clearance", "reason")
WRITTEN = ("row", *OWN)
AT_ONCE = 1 << 20  # bytes that are copied at a time
Parts = Callable[[], Iterator[Columns]]  # gives the parts one by one, each time from the first


class Layout(NamedTuple):
    """Whose joint values are written, and in which units."""

    model: Model
    units: Units

    def unit_of(self, name: str) -> str:
        """The unit of a column; empty if it has none."""
        joints = {f"q_{joint}": k for k, joint in enumerate(self.model.joint_names)}
        if name in joints:
            return self.units.names(self.model.joint_kinds)[joints[name]]
        return {"position_error": self.units.length, "clearance": self.units.length}.get(
            name, self.units.angle if name == "rotation_error" else ""
        )

    def in_units(self, part: Columns) -> Columns:
        """A part in metres and radians in the units that are written."""
        units = self.units
        if units == Units():
            return part
        per = dict.fromkeys(("position_error", "clearance"), units.per_metre) | {"rotation_error": units.per_radian}
        per[Q] = units.per_joint(self.model.joint_kinds)  # type: ignore[assignment]
        words = [units.words(word).encode() for word in plain(part["reason"]).tolist()]
        changed = {name: part[name] * per[name] for name in per if name in part}
        return part | changed | {"reason": np.array(words, dtype=np.bytes_)}

    def columns_of(self, part: Columns) -> Columns:
        """The columns of a table: what is carried along, joint values one by one, the reason last."""
        values = {f"q_{joint}": part[Q][:, k] for k, joint in enumerate(self.model.joint_names)}
        heads = {name: column for name, column in part.items() if name not in (*OWN, Q)}
        return heads | values | {name: part[name] for name in OWN if name in part}


def join(parts: Parts, out: Path, layout: Layout) -> None:
    """Makes one file of all parts, whole or not at all."""
    making = out.with_name(f"{out.name}.making{out.suffix}")
    writers = {".parquet": join_parquet, ".csv": join_csv, ".npz": join_npz, ".npy": join_npy}
    writers[out.suffix.lower()](lambda: map(layout.in_units, parts()), making, layout)
    with making.open("rb") as file:
        os.fsync(file.fileno())
    making.replace(out)


def join_parquet(parts: Parts, out: Path, layout: Layout) -> None:
    """One row group per part."""
    package = parquet()
    import pyarrow  # noqa: PLC0415 (there, as the line above found)

    writer = None
    try:
        for part in parts():
            table = pyarrow.table({name: plain(column) for name, column in layout.columns_of(part).items()})
            if writer is None:
                units = {name: layout.unit_of(name) for name in table.column_names}
                fields = [each.with_metadata({"unit": units[each.name]} if units[each.name] else {})
                          for each in table.schema]  # fmt: skip
                writer = package.ParquetWriter(out, pyarrow.schema(fields))
            writer.write_table(table.cast(writer.schema))
    finally:
        if writer is not None:
            writer.close()


def join_csv(parts: Parts, out: Path, layout: Layout) -> None:
    """Numbers to their last digit."""
    with out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        for k, part in enumerate(parts()):
            columns = layout.columns_of(part)
            if k == 0:
                writer.writerow([with_unit(name, layout.unit_of(name)) for name in columns])
            writer.writerows(zip(*(as_text(column) for column in columns.values()), strict=True))


def as_text(column: NDArray[Any]) -> list[Any]:
    """Values as CSV has them."""
    values: list[Any] = plain(column).tolist()
    return [str(value).lower() for value in values] if column.dtype == np.bool_ else values


def plain(column: NDArray[Any]) -> NDArray[Any]:
    """A column with text instead of bytes."""
    return np.char.decode(column, "utf-8") if column.dtype.kind == "S" else column


def join_npy(parts: Parts, out: Path, layout: Layout) -> None:
    """Joint values alone."""
    count = sum(len(part["row"]) for part in parts())
    joined = np.lib.format.open_memmap(out, mode="w+", dtype=np.float64, shape=(count, layout.model.n))
    for part in parts():
        first = int(part["row"][0])
        joined[first : first + len(part[Q])] = np.where(part["success"][:, None], part[Q], np.nan)
    joined.flush()


def join_npz(parts: Parts, out: Path, layout: Layout) -> None:
    """Every column as an array, one after the other; the parts, read once, go into a nameless file for each first."""
    kinds: dict[str, set[np.dtype[Any]]] = {}
    count, each = 0, next(parts())
    for part in parts():
        count += len(part["row"])
        for name, column in part.items():
            kinds.setdefault(name, set()).add(column.dtype)
    dtypes = {name: np.result_type(*found) for name, found in kinds.items()}  # texts are as long as the longest
    with ExitStack() as stack:
        columns = {name: stack.enter_context(TemporaryFile(dir=out.parent)) for name in dtypes}
        for part in parts():
            for name, file in columns.items():
                file.write(np.ascontiguousarray(part[name], dtypes[name]).tobytes())
        archive = stack.enter_context(zipfile.ZipFile(out, "w", zipfile.ZIP_STORED, allowZip64=True))
        for name, file in columns.items():
            file.seek(0)
            header = {"descr": dtypes[name].str, "fortran_order": False, "shape": (count, *each[name].shape[1:])}
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array_header_2_0(entry, header)
                shutil.copyfileobj(file, entry, AT_ONCE)


def statuses_in(path: Path) -> dict[str, int]:
    """How many rows of a file of solutions ended how; of a .npy, which has joint values alone, solved and missed."""
    ending = path.suffix.lower()
    if ending == ".npy":
        met = np.isfinite(np.load(path, mmap_mode="r")).all(axis=1)
        words = np.where(met, "solved", "missed")
    elif ending == ".npz":
        with np.load(path, allow_pickle=False) as file:
            words = plain(file["status"])
    elif ending == ".csv":
        with path.open(newline="", encoding="utf-8") as text:
            words = np.array([row["status"] for row in csv.DictReader(text)], dtype=str)
    else:
        words = np.array(parquet().read_table(path, columns=["status"])["status"].to_pylist(), dtype=str)
    return {str(word): int(count) for word, count in zip(*np.unique(words, return_counts=True), strict=True)}
