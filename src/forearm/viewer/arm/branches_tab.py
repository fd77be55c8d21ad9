"""The tab with all answers to a target: ghosts of every branch, and the swivel of arms that have one."""

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from forearm.common.types import Floats
from forearm.results.solution import Branches
from forearm.viewer.arm.figure import link_radii, stations
from forearm.viewer.shared.controls import clamped, on_change, on_press
from forearm.viewer.shared.rods import BonesScene
from forearm.viewer.shared.theme import GHOST, MISSED, SOLVED
from forearm.viewer.shared.words import card, time_words

if TYPE_CHECKING:
    from forearm.viewer.arm.page import ArmPage


MOST_GHOSTS = 16  # more cannot be told apart
THIN = 0.6  # radius of a ghost against the arm
SAME = 1e-4  # joint values this near are the same branch [rad or m]


class BranchesTab:
    """Branches and swivel, built inside an open tab of the arm's page."""

    def __init__(self, page: "ArmPage") -> None:
        self.page = page
        self.found: Branches | None = None
        self._ghosts: list[BonesScene] = []
        self._solved_for: object = None
        self._compiled = False
        self.root = page.host.scene.add_frame("/branches", show_axes=False)
        gui, worker = page.host.gui, page.worker
        self.shown = gui.add_checkbox("show all branches", False)
        self.status = gui.add_html("")
        self.next = gui.add_button("Go to the next branch", visible=False)
        on_change(self.shown, worker, lambda _: None)
        on_press(self.next, worker, self._go_on)
        if page.problem.swivels:
            with gui.add_folder("Swivel: the elbow about shoulder and wrist"):
                self.held = gui.add_checkbox("hold the angle", False)
                self.angle = gui.add_slider("swivel [°]", -180.0, 180.0, 1.0, self._degrees())
            on_change(self.held, worker, self._hold)
            on_change(self.angle, worker, self._turn)

    def _degrees(self) -> float:
        """The arm's swivel angle as the slider shows it."""
        return round(float(np.degrees(self.page.problem.arm.swivel(self.page.problem.q))), 1)

    # -- wishes --------------------------------------------------------------------------------

    def _go_on(self) -> None:
        """Sends the arm to the branch behind the one it is on."""
        if self.found is not None and len(self.found):
            self.page.problem.q = self.found[1 % len(self.found)].q
            self.page.ask()

    def _hold(self, wanted: Any) -> None:
        problem = self.page.problem
        problem.swivel = problem.arm.swivel(problem.q) if wanted else None
        self.page.ask()

    def _turn(self, degrees: Any) -> None:
        self.held.value = True
        self.page.problem.swivel = float(np.radians(clamped(degrees, -180.0, 180.0)))
        self.page.ask()

    # -- what the worker does ------------------------------------------------------------------

    def settle(self) -> None:
        """Draws the branches of the present target, if they are wanted and not yet drawn."""
        problem = self.page.problem
        wanted = bool(self.shown.value)
        asked = problem.T.tobytes(), problem.goal, problem.q.tobytes()
        key = (*asked, id(problem.arm), id(problem.scene), problem.off_itself) if wanted else None
        if key == self._solved_for:
            return
        self._solved_for = key
        if not wanted:
            self.found = None
            self._draw(np.empty((0, problem.robot.n)))
            self.status.content, self.next.visible = "", False
            return
        if not self._compiled:
            problem.branches()  # so that the time shown is not the compiler's
            self._compiled = True
        started = time.perf_counter()
        self.found = problem.branches()
        seconds = time.perf_counter() - started
        others = [b.q for b in self.found if np.abs(b.q - problem.q).max() > SAME]
        ghosts = np.array(others[:MOST_GHOSTS]).reshape(-1, problem.robot.n)
        with self.page.host.atomic():
            self._draw(ghosts)
            self._say(self.found, seconds)

    def show(self) -> None:
        """Lets the slider follow the arm while the angle is not held."""
        problem = self.page.problem
        if problem.swivels and problem.swivel is None:
            self.angle.value = self._degrees()

    def _draw(self, Q: Floats) -> None:
        model = self.page.problem.arm.model
        free = self.page.problem.are_free(Q)
        while len(self._ghosts) < len(Q):
            radius = THIN * float(link_radii(model)[-1])
            name = f"/branches/{len(self._ghosts)}"
            parents = range(2 * model.m + 2)
            self._ghosts.append(BonesScene(self.page.host, name, parents, radius, GHOST, opacity=0.4))
        for k, ghost in enumerate(self._ghosts):
            ghost.root.visible = k < len(Q)
            if k < len(Q):
                ghost.show(stations(model, Q[k]))
                ghost.paint(np.tile(GHOST if free[k] else MISSED, (2 * model.m + 3, 1)))

    def _say(self, found: Branches, seconds: float) -> None:
        count = len(found)
        title = "No branch" if not count else "One branch" if count == 1 else f"{count} branches"
        kind = "All there are" if found.complete else "Those that were found"
        lines = [found.reason[:1].upper() + found.reason[1:], f"{kind}, by {found.method}, in {time_words(seconds)}"]
        blocked = int((~self.page.problem.are_free(np.array([b.q for b in found]))).sum())
        if blocked:
            lines.append(f"{blocked} of them would touch something; those are orange.")
        if count > MOST_GHOSTS + 1:
            lines.append(f"The {MOST_GHOSTS} nearest are drawn.")
        self.status.content = card(title, lines, SOLVED if count else MISSED)
        self.next.visible = count > 1
