"""Pictures with matplotlib (extra `plot`), imported only when something is drawn; they never solve.

Colours stay apart for colour-blind readers and lines differ in style too, so that grey print is read.
"""

from typing import TYPE_CHECKING, Any

from forearm.common.palette import AXES as AXIS_COLOURS
from forearm.common.palette import BLUE, GREEN, INK, ORANGE
from forearm.errors import unknown_name
from forearm.plot.animation import save_gif
from forearm.plot.answers import draw_branches, draw_convergence, draw_reach, reach_counts
from forearm.plot.motion import draw_motion, draw_path, draw_track
from forearm.plot.panels import draw_chains, draw_curves
from forearm.plot.pose import blank_figure, draw_pose, save_pose

__all__ = [
    "AXIS_COLOURS",
    "BLUE",
    "GREEN",
    "INK",
    "ORANGE",
    "blank_figure",
    "draw_branches",
    "draw_chains",
    "draw_convergence",
    "draw_curves",
    "draw_motion",
    "draw_path",
    "draw_pose",
    "draw_reach",
    "draw_track",
    "reach_counts",
    "save_gif",
    "save_pose",
]

if not TYPE_CHECKING:  # who checks types knows the names

    def __getattr__(name: str) -> Any:
        raise unknown_name("forearm.plot", name, __all__)
