"""`forearm system`: what runs here, and how its kernels came to be compiled."""

import platform
from importlib import metadata
from typing import Any

from rich.markup import escape

from forearm import __version__
from forearm.cli import flags, show, why_no_kernels

WAYS = {
    "compiled": "compiled ahead of time",
    "jit": "compiled by Numba at first use, then cached",
    "python": "plain Python, for debugging: a thousand times slower",
    "none": "none can run, so most commands are refused",
}
# what each extra brings, by a package of it
EXTRAS = {
    "jit": "numba",
    "plot": "matplotlib",
    "viewer": "viser",
    "mjcf": "mujoco",
    "xacro": "pyyaml",
    "nlopt": "nlopt",
    "collision": "trimesh",
    "scale": "distributed",
}


def system(json: flags.Json = False) -> None:
    """Say which version runs here, how its kernels are compiled and why, and which extras are installed.

    [bold]Example:[/]  forearm system
    """
    said = describe_system()
    if json:
        show.print_json(said)
        return
    kernels = said["kernels"]
    show.say(f"forearm    {said['forearm']}, Python {said['python']}, numpy {said['numpy']}, {said['machine']}")
    show.say(f"kernels    {WAYS[kernels['way']]}: {escape(kernels['summary'])}")
    extras = (f"{name} {version or 'not installed'}" for name, version in said["extras"].items())
    show.say("extras     " + ", ".join(extras))


def describe_system() -> dict[str, Any]:
    """What runs here, for machines and people."""
    return {
        "forearm": __version__,
        "python": platform.python_version(),
        "numpy": version_of("numpy"),
        "machine": f"{platform.system()} {platform.machine()}",
        "kernels": describe_kernels(),
        "extras": {name: version_of(package) for name, package in EXTRAS.items()},
    }


def describe_kernels() -> dict[str, Any]:
    """How the kernels run here and why, or why they do not."""
    if why := why_no_kernels():
        return {"way": "none", "compiled_ahead": 0, "processor": "", "numba": "", "why": why, "summary": why}
    from forearm.core.jit import CHOICE  # noqa: PLC0415 (it fails where kernels do)

    ahead = CHOICE.ahead
    made = f"{len(ahead.fresh)} kernels for {ahead.processor}, by Numba {ahead.numba}" if ahead.fresh else ""
    return {
        "way": CHOICE.way,
        "compiled_ahead": len(ahead.fresh),
        "processor": ahead.processor,
        "numba": ahead.numba,
        "why": CHOICE.why,
        "summary": "; ".join(part for part in (made, CHOICE.why) if part) or "the environment asks for it",
    }


def version_of(package: str) -> str:
    """The installed version of a package, or an empty string."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""
