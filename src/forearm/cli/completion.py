"""What a shell may put in place of a word that is half written: names of robots and of methods.

`forearm --install-completion` has a shell ask for them.
"""

from collections.abc import Iterable


def complete_robots(incomplete: str) -> list[str]:
    """The robots of the catalog that begin so; where there is none, the shell offers files."""
    from forearm.models.catalog import list_robots  # noqa: PLC0415 (slow, and only a shell asks)

    return beginning(incomplete, list_robots())


def complete_methods(incomplete: str) -> list[str]:
    """The methods that begin so."""
    from forearm.solve.methods.table import METHODS  # noqa: PLC0415 (slow, and only a shell asks)

    return beginning(incomplete, list(METHODS))


def complete_robot_lists(incomplete: str) -> list[str]:
    """Names of robots separated by commas, of which the last is half written."""
    before, comma, last = incomplete.rpartition(",")
    return [before + comma + name for name in complete_robots(last)]


def beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    """Those of the names that begin so."""
    return [name for name in names if name.startswith(incomplete)]
