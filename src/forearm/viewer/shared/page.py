"""What the pages of arms and of bones have in common: a stage, a verdict, a worker that solves and draws."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from html import escape
from typing import Any, Protocol

from forearm.common.types import Floats
from forearm.errors import ForearmError
from forearm.scenes.shapes import Obstacle
from forearm.viewer.shared.answer import Answer
from forearm.viewer.shared.obstacles_tab import ObstaclesTab
from forearm.viewer.shared.stage import Stage
from forearm.viewer.shared.theme import MISSED
from forearm.viewer.shared.words import card, working
from forearm.viewer.shared.worker import Worker
from forearm.viewer.steps.tab import StepsTab


class Problem(Protocol):
    """What is asked of a figure: the state of a page, without the page."""

    @property
    def kind(self) -> tuple[object, ...]:
        """What decides which kernels a solve needs; the first of a kind compiles."""

    def solve(self, explain: bool = False) -> Answer:
        """Solves from where the figure is, and leaves it at what was found."""


class Page(ABC):
    """One browser's view of a figure.

    A subclass draws its figure, builds its tabs and then calls `open`.

    Args:
        host: Its viser client.
        problem: What is asked, for this page alone.
        size: Reach of the figure [m].
        T: (4, 4) the target's first pose.
        turns: Whether the target can be turned.
    """

    problem: Problem
    is_sequential: bool  # whether a reach places the points in their order
    parents: Any  # the point before each, but for the first
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

    def open(self) -> None:
        """Shows the first answer and begins to work."""
        self.refresh()
        self.worker.start()

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

    def ask(self) -> None:
        """Makes the next refresh solve."""
        self._is_asked = True

    def say(self, words: str) -> None:
        """Shows words in place of the verdict at once."""
        self.verdict.content = words
        self.host.flush()

    # -- what the worker does ------------------------------------------------------------------

    @abstractmethod
    def show(self, answer: Answer) -> None:
        """Draws an answer and says what came of it."""

    def tick(self) -> float | None:
        """Moves through the steps that are being played."""
        return None if self.steps_tab is None else self.steps_tab.tick()

    def refresh(self) -> None:
        """Solves for the newest target and draws."""
        if self._is_asked:
            self._compile()
            answer = self.problem.solve()
            self._is_asked = False
            self._take(answer)
            if self.steps_tab is not None:
                self.steps_tab.renew()
        if self.steps_tab is not None:
            self.steps_tab.draw()
        self.host.flush()

    def settle(self) -> None:
        """Finds out why a target was missed, once nobody drags."""
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

    def _compile(self) -> None:
        """Makes the first solve of a kind, which may take long, and says so before."""
        if self.problem.kind not in self._met:
            self._met.add(self.problem.kind)
            self.say(working())
            self.problem.solve()  # so that the time shown afterwards is not the compiler's
