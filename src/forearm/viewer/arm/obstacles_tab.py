"""Obstacles of an arm: which of its parts are held against them, and whether it may touch itself."""

from html import escape
from typing import TYPE_CHECKING, Any

from forearm.common.defaults import DEFAULT_CLEARANCE
from forearm.results.solution import Clearance
from forearm.viewer.arm.figure import hull_pieces
from forearm.viewer.arm.scene import ArmScene
from forearm.viewer.shared.controls import on_change
from forearm.viewer.shared.obstacles_tab import ObstaclesTab
from forearm.viewer.shared.words import length_words

if TYPE_CHECKING:
    from forearm.viewer.arm.page import ArmPage


class ArmObstaclesTab(ObstaclesTab):
    """The tab of an arm's page."""

    page: "ArmPage"
    kinds = (*ObstaclesTab.kinds, "cylinder")

    def __init__(self, page: "ArmPage") -> None:
        self.hull: ArmScene | None = None
        super().__init__(page, "arm", DEFAULT_CLEARANCE)
        gui = page.host.gui
        self.itself = gui.add_checkbox("the arm must not touch itself", True, hint="Counts while there are obstacles.")
        self.show_hull = gui.add_checkbox("show what is held against them", False)
        on_change(self.itself, page.worker, self._set_itself)
        on_change(self.show_hull, page.worker, self._set_hull)

    def _set_itself(self, wanted: Any) -> None:
        self.page.problem.off_itself = bool(wanted)
        self.page.ask_anew()

    def _set_hull(self, wanted: Any) -> None:
        page = self.page
        if wanted and self.hull is None:
            model = page.problem.robot.model
            self.hull = ArmScene(page.host, "/hull", model, hull_pieces(model), is_ghost=True)
            self.hull.show(page.problem.q)
        if self.hull is not None:
            self.hull.root.visible = bool(wanted)

    def set_faded(self, faded: bool) -> None:
        """Hides the shapes while steps are shown."""
        if self.hull is not None:
            self.hull.root.visible = bool(self.show_hull.value) and not faded

    def show_closest(self, closest: Clearance | None) -> None:
        """Says what the arm comes nearest to, and moves the shapes that are held against it."""
        problem = self.page.problem
        if self.hull is not None:
            self.hull.show(problem.q)
        if closest is None:
            self.show(None)
            return
        lines = closest_words(closest)
        if problem.method not in problem.guarded_methods:
            lines += f" Among obstacles the arm is solved by {problem.guarded_methods[0]}, not by {problem.method}."
        if problem.swivel is not None:
            lines += " The swivel angle is not held among obstacles."
        asked = 0.0 if closest.charted else problem.clearance  # links that are that near always, maybe
        self.show(closest.distance, asked, closest.obstacle, lines)


def closest_words(closest: Clearance) -> str:
    """What is nearest to what, as HTML."""
    if not closest.link:
        return "Nothing is near."
    other = "link " * (closest.obstacle is None) + escape(closest.other)
    if closest.charted and closest.distance < 0.0:
        return f"Link {escape(closest.link)} <b>touches</b> {other}."
    way = f"{length_words(abs(closest.distance))} {'from' if closest.distance >= 0.0 else 'inside'}"
    return f"Link {escape(closest.link)} is <b>{way}</b> {other}."
