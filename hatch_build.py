"""Puts compiled kernels into a wheel, and a README whose links work away from the repository into its metadata.

One wheel serves all Pythons from 3.10 on, on the platform it is built on. Kernels that `make kernels` left in the
sources are taken if nothing was edited since; else they are built. Where that cannot be done (no C compiler) the wheel
is a pure one, which needs Numba, and says so; where it goes wrong there is no wheel.
"""

import re
import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

RELATIVE = re.compile(r"\[([^\]]+)\]\((?!https?:|#|mailto:)([^)\s]+)\)")  # [words](path)
PICTURE = re.compile(r"<p[^>]*>\s*<img src=\"(?!https?:)([^\"]+)\"[^>]*>\s*</p>\n*")


def readme_for_index(text: str, repository: str = "") -> str:
    """A README for a package index, where paths of the repository lead nowhere.

    With the address that files of the repository have on the net, links lead there. Without one, a link's words are
    left with its path, which is one in the source distribution, and pictures are left out.
    """
    if repository:
        there = repository.rstrip("/")
        text = RELATIVE.sub(rf"[\1]({there}/\2)", text)
        return PICTURE.sub(lambda found: found[0].replace(found[1], f"{there}/{found[1]}"), text)
    plain = RELATIVE.sub(lambda found: f"{found[1]} (`{found[2]}`)", text)
    return PICTURE.sub("", plain)


class ReadmeHook(MetadataHookInterface):
    """Gives the package the README of the repository; `project.urls.Files`, if there is one, is where links lead."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Sets the long description."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        address = metadata.get("urls", {}).get("Files", "")
        metadata["readme"] = {"content-type": "text/markdown", "text": readme_for_index(text, address)}


class KernelsHook(BuildHookInterface):
    """Builds the kernels before a wheel is packed; an editable install is left to `make kernels`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the extension module, what it was made of, the kernels that are exported, and the wheel's tag."""
        if version == "editable":
            return
        sys.path.insert(0, str(Path(self.root) / "tools" / "kernels"))
        from build import CORE, NoToolsError, build, is_fresh
        from pieces import build_pieces

        self.folder = tempfile.mkdtemp()
        folder = CORE if is_fresh(CORE) else Path(self.folder)
        try:
            if folder != CORE:
                build(folder, self.app.display_info)
            build_pieces(Path(self.folder) / "pieces", self.app.display_info)
        except NoToolsError as fault:
            self.app.display_warning(f"a wheel without compiled kernels, which needs forearm[jit]: {fault}")
            return
        made = [*folder.glob("_kernels*"), folder / "_built.py"]
        build_data["force_include"] |= {str(path): f"forearm/core/{path.name}" for path in made}
        build_data["force_include"][str(Path(self.folder) / "pieces")] = "forearm/export/kernels"
        build_data["pure_python"] = False
        build_data["tag"] = f"cp310-abi3-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Removes what was built on the way."""
        if version != "editable":
            shutil.rmtree(self.folder, ignore_errors=True)
