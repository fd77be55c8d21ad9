"""How a robot is made from a table, a URDF, a xacro, an MJCF or a TOML file: a part of `Robot`."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from forearm.models import dh, mjcf, toml, urdf, xacro
from forearm.models.model import Model

if TYPE_CHECKING:
    from typing_extensions import Self

Limits = Mapping[str, tuple[float, float]]


class Loaders:
    """The constructors of a robot by where it comes from."""

    __slots__ = ()

    def __init__(self, model: Model) -> None:
        """Takes the chain as packed arrays."""

    @classmethod
    def from_dh(
        cls,
        rows: Iterable[dh.Row],
        *,
        convention: str = "standard",
        limits: ArrayLike | None = None,
        base: ArrayLike | None = None,
        tool: ArrayLike | None = None,
        name: str = "dh-arm",
    ) -> "Self":
        """A robot from Denavit-Hartenberg rows; see `forearm.models.dh.from_dh`."""
        return cls(dh.from_dh(rows, convention=convention, limits=limits, base=base, tool=tool, name=name))

    @classmethod
    def from_urdf(
        cls,
        source: str | bytes | Path,
        *,
        base: str | None = None,
        tip: str | None = None,
        tool: ArrayLike | None = None,
        limits: Limits | None = None,
    ) -> "Self":
        """A robot from a URDF file or text; see `forearm.models.urdf.from_urdf`."""
        return cls(urdf.from_urdf(source, base=base, tip=tip, tool=tool, limits=limits))

    @classmethod
    def from_xacro(
        cls,
        source: str | Path,
        *,
        base: str | None = None,
        tip: str | None = None,
        tool: ArrayLike | None = None,
        limits: Limits | None = None,
        args: Mapping[str, str] | None = None,
    ) -> "Self":
        """A robot from a xacro file (extra `xacro`); see `forearm.models.xacro.from_xacro`."""
        return cls(xacro.from_xacro(source, base=base, tip=tip, tool=tool, limits=limits, args=args))

    @classmethod
    def from_mjcf(
        cls,
        source: str | bytes | Path,
        *,
        base: str | None = None,
        tip: str | None = None,
        tool: ArrayLike | None = None,
        limits: Limits | None = None,
    ) -> "Self":
        """A robot from a MuJoCo model (extra `mjcf`); see `forearm.models.mjcf.from_mjcf`."""
        return cls(mjcf.from_mjcf(source, base=base, tip=tip, tool=tool, limits=limits))

    @classmethod
    def from_toml(cls, path: str | Path, *, tool: ArrayLike | None = None) -> "Self":
        """A robot from a data file written like those of the catalog; see `forearm.models.toml`."""
        return cls(toml.from_toml(path, tool=tool))
