"""Where the files that a description names may lie: meshes, includes, packages.

A robot's file names others, and may come from anywhere, so it cannot send forearm through the whole disk. Below these
folders files are read, regular ones only: the folder of the description, the package it stands in, the packages
around it, those that ROS knows, and the folders that the user names. A package is a folder with a `package.xml`; one
without is searched in its usual parts only (`urdf`, `meshes`, ...).
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from forearm.common.checks import brief
from forearm.common.files import read_file
from forearm.errors import ModelError

# How many folders above a description are searched for packages: a workspace, and what is around it.
MAX_LEVELS = 6
MANIFEST = "package.xml"
MANIFEST_BYTES = 256 * 1024
PARTS = ("urdf", "xacro", "robots", "meshes", "mjcf", "assets")
PACKAGE_NAME = re.compile(rb"<name>\s*([^<\s]+)\s*</name>")
SCHEMES = ("package://", "model://", "file://")


@dataclass(frozen=True)
class Folders:
    """The folders below which the files of one description may lie.

    Attributes:
        own: Where the description lies; the working directory for one that is given as text.
        more: Those that the user names.
    """

    own: Path
    more: tuple[Path, ...] = ()

    def admit(self, path: Path, what: str) -> Path:
        """The path with its links followed, if it lies inside; `what` says what it should be."""
        try:
            real = Path(os.path.realpath(path))
        except (OSError, ValueError) as problem:  # a NUL byte, or links in a ring
            raise ModelError(f"cannot read the {what} file {str(path)[:200]!r}: {problem}") from None
        near = (Path(os.path.realpath(root)) for root in (self.own, *self.more))
        if not any(real.is_relative_to(root) for root in near) and not any(
            real.is_relative_to(root) for root in self._packages
        ):
            raise ModelError(
                f"the {what} '{str(path)[:200]}' lies outside of the folders that '{self.own}' may read from: its own, "
                "its package's, and the packages around it; move it there{or_folders}",
                or_folders=", or name its folder in folders=[...]",
            )
        return real

    def read(self, path: Path, what: str, most: int) -> bytes:
        """The bytes of a regular file that lies inside."""
        return read_file(self.admit(path, what), what, most)

    def package(self, name: str, inside: str = "") -> Path | None:
        """The folder of a package by its name; `inside` is a file that it should hold.

        A package has the name in its `package.xml`, else its folder's. Folders are often renamed, so a package of
        another name is taken to be the one the description itself is in, where that holds what is looked for.
        """
        if not re.fullmatch(r"\w[\w.-]*", name):
            return None
        if name in self._declared:
            return self._declared[name]
        known = (folder / name for folder in _ros_folders())
        for folder in (*(each for each in self._around if each.name == name), *known):
            if _is_package(folder):
                return folder
        for above in islice((self.own, *self.own.parents), MAX_LEVELS):
            if inside and _is_package(above) and os.path.isfile(above / inside):
                return above
        return None

    def find(self, name: str, what: str) -> Path | None:
        """The file that a description calls by a path or a `package://`; None where there is none."""
        plain = name
        for scheme in SCHEMES:
            plain = plain.removeprefix(scheme)
        parts = Path(plain).parts
        if not parts or "\0" in plain:
            return None
        if plain == name or name.startswith("file://"):
            places = [self.own / plain, *(folder / plain for folder in self.more)]
        else:
            home = self.package(parts[0], str(Path(*parts[1:])))
            places = [] if home is None else [home.joinpath(*parts[1:])]
        tails = [Path(*parts[skip:]) for skip in range(min(len(parts), 2))]  # with and without the package's name
        above = (self.own, *islice(self.own.parents, MAX_LEVELS - 1), *self.more)
        places += [place / tail for place in above for tail in tails if not tail.is_absolute()]
        found = next((place for place in places if os.path.isfile(place)), None)
        return None if found is None else self.admit(found, what)

    @cached_property
    def _packages(self) -> list[Path]:
        """The packages, or their parts, below which files are read, with links followed."""
        found: list[Path] = []
        for folder in (*self._around, *(below for each in _ros_folders() for below in _folders_in(each))):
            if os.path.isfile(folder / MANIFEST):
                found.append(folder)
            else:
                found += [folder / part for part in PARTS if os.path.isdir(folder / part)]
        return [Path(os.path.realpath(folder)) for folder in found]

    @cached_property
    def _around(self) -> list[Path]:
        """The folders above a description, nearest first, each followed by the folders in it."""
        above = islice((self.own, *self.own.parents), MAX_LEVELS)
        return [folder for each in above for folder in (each, *_folders_in(each))]

    @cached_property
    def _declared(self) -> dict[str, Path]:
        """The packages around a description by the name in their `package.xml`."""
        found: dict[str, Path] = {}
        for folder in self._around:
            if name := _declared_name(folder):
                found.setdefault(name, folder)
        return found


def folders_of(file: Path | None, more: Any = ()) -> Folders:
    """The folders of a description that lies somewhere, or nowhere if it is text, and those that the user names."""
    if isinstance(more, (str, Path)) or not isinstance(more, Sequence):
        raise ModelError(f"{{argument}} is {brief(more)}; it takes a list of folders", argument="folders")
    for folder in more:
        if not isinstance(folder, (str, Path)) or not os.path.isdir(folder):
            raise ModelError(f"{{argument}} has {brief(folder)}, which is no folder", argument="folders")
    return Folders(Path.cwd() if file is None else file.parent, tuple(Path(folder).absolute() for folder in more))


def _is_package(folder: Path) -> bool:
    """Whether a folder is laid out as a package."""
    return os.path.isfile(folder / MANIFEST) or any(os.path.isdir(folder / part) for part in PARTS)


def _declared_name(folder: Path) -> str | None:
    """The name in a folder's package.xml, if it has one."""
    manifest = folder / MANIFEST
    try:
        match = (
            PACKAGE_NAME.search(read_file(manifest, "package", MANIFEST_BYTES)) if os.path.isfile(manifest) else None
        )
    except (OSError, ModelError):
        return None
    return match.group(1).decode("utf-8", "replace") if match else None


def _folders_in(folder: Path) -> list[Path]:
    try:
        return sorted(entry for entry in folder.iterdir() if os.path.isdir(entry))
    except OSError:  # not ours to look into
        return []


def _ros_folders() -> Iterator[Path]:
    """The folders in which ROS keeps packages."""
    for variable, below in (("ROS_PACKAGE_PATH", "."), ("AMENT_PREFIX_PATH", "share")):
        for text in filter(None, os.environ.get(variable, "").split(os.pathsep)):
            yield Path(text) / below
