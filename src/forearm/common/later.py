"""Modules that are imported when they are first used, so that a first answer waits for nothing it does not need."""

from importlib import import_module
from typing import Any


class Later:
    """Stands for a module by its dotted name; what is read off it is imported then, and kept."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __getattr__(self, name: str) -> Any:
        """A name of the module."""
        value = getattr(import_module(self.__name__), name)
        setattr(self, name, value)
        return value
