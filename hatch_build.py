"""Puts compiled kernels into a wheel: one for all Pythons from 3.10 on, for the platform it is built on.

Kernels that `make kernels` left in the sources are taken if nothing was edited since; else they are built. Where that
cannot be done (no C compiler) the wheel is a pure one, which needs Numba, and says so.
"""

import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class KernelsHook(BuildHookInterface):
    """Builds the kernels before a wheel is packed; an editable install is left to `make kernels`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the extension module, what it was made of, and the wheel's tag."""
        if version == "editable":
            return
        sys.path.insert(0, str(Path(self.root) / "tools" / "kernels"))
        from build import CORE, BuildError, build, is_fresh

        self.folder = tempfile.mkdtemp()
        folder = CORE if is_fresh(CORE) else Path(self.folder)
        try:
            if folder != CORE:
                build(folder, self.app.display_info)
        except BuildError as fault:
            self.app.display_warning(f"a wheel without compiled kernels, which needs forearm[jit]: {fault}")
            return
        made = [*folder.glob("_kernels*"), folder / "_built.py"]
        build_data["force_include"] |= {str(path): f"forearm/core/{path.name}" for path in made}
        build_data["pure_python"] = False
        build_data["tag"] = f"cp310-abi3-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Removes what was built on the way."""
        if version != "editable":
            shutil.rmtree(self.folder, ignore_errors=True)
