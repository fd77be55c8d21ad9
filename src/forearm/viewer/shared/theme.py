"""Colours and sizes of the viewer. The colours stay apart for colour-blind people (Okabe and Ito)."""

Rgb = tuple[int, int, int]

BODY: Rgb = (222, 226, 232)
HUB: Rgb = (110, 122, 140)
SOLVED: Rgb = (0, 158, 115)
MISSED: Rgb = (213, 94, 0)
FORWARD: Rgb = (230, 159, 0)
BACKWARD: Rgb = (0, 114, 178)
REFINED: Rgb = (204, 121, 167)
START: Rgb = (130, 136, 146)
GHOST: Rgb = (86, 180, 233)
PATH: Rgb = (0, 114, 178)
OBSTACLE: Rgb = (240, 228, 66)
TOUCHED: Rgb = (213, 94, 0)

PANEL_WIDTH = 380  # pixels
FIELD_OF_VIEW = 0.70  # of the camera, upright [rad]
GIZMO_SHARE = 0.22  # size of the handles that are dragged, per metre of reach


def css(colour: Rgb) -> str:
    """The colour as a style sheet writes it."""
    return "#{:02x}{:02x}{:02x}".format(*colour)
