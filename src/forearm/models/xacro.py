"""A robot from a xacro file: it is expanded to a URDF, which is read like any other.

Nothing in the file is run, as xacro itself would: `models/expansion` interprets its expressions. `$(find package)` is
answered from the folders around the file, then by ROS if that is installed (`common/folders.py`).
"""

from collections.abc import Mapping
from pathlib import Path
from xml.etree.ElementTree import tostring

from forearm.common.checks import as_mapping
from forearm.common.folders import folders_of
from forearm.errors import ModelError
from forearm.models.cut import Dirs, Limits, Name, Tool, cut
from forearm.models.expansion.expand import expand_text
from forearm.models.mechanism import Mechanism
from forearm.models.model import Model
from forearm.models.urdf import read_urdf
from forearm.models.xml import file_of, parse_xml, read_text


def from_xacro(
    source: str | Path,
    *,
    base: Name = None,
    tip: Name = None,
    tool: Tool = None,
    limits: Limits = None,
    args: Mapping[str, str] | None = None,
    folders: Dirs = (),
) -> Model:
    """The model of the chain between two links of a xacro.

    Args:
        source: Path of the file, or the XML itself; what text includes is looked for in the
            working directory.
        base: Link in whose frame poses are given; the root link by default.
        tip: Link to bring to the target; may be left out if a single leaf moves and no gripper moves it.
        tool: (4, 4) pose of the tool in the tip's frame.
        limits: Limits by joint name that replace those of the file.
        args: Values of the file's `<xacro:arg>`.
        folders: Further folders from which it may include files and read meshes, beside its own, its package's
            and the packages around it.
    """
    given = as_mapping(args, "args", "argument name to value", ModelError)
    return cut(read_xacro(source, given, folders), base=base, tip=tip, tool=tool, limits=limits)


def read_xacro(source: str | Path, args: Mapping[str, str], folders: Dirs = ()) -> Mechanism:
    """The mechanism of a xacro, given by its path or as XML."""
    urdf, where = expand(source, args, folders)
    data, _ = read_text(urdf, "expanded xacro")
    return read_urdf(data, f"{where} (expanded)", folders_of(file_of(source), folders), f"expanded from {where}")


def expand(source: str | Path, args: Mapping[str, str], folders: Dirs = ()) -> tuple[str, str]:
    """The URDF text of a xacro, and what to call it in messages."""
    data, where = read_text(source, "xacro")
    parse_xml(data, where, "robot")
    given = {str(name): str(value) for name, value in args.items()}
    return tostring(expand_text(data, where, folders_of(file_of(source), folders), given), encoding="unicode"), where
