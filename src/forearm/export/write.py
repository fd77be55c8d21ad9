"""Writes one robot as a folder of C that builds with a C compiler alone."""

import math
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from forearm.common.types import Floats
from forearm.core.general.table import ENTRIES, WINDOW
from forearm.core.servo.state import FASTEST, state_size
from forearm.errors import OptionError
from forearm.export.pieces import Kernels, find_kernels
from forearm.export.statuses import enum_lines, word_lines
from forearm.export.tables import Tables, roads_of, round_joints, servo_places, tables_of
from forearm.robot import Robot

TEMPLATES = Path(__file__).with_name("templates")
PER_LINE = 6  # numbers in a line of a table
KEYWORD = re.compile(
    r"(?:robot|forearm|main|kernels|int|double|float|char|long|short|for|if|do|while|return|switch|case)"
)


def export_c(robot: Robot, out: str | Path, name: str | None = None, seeds: int = ENTRIES) -> list[Path]:
    """Writes a robot as C: tables, functions with plain names, the kernels it calls, an example, a README.

    Args:
        robot: The robot, with its tool and limits.
        out: The folder to write into, made if there is none.
        name: What its functions begin with; made of the robot's name by default.
        seeds: Entries of the general solver's table: 2048, which gives the bits that Python gives; fewer, down to 256,
            for a smaller one; 0 for the closed form alone, where the robot has one.

    Returns:
        The files that were written.
    """
    kernels, prefix = find_kernels(), prefix_of(robot.name if name is None else name, given=name is not None)
    arm = robot._prepared
    if seeds == 0 and not roads_of(arm, seeds).solves:
        raise OptionError(
            f"seeds is 0, and {robot.name} has no closed form that solves; it takes {WINDOW} to {ENTRIES}"
        )
    if not (isinstance(seeds, int) and (seeds == 0 or WINDOW <= seeds <= ENTRIES)):
        raise OptionError(f"seeds is {seeds!r}; it takes 0, or {WINDOW} to {ENTRIES}")
    speeds = known_speeds(robot)
    servo = robot.servo(robot.neutral, velocity=None if speeds else 1.0)
    if not speeds:
        servo._rows[FASTEST] = 0.0  # so that a start in C asks for them
    tables = tables_of(arm, servo, seeds)
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        template.name.replace("robot", prefix): fill(template, prefix, robot, tables, kernels, speeds)
        for template in sorted(TEMPLATES.iterdir())
    }
    texts[f"{prefix}_data.c"] = data_source(prefix, robot, tables)
    texts["kernels.h"] = kernels.declarations
    written = []
    for file, text in texts.items():
        (folder / file).write_text(text, encoding="utf-8")
        written.append(folder / file)
    for piece in tables.pieces:
        path = folder / f"{piece}.o"
        path.write_bytes(kernels.pieces[piece].path.read_bytes())
        written.append(path)
    return written


def prefix_of(name: str, given: bool) -> str:
    """What C names begin with: letters, digits and underscores of a name."""
    prefix = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").lower()
    prefix = prefix if prefix[:1].isalpha() else f"arm_{prefix}".rstrip("_")
    if (given and prefix != name) or KEYWORD.fullmatch(prefix):
        raise OptionError(f"name is {name!r}; it takes a name that C functions can begin with, such as 'my_arm'")
    return prefix


def known_speeds(robot: Robot) -> bool:
    """Whether the model says how fast every joint may be."""
    return bool(((robot.velocity_limits > 0.0) & np.isfinite(robot.velocity_limits)).all())


def named(text: str, prefix: str) -> str:
    """A template with the robot's own name."""
    text = re.sub(r"\bROBOT_", f"{prefix.upper()}_", text)
    return re.sub(r"\brobot(?=_|\b)", prefix, text)


# -- what templates are filled with ------------------------------------------------------------------


def fill(template: Path, prefix: str, robot: Robot, tables: Tables, kernels: Kernels, speeds: bool) -> str:
    """A template with its names, and with what it leaves open."""
    text, macros, large = named(template.read_text(encoding="utf-8"), prefix), tables.macros, prefix.upper()
    ones = ", ".join(["1.0"] * robot.n)
    values = {
        "TITLE": in_a_comment(robot.name),
        "VERSION": import_module("forearm").__version__,  # this package is part of it
        "JOINTS": robot.n,
        "MOST_BRANCHES": macros["MOST_BRANCHES"],
        "SERVO_NUMBERS": state_size(robot.n),
        "SPEEDS": "known" if speeds else "unknown: they must be given",
        "STATUSES": enum_lines(large),
        "STATUS_WORDS": word_lines(large),
        "MACROS": "\n".join(f"#define {large}_{key} {literal(value)}" for key, value in all_macros(tables).items()),
        "OBJECTS": " ".join(f"{piece}.o" for piece in tables.pieces),
        "NEUTRAL": ", ".join(repr(float(value)) for value in robot.neutral),
        "SPEED": "NULL" if speeds else "speed",
        "SPEED_NUMBERS": "" if speeds else f"    const double speed[{large}_JOINTS] = {{{ones}}};\n",
        "JOINT_LINES": joint_lines(robot),
        "SIZE_LINES": size_lines(robot, tables, kernels),
        "SOLVES": tables.how[0],
        "LISTS": tables.how[1],
        "PROCESSOR": kernels.processor,
        "PLATFORM": kernels.platform,
    }
    return re.sub(r"@([A-Z_]+)@", lambda found: str(values[found[1]]), text)


def all_macros(tables: Tables) -> dict[str, Any]:
    """Constants of the C text; what the public header has is left to it."""
    return {key: value for key, value in (tables.macros | servo_places()).items() if key != "MOST_BRANCHES"}


def literal(value: Any) -> str:
    """A constant in C, to the last bit."""
    if isinstance(value, list):
        return "{" + ", ".join(literal(each) for each in value) + "}"
    if not isinstance(value, float):
        return str(value)
    return value.hex() if math.isfinite(value) else "INFINITY" if value > 0.0 else "-INFINITY"


def in_a_comment(name: str) -> str:
    """A name from a file, as a line of a C comment takes it."""
    return re.sub(r"[^ -~]|[*/\\?]", "_", name)


def quoted(name: str) -> str:
    """A name from a file as a C string, byte by byte where C would read it otherwise."""
    plain = set(range(0x20, 0x7F)) - set(b'"\\?')
    return '"' + "".join(chr(byte) if byte in plain else f"\\{byte:03o}" for byte in name.encode()) + '"'


def joint_lines(robot: Robot) -> str:
    """The joints with their limits, a row of a table each."""
    rows = zip(robot.joint_names, robot.model.joint_kinds, *robot.limits, robot.velocity_limits, strict=True)
    return "\n".join(
        f"| {in_a_comment(name).replace('|', '_')} | {kind} | {lower:.6g} | {upper:.6g} | {speed:.4g} |"
        for name, kind, lower, upper, speed in rows
    )


def size_lines(robot: Robot, tables: Tables, kernels: Kernels) -> str:
    """What the functions weigh: kernels, tables, and the stack that they take at most."""
    code = {piece: kernels.pieces[piece] for piece in tables.pieces}
    seeds, macros = 8 * tables.macros["SEEDS"], tables.macros
    rest = 8 * sum(np.size(array) for name, array in tables.arrays.items() if name != "seeds")
    scratch = {
        "fk": 0,
        "general": macros["GENERAL_WORK"] + macros["SETTLE_WORK"] + macros["PROBLEM"],
        "tick": macros["SERVO_WORK"],
        "rows": (3 * macros["ROWS"]) * robot.n + macros["FORM_WORK"],
        "elimination": 3 * macros["ROWS"] * robot.n + macros["ELIMINATION_WORK"],
        "intervals": 16 * macros["BREAKS"] + macros["SWIVEL_WORK"],
    }
    lines = [
        f"| {name}.o | {piece.code:,} | {piece.stack + 8 * scratch.get(name, macros['FORM_WORK']):,} |"
        for name, piece in code.items()
    ]
    lines.append(f"| seeds of the general solver | {seeds:,} | |")
    lines.append(f"| other tables | {rest:,} | |")
    return "\n".join(lines)


# -- tables ------------------------------------------------------------------------------------------


def data_source(prefix: str, robot: Robot, tables: Tables) -> str:
    """The C text of a robot's tables."""
    names, count = ", ".join(map(quoted, robot.joint_names)), f"{prefix.upper()}_JOINTS"
    rounds = ", ".join(map(str, round_joints(robot._prepared)))
    parts = [
        f"/* The tables of {in_a_comment(robot.name)}, to the last bit. */",
        f'#include "{prefix}_data.h"\n\n#include <math.h>\n',
        f"const char *const {prefix}_joint_names[{count}] = {{{names}}};",
        f"const int {prefix}_comes_round[{count}] = {{{rounds}}};",
    ]
    arrays = {"lower": robot.limits[0], "upper": robot.limits[1]} | tables.arrays
    for name, array in arrays.items():
        bits = name == "seeds"  # two of its numbers share a double here and there
        numbers = bit_words(array) if bits else [literal(float(value)) for value in np.ravel(array)]
        parts.append(table_source(f"{prefix}_{name}", "uint64_t" if bits else "double", numbers))
    return "\n".join(parts) + "\n"


def bit_words(array: Floats) -> list[str]:
    """The bits of numbers."""
    return [f"0x{word:016x}u" for word in np.ascontiguousarray(array).view(np.uint64).tolist()]


def table_source(name: str, kind: str, numbers: list[str]) -> str:
    """One constant table."""
    lines = [", ".join(numbers[first : first + PER_LINE]) for first in range(0, len(numbers), PER_LINE)]
    return f"const {kind} {name}[{len(numbers)}] = {{\n    " + ",\n    ".join(lines) + "};"
