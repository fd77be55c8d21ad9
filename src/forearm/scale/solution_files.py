"""Writes files of solutions: parts as they finish, joined in order at the end, never more than a part in memory.

Columns: `row` of the input from 0, `id` if it had one, `q_JOINT` for each joint [rad or m], `success`,
`status`, `position_error` [m], `rotation_error` [rad], `iterations`, `tries`, `method`, `clearance` [m] among
obstacles, `reason`. A `.npz` file has the same as arrays, `q` (N, n) in one; a `.npy` file has `q` alone,
NaN where a target was missed.
"""

import csv
import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forearm.targets.columns import Columns
from forearm.targets.files import parquet

ENDINGS = (".parquet", ".csv", ".npz", ".npy")
Q = "q"
Parts = Callable[[], Iterator[Columns]]  # gives the parts one by one, each time from the first


def columns_of(part: Columns, joints: tuple[str, ...]) -> Columns:
    """The columns of a table: joint values one by one, the reason last."""
    values = {f"q_{joint}": part[Q][:, k] for k, joint in enumerate(joints)}
    heads = {name: part[name] for name in ("row", "id") if name in part}
    tails = {name: column for name, column in part.items() if name not in (*heads, Q, "reason")}
    return heads | values | tails | {"reason": part["reason"]}


def join(parts: Parts, out: Path, joints: tuple[str, ...]) -> None:
    """Makes one file of all parts, whole or not at all."""
    making = out.with_name(f"{out.name}.making{out.suffix}")
    writers = {".parquet": join_parquet, ".csv": join_csv, ".npz": join_npz, ".npy": join_npy}
    writers[out.suffix.lower()](parts, making, joints)
    with making.open("rb") as file:
        os.fsync(file.fileno())
    making.replace(out)


def join_parquet(parts: Parts, out: Path, joints: tuple[str, ...]) -> None:
    """One row group per part."""
    package = parquet()
    import pyarrow  # noqa: PLC0415 (there, as the line above found)

    writer = None
    try:
        for part in parts():
            table = pyarrow.table({name: plain(column) for name, column in columns_of(part, joints).items()})
            writer = writer or package.ParquetWriter(out, table.schema)
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()


def join_csv(parts: Parts, out: Path, joints: tuple[str, ...]) -> None:
    """Numbers to their last digit."""
    with out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        for k, part in enumerate(parts()):
            columns = columns_of(part, joints)
            if k == 0:
                writer.writerow(columns)
            writer.writerows(zip(*(as_text(column) for column in columns.values()), strict=True))


def as_text(column: NDArray[Any]) -> list[Any]:
    """Values as CSV has them."""
    values: list[Any] = plain(column).tolist()
    return [str(value).lower() for value in values] if column.dtype == np.bool_ else values


def plain(column: NDArray[Any]) -> NDArray[Any]:
    """A column with text instead of bytes."""
    return np.char.decode(column, "utf-8") if column.dtype.kind == "S" else column


def join_npy(parts: Parts, out: Path, joints: tuple[str, ...]) -> None:
    """Joint values alone."""
    count = sum(len(part["row"]) for part in parts())
    joined = np.lib.format.open_memmap(out, mode="w+", dtype=np.float64, shape=(count, len(joints)))
    for part in parts():
        first = int(part["row"][0])
        joined[first : first + len(part[Q])] = np.where(part["success"][:, None], part[Q], np.nan)
    joined.flush()


def join_npz(parts: Parts, out: Path, joints: tuple[str, ...]) -> None:
    """Every column as an array, one after the other."""
    names = next(parts()).keys()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name in names:
            shapes = [(part[name].shape, part[name].dtype) for part in parts()]
            dtype = np.result_type(*(dtype for _, dtype in shapes))
            header = {"descr": dtype.str, "fortran_order": False}
            shape = (sum(shape[0] for shape, _ in shapes), *shapes[0][0][1:])
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array_header_2_0(file, header | {"shape": shape})
                for part in parts():
                    file.write(np.ascontiguousarray(part[name], dtype).tobytes())
