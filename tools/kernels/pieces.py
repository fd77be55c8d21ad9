"""Builds what `forearm export` gives away into `src/forearm/export/kernels`: `python tools/kernels/pieces.py`.

A piece is an object of a few kernels that belong together (`forearm/export/pieces.py`), so that a robot in C carries no
more than it calls. Beside them stand their declarations in C, and what they were made of and weigh.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "src")]

from build import (  # noqa: E402 (found by the line above)
    KEPT,
    BuildError,
    NoToolsError,
    Tell,
    provide_objects,
    put,
    require_tools,
    stamp_of_tools,
)
from shim import PROCESSOR, object_name, prototype, symbol_of  # noqa: E402

from forearm.core import border  # noqa: E402
from forearm.export import pieces  # noqa: E402

# one row a process, as in `build.py`
ROWS = (
    ("fk", "general", "tick", "elimination", "held"),
    ("parallel", "wrist", "swivel", "plane", "rows", "measure", "intervals"),
)
# Less is unrolled than for Python: a seventh less code, as fast, the same bits.
LEVEL = "2"
SHELF = KEPT.with_name(f"pieces-O{LEVEL}")
HEAD = """\
/* forearm's kernels as C sees them. Made by tools/kernels/pieces.py from core/border.py.

   Each is called with a place for its result, a place for a fault that none has, and its arguments; an array is its
   number of items, their size, its data, the sizes of its axes and the bytes between neighbours along each. */
#ifndef FOREARM_KERNELS_H
#define FOREARM_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#define FOREARM_ARRAY(data, items) NULL, NULL, (int64_t)(items), 8, (void *)(data)
#define FOREARM_VECTOR(data, n) FOREARM_ARRAY(data, n), (int64_t)(n), 8
#define FOREARM_MATRIX(data, r, c) FOREARM_ARRAY(data, (r) * (c)), (int64_t)(r), (int64_t)(c), (int64_t)(c) * 8, 8
#define FOREARM_CUBE(data, a, b, c) \\
    FOREARM_ARRAY(data, (a) * (b) * (c)), (int64_t)(a), (int64_t)(b), (int64_t)(c), (int64_t)(b) * (c) * 8, \\
        (int64_t)(c) * 8, 8
"""


def build_pieces(target: Path, tell: Tell) -> None:
    """Builds what is not fresh."""
    if is_fresh(target):
        (target / pieces.FACTS).touch()  # for make, which goes by dates
        tell("pieces: built already, and nothing was edited since")
        return
    require_tools(link=False)
    stamps = {name: pieces.stamps(name) for name in pieces.PIECES}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NUMBA_OPT"] = LEVEL  # of the processes that compile
        provide_objects(Path(folder), tell, ROWS, SHELF)
        del os.environ["NUMBA_OPT"]
        target.mkdir(parents=True, exist_ok=True)
        for name in pieces.PIECES:
            path = Path(folder) / object_name(name)
            slim(path)
            put(target / path.name, path.read_bytes())
    made = {name: target / object_name(name) for name in pieces.PIECES}
    put(target / pieces.DECLARATIONS, declarations().encode())
    facts = {
        "made by": maker(),
        "processor": PROCESSOR,
        "platform": pieces.this_platform(),
        "stamps": stamps,
        "code": {name: code_size(path) for name, path in made.items()},
        "stack": {name: stack_size(path) for name, path in made.items()},
    }
    put(target / pieces.FACTS, (json.dumps(facts, indent=1) + "\n").encode())
    total = sum(path.stat().st_size for path in made.values())
    tell(f"pieces: {len(made)} objects, {total / 1e6:.1f} MB, in {target}")


def is_fresh(target: Path) -> bool:
    """Whether a folder has the pieces of these sources."""
    facts = target / pieces.FACTS
    if not facts.exists() or not (target / pieces.DECLARATIONS).exists():
        return False
    told = json.loads(facts.read_text())
    same = told["stamps"] == {name: pieces.stamps(name) for name in pieces.PIECES} and told.get("made by") == maker()
    whole = all((target / object_name(name)).exists() for name in pieces.PIECES)
    return same and whole and (target / pieces.DECLARATIONS).read_text() == declarations()


def maker() -> str:
    """Who compiles, how, and for what."""
    return f"numba {metadata.version('numba')} -O{LEVEL} {PROCESSOR} {stamp_of_tools()[:16]}"


def declarations() -> str:
    """The header of all pieces."""
    lines = [HEAD]
    for entries in pieces.PIECES.values():
        for entry in entries:
            lines.append(f"/* {border.ENTRIES[entry].replace('*/', '* /')} */")
            lines.append(prototype(symbol_of(entry), border.arguments_of(entry)))
    return "\n".join([*lines, "\n#endif\n"])


def slim(path: Path) -> None:
    """Drops the long names of inner functions from an object, where a tool for that is installed."""
    if shutil.which("objcopy") and sys.platform == "linux":
        subprocess.run(["objcopy", "--strip-unneeded", "--remove-section=.eh_frame", str(path)], check=True)


def code_size(path: Path) -> int:
    """Bytes of machine code and constants in an object; its whole size where no tool can tell."""
    if not shutil.which("size"):
        return path.stat().st_size
    row = subprocess.run(["size", str(path)], check=True, capture_output=True, text=True).stdout.splitlines()[1].split()
    return int(row[0]) + int(row[1])


def stack_size(path: Path) -> int:
    """Bytes of stack that an object's functions take at most, all of them at once; 0 where no tool can tell."""
    if not shutil.which("objdump"):
        return 0
    command = ["objdump", "-d", "--no-show-raw-insn", str(path)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    pushed = len(re.findall(r"\bpush\b", text))
    taken = sum(int(size, 16) for size in re.findall(r"\bsub\s+\$0x([0-9a-f]+),%rsp", text))
    calls = text.count(">:\n")
    return 8 * (pushed + calls) + taken


def main() -> int:
    """Builds the pieces, and says in one line why not; `--if-possible` goes on where there is no compiler."""
    try:
        build_pieces(pieces.FOLDER, lambda line: print(line, flush=True))
    except NoToolsError as fault:
        print(f"pieces: not built, so `forearm export` has none to give: {fault}", file=sys.stderr)
        return 0 if "--if-possible" in sys.argv else 1
    except BuildError as fault:
        print(f"pieces: the build failed: {fault}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
