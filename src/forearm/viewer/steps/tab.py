"""The tab that steps through a method: play, pause, forward, back, with the distance curve."""

import time
from contextlib import suppress
from html import escape
from typing import TYPE_CHECKING, Any

from forearm.errors import ForearmError
from forearm.viewer.shared.controls import clamped, on_change, on_press
from forearm.viewer.shared.curve import distance_curve
from forearm.viewer.shared.theme import MISSED
from forearm.viewer.shared.words import card
from forearm.viewer.shared.worker import Worker
from forearm.viewer.steps.player import Player
from forearm.viewer.steps.scene import TraceScene, layout_of
from forearm.viewer.steps.words import describe_end, describe_idea, describe_step

if TYPE_CHECKING:
    from forearm.viewer.shared.page import Page

SPEEDS = {"slow": 1.2, "usual": 0.5, "fast": 0.15}  # seconds a step
TOLERANCE = 1e-6  # where the curve says that the tip has arrived, as targets have it [m]
SWEPT = "combined"  # the method whose sweeps are few by choice: n_L of its paper
MOST_SWEEPS, USUAL_SWEEPS = 15, 2  # so few leave something for SQP to do


class StepsTab:
    """Steps through a trace; built inside an open tab of a page with traces."""

    def __init__(self, page: "Page") -> None:
        self.page = page
        self.player: Player | None = None
        self._scene: TraceScene | None = None
        self._next: float | None = None
        self._drawn: object = None
        self._stale = False
        self._chosen = False  # whether the method was chosen, by the user or by itself
        self.is_open = False
        gui, worker = page.host.gui, page.worker
        methods = list(page.traces())
        self.method = gui.add_dropdown("Steps of", methods, initial_value=methods[0])
        sweeps = ("sweeps before SQP", 1, MOST_SWEEPS, 1, USUAL_SWEEPS)
        self.sweeps = gui.add_slider(*sweeps, visible=methods[0] == SWEPT)
        self.panel = gui.add_folder(None, visible=False)
        with self.panel:
            self._build(gui, worker)
        self.idea = gui.add_html(describe_idea(methods[0]))
        on_change(self.method, worker, self._set_method)
        on_change(self.sweeps, worker, lambda _: self.renew())
        on_press(self.start, worker, self._take_start)

    def _build(self, gui: Any, worker: Worker) -> None:
        self.said = gui.add_html("")
        self.buttons = gui.add_button_group("Step", ["First", "Back", "Next", "Last"])
        self.play = gui.add_button("Play")
        self.slider = gui.add_slider("step", 0, 1, 1, 0)
        self.curve = gui.add_html("")
        self.by_joint = gui.add_checkbox("joint by joint", False, visible=self.page.parents is None)
        self.speed = gui.add_dropdown("Speed", list(SPEEDS), initial_value="usual")
        hint = "Then drag the target somewhere else."
        self.start = gui.add_button("Start from the present pose", color="gray", hint=hint)

        async def stepped(event: Any) -> None:
            name = event.target.value
            worker.add(lambda: self._step(name))

        self.buttons.on_click(stepped)
        on_press(self.play, worker, self._toggle_playing)
        on_change(self.slider, worker, self._go_to)
        on_change(self.by_joint, worker, self._set_by_joint)

    # -- wishes --------------------------------------------------------------------------------

    def _set_method(self, method: str) -> None:
        if method in self.page.traces():
            self._chosen = True
            self.idea.content = describe_idea(method)
            self.sweeps.visible = method == SWEPT
            self._load(self.player)

    def _take_start(self) -> None:
        self.page.take_start()
        self._stale = True

    def _step(self, name: str) -> None:
        self._next = None
        if self.player is not None:
            at, last = self.player.at, self.player.last
            self.player.move({"First": 0, "Back": at - 1, "Next": at + 1, "Last": last}.get(name, at))

    def _go_to(self, value: Any) -> None:
        self._next = None
        if self.player is not None:
            self.player.move(int(clamped(value, 0, self.player.last)))

    def _set_by_joint(self, wanted: Any) -> None:
        if self.player is not None:
            before = self.player
            self.player = Player(before.trace, bool(wanted))
            self.player.keep_place(before)
            self._drawn = None

    def _toggle_playing(self) -> None:
        if self.player is None:
            return
        if self._next is None and self.player.at == self.player.last:
            self.player.move(0)
        self._next = time.monotonic() if self._next is None else None
        self._drawn = None

    # -- what the worker does ------------------------------------------------------------------

    def enter(self) -> None:
        """Shows the steps: their tab was opened. The first time, those of a method that arrives, if one does."""
        self.is_open = True
        if not self._chosen:
            self._chosen = True
            self.method.value = self._arriving()
            self.sweeps.visible = self.method.value == SWEPT
        self._load(None)

    def leave(self) -> None:
        """Shows the figure again: the tab was left."""
        self.is_open = False
        self._hide()

    def _arriving(self) -> str:
        """The first method whose steps end at the target; the first of all if none does."""
        methods = list(self.page.traces())
        for method in methods:
            with suppress(ForearmError):  # it cannot do this kind of target
                trace = self._make_trace(method)
                if trace.distance[-1] <= getattr(trace, "tolerance", TOLERANCE):
                    return method
        return methods[0]

    def tick(self) -> float | None:
        """Goes a step further while playing."""
        if self._next is None or self.player is None:
            return None
        now, pause = time.monotonic(), SPEEDS.get(str(self.speed.value), 0.5)
        if now >= self._next:
            if self.player.at == self.player.last:
                self._next = None
                self._drawn = None
                return None
            self.player.move(self.player.at + 1)
            self._next = now + pause
        return max(self._next - now, 0.01)

    def renew(self) -> None:
        """The target has changed: so have the steps, if they are shown."""
        self._stale = True

    def draw(self) -> None:
        """Draws the present step."""
        if self.is_open and self._stale:
            self._load(self.player)
        player = self.player
        if player is None or self._scene is None:
            return
        key = (id(player.trace), player.at, player.by_joint, self._next is None)
        if key == self._drawn:
            return
        self._drawn = key
        with self.page.host.atomic():
            self._scene.show(player)
            answer = self.page.answer
            is_met = answer is not None and bool(answer.solution.success)
            self.page.say(describe_end(player, str(self.method.value), self._tolerance, is_met))
            self.said.content = describe_step(player, str(self.method.value))
            self.play.label = "Play" if self._next is None else "Pause"
            self.slider.max = max(player.last, 1)
            self.page.worker.show(self.slider, player.at)
            self.curve.content = distance_curve(player.errors(), player.stage, self._tolerance, "stage")

    @property
    def _tolerance(self) -> float:
        """Where the trace that is shown counts as arrived [m]."""
        return TOLERANCE if self.player is None else float(getattr(self.player.trace, "tolerance", TOLERANCE))

    def _load(self, before: Player | None) -> None:
        """Makes the trace for the present target, at the stage that was shown before."""
        self._stale = False
        try:
            trace = self._make_trace(str(self.method.value))
        except ForearmError as problem:
            self._hide()
            self.idea.content = card("No steps to show", [escape(str(problem))], MISSED)
            self.page.ask()
            return
        self.player = Player(trace, bool(self.by_joint.value))
        if before is not None:
            self.player.keep_place(before)
        if self._scene is not None and self._scene.layout != layout_of(trace):
            self._remove_scene()
        if self._scene is None:
            self._scene = TraceScene(self.page.host, trace, self.page.size, self.page.parents)
        self._scene.show_outline(self.page.outline(trace))
        self.idea.content = describe_idea(self.method.value)
        self._set_open(True)

    def _make_trace(self, method: str) -> Any:
        make = self.page.traces()[method]
        if method != SWEPT:
            return make()
        return make(sweeps=int(clamped(self.sweeps.value, 1, MOST_SWEEPS)))

    def _hide(self) -> None:
        self.player, self._next, self._drawn = None, None, None
        self._remove_scene()
        self._set_open(False)

    def _remove_scene(self) -> None:
        if self._scene is not None:
            self._scene.root.remove()
            self._scene = None

    def _set_open(self, is_open: bool) -> None:
        self.panel.visible = is_open
        self.page.set_faded(is_open)
        self.page.stage.set_faded(is_open)
