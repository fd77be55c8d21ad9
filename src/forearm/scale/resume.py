"""How a stopped run goes on: what it was begun with is kept beside what is written, and compared."""

import errno
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from forearm.errors import ForearmError, OptionError
from forearm.robot import Robot
from forearm.scenes.scene import as_scene

ENDS = 1 << 20  # bytes at each end of a file that tell it from another one of the same size


def settings_of(robot: Robot, obstacles: Any) -> dict[str, Any]:
    """What the numbers of every run depend on: the version, the arm, the scene."""
    from forearm import __version__  # noqa: PLC0415 (this package is part of it)

    model = robot.model
    return {
        "forearm": __version__,
        "robot": model.name,
        "robot_sha256": fingerprint(model.links, model.joints, model.limits),
        "obstacles_sha256": None if obstacles is None else fingerprint(as_scene(obstacles).rows),
    }


def fingerprint(*arrays: Any) -> str:
    """The SHA-256 of some arrays."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def fingerprint_of_file(path: Path) -> str:
    """The SHA-256 of a file's length and of both its ends."""
    with path.open("rb") as file:
        length = file.seek(0, os.SEEK_END)
        digest = hashlib.sha256(str(length).encode())
        file.seek(0)
        digest.update(file.read(ENDS))
        file.seek(max(0, length - ENDS))
        digest.update(file.read(ENDS))
    return digest.hexdigest()


def check_resumed(path: Path, there: dict[str, Any], wanted: dict[str, Any], resume: bool) -> None:
    """Refuses to go on with what was begun with other settings, or unasked."""
    if not resume:
        raise OptionError(
            f"'{path}' is there already; {{resume}} goes on with it; or remove it, or choose another name",
            resume="resume=True",
        )
    for key in sorted(wanted, key=lambda key: key.endswith("sha256")):  # what people can read first
        if there.get(key) != wanted[key]:
            raise OptionError(
                f"'{path}' was begun with {key} {there.get(key)} and this run has {wanted[key]}; "
                "give the same settings, or choose another name"
            )


@contextmanager
def saying_how_to_go_on(path: Path, what_is_left: Callable[[], str]) -> Iterator[None]:
    """Adds to an error that ends a run how much stands and how to go on."""
    try:
        yield
    except (OSError, ForearmError) as problem:
        if isinstance(problem, ForearmError) and type(problem) is not ForearmError:
            raise
        full = isinstance(problem, OSError) and problem.errno in (errno.ENOSPC, errno.EDQUOT)
        why = f"the disk of '{path}' is full" if full else f"'{path}' is not finished: {problem}"
        raise ForearmError(f"{why}; {what_is_left()}: {{resume}} goes on", resume="resume=True") from None
