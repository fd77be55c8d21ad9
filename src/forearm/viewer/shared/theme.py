"""What the viewer's colours mean, and its sizes."""

from typing import NamedTuple

from forearm.common import palette
from forearm.common.palette import Rgb, rgb

BODY, HUB, START = rgb(palette.BODY), rgb(palette.HUB), rgb(palette.START)
SOLVED, MISSED = rgb(palette.GOOD), rgb(palette.BAD)
FORWARD, BACKWARD, REFINED = rgb(palette.AMBER), rgb(palette.BLUE), rgb(palette.PINK)
TAB = rgb(palette.TAB)  # the name of the part of the panel that is open, read on white and on black
GHOST, PATH = rgb(palette.SKY), rgb(palette.BLUE)
OBSTACLE, TOUCHED = rgb(palette.OBSTACLE), rgb(palette.BAD)

PANEL_WIDTH = 380  # pixels
NARROW = "36em"  # a window at most so wide has the panel as a sheet over its lower part, says viser
FIELD_OF_VIEW = 0.70  # of the camera, upright [rad]
GIZMO_SHARE = 0.15  # size of the handles that are dragged, per metre of reach
SMALL_GIZMO_SHARE = 0.7 * GIZMO_SHARE  # of those that stand beside the first


class Scheme(NamedTuple):
    """The colours of what surrounds a figure by day or by night."""

    floor: Rgb
    cell: Rgb
    section: Rgb
    shadow: float  # how dark shadows on the floor are


DAY, NIGHT = ([rgb(colour) for colour in scheme] for scheme in (palette.FLOOR_BY_DAY, palette.FLOOR_BY_NIGHT))
LIGHT = Scheme(DAY[0], DAY[1], DAY[2], shadow=0.22)
DARK = Scheme(NIGHT[0], NIGHT[1], NIGHT[2], shadow=0.55)
