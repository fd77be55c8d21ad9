"""A reachability map on disk, and what can be asked of it; only the chunks that a question needs are read."""

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from forearm.common.checks import as_count, as_floats, as_number, brief
from forearm.common.types import Floats
from forearm.errors import OptionError, nearest_names, told_in_words
from forearm.scale.map_pictures import draw_slice
from forearm.scale.map_plan import FORMAT
from forearm.scale.zarr_files import ATTRIBUTES, ZarrArray, open_array, read_json

KEY = "forearm_map"  # the group's attribute that holds the settings
AXES = "xyz"
MOST_PLACES = 10_000_000  # of the best
FAR = 2.0**53  # voxels: beyond any map, and still a whole number


@dataclass(frozen=True, eq=False)
class Slice:
    """A plane of a map.

    Attributes:
        what: The quantity.
        axis: The axis it is cut across: "x", "y" or "z".
        at: Where the plane lies, a voxel's center [m].
        across: The two axes in the plane, as in "xy".
        u: (U,) centers along the first of them [m].
        v: (V,) centers along the second [m].
        values: (U, V).
    """

    what: str
    axis: str
    at: float
    across: str
    u: Floats
    v: Floats
    values: NDArray[np.float32]


@dataclass(frozen=True)
class Place:
    """A voxel and what the map says of it."""

    point: tuple[float, float, float]
    share: float
    manipulability: float


@dataclass(frozen=True, eq=False, repr=False)
class ReachMap:
    """A reachability map; made by `forearm map`, opened by `fa.load_map`.

    Attributes:
        path: Where it lies.
        settings: What it was made with.
        arrays: Its quantities by name: "share" in 0 to 1, "manipulability", and "clearance" [m] among obstacles.
    """

    path: Path
    settings: dict[str, Any]
    arrays: dict[str, ZarrArray]

    @property
    def resolution(self) -> float:
        """The edge of a voxel [m]."""
        return float(self.settings["resolution"])

    @property
    def shape(self) -> tuple[int, ...]:
        """How many voxels along x, y and z."""
        return self.arrays["share"].shape

    @property
    def coordinates(self) -> tuple[Floats, Floats, Floats]:
        """The centers of the voxels along x, y and z [m]."""
        first = zip(self.settings["first"], self.shape, strict=True)
        x, y, z = ((k + np.arange(n, dtype=np.float64)) * self.resolution for k, n in first)
        return x, y, z

    @property
    def bounds(self) -> Floats:
        """(2, 3) the lowest and the highest corner [m]."""
        first = np.array(self.settings["first"]) - 0.5
        return np.array([first, first + self.shape]) * self.resolution

    @property
    def progress(self) -> float:
        """The share of its chunks that are written; 1.0 for a map that is complete."""
        share = self.arrays["share"]
        return sum(share.has(place) for place in share.places()) / math.prod(share.grid)

    def array(self, what: str = "share") -> NDArray[np.float32]:
        """(X, Y, Z) a whole quantity; NaN where nothing is reached or nothing was computed yet."""
        return self._find(what).read()

    def share_at(self, points: ArrayLike) -> Any:
        """The share of orientations reached at (3,) a point or (N, 3) points [m]; NaN outside the map."""
        return self.value_at(points, "share")

    def value_at(self, points: ArrayLike, what: str = "share") -> Any:
        """A quantity in the voxels that hold (3,) a point or (N, 3) points [m]; NaN outside the map."""
        array, P = self._find(what), as_floats(points, "points", OptionError)
        if P.ndim not in (1, 2) or P.shape[-1] != 3:
            raise OptionError(f"points has shape {P.shape}; it takes (3,) or (N, 3)")
        places = np.clip(np.floor(P.reshape(-1, 3) / self.resolution + 0.5), -FAR, FAR)
        voxels = places.astype(np.int64) - self.settings["first"]
        out = np.full(len(voxels), np.nan)
        inside = np.flatnonzero(((voxels >= 0) & (voxels < self.shape)).all(axis=1))
        chunks = voxels[inside] // array.chunks
        for place in np.unique(chunks, axis=0):
            rows = inside[(chunks == place).all(axis=1)]
            values = array.read_chunk(tuple(place.tolist()))
            out[rows] = values[tuple((voxels[rows] - place * array.chunks).T)]
        return float(out[0]) if P.ndim == 1 else out

    def slice(self, axis: str, at: float, what: str = "share") -> Slice:
        """The plane of voxels that holds the value `at` [m] of an axis.

        Args:
            axis: "x", "y" or "z".
            at: Where to cut it [m].
            what: Which quantity.
        """
        if not (isinstance(axis, str) and axis in tuple(AXES)):
            raise OptionError(f"axis is {brief(axis)}; it takes x, y or z")
        k, array, at = AXES.index(axis), self._find(what), as_number(at, "at", OptionError)
        place = math.floor(at / self.resolution + 0.5) - self.settings["first"][k]
        if not 0 <= place < self.shape[k]:
            low, high = self.bounds[:, k]
            raise OptionError(f"the map has {axis} from {low:.4g} to {high:.4g} m; it cannot be cut at {at:g}")
        box = tuple(slice(place, place + 1) if j == k else slice(0, n) for j, n in enumerate(self.shape))
        centers, (i, j) = self.coordinates, (other for other in range(3) if other != k)
        cut = float(centers[k][place])
        return Slice(what, axis, cut, AXES[i] + AXES[j], centers[i], centers[j], array.read(box).squeeze(axis=k))

    def best_places(self, count: int = 10) -> list[Place]:
        """The voxels with the largest share, the most manipulable first among equals."""
        count = as_count(count, "count", MOST_PLACES)
        share, dexterity, coordinates = self.arrays["share"], self.arrays["manipulability"], self.coordinates
        best: list[tuple[float, float, tuple[float, float, float]]] = []
        for place in share.places():
            shares = np.nan_to_num(share.read_chunk(place))
            if len(best) == count and not shares.max() >= best[0][0]:
                continue
            skills = np.nan_to_num(dexterity.read_chunk(place))
            order = np.lexsort((skills.ravel(), shares.ravel()))[-count:]
            centers = [along[part] for along, part in zip(coordinates, share.box(place), strict=True)]
            for index in order.tolist():
                i, j, k = np.unravel_index(index, shares.shape)
                point = float(centers[0][i]), float(centers[1][j]), float(centers[2][k])
                heapq.heappush(best, (float(shares.flat[index]), float(skills.flat[index]), point))
                if len(best) > count:
                    heapq.heappop(best)
        return [Place(point, part, skill) for part, skill, point in sorted(best, reverse=True) if part > 0.0]

    def volume(self, least: float = 0.0) -> float:
        """The volume of voxels whose share is above `least` [m^3]."""
        share = self.arrays["share"]
        voxels = sum(int((share.read_chunk(place) > least).sum()) for place in share.places())
        return voxels * self.resolution**3

    def plot(self, axis: str = "y", at: float = 0.0, what: str = "share") -> Any:
        """A matplotlib figure of a plane; arguments as for `slice`."""
        cut = self.slice(axis, at, what)
        title = f"{self.settings['robot']}: {what} at {axis} = {cut.at:.4g} m"
        return draw_slice(cut.values, cut.u, cut.v, cut.across, what, title)

    def _find(self, what: str) -> ZarrArray:
        if not (isinstance(what, str) and what in self.arrays):
            raise OptionError(f"the map has no {brief(what)}; {nearest_names(what, self.arrays)}")
        return self.arrays[what]

    def __repr__(self) -> str:
        """One line: the arm, the grid, how much of it is there."""
        grid = " x ".join(str(n) for n in self.shape)
        part = "" if self.progress == 1.0 else f", {self.progress:.0%} made"
        return (
            f"ReachMap({self.settings['robot']}, {grid} voxels of {self.resolution:g} m, "
            f"{self.settings['orientations']} orientations{part})"
        )


@told_in_words
def load_map(path: str | Path) -> ReachMap:
    """A reachability map that `forearm map` made, or is making; nothing heavy is read until it is asked for."""
    where = Path(path)
    settings = read_settings(where)
    names = [name for name in ("share", "manipulability", "clearance") if (where / name).is_dir()]
    arrays = {name: open_array(where, name) for name in names}
    shapes = [array.shape for name, array in arrays.items()]
    if len(shapes) < 2 or any(list(shape) != settings["shape"] for shape in shapes):
        raise OptionError(f"'{where}' is damaged: its arrays do not have the shape {settings['shape']}; make it again")
    return ReachMap(where, settings, arrays)


def read_settings(where: Path) -> dict[str, Any]:
    """What the map in a directory was made with."""
    settings = read_json(where / ATTRIBUTES).get(KEY) if (where / ATTRIBUTES).is_file() else None
    if not isinstance(settings, dict):
        remedy = "forearm.scale.make_map(robot, path) makes one"
        fault = f"'{where}' is no map" if where.exists() else f"there is no map '{where}'"
        raise OptionError(f"{fault}; {{make_map}}", make_map=remedy)
    if settings.get("format") != FORMAT:
        raise OptionError(
            f"'{where}' has the format {brief(settings.get('format'))}; this forearm reads {FORMAT}: make it again"
        )
    for name, is_right in NEEDED.items():
        if not is_right(settings.get(name)):
            fault = f"its settings have {name} {brief(settings.get(name))}"
            raise OptionError(f"'{where / ATTRIBUTES}' is damaged: {fault}; make the map again")
    return settings


def _is_grid(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 3 and all(type(number) is int for number in value)


# What is asked of the settings of a map, and how each must be.
NEEDED: dict[str, Callable[[Any], bool]] = {
    "robot": lambda value: isinstance(value, str),
    "resolution": lambda value: type(value) in (int, float) and 0.0 < value < math.inf,
    "orientations": lambda value: type(value) is int and value > 0,
    "first": _is_grid,
    "shape": _is_grid,
}
