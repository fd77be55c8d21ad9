"""Writes the checked C border, compiles it and links it with the objects: `python link.py FOLDER`."""

import os
import sys
from pathlib import Path

import numpy as np
from setuptools import Distribution, Extension
from setuptools.command.build_ext import build_ext
from shim import PROCESSOR, write_shim


def main(folder: Path) -> None:
    """Leaves the extension module in the folder's `lib`."""
    text = folder / "kernels.c"
    text.write_text(write_shim())
    careful = [] if os.name == "nt" else ["-O2", "-g0", "-Wall", "-Werror=implicit-function-declaration"]
    extension = Extension(
        "_kernels",
        sources=[str(text)],
        include_dirs=[np.get_include()],
        extra_objects=[str(path) for path in sorted(folder.glob("*.o"))],
        extra_compile_args=careful,
        extra_link_args=["-Wl,-s"] if sys.platform == "linux" else [],
        define_macros=[("FOREARM_" + PROCESSOR.upper().replace("-", "_"), None)],
        py_limited_api=True,
    )
    command = build_ext(Distribution({"name": "forearm-kernels", "ext_modules": [extension]}))
    command.build_lib, command.build_temp = str(folder / "lib"), str(folder / "temp")
    command.ensure_finalized()
    command.run()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
