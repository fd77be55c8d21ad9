"""A robot from a xacro file: xacrodoc expands it to a URDF, which is read like any other.

Expanding runs the file's own expressions, so it happens in a Python process of its own: a file
that never ends is stopped, and neither what xacro prints nor the packages it found for one robot
reach the caller or the next robot. `$(find package)` is answered from the folders around the file,
then by ROS if that is installed.
"""

import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from forearm.common.checks import as_mapping
from forearm.common.files import read_file
from forearm.errors import MissingExtraError, ModelError
from forearm.models.cut import Limits, Name, Tool, cut
from forearm.models.model import Model
from forearm.models.urdf import read_urdf
from forearm.models.xml import file_of, parse_xml, read_text

# The largest robots at hand expand in a second; more than a minute is a file without an end.
MAX_SECONDS = 60.0
# Their documents take up some hundred megabytes; more than this is one that grows without bound.
MAX_MEMORY = 4 * 1024**3
# How many folders above the file are searched for packages: a workspace, and what is around it.
MAX_LEVELS = 6

# What the other process runs: a job comes in and its result goes out, both as JSON.
EXPANDER = """
import json, sys
job = json.load(sys.stdin)
sys.path[:] = job["sys_path"]
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (job["memory"], job["memory"]))
except (ImportError, ValueError, OSError):
    pass
try:
    import xacrodoc
    xacrodoc.packages.update_package_cache(job["packages"])
    document = xacrodoc.XacroDoc.from_string(job["text"], subargs=job["args"], resolve_packages=False)
    result = {"urdf": document.dom.toxml()}
except Exception as problem:
    cause = getattr(problem, "exc", None)
    said = str(cause if type(cause).__name__ == "PackageNotFoundError" else problem)
    result = {"error": said or type(problem).__name__}
print("\\n" + json.dumps(result))
"""

PACKAGE_NAME = re.compile(rb"<name>\s*([^<\s]+)\s*</name>")
FOUND_FILE = re.compile(r"\$\(find\s+([^)\s]+)\)/([^\"'$<>]+)")


def from_xacro(
    source: str | Path,
    *,
    base: Name = None,
    tip: Name = None,
    tool: Tool = None,
    limits: Limits = None,
    args: Mapping[str, str] | None = None,
) -> Model:
    """The model of the chain between two links of a xacro.

    Args:
        source: Path of the file, or the XML itself; what text includes is looked for in the
            working directory.
        base: Link in whose frame poses are given; the root link by default.
        tip: Link to bring to the target; may be left out if the tree has a single leaf.
        tool: (4, 4) pose of the tool in the tip's frame.
        limits: Limits by joint name that replace those of the file.
        args: Values of the file's `<xacro:arg>`.
    """
    urdf, where = expand(source, as_mapping(args, "args", "argument name to value", ModelError))
    data, _ = read_text(urdf, "expanded xacro")
    mechanism = read_urdf(data, f"{where} (expanded)", file_of(source), f"expanded from {where}")
    return cut(mechanism, base=base, tip=tip, tool=tool, limits=limits)


def expand(source: str | Path, args: Mapping[str, str]) -> tuple[str, str]:
    """The URDF text of a xacro, and what to call it in messages."""
    if importlib.util.find_spec("xacrodoc") is None:
        raise MissingExtraError("reading xacro", "xacro")
    data, where = read_text(source, "xacro")
    parse_xml(data, where, "robot")
    file = file_of(source) or Path.cwd() / "text"
    text = data.decode("utf-8", "replace")
    job = {
        "text": text,
        "args": {str(name): str(value) for name, value in args.items()},
        "packages": packages_around(file, text),
        "memory": MAX_MEMORY,
        "sys_path": [str(Path(entry).absolute()) for entry in sys.path],
    }
    result = _run(job, file.parent, where)
    if "urdf" not in result:
        said, step = " ".join(str(result.get("error")).split()), "correct the file"
        if "Package not found" in said:
            step = "put that package's folder beside the file's own package, or install it in ROS"
        elif "ndefined substitution argument" in said:
            step = "{give_value}"
        remedy = "give its value in args={...}"
        raise ModelError(f"xacro cannot expand {where}: {said}; {step}", give_value=remedy)
    return str(result["urdf"]), where


def packages_around(file: Path, text: str) -> dict[str, str]:
    """The folder of each package near a file, by the package's name.

    A package has the name in its `package.xml`, else its folder's. Folders are often renamed, so
    a package of another name is taken to be the one the file itself is in where that holds what
    the text looks for.
    """
    found: dict[str, str] = {}
    folders = list(_folders_around(file))
    for folder in folders:
        if name := _declared_name(folder):
            found.setdefault(name, str(folder))
    for folder in folders:
        found.setdefault(folder.name, str(folder))
    for name, inside in FOUND_FILE.findall(text):
        home = next((above for above in islice(file.parents, MAX_LEVELS) if (above / inside).is_file()), None)
        if home is not None:
            found.setdefault(name, str(home))
    return found


def _run(job: dict[str, Any], folder: Path, where: str) -> dict[str, Any]:
    """What the other process made of the job.

    It runs in the file's folder, where relative includes are, and isolated (-I), or it would
    import Python modules that lie there.
    """
    command = [sys.executable, "-I", "-X", "utf8", "-c", EXPANDER]
    try:
        done = subprocess.run(
            command, input=json.dumps(job).encode(), cwd=folder, capture_output=True, timeout=MAX_SECONDS, check=False
        )
        result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired:
        return {"error": f"it took more than {MAX_SECONDS:g} s"}
    except OSError as problem:
        raise ModelError(f"cannot start Python ('{sys.executable}') to expand {where}: {problem}") from None
    except (IndexError, ValueError):
        return {"error": f"its process ended with code {done.returncode} and no result"}
    return result


def _folders_around(file: Path) -> Iterator[Path]:
    """The folders above a file, nearest first, each followed by the folders in it."""
    for above in islice(file.parents, MAX_LEVELS):
        yield above
        try:
            yield from sorted(entry for entry in above.iterdir() if entry.is_dir())
        except OSError:  # not ours to look into
            continue


def _declared_name(folder: Path) -> str | None:
    """The name in a folder's package.xml, if it has one."""
    manifest = folder / "package.xml"
    try:
        match = PACKAGE_NAME.search(read_file(manifest, "package")) if manifest.is_file() else None
    except (OSError, ModelError):
        return None
    return match.group(1).decode("utf-8", "replace") if match else None
