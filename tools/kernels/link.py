"""Writes and compiles the checked C border, `python link.py FOLDER border`; links it with the objects, `... module`."""

import os
import sys
from pathlib import Path

import numpy as np
from setuptools import Distribution, Extension
from setuptools.command.build_ext import build_ext
from shim import PROCESSOR, write_shim


class Compile(build_ext):
    """Compiles the sources of an extension, and links nothing yet."""

    def build_extension(self, ext: Extension) -> None:
        """Leaves the objects in the folder for what is built on the way."""
        self.compiler.compile(
            ext.sources,
            output_dir=self.build_temp,
            macros=ext.define_macros,
            include_dirs=ext.include_dirs,
            extra_postargs=ext.extra_compile_args,
        )


def compile_border(folder: Path) -> None:
    """Leaves the border's object in the folder's `border`; needs no other object, so it is done beside them."""
    text = folder / "kernels.c"
    text.write_text(write_shim())
    careful = [] if os.name == "nt" else ["-O2", "-g0", "-Wall", "-Werror=implicit-function-declaration"]
    extension = Extension(
        "_kernels",
        sources=[str(text)],
        include_dirs=[np.get_include()],
        extra_compile_args=careful,
        define_macros=[("FOREARM_" + PROCESSOR.upper().replace("-", "_"), None)],
        py_limited_api=True,
    )
    carry_out(Compile, extension, folder, "border")


def link_module(folder: Path) -> None:
    """Leaves the extension module in the folder's `lib`."""
    objects = [path for kind in ("*.o", "*.obj") for path in (*folder.glob(kind), *folder.glob(f"border/**/{kind}"))]
    extension = Extension(
        "_kernels",
        sources=[],
        extra_objects=[str(path) for path in sorted(objects)],
        extra_link_args=["-Wl,-s"] if sys.platform == "linux" else [],
        py_limited_api=True,
    )
    carry_out(build_ext, extension, folder, "temp")


def carry_out(kind: type[build_ext], extension: Extension, folder: Path, temporary: str) -> None:
    """Runs a command of setuptools on an extension."""
    command = kind(Distribution({"name": "forearm-kernels", "ext_modules": [extension]}))
    command.build_lib, command.build_temp = str(folder / "lib"), str(folder / temporary)
    command.ensure_finalized()
    command.run()


if __name__ == "__main__":
    {"border": compile_border, "module": link_module}[sys.argv[2]](Path(sys.argv[1]))
