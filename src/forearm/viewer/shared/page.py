"""What the pages of arms and of bones have in common: a stage, a verdict, a worker that solves and draws."""

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any, Protocol

import numpy as np

from forearm.common.types import Floats
from forearm.errors import ForearmError
from forearm.scenes.shapes import Obstacle
from forearm.viewer.shared.answer import Answer
from forearm.viewer.shared.controls import Tabs, on_key
from forearm.viewer.shared.obstacles_tab import ObstaclesTab
from forearm.viewer.shared.save import apply_scheme, has_sheet, prefers_dark, remember_dark
from forearm.viewer.shared.stage import Stage
from forearm.viewer.shared.theme import MISSED
from forearm.viewer.shared.words import card, working
from forearm.viewer.shared.worker import Worker
from forearm.viewer.steps.tab import StepsTab

STEPS = "Steps"  # the part of the panel that steps through a method
TOLD = 0.2  # seconds between two verdicts while a figure moves: to set one takes a browser longer than to draw


class Problem(Protocol):
    """What is asked of a figure: the state of a page, without the page."""

    @property
    def kind(self) -> tuple[object, ...]:
        """What decides which kernels a solve needs; the first of a kind compiles."""

    def solve(self, explain: bool = False) -> Answer:
        """Solves from where the figure is, and leaves it at what was found."""


class Page(ABC):
    """One browser's view of a figure of a size [m], whose target stands at T first and may be turned.

    A subclass draws its figure, builds its tabs and then calls `open`.
    """

    problem: Problem
    parents: Sequence[int] | None  # the point before each, but for the first; None if they hang in their order
    obstacles_tab: ObstaclesTab | None
    steps_tab: StepsTab | None

    def __init__(self, host: Any, problem: Problem, size: float, T: Floats, turns: bool = True) -> None:
        self.host, self.problem, self.size = host, problem, size
        self.worker = Worker(self)
        self.answer: Answer | None = None
        self.stage = Stage(host, size, T, turns)
        self.verdict = host.gui.add_html("")
        self._met: set[tuple[object, ...]] = set()
        self._is_asked = True
        self._told: tuple[object, float] = None, 0.0  # of which kind the verdict is that is shown, and since when
        self._untold: Callable[[], str] | None = None  # the one that waits until the figure rests
        on_key(host.gui, "F", "Fit the figure into the view", self.worker, self.fit)
        on_key(host.gui, "L", "Light or dark", self.worker, self.change_look)

    def make_tabs(self, names: list[str]) -> Tabs:
        """The parts of its panel, of which one is open."""
        self.tabs = Tabs(self.host.gui, self.worker, names, self._turn_to)
        return self.tabs

    def open(self) -> None:
        """Shows the first answer, fits it into the view and begins to work."""
        self.set_dark(False)
        self.refresh()
        self.fit()
        self._watch_shape()
        self.worker.start()
        threading.Thread(target=self._ask_look, daemon=True).start()  # a browser takes its time to answer

    def _ask_look(self) -> None:
        self.worker.post("shape", self._reshape)
        if prefers_dark(self.host):
            self.worker.add(lambda: self.set_dark(True))

    def _watch_shape(self) -> None:
        """Fits the view again when a browser's picture gets another shape: it is docking the panel, or turned."""
        camera = getattr(self.host, "camera", None)
        if camera is None:
            return

        async def seen(camera: Any) -> None:
            self.stage.note(camera)
            if self.stage.is_reshaped(camera):
                self.worker.post("shape", self._reshape)

        camera.on_update(seen)

    def _reshape(self) -> None:
        """Fits the view to a picture of another shape, which the panel may cover now, or no longer."""
        self.stage.has_sheet = has_sheet(self.host)
        self.fit_again()

    def close(self) -> None:
        """Ends its thread; the browser has left."""
        self.worker.close()

    # -- wishes, all on the worker's thread ----------------------------------------------------

    @abstractmethod
    def avoid(self, obstacles: dict[str, Obstacle], clearance: float) -> None:
        """Solves among these from now on, at this distance [m]."""

    @abstractmethod
    def traces(self) -> Mapping[str, Callable[..., Any]]:
        """For each method that can be stepped through: what makes its trace for the present target."""

    def outline(self, trace: Any) -> Floats | None:
        """(k, 3) the figure that a trace leads to as a line, where its points are but a part of it."""
        return None

    @abstractmethod
    def take_start(self) -> None:
        """Lets traces start from the present pose."""

    @abstractmethod
    def set_faded(self, faded: bool) -> None:
        """Hides the figure while the steps of a method are shown."""

    @abstractmethod
    def extent(self) -> Floats:
        """(k, 3) points that the view should hold."""

    def fit(self) -> None:
        """Moves the camera so that the figure fills the view."""
        self.stage.fit(self._seen())
        self.host.flush()

    def fit_again(self) -> None:
        """Fits the view to a picture of another shape, or to more that is shown, unless the user turned the camera."""
        self.stage.fit_again(self._seen())

    def _seen(self) -> Floats:
        """(k, 3) points that the view should hold, with those of steps that are shown."""
        player = None if self.steps_tab is None else self.steps_tab.player
        return self.extent() if player is None else np.vstack([self.extent(), player.trace.points.reshape(-1, 3)])

    def set_dark(self, is_dark: bool) -> None:
        """Shows the page by day or by night."""
        self.stage.set_dark(is_dark)
        apply_scheme(self.host, is_dark)

    def change_look(self) -> None:
        """Goes from light to dark or back, and lets the browser remember it."""
        self.set_dark(not self.stage.is_dark)
        remember_dark(self.host, self.stage.is_dark)

    def ask(self) -> None:
        """Makes the next refresh solve."""
        self._is_asked = True

    def say(self, words: str) -> None:
        """Shows words in place of the verdict at once."""
        self.tell(None, lambda: words)
        self.host.flush()

    def tell(self, kind: object, words: Callable[[], str]) -> None:
        """Shows the verdict of a figure that may be moving: at once if it is of another kind, as None always is.

        One of the same kind follows `TOLD` later at the soonest, or once the figure rests.
        """
        now = time.monotonic()
        if kind is not None and kind == self._told[0] and now - self._told[1] < TOLD:
            self._untold = words
            return
        self._told, self._untold = (kind, now), None
        self.verdict.content = words()

    def _turn_to(self, left: str, opened: str) -> None:
        """Another part of the panel is open: steps are shown as long as theirs is."""
        if self.steps_tab is not None and STEPS in (left, opened):
            self.steps_tab.enter() if opened == STEPS else self.steps_tab.leave()
            self.fit_again()
            self.ask()

    # -- what the worker does ------------------------------------------------------------------

    @abstractmethod
    def show(self, answer: Answer) -> None:
        """Draws an answer."""

    @abstractmethod
    def words_of(self, answer: Answer) -> str:
        """What came of it, as the verdict says it."""

    def tick(self) -> float | None:
        """Moves through the steps that are being played."""
        return None if self.steps_tab is None else self.steps_tab.tick()

    def refresh(self) -> None:
        """Solves for the newest target and draws."""
        if self._is_asked:
            if self.problem.kind not in self._met:
                self._met.add(self.problem.kind)
                self.say(working())
                self.problem.solve()  # may compile, and the time shown afterwards is not the compiler's
            answer = self.problem.solve()
            self._is_asked = False
            if self.steps_tab is not None:
                self.steps_tab.renew()
            self._take(answer)
        if self.steps_tab is not None:
            self.steps_tab.draw()
        self.host.flush()

    def settle(self) -> None:
        """Writes the newest verdict, and finds out why a target was missed, once nobody drags."""
        if self._untold is not None:
            self.tell(None, self._untold)
        if self.answer is not None and not self.answer.explained:
            self._take(self.problem.solve(explain=True))
        self.host.flush()

    def complain(self, problem: Exception) -> None:
        """Shows what went wrong in the page."""
        title = "This cannot be done" if isinstance(problem, ForearmError) else "An error in the viewer"
        self.say(card(title, [escape(f"{problem}" or type(problem).__name__)], MISSED))

    def _take(self, answer: Answer) -> None:
        self.answer = answer
        with self.host.atomic():
            self.show(answer)
            if self.steps_tab is None or self.steps_tab.player is None:  # else it is the method's own
                self.tell((answer.solution.status, answer.explained), lambda: self.words_of(answer))
