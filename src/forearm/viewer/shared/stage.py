"""What stands around a figure: floor, light, camera, the target, the gap to it."""

from typing import Any

import numpy as np

from forearm.common.types import Floats
from forearm.viewer.shared.controls import move
from forearm.viewer.shared.nodes import add_ball, add_handle, add_lines
from forearm.viewer.shared.theme import DARK, FIELD_OF_VIEW, GIZMO_SHARE, LIGHT, MISSED, SOLVED

BALL_SHARE = 0.014  # radius of the target's ball, per metre of reach
FLOOR = 3.0  # radius of the floor, per metre of reach
VIEW = np.array([-0.45, 0.83, -0.32])  # where a camera looks that fits a figure
# What is in view until a figure is there, per metre of its size.
FIRST_VIEW = np.array([[-0.3, -0.3, 0.0], [0.5, -0.2, 0.0], [0.1, 0.3, 0.8], [0.3, -0.3, 0.6]])
MARGIN = 0.86  # of half the picture that a figure fills
RESHAPED = 0.01  # share by which width by height of a picture changes that is fitted anew
STOOD = 0.01  # a camera that moved by less, per metre of its distance, is where it was put
SHEET, GAP = 0.60, 0.08  # of a narrow window's height: what the panel covers, and what stays free above it


def round_length(size: float) -> float:
    """A power of ten, or 2 or 5 times one, of about a fifth of a size: for the cells of a grid [m]."""
    power = 10.0 ** np.floor(np.log10(size / 5.0))
    return float(power * max(k for k in (1.0, 2.0, 5.0) if k * power <= size / 5.0 * (1.0 + 1e-9)))


def view_axes() -> Floats:
    """(3, 3) right, up and ahead, as rows, as a camera that fits a figure sees them."""
    right = np.cross(VIEW, (0.0, 0.0, 1.0))
    axes = np.stack([right, np.cross(right, VIEW), VIEW])
    return np.asarray(axes / np.linalg.norm(axes, axis=1)[:, None])


def fitted_camera(
    points: Floats, width: float = 900.0, height: float = 800.0, has_sheet: bool = False
) -> tuple[Floats, Floats]:
    """Where a camera stands and looks, both (3,), so that (k, 3) points fill a picture of a size [px].

    A phone's window has the panel as a sheet over its lower part.

    What is seen is a pyramid with its tip in the camera; its four sides are pushed against the points.
    """
    axes = view_axes()
    x, y, z = axes @ points.T
    half = float(np.tan(0.5 * FIELD_OF_VIEW))
    tall, wide = MARGIN * half, MARGIN * half * width / height
    low = (2.0 * SHEET - 1.0 + GAP) * half if has_sheet else -tall  # above the panel, or all of it
    depths = [
        (np.max(at - most * z) - np.min(at - least * z)) / (least - most)
        for at, least, most in ((x, -wide, wide), (y, low, tall))
    ]
    depth = float(min(depths))
    middle = [
        0.5 * (np.max(at - most * z) + most * depth + np.min(at - least * z) + least * depth)
        for at, least, most in ((x, -wide, wide), (y, low, tall))
    ]
    position = np.array([*middle, depth]) @ axes
    return position, position + (float(z.mean()) - depth) * axes[2]


class Stage:
    """Floor, light, target and gap, for a figure of a size [m] whose target stands at T first and may be turned."""

    def __init__(self, host: Any, size: float, T: Floats, turns: bool = True) -> None:
        cell = round_length(size)
        self.host = host
        self.is_dark = self.has_sheet = self._is_faded = self._is_missed = False
        self._fitted, self._aspect = (np.zeros(3), np.zeros(3)), 1.0  # where the camera was put, and for which picture
        self._has_arrived = False  # whether the browser has told that its camera is there
        self.fit(size * FIRST_VIEW)
        self.floor = host.scene.add_grid(
            "/floor",
            width=2.0 * FLOOR * size,
            height=2.0 * FLOOR * size,
            cell_size=cell,
            section_size=5.0 * cell,
            fade_distance=FLOOR * size,  # where its edge is, so that it has none to be seen
            fade_from="origin",
            plane_opacity=1.0,
        )
        host.scene.configure_environment_map("studio", environment_intensity=0.42)
        host.scene.configure_default_lights(enabled=False)
        for name, place, strength in (("sun", (0.6, -0.9, 2.0), 1.3), ("sky", (-1.0, 0.8, 1.2), 0.5)):
            host.scene.add_light_directional(f"/{name}", intensity=strength, cast_shadow=name == "sun", position=place)
        host.scene.add_frame("/base", axes_length=0.10 * size, axes_radius=0.003 * size, origin_radius=0.0)
        self.gizmo = add_handle(host, "/target", GIZMO_SHARE * size, T[:3, 3], turns)
        if turns:
            move(self.gizmo, T)
        self.ball = add_ball(host, "/target/ball", BALL_SHARE * size, SOLVED, cast_shadow=False)
        self.gap = add_lines(host, "/gap", MISSED, visible=False)
        self.set_dark(False)

    def lower_floor(self, corners: Floats) -> None:
        """Puts the floor under (k, 3) points, wherever their file has its origin."""
        self.floor.position = (0.0, 0.0, float(corners[:, 2].min(initial=0.0)))

    def set_dark(self, is_dark: bool) -> None:
        """Shows it by day or by night."""
        scheme = DARK if is_dark else LIGHT
        self.is_dark = is_dark
        self.floor.cell_color, self.floor.section_color = scheme.cell, scheme.section
        self.floor.plane_color, self.floor.shadow_opacity = scheme.floor, scheme.shadow

    def fit(self, points: Floats) -> None:
        """Turns the camera of a browser so that (k, 3) points fill its view."""
        camera = getattr(self.host, "camera", None)
        if camera is not None:
            self._fitted = fitted_camera(points, camera.image_width, camera.image_height, self.has_sheet)
            self._aspect, self._has_arrived = camera.image_width / camera.image_height, False
            camera.position, camera.look_at = self._fitted

    def note(self, camera: Any) -> None:
        """Notes where a browser tells its camera to be: what it tells before it is where it was put, nobody turned."""
        self._has_arrived = self._has_arrived or self._is_put(camera)

    def _is_put(self, camera: Any) -> bool:
        """Whether a camera is where it was put."""
        moved = np.abs(np.subtract([camera.position, camera.look_at], self._fitted)).max()
        return bool(moved < STOOD * np.linalg.norm(np.subtract(*self._fitted)))

    def is_reshaped(self, camera: Any) -> bool:
        """Whether the picture of a camera has another shape than when the view was fitted."""
        aspect = float(camera.image_width) / max(float(camera.image_height), 1.0)
        return abs(aspect / self._aspect - 1.0) > RESHAPED

    def fit_again(self, points: Floats) -> None:
        """Fits the view to another picture or to other points, unless the user has turned the camera since."""
        camera = getattr(self.host, "camera", None)
        if camera is not None and (not self._has_arrived or self._is_put(camera)):
            self.fit(points)

    def show_gap(self, tips: Floats, targets: Floats, missed: bool) -> None:
        """Draws lines from (3,) or (k, 3) tips to targets that they missed, and colours the target."""
        if missed:
            self.gap.points = np.stack([np.atleast_2d(tips), np.atleast_2d(targets)], axis=1).astype(np.float32)
        self.ball.color = MISSED if missed else SOLVED
        self._is_missed = missed
        self.gap.visible = missed and not self._is_faded

    def set_faded(self, faded: bool) -> None:
        """Hides the gap while the figure that it begins at is hidden."""
        self._is_faded = faded
        self.gap.visible = self._is_missed and not faded
