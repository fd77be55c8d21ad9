"""The obstacles round a chain, checked and packed, and what is said about them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from forearm.bones.solution import ChainSolution
from forearm.bones.tree import Bones
from forearm.common.checks import as_floats, as_number, brief
from forearm.common.types import Floats
from forearm.core.collision.obstacle_rows import CLEARANCE, LINK, OBSTACLE, measure_gap, point_gap
from forearm.errors import OptionError, counted
from forearm.results.solution import Status
from forearm.scenes.shapes import Obstacle, pack_obstacles


@dataclass(frozen=True, eq=False, slots=True)
class Scene:
    """What a chain shall keep clear of.

    Attributes:
        items: The obstacles as they were given.
        rows: (k, 18) packed.
        radii: (n,) of the chain's links [m].
        clearance: That they shall keep [m].
    """

    items: tuple[Obstacle, ...]
    rows: Floats
    radii: Floats
    clearance: float

    def measure(self, solution: ChainSolution) -> float:
        """The clearance of a solution's pose [m], which is also written into it."""
        gap, link, obstacle = measure_gap(self.rows, solution.points3, self.radii)
        solution.report[[CLEARANCE, LINK, OBSTACLE]] = gap, link, obstacle
        solution.clearance = float(gap) if len(self.rows) else None
        return float(gap)

    def blocked(self, base: Floats, target: Floats) -> str:
        """Why no pose at all can be free: base or target in an obstacle, or nearer to it than allowed; or ''."""
        for name, point, radius in (("base", base, self.radii[0]), ("target", target, self.radii[-1])):
            gap, k = point_gap(self.rows, point[0], point[1], point[2])
            if gap - radius < self.clearance:
                where = f"inside obstacle {k} ({word(self.items[k])}), {-gap:.3g} m deep"
                if gap >= 0.0:
                    where = f"{gap:.3g} m from obstacle {k} ({word(self.items[k])})"
                needs = (
                    f"; the links need {radius + self.clearance:.3g} m there" if radius + self.clearance > 0.0 else ""
                )
                return f"the {name} is {where}{needs}, so no pose is free"
        return ""

    def explain(self, solution: ChainSolution, blocked: str) -> None:
        """Gives a pose that is not free its status and a sentence."""
        k, link = int(solution.report[OBSTACLE]), int(solution.report[LINK])
        near = f"the best pose found has a clearance of {solution.clearance:.3g} m, at link {link} from obstacle {k}"
        near += f" ({word(self.items[k])})"
        asked = f"with a clearance of {self.clearance:.3g} m" if self.clearance > 0.0 else "free of the obstacles"
        tried = f"no pose {asked} was found among {counted(solution.tries, 'start')}"
        solution.status = Status.COLLISION
        solution.explanation = f"{blocked or tried + ' (not a proof that there is none)'}; {near}"


def word(obstacle: Obstacle) -> str:
    """What an obstacle is called."""
    name = type(obstacle).__name__.lower()
    return {"sphere": "circle", "box": "rectangle"}.get(name, name) if obstacle.dim == 2 else name


def read_scene(bones: Bones, obstacles: Any, clearance: Any, thickness: Any) -> Scene:
    """The scene of a solve.

    Args:
        bones: The chain.
        obstacles: Spheres, capsules and boxes of the chain's dimension, or None.
        clearance: To keep from them [m].
        thickness: Radius of the links [m], one number or one per link.
    """
    rows = pack_obstacles(obstacles, bones.dim)
    items = (obstacles,) if isinstance(obstacles, Obstacle) else tuple(obstacles or ())
    if clearance == 0.0 and thickness == 0.0:
        return Scene(items, rows, np.zeros(bones.n), 0.0)
    keep = as_number(clearance, "clearance", OptionError)
    if keep < 0.0:
        raise OptionError(f"clearance is {keep:g} m; it cannot be negative")
    radii = as_floats(thickness, "thickness", OptionError)
    if radii.shape not in ((), (bones.n,)):
        raise OptionError(f"thickness has shape {radii.shape}; it takes one radius, or one per link ({bones.n})")
    if not (radii >= 0.0).all():
        raise OptionError(f"thickness is {brief(thickness)}; a radius cannot be negative")
    return Scene(items, rows, np.ascontiguousarray(np.broadcast_to(radii, bones.n)), keep)
