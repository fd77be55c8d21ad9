"""How a stopped run goes on: what it was begun with is kept beside what is written, and compared."""

import errno
import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from forearm.errors import ForearmError, OptionError
from forearm.robot import Robot

# Of a model: where it comes from. The chain cut from it is there itself, and so is the geometry where it counts.
SOURCES = ("note", "mechanism", "places", "shapes")
SHORT = 16  # numbers that are listed one by one; more are told apart by their digest
SHA256 = "sha256:"  # in front of a digest
SHOWN = 12  # digits of a digest in a message
READ = 1 << 20  # bytes of a file at a time


def settings_of(plan: Any, guarded: bool) -> dict[str, Any]:
    """All that the answers of a run depend on, by name: the version, and every field of its plan.

    It is made from the plan itself, so that no option can be forgotten. A file counts with all that it holds, a robot
    with all that its model holds, and with its geometry where it is held against anything (`guarded`): that may have
    been made from files of meshes.
    """
    from forearm import __version__  # noqa: PLC0415 (this package is part of it)

    asked = held_by(plan)
    if guarded:
        asked["robot.shapes"] = SHA256 + digest(plan.robot.geometry)
    return {"forearm": __version__} | named(asked)


def named(values: Mapping[str, Any], within: str = "") -> dict[str, Any]:
    """Values as JSON holds them, by name; what holds others by name is opened, and what is large is digested."""
    about: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Robot):
            own = {part: held for part, held in held_by(value.model).items() if part not in SOURCES}
            *_, tool = own["links"]  # what stands behind the last joint, flange and tool, is told by a name of its own
            own |= {"links": own["links"][:-1], "tool": tool.ravel().tolist()}
            about |= {within + name: value.name} | named(own, f"{within}{name}.")
        elif isinstance(value, Mapping) or is_dataclass(value):
            about |= named(value if isinstance(value, Mapping) else held_by(value), f"{within}{name}.")
        else:
            about[within + name] = as_setting(value)
    return about


def held_by(value: Any) -> dict[str, Any]:
    """The fields of a dataclass."""
    return {item.name: getattr(value, item.name) for item in fields(value)}


def as_setting(value: Any) -> Any:
    """A value as JSON holds it: itself where it is short, or its digest."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    is_row = isinstance(value, (list, tuple)) and all(isinstance(item, (int, float)) for item in value)
    if is_row and len(value) <= SHORT:
        return list(value)
    return SHA256 + digest(value)


def digest(*values: Any) -> str:
    """The SHA-256 of values of any depth: the same for the same content, in every process."""
    whole = hashlib.sha256()
    for value in values:
        _feed(whole.update, value)
    return whole.hexdigest()


def _feed(update: Callable[[bytes], None], value: Any) -> None:
    """Feeds a value to a digest, each piece with its kind and length, so that none reads as another."""
    if isinstance(value, np.ndarray):
        update(f"array {value.dtype.str} {value.shape} ".encode())
        update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, Path):
        update(b"file ")
        with value.open("rb") as file:
            while block := file.read(READ):
                update(block)
    elif isinstance(value, Mapping):
        _feed(update, [item for pair in value.items() for item in pair])
    elif isinstance(value, frozenset):
        _feed(update, sorted(value))
    elif isinstance(value, (list, tuple)):
        update(f"list {len(value)} ".encode())
        for item in value:
            _feed(update, item)
    elif is_dataclass(value):
        update(f"{type(value).__name__} ".encode())
        _feed(update, held_by(value))
    elif isinstance(value, bytes):  # as they are: to write them as text takes longer than to solve what they hold
        update(f"bytes {len(value)} ".encode())
        update(value)
    elif value is None or isinstance(value, (bool, int, float, str, np.generic)):
        word = repr(value.item() if isinstance(value, np.generic) else value)
        update(f"value {len(word)} {word} ".encode())
    else:
        raise TypeError(f"{type(value).__name__} has no digest; say in scale/resume.py what tells two of them apart")


def check_resumed(path: Path, there: Mapping[str, Any], wanted: Mapping[str, Any], resume: bool) -> None:
    """Refuses to go on with what was begun with other settings, or unasked."""
    if not resume:
        raise OptionError(
            f"'{path}' is there already; {{resume}} goes on with it; or remove it, or choose another name",
            resume="resume=True",
        )

    def ease(name: str) -> tuple[int, str]:
        """What is easier to read comes first: numbers and words, then rows of numbers, then digests."""
        value = wanted.get(name, there.get(name))
        return 2 if str(value).startswith(SHA256) else int(isinstance(value, list)), name

    for name in sorted({*there, *wanted}, key=ease):
        if there.get(name) != wanted.get(name):
            begun, now = (_shown(settings.get(name)) for settings in (there, wanted))
            raise OptionError(
                f"'{path}' was begun with {name} {begun} and this run has {now}; "
                "give the same settings, or choose another name"
            )


def _shown(setting: Any) -> Any:
    """A setting for a message; the first digits of a digest tell enough."""
    is_digest = isinstance(setting, str) and setting.startswith(SHA256)
    return setting[: len(SHA256) + SHOWN] if is_digest else setting


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
