"""The first tab of a page of bones: method, cones, pole."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from forearm.viewer.controls import clamped, on_change, on_drag, on_press
from forearm.viewer.rotations import z_onto
from forearm.viewer.shapes import ball, cone
from forearm.viewer.stage import add_handle
from forearm.viewer.theme import GHOST, REFINED, START
from forearm.viewer.words import card

if TYPE_CHECKING:
    from forearm.viewer.bones_page import BonesPage

Floats = NDArray[np.float64]

FREE = 180  # half-angle of a cone that is none [deg]
SMALLEST = 2
CONE_PER_BONE = 1.5  # how far a cone is drawn, per metre of bone

ABOUT = {
    "fabrik": "Forward and backward reaches without angles, finished by Gauss-Newton. Aristidou and Lasenby 2011.",
    "bezier": "The chain is laid on a quadratic Bezier curve whose control point is moved until the tip arrives.",
}


class BonesTab:
    """Controls of a solve.

    Args:
        page: The page of bones; this is built inside an open tab of it.
    """

    def __init__(self, page: "BonesPage") -> None:
        self.page = page
        self.pole: Any = None
        self.cones: Any = None
        self._drawn_angle: float | None = None
        gui, worker, problem = page.host.gui, page.worker, page.problem
        if len(problem.methods) > 1:
            self.method = gui.add_dropdown("Method", list(problem.methods), initial_value=problem.method)
            on_change(self.method, worker, self._set_method)
        self.about = gui.add_html("")
        if problem.rebuild is not None:
            self.angle = gui.add_slider("joint cone [°]", SMALLEST, FREE, 1, FREE, marks=((FREE, "free"),))
            on_change(self.angle, worker, self._set_angle)
        if len(problem.targets) == 1:
            self.with_pole = gui.add_checkbox("bend toward a pole", False)
            on_change(self.with_pole, worker, self._set_pole)
        home = gui.add_button("Back to the first pose", color="gray")
        on_press(home, worker, self._go_home)
        self._describe()

    def _describe(self) -> None:
        method = self.page.problem.method
        self.about.content = card(method, [ABOUT[method]], START)

    # -- wishes --------------------------------------------------------------------------------

    def _set_method(self, method: str) -> None:
        self.page.problem.set_method(method)
        self._describe()
        self.page.ask()

    def _set_angle(self, degrees: Any) -> None:
        angle = clamped(degrees, SMALLEST, FREE)
        self.page.problem.set_half_angle(None if angle >= FREE else float(np.radians(angle)))
        self.page.ask()

    def _set_pole(self, wanted: Any) -> None:
        problem, size = self.page.problem, self.page.size
        if wanted and self.pole is None:
            place = np.array([0.3, -0.5, 0.5]) * size
            self.pole = add_handle(self.page.host, "/pole", size, place)
            vertices, faces = ball(0.02 * size)
            self.page.host.scene.add_mesh_simple(
                "/pole/ball", vertices.astype(np.float32), faces.astype(np.uint32), color=REFINED, cast_shadow=False
            )
            on_drag(self.pole, self.page.worker, self._drag_pole)
        if self.pole is not None:
            self.pole.visible = bool(wanted)
        problem.pole = np.asarray(self.pole.position, float) if wanted else None
        self.page.ask()

    def _drag_pole(self, T: Floats) -> None:
        self.page.problem.pole = T[:3, 3].copy()
        self.page.ask()

    def _go_home(self) -> None:
        problem = self.page.problem
        names = problem.figure.bones.names
        for name, gizmo in self.page.handles.items():
            row = names.index(name) + 1 if name in names else -1
            problem.targets[name] = problem.home[row].copy()
            gizmo.position = problem.home[row]
        problem.last = None
        self.page.ask()

    # -- what is shown -------------------------------------------------------------------------

    def show(self, points: Floats) -> None:
        """Draws the cones, each about the bone before it, as the upright rest pose has them."""
        angle = self.page.problem.half_angle
        if angle != self._drawn_angle:
            self._drawn_angle = angle
            if self.cones is not None:
                self.cones.remove()
            self.cones = None if angle is None else self._add_cones(angle, points)
        if self.cones is not None:
            along = np.diff(points, axis=0, prepend=points[:1] - (0.0, 0.0, 1.0))[:-1]
            self.cones.batched_positions = points[:-1].astype(np.float32)
            unit = along / np.linalg.norm(along, axis=1, keepdims=True)
            self.cones.batched_wxyzs = z_onto(unit).astype(np.float32)

    def _add_cones(self, angle: float, points: Floats) -> Any:
        lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
        vertices, faces = cone(angle)
        still = np.zeros((len(lengths), 4), np.float32)
        still[:, 0] = 1.0
        return self.page.host.scene.add_batched_meshes_simple(
            "/cones",
            vertices.astype(np.float32),
            faces.astype(np.uint32),
            batched_wxyzs=still,
            batched_positions=points[:-1].astype(np.float32),
            batched_scales=np.repeat(CONE_PER_BONE * lengths[:, None], 3, axis=1).astype(np.float32),
            batched_colors=np.tile(np.array(GHOST, np.uint8), (len(lengths), 1)),
            opacity=0.22,
            side="double",
            cast_shadow=False,
            receive_shadow=False,
            lod="off",
        )

    def set_faded(self, faded: bool) -> None:
        """Hides the cones while steps are shown."""
        if self.cones is not None:
            self.cones.visible = not faded
