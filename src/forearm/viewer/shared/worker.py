"""The one thread that owns a page: it does what was asked, newest first, then draws.

Callbacks of the page only post what they want; a later wish of the same name replaces an earlier
one that was not yet begun. So a slow solve never leaves a queue behind it, and nothing of a page
is touched by two threads. What takes longer than a solve, reasons and sliders, waits until no wish
has come for a moment: in between it would stand in the way of the next move.

A slider that follows the figure belongs to the user while they turn it or type into it: what the
page knows by then may be older than what they wish, so it is written once they have let go.
"""

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from forearm.viewer.shared.page import Page

Action = Callable[[], object]

DRAWINGS_PER_SECOND = 60.0  # what viser sends of them; more would queue up in the browser
LET_GO = 0.8  # seconds after their last change of a slider that a user counts as done with it
QUIET = 0.2  # seconds without a wish after which nobody drags; viser sends a drag's poses every 0.05 s


class Worker:
    """A thread with a board of wishes for a page, which it draws at most so often a second."""

    def __init__(self, page: "Page", rate: float = DRAWINGS_PER_SECOND, quiet: float = QUIET) -> None:
        self._page = page
        self._pause, self._quiet = 1.0 / rate, quiet
        self._unsettled: float | None = None  # when the page was drawn last, until it has settled
        self._wishes: dict[object, Action] = {}
        self._bell = threading.Condition()
        self._closed = False
        self._by_hand: dict[int, tuple[Any, float]] = {}  # sliders that the user has, and since when
        self._kept: dict[int, float] = {}  # what they should show once the user has let go
        self._thread = threading.Thread(target=self._run, name="forearm-viewer", daemon=True)

    def start(self) -> None:
        """Begins to work."""
        self._thread.start()

    def post(self, name: object, action: Action) -> None:
        """Asks for something; replaces what was asked under this name and not yet begun."""
        with self._bell:
            self._wishes.pop(name, None)
            self._wishes[name] = action
            self._bell.notify()

    def add(self, action: Action) -> None:
        """Asks for something that must not be replaced: a press of a button."""
        self.post(object(), action)

    def touch(self, slider: Any) -> None:
        """Notes that the user has just changed a slider."""
        with self._bell:
            self._by_hand[id(slider)] = slider, time.monotonic()

    def show(self, slider: Any, value: float) -> None:
        """Lets a slider show a value of the figure: at once, or when the user has let go of it.

        Less than half a step is not worth a message, and a thread that its page no longer waits for writes nothing.
        """
        with self._bell:
            if self._closed and threading.current_thread() is self._thread:
                return
            if id(slider) in self._by_hand:
                self._kept[id(slider)] = value
            elif abs(slider.value - value) > 0.499 * slider.step:
                slider.value = value

    def _write_what_was_let_go(self) -> float | None:
        """Lets sliders show their values that the user has let go of; gives the seconds until the next one is.

        They are sent again even if nothing changed here: a value may have been on its way to the
        browser when the user wrote over it.
        """
        now = time.monotonic()
        with self._bell:
            if self._closed:
                return None
            free = [key for key, (_, at) in self._by_hand.items() if now - at >= LET_GO]
            for key in free:
                slider, _ = self._by_hand.pop(key)
                value = self._kept.pop(key, slider.value)
                slider.value = value - slider.step  # what does not change is not sent
                slider.value = value
            waits = [LET_GO - (now - at) for _, at in self._by_hand.values()]
        if free:
            self._page.host.flush()
        return min(waits, default=None)

    def close(self, seconds: float = 5.0) -> None:
        """Ends the thread, after what it is doing."""
        with self._bell:
            self._closed = True
            self._bell.notify()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(seconds)

    def _run(self) -> None:
        delay: float | None = None
        by_hand: float | None = None
        while True:
            with self._bell:
                waits = [wait for wait in (delay, by_hand, self._until_quiet(delay)) if wait is not None]
                self._bell.wait_for(lambda: self._wishes or self._closed, min(waits, default=None))
                if self._closed:
                    return
                wishes, self._wishes = self._wishes, {}
            started = time.perf_counter()
            delay = self._turn(wishes, delay is not None)
            by_hand = self._write_what_was_let_go()
            rest = self._pause - (time.perf_counter() - started)
            if rest > 0.0:
                time.sleep(rest)

    def _until_quiet(self, delay: float | None) -> float | None:
        """The seconds until the page settles; None if it has, or while something moves by itself."""
        if self._unsettled is None or delay is not None:
            return None
        return max(self._unsettled + self._quiet - time.monotonic(), 0.0)

    def _turn(self, wishes: dict[object, Action], is_moving: bool) -> float | None:
        """One round, drawn if something moves by itself or has just stopped; gives the seconds until the next.

        Whatever goes wrong is shown in the page, and the page goes on.
        """
        try:
            for action in wishes.values():
                action()
            delay = self._page.tick()
            if wishes or is_moving or delay is not None:
                self._page.refresh()
                self._unsettled = time.monotonic()
            elif self._until_quiet(delay) == 0.0:
                self._unsettled = None
                self._page.settle()
        except Exception as problem:
            if not self._closed:
                self._page.complain(problem)
            return None
        return delay
