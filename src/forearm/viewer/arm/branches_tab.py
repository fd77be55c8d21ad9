"""The tab with all answers to a target: a ghost of every branch with its name, and how a seventh joint moves the arm.

Arms of seven turning joints have a ribbon of ghosts along their self-motion; some have a swivel.
"""

import time
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from forearm.common.markup import tag
from forearm.common.types import Floats
from forearm.results.solution import Branch, Branches
from forearm.robot import Robot
from forearm.viewer.arm.figure import capsule_pieces, stations
from forearm.viewer.arm.ribbon import Ribbon
from forearm.viewer.arm.scene import ArmScene
from forearm.viewer.shared.controls import clamped, on_change, on_press
from forearm.viewer.shared.stage import view_axes
from forearm.viewer.shared.theme import BACKWARD, GHOST, MISSED, SOLVED
from forearm.viewer.shared.words import card, time_words

if TYPE_CHECKING:
    from forearm.viewer.arm.page import ArmPage


MOST_GHOSTS = 16  # more cannot be told apart
MOST_CORNERS = 20_000  # of a figure that is drawn as often; a finer one is drawn in capsules
SAME = 1e-4  # joint values this near are the same branch [rad or m]
NAME = (0.35, 0.04)  # width and height of a name, per metre of reach
HERE = "where the arm is"


class BranchesTab:
    """Branches and swivel, built inside an open tab of the arm's page; the ghosts are there as long as it is open."""

    def __init__(self, page: "ArmPage") -> None:
        self.page = page
        self.found: Branches | None = None
        self._ghosts: list[tuple[ArmScene, Any]] = []  # each with its name
        self._solved_for: object = None
        self._compiled = False
        self.root = page.host.scene.add_frame("/branches", show_axes=False)
        gui, worker = page.host.gui, page.worker
        self.status = gui.add_html("")
        self.choice = gui.add_dropdown("Go to", [HERE], initial_value=HERE, visible=False)
        self.next = gui.add_button("Go to the next branch", visible=False)
        self.named = gui.add_checkbox("names at the elbows", True, visible=False)
        on_press(self.next, worker, self._go_on)
        on_change(self.choice, worker, self._go_to)
        on_change(self.named, worker, self._show_names)
        self.ribbon = self._add_ribbon(gui) if page.problem.winds else None
        if page.problem.swivels:
            with gui.add_folder("Swivel: the elbow about shoulder and wrist"):
                self.held = gui.add_checkbox("hold the angle", False)
                self.angle = gui.add_slider("swivel [°]", -180.0, 180.0, 1.0, self._degrees())
            on_change(self.held, worker, self._hold)
            on_change(self.angle, worker, self._turn)

    def _add_ribbon(self, gui: Any) -> Ribbon:
        """The controls of the self-motion."""
        with gui.add_folder("Self-motion: the tip stands still"):
            self.with_ribbon = gui.add_checkbox("as a ribbon of ghosts", True)
            self.along = gui.add_slider("along the arc [%]", 0.0, 100.0, 0.5, 0.0)
            self.arcs = gui.add_html("")
        on_change(self.with_ribbon, self.page.worker, lambda _: self._show_again())
        on_change(self.along, self.page.worker, self._walk)
        return Ribbon(self.page)

    def _degrees(self) -> float:
        """The arm's swivel angle as the slider shows it."""
        return round(float(np.degrees(self.page.problem.arm.swivel(self.page.problem.q))), 1)

    # -- wishes --------------------------------------------------------------------------------

    def _go_on(self) -> None:
        """Sends the arm to the branch behind the one it is on."""
        if self.found is not None and len(self.found):
            self._go(self.found[1 % len(self.found)])

    def _go_to(self, name: Any) -> None:
        for k, branch in enumerate(self.found or ()):
            if label_of(branch, k) == name:
                self._go(branch)

    def _go(self, branch: Branch) -> None:
        self.page.problem.q = branch.q
        if self.page.drive is not None:
            self.page.drive.servo.reset(branch.q)
        self.page.ask()

    def _show_names(self, wanted: Any) -> None:
        for ghost, name in self._ghosts:
            name.visible = bool(wanted) and ghost.root.visible and self.named.visible

    def _show_again(self) -> None:
        self._solved_for = None
        self.page.ask()

    def _walk(self, percent: Any) -> None:
        """Moves the arm along its arc; the tip stands still."""
        ribbon = self.ribbon
        if ribbon is not None and ribbon.arc is not None:
            q = ribbon.walk(0.01 * clamped(percent, 0.0, 100.0))
            self.page.walk(q, card("On its self-motion", ["The joints move, the tip stands still."], BACKWARD))

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
        """Draws the branches of the present target, if they are not drawn yet."""
        problem = self.page.problem
        key = (problem.T.tobytes(), problem.goal, problem.q.tobytes(), id(problem.arm), id(problem.scene))
        if (key, problem.off_itself) == self._solved_for:
            return
        self._solved_for = key, problem.off_itself
        if not self._compiled:
            problem.branches()  # so that the time shown is not the compiler's
            self._compiled = True
        started, is_new = time.perf_counter(), self.found is None
        self.found = problem.branches()
        seconds = time.perf_counter() - started
        with self.page.host.atomic():
            self._draw(self.found)
            self._say(self.found, seconds)
            if self.ribbon is not None:
                self._show_ribbon(self.ribbon)
        if is_new:  # the tab was just opened: its ghosts may be outside the view
            self.page.fit_again()

    def _show_ribbon(self, ribbon: Ribbon) -> None:
        """Draws the curves in place of the ghosts of all branches, or takes them away."""
        wanted = bool(self.with_ribbon.value) and self.page.problem.goal == "pose"
        self.along.visible = wanted
        if not wanted:
            ribbon.hide()
            self.arcs.content = ""
            return
        ribbon.settle()
        for ghost, name in self._ghosts:
            ghost.root.visible = name.visible = False
        self.arcs.content = tag("div", ribbon.sentence(), style="font-size:12px;padding:0 9px 4px")
        self.page.worker.show(self.along, round(200.0 * ribbon.share) / 2.0)

    def hide(self) -> None:
        """Takes the ghosts away: their tab was left."""
        self._solved_for = self.found = None
        for ghost, name in self._ghosts:
            ghost.root.visible = name.visible = False
        if self.ribbon is not None:
            self.ribbon.hide()

    def show(self) -> None:
        """Lets the slider follow the arm while the angle is not held."""
        problem = self.page.problem
        if problem.swivels and problem.swivel is None:
            self.page.worker.show(self.angle, self._degrees())

    def _draw(self, found: Branches) -> None:
        problem = self.page.problem
        others = [(k, b) for k, b in enumerate(found) if np.abs(b.q - problem.q).max() > SAME][:MOST_GHOSTS]
        free = problem.are_free(np.array([b.q for _, b in others]).reshape(-1, problem.robot.n))
        while len(self._ghosts) < len(others):
            self._ghosts.append(self._make_ghost(len(self._ghosts)))
        drawn, placed = [frames_of(problem.arm, problem.q)], list[Floats]()
        for i, (ghost, name) in enumerate(self._ghosts):
            ghost.root.visible = i < len(others)
            name.visible = ghost.root.visible and bool(self.named.value) and bool(others[i][1].posture)
            if i < len(others):
                k, branch = others[i]
                frames = frames_of(problem.arm, branch.q)
                same = {
                    -1,
                    *(j for j in range(len(frames)) if any(np.allclose(frames[j], f[j], atol=SAME) for f in drawn)),
                }
                drawn.append(frames)
                ghost.show(branch.q)
                ghost.tint(GHOST if free[i] else MISSED, same)  # what is where another is, is not drawn twice
                name.text = f"{k + 1}" if self.page.stage.has_sheet else label_of(branch, k)  # a phone has no room
                placed.append(free_place(elbow(stations(problem.arm.model, branch.q)), placed, self.page.size))
                name.position = placed[-1]

    def _make_ghost(self, number: int) -> tuple[ArmScene, Any]:
        host, model, pieces = self.page.host, self.page.problem.arm.model, self.page.pieces
        if sum(len(piece.mesh[0]) for piece in pieces) > MOST_CORNERS:
            pieces = capsule_pieces(model)
        ghost = ArmScene(host, f"/branches/{number}", model, pieces, is_ghost=True)
        look = {"font_size_mode": "screen", "depth_test": False, "anchor": "bottom-center"}
        return ghost, host.scene.add_label(f"/branches/name {number}", "", **look)

    def _say(self, found: Branches, seconds: float) -> None:
        count = len(found)
        title = "No branch" if not count else "One branch" if count == 1 else f"{count} branches"
        kind = "All there are" if found.complete else "Those that were found"
        lines = [escape(found.reason[:1].upper() + found.reason[1:])]
        lines.append(f"{kind}, by {escape(found.method)}, in {time_words(seconds)}")
        blocked = int((~self.page.problem.are_free(np.array([b.q for b in found]))).sum())
        if blocked:
            lines.append(f"{blocked} of them would touch something; those are orange.")
        if count > MOST_GHOSTS + 1:
            lines.append(f"The {MOST_GHOSTS} nearest are drawn.")
        self.status.content = card(title, lines, SOLVED if count else MISSED)
        self.next.visible = self.choice.visible = count > 1
        self.named.visible = count > 1 and any(branch.posture for branch in found)
        names = [label_of(branch, k) for k, branch in enumerate(found)] or [HERE]
        self.choice.options = names
        self.choice.value = names[0]


def label_of(branch: Branch, k: int) -> str:
    """What an answer is called in a list: its number and, where it has one, the name of its posture."""
    posture = branch.posture
    return f"{k + 1}: {posture}" if posture else f"branch {k + 1}"


def free_place(place: Floats, others: Sequence[Floats], size: float) -> Floats:
    """A place for a name, or one above it, where it covers no other one as the fitted camera of a figure sees them."""
    axes = view_axes()[:2]
    while any((np.abs(axes @ (place - other)) < np.multiply(NAME, size)).all() for other in others):
        place = place + np.array([0.0, 0.0, 0.5 * NAME[1] * size])
    return place


def frames_of(arm: Robot, q: Floats) -> Floats:
    """(m, 4, 4) the frames of an arm's joints."""
    return np.asarray(arm.fk_all(q)[: arm.model.m])


def elbow(points: Floats) -> Floats:
    """The point of a line that is farthest from the straight way between its ends: where a name is read best."""
    way = points[-1] - points[0]
    unit = way / max(float(np.linalg.norm(way)), 1e-12)
    off = points - points[0]
    across = off - (off @ unit)[:, None] * unit
    return np.asarray(points[int(np.argmax(np.linalg.norm(across, axis=1)))])
