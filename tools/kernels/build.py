"""Builds the compiled kernels into `src/forearm/core`: `python tools/kernels/build.py`, or `make kernels`.

Objects are compiled by Numba, groups side by side in processes of their own (`objects.py`); then the checked C border
is written (`shim.py`) and all is linked to one extension module (`link.py`), which serves every Python from 3.10 on.
`_built.py` beside it says what it was made of. Objects are kept in `build/kernels` under a hash of all that they were
made of, so that after an edit only the groups that it reaches are compiled again.
"""

import argparse
import hashlib
import importlib.util
import os
import runpy
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1] / "src"
CORE = SOURCE / "forearm" / "core"
KEPT = HERE.parents[1] / "build" / "kernels"
sys.path[:0] = [str(HERE), str(SOURCE)]

from shim import ASIDE, PROCESSOR, names_of, object_name  # noqa: E402 (found by the line above)

from forearm.core import border  # noqa: E402
from forearm.core.stamp import check_sum, stamp_of  # noqa: E402

# One row a process. Groups that call much of the same stand in one row, which does the common part once; both rows are
# about as long, and their longest groups stand first, as a row's end is the optimisation of its last.
ROWS = (
    ("among obstacles", "paper methods", "arm", "closed forms"),
    ("charts", "tree", "curves", "branches", "bones", "motions", "sizes"),
)
Rows = tuple[tuple[str, ...], ...]
Tell = Callable[[str], object]


class BuildError(RuntimeError):
    """Why kernels could not be built, in a sentence."""


class NoToolsError(BuildError):
    """What is not installed here, so that nothing can be built; nothing went wrong."""


def build(target: Path, tell: Tell) -> None:
    """Builds the extension module and `_built.py` into a folder, and tells line by line how far it is."""
    require_tools()
    began, stamps, total = time.perf_counter(), current_stamps(), check_sum()  # as they are before it begins
    with tempfile.TemporaryDirectory() as folder:
        with ThreadPoolExecutor(1) as pool:
            border_made = pool.submit(run_c_compiler, folder, "border")
            provide_objects(Path(folder), tell)
            border_made.result()
        tell("linking them with the checks at their border")
        run_c_compiler(folder, "module")
        (made,) = Path(folder, "lib").glob("_kernels*")
        put(target / made.name, made.read_bytes())
    write_facts(target, made.name, stamps, total)
    size = (target / made.name).stat().st_size
    spent = sum(os.times()[2:4])  # of the processes that were waited for: what it costs, whatever else runs here
    seconds = f"{time.perf_counter() - began:.0f} s, {spent:.0f} s of processor time"
    tell(f"done: {made.name}, {size / 1e6:.1f} MB, {seconds}")


def run_c_compiler(folder: str, what: str) -> None:
    """Has the C compiler make the border's object, or the module of all objects."""
    run([str(HERE / "link.py"), folder, what], f"the C compiler did not build the {what}")


def require_tools(link: bool = True) -> None:
    """Says what must be installed first, before minutes are spent on objects that cannot be linked."""
    missing = [name for name in ("numba", "setuptools") if importlib.util.find_spec(name) is None]
    if missing:
        raise NoToolsError(f"{' and '.join(missing)} must be installed to build them: pip install {' '.join(missing)}")
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
    if link and os.name != "nt" and shutil.which(compiler) is None:  # on Windows setuptools finds its own
        raise NoToolsError(f"there is no C compiler: {compiler} is not on the PATH; install one, or name one in CC")


def current_stamps() -> dict[str, str]:
    """What the sources of each entry are now."""
    return {name: stamp_of(name.rpartition(".")[0]) for name in border.ENTRIES}


def stamp_of_tools() -> str:
    """A hash of what compiles kernels, and of what writes and links their checked border."""
    tools = ("objects.py", "once.py", "shim.py", "link.py")
    return hashlib.sha256(b"".join((HERE / name).read_bytes() for name in tools)).hexdigest()


def is_fresh(folder: Path) -> bool:
    """Whether a folder has kernels of these sources and this border."""
    facts = folder / "_built.py"
    if not facts.exists():
        return False
    built = runpy.run_path(str(facts))
    module = folder / built["FILE"]
    whole = module.exists() and module.stat().st_size == built["SIZE"]
    of_border = built["BORDER"] == stamp_of("border") and built.get("TOOLS") == stamp_of_tools()
    return whole and of_border and built["STAMPS"] == current_stamps()


def provide_objects(folder: Path, tell: Tell, rows: Rows = ROWS, shelf: Path = KEPT) -> None:
    """Puts the object of every group into a folder: the kept one if it was made of these sources, else a new one."""
    kept = {group: shelf / f"{key_of(group)}.o" for row in rows for group in row}
    stale = [tuple(group for group in row if not kept[group].exists()) for row in rows]
    if any(stale):
        compile_objects(folder, [row for row in stale if row], tell)
    for group, path in kept.items():
        made = folder / object_name(group)
        if made.exists():
            keep(made, path)
        else:
            shutil.copyfile(path, made)
    for path in shelf.glob("*.o"):
        if path not in kept.values():
            path.unlink()


def key_of(group: str) -> str:
    """A hash of all that a group's object is made of: its kernels and lines of the border, who compiles, for what."""
    made_of = [f"{name}: {border.ENTRIES.get(name)} {stamp_of(name.rpartition('.')[0])}" for name in names_of(group)]
    made_of += [PROCESSOR, metadata.version("numba"), sys.platform]
    made_of += [(HERE / name).read_text() for name in ("objects.py", "once.py")]
    return hashlib.sha256("\n".join(made_of).encode()).hexdigest()


def keep(made: Path, path: Path) -> None:
    """Keeps an object for the next build; where that cannot be, it is compiled again then."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        put(path, made.read_bytes())
    except OSError:
        return


def compile_objects(folder: Path, rows: list[tuple[str, ...]], tell: Tell) -> None:
    """Runs one process for each row of groups and tells how many kernels are done."""
    done, total, said = 0, sum(len(names_of(group)) for row in rows for group in row), set[str]()
    tell(f"compiling {total} kernels ahead of time, once: about a second each on two processors")

    def note(line: str) -> None:
        nonlocal done
        if line.startswith(ASIDE):  # no kernel; each process says it, one is enough
            if line not in said:
                said.add(line)
                tell(line.removeprefix(ASIDE))
            return
        done += 1
        if done % 10 == 0 or done == total:
            tell(f"  {done} of {total}: {line}")

    def compile_row(groups: tuple[str, ...]) -> None:
        run([str(HERE / "objects.py"), str(folder), *groups], f"{', '.join(groups)} did not compile", note)

    with ThreadPoolExecutor(len(rows)) as pool:
        list(pool.map(compile_row, rows))


def run(arguments: list[str], fault: str, note: Tell | None = None) -> None:
    """Runs a script with this Python on Numba's kernels; notes each line that it prints."""
    before = os.environ.get("PYTHONPATH")  # where pip puts the packages of a build in an environment of its own
    path = os.pathsep.join([str(SOURCE), *([before] if before else [])])
    env = os.environ | {"FOREARM_KERNELS": "jit", "PYTHONPATH": path}
    with tempfile.TemporaryFile("w+") as errors:
        command = [sys.executable, "-W", "ignore", *arguments]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=env) as process:
            for line in process.stdout or ():
                if note is not None:
                    note(line.strip())
        if process.returncode:
            errors.seek(0)
            raise BuildError(f"{fault}\n{errors.read().strip()[-2000:]}")


def write_facts(target: Path, name: str, stamps: dict[str, str], total: int) -> None:
    """Writes what the module was made of."""
    facts = {
        "FILE": name,
        "SIZE": (target / name).stat().st_size,
        "PROCESSOR": PROCESSOR,
        "NUMBA": metadata.version("numba"),
        "BORDER": stamp_of("border"),
        "TOOLS": stamp_of_tools(),
        "CHECK_SUM": total,
        "STAMPS": stamps,
    }
    lines = ['"""What the compiled kernels were made of; written by tools/kernels/build.py."""', ""]
    lines += [f"{key} = {value!r}" for key, value in facts.items()]
    put(target / "_built.py", ("\n".join(lines) + "\n").encode())


def put(path: Path, content: bytes) -> None:
    """Replaces a file as a whole: a process that has the old module open keeps it."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_bytes(content)
    fresh.replace(path)


def main() -> int:
    """Builds what is not fresh, and says in one line why not."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--target", type=Path, default=CORE, help="the folder that the module is written to")
    parser.add_argument("--force", action="store_true", help="compile everything, edited or not")
    parser.add_argument("--if-possible", action="store_true", help="where there is no compiler, say so and go on")
    options = parser.parse_args()
    if is_fresh(options.target) and not options.force:
        (options.target / "_built.py").touch()  # for make, which goes by dates
        print("kernels: built already, and nothing was edited since")
        return 0
    if options.force:
        shutil.rmtree(KEPT, ignore_errors=True)
    try:
        build(options.target, lambda line: print(f"kernels: {line}", flush=True))
    except NoToolsError as fault:
        print(f"kernels: not built, so Numba compiles them at first use: {fault}", file=sys.stderr)
        return 0 if options.if_possible else 1
    except BuildError as fault:
        print(f"kernels: the build failed: {fault}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
