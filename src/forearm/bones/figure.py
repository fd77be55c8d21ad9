"""What chains and skeletons have in common as things that a user holds."""

from collections.abc import Mapping, Sequence
from typing import Any

from forearm.bones.tree import Bones
from forearm.common.types import Floats
from forearm.scenes.scene import Scene
from forearm.scenes.shapes import Obstacle

Obstacles = Scene | Sequence[Obstacle] | Mapping[str, Obstacle] | Obstacle


class Figure:
    """Bones that never change; the base of `Chain` and `Skeleton`."""

    __slots__ = ("bones",)

    bones: Bones

    def _seal(self, bones: Bones) -> None:
        """Gives it its bones, once and for all."""
        object.__setattr__(self, "bones", bones)

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuses: it never changes."""
        kind = type(self).__name__
        raise AttributeError(f"a {kind} cannot be changed (tried to set '{name}'); make another one instead")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles as its bones."""
        return _restore, (type(self), self.bones)

    @property
    def n(self) -> int:
        """How many bones it has."""
        return self.bones.n

    @property
    def points(self) -> Floats:
        """(n+1, dim) the base, then each bone's end, as it was built [m]."""
        points: Floats = self.bones.start[:, : self.bones.dim].copy()
        return points

    def _repr_html_(self) -> str:
        """Its bones and its pose, as a notebook shows it."""
        from forearm.results.html import chain_html  # noqa: PLC0415 (only a notebook asks)

        return chain_html(self)


def _restore(kind: type[Figure], bones: Bones) -> Figure:
    figure = object.__new__(kind)
    figure._seal(bones)
    return figure
