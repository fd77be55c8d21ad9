"""Builds `libforearm`, static and shared, with one C header, into `dist/c`: `python tools/kernels/library.py`.

Every entry of the border becomes a C function that checks what Python's border checks, by the same text (`shim.py`):
pointers, and the sizes of all arrays against each other. It allocates nothing and keeps nothing.
"""

import inspect
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "src")]

from build import BuildError, provide_objects  # noqa: E402 (found by the line above)
from pieces import build_pieces  # noqa: E402
from shim import kernel_of, passed, prototype, result_struct, size_checks, size_function, symbol_of  # noqa: E402

from forearm import __version__  # noqa: E402
from forearm.core import border  # noqa: E402
from forearm.export.pieces import FOLDER  # noqa: E402
from forearm.export.statuses import enum_lines, word_lines  # noqa: E402

TARGET = HERE.parents[1] / "dist" / "c"
TYPES = {"f": "double", "s": "float", "i": "int64_t", "b": "int8_t", "u": "uint64_t", "t": "uint8_t"}
PLAIN = __version__.split("+")[0].split(".dev")[0]

HEADER = """\
/* forearm {version}: its compiled kernels for C. Made by tools/kernels/library.py from core/border.py.

   Each function takes arrays as a pointer and the sizes of their axes (row by row, no gaps), and writes what the kernel
   returns through its last pointers. It gives FA_OK, or FA_BAD_ARGUMENT where a pointer is NULL or a size does not fit
   the others: nothing is then read or written. What a solving kernel returns is one of fa_status, too. Nothing is
   allocated or kept between calls: all are re-entrant. Arrays that describe a robot are made by forearm in Python; what
   is in them may change from version to version, and is not to be read. The line above each function is its border:
   types (f double, s float, i int64_t, b int8_t, u uint64_t, t truth), sizes, ! for what is written, -> its result.
   To get one robot with its tables and plain calls, run `forearm export`. */
#ifndef FOREARM_H
#define FOREARM_H

#include <stdint.h>

#define FA_VERSION "{version}"
#define FA_OK 0

#ifdef __cplusplus
extern "C" {{
#endif

typedef enum {{
{statuses}
}} fa_status;

/* The version of the library that runs. */
const char *fa_version(void);

/* The words of a status. */
const char *fa_status_name(int status);

{functions}

#ifdef __cplusplus
}}
#endif
#endif
"""

SOURCE_HEAD = """\
/* Made by tools/kernels/library.py from core/border.py. */
#include "forearm.h"

#include <stddef.h>
#include <string.h>

typedef struct { const void *data; int64_t item, items, sizes[4], strides[4]; int fits; } Array;

#define A(i) (args + (i))
#define S(i, k) (args[i].sizes[k])
#define T(i, k) (args[i].strides[k])
#define HEAD_OF(i) NULL, NULL, args[i].items, args[i].item, (void *)args[i].data
#define refuse_size(entry, name, given, asked) FA_BAD_ARGUMENT

static Array array(const void *data, int64_t item, int axes, int64_t a, int64_t b, int64_t c, int64_t d) {
    Array made = {data, item, 1, {a, b, c, d}, {0}, a >= 0 && b >= 0 && c >= 0 && d >= 0};
    for (int k = axes - 1; k >= 0; k--) made.strides[k] = item * made.items, made.items *= made.sizes[k];
    made.fits = made.fits && (data != NULL || made.items == 0);
    return made;
}

/* As in the border for Python: a whole number that an array carries, for the sizes of others; -1 if it carries none. */
static int64_t carried(const Array *from, int64_t place) {
    if (from->items <= place) return -1;
    double number = ((const double *)from->data)[place];
    return number >= 0.0 && number < 1e9 ? (int64_t)number : -1;
}

/* How many things a column names from a row on, counted from 0; more than any array has if it names none. */
static int64_t named(const Array *from, int64_t first, int64_t column) {
    const double *row = (const double *)from->data;
    int64_t columns = from->sizes[1], count = 0;
    if (column >= columns) return INT64_MAX / 8;
    for (int64_t i = first; i < from->sizes[0]; i++) {
        double number = row[i * columns + column];
        if (!(number >= 0.0 && number < 1e9)) return INT64_MAX / 8;
        if ((int64_t)number + 1 > count) count = (int64_t)number + 1;
    }
    return count;
}

const char *fa_version(void) { return FA_VERSION; }
"""

PKG_CONFIG = """\
prefix=${pcfiledir}/../..
libdir=${prefix}/lib
includedir=${prefix}/include

Name: forearm
Description: Inverse kinematics for robot arms: compiled kernels
Version: @VERSION@
Libs: -L${libdir} -lforearm
Libs.private: -lm
Cflags: -I${includedir}
"""

CMAKE = """\
# find_package(forearm) gives forearm::forearm (shared) and forearm::static.
get_filename_component(_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET forearm::forearm)
  add_library(forearm::forearm SHARED IMPORTED)
  set_target_properties(forearm::forearm PROPERTIES
    IMPORTED_LOCATION "${_root}/lib/libforearm.so" INTERFACE_INCLUDE_DIRECTORIES "${_root}/include")
  add_library(forearm::static STATIC IMPORTED)
  set_target_properties(forearm::static PROPERTIES
    IMPORTED_LOCATION "${_root}/lib/libforearm.a" INTERFACE_INCLUDE_DIRECTORIES "${_root}/include"
    INTERFACE_LINK_LIBRARIES m)
endif()
"""

CMAKE_VERSION = """\
set(PACKAGE_VERSION "@VERSION@")
set(PACKAGE_VERSION_COMPATIBLE FALSE)
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
"""


def function_name(entry: str) -> str:
    """The C name of an entry's checked function."""
    return "fa_" + entry.replace(".", "_")


def parameters_of(entry: str) -> list[str]:
    """The parameters of an entry's checked function, as C declares them."""
    names, declared = list(inspect.signature(kernel_of(entry)).parameters), []
    for name, argument in zip(names, border.arguments_of(entry), strict=True):
        kind = TYPES[argument.letter]
        if argument.sizes:
            declared.append(f"{'' if argument.written else 'const '}{kind} *{name}")
            declared += [f"int64_t {name}_{k}" for k in range(len(argument.sizes))]
        else:
            declared.append(f"{kind} {name}")
    return declared + [f"{TYPES[letter]} *result_{i}" for i, letter in enumerate(border.returns_of(entry))]


def signature(entry: str) -> str:
    """An entry's checked function, up to its body."""
    return f"int {function_name(entry)}({', '.join(parameters_of(entry))})"


def write_header() -> str:
    """The C header."""
    functions = "\n\n".join(f"/* {border.ENTRIES[entry]} */\n{signature(entry)};" for entry in border.ENTRIES)
    return HEADER.format(version=__version__, statuses=enum_lines("FA"), functions=functions)


def write_source() -> str:
    """The C text of the checks."""
    words = f"\nconst char *fa_status_name(int status) {{\n    switch (status) {{\n{word_lines('FA')}\n"
    parts = [SOURCE_HEAD, words + '    default: return "unknown status";\n    }\n}\n']
    parts += [size_function(name) for name in border.SIZES]
    parts += [function_source(entry) for entry in border.ENTRIES]
    return "\n".join(parts) + "\n"


def function_source(entry: str) -> str:
    """An entry's checked function."""
    arguments, returns, symbol = border.arguments_of(entry), border.returns_of(entry), symbol_of(entry)
    names = list(inspect.signature(kernel_of(entry)).parameters)
    lines = [prototype(symbol, arguments), signature(entry) + " {", "    const Array args[] = {"]
    lines += [f"        {array_of(name, argument)}," for name, argument in zip(names, arguments, strict=True)]
    lines.append("    };")
    for i, (name, argument) in enumerate(zip(names, arguments, strict=True)):
        lines.append(
            f"    if (!args[{i}].fits) return FA_BAD_ARGUMENT;" if argument.sizes else number_of(i, name, argument)
        )
    lines += [f"    if (result_{i} == NULL) return FA_BAD_ARGUMENT;" for i in range(len(returns))]
    lines += size_checks(entry, arguments)
    lines.append(
        f"    {result_struct(returns)} result;\n    void *fault = NULL;\n    memset(&result, 0, sizeof result);"
    )
    given = ", ".join(["&result", "&fault", *map(passed, range(len(arguments)), arguments)])
    lines.append(f"    if ({symbol}({given})) return FA_NOT_CONVERGED;")
    one = len(returns) == 1
    lines += [f"    *result_{i} = result{'' if one else f'.r{i}'};" for i in range(len(returns))]
    return "\n".join([*lines, "    return FA_OK;\n}"])


def array_of(name: str, argument: border.Argument) -> str:
    """How an argument stands in the table of arrays."""
    axes = len(argument.sizes)
    sizes = [f"{name}_{k}" for k in range(axes)] + ["1"] * (4 - axes)
    item = f"sizeof({TYPES[argument.letter]})"
    return f"array({name}, {item}, {axes}, {', '.join(sizes)})" if axes else "{NULL, 0, 0, {0}, {0}, 1}"


def number_of(i: int, name: str, argument: border.Argument) -> str:
    """A number under the name that the call has for it."""
    return f"    const {TYPES[argument.letter]} v{i} = {name};"


def build(target: Path) -> None:
    """Builds header, libraries and what finds them."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None or shutil.which("ar") is None:
        raise BuildError("a C compiler (cc) and ar must be installed to build the library")
    lib, include = target / "lib", target / "include"
    for folder in (lib / "pkgconfig", lib / "cmake" / "forearm", include):
        folder.mkdir(parents=True, exist_ok=True)
    (include / "forearm.h").write_text(write_header())
    (lib / "pkgconfig" / "forearm.pc").write_text(PKG_CONFIG.replace("@VERSION@", PLAIN))
    (lib / "cmake" / "forearm" / "forearm-config.cmake").write_text(CMAKE)
    (lib / "cmake" / "forearm" / "forearm-config-version.cmake").write_text(CMAKE_VERSION.replace("@VERSION@", PLAIN))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        provide_objects(folder, lambda line: print(f"c: {line}", flush=True))
        link(compiler, folder, lib, include)
    sizes = ", ".join(f"{path.name} {path.stat().st_size / 1e6:.1f} MB" for path in sorted(lib.glob("libforearm.*")))
    print(f"c: {sizes}, {len(border.ENTRIES)} functions in {include / 'forearm.h'}")


def link(compiler: str, folder: Path, lib: Path, include: Path) -> None:
    """Compiles the checks, and makes both libraries of them and of the kernels' objects."""
    source, script = folder / "forearm.c", folder / "exported"
    source.write_text(write_source())
    script.write_text("{ global: fa_*; local: *; };\n")
    strict = ["-std=c99", "-O2", "-fPIC", "-Wall", "-Wextra", "-Wno-unused-variable", "-Werror", f"-I{include}"]
    run([compiler, *strict, "-c", str(source), "-o", str(folder / "forearm.o")])
    objects = [str(path) for path in sorted(folder.glob("*.o"))]
    archive = lib / "libforearm.a"
    archive.unlink(missing_ok=True)
    run(["ar", "rcs", str(archive), *objects])
    only = [f"-Wl,--version-script={script}", "-Wl,-s"] if sys.platform == "linux" else []
    run([compiler, "-shared", *only, *objects, "-lm", "-o", str(lib / "libforearm.so")])


def run(command: list[str]) -> None:
    """Runs a tool; its words are the fault's."""
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise BuildError(f"{command[0]} failed: {done.stderr.strip()[-2000:]}")


def main() -> int:
    """Builds the library and the pieces of robots, and says in one line why not."""
    try:
        build(TARGET)
        build_pieces(FOLDER, lambda line: print(f"c: {line}", flush=True))
    except BuildError as fault:
        print(f"c: not built: {fault}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
