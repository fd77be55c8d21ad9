"""The kernels that an exported robot calls, as object files that came with the package, and what they weigh.

A wheel's build, or `make c` in a working copy, leaves them in `kernels/`: one object a piece, `kernels.h` with their
declarations, and `kernels.json`, which says what they were made of. A robot gets the pieces that it needs and no other.
"""

import json
import platform
from pathlib import Path
from typing import NamedTuple

from forearm.core.stamp import stamp_of
from forearm.errors import ForearmError

FOLDER = Path(__file__).with_name("kernels")
DECLARATIONS, FACTS = "kernels.h", "kernels.json"

# name: entries of the border (`core/border.py`) that are compiled together, as they share most of their code.
# Where formulas are exact, the kernel that polishes gives the bits of the one that does not: it stands for both.
PIECES = {
    "fk": ("arm.kinematics.fk_checked", "arm.goal.begin", "arm.goal.finish"),
    "general": ("general.solve.solve_general", "general.null_space.settle"),
    "parallel": ("closed_form.solve.polish_parallel",),
    "wrist": ("closed_form.solve.polish_wrist",),
    "swivel": ("closed_form.solve.polish_swivel",),
    "plane": ("closed_form.solve.polish_plane",),
    "rows": ("closed_form.listing.list_rows",),
    "measure": ("closed_form.listing.measure_row",),
    "intervals": ("closed_form.listing.list_intervals", "closed_form.listing.row_at_swivel"),
    "held": ("closed_form.held.held_range",),
    "elimination": ("branches.solve.list_branches",),
    "tick": ("servo.tick.tick",),
}


class Piece(NamedTuple):
    """An object file."""

    name: str
    path: Path
    code: int  # bytes of machine code and constants
    stack: int  # bytes of stack that it takes at most


class Kernels(NamedTuple):
    """All pieces that are here."""

    pieces: dict[str, Piece]
    declarations: str  # C
    processor: str  # what they were compiled for
    platform: str


def stamps(piece: str) -> list[str]:
    """What the sources of a piece are now."""
    return [stamp_of(entry.rpartition(".")[0]) for entry in PIECES[piece]]


def find_kernels(folder: Path = FOLDER) -> Kernels:
    """The pieces that came with the package; refused if there are none, or if they were made of other sources."""
    remedy = "`make c` builds them in a working copy; wheels for your platform carry them"
    facts = folder / FACTS
    if not facts.exists():
        raise ForearmError(f"there are no compiled kernels to export in {folder}; {remedy}")
    told = json.loads(facts.read_text(encoding="utf-8"))
    stale = [name for name in PIECES if told["stamps"].get(name) != stamps(name)]
    if stale:
        raise ForearmError(f"kernels were edited since those to export were built ({', '.join(stale)}); {remedy}")
    pieces = {name: Piece(name, folder / f"{name}.o", told["code"][name], told["stack"][name]) for name in PIECES}
    return Kernels(pieces, (folder / DECLARATIONS).read_text(encoding="utf-8"), told["processor"], told["platform"])


def this_platform() -> str:
    """The system and processor that objects are for, such as linux-x86_64."""
    return f"{platform.system()}-{platform.machine()}".lower()
