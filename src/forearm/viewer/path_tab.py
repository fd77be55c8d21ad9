"""The tab that records the way of a target and plays it."""

import time
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from forearm.viewer.controls import on_press
from forearm.viewer.theme import BACKWARD, MISSED, START
from forearm.viewer.words import card

if TYPE_CHECKING:
    from forearm.viewer.arm_page import ArmPage

Floats = NDArray[np.float64]

FRAME = 1.0 / 30.0  # between two poses that are played [s]
MOST = 20_000  # poses that are kept
LONGEST_PAUSE = 0.5  # a rest while recording is cut to this [s]


class PathTab:
    """Records, shows and plays a path.

    Args:
        page: The arm's page; this is built inside an open tab of it.
    """

    def __init__(self, page: "ArmPage") -> None:
        self.page = page
        self.times: list[float] = []
        self.poses: list[Floats] = []
        self.recording = False
        self._begun: float | None = None
        self._last = 0.0
        self._missed: set[int] = set()
        gui = page.host.gui
        self.status = gui.add_html("")
        self.record = gui.add_button("Record")
        self.play = gui.add_button("Play", disabled=True)
        self.clear = gui.add_button("Clear", disabled=True, color="gray")
        on_press(self.record, page.worker, self._toggle_recording)
        on_press(self.play, page.worker, self._toggle_playing)
        on_press(self.clear, page.worker, self._clear)
        self._show()

    @property
    def playing(self) -> bool:
        """Whether the path is being played."""
        return self._begun is not None

    def note(self, T: Floats) -> None:
        """Writes a pose down while recording."""
        if self.recording and len(self.poses) < MOST:
            now = time.monotonic()
            since = min(now - self._last, LONGEST_PAUSE) if self.poses else 0.0
            self._last = now
            self.times.append(self.times[-1] + since if self.times else 0.0)
            self.poses.append(T.copy())
            self._show()

    def tick(self) -> float | None:
        """Moves the target along the path while it is played."""
        if self._begun is None:
            return None
        now = time.monotonic() - self._begun
        at = int(np.searchsorted(self.times, now, side="right")) - 1
        if self.page.answer is not None and not self.page.answer.solution.success:
            self._missed.add(at)
        self.page.set_target(self.poses[min(max(at, 0), len(self.poses) - 1)])
        if now > self.times[-1]:
            self.stop_playing()
            return None
        return FRAME

    def stop_playing(self) -> None:
        """Leaves the path."""
        if self.playing:
            self._begun = None
            self._show()

    def _toggle_recording(self) -> None:
        self.stop_playing()
        self.recording = not self.recording
        if self.recording:
            self._clear()
            self.note(self.page.problem.T)
        self._show()

    def _toggle_playing(self) -> None:
        if self.playing:
            self.stop_playing()
        elif len(self.poses) > 1:
            self.recording = False
            self._begun, self._missed = time.monotonic(), set()
            self._show()

    def _clear(self) -> None:
        self.stop_playing()
        self.times, self.poses, self._missed = [], [], set()
        self._show()

    def _show(self) -> None:
        self.record.label = "Stop recording" if self.recording else "Record"
        self.play.label = "Stop" if self.playing else "Play"
        self.play.disabled = len(self.poses) < 2 or self.recording
        self.clear.disabled = not self.poses or self.recording
        self.status.content = self._words()
        self.page.stage.show_path(np.array([T[:3, 3] for T in self.poses]).reshape(-1, 3))

    def _words(self) -> str:
        if self.recording:
            return card("Recording", [f"{len(self.poses)} poses. Drag the target; every pose is kept."], MISSED)
        if not self.poses:
            return card("No path yet", ["Press Record, drag the target, press Stop recording, then Play."], START)
        lines = [f"{len(self.poses)} poses in {self.times[-1]:.1f} s."]
        return card("Playing" if self.playing else "Path recorded", lines, BACKWARD)
