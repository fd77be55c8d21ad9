"""The tab with obstacles: spheres, capsules, boxes (cylinders for arms) that are dragged, and that a solve minds."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from forearm.common.transforms import translation
from forearm.common.types import Floats
from forearm.scenes.shapes import Box, Capsule, Cylinder, Obstacle, Sphere
from forearm.viewer.shared.controls import clamped, move, on_change, on_drag, on_press, within
from forearm.viewer.shared.nodes import FACING, add_handle, add_mesh, add_obstacle
from forearm.viewer.shared.shapes import Mesh, ball, block, capsule, cone_between
from forearm.viewer.shared.theme import MISSED, OBSTACLE, SMALL_GIZMO_SHARE, SOLVED, START, TOUCHED
from forearm.viewer.shared.words import card, length_words

if TYPE_CHECKING:
    from forearm.viewer.shared.page import Page

MOST = 12  # obstacles of a page
SIZE_PER_REACH = 0.08  # of a new one
HANDLE_PER_SIZE = 1.5  # its handle's arrows come out of it
CLEARANCE_PER_REACH = 0.1  # the most that can be asked for
NEAR_PER_REACH = 1.0  # so far from the base obstacles that were given are brought into view
SLACK = 1e-6  # a clearance that is missed by less is kept [m]
# Where new obstacles appear, one after the other, per metre of reach.
PLACES = ((0.3, 0.3, 0.4), (0.0, -0.4, 0.45), (-0.35, 0.2, 0.4), (0.3, -0.4, 0.3))


class Thing:
    """An obstacle in the page: `size` is its radius or half an edge [m]; what is long is four times as long."""

    def __init__(self, host: Any, number: int, kind: str, size: float, position: Floats, reach: float) -> None:
        self.name, self.kind, self.size, self.T = f"{kind} {number}", kind, size, translation(*position) @ FACING
        name, handle = f"/obstacles/{number}", max(SMALL_GIZMO_SHARE * reach, HANDLE_PER_SIZE * size)
        self.gizmo = add_handle(host, name, handle, position, kind != "sphere", line_width=2.5)
        self.body = add_mesh(host, f"{name}/body", body(kind, size), OBSTACLE, opacity=0.85)

    def solid(self) -> Obstacle:
        """The obstacle as a solve takes it."""
        centre, along = self.T[:3, 3], 2.0 * self.size * self.T[:3, 2]
        if self.kind == "sphere":
            return Sphere(centre, self.size)
        if self.kind in ("capsule", "cylinder"):
            return (Capsule if self.kind == "capsule" else Cylinder)(centre - along, centre + along, self.size)
        return Box(centre, [2.0 * self.size] * 3, self.T[:3, :3])


def body(kind: str, size: float) -> Mesh:
    """The mesh of an obstacle about its origin."""
    if kind == "sphere":
        return ball(size)
    if kind == "capsule":
        return capsule((0.0, 0.0, -2.0 * size), (0.0, 0.0, 2.0 * size), size)
    if kind == "cylinder":
        return cone_between((0.0, 0.0, -2.0 * size), (0.0, 0.0, 2.0 * size), size, size)
    return block([2.0 * size] * 3)


class ObstaclesTab:
    """Adds, moves and removes obstacles, inside an open tab of a page that avoids them.

    It says `what` the figure is, and at first a clearance [m] is kept.
    """

    page: "Page"
    kinds: tuple[str, ...] = ("sphere", "capsule", "box")  # to add

    def __init__(self, page: "Page", what: str = "chain", clearance: float = 0.0) -> None:
        self.page, self.what = page, what
        self.things: list[Thing] = []
        self.given: dict[str, tuple[Obstacle, Any]] = {}  # what stands still, and what is drawn of it
        self._made = 0
        gui, worker = page.host.gui, page.worker
        self.status = gui.add_html("")
        for kind in self.kinds:
            on_press(gui.add_button(f"Add a {kind}"), worker, lambda kind=kind: self.add(kind))  # type: ignore[misc]
        self.most = float(f"{CLEARANCE_PER_REACH * page.size:.2g}")
        self.clearance = gui.add_slider("clearance [m]", 0.0, self.most, self.most / 50.0, min(clearance, self.most))
        self.clear = gui.add_button("Remove the last one", color="gray", disabled=True)
        on_change(self.clearance, worker, lambda _: self._tell())
        on_press(self.clear, worker, self._remove)
        self.show(None)

    def add(self, kind: str) -> None:
        """Puts another obstacle into the scene."""
        if len(self.things) >= MOST:
            return
        reach = self.page.size
        place = reach * np.array(PLACES[self._made % len(PLACES)])
        self._made += 1
        thing = Thing(self.page.host, self._made, kind, SIZE_PER_REACH * reach, place, reach)
        self.things.append(thing)
        on_drag(thing.gizmo, self.page.worker, lambda T: self._drag(thing, T))
        self._tell()
        self.page.fit_again()

    def extent(self) -> Floats:
        """(k, 3) corners of boxes round obstacles, of what is large the near part, and round their handles."""
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        corners = [thing.T[:3, 3] + thing.gizmo.scale * signs for thing in self.things]
        far = NEAR_PER_REACH * self.page.size
        for _, drawn in self.given.values():
            points = drawn.vertices if hasattr(drawn, "vertices") else drawn.points
            ends = np.clip([points.min(axis=0), points.max(axis=0)], -far, far)
            corners.append(np.where(signs < 0, ends[0], ends[1]))
        return np.concatenate([np.empty((0, 3)), *corners])

    def give(self, obstacles: Mapping[str, Obstacle]) -> None:
        """Puts obstacles that stand still into the scene."""
        for name, obstacle in obstacles.items():
            node = f"/obstacles/given {len(self.given)}"
            self.given[name] = obstacle, add_obstacle(self.page.host, node, obstacle, OBSTACLE)
        self._tell()
        self.page.fit_again()

    def _drag(self, thing: Thing, T: Floats) -> None:
        thing.T = within(T, self.page.size)
        if thing.T is not T:
            move(thing.gizmo, thing.T)
        self._tell()

    def _remove(self) -> None:
        if self.things:
            self.things.pop().gizmo.remove()
            self._tell()

    def _tell(self) -> None:
        self.clear.disabled = not self.things
        solids = {name: obstacle for name, (obstacle, _) in self.given.items()}
        solids |= {thing.name: thing.solid() for thing in self.things}
        self.page.avoid(solids, clamped(self.clearance.value, 0.0, self.most))

    def show(self, distance: float | None, asked: float = 0.0, nearest: int | None = None, words: str = "") -> None:
        """Says how far the figure stays away from them, or what is near to what in other words.

        The distance is negative inside an obstacle; `nearest` is its number, or None for the figure itself.
        """
        if distance is None:
            self.status.content = card("No obstacles", [f"Add one and drag it against the {self.what}."], START)
            return
        free = distance >= asked - SLACK
        near = f"{length_words(abs(distance))} {'to' if distance >= 0.0 else 'inside'} the nearest obstacle."
        title = "Clear" if free else "Touching" if distance < 0.0 else "Nearer than asked"
        self.status.content = card(title, [words or near], SOLVED if free else MISSED)
        bodies = [*(body for _, body in self.given.values()), *(thing.body for thing in self.things)]
        for k, drawn in enumerate(bodies):
            if hasattr(drawn, "color"):  # clouds of points have as many as points
                drawn.color = TOUCHED if not free and k == nearest else OBSTACLE
