"""What the viewer's colours mean, and its sizes."""

from forearm.common import palette
from forearm.common.palette import rgb

BODY, HUB, START = rgb(palette.BODY), rgb(palette.HUB), rgb(palette.START)
SOLVED, MISSED = rgb(palette.GOOD), rgb(palette.BAD)
FORWARD, BACKWARD, REFINED = rgb(palette.AMBER), rgb(palette.BLUE), rgb(palette.PINK)
GHOST, PATH = rgb(palette.SKY), rgb(palette.BLUE)
OBSTACLE, TOUCHED = rgb(palette.OBSTACLE), rgb(palette.BAD)
GROUND, GROUND_SECTION = rgb(palette.GROUND), rgb(palette.GROUND_SECTION)

PANEL_WIDTH = 380  # pixels
FIELD_OF_VIEW = 0.70  # of the camera, upright [rad]
GIZMO_SHARE = 0.22  # size of the handles that are dragged, per metre of reach
SMALL_GIZMO_SHARE = 0.7 * GIZMO_SHARE  # of those that stand beside the first
